/* pirouette.c: whole turns about the vertical on one toe (Al Borno et al. 2014, section 5.5).
 *
 *   stand → shift → wind → drive → turn → catch → land → done
 *
 *   shift    up on the toes, the COM towards the leg it will turn on
 *   wind     the trunk turns against the turn to come
 *   drive    angular momentum about the vertical, made by both feet, arms wide, while the capture point goes to the toe it will turn on
 *   turn     on the round tip of that toe alone, which does not brake; arms close, the other leg is drawn up
 *   catch    arms open, the other foot comes down beside
 *
 * On one point nothing but the body's own rotation moves the COM: what gravity turns, H = L + m c × v about the point, changes by m g (c − p) and by nothing
 * else. So the COM is led to where it takes H away, p − (k/w²) H/(m h), w² = g/h, and the turn of the trunk that this costs comes back as H vanishes.
 */
#include "turner.h"
#include <string.h>

const po_param po_pirouette_param[] = {
  PO_PARAM(po_pirouette_params, momentum, 16, 4, 30, "kg m^2/s", "about the vertical"),
  PO_PARAM(po_pirouette_params, right, 0, 0, 1, "", "1: turns to the right"),
  PO_PARAM(po_pirouette_params, wait, 0.5, 0, 60, "s", "standing before it begins"),
  PO_PARAM(po_pirouette_params, beats, 4, 0.5, 20, "beats", "it turns as far as its momentum brings it in so many sqrt(h/g)"),
  PO_PARAM(po_pirouette_params, drive, 1.25, 0.3, 5, "beats", "time in which the momentum is made, in sqrt(h/g)"),
  PO_PARAM(po_pirouette_params, wound_deg, 50, 0, 120, "deg", "the trunk is turned so far against the turn to come before"),
  PO_PARAM(po_pirouette_params, over, 1.1, 0.8, 1.15, "", "COM height on the toe, share of standing"),
  PO_PARAM(po_pirouette_params, kp_tip, 80, 0, 1000, "1/s^2", "gain of the COM on the toe"),
  PO_PARAM(po_pirouette_params, k_tip, 3, 0, 20, "1/s", "rate at which what gravity turned is taken away"),
  PO_PARAM(po_pirouette_params, abort, 0.06, 0.005, 0.5, "", "capture point off the toe, in standing heights: the other foot comes down"),
  PO_LANDING_ROWS(po_pirouette_params, landing),
};
const int po_pirouette_param_count = (int)(sizeof po_pirouette_param / sizeof po_pirouette_param[0]);

enum { PIR_STAND, PIR_WIND, PIR_DRIVE, PIR_TURN, PIR_OPEN, PIR_DOWN, PIR_LAND, PIR_DONE };

typedef struct pirouette {
  po_turner turner;
  double start, turned, heading; /* rad: heading at the start; turned since, in its direction; last heading seen */
  double goal;               /* how far it will turn */
  double rate;               /* rad/s of the mean frame as it opens */
  po_vec3 spot;              /* where the tip stands */
  int on;                    /* foot it turns on */
  po_pirouette_params params;
  po_objective *tip;
  int tip_body[2];           /* toes, or feet without them */
  po_vec3 tip_centre[2];     /* of the round tip, in its axes */
  double tip_radius[2];      /* 0: a point */
} pirouette;

