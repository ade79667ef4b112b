/* gbwc_path.c: steps over edges: where feet may stand on the ground ahead, which footholds to take, the swinging ankle's way over what lies between (5.5.4).
 *
 * At the beginning of a step the ground ahead is sampled along the heading. A foothold is good when the sole is level there and no edge is near. Among all
 * rows of good footholds the one is chosen whose steps are nearest to the length that is walked with; its first one is the goal of the step under way.
 * A pendulum does not land anywhere at any time: the point of rest runs away from the stance foot as e^{wt}, and has to be a V ahead of the new foot
 * when that lands. So a foothold that is farther takes longer: the step's clock follows  t = ln((f + a V' − p)/(xi − p))/w.
 */
#include "gbwc_internal.h"
#include "ground_line.h"
#include <string.h>

#define PATH_STEP 0.02           /* m between samples, for the leg of 0.86 m, as all lengths here */
#define PATH_BACK 40             /* samples behind the stance ankle, */
#define PATH_SAMPLES PO_GROUND_LINE /* and in all: four of the longest steps */
#define PATH_STEPS 4             /* that are planned */
#define PATH_LEVEL 0.01          /* m: what differs by less is level */
#define PATH_MARGIN 0.03         /* m: edges nearer than this to a sole are not stood at; */
#define PATH_BEHIND 0.35         /* more of that per height of what is behind the heel, where the leg leans over it when it lands; */
#define PATH_BEFORE 0.15         /* and before the toes */
#define PATH_HIGH 0.33           /* of the leg: things higher than this meet the leg that is left behind them, and are stepped over another way: */
#define PATH_HIGH_BEFORE 0.4     /* the feet stand farther before them, per height, since that leg leans over them before it is lifted, */
#define PATH_HIGH_BEHIND 0.02    /* m: and close behind them, since the leg that leads comes down steeply; */
#define PATH_HIGH_FREE 0.5       /* from this phase on the body is not held back: the faster it goes, the farther behind the new foot the hip is when that lands; */
#define PATH_HIGH_PACE 1.6       /* the clock of the leg that leads may go so fast then, */
#define PATH_LIFT_PACE 1.2       /* and that of the leg behind goes so fast until it is up: meanwhile the body comes on; */
#define PATH_HEEL_BACK 0.25      /* m: its ankle goes up and back first, where the knee stays behind the edge while the hip passes it, */
#define PATH_OUT 0.12            /* m: and out to the side, */
#define PATH_SWIVEL 0.5          /* rad: with its knee turned out about the line from hip to ankle */
#define PATH_NEAR 0.04           /* and those that are not this much farther are liked less */
#define PATH_SIGHT 0.4           /* m: edges farther from a sole do not matter to it */
#define PATH_NEAR_COST 4.0       /* of a squared metre, against one of step length */
#define PATH_OVERHANG 0.45       /* share of a sole that may have nothing below it, where treads are short */
#define PATH_OVERHANG_COST 2.0
#define PATH_SHORTEST 0.12       /* m, of a step */
#define PATH_LONGEST 0.78        /* share of the leg */
#define PATH_FOLLOW 1.0          /* of a squared metre by which the first step is off where the pendulum goes */
#define PATH_GIVE 0.03           /* m: how far a step is drawn from the pendulum's foothold to the planned one where others would do as well */
#define PATH_PIVOT 0.4           /* of the way from ankle to heel: where a body that has just landed turns about, since ankles push it on */
#define PATH_CLIMB 1.4           /* of a rise: so much farther over the new foot the body is when it lands, since lifting it takes its speed, */
#define PATH_DESCEND 0.6         /* and of a fall, which gives it speed, so much less */
#define PATH_PACE_LEAST 0.25     /* of the clock, against what step_time says; */
#define PATH_PACE_DOWN 0.5       /* of steps down: whoever waits longer on a bent ankle is carried past the foot that comes down */
#define PATH_PACE_MOST 1.1 
#define PATH_FORGET 0.95         /* per step: a hip that was lowered for a long step rises slowly, since rising takes the speed that carries it on */
#define PATH_UP 0.30             /* least share of a swing for going up, */
#define PATH_DOWN 0.22           /* and down */
#define PATH_DROOP 1.0           /* rad: toes never hang down more */
#define PATH_STRAIGHT 0.15       /* share of the way over that is left when the ankle comes down: a foot that stops at once swings beyond its place and back */
#define PATH_STRIKE 0.85           /* phase at which it usually touches */
#define PATH_LANDED 0.95         /* phase at which the ankle is to be at its place */
#define PATH_PRESS 0.3           /* m/s: down beyond it, as in every swing */
#define PATH_LOWER 0.8           /* of a fall: how far the hips sink before the foot below them is loaded: farther, the stance ankle's end stops the shank; */
#define PATH_ROLL 0.25           /* rad: and the pelvis drops by up to so much on the side of that foot, which gives the rest of its reach */
#define PATH_OFF 0.15            /* phase up to which a foot that stands higher than the new one leaves the ground, */
#define PATH_OFF_PACE 2.0        /* by a clock this fast: as long as it carries, the body sways on past the new foot */
#define PATH_HEEL 0.85           /* of what the ankle bends: a heel rises before the ankle's end stops the body */
#define PATH_TOLD_SHORTEST 0.05  /* m: of a step that is told where to end: feet that hardly pass each other, */
#define PATH_TOLD_LONGEST 0.85   /* and, of the leg, as far as they come apart */
#define PATH_TOLD_CLEARANCE 0.04 /* m, times the body's scale: below its swinging sole */
#define PATH_TOLD_CHANGE 0.36    /* m/s: what a usual step changes of the speed, 0.6 s of 0.6 m/s² */
#define PATH_LIFTED 0.75         /* of a step, within which the hip comes to its new height; down it takes all of it */

