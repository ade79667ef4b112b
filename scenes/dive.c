/* dive.c: dives from a platform into water, which is a height and nothing else (Al Borno et al. 2014, section 5.3). */
#include "flip_watch.h"
#include <string.h>

typedef struct dive_scene { double platform; turn_params turn; } dive_scene;
static const po_param dive_param[] = {
  {"platform", 5, 1, 12, "m", "height of the platform over the water", offsetof(dive_scene, platform)},
  TURN_ROWS(dive_scene, turn),
};

static po_status dive_apply(void *params, const po_move_type *type, const char *name, const char *value, const char *number, const char *const *words, int n, po_error *err) {
  double x;
  po_status s = turn_choice(&x, name, value, words, n, err);
  return s == PO_OK ? po_param_set(params, type->param, *type->param_count, number, x, err) : s;
}
static po_status dive_apply_direction(void *params, const po_move_type *type, const char *value, po_error *err) {
  static const char *const words[] = {"forward", "back"};
  return dive_apply(params, type, "direction", value, "back", words, 2, err);
}
static po_status dive_apply_style(void *params, const po_move_type *type, const char *value, po_error *err) {
  static const char *const words[] = {"tuck", "pike", "straight"};
  return dive_apply(params, type, "style", value, "shape", words, 3, err);
}
static po_status dive_apply_start(void *params, const po_move_type *type, const char *value, po_error *err) {
  static const char *const words[] = {"feet", "hands"};
  return dive_apply(params, type, "start", value, "hands", words, 2, err);
}
static const po_text_param dive_text[] = {
  {"direction", "forward", "which way it turns: forward or back", dive_apply_direction},
  {"style", "tuck", "shape in the air: tuck, pike or straight", dive_apply_style},
  {"start", "feet", "what it stands on: feet, or hands (an armstand)", dive_apply_start},
  {"phase", "trunk", "what the controller goes by: trunk, average, pelvis or time", turn_apply_phase},
  {NULL, NULL, NULL, NULL}};

typedef struct dive_state {
  turn_watch watch;
  double edge, side;         /* x of the platform's edge; 1: the water is ahead of it, −1: behind */
  double clearance;          /* m, once the body has been 0.1 m away */
  int away, entered, hands_first;
  double angle, bend, arms, speed, distance; /* at entry: rad, m/s, m */
} dive_state;

#define DIVE_THICK 0.3       /* m: the platform's */
#define DIVE_LONG 6.0        /* m */
#define DIVE_OVERHANG 0.005  /* m: toes end so far before the edge */
#define DIVE_AWAY 0.1        /* m: the feet have left */
#define DIVE_ANGLE 15.0      /* deg; with twists 25 */
#define DIVE_TWISTED 25.0
#define DIVE_BENT 25.0       /* deg, hips, knees, spine, and arms */
#define DIVE_CLEAR 0.05      /* m */
#define DIVE_FAR 3.0         /* m */
#define DIVE_TWIST 0.25      /* of a turn */

static double dive_param_of(const po_run *r, const char *name) {
  double x = 0;
  po_move_get(&x, po_run_move(r, 0), name);
  return x;
}

/* Straight on its hands over the platform's edge, a little past the vertical. */
#define DIVE_PAST PO_RAD(12) /* the COM just beyond the fingers */
static po_status dive_armstand(po_run *r, double platform, po_error *err) {
  static const char *const arm[2] = {"upper_arm_l", "upper_arm_r"}, *const palm[2] = {"palm_l", "palm_r"};
  double *q = po_world_q(r->world, 0), low = PO_INF, front = -PO_INF;
  po_data *d = po_world_data(r->world, 0);
  int f, i;
  po_neutral(q, r->model);
  for (f = 0; f < 2; f++) {
    int a = po_find_body(r->model, arm[f]), h = po_find_body(r->model, palm[f]);
    if (a < 0 || h < 0) return po_fail(err, PO_ERR_NAME, "model '%s' has no palms to stand on: start = hands needs a body with links palm_l, palm_r", r->model->name);
    po_q_to(q + r->model->joint[a].q, po_q_axis_angle(po_v3(0, 1, 0), -3.1));
    q[r->model->joint[h].q] = po_max(-0.5 * PO_PI, r->model->joint[h].lower[0] + 0.02);
  }
  po_q_to(q, po_q_mul(po_q_axis_angle(po_v3(0, 1, 0), PO_PI + DIVE_PAST), po_q_of(q)));
  po_kinematics(d, q, NULL);
  for (i = 0; i < r->model->frames; i++)
    if (!strncmp(r->model->frame[i].name, "palm_", 5) && strlen(r->model->frame[i].name) > 6) {
      po_vec3 p = po_frame_position(d, i);
      low = po_min(low, p.z);
      front = po_max(front, p.x);
    }
  q[4] -= front + DIVE_OVERHANG;
  q[6] += platform - low;
  return PO_OK;
}

