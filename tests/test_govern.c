/* test_govern.c: conservative motion keeps its energy: pendulums, chains, spherical joints, rigid bodies; what is limp still comes to rest. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_world *empty_space(double gravity) {
  po_world_opts opts = po_world_opts_default();
  opts.terrain = NULL;
  opts.gravity = po_v3(0, 0, -gravity);
  return new_world(&opts);
}

/* A chain of n rods, 1 m in all, that hangs on the world (or floats: the first joint then is a floating one) by joints of one kind. */
static const po_model *hanging_chain(int n, po_joint_type type, int floating) {
  po_builder *b;
  const po_model *m = NULL;
  po_error err;
  char name[32], parent[32], joint[32];
  double l = 1.0 / n;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "chain"));
  for (i = 0; i < n; i++) {
    po_joint j;
    po_inertia in = po_inertia_capsule(1.0 / n, 0.02, 0.5 * l - 0.02);
    po_format(name, sizeof name, "link%d", i);
    po_format(parent, sizeof parent, "link%d", i - 1);
    po_format(joint, sizeof joint, "joint%d", i);
    in.com = po_v3(0, 0, -0.5 * l);
    j = po_joint_default(i == 0 && floating ? PO_JOINT_FLOATING : type, joint);
    if (j.type == PO_JOINT_REVOLUTE) j.axis = po_v3(0, 1, 0);
    j.placement.p = po_v3(0, 0, i ? -l : 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, name, i ? parent : NULL, &j, &in, &err), err.message);
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&m, b, &err), err.message);
  po_builder_free(b);
  return m;
}

/* Energy above that of hanging still after `seconds`, as a share of that at the start; *worst: the largest deviation on the way. */
static double kept(po_world *w, double seconds, double dt, double lowest, double *worst) {
  po_energy e = po_world_energy(w);
  double first = e.kinetic + e.potential - lowest, share = 1;
  long k, n = (long)(seconds / dt + 0.5);
  *worst = 0;
  for (k = 0; k < n; k++) {
    steps(w, 1, dt);
    if (k % 16 && k + 1 < n) continue;
    e = po_world_energy(w);
    share = (e.kinetic + e.potential - lowest) / first;
    *worst = po_max(*worst, fabs(share - 1));
  }
  return share;
}

static double hanging_energy(const po_model *m, po_world *w) {
  double *q = po_world_q(w, 0), keep[64], low;
  memcpy(keep, q, sizeof(double) * (size_t)m->nq);
  po_neutral(q, m);
  low = po_world_energy(w).potential;
  memcpy(q, keep, sizeof(double) * (size_t)m->nq);
  return low;
}

static void swing(int links, po_joint_type type, double angle, double dt, double seconds, double bound) {
  const po_model *m = hanging_chain(links, type, 0);
  po_world *w = empty_space(9.81);
  double worst, share, *q;
  char line[160];
  add(w, m, 0, 0, 0);
  q = po_world_q(w, 0);
  if (type == PO_JOINT_SPHERICAL) {
    po_q_to(q, po_q_exp(po_v3(0, angle, 0)));
    po_world_v(w, 0)[0] = 1; /* out of the plane */
    po_world_v(w, 0)[2] = 2;
  } else {
    q[0] = angle;
  }
  share = kept(w, seconds, dt, hanging_energy(m, w), &worst);
  po_format(line, sizeof line, "%d links, %s, from %g rad at %g ms: %.5f of the energy after %g s, off by %.5f at most", links,
            type == PO_JOINT_SPHERICAL ? "spherical" : "hinges", angle, 1e3 * dt, share, seconds, worst);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(fabs(share - 1) < bound && worst < 4 * bound, line);
  po_world_free(w);
  po_model_free(m);
}

/* At 1 kHz for a minute, to half a percent, whatever the chain. */
static void test_chains_keep_their_energy(void) {
  static const double angles[] = {0.3, 1.5, 3.0};
  int n, a;
  for (n = 1; n <= 5; n++)
    for (a = 0; a < 3; a++) swing(n, PO_JOINT_REVOLUTE, angles[a], 1e-3, full() || n == 1 || n == 5 ? 60 : 10, 0.005);
}

