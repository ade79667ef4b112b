/* walk_gait.c: when and where: the state machine of the feet, footholds and the COM's curve (paper 1, section 6.1, figure 3).
 *
 *   swing → plant      the heel touches after half the swing, or the toe near its place
 *   plant → support    a front corner touches
 *   support → heel-off the other foot enters plant; beyond the paper, also when the centre of pressure has rolled to the toes before that
 *   heel-off → swing   the other foot is in support, ΔT after it touched
 */
#include "walk_internal.h"
#include <string.h>

/* Lengths are metres of the human's legs, times its seconds: w->size and its root bring them to other legs. */
#define WALK_SHIFT_SECONDS 0.6   /* from standing: the COM goes over the first stance foot */
#define WALK_ABREAST 0.25        /* of the foot's length: feet that stand side by side */
#define WALK_CALM 0.3            /* s of standing before it begins: √(l/g) of the human, in which a disturbance would show */
#define WALK_SHIFT_WAY 0.55      /* of the way from between the feet to the first stance foot: with the sway of the step that follows it gets over it, */
#define WALK_SHIFT_SHARE 0.6     /* in this share of the shift's time; the rest is for settling */
#define WALK_EASE_T 0.06         /* s a step: most that the swing time changes, a ninth of it, */
#define WALK_EASE_DT 0.04        /* s a step: double support, */
#define WALK_EASE_SPREAD 0.015   /* m a step: foot spread, 1.7 % of the human's leg, */
#define WALK_EASE_SIDE 0.04      /* m a step: way to the side, */
#define WALK_EASE_SWAY 0.005     /* m a step: hip shift, */
#define WALK_EASE_LEAN 0.03      /* m a step: lean */
#define WALK_AIMED 0.85          /* of the swing: the foothold stays where it is from there on, a foot cannot follow any more */
#define WALK_TURN PO_RAD(20.0)   /* most that the heading turns per step, */
#define WALK_TURN_ACCEL 0.3      /* m/s², and most that it turns the COM's velocity */
#define WALK_MAX_CORRECTION 0.3  /* m, of a foothold */
#define WALK_NARROWEST 0.4       /* of l_foot: how near to the line of the stance foot a step may go, */
#define WALK_CROSS 0.2           /* m: and how far over it one that lands ahead of its ankle; not on steps, whose edges leave no room */
#define WALK_OVER 0.25           /* of the sole: how far ahead of the new heel the capture point is to be, or the body could not pass over the foot */
#define WALK_PIVOT 0.5          /* of the sole: the centre of pressure that the rest of a step is reckoned with */
#define WALK_LARGE 0.15          /* m: an error of the capture point that is worth a quicker step */
#define WALK_QUICKEST 0.6        /* of T: the shortest swing, */
#define WALK_QUICK_MIN 0.25      /* s: but no shorter than a leg can, */
#define WALK_QUICK_MAX 0.3       /* s: and no longer than a leg that hurries needs */
#define WALK_BEYOND 0.03         /* m: a landing that much further from the capture point than usual is a wide one: */
#define WALK_SHRINK 0.6          /* the next one may be as wide times this */
#define WALK_CALM_ERROR 0.03     /* m: an error of the capture point that is nothing to worry about, */
#define WALK_WILD_ERROR 0.07      /* m: and one that calls for all that balances */
#define WALK_SOOTHED 1.0         /* s: from there back */
#define WALK_HURRY_ERROR 0.08    /* m: one that calls for a hurry, which a change of pace does not: */
#define WALK_HURRIES 2.0         /* s: for so long */
#define WALK_SHORTER 0.6         /* of dT: by so much double support is shorter for who is in a hurry */
#define WALK_ROLLED 0.7           /* of the foot's length: a heel this high, 45 degrees, and the foot leaves at once */
#define WALK_PLANT_MAX 0.25      /* s; a toe that hangs is taken to stand */
#define WALK_ANKLE_ROOM 0.1      /* rad: an ankle this near to its stop lets the heel rise */

