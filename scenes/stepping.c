/* stepping.c: steps that are planned at every strike (docs/constrained-walking.md). */
#include "stepping.h"
#include "../ctrl/learn/learn.h"
#include <string.h>

#define STEPPING_MISSED 0.06 /* m: a foot that comes down so far from where it was planned makes the rest of the plan void */
#define STEPPING_STRANGE                                                                                                           \
  0.1 /* of the metric: so does a state so far from the predicted one; usual is 0.03, a push that changes the speed by 0.2 m/s gives 0.2 */
#define STEPPING_ACROSS 0.5 /* no crevasse is met more askew than this cosine */
#define STEPPING_AGAIN 0.2  /* m: a stone that much ahead has not been reached; */
#define STEPPING_PAST 0.02  /* one that near is no step any more */
#define STEPPING_LIFT                                                                                                              \
  0.6 /* rad: toes up; on level ground they drag along for some centimetres after a long step, over a gap they dip by 1 cm and catch its far edge */
#define STEPPING_HALF 0.5 /* of the sole on ground: a good step */

typedef struct po_builtin_steps {
  const char *name;
  const unsigned char *bytes;
  unsigned long size;
} po_builtin_steps;
extern const po_builtin_steps po_builtin_step_files[]; /* models/policies, compiled in; ended by a NULL name */

static const po_builtin_steps *stepping_builtin(const po_run *r, const char *style) {
  char name[2 * PO_STEP_NAME];
  int i;
  po_format(name, sizeof name, "%s-%s.steps", r->model->name, style);
  for (i = 0; po_builtin_step_files[i].name; i++)
    if (!strcmp(po_builtin_step_files[i].name, name)) return &po_builtin_step_files[i];
  return NULL;
}

const char *stepping_style(const po_run *r) {
  const char *style = po_run_text(r, "style");
  return *style ? style : stepping_builtin(r, PO_STEP_GBWC) ? PO_STEP_GBWC : "walk";
}

const char *stepping_behaviour(const po_run *r) { return !strcmp(stepping_style(r), PO_STEP_GBWC) ? "gbwc" : "simbicon"; }

double stepping_facing(const po_run *r) {
  const po_move *move = po_run_move(r, 0);
  const po_simbicon_state *m = po_simbicon_now(move);
  return m ? m->facing : po_gbwc_now(move)->north + PO_RAD(((const po_gbwc_params *)po_move_params(move))->heading);
}

void stepping_turn(po_run *r, double facing) {
  po_move *move = po_run_move(r, 0);
  if (po_simbicon_now(move)) ((po_simbicon_params *)po_move_params(move))->heading = PO_DEG(facing);
  else ((po_gbwc_params *)po_move_params(move))->heading = PO_DEG(facing - po_gbwc_now(move)->north);
}

/* The planner's x is measured along the way, in the middle between the feet: who walks askew has one foot further ahead than the other, and either must stand. */
double stepping_good(void *user, double x) {
  const stepping *w = user;
  double from = x * w->along, to = (x + w->sole) * w->along;
  if (w->askew == 0) return po_pieces_cover(&w->pieces, from, to);
  return po_min(po_pieces_cover(&w->pieces, from - w->askew, to - w->askew),
                po_pieces_cover(&w->pieces, from + w->askew, to + w->askew));
}

/* m: by how much a right foot is further along x than the middle, the body walking askew; 0 in a plane. */
static double stepping_askew(const po_run *r, const po_data *d) {
  const po_patches *p = &po_run_move(r, 0)->actor->patches;
  po_vec3 apart = po_v3_sub(po_frame_position(d, p->patch[0].heel), po_frame_position(d, p->patch[1].heel));
  double along = po_cos(stepping_facing(r)), aside = po_sin(stepping_facing(r));
  if (r->model->joint[0].type == PO_JOINT_PLANAR) return 0;
  return 0.5 * (along * apart.y - aside * apart.x) * aside;
}

/* ---- making ---- */

