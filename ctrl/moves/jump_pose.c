/* jump_pose.c: the rest pose of a jump: legs bent as the COM's height has them, so that they do not pull against it, the trunk leaning as a
 * crouch needs it, arms that swing.
 *
 * Hip, knee and ankle lie in a plane. With the shank leaning forward by φ and the knee bent by θ the hip stands  b sin φ − a sin(θ − φ)  before
 * the ankle (a thigh, b shank). φ stays well inside the ankle's range, since a heel that is levered up in a landing topples the body; so in a
 * crouch the hip goes back, and the trunk leans forward by as much as keeps the COM over the soles.
 */
#include "jump_internal.h"

#define JUMP_ELBOW 1.2 /* how far elbows bend, of what arms swing */
/* The pose is held stiffer in flight, and the trunk all the while: a jump is over before the gains of standing act. */
#define JUMP_STIFFER 4.0
/* In flight ankles and soles say where the legs go, and hips follow with next to no rest pose of their own. Knees keep theirs, as stiff as the
 * ankles: out of a straight knee no ankle's target leads, it is a singularity. */
#define JUMP_LEG_WEIGHT 0.01
#define JUMP_ANKLE_SHARE 0.7 /* of the ankle's range that a crouch uses */
#define JUMP_ANKLE_RANGE 0.5 /* rad: of an ankle whose kind of joint tells no range */
#define JUMP_LEG_LEAST 0.5   /* of the leg: legs fold no further in the plan of a posture */
/* The hip's way times this, over the standing height, is the sine of the lean: of people, head, arms and trunk are 68 % of the mass, their centre
 * is 0.32 m above the hips, and half of the hips' way goes into the legs as well. */
#define JUMP_LEAN 3.9
#define JUMP_LEAN_MOST 0.9

void po_jump_measure(jump *j) {
  const po_legs *l = &j->turner.move.actor->legs;
  int f;
  j->thigh = j->shank = j->leg = 0;
  for (f = 0; f < 2; f++) {
    j->thigh += 0.5 * l->thigh_length[f];
    j->shank += 0.5 * l->shank_length[f];
    j->leg += 0.5 * l->reach[f];
  }
}

/* ---- legs and trunk ---- */

/* Angle between thigh and shank when hip and ankle are d apart. */
static double jump_knee(const jump *j, double d) {
  double a = j->thigh, b = j->shank, c = po_clamp((d * d - a * a - b * b) / (2 * a * b), -1, 1);
  return po_atan2(sqrt(1 - c * c), c);
}

/* How far the shank may lean: a share of the ankle's range, less what the ground's slope takes. */
static double jump_ankle_room(const jump *j) {
  const po_patch *s = &j->turner.move.actor->patches.patch[0];
  const po_joint *ankle = &j->turner.move.actor->data->model->joint[s->body];
  double si, co, range = ankle->type == PO_JOINT_UNIVERSAL || ankle->type == PO_JOINT_REVOLUTE ? -ankle->lower[0] : JUMP_ANKLE_RANGE;
  po_sincos(&si, &co, po_actor_heading(j->turner.move.actor));
  return po_max(0, JUMP_ANKLE_SHARE * range + po_atan2(s->normal.x * co + s->normal.y * si, s->normal.z));
}

jump_shape po_jump_shape(const jump *j, double over) {
  jump_shape p = {0, 0, 0, 0, 0};
  double h = j->turner.body.h, d = j->leg - (h - over), rest, theta, phi0, phi, s0, s1, c, back;
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
  s1 = po_min(JUMP_LEAN * back / h, JUMP_LEAN_MOST);
  p.lean = po_min(po_atan2(s1, sqrt(1 - s1 * s1)), JUMP_LEAN_MOST);
  return p;
}

static void jump_leg_pose(jump *j, int f, const jump_shape *p) {
  po_actor *a = j->turner.move.actor;
  const po_model *m = a->model;
  const po_joint *hip = a->legs.thigh[f] >= 0 ? &m->joint[a->legs.thigh[f]] : NULL, *ankle = &m->joint[a->patches.patch[f].body];
  if (!hip || a->legs.knee_dof[f] < 0) return;
  a->pose[m->joint[m->dof_body[a->legs.knee_dof[f]]].q] += p->knee;
  if (hip->type == PO_JOINT_SPHERICAL) po_q_to(a->pose + hip->q, po_q_axis_angle(po_v3(0, 1, 0), p->ankle - p->knee - p->lean));
  if (ankle->type == PO_JOINT_UNIVERSAL || ankle->type == PO_JOINT_REVOLUTE) a->pose[ankle->q] += p->toes > 0 ? p->toes : -p->ankle;
}

/* Elbows bend with the swing, and keep hands off the ground in a deep landing. */
static void jump_arm_pose(jump *j, int f, double swing) {
  po_actor *a = j->turner.move.actor;
  const po_model *m = a->model;
  int arm = a->legs.upper_arm[f], elbow = arm + 1;
  if (m->joint[arm].type != PO_JOINT_SPHERICAL) return;
  po_q_to(a->pose + m->joint[arm].q, po_q_axis_angle(po_v3(0, 1, 0), swing));
  if (elbow < m->subtree_end[arm] && m->joint[elbow].nv == 1) a->pose[m->joint[elbow].q] += JUMP_ELBOW * po_abs(swing);
}

void po_jump_pose(jump *j, const jump_shape *p, int flying, int stiff) {
  po_tumbler *t = &j->turner.body;
  po_actor *a = t->actor;
  int i, f;
  if (stiff) t->trunk->kp *= JUMP_STIFFER;
  t->trunk->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), po_actor_heading(a)), po_q_mul(po_q_axis_angle(po_v3(0, 1, 0), p->lean), a->rest_orientation));
  po_neutral(a->pose, a->model);
  for (i = 0; i < a->model->nv; i++) t->joint_kp[i] = (flying ? JUMP_STIFFER : 1) * j->params.stand.kp_pose;
  for (f = 0; f < 2; f++) {
    int knee = a->legs.knee_dof[f];
    jump_leg_pose(j, f, p);
    po_tumbler_limb(t, a->joint_weight, a->legs.thigh[f], flying ? JUMP_LEG_WEIGHT : 1);
    if (p->toes > 0) po_tumbler_limb(t, a->joint_weight, a->patches.patch[f].body, 1); /* toes must not drag */
    if (flying && knee >= 0) {
      a->joint_weight[knee] = 1;
      t->joint_kp[knee] = j->params.kp_ankle;
    }
    if (a->legs.upper_arm[f] < 0) continue;
    po_tumbler_limb(t, t->joint_kp, a->legs.upper_arm[f], j->params.kp_arms);
    jump_arm_pose(j, f, j->params.arms * p->arms);
  }
}
