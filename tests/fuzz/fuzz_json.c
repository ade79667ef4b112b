/* Fuzz target: any bytes as JSON. A tree that was read is written again, and what was written reads back to the same text. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void write_value(po_jw *w, const po_json *value) {
  switch (value->type) {
    case PO_JSON_NULL: po_jw_null(w, value->key); break;
    case PO_JSON_FALSE: po_jw_bool(w, value->key, 0); break;
    case PO_JSON_TRUE: po_jw_bool(w, value->key, 1); break;
    case PO_JSON_NUMBER: po_jw_number(w, value->key, value->number); break;
    case PO_JSON_STRING: po_jw_string(w, value->key, value->string); break;
    case PO_JSON_ARRAY:
    case PO_JSON_OBJECT:
      if (value->type == PO_JSON_ARRAY) po_jw_array(w, value->key);
      else po_jw_object(w, value->key);
      for (const po_json *child = value->first; child; child = child->next) write_value(w, child);
      po_jw_end(w);
      break;
  }
}

static int write_tree(po_buffer *out, const po_json *root) {
  po_jw w;
  po_jw_init(&w, out, 0);
  write_value(&w, root);
  return !out->failed; /* the writer nests less deep than the reader */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  po_json *root = NULL, *again = NULL;
  po_error err;
  if (po_json_parse(&root, (const char *)data, size, "fuzz", &err)) {
    if (root || err.status == PO_OK || err.line < 1 || err.column < 1 || !err.message[0]) abort();
    return 0;
  }
  po_buffer first = {0}, second = {0};
  if (write_tree(&first, root)) {
    if (po_json_parse(&again, first.data, first.size, "again", &err)) abort();
    if (!write_tree(&second, again) || first.size != second.size || memcmp(first.data, second.data, first.size) != 0) abort();
    po_json_free(again);
  }
  po_buffer_free(&first);
  po_buffer_free(&second);
  po_json_free(root);
  return 0;
}