static double stepping_sole(const po_model *m) {
  int heel = po_find_frame(m, "heel_l"), toe = po_find_frame(m, "toe_l");
  po_vec3 tip;
  if (heel < 0 || toe < 0) return 0;
  tip = m->frame[toe].pose.p;
  if (m->frame[toe].body != m->frame[heel].body) { /* toes of their own, at their zero pose */
    po_pose placed = m->joint[m->frame[toe].body].placement;
    tip = po_v3_add(placed.p, po_m3_mul_v(placed.R, tip));
  }
  return po_v3_norm(po_v3_sub(tip, m->frame[heel].pose.p));
}

static po_status stepping_policy(po_step_model **model, const po_run *r, const char *policy, int most, po_error *err) {
  char *bytes;
  size_t size;
  po_status st;
  if (!*policy) {
    const po_builtin_steps *own = stepping_builtin(r, stepping_style(r));
    if (own) return po_step_model_read(model, r->model, own->bytes, own->size, most, own->name, err);
    return po_fail(err, PO_ERR_NAME, "%s has no steps of its own for '%s': --set policy=FILE.steps, which `poise plan steps` makes",
                   r->model->name, stepping_style(r));
  }
  if ((st = po_read_file(&bytes, &size, policy, (size_t)1 << 28, err)) != PO_OK) return st;
  st = po_step_model_read(model, r->model, bytes, size, most, policy, err);
  po_free(bytes);
  return st;
}

po_status stepping_load(po_run *r, po_error *err) {
  const stepping_params *p = r->params;
  po_step_planner_opts o = po_step_planner_opts_default();
  const char *policy = po_run_text(r, "policy"), *planner = po_run_text(r, "planner");
  int planning = po_step_planning_find(planner);
  stepping *w;
  po_status st = PO_OK;
  if (planning < 0) return po_fail(err, PO_ERR_NAME, "there is no planner '%s': regular, random, hybrid", planner);
  if (!(w = po_alloc(sizeof *w))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(w, 0, sizeof *w);
  r->kept = w;
  if (!((w->sole = stepping_sole(r->model)) > 0))
    return po_fail(err, PO_ERR_NAME, "%s has no heel and toe to step with", r->model->name);
  w->kind = po_step_kind_of(r->model, stepping_style(r));
  if (!strcmp(policy, "base")) return PO_OK;
  if (p->examples > 0 && p->examples < PO_STEP_NEAR)
    return po_fail(err, PO_ERR_RANGE, "examples=%g: a step model needs at least %d", p->examples, PO_STEP_NEAR);
  if ((st = stepping_policy(&w->model, r, policy, (int)p->examples, err)) != PO_OK) return st;
  if (p->refine >= 0.5 && (st = po_step_model_fit(w->model, err)) != PO_OK) return st;
  o.planning = (po_step_planning)planning;
  o.horizon = (int)floor(p->horizon + 0.5);
  o.samples = (int)floor(p->samples + 0.5);
  o.u_max = p->u_max;
  return po_step_planner_init(&w->planner, w->model, &o, r->opts.seed, err);
}

void stepping_destroy(po_run *r) {
  stepping *w = r->kept;
  if (!w) return;
  po_step_model_free(w->model);
  po_free(w->stone);
  po_free(w);
  r->kept = NULL;
}

po_status stepping_init(po_run *r, po_error *err) {
  stepping *w = r->kept;
  stepping_state *s = r->state;
  po_world_opts o = po_world_opts_default();
  po_move *m;
  po_status st;
  int gait;
  o.mu = 0.8;
  if ((st = po_run_lay_pieces(r, &w->pieces, ((const stepping_params *)r->params)->depth, err)) != PO_OK) return st;
  if ((st = po_run_world(r, &o, 1, err)) != PO_OK || (st = po_run_sim(r, err)) != PO_OK) return st;
  m = po_run_move(r, 0);
  if (po_simbicon_now(m)) {
    if ((gait = po_simbicon_find(m, stepping_style(r))) < 0)
      return po_fail(err, PO_ERR_NAME, "%s has no gait '%s'", r->model->name, stepping_style(r));
    po_simbicon_choose(m, gait);
    st = po_simbicon_start(po_world_q(r->world, 0), po_world_v(r->world, 0), m, gait, err);
  } else st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, PO_STEP_STAND, err);
  if (st != PO_OK) return st;
  po_run_add_noise(r, 0);
  s->rng = w->planner.rng;
  s->predicted = PO_NAN;
  s->along = 1;
  s->length_min = PO_INF;
  return PO_OK;
}

