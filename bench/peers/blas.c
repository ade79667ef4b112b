/* blas.c: BLAS and LAPACK libraries by their Fortran names, opened at run time. Row-major A is column-major A', so products are written the
 * other way round and a lower triangle is an upper one. */
#define _GNU_SOURCE
#include "peers.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLAS_MOST = 3 };
typedef struct blas_library {
  void (*gemm)(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *, const int *, const double *, double *, const int *);
  void (*gemv)(const char *, const int *, const int *, const double *, const double *, const int *, const double *, const int *, const double *, double *, const int *);
  void (*syrk)(const char *, const char *, const int *, const int *, const double *, const double *, const int *, const double *, double *, const int *);
  void (*potrf)(const char *, const int *, double *, const int *, int *);
  void (*geqrf)(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
  void (*geqp3)(const int *, const int *, double *, const int *, int *, double *, double *, const int *, int *);
  void (*gesdd)(const char *, const int *, const int *, double *, const int *, double *, double *, const int *, double *, const int *, double *, const int *, int *, int *);
} blas_library;
static blas_library blas_of[BLAS_MOST];

static void blas_gemm(const blas_library *l, int n, double *out, const double *a, const double *b) {
  double one = 1, zero = 0;
  l->gemm("N", "N", &n, &n, &n, &one, b, &n, a, &n, &zero, out, &n);
}
static void blas_gemv(const blas_library *l, int n, double *out, const double *a, const double *b) {
  double one = 1, zero = 0;
  int step = 1;
  l->gemv("T", &n, &n, &one, a, &n, b, &step, &zero, out, &step);
}
static void blas_syrk(const blas_library *l, int n, double *out, const double *a) {
  double one = 1, zero = 0;
  l->syrk("U", "T", &n, &n, &one, a, &n, &zero, out, &n); /* lower triangle of A A', row-major */
}
static void blas_potrf(const blas_library *l, int n, double *out, const double *a) {
  int info;
  memcpy(out, a, sizeof(double) * (size_t)n * (size_t)n);
  l->potrf("U", &n, out, &n, &info); /* L, row-major */
}
static void blas_diagonal(int n, double *out, const double *r) {
  int i;
  for (i = 0; i < n; i++) out[i] = fabs(r[i * n + i]);
}
static void blas_geqrf(const blas_library *l, int n, double *out, const double *a, double *work) {
  int info, length = 32 * n + 1024;
  double *m = work, *tau = m + n * n, *w = tau + n;
  memcpy(m, a, sizeof(double) * (size_t)n * (size_t)n);
  l->geqrf(&n, &n, m, &n, tau, w, &length, &info);
  blas_diagonal(n, out, m);
}
static void blas_geqp3(const blas_library *l, int n, double *out, const double *a, double *work) {
  int info, length = 32 * n + 1024, perm[512];
  double *m = work, *tau = m + n * n, *w = tau + n;
  memcpy(m, a, sizeof(double) * (size_t)n * (size_t)n);
  memset(perm, 0, sizeof(int) * (size_t)n);
  l->geqp3(&n, &n, m, &n, perm, tau, w, &length, &info);
  blas_diagonal(n, out, m);
}
static void blas_gesdd(const blas_library *l, int n, double *out, const double *a, double *work) {
  int info, length = 4 * n * n + 7 * n + 1024, ints[8 * 512];
  double *m = work, *u = m + n * n, *v = u + n * n, *w = v + n * n;
  memcpy(m, a, sizeof(double) * (size_t)n * (size_t)n);
  l->gesdd("A", &n, &n, m, &n, out, u, &n, v, &n, w, &length, ints, &info);
}

/* One set of plain functions a library, since the harness hands over no library. */
#define BLAS_SET(k)                                                                                                                        \
  static void blas_gemm_##k(int n, double *o, const double *a, const double *b, double *w) { (void)w, blas_gemm(&blas_of[k], n, o, a, b); } \
  static void blas_gemv_##k(int n, double *o, const double *a, const double *b, double *w) { (void)w, blas_gemv(&blas_of[k], n, o, a, b); } \
  static void blas_syrk_##k(int n, double *o, const double *a, const double *b, double *w) { (void)b, (void)w, blas_syrk(&blas_of[k], n, o, a); } \
  static void blas_potrf_##k(int n, double *o, const double *a, const double *b, double *w) { (void)a, (void)w, blas_potrf(&blas_of[k], n, o, b); } \
  static void blas_geqrf_##k(int n, double *o, const double *a, const double *b, double *w) { (void)b, blas_geqrf(&blas_of[k], n, o, a, w); } \
  static void blas_geqp3_##k(int n, double *o, const double *a, const double *b, double *w) { (void)b, blas_geqp3(&blas_of[k], n, o, a, w); } \
  static void blas_gesdd_##k(int n, double *o, const double *a, const double *b, double *w) { (void)b, blas_gesdd(&blas_of[k], n, o, a, w); }
BLAS_SET(0)
BLAS_SET(1)
BLAS_SET(2)
#define BLAS_ROW(k) {blas_gemm_##k, blas_gemv_##k, blas_syrk_##k, blas_potrf_##k, blas_geqrf_##k, blas_geqp3_##k, blas_gesdd_##k}
static const peer_la_fn blas_functions[BLAS_MOST][PEER_LA_CASES] = {BLAS_ROW(0), BLAS_ROW(1), BLAS_ROW(2)};

static int blas_open(blas_library *l, const char *const *names) {
  void *h = NULL;
  for (; *names && !h; names++) h = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
  if (!h) return 0;
  memset(l, 0, sizeof *l);
  *(void **)&l->gemm = dlsym(h, "dgemm_");
  *(void **)&l->gemv = dlsym(h, "dgemv_");
  *(void **)&l->syrk = dlsym(h, "dsyrk_");
  *(void **)&l->potrf = dlsym(h, "dpotrf_");
  *(void **)&l->geqrf = dlsym(h, "dgeqrf_");
  *(void **)&l->geqp3 = dlsym(h, "dgeqp3_");
  *(void **)&l->gesdd = dlsym(h, "dgesdd_");
  return l->gemm != NULL;
}

int peer_blas(peer_la *peers, int most) {
  static const struct { const char *name, *files[5]; } known[] = {
      {"openblas", {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", "libopenblas.so.0", "libopenblas.so", NULL}},
      {"blis", {"/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4", "libblis.so.4", "libblis.so", NULL}},
      {"mkl", {"libmkl_rt.so.2", "libmkl_rt.so", NULL}}};
  int i, k, count = 0;
  for (i = 0; i < BLAS_MOST && count < most; i++) {
    blas_library *l = &blas_of[count];
    const void *there[PEER_LA_CASES];
    if (!blas_open(l, known[i].files)) continue;
    snprintf(peers[count].name, sizeof peers[count].name, "%s", known[i].name);
    there[0] = *(void **)&l->gemm;
    there[1] = *(void **)&l->gemv;
    there[2] = *(void **)&l->syrk;
    there[3] = *(void **)&l->potrf;
    there[4] = *(void **)&l->geqrf;
    there[5] = *(void **)&l->geqp3;
    there[6] = *(void **)&l->gesdd;
    for (k = 0; k < PEER_LA_CASES; k++) peers[count].fn[k] = there[k] ? blas_functions[count][k] : NULL;
    count++;
  }
  return count;
}
