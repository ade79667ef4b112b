/* track_follow.c: which segment, where its end is, where feet go: the bookkeeping of tracking between law and pose.
 *
 * Places in a plan are the motion's own; the segment's offset carries them to where the body is. A goal that moves (a stair, a longer step, a foothold
 * that follows a push) moves the end of the segment, the foot that lands in it, and the offset of the next (section 6 of the paper). A swinging corner
 * goes from where it stood to where it will: path of the reference + the offset that it lifted with, blended into the one that it lands with.
 */
#include "track_internal.h"
#include <math.h>
#include <string.h>

/* How far a foothold may follow, as shares of the COM's height at rest (0.25 m ahead, 0.38 back and 0.30 to either side of a human): no leg reaches farther. Back, a step of
 * walking is left with a third of its length; inward the foot lands 0.1 m beyond the other foot's line: the feet cross, the one that lands in front. */
#define TRACK_REACH_ALONG 0.26
#define TRACK_REACH_BACK 0.4
#define TRACK_REACH_SIDE 0.32
#define TRACK_STAIR 0.3 /* of a swing: upstairs a foot has risen by then, downstairs it comes down from then on, so that it clears the edges */
#define TRACK_UP 0.4   /* of a stair: by how much the COM has risen in the middle of double support, upstairs */
#define TRACK_DOWN 0.8 /* and fallen, downstairs */
#define TRACK_DECIDED 0.27 /* of sqrt(l/g), 10 frames of a human: so long before it lands a foot's place stays as it is, or it would slide into it */
#define TRACK_ROUNDING 1e-9 /* frames: a segment ends in spite of rounding */

static int track_frame(const po_track *t) {
  int k = (int)floor(t->now.phase + TRACK_ROUNDING), n = po_track_piece_now(t)->frames;
  return k < 0 ? 0 : k >= n ? n - 1 : k;
}

static po_vec3 track_corner_of(const po_data *d, const po_motion *m, int c) {
  const po_frame *f = &m->model->frame[m->corners.frame[c]];
  return po_point_position(d, f->body, f->pose.p);
}

void po_track_enter_body(po_track *t, const po_actor *actor) {
  const po_data *d = actor->data;
  po_vec3 from = po_v3_of(po_track_piece_reference(po_track_piece_now(t), 0));
  t->now.offset = po_v3(d->com.x - from.x, d->com.y - from.y, 0);
  memcpy(t->now.x + PO_MOMENTUM_L, d->momentum, 3 * sizeof(double));
  memcpy(t->now.x + PO_MOMENTUM_P, d->momentum + 3, 3 * sizeof(double));
  t->now.began = po_v3_of(t->now.x + PO_MOMENTUM_P);
}

/* ---- goals ---- */

/* The frame in which the foot that steps arrives, and one of its corners; the segment's end and −1 when none does. */
static int track_landing(const po_track_piece *p, const po_motion *m, int *corner) {
  int c, first = p->frames;
  *corner = -1;
  for (c = 0; c < m->corners.count; c++)
    if (p->arrive[c] >= 0 && (*corner < 0 || p->arrive[c] < first)) {
      first = p->arrive[c];
      *corner = c;
    }
  return first;
}

/* In the middle of double support one foot stands on each step. Neither leg is longer than its hip is high above it: upstairs the leg behind keeps the COM low, downstairs
 * the one ahead does. */
po_vec3 po_track_end_move(po_vec3 goal) { return po_v3(goal.x, goal.y, (goal.z > 0 ? TRACK_UP : TRACK_DOWN) * goal.z); }

int po_track_stands(const po_track *t) {
  int corner, landing = track_landing(po_track_piece_now(t), t->store->motion, &corner);
  return corner < 0 || t->now.phase >= landing;
}

static po_vec3 track_along(const po_track_piece *p) {
  po_vec3 way = po_v3_sub(po_v3_of(po_track_piece_reference(p, p->frames)), po_v3_of(po_track_piece_reference(p, 0)));
  double length = sqrt(way.x * way.x + way.y * way.y);
  return length > 0 ? po_v3(way.x / length, way.y / length, 0) : po_v3(1, 0, 0);
}

