/* Limbs of another size: the similarity laws, the same topology, and refusal of nonsense. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const po_model *scaled_of(const po_model *model, const char *link, double s) {
  const po_model *out = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_model_scale_limb(&out, model, link, s, &err), err.message);
  TEST_ASSERT_EQUAL_INT(model->nv, out->nv);
  TEST_ASSERT_EQUAL_INT(model->frames, out->frames);
  TEST_ASSERT_EQUAL_INT(model->shapes, out->shapes);
  return out;
}

static void test_one_limb(void) {
  const po_model *human, *out;
  int i, k;
  double s = 1.3;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  out = scaled_of(human, "upper_arm_l", s);
  for (i = 0; i < human->nb; i++) {
    int in = i == po_find_body(human, "upper_arm_l") || i == po_find_body(human, "forearm_l");
    double f = in ? s : 1;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, f * f * f * human->inertia[i].mass, out->inertia[i].mass);
    for (k = 0; k < 9; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, f * f * f * f * f * human->inertia[i].I.m[k], out->inertia[i].I.m[k]);
    for (k = 0; k < human->joint[i].nv && k < 3; k++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, f * f * f * f * human->joint[i].effort[k], out->joint[i].effort[k]);
  }
  i = po_find_body(human, "upper_arm_l");
  rbd_close_v3(out->joint[i].placement.p, human->joint[i].placement.p, 1, 1e-15, "the shoulder stays", 0);
  i = po_find_body(human, "forearm_l");
  rbd_close_v3(out->joint[i].placement.p, po_v3_scale(s, human->joint[i].placement.p), 1, 1e-15, "the elbow moves", 0);
  for (i = 0; i < human->frames; i++) {
    TEST_ASSERT_EQUAL_STRING(human->frame[i].name, out->frame[i].name);
    if (strcmp(human->frame[i].name, "hand_l") == 0)
      rbd_close_v3(out->frame[i].pose.p, po_v3_scale(s, human->frame[i].pose.p), 1, 1e-15, "the hand", 0);
  }
  po_model_free(out);
  po_model_free(human);
}

/* All limbs by s on top of a trunk: legs get longer, so the pelvis stands higher; a whole body by 2 is the giant. */
static void test_all_limbs_and_the_whole_body(void) {
  const po_model *human, *giant, *out;
  po_data *data;
  static double q[64];
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&giant, "giant", NULL));
  out = scaled_of(human, NULL, 1.2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.2 * human->rest_height, out->rest_height);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_set_model(data, out)); /* a change while running */
  po_neutral(q, out);
  po_kinematics(data, q, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_frame_pose(data, po_find_frame(out, "heel_l")).p.z);
  po_data_free(data);
  po_model_free(out);
  out = scaled_of(human, "pelvis", 2);
  for (i = 0; i < human->nb; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, giant->inertia[i].mass, out->inertia[i].mass);
    rbd_close(out->inertia[i].I.m, giant->inertia[i].I.m, 9, 1e-12, "giant", i);
    rbd_close_v3(out->joint[i].placement.p, giant->joint[i].placement.p, 1, 1e-12, "giant", i);
    for (k = 0; k < out->joint[i].nv && i > 0; k++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, giant->joint[i].effort[k], out->joint[i].effort[k]);
  }
  po_model_free(out);
  po_model_free(giant);
  po_model_free(human);
}

/* Scale 1 changes nothing, on any tree, fixed base or not. */
static void unchanged(const po_model *model, po_data *data, rbd_state *s, int seed) {
  const po_model *out = scaled_of(model, model->body_name[model->nb - 1], 1);
  double want[RBD_MAX_NV], got[RBD_MAX_NV];
  po_rnea(want, data, s->q, s->v, s->a, NULL);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_set_model(data, out));
  po_rnea(got, data, s->q, s->v, s->a, NULL);
  rbd_close(got, want, model->nv, 1e-12, "scale 1", seed);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_set_model(data, model));
  po_model_free(out);
}

static void test_scale_one_changes_nothing(void) { rbd_on_trees(unchanged); }

static void test_nonsense_is_refused(void) {
  const po_model *human, *out = NULL, *other;
  po_data *data;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_model_scale_limb(&out, human, NULL, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_model_scale_limb(&out, human, NULL, PO_NAN, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_model_scale_limb(&out, human, "tail", 2, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "tail"));
  TEST_ASSERT_NULL(out);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&other, "ostrich", NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_data_set_model(data, other));
  po_data_free(data);
  po_model_free(other);
  po_model_free(human);
}

/* Strength: torque limits and nothing else. */
static void test_strength(void) {
  const po_model *human, *out = NULL;
  po_error err;
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_model_scale_strength(&out, human, 1.5, &err), err.message);
  for (i = 0; i < human->nb; i++) {
    TEST_ASSERT_EQUAL_DOUBLE(human->inertia[i].mass, out->inertia[i].mass);
    rbd_close_v3(out->joint[i].placement.p, human->joint[i].placement.p, 1, 1e-15, "joints stay", 0);
    for (k = 0; k < human->joint[i].nv && k < 3; k++) {
      TEST_ASSERT_EQUAL_DOUBLE(1.5 * human->joint[i].effort[k], out->joint[i].effort[k]);
      TEST_ASSERT_EQUAL_DOUBLE(human->joint[i].lower[k], out->joint[i].lower[k]);
    }
  }
  po_model_free(out);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_model_scale_strength(&out, human, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_model_scale_strength(&out, human, PO_NAN, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_model_scale_strength(&out, NULL, 1, &err));
  po_model_free(human);
}

/* A leg's torque limits: as its own weights times levers, s⁴, or, where what it carries did not shrink with it, as the whole weight times s. */
static void test_short_legs_carry_the_trunk(void) {
  static const double sizes[] = {0.7, 0.9, 1.1, 1.5};
  const po_model *human;
  size_t n;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  for (n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
    double s = sizes[n], s4 = s * s * s * s, carries, least = 1e9;
    const po_model *out = scaled_of(human, NULL, s);
    int knee = po_find_body(human, "shank_l"), elbow = po_find_body(human, "forearm_l");
    carries = po_max(s4, s * out->total_mass / human->total_mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * carries, carries, out->joint[knee].effort[0] / human->joint[knee].effort[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * s4, s4, out->joint[elbow].effort[0] / human->joint[elbow].effort[0]);
    least = po_min(least, carries / s4);
    TEST_ASSERT_TRUE(s < 1 ? carries > 1.05 * s4 : least >= 1); /* the two laws are told apart */
    po_model_free(out);
  }
  po_model_free(human);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_one_limb);
  RUN_TEST(test_all_limbs_and_the_whole_body);
  RUN_TEST(test_short_legs_carry_the_trunk);
  RUN_TEST(test_scale_one_changes_nothing);
  RUN_TEST(test_nonsense_is_refused);
  RUN_TEST(test_strength);
  return UNITY_END() != 0;
}
