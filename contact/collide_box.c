/* collide_box.c: box against box by separating axes (Gottschalk 1996), then clipping to at most four points.
 *
 * Along an axis L the boxes are apart by |t·L| − r_a − r_b. Of the fifteen axes (three faces each, nine crosses of edges) the one with the
 * largest separation tells how they touch: by a face, whose opposite face is clipped against its sides, or by two edges. Faces win when
 * they are nearly as good as edges, and a's over b's: a stack must not change its mind from step to step.
 */
#include "collide.h"

/* Preference of faces over edges and of a over b, relative to the smallest half extent. */
#define PO_BOX_BIAS 2e-3
/* Corners that overhang the other box's face by less than this share of it are not cut. */
#define PO_BOX_GRACE 1e-2

typedef struct box_pair {
  const po_solid *a, *b;
  double C[3][3], Q[3][3]; /* a's axes · b's axes, and their magnitudes */
  double t[3], u[3];       /* b's centre − a's, along a's and b's axes */
} box_pair;

static void box_prepare(box_pair *p, const po_solid *a, const po_solid *b) {
  po_vec3 d = po_v3_sub(b->p, a->p);
  int i, j, k;
  p->a = a;
  p->b = b;
  po_v3_to(p->t, po_m3_tmul_v(a->R, d));
  po_v3_to(p->u, po_m3_tmul_v(b->R, d));
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) {
      double c = 0;
      for (k = 0; k < 3; k++) c += a->R.m[3 * k + i] * b->R.m[3 * k + j];
      p->C[i][j] = c;
      p->Q[i][j] = fabs(c);
    }
}

/* Largest separation along face axes: 0–2 of a, 3–5 of b; PO_INF when beyond margin. */
static double box_faces(const box_pair *p, double bias, double margin, int *axis) {
  const double *ha = p->a->size, *hb = p->b->size;
  double best = -PO_INF;
  int i;
  for (i = 0; i < 3; i++) {
    double s = fabs(p->t[i]) - ha[i] - (p->Q[i][0] * hb[0] + p->Q[i][1] * hb[1] + p->Q[i][2] * hb[2]);
    if (s > margin) return PO_INF;
    if (s > best) {
      best = s;
      *axis = i;
    }
  }
  for (i = 0; i < 3; i++) {
    double s = fabs(p->u[i]) - hb[i] - (p->Q[0][i] * ha[0] + p->Q[1][i] * ha[1] + p->Q[2][i] * ha[2]);
    if (s > margin) return PO_INF;
    if (s > best + (*axis < 3 ? bias : 0)) {
      best = s;
      *axis = 3 + i;
    }
  }
  return best;
}

/* Largest separation along crosses of edges (i of a, j of b). */
static double box_edges(const box_pair *p, double margin, int *ei, int *ej) {
  const double *ha = p->a->size, *hb = p->b->size;
  double best = -PO_INF;
  int i, j;
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      double length2 = 1 - p->C[i][j] * p->C[i][j], s;
      if (length2 < 1e-6) continue; /* parallel within a milliradian: the faces say it all */
      s = fabs(p->t[i2] * p->C[i1][j] - p->t[i1] * p->C[i2][j]) -
          (ha[i1] * p->Q[i2][j] + ha[i2] * p->Q[i1][j] + hb[j1] * p->Q[i][j2] + hb[j2] * p->Q[i][j1]);
      s /= sqrt(length2);
      if (s > margin) return PO_INF;
      if (s > best) {
        best = s;
        *ei = i;
        *ej = j;
      }
    }
  return best;
}

/* Two edges cross: the nearest points of their lines. */
static int box_edge_touch(po_touch *out, const box_pair *p, int i, int j, double gap) {
  po_vec3 ua = po_m3_col(p->a->R, i), ub = po_m3_col(p->b->R, j), n = po_v3_unit(po_v3_cross(ua, ub)), d = po_v3_sub(p->a->p, p->b->p);
  po_vec3 pa = p->a->p, pb = p->b->p, e;
  double c = p->C[i][j], s, t;
  uint32_t corner = 0;
  int k;
  if (po_v3_dot(n, d) < 0) n = po_v3_neg(n);
  for (k = 0; k < 3; k++) { /* the edge of a farthest against n, of b farthest along it */
    po_vec3 xa = po_m3_col(p->a->R, k), xb = po_m3_col(p->b->R, k);
    if (k != i) {
      double side = po_v3_dot(n, xa) > 0 ? -1 : 1;
      pa = po_v3_addscaled(pa, side * p->a->size[k], xa);
      corner = 2 * corner + (side > 0);
    }
    if (k != j) {
      double side = po_v3_dot(n, xb) > 0 ? 1 : -1;
      pb = po_v3_addscaled(pb, side * p->b->size[k], xb);
      corner = 2 * corner + (side > 0);
    }
  }
  e = po_v3_sub(pa, pb);
  s = po_clamp((c * po_v3_dot(ub, e) - po_v3_dot(ua, e)) / (1 - c * c), -p->a->size[i], p->a->size[i]);
  t = po_clamp(po_v3_dot(ub, po_v3_addscaled(e, s, ua)), -p->b->size[j], p->b->size[j]);
  out->normal = n;
  out->gap = gap;
  out->point = po_v3_scale(0.5, po_v3_add(po_v3_addscaled(pa, s, ua), po_v3_addscaled(pb, t, ub)));
  out->feature = 0x8000u + 256u * (uint32_t)(3 * i + j) + corner;
  return 1;
}

