/* motion_pin.c: planted corners made to stay where they stand.
 *
 * A foot stands from when its first corner is planted until its last is not. For each such stance one flat place of the sole (x, y, heading) is fitted
 * to all planted corners of all its frames (least squares): the corners of that place are the anchors, so that heel and toes agree however the foot rolls.
 * A corner is moved by D = anchor − place as it was while it is planted, and between two plantings by what passes smoothly from the last D to the next,
 * so that it arrives and leaves where it stands. Inverse kinematics lets the body follow, each frame from its old pose, in two passes: in the first
 * the root may give way where legs are too short or too bent, and the result is smoothed; in the second the root keeps that smooth course and the legs
 * alone bring the feet back to their anchors. One pass would shake the trunk whenever a corner comes or goes (a walk: 14 g instead of 2).
 */
#include "motion_internal.h"
#include <string.h>

/* Weights of the squares, per metre and per radian: feet must, the root wants, leg joints do not mind. */
#define PIN_WEIGHT_PLANTED 1000.0
#define PIN_WEIGHT_SWING 100.0
#define PIN_WEIGHT_ROOT 30.0
#define PIN_WEIGHT_ROOT_AGAIN 300.0 /* in the second pass */
#define PIN_WEIGHT_ROOT_TURN 10.0
#define PIN_STIFFNESS 3.0
#define PIN_STIFFNESS_LEG 0.1
#define PIN_ROUNDS 12

typedef struct pin_work {
  po_motion *m;
  po_data *data;
  po_ik *ik;
  po_vec3 *corner;          /* frames × corners: where they were, then where they are wanted */
  po_vec3 *anchor;          /* likewise: where they stand, for frames in which their foot does */
  po_vec3 flat[PO_CORNERS]; /* at the zero pose, from the middle of the foot's corners */
  double *stiffness, *q;
} pin_work;

static size_t pin_at(const pin_work *w, int k, int c) { return (size_t)k * (size_t)w->m->corners.count + (size_t)c; }
static po_vec3 *pin_corner(const pin_work *w, int k, int c) { return &w->corner[pin_at(w, k, c)]; }

static int pin_stands(const po_motion *m, int k, int foot) { return (m->planted[k] & m->corners.of_foot[foot]) != 0; }

/* The mean over the foot's corners that are in `which`. */
static po_vec3 pin_middle(const po_vec3 *corner, const po_corners *corners, uint32_t which) {
  po_vec3 sum = po_v3(0, 0, 0);
  int c, n = 0;
  for (c = 0; c < corners->count; c++)
    if (which >> c & 1u) sum = po_v3_add(sum, corner[c]), n++;
  return n ? po_v3_scale(1.0 / n, sum) : sum;
}

static void pin_begin(pin_work *w) {
  po_motion *m = w->m;
  const po_corners *cs = &m->corners;
  int k, c, f;
  po_neutral(w->q, m->model);
  po_kinematics(w->data, w->q, NULL);
  for (c = 0; c < cs->count; c++) w->flat[c] = po_corner_position(w->data, m, c);
  for (f = 0; f < cs->feet; f++) {
    po_vec3 middle = pin_middle(w->flat, cs, cs->of_foot[f]);
    for (c = 0; c < cs->count; c++)
      if (cs->foot[c] == f) w->flat[c] = po_v3(w->flat[c].x - middle.x, w->flat[c].y - middle.y, 0);
  }
  for (k = 0; k < m->frames; k++) {
    po_kinematics(w->data, po_motion_q(m, k), NULL);
    for (c = 0; c < cs->count; c++) *pin_corner(w, k, c) = po_corner_position(w->data, m, c);
  }
  for (k = 0; k < m->model->nv; k++) { /* a leg's joint carries corners */
    int body = m->model->dof_body[k];
    w->stiffness[k] = PIN_STIFFNESS;
    for (c = 0; c < cs->count; c++) {
      int foot = m->model->frame[cs->frame[c]].body;
      if (foot >= body && foot < m->model->subtree_end[body]) w->stiffness[k] = PIN_STIFFNESS_LEG;
    }
  }
}

