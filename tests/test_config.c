/* Configurations: integrate and difference undo each other, random ones respect limits, bad ones are seen. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void round_trip(const po_model *model, po_data *data, rbd_state *s, int seed) {
  static double q1[RBD_MAX_NV + 64], q2[RBD_MAX_NV + 64];
  double d[RBD_MAX_NV], zero[RBD_MAX_NV] = {0}, dt;
  int i;
  (void)data;
  for (dt = 1e-9; dt < 2; dt *= 7) { /* small and large steps meet the series and the closed forms */
    for (i = 0; i < model->nv; i++) zero[i] = s->v[i] * dt;
    if (dt > 0.4)
      for (i = 0; i < model->nv; i++) zero[i] *= 0.4; /* stay within a half turn: |r| < 0.8·√3·2 < π */
    po_integrate(q1, model, s->q, zero, 1);
    po_difference(d, model, s->q, q1); /* positions of size 1 are rounded at 1e-16, steps are of size dt */
    rbd_close(d, zero, model->nv, 1e-15 / dt + 1e-12, "difference(integrate)", seed);
    memcpy(q2, s->q, sizeof q2);
    po_integrate(q2, model, q2, zero, 1); /* in place */
    TEST_ASSERT_EQUAL_INT(0, memcmp(q1, q2, sizeof(double) * (size_t)model->nq));
  }
  po_difference(d, model, s->q, s->q);
  for (i = 0; i < model->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, d[i]);
}

static void test_integrate_and_difference_undo_each_other(void) { rbd_on_trees(round_trip); }

/* Two half steps of a constant velocity are one whole step: motion along a screw. */
static void half_steps(const po_model *model, po_data *data, rbd_state *s, int seed) {
  static double whole[RBD_MAX_NV + 64], half[RBD_MAX_NV + 64];
  (void)data;
  po_integrate(whole, model, s->q, s->v, 0.3);
  po_integrate(half, model, s->q, s->v, 0.15);
  po_integrate(half, model, half, s->v, 0.15);
  rbd_close(half, whole, model->nq, 1e-14, "two half steps", seed);
}

static void test_constant_velocity_is_a_screw(void) { rbd_on_trees(half_steps); }

static void test_random_configurations_keep_limits(void) {
  int b, seed, i, k;
  static double q[128];
  for (b = 0; po_body_names[b]; b++) {
    const po_model *model;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, po_body_names[b], NULL));
    for (seed = 0; seed < 20; seed++) {
      po_rng rng;
      po_rng_init(&rng, (uint64_t)seed, 1);
      po_random_configuration(q, &rng, model);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_check_state(model, q, NULL));
      for (i = 1; i < model->nb; i++) {
        const po_joint *j = &model->joint[i];
        double x[3];
        if (j->type == PO_JOINT_SPHERICAL) po_v3_to(x, po_q_log(po_limit_turn(j, q + j->q)));
        else memcpy(x, q + j->q, sizeof(double) * (size_t)j->nq);
        for (k = 0; k < j->nv; k++) TEST_ASSERT_TRUE_MESSAGE(x[k] >= j->lower[k] - 1e-12 && x[k] <= j->upper[k] + 1e-12, j->name);
      }
    }
    po_model_free(model);
  }
}

/* One block with soles half a metre below its origin, on a planar joint. */
static const po_model *planar_block(po_vec3 axis, po_mat3 R, double effort) {
  po_builder *b;
  const po_model *m = NULL;
  po_joint j = po_joint_default(PO_JOINT_PLANAR, "root");
  po_inertia x = po_inertia_sphere(1, 0.1);
  po_pose sole = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0.2, 0.1, -0.5}};
  j.axis = axis;
  j.placement.R = R;
  j.placement.p = po_v3(0.3, 0.2, 0.1);
  if (effort >= 0) j.effort[0] = j.effort[1] = j.effort[2] = effort;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "block"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "pelvis", NULL, &j, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_frame(b, "sole_l_0", "pelvis", sole, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&m, b, NULL));
  po_builder_free(b);
  return m;
}

static double planar_sole(const po_model *m, const double *q) {
  po_data *d;
  double z;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  po_kinematics(d, q, NULL);
  z = po_frame_pose(d, po_find_frame(m, "sole_l_0")).p.z;
  po_data_free(d);
  return z;
}

/* A planar base stands on its soles whichever way its plane lies; in a level plane it stays where it is. */
static void test_planar_bases_stand_on_their_soles(void) {
  po_mat3 tilted = po_m3_rpy(0.4, -0.3, 0.8);
  po_vec3 axes[3];
  double q[3];
  int i;
  axes[0] = po_v3(0, -1, 0), axes[1] = po_v3(1, 0, 0), axes[2] = po_v3(0.6, 0, 0.8);
  for (i = 0; i < 6; i++) {
    const po_model *m = planar_block(axes[i % 3], i < 3 ? po_m3_identity() : tilted, -1);
    TEST_ASSERT_EQUAL_INT(1, m->planar);
    po_neutral(q, m);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, planar_sole(m, q));
    TEST_ASSERT_TRUE(q[2] == 0);
    po_lift(q, m, 0.25);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25, planar_sole(m, q));
    po_model_free(m);
  }
  {
    const po_model *level = planar_block(po_v3(0, 0, 1), po_m3_identity(), -1);
    TEST_ASSERT_EQUAL_INT(0, level->planar);
    po_neutral(q, level);
    TEST_ASSERT_TRUE(q[0] == 0 && q[1] == 0 && q[2] == 0);
    po_model_free(level);
  }
}

/* Its torque would be a force out of nowhere: none unless one was given. */
static void test_a_planar_base_has_no_motor_unless_given_one(void) {
  const po_model *none = planar_block(po_v3(0, -1, 0), po_m3_identity(), -1), *given = planar_block(po_v3(0, -1, 0), po_m3_identity(), 7);
  int k;
  for (k = 0; k < 3; k++) {
    TEST_ASSERT_TRUE(none->joint[0].effort[k] == 0);
    TEST_ASSERT_TRUE(given->joint[0].effort[k] == 7);
  }
  po_model_free(none);
  po_model_free(given);
}

static void test_bad_states_are_seen(void) {
  const po_model *model;
  static double q[64], v[64];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  po_neutral(q, model);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_check_state(model, q, v));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_check_state(model, NULL, v));
  v[34] = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_check_state(model, q, v));
  q[3] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_check_state(model, q, NULL));
  q[0] = q[1] = q[2] = q[3] = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_check_state(model, q, NULL));
  q[0] = 2; /* any length but zero will do */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_check_state(model, q, NULL));
  po_normalize(q, model);
  TEST_ASSERT_EQUAL_DOUBLE(1, q[0]);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_integrate_and_difference_undo_each_other);
  RUN_TEST(test_constant_velocity_is_a_screw);
  RUN_TEST(test_random_configurations_keep_limits);
  RUN_TEST(test_planar_bases_stand_on_their_soles);
  RUN_TEST(test_a_planar_base_has_no_motor_unless_given_one);
  RUN_TEST(test_bad_states_are_seen);
  return UNITY_END() != 0;
}
