/* man.c: poise(1), made from the tables of the commands. */
#include "manual.h"
#include <string.h>

/* Text as troff wants it: backslashes doubled, dashes that stay dashes, no line that begins with a request. */
static void man_text(po_buffer *out, const char *text, size_t length) {
  size_t i;
  int fresh = 1;
  for (i = 0; i < length; i++) {
    char c = text[i];
    if (fresh && (c == '.' || c == '\'')) po_buffer_puts(out, "\\&");
    if (c == '\\') po_buffer_puts(out, "\\e");
    else if (c == '-') po_buffer_puts(out, "\\-");
    else po_buffer_add(out, &c, 1);
    fresh = c == '\n';
  }
}
static void man_string(po_buffer *out, const char *text) { man_text(out, text, strlen(text)); }

/* Lines indented by two blanks are examples and keep their shape; the others are filled. */
static void man_paragraphs(po_buffer *out, const char *help) {
  const char *line = help, *end;
  int shaped = 0;
  for (; *line; line = *end ? end + 1 : end) {
    int example = !strncmp(line, "  ", 2);
    end = strchr(line, '\n');
    if (!end) end = line + strlen(line);
    if (example != shaped) po_buffer_puts(out, example ? ".PP\n.nf\n.RS 4\n" : ".RE\n.fi\n.PP\n");
    shaped = example;
    man_text(out, line + (example ? 2 : 0), (size_t)(end - line) - (example ? 2 : 0));
    po_buffer_puts(out, "\n");
  }
  if (shaped) po_buffer_puts(out, ".RE\n.fi\n");
}

static void man_option(po_buffer *out, const char *name, const char *value, const char *help) {
  po_buffer_puts(out, ".TP\n.B \\-\\-");
  man_string(out, name);
  if (value) {
    po_buffer_puts(out, " \\fI");
    man_string(out, value);
    po_buffer_puts(out, "\\fR");
  }
  po_buffer_puts(out, "\n");
  man_string(out, help);
  po_buffer_puts(out, "\n");
}

static void man_command(po_buffer *out, const po_command *c) {
  const po_option *o;
  po_buffer_puts(out, ".SS \"poise ");
  man_string(out, c->name);
  po_buffer_puts(out, c->usage[0] ? " " : "");
  man_string(out, c->usage);
  po_buffer_puts(out, "\"\n");
  man_string(out, c->summary);
  po_buffer_puts(out, ".\n");
  if (c->help) {
    po_buffer_puts(out, ".PP\n");
    man_paragraphs(out, c->help);
  }
  for (o = c->options; o && o->name; o++) man_option(out, o->name, o->value, o->help);
}

void po_cli_man(po_buffer *out) {
  int i;
  po_buffer_printf(out, ".\\\" Made by `poise help --man`.\n.TH POISE 1 \"\" \"Poise %s\" \"User Commands\"\n", PO_VERSION);
  po_buffer_puts(out, ".SH NAME\npoise \\- simulate characters that keep their balance; solve and measure what that takes\n.SH SYNOPSIS\n");
  for (i = 0; po_cli_commands[i]; i++) {
    po_buffer_puts(out, i ? ".br\n.B poise " : ".B poise ");
    man_string(out, po_cli_commands[i]->name);
    po_buffer_puts(out, "\n");
    if (po_cli_commands[i]->usage[0]) {
      man_string(out, po_cli_commands[i]->usage);
      po_buffer_puts(out, "\n");
    }
  }
  po_buffer_puts(out, ".SH DESCRIPTION\n"
                      "Poise is a library of linear algebra, rigid\\-body dynamics, contact and quadratic programming, and of controllers that make simulated\n"
                      "characters stand, jump and walk. This program runs its scenarios, solves problems from files, and measures every part.\n"
                      "Options may stand anywhere after the command, as \\-\\-name value or \\-\\-name=value; \\-\\- ends them. Angles are in degrees; all other\n"
                      "quantities are in SI units, with z up, x forward and y left. Where a report can be written to a file, \\- stands for standard output, and\n"
                      "then nothing else is printed there. Numbers are read and written the same way in every locale.\n"
                      ".SH COMMANDS\nEvery command also takes \\fB\\-\\-help\\fR.\n");
  for (i = 0; po_cli_commands[i]; i++) man_command(out, po_cli_commands[i]);
  po_buffer_puts(out, ".SH EXIT STATUS\n.TP\n.B 0\nThe run or solve succeeded.\n.TP\n.B 1\nIt ran, and did not succeed: the character fell, the solver gave up,\n"
                      "a benchmark lost a solve, or the user interrupted it (the report is written all the same).\n.TP\n.B 2\nBad usage or input, or output that could\n"
                      "not be written; a message names the mistake.\n"
                      ".SH SIGNALS\nOn SIGINT (Ctrl\\-C) \\fBrun\\fR and \\fBbench\\fR stop, write every report that was asked for with what they have, and exit with 1.\n"
                      ".SH EXAMPLES\n.nf\npoise list walk\npoise run walk \\-\\-seconds 10 \\-\\-html walk.html\npoise run balance \\-\\-push 1,0.1,60,0,0 \\-\\-json \\-\n"
                      "poise run walk \\-\\-trace a.trace && poise replay a.trace \\-\\-svg walk.svg\npoise bench hqp \\-\\-html hqp.html\n.fi\n");
}
