/* gbwc.c: generalized biped walking control (Coros 2010, chapter 5): the step's clock, the motion generator, and the parts put together. */
#include "gbwc_internal.h"
#include <string.h>

#define GBWC_KNOT(name, k, value, most, meaning) {#name "_" #k, value, -most, most, "deg", meaning, offsetof(po_gbwc_params, name) + k * sizeof(double)}
#define GBWC_CURVE(name, a, b, c, d, most, meaning) \
  GBWC_KNOT(name, 0, a, most, meaning " at phase 0"), GBWC_KNOT(name, 1, b, most, meaning " at phase 1/3"), \
  GBWC_KNOT(name, 2, c, most, meaning " at phase 2/3"), GBWC_KNOT(name, 3, d, most, meaning " at phase 1")

const po_param po_gbwc_param[] = {
    PO_PARAM(po_gbwc_params, speed, 0.6, -0.6, 1.7, "m/s", "forward, for a body of leg 0.86 m; others scale by sqrt(leg)"),
    PO_PARAM(po_gbwc_params, side_speed, 0, -0.4, 0.4, "m/s", "to the left"),
    PO_PARAM(po_gbwc_params, step_time, 0.6, 0.2, 1, "s", "time of a step; scales by sqrt(leg). Steps longer than 0.76 of the leg are taken in less"),
    PO_PARAM(po_gbwc_params, step_height, 0.1, 0.02, 0.4, "m", "how far the ankle rises in the middle of its swing"),
    PO_PARAM(po_gbwc_params, step_width, 0.1, 0, 0.4, "m", "between the feet; 0: catwalk"),
    PO_PARAM(po_gbwc_params, heading, 0, -180, 180, "deg", "where to face and walk, left positive"),
    PO_PARAM(po_gbwc_params, walk, 1, 0, 1, "", "0: stop and stand"),
    PO_PARAM(po_gbwc_params, idle, 0, 0, 1, "", "1: stand, shifting the weight from leg to leg and moving a foot now and then"),
    PO_PARAM(po_gbwc_params, lean_deg, 0, -20, 40, "deg", "trunk, forward"),
    PO_PARAM(po_gbwc_params, side_lean_deg, 0, -20, 20, "deg", "trunk, to the right"),
    PO_PARAM(po_gbwc_params, twist_deg, 0, -30, 30, "deg", "plane of the swinging leg, outwards: bow-legged; inwards: knock-kneed"),
    PO_PARAM(po_gbwc_params, knee_deg, 0, 0, 60, "deg", "bend of the stance knee beyond its rest"),
    PO_PARAM(po_gbwc_params, alpha, -1, -1, 0.4, "s", "pendulum offset per speed; negative: chosen by the pendulum's own growth"),
    PO_PARAM(po_gbwc_params, gain_scale, 1, 0.25, 4, "", "of all PD gains"),
    PO_PARAM(po_gbwc_params, gravity_compensation, 1, 0, 1, "", "0: without"),
    PO_PARAM(po_gbwc_params, pendulum, 1, 0, 1, "", "0: feet are put where an undisturbed walk would"),
    PO_PARAM(po_gbwc_params, velocity_tuning, 1, 0, 1, "", "0: without the virtual force"),
    PO_PARAM(po_gbwc_params, arms_out_deg, 5, 0, 60, "deg", "arms away from the body"),
    PO_PARAM(po_gbwc_params, elbow_deg, 15, 0, 120, "deg", "bend of the elbows beyond their rest"),
    GBWC_CURVE(shoulder, -12, -4, 8, 12, 90, "arm of the stance side, forward"),
    GBWC_CURVE(stance_ankle, 0, 0, 0, 0, 60, "stance foot, toes down"),
    GBWC_CURVE(swing_ankle, 0, 0, 0, 0, 60, "swinging foot, toes down"),
    GBWC_CURVE(sway, 0, 0, 0, 0, 30, "trunk, towards the stance side"),
    GBWC_CURVE(pitch, 0, 0, 0, 0, 30, "trunk, forward, beside lean_deg"),
    GBWC_CURVE(turn, 0, 0, 0, 0, 30, "trunk, turned towards the stance side"),
};
const int po_gbwc_param_count = (int)(sizeof po_gbwc_param / sizeof *po_gbwc_param);

/* Gains of the body of 70.4 kg and 0.86 m (spec of BipV3): torques scale with mass times leg, rates with sqrt(1/leg). */
static const struct { double kp, kd; } gbwc_gain[GBWC_ROLES] = {
    {0, 0}, {75, 17}, {10, 3}, {15, 5}, {5, 1}, {1200, 70}, {900, 60}, {50, 15}, {2, 0.2}, {10, 2}};
#define GBWC_MASS 70.4
#define GBWC_LEG 0.86
#define GBWC_STABLE 0.5       /* largest kd dt / inertia: explicit damping of one freedom rings beyond 1 */

