/* peers.c: the same jobs by this library and by others, in one process, in turn. Called by bench/peers/run.
 *   peers FOLDER [FILE.json]: FOLDER has tree.urdf and tree.xml. Prints a table; the JSON is that of `poise bench`.
 * `disagreement` is the largest relative difference from our own answer; more than 1e-6 makes the status "disagrees". */
#include "peers.h"
#include "../../la/la.h"
#include "../../rbd/rbd.h"
#include "../bench.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PEERS_MOST = 6, PEERS_LARGEST = 128, PEERS_STATES = 32, PEERS_NV = 64 };
#define PEERS_AGREE 1e-6

/* ---- linear algebra ----------------------------------------------------------------------------------------------------------------- */

typedef struct la_matrices {
  int n;
  double *a, *at, *b, *spd, *work, *want, *got;
  po_arena arena;
} la_matrices;
typedef struct la_job {
  la_matrices *m;
  int what;
  const peer_la *peer; /* NULL: ours */
  char variant[48];
} la_job;

static const char *const la_names[PEER_LA_CASES] = {"gemm", "gemv", "syrk", "cholesky", "qr", "qrp", "svd"};

static void la_ours(la_matrices *m, int what, double *out) {
  int n = m->n, i, rank, perm[PEERS_LARGEST];
  po_mat A = po_mat_of(m->a, n, n, n), C = po_mat_of(out, n, n, n), W = po_mat_of(m->work, n, n, n);
  double *tau = m->work + n * n;
  size_t mark = po_arena_mark(&m->arena);
  if (what == PEER_GEMM) po_gemm(C, 0, 1, A, PO_N, po_mat_of(m->b, n, n, n), PO_N);
  else if (what == PEER_GEMV) po_gemv(out, A, m->b);
  else if (what == PEER_SYRK) po_syrk(C, PO_LOWER, 0, 1, A, PO_N);
  else if (what == PEER_CHOLESKY) po_cholesky(C, NULL, po_mat_of(m->spd, n, n, n));
  else if (what == PEER_SVD) po_svd(W, out, po_mat_of(m->work + n * n, n, n, n), A, PO_SVD_QR, &m->arena);
  else {
    memcpy(m->work, m->a, sizeof(double) * (size_t)n * (size_t)n);
    if (what == PEER_QR) po_qr(W, tau, &m->arena);
    else po_qrp(W, tau, perm, &rank, -1, &m->arena);
    for (i = 0; i < n; i++) out[i] = fabs(PO_AT(W, i, i));
  }
  po_arena_release(&m->arena, mark);
}

static void la_do(const la_job *j, double *out) {
  la_matrices *m = j->m;
  if (!j->peer) la_ours(m, j->what, out);
  else j->peer->fn[j->what](m->n, out, j->what >= PEER_QR ? m->at : m->a, j->what == PEER_CHOLESKY ? m->spd : m->b, m->work);
}
static const char *la_run(void *user, int slot) {
  (void)slot;
  la_do((la_job *)user, ((la_job *)user)->m->got);
  return "ok";
}

/* Only the lower triangle of syrk and cholesky is theirs to fill. */
static void la_report(void *user, po_bench_result *r) {
  la_job *j = (la_job *)user, ours = *j;
  int n = j->m->n, whole = j->what <= PEER_CHOLESKY && j->what != PEER_GEMV, i, k, rows = whole ? n : 1;
  double apart = 0, most = 1e-300;
  ours.peer = NULL;
  memset(j->m->got, 0, sizeof(double) * (size_t)n * (size_t)n);
  la_do(&ours, j->m->want);
  la_do(j, j->m->got);
  for (i = 0; i < rows; i++)
    for (k = 0; k < n; k++) {
      if (k > i && (j->what == PEER_SYRK || j->what == PEER_CHOLESKY)) continue;
      most = po_max(most, fabs(j->m->want[i * n + k]));
      apart = po_max(apart, fabs(j->m->want[i * n + k] - j->m->got[i * n + k]));
    }
  po_bench_extra(r, "disagreement", apart / most);
  if (!(apart <= PEERS_AGREE * most)) po_format(r->status, sizeof r->status, "disagrees");
}

static double la_flops(int what, double n) {
  static const double third[PEER_LA_CASES] = {2, 0, 1, 1.0 / 3, 4.0 / 3, 4.0 / 3, 0};
  return what == PEER_GEMV ? 2 * n * n : third[what] * n * n * n;
}

