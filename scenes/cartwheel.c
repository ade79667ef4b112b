/* cartwheel.c: cartwheels (Al Borno et al. 2014, section 5.1). */
#include "hands_watch.h"

typedef struct cartwheel_scene { turn_params turn; } cartwheel_scene;
static const po_param cartwheel_scene_param[] = {TURN_ROWS(cartwheel_scene, turn)};

static po_status cartwheel_apply_side(void *params, const po_move_type *type, const char *value, po_error *err) {
  static const char *const words[] = {"left", "right"};
  double x;
  po_status s = turn_choice(&x, "side", value, words, 2, err);
  return s == PO_OK ? po_param_set(params, type->param, *type->param_count, "right", x, err) : s;
}
static const po_text_param cartwheel_text[] = {
  {"side", "left", "which way it goes: left or right", cartwheel_apply_side},
  {"phase", "trunk", "what the controller goes by: trunk, average, pelvis or time", turn_apply_phase},
  {NULL, NULL, NULL, NULL}};

typedef struct cartwheel_state {
  turn_watch watch;
  hands_watch hands;
  po_vec3 travel;
} cartwheel_state;

#define CARTWHEEL_ROTATION 20.0 /* deg from a whole turn */
#define CARTWHEEL_RATE 0.25     /* of the rate asked for */
#define CARTWHEEL_HANDS 0.25    /* of the distance asked for */
#define CARTWHEEL_STRADDLE 20.0 /* deg */
#define CARTWHEEL_DRIFT 0.3     /* m across the travel */
#define CARTWHEEL_HEADING 20.0  /* deg */
#define CARTWHEEL_AIR 0.15      /* s without contact */
#define CARTWHEEL_FROM PO_RAD(60)
#define CARTWHEEL_TO PO_RAD(300)

static double cartwheel_param_of(const po_run *r, const char *name) {
  double x = 0;
  po_move_get(&x, po_run_move(r, 0), name);
  return x;
}

