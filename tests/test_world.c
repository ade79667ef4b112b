/* test_world.c: what textbooks say bodies do: slide, stick, stop, bounce, roll, rest. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_terrain *slope_terrain(double angle) {
  po_terrain *terrain;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(-po_sin(angle), 0, po_cos(angle)), 0, 1));
  return terrain;
}

/* A block on a slope that rises along +x; returns how far it came down in `seconds`, and *speed at the end. */
static double slide_down(double angle, double mu, double seconds, double *speed) {
  po_world_opts opts = po_world_opts_default();
  po_terrain *terrain = slope_terrain(angle);
  const po_model *box = free_box(2, 0.2, 0.15, 0.05);
  po_world *w;
  po_vec3 up = po_v3(-po_sin(angle), 0, po_cos(angle)), start, down = po_v3(-po_cos(angle), 0, -po_sin(angle));
  double moved;
  int i;
  opts.terrain = terrain;
  w = new_world(&opts);
  start = po_v3_scale(0.05, up);
  i = add(w, box, start.x, start.y, start.z);
  po_q_to(po_world_q(w, i), po_q_axis_angle(po_v3(0, -1, 0), angle));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_material(w, i, -1, mu, 0));
  steps(w, (int)(seconds * 1000 + 0.5), 1e-3);
  moved = po_v3_dot(down, po_v3_sub(position(w, i), start));
  *speed = po_v3_dot(down, velocity(w, i));
  po_world_free(w);
  po_terrain_free(terrain);
  po_model_free(box);
  return moved;
}

static void test_a_block_sticks_below_the_friction_angle(void) {
  double speed, angle = po_atan2(0.5, 1), moved = slide_down(0.98 * angle, 0.5, 2, &speed);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, moved);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, speed);
}

static void test_a_block_slides_above_the_friction_angle(void) {
  static const double angles[] = {28, 35, 45}, mus[] = {0.5, 0.3, 0};
  int i, j;
  for (i = 0; i < 3; i++)
    for (j = 0; j < 3; j++) {
      double speed, a = PO_RAD(angles[i]), g = 9.81 * (po_sin(a) - mus[j] * po_cos(a)), moved = slide_down(a, mus[j], 1, &speed);
      ASSERT_NEAR(g, speed, 0.01, "speed after 1 s");
      ASSERT_NEAR(0.5 * g, moved, 0.01, "way after 1 s");
    }
}

static void test_a_sliding_block_stops_where_it_should(void) {
  const po_model *box = free_box(3, 0.15, 0.1, 0.04);
  po_world *w = new_world(NULL);
  double mu = 0.4, v = 2, turned;
  int i = add(w, box, 0, 0, 0.04);
  po_world_set_material(w, i, -1, mu, 0);
  po_world_v(w, i)[3] = v * 0.8;
  po_world_v(w, i)[4] = v * 0.6;
  steps(w, 1000, 1e-3);
  ASSERT_NEAR(v * v / (2 * mu * 9.81), po_v3_norm(po_v3_sub(position(w, i), po_v3(0, 0, 0.04))), 0.01, "stopping distance");
  turned = po_v3_norm(po_q_log(po_q_of(po_world_q(w, i))));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0, turned);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, po_v3_norm(velocity(w, i)));
  po_world_free(w);
  po_model_free(box);
}

/* Apex of the first bounce after a drop from `height`. */
static double bounce(double height, double e) {
  const po_model *ball = free_ball(0.5, 0.1);
  po_world *w = new_world(NULL);
  double apex = 0;
  int i = add(w, ball, 0, 0, 0.1 + height), k, up = 0;
  po_world_set_material(w, i, -1, 1, e);
  for (k = 0; k < 3000; k++) {
    steps(w, 1, 1e-3);
    if (velocity(w, i).z > 0) up = 1;
    if (up) apex = po_max(apex, position(w, i).z - 0.1);
    if (up && velocity(w, i).z < 0) break;
  }
  po_world_free(w);
  po_model_free(ball);
  return apex;
}

