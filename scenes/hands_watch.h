/* hands_watch.h: when hands and feet come down and leave, from the world's contacts alone; what cartwheels and handsprings are judged by. */
#ifndef PO_HANDS_WATCH_H
#define PO_HANDS_WATCH_H

#include "flip_watch.h"

typedef struct hands_watch { /* numbers only: part of a scenario's state */
  double at[PO_PATCHES], off[PO_PATCHES]; /* s: first pressing of a hand, of a foot once it has left and the body was upside down; last pressing. < 0: never */
  int pressing[PO_PATCHES], left[PO_PATCHES], over; /* now; a foot has left the ground; the body has been upside down */
  double air, in_air;        /* s: the longest time without contact until the second foot is down; the present one */
  double passed[2];          /* s at which the phase passed two angles; < 0: not yet */
  double apart, straddle;    /* m between the hands when the second came down; rad between the legs, the largest upside down */
} hands_watch;

void hands_begin(hands_watch *h);
/* After turn_observe; from, to: rad of the phase since the start whose times are wanted. */
void hands_observe(hands_watch *h, const turn_watch *w, po_run *run, double from, double to);
/* Result of a time: null when it never was. */
void hands_set_time(po_run *run, const char *name, double time);

#endif
