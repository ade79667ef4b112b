/* step_planner.c: which action now, by looking some steps ahead in a step model (Coros 2010, section 3.5).
 *
 * regular: a grid over the box of what is possible, and from each cell that is acceptable again, for all of the horizon; the best counts.
 * random:  actions drawn from the box, depth first; the best of the first few that come through the horizon.
 * hybrid:  footholds of about the base length, none in a gap (step_places.c), met by the fit of all examples; else a sparse grid; else random.
 *
 * Where the model has a fit of all examples, the plan that was found is refined by it (step_refine.c).
 *
 * Of the steps of a level the cheapest are gone on from first, and none that is dearer than a whole plan found before.
 */
#include "learn_internal.h"
#include <string.h>

#define PLAN_BUDGET 2     /* predictions of a plan, times the samples of a step: what bounds its time */
#define PLAN_THOROUGH 400 /* the same of a grid */
#define PLAN_NEAR 50      /* predictions that finding neighbours costs as much as */
#define PLAN_COARSER 2    /* times fewer samples along an axis for steps after the first */
#define PLAN_RELAX 3
#define PLAN_RIM 0.1 /* share of the longest examples that are not used, */
#define PLAN_SHORT                                                                                                                 \
  0.2 /* and of the shortest, if it can be avoided: feet that hardly pass each other drag along the ground, if there is some */
#define PLAN_CERTAIN 0.93   /* share of the examples whose uncertainty is usual; what is beyond is for want of better */
#define PLAN_UNBALANCED 3.0 /* so much per m, */
#define PLAN_BEYOND 0.04    /* m: and by more than this is rejected where footholds are free */
#define PLAN_BEHIND                                                                                                                \
  0.2 /* of the base length: with the COM further behind the foot than when base steps repeat themselves, a base step is short or none: a long one must be led out of */
#define PLAN_SETTLES 20     /* base steps until it has */
#define PLAN_FIRST 6        /* plans that a random search compares */
#define PLAN_SPARSE 64      /* samples of a step in a sparse grid */
#define PLAN_CARES 5        /* searches, each less careful than the one before */
#define PLAN_BINS 8         /* kinds of steps by length, and by what follows, */
#define PLAN_KEEP 64        /* and in all: the cheapest of each is gone on from */
#define PLAN_BINS_FROM -0.1 /* m: capture points */
#define PLAN_BINS_RANGE 0.7
#define PLAN_STRANDED 3.0  /* per m that the step beyond the horizon would be too long or too short by */
#define PLAN_SLOWER 0.06   /* m/s: predicted speeds are off by as much */
#define PLAN_STRANGE 3.0   /* per unit of the metric that a state is further from the examples than */
#define PLAN_KNOWN 0.08    /* usual */
#define PLAN_LEAST 0.6     /* of the sole on ground, for want of better */
#define PLAN_CLOSE 0.04    /* m: how near to an edge is dear, */
#define PLAN_HEEL 0.25     /* behind, */
#define PLAN_TOE 1.0       /* and ahead: toes over an edge dip into the gap when the foot leaves, and catch the next edge */
#define PLAN_REFINE 8      /* rounds of refining a plan onto stones, */
#define PLAN_PLACED 0.04   /* m: a foothold that is chosen by length and edges is thought met */
#define PLAN_REFINE_FREE 6 /* and onto footholds that were chosen, where time counts */
#define PLAN_REFINE_SPACE 16 /* the same in space, where actions have twice as many numbers */
#define PLAN_OTHER 0.15    /* m: by which steps are longer or shorter, when the footholds that come first to mind are doubtful */
#define PLAN_OFF 0.3       /* m that a length is off by, per unit of its uncertainty: 2.4 cm at 0.09 */
#define PLAN_MISS                                                                                                                  \
  120.0 /* of a given stone that is missed by all that is allowed, times that (m): places that are given count for more than balance */
#define PLAN_EFFORT 0.1 /* m per rad² */
#define PLAN_EDGE 0.01  /* m: how finely edges are looked for, */
#define PLAN_FAR 1.2    /* m: and how far */

static const char *const planning_name[] = {"regular", "random", "hybrid"};
const char *po_step_planning_string(po_step_planning p) { return p >= 0 && p < PO_PLANNINGS ? planning_name[p] : "?"; }

int po_step_planning_find(const char *name) {
  int i;
  for (i = 0; i < PO_PLANNINGS; i++)
    if (name && !strcmp(planning_name[i], name)) return i;
  return -1;
}

