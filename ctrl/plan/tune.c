/* tune.c: a search over numbers: points between bounds, ask and tell, the best one, saving (docs/tune.md). */
#include "tune_room.h"
#include <string.h>

#define TUNE_LOG_SPAN 20.0   /* a range that spans more is searched by its logarithm */
#define TUNE_FRONT 16        /* individuals of a front */
#define TUNE_LEAST 0.2       /* standard deviation that a whole number keeps: one point in eighty still moves off it */
#define TUNE_REPEATS 1000

const char *const po_tune_method_names[PO_TUNE_METHODS] = {"cma", "nelder-mead", "random"};

po_tune_opts po_tune_opts_default(void) {
  po_tune_opts o;
  memset(&o, 0, sizeof o);
  o.method = PO_TUNE_CMA;
  o.costs = o.repeats = 1;
  o.spread = 0.2;
  o.restarts = 5;
  o.tol_cost = o.tol_x = 1e-11;
  o.seed = 1;
  return o;
}

/* ---- unknowns ---- */

static int tune_bounded(const po_tune_unknown *u) { return po_isfinite(u->lower) && po_isfinite(u->upper); }

static po_status tune_check_unknown(const po_tune_unknown *u, int i, po_error *err) {
  if (!(u->lower <= u->upper)) return po_fail(err, PO_ERR_BOUNDS, "unknown %d: its bounds %g ... %g are in the wrong order", i + 1, u->lower, u->upper);
  if (!(u->scale >= 0 && u->scale < PO_INF)) return po_fail(err, PO_ERR_RANGE, "unknown %d: a first standard deviation of %g", i + 1, u->scale);
  if (u->start == u->start && !(u->start >= u->lower && u->start <= u->upper && po_isfinite(u->start)))
    return po_fail(err, PO_ERR_RANGE, "unknown %d: it starts at %g, outside %g ... %g", i + 1, u->start, u->lower, u->upper);
  if (!tune_bounded(u) && (u->start != u->start || u->scale == 0)) return po_fail(err, PO_ERR_RANGE, "unknown %d has no bound: start and scale must be given", i + 1);
  if (u->scaling == PO_TUNE_LOG && !(u->lower > 0)) return po_fail(err, PO_ERR_RANGE, "unknown %d: a logarithm is searched above 0 only, not from %g", i + 1, u->lower);
  if (u->integer && tune_bounded(u) && floor(u->upper) < -floor(-u->lower)) return po_fail(err, PO_ERR_BOUNDS, "unknown %d: no whole number lies in %g ... %g", i + 1, u->lower, u->upper);
  return PO_OK;
}

/* In what is searched: logarithms, bounds half a number wider where it is rounded, start and scale filled in. */
static po_tune_unknown tune_prepare(const po_tune_unknown *given, double spread) {
  po_tune_unknown u = *given;
  int bounded = tune_bounded(&u);
  if (u.scaling == PO_TUNE_AUTO) u.scaling = bounded && u.lower > 0 && u.upper > TUNE_LOG_SPAN * u.lower ? PO_TUNE_LOG : PO_TUNE_LINEAR;
  if (u.integer) {
    u.lower = -floor(-u.lower) - 0.5; /* of ±infinity: the same */
    u.upper = floor(u.upper) + 0.5;
  }
  if (u.scaling == PO_TUNE_LOG) {
    if (u.start == u.start && u.scale > 0) u.scale /= u.start;
    u.lower = po_log(u.lower);
    u.upper = u.upper < PO_INF ? po_log(u.upper) : PO_INF;
    if (u.start == u.start) u.start = po_log(u.start);
  }
  if (u.start != u.start) u.start = 0.5 * (u.lower + u.upper);
  if (u.scale == 0) u.scale = spread * (u.upper - u.lower);
  if (u.scale == 0) u.scale = 1; /* one value is possible */
  return u;
}

