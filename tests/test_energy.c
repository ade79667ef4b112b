/* test_energy.c: the books of a world's energy balance after every step, and every entry is what its name says. */
#include "contact_helpers.h"
#include "scenes/scenes.h"

void setUp(void) {}
void tearDown(void) {}

/* Everything that should make up the present energy, less the present energy. */
static double books_gap(const po_energy *e) {
  return e->placed + e->motors + e->external + e->impacts + e->contacts + e->limits + e->springs + e->damping + e->recovery + e->integration -
         (e->kinetic + e->potential + e->spring);
}

/* How much has changed hands. */
static double books_turnover(const po_energy *e) {
  return fabs(e->motors) + fabs(e->external) + fabs(e->impacts) + fabs(e->contacts) + fabs(e->limits) + fabs(e->springs) + fabs(e->damping) +
         fabs(e->recovery) + fabs(e->integration);
}

static void books_assert(po_world *w, const char *what, double least) {
  po_energy e = po_world_energy(w);
  double gap = books_gap(&e), turnover = books_turnover(&e);
  char line[200];
  po_format(line, sizeof line, "%s at %g s: %g J missing, %g J changed hands", what, po_world_time(w), gap, turnover);
  TEST_ASSERT_TRUE_MESSAGE(fabs(gap) <= 1e-9 * po_max(turnover, least), line);
}

/* Runs a scenario and checks the books after every step. Returns the ledger at the end. */
static po_energy keep_books(const char *scenario, double seconds, uint64_t seed, const char *model) {
  po_run_opts opts = po_run_opts_default();
  po_error err;
  po_energy e;
  po_run *r;
  int more = 1;
  char line[200];
  memset(&err, 0, sizeof err);
  opts.seconds = seconds;
  opts.seed = seed;
  if (model) opts.model = model;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), &opts, &err), err.message);
  while (more) {
    more = po_run_step(r);
    books_assert(r->world, scenario, 1);
  }
  e = po_world_energy(r->world);
  po_format(line, sizeof line, "%s %g s: motors %.4g impacts %.4g contacts %.4g limits %.4g springs %.4g damping %.4g recovery %.4g integration %.4g J", scenario,
            seconds, e.motors, e.impacts, e.contacts, e.limits, e.springs, e.damping, e.recovery, e.integration);
  TEST_MESSAGE(line);
  po_run_free(r);
  return e;
}

static void test_the_books_balance_in_every_scene(void) {
  static const char *const names[] = {"drop", "stack", "slope", "slide", "balance", "squat", "jump", "walk"};
  po_energy e;
  int i;
  for (i = 0; i < 8; i++) {
    double seconds = i < 4 ? 3 : 4;
    e = keep_books(names[i], seconds, 1, NULL);
    /* what finite steps make is small beside what is exchanged: a body that is held moves at the velocity of the step's end, so that gravity is off
     * by dt/2 m g times every change of speed, which makes 1.7 J of a jump's 80 J */
    TEST_ASSERT_TRUE_MESSAGE(fabs(e.integration) < 0.03 * (books_turnover(&e) + 1), names[i]);
  }
}

static void test_standing_still_costs_nothing(void) {
  po_energy e = keep_books("balance", 4, 0, NULL);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, e.contacts);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, e.integration);
}

/* A ball that bounces without loss from half a metre for 20 s is as high as it was, and impacts took nothing. */
static void test_a_perfect_ball_bounces_for_ever(void) {
  const po_model *ball = free_ball(2, 0.05);
  po_world *w = new_world(NULL);
  po_energy e;
  double first, highest = 0;
  int k;
  add(w, ball, 0, 0, 0.55);
  po_world_set_material(w, 0, -1, 1, 1);
  e = po_world_energy(w);
  first = e.kinetic + e.potential;
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, first, e.placed);
  for (k = 0; k < 20000; k++) {
    steps(w, 1, 1e-3);
    books_assert(w, "a ball", first);
    if (k > 18000) highest = po_max(highest, position(w, 0).z);
  }
  e = po_world_energy(w);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * first, first, e.kinetic + e.potential);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * first, 0, e.impacts);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * first, 0, e.integration);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.55, highest);
  po_world_free(w);
  po_model_free(ball);
}

