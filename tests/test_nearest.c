/* "Did you mean". */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void check(const char *word, const char *expected) {
  static const char *const names[] = {"balance", "walk",         "jump",        "squat",       "list",
                                      "bench",   "--control-hz", "upper_arm_l", "upper_arm_r", "q"};
  const char *got = po_nearest(word, names, 10);
  if (!expected) TEST_ASSERT_NULL_MESSAGE(got, word);
  else {
    TEST_ASSERT_NOT_NULL_MESSAGE(got, word);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, got, word);
  }
}

static void test_typos(void) {
  check("balance", "balance");
  check("balanse", "balance");
  check("blaance", "balance"); /* neighbours swapped */
  check("balanc", "balance");
  check("balancee", "balance");
  check("BALANCE", "balance");
  check("wakl", "walk");
  check("wlk", "walk");
  check("--control_hz", "--control-hz");
  check("uper-arm-r", "upper_arm_r");
  check("upper_arm_x", "upper_arm_l"); /* the first of equals */
}

static void test_strangers(void) {
  check("", NULL);
  check("zebra", NULL);
  check("x", NULL);
  check("wxyz", NULL);
  check("this_word_is_so_long_that_it_cannot_be_the_name_of_anything_in_the_list", NULL);
}

static void test_odd_lists(void) {
  const char *names[3] = {NULL, "", "walk"};
  TEST_ASSERT_EQUAL_STRING("walk", po_nearest("wall", names, 3));
  TEST_ASSERT_NULL(po_nearest("wall", names, 0));
  TEST_ASSERT_NULL(po_nearest(NULL, names, 3));
  TEST_ASSERT_NULL(po_nearest("wall", NULL, 3));
  char longest[64];
  memset(longest, 'a', 63);
  longest[63] = '\0';
  const char *one[1] = {longest};
  TEST_ASSERT_TRUE(po_nearest(longest, one, 1) == longest);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_typos);
  RUN_TEST(test_strangers);
  RUN_TEST(test_odd_lists);
  return UNITY_END() != 0;
}
