/* lemke.c: complementary pivoting with a covering variable (Lemke 1965; Cottle, Pang & Stone 1992, algorithm 4.4.5), the reference.
 *
 * Everything is first written as a plain LCP  w = N x + r, w, x ≥ 0, w·x = 0, with z = E x + base:
 *   a row z ≥ lo          one column                 z = lo + x
 *   a row lo ≤ z ≤ hi     two columns x, y           w = M z + q + y,  s = hi − lo − x            (y is the part of w that is negative)
 *   a free row            two columns                z = x − y
 *   friction              k columns and a slack      z_t = Σ d_k x_k,  w_k = d_k·(M z + q)_t + s,  mu z_n − Σ x_k ≥ 0
 *                         (Stewart & Trinkle 1996; k = 2 per row for the box, k = sides for the pyramid)
 * Contact problems are degenerate through and through (every slack starts at zero, redundant contacts make M singular). A tableau
 * survives that when ties are broken by a small perturbation of r, well above its rounding, and when entries that are pure rounding never
 * become pivots. The final basis is solved by LU from the unperturbed numbers: the answer carries neither the perturbation nor the
 * rounding of the pivots.
 */
#include "lcp_internal.h"
#include <string.h>

#define PO_LEMKE_PERTURB 1e-9 /* relative to the largest |r| */
#define PO_LEMKE_PIVOT 1e-9   /* relative to the largest |N| */

enum { LEMKE_AT_LO, LEMKE_AT_HI, LEMKE_UPPER, LEMKE_TANGENT, LEMKE_SLACK };

typedef struct lemke_column {
  int kind, row, first; /* row: of M (for tangents and slacks the first friction row); first: a tangent's slack, a slack's first tangent */
  double dx, dy;        /* what a unit of it adds to z[row], z[row+1] */
} lemke_column;

typedef struct lemke_work {
  const po_lcp *p;
  int n;                /* columns */
  lemke_column *column;
  double *T;            /* n × (2n + 2): w columns, x columns, covering variable, right side */
  double *B, *rhs, *base;
  int *basis, *perm;    /* basis[i]: which variable is basic in row i: 0…n−1 w, n…2n−1 x, 2n covering */
} lemke_work;


/* Fills column (when not NULL) and returns how many there are. */
static int lemke_columns(const po_lcp *p, lemke_column *column) {
  po_friction_shape shape;
  int i, k, n = 0;
  po_friction_shape_init(&shape, p->law, p->sides);
  for (i = 0; i < p->n; i++) {
    int sides, single, first = n;
    if (po_lcp_normal_of(p, i) < 0) {
      double lo = po_lcp_lo(p, i), hi = po_lcp_hi(p, i);
      int two = po_isfinite(lo) == po_isfinite(hi);
      if (column) {
        lemke_column c = {LEMKE_AT_LO, i, 0, 1, 0};
        if (!po_isfinite(lo) && po_isfinite(hi)) {
          c.kind = LEMKE_AT_HI;
          c.dx = -1;
        }
        column[n] = c;
        if (two) {
          lemke_column y = {po_isfinite(lo) ? LEMKE_UPPER : LEMKE_AT_LO, i, n, po_isfinite(lo) ? 0 : -1, 0};
          column[n + 1] = y;
        }
      }
      n += two ? 2 : 1;
      continue;
    }
    single = p->law == PO_FRICTION_BOX || !po_lcp_paired(p, i);
    sides = single ? 2 : p->sides;
    for (k = 0; k < sides; k++, n++)
      if (column) {
        lemke_column c = {LEMKE_TANGENT, i, first + sides, 0, 0};
        c.dx = single ? 1 - 2 * k : shape.corner[k][0];
        c.dy = single ? 0 : shape.corner[k][1];
        column[n] = c;
      }
    if (column) {
      lemke_column c = {LEMKE_SLACK, i, first, 0, 0};
      column[n] = c;
    }
    n++;
    i += !single; /* the second of the pair */
  }
  return n;
}

static void lemke_lay_out(lemke_work *lw, const po_lcp *p, int n, po_arena *arena) {
  lw->p = p;
  lw->n = n;
  lw->column = PO_ARENA_ARRAY(arena, lemke_column, n);
  lw->T = PO_ARENA_ARRAY(arena, double, (size_t)n * (size_t)(2 * n + 2));
  lw->B = PO_ARENA_ARRAY(arena, double, (size_t)n * (size_t)n);
  lw->rhs = PO_ARENA_ARRAY(arena, double, n);
  lw->base = PO_ARENA_ARRAY(arena, double, p->n);
  lw->basis = PO_ARENA_ARRAY(arena, int, n);
  lw->perm = PO_ARENA_ARRAY(arena, int, n);
}

