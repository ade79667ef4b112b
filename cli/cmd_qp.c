/* cmd_qp.c: `poise qp FILE.qps`: solves one quadratic program and prints the answer with its certificate. */
#include "../qp/qp.h"
#include "cli.h"

#include <string.h>

static const char *const qp_methods[] = {"active_set", "interior_point"};
static const char *const qp_presets[] = {"fast", "balanced", "robust"};
static const po_option qp_options[] = {
    {"method", "active_set|interior_point", "how to solve (default active_set)"},
    {"preset", "fast|balanced|robust", "tolerances and effort (default balanced)"},
    {"full", NULL, "add columns, x, rows, y and w, in the file's order"},
    {"json", "FILE", "write the report to FILE, - for standard output (default -)"},
    PO_OPTION_SIMD,
    {NULL, NULL, NULL}};

typedef struct qp_job {
  po_qp_solver *solver;
  const po_qp *problem;
  const po_qp_opts *opts;
  po_qp_result result;
} qp_job;

static po_status qp_once(void *user) {
  qp_job *job = (qp_job *)user;
  return po_qp_solve(&job->result, job->solver, job->problem, job->opts, NULL);
}

static void qp_conflict(po_jw *w, const po_qp *p, const po_qp_result *r) {
  int i;
  po_jw_array(w, "conflict");
  for (i = 0; i < r->conflict_count; i++) {
    int k = r->conflict[i], rows = p->me + p->mi;
    po_jw_string(w, NULL, k < rows ? p->row_names[k] : p->var_names[k - rows]);
  }
  po_jw_end(w);
}

static void qp_full(po_jw *w, const po_qp_file *f, const po_qp_result *r) {
  const po_qp *p = &f->qp;
  int i, rows = p->me + p->mi;
  po_jw_array(w, "columns");
  for (i = 0; i < p->n; i++) po_jw_string(w, NULL, p->var_names[i]);
  po_jw_end(w);
  po_jw_doubles(w, "x", r->x, p->n);
  po_jw_array(w, "rows");
  for (i = 0; i < rows; i++) po_jw_string(w, NULL, p->row_names[f->row_order[i]]);
  po_jw_end(w);
  po_jw_array(w, "y");
  for (i = 0; i < rows; i++) {
    int k = f->row_order[i];
    po_jw_number(w, NULL, k < p->me ? r->y[k] : r->z[k - p->me]);
  }
  po_jw_end(w);
  po_jw_doubles(w, "w", r->w, p->n);
  if (r->ray) po_jw_doubles(w, "ray", r->ray, p->n);
}

static int qp_report(const po_qp_file *f, const po_qp_opts *o, const po_qp_result *r, double micros, po_args *args) {
  po_buffer text = {0};
  po_jw w;
  int code;
  po_jw_init(&w, &text, 1);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "name", f->name);
  po_jw_string(&w, "method", po_qp_method_string(o->method));
  po_jw_string(&w, "status", po_qp_status_string(r->status));
  po_jw_number(&w, "objective", f->maximize ? -r->objective : r->objective);
  po_jw_number(&w, "primal_residual", r->primal_residual);
  po_jw_number(&w, "dual_residual", r->dual_residual);
  po_jw_number(&w, "gap", r->gap);
  po_jw_int(&w, "iterations", r->iterations);
  po_jw_number(&w, "micros", micros);
  if (r->status == PO_QP_INFEASIBLE) qp_conflict(&w, &f->qp, r);
  if (r->status != PO_QP_OPTIMAL) {
    char why[400];
    po_qp_explain(why, sizeof why, &f->qp, r);
    po_jw_string(&w, "message", why);
  }
  if (po_args_has(args, "full")) qp_full(&w, f, r);
  po_jw_end(&w);
  po_buffer_puts(&text, "\n");
  code = po_cli_write(po_args_string(args, "json", "-"), &text);
  po_buffer_free(&text);
  if (code != PO_EXIT_GOOD) return code;
  return r->status == PO_QP_ITERATION_LIMIT || r->status == PO_QP_NUMERICAL ? PO_EXIT_FAILED : PO_EXIT_GOOD;
}

static int qp_run(po_args *args) {
  int method = po_args_choice(args, "method", qp_methods, 2, 0), preset = po_args_choice(args, "preset", qp_presets, 3, 1), code;
  const char *path = args->arg[0];
  po_qp_opts opts;
  po_qp_file *file = NULL;
  qp_job job;
  po_error err;
  po_status status;
  char *text;
  size_t size;
  double micros = 0;
  po_args_simd(args);
  if (args->failed) return PO_EXIT_USAGE;
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return po_cli_error(&err);
  status = po_qps_read(&file, text, size, path, &err);
  po_free(text);
  if (status != PO_OK) return po_cli_error(&err);
  opts = po_qp_opts_preset(method == 0 ? PO_QP_ACTIVE_SET : PO_QP_INTERIOR_POINT,
                           preset == 0 ? PO_QP_FAST : preset == 2 ? PO_QP_ROBUST : PO_QP_BALANCED);
  memset(&job, 0, sizeof job);
  job.problem = &file->qp;
  job.opts = &opts;
  status = po_qp_new(&job.solver, file->qp.n, file->qp.me, file->qp.mi);
  if (status == PO_OK) status = po_cli_time(&micros, NULL, qp_once, &job);
  if (status != PO_OK) code = po_cli_fail("qp: %s: %s", path, po_status_string(status));
  else code = qp_report(file, &opts, &job.result, micros, args);
  po_qp_free(job.solver);
  po_qp_file_free(file);
  return code;
}

static const char qp_help[] =
    "Prints one JSON object: status, objective (the file's constant included), primal_residual, dual_residual, gap, iterations, micros.\n"
    "status is optimal, infeasible, unbounded, nonconvex (exit 0), iteration_limit or numerical (exit 1).\n"
    "Stationarity reads Hx + g = A'y + C'z + w, multipliers positive at a lower bound; for OBJSENSE MAX they belong to the\n"
    "negated objective. An infeasible problem lists the rows and columns that conflict. When it is infeasible y and w hold the\n"
    "Farkas ray; when unbounded or nonconvex, ray holds the direction. micros is the median of repeated cold solves.\n";

const po_command po_cmd_qp = {"qp", "FILE.qps [options]", "solve a quadratic program", qp_help, qp_options, 1, 1, qp_run};
