/* triangular.c: solves with a triangle.
 *
 * Every loop runs along rows: dot products when op(T) is read by rows, axpys when by columns. With many right-hand sides the AVX2
 * version takes four rows of B at a time: what the solved rows contribute is a register tile of gemm, and the 4×4 triangle on
 * the diagonal is solved in the same registers. */
#include "tile_avx2.h"

static void triangular_vector_plain(po_mat T, po_uplo uplo, po_trans trans, po_diag diag, double *x) {
  int n = T.rows, i;
  if (uplo == PO_LOWER && trans == PO_N) {
    for (i = 0; i < n; i++) {
      x[i] -= po_dot(po_row(T, i), x, i);
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
    }
  } else if (uplo == PO_UPPER && trans == PO_N) {
    for (i = n - 1; i >= 0; i--) {
      x[i] -= po_dot(po_row(T, i) + i + 1, x + i + 1, n - i - 1);
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
    }
  } else if (uplo == PO_LOWER) {
    for (i = n - 1; i >= 0; i--) {
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
      po_axpy(x, -x[i], po_row(T, i), i);
    }
  } else {
    for (i = 0; i < n; i++) {
      if (diag == PO_NON_UNIT) x[i] /= PO_AT(T, i, i);
      po_axpy(x + i + 1, -x[i], po_row(T, i) + i + 1, n - i - 1);
    }
  }
}

/* Row i of B depends on the rows before it (op(T) lower) or after it (op(T) upper). */
static void triangular_left_plain(po_mat T, po_uplo uplo, po_trans trans, po_diag diag, po_mat B) {
  int n = T.rows, lower = (uplo == PO_LOWER) == (trans == PO_N), step, i, j, k;
  for (step = 0; step < n; step++) {
    double *row;
    i = lower ? step : n - 1 - step;
    row = po_row(B, i);
    for (k = lower ? 0 : n - 1; k != i; k += lower ? 1 : -1)
      po_axpy(row, -(trans == PO_N ? PO_AT(T, i, k) : PO_AT(T, k, i)), po_row(B, k), B.cols);
    if (diag == PO_NON_UNIT) {
      double d = PO_AT(T, i, i);
      for (j = 0; j < B.cols; j++) row[j] /= d;
    }
  }
}

/* ---- one right-hand side, AVX2 ------------------------------------------------------------------------------------------- */

#if PO_LA_AVX2

/* The triangle of four unknowns: t(r,c) = t[r*row + c*col]. Reciprocals of the diagonal are taken beside the chain of dependent
 * operations, not in it. */
PO_LA_INLINE void triangular_four(double *x, const double *t, ptrdiff_t row, ptrdiff_t col, int lower, int unit) {
  double i0 = unit ? 1 : 1 / t[0], i1 = unit ? 1 : 1 / t[row + col];
  double i2 = unit ? 1 : 1 / t[2 * (row + col)], i3 = unit ? 1 : 1 / t[3 * (row + col)];
  if (lower) {
    x[0] = x[0] * i0;
    x[1] = (x[1] - t[row] * x[0]) * i1;
    x[2] = ((x[2] - t[2 * row] * x[0]) - t[2 * row + col] * x[1]) * i2;
    x[3] = (((x[3] - t[3 * row] * x[0]) - t[3 * row + col] * x[1]) - t[3 * row + 2 * col] * x[2]) * i3;
  } else {
    x[3] = x[3] * i3;
    x[2] = (x[2] - t[2 * row + 3 * col] * x[3]) * i2;
    x[1] = ((x[1] - t[row + 3 * col] * x[3]) - t[row + 2 * col] * x[2]) * i1;
    x[0] = (((x[0] - t[3 * col] * x[3]) - t[2 * col] * x[2]) - t[col] * x[1]) * i0;
  }
}

