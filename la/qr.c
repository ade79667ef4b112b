/* qr.c: Householder QR, its Q applied and formed, least squares. */
#include "tile_avx2.h"

#include <math.h>

/* ---- factorization ------------------------------------------------------------------------------------------------------ */

static void qr_factor_plain(po_mat A, double *tau) {
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k;
  for (k = 0; k < steps; k++) {
    double *pivot = &PO_AT(A, k, k), *below = pivot + A.ld;
    tau[k] = po_la_reflector(pivot, below, m - k - 1, A.ld);
    po_la_reflect_left(po_block(A, k, k + 1, m - k, n - k - 1), below, A.ld, tau[k]);
  }
}

#if PO_LA_AVX2

/* The intrinsics want constants also where nothing is optimized; j is one once inlined, and then a single instruction is left. */
PO_LA_INLINE __m256d qr_put_lane(__m256d row, __m256d x, int j) { /* lane j from x */
  switch (j) {
    case 0: return _mm256_blend_pd(row, x, 1);
    case 1: return _mm256_blend_pd(row, x, 2);
    case 2: return _mm256_blend_pd(row, x, 4);
    default: return _mm256_blend_pd(row, x, 8);
  }
}
PO_LA_INLINE __m256d qr_spread_lane(__m256d row, int j) { /* lane j in all lanes */
  switch (j) {
    case 0: return _mm256_permute4x64_pd(row, 0x00);
    case 1: return _mm256_permute4x64_pd(row, 0x55);
    case 2: return _mm256_permute4x64_pd(row, 0xaa);
    default: return _mm256_permute4x64_pd(row, 0xff);
  }
}

/* Reflector j of a panel of four columns. g holds, in its four lanes, the products of the part of column j below its diagonal with
 * the columns of the panel: those already done (v's, from which T is made), its own square, and those to come. One pass over
 * the rows applies the reflector and takes the products for the next one on the way. */
PO_LA_INLINE __m256d qr_panel_column(double *a, ptrdiff_t ld, int rows, int j, __m256d g, double *tau, po_la_block *block) {
  double lanes[4], *pivot = a + j * ld, alpha = pivot[j], beta, inverse, *p;
  __m256d w, z, next = _mm256_setzero_pd(), next2 = next;
  __m256d keep = _mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(j))); /* lanes > j */
  int i;
  _mm256_storeu_pd(lanes, g);
  if (lanes[j] >= PO_LA_TINY_SQUARE) {
    double norm = sqrt(alpha * alpha + lanes[j]);
    beta = alpha > 0 ? -norm : norm;
    *tau = (beta - alpha) / beta;
    inverse = 1 / (alpha - beta);
  } else { /* zero, or so small that the square may be wrong */
    *tau = po_la_reflector(pivot + j, pivot + ld + j, rows - j - 1, (int)ld);
    beta = pivot[j];
    inverse = 1;
    g = _mm256_setzero_pd();
    for (i = j + 1; i < rows; i++) g = _mm256_fmadd_pd(_mm256_broadcast_sd(a + i * ld + j), _mm256_loadu_pd(a + i * ld), g);
  }
  z = _mm256_fmadd_pd(_mm256_set1_pd(inverse), g, _mm256_loadu_pd(pivot));
  _mm256_storeu_pd(lanes, z);
  po_la_block_column(block, j, *tau, lanes);
  w = _mm256_and_pd(keep, _mm256_mul_pd(_mm256_set1_pd(*tau), z));
  _mm256_storeu_pd(pivot, _mm256_sub_pd(_mm256_loadu_pd(pivot), w));
  pivot[j] = beta;
  for (i = j + 1, p = pivot + ld; i < rows; i++, p += ld) {
    __m256d x = _mm256_mul_pd(_mm256_broadcast_sd(p + j), _mm256_set1_pd(inverse));
    __m256d row = qr_put_lane(_mm256_fnmadd_pd(x, w, _mm256_loadu_pd(p)), x, j);
    _mm256_storeu_pd(p, row);
    if (j < 3 && i > j + 1) {
      __m256d y = qr_spread_lane(row, j + 1);
      if (i & 1) next = _mm256_fmadd_pd(y, row, next);
      else next2 = _mm256_fmadd_pd(y, row, next2);
    }
  }
  return _mm256_add_pd(next, next2);
}

/* Four columns, at least four rows. */
PO_LA_TARGET static void qr_panel_avx2(double *a, int ld, int rows, double *tau, po_la_block *block) {
  __m256d g = _mm256_setzero_pd(), h = g;
  ptrdiff_t step = ld;
  const double *p = a + step;
  int i;
  for (i = 1; i + 2 <= rows; i += 2, p += 2 * step) {
    g = _mm256_fmadd_pd(_mm256_broadcast_sd(p), _mm256_loadu_pd(p), g);
    h = _mm256_fmadd_pd(_mm256_broadcast_sd(p + step), _mm256_loadu_pd(p + step), h);
  }
  if (i < rows) g = _mm256_fmadd_pd(_mm256_broadcast_sd(p), _mm256_loadu_pd(p), g);
  g = _mm256_add_pd(g, h);
  g = qr_panel_column(a, step, rows, 0, g, tau, block);
  g = qr_panel_column(a, step, rows, 1, g, tau + 1, block);
  g = qr_panel_column(a, step, rows, 2, g, tau + 2, block);
  qr_panel_column(a, step, rows, 3, g, tau + 3, block);
  block->v = a;
  block->ld = ld;
  block->rows = rows;
  po_la_block_top(block);
}

