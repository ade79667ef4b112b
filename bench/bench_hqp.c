/* bench_hqp.c: every prioritized method × QP × null space × SIMD, cold and warm, on the .hqp files the user names, or on control ticks of
 * our own.
 *
 * A file is a sequence of ticks. A run solves the next one: cold from nothing, warm from the answer to the tick before (the file starts
 * over at its end). Extra fields: iterations; `disagreement`, the largest relative difference of a level's violation from the
 * lexicographic one; and where the time goes, in microseconds by kind of work, from one more pass with the clock on. */
#include "../qp/qp.h"
#include "bench.h"

#include <math.h>
#include <string.h>

enum { HQPB_TICKS = 16, HQPB_N = 67, HQPB_LEVELS = 4, HQPB_ROWS = 138, HQPB_VARIANTS = 9 };

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

typedef struct hqpb_set { /* a file, or our own ticks */
  char name[48];
  const po_hqp *problems;
  int count, n, levels, rows;
  double *exact; /* count × PO_HQP_MAX_LEVELS: the lexicographic violations */
} hqpb_set;

typedef struct hqpb_case {
  const hqpb_set *set;
  po_hqp_solver *solver;
  po_hqp_opts opts;
  char variant[48];
  int at;
  double iterations, solves, flops;
} hqpb_case;

/* ---- our own ticks ---------------------------------------------------------------------------------------------------------- */

typedef struct hqpb_ticks {
  double a[HQPB_TICKS][HQPB_ROWS * HQPB_N], lower[HQPB_TICKS][HQPB_ROWS], upper[HQPB_TICKS][HQPB_ROWS];
  po_hqp_level level[HQPB_TICKS][HQPB_LEVELS];
  po_hqp problem[HQPB_TICKS];
} hqpb_ticks;

/* A body of 35 accelerations on eight contact points, each a cone of four edges: equations of motion of the base and torques in between
 * limits (hard), contact rows that repeat each other, then tasks. Everything drifts by a thousandth from tick to tick. */
static void hqpb_tick(hqpb_ticks *t, int k) {
  enum { D = 35, E = 32 };
  static const int rows[HQPB_LEVELS] = {67, 24, 15, 32};
  static const char *const names[HQPB_LEVELS] = {"dynamics", "contact", "hands", "pose"};
  double *a = t->a[k], *l = t->lower[k], *u = t->upper[k], jacobian[12][D], edges[12][E];
  po_rng base, drift;
  int i, j, c, at = 0;
  po_rng_init(&base, 5, 1);
  po_rng_init(&drift, 5, (uint64_t)k + 2);
#define HQPB_NUMBER(size) ((size) * (po_rng_normal(&base) + 1e-3 * k * po_rng_normal(&drift)))
  for (i = 0; i < 12; i++) {
    for (j = 0; j < D; j++) jacobian[i][j] = HQPB_NUMBER(0.5);
    for (c = 0; c < E; c++) edges[i][c] = (c / 4) % 2 == i / 6 ? HQPB_NUMBER(0.5) + (i % 6 == 5) : 0; /* the last pushes up */
  }
  for (i = 0; i < D; i++) { /* [M  −J'V]: the base has no motors */
    double *row = a + i * HQPB_N;
    for (j = 0; j < D; j++) row[j] = HQPB_NUMBER(0.05) + (i == j ? 1 + 5.0 * (i < 6) : 0);
    for (c = 0; c < E; c++)
      for (row[D + c] = 0, j = 0; j < 12; j++) row[D + c] -= jacobian[j][i] * edges[j][c];
    l[i] = HQPB_NUMBER(1) - (i < 6 ? 0 : 8);
    u[i] = i < 6 ? l[i] : l[i] + 16;
  }
  for (i = 0; i < E; i++) {
    memset(a + (D + i) * HQPB_N, 0, sizeof(double) * HQPB_N);
    a[(D + i) * HQPB_N + D + i] = 1;
    l[D + i] = 0;
    u[D + i] = PO_INF;
  }
  for (i = 67; i < HQPB_ROWS; i++) {
    double *row = a + i * HQPB_N;
    memset(row, 0, sizeof(double) * HQPB_N);
    for (j = 0; j < D; j++) row[j] = i < 91 ? jacobian[(i - 67) / 2][j] : i < 106 ? HQPB_NUMBER(0.5) : j == i - 106 ? 1 : i > 134 ? HQPB_NUMBER(0.5) : 0;
    l[i] = u[i] = i < 91 ? 0 : HQPB_NUMBER(2);
  }
#undef HQPB_NUMBER
  for (i = 0; i < HQPB_LEVELS; at += rows[i++]) {
    po_hqp_level *level = &t->level[k][i];
    level->name = names[i];
    level->rows = rows[i];
    level->A = po_mat_of(a + at * HQPB_N, rows[i], HQPB_N, HQPB_N);
    level->lower = l + at;
    level->upper = u + at;
    level->hard = i == 0;
  }
  t->problem[k].name = "tick";
  t->problem[k].n = HQPB_N;
  t->problem[k].level_count = HQPB_LEVELS;
  t->problem[k].levels = t->level[k];
}

