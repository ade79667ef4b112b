/* cartwheel_body.c: what a cartwheel asks of the body in a tick.
 *
 * Speed along, height and angular momentum are asked for together, so that none is bought from another. With the centre of pressure p, F = m (g + z̈),
 *
 *   m z ẍ + L̇ = F (x − p)        along the travel, L about the axis it turns about
 *
 * p is moved into the hull of what carries; what is then missing on the left is shared between speed and momentum. Across the travel hands are a palm
 * wide and no more: balance there stands alone above the rest.
 *
 * A palm lies flat only while the arm is within the wrist's range, ±0.6 rad. Held flat beyond, it would stop the body; so beyond 0.22 rad it rolls over the
 * edge on the side that the arm leans to.
 */
#include "cartwheel.h"

#define CARTWHEEL_CONTACT_KP 1000.0 /* 1/s², as soles in standing */
#define CARTWHEEL_PLANE_KP 150.0    /* 1/s² */
#define CARTWHEEL_PALM_KP 300.0     /* 1/s² */
#define CARTWHEEL_SOLE_KP 200.0     /* 1/s²: a sole that comes down is level by then */
#define CARTWHEEL_LEG_KP 600.0      /* 1/s²: legs close to their straddle within a tenth of a second */
#define CARTWHEEL_ROOM 0.05         /* rad: rest poses stay so far inside joint limits */
/* Weights beside speed, height and momentum, all on one level: a body without a pose contorts itself, one with a stiff pose cannot be steered. */
#define CARTWHEEL_POSE 1e-3
#define CARTWHEEL_LEGS 10.0         /* of legs that carry nothing, times the pose's */
#define CARTWHEEL_PALM_FROM PO_RAD(40) /* of the phase: palms turn to the ground */
#define CARTWHEEL_PALM 1e-2
#define CARTWHEEL_LIMB 0.1          /* hands and feet on their way down */
#define CARTWHEEL_RISE_KP 4.1       /* 1/beat²: gain of the height */
#define CARTWHEEL_RISE_MOST 1.0     /* g, upwards; */
#define CARTWHEEL_FALL_MOST 0.6     /* g, downwards: it stays in contact */
#define CARTWHEEL_SPEED_RATE 2.56   /* 1/beat */
#define CARTWHEEL_TURN_RATE 1.92    /* 1/beat */
#define CARTWHEEL_LINE_KP 2.05      /* 1/beat²: back to the line it goes along; */
#define CARTWHEEL_LINE_KV 2.88      /* 1/beat */
#define CARTWHEEL_MARGIN 0.01       /* standing heights: the centre of pressure stays so far inside */
#define CARTWHEEL_PUSH_MOST 0.8     /* g: horizontal acceleration; friction gives no more */
#define CARTWHEEL_LOWEST 0.4        /* standing heights: laws are not asked about a COM below */
#define CARTWHEEL_ASTRAY 0.35       /* standing heights: hands and feet come down no further beside the line */
#define CARTWHEEL_SURPLUS 0.8       /* of moment that is left over, the part that goes into speed */
#define CARTWHEEL_SOONEST 0.156     /* beats: limbs are not led in less time */
#define CARTWHEEL_HAND_SPEED 0.095  /* sqrt(g h): a hand comes down so fast; */
#define CARTWHEEL_LIFT 0.1          /* standing heights: a hand that leaves goes up by so much */
#define CARTWHEEL_LIFT_TIME 0.2     /* beats: within */
#define CARTWHEEL_FOOT_SPEED 0.064  /* a foot */

double po_cartwheel_along(const cartwheel *c, po_vec3 p) { return po_v3_dot(c->travel, po_v3_sub(p, c->line)); }
int po_cartwheel_hand(const cartwheel *c, int k) { return PO_HAND_L + c->side[k]; }
int po_cartwheel_foot(const cartwheel *c, int k) { return PO_FOOT_L + c->side[k]; }
int po_cartwheel_touches(const cartwheel *c, int patch) { return po_patches_touching(&c->turner.move.actor->patches, PO_PATCH_BIT(patch)) > 0; }
po_vec3 po_cartwheel_middle(const cartwheel *c, int patch) {
  const po_actor *a = c->turner.move.actor;
  return po_patches_centroid(&a->patches, a->data, PO_PATCH_BIT(patch));
}

po_pendulum po_cartwheel_pendulum(const cartwheel *c) { return po_pendulum_over(c->turner.move.actor, c->line.z, CARTWHEEL_LOWEST * c->turner.body.h); }

