/* solver.h: the door for prioritized solvers that are not ours: a shared library of four functions, or a program that reads and writes text.
 *
 *   po_solver_name  po_solver_make  po_solver_solve  po_solver_free
 *
 * This header needs nothing else. A library compiled with it is measured beside our own methods, on the same problems, in turn with them:
 *
 *   cc -O3 -shared -fPIC -o libmine.so mine.c
 *   poise bench hqp FILE.hqp --solver ./libmine.so
 *
 * and `--solver-process 'python mine.py'` does the same through pipes: it is given .hqp text (docs/hqp-benchmark.md), one document a problem, and answers each
 * with one line: the status, 0 or 1; the seconds the solve took; and x.
 */
#ifndef PO_SOLVER_H
#define PO_SOLVER_H

#ifdef __cplusplus
extern "C" {
#endif

#define PO_SOLVER_ABI 1

/* Level k asks for lower <= A x <= upper of its rows in the least-squares sense, without making a level before it worse. Rows stand one after the other, level by
 * level; A is row-major with n coefficients a row. lower = upper makes a row an equality; bounds may be infinite (beyond ±1e30). Only level 0 may be hard: its
 * rows must hold. */
typedef struct po_solver_problem {
  int n, levels, rows;
  const int *level_rows; /* levels: rows of each; add up to `rows` */
  int hard;              /* 1: level 0 is hard */
  const double *A, *lower, *upper;
} po_solver_problem;

typedef struct po_solver_answer {
  double *x;      /* n, to be filled */
  int solved;     /* 1: it claims to be the optimum; 2: that the hard level cannot hold; 0: it gave up */
  int iterations; /* may be left at 0 */
  double seconds; /* of the solve alone where it knows; 0: we measure */
} po_solver_answer;

/* "hDAQP 0.11": name and version, as the tables are to show it. *abi = PO_SOLVER_ABI. */
const char *po_solver_name(int *abi);
/* Room for problems of up to these sizes. NULL: it cannot. warm: whether `start` will be given. Not timed. */
void *po_solver_make(int n, int levels, int rows, int warm);
/* start: x of the problem before, or NULL. Returns 0, or anything else when it cannot take this problem. Timed. */
int po_solver_solve(void *self, const po_solver_problem *problem, const double *start, po_solver_answer *answer);
void po_solver_free(void *self);

#ifdef __cplusplus
}
#endif
#endif
