/* momentum.c: a body reduced to its centre of mass and momenta, driven by contact forces (Ye & Liu 2010, section 4).
 *
 * Forces are constant within a frame of length h, and the COM moves under them, so with S = Σf_i, T = Σ(c_i − C)×f_i at the
 * frame's start the step is an exact polynomial:
 *
 *   C+ = C + h P/M + h²/2 (S/M + g)       L+ = L + h T − h²/2M P×S − h³/6 g×S
 *   P+ = P + h (S + M g)                   Φ+ = Φ + h L + h²/2 T − h³/6M P×S − h⁴/24 g×S
 *
 * A known push (force F about the COM, moment m) is gravity g + F/M and a T that is larger by m. Second derivatives of λ'f follow
 * from
 *
 *   λ'f ∋ α·T − β·(P×S)/M − γ·(g×S),   α = hℓ + h²/2 φ,  β = h²/2 ℓ + h³/6 φ,  γ = h³/6 ℓ + h⁴/24 φ,   λ = (a, b, φ, ℓ),
 *
 * where β' = α and γ' = β in h, which is why the derivatives in time are as short as they are. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

/* What the callbacks need, behind problem->user. */
typedef struct mom_context {
  const po_momentum *m;
  double unit[12], rho[12], p_lower[1], p_upper[1];
} mom_context;

/* One frame at one state: everything that step and derivatives share. */
typedef struct mom_frame {
  const po_momentum *m;
  int points, rays, first;
  double h, dh; /* the frame's length, and its derivative by θ */
  po_vec3 C, P, Phi, L, g, S, T;
  const double *shift; /* footholds × 3, or NULL */
} mom_frame;

static int mom_parameters(const po_momentum *m) { return (m->time != PO_MOMENTUM_TIME_FIXED) + 3 * m->footholds; }

static double mom_time_weight(const po_momentum *m, int k) {
  return m->time == PO_MOMENTUM_TIME_STRETCH || (m->time == PO_MOMENTUM_TIME_APPEND && k == m->frames - 1);
}

static int mom_foothold(const mom_frame *f, int i) { return f->m->foothold && f->m->footholds ? f->m->foothold[f->first + i] : -1; }

static po_vec3 mom_point(const mom_frame *f, int i) {
  po_vec3 c = po_v3_of(f->m->points + 3 * (f->first + i));
  int j = mom_foothold(f, i);
  return j >= 0 && f->shift ? po_v3_add(c, po_v3_of(f->shift + 3 * j)) : c;
}

static po_vec3 mom_force(const mom_frame *f, int i, const double *u) {
  po_vec3 sum = po_v3(0, 0, 0);
  for (int r = 0; r < f->rays; r++) sum = po_v3_addscaled(sum, u[i * f->rays + r], po_v3_of(f->m->rays + 3 * r));
  return sum;
}

static void mom_enter(mom_frame *f, const po_momentum *m, int k, const double *x, const double *u, const double *p) {
  f->m = m;
  f->points = m->point_count[k];
  f->first = m->point_first[k];
  f->rays = m->ray_count;
  f->dh = m->dt * mom_time_weight(m, k);
  f->h = m->dt + (m->time != PO_MOMENTUM_TIME_FIXED && p ? f->dh * p[0] : 0);
  f->shift = p && m->footholds ? p + (m->time != PO_MOMENTUM_TIME_FIXED) : NULL;
  f->C = po_v3_of(x + PO_MOMENTUM_C);
  f->P = po_v3_of(x + PO_MOMENTUM_P);
  f->Phi = po_v3_of(x + PO_MOMENTUM_PHI);
  f->L = po_v3_of(x + PO_MOMENTUM_L);
  f->g = m->gravity;
  f->S = f->T = po_v3(0, 0, 0);
  if (m->push) {
    f->g = po_v3_addscaled(f->g, 1 / m->mass, po_v3_of(m->push + 6 * k));
    f->T = po_v3_of(m->push + 6 * k + 3);
  }
  for (int i = 0; i < f->points; i++) {
    po_vec3 force = mom_force(f, i, u);
    f->S = po_v3_add(f->S, force);
    f->T = po_v3_add(f->T, po_v3_cross(po_v3_sub(mom_point(f, i), f->C), force));
  }
}

