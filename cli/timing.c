/* timing.c: the median of repeated solves. */
#include "cli.h"

#define TIMING_REPEATS 101  /* solves of which the median is told */
#define TIMING_SECONDS 0.02 /* but no longer than this */

static double timing_median(double *t, int count) {
  int i, j;
  for (i = 1; i < count; i++) {
    double v = t[i];
    for (j = i; j > 0 && t[j - 1] > v; j--) t[j] = t[j - 1];
    t[j] = v;
  }
  return t[count / 2];
}

po_status po_cli_time(double *micros, po_cli_job before, po_cli_job job, void *user) {
  double t[TIMING_REPEATS], started = po_cli_clock();
  int count = 0;
  do {
    po_status status = before ? before(user) : PO_OK;
    double from = po_cli_clock();
    if (status == PO_OK) status = job(user);
    if (status != PO_OK) return status;
    t[count++] = po_cli_clock() - from;
  } while (count < TIMING_REPEATS && po_cli_clock() - started < TIMING_SECONDS);
  *micros = 1e6 * timing_median(t, count);
  return PO_OK;
}
