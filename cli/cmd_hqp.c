/* cmd_hqp.c: `poise hqp FILE.hqp`: solves the prioritized problems of a file, one after the other. */
#include "methods.h"

#include <string.h>

static const po_option hqp_options[] = {
    PO_OPTION_METHODS,
    {"max-iterations", "N", "changes of the working set, at most (default: from the size)"},
    {"no-second-opinion", NULL, "where lexicographic gets stuck or reaches --max-iterations, do not let reparam answer"},
    {"warm", NULL, "start each problem from the answer to the one before"},
    {"full", NULL, "add x, and of each level what is active, its residuals, what blocked it and its share of the time"},
    {"json", "FILE", "write the report to FILE, - for standard output (default -)"},
    PO_OPTION_SIMD,
    {NULL, NULL, NULL}};

typedef struct hqp_job {
  po_hqp_solver *solver;
  po_hqp_opts opts;
  const po_hqp *problem; /* the one at hand */
  po_hqp_result result;
  unsigned char *state; /* of the solver before the problem at hand, so that it can be solved again from the same start */
  size_t state_bytes;
  int full, failed;
} hqp_job;

static po_status hqp_back(void *user) {
  hqp_job *job = (hqp_job *)user;
  return po_hqp_restore(job->solver, job->state, job->state_bytes);
}
static po_status hqp_once(void *user) {
  hqp_job *job = (hqp_job *)user;
  return po_hqp_solve(&job->result, job->solver, job->problem, &job->opts);
}

/* The solve, timed from the state before the problem. */
static po_status hqp_timed(hqp_job *job, const po_hqp *p, double *micros) {
  po_status status;
  job->problem = p;
  po_hqp_save(job->state, job->state_bytes, job->solver);
  status = po_cli_time(micros, hqp_back, hqp_once, job);
  if (status == PO_OK && job->full) { /* once more with the clock on */
    job->opts.clock = po_cli_clock;
    status = hqp_back(job);
    if (status == PO_OK) status = hqp_once(job);
    job->opts.clock = NULL;
  }
  return status;
}

static void hqp_put_profile(po_jw *w, const po_hqp_profile *p) {
  po_jw_object(w, "profile_us");
  po_jw_number(w, "factor", 1e6 * p->factor);
  po_jw_number(w, "update", 1e6 * p->update);
  po_jw_number(w, "multipliers", 1e6 * p->multipliers);
  po_jw_number(w, "solve", 1e6 * p->solve);
  po_jw_number(w, "qp", 1e6 * p->qp);
  po_jw_number(w, "null_space", 1e6 * p->null_space);
  po_jw_number(w, "other", 1e6 * p->other);
  po_jw_end(w);
}

static void hqp_put_level(po_jw *w, const po_hqp_level *level, const po_hqp_level_result *r, const po_hqp_profile *profile, int full) {
  int i;
  po_jw_object(w, NULL);
  po_jw_string(w, "name", level->name);
  po_jw_int(w, "rank", r->rank);
  po_jw_number(w, "violation", r->violation);
  po_jw_number(w, "kkt", r->kkt);
  if (full) {
    if (r->blocked_by >= 0) po_jw_int(w, "blocked_by", r->blocked_by);
    else po_jw_null(w, "blocked_by");
    po_jw_array(w, "active");
    for (i = 0; i < level->rows; i++) po_jw_int(w, NULL, r->active[i]);
    po_jw_end(w);
    po_jw_doubles(w, "multiplier", r->multiplier, level->rows);
    hqp_put_profile(w, profile);
  }
  po_jw_end(w);
}

static void hqp_put(po_jw *w, const po_hqp *p, const po_hqp_result *r, double micros, int full) {
  int k;
  po_jw_object(w, NULL);
  po_jw_string(w, "name", p->name);
  po_jw_string(w, "status", po_hqp_status_string(r->status));
  po_jw_bool(w, "proof", r->proof);
  po_jw_array(w, "levels");
  for (k = 0; k < r->level_count; k++) hqp_put_level(w, &p->levels[k], &r->levels[k], &r->profile[k], full);
  po_jw_end(w);
  po_jw_int(w, "iterations", r->iterations);
  po_jw_number(w, "micros", micros);
  po_jw_bool(w, "second_opinion", r->second_opinion);
  po_jw_bool(w, "rescaled", r->rescaled);
  po_jw_int(w, "widened", r->widened);
  if (full) {
    po_jw_int(w, "factorizations", r->factorizations);
    po_jw_bool(w, "warm", r->warm);
    po_jw_int(w, "free_dimensions", r->free_dimensions);
    po_jw_number(w, "flops", r->flops);
    po_jw_doubles(w, "x", r->x, p->n);
  }
  po_jw_end(w);
}

