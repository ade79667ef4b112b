/* ports_lanes.c: Omega, four columns at a time: the twin of ports_up and ports_down in ports.c, with one lane per port.
 *
 * The trips of four unit impulses go over all needed nodes together; a lane whose port lies elsewhere carries zeros there. 12 ports of a human
 * on two feet: 0.6 µs instead of 3.
 */
#include "aba.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define PO_PORTS_AVX2 __attribute__((target("avx2,fma")))

typedef struct lanes_vec {
  __m256d x, y, z;
} lanes_vec;

PO_PORTS_AVX2 static inline lanes_vec lanes_load(double (*a)[4]) {
  lanes_vec v;
  v.x = _mm256_load_pd(a[0]);
  v.y = _mm256_load_pd(a[1]);
  v.z = _mm256_load_pd(a[2]);
  return v;
}

PO_PORTS_AVX2 static inline void lanes_store(double (*a)[4], lanes_vec v) {
  _mm256_store_pd(a[0], v.x);
  _mm256_store_pd(a[1], v.y);
  _mm256_store_pd(a[2], v.z);
}

PO_PORTS_AVX2 static inline __m256d lanes_dot(const po_vec3 *a, lanes_vec b) {
  __m256d s = _mm256_mul_pd(_mm256_set1_pd(a->x), b.x);
  s = _mm256_fmadd_pd(_mm256_set1_pd(a->y), b.y, s);
  return _mm256_fmadd_pd(_mm256_set1_pd(a->z), b.z, s);
}

PO_PORTS_AVX2 static inline lanes_vec lanes_add_scaled(lanes_vec v, __m256d k, const po_vec3 *a) {
  v.x = _mm256_fmadd_pd(k, _mm256_set1_pd(a->x), v.x);
  v.y = _mm256_fmadd_pd(k, _mm256_set1_pd(a->y), v.y);
  v.z = _mm256_fmadd_pd(k, _mm256_set1_pd(a->z), v.z);
  return v;
}

/* v + sign (r × f) */
PO_PORTS_AVX2 static inline lanes_vec lanes_add_cross(lanes_vec v, const po_vec3 *r, lanes_vec f) {
  __m256d x = _mm256_set1_pd(r->x), y = _mm256_set1_pd(r->y), z = _mm256_set1_pd(r->z);
  v.x = _mm256_fnmadd_pd(z, f.y, _mm256_fmadd_pd(y, f.z, v.x));
  v.y = _mm256_fnmadd_pd(x, f.z, _mm256_fmadd_pd(z, f.x, v.y));
  v.z = _mm256_fnmadd_pd(y, f.x, _mm256_fmadd_pd(x, f.y, v.z));
  return v;
}

PO_PORTS_AVX2 static inline lanes_vec lanes_add(lanes_vec a, lanes_vec b) {
  a.x = _mm256_add_pd(a.x, b.x);
  a.y = _mm256_add_pd(a.y, b.y);
  a.z = _mm256_add_pd(a.z, b.z);
  return a;
}

/* Unit impulses of ports port … port + 3, as ports_up has them. */
PO_PORTS_AVX2 static void lanes_start(po_ports *p, int port) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  int k, d, lane;
  memset(p->lane[0], 0, sizeof p->lane[0]);
  for (k = 0; k < p->needed_count; k++) {
    const po_node *n = &t->node[p->needed[k]];
    memset(p->lane[p->needed[k]], 0, sizeof p->lane[0]);
    for (d = 0; d < n->nv; d++) memset(p->lane_u[n->v + d], 0, sizeof p->lane_u[0]);
  }
  for (lane = 0; lane < 4 && port + lane < p->count; lane++) {
    int at = port + lane, i = po_port_node(p, at);
    if (at < p->span * p->bodies) {
      po_vec6 unit = po_port_unit(p, at);
      double f[6];
      po_v3_to(f, po_v3_neg(po_v3_sub(unit.ang, po_v3_cross(s->reach[i].lin, unit.lin))));
      po_v3_to(f + 3, po_v3_neg(unit.lin));
      for (d = 0; d < 6; d++) p->lane[i][d][lane] = f[d];
    } else {
      const po_port_joint *one = &p->joint[at - p->span * p->bodies];
      for (d = 0; d < one->nv; d++) p->lane_u[one->v + d][lane] = one->g[d];
    }
  }
}

