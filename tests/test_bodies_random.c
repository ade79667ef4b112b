/* Random bodies: each stands, each is itself again for the same seed, spread 0 is the human, and left differs from right. */
#include "bodies_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static const po_model *random_of(int seed, double spread) {
  const po_model *model = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_random(&model, (uint64_t)seed, spread, &err), err.message);
  return model;
}

/* A knee bent by 2 rad carries more: three quarters of the limit are allowed, where bodies made with care have half. */
static void test_they_stand(void) {
  static const double spread[] = {0.2, 0.4};
  int seed, s, count = getenv("POISE_FULL") ? 1000 : 60;
  for (s = 0; s < 2; s++)
    for (seed = 0; seed < count; seed++) {
      const po_model *model = random_of(seed, spread[s]);
      char name[48];
      po_format(name, sizeof name, "seed %d, spread %g", seed, spread[s]);
      stands(model, name);
      TEST_ASSERT_TRUE_MESSAGE(standing_effort(model) < 0.75, name);
      po_model_free(model);
    }
}

static void test_the_same_seed_gives_the_same_body(void) {
  const po_model *a = random_of(7, 0.4), *b = random_of(7, 0.4), *c = random_of(8, 0.4);
  int i, differ = 0;
  for (i = 0; i < a->nb; i++) {
    TEST_ASSERT_EQUAL_MEMORY(&a->inertia[i], &b->inertia[i], sizeof(po_inertia));
    TEST_ASSERT_EQUAL_MEMORY(&a->joint[i].placement, &b->joint[i].placement, sizeof(po_pose));
    differ += a->inertia[i].mass != c->inertia[i].mass;
  }
  TEST_ASSERT_EQUAL_INT(a->nb, differ);
  po_model_free(a);
  po_model_free(b);
  po_model_free(c);
}

/* Without a spread it is the human, but for the hips, which the rule puts where the human has them to a millimetre. */
static void test_no_spread_is_the_human(void) {
  const po_model *human = NULL, *none = random_of(3, 0);
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  for (i = 0; i < human->nb; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, human->inertia[i].mass, none->inertia[i].mass);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, human->rest_height, none->rest_height);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, human->joint[2].effort[0], none->joint[2].effort[0]);
  po_model_free(human);
  po_model_free(none);
}

/* Over many seeds every length and mass fills its range to both sides, and left is not right. */
static void test_factors_fill_their_range(void) {
  static const char *const parts[] = {"thorax", "thigh_l", "shank_r", "foot_l", "upper_arm_r"};
  const po_model *human = NULL;
  double lo[5], hi[5];
  int seed, k, same = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  for (k = 0; k < 5; k++) lo[k] = 9, hi[k] = 0;
  for (seed = 0; seed < 100; seed++) {
    const po_model *model = random_of(seed, 0.4);
    for (k = 0; k < 5; k++) {
      int b = po_find_body(model, parts[k]);
      double f = model->inertia[b].mass / human->inertia[b].mass;
      lo[k] = po_min(lo[k], f);
      hi[k] = po_max(hi[k], f);
    }
    same += model->inertia[po_find_body(model, "thigh_l")].mass == model->inertia[po_find_body(model, "thigh_r")].mass;
    po_model_free(model);
  }
  for (k = 0; k < 5; k++) /* 100 draws leave a gap of 0.1 at an end once in 4e5 */
    TEST_ASSERT_TRUE_MESSAGE(lo[k] >= 0.6 && lo[k] < 0.7 && hi[k] <= 1.4 && hi[k] > 1.3, parts[k]);
  TEST_ASSERT_EQUAL_INT(0, same);
  po_model_free(human);
}

static void test_bad_spreads_are_refused(void) {
  static const double bad[] = {-0.1, 0.41, PO_NAN, PO_INF};
  const po_model *model = NULL;
  int i;
  for (i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_body_random(&model, 1, bad[i], NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_body_random(NULL, 1, 0.2, NULL));
  TEST_ASSERT_NULL(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_they_stand);
  RUN_TEST(test_the_same_seed_gives_the_same_body);
  RUN_TEST(test_no_spread_is_the_human);
  RUN_TEST(test_factors_fill_their_range);
  RUN_TEST(test_bad_spreads_are_refused);
  return UNITY_END() != 0;
}