static void test_spherical_joints_keep_their_energy(void) {
  int n;
  for (n = 1; n <= 3; n++) swing(n, PO_JOINT_SPHERICAL, 1.5, 1e-3, full() || n == 3 ? 60 : 10, 0.005);
  swing(2, PO_JOINT_SPHERICAL, 2.8, 1e-3, full() ? 60 : 10, 0.005);
}

static void test_a_pendulum_keeps_its_swing_at_ten_milliseconds(void) {
  swing(1, PO_JOINT_REVOLUTE, 1.5, 1e-2, 60, 0.005);
  swing(1, PO_JOINT_REVOLUTE, 3.0, 1e-2, 60, 0.005);
}

/* The angle itself, not only the books: the last turning point is as high as the first. */
static void test_a_pendulum_rises_as_high_as_it_began(void) {
  const po_model *m = hanging_chain(1, PO_JOINT_REVOLUTE, 0);
  po_world *w = empty_space(9.81);
  double highest = 0;
  int k;
  add(w, m, 0, 0, 0);
  po_world_q(w, 0)[0] = 3.0;
  steps(w, 56000, 1e-3);
  for (k = 0; k < 5000; k++) { /* two swings: the period is 4.4 s */
    steps(w, 1, 1e-3);
    highest = po_max(highest, fabs(po_world_q(w, 0)[0]));
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 3.0, highest);
  po_world_free(w);
  po_model_free(m);
}

/* A rigid body with three different moments, alone and as the base of a chain, about the axis that turns over. */
static void spin(const po_model *m, double rate, double seconds, const char *what) {
  po_world *w = empty_space(0);
  double worst, share;
  char line[120];
  add(w, m, 0, 0, 0);
  po_world_v(w, 0)[0] = 0.03 * rate;
  po_world_v(w, 0)[1] = rate;
  po_world_v(w, 0)[2] = 0.02 * rate;
  po_world_v(w, 0)[4] = 1;
  share = kept(w, seconds, 1e-3, 0, &worst);
  po_format(line, sizeof line, "%s at %g rad/s: %.6f of the energy after %g s, off by %.6f at most", what, rate, share, seconds, worst);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(fabs(share - 1) < 0.005 && worst < 0.005, line);
  po_world_free(w);
}

static void test_rigid_bodies_keep_their_energy(void) {
  const po_model *box = free_box(1, 0.05, 0.1, 0.2), *chain = hanging_chain(3, PO_JOINT_SPHERICAL, 1);
  spin(box, 5, 60, "a box");
  spin(box, 30, 60, "a box");
  spin(chain, 5, 60, "a chain in flight");
  po_model_free(box);
  po_model_free(chain);
}

/* Dampers are not outwitted: with them a chain comes to rest. */
static void test_a_damped_chain_comes_to_rest(void) {
  const po_model *m = hanging_chain(3, PO_JOINT_REVOLUTE, 0);
  po_world_opts opts = po_world_opts_default();
  po_world *w;
  po_energy e;
  opts.terrain = NULL;
  opts.joint_damping = 0.5; /* N m s/rad on 1/3 kg m²: a time constant near one second */
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  po_world_q(w, 0)[0] = 2;
  steps(w, 20000, 1e-3);
  e = po_world_energy(w);
  TEST_ASSERT_TRUE(e.kinetic < 1e-6);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3 * fabs(e.damping), 0, e.integration);
  po_world_free(w);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_chains_keep_their_energy);
  RUN_TEST(test_spherical_joints_keep_their_energy);
  RUN_TEST(test_a_pendulum_keeps_its_swing_at_ten_milliseconds);
  RUN_TEST(test_a_pendulum_rises_as_high_as_it_began);
  RUN_TEST(test_rigid_bodies_keep_their_energy);
  RUN_TEST(test_a_damped_chain_comes_to_rest);
  return UNITY_END() != 0;
}
