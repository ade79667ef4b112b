/* bench_ddp.c: trajectory problems: the law of a plan, rollouts, sweeps and whole solves, cold and warm, by both methods: the textbook's, a body that
 * stands on one foot (60 frames, 16 controls), and momentum files that the user names.
 *
 * A sweep is measured as users meet it, as a warm solve that finds nothing to do: one backward pass, and the rollout that precedes
 * it. Warm solves go to and fro between two starts, each from the solution of the other. */
#include "bench.h"
#include "textbook.h"

#include <string.h>

enum { DDPX_FRAMES = 60, DDPX_STATES = 12, DDPX_CASES = 14, DDPX_PARAMETERS = 16, DDPX_CONTROLS = PO_MOMENTUM_MAX_POINTS * PO_MOMENTUM_MAX_RAYS };

typedef struct ddpx_problem {
  char name[48];
  po_ddp_problem problem;
  const double *guess;
  double start[2][DDPX_STATES]; /* the problem's own, and one nearby */
  po_ddp_textbook *book;
  po_momentum *momentum; /* read from a file, or `stand` */
  po_momentum stand;
  double rays[12], reference[12 * (DDPX_FRAMES + 1)], points[12];
  int count[DDPX_FRAMES], first[DDPX_FRAMES];
  void *memory;
} ddpx_problem;

typedef enum ddpx_job { DDPX_ROLLOUT, DDPX_LAW, DDPX_SWEEP, DDPX_COLD, DDPX_WARM } ddpx_job;

typedef struct ddpx_case {
  const ddpx_problem *from;
  po_ddp_problem problem; /* with a start of this case's own */
  double start[DDPX_STATES];
  po_ddp *solver;
  po_ddp_opts opts;
  ddpx_job job;
  int at;
  char variant[48];
  double iterations, sweeps, solves, cost;
} ddpx_case;

/* ---- problems ------------------------------------------------------------------------------------------------------------------
 * */

/* Standing on one foot, the COM off by a centimetre and moving: forces must bring it to rest. */
static po_status ddpx_stand(ddpx_problem *q) {
  po_momentum *m = &q->stand;
  po_momentum_scales s = po_momentum_scales_of(78, 0.95, 9.81, 0);
  po_format(m->name, sizeof m->name, "stand60x16");
  m->frames = DDPX_FRAMES;
  m->mass = 78;
  m->dt = 1.0 / 120;
  m->gravity = po_v3(0, 0, -9.81);
  m->ray_count = 4;
  for (int i = 0; i < 4; i++) {
    double corner[3] = {i < 2 ? -0.1345 : 0.1345, i % 2 ? 0.0485 : -0.0485, 0},
           ray[3] = {i < 2 ? -0.56 : 0.56, i % 2 ? 0.56 : -0.56, 1};
    memcpy(q->points + 3 * i, corner, sizeof corner);
    memcpy(q->rays + 3 * i, ray, sizeof ray);
  }
  m->w_force = s.w_force;
  m->w_rays = s.w_rays;
  memcpy(m->w_state, s.w_state, sizeof m->w_state);
  memcpy(m->w_track, s.w_track, sizeof m->w_track);
  for (int k = 0; k <= DDPX_FRAMES; k++) q->reference[12 * k + 2] = 0.95;
  for (int k = 0; k < DDPX_FRAMES; k++) q->count[k] = 4;
  m->start[2] = m->goal[2] = 0.95;
  m->start[0] = 0.01;
  m->start[4] = 2;
  m->rays = q->rays;
  m->reference = q->reference;
  m->points = q->points;
  m->point_count = q->count;
  m->point_first = q->first;
  q->momentum = m;
  return PO_OK;
}

static po_status ddpx_momentum(ddpx_problem *q, po_error *err) {
  const po_momentum *m = q->momentum;
  size_t bytes = po_momentum_problem_bytes(m);
  double *guess;
  po_status status;
  po_format(q->name, sizeof q->name, "%s", m->name);
  /* the guess behind the problem, in one block */
  q->memory = po_alloc(bytes + sizeof(double) * (size_t)m->frames * PO_MOMENTUM_MAX_POINTS * (size_t)m->ray_count);
  if (!q->memory) return po_fail(err, PO_ERR_MEMORY, "bench ddp: out of memory");
  status = po_momentum_problem(&q->problem, m, q->memory, bytes, err);
  if (status != PO_OK) return status;
  guess = (double *)((unsigned char *)q->memory + ((bytes + 31) & ~(size_t)31));
  q->guess = guess;
  status = po_momentum_guess(guess, &q->problem, m);
  return status == PO_OK ? PO_OK : po_fail(err, status, "bench ddp: %s: %s", q->name, po_status_string(status));
}

