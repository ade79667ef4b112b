/* constraints.c: contacts as constraints, what all constraints share (velocities, impulses, own blocks), and who is coupled to whom. */
#include "world_internal.h"
#include <string.h>

po_constraint *po_constraint_add(po_world *w, po_constraint_kind kind, int dim, int index) {
  po_constraint *row;
  if (w->rows >= w->max_rows) {
    w->report.dropped++;
    return NULL;
  }
  row = &w->row[w->rows++]; /* W, G, D and the axes are written by whoever needs them: clearing them costs more than a contact */
  row->kind = kind;
  row->dim = dim;
  row->index = index;
  row->sides = row->group = row->part = row->level = row->regular = row->prepared = row->all_free = 0;
  row->mu = row->cfm = row->lo = row->bias = row->recover = row->restitution = row->damper = 0;
  row->hi = PO_INF;
  memset(row->p, 0, sizeof row->p);
  memset(row->impact, 0, sizeof row->impact);
  memset(row->u0, 0, sizeof row->u0);
  return row;
}

/* What unit impulses along axis[] (world) at `point` do at the port: moment about the character's origin, and force. */
void po_grip_body(po_grip *grip, po_character *c, int character, int port, po_vec3 point, const po_vec3 *axis, int dim, double sign) {
  po_vec3 arm = po_v3_sub(point, c->ports.origin);
  int k;
  grip->character = character;
  grip->port = port;
  grip->width = c->ports.span;
  if (c->ports.span == 3) { /* its axes are the world's */
    for (k = 0; k < dim; k++) {
      po_vec3 d = po_v3_scale(sign, axis[k]);
      grip->W[k][0] = po_v3_dot(c->ports.plane, po_v3_cross(arm, d));
      grip->W[k][1] = po_v3_dot(c->ports.plane_x, d);
      grip->W[k][2] = po_v3_dot(c->ports.plane_y, d);
    }
    return;
  }
  if (!c->free) arm = po_m3_tmul_v(c->ports.axes, arm);
  for (k = 0; k < dim; k++) {
    po_vec3 d = po_v3_scale(sign, axis[k]);
    if (!c->free) d = po_m3_tmul_v(c->ports.axes, d);
    po_v3_to(grip->W[k], po_v3_cross(arm, d));
    po_v3_to(grip->W[k] + 3, d);
  }
}

/* Normal and tangents. Where both sides move within one plane, which the normal lies in, the second tangent is the plane's normal: nothing moves along
 * it, and its row would be a zero row of the Delassus matrix. Returns how many axes matter. */
static int contact_axes(po_vec3 axis[3], po_vec3 normal, const po_character *a, const po_character *b) {
  axis[0] = normal;
  if (a->planar && fabs(po_v3_dot(a->ports.plane, normal)) < PO_PLANE_TOLERANCE &&
      (!b || (b->planar && po_v3_norm(po_v3_cross(a->ports.plane, b->ports.plane)) < PO_PLANE_TOLERANCE))) {
    axis[1] = po_v3_unit(po_v3_cross(a->ports.plane, normal));
    axis[2] = a->ports.plane;
    return 2;
  }
  po_v3_tangents(&axis[1], &axis[2], normal);
  return 3;
}

