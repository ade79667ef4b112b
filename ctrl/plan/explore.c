/* explore.c: every action tried from every state that can be reached. */
#include "one_step.h"
#include <string.h>

#define EXPLORE_CYCLE 24       /* steps after which an action's own cycle has settled or will not; even */

#define EXPLORE_HIT_SIDES 16
#define EXPLORE_HIT_TIMES 4
#define EXPLORE_HIT_EVERY 0.12 /* s */
#define EXPLORE_HIT_SECONDS 0.02
#define EXPLORE_HIT_STEPS 2    /* strikes after a hit that are trusted */
#define EXPLORE_HIT_MASS 0.5   /* of the body's, that a ball at the root sets in motion */
#define EXPLORE_HIT_BOUNCE 1.35 /* 1 + the ball's restitution */

po_explore_opts po_explore_opts_default(void) {
  po_explore_opts o = {0, 0, 5000, -1};
  return o;
}

/* ---- making ---- */

static po_exploration *explore_layout(const po_model *m, const po_actions *a, const po_metric *metric, int max, po_arena *arena) {
  size_t n = (size_t)max, tries = n * (size_t)a->actions;
  po_exploration *x = PO_ARENA_ZARRAY(arena, po_exploration, 1);
  double *q = PO_ARENA_ZARRAY(arena, double, n * (size_t)m->nq), *v = PO_ARENA_ZARRAY(arena, double, n * (size_t)m->nv);
  float *feature = PO_ARENA_ZARRAY(arena, float, n * (size_t)metric->features), *end = PO_ARENA_ZARRAY(arena, float, tries * (size_t)metric->features);
  int *depth = PO_ARENA_ZARRAY(arena, int, n);
  po_tried *result = PO_ARENA_ZARRAY(arena, po_tried, tries);
  if (!x) return NULL; /* measuring */
  x->model = m;
  x->actions = *a;
  x->metric = *metric;
  x->q = q;
  x->v = v;
  x->feature = feature;
  x->end = end;
  x->depth = depth;
  x->result = result;
  return x;
}

