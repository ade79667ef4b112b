/* jump.c: standing jumps and their variations (paper 1, section 5). */
#include "ground.h"
#include <string.h>

typedef struct jump_params { po_ground_params ground; } jump_params;

static const po_param jump_scene_param[] = {PO_GROUND_PARAMS(jump_params, ground)};
static const po_text_param jump_text[] = {PO_GROUND_TEXT, {NULL, NULL, NULL, NULL}};

typedef struct jump_state {
  double stood_since;         /* < 0: not standing */
  double swing_max[2];        /* rad, each ankle, about the COM, from its standing direction */
  double torso_twist_min, torso_twist_max; /* rad: thorax against pelvis in flight, about the vertical */
  int left_ground;            /* 1: the next three are those of take-off */
  double legs_start, torso_start, roll_start; /* rad: direction from ankle to ankle and of the thorax seen from above; the thorax's roll */
  double legs_most, torso_then; /* rad: how far the legs turned, and the thorax at that moment */
  double roll_most;           /* rad */
  double flight;
} jump_state;

#define JUMP_STAND_SECONDS 3.0
#define JUMP_SPLIT_ROLL 5.0   /* deg: more is not the symmetry of a split */
#define JUMP_KICK_COUNTER 1.0 /* deg: less is not seen */

static const po_jump *jump_of(const po_run *r) { return po_jump_of(po_run_move(r, 0)); }
static const po_jump_params *jump_asked(const po_run *r) { return po_move_params(po_run_move(r, 0)); }

