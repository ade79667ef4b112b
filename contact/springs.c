/* springs.c: springs and dampers between points, implicit.
 *
 * Along the spring, with x its stretch and u its rate at the end of the step, the impulse is p = −h (k (x + h u) + d u). Written as a
 * constraint: u + cfm p + bias = 0 with cfm = 1/(h² k + h d), bias = h k x cfm. It is solved together with the contacts, so that no
 * stiffness is too high. A spring of length zero pulls along all three axes of the world.
 */
#include "world_internal.h"

static int spring_good(const po_spring *s) {
  return po_isfinite(s->length) && po_isfinite(s->stiffness) && po_isfinite(s->damping) && s->length >= 0 && s->stiffness >= 0 && s->damping >= 0;
}

static int spring_end_is(const po_world *w, int character, int body, po_vec3 point) {
  if (!po_isfinite(point.x) || !po_isfinite(point.y) || !po_isfinite(point.z)) return 0;
  return character >= 0 && character < w->count && body >= 0 && body < w->character[character]->model->nb;
}

/* po_world_spring hands springs out to be moved: their ends are looked at again in every step. */
int po_spring_is(const po_world *w, const po_spring *s) {
  int world_end = s->b == -1 && po_isfinite(s->point_b.x) && po_isfinite(s->point_b.y) && po_isfinite(s->point_b.z);
  return spring_end_is(w, s->a, s->body_a, s->point_a) && (world_end || spring_end_is(w, s->b, s->body_b, s->point_b));
}

int po_spring_works(const po_world *w, const po_spring *s) {
  return spring_good(s) && po_spring_is(w, s) && (s->stiffness > 0 || s->damping > 0) && !w->character[s->a]->parked && (s->b < 0 || !w->character[s->b]->parked);
}

static po_vec3 spring_end(const po_world *w, int character, int body, po_vec3 point) {
  const po_character *c;
  if (character < 0) return point;
  c = w->character[character];
  if (c->free) return po_v3_add(po_v3_of(c->q + 4), po_m3_mul_v(c->R, point));
  return po_v3_add(c->data.pose[body].p, po_m3_mul_v(c->data.pose[body].R, point));
}

static void spring_row(po_world *w, int index, int part, po_vec3 axis, double stretch, po_vec3 xa, po_vec3 xb, double dt) {
  const po_spring *s = &w->spring[index];
  po_character *a = w->character[s->a], *b = s->b >= 0 ? w->character[s->b] : NULL;
  int pa = po_port_body(&a->ports, s->body_a), pb = b ? po_port_body(&b->ports, s->body_b) : 0;
  double warm[3], scale = w->last_dt > 0 ? dt / w->last_dt : 1;
  po_constraint *row = pa >= 0 && pb >= 0 ? po_constraint_add(w, PO_HOLD_SPRING, 1, index) : NULL;
  if (!row) {
    w->report.dropped++;
    return;
  }
  po_grip_body(&row->side[0], a, s->a, pa, xa, &axis, 1, 1);
  row->sides = 1;
  if (b) {
    po_grip_body(&row->side[1], b, s->b, pb, xb, &axis, 1, -1);
    row->sides = 2;
  }
  row->axis[0] = axis;
  row->part = part;
  row->cfm = 1 / (dt * dt * s->stiffness + dt * s->damping);
  row->bias = dt * s->stiffness * stretch * row->cfm;
  row->damper = s->damping;
  row->lo = -PO_INF;
  row->hi = s->pull_only ? 0 : PO_INF;
  po_v3_to(warm, w->spring_warm[index]);
  row->p[0] = scale * warm[part];
}

void po_spring_constraints(po_world *w, double dt) {
  int i;
  for (i = 0; i < w->springs; i++) {
    const po_spring *s = &w->spring[i];
    po_vec3 xa, xb, d;
    double length;
    if (!po_spring_works(w, s)) continue;
    xa = spring_end(w, s->a, s->body_a, s->point_a);
    xb = spring_end(w, s->b, s->body_b, s->point_b);
    d = po_v3_sub(xa, xb);
    w->report.springs++;
    if (s->length == 0) {
      spring_row(w, i, 0, po_v3(1, 0, 0), d.x, xa, xb, dt);
      spring_row(w, i, 1, po_v3(0, 1, 0), d.y, xa, xb, dt);
      spring_row(w, i, 2, po_v3(0, 0, 1), d.z, xa, xb, dt);
      continue;
    }
    length = po_v3_norm(d);
    if (length < 1e-9) continue; /* it has no direction */
    if (s->pull_only && length < s->length) continue;
    spring_row(w, i, 0, po_v3_scale(1 / length, d), length - s->length, xa, xb, dt);
  }
}

po_status po_world_add_spring(int *index, po_world *world, const po_spring *s) {
  int side;
  if (!world || !s) return PO_ERR_NULL;
  for (side = 0; side < 2; side++) {
    int c = side ? s->b : s->a, body = side ? s->body_b : s->body_a;
    po_vec3 at = side ? s->point_b : s->point_a;
    if (!po_isfinite(at.x) || !po_isfinite(at.y) || !po_isfinite(at.z)) return PO_ERR_NOT_FINITE;
    if (side && c == -1) continue;
    if (c < 0 || c >= world->count || body < 0 || body >= world->character[c]->model->nb) return PO_ERR_RANGE;
  }
  if (!po_isfinite(s->length) || !po_isfinite(s->stiffness) || !po_isfinite(s->damping)) return PO_ERR_NOT_FINITE;
  if (!spring_good(s) || (s->pull_only && s->length == 0)) return PO_ERR_RANGE;
  if (world->springs >= world->max_springs) return PO_ERR_MEMORY;
  world->spring[world->springs] = *s;
  world->spring_warm[world->springs] = po_v3(0, 0, 0);
  if (index) *index = world->springs;
  world->springs++;
  return PO_OK;
}

po_spring *po_world_spring(po_world *world, int index) {
  return world && index >= 0 && index < world->springs ? &world->spring[index] : NULL;
}
