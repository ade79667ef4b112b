/* test_world_laws.c: conservation laws and textbook motions: momentum, energy, pendulum, chains, springs. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

typedef struct totals { po_vec3 P, L; double kinetic; } totals;

/* Momentum of the whole world about its origin. */
static totals sum_up(po_world *w) {
  totals t;
  int i;
  t.P = t.L = po_v3(0, 0, 0);
  t.kinetic = 0;
  for (i = 0; i < po_world_count(w); i++) {
    po_data *d = po_world_data(w, i);
    po_vec3 P;
    po_world_kinematics(w, i);
    po_centroidal(d);
    P = po_v3_of(d->momentum + 3);
    t.P = po_v3_add(t.P, P);
    t.L = po_v3_add(t.L, po_v3_add(po_v3_of(d->momentum), po_v3_cross(d->com, P)));
    t.kinetic += po_kinetic_energy(d);
  }
  return t;
}

static po_world *empty_space(double gravity) {
  po_world_opts opts = po_world_opts_default();
  opts.terrain = NULL;
  opts.gravity = po_v3(0, 0, -gravity);
  return new_world(&opts);
}

static void scatter(po_world *w, po_rng *rng, double size, double speed) {
  int i, k;
  for (i = 0; i < po_world_count(w); i++) {
    double *q = po_world_q(w, i), *v = po_world_v(w, i);
    const po_model *m = po_world_model(w, i);
    for (k = 0; k < 4; k++) q[k] = po_rng_normal(rng); /* one by one: the order of arguments is the compiler's */
    po_q_to(q, po_q_unit(po_q_of(q)));
    for (k = 0; k < 3; k++) q[4 + k] = po_rng_range(rng, -size, size);
    for (k = 0; k < m->nv; k++) v[k] = po_rng_range(rng, -speed, speed);
    /* toward the middle */
    po_v3_to(v + 3, po_v3_scale(-speed / size, po_q_rotate(po_q_conj(po_q_of(q)), po_v3_of(q + 4))));
  }
}

/* Boxes, balls and capsules that fly together; with a limp human among them when asked. */
static void meet(int with_human, double dt, double *linear, double *angular, double *size) {
  const po_model *box = free_box(1, 0.1, 0.15, 0.2), *ball = free_ball(2, 0.15), *capsule = free_capsule(0.7, 0.08, 0.2), *human;
  po_error err;
  po_world *w = empty_space(0);
  po_rng rng;
  totals before, after;
  int i, touched = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  for (i = 0; i < 4; i++) {
    add(w, box, 0, 0, 0);
    add(w, ball, 0, 0, 0);
    add(w, capsule, 0, 0, 0);
  }
  if (with_human) po_world_set_self_collision(w, add(w, human, 0, 0, 0), 1);
  for (i = 0; i < po_world_count(w); i++) po_world_set_material(w, i, -1, 0.8, i % 3 * 0.4);
  po_rng_init(&rng, 11, 0);
  scatter(w, &rng, 1, 1);
  before = sum_up(w);
  for (i = 0; i * dt < 2; i++) {
    int k;
    steps(w, 1, dt);
    touched += po_world_contacts(&k, w) && k > 0;
  }
  after = sum_up(w);
  TEST_ASSERT_TRUE_MESSAGE(touched > 200, "they were to meet");
  TEST_ASSERT_TRUE_MESSAGE(after.kinetic < before.kinetic, "contacts took energy");
  *linear = po_v3_norm(po_v3_sub(after.P, before.P));
  *angular = po_v3_norm(po_v3_sub(after.L, before.L));
  *size = po_v3_norm(before.L);
  po_world_free(w);
  po_model_free(box);
  po_model_free(ball);
  po_model_free(capsule);
  po_model_free(human);
}

