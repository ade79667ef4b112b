/* po_all_finite finds a bad number wherever it stands. */
#include "base_helpers.h"
#include "contact/contact.h"
#include <fenv.h>

void setUp(void) {}
void tearDown(void) {}

static void test_every_place(void) {
  const double bad[3] = {PO_NAN, PO_INF, -PO_INF};
  for (int n = 0; n < 40; n++) {
    double x[40];
    for (int i = 0; i < n; i++) x[i] = i % 3 == 0 ? 1.7e308 : i % 3 == 1 ? -1.7e308 : 5e-324;
    TEST_ASSERT_EQUAL_INT(1, po_all_finite(x, n));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) {
        double kept = x[i];
        x[i] = bad[k];
        TEST_ASSERT_EQUAL_INT(0, po_all_finite(x, n));
        x[i] = kept;
      }
  }
  TEST_ASSERT_EQUAL_INT(1, po_all_finite(NULL, 0));
}

static void test_two_infinities_do_not_cancel(void) {
  double x[8] = {PO_INF, 0, 0, 0, -PO_INF, 0, 0, 0};
  TEST_ASSERT_EQUAL_INT(0, po_all_finite(x, 8));
}

/* Every other rounding mode is noticed, by the world too; to nearest again, all is well. */
static void test_rounding_modes(void) {
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  po_world *w = NULL;
  po_status plain, made;
  int i;
  for (i = 0; i < 3; i++) {
    if (fesetround(modes[i])) continue;
    plain = po_check_arithmetic();
    made = po_world_new(&w, NULL);
    fesetround(FE_TONEAREST);
    TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, plain);
    TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, made);
    TEST_ASSERT_NULL(w);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_check_arithmetic());
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_place);
  RUN_TEST(test_two_infinities_do_not_cancel);
  RUN_TEST(test_rounding_modes);
  return UNITY_END() != 0;
}
