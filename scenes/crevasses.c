/* crevasses.c: a way by way-points over crevasses, in space (Coros 2010, section 3.6, figure 3.6; docs/constrained-walking.md).
 *
 * Crevasses lie across x and are of drawn widths. The character heads for the next way-point; its steps are planned in its sagittal plane, where a crevasse that is
 * met at an angle is the wider for it.
 */
#include "stepping.h"
#include "../ctrl/learn/learn.h"
#include <string.h>

typedef struct crevasses_params {
  stepping_params stepping;
  double width_max, count;
} crevasses_params;
static const po_param crevasses_param[] = {
    STEPPING_PARAMS(crevasses_params, 500),
    PO_PARAM(crevasses_params, width_max, 0.5, 0.1, 0.6, "m", "of the widest crevasse; widths are drawn from 0.1 m on"),
    PO_PARAM(crevasses_params, count, 12, 1, 40, "", "crevasses"),
};
static const po_text_param crevasses_texts[] = {STEPPING_TEXTS("hybrid"), {NULL, NULL, NULL, NULL}};

#define CREVASSES_START 2.0   /* m of ground at first, */
#define CREVASSES_NEAR 1.0    /* and then between crevasses at least, */
#define CREVASSES_FAR 2.0     /* and at most */
#define CREVASSES_LEAST 0.1   /* m: of the narrowest */
#define CREVASSES_AFTER 2.0   /* m behind the last one, where the way ends */
#define CREVASSES_APART 3.0   /* m between way-points, */
#define CREVASSES_ASIDE 0.4   /* m to either side */
#define CREVASSES_REACHED 0.5 /* m from a way-point: it counts, and the next is headed for */
#define CREVASSES_AHEAD                                                                                                            \
  2.5 /* m: a way-point is headed for as if it were so far ahead at least: who turns sharply weaves, and turned by 30 degrees its steps are not those that were learnt; */
#define CREVASSES_NIMBLE 1.0     /* m: generalized walking turns within a step, and goes where it faces */
#define CREVASSES_TURN 0.1       /* rad: most that the heading changes in a step: turns that were learnt */
#define CREVASSES_TURN_FREE 0.4  /* rad: the same of generalized walking where no crevasse is near */
#define CREVASSES_STRIDE 2       /* strikes: the course is measured over so many */
#define CREVASSES_STEER 0.25     /* rad per rad that the course is off */
#define CREVASSES_STEER_MOST 0.1 /* rad: legs that were learnt are bent no further to the side */
#define CREVASSES_POINTS 48

typedef struct crevasses_state {
  stepping_state stepping;
  int points, next, reached; /* next: the one headed for */
  double x[CREVASSES_POINTS], y[CREVASSES_POINTS];
  double error_sum;
  long errors;
  double end;
  po_vec3 before[CREVASSES_STRIDE]; /* the COM at the last strikes */
  int strikes;
} crevasses_state;

static po_status crevasses_lay(po_run *r, po_error *err) {
  const crevasses_params *p = r->params;
  crevasses_state *s = r->state;
  stepping *w = r->kept;
  double x = CREVASSES_START;
  int i, n = (int)floor(p->count + 0.5);
  po_status st = po_pieces_add(&w->pieces, -3, x, 0);
  po_rng rng;
  po_rng_init(&rng, r->opts.seed, 0x63726576);
  for (i = 0; i < n && st == PO_OK; i++) {
    double from = x + po_rng_range(&rng, CREVASSES_LEAST, p->width_max);
    x = from + (i + 1 < n ? po_rng_range(&rng, CREVASSES_NEAR, CREVASSES_FAR) : CREVASSES_AFTER + 10);
    st = po_pieces_add(&w->pieces, from, x, 0);
  }
  if (st != PO_OK) return po_fail(err, st, "crevasses: %s", po_status_string(st));
  s->end = x - 10;
  for (x = CREVASSES_APART; x < s->end + CREVASSES_APART && s->points < CREVASSES_POINTS; x += CREVASSES_APART) {
    s->x[s->points] = po_min(x, s->end);
    s->y[s->points++] = po_rng_range(&rng, -CREVASSES_ASIDE, CREVASSES_ASIDE);
  }
  return PO_OK;
}

static po_status crevasses_init(po_run *r, po_error *err) {
  stepping *w;
  po_status st;
  if (r->model->joint[0].type == PO_JOINT_PLANAR)
    return po_fail(err, PO_ERR_MODEL, "%s walks in a plane: crevasses are for bodies in space, gaps for others", r->model->name);
  if ((st = stepping_load(r, err)) != PO_OK) return st;
  if ((st = crevasses_lay(r, err)) != PO_OK) return st;
  w = r->kept;
  w->ground.user = w;
  w->ground.good = stepping_good;
  return stepping_init(r, err);
}

/* Distance of the place from the way between the last way-point and the next. */
static double crevasses_off(const crevasses_state *s, double x, double y) {
  double ax = s->next ? s->x[s->next - 1] : 0, ay = s->next ? s->y[s->next - 1] : 0, dx = s->x[s->next] - ax,
         dy = s->y[s->next] - ay, n = sqrt(dx * dx + dy * dy);
  return n > 0 ? po_abs((x - ax) * dy - (y - ay) * dx) / n : 0;
}

