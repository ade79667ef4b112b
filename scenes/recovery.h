/* recovery.h: when a pushed body counts as recovered, for every scene that pushes one that stands. */
#ifndef PO_RECOVERY_H
#define PO_RECOVERY_H

/* Recovered: the COM stays within 3 cm of its target and slower than 5 cm/s for 1 s, beginning within 4 s of the push's end. */
#define PO_RECOVERY_NEAR 0.03
#define PO_RECOVERY_SLOW 0.05
#define PO_RECOVERY_HOLD 1.0
#define PO_RECOVERY_WITHIN 4.0

typedef struct po_recovery {
  double since;  /* when the present calm began; < 0: there is none */
  double at;     /* when the calm that was held long enough began; < 0: not yet */
} po_recovery;

static inline po_recovery po_recovery_none(void) {
  po_recovery r = {-1, -1};
  return r;
}

/* After every step: distance of the COM from its target (m) and its speed (m/s) at `time`. */
static inline void po_recovery_step(po_recovery *r, double time, double distance, double speed) {
  if (!(distance < PO_RECOVERY_NEAR && speed < PO_RECOVERY_SLOW)) r->since = -1;
  else if (r->since < 0) r->since = time;
  if (r->at < 0 && r->since >= 0 && time - r->since >= PO_RECOVERY_HOLD - 1e-9) r->at = r->since;
}

#endif
