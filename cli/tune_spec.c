/* tune_spec.c: which search it is that the words of `poise tune` ask for. */
#include "tune.h"
#include <string.h>

const po_option po_tune_option_table[] = {
  {"free", "NAME=LOW:HIGH", "search this parameter; :log, :linear or :int may follow; may be repeated"},
  {"cost", "SUM", "what is to be small: a figure of the report, or 2*A+0.1*B~1.2, -A, worst:A; repeated: a front"},
  {"keep", "RULE", "what must hold: outcome=success, or NAME=LOW:HIGH; may be repeated"},
  {"over", "NAME=VALUE", "runs with each value given: of a parameter (also 1..8), of model, of push; may be repeated"},
  {"seeds", "LIST", "of the runs that a point is tried in: 1..8 or 1,4,9 (1..4)"},
  {"judge", "LIST", "of the runs that judge what was found (101..120)"},
  {"seconds", "S", "how long a run is (default: the scenario's own)"},
  {"dt", "H", "time step in seconds"},
  {"control-hz", "F", "control ticks per second"},
  {"model", "NAME|FILE.urdf", "the body"},
  PO_OPTION_MODEL_FILE,
  PO_OPTION_MAP,
  {"set", "NAME=VALUE", "a parameter that is not searched; may be repeated"},
  {"push", "T,DURATION,FX,FY,FZ[,LINK]", "in every run; may be repeated"},
  {"method", "cma|nelder-mead|random", "how to search (cma)"},
  {"population", "N", "points of a generation (4 + 3 ln n; of a front 16)"},
  {"spread", "S", "first standard deviation, as a share of the range (0.2)"},
  {"diagonal", NULL, "learn a scale for each parameter and not how they go together: for few evaluations"},
  {"restarts", "N", "how often to begin again when at rest, with twice the population (5)"},
  {"noise", "N", "new seeds for every generation, as many of them as the order of points needs, at most N"},
  {"seed", "N", "of the search itself (1)"},
  {"budget", "N", "points to be tried (400)"},
  {"continue", NULL, "go on from what was kept in OUT.state"},
  {"state", "FILE", "where the search is kept after every generation (OUT.state)"},
  {"from", "FILE", "go on from this state; without a SCENARIO it says which search it is"},
  {"verdict", NULL, "judge what was found as it is, without a further generation"},
  {"workers", "PREFIX", "runs are done by --jobs N commands `PREFIX poise tune ...` at a time, such as 'srun -n1'"},
  {"out", "FILE", "what was found, for `run --settings`; - for standard output"},
  {"json", "FILE", "the whole search: every point and what it cost"},
  {"html", "FILE", "a page that shows it"},
  PO_OPTION_JOBS,
  PO_OPTION_SIMD,
  {NULL, NULL, NULL}};

int po_tune_is_how(const char *option) {
  static const char *const how[] = {"judge", "budget", "continue", "state", "from", "verdict", "workers", "out", "json", "html", "jobs", "shard", "simd", "strict", "quiet"};
  size_t i;
  for (i = 0; i < sizeof how / sizeof *how; i++)
    if (!strcmp(option, how[i])) return 1;
  return 0;
}

void po_tune_words(po_jw *w, const po_args *a) {
  po_buffer word = {0};
  int i;
  po_jw_array(w, "command");
  for (i = 0; i < a->option_count; i++) {
    if (po_tune_is_how(a->option[i]->name)) continue;
    word.size = 0;
    if (a->value[i]) po_buffer_printf(&word, "--%s=%s", a->option[i]->name, a->value[i]);
    else po_buffer_printf(&word, "--%s", a->option[i]->name);
    po_jw_string(w, NULL, word.data ? word.data : "");
  }
  po_jw_string(w, NULL, "--");
  for (i = 0; i < a->count; i++) po_jw_string(w, NULL, a->arg[i]);
  po_jw_end(w);
  if (word.failed) w->out->failed = 1;
  po_buffer_free(&word);
}

/* ---- lists ---- */

/* "1..8" or "1,4,9"; how many, 0 when it is not that. */
static int spec_seeds(uint64_t *out, const char *text) {
  const char *end = text, *stop = text + strlen(text);
  int first, last, n = 0;
  if (po_parse_int(&first, &end, text, stop) != PO_OK || first < 0) return 0;
  if (!strncmp(end, "..", 2)) {
    if (po_parse_int(&last, &end, end + 2, stop) != PO_OK || *end || last < first || last - first >= PO_TUNE_SEEDS) return 0;
    for (; first <= last; first++) out[n++] = (uint64_t)first;
    return n;
  }
  out[n++] = (uint64_t)first;
  while (*end == ',' && n < PO_TUNE_SEEDS) {
    if (po_parse_int(&first, &end, end + 1, stop) != PO_OK || first < 0) return 0;
    out[n++] = (uint64_t)first;
  }
  return *end ? 0 : n;
}

