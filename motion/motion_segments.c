/* motion_segments.c: what a motion is like: its figures, and the pieces between its key events. */
#include "motion_internal.h"
#include <string.h>

/* The COM turns where it is this far, as a share of the body's height, from its last turning point: less is wobble. */
#define SEGMENT_TURN 0.02
#define SEGMENT_LINE 0.01 /* support narrower than this share of the body's height lies on a line */

/* ---- figures ---- */

static void measure_slides(double *worst, po_vec3 *anchor, const po_motion *m, const po_data *d, int k) {
  int c;
  for (c = 0; c < m->corners.count; c++) {
    po_vec3 p;
    if (!(m->planted[k] >> c & 1u)) continue;
    p = po_corner_position(d, m, c);
    if (k == 0 || !(m->planted[k - 1] >> c & 1u)) anchor[c] = p;
    *worst = po_max(*worst, po_v3_norm(po_v3_sub(p, anchor[c])));
  }
}

po_status po_motion_measure(po_motion_figures *f, const po_motion *m) {
  po_vec3 anchor[PO_CORNERS], last = {0, 0, 0};
  double *q, path = 0;
  po_data *d = NULL;
  po_status s;
  int k, supported = 0;
  if (!f || !m) return PO_ERR_NULL;
  memset(f, 0, sizeof *f);
  q = (double *)po_alloc(sizeof(double) * (size_t)(m->model->nq + 1));
  s = q ? po_data_new(&d, m->model) : PO_ERR_MEMORY;
  for (k = 0; k < m->frames && s == PO_OK; k++) {
    po_kinematics(d, po_motion_q(m, k), po_motion_v(m, k));
    po_centroidal(d);
    if (k) path += po_v3_norm(po_v3(d->com.x - last.x, d->com.y - last.y, 0));
    last = d->com;
    f->am_peak = po_max(f->am_peak, po_norm2(d->momentum, 3));
    measure_slides(&f->slide_max, anchor, m, d, k);
    supported += m->planted[k] != 0;
    memcpy(q, po_motion_q(m, k), sizeof(double) * (size_t)m->model->nq);
    f->limit_excess = po_max(f->limit_excess, po_clamp_to_limits(q, m->model));
  }
  if (s == PO_OK && m->frames > 1) f->com_speed_mean = path / po_motion_seconds(m);
  if (s == PO_OK && m->frames) f->support_share = (double)supported / m->frames;
  po_data_free(d);
  po_free(q);
  return s;
}

/* ---- segments ---- */

typedef struct segment_cuts {
  int *at, count;
} segment_cuts;

static unsigned segment_feet(const po_motion *m, int k) { /* those that stand, as bits */
  unsigned feet = 0;
  int f;
  for (f = 0; f < m->corners.feet; f++)
    if (m->planted[k] & m->corners.of_foot[f]) feet |= 1u << f;
  return feet;
}

static int segment_double(const po_motion *m, int k) { /* more than one foot stands */
  unsigned feet = segment_feet(m, k);
  return (feet & (feet - 1)) != 0;
}

static void segment_cut(segment_cuts *c, int frame) {
  if (frame > c->at[c->count - 1]) c->at[c->count++] = frame;
}

static int segment_longest(double hz) { return (int)po_max(floor(PO_SEGMENT_SECONDS * hz), 1); } /* frames; rates are at most 1e6 */

/* From the last cut to `to` in equal pieces that are not too long. */
static void segment_evenly(segment_cuts *c, int to, double hz) {
  int from = c->at[c->count - 1], longest = segment_longest(hz), pieces = (to - from + longest - 1) / longest, i;
  for (i = 1; i <= pieces; i++) segment_cut(c, from + (int)((long long)(to - from) * i / pieces));
}

/* The first turning point of the height after `from`, or `to`. */
static int segment_turn(const double *height, int from, int to, double wobble) {
  int k, high = from, low = from;
  for (k = from; k <= to; k++) {
    if (height[k] > height[high]) high = k;
    if (height[k] < height[low]) low = k;
    if (high > from && height[high] - height[k] > wobble) return high;
    if (low > from && height[k] - height[low] > wobble) return low;
  }
  return to;
}

static void segment_standing(segment_cuts *c, const double *height, int to, double hz, double wobble) {
  while (c->at[c->count - 1] < to) segment_evenly(c, segment_turn(height, c->at[c->count - 1], to, wobble), hz);
}

/* Where to cut: all double supports between single supports at their middle, also those so short that no frame shows them; what is too long for
 * that, as if there were no steps. */
