/* Whole-body control: what comes out obeys the physics, formulations agree, failures are defined. */
#include "contact/contact.h"
#include "ctrl/moves/moves.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_balance *balance;
static double q[64], v[64], tau[64];

static void fresh(const po_wbc_opts *opts) {
  po_error err;
  po_move_free((po_move *)balance);
  balance = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_balance_new(&balance, model, po_terrain_flat(), opts, NULL, &err), err.message);
  po_neutral(q, model);
  memset(v, 0, sizeof v);
}

void setUp(void) {
  po_error err;
  if (!model) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
  fresh(NULL);
}
void tearDown(void) {}

static void disturb(uint64_t seed, double size) {
  po_rng rng;
  int i;
  po_rng_init(&rng, seed, 0);
  for (i = 0; i < model->nv; i++) v[i] = po_rng_range(&rng, -size, size);
}

/* M q̈ + h = τ + Jᵀ f with nothing on the root, f in the cone, τ within its limits. */
static void check_physics(const po_wbc *w, const po_data *d) {
  double r[64];
  int i, c;
  po_gemv(r, d->M, w->qdd);
  for (i = 0; i < model->nv; i++) r[i] += d->h[i] - w->tau[i];
  for (c = 0; c < w->contacts; c++) {
    po_vec3 f = po_v3_scale(-1, po_v3_of(w->force + 3 * c)), n = w->contact[c].normal, t;
    double fn = -po_v3_dot(f, n);
    po_apply_force(r, d, w->contact[c].body, po_point_position(d, w->contact[c].body, w->contact[c].point), f);
    t = po_v3_addscaled(f, fn, n);
    TEST_ASSERT_TRUE(fn > -1e-6);
    TEST_ASSERT_TRUE(po_v3_norm(t) <= w->opts.mu * fn + 1e-6);
  }
  for (i = 0; i < model->nv; i++) {
    const po_joint *j = &model->joint[model->dof_body[i]];
    TEST_ASSERT_DOUBLE_WITHIN(1e-6 * model->total_mass * 9.81, 0, r[i]);
    if (i < 6) TEST_ASSERT_TRUE(w->tau[i] == 0);
    else TEST_ASSERT_TRUE(po_abs(w->tau[i]) <= j->effort[i - j->v]);
  }
}

static void test_standing_obeys_the_physics(void) {
  uint64_t seed;
  for (seed = 0; seed < 20; seed++) {
    disturb(seed, seed ? 0.3 : 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, balance->move.actor->wbc->hqp.status);
    TEST_ASSERT_EQUAL_INT(8, balance->move.actor->wbc->contacts);
    check_physics(balance->move.actor->wbc, balance->move.actor->data);
  }
}

static void test_standing_still_carries_the_weight(void) {
  double up = 0;
  int c;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  for (c = 0; c < balance->move.actor->wbc->contacts; c++) up += balance->move.actor->wbc->force[3 * c + 2];
  TEST_ASSERT_DOUBLE_WITHIN(0.3 * model->total_mass * 9.81, model->total_mass * 9.81, up);
}

static void test_full_and_reduced_agree(void) {
  po_wbc_opts o = po_wbc_opts_default();
  double qdd[64], t[64];
  int i;
  disturb(7, 0.2);
  po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3));
  memcpy(qdd, balance->move.actor->wbc->qdd, sizeof qdd);
  memcpy(t, tau, sizeof t);
  o.formulation = PO_FULL;
  fresh(&o);
  disturb(7, 0.2);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  for (i = 0; i < model->nv; i++) {
    /* both solve to about 1e-8 of their largest numbers, which the stiff contacts make 1e3 */
    TEST_ASSERT_DOUBLE_WITHIN(1e-5 * (1 + po_abs(qdd[i])), qdd[i], balance->move.actor->wbc->qdd[i]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5 * (1 + po_abs(t[i])), t[i], tau[i]);
  }
}

static void test_objectives_tell_what_they_got(void) {
  po_objective *com, *contact;
  disturb(2, 0.1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  com = po_wbc_find(balance->move.actor->wbc, "com");
  contact = po_wbc_find(balance->move.actor->wbc, "contact_l0");
  TEST_ASSERT_NOT_NULL(com);
  TEST_ASSERT_NOT_NULL(contact);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, com->wanted[0], com->got[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, com->wanted[1], com->got[1]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, com->miss);
  {
    double jd[3], a[3], jm[3 * 64];
    po_mat J = po_mat_of(jm, 3, model->nv, 64);
    po_jacobian_point(J, balance->move.actor->data, contact->feature.body, contact->feature.point);
    po_gemv(a, J, balance->move.actor->wbc->qdd);
    po_v3_to(jd, po_point_drift(balance->move.actor->data, contact->feature.body, contact->feature.point));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, a[2] + jd[2], contact->got[2]);
  }
}