void po_walk_axes(const po_walk *w, po_vec3 *along, po_vec3 *left) {
  double s, c;
  po_sincos(&s, &c, w->facing);
  *along = po_v3(c, s, 0);
  *left = po_v3(-s, c, 0);
}

po_vec3 po_walk_heel(const po_walk *w, int foot) { return po_frame_position(w->move.actor->data, w->move.actor->patches.patch[foot].heel); }

/* From one foot's line to the other's when `foot` lands: 2 l_foot; who goes to the side opens the feet with one step and closes them with the next. */
double po_walk_spread(const po_walk *w, int foot) {
  double out = foot == 0 ? w->pace.l_side : -w->pace.l_side;
  return 2 * (w->pace.l_foot + po_max(out, 0));
}

/* α of eqs. 18-20: +1 while the right foot swings (left stance). */
static double walk_side(const po_walk *w) { return w->stance == 0 ? 1 : -1; }

/* Speed changes bit by bit. Two steps bring a stroll, as of people: until then a COM over the toes and a centre of pressure at the heel
 * are enough, since ω times the sole's length, 0.8 m/s, is what they give in a step. What is beyond comes slowly. */
#define WALK_FASTER 0.7      /* m/s², in the first steps, */
#define WALK_STARTING 2      /* so many, */
#define WALK_STROLL 0.9      /* m/s: up to there; */
#define WALK_FASTER_YET 0.15 /* m/s a step beyond, */
#define WALK_SLOWER 0.25     /* and down */
#define WALK_GRIP 0.5        /* friction that all this takes */
#define WALK_LAST_STEP 0.1 /* m: short enough for the next one to close the feet */
static void walk_choose_step(po_walk *w) {
  double period = w->pace.T + w->pace.dT, wish = po_walk_wanted(w) ? po_min(w->params.l_step / period, po_walk_down_speed(w)) : 0, tempo = po_walk_tempo(w);
  double grip = po_min(1, w->move.actor->wbc->opts.mu * w->sole[w->stance].mu / WALK_GRIP); /* slippery ground gives less */
  double quick = w->steps - w->started_at < WALK_STARTING ? WALK_FASTER * period * grip : 0;
  double more = po_clamp(WALK_STROLL * tempo - po_abs(w->speed), WALK_FASTER_YET * tempo, po_max(quick, WALK_FASTER_YET * tempo)), less = WALK_SLOWER * tempo, longest;
  w->speed += po_clamp(wish - w->speed, w->speed > 0 ? -less : -more, w->speed < 0 ? less : more);
  longest = po_max(po_abs(w->params.l_step), po_abs(w->step_length)); /* a longer period must not lengthen the step */
  w->step_length = po_clamp(w->speed * period, -longest, longest);
  w->step_length = po_walk_fit(w, w->step_length, w->step_length, po_walk_spread(w, 1 - w->stance));
}

/* The sway that a centre of pressure within the sole can bring about: halfway through a step it lies l (1 + (π/ωT)²) from between the feet. */
#define WALK_SOLE 0.4 /* share of the sole's width that is counted with */
static double walk_sway(const po_walk *w, double wish) {
  double turns = PO_PI / (po_walk_omega(w) * (w->pace.T + w->pace.dT)), lever = 1 + turns * turns, room = WALK_SOLE * 0.5 * w->foot_width;
  return po_clamp(wish, (w->pace.l_foot - room) / lever, (w->pace.l_foot + room) / lever);
}

/* What is asked for comes bit by bit, at the beginning of each step: a change within a step would leave the foot in the air. */
static double walk_ease(double now, double wish, double most) { return now + po_clamp(wish - now, -most, most); }
static void walk_choose_pace(po_walk *w) {
  const po_walk_params *p = &w->params;
  double tempo = po_walk_tempo(w);
  w->pace.T = walk_ease(w->pace.T, p->T, tempo * WALK_EASE_T);
  w->pace.dT = walk_ease(w->pace.dT, p->dT, tempo * WALK_EASE_DT);
  w->pace.l_foot = walk_ease(w->pace.l_foot, p->l_foot, w->size * WALK_EASE_SPREAD);
  w->pace.l_side = walk_ease(w->pace.l_side, po_walk_wanted(w) ? p->l_side : 0, w->size * WALK_EASE_SIDE);
  w->pace.l_hip = walk_sway(w, walk_ease(w->pace.l_hip, p->l_hip, w->size * WALK_EASE_SWAY));
  w->pace.l_trunk = walk_ease(w->pace.l_trunk, p->l_trunk, w->size * WALK_EASE_LEAN);
  walk_choose_step(w);
}

