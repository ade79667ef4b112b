/* What po_qps_write writes, po_qps_read reads back to the same bits. */
#include "qp/qp.h"
#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static int same(double a, double b) { return a == b || (po_abs(a) >= 1e20 && po_abs(b) >= 1e20 && (a > 0) == (b > 0)); }

static void compare_rows(const char *what, po_mat a, po_mat b, int rows) {
  int i, j;
  for (i = 0; i < rows; i++)
    for (j = 0; j < a.cols; j++) TEST_ASSERT_TRUE_MESSAGE(PO_AT(a, i, j) == PO_AT(b, i, j), what);
}

static void round_trip(const po_qp *p, const char *label) {
  po_buffer text = {0}, again = {0};
  po_qp_file *file = NULL;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_qps_write(&text, p, "round"), label);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_qps_read(&file, text.data, text.size, "round.qps", &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(p->n, file->qp.n, label);
  TEST_ASSERT_EQUAL_INT_MESSAGE(p->me, file->qp.me, label);
  TEST_ASSERT_EQUAL_INT_MESSAGE(p->mi, file->qp.mi, label);
  TEST_ASSERT_EQUAL_DOUBLE(p->constant, file->qp.constant);
  compare_rows("A", p->A, file->qp.A, p->me);
  compare_rows("C", p->C, file->qp.C, p->mi);
  if (p->H.a) compare_rows("H", p->H, file->qp.H, p->n);
  else TEST_ASSERT_NULL(file->qp.H.a);
  for (i = 0; i < p->me; i++) TEST_ASSERT_TRUE_MESSAGE(p->b[i] == file->qp.b[i], label);
  for (i = 0; i < p->mi; i++)
    if (p->cl[i] < 0 && p->cu[i] > 0 && p->cl[i] > -PO_INF && p->cu[i] < PO_INF) { /* a width rounds once */
      TEST_ASSERT_TRUE_MESSAGE(p->cl[i] == file->qp.cl[i], label);
      TEST_ASSERT_TRUE_MESSAGE(po_abs(p->cu[i] - file->qp.cu[i]) <= PO_EPS * (p->cu[i] - p->cl[i]), label);
    } else {
      TEST_ASSERT_TRUE_MESSAGE(same(p->cl[i], file->qp.cl[i]) && same(p->cu[i], file->qp.cu[i]), label);
    }
  for (i = 0; i < p->n; i++) {
    TEST_ASSERT_TRUE_MESSAGE(same(p->xl ? p->xl[i] : -PO_INF, file->qp.xl[i]), label);
    TEST_ASSERT_TRUE_MESSAGE(same(p->xu ? p->xu[i] : PO_INF, file->qp.xu[i]), label);
    TEST_ASSERT_TRUE_MESSAGE((p->g ? p->g[i] : 0) == file->qp.g[i], label);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qps_write(&again, &file->qp, "round"));
  if (p->row_names == NULL || !strchr(p->row_names[0], ' '))
    TEST_ASSERT_EQUAL_STRING_MESSAGE(text.data, again.data, "writing what was read writes the same");
  po_buffer_free(&text);
  po_buffer_free(&again);
  po_qp_file_free(file);
}

#define W_N 7
#define W_ME 2
#define W_MI 5
static void random_problem(po_qp *p, double *mem, uint64_t seed) {
  po_rng r;
  double *h = mem, *a = h + W_N * W_N, *c = a + W_ME * W_N, *g = c + W_MI * W_N, *b = g + W_N, *cl = b + W_ME, *cu = cl + W_MI, *xl = cu + W_MI,
         *xu = xl + W_N;
  int i, j;
  po_rng_init(&r, seed, 3);
  memset(p, 0, sizeof *p);
  for (i = 0; i < W_N; i++)
    for (j = 0; j <= i; j++) h[i * W_N + j] = h[j * W_N + i] = po_rng_below(&r, 3) ? 0 : po_rng_normal(&r);
  for (i = 0; i < (W_ME + W_MI) * W_N; i++) a[i] = po_rng_below(&r, 2) ? 0 : po_rng_normal(&r) * 1e3;
  for (i = 0; i < W_N; i++) {
    int kind = po_rng_below(&r, 6);
    double low = po_rng_normal(&r), width = po_rng_uniform(&r);
    g[i] = po_rng_normal(&r);
    xl[i] = kind == 0 || kind == 1 ? -PO_INF : kind == 2 ? 0 : low;
    xu[i] = kind == 0 || kind == 3 ? PO_INF : kind == 4 ? low : po_abs(low) + width;
  }
  for (i = 0; i < W_ME; i++) b[i] = po_rng_normal(&r);
  for (i = 0; i < W_MI; i++) {
    int kind = po_rng_below(&r, 5);
    double low = po_rng_normal(&r);
    cl[i] = kind == 0 || kind == 1 ? -PO_INF : low;
    cu[i] = kind == 0 || kind == 2 ? PO_INF : kind == 3 ? low : po_abs(low) + po_rng_uniform(&r);
  }
  p->n = W_N; p->me = W_ME; p->mi = W_MI;
  p->H = po_mat_of(h, W_N, W_N, W_N);
  p->A = po_mat_of(a, W_ME, W_N, W_N);
  p->C = po_mat_of(c, W_MI, W_N, W_N);
  p->g = g; p->b = b; p->cl = cl; p->cu = cu; p->xl = xl; p->xu = xu;
  p->constant = po_rng_below(&r, 2) ? po_rng_normal(&r) : 0;
}

