/* walk_gait.c: the clock of a walk: what each foot does (paper 1, figure 3), and how far the walk is from its plan.
 *
 *   swing → plant      the heel touches after half the swing, or the toe near its place
 *   plant → support    the other end of the sole touches
 *   support → heel-off the other foot enters plant; beyond the paper, also when the centre of pressure has rolled to the toes before that
 *   heel-off → swing   the other foot stands, ΔT after it touched
 */
#include "walk_internal.h"

#define WALK_CALM 0.3            /* s of standing before it begins: √(l/g) of the human, in which a disturbance would show */
#define WALK_SHIFT_SECONDS 0.6   /* from standing: the COM goes over the first stance foot, */
#define WALK_SHIFT_WAY 0.55      /* this share of the way: with the sway of the step that follows it gets over it, */
#define WALK_SHIFT_SHARE 0.6     /* in this share of the time; the rest is for settling */
#define WALK_ABREAST 0.25        /* of the foot's length: feet that stand side by side */
#define WALK_AIMED 0.85          /* of the swing: the foothold stays where it is from there on, a foot cannot follow any more */
#define WALK_LAST_STEP 0.1       /* m: short enough for the next one to close the feet */
#define WALK_TURN PO_RAD(20.0)   /* most that the heading turns per step, */
#define WALK_TURN_ACCEL 0.3      /* m/s², and most that it turns the COM's velocity */
#define WALK_ROLLED 0.7          /* of the foot's length: a heel this high, 45 degrees, and the foot leaves at once */
#define WALK_PLANT_MAX 0.25      /* s; a toe that hangs is taken to stand */
#define WALK_ANKLE_ROOM 0.1      /* rad: an ankle this near to its stop lets the heel rise */
#define WALK_BALL 0.97           /* of where a foot can carry: a centre of pressure wanted ahead of it lets the heel rise */

static void walk_set_foot(po_walk *w, int f, po_foot_state state) {
  w->s.seen.foot[f] = state;
  w->s.seen.foot_time[f] = 0;
  if (state == PO_FOOT_SWING) po_walk_plan_lift(w, f);
}

void po_walk_turn(po_walk *w) {
  const walk_plan *n = &w->s.plan;
  double e = po_wrap(po_walk_way(w) - w->s.seen.facing), most = po_min(WALK_TURN, WALK_TURN_ACCEL * (n->T + n->dT) / po_max(po_abs(n->speed), 0.1));
  w->s.seen.facing += po_clamp(e, -most, most);
  po_walk_axes(w);
}

static void walk_record_step(po_walk *w, int planted) {
  po_walk_seen *s = &w->s.seen;
  if (++s->steps <= 2) return; /* the first steps are starting up */
  s->length_sum += po_v3_dot(w->view.along, po_v3_sub(w->view.heel[planted], w->view.heel[1 - planted]));
  s->swing_sum += s->foot_time[planted];
  s->period_sum += w->s.curve_time;
  s->step_count++;
}

/* The swing foot has touched: it becomes the stance foot, and a step is planned. */
static void walk_strike(po_walk *w, int f) {
  po_walk_seen *s = &w->s.seen;
  walk_plan *n = &w->s.plan;
  walk_record_step(w, f);
  walk_set_foot(w, f, PO_FOOT_PLANT);
  walk_set_foot(w, 1 - f, PO_FOOT_HEELOFF);
  s->period = po_clamp(w->s.curve_time, 0.8 * (n->T + n->dT), 2 * (n->T + n->dT));
  s->stance = f;
  po_walk_axes(w);
  if (po_walk_wanted(w)) s->mode = PO_WALK_STEP;
  else if (s->mode == PO_WALK_STOP) s->mode = PO_WALK_STAND;
  else if (po_abs(n->length) < WALK_LAST_STEP * w->body.size) s->mode = PO_WALK_STOP;
  po_walk_plan_step(w, 0);
  po_walk_begin_curve(w, s->mode == PO_WALK_STEP ? 0.5 * (s->period + n->T + n->dT) : n->T + n->dT, 0);
}

