/* gaps.c: ground with gaps, which a planner steps over (Coros 2010, section 3.6, table 3.1; docs/constrained-walking.md). */
#include "stepping.h"
#include <string.h>

typedef struct gaps_params {
  stepping_params stepping;
  double width, spacing, count, start, bumps;
} gaps_params;
static const po_param gaps_param[] = {
    STEPPING_PARAMS(gaps_params, 500),
    PO_PARAM(gaps_params, width, 0.4, 0.05, 0.8, "m", "of a gap"),
    PO_PARAM(gaps_params, spacing, 0.75, 0.1, 3, "m", "ground between gaps"),
    PO_PARAM(gaps_params, count, 5, 1, 50, "", "gaps"),
    PO_PARAM(gaps_params, start, 1, 0, 3, "m", "ground before the first gap; the seed moves it by up to 0.5 m"),
    PO_PARAM(gaps_params, bumps, 0, 0, 0.08, "m", "pieces of ground differ in height by up to so much"),
};
static const po_text_param gaps_texts[] = {STEPPING_TEXTS("hybrid"), {NULL, NULL, NULL, NULL}};

#define GAPS_LEAST 0.3         /* m of ground that a start needs */
#define GAPS_SHARE 0.9         /* of good steps: success */
#define GAPS_AFTER 1.0         /* m behind the last gap: the crossing is done */

typedef struct gaps_state { stepping_state stepping; double end; } gaps_state;

static po_status gaps_init(po_run *r, po_error *err) {
  const gaps_params *p = r->params;
  gaps_state *s = r->state;
  double start = p->start;
  stepping *w;
  po_status st;
  po_rng rng;
  if ((st = stepping_load(r, err)) != PO_OK) return st;
  w = r->kept;
  po_rng_init(&rng, r->opts.seed, 0x67617073);
  if (r->opts.seed) start += po_rng_range(&rng, -0.5, 0.5);
  if (start < GAPS_LEAST) return po_fail(err, PO_ERR_RANGE, "start=%g and seed %llu leave %.2f m before the first gap: there is no ground to start from", p->start, (unsigned long long)r->opts.seed, start);
  if ((st = po_pieces_gaps(&w->pieces, start, p->width, p->spacing, (int)floor(p->count + 0.5), p->bumps, r->opts.seed)) != PO_OK) return po_fail(err, st, "gaps: %s", po_status_string(st));
  s->end = start + floor(p->count + 0.5) * (p->width + p->spacing) - p->spacing + GAPS_AFTER;
  w->ground.user = w;
  w->ground.good = stepping_good;
  return stepping_init(r, err);
}

static void gaps_observe(po_run *r) { stepping_observe(r); }
static int gaps_finished(const po_run *r) { return ((const gaps_state *)r->state)->stepping.x > ((const gaps_state *)r->state)->end; }

static void gaps_judge(po_run *r) {
  const gaps_state *g = r->state;
  const stepping_state *s = &g->stepping;
  double all = (double)(s->good + s->bad), share = all > 0 ? (double)s->good / all : 0;
  po_run_set_result(r, "good_steps", (double)s->good);
  po_run_set_result(r, "bad_steps", (double)s->bad);
  po_run_set_result(r, "good_share", share);
  po_run_set_result(r, "step_length_min", po_isfinite(s->length_min) ? s->length_min : PO_NAN);
  po_run_set_result(r, "step_length_max", po_isfinite(s->length_min) ? s->length_max : PO_NAN);
  po_run_set_result(r, "replans", (double)s->replans);
  po_run_set_result(r, "fallbacks", (double)s->fallbacks);
  po_run_set_result(r, "crossed", (double)(s->x > g->end - GAPS_AFTER));
  stepping_judge(r);
  if (r->outcome == PO_RUNNING && !(s->x > g->end - GAPS_AFTER)) po_run_fail(r, PO_FAILED, "it got to %.2f m in this time: the far side is at %.2f m", s->x, g->end - GAPS_AFTER);
  if (r->outcome == PO_RUNNING && share < GAPS_SHARE) po_run_fail(r, PO_FAILED, "%ld of %.0f steps are not on ground", s->bad, all);
}

const po_scenario po_scenario_gaps = {
    .name = "gaps", .summary = "walk over ground with gaps, by steps that were learnt ahead and are planned at every strike",
    .success = "does not fall, gets across; at least 0.9 of the steps have half their sole on ground",
    .model = "biped7", .move = "simbicon", .seconds = 20, .dt = 0.0005, .control_hz = 2000, .text = gaps_texts,
    .param = gaps_param, .params = STEPPING_PARAM_COUNT + 5, .params_bytes = sizeof(gaps_params), .state_bytes = sizeof(gaps_state),
    .init = gaps_init, .observe = gaps_observe, .finished = gaps_finished, .judge = gaps_judge, .destroy = stepping_destroy, .behaviour = stepping_behaviour, .marks = stepping_marks};
