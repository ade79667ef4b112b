/* bench.c: interleaved measurement of a group of cases.
 *
 * Every round times each case once, in turn. A sample is the mean over as many repetitions as make it long against the clock's own
 * cost; that cost, measured at the start, is taken off. Median, 99th percentile, minimum and maximum are over samples. The CPU's counters,
 * where there are any, are read around further runs that are not timed. */
#include "bench.h"
#include <string.h>

enum { BENCH_MIN_ROUNDS = 9, BENCH_MAX_ROUNDS = 1500, BENCH_COUNTED = 3 };
#define BENCH_SAMPLE_SECONDS 4e-6 /* a sample of 4 us against a clock that resolves some 20 ns: 0.5 % */
#define BENCH_DEFAULT_SECONDS 0.01
/* A case much slower than those it is compared with leaves the rounds when it has taken this many times its share. */
#define BENCH_PATIENCE 25.0

po_bench_options po_bench_options_default(void) {
  po_bench_options o;
  memset(&o, 0, sizeof o);
  o.simd = PO_SIMD_AUTO;
  o.seconds_per_case = BENCH_DEFAULT_SECONDS;
  return o;
}

void po_bench_init(po_bench *bench, const po_bench_options *options) {
  memset(bench, 0, sizeof *bench);
  bench->options = options ? *options : po_bench_options_default();
  bench->room = "";
  po_machine_describe(&bench->machine);
  po_counters_open(&bench->counters, bench->machine.counters, sizeof bench->machine.counters);
}

void po_bench_free(po_bench *bench) {
  int i;
  for (i = 0; i < bench->count; i++) po_free(bench->results[i].detail);
  po_counters_close(&bench->counters);
  po_free(bench->results);
  bench->results = NULL;
  bench->count = bench->capacity = 0;
}

po_bench_case po_bench_case_of(const char *name, const char *variant, int size, po_bench_run_fn run, void *user) {
  po_bench_case c;
  memset(&c, 0, sizeof c);
  c.name = name;
  c.variant = variant;
  c.start = "";
  c.size = size;
  c.simd = PO_SIMD_AUTO;
  c.run = run;
  c.slots = 1;
  c.user = user;
  return c;
}

int po_bench_slots(size_t bytes) {
  size_t n = bytes ? 16384 / bytes : 32;
  return n < 1 ? 1 : n > 32 ? 32 : (int)n;
}

int po_bench_simds(po_simd paths[2], const po_bench *bench) {
  po_simd before = po_get_simd();
  int count = 0;
  if (bench->options.simd != PO_SIMD_AUTO) {
    paths[0] = bench->options.simd;
    return 1;
  }
  paths[count++] = PO_SIMD_SCALAR;
  if (po_set_simd(PO_SIMD_AVX2) == PO_OK) paths[count++] = PO_SIMD_AVX2;
  po_set_simd(before);
  return count;
}

int po_bench_wants(const po_bench *bench, const char *name) {
  return !bench->options.filter || strstr(name, bench->options.filter) != NULL;
}

void po_bench_extra(po_bench_result *result, const char *name, double value) {
  po_bench_extra_field *f;
  if (result->extra_count == (int)(sizeof result->extra / sizeof result->extra[0])) return;
  f = &result->extra[result->extra_count++];
  po_format(f->name, sizeof f->name, "%s", name);
  f->value = value;
}

void po_bench_detail(po_bench_result *result, po_buffer *object) {
  size_t n = object->size;
  if (!object->failed && n > 2 && object->data[0] == '{' && object->data[n - 1] == '}' && !result->detail) {
    memmove(object->data, object->data + 1, n - 2);
    object->data[n - 2] = '\0';
    result->detail = object->data;
    return;
  }
  po_buffer_free(object);
}

/* ---- measuring ----------------------------------------------------------------------------------------------------------- */

typedef struct bench_track { /* a case while it is measured */
  const po_bench_case *c;
  double *samples;
  int count, repeats;
  double spent; /* seconds computed, the warm-up included */
  const char *status;
} bench_track;

static double bench_clock_cost(void) {
  double least = 1;
  int i;
  for (i = 0; i < 200; i++) {
    double a = po_bench_clock(), b = po_bench_clock();
    least = po_min(least, b - a);
  }
  return least;
}

