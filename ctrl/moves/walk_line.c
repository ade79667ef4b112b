/* walk_line.c: the ground ahead, sampled once at each strike along the feet's two lines; planes, boxes and fields are the same to it. */
#include "walk_internal.h"

#define WALK_GRID 0.02      /* m: between two looks; treads are a hand longer than feet */
#define WALK_BEHIND 0.8     /* m: where looking begins */
#define WALK_EDGE 0.025     /* m: ground that changes by more from one look to the next has an edge there; slopes of 30 degrees do not */
#define WALK_EVEN 1e-6      /* m: what is left of a plane by rounding */
#define WALK_SHIFTED 0.32   /* m: how much shorter or longer a step may become, */
#define WALK_CLIMB 0.2      /* m: and how much higher or lower it may end: two treads at once are too high */

/* The terrain's height; for who may not ask it, and over the edge of the world, as high as where it stands. */
double po_walk_ground(const po_walk *w, po_vec3 at) {
  double height = w->params.known >= 0.5 ? po_terrain_height(w->move.actor->patches.terrain, at.x, at.y) : PO_NAN;
  if (po_isfinite(height)) return height;
  return po_min(w->view.heel[w->s.seen.stance].z, w->view.toe[w->s.seen.stance].z);
}

static double walk_x_of(const po_walk *w, int k) { return (k * WALK_GRID - WALK_BEHIND) * w->body.size; }
static int walk_look_at(const po_walk *w, double x) { return (int)po_clamp((x / w->body.size + WALK_BEHIND) / WALK_GRID, 0, WALK_LOOKS - 1); }

/* An edge between look k − 1 and k: by how much it goes up. */
static double walk_jump(const po_walk *w, const double *z, int k) {
  double rise = z[k] - z[k - 1];
  return po_abs(rise) > WALK_EDGE * w->body.size ? rise : 0;
}

void po_walk_look(po_walk *w) {
  walk_line *l = &w->s.line;
  int f, k, stance = w->s.seen.stance;
  l->even = 1;
  l->falls = 0;
  for (f = 0; f < 2; f++) {
    po_vec3 start = po_v3_addscaled(w->view.heel[stance], f == stance ? 0 : -w->view.side * po_walk_spread(w, f), w->view.left);
    for (k = 0; k < WALK_LOOKS; k++) l->z[f][k] = po_walk_ground(w, po_v3_addscaled(start, walk_x_of(w, k), w->view.along));
    for (k = 1; k < WALK_LOOKS; k++) {
      l->falls |= walk_x_of(w, k) > 0 && walk_jump(w, l->z[f], k) < 0;
      if (k > 1 && po_abs(l->z[f][k] - 2 * l->z[f][k - 1] + l->z[f][k - 2]) > WALK_EVEN) l->even = 0;
    }
  }
}

/* A sole whose heel stands half a look before look i: all on one level, but for a last look that may hang over an edge that goes down: a sole that tips stands on that
 * line alone. And it keeps its calf from an edge behind it. */
static int walk_sole_fits(const po_walk *w, const double *z, int i) {
  int k, sole = (int)(w->body.foot_length / (WALK_GRID * w->body.size)) + 1;
  if (i < 1 || i + sole >= WALK_LOOKS || walk_jump(w, z, i) < 0) return 0;
  for (k = i; k < i + sole; k++) {
    double rise = walk_jump(w, z, k + 1);
    if (rise > 0 || (rise < 0 && k < i + sole - 1)) return 0;
  }
  return 1;
}

double po_walk_fit(const po_walk *w, double length, double planned) {
  const double *z = w->s.line.z[1 - w->s.seen.stance];
  double best = length, off = PO_INF, here = po_min(w->view.heel[w->s.seen.stance].z, w->view.toe[w->s.seen.stance].z), shifted = WALK_SHIFTED * w->body.size;
  int i, last = walk_look_at(w, length + shifted);
  if (w->s.line.even) return length;
  for (i = walk_look_at(w, length - shifted); i <= last; i++) {
    double x = walk_x_of(w, i) + 0.5 * WALK_GRID * w->body.size, miss = po_abs(x - length) + 0.9 * po_abs(x - planned);
    if (miss >= off || !walk_sole_fits(w, z, i) || po_abs(z[i + 1] - here) > WALK_CLIMB * w->body.size) continue;
    off = miss;
    best = po_abs(x - length) < 0.5 * WALK_GRID * w->body.size ? length : x;
  }
  return best;
}

double po_walk_over(const po_walk *w, double x0, double x1, double z0, double z1, int *edges) {
  const double *z = w->s.line.z[1 - w->s.seen.stance];
  int k, last = walk_look_at(w, x1);
  double over = 0;
  *edges = 0;
  if (w->s.line.even) return 0;
  for (k = walk_look_at(w, x0) + 1; k <= last; k++) {
    *edges |= walk_jump(w, z, k) != 0;
    over = po_max(over, z[k] - (z0 + (z1 - z0) * po_clamp((walk_x_of(w, k) - x0) / po_max(x1 - x0, 1e-3), 0, 1)));
  }
  return over;
}
