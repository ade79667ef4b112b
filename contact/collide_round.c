/* collide_round.c: spheres and capsules against each other and against boxes. A sphere is a capsule of length zero. */
#include "collide.h"

/* Two directions count as parallel when the sine of their angle is below this: then they touch along a line, by its two ends. */
#define PO_COLLIDE_PARALLEL 0.02

static po_vec3 round_axis(const po_solid *a) { return a->type == PO_CAPSULE ? po_m3_col(a->R, 2) : po_v3(0, 0, 1); }
static double round_half(const po_solid *a) { return a->type == PO_CAPSULE ? a->size[1] : 0; }

/* The touch of two spheres of radius ra at pa and rb at pb. Centres that coincide are pushed apart upward. */
static int round_point(po_touch *out, po_vec3 pa, double ra, po_vec3 pb, double rb, double margin, uint32_t feature) {
  po_vec3 d = po_v3_sub(pa, pb);
  double length2 = po_v3_dot(d, d), reach = ra + rb + margin, length;
  if (length2 > reach * reach) return 0;
  length = sqrt(length2);
  out->normal = length > 1e-12 ? po_v3_scale(1 / length, d) : po_v3(0, 0, 1);
  out->gap = length - ra - rb;
  out->point = po_v3_addscaled(pb, rb + 0.5 * out->gap, out->normal);
  out->feature = feature;
  return 1;
}

/* Parameters s, t of the nearest points of pa + s ua, |s| ≤ ha and pb + t ub, |t| ≤ hb (Ericson 2005, section 5.1.9, symmetric form). */
static void round_nearest(double *s, double *t, po_vec3 d, po_vec3 ua, double ha, po_vec3 ub, double hb) {
  double c = po_v3_dot(ua, ub), da = po_v3_dot(ua, d), db = po_v3_dot(ub, d), det = 1 - c * c; /* d = pa − pb */
  *s = det > 1e-12 ? po_clamp((c * db - da) / det, -ha, ha) : 0;
  *t = po_clamp(db + c * *s, -hb, hb);
  *s = po_clamp(c * *t - da, -ha, ha);
}

int po_collide_round(po_touch *out, const po_solid *a, const po_solid *b, double margin) {
  po_vec3 ua = round_axis(a), ub = round_axis(b), d = po_v3_sub(a->p, b->p);
  double ha = round_half(a), hb = round_half(b), s, t;
  po_vec3 cross = po_v3_cross(ua, ub);
  if (ha > 0 && hb > 0 && po_v3_dot(cross, cross) < PO_COLLIDE_PARALLEL * PO_COLLIDE_PARALLEL) {
    /* along a's axis both cover an interval; its two ends touch */
    double mid = -po_v3_dot(ua, d), lo = po_max(-ha, mid - hb), hi = po_min(ha, mid + hb), ends[2];
    int k, n = 0;
    ends[0] = lo;
    ends[1] = hi;
    if (hi - lo > 1e-6) {
      for (k = 0; k < 2; k++) {
        po_vec3 pa = po_v3_addscaled(a->p, ends[k], ua);
        t = po_clamp(po_v3_dot(ub, po_v3_sub(pa, b->p)), -hb, hb);
        n += round_point(&out[n], pa, a->size[0], po_v3_addscaled(b->p, t, ub), b->size[0], margin, (uint32_t)k + 1);
      }
      return n;
    }
  }
  round_nearest(&s, &t, d, ua, ha, ub, hb);
  return round_point(out, po_v3_addscaled(a->p, s, ua), a->size[0], po_v3_addscaled(b->p, t, ub), b->size[0], margin, 0);
}

/* ---- against a box ----------------------------------------------------------------------------------------------------------- */