/* ---- the feet ---- */

static double walk_pitch_over(const po_walk *w, int f) { return (w->view.heel[f].z - w->view.toe[f].z) / w->body.foot_length; } /* sine, heel up */

/* The heel touches, or the toe near its place: a toe that drags on its way does not stand, nor a foot that passes an edge above its place. */
static int walk_landed(const po_walk *w, int f) {
  const walk_plan *n = &w->s.plan;
  double missing = po_v3_dot(w->view.along, po_v3_sub(n->to, w->view.heel[f]));
  if (w->s.seen.foot_time[f] <= 0.5 * n->swing_T) return 0;
  if (n->drop > 0 && po_min(w->view.heel[f].z, w->view.toe[f].z) > n->to.z + 0.5 * n->drop) return 0;
  return w->view.back[f] || (w->view.front[f] && walk_pitch_over(w, f) < 0.5 + po_sin(po_max(-n->strike, 0)) && missing < 0.5 * w->body.foot_length);
}

/* The centre of pressure that the COM's motion wants has come to the toes: the heel has nothing to carry any more. In a start the COM itself: it overtakes its
 * curve, so that the pressure it wants stays behind the toes when it is past them, and over a heel held down the body pitched and threw its arms up to the horizontal. */
static int walk_on_toes(const po_walk *w, int f) {
  if (po_walk_starting(w) && po_v3_dot(w->view.along, po_v3_sub(w->view.com, w->view.heel[f])) > w->body.foot_length) return 1;
  return po_v3_dot(w->view.along, po_v3_sub(w->s.pressure, w->view.heel[f])) > WALK_BALL * w->body.farthest;
}

/* The shin leans over the foot as far as its ankle lets it: held flat, the foot would stop the body. */
static int walk_ankle_stops(const po_walk *w, const double *q, int f) {
  const po_joint *ankle = &w->move.actor->model->joint[w->move.actor->legs.foot[f]];
  if (w->s.plan.length < 0 || (ankle->type != PO_JOINT_REVOLUTE && ankle->type != PO_JOINT_UNIVERSAL)) return 0;
  return q[ankle->q] < ankle->lower[0] + WALK_ANKLE_ROOM;
}

/* A heel may rise only once the other foot is on its way down: legs that differ stand with the longer one bent, its ankle at its stop, and a heel that rose with
 * the first step left the body on its toes for a whole swing. */
static int walk_heel_rises(const po_walk *w, const double *q, int f) {
  int other = 1 - f;
  if (w->s.seen.mode != PO_WALK_STEP || w->s.seen.foot[other] != PO_FOOT_SWING || w->s.seen.foot_time[other] < 0.5 * w->s.plan.swing_T) return 0;
  return walk_on_toes(w, f) || walk_ankle_stops(w, q, f);
}

/* Double support lasts ΔT, less for who is in a hurry; one that struck heel first may carry before its toes are down. */
#define WALK_SHORTER 0.6         /* of dT: by so much less */
static int walk_carries(const po_walk *w, int f) {
  double both = w->s.plan.dT * (1 - (w->s.haste > 0 ? WALK_SHORTER * w->s.seen.unrest : 0));
  int stands = w->s.seen.foot[f] == PO_FOOT_SUPPORT || (w->s.seen.foot[f] == PO_FOOT_PLANT && w->view.back[f] && w->s.plan.length > 0);
  return stands && w->s.seen.foot_time[f] >= both;
}