double po_cartwheel_capture(const cartwheel *c) {
  const po_data *d = c->turner.move.actor->data;
  po_pendulum b = po_cartwheel_pendulum(c);
  double L = po_v3_dot(c->turner.turning.phase.axis, po_v3_of(d->momentum));
  return po_cartwheel_along(c, d->com) + (po_v3_dot(c->travel, d->com_velocity) + L / (b.mass * b.h)) / b.w;
}

double po_cartwheel_astray(const cartwheel *c) {
  const po_data *d = c->turner.move.actor->data;
  po_pendulum b = po_cartwheel_pendulum(c);
  double far = CARTWHEEL_ASTRAY * c->turner.body.h;
  return po_clamp(po_v3_dot(c->ahead, po_v3_sub(d->com, c->line)) + po_v3_dot(c->ahead, po_v3_add(d->com_velocity, b.spin)) * sqrt(b.h / b.gravity), -far, far);
}

void po_cartwheel_keep_to(cartwheel *c, int patch) {
  c->line = po_v3_addscaled(c->line, po_v3_dot(c->ahead, po_v3_sub(po_cartwheel_middle(c, patch), c->line)), c->ahead);
}

/* About the point x_f of the ground where a foot comes down the blow takes no momentum. What is left of the capture point beyond it is
 *   x + (v + (x_f − x) v_z/z + L/(m z))/w − x_f,
 * less than before by what the fall takes; set to `beyond` and solved for x_f. */
double po_cartwheel_foothold(const cartwheel *c, double beyond) {
  po_pendulum b = po_cartwheel_pendulum(c);
  double fall = po_max(-c->turner.move.actor->data->com_velocity.z, 0) / sqrt(b.gravity * b.h);
  return (po_cartwheel_capture(c) - beyond + fall * po_cartwheel_along(c, b.com)) / (1 + fall);
}

/* ---- features ---- */

/* The pelvis stays in its plane. */
static void cartwheel_plane_eval(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  const cartwheel *c = user;
  po_tumbler_axis(c->travel, 0, c->level, y, ydot, J, drift, d);
}
/* So do the palms, which may roll along the travel. */
static void cartwheel_palm_l_eval(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  const cartwheel *c = user;
  po_tumbler_axis(c->travel, c->turner.move.actor->patches.patch[PO_HAND_L].body, c->fingers, y, ydot, J, drift, d);
}
static void cartwheel_palm_r_eval(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  const cartwheel *c = user;
  po_tumbler_axis(c->travel, c->turner.move.actor->patches.patch[PO_HAND_R].body, c->fingers, y, ydot, J, drift, d);
}
/* The COM across the travel. */
static void cartwheel_balance_eval(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  const cartwheel *c = user;
  double *row = po_row(J, 0);
  y[0] = po_v3_dot(c->ahead, d->com);
  ydot[0] = po_v3_dot(c->ahead, d->com_velocity);
  drift[0] = po_v3_dot(c->ahead, d->com_drift);
  po_axpy(row, c->ahead.x, po_row(d->Jcom, 0), J.cols);
  po_axpy(row, c->ahead.y, po_row(d->Jcom, 1), J.cols);
}

po_status po_cartwheel_attach(po_move *move, po_error *err) {
  static const char *const hand[2] = {"hand_l", "hand_r"}, *const palm[2] = {"palm_l", "palm_r"};
  cartwheel *c = (cartwheel *)(void *)move;
  po_actor *a = move->actor;
  po_tumbler *t = &c->turner.body;
  po_status s = po_turner_attach(move, err);
  int f;
  po_tumbler_attach_hands(t);
  for (f = 0; f < 2; f++) {
    const po_patch *p = &a->patches.patch[PO_HAND_L + f];
    po_vec3 heel = p->radius > 0 ? p->centre : po_v3_scale(0.5, po_v3_add(p->point[0], p->point[1]));
    c->heel[f] = heel;
    c->hand[f] = po_tumbler_add(t, hand[f], po_feature_point(p->body, heel), 3, 0);
    c->palm[f] = po_tumbler_add(t, palm[f], po_feature_custom(2, f == 0 ? cartwheel_palm_l_eval : cartwheel_palm_r_eval, c), 3, CARTWHEEL_PALM_KP);
  }
  c->balance = po_tumbler_add(t, "balance", po_feature_custom(1, cartwheel_balance_eval, c), 3, 0);
  c->plane = po_tumbler_add(t, "plane", po_feature_custom(2, cartwheel_plane_eval, c), 3, CARTWHEEL_PLANE_KP);
  return s;
}

