/* cmd_ddp.c: `poise ddp`: solves a trajectory problem, from a textbook or a momentum file, and prints the answer's certificate. */
#include "../bench/textbook.h"
#include "cli.h"

#include <string.h>

static const char *const ddp_methods[] = {"auto", "active", "interior"};
static const char *const ddp_derivatives[] = {"full", "gauss-newton"};
static const po_option ddp_options[] = {
    {"method", "auto|active|interior", "how bounds are kept (default auto: active, interior when that makes no headway)"},
    {"derivatives", "full|gauss-newton", "with or without the second derivatives of the dynamics (default full)"},
    {"set", "NAME=VALUE", "u_max of a textbook problem; mass, dt, w_force, w_rays, time (0 fixed, 1 stretch, 2 append) of a file"},
    {"iterations", "N", "at most so many (default 500)"},
    {"full", NULL, "add x, u, mu and p"},
    {"json", "FILE", "write the report to FILE, - for standard output (default -)"},
    PO_OPTION_SIMD,
    {NULL, NULL, NULL}};

/* The problem, wherever it came from, and one solve of it. */
typedef struct ddp_job {
  po_ddp_textbook *book;
  po_momentum *momentum;
  void *memory;  /* of the momentum problem */
  double *guess; /* its inverse dynamics */
  unsigned char free_parameters[1];
  po_ddp_problem problem;
  po_ddp_start start;
  po_ddp_opts opts;
  po_ddp *solver;
  po_ddp_result result;
  const char *name;
} ddp_job;

static po_status ddp_once(void *user) {
  ddp_job *job = (ddp_job *)user;
  return po_ddp_solve(&job->result, job->solver, &job->problem, &job->opts, &job->start);
}

/* ---- NAME=VALUE ------------------------------------------------------------------------------------------------------------ */

/* The value of --set NAME=VALUE, the last one given; the fallback when there is none. */
static double ddp_setting(po_args *args, const char *name, double fallback) {
  size_t length = strlen(name);
  for (int i = 0; i < po_args_count(args, "set"); i++) {
    const char *text = po_args_at(args, "set", i);
    if (strncmp(text, name, length) != 0 || text[length] != '=') continue;
    if (!po_cli_numbers(&fallback, NULL, 1, text + length + 1)) {
      po_cli_fail("ddp: --set %s: '%s' is not a number", name, text + length + 1);
      args->failed = 1;
    }
  }
  return fallback;
}

/* Every NAME must be one of these. */
static int ddp_settings_known(po_args *args, const char *const *names, int count) {
  for (int i = 0; i < po_args_count(args, "set"); i++) {
    const char *text = po_args_at(args, "set", i), *equals = strchr(text, '=');
    int known = 0;
    for (int j = 0; j < count && equals; j++)
      known |= (size_t)(equals - text) == strlen(names[j]) && strncmp(text, names[j], (size_t)(equals - text)) == 0;
    if (!equals) po_cli_fail("ddp: --set %s: expected NAME=VALUE", text);
    else if (!known && count == 1) po_cli_fail("ddp: --set %s: a textbook problem has only %s", text, names[0]);
    else if (!known) po_cli_fail("ddp: --set %s: a file's problem has mass, dt, w_force, w_rays and time", text);
    if (!known) return 0;
  }
  return 1;
}

/* ---- problems ------------------------------------------------------------------------------------------------------------------
 * */

static int ddp_load_book(ddp_job *job, po_args *args) {
  static const char *const names[] = {"u_max"};
  po_error err;
  double u_max = ddp_setting(args, "u_max", PO_INF);
  if (args->failed || !ddp_settings_known(args, names, 1)) return PO_EXIT_USAGE;
  if (po_ddp_textbook_new(&job->book, job->name, u_max, &err) != PO_OK) return po_cli_error(&err);
  job->problem = job->book->problem;
  job->start.u = job->book->guess;
  return PO_EXIT_GOOD;
}

static int ddp_load_file(ddp_job *job, po_args *args) {
  static const char *const names[] = {"mass", "dt", "w_force", "w_rays", "time"};
  const char *path = args->arg[0];
  po_error err;
  po_status status;
  po_momentum *m;
  char *text;
  size_t size;
  double time;
  if (!ddp_settings_known(args, names, 5)) return PO_EXIT_USAGE;
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return po_cli_error(&err);
  status = po_momentum_read(&job->momentum, text, size, path, &err);
  po_free(text);
  if (status != PO_OK) return po_cli_error(&err);
  m = job->momentum;
  m->mass = ddp_setting(args, "mass", m->mass);
  m->dt = ddp_setting(args, "dt", m->dt);
  m->w_force = ddp_setting(args, "w_force", m->w_force);
  m->w_rays = ddp_setting(args, "w_rays", m->w_rays);
  time = ddp_setting(args, "time", (double)m->time);
  if (args->failed) return PO_EXIT_USAGE;
  if (time != 0 && time != 1 && time != 2)
    return po_cli_fail("ddp: --set time: 0 is fixed, 1 stretches all frames, 2 the last one");
  m->time = (po_momentum_time)(int)time;
  job->memory = po_alloc(po_momentum_problem_bytes(m));
  if (!job->memory) return po_cli_fail("ddp: out of memory");
  if (po_momentum_problem(&job->problem, m, job->memory, po_momentum_problem_bytes(m), &err) != PO_OK)
    return po_cli_fail("%s: %s", path, err.message);
  job->name = m->name;
  job->guess = (double *)po_alloc(sizeof(double) * (size_t)m->frames * (size_t)job->problem.size.nu);
  if (!job->guess) return po_cli_fail("ddp: out of memory");
  job->start.u = job->guess;
  if (m->time != PO_MOMENTUM_TIME_FIXED && job->problem.size.np == 1) {
    job->free_parameters[0] = 1;
    job->problem.p_free = job->free_parameters;
  }
  status = po_momentum_guess(job->guess, &job->problem, m);
  return status == PO_OK ? PO_EXIT_GOOD : po_cli_fail("%s: inverse dynamics: %s", path, po_status_string(status));
}

