/* task.c: a character that chooses an action at every foot strike, by a policy, to reach goals (Coros 2010, chapter 4; docs/task-policies.md). */
#include "task_scene.h"
#include <string.h>

#define TASK_BALL_SPEED 5.0   /* m/s: what a person can heave. 15 kg have 190 J then, three quarters of what a thrown medicine ball has; 20 m/s, by which the robust walk is measured, would be 3 kJ */

static const po_param task_scene_param[] = {
  PO_PARAM(task_scene_params, goals, 5, 1, 100, "", "drawn from the seed, the next when one is reached; the posts' number in a slalom"),
  PO_PARAM(task_scene_params, goal_x, 0, -20, 20, "m", "of a single goal; not given: drawn"),
  PO_PARAM(task_scene_params, goal_y, 0, -20, 20, "m", "of a single goal; not given: drawn"),
  PO_PARAM(task_scene_params, goal_deg, 0, -180, 180, "deg", "heading of a single goal, left positive; not given: drawn"),
  PO_PARAM(task_scene_params, goal_speed, 0, -0.6, 2.5, "m/s", "speed of a single goal; not given: drawn"),
  PO_PARAM(task_scene_params, change_every, 0, 0, 60, "s", "a new goal so often, whether the last was reached or not; 0: no"),
  PO_PARAM(task_scene_params, balls_per_s, 0, 0, 2, "1/s", "balls thrown from random sides"),
  PO_PARAM(task_scene_params, balls, 1000, 0, 1000, "", "at most so many of them"),
  PO_PARAM(task_scene_params, ball_mass, 5, 0.1, 40, "kg", "of a ball"),
  PO_PARAM(task_scene_params, ball_speed, TASK_BALL_SPEED, 0, 20, "m/s", "of a ball against the character; robust: 20 where none is given"),
  PO_PARAM(task_scene_params, boxes, 0, 0, PO_TASK_BOXES, "", "of 0.1 to 0.2 m and 1 to 5 kg that lie in the way"),
  PO_PARAM(task_scene_params, posts, 0, 0, 20, "", "in a row: a slalom for point-heading"),
  PO_PARAM(task_scene_params, characters, 0, 0, PO_TASK_OTHERS, "", "others that walk across"),
  PO_PARAM(task_scene_params, enough, 1, 0, 1, "", "share of the goals that has to be reached"),
  PO_PARAM(task_scene_params, look_ahead, 2, 0, 2, "", "what is chosen is tried first, in a simulation of the own body, and where it falls, another action is taken. 0: never, 1: always, 2: from a hit, or a strike that is not trusted, until two strikes are calm again. hand, or one action always: 0"),
  PO_PARAM(task_scene_params, limit, 20, 2, 60, "s", "for a goal; then it counts as missed and the next one comes"),
};
static const po_text_param task_scene_text[] = {
  {"task", "heading", "line, heading, point, point-heading, heading-speed, robust", NULL},
  {"policy", "", "a .policy file or the name of a committed one; hand: by simple rules; or an action's name, or SET:ACTION: that one always. Not given: the committed one; robust: human-robust-ahead:walk, looking ahead", NULL},
  {NULL, NULL, NULL, NULL}};

#define TASK_STEPS_OFF 4      /* steps by which generalized walking comes from standing to its walk by itself */
#define TASK_KNOWN 1.5        /* of eps_new, the distance of known states: nearer to one of them than this is known. Who only has to stay up walks on through what is not:
                               * a guess lays more down than the walk, which puts its feet where the hit asks for them by itself */
#define TASK_FELT 0.03        /* s after which whoever feels thrown off chooses anew in the middle of a step: the ball has bounced off by then */
#define TASK_APART 0.05       /* s without a touch after which the next one counts as another */
#define TASK_AGAIN 0.1        /* s after which whoever found nothing that stays up looks again, in the middle of the step */
#define TASK_GOOD 1.2         /* s for which a plan that stays up is kept to without another look, unless something touches: half of what was looked ahead */
#define TASK_WARM 20          /* steps of the walk after which the policy takes over, whether it knows the state or not */

/* ---- which policy ---- */

static int task_scene_kind(const po_run *r) { return po_task_find(po_run_text(r, "task")); }

static int task_scene_is_human(const po_run *r) { return r->opts.model && !strcmp(r->opts.model, "biped34"); }

