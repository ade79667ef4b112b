/* svd_qr.c: bidiagonalization and implicit QR, the fast SVD.
 *
 * Householder reflectors from both sides bring G to an upper bidiagonal B (Golub & Kahan 1965); QR sweeps with the shift of the
 * trailing 2×2 block, or with none where the block is singular (Demmel & Kahan 1990), make B diagonal. The reflectors leave an error
 * of eps ‖G‖ in B whatever its small values are, so an off-diagonal below that is zero: chasing relative accuracy in the noise of a
 * rank-deficient G would take ten times the sweeps (use Jacobi where small values matter). A sweep that runs up is a sweep that
 * runs down the flipped matrix with the two sides exchanged, so one function does both. */
#include "kernels.h"

#include <math.h>

#define SVD_QR_PASSES 30 /* rotations per n² before giving up; 2 is usual */

/* ---- the two sets of reflectors ------------------------------------------------------------------------------------------- */

/* Ut and Vt from the reflectors below the diagonal and right of the superdiagonal of G. */
static void svd_qr_form(po_mat Ut, po_mat Vt, po_mat G, const double *tauq, const double *taup, po_mat T, po_arena *scratch) {
  int n = G.rows;
  if (Ut.a) {
    po_qr_form(T, G, tauq, n, scratch);
    po_mat_transpose(Ut, T);
  }
  if (Vt.a) {
    po_mat_transpose(T, G);
    po_mat_identity(Vt);
    if (n > 1) {
      /* V = diag(1, H_0 H_1 …); formed in the place of G, which is of no more use */
      po_mat inner = po_block(G, 1, 1, n - 1, n - 1);
      po_qr_form(inner, po_block(T, 1, 0, n - 1, n - 1), taup, n - 1, scratch);
      po_mat_transpose(po_block(Vt, 1, 1, n - 1, n - 1), inner);
    }
  }
}

/* ---- the bidiagonal QR iteration ---------------------------------------------------------------------------------------- */

/* The smaller singular value of [f g; 0 h], without overflow and to full relative accuracy. */
static double svd_qr_small_value(double f, double g, double h) {
  double fa = po_abs(f), ga = po_abs(g), ha = po_abs(h), lo = po_min(fa, ha), hi = po_max(fa, ha), as, at, au;
  if (lo == 0) return 0;
  as = 1 + lo / hi;
  at = (hi - lo) / hi;
  if (ga < hi) {
    au = (ga / hi) * (ga / hi);
    return lo * (2 / (sqrt(as * as + au) + sqrt(at * at + au)));
  }
  au = hi / ga;
  if (au == 0) return lo * hi / ga;
  return 2 * (lo * (1 / (sqrt(1 + (as * au) * (as * au)) + sqrt(1 + (at * au) * (at * au))))) * au;
}

/* A block of B in the direction of the sweep: D(k) = d[k*dir], E(k) = e[k*dir], k = 0…count. */
typedef struct svd_qr_block {
  double *d, *e;
  int count, dir; /* count: number of off-diagonal elements */
} svd_qr_block;

/* One step of a shifted sweep, by two rotations one after the other. */
typedef struct svd_qr_step {
  double f, g, d, e;           /* the bulge (f, g), and the elements of B it meets */
  double c1, s1, c2, s2, r, q; /* the rotations; what they leave off and on the diagonal */
} svd_qr_step;

static void svd_qr_step_plain(svd_qr_step *t, double dn, double en) {
  double f, ev, dv;
  po_givens(&t->c1, &t->s1, &t->r, t->f, t->g);
  f = t->c1 * t->d + t->s1 * t->e;
  ev = t->c1 * t->e - t->s1 * t->d;
  dv = t->c1 * dn;
  po_givens(&t->c2, &t->s2, &t->q, f, t->s1 * dn);
  t->f = t->c2 * ev + t->s2 * dv;
  t->d = t->c2 * dv - t->s2 * ev;
  t->g = t->s2 * en;
  t->e = t->c2 * en;
}

