/* tune_front.c: several costs at once: a population of evolution strategies of one parent and one child each, of which those are kept that add most to the
 * volume that the front dominates (Igel, Hansen and Roth 2007, "Covariance matrix adaptation for multi-objective optimization"). */
#include "tune_room.h"
#include <string.h>

#define FRONT_TARGET (1 / 5.5)   /* share of children that are to be better; its constants are theirs */
#define FRONT_LEARN (FRONT_TARGET / (2 + FRONT_TARGET))
#define FRONT_MANY 0.44          /* more successes than this: the steps are too short to learn from */
#define FRONT_POINTS 256

static size_t front_cells(const po_tune *t) { return t->full ? (size_t)t->n * (size_t)t->n : (size_t)t->n; }

void po_front_layout(po_tune *t, po_arena *arena) {
  po_front *f = &t->front;
  size_t N = (size_t)t->n, all;
  f->size = t->population;
  all = 2 * (size_t)f->size;
  f->one = PO_ARENA_ZARRAY(arena, po_front_one, all);
  f->y = PO_ARENA_ZARRAY(arena, double, all * N);
  f->path = PO_ARENA_ZARRAY(arena, double, all * N);
  f->C = PO_ARENA_ZARRAY(arena, double, all * front_cells(t));
  f->A = PO_ARENA_ZARRAY(arena, double, all * front_cells(t));
  f->x = PO_ARENA_ZARRAY(arena, double, all * N);
  f->order = PO_ARENA_ZARRAY(arena, int, all);
  f->rank = PO_ARENA_ZARRAY(arena, int, all);
  f->slot = PO_ARENA_ZARRAY(arena, int, all);
  f->worth = PO_ARENA_ZARRAY(arena, double, all);
  f->scratch = PO_ARENA_ZARRAY(arena, double, all * PO_TUNE_COSTS + N);
}

/* ---- volumes ---- */

static double front_volume(const double *cost, int costs, const int *index, int n, const double *reference, int left);

/* Two costs: a staircase. index is sorted by the first. */
static double front_area(const double *cost, int costs, const int *index, int n, const double *reference) {
  double area = 0, height = reference[1];
  int k;
  for (k = 0; k < n; k++) {
    const double *c = cost + (size_t)index[k] * (size_t)costs;
    if (!(c[0] < reference[0] && c[1] < height)) continue;
    area += (reference[0] - c[0]) * (height - c[1]);
    height = c[1];
  }
  return area;
}

static void front_sort(int *index, int n, const double *cost, int costs, int by) {
  int i, k;
  for (i = 1; i < n; i++) {
    int x = index[i];
    double c = cost[(size_t)x * (size_t)costs + (size_t)by];
    for (k = i; k > 0 && cost[(size_t)index[k - 1] * (size_t)costs + (size_t)by] > c; k--) index[k] = index[k - 1];
    index[k] = x;
  }
}

/* By slices along the last of the costs that are left. */
static double front_volume(const double *cost, int costs, const int *index, int n, const double *reference, int left) {
  int sorted[FRONT_POINTS], k;
  double volume = 0;
  memcpy(sorted, index, sizeof(int) * (size_t)n);
  front_sort(sorted, n, cost, costs, left > 2 ? left - 1 : 0);
  if (left == 1) return n ? po_max(0, reference[0] - cost[(size_t)sorted[0] * (size_t)costs]) : 0;
  if (left == 2) return front_area(cost, costs, sorted, n, reference);
  for (k = 0; k < n; k++) {
    double from = cost[(size_t)sorted[k] * (size_t)costs + (size_t)left - 1], to = reference[left - 1];
    if (k + 1 < n) to = po_min(to, cost[(size_t)sorted[k + 1] * (size_t)costs + (size_t)left - 1]);
    if (from < to) volume += (to - from) * front_volume(cost, costs, sorted, k + 1, reference, left - 1);
  }
  return volume;
}

