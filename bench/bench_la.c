/* bench_la.c: every kernel and factorization of la/, plain C beside AVX2, at the sizes a whole-body problem has.
 *
 * Size n means n×n; for the factorizations that serve null spaces (cod, svd, null, pinv) it means n/2×n, as a stack of objectives is
 * wide, and `cod`, `null` and `pinv` get a matrix that lacks rank. Flops are the textbook counts (Golub & Van Loan), which for the
 * iterative ones are nominal: they make times comparable, not exact. */
#include "../la/la.h"
#include "bench.h"
#include <string.h>

enum { LA_SLOTS = 32 };

typedef struct la_work {
  int n, m; /* size; n/2 */
  po_arena arena;
  void *mem;
  po_mat A, B, C, T, S, L, LD; /* n×n: general, general, result, triangle, positive definite, its factors */
  po_mat QR, Q, Rm, P;         /* a factored A; Q and R formed, with room for a column more; n×m result */
  po_mat W, D, U, V, N;        /* m×n of full rank, m×n lacking rank, results */
  double *x, *y, *b, *tau, *d, *s;
  double *column; /* the middle one of A */
  int *perm;
  po_cod F;                  /* of D */
  po_mat slot_mat[LA_SLOTS]; /* copies for what works in place */
  double *slot_vec[LA_SLOTS];
} la_work;

static const char *la_status(po_status status) { return status == PO_OK ? "ok" : po_status_string(status); }

/* ---- kernels ------------------------------------------------------------------------------------------------------------ */

#define LA_RUN(name) static const char *la_##name(void *user, int slot)
#define LA_BEGIN                                                                                                                   \
  la_work *w = user;                                                                                                               \
  size_t mark = po_arena_mark(&w->arena);                                                                                          \
  (void)mark;                                                                                                                      \
  (void)slot
#define LA_END(status)                                                                                                             \
  do {                                                                                                                             \
    const char *la_said = (status);                                                                                                \
    po_arena_release(&w->arena, mark);                                                                                             \
    return la_said;                                                                                                                \
  } while (0)

