/* counting.h: an allocator that counts its calls, for tests that nothing allocates while it runs: po_set_allocator(counting, NULL). */
#ifndef COUNTING_H
#define COUNTING_H

#include <stdlib.h>

static long allocations;
static void *counting(void *user, void *block, size_t bytes) {
  (void)user;
  allocations++;
  if (!bytes) {
    free(block);
    return NULL;
  }
  return realloc(block, bytes);
}

#endif