/* The committed set of actions for a task and a body. */
static const char *task_scene_set(const po_run *r) {
  int raptor = r->opts.model && !strcmp(r->opts.model, "raptor");
  switch (task_scene_kind(r)) {
  case PO_TASK_LINE: return task_scene_is_human(r) ? "human-line" : "bird-line";
  case PO_TASK_POINT:
  case PO_TASK_POINT_HEADING: return task_scene_is_human(r) ? "human-steps" : "bird-point";
  case PO_TASK_ROBUST: return "human-robust";
  default: return task_scene_is_human(r) ? "human-steps" : raptor ? "raptor-heading" : "bird-heading";
  }
}

static const char *task_scene_body(const po_run *r) { return task_scene_kind(r) == PO_TASK_ROBUST ? "biped34" : "bird"; }

static int task_scene_is_file(const char *name) {
  size_t n = strlen(name);
  return n > 7 && !strcmp(name + n - 7, ".policy");
}

static po_status task_scene_read(po_run *r, const char *path, po_error *err) {
  task_kept *k = r->kept;
  char set[PO_TASK_NAME];
  char *bytes;
  size_t size;
  po_status st;
  if ((st = po_read_file(&bytes, &size, path, (size_t)1 << 28, err)) != PO_OK) return st;
  if ((st = po_policy_peek(set, bytes, size, path, err)) == PO_OK && (st = po_actions_load(&k->actions, set, err)) == PO_OK)
    st = po_policy_read(&k->policy, r->model, &k->actions, bytes, size, path, err);
  po_free(bytes);
  if (st != PO_OK) return st;
  if (!po_policy_task(k->policy, (po_task_kind)task_scene_kind(r)))
    return po_fail(err, PO_ERR_NAME, "%s was not made for the task '%s'", path, po_run_text(r, "task"));
  return PO_OK;
}

/* Who only has to stay up and is told nothing else walks by the steps of generalized walking that it can choose from ahead. */
#define TASK_ROBUST "human-robust-ahead:walk"
static int task_scene_by_default(const po_run *r) { return task_scene_kind(r) == PO_TASK_ROBUST && !*po_run_text(r, "policy"); }

/* By rules, or one action for good: what policies are compared with. */
static int task_scene_is_plain(const po_run *r) {
  const task_kept *k = po_task_kept(r);
  return !task_scene_by_default(r) && (k->by_hand || k->only >= 0);
}

static po_status task_scene_policy(po_run *r, po_error *err) {
  task_kept *k = r->kept;
  const char *asked = task_scene_by_default(r) ? TASK_ROBUST : po_run_text(r, "policy"), *set = task_scene_set(r);
  char path[600];
  po_status st;
  k->only = -1;
  k->by_hand = !strcmp(asked, "hand");
  if (task_scene_is_file(asked)) return task_scene_read(r, asked, err);
  if (*asked && !k->by_hand) {
    const char *action = strchr(asked, ':');
    if (action) po_format(path, sizeof path, "%.*s", (int)(action - asked), asked);
    if ((st = po_actions_load(&k->actions, action ? path : set, err)) != PO_OK) return st;
    if ((k->only = po_actions_find(&k->actions, action ? action + 1 : asked)) >= 0) return PO_OK;
    if (action) return po_fail(err, PO_ERR_NAME, "actions '%s' have no '%s'", path, action + 1);
    set = asked;
  }
  po_format(path, sizeof path, "%s/policies/%s.policy", r->opts.models ? r->opts.models : "models", set);
  return task_scene_read(r, path, err);
}

