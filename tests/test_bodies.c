/* The built-in bodies: sizes, names, limits around the zero pose, and that each stands over its soles. */
#include "bodies_helpers.h"

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
  po_neutral(q, model);
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

static void test_every_body_stands_over_its_soles(void) {
  int i;
  for (i = 0; po_body_names[i]; i++) {
    const po_model *model = body_of(po_body_names[i]);
    stands(model, po_body_names[i]);
    po_model_free(model);
  }
}

/* Weight can be borne: static torques stay well within the limits. */
static void test_every_body_is_strong_enough_to_stand(void) {
  int i;
  for (i = 0; po_body_names[i]; i++) {
    const po_model *model = body_of(po_body_names[i]);
    TEST_ASSERT_TRUE_MESSAGE(standing_effort(model) < 0.5, po_body_names[i]);
    po_model_free(model);
  }
}

/* Freedoms, masses and the links that controllers look for, as published. */
static void test_published_walkers(void) {
  static const struct {
    const char *name;
    int nv;
    double mass;
    const char *link;
  } want[] = {{"biped7", 9, 90, "shank_r"},     {"bird2", 11, 64.1, "neck_1"},    {"bird", 24, 64.1, "neck_1"},
              {"biped34", 34, 70.4, "toes_l"},  {"raptor", 42, 77.84, "tail_6"},  {"biped37", 37, 70.4, "toes_r"},
              {"beast1", 37, 98.155, "toes_l"}, {"beast2", 37, 88.155, "abdomen"}};
  size_t i;
  for (i = 0; i < sizeof want / sizeof *want; i++) {
    const po_model *model = body_of(want[i].name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(want[i].nv, model->nv, want[i].name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.011, want[i].mass, model->total_mass, want[i].name);
    TEST_ASSERT_TRUE_MESSAGE(po_find_body(model, want[i].link) > 0, want[i].name);
    TEST_ASSERT_EQUAL_STRING("pelvis", model->body_name[0]);
    po_model_free(model);
  }
}

/* The raptor's metatarsus and a published angle: source's knee = rest + q, so its limits are the source's once rest is added back. */
static void test_published_angles_are_rest_plus_q(void) {
  const po_model *bird = body_of("bird"), *biped = body_of("biped34");
  const po_joint *knee = &bird->joint[po_find_joint(bird, "knee_l")], *hip = &bird->joint[po_find_joint(bird, "hip_r")],
                 *arm = &biped->joint[po_find_joint(biped, "shoulder_l")];
  double rest = po_atan2(knee->placement.R.m[2], knee->placement.R.m[0]), q[4];
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -2.5, knee->lower[0] + rest);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5, knee->upper[0] + rest);
  /* a ball at the source's zero is at zero of its limits; biped34's arm is then level, a quarter turn up from rest */
  po_q_to(q, po_q_conj(po_q_from_matrix(hip->placement.R)));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_q_log(po_limit_turn(hip, q))));
  po_q_to(q, po_q_axis_angle(po_v3(1, 0, 0), 0.5 * PO_PI));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_q_log(po_limit_turn(arm, q))));
  po_model_free(bird);
  po_model_free(biped);
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
  po_neutral(q, lopsided);
  po_kinematics(data, q, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.1, place_of(data, "shank_l").z - place_of(data, "shank_r").z);
  po_data_free(data);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, child));
  po_neutral(q, child);
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
  static const char *const merged[][2] = {
      {"foot_l", "toes_l"}, {"foot_r", "toes_r"}, {"forearm_l", "palm_l"}, {"forearm_r", "palm_r"}};
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
  po_neutral(q, model);
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

/* On its hands, straight, half the weight on each palm under the COM: no joint beyond a limit, no torque above a third of its limit, and
 * palms flat on one level with the COM over them. */
static void test_gymnast_can_stand_on_its_hands(void) {
  const po_model *m = body_of("gymnast");
  static double q[64], g[64];
  po_data *d;
  double level;
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  po_neutral(q, m);
  po_q_to(q, po_q_axis_angle(po_v3(0, 1, 0), PO_PI));
  for (k = 0; k < 2; k++) { /* arms lean by 0.04 rad, so that the COM is not over the wrists but over the palms */
    po_q_to(q + m->joint[po_find_joint(m, k ? "shoulder_r" : "shoulder_l")].q, po_q_axis_angle(po_v3(0, 1, 0), 0.04 - PO_PI));
    q[m->joint[po_find_joint(m, k ? "elbow_r" : "elbow_l")].q] = -0.15;
    q[m->joint[po_find_joint(m, k ? "wrist_r" : "wrist_l")].q] = -0.5 * PO_PI - 0.04;
  }
  po_gravity(g, d, q);
  po_kinematics(d, q, NULL);
  po_com(d);
  level = place_of(d, "palm_l_0").z;
  TEST_ASSERT_TRUE(d->com.z > level + 0.9);
  for (i = 0; i < m->nv; i++) g[i] = -g[i];
  for (k = 0; k < 8; k++) {
    char name[16];
    po_format(name, sizeof name, "palm_%c_%d", k < 4 ? 'l' : 'r', k % 4);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, level, place_of(d, name).z, name);
  }
  TEST_ASSERT_TRUE(d->com.x > place_of(d, "palm_l_0").x + 0.02 && d->com.x < place_of(d, "palm_l_3").x - 0.02);
  for (k = 0; k < 2; k++) {
    int palm = po_find_body(m, k ? "palm_r" : "palm_l");
    po_apply_force(g, d, palm, po_v3(d->com.x, d->pose[palm].p.y, level), po_v3(0, 0, 0.5 * 9.81 * m->total_mass));
  }
  for (i = 1; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    double x[3] = {0, 0, 0};
    if (j->type == PO_JOINT_SPHERICAL) po_v3_to(x, po_q_log(po_limit_turn(j, q + j->q)));
    else memcpy(x, q + j->q, sizeof(double) * (size_t)j->nq);
    for (k = 0; k < j->nv; k++) {
      TEST_ASSERT_TRUE_MESSAGE(x[k] >= j->lower[k] - 1e-12 && x[k] <= j->upper[k] + 1e-12, j->name);
      TEST_ASSERT_TRUE_MESSAGE(po_abs(g[j->v + k]) < j->effort[k] / 3, j->name);
    }
  }
  po_data_free(d);
  po_model_free(m);
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
  RUN_TEST(test_published_walkers);
  RUN_TEST(test_published_angles_are_rest_plus_q);
  RUN_TEST(test_particular_figures);
  RUN_TEST(test_gymnast_is_the_human_with_toes_and_palms);
  RUN_TEST(test_gymnast_raises_arms_far_from_the_half_turn);
  RUN_TEST(test_gymnast_palm_lies_flat_under_a_raised_arm);
  RUN_TEST(test_gymnast_can_stand_on_its_hands);
  RUN_TEST(test_unknown_names_are_told_the_known_ones);
  return UNITY_END() != 0;
}
