/* kernels.h: loops over a list of matrix rows; all the arithmetic of the lexicographic solver that grows with n² is made of
 * them. Not for users.
 *
 * Row i of the list is m + rows[i]·ld (rows NULL: i itself), of which the elements from a to b−1 take part.
 *   dots   out[i]  = m_i · x
 *   sum    out    += Σ alpha[i] m_i
 *   terms  out    += Σ alpha[i] m_i, size += Σ |alpha[i]| |m_i|: what the sum was made of
 *   add    m_i    += alpha[i] x          (rows with alpha[i] = 0 are not touched)
 *   reflect m_i   -= tau (m_i · v) v
 *   scan   one row: bit j % 64 of mask[j / 64] says whether element j is not zero; peak[j] = max(peak[j], |m_j|); the square of its length is returned
 * The plain version is the reference; the AVX2 twin keeps one fixed order of summation of its own.
 */
#ifndef PO_LEX_KERNELS_H
#define PO_LEX_KERNELS_H

#include <stdint.h>

typedef struct po_lex_kernels {
  void (*dots)(double *out, const double *m, int ld, const int *rows, int count, const double *x, int a, int b);
  void (*sum)(double *out, const double *m, int ld, const int *rows, int count, const double *alpha, int a, int b);
  void (*terms)(double *out, double *size, const double *m, int ld, const int *rows, int count, const double *alpha, int n);
  void (*add)(double *m, int ld, const int *rows, int count, const double *alpha, const double *x, int a, int b);
  void (*reflect)(double *m, int ld, const int *rows, int count, double tau, const double *v, int a, int b);
  double (*scan)(uint64_t *mask, double *peak, const double *m, int n);
  /* M = R^-1 M for an upper triangle R (q × q) and q rows of M, elements a to b−1 of each, a and b multiples of 4. The first `apart`
   * rows of R are diagonal among themselves. What is left by cancellation alone is cleared: an element becomes 0 when its sum is
   * below tol times the size of the terms, where a right-hand side that is not zero has at least the size floor[element]. */
  void (*backsolve)(double *m, int ld, const double *r, int ldr, int q, int apart, int a, int b, double tol, const double *floor);
} po_lex_kernels;

/* The table for the SIMD choice in force. */
const po_lex_kernels *po_lex_kernels_get(void);

#endif