/* ---- strikes ---- */

static void stepping_measure(po_run *r, double x) {
  stepping *w = r->kept;
  stepping_state *s = r->state;
  double length = (x - s->x) / s->along;
  int good = po_pieces_cover(&w->pieces, x, x + w->sole * s->along) >= STEPPING_HALF;
  s->good += good;
  s->bad += !good;
  if (s->strikes > 1) {
    s->length_min = po_min(s->length_min, length);
    s->length_max = po_max(s->length_max, length);
  }
  while (s->on + 1 < w->runup && w->stone[s->on + 1] - x < x - w->stone[s->on]) s->on++; /* marks of the run-up may be left out, */
  if (s->on < w->runup && w->stone[s->on] - x > 0.5 * (w->stone[1] - w->stone[0])) return; /* or not yet be reached */
  if (s->on < w->stones) {
    double error = po_abs(x - w->stone[s->on]);
    int runup = s->on < w->runup;
    if (runup || w->stone[s->on] - x < STEPPING_AGAIN)
      s->on++; /* a stone that is still a step ahead is stepped to again, the miss being counted; */
    while (s->on + 1 < w->stones && w->stone[s->on] - x < STEPPING_PAST) s->on++; /* one that was passed is left behind */
    if (runup) return;
    s->counted++;
    s->error_sum += error;
    s->error_max = po_max(s->error_max, error);
    s->below += error < 0.06;
    s->above += error > 0.12;
  }
}

/* 1: between the toes that are left behind and those that stand there is a gap, into which the foot would dip. */
static int stepping_dips(const po_run *r, const po_data *d, double x) {
  const stepping *w = r->kept;
  const stepping_state *s = r->state;
  double toe = po_frame_position(d, po_run_move(r, 0)->actor->patches.patch[!po_walker_stance(po_run_move(r, 0))].heel).x + w->sole * s->along;
  return ((const stepping_params *)r->params)->depth > 0 && !w->model->kind.knee &&
         po_pieces_cover(&w->pieces, toe, x + w->sole * s->along) < 1;
}

/* Bends the step of SIMBICON that has just begun as the plan says. */
static void stepping_bend(po_run *r, const po_data *d, double x) {
  const stepping *w = r->kept;
  const stepping_state *s = r->state;
  po_step_bend *bend = po_simbicon_bend(po_run_move(r, 0));
  memset(bend, 0, sizeof *bend);
  if (w->model && !w->plan.base) po_step_kind_bend(bend, &w->model->kind, w->plan.action);
  bend->grip = w->kind.grip;
  if (w->model && stepping_dips(r, d, x)) bend->lift = STEPPING_LIFT; /* of a base step too: the gap may be behind */
  ((po_simbicon_params *)po_move_params(po_run_move(r, 0)))->side_deg = !w->model || w->plan.base ? PO_DEG(s->steer) : 0; /* plans know nothing of it */
}

static void stepping_plan(po_run *r, const po_data *d, double x) {
  stepping *w = r->kept;
  stepping_state *s = r->state;
  int stance = po_walker_stance(po_run_move(r, 0));
  double state[PO_STEP_STATE], aside, missed = po_abs(x - s->predicted), from = r->opts.clock ? r->opts.clock() : 0;
  s->predicted = PO_NAN;
  if (!w->model) return;
  w->planner.rng = s->rng;
  w->along = s->along;
  w->askew = stepping_askew(r, d);
  aside = stance ? -w->askew : w->askew;
  po_step_state_of(state, d, po_run_move(r, 0)->actor, stance, stepping_facing(r));
  s->replans += missed > STEPPING_MISSED || (po_isfinite(missed) && po_step_distance(state, s->expected) > STEPPING_STRANGE);
  po_step_planner_plan(&w->plan, &w->planner, state, (x + aside) / s->along, &w->ground);
  s->rng = w->planner.rng;
  if (r->opts.clock && s->plans < STEPPING_TIMES) w->plan_us[s->plans] = (float)(1e6 * (r->opts.clock() - from));
  if (w->plan.base) return;
  s->plans++;
  s->fallbacks += !w->plan.found;
  s->rejected += w->plan.samples - (w->plan.found ? 1 : 0);
  if (w->plan.steps) s->predicted = w->plan.foothold[0] * s->along + aside;
  memcpy(s->expected, w->plan.to, sizeof s->expected);
}

