/* cmd_bench.c: `poise bench`: measures rooms, reports, compares. */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include "../bench/bench.h"
#include "bench_solvers.h"
#include "cli.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const po_option bench_options[] = {
    {"model", "FILE", "a body to measure with, for rooms that use one"},
    PO_OPTION_MODEL_FILE,
    {"case", "TEXT", "only the cases whose name contains TEXT"},
    {"seconds", "S", "how long each case is repeated (default 0.01)"},
    PO_OPTION_SIMD,
    {"json", "FILE", "write the results as JSON; - prints nothing else on standard output"},
    {"html", "FILE", "write the results as a page with plots"},
    {"problems", "FOLDER", "recorded problems for hqp (default: the project's bench/problems, or what is installed)"},
    {"compare", NULL, "hqp FILE...: our methods side by side: who is right, to how many digits, how fast, how late"},
    {"solver", "FILE.so", "and with them a solver of yours, a library as bench/solver.h has it; may be repeated"},
    {"solver-process", "COMMAND", "and a program that reads .hqp and answers in lines; may be repeated"},
    {"repeats", "N", "of a comparison: how often each problem is solved; its least time counts (default 3)"},
    {"csv", "FILE", "write the comparison as CSV"},
    {"latex", "FILE", "write the comparison as a LaTeX table"},
    {"against", "OLD.json", "print ratios to an earlier report; exit 1 when a solve was lost"},
    {NULL, NULL, NULL}};

static const po_bench_room *bench_find_room(const char *name) {
  int i;
  for (i = 0; po_bench_rooms[i]; i++)
    if (!strcmp(po_bench_rooms[i]->name, name)) return po_bench_rooms[i];
  return NULL;
}

/* The first argument may name a room; what follows are files for it. */
static int bench_pick(const po_args *args, const po_bench_room **room, po_bench_options *o) {
  const char *names[32], *near;
  int count = 0;
  *room = NULL;
  if (!args->count) return PO_EXIT_GOOD;
  *room = bench_find_room(args->arg[0]);
  if (!*room) {
    while (po_bench_rooms[count] && count < 32) {
      names[count] = po_bench_rooms[count]->name;
      count++;
    }
    near = po_nearest(args->arg[0], names, count);
    if (near) return po_cli_fail("bench: there is no room '%s'; did you mean %s?", args->arg[0], near);
    return po_cli_fail("bench: there is no room '%s'; `poise help bench` lists them", args->arg[0]);
  }
  if (args->count > 1 && !(*room)->takes_files)
    return po_cli_fail("bench: room %s takes no files, but '%s' was given", args->arg[0], args->arg[1]);
  o->files = args->arg + 1;
  o->file_count = args->count - 1;
  return PO_EXIT_GOOD;
}

/* The recorded problems: below where we stand, beside the program's own folder, or where `make install` puts them. */
static const char *bench_problems(char out[512]) { return po_cli_folder(out, "bench/problems", "../share/poise/problems"); }

static volatile int bench_interrupted;
static void bench_on_interrupt(int signal_number) {
  (void)signal_number;
  bench_interrupted = 1;
}

static void bench_progress(void *user, const po_bench_result *latest) {
  po_progress *p = user;
  char line[160];
  if (!p->on) return;
  po_format(line, sizeof line, "\r\033[K%s %s %d %s", latest->room, latest->name, latest->size, latest->variant);
  fputs(line, stderr);
  fflush(stderr);
}

