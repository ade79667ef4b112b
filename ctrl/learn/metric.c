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

/* The best so far, nearest first. */
typedef struct metric_best { int *index, count, k; double *distance; } metric_best;

static double metric_worst(const metric_best *b) { return b->count < b->k ? PO_INF : b->distance[b->k - 1]; }

/* Offered in the order of their indices, so that of equal ones the first stays ahead. */
static void metric_offer(metric_best *b, int index, double d) {
  int i;
  if (!(d < metric_worst(b))) return;
  for (i = b->count < b->k ? b->count++ : b->k - 1; i > 0 && b->distance[i - 1] > d; i--) {
    b->distance[i] = b->distance[i - 1];
    b->index[i] = b->index[i - 1];
  }
  b->distance[i] = d;
  b->index[i] = index;
}

#define METRIC_NEAREST 32 /* most that anyone asks for */

static metric_best metric_begin(int *index, double *distance, int k) {
  metric_best b;
  int i;
  b.index = index;
  b.distance = distance;
  b.count = 0;
  b.k = k;
  for (i = 0; i < k; i++) {
    index[i] = -1;
    distance[i] = PO_INF;
  }
  return b;
}

int po_metric_nearest(int *nearest, double *distance, int k, const po_metric *m, const float *states, int n, const float *query) {
  double own[METRIC_NEAREST];
  metric_best best = metric_begin(nearest, distance ? distance : own, po_min(k, METRIC_NEAREST));
  int i;
  for (i = 0; i < n; i++) metric_offer(&best, i, po_metric_distance(m, states + (size_t)i * m->features, query));
  return best.count;
}

/* ---- landmarks ---- */

#define NEAR_LANDMARKS 8

struct po_near {
  const po_metric *metric;
  const float *states;
  int n, landmark[NEAR_LANDMARKS];
  double *to;                   /* [n][NEAR_LANDMARKS] distances */
};

/* The first state, then always the one farthest from all landmarks so far. */
po_status po_near_new(po_near **near, const po_metric *m, const float *states, int n) {
  po_near *x;
  int i, k;
  if (!near || !m || !states) return PO_ERR_NULL;
  *near = NULL;
  if (n < 1) return PO_ERR_SIZE;
  if (!(x = po_alloc(sizeof *x + sizeof(double) * NEAR_LANDMARKS * (size_t)n))) return PO_ERR_MEMORY;
  x->metric = m;
  x->states = states;
  x->n = n;
  x->to = (double *)(x + 1);
  for (k = 0; k < NEAR_LANDMARKS; k++) {
    double far = -1;
    for (i = 0; i < n; i++) {
      double least = PO_INF;
      int l;
      for (l = 0; l < k; l++) least = po_min(least, x->to[(size_t)i * NEAR_LANDMARKS + l]);
      if (least > far) {
        far = least;
        x->landmark[k] = i;
      }
    }
    for (i = 0; i < n; i++)
      x->to[(size_t)i * NEAR_LANDMARKS + k] = po_metric_distance(m, states + (size_t)i * m->features, states + (size_t)x->landmark[k] * m->features);
  }
  *near = x;
  return PO_OK;
}

void po_near_free(po_near *near) { po_free(near); }

/* A distance is at least the difference of two distances to a landmark, but for quaternions that are rounded to floats and so not quite of length 1. */
#define NEAR_SLACK 1e-5

int po_near_find(int *nearest, double *distance, int k, const po_near *x, const float *query) {
  double own[METRIC_NEAREST], to[NEAR_LANDMARKS];
  metric_best best = metric_begin(nearest, distance ? distance : own, po_min(k, METRIC_NEAREST));
  int i, l;
  for (l = 0; l < NEAR_LANDMARKS; l++) to[l] = po_metric_distance(x->metric, x->states + (size_t)x->landmark[l] * x->metric->features, query);
  for (i = 0; i < x->n; i++) {
    const double *have = x->to + (size_t)i * NEAR_LANDMARKS;
    double worst = metric_worst(&best), d;
    for (l = 0; l < NEAR_LANDMARKS && po_abs(have[l] - to[l]) <= worst + NEAR_SLACK; l++) {}
    if (l < NEAR_LANDMARKS) continue;
    d = metric_distance_within(x->metric, x->states + (size_t)i * x->metric->features, query, worst);
    if (d <= worst) metric_offer(&best, i, d);
  }
  return best.count;
}
