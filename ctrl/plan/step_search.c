/* step_search.c: actions of a window of steps, so that their lengths are met.
 *
 * Gauss-Newton with damping on the errors of the lengths. What each step's length owes to each action is found by forward differences, from the
 * state in front of that action on, and is then kept: Broyden's update corrects it by what a trial shows. When the window moves on by one, all but
 * the new step is known already, and how the new length depends on old actions is one step each, begun where the old difference had led.
 */
#include "step_search.h"
#include <string.h>

#define WINDOW_TIME 0.4     /* difference of the time (s) over that of angles (rad): 4 ms */
#define WINDOW_STRIDE 0.35  /* rad: an action changes by no more in a round */
#define WINDOW_DAMPING 0.01 /* at first, of W */
#define WINDOW_ENOUGH 2e-6  /* m²: a round that gains less is the last */
#define WINDOW_STALE 0.1    /* of the gain foretold: less, and differences are taken anew */
#define WINDOW_TRIES 3      /* of a round */
#define WINDOW_MISS 0.06    /* m: a length that is missed by more is worth trying elsewhere, */
#define WINDOW_STREWN 6     /* so often, */
#define WINDOW_SPREAD 0.25  /* strewn by this share of the limits */
#define WINDOW_BISECTIONS 8

po_step_search_opts po_step_search_opts_default(void) {
  po_step_search_opts o = {PO_STEPS_GAUSS_NEWTON, 3, 4, 0.1, 0.01};
  return o;
}

static void window_layout(po_step_search *s, po_arena *arena) {
  int w = s->opts.window, n = s->task.actions, d = s->task.states, N = w * n;
  s->action = PO_ARENA_ZARRAY(arena, double, N);
  s->try_action = PO_ARENA_ZARRAY(arena, double, N);
  s->state = PO_ARENA_ZARRAY(arena, double, (w + 1) * d);
  s->try_state = PO_ARENA_ZARRAY(arena, double, (w + 1) * d);
  s->length = PO_ARENA_ZARRAY(arena, double, PO_STEP_MISSES *w);
  s->try_length = PO_ARENA_ZARRAY(arena, double, PO_STEP_MISSES *w);
  s->jacobian = PO_ARENA_ZARRAY(arena, double, PO_STEP_MISSES *w *N);
  s->drift = PO_ARENA_ZARRAY(arena, double, N *d);
  s->spare = PO_ARENA_ZARRAY(arena, double, d);
  s->spare_end = PO_ARENA_ZARRAY(arena, double, d);
  s->H = PO_ARENA_ZARRAY(arena, double, N *N);
  s->g = PO_ARENA_ZARRAY(arena, double, N);
  s->step = PO_ARENA_ZARRAY(arena, double, N);
}

