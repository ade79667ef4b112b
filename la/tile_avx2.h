/* tile_avx2.h: the register tile that gemm, syrk, triangular solves and Cholesky share. Not for users of the library.
 *
 * A tile of C has up to 4 rows and up to 3 vectors of 4 columns: 12 sums in registers, 3 vectors of B and one broadcast element of
 * A fill the 16 registers of AVX2, and 12 independent chains hide the latency of the fused multiply-add on every core that has
 * two such units. Rows of B are contiguous; op(A) is reached through two strides, so a transposed A costs nothing. */
#ifndef PO_LA_TILE_AVX2_H
#define PO_LA_TILE_AVX2_H

#include "kernels.h"

#if PO_LA_AVX2

#if defined(__clang__)
#define PO_LA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PO_LA_UNROLL _Pragma("GCC unroll 16")
#endif
#define PO_LA_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

/* The first `count` (1…4) lanes. */
PO_LA_INLINE __m256i po_la_mask(int count) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3)); }

/* Reads or writes only the first `count` lanes. Partial stores are made of narrow ones: a masked store costs a dozen cycles. */
PO_LA_INLINE __m256d po_la_load_part(const double *p, int count) {
  return count >= 4 ? _mm256_loadu_pd(p) : _mm256_maskload_pd(p, po_la_mask(count));
}
PO_LA_INLINE void po_la_store_part(double *p, __m256d v, int count) {
  __m128d low = _mm256_castpd256_pd128(v);
  if (count >= 4) {
    _mm256_storeu_pd(p, v);
  } else if (count == 3) {
    _mm_storeu_pd(p, low);
    _mm_store_sd(p + 2, _mm256_extractf128_pd(v, 1));
  } else if (count == 2) {
    _mm_storeu_pd(p, low);
  } else if (count == 1) {
    _mm_store_sd(p, low);
  }
}
/* Lanes from `first` on. */
PO_LA_INLINE void po_la_store_from(double *p, __m256d v, int first) {
  __m128d high = _mm256_extractf128_pd(v, 1);
  if (first == 0) {
    _mm256_storeu_pd(p, v);
  } else if (first == 1) {
    _mm_storeh_pd(p + 1, _mm256_castpd256_pd128(v));
    _mm_storeu_pd(p + 2, high);
  } else if (first == 2) {
    _mm_storeu_pd(p + 2, high);
  } else if (first == 3) {
    _mm_storeh_pd(p + 3, high);
  }
}

/* Four rows become four columns. */
PO_LA_INLINE void po_la_transpose4(__m256d *a, __m256d *b, __m256d *c, __m256d *d) {
  __m256d p = _mm256_unpacklo_pd(*a, *b), q = _mm256_unpackhi_pd(*a, *b);
  __m256d r = _mm256_unpacklo_pd(*c, *d), s = _mm256_unpackhi_pd(*c, *d);
  *a = _mm256_permute2f128_pd(p, r, 0x20);
  *b = _mm256_permute2f128_pd(q, s, 0x20);
  *c = _mm256_permute2f128_pd(p, r, 0x31);
  *d = _mm256_permute2f128_pd(q, s, 0x31);
}

PO_LA_INLINE double po_la_sum4(__m256d v) { /* (v0 + v2) + (v1 + v3) */
  __m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}

/* Sums of the lanes of four vectors, in one go: lane p is (0 + 1) + (2 + 3) of s_p. */
PO_LA_INLINE __m256d po_la_sum4x4(__m256d s0, __m256d s1, __m256d s2, __m256d s3) {
  __m256d a = _mm256_hadd_pd(s0, s1), b = _mm256_hadd_pd(s2, s3);
  return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
}

/* Where the elements of op(A) (rows × depth) and B (depth × columns, rows contiguous) stand. */
typedef struct po_la_operands {
  const double *a;
  ptrdiff_t a_row, a_col;
  const double *b;
  ptrdiff_t b_row;
  int depth;
} po_la_operands;

