/* obstacles.c: over things that lie across the way and under bars above it (Coros 2010, figures 5.10, 5.11). */
#include "skill_scene.h"

typedef struct obstacles_params { double friction, height, depth, count, spacing, duck, duck_offset, jitter; } obstacles_params;
static const po_param obstacles_param[] = {
    PO_PARAM(obstacles_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(obstacles_params, height, 0.2, 0.05, 0.5, "m", "of the obstacles"),
    PO_PARAM(obstacles_params, depth, 0.1, 0.02, 0.3, "m", "of the obstacles, along the way"),
    PO_PARAM(obstacles_params, count, 5, 1, 12, "", "obstacles"),
    PO_PARAM(obstacles_params, spacing, 2.5, 1.2, 5, "m", "from one to the next"),
    PO_PARAM(obstacles_params, duck, 0, 0, 1.8, "m", "underside of a bar over each; 0: none, else from 0.9 on"),
    PO_PARAM(obstacles_params, duck_offset, 0, -1, 1, "m", "how far behind its obstacle a bar is"),
    PO_PARAM(obstacles_params, jitter, 0, 0, 0.5, "m", "how far each is moved at random along the way, bars with them"),
};
static const po_text_param obstacles_text[] = {PO_SKILL_TEXTS, {NULL, NULL, NULL, NULL}};

#define OBSTACLES_MOST 12
#define OBSTACLES_WIDE 3.0       /* m to each side */
#define OBSTACLES_BAR 0.05       /* m: half a bar's thickness */
#define OBSTACLES_BEYOND 1.5     /* m past the last one: all is done */
#define OBSTACLES_DUCK_LEAST 0.9 /* m */

typedef struct obstacles_state {
  double at[OBSTACLES_MOST], bar[OBSTACLES_MOST]; /* m: middles */
  double passed[OBSTACLES_MOST][2], ducked[OBSTACLES_MOST];
  double clearance, head, started, finished;
} obstacles_state;

static po_status obstacles_ground(po_run *r, po_error *err) {
  const obstacles_params *p = r->params;
  obstacles_state *s = r->state;
  po_status st;
  int i;
  if ((st = po_terrain_new(&r->terrain, NULL)) != PO_OK || (st = po_terrain_add_plane(r->terrain, po_v3(0, 0, 1), 0, 1)) != PO_OK)
    return po_fail(err, st, "terrain: %s", po_status_string(st));
  for (i = 0; i < (int)p->count && st == PO_OK; i++) {
    s->at[i] = (i + 1) * p->spacing + p->jitter * po_skill_random(r->opts.seed, i);
    s->bar[i] = s->at[i] + p->duck_offset;
    st = po_terrain_add_step(r->terrain, po_v3(s->at[i] - 0.5 * p->depth, -OBSTACLES_WIDE, 0), po_v3(s->at[i] + 0.5 * p->depth, OBSTACLES_WIDE, p->height), 1);
    if (st == PO_OK) st = po_terrain_set_tag(r->terrain, r->terrain->boxes - 1, PO_TAG_OBSTACLE);
    if (p->duck == 0 || st != PO_OK) continue;
    st = po_terrain_add_step(r->terrain, po_v3(s->bar[i] - OBSTACLES_BAR, -OBSTACLES_WIDE, p->duck), po_v3(s->bar[i] + OBSTACLES_BAR, OBSTACLES_WIDE, p->duck + 2 * OBSTACLES_BAR), 1);
    if (st == PO_OK) st = po_terrain_set_tag(r->terrain, r->terrain->boxes - 1, PO_TAG_BAR);
  }
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}

static po_status obstacles_init(po_run *r, po_error *err) {
  const obstacles_params *p = r->params;
  obstacles_state *s = r->state;
  po_status st;
  if (p->duck > 0 && p->duck < OBSTACLES_DUCK_LEAST) return po_fail(err, PO_ERR_RANGE, "duck = %g: 0 for no bar, or at least %g m", p->duck, OBSTACLES_DUCK_LEAST);
  s->clearance = s->head = PO_INF;
  if ((st = obstacles_ground(r, err)) != PO_OK || (st = po_skill_body(r, p->friction, 0, err)) != PO_OK || (st = po_run_sim(r, err)) != PO_OK) return st;
  if (p->duck > 0 && p->duck < po_skill_heights_of(po_run_move(r, 0)).bar)
    return po_fail(err, PO_ERR_RANGE, "duck = %g: bent as deep as it goes this body is %.2f m high", p->duck, po_skill_heights_of(po_run_move(r, 0)).bar);
  return PO_OK;
}

static void obstacles_observe(po_run *r) {
  const obstacles_params *p = r->params;
  obstacles_state *s = r->state;
  const po_data *d = po_world_data(r->world, 0);
  const po_actor *a = po_run_move(r, 0)->actor;
  double heel[2], last;
  int i, foot, head = po_find_body(r->model, "head"), n = (int)p->count;
  for (foot = 0; foot < 2; foot++) heel[foot] = po_point_position(d, a->patches.patch[foot].point_body[0], a->patches.patch[foot].point[0]).x;
  for (i = 0; i < n; i++) {
    double low = s->at[i] - 0.5 * p->depth, high = s->at[i] + 0.5 * p->depth;
    for (foot = 0; foot < 2; foot++) {
      if (heel[foot] > high && !(s->passed[i][foot] > 0)) s->passed[i][foot] = 1;
      s->clearance = po_min(s->clearance, po_min(po_skill_foot_height(r, foot, low), po_skill_foot_height(r, foot, high)) - p->height);
    }
    if (!(p->duck > 0) || head < 0) continue;
    if (po_abs(d->pose[head].p.x - s->bar[i]) < 0.25) s->head = po_min(s->head, p->duck - po_skill_head_top(r));
    if (d->pose[0].p.x > s->bar[i] + 0.2) s->ducked[i] = 1;
  }
  last = po_max(s->at[n - 1], p->duck > 0 ? s->bar[n - 1] : 0);
  if (d->com.x > last + OBSTACLES_BEYOND && !(s->finished > 0)) s->finished = r->time;
}

static int obstacles_finished(const po_run *r) { return ((const obstacles_state *)r->state)->finished > 0; }

static void obstacles_judge(po_run *r) {
  const obstacles_params *p = r->params;
  const obstacles_state *s = r->state;
  const po_sim_character *c = &r->sim->character[0];
  int i, cleared = 0, ducked = 0;
  for (i = 0; i < (int)p->count; i++) {
    cleared += s->passed[i][0] > 0 && s->passed[i][1] > 0;
    ducked += s->ducked[i] > 0;
  }
  po_run_set_result(r, "cleared", cleared);
  po_run_set_result(r, "touched", (double)c->touched);
  po_run_set_result(r, "clearance_min", s->clearance);
  po_run_set_result(r, "ducked", ducked);
  po_run_set_result(r, "head_clearance_min", s->head);
  po_run_set_result(r, "mean_speed", r->time > 0 ? po_world_data(r->world, 0)->com.x / r->time : PO_NAN);
  if (r->outcome != PO_RUNNING) return;
  if (c->touched) po_run_fail(r, PO_FAILED, "touched what it was to pass: %s at x = %.2f m", r->model->body_name[c->touch_body],
                              0.5 * (r->terrain->box[c->touch_box].low.x + r->terrain->box[c->touch_box].high.x));
  else if (cleared < (int)p->count) po_run_fail(r, PO_FAILED, "passed %d of %d obstacles", cleared, (int)p->count);
}

const po_scenario po_scenario_obstacles = {
  .name = "obstacles", .summary = "step over what lies across the way, bow below bars",
  .success = "all cleared, nothing touched, no fall",
  .model = "human", .move = "course", .seconds = 60, .dt = 0.0005, .control_hz = 2000, .text = obstacles_text,
  .param = obstacles_param, .params = sizeof obstacles_param / sizeof *obstacles_param, .params_bytes = sizeof(obstacles_params),
  .state_bytes = sizeof(obstacles_state), .init = obstacles_init, .observe = obstacles_observe, .finished = obstacles_finished, .judge = obstacles_judge};
