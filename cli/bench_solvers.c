/* bench_solvers.c: `poise bench hqp FILE… --solver FILE.so`: our prioritized methods beside other people's. */
#include "../bench/hqp_compare.h"
#include "bench_solvers.h"

#include <string.h>

enum { BSOL_MOST = 24 };

int po_cli_solvers_asked(const po_args *args) {
  return po_args_has(args, "compare") || po_args_count(args, "solver") || po_args_count(args, "solver-process");
}

static po_status bsol_ours(po_hqp_peer **peers, int *count) {
  static const struct { const char *name; po_hqp_method method; } ours[] = {
      {"lexicographic", PO_HQP_LEXICOGRAPHIC}, {"reparam", PO_HQP_REPARAM}, {"linear", PO_HQP_LINEAR}, {"weighted", PO_HQP_WEIGHTED}};
  po_status status = PO_OK;
  int i;
  for (i = 0; i < 4 && status == PO_OK; i++) {
    po_hqp_opts o = po_hqp_opts_default();
    o.method = ours[i].method;
    status = po_hqp_peer_ours(&peers[(*count)++], ours[i].name, &o);
  }
  return status;
}

static int bsol_open(po_hqp_peer **peers, int *count, const po_args *args) {
  po_error err;
  int i;
  if (bsol_ours(peers, count) != PO_OK) return po_cli_fail("bench: out of memory");
  for (i = 0; i < po_args_count(args, "solver") && *count < BSOL_MOST; i++)
    if (po_hqp_peer_library(&peers[*count], po_args_at(args, "solver", i), &err) != PO_OK) return po_cli_error(&err);
    else ++*count;
  for (i = 0; i < po_args_count(args, "solver-process") && *count < BSOL_MOST; i++)
    if (po_hqp_peer_process(&peers[*count], po_args_at(args, "solver-process", i), &err) != PO_OK) return po_cli_error(&err);
    else ++*count;
  return PO_EXIT_GOOD;
}

static int bsol_report(const po_hqp_compare *c, const po_args *args) {
  static const struct { const char *option; void (*write)(po_buffer *, const po_hqp_compare *); } formats[] = {
      {"json", po_hqp_compare_json}, {"csv", po_hqp_compare_csv}, {"latex", po_hqp_compare_latex}};
  po_buffer out = {0};
  int i, code = PO_EXIT_GOOD, quiet = 0;
  for (i = 0; i < 3 && code == PO_EXIT_GOOD; i++) {
    const char *path = po_args_string(args, formats[i].option, NULL);
    if (!path) continue;
    quiet |= !strcmp(path, "-");
    formats[i].write(&out, c);
    code = po_cli_write(path, &out);
    po_buffer_free(&out);
  }
  if (code == PO_EXIT_GOOD && !quiet) {
    po_hqp_compare_table(&out, c);
    code = po_cli_write("-", &out);
    po_buffer_free(&out);
  }
  return code;
}

int po_cli_solvers(po_args *args) {
  po_hqp_peer *peers[BSOL_MOST];
  po_hqp_compare c;
  po_error err;
  int count = 0, i, code, repeats = po_args_int(args, "repeats", 3, 1, 1000);
  if (args->failed) return PO_EXIT_USAGE;
  if (args->count < 2 || strcmp(args->arg[0], "hqp")) return po_cli_fail("bench: solvers are compared on files: poise bench hqp FILE.hqp... --solver FILE.so");
  memset(peers, 0, sizeof peers);
  memset(&c, 0, sizeof c);
  code = bsol_open(peers, &count, args);
  for (i = 1; i < args->count && code == PO_EXIT_GOOD; i++)
    if (po_hqp_compare_run(&c, args->arg[i], peers, count, repeats, &err) != PO_OK) code = po_cli_error(&err);
  if (code == PO_EXIT_GOOD) code = bsol_report(&c, args);
  for (i = 0; i < count; i++) po_hqp_peer_free(peers[i]);
  po_hqp_compare_free(&c);
  return code;
}
