/* track_replan.c: what is left of a segment, solved anew from where the body is (spec 6.12).
 *
 * Where the linear law is asked about states far from its plan, it knows neither that contacts only push nor that moments are products of forces and places. The
 * same problem from the present state knows both: frames from the phase to the segment's end, corners that stand where they stand, those to come where they
 * will, the end moved with them, at the price of time that makes the motion's own timing best. What missing the end costs is known (track_value.c), so it is soft
 * and has no multipliers; while the foot that steps is still to land, its place is free too and follows this plan, not the law's: a place for one timing with another
 * timing is no foothold at all. Between two plans the law of the last one is at work. A plan that does not come out is not used.
 */
#include "track_internal.h"
#include <math.h>
#include <string.h>

#define REPLAN_LEAST 6       /* frames: what is shorter is left to the law */
#define REPLAN_ITERATIONS 20 /* more are not worth a tick */
#define REPLAN_TOLERANCE 1e-6
#define REPLAN_LONGER 0.25   /* stretch: as the law's slowest rate */
#define REPLAN_SHORTER (-1.0 / 3) /* and as its hurry */

typedef struct po_track_plan_state {
  long segment;          /* that the plan is for; −1: there is none */
  double from, step;     /* frame j of the plan is the segment's phase from + j step */
  double stretch;        /* of its frames */
  double due;            /* s until the next one */
  po_vec3 follow;        /* by how much the foothold should, when it still could */
  int free;              /* 1: the plan was made while it could */
  int frames;
} po_track_plan_state;

typedef struct po_track_again {
  po_ddp *plan;
  po_momentum momentum;
  double *reference, *points, *price, *u;
  int *count, *first;
  void *mem;
  size_t mem_bytes;
  po_track_soft soft;
  po_ddp_sizes size;
  po_track_plan_state now;
} po_track_again;

/* ---- making ---- */

void po_track_replan_free(po_track *t) {
  po_track_again *r = t->again;
  if (!r) return;
  po_ddp_free(r->plan);
  po_free(r->reference);
  po_free(r->points);
  po_free(r->price);
  po_free(r->u);
  po_free(r->count);
  po_free(r->first);
  po_free(r->mem);
  po_free(r);
  t->again = NULL;
}

po_status po_track_replan_new(po_track *t) {
  po_track_again *r = po_alloc(sizeof *r);
  size_t n, corners = (size_t)t->store->motion->corners.count;
  int i;
  if (!r) return PO_ERR_MEMORY;
  t->again = r;
  r->size = t->store->largest;
  r->size.ng = 0;
  n = (size_t)r->size.frames;
  for (i = 0; i < t->store->count; i++) {
    size_t bytes = po_momentum_problem_bytes(t->store->piece[i].momentum);
    if (bytes > r->mem_bytes) r->mem_bytes = bytes;
  }
  r->reference = po_alloc(sizeof(double) * (n + 1) * PO_MOMENTUM_NX);
  r->points = po_alloc(sizeof(double) * n * corners * 3);
  r->price = po_alloc(sizeof(double) * n);
  r->u = po_alloc(sizeof(double) * n * (size_t)r->size.nu);
  r->count = po_alloc(sizeof(int) * n);
  r->first = po_alloc(sizeof(int) * n);
  r->mem = po_alloc(r->mem_bytes);
  r->now.segment = -1;
  if (!r->reference || !r->points || !r->price || !r->u || !r->count || !r->first || !r->mem) return PO_ERR_MEMORY;
  return po_ddp_new(&r->plan, r->size);
}

void po_track_replan_stream(po_track *t, po_stream *s) {
  po_track_again *r = t->again;
  if (!r) return;
  po_ddp_stream(r->plan, s);
  po_stream_doubles(s, r->points, 3 * r->size.frames * t->store->motion->corners.count);
  po_stream_bytes(s, r->count, sizeof(int) * (size_t)r->size.frames);
  po_stream_bytes(s, r->first, sizeof(int) * (size_t)r->size.frames);
  po_stream_bytes(s, &r->now, sizeof r->now);
}

/* ---- a plan ---- */

