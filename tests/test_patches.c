/* Patches: which points of soles and hands touch, their centroid and hull; bearings that survive being upside down. */
#include "ctrl/ctrl.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_data *data;
static po_patches patches;
static double q[64];

void setUp(void) {
  po_error err;
  if (!model) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_patches_init(&patches, model, po_terrain_flat(), PO_BOTH_FEET, &err));
  po_neutral(q, model);
}
void tearDown(void) {}

static void lift(double height) {
  q[6] += height;
  po_kinematics(data, q, NULL);
  po_patches_update(&patches, data);
}

/* On below 1 mm, off above 4 mm, unchanged between. */
static void test_contacts_have_hysteresis(void) {
  lift(0.002);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(-0.002);
  TEST_ASSERT_EQUAL_INT(8, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(0.0035);
  TEST_ASSERT_EQUAL_INT(8, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(0.001);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_FEET));
  lift(-0.002);
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_FEET));
}

static void test_centroid_lies_between_the_feet(void) {
  po_vec3 both, left, right;
  lift(0);
  both = po_patches_centroid(&patches, data, 3);
  left = po_patches_centroid(&patches, data, 1);
  right = po_patches_centroid(&patches, data, 2);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * (left.y + right.y), both.y);
  TEST_ASSERT_TRUE(left.y > 0.05 && right.y < -0.05);
}

/* The hull of two parallel soles is their bounding rectangle's corners, counter-clockwise, holding every touching point. */
static void test_hull_holds_all_points(void) {
  po_vec3 hull[PO_HULL_MAX];
  int i, f, k, n;
  double area = 0;
  lift(0);
  n = po_patches_hull(hull, &patches, data, PO_BOTH_FEET);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(4, n);
  for (i = 0; i < n; i++) area += hull[i].x * hull[(i + 1) % n].y - hull[(i + 1) % n].x * hull[i].y;
  TEST_ASSERT_TRUE(area > 0);
  for (f = 0; f < 2; f++)
    for (k = 0; k < 4; k++) {
      po_vec3 p = po_point_position(data, patches.patch[f].point_body[k], patches.patch[f].point[k]);
      for (i = 0; i < n; i++) {
        po_vec3 a = hull[i], b = hull[(i + 1) % n];
        TEST_ASSERT_TRUE((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > -1e-12);
      }
    }
}

static void test_hull_of_few_points(void) {
  po_vec3 hull[PO_HULL_MAX];
  lift(0);
  memset(patches.patch[0].touching, 0, sizeof patches.patch[0].touching);
  memset(patches.patch[1].touching, 0, sizeof patches.patch[1].touching);
  TEST_ASSERT_EQUAL_INT(0, po_patches_hull(hull, &patches, data, PO_BOTH_FEET));
  patches.patch[1].touching[2] = 1;
  TEST_ASSERT_EQUAL_INT(1, po_patches_hull(hull, &patches, data, PO_BOTH_FEET));
  patches.patch[1].touching[0] = 1;
  TEST_ASSERT_EQUAL_INT(2, po_patches_hull(hull, &patches, data, PO_BOTH_FEET));
}

static void test_distance_to_a_hull(void) {
  const po_vec3 square[4] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}}, edge[2] = {{0, 0, 0}, {1, 0, 0}};
  po_vec3 at;
  TEST_ASSERT_EQUAL_DOUBLE(-0.25, po_hull_distance(&at, square, 4, po_v3(1, 0.25, 5)));
  TEST_ASSERT_EQUAL_DOUBLE(1, at.x);
  TEST_ASSERT_EQUAL_DOUBLE(0, at.y);
  TEST_ASSERT_EQUAL_DOUBLE(5, po_hull_distance(&at, square, 4, po_v3(5, 5, 0)));
  TEST_ASSERT_EQUAL_DOUBLE(2, at.x);
  TEST_ASSERT_EQUAL_DOUBLE(1, at.y);
  TEST_ASSERT_EQUAL_DOUBLE(0, po_hull_distance(&at, edge, 2, po_v3(0.5, 0, 0))); /* an edge has no inside */
  TEST_ASSERT_EQUAL_DOUBLE(2, po_hull_distance(&at, edge, 2, po_v3(0.5, -2, 0)));
  TEST_ASSERT_EQUAL_DOUBLE(3, po_hull_distance(&at, edge, 1, po_v3(0, 3, 0)));
  TEST_ASSERT_TRUE(po_hull_distance(&at, edge, 0, po_v3(0, 3, 0)) > 1e300);
}

/* ---- hands, toes ---- */

static void test_a_hand_is_the_ball_at_its_end(void) {
  const po_patch *hand = &patches.patch[PO_HAND_L];
  po_vec3 centre;
  int k = po_patch_find(&patches, "hand_l");
  TEST_ASSERT_EQUAL_INT(PO_HAND_L, k);
  TEST_ASSERT_EQUAL_INT(1, hand->points);
  lift(0);
  centre = po_point_position(data, hand->body, hand->centre);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, centre.z - hand->radius, hand->gap[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, hand->gap[0], po_point_position(data, hand->body, hand->point[0]).z); /* its lowest point */
  TEST_ASSERT_EQUAL_INT(0, po_patches_touching(&patches, PO_BOTH_HANDS));
  lift(-hand->gap[0]);
  TEST_ASSERT_TRUE(hand->touching[0]);
}

