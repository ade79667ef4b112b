/* families.c: families of prioritized problems. What each is meant to be hard for stands in its sentence. */
#include "families.h"

#include <math.h>
#include <string.h>

typedef enum fam_kind { FAM_PLAIN, FAM_BOX, FAM_LOW_RANK, FAM_TIES, FAM_ROWS, FAM_COLUMNS, FAM_INFEASIBLE, FAM_ARM, FAM_LIPM } fam_kind;

typedef struct fam_entry {
  fam_kind kind;
  double equalities; /* share of the rows of soft levels */
} fam_entry;

/* in the order of po_hqp_families */
static const fam_entry fam_entries[] = {{FAM_PLAIN, 0.5}, {FAM_PLAIN, 0},      {FAM_PLAIN, 0.5},    {FAM_PLAIN, 1},        {FAM_BOX, 0.7}, {FAM_LOW_RANK, 0.4},
                                        {FAM_TIES, 0},    {FAM_ROWS, 0.5},     {FAM_COLUMNS, 0.5}, {FAM_INFEASIBLE, 0.5}, {FAM_ARM, 1},   {FAM_LIPM, 1}};
const po_hqp_family po_hqp_families[] = {
    {"random", "normal coefficients, every other row an inequality", {10, 4, 5, 0, 0}},
    {"inequalities", "as many rows again as unknowns, all inequalities: many constraints come and go", {50, 10, 10, 0, 0}},
    {"half", "the same, half of them equalities", {50, 10, 10, 0, 0}},
    {"equalities", "the same, all of them equalities: linear algebra alone", {50, 10, 10, 0, 0}},
    {"box", "a hard box around every unknown, then tasks: inverse kinematics with limits", {50, 10, 6, 0, 0}},
    {"low-rank", "levels of half their rank, rows that repeat those of levels above", {20, 5, 8, 0, 0}},
    {"ties", "integer rows through one vertex: which of them hold is not unique", {12, 4, 10, 0, 0}},
    {"rows", "rows scaled by 10^U(-d, d)", {20, 5, 6, 3, 0}},
    {"columns", "unknowns scaled by 10^U(-d, d)", {20, 5, 6, 4, 0}},
    {"infeasible", "hard rows that contradict each other", {20, 4, 6, 0, 0}},
    {"arm", "inverse kinematics of a planar arm of n hinges on its way: limits of speed and angle, hand, elbow, posture", {12, 4, 0, 0, 1e-2}},
    {"lipm", "one level: model predictive control of a linear inverted pendulum over n steps, its centre of pressure kept within the feet", {32, 2, 0, 0, 1e-2}},
    {NULL, NULL, {0, 0, 0, 0, 0}}};

const po_hqp_family *po_hqp_family_find(const char *name) {
  const po_hqp_family *f;
  for (f = po_hqp_families; f->name; f++)
    if (!strcmp(f->name, name)) return f;
  return NULL;
}

/* ---- a problem being made -------------------------------------------------------------------------------------------------------- */

typedef struct fam {
  po_hqp_made *made;
  po_hqp_shape shape;
  po_rng rng, other; /* the sequence's first problem; what drifts */
  double drift;
  double *a, *l, *u; /* of all rows, one after the other */
  int rows, most;
} fam;

static double fam_normal(fam *f) {
  double base = po_rng_normal(&f->rng);
  return f->drift == 0 ? base : base + f->drift * po_rng_normal(&f->other);
}

static void fam_level(fam *f, const char *name, int hard) {
  po_hqp_made *m = f->made;
  po_hqp_level *level = &m->level[m->hqp.level_count++];
  memset(level, 0, sizeof *level);
  level->name = name;
  level->hard = hard;
  level->A = po_mat_of(f->a + (size_t)f->rows * (size_t)m->hqp.n, 0, m->hqp.n, m->hqp.n);
  level->lower = f->l + f->rows;
  level->upper = f->u + f->rows;
}

