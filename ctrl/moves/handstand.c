/* handstand.c: standing on the hands, straight, for as long as is asked; and a body placed so.
 *
 * As in standing, the centre of pressure p draws the capture point ξ = c + (v + (L × z)/(m h)) √(h/g) to the middle of the palms; p is moved into the
 * palms, a hand's length and no more; angular momentum is asked for that brings the trunk back to the vertical, and the COM's acceleration follows from
 * both, so that they agree. The pose stands beside them with a small weight, so that the legs help where the palms do not suffice.
 */
#include "turner.h"

const po_param po_handstand_param[] = {
  PO_PARAM(po_handstand_params, hold, 5, 0.5, 60, "s", "on the hands"),
  PO_PARAM(po_handstand_params, kp_capture, 1.3, 0.1, 10, "1/beat", "rate at which the capture point is drawn to the middle of the palms"),
  PO_PARAM(po_handstand_params, kp_turn, 3.8, 0.1, 20, "1/beat", "rate at which angular momentum is come to"),
  PO_PARAM(po_handstand_params, kp_tilt, 1.5, 0, 10, "1/beat", "rate at which the trunk is brought back to the vertical"),
};
const int po_handstand_param_count = (int)(sizeof po_handstand_param / sizeof po_handstand_param[0]);

typedef struct handstand {
  po_turner turner;
  po_handstand_params params;
} handstand;

#define HANDSTAND_PALM_KP 1000.0  /* 1/s², as soles */
#define HANDSTAND_POSE_KP 100.0   /* 1/s² */
#define HANDSTAND_POSE 1e-3       /* weight beside balance: a body without a pose contorts itself */
#define HANDSTAND_LOWEST 0.4      /* standing heights: the law is not asked about a COM below */
#define HANDSTAND_WRIST 0.01      /* weight of the wrists in the pose: they are for balance */
#define HANDSTAND_MARGIN 0.01     /* standing heights: the centre of pressure stays so far inside */
#define HANDSTAND_MOST 0.05       /* m h sqrt(g h): angular momentum asked for to right the trunk */
#define HANDSTAND_ARMS 3.1        /* rad: overhead */
static const po_tumble_pose handstand_pose = {0, -0.1, -0.9, 0, HANDSTAND_ARMS, 0.1, 0.1, 0, 0};

static handstand *handstand_of(const po_move *move) { return (handstand *)po_turner_of(move); }

static po_status handstand_attach(po_move *move, po_error *err) {
  po_status s = po_turner_attach(move, err);
  po_actor_add_contacts(move->actor, PO_BOTH_HANDS, 1, HANDSTAND_PALM_KP);
  return s;
}

static po_status handstand_ready(const po_move *move, const po_move *from, po_error *err) {
  (void)from;
  if (po_patches_touching(&move->actor->patches, PO_PATCH_BIT(PO_HAND_L)) > 0 && po_patches_touching(&move->actor->patches, PO_PATCH_BIT(PO_HAND_R)) > 0) return PO_OK;
  return po_fail(err, PO_ERR_STATE, "%s needs both hands on the ground", move->name);
}

static void handstand_enter(po_move *move, const po_move *from) {
  (void)from;
  po_turner_begin(po_turner_of(move), 1, PO_BY_TRUNK);
}

/* The rotation (world) that would turn the trunk's line head down. */
static po_vec3 handstand_tilt(const po_tumbler *t) {
  const po_data *d = t->actor->data;
  po_vec3 u = po_v3_unit(po_v3_sub(po_frame_position(d, t->neck), d->pose[0].p)), axis = po_v3_cross(u, po_v3(0, 0, -1));
  double sine = po_v3_norm(axis);
  return sine > 1e-9 ? po_v3_scale(po_atan2(sine, -u.z) / sine, axis) : po_v3(0, 0, 0);
}

static po_vec3 handstand_turn(const handstand *h) {
  const po_tumbler *t = &h->turner.body;
  po_vec3 want = po_v3_scale(t->inertia * h->params.kp_tilt / t->beat, handstand_tilt(t));
  double most = HANDSTAND_MOST * t->mass * t->h * sqrt(t->gravity * t->h), n = po_v3_norm(want);
  if (n > most) want = po_v3_scale(most / n, want);
  return po_v3_scale(h->params.kp_turn / t->beat, po_v3_sub(want, po_v3_of(t->actor->data->momentum)));
}