static int la_init(la_matrices *m, int n) {
  size_t nn = (size_t)n * (size_t)n, bytes = po_la_scratch_bytes(n, n);
  double *block = (double *)po_alloc(sizeof(double) * (6 * nn + 8 * nn + 64 * (size_t)n + 4096));
  void *scratch = po_alloc(bytes);
  po_rng rng;
  int i, k;
  if (!block || !scratch) return 0;
  memset(m, 0, sizeof *m);
  m->n = n;
  m->a = block;
  m->at = block + nn;
  m->b = block + 2 * nn;
  m->spd = block + 3 * nn;
  m->want = block + 4 * nn;
  m->got = block + 5 * nn;
  m->work = block + 6 * nn;
  po_arena_init(&m->arena, scratch, bytes);
  po_rng_init(&rng, (uint64_t)n, 3);
  for (i = 0; i < n * n; i++) {
    m->a[i] = po_rng_normal(&rng);
    m->b[i] = po_rng_normal(&rng);
  }
  for (i = 0; i < n; i++)
    for (k = 0; k < n; k++) m->at[k * n + i] = m->a[i * n + k];
  po_gemm(po_mat_of(m->spd, n, n, n), 0, 1, po_mat_of(m->a, n, n, n), PO_N, po_mat_of(m->at, n, n, n), PO_N);
  for (i = 0; i < n; i++) m->spd[i * n + i] += n;
  return 1;
}

static po_status la_size(po_bench *bench, int n, const peer_la *peers, int count, po_error *err) {
  la_matrices m;
  po_status status = PO_OK;
  int what, i;
  if (!la_init(&m, n)) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (what = 0; what < PEER_LA_CASES && status == PO_OK; what++) {
    la_job jobs[PEERS_MOST + 1];
    po_bench_case cases[PEERS_MOST + 1];
    int used = 0;
    for (i = -1; i < count; i++) {
      la_job *j = &jobs[used];
      if (i >= 0 && !peers[i].fn[what]) continue;
      j->m = &m;
      j->what = what;
      j->peer = i < 0 ? NULL : &peers[i];
      po_format(j->variant, sizeof j->variant, "%s", i < 0 ? "poise" : peers[i].name);
      cases[used] = po_bench_case_of(la_names[what], j->variant, n, la_run, j);
      cases[used].flops = la_flops(what, n);
      cases[used++].report = la_report;
    }
    status = po_bench_measure(bench, cases, used, err);
  }
  po_free(m.arena.base);
  po_free(m.a);
  return status;
}

static po_status la_all(po_bench *bench, po_error *err) {
  static const int sizes[] = {6, 12, 24, 36, 48, 64, 96, 128};
  peer_la peers[PEERS_MOST];
  int count = peer_blas(peers, PEERS_MOST - 1);
  po_status status = PO_OK;
  size_t i;
#ifdef PEERS_EIGEN
  peer_eigen(&peers[count++]);
#endif
  bench->room = "la";
  for (i = 0; i < sizeof sizes / sizeof *sizes && status == PO_OK; i++) status = la_size(bench, sizes[i], peers, count, err);
  return status;
}

/* ---- rigid bodies ------------------------------------------------------------------------------------------------------------------- */

enum { RBD_RNEA, RBD_ABA, RBD_CRBA, RBD_JACOBIANS, RBD_CMM, RBD_JOBS };
static const char *const rbd_names[RBD_JOBS] = {"rnea", "aba", "crba", "jacobians", "cmm"};

typedef struct rbd_states { /* the base level and at rest, so that nobody's convention for it matters */
  const po_model *model;
  po_data *data;
  int nv;
  double q[PEERS_STATES][PEERS_NV], v[PEERS_STATES][PEERS_NV], x[PEERS_STATES][PEERS_NV];      /* ours: angular before linear */
  double pq[PEERS_STATES][PEERS_NV], pv[PEERS_STATES][PEERS_NV], px[PEERS_STATES][PEERS_NV];   /* theirs: linear before angular */
  double out[PEERS_NV];
  po_mat M;
} rbd_states;
typedef struct rbd_job {
  rbd_states *s;
  peer_rbd *peer; /* NULL: ours */
  int what, next;
} rbd_job;

static void rbd_do(rbd_job *j, int i, double *out) {
  rbd_states *s = j->s;
  if (j->peer) {
    j->peer->load(j->peer, s->pq[i], s->pv[i], s->px[i]);
    if (j->what == RBD_RNEA) j->peer->rnea(j->peer, out);
    else if (j->what == RBD_ABA) j->peer->aba(j->peer, out);
    else if (j->what == RBD_CRBA) j->peer->crba(j->peer);
    else if (j->what == RBD_JACOBIANS) j->peer->jacobians(j->peer);
    else j->peer->cmm(j->peer);
    return;
  }
  if (j->what == RBD_RNEA) po_rnea(out, s->data, s->q[i], s->v[i], s->x[i], NULL);
  else if (j->what == RBD_ABA) po_aba(out, s->data, s->q[i], s->v[i], s->x[i], NULL);
  else if (j->what == RBD_CRBA) po_crba(s->M, s->data, s->q[i]);
  else {
    po_kinematics(s->data, s->q[i], j->what == RBD_CMM ? s->v[i] : NULL);
    if (j->what == RBD_CMM) po_centroidal(s->data);
  }
}
static const char *rbd_run(void *user, int slot) {
  rbd_job *j = (rbd_job *)user;
  (void)slot;
  rbd_do(j, j->next++ % PEERS_STATES, j->s->out);
  return "ok";
}

