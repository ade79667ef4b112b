/* moves_internal.h: between the generic part of behaviours (move.c) and those that are made of others (sequence.c). */
#ifndef PO_MOVES_INTERNAL_H
#define PO_MOVES_INTERNAL_H

#include "moves.h"

/* Makes the actor's control hold this move's objectives and no others; nothing happens when it does already. */
po_status po_move_own(po_move *move, po_error *err);
/* Begins anew, ready or not. */
void po_move_begin(po_move *move, const po_move *from);
/* What kind of state it has, as a number: for `shape` of moves that are made of others. */
uint64_t po_move_state_hash(const po_move_type *type);

#endif