/* Steps that no policy takes and that may save whoever looks ahead: the set BODY-rescue, for gaits of SIMBICON. */
static po_status task_scene_rescue(po_run *r, po_error *err) {
  po_actions *set = &po_task_kept(r)->actions, *more;
  char name[PO_TASK_NAME + 8];
  po_status st;
  if (set->gbwc) return PO_OK;
  if (!(more = po_alloc(sizeof *more))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_format(name, sizeof name, "%s-rescue", set->body);
  if ((st = po_actions_load(more, name, err)) == PO_ERR_NAME) st = PO_OK; /* a body that has none */
  else if (st == PO_OK && (st = po_actions_append(set, more)) != PO_OK) po_fail(err, st, "actions '%s' cannot be added to '%s'", name, set->name);
  po_free(more);
  return st;
}

/* ---- making ---- */

static po_status task_scene_room(po_run *r, po_error *err) {
  task_kept *k = r->kept;
  k->q = po_alloc(sizeof(double) * (size_t)r->model->nq);
  k->v = po_alloc(sizeof(double) * (size_t)r->model->nv);
  k->features = po_alloc(sizeof(float) * PO_METRIC_FEATURES);
  return k->q && k->v && k->features ? PO_OK : po_fail(err, PO_ERR_MEMORY, "out of memory");
}

static void task_scene_destroy(po_run *r) {
  task_kept *k = r->kept;
  if (!k) return;
  po_policy_free(k->policy);
  po_task_ahead_free(k->ahead);
  po_free(k->q);
  po_free(k->v);
  po_free(k->features);
  po_free(k);
}

static int task_scene_one_goal(const po_run *r) {
  return po_run_was_set(r, "goal_x") || po_run_was_set(r, "goal_y") || po_run_was_set(r, "goal_deg") || po_run_was_set(r, "goal_speed");
}

/* The move that takes the steps of the policy's actions, which is known only now. */
static po_status task_scene_walker(po_run *r, po_error *err) {
  const po_actions *set = &po_task_kept(r)->actions;
  po_move *move;
  po_status st;
  if (r->type == po_walker_type(set)) return po_run_sim(r, err);
  r->type = NULL;
  if ((st = po_run_sim(r, err)) != PO_OK || (st = po_move_new_of(&move, po_walker_type(set), NULL, r->model, po_run_ground(r), NULL, err)) != PO_OK) return st;
  return po_run_add_move(r, 0, move, err);
}

/* As the walk begins. */
static po_status task_scene_start(po_run *r, po_error *err) {
  const po_actions *set = &po_task_kept(r)->actions;
  po_move *m = po_task_walker(r);
  int walk = po_max(po_actions_find(set, "walk"), 0);
  po_simbicon_choose(m, po_simbicon_find(m, set->action[walk].gait)); /* it goes on with its own when it has none of that name */
  if (set->gbwc) ((po_gbwc_params *)po_move_params(m))->speed = set->step[walk].speed;
  return po_walker_start(po_world_q(r->world, 0), po_world_v(r->world, 0), m, set, walk, err);
}

static po_status task_scene_init(po_run *r, po_error *err) {
  const task_scene_params *p = r->params;
  task_scene_state *s = r->state;
  po_world_opts w = po_world_opts_default();
  po_status st;
  if ((s->task = task_scene_kind(r)) < 0) return po_fail(err, PO_ERR_NAME, "there is no task '%s': line, heading, point, point-heading, heading-speed, robust", po_run_text(r, "task"));
  if (!(r->kept = po_alloc(sizeof(task_kept)))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = task_scene_room(r, err)) != PO_OK || (st = task_scene_policy(r, err)) != PO_OK) return st;
  if (task_scene_is_plain(r) && !po_run_was_set(r, "look_ahead")) ((task_scene_params *)r->params)->look_ahead = 0;
  if (p->look_ahead > 0 && (st = task_scene_rescue(r, err)) != PO_OK) return st;
  if (s->task == PO_TASK_ROBUST && !po_run_was_set(r, "ball_speed")) ((task_scene_params *)r->params)->ball_speed = PO_BALL_SPEED;
  po_rng_init(&s->rng, r->opts.seed, 76);
  s->choose_at = PO_INF;
  s->plan.next = -1;
  s->touched_at = -PO_INF;
  s->goals = s->task == PO_TASK_ROBUST || p->change_every > 0 ? 0 : task_scene_one_goal(r) ? 1 : s->task == PO_TASK_POINT_HEADING && p->posts > 0 ? (int)p->posts : (int)p->goals;
  w.mu = PO_TASK_FRICTION;
  if ((st = po_task_things_terrain(r, err)) != PO_OK || (st = po_run_world(r, &w, 1, err)) != PO_OK || (st = po_task_things_add(r, err)) != PO_OK ||
      (st = task_scene_walker(r, err)) != PO_OK || (st = po_actions_check(&po_task_kept(r)->actions, po_task_walker(r), err)) != PO_OK ||
      (st = task_scene_start(r, err)) != PO_OK)
    return st;
  po_run_add_noise(r, 0);
  if ((st = po_task_things_place(r, err)) != PO_OK) return st;
  return p->look_ahead > 0 ? po_task_ahead_new(&po_task_kept(r)->ahead, r, err) : PO_OK;
}

/* ---- running ---- */

