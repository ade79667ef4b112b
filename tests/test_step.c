/* test_step.c: what a step refuses, what it survives, how torques are clamped, and the second way of advancing. */
#include "contact_helpers.h"
#include <stddef.h>

void setUp(void) {}
void tearDown(void) {}

static const po_model *human_model(void) {
  const po_model *m;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&m, "human", &err), err.message);
  return m;
}

static void test_a_refused_step_changes_nothing(void) {
  const po_model *m = human_model();
  po_world *w = new_world(NULL);
  double *q, *v, *tau, keep;
  uint64_t hash;
  add(w, m, 0, 0, 0);
  po_neutral(q = po_world_q(w, 0), m);
  v = po_world_v(w, 0);
  tau = po_world_tau(w, 0);
  steps(w, 20, 1e-3);
  hash = po_world_hash(w);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, -1e-3));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_step(w, 0.2));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_step(w, PO_NAN));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_step(w, PO_INF));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_world_step(NULL, 1e-3));
  keep = q[9];
  q[9] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_step(w, 1e-3));
  q[9] = keep;
  keep = v[20];
  v[20] = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_step(w, 1e-3));
  v[20] = keep;
  tau[8] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_step(w, 1e-3));
  tau[8] = 0;
  {
    double zero[4];
    memcpy(zero, q, sizeof zero);
    q[0] = q[1] = q[2] = q[3] = 0;
    TEST_ASSERT_TRUE(po_world_step(w, 1e-3) != PO_OK);
    memcpy(q, zero, sizeof zero);
  }
  TEST_ASSERT_TRUE(hash == po_world_hash(w));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_force(w, 0, 0, po_v3(PO_NAN, 0, 0), po_v3(0, 0, 0)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_force(w, 1, 0, po_v3(0, 0, 0), po_v3(0, 0, 0)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_world_force(w, 0, 99, po_v3(0, 0, 0), po_v3(0, 0, 0)));
  steps(w, 1, 1e-3);
  po_world_free(w);
  po_model_free(m);
}

/* A step that fails after its solve (speeds that no number can hold) leaves contacts, their warm starts and all sums as they were: a twin that never
 * tried goes on the same way. */
static void test_a_step_that_fails_late_changes_nothing(void) {
  const po_model *m = human_model(), *ball = free_ball(1, 0.1);
  po_world *w[2];
  po_energy before, after;
  const po_contact *contact;
  po_contact kept[64];
  double speed;
  int i, count, again;
  for (i = 0; i < 2; i++) {
    w[i] = new_world(NULL);
    add(w[i], m, 0, 0, 0);
    po_neutral(po_world_q(w[i], 0), m);
    add(w[i], ball, 5, 0, 0.5);
    steps(w[i], 120, 1e-3);
  }
  contact = po_world_contacts(&count, w[0]);
  TEST_ASSERT_TRUE(count >= 4 && count <= 64);
  memcpy(kept, contact, sizeof(po_contact) * (size_t)count);
  before = po_world_energy(w[0]);
  TEST_ASSERT_TRUE(before.contacts != 0 && before.integration != 0);
  speed = po_world_v(w[0], 1)[0];
  po_world_v(w[0], 1)[0] = 1e200; /* its square is no number */
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_step(w[0], 1e-3));
  po_world_v(w[0], 1)[0] = speed;
  after = po_world_energy(w[0]);
  TEST_ASSERT_EQUAL_MEMORY(&before.motors, &after.motors, sizeof before - offsetof(po_energy, motors));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, before.placed, after.placed);
  contact = po_world_contacts(&again, w[0]);
  TEST_ASSERT_EQUAL_INT(count, again);
  TEST_ASSERT_EQUAL_MEMORY(kept, contact, sizeof(po_contact) * (size_t)count);
  for (i = 0; i < 2; i++) steps(w[i], 50, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, po_world_energy(w[1]).contacts, po_world_energy(w[0]).contacts);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, po_world_q(w[1], 0)[6], po_world_q(w[0], 0)[6]);
  for (i = 0; i < 2; i++) po_world_free(w[i]);
  po_model_free(m);
  po_model_free(ball);
}

static void test_a_quaternion_of_any_length_is_taken_as_a_rotation(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world *w = new_world(NULL);
  int i = add(w, box, 0, 0, 0.1);
  po_world_q(w, i)[0] = 3;
  steps(w, 10, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_q_norm(po_q_of(po_world_q(w, i))));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, position(w, i).z);
  po_world_free(w);
  po_model_free(box);
}

/* Greatest speed of any base or joint. */
static double fastest(po_world *w) {
  double most = 0;
  int i, k;
  for (i = 0; i < po_world_count(w); i++)
    for (k = 0; k < po_world_model(w, i)->nv; k++) most = po_max(most, fabs(po_world_v(w, i)[k]));
  return most;
}

