/* Any bytes as MJCF: an error or a model, which must survive its algorithms. No other file is opened. */
#include "rbd/mesh.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static po_status fuzz_no_file(void *user, char **data, size_t *size, const char *path, size_t max_bytes, po_error *err) {
  (void)user, (void)data, (void)size, (void)path, (void)max_bytes;
  return po_fail(err, PO_ERR_FILE, "there are no files here");
}

static void fuzz_require(int condition) {
  if (!condition) abort();
}

static void fuzz_move(const po_model *model) {
  po_data *data = NULL;
  double *q, *v, *x;
  if (model->nv > 300 || po_data_new(&data, model) != PO_OK) return;
  q = po_alloc(sizeof(double) * (size_t)(model->nq + 2 * model->nv + 1));
  if (q) {
    v = q + model->nq;
    x = v + model->nv;
    po_neutral(q, model);
    fuzz_require(po_check_state(model, q, v) == PO_OK);
    po_all_terms(data, q, v);
    po_rnea(x, data, q, v, v, NULL);
    if (po_aba(x, data, q, v, v, NULL) == PO_OK) po_integrate(q, model, q, v, 1e-3);
  }
  po_free(q);
  po_data_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static po_warnings warnings;
  const po_model *model = NULL;
  po_urdf_opts opts = po_urdf_opts_default();
  po_paths paths = {0};
  po_error err;
  po_status status;
  paths.read = fuzz_no_file;
  opts.paths = &paths;
  opts.fixed_base = size & 1;
  opts.warnings = &warnings;
  status = po_mjcf_read(&model, (const char *)bytes, size, "fuzz.xml", &opts, &err);
  fuzz_require((status == PO_OK) == (model != NULL));
  fuzz_require(status == PO_OK || err.message[0]);
  if (status == PO_OK) fuzz_move(model);
  po_model_free(model);
  return 0;
}
