/* status.c: what went wrong, as an enum, a phrase, and a sentence with a place. */
#include "base/base.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

const char *po_status_string(po_status status) {
  switch (status) {
    case PO_OK: return "ok";
    case PO_ERR_NULL: return "a required pointer is NULL";
    case PO_ERR_SIZE: return "sizes are wrong or do not fit together";
    case PO_ERR_NOT_FINITE: return "NaN or infinity where a number is needed";
    case PO_ERR_BOUNDS: return "a lower bound exceeds its upper bound";
    case PO_ERR_RANGE: return "a parameter is out of range";
    case PO_ERR_MEMORY: return "out of memory";
    case PO_ERR_ITERATIONS: return "iteration limit reached";
    case PO_ERR_SINGULAR: return "the matrix is singular or not positive definite";
    case PO_ERR_PARSE: return "malformed text";
    case PO_ERR_FILE: return "a file could not be opened, read or written";
    case PO_ERR_NAME: return "an unknown, missing or duplicate name";
    case PO_ERR_MODEL: return "the model is not physical";
    case PO_ERR_STATE: return "the call does not fit the present state";
    case PO_ERR_UNSUPPORTED: return "not supported";
    case PO_STATUS_COUNT: break;
  }
  return "unknown status";
}

/* Fixed-size destinations may cut a text in the middle of a UTF-8 character: drop what is left of it. */
static void status_trim_utf8(char *text) {
  size_t n = strlen(text), back = 0;
  while (back < n && back < 3 && ((unsigned char)text[n - 1 - back] & 0xc0) == 0x80) back++;
  if (back >= n) return;
  unsigned char lead = (unsigned char)text[n - 1 - back];
  size_t needed = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  if (back < needed) text[n - 1 - back] = '\0';
}

static po_status status_fill(po_error *err, po_status status, const char *file, int line, int column, const char *format,
                             va_list arguments) {
  char message[sizeof err->message]; /* formatted first: the arguments may point into *err */
  if (!err) return status;
  po_formatv(message, sizeof message, format, arguments);
  status_trim_utf8(message);
  err->status = status;
  err->line = line;
  err->column = column;
  if (file != err->file) {
    size_t n = file ? strlen(file) : 0;
    if (n >= sizeof err->file) n = sizeof err->file - 1;
    if (n) memcpy(err->file, file, n);
    err->file[n] = '\0';
    status_trim_utf8(err->file);
  }
  memcpy(err->message, message, sizeof message);
  return status;
}

po_status po_fail(po_error *err, po_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  status_fill(err, status, NULL, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}

po_status po_fail_at(po_error *err, po_status status, const char *file, int line, int column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  status_fill(err, status, file, line, column, format, arguments);
  va_end(arguments);
  return status;
}
