/* bench_hqp.c: every prioritized method × QP × null space × SIMD, cold and warm, on recorded control problems of both formulations
 * (bench/problems), on the .hqp files the user names, or where there are none on control ticks made up here.
 *
 * A set is a sequence of ticks. A run solves the next one: cold from nothing, warm from the answer to the tick before (the set starts over
 * at its end). A sample is one solve, over several passes of the motion, so that p99 and max are over it; a method too slow for that leaves
 * early, and `samples` and `ticks` tell how far it came. Beside the times stand
 *   iterations    a solve, mean
 *   kkt           the largest distance of a level from its optimality conditions
 *   violation     the largest violation of the hard levels
 *   solved        share of the ticks that end with an optimum
 *   second_opinion  share of the ticks at which lexicographic got stuck and reparam answered in its place
 *   agreement     share of the ticks at which every level's violation is the reference's (judge.h) to 1e-6
 *   disagreement  the largest relative difference of a level's violation from the reference's
 *   certified     share of the references that the judge has certified
 *   levels        of each level: violation and kkt (largest), rank (largest), and microseconds by kind of work (mean over all ticks)
 *   tick_us, tick_iterations, tick_optimal   along the motion (tick_us: the median of the tick's samples)
 * The times by kind of work come from passes of their own with the clock on. */
#include "hqp_sets.h"

#include <math.h>
#include <string.h>

enum { HQPB_VARIANTS = 9, HQPB_KEPT = 15, HQPB_LEVEL_NAMES = 24, HQPB_LOOKS = 3, HQPB_PASSES = 5, HQPB_PARTS = 7 };
#define HQPB_AGREE 1e-6 /* relative; what the references promise to be matched to */

typedef struct hqpb_variant { /* what to measure */
  const char *name;
  po_hqp_method method;
  po_qp_method qp;
  po_basis basis;
} hqpb_variant;

static const hqpb_variant hqpb_variants[HQPB_VARIANTS] = {
    {"lexicographic", PO_HQP_LEXICOGRAPHIC, PO_QP_ACTIVE_SET, PO_BASIS_ORTHOGONAL},
    {"reparam as orthogonal", PO_HQP_REPARAM, PO_QP_ACTIVE_SET, PO_BASIS_ORTHOGONAL},
    {"reparam as svd", PO_HQP_REPARAM, PO_QP_ACTIVE_SET, PO_BASIS_SVD},
    {"reparam ip orthogonal", PO_HQP_REPARAM, PO_QP_INTERIOR_POINT, PO_BASIS_ORTHOGONAL},
    {"reparam ip svd", PO_HQP_REPARAM, PO_QP_INTERIOR_POINT, PO_BASIS_SVD},
    {"linear as", PO_HQP_LINEAR, PO_QP_ACTIVE_SET, PO_BASIS_ORTHOGONAL},
    {"linear ip", PO_HQP_LINEAR, PO_QP_INTERIOR_POINT, PO_BASIS_ORTHOGONAL},
    {"weighted as", PO_HQP_WEIGHTED, PO_QP_ACTIVE_SET, PO_BASIS_ORTHOGONAL},
    {"weighted ip", PO_HQP_WEIGHTED, PO_QP_INTERIOR_POINT, PO_BASIS_ORTHOGONAL}};

static const char *const hqpb_part[HQPB_PARTS] = {"factor_us", "update_us", "multipliers_us", "solve_us", "null_space_us", "qp_us", "other_us"};

typedef struct hqpb_tick_times { /* the last samples of one tick, and what it took */
  float seconds[HQPB_KEPT];
  int count, iterations, optimal;
} hqpb_tick_times;

typedef struct hqpb_case {
  const po_hqp_set *set;
  const hqpb_variant *kind;
  po_hqp_solver *solver;
  po_hqp_opts opts;
  char variant[48];
  int at, last; /* the tick that comes next; the one that was solved */
  double iterations, solves, flops;
  hqpb_tick_times *ticks;
  po_hqp_profile *best; /* ticks × PO_HQP_MAX_LEVELS: of the fastest look at each tick, since a neighbour's load falls on single ones */
  double patience;      /* seconds */
} hqpb_case;

typedef struct hqpb_level { /* a level's name over all ticks */
  const char *name;
  double violation, kkt, us[HQPB_PARTS];
  int rank;
} hqpb_level;

typedef struct hqpb_findings {
  hqpb_level level[HQPB_LEVEL_NAMES];
  int count, looks, agreed, solved, second; /* names; solves, those that agree, are optimal, are a second opinion */
  double apart, kkt, violation;
} hqpb_findings;

