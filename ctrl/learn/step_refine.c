/* step_refine.c: the actions of a plan, bent until a fit of all examples says that its footholds are met.
 *
 *   min over A_1 … A_n of  Σ ((x_k − wanted_k)/σ)² + effort A'WA + known Σ |(s_k, A_k) − near examples|²       Levenberg-Marquardt
 *
 * and for steps of generalized walking + Σ ((sideways speed_k − usual)/σ_sway)².
 *
 * The last term keeps it where examples tell something: towards the mean of those around.
 */
#include "learn_internal.h"
#include <string.h>

#define REFINE_LENGTH 0.02  /* m: σ */
#define REFINE_EFFORT 2.0   /* per rad², W the search's own */
#define REFINE_KNOWN 0.5    /* per squared scale of the fit */
#define REFINE_END 0.5      /* the same of the state behind the plan */
#define REFINE_BEYOND 0.1   /* m: lengths further apart than this bear little on each other */
#define REFINE_BALANCE 1.0  /* of ending beyond the usual capture points by half their spread */
#define REFINE_SWAY 0.1     /* m/s: σ of the speed sideways at a strike, where nothing but the step's time keeps it: a step that takes long is swayed out of */
#define REFINE_DAMPING 0.3  /* at first; */
#define REFINE_EASIER 0.3   /* after a round that helped, */
#define REFINE_HARDER 5.0   /* and after one that did not */
#define REFINE_ALIKE 2.0    /* weight of a length (m) beside the distance of states */
#define REFINE_SETTLED 1e-3 /* of the cost: a round that gains less is the last */
#define REFINE_MOST (PO_PLAN_HORIZON * PO_STEP_ACTION)

typedef struct refine {
  const po_step_model *m;
  const po_step_fit *f;
  const double *s, *wanted;
  double x, cost;
  double beyond; /* m: the step after the last of the plan; NaN: any */
  int steps;
  double action[PO_PLAN_HORIZON][PO_STEP_ACTION];
  po_step_fitted y[PO_PLAN_HORIZON];
  double end[PO_STEP_STATE]; /* mean of the states of the examples around the last */
} refine;

static double refine_square(double x) { return x * x; }

/* m/s by which a step of generalized walking ends with more sway than usual. */
static double refine_sway(const refine *r, const po_step_fitted *y) { return r->m->kind.footholds ? po_max(0, y->to[PO_STEP_SWAY] - r->f->sway) : 0; }

/* By how much a step ends further ahead of itself, or less far, than most of the examples, in half their spread; *gain: its derivative by the capture point. */
static double refine_unbalanced(double *gain, const refine *r, const po_step_fitted *y) {
  double c = po_step_capture(y->to), e = po_max(c - r->f->fast, 0) + po_min(c - r->f->slow, 0);
  *gain = 2 * REFINE_BALANCE / po_max(r->f->fast - r->f->slow, 1e-3);
  return *gain * e;
}

/* What the steps cost, as they are predicted. */
static void refine_cost(refine *r) {
  const double *s = r->s;
  double x = r->x, cost = 0, gain;
  int k, a, n = r->m->kind.actions;
  for (k = 0; k < r->steps; k++) {
    const po_step_fitted *y = &r->y[k];
    x += y->length;
    cost += refine_square((x - r->wanted[k]) / REFINE_LENGTH);
    cost += refine_square(refine_sway(r, y) / REFINE_SWAY) + refine_square(refine_unbalanced(&gain, r, y));
    for (a = 0; a < n; a++) {
      cost += REFINE_EFFORT * r->m->kind.weight[a] * refine_square(r->action[k][a]);
      cost += REFINE_KNOWN * refine_square(r->f->scale[r->f->states + a] * (r->action[k][a] - y->mean[r->f->states + a]));
    }
    for (a = 0; a < r->f->states && k; a++) cost += REFINE_KNOWN * refine_square(r->f->scale[a] * (s[a] - y->mean[a]));
    s = y->to;
  }
  po_step_fit_around(r->end, r->f, s, r->beyond, REFINE_BEYOND);
  for (a = 0; a < r->f->states; a++) cost += REFINE_END * refine_square(r->f->scale[a] * (s[a] - r->end[a]));
  r->cost = cost;
}

