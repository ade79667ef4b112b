/* cli.h: what the commands of the `poise` program share.
 *
 *   commands     po_command  po_cli_commands  po_cli_main  po_cli_help
 *   arguments    po_args_has  po_args_count  po_args_at  po_args_string  po_args_double  po_args_int  po_args_choice
 *                po_args_u64  po_args_simd  po_cli_numbers
 *   models       po_cli_model  po_cli_look_at_model  po_cli_paths
 *   messages     po_cli_fail  po_cli_error
 *   output       po_cli_write  po_cli_print  po_cli_puts
 *   width        po_cli_wrap  po_cli_row  po_cli_paragraphs  po_cli_shown
 *   progress     po_progress_begin  po_progress_update  po_progress_count  po_progress_text  po_progress_end  po_progress_line  po_cli_clock
 *
 * A command is one file cmd_NAME.c that exports one `const po_command po_cmd_NAME`, and one line in registry.c.
 * Its options are a table: parsing, --help, typos and missing values are then taken care of, and run() sees arguments that
 * follow the table. Numbers are read by po_parse_double and written by po_format, po_buffer and po_jw, so that no locale matters.
 *
 *   static const po_option options[] = {
 *       {"json", "FILE", "write the report to FILE, - for standard output"},
 *       {"set", "NAME=VALUE", "a parameter of the scenario; may be repeated"},
 *       {"verbose", NULL, "say more"},
 *       {NULL, NULL, NULL}};
 *   static int run(po_args *args) {
 *     double seconds = po_args_double(args, "seconds", 10, 0, 3600);
 *     if (args->failed) return PO_EXIT_USAGE;
 *     ...
 *     return good ? PO_EXIT_GOOD : PO_EXIT_FAILED;
 *   }
 *   const po_command po_cmd_run = {"run", "SCENARIO [options]", "simulate a scenario", NULL, options, 1, 1, run};
 */
#ifndef PO_CLI_H
#define PO_CLI_H

#include "../base/base.h"

/* The exit codes of every command. */
enum {
  PO_EXIT_GOOD = 0,   /* the run or solve succeeded */
  PO_EXIT_FAILED = 1, /* it ran, and did not succeed */
  PO_EXIT_USAGE = 2   /* bad usage or input, or output that could not be written; a message has named the mistake */
};

/* ---- commands --------------------------------------------------------------------------------------------------------- */

typedef struct po_option {
  const char *name;  /* without the dashes */
  const char *value; /* what the value is called in the help; NULL: the option is a flag and takes none */
  const char *help;  /* one line */
} po_option;

typedef struct po_args po_args;

typedef struct po_command {
  const char *name;
  const char *usage;         /* what follows the name: "FILE.qps [options]" */
  const char *summary;       /* one line for the list of commands */
  const char *help;          /* paragraphs for `poise help NAME`, each line ended by \n; may be NULL */
  const po_option *options;  /* ended by a NULL name; may be NULL */
  int min_args, max_args;    /* how many arguments that are not options; max_args < 0: any number */
  int (*run)(po_args *args); /* returns an exit code */
} po_command;

extern const po_command *const po_cli_commands[]; /* registry.c; ended by NULL */

/* The whole program: picks the command, parses, runs. Returns the exit code. */
int po_cli_main(int argc, const char *const *argv);
/* Appends the help of one command, or with NULL of the program. */
void po_cli_help(po_buffer *out, const po_command *command);
/* The command of that name, or NULL after a message with the nearest one. */
const po_command *po_cli_find(const char *name);
/* The scenario of that name, or NULL after a message with the nearest one. */
struct po_scenario;
const struct po_scenario *po_cli_scenario(const char *name);

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

/* Options may stand anywhere: --name value, --name=value, --flag; `--` ends them. A lone `-` is an ordinary argument or value. */
struct po_args {
  const po_command *command;
  int count;        /* arguments that are not options */
  const char **arg; /* those, in order */
  int option_count;
  const po_option **option; /* those given, in order of appearance */
  const char **value;       /* their values; NULL for flags */
  int failed;               /* a reader below has reported a bad value; sticky */
  const struct po_parts *parts; /* `poise merge` runs the command again over these (jobs.h); NULL: it does its work itself */
};

int po_args_has(const po_args *args, const char *name);
/* How often the option was given; the i-th value, in order. */
int po_args_count(const po_args *args, const char *name);
const char *po_args_at(const po_args *args, const char *name, int i);
/* The readers return the last value given, or the fallback when there is none. A value that is not a number, not finite, or
 * outside [lo, hi] is reported on standard error, sets args->failed and gives the fallback. */
const char *po_args_string(const po_args *args, const char *name, const char *fallback);
double po_args_double(po_args *args, const char *name, double fallback, double lo, double hi);
int po_args_int(po_args *args, const char *name, int fallback, int lo, int hi);
/* Seeds: decimal, 0 … 2^64−1. */
uint64_t po_args_u64(po_args *args, const char *name, uint64_t fallback);
/* Index of the value within names; typos get the nearest name. */
int po_args_choice(po_args *args, const char *name, const char *const *names, int count, int fallback);
/* --simd auto|scalar|avx2: puts the choice in force and returns it; PO_SIMD_AUTO when it was not given. */
po_simd po_args_simd(po_args *args);
#define PO_OPTION_SIMD                                                                                                             \
  { "simd", "auto|scalar|avx2", "which kernels to use (default auto: the fastest this CPU has)" }

