/* hqp_compare.h: prioritized solvers side by side on sets of problems: who is right, to how many digits, how fast, how late.
 *
 *   po_hqp_compare_run  po_hqp_compare_table  po_hqp_compare_csv  po_hqp_compare_latex  po_hqp_compare_json
 */
#ifndef PO_HQP_COMPARE_H
#define PO_HQP_COMPARE_H

#include "hqp_peer.h"

#define PO_HQP_PROFILE 7
extern const double po_hqp_profile_ratios[PO_HQP_PROFILE]; /* 1 … 16 */

typedef struct po_hqp_score { /* one solver on one set, cold or warm */
  char set[48], solver[80];
  int warm, problems;
  int claimed, proof;    /* said optimal, or infeasible; said so with a proof */
  int right[3];          /* every level within 1e-3, 1e-6, 1e-9 of the reference, absolute or relative, whatever was claimed */
  int wrong;             /* said optimal and is not right to 1e-6 */
  int late;              /* took more than a millisecond */
  double median, mean, worst; /* microseconds; mean: geometric, shifted by 10 µs; one that gave up or is wrong counts ten times the slowest right one */
  double iterations;
  double faster[PO_HQP_PROFILE]; /* share of the problems that it gets right within that many times the fastest right one (Dolan & Moré) */
  size_t bytes;
} po_hqp_score;

typedef struct po_hqp_compare {
  po_hqp_score *scores;
  int count, capacity;
  int certified, references; /* references that the judge passed, of all */
} po_hqp_compare;

/* Adds the scores of all peers on one file's problems, cold and warm; each is timed `repeats` times, in turn with the others, and its least time counts. */
po_status po_hqp_compare_run(po_hqp_compare *c, const char *path, po_hqp_peer *const *peers, int count, int repeats, po_error *err);
void po_hqp_compare_free(po_hqp_compare *c);

void po_hqp_compare_table(po_buffer *out, const po_hqp_compare *c); /* markdown */
void po_hqp_compare_csv(po_buffer *out, const po_hqp_compare *c);
void po_hqp_compare_latex(po_buffer *out, const po_hqp_compare *c);
void po_hqp_compare_json(po_buffer *out, const po_hqp_compare *c);

#endif