static void test_a_deep_start_is_pushed_out_gently(void) {
  const po_model *box = free_box(1, 0.2, 0.2, 0.2), *m = human_model();
  po_world *w = new_world(NULL);
  double most = 0, *q;
  int i, k;
  add(w, box, 2, 0, -0.1); /* 0.3 m deep */
  add(w, m, 0, 0, 0);
  q = po_world_q(w, 1);
  po_neutral(q, m);
  q[6] -= 0.3;
  for (k = 0; k < 2500; k++) {
    steps(w, 1, 1e-3);
    for (i = 0; i < 2; i++) most = po_max(most, velocity(w, i).z);
  }
  TEST_ASSERT_TRUE_MESSAGE(most < 0.5, "it was thrown out"); /* recovery leaves no velocity behind; a limp body sways a little */
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.2, position(w, 0).z);
  TEST_ASSERT_TRUE(po_world_last_report(w).penetration < 5e-3);
  po_world_free(w);
  po_model_free(box);
  po_model_free(m);
}

static void test_a_huge_push_is_no_explosion(void) {
  const po_model *m = human_model();
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  po_energy e;
  double first;
  int k;
  opts.joint_damping = 0.2;
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  po_neutral(po_world_q(w, 0), m);
  for (k = 0; k < 10; k++) { /* 1e6 N on the thorax for 10 ms: 128 m/s for the whole body */
    po_world_kinematics(w, 0);
    po_world_force(w, 0, 2, po_v3(1e6, 0, 0), po_world_data(w, 0)->pose[2].p);
    steps(w, 1, 1e-3);
  }
  e = po_world_energy(w);
  first = e.kinetic + e.potential;
  TEST_ASSERT_TRUE_MESSAGE(e.kinetic < 1.05 * e.external + 100, "speed is bounded by the work of the push");
  for (k = 0; k < 3000; k++) {
    steps(w, 1, 1e-3);
    if (k % 20 == 0) {
      e = po_world_energy(w);
      TEST_ASSERT_TRUE_MESSAGE(e.kinetic + e.potential < 1.02 * first + 1, "it made energy");
    }
  }
  po_world_free(w);
  po_model_free(m);
}

static void test_mass_ratios_of_a_hundred_thousand_hold(void) {
  const po_model *light = free_box(0.01, 0.1, 0.1, 0.1), *heavy = free_box(1000, 0.1, 0.1, 0.1);
  po_world *w = new_world(NULL);
  int k;
  add(w, light, 0, 0, 0.1); /* a ton on ten grams, and ten grams on a ton */
  add(w, heavy, 0, 0, 0.3);
  add(w, light, 0, 0, 0.5);
  for (k = 0; k < 2000; k++) {
    steps(w, 1, 1e-3);
    TEST_ASSERT_TRUE(fastest(w) < 1);
  }
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0.3, position(w, 1).z);
  TEST_ASSERT_DOUBLE_WITHIN(4e-3, 0.5, position(w, 2).z);
  po_world_free(w);
  po_model_free(light);
  po_model_free(heavy);
}

static void test_large_steps_and_high_speeds_stay_finite(void) {
  const po_model *m = human_model(), *box = free_box(1, 0.1, 0.1, 0.1);
  static const double dts[] = {1e-5, 1e-2, 0.05, 0.1};
  int d, k, i;
  for (d = 0; d < 4; d++) {
    po_world *w = new_world(NULL);
    po_rng rng;
    po_rng_init(&rng, (uint64_t)d, 9);
    add(w, m, 0, 0, 0);
    po_neutral(po_world_q(w, 0), m);
    add(w, box, 1, 0, 1);
    for (i = 0; i < m->nv; i++) po_world_v(w, 0)[i] = po_rng_range(&rng, -30, 30);
    po_world_v(w, 1)[5] = -300;
    for (k = 0; k < (dts[d] > 0.02 && !full() ? 100 : 300); k++) steps(w, 1, dts[d]);
    TEST_ASSERT_TRUE(fastest(w) < 1e4);
    po_world_free(w);
  }
  po_model_free(m);
  po_model_free(box);
}

static void test_torques_are_clamped_and_reported(void) {
  const po_model *m = human_model();
  po_world *w = new_world(NULL);
  const po_torque_clamp *clamp;
  int knee = po_find_body(m, "shank_l"), count, dof = m->joint[knee].v, k;
  add(w, m, 0, 0, 0);
  po_neutral(po_world_q(w, 0), m);
  po_world_q(w, 0)[6] += 1;
  po_world_tau(w, 0)[dof] = -1000;
  po_world_tau(w, 0)[2] = 7; /* nothing drives the base */
  steps(w, 1, 1e-3);
  clamp = po_world_clamps(&count, w);
  TEST_ASSERT_EQUAL_INT(2, count);
  TEST_ASSERT_EQUAL_INT(2, clamp[0].dof);
  TEST_ASSERT_EQUAL_DOUBLE(0, clamp[0].applied);
  TEST_ASSERT_EQUAL_INT(knee, clamp[1].body);
  TEST_ASSERT_EQUAL_INT(dof, clamp[1].dof);
  TEST_ASSERT_EQUAL_DOUBLE(-1000, clamp[1].asked);
  TEST_ASSERT_EQUAL_DOUBLE(-m->joint[knee].effort[0], clamp[1].applied);
  for (k = 0; k < m->nv; k++) TEST_ASSERT_EQUAL_DOUBLE(0, po_world_tau(w, 0)[k]);
  steps(w, 1, 1e-3);
  po_world_clamps(&count, w);
  TEST_ASSERT_EQUAL_INT(0, count);
  po_world_free(w);
  po_model_free(m);
}

