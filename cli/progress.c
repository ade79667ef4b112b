/* progress.c: the live line of a long run, and the clock. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double po_cli_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void po_progress_begin(po_progress *p, const char *label, double total_seconds) {
  p->label = label;
  p->total = total_seconds;
  p->started = p->last = po_cli_clock();
  p->on = isatty(STDERR_FILENO);
}

void po_progress_update(po_progress *p, double sim_seconds) {
  enum { WIDTH = 30 };
  char line[160], bar[WIDTH + 1];
  double now, wall, share, factor, left;
  int i, filled;
  if (!p->on) return;
  now = po_cli_clock();
  if (now - p->last < 0.1) return;
  p->last = now;
  wall = now - p->started;
  share = p->total > 0 ? po_clamp(sim_seconds / p->total, 0, 1) : 1;
  factor = sim_seconds / wall;
  left = factor > 0 ? (p->total - sim_seconds) / factor : 0;
  filled = (int)(share * WIDTH);
  for (i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
  bar[WIDTH] = '\0';
  po_format(line, sizeof line, "\r%.40s [%s] %.2f / %.2f s  %.1fx real time  %.0f s left ", p->label, bar, sim_seconds, p->total,
            factor, po_max(left, 0));
  fputs(line, stderr);
  fflush(stderr);
}

void po_progress_end(po_progress *p) {
  if (!p->on) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->on = 0;
}