#define GBWC_LOW 0.1          /* ankles up to this share of the leg above the sole are held by the sole; */
#define GBWC_FOOT 1.5         /* above, an upright foot is held by so many times m g h more */

#define GBWC_TURN_RATE 2.0    /* rad/s (5.3.5) */
#define GBWC_TURN_LEAD 0.5    /* rad: most that the heading asked for is ahead of the body */
#define GBWC_ACCELERATION 0.6 /* m/s²: how fast the speed asked for changes */
#define GBWC_STEP 0.76         /* longest step that is walked with, share of the leg: beyond it step_time is cut */
#define GBWC_STRIKE 0.03      /* share of the weight on the swinging foot that ends a step, */
#define GBWC_STRIKE_FROM 0.5  /* from this phase on: before, it still touches where it leaves from */
#define GBWC_HEIGHT_LEAST 0.2 /* of standing: a COM lower than that has fallen, and the pendulum has no rate at height 0 */
#define GBWC_SPEED_LEAST 1e-3 /* m/s: whoever is slower has no longest step */
#define GBWC_CALM 0.1         /* errors of the point of rest, share of the leg, up to which a step keeps its time; */
#define GBWC_CALM_FAST 0.5    /* and this much more per leg and 1/w of speed, since fast steps are never as planned; */
#define GBWC_HURRY 8.0        /* beyond, its clock goes faster by so much per share, */
#define GBWC_HURRY_MOST 1.0   /* and at most by so much */
#define GBWC_UNREST 0.5       /* hurry from which on a body is as thrown off as can be: no undisturbed walk comes there, */
#define GBWC_SOOTHED 1.5      /* and the steps in which that is gone again */
#define GBWC_LATE 1.5         /* phase at which a step ends though nothing was touched */
#define GBWC_LEARN 0.15       /* share of a step's speed error that is added to what is asked of the next */
#define GBWC_LEARN_FROM 0.25  /* of a step's time: a shorter one was a stumble and teaches nothing */
#define GBWC_LEARN_STEP 0.3   /* m/s: most that counts of a step's error: one that was pushed teaches no more than that, */
#define GBWC_LEARN_MOST 0.8   /* m/s: and most that is added */
#define GBWC_FIRST 0.5        /* of a step's time: the first one from standing */
#define GBWC_SETTLE 0.15      /* s: a foot that still hangs in the air so long after the body stands is put down by a step */
#define GBWC_STAND_INSIDE 0.02 /* m: the point of rest lies so far inside the soles: standing is possible; */
#define GBWC_IDLE_QUICK 2.0   /* a shift of the weight takes one part in so many of its time */
#define GBWC_STAND_SPEED 0.3  /* m/s: slower than this, */
#define GBWC_STAND_APART 0.6  /* and with feet at least so far apart, share of the distance of the hips */
#define GBWC_STEP_OUTSIDE 0.0 /* m: beyond their edge: it needs a step */

static po_gbwc *gbwc_of(po_move *m) { return (po_gbwc *)(void *)m; }

/* ---- the body ---- */

