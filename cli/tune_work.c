/* tune_work.c: the runs of a generation, each a unit of work (jobs.h): done here, by processes of this program, by workers that a prefix starts, or in shards. */
#define _POSIX_C_SOURCE 200809L
#include "plan.h"
#include "tune.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORK_ATTEMPTS 3      /* of a share whose worker dies */

typedef struct work_bytes { uint64_t point; po_tuning_score score; } work_bytes; /* of a unit: of which point it is, and what the run came to */

/* ---- units ---- */

int po_tune_points(const po_tune_job *j) { return j->candidate ? j->candidates : po_tune_ask(j->search); }

/* A candidate that begins with NaN is the start as it is. */
static const double *work_point(const po_tune_job *j, int i) {
  const double *x = j->candidate ? j->candidate + (size_t)i * (size_t)j->tuning->frees : po_tune_point(j->search, i);
  return x[0] != x[0] ? NULL : x;
}

/* Seeds and, for each, variants. Candidates: the seeds of the search, then those of the verdict. */
static uint64_t work_seed(const po_tune_job *j, int point, int run) {
  int k = run / po_tuning_variants(j->tuning);
  if (j->candidate) return k < j->seeds ? j->seed[k] : j->judge[k - j->seeds];
  if (j->noise > 1) return (uint64_t)(PO_TUNE_NOISE_SEEDS + po_tune_draw(j->search, point) + k);
  return j->seed[k];
}

static int work_runs(const po_tune_job *j) {
  int seeds = j->candidate ? j->seeds + j->judges : j->noise > 1 ? po_tune_state(j->search).repeats : j->seeds;
  return seeds * po_tuning_variants(j->tuning);
}

static uint64_t work_name(const po_tune_job *j, int point) {
  const double *x = work_point(j, point);
  return x ? po_hash_doubles(x, (size_t)j->tuning->frees, j->key) : j->key;
}

static po_status work_unit(void *user, po_buffer *out, int index, po_error *err) {
  po_tune_job *j = user;
  int point = index / j->runs, run = index % j->runs;
  work_bytes b;
  po_status st;
  memset(&b, 0, sizeof b);
  b.point = work_name(j, point);
  st = po_tuning_run(&b.score, j->tuning, work_point(j, point), run % po_tuning_variants(j->tuning), work_seed(j, point, run), err);
  if (st == PO_OK) po_buffer_add(out, (const char *)&b, sizeof b);
  return st;
}

static po_status work_join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  po_tune_job *j = user;
  work_bytes b;
  if (size != sizeof b) return po_fail(err, PO_ERR_SIZE, "a run's result has %zu bytes, not %zu: it was done by another program", size, sizeof b);
  memcpy(&b, bytes, sizeof b);
  if (b.point != work_name(j, index / j->runs)) return po_fail(err, PO_ERR_STATE, "a run's result is of another point: the parts are of another generation");
  j->score[index] = b.score;
  return PO_OK;
}

/* "gen 12  best 0.41  median 0.52  3.1 a second  240 s left" */
static void work_progress(void *user, int done, int all) {
  po_tune_job *j = user;
  po_tune_status s = po_tune_state(j->search);
  double share = all ? (double)done / all : 0, tried = j->candidate ? (double)s.evaluations : (double)s.evaluations + share * po_tune_points(j);
  double rate = (tried - (double)j->begun) / po_max(po_cli_clock() - j->started, 1e-3);
  char text[128], left[32] = "";
  if (rate > 0) po_format(left, sizeof left, "  %.0f s left", po_max(0, (double)j->budget - tried) / rate);
  if (j->candidate) po_format(text, sizeof text, "verdict  %d / %d runs", done, all);
  else if (j->generations == 0) po_format(text, sizeof text, "generation 1  %.2g points a second%s", rate, left);
  else po_format(text, sizeof text, "generation %ld  best %.4g  median %.4g  %.2g points a second%s", s.generation + 1, j->best, j->median, rate, left);
  po_progress_text(&j->progress, j->candidate ? share : tried / (double)j->budget, text);
}

