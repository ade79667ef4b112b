/* Pieces of a motion: at the middle of double supports, at turns of the COM, never longer than two seconds without steps; figures. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

/* The body stands; what is planted is told. */
static po_motion *segments_standing(const po_model *model, int frames, uint32_t (*planted)(int)) {
  po_motion *m;
  double q[64];
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 100, frames));
  po_neutral(q, model);
  for (k = 0; k < frames; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, planted(k)));
  return m;
}

static void segments_expect(const po_motion *m, const int *cuts, int count) {
  po_segment g[64];
  po_error err;
  int i, n = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_segments(g, &n, 64, m, &err), err.message);
  TEST_ASSERT_EQUAL_INT(count, n);
  for (i = 0; i < n; i++) {
    TEST_ASSERT_EQUAL_INT(cuts[i], g[i].from);
    TEST_ASSERT_EQUAL_INT(cuts[i + 1], g[i].to);
  }
}

/* Steps of 60 frames with double supports of 10, from the middle of one. */
static uint32_t segments_steps(int k) {
  int phase = (k + 5) % 60, left = (k + 5) / 60 % 2 == 0;
  return phase < 10 ? 0xff : left ? 0x0f : 0xf0;
}
static void test_cuts_at_double_supports(void) {
  static const int cuts[] = {0, 60, 120, 180, 239};
  const po_model *model = motion_body("human");
  po_motion *m = segments_standing(model, 240, segments_steps);
  po_segment g[8];
  int n;
  segments_expect(m, cuts, 4);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_segments(g, &n, 8, m, NULL));
  TEST_ASSERT_EQUAL_HEX32(0x0f, g[0].support);
  TEST_ASSERT_EQUAL_INT(1, g[0].feet);
  TEST_ASSERT_EQUAL_HEX32(0xf0, g[1].support);
  TEST_ASSERT_EQUAL_INT(2, g[1].feet);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_motion_segments(g, &n, 3, m, NULL));
  po_motion_free(m);
  po_model_free(model);
}

/* Very long steps: one foot takes over from the other with no frame between. */
static uint32_t segments_hand_over(int k) { return k < 80 ? 0x0f : k < 160 ? 0xf0 : 0x0f; }
static void test_cuts_where_feet_take_over(void) {
  static const int cuts[] = {0, 80, 160, 199};
  const po_model *model = motion_body("human");
  po_motion *m = segments_standing(model, 200, segments_hand_over);
  segments_expect(m, cuts, 3);
  po_motion_free(m);
  po_model_free(model);
}

static uint32_t segments_both(int k) {
  (void)k;
  return 0xff;
}
static void test_standing_is_cut_evenly_and_where_it_turns(void) {
  static const int even[] = {0, 166, 333, 500}, turns[] = {0, 60, 160, 260, 300};
  const po_model *model = motion_body("human");
  po_motion *m = segments_standing(model, 501, segments_both);
  int k;
  segments_expect(m, even, 3);                                         /* 5 s: three pieces, none over 2 s */
  for (k = 0; k < 501; k++) po_motion_q(m, k)[6] += 0.005 * po_sin(k); /* wobble is no turn */
  segments_expect(m, even, 3);
  po_motion_free(m);
  m = segments_standing(model, 301, segments_both);
  for (k = 0; k < 301; k++)
    po_motion_q(m, k)[6] += 0.2 * po_cos(PO_PI * (k + 40) / 100.0); /* lowest at 60 and 260, highest at 160 */
  segments_expect(m, turns, 4);
  po_motion_free(m);
  po_model_free(model);
}

static uint32_t segments_none(int k) { return k < 30 ? 0xff : 0; }
static uint32_t segments_point(int k) {
  (void)k;
  return 0x01;
}
static uint32_t segments_line(int k) { return k < 50 ? 0x0c : 0x04; } /* the front edge of the left sole */
static void test_support_that_cannot_be_balanced_on(void) {
  uint32_t (*const bad[])(int) = {segments_point, segments_line};
  const po_model *model = motion_body("human");
  po_motion *m = segments_standing(model, 700, segments_none), *cut;
  po_segment g[16];
  po_error err;
  int n, i;
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_motion_segments(g, &n, 16, m, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "no support"), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_cut(&cut, m, 3, 3));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_motion_segments(g, &n, 16, cut, &err)); /* one frame */
  po_motion_free(cut);
  po_motion_free(m);
  for (i = 0; i < 2; i++) {
    m = segments_standing(model, 100, bad[i]);
    TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_motion_segments(g, &n, 16, m, &err));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "a point or a line"), err.message);
    po_motion_free(m);
  }
  po_model_free(model);
}

/* A body that glides at 0.5 m/s while said to stand: speed, slide and share of support by hand. */
static void test_figures(void) {
  const po_model *model = motion_body("human");
  po_motion *m = segments_standing(model, 101, segments_none);
  po_motion_figures f;
  int k, knee = model->joint[po_find_joint(model, "knee_r")].q;
  for (k = 0; k < 101; k++) po_motion_q(m, k)[4] += 0.005 * k;
  po_motion_q(m, 50)[knee] = -0.25;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&f, m));
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.5, f.com_speed_mean); /* the knee of one frame shifts the COM a little */
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.005 * 29, f.slide_max);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, f.limit_excess);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 30 / 101.0, f.support_share);
  TEST_ASSERT_EQUAL_DOUBLE(0, f.am_peak);
  po_motion_free(m);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_cuts_at_double_supports);
  RUN_TEST(test_cuts_where_feet_take_over);
  RUN_TEST(test_standing_is_cut_evenly_and_where_it_turns);
  RUN_TEST(test_support_that_cannot_be_balanced_on);
  RUN_TEST(test_figures);
  return UNITY_END() != 0;
}