po_vec3 po_track_goal_asked(const po_track *t, int ahead) {
  const po_track_piece *p = &t->store->piece[(t->now.index + ahead + t->store->count) % t->store->count];
  double n = (double)(t->now.segment + 1 + ahead);
  po_vec3 asked;
  int corner;
  track_landing(p, t->store->motion, &corner);
  if (corner < 0 || n < t->params.change_from || n >= t->params.change_from + t->params.change_count) return po_v3(0, 0, 0);
  asked = po_v3_scale(t->params.step_change, track_along(p));
  asked.z = t->params.stair;
  return asked;
}

/* m/s: how fast the COM rises over a segment on the whole, from where stairs have it at its beginning to where they will at its end. */
static double track_climb(const po_track *t, int ahead) {
  const po_track_piece *p = &t->store->piece[(t->now.index + ahead) % t->store->count];
  po_vec3 last = po_track_goal_asked(t, ahead - 1), next = po_track_goal_asked(t, ahead);
  double behind = po_track_end_move(last).z - last.z;
  return (po_track_end_move(next).z - behind) * t->store->motion->hz / p->frames;
}

/* The harmonic mean of before and after: a smooth path through all ends that overshoots none (Fritsch & Butland 1984). */
double po_track_rise(const po_track *t, int ahead) {
  double before = track_climb(t, ahead), after = track_climb(t, ahead + 1);
  return before * after > 0 ? 2 * before * after / (before + after) : 0;
}

void po_track_move_foothold(po_track *t, po_vec3 miss) {
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  po_vec3 along = track_along(p), left = po_v3(-along.y, along.x, 0);
  double l = t->store->height, forward, side;
  int corner, landing = track_landing(p, m, &corner);
  if (corner < 0) return;
  if (t->now.phase >= landing - TRACK_DECIDED * m->hz * sqrt(t->store->height / po_v3_norm(t->data->gravity))) {
    t->now.landed = 1;
    return;
  }
  forward = po_clamp(po_v3_dot(along, miss), -TRACK_REACH_BACK * l, TRACK_REACH_ALONG * l);
  side = po_clamp(po_v3_dot(left, miss), -TRACK_REACH_SIDE * l, TRACK_REACH_SIDE * l);
  t->now.beyond = po_abs(po_v3_dot(left, miss)) / (TRACK_REACH_SIDE * l);
  t->now.shift = po_v3_add(po_v3_scale(forward, along), po_v3_scale(side, left));
}

/* ---- corners ---- */

void po_track_touch(po_track *t) {
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  int c, k = track_frame(t);
  uint32_t planted = m->planted[p->segment.from + k];
  po_kinematics(t->ref_data, po_motion_q(m, p->segment.from + k), NULL);
  for (c = 0; c < m->corners.count; c++) {
    po_vec3 ref = track_corner_of(t->ref_data, m, c);
    int now = (int)(planted >> c & 1u), before = (int)(t->now.planted >> c & 1u);
    if (now && !before) /* where the plan counts on it: forces a few mm beside their places would turn the body over within ten steps */
      t->now.anchor[c] = po_v3_add(ref, po_v3_add(t->now.offset, p->arrive[c] >= 0 && k >= p->arrive[c] ? t->now.goal : po_v3(0, 0, 0)));
    else if (!now && before) t->now.lifted[c] = po_v3_sub(t->now.anchor[c], ref);
    else if (!now && t->now.frames == 0 && t->now.segment == 0) t->now.lifted[c] = t->now.offset;
  }
  t->now.planted = planted;
}

/* Offset of a corner that is off the ground from the motion's own path, and its rate per frame: a cubic from where it lifted to where its foot arrives, and
 * when that does not step, to where the corner itself comes down; one that comes down in another segment stays as it lifted. */
