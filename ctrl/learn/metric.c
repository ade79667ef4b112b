/* metric.c: states at a foot strike, and how far they are apart (Coros 2010, section 4.4.1). */
#include "learn_internal.h"
#include <string.h>

/* ---- the character's own frame ---- */

po_status po_strike_own(double *q, double *v, po_pose2 *place, const po_model *m, int stance) {
  po_heading heading;
  po_quat root, back;
  po_pose2 here;
  po_status st;
  if (!q || !v || !m) return PO_ERR_NULL;
  if (m->joint[0].type != PO_JOINT_FLOATING) return PO_ERR_MODEL;
  memset(&heading, 0, sizeof heading);
  root = po_q_of(q);
  po_heading_update(&heading, po_q_matrix(root), po_v3(0, 0, -1));
  here.x = q[4];
  here.y = q[5];
  here.heading = heading.angle;
  if (stance && (st = po_mirror_state(q, v, m)) != PO_OK) return st;
  root = po_q_of(q);
  back = po_q_axis_angle(po_v3(0, 0, 1), stance ? here.heading : -here.heading); /* a mirror turns the heading round; v lies in the base's frame */
  po_q_to(q, po_q_mul(back, root));
  q[4] = q[5] = 0;
  if (place) *place = here;
  return PO_OK;
}

po_pose2 po_pose2_from(po_pose2 from, po_pose2 to, int mirrored) {
  double s, c, dx = to.x - from.x, dy = to.y - from.y;
  po_pose2 p;
  po_sincos(&s, &c, from.heading);
  p.x = c * dx + s * dy;
  p.y = c * dy - s * dx;
  p.heading = po_wrap(to.heading - from.heading);
  if (mirrored) {
    p.y = -p.y;
    p.heading = -p.heading;
  }
  return p;
}

/* ---- features ---- */

static void metric_group(po_metric *m, int size, int rotation, double weight) {
  m->group[m->groups].first = m->features;
  m->group[m->groups].size = size;
  m->group[m->groups].rotation = rotation;
  m->group[m->groups++].weight = weight;
  m->features += size;
}

static po_status metric_add(po_metric *m, int body, double spin, double turn, po_error *err) {
  const po_joint *j = &m->model->joint[body];
  if (m->bodies == PO_METRIC_JOINTS || m->features + j->nv + 4 > PO_METRIC_FEATURES) return po_fail(err, PO_ERR_SIZE, "the metric has too many joints");
  m->body[m->bodies++] = body;
  metric_group(m, j->nv, 0, spin);
  if (j->nv > 1) metric_group(m, 4, 1, turn);
  else metric_group(m, 1, 0, turn);
  return PO_OK;
}

po_status po_metric_init(po_metric *metric, const po_model *model, const po_metric_weights *w, po_error *err) {
  static const char *const side[] = {"", "_l", "_r"};
  char name[PO_TASK_NAME + 4];
  po_status st = PO_OK;
  int i, k, b, found;
  if (!metric || !model || !w) return po_fail(err, PO_ERR_NULL, "a metric needs a model and weights");
  memset(metric, 0, sizeof *metric);
  metric->model = model;
  if (!(w->velocity >= 0 && w->spin >= 0 && w->tilt >= 0)) return po_fail(err, PO_ERR_RANGE, "weights of the metric must not be negative");
  metric_group(metric, 3, 0, w->velocity);
  metric_group(metric, 3, 0, w->spin);
  metric_group(metric, 4, 1, w->tilt);
  for (i = 0; i < w->joints && st == PO_OK; i++) {
    if (!(w->joint[i].spin >= 0 && w->joint[i].turn >= 0)) return po_fail(err, PO_ERR_RANGE, "weights of '%s' must not be negative", w->joint[i].joint);
    for (found = 0, k = 0; k < 3 && st == PO_OK; k++) {
      po_format(name, sizeof name, "%s%s", w->joint[i].joint, side[k]);
      if ((b = po_find_joint(model, name)) < 0) continue;
      found = 1;
      st = metric_add(metric, b, w->joint[i].spin, w->joint[i].turn, err);
    }
    if (!found) return po_fail(err, PO_ERR_NAME, "the metric names a joint '%s', which %s lacks", w->joint[i].joint, model->name);
  }
  return st;
}