/* acc[p][v] = sum over k of op(A)(p,k) B(k, 4v…4v+3), k ascending, mr × nv vectors; `tail` lanes of the last one exist (4: all). */
PO_LA_INLINE void po_la_tile(__m256d acc[4][3], int mr, int nv, int tail, po_la_operands o) {
  const double *a0 = o.a, *a1 = o.a + o.a_row, *a2 = o.a + 2 * o.a_row, *a3 = o.a + 3 * o.a_row, *b = o.b;
  __m256i mask = po_la_mask(tail);
  int k, v;
  PO_LA_UNROLL for (v = 0; v < nv; v++) acc[0][v] = acc[1][v] = acc[2][v] = acc[3][v] = _mm256_setzero_pd();
  for (k = 0; k < o.depth; k++) {
    __m256d x, y[3];
    PO_LA_UNROLL for (v = 0; v < nv; v++) y[v] =
        v == nv - 1 && tail < 4 ? _mm256_maskload_pd(b + 4 * v, mask) : _mm256_loadu_pd(b + 4 * v);
    x = _mm256_broadcast_sd(a0);
    PO_LA_UNROLL for (v = 0; v < nv; v++) acc[0][v] = _mm256_fmadd_pd(x, y[v], acc[0][v]);
    a0 += o.a_col;
    if (mr > 1) {
      x = _mm256_broadcast_sd(a1);
      PO_LA_UNROLL for (v = 0; v < nv; v++) acc[1][v] = _mm256_fmadd_pd(x, y[v], acc[1][v]);
      a1 += o.a_col;
    }
    if (mr > 2) {
      x = _mm256_broadcast_sd(a2);
      PO_LA_UNROLL for (v = 0; v < nv; v++) acc[2][v] = _mm256_fmadd_pd(x, y[v], acc[2][v]);
      a2 += o.a_col;
    }
    if (mr > 3) {
      x = _mm256_broadcast_sd(a3);
      PO_LA_UNROLL for (v = 0; v < nv; v++) acc[3][v] = _mm256_fmadd_pd(x, y[v], acc[3][v]);
      a3 += o.a_col;
    }
    b += o.b_row;
  }
}

/* C = beta C + alpha op(A) B for a C of at most PO_LA_STRIP columns (gemm.c). */
#define PO_LA_STRIP 12
#define PO_LA_DEPTH 256 /* of a packed strip: 12 × 256 doubles are 24 KiB of stack */
void po_la_gemm_strip(po_mat C, double beta, double alpha, po_la_operands o);
/* How many columns the next strip takes when `left` are left. */
int po_la_strip_width(int left);

/* Packs rows j…j+width−1 of B (n × depth) as depth × 4·ceil(width/4), so that a transposed B has contiguous rows. */
PO_LA_INLINE void po_la_pack_transposed(double *out, const double *b, ptrdiff_t ld, int width, int depth) {
  int stride = po_pad4(width), j, k;
  for (j = 0; j < width; j += 4) {
    const double *r = b + j * ld;
    int have = width - j;
    ptrdiff_t l1 = have > 1 ? ld : 0, l2 = have > 2 ? 2 * ld : 0, l3 = have > 3 ? 3 * ld : 0; /* missing rows repeat row 0 */
    double *w = out + j;
    for (k = 0; k + 4 <= depth; k += 4, w += 4 * stride) {
      __m256d x0 = _mm256_loadu_pd(r + k), x1 = _mm256_loadu_pd(r + l1 + k), x2 = _mm256_loadu_pd(r + l2 + k);
      __m256d x3 = _mm256_loadu_pd(r + l3 + k);
      po_la_transpose4(&x0, &x1, &x2, &x3);
      _mm256_storeu_pd(w, x0);
      _mm256_storeu_pd(w + stride, x1);
      _mm256_storeu_pd(w + 2 * stride, x2);
      _mm256_storeu_pd(w + 3 * stride, x3);
    }
    for (; k < depth; k++, w += stride) _mm256_storeu_pd(w, _mm256_setr_pd(r[k], r[l1 + k], r[l2 + k], r[l3 + k]));
  }
}

/* The same for a B (depth × n) as it is: a strip of its columns, close together. */
PO_LA_INLINE void po_la_pack(double *out, const double *b, ptrdiff_t ld, int width, int depth) {
  int stride = po_pad4(width), tail = width - (stride - 4), j, k;
  for (k = 0; k < depth; k++, out += stride, b += ld) {
    for (j = 0; j < stride - 4; j += 4) _mm256_storeu_pd(out + j, _mm256_loadu_pd(b + j));
    _mm256_storeu_pd(out + j, po_la_load_part(b + j, tail));
  }
}

/* Rows this far apart fall into few sets of the first-level cache: 64 doubles are one eighth of its 4 KiB ways. */
PO_LA_INLINE int po_la_rows_collide(int ld, int depth) { return ld % 64 == 0 && depth > 16; }

#endif
#endif
