/* kinematics_lanes.c: po_kinematics four nodes at a time (lanes.h); equations as in kinematics.c. */
#include "lanes.h"
#include <string.h>

#if defined(__x86_64__)

enum { KIN_STRIDE = PO_STRIDE(po_lane_motion) };

/* Velocities, and accelerations at qdd = 0 without gravity. */
PO_LANE_INLINE void kin_lanes_motion(po_lane_motion *all, int index, const po_lane_group *g, const po_lane_place *x,
                                     const double *v) {
  po_lane_motion *m = &all[index];
  po_l3 wp = po_l3_up(all->w[0], KIN_STRIDE, g), alp = po_l3_up(all->al[0], KIN_STRIDE, g);
  po_l3 r = po_l3_load(x->r[0]);
  po_l3 vel = po_l3_addcross(po_l3_up(all->v[0], KIN_STRIDE, g), wp, r);
  po_l3 a = po_l3_addswing(po_l3_up(all->a[0], KIN_STRIDE, g), wp, alp, r), turn;
  if (g->revolute) {
    turn = po_l3_scale(po_l_gather(v, g->v[0]), po_l3_of(po_l_load(x->R[2]), po_l_load(x->R[5]), po_l_load(x->R[8])));
  } else {
    po_l33 R = po_l33_load(x->R[0]);
    po_l3 slide;
    po_lanes_rates(&turn, &slide, g, v);
    turn = po_l33_mul(R, turn);
    slide = po_l33_mul(R, slide);
    vel = po_l3_add(vel, slide);
    a = po_l3_addcross(a, po_l3_addscaled(turn, po_l_all(2), wp), slide);
  }
  po_l3_store(m->w[0], po_l3_add(wp, turn));
  po_l3_store(m->al[0], po_l3_addcross(alp, wp, turn));
  po_l3_store(m->v[0], vel);
  po_l3_store(m->a[0], a);
}

PO_LANE_INLINE void kin_lanes_put6(po_vec6 *to, const int at[4], po_l3 ang, po_l3 lin) {
  po_v4 a = ang.x, b = ang.y, c = ang.z, d = lin.x, lo = _mm256_unpacklo_pd(lin.y, lin.z), hi = _mm256_unpackhi_pd(lin.y, lin.z);
  double *r0 = &to[at[0]].ang.x, *r1 = &to[at[1]].ang.x, *r2 = &to[at[2]].ang.x, *r3 = &to[at[3]].ang.x;
  po_l_transpose(&a, &b, &c, &d);
  _mm256_storeu_pd(r0, a);
  _mm256_storeu_pd(r1, b);
  _mm256_storeu_pd(r2, c);
  _mm256_storeu_pd(r3, d);
  _mm_storeu_pd(r0 + 4, _mm256_castpd256_pd128(lo));
  _mm_storeu_pd(r1 + 4, _mm256_castpd256_pd128(hi));
  _mm_storeu_pd(r2 + 4, _mm256_extractf128_pd(lo, 1));
  _mm_storeu_pd(r3 + 4, _mm256_extractf128_pd(hi, 1));
}

PO_LANE_INLINE void kin_lanes_put_pose(po_pose *to, const int at[4], po_l33 R, po_l3 p) {
  double *r0 = to[at[0]].R.m, *r1 = to[at[1]].R.m, *r2 = to[at[2]].R.m, *r3 = to[at[3]].R.m;
  po_v4 a, b, c, d;
  a = R.m[0], b = R.m[1], c = R.m[2], d = R.m[3];
  po_l_transpose(&a, &b, &c, &d);
  _mm256_storeu_pd(r0, a), _mm256_storeu_pd(r1, b), _mm256_storeu_pd(r2, c), _mm256_storeu_pd(r3, d);
  a = R.m[4], b = R.m[5], c = R.m[6], d = R.m[7];
  po_l_transpose(&a, &b, &c, &d);
  _mm256_storeu_pd(r0 + 4, a), _mm256_storeu_pd(r1 + 4, b), _mm256_storeu_pd(r2 + 4, c), _mm256_storeu_pd(r3 + 4, d);
  a = R.m[8], b = p.x, c = p.y, d = p.z;
  po_l_transpose(&a, &b, &c, &d);
  _mm256_storeu_pd(r0 + 8, a), _mm256_storeu_pd(r1 + 8, b), _mm256_storeu_pd(r2 + 8, c), _mm256_storeu_pd(r3 + 8, d);
}

