/* alone.c: a world for one body, to try things in. */
#include "alone.h"

#include <string.h>

po_status po_alone_make(po_alone *a, const po_model *model, const po_move_type *type, double dt, double friction, const char *whose, po_error *err) {
  po_sim_opts o = po_sim_opts_default();
  po_world_opts w = po_world_opts_default();
  po_status st;
  memset(a, 0, sizeof *a);
  o.dt = dt;
  o.control_hz = 1 / dt;
  w.mu = friction;
  if ((st = po_world_new(&a->world, &w)) != PO_OK || (st = po_world_add(NULL, a->world, model)) != PO_OK || (st = po_sim_new(&a->sim, a->world, po_terrain_flat(), &o)) != PO_OK)
    return po_fail(err, st, "%s: %s", whose, po_status_string(st));
  if ((st = po_move_new_of(&a->move, type, NULL, model, po_terrain_flat(), NULL, err)) != PO_OK) return st;
  st = po_sim_set_move(a->sim, 0, a->move);
  return st == PO_OK ? st : po_fail(err, st, "%s: %s", whose, po_status_string(st));
}

void po_alone_free(po_alone *a) {
  po_sim_free(a->sim);
  po_move_free(a->move);
  po_world_free(a->world);
  po_free(a->blank);
}

po_status po_alone_restart(po_alone *a) {
  if (a->blank) return po_sim_restore(a->sim, a->blank, a->bytes);
  a->bytes = po_sim_save_bytes(a->sim);
  if (!(a->blank = po_alloc(a->bytes))) return PO_ERR_MEMORY;
  return po_sim_save(a->blank, a->bytes, a->sim);
}
