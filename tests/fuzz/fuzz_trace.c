/* Fuzz target: any bytes as a recording. What is accepted can be written, read again to the same bytes, and drawn. */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  po_trace *trace = NULL, *again = NULL;
  po_buffer first = {0}, second = {0}, strip = {0};
  po_error err;
  if (po_trace_read(&trace, (const char *)data, size, "fuzz", &err) != PO_OK) {
    if (trace || err.status == PO_OK || !err.message[0]) abort();
    return 0;
  }
  po_trace_write(&first, trace);
  if (po_trace_read(&again, first.data, first.size, "again", &err) != PO_OK) abort();
  po_trace_write(&second, again);
  if (first.size != second.size || memcmp(first.data, second.data, first.size)) abort();
  po_trace_svg(&strip, trace, NULL);
  po_trace_free(trace);
  po_trace_free(again);
  po_buffer_free(&first);
  po_buffer_free(&second);
  po_buffer_free(&strip);
  return 0;
}
