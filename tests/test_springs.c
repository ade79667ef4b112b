/* test_springs.c: springs and dampers between points: periods, stiff ones, ropes, what they refuse. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_world *empty(double gravity, const po_model *m, int count) {
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  int i;
  opts.terrain = NULL;
  opts.gravity = po_v3(0, 0, -gravity);
  w = new_world(&opts);
  for (i = 0; i < count; i++) add(w, m, 0, 0, 0);
  return w;
}

static po_spring tie(int a, int b, double length, double k, double d) {
  po_spring s;
  memset(&s, 0, sizeof s);
  s.a = a;
  s.b = b;
  s.length = length;
  s.stiffness = k;
  s.damping = d;
  return s;
}

static void test_two_balls_on_a_spring_swing_with_the_reduced_mass(void) {
  const po_model *ball = free_ball(2, 0.05);
  po_world *w = empty(0, ball, 2);
  po_spring s = tie(0, 1, 1, 50, 0);
  double omega = sqrt(50 / 1.0), last = 0, first = 0, before = 0.2; /* reduced mass 1 kg */
  int k, crossings = 0;
  po_world_q(w, 1)[4] = 1.2;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  for (k = 0; k < 60000 && crossings < 6; k++) {
    double x;
    steps(w, 1, 2e-4);
    x = position(w, 1).x - position(w, 0).x - 1;
    if (before > 0 && x <= 0) {
      last = po_world_time(w);
      if (!crossings++) first = last;
    }
    before = x;
  }
  ASSERT_NEAR(2 * PO_PI / omega, (last - first) / 5, 2e-3, "period");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.6, 0.5 * (position(w, 0).x + position(w, 1).x)); /* the middle stays */
  po_world_free(w);
  po_model_free(ball);
}

static void test_any_stiffness_is_stable(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world *w = empty(9.81, box, 1);
  po_spring s = tie(0, -1, 0, 1e9, 1e3);
  int k;
  s.point_a = po_v3(0.1, 0.1, 0.1);
  s.point_b = po_v3(0.1, 0.1, 0.1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  for (k = 0; k < 3000; k++) {
    steps(w, 1, 1e-3);
    TEST_ASSERT_TRUE(po_v3_norm(velocity(w, 0)) < 5); /* it swings about the corner it hangs by */
  }
  {
    po_vec3 corner = po_v3_add(position(w, 0), po_q_rotate(po_q_of(po_world_q(w, 0)), s.point_a));
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, po_v3_norm(po_v3_sub(corner, s.point_b)));
  }
  po_world_free(w);
  po_model_free(box);
}

static void test_a_ball_hangs_where_the_spring_carries_its_weight(void) {
  const po_model *ball = free_ball(2, 0.05);
  po_world *w = empty(9.81, ball, 1);
  po_spring s = tie(0, -1, 0.5, 400, 40);
  s.point_b = po_v3(0, 0, 2);
  po_world_q(w, 0)[6] = 1.5;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  steps(w, 3000, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1.5 - 2 * 9.81 / 400, position(w, 0).z);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5 * 400 * (2 * 9.81 / 400) * (2 * 9.81 / 400), po_world_energy(w).spring);
  po_world_free(w);
  po_model_free(ball);
}

/* A spring with damping is x'' + (d/m) x' + (k/m) x = 0: its amplitude falls as exp(−d t / 2m), and dampers are what took the energy. */
static void test_damping_takes_what_its_law_says(void) {
  const po_model *ball = free_ball(2, 0.05);
  po_world *w = empty(0, ball, 1);
  po_spring s = tie(0, -1, 0, 200, 4);
  double expected = 0.1 * po_exp(-4 * 1.0 / (2 * 2)), peak = 0; /* after 1 s */
  po_energy e;
  int k;
  po_world_q(w, 0)[4] = 0.1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  steps(w, 9000, 1e-4);
  for (k = 0; k < 3200; k++) { /* half a period (0.63 s / 2) on: one turning point, at 10 rad/s near t = 0.94 s or 1.26 s */
    steps(w, 1, 1e-4);
    if (k < 2000) peak = po_max(peak, fabs(position(w, 0).x) * po_exp(4 * (po_world_time(w) - 1.0) / (2 * 2)));
  }
  ASSERT_NEAR(expected, peak, 0.01, "amplitude after one second");
  e = po_world_energy(w);
  /* nearly all of 1 J is gone; the implicit step itself takes h k/2 beside d = 4, half a percent of it */
  ASSERT_NEAR(e.kinetic + e.spring - e.placed, e.springs, 0.01, "work of the damper");
  po_world_free(w);
  po_model_free(ball);
}

static void test_a_rope_only_pulls(void) {
  const po_model *ball = free_ball(1, 0.05);
  po_world *w = empty(0, ball, 1);
  po_spring s = tie(0, -1, 1, 1e5, 100);
  s.pull_only = 1;
  po_world_v(w, 0)[3] = 2;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  steps(w, 400, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2, velocity(w, 0).x); /* slack */
  steps(w, 800, 1e-3);
  TEST_ASSERT_TRUE(velocity(w, 0).x < 0); /* turned round */
  TEST_ASSERT_TRUE(position(w, 0).x < 1.01);
  po_world_free(w);
  po_model_free(ball);
}

