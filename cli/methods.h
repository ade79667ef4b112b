/* methods.h: --hqp, --qp and --nullspace, which several commands take. */
#ifndef PO_CLI_METHODS_H
#define PO_CLI_METHODS_H

#include "../qp/qp.h"
#include "cli.h"

#define PO_OPTION_METHODS                                                                                                                  \
  {"hqp", "reparam|linear|weighted|lexicographic", "how the levels are solved (default lexicographic)"},                                   \
      {"qp", "active_set|interior_point", "the QP solver inside the first three (default active_set)"}, {                                  \
    "nullspace", "svd|orthogonal", "null spaces of reparam (default orthogonal)"                                                           \
  }

/* Puts what was given into opts and leaves the rest. */
void po_args_methods(po_args *args, po_hqp_opts *opts);

#endif
