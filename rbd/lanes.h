/* lanes.h (room-internal): the tree four nodes at a time, for AVX2.
 *
 * Nodes of equal depth do not depend on each other: two legs and two arms can be walked in step, one in each lane of a vector. A *group*
 * is four such nodes (empty lanes have no mass, and so no effect); everything about it is stored lane by lane, double x[4]. Group 0 is
 * the root, the floating base or the world, repeated in all lanes; parents of a group's nodes stand in earlier groups, in most models in
 * the same lanes of one of them (`straight`). Groups of revolute joints only have short code; others take the general one, in which a
 * joint of several freedoms is taken one freedom (`step`) after another: z, y, x of turning, then z, y, x of sliding.
 *
 * Per node the arithmetic is that of the plain twin in the file of the same name without _lanes, with FMA.
 */
#ifndef PO_RBD_LANES_H
#define PO_RBD_LANES_H

#include "tree.h"

#define PO_LANE_STEPS 6

typedef struct po_lane_group {
  _Alignas(32) double R[9][4], p[3][4]; /* joint frame in the parent node */
  double m[4], h[3][4], I[6][4];        /* ten-parameter inertia; I as po_sym3 */
  double below[4];                      /* mass of the subtrees */
  double rotor[PO_LANE_STEPS][4];       /* armature of each step; 1 where a lane has no such step, to keep D from being zero */
  double damps[PO_LANE_STEPS][4];       /* 1 or 0: whether po_data.added counts; not for floating joints */
  double turns[PO_LANE_STEPS][4], slides[PO_LANE_STEPS][4]; /* 1 or 0: what a step does */
  double align[9][4];                                       /* node axes to body axes */
  int node[4];                                              /* 0: empty */
  int up_group[4], up_lane[4];                              /* the parent */
  int body[4];                                              /* the body a node carries; nb, a spare place: none */
  int v[PO_LANE_STEPS][4];                                  /* freedom of each step; 0 where there is none (harmless to read) */
  int out[PO_LANE_STEPS][4];                                /* the same to write to: a spare row where there is none */
  int straight;                                             /* parents are the same lanes of group up_group[0] */
  int revolute;                                             /* all nodes are */
  int steps;                                                /* largest number of freedoms */
  int angle;                                                /* where its sines and cosines begin, −1: nothing turns */
} po_lane_group;

struct po_lane_plan {
  int groups, angles; /* angles: a multiple of four */
  po_lane_group *group;
};

/* The grouping, which gives the nodes their `slot` and `angle`; plan->group has room for it (po_model_group_count). work: 3 (nodes + 2). */
void po_lanes_plan(struct po_lane_plan *plan, po_node *node, int nodes, int floating, const double *below, const po_mat3 *align,
                   int nv, int nb, int *work);

/* ---- scratch, lane by lane -------------------------------------------------------------------------------------------------- */

typedef struct po_lane_link { /* RNEA: as po_link_motion */
  _Alignas(32) double w[3][4], al[3][4], a[3][4];
  double n[3][4], f[3][4];
  double E[9][4], p[3][4];
} po_lane_link;

typedef struct po_lane_place { /* as po_place */
  _Alignas(32) double R[9][4], o[3][4], r[3][4];
} po_lane_place;

typedef struct po_lane_motion { /* as po_node_course */
  _Alignas(32) double w[3][4], v[3][4], al[3][4], a[3][4];
} po_lane_motion;

typedef struct po_lane_composite { /* about the node's origin; the mass is the group's `below` */
  _Alignas(32) double h[3][4], I[6][4];
} po_lane_composite;

typedef struct po_lane_articulated {
  _Alignas(32) double I[6][4], H[9][4], M[6][4];
  double c[6][4], p[6][4]; /* c: al, a;  p: n, f */
  double U[PO_LANE_STEPS][6][4], Dinv[PO_LANE_STEPS][4], u[PO_LANE_STEPS][4];
} po_lane_articulated;

/* ---- four numbers at once ---------------------------------------------------------------------------------------------------- */
#if defined(__x86_64__)
#include <immintrin.h>

#define PO_LANE __attribute__((target("avx2,fma")))
#define PO_LANE_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

#define PO_STRIDE(type) (sizeof(type) / sizeof(double))

