/* page_source.h (room-internal): the pages' sources as text, one string a line, NULL at the end. Made from view/page and view/policy by tools/page_source. */
#ifndef PO_PAGE_SOURCE_H
#define PO_PAGE_SOURCE_H

extern const char *const po_page_html[], *const po_page_css[], *const po_page_js[];
extern const char *const po_policy_page_html[], *const po_policy_page_css[], *const po_policy_page_js[];

#endif
