/* paint.c: solids painted by rays: within the rectangle that a solid can cover, each sample's ray is met with it and kept when it is nearer. */
#include "picture.h"
#include <math.h>
#include <string.h>

enum { PAINT_NOTHING, PAINT_GROUND, PAINT_BODY };

/* Light comes from above, the left and behind the eye's usual place. */
static const po_vec3 paint_light = {-0.42, -0.40, 0.815};
#define PAINT_AMBIENT 0.76f
#define PAINT_SHADOW 0.80f   /* what is left of the ground's brightness in a shadow */
#define PAINT_NEAR 0.05      /* m: what is nearer to the eye is not drawn */
#define PAINT_LINE 0.012     /* m: half the width of a line of the grid */

po_paint po_paint_of(unsigned hex) {
  po_paint p = {(float)(hex >> 16 & 255) / 255, (float)(hex >> 8 & 255) / 255, (float)(hex & 255) / 255};
  return p;
}

po_status po_canvas_new(po_canvas *c, int width, int height) {
  size_t n;
  memset(c, 0, sizeof *c);
  c->width = width * PO_CANVAS_SAMPLES;
  c->height = height * PO_CANVAS_SAMPLES;
  n = (size_t)c->width * (size_t)c->height;
  c->depth = po_alloc(n * sizeof *c->depth);
  c->kind = po_alloc(n);
  c->rgb = po_alloc(3 * n * sizeof *c->rgb);
  if (c->depth && c->kind && c->rgb) return PO_OK;
  po_canvas_free(c);
  return PO_ERR_MEMORY;
}
void po_canvas_free(po_canvas *c) {
  po_free(c->depth);
  po_free(c->kind);
  po_free(c->rgb);
  memset(c, 0, sizeof *c);
}

static void paint_put(po_canvas *c, size_t at, float depth, po_paint p, float bright, int kind) {
  c->depth[at] = depth;
  c->kind[at] = (unsigned char)kind;
  c->rgb[3 * at] = bright * p.r;
  c->rgb[3 * at + 1] = bright * p.g;
  c->rgb[3 * at + 2] = bright * p.b;
}

void po_canvas_clear(po_canvas *c, po_paint sky) {
  size_t i, n = (size_t)c->width * (size_t)c->height;
  for (i = 0; i < n; i++) paint_put(c, i, (float)PO_INF, sky, 1, PAINT_NOTHING);
}

/* The ray through a sample; its part along `ahead` is 1, so that lengths along it are depths. */
static po_vec3 paint_ray(const po_canvas *c, int x, int y) {
  double u = (x + 0.5 - 0.5 * c->width) / c->zoom, v = (0.5 * c->height - y - 0.5) / c->zoom;
  return po_v3_add(c->ahead, po_v3_add(po_v3_scale(u, c->right), po_v3_scale(v, c->up)));
}

static float paint_brightness(po_vec3 normal) {
  double lit = po_max(po_v3_dot(normal, paint_light), 0), sky = 0.5 + 0.5 * normal.z;
  return (float)po_min((double)PAINT_AMBIENT * (0.82 + 0.18 * sky) + 0.40 * lit, 1.1);
}

/* ---- the ground ---- */

/* Share of a sample that a line of the grid covers, its footprint `wide` m. */
static double paint_line(double x, double wide) {
  double away = po_abs(x - floor(x + 0.5));
  return po_clamp((PAINT_LINE + 0.5 * wide - away) / po_max(wide, 1e-9), 0, 1) * po_min(1, 2 * PAINT_LINE / po_max(wide, 1e-9) + 0.15);
}

