/* A motor's limits of torque and speed: their definition, that the world keeps them, and that control knows dampers. */
#include "contact/contact.h"
#include "ctrl/ctrl.h"
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_range(void) {
  po_joint j = po_joint_default(PO_JOINT_REVOLUTE, "j");
  double lower, upper;
  j.effort[0] = 10;
  po_joint_motor_range(&lower, &upper, &j, 0, 1e6);
  TEST_ASSERT_DOUBLE_WITHIN(0, -10, lower); /* no speed limit */
  TEST_ASSERT_DOUBLE_WITHIN(0, 10, upper);
  j.velocity[0] = 2;
  po_joint_motor_range(&lower, &upper, &j, 0, 1.7);
  TEST_ASSERT_DOUBLE_WITHIN(0, 10, upper);
  po_joint_motor_range(&lower, &upper, &j, 0, 1.9);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, upper); /* half of the last tenth */
  TEST_ASSERT_DOUBLE_WITHIN(0, -10, lower);   /* it may brake */
  po_joint_motor_range(&lower, &upper, &j, 0, -2.5);
  TEST_ASSERT_DOUBLE_WITHIN(0, 10, upper);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, lower);
}

/* A wheel on a motor that always pushes: it comes to its speed limit and stays there. */
static void test_the_world_keeps_speeds(void) {
  static const char text[] = "<robot name='wheel'><link name='world'/><link name='w'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
                             "<joint name='j' type='continuous'><parent link='world'/><child link='w'/><axis xyz='0 0 1'/><limit effort='50' velocity='3'/></joint></robot>";
  const po_model *m = NULL;
  po_world_opts o = po_world_opts_default();
  po_world *w = NULL;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_urdf_read(&m, text, sizeof text - 1, "w", NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, &o));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, m));
  for (i = 0; i < 500; i++) {
    po_world_tau(w, 0)[0] = 50;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 1e-3));
    TEST_ASSERT_TRUE(po_world_v(w, 0)[0] <= 3 + 1e-9);
  }
  TEST_ASSERT_TRUE(po_world_v(w, 0)[0] > 2.9);
  po_world_free(w);
  po_model_free(m);
}

/* h that control plans with holds D q̇ of joints with dampers, at the speed that is left after the tick. */
static void test_control_knows_dampers(void) {
  const po_model *m = NULL;
  po_actor *a = NULL, *b = NULL;
  po_error err;
  po_sense sense;
  double q[64], v[64];
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_new(&a, m, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err));
  po_neutral(q, m);
  for (i = 0; i < m->nv; i++) v[i] = 0.1 * (i % 5);
  sense = po_sense_of(q, v, 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_begin(a, &sense));
  ((po_joint *)(void *)(size_t)(const void *)&m->joint[5])->damping[0] = 3; /* the same body with a damper */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_new(&b, m, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_begin(b, &sense));
  for (i = 0; i < m->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->data->h[i] + (i == m->joint[5].v ? 3 * v[i] / (1 + 1e-3 * 3 / PO_AT(a->data->M, i, i)) : 0), b->data->h[i]);
  po_actor_free(a);
  po_actor_free(b);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_range);
  RUN_TEST(test_the_world_keeps_speeds);
  RUN_TEST(test_control_knows_dampers);
  return UNITY_END() != 0;
}