PO_PORTS_AVX2 static void lanes_up(po_ports *p) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  int k, step;
  for (k = p->needed_count - 1; k >= 0; k--) {
    int i = p->needed[k];
    const po_node *n = &t->node[i];
    lanes_vec moment = lanes_load(p->lane[i]), force = lanes_load(p->lane[i] + 3);
    for (step = 0; step < n->nv; step++) {
      int d = po_node_step(n, step);
      const po_screw *U = &s->factor_U[d], *S = &s->factor_S[d];
      __m256d u = _mm256_sub_pd(_mm256_load_pd(p->lane_u[d]), lanes_dot(&S->ang, po_node_slides(n, step) ? force : moment));
      __m256d e = _mm256_mul_pd(_mm256_set1_pd(S->lin.x), u);
      _mm256_store_pd(p->lane_u[d], u);
      moment = lanes_add_scaled(moment, e, &U->ang);
      force = lanes_add_scaled(force, e, &U->lin);
    }
    if (n->parent) {
      double(*up)[4] = p->lane[n->parent];
      lanes_store(up, lanes_add(lanes_load(up), lanes_add_cross(moment, &s->reach[i].ang, force)));
      lanes_store(up + 3, lanes_add(lanes_load(up + 3), force));
    }
  }
}

PO_PORTS_AVX2 static void lanes_down(po_ports *p, int port) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  int k, step, d, ld = p->ld;
  memset(p->lane[0], 0, sizeof p->lane[0]);
  for (k = 0; k < p->needed_count; k++) {
    int i = p->needed[k];
    const po_node *n = &t->node[i];
    po_vec3 back = po_v3_neg(s->reach[i].ang);
    lanes_vec ang = lanes_load(p->lane[n->parent]), lin = lanes_load(p->lane[n->parent] + 3);
    lin = lanes_add_cross(lin, &back, ang); /* w × r = −r × w */
    for (step = n->nv - 1; step >= 0; step--) {
      const po_screw *U, *S;
      __m256d x;
      d = po_node_step(n, step);
      U = &s->factor_U[d];
      S = &s->factor_S[d];
      x = _mm256_sub_pd(_mm256_sub_pd(_mm256_load_pd(p->lane_u[d]), lanes_dot(&U->ang, ang)), lanes_dot(&U->lin, lin));
      x = _mm256_mul_pd(_mm256_set1_pd(S->lin.x), x);
      _mm256_store_pd(p->lane_u[d], x);
      if (po_node_slides(n, step)) lin = lanes_add_scaled(lin, x, &S->ang);
      else ang = lanes_add_scaled(ang, x, &S->ang);
    }
    lanes_store(p->lane[i], ang);
    lanes_store(p->lane[i] + 3, lin);
  }
  for (k = 0; k < p->bodies; k++) {
    int i = po_port_node(p, p->span * k);
    lanes_vec ang = lanes_load(p->lane[i]), lin = lanes_add_cross(lanes_load(p->lane[i] + 3), &s->reach[i].lin, ang); /* v − w × o */
    double *O = p->Omega + (size_t)(p->span * k) * (size_t)ld + port;
    if (p->span == 3) {
      _mm256_store_pd(O, lanes_dot(&p->plane, ang));
      _mm256_store_pd(O + ld, lanes_dot(&p->plane_x, lin));
      _mm256_store_pd(O + 2 * ld, lanes_dot(&p->plane_y, lin));
      continue;
    }
    _mm256_store_pd(O, ang.x);
    _mm256_store_pd(O + ld, ang.y);
    _mm256_store_pd(O + 2 * ld, ang.z);
    _mm256_store_pd(O + 3 * ld, lin.x);
    _mm256_store_pd(O + 4 * ld, lin.y);
    _mm256_store_pd(O + 5 * ld, lin.z);
  }
  for (k = 0; k < p->joints; k++) {
    const po_port_joint *one = &p->joint[k];
    __m256d sum = _mm256_setzero_pd();
    for (d = 0; d < one->nv; d++) sum = _mm256_fmadd_pd(_mm256_set1_pd(one->g[d]), _mm256_load_pd(p->lane_u[one->v + d]), sum);
    _mm256_store_pd(p->Omega + (size_t)(p->span * p->bodies + k) * (size_t)ld + port, sum);
  }
}

void po_ports_lanes(po_ports *p) {
  int port;
  for (port = 0; port < p->count; port += 4) {
    lanes_start(p, port);
    lanes_up(p);
    lanes_down(p, port);
  }
}
#else
void po_ports_lanes(po_ports *p) { (void)p; }
#endif
