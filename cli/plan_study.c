/* plan_study.c: `poise plan study`: what a policy loses with fewer states, goals or actions (Coros 2010, table 4.3; docs/task-policies.md). */
#include "../ctrl/plan/plan.h"
#include "plan.h"
#include <string.h>

#define STUDY_CELLS 5

typedef struct study_job {
  const po_model *model;
  po_actions actions;
  po_exploration *x;
  int expanded, kind;
  po_fvi *best;              /* all states, most samples, all actions */
  po_fvi_step *best_step;
  po_task best_task;
} study_job;

static int study_open(po_args *args, study_job *j) {
  char *bytes;
  size_t size;
  po_error err;
  po_status st;
  const char *in = po_args_string(args, "in", NULL), *task = po_plan_text(args, "task", "line");
  if (!in) return po_cli_fail("plan study: --in EXPLORATION is needed");
  if ((j->kind = po_task_find(task)) < 0) return po_cli_fail("plan: there is no task '%s'", task);
  if (po_actions_load(&j->actions, po_plan_text(args, "actions", "bird-line"), &err) != PO_OK || po_body_model(&j->model, j->actions.body, &err) != PO_OK ||
      po_read_file(&bytes, &size, in, (size_t)1 << 31, &err) != PO_OK)
    return po_cli_error(&err);
  st = po_explore_read(&j->x, j->model, &j->actions, bytes, size, in, &err);
  po_free(bytes);
  if (st != PO_OK) return po_cli_error(&err);
  j->expanded = j->x->expanded;
  return j->expanded >= 10 ? PO_EXIT_GOOD : po_cli_fail("plan study: the exploration has too few states");
}

/* The policy of the first n states, of some of the actions (spread over the set). */
static int study_solve(po_fvi **fvi, po_fvi_step **steps, study_job *j, int states, int samples, int actions) {
  po_fvi_problem problem;
  po_task_reward reward;
  po_fvi_opts opts = po_fvi_opts_default();
  po_error err;
  int n[PO_TASK_AXES], i, k, all = j->actions.actions, count, code = PO_EXIT_GOOD;
  for (i = 0; i < PO_TASK_AXES; i++) n[i] = samples;
  memset(&problem, 0, sizeof problem);
  if (po_task_make(&problem.task, (po_task_kind)j->kind, n, 1) != PO_OK) return po_cli_fail("plan study: this task has too many goals");
  j->x->expanded = states;
  j->x->tried = states * all;
  if (po_explore_steps(steps, &count, j->x, 0) != PO_OK) return po_cli_fail("plan: out of memory");
  for (i = 0; i < count && actions < all; i++) {
    int kept = 0;
    for (k = 0; k < actions; k++) kept |= (*steps)[i].action == (int)((double)k * (all - 1) / (actions - 1) + 0.5);
    if (!kept) (*steps)[i].trusted = 0;
  }
  reward = po_task_reward_of(j->x, &problem.task);
  problem.states = states;
  problem.steps = count;
  problem.step = *steps;
  problem.reward = po_task_reward_at;
  problem.user = &reward;
  problem.ends = po_task_ends((po_task_kind)j->kind);
  if (po_fvi_new(fvi, &problem, &opts, &err) != PO_OK) code = po_cli_error(&err);
  else po_fvi_solve(*fvi);
  return code;
}

/* The mean difference of the values from the best ones, at the best one's states and goals. */
static double study_error(const study_job *j, const po_fvi *f) {
  const float *feature = j->x->feature;
  double sum = 0, w[PO_TASK_AXES], d[PO_FVI_NEIGHBOURS], total;
  po_near *near;
  int s, g, k;
  if (po_near_new(&near, &j->x->metric, feature, f->problem.states) != PO_OK) return PO_NAN;
  for (s = 0; s < j->expanded; s++) {
    po_fvi_step here;
    memset(&here, 0, sizeof here);
    here.trusted = 1;
    here.neighbours = po_near_find(here.neighbour, d, PO_FVI_NEIGHBOURS, near, feature + (size_t)s * (size_t)j->x->metric.features);
    if (!(d[0] > 0)) here.neighbours = 1;
    for (k = 0, total = 0; k < here.neighbours; k++) total += here.weight[k] = d[0] > 0 ? 1 / (d[k] * d[k]) : 1;
    for (k = 0; k < here.neighbours; k++) here.weight[k] /= total;
    for (g = 0; g < j->best->samples; g++) {
      po_task_at(w, &j->best_task, g);
      sum += po_abs(po_fvi_value(f, &here, w) - j->best->value[(size_t)s * (size_t)j->best->samples + (size_t)g]);
    }
  }
  po_near_free(near);
  return sum / ((double)j->expanded * j->best->samples);
}

static int study_cell(study_job *j, double *error, int states, int samples, int actions) {
  po_fvi *f = NULL;
  po_fvi_step *steps = NULL;
  int code = study_solve(&f, &steps, j, states, samples, actions);
  if (!code) *error = study_error(j, f);
  po_fvi_free(f);
  po_free(steps);
  return code;
}

static int study_run(po_args *args, study_job *j) {
  static const int samples[STUDY_CELLS] = {81, 57, 32, 25, 17}; /* table 4.3 */
  static const double share[STUDY_CELLS] = {1, 4000 / 4806.0, 3000 / 4806.0, 2000 / 4806.0, 1000 / 4806.0}, kept[4] = {1, 10 / 13.0, 7 / 13.0, 4 / 13.0};
  int code = study_open(args, j), i, k;
  double error = 0;
  if (!code) code = study_solve(&j->best, &j->best_step, j, j->expanded, samples[0], j->actions.actions);
  if (code) return code;
  j->best_task = j->best->problem.task;
  po_cli_print("%s, %s: mean value error\nstates \\ goals", j->actions.name, po_task_names[j->kind]);
  for (k = 0; k < STUDY_CELLS; k++) po_cli_print(" %7d", samples[k]);
  po_cli_print("\n");
  for (i = 0; i < STUDY_CELLS && !code; i++) {
    po_cli_print("%14d", (int)(share[i] * j->expanded + 0.5));
    for (k = 0; k < STUDY_CELLS && !code; k++) {
      code = study_cell(j, &error, (int)(share[i] * j->expanded + 0.5), samples[k], j->actions.actions);
      po_cli_print(" %7.3f", error);
    }
    po_cli_print("\n");
  }
  for (k = 0; k < 4 && !code; k++) {
    int n = (int)(kept[k] * j->actions.actions + 0.5);
    code = study_cell(j, &error, j->expanded, samples[0], n);
    po_cli_print("%d actions: %.3f\n", n, error);
  }
  return code;
}

int po_plan_study(po_args *args) {
  static const char *const names[] = {"actions", "task", NULL};
  study_job *j;
  int code;
  if (!po_plan_knows(args, names)) return PO_EXIT_USAGE;
  if (!(j = po_alloc(sizeof *j))) return po_cli_fail("plan: out of memory");
  code = study_run(args, j);
  po_fvi_free(j->best);
  po_free(j->best_step);
  po_explore_free(j->x);
  po_model_free(j->model);
  po_free(j);
  return code;
}