static po_vec3 track_warp(const po_track *t, int c, po_vec3 *rate) {
  const po_track_piece *p = po_track_piece_now(t);
  int steps = p->arrive[c] >= 0, end = steps ? p->arrive[c] : p->land[c];
  po_vec3 way = po_v3_sub(steps ? po_v3_add(t->now.offset, t->now.goal) : t->now.offset, t->now.lifted[c]);
  po_vec3 at;
  double span = end - p->lift[c], s, z;
  *rate = po_v3(0, 0, 0);
  if (p->lift[c] < 0 || (!steps && end >= p->frames) || !(span > 0)) return t->now.lifted[c];
  s = po_clamp((t->now.phase - p->lift[c]) / span, 0, 1);
  *rate = po_v3_scale(6 * s * (1 - s) / span, way);
  at = po_v3_addscaled(t->now.lifted[c], s * s * (3 - 2 * s), way);
  z = po_clamp(way.z > 0 ? s / TRACK_STAIR : (s - 1) / TRACK_STAIR + 1, 0, 1);
  rate->z = 6 * z * (1 - z) / (TRACK_STAIR * span) * way.z;
  at.z = t->now.lifted[c].z + z * z * (3 - 2 * z) * way.z;
  return at;
}

void po_track_reference(po_track *t, po_vec3 *place, po_vec3 *velocity, double dt) {
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  double now = (p->segment.from + t->now.phase) / m->hz;
  int c, i;
  po_motion_sample(t->ref_q, t->ref_v, NULL, m, now + 0.5 * t->now.rate * dt); /* velocities of the middle of the tick are those of the way to its end */
  po_motion_sample(t->ref_q, t->v, NULL, m, now);
  po_kinematics(t->ref_data, t->ref_q, t->v);
  for (c = 0; c < m->corners.count; c++) {
    const po_frame *f = &m->model->frame[m->corners.frame[c]];
    po_vec3 rate;
    velocity[c] = po_v3(0, 0, 0);
    place[c] = t->now.anchor[c];
    if (t->now.planted >> c & 1u) continue;
    place[c] = po_v3_add(track_corner_of(t->ref_data, m, c), track_warp(t, c, &rate));
    velocity[c] = po_v3_scale(t->now.rate, po_v3_addscaled(po_point_velocity(t->ref_data, f->body, f->pose.p), m->hz, rate));
  }
  for (i = 0; i < m->model->nv; i++) t->ref_v[i] *= t->now.rate;
}

/* ---- time ---- */

/* The next segment begins where this one ends: its offset carries the goal on. */
static void track_hand_over(po_track *t) {
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  int i;
  t->now.segment++;
  t->now.phase -= p->frames;
  t->now.frames = po_max(t->now.phase / t->now.rate, 0);
  t->now.behind = po_v3_sub(po_track_end_move(t->now.goal), t->now.goal);
  t->now.offset = po_v3_add(t->now.offset, t->now.goal);
  for (i = 0; i < m->corners.count; i++)
    if (p->arrive[i] >= 0) t->now.lifted[i] = t->now.offset; /* what is still off the ground of the foot that arrived */
  if (++t->now.index == t->store->count) {
    t->now.index = 0;
    t->now.offset = po_v3_add(t->now.offset, t->store->stride);
    for (i = 0; i < m->corners.count; i++) t->now.lifted[i] = po_v3_add(t->now.lifted[i], t->store->stride); /* the path begins anew, so far behind */
    t->now.over = !m->cyclic;
  }
  t->now.goal = t->now.shift = po_v3(0, 0, 0);
  t->now.landed = t->now.ahead = 0;
  t->now.beyond = 0;
  t->now.gains = t->now.phase;
}

void po_track_advance(po_track *t, double dt) {
  double frames = dt * t->store->motion->hz;
  if (t->now.over) return;
  t->now.frames += frames;
  t->now.phase += t->now.rate * frames;
  if (t->now.phase < po_track_piece_now(t)->frames - TRACK_ROUNDING) return;
  po_track_measure_end(t, dt);
  track_hand_over(t);
}
