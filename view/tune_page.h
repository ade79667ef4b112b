/* tune_page.h: a search as a page (docs/tune.md): how costs came down, where every parameter went, the front, and what judging said.
 *
 *   po_tune_page_point  po_tune_page_write  po_tune_page_free_points
 */
#ifndef PO_TUNE_PAGE_H
#define PO_TUNE_PAGE_H

#include "../ctrl/plan/plan.h"

#define PO_TUNE_PAGE_FREE 200

typedef struct po_tune_page_free { const char *name; double lower, upper, start, found; int logarithm; } po_tune_page_free;

typedef struct po_tune_page {
  const char *title, *command, *searched_on, *judged_on;
  int frees, costs;
  long evaluations;
  po_tune_page_free free[PO_TUNE_PAGE_FREE];
  const char *cost[PO_TUNE_COSTS];
  struct { double searched[PO_TUNE_COSTS], judged[PO_TUNE_COSTS], falls[2], success[2]; } row[2]; /* the start, what was found */
  /* filled by po_tune_page_point */
  double *point;             /* [points][frees + costs + 2]: values, costs, violation, generation */
  int points, capacity;
  int failed;                /* out of memory */
} po_tune_page;

/* told [costs + 1]: costs, then the violation. In the order they were tried. */
void po_tune_page_point(po_tune_page *page, int generation, const double *x, const double *told);
void po_tune_page_write(po_buffer *out, const po_tune_page *page);
void po_tune_page_free_points(po_tune_page *page);

#endif
