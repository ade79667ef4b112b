/* tuning.c: the runs of a search over a scenario's parameters, and what they cost. */
#include "tuning.h"
#include <string.h>

#define TUNING_UNDONE 3.0    /* violation of a point that no run can be made of: worse than a fall in the first step */
#define TUNING_BROKEN 0.5    /* of a run that stood but did not succeed, or has no such figure */
#define TUNING_SCALE 0.1     /* of a figure's bound: so far beyond it, a rule is half broken */

/* ---- one run ---- */

typedef struct tuning_settings { po_setting set[PO_TUNING_SETS + PO_TUNING_FREE + PO_TUNING_OVER]; po_push push[PO_SIM_PUSHES]; char number[PO_TUNING_FREE][32]; } tuning_settings;

int po_tuning_variants(const po_tuning *t) {
  int i, n = 1;
  for (i = 0; i < t->overs; i++) n *= t->over[i].values;
  return n;
}

/* Options of a run: what all share, then the variant's, then the point's. The last of a list varies fastest. */
static po_status tuning_opts(po_run_opts *o, tuning_settings *s, const po_tuning *t, const double *x, int variant, uint64_t seed, po_error *err) {
  int i;
  *o = t->opts;
  o->seed = seed;
  if (o->sets > PO_TUNING_SETS || o->pushes >= PO_SIM_PUSHES) return po_fail(err, PO_ERR_SIZE, "too many settings or pushes");
  if (o->sets) memcpy(s->set, o->set, sizeof *o->set * (size_t)o->sets);
  if (o->pushes) memcpy(s->push, o->push, sizeof *o->push * (size_t)o->pushes);
  o->set = s->set;
  o->push = s->push;
  for (i = t->overs - 1; i >= 0; i--) {
    const po_tuning_list *l = &t->over[i];
    int k = variant % l->values;
    variant /= l->values;
    if (!strcmp(l->name, "model")) o->model = l->value[k];
    else if (!strcmp(l->name, "push")) {
      if (l->push[k].duration > 0) s->push[o->pushes++] = l->push[k];
    } else {
      s->set[o->sets].name = l->name;
      s->set[o->sets++].value = l->value[k];
    }
    if (o->pushes >= PO_SIM_PUSHES) return po_fail(err, PO_ERR_SIZE, "at most %d pushes", PO_SIM_PUSHES);
  }
  for (i = 0; x && i < t->frees; i++) {
    po_print_double(s->number[i], x[i]);
    s->set[o->sets].name = t->free[i].name;
    s->set[o->sets++].value = s->number[i];
  }
  return PO_OK;
}

/* Of the torques, the largest share of its limit. */
static double tuning_torque(const po_run *r) {
  double most = 0;
  int i, k;
  for (i = 0; po_run_move(r, 0) && i < r->model->nb; i++)
    for (k = 0; k < r->model->joint[i].nv && k < 3 && r->model->joint[i].type != PO_JOINT_FLOATING; k++)
      if (r->model->joint[i].effort[k] > 0) most = po_max(most, r->sim->character[0].peak[r->model->joint[i].v + k] / r->model->joint[i].effort[k]);
  return most;
}

static const struct { const char *name; size_t at; } tuning_energy[] = {{"energy.motors", offsetof(po_energy, motors)}, {"energy.impacts", offsetof(po_energy, impacts)},
  {"energy.contacts", offsetof(po_energy, contacts)}, {"energy.limits", offsetof(po_energy, limits)}, {"energy.damping", offsetof(po_energy, damping)},
  {"energy.kinetic", offsetof(po_energy, kinetic)}, {"energy.external", offsetof(po_energy, external)}};
#define TUNING_ENERGIES ((int)(sizeof tuning_energy / sizeof tuning_energy[0]))

static int tuning_has(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < r->result_count; i++)
    if (!strcmp(r->result[i].name, name)) return 1;
  for (i = 0; i < TUNING_ENERGIES; i++)
    if (!strcmp(tuning_energy[i].name, name)) return 1;
  return !strcmp(name, "seconds") || !strcmp(name, "peak_torque");
}