static void test_in_the_air_nothing_pushes(void) {
  q[6] += 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(0, balance->move.actor->wbc->contacts);
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, balance->move.actor->wbc->hqp.status);
  check_physics(balance->move.actor->wbc, balance->move.actor->data);
}

static void test_cones_of_any_number_of_sides(void) {
  static const int sides[] = {3, 5, 8, 12};
  int k;
  for (k = 0; k < 4; k++) {
    po_wbc_opts o = po_wbc_opts_default();
    o.cone_sides = sides[k];
    fresh(&o);
    disturb(3, 0.3);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, balance->move.actor->wbc->hqp.status);
    check_physics(balance->move.actor->wbc, balance->move.actor->data);
  }
}

/* In flight the controller thrashes with all its joints, and the COM still falls as a stone would: no wrench reaches the root. */
static void test_joint_torques_are_all_the_simulator_gets(void) {
  po_world *world;
  po_data *d;
  po_vec3 com, momentum;
  double *wq, *wv, *wt, h = 1e-3, effort = 0, g = 9.81;
  int i, k, steps = 200;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, model));
  wq = po_world_q(world, 0);
  wv = po_world_v(world, 0);
  wt = po_world_tau(world, 0);
  d = po_world_data(world, 0);
  wq[6] += 2;
  disturb(5, 1);
  memcpy(wv, v, sizeof(double) * (size_t)model->nv);
  po_all_terms(d, wq, wv);
  com = d->com_velocity;
  momentum = po_v3_of(d->momentum);
  for (i = 0; i < steps; i++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, wt, po_sense_of(wq, wv, h)));
    for (k = 0; k < 6; k++) TEST_ASSERT_TRUE(wt[k] == 0);
    for (k = 6; k < model->nv; k++) effort = po_max(effort, po_abs(wt[k]));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, h));
  }
  TEST_ASSERT_TRUE_MESSAGE(effort > 10, "the controller did nothing to speak of");
  po_all_terms(d, wq, wv);
  com.z -= g * h * steps;
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, po_v3_norm(po_v3_sub(d->com_velocity, com)));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, po_v3_norm(po_v3_sub(po_v3_of(d->momentum), momentum)));
  po_world_free(world);
}

/* Feet that fall at 50 m/s are to stop on ground that may not push: no torque within its limits can do that. */
static void test_a_failed_solve_holds_the_last_torques(void) {
  po_wbc *w = balance->move.actor->wbc;
  double kept[64];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(0, w->held);
  memcpy(kept, w->tau, sizeof(double) * (size_t)model->nv);
  v[5] = -50;
  po_all_terms(balance->move.actor->data, q, v);
  for (i = 0; i < w->contacts; i++) w->contact[i].ramp = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, balance->move.actor->data, q, v));
  TEST_ASSERT_EQUAL_INT(PO_HQP_INFEASIBLE, w->hqp.status);
  TEST_ASSERT_EQUAL_INT(1, w->held);
  TEST_ASSERT_EQUAL_INT(1, w->ticks_held);
  TEST_ASSERT_EQUAL_INT(1, w->ticks_infeasible);
  TEST_ASSERT_EQUAL_INT(2, w->ticks);
  TEST_ASSERT_EQUAL_MEMORY(kept, w->tau, sizeof(double) * (size_t)model->nv);
  v[5] = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3))); /* and the run goes on */
  TEST_ASSERT_EQUAL_INT(0, w->held);
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, w->hqp.status);
}

/* A corner that has lifted by 2 mm and still rises may be drawn back; one that stands on the ground may not go into it. */
static void test_lifted_corners_may_come_back(void) {
  po_wbc *w = balance->move.actor->wbc;
  const double gap = 0.002, speed = 0.05;
  po_objective *o;
  int i;
  v[5] = speed;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  for (i = 0; i < 2; i++) {
    double least = i ? -64 * (speed + 16 * gap) : -64 * speed, wants = -1000 * gap - 2 * sqrt(1000) * speed;
    int k;
    for (k = 0; k < 8; k++) {
      w->contact[k].gap = i ? gap : 0;
      w->objective[k].ref[2] = -gap; /* of a corner at height 0: 2 mm down */
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, balance->move.actor->data, q, v));
    o = po_wbc_find(w, "contact_l2");
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, wants, o->wanted[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, po_max(least, wants), o->got[2]);
  }
}