#define PIR_STAND_HEIGHT 0.95 /* of the zero pose's, as in balance */
#define PIR_LOWEST 0.3       /* of the standing height: laws are not asked about a COM below */
#define PIR_DOWN_HEIGHT 0.88 /* so low the COM goes that the other foot reaches the ground */
#define PIR_TIP_KP 1000.0    /* 1/s², as soles */
#define PIR_FOOT_KP 200.0    /* 1/s²: the foot comes onto its tip */
#define PIR_POINTED 0.9      /* rad: pitch of the foot on its tip */
#define PIR_GROUND_KP 60.0   /* 1/s²: pose on two feet */
#define PIR_AIR_KP 150.0     /* 1/s²: pose on one toe */
#define PIR_BEFORE 0.03      /* of the standing height: the COM stays so far behind the toes, */
#define PIR_BESIDE 0.35      /* and this share of the way to the other foot from the toe it will turn on, before the drive */
#define PIR_NEAR 0.015       /* of the standing height: it is there */
#define PIR_SLOW 0.02        /* heights per beat */
#define PIR_STOPPED 0.05     /* rad/s: feet that stand otherwise let it wind up no further */
#define PIR_REACHED 0.97     /* of the momentum: the drive is over */
#define PIR_UNWOUND PO_RAD(75) /* the trunk turned so far ahead: hips and spine give no more */
#define PIR_CAPTURE 8.0      /* 1/s: the capture point is drawn to the toe in the drive */
#define PIR_CLOSED 0.16      /* of the standing inertia about the side: about the vertical, arms closed, one leg drawn up */
#define PIR_SLOWED 0.75      /* of the rate as it opens: slow enough to come down */
#define PIR_OPENED PO_RAD(120) /* turned so far as it opens: no longer */
#define PIR_LEAST PO_RAD(400) /* turned at least: once, and some to spare */
#define PIR_WIDE 0.6         /* rad: the other leg out to the side while it slows down */
#define PIR_APART 2.4        /* half stances that it comes down beside the COM */
#define PIR_LOWER 10.0       /* weight of its way down beside the pose, */
#define PIR_LED 0.01         /* and of its own joints in the pose */
#define PIR_LOWERED 0.4      /* rad: pitch of the foot it turned on meanwhile */
#define PIR_INTO 0.02        /* of the standing height: it aims so far into the ground */
#define PIR_BRAKE 0.6        /* of m g times half the stance: torque about the vertical that stops the turn */

static pirouette *pirouette_of(const po_move *move) { return (pirouette *)po_turner_of(move); }
static double pirouette_side(const pirouette *p) { return p->params.right > 0.5 ? -1 : 1; }

/* ---- parts ---- */

/* The round tip of the toes, else the middle of the front edge. */
static void pirouette_find_tip(pirouette *p, int f) {
  const po_model *m = p->turner.move.actor->model;
  const po_patch *s = &p->turner.move.actor->patches.patch[f];
  int i;
  p->tip_body[f] = s->point_body[2];
  p->tip_centre[f] = po_v3_scale(0.5, po_v3_add(s->point[2], s->point[3]));
  p->tip_radius[f] = 0;
  for (i = 0; i < m->shapes; i++)
    if (m->shape[i].type == PO_SPHERE && m->shape[i].body == p->tip_body[f] && po_v3_norm(po_v3_sub(m->shape[i].pose.p, p->tip_centre[f])) < 2 * m->shape[i].size[0]) {
      p->tip_centre[f] = m->shape[i].pose.p;
      p->tip_radius[f] = m->shape[i].size[0];
    }
}

static po_status pirouette_attach(po_move *move, po_error *err) {
  pirouette *p = pirouette_of(move);
  po_status s = po_turner_attach(move, err);
  p->tip = po_tumbler_add(&p->turner.body, "tip", po_feature_point(p->tip_body[0], p->tip_centre[0]), 1, PIR_TIP_KP);
  return s;
}

static void pirouette_enter(po_move *move, const po_move *from) {
  pirouette *p = pirouette_of(move);
  (void)from;
  po_turner_begin(&p->turner, 1, PO_BY_TRUNK);
  p->on = p->params.right > 0.5 ? PO_FOOT_L : PO_FOOT_R; /* away from the leg it stands on */
  p->start = p->heading = po_level_heading(po_tumbler_left(&p->turner.body));
}

/* How far it has turned. */
static void pirouette_watch(pirouette *p) {
  double now = po_level_heading(po_tumbler_left(&p->turner.body));
  p->turned += pirouette_side(p) * po_wrap(now - p->heading);
  p->heading = now;
}

