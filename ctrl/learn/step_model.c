/* step_model.c: where a step leads, by examples (Coros 2010, section 3.4).
 *
 * A query (s, Â): the 25 examples nearest in state; of these the 3 nearest in the plane of the two principal axes of all actions; weights 1/(d + |ΔÂ|), made to sum to one, mix
 * whatever is asked for: next state, length, uncertainty, the whole action.
 *
 * Beyond the thesis: the mixture stands for a state that is not quite the one asked about. How results change with state and action is fitted to the 60 nearest examples by
 * weighted ridge regression, and the mixture is moved along by what it is off. Left-out lengths of biped7 (700 examples) are then missed by 2.4 cm instead of 6.0.
 */
#include "learn_internal.h"
#include <string.h>

#define MODEL_NEAR 0.1 /* of the metric: examples nearer than this count alike in the fit */
#define MODEL_RIDGE                                                                                                                \
  1e-3 /* of the fit: state and action vary by some 0.1 to 0.3 around a state, so this is a tenth of their variance or less */
#define MODEL_SLACK 1e-9 /* of the metric: rounding of distances */
#define MODEL_BEYOND 0.5 /* of a state's distance from what was mixed for it: doubt that is added */
#define MODEL_TINY 1e-9  /* m, rad: an example that is met exactly counts alone, but finitely */

/* ---- neighbours ---- */

/* In units of the metric the distance of two states is the Euclidean one. */
static double model_between(const void *metric, const void *a, const void *b, double enough) {
  const double *x = a, *y = b;
  double sum = 0;
  int i, n = *(const int *)metric;
  (void)enough;
  for (i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

static void near_inputs(double *x, const po_step_model *m, const double *s, const double *action) {
  int i;
  po_step_scaled(x, s);
  for (i = 0; i < m->kind.actions; i++) x[m->kind.states + i] = action[i];
}

static void near_outputs(double *y, const po_step_example *e) {
  y[0] = e->length;
  memcpy(y + 1, e->to, sizeof e->to);
}

/* Weighted ridge regression of the outputs on the inputs, about their means. */
static void near_fit(po_step_near *near, const po_step_model *m) {
  double x[PO_STEP_INPUTS], y[PO_STEP_OUTPUTS], mx[PO_STEP_INPUTS] = {0}, my[PO_STEP_OUTPUTS] = {0},
                                                Q[PO_STEP_INPUTS * PO_STEP_INPUTS] = {0}, column[PO_STEP_INPUTS], sum = 0;
  int n = m->kind.states + m->kind.actions, t, a, b, failed;
  po_mat M = po_mat_of(Q, n, n, n);
  for (t = 0; t < near->count; t++) sum += 1 / (MODEL_NEAR + near->distance[t]);
  for (t = 0; t < near->count; t++) {
    const po_step_example *e = &m->example[near->index[t]];
    double w = 1 / (MODEL_NEAR + near->distance[t]) / sum;
    near_inputs(x, m, e->from, e->action);
    near_outputs(y, e);
    for (a = 0; a < n; a++) mx[a] += w * x[a];
    for (b = 0; b < PO_STEP_OUTPUTS; b++) my[b] += w * y[b];
  }
  for (t = 0; t < near->count; t++) {
    const po_step_example *e = &m->example[near->index[t]];
    double w = 1 / (MODEL_NEAR + near->distance[t]) / sum;
    near_inputs(x, m, e->from, e->action);
    near_outputs(y, e);
    for (a = 0; a < n; a++) x[a] -= mx[a];
    for (a = 0; a < n; a++) {
      for (b = 0; b <= a; b++) Q[a * n + b] += w * x[a] * x[b];
      for (b = 0; b < PO_STEP_OUTPUTS; b++) near->gain[a][b] += w * x[a] * (y[b] - my[b]);
    }
  }
  for (a = 0; a < n; a++) Q[a * n + a] += MODEL_RIDGE;
  if (po_cholesky(M, &failed, M) != PO_OK) {
    memset(near->gain, 0, sizeof near->gain);
    return;
  }
  for (b = 0; b < PO_STEP_OUTPUTS; b++) {
    for (a = 0; a < n; a++) column[a] = near->gain[a][b];
    po_cholesky_solve(column, M);
    for (a = 0; a < n; a++) near->gain[a][b] = column[a];
  }
}

/* K examples; when a fit is to be made, more. How results change with state and action: as at the nearest example, or fitted anew. */
static void near_look(po_step_near *near, const po_step_model *m, const double *s, int skip, int fitted) {
  double x[PO_STEP_STATE];
  memset(near, 0, sizeof *near);
  memcpy(near->s, s, sizeof near->s);
  near->fitted = fitted;
  po_step_scaled(x, s);
  near->count = po_near_query(near->index, near->distance, fitted ? PO_STEP_FIT : PO_STEP_NEAR, m->near, x, skip);
  if (!m->linear || !near->count) return;
  if (fitted) near_fit(near, m);
  else memcpy(near->gain, m->gain[near->index[0]], sizeof near->gain);
}

void po_step_model_near(po_step_near *near, const po_step_model *m, const double *s, int skip) { near_look(near, m, s, skip, skip >= 0); }

double po_step_model_reach(double reach[2], const po_step_model *m, const double *s) {
  double x[PO_STEP_STATE], least;
  int best;
  po_step_scaled(x, s);
  po_near_query(&best, &least, 1, m->near, x, -1);
  memcpy(reach, m->reach[best], sizeof m->reach[best]);
  return least;
}

/* ---- prediction ---- */

static double low_square(const double *a, const double *b) { return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]); }