static int gbwc_named(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

static gbwc_role gbwc_role_of(const po_model *m, int body) {
  static const struct { const char *name; gbwc_role role; } table[] = {
      {"abdomen", GBWC_TRUNK}, {"thorax", GBWC_TRUNK}, {"head", GBWC_HEAD}, {"neck", GBWC_HEAD}, {"upper_arm", GBWC_SHOULDER},
      {"forearm", GBWC_ELBOW}, {"thigh", GBWC_HIP}, {"shank", GBWC_KNEE}, {"foot", GBWC_ANKLE}, {"toes", GBWC_TOE}};
  size_t i;
  if (body == 0) return GBWC_ROOT;
  for (i = 0; i < sizeof table / sizeof *table; i++)
    if (gbwc_named(m->body_name[body], table[i].name)) return table[i].role;
  return GBWC_OTHER;
}

static void gbwc_layout(po_move *move, const po_model *m, po_arena *arena) {
  po_gbwc *g = gbwc_of(move);
  g->kp = PO_ARENA_ZARRAY(arena, double, m->nb);
  g->kd = PO_ARENA_ZARRAY(arena, double, m->nb);
  g->inertia = PO_ARENA_ZARRAY(arena, double, m->nv);
  g->rest = PO_ARENA_ZARRAY(arena, po_mat3, m->nb);
  g->subtree_mass = PO_ARENA_ZARRAY(arena, double, m->nb);
  g->subtree_moment = PO_ARENA_ZARRAY(arena, po_vec3, m->nb);
  g->role = PO_ARENA_ZARRAY(arena, unsigned char, m->nb);
}

/* Inertia about a freedom's axis of all that it moves. */
static double gbwc_inertia(const po_data *d, int dof) {
  const po_model *m = d->model;
  int body = m->dof_body[dof], i;
  po_vec3 axis = po_unit_motion(d, dof).ang;
  double sum = 0;
  for (i = body; i < m->subtree_end[body]; i++) {
    po_vec3 arm = po_v3_cross(axis, po_v3_sub(po_point_position(d, i, m->inertia[i].com), d->pose[body].p)), own = po_m3_tmul_v(d->pose[i].R, axis);
    sum += m->inertia[i].mass * po_v3_dot(arm, arm) + po_v3_dot(own, po_m3_mul_v(m->inertia[i].I, own));
  }
  return sum;
}

static void gbwc_measure_leg(po_gbwc *g, int leg) {
  const po_actor *a = g->move.actor;
  const po_data *d = a->data;
  int thigh = a->legs.thigh[leg], shank = a->legs.shank[leg], foot = a->legs.foot[leg];
  po_gbwc_limb_measure(&g->legs[leg], d->pose[thigh].R, po_unit_motion(d, a->model->joint[shank].v).ang, po_v3_sub(d->pose[shank].p, d->pose[thigh].p),
                       po_v3_sub(d->pose[foot].p, d->pose[shank].p));
}

/* How far the soles reach to the sides of their ankles: the least of all. */
static double gbwc_sole_half(const po_actor *a) {
  double least = PO_INF;
  int i, k;
  for (i = 0; i < 2; i++) {
    double left = 0, right = 0;
    for (k = 0; k < a->patches.patch[i].points; k++) {
      double y = po_point_position(a->data, a->patches.patch[i].point_body[k], a->patches.patch[i].point[k]).y - a->data->pose[a->legs.foot[i]].p.y;
      left = po_max(left, y);
      right = po_max(right, -y);
    }
    least = po_min(least, po_min(left, right));
  }
  return least;
}

/* All that depends on the model; data holds the zero pose. */
static void gbwc_measure(po_gbwc *g) {
  const po_actor *a = g->move.actor;
  const po_model *m = a->model;
  double sole = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET).z;
  int i;
  for (i = 0; i < 2; i++) gbwc_measure_leg(g, i);
  for (i = 0; i < 2; i++) po_gbwc_measure_arm(g, i);
  po_gbwc_measure_sole(g);
  g->sole_half = gbwc_sole_half(a);
  g->leg = 0.5 * (g->legs[0].upper + g->legs[0].lower + g->legs[1].upper + g->legs[1].lower);
  g->length = g->leg / GBWC_LEG;
  g->time_scale = sqrt(g->length);
  g->mass_share = m->total_mass / GBWC_MASS;
  g->stiffness = g->mass_share * g->length;
  g->damping = g->stiffness * g->time_scale;
  g->ankle_height = 0.5 * (a->data->pose[a->legs.foot[0]].p.z + a->data->pose[a->legs.foot[1]].p.z) - sole;
  g->hip_width = po_v3_norm(po_v3_sub(a->data->pose[a->legs.thigh[0]].p, a->data->pose[a->legs.thigh[1]].p));
  for (i = 0; i < m->nb; i++) {
    g->role[i] = (unsigned char)gbwc_role_of(m, i);
    g->rest[i] = a->data->pose[i].R;
  }
  for (i = m->joint[0].nv; i < m->nv; i++) g->inertia[i] = gbwc_inertia(a->data, i);
}

static void gbwc_gains(po_move *move) {
  po_gbwc *g = gbwc_of(move);
  int i;
  for (i = 0; i < move->actor->model->nb; i++) {
    g->kp[i] = g->params.gain_scale * g->stiffness * gbwc_gain[g->role[i]].kp;
    g->kd[i] = sqrt(g->params.gain_scale) * g->damping * gbwc_gain[g->role[i]].kd;
    if (g->role[i] == GBWC_ANKLE) { /* a foot that stands high is a pendulum upside down, which falls over below m g h */
      double need = GBWC_FOOT * move->actor->model->total_mass * po_v3_norm(move->actor->data->gravity) * po_max(g->ankle_height - GBWC_LOW * g->leg, 0);
      g->kd[i] *= sqrt((g->kp[i] + need) / g->kp[i]);
      g->kp[i] += need;
    }
  }
}

static po_status gbwc_init(po_move *move, po_error *err) {
  const po_actor *a = move->actor;
  int i;
  if (!gbwc_named(a->model->body_name[0], "pelvis")) return po_fail(err, PO_ERR_NAME, "gbwc needs a body whose root is its 'pelvis'; this one's is '%s'", a->model->body_name[0]);
  if (!a->model->floating) return po_fail(err, PO_ERR_MODEL, "gbwc needs a body that is free to move");
  for (i = 0; i < 2; i++)
    if (a->legs.thigh[i] < 0 || a->legs.shank[i] < 0 || a->legs.foot[i] < 0 || a->legs.knee_dof[i] < 0)
      return po_fail(err, PO_ERR_NAME, "gbwc needs two legs of thigh, shank and foot, with a hinge for a knee; the %s one is not there", i == 0 ? "left" : "right");
  for (i = 0; i < 2; i++)
    if (a->model->joint[a->legs.shank[i]].parent != a->legs.thigh[i] || a->model->joint[a->legs.foot[i]].parent != a->legs.shank[i])
      return po_fail(err, PO_ERR_MODEL, "gbwc needs legs whose thigh carries the shank and the shank the foot");
  gbwc_measure(gbwc_of(move));
  gbwc_gains(move);
  return PO_OK;
}

