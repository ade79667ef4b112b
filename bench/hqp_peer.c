/* hqp_peer.c: three kinds of solvers behind one face. */
#define _POSIX_C_SOURCE 200809L
#include "hqp_peer.h"

#include "bench.h"

#include <stdio.h>
#include <string.h>

#if defined(__unix__) || defined(__APPLE__)
#define HQPP_UNIX 1
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { HQPE_LINE = 1 << 20 };

struct po_hqp_peer {
  char name[80];
  double *x; /* n */
  int n, warm, solved; /* solved: x is the answer to the problem before */
  int claims, iterations;
  double seconds;

  po_hqp_opts opts; /* ours */
  po_hqp_solver *solver;
  size_t bytes;
  int proof;

  void *library, *self; /* a library */
  void *(*make)(int, int, int, int);
  int (*solve)(void *, const po_solver_problem *, const double *, po_solver_answer *);
  void (*release)(void *);
  double *rows, *start; /* the problem as the ABI has it: A, lower, upper; x before */

  FILE *to, *from; /* a process */
  int pid;
  char *line;
};

static po_hqp_peer *hqpe_new(const char *name) {
  po_hqp_peer *p = (po_hqp_peer *)po_alloc(sizeof *p);
  if (!p) return NULL;
  memset(p, 0, sizeof *p);
  po_format(p->name, sizeof p->name, "%s", name);
  return p;
}

const char *po_hqp_peer_name(const po_hqp_peer *peer) { return peer->name; }
size_t po_hqp_peer_bytes(const po_hqp_peer *peer) { return peer->bytes; }

po_status po_hqp_peer_ours(po_hqp_peer **peer, const char *name, const po_hqp_opts *opts) {
  *peer = hqpe_new(name);
  if (!*peer) return PO_ERR_MEMORY;
  (*peer)->opts = *opts;
  return PO_OK;
}

/* ---- libraries and processes ---------------------------------------------------------------------------------------------------- */

#ifdef HQPP_UNIX
po_status po_hqp_peer_library(po_hqp_peer **peer, const char *path, po_error *err) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *(*name)(int *) = NULL;
  po_hqp_peer *p;
  int abi = 0;
  *peer = NULL;
  if (!handle) return po_fail(err, PO_ERR_FILE, "%s", dlerror());
  p = hqpe_new("");
  if (!p) return po_fail(err, PO_ERR_MEMORY, "%s: out of memory", path);
  *(void **)&name = dlsym(handle, "po_solver_name");
  *(void **)&p->make = dlsym(handle, "po_solver_make");
  *(void **)&p->solve = dlsym(handle, "po_solver_solve");
  *(void **)&p->release = dlsym(handle, "po_solver_free");
  if (name && p->make && p->solve && p->release) po_format(p->name, sizeof p->name, "%s", name(&abi));
  if (abi != PO_SOLVER_ABI) {
    po_free(p);
    dlclose(handle);
    return po_fail(err, PO_ERR_NAME, abi ? "%s: made for another version of bench/solver.h" : "%s: lacks a function of bench/solver.h", path);
  }
  p->library = handle;
  *peer = p;
  return PO_OK;
}