static void test_balls_bounce_to_e_squared_of_their_height(void) {
  ASSERT_NEAR(0.64, bounce(1, 0.8), 0.01, "e = 0.8");
  ASSERT_NEAR(0.25, bounce(1, 0.5), 0.02, "e = 0.5");
  ASSERT_NEAR(1.0, bounce(1, 1), 0.01, "e = 1");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, bounce(1, 0));
}

static void test_a_ball_launched_sliding_ends_rolling_at_five_sevenths(void) {
  const po_model *ball = free_ball(1, 0.1);
  po_world *w = new_world(NULL);
  int i = add(w, ball, 0, 0, 0.1);
  po_world_set_material(w, i, -1, 0.3, 0);
  po_world_v(w, i)[3] = 3;
  steps(w, 1500, 1e-3);
  ASSERT_NEAR(3 * 5.0 / 7, velocity(w, i).x, 1e-3, "speed");
  ASSERT_NEAR(3 * 5.0 / 7 / 0.1, po_world_v(w, i)[1], 1e-3, "spin");
  po_world_free(w);
  po_model_free(ball);
}

static void test_a_stack_of_ten_rests(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world *w = new_world(NULL);
  po_vec3 at[10];
  double seconds = full() ? 20 : 3, drift = 0;
  int i;
  for (i = 0; i < 10; i++) add(w, box, 0.003 * (i % 3), 0.002 * (i % 2), 0.1 + 0.2 * i);
  for (i = 0; i < 10; i++) at[i] = position(w, i);
  steps(w, (int)(seconds * 1000), 1e-3);
  for (i = 0; i < 10; i++) drift = po_max(drift, po_v3_norm(po_v3_sub(position(w, i), at[i])));
  {
    char line[80];
    po_format(line, sizeof line, "drift %g m in %g s", drift, seconds);
    TEST_ASSERT_TRUE_MESSAGE(drift < 1e-3, line);
    TEST_MESSAGE(line);
  }
  po_world_free(w);
  po_model_free(box);
}

/* ---- every solver, every law --------------------------------------------------------------------------------------------------------- */

