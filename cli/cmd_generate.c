/* cmd_generate.c: `poise generate hqp|qp --family NAME`: problems made by family, size and seed, in the files that hqp, qp and bench read. */
#include "../bench/families.h"
#include "cli.h"

#include <string.h>

static const po_option gen_options[] = {{"family", "NAME", "which family (see below)"},
                                        {"seed", "N", "another set of the same family (default 1)"},
                                        {"count", "K", "hqp: problems in the file (default 20)"},
                                        {"n", "N", "unknowns (default: the family's)"},
                                        {"levels", "L", "hqp: levels (default: the family's)"},
                                        {"rows", "M", "hqp: rows in each level (default: the family's)"},
                                        {"decades", "D", "hqp: rows or columns are scaled by 10^U(-D, D) (default: the family's)"},
                                        {"drift", "D", "hqp: a sequence in time, each problem so much further from the first; 0: each drawn anew (default: the family's)"},
                                        {"out", "FILE", "write to FILE, - for standard output (default -)"},
                                        {NULL, NULL, NULL}};

static int gen_unknown(const char *what, const char *name) {
  po_buffer text = {0};
  int i;
  po_buffer_printf(&text, "generate: there is no family of %s called %s; there are", what, name ? name : "(none given: --family)");
  for (i = 0; !strcmp(what, "hqp") && po_hqp_families[i].name; i++) po_buffer_printf(&text, " %s", po_hqp_families[i].name);
  for (i = 0; !strcmp(what, "qp") && po_qp_families[i].name; i++) po_buffer_printf(&text, " %s", po_qp_families[i].name);
  po_cli_fail("%s", text.data ? text.data : "generate: out of memory");
  po_buffer_free(&text);
  return PO_EXIT_USAGE;
}

static po_status gen_hqp(po_buffer *out, const po_hqp_family *family, const po_hqp_shape *shape, unsigned seed, int count) {
  po_status status = PO_OK;
  int i;
  po_hqp_write_header(out);
  for (i = 0; i < count && status == PO_OK; i++) {
    po_hqp_made *made = NULL;
    status = po_hqp_made_new(&made, family, shape, seed, i);
    if (status == PO_OK) po_hqp_write(out, &made->hqp);
    po_hqp_made_free(made);
  }
  return status;
}

static int gen_run(po_args *args) {
  const char *what = args->arg[0], *name = po_args_string(args, "family", NULL);
  int hqp = !strcmp(what, "hqp"), count = po_args_int(args, "count", 20, 1, 100000), code, i;
  unsigned seed = (unsigned)po_args_int(args, "seed", 1, 0, 1000000000);
  const po_hqp_family *family = name ? po_hqp_family_find(name) : NULL;
  po_hqp_shape shape = family ? family->usual : po_hqp_families[0].usual;
  po_buffer out = {0};
  po_status status;
  if (!hqp && strcmp(what, "qp")) return po_cli_fail("generate: hqp or qp, not %s", what);
  for (i = 0; !hqp && name && po_qp_families[i].name && strcmp(name, po_qp_families[i].name); i++) {}
  if (!name || (hqp ? !family : !po_qp_families[i].name)) return gen_unknown(what, name);
  shape.n = po_args_int(args, "n", hqp ? shape.n : po_qp_families[i].n, 2, 256);
  shape.levels = po_args_int(args, "levels", shape.levels, 1, PO_HQP_MAX_LEVELS);
  shape.rows = po_args_int(args, "rows", shape.rows, 0, 512);
  shape.decades = po_args_double(args, "decades", shape.decades, 0, 12);
  shape.drift = po_args_double(args, "drift", shape.drift, 0, 1);
  if (args->failed) return PO_EXIT_USAGE;
  status = hqp ? gen_hqp(&out, family, &shape, seed, count) : po_qp_family_write(&out, &po_qp_families[i], shape.n, seed);
  if (status == PO_OK && out.failed) status = PO_ERR_MEMORY;
  if (status != PO_OK) code = po_cli_fail("generate: %s cannot be had in that size: %s", name, po_status_string(status));
  else code = po_cli_write(po_args_string(args, "out", "-"), &out);
  po_buffer_free(&out);
  return code;
}

static const char gen_help[] =
    "The same family, size and seed give the same bits everywhere. Families of hqp:\n"
    "\n"
    "    random        10 unknowns, 4 levels of 5 rows, half of them inequalities\n"
    "    inequalities  50 unknowns, 10 levels of 10 rows, all inequalities\n"
    "    half          the same, half of them equalities\n"
    "    equalities    the same, all of them equalities\n"
    "    box           a hard box around every unknown, then tasks\n"
    "    low-rank      levels of half their rank, rows that repeat\n"
    "    ties          integer rows through one vertex\n"
    "    rows          rows scaled by 10^U(-d, d)\n"
    "    columns       unknowns scaled by 10^U(-d, d)\n"
    "    infeasible    hard rows that contradict each other\n"
    "    arm           inverse kinematics of a planar arm, in time\n"
    "    lipm          model predictive control of an inverted pendulum, in time\n"
    "\n"
    "of qp: random, klee-minty (n up to 20), degenerate, infeasible, unbounded.\n";

const po_command po_cmd_generate = {"generate", "hqp|qp --family NAME [options]", "make problems by family, size and seed", gen_help, gen_options, 1, 1, gen_run};
