/* plan_steps.c: `poise plan steps` and `poise plan step-model` (docs/constrained-walking.md). */
#include "../view/view.h"
#include "jobs.h"
#include "plan.h"
#include <string.h>

typedef struct steps_job {
  const po_model *model;
  po_step_learn_opts opts;
  po_step_learn *learn;
  po_step_record *record;
  int wanted, records, sequences;
  po_step_tally sum;
  int falls;
  double started;
  po_progress progress;
} steps_job;

/* ---- units: sequences ---- */

static po_status steps_prepare(void *user, po_error *err) {
  steps_job *j = user;
  return j->learn ? PO_OK : po_step_learn_new(&j->learn, j->model, &j->opts, err);
}

static int steps_in(const steps_job *j, int index) {
  int left = j->wanted - index * j->opts.sequence;
  return left < j->opts.sequence ? left : j->opts.sequence;
}

static po_status steps_unit(void *user, po_buffer *out, int index, po_error *err) {
  steps_job *j = user;
  po_step_tally tally;
  po_step_record *r = po_alloc(sizeof *r * (size_t)j->opts.sequence * (size_t)(1 + j->opts.tried));
  po_status st = r ? po_step_learn_sequence(r, &tally, j->learn, index, steps_in(j, index), err)
                   : po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (st == PO_OK) {
    po_buffer_add(out, (const char *)&tally, sizeof tally);
    po_buffer_add(out, (const char *)r, sizeof *r * (size_t)tally.examples);
  }
  po_free(r);
  return st;
}

static po_status steps_join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  steps_job *j = user;
  po_step_tally t;
  if (size < sizeof t) return po_fail(err, PO_ERR_SIZE, "sequence %d left too few bytes", index);
  memcpy(&t, bytes, sizeof t);
  if (t.examples < 0 || t.examples > steps_in(j, index) * (1 + j->opts.tried) || size != sizeof t + sizeof *j->record * (size_t)t.examples)
    return po_fail(err, PO_ERR_SIZE, "sequence %d has %zu bytes for %d steps", index, size, t.examples);
  memcpy(j->record + j->records, bytes + sizeof t, sizeof *j->record * (size_t)t.examples);
  j->records += t.examples;
  j->falls += t.fell;
  j->sum.dropped += t.dropped;
  j->sum.rounds += t.rounds;
  j->sum.windows += t.windows;
  j->sum.steps_run += t.steps_run;
  j->sum.sim_seconds += t.sim_seconds;
  return PO_OK;
}

static void steps_progress(void *user, int done, int all) {
  po_progress_count(&((steps_job *)user)->progress, done, all, "sequences");
}

/* ---- what came of it ---- */

static po_status steps_model(po_step_model **model, const steps_job *j, po_error *err) {
  po_step_example *e;
  po_status st;
  int i;
  *model = NULL;
  if (j->records < PO_STEP_NEAR)
    return po_fail(err, PO_ERR_SIZE, "%d examples: a step model needs at least %d", j->records, PO_STEP_NEAR);
  if (!(e = po_alloc(sizeof *e * (size_t)j->records))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; i < j->records; i++) e[i] = j->record[i].example;
  st = po_step_model_new(model, j->model, j->opts.style, e, j->records, err);
  po_free(e);
  return st;
}

static void steps_report(po_jw *w, const steps_job *j, const po_step_model *m, uint64_t hash) {
  double sum = 0;
  int i, below = 0, above = 0, n = 0;
  for (i = 0; i < j->records; i++) {
    if (!po_isfinite(j->record[i].error)) continue; /* tried on the way */
    n++;
    sum += j->record[i].error;
    below += j->record[i].error < 0.06;
    above += j->record[i].error > 0.12;
  }
  po_jw_string(w, "body", m->body);
  po_jw_string(w, "style", m->style);
  po_jw_int(w, "examples", j->records);
  po_jw_int(w, "falls", j->falls);
  po_jw_int(w, "dropped", j->sum.dropped);
  po_jw_number(w, "error_mean", sum / n);
  po_jw_number(w, "share_below_6cm", (double)below / n);
  po_jw_number(w, "share_above_12cm", (double)above / n);
  po_jw_number(w, "rounds_mean", j->sum.windows ? (double)j->sum.rounds / (double)j->sum.windows : 0);
  po_jw_int(w, "steps_simulated", j->sum.steps_run);
  po_jw_number(w, "sim_seconds", j->sum.sim_seconds);
  po_jw_number(w, "wall_seconds", po_cli_clock() - j->started);
  po_jw_number(w, "pca_share", m->pca_share);
  po_jw_hex(w, "hash", hash);
}

