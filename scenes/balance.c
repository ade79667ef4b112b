/* balance.c: standing, squatting, standing on tilted ground, standing while the limbs grow (paper 1, sections 4 and 9). */
#include "recovery.h"
#include "scenes.h"
#include <string.h>

typedef struct balance_params {
  po_balance_params control;
  double tilt_deg, heading, grow, grow_start, grow_seconds, period;
} balance_params;

#define SCENE_BALANCE(name, fallback, lower, upper, unit, meaning) \
  { #name, fallback, lower, upper, unit, meaning, offsetof(balance_params, name) }
static const po_param balance_scene_param[] = {
  SCENE_BALANCE(tilt_deg, 0, -20, 20, "deg", "slope of the ground, rising along x"),
  SCENE_BALANCE(heading, 0, -360, 360, "deg", "where the body faces; left positive"),
  SCENE_BALANCE(grow, 1, 0.5, 3, "", "limbs end up this many times as long"),
  SCENE_BALANCE(grow_start, 5, 0, 1e4, "s", "when growing begins"),
  SCENE_BALANCE(grow_seconds, 10, 0.1, 1e4, "s", "how long it takes"),
};
static const int balance_scene_params = (int)(sizeof balance_scene_param / sizeof balance_scene_param[0]);
static const po_param balance_squat_param[] = {
  SCENE_BALANCE(period, 2, 0.5, 60, "s", "time of one squat"),
};
static const int balance_squat_params = 1;

/* A squat's height has come to one of its ends within this share of standing. */
#define BALANCE_END 0.02

#define BALANCE_SIZES 20

typedef struct balance_state {
  po_balance *control;
  po_vec3 planted[8];      /* corners at the start */
  double com_error_max, slip_max, height_min, height_max, push_end;
  po_recovery recovery;
  int down, cycles;        /* squats: the low end was reached; how often both were, in turn */
  const po_model *size[BALANCE_SIZES];
  int grown;               /* how many of them have been put on */
} balance_state;

static po_status balance_terrain(po_run *r, double tilt, po_error *err) {
  double s, c;
  po_status st;
  if (tilt == 0) return PO_OK;
  if ((st = po_terrain_new(&r->terrain, NULL)) != PO_OK) return po_fail(err, st, "terrain: %s", po_status_string(st));
  po_sincos(tilt, &s, &c);
  return po_terrain_add_plane(r->terrain, po_v3(-s, 0, c), 0, 1);
}

/* Where the corners stand now is where they are to stay. */
static void balance_plant(po_run *r) {
  balance_state *s = r->state;
  const po_patches *feet = &s->control->move.actor->patches;
  int i;
  po_world_kinematics(r->world, 0);
  for (i = 0; i < 8; i++) s->planted[i] = po_point_position(po_world_data(r->world, 0), feet->patch[i / 4].point_body[i % 4], feet->patch[i / 4].point[i % 4]);
}

/* The bodies on the way from small to large, made before the run: nothing allocates while it goes on. */
static po_status balance_prepare_growth(po_run *r, po_error *err) {
  balance_state *s = r->state;
  const balance_params *p = r->params;
  po_status st = PO_OK;
  int i;
  for (i = 0; i < BALANCE_SIZES && p->grow != 1 && st == PO_OK; i++)
    st = po_model_scale_limb(&s->size[i], r->model, NULL, 1 + (p->grow - 1) * (i + 1) / BALANCE_SIZES, err);
  return st;
}

/* Limbs grow a little at a time: the world keeps the lowest foot where it is, the controller only learns of the new body. */
static po_status balance_grow(po_run *r) {
  balance_state *s = r->state;
  const balance_params *p = r->params;
  int size = (int)(po_clamp((r->time - p->grow_start) / p->grow_seconds, 0, 1) * BALANCE_SIZES);
  po_status st;
  if (p->grow == 1 || size == s->grown) return PO_OK;
  s->grown = size;
  if ((st = po_world_set_model(r->world, 0, s->size[size - 1])) == PO_OK) st = po_move_set_model(&s->control->move, s->size[size - 1]);
  r->standing_height = s->control->move.actor->standing_height;
  balance_plant(r);
  return st;
}

static po_status balance_init(po_run *r, po_error *err) {
  balance_state *s = r->state;
  balance_params *p = r->params;
  po_world_opts w = po_world_opts_default();
  const po_terrain *ground;
  po_status st;
  int i;
  if (!strcmp(r->scenario->name, "squat")) p->control.squat_period = p->period;
  if ((st = balance_terrain(r, PO_RAD(p->tilt_deg), err)) != PO_OK) return st;
  ground = r->terrain ? r->terrain : po_terrain_flat();
  w.terrain = ground;
  w.clock = r->opts.clock;
  if ((st = po_world_new(&r->world, &w)) != PO_OK || (st = po_world_add(NULL, r->world, r->model)) != PO_OK)
    return po_fail(err, st, "world: %s", po_status_string(st));
  if ((st = po_balance_new(&s->control, r->model, ground, &r->opts.wbc, &p->control, err)) != PO_OK) return st;
  st = po_stand_pose(po_world_q(r->world, 0), r->model, ground, 0, 0, PO_RAD(p->heading),
                     p->control.squat_period > 0 ? p->control.squat_high : p->control.stand.com_height, err);
  if (st != PO_OK) return st;
  if ((st = balance_prepare_growth(r, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  balance_plant(r);
  s->height_min = PO_INF;
  s->height_max = -PO_INF;
  s->recovery = po_recovery_none();
  for (i = 0; i < r->opts.pushes; i++) s->push_end = po_max(s->push_end, r->opts.push[i].time + r->opts.push[i].duration);
  r->wbc = s->control->move.actor->wbc;
  r->com_target = &s->control->move.com_target;
  r->standing_height = s->control->move.actor->standing_height;
  return PO_OK;
}

static po_status balance_control(po_run *r) {
  balance_state *s = r->state;
  po_status st = balance_grow(r);
  if (st != PO_OK) return st;
  return po_move_tick(&s->control->move, po_world_tau(r->world, 0), po_sense_of(po_world_q(r->world, 0), po_world_v(r->world, 0), 1 / r->opts.control_hz));
}

static void balance_count_squats(balance_state *s, double height) {
  const po_balance_params *p = &s->control->params;
  if (height < p->squat_low + BALANCE_END) s->down = 1;
  if (!s->down || !(height > p->squat_high - BALANCE_END)) return;
  s->down = 0;
  s->cycles++;
}

static void balance_observe(po_run *r) {
  balance_state *s = r->state;
  po_data *d = po_world_data(r->world, 0);
  const po_balance *b = s->control;
  const po_patches *feet = &b->move.actor->patches;
  double error, height;
  po_vec3 off;
  int i, squat = b->params.squat_period > 0;
  po_kinematics(d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  po_com(d);
  off = po_v3_sub(d->com, b->move.com_target);
  if (squat) off.z = 0; /* its height has a verdict of its own */
  error = po_v3_norm(off);
  height = (d->com.z - po_patches_centroid(feet, d, PO_BOTH_FEET).z) / b->move.actor->standing_height;
  if (squat) balance_count_squats(s, height);
  if (r->time > 2) {
    s->com_error_max = po_max(s->com_error_max, error);
    s->height_min = po_min(s->height_min, height);
    s->height_max = po_max(s->height_max, height);
  }
  for (i = 0; i < 8; i++) {
    off = po_v3_sub(po_point_position(d, feet->patch[i / 4].point_body[i % 4], feet->patch[i / 4].point[i % 4]), s->planted[i]);
    s->slip_max = po_max(s->slip_max, sqrt(off.x * off.x + off.y * off.y));
  }
  if (r->opts.pushes && r->time >= s->push_end)
    po_recovery_step(&s->recovery, r->time, error, squat ? sqrt(d->com_velocity.x * d->com_velocity.x + d->com_velocity.y * d->com_velocity.y) : po_v3_norm(d->com_velocity));
}

static void balance_judge_squat(po_run *r) {
  const balance_state *s = r->state;
  const po_balance_params *p = &s->control->params;
  int due = (int)(r->sim_seconds / p->squat_period + 0.01);
  if (!(po_abs(s->height_min - p->squat_low) < BALANCE_END && po_abs(s->height_max - p->squat_high) < BALANCE_END))
    po_run_fail(r, PO_FAILED, "height swung between %.2f and %.2f of standing", s->height_min, s->height_max);
  else if (s->cycles < due)
    po_run_fail(r, PO_FAILED, "%d squats instead of %d", s->cycles, due);
}

static void balance_judge(po_run *r) {
  balance_state *s = r->state;
  const balance_params *p = r->params;
  int pushed = r->opts.pushes > 0, squat = s->control->params.squat_period > 0;
  po_run_set_result(r, "com_error_max_after_2s", s->com_error_max);
  po_run_set_result(r, "foot_slip_max", s->slip_max);
  po_run_set_result(r, "recovered_at", s->recovery.at >= 0 ? s->recovery.at : PO_NAN);
  po_run_set_result(r, "height_min", s->height_min);
  po_run_set_result(r, "height_max", s->height_max);
  po_run_set_result(r, "cycles", s->cycles);
  if (r->outcome != PO_RUNNING) return;
  if (pushed && !(s->recovery.at >= 0 && s->recovery.at - s->push_end <= PO_RECOVERY_WITHIN))
    po_run_fail(r, PO_FAILED, "did not recover within %g s of the last push", PO_RECOVERY_WITHIN);
  if (!pushed && !squat && p->grow == 1 && !(s->com_error_max < 0.02)) po_run_fail(r, PO_FAILED, "the COM strayed %.3f m from its target", s->com_error_max);
  if (!pushed && !squat && p->grow == 1 && !(s->slip_max < 0.005)) po_run_fail(r, PO_FAILED, "a foot slipped %.4f m", s->slip_max);
  if (squat && !pushed && !r->opts.ats) balance_judge_squat(r);
}

static void balance_destroy(po_run *r) {
  balance_state *s = r->state;
  int i;
  po_move_free((po_move *)s->control);
  for (i = 0; i < BALANCE_SIZES; i++) po_model_free(s->size[i]);
}

static void balance_changed(po_run *r) {
  balance_params *p = r->params;
  if (!strcmp(r->scenario->name, "squat")) p->control.squat_period = p->period;
  ((balance_state *)r->state)->control->params = p->control;
}

const po_scenario po_scenario_balance = {
  "balance", "stand, take pushes, stand on tilted ground, stand while the limbs grow",
  "stands to the end; unpushed: COM within 2 cm of its target after 2 s, feet slip less than 5 mm; pushed: within 4 s the COM begins to stay within "
  "3 cm of its target and below 5 cm/s for 1 s",
  "human", 10, 0.001, 1000,
  {{po_balance_param, &po_balance_param_count, offsetof(balance_params, control)}, {balance_scene_param, &balance_scene_params, 0}, {0}},
  NULL, sizeof(balance_params), sizeof(balance_state),
  balance_init, balance_control, balance_observe, NULL, balance_judge, balance_destroy, balance_changed};

const po_scenario po_scenario_squat = {
  "squat", "deep knee bends by moving the COM height alone",
  "the COM height swings between squat_low and squat_high (within 2 % of standing) once a period, and nothing falls",
  "human", 20, 0.001, 1000,
  {{po_balance_param, &po_balance_param_count, offsetof(balance_params, control)}, {balance_scene_param, &balance_scene_params, 0},
   {balance_squat_param, &balance_squat_params, 0}},
  NULL, sizeof(balance_params), sizeof(balance_state),
  balance_init, balance_control, balance_observe, NULL, balance_judge, balance_destroy, balance_changed};