double po_tune_hypervolume(const double *cost, int n, int costs, const double *reference) {
  int index[FRONT_POINTS], i, k, used = 0;
  if (costs < 1 || costs > PO_TUNE_COSTS || n > FRONT_POINTS) return PO_NAN;
  for (i = 0; i < n; i++) {
    for (k = 0; k < costs && cost[i * costs + k] < reference[k]; k++) {}
    if (k == costs) index[used++] = i;
  }
  return front_volume(cost, costs, index, used, reference, costs);
}

/* ---- who is better ---- */

/* 1: a is better in one cost and worse in none; what breaks rules loses to what breaks them less. */
static int front_dominates(const po_front_one *a, const po_front_one *b, int costs) {
  int k, better = 0;
  int rules = po_tune_compare(0, a->violation, 0, b->violation);
  if (rules) return rules < 0;
  for (k = 0; k < costs; k++) {
    int c = po_tune_compare(a->cost[k], 0, b->cost[k], 0);
    if (c > 0) return 0;
    better |= c < 0;
  }
  return better;
}

/* How much each of the listed slots adds to the volume that they dominate together; ends of the front are worth most. */
static void front_worth(po_front *f, int costs, const int *list, int n) {
  double *cost = f->scratch, reference[PO_TUNE_COSTS], all;
  int index[FRONT_POINTS], i, k, m;
  for (k = 0; k < costs; k++) reference[k] = -PO_INF;
  for (i = 0; i < n; i++)
    for (k = 0; k < costs; k++) {
      double c = f->one[list[i]].cost[k];
      cost[i * costs + k] = po_isfinite(c) ? c : 1e300;
      if (po_isfinite(c)) reference[k] = po_max(reference[k], c);
    }
  for (k = 0; k < costs; k++) reference[k] = reference[k] > -PO_INF ? reference[k] + 1 + po_abs(reference[k]) : 0;
  for (i = 0; i < n; i++) index[i] = i;
  all = front_volume(cost, costs, index, n, reference, costs);
  for (i = 0; i < n; i++) {
    for (k = m = 0; k < n; k++)
      if (k != i) index[m++] = k;
    f->worth[list[i]] = all - front_volume(cost, costs, index, m, reference, costs);
  }
}

/* f->order: all listed slots from the best to the worst: by fronts that dominate each other, within a front by what they add, the least taken away first. */
static void front_rank(po_front *f, int costs, int n) {
  int left = n, done = 0, i, k;
  for (i = 0; i < n; i++) f->rank[f->slot[i]] = -1;
  for (; left > 0;) {
    int list[FRONT_POINTS], m = 0;
    for (i = 0; i < n; i++) {
      int s = f->slot[i], beaten = f->rank[s] >= 0;
      for (k = 0; k < n && !beaten; k++) beaten = f->rank[f->slot[k]] < 0 && front_dominates(&f->one[f->slot[k]], &f->one[s], costs);
      if (!beaten) list[m++] = s;
    }
    for (i = 0; i < m; i++) f->rank[list[i]] = done;
    left -= m;
    done += m;
    for (k = done - 1; m > 0; k--) {
      int least = 0;
      front_worth(f, costs, list, m);
      for (i = 1; i < m; i++)
        if (f->worth[list[i]] < f->worth[list[least]]) least = i;
      f->order[k] = list[least];
      memmove(list + least, list + least + 1, sizeof(int) * (size_t)(m - least - 1));
      m--;
    }
  }
}

/* ---- ask and tell ---- */

void po_front_begin(po_tune *t) {
  po_front *f = &t->front;
  int i;
  f->begun = 0;
  for (i = 0; i < 2 * f->size; i++) f->slot[i] = i;
}

/* A of C = A A', by Cholesky; a C that is not positive becomes 1 again. */
static void front_factor(po_tune *t, int s) {
  po_front *f = &t->front;
  double *C = f->C + (size_t)s * front_cells(t), *A = f->A + (size_t)s * front_cells(t);
  size_t N = (size_t)t->n, i;
  if (!t->full) {
    for (i = 0; i < N; i++) A[i] = sqrt(po_max(C[i], 0));
    return;
  }
  if (po_cholesky(po_mat_of(A, t->n, t->n, t->n), NULL, po_mat_of(C, t->n, t->n, t->n)) == PO_OK) return;
  memset(C, 0, sizeof(double) * front_cells(t));
  for (i = 0; i < N; i++) C[i * N + i] = 1;
  memcpy(A, C, sizeof(double) * front_cells(t));
}

