/* balance.c: standing, squatting, standing on tilted ground, standing while the limbs grow (paper 1, sections 4 and 9). */
#include "ground.h"
#include "proportions.h"
#include "recovery.h"
#include <string.h>

typedef struct balance_params {
  po_ground_params ground;
  po_growth_params growth;
  double tilt_deg, heading, period;
} balance_params;

#define SCENE_BALANCE_PARAMS \
  PO_GROUND_PARAMS(balance_params, ground), \
  PO_PARAM(balance_params, tilt_deg, 0, -20, 20, "deg", "the same as slope_deg"), \
  PO_PARAM(balance_params, heading, 0, -360, 360, "deg", "where the body faces; left positive"), \
  PO_GROWTH_PARAMS(balance_params, growth)
static const po_text_param balance_text[] = {PO_GROUND_TEXT, PO_GROWTH_TEXT, {NULL, NULL, NULL, NULL}};
static const po_param balance_scene_param[] = {SCENE_BALANCE_PARAMS};
static const po_param balance_squat_param[] = {SCENE_BALANCE_PARAMS, PO_PARAM(balance_params, period, 2, 0.5, 60, "s", "time of one squat")};

/* A squat's height has come to one of its ends within this share of standing. */
#define BALANCE_END 0.02

typedef struct balance_state {
  po_vec3 planted[8];      /* corners at the start */
  double com_error_max, slip_max, height_min, height_max, push_end;
  po_recovery recovery;
  int down, cycles;        /* squats: the low end was reached; how often both were, in turn */
  int grown;               /* how many of its sizes have been put on */
} balance_state;

static po_balance *balance_of(const po_run *r) { return (po_balance *)(void *)po_run_move(r, 0); }

static po_vec3 balance_corner(const po_run *r, int i) {
  const po_patch *foot = &po_run_move(r, 0)->actor->patches.patch[i / 4];
  return po_point_position(po_world_data(r->world, 0), foot->point_body[i % 4], foot->point[i % 4]);
}

/* Where the corners stand now is where they are to stay. */
static void balance_plant(po_run *r) {
  balance_state *s = r->state;
  int i;
  po_world_kinematics(r->world, 0);
  for (i = 0; i < 8; i++) s->planted[i] = balance_corner(r, i);
}

static po_status balance_grow(po_run *r) {
  balance_state *s = r->state;
  int before = s->grown;
  po_status st = po_run_grow(&s->grown, r, &((const balance_params *)r->params)->growth);
  if (s->grown != before) balance_plant(r);
  return st;
}

