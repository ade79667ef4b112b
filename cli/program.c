/* program.c: from a command line to the command that serves it. */
#include "args.h"
#include "output.h"
#include <string.h>

const po_command *po_cli_find(const char *name) {
  const char *names[64], *near;
  int i, count = 0;
  for (i = 0; po_cli_commands[i]; i++) {
    if (!strcmp(po_cli_commands[i]->name, name)) return po_cli_commands[i];
    if (count < 64) names[count++] = po_cli_commands[i]->name;
  }
  near = po_nearest(name, names, count);
  if (near) po_cli_fail("there is no command '%s'; did you mean '%s'?", name, near);
  else po_cli_fail("there is no command '%s'; `poise help` lists them", name);
  return NULL;
}

static int program_run(const po_command *command, int argc, const char *const *argv) {
  po_args args;
  int code = po_args_parse(&args, command, argc, argv);
  if (code == PO_EXIT_GOOD && po_args_has(&args, "help")) {
    po_buffer text = {0};
    po_cli_help(&text, command);
    code = po_cli_write("-", &text);
    po_buffer_free(&text);
  } else if (code == PO_EXIT_GOOD) {
    code = po_args_check_count(&args);
    if (code == PO_EXIT_GOOD) code = command->run(&args);
  }
  po_args_free(&args);
  return code;
}

int po_cli_main(int argc, const char *const *argv) {
  const po_command *command;
  const char *name = argc > 1 ? argv[1] : "help";
  int code, skip = argc > 1 ? 2 : 1;
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) name = "help";
  if (!strcmp(name, "--version")) name = "version";
  if (name[0] == '-' && name[1]) return po_cli_fail("option %s must follow a command; usage: poise COMMAND [options]; see `poise help`", name);
  command = po_cli_find(name);
  if (!command) return PO_EXIT_USAGE;
  code = program_run(command, argc - skip, argv + skip);
  return po_cli_flush(code);
}
