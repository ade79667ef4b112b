#include "active_set.h"
void po_qp_active_set_solve(po_qp_solver *s, const po_qp *p, const po_qp_opts *opts, const po_qp_warm *warm) { po_as_general(s, p, opts, warm); }
