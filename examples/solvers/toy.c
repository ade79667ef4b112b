/* toy.c: the smallest solver that `poise bench hqp FILE --solver` takes: row by row it goes to the nearest point that meets the row and moves along none before it.
 * Right where rows are equalities that do not contradict each other; elsewhere it shows what a wrong answer looks like in the table.
 *
 *   cc -O2 -shared -fPIC -o libtoy.so toy.c -lm
 */
#include "../../bench/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct toy {
  double *basis, *left; /* directions that are taken, orthonormal; what a row has besides */
} toy;

const char *po_solver_name(int *abi) {
  *abi = PO_SOLVER_ABI;
  return "toy 1";
}

void po_solver_free(void *self) {
  toy *t = self;
  free(t->basis);
  free(t->left);
  free(t);
}

void *po_solver_make(int n, int levels, int rows, int warm) {
  toy *t = calloc(1, sizeof *t);
  (void)levels, (void)rows, (void)warm;
  t->basis = malloc(sizeof(double) * (size_t)n * (size_t)n);
  t->left = malloc(sizeof(double) * (size_t)n);
  return t;
}

static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

int po_solver_solve(void *self, const po_solver_problem *p, const double *start, po_solver_answer *answer) {
  toy *t = self;
  int n = p->n, taken = 0;
  (void)start;
  memset(answer->x, 0, sizeof(double) * (size_t)n);
  for (int r = 0; r < p->rows && taken < n; r++) {
    const double *a = p->A + (size_t)r * (size_t)n;
    double at = dot(a, answer->x, n), miss = at < p->lower[r] ? p->lower[r] - at : at > p->upper[r] ? p->upper[r] - at : 0, length;
    if (miss == 0 && p->lower[r] != p->upper[r]) continue;
    memcpy(t->left, a, sizeof(double) * (size_t)n);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < taken; k++) {
        const double *b = t->basis + (size_t)k * (size_t)n;
        double s = dot(b, t->left, n);
        for (int j = 0; j < n; j++) t->left[j] -= s * b[j];
      }
    length = sqrt(dot(t->left, t->left, n));
    if (length < 1e-9 * sqrt(dot(a, a, n))) continue;
    for (int j = 0; j < n; j++) {
      t->basis[(size_t)taken * (size_t)n + (size_t)j] = t->left[j] / length;
      answer->x[j] += miss / (length * length) * t->left[j];
    }
    taken++;
    answer->iterations++;
  }
  answer->solved = 1;
  return 0;
}
