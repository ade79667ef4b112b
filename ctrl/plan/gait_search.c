/* gait_search.c: numbers of a gait, found by trying. */
#include "plan.h"
#include "alone.h"
#include <string.h>

#define SEARCH_DT 0.0005          /* s: as the scenario's */
#define SEARCH_FRICTION 0.8       /* as the scenario's ground */
#define SEARCH_NOISE 0.05         /* rad/s, m/s on the first velocities: as a run's seeds */
#define SEARCH_SETTLE 0.4         /* share of a rollout after which speed counts */
#define SEARCH_PUSH_SECONDS 0.1
#define SEARCH_PUSH_AT 0.35       /* share of a rollout */
#define SEARCH_SPEED 0.1          /* m/s: an error of this halves the rest of the cost */
#define SEARCH_EFFORT 0.1         /* weight of the effort beside the speed's error */
#define SEARCH_RAD 0.05           /* scales of what varies: angles; the rest by shares */
#define SEARCH_SHARE 0.1
#define SEARCH_LEAST_GAIN 0.05    /* of c_d, c_v, so that a zero may vary */
#define SEARCH_VARIABLES 160
#define SEARCH_POINTS 400         /* of a generation: 256, and what the search adds */

struct po_gait_search {
  po_gait_search_opts opts;
  const po_model *model;
  po_alone alone;
  int gait;                       /* of the move: the one that is tried */
  po_gait_table trial;
};

po_gait_search_opts po_gait_search_opts_default(void) {
  po_gait_search_opts o = {PO_NAN, 10, 0, 1, 4, 30, 12, 1};
  return o;
}

/* ---- making ---- */

static po_status search_check(const po_gait_search_opts *o, po_error *err) {
  if (!(o->seconds >= 1 && o->seconds <= 600)) return po_fail(err, PO_ERR_RANGE, "rollouts of %g s: 1 ... 600 are possible", o->seconds);
  if (!(o->push >= 0 && o->push <= 1e5) || !(o->spread > 0 && o->spread <= 10)) return po_fail(err, PO_ERR_RANGE, "push or spread is out of range");
  if (o->starts < 1 || o->starts > PO_GAIT_SEARCH_STARTS) return po_fail(err, PO_ERR_RANGE, "a gait is judged by 1 to %d starts, not %d", PO_GAIT_SEARCH_STARTS, o->starts);
  if (o->rounds < 0 || o->population < 4 || o->population > 256) return po_fail(err, PO_ERR_RANGE, "rounds must not be negative, the population 4 to 256");
  return PO_OK;
}

