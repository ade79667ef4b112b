/* flip.c: backflips and frontflips (Al Borno et al. 2014, section 5.2). */
#include "flip_watch.h"

typedef struct flip_scene { turn_params turn; } flip_scene;
static const po_param flip_scene_param[] = {TURN_ROWS(flip_scene, turn)};
static const po_text_param flip_text[] = {{"phase", "trunk", "what the controller goes by: trunk, average, pelvis or time", turn_apply_phase}, {NULL, NULL, NULL, NULL}};

typedef struct flip_state { turn_watch watch; double split; } flip_state; /* split: largest angle between the thighs in flight, rad */

#define FLIP_ROTATION 20.0   /* deg from a whole turn */
#define FLIP_APEX 0.15       /* of the apex asked for */
#define FLIP_INERTIA 0.2     /* of the inertia asked for */
#define FLIP_TILT 25.0       /* deg */
#define FLIP_DISTANCE 0.25   /* m from the landing asked for */
#define FLIP_SPLIT 20.0      /* deg from the split asked for */

static double flip_param_of(const po_run *r, const char *name) {
  double x = 0;
  po_move_get(&x, po_run_move(r, 0), name);
  return x;
}

static po_status flip_init(po_run *r, po_error *err) {
  flip_state *s = r->state;
  const flip_scene *p = r->params;
  const po_flip_params *control = r->move_params;
  po_status st;
  if ((st = turn_strength(r, p->turn.strength, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.95, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  return turn_begin(&s->watch, r, &p->turn, po_v3(0, control->forward > 0.5 ? 1 : -1, 0), 0, err);
}

static po_status flip_before(po_run *r) {
  flip_state *s = r->state;
  const flip_scene *p = r->params;
  const po_flip_params *control = r->move_params;
  return turn_forces(&s->watch, r, &p->turn, po_v3_scale(control->forward > 0.5 ? 1 : -1, s->watch.ahead));
}

/* Angle between the thighs, seen along the body's left. */
static double flip_split_angle(const po_run *r) {
  static const char *const thigh[2] = {"thigh_l", "thigh_r"}, *const shank[2] = {"shank_l", "shank_r"};
  const po_data *d = po_world_data(r->world, 0);
  po_vec3 left = po_m3_col(d->pose[0].R, 1), u[2];
  int f;
  for (f = 0; f < 2; f++) {
    int a = po_find_body(r->model, thigh[f]), b = po_find_body(r->model, shank[f]);
    if (a < 0 || b < 0) return 0;
    u[f] = po_v3_sub(d->pose[b].p, d->pose[a].p);
    u[f] = po_v3_addscaled(u[f], -po_v3_dot(u[f], left), left);
  }
  return po_v3_angle(u[0], u[1]);
}

static void flip_observe(po_run *r) {
  flip_state *s = r->state;
  turn_observe(&s->watch, r, &((const flip_scene *)r->params)->turn);
  if (s->watch.in_air) s->split = po_max(s->split, flip_split_angle(r));
}

static int flip_finished(const po_run *r) { return turn_stood(&((const flip_state *)r->state)->watch, r); }

static void flip_verdict(po_run *r, double landed, int disturbed) {
  const turn_watch *w = &((flip_state *)r->state)->watch;
  double apex = flip_param_of(r, "apex"), inertia = flip_param_of(r, "inertia"), distance = flip_param_of(r, "distance"), turned = PO_DEG(turn_rotation(w));
  double split = flip_param_of(r, "split_deg"), apart = PO_DEG(((flip_state *)r->state)->split);
  turn_judge_flight(w, r);
  if (!turn_stood(w, r)) po_run_fail(r, PO_FAILED, "it did not come to stand (%s)", po_move_phase_string(po_run_move(r, 0)));
  if (po_abs(turned - 360) > FLIP_ROTATION) po_run_fail(r, PO_FAILED, "it turned %.1f degrees in all", turned);
  if (PO_DEG(w->longest.tilt) > FLIP_TILT) po_run_fail(r, PO_FAILED, "its axis tilted by %.1f degrees", PO_DEG(w->longest.tilt));
  if (!w->longest.feet_first) po_run_fail(r, PO_FAILED, "something else touched before the feet");
  if (split > 0 && po_abs(apart - split) > FLIP_SPLIT) po_run_fail(r, PO_FAILED, "asked for legs %.0f degrees apart, they were %.1f", split, apart);
  if (disturbed) return;
  if (po_abs(w->rise_max - apex) > FLIP_APEX * apex) po_run_fail(r, PO_FAILED, "asked to rise %.3f m, it rose %.3f m", apex, w->rise_max);
  if (!(split > 0) && po_abs(w->longest.inertia_mean - inertia) > FLIP_INERTIA * inertia)
    po_run_fail(r, PO_FAILED, "asked for an inertia of %.3f in the air, it was %.3f", inertia, w->longest.inertia_mean);
  if (po_abs(landed - distance) > FLIP_DISTANCE) po_run_fail(r, PO_FAILED, "landed %.3f m ahead instead of %.3f", landed, distance);
}

static void flip_judge(po_run *r) {
  const turn_watch *w = &((flip_state *)r->state)->watch;
  const flip_scene *p = r->params;
  const po_turning *n = po_turning_of(po_run_move(r, 0));
  double landed = po_v3_dot(w->ahead, po_v3_sub(w->longest.feet_land, w->feet_start));
  turn_results(w, r, p->turn.strength);
  po_run_set_result(r, "landing_distance", landed);
  po_run_set_result(r, "theta_planned_deg", n ? PO_DEG(n->theta_planned) : PO_NAN);
  po_run_set_result(r, "inertia_land", w->longest.inertia_land);
  if (flip_param_of(r, "split_deg") > 0) po_run_set_result(r, "split_deg", PO_DEG(((flip_state *)r->state)->split));
  if (r->outcome == PO_RUNNING) flip_verdict(r, landed, p->turn.push != 0 || p->turn.wind != 0 || r->opts.pushes > 0);
}

#define FLIP_SCENARIO(id, title, words, when) \
  const po_scenario po_scenario_##id = { \
    .name = title, .summary = words, .success = when, \
    .model = "gymnast", .move = title, .seconds = 12, .dt = 0.001, .control_hz = 1000, \
    .param = flip_scene_param, .params = TURN_ROW_COUNT, .params_bytes = sizeof(flip_scene), .text = flip_text, .state_bytes = sizeof(flip_state), \
    .init = flip_init, .before = flip_before, .observe = flip_observe, .finished = flip_finished, .judge = flip_judge}
#define FLIP_WHEN \
  "turns 360 degrees (20), rises, folds and travels as asked (15 %, 20 %, 0.25 m; not judged when pushed), its axis level within 25 degrees, lands on its feet and stands for 3 s"
#define AERIAL_WHEN \
  "turns 360 degrees (20) with its legs apart as asked (20), rises and travels as asked (15 %, 0.25 m; not judged when pushed), its axis level within 25 degrees, lands on its " \
  "feet and stands for 3 s"
FLIP_SCENARIO(backflip, "backflip", "a backward somersault from standing", FLIP_WHEN);
FLIP_SCENARIO(frontflip, "frontflip", "a forward somersault from standing", FLIP_WHEN);
FLIP_SCENARIO(front_aerial, "front-aerial", "a forward somersault with the legs apart", AERIAL_WHEN);
