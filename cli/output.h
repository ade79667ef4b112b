/* output.h: the end of standard output. Commands only need cli.h. */
#ifndef PO_CLI_OUTPUT_H
#define PO_CLI_OUTPUT_H

#include "cli.h"

/* Flushes standard output; returns `code`, or PO_EXIT_USAGE after a message when something could not be written. */
int po_cli_flush(int code);

#endif