po_step_planner_opts po_step_planner_opts_default(void) {
  po_step_planner_opts o = {PO_PLAN_HYBRID, 2, 500, 0.75, 0.06, 0.1, 0, 0.9, 1};
  return o;
}

/* The length of the base step where the model says that it settles. */
static double planner_base_length(double settled[PO_STEP_STATE], const po_step_model *m) {
  static const double none[PO_STEP_ACTION] = {0};
  double *s = settled, least = PO_INF, length = 0;
  int i, j, first = 0;
  for (i = 0; i < m->examples; i++) {
    double size = 0;
    for (j = 0; j < m->kind.actions; j++) size += m->example[i].action[j] * m->example[i].action[j];
    if (size < least) first = i, least = size;
  }
  memcpy(s, m->example[first].from, sizeof m->example[first].from);
  for (i = 0; i < PLAN_SETTLES; i++) {
    po_step_near near;
    po_step_guess g;
    po_step_model_near(&near, m, s, -1);
    po_step_model_predict_action(&g, m, &near, none);
    memcpy(s, g.to, sizeof g.to);
    length += i >= PLAN_SETTLES / 2 ? g.length / (PLAN_SETTLES - PLAN_SETTLES / 2) : 0;
  }
  return length > 0.05 ? length : 0.05;
}

po_status po_step_planner_init(po_step_planner *p, const po_step_model *steps, const po_step_planner_opts *opts, uint64_t seed,
                               po_error *err) {
  double settled, s[PO_STEP_STATE];
  if (!p || !steps) return po_fail(err, PO_ERR_NULL, "a planner needs a step model");
  memset(p, 0, sizeof *p);
  p->steps = steps;
  p->opts = opts ? *opts : po_step_planner_opts_default();
  if (p->opts.horizon < 1 || p->opts.horizon > PO_PLAN_HORIZON || p->opts.samples < 1 || !(p->opts.u_max > 0))
    return po_fail(err, PO_ERR_RANGE, "horizon, samples or u_max of the planner is out of range");
  settled = planner_base_length(s, steps);
  p->base_speed = po_max(s[1], 0.1);
  p->behind = s[0] - PLAN_BEHIND * settled;
  if (!(p->opts.base_length > 0)) p->opts.base_length = settled;
  p->shortest = po_step_model_quantile(steps, PO_STEP_FIGURE_LENGTH, PLAN_SHORT);
  p->longest = po_step_model_quantile(steps, PO_STEP_FIGURE_LENGTH, 1 - PLAN_RIM);
  p->capture = po_step_model_quantile(steps, PO_STEP_FIGURE_CAPTURE, PO_STEP_BALANCED);
  p->slow = po_step_model_quantile(steps, PO_STEP_FIGURE_CAPTURE, PO_STEP_SLOW);
  p->doubt = po_step_model_quantile(steps, PO_STEP_FIGURE_DOUBT, PLAN_CERTAIN);
  p->close = po_max(PLAN_CLOSE, PLAN_OFF * po_step_model_quantile(steps, PO_STEP_FIGURE_DOUBT, 0.5));
  po_rng_init(&p->rng, seed, 0x706c616e);
  return PO_OK;
}

/* ---- one plan ---- */

typedef struct plan_candidate {
  po_step_guess guess;
  double low[2], cost;
} plan_candidate;

typedef struct plan_walk {
  po_step_planner *p;
  const po_step_ground *ground;
  po_step_plan *plan;
  const double *wanted; /* [horizon] footholds to be matched; NULL: anywhere good */
  int care;             /* 0: steps like most of the examples only; see plan_accepts */
  double margin;        /* of the sole on ground */
  int stones;           /* 1: footholds are given, none is to be chosen */
  double miss;          /* m: a wanted foothold that is missed by more is rejected */
  int grid;             /* samples along each axis; 0: random */
  int samples, enough;  /* per step; complete plans after which it ends */
  int budget, complete;
  double best; /* cost of the plan so far; one that is not acceptable is dearer than any that is */
  double foothold[PO_PLAN_HORIZON], uncertainty[PO_PLAN_HORIZON];
  double reach[PO_PLAN_HORIZON][2]; /* m: lengths of steps from about there */
  plan_candidate first;
  double chain[PO_PLAN_HORIZON][PO_STEP_ACTION];   /* actions of the plan under way */
  plan_candidate keep[PO_PLAN_HORIZON][PLAN_KEEP]; /* steps of each level that are worth going on from, cheapest first */
} plan_walk;