static int steps_write(po_args *args, const steps_job *j) {
  po_buffer file = {0}, report = {0};
  po_step_model *m;
  po_error err;
  po_jw w;
  int code = PO_EXIT_GOOD;
  if (steps_model(&m, j, &err) != PO_OK) return po_cli_error(&err);
  m->settings_hash = po_step_learn_key(j->learn);
  po_format(m->made, sizeof m->made, "%s", po_plan_text(args, "made", ""));
  if (po_step_model_write(&file, m) != PO_OK) code = po_cli_fail("plan: out of memory");
  po_jw_init(&w, &report, 1);
  po_jw_object(&w, NULL);
  steps_report(&w, j, m, po_hash(file.data, file.size, 0));
  po_jw_end(&w);
  po_buffer_puts(&report, "\n");
  if (!code && po_args_has(args, "out")) code = po_cli_write(po_args_string(args, "out", "-"), &file);
  if (!code) code = po_cli_write(po_args_string(args, "json", "-"), &report);
  po_step_model_free(m);
  po_buffer_free(&file);
  po_buffer_free(&report);
  return code;
}

/* ---- the command ---- */

static int steps_read(po_args *args, steps_job *j) {
  static const char *const methods[] = {"gauss-newton", "gradient"};
  const char *body = po_plan_text(args, "body", "biped7"), *style = po_plan_text(args, "style", "walk"),
             *method = po_plan_text(args, "method", methods[0]);
  po_error err;
  if (po_body_model(&j->model, body, &err) != PO_OK) return po_cli_error(&err);
  j->opts = po_step_learn_opts_default(j->model);
  if (strlen(style) >= sizeof j->opts.style) return po_cli_fail("plan: style=%s: too long", style);
  po_format(j->opts.style, sizeof j->opts.style, "%s", style);
  j->opts.search.method = strcmp(method, methods[1]) ? PO_STEPS_GAUSS_NEWTON : PO_STEPS_GRADIENT;
  if (strcmp(method, methods[j->opts.search.method])) return po_cli_fail("plan: method=%s: gauss-newton or gradient", method);
  j->wanted = (int)po_plan_number(args, "examples", 2000, 1, 1e5);
  j->opts.sequence = (int)po_plan_number(args, "sequence", 100, 10, 1000);
  j->opts.warm = (int)po_plan_number(args, "warm", 10, 1, 100);
  j->opts.length_min = po_plan_number(args, "length_min", j->opts.length_min, 0.05, 1.2);
  j->opts.length_max = po_plan_number(args, "length_max", j->opts.length_max, 0.05, 1.2);
  j->opts.tried = (int)po_plan_number(args, "tried", 0, 0, 20);
  j->opts.turn = po_plan_number(args, "turn", j->opts.turn, 0, 0.5);
  j->opts.search.window = (int)po_plan_number(args, "window", 3, 1, PO_STEP_WINDOW);
  j->opts.search.rounds = (int)po_plan_number(args, "rounds", j->opts.search.method == PO_STEPS_GRADIENT ? 15 : 4, 1, 50);
  j->opts.search.gamma = po_plan_number(args, "gamma", 0.1, 0, 10);
  j->opts.seed = (uint64_t)po_plan_number(args, "seed", 1, 0, 9.007199254740992e15);
  if (args->failed) return PO_EXIT_USAGE;
  if (j->wanted < PO_STEP_NEAR) return po_cli_fail("plan: examples=%d: a step model needs at least %d", j->wanted, PO_STEP_NEAR);
  if (j->opts.length_min > j->opts.length_max)
    return po_cli_fail("plan: length_min=%g is above length_max=%g", j->opts.length_min, j->opts.length_max);
  j->sequences = (j->wanted + j->opts.sequence - 1) / j->opts.sequence;
  return PO_EXIT_GOOD;
}

static int steps_run(po_args *args, steps_job *j) {
  po_jobs jobs;
  po_work work;
  po_error err;
  int code;
  if ((code = steps_read(args, j)) != PO_EXIT_GOOD) return code;
  po_args_simd(args);
  if (args->failed || !po_jobs_read(&jobs, args, "out")) return PO_EXIT_USAGE;
  if (!(j->record = po_alloc(sizeof *j->record * (size_t)j->wanted * (size_t)(1 + j->opts.tried)))) return po_cli_fail("plan: out of memory");
  if (steps_prepare(j, &err) != PO_OK) return po_cli_error(&err);
  memset(&work, 0, sizeof work);
  work.units = j->sequences;
  work.key = po_hash(&j->wanted, sizeof j->wanted, po_step_learn_key(j->learn));
  work.user = j;
  work.prepare = steps_prepare;
  work.unit = steps_unit;
  work.join = steps_join;
  work.progress = steps_progress;
  work.stop = po_plan_stop();
  po_progress_begin(&j->progress, "steps", work.units);
  code = po_jobs_run(&jobs, &work);
  po_progress_end(&j->progress);
  return code || jobs.shards ? code : steps_write(args, j);
}

int po_plan_steps(po_args *args) {
  static const char *const names[] = {"body", "style",  "method", "examples", "sequence", "warm", "length_min", "length_max",
                                      "turn", "tried", "window", "rounds", "gamma",    "seed",     "made", NULL};
  steps_job *j;
  int code;
  if (!po_plan_knows(args, names)) return PO_EXIT_USAGE;
  if (!(j = po_alloc(sizeof *j))) return po_cli_fail("plan: out of memory");
  memset(j, 0, sizeof *j);
  j->started = po_cli_clock();
  code = steps_run(args, j);
  po_step_learn_free(j->learn);
  po_free(j->record);
  po_model_free(j->model);
  po_free(j);
  return code;
}

