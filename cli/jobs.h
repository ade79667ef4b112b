/* jobs.h: independent units of work, done by one process, by several, or a share on each of several machines (docs/jobs.md).
 *
 *   work         po_work            what there is to do: a number of units, each an index that becomes bytes
 *   a command    po_jobs_read  po_jobs_run     --jobs N, --shard i/N, --resume PART; the rest is the command's own
 *   processes    po_jobs_pool       units spread over N processes
 *   parts        po_part_write  po_parts_read  po_parts_free     what a shard leaves behind, for `poise merge`
 *                po_part_resume     what an interrupted command leaves behind, to go on from
 *
 * A unit's bytes depend on its index and on the work's key and on nothing else: not on who did it, nor on what was done before. They are
 * joined in the order of the units. So the result is the same bytes for any number of processes and shards.
 *
 *   po_jobs jobs;
 *   if (!po_jobs_read(&jobs, args, "json")) return PO_EXIT_USAGE;
 *   code = po_jobs_run(&jobs, &work);
 *   if (code || jobs.shards) return code;   // a part has been written; `poise merge` makes the command go on below
 *   ... write what was joined ...
 */
#ifndef PO_CLI_JOBS_H
#define PO_CLI_JOBS_H

#include "cli.h"

#define PO_JOBS_MAX 256
#define PO_SHARDS_MAX 100000
#define PO_PART_WORDS 4096 /* of a command: more is not one that was typed */

typedef struct po_work {
  int units;
  uint64_t key;     /* hash of all that decides the bytes: model, parameters, methods. Kernels in force and command are added to it */
  void *user;
  /* Once in a process before its first unit, and before it divides itself: what every unit begins from. May be NULL. */
  po_status (*prepare)(void *user, po_error *err);
  /* Appends the unit's bytes. */
  po_status (*unit)(void *user, po_buffer *out, int index, po_error *err);
  /* Takes a unit's bytes: called for every unit, in order, after all are there. */
  po_status (*join)(void *user, int index, const char *bytes, size_t size, po_error *err);
  int (*stop)(void);                               /* 1: interrupted; units not begun are left out. May be NULL */
  void (*progress)(void *user, int done, int all); /* may be NULL */
} po_work;

/* One unit's bytes as they are collected. */
typedef struct po_unit {
  po_buffer bytes;
  int done;
} po_unit;

typedef struct po_parts po_parts;

typedef struct po_jobs {
  const po_args *args;
  const char *result;     /* the option that names the file of the result, and of a part */
  int processes;          /* 1 … PO_JOBS_MAX */
  int shard, shards;      /* shards 0: all of it */
  int resumable;          /* 1: the command has PO_OPTION_RESUME: interrupted, it leaves an unfinished part beside its result */
  const char *resume;     /* such a part, to go on from; NULL: none */
} po_jobs;

#define PO_OPTION_JOBS                                                                                                             \
  {"jobs", "N", "spread the work over N processes; the result is the same (1)"},                                                   \
      {"shard", "I/N", "do the Ith of N shares (0 <= I < N) and write a part, for `poise merge`"}

#define PO_OPTION_RESUME {"resume", "PART", "go on from what an interrupted run of the same command left"}

/* Reads --jobs, --shard and --resume. `result`: the option that names the result's file; with --shard it must have been given. 0 after a message. */
int po_jobs_read(po_jobs *jobs, po_args *args, const char *result);
/* Does the work, or takes it from the parts that `poise merge` was given, and joins it; with --shard writes a part instead. Returns an exit code. */
int po_jobs_run(const po_jobs *jobs, const po_work *work);

/* Does the listed units (indices, count of them) with so many processes; out[index] is filled. The first failure ends it. */
po_status po_jobs_pool(po_unit *out, const po_work *work, const int *index, int count, int processes, po_error *err);

/* ---- parts ---- */

struct po_parts {
  int argc;               /* words of the command that made them, the command's name first */
  const char **argv;
  const char *result;     /* the option that names its result */
  const char *simd;       /* kernels that were in force */
  uint64_t key;
  int shards, units;
  po_unit *unit;
  void *inner;
};
/* Appends a part: a line of JSON that tells whose it is, then the units that are done, then a hash of all before it. */
void po_part_write(po_buffer *out, const po_jobs *jobs, const po_work *work, const po_unit *unit);
/* Units that an unfinished part of the same work and share holds. A foreign or damaged one is refused. */
po_status po_part_resume(po_unit *unit, const po_jobs *jobs, const po_work *work, po_error *err);
/* Reads a complete set. A missing, doubled, damaged or foreign part is refused by name. */
po_status po_parts_read(po_parts **parts, const char *const *paths, int count, po_error *err);
void po_parts_free(po_parts *parts);
/* The key that a part carries: the work's own, the kernels in force and the command. */
uint64_t po_jobs_key(const po_jobs *jobs, const po_work *work);

#endif