po_status po_explore_empty(po_exploration **exploration, const po_model *m, const po_actions *a, const po_explore_opts *opts, po_error *err) {
  po_explore_opts o = opts ? *opts : po_explore_opts_default();
  po_metric metric;
  po_arena arena;
  void *mem;
  size_t bytes;
  po_status st;
  if (!(o.eps_trust > 0)) o.eps_trust = a->eps_trust;
  if (!(o.eps_new > 0)) o.eps_new = a->eps_new;
  if (!(o.eps_new <= o.eps_trust && o.eps_trust <= 20)) return po_fail(err, PO_ERR_RANGE, "eps_new %g must not be larger than eps_trust %g", o.eps_new, o.eps_trust);
  if (o.max_states < 10 || o.max_states > 20000) return po_fail(err, PO_ERR_RANGE, "max_states %d: 10 ... 20000 are possible", o.max_states);
  if ((st = po_metric_init(&metric, m, &a->weights, err)) != PO_OK) return st;
  po_arena_measure(&arena);
  explore_layout(m, a, &metric, o.max_states, &arena);
  bytes = po_arena_used(&arena);
  if (!(mem = po_alloc(bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory: %d states", o.max_states);
  po_arena_init(&arena, mem, bytes);
  *exploration = explore_layout(m, a, &metric, o.max_states, &arena); /* stands at the beginning of mem */
  (*exploration)->opts = o;
  return PO_OK;
}

void po_explore_free(po_exploration *x) { po_free(x); }

/* ---- one step in the own frame ---- */

po_status po_explore_stepper(po_stepper **stepper, const po_model *model, const po_actions *actions, po_error *err) {
  po_stepper_opts o = po_stepper_opts_default();
  if (!actions) return po_fail(err, PO_ERR_NULL, "steps need actions");
  o.type = po_walker_type(actions);
  return po_stepper_new(stepper, model, &o, err);
}

typedef struct explore_begin { const po_actions *actions; int action; } explore_begin;

static po_status explore_start(void *user, po_move *s) {
  const explore_begin *b = user;
  return po_action_begin(s, b->actions, b->action, 0, 0);
}

/* q, v in the own frame of a left stance; afterwards in that of the next one, which a mirror makes left again. */
static po_status explore_step(po_tried *t, double *q, double *v, const po_exploration *x, po_stepper *stepper, int action, po_error *err) {
  explore_begin b;
  po_step_end end;
  po_pose2 place, origin = {0, 0, 0};
  po_status st;
  b.actions = &x->actions;
  b.action = action;
  if ((st = po_stepper_run(&end, &t->seconds, q, v, stepper, explore_start, &b, err)) != PO_OK) return st;
  t->action = action;
  t->end = end == PO_STEP_STRUCK ? PO_TRIED_UNTRUSTED : end == PO_STEP_FELL ? PO_TRIED_FELL : PO_TRIED_LATE;
  if ((st = po_strike_own(q, v, &place, x->model, 1)) != PO_OK) return po_fail(err, st, "%s has no mirror image, or no floating base", x->model->name);
  t->step = po_pose2_from(origin, place, 0);
  return PO_OK;
}

po_status po_explore_try(po_tried *t, double *q, double *v, const po_exploration *x, po_stepper *stepper, int state, int action, po_error *err) {
  memcpy(q, x->q + (size_t)state * (size_t)x->model->nq, sizeof(double) * (size_t)x->model->nq);
  memcpy(v, x->v + (size_t)state * (size_t)x->model->nv, sizeof(double) * (size_t)x->model->nv);
  memset(t, 0, sizeof *t);
  t->state = state;
  return explore_step(t, q, v, x, stepper, action, err);
}

/* ---- states ---- */

static double explore_nearest(const po_exploration *x, const float *f, int n) {
  int nearest;
  double d = PO_INF;
  if (n > 0) po_metric_nearest(&nearest, &d, 1, &x->metric, x->feature, n, f);
  return d;
}

/* 1: it is a state now. */
static int explore_add(po_exploration *x, const double *q, const double *v, const float *f, int depth) {
  size_t at = (size_t)x->states;
  if (x->states == x->opts.max_states) {
    x->full = 1;
    return 0;
  }
  memcpy(x->q + at * (size_t)x->model->nq, q, sizeof(double) * (size_t)x->model->nq);
  memcpy(x->v + at * (size_t)x->model->nv, v, sizeof(double) * (size_t)x->model->nv);
  memcpy(x->feature + at * (size_t)x->metric.features, f, sizeof(float) * (size_t)x->metric.features);
  x->depth[at] = depth;
  x->states++;
  return 1;
}

void po_explore_take(po_exploration *x, const po_tried *tried, const double *q, const double *v) {
  int a, n = x->actions.actions, features = x->metric.features;
  for (a = 0; a < n; a++) {
    po_tried *t = &x->result[x->tried];
    float *f = x->end + (size_t)x->tried * (size_t)features;
    *t = tried[a];
    x->tried++;
    if (t->end != PO_TRIED_UNTRUSTED) continue; /* fell, or late */
    po_metric_features(f, &x->metric, q + a * x->model->nq, v + a * x->model->nv);
    if (!(explore_nearest(x, f, x->trusted) < x->opts.eps_trust)) continue;
    t->end = PO_TRIED_TRUSTED;
    if (explore_nearest(x, f, x->states) > x->opts.eps_new) explore_add(x, q + a * x->model->nq, v + a * x->model->nv, f, x->depth[t->state] + 1);
  }
  x->expanded++;
}

/* ---- trusted states ---- */

typedef struct explore_scratch { double *q, *v; float *f; po_stepper *stepper; } explore_scratch;

/* Actions are given for the left stance and mirrored for the right one, so whoever goes on turning to the left takes, in turns, an action and its mirror image:
 * the k-th step of such a row. Actions without an image in the set are their own. */
static int explore_turn_about(const po_actions *set, int action, int k) { return k % 2 ? po_actions_mirror(set, action) : action; }

static po_status explore_nothing(void *user, po_move *move) {
  (void)user;
  (void)move;
  return PO_OK;
}

/* A state from which the action can be kept up: its gait's start, or the first strike of generalized walking from standing, which is the left foot's. */
static po_status explore_walk_off(po_tried *t, const po_exploration *x, explore_scratch *s, int action, po_error *err) {
  po_step_end end = PO_STEP_STRUCK;
  po_status st = po_walker_start(s->q, s->v, po_stepper_move(s->stepper), &x->actions, action, err);
  memset(t, 0, sizeof *t);
  if (st == PO_OK && x->actions.gbwc) st = po_stepper_run(&end, &t->seconds, s->q, s->v, s->stepper, explore_nothing, NULL, err);
  if (st == PO_OK && x->actions.gbwc) st = po_strike_own(s->q, s->v, NULL, x->model, po_walker_stance(po_stepper_move(s->stepper)));
  t->end = end == PO_STEP_STRUCK ? PO_TRIED_UNTRUSTED : PO_TRIED_FELL;
  return st;
}

/* Where an action settles when it is kept up from its gait's start. */
static po_status explore_cycle(po_exploration *x, explore_scratch *s, int action, po_error *err) {
  po_tried t;
  po_status st;
  int k, nearest = 0;
  double d;
  x->cycle[action] = -1;
  if ((st = explore_walk_off(&t, x, s, action, err)) != PO_OK || t.end != PO_TRIED_UNTRUSTED) return st;
  for (k = 0; k < EXPLORE_CYCLE; k++) {
    if ((st = explore_step(&t, s->q, s->v, x, s->stepper, explore_turn_about(&x->actions, action, k), err)) != PO_OK) return st;
    if (t.end != PO_TRIED_UNTRUSTED) return PO_OK; /* it does not last */
  }
  po_metric_features(s->f, &x->metric, s->q, s->v);
  x->cycle[action] = x->states;
  if (x->states && po_metric_nearest(&nearest, &d, 1, &x->metric, x->feature, x->states, s->f) && !(d > x->opts.eps_new)) x->cycle[action] = nearest;
  else if (!explore_add(x, s->q, s->v, s->f, 0)) x->cycle[action] = nearest; /* no room */
  return PO_OK;
}

/* What a scripted sequence passes through, where that is not trusted yet; it ends where it falls. */
static po_status explore_sequence(po_exploration *x, explore_scratch *s, int index, po_error *err) {
  int k, n = x->actions.sequence[index].length, from = n ? x->cycle[x->actions.sequence[index].action[0]] : -1;
  po_tried t;
  po_status st;
  if (from < 0) return PO_OK;
  memcpy(s->q, x->q + (size_t)from * (size_t)x->model->nq, sizeof(double) * (size_t)x->model->nq);
  memcpy(s->v, x->v + (size_t)from * (size_t)x->model->nv, sizeof(double) * (size_t)x->model->nv);
  for (k = 1; k < n; k++) {
    if ((st = explore_step(&t, s->q, s->v, x, s->stepper, explore_turn_about(&x->actions, x->actions.sequence[index].action[k], k), err)) != PO_OK) return st;
    if (t.end != PO_TRIED_UNTRUSTED) return PO_OK;
    po_metric_features(s->f, &x->metric, s->q, s->v);
    if (!(explore_nearest(x, s->f, x->states) < x->opts.eps_trust)) explore_add(x, s->q, s->v, s->f, 0);
  }
  return PO_OK;
}

/* What a ball of that mass leaves behind, from the cycle of `walk`: strikes after hits from all sides at three moments of a step, and the steps after them. A hit
 * is a push of the ball's impulse on the root. */
static po_status explore_hits(po_exploration *x, explore_scratch *s, double mass, po_error *err) {
  int a = po_actions_find(&x->actions, "walk"), from = a < 0 ? -1 : x->cycle[a], hit, k;
  double trunk = EXPLORE_HIT_MASS * x->model->total_mass, impulse = mass * PO_BALL_SPEED * EXPLORE_HIT_BOUNCE * trunk / (mass + trunk), si, co;
  po_sim *sim = po_stepper_sim(s->stepper);
  po_tried t;
  po_status st = PO_OK;
  for (hit = 0; hit < EXPLORE_HIT_SIDES * EXPLORE_HIT_TIMES && from >= 0 && st == PO_OK; hit++) {
    po_push push;
    memset(&push, 0, sizeof push);
    po_sincos(&si, &co, 2 * PO_PI * (hit % EXPLORE_HIT_SIDES) / EXPLORE_HIT_SIDES);
    push.time = EXPLORE_HIT_EVERY * (hit / EXPLORE_HIT_SIDES);
    push.duration = EXPLORE_HIT_SECONDS;
    push.link = x->model->body_name[0];
    push.force = po_v3(impulse / EXPLORE_HIT_SECONDS * co, impulse / EXPLORE_HIT_SECONDS * si, 0);
    memcpy(s->q, x->q + (size_t)from * (size_t)x->model->nq, sizeof(double) * (size_t)x->model->nq);
    memcpy(s->v, x->v + (size_t)from * (size_t)x->model->nv, sizeof(double) * (size_t)x->model->nv);
    if ((st = po_sim_push(sim, &push, err)) != PO_OK) return st;
    for (k = 0; k < EXPLORE_HIT_STEPS && st == PO_OK; k++) {
      st = explore_step(&t, s->q, s->v, x, s->stepper, a, err);
      po_sim_clear_pushes(sim);
      if (st != PO_OK || t.end != PO_TRIED_UNTRUSTED) break;
      po_metric_features(s->f, &x->metric, s->q, s->v);
      if (explore_nearest(x, s->f, x->states) > x->opts.eps_new) explore_add(x, s->q, s->v, s->f, 0);
    }
  }
  return st;
}

/* Cycles first, then sequences, then hits. */
static po_status explore_trust(po_exploration *x, po_error *err) {
  explore_scratch s;
  po_status st;
  int i;
  memset(&s, 0, sizeof s);
  if ((st = po_explore_stepper(&s.stepper, x->model, &x->actions, err)) != PO_OK) return st;
  s.q = po_alloc(sizeof(double) * (size_t)x->model->nq);
  s.v = po_alloc(sizeof(double) * (size_t)x->model->nv);
  s.f = po_alloc(sizeof(float) * (size_t)x->metric.features);
  if (!s.q || !s.v || !s.f) st = po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (st == PO_OK) st = po_actions_check(&x->actions, po_stepper_move(s.stepper), err);
  for (i = 0; i < x->actions.actions && st == PO_OK; i++) st = explore_cycle(x, &s, i, err);
  if (st == PO_OK && !x->states) st = po_fail(err, PO_ERR_STATE, "no action lasts: '%s', the first, falls within %d steps, and so do all others", x->actions.action[0].name, EXPLORE_CYCLE);
  for (i = 0; i < x->actions.sequences && st == PO_OK; i++) st = explore_sequence(x, &s, i, err);
  if (x->opts.ball_mass > 0 && st == PO_OK) st = explore_hits(x, &s, x->opts.ball_mass, err);
  for (i = 0; i < x->actions.balls && x->opts.ball_mass < 0 && st == PO_OK; i++) st = explore_hits(x, &s, x->actions.ball[i], err);
  x->trusted = x->states;
  po_free(s.q);
  po_free(s.v);
  po_free(s.f);
  po_stepper_free(s.stepper);
  return st;
}

po_status po_explore_new(po_exploration **exploration, const po_model *model, const po_actions *actions, const po_explore_opts *opts, po_error *err) {
  po_exploration *x;
  po_status st;
  if (!exploration || !model || !actions) return po_fail(err, PO_ERR_NULL, "an exploration needs a model and actions");
  *exploration = NULL;
  if ((st = po_explore_empty(&x, model, actions, opts, err)) != PO_OK) return st;
  if ((st = explore_trust(x, err)) != PO_OK) po_explore_free(x);
  else *exploration = x;
  return st;
}