/* What users read, in body axes. */
PO_LANE_INLINE void kin_lanes_publish(po_data *data, const po_lane_group *g, const po_lane_place *x, const po_lane_motion *m,
                                      int moving) {
  po_l33 R = po_l33_times_t(po_l33_load(x->R[0]), po_l33_load(g->align[0]));
  kin_lanes_put_pose(data->pose, g->body, R, po_l3_add(po_l3_all(po_tree_scratch(data)->origin), po_l3_load(x->o[0])));
  if (moving) {
    po_l3 w = po_l3_load(m->w[0]), v = po_l3_load(m->v[0]);
    po_l3 a = po_l3_sub(po_l3_load(m->a[0]), po_l3_cross(w, v)); /* spatial */
    kin_lanes_put6(data->vel, g->body, po_l33_tmul(R, w), po_l33_tmul(R, v));
    kin_lanes_put6(data->drift, g->body, po_l33_tmul(R, po_l3_load(m->al[0])), po_l33_tmul(R, a));
  }
}

PO_LANE_INLINE void kin_lanes_screws(po_screw *screw, const po_lane_group *g, const po_lane_place *x) {
  po_l3 o = po_l3_load(x->o[0]);
  int k;
  for (k = 0; k < g->steps; k++) {
    const double *R = x->R[2 - k % 3];
    po_l3 e = po_l3_of(po_l_load(R), po_l_load(R + 12), po_l_load(R + 24)), lin = po_l3_cross(o, e);
    if (!g->revolute) {
      po_v4 t = po_l_load(g->turns[k]);
      lin = po_l3_addscaled(po_l3_scale(t, lin), po_l_load(g->slides[k]), e);
      e = po_l3_scale(t, e);
    }
    po_lanes_rows(screw, g->out[k], e, lin);
  }
}

/* The root: a floating base stands at the tree's origin and its own rates are its velocity; a fixed one is the world. */
PO_LANE static void kin_lanes_root(po_data *data, const double *q, const double *v) {
  po_scratch *s = po_tree_scratch(data);
  po_lane_motion *m = s->lane_motion;
  po_mat3 R = po_m3_identity();
  po_vec3 w = po_v3(0, 0, 0), u = w, a = w;
  int k;
  if (data->model->floating) {
    const po_node *root = &data->model->fast->node[1];
    po_mat3 Q = po_quat_matrix(q + root->q);
    po_rot_mul(&R, &root->R, &Q);
    if (v) {
      w = po_rot(&R, po_v3_of(v));
      u = po_rot(&R, po_v3_of(v + 3));
      a = po_v3_cross(w, u);
      data->vel[0] = po_v6_of(v);
    }
    data->pose[0].R = R;
    data->pose[0].p = s->origin;
    data->drift[0] = po_v6_zero();
    for (k = 0; k < 3; k++) {
      s->screw[k].ang = s->screw[3 + k].lin = po_m3_col(R, k);
      s->screw[k].lin = s->screw[3 + k].ang = po_v3(0, 0, 0);
    }
  }
  po_lanes_place_root(s->lane_place, &R);
  po_l3_store(m->w[0], po_l3_all(w));
  po_l3_store(m->v[0], po_l3_all(u));
  po_l3_store(m->al[0], po_l3_zero());
  po_l3_store(m->a[0], po_l3_all(a));
}

PO_LANE void po_kinematics_lanes(po_data *data, const double *q, const double *v) {
  const struct po_lane_plan *plan = data->model->fast->lanes;
  po_scratch *s = po_tree_scratch(data);
  size_t nb = (size_t)data->model->nb;
  int i;
  po_tree_sincos(data, q);
  kin_lanes_root(data, q, v);
  if (!v) {
    memset(data->vel, 0, sizeof(po_vec6) * nb);
    memset(data->drift, 0, sizeof(po_vec6) * nb);
    memset(s->lane_motion, 0, sizeof(po_lane_motion) * (size_t)plan->groups);
    memset(s->rates, 0, sizeof(double) * (size_t)data->model->nv);
  } else {
    memcpy(s->rates, v, sizeof(double) * (size_t)data->model->nv);
  }
  for (i = 1; i < plan->groups; i++) {
    const po_lane_group *g = &plan->group[i];
    po_lanes_place(data, s->lane_place, i, q);
    if (v) kin_lanes_motion(s->lane_motion, i, g, &s->lane_place[i], v);
    kin_lanes_publish(data, g, &s->lane_place[i], &s->lane_motion[i], v != NULL);
    kin_lanes_screws(s->screw, g, &s->lane_place[i]);
  }
}
#endif
