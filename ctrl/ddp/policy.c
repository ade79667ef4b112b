/* policy.c: a solved plan as a feedback law: what to do now for a state, a goal and an end that are not the plan's.
 *
 * At phase s (frames, not whole) with δx = x − X(s) and the goal moved by Δψ, the multipliers and parameters that keep the
 * first-order conditions are
 *
 *   (Vmm − Σ) δμ + Vmp δp = Δψ − Vmx δx + Vmm ρΔψ       the goal is met, or missed by Σδμ where Σ gives it compliance
 *   Vpm δμ + Vpp δp = −Vpx δx + Vpm ρΔψ                 the parameters stay best
 *   u = U + K δx + Km (δμ − ρΔψ) + Kp δp                within its bounds
 *
 * The ρ terms: V was computed with ½ρ|ψ|² about the plan's goal, and with the goal that moves too: (μ − ρΔψ)'ψ + ½ρ|ψ|² is the
 * same function. Without them a compliant end would give most of a goal's move away (15 of 20 cm of a stair), as if the plan had
 * been pulled off its own goal.
 *
 * A parameter that stretches time makes the phase run at 1/(1 + θ). Value terms are interpolated between frames; controls, gains
 * and contacts are those of the frame that s lies in, so that control and contacts never disagree. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

po_ddp_policy_opts po_ddp_policy_opts_default(void) {
  po_ddp_policy_opts o;
  memset(&o, 0, sizeof o);
  o.time = -1;
  o.rate_min = 0.5;
  o.rate_max = 2;
  return o;
}

/* ---- the plan between frames
 * --------------------------------------------------------------------------------------------------------- */

/* The frame that the phase lies in, and how far into it, 0 … 1. */
static int policy_frame(const po_ddp *d, double phase, double *into) {
  double s = po_clamp(phase, 0, d->N);
  int k = (int)floor(s);
  if (k >= d->N) k = d->N - 1;
  *into = s - k;
  return k;
}

void po_ddp_policy_state(double *x, const po_ddp *d, double phase) {
  double w;
  int k = policy_frame(d, phase, &w);
  const double *a = ddp_x(d, &d->now, k), *b = ddp_x(d, &d->now, k + 1);
  for (int i = 0; i < d->nx; i++) x[i] = a[i] + w * (b[i] - a[i]);
}

/* The second-order terms at the phase, where the line between two frames is as good as the terms are. */
static void policy_value(po_mat V, const po_ddp *d, double phase) {
  double w;
  int k = policy_frame(d, phase, &w);
  po_mat a = ddp_value(d, k), b = ddp_value(d, k + 1);
  for (int i = 0; i < d->ny; i++)
    for (int j = 0; j < d->ny; j++) PO_AT(V, i, j) = (1 - w) * PO_AT(a, i, j) + w * PO_AT(b, i, j);
}

static void policy_weigh(po_mat V, const po_ddp *d, const double *weight) {
  for (int i = 0; i < d->np && weight; i++) PO_AT(V, d->nx + i, d->nx + i) += weight[i];
}

/* ---- the law
 * --------------------------------------------------------------------------------------------------------------------------------- */

size_t po_ddp_policy_bytes(po_ddp_sizes s) {
  int ny = s.nx + s.np + s.ng;
  return po_ddp_saddle_bytes(s.np, s.ng) + po_mat_bytes(ny, ny) + po_mat_bytes(s.ng, s.ng) +
         sizeof(double) * (size_t)(3 * s.nx + 4 * s.ng + 5 * s.np) + 1024;
}

/* Bounds of δp: nothing for those that are not free, the stretch that the rates allow for time. In `append` θ belongs to the last
 * frame alone, and all that is left, N − s frames, is hurried or slowed together: it may take θ up to what the rates make of N − s
 * frames. */
static void policy_bounds(double *lo, double *hi, const po_ddp *d, double phase, const po_ddp_policy_opts *o) {
  double left = o->append ? po_max(d->N - phase, 1) : 1;
  for (int i = 0; i < d->np; i++) {
    int free_one = o->p_free && o->p_free[i];
    lo[i] = !free_one ? 0 : i == o->time ? left * (1 / o->rate_max - 1) : -PO_INF;
    hi[i] = !free_one ? 0 : i == o->time ? left * (1 / o->rate_min - 1) : PO_INF;
  }
}

/* E = S − ρ: what the plan's own weight of the goal lacks to the stiffness asked for. */
static void policy_stiffness(ddp_saddle *q, const po_ddp *d, const double *stiffness, po_arena *scratch) {
  double *unit = PO_ARENA_ARRAY(scratch, double, d->ng);
  memset(&q->E, 0, sizeof q->E);
  q->unit = unit;
  if (!stiffness || scratch->failed) return;
  q->E = po_arena_mat(scratch, d->ng, d->ng);
  if (scratch->failed) return;
  for (int i = 0; i < d->ng; i++) {
    for (int j = 0; j < d->ng; j++) PO_AT(q->E, i, j) = stiffness[i * d->ng + j] - (i == j ? d->rho[i] : 0);
    unit[i] = d->rho[i] > 0 ? sqrt(d->rho[i]) : 1;
  }
}