/* Cost of a second at this state and control. */
static double mom_rate(const mom_frame *f, int k, const double *x, const double *u) {
  const po_momentum *m = f->m;
  const double *ref = m->reference + 12 * k;
  double sum = m->price ? m->price[k] : 0;
  for (int i = 0; i < 12; i++) sum += m->w_state[i] * x[i] * x[i] + m->w_track[i] * (x[i] - ref[i]) * (x[i] - ref[i]);
  for (int i = 0; i < f->points; i++) {
    po_vec3 force = mom_force(f, i, u);
    sum += m->w_force * po_v3_dot(force, force);
    for (int r = 0; r < f->rays; r++) sum += m->w_rays * u[i * f->rays + r] * u[i * f->rays + r];
  }
  return sum;
}

/* ---- the step ------------------------------------------------------------------------------------------------------------------
 * */

static po_status mom_step(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  const po_momentum *m = ((const mom_context *)user)->m;
  mom_frame f;
  po_vec3 PS, gS, a;
  double h, M = m->mass;
  mom_enter(&f, m, k, x, u, p);
  h = f.h;
  PS = po_v3_scale(1 / M, po_v3_cross(f.P, f.S));
  gS = po_v3_cross(f.g, f.S);
  a = po_v3_addscaled(f.g, 1 / M, f.S);
  po_v3_to(next + PO_MOMENTUM_C, po_v3_addscaled(po_v3_addscaled(f.C, h / M, f.P), h * h / 2, a));
  po_v3_to(next + PO_MOMENTUM_P, po_v3_addscaled(f.P, h * M, a));
  po_v3_to(next + PO_MOMENTUM_L,
           po_v3_addscaled(po_v3_addscaled(po_v3_addscaled(f.L, h, f.T), -h * h / 2, PS), -h * h * h / 6, gS));
  po_v3_to(next + PO_MOMENTUM_PHI,
           po_v3_addscaled(po_v3_addscaled(po_v3_addscaled(po_v3_addscaled(f.Phi, h, f.L), h * h / 2, f.T), -h * h * h / 6, PS),
                           -h * h * h * h / 24, gS));
  *cost = h * mom_rate(&f, k, x, u);
  return PO_OK;
}

static po_status mom_end(void *user, double *psi, double *cost, const double *x, const double *p) {
  const po_momentum *m = ((const mom_context *)user)->m;
  (void)p;
  for (int i = 0; i < 12; i++) psi[i] = x[i] - m->goal[i];
  *cost = 0;
  return PO_OK;
}

/* ---- derivatives
 * ----------------------------------------------------------------------------------------------------------------- */

/* A(at …) += s [v]× */
static void mom_add_cross(po_mat A, int row, int column, double s, po_vec3 v) {
  PO_AT(A, row, column + 1) -= s * v.z;
  PO_AT(A, row, column + 2) += s * v.y;
  PO_AT(A, row + 1, column) += s * v.z;
  PO_AT(A, row + 1, column + 2) -= s * v.x;
  PO_AT(A, row + 2, column) -= s * v.y;
  PO_AT(A, row + 2, column + 1) += s * v.x;
}
static void mom_add_column(po_mat A, int row, int column, po_vec3 v) {
  PO_AT(A, row, column) += v.x;
  PO_AT(A, row + 1, column) += v.y;
  PO_AT(A, row + 2, column) += v.z;
}
static void mom_add_row(po_mat A, int row, int column, po_vec3 v) {
  PO_AT(A, row, column) += v.x;
  PO_AT(A, row, column + 1) += v.y;
  PO_AT(A, row, column + 2) += v.z;
}

