/* jump_pose.c: the rest pose of a jump: legs bent as the COM's height has them, so that they do not pull against it, the trunk leaning as a
 * crouch needs it, arms that swing.
 *
 * Hip, knee and ankle lie in a plane. With the shank leaning forward by φ and the knee bent by θ the hip stands  b sin φ − a sin(θ − φ)  before
 * the ankle (a thigh, b shank). φ stays well inside the ankle's range, since a heel that is levered up in a landing topples the body; so in a
 * crouch the hip goes back, and the trunk leans forward by as much as keeps the COM over the soles.
 */
#include "jump_internal.h"

/* Arms swing back in the crouch, ahead in the thrust, and come down in flight (rad about the shoulders' axis, back positive). */
#define JUMP_ARMS_BACK 0.8
#define JUMP_ARMS_AHEAD -1.2
#define JUMP_ARMS_LANDING -0.6
#define JUMP_ELBOW 1.2 /* how far elbows bend, of that */
/* The pose is held stiffer in flight, and the trunk all the while: a jump is over before the gains of standing act. */
#define JUMP_STIFFER 4.0
/* In flight ankles and soles say where the legs go, and hips follow with next to no rest pose of their own. Knees keep theirs, as stiff as the
 * ankles: out of a straight knee no ankle's target leads, it is a singularity. */
#define JUMP_LEG_WEIGHT 0.01
#define JUMP_ANKLE_SHARE 0.7 /* of the ankle's range that a crouch uses */
#define JUMP_ANKLE_RANGE 0.5 /* rad: of an ankle whose kind of joint tells no range */
#define JUMP_LEG_LEAST 0.5   /* of the leg: legs fold no further in the plan of a posture */
#define JUMP_ARMS_RATE 1.5   /* arms come down over two thirds of the flight, */
#define JUMP_ARMS_LATE 0.3   /* and begin a fifth of it after take-off: rate times 0.2 */
#define JUMP_TOES_DOWN 0.2   /* rad: feet hang as the body rises */
/* The hip's way times this, over the standing height, is the sine of the lean: of people, head, arms and trunk are 68 % of the mass, their centre
 * is 0.32 m above the hips, and half of the hips' way goes into the legs as well. */
#define JUMP_LEAN 3.9
#define JUMP_LEAN_MOST 0.9

void po_jump_measure(po_jump *j) {
  const po_legs *l = &j->move.actor->legs;
  int f;
  j->thigh = j->shank = j->leg = 0;
  for (f = 0; f < 2; f++) {
    j->thigh += 0.5 * l->thigh_length[f];
    j->shank += 0.5 * l->shank_length[f];
    j->leg += 0.5 * l->reach[f];
  }
}

/* ---- legs and trunk ---- */

typedef struct jump_posture { double knee, ankle, lean; } jump_posture; /* rad beyond the zero pose: bent, shank forward, trunk forward */

/* Angle between thigh and shank when hip and ankle are d apart. */
static double jump_knee(const po_jump *j, double d) {
  double a = j->thigh, b = j->shank, c = po_clamp((d * d - a * a - b * b) / (2 * a * b), -1, 1);
  return po_atan2(sqrt(1 - c * c), c);
}

/* How far the shank may lean: a share of the ankle's range, less what the ground's slope takes. */
static double jump_ankle_room(const po_jump *j) {
  const po_patch *s = &j->move.actor->patches.patch[0];
  const po_joint *ankle = &j->move.actor->data->model->joint[s->body];
  double si, co, range = ankle->type == PO_JOINT_UNIVERSAL || ankle->type == PO_JOINT_REVOLUTE ? -ankle->lower[0] : JUMP_ANKLE_RANGE;
  po_sincos(&si, &co, po_actor_heading(j->move.actor));
  return po_max(0, JUMP_ANKLE_SHARE * range + po_atan2(s->normal.x * co + s->normal.y * si, s->normal.z));
}

/* Of a body whose COM is `over` its soles. */
static jump_posture jump_posture_at(const po_jump *j, double over) {
  jump_posture p = {0, 0, 0};
  double d = j->leg - (j->move.actor->standing_height - over), rest, theta, phi0, phi, s0, s1, c, back;
  if (!(j->leg > 0)) return p;
  rest = jump_knee(j, j->leg);
  theta = po_max(rest, jump_knee(j, po_clamp(d, JUMP_LEG_LEAST * j->leg, j->thigh + j->shank)));
  p.knee = theta - rest;
  p.ankle = po_min(0.5 * p.knee, jump_ankle_room(j));
  phi0 = 0.5 * rest;
  phi = phi0 + p.ankle;
  po_sincos(&s0, &c, phi);
  po_sincos(&s1, &c, theta - phi);
  back = po_max(0, j->thigh * s1 - j->shank * s0);
  s1 = po_min(JUMP_LEAN * back / j->move.actor->standing_height, JUMP_LEAN_MOST);
  p.lean = po_min(po_atan2(s1, sqrt(1 - s1 * s1)), JUMP_LEAN_MOST);
  return p;
}

