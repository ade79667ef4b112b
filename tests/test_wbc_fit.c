/* Whole-body control: what does not fit is refused, got and miss are the truth, poses obey their limit, torques their slew; eqs. 26 and 27 as printed. */
#include "ctrl/moves/moves.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_data *data;
static po_wbc *wbc;
static double q[64], v[64];

static void fresh(const po_wbc_opts *opts) {
  po_wbc_free(wbc);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&wbc, model, opts));
}
void setUp(void) {
  po_error err;
  if (!model) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  }
  po_neutral(q, model);
  memset(v, 0, sizeof v);
  fresh(NULL);
}
void tearDown(void) {}

static void solve(void) {
  po_all_terms(data, q, v);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(wbc, data, q, v));
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, wbc->hqp.status);
}

static void stand_on(double mu) {
  po_patches p;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_patches_init(&p, model, po_terrain_flat(), PO_BOTH_FEET, NULL));
  for (i = 0; i < 8; i++) {
    po_wbc_contact c = {p.patch[i / 4].point_body[i % 4], p.patch[i / 4].point[i % 4], {0, 0, 1}, mu, 1, 0};
    wbc->contact[i] = c;
  }
  wbc->contacts = 8;
}

/* ---- room ---- */

static void test_more_rows_than_there_is_room_for_are_refused(void) {
  int room = 6 * wbc->opts.max_objectives + 3 * model->nv, added = 0;
  po_objective pose = po_objective_setpoint("pose", po_feature_pose(model, NULL), 1, 10);
  po_error err;
  while (added < 32 && po_wbc_add(wbc, &pose)) added++;
  TEST_ASSERT_EQUAL_INT(room / pose.feature.rows, added);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_check(wbc, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "pose"));
  solve(); /* what was let in fits */
  po_wbc_clear(wbc);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_check(wbc, &err));
  TEST_ASSERT_NOT_NULL(po_wbc_add(wbc, &pose));
}

static void test_more_priorities_than_levels_are_refused(void) {
  po_objective o[PO_HQP_MAX_LEVELS], *last = NULL;
  int i;
  for (i = 0; i < PO_HQP_MAX_LEVELS; i++) {
    po_objective *added;
    o[i] = po_objective_setpoint("height", po_feature_com_height(), i + 1, 10);
    added = po_wbc_add(wbc, &o[i]);
    TEST_ASSERT_EQUAL_INT(i < PO_HQP_MAX_LEVELS - 4, added != NULL);
    if (added) last = added;
  }
  solve();
  o[0].priority = 1;
  TEST_ASSERT_NOT_NULL(po_wbc_add(wbc, &o[0])); /* beside another of the same priority there is room */
  last = &wbc->objective[wbc->objectives - 1];
  last->priority = 99; /* and when it is changed later, the solve says so */
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_solve(wbc, data, q, v));
  last->priority = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_solve(wbc, data, q, v));
}

/* ---- the truth about what was got ---- */

/* In the air, two objectives that contradict each other; what the point got is J q̈ + drift, whatever its rows weigh. */
static void test_got_and_miss_count_joint_weights(void) {
  static const double weights[3] = {4, 0.25, 0};
  double y[3], ydot[3], drift[3], J[3 * 64], got[3], sum = 0;
  int i, hand = po_find_frame(model, "hand_l");
  po_feature f = po_feature_point(model->frame[hand].body, model->frame[hand].pose.p);
  po_objective a = po_objective_setpoint("a", f, 1, 0), b = a, *pa;
  q[6] += 1;
  a.joint_weight = weights;
  for (i = 0; i < 3; i++) {
    a.ref_accel[i] = 10 + i;
    b.ref_accel[i] = -10;
  }
  b.name = "b";
  pa = po_wbc_add(wbc, &a);
  po_wbc_add(wbc, &b);
  solve();
  po_feature_eval(y, ydot, po_mat_of(J, 3, model->nv, 64), drift, &f, data, q, v);
  for (i = 0; i < 3; i++) {
    got[i] = po_dot(J + 64 * i, wbc->qdd, model->nv) + drift[i];
    if (i < 2) sum += (got[i] - pa->wanted[i]) * (got[i] - pa->wanted[i]);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, got[0], pa->got[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, got[1], pa->got[1]);
  TEST_ASSERT_TRUE(pa->got[2] != pa->got[2]); /* nobody asked */
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, sqrt(sum), pa->miss);
  TEST_ASSERT_TRUE(pa->miss > 1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, (4 * 10 + 1 * -10) / 5.0, pa->got[0]); /* the weighted mean */
}

