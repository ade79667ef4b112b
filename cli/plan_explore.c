/* plan_explore.c: `poise plan explore` and `poise plan policy` (docs/task-policies.md). */
#include "../view/view.h"
#include "jobs.h"
#include "plan.h"
#include <string.h>

typedef struct explore_job {
  const po_model *model;
  po_actions actions;
  po_exploration *x;
  po_stepper *stepper;
  po_progress progress;
  double sim_seconds, started;
} explore_job;

/* ---- what both need ---- */

static void explore_close(explore_job *j) {
  po_explore_free(j->x);
  po_stepper_free(j->stepper);
  po_model_free(j->model);
}

/* The actions, their body, and what was explored before. */
static int explore_open(po_args *args, explore_job *j) {
  const char *in = po_args_string(args, "in", NULL);
  char *bytes;
  size_t size;
  po_error err;
  po_status st;
  if (po_actions_load(&j->actions, po_plan_text(args, "actions", "bird-heading"), &err) != PO_OK || po_body_model(&j->model, j->actions.body, &err) != PO_OK) return po_cli_error(&err);
  if (!in) return PO_EXIT_GOOD;
  if (po_read_file(&bytes, &size, in, (size_t)1 << 31, &err) != PO_OK) return po_cli_error(&err);
  st = po_explore_read(&j->x, j->model, &j->actions, bytes, size, in, &err);
  po_free(bytes);
  return st == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
}

static double explore_viable(const po_exploration *x) {
  int i, n = 0;
  for (i = 0; i < x->tried; i++) n += x->result[i].end == PO_TRIED_TRUSTED;
  return x->expanded ? (double)n / x->expanded : 0;
}

static double explore_depth(const po_exploration *x) {
  double sum = 0;
  int i;
  for (i = 0; i < x->states; i++) sum += x->depth[i];
  return x->states ? sum / x->states : 0;
}

static int explore_tuples(const po_exploration *x) {
  int i, n = 0;
  for (i = 0; i < x->tried; i++) n += x->result[i].end == PO_TRIED_TRUSTED;
  return n;
}

static void explore_report(po_jw *w, const explore_job *j) {
  const po_exploration *x = j->x;
  po_jw_string(w, "actions_name", j->actions.name);
  po_jw_int(w, "states", x->states);
  po_jw_int(w, "trusted", x->trusted);
  po_jw_int(w, "tuples", explore_tuples(x));
  po_jw_int(w, "actions", j->actions.actions);
  po_jw_number(w, "viable_mean", explore_viable(x));
  po_jw_number(w, "depth_mean", explore_depth(x));
  po_jw_int(w, "rounds", x->rounds);
  po_jw_int(w, "frontier", po_explore_frontier(x));
}

/* ---- explore ---- */

static po_status explore_prepare(void *user, po_error *err) {
  explore_job *j = user;
  return j->stepper ? PO_OK : po_explore_stepper(&j->stepper, j->model, &j->actions, err);
}

/* A unit is one state of the frontier with all actions: results, then where they ended. */
static po_status explore_unit(void *user, po_buffer *out, int index, po_error *err) {
  explore_job *j = user;
  int a, n = j->actions.actions, nq = j->model->nq, nv = j->model->nv;
  po_tried *t = po_alloc(sizeof *t * (size_t)n);
  double *q = po_alloc(sizeof(double) * (size_t)(n * nq)), *v = po_alloc(sizeof(double) * (size_t)(n * nv));
  po_status st = t && q && v ? PO_OK : po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (a = 0; a < n && st == PO_OK; a++) st = po_explore_try(&t[a], q + a * nq, v + a * nv, j->x, j->stepper, j->x->expanded + index, a, err);
  if (st == PO_OK) {
    po_buffer_add(out, (const char *)t, sizeof *t * (size_t)n);
    po_buffer_add(out, (const char *)q, sizeof(double) * (size_t)(n * nq));
    po_buffer_add(out, (const char *)v, sizeof(double) * (size_t)(n * nv));
  }
  po_free(t);
  po_free(q);
  po_free(v);
  return st;
}

