/* track.c: following a motion by plans of its momenta (Ye & Liu 2010).
 *
 * A tick: the law of the segment's plan gives contact forces and the rate of time for the body's momenta now; the forces and a push move the momenta on
 * (eq. 1); the pose follows from the momenta (eqs. 13, 14). Segments, goals and footholds: track_follow.c.
 */
#include "track_internal.h"
#include <math.h>
#include <string.h>

const po_param po_track_param[] = {
    PO_PARAM(po_track_params, hz, 120, 30, 480, "1/s", "frames of the plan"),
    PO_PARAM(po_track_params, time, 1, 0, 1, "", "1: free end time"),
    PO_PARAM(po_track_params, index, 1, 0, 1, "", "0: gains by the paper's t_c, contacts and pose by its t_d; 1: all by one phase"),
    PO_PARAM(po_track_params, footholds, 1, 0, 1, "", "0: prescribed, as in the paper"),
    PO_PARAM(po_track_params, compliance, 1, 0, 100, "", "of the end of a segment; 0: hard"),
    PO_PARAM(po_track_params, replan, 0, 0, 120, "1/s", "plans a second, each solved anew from the state; 0: the linear law"),
    PO_PARAM(po_track_params, stair, 0, -0.3, 0.3, "m", "rise of each step from change_from on, change_count times"),
    PO_PARAM(po_track_params, step_change, 0, -0.2, 0.2, "m", "longer or shorter steps, likewise"),
    PO_PARAM(po_track_params, change_from, 3, 1, 1000, "", "first segment that changes"),
    PO_PARAM(po_track_params, change_count, 4, 1, 1000, "", "how many change"),
    PO_PARAM(po_track_params, anticipate, 1, 0, 1, "", "0: the reference is offset linearly to the goal, and the goal stays (the paper's comparison)"),
    PO_PARAM(po_track_params, overlap, 20, 0, 60, "frames", "of a segment that the next one's plan knows too, and may take over in"),
    PO_PARAM(po_track_params, w_a, 500, 0, 1e5, "", "weight of the angular momentum, the paper's number for a human; 0: tracking only"),
    PO_PARAM(po_track_params, w_b, 500, 0, 1e5, "", "weight of the linear momentum's error"),
    PO_PARAM(po_track_params, w1, 1, 0, 1e5, "", "weight of joints"),
    PO_PARAM(po_track_params, w2, 5, 0, 1e5, "", "weight of corners of soles"),
    PO_PARAM(po_track_params, w3, 0.01, 0, 1e5, "", "weight of forces, with levels=0"),
    PO_PARAM(po_track_params, levels, 1, 0, 1, "", "pose by priorities; 0: in one problem, as in the paper"),
    PO_PARAM(po_track_params, known_push, 1, 0, 1, "", "0: a push is seen only in the state"),
    PO_PARAM(po_track_params, mu, 1, 0.1, 2, "", "friction of the ground"),
    PO_PARAM(po_track_params, mu_plan, 0.8, 0.1, 2, "", "friction that the plan counts on"),
};
const int po_track_param_count = (int)(sizeof po_track_param / sizeof *po_track_param);

static po_track *track_of(po_move *m) { return (po_track *)(void *)m; }

/* ---- making ---- */

static void track_layout(po_move *move, const po_model *m, po_arena *a) {
  po_track *t = track_of(move);
  t->q = PO_ARENA_ZARRAY(a, double, m->nq);
  t->v = PO_ARENA_ZARRAY(a, double, m->nv);
  t->ref_q = PO_ARENA_ZARRAY(a, double, m->nq);
  t->ref_v = PO_ARENA_ZARRAY(a, double, m->nv);
  t->lead_q = PO_ARENA_ZARRAY(a, double, m->nq);
  t->u = PO_ARENA_ZARRAY(a, double, PO_TRACK_RAYS);
  t->dmu = PO_ARENA_ZARRAY(a, double, PO_MOMENTUM_NX);
  t->dp = PO_ARENA_ZARRAY(a, double, 1);
}