/* The next row of the level that was begun last: its coefficients, zero for now. */
static double *fam_row(fam *f, double lower, double upper) {
  po_hqp_level *level = &f->made->level[f->made->hqp.level_count - 1];
  f->l[f->rows] = lower;
  f->u[f->rows] = upper;
  level->A.rows = ++level->rows;
  return f->a + (size_t)f->rows++ * (size_t)f->made->hqp.n;
}

static const char *fam_level_name(int k) {
  static const char *const names[] = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"};
  return k < 12 ? names[k] : "last";
}

/* Bounds of a row: an equality, or an interval around as random a place. */
static void fam_bounds(fam *f, double equalities, double *lower, double *upper) {
  double at = fam_normal(f), width = fabs(fam_normal(f));
  int equal = po_rng_uniform(&f->rng) < equalities;
  *lower = at;
  *upper = equal ? at : at + width;
}

/* Rows of length 1: some solvers measure violations in such, whatever they are given. */
static void fam_unit(fam *f, double *a) {
  int n = f->made->hqp.n, j;
  double length = po_norm2(a, n);
  for (j = 0; j < n && length > 0; j++) a[j] /= length;
}

static void fam_plain(fam *f, double equalities, int from) {
  int n = f->made->hqp.n, k, i, j;
  for (k = from; k < f->shape.levels; k++) {
    fam_level(f, fam_level_name(k), 0);
    for (i = 0; i < f->shape.rows; i++) {
      double lower, upper, *a;
      fam_bounds(f, equalities, &lower, &upper);
      a = fam_row(f, lower, upper);
      for (j = 0; j < n; j++) a[j] = fam_normal(f);
      fam_unit(f, a);
    }
  }
}

static void fam_box(fam *f, double equalities) {
  int n = f->made->hqp.n, j;
  fam_level(f, "box", 1);
  for (j = 0; j < n; j++) fam_row(f, -0.3, 0.3)[j] = 1;
  fam_plain(f, equalities, 1);
}

/* A = B C of half the rank; a third of the rows repeat one from above, some the other way round. */
static void fam_low_rank(fam *f, double equalities) {
  int n = f->made->hqp.n, k, i, j, r, half = (f->shape.rows + 1) / 2;
  for (k = 0; k < f->shape.levels; k++) {
    int first = f->rows;
    fam_level(f, fam_level_name(k), 0);
    for (i = 0; i < f->shape.rows; i++) {
      double lower, upper, *a;
      int kind = po_rng_below(&f->rng, 3);
      fam_bounds(f, equalities, &lower, &upper);
      a = fam_row(f, lower, upper);
      if (kind == 0 && first > 0) {
        const double *b = f->a + (size_t)po_rng_below(&f->rng, first) * (size_t)n;
        double sign = po_rng_below(&f->rng, 2) ? 1 : -1;
        for (j = 0; j < n; j++) a[j] = sign * b[j];
      } else if (i < half) {
        for (j = 0; j < n; j++) a[j] = fam_normal(f);
      } else {
        for (r = 0; r < half; r++) {
          double weight = po_rng_below(&f->rng, 5) - 2;
          for (j = 0; j < n; j++) a[j] += weight * f->a[(size_t)(first + r) * (size_t)n + (size_t)j];
        }
      }
      fam_unit(f, a);
    }
  }
}

/* Rows of small integers, each with its bound at one integer point, and a last level that pulls through that point. */
static void fam_ties(fam *f) {
  int n = f->made->hqp.n, k, i, j, vertex[256];
  for (j = 0; j < n; j++) vertex[j] = po_rng_below(&f->rng, 5) - 2;
  for (k = 0; k < f->shape.levels; k++) {
    int last = k == f->shape.levels - 1;
    fam_level(f, last ? "pull" : fam_level_name(k), 0);
    for (i = 0; i < f->shape.rows; i++) {
      double at = 0, length, *a = fam_row(f, 0, 0);
      for (j = 0; j < n; j++) {
        a[j] = po_rng_below(&f->rng, 3) ? 0 : po_rng_below(&f->rng, 5) - 2;
        at += a[j] * vertex[j];
      }
      length = po_max(po_norm2(a, n), 1);
      f->l[f->rows - 1] = last ? (at + 1 + po_rng_below(&f->rng, 3)) / length : -PO_INF;
      f->u[f->rows - 1] = last ? f->l[f->rows - 1] : (at + (po_rng_below(&f->rng, 4) ? 0 : 1)) / length;
      for (j = 0; j < n; j++) a[j] /= length;
    }
  }
}