static po_status ddpx_read(ddpx_problem *q, const char *path, po_error *err) {
  char *text;
  size_t size;
  po_status status = po_read_file(&text, &size, path, 0, err);
  if (status != PO_OK) return status;
  status = po_momentum_read(&q->momentum, text, size, path, err);
  po_free(text);
  return status == PO_OK ? ddpx_momentum(q, err) : status;
}

static po_status ddpx_built_in(ddpx_problem *q, int i, po_error *err) {
  po_status status;
  if (i == PO_DDP_TEXTBOOK_COUNT) return (status = ddpx_stand(q)) == PO_OK ? ddpx_momentum(q, err) : status;
  po_format(q->name, sizeof q->name, "%s", po_ddp_textbook_names[i]);
  status = po_ddp_textbook_new(&q->book, q->name, PO_INF, err);
  if (status != PO_OK) return status;
  q->problem = q->book->problem;
  q->guess = q->book->guess;
  return PO_OK;
}

static void ddpx_free(ddpx_problem *q) {
  if (q->momentum != &q->stand) po_momentum_free(q->momentum);
  po_ddp_textbook_free(q->book);
  po_free(q->memory);
}

/* ---- cases
 * ------------------------------------------------------------------------------------------------------------------------ */

/* One pass over the frames under the guess: what the callbacks alone cost. */
static const char *ddpx_rollout(ddpx_case *c) {
  const po_ddp_problem *p = &c->problem;
  double x[2][DDPX_STATES], cost;
  po_status status = PO_OK;
  memcpy(x[0], c->start, sizeof x[0]);
  c->cost = 0;
  for (int k = 0; k < p->size.frames && status == PO_OK; k++) {
    status = p->step(p->user, x[(k + 1) & 1], &cost, k, x[k & 1], c->from->guess + (size_t)k * (size_t)p->size.nu, NULL);
    c->cost += cost;
  }
  return status == PO_OK ? "ok" : po_status_string(status);
}

/* The law in the middle of the plan, a hundredth off it: what a control tick costs without a solve. */
static const char *ddpx_law(const ddpx_case *c) {
  static double u[DDPX_CONTROLS], memory[4096];
  double dmu[DDPX_STATES], dp[DDPX_PARAMETERS], x[DDPX_STATES], phase = 0.5 * c->problem.size.frames + 0.3;
  po_ddp_policy_opts o = po_ddp_policy_opts_default();
  po_ddp_policy_result out = {u, dmu, dp, 0, 0, 0, NULL};
  po_arena scratch;
  po_status status;
  po_arena_init(&scratch, memory, sizeof memory);
  po_ddp_policy_state(x, c->solver, phase);
  for (int i = 0; i < c->problem.size.nx; i++) x[i] += 0.01;
  status = po_ddp_policy(&out, c->solver, phase, x, NULL, &o, &scratch);
  return status == PO_OK ? "ok" : po_status_string(status);
}

static const char *ddpx_run(void *user, int slot) {
  ddpx_case *c = (ddpx_case *)user;
  po_ddp_start start;
  po_ddp_result r;
  po_status status;
  (void)slot;
  if (c->job == DDPX_ROLLOUT) return ddpx_rollout(c);
  if (c->job == DDPX_LAW) return ddpx_law(c);
  memset(&start, 0, sizeof start);
  if (c->job == DDPX_WARM) {
    c->at ^= 1;
    memcpy(c->start, c->from->start[c->at], sizeof c->start);
  }
  start.warm = c->job != DDPX_COLD;
  start.u = c->job == DDPX_COLD ? c->from->guess : NULL;
  status = po_ddp_solve(&r, c->solver, &c->problem, &c->opts, &start);
  if (status != PO_OK) return po_status_string(status);
  c->iterations += r.iterations;
  c->sweeps += r.sweeps;
  c->cost = r.cost;
  c->solves++;
  return po_ddp_status_string(r.status);
}

static void ddpx_report(void *user, po_bench_result *result) {
  const ddpx_case *c = (const ddpx_case *)user;
  if (c->job != DDPX_ROLLOUT && c->solves > 0) {
    po_bench_extra(result, "iterations", c->iterations / c->solves);
    po_bench_extra(result, "sweeps", c->sweeps / c->solves);
  }
  po_bench_extra(result, "cost", c->cost);
  po_bench_extra(result, "frames", c->problem.size.frames);
  po_bench_extra(result, "bytes", (double)po_ddp_bytes(c->problem.size));
}

