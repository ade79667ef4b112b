/* tune.c: how many evaluations po_tune needs to come within 1e-8 of the optimum of functions that searches are tried on (those of COCO/BBOB, without its
 * oscillations): each turned and moved at random, from a start in [-4, 4]^n with a first standard deviation of 2. One line a run: function, n, seed, evaluations; -1:
 * not within the budget. bench/peers/tune.py calls it.
 *
 *   tune RUNS [FUNCTION N]
 */
#include "../../ctrl/plan/plan.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 20
#define TARGET 1e-8
#define BUDGET 20000 /* evaluations times n */

typedef struct landscape {
  int n;
  double turn[MOST][MOST], optimum[MOST];
} landscape;

typedef double (*function)(const double *z, int n);

static double square(double x) { return x * x; }
static double power(double base, int i, int n) { return po_pow(base, n > 1 ? (double)i / (n - 1) : 0); }

static double sphere(const double *z, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += z[i] * z[i];
  return s;
}
static double ellipsoid(const double *z, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += power(1e6, i, n) * z[i] * z[i];
  return s;
}
static double rosenbrock(const double *z, int n) { /* the optimum is at 0 */
  double s = 0;
  int i;
  for (i = 0; i + 1 < n; i++) s += 100 * square(square(z[i] + 1) - (z[i + 1] + 1)) + z[i] * z[i];
  return s;
}
static double rastrigin(const double *z, int n) {
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += 10 * (1 - po_cos(2 * PO_PI * z[i])) + z[i] * z[i];
  return s;
}
static double bent_cigar(const double *z, int n) {
  double s = z[0] * z[0];
  int i;
  for (i = 1; i < n; i++) s += 1e6 * z[i] * z[i];
  return s;
}
static double discus(const double *z, int n) {
  double s = 1e6 * z[0] * z[0];
  int i;
  for (i = 1; i < n; i++) s += z[i] * z[i];
  return s;
}
static double powers(const double *z, int n) { /* sum of different powers */
  double s = 0;
  int i;
  for (i = 0; i < n; i++) s += z[i] == 0 ? 0 : po_pow(po_abs(z[i]), 2 + (n > 1 ? 4.0 * i / (n - 1) : 0));
  return s;
}

static const struct { const char *name; function f; } functions[] = {{"sphere", sphere}, {"ellipsoid", ellipsoid}, {"rosenbrock", rosenbrock}, {"rastrigin", rastrigin},
                                                                     {"bent-cigar", bent_cigar}, {"discus", discus}, {"powers", powers}};

/* Random axes, made orthonormal one after the other. */
static void turn(landscape *l, po_rng *rng) {
  int i, j, k;
  for (i = 0; i < l->n; i++) {
    double length = 0;
    for (j = 0; j < l->n; j++) l->turn[i][j] = po_rng_normal(rng);
    for (k = 0; k < i; k++) {
      double along = 0;
      for (j = 0; j < l->n; j++) along += l->turn[i][j] * l->turn[k][j];
      for (j = 0; j < l->n; j++) l->turn[i][j] -= along * l->turn[k][j];
    }
    for (j = 0; j < l->n; j++) length += l->turn[i][j] * l->turn[i][j];
    for (j = 0; j < l->n; j++) l->turn[i][j] /= sqrt(length);
  }
}

static double value(const landscape *l, function f, const double *x) {
  double z[MOST];
  int i, j;
  for (i = 0; i < l->n; i++)
    for (z[i] = 0, j = 0; j < l->n; j++) z[i] += l->turn[i][j] * (x[j] - l->optimum[j]);
  return f(z, l->n);
}

static long run(function f, int n, int seed) {
  po_tune_unknown unknown[MOST];
  po_tune_opts o = po_tune_opts_default();
  landscape l = {0};
  po_tune *t;
  po_rng rng;
  long spent = 0;
  double *cost = malloc(sizeof(double) * 2 * PO_TUNE_POPULATION);
  int i, count, found = 0;
  if (!cost) return -2;
  po_rng_init(&rng, (uint64_t)seed, (uint64_t)n);
  l.n = n;
  turn(&l, &rng);
  for (i = 0; i < n; i++) {
    po_tune_unknown u = {-PO_INF, PO_INF, po_rng_range(&rng, -4, 4), 2, 0, PO_TUNE_LINEAR};
    unknown[i] = u;
    l.optimum[i] = po_rng_range(&rng, -4, 4);
  }
  o.seed = (uint64_t)seed;
  o.restarts = 9;
  if (po_tune_new(&t, unknown, n, &o, NULL) != PO_OK) return -2;
  while (!found && spent < (long)BUDGET * n && (count = po_tune_ask(t)) > 0) {
    for (i = 0; i < count; i++) {
      cost[i] = value(&l, f, po_tune_point(t, i));
      spent += !found;
      found |= cost[i] <= TARGET;
    }
    po_tune_tell(t, cost, NULL, NULL);
  }
  po_tune_free(t);
  free(cost);
  return found ? spent : -1;
}

int main(int argc, char **argv) {
  static const int sizes[] = {2, 5, 10, 20};
  int runs = argc > 1 ? atoi(argv[1]) : 15, i, k, seed;
  for (i = 0; i < (int)(sizeof functions / sizeof *functions); i++)
    for (k = 0; k < 4; k++)
      for (seed = 1; seed <= runs; seed++) {
        if (argc > 3 && (strcmp(argv[2], functions[i].name) || atoi(argv[3]) != sizes[k])) continue;
        printf("%s %d %d %ld\n", functions[i].name, sizes[k], seed, run(functions[i].f, sizes[k], seed));
        fflush(stdout);
      }
  return 0;
}