static void test_random_round_trips(void) {
  uint64_t seed;
  for (seed = 0; seed < 200; seed++) {
    double mem[W_N * W_N + (W_ME + W_MI) * W_N + 3 * W_N + W_ME + 2 * W_MI];
    char label[40];
    po_qp p;
    snprintf(label, sizeof label, "seed %d", (int)seed);
    random_problem(&p, mem, seed);
    if (seed % 3 == 0) p.H = po_mat_of(NULL, 0, 0, 0);
    if (seed % 5 == 0) p.xl = p.xu = NULL;
    if (seed % 7 == 0) p.g = NULL;
    round_trip(&p, label);
  }
}

static void test_names(void) {
  double mem[W_N * W_N + (W_ME + W_MI) * W_N + 3 * W_N + W_ME + 2 * W_MI];
  static const char *const rows[] = {"top", "bottom", "left", "right", "front", "back", "knee"};
  static const char *const vars[] = {"a", "b", "c", "d", "e", "f", "g"};
  static const char *const blank[] = {"a b", "b", "c", "d", "e", "f", "g"}, *const twice[] = {"a", "a", "c", "d", "e", "f", "g"};
  po_qp p;
  po_buffer text = {0};
  random_problem(&p, mem, 11);
  p.row_names = rows;
  p.var_names = vars;
  round_trip(&p, "names");
  po_qps_write(&text, &p, NULL);
  TEST_ASSERT_NOT_NULL(strstr(text.data, " E top\n"));
  po_buffer_free(&text);
  p.var_names = blank; /* cannot stand in a free file: replaced by numbers */
  round_trip(&p, "blank");
  p.var_names = twice;
  round_trip(&p, "twice");
  p.row_names = blank;
  round_trip(&p, "blank rows");
}

static void test_no_rows_and_misuse(void) {
  po_qp p;
  po_buffer text = {0};
  double g[2] = {1, 0};
  memset(&p, 0, sizeof p);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_qps_write(&text, &p, NULL));
  p.n = 2;
  p.g = g;
  round_trip(&p, "no rows");
  p.mi = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qps_write(&text, &p, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qps_write(NULL, &p, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_qps_write(&text, NULL, NULL));
}

/* Every allocation of a write fails once, in turn: the status says so each time, and what is called written is the whole text. */
static long calls, fail_at;
static void *fail_once(void *user, void *block, size_t bytes) {
  (void)user;
  if (!bytes) {
    free(block);
    return NULL;
  }
  return calls++ == fail_at ? NULL : realloc(block, bytes);
}
static void test_an_allocation_that_fails(void) {
  double mem[W_N * W_N + (W_ME + W_MI) * W_N + 3 * W_N + W_ME + 2 * W_MI];
  static const char *const rows[] = {"top", "bottom", "left", "right", "front", "back", "knee"};
  static const char *const vars[] = {"a", "b", "c", "d", "e", "f", "g"};
  long all;
  po_qp p;
  po_buffer whole = {0};
  random_problem(&p, mem, 11);
  p.row_names = rows;
  p.var_names = vars;
  po_set_allocator(fail_once, NULL);
  calls = 0;
  fail_at = -1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_qps_write(&whole, &p, "whole"));
  all = calls;
  TEST_ASSERT_TRUE(all >= 5); /* two tables of names, two arrays each, and the text */
  for (fail_at = 0; fail_at < all; fail_at++) {
    po_buffer text = {0};
    calls = 0;
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_qps_write(&text, &p, "whole"));
    po_buffer_free(&text);
  }
  po_buffer_free(&whole);
  po_set_allocator(NULL, NULL);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random_round_trips);
  RUN_TEST(test_names);
  RUN_TEST(test_no_rows_and_misuse);
  RUN_TEST(test_an_allocation_that_fails);
  return UNITY_END() != 0;
}