/* Places of the corners that the plan has stand in one of its frames, in the order of the segment's own plan. */
static void replan_contacts(po_track_again *r, const po_track *t, po_vec3 shift, int j, int frame, uint32_t *held) {
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  uint32_t planted = m->planted[p->segment.from + frame];
  int c, n = 0, from = p->momentum->point_first[p->lead + frame];
  *held &= planted;
  r->first[j] = j ? r->first[j - 1] + r->count[j - 1] : 0;
  for (c = 0; c < m->corners.count; c++) {
    po_vec3 place;
    if (!(planted >> c & 1u)) continue;
    place = po_v3_add(po_v3_of(p->momentum->points + 3 * (size_t)(from + n)), t->now.offset);
    if (*held >> c & 1u) place = t->now.anchor[c]; /* it stands, and stays */
    else if (p->arrive[c] >= 0 && frame >= p->arrive[c]) place = po_v3_add(place, shift);
    po_v3_to(r->points + 3 * (size_t)(r->first[j] + n++), place);
  }
  r->count[j] = n;
}

/* Controls to begin with: the last plan's where it has that frame, with as many contacts; else the segment's own. */
static void replan_guess(po_track_again *r, const po_track *t, int j, int frame, int stride) {
  const po_track_piece *p = po_track_piece_now(t);
  po_ddp_frame f = po_ddp_frame_of(p->plan, p->lead + frame);
  int nu = r->count[j] * r->momentum.ray_count;
  memset(r->u + (size_t)j * (size_t)stride, 0, sizeof(double) * (size_t)stride);
  if (f.nu == nu) memcpy(r->u + (size_t)j * (size_t)stride, f.u, sizeof(double) * (size_t)nu);
}

/* The segment's own model, its arrays ours. */
static po_momentum *replan_model(po_track_again *r, const po_track *t) {
  po_momentum *m = &r->momentum;
  *m = *po_track_piece_now(t)->momentum;
  m->memory = NULL;
  m->time = PO_MOMENTUM_TIME_STRETCH;
  m->frames = r->now.frames;
  m->dt *= r->now.step;
  m->reference = r->reference, m->points = r->points, m->price = r->price;
  m->point_count = r->count, m->point_first = r->first;
  return m;
}

static void replan_pose(po_track_again *r, const po_track *t, const double *shift) {
  const po_track_piece *p = po_track_piece_now(t);
  uint32_t held = t->now.standing & t->now.planted;
  int j, i, frames = (int)po_max(floor(p->frames - t->now.phase + 0.5), 1);
  po_momentum *m;
  r->now.frames = frames;
  r->now.from = t->now.phase;
  r->now.step = (p->frames - t->now.phase) / frames;
  m = replan_model(r, t);
  for (j = 0; j <= frames; j++) {
    double phase = po_min(r->now.from + j * r->now.step, p->frames), into, *x = r->reference + (size_t)j * PO_MOMENTUM_NX;
    int frame = (int)po_min(floor(phase + 1e-9), p->frames - 1);
    const double *a = po_track_piece_reference(p, frame), *b = a + PO_MOMENTUM_NX;
    into = phase - frame;
    for (i = 0; i < PO_MOMENTUM_NX; i++) x[i] = a[i] + into * (b[i] - a[i]);
    po_v3_to(x, po_v3_add(po_v3_of(x), t->now.offset));
    if (j == frames) break;
    r->price[j] = p->price[p->lead + frame];
    replan_contacts(r, t, t->now.goal, j, frame, &held);
  }
  memcpy(m->start, t->now.x, sizeof m->start);
  memcpy(r->soft.slope, p->mu, sizeof r->soft.slope);
  memcpy(r->soft.goal, p->momentum->goal, sizeof r->soft.goal);
  for (i = 0; i < PO_MOMENTUM_NX; i++) r->soft.goal[i] += shift[i];
  po_v3_to(r->soft.goal, po_v3_add(po_v3_of(r->soft.goal), t->now.offset));
  memcpy(m->goal, r->soft.goal, sizeof m->goal);
  r->soft.haste = p->time_weight;
  r->now.free = t->params.footholds >= 0.5 && !t->now.landed && !po_track_stands(t);
  if (r->now.free) po_v3_to(r->soft.goal, po_v3_sub(po_v3_of(r->soft.goal), t->now.shift));
}

