/* things.c: scenes without a mind: a body dropped limp, a stack of boxes, a block on a slope, a block that slides to rest. */
#include "scenes.h"
#include <string.h>

typedef struct things_params {
  double height, count, angle_deg, mu, speed, restitution, damping;
} things_params;

static const po_param things_drop_param[] = {
  PO_PARAM(things_params, height, 1, 0, 10, "m", "of the soles over the ground at the start"),
  PO_PARAM(things_params, mu, 1, 0, 10, "", "friction"),
  PO_PARAM(things_params, restitution, 0, 0, 1, "", "bounce"),
  PO_PARAM(things_params, damping, 0.3, 0, 10, "N m s/rad", "of every joint: limp limbs lose their swing to it, as muscles and skin do"),
};
static const po_param things_stack_param[] = {
  PO_PARAM(things_params, count, 10, 1, 100, "", "boxes"),
  PO_PARAM(things_params, mu, 1, 0, 10, "", "friction"),
};
static const po_param things_slope_param[] = {
  PO_PARAM(things_params, angle_deg, 30, 0, 80, "deg", "of the slope"),
  PO_PARAM(things_params, mu, 0.5, 0, 10, "", "friction; it sticks below atan mu"),
};
static const po_param things_slide_param[] = {
  PO_PARAM(things_params, speed, 2, 0, 50, "m/s", "at the start"),
  PO_PARAM(things_params, mu, 0.5, 0, 10, "", "friction; it stops after v^2 / (2 mu g)"),
};

typedef struct things_state {
  double start[3], speed_max, drift_max, quiet_since, stopped_at, distance, expected;
  double rest[100][3];         /* where the boxes of a stack settled */
} things_state;

#define THINGS_EDGE 0.2 /* m */
#define THINGS_MASS 5.0 /* kg */

static po_status things_world(po_run *r, int with_model, po_error *err) {
  po_world_opts w = po_world_opts_default();
  const things_params *p = r->params;
  w.mu = p->mu;
  w.restitution = p->restitution;
  w.joint_damping = p->damping;
  return po_run_world(r, &w, with_model, err);
}

/* Adds a box; noise comes later, when it stands where it is to start. */
static po_status things_add_box(po_run *r, po_error *err) {
  po_thing box = {"box", PO_BOX, {0.5 * THINGS_EDGE, 0.5 * THINGS_EDGE, 0.5 * THINGS_EDGE}, THINGS_MASS};
  po_status s = r->spare[0] ? PO_OK : po_thing_model(&r->spare[0], &box, err);
  if (s != PO_OK || (s = po_world_add(NULL, r->world, r->spare[0])) == PO_OK) return s;
  return po_fail(err, s, "world: %s", po_status_string(s));
}

/* ---- drop: a body falls limp and comes to rest ---- */

static po_status things_drop_init(po_run *r, po_error *err) {
  const things_params *p = r->params;
  things_state *s = r->state;
  po_status st = things_world(r, 1, err);
  if (st != PO_OK) return st;
  po_lift(po_world_q(r->world, 0), r->model, p->height);
  po_run_add_noise(r, 0);
  s->quiet_since = -1;
  return PO_OK;
}
static void things_drop_observe(po_run *r) {
  things_state *s = r->state;
  double speed = po_norm_inf(po_world_v(r->world, 0), r->model->nv);
  if (r->time > 0.5 * r->opts.seconds) s->speed_max = po_max(s->speed_max, speed);
  if (!(speed < 0.05)) s->quiet_since = -1;
  else if (s->quiet_since < 0) s->quiet_since = r->time;
}
static void things_drop_judge(po_run *r) {
  things_state *s = r->state;
  double speed = po_norm_inf(po_world_v(r->world, 0), r->model->nv);
  po_run_set_result(r, "quiet_since", s->quiet_since >= 0 ? s->quiet_since : PO_NAN);
  po_run_set_result(r, "speed_end", speed);
  po_run_set_result(r, "penetration", po_world_last_report(r->world).penetration);
  if (!(s->quiet_since >= 0)) po_run_fail(r, PO_FAILED, "not at rest: %.3f rad/s or m/s at the end", speed);
}

/* ---- stack: boxes on top of each other stay where they are ---- */

#define THINGS_SETTLE 1.0

static po_status things_stack_init(po_run *r, po_error *err) {
  const things_params *p = r->params;
  int i, n = (int)p->count;
  po_status s = things_world(r, 0, err);
  for (i = 0; s == PO_OK && i < n; i++)
    if ((s = things_add_box(r, err)) == PO_OK) {
      po_world_q(r->world, i)[6] = (i + 0.5) * THINGS_EDGE;
      po_run_add_noise(r, i);
    }
  return s;
}
static void things_stack_observe(po_run *r) {
  things_state *s = r->state;
  int i, k;
  for (i = 0; i < po_world_count(r->world); i++) {
    const double *q = po_world_q(r->world, i) + 4;
    double d2 = 0;
    if (r->time <= THINGS_SETTLE) memcpy(s->rest[i], q, sizeof s->rest[i]);
    for (k = 0; k < 3; k++) d2 += (q[k] - s->rest[i][k]) * (q[k] - s->rest[i][k]);
    s->drift_max = po_max(s->drift_max, sqrt(d2));
  }
}
static void things_stack_judge(po_run *r) {
  things_state *s = r->state;
  po_run_set_result(r, "drift_max", s->drift_max);
  po_run_set_result(r, "penetration", po_world_last_report(r->world).penetration);
  if (!(s->drift_max < 1e-3)) po_run_fail(r, PO_FAILED, "a box drifted %.4f m", s->drift_max);
}