int po_gbwc_path_active(const po_gbwc *g) { return g->skill.path.on > 0 && g->skill.path.step == (double)g->now.steps && g->now.mode == PO_GBWC_WALK; }
int po_gbwc_path_high(const po_gbwc *g) { return po_gbwc_path_active(g) && g->skill.path.over > 0; }
int po_gbwc_path_free(const po_gbwc *g) { return po_gbwc_path_high(g) && g->now.phase > PATH_HIGH_FREE; }

void po_gbwc_measure_sole(po_gbwc *g) {
  const po_actor *a = g->move.actor;
  int i, k;
  g->heel = g->toe = 0;
  for (i = 0; i < 2; i++)
    for (k = 0; k < a->patches.patch[i].points; k++) {
      double x = po_point_position(a->data, a->patches.patch[i].point_body[k], a->patches.patch[i].point[k]).x - a->data->pose[a->legs.foot[i]].p.x;
      g->toe = po_max(g->toe, x);
      g->heel = po_max(g->heel, -x);
    }
  g->tilt_most = PO_INF;
  for (i = 0; i < 2; i++) {
    po_vec3 shank = po_v3_sub(a->data->pose[a->legs.shank[i]].p, a->data->pose[a->legs.foot[i]].p);
    g->tilt_most = po_min(g->tilt_most, po_atan2(shank.x, shank.z) - a->model->joint[a->legs.foot[i]].lower[0]);
  }
}

/* ---- while it goes on ---- */

static double path_along(const po_gbwc_path *p, po_vec3 x) { return po_v3_dot(p->along, x); }

po_vec3 po_gbwc_path_goal(const po_gbwc *g, po_vec3 goal) {
  const po_gbwc_path *p = &g->skill.path;
  double pendulum = path_along(p, goal), give = PATH_GIVE * g->length, x = pendulum + po_clamp(p->foothold - pendulum, -give, give);
  return po_v3_addscaled(goal, po_clamp(x, p->low, p->high) - pendulum, p->along);
}

/* Hermite through the knots with the slopes of Catmull-Rom. */
static double path_curve(const double *y, const double *x, double at) {
  double h, u, t0, t1;
  int i;
  for (i = 0; i < PO_GBWC_PATH - 2 && at > x[i + 1]; i++) {}
  h = x[i + 1] - x[i];
  u = po_clamp((at - x[i]) / h, 0, 1);
  t0 = i > 0 ? h * (y[i + 1] - y[i - 1]) / (x[i + 1] - x[i - 1]) : 0;
  t1 = i < PO_GBWC_PATH - 2 ? h * (y[i + 2] - y[i]) / (x[i + 2] - x[i]) : 0;
  return y[i] + u * (t0 + u * (3 * (y[i + 1] - y[i]) - 2 * t0 - t1 + u * (2 * (y[i] - y[i + 1]) + t0 + t1)));
}

