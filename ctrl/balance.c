/* balance.c: standing and squatting (paper 1, section 4, table 1).
 *
 *   priority 1   contact    every sole corner stays on the surface below it
 *            2   com        over the centroid of support, seen along gravity; at a share of the zero pose's height
 *            3   momentum   angular momentum about the COM is damped;  pose: joints drawn softly to the zero pose
 */
#include "ctrl_internal.h"
#include <string.h>

#define BALANCE_PARAM(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(po_balance_params, name) }
const po_param po_balance_param[] = {
  BALANCE_PARAM(height, 0.95, 0.4, 1.02, "", "COM height as a share of the zero pose's"),
  BALANCE_PARAM(kp_contact, 100, 0, 2000, "1/s^2", "gain that keeps sole corners on the ground"),
  BALANCE_PARAM(kp_com, 20, 0, 400, "1/s^2", "gain of the COM across gravity"),
  BALANCE_PARAM(kp_height, 40, 0, 400, "1/s^2", "gain of the COM height"),
  BALANCE_PARAM(kp_momentum, 10, 0, 200, "1/s", "rate at which angular momentum is damped"),
  BALANCE_PARAM(weight_momentum, 100, 0, 1e6, "", "weight of the angular momentum beside the pose"),
  BALANCE_PARAM(kp_pose, 40, 0, 1000, "1/s^2", "gain of the joints towards the zero pose"),
  BALANCE_PARAM(com_limit, 3, 0, 100, "m/s^2", "largest COM acceleration asked for; 0: no limit"),
  BALANCE_PARAM(squat_low, 0.6, 0.4, 1, "", "lowest COM height of a squat, as a share of the zero pose's"),
  BALANCE_PARAM(squat_high, 0.95, 0.4, 1.02, "", "highest COM height of a squat"),
  BALANCE_PARAM(squat_period, 0, 0, 60, "s", "time of one squat; 0: stand still"),
};
const int po_balance_param_count = (int)(sizeof po_balance_param / sizeof po_balance_param[0]);

enum { BALANCE_CONTACT = 0, BALANCE_COM = 8, BALANCE_HEIGHT, BALANCE_MOMENTUM, BALANCE_POSE }; /* places in wbc->objective */

static const char *const balance_corner[8] = {"contact_l0", "contact_l1", "contact_l2", "contact_l3",
                                              "contact_r0", "contact_r1", "contact_r2", "contact_r3"};

/* COM over the soles at the zero pose: the length scale of all that follows. */
static void balance_measure(po_balance *b, const po_model *m, double *q) {
  po_vec3 e0, e1, up;
  po_neutral(m, q);
  po_kinematics(b->data, q, NULL);
  po_com(b->data);
  po_gravity_axes(b->data->gravity, &e0, &e1, &up);
  b->standing_height = po_v3_dot(up, po_v3_sub(b->data->com, po_support_centroid(&b->support, b->data, 3)));
}

static po_status balance_objectives(po_balance *b, const po_model *m) {
  const po_balance_params *p = &b->params;
  po_objective o;
  int i;
  for (i = 0; i < 8; i++) {
    const po_sole *s = &b->support.foot[i / 4];
    o = po_objective_setpoint(balance_corner[i], po_feature_point(s->body, s->corner_point[i % 4]), 1, p->kp_contact);
    if (!po_wbc_add(b->wbc, &o)) return PO_ERR_SIZE;
  }
  o = po_objective_setpoint("com", po_feature_com_across(), 2, p->kp_com);
  po_wbc_add(b->wbc, &o);
  o = po_objective_setpoint("height", po_feature_com_height(), 2, p->kp_height);
  po_wbc_add(b->wbc, &o);
  o = po_objective_momentum("momentum", 3, p->kp_momentum);
  po_wbc_add(b->wbc, &o);
  o = po_objective_setpoint("pose", po_feature_pose(m, NULL), 3, p->kp_pose);
  return po_wbc_add(b->wbc, &o) ? PO_OK : PO_ERR_SIZE;
}

/* One layout for po_balance_bytes and po_balance_init. */
typedef struct balance_parts {
  void *wbc, *data;
  size_t wbc_bytes, data_bytes;
} balance_parts;
static balance_parts balance_layout(po_balance *b, const po_model *m, const po_wbc_opts *o, po_arena *a) {
  balance_parts p;
  b->wbc = PO_ARENA_ZARRAY(a, po_wbc, 1);
  b->data = PO_ARENA_ZARRAY(a, po_data, 1);
  b->pose = PO_ARENA_ZARRAY(a, double, m->nq);
  p.wbc = po_arena_alloc(a, p.wbc_bytes = po_wbc_bytes(m, o));
  p.data = po_arena_alloc(a, p.data_bytes = po_data_bytes(m));
  return p;
}

