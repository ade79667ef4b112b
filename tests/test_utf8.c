/* UTF-8: every code point, and everything that is not one. */
#include "base/text.h"
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void test_every_code_point(void) {
  for (uint32_t code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    char text[4];
    int n = po_utf8_write(text, code);
    TEST_ASSERT_EQUAL_INT(code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, n);
    if (po_utf8_length(text, text + n) != n) TEST_ASSERT_EQUAL_INT(n, po_utf8_length(text, text + n));
    for (int cut = 0; cut < n; cut++)
      if (po_utf8_length(text, text + cut) != 0) TEST_FAIL_MESSAGE("cut off, yet accepted");
  }
}

/* By the definition: decode bitwise, then ask for the shortest form and the range. */
static int length_by_definition(const unsigned char *s, int left) {
  int n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf8 ? 4 : 0;
  if (n == 0 || n > left) return 0;
  uint32_t code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
  for (int i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (s[i] & 0x3f);
  }
  const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

static void test_every_start(void) {
  static const unsigned char third[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
  for (int a = 0; a < 256; a++)
    for (int b = 0; b < 256; b++)
      for (int c = 0; c < 36; c++)
        for (int left = 1; left <= 4; left++) {
          unsigned char s[4] = {(unsigned char)a, (unsigned char)b, third[c / 6], third[c % 6]};
          int got = po_utf8_length((char *)s, (char *)s + left), expected = length_by_definition(s, left);
          if (got != expected) TEST_ASSERT_EQUAL_INT(expected, got);
        }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_code_point);
  RUN_TEST(test_every_start);
  return UNITY_END() != 0;
}
