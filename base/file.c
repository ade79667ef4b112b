/* file.c: whole files in and out. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In our own words: strerror speaks the locale's language. */
static const char *file_reason(int code) {
  switch (code) {
    case ENOENT: return "no such file or directory";
    case EACCES: return "permission denied";
    case EISDIR: return "it is a directory";
    case ENOTDIR: return "a part of the path is not a directory";
    case ENOSPC: return "no space left";
    case EMFILE:
    case ENFILE: return "too many open files";
    default: return "input or output error";
  }
}

static po_status file_fail(po_error *err, const char *path, const char *what) {
  return po_fail_at(err, PO_ERR_FILE, path, 0, 0, "cannot %s '%s': %s", what, path, file_reason(errno));
}

/* Reads until the end rather than asking for the size: pipes and /dev/stdin have none. */
static po_status file_read(char **data, size_t *size, FILE *file, const char *path, size_t max_bytes, po_error *err) {
  size_t used = 0, capacity = 0;
  char *block = NULL;
  for (;;) {
    if (used == capacity) { /* at most one byte more than allowed is read; another is kept for the NUL */
      size_t larger = capacity ? 2 * capacity : 1 << 14;
      if (larger - 1 > max_bytes) larger = max_bytes + 1;
      char *grown = po_alloc(larger + 1);
      if (!grown) {
        po_free(block);
        return po_fail_at(err, PO_ERR_MEMORY, path, 0, 0, "out of memory while reading '%s'", path);
      }
      if (used) memcpy(grown, block, used);
      po_free(block);
      block = grown;
      capacity = larger;
    }
    errno = 0;
    size_t n = fread(block + used, 1, capacity - used, file);
    used += n;
    if (used > max_bytes) {
      po_free(block);
      return po_fail_at(err, PO_ERR_SIZE, path, 0, 0, "'%s' is larger than %zu bytes", path, max_bytes);
    }
    if (ferror(file)) {
      po_status status = file_fail(err, path, "read");
      po_free(block);
      return status;
    }
    if (n == 0) break;
  }
  block[used] = '\0';
  *data = block;
  *size = used;
  return PO_OK;
}

po_status po_read_file(char **data, size_t *size, const char *path, size_t max_bytes, po_error *err) {
  if (!data || !size || !path) return po_fail(err, PO_ERR_NULL, "po_read_file needs data, size and path");
  if (max_bytes == 0) max_bytes = (size_t)256 << 20;
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file) return file_fail(err, path, "open");
  po_status status = file_read(data, size, file, path, max_bytes, err);
  fclose(file);
  return status;
}

po_status po_write_file(const char *path, const char *data, size_t size, po_error *err) {
  if (!path || (!data && size)) return po_fail(err, PO_ERR_NULL, "po_write_file needs path and data");
  errno = 0;
  FILE *file = fopen(path, "wb");
  if (!file) return file_fail(err, path, "create");
  int failed = size && fwrite(data, 1, size, file) != size;
  if (failed) {
    po_status status = file_fail(err, path, "write");
    fclose(file);
    return status;
  }
  if (fclose(file) != 0) return file_fail(err, path, "write");
  return PO_OK;
}
