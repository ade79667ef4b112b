/* motion_gait.c: feet and COM of walking and squatting, made for a body's size.
 *
 * Time runs from the middle of a double support, left foot ahead, over two steps. A foot lands on its heel edge with toes up, lies flat by the middle of the
 * double support, stands flat while the other swings, and rolls over its toe edge from a little before the other lands until it lifts. All these paths are of fifth order, at
 * rest at both ends (s³(10 − 15 s + 6 s²)), so that accelerations are continuous.
 *
 * The COM moves so that the centre of pressure follows a path within the soles. With no change of angular momentum (what there is of it is put into p),
 *   c − z/(g + z'') c'' = p   for x and y,   c growing by one stride each cycle,
 * which is a cyclic tridiagonal system for the frames' c: diagonally dominant, solved by elimination and one rank-one correction (Sherman & Morrison 1950).
 */
#include "motion_gait.h"
#include <string.h>

/* The centre of pressure comes to a foot this far behind its middle (share of the way to the heel) and leaves it at the toe edge, on which the foot
 * then stands; it stays at this share of the sole's distance from the middle line, so that narrow soles keep a margin. */
#define GAIT_PRESSURE_HEEL 0.6
#define GAIT_PRESSURE_ASIDE 0.92

static double gait_ease(double s) {
  s = po_clamp(s, 0, 1);
  return s * s * s * (10 - s * (15 - 6 * s));
}

static int gait_even(double x) { return 2 * (int)po_max(floor(0.5 * x + 0.5), 1); }

po_status po_gait_init(po_gait *t, const po_gait_kind *kind, const po_model *model, po_data *d, double hz, po_error *err) {
  double *zero, frames;
  po_vec3 between;
  int f, c;
  memset(t, 0, sizeof *t);
  t->kind = kind;
  t->model = model;
  t->corners = po_corners_of(model);
  t->g = 9.81;
  t->hz = hz;
  for (f = 0; f < 2; f++) {
    for (t->foot[f] = 0; t->foot[f] < t->corners.feet && strcmp(t->corners.name[t->foot[f]], f ? "r" : "l"); t->foot[f]++) {}
    if (t->foot[f] == t->corners.feet || !model->floating)
      return po_fail(err, PO_ERR_MODEL, "'%s' has no feet to move on: a free root and frames sole_l_0 ..., sole_r_0 ... are needed",
                     model->name);
  }
  zero = (double *)po_alloc(sizeof(double) * (size_t)model->nq);
  if (!zero) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_neutral(zero, model);
  po_kinematics(d, zero, NULL);
  po_free(zero);
  po_com(d);
  t->h = d->com.z;
  t->l = po_motion_length(model);
  if (!(t->h > 0)) return po_fail(err, PO_ERR_MODEL, "the COM of '%s' is not above its soles", model->name);
  for (f = 0; f < 2; f++) {
    int n = 0;
    for (c = 0; c < t->corners.count; c++)
      if (t->corners.foot[c] == t->foot[f]) {
        const po_frame *at = &model->frame[t->corners.frame[c]];
        t->flat[c] = po_point_position(d, at->body, at->pose.p);
        t->middle[f] = po_v3_add(t->middle[f], t->flat[c]);
        n++;
      }
    t->middle[f] = po_v3_scale(1.0 / n, t->middle[f]);
    for (c = 0; c < t->corners.count; c++)
      if (t->corners.foot[c] == t->foot[f]) {
        t->flat[c] = po_v3(t->flat[c].x - t->middle[f].x, t->flat[c].y - t->middle[f].y, 0);
        t->heel[f] = po_min(t->heel[f], t->flat[c].x);
        t->toe[f] = po_max(t->toe[f], t->flat[c].x);
      }
  }
  between = po_v3_scale(0.5, po_v3_add(t->middle[0], t->middle[1]));
  for (f = 0; f < 2; f++) t->middle[f] = po_v3(t->middle[f].x - between.x, t->middle[f].y - between.y, 0);
  frames = kind->period * sqrt(t->h / t->g) * hz;
  if (!(frames >= 8 && frames < 1e6))
    return po_fail(err, PO_ERR_RANGE, "%g frames a second are too few or too many for the motion '%s'", hz, kind->name);
  t->step = gait_even(frames);
  t->steps = kind->step > 0 ? 2 * t->step : t->step;
  t->both = kind->step > 0 ? gait_even(kind->both * t->step) : 0;
  t->off = (int)floor(kind->off * t->step + 0.5);
  t->length = kind->step * t->l;
  return PO_OK;
}