/* x folded back at its bounds, as often as it takes. */
static double tune_mirror(double x, double lower, double upper) {
  double w = upper - lower, t;
  if (x >= lower && x <= upper) return x;
  if (!(w > 0)) return lower;
  if (w < PO_INF) {
    t = (x - lower) / (2 * w);
    t = 2 * (t - floor(t));
    return po_clamp(lower + w * (t > 1 ? 2 - t : t), lower, upper);
  }
  return x < lower ? 2 * lower - x : 2 * upper - x;
}

void po_tune_place(double *x, const po_tune *t, const double *y) {
  int i;
  for (i = 0; i < t->n; i++) {
    const po_tune_unknown *u = &t->unknown[i];
    double s = tune_mirror(u->start + u->scale * y[i], u->lower, u->upper);
    if (u->scaling == PO_TUNE_LOG) s = po_exp(s);
    if (u->integer) {
      double low = u->scaling == PO_TUNE_LOG ? po_exp(u->lower) : u->lower, high = u->scaling == PO_TUNE_LOG ? po_exp(u->upper) : u->upper;
      s = po_clamp(floor(s + 0.5), floor(low + 1), -floor(-high + 1)); /* the bounds lie half a number outside */
    }
    x[i] = s;
  }
}

double po_tune_least(const po_tune *t, int i) {
  const po_tune_unknown *u = &t->unknown[i];
  if (!u->integer) return 0;
  return u->scaling == PO_TUNE_LOG ? TUNE_LEAST * po_exp(-u->start) / u->scale : TUNE_LEAST / u->scale;
}

/* ---- chance: a stream for each point ---- */

/* The seed is mixed, so that whoever draws from the same one for something else does not draw the same numbers. */
static void tune_rng(po_rng *rng, const po_tune *t, long generation, long index) {
  po_rng_init(rng, po_hash("tune", 4, t->opts.seed), (uint64_t)generation * 0x100000u + (uint64_t)index);
}

void po_tune_normals(double *z, const po_tune *t, int index) {
  po_rng rng;
  int i;
  tune_rng(&rng, t, t->generation, index);
  for (i = 0; i < t->n; i++) z[i] = po_rng_normal(&rng);
}

void po_tune_anywhere(double *y, const po_tune *t, int index) {
  po_rng rng;
  int i;
  tune_rng(&rng, t, t->generation, 0x80000L + index);
  for (i = 0; i < t->n; i++) {
    const po_tune_unknown *u = &t->unknown[i];
    if (tune_bounded(u)) y[i] = (po_rng_range(&rng, u->lower, u->upper) - u->start) / u->scale;
    else y[i] = po_rng_normal(&rng);
  }
}

int po_tune_compare(double cost_a, double violation_a, double cost_b, double violation_b) {
  if (violation_a != violation_a || violation_b != violation_b) return (violation_a != violation_a) - (violation_b != violation_b);
  if (violation_a != violation_b) return violation_a < violation_b ? -1 : 1;
  if (cost_a != cost_a || cost_b != cost_b) return (cost_a != cost_a) - (cost_b != cost_b);
  return (cost_a > cost_b) - (cost_a < cost_b);
}

/* ---- making ---- */

static int tune_population(int n, const po_tune_opts *o) {
  if (o->population) return o->population;
  if (o->costs > 1) return TUNE_FRONT;
  return 4 + (int)(3 * po_log((double)n));
}

/* Points of the largest generation: after all restarts, with the start and those that are tried again. */
static int tune_most(int n, const po_tune_opts *o) {
  int most = tune_population(n, o), i;
  for (i = 0; i < o->restarts && o->costs == 1 && o->method == PO_TUNE_CMA && 2 * most <= PO_TUNE_POPULATION; i++) most *= 2;
  if (o->method == PO_TUNE_NELDER_MEAD && most < n + 1) most = n + 1;
  return most + most / 4 + 4;
}