static po_status balance_init(po_run *r, po_error *err) {
  balance_state *s = r->state;
  const balance_params *p = r->params;
  const po_balance_params *control = r->move_params;
  po_ground_params ground = p->ground;
  po_status st;
  int i;
  ground.slope_deg += p->tilt_deg;
  if ((st = po_run_lay_ground(r, &ground, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, PO_RAD(p->heading),
                     control->squat_period > 0 ? control->squat_high : control->stand.com_height, err);
  if (st != PO_OK || (st = po_run_sim(r, err)) != PO_OK || (st = po_run_prepare_growth(r, &p->growth, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  balance_plant(r);
  s->height_min = PO_INF;
  s->height_max = -PO_INF;
  s->recovery = po_recovery_none();
  for (i = 0; i < r->opts.pushes; i++) s->push_end = po_max(s->push_end, r->opts.push[i].time + r->opts.push[i].duration);
  return PO_OK;
}

static po_status balance_squat_init(po_run *r, po_error *err) {
  ((po_balance_params *)r->move_params)->squat_period = ((const balance_params *)r->params)->period;
  return balance_init(r, err);
}

static void balance_count_squats(balance_state *s, const po_balance_params *p, double height) {
  if (height < p->squat_low + BALANCE_END) s->down = 1;
  if (!s->down || !(height > p->squat_high - BALANCE_END)) return;
  s->down = 0;
  s->cycles++;
}

static void balance_observe(po_run *r) {
  balance_state *s = r->state;
  const po_data *d = po_world_data(r->world, 0);
  const po_balance *b = balance_of(r);
  double error, height;
  po_vec3 off;
  int i, squat = b->params.squat_period > 0;
  off = po_v3_sub(d->com, b->move.com_target);
  if (squat) off.z = 0; /* its height has a verdict of its own */
  error = po_v3_norm(off);
  height = (d->com.z - po_patches_centroid(&b->move.actor->patches, d, PO_BOTH_FEET).z) / b->move.actor->standing_height;
  if (squat) balance_count_squats(s, &b->params, height);
  if (r->time > 2) {
    s->com_error_max = po_max(s->com_error_max, error);
    s->height_min = po_min(s->height_min, height);
    s->height_max = po_max(s->height_max, height);
  }
  for (i = 0; i < 8; i++) {
    off = po_v3_sub(balance_corner(r, i), s->planted[i]);
    s->slip_max = po_max(s->slip_max, sqrt(off.x * off.x + off.y * off.y));
  }
  if (r->opts.pushes && r->time >= s->push_end)
    po_recovery_step(&s->recovery, r->time, error, squat ? sqrt(d->com_velocity.x * d->com_velocity.x + d->com_velocity.y * d->com_velocity.y) : po_v3_norm(d->com_velocity));
}

static void balance_judge_squat(po_run *r) {
  const balance_state *s = r->state;
  const po_balance_params *p = &balance_of(r)->params;
  int due = (int)(r->sim_seconds / p->squat_period + 0.01);
  if (!(po_abs(s->height_min - p->squat_low) < BALANCE_END && po_abs(s->height_max - p->squat_high) < BALANCE_END))
    po_run_fail(r, PO_FAILED, "height swung between %.2f and %.2f of standing", s->height_min, s->height_max);
  else if (s->cycles < due)
    po_run_fail(r, PO_FAILED, "%d squats instead of %d", s->cycles, due);
}

static void balance_judge(po_run *r) {
  balance_state *s = r->state;
  const balance_params *p = r->params;
  int pushed = r->opts.pushes > 0, squat = balance_of(r)->params.squat_period > 0;
  po_run_set_result(r, "com_error_max_after_2s", s->com_error_max);
  po_run_set_result(r, "foot_slip_max", s->slip_max);
  po_run_set_result(r, "recovered_at", s->recovery.at >= 0 ? s->recovery.at : PO_NAN);
  po_run_set_result(r, "height_min", s->height_min);
  po_run_set_result(r, "height_max", s->height_max);
  po_run_set_result(r, "cycles", s->cycles);
  if (r->outcome != PO_RUNNING) return;
  if (pushed && !(s->recovery.at >= 0 && s->recovery.at - s->push_end <= PO_RECOVERY_WITHIN))
    po_run_fail(r, PO_FAILED, "did not recover within %g s of the last push", PO_RECOVERY_WITHIN);
  if (!pushed && !squat && p->growth.grow == 1 && !(s->com_error_max < 0.02)) po_run_fail(r, PO_FAILED, "the COM strayed %.3f m from its target", s->com_error_max);
  if (!pushed && !squat && p->growth.grow == 1 && !(s->slip_max < 0.005)) po_run_fail(r, PO_FAILED, "a foot slipped %.4f m", s->slip_max);
  if (squat && !pushed && !r->opts.ats) balance_judge_squat(r);
}

static void balance_squat_changed(po_run *r, const char *name) {
  po_error err;
  if (strcmp(name, "period")) return;
  ((po_balance_params *)r->move_params)->squat_period = ((const balance_params *)r->params)->period;
  if (po_move_set_params(po_run_move(r, 0), r->move_params, &err) != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
}

const po_scenario po_scenario_balance = {
  .name = "balance", .summary = "stand, take pushes, stand on tilted ground, stand while the limbs grow",
  .success = "stands to the end; unpushed: COM within 2 cm of its target after 2 s, feet slip less than 5 mm; pushed: within 4 s the COM begins to stay within "
             "3 cm of its target and below 5 cm/s for 1 s",
  .model = "human", .move = "stand", .seconds = 10, .dt = 0.001, .control_hz = 1000, .text = balance_text,
  .param = balance_scene_param, .params = (int)(sizeof balance_scene_param / sizeof balance_scene_param[0]), .params_bytes = sizeof(balance_params),
  .state_bytes = sizeof(balance_state), .init = balance_init, .before = balance_grow, .observe = balance_observe, .judge = balance_judge};

const po_scenario po_scenario_squat = {
  .name = "squat", .summary = "deep knee bends by moving the COM height alone",
  .success = "the COM height swings between squat_low and squat_high (within 2 % of standing) once a period, and nothing falls",
  .model = "human", .move = "squat", .seconds = 20, .dt = 0.001, .control_hz = 1000, .live = 1, .text = balance_text,
  .param = balance_squat_param, .params = (int)(sizeof balance_squat_param / sizeof balance_squat_param[0]), .params_bytes = sizeof(balance_params),
  .state_bytes = sizeof(balance_state), .init = balance_squat_init, .before = balance_grow, .observe = balance_observe, .judge = balance_judge,
  .changed = balance_squat_changed};