/* The first generation: the start, and places anywhere. */
static void front_first(po_tune *t) {
  po_front *f = &t->front;
  size_t N = (size_t)t->n, i;
  int k;
  for (k = 0; k < f->size; k++) {
    po_front_one *one = &f->one[k];
    double *C = f->C + (size_t)k * front_cells(t), *y = t->y + (size_t)k * N;
    memset(one, 0, sizeof *one);
    one->sigma = 1;
    one->success = FRONT_TARGET;
    memset(y, 0, N * sizeof(double));
    if (k) po_tune_anywhere(y, t, k);
    memset(f->path + (size_t)k * N, 0, N * sizeof(double));
    memset(C, 0, sizeof(double) * front_cells(t));
    for (i = 0; i < N; i++) C[t->full ? i * N + i : i] = 1;
    front_factor(t, k);
  }
}

void po_front_ask(po_tune *t) {
  po_front *f = &t->front;
  size_t N = (size_t)t->n, i, j;
  double *z = f->scratch;
  int k;
  t->ranked = f->size;
  if (!f->begun) {
    front_first(t);
    return;
  }
  for (k = 0; k < f->size; k++) {
    int s = f->slot[k];
    const double *A = f->A + (size_t)s * front_cells(t), *from = f->y + (size_t)s * N;
    double *y = t->y + (size_t)k * N;
    po_tune_normals(z, t, k);
    for (i = 0; i < N; i++) {
      double step = t->full ? 0 : A[i] * z[i];
      for (j = 0; t->full && j <= i; j++) step += A[i * N + j] * z[j];
      y[i] = from[i] + f->one[s].sigma * step;
    }
  }
}

static void front_take(po_tune *t, int slot, int point) {
  po_front *f = &t->front;
  size_t N = (size_t)t->n;
  int k;
  memcpy(f->y + (size_t)slot * N, t->y + (size_t)point * N, N * sizeof(double));
  memcpy(f->x + (size_t)slot * N, t->x + (size_t)point * N, N * sizeof(double));
  for (k = 0; k < t->opts.costs; k++) f->one[slot].cost[k] = t->cost[point * t->opts.costs + k];
  f->one[slot].violation = t->violation[point];
  f->one[slot].generation = t->generation;
}

static void front_step(po_tune *t, po_front_one *one, int success) {
  one->success = (1 - FRONT_LEARN) * one->success + FRONT_LEARN * success;
  one->sigma *= po_exp((one->success - FRONT_TARGET) / ((1 + 0.5 * t->n) * (1 - FRONT_TARGET)));
}

static void front_learn(po_tune *t, int child, int parent, double sigma) {
  po_front *f = &t->front;
  size_t N = (size_t)t->n, i, j;
  double cc = 2.0 / (t->n + 2), c_cov = 2 / ((double)t->n * t->n + 6), *path = f->path + (size_t)child * N, *C = f->C + (size_t)child * front_cells(t);
  int few = f->one[child].success < FRONT_MANY;
  if (!t->full) c_cov = po_min(0.5, c_cov * (t->n + 2) / 3);
  for (i = 0; i < N; i++) path[i] = (1 - cc) * path[i] + (few ? sqrt(cc * (2 - cc)) * (f->y[(size_t)child * N + i] - f->y[(size_t)parent * N + i]) / sigma : 0);
  for (i = 0; i < front_cells(t); i++) C[i] *= 1 - c_cov + (few ? 0 : c_cov * cc * (2 - cc));
  for (i = 0; i < N; i++)
    if (!t->full) C[i] += c_cov * path[i] * path[i];
    else
      for (j = 0; j < N; j++) C[i * N + j] += c_cov * path[i] * path[j];
  front_factor(t, child);
}