static po_status tune_check(const po_tune_unknown *unknown, int n, const po_tune_opts *o, po_error *err) {
  po_status st = PO_OK;
  int i;
  if (n < 1 || n > PO_TUNE_UNKNOWNS) return po_fail(err, PO_ERR_SIZE, "a search has 1 to %d unknowns, not %d", PO_TUNE_UNKNOWNS, n);
  if (!unknown) return po_fail(err, PO_ERR_NULL, "a search needs unknowns");
  if ((unsigned)o->method >= PO_TUNE_METHODS) return po_fail(err, PO_ERR_RANGE, "there is no method %d", (int)o->method);
  if (o->costs < 1 || o->costs > PO_TUNE_COSTS) return po_fail(err, PO_ERR_RANGE, "1 to %d costs are possible, not %d", PO_TUNE_COSTS, o->costs);
  if (o->costs > 1 && o->method != PO_TUNE_CMA) return po_fail(err, PO_ERR_UNSUPPORTED, "several costs are searched by cma only, not by %s", po_tune_method_names[o->method]);
  if (o->population && (o->population < 4 || o->population > (o->costs > 1 ? 128 : PO_TUNE_POPULATION)))
    return po_fail(err, PO_ERR_RANGE, "a generation has 4 to %d points, not %d", o->costs > 1 ? 128 : PO_TUNE_POPULATION, o->population);
  if (!(o->spread > 0 && o->spread <= 10)) return po_fail(err, PO_ERR_RANGE, "a spread of %g: 0 ... 10 of the range are possible", o->spread);
  if (o->restarts < 0 || o->restarts > 1000) return po_fail(err, PO_ERR_RANGE, "%d restarts: 0 ... 1000 are possible", o->restarts);
  if (!(o->tol_cost >= 0 && o->tol_x >= 0)) return po_fail(err, PO_ERR_RANGE, "tolerances must not be negative");
  if (o->repeats < 1 || o->repeats > TUNE_REPEATS) return po_fail(err, PO_ERR_RANGE, "a cost is the mean of 1 to %d draws, not %d", TUNE_REPEATS, o->repeats);
  if (o->repeats > 1 && (o->costs > 1 || o->method != PO_TUNE_CMA)) return po_fail(err, PO_ERR_UNSUPPORTED, "noise is handled with one cost, by cma");
  for (i = 0; i < n && st == PO_OK; i++) st = tune_check_unknown(&unknown[i], i, err);
  return st;
}

static po_tune *tune_layout(po_arena *arena, int n, const po_tune_opts *o) {
  po_tune shape, *own = po_arena_zalloc(arena, sizeof *own), *t = own ? own : &shape; /* measuring: no more than its shape */
  size_t most, N = (size_t)n;
  memset(t, 0, sizeof *t);
  t->opts = *o;
  t->n = n;
  t->full = !o->diagonal && n <= PO_TUNE_FULL;
  t->most = tune_most(n, o);
  t->population = tune_population(n, o);
  most = (size_t)t->most;
  t->unknown = PO_ARENA_ZARRAY(arena, po_tune_unknown, N);
  t->y = PO_ARENA_ZARRAY(arena, double, most * N);
  t->x = PO_ARENA_ZARRAY(arena, double, most * N);
  t->cost = PO_ARENA_ZARRAY(arena, double, most * (size_t)o->costs);
  t->violation = PO_ARENA_ZARRAY(arena, double, most);
  t->draw = PO_ARENA_ZARRAY(arena, long, most);
  t->order = PO_ARENA_ZARRAY(arena, int, 2 * most);
  t->place = PO_ARENA_ZARRAY(arena, int, 2 * most);
  t->best_x = PO_ARENA_ZARRAY(arena, double, N);
  t->centre = PO_ARENA_ZARRAY(arena, double, N);
  if (o->costs > 1) po_front_layout(t, arena);
  else if (o->method == PO_TUNE_CMA) po_cma_layout(t, arena);
  else if (o->method == PO_TUNE_NELDER_MEAD) po_simplex_layout(t, arena);
  return arena->failed ? NULL : own;
}