/* Where to walk to: the next way-point, moved towards the one after it, which may be close by and to the side: a corner is cut by half of what is allowed. */
static void crevasses_goal_of(double goal[2], const crevasses_state *s) {
  int k = s->next, then = k + 1 < s->points ? k + 1 : k;
  double dx = s->x[then] - s->x[k], dy = s->y[then] - s->y[k], n = sqrt(dx * dx + dy * dy), cut = n > 0 ? po_min(0.5 * CREVASSES_REACHED / n, 1) : 0;
  goal[0] = s->x[k] + cut * dx;
  goal[1] = s->y[k] + cut * dy;
}

/* Heads for a way-point. A body that is turned goes on as it went for some metres, sideways: its swing legs are turned against that. */
static void crevasses_steer(po_run *r, po_vec3 c) {
  crevasses_state *s = r->state;
  const stepping *w = r->kept;
  int nimble = !po_simbicon_now(po_run_move(r, 0));
  double facing = stepping_facing(r), most = nimble && w->plan.base ? CREVASSES_TURN_FREE : CREVASSES_TURN;
  double goal[2], dx, dy, aim, course;
  crevasses_goal_of(goal, s);
  dx = goal[0] - c.x;
  dy = goal[1] - c.y;
  aim = po_atan2(dy, po_max(dx, nimble ? CREVASSES_NIMBLE : CREVASSES_AHEAD));
  course = s->strikes >= CREVASSES_STRIDE ? po_atan2(c.y - s->before[0].y, c.x - s->before[0].x) : aim;
  s->stepping.steer = po_clamp(CREVASSES_STEER * (aim - course), -CREVASSES_STEER_MOST, CREVASSES_STEER_MOST);
  stepping_turn(r, facing + po_clamp(aim - facing, -most, most));
  s->before[0] = s->before[1];
  s->before[1] = c;
  s->strikes++;
}

static void crevasses_observe(po_run *r) {
  crevasses_state *s = r->state;
  po_vec3 c = po_world_data(r->world, 0)->com;
  int strike = po_walker_steps(po_run_move(r, 0)) != s->stepping.strikes;
  if (strike && s->next < s->points) {
    s->error_sum += crevasses_off(s, c.x, c.y);
    s->errors++;
  }
  while (s->next < s->points) {
    double dx = s->x[s->next] - c.x, dy = s->y[s->next] - c.y, away = sqrt(dx * dx + dy * dy);
    if (away > CREVASSES_REACHED && dx > -CREVASSES_REACHED) break;
    s->reached += away <= CREVASSES_REACHED; /* one that was passed too far off is left behind */
    s->next++;
  }
  if (strike && s->next < s->points) crevasses_steer(r, c);
  stepping_observe(r);
}

static int crevasses_finished(const po_run *r) {
  const crevasses_state *s = r->state;
  return s->next >= s->points;
}

static void crevasses_goal(po_goal_mark *mark, const po_run *r) {
  const crevasses_state *s = r->state;
  int k = s->next < s->points ? s->next : s->points - 1;
  mark->kind = 1;
  mark->x = s->x[k];
  mark->y = s->y[k];
  mark->heading = PO_NAN;
}

static void crevasses_judge(po_run *r) {
  const crevasses_state *c = r->state;
  const stepping_state *s = &c->stepping;
  double all = (double)(s->good + s->bad);
  po_run_set_result(r, "good_share", all > 0 ? (double)s->good / all : 0);
  po_run_set_result(r, "path_error_mean", c->errors ? c->error_sum / (double)c->errors : PO_NAN);
  po_run_set_result(r, "waypoints", (double)c->reached);
  po_run_set_result(r, "waypoints_all", (double)c->points);
  po_run_set_result(r, "step_length_max", po_isfinite(s->length_min) ? s->length_max : PO_NAN);
  po_run_set_result(r, "replans", (double)s->replans);
  po_run_set_result(r, "fallbacks", (double)s->fallbacks);
  stepping_judge(r);
  if (r->outcome == PO_RUNNING && c->reached < c->points)
    po_run_fail(r, PO_FAILED, "%d of %d way-points were passed within %g m", c->reached, c->points, CREVASSES_REACHED);
}

const po_scenario po_scenario_crevasses = {
    .name = "crevasses",
    .summary = "follow way-points over crevasses, in space, by steps that were learnt ahead and are planned at every strike",
    .success = "does not fall; every way-point is passed within 0.5 m",
    .model = "biped34",
    .move = "gbwc",
    .seconds = 60,
    .dt = 0.0005,
    .control_hz = 2000,
    .text = crevasses_texts,
    .param = crevasses_param,
    .params = STEPPING_PARAM_COUNT + 2,
    .params_bytes = sizeof(crevasses_params),
    .state_bytes = sizeof(crevasses_state),
    .init = crevasses_init,
    .observe = crevasses_observe,
    .finished = crevasses_finished,
    .judge = crevasses_judge,
    .destroy = stepping_destroy,
    .behaviour = stepping_behaviour,
    .marks = stepping_marks,
    .goal = crevasses_goal};
