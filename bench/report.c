/* report.c: results as a table for people and as JSON for programs. */
#include "bench.h"
#include <string.h>

double po_bench_gflops(const po_bench_result *result) {
  return result->flops > 0 && result->median_ns > 0 ? result->flops / result->median_ns : 0;
}

double po_bench_share_of_peak(const po_bench *bench, const po_bench_result *result) {
  return bench->machine.peak_gflops > 0 ? po_bench_gflops(result) / bench->machine.peak_gflops : 0;
}

void po_bench_time(char out[24], double ns) {
  if (ns < 1e3) po_format(out, 24, "%.0f ns", ns);
  else if (ns < 1e6) po_format(out, 24, "%.2f us", ns * 1e-3);
  else po_format(out, 24, "%.2f ms", ns * 1e-6);
}

/* A case is a heading with its variants below it: so the table fits a terminal. The smallest and largest times and GFlop/s are in the JSON. */
void po_bench_table(po_buffer *out, const po_bench *bench) {
  const po_machine *m = &bench->machine;
  const po_bench_result *last = NULL;
  int i, wide = 7;
  for (i = 0; i < bench->count; i++) wide = (int)po_max(wide, (double)strlen(bench->results[i].variant));
  po_buffer_printf(out, "%s, %s, commit %s\npeak %.1f GFlop/s, counters: %s\n\n", m->cpu, m->compiler, m->commit, m->peak_gflops, m->counters);
  po_buffer_printf(out, "  %-*s %-5s %4s %10s %10s %5s  %s\n", wide, "variant", "start", "size", "median", "p99", "peak", "status");
  for (i = 0; i < bench->count; i++) {
    const po_bench_result *r = &bench->results[i];
    char median[24], p99[24], share[24] = "";
    po_bench_time(median, r->median_ns);
    po_bench_time(p99, r->p99_ns);
    if (r->flops > 0) po_format(share, sizeof share, "%.0f %%", 100 * po_bench_share_of_peak(bench, r));
    if (!last || strcmp(last->name, r->name)) po_buffer_printf(out, "%s\n", r->name);
    po_buffer_printf(out, "  %-*s %-5s %4d %10s %10s %5s  %s\n", wide, r->variant, r->start, r->size, median, p99, share, r->status);
    last = r;
  }
}

static void report_machine(po_jw *w, const po_machine *m) {
  po_jw_object(w, "machine");
  po_jw_string(w, "cpu", m->cpu);
  po_jw_string(w, "compiler", m->compiler);
  po_jw_string(w, "flags", m->flags);
  po_jw_string(w, "commit", m->commit);
  po_jw_string(w, "version", PO_VERSION);
  po_jw_number(w, "peak_gflops", m->peak_gflops);
  po_jw_string(w, "counters", m->counters);
  po_jw_end(w);
}

static void report_result(po_jw *w, const po_bench *bench, const po_bench_result *r) {
  int k;
  po_jw_object(w, NULL);
  po_jw_string(w, "room", r->room);
  po_jw_string(w, "case", r->name);
  po_jw_string(w, "variant", r->variant);
  po_jw_int(w, "size", r->size);
  po_jw_string(w, "start", r->start);
  po_jw_string(w, "simd", po_simd_string(r->simd));
  po_jw_number(w, "median_ns", r->median_ns);
  po_jw_number(w, "p99_ns", r->p99_ns);
  po_jw_number(w, "max_ns", r->max_ns);
  po_jw_number(w, "min_ns", r->min_ns);
  po_jw_int(w, "samples", r->samples);
  po_jw_number(w, "flops", r->flops);
  po_jw_number(w, "share_of_peak", po_bench_share_of_peak(bench, r));
  if (r->instructions >= 0) po_jw_number(w, "instructions", r->instructions);
  if (r->cycles >= 0) po_jw_number(w, "cycles", r->cycles);
  po_jw_string(w, "status", r->status);
  for (k = 0; k < r->extra_count; k++) po_jw_number(w, r->extra[k].name, r->extra[k].value);
  if (r->detail) po_buffer_printf(w->out, ",%s", r->detail); /* members as the room has written them */
  po_jw_end(w);
}

void po_bench_json(po_buffer *out, const po_bench *bench) {
  po_jw w;
  int i;
  po_jw_init(&w, out, 0);
  po_jw_object(&w, NULL);
  report_machine(&w, &bench->machine);
  if (bench->interrupted) po_jw_bool(&w, "interrupted", 1);
  po_jw_array(&w, "results");
  for (i = 0; i < bench->count; i++) report_result(&w, bench, &bench->results[i]);
  po_jw_end(&w);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}