double po_gait_phase(const po_gait *t, int k) { return (double)k / t->steps; }

/* ---- feet ---- */

/* One sole: its middle, and its pitch about an edge (heel up is positive). */
typedef struct gait_sole {
  double x, z, pitch;
  int heel, toe; /* which edges stand */
} gait_sole;

static gait_sole gait_on_edge(const po_gait *t, int f, double x, double pitch) {
  gait_sole s;
  double edge = pitch > 0 ? t->toe[f] : t->heel[f], sine, cosine;
  po_sincos(&sine, &cosine, pitch);
  s.x = x + edge - edge * cosine; /* the edge stays where it is: middle = edge − R(pitch) edge */
  s.z = edge * sine;
  s.pitch = pitch;
  s.heel = pitch <= 0;
  s.toe = pitch >= 0;
  return s;
}

/* The sole of foot f at frame k. Counted from its landing, it stands for step + both frames and swings for step − both. */
static gait_sole gait_sole_at(const po_gait *t, int f, int k) {
  const po_gait_kind *kind = t->kind;
  int stand = t->step + t->both, swing = t->step - t->both, landed = f == 0 ? -t->both / 2 : -t->step - t->both / 2, i = k - landed;
  int cycles = (int)floor((double)i / t->steps);
  double x = (f == 0 ? 0.5 : -0.5) * t->length + 2 * t->length * cycles;
  gait_sole s, from, to;
  double u;
  i -= cycles * t->steps;
  if (i < t->both / 2) {
    s = gait_on_edge(t, f, x, -kind->land * (1 - gait_ease(2.0 * i / t->both)));
    s.toe = 0;
    return s;
  }
  if (i <= t->step - t->off) {
    s = gait_on_edge(t, f, x, 0);
    s.heel = i < t->step - t->off;
    return s;
  }
  if (i < stand) {
    s = gait_on_edge(t, f, x, kind->push * gait_ease((double)(i - t->step + t->off) / (t->both + t->off)));
    s.heel = 0;
    return s;
  }
  from = gait_on_edge(t, f, x, kind->push);
  to = gait_on_edge(t, f, x + 2 * t->length, -kind->land);
  u = (double)(i - stand) / swing;
  s.x = from.x + gait_ease(u) * (to.x - from.x);
  s.z = from.z + gait_ease(u) * (to.z - from.z) + kind->clearance * t->l * 64 * u * u * u * (1 - u) * (1 - u) * (1 - u);
  s.pitch = from.pitch + gait_ease(u) * (to.pitch - from.pitch);
  s.heel = s.toe = 0;
  return s;
}

uint32_t po_gait_corners(po_vec3 corner[PO_CORNERS], const po_gait *t, int k) {
  uint32_t planted = 0;
  int f, c;
  for (f = 0; f < 2; f++) {
    gait_sole s = {0, 0, 0, 1, 1};
    double sine, cosine;
    if (t->kind->step > 0) s = gait_sole_at(t, f, k);
    po_sincos(&sine, &cosine, s.pitch);
    for (c = 0; c < t->corners.count; c++) {
      po_vec3 p = t->flat[c];
      if (t->corners.foot[c] != t->foot[f]) continue;
      corner[c] = po_v3(t->middle[f].x + s.x + cosine * p.x, t->middle[f].y + p.y, s.z - sine * p.x);
      if (p.x < 0 ? s.heel : s.toe) planted |= (uint32_t)1 << c;
    }
  }
  return planted;
}