#define PLAN_REJECTED 100.0 /* cost of a step that is not acceptable */

/* What a foothold costs: its distance from what is wanted, or how much of the sole has no ground, now and if it were a little off. */
static double plan_miss(const plan_walk *w, double x, double uncertainty, int level) {
  double a, b;
  if (w->wanted) { /* squares: two small misses are better than a large one, and what is uncertain will be missed by about that */
    double off = x - w->wanted[level], doubt = PLAN_OFF * uncertainty;
    return PLAN_MISS * (off * off + doubt * doubt) / w->p->opts.miss;
  }
  a = w->ground->good(w->ground->user, x - PLAN_CLOSE);
  b = w->ground->good(w->ground->user, x + PLAN_CLOSE);
  return 1 - w->ground->good(w->ground->user, x) + PLAN_HEEL * (1 - a) + PLAN_TOE * (1 - b);
}

static int plan_accepts(const plan_walk *w, const po_step_guess *g, double x, int level) {
  if (!(g->uncertainty < w->p->opts.u_max)) return 0;
  if (w->wanted && po_abs(x - w->wanted[level]) > w->miss) return 0;
  if (!w->stones) { /* the rim of what was learnt is entered only when it must be */
    if (w->care < 2 && (g->length > w->p->longest || !(g->uncertainty < w->p->doubt))) return 0;
    if (w->care < 3 && !(po_step_capture(g->to) < w->p->capture + PLAN_BEYOND)) return 0;
    if (w->care < 4 && g->length < w->p->shortest) return 0;
  }
  return !w->ground->good || w->ground->good(w->ground->user, x) >= w->margin;
}

/* The steps that were often made from about a state, if it turns out a little slower than predicted. Returns how far the examples are. */
static double plan_reach(double reach[2], const po_step_model *m, const double *s) {
  double slower[PO_STEP_STATE];
  memcpy(slower, s, sizeof slower);
  slower[1] -= PLAN_SLOWER;
  return po_step_model_reach(reach, m, slower);
}

/* What the state after the plan costs: how much longer or shorter than those from alike states the next step would have to be, and whether there are such states. */
static double plan_after(const plan_walk *w, const double *s, double x) {
  const po_step_ground *g = w->ground;
  double reach[2], at, strange = PLAN_STRANGE * po_max(0, plan_reach(reach, w->p->steps, s) - PLAN_KNOWN);
  if (w->stones) {
    if (!g->stone(&at, g->user, w->p->opts.horizon + 1)) return strange;
    at -= x;
    return strange + PLAN_STRANDED * po_max(0, po_max(at - reach[1], reach[0] - at));
  }
  for (at = po_max(reach[0], w->p->shortest); at < PLAN_FAR; at += 2 * PLAN_EDGE)
    if (g->good(g->user, x + at) >= w->p->opts.margin) break;
  return strange + PLAN_STRANDED * po_max(0, at - reach[1]);
}

/* The plan as it stands, levels 0 … last, is kept if it is the cheapest. */
static void plan_offer(plan_walk *w, double cost, int last) {
  int k;
  if (!(cost < w->best)) return;
  w->best = cost;
  w->plan->found = cost < PLAN_REJECTED;
  w->plan->steps = last + 1;
  for (k = 0; k <= last; k++) {
    w->plan->foothold[k] = w->foothold[k];
    w->plan->uncertainty[k] = w->uncertainty[k];
  }
  memcpy(w->plan->low, w->first.low, sizeof w->first.low);
  memcpy(w->plan->action, w->first.guess.action, sizeof w->plan->action);
  memcpy(w->plan->to, w->first.guess.to, sizeof w->plan->to);
  memcpy(w->plan->actions, w->chain, sizeof w->chain);
}

static void plan_remember(po_step_plan *plan, const double *low, double x, double uncertainty) {
  int k = plan->tried;
  if (k == PO_PLAN_TRIED) return;
  memcpy(plan->sample[k].low, low, sizeof plan->sample[k].low);
  plan->sample[k].x = x;
  plan->sample[k].uncertainty = uncertainty;
  plan->tried++;
}