static po_quat metric_rotation(const po_joint *j, const double *q) {
  if (j->type == PO_JOINT_SPHERICAL) return po_q_unit(po_q_of(q));
  return po_q_mul(po_q_axis_angle(j->axis, q[0]), po_q_axis_angle(j->axis2, q[1]));
}

static float *metric_put(float *f, const double *x, int n) {
  int i;
  for (i = 0; i < n; i++) *f++ = (float)x[i];
  return f;
}

void po_metric_features(float *f, const po_metric *m, const double *q, const double *v) {
  po_quat root = po_q_unit(po_q_of(q));
  po_vec3 velocity = po_q_rotate(root, po_v3(v[3], v[4], v[5]));
  double turn[4];
  int i;
  f = metric_put(f, &velocity.x, 3);
  f = metric_put(f, v, 3);
  po_q_to(turn, root);
  f = metric_put(f, turn, 4);
  for (i = 0; i < m->bodies; i++) {
    const po_joint *j = &m->model->joint[m->body[i]];
    f = metric_put(f, v + j->v, j->nv);
    if (j->nv > 1) {
      po_q_to(turn, metric_rotation(j, q + j->q));
      f = metric_put(f, turn, 4);
    } else {
      f = metric_put(f, q + j->q, 1);
    }
  }
}

/* ---- distances ---- */

static double metric_group_distance(const float *a, const float *b, int size, int rotation) {
  double sum = 0, d;
  int i;
  if (rotation) { /* cosine of half the angle; the chord says it better when it is small */
    double chord[2] = {0, 0};
    for (i = 0; i < 4; i++) {
      d = (double)a[i] - (double)b[i];
      chord[0] += d * d;
      d = (double)a[i] + (double)b[i];
      chord[1] += d * d;
    }
    return 4 * po_asin(po_min(1, sqrt(po_min(chord[0], chord[1])) / 2));
  }
  for (i = 0; i < size; i++) {
    d = (double)a[i] - (double)b[i];
    sum += d * d;
  }
  return sqrt(sum);
}

/* Gives up, with a number that is large enough, when it is beyond `enough`. */
static double metric_distance_within(const po_metric *m, const float *a, const float *b, double enough) {
  double d = 0;
  int g;
  for (g = 0; g < m->groups && d <= enough; g++)
    if (m->group[g].weight > 0) d += m->group[g].weight * metric_group_distance(a + m->group[g].first, b + m->group[g].first, m->group[g].size, m->group[g].rotation);
  return d;
}

double po_metric_distance(const po_metric *m, const float *a, const float *b) { return metric_distance_within(m, a, b, PO_INF); }

static double metric_between(const void *metric, const void *a, const void *b, double enough) { return metric_distance_within(metric, a, b, enough); }

int po_metric_nearest(int *nearest, double *distance, int k, const po_metric *m, const float *states, int n, const float *query) {
  return po_near_among(nearest, distance, k, metric_between, m, states, sizeof(float) * (size_t)m->features, n, query);
}

/* Slack: quaternions are rounded to floats and so not quite of length 1. */
#define METRIC_SLACK 1e-5

po_status po_near_new(po_near **near, const po_metric *m, const float *states, int n) {
  if (!near || !m || !states) return PO_ERR_NULL;
  return po_near_make(near, metric_between, m, states, sizeof(float) * (size_t)m->features, n, METRIC_SLACK);
}

int po_near_find(int *nearest, double *distance, int k, const po_near *near, const float *query) { return po_near_query(nearest, distance, k, near, query, -1); }
