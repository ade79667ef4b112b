/* plan_set.c: --set NAME=VALUE of `poise plan`. */
#include "plan.h"
#include <signal.h>
#include <string.h>

static volatile sig_atomic_t plan_interrupted;

static void plan_on_interrupt(int number) {
  plan_interrupted = 1;
  signal(number, SIG_DFL);
}

static int plan_stopped(void) { return plan_interrupted != 0; }

int (*po_plan_stop(void))(void) {
  signal(SIGINT, plan_on_interrupt);
  return plan_stopped;
}

/* What follows "name=" in a --set, or NULL. */
static const char *plan_value(const char *text, const char *name) {
  size_t n = strlen(name);
  return !strncmp(text, name, n) && text[n] == '=' ? text + n + 1 : NULL;
}

/* --set may be followed by several: what stands behind the kind belongs to them. */
static int plan_sets(const po_args *args) { return po_args_count(args, "set") + (args->count > 1 ? args->count - 1 : 0); }
static const char *plan_set_at(const po_args *args, int i) {
  int n = po_args_count(args, "set");
  return i < n ? po_args_at(args, "set", i) : args->arg[1 + i - n];
}

int po_plan_knows(const po_args *args, const char *const *names) {
  int i, k;
  for (i = 0; i < plan_sets(args); i++) {
    const char *text = plan_set_at(args, i);
    for (k = 0; names[k] && !plan_value(text, names[k]); k++) {}
    if (!names[k]) {
      po_buffer known = {0};
      for (k = 0; names[k]; k++) po_buffer_printf(&known, "%s%s", k ? ", " : "", names[k]);
      po_cli_fail("plan %s: '%s' is no NAME=VALUE that it knows; the names are %s", args->arg[0], text, known.data ? known.data : "");
      po_buffer_free(&known);
      return 0;
    }
  }
  return 1;
}

const char *po_plan_text(const po_args *args, const char *name, const char *fallback) {
  int i;
  for (i = 0; i < plan_sets(args); i++) {
    const char *value = plan_value(plan_set_at(args, i), name);
    if (value) fallback = value;
  }
  return fallback;
}

double po_plan_number(po_args *args, const char *name, double fallback, double lo, double hi) {
  const char *text = po_plan_text(args, name, NULL), *end;
  double x;
  if (!text) return fallback;
  if (po_parse_double(&x, &end, text, text + strlen(text)) == PO_OK && !*end && x >= lo && x <= hi) return x;
  po_cli_fail("plan: %s=%s must be a number in %g ... %g", name, text, lo, hi);
  args->failed = 1;
  return fallback;
}