static po_status jump_init(po_run *r, po_error *err) {
  jump_state *s = r->state;
  const jump_params *p = r->params;
  const po_jump_params *control = r->move_params;
  po_status st;
  if ((st = po_run_lay_ground(r, &p->ground, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, control->stand.com_height, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->stood_since = -1;
  return PO_OK;
}

/* Angle of an ankle's offset from the COM against where it is when standing, in heading axes. */
static void jump_watch_swing(jump_state *s, const po_run *r, const po_data *d) {
  const po_jump *j = jump_of(r);
  double heading = po_m3_yaw(d->pose[0].R);
  po_quat back = po_q_axis_angle(po_v3(0, 0, 1), -heading);
  int f;
  for (f = 0; f < 2; f++) {
    po_vec3 o = po_q_rotate(back, po_v3_sub(po_point_position(d, po_run_move(r, 0)->actor->patches.patch[f].body, po_v3(0, 0, 0)), d->com));
    po_vec3 rest = j->ankle_offset[f];
    double a = jump_asked(r)->swing_axis < 0.5 ? po_atan2(o.x, -o.z) - po_atan2(rest.x, -rest.z) : po_atan2(o.y, -o.z) - po_atan2(rest.y, -rest.z);
    if (po_abs(a) > s->swing_max[f]) s->swing_max[f] = po_abs(a);
  }
}


/* The legs of a scissor kick turn about the vertical, and with no momentum the torso turns against them. Those of a split are mirror images
 * whose momenta cancel: the torso must not roll. */
static void jump_watch_torso(jump_state *s, const po_run *r, const po_data *d, int thorax) {
  const po_patch *foot = po_run_move(r, 0)->actor->patches.patch;
  po_vec3 line = po_v3_sub(d->pose[foot[0].body].p, d->pose[foot[1].body].p), x, z;
  double legs, torso, roll, twist, si, co;
  if (thorax < 0) return;
  x = po_m3_col(d->pose[thorax].R, 0);
  z = po_m3_col(d->pose[thorax].R, 2);
  legs = po_atan2(line.y, line.x);
  torso = po_atan2(x.y, x.x);
  po_sincos(&si, &co, torso);
  roll = po_atan2(si * z.x - co * z.y, z.z);
  if (!s->left_ground) {
    s->left_ground = 1;
    s->legs_start = legs;
    s->torso_start = torso;
    s->roll_start = roll;
  }
  legs = po_wrap(legs - s->legs_start);
  if (po_abs(legs) > po_abs(s->legs_most)) {
    s->legs_most = legs;
    s->torso_then = po_wrap(torso - s->torso_start);
  }
  s->roll_most = po_max(s->roll_most, po_abs(po_wrap(roll - s->roll_start)));
  x = po_m3_tmul_v(d->pose[0].R, x);
  twist = po_atan2(x.y, x.x);
  s->torso_twist_min = po_min(s->torso_twist_min, twist);
  s->torso_twist_max = po_max(s->torso_twist_max, twist);
}

static void jump_observe(po_run *r) {
  jump_state *s = r->state;
  const po_move *move = po_run_move(r, 0);
  const po_data *d = po_world_data(r->world, 0);
  int phase = po_move_phase(move);
  if (phase == PO_JUMP_ASCENT || phase == PO_JUMP_DESCENT) {
    jump_watch_swing(s, r, d);
    jump_watch_torso(s, r, d, po_find_body(r->model, "thorax"));
    s->flight += r->opts.dt;
  }
  if (phase != PO_JUMP_DONE || po_patches_touching(&move->actor->patches, PO_BOTH_FEET) < 6) s->stood_since = -1;
  else if (s->stood_since < 0) s->stood_since = r->time;
}

static int jump_finished(const po_run *r) {
  const jump_state *s = r->state;
  return s->stood_since >= 0 && r->time - s->stood_since >= JUMP_STAND_SECONDS;
}

/* How far the torso turned against the legs (deg): of a kick about the vertical; 0 of others. */
static double jump_counter(const jump_state *s, const po_jump_params *p) {
  if (p->swing_deg == 0 || p->swing_axis >= 0.5) return 0;
  return PO_DEG(s->legs_most > 0 ? -s->torso_then : s->torso_then);
}

static void jump_verdict(po_run *r, double stood, double turned, double far, double swing) {
  jump_state *s = r->state;
  const po_jump *j = jump_of(r);
  const po_jump_params *p = jump_asked(r);
  if (stood < JUMP_STAND_SECONDS) po_run_fail(r, PO_FAILED, "stood only %.2f s after landing (%s)", stood, po_move_phase_string(po_run_move(r, 0)));
  else if (po_abs(j->apex_rise - p->height) > 0.15 * p->height)
    po_run_fail(r, PO_FAILED, j->beyond_reach ? "a rise of %.3f m is out of reach: it rose %.3f m" : "asked to rise %.3f m, it rose %.3f m",
                p->height, j->apex_rise);
  else if (po_abs(turned - p->angle) > (po_abs(p->angle) > 135 ? 20 : 15))
    po_run_fail(r, PO_FAILED, j->twist_beyond_reach ? "a turn of %.1f degrees is out of reach in this jump: it turned %.1f" : "asked to turn %.1f degrees, it turned %.1f",
                p->angle, turned);
  else if (p->distance != 0 && po_abs(far - p->distance) > 0.2 * po_abs(p->distance))
    po_run_fail(r, PO_FAILED, "landed %.3f m ahead instead of %.3f", far, p->distance);
  else if (p->swing_deg != 0 && po_abs(swing - po_abs(p->swing_deg)) > 0.2 * po_abs(p->swing_deg))
    po_run_fail(r, PO_FAILED, "the ankles swung %.1f degrees instead of %.1f", swing, p->swing_deg);
  else if (p->swing_deg != 0 && p->swing_axis < 0.5 && !(jump_counter(s, p) > JUMP_KICK_COUNTER))
    po_run_fail(r, PO_FAILED, "the torso turned only %.1f degrees against the legs", jump_counter(s, p));
  else if (p->swing_deg != 0 && p->swing_axis >= 0.5 && PO_DEG(s->roll_most) > JUMP_SPLIT_ROLL)
    po_run_fail(r, PO_FAILED, "the torso rolled %.1f degrees in a split", PO_DEG(s->roll_most));
}

static void jump_judge(po_run *r) {
  jump_state *s = r->state;
  const po_jump *j = jump_of(r);
  const po_jump_params *p = jump_asked(r);
  double stood = s->stood_since >= 0 ? r->time - s->stood_since : 0, turned = PO_DEG(j->turned), c, si, swing, far;
  po_vec3 moved;
  po_world_kinematics(r->world, 0);
  moved = po_v3_sub(po_patches_centroid(&po_run_move(r, 0)->actor->patches, po_world_data(r->world, 0), PO_BOTH_FEET), j->start);
  po_sincos(&si, &c, j->start_heading);
  far = c * moved.x + si * moved.y;
  swing = PO_DEG(po_min(s->swing_max[0], s->swing_max[1]));
  po_run_set_result(r, "apex_rise", j->apex_rise);
  po_run_set_result(r, "heading_change_deg", turned);
  po_run_set_result(r, "landing_distance", far);
  po_run_set_result(r, "ankle_swing_deg", swing);
  po_run_set_result(r, "torso_twist_deg", PO_DEG(s->torso_twist_max - s->torso_twist_min));
  po_run_set_result(r, "torso_counter_deg", jump_counter(s, p));
  po_run_set_result(r, "torso_roll_deg", PO_DEG(s->roll_most));
  po_run_set_result(r, "flight_seconds", s->flight);
  po_run_set_result(r, "stood_seconds", stood);
  po_run_set_result(r, "beyond_reach", j->beyond_reach || j->twist_beyond_reach);
  if (r->outcome == PO_RUNNING) jump_verdict(r, stood, turned, far, swing);
}

#define JUMP_SCENARIO(id, title, words) \
  const po_scenario po_scenario_##id = { \
    .name = title, .summary = words, \
    .success = "rises, turns, travels and swings as asked (15 %; 15 degrees, 20 beyond 135; 20 %; 20 % with the torso turning against a kick), lands and stands for 3 s", \
    .model = "human", .move = title, .seconds = 10, .dt = 0.001, .control_hz = 1000, \
    .text = jump_text, .param = jump_scene_param, .params = PO_GROUND_PARAM_COUNT, .params_bytes = sizeof(jump_params), .state_bytes = sizeof(jump_state), \
    .init = jump_init, .observe = jump_observe, .finished = jump_finished, .judge = jump_judge}
JUMP_SCENARIO(jump, "jump", "a standing jump to a given height");
JUMP_SCENARIO(jump_twist, "jump-twist", "a jump that turns about the vertical");
JUMP_SCENARIO(jump_kick, "jump-kick", "a jump with a scissor kick");
JUMP_SCENARIO(jump_split, "jump-split", "a jump with an air split");
JUMP_SCENARIO(jump_forward, "jump-forward", "a jump that lands ahead");
