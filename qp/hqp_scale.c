/* hqp_scale.c: the same problem with its unknowns in other units, for where those at hand are so far apart that rank_tol cannot tell a rank.
 *
 * A rank is decided in the units of the rows: a column a million times shorter than its neighbours counts for nothing beside them, though its unknown may be
 * the only one that can meet a row. With x = D x', D of powers of two, no bit of a product changes, nor what a row misses. D is that of Curtis and Reid (1972):
 * log2 D and a row's own log-scale r minimize  Σ (log2 |a_ij| + log2 D_j − r_i)²,  by turns. Maximum norms by turns get worse with every pass. The rows keep
 * their lengths: those are weights. Unknowns that no row connects, not even by way of others, are then brought to rows of the same length.
 *
 * It is asked after a solve that proved nothing, or only by taking small terms for noise. A controller's columns are within a factor of 200 of each other; it
 * never pays for more than the look at them.
 */
#include "hqp_internal.h"

#include <math.h>
#include <string.h>

#define HQPS_APART 1e3     /* columns closer together than this stay as they are: far from rank_tol, 1e-8 */
#define HQPS_ENTRY 40      /* nor does an entry say anything about its column that is 2^40 times smaller than its row's largest */
#define HQPS_SWEEPS 10

/* log2 |a| to the next half; a is not zero. */
static double hqps_log(double a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  return (double)(int)(bits >> 52 & 2047) - 1023 + ((bits & 0xfffffffffffffu) > 0x6a09e667f3bcdu ? 0.5 : 0);
}

/* 2^e for |e| <= 1000. */
static double hqps_power(int e) {
  uint64_t bits = (uint64_t)(e + 1023) << 52;
  double a;
  memcpy(&a, &bits, sizeof a);
  return a;
}

/* One row's part in a sweep: where its entries stand off their mean. */
static void hqps_row(double *sum, double *count, double *log, const double *a, const double *unit, int n) {
  double most = -PO_INF, mean = 0;
  int j, entries = 0;
  for (j = 0; j < n; j++) {
    log[j] = a[j] != 0 ? hqps_log(a[j]) + unit[j] : -PO_INF;
    most = po_max(most, log[j]);
  }
  for (j = 0; j < n; j++)
    if (log[j] > most - HQPS_ENTRY) mean += log[j], entries++;
  if (entries < 2) return;
  mean /= entries;
  for (j = 0; j < n; j++)
    if (log[j] > most - HQPS_ENTRY) sum[j] += log[j] - mean, count[j]++;
}

/* unit[j] = log2 of D_j, from the start at hand. work: 3 n. */
static void hqps_curtis_reid(double *unit, const po_hqp *p, double *work) {
  int n = p->n, sweep, k, i, j;
  double *sum = work, *count = work + n, *log = work + 2 * (size_t)n;
  for (sweep = 0; sweep < HQPS_SWEEPS; sweep++) {
    memset(sum, 0, sizeof *sum * 2 * (size_t)n);
    for (k = 0; k < p->level_count; k++)
      for (i = 0; i < p->levels[k].rows; i++) hqps_row(sum, count, log, po_row(p->levels[k].A, i), unit, n);
    for (j = 0; j < n; j++)
      if (count[j] > 0) unit[j] -= sum[j] / count[j];
  }
}

/* Columns that some row connects get the same label, that of the first of them; a row connects those of its entries that say something. */
static void hqps_connect(int *label, const po_hqp *p, const double *unit) {
  int k, i, j, changed = 1;
  for (j = 0; j < p->n; j++) label[j] = j;
  while (changed)
    for (changed = k = 0; k < p->level_count; k++)
      for (i = 0; i < p->levels[k].rows; i++) {
        const double *a = po_row(p->levels[k].A, i);
        double most = -PO_INF;
        int least = p->n;
        for (j = 0; j < p->n; j++)
          if (a[j] != 0) most = po_max(most, hqps_log(a[j]) + unit[j]);
        for (j = 0; j < p->n; j++)
          if (a[j] != 0 && hqps_log(a[j]) + unit[j] > most - HQPS_ENTRY && label[j] < least) least = label[j];
        for (j = 0; j < p->n; j++)
          if (a[j] != 0 && hqps_log(a[j]) + unit[j] > most - HQPS_ENTRY && label[j] != least) label[j] = least, changed = 1;
      }
}

/* Shifts what is connected as a whole, to rows of length 1 on (logarithmic) average. */
static void hqps_level(double *unit, const po_hqp *p, const int *label, double *work) {
  int n = p->n, k, i, j;
  double *sum = work, *count = work + n;
  memset(sum, 0, sizeof *sum * 2 * (size_t)n);
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++) {
      const double *a = po_row(p->levels[k].A, i);
      int at = -1;
      double most = -PO_INF;
      for (j = 0; j < n; j++)
        if (a[j] != 0 && hqps_log(a[j]) + unit[j] > most) most = hqps_log(a[j]) + unit[j], at = label[j];
      if (at >= 0) sum[at] += most, count[at]++;
    }
  for (j = 0; j < n; j++)
    if (count[label[j]] > 0) unit[j] -= sum[label[j]] / count[label[j]];
}

void po_hqp_scale_layout(po_hqp_solver *s, po_arena *a, int n, int rows) {
  s->unit = PO_ARENA_ARRAY(a, double, n);
  s->step = PO_ARENA_ARRAY(a, double, n);
  s->label = PO_ARENA_ARRAY(a, int, n);
  s->scaled = PO_ARENA_ARRAY(a, double, (size_t)rows * (size_t)po_pad4(n) + 4 * (size_t)n);
}

/* Whether the columns' largest entries are far apart. */
int po_hqp_apart(const double *peak, int n) {
  double most = 0, least = PO_INF;
  int j;
  for (j = 0; j < n; j++) {
    if (peak[j] == 0) continue;
    most = po_max(most, peak[j]);
    least = peak[j] < least ? peak[j] : least;
  }
  return most > HQPS_APART * least;
}

void po_hqp_scale(po_hqp_solver *s, const po_hqp *p, po_hqp *scaled, po_hqp_level *levels) {
  int n = p->n, ld = po_pad4(n), k, i, j;
  double *to = s->scaled;
  for (j = 0; j < n; j++) s->unit[j] = s->unit[j] > 0 ? -hqps_log(s->unit[j]) : 0;
  hqps_curtis_reid(s->unit, p, s->scaled);
  hqps_connect(s->label, p, s->unit);
  hqps_level(s->unit, p, s->label, s->scaled);
  for (j = 0; j < n; j++) s->unit[j] = hqps_power((int)po_clamp(floor(s->unit[j] + 0.5), -500, 500));
  *scaled = *p;
  scaled->levels = levels;
  for (k = 0; k < p->level_count; k++) {
    levels[k] = p->levels[k];
    levels[k].A = po_mat_of(to, p->levels[k].rows, n, ld);
    for (i = 0; i < p->levels[k].rows; i++, to += ld) {
      const double *a = po_row(p->levels[k].A, i);
      for (j = 0; j < n; j++) to[j] = a[j] * s->unit[j];
      for (; j < ld; j++) to[j] = 0;
    }
  }
}
