/* handspring.c: back handsprings (Al Borno et al. 2014, section 5.4). */
#include "hands_watch.h"

typedef struct handspring_scene { turn_params turn; } handspring_scene;
static const po_param handspring_scene_param[] = {TURN_ROWS(handspring_scene, turn)};
static const po_text_param handspring_text[] = {{"phase", "trunk", "what the controller goes by: trunk, average, pelvis or time", turn_apply_phase}, {NULL, NULL, NULL, NULL}};

typedef struct handspring_state {
  turn_watch watch;
  hands_watch hands;
} handspring_state;

#define HANDSPRING_ROTATION 20.0 /* deg from a whole turn */
#define HANDSPRING_GAP 0.1       /* s between the hands */
#define HANDSPRING_APEX 0.05     /* m */

static double handspring_param_of(const po_run *r, const char *name) {
  double x = 0;
  po_move_get(&x, po_run_move(r, 0), name);
  return x;
}

static po_status handspring_init(po_run *r, po_error *err) {
  handspring_state *s = r->state;
  const handspring_scene *p = r->params;
  po_status st;
  if ((st = turn_strength(r, p->turn.strength, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.95, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  hands_begin(&s->hands);
  return turn_begin(&s->watch, r, &p->turn, po_v3(0, -1, 0), 0, err);
}

static po_status handspring_before(po_run *r) {
  handspring_state *s = r->state;
  return turn_forces(&s->watch, r, &((const handspring_scene *)r->params)->turn, po_v3_neg(s->watch.ahead));
}

static void handspring_observe(po_run *r) {
  handspring_state *s = r->state;
  turn_observe(&s->watch, r, &((const handspring_scene *)r->params)->turn);
  hands_observe(&s->hands, &s->watch, r, PO_RAD(60), PO_RAD(300));
  if (s->hands.at[PO_FOOT_L] < 0 || s->hands.at[PO_FOOT_R] < 0) s->watch.stood_since = -1; /* it has not come round yet */
}

static int handspring_finished(const po_run *r) { return turn_stood(&((const handspring_state *)r->state)->watch, r); }

static double handspring_earlier(double a, double b) { return a < 0 || b < 0 ? po_max(a, b) : po_min(a, b); }

static void handspring_judge(po_run *r) {
  const handspring_state *s = r->state;
  const handspring_scene *p = r->params;
  const po_actor *a = po_run_move(r, 0)->actor;
  const hands_watch *h = &s->hands;
  double at = handspring_earlier(h->at[PO_HAND_L], h->at[PO_HAND_R]), feet = handspring_earlier(h->at[PO_FOOT_L], h->at[PO_FOOT_R]);
  double off = po_max(h->off[PO_HAND_L], h->off[PO_HAND_R]), turned = PO_DEG(turn_rotation(&s->watch)), apex = handspring_param_of(r, "apex");
  double gap = h->at[PO_HAND_L] >= 0 && h->at[PO_HAND_R] >= 0 ? po_abs(h->at[PO_HAND_L] - h->at[PO_HAND_R]) : PO_NAN;
  po_vec3 way = po_v3_sub(po_patches_centroid(&a->patches, po_world_data(r->world, 0), PO_BOTH_FEET), s->watch.feet_start);
  turn_results(&s->watch, r, p->turn.strength);
  hands_set_time(r, "hands_at", at);
  hands_set_time(r, "hands_off", off);
  hands_set_time(r, "feet_at", feet);
  po_run_set_result(r, "hand_gap_seconds", gap);
  po_run_set_result(r, "travel", -po_v3_dot(way, s->watch.ahead));
  if (r->outcome != PO_RUNNING) return;
  turn_judge_flight(&s->watch, r);
  if (!turn_stood(&s->watch, r)) po_run_fail(r, PO_FAILED, "it did not come to stand (%s)", po_move_phase_string(po_run_move(r, 0)));
  if (po_abs(turned - 360) > HANDSPRING_ROTATION) po_run_fail(r, PO_FAILED, "it turned %.1f degrees in all", turned);
  if (!(at >= 0 && feet > at)) po_run_fail(r, PO_FAILED, "hands and feet did not come down in order");
  if (!(gap < HANDSPRING_GAP)) po_run_fail(r, PO_FAILED, "the hands came down %.3f s apart", gap);
  if (p->turn.push != 0 || p->turn.wind != 0 || r->opts.pushes > 0) return;
  if (po_abs(s->watch.rise_max - apex) > HANDSPRING_APEX) po_run_fail(r, PO_FAILED, "asked to rise %.3f m, it rose %.3f m", apex, s->watch.rise_max);
}

const po_scenario po_scenario_back_handspring = {
    .name = "back-handspring", .summary = "backwards over the hands, from feet to feet",
    .success = "turns 360 degrees (20), hands within 0.1 s of each other, then feet, nothing else touches, rises as asked within 0.05 m (not judged when pushed), stands for 3 s",
    .model = "gymnast", .move = "back-handspring", .seconds = 12, .dt = 0.001, .control_hz = 1000, .may_touch = PO_BOTH_FEET | PO_BOTH_HANDS,
    .param = handspring_scene_param, .params = TURN_ROW_COUNT, .params_bytes = sizeof(handspring_scene), .text = handspring_text, .state_bytes = sizeof(handspring_state),
    .init = handspring_init, .before = handspring_before, .observe = handspring_observe, .finished = handspring_finished, .judge = handspring_judge};
