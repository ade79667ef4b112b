/* cmd_tune.c: `poise tune SCENARIO`: which parameters? (docs/tune.md) */
#include "args.h"
#include "plan.h"
#include "tune.h"
#include <string.h>
#include <unistd.h>

/* ---- one generation ---- */

/* What the points came to, for the search; and for the line that shows how it goes. */
static int tune_tell(po_tune_job *j) {
  int points = po_tune_points(j), costs = j->tuning->costs, width = costs + 1, i, k, code;
  double *told = po_alloc(sizeof(double) * (size_t)points * (size_t)(2 * width)), *cost = told + points * width, *violation = cost + points * costs;
  po_error err;
  if (!told) return po_cli_fail("tune: out of memory");
  for (i = 0; i < points; i++) {
    po_tuning_score p;
    po_tuning_join(&p, j->tuning, j->score + (size_t)i * (size_t)j->runs, j->runs);
    for (k = 0; k < costs; k++) told[i * width + k] = cost[i * costs + k] = p.cost[k];
    told[i * width + costs] = violation[i] = p.violation;
  }
  code = po_tune_keep(j, points, po_tune_state(j->search).repeats, told);
  if (!code && po_tune_tell(j->search, cost, violation, &err) != PO_OK) code = po_cli_error(&err);
  po_free(told);
  return code;
}

