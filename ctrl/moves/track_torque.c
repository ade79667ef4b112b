/* track_torque.c: the plan's momentum rates, and the pose, by joint torques alone.
 *
 *   priority 1   corners that stand stay where they are; those that the plan has stand come down
 *            2   momentum rates of the law's forces, fitted to the corners that stand: COM acceleration and rate of L
 *            3   the foot that swings on its path; the trunk turned as the reference's; joints as the reference's
 *
 * Joints are drawn to where the reference will be in kv/kp seconds at its speed now: kp (q_ref + kv/kp v_ref − q) − kv v = kp (q_ref − q) + kv (v_ref − v).
 */
#include "track_internal.h"
#include <math.h>
#include <string.h>

#define TORQUE_KP_CONTACT 1000.0 /* 1/s², as walking's */
#define TORQUE_KP_SWING 600.0
#define TORQUE_KP_TRUNK 100.0
#define TORQUE_KP_POSE 150.0
#define TORQUE_SWING 30.0        /* weights within the last level */
#define TORQUE_TRUNK 3.0
#define TORQUE_NEAR 0.005        /* of the COM's height: a corner that the plan has stand, and that is this near to the ground, stands */

po_status po_track_attach(po_track *t) {
  static const char *const name[PO_CORNERS] = {"swing 0", "swing 1", "swing 2", "swing 3", "swing 4", "swing 5", "swing 6", "swing 7"};
  po_actor *a = t->move.actor;
  const po_corners *k = &t->store->motion->corners;
  po_objective o;
  int c;
  po_actor_add_contacts(a, PO_BOTH_FEET, 1, TORQUE_KP_CONTACT);
  o = po_objective_setpoint("com", po_feature_com_across(), 2, 0);
  t->com = po_wbc_add(a->wbc, &o);
  o = po_objective_setpoint("height", po_feature_com_height(), 2, 0);
  t->up = po_wbc_add(a->wbc, &o);
  o = po_objective_momentum("momentum", 2, 1);
  t->momentum = po_wbc_add(a->wbc, &o);
  o = po_objective_setpoint("trunk", po_feature_orientation(t->trunk < 0 ? 0 : t->trunk), 3, TORQUE_KP_TRUNK);
  o.weight = TORQUE_TRUNK;
  t->upright = po_wbc_add(a->wbc, &o);
  o = po_objective_setpoint("pose", po_feature_pose(a->model, NULL), 3, TORQUE_KP_POSE);
  o.pose = t->lead_q;
  t->joints = po_wbc_add(a->wbc, &o);
  for (c = 0; c < k->count && c < 8; c++) {
    const po_frame *f = &a->model->frame[k->frame[c]];
    o = po_objective_setpoint(name[c], po_feature_point(f->body, f->pose.p), 3, TORQUE_KP_SWING);
    o.weight = TORQUE_SWING;
    t->swing[c] = po_wbc_add(a->wbc, &o);
  }
  return po_wbc_check(a->wbc, NULL);
}

static const po_patch *torque_patch(const po_track *t, int c, int *point) { /* corners come foot by foot, four of each, left first, as patches do */
  *point = c % 4;
  return &t->move.actor->patches.patch[c / 4];
}

void po_track_stand(po_track *t) {
  const po_corners *k = &t->store->motion->corners;
  uint32_t standing = 0;
  int c, point;
  for (c = 0; c < k->count && c < 8; c++) {
    const po_patch *p = torque_patch(t, c, &point);
    const po_frame *f = &t->data->model->frame[k->frame[c]];
    if (!(t->now.planted >> c & 1u)) continue;
    if (p->touching[point] || p->gap[point] < TORQUE_NEAR * t->store->height) {
      standing |= 1u << c;
      if (!(t->now.standing >> c & 1u)) t->now.anchor[c] = po_point_position(t->data, f->body, f->pose.p);
    } else t->now.anchor[c] = po_point_position(t->data, f->body, f->pose.p);
  }
  t->now.standing = standing;
}

