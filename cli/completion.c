/* completion.c: completion for bash, made from the tables of the commands and the scenarios. */
#include "../bench/bench.h"
#include "../rbd/rbd.h"
#include "../scenes/scenes.h"
#include "manual.h"
#include <string.h>

static void completion_options(po_buffer *out, const po_command *c) {
  const po_option *o;
  for (o = c->options; o && o->name; o++) po_buffer_printf(out, "--%s ", o->name);
  po_buffer_puts(out, "--help");
}

static void completion_commands(po_buffer *out) {
  int i;
  for (i = 0; po_cli_commands[i]; i++) po_buffer_printf(out, "%s%s", i ? " " : "", po_cli_commands[i]->name);
}
static void completion_scenarios(po_buffer *out) {
  int i;
  for (i = 0; po_scenarios[i]; i++) po_buffer_printf(out, "%s%s", i ? " " : "", po_scenarios[i]->name);
}
static void completion_bodies(po_buffer *out) {
  int i;
  for (i = 0; po_body_names[i]; i++) po_buffer_printf(out, "%s%s", i ? " " : "", po_body_names[i]);
}

/* "a|b|c" in the table of options is a choice; words in capitals are not. */
static int completion_is_choice(const char *value) { return strchr(value, '|') && value[strcspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0'; }
static int completion_is_file(const char *value) { return strstr(value, "FILE") || strstr(value, ".json") || strstr(value, "FOLDER"); }

static void completion_value(po_buffer *out, const po_command *c, const po_option *o) {
  const char *p;
  if (!o->value) return;
  if (completion_is_choice(o->value)) {
    po_buffer_printf(out, "    %s:--%s) words=\"", c->name, o->name);
    for (p = o->value; *p; p++) po_buffer_add(out, *p == '|' ? " " : p, 1);
    po_buffer_puts(out, "\" ;;\n");
  } else if (!strcmp(o->name, "model")) {
    po_buffer_printf(out, "    %s:--model) words=\"", c->name);
    completion_bodies(out);
    po_buffer_puts(out, "\"; files=1 ;;\n");
  } else if (!strcmp(o->name, "set")) {
    po_buffer_printf(out, "    %s:--set) parameters=1 ;;\n", c->name);
  } else if (completion_is_file(o->value)) {
    po_buffer_printf(out, "    %s:--%s) files=1 ;;\n", c->name, o->name);
  } else {
    po_buffer_printf(out, "    %s:--%s) return ;;\n", c->name, o->name); /* a number: nothing to offer */
  }
}

static void completion_parameters(po_buffer *out) {
  const po_param *p;
  double fallback;
  int i, k;
  po_buffer_puts(out, "_poise_parameters() {\n  case \"$1\" in\n");
  for (i = 0; po_scenarios[i]; i++) {
    const po_scenario *s = po_scenarios[i];
    po_buffer_printf(out, "    %s) echo \"", s->name);
    for (k = 0; (p = po_scenario_param(&fallback, s, k)) != NULL; k++) po_buffer_printf(out, "%s= ", p->name);
    for (k = 0; s->text && s->text[k].name; k++) po_buffer_printf(out, "%s= ", s->text[k].name);
    po_buffer_puts(out, "\" ;;\n");
  }
  po_buffer_puts(out, "  esac\n}\n\n");
}

/* What a command takes that is not an option. */
static void completion_arguments(po_buffer *out) {
  int i;
  po_buffer_puts(out, "      case \"$command\" in\n        run|list) [ \"$place\" -eq 0 ] && words=\"");
  completion_scenarios(out);
  po_buffer_puts(out, "\" ;;\n        help) words=\"");
  completion_commands(out);
  po_buffer_puts(out, "\" ;;\n        bench) if [ \"$place\" -eq 0 ]; then words=\"");
  for (i = 0; po_bench_rooms[i]; i++) po_buffer_printf(out, "%s%s", i ? " " : "", po_bench_rooms[i]->name);
  po_buffer_puts(out, "\"; else files=1; fi ;;\n        dyn) words=\"");
  completion_bodies(out);
  po_buffer_puts(out, "\"; files=1 ;;\n        version) ;;\n        *) files=1 ;;\n      esac\n");
}

void po_cli_completion(po_buffer *out) {
  const po_option *o;
  int i;
  po_buffer_puts(out, "# bash completion for poise. Made by `poise help --bash`; to try it: source <(poise help --bash)\n\n");
  completion_parameters(out);
  po_buffer_puts(out, "_poise() {\n"
                      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words= files= parameters= place=0 i\n"
                      "  COMPREPLY=()\n"
                      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"");
  completion_commands(out);
  po_buffer_puts(out, " --help --version\" -- \"$cur\"))\n    return\n  fi\n"
                      "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
                      "    [[ ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i-1]} != --* ]] && place=$((place + 1))\n  done\n"
                      "  case \"$command:$prev\" in\n");
  for (i = 0; po_cli_commands[i]; i++)
    for (o = po_cli_commands[i]->options; o && o->name; o++) completion_value(out, po_cli_commands[i], o);
  po_buffer_puts(out, "    *) if [[ $cur == -* ]]; then\n      case \"$command\" in\n");
  for (i = 0; po_cli_commands[i]; i++) {
    po_buffer_printf(out, "        %s) words=\"", po_cli_commands[i]->name);
    completion_options(out, po_cli_commands[i]);
    po_buffer_puts(out, "\" ;;\n");
  }
  po_buffer_puts(out, "      esac\n    else\n");
  completion_arguments(out);
  po_buffer_puts(out, "    fi ;;\n  esac\n"
                      "  if [ -n \"$parameters\" ]; then\n    words=$(_poise_parameters \"${COMP_WORDS[2]}\")\n    compopt -o nospace 2>/dev/null\n  fi\n"
                      "  [ -n \"$words\" ] && COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                      "  if [ -n \"$files\" ]; then\n    COMPREPLY+=($(compgen -f -- \"$cur\"))\n    compopt -o filenames 2>/dev/null\n  fi\n"
                      "}\ncomplete -F _poise poise\n");
}
