/* track_store.c: a motion cut into segments, each with a solved plan whose own timing is the best. */
#include "track_store.h"
#include <string.h>

#define TRACK_W_A 500.0 /* the paper's weights for walking, which po_momentum_scales_of scales to the body */
#define TRACK_W_B 500.0
#define TRACK_UPRIGHT 10.0 /* weight of Φ's error, in units of L's times g/l. The paper's (1 beside 500) lets a trunk lean for 20 s; this one rights it within a step */
#define TRACK_UPRIGHT_STANDING 3.0 /* likewise where no foot steps, and the trunk is what there is to balance with */
#define TRACK_HEIGHT 1.0 /* weight of the COM's height, in units of P's times M² g/l: legs are nearly straight, and a plan 2 cm higher than its motion stretches knees by 0.3 rad */
#define TRACK_HASTE 0.2 /* price of a change of the rate, of what it costs over the whole: to second order a plan hardly minds how long it takes. Who stands at rest would change it at will, and
                        * who goes downstairs take a sixth longer */
#define TRACK_TURN_LEAST 1e-6 /* rad: a cyclic motion that turns by less goes straight */

/* ---- contacts ---- */

/* When each corner is off the ground. A corner that comes down twice within a segment counts from its first lift to its last landing. */
static void store_swings(po_track_piece *p, const po_motion *m) {
  int c, k;
  for (c = 0; c < m->corners.count; c++) {
    p->lift[c] = p->land[c] = -1;
    for (k = 0; k < p->frames; k++)
      if (!(m->planted[p->segment.from + k] >> c & 1u)) {
        if (p->lift[c] < 0) p->lift[c] = k;
        p->land[c] = k + 1;
      }
  }
}

/* A foot steps when all of it is off the ground; it arrives with its first corner. Heels that rise and toes that come down after the heel are no steps. */
static void store_steps(po_track_piece *p, const po_motion *m) {
  int c, f, k;
  for (c = 0; c < PO_CORNERS; c++) p->arrive[c] = -1;
  for (f = 0; f < m->corners.feet; f++) {
    int off = 0, arrive = -1;
    for (k = 0; k <= p->frames; k++) { /* also where the segment ends: one foot may take over from the other between two frames */
      int stands = (m->planted[p->segment.from + k] & m->corners.of_foot[f]) != 0;
      if (stands && off) arrive = k;
      off = !stands;
    }
    for (c = 0; c < m->corners.count; c++)
      if (m->corners.foot[c] == f) p->arrive[c] = arrive;
  }
}

static int store_lands(const po_track_piece *p) {
  int c;
  for (c = 0; c < PO_CORNERS; c++)
    if (p->arrive[c] >= 0) return 1;
  return 0;
}

/* ---- plans ---- */

static po_status store_solve(po_track_piece *p, po_ddp_problem *problem, const po_ddp_start *start, po_error *err) {
  po_ddp_result r;
  po_status s = po_ddp_solve(&r, p->plan, problem, NULL, start);
  if (s != PO_OK) return po_fail(err, s, "%s: %s", p->momentum->name, po_status_string(s));
  p->iterations = r.iterations > p->iterations ? r.iterations : p->iterations;
  memcpy(p->mu, r.mu, sizeof p->mu);
  if (r.status != PO_DDP_OPTIMAL)
    return po_fail(err, PO_ERR_STATE, "%s cannot be planned (%s after %d iterations): its forces are beyond friction %g, or its feet are not where its weight is",
                   p->momentum->name, po_ddp_status_string(r.status), r.iterations, (double)p->momentum->rays[0]);
  return PO_OK;
}

/* Solved twice: the first plan tells what a second of each frame is worth, the second is solved at that price (docs/ddp.md). */
static po_status store_plan(po_track_piece *p, po_error *err) {
  size_t bytes = po_momentum_problem_bytes(p->momentum);
  void *scratch = po_alloc(bytes);
  po_ddp_problem problem;
  po_ddp_start start;
  double *u = NULL;
  po_status s = scratch ? po_momentum_problem(&problem, p->momentum, scratch, bytes, err) : po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(&start, 0, sizeof start);
  if (s == PO_OK && (s = po_ddp_new(&p->plan, problem.size)) != PO_OK) po_fail(err, s, "out of memory");
  if (s == PO_OK && !(u = po_alloc(sizeof(double) * (size_t)p->momentum->frames * (size_t)problem.size.nu))) s = po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (s == PO_OK && (s = po_momentum_guess(u, &problem, p->momentum)) != PO_OK) po_fail(err, s, "out of memory");
  start.u = u;
  if (s == PO_OK) s = store_solve(p, &problem, &start, err);
  if (s == PO_OK) {
    po_ddp_policy_price(p->price, p->plan, 0, p->momentum->dt);
    p->momentum->price = p->price;
    memset(&start, 0, sizeof start);
    start.warm = 1;
    s = po_momentum_problem(&problem, p->momentum, scratch, bytes, err);
  }
  if (s == PO_OK) s = store_solve(p, &problem, &start, err);
  if (s == PO_OK) p->time_weight = TRACK_HASTE * PO_AT(po_ddp_frame_of(p->plan, p->lead).Vpp, 0, 0);
  po_free(u);
  po_free(scratch);
  return s;
}

