/* explain.c: a result in one sentence, in the user's own names. */
#include "qp_internal.h"

#define XPL_NAMED 6 /* conflicting constraints told by name; the rest is a number */

typedef struct xpl {
  char *out;
  size_t capacity;
  int length;
} xpl;

/* The rest of the buffer, for po_format; what does not fit is still counted. */
#define XPL_SAY(x, ...) \
  ((x)->length += po_format((size_t)(x)->length < (x)->capacity ? (x)->out + (x)->length : NULL, \
                            (size_t)(x)->length < (x)->capacity ? (x)->capacity - (size_t)(x)->length : 0, __VA_ARGS__))

static void xpl_constraint(xpl *x, const po_qp *p, int k) {
  int rows = p->me + p->mi;
  if (k >= rows && p->var_names && p->var_names[k - rows]) XPL_SAY(x, "the bounds of %s", p->var_names[k - rows]);
  else if (k >= rows) XPL_SAY(x, "the bounds of variable %d", k - rows);
  else if (p->row_names && p->row_names[k]) XPL_SAY(x, "%s", p->row_names[k]);
  else if (k < p->me) XPL_SAY(x, "equality row %d", k);
  else XPL_SAY(x, "row %d", k - p->me);
}

static void xpl_conflict(xpl *x, const po_qp *p, const po_qp_result *r) {
  int i, count = r->conflict_count, named = count <= XPL_NAMED + 1 ? count : XPL_NAMED;
  XPL_SAY(x, ": ");
  for (i = 0; i < named; i++) {
    if (i) XPL_SAY(x, "%s", i == count - 1 ? " and " : ", ");
    xpl_constraint(x, p, r->conflict[i]);
  }
  if (named < count) XPL_SAY(x, " and %d more", count - named);
  XPL_SAY(x, count == 1 ? " cannot hold" : " cannot hold together");
}

int po_qp_explain(char *out, size_t capacity, const po_qp *p, const po_qp_result *r) {
  xpl x;
  x.out = out;
  x.capacity = capacity;
  x.length = 0;
  if (!p || !r || (!out && capacity)) return 0;
  XPL_SAY(&x, "%s", po_qp_status_string(r->status));
  switch (r->status) {
  case PO_QP_OPTIMAL: XPL_SAY(&x, ": residuals %.1e primal, %.1e dual, gap %.1e", r->primal_residual, r->dual_residual, r->gap); break;
  case PO_QP_INFEASIBLE: xpl_conflict(&x, p, r); break;
  case PO_QP_UNBOUNDED: XPL_SAY(&x, ": the objective falls for ever along the ray"); break;
  case PO_QP_NONCONVEX: XPL_SAY(&x, ": H has negative curvature along the ray"); break;
  case PO_QP_ITERATION_LIMIT: XPL_SAY(&x, " after %d iterations", r->iterations); break;
  case PO_QP_NUMERICAL:
    XPL_SAY(&x, ": residuals stay at %.1e primal, %.1e dual, gap %.1e; try the robust preset or other units", r->primal_residual,
            r->dual_residual, r->gap);
    break;
  }
  return x.length;
}
