/* near.c: the nearest of many examples, in any metric: a few landmarks rule most of them out by the triangle inequality.
 *
 * An example that is d from a landmark is at least |d − q| from a query that is q from it. Examples stand in the order of their distance from the first landmark: a query looks
 * at those beside its own distance first, then farther to both sides, and stops where that bound alone is beyond the worst of what it has.
 */
#include "learn_internal.h"
#include <string.h>

#define NEAR_LANDMARKS 8

struct po_near {
  po_near_fn distance;
  const void *metric;
  const char *rows;
  size_t stride;
  int n, landmark[NEAR_LANDMARKS];
  double slack;
  double (*to)[NEAR_LANDMARKS]; /* [n] distances, in that order */
  int *order;                   /* [n] whose */
};

static const void *near_row(const po_near *x, int i) { return x->rows + (size_t)i * x->stride; }

/* ---- the best so far, nearest first ---- */

typedef struct near_best { int *index, count, k; double *distance; } near_best;

static near_best near_begin(int *index, double *distance, int k) {
  near_best b;
  int i;
  b.index = index;
  b.distance = distance;
  b.count = 0;
  b.k = k < PO_NEAR_MOST ? k : PO_NEAR_MOST;
  for (i = 0; i < b.k; i++) {
    index[i] = -1;
    distance[i] = PO_INF;
  }
  return b;
}

static double near_worst(const near_best *b) { return b->count < b->k ? PO_INF : b->distance[b->k - 1]; }

/* Of equal ones the first of all stays ahead, in whatever order they are offered. */
static void near_offer(near_best *b, int index, double d) {
  int i = b->count < b->k ? b->count : b->k - 1;
  if (b->count == b->k && (d > b->distance[i] || (d == b->distance[i] && index > b->index[i]))) return;
  if (b->count < b->k) b->count++;
  for (; i > 0 && (b->distance[i - 1] > d || (b->distance[i - 1] == d && b->index[i - 1] > index)); i--) {
    b->distance[i] = b->distance[i - 1];
    b->index[i] = b->index[i - 1];
  }
  b->distance[i] = d;
  b->index[i] = index;
}

int po_near_among(int *nearest, double *distance, int k, po_near_fn fn, const void *metric, const void *rows, size_t stride, int n, const void *query) {
  double own[PO_NEAR_MOST];
  near_best best = near_begin(nearest, distance ? distance : own, k);
  int i;
  for (i = 0; i < n; i++) near_offer(&best, i, fn(metric, (const char *)rows + (size_t)i * stride, query, PO_INF));
  return best.count;
}

/* ---- landmarks ---- */

/* The first example, then always the one farthest from all landmarks so far. */
static void near_landmarks(po_near *x) {
  int i, k, l;
  for (k = 0; k < NEAR_LANDMARKS; k++) {
    double far = -1;
    for (i = 0; i < x->n; i++) {
      double least = PO_INF;
      for (l = 0; l < k; l++) least = po_min(least, x->to[i][l]);
      if (least > far) {
        far = least;
        x->landmark[k] = i;
      }
    }
    for (i = 0; i < x->n; i++) x->to[i][k] = x->distance(x->metric, near_row(x, i), near_row(x, x->landmark[k]), PO_INF);
  }
}

/* Shell sort by the distance from the first landmark. */
static void near_sort(po_near *x) {
  int gap, i, j;
  for (i = 0; i < x->n; i++) x->order[i] = i;
  for (gap = x->n / 2; gap > 0; gap /= 2)
    for (i = gap; i < x->n; i++) {
      double moved[NEAR_LANDMARKS];
      int index = x->order[i];
      memcpy(moved, x->to[i], sizeof moved);
      for (j = i; j >= gap && x->to[j - gap][0] > moved[0]; j -= gap) {
        memcpy(x->to[j], x->to[j - gap], sizeof moved);
        x->order[j] = x->order[j - gap];
      }
      memcpy(x->to[j], moved, sizeof moved);
      x->order[j] = index;
    }
}

po_status po_near_make(po_near **near, po_near_fn fn, const void *metric, const void *rows, size_t stride, int n, double slack) {
  po_near *x;
  size_t count = (size_t)n;
  *near = NULL;
  if (n < 1) return PO_ERR_SIZE;
  if (!(x = po_alloc(sizeof *x + (sizeof *x->to + sizeof *x->order) * count))) return PO_ERR_MEMORY;
  memset(x, 0, sizeof *x);
  x->distance = fn;
  x->metric = metric;
  x->rows = rows;
  x->stride = stride;
  x->n = n;
  x->slack = slack;
  x->to = (double(*)[NEAR_LANDMARKS])(void *)(x + 1);
  x->order = (int *)(void *)(x->to + n);
  near_landmarks(x);
  near_sort(x);
  *near = x;
  return PO_OK;
}

void po_near_free(po_near *near) { po_free(near); }

/* The first place in the order whose distance from the first landmark is not below d. */
static int near_place(const po_near *x, double d) {
  int low = 0, high = x->n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (x->to[middle][0] < d) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void near_look_at(near_best *best, const po_near *x, const void *query, const double *to, int place) {
  double most = near_worst(best) + x->slack, d;
  int l;
  for (l = 1; l < NEAR_LANDMARKS; l++)
    if (po_abs(x->to[place][l] - to[l]) > most) return;
  d = x->distance(x->metric, near_row(x, x->order[place]), query, near_worst(best));
  if (d <= near_worst(best)) near_offer(best, x->order[place], d);
}

int po_near_query(int *nearest, double *distance, int k, const po_near *x, const void *query, int skip) {
  double own[PO_NEAR_MOST], to[NEAR_LANDMARKS];
  near_best best = near_begin(nearest, distance ? distance : own, k);
  int below, above, l;
  for (l = 0; l < NEAR_LANDMARKS; l++) to[l] = x->distance(x->metric, near_row(x, x->landmark[l]), query, PO_INF);
  above = near_place(x, to[0]);
  below = above - 1;
  while (below >= 0 || above < x->n) {
    double down = below >= 0 ? to[0] - x->to[below][0] : PO_INF, up = above < x->n ? x->to[above][0] - to[0] : PO_INF;
    int place = down < up ? below-- : above++;
    if (po_min(down, up) > near_worst(&best) + x->slack) break;
    if (x->order[place] != skip) near_look_at(&best, x, query, to, place);
  }
  return best.count;
}
