/* grasp.c: hands that hold something: two springs of length 0 that are switched on where the hand is when it closes.
 *
 * One point joined to another leaves three turns free; a second pair of points, `apart` from the first, leaves one, about the line through both. The points on
 * the thing that is held are where the hand's points are at closing, so that closing stores no energy and pulls at nothing.
 */
#include "world_internal.h"
#include <string.h>

po_grasp po_grasp_default(void) {
  po_grasp g;
  g.a = g.body_a = g.body_b = 0;
  g.b = 1;
  g.point_a = g.point_b = po_v3(0, 0, 0);
  g.stiffness = 20000;
  g.damping = 200;
  g.apart = 0.05;
  g.reach = 0.03;
  g.strength = 0;
  return g;
}

static po_grasp_entry *grasp_at(const po_world *w, int index) { return w && index >= 0 && index < w->grasps ? &w->grasp[index] : NULL; }

static po_vec3 grasp_point(po_pose pose, po_vec3 at) { return po_v3_add(pose.p, po_m3_mul_v(pose.R, at)); }

/* Where a body is now; the world's own data knows it after a step, else it is computed. */
static po_pose grasp_pose(po_world *w, int character, int body) {
  const po_character *c;
  po_pose pose = {po_m3_identity(), po_v3(0, 0, 0)};
  if (character < 0) return pose;
  c = w->character[character];
  if (!c->free && po_character_current(c)) return c->data.pose[body];
  po_world_kinematics(w, character);
  return c->user_data.pose[body];
}

/* The hand's second point, in its body's axes: farther out along the way from the body's origin. */
static po_vec3 grasp_second(const po_grasp *g) {
  double out = po_v3_norm(g->point_a);
  return po_v3_addscaled(g->point_a, g->apart, out > 1e-9 ? po_v3_scale(1 / out, g->point_a) : po_v3(1, 0, 0));
}

po_status po_world_add_grasp(int *index, po_world *w, const po_grasp *g) {
  po_spring s;
  po_grasp_entry *e;
  po_status status;
  int k, first;
  if (!w || !g) return PO_ERR_NULL;
  if (!po_isfinite(g->apart) || !po_isfinite(g->reach) || !po_isfinite(g->strength)) return PO_ERR_NOT_FINITE;
  if (!(g->apart > 0 && g->reach > 0 && g->strength >= 0) || (g->b == g->a && g->body_b == g->body_a)) return PO_ERR_RANGE;
  if (w->grasps >= w->max_grasps || w->springs + 2 > w->max_springs) return PO_ERR_MEMORY;
  s.a = g->a, s.body_a = g->body_a, s.point_a = g->point_a;
  s.b = g->b, s.body_b = g->body_b, s.point_b = g->point_b;
  s.length = s.pull_only = 0;
  s.stiffness = g->stiffness, s.damping = g->damping;
  first = w->springs;
  for (k = 0; k < 2; k++)
    if ((status = po_world_add_spring(NULL, w, &s)) != PO_OK) return status; /* the first one fails when the second would: nothing has changed */
  e = &w->grasp[w->grasps];
  memset(e, 0, sizeof *e);
  e->at = *g;
  for (k = 0; k < 2; k++) {
    po_spring *spring = &w->spring[e->spring[k] = first + k];
    if (k) spring->point_a = grasp_second(g);
    spring->stiffness = spring->damping = 0;
  }
  if (index) *index = w->grasps;
  w->grasps++;
  return PO_OK;
}

static double grasp_distance(po_world *w, const po_grasp *g) {
  return po_v3_norm(po_v3_sub(grasp_point(grasp_pose(w, g->a, g->body_a), g->point_a), grasp_point(grasp_pose(w, g->b, g->body_b), g->point_b)));
}

