/* cmd_list.c: `poise list`: the scenarios, or one scenario's parameters. */
#include "../scenes/scenes.h"
#include "cli.h"

#define LIST_COLUMN 27 /* a name and its default; longer ones stand on a line of their own */

static const po_option list_options[] = {{"json", NULL, "as JSON"}, {NULL, NULL, NULL}};

static void list_params_json(po_jw *w, const po_scenario *s) {
  const po_param *p;
  double fallback;
  int i;
  po_jw_array(w, "parameters");
  for (i = 0; (p = po_scenario_param(&fallback, s, i)) != NULL; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "name", p->name);
    po_jw_number(w, "default", fallback);
    po_jw_number(w, "lower", p->lower);
    po_jw_number(w, "upper", p->upper);
    po_jw_string(w, "unit", p->unit);
    po_jw_string(w, "meaning", p->meaning);
    po_jw_end(w);
  }
  for (i = 0; s->text && s->text[i].name; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "name", s->text[i].name);
    po_jw_string(w, "default", s->text[i].fallback);
    po_jw_string(w, "meaning", s->text[i].meaning);
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void list_json(const po_scenario *only) {
  po_buffer out = {0};
  po_jw w;
  int i;
  po_jw_init(&w, &out, 1);
  po_jw_object(&w, NULL);
  po_jw_array(&w, "scenarios");
  for (i = 0; po_scenarios[i]; i++) {
    const po_scenario *s = po_scenarios[i];
    if (only && s != only) continue;
    po_jw_object(&w, NULL);
    po_jw_string(&w, "name", s->name);
    po_jw_string(&w, "summary", s->summary);
    po_jw_string(&w, "success", s->success);
    if (s->model) po_jw_string(&w, "model", s->model);
    po_jw_number(&w, "seconds", s->seconds);
    list_params_json(&w, s);
    po_jw_end(&w);
  }
  po_jw_end(&w);
  po_jw_end(&w);
  po_buffer_puts(&out, "\n");
  po_cli_puts(out.data ? out.data : "");
  po_buffer_free(&out);
}

/* Name, default, then what it means and how far it goes. */
static void list_row(po_buffer *out, const char *name, const char *fallback, const char *meaning) {
  char left[64];
  po_format(left, sizeof left, "%-18s %-8s", name, fallback);
  po_cli_row(out, left, LIST_COLUMN, meaning);
}

static void list_scenario(const po_scenario *s) {
  po_buffer out = {0}, words = {0};
  const po_param *p;
  double fallback;
  int i;
  po_buffer_printf(&words, "%s: %s", s->name, s->summary);
  po_cli_wrap(&out, words.data ? words.data : "", 0, 2);
  po_buffer_puts(&out, "  succeeds when: ");
  po_cli_wrap(&out, s->success, 17, 4);
  if (s->model) po_buffer_printf(&out, "  body: %s (--model)\n", s->model);
  po_buffer_printf(&out, "  seconds: %g\n\nparameters (--set NAME=VALUE, --at T,NAME=VALUE):\n", s->seconds);
  for (i = 0; (p = po_scenario_param(&fallback, s, i)) != NULL; i++) {
    char value[32];
    po_format(value, sizeof value, "%.6g", fallback);
    words.size = 0;
    po_buffer_printf(&words, "%s (%g ... %g%s%s)", p->meaning, p->lower, p->upper, p->unit[0] ? " " : "", p->unit);
    list_row(&out, p->name, value, words.data ? words.data : "");
  }
  for (i = 0; s->text && s->text[i].name; i++) list_row(&out, s->text[i].name, s->text[i].fallback, s->text[i].meaning);
  po_cli_puts(out.data ? out.data : "");
  po_buffer_free(&out);
  po_buffer_free(&words);
}

const po_scenario *po_cli_scenario(const char *name) {
  const po_scenario *s = po_scenario_find(name);
  const char *names[64], *near;
  int n;
  if (s) return s;
  for (n = 0; po_scenarios[n] && n < 64; n++) names[n] = po_scenarios[n]->name;
  near = po_nearest(name, names, n);
  if (near) po_cli_fail("there is no scenario '%s'; did you mean '%s'?", name, near);
  else po_cli_fail("there is no scenario '%s'; `poise list` names them all", name);
  return NULL;
}

static void list_all(void) {
  po_buffer out = {0};
  int i;
  for (i = 0; po_scenarios[i]; i++) {
    po_buffer_printf(&out, "%-14s ", po_scenarios[i]->name);
    po_cli_wrap(&out, po_scenarios[i]->summary, 15, 15);
  }
  po_cli_puts(out.data ? out.data : "");
  po_buffer_free(&out);
}

static int list_run(po_args *a) {
  const po_scenario *s = NULL;
  if (a->count && !(s = po_cli_scenario(a->arg[0]))) return PO_EXIT_USAGE;
  if (po_args_has(a, "json")) list_json(s);
  else if (s) list_scenario(s);
  else list_all();
  return PO_EXIT_GOOD;
}

const po_command po_cmd_list = {"list", "[SCENARIO] [--json]", "the scenarios, or one scenario's parameters",
                               "With a scenario: when it counts as done, its body, and its parameters with default, range, unit and meaning.\n"
                               "  poise list\n  poise list walk\n  poise list walk --json\n",
                               list_options, 0, 1, list_run};
