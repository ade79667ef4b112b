/* Fuzz target: any bytes as a number, read as libc reads it, and any eight bytes as a double, which must survive being printed. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static int same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

static void check_text(const char *text, size_t size) {
  double ours = 0.0;
  const char *end = NULL;
  int whole;
  po_status status = po_parse_double(&ours, &end, text, text + size);
  if (end < text || end > text + size) abort();
  if (status) {
    if (status != PO_ERR_PARSE || end != text) abort();
    return;
  }
  /* what was read is what libc makes of the same characters; words are not compared, libc knows more of them */
  for (const char *p = text; p < end; p++)
    if ((*p < '0' || *p > '9') && *p != '.' && *p != '+' && *p != '-' && *p != 'e' && *p != 'E') return;
  char *copy = malloc((size_t)(end - text) + 1);
  if (!copy) return;
  memcpy(copy, text, (size_t)(end - text));
  copy[end - text] = '\0';
  if (!same(ours, strtod(copy, NULL))) abort();
  free(copy);
  if (po_parse_int(&whole, &end, text, text + size) == PO_OK && (end <= text || end > text + size)) abort();
}

static void check_value(double value) {
  char text[32], other[64];
  double back = 0.0;
  int n = po_print_double(text, value);
  if (n < 1 || n > 25 || text[n] != '\0') abort();
  if (po_parse_double(&back, NULL, text, text + n) || !same(back, value)) abort();
  if (po_format(other, sizeof other, "%.16e", value) >= (int)sizeof other) abort();
  if (po_parse_double(&back, NULL, other, NULL) || !same(back, value)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_text((const char *)data, size);
  for (size_t i = 0; i + 8 <= size && i < 64; i += 8) {
    uint64_t bits = 0;
    double value;
    for (int j = 0; j < 8; j++) bits |= (uint64_t)data[i + (size_t)j] << (8 * j);
    memcpy(&value, &bits, sizeof value);
    check_value(value);
  }
  return 0;
}
