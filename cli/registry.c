/* registry.c: the commands of the program. A new command is a file cmd_NAME.c and two lines here. */
#include "cli.h"

extern const po_command po_cmd_help, po_cmd_version;

const po_command *const po_cli_commands[] = {&po_cmd_help, &po_cmd_version, NULL};