/* One sweep; rotations (c1,s1) belong to the columns of B and (c2,s2) to its rows when it runs down, the reverse when up.
 *
 * The sweep is one chain of dependent operations, so its time is their latency. Two rotations one after the other put two square roots
 * into the chain for each k; multiplied out, one is enough. With h = f² + g² the first rotation is (f, g)/sqrt(h); it turns (d, e)
 * into (p, u)/sqrt(h) and (0, dn) into (q, v)/sqrt(h); with m = p² + q² the second is (p, q)/sqrt(m), and what both leave for the
 * next k has the common divisor sqrt(h m). Divisions run beside the roots: 1/sqrt(x) = sqrt(x) · (1/x). */
static void svd_qr_sweep_shifted(svd_qr_block b, double shift, double *c1, double *s1, double *c2, double *s2) {
  double *d = b.d, *e = b.e, dk = d[0], ek = e[0], f, g;
  int k, dir = b.dir;
  f = (po_abs(dk) - shift) * ((dk < 0 ? -1 : 1) + shift / dk);
  g = ek;
  for (k = 0; k < b.count; k++, d += dir, e += dir) {
    double dn = d[dir], en = k < b.count - 1 ? e[dir] : 0;
    double h = f * f + g * g, p = f * dk + g * ek, q = g * dn, u = f * ek - g * dk, v = f * dn;
    double m = p * p + q * q, hm = h * m;
    if (hm > PO_LA_TINY_SQUARE) {
      double both = sqrt(hm), inverse = both * (1 / hm), root = sqrt(h), first = root * (1 / h), second = root * inverse;
      if (k > 0) e[-dir] = root;
      c1[k] = f * first;
      s1[k] = g * first;
      c2[k] = p * second;
      s2[k] = q * second;
      d[0] = m * second * first; /* sqrt(m / h) */
      f = (p * u + q * v) * inverse;
      dk = (p * v - q * u) * inverse;
      g = q * second * en;
      ek = p * second * en;
    } else { /* so small that the products may have vanished */
      svd_qr_step t = {f, g, dk, ek, 0, 0, 0, 0, 0, 0};
      svd_qr_step_plain(&t, dn, en);
      if (k > 0) e[-dir] = t.r;
      c1[k] = t.c1, s1[k] = t.s1, c2[k] = t.c2, s2[k] = t.s2;
      d[0] = t.q;
      f = t.f, g = t.g, dk = t.d, ek = t.e;
    }
  }
  d[0] = dk;
  e[-dir] = f;
}

/* Demmel & Kahan's implicit zero-shift sweep: only products and rotations, so every value keeps its relative accuracy. */
static void svd_qr_sweep_zero(svd_qr_block b, double *c1, double *s1, double *c2, double *s2) {
  double *d = b.d, *e = b.e, c = 1, s = 0, oldc = 1, olds = 0, r, h;
  int k, dir = b.dir;
  for (k = 0; k < b.count; k++, d += dir, e += dir) {
    po_givens(&c, &s, &r, d[0] * c, e[0]);
    if (k > 0) e[-dir] = olds * r;
    po_givens(&oldc, &olds, &d[0], oldc * r, d[dir] * s);
    c1[k] = c;
    s1[k] = s;
    c2[k] = oldc;
    s2[k] = olds;
  }
  h = d[0] * c;
  d[0] = h * oldc;
  e[-dir] = h * olds;
}

/* The shift for the sweep, or 0: when a diagonal element is zero to working precision a sweep without shift deflates it at once, and
 * when the shift would change nothing in the first column. */
static double svd_qr_shift(svd_qr_block b, double negligible) {
  double *last = b.d + b.count * b.dir, shift;
  int k;
  for (k = 0; k <= b.count; k++)
    if (po_abs(b.d[k * b.dir]) <= negligible) return 0;
  shift = svd_qr_small_value(last[-b.dir], b.e[(b.count - 1) * b.dir], last[0]);
  return shift * shift < PO_EPS * (b.d[0] * b.d[0]) ? 0 : shift;
}