/* clang-format off */
LA_RUN(dot) { LA_BEGIN; w->d[0] = po_dot(w->x, w->y, w->n); LA_END("ok"); }
LA_RUN(axpy) { LA_BEGIN; po_axpy(w->y, 1e-12, w->x, w->n); LA_END("ok"); }
LA_RUN(scale) { LA_BEGIN; po_scale(w->y, -1.0, w->n); LA_END("ok"); }
LA_RUN(norm2) { LA_BEGIN; w->d[0] = po_norm2(w->x, w->n); LA_END("ok"); }
LA_RUN(gemv) { LA_BEGIN; po_gemv(w->b, w->A, w->x); LA_END("ok"); }
LA_RUN(gemv_t) { LA_BEGIN; po_gemv_t(w->b, w->A, w->x); LA_END("ok"); }
LA_RUN(gemm) { LA_BEGIN; po_gemm(w->C, 0, 1, w->A, PO_N, w->B, PO_N); LA_END("ok"); }
LA_RUN(gemm_tn) { LA_BEGIN; po_gemm(w->C, 0, 1, w->A, PO_T, w->B, PO_N); LA_END("ok"); }
LA_RUN(gemm_nt) { LA_BEGIN; po_gemm(w->C, 0, 1, w->A, PO_N, w->B, PO_T); LA_END("ok"); }
LA_RUN(gemm_tt) { LA_BEGIN; po_gemm(w->C, 0, 1, w->A, PO_T, w->B, PO_T); LA_END("ok"); }
LA_RUN(syrk) { LA_BEGIN; po_syrk(w->C, PO_LOWER, 0, 1, w->A, PO_N); LA_END("ok"); }
LA_RUN(syrk_t) { LA_BEGIN; po_syrk(w->C, PO_LOWER, 0, 1, w->A, PO_T); LA_END("ok"); }
LA_RUN(trsv) { LA_BEGIN; po_trsv(w->slot_vec[slot], w->T, PO_LOWER, PO_N, PO_NON_UNIT); LA_END("ok"); }
LA_RUN(trsv_t) { LA_BEGIN; po_trsv(w->slot_vec[slot], w->T, PO_LOWER, PO_T, PO_NON_UNIT); LA_END("ok"); }
LA_RUN(trsm) { LA_BEGIN; po_trsm(w->slot_mat[slot], w->T, PO_LEFT, PO_LOWER, PO_N, PO_NON_UNIT); LA_END("ok"); }
LA_RUN(trsm_right) { LA_BEGIN; po_trsm(w->slot_mat[slot], w->T, PO_RIGHT, PO_LOWER, PO_T, PO_NON_UNIT); LA_END("ok"); }
LA_RUN(cholesky) { LA_BEGIN; LA_END(la_status(po_cholesky(w->C, NULL, w->S))); }
LA_RUN(cholesky_solve) { LA_BEGIN; po_cholesky_solve(w->slot_vec[slot], w->L); LA_END("ok"); }
/* An update and the downdate that undoes it, so that the factor stays what it is. */
LA_RUN(cholesky_update) {
  LA_BEGIN;
  po_status up, down;
  memcpy(w->d, w->x, (size_t)w->n * sizeof(double));
  up = po_cholesky_update(w->L, w->d);
  memcpy(w->d, w->x, (size_t)w->n * sizeof(double));
  down = po_cholesky_downdate(w->L, w->d);
  LA_END(la_status(up != PO_OK ? up : down));
}
LA_RUN(ldlt) { LA_BEGIN; LA_END(la_status(po_ldlt(w->C, w->d, w->S))); }
LA_RUN(ldlt_solve) { LA_BEGIN; po_ldlt_solve(w->slot_vec[slot], w->LD, w->s); LA_END("ok"); }
LA_RUN(qr) { LA_BEGIN; LA_END(la_status(po_qr(w->slot_mat[slot], w->tau, &w->arena))); }
LA_RUN(qr_apply) { LA_BEGIN; po_qr_apply(w->B, w->QR, w->tau, w->n, PO_LEFT, PO_T, &w->arena); LA_END("ok"); }
LA_RUN(qr_form) { LA_BEGIN; po_qr_form(w->C, w->QR, w->tau, w->n, &w->arena); LA_END("ok"); }
LA_RUN(qr_solve) { LA_BEGIN; LA_END(la_status(po_qr_solve(w->d, w->slot_vec[slot], w->QR, w->tau, &w->arena))); }
/* A column is taken out of the middle and put back. */
LA_RUN(qr_columns) {
  LA_BEGIN;
  po_mat R = w->Rm;
  po_status out = po_qr_delete_column(w->Q, R, w->n / 2), in;
  R.cols--;
  in = po_qr_insert_column(w->Q, R, w->n / 2, w->column, &w->arena);
  LA_END(la_status(out != PO_OK ? out : in));
}
LA_RUN(qrp) {
  LA_BEGIN;
  int rank;
  LA_END(la_status(po_qrp(w->slot_mat[slot], w->tau, w->perm, &rank, -1, &w->arena)));
}
LA_RUN(cod) {
  LA_BEGIN;
  po_cod F;
  LA_END(la_status(po_cod_factor(&F, w->D, -1, &w->arena)));
}
LA_RUN(cod_null) { LA_BEGIN; po_cod_null(po_block(w->N, 0, 0, w->n, w->n - w->F.rank), &w->F, &w->arena); LA_END("ok"); }
LA_RUN(cod_solve) { LA_BEGIN; po_cod_solve(w->d, &w->F, w->x, &w->arena); LA_END("ok"); }
LA_RUN(svd_jacobi) { LA_BEGIN; LA_END(la_status(po_svd(w->U, w->d, w->V, w->W, PO_SVD_JACOBI, &w->arena))); }
LA_RUN(svd_qr) { LA_BEGIN; LA_END(la_status(po_svd(w->U, w->d, w->V, w->W, PO_SVD_QR, &w->arena))); }
LA_RUN(null_svd) {
  LA_BEGIN;
  int dim;
  LA_END(la_status(po_null(w->N, &dim, w->D, -1, PO_BASIS_SVD, &w->arena)));
}
LA_RUN(null_orthogonal) {
  LA_BEGIN;
  int dim;
  LA_END(la_status(po_null(w->N, &dim, w->D, -1, PO_BASIS_ORTHOGONAL, &w->arena)));
}
LA_RUN(pinv) { LA_BEGIN; LA_END(la_status(po_pinv(w->P, w->D, PO_PINV_PLAIN, 0, &w->arena))); }
LA_RUN(pinv_damped) { LA_BEGIN; LA_END(la_status(po_pinv(w->P, w->D, PO_PINV_DAMPED, 1e-3, &w->arena))); }
LA_RUN(eig_sym) { LA_BEGIN; LA_END(la_status(po_eig_sym(w->d, w->C, w->S, &w->arena))); }
LA_RUN(cond_tri) { LA_BEGIN; double c; LA_END(la_status(po_cond_tri(&c, w->T, PO_LOWER, &w->arena))); }
/* clang-format on */

