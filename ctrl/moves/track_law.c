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
#define LAW_INDEX_REACH 15 /* frames: how far t_c may be from where it was */
#define LAW_NEARER 0.25 /* of the squared distance: half as far. Undisturbed both plans are within millimetres, and neither is to be preferred */
#define LAW_HURRY 1.5 /* rate: who tips over the foot he stands on, farther than the other reaches, must set that down sooner; the law, which knows no reach, would take longer */
#define LAW_MOST 2.0 /* m g: legs push no harder. Without it forces grow to five times the weight for the sake of L, since friction grows with them, and the body is thrown into the air */
#define LAW_SPREAD 1e-3 /* of the plan's own price of force: it spreads forces where momenta leave them free */

void po_track_contacts_now(po_track_contacts *k, const po_track *t) {
  const po_momentum *p = po_track_piece_now(t)->momentum;
  int c, r;
  k->rays = 0;
  for (c = 0; c < t->store->motion->corners.count; c++)
    for (r = 0; r < p->ray_count && (t->now.standing >> c & 1u); r++) {
      k->ray[k->rays] = po_v3_of(p->rays + 3 * r);
      k->point[k->rays++] = t->now.anchor[c];
    }
}

void po_track_wrench(po_vec3 *force, po_vec3 *moment, const po_track *t, const po_track_contacts *k) {
  int i;
  *force = *moment = po_v3(0, 0, 0);
  for (i = 0; i < k->rays; i++) {
    po_vec3 f = po_v3_scale(t->u[i], k->ray[i]);
    *force = po_v3_add(*force, f);
    *moment = po_v3_add(*moment, po_v3_cross(po_v3_sub(k->point[i], t->data->com), f));
  }
}

/* What the law's forces do to P and L in a tick, at the places where a plan has them. */
void po_track_asked(double wish[6], const po_track *t, const po_momentum *p, int frame, po_vec3 offset, double dt) {
  po_track_contacts k;
  po_vec3 S, T;
  int i;
  k.rays = p->point_count[frame] * p->ray_count;
  for (i = 0; i < k.rays; i++) {
    k.ray[i] = po_v3_of(p->rays + 3 * (i % p->ray_count));
    k.point[i] = po_v3_add(po_v3_of(p->points + 3 * (p->point_first[frame] + i / p->ray_count)), offset);
  }
  po_track_wrench(&S, &T, t, &k);
  po_v3_to(wish, po_v3_scale(dt, S));
  po_v3_to(wish + 3, po_v3_scale(dt, T));
}

/* ---- forces of standing contacts ---- */

typedef struct law_fit {
  po_mat A, WA, H, up;
  double *g, *lower, *upper;
} law_fit;

static void law_lay_fit(law_fit *f, int n, po_arena *a) {
  f->A = po_arena_mat(a, 6, n);
  f->WA = po_arena_mat(a, 6, n);
  f->H = po_arena_mat(a, n, n);
  f->up = po_arena_mat(a, 1, n);
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
  double least = 0, most = LAW_MOST;
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
    PO_AT(f.up, 0, i) = k->ray[i].z;
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
  problem.mi = 1, problem.C = f.up, problem.cl = &least, problem.cu = &most;
  if ((s = po_qp_solve(&r, t->fit, &problem, NULL, NULL)) != PO_OK) return s;
  for (i = 0; i < n; i++) t->u[i] = po_max(r.x[i], 0) * weight;
  return PO_OK;
}

/* ---- whose law ---- */

typedef struct law_view { /* the plan that is asked, and the body in its coordinates */
  const po_track_piece *p;
  int ahead;               /* 1: the next segment's, which this one overlaps */
  double phase;            /* of the plan: lead counted in */
  po_vec3 offset, asked;   /* its place; by how much its goal is asked to move */
  double rise;             /* m/s: and its vertical speed */
  double x[PO_MOMENTUM_NX];
} law_view;

/* Forces act for a whole tick, also in the last frame, where by the plan less and less can be done and the law would ask for ever more: from there on it is
 * asked as of that frame's beginning. */
