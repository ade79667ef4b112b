/* scenes_internal.h: what the files of a run share. */
#ifndef PO_SCENES_INTERNAL_H
#define PO_SCENES_INTERNAL_H

#include "scenes.h"

/* run_params.c: texts first, since the body and the behaviour may depend on them; then numbers, over defaults, presets and styles. */
po_status po_run_read_texts(po_run *run, po_error *err);
po_status po_run_find_move(po_run *run, po_error *err);
po_status po_run_read_params(po_run *run, po_error *err);
po_status po_run_check_changes(po_run *run, po_error *err);
void po_run_apply_changes(po_run *run);

#endif
