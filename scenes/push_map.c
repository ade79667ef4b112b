/* push_map.c: the strongest push a standing or walking body survives, from every direction, by strict priorities and by weights.
 *
 * One world and one controller per method. Each method runs alone up to the moments of the pushes, where everything is saved; a trial restores
 * such a moment, pushes, and watches. Restoring is exact to the bit, so a trial is the run that `poise run balance --push ...` makes.
 * The force is bisected: between the largest that was survived and the smallest that was not.
 */
#include "push_map.h"
#include "recovery.h"
#include "scenes.h"
#include <string.h>

#define MAP_PHASES 16
#define MAP_WARM_UP 4.0    /* s of walking before the first push */
#define MAP_REACH 20.0     /* s: who has not come to the moments of the pushes by then never will */
#define MAP_FIRST (30.0 / 78) /* m/s: impulse over mass of the first trial; 150 N for 0.2 s on the human */
#define MAP_MOST 6.0       /* m/s: nothing survives more */
#define MAP_LEAST 0.02     /* m/s: below this nothing is survived */
#define MAP_STRIDE 0.1     /* first change of the force, as a share, while one side of the bracket is open; it doubles */
#define MAP_LOST 0.25      /* standing: a COM this share of its height off its target is far outside the soles and does not come back */

typedef struct map_params {
  po_balance_params stand;
  double directions, phases, duration, seconds, push_time, resolution, weighted, weight_ratio;
} map_params;

#define MAP_PARAM(name, fallback, lower, upper, unit, meaning) { #name, fallback, lower, upper, unit, meaning, offsetof(map_params, name) }
static const po_param map_param[] = {
  MAP_PARAM(directions, 0, 0, 360, "", "directions of the push, the first straight ahead, then to the left; 0: 16 standing, 8 walking"),
  MAP_PARAM(phases, 2, 1, MAP_PHASES, "", "walking: moments of the left foot's step at which the push begins"),
  MAP_PARAM(duration, 0.2, 0.01, 2, "s", "how long a push lasts"),
  MAP_PARAM(seconds, PO_RECOVERY_WITHIN, 0.1, 60, "s", "after a push: time until it must be calm (standing) or may not have fallen (walking)"),
  MAP_PARAM(push_time, 1, 0, 60, "s", "standing: when the push begins"),
  MAP_PARAM(resolution, 0.05, 0.001, 0.5, "", "a direction is done when the bracket is this share of the force"),
  MAP_PARAM(weighted, 1, 0, 1, "", "1: the same map with weights in place of priorities beside it"),
  MAP_PARAM(weight_ratio, 1e4, 1, 1e6, "", "weighted: each level weighs this many times the next"),
};
static const int map_params_count = (int)(sizeof map_param / sizeof map_param[0]);
static const po_text_param map_text[] = {{"gait", "stand", "stand or walk"},
                                         {"style", "normal", "of walking: normal, fast, slow, sad, or a .json file of parameters"},
                                         {NULL, NULL, NULL}};

typedef struct map_lane { /* one method */
  po_balance *stand;       /* one of the two */
  po_walk *walk;
  void *body[MAP_PHASES], *mind[MAP_PHASES]; /* world and controller at the moments of the pushes */
  int ready;               /* moments reached; −1: it fell before */
  double step_started;     /* walking: s since the start; < 0: not yet */
  double guess;            /* N: what the direction before survived */
} map_lane;

typedef struct map_state {
  po_push_map map;
  map_lane lane[PO_PUSH_MAP_METHODS];
  void *start;             /* world before anything */
  size_t body_bytes, mind_bytes;
  int walking;
  /* what is going on */
  int at;                  /* lane whose moments are sought; map.methods: trials are under way */
  int cell;
  long step;               /* since the start, or since the push began */
  double force, stride;
  int over, survived;      /* the trial has ended */
  po_recovery recovery;
} map_state;

static map_lane *map_now(map_state *s) { return &s->lane[s->at < s->map.methods ? s->at : s->cell % s->map.methods]; }
static po_move *map_move(map_lane *l) { return l->walk ? &l->walk->move : &l->stand->move; }

/* ---- moments ---- */

static void map_take_over(po_run *r, map_lane *l) {
  r->wbc = map_move(l)->actor->wbc;
  r->com_target = &map_move(l)->com_target;
  r->standing_height = map_move(l)->actor->standing_height;
  r->low_since = -1;
}

static int map_keep(po_run *r, map_lane *l, int phase) {
  map_state *s = r->state;
  if (po_world_save(r->world, l->body[phase], s->body_bytes) != PO_OK) return 0;
  if (po_move_save(map_move(l), l->mind[phase], s->mind_bytes) != PO_OK) return 0;
  s->map.time[phase * s->map.methods + s->at] = (double)s->step * r->opts.dt;
  return 1;
}

