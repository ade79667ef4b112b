/* test_world_rest.c: things that fall down come to rest and stay there: piles of boxes, limp bodies. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* Thirty boxes in a bin 0.7 m wide, so that it is a pile: how far any of them wanders once they lie, and what moves in all of them. */
static double pile_drift(double *energy, uint64_t seed) {
  const po_model *box[3];
  po_world_opts opts = po_world_opts_default();
  po_terrain *bin;
  po_world *w;
  po_rng rng;
  po_vec3 at[30];
  double drift = 0, top = 0;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&bin, NULL));
  po_terrain_add_plane(bin, po_v3(0, 0, 1), 0, 1);
  po_terrain_add_step(bin, po_v3(0.35, -1, 0), po_v3(0.5, 1, 3), 1);
  po_terrain_add_step(bin, po_v3(-0.5, -1, 0), po_v3(-0.35, 1, 3), 1);
  po_terrain_add_step(bin, po_v3(-1, 0.35, 0), po_v3(1, 0.5, 3), 1);
  po_terrain_add_step(bin, po_v3(-1, -0.5, 0), po_v3(1, -0.35, 3), 1);
  opts.terrain = bin;
  w = new_world(&opts);
  box[0] = free_box(1, 0.1, 0.1, 0.1);
  box[1] = free_box(2, 0.2, 0.1, 0.08);
  box[2] = free_box(0.5, 0.12, 0.06, 0.05);
  po_rng_init(&rng, seed, 0);
  for (i = 0; i < 30; i++) {
    int b = add(w, box[i % 3], po_rng_range(&rng, -0.1, 0.1), po_rng_range(&rng, -0.1, 0.1), 0.2 + 0.25 * i);
    po_q_to(po_world_q(w, b), po_q_unit(po_q(1, po_rng_range(&rng, -0.3, 0.3), po_rng_range(&rng, -0.3, 0.3), po_rng_range(&rng, -1, 1))));
  }
  steps(w, full() ? 6000 : 4000, 1e-3);
  for (i = 0; i < 30; i++) at[i] = position(w, i);
  steps(w, full() ? 10000 : 1500, 1e-3);
  for (i = 0; i < 30; i++) drift = po_max(drift, po_v3_norm(po_v3_sub(position(w, i), at[i])));
  for (i = 0; i < 30; i++) top = po_max(top, position(w, i).z);
  TEST_ASSERT_TRUE(top > 0.4 && top < 3); /* heaped up, and all within the bin, whose rim is at 3 m */
  *energy = po_world_energy(w).kinetic;
  po_world_free(w);
  for (i = 0; i < 3; i++) po_model_free(box[i]);
  po_terrain_free(bin);
  return drift;
}

/* Seeds from 1 on, none left out. A box that came to lie on two points may swing about the line through them for minutes, since contacts at points
 * have no friction against rolling: one pile in four may hold such a box, and nothing in it but that box moves. */
static void test_piles_of_thirty_rest(void) {
  int seed, seeds = full() ? 12 : 2, moving = 0;
  char line[160];
  for (seed = 1; seed <= seeds; seed++) {
    double energy, drift = pile_drift(&energy, (uint64_t)seed);
    po_format(line, sizeof line, "pile %d: drift %g m, %g J", seed, drift, energy);
    TEST_MESSAGE(line);
    moving += drift > 1e-3;
    TEST_ASSERT_TRUE_MESSAGE(drift < 0.05 && energy < 0.02, line);
  }
  TEST_ASSERT_TRUE(4 * moving <= seeds);
}

/* Ten boxes fall onto each other, 40 contacts in one group: sweeps left up to 0.3 m/s while they clatter, and the matrix is called in. */
static void test_what_sweeps_leave_is_solved_with_the_matrix(void) {
  const po_model *box = free_box(1, 0.3, 0.3, 0.2);
  po_world *w = new_world(NULL);
  po_rng rng;
  char line[120];
  double worst = 0;
  int i, unconverged = 0, most = 0;
  po_rng_init(&rng, 3, 0);
  for (i = 0; i < 10; i++) add(w, box, po_rng_range(&rng, -0.01, 0.01), po_rng_range(&rng, -0.01, 0.01), 0.102 + 0.205 * i);
  for (i = 0; i < 600; i++) {
    steps(w, 1, 1e-3);
    worst = po_max(worst, po_world_last_report(w).residual);
    unconverged += po_world_last_report(w).unconverged;
    if (po_world_last_report(w).contacts > most) most = po_world_last_report(w).contacts;
  }
  po_format(line, sizeof line, "%d contacts at most, %d steps above the tolerance, %g m/s at most", most, unconverged, worst);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(most > 24 && unconverged == 0 && worst < 1e-6, line);
  po_world_free(w);
  po_model_free(box);
}

/* From 1 m up, turned at random, joints loose but for a little damping. At the end nothing moves, nothing jitters (the ground carries exactly
 * the weight in every step), nothing sank in. */
