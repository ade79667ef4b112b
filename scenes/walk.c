/* walk.c: walking on flat ground, in any style (paper 1, section 6). */
#include "scenes.h"
#include <string.h>

static const po_text_param walk_text[] = {{"style", "normal", "normal, fast, slow, sad, or a .json file of parameters"}, {NULL, NULL, NULL}};

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

#define WALK_NEAR 0.15    /* speed and step length may be off by this share */
#define WALK_HEADING_ERROR 10.0 /* degrees */
#define WALK_WARM_UP 4.0 /* s: figures are of the gait, not of its beginning */

typedef struct walk_state {
  po_walk *control;
  walk_pair arm_leg[2], shoulder_hip;
  double sagittal_peak, path, counted, heading_sum, heading_n;
  po_vec3 last;
  int thorax, hand[2];
  int clamped;
} walk_state;

/* The style first, then what was set by hand. */
static po_status walk_style(po_run *r, po_error *err) {
  po_walk_params *p = r->params;
  po_status s = po_style_apply(p, po_run_text(r, "style"), err);
  int i;
  for (i = 0; s == PO_OK && i < r->opts.sets; i++) {
    const char *value = r->opts.set[i].value;
    double x;
    if (!po_param_find(po_walk_param, po_walk_param_count, r->opts.set[i].name)) continue;
    if ((s = po_parse_double(&x, value, value + strlen(value), NULL)) == PO_OK)
      s = po_param_set(p, po_walk_param, po_walk_param_count, r->opts.set[i].name, x, err);
  }
  return s;
}