po_status po_gait_search_new(po_gait_search **search, const po_model *model, const po_gait_search_opts *opts, po_error *err) {
  po_gait_search *s;
  po_status st;
  if (!search || !model) return po_fail(err, PO_ERR_NULL, "a gait search needs a model");
  *search = NULL;
  if (!(s = po_alloc(sizeof *s))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  s->opts = opts ? *opts : po_gait_search_opts_default();
  s->model = model;
  s->gait = -1;
  if ((st = search_check(&s->opts, err)) != PO_OK || (st = po_alone_make(&s->alone, model, &po_simbicon_type, SEARCH_DT, SEARCH_FRICTION, "gait search", err)) != PO_OK) po_gait_search_free(s);
  else *search = s;
  return st;
}

void po_gait_search_free(po_gait_search *s) {
  if (!s) return;
  po_alone_free(&s->alone);
  po_free(s);
}

/* ---- judging ---- */

typedef struct search_watch {
  double settle, x, path, effort, ticks; /* s; COM where the measuring began; m since; sum of torques squared */
  int measuring;
} search_watch;

static int search_look(void *user, const po_sim *sim, const po_trial *trial, double time) {
  search_watch *w = user;
  const po_sim_character *c = &sim->character[0];
  double x = po_world_data(sim->world, 0)->com.x;
  int i, nv = po_world_model(sim->world, 0)->nv;
  (void)trial;
  if (c->fall.at >= 0) return 1;
  if (time < w->settle) return 0;
  if (!w->measuring) w->x = x;
  w->measuring = 1;
  w->path = x - w->x;
  for (i = 0; i < nv; i++) w->effort += c->tau[i] * c->tau[i];
  w->ticks += 1;
  return 0;
}

/* One rollout from a start of its own. */
static po_status search_try(po_gait_search *s, int start, search_watch *watch, po_trial_result *result, po_error *err) {
  double *q = po_world_q(s->alone.world, 0), *v = po_world_v(s->alone.world, 0), si, co;
  po_trial trial;
  po_push push;
  po_rng rng;
  po_status st;
  int i;
  memset(&trial, 0, sizeof trial);
  memset(&push, 0, sizeof push);
  memset(watch, 0, sizeof *watch);
  if ((st = po_alone_restart(&s->alone)) != PO_OK) return po_fail(err, st, "gait search: %s", po_status_string(st));
  if ((st = po_move_set(s->alone.move, "gait", s->gait, err)) != PO_OK || (st = po_simbicon_start(q, v, s->alone.move, s->gait, err)) != PO_OK) return st;
  po_rng_init(&rng, s->opts.seed, (uint64_t)start);
  for (i = 0; start && i < s->model->nv; i++) v[i] += po_rng_range(&rng, -SEARCH_NOISE, SEARCH_NOISE);
  trial.seconds = s->opts.seconds;
  watch->settle = SEARCH_SETTLE * trial.seconds;
  if (start && s->opts.push > 0) {
    po_sincos(&si, &co, 2 * PO_PI * start / s->opts.starts);
    push.time = SEARCH_PUSH_AT * trial.seconds + po_rng_range(&rng, 0, 1);
    push.duration = SEARCH_PUSH_SECONDS;
    push.force = po_v3(s->opts.push * co, s->opts.push * si, 0);
    trial.push = &push;
    trial.pushes = 1;
  }
  return po_rollout(result, s->alone.sim, &trial, search_look, watch, err);
}

po_status po_gait_search_judge(po_gait_cost *cost, po_gait_search *s, const po_gait_table *gait, po_error *err) {
  po_move *m = s->alone.move;
  double weight = s->model->total_mass * 9.81 * s->alone.move->actor->standing_height, miss = 0;
  po_status st = s->gait < 0 ? po_simbicon_add(&s->gait, m, gait, err) : po_simbicon_replace(m, s->gait, gait, err);
  int k, stood = 0;
  memset(cost, 0, sizeof *cost);
  for (k = 0; k < s->opts.starts && st == PO_OK; k++) {
    search_watch w;
    po_trial_result r;
    double speed;
    if ((st = search_try(s, k, &w, &r, err)) != PO_OK) break;
    cost->upright += r.time / s->opts.seconds / s->opts.starts;
    if (r.fell) continue;
    stood++;
    speed = w.path / (s->opts.seconds - w.settle);
    cost->speed += speed;
    cost->effort += w.effort / (w.ticks * weight * weight);
    if (po_isfinite(s->opts.speed)) miss += (speed - s->opts.speed) * (speed - s->opts.speed) / (SEARCH_SPEED * SEARCH_SPEED);
  }
  if (st != PO_OK) return st;
  if (stood) {
    cost->speed /= stood;
    cost->effort /= stood;
    miss /= stood;
  }
  miss += SEARCH_EFFORT * cost->effort;
  cost->cost = stood < s->opts.starts ? 2 - cost->upright : miss / (1 + miss);
  return PO_OK;
}

/* ---- what varies ---- */

typedef struct search_variable { double *at, scale, lower, upper; } search_variable;

static void search_add(search_variable *x, int *n, double *at, double scale, double lower, double upper) {
  if (*n == SEARCH_VARIABLES) return;
  x[*n].at = at;
  x[*n].scale = scale;
  x[*n].lower = lower;
  x[*n].upper = upper;
  (*n)++;
}

static int search_is_leg(const char *joint) { return !strcmp(joint, "hip") || !strcmp(joint, "knee") || !strcmp(joint, "ankle") || !strcmp(joint, "root"); }

static int search_variables(search_variable *x, po_gait_table *g) {
  int i, k, j, n = 0;
  for (i = 0; i < g->states; i++) search_add(x, &n, &g->state[i].seconds, SEARCH_SHARE * g->state[i].seconds, 0.5 * g->state[i].seconds, 2 * g->state[i].seconds);
  for (i = 0; i < g->targets; i++)
    for (k = 0; search_is_leg(g->target[i].joint) && k < g->target[i].parts; k++) {
      po_gait_part *p = &g->target[i].part[k];
      for (j = p->angle.first; j < p->angle.first + p->angle.count; j++) search_add(x, &n, &g->value[j], SEARCH_RAD, g->value[j] - 1, g->value[j] + 1);
      if (p->c_d != 0 || p->c_v != 0) {
        search_add(x, &n, &p->c_d, SEARCH_SHARE * po_max(po_abs(p->c_d), SEARCH_LEAST_GAIN), -100, 100);
        search_add(x, &n, &p->c_v, SEARCH_SHARE * po_max(po_abs(p->c_v), SEARCH_LEAST_GAIN), -100, 100);
      }
    }
  return n;
}

/* ---- the search ---- */

static void search_unknowns(po_tune_unknown *u, const search_variable *x, int n, double spread) {
  int i;
  memset(u, 0, sizeof *u * (size_t)n);
  for (i = 0; i < n; i++) {
    u[i].lower = x[i].lower;
    u[i].upper = x[i].upper;
    u[i].start = *x[i].at;
    u[i].scale = x[i].scale * spread;
    u[i].scaling = PO_TUNE_LINEAR;
  }
}

/* A generation: the first holds the gait that was begun with. */
static po_status search_generation(po_gait_search *s, po_tune *t, const search_variable *x, int n, po_gait_table *best, po_gait_cost *cost, po_error *err) {
  double told[SEARCH_POINTS];
  int first = po_tune_state(t).evaluations == 0, count = po_tune_ask(t), k, i;
  po_status st;
  for (k = 0; k < count; k++) {
    const double *at = po_tune_point(t, k);
    po_gait_cost now;
    for (i = 0; i < n; i++) *x[i].at = at[i];
    if ((st = po_gait_search_judge(&now, s, &s->trial, err)) != PO_OK) return st;
    told[k] = now.cost;
    if ((first && k == 0) || now.cost < cost->cost) {
      *cost = now;
      *best = s->trial;
    }
  }
  return po_tune_tell(t, told, NULL, err);
}

po_status po_gait_search_run(po_gait_table *gait, po_gait_cost *cost, po_gait_search *s, uint64_t seed, po_error *err) {
  search_variable x[SEARCH_VARIABLES];
  po_tune_unknown unknown[SEARCH_VARIABLES];
  po_tune_opts o = po_tune_opts_default();
  po_tune *t;
  po_status st;
  int n;
  if (!s || !gait || !cost) return po_fail(err, PO_ERR_NULL, "a gait search needs a gait");
  if (s->opts.rounds == 0) return po_gait_search_judge(cost, s, gait, err);
  s->trial = *gait;
  n = search_variables(x, &s->trial);
  search_unknowns(unknown, x, n, s->opts.spread);
  o.population = s->opts.population;
  o.diagonal = 1; /* a few hundred gaits teach no more of tens of numbers */
  o.restarts = 0;
  o.seed = po_hash(&seed, sizeof seed, s->opts.seed);
  if ((st = po_tune_new(&t, unknown, n, &o, err)) != PO_OK) return st;
  while (st == PO_OK && po_tune_state(t).generation < s->opts.rounds && po_tune_ask(t) > 0) st = search_generation(s, t, x, n, gait, cost, err);
  po_tune_free(t);
  return st;
}