static void map_return(po_run *r, map_lane *l, int phase) {
  map_state *s = r->state;
  po_status st = po_world_restore(r->world, l->body[phase], s->body_bytes);
  if (st == PO_OK) st = po_move_restore(map_move(l), l->mind[phase], s->mind_bytes);
  if (st != PO_OK) po_run_fail(r, PO_FAILED, "a saved moment could not be restored: %s", po_status_string(st));
  map_take_over(r, l);
}

/* Seconds after the start at which moment `phase` is due; infinite while that is not known. */
static double map_due(const po_run *r, map_lane *l, int phase) {
  const map_state *s = r->state;
  const map_params *p = r->params;
  double now = (double)s->step * r->opts.dt;
  if (!s->walking) return p->push_time;
  if (l->step_started < 0 && now >= MAP_WARM_UP && l->walk->mode == PO_WALK_STEP && l->walk->foot[0] == PO_FOOT_SWING && l->walk->state_time[0] < 2 / r->opts.control_hz)
    l->step_started = now;
  return l->step_started < 0 ? PO_INF : l->step_started + l->walk->last_period * phase / s->map.phases;
}

/* ---- the search ---- */

/* The next force for the cell under way; 0 when it is done. */
static double map_next_force(const po_run *r) {
  const map_state *s = r->state;
  const map_params *p = r->params;
  double unit = s->map.mass / p->duration, lo = s->map.survived[s->cell], hi = s->map.fell[s->cell];
  if (!po_isfinite(hi)) {
    if (!(lo > 0)) return s->lane[s->cell % s->map.methods].guess;
    return lo < MAP_MOST * unit ? lo * (1 + s->stride) : 0;
  }
  if (!(lo > 0)) return hi > MAP_LEAST * unit ? hi / (1 + s->stride) : 0;
  return hi - lo > p->resolution * hi ? 0.5 * (lo + hi) : 0;
}

static void map_begin_trial(po_run *r) {
  map_state *s = r->state;
  map_return(r, map_now(s), s->cell / (s->map.methods * s->map.directions));
  s->step = 0;
  s->over = 0;
  s->recovery = po_recovery_none();
  s->map.trials++;
}

/* Goes to the next cell that can be tried, and begins its first trial. */
static void map_next_cell(po_run *r) {
  map_state *s = r->state;
  while (s->cell < s->map.cells) {
    if (map_now(s)->ready == s->map.phases) {
      s->map.survived[s->cell] = 0;
      s->stride = MAP_STRIDE;
      s->force = map_next_force(r);
      map_begin_trial(r);
      return;
    }
    s->cell++;
    s->map.done++;
  }
}

static void map_end_trial(po_run *r) {
  map_state *s = r->state;
  double unit = s->map.mass / s->map.duration;
  if (s->survived) s->map.survived[s->cell] = s->force;
  else s->map.fell[s->cell] = s->force;
  if ((s->force = map_next_force(r)) > 0) {
    s->stride *= 2;
    map_begin_trial(r);
    return;
  }
  map_now(s)->guess = po_max(s->map.survived[s->cell], 0.1 * MAP_FIRST * unit);
  s->cell++;
  s->map.done++;
  map_next_cell(r);
}

/* The lane has reached its moments, or never will. */
static void map_end_approach(po_run *r) {
  map_state *s = r->state;
  s->at++;
  s->step = 0;
  if (s->at < s->map.methods) {
    po_world_restore(r->world, s->start, s->body_bytes);
    map_take_over(r, map_now(s));
  } else
    map_next_cell(r);
}

/* ---- a run's hooks ---- */

