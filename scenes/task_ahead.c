/* task_ahead.c: what is chosen is tried before it is done, in a copy of the simulation as it is now, with what is near the body. A rollout
 * algorithm (Bertsekas 2017, section 2.4): another action for the next step and the usual one after it, or that kept up; the first that stays up is taken. */
#include "task_scene.h"
#include <string.h>

#define AHEAD_SECONDS 2.4 /* that are looked ahead at most, four or five steps: whom a ball lays down falls within 0.3 to 2 s of it */
#define AHEAD_CALM (2 * AHEAD_SECONDS) /* what it counts when the body is calm again, or is up at the end and nobody can tell whether it is calm */
#define AHEAD_NEAR 1.5    /* m from the root: balls, boxes and others that are nearer are in the simulation too. A ball that has hit the body is run into again */
#define AHEAD_FIRSTS 4    /* actions that pairs begin with */
#define AHEAD_BUDGET 60.0 /* s that are simulated for one choice, about, at most; */
#define AHEAD_HALVED 2    /* half as many after each one that found nothing, so often: who cannot be saved is not to cost much; */
#define AHEAD_ELSEWHERE 7 /* and after each of them the search begins so many actions farther on: it may not come round */

struct task_ahead {
  const po_actions *actions;
  po_world *world;
  po_sim *sim;
  po_move *move, *other[PO_TASK_OTHERS];
  double *q, *v;              /* room for a state */
  void *now, *strike;         /* the run's simulation as it is; the own one at a strike */
  size_t bytes;               /* room for either */
  task_scene_state scene;     /* what the policy sees of its goal, as the simulation goes on */
  int calm;                   /* strikes in a row, at the end of the simulation, in states that are known */
  double from;                /* s: time at which it begins */
  int told;                   /* 1: known states tell whether the body is calm */
  long budget;                /* steps that are left for this choice */
};

typedef struct ahead_best { int action; task_plan plan; double lasts; } ahead_best; /* so far */

/* 1: nothing better is needed. */
static int ahead_better(ahead_best *b, int action, int second, int kept, double lasts) {
  if (lasts > b->lasts) {
    b->lasts = lasts;
    b->action = action;
    b->plan.next = second;
    b->plan.kept = kept;
  }
  return lasts >= AHEAD_CALM;
}

typedef struct ahead_from { int last, midway; } ahead_from; /* the action before, −1: none; 1: in the middle of a step of it */

void po_task_ahead_free(task_ahead *a) {
  int i;
  if (!a) return;
  po_sim_free(a->sim);
  po_move_free(a->move);
  for (i = 0; i < PO_TASK_OTHERS; i++) po_move_free(a->other[i]);
  po_world_free(a->world);
  po_free(a->q);
  po_free(a->v);
  po_free(a->now);
  po_free(a->strike);
  po_free(a);
}

/* Whoever walks in the run walks in the simulation. */
static po_status ahead_moves(task_ahead *a, const po_run *r, po_error *err) {
  const task_scene_state *s = r->state;
  const po_terrain *ground = po_run_ground(r);
  po_status st;
  int i;
  if ((st = po_move_new_of(&a->move, po_walker_type(a->actions), NULL, r->model, ground, NULL, err)) != PO_OK) return st;
  if ((st = po_sim_set_move(a->sim, 0, a->move)) != PO_OK) return po_fail(err, st, "looking ahead: %s", po_status_string(st));
  for (i = s->first_other; i < po_world_count(a->world); i++) {
    po_move **other = &a->other[i - s->first_other];
    if ((st = po_move_new_of(other, &po_simbicon_type, NULL, r->model, ground, NULL, err)) != PO_OK) return st;
    if ((st = po_sim_set_move(a->sim, i, *other)) != PO_OK) return po_fail(err, st, "looking ahead: %s", po_status_string(st));
  }
  return PO_OK;
}

static po_status ahead_make(task_ahead *a, const po_run *r, po_error *err) {
  po_sim_opts o = po_sim_opts_default();
  po_world_opts w = po_world_opts_default();
  po_status st;
  int i;
  o.dt = r->opts.dt;
  o.control_hz = r->opts.control_hz;
  w.mu = PO_TASK_FRICTION;
  w.terrain = po_run_ground(r);
  st = po_world_new(&a->world, &w);
  for (i = 0; i < po_world_count(r->world) && st == PO_OK; i++) st = po_world_add(NULL, a->world, po_world_model(r->world, i));
  if (st != PO_OK || (st = po_sim_new(&a->sim, a->world, w.terrain, &o)) != PO_OK) return po_fail(err, st, "looking ahead: %s", po_status_string(st));
  if ((st = ahead_moves(a, r, err)) != PO_OK) return st;
  a->q = po_alloc(sizeof(double) * (size_t)r->model->nq);
  a->v = po_alloc(sizeof(double) * (size_t)r->model->nv);
  a->bytes = po_sim_save_bytes(r->sim);
  a->now = po_alloc(a->bytes);
  a->strike = po_alloc(a->bytes);
  return a->q && a->v && a->now && a->strike ? PO_OK : po_fail(err, PO_ERR_MEMORY, "out of memory");
}

