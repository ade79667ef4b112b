/* push_map.c: the strongest push a body that stands, walks or turns over survives, from every direction, by strict priorities and by weights, or by several
 * controllers of walking.
 *
 * One simulation per method. Each runs alone up to the moments of the pushes, where everything is saved; a trial is a rollout from such a moment with a push
 * (ctrl/plan). Restoring is exact to the bit, so a trial is the run that `poise run balance --push ...` makes. The force is bisected: between the
 * largest that was survived and the smallest that was not. The searches, one per direction, moment and method, know nothing of each other: each is a
 * unit of work for whoever has time.
 */
#include "push_map.h"
#include "../ctrl/moves/moves.h"
#include "recovery.h"
#include "scenes.h"
#include <string.h>

#define MAP_PHASES 16
#define MAP_FRICTION 0.8   /* PO_PUSH_MAP_FRICTION: what gbwc and simbicon walk on by default */
#define MAP_WARM_UP 4.0    /* s of walking before the first push */
#define MAP_REACH 20.0     /* s: who has not come to the moments of the pushes by then never will */
#define MAP_FIRST (30.0 / 78) /* m/s: impulse over mass of the first trial; 150 N for 0.2 s on the human */
#define MAP_MOST 6.0       /* m/s: nothing survives more */
#define MAP_LEAST 0.02     /* m/s: below this nothing is survived */
#define MAP_STRIDE 0.1     /* first change of the force, as a share, while one side of the bracket is open; it doubles */
#define MAP_TURNED PO_RAD(20) /* from a whole turn: the flips' own condition */
#define MAP_LOST 0.25      /* standing: a COM this share of its height off its target is far outside the soles and does not come back */

typedef struct map_params { double directions, phases, duration, seconds, push_time, resolution, weighted, weight_ratio; } map_params;

static const po_param map_param[] = {
  PO_PARAM(map_params, directions, 0, 0, 360, "", "directions of the push, the first straight ahead, then to the left; 0: 16 standing, else 8"),
  PO_PARAM(map_params, phases, 2, 1, MAP_PHASES, "", "walking: moments of the left foot's step at which the push begins; turning over: phase angles, in the middle of as many equal parts of a turn"),
  PO_PARAM(map_params, duration, 0.2, 0.01, 2, "s", "how long a push lasts"),
  PO_PARAM(map_params, seconds, PO_RECOVERY_WITHIN, 0.1, 60, "s", "after a push: time until it must be calm (standing) or may not have fallen (walking), or must stand (turning over: twice as long)"),
  PO_PARAM(map_params, push_time, 1, 0, 60, "s", "standing: when the push begins"),
  PO_PARAM(map_params, resolution, 0.05, 0.001, 0.5, "", "a direction is done when the bracket is this share of the force"),
  PO_PARAM(map_params, weighted, 1, 0, 1, "", "1: the same map with weights in place of priorities beside it"),
  PO_PARAM(map_params, weight_ratio, 1e4, 1, 1e6, "", "weighted: each level weighs this many times the next"),
};
static const po_text_param map_text[] = {{"gait", "stand", "stand, walk, backflip, frontflip, cartwheel or back-handspring", NULL},
                                         {"style", "normal", "of walking: normal, fast, slow, sad, or a .json file of parameters", po_scene_style},
                                         {"controllers", "", "of walking: one outline for each of walk,gbwc,simbicon, in place of priorities and weights", NULL},
                                         {NULL, NULL, NULL, NULL}};
/* Controllers that walk, each stepped as its own scenario is. hz 0: as the run asks. */
static const struct { const char *name; const po_move_type *type; double hz; } map_controllers[] = {
  {"walk", &po_walk_type, 0}, {"gbwc", &po_gbwc_type, 2000}, {"simbicon", &po_simbicon_type, 2000}};
#define MAP_CONTROLLERS ((int)(sizeof map_controllers / sizeof map_controllers[0]))

typedef struct map_lane { /* one method */
  po_world *world;
  po_sim *sim;
  po_move *move;
  void *moment[MAP_PHASES]; /* the simulation when a push begins */
  double time[MAP_PHASES];  /* s after the start; NaN: never */
  int ready;                /* moments reached; −1: it fell before */
  int controller;           /* of map_controllers */
  size_t bytes;             /* of a moment */
  int left;                 /* 1: the left foot swings */
  double began, period;     /* s: when it began to, how long its last swing took */
} map_lane;