static void mom_state_derivatives(const mom_frame *f, po_ddp_derivatives *d) {
  double h = f->h, M = f->m->mass;
  po_mat_identity(d->fx);
  for (int i = 0; i < 3; i++) {
    PO_AT(d->fx, PO_MOMENTUM_C + i, PO_MOMENTUM_P + i) = h / M;
    PO_AT(d->fx, PO_MOMENTUM_PHI + i, PO_MOMENTUM_L + i) = h;
  }
  mom_add_cross(d->fx, PO_MOMENTUM_L, PO_MOMENTUM_C, h, f->S);
  mom_add_cross(d->fx, PO_MOMENTUM_L, PO_MOMENTUM_P, h * h / (2 * M), f->S);
  mom_add_cross(d->fx, PO_MOMENTUM_PHI, PO_MOMENTUM_C, h * h / 2, f->S);
  mom_add_cross(d->fx, PO_MOMENTUM_PHI, PO_MOMENTUM_P, h * h * h / (6 * M), f->S);
}

/* Columns of one point's rays: f_u, l_u, the cost's curvature. */
static void mom_point_derivatives(const mom_frame *f, int i, const double *u, po_ddp_derivatives *d) {
  const po_momentum *m = f->m;
  double h = f->h, M = m->mass;
  po_vec3 r = po_v3_sub(mom_point(f, i), f->C), force = mom_force(f, i, u);
  po_vec3 arm_L = po_v3_addscaled(po_v3_addscaled(po_v3_scale(h, r), -h * h / (2 * M), f->P), -h * h * h / 6, f->g);
  po_vec3 arm_Phi =
      po_v3_addscaled(po_v3_addscaled(po_v3_scale(h * h / 2, r), -h * h * h / (6 * M), f->P), -h * h * h * h / 24, f->g);
  for (int a = 0; a < f->rays; a++) {
    po_vec3 ray = po_v3_of(m->rays + 3 * a);
    int at = i * f->rays + a;
    mom_add_column(d->fu, PO_MOMENTUM_C, at, po_v3_scale(h * h / (2 * M), ray));
    mom_add_column(d->fu, PO_MOMENTUM_P, at, po_v3_scale(h, ray));
    mom_add_column(d->fu, PO_MOMENTUM_L, at, po_v3_cross(arm_L, ray));
    mom_add_column(d->fu, PO_MOMENTUM_PHI, at, po_v3_cross(arm_Phi, ray));
    d->lu[at] = 2 * h * (m->w_force * po_v3_dot(ray, force) + m->w_rays * u[at]);
    for (int b = 0; b <= a; b++)
      PO_AT(d->Huu, at, i * f->rays + b) =
          2 * h * (m->w_force * po_v3_dot(ray, po_v3_of(m->rays + 3 * b)) + (a == b ? m->w_rays : 0));
  }
}

/* Curvature of λ'f in (u, x) and (u, footholds). */
static void mom_point_curvature(const mom_frame *f, int i, po_vec3 alpha, po_vec3 beta, int shift_at, po_ddp_derivatives *d) {
  int foothold = mom_foothold(f, i);
  for (int a = 0; a < f->rays; a++) {
    po_vec3 ray = po_v3_of(f->m->rays + 3 * a), turn = po_v3_cross(ray, alpha);
    int at = i * f->rays + a;
    mom_add_row(d->Hux, at, PO_MOMENTUM_C, po_v3_neg(turn));
    mom_add_row(d->Hux, at, PO_MOMENTUM_P, po_v3_scale(-1 / f->m->mass, po_v3_cross(ray, beta)));
    if (foothold >= 0) mom_add_row(d->Hup, at, shift_at + 3 * foothold, turn);
  }
}

/* Footholds: L and Φ turn by −h[f]× and −h²/2[f]× with each point. */
static void mom_foothold_derivatives(const mom_frame *f, const double *u, int shift_at, po_ddp_derivatives *d) {
  for (int i = 0; i < f->points; i++) {
    int j = mom_foothold(f, i);
    po_vec3 force;
    if (j < 0) continue;
    force = mom_force(f, i, u);
    mom_add_cross(d->fp, PO_MOMENTUM_L, shift_at + 3 * j, -f->h, force);
    mom_add_cross(d->fp, PO_MOMENTUM_PHI, shift_at + 3 * j, -f->h * f->h / 2, force);
  }
}