/* Of what was found the first K count; the rest is there for the fit. */
static int near_count(const po_step_near *near) { return near->count < PO_STEP_NEAR ? near->count : PO_STEP_NEAR; }

/* The k of the near ones whose actions are nearest, with their weights. */
static void predict_mix(po_step_guess *g, const po_step_model *m, const po_step_near *near, const double low[2]) {
  double far[PO_STEP_MIX], sum = 0;
  int i, k, state[PO_STEP_MIX];
  g->mixed = 0;
  for (i = 0; i < near_count(near); i++) {
    double d = low_square(m->low[near->index[i]], low);
    if (g->mixed == PO_STEP_MIX && !(d < far[PO_STEP_MIX - 1])) continue;
    for (k = g->mixed < PO_STEP_MIX ? g->mixed++ : g->mixed - 1; k > 0 && far[k - 1] > d; k--) {
      far[k] = far[k - 1];
      state[k] = state[k - 1];
    }
    far[k] = d;
    state[k] = i;
  }
  for (k = 0; k < g->mixed; k++) {
    g->index[k] = near->index[state[k]];
    sum += g->weight[k] = 1 / (near->distance[state[k]] + sqrt(far[k]) + MODEL_TINY);
  }
  for (k = 0; k < g->mixed; k++) g->weight[k] /= sum;
}

/* What the results change by when the inputs do. */
static void predict_move(po_step_guess *g, const po_step_model *m, const po_step_near *near, const double *dx) {
  int a, b;
  for (a = 0; a < m->kind.states + m->kind.actions; a++) {
    g->length += dx[a] * near->gain[a][0];
    for (b = 0; b < m->kind.states; b++) g->to[b] += dx[a] * near->gain[a][1 + b];
  }
}