static void law_look(law_view *w, const po_track *t, int ahead) {
  const po_track_store *s = t->store;
  double here[PO_MOMENTUM_NX], there[PO_MOMENTUM_NX], phase;
  int i, next = (t->now.index + ahead) % s->count;
  w->p = ahead ? s->piece[next].early : &s->piece[next];
  w->ahead = ahead;
  w->offset = ahead ? po_v3_add(t->now.offset, t->now.goal) : t->now.offset;
  if (next < t->now.index || (ahead && s->count == 1)) w->offset = po_v3_add(w->offset, s->stride);
  w->asked = po_track_end_move(po_track_goal_asked(t, ahead));
  w->rise = po_track_rise(t, ahead);
  phase = w->p->lead + t->now.phase - (ahead ? po_track_piece_now(t)->frames : 0);
  w->phase = po_clamp(phase, 0, w->p->momentum->frames - 1);
  memcpy(w->x, t->now.x, sizeof w->x);
  po_v3_to(w->x, po_v3_sub(po_v3_of(w->x), w->offset));
  if (ahead) /* its Φ is counted from where its plan begins */
    for (i = PO_MOMENTUM_PHI; i < PO_MOMENTUM_PHI + 3; i++)
      w->x[i] += po_track_piece_reference(w->p, 0)[i] - po_track_piece_reference(po_track_piece_now(t), po_track_piece_now(t)->frames)[i];
  if (!(phase > w->phase)) return;
  po_ddp_policy_state(here, w->p->plan, phase);
  po_ddp_policy_state(there, w->p->plan, w->phase);
  for (i = 0; i < PO_MOMENTUM_NX; i++) w->x[i] += there[i] - here[i];
}

/* How far the body is from a plan, in the units of the states. */
static double law_deviation(const law_view *w, const po_track *t) {
  double x[PO_MOMENTUM_NX], sum = 0;
  int i;
  po_ddp_policy_state(x, w->p->plan, w->phase);
  for (i = 0; i < PO_MOMENTUM_NX; i++) sum += (w->x[i] - x[i]) * (w->x[i] - x[i]) / (t->store->scales.unit[i] * t->store->scales.unit[i]);
  return sum;
}

/* Segments overlap: the next one's law takes over as soon as the body is much nearer to its plan, but not before the foot stands, which decides where it lies. */
static void law_choose(law_view *w, po_track *t) {
  const po_track_piece *p = po_track_piece_now(t), *next = &t->store->piece[(t->now.index + 1) % t->store->count];
  law_view other;
  law_look(w, t, 0);
  if (t->now.ahead) law_look(w, t, 1);
  if (t->now.ahead || !next->early || !(t->now.phase > p->frames - po_min(next->early->lead, t->params.overlap)) || !po_track_stands(t)) return;
  if (!t->store->motion->cyclic && t->now.index + 1 == t->store->count) return;
  law_look(&other, t, 1);
  if (!(law_deviation(&other, t) < LAW_NEARER * law_deviation(w, t))) return;
  t->now.ahead = 1;
  *w = other;
}

/* ---- the law ---- */

static const double *law_stiffness(double *scaled, const po_track *t, const double *S) {
  int i;
  if (!(t->params.compliance > 0)) return NULL; /* a hard end */
  for (i = 0; i < PO_TRACK_HESSIAN; i++) scaled[i] = S[i] / t->params.compliance;
  return scaled;
}

static po_ddp_policy_opts law_opts(const po_track *t) {
  static const unsigned char free_time[1] = {1};
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  o.time = 0;
  o.append = t->params.index < 0.5;
  o.rate_min = LAW_SLOWEST;
  o.p_free = t->params.time >= 0.5 ? free_time : NULL;
  o.p_weight = &po_track_piece_now(t)->time_weight;
  return o;
}

/* Where the end will come to lie, and the foot with it. */
static po_status law_foothold(po_track *t, const law_view *w, double *S) {
  double miss[PO_MOMENTUM_NX], shift[PO_MOMENTUM_NX] = {0};
  po_ddp_policy_result r = {t->u, t->dmu, t->dp, 1, 0, 0, miss};
  po_ddp_policy_opts o = law_opts(t);
  po_vec3 follow;
  po_arena a;
  po_status s;
  if (po_track_replanned_foothold(&follow, t)) {
    po_track_move_foothold(t, follow);
    return PO_OK;
  }
  po_v3_to(shift, w->asked);
  shift[PO_MOMENTUM_P + 2] = w->rise * t->data->model->total_mass;
  o.stiffness = law_stiffness(S, t, w->p->end_free);
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  if ((s = po_ddp_policy(&r, w->p->plan, o.append ? w->p->lead + t->now.gains : w->phase, w->x, shift, &o, &a)) != PO_OK) return s;
  po_track_move_foothold(t, po_v3(po_dot(w->p->follow[0], miss, PO_MOMENTUM_NX), po_dot(w->p->follow[1], miss, PO_MOMENTUM_NX), 0));
  return PO_OK;
}