/* How far the leg is out to the side: all the way while it passes over. */
static double path_aside(const po_gbwc *g, double phase) {
  static const double share[PO_GBWC_PATH] = {0, 1, 1, 1, 0};
  return g->skill.path.aside > 0 ? (g->now.stance == 1 ? 1 : -1) * path_curve(share, g->skill.path.phase, phase) : 0; /* left positive */
}

po_vec3 po_gbwc_path_normal(const po_gbwc *g, po_vec3 normal, po_vec3 hip, po_vec3 ankle) {
  if (!po_gbwc_path_active(g) || !(g->skill.path.aside > 0)) return normal;
  return po_m3_mul_v(po_m3_axis_angle(po_v3_unit(po_v3_sub(ankle, hip)), -PATH_SWIVEL * path_aside(g, g->now.phase)), normal);
}

po_vec3 po_gbwc_path_at(const po_gbwc *g, const gbwc_view *w, po_vec3 goal, double phase) {
  const po_gbwc_path *p = &g->skill.path;
  double ahead = po_clamp(phase, 0, 1);
  po_vec3 x = po_v3_add(po_v3_scale(1 - ahead, g->now.swing_start), po_v3_scale(ahead, goal)); /* sideways it goes evenly */
  double place[PO_GBWC_PATH];
  int i;
  for (i = 0; i < PO_GBWC_PATH; i++) place[i] = p->place[i];
  place[PO_GBWC_PATH - 1] = path_along(p, goal);
  x = po_v3_addscaled(x, path_curve(place, p->phase, phase) - path_along(p, x), p->along);
  x = po_v3_addscaled(x, PATH_OUT * g->length * path_aside(g, phase), po_v3(-p->along.y, p->along.x, 0));
  x.z = path_curve(p->height, p->phase, phase) - g->length * PATH_PRESS * w->swing_time * po_max(phase - PATH_LANDED, 0);
  return x;
}

double po_gbwc_path_pace(const po_gbwc *g, const gbwc_view *w) {
  const po_gbwc_path *p = &g->skill.path;
  po_vec3 rest = po_v3_addscaled(w->com, 1 / w->omega, po_gbwc_to_world(w, w->velocity));
  double from = path_along(p, w->ankle[w->stance]), now = path_along(p, rest) - from + PATH_PIVOT * g->heel;
  double climb = p->ground - w->ground, then = p->foothold + po_gbwc_alpha(g, w) * p->next + (climb > 0 ? PATH_CLIMB : PATH_DESCEND) * climb - from, left = (PATH_STRIKE - g->now.phase) * w->swing_time;
  double least = climb < 0 ? PATH_PACE_DOWN : PATH_PACE_LEAST, most = p->over > 0 ? PATH_HIGH_PACE : PATH_PACE_MOST;
  if (!(then > 0)) return 1;
  if (g->now.phase < PATH_OFF && p->behind > PATH_LEVEL * g->length) return PATH_OFF_PACE;
  if (p->aside > 0 && g->now.phase < p->phase[1]) return PATH_LIFT_PACE;
  if (!(now > 0)) return least;
  if (now >= then || left <= 0) return most;
  return po_clamp(left * w->omega / po_log(then / now), least, most);
}

/* The leg is driven ahead of a clock that is slowed down, since on stairs a foot that is not early is not over its tread when the body comes; a leg that
 * has to go high would be thrown up by it. */
double po_gbwc_path_rate(const po_gbwc *g, const gbwc_view *w) { return g->skill.path.sight > 0 ? po_gbwc_path_pace(g, w) : 1; }

/* How much of the way to its new height the hip has gone, 0 … 1. */
static double path_sunk(const po_gbwc *g) {
  double x = po_clamp(g->now.phase / (g->skill.path.drop[1] > 0 ? 1 : PATH_LIFTED), 0, 1);
  return x * x * (3 - 2 * x);
}

double po_gbwc_drop(const po_gbwc *g) {
  const po_gbwc_path *p = &g->skill.path;
  if (!po_gbwc_path_active(g)) return g->skill.drop;
  return g->skill.drop + p->drop[0] + (p->drop[1] - p->drop[0]) * path_sunk(g);
}