static void test_external_forces_act_for_one_step(void) {
  const po_model *box = free_box(2, 0.1, 0.1, 0.1);
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  opts.terrain = NULL;
  opts.gravity = po_v3(0, 0, 0);
  w = new_world(&opts);
  add(w, box, 0, 0, 0);
  po_world_force(w, 0, 0, po_v3(4, 0, 0), po_v3(0, 0, 0.1));
  po_world_moment(w, 0, 0, po_v3(0, 0, 0.5));
  steps(w, 1, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2e-3, velocity(w, 0).x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4e-3 / box->inertia[0].I.m[4], po_world_v(w, 0)[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5e-3 / box->inertia[0].I.m[8], po_world_v(w, 0)[2]);
  steps(w, 5, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2e-3, velocity(w, 0).x);
  po_world_free(w);
  po_model_free(box);
}

/* ---- by given accelerations ------------------------------------------------------------------------------------------------------------ */

static void test_given_accelerations_are_integrated(void) {
  const po_model *m = human_model();
  po_world *w = new_world(NULL);
  double qdd[64];
  const double *given[1];
  int k, elbow = m->joint[po_find_body(m, "forearm_l")].v, elbow_q = m->joint[po_find_body(m, "forearm_l")].q;
  add(w, m, 0, 0, 0);
  po_neutral(po_world_q(w, 0), m);
  memset(qdd, 0, sizeof qdd);
  qdd[elbow] = 2;
  given[0] = qdd;
  for (k = 0; k < 50; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_advance(w, given, 0.01));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, po_world_v(w, 0)[elbow]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.5 * 2 * 0.5 * 0.51, po_world_q(w, 0)[elbow_q]);
  for (k = 0; k < 6; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, po_world_v(w, 0)[k]); /* no gravity, no contact forces: they are in qdd */
  po_world_free(w);
  po_model_free(m);
}

static void test_given_accelerations_do_not_lead_into_the_ground(void) {
  const po_model *m = human_model();
  po_world *w = new_world(NULL);
  double qdd[64], deepest = 0;
  const double *given[1];
  int k;
  add(w, m, 0, 0, 0);
  po_neutral(po_world_q(w, 0), m);
  po_world_q(w, 0)[6] += 0.05;
  memset(qdd, 0, sizeof qdd);
  qdd[5] = -9.81;
  given[0] = qdd;
  for (k = 0; k < 60; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_advance(w, given, 0.01));
    deepest = po_max(deepest, po_world_last_report(w).penetration);
  }
  TEST_ASSERT_TRUE(deepest < 5e-3);
  qdd[3] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_world_advance(w, given, 0.01));
  po_world_free(w);
  po_model_free(m);
}

static void test_bodies_without_given_accelerations_fall_as_always(void) {
  const po_model *m = human_model(), *ball = free_ball(1, 0.1);
  po_world *a = new_world(NULL), *b = new_world(NULL);
  double qdd[64];
  const double *given[2];
  int k;
  memset(qdd, 0, sizeof qdd);
  given[0] = qdd;
  given[1] = NULL;
  add(a, m, 0, 0, 0);
  po_neutral(po_world_q(a, 0), m);
  add(a, ball, 3, 0, 1);
  add(b, ball, 3, 0, 1);
  for (k = 0; k < 600; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_advance(a, given, 1e-3));
    steps(b, 1, 1e-3);
  }
  TEST_ASSERT_EQUAL_MEMORY(po_world_q(a, 1), po_world_q(b, 0), 7 * sizeof(double));
  po_world_free(a);
  po_world_free(b);
  po_model_free(m);
  po_model_free(ball);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_refused_step_changes_nothing);
  RUN_TEST(test_a_step_that_fails_late_changes_nothing);
  RUN_TEST(test_a_quaternion_of_any_length_is_taken_as_a_rotation);
  RUN_TEST(test_a_deep_start_is_pushed_out_gently);
  RUN_TEST(test_a_huge_push_is_no_explosion);
  RUN_TEST(test_mass_ratios_of_a_hundred_thousand_hold);
  RUN_TEST(test_large_steps_and_high_speeds_stay_finite);
  RUN_TEST(test_torques_are_clamped_and_reported);
  RUN_TEST(test_external_forces_act_for_one_step);
  RUN_TEST(test_given_accelerations_are_integrated);
  RUN_TEST(test_given_accelerations_do_not_lead_into_the_ground);
  RUN_TEST(test_bodies_without_given_accelerations_fall_as_always);
  return UNITY_END() != 0;
}