/* ---- footholds ---- */

static po_vec3 walk_capture_point(const po_walk *w) { return po_v3_addscaled(w->move.actor->data->com, 1 / po_walk_omega(w), w->move.actor->data->com_velocity); }

/* The capture point from the stance heel, towards the side of the swinging foot. */
static double walk_inside(const po_walk *w) {
  po_vec3 along, left;
  po_walk_axes(w, &along, &left);
  return -walk_side(w) * po_v3_dot(left, po_v3_sub(walk_capture_point(w), po_walk_heel(w, w->stance)));
}

/* An error grows as e^{ωt} until touchdown: a large one hurries the step. Returns the growth that is left. */
static double walk_hurry(po_walk *w, double error) {
  double om = po_walk_omega(w), t = w->state_time[1 - w->stance], left = w->swing_time - t;
  double tempo = po_walk_tempo(w), quickest = po_clamp(WALK_QUICKEST * w->pace.T, tempo * WALK_QUICK_MIN, tempo * WALK_QUICK_MAX) - t, large = w->size * WALK_LARGE;
  if (error * po_exp(om * left) > large) left = po_min(left, po_max(po_log(large / error) / om, quickest));
  w->swing_time = t + left;
  return po_exp(om * po_max(left, 0));
}

/* How far beyond the capture point, to the side, a foot lands when all goes as its curve does. */
static double walk_usual(const po_walk *w) {
  double om = po_walk_omega(w), T = w->pace.T + w->pace.dT, e = po_exp(om * T), a = 0.5 * po_walk_spread(w, w->stance), b = 0.5 * po_walk_spread(w, 1 - w->stance);
  double sway = a - w->pace.l_hip * PO_PI / (om * T), bob = a + (2 * b - a * (e + 1 / e)) / (e - 1 / e);
  return sway + po_walk_aside(w) * (bob - sway);
}

/* From the stance heel to the side: where the feet's lines are, and the error at touchdown. Landing far beyond the capture point makes the next step as wide, and
 * so on for ever: after a wide step the next comes nearer. Outwards as far as the leg goes, inwards until the feet stand in one line, or over it ahead of the other
 * foot: who is pushed towards the foot that he stands on has nowhere else to step. */
static double walk_width(const po_walk *w, double error, double growth, double length) {
  double l = po_walk_spread(w, 1 - w->stance), usual = walk_usual(w), out = l + growth * error;
  if (w->beyond > usual + w->size * WALK_BEYOND) out = po_min(out, po_max(l, growth * walk_inside(w) + po_max(usual, WALK_SHRINK * w->beyond)));
  return po_clamp(out, length > w->ankle_offset && !w->move.actor->patches.terrain->boxes ? -w->size * WALK_CROSS : WALK_NARROWEST * w->pace.l_foot, l + w->size * WALK_MAX_CORRECTION);
}

/* From the stance heel along the way: the next steps have time for what the error grows by. A hurried step is shorter, as the COM goes at its
 * own speed, and no step is longer than the capture point then allows, p + (ξ − p) e^{ωt} with p the pivot. */
static double walk_length(const po_walk *w, po_vec3 along, double error, double growth) {
  double hurried = po_min(1, (w->com_time + w->swing_time - w->state_time[1 - w->stance]) / (w->pace.T + w->pace.dT));
  double most = w->size * WALK_MAX_CORRECTION, length = hurried * w->step_length + po_clamp(error, -most, most), p = WALK_PIVOT * w->foot_length;
  double xi = p + (po_v3_dot(along, po_v3_sub(walk_capture_point(w), po_walk_heel(w, w->stance))) - p) * growth;
  if (!(w->params.footstep_feedback > 0)) return length;
  return w->step_length < 0 ? po_max(length, xi - (1 - WALK_OVER) * w->foot_length) : po_min(length, xi - WALK_OVER * w->foot_length);
}