double po_box_distance(const double half[3], const double x[3], double normal[3]) {
  double distance2 = 0, deepest = -PO_INF, length;
  int k, face = 0;
  for (k = 0; k < 3; k++) {
    double over = fabs(x[k]) - half[k];
    normal[k] = 0;
    if (over > deepest) {
      deepest = over;
      face = k;
    }
    if (over > 0) {
      normal[k] = x[k] > 0 ? over : -over;
      distance2 += over * over;
    }
  }
  if (deepest <= 0) {
    normal[face] = x[face] < 0 ? -1 : 1;
    return deepest;
  }
  length = sqrt(distance2);
  for (k = 0; k < 3; k++) normal[k] /= length;
  return length;
}

typedef struct round_probe {
  const po_solid *box;
  double from[3], axis[3], radius;
} round_probe;

static double round_box_at(const round_probe *r, double s, double normal[3]) {
  double x[3];
  int k;
  for (k = 0; k < 3; k++) x[k] = r->from[k] + s * r->axis[k];
  return po_box_distance(r->box->size, x, normal) - r->radius;
}

static int round_box_touch(po_touch *out, const round_probe *r, double s, const double normal[3], double gap, double margin, uint32_t feature) {
  po_vec3 at;
  if (gap > margin) return 0;
  out->normal = po_m3_mul_v(r->box->R, po_v3_of(normal));
  at = po_v3(r->from[0] + s * r->axis[0], r->from[1] + s * r->axis[1], r->from[2] + s * r->axis[2]);
  out->gap = gap;
  out->point = po_v3_addscaled(po_v3_add(r->box->p, po_m3_mul_v(r->box->R, at)), -(r->radius + 0.5 * gap), out->normal);
  out->feature = feature;
  return 1;
}

/* Where along the axis the signed distance is least. It is convex, so narrowing by the golden ratio finds it. */
static double round_box_nearest(const round_probe *r, double half) {
  const double ratio = 0.6180339887498949;
  double lo = -half, hi = half, normal[3], s0 = hi - ratio * (hi - lo), s1 = lo + ratio * (hi - lo);
  double f0 = round_box_at(r, s0, normal), f1 = round_box_at(r, s1, normal);
  int k;
  for (k = 0; k < 40; k++) { /* 0.618^40 = 4e-9 of the length */
    if (f0 <= f1) {
      hi = s1;
      s1 = s0;
      f1 = f0;
      s0 = hi - ratio * (hi - lo);
      f0 = round_box_at(r, s0, normal);
    } else {
      lo = s0;
      s0 = s1;
      f0 = f1;
      s1 = lo + ratio * (hi - lo);
      f1 = round_box_at(r, s1, normal);
    }
  }
  return 0.5 * (lo + hi);
}

/* A capsule that lies along a face touches it by the ends of the part that is over the face. */
static int round_box_lying(po_touch *out, const round_probe *r, double half, const double normal[3], double margin) {
  double lo = -half, hi = half, ends[2], x;
  int k, face = -1, n = 0;
  for (k = 0; k < 3; k++)
    if (fabs(normal[k]) > 0.9999) face = k;
  if (face < 0 || fabs(r->axis[face]) > 0.1) return 0;
  for (k = 0; k < 3; k++) {
    double a, b;
    if (k == face) continue;
    if (fabs(r->axis[k]) < 1e-9) {
      if (fabs(r->from[k]) > r->box->size[k]) return 0;
      continue;
    }
    a = (-r->box->size[k] - r->from[k]) / r->axis[k];
    b = (r->box->size[k] - r->from[k]) / r->axis[k];
    lo = po_max(lo, po_min(a, b));
    hi = po_min(hi, po_max(a, b));
  }
  if (hi - lo < 1e-3 * half) return 0;
  ends[0] = lo;
  ends[1] = hi;
  for (k = 0; k < 2; k++) {
    x = r->from[face] + ends[k] * r->axis[face];
    n += round_box_touch(&out[n], r, ends[k], normal, (normal[face] > 0 ? x : -x) - r->box->size[face] - r->radius, margin, (uint32_t)k + 1);
  }
  return n;
}