/* A solver that stands at the solution of the problem's own start. */
static po_status ddpx_prepare(ddpx_case *c, const ddpx_problem *q) {
  po_ddp_start cold;
  po_ddp_result r;
  po_status status;
  c->from = q;
  c->problem = q->problem;
  memcpy(c->start, q->start[0], sizeof c->start);
  c->problem.start = c->start;
  if (c->job == DDPX_ROLLOUT) return PO_OK;
  memset(&cold, 0, sizeof cold);
  cold.u = q->guess;
  status = po_ddp_new(&c->solver, q->problem.size);
  return status == PO_OK ? po_ddp_solve(&r, c->solver, &c->problem, &c->opts, &cold) : status;
}

/* the law; rollout; sweep; active and interior (where there are bounds), cold and warm */
static po_status ddpx_measure(po_bench *bench, ddpx_problem *q, po_error *err) {
  static const struct {
    ddpx_job job;
    po_ddp_method method;
    const char *name, *start;
  } kinds[7] = {{DDPX_LAW, PO_DDP_ACTIVE, "law", ""},
                {DDPX_ROLLOUT, PO_DDP_AUTO, "rollout", ""},
                {DDPX_SWEEP, PO_DDP_ACTIVE, "sweep", ""},
                {DDPX_COLD, PO_DDP_ACTIVE, "active", "cold"},
                {DDPX_WARM, PO_DDP_ACTIVE, "active", "warm"},
                {DDPX_COLD, PO_DDP_INTERIOR, "interior", "cold"},
                {DDPX_WARM, PO_DDP_INTERIOR, "interior", "warm"}};
  static ddpx_case state[DDPX_CASES];
  po_bench_case cases[DDPX_CASES];
  po_simd paths[2];
  int simds = po_bench_simds(paths, bench), count = 0, bounded = q->momentum != NULL || q->problem.upper[0] < PO_INF;
  po_status status = PO_OK;
  memset(state, 0, sizeof state);
  for (int i = 0; i < 7 * simds && status == PO_OK; i++) {
    ddpx_case *c = &state[count];
    int kind = i % 7;
    if (kinds[kind].method == PO_DDP_INTERIOR && !bounded) continue; /* nothing to be inside of */
    if (kinds[kind].job == DDPX_LAW && q->problem.size.np > DDPX_PARAMETERS) continue;
    c->job = kinds[kind].job;
    c->opts = po_ddp_opts_default();
    c->opts.method = kinds[kind].method;
    po_format(c->variant, sizeof c->variant, "%s %s", kinds[kind].name, po_simd_string(paths[i / 7]));
    status = ddpx_prepare(c, q);
    cases[count] = po_bench_case_of(q->name, c->variant, q->problem.size.nu, ddpx_run, c);
    cases[count].start = kinds[kind].start;
    cases[count].simd = paths[i / 7];
    cases[count].report = ddpx_report;
    count++;
  }
  if (status != PO_OK) po_fail(err, status, "bench ddp: %s: %s", q->name, po_status_string(status));
  else status = po_bench_measure(bench, cases, count, err);
  for (int i = 0; i < count; i++) po_ddp_free(state[i].solver);
  return status;
}

/* The nearby start: a hundredth of the state's own size and of one unit. */
static void ddpx_starts(ddpx_problem *q) {
  for (int i = 0; i < q->problem.size.nx; i++) {
    q->start[0][i] = q->problem.start[i];
    q->start[1][i] = q->problem.start[i] + 0.01 * (i % 2 ? -1 : 1);
  }
}

static po_status ddpx_bench(po_bench *bench, po_error *err) {
  static ddpx_problem q;
  int files = bench->options.file_count, count = files ? files : PO_DDP_TEXTBOOK_COUNT + 1;
  po_status status = PO_OK;
  for (int i = 0; i < count && status == PO_OK; i++) {
    memset(&q, 0, sizeof q);
    status = files ? ddpx_read(&q, bench->options.files[i], err) : ddpx_built_in(&q, i, err);
    if (status == PO_OK && po_bench_wants(bench, q.name)) {
      ddpx_starts(&q);
      status = ddpx_measure(bench, &q, err);
    }
    ddpx_free(&q);
  }
  return status;
}

const po_bench_room po_bench_ddp = {"ddp", "trajectory problems: rollouts, sweeps, solves: the textbook's, or momentum files", 1,
                                    ddpx_bench};