/* ---- the tip ---- */

/* Lowest point of the tip, in its body's axes. */
static po_vec3 pirouette_tip(const pirouette *p) {
  const po_data *d = p->turner.move.actor->data;
  return po_v3_addscaled(p->tip_centre[p->on], -p->tip_radius[p->on], po_m3_tmul_v(d->pose[p->tip_body[p->on]].R, po_v3(0, 0, 1)));
}

/* It alone carries: held where it is, but for its gap. */
static void pirouette_stand_on_tip(pirouette *p) {
  po_tumbler *t = &p->turner.body;
  po_wbc *w = t->actor->wbc;
  po_vec3 low = pirouette_tip(p), at = po_point_position(t->actor->data, p->tip_body[p->on], low);
  po_surface below = po_terrain_surface_at(t->actor->patches.terrain, at.x, at.y);
  po_tumbler_plant(t, 0, 0);
  p->tip->on = 1;
  p->tip->feature.body = p->tip_body[p->on];
  p->tip->feature.point = low;
  po_v3_to(p->tip->ref, po_v3(at.x, at.y, below.height));
  w->contacts = 1;
  w->contact[0].body = p->tip_body[p->on];
  w->contact[0].point = low;
  w->contact[0].normal = po_v3(0, 0, 1);
  w->contact[0].mu = w->opts.mu * below.mu;
  w->contact[0].ramp = 1;
  w->contact[0].gap = at.z - below.height;
  p->spot = po_v3(at.x, at.y, below.height);
}

/* ---- poses ---- */

static void pirouette_bend(pirouette *p, int body, po_vec3 axis, double angle) {
  po_actor *a = p->turner.move.actor;
  const po_joint *j = body >= 0 ? &a->model->joint[body] : NULL;
  if (!j) return;
  if (j->type == PO_JOINT_SPHERICAL) po_q_to(a->pose + j->q, po_q_mul(po_q_axis_angle(axis, angle), po_q_of(a->pose + j->q)));
  else if (j->nq >= 1) a->pose[j->q] = po_clamp(a->pose[j->q] + angle, j->lower[0], j->upper[0]);
}

/* Up on one toe, the other leg drawn up and turned out; arms as given. */
static void pirouette_pose(pirouette *p, const po_tumble_pose *arms, double drawn) {
  po_tumbler *t = &p->turner.body;
  const po_legs *l = &t->actor->legs;
  int other = 1 - p->on;
  po_vec3 y = po_v3(0, 1, 0), x = po_v3(1, 0, 0);
  po_tumbler_pose(t, arms, PIR_AIR_KP, 1, 1);
  pirouette_bend(p, l->foot[p->on], y, 0.9);
  pirouette_bend(p, l->toes[p->on], y, 0.3);
  pirouette_bend(p, l->thigh[other], y, -0.9 * drawn);
  pirouette_bend(p, l->thigh[other], x, (other == PO_FOOT_L ? 0.4 : -0.4) * drawn);
  pirouette_bend(p, l->shank[other], y, 1.6 * drawn);
  pirouette_bend(p, l->foot[other], y, 0.6 * drawn);
}

/* ---- on two feet ---- */

static void pirouette_heights(pirouette *p, double height, double kp) {
  po_tumbler *t = &p->turner.body;
  po_ask(t->com, 2, 1, 0);
  t->com->limit = 6;
  po_ask(t->height, 2, 1, kp);
  t->height->limit = 4;
  t->height->ref[0] = p->spot.z + height;
  po_ask(t->turn, 2, 1, 0);
  t->turn->scale = t->mass * t->h;
  t->level->on = 0;
}

/* The trunk at a heading, upright. */
static void pirouette_face(pirouette *p, double heading) {
  po_tumbler *t = &p->turner.body;
  po_ask(t->trunk, 3, 5, PIR_GROUND_KP);
  t->trunk->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), heading), t->actor->rest_orientation);
}

