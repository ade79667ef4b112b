/* scan.h (room-internal): text line by line and word by word, for the readers of motions. */
#ifndef PO_MOTION_SCAN_H
#define PO_MOTION_SCAN_H

#include "../rbd/rbd.h"

typedef struct po_span {
  const char *at, *end;
} po_span;

typedef struct po_scan {
  const char *at, *end; /* at: the beginning of the next line */
  const char *file;     /* for messages */
  int line;             /* number of the line read last */
  po_error *err;
} po_scan;

#define PO_SCAN_FAIL(s, status, ...) po_fail_at((s)->err, status, (s)->file, (s)->line, 0, __VA_ARGS__)

void po_scan_begin(po_scan *s, const char *text, size_t size, const char *file, po_error *err);
/* The next line that is not empty, without blanks around it; 0 at the end of the text. */
int po_scan_line(po_scan *s, po_span *line);
po_span po_scan_trim(po_span text);
/* Cuts the first word off; an empty one when nothing is left. */
po_span po_scan_word(po_span *line);
int po_scan_is(po_span text, const char *word); /* letters of either case; `word` in lower case */
int po_scan_shown(po_span text);                /* how much of it a message quotes */
/* Cuts a finite number off; `what` begins the message. */
po_status po_scan_number(po_scan *s, double *value, po_span *line, const char *what);

#endif