static po_status replan_solve(po_track_again *r, po_track *t) {
  static const unsigned char free_time[1] = {1};
  static const double shorter[1] = {REPLAN_SHORTER}, longer[1] = {REPLAN_LONGER};
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp_problem problem;
  po_ddp_result result;
  po_ddp_start start;
  po_status s;
  int j;
  if ((s = po_momentum_problem(&problem, &r->momentum, r->mem, r->mem_bytes, NULL)) != PO_OK) return s;
  po_track_soften(&problem, &r->soft);
  problem.p_lower = shorter, problem.p_upper = longer;
  problem.p_free = t->params.time >= 0.5 ? free_time : NULL;
  for (j = 0; j < r->momentum.frames; j++) {
    double phase = r->now.from + j * r->now.step;
    replan_guess(r, t, j, (int)po_min(floor(phase + 1e-9), po_track_piece_now(t)->frames - 1), problem.size.nu);
  }
  memset(&start, 0, sizeof start);
  start.u = r->u;
  o.max_iterations = REPLAN_ITERATIONS;
  o.tol_stationarity = o.tol_complementarity = REPLAN_TOLERANCE;
  s = po_ddp_solve(&result, r->plan, &problem, &o, &start);
  if (s == PO_OK) {
    const double *end = result.x + (size_t)r->now.frames * PO_MOMENTUM_NX;
    double miss[PO_MOMENTUM_NX];
    for (j = 0; j < PO_MOMENTUM_NX; j++) miss[j] = end[j] - r->soft.goal[j];
    r->now.follow = po_v3(po_dot(po_track_piece_now(t)->follow[0], miss, PO_MOMENTUM_NX), po_dot(po_track_piece_now(t)->follow[1], miss, PO_MOMENTUM_NX), 0);
    r->now.stretch = result.p[0];
    t->now.figures.replans++;
    if (result.iterations > t->now.figures.iterations) t->now.figures.iterations = result.iterations;
  }
  return s == PO_OK && result.status != PO_DDP_OPTIMAL ? PO_ERR_STATE : s;
}

po_status po_track_replan(po_track *t, const double *shift, double dt) {
  const po_track_piece *p = po_track_piece_now(t);
  po_clock_fn clock = t->move.actor->clock;
  po_track_again *r = t->again;
  double began = clock ? clock() : 0, compliance = t->params.compliance;
  const double *stiffness;
  int i;
  if (!r || !(t->params.replan > 0) || !(compliance > 0)) return PO_OK;
  if ((r->now.due -= dt) > 0) return PO_OK;
  r->now.due = po_max(r->now.due + 1 / t->params.replan, 0);
  if (p->frames - t->now.phase < REPLAN_LEAST) return PO_OK;
  replan_pose(r, t, shift);
  stiffness = r->now.free ? p->end_free : p->end[t->params.footholds >= 0.5];
  for (i = 0; i < PO_TRACK_HESSIAN; i++) r->soft.stiffness[i] = stiffness[i] / compliance;
  r->now.segment = replan_solve(r, t) == PO_OK ? t->now.segment : -1;
  if (r->now.segment < 0) t->now.figures.replans_lost++;
  if (clock) t->plan_seconds = po_max(t->plan_seconds, clock() - began);
  return PO_OK;
}

int po_track_replanned_foothold(po_vec3 *miss, const po_track *t) {
  const po_track_again *r = t->again;
  if (!r || r->now.segment != t->now.segment || !r->now.free || !(t->params.replan > 0)) return 0;
  *miss = r->now.follow;
  return 1;
}

int po_track_replanned(po_ddp_policy_result *out, double wish[6], po_track *t, const po_ddp_policy_opts *opts, double dt) {
  po_track_again *r = t->again;
  po_ddp_policy_opts o = *opts;
  double phase, now, stretch, x[PO_MOMENTUM_NX], here[PO_MOMENTUM_NX], there[PO_MOMENTUM_NX];
  po_arena a;
  int i;
  if (!r || r->now.segment != t->now.segment || !(t->params.replan > 0)) return 0;
  replan_model(r, t);
  stretch = r->now.stretch;
  now = (t->now.phase - r->now.from) / r->now.step;
  phase = po_min(now, r->now.frames - 1); /* in its last frame, as of its beginning: track_law.c */
  po_ddp_policy_state(here, r->plan, now);
  po_ddp_policy_state(there, r->plan, phase);
  for (i = 0; i < PO_MOMENTUM_NX; i++) x[i] = t->now.x[i] + there[i] - here[i];
  o.append = 0;
  o.stiffness = o.p_weight = NULL; /* both are in the plan */
  o.rate_min = po_clamp(1 / (1 + REPLAN_LONGER - stretch), 1e-3, 1);
  o.rate_max = po_max(1 / po_max(1 + REPLAN_SHORTER - stretch, 1e-3), 1);
  po_arena_init(&a, t->scratch, t->scratch_bytes);
  if (po_ddp_policy(out, r->plan, phase, x, NULL, &o, &a) != PO_OK) return 0;
  out->rate = po_clamp(1 / (1 + stretch + out->dp[0]), 1 / (1 + REPLAN_LONGER), 1 / (1 + REPLAN_SHORTER));
  po_track_asked(wish, t, &r->momentum, out->frame, po_v3(0, 0, 0), dt);
  return 1;
}
