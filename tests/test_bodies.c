/* The built-in bodies: sizes, names, limits around the zero pose, and that each stands over its soles. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const po_model *body_of(const char *name) {
  const po_model *model = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&model, name, &err), err.message);
  return model;
}

static void test_human_has_35_freedoms_and_78_kg(void) {
  const po_model *model = body_of("human");
  po_data *data;
  static double q[64];
  TEST_ASSERT_EQUAL_INT(35, model->nv);
  TEST_ASSERT_EQUAL_INT(14, model->nb);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 78, model->total_mass);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  TEST_ASSERT_LESS_OR_EQUAL_INT(256 * 1024, (int)po_data_bytes(model));
  po_neutral(model, q);
  po_kinematics(data, q, NULL);
  po_com(data);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.01, data->com.z); /* 0.57 of 1.77 m */
  po_data_free(data);
  po_model_free(model);
}

static void test_human_has_the_names_controllers_look_for(void) {
  static const char *const links[] = {"pelvis",  "abdomen", "thorax",      "head",      "upper_arm_l", "forearm_l", "thigh_l",
                                      "shank_l", "foot_l",  "upper_arm_r", "forearm_r", "thigh_r",     "shank_r",   "foot_r"};
  static const char *const frames[] = {"heel_l", "toe_l", "sole_l_0", "sole_l_1", "sole_l_2", "sole_l_3", "hand_l", "neck_base",
                                       "heel_r", "toe_r", "sole_r_0", "sole_r_1", "sole_r_2", "sole_r_3", "hand_r", "pelvis"};
  const po_model *model = body_of("human");
  size_t i;
  for (i = 0; i < sizeof links / sizeof *links; i++) TEST_ASSERT_TRUE_MESSAGE(po_find_body(model, links[i]) >= 0, links[i]);
  for (i = 0; i < sizeof frames / sizeof *frames; i++) TEST_ASSERT_TRUE_MESSAGE(po_find_frame(model, frames[i]) >= 0, frames[i]);
  TEST_ASSERT_EQUAL_STRING("pelvis", model->body_name[0]);
  po_model_free(model);
}

static po_vec3 place_of(const po_data *data, const char *frame) {
  int f = po_find_frame(data->model, frame);
  TEST_ASSERT_TRUE_MESSAGE(f >= 0, frame);
  return po_frame_pose(data, f).p;
}

/* All bodies: soles flat on z = 0 and in order, COM at least 15 % inside their outline, every limit around zero, mirrored masses. */
static void stands(const char *name) {
  const po_model *model = body_of(name);
  po_data *data;
  static double q[128];
  double back, front, left, right;
  int i, k, side;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  po_neutral(model, q);
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
  for (i = 1; i < model->nb; i++)
    for (k = 0; k < model->joint[i].nv; k++) {
      const po_joint *j = &model->joint[i];
      TEST_ASSERT_TRUE_MESSAGE(j->lower[k] < -0.05 && j->upper[k] > 0.05, j->name);
      TEST_ASSERT_TRUE_MESSAGE(j->effort[k] > 0 && po_isfinite(j->effort[k]), j->name);
    }
  po_data_free(data);
  po_model_free(model);
}

static void test_every_body_stands_over_its_soles(void) {
  int i;
  for (i = 0; po_body_names[i]; i++) stands(po_body_names[i]);
}

/* Weight can be borne: the static torques of the zero pose, with half the weight on each foot, stay well within the limits. */
static void test_every_body_is_strong_enough_to_stand(void) {
  static double q[128], g[128];
  int i, b, k;
  for (b = 0; po_body_names[b]; b++) {
    const po_model *model = body_of(po_body_names[b]);
    po_data *data;
    po_vec3 half;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
    po_neutral(model, q);
    po_gravity(g, data, q);
    po_kinematics(data, q, NULL);
    po_com(data);
    half = po_v3(0, 0, 0.5 * 9.81 * model->total_mass);
    for (i = 0; i < model->nv; i++) g[i] = -g[i];
    for (k = 0; k < 2; k++) {
      int foot = po_find_body(model, k ? "foot_r" : "foot_l");
      po_vec3 at = po_v3(data->com.x, data->pose[foot].p.y, 0);
      po_apply_force(g, data, foot, at, half);
    }
    for (i = 6; i < model->nv; i++) {
      const po_joint *j = &model->joint[model->dof_body[i]];
      TEST_ASSERT_TRUE_MESSAGE(po_abs(g[i]) < 0.5 * j->effort[i - j->v], j->name);
    }
    po_data_free(data);
    po_model_free(model);
  }
}

static void test_particular_figures(void) {
  const po_model *human = body_of("human"), *giant = body_of("giant"), *child = body_of("child"), *lopsided = body_of("lopsided");
  po_data *data;
  static double q[64];
  int i, k;
  for (i = 0; i < human->nb; i++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 8 * human->inertia[i].mass, giant->inertia[i].mass);
    for (k = 0; k < 9; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 32 * human->inertia[i].I.m[k], giant->inertia[i].I.m[k]);
    for (k = 0; k < human->joint[i].nv && k < 3; k++)
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, 16 * human->joint[i].effort[k], giant->joint[i].effort[k]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2 * human->rest_height, giant->rest_height);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, lopsided));
  po_neutral(lopsided, q);
  po_kinematics(data, q, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.1, place_of(data, "shank_l").z - place_of(data, "shank_r").z);
  po_data_free(data);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, child));
  po_neutral(child, q);
  po_kinematics(data, q, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 1.0 - 1.6 * 0.182, place_of(data, "neck_base").z);
  po_data_free(data);
  po_model_free(human);
  po_model_free(giant);
  po_model_free(child);
  po_model_free(lopsided);
}

static void test_unknown_names_are_told_the_known_ones(void) {
  const po_model *model = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_body_model(&model, "humam", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "dinosaur"));
  TEST_ASSERT_NULL(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_human_has_35_freedoms_and_78_kg);
  RUN_TEST(test_human_has_the_names_controllers_look_for);
  RUN_TEST(test_every_body_stands_over_its_soles);
  RUN_TEST(test_every_body_is_strong_enough_to_stand);
  RUN_TEST(test_particular_figures);
  RUN_TEST(test_unknown_names_are_told_the_known_ones);
  return UNITY_END() != 0;
}