static void walk_clock_feet(po_walk *w, const double *q) {
  po_walk_seen *s = &w->s.seen;
  int f;
  for (f = 0; f < 2; f++) {
    int other = 1 - f;
    if (s->foot[f] == PO_FOOT_SWING && walk_landed(w, f)) walk_strike(w, f);
    else if (s->foot[f] == PO_FOOT_PLANT && ((w->view.front[f] && w->view.back[f]) || s->foot_time[f] > WALK_PLANT_MAX * w->body.tempo)) s->foot[f] = PO_FOOT_SUPPORT; /* its clock goes on */
    else if (s->foot[f] == PO_FOOT_SUPPORT && walk_heel_rises(w, q, f)) walk_set_foot(w, f, PO_FOOT_HEELOFF);
    if (s->foot[other] == PO_FOOT_HEELOFF && s->foot[f] != PO_FOOT_SWING &&
        (walk_carries(w, f) || (s->mode == PO_WALK_STEP && walk_pitch_over(w, other) > WALK_ROLLED))) /* on the tips of its toes it would be a strut that throws the body up */
      walk_set_foot(w, other, s->mode == PO_WALK_STAND ? PO_FOOT_SUPPORT : PO_FOOT_SWING);
  }
}

/* Whether heels leave before toes, as they should. */
static void walk_watch_heels(po_walk *w) {
  po_walk_seen *s = &w->s.seen;
  int f;
  for (f = 0; f < 2; f++) {
    int back = w->view.back[f], front = w->view.front[f];
    if (!back && front && (s->foot[f] == PO_FOOT_HEELOFF || s->foot[f] == PO_FOOT_SWING)) w->s.heel_left[f] = 1;
    if (!back && !front && w->s.heel_left[f] != 2 && s->foot[f] == PO_FOOT_SWING) {
      if (s->steps > 2) {
        s->lifts++;
        s->heel_first += w->s.heel_left[f] == 1;
      }
      w->s.heel_left[f] = 2;
    }
    if (back && front) w->s.heel_left[f] = 0;
  }
}

/* ---- starting ---- */

/* The foot that stays for the first step: the one ahead on the way, so that the other does not have to stop halfway; side by side, the left one, but the
 * right one for who goes to the left. */
static int walk_first_stance(const po_walk *w) {
  double ahead = (w->params.l_step < 0 ? -1 : 1) * po_v3_dot(w->view.along, po_v3_sub(w->view.heel[1], w->view.heel[0]));
  return ahead > WALK_ABREAST * w->body.foot_length || (w->params.l_side > 0 && ahead > -WALK_ABREAST * w->body.foot_length);
}

/* From standing: over one foot, then the other one goes. */
static void walk_modes(po_walk *w) {
  po_walk_seen *s = &w->s.seen;
  if (s->mode == PO_WALK_STAND && po_walk_wanted(w) && w->s.mode_time > WALK_CALM * w->body.tempo) {
    s->mode = PO_WALK_SHIFT;
    w->s.mode_time = 0;
    s->stance = walk_first_stance(w);
    po_walk_turn(w);
  } else if (s->mode == PO_WALK_SHIFT && w->s.mode_time >= WALK_SHIFT_SECONDS * w->body.tempo) {
    s->mode = PO_WALK_STEP;
    w->s.mode_time = 0;
    w->s.started_at = s->steps;
    po_walk_plan_step(w, 1);
    po_walk_begin_curve(w, w->s.plan.T + w->s.plan.dT, 1);
    walk_set_foot(w, 1 - s->stance, PO_FOOT_SWING);
  }
}

/* Standing, and shifting to the first stance foot: the COM glides to a point between the feet. */
static void walk_stand(po_walk *w) {
  const po_actor *a = w->move.actor;
  po_vec3 both = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET), one = po_patches_centroid(&a->patches, a->data, PO_PATCH_BIT(w->s.seen.stance));
  double share = w->s.seen.mode == PO_WALK_SHIFT ? WALK_SHIFT_WAY * po_clamp(w->s.mode_time / (WALK_SHIFT_SHARE * WALK_SHIFT_SECONDS * w->body.tempo), 0, 1) : 0;
  w->s.plan.p0 = w->s.plan.p1 = po_v3_add(both, po_v3_scale(share, po_v3_sub(one, both)));
}