static void handstand_law(handstand *h) {
  po_tumbler *t = &h->turner.body;
  const po_data *d = t->actor->data;
  po_vec3 centre = po_patches_centroid(&t->actor->patches, d, PO_BOTH_HANDS), capture, hull[PO_HULL_MAX], near, spin, cop, turn = handstand_turn(h), acc;
  double over = po_max(d->com.z - centre.z, HANDSTAND_LOWEST * t->h), w = sqrt(t->gravity / over), r;
  int n = po_patches_hull(hull, &t->actor->patches, d, PO_BOTH_HANDS);
  spin = po_tumbler_turning_speed(t, over);
  capture = po_v3_addscaled(d->com, 1 / w, po_v3_add(po_v3(d->com_velocity.x, d->com_velocity.y, 0), spin));
  cop = po_v3_addscaled(po_v3_addscaled(capture, h->params.kp_capture / (t->beat * w), po_v3_sub(capture, centre)), -1 / w, spin);
  cop.z = 0;
  if (n > 0 && po_hull_distance(&near, hull, n, cop) > -HANDSTAND_MARGIN * t->h) { /* into the palms */
    cop = po_v3(centre.x - near.x, centre.y - near.y, 0);
    r = po_v3_norm(cop);
    cop = r > 0 ? po_v3_addscaled(near, po_min(HANDSTAND_MARGIN * t->h / r, 1), cop) : near;
  }
  acc = po_v3_scale(-t->gravity / over, po_v3(cop.x - d->com.x, cop.y - d->com.y, 0));
  acc = po_v3_addscaled(acc, -1 / (t->mass * over), po_v3(turn.y, -turn.x, 0)); /* L' × z */
  t->com->on = t->turn->on = 1;
  t->turn->scale = t->mass * t->h;
  t->com->ref_accel[0] = acc.x;
  t->com->ref_accel[1] = acc.y;
  po_v3_to(t->turn->ref_accel, turn);
  h->turner.move.com_target = capture;
}

static void handstand_hold(po_move *move, double dt) {
  handstand *h = handstand_of(move);
  po_tumbler *t = &h->turner.body;
  po_actor *a = move->actor;
  int i;
  (void)dt;
  po_tumbler_let_go(t);
  for (i = 8; i < 16; i++) po_actor_plant(a, i / 4, i % 4, i % 4 < a->patches.patch[i / 4].points, HANDSTAND_PALM_KP);
  po_actor_stand_on(a, PO_BOTH_HANDS);
  po_tumbler_pose(t, &handstand_pose, HANDSTAND_POSE_KP, 1, 1);
  for (i = 0; i < 2; i++) {
    int palm = a->patches.patch[PO_HAND_L + i].body;
    const po_joint *wrist = &a->model->joint[palm];
    if (palm == a->legs.forearm[i] || wrist->nq != 2) continue;
    a->pose[wrist->q] = -0.5 * PO_PI;
    a->joint_weight[wrist->v] = a->joint_weight[wrist->v + 1] = HANDSTAND_WRIST;
  }
  t->pose->priority = 2;
  t->pose->weight = HANDSTAND_POSE;
  handstand_law(h);
}
static int handstand_held(const po_move *move) { return move->time >= handstand_of(move)->params.hold; }

enum { HANDSTAND_HOLD, HANDSTAND_DONE };
static const po_turner_row handstand_stages[] = {
  [HANDSTAND_HOLD] = {"hold", handstand_hold, {{handstand_held, HANDSTAND_DONE, PO_NEXT_TICK}}, NULL},
  [HANDSTAND_DONE] = {"done", handstand_hold, {{NULL, 0, 0}}, NULL},
};

static po_status handstand_init(po_move *move, po_error *err) { return po_turner_init(move, handstand_stages, NULL, NULL, err); }

