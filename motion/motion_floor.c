/* motion_floor.c: where a motion's feet stand, and on what floor: planted corners by height and speed, slope and height of the floor. */
#include "motion_internal.h"
#include <string.h>

/* A corner of a simulated foot at rest is within 5 mm of the ground and slower than 0.1 m/s for a human of rest height l = 0.93 m; lengths
 * scale with l, speeds with sqrt(g l), times with sqrt(l/g). Six frames at 120 Hz are too short for a step. */
#define FLOOR_HEIGHT 5.4e-3
#define FLOOR_SPEED 0.033
#define FLOOR_GAP 0.16
#define FLOOR_GRAVITY 9.81
/* Resting places must spread by this share of l (standard deviation) before a slope is believed: feet side by side tell none. */
#define FLOOR_SPREAD 0.25

double po_motion_length(const po_model *model) { return model->rest_height > 0 ? model->rest_height : 1; }

po_planted_opts po_planted_opts_default(const po_model *model) {
  double l = po_motion_length(model);
  po_planted_opts o;
  o.height = FLOOR_HEIGHT * l;
  o.speed = FLOOR_SPEED * sqrt(FLOOR_GRAVITY * l);
  o.gap = FLOOR_GAP * sqrt(l / FLOOR_GRAVITY);
  return o;
}

po_vec3 po_corner_position(const po_data *d, const po_motion *m, int corner) {
  const po_frame *f = &m->model->frame[m->corners.frame[corner]];
  return po_point_position(d, f->body, f->pose.p);
}

/* Runs of one corner's bit that are shorter than `frames` and lie between two others are flipped: first the holes, then what stands alone. */
static void floor_close(po_motion *m, int corner, int frames) {
  uint32_t bit = (uint32_t)1 << corner;
  int pass, from, to, k;
  for (pass = 0; pass < 2; pass++)
    for (from = 0; from < m->frames; from = to) {
      uint32_t state = m->planted[from] & bit;
      for (to = from; to < m->frames && (m->planted[to] & bit) == state; to++) {}
      if (from == 0 || to == m->frames || to - from >= frames || (state != 0) != (pass == 1)) continue;
      for (k = from; k < to; k++) m->planted[k] ^= bit;
    }
}

po_status po_motion_find_planted(po_motion *m, const po_planted_opts *opts) {
  po_planted_opts o;
  po_data *d;
  po_status s;
  int k, c;
  if (!m) return PO_ERR_NULL;
  o = opts ? *opts : po_planted_opts_default(m->model);
  if (!(o.height >= 0 && o.speed >= 0 && o.gap >= 0)) return PO_ERR_RANGE;
  if ((s = po_data_new(&d, m->model)) != PO_OK) return s;
  for (k = 0; k < m->frames; k++) {
    m->planted[k] = 0;
    po_kinematics(d, po_motion_q(m, k), po_motion_v(m, k));
    for (c = 0; c < m->corners.count; c++) {
      const po_frame *f = &m->model->frame[m->corners.frame[c]];
      if (po_corner_position(d, m, c).z <= o.height && po_v3_norm(po_point_velocity(d, f->body, f->pose.p)) <= o.speed)
        m->planted[k] |= (uint32_t)1 << c;
    }
  }
  po_data_free(d);
  po_motion_close_gaps(m, o.gap);
  return PO_OK;
}

void po_motion_close_gaps(po_motion *m, double seconds) {
  int c;
  for (c = 0; c < m->corners.count; c++) floor_close(m, c, (int)po_clamp(floor(seconds * m->hz + 0.5), 0, m->frames));
}

/* ---- slope ---- */

typedef struct floor_sums { /* of the resting places */
  double n, x, y, z, xx, xy, yy, xz, yz;
} floor_sums;

static void floor_rest(floor_sums *f, po_vec3 p) {
  f->n++;
  f->x += p.x, f->y += p.y, f->z += p.z;
  f->xx += p.x * p.x, f->xy += p.x * p.y, f->yy += p.y * p.y;
  f->xz += p.x * p.z, f->yz += p.y * p.z;
}

/* The lowest planted corner of each foot rests on the floor. */
static void floor_gather(floor_sums *f, const po_motion *m, po_data *d) {
  int k, c, foot;
  memset(f, 0, sizeof *f);
  for (k = 0; k < m->frames; k++) {
    if (!m->planted[k]) continue;
    po_kinematics(d, po_motion_q(m, k), NULL);
    for (foot = 0; foot < m->corners.feet; foot++) {
      po_vec3 low = po_v3(0, 0, PO_INF);
      for (c = 0; c < m->corners.count; c++)
        if (m->corners.foot[c] == foot && m->planted[k] >> c & 1u) {
          po_vec3 p = po_corner_position(d, m, c);
          if (p.z < low.z) low = p;
        }
      if (low.z < PO_INF) floor_rest(f, low);
    }
  }
}

/* The slope along each of the two principal directions of the resting places, where they spread enough to tell it. */
static po_vec3 floor_normal(const floor_sums *f, double spread) {
  double x = f->x / f->n, y = f->y / f->n, z = f->z / f->n;
  double xx = f->xx / f->n - x * x, xy = f->xy / f->n - x * y, yy = f->yy / f->n - y * y, xz = f->xz / f->n - x * z,
         yz = f->yz / f->n - y * z;
  double angle = 0.5 * po_atan2(2 * xy, xx - yy), gx = 0, gy = 0;
  int i;
  for (i = 0; i < 2; i++, angle += 0.5 * PO_PI) {
    double s, c, var, slope;
    po_sincos(&s, &c, angle);
    var = c * c * xx + 2 * c * s * xy + s * s * yy;
    if (!(var > spread * spread)) continue;
    slope = (c * xz + s * yz) / var;
    gx += slope * c;
    gy += slope * s;
  }
  return po_v3_unit(po_v3(-gx, -gy, 1));
}

po_status po_motion_level(po_motion *m, double *slope) {
  po_vec3 up = po_v3(0, 0, 1), normal, centre, axis;
  double angle, tilt;
  floor_sums f;
  po_quat turn;
  po_data *d;
  po_status s;
  int k;
  if (!m) return PO_ERR_NULL;
  if (slope) *slope = 0;
  if (!m->model->floating) return PO_OK;
  if ((s = po_data_new(&d, m->model)) != PO_OK) return s;
  floor_gather(&f, m, d);
  po_data_free(d);
  if (f.n == 0) return PO_OK; /* it never stands */
  normal = floor_normal(&f, FLOOR_SPREAD * po_motion_length(m->model));
  centre = po_v3_scale(1 / f.n, po_v3(f.x, f.y, f.z));
  axis = po_v3_cross(normal, up);
  tilt = po_v3_norm(axis);
  angle = po_atan2(tilt, normal.z);
  turn = tilt > 0 ? po_q_axis_angle(po_v3_scale(1 / tilt, axis), angle) : po_q_identity();
  for (k = 0; k < m->frames; k++) { /* about the middle of the resting places, which comes to z = 0 */
    double *root = po_motion_q(m, k) + m->model->joint[0].q;
    po_vec3 p = po_v3_add(centre, po_q_rotate(turn, po_v3_sub(po_v3_of(root + 4), centre)));
    po_v3_to(root + 4, po_v3(p.x, p.y, p.z - centre.z));
    po_q_to(root, po_q_unit(po_q_mul(turn, po_q_of(root))));
  }
  if (slope) *slope = angle;
  return PO_OK;
}
