/* track_plan.c: a segment of a motion as a problem for the momentum model: reference, contacts, weights. */
#include "track_plan.h"
#include <string.h>

#define TRACK_PLAN_RAYS 4

typedef struct plan_room { /* what a problem's pointers point to */
  double *reference, *points, *rays;
  int *count, *first;
} plan_room;

static void plan_lay_out(plan_room *r, po_arena *a, int frames, int corners) {
  size_t n = (size_t)frames;
  r->reference = PO_ARENA_ZARRAY(a, double, (n + 1) * PO_MOMENTUM_NX);
  r->points = PO_ARENA_ZARRAY(a, double, n *(size_t)corners * 3 + 1);
  r->rays = PO_ARENA_ZARRAY(a, double, TRACK_PLAN_RAYS * 3);
  r->count = PO_ARENA_ZARRAY(a, int, n);
  r->first = PO_ARENA_ZARRAY(a, int, n);
}

/* The frame of a motion that this one is, and by how much it is shifted: a cyclic motion goes on before its first frame. */
static int plan_wrap(po_vec3 *shift, const po_motion *m, int frame) {
  *shift = po_v3(0, 0, 0);
  if (frame >= 0) return frame;
  *shift = po_v3_neg(po_motion_stride(m).shift);
  return frame + m->frames - 1;
}

/* State of the reference at one frame, Φ from the frame before by the trapezoid; contacts of the frame that begins there. */
static void plan_frame(plan_room *r, const po_motion *m, po_data *d, int from, int k, int frames, int *points) {
  double *x = r->reference + (size_t)k * PO_MOMENTUM_NX;
  po_vec3 shift;
  int c, i, frame = plan_wrap(&shift, m, from + k);
  po_kinematics(d, po_motion_q(m, frame), po_motion_v(m, frame));
  po_centroidal(d);
  po_v3_to(x + PO_MOMENTUM_C, po_v3_add(d->com, shift));
  memcpy(x + PO_MOMENTUM_P, d->momentum + 3, 3 * sizeof(double));
  memcpy(x + PO_MOMENTUM_L, d->momentum, 3 * sizeof(double));
  for (i = 0; i < 3 && k > 0; i++) {
    const double *last = x - PO_MOMENTUM_NX;
    x[PO_MOMENTUM_PHI + i] = last[PO_MOMENTUM_PHI + i] + 0.5 / m->hz * (last[PO_MOMENTUM_L + i] + x[PO_MOMENTUM_L + i]);
  }
  if (k == frames) return;
  r->first[k] = *points;
  for (c = 0; c < m->corners.count; c++)
    if (m->planted[frame] >> c & 1u) {
      const po_frame *f = &m->model->frame[m->corners.frame[c]];
      po_v3_to(r->points + 3 * (size_t)(*points)++, po_v3_add(po_point_position(d, f->body, f->pose.p), shift));
    }
  r->count[k] = *points - r->first[k];
}

static void plan_fill(po_momentum *p, plan_room *r, const po_motion *m, int from, double mu, double height, int squat, po_data *d) {
  po_momentum_scales s = po_momentum_scales_of(m->model->total_mass, height, po_v3_norm(d->gravity), squat);
  int k, points = 0;
  for (k = 0; k < TRACK_PLAN_RAYS; k++) {
    static const double x[TRACK_PLAN_RAYS] = {1, 0, -1, 0}, y[TRACK_PLAN_RAYS] = {0, 1, 0, -1};
    po_v3_to(r->rays + 3 * k, po_v3(mu * x[k], mu * y[k], 1));
  }
  for (k = 0; k <= p->frames; k++) plan_frame(r, m, d, from, k, p->frames, &points);
  p->mass = m->model->total_mass;
  p->dt = 1 / m->hz;
  p->gravity = d->gravity;
  p->ray_count = TRACK_PLAN_RAYS;
  p->rays = r->rays;
  p->w_force = s.w_force;
  p->w_rays = s.w_rays;
  memcpy(p->w_state, s.w_state, sizeof p->w_state);
  memcpy(p->w_track, s.w_track, sizeof p->w_track);
  memcpy(p->start, r->reference, sizeof p->start);
  memcpy(p->goal, r->reference + (size_t)p->frames * PO_MOMENTUM_NX, sizeof p->goal);
  p->reference = r->reference;
  p->point_count = r->count;
  p->point_first = r->first;
  p->points = r->points;
}

po_status po_track_plan(po_momentum **plan, const po_motion *m, int from, int to, double mu, double height, int squat,
                        po_error *err) {
  po_momentum *p;
  plan_room room;
  po_data *d;
  po_arena a;
  size_t bytes;
  if (!plan || !m) return po_fail(err, PO_ERR_NULL, "po_track_plan: a motion is needed");
  *plan = NULL;
  if (from < (m->cyclic ? 1 - m->frames : 0) || to <= from || to >= m->frames)
    return po_fail(err, PO_ERR_RANGE, "frames %d to %d are not within a motion of %d frames", from, to, m->frames);
  if (!(mu > 0 && po_isfinite(mu) && height > 0 && po_isfinite(height)))
    return po_fail(err, PO_ERR_RANGE, "friction and height must be positive");
  if (m->corners.count > PO_MOMENTUM_MAX_POINTS) return po_fail(err, PO_ERR_SIZE, "more than %d corners", PO_MOMENTUM_MAX_POINTS);
  po_arena_measure(&a);
  plan_lay_out(&room, &a, to - from, m->corners.count);
  bytes = po_arena_used(&a);
  p = (po_momentum *)po_alloc(sizeof *p + bytes); /* one block, which po_momentum_free gives back */
  if (p) p->memory = p;
  if (!p || po_data_new(&d, m->model) != PO_OK) {
    po_momentum_free(p);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  po_arena_init(&a, p + 1, bytes);
  plan_lay_out(&room, &a, to - from, m->corners.count);
  p->frames = to - from;
  po_format(p->name, sizeof p->name, "frames %d to %d", from, to);
  plan_fill(p, &room, m, from, mu, height, squat, d);
  po_data_free(d);
  *plan = p;
  return PO_OK;
}
