/* balance.c: standing and squatting (paper 1, section 4, table 1).
 *
 *   priority 1   contact    every sole corner stays on the surface below it
 *            2   com        over the centroid of support, seen along gravity; at a share of the zero pose's height; pushes are countered as they are
 *                           felt, and nothing is asked that no pressure point near the soles could deliver
 *            3   momentum   angular momentum about the COM is damped;  pose: joints drawn softly to the zero pose, the root upright
 */
#include "moves.h"
#include <string.h>

#define BALANCE_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_balance_params, name) }
const po_param po_balance_param[] = {
  BALANCE_PARAM(com_height, 0.95, 0.4, 1.02, "", "COM height as a share of the zero pose's"),
  BALANCE_PARAM(kp_contact, 1000, 0, 2000, "1/s^2", "gain that keeps sole corners on the ground"),
  BALANCE_PARAM(kp_com, 20, 0, 400, "1/s^2", "gain of the COM across gravity"),
  BALANCE_PARAM(kp_height, 40, 0, 400, "1/s^2", "gain of the COM height"),
  BALANCE_PARAM(kp_momentum, 10, 0, 200, "1/s", "rate at which angular momentum is damped"),
  BALANCE_PARAM(weight_momentum, 300, 0, 1e6, "", "weight of the angular momentum beside the pose"),
  BALANCE_PARAM(kp_pose, 40, 0, 1000, "1/s^2", "gain of the joints towards the zero pose"),
  BALANCE_PARAM(weight_upright, 5, 0, 1e4, "", "weight of an upright trunk within the pose"),
  BALANCE_PARAM(com_limit, 3, 0, 100, "m/s^2", "largest COM acceleration asked for; 0: no limit"),
  BALANCE_PARAM(cop_margin, 0.02, 0, 10, "", "COM accelerations that need a pressure point further outside the support than this share of the COM's height are not asked for"),
  BALANCE_PARAM(cop_reach, 3, 0, 100, "", "the same, more for every metre by which the capture point is outside the support, less inside"),
  BALANCE_PARAM(observer, 0.002, 0, 10, "s", "time in which a push that nobody told of is noticed; 0: never"),
  BALANCE_PARAM(squat_low, 0.6, 0.4, 1, "", "lowest COM height of a squat, as a share of the zero pose's"),
  BALANCE_PARAM(squat_high, 0.95, 0.4, 1.02, "", "highest COM height of a squat"),
  BALANCE_PARAM(squat_period, 0, 0, 60, "s", "time of one squat; 0: stand still"),
};
const int po_balance_param_count = (int)(sizeof po_balance_param / sizeof po_balance_param[0]);

enum { BALANCE_CONTACT = 0, BALANCE_COM = 8, BALANCE_HEIGHT, BALANCE_MOMENTUM, BALANCE_POSE, BALANCE_UPRIGHT }; /* places in wbc->objective */

static po_status balance_objectives(po_balance *b, const po_model *m) {
  po_wbc *w = b->actor.wbc;
  po_objective o;
  if (po_actor_add_contacts(&b->actor, 1, b->params.kp_contact) != PO_OK) return PO_ERR_SIZE;
  o = po_objective_setpoint("com", po_feature_com_across(), 2, b->params.kp_com);
  po_wbc_add(w, &o);
  o = po_objective_setpoint("height", po_feature_com_height(), 2, b->params.kp_height);
  po_wbc_add(w, &o);
  o = po_objective_momentum("momentum", 3, b->params.kp_momentum);
  po_wbc_add(w, &o);
  o = po_objective_setpoint("pose", po_feature_pose(m, NULL), 3, b->params.kp_pose);
  o.pose = b->actor.pose;
  o.joint_weight = b->actor.joint_weight;
  po_wbc_add(w, &o);
  o = po_objective_setpoint("upright", po_feature_orientation(0), 3, b->params.kp_pose);
  return po_wbc_add(w, &o) ? PO_OK : PO_ERR_SIZE;
}

size_t po_balance_bytes(const po_model *m, const po_wbc_opts *opts) { return po_actor_bytes(m, opts); }

po_status po_balance_init(po_balance *b, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts,
                          const po_balance_params *params, void *mem, size_t bytes, po_error *err) {
  po_status s;
  if (!b) return po_fail(err, PO_ERR_NULL, "balance needs a place to be");
  memset(b, 0, sizeof *b);
  if (params) b->params = *params;
  else po_param_defaults(&b->params, po_balance_param, po_balance_param_count);
  if ((s = po_actor_init(&b->actor, m, terrain, opts, mem, bytes, err)) != PO_OK) return s;
  if (balance_objectives(b, m) != PO_OK) return po_fail(err, PO_ERR_SIZE, "balance needs max_objectives of at least 13");
  return PO_OK;
}

