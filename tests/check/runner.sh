#!/bin/sh
# runner.sh: the runner of the tests and that of the rows are believed by everyone, so they are tested on programs that pass, fail, skip and die.
. "$(dirname "$0")/lib"

cat >"$work/test_mixed.c" <<'END'
#include "unity.h"
#include <stdlib.h>
void setUp(void) {}
void tearDown(void) {}
static void test_good(void) { TEST_ASSERT_EQUAL_INT(4, 2 + 2); }
static void test_passed_early(void) { TEST_PASS(); TEST_FAIL(); }
static void test_bad(void) { TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, 1.0, 1.5, "seed 42"); }
static void test_nan(void) { TEST_ASSERT_DOUBLE_WITHIN(1e9, 0.0, __builtin_nan("")); }
static void test_inf(void) { TEST_ASSERT_DOUBLE_WITHIN(__builtin_inf(), 0.0, __builtin_inf()); }
static void test_skipped(void) { TEST_IGNORE_MESSAGE("no data"); }
int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_good);
  RUN_TEST(test_passed_early);
  RUN_TEST(test_bad);
  RUN_TEST(test_nan);
  RUN_TEST(test_inf);
  RUN_TEST(test_skipped);
  return UNITY_END() != 0;
}
END
cat >"$work/test_dies.c" <<'END'
#include "unity.h"
#include <stdlib.h>
void setUp(void) {}
void tearDown(void) {}
static void test_good(void) { TEST_ASSERT(1); }
static void test_aborts(void) { abort(); }
int main(void) { UNITY_BEGIN(); RUN_TEST(test_good); RUN_TEST(test_aborts); return UNITY_END() != 0; }
END
cat >"$work/test_leaves.c" <<'END'
#include "unity.h"
#include <stdlib.h>
void setUp(void) {}
void tearDown(void) {}
static void test_good(void) { TEST_ASSERT(1); }
static void test_leaves(void) { exit(0); }
int main(void) { UNITY_BEGIN(); RUN_TEST(test_good); RUN_TEST(test_leaves); return UNITY_END() != 0; }
END
for t in mixed dies leaves; do
  $CC -std=c11 -Itests/unity "$work/test_$t.c" tests/unity/unity.c -o "$work/test_$t" || exit 1
done

run() { # run EXPECTED-LAST-LINE EXPECTED-CODE FILTER PROGRAM...
  last=$1 code=$2 filter=$3
  shift 3
  POISE_TEST=$filter sh tests/run "$work/results" "$@" >"$work/report"
  got=$?
  said=$(tail -n 1 "$work/report")
  [ "$said" = "$last" ] && [ $got = "$code" ] || { echo "expected '$last' and exit code $code, was '$said' and $got"; cat "$work/report"; return 1; }
}
says() { grep -q "$1" "$work/report" || { echo "the report does not say: $1"; cat "$work/report"; return 1; }; }

check counts run "2 passed, 3 failed, 1 skipped" 1 "" "$work/test_mixed"
check failure_has_expected_actual_and_seed says 'test_mixed.c:[0-9]*:test_bad:FAIL: expected 1 +/- 1e-09 was 1.5 .*seed 42'
check skip_says_why says 'no data'
check death_is_a_failure run "1 passed, 1 failed, 0 skipped" 1 "" "$work/test_dies"
check death_is_named says 'test_aborts:FAIL: died'
check leaving_early_is_a_failure run "1 passed, 1 failed, 0 skipped" 1 "" "$work/test_leaves"
check leaving_early_is_named says 'test_leaves: ended without its summary, after test_good'
check filter_by_test run "1 passed, 0 failed, 0 skipped" 0 passed_early "$work/test_mixed" "$work/test_dies"
check filter_by_program run "2 passed, 3 failed, 1 skipped" 1 mixed "$work/test_mixed" "$work/test_dies"
check filter_without_match run "0 passed, 1 failed, 0 skipped" 1 nonesuch "$work/test_mixed"
check missing_program_is_a_failure run "2 passed, 4 failed, 1 skipped" 1 "" "$work/test_mixed" "$work/test_absent"
# tests/rows/run with a program that leaves with the last word of its row as exit code.
printf '%s\n' '#!/bin/sh' 'for code; do :; done' 'echo "$2: said"' 'exit "$code"' >"$work/poise"
chmod +x "$work/poise"
rows() { # rows EXPECTED-LAST-LINE EXPECTED-CODE ROW...
  last=$1 code=$2
  shift 2
  printf '%s\n' "$@" >"$work/rows.txt"
  SEEDS="1|2" sh tests/rows/run "$work/poise" "$work/rows.txt" >"$work/report"
  got=$?
  said=$(tail -n 1 "$work/report")
  [ "$said" = "$last" ] && [ $got = "$code" ] || { echo "expected '$last' and exit code $code, was '$said' and $got"; cat "$work/report"; return 1; }
}
check rows_pass_for_every_seed_and_word rows "4 passed, 0 failed" 0 '# comment' 'walk --seed {seed} --set a={b|c} 0'
check a_row_that_fails rows "1 passed, 1 failed" 1 'walk {0|1}'
check a_row_that_must_fail rows "1 passed, 1 failed" 1 '! walk {0|1}'
check a_row_refused_has_not_failed_as_it_must rows "0 passed, 1 failed" 1 '! walk 2'
check nine_in_ten rows "9 passed, 0 failed" 0 '% walk {0|0|0|0|0|0|0|0|0|1}'
check less_than_nine_in_ten rows "8 passed, 1 failed" 1 '% walk {0|0|0|0|0|0|0|0|1}'
check a_share_of_its_own rows "1 passed, 0 failed" 0 '%50 walk {0|1}'
check a_row_known_to_be_short rows "1 passed, 0 failed" 0 '~50/90 walk {0|1}'
check what_is_short_is_listed says 'short .*1 of 2, 90 in a hundred are asked for'
check a_short_row_that_got_worse rows "1 passed, 1 failed" 1 '~50/90 walk {0|1|1}'
check a_short_row_that_holds rows "2 passed, 0 failed" 0 '~50/90 walk {0|0}'
check a_row_that_could_not_fail_is_refused rows "rows.txt:2: with a floor of 0 a row cannot fail; mark it ?" 2 'walk 0' '~0/90 walk 1'
check shown_rows_do_not_count rows "1 passed, 0 failed" 0 '? walk 1' 'walk 0'
finish