static int spec_read_seeds(po_tune_job *j) {
  j->noise = po_args_int(&j->spec, "noise", 1, 1, 1000);
  if (j->spec.failed) return PO_EXIT_USAGE;
  if (j->noise > 1 && po_args_has(&j->spec, "seeds")) return po_cli_fail("tune: --noise draws its own seeds: --seeds does not go with it");
  if (j->noise > 1) po_format(j->seeds_text, sizeof j->seeds_text, "%d..%d", PO_TUNE_NOISE_SEEDS, PO_TUNE_NOISE_SEEDS + j->noise - 1);
  else po_format(j->seeds_text, sizeof j->seeds_text, "%s", po_args_string(&j->spec, "seeds", "1..4"));
  po_format(j->judge_text, sizeof j->judge_text, "%s", po_args_string(j->args, "judge", "101..120"));
  if (!(j->seeds = spec_seeds(j->seed, j->seeds_text))) return po_cli_fail("tune: --seeds %s: 1..8 or 1,4,9 is needed, at most %d", j->seeds_text, PO_TUNE_SEEDS);
  if (!(j->judges = spec_seeds(j->judge, j->judge_text))) return po_cli_fail("tune: --judge %s: 101..120 or 101,104 is needed, at most %d", j->judge_text, PO_TUNE_SEEDS);
  return PO_EXIT_GOOD;
}

static int spec_push(po_push *p, const char *given) {
  double n[5];
  const char *link = NULL;
  if (!po_cli_numbers(n, &link, 5, given)) return po_cli_fail("tune: push %s must be T,DURATION,FX,FY,FZ[,LINK]", given);
  memset(p, 0, sizeof *p);
  p->time = n[0];
  p->duration = n[1];
  p->force = po_v3(n[2], n[3], n[4]);
  p->link = link;
  return PO_EXIT_GOOD;
}

/* Texts that last as long as the program: a search has some tens of them. */
static char *spec_text(const char *text, size_t n) {
  static char room[1 << 16];
  static size_t used;
  char *copy = room + used;
  if (n + 1 > sizeof room - used) return NULL;
  memcpy(copy, text, n);
  copy[n] = '\0';
  used += n + 1;
  return copy;
}

static int spec_over_value(po_tuning_list *l, const char *value) {
  if (l->values == PO_TUNING_VALUES) return po_cli_fail("tune: --over %s: at most %d values", l->name, PO_TUNING_VALUES);
  if (!strcmp(l->name, "push") && strcmp(value, "none") && spec_push(&l->push[l->values], value) != PO_EXIT_GOOD) return PO_EXIT_USAGE;
  if (!(l->value[l->values] = spec_text(value, strlen(value)))) return po_cli_fail("tune: too many words");
  l->values++;
  return PO_EXIT_GOOD;
}

static int spec_over(po_tuning *t, const char *given) {
  const char *eq = strchr(given, '='), *end;
  po_tuning_list *l = t->over;
  int first, last, code = PO_EXIT_GOOD;
  size_t n = eq ? (size_t)(eq - given) : 0;
  char number[32];
  if (n == 0 || n >= PO_TUNING_NAME || !eq[1]) return po_cli_fail("tune: --over %s: NAME=VALUE is needed", given);
  for (; l < t->over + t->overs && (strlen(l->name) != n || memcmp(l->name, given, n) != 0); l++) {}
  if (l == t->over + PO_TUNING_OVER) return po_cli_fail("tune: --over: at most %d names", PO_TUNING_OVER);
  if (l == t->over + t->overs) {
    memcpy(l->name, given, n);
    t->overs++;
  }
  end = eq + 1;
  if (po_parse_int(&first, &end, end, end + strlen(end)) == PO_OK && !strncmp(end, "..", 2) && po_parse_int(&last, &end, end + 2, end + strlen(end)) == PO_OK && !*end) {
    for (; first <= last && !code; first++) {
      po_format(number, sizeof number, "%d", first);
      code = spec_over_value(l, number);
    }
    return code;
  }
  return spec_over_value(l, eq + 1);
}

/* ---- settings and pushes that all runs share ---- */

static int spec_set(po_tuning *t, po_setting *set, const char *given) {
  const char *eq = strchr(given, '=');
  po_setting *s = &set[t->opts.sets];
  if (!eq || eq == given) return po_cli_fail("tune: --set %s must be NAME=VALUE", given);
  if (t->opts.sets == PO_TUNING_SETS) return po_cli_fail("tune: too many --set");
  s->name = spec_text(given, (size_t)(eq - given));
  s->value = spec_text(eq + 1, strlen(eq + 1));
  if (!s->name || !s->value) return po_cli_fail("tune: too many words");
  t->opts.sets++;
  return PO_EXIT_GOOD;
}

static int spec_add_push(po_tuning *t, po_push *push, const char *given) {
  if (t->opts.pushes == PO_SIM_PUSHES - 1) return po_cli_fail("tune: at most %d pushes", PO_SIM_PUSHES - 1);
  return spec_push(&push[t->opts.pushes++], given);
}

