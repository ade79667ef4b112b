/* against.c: this run beside an earlier one. A lost solve is a failure; time, which depends on the neighbours, is a warning. */
#include "bench.h"
#include <string.h>

/* The key of a result: room, case, variant, size, start, simd. Reports without "simd" match any. */
static int against_same(const po_json *old, const po_bench_result *r) {
  const char *simd = po_json_string(po_json_get(old, "simd"), NULL);
  return !strcmp(po_json_string(po_json_get(old, "room"), ""), r->room) &&
         !strcmp(po_json_string(po_json_get(old, "case"), ""), r->name) &&
         !strcmp(po_json_string(po_json_get(old, "variant"), ""), r->variant) &&
         po_json_number(po_json_get(old, "size"), -1) == r->size &&
         !strcmp(po_json_string(po_json_get(old, "start"), ""), r->start) && (!simd || !strcmp(simd, po_simd_string(r->simd)));
}

static const po_bench_result *against_find(const po_bench *bench, const po_json *old) {
  int i;
  for (i = 0; i < bench->count; i++)
    if (against_same(old, &bench->results[i])) return &bench->results[i];
  return NULL;
}

static int against_room_ran(const po_bench *bench, const char *room) {
  int i;
  for (i = 0; i < bench->count; i++)
    if (!strcmp(bench->results[i].room, room)) return 1;
  return 0;
}

static double against_iterations(const po_bench_result *r) {
  int i;
  for (i = 0; i < r->extra_count; i++)
    if (!strcmp(r->extra[i].name, "iterations")) return r->extra[i].value;
  return -1;
}

/* Variants below the name of their case, so that the table fits a terminal. now < 0: it is not there any more. */
typedef struct against_table { po_buffer *out; const char *last; } against_table;
static void against_row(against_table *t, const char *name, const char *variant, const char *start, int size, double before, double now, const char *note) {
  char old_time[24], new_time[24] = "", ratio[24] = "";
  po_bench_time(old_time, before);
  if (now >= 0) {
    po_bench_time(new_time, now);
    po_format(ratio, sizeof ratio, "%.2f", before > 0 ? now / before : 1.0);
  }
  if (!t->last || strcmp(t->last, name)) po_buffer_printf(t->out, "%s\n", name);
  po_buffer_printf(t->out, "  %-28s %-5s %4d %10s %10s %5s  %s\n", variant, start, size, old_time, new_time, ratio, note);
  t->last = name;
}

static void against_one(against_table *out, po_bench_comparison *found, const po_bench_result *r, const po_json *old) {
  double before = po_json_number(po_json_get(old, "median_ns"), 0), ratio = before > 0 ? r->median_ns / before : 1;
  double steps = against_iterations(r), steps_before = po_json_number(po_json_get(old, "iterations"), -1);
  const char *status = po_json_string(po_json_get(old, "status"), "ok"), *note = "";
  char more[64];
  found->compared++;
  if (po_bench_good(status) && !po_bench_good(r->status)) {
    found->lost++;
    note = "LOST";
  } else if (steps >= 0 && steps_before >= 0 && steps > PO_BENCH_ITERATION_GUARD * steps_before) {
    found->more_iterations++;
    po_format(more, sizeof more, "iterations %.0f -> %.0f", steps_before, steps);
    note = more;
  } else if (ratio > PO_BENCH_TIME_GUARD) {
    found->slower++;
    note = "slower";
  } else if (ratio < 1 / PO_BENCH_TIME_GUARD) {
    note = "faster";
  }
  against_row(out, r->name, r->variant, r->start, r->size, before, r->median_ns, note);
}

po_status po_bench_against(po_buffer *out, po_bench_comparison *found, const po_bench *bench, const char *old_path, po_error *err) {
  char *text;
  size_t size;
  po_json *root;
  const po_json *results, *old;
  against_table table;
  po_status status = po_read_file(&text, &size, old_path, 0, err);
  memset(found, 0, sizeof *found);
  if (status != PO_OK) return status;
  status = po_json_parse(&root, text, size, old_path, err);
  po_free(text);
  if (status != PO_OK) return status;
  results = po_json_get(root, "results");
  if (!results || results->type != PO_JSON_ARRAY) {
    po_json_free(root);
    return po_fail_at(err, PO_ERR_PARSE, old_path, 1, 1, "this is not a report of `poise bench`: it has no \"results\"");
  }
  table.out = out;
  table.last = NULL;
  po_buffer_printf(out, "  %-28s %-5s %4s %10s %10s %5s\n", "variant", "start", "size", "old", "new", "ratio");
  for (old = results->first; old; old = old->next) {
    const po_bench_result *r = against_find(bench, old);
    const char *name = po_json_string(po_json_get(old, "case"), "");
    if (r) {
      against_one(&table, found, r, old);
    } else if (against_room_ran(bench, po_json_string(po_json_get(old, "room"), "")) && po_bench_wants(bench, name) &&
               bench->options.simd == PO_SIMD_AUTO && !bench->options.file_count &&
               po_bench_good(po_json_string(po_json_get(old, "status"), "ok"))) {
      found->lost++;
      against_row(&table, name, po_json_string(po_json_get(old, "variant"), ""), po_json_string(po_json_get(old, "start"), ""),
                  (int)po_json_number(po_json_get(old, "size"), 0), po_json_number(po_json_get(old, "median_ns"), 0), -1, "LOST");
    }
  }
  po_json_free(root);
  po_buffer_printf(out, "\n%d compared, %d lost, %d slower by more than %.0f %%, %d with more iterations\n", found->compared, found->lost, found->slower, 100 * (PO_BENCH_TIME_GUARD - 1), found->more_iterations);
  return PO_OK;
}