po_status po_hqp_peer_process(po_hqp_peer **peer, const char *command, po_error *err) {
  int there[2], back[2];
  po_hqp_peer *p = hqpe_new(command);
  *peer = NULL;
  if (p) p->line = (char *)po_alloc(HQPE_LINE);
  if (!p || !p->line || pipe(there) || pipe(back)) {
    po_free(p);
    return po_fail(err, PO_ERR_MEMORY, "%s: no pipe", command);
  }
  signal(SIGPIPE, SIG_IGN);
  p->pid = (int)fork();
  if (!p->pid) {
    dup2(there[0], 0);
    dup2(back[1], 1);
    close(there[0]), close(there[1]), close(back[0]), close(back[1]);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  close(there[0]), close(back[1]);
  p->to = fdopen(there[1], "w");
  p->from = fdopen(back[0], "r");
  *peer = p;
  return PO_OK;
}

static void hqpe_close(po_hqp_peer *p) {
  if (p->self && p->release) p->release(p->self);
  if (p->library) dlclose(p->library);
  if (!p->pid) return;
  fclose(p->to);
  fclose(p->from);
  waitpid(p->pid, NULL, 0);
}
#else
po_status po_hqp_peer_library(po_hqp_peer **peer, const char *path, po_error *err) {
  *peer = NULL;
  return po_fail(err, PO_ERR_UNSUPPORTED, "%s: this build opens no libraries", path);
}
po_status po_hqp_peer_process(po_hqp_peer **peer, const char *command, po_error *err) {
  *peer = NULL;
  return po_fail(err, PO_ERR_UNSUPPORTED, "%s: this build starts no programs", command);
}
static void hqpe_close(po_hqp_peer *p) { (void)p; }
#endif

void po_hqp_peer_free(po_hqp_peer *p) {
  if (!p) return;
  hqpe_close(p);
  po_hqp_free(p->solver);
  po_free(p->x);
  po_free(p->rows);
  po_free(p->start);
  po_free(p->line);
  po_free(p);
}

po_status po_hqp_peer_make(po_hqp_peer *p, int n, int levels, int rows, int warm) {
  if (p->self) p->release(p->self);
  p->self = NULL;
  po_hqp_free(p->solver);
  p->solver = NULL;
  po_free(p->x), po_free(p->start), po_free(p->rows);
  p->x = (double *)po_alloc(sizeof(double) * (size_t)n);
  p->start = (double *)po_alloc(sizeof(double) * (size_t)n);
  p->rows = (double *)po_alloc(sizeof(double) * (size_t)rows * ((size_t)n + 2));
  if (!p->x || !p->start || !p->rows) return PO_ERR_MEMORY;
  p->n = n;
  p->warm = warm;
  p->solved = 0;
  if (p->library) p->self = p->make(n, levels, rows, warm);
  if (p->library) return p->self ? PO_OK : PO_ERR_UNSUPPORTED;
  if (p->pid) return PO_OK;
  p->opts.warm = warm;
  p->bytes = po_hqp_bytes(n, levels, rows);
  return po_hqp_new(&p->solver, n, levels, rows);
}

/* ---- one solve --------------------------------------------------------------------------------------------------------------------- */

static int hqpe_ours(po_hqp_peer *p, const po_hqp *q) {
  po_hqp_result r;
  double start = po_bench_cpu();
  po_status status = po_hqp_solve(&r, p->solver, q, &p->opts);
  p->seconds = po_bench_cpu() - start;
  if (status != PO_OK) return 0;
  p->claims = r.status == PO_HQP_OPTIMAL ? 1 : r.status == PO_HQP_INFEASIBLE ? 2 : 0;
  p->proof = r.proof;
  p->iterations = r.iterations;
  memcpy(p->x, r.x, sizeof(double) * (size_t)q->n);
  return 1;
}

static int hqpe_library(po_hqp_peer *p, const po_hqp *q) {
  int level_rows[PO_HQP_MAX_LEVELS], k, i, row = 0, good;
  po_solver_problem problem;
  po_solver_answer answer;
  double *lower, *upper, started, taken;
  memset(&problem, 0, sizeof problem);
  memset(&answer, 0, sizeof answer);
  for (k = 0; k < q->level_count; k++) problem.rows += level_rows[k] = q->levels[k].rows;
  lower = p->rows + (size_t)problem.rows * (size_t)q->n;
  upper = lower + problem.rows;
  for (k = 0; k < q->level_count; k++)
    for (i = 0; i < q->levels[k].rows; i++, row++) {
      memcpy(p->rows + (size_t)row * (size_t)q->n, po_row(q->levels[k].A, i), sizeof(double) * (size_t)q->n);
      lower[row] = q->levels[k].lower[i];
      upper[row] = q->levels[k].upper[i];
    }
  problem.n = q->n;
  problem.levels = q->level_count;
  problem.level_rows = level_rows;
  problem.hard = q->level_count && q->levels[0].hard;
  problem.A = p->rows;
  problem.lower = lower;
  problem.upper = upper;
  answer.x = p->x;
  memcpy(p->start, p->x, sizeof(double) * (size_t)q->n);
  started = po_bench_cpu();
  good = p->solve(p->self, &problem, p->warm && p->solved ? p->start : NULL, &answer) == 0;
  taken = po_bench_cpu() - started;
  p->seconds = answer.seconds > 0 ? answer.seconds : taken;
  p->claims = good ? answer.solved : 0;
  p->iterations = answer.iterations;
  return good;
}

/* Text there, one line back: STATUS SECONDS x_1 … x_n. */
static int hqpe_process(po_hqp_peer *p, const po_hqp *q) {
  po_buffer text = {0};
  const char *at, *end;
  double status = 0;
  int j;
  po_hqp_write_header(&text);
  po_hqp_write(&text, q);
  if (text.failed || fwrite(text.data, 1, text.size, p->to) != text.size || fflush(p->to)) {
    po_buffer_free(&text);
    return 0;
  }
  po_buffer_free(&text);
  if (!fgets(p->line, HQPE_LINE, p->from)) return 0;
  at = p->line;
  end = at + strlen(at);
#define HQPE_NEXT(to) \
  while (at < end && (*at == ' ' || *at == '\t')) at++; \
  if (po_parse_double(&(to), &at, at, end) != PO_OK) return 0
  HQPE_NEXT(status);
  HQPE_NEXT(p->seconds);
  for (j = 0; j < q->n; j++) {
    HQPE_NEXT(p->x[j]);
  }
#undef HQPE_NEXT
  p->claims = (int)status;
  return 1;
}

po_status po_hqp_peer_solve(po_hqp_peer_answer *answer, po_hqp_peer *p, const po_hqp *q) {
  int good;
  if (q->n > p->n) return PO_ERR_SIZE;
  p->claims = p->iterations = p->proof = 0;
  p->seconds = 0;
  good = p->library ? hqpe_library(p, q) : p->pid ? hqpe_process(p, q) : hqpe_ours(p, q);
  if (good && !po_all_finite(p->x, q->n)) good = p->claims = 0;
  if (!good) memset(p->x, 0, sizeof(double) * (size_t)q->n);
  p->solved = good;
  answer->x = p->x;
  answer->claims = good ? p->claims : 0;
  answer->proof = p->proof;
  answer->iterations = p->iterations;
  answer->seconds = p->seconds;
  return PO_OK;
}
