/* track_law.c: contact forces and the rate of time for the body's momenta now, by the second-order terms of the segment's plan.
 *
 * 1. Where will the end come to lie, if the foothold follows as it is best (track_value.c)? The foot follows, as far as it may.
 * 2. The law for the end so moved: what is still missed costs what the next segment pays for it. Forces as if all contacts could pull.
 * 3. Contacts push only, and stand where they stand, which after a moved foothold is not where the plan has them: forces within their cones whose effect
 *    on the momenta differs least from that of 2, in the measure of what a deviation costs from there on (eq. 12 of the paper, its norm made the plan's own).
 */
#include "track_internal.h"
#include <math.h>
#include <string.h>

#define LAW_SLOWEST 0.8 /* rate: a step may take a quarter longer. The law is linear, and for a body that tips over its foot it asks for ever more time */
#define LAW_SPREAD 1e-3 /* of the plan's own price of force: it spreads forces where momenta leave them free */

void po_track_contacts_now(po_track_contacts *k, const po_track *t) {
  const po_momentum *p = po_track_piece_now(t)->momentum;
  int c, r;
  k->rays = 0;
  for (c = 0; c < t->store->motion->corners.count; c++)
    for (r = 0; r < p->ray_count && (t->standing >> c & 1u); r++) {
      k->ray[k->rays] = po_v3_of(p->rays + 3 * r);
      k->point[k->rays++] = t->anchor[c];
    }
}

/* What the law's forces do to P and L in a tick, at the places where the plan has them. */
static void law_asked(double wish[6], const po_track *t, int frame, double dt) {
  const po_momentum *p = po_track_piece_now(t)->momentum;
  po_vec3 S = po_v3(0, 0, 0), T = S, C = t->data->com;
  int i, n = p->point_count[frame] * p->ray_count;
  for (i = 0; i < n; i++) {
    po_vec3 place = po_v3_add(po_v3_of(p->points + 3 * (p->point_first[frame] + i / p->ray_count)), t->offset);
    po_vec3 force = po_v3_scale(t->u[i], po_v3_of(p->rays + 3 * (i % p->ray_count)));
    S = po_v3_add(S, force);
    T = po_v3_add(T, po_v3_cross(po_v3_sub(place, C), force));
  }
  po_v3_to(wish, po_v3_scale(dt, S));
  po_v3_to(wish + 3, po_v3_scale(dt, T));
}

/* ---- forces of standing contacts ---- */

typedef struct law_fit {
  po_mat A, WA, H;
  double *g, *lower, *upper;
} law_fit;

static void law_lay_fit(law_fit *f, int n, po_arena *a) {
  f->A = po_arena_mat(a, 6, n);
  f->WA = po_arena_mat(a, 6, n);
  f->H = po_arena_mat(a, n, n);
  f->g = PO_ARENA_ZARRAY(a, double, n);
  f->lower = PO_ARENA_ZARRAY(a, double, n);
  f->upper = PO_ARENA_ZARRAY(a, double, n);
}

size_t po_track_fit_bytes(void) {
  po_arena a;
  law_fit f;
  po_arena_measure(&a);
  law_lay_fit(&f, PO_TRACK_RAYS, &a);
  return po_arena_used(&a);
}

/* u becomes the forces of the contacts as they stand. Momenta in the plan's order, P then L; forces in units of m g. */
static po_status law_fit_forces(po_track *t, const po_track_contacts *k, const double *cost, const double wish[6], double dt, po_arena *scratch) {
  static const int row[6] = {PO_MOMENTUM_P, PO_MOMENTUM_P + 1, PO_MOMENTUM_P + 2, PO_MOMENTUM_L, PO_MOMENTUM_L + 1, PO_MOMENTUM_L + 2};
  double weight = t->data->model->total_mass * po_v3_norm(t->data->gravity), spread;
  const po_momentum *plan = po_track_piece_now(t)->momentum;
  po_vec3 C = t->data->com;
  po_qp_result r;
  po_qp problem;
  law_fit f;
  po_status s;
  int i, j, n = k->rays;
  if (!n) return PO_OK;
  law_lay_fit(&f, n, scratch);
  if (scratch->failed) return PO_ERR_MEMORY;
  for (i = 0; i < n; i++) {
    po_vec3 force = po_v3_scale(dt * weight, k->ray[i]), turn = po_v3_cross(po_v3_sub(k->point[i], C), force);
    double column[6];
    po_v3_to(column, force), po_v3_to(column + 3, turn);
    for (j = 0; j < 6; j++) PO_AT(f.A, j, i) = column[j];
    f.upper[i] = PO_INF;
  }
  for (j = 0; j < 6; j++)
    for (i = 0; i < n; i++) {
      double sum = 0;
      int m;
      for (m = 0; m < 6; m++) sum += cost[row[j] * PO_MOMENTUM_NX + row[m]] * PO_AT(f.A, m, i);
      PO_AT(f.WA, j, i) = sum;
    }
  spread = LAW_SPREAD * 2 * dt * plan->w_force * weight * weight;
  for (i = 0; i < n; i++) {
    f.g[i] = 0;
    for (j = 0; j < 6; j++) f.g[i] -= PO_AT(f.WA, j, i) * wish[j];
    for (j = 0; j < n; j++) {
      double sum = i == j ? spread : 0;
      int m;
      for (m = 0; m < 6; m++) sum += PO_AT(f.A, m, i) * PO_AT(f.WA, m, j);
      PO_AT(f.H, i, j) = sum;
    }
  }
  memset(&problem, 0, sizeof problem);
  problem.n = n;
  problem.H = f.H;
  problem.g = f.g;
  problem.xl = f.lower, problem.xu = f.upper;
  if ((s = po_qp_solve(&r, t->fit, &problem, NULL, NULL)) != PO_OK) return s;
  for (i = 0; i < n; i++) t->u[i] = po_max(r.x[i], 0) * weight;
  return PO_OK;
}