static double tuning_figure(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < TUNING_ENERGIES; i++)
    if (!strcmp(tuning_energy[i].name, name)) {
      po_energy e = po_world_energy(r->world);
      return *(const double *)(const void *)((const char *)&e + tuning_energy[i].at);
    }
  if (!strcmp(name, "seconds")) return r->sim_seconds;
  if (!strcmp(name, "peak_torque")) return tuning_torque(r);
  return po_run_result(r, name);
}

static double tuning_sum(const po_run *r, const po_tuning_sum *c) {
  double sum = 0;
  int i;
  for (i = 0; i < c->terms; i++) {
    double x = tuning_figure(r, c->term[i].name);
    sum += c->term[i].weight * (c->term[i].distance ? po_abs(x - c->term[i].target) : x);
  }
  return sum;
}

/* How far a rule is broken: 0 … 1. */
static double tuning_broken(const po_run *r, const po_tuning_rule *k) {
  double x, off, bound;
  if (k->success) return r->outcome == PO_SUCCESS ? 0 : TUNING_BROKEN;
  x = tuning_figure(r, k->name);
  if (x >= k->lower && x <= k->upper) return 0;
  if (!po_isfinite(x)) return 1;
  bound = x < k->lower ? k->lower : k->upper;
  off = po_abs(x - bound) / po_max(TUNING_SCALE * po_abs(bound), 1e-9);
  return off / (1 + off);
}

static void tuning_score(po_tuning_score *s, const po_tuning *t, const po_run *r) {
  int i;
  s->fell = r->outcome == PO_FELL;
  s->success = r->outcome == PO_SUCCESS;
  s->seconds = r->sim_seconds;
  if (r->outcome == PO_FELL) s->violation = 2 - po_clamp(r->fell_at / r->opts.seconds, 0, 1);
  for (i = 0; i < t->keeps; i++)
    if (r->outcome != PO_FELL) s->violation += tuning_broken(r, &t->keep[i]) / t->keeps;
  for (i = 0; i < t->costs; i++) {
    s->cost[i] = r->outcome == PO_FELL ? PO_NAN : tuning_sum(r, &t->cost[i]);
    if (r->outcome != PO_FELL && !po_isfinite(s->cost[i])) s->violation += TUNING_BROKEN / t->costs;
  }
}

po_status po_tuning_run(po_tuning_score *score, const po_tuning *t, const double *x, int variant, uint64_t seed, po_error *err) {
  tuning_settings *s = po_alloc(sizeof *s);
  po_run_opts o;
  po_run *r = NULL;
  po_status st;
  int i;
  memset(score, 0, sizeof *score);
  if (!s) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = tuning_opts(&o, s, t, x, variant, seed, err)) == PO_OK && (st = po_run_new(&r, t->scenario, &o, err)) == PO_OK) {
    while (po_run_step(r)) {}
    po_run_finish(r);
    tuning_score(score, t, r);
  } else if (st == PO_ERR_RANGE || st == PO_ERR_BOUNDS || st == PO_ERR_MODEL || st == PO_ERR_SINGULAR) { /* of this point alone: po_tuning_check made one */
    score->violation = TUNING_UNDONE;
    for (i = 0; i < t->costs; i++) score->cost[i] = PO_NAN;
    st = PO_OK;
  }
  po_run_free(r);
  po_free(s);
  return st;
}

void po_tuning_join(po_tuning_score *p, const po_tuning *t, const po_tuning_score *run, int runs) {
  int i, k;
  memset(p, 0, sizeof *p);
  for (k = 0; k < runs; k++) {
    p->violation += run[k].violation / runs;
    p->fell += run[k].fell / runs;
    p->success += run[k].success / runs;
    p->seconds += run[k].seconds;
  }
  for (i = 0; i < t->costs; i++) {
    double sum = 0, most = -PO_INF;
    int n = 0;
    for (k = 0; k < runs; k++)
      if (po_isfinite(run[k].cost[i])) {
        sum += run[k].cost[i];
        most = po_max(most, run[k].cost[i]);
        n++;
      }
    p->cost[i] = n == 0 ? PO_NAN : t->cost[i].worst ? most : sum / n;
  }
}