/* Results are taken in order after all are there: the frontier moves only here. */
static po_status explore_join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  explore_job *j = user;
  size_t n = (size_t)j->actions.actions, t = sizeof(po_tried) * n, q = sizeof(double) * n * (size_t)j->model->nq, v = sizeof(double) * n * (size_t)j->model->nv, i;
  char *copy;
  (void)index;
  if (size != t + q + v) return po_fail(err, PO_ERR_SIZE, "a state's results have %zu bytes, not %zu", size, t + q + v);
  if (!(copy = po_alloc(size))) return po_fail(err, PO_ERR_MEMORY, "out of memory"); /* aligned */
  memcpy(copy, bytes, size);
  for (i = 0; i < n; i++) j->sim_seconds += ((const po_tried *)(const void *)copy)[i].seconds;
  po_explore_take(j->x, (const po_tried *)(const void *)copy, (const double *)(const void *)(copy + t), (const double *)(const void *)(copy + t + q));
  po_free(copy);
  return PO_OK;
}

static void explore_progress(void *user, int done, int all) { po_progress_count(&((explore_job *)user)->progress, done, all, "states"); }

static uint64_t explore_key(const explore_job *j) {
  size_t bytes = po_explore_save_bytes(j->x);
  void *state = po_alloc(bytes);
  uint64_t key = 0;
  if (state && po_explore_save(state, bytes, j->x) == PO_OK) key = po_hash(state, bytes, po_model_hash(j->model));
  po_free(state);
  return key;
}

static int explore_round(const po_jobs *jobs, explore_job *j) {
  po_work work;
  int code;
  memset(&work, 0, sizeof work);
  work.units = po_explore_frontier(j->x);
  work.key = explore_key(j);
  work.user = j;
  work.prepare = explore_prepare;
  work.unit = explore_unit;
  work.join = explore_join;
  work.progress = explore_progress;
  po_progress_begin(&j->progress, "explore", work.units);
  code = po_jobs_run(jobs, &work);
  po_progress_end(&j->progress);
  if (!code && !jobs->shards) j->x->rounds++;
  return code;
}

static int explore_write(po_args *args, explore_job *j) {
  po_buffer file = {0}, report = {0};
  size_t bytes = po_explore_save_bytes(j->x);
  char *state = po_alloc(bytes);
  po_jw w;
  int code;
  if (!state || po_explore_save(state, bytes, j->x) != PO_OK) code = po_cli_fail("plan: out of memory");
  else {
    po_buffer_add(&file, state, bytes);
    code = po_cli_write(po_args_string(args, "out", "-"), &file);
    po_jw_init(&w, &report, 1);
    po_jw_object(&w, NULL);
    explore_report(&w, j);
    po_jw_int(&w, "bytes", (long long)bytes);
    po_jw_number(&w, "sim_seconds", j->sim_seconds);
    po_jw_number(&w, "wall_seconds", po_cli_clock() - j->started);
    po_jw_hex(&w, "hash", po_hash(state, bytes, 0));
    po_jw_end(&w);
    po_buffer_puts(&report, "\n");
    if (!code && po_args_has(args, "json")) code = po_cli_write(po_args_string(args, "json", "-"), &report);
    else if (!code) po_cli_print("%s: %d states after round %d, %d of them not yet tried; %.1f actions of %d lead on\n", j->actions.name, j->x->states, j->x->rounds,
                                 po_explore_frontier(j->x), explore_viable(j->x), j->actions.actions);
  }
  po_free(state);
  po_buffer_free(&file);
  po_buffer_free(&report);
  if (!code && j->x->full) po_cli_fail("plan: max_states=%d are used up; what lay beyond them is left out", j->x->opts.max_states);
  return code;
}

