/* bench_qp.c: both QP methods, cold and warm, on the QPS files the user names, or on control ticks of our own.
 *
 * Warm is measured as a controller meets it: eight versions of the problem in turn, each started from the solution of the one before. The
 * versions differ in every matrix entry (units of variables, rows and cost that drift by a thousandth) and in the cost itself, so nothing can
 * be kept but the working set. Time is from raw data to checked result. */
#include "bench.h"
#include "../qp/qp.h"

#include <string.h>

enum { QPB_VERSIONS = 8, QPB_BUILT_IN = 4 };
#define QPB_DRIFT 1e-3

typedef struct qpb_problem {
  char name[48];
  int n, me, mi;
  po_qp version[QPB_VERSIONS];
  void *memory;
} qpb_problem;

typedef struct qpb_case {
  const qpb_problem *problem;
  po_qp_solver *solver;
  po_qp_opts opts;
  int warm, at;
  char variant[48];
  double iterations, solves;
  po_qp_result worst; /* largest residuals seen */
} qpb_case;

/* ---- problems ------------------------------------------------------------------------------------------------------------- */

static void qpb_layout(po_arena *a, qpb_problem *q, int has_h) {
  int v;
  for (v = 0; v < QPB_VERSIONS; v++) {
    po_qp *p = &q->version[v];
    p->n = q->n; p->me = q->me; p->mi = q->mi;
    p->H = has_h ? po_arena_mat(a, q->n, q->n) : po_mat_of(NULL, 0, 0, 0);
    p->A = po_arena_mat(a, q->me, q->n);
    p->C = po_arena_mat(a, q->mi, q->n);
    p->g = PO_ARENA_ZARRAY(a, double, q->n);
    p->b = PO_ARENA_ZARRAY(a, double, q->me);
    p->cl = PO_ARENA_ZARRAY(a, double, q->mi);
    p->cu = PO_ARENA_ZARRAY(a, double, q->mi);
    p->xl = PO_ARENA_ZARRAY(a, double, q->n);
    p->xu = PO_ARENA_ZARRAY(a, double, q->n);
    p->h_blocks = PO_ARENA_ZARRAY(a, int, q->n);
  }
}

static po_status qpb_allocate(qpb_problem *q, const char *name, int n, int me, int mi, int has_h) {
  po_arena a;
  size_t bytes;
  memset(q, 0, sizeof *q);
  po_format(q->name, sizeof q->name, "%s", name);
  q->n = n; q->me = me; q->mi = mi;
  po_arena_measure(&a);
  qpb_layout(&a, q, has_h);
  bytes = po_arena_used(&a);
  q->memory = po_alloc(bytes);
  if (!q->memory) return PO_ERR_MEMORY;
  po_arena_init(&a, q->memory, bytes);
  qpb_layout(&a, q, has_h);
  return a.failed ? PO_ERR_MEMORY : PO_OK;
}

/* *to = *from in slightly other units, with a slightly other cost. */
static void qpb_drift(const po_qp *to, const po_qp *from, uint64_t seed) {
  po_rng r;
  int i, j, n = from->n;
  double *g = (double *)(uintptr_t)to->g, *b = (double *)(uintptr_t)to->b, *cl = (double *)(uintptr_t)to->cl, *cu = (double *)(uintptr_t)to->cu;
  double *xl = (double *)(uintptr_t)to->xl, *xu = (double *)(uintptr_t)to->xu; /* our own memory, read-only to a solver */
  po_rng_init(&r, seed, 1);
#define QPB_FACTOR (seed ? 1 + po_rng_range(&r, -QPB_DRIFT, QPB_DRIFT) : 1)
  for (i = 0; i < n; i++) xu[i] = QPB_FACTOR; /* the units, until the bounds are written below */
  if (from->H.a)
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) PO_AT(to->H, i, j) = PO_AT(from->H, i, j) * xu[i] * xu[j];
  for (i = 0; i < from->me + from->mi; i++) {
    int k = i - from->me;
    double e = QPB_FACTOR;
    for (j = 0; j < n; j++)
      if (k < 0) PO_AT(to->A, i, j) = PO_AT(from->A, i, j) * e * xu[j];
      else PO_AT(to->C, k, j) = PO_AT(from->C, k, j) * e * xu[j];
    if (k < 0) b[i] = from->b[i] * e;
    else { cl[k] = from->cl[k] * e; cu[k] = from->cu[k] * e; }
  }
  for (i = 0; i < n; i++) {
    double d = xu[i];
    g[i] = (from->g ? from->g[i] : 0) * d * QPB_FACTOR;
    xl[i] = from->xl ? from->xl[i] / d : -PO_INF;
    xu[i] = from->xu ? from->xu[i] / d : PO_INF;
  }
}