po_status po_task_ahead_new(task_ahead **ahead, const po_run *r, po_error *err) {
  task_ahead *a = po_alloc(sizeof *a);
  po_status st;
  if (!a) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(a, 0, sizeof *a);
  a->actions = &po_task_kept(r)->actions;
  if ((st = ahead_make(a, r, err)) != PO_OK) po_task_ahead_free(a);
  else *ahead = a;
  return st;
}

/* The run as it is now, with all that is near; the rest is left out. */
static po_status ahead_place(task_ahead *a) {
  const double *root = po_world_q(a->world, 0) + 4;
  po_status st = po_sim_restore(a->sim, a->now, a->bytes);
  int i;
  for (i = 1; i < po_world_count(a->world) && st == PO_OK; i++) {
    const double *q = po_world_q(a->world, i) + 4;
    double x = q[0] - root[0], y = q[1] - root[1];
    if (x * x + y * y > AHEAD_NEAR * AHEAD_NEAR) st = po_world_set_active(a->world, i, 0);
  }
  return st;
}

/* A step of the action after one of `last`; midway: what is left of one of `last` that is under way. */
static po_status ahead_begin(task_ahead *a, const po_run *r, int action, int last, int midway) {
  const po_model *m = r->model;
  const double *q = po_world_q(a->world, 0), *v = po_world_v(a->world, 0);
  po_sense sense = po_sense_of(q, v, r->opts.dt);
  int stance = po_walker_stance(a->move);
  po_pose2 place;
  po_status st;
  if (midway) return action == last ? PO_OK : po_action_change(a->move, a->actions, action);
  memcpy(a->q, q, sizeof(double) * (size_t)m->nq);
  memcpy(a->v, v, sizeof(double) * (size_t)m->nv);
  if ((st = po_strike_own(a->q, a->v, &place, m, stance)) != PO_OK) return st;
  if ((st = po_task_afresh(r) ? po_move_enter(a->move, NULL, &sense, NULL) : po_actor_begin(a->move->actor, &sense)) != PO_OK) return st;
  if (!po_task_afresh(r) && po_task_again(a->actions, action, last)) return PO_OK;
  return po_action_begin(a->move, a->actions, action, stance, po_task_heading(r, place.heading));
}

/* What the policy would do at this strike of the simulation, with the goal as it is. */
static int ahead_usual(task_ahead *a, const po_run *r) {
  const po_model *m = r->model;
  int stance = po_walker_stance(a->move);
  double w[PO_TASK_AXES], distance;
  po_pose2 place;
  int action;
  memcpy(a->q, po_world_q(a->world, 0), sizeof(double) * (size_t)m->nq);
  memcpy(a->v, po_world_v(a->world, 0), sizeof(double) * (size_t)m->nv);
  if (po_strike_own(a->q, a->v, &place, m, stance) != PO_OK) return -1;
  po_task_goal_seen(w, &a->scene, place, stance);
  action = po_task_table(&distance, r, a->q, a->v, w);
  a->calm = po_task_calm(r, a->move, distance) ? a->calm + 1 : 0;
  return action;
}

static double ahead_time(const task_ahead *a) { return po_min(a->sim->time - a->from, AHEAD_SECONDS); }

/* On to the next strike. 1: there it is; 0: it fell, or the time is over. */
static int ahead_to_strike(task_ahead *a) {
  po_error err;
  long steps = po_walker_steps(a->move);
  while (a->sim->time - a->from < AHEAD_SECONDS) {
    a->budget--;
    if (po_sim_step(a->sim, &err) != PO_OK || a->sim->character[0].fall.at >= 0) return 0;
    if (po_walker_steps(a->move) != steps) return 1;
  }
  return 0;
}

/* For how many seconds it stays up, from a strike on: `next` (−1: what the policy chooses) and then as the policy chooses, or `kept` up for good; AHEAD_CALM: it is over the worst.
 * Actions are given for the left stance: whoever keeps going to one side takes an action and its mirror image in turns. */
