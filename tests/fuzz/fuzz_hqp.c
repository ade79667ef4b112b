/* Fuzz target: any bytes as .hqp text. Problems that were read are written again and read back to the same text, and small ones are
 * solved by every method: a solver made for their size has room, the solve ends, and x is numbers. */
#include "qp/qp.h"

#include <stdlib.h>
#include <string.h>

static void write_all(po_buffer *out, const po_hqp_file *file) {
  int i;
  po_hqp_write_header(out);
  for (i = 0; i < file->count; i++) po_hqp_write(out, &file->problems[i]);
}

/* Bounds beyond PO_QP_INFINITY count as infinite: a lower one of 1.1e20 has nothing above it, whatever the file says, and such a row is refused. */
static int has_crossed_bounds(const po_hqp *p) {
  int k, i;
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++)
      if ((p->levels[k].lower && p->levels[k].lower[i] >= PO_QP_INFINITY) || (p->levels[k].upper && p->levels[k].upper[i] <= -PO_QP_INFINITY)) return 1;
  return 0;
}

static void solve(const po_hqp *p) {
  po_hqp_solver *s = NULL;
  po_hqp_result r;
  po_status status;
  int k, method, rows = 0;
  for (k = 0; k < p->level_count; k++) rows += p->levels[k].rows;
  if (p->n > 12 || rows > 40 || po_hqp_new(&s, p->n, p->level_count, rows) != PO_OK) return;
  for (method = PO_HQP_REPARAM; method <= PO_HQP_LEXICOGRAPHIC; method++) {
    po_hqp_opts o = po_hqp_opts_default();
    o.method = (po_hqp_method)method;
    status = po_hqp_solve(&r, s, p, &o);
    if (has_crossed_bounds(p) ? status != PO_ERR_BOUNDS : status != PO_OK || !po_all_finite(r.x, p->n)) abort();
  }
  po_hqp_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  po_hqp_file *file = NULL, *again = NULL;
  po_error err;
  po_buffer first = {0}, second = {0};
  int i;
  memset(&err, 0, sizeof err);
  if (po_hqp_read(&file, (const char *)data, size, "fuzz", &err)) {
    if (file || err.status == PO_OK || !err.message[0]) abort();
    return 0;
  }
  write_all(&first, file);
  if (po_hqp_read(&again, first.data, first.size, "again", &err)) abort();
  write_all(&second, again);
  if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0) abort();
  for (i = 0; i < file->count && i < 4; i++) solve(&file->problems[i]);
  po_buffer_free(&first);
  po_buffer_free(&second);
  po_hqp_file_free(file);
  po_hqp_file_free(again);
  return 0;
}