static po_status qpb_from(qpb_problem *q, const char *name, const po_qp *p) {
  int v;
  po_status status = qpb_allocate(q, name, p->n, p->me, p->mi, p->H.a != NULL);
  for (v = 0; status == PO_OK && v < QPB_VERSIONS; v++) {
    po_qp *to = &q->version[v];
    qpb_drift(to, p, (uint64_t)v);
    to->constant = p->constant;
    if (p->h_block_count) memcpy((int *)(uintptr_t)to->h_blocks, p->h_blocks, sizeof(int) * (size_t)p->h_block_count);
    else to->h_blocks = NULL;
    to->h_block_count = p->h_block_count;
  }
  return status;
}

static po_status qpb_read(qpb_problem *q, const char *path, po_error *err) {
  char *text = NULL;
  size_t size = 0;
  const char *base = strrchr(path, '/');
  po_qp_file *file = NULL;
  po_status status = po_read_file(&text, &size, path, 0, err);
  if (status != PO_OK) return status;
  status = po_qps_read(&file, text, size, path, err);
  po_free(text);
  if (status != PO_OK) return status;
  status = qpb_from(q, base ? base + 1 : path, &file->qp);
  if (status != PO_OK) po_fail(err, status, "bench qp: %s", po_status_string(status));
  po_qp_file_free(file);
  return status;
}

/* A control tick of the shape of whole-body control: 35 accelerations with a dense cost, 32 contact weights >= 0 with a tiny one, 6 rows of
 * equations of motion, 29 torques between limits. */
static po_status qpb_tick(qpb_problem *q, int k) {
  enum { D = 35, E = 32, N = D + E, ME = 6, MI = 29, BLOCKS = 2 };
  static const int blocks[BLOCKS] = {D, -E};
  double *mem = (double *)po_alloc(sizeof(double) * (N * N + (ME + MI) * N + 4 * N + ME + 2 * MI));
  double *h = mem, *a, *c, *g, *b, *cl, *cu, *xl, v[D];
  char name[32];
  po_qp p;
  po_rng r;
  po_status status;
  int i, j, l;
  if (!mem) return PO_ERR_MEMORY;
  a = h + N * N; c = a + ME * N; g = c + MI * N; b = g + N; cl = b + ME; cu = cl + MI; xl = cu + MI;
  po_rng_init(&r, (uint64_t)k, 77);
  for (i = 0; i < D + 6; i++) { /* more tasks than accelerations, one in three heavy */
    double weight = i % 3 ? 0.1 : 1;
    for (j = 0; j < D; j++) v[j] = weight * po_rng_normal(&r);
    for (j = 0; j < D; j++) {
      for (l = 0; l < D; l++) h[j * N + l] += v[j] * v[l];
      g[j] += 0.3 * weight * v[j] * po_rng_normal(&r);
    }
  }
  for (j = 0; j < N; j++) {
    h[j * N + j] += j < D ? 0.1 : 1e-6;
    xl[j] = j < D ? -PO_INF : 0;
  }
  for (i = 0; i < ME * N; i++) a[i] = po_rng_normal(&r);
  for (i = 0; i < MI * N; i++) c[i] = po_rng_normal(&r) * (i % N < D ? 1 : 0.3);
  for (i = 0; i < ME; i++) b[i] = 3 * po_rng_normal(&r);
  for (i = 0; i < MI; i++) { cl[i] = -15 * (1 + po_rng_uniform(&r)); cu[i] = 15 * (1 + po_rng_uniform(&r)); }
  memset(&p, 0, sizeof p);
  p.n = N; p.me = ME; p.mi = MI;
  p.H = po_mat_of(h, N, N, N); p.A = po_mat_of(a, ME, N, N); p.C = po_mat_of(c, MI, N, N);
  p.g = g; p.b = b; p.cl = cl; p.cu = cu; p.xl = xl;
  p.h_blocks = blocks;
  p.h_block_count = BLOCKS;
  po_format(name, sizeof name, "tick%d", k);
  status = qpb_from(q, name, &p);
  po_free(mem);
  return status;
}

