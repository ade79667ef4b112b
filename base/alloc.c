/* alloc.c: the one allocator hook; the only file that calls libc's malloc family. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* One of the library's two process-wide settings (the other is the SIMD choice). */
static struct {
  po_resize_fn resize;
  void *user;
} alloc_hook;

enum { ALLOC_ALIGN = 32, ALLOC_EXTRA = ALLOC_ALIGN + (int)sizeof(void *) };

static void *alloc_libc_resize(void *user, void *block, size_t bytes) {
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

void po_set_allocator(po_resize_fn resize, void *user) {
  alloc_hook.resize = resize;
  alloc_hook.user = resize ? user : NULL;
}

static void *alloc_resize(void *block, size_t bytes) {
  po_resize_fn resize = alloc_hook.resize ? alloc_hook.resize : alloc_libc_resize;
  return resize(alloc_hook.user, block, bytes);
}

/* The hook's block starts somewhere before the 32-byte boundary that is handed out; its address stands just below that boundary. */
void *po_alloc(size_t bytes) {
  if (bytes > SIZE_MAX - ALLOC_EXTRA) return NULL;
  unsigned char *raw = alloc_resize(NULL, bytes + ALLOC_EXTRA);
  if (!raw) return NULL;
  uintptr_t first = (uintptr_t)raw + sizeof(void *);
  unsigned char *block = raw + sizeof(void *) + (size_t)(-first & (ALLOC_ALIGN - 1));
  memcpy(block - sizeof(void *), &raw, sizeof(void *));
  if (bytes) memset(block, 0, bytes);
  return block;
}

void po_free(void *block) {
  if (!block) return;
  void *raw;
  memcpy(&raw, (unsigned char *)block - sizeof(void *), sizeof(void *));
  alloc_resize(raw, 0);
}
