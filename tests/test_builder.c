/* Building by hand: order, names, merging, and refusal of what is not a tree of bodies. */
#include "rbd_helpers.h"

static po_builder *b;
static po_error err;

void setUp(void) {
  memset(&err, 0, sizeof err);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "made"));
}
void tearDown(void) {
  po_builder_free(b);
  b = NULL;
}

static po_status link_of(const char *link, const char *parent, po_joint_type type) {
  po_joint j;
  po_inertia x = po_inertia_box(1, 1, 1, 1);
  char name[64];
  po_format(name, sizeof name, "to_%s", link);
  j = po_joint_default(type, name);
  return po_builder_link(b, link, parent, &j, &x, &err);
}

static po_pose at(double x, double y, double z) {
  po_pose p;
  p.R = po_m3_identity();
  p.p = po_v3(x, y, z);
  return p;
}

/* Depth first in order of adding, whatever the order of calls; subtrees are ranges. */
static void test_numbering(void) {
  const po_model *m;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("root", NULL, PO_JOINT_FLOATING));
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("left", "root", PO_JOINT_SPHERICAL));
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("right", "root", PO_JOINT_REVOLUTE));
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("left_hand", "left", PO_JOINT_UNIVERSAL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&m, b, &err));
  TEST_ASSERT_EQUAL_STRING("left_hand", m->body_name[2]);
  TEST_ASSERT_EQUAL_STRING("right", m->body_name[3]);
  TEST_ASSERT_EQUAL_INT(4, m->subtree_end[0]);
  TEST_ASSERT_EQUAL_INT(3, m->subtree_end[1]);
  TEST_ASSERT_EQUAL_INT(12, m->nv);
  for (i = 0; i < m->nv; i++) TEST_ASSERT_TRUE(m->dof_parent[i] < i);
  TEST_ASSERT_EQUAL_INT(-1, m->dof_parent[0]);
  TEST_ASSERT_EQUAL_INT(5, m->dof_parent[6]);  /* the ball hangs on the base's last freedom */
  TEST_ASSERT_EQUAL_INT(8, m->dof_parent[9]);  /* the hand on the ball's */
  TEST_ASSERT_EQUAL_INT(5, m->dof_parent[11]); /* and right again on the base */
  TEST_ASSERT_EQUAL_INT(2, po_find_joint(m, "to_left_hand"));
  TEST_ASSERT_EQUAL_INT(-1, po_find_body(m, "nobody"));
  TEST_ASSERT_EQUAL_INT(-1, po_find_frame(m, "nowhere"));
  po_model_free(m);
}

/* Frames and shapes on a fixed link follow it to the body that carries it. */
static void test_fixed_links_carry_their_parts(void) {
  const po_model *m;
  double ball[3] = {0.5, 0, 0};
  po_joint fixed = po_joint_default(PO_JOINT_FIXED, "weld");
  po_inertia x = po_inertia_sphere(3, 0.1);
  fixed.placement = at(0, 0, 2);
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("root", NULL, PO_JOINT_FLOATING));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "welded", "root", &fixed, &x, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_frame(b, "tip", "welded", at(1, 0, 0), &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_shape(b, "welded", PO_SPHERE, at(0, 1, 0), ball, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&m, b, &err));
  TEST_ASSERT_EQUAL_INT(1, m->nb);
  TEST_ASSERT_EQUAL_DOUBLE(4, m->inertia[0].mass);
  TEST_ASSERT_EQUAL_DOUBLE(1.5, m->inertia[0].com.z);
  rbd_close_v3(m->frame[po_find_frame(m, "tip")].pose.p, po_v3(1, 0, 2), 1, 1e-15, "tip", 0);
  rbd_close_v3(m->shape[0].pose.p, po_v3(0, 1, 2), 1, 1e-15, "ball", 0);
  TEST_ASSERT_EQUAL_INT(0, m->shape[0].body);
  po_model_free(m);
}

static void refused(po_status want, po_status got, const char *says) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(want, got, err.message);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, says), err.message);
}

