/* tune_cma.c: the covariance matrix adaptation evolution strategy, with negative weights (Hansen 2016, "The CMA evolution strategy: a tutorial").
 *
 *   points      y_k = m + σ B D z_k,  z_k ~ N(0, 1),  C = B D² B'
 *   mean        m += σ Σ w_i y_i:λ over the better half
 *   step        σ  by the length of a path of steps made round by C^−½
 *   covariance  C += c_1 p_c p_c' + c_μ Σ w_i y_i y_i', the worse half with negative weights
 *
 * With a diagonal C rates are (n + 2)/3 times as large (Ros and Hansen 2008).
 */
#include "tune_room.h"
#include <string.h>

#define CMA_CONDITION 1e7    /* largest over smallest standard deviation beyond which it begins again: squared, what doubles bear */
#define CMA_APART 1e4        /* and σ grown so far */

static size_t cma_cells(const po_tune *t) { return t->full ? (size_t)t->n * (size_t)t->n : (size_t)t->n; }
static int cma_window(int n, int population) {
  int w = 10 + (30 * n + population - 1) / population;
  return w < PO_CMA_HISTORY ? w : PO_CMA_HISTORY;
}

void po_cma_layout(po_tune *t, po_arena *arena) {
  po_cma *c = &t->cma;
  size_t N = (size_t)t->n, most = (size_t)t->most;
  c->weight = PO_ARENA_ZARRAY(arena, double, most);
  c->mean = PO_ARENA_ZARRAY(arena, double, N);
  c->path_sigma = PO_ARENA_ZARRAY(arena, double, N);
  c->path_c = PO_ARENA_ZARRAY(arena, double, N);
  c->C = PO_ARENA_ZARRAY(arena, double, cma_cells(t));
  c->B = PO_ARENA_ZARRAY(arena, double, t->full ? cma_cells(t) : 1);
  c->D = PO_ARENA_ZARRAY(arena, double, N);
  c->z = PO_ARENA_ZARRAY(arena, double, most * N);
  c->best = PO_ARENA_ZARRAY(arena, double, PO_CMA_HISTORY);
  c->broken = PO_ARENA_ZARRAY(arena, double, PO_CMA_HISTORY);
  c->scratch_bytes = (t->full ? 2 * po_mat_bytes(t->n, t->n) : 0) + 3 * N * sizeof(double) + 256;
  c->scratch = po_arena_zalloc(arena, c->scratch_bytes);
}

/* Table 1 and eqs. 49-58. */
static void cma_constants(po_tune *t) {
  po_cma *c = &t->cma;
  double N = t->n, sum = 0, sum2 = 0, less = 0, less2 = 0, mu_less, a, faster = t->full ? 1 : (N + 2) / 3;
  int i, L = t->population;
  c->parents = L / 2;
  for (i = 0; i < L; i++) {
    c->weight[i] = po_log(0.5 * (L + 1)) - po_log(i + 1.0);
    if (i < c->parents) sum += c->weight[i], sum2 += c->weight[i] * c->weight[i];
    else less += c->weight[i], less2 += c->weight[i] * c->weight[i];
  }
  c->mu_eff = sum * sum / sum2;
  mu_less = less2 > 0 ? less * less / less2 : 0;
  c->c_sigma = (c->mu_eff + 2) / (N + c->mu_eff + 5);
  c->d_sigma = 1 + 2 * po_max(0, sqrt((c->mu_eff - 1) / (N + 1)) - 1) + c->c_sigma;
  c->c_c = (4 + c->mu_eff / N) / (N + 4 + 2 * c->mu_eff / N);
  c->c_1 = po_min(0.5, faster * 2 / ((N + 1.3) * (N + 1.3) + c->mu_eff));
  c->c_mu = po_min(1 - c->c_1, faster * 2 * (0.25 + c->mu_eff + 1 / c->mu_eff - 2) / ((N + 2) * (N + 2) + c->mu_eff));
  a = po_min(1 + c->c_1 / c->c_mu, po_min(1 + 2 * mu_less / (c->mu_eff + 2), (1 - c->c_1 - c->c_mu) / (N * c->c_mu)));
  for (i = 0; i < L; i++) c->weight[i] /= i < c->parents ? sum : less < 0 ? -less / a : 1;
  c->chi = sqrt(N) * (1 - 1 / (4 * N) + 1 / (21 * N * N));
  c->window = cma_window(t->n, L);
  c->every = (int)po_max(1, 1 / ((c->c_1 + c->c_mu) * N * 10));
}

void po_cma_begin(po_tune *t, int restart) {
  po_cma *c = &t->cma;
  size_t N = (size_t)t->n, i;
  cma_constants(t);
  memset(c->mean, 0, N * sizeof(double));
  if (restart) po_tune_anywhere(c->mean, t, 0);
  memset(c->path_sigma, 0, N * sizeof(double));
  memset(c->path_c, 0, N * sizeof(double));
  memset(c->C, 0, cma_cells(t) * sizeof(double));
  if (t->full) memset(c->B, 0, cma_cells(t) * sizeof(double));
  for (i = 0; i < N; i++) {
    c->C[t->full ? i * N + i : i] = c->D[i] = 1;
    if (t->full) c->B[i * N + i] = 1;
  }
  c->sigma = 1;
  c->seen = c->age = c->stuck = 0;
}

