/* manual.h: the manual page and the shell completion, made from the tables of the commands, so that they cannot fall behind. */
#ifndef PO_CLI_MANUAL_H
#define PO_CLI_MANUAL_H

#include "cli.h"

void po_cli_man(po_buffer *out);        /* poise.1, in the man macros of troff */
void po_cli_completion(po_buffer *out); /* a script for bash */

#endif
