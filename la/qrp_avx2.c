/* qrp_avx2.c: pivoted QR in one pass over the matrix a step.
 *
 * The next pivot is known as soon as a step has finished its row of R, before the reflector has been applied to the rows below. So the
 * rank-one update A −= u w' waits: the next pivot column alone is brought up to date, its reflector v made, and then one pass
 * applies the update and gathers g = v'A together. One load, one store and two multiply-adds an element, where the textbook has
 * two loads and one store in two passes. */
#include "tile_avx2.h"

#if PO_LA_AVX2

#include <math.h>

/* ---- the pass ------------------------------------------------------------------------------------------------------------ */

/* One strip of nv vectors, rows k…m−1: a −= u w (when something waits), then g = v'a, and the row k of R: w = tau g, a_k −= w.
 * Lanes before `first` belong to columns that are done: for them w is zero. */
PO_LA_INLINE void qrp_strip(double *a, ptrdiff_t ld, int rows, const double *u, const double *v, double *w, double tau, int waiting,
                            int nv, int tail, int first) {
  __m256d g[4], old[4], vt = _mm256_set1_pd(tau), done = _mm256_castsi256_pd(po_la_mask(first));
  double *p = a;
  int i, c;
  PO_LA_UNROLL for (c = 0; c < nv; c++) {
    g[c] = _mm256_setzero_pd();
    if (waiting) old[c] = _mm256_loadu_pd(w + 4 * c);
  }
  if (waiting) old[0] = _mm256_andnot_pd(done, old[0]);
  for (i = 0; i < rows; i++, p += ld) {
    __m256d ui = waiting ? _mm256_broadcast_sd(u + i) : g[0], vi = _mm256_broadcast_sd(v + i);
    PO_LA_UNROLL for (c = 0; c < nv; c++) {
      __m256d x = c == nv - 1 && tail < 4 ? po_la_load_part(p + 4 * c, tail) : _mm256_loadu_pd(p + 4 * c);
      if (waiting) x = _mm256_fnmadd_pd(ui, old[c], x);
      g[c] = _mm256_fmadd_pd(vi, x, g[c]);
      if (waiting) {
        if (c == nv - 1 && tail < 4) po_la_store_part(p + 4 * c, x, tail);
        else _mm256_storeu_pd(p + 4 * c, x);
      }
    }
  }
  g[0] = _mm256_andnot_pd(done, g[0]);
  PO_LA_UNROLL for (c = 0; c < nv; c++) {
    int count = c == nv - 1 ? tail : 4;
    g[c] = _mm256_mul_pd(vt, g[c]);
    _mm256_storeu_pd(w + 4 * c, g[c]);
    po_la_store_part(a + 4 * c, _mm256_sub_pd(po_la_load_part(a + 4 * c, count), g[c]), count);
  }
}

/* Columns k+1…n−1 in strips of 16, beginning at a multiple of 4 so that only the last vector of a row may be a part of one. */
PO_LA_INLINE void qrp_pass(po_la_qrp *q, int k, int waiting, int tail) {
  po_mat A = q->A;
  int j = (k + 1) & ~3, n = A.cols, rows = A.rows - k, vectors = (n - j + 3) / 4, first = (k + 1) & 3;
  double tau = q->tau[k], *a = &PO_AT(A, k, j), *w = q->w + j;
  const double *u = q->u + k, *v = q->v + k;
  for (; vectors > 4; first = 0) { /* 5 go 3 + 2: a lone vector has one chain of sums only */
    int nv = vectors == 5 ? 3 : 4;
    if (nv == 4) qrp_strip(a, A.ld, rows, u, v, w, tau, waiting, 4, 4, first);
    else qrp_strip(a, A.ld, rows, u, v, w, tau, waiting, 3, 4, first);
    a += 4 * nv;
    w += 4 * nv;
    vectors -= nv;
  }
  switch (vectors) {
    case 4: qrp_strip(a, A.ld, rows, u, v, w, tau, waiting, 4, tail, first); break;
    case 3: qrp_strip(a, A.ld, rows, u, v, w, tau, waiting, 3, tail, first); break;
    case 2: qrp_strip(a, A.ld, rows, u, v, w, tau, waiting, 2, tail, first); break;
    case 1: qrp_strip(a, A.ld, rows, u, v, w, tau, waiting, 1, tail, first); break;
    default: break;
  }
}