/* ---- the law ---- */

static const double *law_stiffness(double *scaled, const po_track *t, const double *S) {
  int i;
  if (!(t->params.compliance > 0)) return NULL; /* a hard end */
  for (i = 0; i < PO_TRACK_HESSIAN; i++) scaled[i] = S[i] / t->params.compliance;
  return scaled;
}

/* The body's state in the plan's coordinates. Forces act for a whole tick, also in the last frame, where by the plan less and less can be done and the law would ask for
 * ever more: from there on it is asked as of that frame's beginning. Returns the phase to ask for. */
static double law_state(double x[PO_MOMENTUM_NX], const po_track *t) {
  const po_track_piece *p = po_track_piece_now(t);
  double here[PO_MOMENTUM_NX], there[PO_MOMENTUM_NX], phase = po_min(t->phase, p->frames - 1);
  int i;
  memcpy(x, t->x, sizeof here);
  po_v3_to(x, po_v3_sub(po_v3_of(x), t->offset));
  if (!(t->phase > phase)) return phase;
  po_ddp_policy_state(here, p->plan, t->phase);
  po_ddp_policy_state(there, p->plan, phase);
  for (i = 0; i < PO_MOMENTUM_NX; i++) x[i] += there[i] - here[i];
  return phase;
}

po_status po_track_law(po_track *t, double dt) {
  const po_track_piece *p = po_track_piece_now(t);
  static const unsigned char free_time[1] = {1};
  int follows = t->params.footholds >= 0.5, frame = (int)po_clamp(floor(t->phase + 1e-9), 0, p->frames - 1);
  double S[PO_TRACK_HESSIAN], x[PO_MOMENTUM_NX], shift[PO_MOMENTUM_NX] = {0}, miss[PO_MOMENTUM_NX], wish[6], phase;
  po_vec3 asked = po_track_goal_asked(t);
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result r = {t->u, t->dmu, t->dp, 1, 0, 0, miss};
  po_track_contacts k;
  po_arena a;
  po_status s;
  o.time = 0;
  o.rate_min = LAW_SLOWEST;
  o.p_free = t->params.time >= 0.5 ? free_time : NULL;
  phase = law_state(x, t);
  if (t->params.anticipate < 0.5) { /* the paper's comparison: the reference is offset linearly, and no one looks ahead */
    po_v3_to(x, po_v3_addscaled(po_v3_of(x), -t->phase / p->frames, asked));
    asked = po_v3(0, 0, 0);
  }
  if (follows && !t->landed && t->params.compliance > 0) {
    po_v3_to(shift, asked);
    o.stiffness = law_stiffness(S, t, p->end_free);
    po_arena_init(&a, t->scratch, t->scratch_bytes);
    if ((s = po_ddp_policy(&r, p->plan, phase, x, shift, &o, &a)) != PO_OK) return s;
    po_track_move_foothold(t, po_v3(po_dot(p->follow[0], miss, PO_MOMENTUM_NX), po_dot(p->follow[1], miss, PO_MOMENTUM_NX), 0));
  }
  t->goal = po_v3_add(po_track_goal_asked(t), t->shift);
  po_v3_to(shift, po_v3_add(asked, t->shift));
  o.stiffness = law_stiffness(S, t, p->end[follows]);
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  if ((s = po_ddp_policy(&r, p->plan, phase, x, shift, &o, &a)) != PO_OK) return s;
  t->rate = r.rate;
  law_asked(wish, t, frame, dt);
  po_track_contacts_now(&k, t);
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  return law_fit_forces(t, &k, p->cost[follows] + (size_t)(frame + 1) * PO_TRACK_HESSIAN, wish, dt, &a);
}
