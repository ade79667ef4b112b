/* policy_page.h: a policy as a page (docs/task-policies.md).
 *
 *   po_policy_page_begin  po_policy_page_task  po_policy_page_end
 */
#ifndef PO_POLICY_PAGE_H
#define PO_POLICY_PAGE_H

#include "../ctrl/plan/explore.h"
#include "view.h"

typedef struct po_policy_page {
  const po_exploration *exploration;
  po_buffer json;
  po_jw w;
} po_policy_page;

void po_policy_page_begin(po_policy_page *page, const po_exploration *exploration);
/* One more task, as soon as it is solved. */
void po_policy_page_task(po_policy_page *page, const po_fvi *fvi);
/* Writes it and frees what it held. */
void po_policy_page_end(po_buffer *out, po_policy_page *page);

#endif
