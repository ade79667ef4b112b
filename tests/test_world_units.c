/* test_world_units.c: the laws do not know our units, nor where the origin is: boxes, a ball on a spring and a capsule that fall, bounce, slide and come to rest
 * do the same in other units of length, mass and time. Units are powers of two (of mass: of four, since there are square roots of masses), so that the motions must be the same to the bit: a length or a speed
 * that is written into the code somewhere shows at once. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {}

#define THINGS 4
#define STEPS 1500

/* Poses (7 each) at the end, in the world's own units. Returns the largest penetration and how many contacts there were. */
static int run(double out[7 * THINGS], double length, double mass, double time, po_vec3 at, po_friction_law friction, int dense) {
  const po_model *m[THINGS];
  po_world_opts o = po_world_opts_default();
  po_terrain *terrain;
  po_world *w;
  po_spring s;
  int i, k, contacts = 0;
  double speed = length / time;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), at.z * length, 1));
  o.terrain = terrain;
  o.gravity = po_v3(0, 0, -8 * speed / time);
  o.mu = 0.75;
  o.restitution = 0.25;
  o.bounce_speed *= speed;
  o.margin *= length;
  o.slop *= length;
  o.recovery_speed *= speed;
  o.tolerance *= speed;
  o.friction = friction;
  o.dense_contacts = dense;
  w = new_world(&o);
  m[0] = free_box(mass, 0.125 * length, 0.25 * length, 0.0625 * length);
  m[1] = free_box(2 * mass, 0.25 * length, 0.25 * length, 0.125 * length);
  m[2] = free_ball(0.5 * mass, 0.125 * length);
  m[3] = free_capsule(mass, 0.0625 * length, 0.25 * length);
  for (i = 0; i < THINGS; i++) {
    double *v;
    add(w, m[i], (at.x + 0.0625 * i) * length, at.y * length, (at.z + 0.5 + 0.5 * i) * length);
    v = po_world_v(w, i);
    v[0] = (1 + i) / time;
    v[1] = (2 - i) / time;
    v[3] = 0.5 * (i + 1) * speed;
    v[5] = 0.25 * speed;
  }
  memset(&s, 0, sizeof s);
  s.a = 2;
  s.b = -1;
  s.point_b = po_v3_scale(length, po_v3_add(at, po_v3(0, 0, 2)));
  s.length = 0.5 * length;
  s.stiffness = 64 * mass / (time * time);
  s.damping = 0.5 * mass / time;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &s));
  for (k = 0; k < STEPS; k++) {
    steps(w, 1, 0x1p-10 * time);
    contacts += po_world_last_report(w).contacts;
  }
  for (i = 0; i < THINGS; i++) {
    const double *q = po_world_q(w, i);
    for (k = 0; k < 4; k++) out[7 * i + k] = q[k];
    out[7 * i + 4] = q[4] / length - at.x;
    out[7 * i + 5] = q[5] / length - at.y;
    out[7 * i + 6] = q[6] / length - at.z;
  }
  po_world_free(w);
  po_terrain_free(terrain);
  for (i = 0; i < THINGS; i++) po_model_free(m[i]);
  return contacts;
}

static void check(double length, double mass, double time, const char *what) {
  static const po_friction_law laws[] = {PO_FRICTION_CONE, PO_FRICTION_PYRAMID, PO_FRICTION_BOX};
  double ours[7 * THINGS], theirs[7 * THINGS];
  int l, i, dense;
  char line[120];
  for (l = 0; l < 3; l++)
    for (dense = 0; dense < 2; dense++) {
      int a = run(ours, 1, 1, 1, po_v3(0, 0, 0), laws[l], dense ? 24 : 0), b = run(theirs, length, mass, time, po_v3(0, 0, 0), laws[l], dense ? 24 : 0);
      TEST_ASSERT_TRUE(a > 1000); /* they do touch */
      TEST_ASSERT_EQUAL_INT_MESSAGE(a, b, what);
      for (i = 0; i < 7 * THINGS; i++) {
        po_format(line, sizeof line, "%s, law %d, %s: coordinate %d is %.17g, not %.17g", what, l, dense ? "matrix" : "sweeps", i, theirs[i], ours[i]);
        TEST_ASSERT_TRUE_MESSAGE(ours[i] == theirs[i], line);
      }
    }
}

static void test_other_units_of_length(void) { check(64, 1, 1, "length"); }
static void test_other_units_of_mass(void) { check(1, 0.0625, 1, "mass"); }
static void test_other_units_of_time(void) { check(1, 1, 16, "time"); }
static void test_other_units_of_all(void) { check(0.25, 16, 4, "all"); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_other_units_of_length);
  RUN_TEST(test_other_units_of_mass);
  RUN_TEST(test_other_units_of_time);
  RUN_TEST(test_other_units_of_all);
  return UNITY_END() != 0;
}