/* out = B x, or B' x. */
static void cma_turn(double *out, const po_tune *t, const double *x, int transposed) {
  size_t N = (size_t)t->n, i, j;
  const double *B = t->cma.B;
  if (!t->full) {
    memcpy(out, x, N * sizeof(double));
    return;
  }
  memset(out, 0, N * sizeof(double));
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) out[i] += (transposed ? B[j * N + i] : B[i * N + j]) * x[j];
}

void po_cma_ask(po_tune *t) {
  po_cma *c = &t->cma;
  size_t N = (size_t)t->n, i;
  double *scaled = c->scratch, *step = scaled + N;
  int k;
  for (k = 0; k < t->population; k++) {
    double *z = c->z + (size_t)k * N, *y = t->y + (size_t)k * N;
    po_tune_normals(z, t, k);
    for (i = 0; i < N; i++) scaled[i] = c->D[i] * z[i];
    cma_turn(step, t, scaled, 0);
    for (i = 0; i < N; i++) y[i] = c->mean[i] + c->sigma * step[i];
  }
  t->ranked = t->population;
}

/* ---- the update ---- */

/* m, and the paths of σ and of C (eqs. 41-45). Returns h_σ: 0 when the path of σ is too long for C's to follow. */
static int cma_paths(po_tune *t) {
  po_cma *c = &t->cma;
  size_t N = (size_t)t->n, i;
  double *step = c->scratch, *turned = step + N, norm = 0, keep = 1 - c->c_sigma, full;
  int k, follows;
  memset(step, 0, N * sizeof(double));
  for (k = 0; k < c->parents; k++) {
    const double *y = t->y + (size_t)t->order[k] * N;
    for (i = 0; i < N; i++) step[i] += c->weight[k] * (y[i] - c->mean[i]);
  }
  for (i = 0; i < N; i++) {
    c->mean[i] += step[i];
    step[i] /= c->sigma;
  }
  cma_turn(turned, t, step, 1);
  for (i = 0; i < N; i++) turned[i] /= c->D[i];
  {
    double *round = turned + N; /* B D^−1 B' step */
    cma_turn(round, t, turned, 0);
    for (i = 0; i < N; i++) c->path_sigma[i] = keep * c->path_sigma[i] + sqrt(c->c_sigma * (2 - c->c_sigma) * c->mu_eff) * round[i];
  }
  for (i = 0; i < N; i++) norm += c->path_sigma[i] * c->path_sigma[i];
  norm = sqrt(norm);
  full = sqrt(1 - po_exp(2 * (c->seen + 1) * po_log(keep)));
  follows = norm / full < (1.4 + 2 / (t->n + 1.0)) * c->chi;
  for (i = 0; i < N; i++) c->path_c[i] = (1 - c->c_c) * c->path_c[i] + (follows ? sqrt(c->c_c * (2 - c->c_c) * c->mu_eff) * step[i] : 0);
  c->sigma *= po_exp(po_min(1, c->c_sigma / c->d_sigma * (norm / c->chi - 1)));
  return follows;
}

/* C += w y y', of which the lower triangle is kept. */
static void cma_add(po_tune *t, double *C, double w, const double *y) {
  size_t N = (size_t)t->n, i, j;
  if (!t->full)
    for (i = 0; i < N; i++) C[i] += w * y[i] * y[i];
  else
    for (i = 0; i < N; i++)
      for (j = 0; j <= i; j++) C[i * N + j] += w * y[i] * y[j];
}

/* Eqs. 46-47: worse steps are shortened to the length that keeps C positive. */
static void cma_covariance(po_tune *t, int follows) {
  po_cma *c = &t->cma;
  size_t N = (size_t)t->n, i;
  double sum = 0, keep, *scaled = c->scratch, *y = scaled + N;
  int k;
  for (k = 0; k < t->population; k++) sum += c->weight[k];
  keep = 1 + (follows ? 0 : c->c_1 * c->c_c * (2 - c->c_c)) - c->c_1 - c->c_mu * sum;
  for (i = 0; i < cma_cells(t); i++) c->C[i] *= keep;
  cma_add(t, c->C, c->c_1, c->path_c);
  for (k = 0; k < t->population; k++) {
    const double *z = c->z + (size_t)t->order[k] * N;
    double w = c->c_mu * c->weight[k], length = 0;
    for (i = 0; i < N; i++) {
      length += z[i] * z[i];
      scaled[i] = c->D[i] * z[i];
    }
    cma_turn(y, t, scaled, 0);
    if (w < 0) w *= t->n / po_max(length, 1e-10);
    cma_add(t, c->C, w, y);
  }
}