static void test_springs_on_a_character_and_switching_them_off(void) {
  const po_model *m;
  po_error err;
  po_world *w;
  po_spring s;
  int index, head;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  w = empty(9.81, m, 1);
  head = po_find_body(m, "head");
  s = tie(0, -1, 0, 2e4, 500);
  s.body_a = head;
  po_neutral(po_world_q(w, 0), m);
  po_world_kinematics(w, 0);
  s.point_b = po_point_position(po_world_data(w, 0), head, po_v3(0, 0, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(&index, w, &s));
  steps(w, 4000, 1e-3); /* hangs by the head */
  po_world_kinematics(w, 0);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, m->total_mass * 9.81 / 2e4, po_v3_norm(po_v3_sub(s.point_b, po_point_position(po_world_data(w, 0), head, po_v3(0, 0, 0)))));
  po_world_spring(w, index)->stiffness = po_world_spring(w, index)->damping = 0;
  TEST_ASSERT_EQUAL_INT(1, po_world_last_report(w).springs);
  steps(w, 300, 1e-3);
  TEST_ASSERT_EQUAL_INT(0, po_world_last_report(w).springs);
  po_world_kinematics(w, 0);
  po_com(po_world_data(w, 0));
  TEST_ASSERT_TRUE(po_world_data(w, 0)->com_velocity.z < -2.5); /* falls */
  po_world_free(w);
  po_model_free(m);
}

static void test_what_springs_refuse(void) {
  const po_model *ball = free_ball(1, 0.05);
  po_world *w = empty(0, ball, 1);
  po_spring s = tie(0, -1, 1, 10, 1);
  int i;
  s.a = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_spring(NULL, w, &s));
  s.a = 0;
  s.body_a = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_spring(NULL, w, &s));
  s.body_a = 0;
  s.b = -2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_spring(NULL, w, &s));
  s.b = -1;
  s.stiffness = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_spring(NULL, w, &s));
  s.stiffness = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_add_spring(NULL, w, &s));
  s.stiffness = 1;
  s.length = 0;
  s.pull_only = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_add_spring(NULL, w, &s));
  s.pull_only = 0;
  for (i = 0; i < 16; i++) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_world_add_spring(NULL, w, &s));
  TEST_ASSERT_NULL(po_world_spring(w, 16));
  po_world_free(w);
  po_model_free(ball);
}

/* po_world_spring hands the spring out to be changed: an end that is nowhere is a status in the next step, not a read past an array. */
static void test_an_end_that_is_moved_to_nowhere(void) {
  static const int wrong[] = {1, 99, -1, 1 << 30};
  const po_model *ball = free_ball(1, 0.05);
  po_world *w = empty(0, ball, 2);
  po_spring s = tie(0, 1, 1, 10, 1), *at;
  uint64_t hash;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  steps(w, 1, 1e-3);
  hash = po_world_hash(w);
  at = po_world_spring(w, 0);
  for (i = 0; i < 4; i++) {
    at->body_a = wrong[i];
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, 1e-3));
    TEST_ASSERT_TRUE(po_isfinite(po_world_energy(w).spring));
    at->body_a = 0;
    at->body_b = wrong[i];
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, 1e-3));
    at->body_b = 0;
    at->b = wrong[i] == -1 ? -2 : wrong[i] + 1;
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, 1e-3));
    at->b = 1;
    at->point_b.y = PO_NAN;
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, 1e-3));
    at->point_b.y = 0;
  }
  TEST_ASSERT_TRUE(hash == po_world_hash(w));
  steps(w, 1, 1e-3);
  po_world_free(w);
  po_model_free(ball);
}

/* A soft spring among contacts: solved by sweeps or with the matrix, it pulls the same. With h²k far below the mass its compliance is nearly all of its row. */
static void test_sweeps_and_matrix_agree_on_soft_springs(void) {
  static const double stiffness[] = {1, 100, 1e4};
  const po_model *box = free_box(2, 0.1, 0.1, 0.1);
  int n, dense;
  for (n = 0; n < 3; n++) {
    double z[2], x[2];
    for (dense = 0; dense < 2; dense++) {
      po_world_opts opts = po_world_opts_default();
      po_spring s = tie(0, -1, 0.5, stiffness[n], 0.1 * sqrt(stiffness[n]));
      po_world *w;
      opts.dense_contacts = dense ? 24 : 0;
      opts.mu = 0.1;
      w = new_world(&opts);
      add(w, box, 0, 0, 0.1);
      s.point_b = po_v3(1.5, 0, 0.1); /* pulls it along the ground */
      TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
      steps(w, 300, 1e-3);
      TEST_ASSERT_EQUAL_INT(0, po_world_last_report(w).unconverged);
      x[dense] = position(w, 0).x;
      z[dense] = position(w, 0).z;
      po_world_free(w);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, x[1], x[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, z[1], z[0]);
    if (n == 1) TEST_ASSERT_TRUE(x[0] > 0.1); /* k = 100 N/m, half a metre too long, against 2 N of friction */
  }
  po_model_free(box);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_two_balls_on_a_spring_swing_with_the_reduced_mass);
  RUN_TEST(test_any_stiffness_is_stable);
  RUN_TEST(test_a_ball_hangs_where_the_spring_carries_its_weight);
  RUN_TEST(test_damping_takes_what_its_law_says);
  RUN_TEST(test_a_rope_only_pulls);
  RUN_TEST(test_springs_on_a_character_and_switching_them_off);
  RUN_TEST(test_what_springs_refuse);
  RUN_TEST(test_sweeps_and_matrix_agree_on_soft_springs);
  RUN_TEST(test_an_end_that_is_moved_to_nowhere);
  return UNITY_END() != 0;
}
