/* walk.c: walking on flat ground, in any style (paper 1, section 6). */
#include "ground.h"
#include "proportions.h"
#include "walk_watch.h"
#include <string.h>

typedef struct walk_params {
  po_ground_params ground;
  po_random_params random;
  po_growth_params growth;
} walk_params;
static const po_param walk_scene_param[] = {PO_GROUND_PARAMS(walk_params, ground), PO_RANDOM_PARAMS(walk_params, random, 0.2),
                                            PO_GROWTH_PARAMS(walk_params, growth)};
static const po_text_param walk_text[] = {
  {"style", "normal", "normal, fast, slow, sad, or a .json file of parameters", po_scene_style}, PO_GROUND_TEXT, PO_GROWTH_TEXT, {NULL, NULL, NULL, NULL}};

/* Two signals and how they go together. */
typedef struct walk_pair { double n, x, y, xx, yy, xy; } walk_pair;
static void walk_pair_add(walk_pair *p, double x, double y) {
  p->n += 1;
  p->x += x;
  p->y += y;
  p->xx += x * x;
  p->yy += y * y;
  p->xy += x * y;
}
static double walk_pair_correlation(const walk_pair *p) {
  double cx = p->xx - p->x * p->x / p->n, cy = p->yy - p->y * p->y / p->n, c = p->xy - p->x * p->y / p->n;
  return p->n > 1 && cx > 0 && cy > 0 ? c / sqrt(cx * cy) : PO_NAN;
}

#define WALK_NEAR 0.10    /* speed and step length may be off by this share */
#define WALK_STILL 0.03   /* m/s, m: and who is asked for less than this may be off by so much */
#define WALK_HEADING_ERROR 10.0 /* degrees */
#define WALK_REACHED 0.99 /* the gait begins with the first step that is planned with this share of the length and time wanted: it comes to them bit by bit */
#define WALK_LEAST_STEPS 2 /* of the gait: one of each foot */
#define WALK_SEEN_EVERY 5 /* steps between two looks at arms, shoulders and momentum: 200 a second show a stride well enough */
#define WALK_SETTLE 2.0   /* s: who is to stand has settled by then, as in balance */
#define WALK_STAY 0.02    /* m: and its COM stays this near to its target */

typedef struct walk_sums { double length, swing, period, path, side, seconds; long steps, lifts, heel_first; } walk_sums;

typedef struct walk_state {
  walk_pair arm_leg[2], shoulder_hip;
  double sagittal_peak, heading_sum, heading_n;
  double path, side, seconds; /* along the heading in force and to its left, since the gait began */
  po_vec3 last;
  int gait;                   /* 1: it has begun */
  long steps;                 /* of the walk, last seen */
  walk_sums first, whole;     /* when the gait began; at the last whole step */
  double strayed;             /* m: standing: the COM off its target */
  int thorax, hand[2];
  int grown;
  double size;                /* of the legs, in those of the human */
  walk_watch watch;
} walk_state;

static const po_walk_seen *walk_of(const po_run *r) { return po_walk_see(po_run_move(r, 0)); }

/* Whether a parameter was set by hand: what is stays as it is, whatever the body. */
static int walk_by_hand(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < r->opts.ats; i++)
    if (!strcmp(r->opts.at[i].name, name)) return 1;
  return po_run_was_set(r, name);
}

/* What a style asks in metres and seconds of the human, in those of legs of another size: lengths as the legs, times as the root of it. */
static void walk_scale(po_run *r, double size) {
  static const char *const names[] = {"l_step", "l_side", "h", "l_foot", "l_hip", "l_trunk", "T", "dT"};
  po_walk_params *p = r->move_params;
  double *const value[] = {&p->l_step, &p->l_side, &p->h, &p->l_foot, &p->l_hip, &p->l_trunk, &p->T, &p->dT};
  int k;
  for (k = 0; k < 8; k++)
    if (!walk_by_hand(r, names[k])) *value[k] *= k < 6 ? size : sqrt(size);
}