static void segment_all(segment_cuts *c, const po_motion *m, const double *height) {
  int k, from, last = m->frames - 1, longest = segment_longest(m->hz);
  double wobble = SEGMENT_TURN * po_motion_length(m->model);
  c->at[0] = 0;
  c->count = 1;
  for (from = 0; from <= last; from = k) {
    int twice = segment_double(m, from), inside;
    for (k = from; k <= last && segment_double(m, k) == twice; k++) {}
    inside = from > 0 && k <= last;
    if (!twice) {
      int i; /* one foot takes over from the other between two frames */
      for (i = from + 1; i < k; i++)
        if (m->planted[i - 1] && m->planted[i] && !(segment_feet(m, i - 1) & segment_feet(m, i))) segment_cut(c, i);
      continue;
    }
    if (k - from > longest || k - from == m->frames) {
      segment_cut(c, from); /* a long stand: its own pieces */
      segment_standing(c, height, k - 1, m->hz, wobble);
    } else if (inside) segment_cut(c, (from + k) / 2);
  }
  segment_standing(c, height, last, m->hz, PO_INF);
}

/* Support that a body can balance on: not none, not a point, not a line. */
static po_status segment_support(const po_motion *m, po_data *d, int from, int to, po_error *err) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, least;
  po_vec3 first = {0, 0, 0};
  int k, c;
  for (k = from; k <= to; k++) {
    if (!m->planted[k]) continue;
    po_kinematics(d, po_motion_q(m, k), NULL);
    for (c = 0; c < m->corners.count; c++) {
      po_vec3 p;
      if (!(m->planted[k] >> c & 1u)) continue;
      p = po_corner_position(d, m, c);
      if (n == 0) first = p; /* sums from there, so that nothing cancels far from the origin */
      p = po_v3_sub(p, first);
      n++;
      x += p.x, y += p.y, xx += p.x * p.x, xy += p.x * p.y, yy += p.y * p.y;
    }
  }
  if (n == 0)
    return po_fail(err, PO_ERR_STATE, "frames %d to %d have no support: no corner of a sole is planted; cut them off", from, to);
  xx = xx / n - x * x / n / n, xy = xy / n - x * y / n / n, yy = yy / n - y * y / n / n;
  least = 0.5 * (xx + yy - sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
  if (!(sqrt(po_max(least, 0)) > SEGMENT_LINE * po_motion_length(m->model)))
    return po_fail(err, PO_ERR_STATE, "frames %d to %d stand on a point or a line: more corners must be planted to balance on",
                   from, to);
  return PO_OK;
}

static void segment_heights(double *height, const po_motion *m, po_data *d) {
  int k;
  for (k = 0; k < m->frames; k++) {
    po_kinematics(d, po_motion_q(m, k), NULL);
    po_com(d);
    height[k] = d->com.z;
  }
}

static po_status segment_fill(po_segment *segment, int max, int *count, const segment_cuts *c, const po_motion *m, po_data *d,
                              po_error *err) {
  po_status s;
  int i;
  *count = c->count - 1;
  if (*count > max) return po_fail(err, PO_ERR_SIZE, "%d segments, and room for %d", *count, max);
  for (i = 0; i < *count; i++) {
    po_segment *g = &segment[i];
    g->from = c->at[i];
    g->to = c->at[i + 1];
    g->support = m->planted[(g->from + g->to) / 2];
    g->feet = segment_feet(m, (g->from + g->to) / 2);
    if ((s = segment_support(m, d, g->from, g->to, err)) != PO_OK) return s;
  }
  return PO_OK;
}

po_status po_motion_segments(po_segment *segment, int *count, int max, const po_motion *m, po_error *err) {
  segment_cuts cuts;
  double *height;
  po_data *d = NULL;
  po_status s;
  if (!count || !m || (!segment && max > 0))
    return po_fail(err, PO_ERR_NULL, "po_motion_segments: a motion and room for its segments are needed");
  *count = 0;
  if (m->frames < 2) return po_fail(err, PO_ERR_SIZE, "a motion of %d frames has no segments", m->frames);
  height = (double *)po_alloc(sizeof(double) * (size_t)m->frames);
  cuts.at = (int *)po_alloc(sizeof(int) * ((size_t)m->frames + 1));
  s = height && cuts.at ? po_data_new(&d, m->model) : PO_ERR_MEMORY;
  if (s == PO_OK) {
    segment_heights(height, m, d);
    segment_all(&cuts, m, height);
    s = segment_fill(segment, max, count, &cuts, m, d, err);
  } else po_fail(err, s, "out of memory");
  po_data_free(d);
  po_free(height);
  po_free(cuts.at);
  return s;
}