static const char *hqpb_run(void *user, int slot) {
  hqpb_case *c = (hqpb_case *)user;
  po_hqp_result r;
  po_status status;
  (void)slot;
  status = po_hqp_solve(&r, c->solver, &c->set->problems[c->at], &c->opts);
  c->last = c->at;
  c->at = (c->at + 1) % c->set->count;
  if (status != PO_OK) return po_status_string(status);
  c->iterations += r.iterations;
  c->flops += r.flops;
  c->solves++;
  c->ticks[c->last].iterations = r.iterations;
  c->ticks[c->last].optimal = r.status == PO_HQP_OPTIMAL;
  return po_hqp_status_string(r.status);
}

static void hqpb_sampled(void *user, double seconds) {
  hqpb_case *c = (hqpb_case *)user;
  hqpb_tick_times *t = &c->ticks[c->last];
  t->seconds[t->count++ % HQPB_KEPT] = (float)seconds;
}

static double hqpb_tick_us(const hqpb_tick_times *t) {
  float sorted[HQPB_KEPT];
  int n = t->count < HQPB_KEPT ? t->count : HQPB_KEPT, i, j;
  for (i = 0; i < n; i++) {
    for (j = i; j > 0 && sorted[j - 1] > t->seconds[i]; j--) sorted[j] = sorted[j - 1];
    sorted[j] = t->seconds[i];
  }
  return n ? 1e6 * (double)sorted[n / 2] : 0;
}

/* ---- what a solve does, and how good its answers are ------------------------------------------------------------------------------ */

static hqpb_level *hqpb_level_of(hqpb_findings *f, const char *name) {
  int i;
  for (i = 0; i < f->count && strcmp(f->level[i].name, name); i++) {}
  if (i == f->count && i < HQPB_LEVEL_NAMES) f->level[f->count++].name = name;
  return i < HQPB_LEVEL_NAMES ? &f->level[i] : NULL;
}

static void hqpb_parts(double part[HQPB_PARTS], const po_hqp_profile *p) {
  part[0] = p->factor;
  part[1] = p->update;
  part[2] = p->multipliers;
  part[3] = p->solve;
  part[4] = p->null_space;
  part[5] = p->qp;
  part[6] = p->other;
}

static double hqpb_sum(const po_hqp_profile *profile, int levels) {
  double part[HQPB_PARTS], sum = 0;
  int k, i;
  for (k = 0; k < levels; k++)
    for (hqpb_parts(part, &profile[k]), i = 0; i < HQPB_PARTS; i++) sum += part[i];
  return sum;
}

static void hqpb_look_level(hqpb_findings *f, const po_hqp_level *level, const po_hqp_level_result *r) {
  hqpb_level *l = hqpb_level_of(f, level->name);
  f->kkt = po_max(f->kkt, r->kkt);
  if (level->hard) f->violation = po_max(f->violation, r->violation);
  if (!l) return;
  l->violation = po_max(l->violation, r->violation);
  l->kkt = po_max(l->kkt, r->kkt);
  if (r->rank > l->rank) l->rank = r->rank;
}

/* Microseconds by level and kind of work, means over the ticks that were looked at. */
static void hqpb_mean_parts(const hqpb_case *c, hqpb_findings *f) {
  int seen = f->looks < c->set->count ? f->looks : c->set->count, i, k, j;
  for (i = 0; i < seen; i++)
    for (k = 0; k < c->set->problems[i].level_count; k++) {
      hqpb_level *l = hqpb_level_of(f, c->set->problems[i].levels[k].name);
      double part[HQPB_PARTS];
      hqpb_parts(part, &c->best[i * PO_HQP_MAX_LEVELS + k]);
      for (j = 0; l && j < HQPB_PARTS; j++) l->us[j] += 1e6 * part[j] / seen;
    }
}

/* Passes over the set with the clock on: where the time goes, and how far the answers are from the lexicographic ones. Slow methods that did
 * not see every tick while they were timed are timed here: for them the clock costs nothing. */
