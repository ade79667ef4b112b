/* step_fit.c: where a step leads, smoothly: kernel ridge regression of all examples (Rasmussen & Williams 2006, section 2.2; docs/constrained-walking.md).
 *
 *   y(x) = mean + Σ_i c_i (k(x, x_i) + 0.3 x·x_i + 1),     k = 1/(1 + |x − x_i|²/2),     (K + noise I) c = y − mean
 *
 * x: state and whole action, each over the scale on which results bend; y: length and next state. The linear part is summed once. Its derivatives are as good as its values, so
 * actions can be bent by them; mixtures of examples only tell which of them to begin with.
 */
#include "learn_internal.h"
#include <string.h>

#define FIT_STATE 0.3    /* of the metric: states further apart than this bear little on each other, */
#define FIT_ANGLE 0.3    /* rad: and actions, */
#define FIT_LEG 0.6      /* rad: of the stance leg, */
#define FIT_SECONDS 0.12 /* s: of the time */
#define FIT_FOOTHOLD 0.3 /* m: of a place */
#define FIT_LINEAR 0.3   /* share of a plain linear law in the kernel */
#define FIT_NOISE                                                                                                                  \
  0.003 /* of the kernel's variance: what five numbers do not tell of a state. Between 0.001 and 0.01 left-out lengths do not change by a millimetre */

#define FIT_BLOCK 64     /* examples that a query takes at a time, */
#define FIT_LD (FIT_BLOCK + 4) /* and how far apart rows of so many are: 64 would share sets of the cache */
#define FIT_COLUMNS ((PO_STEP_INPUTS + 4) / 4 * 4)