/* Eq. 18 (with l_foot, not l_hip), from the heel that stays down; corrected by the error of the capture point c + ċ/ω against the curve's. */
static void walk_foothold(po_walk *w) {
  po_vec3 along, left, p, v, a, e;
  double side = -walk_side(w), y, growth, width, length;
  po_walk_axes(w, &along, &left);
  po_walk_com(w, &p, &v, &a);
  e = po_v3_sub(walk_capture_point(w), po_v3_addscaled(p, 1 / po_walk_omega(w), v));
  e = po_v3_scale(w->params.footstep_feedback, e);
  y = side * po_v3_dot(e, left);
  growth = walk_hurry(w, po_abs(y));
  length = walk_length(w, along, po_v3_dot(e, along), growth);
  width = walk_width(w, y, growth, length);
  w->foothold = po_v3_addscaled(po_walk_heel(w, w->stance), side * width, left);
  w->foothold = po_v3_addscaled(w->foothold, po_walk_fit(w, length, w->step_length, width), along);
  w->foothold.z = po_walk_ground(w, w->foothold);
}

/* ---- the feet ---- */

static void walk_set_foot(po_walk *w, int f, po_foot_state state) {
  w->foot[f] = state;
  w->state_time[f] = 0;
  if (state == PO_FOOT_SWING) w->swing_time = w->pace.T;
}

static void walk_turn(po_walk *w) {
  double e = po_wrap(po_walk_way(w) - w->facing), most = po_min(WALK_TURN, WALK_TURN_ACCEL * (w->pace.T + w->pace.dT) / po_max(po_abs(w->speed), 0.1));
  w->facing += po_clamp(e, -most, most);
}

static void walk_record_step(po_walk *w, int planted) {
  po_vec3 along, left, heel = po_walk_heel(w, planted);
  po_walk_axes(w, &along, &left);
  w->steps++;
  if (w->steps > 2) { /* the first steps are starting up */
    w->step_length_sum += po_v3_dot(along, po_v3_sub(heel, po_walk_heel(w, 1 - planted)));
    w->swing_sum += w->state_time[planted];
    w->period_sum += w->com_time;
    w->step_count++;
  }
}

/* The swing foot's heel has touched: it becomes the stance foot, and the COM's curve starts anew. */
static void walk_plant(po_walk *w, int f) {
  walk_record_step(w, f);
  walk_set_foot(w, f, PO_FOOT_PLANT);
  walk_set_foot(w, 1 - f, PO_FOOT_HEELOFF);
  w->last_period = po_clamp(w->com_time, 0.8 * (w->pace.T + w->pace.dT), 2 * (w->pace.T + w->pace.dT));
  w->stance = f;
  w->beyond = walk_inside(w);
  w->calm = !(w->unrest > 0);
  po_walk_hips_strike(w);
  po_walk_down_strike(w);
  if (po_walk_wanted(w)) w->mode = PO_WALK_STEP;
  else if (w->mode == PO_WALK_STOP) w->mode = PO_WALK_STAND;
  else if (po_abs(w->step_length) < WALK_LAST_STEP * w->size) w->mode = PO_WALK_STOP;
  walk_turn(w);
  walk_choose_pace(w);
  po_walk_begin_curve(w, w->mode == PO_WALK_STEP ? 0.5 * (w->last_period + w->pace.T + w->pace.dT) : w->pace.T + w->pace.dT, 0);
}

/* A heel may rise only once the other foot is on its way down: legs that differ stand with the longer one bent, its ankle at its stop, and a heel that rose with
 * the first step left the body on its toes for a whole swing. */
static int walk_other_comes_down(const po_walk *w, int f) { return w->foot[1 - f] == PO_FOOT_SWING && w->state_time[1 - f] >= 0.5 * w->swing_time; }

/* Within the steps that bring a stroll. */
static int walk_starting(const po_walk *w) { return w->steps - w->started_at < WALK_STARTING && po_abs(w->speed) > 0; }

