/* trace_file.h (room-internal): a recording as text, whole or thinned for a page. */
#ifndef PO_TRACE_FILE_H
#define PO_TRACE_FILE_H

#include "view.h"

#define PO_TRACE_VERSION 1
#define PO_TRACE_QUATERNION 32767.0 /* quaternion components are kept as integers of this scale */

/* Every `stride`-th frame and the last. */
void po_trace_write_thin(po_buffer *out, const po_trace *trace, int stride);
/* Bytes of text a second of the recording takes when it is written whole. */
double po_trace_bytes_per_second(const po_trace *trace);

#endif