/* ---- poses ---- */

/* Turns a ball joint of the rest pose, within limits that are measured from rest. */
static void cartwheel_turn(cartwheel *c, int body, po_vec3 first, po_vec3 then) {
  const po_joint *j = body >= 0 ? &c->turner.move.actor->model->joint[body] : NULL;
  double *q, at[3];
  int k;
  if (!j || j->type != PO_JOINT_SPHERICAL) return;
  q = c->turner.move.actor->pose + j->q;
  po_q_to(q, po_q_mul(po_q_mul(po_q_exp(first), po_q_exp(then)), po_q_of(q)));
  if (j->limit_centre.w < 0.999) return;
  po_v3_to(at, po_q_log(po_q_of(q)));
  for (k = 0; k < 3; k++) at[k] = po_clamp(at[k], j->lower[k] + CARTWHEEL_ROOM, j->upper[k] - CARTWHEEL_ROOM);
  po_q_to(q, po_q_exp(po_v3_of(at)));
}

void po_cartwheel_set_pose(cartwheel *c, const cartwheel_pose *p, double kp) {
  static const double outwards = 0.1, straight = -0.1; /* rad: arms overhead, elbows */
  po_actor *a = c->turner.move.actor;
  po_tumbler *t = &c->turner.body;
  const po_legs *l = &a->legs;
  double to = c->side[0] == 0 ? -1 : 1; /* about x: bends to the side it goes to */
  int k, i;
  po_neutral(a->pose, a->model);
  for (i = 0; i < a->model->nv; i++) {
    t->joint_kp[i] = kp;
    a->joint_weight[i] = 1;
  }
  for (k = 0; k < 2; k++) {
    int f = c->side[k], wrist = a->patches.patch[PO_HAND_L + f].body;
    double out = f == 0 ? 1 : -1; /* about x: a hanging limb goes away from the body */
    cartwheel_turn(c, t->spine[k], po_v3(0.5 * to * p->side, 0, 0), po_v3(0, 0, 0));
    cartwheel_turn(c, l->thigh[f], po_v3(out * p->hip[k], 0, 0), po_v3(0, 0, 0));
    po_tumbler_bend(t, l->shank[f], p->knee);
    cartwheel_turn(c, l->upper_arm[f], po_v3(-out * outwards, 0, 0), po_v3(0, -p->raise, 0));
    po_tumbler_bend(t, l->forearm[f], straight);
    if (wrist != l->forearm[f]) po_tumbler_bend(t, wrist, -0.5 * PO_PI * po_clamp(0.5 * (p->raise - 1), 0, 1));
  }
  t->pose->priority = 3;
  t->pose->weight = CARTWHEEL_POSE;
}

void po_cartwheel_free_legs(cartwheel *c) {
  po_tumbler *t = &c->turner.body;
  int k, i;
  for (k = 0; k < 2; k++) {
    const po_joint *hip = t->actor->legs.thigh[k] >= 0 ? &t->actor->model->joint[t->actor->legs.thigh[k]] : NULL;
    for (i = 0; hip && i < hip->nv; i++) {
      t->actor->joint_weight[hip->v + i] = CARTWHEEL_LEGS;
      t->joint_kp[hip->v + i] = CARTWHEEL_LEG_KP;
    }
  }
}

/* ---- contacts ---- */

/* Whether a corner of a palm is to stay on the ground: all of them, or those of the edge that the arm leans over. */
static int cartwheel_edge(const cartwheel *c, int patch, int corner) {
  const po_actor *a = c->turner.move.actor;
  const po_patch *p = &a->patches.patch[patch];
  int fore = a->legs.forearm[patch - PO_HAND_L];
  po_vec3 up;
  double lean, at;
  if (p->points < 4 || fore < 0) return 1;
  up = po_v3_sub(a->data->pose[fore].p, a->data->pose[p->body].p);
  lean = po_atan2(po_v3_dot(c->travel, up), up.z);
  at = po_cartwheel_along(c, po_point_position(a->data, p->point_body[corner], p->point[corner])) - po_cartwheel_along(c, po_cartwheel_middle(c, patch));
  return lean > c->roll[1] ? at > 0 : lean < -c->roll[0] ? at < 0 : 1;
}