/* With e = 0.5 each impact takes three quarters of the energy, and it is impacts that took it. */
static void test_impacts_are_booked_as_impacts(void) {
  const po_model *ball = free_ball(2, 0.05);
  po_world *w = new_world(NULL);
  po_energy e;
  add(w, ball, 0, 0, 0.55);
  po_world_set_material(w, 0, -1, 1, 0.5);
  steps(w, 400, 1e-3); /* it lands at 0.32 s and again at 0.64 s */
  e = po_world_energy(w);
  TEST_ASSERT_DOUBLE_WITHIN(0.005 * 2 * 9.81 * 0.5, -0.75 * 2 * 9.81 * 0.5, e.impacts);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, e.integration);
  TEST_ASSERT_EQUAL_DOUBLE(0, e.contacts);
  po_world_free(w);
  po_model_free(ball);
}

/* A block slides to rest: friction took all it had. What is off is of the order of dt. */
static void test_friction_is_booked_as_contact(void) {
  const po_model *box = free_box(3, 0.1, 0.1, 0.05);
  double error[2], dt = 1e-3;
  int k;
  for (k = 0; k < 2; k++, dt *= 0.5) {
    po_world *w = new_world(NULL);
    po_energy e;
    add(w, box, 0, 0, 0.05);
    po_world_set_material(w, 0, -1, 0.5, 0);
    po_world_v(w, 0)[3] = 2;
    steps(w, (int)(1.0 / dt), dt);
    books_assert(w, "a block", 1);
    e = po_world_energy(w);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, e.kinetic);
    error[k] = fabs(e.contacts + 0.5 * 3 * 4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * 6, 0, error[k]);
    po_world_free(w);
  }
  po_model_free(box);
}

/* Motors lift, dampers take, pushes give: each under its own name. */
static void test_motors_dampers_and_pushes(void) {
  const po_model *m;
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  po_error err;
  po_energy e;
  double sum[3] = {0, 0, 0};
  int k, knee;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  opts.terrain = NULL;
  opts.gravity = po_v3(0, 0, 0);
  opts.joint_damping = 0.5;
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  knee = m->joint[po_find_body(m, "shank_l")].v;
  for (k = 0; k < 200; k++) {
    double v0 = po_world_v(w, 0)[knee];
    po_world_tau(w, 0)[knee] = 20;
    if (k >= 100) {
      po_world_kinematics(w, 0);
      po_world_force(w, 0, 0, po_v3(50, 0, 0), po_world_data(w, 0)->pose[0].p);
      sum[1] -= 50 * po_world_data(w, 0)->pose[0].p.x;
    }
    steps(w, 1, 1e-3);
    sum[0] += 20 * 0.5e-3 * (v0 + po_world_v(w, 0)[knee]);
    if (k >= 100) {
      po_world_kinematics(w, 0);
      sum[1] += 50 * po_world_data(w, 0)->pose[0].p.x; /* force times way */
    }
    books_assert(w, "a human in space", 1);
  }
  e = po_world_energy(w);
  TEST_ASSERT_DOUBLE_WITHIN(1e-4 * sum[0], sum[0], e.motors); /* booked before the governor's small corrections of v */
  /* force times way, but for half a step's gain of speed: a body that is pushed makes its step at the last velocity, and is booked by the mean */
  TEST_ASSERT_DOUBLE_WITHIN(0.5e-3 * 50 * 0.6, sum[1], e.external);
  TEST_ASSERT_TRUE(velocity(w, 0).x < 0.6);
  TEST_ASSERT_TRUE(e.damping < -0.01 * e.motors && e.contacts == 0 && e.springs == 0);
  TEST_ASSERT_DOUBLE_WITHIN(0.02 * (sum[0] + sum[1]), 0, e.integration);
  po_world_free(w);
  po_model_free(m);
}