/* First what the near examples did, then the box. */
static void plan_pick(double low[2], plan_walk *w, const po_step_near *near, const double *lower, const double *upper, int grid,
                      int i) {
  int k;
  if (i < near->count) {
    memcpy(low, w->p->steps->low[near->index[i]], 2 * sizeof *low);
    return;
  }
  i -= near->count;
  for (k = 0; k < 2; k++) {
    double at = grid ? ((k ? i / grid : i % grid) + 0.5) / grid : po_rng_uniform(&w->p->rng);
    low[k] = lower[k] + at * (upper[k] - lower[k]);
  }
}

/* Steps that are bent little are known best: the same γ A'WA as when they were learnt. */
static double plan_effort(const po_step_model *m, const double *action) {
  double sum = 0;
  int i;
  for (i = 0; i < m->kind.actions; i++) sum += m->kind.weight[i] * action[i] * action[i];
  return PLAN_EFFORT * sum;
}

/* m by which a state is on its way further ahead, or less far, than most of the examples'. */
static double plan_unbalanced(const po_step_planner *p, const double *s) {
  double at = po_step_capture(s);
  return po_max(0, po_max(at - p->capture, p->slow - at));
}

/* Of steps that are alike one is kept, the cheapest: the cheapest of all might lead to one and the same state, from which there is no way on. Alike: in where the COM is
 * on its way to afterwards, and in length where footholds are free. */
static void plan_keep(plan_walk *w, const plan_candidate *c, int level) {
  double fast = po_clamp((po_step_capture(c->guess.to) - PLAN_BINS_FROM) / PLAN_BINS_RANGE, 0, 0.999),
         far = po_clamp(c->guess.length, 0, 0.999);
  int bin = w->stones ? (int)(fast * PLAN_KEEP) : (int)(fast * PLAN_BINS) * PLAN_BINS + (int)(far * PLAN_BINS);
  if (c->cost < w->keep[level][bin].cost) w->keep[level][bin] = *c;
}

/* The cheapest first. */
static int plan_kept(plan_candidate *keep) {
  int i, k, n = 0;
  for (i = 0; i < PLAN_KEEP; i++) {
    plan_candidate c = keep[i];
    if (!po_isfinite(c.cost)) continue;
    for (k = n++; k > 0 && keep[k - 1].cost > c.cost; k--) keep[k] = keep[k - 1];
    keep[k] = c;
  }
  return n;
}

/* A step that might be taken, from x on: it ends a plan, or is kept to go on from. */
static void plan_consider(plan_walk *w, plan_candidate *c, double x, double cost, int level) {
  const po_step_planner *p = w->p;
  const po_step_guess *g = &c->guess;
  int last = level + 1 == p->opts.horizon;
  w->plan->samples++;
  w->budget--;
  w->foothold[level] = x += g->length;
  w->uncertainty[level] = g->uncertainty;
  if (level == 0) w->first = *c;
  memcpy(w->chain[level], g->action, sizeof w->chain[level]);
  c->cost = cost + plan_miss(w, x, g->uncertainty, level) +
            (plan_effort(p->steps, g->action) + PLAN_UNBALANCED * plan_unbalanced(p, g->to)) +
            p->opts.weight_u * g->uncertainty * (1 + g->uncertainty / p->doubt);
  if (level && !w->stones) c->cost += PLAN_STRANDED * po_max(0, g->length - w->reach[level][1]);
  if (!plan_accepts(w, g, x, level)) plan_offer(w, c->cost + PLAN_REJECTED * (p->opts.horizon - level) + g->uncertainty, level);
  else if (!last) plan_keep(w, c, level);
  else {
    w->complete++;
    if (c->cost < w->best) plan_offer(w, c->cost + plan_after(w, g->to, x), level);
  }
}

