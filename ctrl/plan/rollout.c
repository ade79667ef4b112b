/* rollout.c: what would happen if: from one saved moment, with other parameters and pushes, as often as it is asked. */
#include "plan.h"

static int rollout_fell(const po_sim *s) {
  int k;
  for (k = 0; k < s->characters; k++)
    if (s->character[k].fall.at >= 0) return 1;
  return 0;
}

static po_status rollout_begin(po_sim *s, const po_trial *t, po_error *err) {
  po_status st = PO_OK;
  int i;
  po_sim_clear_pushes(s);
  if (t->start && (st = po_sim_restore(s, t->start, t->bytes)) != PO_OK) return po_fail(err, st, "the saved moment does not fit: %s", po_status_string(st));
  for (i = 0; i < t->sets && st == PO_OK; i++) {
    int k = t->set[i].character;
    if (k < 0 || k >= s->characters || !s->character[k].move) return po_fail(err, PO_ERR_RANGE, "character %d has no behaviour to set '%s' of", k, t->set[i].name);
    st = po_move_set(s->character[k].move, t->set[i].name, t->set[i].value, err);
  }
  for (i = 0; i < t->pushes && st == PO_OK; i++) {
    po_push p = t->push[i];
    p.time += s->time;
    st = po_sim_push(s, &p, err);
  }
  return st;
}

po_status po_rollout(po_trial_result *result, po_sim *s, const po_trial *t, po_trial_fn judge, void *user, po_error *err) {
  long first, most;
  int verdict = 0;
  po_status st;
  if (!result || !s || !t) return po_fail(err, PO_ERR_NULL, "a rollout needs a simulation and a trial");
  if (!(t->seconds >= 0 && t->seconds <= 1e9)) return po_fail(err, PO_ERR_RANGE, "a rollout of %g s: 0 ... 1e9 are possible", t->seconds);
  if ((st = rollout_begin(s, t, err)) != PO_OK) return st;
  first = s->steps;
  most = (long)(t->seconds / s->opts.dt + 0.5);
  while (s->steps - first < most && !verdict) {
    if ((st = po_sim_step(s, err)) != PO_OK) return st;
    verdict = judge ? judge(user, s, t, (double)(s->steps - first) * s->opts.dt) : rollout_fell(s);
  }
  result->verdict = verdict;
  result->steps = s->steps - first;
  result->time = (double)result->steps * s->opts.dt;
  result->fell = rollout_fell(s);
  result->hash = po_world_hash(s->world);
  return PO_OK;
}

po_status po_rollouts(po_trial_result *result, po_sim *s, const po_trial *t, int n, po_trial_fn judge, void *user, po_error *err) {
  po_status st = PO_OK;
  int i;
  for (i = 0; i < n && st == PO_OK; i++) st = po_rollout(&result[i], s, &t[i], judge, user, err);
  return st;
}
