/* ports.c: what constraints see of a character: y = P v and Omega = P M^-1 P' (world_internal.h), without P, M or its inverse.
 *
 * A unit impulse at a port travels up the tree to the root and the motion it causes travels down again, through the articulated-body factors
 * that po_aba has left (rbd/aba.h: the two halves of its solve, with v = 0 and no gravity). Only nodes that some port depends on are visited:
 * for a human on two feet these are 9 of 16, and Omega costs 12 such trips. Everything is in the axes of the base, where the factors are:
 * of node i, reach[i].ang leads from the parent's origin and reach[i].lin from the tree's to its own.
 */
#include "world_internal.h"
#include "../rbd/aba.h"
#include <string.h>

int po_ports_nodes(const po_model *model) { return model->fast->n; }

void po_ports_setup(po_character *c) {
  const struct po_model_fast *t = c->model->fast;
  int i, k;
  for (i = 1; !c->free && i <= t->n; i++)
    for (k = 0; k < t->node[i].nv; k++) c->dof_node[t->node[i].v + k] = i;
}

void po_ports_frame(po_character *c) {
  const po_scratch *s = po_tree_scratch(&c->data);
  c->axes = s->base_R;
  c->origin = s->base_o;
}

int po_port_body(po_character *c, int body) {
  int port = c->port_of_body[body];
  if (port >= 0) return port;
  if (c->ports + c->span > c->max_ports) return -1;
  port = c->ports;
  c->port_of_body[body] = port;
  c->body_of_port[c->bodies++] = body;
  c->ports += c->span;
  return port;
}

int po_port_limit(po_character *c, int v, int nv, const double *g) {
  po_limit_port *limit = &c->limit[c->limits];
  int k;
  if (c->ports + 1 > c->max_ports || c->limits >= c->model->nv) return -1;
  limit->v = v;
  limit->nv = nv;
  for (k = 0; k < nv; k++) limit->g[k] = g[k];
  c->limits++;
  return c->ports++;
}

int po_port_node(const po_character *c, int port) {
  const po_limit_port *limit = &c->limit[port - c->span * c->bodies];
  if (port < c->span * c->bodies) return c->model->fast->body_node[c->body_of_port[port / c->span]];
  return c->dof_node[limit->v + limit->nv - 1];
}

/* Lists the nodes on the way from any port to the root. */
static void ports_mark(po_character *c) {
  const struct po_model_fast *t = c->model->fast;
  int k, i;
  memset(c->marked, 0, (size_t)t->n + 1);
  for (k = 0; k < c->ports; k += k < c->span * c->bodies ? c->span : 1)
    for (i = po_port_node(c, k); i > 0 && !c->marked[i]; i = t->node[i].parent) c->marked[i] = 1;
  c->needed_count = 0;
  for (i = 1; i <= t->n; i++)
    if (c->marked[i]) c->needed[c->needed_count++] = i;
}

/* Velocity at the ports' origin from that at a node's own. */
static po_vec6 ports_at_origin(po_vec6 m, po_vec3 o) { return po_v6(m.ang, po_v3_sub(m.lin, po_v3_cross(m.ang, o))); }

/* A body's port: all six components of its velocity, or the three of a planar one. */
static void ports_read(double *y, const po_character *c, po_vec6 m) {
  if (c->span == 6) {
    po_v6_to(y, m);
    return;
  }
  y[0] = po_v3_dot(c->plane, m.ang);
  y[1] = po_v3_dot(c->plane_x, m.lin);
  y[2] = po_v3_dot(c->plane_y, m.lin);
}

/* Moment and force that impulses pi on a body's port are. */
static po_vec6 ports_wrench(const po_character *c, const double *pi) {
  if (c->span == 6) return po_v6_of(pi);
  return po_v6(po_v3_scale(pi[0], c->plane), po_v3_addscaled(po_v3_scale(pi[1], c->plane_x), pi[2], c->plane_y));
}

po_vec6 po_port_unit(const po_character *c, int port) {
  double e[6] = {0, 0, 0, 0, 0, 0};
  e[port % c->span] = 1;
  return ports_wrench(c, e);
}

/* y = P v by walking down. */
static void ports_velocities(double *y, po_character *c, const double *v) {
  const struct po_model_fast *t = c->model->fast;
  const po_scratch *s = po_tree_scratch(&c->data);
  int k, i, d;
  c->twist[0] = po_v6_zero();
  for (k = 0; k < c->needed_count; k++) {
    const po_node *n = &t->node[i = c->needed[k]];
    po_vec6 m = c->twist[n->parent];
    int step;
    m.lin = po_v3_add(m.lin, po_v3_cross(m.ang, s->reach[i].ang));
    for (step = 0; step < n->nv; step++) {
      d = po_node_step(n, step);
      if (po_node_slides(n, step)) m.lin = po_v3_addscaled(m.lin, v[d], s->factor_S[d].ang);
      else m.ang = po_v3_addscaled(m.ang, v[d], s->factor_S[d].ang);
    }
    c->twist[i] = m;
  }
  for (k = 0; k < c->bodies; k++) {
    i = po_port_node(c, c->span * k);
    ports_read(y + c->span * k, c, ports_at_origin(c->twist[i], s->reach[i].lin));
  }
  for (k = 0; k < c->limits; k++) {
    const po_limit_port *limit = &c->limit[k];
    double sum = 0;
    for (d = 0; d < limit->nv; d++) sum += limit->g[d] * v[limit->v + d];
    y[c->span * c->bodies + k] = sum;
  }
}