/* ---- slope and slide: a block that Coulomb's law moves and stops ---- */

#define THINGS_NOISE_SECONDS 0.1 /* seeded noise lifts and tips the block a little: by then it lies flat again, and the law counts from there */
#define THINGS_LAW_STEP 1e-4     /* s */

/* How far a point comes in so many seconds: g sin along the slope, friction mu g cos against its velocity, which is what the law integrates. */
static double things_law(double along, double across, double angle, double mu, double seconds) {
  double si, co, x = 0, y = 0, t;
  po_sincos(&si, &co, angle);
  for (t = 0; t < seconds - 0.5 * THINGS_LAW_STEP; t += THINGS_LAW_STEP) {
    double u = along + THINGS_LAW_STEP * 9.81 * si, w = across, speed = sqrt(u * u + w * w), lost = THINGS_LAW_STEP * mu * 9.81 * co;
    double kept = speed > lost ? 1 - lost / speed : 0;
    x += 0.5 * THINGS_LAW_STEP * (along + kept * u);
    y += 0.5 * THINGS_LAW_STEP * (across + kept * w);
    along = kept * u;
    across = kept * w;
  }
  return sqrt(x * x + y * y);
}

/* From here on the law is followed. */
static void things_law_begins(po_run *r) {
  const things_params *p = r->params;
  things_state *s = r->state;
  const double *q = po_world_q(r->world, 0), *v = po_world_v(r->world, 0);
  po_vec3 velocity = po_q_rotate(po_q_of(q), po_v3(v[3], v[4], v[5]));
  double angle = PO_RAD(p->angle_deg), si, co;
  po_sincos(&si, &co, angle);
  memcpy(s->start, q + 4, sizeof s->start);
  s->expected = things_law(-co * velocity.x - si * velocity.z, velocity.y, angle, p->mu, r->opts.seconds - r->time);
}
static void things_law_observe(po_run *r) {
  if (r->opts.seed && r->steps == (long)(THINGS_NOISE_SECONDS / r->opts.dt + 0.5)) things_law_begins(r);
}

static po_status things_slope_init(po_run *r, po_error *err) {
  const things_params *p = r->params;
  double si, co, *q;
  po_status st;
  po_sincos(&si, &co, PO_RAD(p->angle_deg));
  if ((st = po_run_tilt(r, PO_RAD(p->angle_deg), err)) != PO_OK || (st = things_world(r, 0, err)) != PO_OK || (st = things_add_box(r, err)) != PO_OK) return st;
  q = po_world_q(r->world, 0);
  po_q_to(q, po_q_axis_angle(po_v3(0, 1, 0), -PO_RAD(p->angle_deg)));
  po_v3_to(q + 4, po_v3_scale(0.5 * THINGS_EDGE, po_v3(-si, 0, co)));
  po_run_add_noise(r, 0);
  things_law_begins(r);
  return PO_OK;
}
static double things_travel(const po_run *r, const things_state *s) {
  const double *q = po_world_q(r->world, 0) + 4;
  return po_v3_norm(po_v3_sub(po_v3_of(q), po_v3_of(s->start)));
}
static void things_slope_judge(po_run *r) {
  things_state *s = r->state;
  double d = things_travel(r, s);
  po_run_set_result(r, "distance", d);
  po_run_set_result(r, "expected", s->expected);
  if (!(po_abs(d - s->expected) <= 0.01 * s->expected + 1e-3)) po_run_fail(r, PO_FAILED, "slid %.4f m instead of %.4f", d, s->expected);
}

static po_status things_slide_init(po_run *r, po_error *err) {
  const things_params *p = r->params;
  po_status st;
  if ((st = things_world(r, 0, err)) != PO_OK || (st = things_add_box(r, err)) != PO_OK) return st;
  po_world_q(r->world, 0)[6] = 0.5 * THINGS_EDGE;
  po_world_v(r->world, 0)[3] = p->speed;
  po_run_add_noise(r, 0);
  things_law_begins(r);
  return PO_OK;
}

#define THINGS_SCENARIO(id, title, words, good, body, length, begin, look, verdict) \
  const po_scenario po_scenario_##id = { \
    .name = title, .summary = words, .success = good, .model = body, .seconds = length, .dt = 0.001, .control_hz = 1000, \
    .param = things_##id##_param, .params = (int)(sizeof things_##id##_param / sizeof things_##id##_param[0]), .params_bytes = sizeof(things_params), \
    .state_bytes = sizeof(things_state), .init = begin, .observe = look, .judge = verdict}
THINGS_SCENARIO(drop, "drop", "a limp body falls and comes to rest", "no part moves at the end, and something lies on the ground", "human", 12, things_drop_init, things_drop_observe, things_drop_judge);
THINGS_SCENARIO(stack, "stack", "a stack of boxes stands still", "no box drifts by 1 mm after the first second", NULL, 20, things_stack_init, things_stack_observe, things_stack_judge);
THINGS_SCENARIO(slope, "slope", "a block on a slope sticks below atan mu and slides above", "its way is that of g (sin - mu cos), within 1 % and 1 mm", NULL, 1, things_slope_init, things_law_observe, things_slope_judge);
THINGS_SCENARIO(slide, "slide", "a sliding block comes to rest", "its way is v^2 / (2 mu g), within 1 % and 1 mm", NULL, 3, things_slide_init, things_law_observe, things_slope_judge);
