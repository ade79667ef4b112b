/* course.c: all together: a crate is fetched from a shelf, carried up stairs and over obstacles, and held standing (Coros 2010, figure 5.12). */
#include "skill_scene.h"

typedef struct course_params { double friction, mass, rise, height; } course_params;
static const po_param course_param[] = {
    PO_PARAM(course_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(course_params, mass, 15, 5, 25, "kg", "of the crate"),
    PO_PARAM(course_params, rise, 0.15, 0.05, 0.2, "m", "of each step of the stairs"),
    PO_PARAM(course_params, height, 0.2, 0.05, 0.3, "m", "of the obstacles"),
};
static const po_text_param course_text[] = {PO_SKILL_TEXTS, {NULL, NULL, NULL, NULL}};

#define COURSE_CRATE 1.5         /* m: where the crate is, */
#define COURSE_SHELF 0.4         /* m: and how high it stands */
#define COURSE_WIDTH 0.2         /* m: half its width, */
#define COURSE_HIGH 0.11         /* and height */
#define COURSE_STAIRS 4.5        /* m: where stairs begin */
#define COURSE_STEPS 4
#define COURSE_TREAD 0.4         /* m */
#define COURSE_OBSTACLES 2
#define COURSE_FIRST 2.2         /* m from the last edge to the first obstacle, */
#define COURSE_NEXT 2.2          /* and to the next */
#define COURSE_DEPTH 0.1         /* m of an obstacle */
#define COURSE_END 1.8           /* m beyond the last one: there it stops */
#define COURSE_STOOD 2.0         /* s */
#define COURSE_WIDE 4.0          /* m to each side */

typedef struct course_state { po_skill_prop prop; double lifted_at, dropped, climbed, stand_since, from_x, from_y, carried, passed[COURSE_OBSTACLES][2]; } course_state;

static double course_edge(int step) { return COURSE_STAIRS + step * COURSE_TREAD; }
static double course_obstacle(int i) { return course_edge(COURSE_STEPS - 1) + COURSE_FIRST + i * COURSE_NEXT; }

static po_status course_ground(po_run *r, po_error *err) {
  const course_params *p = r->params;
  double top = COURSE_STEPS * p->rise;
  int i;
  po_status st = po_terrain_new(&r->terrain, NULL);
  if (st == PO_OK) st = po_terrain_add_plane(r->terrain, po_v3(0, 0, 1), 0, 1);
  for (i = 0; i < COURSE_STEPS && st == PO_OK; i++)
    st = po_terrain_add_step(r->terrain, po_v3(course_edge(i), -COURSE_WIDE, -0.5), po_v3(i == COURSE_STEPS - 1 ? course_edge(i) + 12 : course_edge(i + 1), COURSE_WIDE, (i + 1) * p->rise), 1);
  for (i = 0; i < COURSE_OBSTACLES && st == PO_OK; i++) {
    st = po_terrain_add_step(r->terrain, po_v3(course_obstacle(i) - 0.5 * COURSE_DEPTH, -COURSE_WIDE, top), po_v3(course_obstacle(i) + 0.5 * COURSE_DEPTH, COURSE_WIDE, top + p->height), 1);
    if (st == PO_OK) st = po_terrain_set_tag(r->terrain, r->terrain->boxes - 1, PO_TAG_OBSTACLE);
  }
  if (st == PO_OK) st = po_terrain_add_step(r->terrain, po_v3(COURSE_CRATE - 0.06, -0.5 * COURSE_WIDTH, 0), po_v3(COURSE_CRATE + 0.06, 0.5 * COURSE_WIDTH, COURSE_SHELF), 1);
  if (st == PO_OK) st = po_terrain_set_tag(r->terrain, r->terrain->boxes - 1, PO_TAG_OBSTACLE);
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}

static po_status course_init(po_run *r, po_error *err) {
  const course_params *p = r->params;
  course_state *s = r->state;
  po_status st;
  s->lifted_at = s->stand_since = -1;
  if ((st = course_ground(r, err)) != PO_OK || (st = po_skill_body(r, p->friction, 0, err)) != PO_OK || (st = po_skill_carried_crate(r, p->mass, COURSE_WIDTH, err)) != PO_OK) return st;
  po_skill_place_thing(r, po_v3(COURSE_CRATE, 0, COURSE_SHELF + COURSE_HIGH), 0);
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  po_skill_run(r)->goal.stop = course_obstacle(COURSE_OBSTACLES - 1) + COURSE_END;
  return PO_OK;
}

static void course_observe(po_run *r) {
  course_state *s = r->state;
  const po_data *d = po_world_data(r->world, 0);
  const po_actor *a = po_run_move(r, 0)->actor;
  int i, foot;
  po_skill_watch_things(r);
  po_skill_watch_stand(&s->stand_since, r);
  if (s->lifted_at < 0 && s->prop.held >= 2 && po_skill_thing_pose(r).p.z > COURSE_SHELF + COURSE_HIGH + 0.2) s->lifted_at = r->time, s->from_x = d->com.x, s->from_y = d->com.y;
  if (s->lifted_at >= 0) {
    s->dropped += s->prop.held < 2;
    if (s->prop.held >= 2) s->carried = po_max(s->carried, sqrt((d->com.x - s->from_x) * (d->com.x - s->from_x) + (d->com.y - s->from_y) * (d->com.y - s->from_y)));
  }
  for (foot = 0; foot < 2; foot++) {
    double heel = po_point_position(d, a->patches.patch[foot].point_body[0], a->patches.patch[foot].point[0]).x;
    if (r->sim->character[0].feet.patch[foot].force > 0)
      s->climbed = po_max(s->climbed, po_clamp(floor((d->pose[a->legs.foot[foot]].p.x - COURSE_STAIRS) / COURSE_TREAD) + 1, 0, COURSE_STEPS));
    for (i = 0; i < COURSE_OBSTACLES; i++)
      if (heel > course_obstacle(i) + 0.5 * COURSE_DEPTH) s->passed[i][foot] = 1;
  }
}

static int course_finished(const po_run *r) {
  const course_state *s = r->state;
  return s->lifted_at >= 0 && po_skill_along(po_run_move(r, 0), po_world_data(r->world, 0)->com) > po_skill_run(r)->goal.stop && s->stand_since >= 0 && r->time - s->stand_since >= COURSE_STOOD;
}

static void course_judge(po_run *r) {
  const course_state *s = r->state;
  const po_sim_character *c = &r->sim->character[0];
  double stood = s->stand_since >= 0 ? r->time - s->stand_since : 0;
  int i, cleared = 0;
  for (i = 0; i < COURSE_OBSTACLES; i++) cleared += s->passed[i][0] > 0 && s->passed[i][1] > 0;
  po_run_set_result(r, "lifted_at", s->lifted_at >= 0 ? s->lifted_at : PO_NAN);
  po_run_set_result(r, "climbed", s->climbed);
  po_run_set_result(r, "cleared", cleared);
  po_run_set_result(r, "touched", (double)c->touched);
  po_run_set_result(r, "carried", s->carried);
  po_run_set_result(r, "stood_seconds", stood);
  if (r->outcome != PO_RUNNING) return;
  if (s->lifted_at < 0) po_run_fail(r, PO_FAILED, "did not get the crate: it came as far as '%s'", po_move_phase_string(po_run_move(r, 0)));
  else if (s->dropped > 0) po_run_fail(r, PO_FAILED, "the crate was let go");
  else if (s->climbed < COURSE_STEPS) po_run_fail(r, PO_FAILED, "came to step %d of %d", (int)s->climbed, COURSE_STEPS);
  else if (cleared < COURSE_OBSTACLES) po_run_fail(r, PO_FAILED, "passed %d of %d obstacles", cleared, COURSE_OBSTACLES);
  else if (c->touched) po_run_fail(r, PO_FAILED, "touched what it was to pass with its %s", r->model->body_name[c->touch_body]);
  else if (stood < COURSE_STOOD - 1e-9) po_run_fail(r, PO_FAILED, "stood for %.2f s at the end, %.0f are asked for", stood, COURSE_STOOD);
}

const po_scenario po_scenario_course = {
  .name = "course", .summary = "fetch a crate, carry it up stairs and over obstacles, stand",
  .success = "fetches the crate, climbs, steps over without touching, stands 2 s; never lets go",
  .model = "human", .move = "carry", .seconds = 90, .dt = 0.0005, .control_hz = 2000, .text = course_text,
  .param = course_param, .params = sizeof course_param / sizeof *course_param, .params_bytes = sizeof(course_params),
  .state_bytes = sizeof(course_state), .init = course_init, .before = po_skill_tell, .observe = course_observe, .finished = course_finished, .judge = course_judge};
