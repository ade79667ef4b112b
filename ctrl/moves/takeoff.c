/* takeoff.c: leaving the ground with a speed and an angular momentum (section 5.2.1).
 *
 *   crouch    the COM goes down over the soles, a little ahead or behind as the take-off needs it
 *   lean      dives only: the body topples towards the water
 *   thrust    the COM goes up at constant acceleration from where it is; in the later part the angular momentum comes evenly to what is wanted. It stands
 *             above height in priority: what torques cannot give is missing in height
 *
 * Where the COM must be: with the centre of pressure dx ahead of it, L' = −h f_x − dx f_z about the left. Over the share of the thrust that makes the
 * momentum the vertical impulse is m λ (v + g T), so a body that leaves with L backwards and u ahead needs, on average,
 *   dx = (L − m h u)/(m λ (v + g T)).
 * Backwards it presses on its toes, forwards on its heels. Flat soles to the end cost the backward one its momentum: the trunk alone would have to
 * carry it and runs into the stops of hips and spine; so heels may rise.
 *
 * A wind that was felt while standing (po_tumbler_feel) is held against until the thrust, COM leaned into it; the thrust takes it along: holding against it
 * would cost momentum.
 */
#include "airborne_internal.h"
#include <string.h>

#define TAKEOFF_DEEPEST 0.58   /* of the standing height */
#define TAKEOFF_SHALLOWEST 0.85
#define TAKEOFF_EASE 0.6       /* of the COM's way that the formula asks for: the rest comes by itself as the body moves on */
#define TAKEOFF_EDGE 0.8       /* of the sole's half length that the COM may stand off its middle */
#define TAKEOFF_BRACE 0.95     /* of the sole's half length that the centre of pressure may be off its middle against a wind */
#define TAKEOFF_MEAN_HEIGHT 0.85 /* of standing: the COM's during the thrust */
/* Beside the speed: where torques do not suffice for it, a body without a pose contorts itself for the last of it. */
#define TAKEOFF_POSE 3e-4
#define TAKEOFF_PATIENCE 5.0   /* beats of thrust without leaving the ground: it will not */
#define TAKEOFF_STILL 0.15     /* m/s: the crouch is done */
#define TAKEOFF_LEAST_LEFT 0.03 /* beats: targets are not asked for in less */

/* m ahead of the COM that the centre of pressure lies when it holds against the wind. */
static double takeoff_braced(const po_tumbler *t, double over) { return po_v3_dot(po_tumbler_ahead(t), po_tumbler_braced(t, over)); }

void po_takeoff_plan(po_takeoff *k, const po_tumbler *t, const po_takeoff_params *p, double rise, double ahead, double momentum, po_vec3 axis) {
  double g = t->gravity, h = t->h, v, stroke, impulse, dx, side = k->forward ? -1 : 1, braced = takeoff_braced(t, k->crouch * t->h);
  k->rise = rise;
  v = k->speed = sqrt(2 * g * po_max(rise + h - p->extend * h, 0.02 * h));
  k->crouch = p->crouch > 0 ? p->crouch : po_clamp(p->extend - v * v / (2 * p->thrust * g * h), TAKEOFF_DEEPEST, TAKEOFF_SHALLOWEST);
  stroke = (p->extend - k->crouch) * h;
  k->seconds = 2 * stroke / v;
  impulse = t->mass * p->late * (v + g * k->seconds);
  dx = (side * momentum - t->mass * TAKEOFF_MEAN_HEIGHT * h * ahead) / impulse; /* centre of pressure ahead of the COM */
  k->shift = TAKEOFF_EASE * ((k->forward ? -t->heels : t->toes) - dx) + p->shift * h;
  k->shift = po_clamp(k->shift, -TAKEOFF_EDGE * t->heels - braced, TAKEOFF_EDGE * t->toes - braced);
  k->velocity = po_v3_addscaled(po_v3_scale(ahead, po_tumbler_ahead(t)), k->seconds / t->mass, t->wind); /* it is not held against, only counted */
  k->momentum = po_v3_scale(momentum, axis);
}

