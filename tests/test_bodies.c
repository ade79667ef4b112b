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

/* The gymnast is the human in size and mass, at most half as strong again. */
static void test_gymnast_is_the_human_with_toes_and_palms(void) {
  const po_model *human = body_of("human"), *gymnast = body_of("gymnast");
  static const char *const merged[][2] = {{"foot_l", "toes_l"}, {"foot_r", "toes_r"}, {"forearm_l", "palm_l"}, {"forearm_r", "palm_r"}};
  int i, k, b;
  TEST_ASSERT_EQUAL_INT(41, gymnast->nv);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 78, gymnast->total_mass);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, human->rest_height, gymnast->rest_height);
  for (i = 0; i < human->nb; i++) {
    const po_joint *h = &human->joint[i], *g;
    double mass;
    b = po_find_body(gymnast, human->body_name[i]);
    TEST_ASSERT_TRUE_MESSAGE(b >= 0, human->body_name[i]);
    g = &gymnast->joint[b];
    mass = gymnast->inertia[b].mass;
    for (k = 0; k < 4; k++)
      if (strcmp(merged[k][0], human->body_name[i]) == 0) mass += gymnast->inertia[po_find_body(gymnast, merged[k][1])].mass;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, human->inertia[i].mass, mass);
    rbd_close(&g->placement.p.x, &h->placement.p.x, 3, 1e-12, g->name, 0);
    for (k = 0; k < h->nv && k < 3; k++) TEST_ASSERT_TRUE_MESSAGE(g->effort[k] <= 1.5 * h->effort[k] + 1e-9, g->name);
  }
  po_model_free(human);
  po_model_free(gymnast);
}

/* Arms overhead, forwards or by way of the side, elbows back or inwards: within the limits and at least 1 rad from where log jumps. So is
 * every corner of the box, by what is left of a half turn. */
static void test_gymnast_raises_arms_far_from_the_half_turn(void) {
  static const double plane[] = {0, 0.3, 0.6, 0.9}; /* from straight ahead to the side */
  const po_model *model = body_of("gymnast");
  size_t p;
  int side, k, step;
  for (side = 0; side < 2; side++) {
    const po_joint *j = &model->joint[po_find_joint(model, side ? "shoulder_r" : "shoulder_l")];
    double corner = 0, s = side ? -1 : 1;
    for (k = 0; k < 3; k++) {
      double far = po_max(-j->lower[k], j->upper[k]);
      corner += far * far;
    }
    TEST_ASSERT_TRUE(sqrt(corner) < PO_PI - 0.05);
    for (p = 0; p < sizeof plane / sizeof *plane; p++)
      for (step = 0; step <= 16; step++) {
        double q[4], r[3];
        po_q_to(q, po_q_axis_angle(po_v3(s * po_sin(plane[p]), -po_cos(plane[p]), 0), PO_PI * step / 16));
        po_v3_to(r, po_q_log(po_limit_turn(j, q)));
        TEST_ASSERT_TRUE(po_v3_norm(po_v3_of(r)) < PO_PI - 1);
        for (k = 0; k < 3; k++) TEST_ASSERT_TRUE(r[k] > j->lower[k] && r[k] < j->upper[k]);
      }
  }
  po_model_free(model);
}

/* The handstand's hand: wrist bent back by a right angle, arm overhead: all four corners at one height, in order, above the wrist. */
static void test_gymnast_palm_lies_flat_under_a_raised_arm(void) {
  const po_model *model = body_of("gymnast");
  static double q[64];
  po_data *data;
  po_vec3 corner[4];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  po_neutral(model, q);
  po_q_to(q + model->joint[po_find_joint(model, "shoulder_l")].q, po_q_axis_angle(po_v3(0, 1, 0), -PO_PI));
  q[model->joint[po_find_joint(model, "elbow_l")].q] = -0.15;
  q[model->joint[po_find_joint(model, "wrist_l")].q] = -0.5 * PO_PI;
  po_kinematics(data, q, NULL);
  for (i = 0; i < 4; i++) {
    static const char *const name[4] = {"palm_l_0", "palm_l_1", "palm_l_2", "palm_l_3"};
    corner[i] = place_of(data, name[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, corner[0].z, corner[i].z);
  }
  TEST_ASSERT_TRUE(corner[0].z > place_of(data, "palm_l").z + 0.02);
  /* seen from the hand's back with the fingers (which point behind the head) ahead, 0 and 3 are left */
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.108 * 1.77, corner[0].x - corner[3].x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.085, corner[0].y - corner[1].y);
  po_data_free(data);
  po_model_free(model);
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
  RUN_TEST(test_gymnast_is_the_human_with_toes_and_palms);
  RUN_TEST(test_gymnast_raises_arms_far_from_the_half_turn);
  RUN_TEST(test_gymnast_palm_lies_flat_under_a_raised_arm);
  RUN_TEST(test_unknown_names_are_told_the_known_ones);
  return UNITY_END() != 0;
}
