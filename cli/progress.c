/* progress.c: the live line of a long run, and the clock. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_WIDTH = 30 };

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

/* 1 when a new line is due. */
static int progress_due(po_progress *p) {
  double now;
  if (!p->on) return 0;
  now = po_cli_clock();
  if (now - p->last < 0.1) return 0;
  p->last = now;
  return 1;
}

static void progress_bar(char *bar, double share) {
  int i, filled = (int)(po_clamp(share, 0, 1) * PROGRESS_WIDTH);
  for (i = 0; i < PROGRESS_WIDTH; i++) bar[i] = i < filled ? '#' : '.';
  bar[PROGRESS_WIDTH] = '\0';
}

void po_progress_update(po_progress *p, double sim_seconds) {
  char line[160], bar[PROGRESS_WIDTH + 1];
  double factor, left;
  if (!progress_due(p)) return;
  factor = sim_seconds / (p->last - p->started);
  left = factor > 0 ? (p->total - sim_seconds) / factor : 0;
  progress_bar(bar, p->total > 0 ? sim_seconds / p->total : 1);
  po_format(line, sizeof line, "\r%.40s [%s] %.2f / %.2f s  %.1fx real time  %.0f s left ", p->label, bar, sim_seconds, p->total,
            factor, po_max(left, 0));
  fputs(line, stderr);
  fflush(stderr);
}

void po_progress_count(po_progress *p, int done, int total, const char *what) {
  char line[160], bar[PROGRESS_WIDTH + 1], left[32] = "";
  if (!progress_due(p)) return;
  progress_bar(bar, total > 0 ? (double)done / total : 1);
  if (done > 0) po_format(left, sizeof left, "  %.0f s left", (p->last - p->started) * (total - done) / done);
  po_format(line, sizeof line, "\r%.40s [%s] %d / %d %s%s \033[K", p->label, bar, done, total, what, left);
  fputs(line, stderr);
  fflush(stderr);
}

void po_progress_end(po_progress *p) {
  if (!p->on) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->on = 0;
}
