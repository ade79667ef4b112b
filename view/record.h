/* record.h (room-internal): a recording under way. */
#ifndef PO_RECORD_H
#define PO_RECORD_H

#include "trace.h"

struct po_record {
  po_trace *trace;
  po_world *world;
  const po_sim *sim;                   /* NULL: the world alone */
  double last;                         /* s: time of the last frame */
  unsigned char was_set[PO_TRACE_CHANNELS];
  float value[PO_TRACE_CHANNELS];      /* of channels that somebody sets */
  int turning;                         /* the channel of theta, inertia and spin */
  int sim_pushes;                      /* of the simulation's, those that are noted */
  char stage[40];                      /* the last one noted */
  int stages;
};

/* Index of a body among those of all characters. */
int po_record_body(const po_record *record, int character, int body);
/* record_sim.c: what the simulation that is watched adds to a frame's channels. */
void po_record_sim_frame(po_record *record, float *channel);

#endif