static void work_describe(po_work *w, po_tune_job *j) {
  po_buffer state = {0};
  memset(w, 0, sizeof *w);
  po_tune_state_text(&state, j);
  w->units = po_tune_points(j) * j->runs;
  w->key = po_hash(state.data ? state.data : "", state.size, j->candidate ? 1 : 0);
  w->user = j;
  w->unit = work_unit;
  w->join = work_join;
  w->stop = po_plan_stop();
  w->progress = work_progress;
  po_buffer_free(&state);
}

/* ---- processes ---- */

/* A process that was killed is started again: its unit has lost nothing but time. */
static int work_pool(po_tune_job *j, const po_work *w, int *interrupted) {
  po_unit *unit = po_alloc(sizeof *unit * (size_t)w->units);
  int *index = po_alloc(sizeof *index * (size_t)w->units), attempt, left = w->units, i, code = PO_EXIT_GOOD;
  po_error err;
  po_status st = PO_OK;
  if (!unit || !index) code = po_cli_fail("tune: out of memory");
  for (attempt = 0; !code && attempt < WORK_ATTEMPTS && left > 0 && !w->stop(); attempt++) {
    for (left = i = 0; i < w->units; i++)
      if (!unit[i].done) index[left++] = i;
    if ((st = po_jobs_pool(unit, w, index, left, j->jobs.processes, &err)) != PO_ERR_STATE) break;
  }
  *interrupted = w->stop();
  if (!code && st != PO_OK) code = po_cli_error(&err);
  for (i = 0; !code && !*interrupted && i < w->units; i++)
    if (work_join(j, i, unit[i].bytes.data, unit[i].bytes.size, &err) != PO_OK) code = po_cli_error(&err);
  for (i = 0; unit && i < w->units; i++) po_buffer_free(&unit[i].bytes);
  po_free(unit);
  po_free(index);
  return code;
}

/* ---- workers ---- */

#define WORK_WORDS 64
typedef struct work_share { pid_t pid; int attempts, done; char part[1100]; } work_share;

static char *work_self(void) {
  static char self[1024];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n > 0 ? n : 0] = '\0';
  return self;
}

/* Does not return: the prefix' words, then `poise tune --from STATE --shard I/N --state PART`. */
static void work_become(const po_tune_job *j, const char *part, int i, int n) {
  static char prefix[2048];
  char shard[48], *words[WORK_WORDS + 16], *word;
  int count = 0;
  po_format(prefix, sizeof prefix, "%s", j->workers);
  for (word = strtok(prefix, " \t"); word && count < WORK_WORDS; word = strtok(NULL, " \t")) words[count++] = word;
  po_format(shard, sizeof shard, "%d/%d", i, n);
  words[count++] = work_self();
  words[count++] = (char *)"tune";
  words[count++] = (char *)"--quiet";
  words[count++] = (char *)"--from";
  words[count++] = (char *)j->state;
  words[count++] = (char *)"--simd";
  words[count++] = (char *)po_simd_string(po_get_simd());
  words[count++] = (char *)"--judge";
  words[count++] = (char *)j->judge_text;
  if (j->candidate) words[count++] = (char *)"--verdict";
  words[count++] = (char *)"--shard";
  words[count++] = shard;
  words[count++] = (char *)"--state";
  words[count++] = (char *)part;
  words[count] = NULL;
  execvp(words[0], words);
  po_cli_fail("tune: --workers: '%s' could not be started: %s", words[0], strerror(errno));
  _exit(127);
}

static int work_start(const po_tune_job *j, work_share *s, int i, int n) {
  s->attempts++;
  remove(s->part);
  if ((s->pid = fork()) == 0) {
    setpgid(0, 0); /* so that a terminal's Ctrl-C reaches us alone, and we end them */
    work_become(j, s->part, i, n);
  }
  if (s->pid > 0) return PO_EXIT_GOOD;
  return po_cli_fail("tune: a worker could not be started: %s", strerror(errno));
}