static void test_the_miss_of_a_pose_counts_joint_weights(void) {
  double weights[64], sum = 0;
  int i, dof = model->joint[po_find_body(model, "forearm_l")].v;
  po_objective a, b, *pb;
  unsigned char mask[64] = {0};
  q[6] += 1;
  for (i = 0; i < model->nv; i++) weights[i] = 1;
  weights[dof] = 9;
  mask[dof] = 1;
  a = po_objective_setpoint("a", po_feature_pose(model, mask), 1, 100);
  b = a;
  b.name = "b";
  b.kp = 0;
  b.joint_weight = weights;
  q[model->joint[model->dof_body[dof]].q] += 0.3; /* a wants 100·(−0.3), b wants 0 */
  po_wbc_add(wbc, &a);
  pb = po_wbc_add(wbc, &b);
  solve();
  sum = po_abs(wbc->qdd[dof]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 30 / 10.0, sum);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, sum, pb->miss);
}

static void test_a_pose_obeys_its_limit(void) {
  po_objective o = po_objective_setpoint("pose", po_feature_pose(model, NULL), 1, 100);
  double sum = 0;
  int i;
  q[6] += 1;
  q[model->joint[po_find_body(model, "forearm_l")].q] += 0.5;
  q[model->joint[po_find_body(model, "shank_r")].q] += 0.5;
  o.limit = 7;
  po_wbc_add(wbc, &o);
  solve();
  for (i = 6; i < model->nv; i++) sum += wbc->qdd[i] * wbc->qdd[i];
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 7, sqrt(sum)); /* 71 without it */
}

/* ---- what is named must be there ---- */

static void refused(const po_objective *o) {
  int before = wbc->objectives;
  TEST_ASSERT_NULL(po_wbc_add(wbc, o));
  TEST_ASSERT_EQUAL_INT(before, wbc->objectives);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_check(wbc, NULL));
  po_wbc_clear(wbc);
}

/* Indices that come from the caller: when an objective is added, and again when it is solved, since places and contacts are the caller's to write. */
static void test_bodies_and_frames_that_are_not_there_are_refused(void) {
  static const int wrong[] = {-2, 35, 99, 1 << 30, -(1 << 30)};
  double tau[64];
  int i;
  for (i = 0; i < 5; i++) {
    po_objective o = po_objective_setpoint("wrong", po_feature_point(wrong[i], po_v3(0, 0, 0)), 1, 10), *p;
    refused(&o);
    o.feature = po_feature_point_from_com(wrong[i], po_v3(0, 0, 0));
    refused(&o);
    o.feature = po_feature_orientation(wrong[i]);
    refused(&o);
    o.feature = po_feature_frame(wrong[i] == 35 ? model->frames : wrong[i]);
    refused(&o);
    o.feature = po_feature_custom(1, NULL, NULL);
    refused(&o);
    o.feature = po_feature_com_height();
    o.feature.rows = 3; /* not what a height has */
    refused(&o);
    o.feature = po_feature_point(0, po_v3(0, 0, 0));
    p = po_wbc_add(wbc, &o);
    solve();
    memcpy(tau, wbc->tau, sizeof(double) * (size_t)model->nv);
    p->feature.body = wrong[i];
    TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_solve(wbc, data, q, v));
    p->feature.body = 0;
    stand_on(0.8);
    wbc->contact[7].body = wrong[i];
    TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_solve(wbc, data, q, v));
    TEST_ASSERT_EQUAL_MEMORY(tau, wbc->tau, sizeof(double) * (size_t)model->nv);
    po_wbc_clear(wbc);
  }
}

static void test_sizes_beyond_reason_are_refused(void) {
  po_wbc *w = NULL;
  int k;
  for (k = 0; k < 5; k++) {
    po_wbc_opts o = po_wbc_opts_default();
    if (k == 0) o.max_contacts = 0x7fffffff;
    if (k == 1) o.max_objectives = 0x7fffffff;
    if (k == 2) o.max_limits = 0x7fffffff;
    if (k == 3) o.cone_sides = 0x7fffffff;
    if (k == 4) o.max_contacts = o.max_objectives = o.max_limits = 0x7fffffff;
    TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_wbc_new(&w, model, &o));
    TEST_ASSERT_NULL(w);
    TEST_ASSERT_EQUAL_INT(0, (int)po_wbc_bytes(model, &o));
  }
}