/* The body of that name or file, to be freed with po_model_free. Warnings of the file's reader go to standard error; --strict refuses the file for
 * them, --quiet hides them. opts may be NULL. Every command that reads a model has PO_OPTION_MODEL_FILE in its table. */
struct po_model;
struct po_urdf_opts;
int po_cli_model(const struct po_model **model, const po_args *args, const char *name, const struct po_urdf_opts *opts);
/* The same for a command whose model is read elsewhere: shows and refuses, and keeps nothing. Names of bodies and NULL are fine. */
int po_cli_look_at_model(const po_args *args, const char *name);
#define PO_OPTION_MAP {"map", "FILE.json", "what the parts of a model file are (default: found from its joints and shapes; `poise map` writes it)"}
/* po_cli_paths says where a model's meshes are looked for: --package, POISE_PACKAGE_PATH, ROS_PACKAGE_PATH. It lives as long as the program. */
struct po_paths;
const struct po_paths *po_cli_paths(const po_args *args, const char *model);
#define PO_OPTION_MODEL_FILE                                                                                                       \
  {"package", "NAME=DIR", "where package://NAME/… of a model file is; may be repeated"},                                           \
  {"strict", NULL, "refuse a model file that its reader warns about"}, { "quiet", NULL, "do not show what the reader of a model file warns about" }

/* Reads exactly `count` numbers separated by commas, for values such as t,duration,fx,fy,fz. `rest` (may be NULL) receives what
 * follows a further comma, or NULL; without `rest` nothing may follow. Returns 0 when the text is not that; prints nothing. */
int po_cli_numbers(double *out, const char **rest, int count, const char *text);

/* ---- messages, on standard error --------------------------------------------------------------------------------------- */

/* "poise: ..." with po_format's formats; returns PO_EXIT_USAGE. */
int po_cli_fail(const char *format, ...) PO_PRINTF(1, 2);
/* "poise: file:line:column: message"; returns PO_EXIT_USAGE. */
int po_cli_error(const po_error *err);

/* ---- output ------------------------------------------------------------------------------------------------------------- */

/* Writes the text to a file, or to standard output when path is "-". Out of memory and every write error are reported:
 * returns PO_EXIT_GOOD or PO_EXIT_USAGE. */
int po_cli_write(const char *path, const po_buffer *text);
/* Writes text to standard output without a check; the check is made once, at the end of the program. */
void po_cli_print(const char *format, ...) PO_PRINTF(1, 2);
void po_cli_puts(const char *text);

/* ---- width: nothing the program shows is wider than a terminal ------------------------------------------------------------- */

#define PO_CLI_WIDTH 80
/* Appends the words of a text, in lines of at most PO_CLI_WIDTH columns, and a newline. The first line goes on at `column`, the others begin
 * after `indent` blanks. A word that is wider stands alone. */
void po_cli_wrap(po_buffer *out, const char *text, int column, int indent);
/* A row of a table: two blanks, `left` in `width` columns, then `right`, wrapped beside it. */
void po_cli_row(po_buffer *out, const char *left, int width, const char *right);
/* Paragraphs are wrapped; lines that begin with a blank are examples and stay. */
void po_cli_paragraphs(po_buffer *out, const char *text);
/* Makes text that came from a file or a command line safe to show: control characters, which could drive a terminal, become '?'. */
void po_cli_shown(char *text);

/* ---- progress and time --------------------------------------------------------------------------------------------------- */

/* One line on standard error, rewritten in place: bar, simulated time, real-time factor, time to go. It is narrower than the terminal, since a
 * line that wraps cannot be rewritten. Nothing is written when standard error is not a terminal. */
typedef struct po_progress {
  const char *label;
  double total, started, last;
  int on;
} po_progress;
void po_progress_begin(po_progress *p, const char *label, double total_seconds);
void po_progress_update(po_progress *p, double sim_seconds); /* cheap: draws at most ten times a second */
void po_progress_count(po_progress *p, int done, int total, const char *what); /* the same for things that are counted: "3 / 32 searches" */
void po_progress_text(po_progress *p, double share, const char *behind); /* the same with words of one's own */
void po_progress_end(po_progress *p);                        /* clears the line */
/* Label, bar and what stands behind it in fewer than `width` columns: the bar shrinks first, then goes, then the end is cut. */
void po_progress_line(char *line, size_t capacity, int width, const char *label, double share, const char *behind);

/* A folder of data that is not compiled in: `here` below where we stand or beside the program's own folder, or what `make install` made of it
 * (relative to the program). NULL: there is none. */
const char *po_cli_folder(char out[512], const char *here, const char *installed);
double po_cli_clock(void); /* a po_clock_fn: monotonic seconds */

/* Runs the job again and again for a short while, since a single measurement of microseconds says nothing; *micros is the median. before()
 * (may be NULL) is not timed. Ends at the first failure. */
typedef po_status (*po_cli_job)(void *user);
po_status po_cli_time(double *micros, po_cli_job before, po_cli_job job, void *user);

#endif