/* A run begins with the walk; the policy takes over at the first strike that it knows. */
static int task_scene_begun(po_run *r) {
  task_scene_state *s = r->state;
  task_kept *k = r->kept;
  double distance;
  int nearest;
  if (s->begun) return 1;
  if (k->actions.gbwc && po_walker_steps(po_task_walker(r)) < TASK_STEPS_OFF) return 0;
  if (k->only >= 0) return s->begun = 1;
  po_metric_features(k->features, &k->policy->metric, k->q, k->v);
  if (po_near_find(&nearest, &distance, 1, k->policy->near, k->features) && distance < TASK_KNOWN * k->actions.eps_new) s->begun = 1;
  if (po_walker_steps(po_task_walker(r)) >= TASK_WARM) s->begun = 1;
  return s->begun;
}

int po_task_table(double *distance, const po_run *r, const double *q, const double *v, const double *w) {
  const task_kept *k = po_task_kept(r);
  po_task_kind task = (po_task_kind)((const task_scene_state *)r->state)->task;
  int action;
  *distance = 0;
  if (k->only >= 0) return k->only;
  po_metric_features(k->features, &k->policy->metric, q, v);
  action = po_policy_choose(distance, k->policy, task, k->features, w);
  if (task == PO_TASK_ROBUST && *distance > TASK_KNOWN * k->actions.eps_new) action = po_max(po_actions_find(&k->actions, "walk"), 0);
  return k->by_hand ? po_task_by_hand(k->policy, &k->actions, task, w) : action;
}

int po_task_calm(const po_run *r, po_move *walker, double distance) {
  const task_kept *k = po_task_kept(r);
  const po_gbwc_state *g = po_gbwc_now(walker);
  return (!g || po_task_afresh(r) || g->unrest == 0) && distance < TASK_KNOWN * k->actions.eps_new;
}

/* After a look ahead that began at `started` by the clock: who found nothing that stays up looks again soon. */
static void task_scene_looked(po_run *r, double started) {
  task_scene_state *s = r->state;
  s->ahead_seconds += r->opts.clock ? r->opts.clock() - started : 0;
  s->ahead_choices++;
  s->choose_at = !s->plan.failed ? PO_INF : r->time + TASK_AGAIN;
  s->good_until = !s->plan.failed ? r->time + TASK_GOOD : 0;
}

/* What was planned when the body last looked ahead, as long as that is good; −1: nothing. */
static int task_scene_planned(po_run *r, int usual) {
  task_scene_state *s = r->state;
  int action = s->plan.next >= 0 ? s->plan.next : usual;
  if (r->time > s->good_until || s->choose_at < PO_INF) return -1;
  s->plan.next = s->plan.kept ? po_actions_mirror(&po_task_kept(r)->actions, action) : -1;
  return action;
}

static int task_scene_choose(po_run *r, const double *w) {
  task_scene_state *s = r->state;
  const task_scene_params *p = r->params;
  task_kept *k = r->kept;
  double started = r->opts.clock ? r->opts.clock() : 0, looked, distance;
  int usual = po_task_table(&distance, r, k->q, k->v, w), action;
  looked = r->opts.clock ? r->opts.clock() : 0;
  s->choose_seconds += looked - started;
  s->chosen += k->only < 0;
  s->calm = po_task_calm(r, po_task_walker(r), distance) && s->touched_at < s->struck_at ? s->calm + 1 : 0;
  if (s->calm >= PO_TASK_CALM) s->disturbed = 0;
  if (distance > k->actions.eps_trust) { /* no exploration went on from such a state: the table guesses */
    s->untrusted++;
    s->disturbed = 1;
  }
  if (!k->ahead || usual < 0 || (p->look_ahead != 1 && !s->disturbed)) return usual;
  if (p->look_ahead == 1 || (action = task_scene_planned(r, usual)) < 0) {
    action = po_task_ahead(k->ahead, r, usual, s->seen ? s->action : -1, 0, &s->plan);
    task_scene_looked(r, looked);
  }
  s->changed += action != usual;
  return action;
}

static void task_scene_goal(po_run *r, po_pose2 place, po_pose2 step, double seconds) {
  task_scene_state *s = r->state;
  const task_scene_params *p = r->params;
  double distance, angle;
  int met = s->given && po_task_goal_met(&distance, &angle, r, place, step, seconds);
  if (s->given <= s->reached && !met && s->given) return;
  if (met) {
    s->reached++;
    s->seconds_sum += r->time - s->given_at;
    s->error_sum += distance;
    s->heading_sum += angle;
  }
  if (!s->given || met || r->time - s->given_at > p->limit) {
    if (!s->goals || s->given < s->goals) po_task_goal_next(r, place);
    else s->given++; /* the last one is dealt with */
  }
}

