/* Any bytes as a motion file of the child: an error or a motion that writes text that reads back to the same, and that can be measured, cut, resampled
 * and divided into segments. */
#include "motion/motion.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_require(int condition) {
  if (!condition) abort();
}

static void fuzz_use(const po_motion *m) {
  po_motion_figures f;
  po_segment g[8];
  po_motion *other = NULL;
  po_error err;
  double q[64], v[64];
  int n;
  fuzz_require(po_motion_check(m, &err) == PO_OK);
  po_motion_sample(q, v, NULL, m, 0.37);
  po_motion_measure(&f, m);
  po_motion_segments(g, &n, 8, m, &err);
  if (m->frames < 100 && po_motion_seconds(m) * 50 < 10000 && po_motion_resample(&other, m, 50) == PO_OK) po_motion_free(other);
  if (po_motion_cut(&other, m, 0, m->frames / 2) == PO_OK) {
    po_motion_smooth(other, 0.1);
    po_motion_free(other);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const po_model *child; /* lives as long as the process */
  po_motion *m = NULL, *back = NULL;
  po_buffer text = {0}, again = {0};
  po_error err;
  char name[64];
  po_status status;
  if (!child) fuzz_require(po_body_model(&child, "child", &err) == PO_OK);
  po_motion_body(name, (const char *)bytes, size, "fuzz", &err);
  status = po_motion_read(&m, child, (const char *)bytes, size, "fuzz", &err);
  fuzz_require((status == PO_OK) == (m != NULL));
  if (status != PO_OK) {
    fuzz_require(err.message[0] != 0);
    return 0;
  }
  po_motion_write(&text, m);
  fuzz_require(po_motion_read(&back, child, text.data, text.size, "written", &err) == PO_OK);
  po_motion_write(&again, back);
  fuzz_require(text.size == again.size && !memcmp(text.data, again.data, text.size));
  fuzz_use(m);
  po_motion_free(back);
  po_motion_free(m);
  po_buffer_free(&text);
  po_buffer_free(&again);
  return 0;
}