po_status po_balance_new(po_balance **balance, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts,
                         const po_balance_params *params, po_error *err) {
  size_t bytes = po_balance_bytes(m, opts);
  po_balance *b;
  po_status s;
  if (!balance || !m) return po_fail(err, PO_ERR_NULL, "balance needs a model");
  *balance = NULL;
  b = po_alloc(sizeof *b + bytes);
  if (!b) return po_fail(err, PO_ERR_MEMORY, "balance: out of memory");
  s = po_balance_init(b, m, terrain, opts, params, (char *)b + sizeof *b, bytes, err);
  if (s != PO_OK) po_free(b);
  else *balance = b;
  return s;
}
void po_balance_free(po_balance *b) { po_free(b); }

po_status po_balance_set_model(po_balance *b, const po_model *m) {
  if (!b || !m) return PO_ERR_NULL;
  b->known = 0; /* another body's COM: its velocity says nothing about pushes */
  return po_actor_set_model(&b->actor, m);
}

/* ---- a tick ---- */

/* COM height asked for, as a share of standing, with its rate and acceleration: a cosine between the squat's two heights. */
static void balance_height(po_balance *b, double *share, double *rate, double *accel) {
  const po_balance_params *p = &b->params;
  double w, mid, half, s, c;
  *share = p->com_height;
  *rate = *accel = 0;
  if (!(p->squat_period > 0)) return;
  w = 2 * PO_PI / p->squat_period;
  mid = 0.5 * (p->squat_high + p->squat_low);
  half = 0.5 * (p->squat_high - p->squat_low);
  po_sincos(w * b->actor.time, &s, &c);
  *share = mid + half * c;
  *rate = -half * w * s;
  *accel = -half * w * w * c;
  b->cycles = (int)(b->actor.time / p->squat_period);
}

/* What is asked of the COM, ÿ = kp (centre − c) − kv ċ, is cut back to what a pressure point p = c − ÿ h/g near the support can deliver. Beyond that
 * only spinning the body could, since angular momentum stands lower, until its joints run into their limits. */
static po_vec3 balance_com(const po_balance *b, po_vec3 centre) {
  const po_data *d = b->actor.data;
  double kp = b->params.kp_com, k = po_v3_norm(d->gravity) / b->actor.standing_height, out, margin;
  po_vec3 hull[8], near, want, p;
  int n = po_support_hull(&b->actor.support, d, hull);
  want = po_v3_sub(po_v3_scale(kp, po_v3_sub(centre, d->com)), po_v3_scale(2 * sqrt(kp), d->com_velocity));
  want = po_v3_sub(want, b->push);
  if (n < 1 || !(k > 0)) return want;
  out = po_support_distance(hull, n, po_v3_addscaled(d->com, 1 / sqrt(k), d->com_velocity), &near);
  margin = po_max(0, b->params.cop_margin * b->actor.standing_height + b->params.cop_reach * out);
  p = po_v3_addscaled(d->com, -1 / k, want);
  out = po_support_distance(hull, n, p, &near);
  if (out <= margin) return want;
  p.x = near.x + (p.x - near.x) * margin / out;
  p.y = near.y + (p.y - near.y) * margin / out;
  return po_v3(k * (d->com.x - p.x), k * (d->com.y - p.y), want.z);
}

/* What the COM did since the last tick against what the plan had it do: the rest is a push that nobody told of. Waiting for it to show in the COM's
 * velocity costs 40 ms, and with them a fifth of what can be survived. */
static void balance_observe_push(po_balance *b, double dt) {
  const po_balance_params *p = &b->params;
  po_vec3 v = b->actor.data->com_velocity, seen;
  double size;
  if (!b->known || !(dt > 0) || !(p->observer > 0)) b->push = po_v3(0, 0, 0);
  else {
    seen = po_v3_sub(po_v3_scale(1 / dt, po_v3_sub(v, b->last_velocity)), b->planned);
    b->push = po_v3_addscaled(b->push, po_min(1, dt / p->observer), po_v3_sub(seen, b->push));
    size = po_v3_norm(b->push);
    if (p->com_limit > 0 && size > p->com_limit) b->push = po_v3_scale(p->com_limit / size, b->push);
  }
  b->last_velocity = v;
}

