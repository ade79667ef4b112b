/* box.c: min ½d'Hd + g'd with lo ≤ d ≤ hi, by projected Newton (Bertsekas 1982; Tassa, Mansard, Todorov 2014, algorithm 1).
 *
 * po_qp could do it; here the Cholesky factor of the free block is wanted afterwards, since the feedback gains of a frame are
 * solves with it. */
#include "ddp_internal.h"

#include <math.h>
#include <string.h>

#define BOX_ITERATIONS 60
#define BOX_ARMIJO 0.1
#define BOX_HALVINGS 6

static double box_value(const double *d, const double *Hd, const double *g, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += d[i] * (0.5 * Hd[i] + g[i]);
  return sum;
}

/* y = H d, lower triangle of H. */
static void box_product(double *y, po_mat H, const double *d) {
  for (int i = 0; i < H.rows; i++) {
    const double *row = po_row(H, i);
    double sum = row[i] * d[i];
    for (int j = 0; j < i; j++) {
      sum += row[j] * d[j];
      y[j] += row[j] * d[i];
    }
    y[i] = sum;
  }
}

/* Who stays at a bound because the slope s presses it there; 1 when that changed. */
static int box_clamp(signed char *clamped, int *index, int *free_count, const double *d, const double *s, const double *lo,
                     const double *hi, int n) {
  int changed = 0, count = 0;
  for (int i = 0; i < n; i++) {
    signed char now = d[i] <= lo[i] && s[i] > 0 ? -1 : d[i] >= hi[i] && s[i] < 0 ? 1 : 0;
    if (lo[i] == hi[i]) now = s[i] >= 0 ? -1 : 1;
    changed |= now != clamped[i];
    clamped[i] = now;
    if (now == 0) index[count++] = i;
  }
  *free_count = count;
  return changed;
}

static po_status box_factor(po_mat L, po_mat H, const int *index, int count) {
  po_mat top = po_block(L, 0, 0, count, count);
  for (int i = 0; i < count; i++)
    for (int j = 0; j <= i; j++) PO_AT(top, i, j) = PO_AT(H, index[i], index[j]);
  return po_cholesky(top, NULL, top);
}

/* Newton steps within a face, each as far as its first bound, which then joins the face: to the face's minimum in n steps at most. The
 * projected line misses it when a variable lies just short of a bound that its step would carry it far across. */
static po_status box_walk(double *d, signed char *clamped, int *index, int *free_count, po_mat L, po_mat H, const double *g, const double *lo,
                          const double *hi, double *slope, double *step) {
  for (;;) {
    int count = *free_count, first = -1;
    double alpha = 1;
    po_status status;
    box_product(slope, H, d);
    for (int i = 0; i < count; i++) step[i] = -(slope[index[i]] + g[index[i]]);
    po_cholesky_solve(step, po_block(L, 0, 0, count, count));
    for (int i = 0; i < count; i++) {
      double room = step[i] > 0 ? hi[index[i]] - d[index[i]] : lo[index[i]] - d[index[i]];
      if (po_abs(room) >= alpha * po_abs(step[i])) continue;
      alpha = room / step[i];
      first = i;
    }
    for (int i = 0; i < count; i++) d[index[i]] = po_clamp(d[index[i]] + alpha * step[i], lo[index[i]], hi[index[i]]);
    if (first < 0) return PO_OK;
    clamped[index[first]] = step[first] > 0 ? 1 : -1;
    d[index[first]] = step[first] > 0 ? hi[index[first]] : lo[index[first]];
    memmove(index + first, index + first + 1, sizeof *index * (size_t)(count - first - 1));
    *free_count = count - 1;
    status = box_factor(L, H, index, *free_count);
    if (status != PO_OK || *free_count == 0) return status;
  }
}

po_status po_ddp_box(double *d, signed char *clamped, int *index, int *free_count, po_mat L, po_mat H, const double *g,
                     const double *lo, const double *hi, double *work) {
  int n = H.rows, factored = 0;
  double *Hd = work, *slope = work + n, *trial = work + 2 * n;
  for (int i = 0; i < n; i++) d[i] = po_clamp(d[i], lo[i], hi[i]);
  for (int iteration = 0; iteration < BOX_ITERATIONS; iteration++) {
    double value, best, alpha = 1, largest = 0, decrease = 0;
    int changed, accepted = 0;
    box_product(Hd, H, d);
    value = box_value(d, Hd, g, n);
    for (int i = 0; i < n; i++) slope[i] = g[i] + Hd[i];
    changed = box_clamp(clamped, index, free_count, d, slope, lo, hi, n);
    if (changed || !factored) {
      po_status status = box_factor(L, H, index, *free_count);
      if (status != PO_OK) return status;
      factored = 1;
    }
    if (*free_count == 0) return PO_OK;
    for (int i = 0; i < *free_count; i++) trial[i] = -slope[index[i]];
    po_cholesky_solve(trial, po_block(L, 0, 0, *free_count, *free_count));
    for (int i = 0; i < *free_count; i++) {
      double s = trial[i];
      largest = po_max(largest, po_abs(s) / (1 + po_abs(d[index[i]])));
      decrease -= s * slope[index[i]];
    }
    for (int i = *free_count - 1; i >= 0; i--)
      slope[index[i]] = trial[i]; /* the step; slopes of the free are not needed any more */
    if (!(decrease > PO_EPS * po_abs(value)) && largest < 1e-9) return PO_OK; /* below what a double of this value can show */
    best = value;
    for (int half = 0; half < BOX_HALVINGS && !accepted; half++, alpha *= 0.5) {
      double there;
      memcpy(trial, d, sizeof(double) * (size_t)n);
      for (int i = 0; i < *free_count; i++) {
        int at = index[i];
        trial[at] = po_clamp(d[at] + alpha * slope[at], lo[at], hi[at]);
      }
      box_product(Hd, H, trial);
      there = box_value(trial, Hd, g, n);
      if (there <= value - BOX_ARMIJO * alpha * decrease * 0.1 || (half == 0 && there <= best && largest < 1e-6)) accepted = 1;
    }
    if (accepted) memcpy(d, trial, sizeof(double) * (size_t)n);
    else {
      po_status status = box_walk(d, clamped, index, free_count, L, H, g, lo, hi, Hd, slope);
      if (status != PO_OK) return status;
      box_product(Hd, H, d);
      if (!(box_value(d, Hd, g, n) < value)) return PO_OK; /* rounding */
    }
  }
  return PO_OK;
}
