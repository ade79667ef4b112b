/* test_limits.c: joints stop at their limits, inelastically, whatever their kind; a spherical joint's rows are the exact gradient of log(q). */
#include "contact/world_internal.h"
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* One rod on the world by a joint of the given kind, limits ±limit on every freedom, measured from `centre`. */
static const po_model *hanging_from(po_joint_type type, double limit, double damping, po_quat centre) {
  po_builder *b;
  const po_model *m = NULL;
  po_error err;
  po_joint j = po_joint_default(type, "joint");
  po_inertia in = po_inertia_box(1, 0.1, 0.2, 1);
  int k;
  in.com = po_v3(0, 0, -0.5);
  j.axis = type == PO_JOINT_PRISMATIC ? po_v3(0, 0, 1) : po_v3(0, 1, 0);
  j.axis2 = po_v3(1, 0, 0);
  j.limit_centre = centre;
  for (k = 0; k < 3; k++) {
    j.lower[k] = -limit;
    j.upper[k] = limit;
    j.damping[k] = damping;
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "hanging"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, "rod", NULL, &j, &in, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&m, b, &err), err.message);
  po_builder_free(b);
  return m;
}

static const po_model *hanging(po_joint_type type, double limit, double damping) {
  return hanging_from(type, limit, damping, po_q_identity());
}

/* Largest |q| (of log(q) for spherical joints) over a second, from a push. */
static double reach(const po_model *m, double speed, double *rest) {
  po_world *w = new_world(NULL);
  double most = 0, *q, *v;
  int k, i;
  add(w, m, 0, 0, 0);
  q = po_world_q(w, 0);
  v = po_world_v(w, 0);
  if (m->joint[0].type == PO_JOINT_SPHERICAL) po_q_to(q, m->joint[0].limit_centre);
  for (i = 0; i < m->nv; i++) v[i] = speed / (i + 1);
  for (k = 0; k < 1500; k++) {
    steps(w, 1, 1e-3);
    if (m->joint[0].type == PO_JOINT_SPHERICAL) {
      po_vec3 r = po_q_log(po_limit_turn(&m->joint[0], q));
      most = po_max(most, po_max(fabs(r.x), po_max(fabs(r.y), fabs(r.z))));
    } else {
      for (i = 0; i < m->nq; i++) most = po_max(most, fabs(q[i]));
    }
    TEST_ASSERT_TRUE(po_world_energy(w).limits <= 1e-12);
  }
  *rest = po_norm_inf(v, m->nv);
  po_world_free(w);
  return most;
}

static void test_every_kind_of_joint_stops_at_its_limits(void) {
  static const po_joint_type types[] = {PO_JOINT_REVOLUTE, PO_JOINT_PRISMATIC, PO_JOINT_UNIVERSAL, PO_JOINT_SPHERICAL, PO_JOINT_PLANAR};
  int t;
  for (t = 0; t < 5; t++) {
    const po_model *m = hanging(types[t], 0.3, 0);
    double rest, most = reach(m, 8, &rest);
    char line[80];
    po_format(line, sizeof line, "joint type %d went to %g", types[t], most);
    TEST_ASSERT_TRUE_MESSAGE(most < 0.3 + 1.5e-3 && most > 0.29, line);
    po_model_free(m);
  }
}

static void test_a_rod_rests_on_its_limit_and_the_impulse_is_reported(void) {
  const po_model *m = hanging(PO_JOINT_REVOLUTE, 0.3, 0);
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  opts.gravity = po_v3(9.81, 0, 0); /* sideways: it leans on a limit */
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  steps(w, 1000, 1e-3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.3, fabs(po_world_q(w, 0)[0]));
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, po_world_v(w, 0)[0]);
  /* it holds the moment of gravity */
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 9.81 * 0.5 * po_cos(0.3), fabs(po_world_limit_impulse(w, 0)[0]) / 1e-3);
  TEST_ASSERT_EQUAL_INT(1, po_world_last_report(w).limits);
  po_world_free(w);
  po_model_free(m);
}

static void test_a_start_beyond_the_limit_comes_back_without_a_bang(void) {
  const po_model *m = hanging(PO_JOINT_REVOLUTE, 0.3, 0);
  po_world *w = new_world(NULL);
  double most = 0;
  int k;
  add(w, m, 0, 0, 0);
  po_world_q(w, 0)[0] = 0.8;
  for (k = 0; k < 2000; k++) {
    steps(w, 1, 1e-3);
    if (fabs(po_world_q(w, 0)[0]) <= 0.3) break;
    most = po_max(most, fabs(po_world_v(w, 0)[0]));
  }
  TEST_ASSERT_TRUE(k < 1000);
  TEST_ASSERT_TRUE(most < 4); /* what gravity does on the way down, no more */
  po_world_free(w);
  po_model_free(m);
}

