/* ip_rays.c: proofs that there is no solution.
 *
 * Nonconvex: the Cholesky factorization of H + tiny stops at row k; then d = (−H_k^-1 h, 1, 0) has d'Hd = the pivot < 0.
 *
 * Infeasible: among all x within the bounds take the one that violates the rows least, min ½‖violation‖². It always exists, the
 * engine finds it with the elastic term E = 1 and no cost, and its multipliers lam = violation satisfy G'lam + w = 0 with
 * lam'b + ... = ‖lam‖² + (what the bounds add) > 0 unless the rows can be satisfied: the Farkas ray of least norm.
 *
 * Unbounded: the projection of −g onto the directions in which nothing ends,  min ½‖d + g‖²  s.t.  A d = 0, C d and d of the right
 * sign where there is a finite bound, H d = 0. It always exists, and g'd = −‖d‖² < 0 unless the cost cannot fall forever.
 * H d = 0 is kept by the method of multipliers: minimize with (M/2) d'Hd added, then g += M H d, a few times. */
#include "ip_internal.h"
#include <math.h>

#define IPR_STEPS 80         /* engine steps for one proof */
#define IPR_PENALTY 1e8      /* M, in the scaled space where H is about one */
#define IPR_OUTER 3          /* rounds of the method of multipliers: each takes off a factor of M times the least curvature */
#define IPR_RANK 1e-11       /* what is left of a row when it depends on the others */
#define IPR_ROUNDS 8
#define IPR_EXACT 1e-11      /* residuals, relative to the ray, at which it is offered for checking */
#define IPR_CLEAN 1e-7       /* multipliers below this share of the largest are left out of a Farkas ray when it holds without them */

/* ---- nonconvex ----------------------------------------------------------------------------------------------------------- */

/* Variables whose convexity has to be looked at together, into `var`, ascending: the coupled ones of the core, and those that were taken out
 * because their bounds are equal, when H couples them with any other. Returns their number. */
static int ipr_coupled(int *var, const ip_core *c, const po_qp *p) {
  int count = 0;
  for (int i = 0; i < c->nd; i++) var[count++] = c->var[i];
  if (c->n == p->n) return count;
  count = 0;
  for (int j = 0; j < p->n; j++)
    for (int k = 0; k < p->n; k++)
      if (k != j && PO_AT(p->H, j, k) != 0) {
        var[count++] = j;
        break;
      }
  return count;
}

/* The others stand alone: a negative entry of the diagonal is a proof. */
static int ipr_negative_alone(po_qp_solver *s, const po_qp *p, const int *var, int count) {
  for (int j = 0, at = 0; j < p->n; j++) {
    if (at < count && var[at] == j) {
      at++;
    } else if (PO_AT(p->H, j, j) < 0) {
      for (int i = 0; i < p->n; i++) s->ray[i] = i == j;
      return 1;
    }
  }
  return 0;
}

/* Of the caller's H: a variable with equal bounds makes no difference to where the cost can go, but a status that came and went with
 * its bounds would be hard to explain, and the other method looks at all of H too. */
int po_ip_prove_nonconvex(ip_core *c, po_qp_solver *s, const po_qp *p) {
  int k = 0, count, proven, *var;
  size_t mark = po_arena_mark(&s->scratch);
  double largest = 0, *d = c->r1;
  if (!p->H.a) return 0;
  var = PO_ARENA_ARRAY(&s->scratch, int, p->n);
  if (!var) return 0;
  count = ipr_coupled(var, c, p);
  po_mat K = po_mat_of(c->K.a, count, count, c->K.ld);
  for (int i = 0; i < count; i++) {
    const double *h = po_row(p->H, var[i]);
    double *to = po_row(K, i), di = c->cost * c->col_scale[var[i]];
    for (int j = 0; j <= i; j++) {
      to[j] = di * h[var[j]] * c->col_scale[var[j]];
      largest = po_max(largest, po_abs(to[j])); /* on the diagonal, unless H is indefinite: there may be nothing on it */
    }
  }
  for (int i = 0; i < count; i++) PO_AT(K, i, i) += IP_CURVATURE * po_abs(PO_AT(K, i, i)) + IP_CURVATURE_FLOOR * largest;
  proven = ipr_negative_alone(s, p, var, count);
  if (!proven && count > 0 && po_cholesky(K, &k, K) != PO_OK) {
    proven = 1;
    for (int i = 0; i < k; i++) d[i] = -PO_AT(p->H, var[k], var[i]) * c->cost * c->col_scale[var[k]] * c->col_scale[var[i]];
    po_cholesky_solve(d, po_mat_of(K.a, k, k, K.ld));
    for (int j = 0; j < p->n; j++) s->ray[j] = 0;
    for (int i = 0; i < k; i++) s->ray[var[i]] = c->col_scale[var[i]] * d[i];
    s->ray[var[k]] = c->col_scale[var[k]];
  }
  po_arena_release(&s->scratch, mark);
  return proven && po_qp_check_nonconvex(s, p);
}

