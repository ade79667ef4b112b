/* buffer.c: text that grows. */
#include "base/base.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

/* Room for n more bytes and the NUL. */
static int buffer_reserve(po_buffer *buffer, size_t n) {
  if (buffer->failed) return 0;
  if (n < buffer->capacity - buffer->size) return 1; /* capacity 0 only while nothing was written */
  if (n >= SIZE_MAX / 2 - buffer->size) {
    buffer->failed = 1;
    return 0;
  }
  size_t capacity = buffer->capacity < 128 ? 128 : 2 * buffer->capacity;
  while (capacity <= buffer->size + n) capacity *= 2;
  char *data = po_alloc(capacity);
  if (!data) {
    buffer->failed = 1;
    return 0;
  }
  if (buffer->size) memcpy(data, buffer->data, buffer->size);
  po_free(buffer->data);
  buffer->data = data;
  buffer->capacity = capacity;
  return 1;
}

void po_buffer_add(po_buffer *buffer, const char *text, size_t n) {
  if (!buffer_reserve(buffer, n)) return;
  if (n) memcpy(buffer->data + buffer->size, text, n);
  buffer->size += n;
  buffer->data[buffer->size] = '\0';
}

void po_buffer_puts(po_buffer *buffer, const char *text) { po_buffer_add(buffer, text, strlen(text)); }

void po_buffer_printfv(po_buffer *buffer, const char *format, va_list arguments) {
  va_list again;
  if (!buffer_reserve(buffer, 128)) return;
  size_t space = buffer->capacity - buffer->size;
  va_copy(again, arguments);
  size_t needed = (size_t)po_formatv(buffer->data + buffer->size, space, format, arguments);
  if (needed >= space) {
    buffer->data[buffer->size] = '\0'; /* nothing half-written if memory runs out */
    if (buffer_reserve(buffer, needed)) po_formatv(buffer->data + buffer->size, needed + 1, format, again);
    else needed = 0;
  }
  va_end(again);
  buffer->size += needed;
}

void po_buffer_printf(po_buffer *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  po_buffer_printfv(buffer, format, arguments);
  va_end(arguments);
}

void po_buffer_double(po_buffer *buffer, double value) {
  if (!buffer_reserve(buffer, 32)) return;
  buffer->size += (size_t)po_print_double(buffer->data + buffer->size, value);
}

void po_buffer_markup(po_buffer *buffer, const char *text) {
  for (; *text; text++) {
    if (*text == '<') po_buffer_puts(buffer, "&lt;");
    else if (*text == '&') po_buffer_puts(buffer, "&amp;");
    else if (*text == '"') po_buffer_puts(buffer, "&quot;");
    else po_buffer_add(buffer, text, 1);
  }
}

void po_buffer_free(po_buffer *buffer) {
  if (!buffer) return;
  po_free(buffer->data);
  memset(buffer, 0, sizeof *buffer);
}