/* Where the end comes to lie, from the plan's own: ψ = Vmx δx + Vmp δp + Vmm (δμ − ρΔψ), less the move of the goal. */
static void policy_miss(double *miss, const po_ddp *d, po_mat V, const double *dx, const double *dp, const double *dmu, const double *pull,
                        const double *goal_shift) {
  int nx = d->nx, xp = nx + d->np;
  for (int i = 0; i < d->ng; i++) {
    const double *row = po_row(V, xp + i);
    miss[i] = po_dot(row, dx, nx) + po_dot(row + nx, dp, d->np) + po_dot(row + xp, dmu, d->ng) - po_dot(row + xp, pull, d->ng) -
              (goal_shift ? goal_shift[i] : 0);
  }
}

po_status po_ddp_policy(po_ddp_policy_result *out, const po_ddp *d, double phase, const double *x, const double *goal_shift,
                        const po_ddp_policy_opts *opts, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int nx = d->nx, np = d->np, ng = d->ng, xp = nx + np, k;
  po_mat V = po_arena_mat(scratch, d->ny, d->ny), W;
  double *dx = PO_ARENA_ARRAY(scratch, double, nx), *rm = PO_ARENA_ARRAY(scratch, double, ng),
         *rp = PO_ARENA_ARRAY(scratch, double, np);
  double *lo = PO_ARENA_ARRAY(scratch, double, np), *hi = PO_ARENA_ARRAY(scratch, double, np);
  double *pull = PO_ARENA_ARRAY(scratch, double, ng), w;
  ddp_saddle q;
  po_status status;
  if (scratch->failed) return PO_ERR_MEMORY;
  if (!d->head.valid) return PO_ERR_STATE;
  if (!po_isfinite(phase) || !po_all_finite(x, nx) || (goal_shift && !po_all_finite(goal_shift, ng))) return PO_ERR_NOT_FINITE;
  if (!(opts->rate_min > 0 && opts->rate_min <= 1 && opts->rate_max >= 1 && po_isfinite(opts->rate_max)) || opts->time >= np)
    return PO_ERR_RANGE;
  po_ddp_policy_state(dx, d, phase);
  for (int i = 0; i < nx; i++) dx[i] = x[i] - dx[i];
  policy_value(V, d, phase);
  policy_weigh(V, d, opts->p_weight);
  for (int i = 0; i < ng; i++) pull[i] = goal_shift ? d->rho[i] * goal_shift[i] : 0;
  for (int i = 0; i < ng; i++)
    rm[i] = (goal_shift ? goal_shift[i] : 0) - po_dot(po_row(V, xp + i), dx, nx) + po_dot(po_row(V, xp + i) + xp, pull, ng);
  for (int i = 0; i < np; i++) rp[i] = -po_dot(po_row(V, nx + i), dx, nx) + po_dot(po_row(V, nx + i) + xp, pull, ng);
  policy_bounds(lo, hi, d, phase, opts);
  q.V = V;
  q.np = np;
  q.ng = ng;
  q.rm = rm;
  q.rp = rp;
  q.lo = lo;
  q.hi = hi;
  q.compliance = opts->compliance;
  policy_stiffness(&q, d, opts->stiffness, scratch);
  if (scratch->failed) return PO_ERR_MEMORY;
  status = po_ddp_saddle_solve(out->dmu, out->dp, &q, scratch);
  if (status == PO_OK && out->miss) policy_miss(out->miss, d, V, dx, out->dp, out->dmu, pull, goal_shift);
  k = policy_frame(d, phase, &w);
  W = ddp_gains(d, k);
  for (int i = 0; i < W.rows && status == PO_OK; i++) {
    const double *row = po_row(W, i);
    double u = ddp_u(d, d->now.u, k)[i] + po_dot(row, dx, nx) + po_dot(row + nx, out->dp, np) + po_dot(row + xp, out->dmu, ng) -
               po_dot(row + xp, pull, ng);
    out->u[i] = po_clamp(u, opts->lower ? opts->lower[i] : -PO_INF, opts->upper ? opts->upper[i] : PO_INF);
  }
  out->frame = k;
  out->nu = W.rows;
  out->rate = 1;
  if (status == PO_OK && opts->time >= 0) {
    double left = opts->append ? po_max(d->N - phase, 1) : 1;
    out->rate = po_clamp(left / (left + out->dp[opts->time]), opts->rate_min, opts->rate_max);
  }
  po_arena_release(scratch, mark);
  return status;
}