po_status po_step_search_new(po_step_search **search, const po_step_task *task, const po_step_search_opts *opts, po_error *err) {
  po_step_search local;
  po_arena arena;
  size_t own = (sizeof local + 31) / 32 * 32;
  char *mem;
  if (!search || !task || !task->step) return po_fail(err, PO_ERR_NULL, "a search needs steps");
  *search = NULL;
  memset(&local, 0, sizeof local);
  local.task = *task;
  local.opts = opts ? *opts : po_step_search_opts_default();
  if (local.opts.window < 1 || local.opts.window > PO_STEP_WINDOW || local.opts.rounds < 1 || !(local.opts.gamma >= 0) ||
      !(local.opts.difference > 0))
    return po_fail(err, PO_ERR_RANGE, "window, rounds, gamma or difference of the search is out of range");
  if (task->states < 1 || task->actions < 1 || task->actions > PO_STEP_ACTION)
    return po_fail(err, PO_ERR_SIZE, "states of %d and actions of %d numbers: at least one of each is needed", task->states,
                   task->actions);
  local.columns = local.opts.window * task->actions;
  po_arena_measure(&arena);
  window_layout(&local, &arena);
  if (!(mem = po_alloc(own + po_arena_used(&arena) + 64))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  *search = (po_step_search *)(void *)mem;
  **search = local;
  po_arena_init(&arena, mem + own, po_arena_used(&arena) + 64);
  window_layout(*search, &arena);
  return PO_OK;
}

void po_step_search_free(po_step_search *s) { po_free(s); }

/* ---- running steps ---- */

static po_status window_step(double *end, double *length, int *struck, po_step_search *s, const double *start, const double *action,
                             po_error *err) {
  s->steps_run++;
  return s->task.step(end, length, struck, s->task.user, start, action, err);
}

/* Steps from..window − 1 of a trajectory whose states before are there. */
static po_status window_run(int *fell, po_step_search *s, double *state, double *length, const double *action, int from,
                            po_error *err) {
  int k, struck = 1, d = s->task.states;
  po_status st = PO_OK;
  for (k = from; k < s->opts.window && st == PO_OK && struck; k++)
    st =
        window_step(state + (k + 1) * d, length + PO_STEP_MISSES * k, &struck, s, state + k * d, action + k * s->task.actions, err);
  *fell = !struck;
  return st;
}

static double window_cost(const po_step_search *s, const double *length, const double *action) {
  double cost = 0;
  int k, i, n = s->task.actions;
  for (k = 0; k < s->opts.window; k++) {
    const double *l = length + PO_STEP_MISSES * k;
    cost += (l[0] - s->target[k]) * (l[0] - s->target[k]);
    for (i = 1; i <= s->task.sides; i++) cost += l[i] * l[i];
    for (i = 0; i < n; i++) cost += s->opts.gamma * s->task.weight[i] * action[k * n + i] * action[k * n + i];
  }
  return cost;
}

/* ---- differences ---- */

static double window_difference(const po_step_search *s, int i) {
  return s->opts.difference * (i == s->task.actions - 1 ? WINDOW_TIME : 1);
}

/* Column of action i of step j: lengths from there on, and where the last state goes to. One that falls is tried the other way; one that falls both ways says nothing. */
static po_status window_column(po_step_search *s, int j, int i, po_error *err) {
  int n = s->task.actions, d = s->task.states, w = s->opts.window, c = j * n + i, k, fell = 1, sign;
  double h = window_difference(s, i);
  po_status st = PO_OK;
  for (k = 0; k < PO_STEP_MISSES * w; k++) s->jacobian[k * s->columns + c] = 0;
  memset(s->drift + c * d, 0, sizeof(double) * (size_t)d);
  memcpy(s->try_action, s->action, sizeof(double) * (size_t)s->columns);
  memcpy(s->try_state, s->state, sizeof(double) * (size_t)((w + 1) * d));
  for (sign = 1; sign >= -1 && fell && st == PO_OK; sign -= 2) {
    s->try_action[c] = s->action[c] + sign * h;
    st = window_run(&fell, s, s->try_state, s->try_length, s->try_action, j, err);
    if (st != PO_OK || fell) continue;
    for (k = PO_STEP_MISSES * j; k < PO_STEP_MISSES * w; k++)
      s->jacobian[k * s->columns + c] = sign * (s->try_length[k] - s->length[k]) / h;
    for (k = 0; k < d; k++) s->drift[c * d + k] = sign * (s->try_state[w * d + k] - s->state[w * d + k]);
  }
  return st;
}

static po_status window_differences(po_step_search *s, int from, po_error *err) {
  po_status st = PO_OK;
  int j, i;
  for (j = from; j < s->opts.window && st == PO_OK; j++)
    for (i = 0; i < s->task.actions && st == PO_OK; i++) st = window_column(s, j, i, err);
  return st;
}

/* How the new last step depends on the actions before it: from the last state, moved as each of them would. */
static po_status window_carry(po_step_search *s, po_error *err) {
  int n = s->task.actions, d = s->task.states, w = s->opts.window, last = w - 1, c, k, struck;
  double length[PO_STEP_MISSES];
  po_status st = PO_OK;
  for (c = 0; c < last * n && st == PO_OK; c++) {
    double h = window_difference(s, c % n);
    for (k = 0; k < d; k++) s->spare[k] = s->state[last * d + k] + s->drift[c * d + k];
    st = window_step(s->spare_end, length, &struck, s, s->spare, s->action + last * n, err);
    for (k = 0; k < PO_STEP_MISSES; k++)
      s->jacobian[(PO_STEP_MISSES * last + k) * s->columns + c] =
          struck ? (length[k] - s->length[PO_STEP_MISSES * last + k]) / h : 0;
    for (k = 0; k < d; k++) s->drift[c * d + k] = struck ? s->spare_end[k] - s->state[w * d + k] : 0;
  }
  return st;
}

/* J += (Δy − J Δa) Δa' / |Δa|²; a length knows the actions up to its own step only (Broyden 1965). */
static void window_broyden(po_step_search *s) {
  int n = s->task.actions, d = s->task.states, w = s->opts.window, k, c;
  for (k = 0; k < PO_STEP_MISSES * w; k++) {
    double *row = s->jacobian + k * s->columns, miss = s->try_length[k] - s->length[k], size = 0;
    int columns = (k / PO_STEP_MISSES + 1) * n;
    for (c = 0; c < columns; c++) {
      miss -= row[c] * s->step[c];
      size += s->step[c] * s->step[c];
    }
    for (c = 0; c < columns && size > 0; c++) row[c] += miss * s->step[c] / size;
  }
  for (k = 0; k < d; k++) {
    double miss = s->try_state[w * d + k] - s->state[w * d + k], size = 0;
    for (c = 0; c < s->columns; c++) {
      double z = s->step[c] / window_difference(s, c % n);
      miss -= s->drift[c * d + k] * z;
      size += z * z;
    }
    for (c = 0; c < s->columns && size > 0; c++) s->drift[c * d + k] += miss * s->step[c] / window_difference(s, c % n) / size;
  }
}

/* ---- a round of Gauss-Newton ---- */

/* s->step; returns the gain in cost that it foretells. */
static double window_solve(po_step_search *s) {
  int N = s->columns, n = s->task.actions, r, c, b, failed;
  double largest = 0, gain = 0;
  po_mat H = po_mat_of(s->H, N, N, N);
  memset(s->H, 0, sizeof(double) * (size_t)(N * N));
  for (c = 0; c < N; c++) {
    double weight = s->task.weight[c % n];
    s->g[c] = -s->opts.gamma * weight * s->action[c];
    s->H[c * N + c] = (s->opts.gamma + s->damping) * weight + 1e-9;
  }
  for (r = 0; r < PO_STEP_MISSES * s->opts.window; r++) {
    double e = s->length[r] - (r % PO_STEP_MISSES ? 0 : s->target[r / PO_STEP_MISSES]);
    const double *row = s->jacobian + r * N;
    if (r % PO_STEP_MISSES > s->task.sides) continue;
    for (c = 0; c < N; c++) {
      s->g[c] -= row[c] * e;
      for (b = 0; b <= c; b++) s->H[c * N + b] += row[c] * row[b];
    }
  }
  memcpy(s->step, s->g, sizeof(double) * (size_t)N);
  if (po_cholesky(H, &failed, H) != PO_OK) return 0;
  po_cholesky_solve(s->step, H);
  for (c = 0; c < N; c++) largest = po_max(largest, po_abs(s->step[c]));
  for (c = 0; c < N; c++) {
    double limit = s->task.limit ? s->task.limit[c % n] : PO_INF;
    if (largest > WINDOW_STRIDE) s->step[c] *= WINDOW_STRIDE / largest;
    s->step[c] = po_clamp(s->action[c] + s->step[c], -limit, limit) - s->action[c];
    gain += s->step[c] * s->g[c];
  }
  return gain;
}

static void window_accept(po_step_search *s, double cost) {
  int w = s->opts.window;
  memcpy(s->action, s->try_action, sizeof(double) * (size_t)s->columns);
  memcpy(s->state, s->try_state, sizeof(double) * (size_t)((w + 1) * s->task.states));
  memcpy(s->length, s->try_length, sizeof(double) * (size_t)(PO_STEP_MISSES * w));
  s->cost = cost;
}

/* Cost of action + scale · step, as the try. */
static po_status window_try(double *cost, po_step_search *s, double scale, po_error *err) {
  int c, fell;
  po_status st;
  memcpy(s->try_state, s->state, sizeof(double) * (size_t)s->task.states);
  for (c = 0; c < s->columns; c++) s->try_action[c] = s->action[c] + scale * s->step[c];
  st = window_run(&fell, s, s->try_state, s->try_length, s->try_action, 0, err);
  *cost = st != PO_OK || fell ? PO_INF : window_cost(s, s->try_length, s->try_action);
  return st;
}

/* One step down, or none after some tries that are damped more and more. *gain: what it brought; *foretold: what it should have. */
static po_status window_round(double *gain, double *foretold, po_step_search *s, po_error *err) {
  int k;
  po_status st = PO_OK;
  *gain = 0;
  for (k = 0; k < WINDOW_TRIES && st == PO_OK && !(*gain > 0); k++) {
    double cost, before = s->cost;
    *foretold = window_solve(s);
    if (!(*foretold > WINDOW_ENOUGH)) break;
    if ((st = window_try(&cost, s, 1, err)) != PO_OK) break;
    *gain = before - cost;
    if (po_isfinite(cost)) window_broyden(s);
    if (*gain > 0) window_accept(s, cost);
    s->damping = po_clamp(*gain > 0.5 * *foretold ? s->damping / 4
                          : *gain > 0             ? s->damping
                                                  : 4 * s->damping,
                          WINDOW_DAMPING / 8, 10);
  }
  return st;
}

/* Tries actions strewn around the present ones, of step `from` on, and keeps the best: a way out of where a foot scuffs the ground and differences mislead. */
static po_status window_scatter(po_step_search *s, int from, int tries, double spread, po_error *err) {
  int w = s->opts.window, n = s->task.actions, d = s->task.states, c, k, fell;
  po_status st = PO_OK;
  for (k = 0; k < tries && st == PO_OK; k++) {
    double cost;
    memcpy(s->try_action, s->action, sizeof(double) * (size_t)s->columns);
    memcpy(s->try_state, s->state, sizeof(double) * (size_t)((w + 1) * d));
    memcpy(s->try_length, s->length, sizeof(double) * (size_t)(PO_STEP_MISSES * w));
    for (c = from * n; c < s->columns; c++) {
      double limit = s->task.limit ? s->task.limit[c % n] : 1;
      s->try_action[c] = po_clamp(s->action[c] + spread * limit * po_rng_normal(&s->rng), -limit, limit);
    }
    st = window_run(&fell, s, s->try_state, s->try_length, s->try_action, from, err);
    if (st != PO_OK || fell || !((cost = window_cost(s, s->try_length, s->try_action)) < s->cost)) continue;
    window_accept(s, cost);
  }
  return st;
}

/* 1: a length is missed by more than WINDOW_MISS. */
static int window_misses(const po_step_search *s) {
  int k;
  for (k = 0; k < s->opts.window; k++)
    if (po_abs(s->length[PO_STEP_MISSES * k] - s->target[k]) > WINDOW_MISS) return 1;
  return !po_isfinite(s->cost);
}

static po_status window_rounds(po_step_search *s, po_error *err) {
  int round, fresh = 0;
  po_status st = PO_OK;
  s->damping = WINDOW_DAMPING;
  for (round = 0; round < s->opts.rounds && st == PO_OK; round++) {
    double gain, foretold;
    if ((st = window_round(&gain, &foretold, s, err)) != PO_OK) break;
    s->rounds_run++;
    if (!(foretold > WINDOW_ENOUGH) || (gain > 0 && gain < WINDOW_ENOUGH)) break;
    if (gain > WINDOW_STALE * foretold || round + 1 == s->opts.rounds) continue;
    if (fresh) break;
    st = window_differences(s, 0, err);
    fresh = 1;
  }
  return st;
}

/* When it is stuck, from elsewhere once more. */
static po_status window_gauss_newton(po_step_search *s, po_error *err) {
  double stuck;
  po_status st = window_rounds(s, err);
  if (st != PO_OK || !window_misses(s)) return st;
  stuck = s->cost;
  if ((st = window_scatter(s, 0, WINDOW_STREWN, WINDOW_SPREAD, err)) != PO_OK || !(s->cost < stuck)) return st;
  if ((st = window_differences(s, 0, err)) != PO_OK) return st;
  return window_rounds(s, err);
}

/* ---- gradient descent, as the thesis has it ---- */

/* g = −gradient of the cost by central differences. */
static po_status window_gradient(po_step_search *s, po_error *err) {
  int w = s->opts.window, n = s->task.actions, d = s->task.states, c, sign, fell;
  po_status st = PO_OK;
  memcpy(s->try_state, s->state, sizeof(double) * (size_t)((w + 1) * d));
  for (c = 0; c < s->columns && st == PO_OK; c++) {
    double h = window_difference(s, c % n), side[2] = {s->cost, s->cost}, moved = 0;
    memcpy(s->try_state, s->state, sizeof(double) * (size_t)((w + 1) * d));
    for (sign = 0; sign < 2 && st == PO_OK; sign++) {
      memcpy(s->try_action, s->action, sizeof(double) * (size_t)s->columns);
      memcpy(s->try_length, s->length, sizeof(double) * (size_t)(PO_STEP_MISSES * w));
      s->try_action[c] += sign ? -h : h;
      st = window_run(&fell, s, s->try_state, s->try_length, s->try_action, c / n, err);
      if (fell) continue;
      side[sign] = window_cost(s, s->try_length, s->try_action);
      moved += h;
    }
    s->g[c] = moved > 0 ? (side[1] - side[0]) / moved : 0;
  }
  return st;
}

/* Along the gradient: as far as it goes down when doubled, else halved until it does. */
static po_status window_descent(po_step_search *s, po_error *err) {
  int round, k;
  double scale = 0, cost;
  po_status st = PO_OK;
  for (round = 0; round < s->opts.rounds && st == PO_OK; round++) {
    double before = s->cost, largest = 0, best = 0;
    int grew = 0;
    if ((st = window_gradient(s, err)) != PO_OK) break;
    for (k = 0; k < s->columns; k++) largest = po_max(largest, po_abs(s->g[k]));
    if (!(largest > 0)) break;
    memcpy(s->step, s->g, sizeof(double) * (size_t)s->columns);
    if (!(scale > 0)) scale = 0.1 / largest;
    s->rounds_run++;
    for (k = 0; k < WINDOW_BISECTIONS && st == PO_OK; k++) {
      if ((st = window_try(&cost, s, scale, err)) != PO_OK) break;
      if (cost < (best > 0 ? before - best : before)) {
        best = before - cost;
        grew = 1;
        scale *= 2;
      } else if (grew) break;
      else scale /= 2;
    }
    if (!grew || st != PO_OK) break;
    scale /= 2;
    if ((st = window_try(&cost, s, scale, err)) == PO_OK && cost < before) window_accept(s, cost);
    if (before - s->cost < WINDOW_ENOUGH) break;
  }
  return st;
}

/* ---- windows ---- */

po_status po_step_search_begin(int *fell, po_step_search *s, const double *start, const double *target, po_error *err) {
  po_status st;
  memcpy(s->target, target, sizeof(double) * (size_t)s->opts.window);
  memset(s->action, 0, sizeof(double) * (size_t)s->columns);
  memcpy(s->state, start, sizeof(double) * (size_t)s->task.states);
  s->damping = 0;
  if ((st = window_run(fell, s, s->state, s->length, s->action, 0, err)) != PO_OK) return st;
  s->cost = *fell ? PO_INF : window_cost(s, s->length, s->action);
  if (*fell || s->opts.method == PO_STEPS_GRADIENT) return PO_OK;
  return window_differences(s, 0, err);
}

po_status po_step_search_solve(po_step_search *s, po_error *err) {
  if (!po_isfinite(s->cost)) return PO_OK;
  s->windows++;
  return s->opts.method == PO_STEPS_GRADIENT ? window_descent(s, err) : window_gauss_newton(s, err);
}

/* The last step as guessed, when that is better than what it is. */
static po_status window_guess(po_step_search *s, const double *guess, po_error *err) {
  int w = s->opts.window, n = s->task.actions, d = s->task.states, last = w - 1, fell;
  po_status st;
  memcpy(s->try_action, s->action, sizeof(double) * (size_t)(last * n));
  memcpy(s->try_action + last * n, guess, sizeof(double) * (size_t)n);
  memcpy(s->try_state, s->state, sizeof(double) * (size_t)(w * d));
  memcpy(s->try_length, s->length, sizeof(double) * (size_t)(PO_STEP_MISSES * last));
  if ((st = window_run(&fell, s, s->try_state, s->try_length, s->try_action, last, err)) != PO_OK || fell) return st;
  if (window_cost(s, s->try_length, s->try_action) < s->cost) window_accept(s, window_cost(s, s->try_length, s->try_action));
  return PO_OK;
}

po_status po_step_search_shift(int *fell, po_step_search *s, double target, const double *const *guess, int guesses,
                               po_error *err) {
  int w = s->opts.window, n = s->task.actions, d = s->task.states, k, last = w - 1;
  po_status st;
  memmove(s->action, s->action + n, sizeof(double) * (size_t)(last * n));
  memset(s->action + last * n, 0, sizeof(double) * (size_t)n);
  memmove(s->state, s->state + d, sizeof(double) * (size_t)(w * d));
  memmove(s->length, s->length + PO_STEP_MISSES, sizeof(double) * (size_t)(PO_STEP_MISSES * last));
  for (k = 0; k < last; k++) s->target[k] = s->target[k + 1];
  s->target[last] = target;
  for (k = 0; k < PO_STEP_MISSES * last; k++) /* rows and columns move up by a step; unknown ones are zero until found */
    memmove(s->jacobian + k * s->columns, s->jacobian + (k + PO_STEP_MISSES) * s->columns + n, sizeof(double) * (size_t)(last * n));
  memmove(s->drift, s->drift + n * d, sizeof(double) * (size_t)(last * n * d));
  if ((st = window_run(fell, s, s->state, s->length, s->action, last, err)) != PO_OK) return st;
  s->cost = *fell ? PO_INF : window_cost(s, s->length, s->action);
  for (k = 0; k < guesses && st == PO_OK; k++) st = window_guess(s, guess[k], err);
  if (s->opts.method == PO_STEPS_GAUSS_NEWTON && st == PO_OK && window_misses(s))
    st = window_scatter(s, last, WINDOW_STREWN, WINDOW_SPREAD, err);
  if (!po_isfinite(s->cost) && st == PO_OK) st = window_scatter(s, 0, 3 * WINDOW_STREWN, WINDOW_SPREAD, err);
  if (st != PO_OK) return st;
  *fell = !po_isfinite(s->cost);
  if (*fell || s->opts.method == PO_STEPS_GRADIENT) return PO_OK;
  for (k = 0; k < PO_STEP_MISSES * last; k++) memset(s->jacobian + k * s->columns + last * n, 0, sizeof(double) * (size_t)n);
  if ((st = window_carry(s, err)) != PO_OK) return st;
  return window_differences(s, last, err);
}