static po_status cartwheel_init(po_run *r, po_error *err) {
  cartwheel_state *s = r->state;
  const cartwheel_scene *p = r->params;
  const po_cartwheel_params *control = r->move_params;
  double side = control->right > 0.5 ? -1 : 1;
  po_status st;
  if ((st = turn_strength(r, p->turn.strength, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose_apart(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.95, control->stance, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  hands_begin(&s->hands);
  s->travel = po_v3(0, side, 0);
  if ((st = turn_begin(&s->watch, r, &p->turn, po_v3(-side, 0, 0), 0, err)) != PO_OK) return st;
  s->watch.grounded = 1;
  return PO_OK;
}

static po_status cartwheel_before(po_run *r) {
  cartwheel_state *s = r->state;
  return turn_forces(&s->watch, r, &((const cartwheel_scene *)r->params)->turn, s->travel);
}

static void cartwheel_observe(po_run *r) {
  cartwheel_state *s = r->state;
  turn_observe(&s->watch, r, &((const cartwheel_scene *)r->params)->turn);
  hands_observe(&s->hands, &s->watch, r, CARTWHEEL_FROM, CARTWHEEL_TO);
  if (s->hands.at[PO_FOOT_L] < 0 || s->hands.at[PO_FOOT_R] < 0) s->watch.stood_since = -1; /* it has not come round yet */
}

static int cartwheel_finished(const po_run *r) { return turn_stood(&((const cartwheel_state *)r->state)->watch, r); }

typedef struct cartwheel_figures { double rate, travel, drift, heading; } cartwheel_figures;

static void cartwheel_shape(po_run *r, const cartwheel_figures *f) {
  const cartwheel_state *s = r->state;
  double nominal = cartwheel_param_of(r, "nu") * cartwheel_param_of(r, "nominal_rate_deg"), apart = cartwheel_param_of(r, "hand_distance"), straddle = cartwheel_param_of(r, "straddle_deg");
  if (!(po_abs(f->rate - nominal) <= CARTWHEEL_RATE * nominal)) po_run_fail(r, PO_FAILED, "asked for %.1f deg/s, it turned at %.1f", nominal, f->rate);
  if (!(po_abs(s->hands.apart - apart) <= CARTWHEEL_HANDS * apart)) po_run_fail(r, PO_FAILED, "asked for hands %.3f m apart, they were %.3f", apart, s->hands.apart);
  if (!(po_abs(PO_DEG(s->hands.straddle) - straddle) <= CARTWHEEL_STRADDLE))
    po_run_fail(r, PO_FAILED, "asked for legs %.1f degrees apart, they were %.1f", straddle, PO_DEG(s->hands.straddle));
  if (!(po_abs(f->drift) < CARTWHEEL_DRIFT)) po_run_fail(r, PO_FAILED, "it drifted %.3f m across its way", f->drift);
  if (!(po_abs(f->heading) < CARTWHEEL_HEADING)) po_run_fail(r, PO_FAILED, "it ended %.1f degrees off its heading", f->heading);
  if (!(s->hands.air < CARTWHEEL_AIR)) po_run_fail(r, PO_FAILED, "it was in the air for %.3f s", s->hands.air);
}

/* Hand, hand, first hand off, second hand off, foot, foot: each after the one before. */
static int cartwheel_in_order(const hands_watch *h, int first, int second) {
  double time[6];
  int i;
  time[0] = h->at[PO_HAND_L + first];
  time[1] = h->at[PO_HAND_L + second];
  time[2] = h->off[PO_HAND_L + first];
  time[3] = h->off[PO_HAND_L + second];
  time[4] = h->at[second];
  time[5] = h->at[first];
  if (!(time[0] >= 0)) return 0;
  for (i = 1; i < 6; i++)
    if (!(time[i] > time[i - 1])) return 0;
  return 1;
}

static void cartwheel_judge(po_run *r) {
  const cartwheel_state *s = r->state;
  const cartwheel_scene *p = r->params;
  const po_actor *a = po_run_move(r, 0)->actor;
  const po_data *d = po_world_data(r->world, 0);
  const hands_watch *h = &s->hands;
  int first = cartwheel_param_of(r, "right") > 0.5, second = 1 - first;
  double turned = PO_DEG(turn_rotation(&s->watch));
  po_vec3 way = po_v3_sub(po_patches_centroid(&a->patches, d, PO_BOTH_FEET), s->watch.feet_start), x = po_m3_col(d->pose[0].R, 0);
  cartwheel_figures f;
  f.rate = h->passed[1] > h->passed[0] && h->passed[0] >= 0 ? PO_DEG(CARTWHEEL_TO - CARTWHEEL_FROM) / (h->passed[1] - h->passed[0]) : PO_NAN;
  f.travel = po_v3_dot(way, s->travel);
  f.drift = po_v3_dot(way, s->watch.ahead);
  f.heading = PO_DEG(po_atan2(po_v3_dot(x, po_v3_cross(po_v3(0, 0, 1), s->watch.ahead)), po_v3_dot(x, s->watch.ahead)));
  turn_results(&s->watch, r, p->turn.strength);
  hands_set_time(r, "hand_first_at", h->at[PO_HAND_L + first]);
  hands_set_time(r, "hand_second_at", h->at[PO_HAND_L + second]);
  hands_set_time(r, "hand_first_off", h->off[PO_HAND_L + first]);
  hands_set_time(r, "hand_second_off", h->off[PO_HAND_L + second]);
  hands_set_time(r, "foot_first_at", h->at[second]);
  hands_set_time(r, "foot_second_at", h->at[first]);
  po_run_set_result(r, "rate_deg", f.rate);
  po_run_set_result(r, "hand_distance", h->apart);
  po_run_set_result(r, "straddle_deg", PO_DEG(h->straddle));
  po_run_set_result(r, "travel", f.travel);
  po_run_set_result(r, "drift", f.drift);
  po_run_set_result(r, "heading_error_deg", f.heading);
  po_run_set_result(r, "air_seconds", h->air);
  if (r->outcome != PO_RUNNING) return;
  if (!turn_stood(&s->watch, r)) po_run_fail(r, PO_FAILED, "it did not come to stand (%s)", po_move_phase_string(po_run_move(r, 0)));
  if (po_abs(turned - 360) > CARTWHEEL_ROTATION) po_run_fail(r, PO_FAILED, "it turned %.1f degrees in all", turned);
  if (!cartwheel_in_order(h, first, second)) po_run_fail(r, PO_FAILED, "hands and feet did not come down and leave in order: hand, hand, hand off, hand off, foot, foot");
  if (p->turn.push == 0 && p->turn.wind == 0 && r->opts.pushes == 0) cartwheel_shape(r, &f);
}

const po_scenario po_scenario_cartwheel = {
    .name = "cartwheel", .summary = "a wheel to the side, over the hands",
    .success = "turns 360 degrees (20), hand, hand, hand off, hand off, foot, foot in this order, stands for 3 s; rate and hands within 25 %, legs within 20 degrees of asked, drift below 0.3 m, "
               "heading within 20 degrees, less than 0.15 s in the air (not judged when pushed)",
    .model = "gymnast", .move = "cartwheel", .seconds = 12, .dt = 0.001, .control_hz = 1000, .may_touch = PO_BOTH_FEET | PO_BOTH_HANDS,
    .param = cartwheel_scene_param, .params = TURN_ROW_COUNT, .params_bytes = sizeof(cartwheel_scene), .text = cartwheel_text, .state_bytes = sizeof(cartwheel_state),
    .init = cartwheel_init, .before = cartwheel_before, .observe = cartwheel_observe, .finished = cartwheel_finished, .judge = cartwheel_judge};
