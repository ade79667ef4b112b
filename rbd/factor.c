/* factor.c: M = L'DL along the tree (RBDA section 6.5): L has an entry only where one freedom is an ancestor of the other, and the
 * factorization makes no fill.
 *
 * Row i is packed root to leaf along i's ancestors, so the row of any ancestor lines up with its beginning. Kept are the rows of D L.
 * From the last freedom to the first, row i is M's less what all freedoms k below it take: row_i -= (row_k[i] / D_k) row_k. Those below
 * are consecutive, the row stays in registers, and nothing is looked up.
 */
#include "tree.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Row i of M, in packed order; padding is zero. */
static void factor_load(double *row, const po_model *model, po_mat M, int i) {
  const struct po_model_fast *t = model->fast;
  const double *m = po_row(M, i);
  int j = i, c;
  for (c = t->depth[i] + 1; c % 4; c++) row[c] = 0;
  while (j >= 0) {
    int from = t->run[j], at = t->depth[from];
    for (c = 0; c <= j - from; c++) row[at + c] = m[from + c];
    j = model->dof_parent[from];
  }
}

static void factor_row_plain(double *row, const po_data *data, int i) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  int d = t->depth[i], k, c;
  for (k = i + 1; k < t->end[i]; k++) {
    const double *below = s->factor + t->row[k];
    double a = below[d] * s->inverse[k];
    for (c = 0; c <= d; c++) row[c] -= a * below[c];
  }
}

#if defined(__x86_64__)
#define FACTOR_AVX2 __attribute__((target("avx2,fma")))
#define FACTOR_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

/* n vectors of the row from column c on; n is a constant where this is called, so that the row stays in registers. */
FACTOR_INLINE void factor_columns(double *row, const po_data *data, int i, int c, int n) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  const double *factor = s->factor + c, *inverse = s->inverse;
  const int *start = t->row;
  int at = t->depth[i] - c, k, end = t->end[i];
  /* two sums, for even and odd k: one alone would wait for itself */
  __m256d zero = _mm256_setzero_pd(), r0 = _mm256_load_pd(row + c), r1 = zero, r2 = zero, r3 = zero, s0 = zero, s1 = zero,
          s2 = zero, s3 = zero;
  if (n > 1) r1 = _mm256_load_pd(row + c + 4);
  if (n > 2) r2 = _mm256_load_pd(row + c + 8);
  if (n > 3) r3 = _mm256_load_pd(row + c + 12);
  for (k = i + 1; k + 1 < end; k += 2) {
    const double *one = factor + start[k], *two = factor + start[k + 1];
    __m256d a = _mm256_set1_pd(one[at] * inverse[k]), b = _mm256_set1_pd(two[at] * inverse[k + 1]);
    r0 = _mm256_fnmadd_pd(a, _mm256_load_pd(one), r0);
    s0 = _mm256_fnmadd_pd(b, _mm256_load_pd(two), s0);
    if (n > 1) r1 = _mm256_fnmadd_pd(a, _mm256_load_pd(one + 4), r1), s1 = _mm256_fnmadd_pd(b, _mm256_load_pd(two + 4), s1);
    if (n > 2) r2 = _mm256_fnmadd_pd(a, _mm256_load_pd(one + 8), r2), s2 = _mm256_fnmadd_pd(b, _mm256_load_pd(two + 8), s2);
    if (n > 3) r3 = _mm256_fnmadd_pd(a, _mm256_load_pd(one + 12), r3), s3 = _mm256_fnmadd_pd(b, _mm256_load_pd(two + 12), s3);
  }
  if (k < end) {
    const double *one = factor + start[k];
    __m256d a = _mm256_set1_pd(one[at] * inverse[k]);
    r0 = _mm256_fnmadd_pd(a, _mm256_load_pd(one), r0);
    if (n > 1) r1 = _mm256_fnmadd_pd(a, _mm256_load_pd(one + 4), r1);
    if (n > 2) r2 = _mm256_fnmadd_pd(a, _mm256_load_pd(one + 8), r2);
    if (n > 3) r3 = _mm256_fnmadd_pd(a, _mm256_load_pd(one + 12), r3);
  }
  _mm256_store_pd(row + c, _mm256_add_pd(r0, s0));
  if (n > 1) _mm256_store_pd(row + c + 4, _mm256_add_pd(r1, s1));
  if (n > 2) _mm256_store_pd(row + c + 8, _mm256_add_pd(r2, s2));
  if (n > 3) _mm256_store_pd(row + c + 12, _mm256_add_pd(r3, s3));
}

/* Sixteen columns at a time; what lands in the padding of a row stays in paddings. */
FACTOR_AVX2 static void factor_row_avx2(double *row, const po_data *data, int i) {
  int d = data->model->fast->depth[i], c;
  if (data->model->fast->end[i] == i + 1) return;
  for (c = 0; c <= d; c += 16) {
    switch ((d - c) / 4) {
      case 0: factor_columns(row, data, i, c, 1); break;
      case 1: factor_columns(row, data, i, c, 2); break;
      case 2: factor_columns(row, data, i, c, 3); break;
      default: factor_columns(row, data, i, c, 4);
    }
  }
}
#endif

po_status po_factor(po_data *data, po_mat M) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  po_scratch *s = po_tree_scratch(data);
  int i, good = 1, wide = po_get_simd() == PO_SIMD_AVX2;
  for (i = model->nv - 1; i >= 0; i--) {
    double *row = s->factor + t->row[i];
    factor_load(row, model, M, i);
#if defined(__x86_64__)
    if (wide) factor_row_avx2(row, data, i);
#endif
    if (!wide) factor_row_plain(row, data, i);
    if (!(row[t->depth[i]] > 0)) good = 0;
    s->inverse[i] = 1 / row[t->depth[i]];
  }
  return good ? PO_OK : PO_ERR_SINGULAR;
}