static po_status map_room(po_run *r, const map_params *p, po_error *err) {
  map_state *s = r->state;
  po_push_map *m = &s->map;
  size_t cells = (size_t)m->cells;
  int i, k;
  s->body_bytes = po_world_save_bytes(r->world);
  s->mind_bytes = po_move_save_bytes(map_move(&s->lane[0]));
  m->survived = po_alloc(sizeof(double) * cells);
  m->fell = po_alloc(sizeof(double) * cells);
  m->time = po_alloc(sizeof(double) * (size_t)(m->phases * m->methods));
  s->start = po_alloc(s->body_bytes);
  if (!m->survived || !m->fell || !m->time || !s->start) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; i < m->cells; i++) m->survived[i] = m->fell[i] = PO_NAN;
  for (i = 0; i < m->phases * m->methods; i++) m->time[i] = PO_NAN;
  for (k = 0; k < m->methods; k++) {
    map_lane *l = &s->lane[k];
    l->step_started = -1;
    l->guess = MAP_FIRST * m->mass / p->duration;
    for (i = 0; i < m->phases; i++)
      if (!(l->body[i] = po_alloc(s->body_bytes)) || !(l->mind[i] = po_alloc(s->mind_bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  return PO_OK;
}

static po_status map_lanes(po_run *r, const map_params *p, po_error *err) {
  map_state *s = r->state;
  po_walk_params walk;
  po_status st = PO_OK;
  int k;
  po_param_defaults(&walk, po_walk_param, po_walk_param_count);
  if (s->walking && (st = po_style_apply(&walk, s->map.style, err)) != PO_OK) return st;
  po_walk_params_clamp(&walk);
  for (k = 0; k < s->map.methods && st == PO_OK; k++) {
    po_wbc_opts o = r->opts.wbc;
    if (k == 1) o.hqp.method = PO_HQP_WEIGHTED;
    if (o.hqp.method == PO_HQP_WEIGHTED) o.hqp.weight_ratio = p->weight_ratio;
    s->map.method[k] = po_hqp_method_string(o.hqp.method);
    if (s->walking) st = po_walk_new(&s->lane[k].walk, r->model, po_terrain_flat(), &o, &walk, err);
    else st = po_balance_new(&s->lane[k].stand, r->model, po_terrain_flat(), &o, &p->stand, err);
  }
  return st;
}

/* Room for the longest map: total time is only an upper limit, the run ends when the map is done. */
static void map_set_length(po_run *r, const map_params *p) {
  const map_state *s = r->state;
  double trial = p->duration + p->seconds + PO_RECOVERY_HOLD, trials = 4;
  double share;
  for (share = 8 * MAP_STRIDE; share > p->resolution; share *= 0.5) trials++;
  if (r->opts.seconds != r->scenario->seconds) return; /* the user's own limit */
  r->opts.seconds = s->map.methods * (s->walking ? MAP_WARM_UP + 4 : p->push_time) + s->map.cells * trials * trial;
  r->total_steps = (long)(r->opts.seconds / r->opts.dt + 0.5);
}

static po_status map_init(po_run *r, po_error *err) {
  map_state *s = r->state;
  const map_params *p = r->params;
  const char *gait = po_run_text(r, "gait");
  po_world_opts w = po_world_opts_default();
  po_status st;
  if (strcmp(gait, "stand") && strcmp(gait, "walk")) return po_fail(err, PO_ERR_NAME, "gait=%s: it is stand or walk", gait);
  if (r->opts.pushes || r->opts.ats) return po_fail(err, PO_ERR_RANGE, "push-map makes its own pushes: --push and --at are for `poise run balance`");
  s->walking = !strcmp(gait, "walk");
  s->map.gait = gait;
  s->map.model = r->model->name;
  s->map.style = po_run_text(r, "style");
  s->map.mass = r->model->total_mass;
  s->map.duration = p->duration;
  s->map.directions = p->directions >= 1 ? (int)p->directions : s->walking ? 8 : 16;
  s->map.phases = s->walking ? (int)p->phases : 1;
  s->map.methods = p->weighted >= 0.5 && r->opts.wbc.hqp.method != PO_HQP_WEIGHTED ? 2 : 1;
  s->map.cells = s->map.phases * s->map.directions * s->map.methods;
  w.clock = r->opts.clock;
  if ((st = po_world_new(&r->world, &w)) != PO_OK || (st = po_world_add(NULL, r->world, r->model)) != PO_OK)
    return po_fail(err, st, "world: %s", po_status_string(st));
  if ((st = map_lanes(r, p, err)) != PO_OK || (st = map_room(r, p, err)) != PO_OK) return st;
  st = po_stand_pose(po_world_q(r->world, 0), r->model, po_terrain_flat(), 0, 0, 0, s->walking ? 0.97 : p->stand.stand.com_height, err);
  if (st != PO_OK) return st;
  po_run_add_noise(r, 0);
  po_world_save(r->world, s->start, s->body_bytes);
  map_set_length(r, p);
  map_take_over(r, &s->lane[0]);
  r->map = &s->map;
  return PO_OK;
}

static po_status map_control(po_run *r) {
  map_lane *l = map_now(r->state);
  double *tau = po_world_tau(r->world, 0), dt = 1 / r->opts.control_hz;
  const double *q = po_world_q(r->world, 0), *v = po_world_v(r->world, 0);
  return po_move_tick(map_move(l), tau, po_sense_of(q, v, dt));
}

/* The force of the step to come. */
static void map_push(po_run *r) {
  map_state *s = r->state;
  int body = po_find_body(r->model, "thorax"), direction = s->cell / s->map.methods % s->map.directions;
  po_data *d = po_world_data(r->world, 0);
  double si, co;
  if (s->at < s->map.methods || s->cell >= s->map.cells || !((double)s->step * r->opts.dt < s->map.duration - 1e-9)) return;
  if (body < 0) body = 0;
  po_sincos(2 * PO_PI * direction / s->map.directions, &si, &co);
  po_world_kinematics(r->world, 0);
  po_world_force(r->world, 0, body, po_v3(s->force * co, s->force * si, 0), po_point_position(d, body, r->model->inertia[body].com));
}

static void map_watch_approach(po_run *r, int fallen) {
  map_state *s = r->state;
  map_lane *l = map_now(s);
  double now = (double)s->step * r->opts.dt;
  while (!fallen && l->ready < s->map.phases && now >= map_due(r, l, l->ready) - 0.5 * r->opts.dt) {
    if (!map_keep(r, l, l->ready)) fallen = 1;
    else l->ready++;
  }
  if (fallen || (l->ready < s->map.phases && now > po_max(MAP_REACH, map_due(r, l, 0) + 2))) l->ready = -1;
  if (l->ready < 0 || l->ready == s->map.phases) map_end_approach(r);
}

static void map_watch_trial(po_run *r, int fallen) {
  map_state *s = r->state;
  const map_params *p = r->params;
  const po_data *d = po_world_data(r->world, 0);
  double after = (double)s->step * r->opts.dt - s->map.duration, lost = MAP_LOST * r->standing_height;
  po_vec3 away;
  if (fallen) s->over = 1, s->survived = 0;
  if (s->over || after < 0) return;
  if (s->walking) {
    if (after >= p->seconds - 1e-9) s->over = s->survived = 1;
    return;
  }
  po_kinematics((po_data *)d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  po_com((po_data *)d);
  away = po_v3_sub(d->com, *r->com_target);
  po_recovery_step(&s->recovery, after, po_v3_norm(away), po_v3_norm(d->com_velocity));
  if (s->recovery.at >= 0) s->over = s->survived = 1;
  else if (away.x * away.x + away.y * away.y > lost * lost || (after > p->seconds && (s->recovery.since < 0 || s->recovery.since > p->seconds))) s->over = 1, s->survived = 0;
}

static void map_observe(po_run *r) {
  map_state *s = r->state;
  int fallen = r->outcome != PO_RUNNING, tick = (r->steps % r->control_every) == 0;
  s->step++;
  if (fallen) { /* that ends a trial, not the run */
    r->outcome = PO_RUNNING;
    r->fell_at = -1;
    r->reason[0] = 0;
  }
  if (s->cell < s->map.cells) {
    if (s->at >= s->map.methods) {
      map_watch_trial(r, fallen);
      if (s->over && tick) map_end_trial(r); /* saved moments are the beginnings of control ticks */
    } else if (tick || fallen)
      map_watch_approach(r, fallen);
  }
  map_push(r);
}

static int map_finished(po_run *r) {
  const map_state *s = r->state;
  return s->at >= s->map.methods && s->cell >= s->map.cells;
}

static void map_judge(po_run *r) {
  static const char *const names[PO_PUSH_MAP_METHODS][2] = {{"impulse_min", "impulse_mean"}, {"impulse_min_weighted", "impulse_mean_weighted"}};
  map_state *s = r->state;
  int k, p, d;
  if (s->cell < s->map.cells) s->map.survived[s->cell] = s->map.fell[s->cell] = PO_NAN; /* half a search is no result */
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
    po_run_set_result(r, names[k][0], n ? least : PO_NAN);
    po_run_set_result(r, names[k][1], n ? sum / n : PO_NAN);
  }
  po_run_set_result(r, "trials", (double)s->map.trials);
  if (r->outcome == PO_RUNNING && s->lane[0].ready < 0) po_run_fail(r, PO_FAILED, "fell before it was pushed");
  if (r->outcome == PO_RUNNING && !map_finished(r)) po_run_fail(r, PO_FAILED, "%d of %d searches done when it ended", s->map.done, s->map.cells);
}

static void map_destroy(po_run *r) {
  map_state *s = r->state;
  int i, k;
  for (k = 0; k < PO_PUSH_MAP_METHODS; k++) {
    map_lane *l = &s->lane[k];
    po_move_free((po_move *)l->stand);
    po_move_free((po_move *)l->walk);
    for (i = 0; i < MAP_PHASES; i++) {
      po_free(l->body[i]);
      po_free(l->mind[i]);
    }
  }
  po_free(s->start);
  po_free(s->map.survived);
  po_free(s->map.fell);
  po_free(s->map.time);
}

const po_scenario po_scenario_push_map = {
  "push-map", "the strongest push that is survived, from every direction, by priorities and by weights", "every direction was searched",
  "human", 1200, 0.001, 1000,
  {{map_param, &map_params_count, 0}, {po_balance_param, &po_balance_param_count, offsetof(map_params, stand)}, {0}},
  map_text, sizeof(map_params), sizeof(map_state),
  map_init, map_control, map_observe, map_finished, map_judge, map_destroy, NULL};
