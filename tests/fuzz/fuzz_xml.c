/* Fuzz target: any bytes as XML. A tree that was read hangs together: parents, order of lines, terminated text. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void walk(const po_xml *node, int depth) {
  if (depth > 512 || !node->name[0] || !node->text || node->line < 1) abort();
  size_t total = strlen(node->text);
  for (const po_xml_attribute *a = node->attributes; a; a = a->next) {
    total += strlen(a->name) + strlen(a->value);
    if (!po_xml_attr(node, a->name)) abort();
  }
  if (total > (size_t)1 << 28) abort();
  int line = node->line;
  for (const po_xml *child = node->first; child; child = child->next) {
    if (child->parent != node || child->line < line) abort();
    line = child->line;
    walk(child, depth + 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  po_xml *root = NULL;
  po_error err;
  if (po_xml_parse(&root, (const char *)data, size, "fuzz", &err)) {
    if (root || err.status == PO_OK || err.line < 1 || err.column < 1 || !err.message[0]) abort();
    return 0;
  }
  walk(root, 1);
  po_xml_free(root);
  return 0;
}