/* Nothing but the limit itself brings it back here, slowly, and no farther than the limit. */
static void test_what_is_beyond_a_limit_is_worked_off(void) {
  const po_model *m = hanging(PO_JOINT_REVOLUTE, 0.3, 0);
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  opts.gravity = po_v3(0, 0, 0);
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  po_world_q(w, 0)[0] = 0.35;
  steps(w, 1000, 1e-3);
  TEST_ASSERT_TRUE(po_world_q(w, 0)[0] < 0.302 && po_world_q(w, 0)[0] > 0.29);
  po_world_free(w);
  po_model_free(m);
}

/* Limits measured from a centre hold there; q itself goes through the half turn meanwhile. */
static void test_spherical_limits_are_measured_from_their_centre(void) {
  const po_model *m = hanging_from(PO_JOINT_SPHERICAL, 0.3, 0, po_q_axis_angle(po_v3(0.6, 0, 0.8), PO_PI - 0.1));
  double rest, most = reach(m, 8, &rest);
  TEST_ASSERT_TRUE(most < 0.3 + 1.5e-3 && most > 0.29);
  po_model_free(m);
}

/* Rows against differences: r(q ⊕ eps e_k). */
static void rows_are_the_gradient(po_quat centre) {
  const po_model *m = hanging_from(PO_JOINT_SPHERICAL, 0.001, 0, centre); /* all limits are near: six rows */
  int seed;
  for (seed = 0; seed < 50; seed++) {
    po_world *w = new_world(NULL);
    po_character *c;
    po_rng rng;
    po_vec3 r;
    int k, row;
    add(w, m, 0, 0, 0);
    c = w->character[0];
    po_rng_init(&rng, (uint64_t)seed, 5);
    r = seed < 5 ? po_v3(1e-5 * seed, 0, 0) : po_v3(po_rng_range(&rng, -1.7, 1.7), po_rng_range(&rng, -1.7, 1.7), po_rng_range(&rng, -1.7, 1.7));
    po_q_to(c->q, po_q_mul(centre, po_q_exp(r)));
    memset(c->ports.port_of_body, 0xff, sizeof(int));
    po_character_place(w, c);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_character_accelerate(w, 0, NULL, 1e-3));
    c->ports.max = 12;
    po_limit_constraints(w, 0, 1e-3);
    TEST_ASSERT_TRUE(c->ports.joints >= 1);
    for (row = 0; row < c->ports.joints; row++) {
      int component = w->row[row].index - m->joint[0].v;
      double sign = w->row[row].bias > 0 || w->row[row].recover > 0 ? 0 : 0;
      for (k = 0; k < 3; k++) {
        double v[3] = {0, 0, 0}, qp[4], qm[4], rp[3], rm[3], eps = 1e-6, slope;
        v[k] = 1;
        po_integrate(qp, m, c->q, v, eps);
        po_integrate(qm, m, c->q, v, -eps);
        po_v3_to(rp, po_q_log(po_limit_turn(&m->joint[0], qp)));
        po_v3_to(rm, po_q_log(po_limit_turn(&m->joint[0], qm)));
        slope = (rp[component] - rm[component]) / (2 * eps);
        sign = fabs(c->ports.joint[row].g[k] - slope) < fabs(c->ports.joint[row].g[k] + slope) ? 1 : -1; /* lower or upper */
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, slope, sign * c->ports.joint[row].g[k]);
      }
    }
    po_world_free(w);
  }
  po_model_free(m);
}

static void test_the_rows_of_spherical_limits_are_the_exact_gradient(void) {
  rows_are_the_gradient(po_q_identity());
  rows_are_the_gradient(po_q_axis_angle(po_v3(0.6, -0.8, 0), 1.5));
}

static void test_dampers_are_implicit(void) {
  const po_model *m = hanging(PO_JOINT_REVOLUTE, 3, 500); /* 500 N m s/rad on 0.3 kg m²: explicit steps of 1 ms would explode */
  po_world *w = new_world(NULL);
  double before;
  int k;
  add(w, m, 0, 0, 0);
  po_world_q(w, 0)[0] = 1;
  po_world_v(w, 0)[0] = 5;
  before = po_world_energy(w).kinetic;
  for (k = 0; k < 2000; k++) {
    steps(w, 1, 1e-3);
    TEST_ASSERT_TRUE(po_world_energy(w).kinetic < before);
  }
  /* overdamped: creeps at m g l sin(q) / d */
  ASSERT_NEAR(-9.81 * 0.5 * po_sin(po_world_q(w, 0)[0]) / 500, po_world_v(w, 0)[0], 1e-3, "creep");
  po_world_free(w);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_kind_of_joint_stops_at_its_limits);
  RUN_TEST(test_a_rod_rests_on_its_limit_and_the_impulse_is_reported);
  RUN_TEST(test_a_start_beyond_the_limit_comes_back_without_a_bang);
  RUN_TEST(test_what_is_beyond_a_limit_is_worked_off);
  RUN_TEST(test_spherical_limits_are_measured_from_their_centre);
  RUN_TEST(test_the_rows_of_spherical_limits_are_the_exact_gradient);
  RUN_TEST(test_dampers_are_implicit);
  return UNITY_END() != 0;
}