double po_gbwc_hip_drop(const po_gbwc *g) {
  if (!po_gbwc_path_active(g) || !(g->skill.path.drop[1] > 0)) return 0;
  return po_min(PATH_ROLL, g->skill.path.drop[1] / g->hip_width) * path_sunk(g);
}

double po_gbwc_heel_rise(const po_gbwc *g, int leg) {
  const po_actor *a = g->move.actor;
  po_vec3 shank;
  if (!po_gbwc_path_active(g)) return 0;
  shank = po_v3_sub(a->data->pose[a->legs.shank[leg]].p, a->data->pose[a->legs.foot[leg]].p);
  return po_clamp(po_atan2(path_along(&g->skill.path, shank), shank.z) - PATH_HEEL * g->tilt_most, 0, PATH_DROOP);
}

/* ---- planning ---- */

/* What standing with the ankle at sample i costs; infinite where the sole would be in something or on nothing. */
static double path_stand_cost(const po_ground_line *s, const po_gbwc *g, int i) {
  double x = po_ground_line_place(s, i), level = PATH_LEVEL * g->length, sole = g->heel + g->toe, hanging = 0, near = PO_INF, want;
  int from = po_ground_line_index(s, x - g->heel - PATH_SIGHT * g->length), to = po_ground_line_index(s, x + g->toe + PATH_SIGHT * g->length), k;
  for (k = from; k <= to; k++) {
    double at = po_ground_line_place(s, k), away = po_max(x - g->heel - at, at - x - g->toe), step = s->height[k] - s->height[i];
    if (!s->solid[k] && po_abs(step) < level) continue;
    if (s->solid[k] || step > level) {
      int high = s->solid[k] && step > PATH_HIGH * g->leg;
      double before = (high ? PATH_HIGH_BEFORE : PATH_BEFORE) * po_max(step, 0), behind = high ? PATH_HIGH_BEHIND * g->length : PATH_BEHIND * po_max(step, 0);
      double room = away - PATH_MARGIN * g->length - (at < x ? behind : before);
      if (room < 0) return PO_INF;
      near = po_min(near, room);
    } else near = po_min(near, away);
    if (away < 0) hanging += s->step;
  }
  if (hanging > PATH_OVERHANG * sole) return PO_INF;
  want = po_max(PATH_NEAR * g->length - near, 0);
  return PATH_NEAR_COST * want * want + PATH_OVERHANG_COST * hanging;
}

/* The cheapest step from sample i on; later[k]: what the steps after it cost from k. Returns where it goes, −1: nowhere. */
static int path_best(double *cost, const po_ground_line *s, const po_gbwc *g, const double *stand, const double *later, int i, double length, double pendulum) {
  int shortest = (int)(PATH_SHORTEST * g->length / s->step), longest = (int)(PATH_LONGEST * g->leg / s->step), best = -1, k;
  *cost = PO_INF;
  for (k = i + shortest; k <= i + longest && k < PATH_SAMPLES; k++) {
    double off = (k - i) * s->step - length, away = pendulum == pendulum ? po_ground_line_place(s, k) - pendulum : 0;
    double c = stand[k] + later[k] + off * off + PATH_FOLLOW * away * away;
    if (c < *cost) *cost = c, best = k;
  }
  return best;
}

/* Best row of footholds from a stance at sample `at`: the first two of them. Returns 0 when there is none. */
static int path_choose(int best[2], const po_ground_line *s, const po_gbwc *g, int at, double length, double pendulum) {
  double stand[PATH_SAMPLES], later[PATH_SAMPLES], cost[PATH_SAMPLES], total;
  int second[PATH_SAMPLES], n, i;
  for (i = 0; i < PATH_SAMPLES; i++) {
    stand[i] = path_stand_cost(s, g, i);
    later[i] = 0;
  }
  for (n = 0; n < PATH_STEPS - 1; n++) {
    for (i = 0; i < PATH_SAMPLES; i++) {
      second[i] = path_best(&cost[i], s, g, stand, later, i, length, PO_NAN);
      if (second[i] < 0) cost[i] = i + PATH_LONGEST * g->leg / s->step >= PATH_SAMPLES ? 0 : PO_INF, second[i] = i; /* beyond what is seen all is well */
    }
    for (i = 0; i < PATH_SAMPLES; i++) later[i] = cost[i];
  }
  best[0] = path_best(&total, s, g, stand, later, at, length, pendulum);
  if (best[0] < 0) return 0;
  best[1] = second[best[0]];
  return po_isfinite(total);
}