/* Lets the chosen step begin. Generalized walking begins it as the exploration did, with nothing left of the steps before; but who only has to stay up keeps what he knows of
 * hits, and is left alone altogether when the action is the last one `again`. */
static po_status task_scene_step(po_run *r, int stance, double heading, int again) {
  task_scene_state *s = r->state;
  const po_actions *set = &po_task_kept(r)->actions;
  po_move *m = po_task_walker(r);
  po_sense sense = po_sense_of(po_world_q(r->world, 0), po_world_v(r->world, 0), r->opts.dt);
  po_status st = po_task_afresh(r) ? po_move_enter(m, NULL, &sense, NULL) : po_actor_begin(m->actor, &sense); /* what a step begins from is not in a saved state */
  if (st == PO_OK && !again) st = po_action_begin(m, set, s->action, stance, heading);
  s->steps = po_walker_steps(m);
  return st;
}

/* What is decided once per step, when a foot strikes. */
static po_status task_scene_strike(po_run *r) {
  task_scene_state *s = r->state;
  task_kept *k = r->kept;
  po_move *m = po_task_walker(r);
  int stance = po_walker_stance(m), last, again;
  po_pose2 place, step = {0, 0, 0};
  double w[PO_TASK_AXES], seconds = s->seen ? r->time - s->struck_at : 0, heading;
  po_status st;
  memcpy(k->q, po_world_q(r->world, 0), sizeof(double) * (size_t)r->model->nq);
  memcpy(k->v, po_world_v(r->world, 0), sizeof(double) * (size_t)r->model->nv);
  if ((st = po_strike_own(k->q, k->v, &place, r->model, stance)) != PO_OK) return st;
  s->steps = po_walker_steps(m);
  if (!task_scene_begun(r)) {
    s->waited = 1;
    return PO_OK;
  }
  if (s->seen) step = po_pose2_from(s->place, place, 0);
  if (s->task != PO_TASK_ROBUST) task_scene_goal(r, place, step, seconds);
  po_task_goal_seen(w, s, place, stance);
  last = s->action;
  s->action = task_scene_choose(r, w);
  if (s->action < 0) return PO_ERR_STATE;
  again = !po_task_afresh(r) && po_task_again(&k->actions, s->action, s->seen ? last : -1);
  s->used[s->action]++;
  s->strikes++;
  s->seen = 1;
  s->place = place;
  s->struck_at = r->time;
  heading = po_task_heading(r, place.heading);
  return task_scene_step(r, stance, heading, again);
}

/* A hit is felt by what touches the body, and in the robust walk by its own unrest: nobody tells of balls. In tasks with goals sharp turns are unrest enough. */
static void task_scene_feel(po_run *r) {
  task_scene_state *s = r->state;
  const po_gbwc_state *g = po_gbwc_now(po_task_walker(r));
  int thrown = g && !po_task_afresh(r) && g->unrest >= 1, touched = s->touching_now && r->time - s->touched_at > TASK_APART;
  if (s->touching_now) s->touched_at = r->time;
  if (touched || (thrown && s->seen && !s->disturbed)) s->choose_at = po_min(s->choose_at, r->time + TASK_FELT);
  if (s->touching_now || (thrown && s->seen)) s->disturbed = 1;
}

/* Whoever looks ahead and was hit does not wait for the strike. */
static po_status task_scene_change(po_run *r) {
  task_scene_state *s = r->state;
  task_kept *k = r->kept;
  double started = r->opts.clock ? r->opts.clock() : 0;
  int action;
  if (!k->ahead || !s->seen || r->time < s->choose_at) return PO_OK;
  if ((action = po_task_ahead(k->ahead, r, s->action, s->action, 1, &s->plan)) < 0) return PO_ERR_STATE;
  task_scene_looked(r, started);
  if (action == s->action) return PO_OK;
  s->action = action;
  s->changed++;
  s->used[action]++;
  return po_action_change(po_task_walker(r), &k->actions, action);
}