static void cartwheel_hold(cartwheel *c, const cartwheel_wish *w) {
  po_actor *a = c->turner.move.actor;
  unsigned held = (w->feet | w->hands) & ~w->loose;
  int i;
  po_tumbler_plant(&c->turner.body, held & PO_BOTH_FEET, 0);
  for (i = 0; i < 8 && w->rolling; i++) /* a sole that rolls off its edge is not pulled back */
    if ((held & PO_PATCH_BIT(i / 4)) && !a->patches.patch[i / 4].touching[i % 4]) po_actor_plant(a, i / 4, i % 4, 0, CARTWHEEL_CONTACT_KP);
  for (i = 8; i < 16; i++) {
    const po_patch *p = &a->patches.patch[i / 4];
    int on = (held & PO_PATCH_BIT(i / 4)) && i % 4 < p->points && cartwheel_edge(c, i / 4, i % 4) && (p->touching[i % 4] || !(w->striking & PO_PATCH_BIT(i / 4)));
    po_actor_plant(a, i / 4, i % 4, on, CARTWHEEL_CONTACT_KP);
  }
  po_actor_stand_on(a, w->feet | w->hands);
}

/* ---- the law ---- */

/* As fast along as asked, and back to the line it goes along. */
static po_vec3 cartwheel_acceleration(const cartwheel *c, const cartwheel_wish *w) {
  const po_data *d = c->turner.move.actor->data;
  double beat = c->turner.body.beat;
  po_vec3 acc = po_v3_scale(CARTWHEEL_SPEED_RATE / beat * (w->speed - po_v3_dot(c->travel, d->com_velocity)), c->travel);
  acc = po_v3_addscaled(acc, -CARTWHEEL_LINE_KP / (beat * beat) * po_v3_dot(c->ahead, po_v3_sub(d->com, c->line)), c->ahead);
  return po_v3_addscaled(acc, -CARTWHEEL_LINE_KV / beat * po_v3_dot(c->ahead, d->com_velocity), c->ahead);
}

static void cartwheel_law(cartwheel *c, const cartwheel_wish *w) {
  po_tumbler *t = &c->turner.body;
  const po_data *d = t->actor->data;
  po_pendulum b = po_cartwheel_pendulum(c);
  po_footing carries = po_footing_of(t->actor, w->feet | w->hands, w->hands); /* fingers that have risen a little are pressed down again */
  po_vec3 axis = c->turner.turning.phase.axis, turn, acc = cartwheel_acceleration(c, w), p;
  double kz = CARTWHEEL_RISE_KP / (t->beat * t->beat), rise, F, inertia = b.mass * b.h, along, missing, share;
  rise = kz * (w->height - (d->com.z - c->line.z)) - 2 * sqrt(kz) * d->com_velocity.z;
  rise = po_clamp(rise, -CARTWHEEL_FALL_MOST * t->gravity, CARTWHEEL_RISE_MOST * t->gravity);
  F = t->mass * (t->gravity + rise);
  turn = po_v3_scale(CARTWHEEL_TURN_RATE / t->beat, po_v3_sub(po_v3_scale(w->momentum, axis), po_v3_of(d->momentum)));
  p = po_footing_inside(&carries, po_pendulum_pressure(&b, acc, F, turn), CARTWHEEL_MARGIN * t->h);
  along = po_v3_dot(c->travel, acc);
  missing = F * po_v3_dot(c->travel, po_v3_sub(d->com, p)) - inertia * along - po_v3_dot(axis, turn);
  share = missing > 0 ? CARTWHEEL_SURPLUS : w->share;
  turn = po_v3_addscaled(turn, (1 - share) * missing, axis);
  along += share * missing / inertia;
  acc = po_pendulum_push(&b, p, F, turn);
  acc = po_v3_addscaled(acc, along - po_v3_dot(c->travel, acc), c->travel);
  acc = po_at_most(acc, CARTWHEEL_PUSH_MOST * t->gravity);
  po_tumbler_ask(t, 3, acc, rise, turn);
  po_ask(c->balance, 2, 1, 0);
  c->balance->ref_accel[0] = po_v3_dot(c->ahead, acc);
}