/* Up: a unit impulse at the port leaves u at the nodes it passes (in c->x, zero elsewhere). */
static void ports_up(po_character *c, int port) {
  const struct po_model_fast *t = c->model->fast;
  const po_scratch *s = po_tree_scratch(&c->data);
  int i = po_port_node(c, port), k;
  po_wrench p = {{0, 0, 0}, {0, 0, 0}};
  for (k = 0; k < c->needed_count; k++) {
    const po_node *n = &t->node[c->needed[k]];
    int d;
    for (d = 0; d < n->nv; d++) c->x[n->v + d] = 0;
  }
  if (port < c->span * c->bodies) { /* minus the impulse: p is what the joint must carry. A force at the origin has a moment about the node */
    po_vec6 unit = po_port_unit(c, port);
    p.f = po_v3_neg(unit.lin);
    p.n = po_v3_neg(po_v3_sub(unit.ang, po_v3_cross(s->reach[i].lin, unit.lin)));
  } else {
    const po_limit_port *limit = &c->limit[port - c->span * c->bodies];
    for (k = 0; k < limit->nv; k++) c->x[limit->v + k] = limit->g[k];
  }
  for (; i > 0; i = t->node[i].parent) {
    po_aba_up(c->x, &p, s, &t->node[i]);
    p.n = po_v3_add(p.n, po_v3_cross(s->reach[i].ang, p.f));
  }
}

/* Down: from u in c->x to the motion of the needed nodes, then to column `port` of Omega, from its diagonal on. */
static void ports_down(po_character *c, int port) {
  const struct po_model_fast *t = c->model->fast;
  const po_scratch *s = po_tree_scratch(&c->data);
  int k, i, d, ld = c->ld, span = c->span;
  c->twist[0] = po_v6_zero();
  for (k = 0; k < c->needed_count; k++) {
    const po_node *n = &t->node[i = c->needed[k]];
    po_vec6 m = c->twist[n->parent];
    m.lin = po_v3_add(m.lin, po_v3_cross(m.ang, s->reach[i].ang));
    po_aba_down(c->x, &m.ang, &m.lin, s, n);
    c->twist[i] = m;
  }
  for (k = port / span < c->bodies ? port / span : c->bodies; k < c->bodies; k++) {
    double y[6];
    i = po_port_node(c, span * k);
    ports_read(y, c, ports_at_origin(c->twist[i], s->reach[i].lin));
    for (d = 0; d < span; d++) c->Omega[(span * k + d) * ld + port] = c->Omega[port * ld + span * k + d] = y[d];
  }
  for (k = po_max(0, port - span * c->bodies); k < c->limits; k++) {
    const po_limit_port *limit = &c->limit[k];
    int r = span * c->bodies + k;
    double sum = 0;
    for (d = 0; d < limit->nv; d++) sum += limit->g[d] * c->x[limit->v + d];
    c->Omega[r * ld + port] = c->Omega[port * ld + r] = sum;
  }
}

static void ports_free(po_character *c) {
  double *O = c->Omega;
  int i, j, ld = c->ld;
  memset(O, 0, sizeof(double) * 6 * (size_t)ld);
  for (i = 0; i < 3; i++) {
    for (j = 0; j < 3; j++) O[i * ld + j] = c->Iinv.m[3 * i + j];
    O[(3 + i) * ld + 3 + i] = 1 / c->mass;
  }
}

static void ports_omega(po_character *c) {
  int r;
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    po_ports_lanes(c);
    return;
  }
#endif
  for (r = 0; r < c->ports; r++) {
    ports_up(c, r);
    ports_down(c, r);
  }
}

void po_ports_build(po_character *c) {
  int r;
  memset(c->pi, 0, sizeof(double) * (size_t)c->ports);
  if (c->free) {
    ports_free(c);
    return;
  }
  po_minv_ready(&c->data);
  ports_mark(c);
  ports_omega(c);
  ports_velocities(c->y, c, c->v_start);
  ports_velocities(c->y_move, c, c->v1);
  for (r = 0; r < c->ports; r++) c->y_move[r] -= c->y[r];
}

void po_ports_apply(double *dv, po_character *c, const double *pi) {
  const struct po_model_fast *t = c->model->fast;
  const po_scratch *s = po_tree_scratch(&c->data);
  static const po_wrench nothing;
  int k, i, d;
  memset(dv, 0, sizeof(double) * (size_t)c->model->nv);
  for (k = 0; k < c->needed_count; k++) s->force[c->needed[k]] = nothing;
  s->force[0] = nothing;
  for (k = 0; k < c->bodies; k++) {
    po_vec6 wrench = ports_wrench(c, pi + c->span * k);
    i = po_port_node(c, c->span * k);
    s->force[i].n = po_v3_sub(po_v3_cross(s->reach[i].lin, wrench.lin), wrench.ang);
    s->force[i].f = po_v3_neg(wrench.lin);
  }
  for (k = 0; k < c->limits; k++)
    for (d = 0; d < c->limit[k].nv; d++) dv[c->limit[k].v + d] += c->limit[k].g[d] * pi[c->span * c->bodies + k];
  for (k = c->needed_count - 1; k >= 0; k--) {
    const po_node *n = &t->node[i = c->needed[k]];
    po_aba_up(dv, &s->force[i], s, n);
    if (n->parent) po_wrench_shift_add(&s->force[n->parent], &s->force[i], s->reach[i].ang);
  }
  c->twist[0] = po_v6_zero();
  for (i = 1; i <= t->n; i++) {
    const po_node *n = &t->node[i];
    po_vec6 m = c->twist[n->parent];
    m.lin = po_v3_add(m.lin, po_v3_cross(m.ang, s->reach[i].ang));
    po_aba_down(dv, &m.ang, &m.lin, s, n);
    c->twist[i] = m;
  }
}
