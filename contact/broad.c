/* broad.c: which bounds overlap, for a crowd.
 *
 * Strips along y, as wide as the things are on average; in every strip the things that reach into it are sorted by low x and swept. A pair
 * that shares several strips is reported in the first one only. Cost: n log n plus the pairs that overlap in x within a strip.
 */
#include "collide.h"

typedef struct broad_entry {
  double low;
  int strip, index;
} broad_entry;

#define PO_BROAD_SPREAD 4 /* a thing reaches into at most so many strips: strips widen until it is so on average */

typedef struct broad_work {
  broad_entry *list, *spare;
  int *start; /* [strips + 1] */
  int strips, n;
  double y0, width;
} broad_work;

static int broad_strips(int count) { return 2 * count + 1; }

static void broad_lay_out(broad_work *b, int count, po_arena *arena) {
  b->list = PO_ARENA_ARRAY(arena, broad_entry, (size_t)count * PO_BROAD_SPREAD);
  b->spare = PO_ARENA_ARRAY(arena, broad_entry, (size_t)count * PO_BROAD_SPREAD);
  b->start = PO_ARENA_ARRAY(arena, int, broad_strips(count) + 1);
}

size_t po_broad_bytes(int count) {
  po_arena arena;
  broad_work b;
  po_arena_measure(&arena);
  broad_lay_out(&b, count, &arena);
  return po_arena_used(&arena);
}

static int broad_before(const broad_entry *a, const broad_entry *b) { return a->low != b->low ? a->low < b->low : a->index < b->index; }

/* Bottom-up merge sort by low x: n log n whatever the order. Returns where the sorted entries are: list or spare. */
static broad_entry *broad_sort(broad_entry *from, broad_entry *to, int n) {
  int width, i, j, k;
  for (i = 0; i < n; i += 8) /* runs of eight by insertion */
    for (j = i + 1; j < n && j < i + 8; j++) {
      broad_entry e = from[j];
      for (k = j; k > i && broad_before(&e, &from[k - 1]); k--) from[k] = from[k - 1];
      from[k] = e;
    }
  for (width = 8; width < n; width *= 2) {
    int start;
    broad_entry *swap;
    for (start = 0; start < n; start += 2 * width) {
      int mid = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n;
      i = start;
      j = mid;
      for (k = start; k < end; k++)
        if (i < mid && (j >= end || !broad_before(&from[j], &from[i]))) to[k] = from[i++];
        else to[k] = from[j++];
    }
    swap = from;
    from = to;
    to = swap;
  }
  return from;
}

static int broad_strip(const broad_work *b, double y) {
  double s = floor((y - b->y0) / b->width);
  return s < 0 ? 0 : s > b->strips - 1 ? b->strips - 1 : (int)s;
}

/* Everything into its strips, by counting; 0 when large things reach into too many of them. */
static int broad_fill(broad_work *b, const po_bounds *bounds, int count) {
  int i, s, total = 0;
  for (s = 0; s <= b->strips; s++) b->start[s] = 0;
  for (i = 0; i < count; i++) {
    int s0 = broad_strip(b, bounds[i].low.y), s1 = broad_strip(b, bounds[i].high.y);
    total += s1 - s0 + 1;
    if (total > count * PO_BROAD_SPREAD) return 0;
    for (s = s0; s <= s1; s++) b->start[s + 1]++;
  }
  for (s = 0; s < b->strips; s++) b->start[s + 1] += b->start[s];
  for (i = count - 1; i >= 0; i--) { /* from behind, so that each strip's counter ends at its start */
    int s0 = broad_strip(b, bounds[i].low.y), s1 = broad_strip(b, bounds[i].high.y);
    for (s = s0; s <= s1; s++) {
      broad_entry *e = &b->list[--b->start[s + 1]];
      e->low = bounds[i].low.x;
      e->strip = s;
      e->index = i;
    }
  }
  for (s = 0; s < b->strips; s++) b->start[s] = b->start[s + 1];
  b->start[b->strips] = total;
  b->n = total;
  return 1;
}

int po_broad_pairs(int (*pairs)[2], int max, const po_bounds *bounds, int count, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  broad_work b;
  double high = -PO_INF, mean = 0;
  int i, j, s, found = 0;
  if (count < 2) return 0;
  broad_lay_out(&b, count, scratch);
  if (scratch->failed) return 0;
  b.y0 = PO_INF;
  for (i = 0; i < count; i++) {
    b.y0 = po_min(b.y0, bounds[i].low.y);
    high = po_max(high, bounds[i].high.y);
    mean += bounds[i].high.y - bounds[i].low.y;
  }
  b.strips = broad_strips(count);
  b.width = po_max(po_max(2 * mean / count, (high - b.y0) / b.strips), 1e-6);
  if (!po_isfinite(b.width)) b.strips = 1, b.y0 = 0, b.width = 1; /* absurd coordinates: one strip for all */
  while (!broad_fill(&b, bounds, count)) b.width *= 2;
  for (s = 0; s < b.strips; s++) {
    int n = b.start[s + 1] - b.start[s];
    const broad_entry *e;
    if (n < 2) continue;
    e = broad_sort(b.list + b.start[s], b.spare, n);
    for (i = 0; i < n; i++) {
      const po_bounds *p = &bounds[e[i].index];
      for (j = i + 1; j < n && e[j].low <= p->high.x; j++) {
        const po_bounds *q = &bounds[e[j].index];
        int lesser = e[i].index < e[j].index ? e[i].index : e[j].index, greater = e[i].index + e[j].index - lesser;
        if (!po_bounds_overlap(p, q) || broad_strip(&b, po_max(p->low.y, q->low.y)) != s) continue; /* reported there */
        if (found < max) {
          pairs[found][0] = lesser;
          pairs[found][1] = greater;
        }
        found++;
      }
    }
  }
  po_arena_release(scratch, mark);
  return found;
}
