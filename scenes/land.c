/* land.c: a body thrown in, turning as one piece, comes to stand: the end of every flip, by itself. */
#include "flip_watch.h"

typedef struct land_scene { double momentum, theta_deg, speed, drop; turn_params turn; } land_scene;
static const po_param land_param[] = {
  PO_PARAM(land_scene, momentum, 0, -80, 80, "kg m^2/s", "about the lateral axis, backwards positive"),
  PO_PARAM(land_scene, theta_deg, 0, -90, 90, "deg", "trunk at touchdown if nothing moved, backwards positive"),
  PO_PARAM(land_scene, speed, 0, -2, 2, "m/s", "forward"),
  PO_PARAM(land_scene, drop, 0.4, 0.1, 1, "m", "the COM falls so far"),
  TURN_ROWS(land_scene, turn),
};
static const po_text_param land_text[] = {{"phase", "trunk", "what the controller goes by: trunk, average, pelvis or time", turn_apply_phase}, {NULL, NULL, NULL, NULL}};

typedef struct land_state { turn_watch watch; double momentum_start; } land_state;

/* The zero pose turned about its COM, which is `drop` above where it stands, with the velocities of a rigid body. */
static void land_throw_in(po_run *r, const land_scene *p) {
  double *q = po_world_q(r->world, 0), *v = po_world_v(r->world, 0), rate, g;
  po_data *d = po_world_data(r->world, 0);
  po_vec3 y = po_v3(0, 1, 0), com, root, w, fast;
  po_quat turn;
  po_neutral(q, r->model);
  po_kinematics(d, q, NULL);
  po_com(d);
  g = po_v3_norm(d->gravity);
  rate = p->momentum / po_inertia_about(d, y);
  com = po_v3(0, 0, d->com.z + p->drop);
  turn = po_q_axis_angle(po_v3_neg(y), PO_RAD(p->theta_deg) - rate * sqrt(2 * p->drop / g));
  root = po_v3_add(com, po_q_rotate(turn, po_v3_sub(po_v3_of(q + 4), d->com)));
  w = po_v3_scale(-rate, y);
  fast = po_v3_add(po_v3(p->speed, 0, 0), po_v3_cross(w, po_v3_sub(root, com)));
  po_q_to(q, po_q_mul(turn, po_q_of(q)));
  po_v3_to(q + 4, root);
  turn = po_q_conj(po_q_of(q));
  po_v3_to(v, po_q_rotate(turn, w));
  po_v3_to(v + 3, po_q_rotate(turn, fast));
}

static po_status land_init(po_run *r, po_error *err) {
  land_state *s = r->state;
  const land_scene *p = r->params;
  po_data *d;
  po_status st;
  if ((st = turn_strength(r, p->turn.strength, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  land_throw_in(r, p);
  po_run_add_noise(r, 0);
  if ((st = turn_begin(&s->watch, r, &p->turn, po_v3(0, p->momentum < 0 ? 1 : -1, 0), 0, err)) != PO_OK) return st;
  d = po_world_data(r->world, 0);
  s->momentum_start = po_v3_dot(s->watch.phase.axis, po_v3_of(d->momentum));
  return PO_OK;
}

static po_status land_before(po_run *r) {
  land_state *s = r->state;
  return turn_forces(&s->watch, r, &((const land_scene *)r->params)->turn, s->watch.ahead);
}
static void land_observe(po_run *r) { turn_observe(&((land_state *)r->state)->watch, r, &((const land_scene *)r->params)->turn); }
static int land_finished(const po_run *r) { return turn_stood(&((const land_state *)r->state)->watch, r); }

static void land_judge(po_run *r) {
  const land_state *s = r->state;
  turn_results(&s->watch, r, ((const land_scene *)r->params)->turn.strength);
  po_run_set_result(r, "momentum_start", s->momentum_start);
  if (r->outcome != PO_RUNNING) return;
  turn_judge_flight(&s->watch, r);
  if (!turn_stood(&s->watch, r)) po_run_fail(r, PO_FAILED, "it did not come to stand");
}

const po_scenario po_scenario_land = {
    .name = "land", .summary = "a body that falls, turning, comes to stand", .success = "stands on its feet for 3 s",
    .model = "gymnast", .move = "land", .seconds = 12, .dt = 0.001, .control_hz = 1000,
    .param = land_param, .params = 4 + TURN_ROW_COUNT, .params_bytes = sizeof(land_scene), .text = land_text, .state_bytes = sizeof(land_state),
    .init = land_init, .before = land_before, .observe = land_observe, .finished = land_finished, .judge = land_judge};