/* What is destroyed is restored, outside the measurement. */
static void la_copy_vec(void *user, int slot) {
  la_work *w = user;
  memcpy(w->slot_vec[slot], w->x, (size_t)w->n * sizeof(double));
}
static void la_copy_mat(void *user, int slot) {
  la_work *w = user;
  po_mat_copy(w->slot_mat[slot], w->A);
}

/* ---- counts of flops, n the size and m = n/2 --------------------------------------------------------------------------------- */

/* clang-format off */
static double la_2n(double n, double m) { (void)m; return 2 * n; }
static double la_n(double n, double m) { (void)m; return n; }
static double la_2nn(double n, double m) { (void)m; return 2 * n * n; }
static double la_nn(double n, double m) { (void)m; return n * n; }
static double la_4nn(double n, double m) { (void)m; return 4 * n * n; }
static double la_3nn(double n, double m) { (void)m; return 3 * n * n; }
static double la_2nnn(double n, double m) { (void)m; return 2 * n * n * n; }
static double la_nnn(double n, double m) { (void)m; return n * n * n; }
static double la_syrk_flops(double n, double m) { (void)m; return n * n * (n + 1); }
static double la_third(double n, double m) { (void)m; return n * n * n / 3; }
static double la_qr_flops(double n, double m) { (void)m; return 4 * n * n * n / 3; }
static double la_qr_wide(double n, double m) { return 2 * m * m * (n - m / 3); }              /* QR of the n×m transpose */
static double la_form_null(double n, double m) { return 4 * n * m * (n - m); }                 /* m reflectors on n×(n−m) */
static double la_null_flops(double n, double m) { return la_qr_wide(n, m) + la_form_null(n, m); }
static double la_svd_flops(double n, double m) { return 4 * n * n * m + 8 * n * m * m + 9 * m * m * m; } /* of n×m, both bases */
static double la_pinv_flops(double n, double m) { return la_svd_flops(n, m) + 2 * n * m * m; }
static double la_eig_flops(double n, double m) { (void)m; return 9 * n * n * n; }
/* clang-format on */

typedef struct la_kernel {
  const char *name;
  double (*flops)(double n, double m);
  po_bench_setup_fn setup;
  po_bench_run_fn run;
} la_kernel;