/* Hands stay on the ground as feet do: on below 1 mm, off above 4 mm, unchanged between; the ball of the human and the palms of the gymnast. */
static void test_hands_have_hysteresis(void) {
  static const char *const body[2] = {"human", "gymnast"};
  static const double gap[] = {0.002, 0.0005, 0.0035, 0.0045, 0.002, 0.0005};
  static const int touches[] = {0, 1, 1, 0, 0, 1};
  int k, i, f, c;
  for (k = 0; k < 2; k++) {
    const po_model *m;
    po_data *d;
    po_patches p;
    po_error err;
    double at[64];
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, body[k], &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_patches_init(&p, m, po_terrain_flat(), PO_BOTH_HANDS, &err), err.message);
    po_neutral(at, m);
    for (i = 0; i < 6; i++) {
      double low = 1e9;
      po_kinematics(d, at, NULL);
      po_patches_update(&p, d);
      for (f = PO_HAND_L; f <= PO_HAND_R; f++)
        for (c = 0; c < p.patch[f].points; c++) low = po_min(low, p.patch[f].gap[c]);
      at[6] += gap[i] - low; /* the lowest point of the hands is so far above the ground */
      po_kinematics(d, at, NULL);
      po_patches_update(&p, d);
      TEST_ASSERT_EQUAL_INT(touches[i], po_patches_touching(&p, PO_BOTH_HANDS) > 0);
    }
    po_data_free(d);
    po_model_free(m);
  }
}

static void test_a_gymnast_has_palms_and_toes(void) {
  const po_model *m;
  po_patches p;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "gymnast", &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_patches_init(&p, m, po_terrain_flat(), PO_BOTH_FEET | PO_BOTH_HANDS, &err), err.message);
  TEST_ASSERT_EQUAL_INT(4, p.patch[PO_HAND_R].points);
  TEST_ASSERT_EQUAL_DOUBLE(0, p.patch[PO_HAND_R].radius);
  TEST_ASSERT_EQUAL_INT(po_find_body(m, "foot_l"), p.patch[PO_FOOT_L].point_body[0]);
  TEST_ASSERT_EQUAL_INT(po_find_body(m, "toes_l"), p.patch[PO_FOOT_L].point_body[2]);
  po_model_free(m);
}

/* ---- bearings ---- */

static po_vec3 down(void) { return po_v3(0, 0, -9.81); }
static po_mat3 turned(double heading, double pitch, double roll) {
  return po_q_matrix(po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), heading), po_q_mul(po_q_axis_angle(po_v3(0, 1, 0), pitch), po_q_axis_angle(po_v3(1, 0, 0), roll))));
}

/* A flip in a plane, with some wobble, turns nobody around; a whole turn about the vertical does. */
static void test_headings_survive_a_flip(void) {
  static const double wobble[3] = {0, 0.15, -0.15};
  int i, k;
  for (k = 0; k < 3; k++) {
    po_heading h;
    memset(&h, 0, sizeof h);
    for (i = 0; i <= 360; i++) {
      po_heading_update(&h, turned(0.7, -PO_RAD(i), wobble[k] * po_sin(PO_RAD(i) / 2)), down());
      TEST_ASSERT_DOUBLE_WITHIN(0.3, 0.7, po_heading_total(&h));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.7, po_heading_total(&h));
    for (i = 0; i <= 360; i++) po_heading_update(&h, turned(0.7 - PO_RAD(i), 0, 0), down());
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.7 - 2 * PO_PI, po_heading_total(&h));
  }
}

/* A cartwheel keeps its x axis level. */
static void test_headings_survive_a_cartwheel(void) {
  po_heading h;
  int i;
  memset(&h, 0, sizeof h);
  for (i = 0; i <= 360; i++) po_heading_update(&h, turned(-2, 0, PO_RAD(i)), down());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2, po_heading_total(&h));
}

static void test_uprightness_is_measured_against_gravity(void) {
  po_quat rest = po_q_identity();
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_uprightness(turned(2, 0, 0), rest, down()));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1, po_uprightness(turned(2, PO_PI, 0), rest, down()));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, po_cos(0.3), po_uprightness(turned(2, 0.3, 0), rest, down()));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_uprightness(turned(0, 0, 0), rest, po_v3(-9.81, 0, 0)));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_contacts_have_hysteresis);
  RUN_TEST(test_centroid_lies_between_the_feet);
  RUN_TEST(test_hull_holds_all_points);
  RUN_TEST(test_hull_of_few_points);
  RUN_TEST(test_distance_to_a_hull);
  RUN_TEST(test_a_hand_is_the_ball_at_its_end);
  RUN_TEST(test_hands_have_hysteresis);
  RUN_TEST(test_a_gymnast_has_palms_and_toes);
  RUN_TEST(test_headings_survive_a_flip);
  RUN_TEST(test_headings_survive_a_cartwheel);
  RUN_TEST(test_uprightness_is_measured_against_gravity);
  return UNITY_END() != 0;
}