/* Sums of four rows of T with x, n long, in the four lanes. */
PO_LA_INLINE __m256d triangular_dots(const double *t, ptrdiff_t ld, const double *x, int n) {
  __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
  int j;
  for (j = 0; j + 4 <= n; j += 4) {
    __m256d y = _mm256_loadu_pd(x + j);
    s0 = _mm256_fmadd_pd(_mm256_loadu_pd(t + j), y, s0);
    s1 = _mm256_fmadd_pd(_mm256_loadu_pd(t + ld + j), y, s1);
    s2 = _mm256_fmadd_pd(_mm256_loadu_pd(t + 2 * ld + j), y, s2);
    s3 = _mm256_fmadd_pd(_mm256_loadu_pd(t + 3 * ld + j), y, s3);
  }
  if (j < n) {
    __m256i mask = po_la_mask(n - j);
    __m256d y = _mm256_maskload_pd(x + j, mask);
    s0 = _mm256_fmadd_pd(_mm256_maskload_pd(t + j, mask), y, s0);
    s1 = _mm256_fmadd_pd(_mm256_maskload_pd(t + ld + j, mask), y, s1);
    s2 = _mm256_fmadd_pd(_mm256_maskload_pd(t + 2 * ld + j, mask), y, s2);
    s3 = _mm256_fmadd_pd(_mm256_maskload_pd(t + 3 * ld + j, mask), y, s3);
  }
  return po_la_sum4x4(s0, s1, s2, s3);
}

/* x −= y_0 t_0 + … + y_3 t_3 for four rows of T, n long. */
PO_LA_INLINE void triangular_axpys(double *x, const double *y, const double *t, ptrdiff_t ld, int n) {
  __m256d y0 = _mm256_broadcast_sd(y), y1 = _mm256_broadcast_sd(y + 1), y2 = _mm256_broadcast_sd(y + 2),
          y3 = _mm256_broadcast_sd(y + 3);
  int j;
  for (j = 0; j < n; j += 4, t += 4) {
    int count = n - j;
    __m256d s = po_la_load_part(x + j, count);
    s = _mm256_fnmadd_pd(y0, po_la_load_part(t, count), s);
    s = _mm256_fnmadd_pd(y1, po_la_load_part(t + ld, count), s);
    s = _mm256_fnmadd_pd(y2, po_la_load_part(t + 2 * ld, count), s);
    s = _mm256_fnmadd_pd(y3, po_la_load_part(t + 3 * ld, count), s);
    po_la_store_part(x + j, s, count);
  }
}

/* Blocks of four from the top; the up to three unknowns at the end are done by the plain version, first or last. */
PO_LA_TARGET static void triangular_vector_avx2(po_mat T, po_uplo uplo, po_trans trans, po_diag diag, double *x) {
  int n = T.rows, whole = n & ~3, rest = n - whole, unit = diag == PO_UNIT, i;
  ptrdiff_t ld = T.ld;
  po_mat end = po_block(T, whole, whole, rest, rest);
  double *tail = x + whole;
  if (uplo == PO_LOWER && trans == PO_N) {
    for (i = 0; i < whole; i += 4) {
      const double *t = po_row(T, i);
      _mm256_storeu_pd(x + i, _mm256_sub_pd(_mm256_loadu_pd(x + i), triangular_dots(t, ld, x, i)));
      triangular_four(x + i, t + i, ld, 1, 1, unit);
    }
    for (i = whole; i < n; i++) x[i] -= po_dot(po_row(T, i), x, whole);
    triangular_vector_plain(end, uplo, trans, diag, tail);
  } else if (uplo == PO_UPPER && trans == PO_N) {
    triangular_vector_plain(end, uplo, trans, diag, tail);
    for (i = whole - 4; i >= 0; i -= 4) {
      const double *t = po_row(T, i) + i;
      _mm256_storeu_pd(x + i, _mm256_sub_pd(_mm256_loadu_pd(x + i), triangular_dots(t + 4, ld, x + i + 4, n - i - 4)));
      triangular_four(x + i, t, ld, 1, 0, unit);
    }
  } else if (uplo == PO_LOWER) {
    triangular_vector_plain(end, uplo, trans, diag, tail);
    for (i = n - 1; i >= whole; i--) po_axpy(x, -x[i], po_row(T, i), whole);
    for (i = whole - 4; i >= 0; i -= 4) {
      const double *t = po_row(T, i);
      triangular_four(x + i, t + i, 1, ld, 0, unit);
      triangular_axpys(x, x + i, t, ld, i);
    }
  } else {
    for (i = 0; i < whole; i += 4) {
      const double *t = po_row(T, i) + i;
      triangular_four(x + i, t, 1, ld, 1, unit);
      triangular_axpys(x + i + 4, x + i, t + 4, ld, n - i - 4);
    }
    triangular_vector_plain(end, uplo, trans, diag, tail);
  }
}