size_t po_balance_bytes(const po_model *m, const po_wbc_opts *opts) {
  po_arena a;
  po_balance b;
  if (!m) return 0;
  po_arena_measure(&a);
  balance_layout(&b, m, opts, &a);
  return po_arena_used(&a);
}

po_status po_balance_init(po_balance *b, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts,
                          const po_balance_params *params, void *mem, size_t bytes, po_error *err) {
  po_arena a;
  balance_parts parts;
  po_status s;
  if (!b || !m || !mem) return po_fail(err, PO_ERR_NULL, "balance needs a model and memory");
  memset(b, 0, sizeof *b);
  if (params) b->params = *params;
  else po_param_defaults(&b->params, po_balance_param, po_balance_param_count);
  if ((s = po_support_init(&b->support, m, terrain, err)) != PO_OK) return s;
  po_arena_init(&a, mem, bytes);
  parts = balance_layout(b, m, opts, &a);
  if (a.failed) return po_fail(err, PO_ERR_MEMORY, "balance needs %zu bytes, %zu were given", po_balance_bytes(m, opts), bytes);
  if ((s = po_data_init(b->data, m, parts.data, parts.data_bytes)) != PO_OK) return po_fail(err, s, "model data: %s", po_status_string(s));
  if ((s = po_wbc_init(b->wbc, m, opts, parts.wbc, parts.wbc_bytes)) != PO_OK) return po_fail(err, s, "control: %s", po_status_string(s));
  if (balance_objectives(b, m) != PO_OK) return po_fail(err, PO_ERR_SIZE, "balance needs max_objectives of at least 12");
  balance_measure(b, m, b->pose);
  po_neutral(m, b->pose);
  b->wbc->objective[BALANCE_POSE].pose = b->pose;
  return PO_OK;
}

po_status po_balance_new(po_balance **balance, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts,
                         const po_balance_params *params, po_error *err) {
  size_t bytes = po_balance_bytes(m, opts);
  po_balance *b;
  po_status s;
  if (!balance || !m) return po_fail(err, PO_ERR_NULL, "balance needs a model");
  *balance = NULL;
  b = po_alloc(sizeof *b + 32 + bytes);
  if (!b) return po_fail(err, PO_ERR_MEMORY, "balance: out of memory");
  s = po_balance_init(b, m, terrain, opts, params, (char *)b + sizeof *b, bytes + 32, err);
  if (s != PO_OK) po_free(b);
  else *balance = b;
  return s;
}
void po_balance_free(po_balance *b) { po_free(b); }

po_status po_balance_set_model(po_balance *b, const po_model *m) {
  po_support kept;
  po_status s;
  int f;
  if (!b || !m) return PO_ERR_NULL;
  kept = b->support;
  if ((s = po_support_init(&b->support, m, kept.terrain, NULL)) == PO_OK && (s = po_wbc_set_model(b->wbc, m)) == PO_OK)
    s = po_data_set_model(b->data, m);
  if (s != PO_OK) return s;
  for (f = 0; f < 8; f++) {
    b->support.foot[f / 4].touching[f % 4] = kept.foot[f / 4].touching[f % 4];
    b->wbc->objective[BALANCE_CONTACT + f].feature.point = b->support.foot[f / 4].corner_point[f % 4];
  }
  balance_measure(b, m, b->pose);
  po_neutral(m, b->pose);
  return PO_OK;
}

/* ---- a tick ---- */

/* Paper 1, section 4: each corner's target is its own projection onto the surface, so that only its gap is an error. */
void po_ctrl_plant(po_objective *o, const po_sole *s, int corner, const po_data *d) {
  po_vec3 p = po_point_position(d, s->body, s->corner_point[corner]);
  po_v3_to(o->ref, po_v3_addscaled(p, -s->gap[corner], s->normal));
}

/* Touching corners are where the ground may push. */
void po_ctrl_stand_on(po_wbc *w, const po_support *s) {
  int f, k;
  w->contacts = 0;
  for (f = 0; f < s->feet; f++)
    for (k = 0; k < 4; k++) {
      po_wbc_contact *c = &w->contact[w->contacts];
      if (!s->foot[f].touching[k] || w->contacts >= w->opts.max_contacts) continue;
      c->body = s->foot[f].body;
      c->point = s->foot[f].corner_point[k];
      c->normal = s->foot[f].normal;
      c->ramp = 1;
      w->contacts++;
    }
}