void po_track_weights(po_momentum *m, const po_track_store *t, const po_track_piece *p, const po_track_store_opts *o) {
  double upright = store_lands(p) ? TRACK_UPRIGHT : TRACK_UPRIGHT_STANDING;
  int i;
  for (i = 0; i < 3; i++) {
    m->w_state[PO_MOMENTUM_L + i] *= o->w_a / TRACK_W_A;
    m->w_track[PO_MOMENTUM_PHI + i] = upright * po_v3_norm(m->gravity) / t->height * m->w_state[PO_MOMENTUM_L + i];
    m->w_track[PO_MOMENTUM_P + i] *= o->w_b / TRACK_W_B;
  }
  m->w_track[PO_MOMENTUM_C + 2] += TRACK_HEIGHT * m->w_track[PO_MOMENTUM_P + 2] * m->mass * m->mass * po_v3_norm(m->gravity) / t->height;
}

/* A capture's segment begins where the last one ends, and ends where a plan over it and the next one passes; the last one where its own
 * plan does. */
static po_status store_ends(po_track_store *t, po_track_piece *p, const po_track_piece *last, const double *goal, const po_track_store_opts *o,
                            po_error *err) {
  double end[PO_MOMENTUM_NX], *start = p->momentum->start;
  po_status s;
  int i, unused = 0;
  if (t->motion->cyclic) return PO_OK;
  if (last) {
    const double *begun = po_track_piece_reference(last, last->frames - p->lead);
    po_ddp_policy_state(start, last->plan, last->lead + last->frames - p->lead);
    for (i = PO_MOMENTUM_PHI; i < PO_MOMENTUM_PHI + 3; i++) start[i] -= begun[i]; /* every plan's Φ begins at zero */
  }
  if (goal) {
    const double *begun = po_track_piece_reference(p, 0);
    memcpy(p->momentum->goal, goal, sizeof end);
    for (i = PO_MOMENTUM_PHI; i < PO_MOMENTUM_PHI + 3; i++) p->momentum->goal[i] += begun[i];
    return PO_OK;
  }
  s = po_track_end_of(end, t, p, p + 1 < t->piece + t->count ? p[1].segment.to : p->segment.to, o, &unused, err);
  if (s != PO_OK) return s == PO_ERR_STATE ? PO_OK : s; /* then the reference's own will have to do */
  p->joined = 1;
  for (i = PO_MOMENTUM_PHI; i < PO_MOMENTUM_PHI + 3; i++) end[i] += p->momentum->goal[i];
  memcpy(p->momentum->goal, end, sizeof end);
  return PO_OK;
}

