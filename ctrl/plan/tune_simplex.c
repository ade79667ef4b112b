/* tune_simplex.c: Nelder and Mead's simplex (1965), with the coefficients of Gao and Han (2012), which depend on the number of unknowns. */
#include "tune_room.h"
#include <string.h>

enum { SIMPLEX_FIRST, SIMPLEX_REFLECT, SIMPLEX_EXPAND, SIMPLEX_OUTSIDE, SIMPLEX_INSIDE, SIMPLEX_SHRINK };

void po_simplex_layout(po_tune *t, po_arena *arena) {
  po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n;
  s->y = PO_ARENA_ZARRAY(arena, double, (N + 1) * N);
  s->cost = PO_ARENA_ZARRAY(arena, double, N + 1);
  s->violation = PO_ARENA_ZARRAY(arena, double, N + 1);
  s->tried = PO_ARENA_ZARRAY(arena, double, N);
}

/* The start, and a first standard deviation along each unknown. */
void po_simplex_begin(po_tune *t, int restart) {
  po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n, k;
  s->phase = SIMPLEX_FIRST;
  memset(s->y, 0, N * sizeof(double));
  if (restart) po_tune_anywhere(s->y, t, 0);
  for (k = 1; k <= N; k++) {
    memcpy(s->y + k * N, s->y, N * sizeof(double));
    s->y[k * N + k - 1] += 1;
  }
}

/* The middle of all but the worst, gone on by `how` from the worst. */
static void simplex_point(double *y, const po_tune *t, double how) {
  const po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n, i, k;
  for (i = 0; i < N; i++) {
    double middle = 0;
    for (k = 0; k < N; k++) middle += s->y[k * N + i] / (double)N;
    y[i] = middle + how * (middle - s->y[N * N + i]);
  }
}

static double simplex_contraction(int n) { return n > 1 ? 0.75 - 0.5 / n : 0.5; }

void po_simplex_ask(po_tune *t) {
  po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n;
  t->ranked = 1;
  switch (s->phase) {
    case SIMPLEX_FIRST:
      memcpy(t->y, s->y, (N + 1) * N * sizeof(double));
      t->ranked = t->n + 1;
      break;
    case SIMPLEX_REFLECT:
      simplex_point(t->y, t, 1);
      memcpy(s->tried, t->y, N * sizeof(double));
      break;
    case SIMPLEX_EXPAND: simplex_point(t->y, t, t->n > 1 ? 1 + 2.0 / t->n : 2); break;
    case SIMPLEX_OUTSIDE: simplex_point(t->y, t, simplex_contraction(t->n)); break;
    case SIMPLEX_INSIDE: simplex_point(t->y, t, -simplex_contraction(t->n)); break;
    default: /* the others come nearer to the best */
      memcpy(t->y, s->y + N, N * N * sizeof(double));
      t->ranked = t->n;
  }
}

/* A corner in its place among those before it. */
static void simplex_insert(po_tune *t, int at, const double *y, double cost, double violation) {
  po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n;
  int k = at;
  for (; k > 0 && po_tune_compare(cost, violation, s->cost[k - 1], s->violation[k - 1]) < 0; k--) {
    memmove(s->y + (size_t)k * N, s->y + (size_t)(k - 1) * N, N * sizeof(double));
    s->cost[k] = s->cost[k - 1];
    s->violation[k] = s->violation[k - 1];
  }
  memcpy(s->y + (size_t)k * N, y, N * sizeof(double));
  s->cost[k] = cost;
  s->violation[k] = violation;
}

static void simplex_shrink(po_tune *t) {
  po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n, k, i;
  double share = t->n > 1 ? 1 - 1.0 / t->n : 0.5;
  for (k = 1; k <= N; k++)
    for (i = 0; i < N; i++) s->y[k * N + i] = s->y[i] + share * (s->y[k * N + i] - s->y[i]);
  s->phase = SIMPLEX_SHRINK;
}

static int simplex_rests(const po_tune *t) {
  const po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n, k, i;
  double size = 0;
  for (k = 1; k <= N; k++)
    for (i = 0; i < N; i++) size = po_max(size, po_abs(s->y[k * N + i] - s->y[i]));
  return size <= t->opts.tol_x || (size <= 1e-6 && s->violation[0] == s->violation[N] && s->cost[N] - s->cost[0] <= t->opts.tol_cost);
}

/* After a reflection: what is tried next; 0: it was taken. */
static int simplex_after_reflection(po_tune *t) {
  po_simplex *s = &t->simplex;
  int n = t->n;
  double c = s->tried_cost = t->cost[0], v = s->tried_violation = t->violation[0];
  if (po_tune_compare(c, v, s->cost[0], s->violation[0]) < 0) return SIMPLEX_EXPAND;
  if (po_tune_compare(c, v, s->cost[n - 1], s->violation[n - 1]) < 0) return 0;
  return po_tune_compare(c, v, s->cost[n], s->violation[n]) < 0 ? SIMPLEX_OUTSIDE : SIMPLEX_INSIDE;
}

po_status po_simplex_tell(po_tune *t) {
  po_simplex *s = &t->simplex;
  size_t N = (size_t)t->n;
  double c = t->cost[0], v = t->violation[0];
  int k, first = s->phase == SIMPLEX_FIRST ? 0 : 1, next;
  if (s->phase == SIMPLEX_FIRST || s->phase == SIMPLEX_SHRINK) {
    for (k = 0; k < t->ranked; k++) simplex_insert(t, first + k, t->y + (size_t)k * N, t->cost[k], t->violation[k]);
    s->phase = SIMPLEX_REFLECT;
  } else if (s->phase == SIMPLEX_REFLECT) {
    if ((next = simplex_after_reflection(t)) != 0) s->phase = next;
    else simplex_insert(t, t->n, t->y, c, v);
  } else {
    int reflected = s->phase == SIMPLEX_EXPAND || s->phase == SIMPLEX_OUTSIDE;
    int better = reflected ? po_tune_compare(c, v, s->tried_cost, s->tried_violation) < 0 : po_tune_compare(c, v, s->cost[t->n], s->violation[t->n]) < 0;
    int shrink = !better && s->phase != SIMPLEX_EXPAND;
    s->phase = SIMPLEX_REFLECT;
    if (better) simplex_insert(t, t->n, t->y, c, v);
    else if (shrink) simplex_shrink(t);
    else simplex_insert(t, t->n, s->tried, s->tried_cost, s->tried_violation);
  }
  po_tune_place(t->centre, t, s->y);
  return s->phase == SIMPLEX_REFLECT && simplex_rests(t) ? PO_ERR_ITERATIONS : PO_OK;
}

void po_simplex_stream(po_tune *t, po_stream *s) {
  po_simplex *x = &t->simplex;
  int N = t->n;
  po_stream_int(s, &x->phase);
  po_stream_doubles(s, x->y, (N + 1) * N);
  po_stream_doubles(s, x->cost, N + 1);
  po_stream_doubles(s, x->violation, N + 1);
  po_stream_doubles(s, x->tried, N);
  po_stream_double(s, &x->tried_cost);
  po_stream_double(s, &x->tried_violation);
}
