/* The JSON writer: the text, and that our own reader gets back what was written. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static void write_report(po_jw *w) {
  const double com[3] = {0.1, -2.0, 1e-9}, bad[2] = {PO_NAN, PO_INF};
  po_jw_object(w, NULL);
  po_jw_string(w, "scenario", "walk \"fast\"\\\n\t\x01 \xc3\xa4");
  po_jw_int(w, "steps", -9223372036854775807ll - 1);
  po_jw_bool(w, "fell", 0);
  po_jw_bool(w, "stood", 2);
  po_jw_null(w, "fell_at");
  po_jw_doubles(w, "com", com, 3);
  po_jw_doubles(w, "bad", bad, 2);
  po_jw_doubles(w, "nothing", NULL, 0);
  po_jw_array(w, "feet");
  for (int i = 0; i < 2; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "name", i ? "foot_r" : "foot_l");
    po_jw_number(w, "heading_deg", 1.5 * i);
    po_jw_end(w);
  }
  po_jw_end(w);
  po_jw_object(w, "energy");
  po_jw_number(w, "kinetic", 1.0 / 3.0);
  po_jw_object(w, "empty");
  po_jw_end(w);
  po_jw_end(w);
  po_jw_string(w, "missing", NULL);
  po_jw_hex(w, "state_hash", 0x123456789abcdefu);
  po_jw_end(w);
}

static const char compact[] =
    "{\"scenario\":\"walk \\\"fast\\\"\\\\\\n\\t\\u0001 "
    "\xc3\xa4\",\"steps\":-9223372036854775808,\"fell\":false,\"stood\":true,\"fell_at\":null,"
    "\"com\":[0.1,-2,1e-09],\"bad\":[null,null],\"nothing\":[],\"feet\":[{\"name\":\"foot_l\",\"heading_deg\":0},{\"name\":\"foot_"
    "r\",\"heading_deg\":1.5}],"
    "\"energy\":{\"kinetic\":0.3333333333333333,\"empty\":{}},\"missing\":null,\"state_hash\":\"0123456789abcdef\"}";

static const char pretty[] =
    "{\n"
    "  \"scenario\": \"walk \\\"fast\\\"\\\\\\n\\t\\u0001 \xc3\xa4\",\n"
    "  \"steps\": -9223372036854775808,\n"
    "  \"fell\": false,\n"
    "  \"stood\": true,\n"
    "  \"fell_at\": null,\n"
    "  \"com\": [0.1, -2, 1e-09],\n"
    "  \"bad\": [null, null],\n"
    "  \"nothing\": [],\n"
    "  \"feet\": [{\"name\": \"foot_l\", \"heading_deg\": 0}, {\"name\": \"foot_r\", \"heading_deg\": 1.5}],\n"
    "  \"energy\": {\n"
    "    \"kinetic\": 0.3333333333333333,\n"
    "    \"empty\": {}\n"
    "  },\n"
    "  \"missing\": null,\n"
    "  \"state_hash\": \"0123456789abcdef\"\n"
    "}";

static void test_text(void) {
  for (int k = 0; k < 2; k++) {
    po_buffer out = {0};
    po_jw w;
    po_jw_init(&w, &out, k);
    write_report(&w);
    TEST_ASSERT_EQUAL_STRING(k ? pretty : compact, out.data);
    TEST_ASSERT_EQUAL_INT(0, w.depth);
    po_buffer_free(&out);
  }
}

static void test_reads_back(void) {
  po_buffer out = {0};
  po_jw w;
  po_json *root = NULL;
  po_error err;
  po_jw_init(&w, &out, 1);
  write_report(&w);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_json_parse(&root, out.data, out.size, NULL, &err));
  double com[3];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_json_doubles(com, 3, po_json_get(root, "com")));
  TEST_ASSERT_TRUE(com[0] == 0.1 && com[1] == -2.0 && com[2] == 1e-9);
  TEST_ASSERT_EQUAL_STRING("walk \"fast\"\\\n\t\x01 \xc3\xa4", po_json_string(po_json_get(root, "scenario"), ""));
  TEST_ASSERT_TRUE(po_json_number(po_json_get(po_json_get(root, "energy"), "kinetic"), 0.0) == 1.0 / 3.0);
  po_json_free(root);
  po_buffer_free(&out);
}

/* Whatever bytes come in, JSON goes out. */
static void test_any_bytes_give_json(void) {
  const uint64_t seed = 41;
  po_rng rng;
  po_rng_init(&rng, seed, 0);
  for (int i = 0; i < 20000; i++) {
    char text[24];
    int n = po_rng_below(&rng, 23);
    for (int j = 0; j < n; j++) text[j] = (char)(1 + po_rng_below(&rng, 255));
    text[n] = '\0';
    po_buffer out = {0};
    po_jw w;
    po_json *root = NULL;
    po_jw_init(&w, &out, i & 1);
    po_jw_object(&w, NULL);
    po_jw_string(&w, text, text);
    po_jw_end(&w);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_parse(&root, out.data, out.size, NULL, NULL), out.data);
    TEST_ASSERT_EQUAL_STRING(root->first->key, root->first->string);
    po_json_free(root);
    po_buffer_free(&out);
  }
  po_buffer out = {0};
  po_jw w;
  po_jw_init(&w, &out, 0);
  po_jw_string(&w, NULL, "a\xff\xc3z");
  TEST_ASSERT_EQUAL_STRING("\"a\xef\xbf\xbd\xef\xbf\xbdz\"", out.data);
  po_buffer_free(&out);
}

/* 63 levels are written and read back; deeper is a failed buffer, not a broken one. */
static void test_depth(void) {
  for (int depth = 60; depth < 200; depth++) {
    po_buffer out = {0};
    po_jw w;
    po_jw_init(&w, &out, depth & 1);
    for (int i = 0; i < depth; i++) po_jw_array(&w, NULL);
    po_jw_number(&w, NULL, 1.0);
    for (int i = 0; i < depth; i++) po_jw_end(&w);
    TEST_ASSERT_EQUAL_INT(depth > 63, out.failed);
    TEST_ASSERT_EQUAL_INT(0, w.depth);
    if (!out.failed) {
      po_json *root = NULL;
      TEST_ASSERT_EQUAL_INT(PO_OK, po_json_parse(&root, out.data, out.size, NULL, NULL));
      po_json_free(root);
    }
    po_jw_end(&w); /* one too many changes nothing */
    TEST_ASSERT_EQUAL_INT(0, w.depth);
    po_buffer_free(&out);
  }
}

static po_status write_all(void *context) {
  po_buffer out = {0};
  po_jw w;
  (void)context;
  po_jw_init(&w, &out, 1);
  for (int i = 0; i < 10; i++) write_report(&w);
  po_status status = out.failed ? PO_ERR_MEMORY : PO_OK;
  po_buffer_free(&out);
  return status;
}

static void test_running_out_of_memory(void) { TEST_ASSERT_GREATER_THAN_INT(3, failing_sweep(write_all, NULL)); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_text);
  RUN_TEST(test_reads_back);
  RUN_TEST(test_any_bytes_give_json);
  RUN_TEST(test_depth);
  RUN_TEST(test_running_out_of_memory);
  return UNITY_END() != 0;
}