static void track_destroy(po_move *move) {
  po_track *t = track_of(move);
  po_track_replan_free(t);
  po_track_store_free(t->store);
  po_track_pose_free(t->pose);
  po_data_free(t->ref_data);
  po_free(t->scratch);
  po_qp_free(t->fit);
}

static po_status track_init(po_move *move, po_error *err) {
  po_track *t = track_of(move);
  const po_model *m = move->actor->model;
  po_track_store_opts o;
  po_status s;
  if (!m->floating) return po_fail(err, PO_ERR_MODEL, "tracking needs a body that is free to move");
  o.motion = t->params.motion[0] ? t->params.motion : "walk";
  o.hz = t->params.hz;
  o.mu = t->params.mu_plan;
  o.w_a = t->params.w_a;
  o.w_b = t->params.w_b;
  o.overlap = (int)(t->params.overlap + 0.5);
  o.append = t->params.index < 0.5;
  o.clock = move->actor->clock;
  if ((s = po_track_store_new(&t->store, m, &o, err)) == PO_OK) {
    t->store_seconds = t->store->seconds;
    t->scratch_bytes = po_ddp_policy_bytes(t->store->largest) + po_track_fit_bytes();
    t->scratch = po_alloc(t->scratch_bytes);
    s = t->scratch ? po_track_pose_new(&t->pose, m) : PO_ERR_MEMORY;
    if (s == PO_OK) s = po_qp_new(&t->fit, PO_TRACK_RAYS, 0, 1);
    t->data = move->actor->data;
    if (s == PO_OK) s = po_data_new(&t->ref_data, m);
    if (s == PO_OK && t->params.replan > 0) s = po_track_replan_new(t);
    if (s != PO_OK) po_fail(err, s, "out of memory");
  }
  if (s != PO_OK) track_destroy(move);
  t->trunk = po_find_body(m, "thorax");
  move->placed_q = t->q;
  move->placed_v = t->v;
  return s;
}

void po_track_begin_state(double *q, double *v, const po_move *move) {
  const po_track_store *s = ((const po_track *)(const void *)move)->store;
  memcpy(q, po_motion_q(s->motion, s->piece[0].segment.from), sizeof(double) * (size_t)s->motion->model->nq);
  memcpy(v, po_motion_v(s->motion, s->piece[0].segment.from), sizeof(double) * (size_t)s->motion->model->nv);
}

/* ---- forces ---- */

/* Eq. 1 over a tick, exactly: forces constant, the push with them. */
static void track_momenta_after(double momentum[6], po_track *t, const po_track_contacts *k, const po_sense *sense, po_vec3 place) {
  double h = sense->dt, mass = t->data->model->total_mass;
  po_vec3 g = t->data->gravity, S, T, P = po_v3_of(t->now.x + PO_MOMENTUM_P), L = po_v3_of(t->now.x + PO_MOMENTUM_L);
  po_track_wrench(&S, &T, t, k);
  t->now.force = S;
  if (sense->push) {
    S = po_v3_add(S, *sense->push);
    T = po_v3_add(T, po_v3_cross(po_v3_sub(place, t->data->com), *sense->push));
  }
  L = po_v3_addscaled(L, h, T);
  L = po_v3_addscaled(L, -h * h / (2 * mass), po_v3_cross(P, S));
  L = po_v3_addscaled(L, -h * h * h / 6, po_v3_cross(g, S));
  po_v3_to(momentum, L);
  po_v3_to(momentum + 3, po_v3_add(P, po_v3_scale(h, po_v3_addscaled(S, mass, g))));
}

/* ---- the pose ---- */