/* The mixture, and then along the fit from the mixture's own state and action to those asked about. action NULL: the mixture's. */
static void predict_at(po_step_guess *g, const po_step_model *m, const po_step_near *near, const double low[2],
                       const double *action) {
  double from[PO_STEP_STATE] = {0}, mixed[PO_STEP_ACTION] = {0}, x[PO_STEP_INPUTS], x0[PO_STEP_INPUTS];
  int i, k;
  predict_mix(g, m, near, low);
  memset(g->to, 0, sizeof g->to);
  g->length = g->uncertainty = 0;
  for (k = 0; k < g->mixed; k++) {
    const po_step_example *e = &m->example[g->index[k]];
    for (i = 0; i < PO_STEP_STATE; i++) {
      g->to[i] += g->weight[k] * e->to[i];
      from[i] += g->weight[k] * e->from[i];
    }
    for (i = 0; i < m->kind.actions; i++) mixed[i] += g->weight[k] * e->action[i];
    g->length += g->weight[k] * e->length;
    g->uncertainty += g->weight[k] * m->uncertainty[g->index[k]];
  }
  memcpy(g->action, action ? action : mixed, sizeof g->action);
  if (!m->linear) return;
  near_inputs(x, m, near->s, g->action);
  near_inputs(x0, m, from, mixed);
  for (i = 0; i < m->kind.states + m->kind.actions; i++) x[i] -= x0[i];
  predict_move(g, m, near, x);
  g->uncertainty += MODEL_BEYOND * po_step_distance(near->s, from);
}

void po_step_model_predict(po_step_guess *g, const po_step_model *m, const po_step_near *near, const double low[2]) {
  predict_at(g, m, near, low, NULL);
}

static void model_low(double low[2], const po_step_model *m, const double *action) {
  int j, k;
  for (k = 0; k < 2; k++) {
    low[k] = 0;
    for (j = 0; j < m->kind.actions; j++) low[k] += m->axis[k][j] * (action[j] - m->mean[j]);
  }
}

void po_step_model_predict_action(po_step_guess *g, const po_step_model *m, const po_step_near *near, const double *action) {
  double low[2];
  model_low(low, m, action);
  predict_at(g, m, near, low, action);
}

void po_step_model_aim(po_step_guess *g, const po_step_model *m, const po_step_near *near, double length, double most) {
  double dx[PO_STEP_INPUTS] = {0}, slope[2] = {0, 0}, size, scale = 1, e = length - g->length;
  int i, k, n = m->kind.actions;
  for (k = 0; k < 2; k++)
    for (i = 0; i < n; i++) slope[k] += m->axis[k][i] * near->gain[m->kind.states + i][0];
  if (!((size = slope[0] * slope[0] + slope[1] * slope[1]) > 0)) return;
  for (i = 0; i < n; i++) {
    double *d = &dx[m->kind.states + i], room;
    *d = e * (slope[0] * m->axis[0][i] + slope[1] * m->axis[1][i]) / size;
    room = po_min(most, po_max((*d > 0 ? m->kind.limit[i] - g->action[i] : m->kind.limit[i] + g->action[i]), 0));
    if (po_abs(*d) > room) scale = po_min(scale, room / po_abs(*d));
  }
  for (i = 0; i < n; i++) g->action[i] += dx[m->kind.states + i] *= scale;
  predict_move(g, m, near, dx);
}

void po_step_model_box(double lower[2], double upper[2], const po_step_model *m, const po_step_near *near) {
  int i, k;
  for (k = 0; k < 2; k++) {
    lower[k] = PO_INF;
    upper[k] = -PO_INF;
    for (i = 0; i < near_count(near); i++) {
      lower[k] = po_min(lower[k], m->low[near->index[i]][k]);
      upper[k] = po_max(upper[k], m->low[near->index[i]][k]);
    }
  }
}

/* ---- making ---- */