static void test_momentum_is_unchanged_by_contacts_within_the_world(void) {
  double linear, angular, finer, size;
  meet(0, 1e-3, &linear, &angular, &size);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0, linear);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0, angular);
  /* a human's momentum is exact too, but while it touches something its links come before its centre of mass, whose way is then good to
   * first order in dt only, and with it the moment x × P about the world's origin */
  meet(1, 1e-3, &linear, &angular, &size);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, linear);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3 * size, 0, angular);
  meet(1, 2.5e-4, &linear, &finer, &size);
  TEST_ASSERT_DOUBLE_WITHIN(0.4 * angular, 0, finer);
}

static void test_two_humans_that_collide_keep_their_momentum(void) {
  const po_model *human;
  po_error err;
  po_world *w = empty_space(0);
  totals before, after;
  int i, k, touched = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  for (i = 0; i < 2; i++) {
    add(w, human, i ? 0.9 : -0.9, 0.1 * i, 1);
    po_world_v(w, i)[3] = i ? -2 : 2;
    po_world_v(w, i)[1] = 0.5;
  }
  before = sum_up(w);
  for (i = 0; i < 1200; i++) {
    steps(w, 1, 1e-3);
    touched += po_world_contacts(&k, w) && k > 0;
  }
  after = sum_up(w);
  TEST_ASSERT_TRUE(touched > 20);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, po_v3_norm(po_v3_sub(after.P, before.P)));
  TEST_ASSERT_TRUE(after.kinetic < 0.9 * before.kinetic);
  po_world_free(w);
  po_model_free(human);
}

static void test_a_limp_human_in_flight_keeps_its_momentum(void) {
  const po_model *human;
  po_error err;
  po_world *w = empty_space(9.81);
  po_data *d;
  po_rng rng;
  po_vec3 L0, L1, c0, v0;
  double mass, t = 1.2;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  add(w, human, 0, 0, 0);
  po_rng_init(&rng, 3, 0);
  for (k = 0; k < human->nv; k++) po_world_v(w, 0)[k] = po_rng_range(&rng, -2, 2);
  po_world_v(w, 0)[1] = 7; /* a somersault */
  d = po_world_data(w, 0);
  po_world_kinematics(w, 0);
  po_centroidal(d);
  L0 = po_v3_of(d->momentum);
  c0 = d->com;
  v0 = d->com_velocity;
  mass = human->total_mass;
  steps(w, 1200, 1e-3);
  po_world_kinematics(w, 0);
  po_centroidal(d);
  L1 = po_v3_of(d->momentum);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * po_v3_norm(L0), 0, po_v3_norm(po_v3_sub(L1, L0)));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * mass, 0, po_v3_norm(po_v3_sub(po_v3_scale(mass, po_v3_add(v0, po_v3(0, 0, -9.81 * t))), po_v3_of(d->momentum + 3))));
  /* the centre of mass follows the parabola to first order in dt */
  TEST_ASSERT_DOUBLE_WITHIN(0.012, 0, po_v3_norm(po_v3_sub(d->com, po_v3_add(c0, po_v3_add(po_v3_scale(t, v0), po_v3(0, 0, -0.5 * 9.81 * t * t))))));
  po_world_free(w);
  po_model_free(human);
}

static void test_a_tumbling_box_keeps_momentum_and_energy(void) {
  const po_model *box = free_box(1, 0.05, 0.1, 0.2);
  po_world *w = empty_space(0);
  totals a, b;
  int i = add(w, box, 0, 0, 0);
  double *v = po_world_v(w, i);
  v[0] = 0.5; /* about its middle axis: the motion that turns over and over */
  v[1] = 12;
  v[2] = 0.3;
  v[3] = 1;
  a = sum_up(w);
  steps(w, 10000, 1e-3);
  b = sum_up(w);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, po_v3_norm(po_v3_sub(a.P, b.P)));
  ASSERT_NEAR(a.kinetic, b.kinetic, 1e-11, "kinetic energy after 10 s");
  po_world_free(w);
  po_model_free(box);
}