typedef struct box_vertex {
  double x[3];  /* along the reference face's two axes, and along its normal above the face */
  uint32_t id;
} box_vertex;

/* Cuts the polygon to sign·x[axis] ≤ limit. Corners that stand on the border within `grace` count as inside: in a stack of equal boxes all
 * of them do, and must not be cut off in one step and kept in the next. */
static int box_clip(box_vertex *out, const box_vertex *in, int n, int axis, double sign, double limit, double grace, uint32_t plane) {
  int k, c, m = 0;
  for (k = 0; k < n; k++) {
    const box_vertex *p = &in[k], *q = &in[(k + 1) % n];
    double dp = sign * p->x[axis] - limit, dq = sign * q->x[axis] - limit;
    if (dp <= grace) out[m++] = *p;
    if ((dp <= grace) != (dq <= grace)) {
      double f = po_clamp(dp / (dp - dq), 0, 1);
      for (c = 0; c < 3; c++) out[m].x[c] = p->x[c] + f * (q->x[c] - p->x[c]);
      out[m].x[axis] = sign * limit;
      out[m].id = 8u + ((p->id * 31u + q->id * 17u + plane * 7u) & 0xfffu);
      m++;
    }
  }
  return m;
}

/* Face `axis` of `ref` (on the side of the other box) against the face of `other` that looks at it. flip: ref is b. */
static int box_face_touches(po_touch *out, const po_solid *ref, const po_solid *other, int axis, double toward, int flip, double margin) {
  po_vec3 n = po_v3_scale(toward, po_m3_col(ref->R, axis)), centre, axes[2], base = po_v3_addscaled(ref->p, ref->size[axis], n), d;
  box_vertex poly[2][16];
  po_touch all[16];
  double most = -1;
  int k, face = 0, n0 = 4, u = (axis + 1) % 3, v = (axis + 2) % 3, count = 0, fu, fv, now = 0, c;
  for (k = 0; k < 3; k++) {
    double along = po_v3_dot(n, po_m3_col(other->R, k));
    if (fabs(along) > most + 1e-9) {
      most = fabs(along);
      face = k;
    }
  }
  fu = (face + 1) % 3;
  fv = (face + 2) % 3;
  d = po_m3_col(other->R, face);
  centre = po_v3_addscaled(other->p, po_v3_dot(n, d) > 0 ? -other->size[face] : other->size[face], d);
  axes[0] = po_m3_col(ref->R, u);
  axes[1] = po_m3_col(ref->R, v);
  for (k = 0; k < 4; k++) {
    double su = k == 0 || k == 3 ? -1 : 1, sv = k < 2 ? -1 : 1;
    po_vec3 x = po_v3_addscaled(po_v3_addscaled(centre, su * other->size[fu], po_m3_col(other->R, fu)), sv * other->size[fv], po_m3_col(other->R, fv));
    x = po_v3_sub(x, base);
    poly[0][k].x[0] = po_v3_dot(x, axes[0]);
    poly[0][k].x[1] = po_v3_dot(x, axes[1]);
    poly[0][k].x[2] = po_v3_dot(x, n);
    poly[0][k].id = (uint32_t)k + 1;
  }
  for (k = 0; k < 4 && n0 > 0; k++) {
    n0 = box_clip(poly[1 - now], poly[now], n0, k >> 1, k & 1 ? -1 : 1, ref->size[k >> 1 ? v : u], PO_BOX_GRACE * ref->size[k >> 1 ? v : u], (uint32_t)k);
    now = 1 - now;
  }
  for (k = 0; k < n0; k++) {
    const box_vertex *x = &poly[now][k];
    po_vec3 at;
    if (x->x[2] > margin) continue;
    at = po_v3_addscaled(po_v3_addscaled(base, x->x[0], axes[0]), x->x[1], axes[1]);
    all[count].normal = flip ? n : po_v3_neg(n);
    all[count].gap = x->x[2];
    all[count].point = po_v3_addscaled(at, 0.5 * x->x[2], n);
    all[count].feature = x->id + 0x10000u * (uint32_t)(1 + axis + 3 * (toward > 0) + 6 * flip + 12 * face);
    count++;
  }
  count = po_touch_reduce(all, count, 4);
  for (c = 0; c < count; c++) out[c] = all[c];
  return count;
}

int po_collide_boxes(po_touch *out, const po_solid *a, const po_solid *b, double margin) {
  box_pair p;
  double bias = PO_BOX_BIAS * po_min(po_min(po_min(a->size[0], a->size[1]), a->size[2]), po_min(po_min(b->size[0], b->size[1]), b->size[2]));
  double face, edge;
  int axis = 0, i = 0, j = 0;
  box_prepare(&p, a, b);
  face = box_faces(&p, bias, margin, &axis);
  if (face == PO_INF) return 0;
  edge = box_edges(&p, margin, &i, &j);
  if (edge == PO_INF) return 0;
  if (edge > face + bias) return box_edge_touch(out, &p, i, j, edge);
  if (axis < 3) return box_face_touches(out, a, b, axis, p.t[axis] > 0 ? 1 : -1, 0, margin);
  return box_face_touches(out, b, a, axis - 3, p.u[axis - 3] > 0 ? -1 : 1, 1, margin);
}