/* COM height asked for, as a share of standing, with its rate and acceleration: a cosine between the squat's two heights. */
static void balance_height(po_balance *b, double *share, double *rate, double *accel) {
  const po_balance_params *p = &b->params;
  double w, mid, half, s, c;
  *share = p->height;
  *rate = *accel = 0;
  if (!(p->squat_period > 0)) return;
  w = 2 * PO_PI / p->squat_period;
  mid = 0.5 * (p->squat_high + p->squat_low);
  half = 0.5 * (p->squat_high - p->squat_low);
  po_sincos(w * b->time, &s, &c);
  *share = mid + half * c;
  *rate = -half * w * s;
  *accel = -half * w * w * c;
  b->cycles = (int)(b->time / p->squat_period);
}

static void balance_references(po_balance *b) {
  po_objective *o = b->wbc->objective;
  const po_data *d = b->data;
  double share, rate, accel, h = b->standing_height;
  po_vec3 e0, e1, up, centre = po_support_centroid(&b->support, d, 3);
  int i;
  po_gravity_axes(d->gravity, &e0, &e1, &up);
  for (i = 0; i < 8; i++) {
    o[BALANCE_CONTACT + i].kp = b->params.kp_contact;
    po_ctrl_plant(&o[BALANCE_CONTACT + i], &b->support.foot[i / 4], i % 4, d);
  }
  balance_height(b, &share, &rate, &accel);
  b->com_target = po_v3_addscaled(centre, share * h, up);
  o[BALANCE_COM].kp = b->params.kp_com;
  o[BALANCE_COM].limit = b->params.com_limit;
  o[BALANCE_COM].ref[0] = po_v3_dot(e0, centre);
  o[BALANCE_COM].ref[1] = po_v3_dot(e1, centre);
  o[BALANCE_HEIGHT].kp = b->params.kp_height;
  o[BALANCE_HEIGHT].ref[0] = po_v3_dot(up, b->com_target);
  o[BALANCE_HEIGHT].ref_rate[0] = rate * h;
  o[BALANCE_HEIGHT].ref_accel[0] = accel * h;
  o[BALANCE_MOMENTUM].kp = b->params.kp_momentum;
  o[BALANCE_MOMENTUM].weight = b->params.weight_momentum;
  o[BALANCE_MOMENTUM].scale = d->model->total_mass * h * h;
  o[BALANCE_POSE].kp = b->params.kp_pose;
}

po_status po_balance_tick(po_balance *b, double *tau, const double *q, const double *v, double dt) {
  po_status s;
  double t0;
  po_clock_fn clock;
  if (!b || !tau || !q || !v) return PO_ERR_NULL;
  if ((s = po_check_state(b->data->model, q, v)) != PO_OK) return s;
  if (!(dt >= 0)) return PO_ERR_RANGE;
  clock = b->wbc->opts.clock;
  t0 = clock ? clock() : 0;
  po_all_terms(b->data, q, v);
  if (clock) b->wbc->profile.dynamics = clock() - t0;
  po_support_update(&b->support, b->data);
  po_ctrl_stand_on(b->wbc, &b->support);
  balance_references(b);
  s = po_wbc_solve(b->wbc, b->data, q, v);
  if (s == PO_OK) memcpy(tau, b->wbc->tau, sizeof(double) * (size_t)b->data->model->nv);
  b->time += dt;
  return s;
}

/* ---- state ---- */

typedef struct balance_saved {
  double time;
  int cycles, touching[8];
  po_balance_params params;
} balance_saved;

size_t po_balance_state_bytes(const po_balance *b) { return sizeof(balance_saved) + po_wbc_state_bytes(b->wbc); }

void po_balance_save(const po_balance *b, void *state) {
  balance_saved x;
  int i;
  memset(&x, 0, sizeof x);
  x.time = b->time;
  x.cycles = b->cycles;
  x.params = b->params;
  for (i = 0; i < 8; i++) x.touching[i] = b->support.foot[i / 4].touching[i % 4];
  memcpy(state, &x, sizeof x);
  po_wbc_save(b->wbc, (char *)state + sizeof x);
}

po_status po_balance_restore(po_balance *b, const void *state, size_t bytes) {
  balance_saved x;
  int i;
  if (!b || !state) return PO_ERR_NULL;
  if (bytes != po_balance_state_bytes(b)) return PO_ERR_SIZE;
  memcpy(&x, state, sizeof x);
  b->time = x.time;
  b->cycles = x.cycles;
  b->params = x.params;
  for (i = 0; i < 8; i++) b->support.foot[i / 4].touching[i % 4] = x.touching[i];
  return po_wbc_restore(b->wbc, (const char *)state + sizeof x, bytes - sizeof x);
}