static void hqpb_look(hqpb_case *c, hqpb_findings *f) {
  po_hqp_opts o = c->opts;
  double began = po_bench_cpu();
  int pass, i, k;
  memset(f, 0, sizeof *f);
  o.clock = po_bench_clock;
  for (pass = 0; pass < HQPB_LOOKS; pass++)
    for (i = 0; i < c->set->count && (!f->looks || po_bench_cpu() - began < c->patience); i++) {
      const po_hqp *p = &c->set->problems[i];
      po_hqp_result r;
      double apart = 0, start = po_bench_clock();
      po_status status = po_hqp_solve(&r, c->solver, p, &o);
      f->looks++;
      if (status != PO_OK) continue;
      if (!c->ticks[i].count) {
        c->last = i;
        c->ticks[i].iterations = r.iterations;
        c->ticks[i].optimal = r.status == PO_HQP_OPTIMAL;
        hqpb_sampled(c, po_bench_clock() - start);
      }
      for (k = 0; k < r.level_count; k++) {
        double want = c->set->exact[i * PO_HQP_MAX_LEVELS + k];
        apart = po_max(apart, fabs(r.levels[k].violation - want) / po_max(1, want));
        hqpb_look_level(f, &p->levels[k], &r.levels[k]);
      }
      if (!pass || hqpb_sum(r.profile, r.level_count) < hqpb_sum(&c->best[i * PO_HQP_MAX_LEVELS], r.level_count))
        memcpy(&c->best[i * PO_HQP_MAX_LEVELS], r.profile, sizeof *r.profile * (size_t)r.level_count);
      f->apart = po_max(f->apart, apart);
      f->agreed += apart <= HQPB_AGREE;
      f->solved += r.status == PO_HQP_OPTIMAL;
      f->second += r.second_opinion;
    }
  hqpb_mean_parts(c, f);
}

static void hqpb_detail(const hqpb_case *c, const hqpb_findings *f, po_bench_result *result) {
  int inside = c->kind->method != PO_HQP_LEXICOGRAPHIC, i, k;
  po_buffer out = {0};
  po_jw w;
  po_jw_init(&w, &out, 0);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "hqp", po_hqp_method_string(c->kind->method));
  if (inside) po_jw_string(&w, "qp", po_qp_method_string(c->kind->qp));
  if (c->kind->method == PO_HQP_REPARAM) po_jw_string(&w, "nullspace", c->kind->basis == PO_BASIS_SVD ? "svd" : "orthogonal");
  po_jw_string(&w, "formulation", c->set->formulation);
  po_jw_array(&w, "levels");
  for (i = 0; i < f->count; i++) {
    const hqpb_level *l = &f->level[i];
    po_jw_object(&w, NULL);
    po_jw_string(&w, "name", l->name);
    po_jw_int(&w, "rank", l->rank);
    po_jw_number(&w, "violation", l->violation);
    po_jw_number(&w, "kkt", l->kkt);
    for (k = 0; k < HQPB_PARTS; k++)
      if (l->us[k] > 0) po_jw_number(&w, hqpb_part[k], l->us[k]);
    po_jw_end(&w);
  }
  po_jw_end(&w);
  po_jw_array(&w, "tick_us");
  for (i = 0; i < c->set->count; i++)
    if (c->ticks[i].count) po_jw_number(&w, NULL, hqpb_tick_us(&c->ticks[i]));
    else po_jw_null(&w, NULL);
  po_jw_end(&w);
  po_jw_array(&w, "tick_iterations");
  for (i = 0; i < c->set->count; i++) po_jw_int(&w, NULL, c->ticks[i].iterations);
  po_jw_end(&w);
  po_jw_array(&w, "tick_optimal");
  for (i = 0; i < c->set->count; i++) po_jw_int(&w, NULL, c->ticks[i].optimal);
  po_jw_end(&w);
  po_jw_end(&w);
  po_bench_detail(result, &out);
}

static void hqpb_report(void *user, po_bench_result *result) {
  hqpb_case *c = (hqpb_case *)user;
  hqpb_findings f;
  int i, k, ticks = 0;
  hqpb_look(c, &f);
  for (i = 0; i < c->set->count; i++) ticks += c->ticks[i].count > 0;
  if (c->solves > 0) result->flops = c->flops / c->solves;
  po_bench_extra(result, "iterations", c->solves > 0 ? c->iterations / c->solves : 0);
  po_bench_extra(result, "kkt", f.kkt);
  po_bench_extra(result, "violation", f.violation);
  po_bench_extra(result, "solved", (double)f.solved / f.looks);
  po_bench_extra(result, "second_opinion", (double)f.second / f.looks);
  po_bench_extra(result, "agreement", (double)f.agreed / f.looks);
  po_bench_extra(result, "disagreement", f.apart);
  po_bench_extra(result, "certified", (double)c->set->certified / c->set->count);
  for (k = 0; k < HQPB_PARTS; k++) {
    double sum = 0;
    for (i = 0; i < f.count; i++) sum += f.level[i].us[k];
    if (sum > 0) po_bench_extra(result, hqpb_part[k], sum);
  }
  po_bench_extra(result, "ticks", ticks);
  po_bench_extra(result, "bytes", (double)po_hqp_bytes(c->set->n, c->set->levels, c->set->rows));
  hqpb_detail(c, &f, result);
}

