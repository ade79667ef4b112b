/* Fuzz target: any bytes as a set of actions. One that was read has names that are found again, actions with a mirror image within the set, sequences of
 * actions that are there, and weights that make a metric or are refused. */
#include "ctrl/learn/learn_internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_require(int condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  po_actions *set = po_alloc(sizeof *set);
  const po_model *model = NULL;
  po_metric metric;
  po_error err;
  int i, k;
  fuzz_require(set != NULL);
  err.message[0] = 0;
  if (po_actions_parse(set, (const char *)bytes, size, "fuzz", &err) != PO_OK) fuzz_require(err.message[0] != 0);
  else {
    fuzz_require(set->actions > 0 && set->actions <= PO_ACTIONS_MAX && set->sequences <= PO_ACTION_SEQUENCES && set->balls <= PO_ACTION_BALLS);
    fuzz_require(set->eps_new > 0 && set->eps_new <= set->eps_trust);
    for (i = 0; i < set->actions; i++) {
      fuzz_require(po_actions_find(set, set->action[i].name) == i);
      fuzz_require(set->gbwc == !*set->action[i].gait); /* of one kind */
      k = po_actions_mirror(set, i);
      fuzz_require(k >= 0 && k < set->actions && po_isfinite(set->action[i].blend + set->action[i].turn_deg));
    }
    for (i = 0; i < set->sequences; i++)
      for (k = 0; k < set->sequence[i].length; k++) fuzz_require(set->sequence[i].action[k] < set->actions);
    fuzz_require(po_actions_hash(set) == po_actions_hash(set));
    fuzz_require(po_body_model(&model, "bird", &err) == PO_OK);
    if (po_metric_init(&metric, model, &set->weights, &err) == PO_OK) fuzz_require(metric.features > 0 && metric.features <= PO_METRIC_FEATURES);
    po_model_free(model);
  }
  po_free(set);
  return 0;
}