/* What is being pushed. */
typedef enum map_kind { MAP_STAND, MAP_WALK, MAP_TURN } map_kind;

typedef struct map_trial { /* what a rollout's judge looks at */
  po_recovery recovery;
  double duration, seconds, lost; /* lost: m */
  map_kind kind;
} map_trial;

typedef struct map_state {
  po_push_map map;
  map_lane lane[PO_PUSH_MAP_METHODS];
  void *start;              /* world 0 before anything: what the report shows, whoever did the searches */
  size_t start_bytes;
  map_kind kind;
  char result[PO_PUSH_MAP_METHODS][2][32]; /* names of results */
} map_state;

/* ---- up to the moments of the pushes ---- */

static int map_left_swings(const po_move *move) {
  const po_gbwc_state *g = po_gbwc_now(move);
  return g ? g->mode == PO_GBWC_WALK && g->stance == 1 : po_simbicon_now(move)->stance == 1;
}

/* Controllers without a period of their own: it is measured. */
static double map_due_swing(map_lane *l, int phase, int phases, double *begun) {
  int left = map_left_swings(l->move);
  if (left && !l->left) {
    l->began = l->sim->time;
    if (*begun < 0 && l->sim->time >= MAP_WARM_UP && l->period > 0) *begun = l->sim->time;
  }
  if (!left && l->left) l->period = l->sim->time - l->began;
  l->left = left;
  return *begun < 0 ? PO_INF : *begun + l->period * phase / phases;
}

/* Seconds after the start at which moment `phase` is due; infinite while that is not known. *begun: when the left foot's step began; < 0: not yet. */
static double map_due(const po_run *r, map_lane *l, int phase, double *begun) {
  const map_state *s = r->state;
  const po_walk_seen *w = po_walk_see(l->move);
  if (s->kind == MAP_STAND) return ((const map_params *)r->params)->push_time;
  if (s->kind == MAP_TURN) return po_turning_of(l->move)->phase.theta >= PO_RAD(po_push_map_angle(&s->map, phase)) ? l->sim->time : PO_INF;
  if (l->move->type != &po_walk_type) return map_due_swing(l, phase, s->map.phases, begun);
  if (*begun < 0 && l->sim->time >= MAP_WARM_UP && w->mode == PO_WALK_STEP && w->foot[0] == PO_FOOT_SWING && w->foot_time[0] < 2 / r->opts.control_hz)
    *begun = l->sim->time;
  return *begun < 0 ? PO_INF : *begun + w->period * phase / s->map.phases;
}

/* Moments are beginnings of control ticks. */
static po_status map_approach(po_run *r, map_lane *l, po_error *err) {
  const map_state *s = r->state;
  double begun = -1;
  po_status st = PO_OK;
  while (l->ready >= 0 && l->ready < s->map.phases) {
    po_sim *g = l->sim;
    while (g->steps % g->control_every == 0 && l->ready < s->map.phases && g->time >= map_due(r, l, l->ready, &begun) - 0.5 * g->opts.dt) {
      if ((st = po_sim_save(l->moment[l->ready], l->bytes, g)) != PO_OK) return po_fail(err, st, "a moment could not be saved: %s", po_status_string(st));
      l->time[l->ready++] = g->time;
    }
    if (l->ready == s->map.phases) break;
    if ((st = po_sim_step(g, err)) != PO_OK) return st;
    if (g->character[0].fall.at >= 0 || g->time > (s->kind == MAP_TURN ? MAP_REACH : po_max(MAP_REACH, map_due(r, l, 0, &begun) + 2))) l->ready = -1;
  }
  return st;
}

static po_status map_prepare(po_run *r, po_error *err) {
  map_state *s = r->state;
  po_status st = PO_OK;
  int k;
  for (k = 0; k < s->map.methods && st == PO_OK; k++) st = map_approach(r, &s->lane[k], err);
  return st;
}

/* ---- a trial ---- */

enum { MAP_GOES_ON, MAP_SURVIVED, MAP_FELL };

/* A whole turn was made, and it stands. */
static int map_turned(const po_move *move) { return po_move_done(move) == PO_MOVE_DONE && po_abs(po_turning_of(move)->phase.theta - 2 * PO_PI) < MAP_TURNED; }

