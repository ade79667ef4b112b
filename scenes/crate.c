/* crate.c: a crate is pushed or pulled by its handles (Coros 2010, figure 5.8). */
#include "skill_scene.h"
#include <string.h>

typedef struct crate_params { double friction, mass, mu, distance, handle, tug_deg; } crate_params;
static const po_param crate_param[] = {
    PO_PARAM(crate_params, friction, 0.8, 0.1, 3, "", "of the ground under the feet"),
    PO_PARAM(crate_params, mass, 80, 5, 200, "kg", "of the crate"),
    PO_PARAM(crate_params, mu, 0.2, 0.05, 1, "", "friction of the crate on the ground"),
    PO_PARAM(crate_params, distance, 3, 0.5, 10, "m", "how far it is to be moved"),
    PO_PARAM(crate_params, handle, 0.9, 0.6, 1.2, "m", "height of its handles"),
    PO_PARAM(crate_params, tug_deg, 0, 0, 20, "deg", "how far the trunk goes back and forth"),
};
static const po_text_param crate_text[] = {PO_SKILL_TEXTS, {"mode", "push", "push, or pull", NULL}, {NULL, NULL, NULL, NULL}};

#define CRATE_SCENE_AT 1.6       /* m: where its near face is */
#define CRATE_SCENE_DEEP 0.35    /* m: half extents */
#define CRATE_SCENE_WIDE 0.35
#define CRATE_SCENE_RIM 0.1      /* m above the handles */
#define CRATE_SCENE_APART 0.2    /* m: half the distance between the handles, */
#define CRATE_SCENE_KNOB 0.1     /* and how far they stand out */
#define CRATE_SCENE_BEYOND 0.1   /* m: it is asked for so much more */
#define CRATE_SCENE_STRETCH 0.05 /* m */

typedef struct crate_state { po_skill_prop prop; double from_x, from_y, taken, moved, pushed, turn, over; } crate_state;

static po_status crate_scene_init(po_run *r, po_error *err) {
  const crate_params *p = r->params;
  crate_state *s = r->state;
  const char *mode = po_run_text(r, "mode");
  double high = 0.5 * (p->handle + CRATE_SCENE_RIM), scale = 1;
  po_thing crate = {"crate", PO_BOX, {CRATE_SCENE_DEEP, CRATE_SCENE_WIDE, high}, p->mass};
  po_status st;
  if (strcmp(mode, "push") && strcmp(mode, "pull")) return po_fail(err, PO_ERR_NAME, "mode = %s: push or pull", mode);
  if ((st = po_skill_body(r, p->friction, 0, err)) != PO_OK) return st;
  st = po_skill_add_thing(r, &crate, po_v3(-CRATE_SCENE_DEEP - CRATE_SCENE_KNOB, scale * CRATE_SCENE_APART, p->handle - high),
                          po_v3(-CRATE_SCENE_DEEP - CRATE_SCENE_KNOB, -scale * CRATE_SCENE_APART, p->handle - high), p->mu, 0, err);
  if (st != PO_OK) return st;
  s->from_x = CRATE_SCENE_AT + CRATE_SCENE_DEEP;
  po_skill_place_thing(r, po_v3(s->from_x, 0, high), 0);
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  po_skill_run(r)->goal.pull = !strcmp(mode, "pull");
  po_skill_run(r)->goal.tug = PO_RAD(p->tug_deg);
  po_skill_run(r)->goal.distance = p->distance + CRATE_SCENE_BEYOND;
  return PO_OK;
}

static void crate_scene_observe(po_run *r) {
  crate_state *s = r->state;
  po_pose x = po_skill_thing_pose(r);
  double way = po_skill_run(r)->goal.pull > 0 ? -1 : 1;
  po_skill_watch_things(r);
  if (s->prop.held >= 2) s->taken = 1, s->pushed += r->opts.dt;
  else if (s->taken > 0) s->over = 1;
  s->moved = po_max(s->moved, way * (x.p.x - s->from_x));
  s->turn = po_max(s->turn, po_abs(po_m3_yaw(x.R)));
}

static int crate_scene_finished(const po_run *r) { return ((const crate_state *)r->state)->moved >= ((const crate_params *)r->params)->distance; }

static void crate_scene_judge(po_run *r) {
  const crate_params *p = r->params;
  const crate_state *s = r->state;
  po_run_set_result(r, "moved", s->moved);
  po_run_set_result(r, "crate_turn_deg", PO_DEG(s->turn));
  po_run_set_result(r, "hand_stretch_max", s->prop.stretch);
  po_run_set_result(r, "grasp_force_max", s->prop.force);
  po_run_set_result(r, "pushed_seconds", s->pushed);
  if (r->outcome != PO_RUNNING) return;
  if (!(s->taken > 0)) po_run_fail(r, PO_FAILED, "its hands never held the crate: it came as far as '%s'", po_move_phase_string(po_run_move(r, 0)));
  else if (s->over > 0) po_run_fail(r, PO_FAILED, "a hand let go");
  else if (s->moved < p->distance) po_run_fail(r, PO_FAILED, "moved it %.2f of %.2f m: friction holds it with %.0f N", s->moved, p->distance, p->mass * p->mu * 9.81);
  else if (!(s->prop.stretch < CRATE_SCENE_STRETCH)) po_run_fail(r, PO_FAILED, "a hand was %.3f m off its handle", s->prop.stretch);
}

const po_scenario po_scenario_crate = {
  .name = "crate", .summary = "push or pull a crate by its handles",
  .success = "moved as far as asked; hands on it, stretched by less than 5 cm; no fall",
  .model = "human", .move = "crate", .seconds = 60, .dt = 0.0005, .control_hz = 2000, .text = crate_text,
  .param = crate_param, .params = sizeof crate_param / sizeof *crate_param, .params_bytes = sizeof(crate_params),
  .state_bytes = sizeof(crate_state), .init = crate_scene_init, .before = po_skill_tell, .observe = crate_scene_observe, .finished = crate_scene_finished, .judge = crate_scene_judge};