static void front_children(po_tune *t) {
  po_front *f = &t->front;
  size_t N = (size_t)t->n;
  int k, i;
  for (k = 0; k < f->size; k++) {
    int p = f->slot[k], c = f->slot[f->size + k];
    f->one[c] = f->one[p];
    memcpy(f->path + (size_t)c * N, f->path + (size_t)p * N, N * sizeof(double));
    memcpy(f->C + (size_t)c * front_cells(t), f->C + (size_t)p * front_cells(t), front_cells(t) * sizeof(double));
    front_take(t, c, k);
  }
  front_rank(f, t->opts.costs, 2 * f->size);
  for (i = 0; i < 2 * f->size; i++) f->rank[f->order[i]] = i;
  for (k = 0; k < f->size; k++) {
    int p = f->slot[k], c = f->slot[f->size + k], success = f->rank[c] < f->rank[p];
    double sigma = f->one[p].sigma;
    front_step(t, &f->one[c], success);
    front_step(t, &f->one[p], success);
    front_learn(t, c, p, sigma);
  }
  memcpy(f->slot, f->order, sizeof(int) * 2 * (size_t)f->size);
}

po_status po_front_tell(po_tune *t) {
  po_front *f = &t->front;
  double step = 0;
  int k;
  if (f->begun) front_children(t);
  else {
    for (k = 0; k < f->size; k++) front_take(t, k, k);
    front_rank(f, t->opts.costs, f->size);
    memcpy(f->slot, f->order, sizeof(int) * (size_t)f->size);
    f->begun = 1;
  }
  for (k = 0; k < f->size; k++) step = po_max(step, f->one[f->slot[k]].sigma);
  memcpy(t->centre, f->x + (size_t)f->slot[0] * (size_t)t->n, sizeof(double) * (size_t)t->n);
  return step <= t->opts.tol_x ? PO_ERR_ITERATIONS : PO_OK;
}

/* ---- reading, saving ---- */

/* Parents that none dominates, by the first cost. */
const po_tune_found *po_front_at(po_tune *t, int i) {
  po_front *f = &t->front;
  int k, m, n = 0;
  for (k = 0; k < f->size && f->begun; k++) {
    int s = f->slot[k], beaten = 0;
    for (m = 0; m < f->size && !beaten; m++) beaten = front_dominates(&f->one[f->slot[m]], &f->one[s], t->opts.costs);
    if (beaten) continue;
    for (m = n++; m > 0 && f->one[f->order[m - 1]].cost[0] > f->one[s].cost[0]; m--) f->order[m] = f->order[m - 1];
    f->order[m] = s;
  }
  if (i >= n) return NULL;
  t->best.x = f->x + (size_t)f->order[i] * (size_t)t->n;
  memcpy(t->best.cost, f->one[f->order[i]].cost, sizeof t->best.cost);
  t->best.violation = f->one[f->order[i]].violation;
  t->best.generation = f->one[f->order[i]].generation;
  return &t->best;
}

void po_front_stream(po_tune *t, po_stream *s) {
  po_front *f = &t->front;
  int i, all = 2 * f->size;
  po_stream_int(s, &f->begun);
  po_stream_ints(s, f->slot, all);
  for (i = 0; i < all; i++) {
    po_stream_double(s, &f->one[i].sigma);
    po_stream_double(s, &f->one[i].success);
    po_stream_double(s, &f->one[i].violation);
    po_stream_doubles(s, f->one[i].cost, PO_TUNE_COSTS);
    po_stream_long(s, &f->one[i].generation);
  }
  po_stream_doubles(s, f->y, all * t->n);
  po_stream_doubles(s, f->x, all * t->n);
  po_stream_doubles(s, f->path, all * t->n);
  po_stream_doubles(s, f->C, (int)((size_t)all * front_cells(t)));
  po_stream_doubles(s, f->A, (int)((size_t)all * front_cells(t)));
}
