/* pirouette.c: turns about the vertical on one toe (Al Borno et al. 2014, section 5.5), measured from the world's contacts alone. */
#include "flip_watch.h"
#include <string.h>

typedef struct pirouette_scene { double toe_mu; turn_params turn; } pirouette_scene;
static const po_param pirouette_scene_param[] = {
  {"toe_mu", 1, 0.05, 1.5, "", "friction of the toe it turns on", offsetof(pirouette_scene, toe_mu)},
  TURN_ROWS(pirouette_scene, turn),
};

static po_status pirouette_apply_side(void *params, const po_move_type *type, const char *value, po_error *err) {
  static const char *const words[] = {"left", "right"};
  double x;
  po_status s = turn_choice(&x, "side", value, words, 2, err);
  return s == PO_OK ? po_param_set(params, type->param, *type->param_count, "right", x, err) : s;
}
static const po_text_param pirouette_text[] = {{"side", "left", "which way it turns: left or right", pirouette_apply_side},
                                               {"phase", "trunk", "what the controller goes by: trunk, average, pelvis or time", turn_apply_phase},
                                               {NULL, NULL, NULL, NULL}};

typedef struct pirouette_spin { /* a time in which one toe alone is down */
  double start, lasted, turned, drift; /* s; s; rad; m */
  po_vec3 at;                /* where the toe was as it began */
} pirouette_spin;

typedef struct pirouette_state {
  turn_watch watch;
  double side, heading, turned; /* 1: left; last heading; rad in its direction since the start */
  double turned_before, last_down; /* rad when the spin began; s when the toe was last on the ground */
  int spinning, toe, other;  /* frames of the toe it turns on, and of the other */
  pirouette_spin now, best;
} pirouette_state;

#define PIROUETTE_TURNS 1.0
#define PIROUETTE_DRIFT 0.15 /* m */
#define PIROUETTE_LIFT 0.02  /* s: a toe that is off the ground for longer is not down */

static double pirouette_heading(const po_run *r, const po_data *d) {
  (void)r;
  return po_level_heading(po_m3_col(d->pose[0].R, 1));
}