int po_collide_round_box(po_touch *out, const po_solid *a, const po_solid *box, double margin) {
  round_probe r;
  double half = round_half(a), normal[3], s = 0, gap;
  int n;
  r.box = box;
  r.radius = a->size[0];
  po_v3_to(r.from, po_m3_tmul_v(box->R, po_v3_sub(a->p, box->p)));
  po_v3_to(r.axis, po_m3_tmul_v(box->R, round_axis(a)));
  if (half > 0) s = round_box_nearest(&r, half);
  gap = round_box_at(&r, s, normal);
  if (gap > margin) return 0;
  if (half > 0 && (n = round_box_lying(out, &r, half, normal, margin)) > 0) return n;
  return round_box_touch(out, &r, s, normal, gap, margin, 0);
}

/* ---- dispatch ------------------------------------------------------------------------------------------------------------------ */

int po_collide(po_touch *out, const po_solid *a, const po_solid *b, double margin) {
  int n, k;
  if (a->type == PO_HULL || b->type == PO_HULL) return po_collide_hulls(out, a, b, margin);
  if (a->type != PO_BOX && b->type != PO_BOX) return po_collide_round(out, a, b, margin);
  if (a->type == PO_BOX && b->type == PO_BOX) return po_collide_boxes(out, a, b, margin);
  if (b->type == PO_BOX) return po_collide_round_box(out, a, b, margin);
  n = po_collide_round_box(out, b, a, margin);
  for (k = 0; k < n; k++) out[k].normal = po_v3_neg(out[k].normal);
  return n;
}

void po_solid_bounds(po_vec3 *low, po_vec3 *high, const po_solid *a, double margin) {
  const double *m = a->R.m;
  po_vec3 reach;
  if (a->type == PO_SPHERE) {
    reach = po_v3(a->size[0], a->size[0], a->size[0]);
  } else if (a->type == PO_CAPSULE) {
    reach = po_v3(a->size[0] + fabs(m[2]) * a->size[1], a->size[0] + fabs(m[5]) * a->size[1], a->size[0] + fabs(m[8]) * a->size[1]);
  } else {
    const double *h = a->size;
    reach = po_v3(fabs(m[0]) * h[0] + fabs(m[1]) * h[1] + fabs(m[2]) * h[2], fabs(m[3]) * h[0] + fabs(m[4]) * h[1] + fabs(m[5]) * h[2],
                  fabs(m[6]) * h[0] + fabs(m[7]) * h[1] + fabs(m[8]) * h[2]);
  }
  reach = po_v3_add(reach, po_v3(margin, margin, margin));
  *low = po_v3_sub(a->p, reach);
  *high = po_v3_add(a->p, reach);
}

int po_touch_reduce(po_touch *touch, int n, int keep) {
  int chosen[PO_MAX_TOUCHES], k, i, c;
  po_touch kept[PO_MAX_TOUCHES];
  if (keep > PO_MAX_TOUCHES) keep = PO_MAX_TOUCHES;
  if (n <= keep) return n;
  chosen[0] = 0;
  for (i = 1; i < n; i++)
    if (touch[i].gap < touch[chosen[0]].gap - 1e-9) chosen[0] = i;
  for (k = 1; k < keep; k++) { /* farthest from all chosen: spans the patch */
    double best = -1;
    chosen[k] = -1;
    for (i = 0; i < n; i++) {
      double nearest = PO_INF;
      for (c = 0; c < k; c++) {
        po_vec3 d = po_v3_sub(touch[i].point, touch[chosen[c]].point);
        nearest = po_min(nearest, po_v3_dot(d, d));
      }
      if (nearest > best + 1e-12) {
        best = nearest;
        chosen[k] = i;
      }
    }
  }
  for (k = 0; k < keep; k++) kept[k] = touch[chosen[k]];
  for (k = 0; k < keep; k++) touch[k] = kept[k];
  return keep;
}