static po_status gbwc_set_model(po_move *move) {
  gbwc_measure(gbwc_of(move)); /* the actor has measured: its data holds the zero pose */
  gbwc_gains(move);
  return PO_OK;
}

/* ---- what a tick sees ---- */

static int gbwc_wants_walk(const po_gbwc *g) { return g->params.walk >= 0.5 && g->params.idle < 0.5 && !g->move.leaving; }

static gbwc_view gbwc_look(po_gbwc *g, const po_sense *sense) {
  const po_actor *a = g->move.actor;
  const po_data *d = a->data;
  double most = 0;
  gbwc_view w;
  int i;
  memset(&w, 0, sizeof w);
  w.dt = sense->dt;
  w.heading = po_heading_total(&a->heading);
  po_sincos(&w.si, &w.co, w.heading);
  w.stance = g->now.stance;
  w.swing = 1 - g->now.stance;
  po_gbwc_carry(g, &w);
  for (i = 0; i < 2; i++) {
    w.ankle[i] = d->pose[a->legs.foot[i]].p;
    w.feel[i] = po_actor_feel(a, i, sense);
    w.share[i] = w.feel[i].force == w.feel[i].force ? po_max(w.feel[i].force, 0) : w.feel[i].heel + w.feel[i].toe;
    most += w.share[i];
  }
  for (i = 0; i < 2 && most > 0; i++) w.share[i] /= most;
  /* nobody touches: the stance leg stays ready to carry, or it would give way when it lands again */
  if (most <= 0 && g->now.mode == PO_GBWC_WALK) w.share[w.stance] = 1;
  w.ground = po_terrain_surface_below(a->patches.terrain, w.ankle[w.stance].x, w.ankle[w.stance].y, w.ankle[w.stance].z, PO_ANY_TAG).height;
  if (!po_isfinite(w.ground)) w.ground = 0;
  w.height = po_max(w.com.z - w.ground, GBWC_HEIGHT_LEAST * a->standing_height);
  w.omega = sqrt(po_v3_norm(d->gravity) / w.height);
  w.period = po_min(g->params.step_time * g->time_scale, GBWC_STEP * g->leg / po_max(po_abs(g->now.speed), GBWC_SPEED_LEAST)); /* long steps are taken faster instead */
  w.swing_time = g->now.pace * w.period;
  w.width = g->params.step_width * g->length;
  if (!gbwc_wants_walk(g)) w.width = po_max(w.width, g->hip_width);
  w.asked = g->now.speed + g->now.correction[0];
  w.asked_side = g->now.side_speed + g->now.correction[1];
  if (!gbwc_wants_walk(g) && g->now.speed == 0) w.asked = w.asked_side = 0;
  if (po_gbwc_path_active(g)) w.asked = g->skill.path.speed;
  if (g->now.mode == PO_GBWC_STAND && w.share[0] > 0 && w.share[1] > 0) po_gbwc_plan_shares(g, &w);
  return w;
}

/* ---- the clock of steps ---- */

static void gbwc_set_mode(po_gbwc *g, po_gbwc_mode mode) {
  g->now.mode = mode;
  g->now.mode_time = 0;
}

/* What the last step gave, against what was asked: the next ones are asked for more or less. */
static void gbwc_learn(po_gbwc *g, const gbwc_view *w) {
  po_vec3 went = po_gbwc_to_frame(w, po_v3_sub(w->com, g->now.step_from));
  double most = GBWC_LEARN_MOST * g->time_scale, step = GBWC_LEARN_STEP * g->time_scale;
  if (g->now.step_seconds < GBWC_LEARN_FROM * w->period || po_gbwc_path_active(g)) return; /* a step that was told where to go says nothing about speed */
  g->now.correction[0] = po_clamp(g->now.correction[0] + GBWC_LEARN * po_clamp(g->now.speed - went.x / g->now.step_seconds, -step, step), -most, most);
}

