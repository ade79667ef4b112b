/* ports.c: what impulses do to a body: y = P v and Omega = P M^-1 P' (rbd.h), without P, M or its inverse.
 *
 * A unit impulse at a port travels up the tree to the root and the motion it causes travels down again, through the articulated-body factors
 * that po_aba has left (aba.h: the two halves of its solve, with v = 0 and no gravity). Only nodes that some port depends on are visited:
 * for a human on two feet these are 9 of 16, and Omega costs 12 such trips. Everything is in the axes of the base, where the factors are:
 * of node i, reach[i].ang leads from the parent's origin and reach[i].lin from the tree's to its own.
 */
#include "aba.h"
#include <string.h>

void po_ports_layout(po_ports *p, const po_model *model, int max, po_arena *arena) {
  size_t nodes = (size_t)model->fast->n + 1;
  memset(p, 0, sizeof *p);
  p->model = model;
  p->max = max;
  p->ld = po_pad4(max);
  p->port_of_body = PO_ARENA_ZARRAY(arena, int, model->nb);
  p->body_of_port = PO_ARENA_ZARRAY(arena, int, model->nb);
  p->joint = PO_ARENA_ZARRAY(arena, po_port_joint, model->nv);
  p->Omega = PO_ARENA_ZARRAY(arena, double, (size_t)max * (size_t)p->ld);
  p->needed = PO_ARENA_ZARRAY(arena, int, nodes);
  p->marked = PO_ARENA_ZARRAY(arena, unsigned char, nodes);
  p->dof_node = PO_ARENA_ZARRAY(arena, int, model->nv);
  p->twist = PO_ARENA_ZARRAY(arena, po_vec6, nodes);
  p->x = PO_ARENA_ZARRAY(arena, double, model->nv);
  p->lane = (double(*)[6][4])po_arena_zalloc(arena, sizeof(double) * 24 * nodes);
  p->lane_u = (double(*)[4])po_arena_zalloc(arena, sizeof(double) * 4 * (size_t)model->nv);
  if (!arena->measuring && !arena->failed) po_ports_set_model(p, model);
}

void po_ports_set_model(po_ports *p, const po_model *model) {
  const struct po_model_fast *t = model->fast;
  int i, k;
  p->model = model;
  p->span = 6;
  for (i = 1; i <= t->n; i++)
    for (k = 0; k < t->node[i].nv; k++) p->dof_node[t->node[i].v + k] = i;
  po_ports_clear(p);
}

void po_ports_clear(po_ports *p) {
  p->count = p->bodies = p->joints = 0;
  memset(p->port_of_body, 0xff, sizeof(int) * (size_t)p->model->nb); /* −1 */
}

void po_ports_frame(po_ports *p, const po_data *data) {
  const po_scratch *s = po_tree_scratch(data);
  p->data = data;
  p->axes = s->base_R;
  p->origin = s->base_o;
}

void po_ports_plane(po_ports *p, po_vec3 normal) {
  p->plane = normal;
  po_v3_tangents(&p->plane_x, &p->plane_y, normal);
  p->span = 3;
}

int po_port_body(po_ports *p, int body) {
  int port = p->port_of_body[body];
  if (port >= 0) return port;
  if (p->count + p->span > p->max) return -1;
  port = p->count;
  p->port_of_body[body] = port;
  p->body_of_port[p->bodies++] = body;
  p->count += p->span;
  return port;
}

int po_port_freedoms(po_ports *p, int v, int nv, const double *g) {
  po_port_joint *one = &p->joint[p->joints];
  int k;
  if (p->count + 1 > p->max || p->joints >= p->model->nv) return -1;
  one->v = v;
  one->nv = nv;
  for (k = 0; k < nv; k++) one->g[k] = g[k];
  p->joints++;
  return p->count++;
}

int po_port_node(const po_ports *p, int port) {
  const po_port_joint *one = &p->joint[port - p->span * p->bodies];
  if (port < p->span * p->bodies) return p->model->fast->body_node[p->body_of_port[port / p->span]];
  return p->dof_node[one->v + one->nv - 1];
}