static void pirouette_stand(po_move *move) {
  pirouette *p = pirouette_of(move);
  pirouette_watch(p);
  po_takeoff_stand(&p->turner.body, PIR_STAND_HEIGHT * p->turner.body.h);
}

static po_vec3 pirouette_tip_at(const pirouette *p) { return po_point_position(p->turner.move.actor->data, p->tip_body[p->on], pirouette_tip(p)); }

/* Where the COM is to be before the drive. */
static po_vec3 pirouette_before(const pirouette *p) {
  const po_tumbler *t = &p->turner.body;
  po_vec3 tip = pirouette_tip_at(p), other = po_patches_centroid(&t->actor->patches, t->actor->data, PO_PATCH_BIT(1 - p->on));
  po_vec3 ahead = po_v3(po_cos(p->start), po_sin(p->start), 0), left = po_v3(-ahead.y, ahead.x, 0), goal;
  goal = po_v3_addscaled(tip, PIR_BESIDE * po_v3_dot(left, po_v3_sub(other, tip)), left);
  goal = po_v3_addscaled(goal, -PIR_BEFORE * t->h, ahead);
  goal.z = t->actor->data->com.z;
  return goal;
}

static void pirouette_wind(po_move *move) {
  static const po_tumble_pose wide = {0.1, 0.1, 0, 0, 0.5, 0.9, 0.4, 0, 0};
  pirouette *p = pirouette_of(move);
  po_tumbler *t = &p->turner.body;
  po_vec3 goal = pirouette_before(p);
  double side = pirouette_side(p), wound = PO_RAD(p->params.wound_deg);
  pirouette_watch(p);
  po_tumbler_plant(t, PO_BOTH_FEET, 0);
  p->spot = pirouette_tip_at(p);
  pirouette_heights(p, PIR_STAND_HEIGHT * t->h, 30);
  t->com->kp = 20;
  t->com->ref[0] = goal.x;
  t->com->ref[1] = goal.y;
  po_ask(t->turn, 3, 100, 10);
  memset(t->turn->ref, 0, sizeof t->turn->ref);
  po_tumbler_pose(t, &wide, PIR_GROUND_KP, 0.01, 1);
  pirouette_bend(p, t->spine[0], po_v3(0, 0, 1), -side * 0.2);
  pirouette_bend(p, t->spine[1], po_v3(0, 0, 1), -side * 0.2);
  pirouette_face(p, p->start - side * wound);
}
static int pirouette_wound(const po_move *move) {
  const pirouette *p = pirouette_of(move);
  const po_tumbler *t = &p->turner.body;
  const po_data *d = move->actor->data;
  double wound = PO_RAD(p->params.wound_deg);
  return po_v3_norm(po_v3_sub(pirouette_before(p), d->com)) < PIR_NEAR * t->h && po_v3_norm(d->com_velocity) < PIR_SLOW * t->h / t->beat &&
         (p->turned < -0.8 * wound || (p->turned < -0.5 * wound && pirouette_side(p) * po_body_angular_velocity(d, 0).z > -PIR_STOPPED));
}

static po_pendulum pirouette_pendulum(const pirouette *p) { return po_pendulum_over(p->turner.move.actor, p->spot.z, PIR_LOWEST * p->turner.body.h); }

/* The capture point, from the tip. */
static po_vec3 pirouette_off(const pirouette *p) {
  po_vec3 off = po_v3_sub(pirouette_pendulum(p).capture, p->spot);
  off.z = 0;
  return off;
}

static void pirouette_drive_begin(po_move *move) { po_turner_of(move)->turning.momentum_wanted = pirouette_of(move)->params.momentum; }