int po_bench_good(const char *status) { return !strcmp(status, "ok") || !strcmp(status, "optimal") || !strcmp(status, "success"); }

/* One sample: seconds a run, clock's cost taken off. A bad status sticks. */
static double bench_sample(bench_track *t, double clock_cost) {
  const po_bench_case *c = t->c;
  const char *worst = NULL;
  double start, taken;
  int k;
  po_set_simd(c->simd);
  if (c->setup)
    for (k = 0; k < t->repeats; k++) c->setup(c->user, k);
  start = po_bench_clock();
  for (k = 0; k < t->repeats; k++) {
    const char *status = c->run(c->user, c->setup ? k : 0);
    if (status != worst && (!worst || po_bench_good(worst))) worst = status;
  }
  taken = po_bench_clock() - start - clock_cost;
  if (!t->status || po_bench_good(t->status)) t->status = worst;
  return po_max(taken, 0) / t->repeats;
}

/* Warms up, and finds how often to repeat within a sample. Returns seconds a run, setup included. */
static double bench_calibrate(bench_track *t, double clock_cost) {
  double seconds, whole;
  int tries;
  t->repeats = 1;
  bench_sample(t, clock_cost);
  for (tries = 0; tries < 24; tries++) {
    int limit = t->c->single ? 1 : t->c->setup ? t->c->slots : 1 << 20;
    double start = po_bench_clock();
    seconds = bench_sample(t, clock_cost);
    whole = po_bench_clock() - start;
    if (seconds * t->repeats >= BENCH_SAMPLE_SECONDS || t->repeats >= limit) break;
    t->repeats = t->repeats * 2 < limit ? t->repeats * 2 : limit;
  }
  return whole;
}

static void bench_sort(double *x, int n) { /* Shell's */
  int gap, i, j;
  for (gap = n / 2; gap > 0; gap /= 2)
    for (i = gap; i < n; i++)
      for (j = i - gap; j >= 0 && x[j] > x[j + gap]; j -= gap) {
        double t = x[j];
        x[j] = x[j + gap];
        x[j + gap] = t;
      }
}

/* What the CPU counted in one run: the least of a few samples. */
static void bench_count(const po_bench *bench, bench_track *t, po_bench_result *r) {
  int i, k;
  r->instructions = r->cycles = -1;
  if (bench->counters.file[0] < 0 && bench->counters.file[1] < 0) return;
  for (i = 0; i < BENCH_COUNTED; i++) {
    double instructions, cycles;
    for (k = 0; t->c->setup && k < t->repeats; k++) t->c->setup(t->c->user, k);
    po_counters_start(&bench->counters);
    for (k = 0; k < t->repeats; k++) t->c->run(t->c->user, t->c->setup ? k : 0);
    po_counters_stop(&instructions, &cycles, &bench->counters);
    if (!i || instructions / t->repeats < r->instructions) r->instructions = instructions / t->repeats;
    if (!i || cycles / t->repeats < r->cycles) r->cycles = cycles / t->repeats;
  }
}

static po_status bench_append(po_bench *bench, bench_track *t) {
  const po_bench_case *c = t->c;
  po_bench_result *r;
  int rounds = t->count;
  if (bench->count == bench->capacity) {
    int capacity = bench->capacity ? 2 * bench->capacity : 64;
    po_bench_result *more = po_alloc((size_t)capacity * sizeof *more);
    if (!more) return PO_ERR_MEMORY;
    if (bench->count) memcpy(more, bench->results, (size_t)bench->count * sizeof *more);
    po_free(bench->results);
    bench->results = more;
    bench->capacity = capacity;
  }
  r = &bench->results[bench->count++];
  memset(r, 0, sizeof *r);
  po_format(r->room, sizeof r->room, "%s", bench->room);
  po_format(r->name, sizeof r->name, "%s", c->name);
  po_format(r->variant, sizeof r->variant, "%s", c->variant ? c->variant : "");
  po_format(r->start, sizeof r->start, "%s", c->start ? c->start : "");
  po_format(r->status, sizeof r->status, "%s", t->status);
  po_set_simd(c->simd);
  r->simd = po_get_simd();
  r->size = c->size;
  r->flops = c->flops;
  bench_sort(t->samples, rounds);
  r->min_ns = 1e9 * t->samples[0];
  r->median_ns = 1e9 * (rounds % 2 ? t->samples[rounds / 2] : 0.5 * (t->samples[rounds / 2 - 1] + t->samples[rounds / 2]));
  r->p99_ns = 1e9 * t->samples[(99 * (rounds - 1) + 50) / 100];
  r->max_ns = 1e9 * t->samples[rounds - 1];
  r->samples = rounds;
  bench_count(bench, t, r);
  if (c->report) c->report(c->user, r);
  if (bench->progress) bench->progress(bench->progress_user, r);
  return PO_OK;
}

