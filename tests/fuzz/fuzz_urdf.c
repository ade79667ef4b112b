/* Any bytes as URDF: an error or a model. A model must survive its algorithms and write text that reads back. */
#include "rbd/mesh.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

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

/* Every other mesh is there; nothing but meshes may be asked for, and nothing by way of `..`. */
static po_status fuzz_mesh_file(void *user, char **data, size_t *size, const char *path, size_t max_bytes, po_error *err) {
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
  (void)user;
  (void)max_bytes;
  fuzz_require(po_mesh_is(path) && !strstr(path, "/../"));
  if (strlen(path) % 2) return po_fail(err, PO_ERR_FILE, "none");
  *data = (char *)po_alloc(sizeof text);
  memcpy(*data, text, sizeof text);
  *size = sizeof text - 1;
  return PO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  const po_model *model = NULL, *back = NULL;
  po_urdf_opts opts = po_urdf_opts_default();
  po_buffer text = {0};
  po_error err;
  po_status status;
  po_paths paths;
  memset(&paths, 0, sizeof paths);
  paths.model = "/folder/model/urdf/model.urdf";
  paths.read = fuzz_mesh_file;
  opts.paths = &paths;
  opts.fixed_base = size & 1;
  status = po_urdf_read(&model, (const char *)bytes, size, "fuzz", &opts, &err);
  fuzz_require((status == PO_OK) == (model != NULL));
  if (status != PO_OK) return 0;
  fuzz_move(model);
  fuzz_require(po_urdf_write(&text, model) == PO_OK);
  opts.fixed_base = !model->floating || model->frame[0].body < 0;
  /* merging a body's parts can cost an inertia its last digit of being physical: refusal is allowed, other numbers are not */
  if (po_urdf_read(&back, text.data, text.size, "written", &opts, &err) == PO_OK)
    fuzz_require(back->nv == model->nv && back->nb == model->nb);
  po_model_free(back);
  po_model_free(model);
  po_buffer_free(&text);
  return 0;
}