const po_move_type po_handstand_type = {
  .name = "handstand",
  .summary = "stands on its hands",
  .needs = PO_NEEDS_FEET | PO_NEEDS_HANDS | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(handstand),
  .params_at = offsetof(handstand, params),
  .params_bytes = sizeof(po_handstand_params),
  .param = po_handstand_param,
  .param_count = &po_handstand_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(handstand, params) - PO_TURNER_STATE,
  .first = "hold",
  .layout = po_turner_layout,
  .init = handstand_init,
  .attach = handstand_attach,
  .ready = handstand_ready,
  .enter = handstand_enter,
  .aim = po_turner_aim,
  .done = po_turner_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .set_model = po_turner_set_model,
};

/* ---- placing ---- */

#define HANDSTAND_ROUNDS 40
#define HANDSTAND_LEANS 0.4 /* rad: it leans no further */

/* Straight, head down, turned by `past` beyond the vertical, palms level; how far the COM is then beyond the middle of the palms. */
static double handstand_place(double *q, po_data *d, const po_patches *p, const po_legs *l, double heading, double past) {
  const po_model *m = d->model;
  po_vec3 along = po_v3(po_cos(heading), po_sin(heading), 0);
  int f, round;
  po_neutral(q, m);
  for (f = 0; f < 2; f++)
    if (m->joint[l->upper_arm[f]].type == PO_JOINT_SPHERICAL) po_q_to(q + m->joint[l->upper_arm[f]].q, po_q_axis_angle(po_v3(0, 1, 0), -HANDSTAND_ARMS));
  po_q_to(q, po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), heading), po_q_mul(po_q_axis_angle(po_v3(0, 1, 0), PO_PI + past), po_q_of(q))));
  for (round = 0; round < 4; round++) { /* wrists, from bent back by a right angle on */
    po_kinematics(d, q, NULL);
    for (f = 0; f < 2; f++) {
      const po_patch *palm = &p->patch[PO_HAND_L + f];
      const po_joint *wrist = &m->joint[palm->body];
      po_vec3 v;
      if (palm->points < 4 || wrist->nq != 2) continue;
      v = po_v3_sub(po_point_position(d, palm->body, palm->point[3]), po_point_position(d, palm->body, palm->point[0])); /* to the fingers */
      q[wrist->q] = po_clamp(round == 0 ? -0.5 * PO_PI : q[wrist->q] + v.z / po_v3_dot(along, v), wrist->lower[0], wrist->upper[0]);
    }
  }
  po_kinematics(d, q, NULL);
  po_com(d);
  return po_v3_dot(po_v3_sub(d->com, po_patches_centroid(p, d, PO_BOTH_HANDS)), along);
}

po_status po_handstand_pose(double *q, const po_model *m, const po_terrain *terrain, double x, double y, double heading, po_error *err) {
  po_patches p;
  po_legs l;
  po_data *d = NULL;
  po_vec3 at;
  double low = -HANDSTAND_LEANS, high = HANDSTAND_LEANS, gap = PO_INF;
  int i;
  po_status s = po_patches_init(&p, m, terrain, PO_BOTH_HANDS, err);
  if (s != PO_OK) return s;
  if (!po_isfinite(x + y + heading)) return po_fail(err, PO_ERR_NOT_FINITE, "a place and a heading must be finite");
  if ((s = po_data_new(&d, m)) != PO_OK) return po_fail(err, s, "out of memory");
  po_neutral(q, m);
  po_kinematics(d, q, NULL);
  po_legs_find(&l, d);
  if (l.upper_arm[0] < 0 || l.upper_arm[1] < 0) {
    po_data_free(d);
    return po_fail(err, PO_ERR_NAME, "'%s' has no arms to stand on: links upper_arm_l, upper_arm_r are needed", m->name);
  }
  for (i = 0; i < HANDSTAND_ROUNDS; i++) { /* the COM over the palms */
    double past = 0.5 * (low + high);
    if (handstand_place(q, d, &p, &l, heading, past) < 0) low = past;
    else high = past;
  }
  at = po_patches_centroid(&p, d, PO_BOTH_HANDS);
  q[4] += x - at.x;
  q[5] += y - at.y;
  po_kinematics(d, q, NULL);
  po_patches_update(&p, d);
  for (i = 0; i < 8; i++)
    if (i % 4 < p.patch[PO_HAND_L + i / 4].points) gap = po_min(gap, p.patch[PO_HAND_L + i / 4].gap[i % 4]);
  q[6] -= gap;
  po_data_free(d);
  return PO_OK;
}
