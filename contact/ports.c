/* ports.c: what constraints see of a character: P, Y = M^-1 P', Omega = P M^-1 P' (world_internal.h).
 *
 * For an articulated character the rows of P are the freedoms' unit motions (rbd's screws: angular, and linear at the tree's origin), taken
 * along the way from the body to the root; Y comes from the articulated-body factors that po_aba has left, one O(n) solve per row.
 */
#include "world_internal.h"
#include <string.h>

int po_port_body(po_character *c, int body) {
  int port = c->port_of_body[body];
  if (port >= 0) return port;
  if (c->ports + 6 > c->max_ports) return -1;
  port = c->ports;
  c->port_of_body[body] = port;
  c->body_of_port[c->bodies++] = body;
  c->ports += 6;
  return port;
}

static int ports_last_dof(const po_model *m, int body) { return m->joint[body].v + m->joint[body].nv - 1; }

/* The six rows of a body. */
static void ports_body_rows(po_character *c, int port, int body) {
  double *P = c->P + (size_t)port * (size_t)c->nv4;
  int j, ld = c->nv4;
  for (j = ports_last_dof(c->model, body); j >= 0; j = c->model->dof_parent[j]) {
    po_vec6 unit = po_unit_motion(&c->data, j);
    P[j] = unit.ang.x;
    P[ld + j] = unit.ang.y;
    P[2 * ld + j] = unit.ang.z;
    P[3 * ld + j] = unit.lin.x;
    P[4 * ld + j] = unit.lin.y;
    P[5 * ld + j] = unit.lin.z;
  }
}

static void ports_free(po_character *c) {
  double *O = c->Omega;
  int i, j, ld = c->max_ports;
  memset(O, 0, sizeof(double) * 36);
  for (i = 0; i < 3; i++) {
    for (j = 0; j < 3; j++) O[i * ld + j] = c->Iinv.m[3 * i + j];
    O[(3 + i) * ld + 3 + i] = 1 / c->mass;
  }
}

po_status po_ports_build(po_world *w, int index) {
  po_character *c = w->character[index];
  int r, s, j, k, nv = c->model->nv, ld = c->nv4;
  memset(c->pi, 0, sizeof(double) * (size_t)c->ports);
  if (c->free) {
    ports_free(c);
    return PO_OK;
  }
  /* rows of limits were written when they were found; those of bodies are filled here */
  for (k = 0; k < c->bodies; k++) {
    memset(c->P + (size_t)(6 * k) * (size_t)ld, 0, sizeof(double) * (size_t)(6 * ld));
    ports_body_rows(c, 6 * k, c->body_of_port[k]);
  }
  memcpy(c->Y, c->P, sizeof(double) * (size_t)(c->ports * ld));
  po_minv_mul(po_mat_of(c->Y, c->ports, nv, ld), &c->data);
  for (r = 0; r < c->ports; r++) {
    const double *P = c->P + (size_t)r * (size_t)ld;
    for (s = 0; s <= r; s++) {
      const double *Y = c->Y + (size_t)s * (size_t)ld;
      double sum = 0;
      if (r < 6 * c->bodies) {
        for (j = ports_last_dof(c->model, c->body_of_port[r / 6]); j >= 0; j = c->model->dof_parent[j]) sum += P[j] * Y[j];
      } else {
        sum = po_dot(P, Y, nv);
      }
      c->Omega[r * c->max_ports + s] = c->Omega[s * c->max_ports + r] = sum;
    }
    c->y[r] = po_dot(P, c->v, nv);
    c->y_move[r] = po_dot(P, c->v1, nv) - c->y[r];
  }
  return PO_OK;
}
