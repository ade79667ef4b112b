/* flip_watch.c: bodies that turn over as the world shows them: flights between the last contact and the next, with momentum and parabola checked on the
 * way; wind and pushes; standing. */
#include "flip_watch.h"
#include <string.h>

#define TURN_SHORTEST 0.1    /* s: shorter hops are no flights */
#define TURN_STILL 0.15      /* m/s, for a body whose COM stands 1 m high: who moves faster does not stand */
#define TURN_COORDINATES 256     /* coordinates of a body */
#define TURN_DRIFT 0.03      /* of the momentum */
#define TURN_PARABOLA 0.01   /* m */

/* ---- parameters ---- */

po_status turn_choice(double *value, const char *name, const char *text, const char *const *words, int count, po_error *err) {
  char all[80] = "";
  int i;
  for (i = 0; i < count; i++) {
    size_t n = strlen(all);
    if (!strcmp(text, words[i])) {
      *value = i;
      return PO_OK;
    }
    po_format(all + n, sizeof all - n, "%s%s", i ? ", " : "", words[i]);
  }
  return po_fail(err, PO_ERR_NAME, "%s = '%s': it is one of %s", name, text, all);
}

po_status turn_apply_phase(void *params, const po_move_type *type, const char *value, po_error *err) {
  static const char *const words[] = {"trunk", "average", "pelvis", "time"};
  double by;
  po_status s = turn_choice(&by, "phase", value, words, 4, err);
  if (s != PO_OK || !po_param_find(type->param, *type->param_count, "phase_by")) return s;
  return po_param_set(params, type->param, *type->param_count, "phase_by", by, err);
}

po_status turn_strength(po_run *r, double strength, po_error *err) {
  const po_model *scaled;
  po_status s;
  int i;
  if (strength == 1) return PO_OK;
  if ((s = po_model_scale_strength(&scaled, r->model, strength, err)) != PO_OK) return s;
  for (i = 0; i < PO_RUN_MODELS && r->spare[i]; i++) {}
  if (i == PO_RUN_MODELS) {
    po_model_free(scaled);
    return po_fail(err, PO_ERR_SIZE, "too many models");
  }
  r->spare[i] = r->model;
  r->model = scaled;
  return PO_OK;
}

/* ---- looking ---- */

int turn_still(const turn_watch *w, const po_data *d) { return po_v3_norm(d->com_velocity) < TURN_STILL * sqrt(w->standing_height); }

