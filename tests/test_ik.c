/* Inverse kinematics: what can be reached is reached, limits hold, what cannot is shared by weight; a minimum is a minimum. */
#include "counting.h"
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static po_ik_goal ik_point(const po_model *m, const char *frame, po_vec3 place, double weight) {
  po_ik_goal g;
  int f = po_find_frame(m, frame), i;
  memset(&g, 0, sizeof g);
  TEST_ASSERT_MESSAGE(f >= 0, frame);
  g.kind = PO_IK_POINT;
  g.body = m->frame[f].body;
  g.point = m->frame[f].pose.p;
  g.place = place;
  for (i = 0; i < 3; i++) g.weight[i] = weight;
  return g;
}

/* Hands, feet and head of a random pose within limits, from near it, are found again. */
static void test_reaches_what_a_pose_reaches(void) {
  static const char *const frames[] = {"hand_l", "hand_r", "toe_l", "toe_r", "heel_l", "heel_r"};
  const po_model *m = motion_body("human");
  po_ik *ik = NULL;
  po_data *d = NULL;
  int seed, i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ik_new(&ik, m, 60));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  for (seed = 0; seed < 40; seed++) {
    po_ik_goal goal[8];
    po_ik_opts o = po_ik_opts_default();
    po_ik_result r;
    double q[64], start[64], dq[64];
    po_rng rng;
    po_rng_init(&rng, (uint64_t)seed, 5);
    po_random_configuration(q, &rng, m);
    po_kinematics(d, q, NULL);
    po_com(d);
    for (i = 0; i < 6; i++) goal[i] = ik_point(m, frames[i], po_frame_pose(d, po_find_frame(m, frames[i])).p, 1);
    memset(&goal[6], 0, 2 * sizeof *goal);
    goal[6].kind = PO_IK_COM;
    goal[6].place = d->com;
    goal[7].kind = PO_IK_TURN;
    goal[7].body = po_find_body(m, "thorax");
    goal[7].orientation = d->pose[goal[7].body].R;
    goal[7].frame = po_m3_identity();
    for (i = 0; i < 3; i++) goal[6].weight[i] = goal[7].weight[i] = 1;
    for (i = 0; i < m->nv; i++) dq[i] = po_rng_range(&rng, -0.2, 0.2);
    po_integrate(start, m, q, dq, 1);
    o.rounds = 200;
    po_ik_solve(start, &r, ik, goal, 8, &o);
    if (r.cost >
        1e-10) { /* half a squared metre: 1.4e-5 m. Some starts end at a limit from which one cannot go on: they must be few */
      static int stuck;
      TEST_ASSERT_MESSAGE(++stuck <= 2, "more than two starts in forty are stuck");
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_clamp_to_limits(start, m));
  }
  po_data_free(d);
  po_ik_free(ik);
  po_model_free(m);
}