/* x −= a y and x·y over n numbers: too short for a call. */
static inline void factor_axpy(double *x, double a, const double *y, int n) {
  int c;
  for (c = 0; c < n; c++) x[c] -= a * y[c];
}
static inline double factor_dot(const double *x, const double *y, int n) {
  double even = 0, odd = 0;
  int c;
  for (c = 0; c + 1 < n; c += 2) even += x[c] * y[c], odd += x[c + 1] * y[c + 1];
  if (c < n) even += x[c] * y[c];
  return even + odd;
}

static void factor_solve_plain(double *x, const po_data *data) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  const po_scratch *s = po_tree_scratch(data);
  int i, j;
  for (i = model->nv - 1; i >= 0; i--) { /* L' y = x */
    const double *row = s->factor + t->row[i];
    double a = x[i] * s->inverse[i];
    int from = t->run[i];
    factor_axpy(x + from, a, row + t->depth[from], i - from);
    for (j = model->dof_parent[from]; j >= 0; j = model->dof_parent[from]) {
      from = t->run[j];
      factor_axpy(x + from, a, row + t->depth[from], j - from + 1);
    }
  }
  for (i = 0; i < model->nv; i++) { /* D, then L */
    const double *row = s->factor + t->row[i];
    int from = t->run[i];
    double sum = factor_dot(x + from, row + t->depth[from], i - from);
    for (j = model->dof_parent[from]; j >= 0; j = model->dof_parent[from]) {
      from = t->run[j];
      sum += factor_dot(x + from, row + t->depth[from], j - from + 1);
    }
    x[i] = (x[i] - sum) * s->inverse[i];
  }
}

#if defined(__x86_64__)
/* A run of freedoms at a time, from … last. w is the way to the root in packed order. Inwards w gathers what the run takes from its
 * ancestors, who get it once. What costs is waiting: each step needs one number of the step before. */
FACTOR_AVX2 static void factor_run_in(double *x, const po_data *data, double *w, int from, int last) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  const double *factor = s->factor, *inverse = s->inverse;
  const int *start = t->row;
  int above = t->depth[from], i, c, j;
  for (c = 0; c < above; c += 4) _mm256_store_pd(w + c, _mm256_setzero_pd());
  for (i = from; i <= last; i++) w[above + i - from] = x[i];
  for (i = last; i >= from; i--) {
    const double *row = factor + start[i];
    int d = above + i - from;
    __m256d y = _mm256_broadcast_sd(w + d), a = _mm256_mul_pd(y, _mm256_broadcast_sd(inverse + i));
    _mm_store_sd(x + i, _mm256_castpd256_pd128(y)); /* w beyond is spent: whole vectors may be spoilt there */
    for (c = d & ~3; c >= 0; c -= 4) _mm256_store_pd(w + c, _mm256_fnmadd_pd(a, _mm256_load_pd(row + c), _mm256_load_pd(w + c)));
  }
  for (j = data->model->dof_parent[from]; j >= 0; j = data->model->dof_parent[i]) {
    i = t->run[j];
    for (c = i; c <= j; c++) x[c] += w[t->depth[i] + c - i];
  }
}

/* Outwards the ancestors are known: their part of all rows of the run first; then each freedom of the run, once known, is taken off all
 * that follow. */
FACTOR_AVX2 static void factor_run_out(double *x, const po_data *data, double *w, int from, int last) {
  const struct po_model_fast *t = data->model->fast;
  const po_scratch *s = po_tree_scratch(data);
  const double *factor = s->factor, *inverse = s->inverse;
  const int *start = t->row;
  int above = t->depth[from], i, c, j;
  for (j = data->model->dof_parent[from]; j >= 0; j = data->model->dof_parent[i]) {
    i = t->run[j];
    for (c = i; c <= j; c++) w[t->depth[i] + c - i] = x[c];
  }
  for (c = above; c % 4; c++) w[c] = 0;
  for (i = from; above && i <= last; i++) {
    const double *row = factor + start[i];
    __m256d sum = _mm256_mul_pd(_mm256_load_pd(w), _mm256_load_pd(row));
    __m128d half;
    for (c = 4; c < above; c += 4) sum = _mm256_fmadd_pd(_mm256_load_pd(w + c), _mm256_load_pd(row + c), sum);
    half = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
    half = _mm_add_sd(half, _mm_unpackhi_pd(half, half));
    x[i] -= _mm_cvtsd_f64(half);
  }
  for (i = from; i <= last; i++) {
    double known = x[i] * inverse[i];
    int at = above + i - from;
    x[i] = known;
    for (c = i + 1; c <= last; c++) x[c] -= factor[start[c] + at] * known;
  }
}

static void factor_solve_avx2(double *x, const po_data *data) {
  const struct po_model_fast *t = data->model->fast;
  double *w = po_tree_scratch(data)->work;
  int i, nv = data->model->nv;
  for (i = nv - 1; i >= 0; i = t->run[i] - 1) factor_run_in(x, data, w, t->run[i], i);
  for (i = 0; i < nv; i++) {
    int last = i;
    while (last + 1 < nv && t->run[last + 1] == i) last++;
    factor_run_out(x, data, w, i, last);
    i = last;
  }
}
#endif

void po_factor_solve(double *x, const po_data *data) {
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    factor_solve_avx2(x, data);
    return;
  }
#endif
  factor_solve_plain(x, data);
}
