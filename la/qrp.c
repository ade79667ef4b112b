/* qrp.c: QR with column pivoting, which reveals the rank.
 *
 * Squared column norms are downdated by the row of R that each step finishes, so the next pivot is known before the reflector has
 * touched the rest of the matrix. The AVX2 version uses that: it keeps each rank-one update waiting until the next reflector is
 * known, and then applies the one and gathers the products of the other in a single pass. */
#include "tile_avx2.h"

#include <math.h>

/* Below this relative size a downdated squared norm has lost half its digits and is taken afresh
 * (Drmač & Bujanović 2008: sqrt(eps)). */
#define QRP_RECOMPUTE 1.4901161193847656e-08
/* Elements are scaled to lie between these, so that squares of columns 1e-75 of the largest are still exact. */
#define QRP_BIG 0x1p+200
#define QRP_SMALL 0x1p-200

typedef struct qrp_work {
  po_mat A;
  double *tau, *norm, *exact; /* squared column norms, downdated and when last computed */
  int *perm;
  double tol;
  double *u, *w;              /* A −= u w' waits when waiting is 1; u_i for row i, w_j for column j */
  int waiting;
  double *column;             /* room for one column */
} qrp_work;

#if PO_LA_AVX2

/* out = column j from row k on, as the pass will make it: with the same fused multiply-add, so that to the last bit what was zero
 * there is zero here. */
PO_LA_TARGET static void qrp_column_avx2(double *out, const qrp_work *q, int k, int j) {
  const double *a = &PO_AT(q->A, k, j), *u = q->u + k;
  __m128d w = _mm_load_sd(q->w + j);
  ptrdiff_t ld = q->A.ld;
  int i, rows = q->A.rows - k;
  for (i = 0; i < rows; i++, a += ld) _mm_store_sd(out + i, _mm_fnmadd_sd(_mm_load_sd(u + i), w, _mm_load_sd(a)));
}

#endif

/* Squared norm of rows k…m−1 of column j as they will be once what waits is applied. */
static double qrp_square(const qrp_work *q, int k, int j) {
  double s = 0;
  int i;
#if PO_LA_AVX2
  if (q->waiting) {
    qrp_column_avx2(q->column, q, k, j);
    return po_dot(q->column, q->column, q->A.rows - k);
  }
#endif
  for (i = k; i < q->A.rows; i++) s += PO_AT(q->A, i, j) * PO_AT(q->A, i, j);
  return s;
}

/* After step k, row k of R is known: the squared norm of what is left of column j falls by r_kj². */
static void qrp_downdate(const qrp_work *q, int k) {
  const double *row = po_row(q->A, k);
  int j, n = q->A.cols;
  for (j = k + 1; j < n; j++) {
    double left = q->norm[j] - row[j] * row[j];
    if (left <= QRP_RECOMPUTE * q->exact[j]) left = q->exact[j] = q->exact[j] > 0 ? qrp_square(q, k + 1, j) : 0;
    q->norm[j] = left;
  }
}

static int qrp_largest(const double *norm, int from, int n) {
  int j, best = from;
  for (j = from + 1; j < n; j++)
    if (norm[j] > norm[best]) best = j;
  return best;
}

/* The column to come next, or −1 when all that are left fall to the tolerance. */
static int qrp_pivot(const qrp_work *q, int k) {
  double least = k > 0 ? q->tol * po_abs(q->A.a[0]) : 0;
  int n = q->A.cols, j, best = qrp_largest(q->norm, k, n);
  if (q->norm[best] <= 4 * least * least) { /* near the decision, downdated norms are not good enough */
    for (j = k; j < n; j++) q->norm[j] = q->exact[j] = qrp_square(q, k, j);
    best = qrp_largest(q->norm, k, n);
  }
  return sqrt(q->norm[best]) > least ? best : -1;
}

static void qrp_swap(qrp_work *q, int k, int best) {
  int i, t = q->perm[k];
  if (best == k) return;
  q->perm[k] = q->perm[best];
  q->perm[best] = t;
  q->norm[best] = q->norm[k];
  q->exact[best] = q->exact[k];
  if (q->waiting) {
    double h = q->w[k];
    q->w[k] = q->w[best];
    q->w[best] = h;
  }
  for (i = 0; i < q->A.rows; i++) {
    double *row = po_row(q->A, i), h = row[k];
    row[k] = row[best];
    row[best] = h;
  }
}

static void qrp_start(qrp_work *q) {
  int i, j, n = q->A.cols;
  q->waiting = 0;
  for (j = 0; j < n; j++) {
    q->perm[j] = j;
    q->norm[j] = 0;
  }
  for (i = 0; i < q->A.rows; i++) {
    const double *row = po_row(q->A, i);
    for (j = 0; j < n; j++) q->norm[j] += row[j] * row[j];
  }
  for (j = 0; j < n; j++) q->exact[j] = q->norm[j];
}

static int qrp_factor_plain(qrp_work *q) {
  po_mat A = q->A;
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k;
  qrp_start(q);
  for (k = 0; k < steps; k++) {
    double *pivot = &PO_AT(A, k, k), *below = pivot + A.ld;
    int best = qrp_pivot(q, k);
    if (best < 0) break;
    qrp_swap(q, k, best);
    q->tau[k] = po_la_reflector(pivot, below, m - k - 1, A.ld);
    po_la_reflect_left(po_block(A, k, k + 1, m - k, n - k - 1), below, A.ld, q->tau[k]);
    qrp_downdate(q, k);
  }
  return k;
}

#if PO_LA_AVX2

/* One strip of nv vectors, rows k…m−1: a −= u w (when something waits), then g = v'a, and the row k of R: w = tau g, a_k −= w.
 * Lanes before `first` belong to columns that are done: their w stays zero. */
