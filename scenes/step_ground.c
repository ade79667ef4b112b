/* step_ground.c: ground in pieces. */
#include "step_ground.h"
#include <string.h>

#define PIECES_BEHIND 3.0      /* m of ground behind the origin, */
#define PIECES_BEYOND 12.0     /* and behind the last gap */
#define PIECES_HALF_WIDTH 6.0  /* m to each side */

po_status po_pieces_add(po_pieces *p, double from, double to, double height) {
  po_piece *last = p->count ? &p->piece[p->count - 1] : NULL;
  if (!(to > from)) return PO_ERR_RANGE;
  if (last && from <= last->to && height == last->height) {
    last->to = po_max(last->to, to);
    return PO_OK;
  }
  if (last && from < last->to) from = last->to; /* the earlier one keeps what both want */
  if (!(to > from)) return PO_OK;
  if (p->count == PO_PIECES) return PO_ERR_SIZE;
  p->piece[p->count].from = from;
  p->piece[p->count].to = to;
  p->piece[p->count++].height = height;
  return PO_OK;
}

double po_pieces_cover(const po_pieces *p, double from, double to) {
  int low = 0, high = p->count;
  double sum = 0;
  while (low < high) { /* the first that ends behind `from` */
    int middle = low + (high - low) / 2;
    if (p->piece[middle].to <= from) low = middle + 1;
    else high = middle;
  }
  for (; low < p->count && p->piece[low].from < to; low++) sum += po_min(to, p->piece[low].to) - po_max(from, p->piece[low].from);
  return to > from ? sum / (to - from) : 0;
}

po_status po_run_lay_pieces(po_run *r, const po_pieces *p, double depth, po_error *err) {
  po_terrain_dims dims = po_terrain_dims_default();
  po_status st;
  int i;
  dims.boxes = p->count;
  if ((st = po_terrain_new(&r->terrain, &dims)) == PO_OK) st = po_terrain_add_plane(r->terrain, po_v3(0, 0, 1), -depth, 1);
  for (i = 0; i < p->count && st == PO_OK; i++)
    if (p->piece[i].height > -depth)
      st = po_terrain_add_step(r->terrain, po_v3(p->piece[i].from, -PIECES_HALF_WIDTH, -depth), po_v3(p->piece[i].to, PIECES_HALF_WIDTH, p->piece[i].height), 1);
  return st == PO_OK ? st : po_fail(err, st, "ground of %d pieces: %s", p->count, po_status_string(st));
}

po_status po_pieces_gaps(po_pieces *p, double start, double width, double spacing, int count, double bumps, uint64_t seed) {
  po_status st;
  po_rng rng;
  int i;
  po_rng_init(&rng, seed, 0x62756d70);
  st = po_pieces_add(p, -PIECES_BEHIND, start, 0);
  for (i = 0; i < count && st == PO_OK; i++) {
    double from = start + width + i * (width + spacing);
    st = po_pieces_add(p, from, from + (i + 1 < count ? spacing : PIECES_BEYOND), bumps > 0 ? po_rng_range(&rng, 0, bumps) : 0);
  }
  return st;
}