void po_canvas_plane(po_canvas *c, po_vec3 normal, double offset, po_paint ground, po_paint grid) {
  double over = po_v3_dot(normal, c->eye) - offset;
  float bright = paint_brightness(normal) / paint_brightness(po_v3(0, 0, 1)); /* level ground has its own colour, so that it meets the sky */
  int x, y;
  for (y = 0; y < c->height; y++)
    for (x = 0; x < c->width; x++) {
      po_vec3 d = paint_ray(c, x, y), at;
      double t = -over / po_v3_dot(normal, d), wide, line, fade;
      size_t i = (size_t)y * (size_t)c->width + (size_t)x;
      po_paint p, sky = {c->rgb[3 * i], c->rgb[3 * i + 1], c->rgb[3 * i + 2]};
      if (!(t > PAINT_NEAR && (float)t < c->depth[i])) continue;
      at = po_v3_add(c->eye, po_v3_scale(t, d));
      wide = t * po_v3_norm(d) / c->zoom / po_max(po_abs(po_v3_dot(normal, d)) / po_v3_norm(d), 0.02);
      line = po_max(paint_line(at.x, wide), paint_line(at.y, wide));
      fade = po_clamp(1.6 - t / c->reach, 0, 1);
      line *= fade;
      p.r = bright * (float)((1 - line) * (double)ground.r + line * (double)grid.r);
      p.g = bright * (float)((1 - line) * (double)ground.g + line * (double)grid.g);
      p.b = bright * (float)((1 - line) * (double)ground.b + line * (double)grid.b);
      fade = po_clamp(2.2 - t / c->reach, 0, 1);
      p.r = (float)(fade * (double)p.r + (1 - fade) * (double)sky.r);
      p.g = (float)(fade * (double)p.g + (1 - fade) * (double)sky.g);
      p.b = (float)(fade * (double)p.b + (1 - fade) * (double)sky.b);
      paint_put(c, i, (float)t, p, 1, PAINT_GROUND);
    }
}

/* ---- where a ray meets a solid, in the solid's axes: the nearest t > least, and the normal there ---- */

static double paint_meet_sphere(po_vec3 *n, po_vec3 o, po_vec3 d, double r, double least) {
  double a = po_v3_dot(d, d), b = po_v3_dot(o, d), k = b * b - a * (po_v3_dot(o, o) - r * r), t;
  if (k < 0) return PO_INF;
  t = (-b - sqrt(k)) / a;
  if (!(t > least)) return PO_INF;
  *n = po_v3_scale(1 / r, po_v3_add(o, po_v3_scale(t, d)));
  return t;
}

static double paint_meet_capsule(po_vec3 *n, po_vec3 o, po_vec3 d, double r, double half, double least) {
  double a = d.x * d.x + d.y * d.y, b = o.x * d.x + o.y * d.y, k = b * b - a * (o.x * o.x + o.y * o.y - r * r), best = PO_INF, t;
  po_vec3 cap;
  int end;
  if (a > 0 && k >= 0 && (t = (-b - sqrt(k)) / a) > least && po_abs(o.z + t * d.z) <= half) {
    *n = po_v3((o.x + t * d.x) / r, (o.y + t * d.y) / r, 0);
    return t;
  }
  for (end = -1; end <= 1; end += 2)
    if ((t = paint_meet_sphere(&cap, po_v3(o.x, o.y, o.z - end * half), d, r, least)) < best && end * cap.z >= 0) {
      best = t;
      *n = cap;
    }
  return best;
}

static double paint_meet_box(po_vec3 *n, po_vec3 o, po_vec3 d, const double half[3], double least) {
  double from[3], along[3], in = -PO_INF, out = PO_INF;
  int k, face = 0;
  po_v3_to(from, o);
  po_v3_to(along, d);
  for (k = 0; k < 3; k++) {
    double a, b;
    if (along[k] == 0) {
      if (po_abs(from[k]) > half[k]) return PO_INF;
      continue;
    }
    a = (-half[k] - from[k]) / along[k];
    b = (half[k] - from[k]) / along[k];
    if (po_min(a, b) > in) in = po_min(a, b), face = k;
    out = po_min(out, po_max(a, b));
  }
  if (!(in > least && in <= out)) return PO_INF;
  *n = po_v3(face == 0 ? (along[0] < 0) - (along[0] > 0) : 0, face == 1 ? (along[1] < 0) - (along[1] > 0) : 0, face == 2 ? (along[2] < 0) - (along[2] > 0) : 0);
  return in;
}