/* Joints only: they mean the same to everybody. */
static void rbd_report(void *user, po_bench_result *r) {
  rbd_job *j = (rbd_job *)user, ours = *j;
  double want[PEERS_NV], got[PEERS_NV], apart = 0, most = 1e-300;
  int i, k;
  ours.peer = NULL;
  for (i = 0; j->what <= RBD_ABA && i < PEERS_STATES; i++) {
    rbd_do(&ours, i, want);
    rbd_do(j, i, got);
    for (k = 6; k < j->s->nv; k++) {
      most = po_max(most, fabs(want[k]));
      apart = po_max(apart, fabs(want[k] - got[k]));
    }
  }
  if (j->what > RBD_ABA) return;
  po_bench_extra(r, "disagreement", apart / most);
  if (!(apart <= PEERS_AGREE * most)) po_format(r->status, sizeof r->status, "disagrees");
}

static void rbd_random(rbd_states *s) {
  po_rng rng;
  int i, k;
  po_rng_init(&rng, 1, 5);
  for (i = 0; i < PEERS_STATES; i++) {
    s->q[i][0] = s->pq[i][3] = 1;
    s->q[i][6] = s->pq[i][2] = 1;
    for (k = 0; k < 6; k++) s->x[i][k] = s->px[i][(k + 3) % 6] = po_rng_range(&rng, -1, 1);
    for (k = 6; k < s->nv; k++) {
      s->q[i][k + 1] = s->pq[i][k + 1] = po_rng_range(&rng, -1, 1);
      s->v[i][k] = s->pv[i][k] = po_rng_range(&rng, -1, 1);
      s->x[i][k] = s->px[i][k] = po_rng_range(&rng, -1, 1);
    }
  }
}

static po_status rbd_measure(po_bench *bench, rbd_states *s, peer_rbd *peers, int count, po_error *err) {
  po_status status = PO_OK;
  int what, i;
  for (what = 0; what < RBD_JOBS && status == PO_OK; what++) {
    rbd_job jobs[PEERS_MOST + 1];
    po_bench_case cases[PEERS_MOST + 1];
    int used = 0;
    for (i = -1; i < count; i++) {
      rbd_job *j = &jobs[used];
      if (i >= 0 && ((what == RBD_CRBA && !peers[i].crba) || (what == RBD_JACOBIANS && !peers[i].jacobians) || (what == RBD_CMM && !peers[i].cmm))) continue;
      j->s = s;
      j->peer = i < 0 ? NULL : &peers[i];
      j->what = what;
      j->next = 0;
      cases[used] = po_bench_case_of(rbd_names[what], i < 0 ? "poise" : peers[i].name, s->nv, rbd_run, j);
      cases[used++].report = rbd_report;
    }
    status = po_bench_measure(bench, cases, used, err);
  }
  return status;
}

static po_status rbd_all(po_bench *bench, const char *folder, po_error *err) {
  static rbd_states s;
  peer_rbd peers[PEERS_MOST];
  char path[512];
  int count = 0;
  po_status status;
  po_format(path, sizeof path, "%s/tree.urdf", folder);
  status = po_model_load(&s.model, path, NULL, err);
  if (status == PO_OK) status = po_data_new(&s.data, s.model);
  if (status != PO_OK) return status;
  s.nv = s.model->nv;
  s.M = po_mat_of((double *)po_alloc(sizeof(double) * PEERS_NV * PEERS_NV), s.nv, s.nv, s.nv);
  rbd_random(&s);
#ifdef PEERS_PINOCCHIO
  count += peer_pinocchio(&peers[count], s.model);
#endif
#ifdef PEERS_MUJOCO
  po_format(path, sizeof path, "%s/tree.xml", folder);
  count += peer_mujoco(&peers[count], path);
#endif
  bench->room = "rbd";
  status = rbd_measure(bench, &s, peers, count, err);
  po_free(s.M.a);
  po_data_free(s.data);
  po_model_free(s.model);
  return status;
}

int main(int argc, char **argv) {
  po_bench_options o = po_bench_options_default();
  po_bench bench;
  po_buffer text = {0};
  po_error err;
  po_status status;
  int i, disagree = 0;
  memset(&err, 0, sizeof err);
  if (argc < 2) return 2;
  po_bench_init(&bench, &o);
  status = la_all(&bench, &err);
  if (status == PO_OK) status = rbd_all(&bench, argv[1], &err);
  if (status != PO_OK) {
    fprintf(stderr, "peers: %s\n", err.message);
    return 2;
  }
  po_bench_table(&text, &bench);
  fputs(text.data, stdout);
  text.size = 0;
  po_bench_json(&text, &bench);
  if (argc > 2 && po_write_file(argv[2], text.data, text.size, &err) != PO_OK) return 2;
  for (i = 0; i < bench.count; i++) disagree += !po_bench_good(bench.results[i].status);
  po_buffer_free(&text);
  po_bench_free(&bench);
  if (disagree) fprintf(stderr, "peers: %d answers disagree\n", disagree);
  return disagree ? 1 : 0;
}