/* Lists the nodes on the way from any port to the root. */
static void ports_mark(po_ports *p) {
  const struct po_model_fast *t = p->model->fast;
  int k, i;
  memset(p->marked, 0, (size_t)t->n + 1);
  for (k = 0; k < p->count; k += k < p->span * p->bodies ? p->span : 1)
    for (i = po_port_node(p, k); i > 0 && !p->marked[i]; i = t->node[i].parent) p->marked[i] = 1;
  p->needed_count = 0;
  for (i = 1; i <= t->n; i++)
    if (p->marked[i]) p->needed[p->needed_count++] = i;
}

/* Velocity at the ports' origin from that at a node's own. */
static po_vec6 ports_at_origin(po_vec6 m, po_vec3 o) { return po_v6(m.ang, po_v3_sub(m.lin, po_v3_cross(m.ang, o))); }

/* A body's port: all six components of its velocity, or the three of a planar one. */
static void ports_read(double *y, const po_ports *p, po_vec6 m) {
  if (p->span == 6) {
    po_v6_to(y, m);
    return;
  }
  y[0] = po_v3_dot(p->plane, m.ang);
  y[1] = po_v3_dot(p->plane_x, m.lin);
  y[2] = po_v3_dot(p->plane_y, m.lin);
}

/* Moment and force that impulses pi on a body's port are. */
static po_vec6 ports_wrench(const po_ports *p, const double *pi) {
  if (p->span == 6) return po_v6_of(pi);
  return po_v6(po_v3_scale(pi[0], p->plane), po_v3_addscaled(po_v3_scale(pi[1], p->plane_x), pi[2], p->plane_y));
}

po_vec6 po_port_unit(const po_ports *p, int port) {
  double e[6] = {0, 0, 0, 0, 0, 0};
  e[port % p->span] = 1;
  return ports_wrench(p, e);
}

void po_ports_velocities(double *y, po_ports *p, const double *v) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  int k, i, d;
  p->twist[0] = po_v6_zero();
  for (k = 0; k < p->needed_count; k++) {
    const po_node *n = &t->node[i = p->needed[k]];
    po_vec6 m = p->twist[n->parent];
    int step;
    m.lin = po_v3_add(m.lin, po_v3_cross(m.ang, s->reach[i].ang));
    for (step = 0; step < n->nv; step++) {
      d = po_node_step(n, step);
      if (po_node_slides(n, step)) m.lin = po_v3_addscaled(m.lin, v[d], s->factor_S[d].ang);
      else m.ang = po_v3_addscaled(m.ang, v[d], s->factor_S[d].ang);
    }
    p->twist[i] = m;
  }
  for (k = 0; k < p->bodies; k++) {
    i = po_port_node(p, p->span * k);
    ports_read(y + p->span * k, p, ports_at_origin(p->twist[i], s->reach[i].lin));
  }
  for (k = 0; k < p->joints; k++) {
    const po_port_joint *one = &p->joint[k];
    double sum = 0;
    for (d = 0; d < one->nv; d++) sum += one->g[d] * v[one->v + d];
    y[p->span * p->bodies + k] = sum;
  }
}

/* Up: a unit impulse at the port leaves u at the nodes it passes (in p->x, zero elsewhere). */
static void ports_up(po_ports *p, int port) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  int i = po_port_node(p, port), k;
  po_wrench w = {{0, 0, 0}, {0, 0, 0}};
  for (k = 0; k < p->needed_count; k++) {
    const po_node *n = &t->node[p->needed[k]];
    int d;
    for (d = 0; d < n->nv; d++) p->x[n->v + d] = 0;
  }
  if (port < p->span * p->bodies) { /* minus the impulse: w is what the joint must carry. A force at the origin has a moment about the node */
    po_vec6 unit = po_port_unit(p, port);
    w.f = po_v3_neg(unit.lin);
    w.n = po_v3_neg(po_v3_sub(unit.ang, po_v3_cross(s->reach[i].lin, unit.lin)));
  } else {
    const po_port_joint *one = &p->joint[port - p->span * p->bodies];
    for (k = 0; k < one->nv; k++) p->x[one->v + k] = one->g[k];
  }
  for (; i > 0; i = t->node[i].parent) {
    po_aba_up(p->x, &w, s, &t->node[i]);
    w.n = po_v3_add(w.n, po_v3_cross(s->reach[i].ang, w.f));
  }
}