static void pirouette_drive(po_move *move) {
  static const po_tumble_pose wide = {0, 0, 0, 0, 0.5, 0.9, 0.4, 0, 0};
  pirouette *p = pirouette_of(move);
  po_tumbler *t = &p->turner.body;
  const po_data *d = t->actor->data;
  po_pendulum b;
  po_vec3 off, pressure, acc;
  pirouette_watch(p);
  p->spot = pirouette_tip_at(p);
  b = pirouette_pendulum(p);
  off = pirouette_off(p);
  po_tumbler_plant(t, PO_BOTH_FEET, 0);
  pirouette_heights(p, PIR_STAND_HEIGHT * t->h, 30);
  /* the centre of pressure that draws the capture point to the toe */
  pressure = po_v3_addscaled(po_v3_add(p->spot, off), PIR_CAPTURE / b.w, off);
  acc = po_pendulum_push(&b, pressure, t->mass * t->gravity, po_v3(0, 0, 0));
  t->com->ref_accel[0] = acc.x;
  t->com->ref_accel[1] = acc.y;
  po_v3_to(t->turn->ref, po_v3(0, 0, 0));
  po_v3_to(t->turn->ref_accel, po_v3(-10 * d->momentum[0], -10 * d->momentum[1], pirouette_side(p) * p->params.momentum / (p->params.drive * t->beat)));
  po_tumbler_pose(t, &wide, PIR_GROUND_KP, 0.01, 1);
  po_actor_upright(t->trunk, t->actor);
}
static double pirouette_momentum(const pirouette *p) { return pirouette_side(p) * p->turner.move.actor->data->momentum[2]; }
static int pirouette_driven(const po_move *move) {
  const pirouette *p = pirouette_of(move);
  return pirouette_momentum(p) >= PIR_REACHED * p->params.momentum || p->turned >= PIR_UNWOUND;
}

/* ---- on one toe ---- */

static void pirouette_balance(pirouette *p, double height) {
  po_tumbler *t = &p->turner.body;
  const po_data *d = t->actor->data;
  po_pendulum b = pirouette_pendulum(p);
  po_vec3 away = po_v3_scale(p->params.k_tip / b.w, po_v3_sub(b.capture, b.com));
  p->turner.move.com_target = po_v3(p->spot.x, p->spot.y, d->com.z);
  pirouette_heights(p, height * t->h, 60);
  t->com->kp = p->params.kp_tip;
  t->com->limit = 12;
  t->com->ref[0] = p->spot.x - away.x;
  t->com->ref[1] = p->spot.y - away.y;
  t->turn->on = 0;
  po_ask(t->trunk, 3, 5, PIR_GROUND_KP);
  po_actor_upright(t->trunk, t->actor);
}

/* The foot stands on its tip: pitched, not rolled, turning as it likes. */
static void pirouette_point(pirouette *p, double pitch) {
  po_tumbler *t = &p->turner.body;
  const po_data *d = t->actor->data;
  int body = t->actor->patches.patch[p->on].body;
  po_vec3 left = po_m3_col(d->pose[body].R, 1);
  po_objective *o = t->foot[p->on];
  left.z = 0;
  po_ask(o, 3, 10, PIR_FOOT_KP);
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), po_level_heading(left)), po_q_axis_angle(po_v3(0, 1, 0), pitch));
  po_v3_to(o->ref_rate, po_v3(0, 0, po_body_angular_velocity(d, body).z));
}

static void pirouette_turn_begin(po_move *move) {
  pirouette *p = pirouette_of(move);
  const po_tumbler *t = &p->turner.body;
  p->goal = p->turned + po_max(p->params.beats * t->beat * pirouette_momentum(p) / (PIR_CLOSED * t->inertia), PIR_LEAST);
}