/* Time, first derivatives; the cost h l is linear in h. */
static void mom_time_derivatives(const mom_frame *f, int k, const double *x, const double *u, po_ddp_derivatives *d) {
  double h = f->h, M = f->m->mass, dh = f->dh;
  po_vec3 PS = po_v3_scale(1 / M, po_v3_cross(f->P, f->S)), gS = po_v3_cross(f->g, f->S), a = po_v3_addscaled(f->g, 1 / M, f->S);
  mom_add_column(d->fp, PO_MOMENTUM_C, 0, po_v3_scale(dh, po_v3_addscaled(po_v3_scale(1 / M, f->P), h, a)));
  mom_add_column(d->fp, PO_MOMENTUM_P, 0, po_v3_scale(dh * M, a));
  mom_add_column(d->fp, PO_MOMENTUM_L, 0, po_v3_scale(dh, po_v3_addscaled(po_v3_addscaled(f->T, -h, PS), -h * h / 2, gS)));
  mom_add_column(
      d->fp, PO_MOMENTUM_PHI, 0,
      po_v3_scale(dh, po_v3_addscaled(po_v3_addscaled(po_v3_addscaled(f->L, h, f->T), -h * h / 2, PS), -h * h * h / 6, gS)));
  d->lp[0] = dh * mom_rate(f, k, x, u);
  for (int i = 0; i < 12; i++) PO_AT(d->Hpx, 0, i) = dh / h * d->lx[i];
  for (int i = 0; i < f->points * f->rays; i++) PO_AT(d->Hup, i, 0) = dh / h * d->lu[i];
}

/* Time, curvature of λ'f: with x, u, footholds and itself. */
static void mom_time_curvature(const mom_frame *f, const double *u, const double *lambda, int shift_at, po_ddp_derivatives *d) {
  double h = f->h, M = f->m->mass, dh = f->dh;
  po_vec3 a = po_v3_of(lambda), b = po_v3_of(lambda + PO_MOMENTUM_P), phi = po_v3_of(lambda + PO_MOMENTUM_PHI),
          l = po_v3_of(lambda + PO_MOMENTUM_L);
  po_vec3 alpha = po_v3_addscaled(po_v3_scale(h, l), h * h / 2, phi), alpha_1 = po_v3_addscaled(l, h, phi);
  po_vec3 beta = po_v3_addscaled(po_v3_scale(h * h / 2, l), h * h * h / 6, phi), common;
  mom_add_row(d->Hpx, 0, PO_MOMENTUM_C, po_v3_scale(dh, po_v3_cross(alpha_1, f->S)));
  mom_add_row(d->Hpx, 0, PO_MOMENTUM_P, po_v3_scale(dh / M, po_v3_sub(a, po_v3_cross(f->S, alpha))));
  mom_add_row(d->Hpx, 0, PO_MOMENTUM_L, po_v3_scale(dh, phi));
  common = po_v3_sub(po_v3_addscaled(b, h / M, a), po_v3_addscaled(po_v3_cross(beta, f->g), 1 / M, po_v3_cross(alpha, f->P)));
  for (int i = 0; i < f->points; i++) {
    po_vec3 pull = po_v3_add(common, po_v3_cross(alpha_1, po_v3_sub(mom_point(f, i), f->C)));
    int j = mom_foothold(f, i);
    for (int r = 0; r < f->rays; r++) PO_AT(d->Hup, i * f->rays + r, 0) += dh * po_v3_dot(po_v3_of(f->m->rays + 3 * r), pull);
    if (j >= 0) {
      po_vec3 turn = po_v3_scale(dh, po_v3_cross(mom_force(f, i, u), alpha_1));
      mom_add_column(d->Hpp, shift_at + 3 * j, 0, turn);
    }
  }
  PO_AT(d->Hpp, 0, 0) += dh * dh *
                         (po_v3_dot(phi, f->T) - po_v3_dot(alpha_1, po_v3_cross(f->P, f->S)) / M -
                          po_v3_dot(alpha, po_v3_cross(f->g, f->S)) + po_v3_dot(a, po_v3_addscaled(f->g, 1 / M, f->S)));
}

