/* counters.c: instructions and cycles of this thread, in user mode, by perf_event_open where Linux offers it. */
#define _GNU_SOURCE /* syscall */
#include "bench.h"
#include <errno.h>
#include <string.h>
#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counters_one(unsigned long long what) {
  struct perf_event_attr a;
  memset(&a, 0, sizeof a);
  a.size = sizeof a;
  a.type = PERF_TYPE_HARDWARE;
  a.config = what;
  a.disabled = 1;
  a.exclude_kernel = 1;
  a.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

int po_counters_open(po_counters *c, char *why, size_t capacity) {
  int code;
  c->file[0] = counters_one(PERF_COUNT_HW_INSTRUCTIONS);
  code = errno;
  c->file[1] = counters_one(PERF_COUNT_HW_CPU_CYCLES);
  if (c->file[0] < 0 && c->file[1] < 0)
    po_format(why, capacity, "none (%s)",
              code == ENOENT || code == ENODEV || code == EOPNOTSUPP ? "this machine does not offer them"
              : code == EACCES || code == EPERM ? "the system does not allow it: see kernel.perf_event_paranoid"
                                                : "the system has no perf_event_open");
  else po_format(why, capacity, "%s%s%s", c->file[0] >= 0 ? "instructions" : "", c->file[0] >= 0 && c->file[1] >= 0 ? ", " : "", c->file[1] >= 0 ? "cycles" : "");
  return c->file[0] >= 0 || c->file[1] >= 0;
}

void po_counters_start(const po_counters *c) {
  int i;
  for (i = 0; i < 2; i++)
    if (c->file[i] >= 0) {
      ioctl(c->file[i], PERF_EVENT_IOC_RESET, 0);
      ioctl(c->file[i], PERF_EVENT_IOC_ENABLE, 0);
    }
}

void po_counters_stop(double *instructions, double *cycles, const po_counters *c) {
  double *out[2];
  int i;
  out[0] = instructions;
  out[1] = cycles;
  for (i = 0; i < 2; i++) {
    unsigned long long value = 0;
    if (c->file[i] >= 0) ioctl(c->file[i], PERF_EVENT_IOC_DISABLE, 0);
    *out[i] = c->file[i] >= 0 && read(c->file[i], &value, sizeof value) == (long)sizeof value ? (double)value : -1;
  }
}

void po_counters_close(po_counters *c) {
  int i;
  for (i = 0; i < 2; i++) {
    if (c->file[i] >= 0) close(c->file[i]);
    c->file[i] = -1;
  }
}
#else
int po_counters_open(po_counters *c, char *why, size_t capacity) {
  c->file[0] = c->file[1] = -1;
  po_format(why, capacity, "none (only Linux is asked for them)");
  return 0;
}
void po_counters_start(const po_counters *c) { (void)c; }
void po_counters_stop(double *instructions, double *cycles, const po_counters *c) {
  (void)c;
  *instructions = *cycles = -1;
}
void po_counters_close(po_counters *c) { (void)c; }
#endif
