/* Any bytes as a file of steps of biped7: an error with a sentence, or a model that writes the same bytes and predicts. The hash at the end is put right first, so that more than the hash is tried. */
#include "ctrl/learn/learn_internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_require(int condition) {
  if (!condition) abort();
}

static void fuzz_read(const po_model *body, const char *bytes, size_t size) {
  po_step_model *m = NULL;
  po_buffer again = {0};
  po_step_near near;
  po_step_guess g;
  po_error err;
  po_status status = po_step_model_read(&m, body, bytes, size, 0, "fuzz", &err);
  fuzz_require((status == PO_OK) == (m != NULL));
  if (status != PO_OK) {
    fuzz_require(err.message[0] != 0);
    return;
  }
  po_step_model_near(&near, m, m->example[0].from, -1);
  fuzz_require(near.count == PO_STEP_NEAR);
  po_step_model_predict(&g, m, &near, m->low[0]);
  fuzz_require(g.mixed == PO_STEP_MIX);
  fuzz_require(po_step_model_write(&again, m) == PO_OK && again.size == size);
  po_buffer_free(&again);
  po_step_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const po_model *body; /* lives as long as the process */
  po_error err;
  char *copy;
  uint64_t hash;
  int i;
  if (!body) fuzz_require(po_body_model(&body, "biped7", &err) == PO_OK);
  if (size > 100000 || !(copy = malloc(size + 1))) return 0;
  if (size) memcpy(copy, bytes, size);
  fuzz_read(body, copy, size);
  if (size > 8) {
    hash = po_hash(copy, size - 8, 0);
    for (i = 0; i < 8; i++) copy[size - 8 + (size_t)i] = (char)(hash >> (8 * i) & 255);
    fuzz_read(body, copy, size);
  }
  free(copy);
  return 0;
}
