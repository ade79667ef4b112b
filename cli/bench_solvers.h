/* bench_solvers.h: the part of `poise bench` that compares prioritized solvers. */
#ifndef PO_CLI_BENCH_SOLVERS_H
#define PO_CLI_BENCH_SOLVERS_H

#include "cli.h"

int po_cli_solvers_asked(const po_args *args); /* 1: --compare, --solver or --solver-process was given */
int po_cli_solvers(po_args *args);             /* returns an exit code */

#endif