size_t po_lcp_lemke_bytes(const po_lcp *p) {
  po_arena arena;
  lemke_work lw;
  po_arena_measure(&arena);
  lemke_lay_out(&lw, p, lemke_columns(p, NULL), &arena);
  return po_arena_used(&arena);
}

/* e' M e' between what two columns add to z. */
static double lemke_product(const lemke_work *lw, const lemke_column *a, const lemke_column *b) {
  po_mat M = lw->p->M;
  double s = 0;
  if (a->dx != 0 && b->dx != 0) s += a->dx * b->dx * PO_AT(M, a->row, b->row);
  if (a->dx != 0 && b->dy != 0) s += a->dx * b->dy * PO_AT(M, a->row, b->row + 1);
  if (a->dy != 0 && b->dx != 0) s += a->dy * b->dx * PO_AT(M, a->row + 1, b->row);
  if (a->dy != 0 && b->dy != 0) s += a->dy * b->dy * PO_AT(M, a->row + 1, b->row + 1);
  return s;
}

static double lemke_entry(const lemke_work *lw, int i, int j) { /* N(i,j) */
  const lemke_column *a = &lw->column[i], *b = &lw->column[j];
  double s = lemke_product(lw, a, b);
  if (b->kind == LEMKE_UPPER && b->first == i) s += 1;
  if (a->kind == LEMKE_UPPER && a->first == j) s -= 1;
  if (a->kind == LEMKE_TANGENT && a->first == j) s += 1;
  if (a->kind == LEMKE_SLACK) {
    if (b->kind == LEMKE_TANGENT && b->first == i) s -= 1;
    if (b->kind != LEMKE_TANGENT && b->row == lw->p->friction[a->row]) s += lw->p->mu[a->row] * b->dx;
  }
  return s;
}

static void lemke_right_side(lemke_work *lw) {
  const po_lcp *p = lw->p;
  int i;
  for (i = 0; i < p->n; i++) {
    double lo = po_lcp_lo(p, i), hi = po_lcp_hi(p, i);
    lw->base[i] = po_lcp_normal_of(p, i) >= 0 ? 0 : po_isfinite(lo) ? lo : po_isfinite(hi) ? hi : 0;
  }
  for (i = 0; i < lw->n; i++) {
    const lemke_column *c = &lw->column[i];
    double r = 0;
    if (c->dx != 0) r += c->dx * (p->q[c->row] + po_dot(po_row(p->M, c->row), lw->base, p->n));
    if (c->dy != 0) r += c->dy * (p->q[c->row + 1] + po_dot(po_row(p->M, c->row + 1), lw->base, p->n));
    if (c->kind == LEMKE_UPPER) r = po_lcp_hi(p, c->row) - po_lcp_lo(p, c->row);
    if (c->kind == LEMKE_SLACK) r = p->mu[c->row] * lw->base[p->friction[c->row]];
    lw->rhs[i] = r;
  }
}

static void lemke_pivot(lemke_work *lw, int row, int col) {
  int width = 2 * lw->n + 2, i, j;
  double *pivot = lw->T + (size_t)row * (size_t)width, inverse = 1 / pivot[col];
  for (j = 0; j < width; j++) pivot[j] *= inverse;
  pivot[col] = 1;
  for (i = 0; i < lw->n; i++) {
    double *r = lw->T + (size_t)i * (size_t)width, f = r[col];
    if (i == row || f == 0) continue;
    for (j = 0; j < width; j++) r[j] -= f * pivot[j];
    r[col] = 0;
  }
  lw->basis[row] = col;
}

static double lemke_basis_entry(const lemke_work *lw, int i, int j) { /* columns of I for basic w, of −N for basic x */
  int var = lw->basis[j];
  return var < lw->n ? (var == i) : var < 2 * lw->n ? -lemke_entry(lw, i, var - lw->n) : -1;
}

/* Solves the final basis afresh, with two corrections by what is left (a basis of redundant contacts is badly conditioned); then z. The tableau is
 * of no more use: it holds the right side and what is left. */
#define LEMKE_CORRECTIONS 2
static int lemke_finish(lemke_work *lw, double *z) {
  double *rhs = lw->T, *left = lw->T + lw->n;
  int i, j, round, n = lw->n;
  for (j = 0; j < n; j++)
    for (i = 0; i < n; i++) lw->B[i * n + j] = lemke_basis_entry(lw, i, j);
  if (!po_lu(lw->B, n, n, lw->perm)) return 0;
  memcpy(rhs, lw->rhs, sizeof(double) * (size_t)n);
  po_lu_solve(lw->B, n, n, lw->perm, lw->rhs);
  for (round = 0; round < LEMKE_CORRECTIONS; round++) {
    for (i = 0; i < n; i++) {
      left[i] = rhs[i];
      for (j = 0; j < n; j++) left[i] -= lemke_basis_entry(lw, i, j) * lw->rhs[j];
    }
    po_lu_solve(lw->B, n, n, lw->perm, left);
    for (i = 0; i < n; i++) lw->rhs[i] += left[i];
  }
  memcpy(z, lw->base, sizeof(double) * (size_t)lw->p->n);
  for (j = 0; j < n; j++) {
    const lemke_column *c;
    double x = po_max(0, lw->rhs[j]);
    if (lw->basis[j] < n || lw->basis[j] >= 2 * n) continue;
    c = &lw->column[lw->basis[j] - n];
    if (c->dx != 0) z[c->row] += c->dx * x;
    if (c->dy != 0) z[c->row + 1] += c->dy * x;
  }
  return po_all_finite(z, lw->p->n);
}