/* ---- many right-hand sides, AVX2 ----------------------------------------------------------------------------------------- */

/* op(T), through its strides. */
typedef struct triangular_op {
  const double *t;
  ptrdiff_t row, col;
  int n, lower, unit;
} triangular_op;

/* Rows i…i+mr−1 of X, nv vectors: X_i = op(T)_ii^-1 (X_i − op(T)_i,done X_done). */
PO_LA_INLINE void triangular_tile(triangular_op T, double *x, ptrdiff_t ldx, int i, int mr, int nv, int tail) {
  __m256d acc[4][3];
  po_la_operands o;
  const double *d = T.t + i * (T.row + T.col);
  int p, q, v, step, done = T.lower ? 0 : i + mr;
  o.a = T.t + i * T.row + done * T.col;
  o.a_row = T.row;
  o.a_col = T.col;
  o.b = x + done * ldx;
  o.b_row = ldx;
  o.depth = T.lower ? i : T.n - done;
  po_la_tile(acc, mr, nv, tail, o);
  PO_LA_UNROLL for (p = 0; p < mr; p++) {
    PO_LA_UNROLL for (v = 0; v < nv; v++) {
      const double *at = x + (i + p) * ldx + 4 * v;
      acc[p][v] = _mm256_sub_pd(v == nv - 1 && tail < 4 ? po_la_load_part(at, tail) : _mm256_loadu_pd(at), acc[p][v]);
    }
  }
  PO_LA_UNROLL for (step = 0; step < mr; step++) {
    p = T.lower ? step : mr - 1 - step;
    if (!T.unit) {
      __m256d inverse = _mm256_set1_pd(1 / d[p * (T.row + T.col)]);
      PO_LA_UNROLL for (v = 0; v < nv; v++) acc[p][v] = _mm256_mul_pd(acc[p][v], inverse);
    }
    PO_LA_UNROLL for (q = 0; q < mr; q++) {
      if (T.lower ? q > p : q < p) {
        __m256d s = _mm256_broadcast_sd(d + q * T.row + p * T.col);
        PO_LA_UNROLL for (v = 0; v < nv; v++) acc[q][v] = _mm256_fnmadd_pd(s, acc[p][v], acc[q][v]);
      }
    }
  }
  PO_LA_UNROLL for (p = 0; p < mr; p++) {
    PO_LA_UNROLL for (v = 0; v < nv; v++) {
      double *at = x + (i + p) * ldx + 4 * v;
      if (v == nv - 1 && tail < 4) po_la_store_part(at, acc[p][v], tail);
      else _mm256_storeu_pd(at, acc[p][v]);
    }
  }
}

/* The rows at the end that do not make a block of four. */
PO_LA_INLINE void triangular_ragged(triangular_op T, double *x, ptrdiff_t ldx, int i, int nv, int tail) {
  if (T.n - i == 1) triangular_tile(T, x, ldx, i, 1, nv, tail);
  else if (T.n - i == 2) triangular_tile(T, x, ldx, i, 2, nv, tail);
  else if (T.n - i == 3) triangular_tile(T, x, ldx, i, 3, nv, tail);
}

PO_LA_INLINE void triangular_strip(triangular_op T, double *x, ptrdiff_t ldx, int lower, int nv, int tail) {
  int i, whole = T.n & ~3;
  T.lower = lower; /* known when compiled */
  if (lower) {
    for (i = 0; i < whole; i += 4) triangular_tile(T, x, ldx, i, 4, nv, tail);
    triangular_ragged(T, x, ldx, whole, nv, tail);
  } else {
    triangular_ragged(T, x, ldx, whole, nv, tail);
    for (i = whole - 4; i >= 0; i -= 4) triangular_tile(T, x, ldx, i, 4, nv, tail);
  }
}

