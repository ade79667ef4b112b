/* task_ahead.c: what is chosen is tried before it is done, in a simulation of the own body on empty ground, as the exploration tried it, but from the state as it is now. A rollout
 * algorithm (Bertsekas 2017, section 2.4): another action for the next step and the usual one after it, or that kept up; the first that stays up is taken. */
#include "task_scene.h"
#include <string.h>

#define AHEAD_SECONDS 1.6 /* that are looked ahead, three or four steps: whom a ball of 5 kg lays down falls within 0.5 to 1.5 s of the strike after it */

struct task_ahead {
  const po_actions *actions;
  po_world *world;
  po_sim *sim;
  po_move *move;
  double *q, *v;              /* room for a state */
  void *blank, *walker;       /* a simulation in which nothing has happened; the move that walks, as it is now */
  size_t blank_bytes, walker_bytes;
};

void po_task_ahead_free(task_ahead *a) {
  if (!a) return;
  po_sim_free(a->sim);
  po_move_free(a->move);
  po_world_free(a->world);
  po_free(a->q);
  po_free(a->v);
  po_free(a->blank);
  po_free(a->walker);
  po_free(a);
}

static po_status ahead_make(task_ahead *a, const po_run *r, po_error *err) {
  po_sim_opts o = po_sim_opts_default();
  po_world_opts w = po_world_opts_default();
  po_status st;
  o.dt = r->opts.dt;
  o.control_hz = r->opts.control_hz;
  w.mu = PO_TASK_FRICTION;
  if ((st = po_world_new(&a->world, &w)) != PO_OK || (st = po_world_add(NULL, a->world, r->model)) != PO_OK || (st = po_sim_new(&a->sim, a->world, po_terrain_flat(), &o)) != PO_OK)
    return po_fail(err, st, "looking ahead: %s", po_status_string(st));
  if ((st = po_move_new_of(&a->move, po_walker_type(a->actions), NULL, r->model, po_terrain_flat(), NULL, err)) != PO_OK) return st;
  if ((st = po_sim_set_move(a->sim, 0, a->move)) != PO_OK) return po_fail(err, st, "looking ahead: %s", po_status_string(st));
  a->q = po_alloc(sizeof(double) * (size_t)r->model->nq);
  a->v = po_alloc(sizeof(double) * (size_t)r->model->nv);
  a->blank = po_alloc(a->blank_bytes = po_sim_save_bytes(a->sim));
  a->walker = po_alloc(a->walker_bytes = po_move_save_bytes(a->move));
  if (!a->q || !a->v || !a->blank || !a->walker) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  return po_sim_save(a->blank, a->blank_bytes, a->sim);
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

/* The body as it is in the run, in a world of its own. */
static po_status ahead_place(task_ahead *a, const po_run *r) {
  const po_model *m = r->model;
  po_sense sense;
  po_status st;
  if ((st = po_sim_restore(a->sim, a->blank, a->blank_bytes)) != PO_OK) return st;
  memcpy(po_world_q(a->world, 0), po_world_q(r->world, 0), sizeof(double) * (size_t)m->nq);
  memcpy(po_world_v(a->world, 0), po_world_v(r->world, 0), sizeof(double) * (size_t)m->nv);
  sense = po_sense_of(po_world_q(a->world, 0), po_world_v(a->world, 0), r->opts.dt);
  if ((st = po_move_enter(a->move, NULL, &sense, NULL)) != PO_OK) return st; /* sees the body; what it knows of the steps before is the walker's */
  return po_move_restore(a->move, a->walker, a->walker_bytes);
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
  if (!po_task_afresh(r) && po_task_again(a->actions, action, last)) return PO_OK;
  memcpy(a->q, q, sizeof(double) * (size_t)m->nq);
  memcpy(a->v, v, sizeof(double) * (size_t)m->nv);
  if ((st = po_strike_own(a->q, a->v, &place, m, stance)) != PO_OK) return st;
  if ((st = po_task_afresh(r) ? po_move_enter(a->move, NULL, &sense, NULL) : po_actor_begin(a->move->actor, &sense)) != PO_OK) return st;
  return po_action_begin(a->move, a->actions, action, stance, po_task_heading(r, place.heading));
}

/* For how many seconds, at most AHEAD_SECONDS, it stays up: one step of `first`, then `then` for good. Actions are given for the left stance: whoever keeps going to one side takes
 * an action and its mirror image in turns. */
static double ahead_lasts(task_ahead *a, const po_run *r, int first, int then, int last, int midway) {
  po_error err;
  long steps;
  int action = first;
  if (ahead_place(a, r) != PO_OK || ahead_begin(a, r, first, last, midway) != PO_OK) return 0;
  steps = po_walker_steps(a->move);
  while (a->sim->time < AHEAD_SECONDS) {
    if (po_sim_step(a->sim, &err) != PO_OK || a->sim->character[0].fall.at >= 0) return a->sim->time;
    if (po_walker_steps(a->move) == steps) continue;
    then = po_actions_mirror(a->actions, then);
    if (ahead_begin(a, r, then, action, 0) != PO_OK) return a->sim->time;
    action = then;
    steps = po_walker_steps(a->move);
  }
  return AHEAD_SECONDS;
}

/* What is usual comes first, then a step of something else, and then that kept up: whoever falls anyway takes what lasts longest. */
static int ahead_choose(task_ahead *a, const po_run *r, int usual, int then, int last, int midway) {
  double most = -1, lasts;
  int best = usual, n = a->actions->actions, i, k;
  if (po_move_save(a->walker, a->walker_bytes, po_task_walker(r)) != PO_OK) return -1;
  for (k = 0; k < 2; k++)
    for (i = 0; i < n; i++) {
      int action = (usual + i) % n;
      if (k && action == then) continue; /* that has been tried */
      lasts = ahead_lasts(a, r, action, k ? action : then, last, midway);
      if (lasts > most) most = lasts, best = action;
      if (most >= AHEAD_SECONDS) return best;
    }
  return best;
}

int po_task_ahead_choose(task_ahead *a, const po_run *r, int usual, int last) { return ahead_choose(a, r, usual, usual, last, 0); }

int po_task_ahead_change(task_ahead *a, const po_run *r, int now, int then) { return ahead_choose(a, r, now, then, now, 1); }