/* ---- options ---- */

static void test_slew_keeps_torques_near_the_last(void) {
  po_objective o = po_objective_setpoint("pose", po_feature_pose(model, NULL), 1, 100);
  double last[64];
  int i, formulation;
  for (formulation = 0; formulation < 2; formulation++) {
    po_wbc_opts opts = po_wbc_opts_default();
    opts.formulation = formulation ? PO_FULL : PO_REDUCED;
    fresh(&opts);
    stand_on(0.8);
    po_wbc_add(wbc, &o);
    solve();
    memcpy(last, wbc->tau, sizeof last);
    q[model->joint[po_find_body(model, "shank_r")].q] += 0.2;
    wbc->slew = 0.01;
    solve();
    for (i = 6; i < model->nv; i++) {
      const po_joint *j = &model->joint[model->dof_body[i]];
      TEST_ASSERT_TRUE(po_abs(wbc->tau[i] - last[i]) <= 0.01 * j->effort[i - j->v] * (1 + 1e-6));
    }
    wbc->slew = 0;
    solve();
    i = model->joint[po_find_body(model, "shank_r")].v;
    TEST_ASSERT_TRUE(po_abs(wbc->tau[i] - last[i]) > 0.05 * 300);
    q[model->joint[po_find_body(model, "shank_r")].q] -= 0.2;
  }
}

/* Eq. 26 as printed: no acceleration against any direction n + mu t of the friction basis. A foot asked to slide by 1 then rises with it, z >= mu x, and the
 * nearest such motion is x = 1/(1 + mu²); with rows along the normal alone it slides as asked. */
static void test_cone_rows_let_nothing_slide_along_the_ground(void) {
  po_contact_rows rows[2] = {PO_ROWS_NORMAL, PO_ROWS_CONE};
  double slid[2], rose[2];
  int k, foot = po_find_body(model, "foot_l");
  for (k = 0; k < 2; k++) {
    po_wbc_opts opts = po_wbc_opts_default();
    po_objective o = po_objective_setpoint("slide", po_feature_point(foot, po_v3(0, 0, 0)), 1, 0), *p;
    opts.contact_rows = rows[k];
    fresh(&opts);
    stand_on(0.8);
    o.ref_accel[0] = 1;
    p = po_wbc_add(wbc, &o);
    solve();
    slid[k] = p->got[0];
    rose[k] = p->got[2];
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, slid[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, rose[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1 / 1.64, slid[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.8 / 1.64, rose[1]);
}

/* Eq. 27: a joint that leans on its stop is pushed by it. All motors are asked to be idle while an elbow runs into its stop: without forces of stops some motor
 * has to brake it, with them the stop does. */
static void test_limit_forces_let_stops_push(void) {
  int k, body = po_find_body(model, "forearm_l"), dof = model->joint[body].v;
  double tau[2];
  for (k = 0; k < 2; k++) {
    po_wbc_opts opts = po_wbc_opts_default();
    po_objective o = po_objective_torque("idle", po_feature_torque(model, NULL), 1);
    opts.limit_forces = k;
    fresh(&opts);
    po_neutral(q, model);
    q[6] += 1;
    q[model->joint[body].q] = model->joint[body].lower[0] - 0.0005;
    v[dof] = -0.5;
    po_wbc_add(wbc, &o);
    solve();
    tau[k] = po_norm2(wbc->tau, model->nv);
    TEST_ASSERT_TRUE(wbc->qdd[dof] >= 20 * 0.5 - 1e-6); /* WBC_BRAKE times the speed into the stop */
  }
  TEST_ASSERT_TRUE(tau[0] > 0.1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, tau[1]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_more_rows_than_there_is_room_for_are_refused);
  RUN_TEST(test_more_priorities_than_levels_are_refused);
  RUN_TEST(test_got_and_miss_count_joint_weights);
  RUN_TEST(test_the_miss_of_a_pose_counts_joint_weights);
  RUN_TEST(test_a_pose_obeys_its_limit);
  RUN_TEST(test_bodies_and_frames_that_are_not_there_are_refused);
  RUN_TEST(test_sizes_beyond_reason_are_refused);
  RUN_TEST(test_slew_keeps_torques_near_the_last);
  RUN_TEST(test_cone_rows_let_nothing_slide_along_the_ground);
  RUN_TEST(test_limit_forces_let_stops_push);
  return UNITY_END() != 0;
}
