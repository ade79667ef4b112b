/* handstand.c: standing on the hands, straight, for as long as is asked; and a body placed so.
 *
 * The law of balance (support.h) as on the feet, with a hand's length and no more to press on; angular momentum is asked for that brings the trunk back to the
 * vertical. The pose stands beside them with a small weight, so that the legs help where the palms do not suffice.
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
  po_tumbler_attach_hands(&po_turner_of(move)->body);
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

static void handstand_law(handstand *h) {
  po_tumbler *t = &h->turner.body;
  const po_handstand_params *p = &h->params;
  po_footing palms = po_footing_of(t->actor, PO_BOTH_HANDS, 0);
  po_pendulum b = po_pendulum_over(t->actor, palms.centre.z, HANDSTAND_LOWEST * t->h);
  double F = t->mass * t->gravity, most = HANDSTAND_MOST * t->mass * t->h * t->fast;
  po_vec3 turn = po_turn_to(po_tumbler_trunk(t), po_v3(0, 0, -1), t->inertia * p->kp_tilt / t->beat, most, p->kp_turn / t->beat, po_v3_of(t->actor->data->momentum));
  po_vec3 pressure = po_footing_inside(&palms, po_pendulum_press(&b, palms.centre, p->kp_capture / t->beat, F), HANDSTAND_MARGIN * t->h);
  po_tumbler_ask(t, 2, po_pendulum_push(&b, pressure, F, turn), 0, turn);
  t->height->on = 0;
  h->turner.move.com_target = b.capture;
}

static void handstand_hold(po_move *move) {
  handstand *h = handstand_of(move);
  po_tumbler *t = &h->turner.body;
  po_actor *a = move->actor;
  int i;
  po_tumbler_let_go(t);
  po_tumbler_plant_hands(t, PO_BOTH_HANDS, 0);
  po_tumbler_pose(t, &handstand_pose, HANDSTAND_POSE_KP, 1, 1);
  for (i = 0; i < 2; i++) {
    const po_joint *wrist = po_tumbler_wrist(t, i);
    if (!wrist) continue;
    a->pose[wrist->q] = -0.5 * PO_PI;
    a->joint_weight[wrist->v] = a->joint_weight[wrist->v + 1] = HANDSTAND_WRIST;
  }
  t->pose->priority = 2;
  t->pose->weight = HANDSTAND_POSE;
  handstand_law(h);
}

enum { HANDSTAND_HOLD, HANDSTAND_DONE };
static const po_turner_row handstand_stages[] = {
  [HANDSTAND_HOLD] = {"hold", handstand_hold, {{po_turner_waited, HANDSTAND_DONE, PO_NEXT_TICK}}, NULL},
  [HANDSTAND_DONE] = {"done", handstand_hold, {{NULL, 0, 0}}, NULL},
};

static po_status handstand_init(po_move *move, po_error *err) { return po_turner_init(move, handstand_stages, &handstand_of(move)->params.hold, NULL, NULL, err); }

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