static int explore_run(po_args *args, explore_job *j) {
  po_explore_opts o = po_explore_opts_default();
  po_jobs jobs;
  po_error err;
  const char *sequences = po_plan_text(args, "sequences", NULL);
  int code, rounds = (int)po_plan_number(args, "rounds", 1e6, 0, 1e6);
  o.eps_trust = po_plan_number(args, "eps_trust", 0, 0.1, 20);
  o.eps_new = po_plan_number(args, "eps_new", 0, 0.1, 20);
  o.max_states = (int)po_plan_number(args, "max_states", o.max_states, 10, 20000);
  o.ball_mass = po_plan_number(args, "ball_mass", o.ball_mass, 0, 30);
  if (args->failed || !po_jobs_read(&jobs, args, "out")) return PO_EXIT_USAGE;
  if (!po_args_has(args, "out")) return po_cli_fail("plan explore: say where to: --out FILE");
  if ((code = explore_open(args, j)) != PO_EXIT_GOOD) return code;
  if (sequences && po_actions_sequences(&j->actions, sequences, &err) != PO_OK) return po_cli_error(&err);
  if (!j->x && po_explore_new(&j->x, j->model, &j->actions, &o, &err) != PO_OK) return po_cli_error(&err);
  if (jobs.shards || args->parts) rounds = 1; /* a share is a share of one round */
  while (!code && rounds-- > 0 && po_explore_frontier(j->x)) code = explore_round(&jobs, j);
  return code || jobs.shards ? code : explore_write(args, j);
}

int po_plan_explore(po_args *args) {
  static const char *const names[] = {"actions", "eps_trust", "eps_new", "max_states", "rounds", "ball_mass", "sequences", NULL};
  explore_job *j;
  int code;
  if (!po_plan_knows(args, names)) return PO_EXIT_USAGE;
  if (!(j = po_alloc(sizeof *j))) return po_cli_fail("plan: out of memory");
  j->started = po_cli_clock();
  code = explore_run(args, j);
  explore_close(j);
  po_free(j);
  return code;
}

/* ---- policy ---- */

static void policy_usual_steps(po_policy *p, const po_exploration *x) {
  int i, a, n[PO_ACTIONS_MAX] = {0};
  for (i = 0; i < x->tried; i++) {
    const po_tried *t = &x->result[i];
    po_usual_step *u = &p->usual[t->action];
    if (t->end != PO_TRIED_TRUSTED) continue;
    n[t->action]++;
    u->step.x += t->step.x;
    u->step.y += t->step.y;
    u->step.heading += t->step.heading;
    u->seconds += t->seconds;
  }
  for (a = 0; a < x->actions.actions; a++)
    if (n[a]) {
      p->usual[a].step.x /= n[a];
      p->usual[a].step.y /= n[a];
      p->usual[a].step.heading /= n[a];
      p->usual[a].seconds /= n[a];
    }
}


/* The fastest that a repeated action walks. */
static double policy_top_speed(const po_exploration *x) {
  double top = 0;
  int a;
  for (a = 0; a < x->actions.actions; a++) {
    int s = x->cycle[a];
    if (s >= 0 && s < x->expanded) top = po_max(top, x->result[s * x->actions.actions + a].step.x / x->result[s * x->actions.actions + a].seconds);
  }
  return po_max(top, 0.1);
}

typedef struct policy_job { po_policy *policy; po_fvi_opts opts; double risk; int samples[PO_TASK_AXES]; /* 0: the thesis' */ po_jw report; po_policy_page *page; } policy_job;

