/* task.c: goals as a character sees them: where they are sampled, and how its steps move them (Coros 2010, section 4.4.2). */
#include "learn_internal.h"
#include <string.h>

const char *const po_task_names[PO_TASK_KINDS] = {"line", "heading", "point", "point-heading", "heading-speed", "robust"};

#define TASK_POWER 1.6        /* samples lie at range u^1.6: denser near the goal (spec: the thesis says "denser", no more) */
#define TASK_BEHIND 2.5       /* m of the line task */
#define TASK_AHEAD 6.0
#define TASK_HALF 3.0         /* m: half the square of the point tasks */

int po_task_find(const char *name) {
  int i;
  for (i = 0; i < PO_TASK_KINDS; i++)
    if (name && !strcmp(po_task_names[i], name)) return i;
  return -1;
}

/* n samples over lower … upper, denser at 0, one of them 0 itself when both sides have room. */
static void task_axis(po_axis *a, int n, double lower, double upper) {
  int below = (int)floor((n - 1) * po_pow(-lower, 1 / TASK_POWER) / (po_pow(-lower, 1 / TASK_POWER) + po_pow(upper, 1 / TASK_POWER)) + 0.5), i;
  below = po_clamp(below, 1, n - 2);
  a->samples = n;
  a->wraps = 0;
  for (i = 0; i < n; i++) {
    double u = i < below ? (double)(below - i) / below : (double)(i - below) / (n - 1 - below);
    a->at[i] = (i < below ? lower : upper) * po_pow(u, TASK_POWER);
  }
}

/* Angles about 0, which is one of them; ±π, one place, is held at most once. */
static void task_angles(po_axis *a, int n) {
  int i;
  a->samples = n;
  a->wraps = 1;
  for (i = 0; i < n; i++) {
    double u = 2.0 * (i - (n - 1) / 2) / n, size = PO_PI * po_pow(po_abs(u), TASK_POWER);
    a->at[i] = u < 0 ? -size : size;
  }
}

po_status po_task_make(po_task *t, po_task_kind kind, const int *samples, double top_speed) {
  static const int axes[PO_TASK_KINDS] = {1, 1, 2, 3, 2, 0}, usual[PO_TASK_KINDS][PO_TASK_AXES] = {{35}, {25}, {27, 27}, {16, 16, 8}, {5, 25}, {0}};
  int i, n[PO_TASK_AXES] = {0, 0, 0};
  if (!t) return PO_ERR_NULL;
  if ((int)kind < 0 || kind >= PO_TASK_KINDS || (kind == PO_TASK_HEADING_SPEED && !(top_speed > 0 && po_isfinite(top_speed)))) return PO_ERR_RANGE;
  memset(t, 0, sizeof *t);
  t->kind = kind;
  t->axes = axes[kind];
  for (i = 0; i < t->axes; i++) {
    n[i] = samples ? samples[i] : usual[kind][i];
    if (n[i] < 3 || n[i] > PO_AXIS_SAMPLES) return PO_ERR_RANGE;
  }
  if (kind == PO_TASK_LINE) task_axis(&t->axis[0], n[0], -TASK_BEHIND, TASK_AHEAD);
  if (kind == PO_TASK_HEADING) task_angles(&t->axis[0], n[0]);
  if (kind == PO_TASK_POINT || kind == PO_TASK_POINT_HEADING)
    for (i = 0; i < 2; i++) task_axis(&t->axis[i], n[i], -TASK_HALF, TASK_HALF);
  if (kind == PO_TASK_POINT_HEADING) task_angles(&t->axis[2], n[2]);
  if (kind == PO_TASK_HEADING_SPEED) {
    t->axis[0].samples = n[0];
    for (i = 0; i < n[0]; i++) t->axis[0].at[i] = top_speed * i / (n[0] - 1);
    task_angles(&t->axis[1], n[1]);
  }
  return PO_OK;
}

int po_task_samples(const po_task *t) {
  int i, n = 1;
  for (i = 0; i < t->axes; i++) n *= t->axis[i].samples;
  return n;
}

void po_task_at(double *w, const po_task *t, int sample) {
  int i;
  for (i = t->axes - 1; i >= 0; i--) {
    w[i] = t->axis[i].at[sample % t->axis[i].samples];
    sample /= t->axis[i].samples;
  }
}

void po_axis_cell(int *lower, int *upper, double *share, const po_axis *a, double w) {
  int lo = 0, hi = a->samples - 1, mid;
  double from, to;
  if (a->wraps) w = po_wrap(w);
  if (w <= a->at[0] || w >= a->at[hi]) {
    if (!a->wraps) {
      *lower = *upper = w <= a->at[0] ? 0 : hi;
      *share = 0;
      return;
    }
    from = a->at[hi];
    to = a->at[0] + 2 * PO_PI;
    *lower = hi;
    *upper = 0;
    *share = to > from ? po_clamp(((w < from ? w + 2 * PO_PI : w) - from) / (to - from), 0, 1) : 0;
    return;
  }
  while (hi - lo > 1) {
    mid = (lo + hi) / 2;
    if (a->at[mid] <= w) lo = mid;
    else hi = mid;
  }
  *lower = lo;
  *upper = hi;
  *share = (w - a->at[lo]) / (a->at[hi] - a->at[lo]);
}

int po_task_nearest(const po_task *t, const double *w) {
  double at[PO_TASK_AXES] = {0, 0, 0}, beyond = 1, share;
  int i, lower, upper, sample = 0;
  for (i = 0; i < t->axes; i++) at[i] = w[i];
  if (t->kind == PO_TASK_POINT || t->kind == PO_TASK_POINT_HEADING) {
    for (i = 0; i < 2; i++) beyond = po_max(beyond, po_abs(w[i]) / t->axis[i].at[t->axis[i].samples - 1]);
    for (i = 0; i < 2; i++) at[i] /= beyond;
  }
  for (i = 0; i < t->axes; i++) {
    po_axis_cell(&lower, &upper, &share, &t->axis[i], at[i]);
    sample = sample * t->axis[i].samples + (share > 0.5 ? upper : lower);
  }
  return sample;
}

void po_task_step(double *w, po_task_kind kind, po_pose2 step) {
  double s, c, x, y;
  if (kind == PO_TASK_LINE) w[0] -= step.x;
  if (kind == PO_TASK_HEADING) w[0] = po_wrap(w[0] - step.heading);
  if (kind == PO_TASK_HEADING_SPEED) w[1] = po_wrap(w[1] - step.heading);
  if (kind != PO_TASK_POINT && kind != PO_TASK_POINT_HEADING) return;
  po_sincos(&s, &c, step.heading);
  x = w[0] - step.x;
  y = w[1] - step.y;
  w[0] = c * x + s * y;
  w[1] = c * y - s * x;
  if (kind == PO_TASK_POINT_HEADING) w[2] = po_wrap(w[2] - step.heading);
}

void po_task_mirror(double *w, po_task_kind kind) {
  if (kind == PO_TASK_HEADING) w[0] = -w[0];
  if (kind == PO_TASK_POINT || kind == PO_TASK_POINT_HEADING || kind == PO_TASK_HEADING_SPEED) w[1] = -w[1];
  if (kind == PO_TASK_POINT_HEADING) w[2] = -w[2];
}
