/* reach.c: a thing at some height and bearing is walked to, taken with a hand, and carried on (Coros 2010, figure 5.8). It may be moved while the run goes on. */
#include "skill_scene.h"
#include <string.h>

typedef struct reach_params { double friction, distance, bearing_deg, height, object_mass; } reach_params;
static const po_param reach_param[] = {
    PO_PARAM(reach_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(reach_params, distance, 3, 0.5, 6, "m", "of the thing at the start"),
    PO_PARAM(reach_params, bearing_deg, 0, -120, 120, "deg", "where it is, left positive"),
    PO_PARAM(reach_params, height, 1.1, 0.05, 2, "m", "of its handle over the ground"),
    PO_PARAM(reach_params, object_mass, 0.5, 0.05, 5, "kg", "of the thing"),
};
static const po_text_param reach_text[] = {PO_SKILL_TEXTS, {"hand", "auto", "auto: on the thing's side; left, right", NULL}, {NULL, NULL, NULL, NULL}};

#define REACH_SCENE_BALL 0.03    /* m: its radius, */
#define REACH_SCENE_STEM 0.13    /* m: its handle is so far before its middle: fists are long */
#define REACH_SCENE_PIN 2e4      /* N/m that hold it in its place until it is taken */
#define REACH_SCENE_MOVES 1.0    /* m/s at which it is moved when its place is changed */
#define REACH_SCENE_HELD 3.0     /* s */
#define REACH_SCENE_HAND 0.03    /* m */

typedef struct reach_state {
  po_skill_prop prop;
  po_vec3 place;                 /* where it is held, */
  double turned;                 /* rad: and how its handle is turned */
  double pin[2];                 /* by these springs, at its middle and its handle */
  double error, reached_at, speed, lean, knee, walked_seconds;
} reach_state;

/* Where its handle is to be. */
static po_vec3 reach_scene_place(const reach_params *p) {
  double s, c;
  po_sincos(&s, &c, PO_RAD(p->bearing_deg));
  return po_v3(p->distance * c, p->distance * s, p->height);
}

/* A point of it, so far behind its handle. */
static po_vec3 reach_scene_point(const reach_state *s, double behind) {
  double si, co;
  po_sincos(&si, &co, s->turned);
  return po_v3(s->place.x + behind * co, s->place.y + behind * si, s->place.z);
}

static po_status reach_scene_init(po_run *r, po_error *err) {
  const reach_params *p = r->params;
  reach_state *s = r->state;
  const char *hand = po_run_text(r, "hand");
  po_thing ball = {"thing", PO_SPHERE, {REACH_SCENE_BALL, 0, 0}, p->object_mass};
  po_spring pin;
  po_status st;
  int index, i;
  s->reached_at = -1;
  s->error = PO_INF;
  if (strcmp(hand, "auto") && strcmp(hand, "left") && strcmp(hand, "right")) return po_fail(err, PO_ERR_NAME, "hand = %s: auto, left or right", hand);
  if ((st = po_skill_body(r, p->friction, 0, err)) != PO_OK) return st;
  if ((st = po_skill_add_thing(r, &ball, po_v3(-REACH_SCENE_STEM, 0, 0), po_v3(-REACH_SCENE_STEM, 0, 0), -1, 0, err)) != PO_OK) return st;
  s->place = reach_scene_place(p);
  s->turned = PO_RAD(p->bearing_deg);
  po_skill_place_thing(r, reach_scene_point(s, REACH_SCENE_STEM), s->turned);
  memset(&pin, 0, sizeof pin);
  pin.a = 1, pin.b = -1;
  for (i = 0; i < 2; i++) {
    pin.point_a = po_v3(i ? -REACH_SCENE_STEM : 0, 0, 0);
    pin.point_b = reach_scene_point(s, i ? 0 : REACH_SCENE_STEM);
    pin.stiffness = REACH_SCENE_PIN, pin.damping = 0.02 * REACH_SCENE_PIN;
    if ((st = po_world_add_spring(&index, r->world, &pin)) != PO_OK) return po_fail(err, st, "spring: %s", po_status_string(st));
    s->pin[i] = index;
  }
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  po_skill_run(r)->goal.hand = !strcmp(hand, "left") ? 1 : !strcmp(hand, "right") ? 2 : 0;
  return PO_OK;
}

/* The pin lets go of what is held, and moves what is not to where it is wanted. */
static po_status reach_scene_before(po_run *r) {
  reach_state *s = r->state;
  po_status st = po_skill_tell(r);
  po_vec3 off = po_v3_sub(reach_scene_place(r->params), s->place);
  double far = po_v3_norm(off), most = REACH_SCENE_MOVES * r->opts.dt, turn = PO_RAD(((const reach_params *)r->params)->bearing_deg) - s->turned;
  int i;
  if (!(s->prop.held > 0)) {
    s->place = far > most ? po_v3_addscaled(s->place, most / far, off) : reach_scene_place(r->params);
    s->turned += po_clamp(turn, -most, most);
  }
  for (i = 0; i < 2; i++) {
    po_spring *pin = po_world_spring(r->world, (int)s->pin[i]);
    pin->stiffness = s->prop.held > 0 ? 0 : REACH_SCENE_PIN;
    pin->damping = 0.02 * pin->stiffness;
    pin->point_b = reach_scene_point(s, i ? 0 : REACH_SCENE_STEM);
  }
  return st;
}

static void reach_scene_observe(po_run *r) {
  reach_state *s = r->state;
  const po_skill_task *k = po_skill_run(r);
  const po_data *d = po_world_data(r->world, 0);
  const po_actor *a = po_run_move(r, 0)->actor;
  int i, thorax = po_find_body(r->model, "thorax");
  po_skill_watch_things(r);
  for (i = 0; i < 2 && s->reached_at < 0; i++)
    if (k->close[i] > 0)
      s->error = po_min(s->error, po_v3_norm(po_v3_sub(po_frame_position(d, po_find_frame(r->model, i == 0 ? "hand_l" : "hand_r")), k->thing.handle[i])));
  if (s->reached_at < 0 && s->prop.held > 0) {
    s->reached_at = r->time;
    s->speed = sqrt(d->com_velocity.x * d->com_velocity.x + d->com_velocity.y * d->com_velocity.y);
  }
  if (thorax >= 0) s->lean = po_max(s->lean, po_acos(po_clamp(po_gbwc_lean(po_run_move(r, 0), d, thorax).m[8], -1, 1)));
  for (i = 0; i < 2; i++) s->knee = po_max(s->knee, po_world_q(r->world, 0)[r->model->joint[a->legs.shank[i]].q]);
  if (s->prop.held > 0 && po_gbwc_now(po_run_move(r, 0))->mode == PO_GBWC_WALK) s->walked_seconds += r->opts.dt;
}

static int reach_scene_finished(const po_run *r) {
  const reach_state *s = r->state;
  return s->prop.held_seconds >= REACH_SCENE_HELD && s->walked_seconds >= REACH_SCENE_HELD;
}

static void reach_scene_judge(po_run *r) {
  const reach_state *s = r->state;
  po_run_set_result(r, "reach_error", s->error);
  po_run_set_result(r, "reached_at", s->reached_at >= 0 ? s->reached_at : PO_NAN);
  po_run_set_result(r, "speed_at_reach", s->reached_at >= 0 ? s->speed : PO_NAN);
  po_run_set_result(r, "lean_max_deg", PO_DEG(s->lean));
  po_run_set_result(r, "knee_max_deg", PO_DEG(s->knee));
  po_run_set_result(r, "held_seconds", s->prop.held_seconds);
  po_run_set_result(r, "grasp_force_max", s->prop.force);
  if (r->outcome != PO_RUNNING) return;
  if (s->reached_at < 0) {
    double high = ((const reach_params *)r->params)->height, most = po_skill_heights_of(po_run_move(r, 0)).reach;
    if (high > most) po_run_fail(r, PO_FAILED, "%.2f m is above its reach of %.2f m", high, most);
    else if (!po_isfinite(s->error)) po_run_fail(r, PO_FAILED, "never came near it: %s", po_move_phase_string(po_run_move(r, 0)));
    else po_run_fail(r, PO_FAILED, "its hand came within %.3f m, %.2f are asked for", s->error, REACH_SCENE_HAND);
  } else if (!reach_scene_finished(r)) po_run_fail(r, PO_FAILED, "held it for %.1f s and walked on for %.1f, %.0f are asked for", s->prop.held_seconds, s->walked_seconds, REACH_SCENE_HELD);
}

const po_scenario po_scenario_reach = {
  .name = "reach", .summary = "walk to a thing, take it with a hand, walk on with it",
  .success = "the hand comes within 3 cm, holds it for 3 s while walking on, no fall",
  .model = "human", .move = "reach", .seconds = 40, .dt = 0.0005, .control_hz = 2000, .text = reach_text, .live = 1,
  .param = reach_param, .params = sizeof reach_param / sizeof *reach_param, .params_bytes = sizeof(reach_params),
  .state_bytes = sizeof(reach_state), .init = reach_scene_init, .before = reach_scene_before, .observe = reach_scene_observe, .finished = reach_scene_finished, .judge = reach_scene_judge};