static void plan_level(plan_walk *w, const double *s, double x, double cost, int level) {
  const po_step_model *m = w->p->steps;
  po_step_near near;
  plan_candidate c;
  double lower[2], upper[2];
  int i, kept, grid = level ? (w->grid + PLAN_COARSER - 1) / PLAN_COARSER : w->grid, n = w->grid ? grid * grid : w->samples;
  po_step_model_near(&near, m, s, -1);
  w->budget -= PLAN_NEAR;
  if (level) {
    cost += PLAN_STRANGE * po_max(0, near.distance[0] - PLAN_KNOWN);
    plan_reach(w->reach[level], m, s);
  }
  po_step_model_box(lower, upper, m, &near);
  if (level == 0) {
    memcpy(w->plan->box, lower, sizeof lower);
    memcpy(w->plan->box + 2, upper, sizeof upper);
  }
  for (i = 0; i < PLAN_KEEP; i++) w->keep[level][i].cost = PO_INF;
  n += near.count;
  for (i = 0; i < n && w->budget > 0 && w->complete < w->enough; i++) {
    plan_pick(c.low, w, &near, lower, upper, grid, i);
    po_step_model_predict(&c.guess, m, &near, c.low);
    if (level == 0 && i % (1 + n / PO_PLAN_TRIED) == 0) plan_remember(w->plan, c.low, x + c.guess.length, c.guess.uncertainty);
    plan_consider(w, &c, x, cost, level);
  }
  kept = w->p->opts.horizon > level + 1 ? plan_kept(w->keep[level]) : 0;
  for (i = 0; i < kept && w->keep[level][i].cost < w->best && w->complete < w->enough; i++) {
    const plan_candidate *on = &w->keep[level][i];
    w->foothold[level] = x + on->guess.length;
    w->uncertainty[level] = on->guess.uncertainty;
    if (level == 0) w->first = *on;
    memcpy(w->chain[level], on->guess.action, sizeof w->chain[level]);
    plan_level(w, on->guess.to, w->foothold[level], on->cost, level + 1);
  }
}

static void plan_search(plan_walk *w, const double *s, double x, const double *wanted, double miss, int grid, int samples,
                        int enough) {
  w->miss = miss;
  w->wanted = wanted;
  w->grid = grid;
  w->samples = samples;
  w->enough = enough;
  w->complete = 0;
  w->budget = (grid ? PLAN_THOROUGH : PLAN_BUDGET) * samples;
  w->best = PO_INF;
  plan_level(w, s, x, 0, 0);
}

static int plan_grid(int samples) {
  int n = 1;
  while ((n + 1) * (n + 1) <= samples) n++;
  return n;
}

/* ---- when to plan ---- */

/* 1: no gap for so far ahead. */
static int plan_clear(const po_step_planner *p, const po_step_ground *g, double x) {
  double at;
  for (at = x; at <= x + p->opts.clear; at += 5 * PLAN_EDGE)
    if (g->good(g->user, at) < 1) return 0;
  return 1;
}

static int plan_stones(double *wanted, const po_step_ground *g, int horizon) {
  int k, n = 0;
  if (!g->stone) return 0;
  for (k = 0; k < horizon; k++) {
    if (!g->stone(&wanted[k], g->user, k + 1)) break;
    n++;
  }
  return n;
}

/* Stones are met as the fit says, and the plan ends where the stone after them can be reached. */
static void plan_refine_stones(po_step_plan *plan, const po_step_planner *p, const double *s, double x,
                               const po_step_ground *ground, const double *wanted, int stones) {
  double next;
  int k;
  po_step_plan_refine(plan, p->steps, s, x, wanted, stones,
                      ground->stone(&next, ground->user, stones + 1) ? next - wanted[stones - 1] : PO_NAN, PLAN_REFINE);
  plan->found = 1;
  for (k = 0; k < stones; k++) plan->found &= po_abs(plan->foothold[k] - wanted[k]) <= p->opts.miss;
}

/* For pictures: what the near examples did, and their box. */
static void plan_sketch(po_step_plan *plan, const po_step_model *m, const double *s, double x) {
  po_step_near near;
  po_step_guess g;
  int i;
  po_step_model_near(&near, m, s, -1);
  po_step_model_box(plan->box, plan->box + 2, m, &near);
  for (i = 0; i < near.count; i++) {
    po_step_model_predict(&g, m, &near, m->low[near.index[i]]);
    plan_remember(plan, m->low[near.index[i]], x + g.length, g.uncertainty);
  }
  plan->samples += near.count;
}

/* 1: a foothold is as good as the place that was chosen for it. In space, where the foot that stands over an edge spins, that is whether its sole is on ground. */
static int plan_placed(const po_step_planner *p, const po_step_ground *g, double x, double place) {
  return p->steps->kind.planar ? po_abs(x - place) <= PLAN_PLACED : g->good(g->user, x) >= p->opts.margin;
}

/* Footholds of about the base length, none in a gap, and the fit says how they are met. Returns 1 when they are. */
static int plan_place(po_step_plan *plan, const po_step_planner *p, const double *s, double x, double longer,
                      const po_step_ground *ground) {
  double place[PO_STEP_PLACES];
  int k, n = p->opts.horizon, sure = 1;
  if (!po_step_planner_places(place, p, s, x, longer, ground)) return 0;
  po_step_plan_refine(plan, p->steps, s, x, place, n, place[n] - place[n - 1], p->steps->kind.planar ? PLAN_REFINE_FREE : PLAN_REFINE_SPACE);
  for (k = 0; k < n; k++) sure &= plan_placed(p, ground, plan->foothold[k], place[k]) && plan->uncertainty[k] < p->opts.u_max;
  return sure;
}