void po_contact_constraints(po_world *w, double dt) {
  double scale = w->last_dt > 0 ? dt / w->last_dt : 1;
  int i, k;
  for (i = 0; i < w->contacts; i++) {
    po_contact *c = &w->contact[i];
    po_character *a = w->character[c->a], *b = c->b >= 0 ? w->character[c->b] : NULL;
    int pa = po_port_body(&a->ports, c->body_a), pb = b ? po_port_body(&b->ports, c->body_b) : 0;
    double closing = po_v3_dot(c->velocity, c->normal);
    po_constraint *row;
    po_vec3 axis[3];
    int dim;
    if (pa < 0 || pb < 0) {
      w->report.dropped++;
      continue;
    }
    dim = contact_axes(axis, c->normal, a, b);
    row = po_constraint_add(w, PO_HOLD_CONTACT, dim, i);
    if (!row) continue;
    for (k = 0; k < 3; k++) row->axis[k] = axis[k];
    po_grip_body(&row->side[0], a, c->a, pa, c->point, row->axis, dim, 1);
    row->sides = 1;
    if (b) {
      po_grip_body(&row->side[1], b, c->b, pb, c->point, row->axis, dim, -1);
      row->sides = 2;
    }
    row->mu = c->mu;
    row->bias = c->gap > 0 ? c->gap / dt : 0;
    if (c->gap < -w->opts.slop) row->recover = po_min(PO_RECOVERY_SHARE * (-c->gap - w->opts.slop) / dt, w->opts.recovery_speed);
    if (c->restitution > 0 && closing < -w->opts.bounce_speed && c->gap + dt * closing <= 0) row->restitution = c->restitution;
    for (k = 0; k < dim; k++) row->p[k] = scale * po_v3_dot(w->warm[i], row->axis[k]);
  }
}

void po_contact_regrip(po_world *w, po_constraint *row) {
  const po_contact *c = &w->contact[row->index];
  po_grip_body(&row->side[0], w->character[c->a], c->a, row->side[0].port, c->point, row->axis, row->dim, 1);
  if (row->sides == 2) po_grip_body(&row->side[1], w->character[c->b], c->b, row->side[1].port, c->point, row->axis, row->dim, -1);
}

/* ---- shared by all kinds --------------------------------------------------------------------------------------------------------- */