/* Whole numbers keep a least standard deviation: below it all points would be one. */
static void cma_whole(po_tune *t) {
  po_cma *c = &t->cma;
  size_t N = (size_t)t->n, i;
  for (i = 0; i < N; i++) {
    double least = po_tune_least(t, (int)i) / c->sigma, *at = &c->C[t->full ? i * N + i : i];
    if (*at < least * least) *at = least * least;
  }
}

/* C = B D² B', when it is due. PO_ERR_SINGULAR when C is not what it should be. */
static po_status cma_factor(po_tune *t) {
  po_cma *c = &t->cma;
  int n = t->n, i;
  double low = PO_INF, high = 0;
  if (++c->age < c->every && t->full) return PO_OK;
  c->age = 0;
  if (t->full) {
    po_arena arena;
    po_arena_init(&arena, c->scratch, c->scratch_bytes);
    if (po_eig_sym(c->D, po_mat_of(c->B, n, n, n), po_mat_of(c->C, n, n, n), &arena) != PO_OK) return PO_ERR_SINGULAR;
  } else memcpy(c->D, c->C, sizeof(double) * (size_t)n);
  for (i = 0; i < n; i++) {
    if (!(c->D[i] > 0 && c->D[i] < 1e300)) return PO_ERR_SINGULAR;
    c->D[i] = sqrt(c->D[i]);
    low = po_min(low, c->D[i]);
    high = po_max(high, c->D[i]);
  }
  return high > CMA_CONDITION * low || c->sigma * high > CMA_APART ? PO_ERR_SINGULAR : PO_OK;
}

/* ---- at rest ---- */

static int cma_costs_rest(po_tune *t) {
  po_cma *c = &t->cma;
  int k, first = t->order[0], last = t->order[t->ranked - 1], filled;
  double low = t->cost[last], high = t->cost[first], worst = t->violation[last];
  c->best[c->seen % c->window] = t->cost[first];
  c->broken[c->seen % c->window] = t->violation[first];
  filled = c->seen + 1 < c->window ? c->seen + 1 : c->window;
  if (filled < c->window || worst != t->violation[first]) return 0;
  low = high = t->cost[first];
  for (k = 0; k < filled; k++) {
    low = po_min(low, c->best[k]);
    high = po_max(high, c->best[k]);
    if (c->broken[k] != worst) return 0;
  }
  return po_max(high, t->cost[last]) - low <= t->opts.tol_cost;
}

static int cma_steps_rest(const po_tune *t) {
  const po_cma *c = &t->cma;
  size_t N = (size_t)t->n, i;
  int moves = 0;
  for (i = 0; i < N; i++) {
    double s = sqrt(c->C[t->full ? i * N + i : i]);
    if (c->sigma * s > t->opts.tol_x || c->sigma * po_abs(c->path_c[i]) > t->opts.tol_x) moves = 1;
    if (c->mean[i] == c->mean[i] + 0.2 * c->sigma * s) return 1; /* a step that changes nothing */
  }
  return !moves;
}

po_status po_cma_tell(po_tune *t) {
  po_cma *c = &t->cma;
  int rest = cma_costs_rest(t), follows;
  follows = cma_paths(t);
  cma_covariance(t, follows);
  c->seen++;
  cma_whole(t);
  if (cma_factor(t) != PO_OK) rest = 1;
  po_tune_place(t->centre, t, c->mean);
  return rest || cma_steps_rest(t) ? PO_ERR_ITERATIONS : PO_OK;
}

/* ---- reading, saving ---- */

double po_cma_condition(const po_tune *t) {
  double low = PO_INF, high = 0;
  int i;
  for (i = 0; i < t->n; i++) low = po_min(low, t->cma.D[i]), high = po_max(high, t->cma.D[i]);
  return high / low;
}

double po_cma_step(const po_tune *t) {
  double sum = 0;
  int i;
  for (i = 0; i < t->n; i++) sum += po_log(t->cma.D[i]);
  return t->cma.sigma * po_exp(sum / t->n);
}

void po_cma_stream(po_tune *t, po_stream *s) {
  po_cma *c = &t->cma;
  int N = t->n;
  po_stream_double(s, &c->sigma);
  po_stream_int(s, &c->seen);
  po_stream_int(s, &c->age);
  po_stream_doubles(s, c->mean, N);
  po_stream_doubles(s, c->path_sigma, N);
  po_stream_doubles(s, c->path_c, N);
  po_stream_doubles(s, c->C, (int)cma_cells(t));
  if (t->full) po_stream_doubles(s, c->B, (int)cma_cells(t));
  po_stream_doubles(s, c->D, N);
  po_stream_doubles(s, c->z, t->most * N);
  po_stream_doubles(s, c->best, PO_CMA_HISTORY);
  po_stream_doubles(s, c->broken, PO_CMA_HISTORY);
  if (s->mode == PO_STREAM_READ && s->status == PO_OK) cma_constants(t); /* of the population that was read */
}
