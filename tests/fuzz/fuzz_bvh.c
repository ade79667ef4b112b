/* Any bytes as BVH: an error or a motion. A motion writes text that reads back to the same, its joints are somewhere, and when it has legs and is short
 * enough to wait for it can be laid on a body. */
#include "motion/motion.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_require(int condition) {
  if (!condition) abort();
}

static void fuzz_retarget(const po_bvh *b) {
  const po_model *model = NULL;
  po_motion *m = NULL;
  po_motion_figures f;
  po_error err;
  fuzz_require(po_body_model(&model, "child", &err) == PO_OK);
  if (po_retarget(&m, NULL, model, b, NULL, "fuzz", &err) == PO_OK) {
    fuzz_require(po_motion_check(m, &err) == PO_OK);
    fuzz_require(po_motion_measure(&f, m) == PO_OK);
    fuzz_require(f.limit_excess < 1e-9);
  }
  po_motion_free(m);
  po_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  po_bvh *b = NULL, *back = NULL;
  po_buffer text = {0};
  po_error err;
  po_pose *pose;
  po_status status = po_bvh_read(&b, (const char *)bytes, size, "fuzz", &err);
  fuzz_require((status == PO_OK) == (b != NULL));
  if (status != PO_OK) {
    fuzz_require(err.message[0] != 0);
    return 0;
  }
  pose = po_alloc(sizeof *pose * (size_t)b->joints);
  if (pose) {
    po_bvh_pose(pose, b, -1);
    po_bvh_pose(pose, b, b->frames - 1);
  }
  po_free(pose);
  po_bvh_write(&text, b);
  fuzz_require(po_bvh_read(&back, text.data, text.size, "written", &err) == PO_OK);
  fuzz_require(back->joints == b->joints && back->frames == b->frames && back->channels == b->channels);
  fuzz_require(!memcmp(back->value, b->value, sizeof(double) * (size_t)b->frames * (size_t)b->channels));
  if (b->frames <= 8 && b->joints <= 64) fuzz_retarget(b);
  po_bvh_free(back);
  po_bvh_free(b);
  po_buffer_free(&text);
  return 0;
}