/* ---- infeasible ---------------------------------------------------------------------------------------------------------- */

static int ipr_offer_farkas(ip_core *c, po_qp_solver *s, const po_qp *p) {
  double least = IPR_CLEAN * po_norm_inf(c->lam, c->m);
  for (int clean = 1; clean >= 0; clean--) {
    po_ip_export_multipliers(c, p, s, 0);
    if (clean)
      for (int i = 0; i < c->m; i++)
        if (po_abs(c->lam[i]) < least) {
          if (c->row[i] < p->me) s->y[c->row[i]] = 0;
          else s->z[c->row[i] - p->me] = 0;
        }
    if (po_qp_check_infeasible(s, p, NULL)) return 1;
  }
  return 0;
}

int po_ip_prove_infeasible(ip_core *c, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, int *iterations) {
  int row_at;
  double alpha, row_sign;
  if (!po_ip_build(c, p, IP_FEAS, opts->tol_primal, &row_at, &row_sign)) return 0;
  c->refine = IP_REFINE_MAX;
  if (!po_ip_start(c)) return 0;
  for (int k = 0; k < IPR_STEPS; k++) {
    double size;
    po_ip_measure(c);
    size = po_norm_inf(c->lam, c->m);
    if (size <= 1e-2 * opts->tol_primal * (1.0 + c->x_norm) && c->dual <= opts->tol_dual) break; /* the rows can be satisfied */
    if (po_norm_inf(c->rd, c->n) <= 1e-6 * size && c->primal <= 1e-6) {
      po_ip_state_from_sides(c);
      c->best_merit = PO_INF; /* keep this one, whatever came before */
      po_ip_keep_best(c);
      if (po_norm_inf(c->rd, c->n) <= IPR_EXACT * size && ipr_offer_farkas(c, s, p)) return 1;
      if (po_ip_hold(c, IP_REFINE_MAX) && ipr_offer_farkas(c, s, p)) return 1;
      po_ip_back_to_best(c);
    }
    if (!po_ip_step(c, &alpha)) break;
    ++*iterations;
  }
  po_ip_export_x(c, p, s->x); /* violates the rows least: an unbounded problem tells it */
  return 0;
}

/* ---- unbounded ----------------------------------------------------------------------------------------------------------- */

static int ipr_offer_direction(ip_core *c, po_qp_solver *s, const po_qp *p) {
  po_ip_export_x(c, p, s->ray);
  return po_qp_check_unbounded(s, p);
}

/* g += M H d: the multipliers of H d = 0. Reads hx = (M H + 1) d. */
static void ipr_multiplier_step(ip_core *c) {
  for (int j = 0; j < c->n; j++) c->g[j] += c->hx[j] - c->prox * c->x[j];
}

/* ---- an exact direction from an approximate one -- */

/* Rows that must vanish along the ray, each divided by its largest entry, with the columns of variables that cannot move set to zero:
 * H's go into K, held rows of G into W. Neither factor is needed any more. */
static void ipr_gather(ip_core *c, po_mat to[2], const signed char *free_column) {
  int n = c->n, rows[2] = {0, 0};
  to[0] = po_mat_of(c->K.a, c->nd, n, c->K.ld);
  to[1] = po_mat_of(c->W.a, c->m, n, c->W.ld);
  for (int i = 0; i < c->nd + c->m; i++) {
    int of_g = i >= c->nd;
    const double *from = of_g ? po_row(c->G, i - c->nd) : po_row(c->H, i);
    double *row = po_row(to[of_g], rows[of_g]), largest = 0;
    if (of_g && !c->state[i - c->nd]) continue;
    for (int j = 0; j < n; j++) {
      row[j] = free_column[j] && (of_g || j < c->nd) ? from[j] : 0.0;
      largest = po_max(largest, po_abs(row[j]));
    }
    if (largest == 0.0) continue;
    po_scale(row, 1.0 / largest, n);
    rows[of_g]++;
  }
  to[0].rows = rows[0];
  to[1].rows = rows[1];
}