size_t po_tune_bytes(int n, const po_tune_opts *opts) {
  po_tune_opts o = opts ? *opts : po_tune_opts_default();
  po_arena arena;
  if (n < 1 || n > PO_TUNE_UNKNOWNS || o.costs < 1 || o.costs > PO_TUNE_COSTS || o.population < 0 || o.population > PO_TUNE_POPULATION) return 0;
  po_arena_measure(&arena);
  tune_layout(&arena, n, &o);
  return po_arena_used(&arena);
}

/* Of all that decides which points are asked for; a struct's padding does not. */
static uint64_t tune_hash(const po_tune *t) {
  const po_tune_opts *o = &t->opts;
  double number[] = {o->method, o->costs, t->population, o->spread, t->full, o->restarts, o->tol_cost, o->tol_x, o->repeats, (double)(o->seed >> 32), (double)(o->seed & 0xffffffffu)};
  uint64_t key = po_hash_doubles(number, sizeof number / sizeof *number, (uint64_t)t->n);
  int i;
  for (i = 0; i < t->n; i++) {
    const po_tune_unknown *u = &t->unknown[i];
    double of[] = {u->lower, u->upper, u->start, u->scale, u->integer, u->scaling};
    key = po_hash_doubles(of, sizeof of / sizeof *of, key);
  }
  return key ? key : 1;
}

static void tune_begin(po_tune *t, int restart) {
  if (t->opts.costs > 1) po_front_begin(t);
  else if (t->opts.method == PO_TUNE_CMA) po_cma_begin(t, restart);
  else if (t->opts.method == PO_TUNE_NELDER_MEAD) po_simplex_begin(t, restart);
}

po_status po_tune_init(po_tune **tune, const po_tune_unknown *unknown, int n, const po_tune_opts *opts, void *mem, size_t bytes, po_error *err) {
  po_tune_opts o = opts ? *opts : po_tune_opts_default();
  po_arena arena;
  po_tune *t;
  po_status st;
  int i;
  if (!tune || !mem) return po_fail(err, PO_ERR_NULL, "a search needs memory");
  *tune = NULL;
  if ((st = tune_check(unknown, n, &o, err)) != PO_OK) return st;
  po_arena_init(&arena, mem, bytes);
  if (!(t = tune_layout(&arena, n, &o))) return po_fail(err, PO_ERR_MEMORY, "the block is too small for the search: %zu bytes are needed", po_tune_bytes(n, &o));
  for (i = 0; i < n; i++) t->unknown[i] = tune_prepare(&unknown[i], o.spread);
  t->level = 1;
  t->belongs = tune_hash(t);
  tune_begin(t, 0);
  po_tune_place(t->centre, t, t->y); /* zeros: the start */
  *tune = t;
  return PO_OK;
}

