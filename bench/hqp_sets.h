/* hqp_sets.h: sequences of prioritized problems to measure with. */
#ifndef PO_BENCH_HQP_SETS_H
#define PO_BENCH_HQP_SETS_H

#include "../qp/qp.h"
#include "bench.h"

typedef struct po_hqp_set { /* time-ordered ticks */
  char name[48];        /* of the file without its ending: walk_reduced */
  char formulation[16]; /* "full", "reduced", or "" when the name does not tell */
  const po_hqp *problems;
  int count, n, levels, rows; /* the largest of each */
  double *exact;              /* count × PO_HQP_MAX_LEVELS: the reference's violations (judge.h) */
  int certified;              /* so many of them the judge has certified */
  po_hqp_file *file;          /* what owns the problems: a file, */
  void *memory;               /* or this */
} po_hqp_set;

/* A file of ticks; a body's control problem that drifts; both with their exact violations. Free in any case. */
po_status po_hqp_set_read(po_hqp_set *set, const char *path, po_error *err);
po_status po_hqp_set_make(po_hqp_set *set, po_error *err);
void po_hqp_set_free(po_hqp_set *set);
/* The recorded sets that come with the project, as paths within its folder bench/problems; ended by NULL. */
extern const char *const po_hqp_set_names[];

#endif