/* "41", or one number for each axis: "16x16x8". The last one stands for those that are not given. 0 after a message. */
static int policy_samples(int samples[PO_TASK_AXES], const char *text) {
  const char *at = text, *end = at + strlen(at);
  double x = 0;
  int i;
  for (i = 0; *at && i < PO_TASK_AXES; i++) {
    if (po_parse_double(&x, &at, at, end) != PO_OK || !(x >= 3 && x <= PO_AXIS_SAMPLES && x == floor(x)) || (*at && *at != 'x')) {
      po_cli_fail("plan: samples %s: 3 ... %d an axis, as 41 or 16x16x8", text, PO_AXIS_SAMPLES);
      return 0;
    }
    at += *at == 'x';
    samples[i] = (int)x;
  }
  for (; x > 0 && i < PO_TASK_AXES; i++) samples[i] = (int)x;
  return 1;
}

static int policy_task(policy_job *p, explore_job *j, const po_fvi_step *steps, int count, const char *name, const int *samples) {
  po_fvi_problem problem;
  po_task_reward reward;
  po_fvi *fvi;
  po_error err;
  int kind = po_task_find(name), i, good;
  double started = po_cli_clock();
  if (kind < 0) return po_cli_fail("plan: there is no task '%s': line, heading, point, point-heading, heading-speed, robust", name);
  memset(&problem, 0, sizeof problem);
  if (po_task_make(&problem.task, (po_task_kind)kind, samples[0] ? samples : NULL, policy_top_speed(j->x)) != PO_OK) return po_cli_fail("plan: samples: 3 ... %d an axis", PO_AXIS_SAMPLES);
  reward = po_task_reward_of(j->x, &problem.task);
  problem.states = j->x->expanded;
  problem.steps = count;
  problem.step = steps;
  problem.reward = po_task_reward_at;
  problem.user = &reward;
  problem.ends = po_task_ends((po_task_kind)kind);
  if (po_fvi_new(&fvi, &problem, &p->opts, &err) != PO_OK) return po_cli_error(&err);
  po_progress_begin(&j->progress, name, p->opts.sweeps);
  for (good = 0; fvi->sweeps < p->opts.sweeps && !good; good = fvi->change <= p->opts.tolerance) {
    po_fvi_sweep(fvi);
    po_progress_count(&j->progress, fvi->sweeps, p->opts.sweeps, "sweeps");
  }
  po_progress_end(&j->progress);
  for (i = 0; i < problem.states * fvi->samples; i++)
    if (fvi->action[i] == 255) fvi->action[i] = 0; /* a state that was never tried has no better */
  if (p->page) po_policy_page_task(p->page, fvi);
  po_jw_object(&p->report, name);
  po_jw_int(&p->report, "samples", fvi->samples);
  po_jw_int(&p->report, "sweeps", fvi->sweeps);
  po_jw_number(&p->report, "value_change", fvi->change);
  po_jw_number(&p->report, "wall_seconds", po_cli_clock() - started);
  po_jw_end(&p->report);
  i = po_policy_add(p->policy, &problem.task, fvi->action, &err) == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
  if (!good) po_cli_fail("plan: %s: values still change by %g after %d sweeps", name, fvi->change, fvi->sweeps);
  po_fvi_free(fvi);
  return i;
}

/* "heading:41+heading-speed": one after the other, some with samples of their own. */
static int policy_tasks(policy_job *p, explore_job *j, const char *tasks) {
  po_fvi_step *steps;
  char name[2 * PO_TASK_NAME], *colon;
  int count, samples[PO_TASK_AXES], code = PO_EXIT_GOOD;
  if (po_explore_steps(&steps, &count, j->x, p->risk) != PO_OK) return po_cli_fail("plan: the exploration has tried nothing yet");
  while (!code && *tasks) {
    size_t n = strcspn(tasks, "+");
    po_format(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), tasks);
    memcpy(samples, p->samples, sizeof samples);
    if ((colon = strchr(name, ':')) != NULL) *colon++ = 0;
    code = colon && !policy_samples(samples, colon) ? PO_EXIT_USAGE : policy_task(p, j, steps, count, name, samples);
    tasks += n + (tasks[n] == '+');
  }
  po_free(steps);
  return code;
}