static int bench_report(const po_bench *bench, po_args *args) {
  const char *json = po_args_string(args, "json", NULL), *html = po_args_string(args, "html", NULL),
             *old = po_args_string(args, "against", NULL);
  int code = PO_EXIT_GOOD, quiet = (json && !strcmp(json, "-")) || (html && !strcmp(html, "-"));
  po_buffer text = {0};
  po_bench_comparison found = {0};
  po_error err;
  if (old && po_bench_against(&text, &found, bench, old, &err) != PO_OK) {
    po_buffer_free(&text);
    return po_cli_error(&err);
  }
  if (!old) po_bench_table(&text, bench);
  if (quiet && old) fputs(text.data ? text.data : "", stderr);
  else if (!quiet) code = po_cli_write("-", &text);
  text.size = 0;
  if (code == PO_EXIT_GOOD && json) {
    po_bench_json(&text, bench);
    code = po_cli_write(json, &text);
    text.size = 0;
  }
  if (code == PO_EXIT_GOOD && html) {
    po_bench_html(&text, bench);
    code = po_cli_write(html, &text);
  }
  po_buffer_free(&text);
  return code == PO_EXIT_GOOD && found.lost ? PO_EXIT_FAILED : code;
}

static int bench_run(po_args *args) {
  const po_bench_room *room;
  po_bench_options o = po_bench_options_default();
  po_bench bench;
  po_progress progress;
  po_error err;
  po_status status = PO_OK;
  char problems[512];
  int i, code;
  o.simd = po_args_simd(args);
  if (po_cli_solvers_asked(args)) return po_cli_solvers(args);
  o.model = po_args_string(args, "model", NULL);
  o.filter = po_args_string(args, "case", NULL);
  o.seconds_per_case = po_args_double(args, "seconds", o.seconds_per_case, 1e-6, 3600);
  o.problems = po_args_string(args, "problems", bench_problems(problems));
  o.stop = &bench_interrupted;
  if (args->failed) return PO_EXIT_USAGE;
  if (po_args_has(args, "problems") && access(o.problems, R_OK)) return po_cli_fail("bench: --problems %s: there is no such folder", o.problems);
  code = bench_pick(args, &room, &o);
  if (code == PO_EXIT_GOOD) code = po_cli_look_at_model(args, o.model);
  if (code != PO_EXIT_GOOD) return code;
  memset(&err, 0, sizeof err);
  po_bench_init(&bench, &o);
  signal(SIGINT, bench_on_interrupt);
  po_progress_begin(&progress, "bench", 0);
  bench.progress = bench_progress;
  bench.progress_user = &progress;
  for (i = 0; status == PO_OK && po_bench_rooms[i] && !bench_interrupted; i++)
    if (!room || po_bench_rooms[i] == room) status = po_bench_run_room(&bench, po_bench_rooms[i], &err);
  po_progress_end(&progress);
  if (status != PO_OK) code = po_cli_error(&err);
  else if (!bench.count && bench.interrupted) code = po_cli_fail("bench: interrupted before anything was measured");
  else if (!bench.count) code = po_cli_fail("bench: no case is called *%s*", o.filter ? o.filter : "");
  else code = bench_report(&bench, args);
  if (code == PO_EXIT_GOOD && bench.interrupted) {
    po_cli_fail("bench: interrupted; the report holds what was measured");
    code = PO_EXIT_FAILED;
  }
  po_bench_free(&bench);
  return code;
}

const po_command po_cmd_bench = {
    "bench",
    "[la|rbd|contact|qp|hqp|step] [FILE...] [options]",
    "measure how fast things are, all variants in turn",
    "Without a room, all rooms are measured. Cases that compare are run in turn, so that a change of clock speed\n"
    "falls on all alike; times are medians over samples. `peak` is the share of the multiply-adds that this CPU can do,\n"
    "measured in the same run. Ctrl-C ends with a report of what has been measured.\n"
    "  poise bench la --case gemm              one kernel, every size and SIMD path\n"
    "  poise bench rbd --model g1.urdf         dynamics of a body of yours\n"
    "  poise bench hqp --html hqp.html         every prioritized method, with plots\n"
    "  poise bench hqp mine.hqp --simd scalar  on problems of yours, plain C only\n"
    "  poise bench --json old.json             everything; after a change:\n"
    "  poise bench --against old.json          how much faster or slower it is\n",
    bench_options,
    0,
    -1,
    bench_run,
};
