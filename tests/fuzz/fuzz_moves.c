/* Fuzz target: any bytes as a script of moves. It is refused with a sentence, or it is a sequence: then it has moves, its needs are known, a body is named
 * that there is, its state can be saved and restored, and a first tick gives torques that are numbers. */
#include "ctrl/moves/moves.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_MAX 4096 /* longer ones hold more moves than a sequence may have anyway */

static void moves_require(int condition) {
  if (!condition) abort();
}

static void moves_tick(po_move *move, const po_model *model) {
  size_t bytes = po_move_save_bytes(move);
  double *q = po_alloc(sizeof(double) * (size_t)(model->nq + 2 * model->nv)), *v = q + model->nq, *tau = v + model->nv;
  void *state = po_alloc(bytes);
  po_error err;
  if (q && state && po_stand_pose(q, model, po_terrain_flat(), 0, 0, 0, 0.95, &err) == PO_OK) {
    memset(v, 0, sizeof(double) * (size_t)model->nv);
    moves_require(po_move_tick(move, tau, po_sense_of(q, v, 1e-3)) == PO_OK);
    moves_require(po_all_finite(tau, model->nv));
    moves_require(po_move_save(state, bytes, move) == PO_OK && po_move_restore(move, state, bytes) == PO_OK);
  }
  po_free(state);
  po_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const po_model *model = NULL;
  po_move *move = NULL;
  po_error err;
  char script[SCRIPT_MAX + 1];
  po_status status;
  if (size > SCRIPT_MAX) return 0;
  memcpy(script, data, size);
  script[size] = 0;
  memset(&err, 0, sizeof err);
  if (po_body_model(&model, po_sequence_body(script), &err) != PO_OK) abort();
  status = po_sequence_new(&move, script, model, po_terrain_flat(), NULL, &err);
  moves_require((status == PO_OK) == (move != NULL));
  if (status == PO_OK) {
    moves_require(po_sequence_of(move)->steps > 0 && po_sequence_needs(script, &err) != 0);
    moves_tick(move, model);
  } else
    moves_require(err.message[0] != 0);
  po_move_free(move);
  po_model_free(model);
  return 0;
}