static void gbwc_begin_step(po_gbwc *g, gbwc_view *w, int stance) {
  if (g->now.mode == PO_GBWC_WALK) {
    po_vec3 apart = po_v3_sub(w->ankle[0], w->ankle[1]), off = po_v3_sub(w->ankle[w->swing], g->now.swing_target);
    gbwc_learn(g, w);
    g->now.steps++;
    g->now.crossings += g->now.crossing;
    g->now.period_sum += g->now.step_seconds;
    g->now.step_length_sum += po_abs(po_gbwc_to_frame(w, apart).x);
    g->now.swing_error = sqrt(off.x * off.x + off.y * off.y);
    g->now.swing_error_sum += g->now.swing_error;
  } else gbwc_set_mode(g, PO_GBWC_WALK);
  g->now.stance = w->stance = stance;
  w->swing = 1 - stance;
  g->now.phase = 0;
  g->now.pace = 1;
  g->now.step_seconds = 0;
  g->now.step_from = w->com;
  g->now.crossing = 0;
  g->now.landing = po_gbwc_low_landing(g, stance, w);
  g->now.swing_start = g->now.swing_target = w->ankle[w->swing];
}

po_gbwc *po_gbwc_of(const po_move *move) { return move && move->type == &po_gbwc_type ? gbwc_of((po_move *)move) : NULL; }

/* The walker in a skill is the skill's. */
static const po_gbwc *gbwc_within(const po_move *move) {
  po_gbwc *g = po_gbwc_of(move);
  return g ? g : po_skill_walker(move);
}

const po_gbwc_state *po_gbwc_now(const po_move *move) {
  const po_gbwc *g = gbwc_within(move);
  return g ? &g->now : NULL;
}

double po_gbwc_sole(const po_move *move) { return gbwc_within(move)->heel + gbwc_within(move)->toe; }
double po_gbwc_carried(const po_move *move, int arm) { return gbwc_within(move)->skill.hand[arm].mass; }
double po_gbwc_scale(const po_move *move) { return gbwc_within(move)->time_scale; }

po_mat3 po_gbwc_lean(const po_move *move, const po_data *data, int body) {
  return po_m3_mult(data->pose[body].R, gbwc_within(move)->rest[body]);
}

static double gbwc_within_step(const po_gbwc *g, double asked, double now, double change) {
  double most = change * g->time_scale;
  return po_clamp(asked * g->time_scale, now - most, now + most);
}

po_status po_gbwc_begin_step(po_move *move, int stance, double change) {
  po_gbwc *g = po_gbwc_of(move);
  const po_sense blind = {0}; /* loads do not matter when a step begins */
  gbwc_view w;
  if (!g) return move ? PO_ERR_MODEL : PO_ERR_NULL;
  if ((stance != 0 && stance != 1) || !(change >= 0)) return PO_ERR_RANGE;
  gbwc_set_mode(g, PO_GBWC_STAND); /* no step ends here, so there is nothing to learn from */
  g->now.correction[0] = g->now.correction[1] = 0;
  w = gbwc_look(g, &blind);
  g->now.facing = w.heading;
  g->now.speed = gbwc_within_step(g, g->params.speed, w.velocity.x, change);
  g->now.side_speed = gbwc_within_step(g, g->params.side_speed, w.velocity.y, change);
  gbwc_begin_step(g, &w, stance);
  return PO_OK;
}

po_status po_gbwc_change_step(po_move *move) {
  po_gbwc *g = po_gbwc_of(move);
  if (!g) return move ? PO_ERR_MODEL : PO_ERR_NULL;
  g->now.speed = g->params.speed * g->time_scale;
  g->now.side_speed = g->params.side_speed * g->time_scale;
  return PO_OK;
}

static po_vec3 gbwc_rest_point(const gbwc_view *w) { return po_v3_addscaled(w->com, 1 / w->omega, po_gbwc_to_world(w, w->velocity)); }

/* How far the point of rest is outside the soles, whether all of them touch yet or not: a foot that has just landed is about to lie flat. */
static double gbwc_outside(const po_gbwc *g, const gbwc_view *w) {
  const po_actor *a = g->move.actor;
  po_vec3 hull[PO_HULL_MAX], nearest;
  po_patches soles = a->patches;
  int n, i;
  for (i = 0; i < 8; i++) soles.patch[i / 4].touching[i % 4] = 1;
  n = po_patches_hull(hull, &soles, a->data, PO_BOTH_FEET);
  return po_hull_distance(&nearest, hull, n, gbwc_rest_point(w));
}

static int gbwc_struck(const po_gbwc *g, const gbwc_view *w) {
  const po_feel *f = &w->feel[w->swing];
  double weight = w->mass * w->omega * w->omega * w->height;
  if (g->now.phase >= GBWC_LATE) return 1;
  if (g->now.phase < GBWC_STRIKE_FROM) return 0;
  return f->force == f->force ? f->force > GBWC_STRIKE * weight : f->heel || f->toe;
}

/* How much faster a step's clock goes for who is pushed: the error grows as e^{wt} until the foot is down. */
double po_gbwc_hurry(const po_gbwc *g, const gbwc_view *w) {
  double error = po_v3_norm(po_gbwc_rest_error(g, w)) / g->leg, calm = GBWC_CALM + GBWC_CALM_FAST * po_abs(w->asked) / (w->omega * g->leg);
  return 1 + po_clamp(GBWC_HURRY * (error - calm), 0, GBWC_HURRY_MOST);
}

