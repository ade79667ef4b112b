/* bidiagonal.c: G = U B V' with an upper bidiagonal B, by reflectors from both sides (Golub & Kahan 1965).
 *
 * Step k makes column k zero below the diagonal and row k zero right of the superdiagonal. The reflector from the right needs row k
 * only, and acts on each row by itself; so once it is known, a row takes both updates in one visit. */
#include "tile_avx2.h"

static void bidiagonal_plain(po_mat G, double *d, double *e, double *tauq, double *taup) {
  int n = G.rows, k;
  for (k = 0; k < n; k++) {
    double *pivot = &PO_AT(G, k, k), *below = pivot + G.ld;
    int left = n - k - 1;
    tauq[k] = po_la_reflector(pivot, below, left, G.ld);
    d[k] = *pivot;
    po_la_reflect_left(po_block(G, k, k + 1, n - k, left), below, G.ld, tauq[k]);
    taup[k] = 0;
    if (left < 1) continue;
    taup[k] = po_la_reflector(pivot + 1, pivot + 2, left - 1, 1);
    e[k] = pivot[1];
    po_la_reflect_right(po_block(G, k + 1, k + 1, left, left), pivot + 2, 1, taup[k]);
  }
}

#if PO_LA_AVX2

/* Rows a…a + (mr−1) ld: a −= u y', t = tau a v, a −= t v'. n is a multiple of 4; y and v are zero where nothing is to change. */
PO_LA_INLINE void bidiagonal_rows(double *a, ptrdiff_t ld, int n, const double *u, const double *y, const double *v, double tau,
                                  int mr) {
  __m256d s[4], t[4];
  double sums[4];
  int c, p;
  PO_LA_UNROLL for (p = 0; p < 4; p++) {
    s[p] = _mm256_setzero_pd();
    t[p] = _mm256_broadcast_sd(u + (p < mr ? p : 0));
  }
  for (c = 0; c < n; c += 4) {
    __m256d yc = _mm256_loadu_pd(y + c), vc = _mm256_loadu_pd(v + c);
    PO_LA_UNROLL for (p = 0; p < mr; p++) {
      __m256d x = _mm256_fnmadd_pd(t[p], yc, _mm256_loadu_pd(a + p * ld + c));
      _mm256_storeu_pd(a + p * ld + c, x);
      s[p] = _mm256_fmadd_pd(x, vc, s[p]);
    }
  }
  _mm256_storeu_pd(sums, _mm256_mul_pd(_mm256_set1_pd(tau), po_la_sum4x4(s[0], s[1], s[2], s[3])));
  PO_LA_UNROLL for (p = 0; p < mr; p++) t[p] = _mm256_broadcast_sd(sums + p);
  for (c = 0; c < n; c += 4) {
    __m256d vc = _mm256_loadu_pd(v + c);
    PO_LA_UNROLL for (p = 0; p < mr; p++) {
      double *at = a + p * ld + c;
      _mm256_storeu_pd(at, _mm256_fnmadd_pd(t[p], vc, _mm256_loadu_pd(at)));
    }
  }
}

PO_LA_TARGET static void bidiagonal_pass(double *a, ptrdiff_t ld, int rows, int n, const double *u, const double *y,
                                         const double *v, double tau) {
  int i;
  for (i = 0; i + 4 <= rows; i += 4, a += 4 * ld) bidiagonal_rows(a, ld, n, u + i, y, v, tau, 4);
  if (rows - i == 3) bidiagonal_rows(a, ld, n, u + i, y, v, tau, 3);
  else if (rows - i == 2) bidiagonal_rows(a, ld, n, u + i, y, v, tau, 2);
  else if (rows - i == 1) bidiagonal_rows(a, ld, n, u + i, y, v, tau, 1);
}

/* Works on whole vectors from the multiple of 4 at or before column k+1 to the padded end of the rows. */
static void bidiagonal_avx2(po_mat G, double *d, double *e, double *tauq, double *taup, double *work) {
  int n = G.rows, padded = po_pad4(n), k, i, j;
  double *u = work, *y = work + padded, *v = y + padded;
  for (i = 0; i < 3 * padded; i++) work[i] = 0;
  for (k = 0; k < n; k++) {
    double *column = &PO_AT(G, k, k), *row = po_row(G, k);
    int rows = n - k, from = (k + 1) & ~3, left = n - k - 1;
    for (i = 0; i < rows; i++) u[i] = column[(size_t)i * (size_t)G.ld];
    tauq[k] = po_la_reflector(u, u + 1, left, 1);
    for (i = 0; i < rows; i++) column[(size_t)i * (size_t)G.ld] = u[i];
    d[k] = u[0];
    taup[k] = 0;
    if (left < 1) continue;
    u[0] = 1;
    po_gemv_t(y + from, po_block(G, k, from, rows, padded - from), u);
    for (j = from; j <= k; j++) y[j] = v[j] = 0;
    for (j = k + 1; j < n; j++) {
      y[j] *= tauq[k];
      row[j] -= y[j];
    }
    taup[k] = po_la_reflector(row + k + 1, row + k + 2, left - 1, 1);
    e[k] = row[k + 1];
    v[k + 1] = 1;
    for (j = k + 2; j < n; j++) v[j] = row[j];
    bidiagonal_pass(po_row(G, k + 1) + from, G.ld, left, padded - from, u + 1, y + from, v + from, taup[k]);
  }
}

#endif

void po_la_bidiagonalize(po_mat G, double *d, double *e, double *tauq, double *taup, double *work) {
#if PO_LA_AVX2
  if (po_la_avx2()) {
    bidiagonal_avx2(G, d, e, tauq, taup, work);
    return;
  }
#endif
  (void)work;
  bidiagonal_plain(G, d, e, tauq, taup);
}
