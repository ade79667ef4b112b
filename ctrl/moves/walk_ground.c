/* walk_ground.c: what a walk knows of the ground ahead: heights, and edges that a sole must not stand across. */
#include "walk_internal.h"

/* The ground at a place where nothing stands yet: the terrain's; for who may not ask it, and over the edge of the world, as high as where it stands. */
double po_walk_ground(const po_walk *w, po_vec3 at) {
  double height = w->params.known >= 0.5 ? po_terrain_height(w->move.actor->patches.terrain, at.x, at.y) : PO_NAN;
  if (po_isfinite(height)) return height;
  return po_min(po_walk_heel(w, w->stance).z, po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[w->stance].toe).p.z);
}

/* Steps are looked for on a grid along the way. Lengths are of human legs. */
#define WALK_GRID 0.02      /* m: between two looks; treads are a hand longer than feet */
#define WALK_GRID_MOST 64   /* looks */
#define WALK_EDGE 0.025     /* m: ground that changes by more from one look to the next has an edge there; slopes of 30 degrees do not */
#define WALK_SHIFTED 0.32   /* m: how much shorter or longer a step may become, */
#define WALK_CLIMB 0.2      /* m: and how much higher or lower it may end: two treads at once are too high */

/* Looks from the heel on that a sole covers; down a step its toes may hang over the edge a little, and it keeps its calf from the edge behind it. */
#define WALK_CALF 1 /* looks */
#define WALK_HANG 1 /* looks: a sole that tips over the edge of its tread stands on that line alone */
static int walk_sole_fits(const double *z, int i, int looks, int sole) {
  int k, hang = WALK_HANG;
  for (k = i; k > 0 && k > i - WALK_CALF; k--)
    if (z[k] - z[k - 1] < 0) return 0;
  for (k = i; k < i + sole; k++) {
    if (k + 1 >= looks) return 0;
    if (z[k + 1] - z[k] > 0) return 0;
  }
  for (k = i; k < i + sole - hang; k++)
    if (z[k + 1] - z[k] < 0) return 0;
  return 1;
}

double po_walk_fit(const po_walk *w, double length, double planned, double width) {
  const po_terrain *terrain = w->move.actor->patches.terrain;
  double grid = WALK_GRID * w->size, z[WALK_GRID_MOST], level[WALK_GRID_MOST], best = length, off = PO_INF, from = length - WALK_SHIFTED * w->size, here;
  int i, looks = (int)((2 * WALK_SHIFTED * w->size + w->foot_length) / grid) + 3, sole = (int)(w->foot_length / grid) + 1;
  po_vec3 along, left, start;
  if (!po_walk_on_steps(w)) return length;
  po_walk_axes(w, &along, &left);
  looks = looks > WALK_GRID_MOST ? WALK_GRID_MOST : looks;
  start = po_v3_addscaled(po_walk_heel(w, w->stance), (w->stance == 0 ? -1 : 1) * width, left);
  here = po_min(po_walk_heel(w, w->stance).z, po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[w->stance].toe).p.z);
  for (i = 0; i < looks; i++) {
    po_vec3 at = po_v3_addscaled(start, from + (i - 0.5) * grid, along);
    z[i] = po_terrain_height(terrain, at.x, at.y);
    level[i] = i == 0 ? 0 : level[i - 1] + (po_abs(z[i] - z[i - 1]) > WALK_EDGE * w->size ? z[i] - z[i - 1] : 0); /* without slopes: edges alone */
  }
  for (i = 0; i + sole < looks; i++) { /* look i is half a grid behind the heel */
    double x = from + i * grid, miss = po_abs(x - length) + 0.9 * po_abs(x - planned);
    if (!walk_sole_fits(level, i, looks, sole) || po_abs(z[i + 1] - here) > WALK_CLIMB * w->size) continue;
    if (miss >= off) continue;
    off = miss;
    best = po_abs(x - length) < 0.5 * grid ? length : x;
  }
  return best;
}