/* Held against the wind: the same law with the wind taken off, and no more than the centre of pressure at the soles' ends can give; more would turn the body. */
static void takeoff_brace(po_tumbler *t, po_vec3 centre) {
  const po_data *d = t->actor->data;
  po_vec3 ahead = po_tumbler_ahead(t), from = po_v3(d->com.x - centre.x, d->com.y - centre.y, 0), v = po_v3(d->com_velocity.x, d->com_velocity.y, 0), acc;
  double x = po_v3_dot(ahead, from), w2 = t->gravity / po_max(d->com.z - centre.z, TAKEOFF_DEEPEST * t->h), along, most = t->com->limit;
  acc = po_v3_addscaled(po_v3_scale(t->com->kp, po_v3(t->com->ref[0] - d->com.x, t->com->ref[1] - d->com.y, 0)), -2 * sqrt(t->com->kp), v);
  if (po_v3_norm(acc) > most) acc = po_v3_scale(most / po_v3_norm(acc), acc);
  acc = po_v3_addscaled(acc, -1 / t->mass, t->wind);
  along = po_v3_dot(ahead, acc);
  acc = po_v3_addscaled(acc, po_clamp(along, w2 * (x - TAKEOFF_BRACE * t->toes), w2 * (x + TAKEOFF_BRACE * t->heels)) - along, ahead);
  po_ask(t->com, 2, 1, 0);
  t->com->ref_accel[0] = acc.x;
  t->com->ref_accel[1] = acc.y;
}

/* Standing, and coming down: as balance does. */
static void takeoff_down(po_tumbler *t, double height, double left, double shift, const po_tumble_pose *pose) {
  const po_data *d = t->actor->data;
  po_vec3 centre = po_patches_centroid(&t->actor->patches, d, PO_BOTH_FEET), ahead = po_tumbler_ahead(t);
  po_tumbler_plant(t, PO_BOTH_FEET, 0);
  t->level->on = 0;
  po_ask(t->com, 2, 1, 20); /* 1/s², as in standing */
  t->com->limit = 3; /* m/s² */
  t->com->ref[0] = centre.x + shift * ahead.x;
  t->com->ref[1] = centre.y + shift * ahead.y;
  if (po_v3_norm(t->wind) > 0) takeoff_brace(t, centre);
  po_ask_within(t->height, 2, 1, left);
  t->height->ref[0] = centre.z + height;
  po_ask(t->turn, 3, 300, 10);
  t->turn->scale = t->mass * t->h * t->h;
  memset(t->turn->ref, 0, sizeof t->turn->ref);
  po_tumbler_pose(t, pose, 60, 0.01, 1);
  po_tumbler_upright(t, po_tumbler_lean(t, d->com.z - centre.z), 100);
}

void po_takeoff_stand(po_tumbler *t, double height) {
  static const po_tumble_pose rest = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  double braced = takeoff_braced(t, height);
  takeoff_down(t, height, t->beat, po_clamp(0, -TAKEOFF_EDGE * t->heels - braced, TAKEOFF_EDGE * t->toes - braced), &rest);
}

static void takeoff_crouch(po_takeoff *k, po_tumbler *t, const po_takeoff_params *p) {
  /* arms behind the body, to be thrown up and back; or overhead, to be thrown down */
  static const po_tumble_pose back = {0.3, 0.3, 0, 0.1, -0.8, 0.15, 0.2, 0, 0}, ahead = {0.3, 0.3, 0, 0.1, 2.4, 0.15, 0.2, 0, 0};
  takeoff_down(t, k->crouch * t->h, po_max(p->crouch_time - k->time, 0.1 * t->beat), k->shift, k->forward ? &ahead : &back);
  if (k->time < p->crouch_time || po_abs(t->actor->data->com_velocity.z) > TAKEOFF_STILL) return;
  k->stage = k->lean > 0 ? PO_TAKEOFF_LEAN : PO_TAKEOFF_THRUST;
  k->time = 0;
}