typedef __m256d po_v4;
typedef struct po_l3 {
  po_v4 x, y, z;
} po_l3;
typedef struct po_l33 {
  po_v4 m[9];
} po_l33;
typedef struct po_ls3 {
  po_v4 xx, xy, xz, yy, yz, zz;
} po_ls3;

PO_LANE_INLINE po_v4 po_l_load(const double *x) { return _mm256_load_pd(x); }
PO_LANE_INLINE void po_l_store(double *x, po_v4 v) { _mm256_store_pd(x, v); }
PO_LANE_INLINE po_v4 po_l_all(double x) { return _mm256_set1_pd(x); }
PO_LANE_INLINE po_v4 po_l_add(po_v4 a, po_v4 b) { return _mm256_add_pd(a, b); }
PO_LANE_INLINE po_v4 po_l_sub(po_v4 a, po_v4 b) { return _mm256_sub_pd(a, b); }
PO_LANE_INLINE po_v4 po_l_mul(po_v4 a, po_v4 b) { return _mm256_mul_pd(a, b); }
PO_LANE_INLINE po_v4 po_l_fma(po_v4 a, po_v4 b, po_v4 c) { return _mm256_fmadd_pd(a, b, c); }   /* a b + c */
PO_LANE_INLINE po_v4 po_l_fnma(po_v4 a, po_v4 b, po_v4 c) { return _mm256_fnmadd_pd(a, b, c); } /* c − a b */
PO_LANE_INLINE po_v4 po_l_fms(po_v4 a, po_v4 b, po_v4 c) { return _mm256_fmsub_pd(a, b, c); }   /* a b − c */
/* x[i0], x[i1], x[i2], x[i3] */
PO_LANE_INLINE po_v4 po_l_gather(const double *x, const int i[4]) { return _mm256_set_pd(x[i[3]], x[i[2]], x[i[1]], x[i[0]]); }
PO_LANE_INLINE void po_l_scatter(double *x, const int i[4], po_v4 v) {
  double t[4];
  _mm256_storeu_pd(t, v);
  x[i[0]] = t[0];
  x[i[1]] = t[1];
  x[i[2]] = t[2];
  x[i[3]] = t[3];
}
PO_LANE_INLINE double po_l_sum(po_v4 v) { /* (0+2) + (1+3) */
  __m128d s = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
  return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
/* Rows become columns: after it, a holds lane 0 of all four, and so on. */
PO_LANE_INLINE void po_l_transpose(po_v4 *a, po_v4 *b, po_v4 *c, po_v4 *d) {
  po_v4 ab0 = _mm256_unpacklo_pd(*a, *b), ab1 = _mm256_unpackhi_pd(*a, *b);
  po_v4 cd0 = _mm256_unpacklo_pd(*c, *d), cd1 = _mm256_unpackhi_pd(*c, *d);
  *a = _mm256_permute2f128_pd(ab0, cd0, 0x20);
  *b = _mm256_permute2f128_pd(ab1, cd1, 0x20);
  *c = _mm256_permute2f128_pd(ab0, cd0, 0x31);
  *d = _mm256_permute2f128_pd(ab1, cd1, 0x31);
}

PO_LANE_INLINE po_l3 po_l3_of(po_v4 x, po_v4 y, po_v4 z) {
  po_l3 r;
  r.x = x;
  r.y = y;
  r.z = z;
  return r;
}
/* Three (nine, six) quantities begin at x, each four numbers long: pass x[0] of a double x[3][4]. */
PO_LANE_INLINE po_l3 po_l3_load(const double *x) { return po_l3_of(po_l_load(x), po_l_load(x + 4), po_l_load(x + 8)); }
PO_LANE_INLINE void po_l3_store(double *x, po_l3 v) {
  po_l_store(x, v.x);
  po_l_store(x + 4, v.y);
  po_l_store(x + 8, v.z);
}
PO_LANE_INLINE po_l3 po_l3_zero(void) { return po_l3_of(_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()); }
PO_LANE_INLINE po_l3 po_l3_all(po_vec3 v) { return po_l3_of(po_l_all(v.x), po_l_all(v.y), po_l_all(v.z)); }
PO_LANE_INLINE po_l3 po_l3_add(po_l3 a, po_l3 b) { return po_l3_of(po_l_add(a.x, b.x), po_l_add(a.y, b.y), po_l_add(a.z, b.z)); }
PO_LANE_INLINE po_l3 po_l3_sub(po_l3 a, po_l3 b) { return po_l3_of(po_l_sub(a.x, b.x), po_l_sub(a.y, b.y), po_l_sub(a.z, b.z)); }
PO_LANE_INLINE po_l3 po_l3_scale(po_v4 s, po_l3 a) { return po_l3_of(po_l_mul(s, a.x), po_l_mul(s, a.y), po_l_mul(s, a.z)); }
PO_LANE_INLINE po_l3 po_l3_addscaled(po_l3 a, po_v4 s, po_l3 b) {
  return po_l3_of(po_l_fma(s, b.x, a.x), po_l_fma(s, b.y, a.y), po_l_fma(s, b.z, a.z));
}
PO_LANE_INLINE po_v4 po_l3_dot(po_l3 a, po_l3 b) { return po_l_fma(a.z, b.z, po_l_fma(a.y, b.y, po_l_mul(a.x, b.x))); }
PO_LANE_INLINE po_l3 po_l3_cross(po_l3 a, po_l3 b) {
  return po_l3_of(po_l_fms(a.y, b.z, po_l_mul(a.z, b.y)), po_l_fms(a.z, b.x, po_l_mul(a.x, b.z)),
                  po_l_fms(a.x, b.y, po_l_mul(a.y, b.x)));
}
/* c + a × b */
PO_LANE_INLINE po_l3 po_l3_addcross(po_l3 c, po_l3 a, po_l3 b) {
  return po_l3_of(po_l_fnma(a.z, b.y, po_l_fma(a.y, b.z, c.x)), po_l_fnma(a.x, b.z, po_l_fma(a.z, b.x, c.y)),
                  po_l_fnma(a.y, b.x, po_l_fma(a.x, b.y, c.z)));
}
/* c + w × (w × r) + al × r */
PO_LANE_INLINE po_l3 po_l3_addswing(po_l3 c, po_l3 w, po_l3 al, po_l3 r) {
  return po_l3_addcross(po_l3_addcross(c, al, r), w, po_l3_cross(w, r));
}

/* No loops below: at -O2 a compiler keeps them, and the matrices in memory. */
PO_LANE_INLINE po_l33 po_l33_of(po_l3 a, po_l3 b, po_l3 c) { /* by rows */
  po_l33 R;
  R.m[0] = a.x;
  R.m[1] = a.y;
  R.m[2] = a.z;
  R.m[3] = b.x;
  R.m[4] = b.y;
  R.m[5] = b.z;
  R.m[6] = c.x;
  R.m[7] = c.y;
  R.m[8] = c.z;
  return R;
}
PO_LANE_INLINE po_l33 po_l33_load(const double *x) {
  po_l33 R;
  R.m[0] = po_l_load(x);
  R.m[1] = po_l_load(x + 4);
  R.m[2] = po_l_load(x + 8);
  R.m[3] = po_l_load(x + 12);
  R.m[4] = po_l_load(x + 16);
  R.m[5] = po_l_load(x + 20);
  R.m[6] = po_l_load(x + 24);
  R.m[7] = po_l_load(x + 28);
  R.m[8] = po_l_load(x + 32);
  return R;
}
PO_LANE_INLINE void po_l33_store(double *x, po_l33 R) {
  po_l_store(x, R.m[0]);
  po_l_store(x + 4, R.m[1]);
  po_l_store(x + 8, R.m[2]);
  po_l_store(x + 12, R.m[3]);
  po_l_store(x + 16, R.m[4]);
  po_l_store(x + 20, R.m[5]);
  po_l_store(x + 24, R.m[6]);
  po_l_store(x + 28, R.m[7]);
  po_l_store(x + 32, R.m[8]);
}
PO_LANE_INLINE po_l3 po_l33_col(po_l33 R, int j) { return po_l3_of(R.m[j], R.m[3 + j], R.m[6 + j]); }
PO_LANE_INLINE po_l3 po_l33_row(po_l33 R, int i) { return po_l3_of(R.m[3 * i], R.m[3 * i + 1], R.m[3 * i + 2]); }
PO_LANE_INLINE po_l3 po_l33_mul(po_l33 R, po_l3 v) {
  return po_l3_of(po_l3_dot(po_l33_row(R, 0), v), po_l3_dot(po_l33_row(R, 1), v), po_l3_dot(po_l33_row(R, 2), v));
}
PO_LANE_INLINE po_l3 po_l33_tmul(po_l33 R, po_l3 v) {
  return po_l3_of(po_l3_dot(po_l33_col(R, 0), v), po_l3_dot(po_l33_col(R, 1), v), po_l3_dot(po_l33_col(R, 2), v));
}
PO_LANE_INLINE po_l33 po_l33_times(po_l33 A, po_l33 B) {
  po_l3 x = po_l33_col(B, 0), y = po_l33_col(B, 1), z = po_l33_col(B, 2), a = po_l33_row(A, 0), b = po_l33_row(A, 1),
        c = po_l33_row(A, 2);
  return po_l33_of(po_l3_of(po_l3_dot(a, x), po_l3_dot(a, y), po_l3_dot(a, z)),
                   po_l3_of(po_l3_dot(b, x), po_l3_dot(b, y), po_l3_dot(b, z)),
                   po_l3_of(po_l3_dot(c, x), po_l3_dot(c, y), po_l3_dot(c, z)));
}
/* A B' */
PO_LANE_INLINE po_l33 po_l33_times_t(po_l33 A, po_l33 B) {
  po_l3 x = po_l33_row(B, 0), y = po_l33_row(B, 1), z = po_l33_row(B, 2), a = po_l33_row(A, 0), b = po_l33_row(A, 1),
        c = po_l33_row(A, 2);
  return po_l33_of(po_l3_of(po_l3_dot(a, x), po_l3_dot(a, y), po_l3_dot(a, z)),
                   po_l3_of(po_l3_dot(b, x), po_l3_dot(b, y), po_l3_dot(b, z)),
                   po_l3_of(po_l3_dot(c, x), po_l3_dot(c, y), po_l3_dot(c, z)));
}
/* A Rz: turning about z mixes two columns and leaves the third. */
PO_LANE_INLINE po_l33 po_l33_turn(po_l33 A, po_v4 s, po_v4 c) {
  po_l3 a = po_l33_col(A, 0), b = po_l33_col(A, 1);
  A.m[0] = po_l_fma(s, b.x, po_l_mul(c, a.x));
  A.m[3] = po_l_fma(s, b.y, po_l_mul(c, a.y));
  A.m[6] = po_l_fma(s, b.z, po_l_mul(c, a.z));
  A.m[1] = po_l_fnma(s, a.x, po_l_mul(c, b.x));
  A.m[4] = po_l_fnma(s, a.y, po_l_mul(c, b.y));
  A.m[7] = po_l_fnma(s, a.z, po_l_mul(c, b.z));
  return A;
}

PO_LANE_INLINE po_ls3 po_ls3_load(const double *x) {
  po_ls3 A;
  A.xx = po_l_load(x);
  A.xy = po_l_load(x + 4);
  A.xz = po_l_load(x + 8);
  A.yy = po_l_load(x + 12);
  A.yz = po_l_load(x + 16);
  A.zz = po_l_load(x + 20);
  return A;
}
PO_LANE_INLINE void po_ls3_store(double *x, po_ls3 A) {
  po_l_store(x, A.xx);
  po_l_store(x + 4, A.xy);
  po_l_store(x + 8, A.xz);
  po_l_store(x + 12, A.yy);
  po_l_store(x + 16, A.yz);
  po_l_store(x + 20, A.zz);
}
PO_LANE_INLINE po_l3 po_ls3_mul(po_ls3 A, po_l3 v) {
  return po_l3_of(po_l3_dot(po_l3_of(A.xx, A.xy, A.xz), v), po_l3_dot(po_l3_of(A.xy, A.yy, A.yz), v),
                  po_l3_dot(po_l3_of(A.xz, A.yz, A.zz), v));
}
/* R A R' */
PO_LANE_INLINE po_ls3 po_ls3_rotate(po_l33 R, po_ls3 A) {
  po_l3 b0 = po_ls3_mul(A, po_l33_row(R, 0)), b1 = po_ls3_mul(A, po_l33_row(R, 1)), b2 = po_ls3_mul(A, po_l33_row(R, 2));
  po_ls3 C;
  C.xx = po_l3_dot(b0, po_l33_row(R, 0));
  C.xy = po_l3_dot(b0, po_l33_row(R, 1));
  C.xz = po_l3_dot(b0, po_l33_row(R, 2));
  C.yy = po_l3_dot(b1, po_l33_row(R, 1));
  C.yz = po_l3_dot(b1, po_l33_row(R, 2));
  C.zz = po_l3_dot(b2, po_l33_row(R, 2));
  return C;
}

/* Lanes of the parents of group g in the array x of structs `stride` doubles apart, x pointing at the quantity in struct 0. */
PO_LANE_INLINE po_v4 po_l_up(const double *x, size_t stride, const po_lane_group *g) {
  return _mm256_set_pd(
      x[(size_t)g->up_group[3] * stride + (size_t)g->up_lane[3]], x[(size_t)g->up_group[2] * stride + (size_t)g->up_lane[2]],
      x[(size_t)g->up_group[1] * stride + (size_t)g->up_lane[1]], x[(size_t)g->up_group[0] * stride + (size_t)g->up_lane[0]]);
}
PO_LANE_INLINE po_l3 po_l3_up(const double *x, size_t stride, const po_lane_group *g) {
  if (g->straight) return po_l3_load(x + (size_t)g->up_group[0] * stride);
  return po_l3_of(po_l_up(x, stride, g), po_l_up(x + 4, stride, g), po_l_up(x + 8, stride, g));
}
PO_LANE_INLINE po_l33 po_l33_up(const double *x, size_t stride, const po_lane_group *g) {
  if (g->straight) return po_l33_load(x + (size_t)g->up_group[0] * stride);
  return po_l33_of(po_l3_of(po_l_up(x, stride, g), po_l_up(x + 4, stride, g), po_l_up(x + 8, stride, g)),
                   po_l3_of(po_l_up(x + 12, stride, g), po_l_up(x + 16, stride, g), po_l_up(x + 20, stride, g)),
                   po_l3_of(po_l_up(x + 24, stride, g), po_l_up(x + 28, stride, g), po_l_up(x + 32, stride, g)));
}
/* Adds v to the parents' lanes. Empty lanes add zeros to lane 0 of group 0. */
PO_LANE_INLINE void po_l_add_up(double *x, size_t stride, const po_lane_group *g, po_v4 v) {
  if (g->straight) {
    double *at = x + (size_t)g->up_group[0] * stride;
    po_l_store(at, po_l_add(po_l_load(at), v));
  } else {
    double t[4];
    int l;
    _mm256_storeu_pd(t, v);
    for (l = 0; l < 4; l++) x[(size_t)g->up_group[l] * stride + (size_t)g->up_lane[l]] += t[l];
  }
}
PO_LANE_INLINE void po_l3_add_up(double *x, size_t stride, const po_lane_group *g, po_l3 v) {
  po_l_add_up(x, stride, g, v.x);
  po_l_add_up(x + 4, stride, g, v.y);
  po_l_add_up(x + 8, stride, g, v.z);
}
/* E and p of all lanes by the plain code, where the joints are of several kinds. */
void po_lanes_relative(double (*E)[4], double (*p)[4], const po_data *data, const po_lane_group *g, const double *q);
/* Joint rates x of a general group as turning and sliding about and along the node's own axes. */
PO_LANE_INLINE void po_lanes_rates(po_l3 *turn, po_l3 *slide, const po_lane_group *g, const double *x) {
  turn->z = po_l_mul(po_l_load(g->turns[0]), po_l_gather(x, g->v[0]));
  slide->z = po_l_mul(po_l_load(g->slides[0]), po_l_gather(x, g->v[0]));
  turn->x = turn->y = slide->x = slide->y = _mm256_setzero_pd();
  if (g->steps < 3) return;
  turn->y = po_l_mul(po_l_load(g->turns[1]), po_l_gather(x, g->v[1]));
  turn->x = po_l_mul(po_l_load(g->turns[2]), po_l_gather(x, g->v[2]));
  if (g->steps < 6) return;
  slide->z = po_l_fma(po_l_load(g->slides[3]), po_l_gather(x, g->v[3]), slide->z);
  slide->y = po_l_mul(po_l_load(g->slides[4]), po_l_gather(x, g->v[4]));
  slide->x = po_l_mul(po_l_load(g->slides[5]), po_l_gather(x, g->v[5]));
}

/* Place of group `index` from its parents'. */
PO_LANE_INLINE void po_lanes_place(po_data *data, po_lane_place *all, int index, const double *q) {
  const po_lane_group *g = &data->model->fast->lanes->group[index];
  const po_scratch *s = po_tree_scratch(data);
  po_lane_place *x = &all[index];
  po_l33 E, Rp = po_l33_up(all->R[0], PO_STRIDE(po_lane_place), g);
  po_l3 p, r;
  if (g->revolute) {
    E = po_l33_turn(po_l33_load(g->R[0]), po_l_load(s->sine + g->angle), po_l_load(s->cosine + g->angle));
    p = po_l3_load(g->p[0]);
  } else {
    po_lanes_relative(x->R, x->r, data, g, q);
    E = po_l33_load(x->R[0]);
    p = po_l3_load(x->r[0]);
  }
  r = po_l33_mul(Rp, p);
  po_l3_store(x->r[0], r);
  po_l3_store(x->o[0], po_l3_add(po_l3_up(all->o[0], PO_STRIDE(po_lane_place), g), r));
  po_l33_store(x->R[0], po_l33_times(Rp, E));
}
/* Group 0: the root in all lanes, at the tree's origin. */
PO_LANE_INLINE void po_lanes_place_root(po_lane_place *x, const po_mat3 *R) {
  int i;
  for (i = 0; i < 9; i++) po_l_store(x->R[i], po_l_all(R->m[i]));
  po_l3_store(x->o[0], po_l3_zero());
  po_l3_store(x->r[0], po_l3_zero());
}
/* Own ten-parameter inertia in the axes of the places. */
PO_LANE_INLINE void po_lanes_inertia(po_lane_composite *c, const po_lane_group *g, const po_lane_place *x) {
  po_l33 R = po_l33_load(x->R[0]);
  po_l3_store(c->h[0], po_l33_mul(R, po_l3_load(g->h[0])));
  po_ls3_store(c->I[0], po_ls3_rotate(R, po_ls3_load(g->I[0])));
}
/* One row of 64 bytes per lane: angular and linear part. */
PO_LANE_INLINE void po_lanes_rows(po_screw *rows, const int out[4], po_l3 ang, po_l3 lin) {
  po_v4 a = ang.x, b = ang.y, c = ang.z, d = lin.x, lo = _mm256_unpacklo_pd(lin.y, lin.z), hi = _mm256_unpackhi_pd(lin.y, lin.z);
  po_v4 zero = _mm256_setzero_pd();
  double *r0 = &rows[out[0]].ang.x, *r1 = &rows[out[1]].ang.x, *r2 = &rows[out[2]].ang.x, *r3 = &rows[out[3]].ang.x;
  po_l_transpose(&a, &b, &c, &d);
  po_l_store(r0, a);
  po_l_store(r1, b);
  po_l_store(r2, c);
  po_l_store(r3, d);
  /* whole halves of a row, as they are read: a load wider than the store before it would wait for that store */
  po_l_store(r0 + 4, _mm256_permute2f128_pd(lo, zero, 0x20));
  po_l_store(r1 + 4, _mm256_permute2f128_pd(hi, zero, 0x20));
  po_l_store(r2 + 4, _mm256_permute2f128_pd(lo, zero, 0x31));
  po_l_store(r3 + 4, _mm256_permute2f128_pd(hi, zero, 0x31));
}

/* Leaf to root: composite inertias (own ones are in s->lane_composite), and for each freedom column, unit motion and diagonal as in
 * crba.h. screw may be NULL. `base` (may be NULL): the columns in the root's own axes, for the root's rows of M. Returns the root's composite. */
po_composite po_lanes_columns(po_data *data, const po_lane_place *place, po_screw *column, po_screw *screw, po_screw *base);
/* M from them. The floating base's rows are `base` rows; its own block comes from the composite in its own axes. */
void po_lanes_fill(po_mat M, const po_data *data, const po_screw *column, const po_screw *screw, const po_screw *base,
                   const po_composite *root);

/* The AVX2 twins. */
void po_crba_lanes(po_mat M, po_data *data, const double *q);
po_status po_aba_lanes(double *qdd, po_data *data, const double *q, const double *v, const double *tau, const po_vec6 *f_ext);
po_status po_minv_factor_lanes(po_data *data, const double *q);
void po_aba_lanes_export(const po_data *data);
void po_kinematics_lanes(po_data *data, const double *q, const double *v);
void po_centroidal_lanes(po_data *data);
void po_all_terms_lanes(po_data *data);                /* after po_kinematics_lanes */
void po_minv_mul_lanes(po_mat X, const po_data *data); /* at most four rows */
void po_rnea_lanes(double *tau, po_data *data, const double *q, const double *v, const double *a, const po_vec6 *f_ext);

#endif
#endif