/* The two principal axes of the actions; each so that its largest number is positive. */
static po_status model_axes(po_step_model *m) {
  double C[PO_STEP_ACTION * PO_STEP_ACTION] = {0}, V[PO_STEP_ACTION * PO_STEP_ACTION], w[PO_STEP_ACTION], total = 0, room[1024];
  int i, j, k, n = m->kind.actions;
  po_arena arena;
  po_status st;
  memset(m->mean, 0, sizeof m->mean);
  for (k = 0; k < m->examples; k++)
    for (i = 0; i < n; i++) m->mean[i] += m->example[k].action[i] / m->examples;
  for (k = 0; k < m->examples; k++)
    for (i = 0; i < n; i++)
      for (j = 0; j <= i; j++)
        C[i * n + j] += (m->example[k].action[i] - m->mean[i]) * (m->example[k].action[j] - m->mean[j]) / m->examples;
  po_arena_init(&arena, room, sizeof room);
  if ((st = po_eig_sym(w, po_mat_of(V, n, n, n), po_mat_of(C, n, n, n), &arena)) != PO_OK) return st;
  for (i = 0; i < n; i++) total += w[i];
  m->pca_share = total > 0 ? (w[n - 1] + w[n - 2]) / total : 1;
  for (k = 0; k < 2; k++) {
    int largest = 0;
    for (i = 0; i < n; i++) m->axis[k][i] = V[i * n + n - 1 - k];
    for (i = 1; i < n; i++) largest = po_abs(m->axis[k][i]) > po_abs(m->axis[k][largest]) ? i : largest;
    for (i = 0; i < n && m->axis[k][largest] < 0; i++) m->axis[k][i] = i == largest ? m->axis[k][i] : -m->axis[k][i];
    if (m->axis[k][largest] < 0) m->axis[k][largest] = -m->axis[k][largest];
  }
  return PO_OK;
}

static void model_project(po_step_model *m) {
  int i;
  for (i = 0; i < m->examples; i++) model_low(m->low[i], m, m->example[i].action);
}

void po_step_model_left_out(double *length, double *state, const po_step_model *m, int i) {
  po_step_near near;
  po_step_guess g;
  po_step_model_near(&near, m, m->example[i].from, i);
  po_step_model_predict_action(&g, m, &near, m->example[i].action);
  *length = po_abs(m->example[i].length - g.length);
  *state = po_step_distance(m->example[i].to, g.to);
}

void po_step_model_possible(int nearest[PO_STEP_NEAR], double lower[2], double upper[2], const po_step_model *m, const double *s) {
  po_step_near near;
  po_step_model_near(&near, m, s, -1);
  po_step_model_box(lower, upper, m, &near);
  memcpy(nearest, near.index, sizeof(int) * PO_STEP_NEAR);
}

/* U_i = d(s'_i, s~'_i) + |l_i − l~_i| when the model does not know example i. As printed it compares the states before, which are the same. */
static void model_doubt(po_step_model *m) {
  int i;
  for (i = 0; i < m->examples; i++) { /* predictions mix it too, but nobody looks */
    double length, state;
    po_step_model_left_out(&length, &state, m, i);
    m->uncertainty[i] = state + length;
  }
}

/* Around every example: how results change, found once since a plan asks at hundreds of states; and what the near examples did, their lengths but the shortest and the longest
 * fifth. */
static void model_around(po_step_model *m) {
  int i, k, j;
  for (i = 0; i < m->examples; i++) {
    po_step_near near;
    double sorted[PO_STEP_NEAR];
    near_look(&near, m, m->example[i].from, -1, 1);
    memcpy(m->gain[i], near.gain, sizeof near.gain);
    for (k = 0; k < near_count(&near); k++) {
      double x = m->example[near.index[k]].length;
      for (j = k; j > 0 && sorted[j - 1] > x; j--) sorted[j] = sorted[j - 1];
      sorted[j] = x;
    }
    m->reach[i][0] = sorted[near_count(&near) / 5];
    m->reach[i][1] = sorted[near_count(&near) - 1 - near_count(&near) / 5];
  }
}

static void model_layout(po_step_model *m, int n, po_arena *arena) {
  m->example = PO_ARENA_ZARRAY(arena, po_step_example, n);
  m->uncertainty = PO_ARENA_ZARRAY(arena, double, n);
  m->low = (double(*)[2])(void *)PO_ARENA_ZARRAY(arena, double, 2 * n);
  m->reach = (double(*)[2])(void *)PO_ARENA_ZARRAY(arena, double, 2 * n);
  m->key = (double(*)[PO_STEP_STATE])(void *)PO_ARENA_ZARRAY(arena, double, PO_STEP_STATE *n);
  m->gain = (double(*)[PO_STEP_INPUTS][PO_STEP_OUTPUTS])(void *)PO_ARENA_ZARRAY(arena, double, PO_STEP_INPUTS *PO_STEP_OUTPUTS *n);
}

