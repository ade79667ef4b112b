/* state_hash.c: prints hashes of many results, on every SIMD path. amalgamation.sh and bits.sh link it many times and compare; the numbers do not
 * matter, that they agree does. */
#include "poise.h"
#include <stdio.h>

#define N 37
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void say(const char *name, const double *x, size_t n) { printf("%s %016llx\n", name, (unsigned long long)po_hash_doubles(x, n, 0)); }

static void elementary(void) {
  static double y[7 * 1000];
  po_rng rng;
  int i;
  po_rng_init(&rng, 1, 0);
  for (i = 0; i < 1000; i++) {
    double x = po_rng_range(&rng, -20, 20), *v = y + 7 * i;
    po_sincos(&v[0], &v[1], x);
    v[2] = po_atan2(x, po_rng_normal(&rng));
    v[3] = po_exp(x);
    v[4] = po_log(po_abs(x));
    v[5] = po_asin(po_clamp(x / 20, -1, 1));
    v[6] = po_pow(po_abs(x), 0.7);
  }
  say("elementary", y, COUNT(y));
}

static void algebra(void) {
  static double a[N * N], b[N * N], c[N * N], s[N * N], tau[N], v[N], mem[1 << 18];
  po_mat A = po_mat_of(a, N, N, N), B = po_mat_of(b, N, N, N), C = po_mat_of(c, N, N, N), S = po_mat_of(s, N, N, N);
  po_arena arena;
  po_rng rng;
  int i, rank = 0, perm[N];
  po_arena_init(&arena, mem, sizeof mem);
  po_rng_init(&rng, 2, 0);
  for (i = 0; i < N * N; i++) {
    a[i] = po_rng_normal(&rng);
    b[i] = po_rng_normal(&rng);
  }
  po_gemm(C, 0, 1.5, A, PO_N, B, PO_T);
  say("gemm", c, COUNT(c));
  po_syrk(S, PO_LOWER, 0, 1, A, PO_N);
  for (i = 0; i < N; i++) s[i * N + i] += 1;
  printf("cholesky %d\n", po_cholesky(S, NULL, S));
  say("cholesky", s, COUNT(s));
  printf("qr %d\n", po_qr(A, tau, &arena));
  say("qr", a, COUNT(a));
  printf("qrp %d", po_qrp(B, tau, perm, &rank, -1, &arena));
  printf(" rank %d\n", rank);
  say("qrp", b, COUNT(b));
  printf("svd %d\n", po_svd(po_mat_of(NULL, 0, 0, 0), v, po_mat_of(NULL, 0, 0, 0), C, PO_SVD_QR, &arena));
  say("svd", v, COUNT(v));
}

/* A body dropped from half a metre, and the world's hash on the way down, at the impact and as it lies. */
static void world(const char *name) {
  const po_model *model = NULL;
  po_world *w = NULL;
  po_error err;
  po_status status = po_body_model(&model, name, &err);
  int i;
  if (status == PO_OK) status = po_world_new(&w, NULL);
  if (status == PO_OK) status = po_world_add(NULL, w, model);
  if (status == PO_OK) {
    po_world_q(w, 0)[6] += 1.5;
    po_world_v(w, 0)[1] = 0.5;
  }
  for (i = 0; status == PO_OK && i < 400; i++) {
    status = po_world_step(w, 0.002);
    if (i % 100 == 99) printf("world %s %016llx\n", name, (unsigned long long)po_world_hash(w));
  }
  printf("world %s: %s\n", name, po_status_string(status));
  po_world_free(w);
  po_model_free(model);
}

/* A controller in its loop: dynamics, problem, solver and world feed each other, so that one bit anywhere shows. */
static void move(const char *name, int steps) {
  const po_model *human = NULL;
  po_world *w = NULL;
  po_move *m = NULL;
  po_error err;
  po_status status = po_body_model(&human, "human", &err);
  int i;
  if (status == PO_OK) status = po_world_new(&w, NULL);
  if (status == PO_OK) status = po_world_add(NULL, w, human);
  if (status == PO_OK) status = po_move_new(&m, name, human, po_terrain_flat(), NULL, &err);
  for (i = 0; status == PO_OK && i < steps; i++) {
    status = po_move_tick(m, po_world_tau(w, 0), po_sense_of(po_world_q(w, 0), po_world_v(w, 0), 0.001));
    if (status == PO_OK) status = po_world_step(w, 0.001);
    if (status == PO_OK && i % 300 == 299) printf("%s %016llx\n", name, (unsigned long long)po_world_hash(w));
  }
  printf("%s: %s\n", name, po_status_string(status));
  po_move_free(m);
  po_world_free(w);
  po_model_free(human);
}

int main(void) {
  const po_simd paths[] = {PO_SIMD_SCALAR, PO_SIMD_AVX2};
  size_t i;
  for (i = 0; i < COUNT(paths); i++) {
    if (po_set_simd(paths[i]) != PO_OK) continue;
    printf("%s\n", po_simd_string(paths[i]));
    elementary();
    algebra();
    world("human");
    world("ostrich");
    move("jump", 900);
    move("walk", 1500);
  }
  return 0;
}
