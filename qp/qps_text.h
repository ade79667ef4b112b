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
  po_qps_span field[PO_QPS_FIELDS], all; /* all: without the blanks at its ends */
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

/* ---- what the reader has gathered, on its way to a dense problem (qps_build.c) ---- */
typedef struct po_qps_entry { int i, j, line; double value; } po_qps_entry;
typedef struct po_qps_row { char type; int has_range; double rhs, range; } po_qps_row;
typedef struct po_qps_col { double lower, upper; int lower_given; } po_qps_col;

typedef struct po_qps_list { /* grows by doubling */
  void *at;
  int count, capacity;
} po_qps_list;

typedef struct po_qps_reader {
  const char *path;
  po_error *err;
  int line, fixed;
  po_qps_names rows, cols;
  po_qps_list row, col, entries, quad; /* of po_qps_row, po_qps_col, po_qps_entry, po_qps_entry */
  int objective, column, maximize, qmatrix; /* objective row, column being read (−1: none) */
  double constant;
  po_qps_span set[3];                /* first set name of RHS, RANGES, BOUNDS */
  int set_given[3];
  char name[64];
} po_qps_reader;

#define PO_QPS_FAIL(r, status, ...) po_fail_at((r)->err, status, (r)->path, (r)->line, 0, __VA_ARGS__)
/* The dense problem of what was read. */
po_status po_qps_build(po_qps_reader *r, po_qp_file **file);

#endif