static double ahead_on(task_ahead *a, const po_run *r, int last, int next, int kept) {
  for (;;) {
    int usual = ahead_usual(a, r), action = next >= 0 ? next : kept >= 0 ? po_actions_mirror(a->actions, kept) : usual;
    if (a->calm >= PO_TASK_CALM) return AHEAD_CALM;
    if (kept >= 0) kept = action;
    next = -1;
    if (usual < 0 || ahead_begin(a, r, action, last, 0) != PO_OK) return ahead_time(a);
    last = action;
    if (!ahead_to_strike(a)) return ahead_time(a) < AHEAD_SECONDS || a->told ? ahead_time(a) : AHEAD_CALM;
  }
}

/* A step of `first`, as far as its strike. */
static int ahead_first(task_ahead *a, const po_run *r, int first, const ahead_from *from) {
  a->scene = *(const task_scene_state *)r->state;
  a->calm = 0;
  return ahead_place(a) == PO_OK && ahead_begin(a, r, first, from->last, from->midway) == PO_OK && ahead_to_strike(a);
}

/* Pairs of actions, where no single one stays up: for those that last longest, the state at their strike is kept and every other one taken from there. */
static void ahead_pairs(task_ahead *a, const po_run *r, const ahead_from *from, const double *lasts, ahead_best *b) {
  int n = a->actions->actions, tried[PO_ACTIONS_MAX] = {0}, k, i;
  for (k = 0; k < AHEAD_FIRSTS; k++) {
    int first = -1;
    for (i = 0; i < n; i++)
      if (!tried[i] && (first < 0 || lasts[i] > lasts[first])) first = i;
    if (first < 0) return;
    tried[first] = 1;
    if (!ahead_first(a, r, first, from) || po_sim_save(a->strike, a->bytes, a->sim) != PO_OK) continue;
    for (i = 0; i < n && a->budget > 0; i++) {
      if (i && po_sim_restore(a->sim, a->strike, a->bytes) != PO_OK) return;
      a->calm = 0;
      if (ahead_better(b, first, i, 0, ahead_on(a, r, first, i, -1))) return;
    }
  }
}

/* An action for a step and then as the policy chooses, or kept up. 1: it stays up. */
static int ahead_try(task_ahead *a, const po_run *r, const ahead_from *from, int action, int kept, double *lasts, ahead_best *b) {
  double now = ahead_first(a, r, action, from) ? ahead_on(a, r, action, -1, kept ? action : -1) : ahead_time(a);
  lasts[action] = po_max(lasts[action], now);
  return ahead_better(b, action, kept ? po_actions_mirror(a->actions, action) : -1, kept, now);
}

/* Neighbours in a set are alike: it is gone through in strides of about the golden section, which meet all n. */
static int ahead_stride(int n) {
  int stride = (int)(0.38 * n) + 1, a, b, t;
  for (;; stride++) {
    for (a = n, b = stride; b; t = a % b, a = b, b = t) {}
    if (a == 1) return stride;
  }
}

/* What is usual comes first, then what was meant to come now, then a step of something else, then that kept up, then pairs: whoever falls anyway takes what lasts longest. */
static void ahead_search(task_ahead *a, const po_run *r, const ahead_from *from, int usual, task_plan plan, ahead_best *b) {
  double lasts[PO_ACTIONS_MAX] = {0};
  int n = a->actions->actions, stride = ahead_stride(n), i, k;
  if (from->midway && plan.next >= 0 && ahead_first(a, r, usual, from) &&
      ahead_better(b, usual, plan.next, plan.kept, ahead_on(a, r, usual, plan.kept ? -1 : plan.next, plan.kept ? usual : -1)))
    return;
  if (ahead_try(a, r, from, usual, 0, lasts, b)) return;
  if (!from->midway && plan.next >= 0 && ahead_try(a, r, from, plan.next, plan.kept, lasts, b)) return;
  for (k = 0; k < 2; k++)
    for (i = 0; i < n && a->budget > 0; i++) {
      int action = (usual + (i + plan.failed * AHEAD_ELSEWHERE) * stride) % n;
      if ((k || action != usual) && ahead_try(a, r, from, action, k, lasts, b)) return;
    }
  if (b->lasts < AHEAD_SECONDS) ahead_pairs(a, r, from, lasts, b);
}

int po_task_ahead(task_ahead *a, const po_run *r, int usual, int last, int midway, task_plan *plan) {
  ahead_from from = {last, midway};
  ahead_best b = {usual, {-1, 0, 0}, -1};
  a->budget = (long)(AHEAD_BUDGET / (1 << (int)po_min(plan->failed, AHEAD_HALVED)) / r->opts.dt);
  a->from = r->time;
  a->told = po_task_kept(r)->only < 0;
  if (po_sim_save(a->now, a->bytes, r->sim) != PO_OK) return -1;
  ahead_search(a, r, &from, usual, *plan, &b);
  b.plan.failed = b.lasts >= AHEAD_SECONDS ? 0 : plan->failed + 1;
  *plan = b.plan;
  return b.action;
}