static void pirouette_turn(po_move *move) {
  static const po_tumble_pose closed = {0, -0.1, 0, 0, 0.6, 0.1, 1.9, 0, 0};
  pirouette *p = pirouette_of(move);
  pirouette_watch(p);
  pirouette_stand_on_tip(p);
  pirouette_balance(p, p->params.over);
  pirouette_pose(p, &closed, 1);
  pirouette_point(p, PIR_POINTED);
}
static int pirouette_turned(const po_move *move) {
  const pirouette *p = pirouette_of(move);
  return p->turned >= p->goal || po_v3_norm(pirouette_off(p)) >= p->params.abort * p->turner.body.h;
}

static void pirouette_open_begin(po_move *move) {
  pirouette *p = pirouette_of(move);
  p->rate = pirouette_side(p) * po_mean_rotation(move->actor->data).z;
}

/* The other foot comes down level, beside, its middle below the COM: then the COM is well inside both soles. */
static void pirouette_lower_foot(pirouette *p) {
  po_tumbler *t = &p->turner.body;
  const po_data *d = t->actor->data;
  int f = 1 - p->on;
  po_objective *o = t->ankle[f];
  po_vec3 left = po_tumbler_left(t), at = po_v3_scale(f == PO_FOOT_L ? PIR_APART * t->stance : -PIR_APART * t->stance, left), turn = po_v3(0, 0, po_body_angular_velocity(d, 0).z);
  at.z = p->spot.z - d->com.z - PIR_INTO * t->h;
  at = po_landing_ankle(t, f, at);
  po_tumbler_limb(t, t->actor->joint_weight, t->actor->legs.thigh[f], PIR_LED);
  po_ask(o, 3, PIR_LOWER, PIR_FOOT_KP);
  o->feature.type = PO_FEATURE_POINT_FROM_COM;
  po_v3_to(o->ref, at);
  po_v3_to(o->ref_rate, po_v3_cross(turn, at));
  po_landing_level_foot(t, f);
  t->foot[f]->priority = 3;
  po_v3_to(t->foot[f]->ref_rate, turn);
}

/* Arms and leg go wide, and it slows down; then heel and foot come down. */
static void pirouette_catch(pirouette *p, double height, double pitch) {
  static const po_tumble_pose open = {0, 0, 0, 0, 0.3, 1.4, 0.2, 0, 0};
  int f = 1 - p->on, thigh = p->turner.move.actor->legs.thigh[f];
  pirouette_watch(p);
  pirouette_stand_on_tip(p);
  pirouette_balance(p, height);
  pirouette_pose(p, &open, 0);
  pirouette_bend(p, thigh, po_v3(0, 1, 0), -0.3);
  pirouette_bend(p, thigh, po_v3(1, 0, 0), (f == PO_FOOT_L ? 1 : -1) * PIR_WIDE);
  pirouette_point(p, pitch);
}
static void pirouette_open(po_move *move) {
  pirouette_catch(pirouette_of(move), pirouette_of(move)->params.over, PIR_POINTED);
}
static int pirouette_slowed(const po_move *move) {
  const pirouette *p = pirouette_of(move);
  return po_mean_rotation(move->actor->data).z * pirouette_side(p) < PIR_SLOWED * p->rate || p->turned > p->goal + PIR_OPENED;
}
static void pirouette_come_down(po_move *move) {
  pirouette_catch(pirouette_of(move), PIR_DOWN_HEIGHT, PIR_LOWERED);
  pirouette_lower_foot(pirouette_of(move));
}
static int pirouette_foot_down(const po_move *move) { return po_landing_touches(&po_turner_of(move)->body, 1 - pirouette_of(move)->on); }
static int pirouette_heel_down(const po_move *move) { return po_patches_touching(&move->actor->patches, PO_PATCH_BIT(pirouette_of(move)->on)) == 4; }