/* ---- how far it is from its plan ---- */

#define WALK_CALM_ERROR 0.03     /* m: an error of the capture point that is nothing to worry about, */
#define WALK_WILD_ERROR 0.07     /* m: and one that calls for all that balances */
#define WALK_SOOTHED 1.0         /* s: from there back */
#define WALK_HURRY_ERROR 0.08    /* m: one that calls for a hurry, which a change of pace does not: */
#define WALK_HURRIES 2.0         /* s: for so long */
#define WALK_DRIFT 1.5           /* s, and 0.1 m: what is off along the way in every step is the curve's error, not the walk's */
static const double walk_care_rises = 0.05, walk_care_sinks = 0.3; /* s */

/* Unrest, 0 to 1: at once when it is thrown off its curve, slowly back. Who is, has arms and a trunk to balance with. Who is far from it hurries. */
static void walk_unrest(po_walk *w, double dt) {
  double ahead = po_v3_dot(w->view.off, w->view.along), size = w->body.size, tempo = w->body.tempo, off;
  po_vec3 e;
  if (w->s.seen.mode != PO_WALK_STEP && w->s.seen.mode != PO_WALK_STOP) {
    w->s.seen.unrest = w->s.haste = w->s.drift = 0;
    return;
  }
  w->s.drift += dt / WALK_DRIFT * (po_clamp(ahead, -0.1 * size, 0.1 * size) - w->s.drift);
  e = po_v3_addscaled(w->view.off, -w->s.drift, w->view.along);
  off = sqrt(e.x * e.x + e.y * e.y) / size;
  w->s.seen.unrest = po_max(po_clamp((off - WALK_CALM_ERROR) / (WALK_WILD_ERROR - WALK_CALM_ERROR), 0, 1), w->s.seen.unrest - dt / (WALK_SOOTHED * tempo));
  w->s.haste = off > WALK_HURRY_ERROR ? WALK_HURRIES * tempo : po_max(w->s.haste - dt, 0);
  if (po_walk_starting(w)) w->s.haste = po_max(w->s.haste, dt); /* who gathers speed steps off early: else his arms are thrown to pitch him */
}

/* Where the COM is to be, and how far the capture point is from where it then were. */
static void walk_see_curve(po_walk *w) {
  walk_view *s = &w->view;
  if (w->s.seen.mode == PO_WALK_STAND || w->s.seen.mode == PO_WALK_SHIFT) {
    walk_stand(w);
    s->want = w->s.plan.p1;
    s->want_v = s->want_a = po_v3(0, 0, 0);
  } else po_walk_curve(w, &s->want, &s->want_v, &s->want_a);
  s->off = po_v3_sub(s->capture, po_v3_addscaled(s->want, 1 / s->omega, s->want_v));
}

void po_walk_gait(po_walk *w, const po_sense *sense) {
  double dt = sense->dt, *care = &w->s.plan.care;
  po_walk_seen *s = &w->s.seen;
  int other;
  walk_modes(w);
  walk_clock_feet(w, sense->q);
  walk_watch_heels(w);
  walk_see_curve(w);
  other = 1 - s->stance;
  if (s->mode != PO_WALK_STAND && s->mode != PO_WALK_SHIFT && s->foot[other] == PO_FOOT_SWING && s->foot_time[other] < WALK_AIMED * w->s.plan.swing_T) po_walk_plan_place(w);
  walk_unrest(w, dt);
  *care += po_clamp((w->s.plan.edges || w->s.plan.came_down ? 0 : s->unrest) - *care, -dt / walk_care_sinks, dt / walk_care_rises);
  s->step_length = w->s.plan.length;
  s->side = w->s.plan.l_side;
  s->step_seconds = w->s.plan.T + w->s.plan.dT;
  w->s.mode_time += dt;
  w->s.curve_time += dt;
  s->foot_time[0] += dt;
  s->foot_time[1] += dt;
}
