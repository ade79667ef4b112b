/* broad.c: which bounds overlap, for a crowd.
 *
 * A grid over the two axes along which the things are spread most, with cells twice as large as the things are on average; every thing goes
 * into the cells it reaches, by counting, and cells are searched for pairs. A pair that shares several cells is reported in the first one
 * only. Cost: linear in the things and in the pairs that share a cell; nothing is compared to be sorted, which for a crowd in no
 * particular order costs a misprediction a step.
 */
#include "collide.h"

#define PO_BROAD_SPREAD 6 /* a thing reaches into at most so many cells on average: cells grow until it is so */
#define PO_BROAD_CELL 2.0 /* times the mean size */

typedef struct broad_axis {
  int axis, cells;
  double low, size, inverse;
} broad_axis;

typedef struct broad_work {
  int *start; /* [cells + 1] */
  int *list;  /* things, cell by cell, in ascending order within one */
  broad_axis a, b;
} broad_work;

static int broad_most_cells(int count) { return 2 * count + 1; }

static void broad_lay_out(broad_work *w, int count, po_arena *arena) {
  w->list = PO_ARENA_ARRAY(arena, int, (size_t)count * PO_BROAD_SPREAD);
  w->start = PO_ARENA_ARRAY(arena, int, broad_most_cells(count) + 1);
}

size_t po_broad_bytes(int count) {
  po_arena arena;
  broad_work w;
  po_arena_measure(&arena);
  broad_lay_out(&w, count, &arena);
  return po_arena_used(&arena);
}

static double broad_along(po_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int broad_cell(const broad_axis *g, po_vec3 at) {
  double s = (broad_along(at, g->axis) - g->low) * g->inverse;
  return !(s > 0) ? 0 : s > g->cells - 1 ? g->cells - 1 : (int)s;
}

/* How many cells the extent has room for; a single one for absurd coordinates. */
static void broad_divide(broad_axis *g, double extent) {
  double cells = floor(extent / g->size) + 1;
  if (!po_isfinite(extent) || !(cells >= 1)) g->low = 0, g->size = 1, cells = 1;
  g->cells = cells < 1e9 ? (int)cells : 1000000000;
  g->inverse = 1 / g->size;
}

/* The two axes with most room for cells, and cells on them that are not more than there is memory for. */
static void broad_grid(broad_work *w, const po_bounds *bounds, int count) {
  broad_axis g[3], swap;
  double extent[3], most = broad_most_cells(count);
  int i, k;
  for (k = 0; k < 3; k++) {
    double low = PO_INF, high = -PO_INF, sum = 0;
    for (i = 0; i < count; i++) {
      double l = broad_along(bounds[i].low, k), h = broad_along(bounds[i].high, k);
      low = po_min(low, l);
      high = po_max(high, h);
      sum += h - l;
    }
    g[k].axis = k;
    g[k].low = low;
    g[k].size = po_max(PO_BROAD_CELL * sum / count, 1e-6);
    extent[k] = high - low;
    broad_divide(&g[k], extent[k]);
  }
  if (g[1].cells < g[2].cells) swap = g[1], g[1] = g[2], g[2] = swap;
  if (g[0].cells < g[1].cells) swap = g[0], g[0] = g[1], g[1] = swap;
  if (g[1].cells < g[2].cells) swap = g[1], g[1] = g[2], g[2] = swap;
  while ((double)g[0].cells * g[1].cells > most) { /* coarser along the longer one, or along both */
    double over = (double)g[0].cells * g[1].cells / most;
    for (k = 0; k < 2; k++) {
      g[k].size *= g[1].cells > 1 ? po_max(sqrt(over), 1.01) : k ? 1 : po_max(over, 1.01);
      broad_divide(&g[k], extent[g[k].axis]);
    }
  }
  w->a = g[0];
  w->b = g[1];
}

/* Everything into its cells, by counting; 0 when large things reach into too many of them. */
static int broad_fill(broad_work *w, const po_bounds *bounds, int count) {
  int i, s, t, total = 0, cells = w->a.cells * w->b.cells, rows = w->b.cells;
  for (s = 0; s <= cells; s++) w->start[s] = 0;
  for (i = 0; i < count; i++) {
    int s0 = broad_cell(&w->a, bounds[i].low), s1 = broad_cell(&w->a, bounds[i].high);
    int t0 = broad_cell(&w->b, bounds[i].low), t1 = broad_cell(&w->b, bounds[i].high);
    if ((double)(s1 - s0 + 1) * (t1 - t0 + 1) > (double)count * PO_BROAD_SPREAD - total) return 0;
    total += (s1 - s0 + 1) * (t1 - t0 + 1);
    for (s = s0; s <= s1; s++)
      for (t = t0; t <= t1; t++) w->start[s * rows + t + 1]++;
  }
  for (s = 0; s < cells; s++) w->start[s + 1] += w->start[s];
  for (i = count - 1; i >= 0; i--) { /* from behind, so that each cell's counter ends at its start */
    int s0 = broad_cell(&w->a, bounds[i].low), s1 = broad_cell(&w->a, bounds[i].high);
    int t0 = broad_cell(&w->b, bounds[i].low), t1 = broad_cell(&w->b, bounds[i].high);
    for (s = s0; s <= s1; s++)
      for (t = t0; t <= t1; t++) w->list[--w->start[s * rows + t + 1]] = i;
  }
  for (s = 0; s < cells; s++) w->start[s] = w->start[s + 1];
  w->start[cells] = total;
  return 1;
}

/* The cell in which the bounds p and q first meet. */
static int broad_first_cell(const broad_work *w, const po_bounds *p, const po_bounds *q) {
  po_vec3 at = po_v3(po_max(p->low.x, q->low.x), po_max(p->low.y, q->low.y), po_max(p->low.z, q->low.z));
  return broad_cell(&w->a, at) * w->b.cells + broad_cell(&w->b, at);
}

int po_broad_pairs(int (*pairs)[2], int max, const po_bounds *bounds, int count, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  broad_work w;
  int i, j, s, cells, found = 0;
  if (count < 2) return 0;
  broad_lay_out(&w, count, scratch);
  if (scratch->failed) return 0;
  broad_grid(&w, bounds, count);
  while (!broad_fill(&w, bounds, count)) {
    w.a.inverse *= 0.5; /* cells twice as large: those at the far end stay empty */
    w.b.inverse *= 0.5;
  }
  cells = w.a.cells * w.b.cells;
  for (s = 0; s < cells; s++)
    for (i = w.start[s]; i < w.start[s + 1]; i++) {
      const po_bounds *p = &bounds[w.list[i]];
      for (j = i + 1; j < w.start[s + 1]; j++) {
        const po_bounds *q = &bounds[w.list[j]];
        if (!po_bounds_overlap(p, q) || broad_first_cell(&w, p, q) != s) continue; /* reported there */
        if (found < max) {
          pairs[found][0] = w.list[i];
          pairs[found][1] = w.list[j];
        }
        found++;
      }
    }
  po_arena_release(scratch, mark);
  return found;
}
