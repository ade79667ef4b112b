/* page_source.h (room-internal): the pages' sources as text, one string a line, NULL at the end. Made from view/page, view/policy and view/model by tools/page_source. */
#ifndef PO_PAGE_SOURCE_H
#define PO_PAGE_SOURCE_H

#include "../base/base.h"

extern const char *const po_page_html[], *const po_page_css[], *const po_page_js[];
extern const char *const po_policy_page_html[], *const po_policy_page_css[], *const po_policy_page_js[];
extern const char *const po_model_page_html[], *const po_model_page_css[], *const po_model_page_js[];

/* JSON inside <script id=ID>; a name with </script> in it does not end it. */
void po_page_data(po_buffer *out, const po_buffer *json, const char *id);
/* The page with style, script and data in place of their marks. */
void po_page_fill(po_buffer *out, const char *const *html, const char *const *css, const char *const *js, const po_buffer *json, const char *id);

#endif