static int map_watch(void *user, const po_sim *sim, const po_trial *trial, double time) {
  map_trial *t = user;
  const po_data *d = po_world_data(sim->world, 0);
  double after = time - t->duration;
  po_vec3 away;
  (void)trial;
  if (sim->character[0].fall.at >= 0) return MAP_FELL;
  if (after < 0) return MAP_GOES_ON;
  if (t->kind == MAP_TURN) return map_turned(sim->character[0].move) ? MAP_SURVIVED : after > 2 * t->seconds ? MAP_FELL : MAP_GOES_ON;
  if (t->kind == MAP_WALK) return after >= t->seconds - 1e-9 ? MAP_SURVIVED : MAP_GOES_ON;
  away = po_v3_sub(d->com, sim->character[0].move->com_target);
  po_recovery_step(&t->recovery, after, po_v3_norm(away), po_v3_norm(d->com_velocity));
  if (t->recovery.at >= 0) return MAP_SURVIVED;
  if (away.x * away.x + away.y * away.y > t->lost * t->lost) return MAP_FELL;
  return after > t->seconds && (t->recovery.since < 0 || t->recovery.since > t->seconds) ? MAP_FELL : MAP_GOES_ON;
}

typedef struct map_search { /* one cell */
  double survived, fell, stride;
  int trials;
  long steps;
  uint64_t hash;
} map_search;

/* The next force to try; 0 when the bracket is narrow enough. */
static double map_next_force(const map_search *c, double unit, double resolution) {
  if (!po_isfinite(c->fell)) {
    if (!(c->survived > 0)) return MAP_FIRST * unit;
    return c->survived < MAP_MOST * unit ? c->survived * (1 + c->stride) : 0;
  }
  if (!(c->survived > 0)) return c->fell > MAP_LEAST * unit ? c->fell / (1 + c->stride) : 0;
  return c->fell - c->survived > resolution * c->fell ? 0.5 * (c->survived + c->fell) : 0;
}

static po_status map_try(po_run *r, map_search *c, const map_lane *l, int phase, int direction, double force, po_error *err) {
  const map_state *s = r->state;
  const map_params *p = r->params;
  map_trial t;
  po_trial trial;
  po_trial_result result;
  po_push push;
  double si, co;
  po_status st;
  memset(&trial, 0, sizeof trial);
  memset(&push, 0, sizeof push);
  po_sincos(&si, &co, 2 * PO_PI * direction / s->map.directions);
  push.duration = p->duration;
  push.force = po_v3(force * co, force * si, 0);
  trial.start = l->moment[phase];
  trial.bytes = l->bytes;
  trial.seconds = p->duration + (s->kind == MAP_TURN ? 2 : 1) * p->seconds + PO_RECOVERY_HOLD + 1;
  trial.push = &push;
  trial.pushes = 1;
  t.recovery = po_recovery_none();
  t.duration = p->duration;
  t.seconds = p->seconds;
  t.lost = MAP_LOST * l->move->actor->standing_height;
  t.kind = s->kind;
  if ((st = po_rollout(&result, l->sim, &trial, map_watch, &t, err)) != PO_OK) return st;
  if (result.verdict == MAP_SURVIVED) c->survived = force;
  else c->fell = force;
  c->trials++;
  c->steps += (long)((double)result.steps * l->sim->opts.dt / r->opts.dt + 0.5); /* all in steps of the run */
  c->hash = po_hash(&result.hash, sizeof result.hash, c->hash);
  return PO_OK;
}

/* ---- units: a cell each ---- */

static int map_units(const po_run *r) { return ((const map_state *)r->state)->map.cells; }

static po_status map_unit(po_run *r, po_buffer *out, int cell, po_error *err) {
  const map_state *s = r->state;
  const map_params *p = r->params;
  const map_lane *l = &s->lane[cell % s->map.methods];
  int direction = cell / s->map.methods % s->map.directions, phase = cell / (s->map.methods * s->map.directions);
  double unit = s->map.mass / p->duration, force;
  map_search c = {PO_NAN, PO_NAN, MAP_STRIDE, 0, 0, 1};
  po_status st;
  if (l->ready == s->map.phases) {
    c.survived = 0;
    while ((force = map_next_force(&c, unit, p->resolution)) > 0) {
      if ((st = map_try(r, &c, l, phase, direction, force, err)) != PO_OK) return st;
      if (c.trials > 1) c.stride *= 2;
    }
  }
  po_buffer_printf(out, "%g %g %g %d %ld %016llx\n", c.survived, c.fell, l->time[phase], c.trials, c.steps, (unsigned long long)c.hash);
  return PO_OK;
}