/* The centre of pressure that the COM's motion wants has come to the toes: the heel has nothing to carry any more. In a start the COM itself: it overtakes its
 * curve, so that the pressure it wants stays behind the toes when it is past them, and over a heel held down the body pitched and threw its arms up to the horizontal. */
static int walk_on_toes(const po_walk *w, int f) {
  po_vec3 along, left, heel = po_walk_heel(w, f);
  po_walk_axes(w, &along, &left);
  if (walk_starting(w) && !po_walk_on_steps(w) && po_v3_dot(along, po_v3_sub(w->move.actor->data->com, heel)) > w->foot_length) return 1;
  return po_v3_dot(along, po_v3_sub(w->pressure, heel)) > w->params.ball * w->farthest;
}

/* The shin leans over the foot as far as its ankle lets it: held flat, the foot would stop the body, as on the way down a step, where the knee bends. */
static int walk_ankle_stops(const po_walk *w, const double *q, int f) {
  const po_joint *ankle = &w->move.actor->model->joint[w->move.actor->legs.foot[f]];
  if (w->step_length < 0 || (ankle->type != PO_JOINT_REVOLUTE && ankle->type != PO_JOINT_UNIVERSAL)) return 0;
  return q[ankle->q] < ankle->lower[0] + WALK_ANKLE_ROOM;
}

/* A foot that points down by more than 30 degrees. */
static int walk_pointed(const po_walk *w, int f) {
  return po_walk_heel(w, f).z - po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p.z > 0.5 * w->foot_length;
}

/* The heel touches, or the toe near its place: a toe that drags on its way does not stand. */
static int walk_landed(const po_walk *w, int f, int back, int front) {
  po_vec3 along, left;
  if (w->state_time[f] <= 0.5 * w->swing_time || po_walk_above_place(w, f)) return 0;
  po_walk_axes(w, &along, &left);
  return back || (front && !walk_pointed(w, f) && po_v3_dot(along, po_v3_sub(w->foothold, po_walk_heel(w, f))) < 0.5 * w->foot_length);
}

/* It stands on the tips of its toes: it would be a strut that throws the body up. */
static int walk_rolled(const po_walk *w, int f) {
  return po_walk_heel(w, f).z - po_frame_pose(w->move.actor->data, w->move.actor->patches.patch[f].toe).p.z > WALK_ROLLED * w->foot_length;
}

/* Double support lasts ΔT, less for who is in a hurry: a foot that could swing waits for it. */
static double walk_double_support(const po_walk *w) { return w->pace.dT * (1 - (w->haste > 0 ? WALK_SHORTER * w->unrest : 0)); }

static void walk_feet(po_walk *w, const double *q) {
  int f;
  for (f = 0; f < 2; f++) {
    const int *on = w->sole[f].touching;
    int back = on[0] || on[1], front = on[2] || on[3], other = 1 - f;
    if (w->foot[f] == PO_FOOT_SWING && walk_landed(w, f, back, front)) walk_plant(w, f);
    else if (w->foot[f] == PO_FOOT_PLANT && ((front && (back || !po_walk_on_steps(w))) || w->state_time[f] > WALK_PLANT_MAX * po_walk_tempo(w))) w->foot[f] = PO_FOOT_SUPPORT; /* its clock goes on */
    else if (w->foot[f] == PO_FOOT_SUPPORT && w->mode == PO_WALK_STEP && walk_other_comes_down(w, f) && (walk_on_toes(w, f) || walk_ankle_stops(w, q, f))) walk_set_foot(w, f, PO_FOOT_HEELOFF);
    if ((w->foot[f] == PO_FOOT_SUPPORT && w->foot[other] == PO_FOOT_HEELOFF && w->state_time[f] >= walk_double_support(w)) ||
        (w->foot[f] != PO_FOOT_SWING && w->foot[other] == PO_FOOT_HEELOFF && w->mode == PO_WALK_STEP && walk_rolled(w, other)))
      walk_set_foot(w, other, w->mode == PO_WALK_STAND ? PO_FOOT_SUPPORT : PO_FOOT_SWING);
  }
}

