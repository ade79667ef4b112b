/* test_constraints.c: contacts of planar bodies have one tangent, and behave as those of a body that is held in the plane otherwise. */
#include "contact/world_internal.h"
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* A rod that slides and turns in the plane y = 0 (or any), with a ball at each end to stand on. */
static const po_model *planar_rod(po_vec3 normal) {
  po_builder *b;
  const po_model *m = NULL;
  po_error err;
  po_joint root = po_joint_default(PO_JOINT_PLANAR, "root"), hinge = po_joint_default(PO_JOINT_REVOLUTE, "hinge");
  po_inertia in = po_inertia_box(2, 0.4, 0.1, 0.1);
  po_pose at = {po_m3_identity(), po_v3(0, 0, 0)};
  double radius[3] = {0.05, 0, 0};
  root.axis = hinge.axis = normal;
  hinge.placement.p = po_v3(0.2, 0, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "rod"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, "rod", NULL, &root, &in, &err), err.message);
  in.com = po_v3(0.2, 0, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, "tail", "rod", &hinge, &in, &err), err.message);
  at.p = po_v3(-0.2, 0, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_shape(b, "rod", PO_SPHERE, at, radius, &err));
  at.p = po_v3(0.4, 0, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_shape(b, "tail", PO_SPHERE, at, radius, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&m, b, &err), err.message);
  po_builder_free(b);
  return m;
}

static void test_planar_contacts_have_two_rows(void) {
  const po_model *m = planar_rod(po_v3(0, 1, 0)), *ball = free_ball(1, 0.1), *human;
  po_world *w = new_world(NULL);
  po_error err;
  int i, planar = 0, other = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  add(w, m, 0, 0, 0);
  add(w, ball, 3, 0, 0.1);
  add(w, human, 0, 3, 0);
  po_neutral(po_world_q(w, 2), human);
  po_world_q(w, 2)[5] = 3;
  TEST_ASSERT_EQUAL_INT(1, w->character[0]->planar);
  TEST_ASSERT_EQUAL_INT(0, w->character[1]->planar + w->character[2]->planar);
  steps(w, 400, 1e-3); /* the rod falls and lies */
  for (i = 0; i < w->rows; i++) {
    const po_constraint *row = &w->row[i];
    if (row->kind != PO_HOLD_CONTACT) continue;
    if (row->side[0].character == 0) planar += row->dim == 2 && row->side[0].width == 3;
    else other += row->dim == 3;
  }
  TEST_ASSERT_EQUAL_INT(2, planar);
  TEST_ASSERT_TRUE(other >= 5);
  po_world_free(w);
  po_model_free(m);
  po_model_free(ball);
  po_model_free(human);
}

/* Friction in the plane: a rod thrown along the ground is stopped by mu (m1 + m2) g, and its weight is carried. */
static void test_planar_friction_and_weight(void) {
  const po_model *m = planar_rod(po_v3(0, 1, 0));
  po_world *w = new_world(NULL);
  double *v, at, before, pushed;
  po_vec3 sum;
  int k, x = 0, n;
  const po_contact *c;
  add(w, m, 0, 0, 0);
  v = po_world_v(w, 0);
  steps(w, 3000, 1e-3); /* it falls and comes to rest */
  po_world_kinematics(w, 0); /* which of the two slides is along x */
  at = po_world_data(w, 0)->pose[0].p.x;
  po_world_q(w, 0)[0] += 0.01;
  po_world_kinematics(w, 0);
  x = fabs(po_world_data(w, 0)->pose[0].p.x - at) > 0.005 ? 0 : 1;
  po_world_q(w, 0)[0] -= 0.01;
  for (k = 0; k < m->nv; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, v[k]);
  sum = po_world_body_impulse(NULL, w, 0, -1, po_v3(0, 0, 0));
  TEST_ASSERT_DOUBLE_WITHIN(4 * 1e-8, 4 * 9.81e-3, sum.z); /* mass times the solver's tolerance */
  v[x] = 1;
  po_world_kinematics(w, 0);
  po_com(po_world_data(w, 0));
  before = po_world_data(w, 0)->com_velocity.x;
  for (k = 0, pushed = 0; k < 20; k++) {
    steps(w, 1, 1e-3);
    pushed += po_world_body_impulse(NULL, w, 0, -1, po_v3(0, 0, 0)).x;
  }
  po_world_kinematics(w, 0);
  po_com(po_world_data(w, 0));
  TEST_ASSERT_TRUE(fabs(pushed) > 0.5 * 4 * 9.81 * 0.02); /* mu = 1; the hinge gives, so the weight is not carried evenly */
  TEST_ASSERT_DOUBLE_WITHIN(0.02 * fabs(pushed), pushed, 4 * (po_world_data(w, 0)->com_velocity.x - before));
  c = po_world_contacts(&n, w);
  for (k = 0; k < n; k++) {
    TEST_ASSERT_DOUBLE_WITHIN(0, 0, c[k].impulse.y); /* nothing pushes out of the plane */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, fabs(c[k].impulse.z), fabs(c[k].impulse.x)); /* sliding, on the edge of the cone */
  }
  po_world_free(w);
  po_model_free(m);
}

/* On ground that leans sideways the normal is not in the plane: both tangents stay. */
static void test_ground_across_the_plane(void) {
  const po_model *m = planar_rod(po_v3(0, 1, 0));
  po_world_opts opts = po_world_opts_default();
  po_terrain *terrain;
  po_world *w;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, NULL));
  po_terrain_add_plane(terrain, po_v3_unit(po_v3(0, 0.3, 1)), 0, 1);
  opts.terrain = terrain;
  w = new_world(&opts);
  add(w, m, 0, 0, 0);
  steps(w, 300, 1e-3);
  for (i = 0; i < w->rows; i++) TEST_ASSERT_EQUAL_INT(3, w->row[i].dim);
  TEST_ASSERT_TRUE(w->rows > 0 && po_world_last_report(w).residual < 1e-6);
  po_world_free(w);
  po_terrain_free(terrain);
  po_model_free(m);
}

/* Any plane: one that stands askew has its rows dropped too, by either engine. */
static void test_a_plane_askew_and_the_sweeps(void) {
  po_vec3 normal = po_v3_unit(po_v3(0.3, 1, 0));
  const po_model *m = planar_rod(normal);
  double end[2][8];
  int engine, k;
  for (engine = 0; engine < 2; engine++) {
    po_world_opts opts = po_world_opts_default();
    po_world *w;
    opts.dense_contacts = engine ? 0 : 24;
    opts.tolerance = 1e-12;
    w = new_world(&opts);
    add(w, m, 0, 0, 0);
    po_world_v(w, 0)[0] = 0.4;
    po_world_v(w, 0)[1] = 0.3;
    steps(w, 400, 1e-3);
    for (k = 0; k < w->rows; k++) TEST_ASSERT_EQUAL_INT(2, w->row[k].dim);
    TEST_ASSERT_TRUE(w->rows > 0);
    memcpy(end[engine], po_world_q(w, 0), sizeof(double) * (size_t)m->nq);
    po_world_free(w);
  }
  for (k = 0; k < m->nq; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-7, end[0][k], end[1][k]);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_planar_contacts_have_two_rows);
  RUN_TEST(test_planar_friction_and_weight);
  RUN_TEST(test_ground_across_the_plane);
  RUN_TEST(test_a_plane_askew_and_the_sweeps);
  return UNITY_END() != 0;
}