/* What the tick just solved has the COM do. */
static void balance_remember_plan(po_balance *b) {
  const po_wbc *w = b->actor.wbc;
  const po_objective *across = &w->objective[BALANCE_COM], *height = &w->objective[BALANCE_HEIGHT];
  po_vec3 e0, e1, up;
  po_gravity_axes(b->actor.data->gravity, &e0, &e1, &up);
  b->known = !w->held;
  b->planned = po_v3_add(po_v3_add(po_v3_scale(across->got[0], e0), po_v3_scale(across->got[1], e1)), po_v3_scale(height->got[0], up));
}

static void balance_references(po_balance *b) {
  po_objective *o = b->actor.wbc->objective;
  const po_data *d = b->actor.data;
  double share, rate, accel, h = b->actor.standing_height;
  po_vec3 e0, e1, up, want, centre = po_support_centroid(&b->actor.support, d, 3);
  int i;
  po_gravity_axes(d->gravity, &e0, &e1, &up);
  for (i = 0; i < 8; i++) po_actor_plant(&b->actor, i / 4, i % 4, 1, b->params.kp_contact);
  balance_height(b, &share, &rate, &accel);
  b->com_target = po_v3_addscaled(centre, share * h, up);
  want = balance_com(b, centre);
  o[BALANCE_COM].kp = o[BALANCE_COM].kv = 0; /* the whole answer stands in the reference's acceleration */
  o[BALANCE_COM].limit = b->params.com_limit;
  o[BALANCE_COM].ref_accel[0] = po_v3_dot(e0, want);
  o[BALANCE_COM].ref_accel[1] = po_v3_dot(e1, want);
  o[BALANCE_HEIGHT].kp = b->params.kp_height;
  o[BALANCE_HEIGHT].ref[0] = po_v3_dot(up, b->com_target);
  o[BALANCE_HEIGHT].ref_rate[0] = rate * h;
  o[BALANCE_HEIGHT].ref_accel[0] = accel * h;
  o[BALANCE_MOMENTUM].kp = b->params.kp_momentum;
  o[BALANCE_MOMENTUM].weight = b->params.weight_momentum;
  o[BALANCE_MOMENTUM].scale = d->model->total_mass * h * h;
  o[BALANCE_POSE].kp = b->params.kp_pose;
  o[BALANCE_UPRIGHT].kp = b->params.kp_pose;
  o[BALANCE_UPRIGHT].weight = b->params.weight_upright;
  po_actor_upright(&b->actor, &o[BALANCE_UPRIGHT]);
}

po_status po_balance_tick(po_balance *b, double *tau, const double *q, const double *v, double dt) {
  po_status s;
  if (!b || !tau) return PO_ERR_NULL;
  if ((s = po_actor_begin(&b->actor, q, v, dt)) != PO_OK) return s;
  po_actor_stand_on(&b->actor, 3);
  balance_observe_push(b, dt);
  balance_references(b);
  s = po_actor_end(&b->actor, tau, q, v, dt);
  balance_remember_plan(b);
  return s;
}

/* ---- state ---- */

typedef struct balance_saved {
  int cycles, known;
  po_vec3 last_velocity, planned, push;
  po_balance_params params;
} balance_saved;

size_t po_balance_state_bytes(const po_balance *b) { return sizeof(balance_saved) + po_actor_state_bytes(&b->actor); }

void po_balance_save(const po_balance *b, void *state) {
  balance_saved x;
  memset(&x, 0, sizeof x);
  x.cycles = b->cycles;
  x.known = b->known;
  x.last_velocity = b->last_velocity;
  x.planned = b->planned;
  x.push = b->push;
  x.params = b->params;
  memcpy(state, &x, sizeof x);
  po_actor_save(&b->actor, (char *)state + sizeof x);
}

po_status po_balance_restore(po_balance *b, const void *state, size_t bytes) {
  balance_saved x;
  if (!b || !state) return PO_ERR_NULL;
  if (bytes != po_balance_state_bytes(b)) return PO_ERR_SIZE;
  memcpy(&x, state, sizeof x);
  b->cycles = x.cycles;
  b->known = x.known;
  b->last_velocity = x.last_velocity;
  b->planned = x.planned;
  b->push = x.push;
  b->params = x.params;
  return po_actor_restore(&b->actor, (const char *)state + sizeof x, bytes - sizeof x);
}