int stepping_observe(po_run *r) {
  stepping_state *s = r->state;
  const stepping *w = r->kept;
  po_move *move = po_run_move(r, 0);
  const po_data *d = po_world_data(r->world, 0);
  po_vec3 heel;
  if (po_walker_steps(move) == s->strikes) return 0;
  s->strikes = po_walker_steps(move);
  heel = po_frame_position(d, move->actor->patches.patch[po_walker_stance(move)].heel);
  stepping_measure(r, heel.x);
  s->x = heel.x;
  s->y = heel.y;
  if (r->model->joint[0].type != PO_JOINT_PLANAR) s->along = po_max(po_cos(stepping_facing(r)), STEPPING_ACROSS);
  stepping_plan(r, d, heel.x);
  if (po_simbicon_now(move)) stepping_bend(r, d, heel.x);
  else if (w->model && !w->plan.base) po_gbwc_step_to(move, po_walker_stance(move), stepping_facing(r), w->plan.action);
  return 1;
}

/* ---- for recordings ---- */

static void stepping_mark(po_mark *mark, const po_run *r, po_mark_kind kind, double x, double uncertainty,
                          const double low[2]) {
  const stepping *w = r->kept;
  const stepping_state *s = r->state;
  double slope = s->along < 1 ? po_sin(stepping_facing(r)) : 0;
  mark->kind = kind;
  mark->x = x * s->along;
  mark->y = s->y + (x - s->x / s->along) * slope;
  mark->z = po_max(0, po_terrain_height(r->terrain, mark->x, mark->y));
  mark->length = w->sole;
  mark->doubt = uncertainty / w->planner.doubt;
  memcpy(mark->low, low, sizeof mark->low);
  memcpy(mark->high, low, sizeof mark->high);
}

int stepping_marks(po_mark *mark, long *serial, const po_run *r) {
  const stepping *w = r->kept;
  const po_step_plan *p = &w->plan;
  int k, n = 0;
  *serial = ((const stepping_state *)r->state)->strikes;
  if (!w->model || p->base || !p->steps) return 0;
  stepping_mark(&mark[n], r, PO_MARK_BOX, p->foothold[0], 0, p->box);
  memcpy(mark[n++].high, p->box + 2, sizeof mark->high);
  for (k = 0; k < p->tried && n < PO_PLAN_MARKS - PO_PLAN_HORIZON; k++)
    stepping_mark(&mark[n++], r, PO_MARK_TRIED, p->sample[k].x, p->sample[k].uncertainty, p->sample[k].low);
  for (k = 0; k < p->steps; k++) stepping_mark(&mark[n++], r, PO_MARK_FOOTHOLD, p->foothold[k], p->uncertainty[k], p->low);
  return n;
}

void stepping_judge(po_run *r) {
  const stepping *w = r->kept;
  const stepping_state *s = r->state;
  float sorted[STEPPING_TIMES];
  double sum = 0;
  int i, j, n = (int)po_min((double)s->plans, STEPPING_TIMES);
  for (i = 0; i < n; i++) {
    float x = w->plan_us[i];
    sum += (double)x;
    for (j = i; j > 0 && sorted[j - 1] > x; j--) sorted[j] = sorted[j - 1];
    sorted[j] = x;
  }
  po_run_set_result(r, "plan_us_mean", n && r->opts.clock ? sum / n : PO_NAN);
  po_run_set_result(r, "plan_us_p99", n && r->opts.clock ? (double)sorted[(int)(0.99 * (n - 1) + 0.5)] : PO_NAN);
}
