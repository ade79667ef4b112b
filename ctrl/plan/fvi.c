/* fvi.c: fitted value iteration.
 *
 * A grid of goals is a plane (x, y: resampled by a rotation and a shift, four samples each), or the speeds, which no step changes, times a line (x or
 * the heading: a shift, two samples each). What a step does to the grid is worked out once per step and sweep, not per neighbour.
 */
#include "plan.h"
#include <string.h>

#define FVI_CELLS 4

typedef struct fvi_point { int at[FVI_CELLS]; double share[FVI_CELLS]; } fvi_point; /* of the plane, or of the line: a mean of so many samples */

typedef struct fvi_scratch {
  int plane, line;              /* samples */
  int plane_cells, line_cells;  /* how many of a point's entries count */
  fvi_point *to_plane, *to_line;
  double *blend, *half, *best;  /* [samples] */
} fvi_scratch;

po_fvi_opts po_fvi_opts_default(void) {
  po_fvi_opts o = {0.8, 0.9, 1e-3, 100, 0};
  return o;
}

/* ---- making ---- */

static po_status fvi_check(const po_fvi_problem *p, const po_fvi_opts *o, po_error *err) {
  int i, k;
  if (!(o->alpha > 0 && o->alpha <= 1) || !(o->gamma > 0 && o->gamma < 1) || !(o->tolerance >= 0) || o->sweeps < 1)
    return po_fail(err, PO_ERR_RANGE, "alpha must be in 0 ... 1, gamma below 1, tolerance not negative, one sweep at least");
  if (p->states < 1 || p->steps < 0 || !p->reward || (p->steps && !p->step)) return po_fail(err, PO_ERR_SIZE, "value iteration needs states, steps and a reward");
  for (i = 0; i < p->steps; i++) {
    const po_fvi_step *s = &p->step[i];
    double sum = 0;
    if (s->state < 0 || s->state >= p->states || (i && s->state < s[-1].state) || s->action < 0 || s->action > 254)
      return po_fail(err, PO_ERR_RANGE, "step %d: state %d or action %d is out of order", i, s->state, s->action);
    if (!s->trusted) continue;
    if (s->neighbours < 1 || s->neighbours > PO_FVI_NEIGHBOURS || !(s->seconds > 0) || !(s->risk >= 0 && s->risk <= 1))
      return po_fail(err, PO_ERR_RANGE, "step %d has no neighbours, takes no time, or its risk is not in 0 ... 1", i);
    for (k = 0; k < s->neighbours; k++) {
      if (s->neighbour[k] < 0 || s->neighbour[k] >= p->states || !(s->weight[k] >= 0)) return po_fail(err, PO_ERR_RANGE, "step %d has a neighbour that is not there", i);
      sum += s->weight[k];
    }
    if (!(po_abs(sum - 1) < 1e-9)) return po_fail(err, PO_ERR_RANGE, "step %d: weights add up to %g", i, sum);
  }
  return PO_OK;
}

static void fvi_shape(fvi_scratch *s, const po_task *t) {
  int planar = t->kind == PO_TASK_POINT || t->kind == PO_TASK_POINT_HEADING;
  s->plane = planar ? t->axis[0].samples * t->axis[1].samples : t->kind == PO_TASK_HEADING_SPEED ? t->axis[0].samples : 1;
  s->line = t->kind == PO_TASK_POINT || t->kind == PO_TASK_ROBUST ? 1 : t->axis[t->axes - 1].samples;
  s->plane_cells = planar ? 4 : 1;
  s->line_cells = s->line > 1 ? 2 : 1;
}

static po_fvi *fvi_layout(const po_fvi_problem *p, po_arena *a) {
  po_fvi *f = PO_ARENA_ZARRAY(a, po_fvi, 1);
  fvi_scratch *s = PO_ARENA_ZARRAY(a, fvi_scratch, 1), shape;
  int n = po_task_samples(&p->task);
  size_t all = (size_t)n * (size_t)p->states;
  double *value = PO_ARENA_ZARRAY(a, double, all), *next = PO_ARENA_ZARRAY(a, double, all);
  unsigned char *action = PO_ARENA_ZARRAY(a, unsigned char, all);
  double *blend = PO_ARENA_ZARRAY(a, double, n), *half = PO_ARENA_ZARRAY(a, double, n), *best = PO_ARENA_ZARRAY(a, double, n);
  fvi_point *to_plane, *to_line;
  fvi_shape(&shape, &p->task);
  to_plane = PO_ARENA_ZARRAY(a, fvi_point, shape.plane);
  to_line = PO_ARENA_ZARRAY(a, fvi_point, shape.line);
  if (!f || !s) return NULL; /* measuring */
  *s = shape;
  s->to_plane = to_plane;
  s->to_line = to_line;
  s->blend = blend;
  s->half = half;
  s->best = best;
  f->problem = *p;
  f->samples = n;
  f->value = value;
  f->next = next;
  f->action = action;
  f->scratch = s;
  return f;
}