static double fam_factor(fam *f) { return po_exp(po_rng_range(&f->rng, -f->shape.decades, f->shape.decades) * po_log(10)); }

static void fam_scaled(fam *f, double equalities, int columns) {
  int n = f->made->hqp.n, i, j;
  fam_plain(f, equalities, 0);
  for (i = 0; i < (columns ? n : f->rows); i++) {
    double factor = fam_factor(f);
    for (j = 0; j < (columns ? f->rows : n); j++) f->a[columns ? (size_t)j * (size_t)n + (size_t)i : (size_t)i * (size_t)n + (size_t)j] *= factor;
    if (!columns) f->l[i] *= factor, f->u[i] *= factor;
  }
}

static void fam_infeasible(fam *f, double equalities) {
  int n = f->made->hqp.n, i, j, count = f->shape.rows;
  double *sum;
  fam_level(f, "hard", 1);
  for (i = 0; i < count; i++) {
    double *a = fam_row(f, 1, PO_INF);
    for (j = 0; j < n; j++) a[j] = fam_normal(f);
  }
  sum = fam_row(f, -PO_INF, count - 1.0); /* the sum of the others, below what they add up to */
  for (i = 0; i < count; i++)
    for (j = 0; j < n; j++) sum[j] += f->a[(size_t)i * (size_t)n + (size_t)j];
  fam_plain(f, equalities, 1);
}

/* Speeds of the hinges: limits of speed, and of angle a tick ahead; the hand on a circle; the elbow low; the posture. */
static void fam_arm(fam *f, int index) {
  int n = f->made->hqp.n, i, j;
  double angle = 0, x = 0, y = 0, px[257], py[257], q[256], t = f->drift, turn;
  (void)index;
  px[0] = py[0] = 0;
  for (j = 0; j < n; j++) {
    q[j] = 0.4 * po_sin(0.7 * j + 3 * t) + 0.3 * po_rng_range(&f->rng, -1, 1);
    angle += q[j];
    px[j + 1] = x += po_cos(angle) / n;
    py[j + 1] = y += po_sin(angle) / n;
  }
  turn = 6 * t;
  fam_level(f, "limits", 1);
  for (j = 0; j < n; j++) fam_row(f, po_max(-2, (-0.9 - q[j]) / 0.1), po_max(0, po_min(2, (0.9 - q[j]) / 0.1)))[j] = 1;
  for (j = 0; j < n; j++) /* beyond its limit already: it may at least not go on */
    if (f->l[j] > f->u[j]) f->l[j] = f->u[j];
  fam_level(f, "hand", 0);
  for (i = 0; i < 2; i++) {
    double at = i ? 1.5 * po_cos(turn) : -1.5 * po_sin(turn), *a = fam_row(f, at, at);
    for (j = 0; j < n; j++) a[j] = i ? px[n] - px[j] : -(py[n] - py[j]);
  }
  fam_level(f, "elbow", 0);
  for (i = n / 3; i <= 2 * n / 3; i++) {
    double *a = fam_row(f, -PO_INF, (0.3 - py[i]) / 0.1);
    for (j = 0; j < i; j++) a[j] = px[i] - px[j];
  }
  fam_level(f, "posture", 0);
  for (j = 0; j < n; j++) fam_row(f, -2 * q[j], -2 * q[j])[j] = 1;
}

