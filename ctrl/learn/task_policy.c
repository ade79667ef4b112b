/* task_policy.c: an action for every state and goal. */
#include "learn_internal.h"
#include <string.h>

po_status po_policy_new(po_policy **policy, const po_model *model, const po_actions *actions, const float *features, int states, po_error *err) {
  po_policy *p;
  po_status st;
  size_t bytes;
  if (!policy || !model || !actions || !features) return po_fail(err, PO_ERR_NULL, "a policy needs a model, actions and states");
  *policy = NULL;
  if (states < 1) return po_fail(err, PO_ERR_SIZE, "a policy needs states");
  if (!(p = po_alloc(sizeof *p))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = po_metric_init(&p->metric, model, &actions->weights, err)) == PO_OK) {
    bytes = sizeof(float) * (size_t)p->metric.features * (size_t)states;
    memcpy(p->actions_name, actions->name, sizeof p->actions_name);
    memcpy(p->body, actions->body, sizeof p->body);
    p->actions_hash = po_actions_hash(actions);
    p->model_hash = po_model_hash(model);
    p->states = states;
    p->actions = actions->actions;
    if (!(p->feature = po_alloc(bytes))) st = PO_ERR_MEMORY;
    else memcpy(p->feature, features, bytes);
    if (st == PO_OK) st = po_near_new(&p->near, &p->metric, p->feature, states);
    if (st != PO_OK) po_fail(err, st, "policy: %s", po_status_string(st));
  }
  if (st != PO_OK) po_policy_free(p);
  else *policy = p;
  return st;
}

void po_policy_free(po_policy *p) {
  int i;
  if (!p) return;
  for (i = 0; i < p->tasks; i++) po_free(p->table[i].action);
  po_near_free(p->near);
  po_free(p->feature);
  po_free(p);
}

static int policy_table(const po_policy *p, po_task_kind kind) {
  int i;
  for (i = 0; i < p->tasks && p->table[i].task.kind != kind; i++) {}
  return i;
}

const po_task *po_policy_task(const po_policy *p, po_task_kind kind) {
  int i = policy_table(p, kind);
  return i < p->tasks ? &p->table[i].task : NULL;
}

po_status po_policy_add(po_policy *p, const po_task *task, const unsigned char *action, po_error *err) {
  size_t n, i;
  unsigned char *copy;
  int at;
  if (!p || !task || !action) return po_fail(err, PO_ERR_NULL, "a policy needs a task");
  n = (size_t)po_task_samples(task) * (size_t)p->states;
  for (i = 0; i < n; i++)
    if (action[i] >= p->actions) return po_fail(err, PO_ERR_RANGE, "the policy chooses action %d of %d", action[i], p->actions);
  if (!(copy = po_alloc(n))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memcpy(copy, action, n);
  at = policy_table(p, task->kind);
  if (at == p->tasks) p->tasks++;
  po_free(p->table[at].action);
  p->table[at].task = *task;
  p->table[at].action = copy;
  return PO_OK;
}

int po_policy_choose(double *distance, const po_policy *p, po_task_kind kind, const float *features, const double *w) {
  int at = policy_table(p, kind), nearest;
  double d;
  if (at == p->tasks || !po_near_find(&nearest, &d, 1, p->near, features)) return -1;
  if (distance) *distance = d;
  return p->table[at].action[(size_t)nearest * (size_t)po_task_samples(&p->table[at].task) + (size_t)po_task_nearest(&p->table[at].task, w)];
}
