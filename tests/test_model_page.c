/* The page of a model: its data is JSON that names every body, joint and shape, and a name cannot end the script. */
#include "rbd/map.h"
#include "robot_texts.h"
#include "unity.h"
#include "view/view.h"

void setUp(void) {}
void tearDown(void) {}

static po_error err;

static po_json *data_of(const po_buffer *page) {
  const char *from = strstr(page->data, "id=\"model\">"), *to;
  po_json *root = NULL;
  TEST_ASSERT_NOT_NULL(from);
  from += strlen("id=\"model\">");
  to = strstr(from, "</script>");
  TEST_ASSERT_NOT_NULL(to);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_parse(&root, from, (size_t)(to - from), "page", &err), err.message);
  return root;
}

static void test_page(void) {
  robot_plan plan = robot_humanoid(0.3, 0, 1);
  const po_model *m = NULL;
  po_warnings warnings = {0};
  po_buffer text = {0}, page = {0};
  po_map *map = NULL;
  po_json *root;
  plan.name = "</script><b>";
  robot_urdf(&text, &plan);
  TEST_ASSERT_NOT_EQUAL(PO_OK, po_urdf_read(&m, text.data, text.size, "r", NULL, &err)); /* XML wants it escaped */
  plan.name = "&lt;/script&gt;";
  text.size = 0;
  robot_urdf(&text, &plan);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_urdf_read(&m, text.data, text.size, "r", NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_map_propose(&map, m, &err));
  warnings.count = 1;
  po_fail_at(&warnings.list[0], PO_ERR_MODEL, "r", 7, 0, "something <odd>");
  po_model_html(&page, m, map, &warnings);
  root = data_of(&page);
  TEST_ASSERT_EQUAL_STRING("</script>", po_json_string(po_json_get(root, "name"), ""));
  TEST_ASSERT_EQUAL_INT(m->nb, (int)po_json_get(root, "bodies")->length);
  TEST_ASSERT_EQUAL_INT(m->shapes, (int)po_json_get(root, "shapes")->length);
  TEST_ASSERT_EQUAL_INT(2, (int)po_json_get(root, "soles")->length);
  TEST_ASSERT_EQUAL_STRING("line 7: something <odd>", po_json_string(po_json_at(po_json_get(root, "warnings"), 0), ""));
  TEST_ASSERT_EQUAL_STRING(m->joint[3].name, po_json_string(po_json_get(po_json_get(po_json_at(po_json_get(root, "bodies"), 3), "joint"), "name"), ""));
  po_json_free(root);
  po_buffer_free(&page);
  po_model_html(&page, m, NULL, NULL); /* without a map there are no soles */
  root = data_of(&page);
  TEST_ASSERT_NULL(po_json_get(root, "soles"));
  po_json_free(root);
  po_buffer_free(&page);
  po_buffer_free(&text);
  po_map_free(map);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_page);
  return UNITY_END() != 0;
}
