/* step_fit.c: where a step leads, smoothly: kernel ridge regression of all examples (Rasmussen & Williams 2006, section 2.2; docs/constrained-walking.md).
 *
 *   y(x) = mean + Σ_i c_i (k(x, x_i) + 0.3 x·x_i + 1),     k = 1/(1 + |x − x_i|²/2),     (K + noise I) c = y − mean
 *
 * x: state and whole action, each over the scale on which results bend; y: length and next state. The linear part is summed once. Its derivatives are as good as its values, so
 * actions can be bent by them; mixtures of examples only tell which of them to begin with.
 */
#include "steps.h"
#include <string.h>

#define FIT_STATE 0.3    /* of the metric: states further apart than this bear little on each other, */
#define FIT_ANGLE 0.3    /* rad: and actions, */
#define FIT_LEG 0.6      /* rad: of the stance leg, */
#define FIT_SECONDS 0.12 /* s: of the time */
#define FIT_LINEAR 0.3   /* share of a plain linear law in the kernel */
#define FIT_NOISE                                                                                                                  \
  0.003 /* of the kernel's variance: what five numbers do not tell of a state. Between 0.001 and 0.01 left-out lengths do not change by a millimetre */

static void fit_scales(double scale[PO_STEP_INPUTS], const po_step_kind *kind) {
  static const double root[PO_STEP_STATE] = {1.4142135623730951,
                                             1,
                                             0.70710678118654757,
                                             0.70710678118654757,
                                             0.70710678118654757,
                                             1.4142135623730951,
                                             1,
                                             1,
                                             0.2}; /* of the metric */
  int i;
  memset(scale, 0, sizeof(double) * PO_STEP_INPUTS);
  for (i = 0; i < kind->states; i++) scale[i] = root[i] / FIT_STATE;
  for (i = 0; i < kind->actions; i++)
    scale[kind->states + i] = 1 / (i == kind->actions - 1                                     ? FIT_SECONDS
                                   : i >= 2 * kind->knots && i < 2 * kind->knots + kind->legs ? FIT_LEG
                                                                                              : FIT_ANGLE);
}

static void fit_input(double *x, const po_step_fit *f, const double *s, const double *action) {
  int i;
  for (i = 0; i < f->states; i++) x[i] = f->scale[i] * s[i];
  for (; i < f->inputs; i++) x[i] = f->scale[i] * action[i - f->states];
}

static double fit_square(const double *a, const double *b, int n) {
  double sum = 0;
  int i;
  for (i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

static void fit_matrix(po_mat K, const po_step_fit *f) {
  int i, j, a;
  for (i = 0; i < f->count; i++) {
    const double *x = f->row[i].x;
    for (j = 0; j <= i; j++) {
      const double *y = f->row[j].x;
      double dot = 0;
      for (a = 0; a < f->inputs; a++) dot += x[a] * y[a];
      K.a[(size_t)i * (size_t)K.ld + (size_t)j] = 1 / (1 + fit_square(x, y, f->inputs) / 2) + FIT_LINEAR * dot + 1;
    }
    K.a[(size_t)i * (size_t)K.ld + (size_t)i] += FIT_NOISE;
  }
}

/* (K + noise I) c = y − mean for every output; the linear part of the kernel summed up. */
static po_status fit_solve(po_step_fit *f, const po_step_model *m, double *work) {
  int i, a, b, failed, ld = po_pad4(f->count);
  po_mat K = po_mat_of(work, f->count, f->count, ld);
  double *c = work + (size_t)ld * (size_t)f->count;
  po_status st;
  fit_matrix(K, f);
  if ((st = po_cholesky(K, &failed, K)) != PO_OK) return st;
  for (b = 0; b < f->outputs; b++) {
    double mean = 0;
    for (i = 0; i < f->count; i++) mean += (c[i] = b ? m->example[i].to[b - 1] : m->example[i].length) / f->count;
    for (i = 0; i < f->count; i++) c[i] -= mean;
    po_cholesky_solve(c, K);
    f->offset[b] = mean;
    for (i = 0; i < f->count; i++) {
      f->row[i].c[b] = c[i];
      f->offset[b] += c[i];
      for (a = 0; a < f->inputs; a++) f->slope[a][b] += FIT_LINEAR * c[i] * f->row[i].x[a];
    }
  }
  return PO_OK;
}

po_status po_step_fit_new(po_step_fit **fit, const po_step_model *m, po_error *err) {
  size_t own = (sizeof(po_step_fit) + 31) / 32 * 32;
  po_step_fit *f;
  double *work;
  po_status st;
  int i;
  if (!fit || !m) return po_fail(err, PO_ERR_NULL, "a fit needs a step model");
  *fit = NULL;
  if (!(f = po_alloc(own + sizeof *f->row * (size_t)m->examples))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(f, 0, own + sizeof *f->row * (size_t)m->examples);
  f->row = (po_step_fit_row *)(void *)((char *)f + own);
  f->count = m->examples;
  f->states = m->kind.states;
  f->inputs = m->kind.states + m->kind.actions;
  f->outputs = 1 + m->kind.states;
  fit_scales(f->scale, &m->kind);
  for (i = 0; i < f->count; i++) fit_input(f->row[i].x, f, m->example[i].from, m->example[i].action);
  if (!(work = po_alloc(sizeof(double) * ((size_t)po_pad4(f->count) * (size_t)f->count + (size_t)f->count)))) {
    po_free(f);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  st = fit_solve(f, m, work);
  po_free(work);
  if (st != PO_OK) po_free(f);
  else *fit = f;
  return st == PO_OK ? st : po_fail(err, st, "%d examples cannot be fitted: %s", m->examples, po_status_string(st));
}

void po_step_fit_free(po_step_fit *f) { po_free(f); }

/* x' of all rows at once: sums of c k² x_i' and of c k², from which derivatives follow; and where the nearest examples are. */
void po_step_fit_at(po_step_fitted *y, const po_step_fit *f, const double *s, const double *action) {
  double x[PO_STEP_INPUTS], sum[PO_STEP_OUTPUTS] = {0}, G[PO_STEP_INPUTS][PO_STEP_OUTPUTS] = {{0}}, mean[PO_STEP_INPUTS] = {0},
                            near = 0, squares[PO_STEP_OUTPUTS] = {0};
  int i, a, b, n = f->inputs;
  memset(y, 0, sizeof *y);
  fit_input(x, f, s, action);
  for (i = 0; i < f->count; i++) {
    const po_step_fit_row *r = &f->row[i];
    double k = 1 / (1 + fit_square(x, r->x, n) / 2), k2 = k * k, k8 = k2 * k2 * k2 * k2, ck[PO_STEP_OUTPUTS];
    for (b = 0; b < f->outputs; b++) {
      sum[b] += k * r->c[b];
      squares[b] += ck[b] = k2 * r->c[b];
    }
    near += k8;
    for (a = 0; a < n; a++) {
      mean[a] += k8 * r->x[a];
      for (b = 0; b < f->outputs; b++) G[a][b] += ck[b] * r->x[a];
    }
  }
  for (b = 0; b < f->outputs; b++) {
    double v = f->offset[b] + sum[b];
    for (a = 0; a < n; a++) {
      v += f->slope[a][b] * x[a];
      y->gain[b][a] = f->scale[a] * (f->slope[a][b] + G[a][b] - squares[b] * x[a]);
    }
    if (b) y->to[b - 1] = v;
    else y->length = v;
  }
  y->known = near;
  for (a = 0; a < n; a++) y->mean[a] = near > 0 ? mean[a] / near / f->scale[a] : x[a] / f->scale[a];
}
