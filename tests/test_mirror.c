/* Mirrored states: a body that is its own mirror image moves as the mirror shows it: poses, velocities and accelerations. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static int partner_of(const po_model *m, int i) {
  char name[64];
  size_t n = strlen(m->body_name[i]);
  memcpy(name, m->body_name[i], n + 1);
  if (n > 2 && name[n - 2] == '_' && (name[n - 1] == 'l' || name[n - 1] == 'r')) name[n - 1] = name[n - 1] == 'l' ? 'r' : 'l';
  return po_find_body(m, name);
}

static po_vec3 seen(po_vec3 p) { return po_v3(p.x, -p.y, p.z); }
static po_vec3 seen_turning(po_vec3 w) { return po_v3(-w.x, w.y, -w.z); }

static void mirror_body(const char *name, int seed) {
  const po_model *m = NULL;
  po_data *a, *b;
  po_rng rng;
  static double q[128], v[128], tau[128], qm[128], vm[128], taum[128], acc[128], accm[128];
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, name, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&a, m));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&b, m));
  po_rng_init(&rng, (uint64_t)seed, 3);
  po_random_configuration(q, &rng, m);
  for (i = 0; i < m->nv; i++) v[i] = po_rng_range(&rng, -1, 1), tau[i] = po_rng_range(&rng, -20, 20);
  memcpy(qm, q, sizeof q);
  memcpy(vm, v, sizeof v);
  memcpy(taum, tau, sizeof tau);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_mirror_state(qm, vm, m), name);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mirror_state(NULL, taum, m));
  po_kinematics(a, q, v);
  po_kinematics(b, qm, vm);
  for (i = 0; i < m->nb; i++) {
    int p = partner_of(m, i);
    po_mat3 R = a->pose[i].R; /* S R S */
    for (k = 0; k < 9; k++)
      if ((k / 3 == 1) != (k % 3 == 1)) R.m[k] = -R.m[k];
    rbd_close(b->pose[p].R.m, R.m, 9, 1e-12, m->body_name[i], seed);
    rbd_close_v3(b->pose[p].p, seen(a->pose[i].p), 1, 1e-12, m->body_name[i], seed);
    rbd_close_v3(po_body_angular_velocity(b, p), seen_turning(po_body_angular_velocity(a, i)), 1, 1e-12, m->body_name[i], seed);
    rbd_close_v3(po_point_velocity(b, p, po_v3(0.1, -0.2, 0.3)), seen(po_point_velocity(a, i, po_v3(0.1, 0.2, 0.3))), 1, 1e-12,
                 m->body_name[i], seed);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(acc, a, q, v, tau, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(accm, b, qm, vm, taum, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mirror_state(NULL, acc, m));
  rbd_close(accm, acc, m->nv, 1e-8, name, seed);            /* accelerations of light toes under 20 N m amplify rounding */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mirror_state(qm, vm, m)); /* twice is once around */
  TEST_ASSERT_EQUAL_MEMORY(v, vm, sizeof(double) * (size_t)m->nv);
  for (i = 0; i < m->nq; i++) TEST_ASSERT_TRUE(q[i] == qm[i]);
  po_data_free(a);
  po_data_free(b);
  po_model_free(m);
}

static void test_symmetric_bodies_move_as_the_mirror_shows(void) {
  int i, seed;
  for (i = 0; po_body_names[i]; i++)
    if (strcmp(po_body_names[i], "lopsided") != 0) /* the one that is not its own image */
      for (seed = 0; seed < 5; seed++) mirror_body(po_body_names[i], seed);
}

/* A side without its partner, and a joint whose axis is nobody's image, are refused before anything changes. */
static void test_what_has_no_image_is_refused(void) {
  static const char *const names[2][2] = {{"thigh_l", "thigh_x"}, {"thigh_l", "thigh_r"}};
  int k, i;
  for (k = 0; k < 2; k++) {
    po_builder *b;
    const po_model *m;
    po_joint root = po_joint_default(PO_JOINT_FLOATING, "root"), l = po_joint_default(PO_JOINT_REVOLUTE, "hip_l"), r = l;
    po_inertia x = po_inertia_sphere(1, 0.1);
    double q[9], v[8], q0[9];
    r.name = "hip_r";
    r.axis = k ? po_v3(0.6, 0.8, 0) : l.axis; /* not the image of x */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "odd"));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "pelvis", NULL, &root, &x, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, names[k][0], "pelvis", &l, &x, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, names[k][1], "pelvis", &r, &x, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&m, b, NULL));
    for (i = 0; i < 9; i++) q[i] = q0[i] = 0.1 * i;
    for (i = 0; i < 8; i++) v[i] = i;
    TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_mirror_state(q, v, m));
    TEST_ASSERT_EQUAL_MEMORY(q0, q, sizeof q);
    TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_mirror_state(NULL, NULL, m));
    po_model_free(m);
    po_builder_free(b);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_symmetric_bodies_move_as_the_mirror_shows);
  RUN_TEST(test_what_has_no_image_is_refused);
  return UNITY_END() != 0;
}
