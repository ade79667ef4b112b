/* progress.c: the live line of a long run, and the clock. */
#define _DEFAULT_SOURCE /* the terminal's width */
#include "cli.h"
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_WIDTH = 30, PROGRESS_LEAST = 4 }; /* columns of the bar, at most and at least */

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

void po_progress_line(char *line, size_t capacity, int width, const char *label, double share, const char *behind) {
  char bar[PROGRESS_WIDTH + 1];
  int room = width - 1 - (int)strlen(label) - (int)strlen(behind) - 4, i, filled, n; /* blank, two brackets, blank */
  if (room > PROGRESS_WIDTH) room = PROGRESS_WIDTH;
  if (room < PROGRESS_LEAST) n = po_format(line, capacity, "%s %s", label, behind);
  else {
    filled = (int)(po_clamp(share, 0, 1) * room);
    for (i = 0; i < room; i++) bar[i] = i < filled ? '#' : '.';
    bar[room] = '\0';
    n = po_format(line, capacity, "%s [%s] %s", label, bar, behind);
  }
  if (n >= width) line[width > 1 ? width - 1 : 0] = '\0';
}

static int progress_width(void) {
  struct winsize size;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : PO_CLI_WIDTH;
}

static void progress_draw(const po_progress *p, double share, const char *behind) {
  char line[256];
  int width = progress_width();
  po_progress_line(line, sizeof line, width < (int)sizeof line ? width : (int)sizeof line, p->label, share, behind);
  fprintf(stderr, "\r%s\033[K", line);
  fflush(stderr);
}

void po_progress_update(po_progress *p, double sim_seconds) {
  char behind[128];
  double factor, left;
  if (!progress_due(p)) return;
  factor = sim_seconds / (p->last - p->started);
  left = factor > 0 ? (p->total - sim_seconds) / factor : 0;
  po_format(behind, sizeof behind, "%.2f / %.2f s  %.1fx real time  %.0f s left", sim_seconds, p->total, factor, po_max(left, 0));
  progress_draw(p, p->total > 0 ? sim_seconds / p->total : 1, behind);
}

void po_progress_count(po_progress *p, int done, int total, const char *what) {
  char behind[128], left[32] = "";
  if (!progress_due(p)) return;
  if (done > 0) po_format(left, sizeof left, "  %.0f s left", (p->last - p->started) * (total - done) / done);
  po_format(behind, sizeof behind, "%d / %d %s%s", done, total, what, left);
  progress_draw(p, total > 0 ? (double)done / total : 1, behind);
}

void po_progress_text(po_progress *p, double share, const char *behind) {
  if (progress_due(p)) progress_draw(p, share, behind);
}

void po_progress_end(po_progress *p) {
  if (!p->on) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  p->on = 0;
}
