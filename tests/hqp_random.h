/* hqp_random.h: small prioritized problems with everything that makes them hard: rows that depend on each other or repeat, rows that
 * contradict, empty levels, zero rows, infinite bounds, inequalities at any level. A seed gives the same problem everywhere. */
#ifndef HQP_RANDOM_H
#define HQP_RANDOM_H

#include "qp/qp.h"

#include <stdio.h>
#include <string.h>

#define HR_N 48
#define HR_LEVELS 4
#define HR_ROWS 48

typedef struct hr_problem {
  double a[HR_LEVELS][HR_ROWS * HR_N], lower[HR_LEVELS][HR_ROWS], upper[HR_LEVELS][HR_ROWS];
  po_hqp_level level[HR_LEVELS];
  po_hqp hqp;
} hr_problem;

typedef struct hr_shape {
  int n, levels, rows; /* most */
  int hard;            /* 0 never, 1 sometimes, 2 always */
} hr_shape;

static double hr_value(po_rng *rng, int integer) {
  return integer ? po_rng_below(rng, 5) - 2 : po_rng_below(rng, 4) == 0 ? 0 : po_rng_range(rng, -2, 2);
}

/* One row of level k: fresh, a copy or combination of an earlier one, a unit row, or zero. */
static void hr_row(hr_problem *q, po_rng *rng, int k, int i, int integer) {
  int n = q->hqp.n, j, kind = po_rng_below(rng, 10), from = k ? po_rng_below(rng, k + 1) : 0;
  double *a = q->a[k] + i * n;
  int rows = from == k ? i : q->level[from].rows;
  for (j = 0; j < n; j++) a[j] = hr_value(rng, integer);
  if (kind <= 1 && rows > 0) { /* repeat, perhaps the other way round */
    const double *b = q->a[from] + po_rng_below(rng, rows) * n;
    double s = po_rng_below(rng, 3) == 0 ? -1 : po_rng_below(rng, 3) == 0 ? 2 : 1;
    for (j = 0; j < n; j++) a[j] = s * b[j];
  } else if (kind == 2 && rows > 1) { /* depend on two */
    const double *b = q->a[from] + po_rng_below(rng, rows) * n, *c = q->a[from] + po_rng_below(rng, rows) * n;
    for (j = 0; j < n; j++) a[j] = b[j] - c[j];
  } else if (kind <= 5) { /* a bound */
    int at = po_rng_below(rng, n);
    for (j = 0; j < n; j++) a[j] = j == at ? (kind == 5 ? -1 : 1) : 0;
  } else if (kind == 6 && po_rng_below(rng, 4) == 0) {
    for (j = 0; j < n; j++) a[j] = 0;
  }
}

static void hr_make(hr_problem *q, hr_shape shape, unsigned seed) {
  po_rng rng;
  int k, i, integer, equalities;
  memset(q->level, 0, sizeof q->level);
  memset(&q->hqp, 0, sizeof q->hqp);
  po_rng_init(&rng, seed, 6);
  integer = po_rng_below(&rng, 3) != 0;
  equalities = po_rng_below(&rng, 4);
  q->hqp.n = 1 + po_rng_below(&rng, shape.n);
  q->hqp.level_count = 1 + po_rng_below(&rng, shape.levels);
  q->hqp.levels = q->level;
  q->hqp.name = "random";
  for (k = 0; k < q->hqp.level_count; k++) {
    po_hqp_level *level = &q->level[k];
    level->name = "level";
    level->rows = po_rng_below(&rng, 8) == 0 ? 0 : 1 + po_rng_below(&rng, shape.rows);
    level->hard = k == 0 && (shape.hard == 2 || (shape.hard == 1 && po_rng_below(&rng, 2)));
    level->A = po_mat_of(q->a[k], level->rows, q->hqp.n, q->hqp.n);
    level->lower = q->lower[k];
    level->upper = q->upper[k];
    for (i = 0; i < level->rows; i++) {
      double l = integer ? po_rng_below(&rng, 7) - 3 : po_rng_range(&rng, -3, 3);
      double u = l + (integer ? po_rng_below(&rng, 4) : po_rng_range(&rng, 0, 3));
      int kind = po_rng_below(&rng, 8);
      hr_row(q, &rng, k, i, integer);
      if (po_rng_below(&rng, 4) < equalities) u = l;
      else if (kind <= 2) l = -PO_INF;
      else if (kind <= 5) u = PO_INF;
      else if (kind == 7 && po_rng_below(&rng, 8) == 0) l = -PO_INF, u = PO_INF;
      q->lower[k][i] = l;
      q->upper[k][i] = u;
    }
  }
}

/* For a failure message: the problem as a file, unless it is too large to look at. */
static void hr_print(const hr_problem *q, unsigned seed) {
  po_buffer out = {0};
  if (q->hqp.n > 16) return;
  po_hqp_write_header(&out);
  po_hqp_write(&out, &q->hqp);
  printf("# seed %u\n%s", seed, out.data ? out.data : "");
  po_buffer_free(&out);
}

#endif
