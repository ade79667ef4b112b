/* stepping_stones.c: stones at random distances, one for each step (Coros 2010, section 3.6; docs/constrained-walking.md). */
#include "stepping.h"
#include <string.h>

typedef struct stones_params {
  stepping_params stepping;
  double length_min, length_max, count, stone;
} stones_params;
static const po_param stones_param[] = {
    STEPPING_PARAMS(stones_params, 500),
    PO_PARAM(stones_params, length_min, 0.1, 0.05, 1.1, "m", "shortest step from stone to stone"),
    PO_PARAM(stones_params, length_max, 0.9, 0.05, 1.1, "m", "longest"),
    PO_PARAM(stones_params, count, 20, 1, 500, "", "stones"),
    PO_PARAM(stones_params, stone, 0.3, 0.1, 0.6, "m", "length of a stone"),
};
static const po_text_param stones_texts[] = {STEPPING_TEXTS("regular"), {NULL, NULL, NULL, NULL}};

#define STONES_RUNUP 8         /* steps of the base length before the first stone, */
#define STONES_FREE 4          /* of which so many are not planned: the gait settles */
#define STONES_BASE 0.36       /* m: of the base step, when nobody knows */
#define STONES_ERROR 0.06      /* m: mean error that counts as success */
#define STONES_PLATFORM 8.0    /* m of ground behind the last */
#define STONES_REACH 1.05      /* m: no step of these bodies is longer */

/* Where the heel is wanted `ahead` steps from now. The state is found through the run. */
static int stones_wanted(double *x, void *user, int ahead) {
  const po_run *r = user;
  const stepping *w = r->kept;
  int on = ((const stepping_state *)r->state)->on, k = on + ahead - 1;
  if (on < STONES_FREE || k >= w->stones) return 0;
  *x = w->stone[k];
  return 1;
}

static po_status stones_lay(po_run *r, stepping *w, po_error *err) {
  const stones_params *p = r->params;
  int i, n = (int)floor(p->count + 0.5);
  double base = w->model ? w->planner.opts.base_length : STONES_BASE, x = 0, around;
  po_status st;
  po_rng rng;
  if (!(w->stone = po_alloc(sizeof(double) * (size_t)(n + STONES_RUNUP)))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (p->length_max < p->length_min) return po_fail(err, PO_ERR_RANGE, "length_min=%g is above length_max=%g", p->length_min, p->length_max);
  if (p->length_min > STONES_REACH) return po_fail(err, PO_ERR_RANGE, "length_min=%g: every stone is beyond the longest step of %s, %g m", p->length_min, r->model->name, STONES_REACH);
  w->stones = n + STONES_RUNUP;
  w->runup = STONES_RUNUP;
  po_rng_init(&rng, r->opts.seed, 0x73746f6e);
  for (i = 0; i < w->stones; i++) w->stone[i] = x += i < STONES_RUNUP ? base : po_rng_range(&rng, p->length_min, p->length_max);
  around = po_max(p->stone - w->sole, 0.02) / 2;
  st = po_pieces_add(&w->pieces, -3, w->stone[STONES_RUNUP - 1] + w->sole + around, 0);
  for (i = STONES_RUNUP; i < w->stones && st == PO_OK; i++)
    st = po_pieces_add(&w->pieces, w->stone[i] - around, w->stone[i] + w->sole + (i + 1 < w->stones ? around : STONES_PLATFORM), 0);
  return st == PO_OK ? st : po_fail(err, st, "stones: %s", po_status_string(st));
}

static po_status stones_init(po_run *r, po_error *err) {
  stepping *w;
  po_status st;
  if ((st = stepping_load(r, err)) != PO_OK) return st;
  w = r->kept;
  if ((st = stones_lay(r, w, err)) != PO_OK) return st;
  w->ground.user = r;
  w->ground.stone = stones_wanted;
  return stepping_init(r, err);
}

static void stones_observe(po_run *r) { stepping_observe(r); }
static int stones_finished(const po_run *r) { return ((const stepping_state *)r->state)->on >= ((const stepping *)r->kept)->stones; }

static void stones_judge(po_run *r) {
  const stepping_state *s = r->state;
  double n = (double)s->counted, mean = n > 0 ? s->error_sum / n : PO_NAN;
  po_run_set_result(r, "step_error_mean", mean);
  po_run_set_result(r, "step_error_max", n > 0 ? s->error_max : PO_NAN);
  po_run_set_result(r, "share_below_6cm", n > 0 ? s->below / n : PO_NAN);
  po_run_set_result(r, "share_above_12cm", n > 0 ? s->above / n : PO_NAN);
  po_run_set_result(r, "steps", n);
  po_run_set_result(r, "rejected", (double)s->rejected);
  po_run_set_result(r, "fallbacks", (double)s->fallbacks);
  stepping_judge(r);
  if (r->outcome == PO_RUNNING && s->on < ((const stepping *)r->kept)->stones) po_run_fail(r, PO_FAILED, "%d of %d stones reached in this time", s->on, ((const stepping *)r->kept)->stones);
  if (r->outcome == PO_RUNNING && !(mean <= STONES_ERROR)) po_run_fail(r, PO_FAILED, "stones are missed by %.3f m on average", mean);
}

const po_scenario po_scenario_stepping_stones = {
    .name = "stepping-stones", .summary = "step from stone to stone at random distances, by steps that were learnt ahead and are planned at every strike",
    .success = "does not fall; all stones reached, missed by at most 0.06 m on average",
    .model = "biped7", .move = "simbicon", .seconds = 60, .dt = 0.0005, .control_hz = 2000, .text = stones_texts,
    .param = stones_param, .params = STEPPING_PARAM_COUNT + 4, .params_bytes = sizeof(stones_params), .state_bytes = sizeof(stepping_state),
    .init = stones_init, .observe = stones_observe, .finished = stones_finished, .judge = stones_judge, .destroy = stepping_destroy, .behaviour = stepping_behaviour, .marks = stepping_marks};