/* Fills the tableau; returns the row whose w is most negative. */
static int lemke_start(lemke_work *lw, double *largest) {
  int n = lw->n, width = 2 * n + 2, i, j, row = 0;
  double scale = po_norm_inf(lw->rhs, n);
  *largest = 1;
  for (i = 0; i < n; i++) {
    double *T = lw->T + (size_t)i * (size_t)width;
    memset(T, 0, sizeof(double) * (size_t)width);
    T[i] = 1;
    for (j = 0; j < n; j++) {
      T[n + j] = -lemke_entry(lw, i, j);
      *largest = po_max(*largest, fabs(T[n + j]));
    }
    T[2 * n] = -1;
    /* distinct shares in (1, 2): the golden ratio's multiples never come near each other */
    T[2 * n + 1] = lw->rhs[i] + PO_LEMKE_PERTURB * scale * (1 + (i * 0.6180339887498949 - floor(i * 0.6180339887498949)));
    lw->basis[i] = i;
    if (T[2 * n + 1] < lw->T[(size_t)row * (size_t)width + (size_t)width - 1]) row = i;
  }
  return row;
}

/* The direction in z of the ray along column `col` of the tableau, into lw->base. */
static void lemke_ray(lemke_work *lw, int col) {
  int n = lw->n, i;
  memset(lw->base, 0, sizeof(double) * (size_t)lw->p->n);
  for (i = -1; i < n; i++) { /* the entering variable grows by one, basic ones by what the column says */
    int var = i < 0 ? col : lw->basis[i];
    double rate = i < 0 ? 1 : -lw->T[(size_t)i * (size_t)(2 * n + 2) + (size_t)col];
    const lemke_column *c;
    if (var < n || var >= 2 * n) continue;
    c = &lw->column[var - n];
    if (c->dx != 0) lw->base[c->row] += c->dx * rate;
    if (c->dy != 0) lw->base[c->row + 1] += c->dy * rate;
  }
}

/* The pivots. Returns the outcome; the basis is in lw->basis, of a ray the direction in lw->base. */
static po_lcp_outcome lemke_run(lemke_work *lw, po_lcp_result *result, int limit) {
  int n = lw->n, width = 2 * n + 2, i, col = 2 * n;
  double largest;
  int row = lemke_start(lw, &largest);
  if (lw->rhs[row] >= 0) return PO_LCP_SOLVED;
  while (result->steps < limit) {
    int leaving = lw->basis[row];
    double least = PO_INF;
    lemke_pivot(lw, row, col);
    result->steps++;
    if (leaving == 2 * n) return PO_LCP_SOLVED;
    col = leaving < n ? leaving + n : leaving - n;
    row = -1;
    for (i = 0; i < n; i++) {
      const double *T = lw->T + (size_t)i * (size_t)width;
      if (T[col] > PO_LEMKE_PIVOT * largest && T[width - 1] / T[col] < least) {
        least = T[width - 1] / T[col];
        row = i;
      }
    }
    if (row < 0) { /* a secondary ray */
      lemke_ray(lw, col);
      return po_lcp_ray_outcome(lw->p, lw->base);
    }
  }
  return PO_LCP_LIMIT;
}

void po_lcp_lemke(double *z, po_lcp_result *result, const po_lcp *p, const po_lcp_opts *opts, po_arena *scratch) {
  lemke_work lw;
  int n = lemke_columns(p, NULL);
  lemke_lay_out(&lw, p, n, scratch);
  if (scratch->failed) return;
  lemke_columns(p, lw.column);
  lemke_right_side(&lw);
  result->outcome = lemke_run(&lw, result, opts->max_steps > 0 ? opts->max_steps : 20 * n + 100);
  if (result->outcome == PO_LCP_INFEASIBLE || result->outcome == PO_LCP_RAY || !lemke_finish(&lw, z)) {
    if (result->outcome == PO_LCP_SOLVED) result->outcome = PO_LCP_NUMERICAL;
    memset(z, 0, sizeof(double) * (size_t)p->n);
  }
}
