/* walk_view.c: what a tick sees: where the feet are and what they touch, the hips, the capture point.
 *
 * A sole on uneven ground stands on what is highest below it: a ridge or the edge of a step in its middle, while a corner hangs. Such a corner's part is
 * taken by the point of the sole's edge nearest to it that touches.
 */
#include "walk_internal.h"

#define WALK_EDGE_LOOKS 6    /* places of an edge of the sole that are looked at: every 4 cm of the human's */
#define WALK_EDGE_HALVES 6   /* halvings of the way between two looks: 0.7 mm */
#define WALK_EDGE_NEAR 2e-3  /* m: what is nearer to the ground than this touches */
#define WALK_EDGE_FALLS 0.1  /* of the foot's length: ground that is lower by more from one look to the next has fallen away */

static po_surface walk_surface_below(const po_walk *w, po_vec3 p) { return po_terrain_surface_below(w->move.actor->patches.terrain, p.x, p.y, p.z + 0.5 * w->body.foot_width, PO_ANY_TAG); }

/* A share `at` of the way from corner `from` to corner k; side 1: beside that line, in the sole's middle. */
static po_vec3 walk_edge_point(const po_patch *sole, int k, int from, int side, double at) {
  po_vec3 across = po_v3_scale(0.5 * side, po_v3_sub(sole->point[k ^ 1], sole->point[k])); /* the corner beside it: 0 and 1, 2 and 3 */
  return po_v3_add(po_v3_add(sole->point[from], po_v3_scale(at, po_v3_sub(sole->point[k], sole->point[from]))), across);
}
static double walk_edge_height(const po_walk *w, const po_patch *sole, int k, int from, int side, double at) {
  return walk_surface_below(w, po_point_position(w->move.actor->data, sole->body, walk_edge_point(sole, k, from, side, at))).height;
}

/* Corner k hangs: the point of the line from corner `from` to it, or of the sole's middle beside that line, which touches nearest to it. A sole that tips over the
 * edge of a step touches there alone, between two looks: where the ground falls away the edge itself is found by halving. */
static void walk_feel_edge(const po_walk *w, po_patch *sole, int k, int from) {
  int i, n, side;
  for (i = WALK_EDGE_LOOKS - 1; i > 0; i--)
    for (side = 0; side < 2; side++) {
      double at = (double)i / WALK_EDGE_LOOKS, beyond = (i + 1.0) / WALK_EDGE_LOOKS, low = walk_edge_height(w, sole, k, from, side, at) - WALK_EDGE_FALLS * w->body.foot_length;
      po_vec3 p, place;
      po_surface below;
      if (walk_edge_height(w, sole, k, from, side, beyond) < low)
        for (n = 0; n < WALK_EDGE_HALVES; n++) {
          double middle = 0.5 * (at + beyond);
          if (walk_edge_height(w, sole, k, from, side, middle) < low) beyond = middle;
          else at = middle;
        }
      p = walk_edge_point(sole, k, from, side, at);
      place = po_point_position(w->move.actor->data, sole->body, p);
      below = walk_surface_below(w, place);
      if ((place.z - below.height) * below.normal.z > WALK_EDGE_NEAR) continue;
      sole->point[k] = p;
      sole->touching[k] = 1;
      sole->gap[k] = 0;
      return;
    }
}

static void walk_feel(po_walk *w, int f) {
  const po_foot_state state = w->s.seen.foot[f];
  po_patch *sole = &w->view.sole[f];
  int k;
  *sole = w->move.actor->patches.patch[f];
  if (!w->s.line.even && !w->body.hinged && (state != PO_FOOT_SWING || w->s.plan.drop > 0)) /* toes that bend lie on the ground by themselves */
    for (k = 0; k < 4; k++)
      if (!sole->touching[k] && !(k < 2 && (state == PO_FOOT_HEELOFF || state == PO_FOOT_SWING))) walk_feel_edge(w, sole, k, 3 - k);
  w->view.back[f] = sole->touching[0] || sole->touching[1];
  w->view.front[f] = sole->touching[2] || sole->touching[3];
}

void po_walk_axes(po_walk *w) {
  double s, c;
  po_sincos(&s, &c, w->s.seen.facing);
  w->view.along = po_v3(c, s, 0);
  w->view.left = po_v3(-s, c, 0);
  w->view.side = w->s.seen.stance == 0 ? 1 : -1;
}

static po_vec3 walk_frame_velocity(const po_walk *w, int frame) {
  const po_frame *fr = &w->move.actor->model->frame[frame];
  return po_point_velocity(w->move.actor->data, fr->body, fr->pose.p);
}

void po_walk_look_around(po_walk *w) {
  const po_actor *a = w->move.actor;
  walk_view *s = &w->view;
  po_vec3 hips = po_point_position(a->data, 0, w->body.hips);
  int f;
  po_walk_axes(w);
  s->g = po_v3_norm(a->data->gravity);
  s->omega = sqrt(s->g / a->standing_height);
  s->com = a->data->com;
  s->com_v = a->data->com_velocity;
  s->capture = po_v3_addscaled(s->com, 1 / s->omega, s->com_v);
  s->hips = hips.z;
  s->hips_v = po_point_velocity(a->data, 0, w->body.hips).z;
  s->hips_ahead = po_v3_dot(s->along, po_v3_sub(hips, s->com));
  for (f = 0; f < 2; f++) {
    const po_patch *p = &a->patches.patch[f];
    s->heel[f] = po_frame_position(a->data, p->heel);
    s->toe[f] = po_frame_position(a->data, p->toe);
    s->heel_v[f] = walk_frame_velocity(w, p->heel);
    s->toe_v[f] = walk_frame_velocity(w, p->toe);
    walk_feel(w, f);
  }
}