/* How far the toes hang below a level sole when the ankle is at (x, z) and the hip above it at `hip`: a shank that leans farther forward than the ankle bends. */
static double path_droop(const po_gbwc *g, po_vec3 hip, double x, double z) {
  const po_gbwc_limb *l = &g->legs[1 - g->now.stance];
  double dx = hip.x - x, dz = hip.z - z, D = po_clamp(sqrt(dx * dx + dz * dz), po_abs(l->upper - l->lower) + 0.01 * g->leg, 0.999 * (l->upper + l->lower));
  double tilt = po_atan2(dx, dz) + po_acos(po_clamp((l->lower * l->lower + D * D - l->upper * l->upper) / (2 * l->lower * D), -1, 1));
  return po_clamp(tilt - g->tilt_most, 0, PATH_DROOP);
}

/* How high the ankle has to be at a place, so that the sole clears all that is below it. hip: (along, height) where the hip will be then; from: where the
 * ankle comes from: what was behind the heel there is left behind, and a foot that rises over it first draws the heel back onto it. */
static double path_envelope(const po_ground_line *s, const po_gbwc *g, po_vec3 hip, double x, double from, double clearance) {
  double behind = -PO_INF, ahead = -PO_INF, z;
  int i, n, to = po_ground_line_index(s, x + g->toe + clearance);
  for (i = po_ground_line_index(s, po_max(x - g->heel - clearance, from - g->heel)); i <= to; i++) {
    if (po_ground_line_place(s, i) <= x) behind = po_max(behind, s->height[i]);
    else ahead = po_max(ahead, s->height[i]);
  }
  z = po_max(behind, ahead) + g->ankle_height;
  for (n = 0; n < 4; n++) z = po_max(behind, ahead + g->toe * po_sin(path_droop(g, hip, x, z))) + g->ankle_height; /* the higher, the more it hangs */
  return po_max(z, po_max(behind, ahead) + g->ankle_height);
}

/* Where the hip of the swinging leg will be when the ankle is at x: it comes from where it is to half way between the feet. */
static po_vec3 path_hip(const po_gbwc *g, const po_gbwc_path *p, double x, double from) {
  const po_actor *a = g->move.actor;
  po_vec3 hip = a->data->pose[a->legs.thigh[1 - g->now.stance]].p;
  double here = path_along(p, hip), there = 0.5 * (path_along(p, a->data->pose[a->legs.foot[g->now.stance]].p) + p->foothold);
  double share = p->foothold > from ? po_clamp((x - from) / (p->foothold - from), 0, 1) : 1;
  return po_v3(here + (there - here) * (0.3 + 0.7 * share), 0, hip.z);
}

/* Whether a sole that goes from ankle to ankle meets no edge: a foot that rises only because its toes hang need not rise where it stands. */
static int path_even(const po_ground_line *s, const po_gbwc *g, double from, double to) {
  int i, first = po_ground_line_index(s, from - g->heel), last = po_ground_line_index(s, to + g->toe);
  for (i = first; i <= last && !s->solid[i] && po_abs(s->height[i] - s->height[first]) < PATH_LEVEL * g->length; i++) {}
  return i > last;
}