static po_track_pose_opts track_pose_opts(const po_track *t, double dt) {
  po_track_pose_opts o = po_track_pose_opts_default();
  double share = dt / o.frame; /* gains are per frame of 1/120 s */
  o.frame = dt;
  o.levels = t->params.levels >= 0.5;
  o.w1 = t->params.w1, o.w2 = t->params.w2, o.w3 = t->params.w3;
  o.joint_gain = po_min(o.joint_gain * share, 1);
  o.corner_gain = po_min(o.corner_gain * share, 1);
  o.com_gain = 0; /* the plan's COM is the body's: nothing can drift apart */
  return o;
}

/* Velocities for this tick, and the momenta that they have: these are the body's from here on. */
static po_status track_body(po_track *t, const po_sense *sense) {
  int pushed = sense->push && sense->push_body >= 0 && po_v3_norm(*sense->push) > 0, nv = t->data->model->nv;
  po_vec3 place = pushed ? po_point_position(t->data, sense->push_body, t->data->model->inertia[sense->push_body].com) : t->data->com;
  po_track_pose_opts o = track_pose_opts(t, sense->dt);
  po_vec3 at[PO_CORNERS], velocity[PO_CORNERS], L = po_v3_of(t->now.x + PO_MOMENTUM_L);
  po_track_pose_result result;
  po_track_push push;
  po_track_wish w;
  po_track_contacts k;
  double momentum[6];
  po_status s;
  po_track_contacts_now(&k, t);
  memset(&w, 0, sizeof w);
  memset(&push, 0, sizeof push);
  po_track_reference(t, at, velocity, sense->dt);
  track_momenta_after(w.momentum, t, &k, sense, place);
  w.q = t->ref_q, w.v = t->ref_v;
  w.com = t->data->com;
  w.planted = t->now.planted;
  w.place = at, w.velocity = velocity;
  w.trunk = t->trunk;
  if (t->trunk >= 0) {
    w.trunk_pose = t->ref_data->pose[t->trunk].R;
    w.trunk_velocity = po_v3_scale(t->now.rate, po_body_angular_velocity(t->ref_data, t->trunk));
  }
  if (pushed && t->params.known_push >= 0.5) {
    push.rays = k.rays, push.ray = k.ray, push.point = k.point, push.planned = t->u;
    push.force = *sense->push, push.place = place, push.body = sense->push_body;
    po_v3_to(push.momentum, L);
    memcpy(push.momentum + 3, t->now.x + PO_MOMENTUM_P, 3 * sizeof(double));
    w.push = &push;
  }
  if ((s = po_track_pose_solve(t->v, t->u, t->pose, sense->q, &w, &o, &result)) != PO_OK) return s;
  if (w.push) track_momenta_after(w.momentum, t, &k, sense, place); /* with the forces that were found: for the figures */
  po_gemv(momentum, t->data->cmm, t->v);
  po_track_measure_tick(t, &result, k.ray, k.rays, sense->dt);
  memcpy(t->now.x + PO_MOMENTUM_P, momentum + 3, 3 * sizeof(double));
  memcpy(t->now.x + PO_MOMENTUM_L, momentum, 3 * sizeof(double));
  po_integrate(t->q, t->data->model, sense->q, t->v, sense->dt);
  return po_all_finite(t->v, nv) ? PO_OK : PO_ERR_NOT_FINITE;
}

/* ---- a tick ---- */

/* The body's C and Φ as they are, C less what its steps are ahead of the plan's: q moves by h v of the tick's end, C by the mean of begin and end, which sums to h/2 times the
 * change of velocity since the run began; (a squat would find itself 1.4 mm too low at its fastest, and hurry), so that the model cannot drift away from it. Φ stands for how far the body has turned: to first order the angular
 * momentum that would take the reference to the body's pose in one second is what Φ is off by (the paper integrates L, and its trunk may lean for ever). */
