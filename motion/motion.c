/* motion.c: a row of frames: memory, adding, checking, cutting, moving about. */
#include "motion_internal.h"
#include <string.h>

#define MOTION_CLOSES 1e-6 /* rad or m: a cyclic motion's joints end this near to where they began */

po_corners po_corners_of(const po_model *model) {
  po_corners c;
  int i, f;
  memset(&c, 0, sizeof c);
  for (i = 0; i < model->frames && c.count < PO_CORNERS; i++) {
    const char *name = model->frame[i].name, *foot = name + 5, *end;
    if (strncmp(name, "sole_", 5) != 0 || model->frame[i].body < 0) continue;
    end = strrchr(foot, '_');
    if (!end || end == foot || end - foot >= (int)sizeof c.name[0]) continue;
    for (f = 0; f < c.feet && (strncmp(c.name[f], foot, (size_t)(end - foot)) != 0 || c.name[f][end - foot]); f++) {}
    if (f == PO_CORNER_FEET) continue;
    if (f == c.feet) memcpy(c.name[c.feet++], foot, (size_t)(end - foot));
    c.frame[c.count] = i;
    c.foot[c.count] = f;
    c.of_foot[f] |= (uint32_t)1 << c.count++;
  }
  return c;
}

po_status po_motion_new(po_motion **motion, const po_model *model, double hz, int capacity) {
  po_motion *m;
  size_t n = (size_t)capacity, bytes;
  po_arena a;
  if (!motion || !model) return PO_ERR_NULL;
  *motion = NULL;
  if (!(hz >= PO_MOTION_HZ_LEAST && hz <= PO_MOTION_HZ_MOST)) return PO_ERR_RANGE;
  if (capacity < 1 || n > ((size_t)-1 >> 1) / (sizeof(double) * (size_t)(model->nq + model->nv + 1))) return PO_ERR_SIZE;
  bytes = sizeof *m + n * (sizeof(double) * (size_t)(model->nq + model->nv) + sizeof(uint32_t)) + 5 * 32;
  m = (po_motion *)po_alloc(bytes);
  if (!m) return PO_ERR_MEMORY;
  po_arena_init(&a, m + 1, bytes - sizeof *m);
  m->model = model;
  m->hz = hz;
  m->capacity = capacity;
  m->q = PO_ARENA_ARRAY(&a, double, n *(size_t)model->nq);
  m->v = PO_ARENA_ARRAY(&a, double, n *(size_t)model->nv);
  m->planted = PO_ARENA_ARRAY(&a, uint32_t, n);
  m->corners = po_corners_of(model);
  if (a.failed) {
    po_free(m);
    return PO_ERR_MEMORY;
  }
  *motion = m;
  return PO_OK;
}

void po_motion_free(po_motion *motion) { po_free(motion); }

po_status po_motion_add(po_motion *m, const double *q, const double *v, uint32_t planted) {
  po_status s;
  if (!m || !q) return PO_ERR_NULL;
  if (m->frames == m->capacity) return PO_ERR_SIZE;
  if (m->corners.count < PO_CORNERS && planted >> m->corners.count) return PO_ERR_RANGE;
  if ((s = po_check_state(m->model, q, v)) != PO_OK) return s;
  memcpy(po_motion_q(m, m->frames), q, sizeof(double) * (size_t)m->model->nq);
  if (v) memcpy(po_motion_v(m, m->frames), v, sizeof(double) * (size_t)m->model->nv);
  else memset(po_motion_v(m, m->frames), 0, sizeof(double) * (size_t)m->model->nv);
  m->planted[m->frames++] = planted;
  return PO_OK;
}

double po_motion_seconds(const po_motion *m) { return m->frames > 1 ? (m->frames - 1) / m->hz : 0; }

/* ---- moving it about ---- */

static double motion_heading(const double *q) { /* of the root's x axis, seen from above */
  po_vec3 x = po_q_rotate(po_q_unit(po_q_of(q)), po_v3(1, 0, 0));
  return po_atan2(x.y, x.x);
}

po_planar_move po_motion_stride(const po_motion *m) {
  po_planar_move s;
  s.turn = 0;
  s.shift = po_v3(0, 0, 0);
  if (m->model->floating && m->frames > 1) {
    const double *first = po_motion_q(m, 0) + m->model->joint[0].q, *last = po_motion_q(m, m->frames - 1) + m->model->joint[0].q;
    po_vec3 z = po_v3(0, 0, 1);
    s.turn = motion_heading(last) - motion_heading(first);
    if (s.turn > PO_PI) s.turn -= 2 * PO_PI;
    if (s.turn < -PO_PI) s.turn += 2 * PO_PI;
    s.shift = po_v3_sub(po_v3_of(last + 4), po_q_rotate(po_q_axis_angle(z, s.turn), po_v3_of(first + 4)));
  }
  return s;
}

void po_planar_apply(const po_model *model, double *q, po_planar_move move) {
  double *root = q + model->joint[0].q;
  po_quat turn = po_q_axis_angle(po_v3(0, 0, 1), move.turn);
  if (!model->floating) return;
  if (move.turn != 0) {
    po_q_to(root, po_q_mul(turn, po_q_of(root)));
    po_v3_to(root + 4, po_q_rotate(turn, po_v3_of(root + 4)));
  }
  po_v3_to(root + 4, po_v3_add(po_v3_of(root + 4), move.shift));
}

