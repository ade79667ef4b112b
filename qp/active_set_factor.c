/* active_set_factor.c: the factors J and R of the working set, kept by updates.
 *
 * JT holds J's columns as rows, so that every update and every product runs along memory. Adding a constraint is one Householder
 * reflection of J2, and because z = J2 d2 is there already for the step, it costs one rank-one update (2 n (n−q) flops) where a
 * sweep of Givens rotations would cost three times that. Dropping one is a sweep of rotations on J1.
 */
#include "active_set.h"

#include <math.h>
#include <string.h>

void po_as_layout(po_arena *a, po_as *e, int n, int m) {
  int k = m + n;
  e->g = PO_ARENA_ARRAY(a, double, n);
  e->lo = PO_ARENA_ARRAY(a, double, k);
  e->hi = PO_ARENA_ARRAY(a, double, k);
  e->norm = PO_ARENA_ARRAY(a, double, m);
  e->size = PO_ARENA_ARRAY(a, double, k);
  e->L = po_arena_mat(a, n, n);
  e->JT = po_arena_mat(a, n, n);
  e->R = po_arena_mat(a, n, n);
  e->work = PO_ARENA_ARRAY(a, int, n + 1);
  e->side = PO_ARENA_ARRAY(a, signed char, n + 1);
  e->u = PO_ARENA_ARRAY(a, double, n + 1);
  e->state = PO_ARENA_ARRAY(a, signed char, k + 1);
  e->x = PO_ARENA_ARRAY(a, double, n);
  e->d = PO_ARENA_ARRAY(a, double, n);
  e->z = PO_ARENA_ARRAY(a, double, n);
  e->r = PO_ARENA_ARRAY(a, double, n);
  e->v = PO_ARENA_ARRAY(a, double, n);
  e->value = PO_ARENA_ARRAY(a, double, m);
  e->rot = PO_ARENA_ARRAY(a, double, 2 * n);
  e->value_n = PO_ARENA_ARRAY(a, double, n);
  e->n = n;
  e->m = m;
}

void po_as_reset(po_as *e) {
  int k;
  for (k = 0; k < e->q; k++) e->state[e->work[k]] = 0;
  e->q = 0;
  po_mat_identity(e->JT);
  po_trsm(e->JT, e->L, PO_LEFT, PO_LOWER, PO_N, PO_NON_UNIT); /* JT = L^-1, so J = L^-T */
}

void po_as_sizes(po_as *e) {
  int i, j, n = e->n, m = e->m;
  double *inverse = e->size + m; /* diag(G^-1) = column sums of squares of L^-1 */
  for (j = 0; j < n; j++) inverse[j] = 0;
  for (i = 0; i < n; i++) {
    const double *row = po_row(e->JT, i);
    for (j = 0; j <= i; j++) inverse[j] += row[j] * row[j];
  }
  for (i = 0; i < m; i++) {
    const double *row = po_as_row(e, i);
    double sum = 0;
    for (j = 0; j < n; j++) sum += row[j] * row[j] * inverse[j];
    e->size[i] = sqrt(sum);
  }
  for (j = 0; j < n; j++) inverse[j] = sqrt(inverse[j]);
}

int po_as_independent(const po_as *e, int k) {
  return e->q < e->n && po_norm2(e->d + e->q, e->n - e->q) > e->dependent * e->size[k];
}

/* z = J2 d2 */
static void asf_z(po_as *e) { po_gemv_t(e->z, po_block(e->JT, e->q, 0, e->n - e->q, e->n), e->d + e->q); }

void po_as_project_row(po_as *e, const double *normal) {
  po_gemv(e->d, e->JT, normal);
  asf_z(e);
}

void po_as_project(po_as *e, int k, int side) {
  int i, n = e->n;
  if (k < e->m) {
    po_gemv(e->d, e->JT, po_as_row(e, k));
    if (side < 0)
      for (i = 0; i < n; i++) e->d[i] = -e->d[i];
  } else {
    const double *column = e->JT.a + (k - e->m);
    double s = side;
    for (i = 0; i < n; i++) e->d[i] = s * column[(size_t)i * (size_t)e->JT.ld];
  }
  asf_z(e);
}