/* Writing the state or a spring between steps is booked as that, whether the next step succeeds or not. */
static void test_what_is_written_is_placed(void) {
  const po_model *ball = free_ball(2, 0.05), *m;
  po_world *w = new_world(NULL);
  po_spring s;
  po_error err;
  po_energy e;
  double before;
  int index;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "child", &err));
  add(w, ball, 0, 0, 1);
  add(w, m, 3, 0, 2);
  memset(&s, 0, sizeof s);
  s.a = 0;
  s.b = -1;
  s.point_b = po_v3(0, 0, 2);
  s.length = 0.5;
  s.stiffness = 100;
  s.damping = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(&index, w, &s));
  books_assert(w, "before the first step", 1);
  steps(w, 50, 1e-3);
  books_assert(w, "before writing", 1);
  before = po_world_energy(w).placed;
  po_world_q(w, 0)[6] += 0.25;
  po_world_v(w, 1)[3] += 2;
  po_world_spring(w, index)->stiffness = 150;
  e = po_world_energy(w);
  books_assert(w, "after writing", 1);
  TEST_ASSERT_TRUE(fabs(e.placed - before) > 1);
  po_world_v(w, 1)[8] = 1e300; /* a step that cannot succeed */
  TEST_ASSERT_TRUE(po_world_step(w, 1e-3) != PO_OK);
  po_world_v(w, 1)[8] = 0;
  books_assert(w, "after a failed step", 1);
  steps(w, 50, 1e-3);
  books_assert(w, "after going on", 1);
  TEST_ASSERT_TRUE(po_world_energy(w).springs < 0);
  po_world_free(w);
  po_model_free(ball);
  po_model_free(m);
}

static void test_given_accelerations_are_placed_too(void) {
  const po_model *m;
  po_world *w = new_world(NULL);
  po_error err;
  double qdd[64];
  const double *given[1];
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  add(w, m, 0, 0, 0);
  po_neutral(po_world_q(w, 0), m);
  memset(qdd, 0, sizeof qdd);
  qdd[5] = -9.81;
  qdd[10] = 1;
  given[0] = qdd;
  for (k = 0; k < 200; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_advance(w, given, 1e-3));
    books_assert(w, "given", 1);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, po_world_energy(w).motors);
  po_world_free(w);
  po_model_free(m);
}

/* The error of finite steps goes with their length: a limp body's fall at a quarter of the step books less than half. */
static void test_integration_falls_with_the_step(void) {
  double error[2], dt = 2e-3;
  const po_model *m;
  po_error err;
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "child", &err));
  for (i = 0; i < 2; i++, dt *= 0.25) {
    po_world_opts opts = po_world_opts_default();
    po_world *w;
    opts.joint_damping = 0.1;
    w = new_world(&opts);
    add(w, m, 0, 0, 0);
    po_neutral(po_world_q(w, 0), m);
    po_world_q(w, 0)[6] += 0.3;
    error[i] = 0;
    for (k = 0; k < (int)(1.0 / dt); k++) {
      double was = po_world_energy(w).integration;
      steps(w, 1, dt);
      error[i] += fabs(po_world_energy(w).integration - was);
    }
    po_world_free(w);
  }
  TEST_ASSERT_TRUE(error[1] < 0.5 * error[0]);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_the_books_balance_in_every_scene);
  RUN_TEST(test_standing_still_costs_nothing);
  RUN_TEST(test_a_perfect_ball_bounces_for_ever);
  RUN_TEST(test_impacts_are_booked_as_impacts);
  RUN_TEST(test_friction_is_booked_as_contact);
  RUN_TEST(test_motors_dampers_and_pushes);
  RUN_TEST(test_what_is_written_is_placed);
  RUN_TEST(test_given_accelerations_are_placed_too);
  RUN_TEST(test_integration_falls_with_the_step);
  return UNITY_END() != 0;
}
