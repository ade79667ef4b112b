/* bench.h: measuring, the same way for every room.
 *
 *   rooms        po_bench_room  po_bench_rooms
 *   measuring    po_bench_case  po_bench_measure  po_bench_simds  po_bench_extra
 *   reports      po_bench_table  po_bench_json  po_bench_html  po_bench_against
 *   machine      po_machine_describe  po_machine_peak  po_counters_open  po_counters_start  po_counters_stop
 *
 * A room is one file bench_ROOM.c that exports one `const po_bench_room po_bench_ROOM`, and one line in registry.c. Its function
 * builds groups of cases that are to be compared (variants of one job at one size) and hands each group to po_bench_measure,
 * which warms up and then runs them in turn, so that a change of clock speed or a neighbour's load falls on all alike.
 *
 *   static const char *solve(void *user, int slot) { ...; return "ok"; }
 *   for (i = 0; i < po_bench_simds(simd, bench); i++) {
 *     cases[i] = po_bench_case_of("gemm", po_simd_string(simd[i]), n, solve, &work);
 *     cases[i].simd = simd[i];
 *     cases[i].flops = 2.0 * n * n * n;
 *   }
 *   status = po_bench_measure(bench, cases, i, err);
 */
#ifndef PO_BENCH_H
#define PO_BENCH_H

#include "../base/base.h"

/* ---- the machine ------------------------------------------------------------------------------------------------------- */

typedef struct po_machine {
  char cpu[96], commit[64], compiler[96], flags[256];
  double peak_gflops; /* 0 until measured */
  char counters[96];  /* "instructions, cycles", or why there are none */
} po_machine;
void po_machine_describe(po_machine *machine);
/* GFlop/s of independent multiply-adds that never leave the registers, over about a millisecond, on the SIMD path in force. */
double po_machine_peak(void);
double po_bench_clock(void); /* a po_clock_fn: monotonic seconds */
double po_bench_cpu(void);   /* seconds that this process has computed: what a neighbour takes does not count */

/* The CPU's own counters, where the system lets a program read them (Linux). Virtual machines often do not. */
typedef struct po_counters {
  int file[2]; /* instructions, cycles; −1: not to be had */
} po_counters;
/* Returns whether there are any; `why` tells what is counted, or why nothing is. */
int po_counters_open(po_counters *counters, char *why, size_t capacity);
void po_counters_start(const po_counters *counters);
void po_counters_stop(double *instructions, double *cycles, const po_counters *counters); /* since the start; < 0: unknown */
void po_counters_close(po_counters *counters);

/* ---- cases ------------------------------------------------------------------------------------------------------------- */

/* One job. run() does it once and returns its status: "ok", "optimal", "infeasible", … (a string that outlives the bench).
 * A job that destroys its input has `slots` copies of it: setup(user, slot), not timed, restores the copy that run(user, slot)
 * then works on. setup NULL: run may be called again and again. Keep all copies together within the level-1 cache if you can
 * (po_bench_slots). */
typedef const char *(*po_bench_run_fn)(void *user, int slot);
typedef void (*po_bench_setup_fn)(void *user, int slot);

typedef struct po_bench_extra_field {
  char name[24];
  double value;
} po_bench_extra_field;

typedef struct po_bench_result {
  char room[16], name[48], variant[48], start[16], status[24];
  po_simd simd;
  int size;
  double median_ns, p99_ns, max_ns, min_ns, flops;
  double instructions, cycles; /* of one run; < 0: there are no counters */
  int samples;
  int extra_count;
  po_bench_extra_field extra[20]; /* further fields of the JSON, such as iterations */
  char *detail;                   /* further members of its JSON object that are not numbers, written by the room; owned; may be NULL */
} po_bench_result;

typedef struct po_bench_case {
  const char *name;    /* the JSON's "case": gemm, aba, a problem's name */
  const char *variant; /* scalar, avx2, lexicographic, … */
  const char *start;   /* cold, warm; "" where it has no meaning */
  int size;
  double flops; /* of one run; 0: not counted */
  po_simd simd; /* in force while it runs; AUTO: the program's choice */
  po_bench_setup_fn setup;
  po_bench_run_fn run;
  int slots;
  int single;     /* a sample is one run, however short: the runs differ, and their spread is what is asked */
  int min_rounds; /* at least so many samples, unless that takes 25 times the case's share of the time */
  void (*sampled)(void *user, double seconds); /* told each sample that counts; may be NULL */
  void *user;
  void (*report)(void *user, po_bench_result *result); /* may add extra fields once it is measured; may be NULL */
} po_bench_case;