static void bench_peak(po_bench *bench) { /* of the best path that is measured */
  po_simd paths[2];
  int n = po_bench_simds(paths, bench);
  po_set_simd(paths[n - 1]);
  bench->machine.peak_gflops = po_max(bench->machine.peak_gflops, po_machine_peak());
}

static int bench_stopped(po_bench *bench) {
  if (bench->options.stop && *bench->options.stop) bench->interrupted = 1;
  return bench->interrupted;
}

double po_bench_patience(const po_bench *bench) { return BENCH_PATIENCE * bench->options.seconds_per_case; }

/* All cases in turn, round after round; those that are too slow leave early, after one sample at least. */
static void bench_rounds(po_bench *bench, bench_track *tracks, int used, double cost) {
  double total = 0, start;
  int i, k, rounds, least = BENCH_MIN_ROUNDS;
  for (i = 0; i < used && !bench_stopped(bench); i++) {
    start = po_bench_cpu();
    total += bench_calibrate(&tracks[i], cost);
    tracks[i].spent = po_bench_cpu() - start;
    if (tracks[i].c->min_rounds > least) least = tracks[i].c->min_rounds;
  }
  if (bench->interrupted) return;
  rounds = (int)po_clamp(bench->options.seconds_per_case * used / po_max(total, 1e-9), least, BENCH_MAX_ROUNDS);
  for (k = 0; k < rounds && !bench_stopped(bench); k++)
    for (i = 0; i < used; i++) {
      bench_track *t = &tracks[i];
      if (k && t->spent > po_bench_patience(bench)) continue;
      start = po_bench_cpu();
      t->samples[t->count++] = bench_sample(t, cost);
      t->spent += po_bench_cpu() - start;
      if (t->c->sampled) t->c->sampled(t->c->user, t->samples[t->count - 1]);
    }
}

po_status po_bench_measure(po_bench *bench, const po_bench_case *cases, int count, po_error *err) {
  po_simd before = po_get_simd();
  bench_track *tracks = po_alloc((size_t)(count > 0 ? count : 1) * sizeof *tracks);
  double *samples = po_alloc((size_t)(count > 0 ? count : 1) * BENCH_MAX_ROUNDS * sizeof *samples);
  double cost = bench_clock_cost();
  po_status status = PO_OK;
  int i, used = 0;
  if (!tracks || !samples) {
    status = po_fail(err, PO_ERR_MEMORY, "out of memory for %d cases", count);
    goto done;
  }
  for (i = 0; i < count; i++) {
    if (!po_bench_wants(bench, cases[i].name)) continue;
    memset(&tracks[used], 0, sizeof tracks[used]);
    tracks[used].c = &cases[i];
    tracks[used].samples = samples + (size_t)used * BENCH_MAX_ROUNDS;
    used++;
  }
  if (!used || bench_stopped(bench)) goto done;
  bench_peak(bench);
  bench_rounds(bench, tracks, used, cost);
  for (i = 0; i < used && status == PO_OK; i++)
    if (tracks[i].count) status = bench_append(bench, &tracks[i]);
  if (status != PO_OK) po_fail(err, status, "out of memory for the results");
done:
  po_set_simd(before);
  po_free(tracks);
  po_free(samples);
  return status;
}

po_status po_bench_run_room(po_bench *bench, const po_bench_room *room, po_error *err) {
  bench->room = room->name;
  return room->run(bench, err);
}