po_planar_move po_planar_power(po_planar_move move, int n) {
  po_planar_move r = {0, {0, 0, 0}};
  po_vec3 z = po_v3(0, 0, 1);
  int k, inverse = n < 0;
  if (inverse) n = -n;
  for (k = 0; (1u << k) <= (unsigned)n; k++) { /* by squaring: x -> T(x + …) */
    if ((unsigned)n >> k & 1u) {
      r.shift = po_v3_add(po_q_rotate(po_q_axis_angle(z, move.turn), r.shift), move.shift);
      r.turn += move.turn;
    }
    move.shift = po_v3_add(po_q_rotate(po_q_axis_angle(z, move.turn), move.shift), move.shift);
    move.turn *= 2;
  }
  if (inverse) {
    r.turn = -r.turn;
    r.shift = po_v3_neg(po_q_rotate(po_q_axis_angle(z, r.turn), r.shift));
  }
  return r;
}

void po_motion_move(po_motion *m, po_planar_move move) { /* v is in the root's own axes: it stays */
  int k;
  for (k = 0; k < m->frames; k++) po_planar_apply(m->model, po_motion_q(m, k), move);
}

po_status po_motion_cut(po_motion **cut, const po_motion *m, int from, int to) {
  po_status s;
  size_t n;
  if (!cut || !m) return PO_ERR_NULL;
  if (from < 0 || to < from || to >= m->frames) return PO_ERR_RANGE;
  if ((s = po_motion_new(cut, m->model, m->hz, to - from + 1)) != PO_OK) return s;
  n = (size_t)(to - from + 1);
  memcpy((*cut)->q, po_motion_q(m, from), sizeof(double) * n * (size_t)m->model->nq);
  memcpy((*cut)->v, po_motion_v(m, from), sizeof(double) * n * (size_t)m->model->nv);
  memcpy((*cut)->planted, m->planted + from, sizeof(uint32_t) * n);
  (*cut)->frames = (int)n;
  (*cut)->cyclic = m->cyclic && from == 0 && to == m->frames - 1;
  return PO_OK;
}

po_status po_motion_check(const po_motion *m, po_error *err) {
  double *q, *d;
  int k;
  double worst = 0;
  if (!m) return po_fail(err, PO_ERR_NULL, "a motion is needed");
  if (m->frames < 1) return po_fail(err, PO_ERR_SIZE, "the motion has no frames");
  for (k = 0; k < m->frames; k++) {
    po_status s = po_check_state(m->model, po_motion_q(m, k), po_motion_v(m, k));
    if (s != PO_OK) return po_fail(err, s, "frame %d: %s", k, po_status_string(s));
  }
  if (!m->cyclic) return PO_OK;
  q = (double *)po_alloc(sizeof(double) * (size_t)(m->model->nq + m->model->nv));
  if (!q) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  d = q + m->model->nq;
  memcpy(q, po_motion_q(m, 0), sizeof(double) * (size_t)m->model->nq);
  po_planar_apply(m->model, q, po_motion_stride(m));
  po_difference(d, m->model, q, po_motion_q(m, m->frames - 1));
  worst = po_norm_inf(d, m->model->nv);
  po_free(q);
  if (worst > MOTION_CLOSES)
    return po_fail(err, PO_ERR_STATE, "the motion is called cyclic, but its last frame differs from its first by %.2g", worst);
  return PO_OK;
}

/* ---- mirror ---- */

/* For each corner the one where a mirror shows it: on the other foot, where the zero pose has x and −y. */
static void motion_mirror_corners(int mirrored[PO_CORNERS], const po_motion *m, po_data *d) {
  po_vec3 at[PO_CORNERS];
  int c, k;
  po_kinematics(d, po_motion_q(m, 0), NULL); /* q 0 holds the zero pose by now */
  for (c = 0; c < m->corners.count; c++) at[c] = po_frame_position(d, m->corners.frame[c]);
  for (c = 0; c < m->corners.count; c++) {
    double nearest = PO_INF;
    mirrored[c] = c;
    for (k = 0; k < m->corners.count; k++) {
      double dx = at[k].x - at[c].x, dy = at[k].y + at[c].y, dz = at[k].z - at[c].z, far = dx * dx + dy * dy + dz * dz;
      if (far < nearest) nearest = far, mirrored[c] = k;
    }
  }
}

po_status po_motion_mirror(po_motion **mirrored, const po_motion *m) {
  int swap[PO_CORNERS], k, c;
  po_motion *r;
  po_data *d;
  po_status s;
  if (!mirrored || !m) return PO_ERR_NULL;
  if (m->frames < 1) return PO_ERR_SIZE;
  if ((s = po_motion_cut(&r, m, 0, m->frames - 1)) != PO_OK) return s;
  if ((s = po_data_new(&d, m->model)) != PO_OK) {
    po_motion_free(r);
    return s;
  }
  po_neutral(po_motion_q(r, 0), m->model);
  motion_mirror_corners(swap, r, d);
  memcpy(po_motion_q(r, 0), po_motion_q(m, 0), sizeof(double) * (size_t)m->model->nq);
  for (k = 0; k < r->frames && s == PO_OK; k++) {
    s = po_mirror_state(po_motion_q(r, k), po_motion_v(r, k), m->model);
    r->planted[k] = 0;
    for (c = 0; c < m->corners.count; c++)
      if (m->planted[k] >> c & 1u) r->planted[k] |= (uint32_t)1 << swap[c];
  }
  po_data_free(d);
  if (s != PO_OK) {
    po_motion_free(r);
    return s;
  }
  *mirrored = r;
  return PO_OK;
}