po_status po_tune_new(po_tune **tune, const po_tune_unknown *unknown, int n, const po_tune_opts *opts, po_error *err) {
  po_tune_opts o = opts ? *opts : po_tune_opts_default();
  size_t bytes;
  po_status st;
  void *mem;
  if (!tune) return po_fail(err, PO_ERR_NULL, "a search needs a place to be put");
  *tune = NULL;
  if ((st = tune_check(unknown, n, &o, err)) != PO_OK) return st;
  bytes = po_tune_bytes(n, &o);
  if (!(mem = po_alloc(bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = po_tune_init(tune, unknown, n, &o, mem, bytes, err)) != PO_OK) po_free(mem);
  return st;
}

void po_tune_free(po_tune *t) { po_free(t); } /* its block begins with it */

/* ---- asking ---- */

static void tune_ask_random(po_tune *t) {
  int k;
  for (k = 0; k < t->population; k++) po_tune_anywhere(t->y + (size_t)k * (size_t)t->n, t, k);
  t->ranked = t->population;
}

/* Behind the points of the method: the start, once; with noise, some of them again. */
static void tune_ask_extras(po_tune *t) {
  size_t N = (size_t)t->n;
  int k, repeats = po_tune_state(t).repeats;
  t->asked = t->ranked;
  t->again = 0;
  for (k = 0; k < t->ranked; k++) t->draw[k] = t->draws;
  if (t->opts.repeats > 1) {
    t->again = po_tune_noise_again(t);
    for (k = 0; k < t->again; k++, t->asked++) {
      memcpy(t->y + (size_t)t->asked * N, t->y + (size_t)k * N, N * sizeof(double));
      t->draw[t->asked] = t->draws + repeats;
    }
  }
  if (t->generation == 0 && t->opts.costs == 1 && t->opts.method != PO_TUNE_NELDER_MEAD) {
    memset(t->y + (size_t)t->asked * N, 0, N * sizeof(double));
    t->draw[t->asked++] = t->draws;
  }
  t->draws += (t->again ? 2L : 1L) * repeats;
}

int po_tune_ask(po_tune *t) {
  size_t N = (size_t)t->n;
  int k;
  if (t->finished) return 0;
  if (t->asked) return t->asked;
  if (t->opts.costs > 1) po_front_ask(t);
  else if (t->opts.method == PO_TUNE_CMA) po_cma_ask(t);
  else if (t->opts.method == PO_TUNE_NELDER_MEAD) po_simplex_ask(t);
  else tune_ask_random(t);
  tune_ask_extras(t);
  for (k = 0; k < t->asked; k++) po_tune_place(t->x + (size_t)k * N, t, t->y + (size_t)k * N);
  return t->asked;
}

const double *po_tune_point(const po_tune *t, int i) { return i >= 0 && i < t->asked ? t->x + (size_t)i * (size_t)t->n : NULL; }
long po_tune_draw(const po_tune *t, int i) { return i >= 0 && i < t->asked ? t->draw[i] : -1; }

/* ---- telling ---- */

static void tune_sort(po_tune *t) { /* the ranked points, equals by index: merged from the bottom up */
  int *from = t->order, *to = t->place, n = t->ranked, width, i;
  for (i = 0; i < n; i++) from[i] = i;
  for (width = 1; width < n; width *= 2) {
    int *swap = from;
    for (i = 0; i < n; i += 2 * width) {
      int a = i, b = i + width < n ? i + width : n, a_end = b, b_end = i + 2 * width < n ? i + 2 * width : n, k;
      for (k = i; k < b_end; k++)
        to[k] = a < a_end && (b >= b_end || po_tune_compare(t->cost[from[a]], t->violation[from[a]], t->cost[from[b]], t->violation[from[b]]) <= 0) ? from[a++] : from[b++];
    }
    from = to;
    to = swap;
  }
  if (from != t->order) memcpy(t->order, from, sizeof(int) * (size_t)n);
}

static void tune_keep_best(po_tune *t) {
  int k;
  for (k = 0; k < t->asked; k++) {
    if (t->found && po_tune_compare(t->cost[k], t->violation[k], t->best.cost[0], t->best.violation) >= 0) continue;
    t->found = 1;
    t->best.cost[0] = t->cost[k];
    t->best.violation = t->violation[k];
    t->best.generation = t->generation;
    memcpy(t->best_x, t->x + (size_t)k * (size_t)t->n, sizeof(double) * (size_t)t->n);
  }
}

/* At rest: somewhere else with twice the population, or done. */
static void tune_restart(po_tune *t) {
  if (t->restart >= t->opts.restarts) {
    t->finished = 1;
    return;
  }
  t->restart++;
  if (t->opts.method == PO_TUNE_CMA && 2 * t->population <= PO_TUNE_POPULATION) t->population *= 2;
  tune_begin(t, 1);
}

po_status po_tune_tell(po_tune *t, const double *cost, const double *violation, po_error *err) {
  po_status st = PO_OK;
  int k;
  if (!t || !cost) return po_fail(err, PO_ERR_NULL, "a search is told what its points cost");
  if (!t->asked) return po_fail(err, PO_ERR_STATE, "nothing was asked for");
  memcpy(t->cost, cost, sizeof(double) * (size_t)t->asked * (size_t)t->opts.costs);
  for (k = 0; k < t->asked; k++) t->violation[k] = !violation ? 0 : violation[k] > 0 ? violation[k] : violation[k] != violation[k] ? PO_NAN : 0;
  t->evaluations += t->asked;
  if (t->opts.costs == 1) {
    if (t->opts.repeats > 1) po_tune_noise_tell(t);
    tune_keep_best(t);
    tune_sort(t);
  }
  if (t->opts.costs > 1) st = po_front_tell(t);
  else if (t->opts.method == PO_TUNE_CMA) st = po_cma_tell(t);
  else if (t->opts.method == PO_TUNE_NELDER_MEAD) st = po_simplex_tell(t);
  else memcpy(t->centre, t->best_x, sizeof(double) * (size_t)t->n);
  t->generation++;
  t->asked = 0;
  if (st != PO_OK) tune_restart(t);
  return PO_OK;
}

/* ---- reading ---- */

const po_tune_found *po_tune_best(const po_tune *tune, int i) {
  po_tune *t = (po_tune *)tune; /* of a front, the member is put together on being asked */
  if (i < 0) return NULL;
  if (t->opts.costs > 1) return po_front_at(t, i);
  if (!t->found || i > 0) return NULL;
  t->best.x = t->best_x;
  return &t->best;
}

const double *po_tune_centre(const po_tune *t) { return t->centre; }

po_tune_opts po_tune_options(const po_tune *t) { return t->opts; }

po_tune_status po_tune_state(const po_tune *t) {
  po_tune_status s = {t->generation, t->evaluations, t->restart, t->population, (int)po_clamp(floor(t->level + 0.5), 1, t->opts.repeats), 1, 1};
  if (t->opts.costs == 1 && t->opts.method == PO_TUNE_CMA) {
    s.step = po_cma_step(t);
    s.condition = po_cma_condition(t);
  }
  return s;
}

/* ---- saving ---- */

static void tune_stream(void *object, po_stream *s) {
  po_tune *t = object;
  int N = t->n, i;
  po_stream_long(s, &t->generation);
  po_stream_long(s, &t->evaluations);
  po_stream_long(s, &t->draws);
  po_stream_int(s, &t->restart);
  po_stream_int(s, &t->population);
  po_stream_int(s, &t->ranked);
  po_stream_int(s, &t->again);
  po_stream_int(s, &t->finished);
  po_stream_double(s, &t->level);
  po_stream_int(s, &t->found);
  po_stream_doubles(s, t->best.cost, PO_TUNE_COSTS);
  po_stream_double(s, &t->best.violation);
  po_stream_long(s, &t->best.generation);
  po_stream_doubles(s, t->best_x, N);
  po_stream_doubles(s, t->centre, N);
  for (i = po_stream_count(s, &t->asked, t->most); i > 0; i--) { /* from the last, so that no counter is needed beside */
    po_stream_doubles(s, t->y + (size_t)(i - 1) * (size_t)N, N);
    po_stream_doubles(s, t->x + (size_t)(i - 1) * (size_t)N, N);
    po_stream_long(s, &t->draw[i - 1]);
  }
  if (t->opts.costs > 1) po_front_stream(t, s);
  else if (t->opts.method == PO_TUNE_CMA) po_cma_stream(t, s);
  else if (t->opts.method == PO_TUNE_NELDER_MEAD) po_simplex_stream(t, s);
}

static po_stream_kind tune_kind(const po_tune *t) {
  po_stream_kind kind = {"tune", 1, t->belongs};
  return kind;
}

size_t po_tune_save_bytes(const po_tune *t) {
  po_stream_kind kind = tune_kind(t);
  return po_stream_save_bytes(&kind, tune_stream, t);
}

po_status po_tune_save(void *state, size_t bytes, const po_tune *t) {
  po_stream_kind kind = tune_kind(t);
  return po_stream_save(state, bytes, &kind, tune_stream, t);
}

po_status po_tune_restore(po_tune *t, const void *state, size_t bytes) {
  po_stream_kind kind = tune_kind(t);
  return po_stream_restore(t, &kind, tune_stream, state, bytes);
}