/* ---- pressure and COM ---- */

/* From behind the standing sole's middle to its toe edge while the other swings, and over to the next foot in double support. */
po_vec3 po_gait_pressure(const po_gait *t, int k) {
  int flat = t->step - t->off - t->both, n, i, f;
  double u, x0, x1, y0, y1;
  if (!(t->kind->step > 0)) return po_v3(0, 0, 0);
  n = (int)floor((double)(k + t->both / 2) /
                 t->step); /* of the double support that began last: the foot that leads it stands next */
  i = k + t->both / 2 - n * t->step;
  f = n & 1;
  if (i < t->both) {
    u = gait_ease((double)i / t->both);
    x0 = (n - 0.5) * t->length + t->middle[1 - f].x + t->toe[1 - f];
    x1 = (n + 0.5) * t->length + t->middle[f].x + GAIT_PRESSURE_HEEL * t->heel[f];
    y0 = t->middle[1 - f].y, y1 = t->middle[f].y;
  } else {
    u = gait_ease((double)(i - t->both) / flat);
    x0 = (n + 0.5) * t->length + t->middle[f].x + GAIT_PRESSURE_HEEL * t->heel[f];
    x1 = (n + 0.5) * t->length + t->middle[f].x + t->toe[f];
    y0 = y1 = t->middle[f].y;
  }
  return po_v3(x0 + u * (x1 - x0), GAIT_PRESSURE_ASIDE * (y0 + u * (y1 - y0)), 0);
}

double po_gait_height(const po_gait *t, int k) {
  double s = po_sin(PO_PI * k / t->step);
  return t->h * (t->kind->height + t->kind->bob * s * s);
}

/* x (n) = A⁻¹ x for the cyclic A with sub-, main and superdiagonal a, b, c; b and c are destroyed, u is scratch. */
static void gait_cyclic(double *x, const double *a, double *b, double *c, double *u, int n) {
  double gamma = -b[0], alpha = c[n - 1], beta = a[0], pivot, fact; /* corners: alpha at (n−1, 0), beta at (0, n−1) */
  int i;
  b[0] -= gamma;
  b[n - 1] -= alpha * beta / gamma;
  for (i = 0; i < n; i++) u[i] = 0;
  u[0] = gamma;
  u[n - 1] = alpha;
  pivot = b[0]; /* Thomas, for both right sides */
  x[0] /= pivot;
  u[0] /= pivot;
  for (i = 1; i < n; i++) {
    c[i - 1] /= pivot;
    pivot = b[i] - a[i] * c[i - 1];
    x[i] = (x[i] - a[i] * x[i - 1]) / pivot;
    u[i] = (u[i] - a[i] * u[i - 1]) / pivot;
  }
  for (i = n - 2; i >= 0; i--) {
    x[i] -= c[i] * x[i + 1];
    u[i] -= c[i] * u[i + 1];
  }
  fact = (x[0] + beta * x[n - 1] / gamma) / (1 + u[0] + beta * u[n - 1] / gamma);
  for (i = 0; i < n; i++) x[i] -= fact * u[i];
}

void po_gait_com(double *com, const double *p, const double *z, double along, double hz, double g, int n, double *work) {
  double *a = work, *b = a + n, *c = b + n, *u = c + n;
  int k;
  for (k = 0; k < n; k++) {
    double rise = (z[(k + 1) % n] - 2 * z[k] + z[(k + n - 1) % n]) * hz * hz, w = z[k] / (g + rise) * hz * hz;
    a[k] = c[k] = -w;
    b[k] = 1 + 2 * w;
    com[k] = p[k] - along * k / n; /* what is left is periodic: uniform motion has no acceleration */
  }
  gait_cyclic(com, a, b, c, u, n);
  for (k = 0; k < n; k++) com[k] += along * k / n;
}