static int spec_free(po_tuning *t, const char *given) {
  po_error err;
  return po_tuning_free(t, given, &err) == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
}

/* What stands after the scenario is told apart by its shape: NAME=LOW:HIGH is free, NAME=VALUE set, T,DURATION,… a push. */
static int spec_lists(po_tune_job *j) {
  static po_setting set[PO_TUNING_SETS];
  static po_push push[PO_SIM_PUSHES];
  const po_args *a = &j->spec;
  po_tuning *t = j->tuning;
  po_error err;
  int i, code = PO_EXIT_GOOD;
  t->opts.set = set;
  t->opts.push = push;
  for (i = 0; i < po_args_count(a, "free") && !code; i++) code = spec_free(t, po_args_at(a, "free", i));
  for (i = 0; i < po_args_count(a, "set") && !code; i++) code = spec_set(t, set, po_args_at(a, "set", i));
  for (i = 0; i < po_args_count(a, "push") && !code; i++) code = spec_add_push(t, push, po_args_at(a, "push", i));
  for (i = 1; i < a->count && !code; i++) {
    const char *eq = strchr(a->arg[i], '='), *comma = strchr(a->arg[i], ',');
    if (eq && strchr(eq, ':')) code = spec_free(t, a->arg[i]);
    else if (eq) code = spec_set(t, set, a->arg[i]);
    else if (comma) code = spec_add_push(t, push, a->arg[i]);
    else code = po_cli_fail("tune: unexpected argument '%s': NAME=LOW:HIGH is free, NAME=VALUE is set", a->arg[i]);
  }
  for (i = 0; i < po_args_count(a, "over") && !code; i++) code = spec_over(t, po_args_at(a, "over", i));
  for (i = 0; i < po_args_count(a, "cost") && !code; i++)
    if (po_tuning_cost(t, po_args_at(a, "cost", i), &err) != PO_OK) code = po_cli_error(&err);
  for (i = 0; i < po_args_count(a, "keep") && !code; i++)
    if (po_tuning_keep(t, po_args_at(a, "keep", i), &err) != PO_OK) code = po_cli_error(&err);
  return code;
}

/* ---- the search ---- */

static int spec_search(po_tune_job *j) {
  po_tune_unknown unknown[PO_TUNING_FREE];
  po_tune_opts o = po_tune_opts_default();
  po_args *a = &j->spec;
  po_error err;
  int i;
  o.method = (po_tune_method)po_args_choice(a, "method", po_tune_method_names, PO_TUNE_METHODS, PO_TUNE_CMA);
  o.costs = j->tuning->costs;
  o.population = po_args_int(a, "population", 0, 4, PO_TUNE_POPULATION);
  o.spread = po_args_double(a, "spread", o.spread, 1e-6, 10);
  o.diagonal = po_args_has(a, "diagonal");
  o.restarts = po_args_int(a, "restarts", o.restarts, 0, 1000);
  o.repeats = j->noise;
  o.seed = po_args_u64(a, "seed", o.seed);
  o.tol_cost = o.tol_x = 1e-9; /* of simulations, less is nothing */
  if (a->failed) return PO_EXIT_USAGE;
  for (i = 0; i < j->tuning->frees; i++) unknown[i] = j->tuning->free[i].unknown;
  return po_tune_new(&j->search, unknown, j->tuning->frees, &o, &err) == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
}

int po_tune_read_spec(po_tune_job *j) {
  po_args *a = &j->spec;
  po_tuning *t = j->tuning;
  po_error err;
  char *slash;
  int code;
  if (!(t->scenario = po_cli_scenario(a->arg[0]))) return PO_EXIT_USAGE;
  t->opts = po_run_opts_default();
  t->opts.seconds = po_args_double(a, "seconds", 0, 1e-6, 1e6);
  t->opts.dt = po_args_double(a, "dt", 0, 1e-6, 0.1);
  t->opts.control_hz = po_args_double(a, "control-hz", 0, 0.1, 1e6);
  t->opts.model = po_args_string(a, "model", NULL);
  t->opts.paths = po_cli_paths(a, t->opts.model);
  t->opts.map = po_args_string(a, "map", NULL);
  t->opts.models = po_cli_folder(j->models, "models/policies", "../share/poise/models/policies");
  if (t->opts.models && (slash = strrchr(j->models, '/')) != NULL) *slash = '\0';
  if (a->failed) return PO_EXIT_USAGE;
  if ((code = spec_read_seeds(j)) != PO_EXIT_GOOD || (code = spec_lists(j)) != PO_EXIT_GOOD) return code;
  if (j->args->count && (code = po_cli_look_at_model(j->args, t->opts.model)) != PO_EXIT_GOOD) return code; /* from its state alone: it was looked at then */
  if (po_tuning_check(t, &j->key, &err) != PO_OK) return po_cli_error(&err);
  return spec_search(j);
}
