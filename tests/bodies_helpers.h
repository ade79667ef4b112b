/* What every body must do: stand over its soles at zero, with limits around that pose, and be strong enough for it. */
#ifndef BODIES_HELPERS_H
#define BODIES_HELPERS_H

#include "rbd_helpers.h"

static inline po_vec3 place_of(const po_data *data, const char *frame) {
  int f = po_find_frame(data->model, frame);
  TEST_ASSERT_TRUE_MESSAGE(f >= 0, frame);
  return po_frame_pose(data, f).p;
}

/* Soles flat on z = 0 and in order, COM at least 15 % inside their outline, every limit around zero. */
static inline void stands(const po_model *model, const char *name) {
  po_data *data;
  static double q[128];
  double back, front, left, right;
  int i, k, side;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  po_neutral(q, model);
  po_kinematics(data, q, NULL);
  po_com(data);
  for (side = 0; side < 2; side++) {
    po_vec3 sole[4];
    char frame[16];
    for (i = 0; i < 4; i++) {
      po_format(frame, sizeof frame, "sole_%c_%d", side ? 'r' : 'l', i);
      sole[i] = place_of(data, frame);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-12, 0, sole[i].z, name);
    }
    TEST_ASSERT_TRUE_MESSAGE(sole[0].x < sole[3].x && sole[1].x < sole[2].x && sole[0].y > sole[1].y && sole[3].y > sole[2].y,
                             name);
  }
  back = po_max(place_of(data, "sole_l_0").x, place_of(data, "sole_r_0").x);
  front = po_min(place_of(data, "sole_l_2").x, place_of(data, "sole_r_2").x);
  left = place_of(data, "sole_l_0").y;
  right = place_of(data, "sole_r_1").y;
  TEST_ASSERT_TRUE_MESSAGE(data->com.x > back + 0.15 * (front - back) && data->com.x < front - 0.15 * (front - back), name);
  TEST_ASSERT_TRUE_MESSAGE(data->com.y > right + 0.15 * (left - right) && data->com.y < left - 0.15 * (left - right), name);
  for (i = 1; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    double zero[3] = {0, 0, 0}; /* where limits are measured */
    if (j->type == PO_JOINT_SPHERICAL) po_v3_to(zero, po_q_log(po_limit_turn(j, q + j->q)));
    for (k = 0; k < j->nv; k++) {
      TEST_ASSERT_TRUE_MESSAGE(j->lower[k] < zero[k] - 0.05 && j->upper[k] > zero[k] + 0.05, j->name);
      TEST_ASSERT_TRUE_MESSAGE(j->effort[k] > 0 && po_isfinite(j->effort[k]), j->name);
    }
  }
  po_data_free(data);
}

/* The largest static torque of the zero pose with half the weight on each foot, as a share of its limit. */
static inline double standing_effort(const po_model *model) {
  static double q[128], g[128];
  po_data *data;
  double worst = 0;
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  po_neutral(q, model);
  po_gravity(g, data, q);
  po_kinematics(data, q, NULL);
  po_com(data);
  for (i = 0; i < model->nv; i++) g[i] = -g[i];
  for (k = 0; k < 2; k++) {
    int foot = po_find_body(model, k ? "foot_r" : "foot_l");
    po_apply_force(g, data, foot, po_v3(data->com.x, data->pose[foot].p.y, 0), po_v3(0, 0, 0.5 * 9.81 * model->total_mass));
  }
  for (i = model->joint[0].nv; i < model->nv; i++) {
    const po_joint *j = &model->joint[model->dof_body[i]];
    worst = po_max(worst, po_abs(g[i]) / j->effort[i - j->v]);
  }
  po_data_free(data);
  return worst;
}

#endif