/* A case without setup, with start "", simd AUTO, no flops; change what differs. */
po_bench_case po_bench_case_of(const char *name, const char *variant, int size, po_bench_run_fn run, void *user);
/* How many copies of `bytes` to keep: as many as fit 16 KiB, 1 … 32. */
int po_bench_slots(size_t bytes);

/* ---- a bench ----------------------------------------------------------------------------------------------------------- */

typedef struct po_bench_options {
  po_simd simd;             /* AUTO: every path this CPU has; else that one */
  const char *model;        /* --model, or NULL */
  const char *const *files; /* what the user named after the room */
  int file_count;
  double seconds_per_case; /* how long each case is repeated */
  const char *filter;      /* only cases whose name contains it; NULL: all */
  const char *problems;    /* folder of recorded problems (bench/problems), or NULL */
  const volatile int *stop; /* when it becomes nonzero, what has been measured is reported; may be NULL */
} po_bench_options;
po_bench_options po_bench_options_default(void);

typedef struct po_bench {
  po_bench_options options;
  po_machine machine;
  const char *room; /* the one that is running */
  po_bench_result *results;
  int count, capacity;
  void (*progress)(void *user, const po_bench_result *latest); /* may be NULL */
  void *progress_user;
  po_counters counters;
  int interrupted; /* the room that ran was cut short */
} po_bench;

void po_bench_init(po_bench *bench, const po_bench_options *options);
void po_bench_free(po_bench *bench);
/* Measures the cases in turn and appends their results. All run under their own SIMD choice; the one in force before is restored. */
po_status po_bench_measure(po_bench *bench, const po_bench_case *cases, int count, po_error *err);
/* The SIMD paths to measure, slowest first: one, or scalar and avx2. */
int po_bench_simds(po_simd paths[2], const po_bench *bench);
/* Seconds that a case may take at most, beyond its first sample: 25 times options.seconds_per_case. */
double po_bench_patience(const po_bench *bench);
/* Whether the user's filter wants this case. Ask before building a costly one; po_bench_measure asks again. */
int po_bench_wants(const po_bench *bench, const char *name);
void po_bench_extra(po_bench_result *result, const char *name, double value);
/* Members that are not numbers: `object` is a JSON object on one line, whose members are moved into the result's. Frees the buffer. */
void po_bench_detail(po_bench_result *result, po_buffer *object);

/* ---- rooms -------------------------------------------------------------------------------------------------------------- */

typedef struct po_bench_room {
  const char *name, *summary;
  int takes_files; /* whether FILE… may follow */
  po_status (*run)(po_bench *bench, po_error *err);
} po_bench_room;
extern const po_bench_room *const po_bench_rooms[]; /* registry.c; ended by NULL */
po_status po_bench_run_room(po_bench *bench, const po_bench_room *room, po_error *err);

/* Statuses that mean success: ok, optimal, success. */
int po_bench_good(const char *status);

/* ---- reports ------------------------------------------------------------------------------------------------------------ */

double po_bench_gflops(const po_bench_result *result); /* 0 when flops are not counted */
double po_bench_share_of_peak(const po_bench *bench, const po_bench_result *result);
/* Three significant digits and a unit that keeps them readable. */
void po_bench_time(char out[24], double ns);
void po_bench_table(po_buffer *out, const po_bench *bench);
void po_bench_json(po_buffer *out, const po_bench *bench);
void po_bench_html(po_buffer *out, const po_bench *bench);

/* Compares with an earlier JSON report: ratios new / old of the medians, for the cases both have. A solve is lost when it was good
 * (ok, optimal, success) and no longer is, or has vanished from a room that ran. Time is noisy and only warned about. */
#define PO_BENCH_TIME_GUARD 1.25
#define PO_BENCH_ITERATION_GUARD 1.05
typedef struct po_bench_comparison {
  int compared, lost, slower, more_iterations;
} po_bench_comparison;
po_status po_bench_against(po_buffer *out, po_bench_comparison *found, const po_bench *bench, const char *old_path, po_error *err);

#endif