static void test_refusals(void) {
  const po_model *m = NULL;
  po_joint j = po_joint_default(PO_JOINT_REVOLUTE, "j");
  po_inertia x = po_inertia_box(1, 1, 1, 1), bad;
  double size[3] = {1, 0, 1}, nan[3] = {PO_NAN, 1, 1};
  po_pose skew = at(0, 0, 0);
  refused(PO_ERR_MODEL, po_builder_finish(&m, b, &err), "made");
  refused(PO_ERR_NAME, link_of("a", "nobody", PO_JOINT_REVOLUTE), "nobody");
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("root", NULL, PO_JOINT_FLOATING));
  refused(PO_ERR_MODEL, link_of("second", NULL, PO_JOINT_FLOATING), "second");
  refused(PO_ERR_NAME, link_of("root", "root", PO_JOINT_REVOLUTE), "root");
  refused(PO_ERR_NAME, link_of("", "root", PO_JOINT_REVOLUTE), "empty");
  refused(PO_ERR_RANGE, link_of("odd", "root", (po_joint_type)42), "odd");
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_builder_link(b, NULL, NULL, &j, &x, &err));
  bad = x;
  bad.mass = -1;
  refused(PO_ERR_MODEL, po_builder_link(b, "a", "root", &j, &bad, &err), "'a'");
  bad = x;
  bad.com.y = PO_INF;
  refused(PO_ERR_NOT_FINITE, po_builder_link(b, "a", "root", &j, &bad, &err), "'a'");
  bad = x;
  bad.I.m[1] = 0.1;
  refused(PO_ERR_MODEL, po_builder_link(b, "a", "root", &j, &bad, &err), "symmetric");
  j.axis = po_v3(0, 0, 0);
  refused(PO_ERR_MODEL, po_builder_link(b, "a", "root", &j, &x, &err), "axis");
  j.axis = po_v3(0, PO_NAN, 0);
  refused(PO_ERR_MODEL, po_builder_link(b, "a", "root", &j, &x, &err), "axis");
  j = po_joint_default(PO_JOINT_REVOLUTE, "j");
  j.lower[0] = PO_NAN;
  refused(PO_ERR_BOUNDS, po_builder_link(b, "a", "root", &j, &x, &err), "'j'");
  j = po_joint_default(PO_JOINT_REVOLUTE, "j");
  j.damping[0] = -1;
  refused(PO_ERR_RANGE, po_builder_link(b, "a", "root", &j, &x, &err), "'j'");
  j = po_joint_default(PO_JOINT_REVOLUTE, "j");
  j.placement.R.m[0] = 2;
  refused(PO_ERR_MODEL, po_builder_link(b, "a", "root", &j, &x, &err), "placement");
  refused(PO_ERR_NAME, po_builder_frame(b, "root", "root", at(0, 0, 0), &err), "root");
  refused(PO_ERR_NAME, po_builder_frame(b, "f", "nobody", at(0, 0, 0), &err), "nobody");
  skew.R.m[1] = 0.5;
  refused(PO_ERR_MODEL, po_builder_frame(b, "f", "root", skew, &err), "rigid");
  refused(PO_ERR_RANGE, po_builder_shape(b, "root", PO_BOX, at(0, 0, 0), size, &err), "root");
  refused(PO_ERR_RANGE, po_builder_shape(b, "root", PO_SPHERE, at(0, 0, 0), nan, &err), "root");
  refused(PO_ERR_NAME, po_builder_shape(b, "nobody", PO_SPHERE, at(0, 0, 0), size, &err), "nobody");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&m, b, &err)); /* what was refused left no trace */
  TEST_ASSERT_EQUAL_INT(1, m->nb);
  po_model_free(m);
}

/* What cannot be driven is seen when the model is finished. */
static void test_leaves_need_inertia(void) {
  const po_model *m = NULL;
  po_joint j = po_joint_default(PO_JOINT_REVOLUTE, "j");
  po_inertia x = po_inertia_sphere(1, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, link_of("root", NULL, PO_JOINT_FLOATING));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "point", "root", &j, &x, &err)); /* a point on its own axis */
  refused(PO_ERR_MODEL, po_builder_finish(&m, b, &err), "'point'");
  TEST_ASSERT_NULL(m);
}

/* Moments of uniform solids against sums over a fine grid. */
static void test_solids(void) {
  po_inertia c = po_inertia_capsule(2, 0.1, 0.3), box = po_inertia_box(2, 0.2, 0.4, 0.6), rod = po_inertia_cylinder(2, 0.1, 0.6),
             ball = po_inertia_sphere(2, 0.1);
  double n = 0, zz = 0, xx = 0, h = 0.005, x, y, z;
  for (x = -0.0975; x < 0.1; x += h)
    for (y = -0.0975; y < 0.1; y += h)
      for (z = -0.3975; z < 0.4; z += h) {
        double dz = po_abs(z) > 0.3 ? po_abs(z) - 0.3 : 0;
        if (x * x + y * y + dz * dz > 0.01) continue;
        n++;
        zz += x * x + y * y;
        xx += y * y + z * z;
      }
  TEST_ASSERT_DOUBLE_WITHIN(0.01 * c.I.m[8], 2 * zz / n, c.I.m[8]);
  TEST_ASSERT_DOUBLE_WITHIN(0.01 * c.I.m[0], 2 * xx / n, c.I.m[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.0 / 12 * (0.16 + 0.36), box.I.m[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.0 / 12 * (0.04 + 0.16), box.I.m[8]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.01, rod.I.m[8]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.0 / 12 * (0.03 + 0.36), rod.I.m[4]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, po_inertia_capsule(2, 0.1, 0).I.m[0], ball.I.m[0]);
}

/* po_data lives where the embedder says, and says so when that is too small. */
static void test_data_in_a_given_block(void) {
  const po_model *m;
  po_data data;
  size_t bytes;
  unsigned char *mem;
  double q[64], v[64] = {0};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", NULL));
  bytes = po_data_bytes(m);
  mem = (unsigned char *)po_alloc(bytes + 8);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_data_init(&data, m, mem, bytes - 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_data_init(&data, m, NULL, bytes));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_init(&data, m, mem + 8, bytes)); /* any address will do */
  po_neutral(q, m);
  po_all_terms(&data, q, v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 78 * 9.81, data.h[5]);
  po_free(mem);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_numbering);
  RUN_TEST(test_fixed_links_carry_their_parts);
  RUN_TEST(test_refusals);
  RUN_TEST(test_leaves_need_inertia);
  RUN_TEST(test_solids);
  RUN_TEST(test_data_in_a_given_block);
  return UNITY_END() != 0;
}