static po_status svd_qr_iterate(double *d, double *e, int n, po_mat Ut, po_mat Vt, double *work) {
  double *c1 = work, *s1 = work + n, *c2 = work + 2 * n, *s2 = work + 3 * n, negligible = 0;
  int last = n - 1, first, oldfirst = -1, oldlast = -1, i, dir = 1;
  double budget = (double)SVD_QR_PASSES * n * n;
  for (i = 0; i < n; i++) negligible = po_max(negligible, po_max(po_abs(d[i]), i + 1 < n ? po_abs(e[i]) : 0));
  negligible *= PO_EPS;
  while (last > 0) {
    double shift;
    svd_qr_block b;
    for (first = last; first > 0 && po_abs(e[first - 1]) > negligible; first--) {}
    if (first > 0) e[first - 1] = 0;
    if (first == last) {
      last--;
      continue;
    }
    if (first > oldlast || last < oldfirst || oldlast < 0) dir = po_abs(d[first]) >= po_abs(d[last]) ? 1 : -1;
    oldfirst = first;
    oldlast = last;
    b.d = dir > 0 ? d + first : d + last;
    b.e = dir > 0 ? e + first : e + last - 1;
    b.count = last - first;
    b.dir = dir;
    if (budget < 0) return PO_ERR_ITERATIONS;
    budget -= b.count;
    shift = svd_qr_shift(b, negligible);
    if (shift == 0) svd_qr_sweep_zero(b, c1, s1, c2, s2);
    else svd_qr_sweep_shifted(b, shift, c1, s1, c2, s2);
    if (Vt.a) po_la_rotate_rows(Vt, dir > 0 ? first : last, b.count, dir, dir > 0 ? c1 : c2, dir > 0 ? s1 : s2);
    if (Ut.a) po_la_rotate_rows(Ut, dir > 0 ? first : last, b.count, dir, dir > 0 ? c2 : c1, dir > 0 ? s2 : s1);
  }
  return PO_OK;
}

static void svd_qr_swap_rows(po_mat A, int p, int q) {
  double *x = po_row(A, p), *y = po_row(A, q);
  int i;
  for (i = 0; i < A.cols; i++) {
    double t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

/* Values positive and in descending order, their vectors with them. */
static void svd_qr_sort(double *s, int n, po_mat Ut, po_mat Vt) {
  int i, j;
  for (i = 0; i < n; i++)
    if (s[i] < 0) {
      s[i] = -s[i];
      if (Vt.a) po_scale(po_row(Vt, i), -1, n);
    }
  for (i = 0; i < n - 1; i++) {
    int best = i;
    double t = s[i];
    for (j = i + 1; j < n; j++)
      if (s[j] > s[best]) best = j;
    if (best == i) continue;
    s[i] = s[best];
    s[best] = t;
    if (Ut.a) svd_qr_swap_rows(Ut, i, best);
    if (Vt.a) svd_qr_swap_rows(Vt, i, best);
  }
}

po_status po_la_svd_qr(po_mat G, double *s, po_mat Ut, po_mat Vt, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  int n = G.rows;
  po_mat T = po_arena_mat(scratch, n, n);
  double *work = PO_ARENA_ARRAY(scratch, double, 7 * n + 16);
  double *e = work, *tauq = work + n, *taup = work + 2 * n;
  po_status status = PO_OK;
  if (n == 0) return PO_OK;
  if (!T.a || !work) return PO_ERR_MEMORY;
  po_la_bidiagonalize(G, s, e, tauq, taup, work + 3 * n);
  svd_qr_form(Ut, Vt, G, tauq, taup, T, scratch);
  status = svd_qr_iterate(s, e, n, Ut, Vt, work + 3 * n);
  if (status == PO_OK) svd_qr_sort(s, n, Ut, Vt);
  po_arena_release(scratch, mark);
  return status;
}
