/* soak.c: ten minutes of walking with pushes from random directions, judged: no fall, nothing allocated in a step, nothing left behind, no
 * growth. Called by `make soak`; SOAK_SECONDS, SOAK_SEED, SOAK_FORCE (N) and SOAK_EVERY (s) change what their names say.
 * A line every minute shows how it stands; exit code 0 when all held. */
#define _POSIX_C_SOURCE 200809L
#include "../../bench/bench.h"
#include "../../scenes/scenes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOAK_SETTLED 10.0      /* seconds of simulation after which pushes begin and nothing may be allocated */
#define SOAK_GROWTH_KB 256.0   /* over the second half, when every page of code and workspace has been touched: a leak of a byte a tick would be 300 KB */
#define SOAK_PUSH_SECONDS 0.2

static struct { long live, calls; } soak_memory;

/* The allocator, counted: blocks that live, and calls. */
static void *soak_resize(void *user, void *block, size_t bytes) {
  (void)user;
  soak_memory.calls++;
  if (!bytes) {
    soak_memory.live -= block != NULL;
    free(block);
    return NULL;
  }
  soak_memory.live += block == NULL;
  return realloc(block, bytes);
}

static double soak_rss_kb(void) { /* resident memory; 0 where the system does not tell */
  long pages = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f) return 0;
  if (fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(f);
  return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static double soak_setting(const char *name, double fallback) {
  const char *text = getenv(name), *end;
  double value;
  if (!text || po_parse_double(&value, &end, text, text + strlen(text)) != PO_OK || *end) return fallback;
  return value;
}

/* One push after the other, each with a force from any horizontal direction and a moment within its period. */
static void soak_next_push(po_push *push, po_rng *rng, double from, double every, double force) {
  double angle = po_rng_range(rng, 0, 2 * PO_PI);
  push->time = from + po_rng_range(rng, 0, every - 2 * SOAK_PUSH_SECONDS);
  push->duration = SOAK_PUSH_SECONDS;
  push->force = po_v3(force * po_cos(angle), force * po_sin(angle), 0);
  push->link = NULL;
}

typedef struct soak_state {
  double seconds, every, force, rss_start, rss_end, walked;
  long calls_in_steps;
  int pushes;
} soak_state;

static void soak_walk(po_run *run, soak_state *s, po_rng *rng, po_push *push) {
  double next = SOAK_SETTLED, minute = 60;
  long calls = 0;
  int more = 1;
  while (more) {
    if (run->time >= next) {
      soak_next_push(push, rng, run->time, s->every, s->force);
      run->opts.pushes = 1;
      next = run->time + s->every;
      s->pushes++;
    }
    if (calls == 0 && run->time >= SOAK_SETTLED) calls = soak_memory.calls;
    if (s->rss_start == 0 && run->time >= 0.5 * s->seconds) s->rss_start = soak_rss_kb();
    more = po_run_step(run);
    if (run->time >= minute) {
      printf("%5.0f s: %2d pushes, %.0f KB in memory, %.1f x real time\n", run->time, s->pushes, soak_rss_kb(), run->time / run->wall_seconds);
      fflush(stdout);
      minute += 60;
    }
  }
  s->rss_end = soak_rss_kb();
  s->calls_in_steps = calls > 0 ? soak_memory.calls - calls : 0;
}

static int soak_judge(const po_run *run, const soak_state *s, long left) {
  int failed = 0;
  printf("\nwalked %.1f s of %.0f s, %d pushes of %.0f N for %.1f s, %.2f m/s, %.1f x real time\n", run->sim_seconds, s->seconds, s->pushes, s->force,
         SOAK_PUSH_SECONDS, po_run_result(run, "mean_speed"), run->sim_seconds / run->wall_seconds);
#define SOAK_SAY(good, ...) (printf("%-7s ", (good) ? "ok" : "FAILED"), printf(__VA_ARGS__), failed += !(good))
  SOAK_SAY(run->outcome == PO_RUNNING || run->outcome == PO_SUCCESS, "no fall%s%s\n", run->reason[0] ? ": " : "", run->reason);
  SOAK_SAY(s->calls_in_steps == 0, "nothing allocated in a step: %ld calls\n", s->calls_in_steps);
  SOAK_SAY(left == 0, "nothing left behind: %ld blocks\n", left);
  SOAK_SAY(s->rss_end - s->rss_start <= SOAK_GROWTH_KB, "no growth: %.0f KB half-way, %.0f KB at the end\n", s->rss_start, s->rss_end);
#undef SOAK_SAY
  return failed;
}

int main(void) {
  po_run_opts o = po_run_opts_default();
  soak_state s;
  po_run *run;
  po_error err;
  po_push push;
  po_rng rng;
  long before, left;
  int failed;
  po_run kept;
  memset(&s, 0, sizeof s);
  memset(&push, 0, sizeof push);
  s.seconds = soak_setting("SOAK_SECONDS", 600);
  s.every = po_max(1, soak_setting("SOAK_EVERY", 8));
  s.force = soak_setting("SOAK_FORCE", 130);
  po_set_allocator(soak_resize, NULL);
  before = soak_memory.live;
  po_rng_init(&rng, (uint64_t)soak_setting("SOAK_SEED", 1), 7);
  o.seconds = s.seconds;
  o.seed = (uint64_t)soak_setting("SOAK_SEED", 1);
  o.clock = po_bench_clock;
  o.push = &push;
  if (po_run_new(&run, po_scenario_find("walk"), &o, &err) != PO_OK) {
    printf("soak: %s\n", err.message);
    return 2;
  }
  soak_walk(run, &s, &rng, &push);
  if (run->scenario->judge) run->scenario->judge(run);
  kept = *run; /* results and reason; nothing that is freed below is read */
  po_run_free(run);
  left = soak_memory.live - before;
  failed = soak_judge(&kept, &s, left);
  printf("\n%s\n", failed ? "soak: FAILED" : "soak: all held");
  return failed ? 1 : 0;
}