static double tune_median(const po_tune_job *j) {
  const po_tune_generation *g = &j->generation[j->generations - 1];
  int width = j->tuning->costs + 1, i, k, n = 0;
  double v[PO_TUNE_POPULATION / 16];
  for (i = 0; i < g->points && n < (int)(sizeof v / sizeof *v); i++) {
    double x = g->told[i * width];
    if (!po_isfinite(x)) continue;
    for (k = n++; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
    v[k] = x;
  }
  return n ? v[n / 2] : PO_NAN;
}

static int tune_generation(po_tune_job *j, int *interrupted) {
  int code = po_tune_work(j, interrupted);
  if (code || *interrupted || j->jobs.shards) return code;
  if ((code = tune_tell(j)) != PO_EXIT_GOOD) return code;
  j->best = po_tune_best(j->search, 0)->cost[0];
  j->median = tune_median(j);
  return j->state[0] ? po_tune_state_write(j, j->state) : PO_EXIT_GOOD;
}

/* Whether one more whole generation fits into the budget; the first always does. */
static int tune_left(po_tune_job *j) {
  int points = po_tune_ask(j->search);
  return points > 0 && (j->generations == 0 || po_tune_state(j->search).evaluations + points <= j->budget);
}

static int tune_interrupted(const po_tune_job *j) {
  if (j->state[0]) po_cli_fail("interrupted after %d generations, which are in %s: --continue goes on from there", j->generations, j->state);
  else po_cli_fail("interrupted after %d generations: with --out FILE they would have been kept", j->generations);
  return PO_EXIT_FAILED;
}

/* ---- the verdict ---- */

/* The start, and what was found: the best; with noise where the search came to; of several costs the front. */
static int tune_candidates(po_tune_job *j, double *x) {
  int n = j->tuning->frees, count = 1, i;
  const po_tune_found *f;
  for (i = 0; i < n; i++) x[i] = PO_NAN;
  if (j->noise > 1) memcpy(x + n * count++, po_tune_centre(j->search), sizeof(double) * (size_t)n);
  else
    for (i = 0; count < PO_TUNE_CANDIDATES && (f = po_tune_best(j->search, i)) != NULL; i++) memcpy(x + n * count++, f->x, sizeof(double) * (size_t)n);
  return count;
}

/* Of a front the point nearest to the best of each cost, in shares of what the front spans. */
static int tune_chosen(const po_tune_job *j, const po_tune_result *r) {
  double least = PO_INF;
  int c, k, chosen = 1;
  for (c = 1; c < j->candidates; c++) {
    double far = 1e6 * r[c].searched.violation;
    for (k = 0; k < j->tuning->costs; k++) {
      double low = PO_INF, high = -PO_INF, x = r[c].searched.cost[k];
      int i;
      for (i = 1; i < j->candidates; i++) low = po_min(low, r[i].searched.cost[k]), high = po_max(high, r[i].searched.cost[k]);
      far += high > low ? (x - low) * (x - low) / ((high - low) * (high - low)) : 0;
    }
    if (far < least) least = far, chosen = c;
  }
  return chosen;
}

static int tune_verdict(po_tune_job *j) {
  double *x = po_alloc(sizeof(double) * (size_t)j->tuning->frees * PO_TUNE_CANDIDATES);
  po_tune_result *result = po_alloc(sizeof *result * PO_TUNE_CANDIDATES);
  int c, interrupted = 0, chosen, code = x && result ? PO_EXIT_GOOD : po_cli_fail("tune: out of memory");
  if (!code) {
    j->candidates = tune_candidates(j, x);
    j->candidate = x;
    code = po_tune_work(j, &interrupted);
  }
  po_progress_end(&j->progress);
  if (!code && interrupted) code = tune_interrupted(j);
  if (!code && !j->jobs.shards) {
    for (c = 0; c < j->candidates; c++) {
      int first = j->seeds * po_tuning_variants(j->tuning);
      const po_tuning_score *runs = j->score + (size_t)c * (size_t)j->runs;
      po_tuning_join(&result[c].searched, j->tuning, runs, first);
      po_tuning_join(&result[c].judged, j->tuning, runs + first, j->runs - first);
    }
    chosen = tune_chosen(j, result);
    code = po_tune_report(j, result, chosen);
    if (!code && !(result[chosen].searched.violation <= 0)) code = PO_EXIT_FAILED;
  }
  j->candidate = NULL;
  po_free(x);
  po_free(result);
  return code;
}

/* ---- the command ---- */

static int tune_read_how(po_tune_job *j) {
  po_args *a = j->args;
  const char *state;
  j->workers = po_args_string(a, "workers", NULL);
  j->out = po_args_string(a, "out", NULL);
  j->budget = po_args_int(a, "budget", 400, 1, 1000000000);
  if (a->failed || !po_jobs_read(&j->jobs, a, "state")) return PO_EXIT_USAGE;
  state = po_args_string(a, "state", NULL);
  if (state) po_format(j->state, sizeof j->state, "%s", state);
  else if (j->out && strcmp(j->out, "-")) po_format(j->state, sizeof j->state, "%s.state", j->out);
  if (strlen(j->state) > 1000) return po_cli_fail("tune: the name of the state's file is too long");
  j->from = po_args_string(a, "from", po_args_has(a, "continue") ? j->state : NULL);
  if (po_args_has(a, "continue") && !j->state[0]) return po_cli_fail("tune: --continue goes on from the state beside --out FILE, or from --state FILE");
  if (po_args_has(a, "verdict") && !j->from) return po_cli_fail("tune: --verdict judges what a search has found: --from FILE says which");
  if (a->count == 0 && !j->from) return po_cli_fail("missing SCENARIO; usage: poise tune SCENARIO --free NAME=LOW:HIGH --cost NAME; see `poise help tune`");
  if (j->workers && (!j->state[0] || j->jobs.shards)) return po_cli_fail("tune: workers read the search from its state: give --out FILE or --state FILE, and no --shard");
  return PO_EXIT_GOOD;
}

/* The words of both, in order, with the first that differs. */
static int tune_same_search(const po_tune_job *j) {
  po_buffer a = {0}, b = {0};
  po_jw w;
  int same;
  po_jw_init(&w, &a, 0);
  po_tune_words(&w, &j->spec);
  po_jw_init(&w, &b, 0);
  po_tune_words(&w, &j->saved);
  same = a.size == b.size && !memcmp(a.data, b.data, a.size);
  if (!same) po_cli_fail("%s is of another search: %s; here it is %s. Without --continue a new one begins", j->from, b.data + 10, a.data + 10);
  po_buffer_free(&a);
  po_buffer_free(&b);
  return same;
}

/* The search, brought to where the state left it. */
static int tune_open(po_tune_job *j, po_json **root) {
  int code;
  if (j->from && (code = po_tune_state_read(j, j->from, root)) != PO_EXIT_GOOD) return code;
  j->spec = j->args->count ? *j->args : j->saved;
  if (j->from && !tune_same_search(j)) return PO_EXIT_USAGE;
  if ((code = po_tune_read_spec(j)) != PO_EXIT_GOOD) return code;
  if (!j->from) return PO_EXIT_GOOD;
  code = po_tune_state_replay(j, *root, j->from);
  if (!code && !po_args_has(j->args, "budget")) j->budget = j->saved_budget;
  return code;
}

/* A search that was not finished is not written over by mistake. */
static int tune_guard(const po_tune_job *j) {
  po_json *root = NULL;
  po_error err;
  char *text;
  size_t size;
  int unfinished = 0;
  if (j->from || !j->state[0] || access(j->state, F_OK) || po_read_file(&text, &size, j->state, 0, &err) != PO_OK) return PO_EXIT_GOOD;
  if (po_json_parse(&root, text, size, j->state, &err) == PO_OK) {
    const po_json *told = po_json_get(root, "told"), *g;
    double tried = 0, width = po_json_number(po_json_get(root, "costs"), 1) + 1;
    for (g = told ? told->first : NULL; g; g = g->next) tried += (double)g->length / width;
    unfinished = tried > 0 && tried < po_json_number(po_json_get(root, "budget"), 0);
    po_json_free(root);
  }
  po_free(text);
  return unfinished ? po_cli_fail("%s holds a search that is not finished: --continue goes on with it; remove the file to begin anew", j->state) : PO_EXIT_GOOD;
}

static int tune_search(po_tune_job *j) {
  int interrupted = 0, code = PO_EXIT_GOOD, once = j->jobs.shards || j->args->parts, verdict = po_args_has(j->args, "verdict");
  j->begun = po_tune_state(j->search).evaluations;
  j->started = po_cli_clock();
  po_progress_begin(&j->progress, "tune", (double)j->budget);
  if (!verdict && once && !tune_left(j)) code = po_cli_fail("tune: the budget of %ld points is spent: nothing is left to share out", j->budget) ? PO_EXIT_FAILED : PO_EXIT_FAILED;
  if (!verdict && !code && j->workers) code = po_tune_state_write(j, j->state);
  if (!verdict)
    while (!code && !interrupted && tune_left(j)) {
      code = tune_generation(j, &interrupted);
      if (once) break;
    }
  if (once && !verdict) {
    po_progress_end(&j->progress);
    return code;
  }
  if (!code && !interrupted) return tune_verdict(j);
  po_progress_end(&j->progress);
  return code ? code : tune_interrupted(j);
}

static void tune_close(po_tune_job *j, po_json *root) {
  int i;
  for (i = 0; i < j->generations; i++) po_free(j->generation[i].told);
  po_free(j->generation);
  po_free(j->score);
  po_tune_free(j->search);
  if (j->has_saved) po_args_free(&j->saved);
  po_json_free(root);
  po_free(j->tuning);
  po_free(j);
}

static int tune_run(po_args *a) {
  po_tune_job *j = po_alloc(sizeof *j);
  po_json *root = NULL;
  int code;
  if (!j || !(j->tuning = po_alloc(sizeof *j->tuning))) {
    po_free(j);
    return po_cli_fail("tune: out of memory");
  }
  j->args = a;
  po_args_simd(a);
  code = a->failed ? PO_EXIT_USAGE : tune_read_how(j);
  if (!code) code = tune_guard(j);
  if (!code) code = tune_open(j, &root);
  if (!code) code = tune_search(j);
  tune_close(j, root);
  return code;
}

const po_command po_cmd_tune = {
  "tune", "SCENARIO --free NAME=LOW:HIGH... --cost NAME [options]", "search the parameters of a scenario",
  "Tries points between the bounds in simulation until the budget is spent, by an evolution strategy, and writes the best, judged on other seeds\n"
  "than it was searched on (docs/tune.md). What falls comes after all that does not, the earlier it falls the later. The same answer for any\n"
  "--jobs, --workers and shards. Exit 1 when even the best one falls or breaks a rule.\n"
  "  poise tune walk --free T=0.35:0.7 h=0.02:0.1 --cost cost_of_transport \\\n"
  "    --keep outcome=success --seeds 1..8 --budget 400 --jobs 2 --out walk.json\n"
  "  poise run walk --settings walk.json\n"
  "After every generation the search is kept in OUT.state; --continue goes on from there after Ctrl-C or a power cut, also with a larger budget.\n"
  "  poise tune walk ... --out walk.json --continue --budget 800\n"
  "On other machines: --workers PREFIX, or a share of a generation at a time:\n"
  "  poise tune --from walk.json.state --shard 0/4 --state part0\n"
  "  poise merge part0 part1 part2 part3 --out walk.json.state\n",
  po_tune_option_table, 0, -1, tune_run};