static double constraint_dot6(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* Columns of Omega at the grip's port times W: out[k][r], r over the ports from `from`, `count` of them. */
static void constraint_response(const po_character *c, const po_grip *g, int dim, int from, int count, double (*out)[6]) {
  int k, r, s;
  for (k = 0; k < dim; k++)
    for (r = 0; r < count; r++) {
      const double *O = c->ports.Omega + (size_t)(from + r) * (size_t)c->ports.ld + g->port;
      double sum = 0;
      for (s = 0; s < g->width; s++) sum += O[s] * g->W[k][s];
      out[k][r] = sum;
    }
}

void po_constraint_prepare(po_world *w, po_constraint *row) {
  int i, j, s, t;
  memset(row->D, 0, sizeof row->D);
  row->prepared = 1;
  row->all_free = row->dim == 3;
  for (s = 0; s < row->sides; s++) {
    po_grip *g = &row->side[s];
    const po_character *c = w->character[g->character];
    row->all_free &= c->free;
    if (c->free) { /* Omega = diag(I^-1, 1/m) */
      for (i = 0; i < row->dim; i++) {
        po_v3_to(g->G[i], po_m3_mul_v(c->Iinv, po_v3_of(g->W[i])));
        po_v3_to(g->G[i] + 3, po_v3_scale(1 / c->mass, po_v3_of(g->W[i] + 3)));
      }
      for (i = 0; i < row->dim; i++)
        for (j = 0; j < row->dim; j++) row->D[3 * i + j] += constraint_dot6(g->W[i], g->G[j]);
      continue;
    }
    for (t = 0; t < row->sides; t++) { /* both sides may grip the same character */
      const po_grip *other = &row->side[t];
      double R[3][6];
      if (other->character != g->character) continue;
      constraint_response(c, g, row->dim, other->port, other->width, R);
      for (i = 0; i < row->dim; i++)
        for (j = 0; j < row->dim; j++) {
          int k;
          for (k = 0; k < other->width; k++) row->D[3 * i + j] += other->W[i][k] * R[j][k];
        }
    }
  }
  row->D[0] += row->cfm;
  row->regular = 0;
  if (row->dim == 2) row->D[8] = row->D[4]; /* beside a single tangent: one that nothing moves along */
  if (row->dim >= 2) {
    po_mat3 D;
    double trace = row->D[0] + row->D[4] + row->D[8];
    memcpy(D.m, row->D, sizeof D.m);
    row->regular = po_m3_det(D) > 1e-10 * trace * trace * trace / 27; /* as in lcp.c */
    if (row->regular) {
      D = po_m3_inverse(D);
      memcpy(row->Dinv, D.m, sizeof D.m);
    }
  }
}

void po_constraint_velocity(const po_world *w, const po_constraint *row, double u[3]) {
  int k, s, i;
  u[0] = u[1] = u[2] = 0;
  for (s = 0; s < row->sides; s++) {
    const po_grip *g = &row->side[s];
    const double *y = w->character[g->character]->y + g->port;
    for (k = 0; k < row->dim; k++) {
      if (g->width == 6) u[k] += constraint_dot6(g->W[k], y);
      else
        for (i = 0; i < g->width; i++) u[k] += g->W[k][i] * y[i];
    }
  }
}

void po_constraint_push(po_world *w, const po_constraint *row, const double dp[3]) {
  int k, s, i, r;
  for (s = 0; s < row->sides; s++) {
    const po_grip *g = &row->side[s];
    po_character *c = w->character[g->character];
    double f[6] = {0, 0, 0, 0, 0, 0};
    if (c->free && row->prepared) {
      for (k = 0; k < row->dim; k++)
        for (i = 0; i < 6; i++) c->y[i] += g->G[k][i] * dp[k];
      continue;
    }
    for (k = 0; k < row->dim; k++)
      for (i = 0; i < g->width; i++) f[i] += g->W[k][i] * dp[k];
    for (r = 0; r < c->ports.count; r++) {
      const double *O = c->ports.Omega + (size_t)r * (size_t)c->ports.ld + g->port;
      double sum = 0;
      for (i = 0; i < g->width; i++) sum += O[i] * f[i];
      c->y[r] += sum;
    }
  }
}

double po_stage_bias(const po_constraint *row, po_stage stage) {
  if (stage == PO_STAGE_RECOVER) return -row->recover;
  if (stage == PO_STAGE_CONTACT || row->restitution == 0) return row->bias;
  return row->restitution * row->u0[0]; /* u+ = −e u0 */
}

/* ---- groups: what is coupled through constraints ------------------------------------------------------------------------------------- */

static int group_root(int *root, int i) {
  while (root[i] != i) {
    root[i] = root[root[i]];
    i = root[i];
  }
  return i;
}

void po_groups_make(po_world *w) {
  int i, k;
  for (i = 0; i < w->count; i++) w->root[i] = i;
  for (k = 0; k < w->rows; k++) {
    const po_constraint *row = &w->row[k];
    if (row->sides == 2) {
      int a = group_root(w->root, row->side[0].character), b = group_root(w->root, row->side[1].character);
      if (a < b) w->root[b] = a;
      else w->root[a] = b;
    }
  }
  /* groups in the order of their first rows; root[] of a root becomes −1 − group */
  w->groups = 0;
  for (k = 0; k < w->rows; k++) {
    int i0 = w->row[k].side[0].character, r = i0;
    po_group *g;
    while (w->root[r] >= 0 && w->root[r] != r) r = w->root[r];
    if (w->root[r] >= 0) {
      g = &w->group[w->groups];
      memset(g, 0, sizeof *g);
      w->root[r] = -1 - w->groups++;
    }
    w->row[k].group = -1 - w->root[r];
    g = &w->group[w->row[k].group];
    g->count++;
    g->contacts += w->row[k].kind == PO_HOLD_CONTACT;
    g->unknowns += w->row[k].dim;
    g->bounces += w->row[k].restitution > 0;
    g->recovers += w->row[k].recover > 0;
  }
  for (i = 0, k = 0; i < w->groups; i++) {
    w->group[i].first = k;
    k += w->group[i].count;
    w->group[i].count = 0;
  }
  for (k = 0; k < w->rows; k++) {
    po_group *g = &w->group[w->row[k].group];
    w->order[g->first + g->count++] = k;
  }
}
