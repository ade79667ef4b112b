/* test_step_page.c: the page of a step model: whole, with a point for every example and no name that could end its markup. */
#include "unity.h"
#include "view/view.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static int count(const char *text, const char *what) {
  int n = 0;
  for (; (text = strstr(text, what)); text += strlen(what)) n++;
  return n;
}

static void test_every_example_is_drawn(void) {
  static po_step_example e[40];
  const po_model *body;
  po_step_model *m;
  po_buffer out = {0};
  po_error err;
  po_rng rng;
  int i, k;
  po_rng_init(&rng, 3, 0);
  for (i = 0; i < 40; i++) {
    for (k = 0; k < PO_STEP_PLANE; k++) e[i].from[k] = po_rng_range(&rng, -0.2, 0.2);
    for (k = 0; k < 6; k++) e[i].action[k] = po_rng_range(&rng, -0.2, 0.2);
    e[i].length = po_rng_range(&rng, 0.1, 0.9);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&body, "biped7", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_step_model_new(&m, body, "a<b", e, 40, &err));
  po_step_model_html(&out, m);
  po_buffer_add(&out, "", 1);
  TEST_ASSERT_FALSE(out.failed);
  TEST_ASSERT_EQUAL_INT(40, count(out.data, "r=\"2\""));
  TEST_ASSERT_EQUAL_INT(PO_STEP_NEAR, count(out.data, "class=\"near\""));
  TEST_ASSERT_EQUAL_INT(1, count(out.data, "class=\"box\""));
  TEST_ASSERT_EQUAL_INT(3 * 16, count(out.data, "class=\"bar\""));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "a&lt;b"));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "</html>"));
  TEST_ASSERT_NULL(strstr(out.data, "nan"));
  po_buffer_free(&out);
  po_step_model_free(m);
  po_model_free(body);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_example_is_drawn);
  return UNITY_END() != 0;
}