static po_status pirouette_init(po_run *r, po_error *err) {
  pirouette_state *s = r->state;
  const pirouette_scene *p = r->params;
  const po_pirouette_params *control = r->move_params;
  int right = control->right > 0.5, body;
  po_status st;
  if ((st = turn_strength(r, p->turn.strength, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.95, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  if ((st = turn_begin(&s->watch, r, &p->turn, po_v3(0, 1, 0), 0, err)) != PO_OK) return st;
  s->side = right ? -1 : 1;
  s->toe = po_find_frame(r->model, right ? "toe_l" : "toe_r"); /* it turns away from the leg it stands on */
  s->other = po_find_frame(r->model, right ? "toe_r" : "toe_l");
  if (s->toe < 0 || s->other < 0) return po_fail(err, PO_ERR_NAME, "model '%s' has no toes to turn on: frames toe_l, toe_r are needed", r->model->name);
  body = r->model->frame[s->toe].body;
  if ((st = po_world_set_material(r->world, 0, body, p->toe_mu, 0)) != PO_OK) return po_fail(err, st, "toe_mu: %s", po_status_string(st));
  s->heading = pirouette_heading(r, po_world_data(r->world, 0));
  s->watch.phase.theta = s->watch.theta_start = 0; /* here the phase is the turn about the vertical */
  return PO_OK;
}

static po_status pirouette_before(po_run *r) {
  pirouette_state *s = r->state;
  return turn_forces(&s->watch, r, &((const pirouette_scene *)r->params)->turn, s->watch.ahead);
}

/* What presses on the ground: 1 the toe, 2 the other foot, 4 the rest of the foot it turns on, 8 anything else. */
static unsigned pirouette_pressing(const po_run *r, const pirouette_state *s, int *points) {
  const po_model *m = r->model;
  int i, n, toe = m->frame[s->toe].body, foot = po_find_body(m, s->side > 0 ? "foot_r" : "foot_l"), other = po_find_body(m, s->side > 0 ? "foot_l" : "foot_r");
  const po_contact *c = po_world_contacts(&n, r->world);
  unsigned set = 0;
  *points = 0;
  for (i = 0; i < n; i++) {
    if (c[i].a != 0 || c[i].b >= 0 || !(po_v3_dot(c[i].impulse, c[i].normal) > 0)) continue;
    ++*points;
    if (c[i].body_a == toe) set |= 1;
    else if (c[i].body_a == foot) set |= 4;
    else if (c[i].body_a == other || c[i].body_a == m->frame[s->other].body) set |= 2;
    else set |= 8;
  }
  return set;
}

static void pirouette_end_spin(pirouette_state *s) {
  if (s->spinning && s->now.turned > s->best.turned) s->best = s->now;
  s->spinning = 0;
}

static void pirouette_spin_on(pirouette_state *s, const po_run *r, const po_data *d, unsigned pressing) {
  po_vec3 at = po_frame_position(d, s->toe);
  if (!s->spinning && pressing == 1) {
    memset(&s->now, 0, sizeof s->now);
    s->spinning = 1;
    s->now.start = s->last_down = r->time;
    s->now.at = at;
    s->turned_before = s->turned;
    s->watch.longest.momentum = s->side * d->momentum[2];
  }
  if (!s->spinning) return;
  if (pressing & ~1u || r->time - s->last_down > PIROUETTE_LIFT) {
    pirouette_end_spin(s);
    return;
  }
  if (pressing & 1) s->last_down = r->time;
  at.z = s->now.at.z;
  s->now.drift = po_max(s->now.drift, po_v3_norm(po_v3_sub(at, s->now.at)));
  s->now.turned = s->turned - s->turned_before;
  s->now.lasted = r->time - s->now.start;
}

static void pirouette_observe(po_run *r) {
  pirouette_state *s = r->state;
  po_data *d = po_world_data(r->world, 0);
  double step;
  int points, still;
  unsigned pressing = pirouette_pressing(r, s, &points);
  po_all_terms(d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  step = po_wrap(pirouette_heading(r, d) - s->heading);
  s->heading += step;
  s->turned += s->side * step;
  s->watch.phase.theta = s->turned;
  s->watch.standing_height = po_run_move(r, 0)->actor->standing_height;
  s->watch.rise_max = po_max(s->watch.rise_max, d->com.z - s->watch.standing_height);
  s->watch.longest.tilt = po_max(s->watch.longest.tilt, po_abs(po_tilt_of_axis(d, po_m3_col(d->pose[0].R, 1))));
  pirouette_spin_on(s, r, d, pressing);
  still = points >= 3 && (pressing & 2) && (pressing & 5) && !(pressing & 8) && !s->spinning && s->best.turned > PO_PI && turn_still(&s->watch, d);
  if (!still) s->watch.stood_since = -1;
  else if (s->watch.stood_since < 0) s->watch.stood_since = r->time;
}

static int pirouette_finished(const po_run *r) { return turn_stood(&((const pirouette_state *)r->state)->watch, r); }

static void pirouette_judge(po_run *r) {
  pirouette_state *s = r->state;
  pirouette_end_spin(s);
  turn_results(&s->watch, r, ((const pirouette_scene *)r->params)->turn.strength);
  po_run_set_result(r, "turns", s->best.turned / (2 * PO_PI));
  po_run_set_result(r, "toe_drift", s->best.drift);
  po_run_set_result(r, "spin_seconds", s->best.lasted);
  if (r->outcome != PO_RUNNING) return;
  if (s->best.turned < 2 * PO_PI * PIROUETTE_TURNS) po_run_fail(r, PO_FAILED, "it made %.2f turns on one toe", s->best.turned / (2 * PO_PI));
  if (s->best.drift >= PIROUETTE_DRIFT) po_run_fail(r, PO_FAILED, "the toe drifted by %.3f m", s->best.drift);
  if (!turn_stood(&s->watch, r)) po_run_fail(r, PO_FAILED, "it did not come to stand (%s)", po_move_phase_string(po_run_move(r, 0)));
}

const po_scenario po_scenario_pirouette = {
    .name = "pirouette", .summary = "whole turns about the vertical on one toe",
    .success = "turns at least once with nothing but one toe on the ground, which drifts by less than 0.15 m, and stands on both feet for 3 s",
    .model = "gymnast", .move = "pirouette", .seconds = 15, .dt = 0.001, .control_hz = 1000,
    .param = pirouette_scene_param, .params = 1 + TURN_ROW_COUNT, .params_bytes = sizeof(pirouette_scene), .text = pirouette_text, .state_bytes = sizeof(pirouette_state),
    .init = pirouette_init, .before = pirouette_before, .observe = pirouette_observe, .finished = pirouette_finished, .judge = pirouette_judge};
