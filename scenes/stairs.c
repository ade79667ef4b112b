/* stairs.c: up and down steps, with empty hands or a crate in them (Coros 2010, figure 5.12). */
#include "skill_scene.h"

typedef struct stairs_params { double friction, rise, tread, count, mass; } stairs_params;
static const po_param stairs_param[] = {
    PO_PARAM(stairs_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(stairs_params, rise, 0.15, -0.25, 0.25, "m", "of each step; negative: down"),
    PO_PARAM(stairs_params, tread, 0.4, 0.25, 0.8, "m", "of each step"),
    PO_PARAM(stairs_params, count, 6, 1, 20, "", "steps"),
    PO_PARAM(stairs_params, mass, 0, 0, 25, "kg", "of a crate that is carried; 0: none"),
};
static const po_text_param stairs_text[] = {PO_SKILL_TEXTS, {NULL, NULL, NULL, NULL}};

#define STAIRS_FIRST 1.5         /* m: where the first step begins */
#define STAIRS_WIDE 3.0          /* m to each side */
#define STAIRS_DEEP 0.5          /* m: how far boxes reach below the lowest ground */
#define STAIRS_BEYOND 1.0        /* m past the last edge: there it stops */
#define STAIRS_FLAT 6.0          /* m of level ground at the end */
#define STAIRS_STOOD 2.0         /* s */
#define STAIRS_SOLE 0.5          /* share of a sole that has to be on its tread */
#define STAIRS_RISER 0.3         /* a contact whose normal is less upright than this is with a riser */

typedef struct stairs_state { po_skill_prop prop; double climbed, overhang, stand_since, touched, touching; } stairs_state;

/* Height of the ground at the foot of the i-th step (0: where it begins). */
static double stairs_height(const stairs_params *p, int i) { return p->rise >= 0 ? i * p->rise : ((int)p->count - i) * -p->rise; }

static po_status stairs_ground(po_run *r, po_error *err) {
  const stairs_params *p = r->params;
  int i, n = (int)p->count;
  po_status st = po_terrain_new(&r->terrain, NULL);
  for (i = 0; i <= n && st == PO_OK; i++) {
    double from = i == 0 ? -STAIRS_FLAT : STAIRS_FIRST + (i - 1) * p->tread, to = i == n ? from + STAIRS_FLAT : STAIRS_FIRST + i * p->tread;
    st = po_terrain_add_step(r->terrain, po_v3(from, -STAIRS_WIDE, -STAIRS_DEEP), po_v3(to, STAIRS_WIDE, stairs_height(p, i)), 1);
  }
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}

static po_status stairs_init(po_run *r, po_error *err) {
  const stairs_params *p = r->params;
  stairs_state *s = r->state;
  po_status st;
  s->stand_since = -1;
  if ((st = stairs_ground(r, err)) != PO_OK || (st = po_skill_body(r, p->friction, 0, err)) != PO_OK) return st;
  if (p->mass > 0 && (st = po_skill_hold_crate(r, p->mass, err)) != PO_OK) return st;
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  if (p->tread < 0.5 * po_gbwc_sole(po_run_move(r, 0)))
    return po_fail(err, PO_ERR_RANGE, "tread = %g: shorter than half a sole, which is %.2f m long", p->tread, po_gbwc_sole(po_run_move(r, 0)));
  po_skill_run(r)->goal.stop = STAIRS_FIRST + ((int)p->count - 1) * p->tread + STAIRS_BEYOND;
  return PO_OK;
}

/* Feet that bump into a riser. */
static void stairs_watch_risers(po_run *r) {
  stairs_state *s = r->state;
  int i, count, touching = 0;
  const po_contact *c = po_world_contacts(&count, r->world);
  for (i = 0; i < count; i++) touching |= c[i].a == 0 && c[i].b < 0 && c[i].normal.z < STAIRS_RISER && po_v3_dot(c[i].impulse, c[i].normal) > 0;
  s->touched += touching && !(s->touching > 0);
  s->touching = touching;
}

static void stairs_observe(po_run *r) {
  const stairs_params *p = r->params;
  stairs_state *s = r->state;
  const po_data *d = po_world_data(r->world, 0);
  const po_actor *a = po_run_move(r, 0)->actor;
  int foot;
  for (foot = 0; foot < 2; foot++) {
    double x = d->pose[a->legs.foot[foot]].p.x;
    if (r->sim->character[0].feet.patch[foot].force > 0) s->climbed = po_max(s->climbed, po_clamp(floor((x - STAIRS_FIRST) / p->tread) + 1, 0, p->count));
    s->overhang = po_max(s->overhang, po_skill_overhang(r, foot));
  }
  stairs_watch_risers(r);
  po_skill_watch_stand(&s->stand_since, r);
  if (p->mass > 0) po_skill_watch_things(r);
}

static int stairs_finished(const po_run *r) {
  const stairs_state *s = r->state;
  return po_move_phase(po_run_move(r, 0)) > 0 && s->stand_since >= 0 && r->time - s->stand_since >= STAIRS_STOOD;
}

static void stairs_judge(po_run *r) {
  const stairs_params *p = r->params;
  const stairs_state *s = r->state;
  double stood = s->stand_since >= 0 ? r->time - s->stand_since : 0;
  po_run_set_result(r, "climbed", s->climbed);
  po_run_set_result(r, "overhang_max", s->overhang);
  po_run_set_result(r, "touched", s->touched);
  po_run_set_result(r, "stood_seconds", stood);
  if (r->outcome != PO_RUNNING) return;
  if (s->climbed < (int)p->count) po_run_fail(r, PO_FAILED, "came to step %d of %d", (int)s->climbed, (int)p->count);
  else if (p->mass > 0 && s->prop.held < 2) po_run_fail(r, PO_FAILED, "the crate is not in both hands at the end");
  else if (s->overhang > 1 - STAIRS_SOLE) po_run_fail(r, PO_FAILED, "a sole was only %.0f %% on its tread", 100 * (1 - s->overhang));
  else if (stood < STAIRS_STOOD - 1e-9) po_run_fail(r, PO_FAILED, "stood for %.2f s at the end, %.0f are asked for", stood, STAIRS_STOOD);
}

static po_status stairs_before(po_run *r) { return ((const stairs_params *)r->params)->mass > 0 ? po_skill_tell(r) : PO_OK; }

const po_scenario po_scenario_stairs = {
  .name = "stairs", .summary = "walk up or down stairs and stop, with empty hands or a crate in them",
  .success = "on the last step with no fall; every sole at least half on its tread; stands 2 s",
  .model = "human", .move = "course", .seconds = 60, .dt = 0.0005, .control_hz = 2000, .text = stairs_text,
  .param = stairs_param, .params = sizeof stairs_param / sizeof *stairs_param, .params_bytes = sizeof(stairs_params),
  .state_bytes = sizeof(stairs_state), .init = stairs_init, .before = stairs_before, .observe = stairs_observe, .finished = stairs_finished, .judge = stairs_judge};