static po_status mom_step_derivatives(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                                      const double *lambda) {
  const po_momentum *m = ((const mom_context *)user)->m;
  const double *ref = m->reference + 12 * k;
  int timed = m->time != PO_MOMENTUM_TIME_FIXED;
  mom_frame f;
  mom_enter(&f, m, k, x, u, p);
  mom_state_derivatives(&f, d);
  for (int i = 0; i < 12; i++) {
    d->lx[i] = 2 * f.h * (m->w_state[i] * x[i] + m->w_track[i] * (x[i] - ref[i]));
    PO_AT(d->Hxx, i, i) = 2 * f.h * (m->w_state[i] + m->w_track[i]);
  }
  for (int i = 0; i < f.points; i++) mom_point_derivatives(&f, i, u, d);
  if (m->footholds) mom_foothold_derivatives(&f, u, timed, d);
  if (timed) mom_time_derivatives(&f, k, x, u, d);
  if (lambda) {
    po_vec3 phi = po_v3_of(lambda + PO_MOMENTUM_PHI), l = po_v3_of(lambda + PO_MOMENTUM_L);
    po_vec3 alpha = po_v3_addscaled(po_v3_scale(f.h, l), f.h * f.h / 2, phi);
    po_vec3 beta = po_v3_addscaled(po_v3_scale(f.h * f.h / 2, l), f.h * f.h * f.h / 6, phi);
    for (int i = 0; i < f.points; i++) mom_point_curvature(&f, i, alpha, beta, timed, d);
    if (timed) mom_time_curvature(&f, u, lambda, timed, d);
  }
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

static po_status mom_end_derivatives(void *user, po_ddp_derivatives *d, const double *x, const double *p, const double *mu) {
  (void)user;
  (void)x;
  (void)p;
  (void)mu;
  po_mat_identity(d->fx);
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

/* ---- scales
 * ------------------------------------------------------------------------------------------------------------------------ */

po_momentum_scales po_momentum_scales_of(double mass, double height, double gravity, int squat) {
  po_momentum_scales s;
  double l = height, g = gravity, T = sqrt(l / g), weight = mass * g;
  /* the paper's 500, 500, 1, 1 (walk) and 20, 200, 1, 1 (squat) for 78 kg and 0.95 m */
  double w_P = (squat ? 1.9 : 48) * g / l, w_L = (squat ? 18 : 44) * g / (l * l * l);
  double w_C = 1.5e-6 * (weight / l) * (weight / l), w_Phi = 8.5e-3 * (g / (l * l)) * (g / (l * l));
  double unit[4], rho[4] = {30, 310, 27, 280};
  unit[0] = l;
  unit[1] = mass * l / T;
  unit[2] = mass * l * l;
  unit[3] = mass * l * l / T;
  memset(&s, 0, sizeof s);
  s.w_force = 1;
  s.w_rays = 1e-6;
  for (int i = 0; i < 12; i++) {
    int block = i / 3, upright = i % 3 == 2 && block < 2;
    s.unit[i] = unit[block];
    s.goal_weight[i] = rho[block] * weight * weight * T / (unit[block] * unit[block]);
    s.compliance[i] = 1 / (s.goal_weight[i] * (upright ? 100 : 1)); /* heights are kept: stairs */
    s.w_track[i] = block == 0 ? w_C : block == 1 ? w_P : 0;
    s.w_state[i] = block == 2 ? w_Phi : block == 3 ? w_L : 0;
  }
  return s;
}

/* Height of the COM over its contacts, what a file does not tell: of the start over the mean of all points, along gravity. */
static double mom_height(const po_momentum *m) {
  po_vec3 up = po_v3_unit(po_v3_neg(m->gravity)), mean = po_v3(0, 0, 0);
  int count = 0;
  double height;
  for (int k = 0; k < m->frames; k++)
    for (int i = 0; i < m->point_count[k]; i++, count++) mean = po_v3_add(mean, po_v3_of(m->points + 3 * (m->point_first[k] + i)));
  if (!count) return 1;
  height = po_v3_dot(up, po_v3_sub(po_v3_of(m->start), po_v3_scale(1.0 / count, mean)));
  return height > 0.01 && height < 100 ? height : 1;
}

/* ---- the model as a problem
 * --------------------------------------------------------------------------------------------------------- */

static int mom_most_controls(const po_momentum *m) {
  int most = 0;
  for (int k = 0; k < m->frames; k++) most = m->point_count[k] > most ? m->point_count[k] : most;
  return most * m->ray_count;
}

static void mom_lay_out(const po_momentum *m, po_arena *a, mom_context **c, int **nu, double **lower, double **p_bounds) {
  int np = mom_parameters(m);
  *c = (mom_context *)po_arena_zalloc(a, sizeof **c);
  *nu = PO_ARENA_ARRAY(a, int, m->frames);
  *lower = PO_ARENA_ZARRAY(a, double, (size_t)m->frames *(size_t)mom_most_controls(m));
  *p_bounds = PO_ARENA_ARRAY(a, double, 2 * np);
}

size_t po_momentum_problem_bytes(const po_momentum *m) {
  po_arena a;
  mom_context *c;
  int *nu;
  double *lower, *bounds;
  po_arena_measure(&a);
  mom_lay_out(m, &a, &c, &nu, &lower, &bounds);
  return po_arena_used(&a);
}

/* A step may take half or twice its time, and no foothold has bounds of its own. */
#define MOM_STRETCH_LEAST (-0.5)
#define MOM_STRETCH_MOST 1.0

po_status po_momentum_problem(po_ddp_problem *problem, const po_momentum *m, void *mem, size_t bytes, po_error *err) {
  po_status status = po_momentum_check(m, err);
  po_arena a;
  mom_context *c;
  int *nu, np;
  double *lower, *bounds, g;
  po_momentum_scales s;
  if (status != PO_OK) return status;
  if (!mem || !problem) return po_fail(err, PO_ERR_NULL, "no memory for the problem");
  po_arena_init(&a, mem, bytes);
  mom_lay_out(m, &a, &c, &nu, &lower, &bounds);
  if (a.failed) return po_fail(err, PO_ERR_MEMORY, "po_momentum_problem_bytes are needed");
  g = po_v3_norm(m->gravity);
  s = po_momentum_scales_of(m->mass, mom_height(m), g > 0 ? g : 9.81, 0);
  np = mom_parameters(m);
  c->m = m;
  memcpy(c->unit, s.unit, sizeof c->unit);
  memcpy(c->rho, s.goal_weight, sizeof c->rho);
  for (int k = 0; k < m->frames; k++) nu[k] = m->point_count[k] * m->ray_count;
  for (int i = 0; i < np; i++) {
    int time = i == 0 && m->time != PO_MOMENTUM_TIME_FIXED;
    bounds[i] = time ? MOM_STRETCH_LEAST : -PO_INF;
    bounds[np + i] = time ? MOM_STRETCH_MOST : PO_INF;
  }
  memset(problem, 0, sizeof *problem);
  problem->size.frames = m->frames;
  problem->size.nx = PO_MOMENTUM_NX;
  problem->size.nu = mom_most_controls(m);
  problem->size.ng = PO_MOMENTUM_NX;
  problem->size.np = np;
  problem->nu = nu;
  problem->start = m->start;
  problem->lower = lower;
  problem->p_lower = bounds;
  problem->p_upper = bounds + np;
  problem->goal_scale = c->unit;
  problem->goal_weight = c->rho;
  problem->user = c;
  problem->step = mom_step;
  problem->end = mom_end;
  problem->step_derivatives = mom_step_derivatives;
  problem->end_derivatives = mom_end_derivatives;
  return PO_OK;
}

void po_momentum_forces(double *forces, po_vec3 *sum, const po_momentum *m, int k, const double *u) {
  static const double nowhere[12] = {0};
  mom_frame f;
  mom_enter(&f, m, k, nowhere, u, NULL);
  if (sum) *sum = f.S;
  for (int i = 0; i < f.points && forces; i++) po_v3_to(forces + 3 * i, mom_force(&f, i, u));
}

/* ---- forces for momentum rates
 * --------------------------------------------------------------------------------------------------------- */

/* How much a ray's share of the weight counts beside an error of the whole force: enough to spread forces evenly, too little to
 * bend their sum. */
#define MOM_FIT_SPREAD 1e-3

typedef struct mom_fit {
  po_mat H, L, A;
  double *g, *lo, *hi, *work;
  int *index;
  signed char *clamped;
} mom_fit;

static int mom_lay_fit(mom_fit *f, int n, po_arena *a) {
  f->H = po_arena_mat(a, n, n);
  f->L = po_arena_mat(a, n, n);
  f->A = po_arena_mat(a, 6, n);
  f->g = PO_ARENA_ZARRAY(a, double, n);
  f->lo = PO_ARENA_ZARRAY(a, double, n);
  f->hi = PO_ARENA_ZARRAY(a, double, n);
  f->work = PO_ARENA_ZARRAY(a, double, 3 * n);
  f->index = PO_ARENA_ZARRAY(a, int, n);
  f->clamped = (signed char *)po_arena_zalloc(a, (size_t)n);
  return !a->failed;
}

size_t po_momentum_fit_bytes(const po_momentum *m) {
  po_arena a;
  mom_fit f;
  po_arena_measure(&a);
  mom_lay_fit(&f, mom_most_controls(m), &a);
  return po_arena_used(&a);
}

/* min |S − S*|²/(Mg)² + |T − T*|²/(Mg l)² + spread |λ|²/(Mg)²,  λ ≥ 0 */
po_status po_momentum_fit(double *u, const po_momentum *m, int frame, po_vec3 C, po_vec3 S, po_vec3 T, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  double gravity = po_v3_norm(m->gravity), weight = m->mass * (gravity > 0 ? gravity : 9.81), l = mom_height(m), wish[6];
  int n = m->point_count[frame] * m->ray_count, free_count;
  mom_fit f;
  po_status status;
  if (!n) return PO_OK;
  if (!mom_lay_fit(&f, n, scratch)) return PO_ERR_MEMORY;
  po_v3_to(wish, po_v3_scale(1 / weight, S));
  po_v3_to(wish + 3, po_v3_scale(1 / (weight * l), T));
  for (int i = 0; i < n; i++) {
    po_vec3 ray = po_v3_of(m->rays + 3 * (i % m->ray_count));
    po_vec3 r = po_v3_sub(po_v3_of(m->points + 3 * (m->point_first[frame] + i / m->ray_count)), C);
    mom_add_column(f.A, 0, i, po_v3_scale(1 / weight, ray));
    mom_add_column(f.A, 3, i, po_v3_scale(1 / (weight * l), po_v3_cross(r, ray)));
    f.hi[i] = PO_INF;
    u[i] = 0;
  }
  po_syrk(f.H, PO_LOWER, 0, 1, f.A, PO_T);
  for (int i = 0; i < n; i++) PO_AT(f.H, i, i) += MOM_FIT_SPREAD / (weight * weight);
  po_gemv_t(f.g, f.A, wish);
  po_scale(f.g, -1, n);
  status = po_ddp_box(u, f.clamped, f.index, &free_count, f.L, f.H, f.g, f.lo, f.hi, f.work);
  po_arena_release(scratch, mark);
  return status;
}

po_status po_momentum_guess(double *u, const po_ddp_problem *problem, const po_momentum *m) {
  size_t bytes = po_momentum_fit_bytes(m), nu = (size_t)problem->size.nu;
  void *mem = po_alloc(bytes);
  po_arena a;
  po_status status = PO_OK;
  if (!mem) return PO_ERR_MEMORY;
  po_arena_init(&a, mem, bytes);
  memset(u, 0, sizeof(double) * nu * (size_t)m->frames);
  for (int k = 0; k < m->frames && status == PO_OK; k++) {
    const double *ref = m->reference + 12 * k, *next = ref + 12;
    po_vec3 S = po_v3_scale(1 / m->dt, po_v3_sub(po_v3_of(next + PO_MOMENTUM_P), po_v3_of(ref + PO_MOMENTUM_P)));
    po_vec3 T = po_v3_scale(1 / m->dt, po_v3_sub(po_v3_of(next + PO_MOMENTUM_L), po_v3_of(ref + PO_MOMENTUM_L)));
    status = po_momentum_fit(u + (size_t)k * nu, m, k, po_v3_of(ref), po_v3_addscaled(S, -m->mass, m->gravity), T, &a);
  }
  po_free(mem);
  return status;
}
