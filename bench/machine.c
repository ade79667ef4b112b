/* machine.c: what ran the measurements: CPU, compiler, flags, commit, and the peak that shares are shares of. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "build_flags.h" /* written by the Makefile */
#include "build_info.h"
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

double po_bench_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double po_bench_cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void machine_cpu(char *out, size_t capacity) {
  char *text = NULL;
  const char *at;
  size_t n;
  po_format(out, capacity, "unknown");
  if (po_read_file(&text, &n, "/proc/cpuinfo", 0, NULL) != PO_OK) return;
  at = strstr(text, "model name");
  if (at && (at = strchr(at, ':')) != NULL) {
    at += at[1] == ' ' ? 2 : 1;
    po_format(out, capacity, "%.*s", (int)strcspn(at, "\n"), at);
  }
  po_free(text);
}

void po_machine_describe(po_machine *machine) {
  memset(machine, 0, sizeof *machine);
  machine_cpu(machine->cpu, sizeof machine->cpu);
  po_format(machine->commit, sizeof machine->commit, "%s", PO_BUILD_COMMIT);
  po_format(machine->flags, sizeof machine->flags, "%s", PO_BUILD_FLAGS);
#if defined(__clang__)
  po_format(machine->compiler, sizeof machine->compiler, "%s", __VERSION__); /* "Clang 14.0.6" or the vendor's wording */
#elif defined(__GNUC__)
  po_format(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#else
  po_format(machine->compiler, sizeof machine->compiler, "unknown");
#endif
}

/* Twelve independent chains cover the latency of two multiply-add units (2 × 4…5 cycles) with some to spare. */
enum { MACHINE_CHAINS = 12 };

static double machine_scalar(int rounds) {
  double s[MACHINE_CHAINS];
  int i, k;
  for (i = 0; i < MACHINE_CHAINS; i++) s[i] = 1 + i;
  for (k = 0; k < rounds; k++)
    for (i = 0; i < MACHINE_CHAINS; i++) s[i] = s[i] * 0.999999 + 1e-6;
  for (i = 1; i < MACHINE_CHAINS; i++) s[0] += s[i];
  return s[0];
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static double machine_avx2(int rounds) {
  __m256d s[MACHINE_CHAINS], a = _mm256_set1_pd(0.999999), b = _mm256_set1_pd(1e-6);
  double out[4];
  int i, k;
  for (i = 0; i < MACHINE_CHAINS; i++) s[i] = _mm256_set1_pd(1 + i);
  for (k = 0; k < rounds; k++) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 12
#endif
    for (i = 0; i < MACHINE_CHAINS; i++) s[i] = _mm256_fmadd_pd(s[i], a, b);
  }
  for (i = 1; i < MACHINE_CHAINS; i++) s[0] = _mm256_add_pd(s[0], s[i]);
  _mm256_storeu_pd(out, s[0]);
  return out[0];
}
#endif

double po_machine_peak(void) {
  enum { ROUNDS = 20000, TRIES = 5 };
  volatile double sink = 0;
  double best = 0;
  int t, lanes = 1, wide = po_get_simd() == PO_SIMD_AVX2;
  for (t = 0; t < TRIES; t++) {
    double start = po_bench_clock(), taken;
#if defined(__x86_64__)
    if (wide) {
      lanes = 4;
      sink += machine_avx2(ROUNDS);
    } else
#endif
      sink += machine_scalar(ROUNDS);
    taken = po_bench_clock() - start;
    if (taken > 0) best = po_max(best, 2.0 * lanes * MACHINE_CHAINS * ROUNDS / taken * 1e-9);
  }
  (void)wide;
  return sink > 0 ? best : 0; /* sink keeps the loops from being optimized away */
}