/* Up, over, down: the ankle rises where it stands, passes over what is highest, and comes down where it lands. */
static void path_knots(po_gbwc_path *p, const po_ground_line *s, const po_gbwc *g, double clearance) {
  double from = path_along(p, g->now.swing_start), z0 = g->now.swing_start.z, z1 = p->ground + g->ankle_height, top = po_max(z0, z1), enter = from, leave = p->foothold;
  double up, over, down, all, free = g->length * g->params.step_height;
  int i, first = po_ground_line_index(s, from), last = po_ground_line_index(s, p->foothold), found = 0, edge;
  for (i = first; i <= last; i++) {
    double x = po_ground_line_place(s, i), need = path_envelope(s, g, path_hip(g, p, x, from), x, from, clearance);
    top = po_max(top, need);
    if (need > z0 + PATH_LEVEL && !found) enter = x, found = 1;
  }
  if (!found) enter = from;
  for (i = last; i > first && path_envelope(s, g, path_hip(g, p, po_ground_line_place(s, i), from), po_ground_line_place(s, i), from, clearance) <= z1 + PATH_LEVEL; i--) leave = po_ground_line_place(s, i);
  edge = i > first;
  top = po_max(top + clearance, po_max(z0, z1) + 0.5 * free);
  if (enter > from) enter = po_max(from, enter - clearance);
  leave = po_clamp(po_max(leave, p->foothold - PATH_STRAIGHT * (p->foothold - enter)), enter, p->foothold);
  if ((!found && !edge) || path_even(s, g, from, p->foothold)) { /* nothing in the way: as every swing goes */
    enter = from + 0.25 * (p->foothold - from);
    leave = from + 0.75 * (p->foothold - from);
  }
  up = top - z0 + 0.5 * (enter - from);
  over = leave - enter;
  down = top - z1 + 0.5 * (p->foothold - leave);
  all = up + over + down;
  up = po_max(up / all, PATH_UP);
  down = po_max(down / all, PATH_DOWN);
  if (up + down > 0.8) all = 0.8 / (up + down), up *= all, down *= all;
  p->place[0] = from, p->height[0] = z0, p->phase[0] = 0;
  p->place[1] = enter, p->height[1] = top, p->phase[1] = up * PATH_LANDED;
  p->place[2] = 0.5 * (enter + leave), p->height[2] = top + 0.25 * clearance, p->phase[2] = 0.5 * (up + 1 - down) * PATH_LANDED;
  p->place[3] = leave, p->height[3] = top, p->phase[3] = (1 - down) * PATH_LANDED;
  p->place[4] = p->foothold, p->height[4] = z1, p->phase[4] = PATH_LANDED;
}

/* Over something high: the foot lands where it was planned, since the body has to get over it; a leg that is left behind goes up behind the thing first, as high as that. */
static void path_over(po_gbwc_path *p, const po_ground_line *s, const po_gbwc *g, double here, double from) {
  int i, last = po_ground_line_index(s, p->foothold), at = -1;
  p->sight = 0;
  for (i = po_ground_line_index(s, p->place[0]); i < PATH_SAMPLES; i++) {
    if (!s->solid[i] || s->height[i] < here + PATH_HIGH * g->leg) continue;
    p->sight = 1;
    if (i <= last) at = i;
  }
  p->over = at >= 0;
  p->aside = at >= 0 && po_ground_line_place(s, at) < from;
  if (p->over > 0) p->low = p->high = p->foothold;
  if (!(p->aside > 0)) return;
  p->place[1] = p->place[0] - PATH_HEEL_BACK * g->length;
  p->height[1] = s->height[at] + g->ankle_height;
}

/* How far around a good foothold the ankle may land as well. */
static void path_room(po_gbwc_path *p, const po_ground_line *s, const po_gbwc *g, int at) {
  int i;
  for (i = at; i > 0 && po_isfinite(path_stand_cost(s, g, i - 1)) && po_abs(s->height[i - 1] - s->height[at]) < PATH_LEVEL * g->length; i--) {}
  p->low = po_ground_line_place(s, i);
  for (i = at; i < PATH_SAMPLES - 1 && po_isfinite(path_stand_cost(s, g, i + 1)) && po_abs(s->height[i + 1] - s->height[at]) < PATH_LEVEL * g->length; i++) {}
  p->high = po_ground_line_place(s, i);
}

/* The step under way goes from `from` (m along the way) to p->foothold, and the one after it with the speed p->next. */
static void path_take(po_gbwc *g, const po_ground_line *s, double from, double here, double clearance) {
  const po_actor *a = g->move.actor;
  po_gbwc_path *p = &g->skill.path;
  double period = g->params.step_time * g->time_scale, omega = sqrt(po_v3_norm(a->data->gravity) / po_max(a->data->com.z - here, 0.2 * a->standing_height));
  double whole = po_exp(omega * period), alpha = period / (whole - 1);
  p->speed = (p->foothold + alpha * p->next - from) / (alpha * whole);
  p->longest = po_max(po_max(p->foothold - from, p->next * period), PATH_FORGET * p->longest);
  path_knots(p, s, g, clearance);
}