static po_status task_scene_before(po_run *r) {
  task_scene_state *s = r->state;
  const task_scene_params *p = r->params;
  po_status st;
  if ((st = po_task_things_throw(r)) != PO_OK) return st;
  if (p->change_every > 0 && s->given && r->time - s->given_at >= p->change_every) po_task_goal_next(r, s->place);
  return po_walker_steps(po_task_walker(r)) != s->steps || (!s->seen && !s->waited) ? task_scene_strike(r) : task_scene_change(r);
}

static void task_scene_observe(po_run *r) {
  po_task_things_watch(r);
  task_scene_feel(r);
}

static int task_scene_finished(const po_run *r) {
  const task_scene_state *s = r->state;
  return (s->goals && s->given > s->goals) || r->sim->character[0].fall.at >= 0;
}

/* ---- for recordings ---- */

static const char *task_scene_stage(const po_run *r) {
  const task_scene_state *s = r->state;
  return s->seen ? po_task_kept(r)->actions.action[s->action].name : NULL;
}

static void task_scene_mark(po_goal_mark *m, const po_run *r) {
  static const int kinds[PO_TASK_KINDS] = {2, 3, 1, 1, 3, 0};
  const task_scene_state *s = r->state;
  m->kind = s->given && s->task != PO_TASK_ROBUST ? kinds[s->task] : 0;
  m->x = s->goal.x;
  m->y = s->goal.y;
  m->heading = s->task == PO_TASK_LINE || s->task == PO_TASK_POINT ? PO_NAN : s->goal.heading;
}

/* ---- the verdict ---- */

static void task_scene_results(po_run *r) {
  const task_scene_state *s = r->state;
  double n = s->reached;
  int i, used = 0;
  for (i = 0; i < PO_ACTIONS_MAX; i++) used += s->used[i] > 0;
  po_run_set_result(r, "reached", n);
  po_run_set_result(r, "goals", s->goals);
  po_run_set_result(r, "time_to_goal_mean", n > 0 ? s->seconds_sum / n : PO_NAN);
  po_run_set_result(r, "goal_error_mean", n > 0 ? s->error_sum / n : PO_NAN);
  po_run_set_result(r, "heading_error_deg", n > 0 ? PO_DEG(s->heading_sum / n) : PO_NAN);
  po_run_set_result(r, "falls", r->sim->character[0].fall.at >= 0);
  po_run_set_result(r, "hits", (double)s->hits);
  po_run_set_result(r, "touched", (double)r->sim->character[0].touched);
  po_run_set_result(r, "strikes", (double)s->strikes);
  po_run_set_result(r, "changed_ahead", (double)s->changed);
  po_run_set_result(r, "untrusted_share", s->chosen ? (double)s->untrusted / (double)s->chosen : PO_NAN);
  po_run_set_result(r, "actions_used", used);
  po_run_set_result(r, "choose_us_mean", r->opts.clock && s->chosen ? 1e6 * s->choose_seconds / (double)s->chosen : PO_NAN);
  po_run_set_result(r, "ahead_choices", (double)s->ahead_choices);
  po_run_set_result(r, "ahead_ms_mean", r->opts.clock && s->ahead_choices ? 1e3 * s->ahead_seconds / (double)s->ahead_choices : PO_NAN);
}

static void task_scene_judge(po_run *r) {
  const task_scene_state *s = r->state;
  const task_scene_params *p = r->params;
  task_scene_results(r);
  if (r->outcome != PO_RUNNING) return;
  if (s->reached < p->enough * s->goals) po_run_fail(r, PO_FAILED, "%d of %d goals were reached", s->reached, s->goals);
  else if (p->posts > 0 && r->sim->character[0].touched) po_run_fail(r, PO_FAILED, "posts were touched %ld times", r->sim->character[0].touched);
}

const po_scenario po_scenario_task = {
  .name = "task", .summary = "reach goals by choosing an action at every foot strike, with balls and boxes in the way",
  .success = "does not fall and reaches every goal (or the share `enough`) within its limit; posts are not touched. robust and change_every: does not fall",
  .model = "bird", .body = task_scene_body, .move = "simbicon", .seconds = 100, .dt = 0.0005, .control_hz = 2000, .text = task_scene_text,
  .param = task_scene_param, .params = sizeof task_scene_param / sizeof *task_scene_param, .params_bytes = sizeof(task_scene_params),
  .state_bytes = sizeof(task_scene_state), .init = task_scene_init, .before = task_scene_before, .observe = task_scene_observe,
  .finished = task_scene_finished, .judge = task_scene_judge, .destroy = task_scene_destroy, .stage = task_scene_stage, .goal = task_scene_mark};