static const la_kernel la_kernels[] = {
    {"dot", la_2n, NULL, la_dot},
    {"axpy", la_2n, NULL, la_axpy},
    {"scale", la_n, NULL, la_scale},
    {"norm2", la_2n, NULL, la_norm2},
    {"gemv", la_2nn, NULL, la_gemv},
    {"gemv_t", la_2nn, NULL, la_gemv_t},
    {"gemm", la_2nnn, NULL, la_gemm},
    {"gemm_tn", la_2nnn, NULL, la_gemm_tn},
    {"gemm_nt", la_2nnn, NULL, la_gemm_nt},
    {"gemm_tt", la_2nnn, NULL, la_gemm_tt},
    {"syrk", la_syrk_flops, NULL, la_syrk},
    {"syrk_t", la_syrk_flops, NULL, la_syrk_t},
    {"trsv", la_nn, la_copy_vec, la_trsv},
    {"trsv_t", la_nn, la_copy_vec, la_trsv_t},
    {"trsm", la_nnn, la_copy_mat, la_trsm},
    {"trsm_right", la_nnn, la_copy_mat, la_trsm_right},
    {"cholesky", la_third, NULL, la_cholesky},
    {"cholesky_solve", la_2nn, la_copy_vec, la_cholesky_solve},
    {"cholesky_update", la_4nn, NULL, la_cholesky_update},
    {"ldlt", la_third, NULL, la_ldlt},
    {"ldlt_solve", la_2nn, la_copy_vec, la_ldlt_solve},
    {"qr", la_qr_flops, la_copy_mat, la_qr},
    {"qr_apply", la_2nnn, NULL, la_qr_apply},
    {"qr_form", la_qr_flops, NULL, la_qr_form},
    {"qr_solve", la_3nn, la_copy_vec, la_qr_solve},
    {"qr_columns", la_4nn, NULL, la_qr_columns},
    {"qrp", la_qr_flops, la_copy_mat, la_qrp},
    {"cod", la_qr_wide, NULL, la_cod},
    {"cod_null", la_form_null, NULL, la_cod_null},
    {"cod_solve", la_2nn, NULL, la_cod_solve},
    {"svd_jacobi", la_svd_flops, NULL, la_svd_jacobi},
    {"svd_qr", la_svd_flops, NULL, la_svd_qr},
    {"null_svd", la_svd_flops, NULL, la_null_svd},
    {"null_orthogonal", la_null_flops, NULL, la_null_orthogonal},
    {"pinv", la_pinv_flops, NULL, la_pinv},
    {"pinv_damped", la_pinv_flops, NULL, la_pinv_damped},
    {"eig_sym", la_eig_flops, NULL, la_eig_sym},
    {"cond_tri", la_4nn, NULL, la_cond_tri},
};
enum { LA_KERNELS = sizeof la_kernels / sizeof la_kernels[0] };
static const int la_sizes[] = {6, 12, 24, 36, 48, 64, 96, 128};
enum { LA_SIZES = sizeof la_sizes / sizeof la_sizes[0] };

/* ---- matrices ------------------------------------------------------------------------------------------------------------ */

static po_mat la_random(po_arena *arena, po_rng *rng, int rows, int cols) {
  po_mat A = po_arena_mat(arena, rows, cols);
  int i, j;
  for (i = 0; A.a && i < rows; i++)
    for (j = 0; j < cols; j++) PO_AT(A, i, j) = po_rng_range(rng, -1, 1);
  return A;
}

/* The inputs, and what the solves need factored. */
static po_status la_fill(la_work *w) {
  po_arena *a = &w->arena;
  po_rng rng;
  po_mat left, right;
  po_status status;
  int i, n = w->n, m = w->m, rank = m > 6 ? m - m / 6 : m - 1;
  po_rng_init(&rng, 2009, (uint64_t)n);
  w->A = la_random(a, &rng, n, n);
  w->B = la_random(a, &rng, n, n);
  w->T = la_random(a, &rng, n, n);
  w->W = la_random(a, &rng, m, n);
  left = la_random(a, &rng, m, rank);
  right = la_random(a, &rng, rank, n);
  w->x = po_row(la_random(a, &rng, 1, n + 1), 0);
  w->y = po_row(la_random(a, &rng, 1, n + 1), 0);
  if (a->failed) return PO_ERR_MEMORY;
  po_gemm(w->D, 0, 1, left, PO_N, right, PO_N);
  po_syrk(w->S, PO_LOWER, 0, 1, w->A, PO_N);
  for (i = 0; i < n; i++) {
    w->column[i] = PO_AT(w->A, i, n / 2);
    PO_AT(w->S, i, i) += 1;
    PO_AT(w->T, i, i) = n; /* so that solves neither grow nor vanish */
  }
  po_mat_symmetrize(w->S, PO_LOWER);
  po_mat_copy(w->QR, w->A);
  status = po_cholesky(w->L, NULL, w->S);
  if (status == PO_OK) status = po_ldlt(w->LD, w->s, w->S);
  if (status == PO_OK) status = po_qr(w->QR, w->tau, a);
  if (status == PO_OK) status = po_cod_factor(&w->F, w->D, -1, a);
  if (status != PO_OK) return status;
  po_qr_form(w->Q, w->QR, w->tau, n, a);
  for (i = 0; i < n; i++) memcpy(po_row(w->Rm, i) + i, po_row(w->QR, i) + i, (size_t)(n - i) * sizeof(double));
  return PO_OK;
}