/* Takes the components along the row space of R[0], R[1] out of d, by Gram–Schmidt with the largest row first and every
 * subtraction done twice. What is smaller than IPR_RANK of a row has no direction of its own. */
static void ipr_subtract_rows(double *d, po_mat R[2], int n) {
  for (int done = 0; done < R[0].rows + R[1].rows && done < n; done++) {
    double best = 0, *pivot = NULL;
    for (int i = 0; i < R[0].rows + R[1].rows; i++) {
      double *row = i < R[0].rows ? po_row(R[0], i) : po_row(R[1], i - R[0].rows), size = po_dot(row, row, n);
      if (size > best) best = size, pivot = row;
    }
    if (best <= IPR_RANK * IPR_RANK) return;
    po_scale(pivot, 1.0 / sqrt(best), n);
    for (int twice = 0; twice < 2; twice++) po_axpy(d, -po_dot(d, pivot, n), pivot, n);
    for (int i = 0; i < R[0].rows + R[1].rows; i++) {
      double *row = i < R[0].rows ? po_row(R[0], i) : po_row(R[1], i - R[0].rows);
      for (int twice = 0; twice < 2 && row != pivot; twice++) po_axpy(row, -po_dot(row, pivot, n), pivot, n);
    }
    for (int j = 0; j < n; j++) pivot[j] = 0;
  }
}

/* The engine's direction is exact only up to 1/M and the barrier. It lies on some rows and bounds: projected onto all that must
 * vanish it is a ray to rounding, unless it now violates another row, which then joins them. */
static int ipr_project(ip_core *c, po_qp_solver *s, const po_qp *p) {
  po_mat rows[2];
  signed char *free_column = (signed char *)c->q1;
  double *start = c->best_x;
  po_ip_state_from_sides(c);
  for (int j = 0; j < c->n; j++) start[j] = c->x[j];
  for (int round = 0; round < IPR_ROUNDS; round++) {
    for (int j = 0; j < c->n; j++) {
      free_column[j] = c->state[c->m + j] == 0 && c->hdiag[j] == 0.0;
      c->x[j] = free_column[j] ? start[j] : 0.0;
    }
    ipr_gather(c, rows, free_column);
    ipr_subtract_rows(c->x, rows, c->n);
    if (!(po_norm_inf(c->x, c->n) > 1e-6 * po_norm_inf(start, c->n))) return 0;
    if (ipr_offer_direction(c, s, p)) return 1;
    if (c->m > 0) po_gemv(c->v, c->G, c->x);
    if (po_ip_revise(c, 0) == 0) return 0;
  }
  return 0;
}

int po_ip_prove_unbounded(ip_core *c, po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, int *iterations) {
  int row_at;
  double alpha, row_sign;
  if (!po_ip_build(c, p, IP_RAY, opts->tol_primal, &row_at, &row_sign) || c->n == 0) return 0;
  c->refine = IP_REFINE_MAX;
  c->h_weight = IPR_PENALTY;
  for (int outer = 0; outer < IPR_OUTER; outer++) {
    double size = 0;
    c->dense_ready = 0; /* the factors' memory has been used for something else */
    if (!po_ip_start(c)) return 0;
    for (int k = 0; k < IPR_STEPS; k++) {
      po_ip_measure(c);
      size = po_norm_inf(c->x, c->n);
      if (po_max(c->primal, po_max(c->dual, c->gap)) <= 1e-9) break;
      if (!po_ip_step(c, &alpha)) return 0;
      ++*iterations;
    }
    if (size <= 1e-7 * po_norm_inf(c->g, c->n)) return 0; /* nothing left of −g: the cost cannot fall forever */
    if (ipr_offer_direction(c, s, p)) return 1;
    ipr_multiplier_step(c);
    if (ipr_project(c, s, p)) return 1;
  }
  return 0;
}
