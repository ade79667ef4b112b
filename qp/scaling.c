/* scaling.c: row and column factors that bring the KKT matrix [H A' C'; A; C] near entries of size one.
 *
 * Ruiz (2001): divide each row and column by the square root of its largest entry, a few times over; the result does not depend on
 * the units the user chose. Factors are powers of two, so scaling and unscaling are exact. */
#include "qp_internal.h"

#include <string.h>

/* The power of two at or below v (v positive and normal; else 1). */
static double scl_power(double v) {
  uint64_t bits;
  if (!(v > 1e-300) || !(v < 1e300)) return 1;
  memcpy(&bits, &v, sizeof bits);
  bits &= 0xfff0000000000000u;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* Largest entry of every column into col_max, of every row into row_max, of the matrix scaled so far. */
static void scl_maxima(double *col_max, double *row_max, const po_qp_scaling *sc, const po_qp *p) {
  int i, j, n = p->n;
  memset(col_max, 0, sizeof *col_max * (size_t)n);
  if (p->H.a)
    for (i = 0; i < n; i++) {
      const double *h = po_row(p->H, i);
      double di = sc->col[i] * sc->cost;
      for (j = 0; j < n; j++) col_max[j] = po_max(col_max[j], po_abs(h[j]) * di);
    }
  for (i = 0; i < p->me + p->mi; i++) {
    const double *a = i < p->me ? po_row(p->A, i) : po_row(p->C, i - p->me);
    double e = sc->row[i], largest = 0;
    for (j = 0; j < n; j++) {
      double v = po_abs(a[j]);
      col_max[j] = po_max(col_max[j], v * e);
      largest = po_max(largest, v * sc->col[j]);
    }
    row_max[i] = largest * e;
  }
  for (j = 0; j < n; j++) col_max[j] *= sc->col[j];
}

void po_qp_equilibrate(po_qp_scaling *sc, const po_qp *p, int sweeps, po_arena *scratch) {
  int i, j, k, n = p->n, m = p->me + p->mi;
  size_t mark = po_arena_mark(scratch);
  double *col_max = PO_ARENA_ARRAY(scratch, double, n), *row_max = PO_ARENA_ARRAY(scratch, double, m);
  double largest = 0;
  for (j = 0; j < n; j++) sc->col[j] = 1;
  for (i = 0; i < m; i++) sc->row[i] = 1;
  sc->cost = 1;
  if (!col_max || !row_max) {
    po_arena_release(scratch, mark);
    return;
  }
  for (k = 0; k < sweeps; k++) {
    scl_maxima(col_max, row_max, sc, p);
    for (j = 0; j < n; j++)
      if (col_max[j] > 0) sc->col[j] = po_clamp(sc->col[j] / sqrt(col_max[j]), 1e-8, 1e8);
    for (i = 0; i < m; i++)
      if (row_max[i] > 0) sc->row[i] = po_clamp(sc->row[i] / sqrt(row_max[i]), 1e-12, 1e12);
    if (p->H.a) { /* keep H comparable with the rows while the columns change */
      double h = 0;
      for (i = 0; i < n; i++) h = po_max(h, po_abs(PO_AT(p->H, i, i)) * sc->col[i] * sc->col[i]);
      if (h > 0) sc->cost = po_clamp(1 / h, 1e-20, 1e20);
    }
  }
  for (j = 0; j < n; j++) sc->col[j] = scl_power(sc->col[j]);
  for (i = 0; i < m; i++) sc->row[i] = scl_power(sc->row[i]);
  /* the cost: its largest entry, quadratic or linear, becomes about one */
  for (j = 0; j < n; j++) {
    if (p->H.a) largest = po_max(largest, po_abs(PO_AT(p->H, j, j)) * sc->col[j] * sc->col[j]);
    if (p->g) largest = po_max(largest, po_abs(p->g[j]) * sc->col[j]);
  }
  sc->cost = largest > 0 ? scl_power(1 / largest) : 1;
  po_arena_release(scratch, mark);
}