/* The last plane that is entered before one is left. */
static double paint_meet_hull(po_vec3 *n, po_vec3 o, po_vec3 d, const po_trace_hull *h, double least) {
  double in = -PO_INF, out = PO_INF;
  int f, face = 0;
  for (f = 0; f < h->faces; f++) {
    const double *plane = h->plane + 4 * f;
    double over = po_v3_dot(po_v3_of(plane), o) - plane[3], along = po_v3_dot(po_v3_of(plane), d);
    if (along == 0 && over > 0) return PO_INF;
    if (along < 0 && -over / along > in) in = -over / along, face = f;
    if (along > 0) out = po_min(out, -over / along);
  }
  if (!(in > least && in <= out)) return PO_INF;
  *n = po_v3_of(h->plane + 4 * face);
  return in;
}

static double paint_meet(po_vec3 *n, const po_paint_solid *s, po_vec3 origin, po_vec3 ray, double least) {
  po_vec3 o = po_m3_tmul_v(s->R, po_v3_sub(origin, s->p)), d = po_m3_tmul_v(s->R, ray), own = {0, 0, 0};
  double t = s->type == PO_SPHERE    ? paint_meet_sphere(&own, o, d, s->size[0], least)
             : s->type == PO_CAPSULE ? paint_meet_capsule(&own, o, d, s->size[0], s->size[1], least)
                                     : s->type == PO_HULL    ? paint_meet_hull(&own, o, d, s->hull, least)
                                     : paint_meet_box(&own, o, d, s->size, least);
  *n = po_m3_mul_v(s->R, own);
  return t;
}

static double paint_radius(const po_paint_solid *s) {
  return s->type == PO_SPHERE ? s->size[0] : s->type == PO_CAPSULE ? s->size[0] + s->size[1] : po_v3_norm(po_v3_of(s->size));
}

/* ---- solids ---- */

typedef struct paint_rect { int x0, y0, x1, y1; } paint_rect;

/* What a ball can cover; all when it reaches behind the eye. */
static paint_rect paint_bounds(const po_canvas *c, po_vec3 centre, double radius) {
  po_vec3 to = po_v3_sub(centre, c->eye);
  double z = po_v3_dot(to, c->ahead), x = po_v3_dot(to, c->right), y = po_v3_dot(to, c->up), r, u, v;
  paint_rect all = {0, 0, c->width, c->height}, none = {0, 0, 0, 0}, rect;
  if (z + radius < PAINT_NEAR) return none;
  if (z - radius < 2 * PAINT_NEAR) return all;
  r = radius * sqrt(1 + (x * x + y * y) / (z * z)) / (z - radius); /* of its image, in tangents: never less */
  u = 0.5 * c->width + c->zoom * x / z;
  v = 0.5 * c->height - c->zoom * y / z;
  rect.x0 = (int)po_clamp(u - r * c->zoom, 0, c->width);
  rect.x1 = (int)po_clamp(u + r * c->zoom + 2, 0, c->width);
  rect.y0 = (int)po_clamp(v - r * c->zoom, 0, c->height);
  rect.y1 = (int)po_clamp(v + r * c->zoom + 2, 0, c->height);
  return rect;
}

/* What corners can cover; nothing when one is not before the eye: such a triangle is under its feet. */
static paint_rect paint_bounds_of(const po_canvas *c, const po_vec3 *corner, int count) {
  double u0 = PO_INF, u1 = -PO_INF, v0 = PO_INF, v1 = -PO_INF;
  paint_rect rect, none = {0, 0, 0, 0};
  int k;
  for (k = 0; k < count; k++) {
    po_vec3 to = po_v3_sub(corner[k], c->eye);
    double z = po_v3_dot(to, c->ahead), u, v;
    if (z < 2 * PAINT_NEAR) return none;
    u = 0.5 * c->width + c->zoom * po_v3_dot(to, c->right) / z;
    v = 0.5 * c->height - c->zoom * po_v3_dot(to, c->up) / z;
    u0 = po_min(u0, u), u1 = po_max(u1, u), v0 = po_min(v0, v), v1 = po_max(v1, v);
  }
  rect.x0 = (int)po_clamp(u0, 0, c->width);
  rect.x1 = (int)po_clamp(u1 + 1, 0, c->width);
  rect.y0 = (int)po_clamp(v0, 0, c->height);
  rect.y1 = (int)po_clamp(v1 + 1, 0, c->height);
  return rect;
}