/* The paper's way: gains are those of t_c, found from the state; contacts and pose those of t_d, the phase, which runs so that both end together. */
static po_status law_indexed(po_ddp_policy_result *r, po_track *t, const law_view *w, const double *shift, const po_ddp_policy_opts *o, double dt) {
  double here = w->p->lead - (w->ahead ? po_track_piece_now(t)->frames : 0), c, left = w->p->momentum->frames - w->phase;
  po_arena a;
  po_status s;
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  s = po_ddp_policy_index(&c, r, w->p->plan, here + t->now.frames, here + t->now.gains + dt * t->store->motion->hz, LAW_INDEX_REACH, w->x, shift, o, &a);
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  if (s == PO_OK) s = po_ddp_policy(r, w->p->plan, c, w->x, shift, o, &a);
  if (s != PO_OK) return s;
  t->now.gains = c - here;
  r->rate = t->params.time >= 0.5 ? po_clamp(left / po_max(w->p->momentum->frames - c, 1), LAW_SLOWEST, o->rate_max) : 1;
  return PO_OK;
}

po_status po_track_law(po_track *t, double dt) {
  double S[PO_TRACK_HESSIAN], shift[PO_MOMENTUM_NX] = {0}, wish[6];
  int follows = t->params.footholds >= 0.5, frame;
  po_ddp_policy_opts o = law_opts(t);
  po_ddp_policy_result r = {t->u, t->dmu, t->dp, 1, 0, 0, NULL};
  po_track_contacts k;
  law_view w;
  po_arena a;
  po_status s = PO_OK;
  law_choose(&w, t);
  if (t->params.anticipate < 0.5) { /* the paper's comparison: the reference is offset linearly, and no one looks ahead */
    double into = po_max(w.phase - w.p->lead, 0) / w.p->frames;
    po_v3_to(w.x, po_v3_addscaled(po_v3_of(w.x), -into, w.asked));
    if (!w.ahead) po_v3_to(w.x, po_v3_addscaled(po_v3_of(w.x), into - 1, t->now.behind));
    w.asked = po_v3(0, 0, 0);
    w.rise = 0;
  }
  if (follows && !t->now.landed && !w.ahead && t->params.compliance > 0) s = law_foothold(t, &w, S);
  t->now.goal = po_v3_add(po_track_goal_asked(t, 0), t->now.shift);
  po_v3_to(shift, w.ahead ? w.asked : po_v3_add(w.asked, t->now.shift));
  shift[PO_MOMENTUM_P + 2] = w.rise * t->data->model->total_mass;
  o.stiffness = law_stiffness(S, t, w.p->end[follows]);
  if (s == PO_OK && !w.ahead) s = po_track_replan(t, shift, dt);
  if (s != PO_OK) return s;
  frame = (int)w.phase;
  if (!w.ahead && po_track_replanned(&r, wish, t, &o, dt)) t->now.rate = r.rate;
  else {
    po_arena_init(&a, t->scratch, t->scratch_bytes);
    s = o.append ? law_indexed(&r, t, &w, shift, &o, dt) : po_ddp_policy(&r, w.p->plan, w.phase, w.x, shift, &o, &a);
    if (s != PO_OK) return s;
    t->now.rate = r.rate;
    po_track_asked(wish, t, w.p->momentum, r.frame, w.offset, dt);
  }
  if (t->now.beyond > 1 && t->params.time >= 0.5) t->now.rate = po_max(t->now.rate, po_min(t->now.beyond, LAW_HURRY));
  po_track_contacts_now(&k, t);
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  return law_fit_forces(t, &k, w.p->cost[follows] + (size_t)(frame + 1) * PO_TRACK_HESSIAN, wish, dt, &a);
}
