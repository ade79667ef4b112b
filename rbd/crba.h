/* crba.h (room-internal): the parts of CRBA that po_centroidal and po_all_terms share. */
#ifndef PO_RBD_CRBA_H
#define PO_RBD_CRBA_H

#include "tree.h"

/* For each freedom the wrench that its unit acceleration takes, at the tree's origin, in the axes of the places; composite inertias
 * are in the scratch. diagonal (may be NULL): the freedom's own part of it, as formed at its own origin, with armature. */
void po_crba_columns(po_screw *column, double *diagonal, const po_data *data, const po_place *place);
/* M from columns, unit motions and diagonal. Entries between unrelated freedoms are not written. */
void po_crba_fill(po_mat M, const po_data *data, const po_screw *column, const po_screw *screw, const double *diagonal);

#endif