void po_canvas_solid(po_canvas *c, const po_paint_solid *s, int ground) {
  paint_rect b = paint_bounds(c, s->p, paint_radius(s));
  int x, y;
  for (y = b.y0; y < b.y1; y++)
    for (x = b.x0; x < b.x1; x++) {
      size_t i = (size_t)y * (size_t)c->width + (size_t)x;
      po_vec3 n;
      double t = paint_meet(&n, s, c->eye, paint_ray(c, x, y), PAINT_NEAR);
      if ((float)t < c->depth[i]) paint_put(c, i, (float)t, s->paint, paint_brightness(n), ground ? PAINT_GROUND : PAINT_BODY);
    }
}

void po_canvas_shadow(po_canvas *c, const po_paint_solid *s, double floor_below) {
  po_vec3 on = po_v3_sub(s->p, po_v3_scale(floor_below / paint_light.z, paint_light)), n;
  paint_rect b = paint_bounds(c, on, paint_radius(s) / paint_light.z * 1.2);
  int x, y;
  for (y = b.y0; y < b.y1; y++)
    for (x = b.x0; x < b.x1; x++) {
      size_t i = (size_t)y * (size_t)c->width + (size_t)x;
      po_vec3 at;
      if (c->kind[i] != PAINT_GROUND) continue;
      at = po_v3_add(c->eye, po_v3_scale((double)c->depth[i], paint_ray(c, x, y)));
      if (!(paint_meet(&n, s, at, paint_light, 1e-3) < PO_INF)) continue;
      paint_put(c, i, c->depth[i], (po_paint){c->rgb[3 * i], c->rgb[3 * i + 1], c->rgb[3 * i + 2]}, PAINT_SHADOW, PAINT_BODY); /* once */
    }
}

void po_canvas_triangle(po_canvas *c, const po_vec3 corner[3], po_paint paint, int ground) {
  po_vec3 e1 = po_v3_sub(corner[1], corner[0]), e2 = po_v3_sub(corner[2], corner[0]), n = po_v3_cross(e1, e2), centre;
  double area = po_v3_norm(n);
  float bright;
  paint_rect b;
  int x, y;
  if (!(area > 0)) return;
  n = po_v3_scale(1 / area, n);
  centre = po_v3_scale(1.0 / 3, po_v3_add(corner[0], po_v3_add(corner[1], corner[2])));
  b = paint_bounds_of(c, corner, 3);
  bright = paint_brightness(po_v3_dot(n, po_v3_sub(c->eye, centre)) < 0 ? po_v3_scale(-1, n) : n);
  for (y = b.y0; y < b.y1; y++)
    for (x = b.x0; x < b.x1; x++) {
      size_t i = (size_t)y * (size_t)c->width + (size_t)x;
      po_vec3 d = paint_ray(c, x, y), at;
      double t = po_v3_dot(n, po_v3_sub(corner[0], c->eye)) / po_v3_dot(n, d), u, v;
      if (!(t > PAINT_NEAR && (float)t < c->depth[i])) continue;
      at = po_v3_sub(po_v3_add(c->eye, po_v3_scale(t, d)), corner[0]);
      u = po_v3_dot(n, po_v3_cross(at, e2)) / area;
      v = po_v3_dot(n, po_v3_cross(e1, at)) / area;
      if (u >= 0 && v >= 0 && u + v <= 1) paint_put(c, i, (float)t, paint, bright, ground ? PAINT_GROUND : PAINT_BODY);
    }
}

void po_canvas_finish(po_picture *p, const po_canvas *c) {
  const int n = PO_CANVAS_SAMPLES;
  int x, y, i, j, k;
  for (y = 0; y < p->height; y++)
    for (x = 0; x < p->width; x++)
      for (k = 0; k < 3; k++) {
        float sum = 0;
        for (i = 0; i < n; i++)
          for (j = 0; j < n; j++) sum += c->rgb[3 * ((size_t)(y * n + i) * (size_t)c->width + (size_t)(x * n + j)) + (size_t)k];
        p->rgb[3 * ((size_t)y * (size_t)p->width + (size_t)x) + (size_t)k] = (unsigned char)(255 * po_clamp((double)sum / (n * n), 0, 1) + 0.5);
      }
}