/* ---- step-model ---- */

/* What leaving one out mispredicts. */
static void model_errors(po_jw *w, const po_step_model *m) {
  double length = 0, state = 0, u = 0;
  int i, doubtful = 0;
  for (i = 0; i < m->examples; i++) {
    double off, after;
    po_step_model_left_out(&off, &after, m, i);
    length += off;
    state += after;
    u += m->uncertainty[i];
    doubtful += m->uncertainty[i] >= 0.75;
  }
  po_jw_string(w, "body", m->body);
  po_jw_string(w, "style", m->style);
  po_jw_string(w, "made", m->made);
  po_jw_int(w, "examples", m->examples);
  po_jw_number(w, "pca_share", m->pca_share);
  po_jw_number(w, "length_error_mean", length / m->examples);
  po_jw_number(w, "state_error_mean", state / m->examples);
  po_jw_number(w, "uncertainty_mean", u / m->examples);
  po_jw_number(w, "doubtful_share", (double)doubtful / m->examples);
}

static int model_append(po_step_example **all, int *count, po_step_model **first, const po_model *model, const char *path) {
  po_step_model *m;
  po_step_example *more;
  char *bytes;
  size_t size;
  po_error err;
  po_status st;
  if (po_read_file(&bytes, &size, path, (size_t)1 << 28, &err) != PO_OK) return po_cli_error(&err);
  st = po_step_model_read(&m, model, bytes, size, 0, path, &err);
  po_free(bytes);
  if (st != PO_OK) return po_cli_error(&err);
  if (*first && strcmp((*first)->style, m->style)) {
    po_cli_fail("plan: %s: steps of '%s' and of '%s' make no model together", path, m->style, (*first)->style);
    po_step_model_free(m);
    return PO_EXIT_USAGE;
  }
  if (!(more = po_alloc(sizeof *more * (size_t)(*count + m->examples)))) return po_cli_fail("plan: out of memory");
  if (*count) memcpy(more, *all, sizeof *more * (size_t)*count);
  memcpy(more + *count, m->example, sizeof *more * (size_t)m->examples);
  po_free(*all);
  *all = more;
  *count += m->examples;
  if (*first) po_step_model_free(m);
  else *first = m;
  return PO_EXIT_GOOD;
}

static int model_write(po_args *args, const po_step_model *m) {
  po_buffer file = {0}, report = {0}, page = {0};
  po_jw w;
  int code = po_step_model_write(&file, m) == PO_OK ? PO_EXIT_GOOD : po_cli_fail("plan: out of memory");
  po_jw_init(&w, &report, 1);
  po_jw_object(&w, NULL);
  model_errors(&w, m);
  po_jw_int(&w, "bytes", (long long)file.size);
  po_jw_hex(&w, "hash", po_hash(file.data, file.size, 0));
  po_jw_end(&w);
  po_buffer_puts(&report, "\n");
  if (!code && po_args_has(args, "out")) code = po_cli_write(po_args_string(args, "out", "-"), &file);
  if (!code && po_args_has(args, "html")) {
    po_step_model_html(&page, m);
    code = page.failed ? po_cli_fail("plan: out of memory") : po_cli_write(po_args_string(args, "html", "-"), &page);
  }
  if (!code) code = po_cli_write(po_args_string(args, "json", "-"), &report);
  po_buffer_free(&file);
  po_buffer_free(&report);
  po_buffer_free(&page);
  return code;
}

int po_plan_step_model(po_args *args) {
  static const char *const names[] = {"body", "examples", "made", NULL};
  po_step_model *first = NULL, *m = NULL;
  po_step_example *all = NULL;
  const po_model *model = NULL;
  po_error err;
  int i, code = PO_EXIT_GOOD, count = 0, most;
  if (!po_plan_knows(args, names)) return PO_EXIT_USAGE;
  most = (int)po_plan_number(args, "examples", 0, 0, 1e5);
  if (args->failed) return PO_EXIT_USAGE;
  if (!po_args_has(args, "in")) return po_cli_fail("plan step-model: which files of steps? --in FILE");
  if (po_body_model(&model, po_plan_text(args, "body", "biped7"), &err) != PO_OK) return po_cli_error(&err);
  for (i = 0; i < po_args_count(args, "in") && !code; i++)
    code = model_append(&all, &count, &first, model, po_args_at(args, "in", i));
  if (!code && most && most < count) count = most;
  if (!code && po_step_model_new(&m, model, first->style, all, count, &err) != PO_OK) code = po_cli_error(&err);
  if (!code) {
    m->settings_hash = first->settings_hash;
    po_format(m->made, sizeof m->made, "%s", po_plan_text(args, "made", first->made));
    code = model_write(args, m);
  }
  po_step_model_free(m);
  po_step_model_free(first);
  po_free(all);
  po_model_free(model);
  return code;
}