PO_LA_TARGET static void qrp_pass_any(po_la_qrp *q, int k, int waiting) {
  int tail = q->A.cols & 3;
  if (k + 1 >= q->A.cols) return;
  if (waiting && tail == 0) qrp_pass(q, k, 1, 4);
  else if (waiting) qrp_pass(q, k, 1, tail & 3);
  else qrp_pass(q, k, 0, tail ? tail : 4);
}

/* ---- norms --------------------------------------------------------------------------------------------------------------- */

/* What stands in for the norm of a column that is done or does not exist. */
#define QRP_NO_COLUMN (-0x1p+900)

PO_LA_TARGET static void qrp_norms(po_la_qrp *q) {
  po_mat A = q->A;
  int j, i, n = A.cols, padded = po_pad4(n);
  for (j = 0; j < padded; j += 8) {
    __m256d s = _mm256_setzero_pd(), t = s;
    int have = n - j;
    for (i = 0; i < A.rows; i++) {
      const double *a = po_row(A, i) + j;
      __m256d x = po_la_load_part(a, have), y = have > 4 ? po_la_load_part(a + 4, have - 4) : t;
      s = _mm256_fmadd_pd(x, x, s);
      if (have > 4) t = _mm256_fmadd_pd(y, y, t);
    }
    _mm256_storeu_pd(q->norm + j, s);
    _mm256_storeu_pd(q->exact + j, s);
    if (have > 4) {
      _mm256_storeu_pd(q->norm + j + 4, t);
      _mm256_storeu_pd(q->exact + j + 4, t);
    }
  }
  for (j = n; j < padded; j++) { /* never below the threshold, never the largest */
    q->norm[j] = QRP_NO_COLUMN;
    q->exact[j] = 4 * QRP_NO_COLUMN / PO_LA_QRP_RECOMPUTE;
  }
}

/* out = rows k…m−1 of column j as the pass will make them: with the same fused multiply-add, so that to the last bit what will be
 * zero there is zero here. */
PO_LA_TARGET static void qrp_column(double *out, const po_la_qrp *q, int k, int j, int waiting) {
  const double *a = &PO_AT(q->A, k, j), *u = q->u + k;
  __m128d w = _mm_load_sd(q->w + j);
  ptrdiff_t ld = q->A.ld;
  int i, rows = q->A.rows - k;
  if (waiting)
    for (i = 0; i < rows; i++, a += ld) _mm_store_sd(out + i, _mm_fnmadd_sd(_mm_load_sd(u + i), w, _mm_load_sd(a)));
  else
    for (i = 0; i < rows; i++, a += ld) out[i] = *a;
}

/* Squared norm of the same; q->v is free at this point. */
static double qrp_square_of(const po_la_qrp *q, int k, int j, int waiting) {
  qrp_column(q->v, q, k, j, waiting);
  return po_dot(q->v, q->v, q->A.rows - k);
}