/* ---- cases ---------------------------------------------------------------------------------------------------------------- */

static const char *qpb_run(void *user, int slot) {
  qpb_case *c = (qpb_case *)user;
  po_qp_warm last = po_qp_last(c->solver);
  po_qp_result r;
  po_status status;
  (void)slot;
  c->at = (c->at + 1) % QPB_VERSIONS;
  status = po_qp_solve(&r, c->solver, &c->problem->version[c->at], &c->opts, c->warm ? &last : NULL);
  if (status != PO_OK) return po_status_string(status);
  c->iterations += r.iterations;
  c->solves++;
  c->worst.primal_residual = po_max(c->worst.primal_residual, r.primal_residual);
  c->worst.dual_residual = po_max(c->worst.dual_residual, r.dual_residual);
  return po_qp_status_string(r.status);
}

static void qpb_report(void *user, po_bench_result *result) {
  const qpb_case *c = (const qpb_case *)user;
  po_bench_extra(result, "iterations", c->solves > 0 ? c->iterations / c->solves : 0);
  po_bench_extra(result, "primal_residual", c->worst.primal_residual);
  po_bench_extra(result, "dual_residual", c->worst.dual_residual);
  po_bench_extra(result, "bytes", (double)po_qp_bytes(c->problem->n, c->problem->me, c->problem->mi));
}

static po_status qpb_measure(po_bench *bench, const qpb_problem *q, po_error *err) {
  qpb_case state[8];
  po_bench_case cases[8];
  po_simd paths[2];
  int simds = po_bench_simds(paths, bench), i, count = 0;
  po_status status = PO_OK;
  memset(state, 0, sizeof state);
  for (i = 0; i < 4 * simds && status == PO_OK; i++) {
    qpb_case *c = &state[count];
    po_qp_method method = i % 4 < 2 ? PO_QP_ACTIVE_SET : PO_QP_INTERIOR_POINT;
    c->problem = q;
    c->opts = po_qp_opts_preset(method, PO_QP_BALANCED);
    c->warm = i % 2;
    status = po_qp_new(&c->solver, q->n, q->me, q->mi);
    po_format(c->variant, sizeof c->variant, "%s %s", po_qp_method_string(method), po_simd_string(paths[i / 4]));
    cases[count] = po_bench_case_of(q->name, c->variant, q->n, qpb_run, c);
    cases[count].start = c->warm ? "warm" : "cold";
    cases[count].simd = paths[i / 4];
    cases[count].report = qpb_report;
    count++;
  }
  if (status != PO_OK) po_fail(err, status, "bench qp: %s", po_status_string(status));
  else status = po_bench_measure(bench, cases, count, err);
  for (i = 0; i < count; i++) po_qp_free(state[i].solver);
  return status;
}

static po_status qpb_bench(po_bench *bench, po_error *err) {
  int i, count = bench->options.file_count ? bench->options.file_count : QPB_BUILT_IN;
  po_status status = PO_OK;
  for (i = 0; i < count && status == PO_OK; i++) {
    qpb_problem q;
    memset(&q, 0, sizeof q);
    if (bench->options.file_count) status = qpb_read(&q, bench->options.files[i], err);
    else if ((status = qpb_tick(&q, i)) != PO_OK) po_fail(err, status, "bench qp: %s", po_status_string(status));
    if (status == PO_OK && po_bench_wants(bench, q.name)) status = qpb_measure(bench, &q, err);
    po_free(q.memory);
  }
  return status;
}

const po_bench_room po_bench_qp = {"qp", "both QP methods, cold and warm: QPS files, or control ticks of our own", 1, qpb_bench};
