/* Plane rotations, and sequences of them against one at a time, on both SIMD paths. */
#include "la/kernels.h"
#include "la_helpers.h"

void setUp(void) { la_reset(); }
void tearDown(void) {}

static void body_givens(void) {
  static const double values[] = {0, 1, -1, 3e-200, -4e-200, 1e300, -1e300, 5e-324, 1e-8, 1e8};
  int i, j;
  for (i = 0; i < 10; i++)
    for (j = 0; j < 10; j++) {
      double a = values[i], b = values[j], c, s, r, x[1], y[1], size;
      po_givens(&c, &s, &r, a, b);
      size = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
      TEST_ASSERT_DOUBLE_WITHIN(4 * PO_EPS, 1, c * c + s * s);
      x[0] = a;
      y[0] = b;
      po_givens_apply(x, y, 1, c, s);
      TEST_ASSERT_DOUBLE_WITHIN(4 * PO_EPS * size + 5e-324, r, x[0]);
      TEST_ASSERT_DOUBLE_WITHIN(4 * PO_EPS * size + 5e-324, 0, y[0]);
    }
}

static void body_givens_apply(void) {
  int n, i;
  for (n = 0; n <= 40; n++) {
    po_mat X = la_mat(2, n), Y;
    po_rng rng;
    la_make(X, LA_RANDOM, 91);
    po_rng_init(&rng, 91, (uint64_t)n);
    Y = la_copy(X);
    po_givens_apply(po_row(X, 0), po_row(X, 1), n, 0.6, 0.8);
    for (i = 0; i < n; i++) {
      double a = PO_AT(Y, 0, i), b = PO_AT(Y, 1, i);
      TEST_ASSERT_DOUBLE_WITHIN(4 * PO_EPS, 0.6 * a + 0.8 * b, PO_AT(X, 0, i));
      TEST_ASSERT_DOUBLE_WITHIN(4 * PO_EPS, 0.6 * b - 0.8 * a, PO_AT(X, 1, i));
    }
    TEST_ASSERT(la_padding_intact(X));
  }
}

static void angles(double *c, double *s, int n) {
  int k;
  for (k = 0; k < n; k++) po_sincos(&s[k], &c[k], 0.3 + 0.7 * k);
}

/* Each of the three kinds of sequences, up and down, against the definition, rotation by rotation. */
static void check_sequence(int m, int n, int count, int dir, int kind) {
  po_mat A, B;
  double c[64], s[64], *carry = NULL, *other = NULL;
  int first, i, k;
  la_reset();
  A = la_mat(m, n);
  la_make(A, LA_RANDOM, (uint64_t)(m + 50 * n));
  B = la_copy(A);
  angles(c, s, count);
  if (kind == 0) { /* neighbouring rows */
    first = dir > 0 ? 1 : count + 1;
    po_la_rotate_rows(A, first, count, dir, c, s);
    for (k = 0; k < count; k++)
      for (i = 0; i < n; i++) {
        double *x = &PO_AT(B, first + k * dir, i), *y = &PO_AT(B, first + (k + 1) * dir, i), a = *x, b = *y;
        *x = c[k] * a + s[k] * b;
        *y = c[k] * b - s[k] * a;
      }
  } else if (kind == 1) { /* neighbouring columns */
    first = dir > 0 ? 1 : count + 1;
    po_la_rotate_columns(A, first, count, dir, c, s);
    for (k = 0; k < count; k++)
      for (i = 0; i < m; i++) {
        double *x = &PO_AT(B, i, first + k * dir), *y = &PO_AT(B, i, first + (k + 1) * dir), a = *x, b = *y;
        *x = c[k] * a + s[k] * b;
        *y = c[k] * b - s[k] * a;
      }
  } else { /* all with one column */
    first = dir > 0 ? 1 : count;
    carry = la_vec(2 * m);
    other = la_vec(2 * m);
    for (i = 0; i < 2 * m; i++) carry[i] = other[i] = 0.1 * i - 1;
    po_la_rotate_carry(A, first, count, dir, c, s, carry, 2);
    for (k = 0; k < count; k++)
      for (i = 0; i < m; i++) {
        double *x = &other[2 * i], *y = &PO_AT(B, i, first + k * dir), a = *x, b = *y;
        *x = c[k] * a - s[k] * b;
        *y = c[k] * b + s[k] * a;
      }
    LA_ASSERT_NEAR(po_mat_of(other, 1, 2 * m, 2 * m), po_mat_of(carry, 1, 2 * m, 2 * m), la_bound(4, count, 3 + 0.2 * m), "carry",
                   0);
  }
  LA_ASSERT_NEAR(B, A, la_bound(4, count, 3 + 0.2 * m), kind == 0 ? "rows" : kind == 1 ? "columns" : "with one column", 0);
  TEST_ASSERT(la_padding_intact(A));
}

static void body_sequences(void) {
  int other, count, dir, kind;
  for (kind = 0; kind < 3; kind++)
    for (dir = -1; dir <= 1; dir += 2)
      for (count = 0; count <= 40; count++)
        for (other = 0; other <= 40; other += 1 + other / 8)
          check_sequence(kind == 0 ? count + 3 : other, kind == 0 ? other : count + 3, count, dir, kind);
}

static void test_givens(void) { la_both(body_givens); }
static void test_givens_apply(void) { la_both(body_givens_apply); }
static void test_sequences(void) { la_both(body_sequences); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_givens);
  RUN_TEST(test_givens_apply);
  RUN_TEST(test_sequences);
  return UNITY_END() != 0;
}
