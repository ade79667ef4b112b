/* cmd_version.c: `poise --version`: enough to say exactly what ran. */
#include "../bench/bench.h"
#include "cli.h"

static int version_run(po_args *args) {
  po_machine machine;
  po_buffer text = {0};
  int code;
  po_args_simd(args);
  if (args->failed) return PO_EXIT_USAGE;
  po_machine_describe(&machine);
  po_buffer_printf(&text, "poise %s\ncommit    %s\ncompiler  %s\nflags     %s\nsimd      %s\n", PO_VERSION, machine.commit,
                   machine.compiler, machine.flags, po_simd_string(po_get_simd()));
  code = po_cli_write("-", &text);
  po_buffer_free(&text);
  return code;
}

static const po_option version_options[] = {PO_OPTION_SIMD, {NULL, NULL, NULL}};

const po_command po_cmd_version = {
    "version", "", "version, commit, compiler and SIMD path", NULL, version_options, 0, 0, version_run,
};