/* The foot that stays for the first step: the one ahead on the way, so that the other does not have to stop halfway; side by side, the left one, but the
 * right one for who goes to the left. */
static int walk_first_stance(const po_walk *w) {
  po_vec3 along, left;
  double ahead;
  po_walk_axes(w, &along, &left);
  ahead = (w->params.l_step < 0 ? -1 : 1) * po_v3_dot(along, po_v3_sub(po_walk_heel(w, 1), po_walk_heel(w, 0)));
  return ahead > WALK_ABREAST * w->foot_length || (w->params.l_side > 0 && ahead > -WALK_ABREAST * w->foot_length);
}

/* From standing: over one foot, then the other one goes. */
static void walk_modes(po_walk *w) {
  if (w->mode == PO_WALK_STAND && po_walk_wanted(w) && w->mode_time > WALK_CALM * po_walk_tempo(w)) {
    w->mode = PO_WALK_SHIFT;
    w->mode_time = 0;
    w->stance = walk_first_stance(w);
    walk_turn(w);
  } else if (w->mode == PO_WALK_SHIFT && w->mode_time >= WALK_SHIFT_SECONDS * po_walk_tempo(w)) {
    w->mode = PO_WALK_STEP;
    w->mode_time = 0;
    w->started_at = w->steps;
    walk_set_foot(w, 1 - w->stance, PO_FOOT_SWING);
    walk_choose_pace(w);
    po_walk_begin_curve(w, w->pace.T + w->pace.dT, 1);
  }
}

/* Standing, and shifting to the first stance foot: the COM glides to a point between the feet. */
static void walk_stand_target(po_walk *w) {
  po_vec3 both = po_patches_centroid(&w->move.actor->patches, w->move.actor->data, PO_BOTH_FEET), one = po_patches_centroid(&w->move.actor->patches, w->move.actor->data, PO_PATCH_BIT(w->stance));
  double share = w->mode == PO_WALK_SHIFT ? WALK_SHIFT_WAY * po_clamp(w->mode_time / (WALK_SHIFT_SHARE * WALK_SHIFT_SECONDS * po_walk_tempo(w)), 0, 1) : 0;
  w->p0 = w->p1 = po_v3_add(both, po_v3_scale(share, po_v3_sub(one, both)));
}

/* How far the walk is from its curve, 0 to 1: at once when it is thrown off, slowly back. Who is, has arms and a trunk to balance with. Who is far from it hurries. */
static void walk_unrest(po_walk *w, double dt) {
  po_vec3 p, v, a, e;
  double off;
  if (w->mode != PO_WALK_STEP && w->mode != PO_WALK_STOP) {
    w->unrest = w->haste = 0;
    return;
  }
  po_walk_com(w, &p, &v, &a);
  e = po_v3_sub(walk_capture_point(w), po_v3_addscaled(p, 1 / po_walk_omega(w), v));
  off = sqrt(e.x * e.x + e.y * e.y) / w->size;
  w->unrest = po_max(po_clamp((off - WALK_CALM_ERROR) / (WALK_WILD_ERROR - WALK_CALM_ERROR), 0, 1), w->unrest - dt / (WALK_SOOTHED * po_walk_tempo(w)));
  w->haste = off > WALK_HURRY_ERROR ? WALK_HURRIES * po_walk_tempo(w) : po_max(w->haste - dt, 0);
  if (walk_starting(w)) w->haste = po_max(w->haste, dt); /* who gathers speed steps off early: else his arms are thrown to pitch him */
}

void po_walk_gait(po_walk *w, const po_sense *sense) {
  double dt = sense->dt;
  walk_modes(w);
  walk_feet(w, sense->q);
  if (w->mode == PO_WALK_STAND || w->mode == PO_WALK_SHIFT) walk_stand_target(w);
  else if (w->foot[1 - w->stance] == PO_FOOT_SWING && w->state_time[1 - w->stance] < WALK_AIMED * w->swing_time) walk_foothold(w);
  walk_unrest(w, dt);
  w->mode_time += dt;
  w->com_time += dt;
  w->state_time[0] += dt;
  w->state_time[1] += dt;
}