static po_data *turn_data(po_run *r) {
  po_data *d = po_world_data(r->world, 0);
  po_all_terms(d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  return d;
}

static int turn_is_foot(const po_run *r, int body) { return !strncmp(r->model->body_name[body], "foot", 4) || !strncmp(r->model->body_name[body], "toes", 4); }

/* What presses on the terrain: number of contacts, and whether all are of feet. */
static int turn_contacts(const po_run *r, int *feet_only) {
  int i, n, pressing = 0;
  const po_contact *c = po_world_contacts(&n, r->world);
  *feet_only = 1;
  for (i = 0; i < n; i++) {
    if (c[i].a != 0 || c[i].b >= 0 || !(po_v3_dot(c[i].impulse, c[i].normal) > 0)) continue;
    pressing++;
    if (!turn_is_foot(r, c[i].body_a)) *feet_only = 0;
  }
  return pressing;
}

static po_vec3 turn_feet(const po_run *r, const po_data *d) { return po_patches_centroid(&po_run_move(r, 0)->actor->patches, d, PO_BOTH_FEET); }

/* Angle of the body's left about the trunk's line, from the axis it turns about. */
static double turn_twist(const turn_watch *w, const po_data *d) {
  po_vec3 u = po_v3_unit(po_v3_sub(po_point_position(d, w->phase.neck, w->phase.neck_point), d->pose[w->phase.pelvis].p));
  po_vec3 l = po_m3_mul_v(d->pose[w->phase.neck].R, w->axis_body), r = po_v3_addscaled(w->phase.axis, -po_v3_dot(w->phase.axis, u), u);
  return po_atan2(po_v3_dot(u, po_v3_cross(r, l)), po_v3_dot(r, l));
}

po_status turn_begin(turn_watch *w, po_run *r, const turn_params *p, po_vec3 axis, double ground, po_error *err) {
  po_data *d = turn_data(r);
  po_status s;
  int i;
  memset(w, 0, sizeof *w);
  for (i = 0; i < r->opts.ats; i++)
    if (po_run_text(r, r->opts.at[i].name)) return po_fail(err, PO_ERR_STATE, "%s cannot change once the movement has begun: give it by --set", r->opts.at[i].name);
  if ((s = po_phase_init(&w->phase, r->model, PO_BY_TRUNK, err)) != PO_OK) return s;
  if (p->self_collision > 0.5 && (s = po_world_set_self_collision(r->world, 0, 1)) != PO_OK) return s;
  po_phase_start(&w->phase, d, axis);
  w->axis_body = po_m3_tmul_v(d->pose[w->phase.pelvis].R, w->phase.axis);
  w->theta_start = w->phase.theta;
  w->last_twist = turn_twist(w, d);
  w->ground = ground;
  w->ahead = po_m3_col(d->pose[0].R, 0);
  w->ahead = po_v3_unit(po_v3(w->ahead.x, w->ahead.y, 0));
  w->push_began = w->stood_since = -1;
  return PO_OK;
}

/* What needs the behaviour's actor, which is made after init: the zero pose's height and inertia. */
static void turn_measure(turn_watch *w, po_run *r, po_vec3 feet) {
  po_data *scratch = po_world_data(r->world, 0);
  double zero[TURN_COORDINATES];
  w->standing_height = po_run_move(r, 0)->actor->standing_height;
  w->feet_start = feet;
  if (r->model->nq > TURN_COORDINATES) return;
  po_neutral(zero, r->model);
  po_kinematics(scratch, zero, NULL);
  po_com(scratch);
  w->standing_inertia = po_inertia_about(scratch, po_m3_mul_v(scratch->pose[w->phase.pelvis].R, w->axis_body));
}

po_status turn_forces(turn_watch *w, po_run *r, const turn_params *p, po_vec3 travel) {
  const po_data *d;
  int thorax = po_find_body(r->model, "thorax");
  double theta = PO_DEG(w->phase.theta - w->theta_start), s, c;
  po_status st = PO_OK;
  if (p->wind == 0 && p->push == 0) return st;
  d = turn_data(r);
  if (p->wind != 0) st = po_world_force(r->world, 0, 0, po_v3_scale(p->wind, travel), d->com);
  if (p->push == 0 || st != PO_OK) return st;
  if (w->push_began < 0 && theta >= p->push_deg) w->push_began = r->time;
  if (w->push_began < 0 || r->time >= w->push_began + p->push_seconds - 1e-9) return st;
  po_sincos(&s, &c, PO_RAD(p->push_heading));
  if (thorax < 0) thorax = 0;
  return po_world_force(r->world, 0, thorax, po_v3_scale(p->push, po_v3(c * w->ahead.x - s * w->ahead.y, s * w->ahead.x + c * w->ahead.y, 0)),
                        po_point_position(d, thorax, r->model->inertia[thorax].com));
}

/* ---- flights ---- */

static void turn_take_off(turn_watch *w, const po_data *d, double time) {
  memset(&w->now, 0, sizeof w->now);
  w->in_air = 1;
  w->samples = 0;
  w->now.start = time;
  w->now.theta_takeoff = w->phase.theta;
  w->now.L = po_v3_of(d->momentum);
  w->now.momentum = po_v3_dot(w->phase.axis, w->now.L);
  w->now.com = d->com;
  w->now.velocity = d->com_velocity;
  w->now.inertia_min = PO_INF;
}

static void turn_fly(turn_watch *w, const po_data *d, double time, int pushed) {
  turn_flight *f = &w->now;
  double t = time - f->start, I = po_inertia_about(d, w->phase.axis), L = po_v3_norm(f->L);
  po_vec3 fall = po_v3_scale(0.5 * t * t, d->gravity), at = po_v3_add(po_v3_addscaled(f->com, t, f->velocity), fall);
  if (w->samples < TURN_SAMPLES) w->inertia[w->samples++] = I;
  f->inertia_min = po_min(f->inertia_min, I);
  f->tilt = po_max(f->tilt, po_abs(po_tilt_of_axis(d, po_m3_mul_v(d->pose[w->phase.pelvis].R, w->axis_body))));
  if (pushed) { /* from here on it is another parabola, with another momentum */
    f->L = po_v3_of(d->momentum);
    f->velocity = po_v3_addscaled(d->com_velocity, -t, d->gravity);
    f->com = po_v3_sub(po_v3_addscaled(d->com, -t, f->velocity), fall);
    return;
  }
  f->drift = po_max(f->drift, po_v3_norm(po_v3_sub(po_v3_of(d->momentum), f->L)) / po_max(L, 1e-9));
  f->parabola = po_max(f->parabola, po_v3_norm(po_v3_sub(d->com, at)));
}

static void turn_touch_down(turn_watch *w, const po_run *r, const po_data *d, int feet_only) {
  turn_flight *f = &w->now;
  double sum = 0;
  int i, from = w->samples / 4, to = w->samples - w->samples / 4;
  w->in_air = 0;
  f->lasted = r->time - f->start;
  if (f->lasted < TURN_SHORTEST) return;
  w->flights++;
  if (f->lasted < w->longest.lasted) return;
  for (i = from; i < to; i++) sum += w->inertia[i];
  f->inertia_mean = to > from ? sum / (to - from) / w->standing_inertia : 0;
  f->inertia_land = w->samples > 0 ? w->inertia[w->samples - 1] / w->standing_inertia : 0;
  f->inertia_min /= w->standing_inertia;
  f->theta_land = w->phase.theta;
  f->feet_land = turn_feet(r, d);
  f->feet_first = feet_only;
  w->longest = *f;
}

void turn_end_flight(turn_watch *w, po_run *r) {
  if (w->in_air) turn_touch_down(w, r, turn_data(r), 0);
}

void turn_observe(turn_watch *w, po_run *r, const turn_params *p) {
  const po_data *d = turn_data(r);
  const po_turning *turning = po_turning_of(po_run_move(r, 0));
  int feet_only, pressing = turn_contacts(r, &feet_only), still;
  double step = turn_twist(w, d) - w->last_twist;
  int pushed = p->wind != 0 || (w->push_began >= 0 && r->time <= w->push_began + p->push_seconds + 2 * r->opts.dt) || r->opts.pushes > 0;
  if (!(w->standing_height > 0)) {
    turn_measure(w, r, turn_feet(r, d));
    d = turn_data(r);
  }
  if (turning && turning->beyond_reach) po_run_fail(r, PO_FAILED, "%s", turning->reason);
  po_phase_update(&w->phase, d, r->opts.dt);
  step -= 2 * PO_PI * floor(step / (2 * PO_PI) + 0.5);
  w->twist += step;
  w->last_twist += step;
  w->rise_max = po_max(w->rise_max, d->com.z - w->ground - w->standing_height);
  if (!pressing && !w->in_air) turn_take_off(w, d, r->time);
  else if (!pressing) turn_fly(w, d, r->time, pushed);
  else if (w->in_air) turn_touch_down(w, r, d, feet_only);
  still = pressing >= 3 && feet_only && (w->flights > 0 || w->grounded) && turn_still(w, d);
  if (!still) w->stood_since = -1;
  else if (w->stood_since < 0) w->stood_since = r->time;
}

/* ---- reading ---- */

static double turn_stood_seconds(const turn_watch *w, const po_run *r) { return w->stood_since >= 0 ? r->time - w->stood_since : 0; }
int turn_stood(const turn_watch *w, const po_run *r) { return turn_stood_seconds(w, r) >= TURN_STAND_SECONDS; }
double turn_rotation(const turn_watch *w) { return w->phase.theta - w->theta_start; }

void turn_results(const turn_watch *w, po_run *r, double strength) {
  const turn_flight *f = &w->longest;
  const po_turning *n = po_turning_of(po_run_move(r, 0));
  po_run_set_result(r, "rotation_deg", PO_DEG(turn_rotation(w)));
  po_run_set_result(r, "theta_takeoff_deg", PO_DEG(f->theta_takeoff));
  po_run_set_result(r, "theta_land_deg", PO_DEG(f->theta_land));
  po_run_set_result(r, "momentum_takeoff", f->momentum);
  po_run_set_result(r, "inertia_min", f->inertia_min);
  po_run_set_result(r, "inertia_mean", f->inertia_mean);
  po_run_set_result(r, "flight_seconds", f->lasted);
  po_run_set_result(r, "apex_rise", w->rise_max);
  po_run_set_result(r, "tilt_max_deg", PO_DEG(f->tilt));
  po_run_set_result(r, "momentum_drift", f->drift);
  po_run_set_result(r, "parabola_error", f->parabola);
  po_run_set_result(r, "steps_taken", n ? n->steps : 0);
  po_run_set_result(r, "stood_seconds", turn_stood_seconds(w, r));
  po_run_set_result(r, "beyond_reach", n ? n->beyond_reach : 0);
  po_run_set_result(r, "strength", strength);
}

void turn_judge_flight(const turn_watch *w, po_run *r) {
  const turn_flight *f = &w->longest;
  if (!w->flights) po_run_fail(r, PO_FAILED, "it did not leave the ground");
  else if (!(f->drift < TURN_DRIFT)) po_run_fail(r, PO_FAILED, "the angular momentum changed by %.1f %% in the air", 100 * f->drift);
  else if (!(f->parabola < TURN_PARABOLA)) po_run_fail(r, PO_FAILED, "the COM left its parabola by %.4f m", f->parabola);
}