/* The flat place that fits a stance best: heading and middle. */
static po_planar_move pin_place(const pin_work *w, int foot, int from, int to) {
  const po_corners *cs = &w->m->corners;
  double n = 0, dot = 0, cross = 0;
  po_vec3 here = po_v3(0, 0, 0), flat = po_v3(0, 0, 0), z = po_v3(0, 0, 1);
  po_planar_move place;
  int k, c, pass;
  for (pass = 0; pass < 2; pass++) {
    for (k = from; k < to; k++)
      for (c = 0; c < cs->count; c++) {
        po_vec3 p = *pin_corner(w, k, c), a, b;
        if (cs->foot[c] != foot || !(w->m->planted[k] >> c & 1u)) continue;
        if (pass == 0) {
          n++;
          here = po_v3_add(here, p);
          flat = po_v3_add(flat, w->flat[c]);
          continue;
        }
        a = po_v3_sub(w->flat[c], flat);
        b = po_v3_sub(p, here);
        dot += a.x * b.x + a.y * b.y;
        cross += a.x * b.y - a.y * b.x;
      }
    if (pass == 0) here = po_v3_scale(1 / n, here), flat = po_v3_scale(1 / n, flat);
  }
  place.turn = po_atan2(cross, dot);
  place.shift = po_v3_sub(here, po_q_rotate(po_q_axis_angle(z, place.turn), flat));
  place.shift.z = 0;
  return place;
}

/* Anchors of all stances of a foot. */
static void pin_anchors(const pin_work *w, int foot) {
  const po_motion *m = w->m;
  int k, i, c, to;
  for (k = 0; k < m->frames; k = to + 1) {
    po_planar_move place;
    po_quat heading;
    to = k;
    if (!pin_stands(m, k, foot)) continue;
    while (to < m->frames && pin_stands(m, to, foot)) to++;
    place = pin_place(w, foot, k, to);
    heading = po_q_axis_angle(po_v3(0, 0, 1), place.turn);
    for (i = k; i < to; i++)
      for (c = 0; c < m->corners.count; c++)
        if (m->corners.foot[c] == foot) w->anchor[pin_at(w, i, c)] = po_v3_add(place.shift, po_q_rotate(heading, w->flat[c]));
  }
}

/* The corner between its plantings at frames a and b; a < 0 or b beyond the end: the one there is. */
static void pin_swing(const pin_work *w, int c, int a, int b) {
  int k, frames = w->m->frames;
  po_vec3 p, q;
  p = po_v3_sub(w->anchor[pin_at(w, a >= 0 ? a : b, c)], *pin_corner(w, a >= 0 ? a : b, c));
  q = b < frames ? po_v3_sub(w->anchor[pin_at(w, b, c)], *pin_corner(w, b, c)) : p;
  for (k = a + 1; k < b && k < frames; k++) {
    double s = (double)(k - a) / (b - a);
    po_vec3 *at = pin_corner(w, k, c);
    *at = po_v3_add(*at, po_v3_addscaled(p, s * s * (3 - 2 * s), po_v3_sub(q, p)));
    at->z = po_max(at->z, 0);
  }
}

static void pin_one(const pin_work *w, int c) {
  const po_motion *m = w->m;
  int k, last = -1, any = 0;
  for (k = 0; k < m->frames; k++) {
    if (!(m->planted[k] >> c & 1u)) continue;
    if (last < k - 1) pin_swing(w, c, last, k);
    last = k;
    any = 1;
  }
  if (any && last < m->frames - 1) pin_swing(w, c, last, m->frames);
  for (k = 0; k < m->frames; k++)
    if (m->planted[k] >> c & 1u) *pin_corner(w, k, c) = w->anchor[pin_at(w, k, c)];
}