static po_status walk_init(po_run *r, po_error *err) {
  walk_state *s = r->state;
  po_walk_params *p = r->params;
  po_world_opts w = po_world_opts_default();
  po_status st;
  int f;
  if ((st = walk_style(r, err)) != PO_OK) return st;
  s->clamped = po_walk_params_clamp(p);
  w.clock = r->opts.clock;
  if ((st = po_world_new(&r->world, &w)) != PO_OK || (st = po_world_add(NULL, r->world, r->model)) != PO_OK)
    return po_fail(err, st, "world: %s", po_status_string(st));
  if ((st = po_walk_new(&s->control, r->model, po_terrain_flat(), &r->opts.wbc, p, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_terrain_flat(), 0, 0, 0, 0.97, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->thorax = po_find_body(r->model, "thorax");
  for (f = 0; f < 2; f++) s->hand[f] = po_find_frame(r->model, f == 0 ? "hand_l" : "hand_r");
  r->wbc = s->control->move.actor->wbc;
  r->com_target = &s->control->move.com_target;
  r->standing_height = s->control->move.actor->standing_height;
  return PO_OK;
}

static po_status walk_control(po_run *r) {
  walk_state *s = r->state;
  return po_move_tick(&s->control->move, po_world_tau(r->world, 0), po_sense_of(po_world_q(r->world, 0), po_world_v(r->world, 0), 1 / r->opts.control_hz));
}

static double walk_yaw(const po_mat3 *R) { return po_atan2(R->m[3], R->m[0]); }
static double walk_wrap(double a) {
  while (a > PO_PI) a -= 2 * PO_PI;
  while (a < -PO_PI) a += 2 * PO_PI;
  return a;
}

static void walk_observe(po_run *r) {
  walk_state *s = r->state;
  const po_walk *w = s->control;
  po_data *d = po_world_data(r->world, 0);
  double si, co, lateral;
  po_vec3 along;
  int f;
  if (w->mode != PO_WALK_STEP || r->time < WALK_WARM_UP || r->steps % 5) return;
  po_kinematics(d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  po_centroidal(d);
  po_sincos(w->facing, &si, &co);
  along = po_v3(co, si, 0);
  lateral = -si * d->momentum[0] + co * d->momentum[1];
  s->sagittal_peak = po_max(s->sagittal_peak, po_abs(lateral));
  for (f = 0; f < 2; f++)
    if (s->hand[f] >= 0)
      walk_pair_add(&s->arm_leg[f], po_v3_dot(along, po_v3_sub(po_frame_pose(d, s->hand[f]).p, d->pose[0].p)),
                    po_v3_dot(along, po_v3_sub(po_frame_pose(d, w->move.actor->patches.patch[f].heel).p, d->pose[0].p)));
  if (s->thorax >= 0)
    walk_pair_add(&s->shoulder_hip, walk_wrap(walk_yaw(&d->pose[s->thorax].R) - w->facing), walk_wrap(walk_yaw(&d->pose[0].R) - w->facing));
  if (s->counted > 0) s->path += po_v3_dot(along, po_v3_sub(d->com, s->last));
  s->counted += 5 * r->opts.dt;
  s->last = d->com;
  s->heading_sum += walk_wrap(walk_yaw(&d->pose[0].R) - w->facing);
  s->heading_n += 1;
}

static void walk_judge(po_run *r) {
  walk_state *s = r->state;
  const po_walk *w = s->control;
  const po_walk_params *p = &w->params;
  double commanded = p->l_step / (p->T + p->dT), n = (double)w->step_count;
  double speed = s->counted > 0 ? s->path / s->counted : PO_NAN, arm = 0.5 * (walk_pair_correlation(&s->arm_leg[0]) + walk_pair_correlation(&s->arm_leg[1]));
  double error;
  po_world_kinematics(r->world, 0);
  error = PO_DEG(po_abs(s->heading_n > 0 ? s->heading_sum / s->heading_n + walk_wrap(w->facing - PO_RAD(p->heading)) : 0));
  po_run_set_result(r, "mean_speed", speed);
  po_run_set_result(r, "commanded_speed", commanded);
  po_run_set_result(r, "steps", (double)w->steps);
  po_run_set_result(r, "step_length_mean", n > 0 ? w->step_length_sum / n : PO_NAN);
  po_run_set_result(r, "swing_seconds_mean", n > 0 ? w->swing_sum / n : PO_NAN);
  po_run_set_result(r, "step_period_mean", n > 0 ? w->period_sum / n : PO_NAN);
  po_run_set_result(r, "heading_error_deg", error);
  po_run_set_result(r, "arm_leg_correlation", arm);
  po_run_set_result(r, "shoulder_hip_correlation", walk_pair_correlation(&s->shoulder_hip));
  po_run_set_result(r, "am_sagittal_peak", s->sagittal_peak);
  po_run_set_result(r, "am_sagittal_share", speed > 0 ? s->sagittal_peak / (r->model->total_mass * speed * r->standing_height) : PO_NAN);
  po_run_set_result(r, "heel_before_toe_fraction", w->lifts > 0 ? (double)w->heel_first / (double)w->lifts : PO_NAN);
  po_run_set_result(r, "clamped_parameters", s->clamped);
  if (r->outcome != PO_RUNNING || r->sim_seconds < 2 * WALK_WARM_UP) return;
  if (error > WALK_HEADING_ERROR) {
    po_run_fail(r, PO_FAILED, "walks %.1f degrees off its heading", error);
    return;
  }
  if (r->opts.ats || r->opts.pushes) return;
  if (po_abs(speed - commanded) > WALK_NEAR * commanded) po_run_fail(r, PO_FAILED, "walked %.3f m/s instead of %.3f", speed, commanded);
  else if (po_abs(w->step_length_sum / n - p->l_step) > WALK_NEAR * p->l_step)
    po_run_fail(r, PO_FAILED, "steps of %.3f m instead of %.3f", w->step_length_sum / n, p->l_step);
}

static void walk_destroy(po_run *r) { po_move_free((po_move *)((walk_state *)r->state)->control); }

static void walk_changed(po_run *r) {
  walk_state *s = r->state;
  po_walk_params *p = r->params;
  const po_change *c = &r->opts.at[r->next_change - 1];
  po_error err;
  if (!strcmp(c->name, "style") && po_style_apply(p, c->value, &err) != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
  s->clamped += po_walk_params_clamp(p);
  s->control->params = *p;
}

const po_scenario po_scenario_walk = {
  "walk", "walk on flat ground in a style, turn, stop and start, take pushes", "does not fall; heading within 10 degrees; undisturbed: speed and step length within 15 % of what is asked", "human", 20, 0.001, 1000,
  {{po_walk_param, &po_walk_param_count, 0}, {0}, {0}}, walk_text, sizeof(po_walk_params), sizeof(walk_state),
  walk_init, walk_control, walk_observe, NULL, walk_judge, walk_destroy, walk_changed};
