/* pool.c: many small zeroed blocks that are freed together. */
#include "base/pool.h"
#include "base/base.h"

#include <string.h>

enum { POOL_ALIGN = 16, POOL_FIRST = 1024, POOL_LARGEST = 1 << 18 };

/* Chunks double up to 256 KiB; a request larger than the next chunk makes that chunk as large as it needs. */
void *po_pool_alloc(po_pool *pool, size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  bytes = (bytes + (POOL_ALIGN - 1)) & ~(size_t)(POOL_ALIGN - 1);
  if (bytes > pool->left) {
    size_t size = pool->chunk_bytes ? 2 * pool->chunk_bytes : POOL_FIRST;
    if (size > POOL_LARGEST) size = POOL_LARGEST;
    if (size < bytes) size = bytes;
    unsigned char *chunk = po_alloc(size + POOL_ALIGN);
    if (!chunk) return NULL;
    memcpy(chunk, &pool->chunks, sizeof(void *));
    pool->chunks = chunk;
    pool->next = chunk + POOL_ALIGN;
    pool->left = size;
    pool->chunk_bytes = size > POOL_LARGEST ? POOL_LARGEST : size;
  }
  void *block = pool->next;
  pool->next += bytes;
  pool->left -= bytes;
  return block;
}

void po_pool_free(po_pool *pool) {
  void *chunk = pool->chunks;
  while (chunk) {
    void *before;
    memcpy(&before, chunk, sizeof(void *));
    po_free(chunk);
    chunk = before;
  }
  memset(pool, 0, sizeof *pool);
}