/* Sum of the fitted forces and their moment about the COM become rates of P and L. */
static void torque_momenta(po_track *t) {
  po_track_contacts k;
  po_vec3 S, T, rate;
  double mass = t->data->model->total_mass;
  po_track_contacts_now(&k, t);
  po_track_wrench(&S, &T, t, &k);
  t->now.force = S;
  rate = po_v3_addscaled(t->data->gravity, 1 / mass, S);
  t->com->kp = t->com->kv = t->up->kp = t->up->kv = 0;
  t->com->ref_accel[0] = rate.x;
  t->com->ref_accel[1] = rate.y;
  t->up->ref_accel[0] = rate.z;
  t->momentum->kp = 1;
  po_v3_to(t->momentum->ref, po_v3_add(po_v3_of(t->now.x + PO_MOMENTUM_L), T));
  t->com->on = t->up->on = t->momentum->on = k.rays > 0;
}

static void torque_corners(po_track *t, const po_vec3 *place, const po_vec3 *velocity) {
  po_actor *a = t->move.actor;
  int c, point;
  a->wbc->contacts = 0;
  for (c = 0; c < t->store->motion->corners.count && c < 8; c++) {
    const po_patch *p = torque_patch(t, c, &point);
    int planted = (int)(t->now.planted >> c & 1u), standing = (int)(t->now.standing >> c & 1u);
    po_wbc_contact *k = &a->wbc->contact[a->wbc->contacts];
    po_actor_plant(a, c / 4, point, planted, TORQUE_KP_CONTACT);
    t->swing[c]->on = !planted;
    po_v3_to(t->swing[c]->ref, place[c]);
    po_v3_to(t->swing[c]->ref_rate, velocity[c]);
    if (!standing || a->wbc->contacts >= a->wbc->opts.max_contacts) continue;
    k->body = p->point_body[point];
    k->point = p->point[point];
    k->normal = p->normal;
    k->mu = po_min(a->wbc->opts.mu * p->mu, t->params.mu_plan); /* the plan counts on no more */
    k->ramp = 1;
    k->gap = p->gap[point];
    a->wbc->contacts++;
  }
}

po_status po_track_torques(po_track *t, double *tau, const po_sense *sense) {
  po_vec3 place[PO_CORNERS], velocity[PO_CORNERS];
  const po_model *m = t->data->model;
  po_track_pose_result none;
  po_track_contacts k;
  po_status s;
  int i;
  po_track_reference(t, place, velocity, sense->dt);
  torque_momenta(t);
  torque_corners(t, place, velocity);
  po_integrate(t->lead_q, m, t->ref_q, t->ref_v, 2 / sqrt(TORQUE_KP_POSE));
  if (t->trunk >= 0) {
    t->upright->ref_orientation = po_q_from_matrix(t->ref_data->pose[t->trunk].R);
    po_v3_to(t->upright->ref_rate, po_v3_scale(t->now.rate, po_body_angular_velocity(t->ref_data, t->trunk)));
  } else t->upright->on = 0;
  if ((s = po_actor_solve(t->move.actor, tau, sense)) != PO_OK) return s;
  memset(&none, 0, sizeof none);
  po_difference(t->v, m, sense->q, t->ref_q);
  for (i = m->joint[0].nv; i < m->nv; i++) none.joint_miss = po_max(none.joint_miss, po_abs(t->v[i]));
  for (i = m->joint[0].nv; i < m->nv; i++) {
    double most = m->joint[m->dof_body[i]].effort[i - m->joint[m->dof_body[i]].v];
    if (most > 0) t->now.figures.torque_share = po_max(t->now.figures.torque_share, po_min(po_abs(tau[i]) / most, 1)); /* more is clipped */
  }
  po_track_contacts_now(&k, t);
  po_track_measure_tick(t, &none, k.ray, k.rays, sense->dt);
  memcpy(t->q, sense->q, sizeof(double) * (size_t)m->nq);
  memcpy(t->v, sense->v, sizeof(double) * (size_t)m->nv);
  return PO_OK;
}