/* 1: a step of the plan is less certain than most. */
static int plan_doubtful(const po_step_plan *plan, const po_step_planner *p) {
  int k;
  for (k = 0; k < plan->steps; k++)
    if (plan->uncertainty[k] > p->doubt) return 1;
  return 0;
}

/* As above; where that is not met, or doubtful, longer and shorter steps are looked at too, and the cheapest counts. 0: footholds must be found by what can be done. */
static int plan_places(po_step_plan *plan, const po_step_planner *p, const double *s, double x, const po_step_ground *ground) {
  static const double longer[] = {-PLAN_OTHER, PLAN_OTHER, -2 * PLAN_OTHER};
  int k;
  po_step_plan other;
  plan_sketch(plan, p->steps, s, x);
  plan->found = plan_place(plan, p, s, x, 0, ground);
  if (plan->found && !plan_doubtful(plan, p) && !p->steps->kind.footholds) return 1;
  for (k = 0; k < (p->steps->kind.planar ? 2 : 3); k++) {
    other = *plan;
    other.steps = 0;
    if (plan_place(&other, p, s, x, longer[k], ground) && (!plan->found || other.cost < plan->cost)) *plan = other, plan->found = 1;
  }
  return plan->found;
}

void po_step_planner_plan(po_step_plan *plan, po_step_planner *p, const double *s, double x, const po_step_ground *ground) {
  plan_walk w;
  static const double relax[PLAN_RELAX] = {1, 2.5, 10};
  double wanted[PO_PLAN_HORIZON];
  int k, stones, horizon = p->opts.horizon;
  memset(plan, 0, sizeof *plan);
  memset(&w, 0, offsetof(plan_walk, keep));
  w.p = p;
  w.ground = ground;
  w.plan = plan;
  w.margin = p->opts.margin;
  if ((stones = plan_stones(wanted, ground, horizon)) > 0) {
    p->opts.horizon = stones;
    w.stones = 1;
    for (k = 0; k < PLAN_RELAX && !plan->found; k++) /* stones that cannot be met are met as well as can be, still looking ahead */
      plan_search(&w, s, x, wanted, p->opts.miss * relax[k], p->opts.planning == PO_PLAN_RANDOM ? 0 : plan_grid(p->opts.samples),
                  p->opts.samples, p->opts.planning == PO_PLAN_RANDOM ? PLAN_FIRST : 1 << 30);
    plan->found &= k == 1;
    p->opts.horizon = horizon;
    if (p->steps->fit) plan_refine_stones(plan, p, s, x, ground, wanted, stones);
    return;
  }
  if (!ground->good || (plan_clear(p, ground, x) && (s[0] > p->behind || !p->steps->fit || p->steps->kind.footholds))) {
    plan->base = plan->found = 1;
    return;
  }
  if (p->opts.planning == PO_PLAN_HYBRID && p->steps->fit && plan_places(plan, p, s, x, ground)) return;
  plan->steps = plan->tried = plan->found = 0;
  for (k = 0; k < PLAN_CARES && !plan->found; k++) {
    plan->care = w.care = k;
    w.margin = k < (p->steps->kind.planar ? 1 : PLAN_CARES - 1) ? p->opts.margin : po_min(p->opts.margin, PLAN_LEAST);
    if (p->opts.planning == PO_PLAN_HYBRID) plan_search(&w, s, x, NULL, 0, plan_grid(PLAN_SPARSE), PLAN_SPARSE, 1 << 30);
    if (plan->found) break;
    if (p->opts.planning == PO_PLAN_REGULAR) plan_search(&w, s, x, NULL, 0, plan_grid(p->opts.samples), p->opts.samples, 1 << 30);
    else plan_search(&w, s, x, NULL, 0, 0, p->opts.samples, PLAN_FIRST);
  }
  if (p->steps->fit && plan->steps) { /* the mixture chose the footholds; the fit knows better how they are met */
    memcpy(wanted, plan->foothold, sizeof wanted);
    po_step_plan_refine(plan, p->steps, s, x, wanted, plan->steps, PO_NAN, PLAN_REFINE_FREE);
  }
}
