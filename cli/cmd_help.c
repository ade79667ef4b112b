/* cmd_help.c: `poise help [COMMAND]`, made from the tables of the commands. */
#include "manual.h"
#include <string.h>

#define HELP_COLUMN 28 /* widest option that has its meaning beside it */

static void help_program(po_buffer *out) {
  int i, width = 0;
  po_buffer_puts(
      out,
      "poise: linear algebra, rigid-body dynamics, contact and quadratic programming\nfor characters that keep their balance\n\n"
      "usage: poise COMMAND [options]\n\ncommands:\n");
  for (i = 0; po_cli_commands[i]; i++) {
    int n = (int)strlen(po_cli_commands[i]->name);
    width = n > width ? n : width;
  }
  for (i = 0; po_cli_commands[i]; i++) po_cli_row(out, po_cli_commands[i]->name, width, po_cli_commands[i]->summary);
  po_buffer_puts(
      out, "\nexamples:\n"
           "  poise run walk --seconds 10 --html walk.html  a page replays the walk\n"
           "  poise run balance --push 1,0.1,60,0,0         60 N for 0.1 s, after 1 s\n"
           "  poise list walk                               what can be set, and how far\n"
           "  poise bench hqp --html hqp.html               all methods, recorded problems\n"
           "\n`poise help COMMAND` tells more. Exit codes: 0 good, 1 the run or solve did not\nsucceed, 2 bad usage or input.\n");
}

void po_cli_help(po_buffer *out, const po_command *command) {
  const po_option *o;
  po_buffer usage = {0};
  int width = 6;
  if (!command) {
    help_program(out);
    return;
  }
  po_buffer_puts(out, "usage: ");
  po_buffer_printf(&usage, "poise %s %s", command->name, command->usage);
  po_cli_wrap(out, usage.data ? usage.data : "", 7, 9);
  po_buffer_free(&usage);
  po_buffer_puts(out, "\n");
  po_cli_wrap(out, command->summary, 0, 0);
  if (command->help) po_buffer_puts(out, "\n");
  if (command->help) po_cli_paragraphs(out, command->help);
  po_buffer_puts(out, "\noptions:\n");
  for (o = command->options; o && o->name; o++) {
    int n = 2 + (int)strlen(o->name) + (o->value ? 1 + (int)strlen(o->value) : 0);
    width = n > width && n <= HELP_COLUMN ? n : width;
  }
  for (o = command->options; o && o->name; o++) {
    char left[128];
    po_format(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    po_cli_row(out, left, width, o->help);
  }
  po_cli_row(out, "--help", width, "this text");
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
