/* bench_step.c: whole steps of our own scenarios: control tick and world step, as `poise run` takes them, 1 ms each.
 *
 * Every method runs a world of its own, so the motions are those that the method makes; a run that ends starts over. A sample is one step.
 * Extra fields: where it goes, in microseconds (medians), and `realtime_factor`, how much faster than time itself the median step is. Size is
 * the number of freedoms of the character. Things without a controller (stack, drop) show what the world costs alone. */
#include "../scenes/scenes.h"
#include "bench.h"

#include <string.h>

enum { STEP_STEPS = 300, STEP_SKIP = 100, STEP_VARIANTS = 5 };

typedef struct step_kind {
  const char *name;
  po_hqp_method method;
  po_formulation formulation;
} step_kind;

static const step_kind step_kinds[STEP_VARIANTS] = {{"lexicographic reduced", PO_HQP_LEXICOGRAPHIC, PO_REDUCED},
                                                    {"lexicographic full", PO_HQP_LEXICOGRAPHIC, PO_FULL},
                                                    {"reparam reduced", PO_HQP_REPARAM, PO_REDUCED},
                                                    {"reparam full", PO_HQP_REPARAM, PO_FULL},
                                                    {"weighted reduced", PO_HQP_WEIGHTED, PO_REDUCED}};
static const char *const step_scenarios[] = {"balance", "squat", "jump", "walk", "drop", "stack", NULL};

typedef struct step_case {
  const po_scenario *scenario;
  po_run_opts opts;
  po_run *run;
  char variant[48];
} step_case;

static const char *step_run(void *user, int slot) {
  step_case *c = (step_case *)user;
  (void)slot;
  if (!c->run && po_run_new(&c->run, c->scenario, &c->opts, NULL) != PO_OK) return "failed";
  if (po_run_step(c->run)) return "ok";
  if (c->run->outcome == PO_FELL) return "fell";
  if (c->run->outcome == PO_FAILED) return "failed";
  po_run_free(c->run); /* the end was reached: from the beginning */
  c->run = NULL;
  return "ok";
}

static double step_median(const float *x, long n) {
  enum { MOST = 2000 };
  float sorted[MOST];
  long i, j, from = n > MOST ? n - MOST : 0;
  for (i = from; i < n; i++) {
    for (j = i - from; j > 0 && sorted[j - 1] > x[i]; j--) sorted[j] = sorted[j - 1];
    sorted[j] = x[i];
  }
  return n > from ? (double)sorted[(n - from) / 2] : 0;
}

static void step_report(void *user, po_bench_result *result) {
  static const char *const names[PO_PHASES] = {"kinematics_us", "dynamics_us", "problem_us", "solve_us", "contact_us", "integrate_us"};
  step_case *c = (step_case *)user;
  int k;
  for (k = 0; k < PO_PHASES && c->run; k++) po_bench_extra(result, names[k], step_median(c->run->profile[k], c->run->steps));
  if (c->run && result->median_ns > 0) po_bench_extra(result, "realtime_factor", 1e9 * c->run->opts.dt / result->median_ns);
}

static po_status step_case_of(step_case *c, po_bench_case *out, const po_scenario *s, const step_kind *kind, po_simd simd, const char *model, po_error *err) {
  po_status status;
  int i;
  c->scenario = s;
  c->opts = po_run_opts_default();
  c->opts.clock = po_bench_clock;
  if (s->model) c->opts.model = model;
  c->opts.wbc.hqp.method = kind->method;
  c->opts.wbc.formulation = kind->formulation;
  if (s->move) po_format(c->variant, sizeof c->variant, "%s %s", kind->name, po_simd_string(simd));
  else po_format(c->variant, sizeof c->variant, "%s", po_simd_string(simd));
  status = po_run_new(&c->run, s, &c->opts, err);
  if (status != PO_OK) return status;
  po_set_simd(simd);
  for (i = 0; i < STEP_SKIP; i++) po_run_step(c->run);
  *out = po_bench_case_of(s->name, c->variant, c->run->model ? c->run->model->nv : 0, step_run, c);
  out->simd = simd;
  out->single = 1;
  out->min_rounds = STEP_STEPS;
  out->report = step_report;
  return PO_OK;
}

static po_status step_scenario(po_bench *bench, const po_scenario *s, po_error *err) {
  step_case state[2 * STEP_VARIANTS];
  po_bench_case cases[2 * STEP_VARIANTS];
  po_simd paths[2], before = po_get_simd();
  int simds = po_bench_simds(paths, bench), variants = s->move ? STEP_VARIANTS : 1, i, count = 0;
  po_status status = PO_OK;
  memset(state, 0, sizeof state);
  for (i = 0; i < variants * simds && status == PO_OK; i++, count++)
    status = step_case_of(&state[count], &cases[count], s, &step_kinds[i / simds], paths[i % simds], bench->options.model, err);
  po_set_simd(before);
  if (status == PO_OK) status = po_bench_measure(bench, cases, count, err);
  for (i = 0; i < count; i++) po_run_free(state[i].run);
  return status;
}

static po_status step_bench(po_bench *bench, po_error *err) {
  po_status status = PO_OK;
  int i;
  for (i = 0; step_scenarios[i] && status == PO_OK && !(bench->options.stop && *bench->options.stop); i++) {
    const po_scenario *s = po_scenario_find(step_scenarios[i]);
    if (s && po_bench_wants(bench, s->name)) status = step_scenario(bench, s, err);
  }
  return status;
}

const po_bench_room po_bench_step = {"step", "whole steps of our own scenarios: control tick and world", 0, step_bench};
