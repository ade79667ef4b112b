/* crowd.c: many walkers of random proportions on one floor, who bump into each other (Coros 2010, figure 5.13). */
#include "skill_scene.h"
#include <string.h>

typedef struct crowd_params { double friction, count, area, spread; } crowd_params;
static const po_param crowd_param[] = {
    PO_PARAM(crowd_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(crowd_params, count, 16, 1, 64, "", "walkers"),
    PO_PARAM(crowd_params, area, 6, 3, 40, "m", "side of the square that they keep to"),
    PO_PARAM(crowd_params, spread, 0.3, 0, 0.5, "", "how far their proportions are apart"),
};
static const po_text_param crowd_text[] = {PO_SKILL_TEXTS, {"controller", "gbwc", "gbwc, or walk by whole-body control", NULL}, {NULL, NULL, NULL, NULL}};

#define CROWD_MOST 64
#define CROWD_THINK 0.1          /* s between looks around */
#define CROWD_NEAR 1.5           /* m: others nearer than this are walked around */
#define CROWD_TURN 0.08          /* rad: of a course at a look, at most: 0.8 rad/s */
#define CROWD_CLOSE 0.85         /* m: who has somebody so near before it steps in place, nearer still it gives way */
#define CROWD_AHEAD 0.3          /* cosine of the angle within which somebody is before one */
#define CROWD_BACK -0.5          /* of the speed: how fast one gives way */
#define CROWD_EDGE 0.8           /* of half the side: from here on it is back to the middle */
#define CROWD_WANDER 0.12        /* rad: how far a course changes by itself at a look */
#define CROWD_STANDING 0.9       /* share that has to stand at the end */
#define CROWD_SLOW 0.5           /* of the speed asked for, at least: each has its own */

typedef struct crowd_state {
  double course[CROWD_MOST];     /* rad */
  double touching[CROWD_MOST];   /* 1: it touched another in the last step */
  double speed[CROWD_MOST];      /* m/s that each likes to walk at, of a leg of 0.86 m */
  double bumps, contacts_max, looks;
} crowd_state;

static const char *crowd_behaviour(const po_run *r) { return po_run_text(r, "controller"); }

/* ---- setting up ---- */

static double crowd_random(const po_run *r, int who, int what) {
  po_rng rng;
  po_rng_init(&rng, r->opts.seed + 7, (uint64_t)(who * 64 + what));
  return po_rng_range(&rng, 0, 1);
}

static po_status crowd_model(const po_model **m, const po_run *r, int who, po_error *err) {
  const crowd_params *p = r->params;
  return po_body_random(m, r->opts.seed * 100 + (uint64_t)who + 1, p->spread, err);
}

/* On a grid of the square, each somewhere in its cell. */
static po_status crowd_place(po_run *r, int who, po_error *err) {
  const crowd_params *p = r->params;
  crowd_state *s = r->state;
  int side = (int)(sqrt(p->count - 1e-9)) + 1;
  double cell = p->area / side, room = po_max(0.5 * (cell - 0.8), 0);
  double x = -0.5 * p->area + (who % side + 0.5) * cell + room * (2 * crowd_random(r, who, 0) - 1);
  double y = -0.5 * p->area + (who / side + 0.5) * cell + room * (2 * crowd_random(r, who, 1) - 1);
  s->course[who] = PO_PI * (2 * crowd_random(r, who, 2) - 1);
  if (po_stand_pose(po_world_q(r->world, who), po_world_model(r->world, who), po_run_ground(r), x, y, s->course[who], 0.97, err) != PO_OK) return PO_ERR_MODEL;
  po_run_add_noise(r, who);
  return PO_OK;
}

/* Parameters of one walker: as asked for, with a pace of its own. */
static po_status crowd_move(po_run *r, int who, po_error *err) {
  po_move *move;
  double x;
  po_status st = who ? po_move_new_of(&move, r->type, r->move_params, po_world_model(r->world, who), po_run_ground(r), &r->opts.wbc, err) : PO_OK;
  if (st != PO_OK || (who && (st = po_run_add_move(r, who, move, err)) != PO_OK)) return st;
  move = po_run_move(r, who);
  if (r->type != &po_gbwc_type) return PO_OK;
  po_move_get(&x, move, "speed");
  ((crowd_state *)r->state)->speed[who] = x * (CROWD_SLOW + (1 - CROWD_SLOW) * crowd_random(r, who, 3));
  if ((st = po_move_set(move, "speed", x * (CROWD_SLOW + (1 - CROWD_SLOW) * crowd_random(r, who, 3)), err)) != PO_OK) return st;
  po_move_get(&x, move, "step_time");
  return po_move_set(move, "step_time", po_clamp(x * (0.85 + 0.3 * crowd_random(r, who, 4)), 0.2, 1), err);
}

static po_status crowd_init(po_run *r, po_error *err) {
  const crowd_params *p = r->params;
  po_world_opts opts = po_world_opts_default();
  const char *controller = crowd_behaviour(r);
  po_status st;
  int i, n = (int)p->count;
  if (strcmp(controller, "gbwc") && strcmp(controller, "walk")) return po_fail(err, PO_ERR_NAME, "controller = %s: gbwc or walk", controller);
  if (r->opts.model) return po_fail(err, PO_ERR_RANGE, "a crowd makes bodies of its own: it takes no model");
  po_model_free(r->model);
  r->model = NULL;
  if ((st = crowd_model(&r->model, r, 0, err)) != PO_OK) return st;
  opts.mu = p->friction;
  if ((st = po_run_world(r, &opts, 1, err)) != PO_OK) return st;
  for (i = 1; i < n; i++) {
    if ((st = crowd_model(&r->spare[i], r, i, err)) != PO_OK) return st;
    if ((st = po_world_add(NULL, r->world, r->spare[i])) != PO_OK) return po_fail(err, st, "world: %s", po_status_string(st));
  }
  for (i = 0; i < n; i++)
    if ((st = crowd_place(r, i, err)) != PO_OK) return st;
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  for (i = 0; i < n; i++)
    if ((st = crowd_move(r, i, err)) != PO_OK) return st;
  return PO_OK;
}

/* ---- while it goes on ---- */

/* Away from who is near and ahead, back from the edge, else on with a whim. */
static void crowd_look(po_run *r, int who) {
  const crowd_params *p = r->params;
  crowd_state *s = r->state;
  const double *q = po_world_q(r->world, who) + 4;
  double si, co, x, y, goal, turn, free = 1, back = 1;
  po_rng rng;
  int k;
  po_rng_init(&rng, r->opts.seed + 11, (uint64_t)s->looks * CROWD_MOST + (uint64_t)who);
  s->course[who] += po_rng_range(&rng, -CROWD_WANDER, CROWD_WANDER);
  po_sincos(&si, &co, s->course[who]);
  x = co, y = si;
  if (po_max(po_abs(q[0]), po_abs(q[1])) > CROWD_EDGE * 0.5 * p->area) x -= q[0] / (0.25 * p->area), y -= q[1] / (0.25 * p->area);
  for (k = 0; k < (int)p->count; k++) {
    const double *o = po_world_q(r->world, k) + 4;
    double dx = q[0] - o[0], dy = q[1] - o[1], d = sqrt(dx * dx + dy * dy);
    if (k == who || d > CROWD_NEAR || d < 1e-6) continue;
    if (-(co * dx + si * dy) > CROWD_AHEAD * d) free = po_min(free, (d - CROWD_CLOSE) / (CROWD_NEAR - CROWD_CLOSE));
    else if (co * dx + si * dy > CROWD_AHEAD * d) back = po_min(back, (d - CROWD_CLOSE) / (CROWD_NEAR - CROWD_CLOSE));
    x += dx / d * 1.5 * (CROWD_NEAR - d) / CROWD_NEAR;
    y += dy / d * 1.5 * (CROWD_NEAR - d) / CROWD_NEAR;
  }
  free = po_max(free, -po_max(back, 0)); /* nobody gives way into somebody else */
  goal = po_atan2(y, x);
  turn = po_wrap(goal - s->course[who]);
  s->course[who] = po_wrap(s->course[who] + po_clamp(turn, -CROWD_TURN, CROWD_TURN));
  if (r->type == &po_gbwc_type) po_move_set(po_run_move(r, who), "speed", s->speed[who] * po_clamp(free, CROWD_BACK, 1), NULL);
  po_move_set(po_run_move(r, who), "heading", po_clamp(PO_DEG(s->course[who]), -180, 180), NULL);
}

static po_status crowd_before(po_run *r) {
  const crowd_params *p = r->params;
  crowd_state *s = r->state;
  int i;
  if (r->time < s->looks * CROWD_THINK - 1e-9) return PO_OK;
  s->looks += 1;
  for (i = 0; i < (int)p->count; i++)
    if (r->verdict[i].fell_at < 0) crowd_look(r, i);
  return PO_OK;
}

static void crowd_observe(po_run *r) {
  const crowd_params *p = r->params;
  crowd_state *s = r->state;
  double now[CROWD_MOST];
  int i, count;
  const po_contact *c = po_world_contacts(&count, r->world);
  memset(now, 0, sizeof now);
  for (i = 0; i < count; i++)
    if (c[i].b >= 0 && po_v3_dot(c[i].impulse, c[i].normal) > 0) now[c[i].a] = now[c[i].b] = 1;
  for (i = 0; i < (int)p->count; i++) {
    s->bumps += now[i] > 0 && !(s->touching[i] > 0);
    s->touching[i] = now[i];
  }
  s->contacts_max = po_max(s->contacts_max, count);
}

static void crowd_judge(po_run *r) {
  const crowd_params *p = r->params;
  const crowd_state *s = r->state;
  double steps = 0;
  int i, standing = 0, n = (int)p->count;
  for (i = 0; i < n; i++) {
    const po_move *m = po_run_move(r, i);
    standing += r->verdict[i].fell_at < 0;
    steps += (double)(r->type == &po_gbwc_type ? po_gbwc_now(m)->steps : po_walk_see(m)->steps);
  }
  po_run_set_result(r, "standing", standing);
  po_run_set_result(r, "bumps", 0.5 * s->bumps);
  po_run_set_result(r, "contacts_max", s->contacts_max);
  po_run_set_result(r, "steps_total", steps);
  if (r->outcome == PO_FAILED) return;
  if (standing < CROWD_STANDING * n) {
    r->outcome = PO_RUNNING;
    po_run_fail(r, PO_FELL, "%d of %d still stand", standing, n);
  } else if (r->outcome == PO_FELL) { /* some have fallen: that is allowed */
    r->outcome = PO_RUNNING;
    r->fell_at = -1;
    r->reason[0] = 0;
  }
}

const po_scenario po_scenario_crowd = {
  .name = "crowd", .summary = "many walkers of random proportions who bump into each other",
  .success = "at least 90 % still stand at the end",
  .model = "human", .move = "gbwc", .behaviour = crowd_behaviour, .seconds = 20, .dt = 0.001, .control_hz = 1000, .text = crowd_text,
  .param = crowd_param, .params = sizeof crowd_param / sizeof *crowd_param, .params_bytes = sizeof(crowd_params),
  .state_bytes = sizeof(crowd_state), .init = crowd_init, .before = crowd_before, .observe = crowd_observe, .judge = crowd_judge};