static void track_look(po_track *t, const po_sense *sense) {
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  double turn[6], into;
  const double *a, *b;
  int i, k = (int)floor(t->now.phase);
  k = k < 0 ? 0 : k >= p->frames ? p->frames - 1 : k;
  into = po_clamp(t->now.phase - k, 0, 1);
  a = po_track_piece_reference(p, k);
  b = a + PO_MOMENTUM_NX;
  po_v3_to(t->now.x, po_v3_addscaled(t->data->com, -0.5 * sense->dt / m->model->total_mass, po_v3_sub(po_v3_of(t->now.x + PO_MOMENTUM_P), t->now.began)));
  po_motion_sample(t->ref_q, NULL, NULL, m, (p->segment.from + t->now.phase) / m->hz);
  po_difference(t->ref_v, m->model, t->ref_q, sense->q);
  po_gemv(turn, t->data->cmm, t->ref_v);
  for (i = PO_MOMENTUM_PHI; i < PO_MOMENTUM_PHI + 3; i++) t->now.x[i] = (1 - into) * a[i] + into * b[i] + turn[i - PO_MOMENTUM_PHI];
}

static po_status track_tick(po_move *move, double *tau, const po_sense *sense) {
  po_track *t = track_of(move);
  po_clock_fn clock = move->actor->clock;
  double momentum[6], began = clock ? clock() : 0;
  po_status s;
  memset(tau, 0, sizeof(double) * (size_t)move->actor->model->nv);
  if (!(sense->dt > 0)) return PO_ERR_RANGE;
  if (!sense->placed) po_gemv(momentum, t->data->cmm, sense->v);
  if (!sense->placed) memcpy(t->now.x + PO_MOMENTUM_L, momentum, 3 * sizeof(double));
  if (!sense->placed) memcpy(t->now.x + PO_MOMENTUM_P, momentum + 3, 3 * sizeof(double));
  track_look(t, sense);
  po_track_touch(t);
  if (sense->placed) t->now.standing = t->now.planted;
  else po_track_stand(t);
  if ((s = po_track_law(t, sense->dt)) != PO_OK) return s;
  if ((s = sense->placed ? track_body(t, sense) : po_track_torques(t, tau, sense)) != PO_OK) return s;
  po_track_advance(t, sense->dt);
  po_track_planned(t->dmu, po_track_piece_now(t), t->now.phase); /* for reports: where the plan has the COM */
  move->com_target = po_v3_add(po_v3_of(t->dmu), t->now.offset);
  if (clock) t->tick_seconds += clock() - began;
  t->ticks++;
  return PO_OK;
}

static po_status track_attach(po_move *move, po_error *err) {
  po_status s = po_track_attach(track_of(move));
  return s == PO_OK ? s : po_fail(err, s, "tracking has no room for its objectives");
}

static void track_enter(po_move *move, const po_move *from) {
  (void)from;
  track_of(move)->now.rate = 1;
  po_track_enter_body(track_of(move), move->actor);
}

static void track_stream(po_move *move, po_stream *s) {
  po_track *t = track_of(move);
  po_stream_doubles(s, t->q, move->actor->model->nq);
  po_stream_doubles(s, t->v, move->actor->model->nv);
  po_track_pose_stream(t->pose, s);
  po_track_replan_stream(t, s);
}

static po_move_outcome track_done(const po_move *move) { return ((const po_track *)(const void *)move)->now.over ? PO_MOVE_DONE : PO_MOVE_GOING; }

const po_move_type po_track_type = {
    .name = "track", .summary = "follow a motion by plans of its momenta, and give way when pushed", .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
    .bytes = sizeof(po_track), .params_at = offsetof(po_track, params), .params_bytes = sizeof(po_track_params),
    .state_at = offsetof(po_track, now), .state_bytes = sizeof(po_track_state), .param = po_track_param, .param_count = &po_track_param_count, .layout = track_layout, .init = track_init, .attach = track_attach, .enter = track_enter,
    .tick = track_tick, .done = track_done, .stream = track_stream, .destroy = track_destroy};