static void test_contradictory_objectives_share_the_miss(void) {
  po_objective a = po_objective_setpoint("up", po_feature_com_height(), 2, 100), b = a;
  po_objective *pa, *pb;
  int i;
  for (i = 0; i < balance->move.actor->wbc->objectives; i++) balance->move.actor->wbc->objective[i].on = i < 8;
  b.name = "down";
  pa = po_wbc_add(balance->move.actor->wbc, &a);
  pb = po_wbc_add(balance->move.actor->wbc, &b);
  pa->ref[0] = balance->move.actor->standing_height + 0.01;
  pb->ref[0] = balance->move.actor->standing_height - 0.01;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, pa->miss);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1, pb->miss);
}

static void test_many_contacts(void) {
  po_wbc_opts o = po_wbc_opts_default();
  po_data *d = NULL;
  po_wbc *w;
  po_objective pose;
  int i, foot = po_find_body(model, "foot_l");
  o.max_contacts = 200;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, model, &o));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  pose = po_objective_setpoint("pose", po_feature_pose(model, NULL), 1, 10);
  pose.pose = balance->move.actor->pose;
  po_wbc_add(w, &pose);
  po_all_terms(d, q, v);
  for (i = 0; i < 200; i++) {
    w->contact[i].body = foot;
    w->contact[i].point = po_v3(0.001 * i, 0.0005 * (i % 7), 0);
    w->contact[i].normal = po_v3(0, 0, 1);
    w->contact[i].mu = w->opts.mu;
    w->contact[i].ramp = 1;
  }
  w->contacts = 200;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, d, q, v));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_HQP_OPTIMAL, w->hqp.status, po_hqp_status_string(w->hqp.status));
  check_physics(w, d);
  TEST_ASSERT_TRUE(po_all_finite(w->tau, model->nv));
  w->contacts = 201;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_wbc_solve(w, d, q, v));
  po_wbc_free(w);
  po_data_free(d);
}

/* A contact between the world and itself moves nobody: there is nothing that it could push. */
static void test_a_contact_of_the_world_does_nothing(void) {
  po_data *d = NULL;
  po_wbc *w;
  po_objective pose = po_objective_setpoint("pose", po_feature_pose(model, NULL), 1, 10);
  double without[64];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, model, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  pose.pose = balance->move.actor->pose;
  po_wbc_add(w, &pose);
  po_all_terms(d, q, v);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, d, q, v));
  memcpy(without, w->qdd, sizeof(double) * (size_t)model->nv);
  w->contact[0].body = -1;
  w->contact[0].point = po_v3(0, 0, 0);
  w->contact[0].normal = po_v3(0, 0, 1);
  w->contact[0].mu = w->opts.mu;
  w->contact[0].ramp = 1;
  w->contacts = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, d, q, v));
  for (int i = 0; i < model->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (1 + po_abs(without[i])), without[i], w->qdd[i]);
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, w->force[i]);
  po_wbc_free(w);
  po_data_free(d);
}

static void test_bad_states_are_refused(void) {
  double kept[64];
  po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3));
  memcpy(kept, tau, sizeof kept);
  v[9] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_MEMORY(kept, tau, sizeof(double) * (size_t)model->nv);
  v[9] = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_move_tick(&balance->move, tau, po_sense_of(q, v, -1)));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_move_tick(&balance->move, NULL, po_sense_of(q, v, 1e-3)));
}

static void test_a_body_without_feet_is_told_so(void) {
  po_builder *b;
  const po_model *crate;
  po_error err;
  po_balance *none;
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  po_inertia mass = po_inertia_box(1, 1, 1, 1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "crate"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "box", NULL, &root, &mass, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&crate, b, &err));
  po_builder_free(b);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_balance_new(&none, crate, po_terrain_flat(), NULL, NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "foot_l"));
  TEST_ASSERT_NULL(none);
  po_model_free(crate);
}

static void test_bad_options_are_refused(void) {
  po_wbc_opts o = po_wbc_opts_default();
  po_wbc *w;
  o.cone_sides = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_wbc_new(&w, model, &o));
  o = po_wbc_opts_default();
  o.mu = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_wbc_new(&w, model, &o));
}

static void test_parameters_by_name(void) {
  po_balance_params p;
  po_error err;
  po_param_defaults(&p, po_balance_param, po_balance_param_count);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_param_set(&p, po_balance_param, po_balance_param_count, "kp_com", 33, &err));
  TEST_ASSERT_TRUE(p.stand.kp_com == 33);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_param_set(&p, po_balance_param, po_balance_param_count, "kp_com", -1, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_param_set(&p, po_balance_param, po_balance_param_count, "kp_com", PO_NAN, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_param_set(&p, po_balance_param, po_balance_param_count, "kp_con", 1, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "kp_com"));
  TEST_ASSERT_TRUE(p.stand.kp_com == 33);
}