/* Down: from u in p->x to the motion of the needed nodes, then to column `port` of Omega, from its diagonal on. */
static void ports_down(po_ports *p, int port) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  int k, i, d, ld = p->ld, span = p->span;
  p->twist[0] = po_v6_zero();
  for (k = 0; k < p->needed_count; k++) {
    const po_node *n = &t->node[i = p->needed[k]];
    po_vec6 m = p->twist[n->parent];
    m.lin = po_v3_add(m.lin, po_v3_cross(m.ang, s->reach[i].ang));
    po_aba_down(p->x, &m.ang, &m.lin, s, n);
    p->twist[i] = m;
  }
  for (k = port / span < p->bodies ? port / span : p->bodies; k < p->bodies; k++) {
    double y[6];
    i = po_port_node(p, span * k);
    ports_read(y, p, ports_at_origin(p->twist[i], s->reach[i].lin));
    for (d = 0; d < span; d++) p->Omega[(span * k + d) * ld + port] = p->Omega[port * ld + span * k + d] = y[d];
  }
  for (k = po_max(0, port - span * p->bodies); k < p->joints; k++) {
    const po_port_joint *one = &p->joint[k];
    int r = span * p->bodies + k;
    double sum = 0;
    for (d = 0; d < one->nv; d++) sum += one->g[d] * p->x[one->v + d];
    p->Omega[r * ld + port] = p->Omega[port * ld + r] = sum;
  }
}

static void ports_omega(po_ports *p) {
  int r;
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    po_ports_lanes(p);
    return;
  }
#endif
  for (r = 0; r < p->count; r++) {
    ports_up(p, r);
    ports_down(p, r);
  }
}

void po_ports_build(po_ports *p) {
  po_minv_ready(p->data);
  ports_mark(p);
  ports_omega(p);
}

void po_ports_apply(double *dv, po_ports *p, const double *pi) {
  const struct po_model_fast *t = p->model->fast;
  const po_scratch *s = po_tree_scratch(p->data);
  static const po_wrench nothing;
  int k, i, d;
  memset(dv, 0, sizeof(double) * (size_t)p->model->nv);
  for (k = 0; k < p->needed_count; k++) s->force[p->needed[k]] = nothing;
  s->force[0] = nothing;
  for (k = 0; k < p->bodies; k++) {
    po_vec6 wrench = ports_wrench(p, pi + p->span * k);
    i = po_port_node(p, p->span * k);
    s->force[i].n = po_v3_sub(po_v3_cross(s->reach[i].lin, wrench.lin), wrench.ang);
    s->force[i].f = po_v3_neg(wrench.lin);
  }
  for (k = 0; k < p->joints; k++)
    for (d = 0; d < p->joint[k].nv; d++) dv[p->joint[k].v + d] += p->joint[k].g[d] * pi[p->span * p->bodies + k];
  for (k = p->needed_count - 1; k >= 0; k--) {
    const po_node *n = &t->node[i = p->needed[k]];
    po_aba_up(dv, &s->force[i], s, n);
    if (n->parent) po_wrench_shift_add(&s->force[n->parent], &s->force[i], s->reach[i].ang);
  }
  p->twist[0] = po_v6_zero();
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    po_vec6 m = p->twist[n->parent];
    m.lin = po_v3_add(m.lin, po_v3_cross(m.ang, s->reach[i].ang));
    po_aba_down(dv, &m.ang, &m.lin, s, n);
    p->twist[i] = m;
  }
}