/* ---- cases ---------------------------------------------------------------------------------------------------------------------- */

static const char *hqpb_run(void *user, int slot) {
  hqpb_case *c = (hqpb_case *)user;
  po_hqp_result r;
  po_status status;
  (void)slot;
  status = po_hqp_solve(c->solver, &c->set->problems[c->at], &c->opts, &r);
  c->at = (c->at + 1) % c->set->count;
  if (status != PO_OK) return po_status_string(status);
  c->iterations += r.iterations;
  c->flops += r.flops;
  c->solves++;
  return po_hqp_status_string(r.status);
}

/* One pass over the file with the clock on: where the time goes, and how far the answers are from the lexicographic ones. */
static void hqpb_look(hqpb_case *c, po_hqp_profile *sum, double *apart) {
  po_hqp_opts o = c->opts;
  int i, k;
  memset(sum, 0, sizeof *sum);
  *apart = 0;
  o.clock = po_bench_clock;
  for (i = 0; i < c->set->count; i++) {
    po_hqp_result r;
    if (po_hqp_solve(c->solver, &c->set->problems[i], &o, &r) != PO_OK) continue;
    for (k = 0; k < r.level_count; k++) {
      double want = c->set->exact[i * PO_HQP_MAX_LEVELS + k];
      const po_hqp_profile *p = &r.profile[k];
      *apart = po_max(*apart, fabs(r.levels[k].violation - want) / po_max(1, want));
      sum->factor += p->factor;
      sum->solve += p->solve;
      sum->multipliers += p->multipliers;
      sum->update += p->update;
      sum->null_space += p->null_space;
      sum->qp += p->qp;
      sum->other += p->other;
    }
  }
}

static void hqpb_report(void *user, po_bench_result *result) {
  hqpb_case *c = (hqpb_case *)user;
  po_hqp_profile p;
  double apart, each = 1e6 / c->set->count;
  hqpb_look(c, &p, &apart);
  if (c->solves > 0) result->flops = c->flops / c->solves;
  po_bench_extra(result, "iterations", c->solves > 0 ? c->iterations / c->solves : 0);
  po_bench_extra(result, "disagreement", apart);
  if (c->opts.method == PO_HQP_LEXICOGRAPHIC) {
    po_bench_extra(result, "factor_us", p.factor * each);
    po_bench_extra(result, "update_us", p.update * each);
    po_bench_extra(result, "multipliers_us", p.multipliers * each);
    po_bench_extra(result, "solve_us", p.solve * each);
  } else {
    po_bench_extra(result, "qp_us", p.qp * each);
    po_bench_extra(result, "null_space_us", p.null_space * each);
  }
  po_bench_extra(result, "other_us", p.other * each);
  po_bench_extra(result, "bytes", (double)po_hqp_bytes(c->set->n, c->set->levels, c->set->rows));
}