static po_status map_join(po_run *r, int cell, const char *bytes, size_t size, po_error *err) {
  map_state *s = r->state;
  const char *at = bytes, *end = bytes + size;
  double x[5];
  uint64_t hash = 0;
  int i, phase = cell / (s->map.methods * s->map.directions);
  for (i = 0; i < 5; i++, at++)
    if (at >= end || po_parse_double(&x[i], &at, at, end) != PO_OK || at >= end || *at != ' ') return po_fail(err, PO_ERR_PARSE, "search %d is not one of a map", cell);
  if (end - at != 17) return po_fail(err, PO_ERR_PARSE, "search %d is not one of a map", cell);
  hash = po_hash(at, 16, r->study_hash);
  s->map.survived[cell] = x[0];
  s->map.fell[cell] = x[1];
  s->map.time[phase * s->map.methods + cell % s->map.methods] = x[2];
  s->map.trials += (long)x[3];
  s->map.done++;
  r->units_done++;
  r->steps += (long)x[4];
  r->sim_seconds = r->time = (double)r->steps * r->opts.dt;
  r->study_hash = hash;
  return PO_OK;
}

/* ---- a run's hooks ---- */

static const char *const map_gaits[] = {"stand", "walk", "backflip", "frontflip", "cartwheel", "back-handspring"};
#define MAP_GAITS ((int)(sizeof map_gaits / sizeof map_gaits[0]))

static int map_find_gait(const po_run *r) {
  int i;
  for (i = 0; i < MAP_GAITS; i++)
    if (!strcmp(po_run_text(r, "gait"), map_gaits[i])) return i;
  return -1;
}
static const char *map_gait(const po_run *r) {
  int i = map_find_gait(r);
  return map_gaits[i > 0 ? i : 0];
}
static const char *map_body(const po_run *r) { return po_sequence_body(map_gait(r)); }

