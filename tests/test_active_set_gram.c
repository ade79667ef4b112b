/* The Schur complement of a working set: AVX2 against the definition, every size and remainder. */
#include "qp/active_set_schur.h"
#include "unity.h"

#include <stdio.h>
#include <string.h>

enum { G_ROWS = 20, G_LD = 24 };
static double k[G_ROWS * G_LD], ne[G_ROWS * G_LD], weight[G_LD], s[G_ROWS * G_LD];

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

static void sizes(double tol) {
  po_rng r;
  int q, cols, a, b, j, work[G_ROWS];
  po_rng_init(&r, 4, 4);
  for (cols = 0; cols <= 21; cols++)
    for (q = 0; q <= G_ROWS; q++) {
      char label[40];
      snprintf(label, sizeof label, "q %d, ne %d", q, cols);
      for (j = 0; j < G_ROWS * G_LD; j++) {
        k[j] = po_rng_normal(&r);
        ne[j] = j % G_LD < cols ? po_rng_normal(&r) : 0;
        s[j] = 1e9;
      }
      for (j = 0; j < G_LD; j++) weight[j] = j < cols && po_rng_below(&r, 2) ? po_rng_uniform(&r) : 0;
      for (a = 0; a < q; a++) work[a] = (7 * a + 3) % G_ROWS;
      po_asc_gram(po_mat_of(s, q, q, G_LD), po_mat_of(k, G_ROWS, G_ROWS, G_LD), po_mat_of(ne, G_ROWS, cols, G_LD), weight, work, q);
      for (a = 0; a < q; a++) {
        for (b = 0; b <= a; b++) {
          double sum = k[work[a] * G_LD + work[b]];
          for (j = 0; j < cols; j++) sum += ne[work[a] * G_LD + j] * weight[j] * ne[work[b] * G_LD + j];
          TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(tol, sum, s[a * G_LD + b], label);
        }
        for (; b < G_LD; b++) TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(1e9, s[a * G_LD + b], "the upper triangle is not touched");
      }
    }
}

static void test_scalar(void) {
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  sizes(1e-13);
}
static void test_avx2(void) {
  if (po_set_simd(PO_SIMD_AVX2) == PO_OK) sizes(1e-13);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_scalar);
  RUN_TEST(test_avx2);
  return UNITY_END() != 0;
}
