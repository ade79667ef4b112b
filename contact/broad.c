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

size_t po_broad_bytes(int count) {
  po_arena arena;
  po_arena_measure(&arena);
  PO_ARENA_ARRAY(&arena, broad_entry, (size_t)count * PO_BROAD_SPREAD);
  PO_ARENA_ARRAY(&arena, broad_entry, (size_t)count * PO_BROAD_SPREAD);
  return po_arena_used(&arena);
}

static int broad_before(const broad_entry *a, const broad_entry *b) {
  if (a->strip != b->strip) return a->strip < b->strip;
  if (a->low != b->low) return a->low < b->low;
  return a->index < b->index;
}

/* Bottom-up merge sort: n log n whatever the order, and stable without recursion. */
static broad_entry *broad_sort(broad_entry *from, broad_entry *to, int n) {
  int width;
  for (width = 1; width < n; width *= 2) {
    int start;
    broad_entry *swap;
    for (start = 0; start < n; start += 2 * width) {
      int i = start, mid = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n, j = mid, k;
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

static int broad_strip(double y, double y0, double width) {
  double s = floor((y - y0) / width);
  return s < 0 ? 0 : s > 1e9 ? 1000000000 : (int)s;
}

int po_broad_pairs(int (*pairs)[2], int max, const po_bounds *bounds, int count, po_arena *scratch) {
  size_t mark = po_arena_mark(scratch);
  broad_entry *list = PO_ARENA_ARRAY(scratch, broad_entry, (size_t)count * PO_BROAD_SPREAD);
  broad_entry *spare = PO_ARENA_ARRAY(scratch, broad_entry, (size_t)count * PO_BROAD_SPREAD);
  double y0 = PO_INF, mean = 0, width;
  int i, j, n, found = 0;
  if (count < 2 || scratch->failed) {
    po_arena_release(scratch, mark);
    return 0;
  }
  for (i = 0; i < count; i++) {
    y0 = po_min(y0, bounds[i].low.y);
    mean += bounds[i].high.y - bounds[i].low.y;
  }
  width = po_max(2 * mean / count, 1e-6);
  for (;;) { /* fill; when large things reach into too many strips, widen and start again */
    n = 0;
    for (i = 0; i < count && n >= 0; i++) {
      int s0 = broad_strip(bounds[i].low.y, y0, width), s1 = broad_strip(bounds[i].high.y, y0, width), s;
      for (s = s0; s <= s1 && n >= 0; s++) {
        if (n == count * PO_BROAD_SPREAD) {
          n = -1;
          break;
        }
        list[n].low = bounds[i].low.x;
        list[n].strip = s;
        list[n++].index = i;
      }
    }
    if (n >= 0) break;
    width *= 2;
  }
  list = broad_sort(list, spare, n);
  for (i = 0; i < n; i++) {
    const po_bounds *a = &bounds[list[i].index];
    for (j = i + 1; j < n && list[j].strip == list[i].strip && list[j].low <= a->high.x; j++) {
      const po_bounds *b = &bounds[list[j].index];
      int s0, p, q;
      if (!po_bounds_overlap(a, b)) continue;
      s0 = broad_strip(po_max(a->low.y, b->low.y), y0, width);
      if (s0 != list[i].strip) continue; /* reported there */
      p = list[i].index < list[j].index ? list[i].index : list[j].index;
      q = list[i].index < list[j].index ? list[j].index : list[i].index;
      if (found < max) {
        pairs[found][0] = p;
        pairs[found][1] = q;
      }
      found++;
    }
  }
  po_arena_release(scratch, mark);
  return found;
}