static int ddp_is_book(const char *name) {
  for (int i = 0; i < PO_DDP_TEXTBOOK_COUNT; i++)
    if (strcmp(name, po_ddp_textbook_names[i]) == 0) return 1;
  return 0;
}

/* A word without a dot or a slash was meant as a name. */
static int ddp_load(ddp_job *job, po_args *args) {
  const char *word = args->arg[0], *near;
  job->name = word;
  if (ddp_is_book(word)) return ddp_load_book(job, args);
  if (strchr(word, '.') || strchr(word, '/')) return ddp_load_file(job, args);
  near = po_nearest(word, po_ddp_textbook_names, PO_DDP_TEXTBOOK_COUNT);
  if (near) return po_cli_fail("ddp: there is no problem '%s'; did you mean '%s'?", word, near);
  return po_cli_fail("ddp: there is no problem '%s'; there are lqr, pendulum, cart-pole, car and files FILE.json", word);
}

/* ---- the report
 * ---------------------------------------------------------------------------------------------------------------------- */

static int ddp_report(const ddp_job *job, double micros, po_args *args) {
  const po_ddp_result *r = &job->result;
  const po_ddp_sizes *s = &job->problem.size;
  po_buffer text = {0};
  po_jw w;
  int code;
  po_jw_init(&w, &text, 1);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "problem", job->name);
  po_jw_string(&w, "status", po_ddp_status_string(r->status));
  po_jw_string(&w, "method", po_ddp_method_string(r->method));
  po_jw_string(&w, "derivatives", ddp_derivatives[job->opts.gauss_newton]);
  po_jw_int(&w, "iterations", r->iterations);
  po_jw_int(&w, "sweeps", r->sweeps);
  po_jw_int(&w, "rollouts", r->rollouts);
  po_jw_number(&w, "cost", r->cost);
  po_jw_number(&w, "goal_error", r->goal_error);
  po_jw_number(&w, "stationarity", r->stationarity);
  po_jw_number(&w, "complementarity", r->complementarity);
  po_jw_number(&w, "curvature_min", r->curvature_min);
  po_jw_number(&w, "micros", micros);
  po_jw_hex(&w, "hash", po_ddp_hash(job->solver));
  if (s->np) po_jw_doubles(&w, "p", r->p, s->np);
  if (po_args_has(args, "full")) {
    if (s->ng) po_jw_doubles(&w, "mu", r->mu, s->ng);
    po_jw_array(&w, "x");
    for (int k = 0; k <= s->frames; k++) po_jw_doubles(&w, NULL, r->x + (size_t)k * (size_t)s->nx, s->nx);
    po_jw_end(&w);
    po_jw_array(&w, "u");
    for (int k = 0; k < s->frames; k++)
      po_jw_doubles(&w, NULL, r->u + (size_t)k * (size_t)s->nu, po_ddp_controls(&job->problem, k));
    po_jw_end(&w);
  }
  po_jw_end(&w);
  po_buffer_puts(&text, "\n");
  code = po_cli_write(po_args_string(args, "json", "-"), &text);
  po_buffer_free(&text);
  if (code != PO_EXIT_GOOD) return code;
  return r->status == PO_DDP_OPTIMAL ? PO_EXIT_GOOD : PO_EXIT_FAILED;
}

static int ddp_run_command(po_args *args) {
  ddp_job job;
  double micros = 0;
  int code;
  memset(&job, 0, sizeof job);
  job.opts = po_ddp_opts_default();
  job.opts.method = (po_ddp_method)po_args_choice(args, "method", ddp_methods, 3, 0);
  job.opts.gauss_newton = po_args_choice(args, "derivatives", ddp_derivatives, 2, 0);
  job.opts.max_iterations = po_args_int(args, "iterations", job.opts.max_iterations, 0, 1000000);
  po_args_simd(args);
  if (args->failed) return PO_EXIT_USAGE;
  code = ddp_load(&job, args);
  if (code == PO_EXIT_GOOD) {
    po_status status = po_ddp_new(&job.solver, job.problem.size);
    if (status == PO_OK) status = po_cli_time(&micros, NULL, ddp_once, &job);
    code = status == PO_OK ? ddp_report(&job, micros, args) : po_cli_fail("ddp: %s: %s", args->arg[0], po_status_string(status));
  }
  po_ddp_free(job.solver);
  po_free(job.guess);
  po_free(job.memory);
  po_momentum_free(job.momentum);
  po_ddp_textbook_free(job.book);
  return code;
}

static const char ddp_help[] =
    "Problems: lqr, pendulum, cart-pole, car, or a momentum problem FILE.json (docs/ddp.md). Prints one JSON object: problem, "
    "status,\n"
    "iterations (steps taken), sweeps (backward passes), cost, goal_error (in the goal's own units), stationarity, "
    "complementarity,\n"
    "curvature_min (least eigenvalue of Quu over the free controls), micros (median of repeated cold solves).\n"
    "status is optimal (exit 0), goal_unreachable, iteration_limit or numerical (exit 1).\n"
    "  poise ddp pendulum --set u_max=3\n";

const po_command po_cmd_ddp = {"ddp",
                               "lqr|pendulum|cart-pole|car|FILE.json [options]",
                               "solve a trajectory problem by dynamic programming",
                               ddp_help,
                               ddp_options,
                               1,
                               1,
                               ddp_run_command};