/* Euler's equations of a free body, by the classical Runge-Kutta method with steps so small that they are exact here. */
static void euler_rate(double rate[3], const double I[3], const double w[3]) {
  int k;
  for (k = 0; k < 3; k++) rate[k] = (I[(k + 1) % 3] - I[(k + 2) % 3]) / I[k] * w[(k + 1) % 3] * w[(k + 2) % 3];
}
static void euler_step(double w[3], const double I[3], double h) {
  double k[4][3], at[3];
  int i, s;
  euler_rate(k[0], I, w);
  for (s = 1; s < 4; s++) {
    for (i = 0; i < 3; i++) at[i] = w[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
    euler_rate(k[s], I, at);
  }
  for (i = 0; i < 3; i++) w[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

/* Turning about its middle axis a body flips over again and again, at times that hang on its energy to one part in a million: a perturbation of 1e-3 in
 * 10 rad/s. So many flips in 60 s as the equations have, 17, at any step; the trapezoidal rule had 27 at 1 ms and 19 at 0.1 ms. And it is
 * where the equations are, to second order in the step. */
static void test_a_body_flips_as_often_as_it_should(void) {
  static const double sizes[3] = {0.25, 0.125, 0.05}; /* half of 0.5 × 0.25 × 0.1 m */
  static const double dt[] = {2e-3, 1e-3, 5e-4};
  const po_model *box = free_box(1, sizes[0], sizes[1], sizes[2]);
  double off[3];
  char line[120];
  size_t k;
  for (k = 0; k < 3; k++) {
    po_world *w = empty_space(0);
    int i = add(w, box, 0, 0, 0), flips = 0, exact = 0, n, steps_each = (int)(dt[k] / 1e-4 + 0.5);
    double *v = po_world_v(w, i), e[3] = {1e-3, 10, 1e-3}, I[3], last = 1, last_exact = 1;
    for (n = 0; n < 3; n++) {
      double a = sizes[(n + 1) % 3], b = sizes[(n + 2) % 3];
      I[n] = (a * a + b * b) / 3;
    }
    memcpy(v, e, sizeof e);
    off[k] = 0;
    for (n = 0; n < (int)(60 / dt[k] + 0.5); n++) {
      int s;
      steps(w, 1, dt[k]);
      for (s = 0; s < steps_each; s++) euler_step(e, I, 1e-4);
      v = po_world_v(w, i);
      flips += v[1] * last < 0;
      exact += e[1] * last_exact < 0;
      last = v[1];
      last_exact = e[1];
      if (n * dt[k] < 3) for (s = 0; s < 3; s++) off[k] = po_max(off[k], fabs(v[s] - e[s])); /* before the first flip, which is at 3.4 s */
    }
    po_format(line, sizeof line, "dt %g: %d flips, %d exact; off by %g rad/s in 3 s", dt[k], flips, exact, off[k]);
    TEST_MESSAGE(line);
    TEST_ASSERT_EQUAL_INT_MESSAGE(17, exact, line);
    TEST_ASSERT_EQUAL_INT_MESSAGE(17, flips, line);
    po_world_free(w);
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 4, off[0] / off[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 4, off[1] / off[2]);
  po_model_free(box);
}

/* Kinetic plus potential energy after every step, for e = 0: it never grows beyond what integration does (bounded by `slack` of the start). */
static void energy_falls(double mu, double e, int bodies, uint64_t seed, double slack) {
  const po_model *kinds[3];
  po_world *w = new_world(NULL);
  po_rng rng;
  po_energy now;
  double last, first, spread;
  char line[160];
  int i, k;
  kinds[0] = free_box(1, 0.1, 0.15, 0.2);
  kinds[1] = free_ball(1, 0.12);
  kinds[2] = free_capsule(1, 0.08, 0.15);
  po_rng_init(&rng, seed, 0);
  for (i = 0; i < bodies; i++) {
    int b = add(w, kinds[i % 3], po_rng_range(&rng, -0.3, 0.3), po_rng_range(&rng, -0.3, 0.3), 0.5 + 0.4 * i);
    for (k = 0; k < 6; k++) po_world_v(w, b)[k] = po_rng_range(&rng, -2, 2);
    po_q_to(po_world_q(w, b), po_q_unit(po_q(po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng))));
    po_world_set_material(w, b, -1, mu, e);
  }
  now = po_world_energy(w);
  first = last = now.kinetic + now.potential;
  spread = slack * first;
  for (k = 0; k < 1500; k++) {
    double total;
    steps(w, 1, 1e-3);
    now = po_world_energy(w);
    total = now.kinetic + now.potential - now.recovery; /* lifting what sank in costs nobody anything, and is booked */
    po_format(line, sizeof line, "mu %g e %g seed %d step %d: %.17g after %.17g", mu, e, (int)seed, k, total, last);
    TEST_ASSERT_TRUE_MESSAGE(total <= last + spread, line);
    last = total;
  }
  po_format(line, sizeof line, "mu %g e %g seed %d: contacts %g impacts %g of %g J", mu, e, (int)seed, now.contacts, now.impacts, first);
  TEST_ASSERT_TRUE_MESSAGE(now.contacts <= 1e-9 * first && now.impacts <= 0 && last <= first, line);
  po_world_free(w);
  for (i = 0; i < 3; i++) po_model_free(kinds[i]);
}

/* Flight runs backwards as it ran forwards: a tumbling box, thrown and turned back after two seconds, is where it was, to rounding. */
static void test_flight_runs_backwards(void) {
  const po_model *box = free_box(2, 0.05, 0.1, 0.2);
  po_world *w = empty_space(9.81);
  double *q, *v, q0[7], v0[6] = {3, 7, -2, 1, -2, 6};
  int i = add(w, box, 1, 2, 3), k, turn;
  q = po_world_q(w, i);
  v = po_world_v(w, i);
  memcpy(v, v0, sizeof v0);
  memcpy(q0, q, sizeof q0);
  for (turn = 0; turn < 2; turn++) {
    steps(w, 2000, 1e-3);
    for (k = 0; k < 6; k++) v[k] = -v[k];
  }
  for (k = 0; k < 7; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, q0[k], q[0] * q0[0] < 0 && k < 4 ? -q[k] : q[k]);
  for (k = 0; k < 6; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, v0[k], v[k]);
  po_world_free(w);
  po_model_free(box);
}

static void test_energy_never_grows_without_restitution(void) {
  static const double mus[] = {0, 0.3, 1, 3};
  int i;
  for (i = 0; i < 4; i++) energy_falls(mus[i], 0, 9, (uint64_t)i + 1, 1e-6);
}

static void test_energy_never_grows_without_friction(void) {
  static const double es[] = {0.3, 0.7, 1};
  int i;
  for (i = 0; i < 3; i++) energy_falls(0, es[i], 9, (uint64_t)i + 10, 1e-6);
}

static void test_bouncing_with_friction_adds_no_energy_either(void) {
  energy_falls(0.5, 0.8, 9, 20, 1e-6);
  energy_falls(1, 1, 9, 21, 1e-6);
}

/* ---- pendulum and chain ------------------------------------------------------------------------------------------------------------- */

/* A chain of n rods (length l each, mass m) that hangs on the world from hinges about y. */
static const po_model *chain(int n, double l, double mass) {
  po_builder *b;
  const po_model *m = NULL;
  po_error err;
  char name[32], parent[32], joint[32];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "chain"));
  for (i = 0; i < n; i++) {
    po_joint j;
    po_inertia in = po_inertia_capsule(mass, 0.01, 0.5 * l - 0.01);
    po_format(name, sizeof name, "link%d", i);
    po_format(parent, sizeof parent, "link%d", i - 1);
    po_format(joint, sizeof joint, "joint%d", i);
    in.com = po_v3(0, 0, -0.5 * l);
    j = po_joint_default(PO_JOINT_REVOLUTE, joint);
    j.axis = po_v3(0, 1, 0);
    j.placement.p = po_v3(0, 0, i ? -l : 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, name, i ? parent : NULL, &j, &in, &err), err.message);
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&m, b, &err), err.message);
  po_builder_free(b);
  return m;
}