/* ---- before anything runs ---- */

static po_status tuning_check_name(const po_run *r, const char *name, const char *text, po_error *err) {
  const char *names[PO_RUN_RESULTS], *near;
  int i;
  if (tuning_has(r, name)) return PO_OK;
  for (i = 0; i < r->result_count; i++) names[i] = r->result[i].name;
  near = po_nearest(name, names, r->result_count);
  if (near) return po_fail(err, PO_ERR_NAME, "%s: %s reports no '%s': did you mean '%s'?", text, r->scenario->name, name, near);
  return po_fail(err, PO_ERR_NAME, "%s: %s reports no '%s'; its figures are those that `poise run %s` shows", text, r->scenario->name, name, r->scenario->name);
}

static po_status tuning_check_free(po_tuned *f, const po_run *r, po_error *err) {
  const po_param *p;
  int i;
  for (i = 0; (p = po_run_param_at(r, i)) != NULL; i++) {
    double x;
    if (strcmp(p->name, f->name)) continue;
    x = po_run_param(r, i);
    if (!(f->unknown.lower >= p->lower && f->unknown.upper <= p->upper))
      return po_fail(err, PO_ERR_RANGE, "--free %s=%g:%g: the parameter's own range is %g ... %g", f->name, f->unknown.lower, f->unknown.upper, p->lower, p->upper);
    f->unknown.start = po_clamp(x, f->unknown.lower, f->unknown.upper);
    if (f->unknown.integer) f->unknown.start = floor(f->unknown.start + 0.5);
    return PO_OK;
  }
  return po_fail(err, PO_ERR_NAME, "--free %s: scenario '%s' has no such parameter that is a number; `poise list %s` tells which there are", f->name, r->scenario->name, r->scenario->name);
}

static po_status tuning_check_run(po_tuning *t, const po_run *r, po_error *err) {
  po_status st = PO_OK;
  int i, k;
  for (i = 0; i < t->frees && st == PO_OK; i++) st = tuning_check_free(&t->free[i], r, err);
  for (i = 0; i < t->costs && st == PO_OK; i++)
    for (k = 0; k < t->cost[i].terms && st == PO_OK; k++) st = tuning_check_name(r, t->cost[i].term[k].name, t->cost[i].text, err);
  for (i = 0; i < t->keeps && st == PO_OK; i++)
    if (!t->keep[i].success) st = tuning_check_name(r, t->keep[i].name, t->keep[i].text, err);
  return st;
}

/* Every variant is made once: a wrong model or ground shows before the search. */
po_status po_tuning_check(po_tuning *t, uint64_t *key, po_error *err) {
  tuning_settings *s;
  po_status st = PO_OK;
  int v;
  *key = 0;
  if (t->scenario->study) return po_fail(err, PO_ERR_UNSUPPORTED, "%s is a study of many runs: it has no figures to search by", t->scenario->name);
  if (t->frees == 0) return po_fail(err, PO_ERR_RANGE, "nothing is free: --free NAME=LOW:HIGH says what is to be searched");
  if (t->costs == 0) return po_fail(err, PO_ERR_RANGE, "there is nothing to make small: --cost NAME says what");
  if (!(s = po_alloc(sizeof *s))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (v = 0; v < po_tuning_variants(t) && st == PO_OK; v++) {
    po_run_opts o;
    po_run *r = NULL;
    if ((st = tuning_opts(&o, s, t, NULL, v, 0, err)) != PO_OK || (st = po_run_new(&r, t->scenario, &o, err)) != PO_OK) break;
    *key = po_hash(key, sizeof *key, po_run_key(r));
    if (v == 0) {
      po_run_finish(r); /* at once: its figures have names though no values */
      st = tuning_check_run(t, r, err);
    }
    po_run_free(r);
  }
  po_free(s);
  return st;
}
