/* families.h: prioritized problems and QPs that are made, not recorded: by family, size and seed, the same bits everywhere. For benches, tests and
 * `poise generate`.
 *
 *   po_hqp_families  po_hqp_family_find  po_hqp_made_new  po_hqp_made_free
 *   po_qp_families  po_qp_family_write
 */
#ifndef PO_FAMILIES_H
#define PO_FAMILIES_H

#include "../qp/qp.h"

typedef struct po_hqp_shape {
  int n, levels, rows; /* rows in each level; of a hard level the family decides */
  double decades;      /* what is scaled is scaled by 10^U(−decades, decades) */
  double drift;        /* 0: every problem is drawn anew; else each is the first, changed by this much times its index, relative: a sequence in time */
} po_hqp_shape;

typedef struct po_hqp_family {
  const char *name, *about;
  po_hqp_shape usual;
} po_hqp_family;
extern const po_hqp_family po_hqp_families[]; /* ended by a name of NULL */
const po_hqp_family *po_hqp_family_find(const char *name); /* NULL: there is none */

typedef struct po_hqp_made {
  po_hqp hqp;
  po_hqp_level level[PO_HQP_MAX_LEVELS];
  char name[64];
  void *memory;
} po_hqp_made;
/* Problem `index` of the family's sequence for that seed. shape NULL: the usual one. Refuses sizes a family cannot have. */
po_status po_hqp_made_new(po_hqp_made **made, const po_hqp_family *family, const po_hqp_shape *shape, unsigned seed, int index);
void po_hqp_made_free(po_hqp_made *made);

typedef struct po_qp_family {
  const char *name, *about;
  int n; /* usual */
} po_qp_family;
extern const po_qp_family po_qp_families[];
/* One QP as QPS text, appended. */
po_status po_qp_family_write(po_buffer *out, const po_qp_family *family, int n, unsigned seed);

#endif