po_status po_world_close_grasp(po_world *w, int index) {
  po_grasp_entry *e = grasp_at(w, index);
  po_pose hand, held;
  int k;
  if (!w) return PO_ERR_NULL;
  if (!e) return PO_ERR_RANGE;
  if (e->closed) return PO_OK;
  if (!(grasp_distance(w, &e->at) <= e->at.reach)) return PO_ERR_STATE;
  hand = grasp_pose(w, e->at.a, e->at.body_a);
  held = grasp_pose(w, e->at.b, e->at.body_b);
  for (k = 0; k < 2; k++) {
    po_spring *s = &w->spring[e->spring[k]];
    s->point_b = po_m3_tmul_v(held.R, po_v3_sub(grasp_point(hand, s->point_a), held.p));
    s->stiffness = e->at.stiffness;
    s->damping = e->at.damping;
    w->spring_warm[e->spring[k]] = po_v3(0, 0, 0);
  }
  e->closed = 1;
  e->torn = 0;
  return PO_OK;
}

po_status po_world_open_grasp(po_world *w, int index) {
  po_grasp_entry *e = grasp_at(w, index);
  int k;
  if (!w) return PO_ERR_NULL;
  if (!e) return PO_ERR_RANGE;
  for (k = 0; k < 2; k++) {
    w->spring[e->spring[k]].stiffness = w->spring[e->spring[k]].damping = 0;
    w->spring_warm[e->spring[k]] = po_v3(0, 0, 0);
  }
  e->closed = 0;
  return PO_OK;
}

static double grasp_stretch(po_world *w, const po_grasp_entry *e) {
  po_pose hand = grasp_pose(w, e->at.a, e->at.body_a), held = grasp_pose(w, e->at.b, e->at.body_b);
  double most = 0;
  int k;
  for (k = 0; k < 2; k++) {
    const po_spring *s = &w->spring[e->spring[k]];
    most = po_max(most, po_v3_norm(po_v3_sub(grasp_point(hand, s->point_a), grasp_point(held, s->point_b))));
  }
  return most;
}

/* Its springs one by one, for whoever draws them. */
static void grasp_springs(po_grasp_state *state, po_world *w, const po_grasp_entry *e) {
  po_pose hand = grasp_pose(w, e->at.a, e->at.body_a), held = grasp_pose(w, e->at.b, e->at.body_b);
  int k;
  for (k = 0; k < 2; k++) {
    const po_spring *s = &w->spring[e->spring[k]];
    state->hand[k] = grasp_point(hand, s->point_a);
    state->held[k] = grasp_point(held, s->point_b);
    state->tension[k] = e->closed && w->last_dt > 0 ? po_v3_norm(w->spring_warm[e->spring[k]]) / w->last_dt : 0;
  }
}

/* What both springs did to the hand in the last step, as a mean force. */
static po_vec3 grasp_pull(const po_world *w, const po_grasp_entry *e) {
  po_vec3 impulse = po_v3_add(w->spring_warm[e->spring[0]], w->spring_warm[e->spring[1]]);
  return e->closed && w->last_dt > 0 ? po_v3_scale(1 / w->last_dt, impulse) : po_v3(0, 0, 0);
}

void po_grasps_watch(po_world *w) {
  int i;
  for (i = 0; i < w->grasps; i++) {
    po_grasp_entry *e = &w->grasp[i];
    double force;
    if (!e->closed) continue;
    force = po_v3_norm(grasp_pull(w, e));
    e->force_max = po_max(e->force_max, force);
    e->stretch_max = po_max(e->stretch_max, grasp_stretch(w, e));
    if (!(e->at.strength > 0 && force > e->at.strength)) continue;
    po_world_open_grasp(w, i);
    e->torn = 1;
  }
}

po_status po_world_grasp(po_grasp_state *state, po_world *w, int index) {
  const po_grasp_entry *e = grasp_at(w, index);
  if (!state || !w) return PO_ERR_NULL;
  if (!e) return PO_ERR_RANGE;
  state->closed = e->closed;
  state->torn = e->torn;
  state->distance = grasp_distance(w, &e->at);
  state->pull = grasp_pull(w, e);
  state->force = po_v3_norm(state->pull);
  state->stretch = e->closed ? grasp_stretch(w, e) : 0;
  state->stretch_max = e->stretch_max;
  state->force_max = e->force_max;
  grasp_springs(state, w, e);
  return PO_OK;
}