static po_status la_prepare(la_work *w, int n) {
  size_t bytes = (size_t)(n + 8) * (size_t)(n + 8) * sizeof(double) * 64 + LA_SLOTS * (16384 + 4096) + (1 << 20);
  po_arena *a = &w->arena;
  int i, m = n / 2, slots = po_bench_slots(po_mat_bytes(n, n));
  memset(w, 0, sizeof *w);
  w->n = n;
  w->m = m;
  w->mem = po_alloc(bytes);
  if (!w->mem) return PO_ERR_MEMORY;
  po_arena_init(a, w->mem, bytes);
  w->C = po_arena_mat(a, n, n);
  w->S = po_arena_mat(a, n, n);
  w->L = po_arena_mat(a, n, n);
  w->LD = po_arena_mat(a, n, n);
  w->QR = po_arena_mat(a, n, n);
  w->Q = po_arena_mat(a, n + 1, n + 1);
  w->Q.rows = w->Q.cols = n;
  w->Rm = po_arena_mat(a, n + 1, n + 1);
  w->Rm.rows = w->Rm.cols = n;
  w->P = po_arena_mat(a, n, m);
  w->D = po_arena_mat(a, m, n);
  w->U = po_arena_mat(a, m, m);
  w->V = po_arena_mat(a, n, n);
  w->N = po_arena_mat(a, n, n);
  w->b = PO_ARENA_ZARRAY(a, double, n);
  w->tau = PO_ARENA_ZARRAY(a, double, n);
  w->d = PO_ARENA_ZARRAY(a, double, n);
  w->s = PO_ARENA_ZARRAY(a, double, n);
  w->column = PO_ARENA_ZARRAY(a, double, n);
  w->perm = PO_ARENA_ZARRAY(a, int, n);
  for (i = 0; i < slots; i++) w->slot_mat[i] = po_arena_mat(a, n, n);
  for (i = 0; i < LA_SLOTS; i++) w->slot_vec[i] = PO_ARENA_ZARRAY(a, double, n);
  return a->failed ? PO_ERR_MEMORY : la_fill(w);
}

static po_status la_measure(po_bench *bench, const la_kernel *kernel, la_work *w, po_error *err) {
  po_bench_case cases[2];
  po_simd paths[2];
  int i, count = po_bench_simds(paths, bench);
  for (i = 0; i < count; i++) {
    cases[i] = po_bench_case_of(kernel->name, po_simd_string(paths[i]), w->n, kernel->run, w);
    cases[i].simd = paths[i];
    cases[i].flops = kernel->flops(w->n, w->m);
    cases[i].setup = kernel->setup;
    cases[i].slots = kernel->setup == la_copy_mat ? po_bench_slots(po_mat_bytes(w->n, w->n)) : LA_SLOTS;
  }
  return po_bench_measure(bench, cases, count, err);
}

static po_status la_run(po_bench *bench, po_error *err) {
  la_work *w = po_alloc(LA_SIZES * sizeof *w);
  po_status status = w ? PO_OK : PO_ERR_MEMORY;
  int k, i;
  for (i = 0; status == PO_OK && i < LA_SIZES; i++) status = la_prepare(&w[i], la_sizes[i]);
  if (status != PO_OK) po_fail(err, status, "bench la: %s while preparing", po_status_string(status));
  for (k = 0; status == PO_OK && k < LA_KERNELS; k++)
    for (i = 0; status == PO_OK && i < LA_SIZES && po_bench_wants(bench, la_kernels[k].name); i++)
      status = la_measure(bench, &la_kernels[k], &w[i], err);
  for (i = 0; w && i < LA_SIZES; i++) po_free(w[i].mem);
  po_free(w);
  return status;
}

const po_bench_room po_bench_la = {"la", "dense linear algebra: every kernel, plain and AVX2, 6 to 128", 0, la_run};