/* What a speed that was asked for chooses, but for what was set by hand. */
static void walk_by_speed(po_run *r, double size) {
  po_walk_params *p = r->move_params, by = *p;
  if (!(p->speed > 0)) return;
  po_walk_params_pace(&by, p->speed, size);
  if (!walk_by_hand(r, "l_step")) p->l_step = by.l_step;
  if (!walk_by_hand(r, "T")) p->T = by.T;
  if (!walk_by_hand(r, "dT")) p->dT = by.dT;
}

static double walk_size_of(po_run *r) { /* of the body in its zero pose */
  po_legs legs;
  po_world_kinematics(r->world, 0);
  po_legs_find(&legs, po_world_data(r->world, 0));
  return po_walk_size(&legs);
}

static po_status walk_init(po_run *r, po_error *err) {
  walk_state *s = r->state;
  const walk_params *p = r->params;
  po_status st;
  int f;
  if ((st = po_run_random_body(r, &p->random, err)) != PO_OK || (st = po_run_prepare_growth(r, &p->growth, err)) != PO_OK) return st;
  if ((st = po_run_lay_ground(r, &p->ground, err)) != PO_OK || (st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  s->size = walk_size_of(r);
  walk_scale(r, s->size);
  walk_by_speed(r, s->size);
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.97, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->thorax = po_find_body(r->model, "thorax");
  for (f = 0; f < 2; f++) s->hand[f] = po_find_frame(r->model, f == 0 ? "hand_l" : "hand_r");
  return PO_OK;
}

/* ---- what is seen ---- */

static walk_sums walk_sums_now(const walk_state *s, const po_walk_seen *w) {
  walk_sums x;
  x.length = w->length_sum;
  x.swing = w->swing_sum;
  x.period = w->period_sum;
  x.steps = w->step_count;
  x.lifts = w->lifts;
  x.heel_first = w->heel_first;
  x.path = s->path;
  x.side = s->side;
  x.seconds = s->seconds;
  return x;
}

/* Steps, path and time count from the first step of the full length on; the path in whole steps, since within one the speed swings. */
static int walk_full_step(const po_run *r, const po_walk_seen *w) {
  const po_walk_params *p = po_move_params(po_run_move(r, 0));
  return po_abs(w->step_length) >= WALK_REACHED * po_abs(p->l_step) && po_abs(w->side) >= WALK_REACHED * po_abs(p->l_side) && w->step_seconds >= WALK_REACHED * (p->T + p->dT);
}
static void walk_watch_gait(po_run *r, const po_walk_seen *w, const po_data *d, po_vec3 along) {
  walk_state *s = r->state;
  int stepped = w->steps != s->steps;
  s->steps = w->steps;
  if (s->gait) {
    s->path += po_v3_dot(along, po_v3_sub(d->com, s->last));
    s->side += along.x * (d->com.y - s->last.y) - along.y * (d->com.x - s->last.x);
    s->seconds += r->opts.dt;
  } else if (stepped && walk_full_step(r, w)) {
    s->gait = 1;
    walk_watch_begin(&s->watch, r);
    s->first = s->whole = walk_sums_now(s, w);
  }
  s->last = d->com;
  if (s->gait && stepped) s->whole = walk_sums_now(s, w);
}

static void walk_watch_body(po_run *r, const po_walk_seen *w, po_data *d, po_vec3 along) {
  walk_state *s = r->state;
  int f;
  po_centroidal(d);
  s->sagittal_peak = po_max(s->sagittal_peak, po_abs(-along.y * d->momentum[0] + along.x * d->momentum[1]));
  for (f = 0; f < 2; f++)
    if (s->hand[f] >= 0)
      walk_pair_add(&s->arm_leg[f], po_v3_dot(along, po_v3_sub(po_frame_position(d, s->hand[f]), d->pose[0].p)),
                    po_v3_dot(along, po_v3_sub(po_frame_position(d, po_run_move(r, 0)->actor->patches.patch[f].heel), d->pose[0].p)));
  if (s->thorax >= 0)
    walk_pair_add(&s->shoulder_hip, po_wrap(po_m3_yaw(d->pose[s->thorax].R) - w->facing), po_wrap(po_m3_yaw(d->pose[0].R) - w->facing));
  s->heading_sum += po_wrap(po_m3_yaw(d->pose[0].R) - w->facing);
  s->heading_n += 1;
}

static void walk_observe(po_run *r) {
  walk_state *s = r->state;
  const po_walk_seen *w = walk_of(r);
  po_data *d = po_world_data(r->world, 0);
  double si, co;
  po_vec3 along, off;
  if (w->mode == PO_WALK_STAND && r->time > WALK_SETTLE) {
    off = po_v3_sub(d->com, po_run_move(r, 0)->com_target);
    s->strayed = po_max(s->strayed, sqrt(off.x * off.x + off.y * off.y));
  }
  if (w->mode != PO_WALK_STEP) {
    s->last = d->com;
    return;
  }
  po_sincos(&si, &co, w->facing);
  along = po_v3(co, si, 0);
  walk_watch_gait(r, w, d, along);
  if (s->gait) walk_watch_step(&s->watch, r, w->facing);
  if (s->gait && r->steps % WALK_SEEN_EVERY == 0) walk_watch_body(r, w, d, along);
}

/* ---- the verdict ---- */

/* Whether it was to stand from beginning to end. */
static int walk_never_asked(const po_run *r) {
  int i;
  if (((const po_walk_params *)r->move_params)->walk >= 0.5) return 0;
  for (i = 0; i < r->opts.ats; i++)
    if (!strcmp(r->opts.at[i].name, "walk")) return 0;
  return 1;
}

static int walk_near(double x, double asked) { return po_abs(x - asked) <= po_max(WALK_NEAR * po_abs(asked), WALK_STILL); }

static void walk_verdict(po_run *r, double speed, double side, double length, double error) {
  const walk_state *s = r->state;
  const po_walk_seen *w = walk_of(r);
  const po_walk_params *p = po_move_params(po_run_move(r, 0));
  double period = p->T + p->dT, commanded = p->l_step / period, aside = p->l_side / period;
  const walk_params *given = r->params;
  const char *ground = po_run_text(r, "terrain");
  int level = !strcmp(ground, "flat") && given->ground.slope_deg == 0 && given->ground.cross_deg == 0;
  int disturbed = r->opts.ats || r->opts.pushes || !level || given->growth.grow != 1 || given->random.body_seed > 0;
  if (walk_never_asked(r)) {
    if (w->steps && !disturbed) po_run_fail(r, PO_FAILED, "took %ld steps instead of standing", w->steps);
    else if (!disturbed && !(s->strayed < WALK_STAY)) po_run_fail(r, PO_FAILED, "the COM strayed %.3f m from its target", s->strayed);
  } else if (s->whole.steps - s->first.steps < WALK_LEAST_STEPS) {
    if (!disturbed) po_run_fail(r, PO_FAILED, "no gait to judge within %.2f s: %ld steps, %ld of them of the full length", r->sim_seconds, w->steps, s->whole.steps - s->first.steps);
  } else if (error > WALK_HEADING_ERROR) po_run_fail(r, PO_FAILED, "walks %.1f degrees off its heading", error);
  else if (disturbed) return;
  else if (!walk_near(speed, commanded)) po_run_fail(r, PO_FAILED, "walked %.3f m/s instead of %.3f", speed, commanded);
  else if (!walk_near(side, aside)) po_run_fail(r, PO_FAILED, "walked %.3f m/s to the left instead of %.3f", side, aside);
  else if (!walk_near(length, p->l_step)) po_run_fail(r, PO_FAILED, "steps of %.3f m instead of %.3f", length, p->l_step);
}

static void walk_judge(po_run *r) {
  const walk_state *s = r->state;
  const po_walk_seen *w = walk_of(r);
  const po_walk_params *p = po_move_params(po_run_move(r, 0));
  double commanded = p->l_step / (p->T + p->dT), n = (double)(s->whole.steps - s->first.steps), lifts = (double)(s->whole.lifts - s->first.lifts);
  double speed = s->whole.seconds > 0 ? s->whole.path / s->whole.seconds : PO_NAN,
         side = s->whole.seconds > 0 ? s->whole.side / s->whole.seconds : PO_NAN, length = n > 0 ? (s->whole.length - s->first.length) / n : PO_NAN;
  double error = PO_DEG(po_abs(s->heading_n > 0 ? s->heading_sum / s->heading_n + po_wrap(w->facing - w->north - PO_RAD(p->heading)) : 0));
  po_run_set_result(r, "mean_speed", speed);
  po_run_set_result(r, "commanded_speed", commanded);
  po_run_set_result(r, "side_speed", side);
  po_run_set_result(r, "steps", (double)w->steps);
  po_run_set_result(r, "step_length_mean", length);
  po_run_set_result(r, "swing_seconds_mean", n > 0 ? (s->whole.swing - s->first.swing) / n : PO_NAN);
  po_run_set_result(r, "step_period_mean", n > 0 ? (s->whole.period - s->first.period) / n : PO_NAN);
  po_run_set_result(r, "heading_error_deg", error);
  po_run_set_result(r, "arm_leg_correlation", 0.5 * (walk_pair_correlation(&s->arm_leg[0]) + walk_pair_correlation(&s->arm_leg[1])));
  po_run_set_result(r, "shoulder_hip_correlation", walk_pair_correlation(&s->shoulder_hip));
  po_run_set_result(r, "am_sagittal_peak", s->sagittal_peak);
  po_run_set_result(r, "am_sagittal_share", speed > 0 ? s->sagittal_peak / (r->model->total_mass * speed * po_run_move(r, 0)->actor->standing_height) : PO_NAN);
  po_run_set_result(r, "heel_before_toe_fraction", lifts > 0 ? (double)(s->whole.heel_first - s->first.heel_first) / lifts : PO_NAN);
  walk_watch_results(&s->watch, r, s->path);
  po_run_set_result(r, "clamped_parameters", 0);
  if (r->outcome == PO_RUNNING) walk_verdict(r, speed, side, length, error);
}

static void walk_tell(po_run *r) {
  po_error err;
  if (po_move_set_params(po_run_move(r, 0), r->move_params, &err) != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
}

static void walk_changed(po_run *r, const char *name) {
  double size = ((const walk_state *)r->state)->size;
  if (!strcmp(name, "style")) walk_scale(r, size);
  if (!strcmp(name, "speed")) walk_by_speed(r, size);
  walk_tell(r);
}

/* Longer legs take longer steps. */
static po_status walk_grow(po_run *r) {
  walk_state *s = r->state;
  int before = s->grown;
  po_status st = po_run_grow(&s->grown, r, &((const walk_params *)r->params)->growth);
  if (s->grown == before || st != PO_OK) return st;
  walk_scale(r, walk_of(r)->size / s->size);
  s->size = walk_of(r)->size;
  walk_tell(r);
  return PO_OK;
}

const po_scenario po_scenario_walk = {
  .name = "walk", .summary = "walk on flat ground in a style, turn, stop and start, take pushes",
  .success = "does not fall; heading within 10 degrees; undisturbed: speed and step length of the steps of full length, at least two, within 10 % of what is asked; "
             "walk=0: stands, the COM within 2 cm of its target",
  .model = "human", .move = "walk", .seconds = 20, .dt = 0.001, .control_hz = 1000, .text = walk_text,
  .param = walk_scene_param, .params = (int)(sizeof walk_scene_param / sizeof walk_scene_param[0]), .params_bytes = sizeof(walk_params),
  .state_bytes = sizeof(walk_state), .init = walk_init, .before = walk_grow, .observe = walk_observe, .judge = walk_judge, .changed = walk_changed};