static int work_ended(const po_tune_job *j, work_share *s, int i, int n, int status) {
  s->pid = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && access(s->part, R_OK) == 0) {
    s->done = 1;
    return PO_EXIT_GOOD;
  }
  if (s->attempts < WORK_ATTEMPTS) return work_start(j, s, i, n);
  if (WIFSIGNALED(status)) return po_cli_fail("tune: worker %d of %d was killed by signal %d, %d times", i + 1, n, WTERMSIG(status), WORK_ATTEMPTS);
  return po_cli_fail("tune: worker %d of %d ended with exit code %d and without its part, %d times", i + 1, n, WEXITSTATUS(status), WORK_ATTEMPTS);
}

static void work_end(work_share *s, int n) {
  int i;
  for (i = 0; i < n; i++)
    if (s[i].pid > 0) kill(-s[i].pid, SIGTERM);
  for (i = 0; i < n; i++)
    while (s[i].pid > 0 && waitpid(s[i].pid, NULL, 0) < 0 && errno == EINTR) {}
}

static int work_wait(po_tune_job *j, const po_work *w, work_share *s, int n) {
  const struct timespec pause = {0, 20000000};
  int i, left = n, code = PO_EXIT_GOOD;
  while (left > 0 && !code && !w->stop()) {
    for (left = n, i = 0; i < n && !code; i++) {
      int status;
      if (!s[i].done && waitpid(s[i].pid, &status, WNOHANG) > 0) code = work_ended(j, &s[i], i, n, status);
      left -= s[i].done;
    }
    work_progress(j, (n - left) * w->units / n, w->units);
    if (left > 0) nanosleep(&pause, NULL);
  }
  return code;
}

static int work_collect(po_tune_job *j, const po_work *w, const work_share *s, int n) {
  const char **path = po_alloc(sizeof *path * (size_t)n);
  po_parts *parts = NULL;
  po_error err;
  int i, code = PO_EXIT_GOOD;
  if (!path) return po_cli_fail("tune: out of memory");
  for (i = 0; i < n; i++) path[i] = s[i].part;
  if (po_parts_read(&parts, path, n, &err) != PO_OK) code = po_cli_error(&err);
  else if (parts->units != w->units) code = po_cli_fail("tune: workers did %d runs, not %d: is it the same program everywhere?", parts->units, w->units);
  for (i = 0; !code && i < w->units; i++)
    if (work_join(j, i, parts->unit[i].bytes.data, parts->unit[i].bytes.size, &err) != PO_OK) code = po_cli_error(&err);
  if (parts) po_parts_free(parts);
  po_free(path);
  return code;
}

static int work_workers(po_tune_job *j, const po_work *w, int *interrupted) {
  int n = j->jobs.processes < w->units ? j->jobs.processes : w->units, i, code = PO_EXIT_GOOD;
  work_share *s = po_alloc(sizeof *s * (size_t)n);
  if (!s) return po_cli_fail("tune: out of memory");
  for (i = 0; i < n; i++) po_format(s[i].part, sizeof s[i].part, "%s.part%d", j->state, i);
  for (i = 0; i < n && !code; i++) code = work_start(j, &s[i], i, n);
  if (!code) code = work_wait(j, w, s, n);
  *interrupted = w->stop();
  work_end(s, n);
  if (!code && !*interrupted) code = work_collect(j, w, s, n);
  for (i = 0; i < n; i++) remove(s[i].part);
  po_free(s);
  return code;
}

/* ---- */

int po_tune_work(po_tune_job *j, int *interrupted) {
  po_work w;
  *interrupted = 0;
  j->runs = work_runs(j);
  work_describe(&w, j);
  po_free(j->score);
  if (!(j->score = po_alloc(sizeof *j->score * (size_t)w.units))) return po_cli_fail("tune: out of memory");
  if (j->jobs.shards || j->args->parts) return po_jobs_run(&j->jobs, &w);
  return j->workers ? work_workers(j, &w, interrupted) : work_pool(j, &w, interrupted);
}