/* Jerks over the horizon; position and centre of pressure are linear in them: p = c − h/g c''. The feet step by 0.25 m every eight steps. */
static void fam_lipm(fam *f) {
  enum { PER = 8 };
  int n = f->made->hqp.n, i, j;
  const double dt = 0.1, h = 0.9;
  double c0 = fam_normal(f) * 0.01, v0 = 0.25 + 0.05 * fam_normal(f), a0 = 0.05 * fam_normal(f), into = po_min(f->drift, 1);
  fam_level(f, "pressure", 1);
  for (i = 1; i <= n; i++) {
    double foot = 0.25 * po_max(0, floor((i + into * PER) / PER)), t = i * dt, at = c0 + v0 * t + a0 * t * t / 2 - h / 9.81 * a0;
    double *a = fam_row(f, foot - 0.07 - at, foot + 0.07 - at);
    for (j = 0; j < i; j++) {
      double s = (i - j) * dt;
      a[j] = (s * s * s - (s - dt) * (s - dt) * (s - dt)) / 6 - h / 9.81 * dt;
    }
  }
  fam_level(f, "speed and jerk", 0);
  for (i = 1; i <= n; i++) {
    double at = 0.3 - v0 - a0 * i * dt, *a = fam_row(f, at, at);
    for (j = 0; j < i; j++) a[j] = dt * ((i - j) * dt - dt / 2);
  }
  for (j = 0; j < n; j++) fam_row(f, 0, 0)[j] = 1e-2;
}

/* ---- from outside ------------------------------------------------------------------------------------------------------------------ */

static void fam_make(fam *f, const fam_entry *e, int index) {
  switch (e->kind) {
  case FAM_PLAIN: fam_plain(f, e->equalities, 0); break;
  case FAM_BOX: fam_box(f, e->equalities); break;
  case FAM_LOW_RANK: fam_low_rank(f, e->equalities); break;
  case FAM_TIES: fam_ties(f); break;
  case FAM_ROWS: fam_scaled(f, e->equalities, 0); break;
  case FAM_COLUMNS: fam_scaled(f, e->equalities, 1); break;
  case FAM_INFEASIBLE: fam_infeasible(f, e->equalities); break;
  case FAM_ARM: fam_arm(f, index); break;
  case FAM_LIPM: fam_lipm(f); break;
  }
}

po_status po_hqp_made_new(po_hqp_made **made, const po_hqp_family *family, const po_hqp_shape *shape, unsigned seed, int index) {
  const fam_entry *e = &fam_entries[family - po_hqp_families];
  size_t n, rows, bytes;
  fam f;
  memset(&f, 0, sizeof f);
  f.shape = shape ? *shape : family->usual;
  if (f.shape.n < 2 || f.shape.n > 256 || f.shape.levels < 1 || f.shape.levels > PO_HQP_MAX_LEVELS || f.shape.rows < 0 || f.shape.rows > 512 || index < 0) return PO_ERR_SIZE;
  if (!(f.shape.decades >= 0 && f.shape.decades <= 12) || !(f.shape.drift >= 0 && f.shape.drift <= 1)) return PO_ERR_RANGE;
  n = (size_t)f.shape.n;
  rows = (size_t)f.shape.levels * (size_t)f.shape.rows + 4 * n + 8;
  bytes = sizeof **made + sizeof(double) * rows * (n + 2) + 64;
  *made = (po_hqp_made *)po_alloc(bytes);
  if (!*made) return PO_ERR_MEMORY;
  memset(*made, 0, bytes);
  f.made = *made;
  f.a = (double *)(void *)((char *)*made + (sizeof **made + 63) / 64 * 64);
  f.l = f.a + rows * n;
  f.u = f.l + rows;
  f.made->hqp.n = f.shape.n;
  f.made->hqp.levels = f.made->level;
  f.made->hqp.name = f.made->name;
  po_format(f.made->name, sizeof f.made->name, "%s_%u_%d", family->name, seed, index);
  f.drift = f.shape.drift * index;
  po_rng_init(&f.rng, seed, f.shape.drift > 0 ? 40 : 41 + (uint64_t)index);
  po_rng_init(&f.other, seed, 1000000 + (uint64_t)index);
  fam_make(&f, e, index);
  return PO_OK;
}

void po_hqp_made_free(po_hqp_made *made) { po_free(made); }