/* Norms from row k on, after row k−1 of R has been finished; returns the column with the largest. */
PO_LA_TARGET static int qrp_downdate_avx2(const po_la_qrp *q, int k) {
  const double *row = po_row(q->A, k - 1);
  int n = q->A.cols, j, best;
  double top[4], at[4];
  __m256d most = _mm256_set1_pd(2 * QRP_NO_COLUMN), where = _mm256_setzero_pd(), none = _mm256_set1_pd(QRP_NO_COLUMN);
  __m256d done = _mm256_castsi256_pd(po_la_mask(k & 3)); /* columns before k, in the first vector */
  for (j = k & ~3; j < n; j += 4, done = _mm256_setzero_pd()) {
    __m256d r = po_la_load_part(row + j, n - j), exact = _mm256_loadu_pd(q->exact + j), left, more;
    int lost;
    left = _mm256_blendv_pd(_mm256_fnmadd_pd(r, r, _mm256_loadu_pd(q->norm + j)), none, done);
    exact = _mm256_blendv_pd(exact, _mm256_set1_pd(4 * QRP_NO_COLUMN / PO_LA_QRP_RECOMPUTE), done);
    lost = _mm256_movemask_pd(_mm256_cmp_pd(left, _mm256_mul_pd(_mm256_set1_pd(PO_LA_QRP_RECOMPUTE), exact), _CMP_LE_OQ));
    _mm256_storeu_pd(q->norm + j, left);
    for (; lost; lost &= lost - 1) {
      int c = j + __builtin_ctz((unsigned)lost);
      q->norm[c] = q->exact[c] = q->exact[c] > 0 ? qrp_square_of(q, k, c, 1) : 0;
      left = _mm256_loadu_pd(q->norm + j);
    }
    more = _mm256_cmp_pd(left, most, _CMP_GT_OQ);
    most = _mm256_blendv_pd(most, left, more);
    where = _mm256_blendv_pd(where, _mm256_set1_pd(j), more);
  }
  _mm256_storeu_pd(top, most);
  _mm256_storeu_pd(at, where);
  for (best = 0, j = 1; j < 4; j++)
    if (top[j] > top[best]) best = j;
  return (int)at[best] + best;
}

/* ---- steps --------------------------------------------------------------------------------------------------------------- */

/* Near the decision, downdated norms are not good enough. */
static int qrp_decide(const po_la_qrp *q, int k, int best, int waiting) {
  double least = k > 0 ? q->tol * po_abs(q->A.a[0]) : 0;
  int j;
  if (q->norm[best] <= 4 * least * least) {
    for (j = k; j < q->A.cols; j++) q->norm[j] = q->exact[j] = qrp_square_of(q, k, j, waiting);
    for (best = k, j = k + 1; j < q->A.cols; j++)
      if (q->norm[j] > q->norm[best]) best = j;
  }
  return sqrt(q->norm[best]) > least ? best : -1;
}

/* Column `best` goes to place k, up to date, as v; what was at k goes to its place. */
PO_LA_TARGET static void qrp_take(po_la_qrp *q, int k, int best, int waiting) {
  po_mat A = q->A;
  ptrdiff_t ld = A.ld;
  double *x = A.a + k, *y = A.a + best;
  int i, t = q->perm[k];
  qrp_column(q->v + k, q, k, best, waiting);
  if (best == k) return;
  q->perm[k] = q->perm[best];
  q->perm[best] = t;
  q->norm[best] = q->norm[k];
  q->exact[best] = q->exact[k];
  q->w[best] = q->w[k];
  for (i = 0; i < k; i++, x += ld, y += ld) {
    double h = *x;
    *x = *y;
    *y = h;
  }
  for (; i < A.rows; i++, x += ld, y += ld) *y = *x;
}

int po_la_qrp_avx2(po_la_qrp *q) {
  po_mat A = q->A;
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k, i, waiting = 0, best = 0;
  if (steps == 0) return 0;
  qrp_norms(q);
  for (i = 1; i < n; i++)
    if (q->norm[i] > q->norm[best]) best = i;
  for (k = 0; k < steps; k++) {
    double *v = q->v + k, *a = &PO_AT(A, k, k), *swap;
    if (k > 0) best = qrp_downdate_avx2(q, k);
    best = qrp_decide(q, k, best, waiting);
    if (best < 0) break;
    qrp_take(q, k, best, waiting);
    q->tau[k] = po_la_reflector(v, v + 1, m - k - 1, 1);
    for (i = 0; i < m - k; i++, a += A.ld) *a = v[i];
    v[0] = 1;
    qrp_pass_any(q, k, waiting);
    swap = q->u; /* v waits from now on */
    q->u = q->v;
    q->v = swap;
    waiting = 1;
  }
  /* what waits is applied: the matrix is left as the plain version leaves it */
  for (i = k; waiting && i < m; i++) po_axpy(po_row(A, i) + k, -q->u[i], q->w + k, n - k);
  return k;
}

#endif
