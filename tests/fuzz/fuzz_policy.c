/* Fuzz target: any bytes as a policy of bird-line. Its hash and whom it is for are put right first, or nothing would ever get past the door. One that was
 * read chooses an action that there is, and writes bytes that read back. */
#include "ctrl/learn/learn_internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_require(int condition) {
  if (!condition) abort();
}

static void fuzz_put(uint8_t *at, uint64_t x, int bytes) {
  int i;
  for (i = 0; i < bytes; i++) at[i] = (uint8_t)(x >> (8 * i) & 255);
}

static void fuzz_use(const po_policy *p, const po_model *model, const po_actions *actions) {
  static const double goals[][PO_TASK_AXES] = {{0, 0, 0}, {1, -2, 0.5}, {-1e3, 1e3, -3}, {0.3, 3.1, 1}};
  po_policy *back = NULL;
  po_buffer out = {0};
  po_error err;
  int kind, i;
  for (kind = 0; kind < PO_TASK_KINDS; kind++)
    for (i = 0; i < 4; i++) {
      int a = po_policy_choose(NULL, p, (po_task_kind)kind, p->feature, goals[i]);
      fuzz_require(a >= -1 && a < p->actions && (a < 0) == !po_policy_task(p, (po_task_kind)kind));
    }
  fuzz_require(po_policy_write(&out, p) == PO_OK);
  fuzz_require(po_policy_read(&back, model, actions, out.data, out.size, "written", &err) == PO_OK);
  fuzz_require(back->states == p->states && back->tasks == p->tasks);
  po_policy_free(back);
  po_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const po_model *model = NULL;
  po_actions *actions = po_alloc(sizeof *actions);
  uint8_t *copy = malloc(size + 1);
  po_policy *p = NULL;
  po_error err;
  fuzz_require(actions && copy && po_actions_load(actions, "bird-line", &err) == PO_OK && po_body_model(&model, "bird", &err) == PO_OK);
  memcpy(copy, bytes, size);
  if (size > 36) {
    memcpy(copy, "POISEPOL", 8);
    fuzz_put(copy + 12, po_model_hash(model), 8);
    fuzz_put(copy + 20, po_actions_hash(actions), 8);
    fuzz_put(copy + size - 8, po_hash(copy, size - 8, 0), 8);
  }
  err.message[0] = 0;
  if (po_policy_read(&p, model, actions, copy, size, "fuzz", &err) != PO_OK) fuzz_require(!p && err.message[0] != 0);
  else fuzz_use(p, model, actions);
  po_policy_free(p);
  free(copy);
  po_free(actions);
  po_model_free(model);
  return 0;
}