/* Complete elliptic integral of the first kind by the arithmetic-geometric mean. */
static double elliptic_k(double k) {
  double a = 1, b = sqrt(1 - k * k);
  int i;
  for (i = 0; i < 40; i++) {
    double c = 0.5 * (a + b);
    b = sqrt(a * b);
    a = c;
  }
  return PO_PI / (2 * a);
}

static void test_a_pendulum_swings_with_the_elliptic_period(void) {
  static const double starts[] = {0.2, 1.0, 2.2};
  int i;
  for (i = 0; i < 3; i++) {
    const po_model *m = chain(1, 1, 2);
    po_world *w = empty_space(9.81);
    const po_inertia *in = &m->inertia[0];
    double about = in->I.m[4] + in->mass * 0.25, w0 = sqrt(in->mass * 9.81 * 0.5 / about), expected, measured, last = 0, lastq;
    int k, crossings = 0;
    double first = 0;
    add(w, m, 0, 0, 0);
    po_world_q(w, 0)[0] = starts[i];
    expected = 4 / w0 * elliptic_k(po_sin(0.5 * starts[i]));
    lastq = starts[i];
    for (k = 0; k < 200000 && crossings < 11; k++) {
      double q;
      steps(w, 1, 5e-4);
      q = po_world_q(w, 0)[0];
      if (lastq > 0 && q <= 0) { /* downward crossing, interpolated */
        last = po_world_time(w) - 5e-4 * q / (q - lastq);
        if (crossings++ == 0) first = last;
      }
      lastq = q;
    }
    measured = (last - first) / (crossings - 1);
    ASSERT_NEAR(expected, measured, 2e-4, "period");
    po_world_free(w);
    po_model_free(m);
  }
}

