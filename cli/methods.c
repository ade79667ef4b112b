/* methods.c: how prioritized problems are solved, from the command line. */
#include "methods.h"

void po_args_methods(po_args *args, po_hqp_opts *opts) {
  static const char *const hqp[] = {"reparam", "linear", "weighted", "lexicographic"};
  static const char *const qp[] = {"active_set", "interior_point"};
  static const char *const basis[] = {"svd", "orthogonal"};
  opts->method = (po_hqp_method)po_args_choice(args, "hqp", hqp, 4, (int)opts->method);
  opts->qp = (po_qp_method)po_args_choice(args, "qp", qp, 2, (int)opts->qp);
  opts->basis = (po_basis)po_args_choice(args, "nullspace", basis, 2, (int)opts->basis);
}
