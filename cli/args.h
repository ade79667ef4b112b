/* args.h: how the program fills a po_args. Commands only need cli.h. */
#ifndef PO_CLI_ARGS_H
#define PO_CLI_ARGS_H

#include "cli.h"

/* Parses what follows the command's name. Returns PO_EXIT_GOOD, or PO_EXIT_USAGE after a message. Free in either case. */
int po_args_parse(po_args *args, const po_command *command, int argc, const char *const *argv);
/* Whether the number of arguments fits the command; a message when not. */
int po_args_check_count(const po_args *args);
void po_args_free(po_args *args);

#endif
