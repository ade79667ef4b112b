/* jobs.c: units of work spread over processes.
 *
 * The parent hands every child the index of one unit through a pipe and gets back a head (index, status, size) and the bytes through
 * another; who is done first gets the next unit. A child is a copy of the parent after po_work.prepare, so nothing is prepared twice.
 */
#define _POSIX_C_SOURCE 200809L
#include "jobs.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct jobs_head { int64_t index, status, size; } jobs_head;

typedef struct jobs_child {
  pid_t pid;
  int to, from;      /* pipe ends of the parent; −1: closed */
  int index;         /* unit at work; −1: none */
  jobs_head head;
  size_t got;        /* bytes of the head so far */
  po_buffer bytes;
} jobs_child;

/* ---- the child ---- */

static int jobs_put(int fd, const void *bytes, size_t size) {
  const char *at = (const char *)bytes;
  while (size > 0) {
    ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static int jobs_get(int fd, void *bytes, size_t size) {
  char *at = (char *)bytes;
  while (size > 0) {
    ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    at += n;
    size -= (size_t)n;
  }
  return 1;
}

static po_status jobs_unit(const po_work *work, int index, po_buffer *out, po_error *err) {
  po_status s = work->unit(work->user, out, index, err);
  return s == PO_OK && out->failed ? po_fail(err, PO_ERR_MEMORY, "out of memory") : s;
}

/* Until the parent closes its end. A failed unit sends its message in place of bytes. */
static void jobs_serve(const po_work *work, int in, int out) {
  int32_t index;
  signal(SIGINT, SIG_IGN); /* the parent decides what an interrupt means */
  while (jobs_get(in, &index, sizeof index)) {
    po_buffer bytes = {0};
    po_error err;
    jobs_head head;
    po_status s = jobs_unit(work, index, &bytes, &err);
    const char *data = s == PO_OK ? bytes.data : err.message;
    head.index = index;
    head.status = s;
    head.size = s == PO_OK ? (int64_t)bytes.size : (int64_t)strlen(err.message);
    if (!jobs_put(out, &head, sizeof head) || !jobs_put(out, data, (size_t)head.size)) break;
    po_buffer_free(&bytes);
  }
}

/* ---- the parent ---- */

static po_status jobs_start(jobs_child *c, int count, const po_work *work, po_error *err) {
  int i, down[2], up[2];
  for (i = 0; i < count; i++) {
    if (pipe(down)) return po_fail(err, PO_ERR_FILE, "a process could not be started: %s", strerror(errno));
    if (pipe(up)) {
      close(down[0]);
      close(down[1]);
      return po_fail(err, PO_ERR_FILE, "a process could not be started: %s", strerror(errno));
    }
    fflush(NULL);
    c[i].pid = fork();
    if (c[i].pid == 0) {
      int k;
      for (k = 0; k < i; k++) close(c[k].to), close(c[k].from); /* or a dead parent would go unnoticed */
      close(down[1]);
      close(up[0]);
      jobs_serve(work, down[0], up[1]);
      _exit(0);
    }
    close(down[0]);
    close(up[1]);
    c[i].to = down[1];
    c[i].from = up[0];
    c[i].index = -1;
    if (c[i].pid < 0) return po_fail(err, PO_ERR_FILE, "a process could not be started: %s", strerror(errno));
  }
  return PO_OK;
}

static void jobs_end(jobs_child *c, int count, int at_once) {
  int i;
  for (i = 0; i < count; i++) {
    if (c[i].to >= 0) close(c[i].to);
    if (c[i].from >= 0) close(c[i].from);
    if (c[i].pid > 0 && at_once) kill(c[i].pid, SIGKILL);
  }
  for (i = 0; i < count; i++) {
    while (c[i].pid > 0 && waitpid(c[i].pid, NULL, 0) < 0 && errno == EINTR) {}
    po_buffer_free(&c[i].bytes);
  }
}

static int jobs_give(jobs_child *c, int index) {
  int32_t word = index;
  c->index = index;
  c->got = 0;
  c->bytes.size = 0;
  return jobs_put(c->to, &word, sizeof word);
}

/* Takes what a child has sent; 1: its unit is whole. */
static po_status jobs_take(jobs_child *c, int *whole, po_error *err) {
  char piece[65536];
  ssize_t n;
  *whole = 0;
  if (c->got < sizeof c->head) n = read(c->from, (char *)&c->head + c->got, sizeof c->head - c->got);
  else {
    size_t left = (size_t)c->head.size - c->bytes.size;
    n = read(c->from, piece, left < sizeof piece ? left : sizeof piece);
    if (n > 0) po_buffer_add(&c->bytes, piece, (size_t)n);
  }
  if (n < 0 && errno == EINTR) return PO_OK;
  if (n <= 0) return po_fail(err, PO_ERR_STATE, "the process at unit %d ended before it was done", c->index);
  if (c->got < sizeof c->head) c->got += (size_t)n;
  if (c->bytes.failed) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (c->got < sizeof c->head || c->bytes.size < (size_t)c->head.size) return PO_OK;
  *whole = 1;
  if (c->head.status == PO_OK) return PO_OK;
  return po_fail(err, (po_status)c->head.status, "%.*s", (int)c->bytes.size, c->bytes.data ? c->bytes.data : "");
}

static void jobs_keep(po_unit *out, jobs_child *c) {
  out[c->index].bytes = c->bytes;
  out[c->index].done = 1;
  memset(&c->bytes, 0, sizeof c->bytes);
  c->index = -1;
}

/* One look at all children; *done counts units that came in. */
static po_status jobs_round(po_unit *out, jobs_child *c, int count, int *done, po_error *err) {
  struct pollfd fd[PO_JOBS_MAX];
  int i, n = 0, who[PO_JOBS_MAX];
  for (i = 0; i < count; i++)
    if (c[i].index >= 0) {
      fd[n].fd = c[i].from;
      fd[n].events = POLLIN;
      fd[n].revents = 0;
      who[n++] = i;
    }
  if (n == 0 || poll(fd, (nfds_t)n, 100) <= 0) return PO_OK;
  for (i = 0; i < n; i++)
    if (fd[i].revents) {
      int whole;
      po_status s = jobs_take(&c[who[i]], &whole, err);
      if (s != PO_OK) return s;
      if (!whole) continue;
      jobs_keep(out, &c[who[i]]);
      (*done)++;
    }
  return PO_OK;
}

static int jobs_stopped(const po_work *work) { return work->stop && work->stop(); }

static po_status jobs_spread(po_unit *out, const po_work *work, const int *index, int count, jobs_child *c, int children, po_error *err) {
  int i, given = 0, done = 0;
  po_status s = PO_OK;
  while (s == PO_OK && done < count && !jobs_stopped(work)) {
    for (i = 0; i < children && given < count; i++)
      if (c[i].index < 0 && !jobs_give(&c[i], index[given++])) return po_fail(err, PO_ERR_STATE, "the process at unit %d has gone", index[given - 1]);
    s = jobs_round(out, c, children, &done, err);
    if (work->progress) work->progress(work->user, done, count);
  }
  return s;
}

po_status po_jobs_pool(po_unit *out, const po_work *work, const int *index, int count, int processes, po_error *err) {
  jobs_child child[PO_JOBS_MAX];
  int i, n = processes < count ? processes : count;
  void (*pipes)(int);
  po_status s = PO_OK;
  if (count > 0 && work->prepare && (s = work->prepare(work->user, err)) != PO_OK) return s;
  for (i = 0; n <= 1 && i < count && s == PO_OK && !jobs_stopped(work); i++) {
    s = jobs_unit(work, index[i], &out[index[i]].bytes, err);
    out[index[i]].done = s == PO_OK;
    if (work->progress) work->progress(work->user, i + 1, count);
  }
  if (n <= 1) return s;
  if (n > PO_JOBS_MAX) n = PO_JOBS_MAX;
  memset(child, 0, sizeof child);
  for (i = 0; i < n; i++) child[i].to = child[i].from = child[i].index = -1;
  pipes = signal(SIGPIPE, SIG_IGN); /* a child that has gone is told by its silence */
  s = jobs_start(child, n, work, err);
  if (s == PO_OK) s = jobs_spread(out, work, index, count, child, n, err);
  jobs_end(child, n, s != PO_OK || jobs_stopped(work));
  signal(SIGPIPE, pipes);
  return s;
}

/* ---- a command's part ---- */

int po_jobs_read(po_jobs *jobs, po_args *args, const char *result) {
  const char *shard = po_args_string(args, "shard", NULL), *end = shard, *path = po_args_string(args, result, NULL);
  const po_option *o;
  memset(jobs, 0, sizeof *jobs);
  jobs->args = args;
  jobs->result = result;
  jobs->processes = po_args_int(args, "jobs", 1, 1, PO_JOBS_MAX);
  for (o = args->command->options; o && o->name; o++) jobs->resumable |= !strcmp(o->name, "resume");
  jobs->resume = po_args_string(args, "resume", NULL);
  if (args->failed) return 0;
  if (!shard) return 1;
  if (po_parse_int(&jobs->shard, &end, shard, shard + strlen(shard)) != PO_OK || *end != '/' ||
      po_parse_int(&jobs->shards, &end, end + 1, shard + strlen(shard)) != PO_OK || *end || jobs->shards < 1 || jobs->shards > PO_SHARDS_MAX ||
      jobs->shard < 0 || jobs->shard >= jobs->shards) {
    po_cli_fail("%s: --shard %s: I/N is needed, such as 0/4, with 0 <= I < N <= %d", args->command->name, shard, PO_SHARDS_MAX);
    return 0;
  }
  if (!path) po_cli_fail("%s: --shard writes a part: say where with --%s FILE", args->command->name, result);
  return path != NULL;
}

static int jobs_write_part(const po_jobs *jobs, const po_work *work, const po_unit *unit, const char *path) {
  po_buffer part = {0};
  int code;
  po_part_write(&part, jobs, work, unit);
  code = po_cli_write(path, &part);
  po_buffer_free(&part);
  return code;
}

/* What is done is kept beside where the result would have gone, for --resume. */
static int jobs_interrupted(const po_jobs *jobs, const po_work *work, const po_unit *unit, int done, int all) {
  const char *result = po_args_string(jobs->args, jobs->result, NULL);
  char path[1024];
  int code;
  if (!jobs->resumable) return po_cli_fail("interrupted: a part must be whole, so none was written");
  if (!result || !strcmp(result, "-") || strlen(result) + 6 > sizeof path) {
    po_cli_fail("interrupted: %d of %d units were done; with --%s FILE they would have been kept", done, all, jobs->result);
    return PO_EXIT_FAILED;
  }
  po_format(path, sizeof path, "%s.part", result);
  if ((code = jobs_write_part(jobs, work, unit, path)) != PO_EXIT_GOOD) return code;
  po_cli_fail("interrupted: %d of %d units are in %s; the same command with --resume %s goes on from there", done, all, path, path);
  return PO_EXIT_FAILED;
}

/* Units of the parts, after a look whether they belong to this work: a model file may have changed since. */
static const po_unit *jobs_merged(const po_jobs *jobs, const po_work *work) {
  const po_parts *p = jobs->args->parts;
  if (p->units == work->units && p->key == po_jobs_key(jobs, work)) return p->unit;
  po_cli_fail("merge: the parts do not fit their own command any more: it has %d units of work and key %016llx, they were made for %d and %016llx; "
              "a model file or the program has changed", work->units, (unsigned long long)po_jobs_key(jobs, work), p->units, (unsigned long long)p->key);
  return NULL;
}

/* Units of this share that are not there yet. */
static int jobs_left(int *index, const po_jobs *jobs, const po_work *work, const po_unit *unit) {
  int i, n = 0;
  for (i = jobs->shards ? jobs->shard : 0; i < work->units; i += jobs->shards ? jobs->shards : 1)
    if (!unit[i].done) index[n++] = i;
  return n;
}

int po_jobs_run(const po_jobs *jobs, const po_work *work) {
  const po_unit *from = NULL;
  po_unit *unit = po_alloc(sizeof *unit * ((size_t)work->units + 1));
  int *index = po_alloc(sizeof *index * ((size_t)work->units + 1)), i, all = 0, left, code = PO_EXIT_GOOD;
  po_error err;
  if (!unit || !index) code = po_cli_fail("out of memory");
  if (!code) all = jobs_left(index, jobs, work, unit);
  if (!code && jobs->args->parts) code = (from = jobs_merged(jobs, work)) ? PO_EXIT_GOOD : PO_EXIT_USAGE;
  else if (!code && jobs->resume && po_part_resume(unit, jobs, work, &err) != PO_OK) code = po_cli_error(&err);
  if (!code && !from && po_jobs_pool(unit, work, index, jobs_left(index, jobs, work, unit), jobs->processes, &err) != PO_OK) code = po_cli_error(&err);
  if (!from) from = unit;
  if (!code && from == unit && (left = jobs_left(index, jobs, work, unit)) > 0 && (jobs->shards || jobs->resumable)) code = jobs_interrupted(jobs, work, unit, all - left, all);
  if (!code && jobs->shards) code = jobs_write_part(jobs, work, unit, po_args_string(jobs->args, jobs->result, "-"));
  for (i = 0; !code && !jobs->shards && i < work->units; i++)
    if (from[i].done && work->join(work->user, i, from[i].bytes.data ? from[i].bytes.data : "", from[i].bytes.size, &err) != PO_OK) code = po_cli_error(&err);
  for (i = 0; unit && i < work->units; i++) po_buffer_free(&unit[i].bytes);
  po_free(unit);
  po_free(index);
  return code;
}
