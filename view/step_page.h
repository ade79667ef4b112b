/* step_page.h: a step model as a page: what leaving examples out mispredicts, and the plane of its actions with the box at a strike (docs/constrained-walking.md). */
#ifndef PO_STEP_PAGE_H
#define PO_STEP_PAGE_H

#include "../ctrl/moves/steps.h"

/* One page that needs nothing else. */
void po_step_model_html(po_buffer *out, const po_step_model *steps);

#endif
