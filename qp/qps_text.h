/* qps_text.h: the lines and names of QPS files, shared by the reader and the writer. Not for users. */
#ifndef PO_QPS_TEXT_H
#define PO_QPS_TEXT_H

#include "qp.h"

typedef struct po_qps_span { /* text inside the file; length 0: absent */
  const char *at;
  int length;
} po_qps_span;

#define PO_QPS_FIELDS 8
/* One line cut into fields. free: the words, at most PO_QPS_FIELDS (count says how many there were).
 * fixed: columns 2-3, 5-12, 15-22, 25-36, 40-47, 50-61, blanks at both ends removed; field may be empty; count is 6. */
typedef struct po_qps_line {
  po_qps_span field[PO_QPS_FIELDS];
  int count, number;        /* number: 1-based line in the file */
  int header;               /* 1: text starts in column 1 (a section name); fields are words then */
} po_qps_line;

typedef struct po_qps_cursor {
  const char *at, *end;
  int line, fixed;
} po_qps_cursor;
/* The next line that is neither empty nor a comment; 0 at the end of the text. */
int po_qps_next_line(po_qps_line *line, po_qps_cursor *cursor);
int po_qps_is(po_qps_span s, const char *word); /* equal, letters of any case */

/* Names to numbers 0, 1, 2 … in the order they were added. */
typedef struct po_qps_names {
  po_qps_span *name;
  int count, capacity;
  int *slot;                /* open addressing, −1 empty; slot_count a power of two */
  int slot_count;
} po_qps_names;
int po_qps_find(const po_qps_names *t, po_qps_span name);              /* −1 when unknown */
/* Its new number; −1 when it is there already; −2 out of memory. */
int po_qps_add(po_qps_names *t, po_qps_span name);
void po_qps_names_free(po_qps_names *t);

#endif