/* At rest within the soles, and on feet that are not so close that the pelvis would have to roll for the body to sway. */
static int gbwc_can_stand(const po_gbwc *g, const gbwc_view *w) {
  double apart = po_gbwc_to_frame(w, po_v3_sub(w->ankle[0], w->ankle[1])).y, speed = po_v3_norm(po_v3(w->velocity.x, w->velocity.y, 0));
  return gbwc_outside(g, w) < -GBWC_STAND_INSIDE * g->length && speed < GBWC_STAND_SPEED * g->time_scale && apart > GBWC_STAND_APART * g->hip_width;
}

/* How thrown off the body is, 0 … 1: rises at once with the hurry and calms down over steps. */
static void gbwc_unrest(po_gbwc *g, const gbwc_view *w, double hurry) {
  double calmer = g->now.unrest - w->dt / (GBWC_SOOTHED * w->period);
  g->now.unrest = po_max(po_gbwc_path_active(g) ? 0 : po_min((hurry - 1) / GBWC_UNREST, 1), po_max(calmer, 0));
}

static void gbwc_walk_clock(po_gbwc *g, gbwc_view *w) {
  double hurry = po_gbwc_hurry(g, w);
  g->now.phase += w->dt / w->swing_time * (po_gbwc_path_active(g) ? po_gbwc_path_pace(g, w) : hurry);
  gbwc_unrest(g, w, hurry);
  g->now.step_seconds += w->dt;
  if (!gbwc_struck(g, w)) return;
  gbwc_begin_step(g, w, w->swing);
  if (!gbwc_wants_walk(g) && gbwc_can_stand(g, w)) gbwc_set_mode(g, PO_GBWC_STAND);
}

/* Idling is a clock of shifts of PO_GBWC_IDLE_SHIFT s: middle, one leg, the other, the first one again, then a step with the foot that is not loaded. */
double po_gbwc_idle_side(const po_gbwc *g) {
  double shift = g->now.mode_time / (PO_GBWC_IDLE_SHIFT * g->time_scale), begin = floor(shift), way = po_clamp(GBWC_IDLE_QUICK * (shift - begin), 0, 1), from, to;
  double first = g->now.stance == 0 ? 1 : -1; /* left positive */
  if (g->params.idle < 0.5 || g->move.leaving || g->now.mode != PO_GBWC_STAND || begin < 1) return 0;
  to = begin == 2 ? -first : first;
  from = begin == 1 ? 0 : begin == 2 ? first : begin == 3 ? -first : first;
  return from + (to - from) * way * way * (3 - 2 * way);
}

static int gbwc_idle_step(const po_gbwc *g) { return g->params.idle >= 0.5 && !g->move.leaving && g->now.mode_time >= 4 * PO_GBWC_IDLE_SHIFT * g->time_scale; }

/* From standing a step begins at once, and is short: the body falls away from the foot that stays, from half the feet's distance. Whoever is pushed
 * steps with the foot on that side, whoever walks off with the left. */
static void gbwc_stand_clock(po_gbwc *g, gbwc_view *w) {
  po_vec3 rest = gbwc_rest_point(w), mid = po_v3_scale(0.5, po_v3_add(w->ankle[0], w->ankle[1]));
  int pushed = gbwc_outside(g, w) > GBWC_STEP_OUTSIDE * g->length, hanging = w->share[0] <= 0 ? 0 : w->share[1] <= 0 ? 1 : -1; /* a foot in the air */
  g->now.mode_time += w->dt;
  if (hanging >= 0 && g->now.mode_time > GBWC_SETTLE * g->time_scale) gbwc_begin_step(g, w, 1 - hanging);
  else if (gbwc_idle_step(g)) gbwc_begin_step(g, w, g->now.stance);
  else if (pushed || gbwc_wants_walk(g)) gbwc_begin_step(g, w, pushed ? po_gbwc_to_frame(w, po_v3_sub(rest, mid)).y > 0 : g->now.stance);
  else return;
  g->now.pace = GBWC_FIRST;
}

/* Speeds and heading in force come to what is asked bit by bit. */
static double gbwc_approach(double now, double goal, double most) { return now + po_clamp(goal - now, -most, most); }

static double gbwc_nearest_turn(double angle, double to) {
  double x = (angle - to) / (2 * PO_PI);
  return angle - 2 * PO_PI * floor(x + 0.5);
}

