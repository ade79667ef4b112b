/* handstand.c: a body that stands on its hands. */
#include "flip_watch.h"

typedef struct handstand_scene { double strength; } handstand_scene;
static const po_param handstand_scene_param[] = {{"strength", 1, 0.5, 2, "", "factor on all torque limits", offsetof(handstand_scene, strength)}};

typedef struct handstand_state { double sway, tilt, speed; } handstand_state; /* largest: m of the COM from where it began; rad of the trunk; m/s */

#define HANDSTAND_TILT 30.0 /* deg: whose trunk leans further does not stand on its hands */
#define HANDSTAND_STILL 0.15 /* m/s at the end, as in standing */

static po_status handstand_init(po_run *r, po_error *err) {
  po_status st;
  if ((st = turn_strength(r, ((const handstand_scene *)r->params)->strength, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_handstand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  return PO_OK;
}

static void handstand_observe(po_run *r) {
  handstand_state *s = r->state;
  po_data *d = po_world_data(r->world, 0);
  po_vec3 u;
  po_all_terms(d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  u = po_m3_col(d->pose[0].R, 2);
  s->tilt = po_max(s->tilt, po_atan2(sqrt(u.x * u.x + u.y * u.y), -u.z));
  s->sway = po_max(s->sway, sqrt(d->com.x * d->com.x + d->com.y * d->com.y)); /* the palms' middle is the origin */
  s->speed = po_v3_norm(d->com_velocity);
}

static int handstand_finished(const po_run *r) { return po_move_done(po_run_move(r, 0)) == PO_MOVE_DONE; }

static void handstand_judge(po_run *r) {
  const handstand_state *s = r->state;
  po_run_set_result(r, "stood_seconds", r->time);
  po_run_set_result(r, "sway", s->sway);
  po_run_set_result(r, "tilt_max_deg", PO_DEG(s->tilt));
  po_run_set_result(r, "strength", ((const handstand_scene *)r->params)->strength);
  if (r->outcome != PO_RUNNING) return;
  if (po_move_done(po_run_move(r, 0)) != PO_MOVE_DONE) po_run_fail(r, PO_FAILED, "it did not stand on its hands for as long as was asked");
  if (PO_DEG(s->tilt) > HANDSTAND_TILT) po_run_fail(r, PO_FAILED, "its trunk leaned by %.1f degrees", PO_DEG(s->tilt));
  if (s->speed > HANDSTAND_STILL) po_run_fail(r, PO_FAILED, "it still moved at %.2f m/s", s->speed);
}

const po_scenario po_scenario_handstand = {
    .name = "handstand", .summary = "a body that stands on its hands", .success = "only hands touch for as long as asked, the trunk within 30 degrees of head down, slower than 0.15 m/s at the end",
    .model = "gymnast", .move = "handstand", .seconds = 61, .dt = 0.001, .control_hz = 1000, .may_touch = PO_BOTH_HANDS,
    .param = handstand_scene_param, .params = 1, .params_bytes = sizeof(handstand_scene), .state_bytes = sizeof(handstand_state),
    .init = handstand_init, .observe = handstand_observe, .finished = handstand_finished, .judge = handstand_judge};
