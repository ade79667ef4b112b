/* Motions as rows of frames: adding, cutting, moving, corners, what is refused. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_corners_are_the_soles_of_the_model(void) {
  const po_model *m = motion_body("human");
  po_corners c = po_corners_of(m);
  int i;
  TEST_ASSERT_EQUAL_INT(8, c.count);
  TEST_ASSERT_EQUAL_INT(2, c.feet);
  TEST_ASSERT_EQUAL_STRING("l", c.name[0]);
  TEST_ASSERT_EQUAL_STRING("r", c.name[1]);
  TEST_ASSERT_EQUAL_HEX32(0x0f, c.of_foot[0]);
  TEST_ASSERT_EQUAL_HEX32(0xf0, c.of_foot[1]);
  for (i = 0; i < 8; i++) {
    char name[16];
    po_format(name, sizeof name, "sole_%c_%d", i < 4 ? 'l' : 'r', i % 4);
    TEST_ASSERT_EQUAL_STRING(name, m->frame[c.frame[i]].name);
  }
  po_model_free(m);
}

static void test_bad_frames_are_refused(void) {
  const po_model *model = motion_body("child");
  po_motion *m = NULL;
  double q[64], v[64] = {0};
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_new(&m, model, 0, 5));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_new(&m, model, PO_NAN, 5));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_motion_new(&m, model, 60, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_motion_new(NULL, model, 60, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 60, 1));
  po_neutral(q, model);
  v[3] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_motion_add(m, q, v, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_add(m, q, NULL, 0x100)); /* a ninth corner */
  q[0] = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_add(m, q, NULL, 0)); /* a quaternion of length zero */
  q[0] = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, 0xff));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_motion_add(m, q, NULL, 0xff));
  TEST_ASSERT_EQUAL_INT(1, m->frames);
  po_motion_free(m);
  po_model_free(model);
}

static void test_cut_keeps_the_frames(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 120, 60), *cut = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_cut(&cut, m, 10, 60));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_motion_cut(&cut, m, 11, 10));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_cut(&cut, m, 10, 29));
  TEST_ASSERT_EQUAL_INT(20, cut->frames);
  TEST_ASSERT_EQUAL_INT(0, memcmp(po_motion_q(m, 10), cut->q, sizeof(double) * (size_t)(20 * model->nq)));
  TEST_ASSERT_EQUAL_INT(0, memcmp(po_motion_v(m, 10), cut->v, sizeof(double) * (size_t)(20 * model->nv)));
  TEST_ASSERT_EQUAL_HEX32(m->planted[25], cut->planted[15]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 19 / 120.0, po_motion_seconds(cut));
  po_motion_free(cut);
  po_motion_free(m);
  po_model_free(model);
}

/* Moving a motion moves the COM and turns its velocity with it. */
static void test_move_turns_the_whole(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 120, 40);
  po_planar_move move = {0.7, {2, -1, 0.25}};
  po_quat turn = po_q_axis_angle(po_v3(0, 0, 1), 0.7);
  po_data *d;
  po_vec3 com, velocity;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  po_kinematics(d, po_motion_q(m, 17), po_motion_v(m, 17));
  po_com(d);
  com = po_v3_add(po_q_rotate(turn, d->com), move.shift);
  velocity = po_q_rotate(turn, d->com_velocity);
  po_motion_move(m, move);
  po_kinematics(d, po_motion_q(m, 17), po_motion_v(m, 17));
  po_com(d);
  rbd_close_v3(d->com, com, 1, 1e-14, "com", 0);
  rbd_close_v3(d->com_velocity, velocity, 1, 1e-14, "velocity of the com", 0);
  po_data_free(d);
  po_motion_free(m);
  po_model_free(model);
}

static void test_a_cyclic_motion_must_close(void) {
  const po_model *model = motion_body("human");
  po_motion *m = motion_swinging(model, 120, 40);
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_check(m, &err));
  m->cyclic = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_motion_check(m, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "cyclic"));
  po_motion_q(m, 7)[20] = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_motion_check(m, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "frame 7"));
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_corners_are_the_soles_of_the_model);
  RUN_TEST(test_bad_frames_are_refused);
  RUN_TEST(test_cut_keeps_the_frames);
  RUN_TEST(test_move_turns_the_whole);
  RUN_TEST(test_a_cyclic_motion_must_close);
  return UNITY_END() != 0;
}