static void refine_run(refine *r) {
  const double *s = r->s;
  int k;
  for (k = 0; k < r->steps; k++) {
    po_step_fit_at(&r->y[k], r->f, s, r->action[k]);
    s = r->y[k].to;
  }
  refine_cost(r);
}

/* H += w j j',  g += w e j: one residual e with derivative j. */
static void refine_add(double *H, double *g, int n, const double *j, double e, double w) {
  int a, b;
  for (a = 0; a < n; a++) {
    if (j[a] == 0) continue;
    g[a] += w * e * j[a];
    for (b = 0; b <= a; b++) H[a * n + b] += w * j[a] * j[b];
  }
}

/* The normal equations: how footholds and states depend on all actions, by the chain rule. */
static void refine_normal(double *H, double *g, const refine *r) {
  int k, a, b, i, na = r->m->kind.actions, n = r->steps * na;
  double D[PO_STEP_STATE][REFINE_MOST] = {{0}}, P[REFINE_MOST] = {0}, x = r->x, gain, off;
  const double *s = r->s;
  memset(H, 0, sizeof(double) * (size_t)(n * n));
  memset(g, 0, sizeof(double) * (size_t)n);
  for (k = 0; k < r->steps; k++) {
    const po_step_fitted *y = &r->y[k];
    double next[PO_STEP_STATE][REFINE_MOST] = {{0}};
    for (a = 0; a < r->f->states && k; a++)
      refine_add(H, g, n, D[a], s[a] - y->mean[a], REFINE_KNOWN * r->f->scale[a] * r->f->scale[a]);
    for (i = 0; i < n; i++)
      for (b = 0; b < r->f->outputs; b++) {
        double v = i / na == k ? y->gain[b][r->f->states + i % na] : 0;
        for (a = 0; a < r->f->states; a++) v += y->gain[b][a] * D[a][i];
        if (b) next[b - 1][i] = v;
        else P[i] += v;
      }
    memcpy(D, next, sizeof D);
    x += y->length;
    refine_add(H, g, n, P, x - r->wanted[k], 1 / (REFINE_LENGTH * REFINE_LENGTH));
    if ((off = refine_unbalanced(&gain, r, y)) != 0) {
      double C[REFINE_MOST], to[PO_STEP_STATE] = {0, 1};
      for (i = 0; i < n; i++) C[i] = gain * (D[0][i] + po_step_capture(to) * D[1][i]);
      refine_add(H, g, n, C, off, 1);
    }
    if (refine_sway(r, y) > 0) refine_add(H, g, n, D[PO_STEP_SWAY], refine_sway(r, y), 1 / (REFINE_SWAY * REFINE_SWAY));
    for (a = 0; a < na; a++) {
      double w = REFINE_EFFORT * r->m->kind.weight[a],
             u = REFINE_KNOWN * r->f->scale[r->f->states + a] * r->f->scale[r->f->states + a];
      i = k * na + a;
      H[i * n + i] += w + u;
      g[i] += w * r->action[k][a] + u * (r->action[k][a] - y->mean[r->f->states + a]);
    }
    s = y->to;
  }
  for (a = 0; a < r->f->states; a++) refine_add(H, g, n, D[a], s[a] - r->end[a], REFINE_END * r->f->scale[a] * r->f->scale[a]);
}