static po_status store_piece(po_track_store *t, po_track_piece *p, const po_track_piece *last, const double *goal, const po_track_store_opts *o,
                             po_error *err) {
  const po_motion *m = t->motion;
  po_status s;
  int i;
  p->frames = p->segment.to - p->segment.from;
  if (!(p->price = po_alloc(sizeof(double) * (size_t)(p->lead + p->frames)))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((s = po_track_plan(&p->momentum, m, p->segment.from - p->lead, p->segment.to, o->mu, t->height, 0, err)) != PO_OK) return s;
  store_swings(p, m);
  store_steps(p, m);
  po_track_weights(p->momentum, t, p, o);
  if ((s = store_ends(t, p, last, goal, o, err)) != PO_OK) return s;
  p->momentum->time = o->append ? PO_MOMENTUM_TIME_APPEND : PO_MOMENTUM_TIME_STRETCH;
  for (i = 0; i < m->corners.count; i++) t->steps |= p->lift[i] >= 0;
  return store_plan(p, err);
}

/* ---- the whole ---- */

static po_status store_motion(po_track_store *t, const po_model *model, const po_track_store_opts *o, po_error *err) {
  po_planar_move stride;
  po_motion *at_rate;
  po_status s = po_motion_load(&t->motion, NULL, model, o->motion, o->hz, NULL, err);
  if (s != PO_OK) return s;
  if (t->motion->hz != o->hz && !t->motion->cyclic) {
    if ((s = po_motion_resample(&at_rate, t->motion, o->hz)) != PO_OK) return po_fail(err, s, "%s: %s", o->motion, po_status_string(s));
    po_motion_free(t->motion);
    t->motion = at_rate;
  }
  if (!t->motion->cyclic) return PO_OK;
  stride = po_motion_stride(t->motion);
  if (po_abs(stride.turn) > TRACK_TURN_LEAST) return po_fail(err, PO_ERR_UNSUPPORTED, "%s: a motion that repeats must go straight; this one turns", o->motion);
  t->stride = stride.shift;
  return PO_OK;
}

static po_status store_height(po_track_store *t, const po_model *model, po_error *err) {
  po_data *d;
  double *q = po_alloc(sizeof(double) * (size_t)model->nq);
  if (!q || po_data_new(&d, model) != PO_OK) {
    po_free(q);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  po_neutral(q, model);
  po_kinematics(d, q, NULL);
  po_com(d);
  t->height = d->com.z;
  t->scales = po_momentum_scales_of(model->total_mass, t->height, po_v3_norm(d->gravity), 0);
  po_data_free(d);
  po_free(q);
  return PO_OK;
}

static void store_empty(po_track_piece *p) {
  po_ddp_free(p->plan);
  po_momentum_free(p->momentum);
  po_free(p->price);
  po_free(p->cost[0]);
  po_free(p->cost[1]);
  if (p->early) store_empty(p->early);
  po_free(p->early);
}

static void store_drop(po_track_store *t, int i) {
  po_track_piece *p = &t->piece[i];
  store_empty(p);
  memmove(p, p + 1, sizeof *p * (size_t)(t->count - i - 1));
  memset(&t->piece[--t->count], 0, sizeof *p);
}

/* A capture begins and ends in the middle of a step, on an edge of a sole: what of that cannot be planned is left out. A whole step is not. */
static int store_may_drop(const po_track_store *t, int i, po_status s) {
  return s == PO_ERR_STATE && !t->motion->cyclic && t->count > 1 && (i == 0 || i == t->count - 1);
}

/* Frames of the segment before that a plan may begin in. */
static int store_lead(const po_track_store *t, int i, int overlap) {
  const po_segment *last = i > 0 ? &t->piece[i - 1].segment : &t->piece[t->count - 1].segment;
  int most = last->to - last->from - 1;
  if (i == 0 && !t->motion->cyclic) return 0;
  return overlap < most ? overlap : most;
}

/* The plan of a segment that begins in the one before; when there is none, they do not overlap. */
static po_status store_early(po_track_store *t, int i, const po_track_store_opts *o, po_error *err) {
  po_track_piece *p = &t->piece[i], *e;
  int lead = store_lead(t, i, o->overlap);
  po_status s;
  if (lead < 1) return PO_OK;
  if (!(e = po_alloc(sizeof *e))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  p->early = e;
  e->segment = p->segment;
  e->lead = lead;
  s = store_piece(t, e, i > 0 && t->piece[i - 1].joined ? &t->piece[i - 1] : NULL, p->momentum->goal, o, err);
  if (s != PO_ERR_STATE) return s;
  store_empty(e);
  po_free(e);
  p->early = NULL;
  return PO_OK;
}

static po_status store_pieces(po_track_store *t, const po_track_store_opts *o, po_error *err) {
  po_segment segment[PO_TRACK_SEGMENTS];
  po_status s;
  int i;
  if ((s = po_motion_segments(segment, &t->count, PO_TRACK_SEGMENTS, t->motion, err)) != PO_OK) {
    t->count = 0;
    return s;
  }
  if (!(t->piece = po_alloc(sizeof *t->piece * (size_t)t->count))) {
    t->count = 0;
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  for (i = 0; i < t->count; i++) t->piece[i].segment = segment[i];
  for (i = 0; i < t->count; i++) {
    po_ddp_sizes size = {0, PO_MOMENTUM_NX, 4 * PO_CORNERS, PO_MOMENTUM_NX, 1};
    const po_track_piece *last = i > 0 ? &t->piece[i - 1] : NULL;
    double began = o->clock ? o->clock() : 0;
    if ((s = store_piece(t, &t->piece[i], last && last->joined ? last : NULL, NULL, o, err)) != PO_OK && !store_may_drop(t, i, s)) return s;
    if (s != PO_OK) {
      store_drop(t, i--);
      continue;
    }
    if ((s = store_early(t, i, o, err)) != PO_OK) return s;
    if (o->clock) t->seconds = po_max(t->seconds, o->clock() - began);
    size.frames = t->piece[i].frames + (t->piece[i].early ? t->piece[i].early->lead : 0);
    if (size.frames < t->largest.frames) size.frames = t->largest.frames;
    t->largest = size;
  }
  return PO_OK;
}

po_status po_track_store_new(po_track_store **store, const po_model *model, const po_track_store_opts *o, po_error *err) {
  po_track_store *t;
  po_status s;
  if (!store || !model || !o || !o->motion) return po_fail(err, PO_ERR_NULL, "tracking needs a body and a motion");
  *store = NULL;
  if (!(t = po_alloc(sizeof *t))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  s = store_height(t, model, err);
  if (s == PO_OK) s = store_motion(t, model, o, err);
  if (s == PO_OK) s = store_pieces(t, o, err);
  if (s == PO_OK) s = po_track_value(t, err);
  if (s != PO_OK) po_track_store_free(t);
  else *store = t;
  return s;
}

void po_track_store_free(po_track_store *t) {
  int i;
  if (!t) return;
  for (i = 0; i < t->count && t->piece; i++) store_empty(&t->piece[i]);
  po_free(t->piece);
  po_motion_free(t->motion);
  po_free(t);
}