static void chain_keeps_its_energy(int links) {
  const po_model *m = chain(links, 0.1, 0.2);
  po_world *w = empty_space(9.81);
  po_energy e;
  double first, worst = 0, scale;
  char line[100];
  int k;
  add(w, m, 0, 0, 0);
  po_world_q(w, 0)[0] = PO_PI / 2; /* held out straight */
  e = po_world_energy(w);
  first = e.kinetic + e.potential;
  scale = m->total_mass * 9.81 * 0.05 * links;
  for (k = 0; k < 1500; k++) {
    steps(w, 1, 1e-3);
    e = po_world_energy(w);
    worst = po_max(worst, fabs(e.kinetic + e.potential - first) / scale);
  }
  po_format(line, sizeof line, "energy off by %g of the swing", worst);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(worst < 0.01 && e.kinetic > 0.05 * scale, line);
  for (k = 0; k < (full() ? 20000 : 3000); k++) { /* it whips on, at rates no explicit step can follow, and still makes no energy */
    steps(w, 1, 1e-3);
    if (k % 10) continue;
    e = po_world_energy(w);
    TEST_ASSERT_TRUE_MESSAGE(e.kinetic + e.potential < first + 0.1 * scale, "the chain made energy");
  }
  po_world_free(w);
  po_model_free(m);
}

static void test_long_chains_swing_and_keep_their_energy(void) {
  chain_keeps_its_energy(50);
  if (full()) chain_keeps_its_energy(20), chain_keeps_its_energy(35), chain_keeps_its_energy(70);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_momentum_is_unchanged_by_contacts_within_the_world);
  RUN_TEST(test_two_humans_that_collide_keep_their_momentum);
  RUN_TEST(test_a_limp_human_in_flight_keeps_its_momentum);
  RUN_TEST(test_a_tumbling_box_keeps_momentum_and_energy);
  RUN_TEST(test_a_body_flips_as_often_as_it_should);
  RUN_TEST(test_flight_runs_backwards);
  RUN_TEST(test_energy_never_grows_without_restitution);
  RUN_TEST(test_energy_never_grows_without_friction);
  RUN_TEST(test_bouncing_with_friction_adds_no_energy_either);
  RUN_TEST(test_a_pendulum_swings_with_the_elliptic_period);
  RUN_TEST(test_long_chains_swing_and_keep_their_energy);
  return UNITY_END() != 0;
}