PO_LA_INLINE void qrp_strip(double *a, ptrdiff_t ld, int rows, const double *u, const double *v, double *w, double tau, int waiting,
                            int nv, int tail, int first) {
  __m256d g[6], old[6], vt = _mm256_set1_pd(tau);
  double *p = a;
  int i, c;
  PO_LA_UNROLL for (c = 0; c < nv; c++) {
    g[c] = _mm256_setzero_pd();
    if (waiting) old[c] = _mm256_loadu_pd(w + 4 * c);
  }
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
  g[0] = _mm256_andnot_pd(_mm256_castsi256_pd(po_la_mask(first)), g[0]);
  PO_LA_UNROLL for (c = 0; c < nv; c++) {
    int count = c == nv - 1 ? tail : 4;
    g[c] = _mm256_mul_pd(vt, g[c]);
    _mm256_storeu_pd(w + 4 * c, g[c]);
    po_la_store_part(a + 4 * c, _mm256_sub_pd(po_la_load_part(a + 4 * c, count), g[c]), count);
  }
}

/* Columns k+1…n−1 in strips of 16, beginning at a multiple of 4 so that only the last vector of a row may be a part of one. */
PO_LA_INLINE void qrp_pass(qrp_work *q, int k, const double *v, int waiting, int tail) {
  po_mat A = q->A;
  int j = (k + 1) & ~3, n = A.cols, rows = A.rows - k, vectors = (n - j + 3) / 4, first = (k + 1) & 3, c;
  double tau = q->tau[k], *a = &PO_AT(A, k, j), *w = q->w + j;
  const double *u = q->u + k;
  for (c = 0; c < first && waiting; c++) w[c] = 0;
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

PO_LA_TARGET static void qrp_pass_avx2(qrp_work *q, int k, const double *v) {
  int tail = q->A.cols & 3;
  if (k + 1 >= q->A.cols) return;
  if (q->waiting && tail == 0) qrp_pass(q, k, v, 1, 4);
  else if (q->waiting) qrp_pass(q, k, v, 1, tail & 3);
  else qrp_pass(q, k, v, 0, tail ? tail : 4);
}

/* Column k as it will be, gathered; its reflector; and back as v. Returns tau, leaves (1; v) in q->column. */
static double qrp_reflector(qrp_work *q, int k) {
  po_mat A = q->A;
  double *p = &PO_AT(A, k, k), *v = q->column, tau, *a;
  int i, rows = A.rows - k;
  if (q->waiting) qrp_column_avx2(v, q, k, k);
  else
    for (i = 0, a = p; i < rows; i++, a += A.ld) v[i] = *a;
  tau = po_la_reflector(v, v + 1, rows - 1, 1);
  for (i = 0, a = p; i < rows; i++, a += A.ld) *a = v[i];
  v[0] = 1;
  return tau;
}

/* What waits is applied to rows and columns from k on: the matrix is left as the plain version leaves it. */
static void qrp_flush(qrp_work *q, int k) {
  int i;
  for (i = k; q->waiting && i < q->A.rows; i++) po_axpy(po_row(q->A, i) + k, -q->u[i], q->w + k, q->A.cols - k);
  q->waiting = 0;
}

static int qrp_factor_avx2(qrp_work *q) {
  po_mat A = q->A;
  double *v = q->column;
  int m = A.rows, n = A.cols, steps = m < n ? m : n, k, i;
  qrp_start(q);
  for (k = 0; k < steps; k++) {
    int best = qrp_pivot(q, k);
    if (best < 0) break;
    qrp_swap(q, k, best);
    q->tau[k] = qrp_reflector(q, k);
    qrp_pass_avx2(q, k, v);
    for (i = k + 1; i < m; i++) q->u[i] = v[i - k];
    q->waiting = 1;
    qrp_downdate(q, k);
  }
  qrp_flush(q, k);
  return k;
}

#endif

po_status po_qrp(po_mat A, double *tau, int *perm, int *rank, double tol, po_arena *scratch) {
  double largest, scale = 1, *work;
  po_status status = po_la_scan(A, &largest);
  int m = A.rows, n = A.cols, k, steps = m < n ? m : n;
  size_t mark;
  qrp_work q;
  if (status) return status;
  if (!scratch || !rank || (!perm && n > 0) || (!tau && m > 0 && n > 0)) return PO_ERR_NULL;
  if (tol != tol) return PO_ERR_RANGE;
  mark = po_arena_mark(scratch);
  work = PO_ARENA_ARRAY(scratch, double, 2 * m + 3 * n + 8);
  if (!work) return PO_ERR_MEMORY;
  q.A = A;
  q.tau = tau;
  q.perm = perm;
  q.tol = tol < 0 ? PO_RANK_TOL : tol;
  q.norm = work;
  q.exact = work + n;
  q.u = work + 2 * n;
  q.column = q.u + m;
  q.w = q.column + m; /* the last: its last vector may reach past n */
  while (largest * scale > QRP_BIG) scale *= 0x1p-200;
  while (largest * scale < QRP_SMALL && largest > 0) scale *= 0x1p+200;
  if (scale != 1) po_la_mat_scale(A, scale);
#if PO_LA_AVX2
  if (po_la_avx2()) *rank = qrp_factor_avx2(&q);
  else
#endif
    *rank = qrp_factor_plain(&q);
  for (k = *rank; k < steps; k++) tau[k] = 0;
  for (k = 0; scale != 1 && k < m; k++) { /* R, and what the rank decision left */
    int first = k < *rank ? k : *rank;
    po_scale(po_row(A, k) + first, 1 / scale, n - first);
  }
  po_arena_release(scratch, mark);
  return PO_OK;
}