po_status po_fvi_new(po_fvi **fvi, const po_fvi_problem *p, const po_fvi_opts *opts, po_error *err) {
  po_fvi_opts o = opts ? *opts : po_fvi_opts_default();
  po_arena a;
  void *mem;
  size_t bytes;
  po_status st;
  if (!fvi || !p) return po_fail(err, PO_ERR_NULL, "value iteration needs a problem");
  *fvi = NULL;
  if ((st = fvi_check(p, &o, err)) != PO_OK) return st;
  po_arena_measure(&a);
  fvi_layout(p, &a);
  bytes = po_arena_used(&a);
  if (!(mem = po_alloc(bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory: %d states times %d goals", p->states, po_task_samples(&p->task));
  po_arena_init(&a, mem, bytes);
  *fvi = fvi_layout(p, &a); /* stands at the beginning of mem */
  (*fvi)->opts = o;
  memset((*fvi)->action, 255, (size_t)(*fvi)->samples * (size_t)p->states);
  return PO_OK;
}

void po_fvi_free(po_fvi *f) { po_free(f); }

/* ---- one value, by its definition ---- */

/* V of one state at any goal, multilinear between samples. */
static double fvi_at(const po_fvi *f, int state, const double *w) {
  const po_task *t = &f->problem.task;
  const double *v = f->value + (size_t)state * (size_t)f->samples;
  int lower[PO_TASK_AXES], upper[PO_TASK_AXES], corner, i;
  double share[PO_TASK_AXES], sum = 0;
  for (i = 0; i < t->axes; i++) po_axis_cell(&lower[i], &upper[i], &share[i], &t->axis[i], w[i]);
  for (corner = 0; corner < 1 << t->axes; corner++) {
    double weight = 1;
    int at = 0;
    for (i = 0; i < t->axes; i++) {
      int up = corner >> i & 1;
      weight *= up ? share[i] : 1 - share[i];
      at = at * t->axis[i].samples + (up ? upper[i] : lower[i]);
    }
    if (weight > 0) sum += weight * v[at];
  }
  return sum;
}

double po_fvi_value(const po_fvi *f, const po_fvi_step *s, const double *w) {
  double to[PO_TASK_AXES] = {0, 0, 0}, sum = 0;
  int i, k;
  for (i = 0; i < f->problem.task.axes; i++) to[i] = w[i];
  po_task_step(to, f->problem.task.kind, s->step);
  po_task_mirror(to, f->problem.task.kind); /* as s' is: the step ends on the right foot */
  for (k = 0; k < s->neighbours; k++) sum += s->weight[k] * fvi_at(f, s->neighbour[k], to);
  return sum;
}

/* ---- all goals of one step ---- */

static void fvi_pair(fvi_point *p, const po_axis *axis, double w) {
  po_axis_cell(&p->at[0], &p->at[1], &p->share[1], axis, w);
  p->share[0] = 1 - p->share[1];
}

/* Which samples of the blend a sample sees after the step. */
static void fvi_aim(fvi_scratch *s, const po_task *t, const po_fvi_step *step) {
  double w[PO_TASK_AXES];
  int i, j;
  for (i = 0; i < s->plane; i++) {
    fvi_point *p = &s->to_plane[i], x, y;
    if (s->plane_cells == 1) {
      p->at[0] = i;
      p->share[0] = 1;
      continue;
    }
    w[0] = t->axis[0].at[i / t->axis[1].samples];
    w[1] = t->axis[1].at[i % t->axis[1].samples];
    po_task_step(w, PO_TASK_POINT, step->step);
    po_task_mirror(w, PO_TASK_POINT);
    fvi_pair(&x, &t->axis[0], w[0]);
    fvi_pair(&y, &t->axis[1], w[1]);
    for (j = 0; j < 4; j++) {
      p->at[j] = x.at[j >> 1] * t->axis[1].samples + y.at[j & 1];
      p->share[j] = x.share[j >> 1] * y.share[j & 1];
    }
  }
  for (i = 0; i < s->line; i++) {
    const po_axis *axis = &t->axis[t->axes - 1];
    if (s->line_cells == 1) {
      s->to_line[i].at[0] = 0;
      s->to_line[i].share[0] = 1;
      continue;
    }
    w[0] = axis->at[i];
    po_task_step(w, t->kind == PO_TASK_LINE ? PO_TASK_LINE : PO_TASK_HEADING, step->step);
    po_task_mirror(w, t->kind == PO_TASK_LINE ? PO_TASK_LINE : PO_TASK_HEADING);
    fvi_pair(&s->to_line[i], axis, w[0]);
  }
}

/* y = Σ share_k row_k, rows of n numbers. */
static void fvi_mix(double *y, int n, const double *rows, const int *at, const double *share, int count) {
  int i, k;
  for (i = 0; i < n; i++) y[i] = share[0] * rows[(size_t)at[0] * (size_t)n + (size_t)i];
  for (k = 1; k < count; k++) {
    const double *row = rows + (size_t)at[k] * (size_t)n;
    double c = share[k];
    if (c == 0) continue;
    for (i = 0; i < n; i++) y[i] += c * row[i];
  }
}

/* The value after the step at every goal, in s->half. */
static void fvi_after(const po_fvi *f, fvi_scratch *s, const po_fvi_step *step) {
  int i, j;
  fvi_aim(s, &f->problem.task, step);
  fvi_mix(s->blend, f->samples, f->value, step->neighbour, step->weight, step->neighbours);
  for (i = 0; i < s->plane; i++) fvi_mix(s->half + (size_t)i * (size_t)s->line, s->line, s->blend, s->to_plane[i].at, s->to_plane[i].share, s->plane_cells);
  if (s->line_cells == 1) return;
  memcpy(s->blend, s->half, sizeof(double) * (size_t)f->samples);
  for (i = 0; i < s->plane; i++) {
    const double *row = s->blend + (size_t)i * (size_t)s->line;
    double *out = s->half + (size_t)i * (size_t)s->line;
    for (j = 0; j < s->line; j++) out[j] = s->to_line[j].share[0] * row[s->to_line[j].at[0]] + s->to_line[j].share[1] * row[s->to_line[j].at[1]];
  }
}

/* ---- sweeps ---- */

static void fvi_try(po_fvi *f, fvi_scratch *s, const po_fvi_step *step) {
  unsigned char *action = f->action + (size_t)step->state * (size_t)f->samples;
  double discount, w[PO_TASK_AXES];
  int j;
  if (!step->trusted) {
    for (j = 0; j < f->samples; j++)
      if (PO_FVI_UNTRUSTED > s->best[j]) {
        s->best[j] = PO_FVI_UNTRUSTED;
        action[j] = (unsigned char)step->action;
      }
    return;
  }
  discount = po_pow(f->opts.gamma, step->seconds);
  fvi_after(f, s, step);
  for (j = 0; j < f->samples; j++) {
    double reward, v;
    po_task_at(w, &f->problem.task, j);
    reward = f->problem.reward(f->problem.user, step, w);
    v = f->problem.ends && reward > 0 ? discount * reward : reward + discount * s->half[j];
    v -= step->risk * po_max(v, 0); /* what there was to gain may be lost */
    if (v > s->best[j]) {
      s->best[j] = v;
      action[j] = (unsigned char)step->action;
    }
  }
}

void po_fvi_sweep(po_fvi *f) {
  fvi_scratch *s = f->scratch;
  int state, i = 0, j;
  f->change = 0;
  for (state = 0; state < f->problem.states; state++) {
    const double *old = f->value + (size_t)state * (size_t)f->samples;
    double *next = (f->opts.in_place ? f->value : f->next) + (size_t)state * (size_t)f->samples;
    for (j = 0; j < f->samples; j++) s->best[j] = -PO_INF;
    for (; i < f->problem.steps && f->problem.step[i].state == state; i++) fvi_try(f, s, &f->problem.step[i]);
    for (j = 0; j < f->samples; j++) {
      double to = s->best[j] > -PO_INF ? s->best[j] : PO_FVI_UNTRUSTED, move = f->opts.alpha * (to - old[j]);
      f->change = po_max(f->change, po_abs(move));
      next[j] = old[j] + move;
    }
  }
  if (!f->opts.in_place) {
    double *t = f->value;
    f->value = f->next;
    f->next = t;
  }
  f->sweeps++;
}

int po_fvi_solve(po_fvi *f) {
  while (f->sweeps < f->opts.sweeps) {
    po_fvi_sweep(f);
    if (f->change <= f->opts.tolerance) return 1;
  }
  return 0;
}