/* Restored, the controller gives the same bits as it did the first time. */
static void test_save_and_restore(void) {
  static char state[1 << 20];
  size_t bytes = po_move_save_bytes(&balance->move);
  double first[64];
  int i;
  TEST_ASSERT_TRUE(bytes <= sizeof state);
  for (i = 0; i < 3; i++) {
    disturb((uint64_t)i, 0.1);
    po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(state, sizeof state, &balance->move));
  disturb(11, 0.3);
  po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3));
  memcpy(first, tau, sizeof first);
  disturb(12, 0.5);
  po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(&balance->move, state, bytes));
  disturb(11, 0.3);
  po_move_tick(&balance->move, tau, po_sense_of(q, v, 1e-3));
  TEST_ASSERT_EQUAL_MEMORY(first, tau, sizeof(double) * (size_t)model->nv);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_move_restore(&balance->move, state, bytes / 2));
}

/* A crate on one contact that may push with nearly its weight, and must not sink: by how little the physics can be kept goes from nothing to all. What
 * leaves less than 1e-6 of the hard rows is used, and obeys M q̈ + h = Jᵀ f to that; what leaves more is not used, though the solver has an answer. */
static void test_an_answer_is_used_only_if_it_obeys_the_physics(void) {
  po_thing thing = {"crate", PO_BOX, {0.3, 0.2, 0.25}, 12};
  const po_model *crate;
  po_data *data;
  po_wbc *w;
  po_error err;
  double x[7] = {1, 0, 0, 0, 0, 0, 0.5}, rest[6] = {0}, share;
  int used = 0, held = 0, nearly = 0;
  char line[120];
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_thing_model(&crate, &thing, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, crate));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, crate, NULL));
  po_all_terms(data, x, rest);
  for (share = 1e-10; share < 0.9; share *= 1.7) { /* missing of the weight */
    po_wbc_contact c = {0, {0, 0, 0}, {0, 0, 1}, 0.8, 1, 0};
    double left;
    c.point = crate->inertia[0].com;
    c.ramp = 0.25 * (1 - share); /* four sides of the cone */
    w->contact[0] = c;
    w->contacts = 1;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, data, x, rest));
    left = po_hqp_violation(&w->problem.levels[0], w->problem.n, w->hqp.x);
    po_format(line, sizeof line, "%g of the weight missing: %s, %g left, %s", share, po_hqp_status_string(w->hqp.status), left, w->held ? "held" : "used");
    TEST_ASSERT_TRUE_MESSAGE(w->held == !(left < 1e-6), line);
    used += !w->held;
    held += w->held;
    nearly += left > 2e-6 && left < 5e-3;
    if (!w->held) TEST_ASSERT_DOUBLE_WITHIN(2e-5 * 9.81, 0, crate->total_mass * (w->qdd[5] + 9.81) / crate->total_mass - w->force[2] / crate->total_mass);
  }
  po_format(line, sizeof line, "%d used, %d held, %d of them nearly right", used, held, nearly);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(used > 5 && nearly > 5, line);
  po_wbc_free(w);
  po_data_free(data);
  po_model_free(crate);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_standing_obeys_the_physics);
  RUN_TEST(test_an_answer_is_used_only_if_it_obeys_the_physics);
  RUN_TEST(test_standing_still_carries_the_weight);
  RUN_TEST(test_full_and_reduced_agree);
  RUN_TEST(test_objectives_tell_what_they_got);
  RUN_TEST(test_in_the_air_nothing_pushes);
  RUN_TEST(test_cones_of_any_number_of_sides);
  RUN_TEST(test_joint_torques_are_all_the_simulator_gets);
  RUN_TEST(test_a_failed_solve_holds_the_last_torques);
  RUN_TEST(test_lifted_corners_may_come_back);
  RUN_TEST(test_contradictory_objectives_share_the_miss);
  RUN_TEST(test_many_contacts);
  RUN_TEST(test_a_contact_of_the_world_does_nothing);
  RUN_TEST(test_bad_states_are_refused);
  RUN_TEST(test_a_body_without_feet_is_told_so);
  RUN_TEST(test_bad_options_are_refused);
  RUN_TEST(test_parameters_by_name);
  RUN_TEST(test_save_and_restore);
  po_move_free((po_move *)balance);
  po_model_free(model);
  return UNITY_END() != 0;
}