static void qr_factor_avx2(po_mat A, double *tau) {
  int m = A.rows, n = A.cols, k;
  po_la_block block;
  for (k = 0; k + 4 <= m && k + 4 <= n; k += 4) {
    qr_panel_avx2(&PO_AT(A, k, k), A.ld, m - k, tau + k, &block);
    po_la_block_left(&block, po_block(A, k, k + 4, m - k, n - k - 4), 1);
  }
  qr_factor_plain(po_block(A, k, k, m - k, n - k), tau + k);
}

#endif

po_status po_qr(po_mat A, double *tau, po_arena *scratch) {
  double largest, scale;
  po_status status = po_la_scan_norm(A, &largest);
  (void)scratch;
  if (status) return status;
  if (A.rows <= 0 || A.cols <= 0) return PO_OK;
  if (!tau) return PO_ERR_NULL;
  scale = po_la_scaling(largest);
  if (scale != 1) po_la_mat_scale(A, scale);
#if PO_LA_AVX2
  if (po_la_avx2()) qr_factor_avx2(A, tau);
  else
#endif
    qr_factor_plain(A, tau);
  if (scale != 1) po_la_scale_upper(A, 1 / scale);
  return PO_OK;
}

/* ---- Q applied and formed ----------------------------------------------------------------------------------------------- */

/* Reflectors first…last−1, one by one. */
static void qr_apply_plain(po_mat QR, const double *tau, int first, int last, po_side side, int forward, po_mat B) {
  int step, m = QR.rows;
  for (step = first; step < last; step++) {
    int i = forward ? step : first + last - 1 - step;
    const double *v = &PO_AT(QR, i, i) + QR.ld;
    if (side == PO_LEFT) po_la_reflect_left(po_block(B, i, 0, m - i, B.cols), v, QR.ld, tau[i]);
    else po_la_reflect_right(po_block(B, 0, i, B.rows, m - i), v, QR.ld, tau[i]);
  }
}

#if PO_LA_AVX2

/* By fours; the up to three reflectors that are left over come last when going forward, first when going back. */
static void qr_apply_avx2(po_mat QR, const double *tau, int k, po_side side, int forward, po_mat B) {
  int m = QR.rows, blocks = k / 4, step;
  if (!forward) qr_apply_plain(QR, tau, 4 * blocks, k, side, 0, B);
  for (step = 0; step < blocks; step++) {
    int i = 4 * (forward ? step : blocks - 1 - step);
    po_la_block block;
    po_la_block_make(&block, &PO_AT(QR, i, i), QR.ld, m - i, tau + i);
    if (side == PO_LEFT) po_la_block_left(&block, po_block(B, i, 0, m - i, B.cols), forward);
    else po_la_block_right(&block, po_block(B, 0, i, B.rows, m - i), !forward);
  }
  if (forward) qr_apply_plain(QR, tau, 4 * blocks, k, side, 1, B);
}

static void qr_form_avx2(po_mat Q, po_mat QR, const double *tau, int k) {
  int m = QR.rows, i;
  for (i = 4 * (k / 4); i >= 0; i -= 4) {
    if (i + 4 <= k) {
      po_la_block block;
      po_la_block_make(&block, &PO_AT(QR, i, i), QR.ld, m - i, tau + i);
      if (i < Q.cols) po_la_block_left(&block, po_block(Q, i, i, m - i, Q.cols - i), 0);
    } else if (i < Q.cols) {
      qr_apply_plain(QR, tau, i, k, PO_LEFT, 0, po_mat_of(Q.a + i, Q.rows, Q.cols - i, Q.ld));
    }
  }
}

#endif

void po_qr_apply(po_mat B, po_mat QR, const double *tau, int k, po_side side, po_trans trans, po_arena *scratch) {
  int forward = (side == PO_LEFT) == (trans == PO_T);
  (void)scratch;
  PO_ASSERT((side == PO_LEFT ? B.rows : B.cols) == QR.rows && k <= QR.rows && k <= QR.cols);
#if PO_LA_AVX2
  if (po_la_avx2()) {
    qr_apply_avx2(QR, tau, k, side, forward, B);
    return;
  }
#endif
  qr_apply_plain(QR, tau, 0, k, side, forward, B);
}

void po_qr_form(po_mat Q, po_mat QR, const double *tau, int k, po_arena *scratch) {
  int i, m = QR.rows;
  (void)scratch;
  PO_ASSERT(Q.rows == m && Q.cols <= m && k <= m && k <= QR.cols);
  po_mat_identity(Q);
#if PO_LA_AVX2
  if (po_la_avx2()) {
    qr_form_avx2(Q, QR, tau, k);
    return;
  }
#endif
  /* Reflector i leaves the first i rows and columns of the identity alone. */
  for (i = k - 1; i >= 0; i--)
    if (i < Q.cols) po_la_reflect_left(po_block(Q, i, i, m - i, Q.cols - i), &PO_AT(QR, i, i) + QR.ld, QR.ld, tau[i]);
}

po_status po_qr_solve(double *x, double *b, po_mat QR, const double *tau, po_arena *scratch) {
  po_status status = po_mat_check(QR);
  int m = QR.rows, n = QR.cols, i;
  if (status) return status;
  if (m < n) return PO_ERR_SIZE;
  if (n <= 0) return PO_OK;
  if (!x || !tau || !b) return PO_ERR_NULL;
  if (!po_all_finite(b, m)) return PO_ERR_NOT_FINITE;
  for (i = 0; i < n; i++)
    if (PO_AT(QR, i, i) == 0) return PO_ERR_SINGULAR;
  po_qr_apply(po_mat_of(b, m, 1, 1), QR, tau, n, PO_LEFT, PO_T, scratch);
  po_trsv(b, po_block(QR, 0, 0, n, n), PO_UPPER, PO_N, PO_NON_UNIT);
  for (i = 0; i < n; i++) x[i] = b[i];
  return PO_OK;
}
