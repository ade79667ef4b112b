/* names.c: a table from names to numbers. */
#include "builder.h"
#include <string.h>

static int names_slot(const po_name_table *t, const char *name) {
  uint64_t h = po_hash(name, strlen(name), 1);
  int i = (int)(h & (uint64_t)(t->capacity - 1));
  while (t->name[i] && strcmp(t->name[i], name) != 0) i = (i + 1) & (t->capacity - 1);
  return i;
}

int po_names_find(const po_name_table *t, const char *name) {
  int i;
  if (!t->capacity) return -1;
  i = names_slot(t, name);
  return t->name[i] ? t->value[i] : -1;
}

static po_status names_grow(po_name_table *t) {
  po_name_table bigger = {NULL, NULL, 0, 0};
  int i;
  bigger.capacity = t->capacity ? 2 * t->capacity : 64;
  bigger.name = (const char **)po_alloc(sizeof(char *) * (size_t)bigger.capacity);
  bigger.value = (int *)po_alloc(sizeof(int) * (size_t)bigger.capacity);
  if (!bigger.name || !bigger.value) {
    po_names_free(&bigger);
    return PO_ERR_MEMORY;
  }
  for (i = 0; i < t->capacity; i++)
    if (t->name[i]) {
      int k = names_slot(&bigger, t->name[i]);
      bigger.name[k] = t->name[i];
      bigger.value[k] = t->value[i];
    }
  bigger.count = t->count;
  po_names_free(t);
  *t = bigger;
  return PO_OK;
}

po_status po_names_add(po_name_table *t, const char *name, int value) {
  int i;
  if (2 * (t->count + 1) > t->capacity && names_grow(t) != PO_OK) return PO_ERR_MEMORY;
  i = names_slot(t, name);
  if (t->name[i]) return PO_ERR_NAME;
  t->name[i] = name;
  t->value[i] = value;
  t->count++;
  return PO_OK;
}

void po_names_free(po_name_table *t) {
  po_free((void *)t->name);
  po_free(t->value);
  memset(t, 0, sizeof *t);
}
