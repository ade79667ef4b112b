/* arena.c: a block handed out front to back, or only counted. */
#include "base/base.h"

#include <string.h>

enum { ARENA_ALIGN = 32 };

void po_arena_init(po_arena *arena, void *mem, size_t bytes) {
  memset(arena, 0, sizeof *arena);
  if (!mem) return; /* an empty arena: every non-empty request fails */
  size_t skip = (size_t)(-(uintptr_t)mem & (ARENA_ALIGN - 1));
  if (skip > bytes) skip = bytes;
  arena->base = (unsigned char *)mem + skip;
  arena->size = bytes - skip;
}

void po_arena_measure(po_arena *arena) {
  memset(arena, 0, sizeof *arena);
  arena->measuring = 1;
  arena->size = SIZE_MAX - 2 * ARENA_ALIGN;
}

void *po_arena_alloc(po_arena *arena, size_t bytes) {
  size_t rounded = (bytes + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
  if (rounded < bytes || arena->used > arena->size || rounded > arena->size - arena->used) {
    arena->failed = 1;
    return NULL;
  }
  void *block = arena->measuring ? NULL : arena->base + arena->used;
  arena->used += rounded;
  if (arena->used > arena->peak) arena->peak = arena->used;
  return block;
}

void *po_arena_zalloc(po_arena *arena, size_t bytes) {
  void *block = po_arena_alloc(arena, bytes);
  if (block && bytes) memset(block, 0, bytes);
  return block;
}

size_t po_arena_used(const po_arena *arena) { return arena->used + ARENA_ALIGN; }