/* Standing with the toes, or the heels, at the edge. */
static po_status dive_stand(po_run *r, double side, po_error *err) {
  po_data *d = po_world_data(r->world, 0);
  double front = -PO_INF, back = PO_INF;
  po_status st = po_stand_pose(po_world_q(r->world, 0), r->model, r->terrain, -side, 0, 0, 0.95, err);
  int i;
  if (st != PO_OK) return st;
  po_kinematics(d, po_world_q(r->world, 0), NULL);
  for (i = 0; i < r->model->frames; i++)
    if (!strncmp(r->model->frame[i].name, "sole_", 5)) {
      double x = po_frame_position(d, i).x;
      front = po_max(front, x);
      back = po_min(back, x);
    }
  po_world_q(r->world, 0)[4] -= side > 0 ? front + DIVE_OVERHANG : back - DIVE_OVERHANG;
  return PO_OK;
}

static po_status dive_init(po_run *r, po_error *err) {
  dive_state *s = r->state;
  const dive_scene *p = r->params;
  const po_dive_params *control = r->move_params;
  po_vec3 low = po_v3(-DIVE_LONG, -2, p->platform - DIVE_THICK), high = po_v3(0, 2, p->platform);
  po_status st;
  if (control->revolutions != floor(control->revolutions)) return po_fail(err, PO_ERR_RANGE, "revolutions = %g: whole turns are needed", control->revolutions);
  if (2 * control->twists != floor(2 * control->twists)) return po_fail(err, PO_ERR_RANGE, "twists = %g: halves are needed", control->twists);
  if (control->hands > 0.5 && control->back > 0.5) return po_fail(err, PO_ERR_UNSUPPORTED, "an armstand dive turns forward: start = hands goes with direction = forward");
  if ((st = turn_strength(r, p->turn.strength, err)) != PO_OK) return st;
  s->side = control->back > 0.5 ? -1 : 1;
  if (s->side < 0) low.x = 0, high.x = DIVE_LONG;
  if ((st = po_terrain_new(&r->terrain, NULL)) != PO_OK) return po_fail(err, st, "terrain");
  if ((st = po_terrain_add_step(r->terrain, low, high, 1)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  st = control->hands > 0.5 ? dive_armstand(r, p->platform, err) : dive_stand(r, s->side, err);
  if (st != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->clearance = PO_INF;
  if ((st = turn_begin(&s->watch, r, &p->turn, po_v3(0, s->side, 0), p->platform, err)) != PO_OK) return st;
  if (control->hands > 0.5) s->watch.phase.theta = s->watch.theta_start += 2 * PO_PI; /* head down is half a turn done */
  return PO_OK;
}

static po_status dive_before(po_run *r) {
  dive_state *s = r->state;
  return turn_forces(&s->watch, r, &((const dive_scene *)r->params)->turn, po_v3(s->side, 0, 0));
}

/* ---- shapes against water and platform ---- */

/* Points of a shape that reach furthest, and the radius around them. */
static int dive_points(const po_data *d, const po_shape *x, po_vec3 p[8], double *radius) {
  po_vec3 c = po_point_position(d, x->body, x->pose.p), e[3];
  po_mat3 R = po_m3_mul(d->pose[x->body].R, x->pose.R);
  int i;
  for (i = 0; i < 3; i++) e[i] = po_m3_col(R, i);
  *radius = x->type == PO_SPHERE || x->type == PO_CAPSULE ? x->size[0] : 0;
  if (x->type == PO_SPHERE) {
    p[0] = c;
    return 1;
  }
  if (x->type == PO_CAPSULE) {
    p[0] = po_v3_addscaled(c, x->size[1], e[2]);
    p[1] = po_v3_addscaled(c, -x->size[1], e[2]);
    return 2;
  }
  for (i = 0; i < 8; i++) {
    p[i] = po_v3_addscaled(c, i & 1 ? x->size[0] : -x->size[0], e[0]);
    p[i] = po_v3_addscaled(p[i], i & 2 ? x->size[1] : -x->size[1], e[1]);
    p[i] = po_v3_addscaled(p[i], i & 4 ? x->size[2] : -x->size[2], e[2]);
  }
  return 8;
}

/* The platform seen from the side: it is wider than any body. */
static double dive_to_platform(const dive_state *s, double platform, po_vec3 p) {
  double dx = po_max(s->side * p.x, 0), dz = po_max(po_max(p.z - platform, platform - DIVE_THICK - p.z), 0);
  return sqrt(dx * dx + dz * dz);
}


static po_vec3 dive_link(const po_run *r, const po_data *d, const char *from, const char *to) {
  int a = po_find_body(r->model, from), b = po_find_body(r->model, to);
  return a >= 0 && b >= 0 ? po_v3_sub(d->pose[b].p, d->pose[a].p) : po_v3(0, 0, 1);
}

/* How the body is as it meets the water; the worse of left and right. */
static void dive_enter_water(dive_state *s, const po_run *r, const po_data *d) {
  static const char *const thigh[2] = {"thigh_l", "thigh_r"}, *const shank[2] = {"shank_l", "shank_r"}, *const foot[2] = {"foot_l", "foot_r"},
                           *const arm[2] = {"upper_arm_l", "upper_arm_r"}, *const hand[2] = {"hand_l", "hand_r"};
  const po_phase *phase = &s->watch.phase;
  po_vec3 u = po_v3_sub(po_point_position(d, phase->neck, phase->neck_point), d->pose[phase->pelvis].p);
  int f, thorax = po_find_body(r->model, "thorax");
  s->angle = po_v3_angle(u, po_v3(0, 0, -1));
  if (thorax >= 0) s->bend = po_v3_angle(po_m3_col(d->pose[0].R, 2), po_m3_col(d->pose[thorax].R, 2));
  for (f = 0; f < 2; f++) {
    po_vec3 upper = dive_link(r, d, thigh[f], shank[f]), lower = dive_link(r, d, shank[f], foot[f]);
    int a = po_find_body(r->model, arm[f]), h = po_find_frame(r->model, hand[f]);
    s->bend = po_max(s->bend, po_max(po_v3_angle(upper, po_v3_neg(po_m3_col(d->pose[0].R, 2))), po_v3_angle(upper, lower)));
    if (a >= 0 && h >= 0) s->arms = po_max(s->arms, po_v3_angle(po_v3_sub(po_frame_position(d, h), d->pose[a].p), u));
  }
  s->speed = -d->com_velocity.z;
  s->distance = s->side * d->com.x;
}

static void dive_observe(po_run *r) {
  dive_state *s = r->state;
  const dive_scene *p = r->params;
  const po_data *d = po_world_data(r->world, 0);
  double lowest = PO_INF, nearest = PO_INF, radius;
  po_vec3 point[8];
  int i, k, n, first = -1;
  if (s->entered) return;
  turn_observe(&s->watch, r, &p->turn);
  for (i = 0; i < r->model->shapes; i++)
    for (n = dive_points(d, &r->model->shape[i], point, &radius), k = 0; k < n; k++) {
      nearest = po_min(nearest, dive_to_platform(s, p->platform, point[k]) - radius);
      if (point[k].z - radius < lowest) lowest = point[k].z - radius, first = r->model->shape[i].body;
    }
  if (s->watch.in_air && nearest > DIVE_AWAY) s->away = 1;
  if (s->away) s->clearance = po_min(s->clearance, nearest);
  if (lowest > 0) return;
  s->entered = 1;
  s->hands_first = !strncmp(r->model->body_name[first], "palm", 4) || !strncmp(r->model->body_name[first], "forearm", 7);
  turn_end_flight(&s->watch, r);
  dive_enter_water(s, r, d);
}

static int dive_finished(const po_run *r) { return ((const dive_state *)r->state)->entered; }

static void dive_verdict(po_run *r, double turns, double twists) {
  const dive_state *s = r->state;
  double asked = dive_param_of(r, "revolutions"), twisted = dive_param_of(r, "twists");
  turn_judge_flight(&s->watch, r);
  if (!s->entered) po_run_fail(r, PO_FAILED, "it did not reach the water");
  if (!s->hands_first) po_run_fail(r, PO_FAILED, "the hands were not the first to meet the water");
  if (PO_DEG(s->angle) > (twisted > 0 ? DIVE_TWISTED : DIVE_ANGLE)) po_run_fail(r, PO_FAILED, "it entered %.1f degrees from the vertical", PO_DEG(s->angle));
  if (PO_DEG(s->bend) > DIVE_BENT) po_run_fail(r, PO_FAILED, "it was bent by %.1f degrees at entry", PO_DEG(s->bend));
  if (PO_DEG(s->arms) > DIVE_BENT) po_run_fail(r, PO_FAILED, "its arms were %.1f degrees off its line at entry", PO_DEG(s->arms));
  if (turns != asked) po_run_fail(r, PO_FAILED, "it made %.0f whole turns instead of %.0f", turns, asked);
  if (po_abs(twists - twisted) > DIVE_TWIST) po_run_fail(r, PO_FAILED, "it made %.2f twists instead of %.1f", twists, twisted);
  if (!(s->clearance > DIVE_CLEAR)) po_run_fail(r, PO_FAILED, "it passed the platform at %.3f m", s->clearance);
  if (s->distance > DIVE_FAR) po_run_fail(r, PO_FAILED, "it entered %.2f m from the platform", s->distance);
}

static void dive_judge(po_run *r) {
  const dive_state *s = r->state;
  const dive_scene *p = r->params;
  double start = dive_param_of(r, "hands") > 0.5 ? 0 : 180, turns, twists = po_abs(s->watch.twist) / (2 * PO_PI);
  turns = po_max(0, floor((PO_DEG(turn_rotation(&s->watch)) - start + 90) / 360)); /* the half to head first does not count */
  turn_results(&s->watch, r, p->turn.strength);
  po_run_set_result(r, "revolutions_done", turns);
  po_run_set_result(r, "twists_done", twists);
  po_run_set_result(r, "entry_angle_deg", s->entered ? PO_DEG(s->angle) : PO_NAN);
  po_run_set_result(r, "entry_bend_deg", s->entered ? PO_DEG(s->bend) : PO_NAN);
  po_run_set_result(r, "entry_arms_deg", s->entered ? PO_DEG(s->arms) : PO_NAN);
  po_run_set_result(r, "entry_speed", s->entered ? s->speed : PO_NAN);
  po_run_set_result(r, "entry_distance", s->entered ? s->distance : PO_NAN);
  po_run_set_result(r, "clearance", s->away ? s->clearance : PO_NAN);
  if (r->outcome == PO_RUNNING) dive_verdict(r, turns, twists);
}

const po_scenario po_scenario_dive = {
    .name = "dive", .summary = "a dive from a platform into water",
    .success = "hands first, within 15 degrees of the vertical (25 with twists), bend and arms below 25, turns and twists as asked, 0.05 m clear of the platform, within 3 m of it",
    .model = "gymnast", .move = "dive", .seconds = 8, .dt = 0.001, .control_hz = 1000, .may_touch = PO_BOTH_FEET | PO_BOTH_HANDS,
    .param = dive_param, .params = 1 + TURN_ROW_COUNT, .params_bytes = sizeof(dive_scene), .text = dive_text, .state_bytes = sizeof(dive_state),
    .init = dive_init, .before = dive_before, .observe = dive_observe, .finished = dive_finished, .judge = dive_judge};