/* Sizes of the largest problem, and the lexicographic violations of all. */
static po_status hqpb_prepare(hqpb_set *set) {
  po_hqp_solver *s = NULL;
  po_status status;
  int i, k;
  for (i = 0; i < set->count; i++) {
    int rows = 0;
    for (k = 0; k < set->problems[i].level_count; k++) rows += set->problems[i].levels[k].rows;
    if (rows > set->rows) set->rows = rows;
    if (set->problems[i].n > set->n) set->n = set->problems[i].n;
    if (set->problems[i].level_count > set->levels) set->levels = set->problems[i].level_count;
  }
  set->exact = (double *)po_alloc(sizeof(double) * PO_HQP_MAX_LEVELS * (size_t)set->count);
  status = set->exact ? po_hqp_new(&s, set->n, set->levels, set->rows) : PO_ERR_MEMORY;
  for (i = 0; i < set->count && status == PO_OK; i++) {
    po_hqp_result r;
    status = po_hqp_solve(s, &set->problems[i], NULL, &r);
    for (k = 0; k < set->problems[i].level_count && status == PO_OK; k++) set->exact[i * PO_HQP_MAX_LEVELS + k] = r.levels[k].violation;
  }
  po_hqp_free(s);
  return status;
}

static po_status hqpb_measure(po_bench *bench, hqpb_set *set, po_error *err) {
  hqpb_case state[4 * HQPB_VARIANTS];
  po_bench_case cases[4 * HQPB_VARIANTS];
  po_simd paths[2];
  int simds = po_bench_simds(bench, paths), i, count = 0;
  po_status status = hqpb_prepare(set);
  memset(state, 0, sizeof state);
  for (i = 0; i < 2 * HQPB_VARIANTS * simds && status == PO_OK; i++) {
    const hqpb_variant *v = &hqpb_variants[i / (2 * simds)];
    po_simd simd = paths[i / 2 % simds];
    hqpb_case *c = &state[count];
    c->set = set;
    c->opts = po_hqp_opts_default();
    c->opts.method = v->method;
    c->opts.qp = v->qp;
    c->opts.basis = v->basis;
    c->opts.warm = i % 2;
    status = po_hqp_new(&c->solver, set->n, set->levels, set->rows);
    po_format(c->variant, sizeof c->variant, "%s %s", v->name, po_simd_string(simd));
    cases[count] = po_bench_case_of(set->name, c->variant, set->n, hqpb_run, c);
    cases[count].start = c->opts.warm ? "warm" : "cold";
    cases[count].simd = simd;
    cases[count].report = hqpb_report;
    count++;
  }
  if (status != PO_OK) po_fail(err, status, "bench hqp: %s", po_status_string(status));
  else status = po_bench_measure(bench, cases, count, err);
  for (i = 0; i < count; i++) po_hqp_free(state[i].solver);
  po_free(set->exact);
  return status;
}

static po_status hqpb_file(po_bench *bench, const char *path, po_error *err) {
  const char *base = strrchr(path, '/');
  po_hqp_file *file = NULL;
  hqpb_set set;
  char *text = NULL;
  size_t size = 0;
  po_status status = po_read_file(&text, &size, path, 0, err);
  if (status == PO_OK) status = po_hqp_read(&file, text, size, path, err);
  po_free(text);
  if (status != PO_OK) return status;
  memset(&set, 0, sizeof set);
  po_format(set.name, sizeof set.name, "%s", base ? base + 1 : path);
  set.problems = file->problems;
  set.count = file->count;
  if (set.count && po_bench_wants(bench, set.name)) status = hqpb_measure(bench, &set, err);
  po_hqp_file_free(file);
  return status;
}

static po_status hqpb_bench(po_bench *bench, po_error *err) {
  po_status status = PO_OK;
  int i;
  if (bench->options.file_count) {
    for (i = 0; i < bench->options.file_count && status == PO_OK; i++) status = hqpb_file(bench, bench->options.files[i], err);
  } else if (po_bench_wants(bench, "ticks")) {
    hqpb_ticks *t = (hqpb_ticks *)po_alloc(sizeof *t);
    hqpb_set set;
    if (!t) return po_fail(err, PO_ERR_MEMORY, "bench hqp: out of memory");
    memset(&set, 0, sizeof set);
    po_format(set.name, sizeof set.name, "ticks");
    for (i = 0; i < HQPB_TICKS; i++) hqpb_tick(t, i);
    set.problems = t->problem;
    set.count = HQPB_TICKS;
    status = hqpb_measure(bench, &set, err);
    po_free(t);
  }
  return status;
}

const po_bench_room po_bench_hqp = {"hqp", "every prioritized method, cold and warm: .hqp files, or control ticks of our own", 1, hqpb_bench};