/* Out of reach behind the back while the feet stand: limits bind, and at the end no small change within them makes the cost less. */
static void test_ends_at_a_minimum_within_limits(void) {
  const po_model *m = motion_body("human");
  po_ik *ik;
  po_data *d;
  po_ik_goal goal[4];
  po_ik_opts o = po_ik_opts_default();
  po_ik_result r;
  double q[64], posture[64], stiffness[64], try_q[64], dq[64];
  po_rng rng;
  int i, n;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ik_new(&ik, m, 30));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  po_neutral(posture, m);
  memcpy(q, posture, sizeof q);
  po_kinematics(d, q, NULL);
  goal[0] = ik_point(m, "hand_r", po_v3(-0.3, 0.2, 1.4), 10);
  goal[1] = ik_point(m, "sole_l_0", po_frame_pose(d, po_find_frame(m, "sole_l_0")).p, 30);
  goal[2] = ik_point(m, "sole_l_2", po_frame_pose(d, po_find_frame(m, "sole_l_2")).p, 30);
  goal[3] = ik_point(m, "sole_r_1", po_frame_pose(d, po_find_frame(m, "sole_r_1")).p, 30);
  for (i = 0; i < m->nv; i++) stiffness[i] = 1;
  o.posture = posture;
  o.stiffness = stiffness;
  o.rounds = 300;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ik_solve(q, &r, ik, goal, 4, &o));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_clamp_to_limits(q, m));
  TEST_ASSERT_GREATER_THAN_DOUBLE(0.1, r.cost); /* it did not get there */
  po_rng_init(&rng, 3, 3);
  for (n = 0; n < 300; n++) { /* the cost again, by its definition */
    double cost = 0, e[3], scale = n % 3 == 0 ? 1e-2 : 1e-3;
    for (i = 0; i < m->nv; i++) dq[i] = scale * po_rng_normal(&rng);
    po_integrate(try_q, m, q, dq, 1);
    po_clamp_to_limits(try_q, m);
    po_kinematics(d, try_q, NULL);
    for (i = 0; i < 4; i++) {
      po_v3_to(e, po_v3_sub(goal[i].place, po_point_position(d, goal[i].body, goal[i].point)));
      cost += 0.5 * goal[i].weight[0] * goal[i].weight[0] * po_dot(e, e, 3);
    }
    for (i = 1; i < m->nb; i++) {
      const po_joint *j = &m->joint[i];
      int k;
      if (j->type == PO_JOINT_SPHERICAL) {
        po_vec3 miss = po_v3_sub(po_q_log(po_limit_turn(j, posture + j->q)), po_q_log(po_limit_turn(j, try_q + j->q)));
        cost += 0.5 * po_v3_dot(miss, miss);
      } else
        for (k = 0; k < j->nq; k++) cost += 0.5 * (posture[j->q + k] - try_q[j->q + k]) * (posture[j->q + k] - try_q[j->q + k]);
    }
    TEST_ASSERT_MESSAGE(cost > r.cost * (1 - 1e-9), "a change nearby costs less than the minimum found");
  }
  po_data_free(d);
  po_ik_free(ik);
  po_model_free(m);
}

static void test_clamping(void) {
  const po_model *m = motion_body("human");
  double q[64];
  int knee = m->joint[po_find_joint(m, "knee_l")].q, hip = po_find_joint(m, "hip_l");
  po_neutral(q, m);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_clamp_to_limits(q, m));
  q[knee] = -1.15; /* a metre of back bending: its limit is −0.15 */
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0, po_clamp_to_limits(q, m));
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -0.15, q[knee]);
  po_q_to(q + m->joint[hip].q, po_q_exp(po_v3(2, 0, 0))); /* a split: 1.2 is its limit */
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.8, po_clamp_to_limits(q, m));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_clamp_to_limits(q, m));
  po_model_free(m);
}

static void test_bad_input_and_no_allocation(void) {
  const po_model *m = motion_body("human");
  po_ik *ik;
  po_ik_goal g, many[8];
  double q[64] = {0}, before[64];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ik_new(&ik, m, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ik_new(&ik, m, 6));
  po_neutral(q, m);
  g = ik_point(m, "hand_l", po_v3(0.2, 0.3, 1), 1);
  for (i = 0; i < 8; i++) many[i] = g;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_ik_solve(q, NULL, ik, many, 3, NULL));
  g.place.x = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ik_solve(q, NULL, ik, &g, 1, NULL));
  g.place.x = 0;
  g.weight[1] = PO_NAN;
  q[m->joint[po_find_joint(m, "knee_l")].q] = -1; /* beyond its limit, which a solve would mend */
  memcpy(before, q, sizeof q);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_ik_solve(q, NULL, ik, &g, 1, NULL));
  TEST_ASSERT_EQUAL_MEMORY(before, q, sizeof(double) * (size_t)m->nq); /* what is refused is left as it was */
  po_neutral(q, m);
  g.weight[1] = 1;
  g.body = 99;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_ik_solve(q, NULL, ik, &g, 1, NULL));
  allocations = 0;
  po_set_allocator(counting, NULL);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ik_solve(q, NULL, ik, many, 2, NULL));
  po_set_allocator(NULL, NULL);
  TEST_ASSERT_EQUAL_INT(0, allocations);
  po_ik_free(ik);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_reaches_what_a_pose_reaches);
  RUN_TEST(test_ends_at_a_minimum_within_limits);
  RUN_TEST(test_clamping);
  RUN_TEST(test_bad_input_and_no_allocation);
  return UNITY_END() != 0;
}