PO_LA_TARGET static void triangular_strip3(triangular_op T, double *x, ptrdiff_t ldx) {
  if (T.lower) triangular_strip(T, x, ldx, 1, 3, 4);
  else triangular_strip(T, x, ldx, 0, 3, 4);
}
PO_LA_TARGET static void triangular_strip2(triangular_op T, double *x, ptrdiff_t ldx) {
  if (T.lower) triangular_strip(T, x, ldx, 1, 2, 4);
  else triangular_strip(T, x, ldx, 0, 2, 4);
}
/* Up to four columns. */
PO_LA_TARGET static void triangular_strip1(triangular_op T, double *x, ptrdiff_t ldx, int tail) {
  if (T.lower) triangular_strip(T, x, ldx, 1, 1, tail);
  else triangular_strip(T, x, ldx, 0, 1, tail);
}

static void triangular_left_avx2(triangular_op T, po_mat B) {
  int j, width;
  for (j = 0; j < B.cols; j += width) {
    width = po_la_strip_width(B.cols - j);
    if (width == 12) triangular_strip3(T, B.a + j, B.ld);
    else if (width >= 8) triangular_strip2(T, B.a + j, B.ld), width = 8;
    else triangular_strip1(T, B.a + j, B.ld, width > 4 ? (width = 4) : width);
  }
}

#define TRIANGULAR_WIDE 256 /* unknowns that a transposed strip of B on the stack may have: 24 KiB */

/* X op(T) = B is op(T)' X' = B': twelve rows of B are transposed, solved as a strip and transposed back. */
static void triangular_right_avx2(triangular_op T, po_mat B) {
  double strip[12 * TRIANGULAR_WIDE];
  int i, rows;
  ptrdiff_t row = T.row;
  T.row = T.col;
  T.col = row;
  T.lower = !T.lower;
  for (i = 0; i < B.rows; i += rows) {
    po_mat X;
    rows = po_la_strip_width(B.rows - i);
    X = po_mat_of(strip, T.n, rows, po_pad4(rows));
    po_mat_transpose(X, po_block(B, i, 0, rows, T.n));
    triangular_left_avx2(T, X);
    po_mat_transpose(po_block(B, i, 0, rows, T.n), X);
  }
}

#endif

/* ---- entry ---------------------------------------------------------------------------------------------------------------- */

void po_trsv(double *x, po_mat T, po_uplo uplo, po_trans trans, po_diag diag) {
  PO_ASSERT(T.rows == T.cols);
  if (!T.rows) return; /* T.a may be NULL, on which no address may be computed */
#if PO_LA_AVX2
  if (po_la_avx2()) {
    triangular_vector_avx2(T, uplo, trans, diag, x);
    return;
  }
#endif
  triangular_vector_plain(T, uplo, trans, diag, x);
}

void po_trsm(po_mat B, po_mat T, po_side side, po_uplo uplo, po_trans trans, po_diag diag) {
  int i;
  PO_ASSERT(T.rows == T.cols && T.rows == (side == PO_LEFT ? B.rows : B.cols));
#if PO_LA_AVX2
  if (po_la_avx2() && (side == PO_LEFT || T.rows <= TRIANGULAR_WIDE)) {
    triangular_op op;
    op.t = T.a;
    op.row = trans == PO_N ? T.ld : 1;
    op.col = trans == PO_N ? 1 : T.ld;
    op.n = T.rows;
    op.lower = (uplo == PO_LOWER) == (trans == PO_N);
    op.unit = diag == PO_UNIT;
    if (side == PO_LEFT) triangular_left_avx2(op, B);
    else triangular_right_avx2(op, B);
    return;
  }
#endif
  if (side == PO_LEFT) triangular_left_plain(T, uplo, trans, diag, B);
  else /* x op(T) = b is op(T)' x' = b', row by row */
    for (i = 0; i < B.rows; i++) po_trsv(po_row(B, i), T, uplo, trans == PO_N ? PO_T : PO_N, diag);
}