/* Who must get away from where he stands topples first: the centre of pressure at one end of the soles, the COM goes over the other. */
static void takeoff_lean(po_takeoff *k, po_tumbler *t) {
  static const po_tumble_pose back = {0.3, 0.3, 0, 0.1, -0.8, 0.15, 0.2, 0, 0}, ahead = {0.3, 0.3, 0, 0.1, 2.4, 0.15, 0.2, 0, 0};
  const po_data *d = t->actor->data;
  po_vec3 way = po_v3_unit(k->velocity), from = po_v3_sub(d->com, po_patches_centroid(&t->actor->patches, d, PO_BOTH_FEET));
  double x = po_v3_dot(way, from), end = k->forward ? t->heels : t->toes, pull = po_max(x + TAKEOFF_EDGE * end, 0) / (t->beat * t->beat);
  takeoff_down(t, k->crouch * t->h, 0.3 * t->beat, 0, k->forward ? &ahead : &back);
  po_ask(t->com, 2, 1, 0);
  t->com->ref_accel[0] = pull * way.x;
  t->com->ref_accel[1] = pull * way.y;
  t->turn->weight = 30; /* a little: the body may turn as it topples */
  if (po_v3_dot(way, d->com_velocity) < k->lean && k->time < TAKEOFF_PATIENCE * t->beat) return;
  k->stage = PO_TAKEOFF_THRUST;
  k->time = 0;
}

static void takeoff_momentum(po_takeoff *k, po_tumbler *t, const po_takeoff_params *p, double left) {
  po_ask(t->turn, 2, 1, 1 / left);
  t->turn->on = left < p->late * k->seconds;
  t->turn->scale = t->mass * t->h;
  po_v3_to(t->turn->ref, k->momentum);
}

static void takeoff_thrust(po_takeoff *k, po_tumbler *t, const po_takeoff_params *p) {
  static const po_tumble_pose back = {-0.2, 0, -0.6, -0.2, 1.8, 0.15, 0.2, 0, 0}, bow = {0.7, 0, -0.6, 0.6, 0.5, 0.15, 0.2, 0, 0};
  const po_data *d = t->actor->data;
  double over = po_tumbler_over(t), to = p->extend * t->h, v = po_max(d->com_velocity.z, 0), stroke = to - k->crouch * t->h, left;
  /* constant acceleration from where the body is; the target stands a little beyond, since a target's last 10 ms are damped */
  double beyond = 0.015 * k->speed, speed = k->speed * sqrt(1 + beyond / stroke);
  po_ask_within(t->height, 3, 1, po_clamp(2 * (to + beyond - over) / (v + speed), 0.004, k->seconds));
  t->height->ref[0] = d->com.z - over + to + beyond;
  t->height->ref_rate[0] = speed;
  left = po_max(2 * (to - over) / (v + k->speed), TAKEOFF_LEAST_LEFT * t->beat);
  k->share = 1 - left / k->seconds;
  po_tumbler_plant(t, PO_BOTH_FEET, k->share > p->heels);
  po_ask(t->com, 3, p->travel, 0);
  t->com->ref_accel[0] = (k->velocity.x - d->com_velocity.x) / left - t->wind.x / t->mass;
  t->com->ref_accel[1] = (k->velocity.y - d->com_velocity.y) / left - t->wind.y / t->mass;
  takeoff_momentum(k, t, p, left);
  t->trunk->on = 0;
  po_tumbler_pose(t, k->forward ? &bow : &back, 150, 0.05, 1);
  t->pose->weight = TAKEOFF_POSE;
  po_tumbler_level(t, k->momentum, 3, TAKEOFF_POSE * p->level);
  if (over >= to || po_patches_touching(&t->actor->patches, PO_BOTH_FEET) == 0 || (k->share > 0.5 && v >= k->speed)) k->stage = PO_TAKEOFF_OFF;
  else if (k->time > TAKEOFF_PATIENCE * t->beat) k->stage = PO_TAKEOFF_STUCK;
}

void po_takeoff_aim(po_takeoff *k, po_tumbler *t, const po_takeoff_params *p, double dt) {
  if (k->stage == PO_TAKEOFF_CROUCH) takeoff_crouch(k, t, p);
  else if (k->stage == PO_TAKEOFF_LEAN) takeoff_lean(k, t);
  else takeoff_thrust(k, t, p);
  k->time += dt;
}
