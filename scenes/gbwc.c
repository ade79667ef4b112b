/* gbwc.c: generalized biped walking control on flat ground: speeds, styles, bodies, turns, stops, pushes (Coros 2010, chapter 5). */
#include "proportions.h"
#include <string.h>

typedef struct gbwc_scene_params {
  double friction, torque_limit;
  po_random_params random;
  po_growth_params growth;
} gbwc_scene_params;
static const po_param gbwc_scene_param[] = {
    PO_PARAM(gbwc_scene_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(gbwc_scene_params, torque_limit, 1, 0, 1, "", "1: the body's efforts, 0: none, as in the thesis"),
    PO_RANDOM_PARAMS(gbwc_scene_params, random, 0.4),
    PO_GROWTH_PARAMS(gbwc_scene_params, growth),
};

/* A style is a set of the behaviour's parameters: built in by its name, or a file. */
static po_status gbwc_scene_style(void *move_params, const po_move_type *type, const char *style, po_error *err) {
  return type == &po_gbwc_type ? po_gbwc_style_apply(move_params, style, err) : PO_OK;
}
static const po_text_param gbwc_scene_text[] = {
    {"style", "plain", "plain, lean, crouch, march, bowlegged, swagger, or a .json file of parameters", gbwc_scene_style},
    PO_GROWTH_TEXT,
    {NULL, NULL, NULL, NULL}};

#define SCENE_GBWC_UNLIMITED 1e6    /* times its strength: no limit that is ever met */
#define SCENE_GBWC_SETTLED 4.0      /* s: from then on its speed is judged */
#define SCENE_GBWC_SPEED 0.1        /* m/s, and the same share of what is asked */
#define SCENE_GBWC_HEADING 10.0     /* degrees */
#define SCENE_GBWC_IDLE 2.0         /* s: who idles stood so long ago at most, a foot may be in the air at the end */
#define SCENE_GBWC_STOOD 1.0        /* s: who is asked to stand does so for at least so long at the end */

typedef struct gbwc_scene_state {
  po_vec3 last;
  double path, asked, seconds; /* along the heading in force, what was asked, since it counts */
  double heading_sum, heading_n;
  double slouch_sum, slouch_n;
  double stand_since, stop_asked; /* s; < 0: not standing, not asked */
  double stood_at;                /* s: when it was last seen standing */
  double left, right;             /* m: how far the COM of who stands has been on either side of the middle of the feet */
  double pushed_until;
  int thorax, grown, moved;    /* moved: it has stepped since it was last asked to stop or pushed */
} gbwc_scene_state;

static const po_gbwc_state *gbwc_scene_of(const po_run *r) { return po_gbwc_now(po_run_move(r, 0)); }
static const po_gbwc_params *gbwc_scene_asked(const po_run *r) { return po_move_params(po_run_move(r, 0)); }

/* ---- setting up ---- */

static po_status gbwc_scene_body(po_run *r, po_error *err) {
  const gbwc_scene_params *p = r->params;
  const po_model *made = NULL;
  po_status st;
  if ((st = po_run_random_body(r, &p->random, err)) != PO_OK || p->torque_limit >= 0.5) return st;
  if ((st = po_model_scale_strength(&made, r->model, SCENE_GBWC_UNLIMITED, err)) != PO_OK) return st;
  po_model_free(r->model);
  r->model = made;
  return PO_OK;
}

static po_status gbwc_scene_init(po_run *r, po_error *err) {
  gbwc_scene_state *s = r->state;
  const gbwc_scene_params *p = r->params;
  po_world_opts opts = po_world_opts_default();
  po_status st;
  int i;
  opts.mu = p->friction;
  if ((st = gbwc_scene_body(r, err)) != PO_OK || (st = po_run_prepare_growth(r, &p->growth, err)) != PO_OK ||
      (st = po_run_world(r, &opts, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.97, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->thorax = po_find_body(r->model, "thorax");
  s->stand_since = s->stop_asked = -1;
  for (i = 0; i < r->opts.pushes; i++) s->pushed_until = po_max(s->pushed_until, r->opts.push[i].time + r->opts.push[i].duration);
  return PO_OK;
}

static po_status gbwc_scene_grow(po_run *r) {
  return po_run_grow(&((gbwc_scene_state *)r->state)->grown, r, &((const gbwc_scene_params *)r->params)->growth);
}

/* ---- what is seen ---- */

static int gbwc_scene_asked_to_walk(const po_run *r) { return gbwc_scene_asked(r)->walk >= 0.5 && gbwc_scene_asked(r)->idle < 0.5; }

static void gbwc_scene_watch_stand(po_run *r, const po_gbwc_state *g) {
  gbwc_scene_state *s = r->state;
  if (gbwc_scene_asked_to_walk(r)) s->stop_asked = -1;
  else if (s->stop_asked < 0) s->stop_asked = r->time;
  if (g->mode != PO_GBWC_STAND) s->stand_since = -1;
  else if (s->stand_since < 0) s->stand_since = r->time;
  if (g->mode == PO_GBWC_STAND) {
    const po_actor *a = po_run_move(r, 0)->actor;
    const po_data *d = po_world_data(r->world, 0);
    po_vec3 l = d->pose[a->legs.foot[0]].p, m = d->pose[a->legs.foot[1]].p, across = po_v3_sub(l, m), off = po_v3_sub(d->com, po_v3_scale(0.5, po_v3_add(l, m)));
    double side = (across.x * off.x + across.y * off.y) / po_max(sqrt(across.x * across.x + across.y * across.y), 1e-6);
    s->stood_at = r->time;
    s->left = po_max(s->left, side);
    s->right = po_max(s->right, -side);
  }
}

static void gbwc_scene_observe(po_run *r) {
  gbwc_scene_state *s = r->state;
  const po_gbwc_state *g = gbwc_scene_of(r);
  const po_data *d = po_world_data(r->world, 0);
  double si, co, lean = PO_RAD(gbwc_scene_asked(r)->lean_deg);
  gbwc_scene_watch_stand(r, g);
  po_sincos(&si, &co, g->facing);
  if (r->time > SCENE_GBWC_SETTLED && gbwc_scene_asked_to_walk(r)) {
    s->path += co * (d->com.x - s->last.x) + si * (d->com.y - s->last.y);
    s->asked += gbwc_scene_asked(r)->speed * po_gbwc_scale(po_run_move(r, 0)) * r->opts.dt;
    s->seconds += r->opts.dt;
    s->heading_sum += po_wrap(po_run_move(r, 0)->actor->heading.angle - g->north - PO_RAD(gbwc_scene_asked(r)->heading));
    s->heading_n += 1;
  }
  s->last = d->com;
  if (s->thorax >= 0 && r->time > 1) { /* how far the thorax leans beyond what was asked */
    po_mat3 R = po_gbwc_lean(po_run_move(r, 0), d, s->thorax);
    double pitch = po_atan2(co * R.m[2] + si * R.m[5], R.m[8]);
    s->slouch_sum += po_abs(pitch - lean);
    s->slouch_n += 1;
  }
}

/* ---- the verdict ---- */

static void gbwc_scene_verdict(po_run *r, double speed, double commanded, double heading) {
  const gbwc_scene_state *s = r->state;
  int disturbed = r->opts.ats || r->opts.pushes || ((const gbwc_scene_params *)r->params)->growth.grow != 1;
  double stood = s->stand_since < 0 ? 0 : r->time - s->stand_since;
  if (!gbwc_scene_asked_to_walk(r)) {
    if (gbwc_scene_asked(r)->idle >= 0.5 && r->time - s->stood_at <= SCENE_GBWC_IDLE) return; /* in the middle of moving a foot */
    if (!(stood >= SCENE_GBWC_STOOD)) po_run_fail(r, PO_FAILED, "does not stand at the end");
    return;
  }
  if (!(heading <= SCENE_GBWC_HEADING)) po_run_fail(r, PO_FAILED, "faces %.1f degrees off its heading", heading);
  else if (disturbed) return;
  else if (!(s->seconds > 0)) po_run_fail(r, PO_FAILED, "nothing to judge: speeds count after %g s", SCENE_GBWC_SETTLED);
  else if (!(po_abs(speed - commanded) <= SCENE_GBWC_SPEED * (1 + po_abs(commanded)))) po_run_fail(r, PO_FAILED, "walked %.3f m/s instead of %.3f", speed, commanded);
}

static void gbwc_scene_judge(po_run *r) {
  const gbwc_scene_state *s = r->state;
  const po_gbwc_state *g = gbwc_scene_of(r);
  double n = (double)g->steps, speed = s->seconds > 0 ? s->path / s->seconds : PO_NAN, commanded = s->seconds > 0 ? s->asked / s->seconds : PO_NAN;
  int disturbed = r->opts.ats > 0; /* headings that changed: what counts is where it faces at the end */
  double now = po_wrap(po_run_move(r, 0)->actor->heading.angle - g->north - PO_RAD(gbwc_scene_asked(r)->heading));
  double heading = PO_DEG(po_abs(disturbed || !(s->heading_n > 0) ? now : s->heading_sum / s->heading_n));
  po_run_set_result(r, "mean_speed", speed);
  po_run_set_result(r, "commanded_speed", commanded);
  po_run_set_result(r, "steps", n);
  po_run_set_result(r, "step_length_mean", n > 0 ? g->step_length_sum / n : PO_NAN);
  po_run_set_result(r, "step_period_mean", n > 0 ? g->period_sum / n : PO_NAN);
  po_run_set_result(r, "heading_error_deg", heading);
  po_run_set_result(r, "swing_error_mean", n > 0 ? g->swing_error_sum / n : PO_NAN);
  po_run_set_result(r, "stop_seconds", s->stop_asked > 0 && s->stand_since >= s->stop_asked ? s->stand_since - s->stop_asked : PO_NAN);
  po_run_set_result(r, "stood_seconds", s->stand_since >= 0 ? r->time - s->stand_since : 0);
  po_run_set_result(r, "recovered_at", r->opts.pushes && s->stand_since >= 0 ? po_max(s->stand_since, s->pushed_until) : PO_NAN);
  po_run_set_result(r, "crossings", (double)g->crossings);
  po_run_set_result(r, "sway", s->left + s->right);
  po_run_set_result(r, "slouch_deg", s->slouch_n > 0 ? PO_DEG(s->slouch_sum / s->slouch_n) : PO_NAN);
  if (r->outcome == PO_RUNNING) gbwc_scene_verdict(r, speed, commanded, heading);
}

const po_scenario po_scenario_gbwc = {
  .name = "gbwc", .summary = "walk by pendulum, PD and virtual forces, any body and style; turn, stop, take pushes",
  .success = "does not fall; heading within 10 degrees; undisturbed after 4 s: speed within 0.1 m/s and 10 % of what is asked; asked to stop or idle: stands at the end",
  .model = "human", .move = "gbwc", .seconds = 20, .dt = 0.0005, .control_hz = 2000, .text = gbwc_scene_text,
  .param = gbwc_scene_param, .params = sizeof gbwc_scene_param / sizeof *gbwc_scene_param, .params_bytes = sizeof(gbwc_scene_params),
  .state_bytes = sizeof(gbwc_scene_state), .init = gbwc_scene_init, .before = gbwc_scene_grow, .observe = gbwc_scene_observe, .judge = gbwc_scene_judge};