/* What the law makes of the value's second order in x: V_xx + V_xm dδμ/dx + V_xp dδp/dx. */
po_status po_ddp_policy_hessian(double *H, const po_ddp *d, double phase, const po_ddp_policy_opts *opts, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int nx = d->nx, np = d->np, ng = d->ng, xp = nx + np;
  po_mat V = po_arena_mat(scratch, d->ny, d->ny);
  double *rm = PO_ARENA_ARRAY(scratch, double, ng), *rp = PO_ARENA_ARRAY(scratch, double, np), *lo = PO_ARENA_ARRAY(scratch, double, np);
  double *hi = PO_ARENA_ARRAY(scratch, double, np), *dmu = PO_ARENA_ARRAY(scratch, double, ng), *dp = PO_ARENA_ARRAY(scratch, double, np);
  po_status status = PO_OK;
  ddp_saddle q;
  if (scratch->failed) return PO_ERR_MEMORY;
  if (!d->head.valid) return PO_ERR_STATE;
  if (!po_isfinite(phase)) return PO_ERR_NOT_FINITE;
  policy_value(V, d, phase);
  policy_weigh(V, d, opts->p_weight);
  for (int i = 0; i < np; i++) {
    lo[i] = opts->p_free && opts->p_free[i] ? -PO_INF : 0;
    hi[i] = -lo[i];
  }
  q.V = V, q.np = np, q.ng = ng;
  q.rm = rm, q.rp = rp, q.lo = lo, q.hi = hi;
  q.compliance = opts->compliance;
  policy_stiffness(&q, d, opts->stiffness, scratch);
  if (scratch->failed) return PO_ERR_MEMORY;
  for (int j = 0; j < nx && status == PO_OK; j++) {
    for (int i = 0; i < ng; i++) rm[i] = -PO_AT(V, xp + i, j);
    for (int i = 0; i < np; i++) rp[i] = -PO_AT(V, nx + i, j);
    status = po_ddp_saddle_solve(dmu, dp, &q, scratch);
    for (int i = 0; i < nx && status == PO_OK; i++)
      H[i * nx + j] = PO_AT(V, i, j) + po_dot(po_row(V, i) + nx, dp, np) + po_dot(po_row(V, i) + xp, dmu, ng);
  }
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < i; j++) H[i * nx + j] = H[j * nx + i] = 0.5 * (H[i * nx + j] + H[j * nx + i]);
  po_arena_release(scratch, mark);
  return status;
}

/* ---- the price of time
 * ------------------------------------------------------------------------------------------------------------------------ */

/* Vp of frame k less that of frame k+1 is what frame k pays for p: h' (l + f_h'V_x). A price of minus that per second makes its
 * own timing best from every frame on, and Vp zero all along. */
void po_ddp_policy_price(double *price, const po_ddp *d, int time, double seconds_per_stretch) {
  for (int k = 0; k < d->N; k++) {
    double pays = ddp_slope(d, k)[d->nx + time] - ddp_slope(d, k + 1)[d->nx + time];
    price[k] = -pays / seconds_per_stretch;
  }
}

/* ---- the paper's index
 * ----------------------------------------------------------------------------------------------------------------------------- */

/* r(c) = (t − c) h − dt_f(δx), δx = x − X(c) − (t − c) h dX/dt: the change of the end that δx asks for against the one that using
 * frame c at time t amounts to. */
static po_status policy_residual(double *r, po_ddp_policy_result *out, double *dx, const po_ddp *d, double t, int c,
                                 const double *x, const double *goal_shift, const po_ddp_policy_opts *o, po_arena *scratch) {
  const double *a = ddp_x(d, &d->now, c), *b = ddp_x(d, &d->now, c + 1 <= d->N ? c + 1 : c);
  po_status status;
  for (int i = 0; i < d->nx; i++) dx[i] = x[i] - (t - c) * (b[i] - a[i]);
  status = po_ddp_policy(out, d, c, dx, goal_shift, o, scratch);
  if (status == PO_OK) *r = (t - c) - out->dp[o->time];
  return status;
}

po_status po_ddp_policy_index(double *index, po_ddp_policy_result *out, const po_ddp *d, double t, double last, int reach,
                              const double *x, const double *goal_shift, const po_ddp_policy_opts *opts, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  double *dx = PO_ARENA_ARRAY(scratch, double, d->nx), before = 0, best = PO_INF;
  int from = (int)po_clamp(floor(last) - reach, 0, d->N - 1), to = (int)po_clamp(floor(last) + reach + 1, 0, d->N - 1);
  po_status status = PO_OK;
  if (scratch->failed) return PO_ERR_MEMORY;
  if (opts->time < 0 || !opts->append) return PO_ERR_UNSUPPORTED;
  *index = po_clamp(last, 0, d->N - 1);
  for (int c = from; c <= to && status == PO_OK; c++) {
    double r = 0, at, far;
    status = policy_residual(&r, out, dx, d, t, c, x, goal_shift, opts, scratch);
    if (status != PO_OK) break;
    /* a crossing between two frames is a solution; of several the nearest to the last index counts, and it beats any frame that is
     * merely near */
    at = c > from && (r > 0) != (before > 0) ? c - 1 + before / (before - r) : c;
    far = po_abs(at - last) / (reach + 1) + (at == c ? 1e3 * po_abs(r) + 1 : 0);
    if (far < best) {
      best = far;
      *index = at;
    }
    before = r;
  }
  po_arena_release(scratch, mark);
  return status;
}
