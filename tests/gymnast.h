/* gymnast.h: a body with one move in a world of its own, stepped at 1 kHz; for tests of moves that turn over. */
#ifndef GYMNAST_H
#define GYMNAST_H

#include "contact/contact.h"
#include "ctrl/moves/moves.h"
#include "unity.h"
#include <string.h>

typedef struct fixture {
  const po_model *model;
  po_move *move;
  po_world *world;
} fixture;

/* Where it stands is still to be set. */
static inline void open_body(fixture *f, const char *body, const char *name) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&f->model, body, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&f->move, name, f->model, po_terrain_flat(), NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&f->world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, f->world, f->model));
}
static inline void open_move(fixture *f, const char *name) { open_body(f, "gymnast", name); }
static inline void close_move(fixture *f) {
  po_world_free(f->world);
  po_move_free(f->move);
  po_model_free(f->model);
}
static inline void run(fixture *f, int steps) {
  for (; steps > 0; steps--) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(f->move, po_world_tau(f->world, 0), po_sense_of(po_world_q(f->world, 0), po_world_v(f->world, 0), 1e-3)));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(f->world, 1e-3));
  }
}
static inline int run_until(fixture *f, const char *stage, int most) {
  int i;
  for (i = 0; i < most && strcmp(po_move_phase_string(f->move), stage); i++) run(f, 1);
  TEST_ASSERT_EQUAL_STRING(stage, po_move_phase_string(f->move));
  return i;
}

#endif