/* ---- cases ------------------------------------------------------------------------------------------------------------------------ */

static po_status hqpb_case_of(hqpb_case *c, po_bench_case *out, const po_hqp_set *set, const hqpb_variant *v, po_simd simd, int warm) {
  c->set = set;
  c->kind = v;
  c->opts = po_hqp_opts_default();
  c->opts.method = v->method;
  c->opts.qp = v->qp;
  c->opts.basis = v->basis;
  c->opts.warm = warm;
  c->ticks = (hqpb_tick_times *)po_alloc(sizeof *c->ticks * (size_t)set->count);
  po_format(c->variant, sizeof c->variant, "%s %s", v->name, po_simd_string(simd));
  *out = po_bench_case_of(set->name, c->variant, set->n, hqpb_run, c);
  out->start = warm ? "warm" : "cold";
  out->simd = simd;
  out->single = 1;
  out->min_rounds = HQPB_PASSES * set->count;
  out->sampled = hqpb_sampled;
  out->report = hqpb_report;
  c->best = (po_hqp_profile *)po_alloc(sizeof *c->best * PO_HQP_MAX_LEVELS * (size_t)set->count);
  return c->ticks && c->best ? po_hqp_new(&c->solver, set->n, set->levels, set->rows) : PO_ERR_MEMORY;
}

static po_status hqpb_measure(po_bench *bench, const po_hqp_set *set, po_error *err) {
  hqpb_case state[4 * HQPB_VARIANTS];
  po_bench_case cases[4 * HQPB_VARIANTS];
  po_simd paths[2];
  int simds = po_bench_simds(paths, bench), i, count = 0;
  po_status status = PO_OK;
  memset(state, 0, sizeof state);
  for (i = 0; i < 2 * HQPB_VARIANTS * simds && status == PO_OK; i++, count++) {
    state[count].patience = po_bench_patience(bench);
    status = hqpb_case_of(&state[count], &cases[count], set, &hqpb_variants[i / (2 * simds)], paths[i / 2 % simds], i % 2);
  }
  if (status != PO_OK) po_fail(err, status, "bench hqp: %s", po_status_string(status));
  else status = po_bench_measure(bench, cases, count, err);
  for (i = 0; i < count; i++) {
    po_hqp_free(state[i].solver);
    po_free(state[i].ticks);
    po_free(state[i].best);
  }
  return status;
}

static po_status hqpb_file(po_bench *bench, const char *path, po_error *err) {
  po_hqp_set set;
  po_status status = po_hqp_set_read(&set, path, err);
  if (status == PO_OK && po_bench_wants(bench, set.name)) status = hqpb_measure(bench, &set, err);
  po_hqp_set_free(&set);
  return status;
}

/* The sets that come with the project. Returns how many were found. */
static int hqpb_recorded(po_bench *bench, po_status *status, po_error *err) {
  int i, found = 0;
  for (i = 0; po_hqp_set_names[i] && *status == PO_OK && bench->options.problems; i++) {
    char path[512];
    char *text;
    size_t size;
    po_format(path, sizeof path, "%s/%s", bench->options.problems, po_hqp_set_names[i]);
    if (po_read_file(&text, &size, path, 0, NULL) != PO_OK) continue;
    po_free(text);
    found++;
    *status = hqpb_file(bench, path, err);
  }
  return found;
}

static po_status hqpb_bench(po_bench *bench, po_error *err) {
  po_status status = PO_OK;
  po_hqp_set set;
  int i;
  if (bench->options.file_count) {
    for (i = 0; i < bench->options.file_count && status == PO_OK; i++) status = hqpb_file(bench, bench->options.files[i], err);
    return status;
  }
  if (hqpb_recorded(bench, &status, err) || status != PO_OK || !po_bench_wants(bench, "ticks")) return status;
  status = po_hqp_set_make(&set, err);
  if (status == PO_OK) status = hqpb_measure(bench, &set, err);
  po_hqp_set_free(&set);
  return status;
}

const po_bench_room po_bench_hqp = {"hqp", "every prioritized method, cold and warm: recorded control problems, or .hqp files", 1, hqpb_bench};