static int policy_write(po_args *args, policy_job *p, po_buffer *report) {
  po_buffer file = {0};
  int code = po_policy_write(&file, p->policy) == PO_OK ? po_cli_write(po_args_string(args, "out", "-"), &file) : po_cli_fail("plan: out of memory");
  po_jw_int(&p->report, "bytes", (long long)file.size);
  po_jw_hex(&p->report, "hash", po_hash(file.data, file.size, 0));
  po_jw_end(&p->report);
  po_buffer_puts(report, "\n");
  if (!code && po_args_has(args, "json")) code = po_cli_write(po_args_string(args, "json", "-"), report);
  else if (!code) po_cli_print("%d states, %d tasks, %zu bytes\n", p->policy->states, p->policy->tasks, file.size);
  po_buffer_free(&file);
  return code;
}

static int policy_run(po_args *args, explore_job *j, policy_job *p) {
  static const char *const updates[] = {"batch", "in-place"};
  const char *update = po_plan_text(args, "update", updates[0]);
  po_buffer report = {0}, html = {0};
  po_policy_page page;
  po_error err;
  int code;
  p->opts = po_fvi_opts_default();
  p->opts.alpha = po_plan_number(args, "alpha", p->opts.alpha, 0.05, 1);
  p->opts.gamma = po_plan_number(args, "gamma", p->opts.gamma, 0.5, 0.999);
  p->risk = po_plan_number(args, "risk", 0, 0, 1);
  p->opts.sweeps = (int)po_plan_number(args, "sweeps", p->opts.sweeps, 1, 1000);
  p->opts.tolerance = po_plan_number(args, "tolerance", p->opts.tolerance, 1e-9, 1);
  if (!policy_samples(p->samples, po_plan_text(args, "samples", ""))) return PO_EXIT_USAGE;
  p->opts.in_place = !strcmp(update, updates[1]);
  if (args->failed) return PO_EXIT_USAGE;
  if (strcmp(update, updates[p->opts.in_place])) return po_cli_fail("plan: update=%s: batch or in-place", update);
  if (!po_args_has(args, "in") || !po_args_has(args, "out")) return po_cli_fail("plan policy: --in EXPLORATION and --out FILE are needed");
  if ((code = explore_open(args, j)) != PO_EXIT_GOOD) return code;
  if (!j->x->expanded) return po_cli_fail("plan: the exploration has tried nothing yet");
  if (po_policy_new(&p->policy, j->model, &j->actions, j->x->feature, j->x->expanded, &err) != PO_OK) return po_cli_error(&err);
  policy_usual_steps(p->policy, j->x);
  po_jw_init(&p->report, &report, 1);
  po_jw_object(&p->report, NULL);
  explore_report(&p->report, j);
  if (po_args_has(args, "html")) po_policy_page_begin(p->page = &page, j->x);
  code = policy_tasks(p, j, po_plan_text(args, "task", "heading"));
  if (!code) code = policy_write(args, p, &report);
  if (p->page) po_policy_page_end(&html, p->page);
  if (p->page && !code) code = po_cli_write(po_args_string(args, "html", "-"), &html);
  po_buffer_free(&html);
  po_buffer_free(&report);
  return code;
}

int po_plan_policy(po_args *args) {
  static const char *const names[] = {"actions", "task", "samples", "alpha", "gamma", "risk", "sweeps", "tolerance", "update", NULL};
  explore_job *j;
  policy_job p;
  int code;
  if (!po_plan_knows(args, names)) return PO_EXIT_USAGE;
  memset(&p, 0, sizeof p);
  if (!(j = po_alloc(sizeof *j))) return po_cli_fail("plan: out of memory");
  j->started = po_cli_clock();
  code = policy_run(args, j, &p);
  po_policy_free(p.policy);
  explore_close(j);
  po_free(j);
  return code;
}