/* A block that slides along the first tangent of its contacts, where all laws allow the same friction; and a human that falls. */
static void one_combination(po_lcp_method solver, po_friction_law law) {
  const po_model *box = free_box(2, 0.2, 0.15, 0.05), *human;
  po_world_opts opts = po_world_opts_default();
  po_error err;
  po_world *w;
  po_vec3 t1, t2;
  char line[120];
  double deepest = 0;
  int k, steps_taken = 0, sweeps_taken = 0;
  po_v3_tangents(&t1, &t2, po_v3(0, 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  opts.solver = solver;
  opts.friction = law;
  opts.mu = 0.4;
  opts.max_sweeps = 200;
  w = new_world(&opts);
  add(w, box, 5, 0, 0.05);
  po_v3_to(po_world_v(w, 0) + 3, po_v3_scale(2, t1));
  add(w, human, 0, 0, 0);
  po_neutral(po_world_q(w, 1), human);
  po_world_q(w, 1)[6] += 0.05;
  for (k = 0; k < 600; k++) {
    po_world_report r;
    steps(w, 1, 1e-3);
    r = po_world_last_report(w);
    deepest = po_max(deepest, r.penetration);
    steps_taken += r.steps;
    sweeps_taken += r.sweeps;
  }
  po_format(line, sizeof line, "%s, law %d: moved %g, deepest %g, %d steps, %d sweeps", po_lcp_method_string(solver), law,
            po_v3_norm(po_v3_sub(position(w, 0), po_v3(5, 0, 0.05))), deepest, steps_taken, sweeps_taken);
  TEST_ASSERT_TRUE_MESSAGE(fabs(po_v3_norm(po_v3_sub(position(w, 0), po_v3(5, 0, 0.05))) - 4 / (2 * 0.4 * 9.81)) < 0.01 * 0.51, line);
  TEST_ASSERT_TRUE_MESSAGE(deepest < 3e-3 && (solver == PO_LCP_PGS ? sweeps_taken > 600 : steps_taken > 600), line);
  po_world_free(w);
  po_model_free(box);
  po_model_free(human);
}

static void test_every_solver_and_law(void) {
  static const struct { po_lcp_method solver; po_friction_law law; } all[] = {
      {PO_LCP_LEMKE, PO_FRICTION_BOX}, {PO_LCP_LEMKE, PO_FRICTION_PYRAMID}, {PO_LCP_DANTZIG, PO_FRICTION_BOX}, {PO_LCP_PGS, PO_FRICTION_BOX},
      {PO_LCP_PGS, PO_FRICTION_PYRAMID}, {PO_LCP_PGS, PO_FRICTION_CONE}, {PO_LCP_NEWTON, PO_FRICTION_BOX}, {PO_LCP_NEWTON, PO_FRICTION_PYRAMID},
      {PO_LCP_NEWTON, PO_FRICTION_CONE}};
  size_t i;
  for (i = 0; i < sizeof all / sizeof all[0]; i++) one_combination(all[i].solver, all[i].law);
}

static void test_options_are_checked(void) {
  po_world_opts o = po_world_opts_default();
  po_world *w = NULL;
#define REFUSE(status, change) \
  do { \
    o = po_world_opts_default(); \
    change; \
    TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_world_new(&w, &o), #change); \
    TEST_ASSERT_NULL(w); \
  } while (0)
  REFUSE(PO_ERR_NOT_FINITE, o.gravity.x = PO_NAN);
  REFUSE(PO_ERR_RANGE, o.mu = -1);
  REFUSE(PO_ERR_RANGE, o.restitution = 1.1);
  REFUSE(PO_ERR_RANGE, o.margin = -1);
  REFUSE(PO_ERR_RANGE, o.sides = 5);
  REFUSE(PO_ERR_RANGE, o.max_sweeps = 0);
  REFUSE(PO_ERR_RANGE, o.joint_damping = -0.1);
  REFUSE(PO_ERR_SIZE, o.max_contacts = -1);
  REFUSE(PO_ERR_SIZE, o.max_contacts = 0x7fffffff);
  REFUSE(PO_ERR_SIZE, o.max_springs = 0x7fffffff);
  REFUSE(PO_ERR_SIZE, o.max_characters = 0x7fffffff);
  REFUSE(PO_ERR_SIZE, o.dense_contacts = 0x7fffffff);
  REFUSE(PO_ERR_NOT_FINITE, o.tolerance = PO_INF);
  REFUSE(PO_ERR_UNSUPPORTED, o.solver = PO_LCP_LEMKE);
  REFUSE(PO_ERR_UNSUPPORTED, (o.solver = PO_LCP_DANTZIG, o.friction = PO_FRICTION_PYRAMID));
#undef REFUSE
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_world_new(NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_world_add(NULL, w, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 1e-3)); /* an empty world has nothing to do */
  TEST_ASSERT_NULL(po_world_q(w, 0));
  TEST_ASSERT_NULL(po_world_model(w, -1));
  po_world_free(w);
  po_world_free(NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_solver_and_law);
  RUN_TEST(test_options_are_checked);
  RUN_TEST(test_a_block_sticks_below_the_friction_angle);
  RUN_TEST(test_a_block_slides_above_the_friction_angle);
  RUN_TEST(test_a_sliding_block_stops_where_it_should);
  RUN_TEST(test_balls_bounce_to_e_squared_of_their_height);
  RUN_TEST(test_a_ball_launched_sliding_ends_rolling_at_five_sevenths);
  RUN_TEST(test_a_stack_of_ten_rests);
  return UNITY_END() != 0;
}
