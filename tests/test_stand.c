/* Standing poses: soles on the ground, COM over them, on flat and tilted ground, for every body. */
#include "scenes/scenes.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static void check(const char *body, double tilt, double heading, double height) {
  const po_model *m;
  po_terrain *t;
  po_patches s;
  po_data *d;
  po_error err;
  double q[96], si, co;
  po_vec3 centre;
  char note[128];
  int f, k;
  po_format(note, sizeof note, "%s, tilt %g, heading %g", body, tilt, heading);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&m, body, &err), note);
  if (m->planar) { /* has no heading */
    po_model_free(m);
    return;
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&t, NULL));
  po_sincos(&si, &co, PO_RAD(tilt));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(t, po_v3(-si, 0, co), 0, 1));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_stand_pose(q, m, t, 0.3, -0.2, PO_RAD(heading), height, &err), note);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_patches_init(&s, m, t, PO_BOTH_FEET, &err));
  po_kinematics(d, q, NULL);
  po_com(d);
  po_patches_update(&s, d);
  for (f = 0; f < 2; f++)
    for (k = 0; k < 4; k++) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, 0, s.patch[f].gap[k], note);
  centre = po_patches_centroid(&s, d, PO_BOTH_FEET);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02, centre.x, d->com.x, note);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.02, centre.y, d->com.y, note);
  po_data_free(d);
  po_terrain_free(t);
  po_model_free(m);
}

static void test_flat(void) {
  int i;
  for (i = 0; po_body_names[i]; i++) check(po_body_names[i], 0, 30, 0.95);
}
static void test_tilted(void) {
  double heading;
  for (heading = 0; heading < 360; heading += 90) {
    check("human", 15, heading, 0.95);
    check("child", 10, heading, 0.95);
  }
}
static void test_crouched(void) { check("human", 0, 0, 0.65); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_flat);
  RUN_TEST(test_tilted);
  RUN_TEST(test_crouched);
  return UNITY_END() != 0;
}