static void fit_scales(double scale[PO_STEP_INPUTS], const po_step_kind *kind) {
  static const double one[PO_STEP_STATE] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  int i;
  memset(scale, 0, sizeof(double) * PO_STEP_INPUTS);
  po_step_scaled(scale, one);
  for (i = 0; i < kind->states; i++) scale[i] /= FIT_STATE;
  for (i = 0; i < kind->actions && kind->footholds; i++) scale[kind->states + i] = 1 / FIT_FOOTHOLD;
  for (i = 0; i < kind->actions && !kind->footholds; i++)
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

static double *fit_row(const po_step_fit *f, int i) { return f->x + (size_t)i * (size_t)f->ld; } /* 1, then the inputs */

static void fit_matrix(po_mat K, const po_step_fit *f) {
  int i, j, a;
  for (i = 0; i < f->count; i++) {
    const double *x = fit_row(f, i) + 1;
    for (j = 0; j <= i; j++) {
      const double *y = fit_row(f, j) + 1;
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
  po_status st;
  fit_matrix(K, f);
  if ((st = po_cholesky(K, &failed, K)) != PO_OK) return st;
  for (b = 0; b < f->outputs; b++) {
    double *c = f->c + (size_t)b * (size_t)f->padded, mean = 0;
    for (i = 0; i < f->count; i++) mean += (c[i] = b ? m->example[i].to[b - 1] : m->example[i].length) / f->count;
    for (i = 0; i < f->count; i++) c[i] -= mean;
    po_cholesky_solve(c, K);
    f->offset[b] = mean;
    for (i = 0; i < f->count; i++) {
      f->offset[b] += c[i];
      for (a = 0; a < f->inputs; a++) f->slope[a][b] += FIT_LINEAR * c[i] * fit_row(f, i)[1 + a];
    }
  }
  return PO_OK;
}

/* Rows beyond the count are zero, their 1 too, and so add nothing to any sum. */
static void fit_fill(po_step_fit *f, const po_step_model *m) {
  int i, a;
  for (i = 0; i < f->count; i++) {
    double *x = fit_row(f, i);
    f->sway += m->example[i].to[PO_STEP_SWAY] / f->count;
    *x++ = 1;
    fit_input(x, f, m->example[i].from, m->example[i].action);
    for (a = 0; a < f->inputs; a++) {
      f->square[i] += x[a] * x[a];
      if (a < f->states) f->square_state[i] += x[a] * x[a];
    }
    f->length[i] = m->example[i].length;
  }
}

po_status po_step_fit_new(po_step_fit **fit, const po_step_model *m, po_error *err) {
  size_t own = (sizeof(po_step_fit) + 31) / 32 * 32, bytes, rows;
  po_step_fit *f;
  double *work;
  po_status st;
  int ld, inputs, outputs;
  if (!fit || !m) return po_fail(err, PO_ERR_NULL, "a fit needs a step model");
  *fit = NULL;
  inputs = m->kind.states + m->kind.actions;
  outputs = 1 + m->kind.states;
  ld = po_pad4(1 + inputs);
  rows = (size_t)((m->examples + FIT_BLOCK - 1) / FIT_BLOCK * FIT_BLOCK);
  bytes = own + sizeof(double) * rows * (size_t)(ld + outputs + 3);
  if (!(f = po_alloc(bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(f, 0, bytes);
  f->count = m->examples;
  f->padded = (int)rows;
  f->states = m->kind.states;
  f->inputs = inputs;
  f->outputs = outputs;
  f->ld = ld;
  f->x = (double *)(void *)((char *)f + own);
  f->c = f->x + rows * (size_t)ld;
  f->square = f->c + rows * (size_t)outputs;
  f->square_state = f->square + rows;
  f->length = f->square_state + rows;
  f->slow = po_step_model_quantile(m, PO_STEP_FIGURE_CAPTURE, PO_STEP_SLOW);
  f->fast = po_step_model_quantile(m, PO_STEP_FIGURE_CAPTURE, PO_STEP_BALANCED);
  fit_scales(f->scale, &m->kind);
  fit_fill(f, m);
  if (!(work = po_alloc(sizeof(double) * (size_t)po_pad4(f->count) * (size_t)f->count))) {
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

po_status po_step_model_fit(po_step_model *m, po_error *err) {
  if (!m) return po_fail(err, PO_ERR_NULL, "a fit needs a step model");
  po_step_fit_free(m->fit);
  return po_step_fit_new(&m->fit, m, err);
}

/* ---- queries: blocks of examples at a time, as products of matrices (0.1 ms of 2341 examples one by one, 0.03 so) ---- */

/* |x − x_i|²/2 of a block of rows, by |x|² + |x_i|² − 2 x·x_i; n: the first so many inputs. */
static void fit_distances(double half[FIT_BLOCK], const po_step_fit *f, int first, const double *x, int n, const double *square) {
  double own = 0;
  int i;
  for (i = 0; i < n; i++) own += x[i] * x[i];
  po_gemv(half, po_mat_of(fit_row(f, first) + 1, FIT_BLOCK, n, f->ld), x);
  for (i = 0; i < FIT_BLOCK; i++) half[i] = po_max(0, 0.5 * (own + square[first + i]) - half[i]);
}

/* The kernel's eighth power: who is near. */
static double fit_eighth(double k) {
  k *= k;
  k *= k;
  return k * k;
}

/* Sums of c k² (1, x_i') over all rows, from which derivatives follow; in its last row of k⁸ (1, x_i'): where the nearest examples are. */
void po_step_fit_at(po_step_fitted *y, const po_step_fit *f, const double *s, const double *action) {
  double x[PO_STEP_INPUTS], sum[PO_STEP_OUTPUTS] = {0}, k[FIT_BLOCK], W[(PO_STEP_OUTPUTS + 1) * FIT_LD], G[(PO_STEP_OUTPUTS + 1) * FIT_COLUMNS] = {0}, near;
  int i, a, b, first, n = f->inputs, rows = f->outputs + 1;
  memset(y, 0, sizeof *y);
  fit_input(x, f, s, action);
  for (first = 0; first < f->padded; first += FIT_BLOCK) {
    fit_distances(k, f, first, x, n, f->square);
    for (i = 0; i < FIT_BLOCK; i++) {
      k[i] = 1 / (1 + k[i]);
      W[f->outputs * FIT_LD + i] = fit_eighth(k[i]);
    }
    po_gemv_add(sum, 1, po_mat_of(f->c + first, f->outputs, FIT_BLOCK, f->padded), k);
    for (i = 0; i < FIT_BLOCK; i++) k[i] *= k[i];
    for (b = 0; b < f->outputs; b++) {
      const double *c = f->c + (size_t)b * (size_t)f->padded + first;
      for (i = 0; i < FIT_BLOCK; i++) W[b * FIT_LD + i] = k[i] * c[i];
    }
    po_gemm(po_mat_of(G, rows, n + 1, FIT_COLUMNS), 1, 1, po_mat_of(W, rows, FIT_BLOCK, FIT_LD), PO_N, po_mat_of(fit_row(f, first), FIT_BLOCK, n + 1, f->ld), PO_N);
  }
  for (b = 0; b < f->outputs; b++) {
    const double *g = G + b * FIT_COLUMNS;
    double v = f->offset[b] + sum[b];
    for (a = 0; a < n; a++) {
      v += f->slope[a][b] * x[a];
      y->gain[b][a] = f->scale[a] * (f->slope[a][b] + g[1 + a] - g[0] * x[a]);
    }
    if (b) y->to[b - 1] = v;
    else y->length = v;
  }
  y->known = near = G[f->outputs * FIT_COLUMNS];
  for (a = 0; a < n; a++) y->mean[a] = (near > 0 ? G[f->outputs * FIT_COLUMNS + 1 + a] / near : x[a]) / f->scale[a];
}

void po_step_fit_around(double mean[PO_STEP_STATE], const po_step_fit *f, const double *s, double length, double spread) {
  double x[PO_STEP_STATE], k[FIT_BLOCK], sum[1 + PO_STEP_STATE] = {0};
  int i, first;
  for (i = 0; i < f->states; i++) x[i] = f->scale[i] * s[i];
  for (first = 0; first < f->padded; first += FIT_BLOCK) {
    fit_distances(k, f, first, x, f->states, f->square_state);
    if (po_isfinite(length))
      for (i = 0; i < FIT_BLOCK; i++) {
        double off = (length - f->length[first + i]) / spread;
        k[i] += 0.5 * off * off;
      }
    for (i = 0; i < FIT_BLOCK; i++) k[i] = fit_eighth(1 / (1 + k[i]));
    po_gemv_t_add(sum, 1, po_mat_of(fit_row(f, first), FIT_BLOCK, 1 + f->states, f->ld), k);
  }
  for (i = 0; i < f->states; i++) mean[i] = sum[0] > 0 ? sum[1 + i] / (sum[0] * f->scale[i]) : s[i];
  for (; i < PO_STEP_STATE; i++) mean[i] = 0;
}
