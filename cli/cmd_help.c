/* cmd_help.c: `poise help [COMMAND]`, made from the tables of the commands. */
#include "manual.h"
#include <string.h>

static void help_row(po_buffer *out, const char *left, const char *right, int width) {
  po_buffer_printf(out, "  %-*s  %s\n", width, left, right);
}

static void help_program(po_buffer *out) {
  int i, width = 0;
  po_buffer_puts(
      out,
      "poise: linear algebra, rigid-body dynamics, contact and quadratic programming for characters that keep their balance\n\n"
      "usage: poise COMMAND [options]\n\ncommands:\n");
  for (i = 0; po_cli_commands[i]; i++) {
    int n = (int)strlen(po_cli_commands[i]->name);
    width = n > width ? n : width;
  }
  for (i = 0; po_cli_commands[i]; i++) help_row(out, po_cli_commands[i]->name, po_cli_commands[i]->summary, width);
  po_buffer_puts(
      out, "\nexamples:\n"
           "  poise run walk --seconds 10 --html walk.html     walk, judge, and leave a page that replays it\n"
           "  poise run balance --push 1,0.1,60,0,0            stand and take a push of 60 N for 0.1 s, 1 s after the start\n"
           "  poise list walk                                  what can be set, with ranges and defaults\n"
           "  poise bench hqp --html hqp.html                  every prioritized method on recorded control problems\n"
           "\n`poise help COMMAND` tells more. Exit codes: 0 good, 1 the run or solve did not succeed, 2 bad usage or input.\n");
}

void po_cli_help(po_buffer *out, const po_command *command) {
  const po_option *o;
  int width = 6;
  if (!command) {
    help_program(out);
    return;
  }
  po_buffer_printf(out, "usage: poise %s%s%s\n\n%s\n", command->name, command->usage[0] ? " " : "", command->usage, command->summary);
  if (command->help) po_buffer_printf(out, "\n%s", command->help);
  po_buffer_puts(out, "\noptions:\n");
  for (o = command->options; o && o->name; o++) {
    int n = 2 + (int)strlen(o->name) + (o->value ? 1 + (int)strlen(o->value) : 0);
    width = n > width && n <= 40 ? n : width;
  }
  for (o = command->options; o && o->name; o++) {
    char left[128];
    po_format(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    help_row(out, left, o->help, width);
  }
  help_row(out, "--help", "this text", width);
}

static int help_run(po_args *args) {
  po_buffer text = {0};
  const po_command *command = NULL;
  int code;
  if (args->count && !(command = po_cli_find(args->arg[0]))) return PO_EXIT_USAGE;
  if (po_args_has(args, "man")) po_cli_man(&text);
  else if (po_args_has(args, "bash")) po_cli_completion(&text);
  else po_cli_help(&text, command);
  code = po_cli_write("-", &text);
  po_buffer_free(&text);
  return code;
}

static const po_option help_options[] = {{"man", NULL, "print the manual page, poise.1"},
                                         {"bash", NULL, "print the completion for bash: source <(poise help --bash)"},
                                         {NULL, NULL, NULL}};

const po_command po_cmd_help = {"help", "[COMMAND]", "what the program, or one command, can do", NULL, help_options, 0, 1, help_run};
