/* output.c: messages on standard error, reports on standard output or into files, with every write checked. */
#include "output.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void output_message(char *text) {
  po_cli_shown(text); /* it may quote a file or a command line */
  fflush(stdout); /* so that a message stands after what led to it, also through a pipe */
  fprintf(stderr, "poise: %s\n", text);
}

int po_cli_fail(const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  po_formatv(text, sizeof text, format, arguments);
  va_end(arguments);
  output_message(text);
  return PO_EXIT_USAGE;
}

int po_cli_error(const po_error *err) {
  char text[1024];
  const char *message = err->message[0] ? err->message : po_status_string(err->status);
  if (!err->file[0]) po_format(text, sizeof text, "%s", message);
  else if (err->line <= 0) po_format(text, sizeof text, "%s: %s", err->file, message);
  else if (err->column <= 0) po_format(text, sizeof text, "%s:%d: %s", err->file, err->line, message);
  else po_format(text, sizeof text, "%s:%d:%d: %s", err->file, err->line, err->column, message);
  output_message(text);
  return PO_EXIT_USAGE;
}

int po_cli_write(const char *path, const po_buffer *text) {
  po_error err;
  if (text->failed) return po_cli_fail("out of memory while writing %s", path);
  if (strcmp(path, "-"))
    return po_write_file(path, text->data ? text->data : "", text->size, &err) == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
  if (text->size) fwrite(text->data, 1, text->size, stdout);
  return po_cli_flush(PO_EXIT_GOOD);
}

void po_cli_puts(const char *text) { fputs(text, stdout); }

void po_cli_print(const char *format, ...) {
  po_buffer text = {0};
  va_list arguments;
  va_start(arguments, format);
  po_buffer_printfv(&text, format, arguments);
  va_end(arguments);
  if (text.data) fputs(text.data, stdout);
  po_buffer_free(&text);
}

int po_cli_flush(int code) {
  int failed = fflush(stdout) != 0;
  if (!failed && !ferror(stdout)) return code;
  clearerr(stdout);
  return po_cli_fail("standard output could not be written%s%s", failed ? ": " : "", failed ? strerror(errno) : "");
}
