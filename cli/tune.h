/* tune.h: the parts of `poise tune` (docs/tune.md).
 *
 *   cmd_tune.c     the command: generation after generation, then the verdict
 *   tune_spec.c    what its words ask for
 *   tune_state.c   the file that a search is kept in, after every generation
 *   tune_work.c    runs spread over processes, workers, shards
 *   tune_report.c  what was found: settings, report, page
 */
#ifndef PO_CLI_TUNE_H
#define PO_CLI_TUNE_H

#include "../scenes/tuning.h"
#include "jobs.h"

#define PO_TUNE_SEEDS 4096
#define PO_TUNE_NOISE_SEEDS 1000 /* with noise, seeds of the search begin here */
#define PO_TUNE_CANDIDATES 129   /* the start, then the best or a front */

typedef struct po_tune_generation { int points, repeats; double *told; } po_tune_generation; /* told [points][costs + 1]: costs, violation */

typedef struct po_tune_job {
  po_args *args;             /* as given: how, how long, where to */
  po_args spec, saved;       /* what is searched: those words alone; as the state has them */
  int has_spec, has_saved;
  po_tuning *tuning;
  po_tune *search;
  uint64_t key;              /* of models, parameters, methods */
  uint64_t seed[PO_TUNE_SEEDS], judge[PO_TUNE_SEEDS];
  int seeds, judges, noise;
  char seeds_text[64], judge_text[64], models[512];
  /* how */
  po_jobs jobs;
  const char *workers, *out, *from;
  char state[1024];          /* where the search is kept; "": nowhere */
  long budget, saved_budget; /* evaluations */
  /* what has been told */
  po_tune_generation *generation;
  int generations, capacity;
  /* the work under way */
  const double *candidate;   /* [candidates][frees], NaN first: the start as it is; NULL: a generation of the search */
  int candidates, runs;      /* of a point */
  po_tuning_score *score;    /* [points][runs] */
  po_progress progress;
  double started;
  long begun;                /* evaluations when this process began */
  double best, median;
} po_tune_job;

/* ---- tune_spec.c ---- */
extern const po_option po_tune_option_table[];
/* Whether an option says how a search is done and not which it is. */
int po_tune_is_how(const char *option);
/* The words that say which search it is. */
void po_tune_words(po_jw *w, const po_args *args);
/* Fills tuning, seeds, search from j->spec. An exit code. */
int po_tune_read_spec(po_tune_job *j);

/* ---- tune_state.c ---- */
void po_tune_state_text(po_buffer *out, const po_tune_job *j);
/* Whole or not at all: beside it, then in its place. */
int po_tune_state_write(const po_tune_job *j, const char *path);
/* What the file's words are: j->saved; then po_tune_state_replay goes through what was told. */
int po_tune_state_read(po_tune_job *j, const char *path, po_json **root);
int po_tune_state_replay(po_tune_job *j, const po_json *root, const char *path);
int po_tune_keep(po_tune_job *j, int points, int repeats, const double *told);

/* ---- tune_work.c ---- */
/* The runs of a generation, or of the candidates: into j->score. PO_EXIT_GOOD, or after a message another; *interrupted: Ctrl-C. */
int po_tune_work(po_tune_job *j, int *interrupted);
int po_tune_points(const po_tune_job *j);

/* ---- tune_report.c ---- */
typedef struct po_tune_result { po_tuning_score searched, judged; } po_tune_result; /* of a candidate */
int po_tune_report(po_tune_job *j, const po_tune_result *result, int chosen);

#endif
