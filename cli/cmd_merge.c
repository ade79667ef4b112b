/* cmd_merge.c: `poise merge PART… --out FILE`: the parts of a work that was done in shares, joined into what one process would have written. */
#include "args.h"
#include "jobs.h"
#include <string.h>

static const po_option merge_options[] = {{"out", "FILE", "where the result goes; - for standard output"}, {NULL, NULL, NULL}};

/* The command that made the parts runs again, and takes its units from them. Its kernels are put in force, since what they computed is joined. */
static int merge_command(po_parts *parts, const char *out) {
  const po_command *command = po_cli_find(parts->argv[0]);
  const char *words[PO_PART_WORDS + 4];
  const po_option *o;
  char option[64];
  po_args args;
  int code, i, n = 0;
  if (!command) return PO_EXIT_USAGE;
  if (strcmp(parts->simd, "avx2") && strcmp(parts->simd, "scalar")) return po_cli_fail("merge: the parts name unknown kernels '%s'", parts->simd);
  if (po_set_simd(!strcmp(parts->simd, "avx2") ? PO_SIMD_AVX2 : PO_SIMD_SCALAR) != PO_OK)
    return po_cli_fail("merge: the parts were made with %s kernels, which this machine does not have", parts->simd);
  po_format(option, sizeof option, "--%s", parts->result);
  words[n++] = option;
  words[n++] = out;
  for (o = command->options; o && o->name; o++)
    if (!strcmp(o->name, "simd")) {
      words[n++] = "--simd";
      words[n++] = parts->simd;
    }
  for (i = 1; i < parts->argc; i++) words[n++] = parts->argv[i];
  code = po_args_parse(&args, command, n, words);
  if (code == PO_EXIT_GOOD) code = po_args_check_count(&args);
  args.parts = parts;
  if (code == PO_EXIT_GOOD) code = command->run(&args);
  po_args_free(&args);
  return code;
}

static int merge_run(po_args *a) {
  const char *out = po_args_string(a, "out", NULL);
  po_parts *parts;
  po_error err;
  int code;
  if (!out) return po_cli_fail("merge: say where to: --out FILE");
  if (po_parts_read(&parts, a->arg, a->count, &err) != PO_OK) return po_cli_error(&err);
  code = merge_command(parts, out);
  po_parts_free(parts);
  return code;
}

const po_command po_cmd_merge = {
  "merge", "PART... --out FILE", "join the parts that --shard wrote into the result of the whole",
  "The parts must be a complete set: a missing, doubled, damaged or foreign one is refused by name. The result is the bytes that one process\n"
  "would have written, and the exit code is that of the whole. docs/jobs.md shows it with GNU parallel and with a Slurm array.\n"
  "  for i in 0 1 2 3; do poise run push-map --shard $i/4 --json part$i; done\n"
  "  poise merge part0 part1 part2 part3 --out map.json\n",
  merge_options, 1, -1, merge_run};
