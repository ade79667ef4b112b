/* motion_helpers.h: motions made up for the tests of motion/motion*.c, and a body's motion as a captured one. */
#ifndef MOTION_HELPERS_H
#define MOTION_HELPERS_H

#include "motion/motion.h"
#include "rbd_helpers.h"

static inline const po_model *motion_body(const char *name) {
  const po_model *m = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&m, name, &err), name);
  return m;
}

/* Every joint swings gently about its zero pose at its own frequency while the root walks off; v by central differences. */
static inline po_motion *motion_swinging(const po_model *model, double hz, int frames) {
  po_motion *m = NULL;
  double q[RBD_MAX_NV + 64], v[RBD_MAX_NV];
  int k, i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, hz, frames));
  for (k = 0; k < frames; k++) {
    double t = k / hz;
    po_neutral(q, model);
    for (i = 0; i < model->nv; i++) v[i] = 0.25 * po_sin((1.5 + 0.1 * i) * t + i);
    if (model->floating) v[3] += 1.2 * t;
    po_integrate(q, model, q, v, 1);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, (uint32_t)(k / 20 % 2 ? 0x0f : 0xff)));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_smooth(m, 0));
  return m;
}

static inline void motion_same_bits(const po_motion *a, const po_motion *b) {
  TEST_ASSERT_EQUAL_INT(a->frames, b->frames);
  TEST_ASSERT_EQUAL_INT(a->cyclic, b->cyclic);
  TEST_ASSERT_EQUAL_INT(0, memcmp(&a->hz, &b->hz, sizeof a->hz));
  TEST_ASSERT_EQUAL_INT(0, memcmp(a->q, b->q, sizeof(double) * (size_t)(a->frames * a->model->nq)));
  TEST_ASSERT_EQUAL_INT(0, memcmp(a->v, b->v, sizeof(double) * (size_t)(a->frames * a->model->nv)));
  TEST_ASSERT_EQUAL_INT(0, memcmp(a->planted, b->planted, sizeof(uint32_t) * (size_t)a->frames));
}

/* A body's motion as a program for capture would write it: y up, z forward, `units` per metre, joints called as BVH files call them, rest pose = the
 * zero pose, rotations as Z, Y, X angles. */
static inline void motion_to_bvh(po_buffer *out, const po_motion *m, double units) {
  static const char *const names[][2] = {
      {"pelvis", "Hips"},         {"abdomen", "Spine"},        {"thorax", "Chest"},          {"head", "Head"},
      {"upper_arm_l", "LeftArm"}, {"upper_arm_r", "RightArm"}, {"forearm_l", "LeftForeArm"}, {"forearm_r", "RightForeArm"},
      {"thigh_l", "LeftUpLeg"},   {"thigh_r", "RightUpLeg"},   {"shank_l", "LeftLeg"},       {"shank_r", "RightLeg"},
      {"foot_l", "LeftFoot"},     {"foot_r", "RightFoot"}};
  static const char *const tips[][2] = {{"forearm_l", "hand_l"}, {"forearm_r", "hand_r"}, {"foot_l", "toe_l"}, {"foot_r", "toe_r"}};
  const po_model *model = m->model;
  po_mat3 axes = po_m3(0, 1, 0, 0, 0, 1, 1, 0, 0), zero[32]; /* ours to the file's: (x, y, z) is its (z, x, y) */
  po_vec3 at[32];
  double q[64];
  po_data *d;
  int i, k, n, depth[32], open = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  po_neutral(q, model);
  po_kinematics(d, q, NULL);
  po_buffer_puts(out, "HIERARCHY\n");
  for (i = 0; i < model->nb; i++) {
    po_vec3 offset = i ? po_v3_sub(d->pose[i].p, d->pose[model->joint[i].parent].p) : po_v3(0, 0, 0);
    zero[i] = d->pose[i].R;
    at[i] = d->pose[i].p;
    depth[i] = i ? depth[model->joint[i].parent] + 1 : 0;
    for (; open > depth[i]; open--) po_buffer_puts(out, "}\n");
    for (n = 0; n < 14 && strcmp(names[n][0], model->body_name[i]); n++) {}
    TEST_ASSERT_MESSAGE(n < 14, model->body_name[i]);
    offset = po_v3_scale(units, po_m3_mul_v(axes, offset));
    po_buffer_printf(out, "%s %s\n{\nOFFSET %g %g %g\nCHANNELS %s Zrotation Yrotation Xrotation\n", i ? "JOINT" : "ROOT",
                     names[n][1], offset.x, offset.y, offset.z, i ? "3" : "6 Xposition Yposition Zposition");
    for (k = 0; k < 4; k++)
      if (!strcmp(tips[k][0], model->body_name[i])) {
        po_vec3 tip = po_v3_scale(units, po_m3_mul_v(axes, po_v3_sub(po_frame_pose(d, po_find_frame(model, tips[k][1])).p, at[i])));
        po_buffer_printf(out, "End Site\n{\nOFFSET %g %g %g\n}\n", tip.x, tip.y, tip.z);
      }
    open = depth[i] + 1;
  }
  while (open-- > 0) po_buffer_puts(out, "}\n");
  po_buffer_printf(out, "MOTION\nFrames: %d\nFrame Time: %g\n", m->frames, 1 / m->hz);
  for (k = 0; k < m->frames; k++) {
    po_kinematics(d, po_motion_q(m, k), NULL);
    for (i = 0; i < model->nb; i++) {
      po_mat3 turn = po_m3_mult(d->pose[i].R, zero[i]), R = turn;
      if (i) R = po_m3_tmul(po_m3_mult(d->pose[model->joint[i].parent].R, zero[model->joint[i].parent]), turn);
      R = po_m3_mult(po_m3_mul(axes, R), axes);
      if (i == 0) {
        po_vec3 p = po_v3_scale(units, po_m3_mul_v(axes, d->pose[0].p));
        po_buffer_printf(out, "%g %g %g ", p.x, p.y, p.z);
      }
      po_buffer_printf(out, "%g %g %g%s", PO_DEG(po_atan2(R.m[3], R.m[0])), PO_DEG(-po_asin(po_clamp(R.m[6], -1, 1))),
                       PO_DEG(po_atan2(R.m[7], R.m[8])), i + 1 < model->nb ? " " : "\n");
    }
  }
  po_data_free(d);
}

#endif