static void jump_leg_pose(po_jump *j, int f, const jump_posture *p) {
  const po_model *m = j->move.actor->data->model;
  const po_joint *hip = j->move.actor->legs.thigh[f] >= 0 ? &m->joint[j->move.actor->legs.thigh[f]] : NULL, *ankle = &m->joint[j->move.actor->patches.patch[f].body];
  if (!hip || j->move.actor->legs.knee_dof[f] < 0) return;
  j->move.actor->pose[m->joint[m->dof_body[j->move.actor->legs.knee_dof[f]]].q] += p->knee;
  if (hip->type == PO_JOINT_SPHERICAL) po_q_to(j->move.actor->pose + hip->q, po_q_axis_angle(po_v3(0, 1, 0), p->ankle - p->knee - p->lean));
  if (ankle->type == PO_JOINT_UNIVERSAL || ankle->type == PO_JOINT_REVOLUTE)
    j->move.actor->pose[ankle->q] += j->phase == PO_JUMP_ASCENT ? JUMP_TOES_DOWN : -p->ankle;
}

/* ---- arms ---- */

static double jump_arms(const po_jump *j) {
  const po_jump_params *p = &j->params;
  double ahead = p->angle != 0 ? 0 : JUMP_ARMS_AHEAD, share; /* who twists keeps them close */
  switch (j->phase) {
  case PO_JUMP_COMPRESS: return p->arms * JUMP_ARMS_BACK * po_min(1, j->phase_time / (0.5 * p->compress_time));
  case PO_JUMP_THRUST: return p->arms * ahead;
  case PO_JUMP_ASCENT:
  case PO_JUMP_DESCENT:
    share = po_clamp(JUMP_ARMS_RATE * j->flown / j->flight_seconds - JUMP_ARMS_LATE, 0, 1);
    return p->arms * ((1 - share) * ahead + share * JUMP_ARMS_LANDING);
  case PO_JUMP_IMPACT: return p->arms * JUMP_ARMS_LANDING;
  default: return 0;
  }
}

/* Elbows bend with the swing, and keep hands off the ground in a deep landing. */
static void jump_arm_pose(po_jump *j, int f) {
  const po_model *m = j->move.actor->data->model;
  int arm = j->move.actor->legs.upper_arm[f], elbow = arm + 1;
  double swing = jump_arms(j);
  if (m->joint[arm].type != PO_JOINT_SPHERICAL) return;
  po_q_to(j->move.actor->pose + m->joint[arm].q, po_q_axis_angle(po_v3(0, 1, 0), swing));
  if (elbow < m->subtree_end[arm] && m->joint[elbow].nv == 1) j->move.actor->pose[m->joint[elbow].q] += JUMP_ELBOW * po_abs(swing);
}

static void jump_limb(double *x, const po_model *m, int body, double value) {
  int i;
  for (i = 0; body >= 0 && i < m->nv; i++)
    if (m->dof_body[i] >= body && m->dof_body[i] < m->subtree_end[body]) x[i] = value;
}

void po_jump_rest_pose(po_jump *j) {
  const po_model *m = j->move.actor->data->model;
  po_objective *upright = j->o.upright;
  jump_posture p = jump_posture_at(j, po_jump_flying(j) ? j->flight_height : po_jump_over(j));
  int i, f;
  if (j->phase == PO_JUMP_THRUST || j->phase == PO_JUMP_ASCENT) p.lean = 0; /* hips extend with the knees */
  if (j->phase == PO_JUMP_DESCENT) p.lean = jump_posture_at(j, JUMP_LANDING * j->move.actor->standing_height).lean; /* as the landing will need it */
  if (j->phase > PO_JUMP_STAND && j->phase < PO_JUMP_DONE) upright->kp *= JUMP_STIFFER;
  po_neutral(j->move.actor->pose, m);
  for (i = 0; i < m->nv; i++) j->joint_kp[i] = (po_jump_flying(j) ? JUMP_STIFFER : 1) * j->params.stand.kp_pose;
  upright->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), po_actor_heading(j->move.actor)),
                                      po_q_mul(po_q_axis_angle(po_v3(0, 1, 0), p.lean), j->move.actor->rest_orientation));
  for (f = 0; f < 2; f++) {
    jump_leg_pose(j, f, &p);
    jump_limb(j->move.actor->joint_weight, m, j->move.actor->legs.thigh[f], po_jump_flying(j) ? JUMP_LEG_WEIGHT : 1);
    if (j->phase == PO_JUMP_ASCENT) jump_limb(j->move.actor->joint_weight, m, j->move.actor->patches.patch[f].body, 1); /* toes must not drag */
    if (po_jump_flying(j) && j->move.actor->legs.knee_dof[f] >= 0) {
      j->move.actor->joint_weight[j->move.actor->legs.knee_dof[f]] = 1;
      j->joint_kp[j->move.actor->legs.knee_dof[f]] = j->params.kp_ankle;
    }
    if (j->move.actor->legs.upper_arm[f] < 0) continue;
    jump_limb(j->joint_kp, m, j->move.actor->legs.upper_arm[f], j->params.kp_arms);
    jump_arm_pose(j, f);
  }
}