/* One solver large enough for every problem of the file. */
static po_status hqp_make(hqp_job *job, const po_hqp_file *file) {
  int n = 0, levels = 0, rows = 0, i, k;
  po_status status;
  for (i = 0; i < file->count; i++) {
    int sum = 0;
    for (k = 0; k < file->problems[i].level_count; k++) sum += file->problems[i].levels[k].rows;
    if (sum > rows) rows = sum;
    if (file->problems[i].n > n) n = file->problems[i].n;
    if (file->problems[i].level_count > levels) levels = file->problems[i].level_count;
  }
  status = po_hqp_new(&job->solver, n, levels, rows);
  if (status != PO_OK) return status;
  job->state_bytes = po_hqp_save_bytes(job->solver);
  job->state = (unsigned char *)po_alloc(job->state_bytes);
  return job->state ? PO_OK : PO_ERR_MEMORY;
}

static int hqp_solve_all(hqp_job *job, const po_hqp_file *file, const char *path, po_buffer *text) {
  po_jw w;
  int i;
  po_jw_init(&w, text, 1);
  po_jw_object(&w, NULL);
  po_jw_array(&w, "problems");
  for (i = 0; i < file->count; i++) {
    double micros = 0;
    po_status status = hqp_timed(job, &file->problems[i], &micros);
    if (status != PO_OK) return po_cli_fail("hqp: %s: problem %s: %s", path, file->problems[i].name, po_status_string(status));
    hqp_put(&w, &file->problems[i], &job->result, micros, job->full);
    job->failed |= job->result.status == PO_HQP_ITERATION_LIMIT || job->result.status == PO_HQP_NUMERICAL;
  }
  po_jw_end(&w);
  po_jw_end(&w);
  po_buffer_puts(text, "\n");
  return PO_EXIT_GOOD;
}

static int hqp_run(po_args *args) {
  const char *path = args->arg[0];
  po_hqp_file *file = NULL;
  po_buffer out = {0};
  hqp_job job;
  po_error err;
  po_status status;
  char *text;
  size_t size;
  int code;
  memset(&job, 0, sizeof job);
  job.opts = po_hqp_opts_default();
  po_args_methods(args, &job.opts);
  job.opts.warm = po_args_has(args, "warm");
  job.opts.max_iterations = po_args_int(args, "max-iterations", 0, 0, 1000000);
  job.opts.second_opinion = !po_args_has(args, "no-second-opinion");
  job.full = po_args_has(args, "full");
  po_args_simd(args);
  if (args->failed) return PO_EXIT_USAGE;
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return po_cli_error(&err);
  status = po_hqp_read(&file, text, size, path, &err);
  po_free(text);
  if (status != PO_OK) return po_cli_error(&err);
  status = hqp_make(&job, file);
  if (status != PO_OK) code = po_cli_fail("hqp: %s: %s", path, po_status_string(status));
  else code = hqp_solve_all(&job, file, path, &out);
  if (code == PO_EXIT_GOOD) code = po_cli_write(po_args_string(args, "json", "-"), &out);
  po_buffer_free(&out);
  po_free(job.state);
  po_hqp_free(job.solver);
  po_hqp_file_free(file);
  return code != PO_EXIT_GOOD ? code : job.failed ? PO_EXIT_FAILED : PO_EXIT_GOOD;
}

static const char hqp_help[] =
    "Prints one JSON object with a list of problems: status, iterations, micros, and for each level its rank in what the levels above\n"
    "leave free, its violation (2-norm of max(l-Ax, 0, Ax-u)) and how far it is from being provably optimal (kkt).\n"
    "status is optimal or infeasible (the hard level cannot hold; exit 0), iteration_limit or numerical (exit 1); of weighted it is about its own\n"
    "cost, and kkt tells what the weights cost the levels. proof: every level was proven, from multipliers, row by row and unknown by unknown.\n"
    "second_opinion: lexicographic got stuck and reparam answered in its place. rescaled: the unknowns were taken in other units, as those at hand\n"
    "are too far apart. widened: times lexicographic made its tolerances ten times wider.\n"
    "micros is the median of repeated solves, each from the state before the problem: cold, or with --warm the answer to the one\n"
    "before. In a hard level, rows with equal bounds are the top objective of reparam and the others its constraints.\n";

const po_command po_cmd_hqp = {"hqp", "FILE.hqp [options]", "solve prioritized least-squares problems", hqp_help, hqp_options, 1, 1, hqp_run};