static void drop_limp(const char *name, int seed, double seconds) {
  po_world_opts opts = po_world_opts_default();
  const po_model *m;
  po_error err;
  po_world *w;
  po_rng rng;
  po_energy e;
  char line[240];
  double deepest = 0, *q, *v, weight, low = PO_INF, high = 0;
  int i, k, n = (int)(seconds * 1000);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&m, name, &err), err.message);
  opts.joint_damping = 0.004 * m->total_mass;
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  q = po_world_q(w, 0);
  v = po_world_v(w, 0);
  po_neutral(q, m);
  po_lift(q, m, 1);
  po_rng_init(&rng, (uint64_t)seed, 7);
  if (m->planar) q[2] = po_rng_range(&rng, -PO_PI, PO_PI);
  else po_q_to(q, po_q_unit(po_q(po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng))));
  for (i = 0; i < m->nv; i++) v[i] = po_rng_range(&rng, -0.5, 0.5);
  weight = m->total_mass * 9.81;
  for (k = 0; k < n; k++) {
    steps(w, 1, 1e-3);
    deepest = po_max(deepest, po_world_last_report(w).penetration);
    if (k >= n - 200) {
      double up = po_world_body_impulse(NULL, w, 0, -1, po_v3(0, 0, 0)).z / 1e-3;
      low = po_min(low, up);
      high = po_max(high, up);
    }
  }
  e = po_world_energy(w);
  po_format(line, sizeof line, "%s seed %d: %g J/kg left, deepest %g m, ground carries %g to %g of the weight", name, seed,
            e.kinetic / m->total_mass, deepest, low / weight, high / weight);
  TEST_ASSERT_TRUE_MESSAGE(e.kinetic / m->total_mass < 1e-4 && deepest < 5e-3 && low > 0.98 * weight && high < 1.02 * weight, line);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(e.contacts <= 1e-9 && e.limits <= 1e-9 && e.impacts == 0 && e.clamped == 0, "contacts, limits add energy");
  po_world_free(w);
  po_model_free(m);
}

static void test_limp_bodies_come_to_rest(void) {
  int i, seed, seeds = full() ? 10 : 1;
  for (i = 0; po_body_names[i]; i++)
    for (seed = 1; seed <= seeds; seed++) drop_limp(po_body_names[i], seed, full() ? 12 : 4);
}

/* A stack of twenty, 80 contacts in one group: nearly every step is solved to 1e-6 m/s, what is left otherwise is small, and the report says both. */
static void test_a_stack_of_twenty(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world *w = new_world(NULL);
  double worst = 0, top;
  int k, unconverged = 0;
  char line[100];
  for (k = 0; k < 20; k++) add(w, box, 0, 0, 0.1 + 0.2 * k);
  top = position(w, 19).z;
  for (k = 0; k < 1000; k++) {
    po_world_report r;
    steps(w, 1, 1e-3);
    r = po_world_last_report(w);
    TEST_ASSERT_TRUE((r.unconverged > 0) == (r.residual > 1e-6));
    unconverged += r.unconverged;
    worst = po_max(worst, r.residual);
  }
  po_format(line, sizeof line, "%d of 1000 steps unconverged, at most %g m/s left", unconverged, worst);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(unconverged <= 20);
  TEST_ASSERT_TRUE(worst < 1e-4);
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, top, position(w, 19).z); /* 0.1 mm of slop each */
  po_world_free(w);
  po_model_free(box);
}

/* What "converged" promises, read off the contacts themselves: one that pushes has no normal velocity beyond what closes its gap, to 1e-6 m/s as the
 * report says, for groups that are swept only. Boxes that slide and tip onto each other, so that sweeps do stop early. */
static void test_converged_sweeps_leave_no_velocity(void) {
  const po_model *box = free_box(1, 0.1, 0.1, 0.1);
  po_world_opts opts = po_world_opts_default();
  double worst = 0;
  po_world *w;
  int k, i, seen = 0, count;
  char line[100];
  opts.dense_contacts = 0;
  w = new_world(&opts);
  for (k = 0; k < 8; k++) {
    add(w, box, 0.03 * (k % 3), 0.02 * (k % 2), 0.1 + 0.201 * k);
    po_world_v(w, k)[3] = 0.1 * (k % 4);
  }
  for (k = 0; k < 500; k++) {
    const po_contact *c;
    po_world_report r;
    steps(w, 1, 1e-3);
    r = po_world_last_report(w);
    if (r.unconverged) continue;
    c = po_world_contacts(&count, w);
    for (i = 0; i < count; i++) {
      double speed = po_v3_dot(c[i].velocity, c[i].normal) + po_max(c[i].gap, 0) / 1e-3;
      worst = po_max(worst, -speed);
      if (po_v3_dot(c[i].impulse, c[i].normal) < 1e-5) continue; /* 1e-5 N s on a kilogram: it pushes */
      worst = po_max(worst, fabs(speed));
      seen++;
    }
  }
  po_format(line, sizeof line, "%d pushing contacts, at most %g m/s left", seen, worst);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(seen > 2000);
  TEST_ASSERT_TRUE(worst <= 3e-6); /* a sweep that changes nothing by 1e-6 leaves as much in a contact that came before others in it, and some more */
  po_world_free(w);
  po_model_free(box);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_piles_of_thirty_rest);
  RUN_TEST(test_what_sweeps_leave_is_solved_with_the_matrix);
  RUN_TEST(test_a_stack_of_twenty);
  RUN_TEST(test_converged_sweeps_leave_no_velocity);
  RUN_TEST(test_limp_bodies_come_to_rest);
  return UNITY_END() != 0;
}