void po_cartwheel_ask(cartwheel *c, const cartwheel_wish *w) {
  po_tumbler *t = &c->turner.body;
  int k;
  t->trunk->on = t->level->on = 0;
  c->plane->on = 1;
  c->plane->weight = w->plane;
  for (k = 0; k < 2; k++) {
    c->hand[k]->on = t->ankle[k]->on = t->foot[k]->on = 0;
    c->palm[k]->on = w->palms && c->turner.turning.phase.theta > CARTWHEEL_PALM_FROM;
    c->palm[k]->weight = CARTWHEEL_PALM;
  }
  cartwheel_hold(c, w);
  cartwheel_law(c, w);
}

/* ---- hands and feet on their way ---- */

static void cartwheel_lead(const cartwheel *c, po_objective *o, po_vec3 at, double seconds, double speed) {
  const po_tumbler *t = &c->turner.body;
  po_ask_within(o, 3, CARTWHEEL_LIMB, po_max(seconds, CARTWHEEL_SOONEST * t->beat));
  po_v3_to(o->ref, at);
  po_v3_to(o->ref_rate, po_v3(0, 0, -speed * t->h / t->beat));
}

/* A point of the line, on the terrain. */
static po_vec3 cartwheel_on_line(const cartwheel *c, double along, double ahead) {
  po_vec3 p = po_v3_addscaled(po_v3_addscaled(c->line, along, c->travel), ahead, c->ahead);
  p.z = po_terrain_surface_at(c->turner.move.actor->patches.terrain, p.x, p.y).height;
  return p;
}

void po_cartwheel_reach(cartwheel *c, int k, double along, double across, double seconds) {
  c->hand[c->side[k]]->feature.point = c->heel[c->side[k]];
  cartwheel_lead(c, c->hand[c->side[k]], cartwheel_on_line(c, along, across), seconds, CARTWHEEL_HAND_SPEED);
}

void po_cartwheel_lift(cartwheel *c, int k) {
  const po_tumbler *t = &c->turner.body;
  const po_patch *p = &t->actor->patches.patch[po_cartwheel_hand(c, k)];
  po_objective *o = c->hand[c->side[k]];
  po_vec3 v, to;
  int i, low = 0;
  for (i = 1; i < p->points; i++)
    if (p->gap[i] < p->gap[low]) low = i;
  if (p->gap[low] > CARTWHEEL_LIFT * t->h) return;
  o->feature.point = p->radius > 0 ? p->centre : p->point[low]; /* the heel alone would roll over the edge */
  v = po_point_velocity(t->actor->data, p->body, o->feature.point);
  v.z = 0; /* across it goes on as it goes */
  to = po_v3_addscaled(po_point_position(t->actor->data, p->body, o->feature.point), CARTWHEEL_LIFT_TIME * t->beat, v);
  cartwheel_lead(c, o, po_v3_addscaled(to, CARTWHEEL_LIFT * t->h, po_v3(0, 0, 1)), CARTWHEEL_LIFT_TIME * t->beat, 0);
  po_v3_to(o->ref_rate, v);
}

void po_cartwheel_fly(cartwheel *c) {
  static const cartwheel_wish none = {.plane = CARTWHEEL_PLANE_HANDS};
  po_tumbler *t = &c->turner.body;
  po_cartwheel_ask(c, &none);
  t->com->on = t->height->on = t->turn->on = c->balance->on = c->palm[0]->on = c->palm[1]->on = 0;
}

void po_cartwheel_lead_foot(cartwheel *c, int k, double along, double across, double seconds) {
  po_tumbler *t = &c->turner.body;
  int f = c->side[k];
  po_quat level = po_q_axis_angle(po_v3(0, 0, 1), po_atan2(c->toes.y, c->toes.x));
  t->ankle[f]->feature.type = PO_FEATURE_POINT;
  cartwheel_lead(c, t->ankle[f], po_v3_sub(cartwheel_on_line(c, along, across), po_q_rotate(level, t->sole[f])), seconds, CARTWHEEL_FOOT_SPEED);
  po_ask(t->foot[f], 3, 1, CARTWHEEL_SOLE_KP);
  t->foot[f]->ref_orientation = level;
}

void po_cartwheel_release(cartwheel *c) {
  po_tumbler *t = &c->turner.body;
  int k;
  po_tumbler_plant_hands(t, 0, 0);
  c->plane->on = c->balance->on = 0;
  for (k = 0; k < 2; k++) c->palm[k]->on = c->hand[k]->on = 0;
}

void po_cartwheel_land(po_move *move) {
  po_cartwheel_release((cartwheel *)po_turner_of(move));
  po_turner_land(move);
}