po_status po_gbwc_path_to(po_gbwc *g, double length, double next, double clearance) {
  const po_actor *a = g->move.actor;
  po_gbwc_path *p = &g->skill.path;
  po_vec3 foot = a->data->pose[a->legs.foot[g->now.stance]].p, other = a->data->pose[a->legs.foot[1 - g->now.stance]].p;
  double from, si, co, here = foot.z - g->ankle_height, step = PATH_STEP * g->length;
  po_ground_line s;
  if (!(length > 0 && length <= g->leg && next >= 0 && next <= g->leg && clearance >= 0)) return PO_ERR_RANGE;
  if (g->now.mode != PO_GBWC_WALK) return PO_ERR_STATE;
  memset(p, 0, sizeof *p);
  p->step = (double)g->now.steps;
  po_sincos(&si, &co, g->now.facing);
  p->along = po_v3(co, si, 0);
  from = path_along(p, foot);
  po_ground_line_level(&s, here, from - PATH_BACK * step, step, PATH_SAMPLES);
  p->foothold = p->low = p->high = from + length;
  p->ground = here;
  p->next = next / (g->params.step_time * g->time_scale);
  p->longest = po_max(from - path_along(p, other), 0); /* the step before: what the hip was lowered for */
  path_take(g, &s, from, here, clearance);
  p->on = 1;
  return PO_OK;
}

po_status po_gbwc_step_to(po_move *move, int stance, double facing, const double *further) {
  po_gbwc *g = po_gbwc_of(move);
  double usual, most;
  po_status st;
  if (!g) return move ? PO_ERR_MODEL : PO_ERR_NULL;
  usual = g->params.speed * g->params.step_time * g->time_scale * g->time_scale;
  most = PATH_TOLD_LONGEST * g->leg;
  g->params.heading = PO_DEG(po_wrap(facing - g->now.north));
  if ((st = po_gbwc_begin_step(move, stance, PATH_TOLD_CHANGE)) != PO_OK || !further) return st;
  g->now.facing = facing;
  return po_gbwc_path_to(g, po_clamp(usual + further[0], PATH_TOLD_SHORTEST, most), po_clamp(usual + further[1], PATH_TOLD_SHORTEST, most), PATH_TOLD_CLEARANCE * g->length);
}

void po_gbwc_path_plan(po_gbwc *g, double speed, double clearance) {
  const po_actor *a = g->move.actor;
  po_gbwc_path *p = &g->skill.path;
  int stance = g->now.stance, swing = 1 - stance, best[2];
  double period = g->params.step_time * g->time_scale, from, si, co, here, step = PATH_STEP * g->length;
  po_vec3 foot = a->data->pose[a->legs.foot[stance]].p, other = a->data->pose[a->legs.foot[swing]].p;
  po_ground_line s;
  p->on = 0;
  p->step = (double)g->now.steps;
  if (g->now.mode != PO_GBWC_WALK) return;
  po_sincos(&si, &co, g->now.facing);
  p->along = po_v3(co, si, 0);
  from = path_along(p, foot);
  po_ground_line_look(&s, a->patches.terrain, other, p->along, from - PATH_BACK * step, step, PATH_SAMPLES, a->data->com.z);
  if (!po_ground_line_uneven(&s, PATH_LEVEL * g->length)) {
    p->longest = 0;
    return;
  }
  if (!path_choose(best, &s, g, PATH_BACK, speed * period, from + speed * period)) return;
  p->foothold = po_ground_line_place(&s, best[0]);
  p->ground = s.height[best[0]];
  path_room(p, &s, g, best[0]);
  here = foot.z - g->ankle_height;
  p->next = po_ground_line_place(&s, best[1]) > p->foothold ? (po_ground_line_place(&s, best[1]) - p->foothold) / period : speed;
  p->behind = s.height[po_ground_line_index(&s, path_along(p, other))] - here; /* of the ground: an ankle whose heel has risen does not stand higher */
  p->drop[0] = po_max(here - (other.z - g->ankle_height), 0);
  p->drop[1] = PATH_LOWER * po_max(here - p->ground, 0);
  path_take(g, &s, from, here, clearance);
  path_over(p, &s, g, here, from);
  p->on = 1;
}
