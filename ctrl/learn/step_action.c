/* step_action.c: how a step is bent, and what of a body's state a step begins from (Coros 2010, sections 3.3.1 and 3.4). */
#include "learn_internal.h"
#include <string.h>

#define STEP_ANGLE 0.6 /* rad: further a step is not bent; ankles that push off with all they have leap */
#define STEP_LEG 0.8   /* rad, of the stance ankle or knee */
#define STEP_TIME 0.25 /* s */
#define STEP_SIDE 0.3  /* rad: swing leg outwards, */
#define STEP_TWIST 0.5 /* rad: trunk about the vertical */
#define STEP_GRIP 0.6  /* of a foot's load that friction is trusted with about the vertical */
#define STEP_SIDES 2   /* numbers of an action that are these */

#define STEP_FURTHER 0.5        /* m: limits of an action that is a foothold, */
#define STEP_NEXT 0.3           /* and how long the step after it is to be */
#define STEP_PLACE_WEIGHT 0.01  /* places are what is wanted, and cost nearly nothing; */
#define STEP_NEXT_WEIGHT 0.05   /* what follows is free, and stays near the base step */

/* Of generalized walking, which brings its foot to a place by itself:  A = (foothold beyond the base step, m;  the step after it beyond the base step, m).
 * The second is what the step is to end with: the point of rest lies the further beyond the new foot, the longer the next step is to be. */
po_step_kind po_step_kind_footholds(void) {
  po_step_kind k;
  memset(&k, 0, sizeof k);
  k.footholds = 1;
  k.actions = 2;
  k.states = PO_STEP_STATE;
  k.weight[0] = STEP_PLACE_WEIGHT;
  k.weight[1] = STEP_NEXT_WEIGHT;
  k.limit[0] = STEP_FURTHER;
  k.limit[1] = STEP_NEXT;
  return k;
}

/* In the order of an action: trunk, hip, leg, side and twist, time. Planar: the thesis' W. Otherwise 1, as it has it for 3-D. */
po_step_kind po_step_kind_of(const po_model *m, const char *style) {
  static const double planar[] = {1, 1, 1, 1, 0.05, 4};
  po_step_kind k;
  int i;
  if (!strcmp(style, PO_STEP_GBWC)) return po_step_kind_footholds();
  memset(&k, 0, sizeof k);
  k.planar = m->joint[0].type == PO_JOINT_PLANAR;
  k.knots = k.planar ? 2 : 3;
  k.legs = k.planar ? 1 : 2;
  k.actions = 2 * k.knots + k.legs + (k.planar ? 0 : STEP_SIDES) + 1;
  k.states = k.planar ? PO_STEP_PLANE : PO_STEP_STATE;
  k.knee = !strncmp(m->name, "bird", 4); /* its ankle has feedback of its own to do: the thesis bends the knee */
  for (i = 0; i < k.actions; i++) {
    k.weight[i] = k.planar ? planar[i] : 1;
    k.limit[i] = i == k.actions - 1         ? STEP_TIME
                 : i < 2 * k.knots          ? STEP_ANGLE
                 : i < 2 * k.knots + k.legs ? STEP_LEG
                 : i == k.actions - 2       ? STEP_TWIST
                                            : STEP_SIDE;
  }
  k.side = k.planar ? 0 : 0.15;
  k.grip = k.planar ? 0 : STEP_GRIP;
  return k;
}

void po_step_kind_bend(po_step_bend *bend, const po_step_kind *k, const double *a) {
  int i;
  memset(bend, 0, sizeof *bend);
  bend->knots = k->knots;
  bend->knee = k->knee;
  bend->grip = k->grip;
  for (i = 0; i < k->knots; i++) {
    bend->trunk[i] = a[i];
    bend->hip[i] = a[k->knots + i];
    bend->leg[i] = a[2 * k->knots + (i < k->legs ? i : k->legs - 1)];
  }
  if (!k->planar) {
    bend->side = a[k->actions - 1 - STEP_SIDES];
    bend->twist = a[k->actions - STEP_SIDES];
  }
  bend->seconds = a[k->actions - 1];
}

/* Angle of a body's z axis from the vertical in the plane of the heading, forward positive. */
static double step_pitch(const po_data *d, int body, po_vec3 ahead) {
  const double *R = d->pose[body].R.m;
  return po_atan2(R[2] * ahead.x + R[5] * ahead.y, R[8]);
}

void po_step_state_of(double s[PO_STEP_STATE], const po_data *d, const po_actor *a, int stance, double facing) {
  int foot = a->patches.patch[stance].body;
  double mirror = stance ? -1 : 1;
  po_vec3 ahead = po_v3(d->pose[0].R.m[0], d->pose[0].R.m[3], 0),
          away = po_v3_sub(d->com, po_point_position(d, foot, d->model->inertia[foot].com));
  po_vec3 along, aside;
  double n = po_v3_norm(ahead);
  int planar = d->model->joint[0].type == PO_JOINT_PLANAR;
  ahead = n > 0 ? po_v3_scale(1 / n, ahead) : po_v3(1, 0, 0);
  along = planar ? ahead : po_v3(po_cos(facing), po_sin(facing), 0);
  aside = po_v3(-along.y, along.x, 0);
  memset(s, 0, sizeof *s * PO_STEP_STATE);
  s[0] = po_v3_dot(along, away);
  s[1] = po_v3_dot(along, d->com_velocity);
  s[2] = step_pitch(d, 0, ahead);
  s[3] = step_pitch(d, a->legs.thigh[stance], ahead);
  s[4] = step_pitch(d, a->legs.thigh[!stance], ahead);
  if (planar) return;
  s[5] = mirror * po_v3_dot(aside, away);
  s[6] = mirror * po_v3_dot(aside, d->com_velocity);
  s[7] = mirror * po_wrap(po_atan2(ahead.y, ahead.x) - facing);
  s[8] = mirror * po_body_angular_velocity(d, 0).z;
}

static const double step_metric[PO_STEP_STATE] = {2, 1, 0.5, 0.5, 0.5, 2, 1, 1, 0.04};

double po_step_distance(const double *s, const double *t) {
  double sum = 0;
  int i;
  for (i = 0; i < PO_STEP_STATE; i++) sum += step_metric[i] * (s[i] - t[i]) * (s[i] - t[i]);
  return sqrt(sum);
}

void po_step_scaled(double *x, const double *s) {
  int i;
  for (i = 0; i < PO_STEP_STATE; i++) x[i] = sqrt(step_metric[i]) * s[i];
}