static void gbwc_command(po_gbwc *g, const gbwc_view *w) {
  int on = gbwc_wants_walk(g);
  double most = GBWC_ACCELERATION * w->dt, goal = gbwc_nearest_turn(g->now.north + PO_RAD(g->params.heading), g->now.facing);
  g->now.speed = gbwc_approach(g->now.speed, on ? g->params.speed * g->time_scale : 0, most);
  g->now.side_speed = gbwc_approach(g->now.side_speed, on ? g->params.side_speed * g->time_scale : 0, most);
  if (g->now.mode != PO_GBWC_STAND) g->now.facing = gbwc_approach(g->now.facing, goal, GBWC_TURN_RATE / g->time_scale * w->dt);
  g->now.facing = po_clamp(g->now.facing, w->heading - GBWC_TURN_LEAD, w->heading + GBWC_TURN_LEAD);
}

/* ---- the motion generator (5.3.1) ---- */

/* Catmull-Rom through four knots at phases 0, 1/3, 2/3, 1. */
double po_gbwc_curve(const double y[PO_GBWC_KNOTS], double phase) {
  double x = po_clamp(phase, 0, 1) * (PO_GBWC_KNOTS - 1), u, t0, t1;
  int i = (int)po_min(floor(x), PO_GBWC_KNOTS - 2);
  u = x - i;
  t0 = i > 0 ? 0.5 * (y[i + 1] - y[i - 1]) : y[1] - y[0];
  t1 = i < PO_GBWC_KNOTS - 2 ? 0.5 * (y[i + 2] - y[i]) : y[PO_GBWC_KNOTS - 1] - y[PO_GBWC_KNOTS - 2];
  return y[i] + u * (t0 + u * (3 * (y[i + 1] - y[i]) - 2 * t0 - t1 + u * (2 * (y[i] - y[i + 1]) + t0 + t1)));
}

void po_gbwc_drive(po_gbwc *g, double *tau, int body, po_mat3 wanted, po_vec3 rate, double strength, const gbwc_view *w) {
  const po_data *d = g->move.actor->data;
  const po_joint *j = &d->model->joint[body];
  po_vec3 e = po_q_log(po_q_from_matrix(po_m3_mult(wanted, d->pose[body].R))), de = po_v3_sub(rate, po_body_angular_velocity(d, body));
  int k;
  for (k = 0; k < j->nv; k++) {
    po_vec3 axis = po_unit_motion(d, j->v + k).ang;
    double kd = po_min(g->kd[body], GBWC_STABLE * g->inertia[j->v + k] / w->dt);
    tau[j->v + k] += strength * (g->kp[body] * po_v3_dot(axis, e) + kd * po_v3_dot(axis, de));
  }
}

/* A joint relative to its parent: its rest turned by R, in axes of the body that stands at zero. */
static void gbwc_drive_to_parent(po_gbwc *g, double *tau, int body, po_mat3 R, const gbwc_view *w) {
  const po_data *d = g->move.actor->data;
  int parent = d->model->joint[body].parent;
  po_mat3 rest = po_m3_mul(po_m3_mult(d->pose[parent].R, g->rest[parent]), po_m3_mul(R, g->rest[body]));
  po_gbwc_drive(g, tau, body, rest, po_body_angular_velocity(d, parent), 1, w);
}

static void gbwc_arm(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w, int arm) {
  const po_actor *a = g->move.actor;
  int upper = a->legs.upper_arm[arm], fore = a->legs.forearm[arm];
  double out = (arm == 0 ? 1 : -1) * PO_RAD(g->params.arms_out_deg), swing = 0;
  if (g->skill.hand[arm].weight > 0 && g->arms[arm].upper > 0) {
    po_gbwc_reach(g, tau, sense, w, arm);
    return;
  }
  if (g->now.mode == PO_GBWC_WALK) swing = PO_RAD(po_gbwc_curve(g->params.shoulder, g->now.phase)) * (arm == w->stance ? 1 : -1);
  if (upper >= 0) gbwc_drive_to_parent(g, tau, upper, po_m3_mul(po_m3_axis_angle(po_v3(0, 1, 0), -swing), po_m3_axis_angle(po_v3(1, 0, 0), out)), w);
  if (fore >= 0 && a->model->joint[fore].nv == 1) {
    const po_joint *j = &a->model->joint[fore];
    double kd = po_min(g->kd[fore], GBWC_STABLE * g->inertia[j->v] / w->dt);
    tau[j->v] += g->kp[fore] * (PO_RAD(g->params.elbow_deg) - sense->q[j->q]) - kd * sense->v[j->v];
  }
}

/* The uppermost link of the trunk; −1: none. */
static int gbwc_thorax(const po_gbwc *g) {
  int i, last = -1;
  for (i = 1; i < g->move.actor->model->nb; i++)
    if (g->role[i] == GBWC_TRUNK) last = i;
  return last;
}