/* On both feet again; when the heel was faster, the other foot comes down as in a step. */
static void pirouette_land_begin(po_move *move) {
  pirouette *p = pirouette_of(move);
  po_tumbler *t = &p->turner.body;
  po_landing *l = &p->turner.landing;
  int f;
  p->tip->on = 0;
  for (f = 0; f < 2; f++) t->foot[f]->on = t->ankle[f]->on = 0;
  l->stage = PO_LANDING_DOWN;
  l->caught = l->down[0] = l->down[1] = 1;
  l->height = t->actor->data->com.z - p->spot.z;
  l->twist_most = PIR_BRAKE * t->mass * t->gravity * t->stance;
  if (pirouette_foot_down(move)) return;
  l->swing = 1 + (1 - p->on);
  l->swing_left = 0.4 * p->params.landing.swing * t->beat;
  l->swing_from = po_patches_centroid(&t->actor->patches, t->actor->data, PO_PATCH_BIT(1 - p->on)).z;
}

static void pirouette_land(po_move *move) {
  const int *toes = move->actor->legs.toes;
  int f;
  pirouette_watch(pirouette_of(move));
  po_turner_land(move);
  for (f = 0; f < 2; f++) /* toes that were pointed lie flat again */
    if (toes[f] >= 0) move->actor->joint_weight[move->actor->model->joint[toes[f]].v] = 1;
}

/* ---- as a behaviour ---- */

static const po_turner_row pirouette_stages[] = {
  [PIR_STAND] = {"stand", pirouette_stand, {{po_turner_waited, PIR_WIND, PO_AT_ONCE}}, NULL},
  [PIR_WIND] = {"wind", pirouette_wind, {{pirouette_wound, PIR_DRIVE, PO_AT_ONCE}}, NULL},
  [PIR_DRIVE] = {"drive", pirouette_drive, {{pirouette_driven, PIR_TURN, PO_AT_ONCE}}, pirouette_drive_begin},
  [PIR_TURN] = {"turn", pirouette_turn, {{pirouette_turned, PIR_OPEN, PO_AT_ONCE}}, pirouette_turn_begin},
  [PIR_OPEN] = {"open", pirouette_open, {{pirouette_foot_down, PIR_LAND, PO_AT_ONCE}, {pirouette_slowed, PIR_DOWN, PO_NEXT_TICK}}, pirouette_open_begin},
  [PIR_DOWN] = {"down", pirouette_come_down, {{pirouette_foot_down, PIR_LAND, PO_AT_ONCE}, {pirouette_heel_down, PIR_LAND, PO_AT_ONCE}}, NULL},
  [PIR_LAND] = {"land", pirouette_land, {{po_turner_stood, PIR_DONE, PO_NEXT_TICK}}, pirouette_land_begin},
  [PIR_DONE] = {"done", pirouette_land, {{NULL, 0, 0}}, NULL},
};

static po_status pirouette_init(po_move *move, po_error *err) {
  pirouette *p = pirouette_of(move);
  po_status s = po_turner_init(move, pirouette_stages, &p->params.wait, NULL, &p->params.landing, err);
  if (s != PO_OK) return s;
  pirouette_find_tip(p, 0);
  pirouette_find_tip(p, 1);
  return s;
}

/* Standing is not enough: a whole turn was asked for. */
static po_move_outcome pirouette_done(const po_move *move) {
  if (po_turner_done(move) == PO_MOVE_GOING) return PO_MOVE_GOING;
  return pirouette_of(move)->turned > 2 * PO_PI ? PO_MOVE_DONE : PO_MOVE_FAILED;
}

const po_move_type po_pirouette_type = {
  .name = "pirouette",
  .summary = "whole turns about the vertical on one toe",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(pirouette),
  .params_at = offsetof(pirouette, params),
  .params_bytes = sizeof(po_pirouette_params),
  .param = po_pirouette_param,
  .param_count = &po_pirouette_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(pirouette, params) - PO_TURNER_STATE,
  .first = "momentum",
  .layout = po_turner_layout,
  .init = pirouette_init,
  .attach = pirouette_attach,
  .ready = po_posture_ready,
  .enter = pirouette_enter,
  .aim = po_turner_aim,
  .done = pirouette_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .set_model = po_turner_set_model,
};