/* One block: the struct and its arrays. */
static po_step_model *model_alloc(int examples) {
  size_t own = (sizeof(po_step_model) + 31) / 32 * 32;
  po_step_model sizes, *m;
  po_arena arena;
  po_arena_measure(&arena);
  model_layout(&sizes, examples, &arena);
  if (!(m = po_alloc(own + po_arena_used(&arena) + 64))) return NULL;
  memset(m, 0, sizeof *m);
  po_arena_init(&arena, (char *)m + own, po_arena_used(&arena) + 64);
  model_layout(m, examples, &arena);
  m->examples = examples;
  return m;
}

void po_step_model_set_linear(po_step_model *m, int linear) {
  m->linear = linear;
  model_around(m);
  model_doubt(m);
}

static po_status model_finish(po_step_model *m) {
  po_status st;
  int i;
  if ((st = model_axes(m)) != PO_OK) return st;
  model_project(m);
  for (i = 0; i < m->examples; i++) po_step_scaled(m->key[i], m->example[i].from);
  if ((st = po_near_make(&m->near, model_between, &m->kind.states, m->key, sizeof *m->key, m->examples, MODEL_SLACK)) != PO_OK) return st;
  po_step_model_set_linear(m, 1);
  return PO_OK;
}

po_status po_step_model_new(po_step_model **steps, const po_model *model, const char *style, const po_step_example *example,
                            int examples, po_error *err) {
  po_step_model *m;
  po_status st;
  int i;
  if (!steps || !model || !style || !example) return po_fail(err, PO_ERR_NULL, "a step model needs a body and examples");
  *steps = NULL;
  if (examples < PO_STEP_NEAR)
    return po_fail(err, PO_ERR_SIZE, "%d examples: a step model needs at least %d", examples, PO_STEP_NEAR);
  if (!(m = model_alloc(examples))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memcpy(m->example, example, sizeof *example * (size_t)examples);
  m->kind = po_step_kind_of(model, style);
  m->model_hash = po_model_hash(model);
  po_format(m->body, sizeof m->body, "%s", model->name);
  po_format(m->style, sizeof m->style, "%s", style);
  for (i = 0; i < examples; i++)
    if (!po_all_finite((const double *)(const void *)&m->example[i], (int)(sizeof *example / sizeof(double)))) {
      po_free(m);
      return po_fail(err, PO_ERR_NOT_FINITE, "example %d has a number that is not finite", i + 1);
    }
  st = model_finish(m);
  if (st != PO_OK) po_step_model_free(m);
  else *steps = m;
  return st == PO_OK ? st : po_fail(err, st, "a step model cannot be made: %s", po_status_string(st));
}

#define MODEL_PENDULUM 0.32 /* s: sqrt(h/g) of a COM 1 m high */

double po_step_capture(const double *s) { return s[0] + MODEL_PENDULUM * s[1]; }

static double model_figure(const po_step_model *m, po_step_figure figure, int i) {
  return figure == PO_STEP_FIGURE_LENGTH    ? m->example[i].length
         : figure == PO_STEP_FIGURE_CAPTURE ? po_step_capture(m->example[i].to)
                                            : m->uncertainty[i];
}

double po_step_model_quantile(const po_step_model *m, po_step_figure figure, double share) {
  double low = -2, high = 4;
  while (high - low > 1e-3) {
    double middle = (low + high) / 2;
    int i, n = 0;
    for (i = 0; i < m->examples; i++) n += model_figure(m, figure, i) < middle;
    if (n < share * m->examples) low = middle;
    else high = middle;
  }
  return low;
}

void po_step_model_free(po_step_model *m) {
  if (!m) return;
  po_step_fit_free(m->fit);
  po_near_free(m->near);
  po_free(m);
}