/* Trunk and head, in C; arms, toes and all that no one else drives, to their parents. */
static void gbwc_upper_body(po_gbwc *g, double *tau, const po_sense *sense, const gbwc_view *w) {
  const po_gbwc_params *p = &g->params;
  const po_model *m = g->move.actor->model;
  double side = po_gbwc_side(w), walking = g->now.mode == PO_GBWC_WALK;
  double pitch = p->lean_deg + walking * po_gbwc_curve(p->pitch, g->now.phase), roll = p->side_lean_deg + walking * side * po_gbwc_curve(p->sway, g->now.phase);
  double yaw = -walking * side * po_gbwc_curve(p->turn, g->now.phase);
  po_mat3 head = po_m3_rpy(0, 0.5 * PO_RAD(p->lean_deg) + g->skill.bend, g->now.facing);
  int i, thorax = gbwc_thorax(g);
  for (i = 1; i < m->nb; i++) {
    po_mat3 trunk = po_m3_rpy(PO_RAD(roll), PO_RAD(pitch) + (i == thorax ? 1 : 0.5) * g->skill.bend, w->heading + PO_RAD(yaw));
    if (g->role[i] == GBWC_TRUNK) po_gbwc_drive(g, tau, i, po_m3_mul(trunk, g->rest[i]), po_v3(0, 0, 0), 1 + g->skill.brace, w);
    else if (g->role[i] == GBWC_HEAD) po_gbwc_drive(g, tau, i, po_m3_mul(head, g->rest[i]), po_v3(0, 0, 0), 1, w);
    else if (g->role[i] == GBWC_TOE || g->role[i] == GBWC_OTHER) gbwc_drive_to_parent(g, tau, i, po_m3_identity(), w);
  }
  for (i = 0; i < 2; i++) gbwc_arm(g, tau, sense, w, i);
}

/* The swinging foot stays level, with the style's pitch. Whoever was pushed and turned puts it down as he wants to face: hips turn no farther than their range. */
static void gbwc_swing_foot(po_gbwc *g, double *tau, const gbwc_view *w) {
  int foot = g->move.actor->legs.foot[w->swing];
  double pitch = po_gbwc_path_active(g) ? 0 : PO_RAD(po_gbwc_curve(g->params.swing_ankle, g->now.phase));
  po_mat3 level = po_m3_rpy(0, pitch, w->heading + g->now.unrest * po_wrap(g->now.facing - w->heading));
  po_gbwc_drive(g, tau, foot, po_m3_mul(level, g->rest[foot]), po_v3(0, 0, 0), 1, w);
}

/* ---- a tick ---- */

static po_status gbwc_tick(po_move *move, double *tau, const po_sense *sense) {
  po_gbwc *g = gbwc_of(move);
  gbwc_view w = gbwc_look(g, sense);
  if (!(sense->dt > 0)) return PO_ERR_RANGE;
  memset(tau, 0, sizeof(double) * (size_t)move->actor->model->nv);
  gbwc_command(g, &w);
  if (g->now.mode == PO_GBWC_WALK) gbwc_walk_clock(g, &w);
  else gbwc_stand_clock(g, &w);
  po_gbwc_subtrees(g);
  gbwc_upper_body(g, tau, sense, &w);
  if (g->now.mode == PO_GBWC_WALK) {
    po_gbwc_swing_leg(g, tau, sense, &w);
    gbwc_swing_foot(g, tau, &w);
  }
  if (g->params.gravity_compensation >= 0.5) po_gbwc_gravity(g, tau, &w);
  po_gbwc_hold(g, tau);
  po_gbwc_stance_legs(g, tau, sense, &w);
  return PO_OK;
}

static void gbwc_enter(po_move *move, const po_move *from) {
  po_gbwc *g = gbwc_of(move);
  g->now.stance = 1;
  g->now.pace = 1;
  g->now.facing = po_heading_total(&move->actor->heading);
  g->now.north = from ? g->now.facing : 0;
}

static int gbwc_released(const po_move *move) { return ((const po_gbwc *)(const void *)move)->now.mode == PO_GBWC_STAND; }
static int gbwc_phase(const po_move *move) { return (int)((const po_gbwc *)(const void *)move)->now.mode; }
static const char *const gbwc_phase_names[] = {"stand", "walk"};

const po_move_type po_gbwc_type = {
    .name = "gbwc", .summary = "walk by pendulum, PD and virtual forces, without optimization", .needs = PO_NEEDS_FEET,
    .bytes = sizeof(po_gbwc), .params_at = offsetof(po_gbwc, params), .params_bytes = sizeof(po_gbwc_params),
    .param = po_gbwc_param, .param_count = &po_gbwc_param_count, .preset_folder = "gaits/gbwc/",
    .state_at = offsetof(po_gbwc, now), .state_bytes = sizeof(po_gbwc_state) + sizeof(po_gbwc_skill),
    .layout = gbwc_layout, .init = gbwc_init, .enter = gbwc_enter, .tick = gbwc_tick, .released = gbwc_released,
    .phase = gbwc_phase, .phase_name = gbwc_phase_names, .restored = gbwc_gains, .changed = gbwc_gains, .set_model = gbwc_set_model};