static po_status pin_solve(pin_work *w, int k, double root_weight) {
  po_motion *m = w->m;
  po_ik_goal goal[PO_CORNERS + 2];
  po_ik_opts o = po_ik_opts_default();
  po_status s;
  int c, i, n = 0;
  memset(goal, 0, sizeof goal);
  memcpy(w->q, po_motion_q(m, k), sizeof(double) * (size_t)m->model->nq);
  po_kinematics(w->data, w->q, NULL);
  for (c = 0; c < m->corners.count; c++, n++) {
    const po_frame *f = &m->model->frame[m->corners.frame[c]];
    goal[n].kind = PO_IK_POINT;
    goal[n].body = f->body;
    goal[n].point = f->pose.p;
    goal[n].place = *pin_corner(w, k, c);
    for (i = 0; i < 3; i++) goal[n].weight[i] = m->planted[k] >> c & 1u ? PIN_WEIGHT_PLANTED : PIN_WEIGHT_SWING;
  }
  goal[n].kind = PO_IK_POINT;
  goal[n].place = w->data->pose[0].p;
  for (i = 0; i < 3; i++) goal[n].weight[i] = root_weight;
  n++;
  goal[n].kind = PO_IK_TURN;
  goal[n].orientation = w->data->pose[0].R;
  goal[n].frame = po_m3_identity();
  for (i = 0; i < 3; i++) goal[n].weight[i] = PIN_WEIGHT_ROOT_TURN;
  n++;
  o.rounds = PIN_ROUNDS;
  o.posture = po_motion_q(m, k);
  o.stiffness = w->stiffness;
  s = po_ik_solve(w->q, NULL, w->ik, goal, n, &o);
  if (s != PO_OK && s != PO_ERR_ITERATIONS) return s;
  memcpy(po_motion_q(m, k), w->q, sizeof(double) * (size_t)m->model->nq);
  return PO_OK;
}

static po_status pin_pass(pin_work *w, double root_weight, double smooth) {
  po_motion *m = w->m;
  po_status s = PO_OK;
  int k;
  for (k = 0; k < m->corners.count; k++) pin_one(w, k);
  for (k = 0; k < m->frames && s == PO_OK; k++) s = pin_solve(w, k, root_weight);
  if (s == PO_OK) s = po_motion_smooth(m, smooth);
  for (k = 0; k < m->frames; k++) po_clamp_to_limits(po_motion_q(m, k), m->model); /* a curve through limits may swing past them */
  return s;
}

/* v of the smoothed motion, q as it is: differences of pinned frames jump where a corner comes or goes, and momenta with them. */
static po_status pin_velocities(po_motion *m, double seconds) {
  po_motion *smooth;
  po_status s = po_motion_cut(&smooth, m, 0, m->frames - 1);
  if (s != PO_OK) return s;
  if ((s = po_motion_smooth(smooth, seconds)) == PO_OK) memcpy(m->v, smooth->v, sizeof(double) * (size_t)m->frames * (size_t)m->model->nv);
  po_motion_free(smooth);
  return s;
}

po_status po_motion_pin(po_motion *m, double seconds) {
  size_t frames, corners;
  pin_work w;
  po_status s;
  int k;
  if (!m) return PO_ERR_NULL;
  if (!m->model->floating) return PO_ERR_MODEL;
  if (m->frames < 1) return PO_ERR_SIZE;
  memset(&w, 0, sizeof w);
  w.m = m;
  frames = (size_t)m->frames, corners = (size_t)m->corners.count;
  w.corner = (po_vec3 *)po_alloc(sizeof(po_vec3) * frames * (corners + 1));
  w.anchor = (po_vec3 *)po_alloc(sizeof(po_vec3) * frames * (corners + 1));
  w.q = (double *)po_alloc(sizeof(double) * (size_t)(m->model->nq + m->model->nv));
  s = w.corner && w.anchor && w.q ? po_data_new(&w.data, m->model) : PO_ERR_MEMORY;
  if (s == PO_OK) s = po_ik_new(&w.ik, m->model, 3 * (PO_CORNERS + 2));
  if (s == PO_OK) {
    w.stiffness = w.q + m->model->nq;
    pin_begin(&w);
    for (k = 0; k < m->corners.feet; k++) pin_anchors(&w, k);
    s = pin_pass(&w, PIN_WEIGHT_ROOT, seconds);
    pin_begin(&w);
    if (s == PO_OK) s = pin_pass(&w, PIN_WEIGHT_ROOT_AGAIN, 0);
    if (s == PO_OK) s = pin_velocities(m, seconds);
  }
  po_ik_free(w.ik);
  po_data_free(w.data);
  po_free(w.corner);
  po_free(w.anchor);
  po_free(w.q);
  return s;
}
