/* Streams: one function saves and restores; whatever is wrong is refused before anything changes. */
#include "base/base.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

#define MOST 5
typedef struct thing {
  double x, y[3];
  int n;
  long steps;
  uint64_t word;
  int count;
  double list[MOST];
} thing;

static void thing_stream(void *object, po_stream *s) {
  thing *t = object;
  int i, n;
  po_stream_double(s, &t->x);
  po_stream_doubles(s, t->y, 3);
  po_stream_int(s, &t->n);
  po_stream_long(s, &t->steps);
  po_stream_word(s, &t->word);
  n = po_stream_count(s, &t->count, MOST);
  for (i = 0; i < n; i++) po_stream_double(s, &t->list[i]);
}

static const po_stream_kind kind = {"thing", 1, 77};
static const thing first = {1.5, {2, 3, -0.0}, -4, -50000, 0xfedcba9876543210u, 3, {7, 8, 9, 0, 0}};
static unsigned char state[512];

static void saved(void) { TEST_ASSERT_EQUAL_INT(PO_OK, po_stream_save(state, sizeof state, &kind, thing_stream, &first)); }

/* The restored object equals the saved one; `expected` is what restoring gives, and all but PO_OK leave the object alone. */
static void restores(po_status expected, const po_stream_kind *k, size_t bytes) {
  thing t, kept;
  memset(&t, 0x5a, sizeof t);
  t.count = 0;
  memcpy(&kept, &t, sizeof t);
  TEST_ASSERT_EQUAL_INT(expected, po_stream_restore(&t, k, thing_stream, state, bytes));
  if (expected != PO_OK) {
    TEST_ASSERT_EQUAL_MEMORY(&kept, &t, sizeof t);
    return;
  }
  TEST_ASSERT_EQUAL_MEMORY(&first.x, &t.x, sizeof t.x + sizeof t.y);
  TEST_ASSERT_TRUE(t.n == first.n && t.steps == first.steps && t.word == first.word && t.count == first.count);
  TEST_ASSERT_EQUAL_MEMORY(first.list, t.list, 3 * sizeof(double));
}

static void test_what_is_saved_is_restored(void) {
  saved();
  restores(PO_OK, &kind, sizeof state);
  restores(PO_OK, &kind, po_stream_save_bytes(&kind, thing_stream, &first));
}

/* 4 doubles, 4 words, 5 of the list, and the head's 8. */
static void test_the_bound_is_known_beforehand(void) {
  thing full = first;
  size_t bytes = po_stream_save_bytes(&kind, thing_stream, &first);
  TEST_ASSERT_EQUAL_size_t(8 * (4 + 4 + MOST + 8), bytes);
  full.count = MOST;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stream_save(state, bytes, &kind, thing_stream, &full));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_stream_save(state, bytes - 1, &kind, thing_stream, &full));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_stream_save(state, 10, &kind, thing_stream, &full));
  full.count = MOST + 1;
  TEST_ASSERT_TRUE(po_stream_save(state, sizeof state, &kind, thing_stream, &full) != PO_OK);
}

static void test_another_kind_version_or_body_is_refused(void) {
  po_stream_kind k = kind;
  saved();
  k.tag = "thin";
  restores(PO_ERR_NAME, &k, sizeof state);
  k = kind;
  k.version = 2;
  restores(PO_ERR_UNSUPPORTED, &k, sizeof state);
  k = kind;
  k.belongs = 78;
  restores(PO_ERR_MODEL, &k, sizeof state);
}

static void test_a_count_out_of_its_bounds_is_refused(void) {
  thing t = first;
  for (int count = -1; count <= MOST + 1; count += MOST + 2) {
    t.count = count;
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_stream_save(state, sizeof state, &kind, thing_stream, &t)); /* as for what does not fit */
  }
}

static void test_every_cut_is_refused(void) {
  size_t n, whole = 64 + 8 * (4 + 4 + 3);
  saved();
  for (n = 0; n < whole; n++) restores(PO_ERR_SIZE, &kind, n);
  restores(PO_OK, &kind, whole);
}

static void test_every_flipped_bit_is_refused(void) {
  size_t bit, whole = 64 + 8 * (4 + 4 + 3);
  for (bit = 0; bit < 8 * whole; bit++) {
    thing t, kept;
    saved();
    state[bit / 8] ^= (unsigned char)(1u << bit % 8);
    memset(&t, 0, sizeof t);
    kept = t;
    TEST_ASSERT_TRUE_MESSAGE(po_stream_restore(&t, &kind, thing_stream, state, sizeof state) != PO_OK, "a flipped bit went unnoticed");
    TEST_ASSERT_EQUAL_MEMORY(&kept, &t, sizeof t);
  }
}

static void test_nothing_is_refused_politely(void) {
  thing t;
  TEST_ASSERT_EQUAL_size_t(0, po_stream_save_bytes(&kind, thing_stream, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_stream_save(NULL, 100, &kind, thing_stream, &first));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_stream_restore(&t, &kind, thing_stream, NULL, 100));
  memset(state, 0, sizeof state);
  restores(PO_ERR_PARSE, &kind, sizeof state);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_what_is_saved_is_restored);
  RUN_TEST(test_the_bound_is_known_beforehand);
  RUN_TEST(test_another_kind_version_or_body_is_refused);
  RUN_TEST(test_a_count_out_of_its_bounds_is_refused);
  RUN_TEST(test_every_cut_is_refused);
  RUN_TEST(test_every_flipped_bit_is_refused);
  RUN_TEST(test_nothing_is_refused_politely);
  return UNITY_END() != 0;
}