/* From steps that are predicted already. */
static void refine_solve(refine *r, int rounds) {
  double H[REFINE_MOST * REFINE_MOST], L[REFINE_MOST * REFINE_MOST], g[REFINE_MOST], step[REFINE_MOST], damping = REFINE_DAMPING;
  int round, i, failed, na = r->m->kind.actions, n = r->steps * na, fresh = 1;
  refine next;
  for (round = 0; round < rounds; round++) {
    po_mat M = po_mat_of(L, n, n, n);
    if (fresh) refine_normal(H, g, r);
    memcpy(L, H, sizeof(double) * (size_t)(n * n));
    for (i = 0; i < n; i++) L[i * n + i] *= 1 + damping;
    if (po_cholesky(M, &failed, M) != PO_OK) return;
    for (i = 0; i < n; i++) step[i] = -g[i];
    po_cholesky_solve(step, M);
    next = *r;
    for (i = 0; i < n; i++)
      next.action[i / na][i % na] =
          po_clamp(r->action[i / na][i % na] + step[i], -r->m->kind.limit[i % na], r->m->kind.limit[i % na]);
    refine_run(&next);
    if ((fresh = next.cost < r->cost)) {
      double gained = r->cost - next.cost;
      *r = next;
      damping *= REFINE_EASIER;
      if (gained < REFINE_SETTLED * r->cost) return;
    } else damping *= REFINE_HARDER;
  }
}

/* A start: at each step the action of the most alike example. */
static void refine_alike(refine *r) {
  const double *s = r->s;
  double x = r->x;
  int i, k, best = 0;
  for (k = 0; k < r->steps; k++) {
    double least = PO_INF;
    for (i = 0; i < r->m->examples; i++) {
      double d = po_step_distance(s, r->m->example[i].from) + REFINE_ALIKE * po_abs(r->wanted[k] - x - r->m->example[i].length);
      if (d < least) least = d, best = i;
    }
    memcpy(r->action[k], r->m->example[best].action, sizeof r->action[k]);
    po_step_fit_at(&r->y[k], r->f, s, r->action[k]);
    s = r->y[k].to;
    x += r->y[k].length;
  }
  refine_cost(r);
}

/* The refined steps, and how uncertain the examples around them are. */
static void refine_give(po_step_plan *plan, const refine *r) {
  const double *s = r->s;
  double x = r->x;
  int i, k;
  plan->steps = r->steps;
  plan->cost = r->cost;
  memcpy(plan->actions, r->action, sizeof plan->actions);
  memcpy(plan->action, r->action[0], sizeof plan->action);
  memcpy(plan->to, r->y[0].to, sizeof plan->to);
  for (k = 0; k < 2; k++) {
    plan->low[k] = 0;
    for (i = 0; i < r->m->kind.actions; i++) plan->low[k] += r->m->axis[k][i] * (plan->action[i] - r->m->mean[i]);
  }
  for (k = 0; k < r->steps; k++) {
    po_step_near near;
    po_step_guess g;
    po_step_model_near(&near, r->m, s, -1);
    po_step_model_predict_action(&g, r->m, &near, r->action[k]);
    plan->uncertainty[k] = g.uncertainty;
    plan->foothold[k] = x += r->y[k].length;
    s = r->y[k].to;
  }
}

void po_step_plan_refine(po_step_plan *plan, const po_step_model *m, const double *s, double x, const double *wanted, int steps,
                         double beyond, int rounds) {
  refine r, other;
  memset(&r, 0, sizeof r);
  r.m = m;
  r.f = m->fit;
  r.s = s;
  r.wanted = wanted;
  r.x = x;
  r.beyond = beyond;
  r.steps = steps;
  other = r;
  r.cost = PO_INF;
  if (plan->steps == steps) {
    memcpy(r.action, plan->actions, sizeof r.action);
    refine_run(&r);
    refine_solve(&r, rounds);
  }
  if (plan->steps != steps || po_isfinite(beyond)) {
    refine_alike(&other);
    refine_solve(&other, rounds);
    if (other.cost < r.cost) r = other;
  }
  refine_give(plan, &r);
}
