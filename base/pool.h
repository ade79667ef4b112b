/* pool.h: many small zeroed blocks that are freed together, for the trees that the JSON and XML readers build; not for users. */
#ifndef PO_BASE_POOL_H
#define PO_BASE_POOL_H

#include <stddef.h>

typedef struct po_pool { /* zero-initialize */
  void *chunks;          /* each begins with a pointer to the one before */
  unsigned char *next;
  size_t left, chunk_bytes;
} po_pool;

void *po_pool_alloc(po_pool *pool, size_t bytes); /* 16-byte aligned, zeroed; NULL when out of memory */
void po_pool_free(po_pool *pool);

#endif