static po_status map_add_lane(po_run *r, int k, po_error *err) {
  map_state *s = r->state;
  const map_params *p = r->params;
  map_lane *l = &s->lane[k];
  const po_move_type *type = s->map.controllers ? map_controllers[l->controller].type : r->type;
  po_world_opts w = po_world_opts_default();
  po_sim_opts g = po_sim_opts_default();
  po_wbc_opts o = r->opts.wbc;
  po_status st;
  int i;
  if (s->map.controllers) w.mu = MAP_FRICTION;
  if (k == 1 && !s->map.controllers) o.hqp.method = PO_HQP_WEIGHTED;
  if (o.hqp.method == PO_HQP_WEIGHTED) o.hqp.weight_ratio = p->weight_ratio;
  s->map.method[k] = s->map.controllers ? map_controllers[l->controller].name : po_hqp_method_string(o.hqp.method);
  o.clock = NULL;
  g.dt = s->map.controllers && map_controllers[l->controller].hz > 0 ? 1 / map_controllers[l->controller].hz : r->opts.dt;
  g.control_hz = s->map.controllers && map_controllers[l->controller].hz > 0 ? map_controllers[l->controller].hz : r->opts.control_hz;
  if ((st = po_world_new(&l->world, &w)) != PO_OK || (st = po_world_add(NULL, l->world, r->model)) != PO_OK ||
      (st = po_sim_new(&l->sim, l->world, po_terrain_flat(), &g)) != PO_OK)
    return po_fail(err, st, "world: %s", po_status_string(st));
  if ((st = po_move_new_of(&l->move, type, type == r->type ? r->move_params : NULL, r->model, po_terrain_flat(), &o, err)) != PO_OK) return st;
  if ((st = po_sim_set_move(l->sim, 0, l->move)) != PO_OK) return po_fail(err, st, "behaviour: %s", po_status_string(st));
  if (type->needs & PO_NEEDS_HANDS) l->sim->character[0].may_touch |= PO_BOTH_HANDS;
  l->bytes = po_sim_save_bytes(l->sim);
  for (i = 0; i < s->map.phases; i++) {
    l->time[i] = PO_NAN;
    if (!(l->moment[i] = po_alloc(l->bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  return PO_OK;
}

/* All begin as the first does; SIMBICON as its gait says. */
static po_status map_start_lane(po_run *r, int k, po_error *err) {
  map_state *s = r->state;
  map_lane *l = &s->lane[k];
  po_status st = k > 0 ? po_world_restore(l->world, s->start, s->start_bytes) : PO_OK;
  if (st != PO_OK) return po_fail(err, st, "world: %s", po_status_string(st));
  return po_simbicon_now(l->move) ? po_simbicon_start(po_world_q(l->world, 0), po_world_v(l->world, 0), l->move, -1, err) : PO_OK;
}

/* m between the feet; 0: as it stands. */
static double map_stance(const map_state *s) {
  double stance = 0;
  return s->kind == MAP_TURN && po_move_get(&stance, s->lane[0].move, "stance") == PO_OK ? stance : 0;
}

static po_status map_lanes(po_run *r, po_error *err) {
  map_state *s = r->state;
  double height = s->kind == MAP_WALK ? 0.97 : s->kind == MAP_STAND ? ((const po_balance_params *)r->move_params)->stand.com_height : 0.95;
  po_status st = PO_OK;
  int k;
  for (k = 0; k < s->map.methods && st == PO_OK; k++) st = map_add_lane(r, k, err);
  if (st != PO_OK) return st;
  r->world = s->lane[0].world;
  st = po_stand_pose_apart(po_world_q(r->world, 0), r->model, po_terrain_flat(), 0, 0, 0, height, map_stance(s), err);
  if (st != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->start_bytes = po_world_save_bytes(r->world);
  if (!(s->start = po_alloc(s->start_bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_world_save(s->start, s->start_bytes, r->world);
  for (k = 0; k < s->map.methods && st == PO_OK; k++) st = map_start_lane(r, k, err);
  return st;
}

/* "walk,gbwc": which controllers, in this order. */
static po_status map_choose_controllers(po_run *r, po_error *err) {
  map_state *s = r->state;
  const char *at = po_run_text(r, "controllers");
  if (s->kind != MAP_WALK) return po_fail(err, PO_ERR_RANGE, "controllers are of walking: set gait=walk");
  s->map.controllers = 1;
  while (*at) {
    const char *end = strchr(at, ',');
    size_t n = end ? (size_t)(end - at) : strlen(at);
    int i;
    for (i = 0; i < MAP_CONTROLLERS; i++)
      if (strlen(map_controllers[i].name) == n && !strncmp(map_controllers[i].name, at, n)) break;
    if (i == MAP_CONTROLLERS) return po_fail(err, PO_ERR_NAME, "no controller '%.*s': walk, gbwc or simbicon, separated by commas", (int)po_min((double)n, 40), at);
    if (s->map.methods == PO_PUSH_MAP_METHODS) return po_fail(err, PO_ERR_RANGE, "at most %d controllers", PO_PUSH_MAP_METHODS);
    s->lane[s->map.methods++].controller = i;
    at += end ? n + 1 : n;
  }
  return PO_OK;
}

static po_status map_room(po_push_map *m, po_error *err) {
  int i;
  m->survived = po_alloc(sizeof(double) * (size_t)m->cells);
  m->fell = po_alloc(sizeof(double) * (size_t)m->cells);
  m->time = po_alloc(sizeof(double) * (size_t)(m->phases * m->methods));
  if (!m->survived || !m->fell || !m->time) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; i < m->cells; i++) m->survived[i] = m->fell[i] = PO_NAN;
  for (i = 0; i < m->phases * m->methods; i++) m->time[i] = PO_NAN;
  return PO_OK;
}

static po_status map_init(po_run *r, po_error *err) {
  map_state *s = r->state;
  const map_params *p = r->params;
  const char *gait = po_run_text(r, "gait");
  po_status st;
  if (map_find_gait(r) < 0) return po_fail(err, PO_ERR_NAME, "gait=%s: it is stand or walk, backflip or frontflip, cartwheel or back-handspring", gait);
  if (r->opts.pushes || r->opts.ats) return po_fail(err, PO_ERR_RANGE, "push-map makes its own pushes: --push and --at are for `poise run balance`");
  if (r->opts.optimizer) return po_fail(err, PO_ERR_RANGE, "push-map compares what torques do: it is not for --advance optimizer");
  if (r->opts.seconds != r->scenario->seconds) return po_fail(err, PO_ERR_RANGE, "push-map takes the time it needs: `seconds` is not for it, but --set seconds=S is");
  s->kind = !strcmp(gait, "walk") ? MAP_WALK : !strcmp(gait, "stand") ? MAP_STAND : MAP_TURN;
  if (s->kind != MAP_WALK && po_run_was_set(r, "style")) return po_fail(err, PO_ERR_RANGE, "styles are of walking: set gait=walk");
  if (s->kind == MAP_STAND && po_run_was_set(r, "phases")) return po_fail(err, PO_ERR_RANGE, "who stands has no phases: set gait=walk or gait=backflip");
  s->map.gait = gait;
  s->map.turns = s->kind == MAP_TURN;
  s->map.model = r->model->name;
  s->map.style = po_run_text(r, "style");
  s->map.mass = r->model->total_mass;
  s->map.duration = p->duration;
  s->map.directions = p->directions >= 1 ? (int)p->directions : s->kind == MAP_STAND ? 16 : 8;
  s->map.phases = s->kind == MAP_STAND ? 1 : (int)p->phases;
  if (!*po_run_text(r, "controllers")) s->map.methods = p->weighted >= 0.5 && r->opts.wbc.hqp.method != PO_HQP_WEIGHTED ? 2 : 1;
  else if ((st = map_choose_controllers(r, err)) != PO_OK) return st;
  s->map.cells = s->map.phases * s->map.directions * s->map.methods;
  if ((st = map_room(&s->map, err)) != PO_OK || (st = map_lanes(r, err)) != PO_OK) return st;
  r->map = &s->map;
  return PO_OK;
}

static void map_judge(po_run *r) {
  static const char *const names[2] = {"impulse_min", "impulse_mean"};
  map_state *s = r->state;
  int k, p, d;
  po_world_restore(r->world, s->start, s->start_bytes);
  for (k = 0; k < s->map.methods; k++) {
    double least = PO_INF, sum = 0;
    int n = 0;
    for (p = 0; p < s->map.phases; p++)
      for (d = 0; d < s->map.directions; d++) {
        double x = po_push_map_impulse(&s->map, p, d, k);
        if (!po_isfinite(x)) continue;
        least = po_min(least, x);
        sum += x;
        n++;
      }
    for (p = 0; p < 2; p++) {
      if (s->map.controllers) po_format(s->result[k][p], sizeof s->result[k][p], "%s_%s", names[p], s->map.method[k]);
      else po_format(s->result[k][p], sizeof s->result[k][p], "%s%s", names[p], k == 0 ? "" : "_weighted");
    }
    po_run_set_result(r, s->result[k][0], n ? least : PO_NAN);
    po_run_set_result(r, s->result[k][1], n ? sum / n : PO_NAN);
  }
  po_run_set_result(r, "trials", (double)s->map.trials);
  if (r->outcome == PO_RUNNING && s->map.done < s->map.cells) po_run_fail(r, PO_FAILED, "%d of %d searches done when it ended", s->map.done, s->map.cells);
  if (r->outcome == PO_RUNNING && !po_isfinite(s->map.time[0])) po_run_fail(r, PO_FAILED, "fell before it was pushed");
}

static void map_destroy(po_run *r) {
  map_state *s = r->state;
  int i, k;
  for (k = 0; k < PO_PUSH_MAP_METHODS; k++) {
    map_lane *l = &s->lane[k];
    po_move_free(l->move);
    po_sim_free(l->sim);
    if (l->world != r->world) po_world_free(l->world);
    for (i = 0; i < MAP_PHASES; i++) po_free(l->moment[i]);
  }
  po_free(s->start);
  po_free(s->map.survived);
  po_free(s->map.fell);
  po_free(s->map.time);
}

static const po_study map_study = {map_units, map_prepare, map_unit, map_join};

const po_scenario po_scenario_push_map = {
  .name = "push-map", .summary = "the strongest push that is survived, from every direction, by priorities and by weights, or by several controllers",
  .success = "every direction was searched", .model = "human", .move = "stand", .seconds = 1200, .dt = 0.001, .control_hz = 1000,
  .param = map_param, .params = (int)(sizeof map_param / sizeof map_param[0]), .params_bytes = sizeof(map_params), .text = map_text,
  .state_bytes = sizeof(map_state), .body = map_body, .behaviour = map_gait, .init = map_init, .judge = map_judge, .destroy = map_destroy, .study = &map_study};