void po_as_add(po_as *e, int k, int side, double u) {
  int i, n = e->n, q = e->q;
  double *row = po_row(e->JT, q), first = e->d[q], norm = po_norm2(e->d + q, n - q), alpha, beta;
  alpha = first > 0 ? -norm : norm;
  if (q < n - 1 && norm > 0) {
    /* H = I − β v v', v = d2 − α e1, takes d2 to α e1;  J2 v = z − α J2 e1 */
    beta = 1 / (norm * (norm + po_abs(first)));
    for (i = 0; i < n; i++) e->v[i] = e->z[i] - alpha * row[i];
    po_axpy(row, -beta * (first - alpha), e->v, n);
    for (i = q + 1; i < n; i++)
      if (e->d[i] != 0) po_axpy(po_row(e->JT, i), -beta * e->d[i], e->v, n);
  } else {
    alpha = first;
  }
  for (i = 0; i < q; i++) PO_AT(e->R, i, q) = e->d[i];
  PO_AT(e->R, q, q) = alpha;
  e->work[q] = k;
  e->side[q] = (signed char)side;
  e->u[q] = u;
  e->state[k] = 1;
  e->q = q + 1;
}

void po_as_drop(po_as *e, int position, int keep_d) {
  int i, q = e->q;
  e->state[e->work[position]] = 0;
  for (i = position; i < q - 1; i++) {
    e->work[i] = e->work[i + 1];
    e->side[i] = e->side[i + 1];
    e->u[i] = e->u[i + 1];
  }
  for (i = 0; i < q; i++) { /* column `position` leaves R: rows above it close up, rows below have one element left of the diagonal */
    double *row = po_row(e->R, i);
    int from = i <= position ? position : i - 1;
    memmove(row + from, row + from + 1, sizeof *row * (size_t)(q - 1 - from));
  }
  for (i = position; i < q - 1; i++) {
    double c, s, rr, *a = po_row(e->R, i), *b = po_row(e->R, i + 1);
    po_givens(&c, &s, &rr, a[i], b[i]);
    a[i] = rr;
    b[i] = 0;
    po_givens_apply(a + i + 1, b + i + 1, q - 2 - i, c, s);
    po_givens_apply(po_row(e->JT, i), po_row(e->JT, i + 1), e->n, c, s);
    if (keep_d) {
      double t = e->d[i];
      e->d[i] = c * t + s * e->d[i + 1];
      e->d[i + 1] = c * e->d[i + 1] - s * t;
    }
  }
  e->q = q - 1;
  if (keep_d) po_axpy(e->z, e->d[e->q], po_row(e->JT, e->q), e->n);
}

void po_as_solve_r(po_as *e, double *r, const double *d) {
  int i, q = e->q;
  for (i = q - 1; i >= 0; i--) {
    const double *row = po_row(e->R, i);
    r[i] = (d[i] - po_dot(row + i + 1, r + i + 1, q - 1 - i)) / row[i];
  }
}

void po_as_solve_rt(po_as *e, double *r) {
  int i, q = e->q;
  for (i = 0; i < q; i++) {
    const double *row = po_row(e->R, i);
    r[i] /= row[i];
    if (r[i] != 0) po_axpy(r + i + 1, -r[i], row + i + 1, q - 1 - i);
  }
}

void po_as_solve_kkt(po_as *e, double *x, double *u, const double *g, const double *b) {
  int i, n = e->n, q = e->q;
  double *t = e->v, *v1 = e->r;
  for (i = 0; i < q; i++) v1[i] = b[i];
  po_as_solve_rt(e, v1);
  po_gemv(t, e->JT, g); /* J'g */
  for (i = 0; i < q; i++) {
    u[i] = v1[i] + t[i];
    t[i] = v1[i];
  }
  for (; i < n; i++) t[i] = -t[i];
  po_as_solve_r(e, u, u);
  po_gemv_t(x, e->JT, t);
}

void po_as_add_normals(const po_as *e, double *t, const double *u) {
  int i;
  for (i = 0; i < e->q; i++) {
    double f = e->side[i] > 0 ? u[i] : -u[i];
    int k = e->work[i];
    if (k < e->m) po_axpy(t, f, po_as_row(e, k), e->n);
    else t[k - e->m] += f;
  }
}

int po_as_refactor(po_as *e) {
  int i, q = e->q, good = 1, equalities = e->equalities;
  po_as_reset(e);
  e->equalities = 0;
  for (i = 0; i < q; i++) { /* W is rebuilt in place: position e->q never overtakes i */
    int k = e->work[i], side = e->side[i];
    double u = e->u[i];
    po_as_project(e, k, side);
    if (!po_as_independent(e, k)) {
      good = 0;
      if (i < equalities) e->state[k] = 2;
      continue;
    }
    po_as_add(e, k, side, u);
    if (i < equalities) e->equalities++;
  }
  return good;
}
