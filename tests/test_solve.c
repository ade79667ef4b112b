/* test_solve.c: contact solves converge: feet that motors drive into the ground, limp falls, the shipped scenes. Impulses keep within their cones, and a
 * run says when a solve did not. */
#include "contact_helpers.h"
#include "scenes/scenes.h"

void setUp(void) {}
void tearDown(void) {}

/* Largest |p_t| − mu p_n of the last step's contacts, as a share of mu p_n and of what 1 mN carries. */
static double beyond_cone(const po_world *w, double dt) {
  int i, n;
  const po_contact *c = po_world_contacts(&n, w);
  double worst = 0;
  for (i = 0; i < n; i++) {
    double pn = po_v3_dot(c[i].impulse, c[i].normal), pt = po_v3_norm(po_v3_addscaled(c[i].impulse, -pn, c[i].normal));
    worst = po_max(worst, (pt - c[i].mu * pn) / (c[i].mu * pn + 1e-3 * dt));
  }
  return worst;
}

/* Motors hold the pose (a time constant of 50 ms, as strong as the joints are) while the body is dropped on its feet from `height`. */
static void strike(const char *name, double height, int seed) {
  const po_model *m;
  po_world *w = new_world(NULL);
  po_error err;
  po_rng rng;
  double *q, *v, *tau, pose[100], back[100], residual = 0, beyond = 0;
  char line[160];
  int i, k, b, unconverged = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&m, name, &err), err.message);
  add(w, m, 0, 0, 0);
  q = po_world_q(w, 0);
  v = po_world_v(w, 0);
  tau = po_world_tau(w, 0);
  po_neutral(q, m);
  memcpy(pose, q, sizeof(double) * (size_t)m->nq);
  if (m->floating) q[6] += height;
  else q[1] += height; /* a planar root's second slide is up */
  po_rng_init(&rng, (uint64_t)seed, 4);
  for (i = 0; i < m->nv; i++) v[i] = po_rng_range(&rng, -0.3, 0.3);
  for (k = 0; k < 600; k++) {
    po_difference(back, m, q, pose);
    for (b = 1; b < m->nb; b++)
      for (i = 0; i < m->joint[b].nv; i++) {
        int d = m->joint[b].v + i;
        double strength = 4 * po_min(m->joint[b].effort[i], m->total_mass * 5); /* N m/rad: full torque at a quarter of a radian */
        tau[d] = strength * (back[d] - 0.05 * v[d]);
      }
    steps(w, 1, 1e-3);
    residual = po_max(residual, po_world_last_report(w).residual);
    unconverged += po_world_last_report(w).unconverged;
    beyond = po_max(beyond, beyond_cone(w, 1e-3));
  }
  po_format(line, sizeof line, "%s from %g m, seed %d: residual %.2g m/s, %d unconverged, %.2g beyond the cone", name, height, seed, residual, unconverged, beyond);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(residual <= 1e-6 && unconverged == 0 && beyond <= 1e-6, line);
  po_world_free(w);
  po_model_free(m);
}

static void test_feet_that_motors_drive_into_the_ground(void) {
  static const char *const names[] = {"human", "child", "biped7", "bird2", "ostrich"};
  int i, seed;
  for (i = 0; i < 5; i++)
    for (seed = 1; seed <= (full() ? 5 : 2); seed++) strike(names[i], 0.05 * seed, seed);
}

/* Nobody's impulses leave the cone, converged or not; and what did not converge is in the run's report. */
static void scene(const char *name, const char *model, uint64_t seed, double seconds) {
  po_run_opts opts = po_run_opts_default();
  po_error err;
  po_run *r;
  char line[160];
  double beyond = 0, residual = 0;
  long unconverged = 0;
  int more = 1;
  memset(&err, 0, sizeof err);
  opts.seconds = seconds;
  opts.seed = seed;
  opts.model = model;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(name), &opts, &err), err.message);
  while (more) {
    more = po_run_step(r);
    beyond = po_max(beyond, beyond_cone(r->world, r->opts.dt));
    residual = po_max(residual, po_world_last_report(r->world).residual);
    unconverged += po_world_last_report(r->world).unconverged > 0;
  }
  po_format(line, sizeof line, "%s %s seed %d: residual %.2g m/s, %d of %d steps unconverged, %.2g beyond the cone", name, model ? model : "", (int)seed, residual,
            (int)unconverged, (int)r->steps, beyond);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(beyond <= 1e-6, line);
  TEST_ASSERT_TRUE_MESSAGE(unconverged * 1000 <= r->steps, line);
  TEST_ASSERT_TRUE_MESSAGE(r->unconverged == unconverged && r->complementarity == residual, line);
  if (unconverged == 0) TEST_ASSERT_TRUE_MESSAGE(residual <= 1e-6, line);
  po_run_free(r);
}

static void test_shipped_scenes(void) {
  static const char *const models[] = {"human", "child", "lopsided", "giant", "ostrich", "dinosaur"};
  int i;
  for (i = 0; i < 6; i++) scene("drop", models[i], 1, full() ? 12 : 2);
  scene("walk", NULL, 1, full() ? 60 : 4);
  scene("jump", NULL, 1, 5);
  scene("slide", NULL, 1, 2);
  scene("slope", NULL, 1, 2);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_feet_that_motors_drive_into_the_ground);
  RUN_TEST(test_shipped_scenes);
  return UNITY_END() != 0;
}
