/* The JSON reader: trees, and for everything that is not JSON a line and a column. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static po_json *parse(const char *text, size_t size) {
  po_json *root = NULL;
  po_error err;
  po_status status = po_json_parse(&root, text, size, "test.json", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, status, status ? err.message : text);
  return root;
}

static const char document[] = "{\n"
                               "  \"name\": \"walk \\u00e4\\n\\ud83d\\ude00 \xc3\xb6\",\n"
                               "  \"gains\": [1, -2.5, 3e-2, 0.1e+1],\n"
                               "  \"on\": true, \"off\": false, \"none\": null,\n"
                               "  \"deep\": {\"a\": [[], {}, [1, [2]]]},\n"
                               "  \"name\": \"second\"\n"
                               "}\n";

static void test_a_document(void) {
  po_json *root = parse(document, strlen(document));
  TEST_ASSERT_EQUAL_INT(PO_JSON_OBJECT, root->type);
  TEST_ASSERT_EQUAL_size_t(7, root->length);
  TEST_ASSERT_EQUAL_STRING("walk \xc3\xa4\n\xf0\x9f\x98\x80 \xc3\xb6", po_json_string(po_json_get(root, "name"), ""));
  TEST_ASSERT_EQUAL_size_t(15, po_json_get(root, "name")->length);
  double gains[4];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_json_doubles(gains, 4, po_json_get(root, "gains")));
  TEST_ASSERT_TRUE(gains[0] == 1.0 && gains[1] == -2.5 && gains[2] == 0.03 && gains[3] == 1.0);
  TEST_ASSERT_EQUAL_INT(PO_JSON_TRUE, po_json_get(root, "on")->type);
  TEST_ASSERT_EQUAL_INT(PO_JSON_FALSE, po_json_get(root, "off")->type);
  TEST_ASSERT_EQUAL_INT(PO_JSON_NULL, po_json_get(root, "none")->type);
  const po_json *a = po_json_get(po_json_get(root, "deep"), "a");
  TEST_ASSERT_TRUE(po_json_number(po_json_at(po_json_at(po_json_at(a, 2), 1), 0), -1.0) == 2.0);
  TEST_ASSERT_EQUAL_STRING("a", a->key);
  TEST_ASSERT_NULL(po_json_at(a, 0)->key);
  const po_json *off = po_json_get(root, "off");
  TEST_ASSERT_EQUAL_INT(4, off->line);
  TEST_ASSERT_EQUAL_INT(22, off->column);
  TEST_ASSERT_EQUAL_INT(1, root->line);
  TEST_ASSERT_EQUAL_INT(1, root->column);
  po_json_free(root);
  po_json_free(NULL);
}

static void test_any_value_may_be_the_root(void) {
  static const struct {
    const char *text;
    po_json_type type;
  } rows[] = {{"null", PO_JSON_NULL},   {" true ", PO_JSON_TRUE},          {"\t\r\nfalse", PO_JSON_FALSE},
              {"-0.5", PO_JSON_NUMBER}, {"\"\"", PO_JSON_STRING},          {"[ ]", PO_JSON_ARRAY},
              {"{ }", PO_JSON_OBJECT},  {"\xef\xbb\xbf[1]", PO_JSON_ARRAY}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    po_json *root = parse(rows[i].text, strlen(rows[i].text));
    TEST_ASSERT_EQUAL_INT_MESSAGE(rows[i].type, root->type, rows[i].text);
    po_json_free(root);
  }
}

static void test_access_to_what_is_not_there(void) {
  po_json *root = parse("{\"a\": [1, \"x\"], \"n\": null}", 26);
  const po_json *a = po_json_get(root, "a");
  double two[2] = {7.0, 7.0};
  TEST_ASSERT_NULL(po_json_get(root, "b"));
  TEST_ASSERT_NULL(po_json_get(a, "a"));
  TEST_ASSERT_NULL(po_json_get(NULL, "a"));
  TEST_ASSERT_NULL(po_json_get(root, NULL));
  TEST_ASSERT_NULL(po_json_at(a, 2));
  TEST_ASSERT_NULL(po_json_at(a, -1));
  TEST_ASSERT_NULL(po_json_at(root, 0));
  TEST_ASSERT_NULL(po_json_at(NULL, 0));
  TEST_ASSERT_TRUE(po_json_number(po_json_at(a, 1), 4.0) == 4.0 && po_json_number(NULL, 5.0) == 5.0);
  TEST_ASSERT_EQUAL_STRING("d", po_json_string(po_json_at(a, 0), "d"));
  TEST_ASSERT_NULL(po_json_string(NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_json_doubles(two, 2, a));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_json_doubles(two, 1, a));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_json_doubles(two, -1, a));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_json_doubles(two, 2, root));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_json_doubles(two, 2, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_json_doubles(NULL, 2, a));
  TEST_ASSERT_TRUE(two[0] == 7.0 && two[1] == 7.0); /* untouched */
  po_json_free(root);
}

static void refuse(const char *text, size_t size, int line, int column, const char *words) {
  po_json *root = (po_json *)&text;
  po_error err;
  memset(&err, 0x55, sizeof err);
  po_status status = po_json_parse(&root, text, size, "bad.json", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_PARSE, status, text);
  TEST_ASSERT_TRUE_MESSAGE(root == (po_json *)&text, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_PARSE, err.status, text);
  TEST_ASSERT_EQUAL_STRING("bad.json", err.file);
  TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(column, err.column, text);
  TEST_ASSERT_TRUE_MESSAGE(strstr(err.message, words) != NULL, err.message);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_json_parse(&root, text, size, NULL, NULL));
}

static void test_malformed(void) {
  static const struct {
    const char *text;
    int line, column;
    const char *words;
  } rows[] = {{"", 1, 1, "the text ends"},
              {"  \n ", 2, 2, "the text ends"},
              {"nul", 1, 1, "value"},
              {"nulL", 1, 1, "value"},
              {"truex", 1, 5, "end of the text"},
              {"[1,\n 2,,]", 2, 4, "found ','"},
              {"[1 2]", 1, 4, "',' or ']'"},
              {"[1,]", 1, 4, "found ']'"},
              {"[1", 1, 3, "the text ends where ',' or ']'"},
              {"{\"a\" 1}", 1, 6, "':'"},
              {"{\"a\":1,}", 1, 8, "key in quotes"},
              {"{a:1}", 1, 2, "key in quotes"},
              {"{\"a\":}", 1, 6, "value"},
              {"{\"a\":1]", 1, 7, "',' or '}'"},
              {"{\"a", 1, 4, "the text ends where the end of a string"},
              {"\"abc", 1, 5, "the text ends"},
              {"\"a\\", 1, 4, "the text ends"},
              {"\"a\nb\"", 1, 3, "control character"},
              {"\"a\\x\"", 1, 3, "escape"},
              {"\"\\u12g4\"", 1, 2, "hexadecimal"},
              {"\"\\u12\"", 1, 2, "hexadecimal"},
              {"\"\\ud800\"", 1, 2, "surrogate"},
              {"\"\\ud800\\u0041\"", 1, 2, "surrogate"},
              {"\"\\ud800\\ud800\"", 1, 2, "surrogate"},
              {"\"\\udc00\"", 1, 2, "surrogate"},
              {"{\"a\\u0000b\": 1}", 1, 2, "NUL"},
              {"01", 1, 1, "superfluous 0"},
              {"-", 1, 2, "digit"},
              {"-x", 1, 2, "digit"},
              {"1.", 1, 3, "digit"},
              {"1.e5", 1, 3, "digit"},
              {".5", 1, 1, "value"},
              {"1e", 1, 3, "digit"},
              {"1e+", 1, 4, "digit"},
              {"+1", 1, 1, "value"},
              {"1e309", 1, 1, "too large"},
              {"[-1e999]", 1, 2, "too large"},
              {"NaN", 1, 1, "value"},
              {"inf", 1, 1, "value"},
              {"0x10", 1, 2, "end of the text"},
              {"1,5", 1, 2, "end of the text"},
              {"'a'", 1, 1, "value"},
              {"[1] // c", 1, 5, "end of the text"},
              {"\"\x80\"", 1, 2, "UTF-8"},
              {"\"ab\xc3\"", 1, 4, "UTF-8"},
              {"\"\xc0\xaf\"", 1, 2, "UTF-8"},
              {"\"\xed\xa0\x80\"", 1, 2, "UTF-8"},
              {"\"\xf5\x80\x80\x80\"", 1, 2, "UTF-8"},
              {"\"\xe2\x82", 1, 2, "UTF-8"},
              {"\xff\xfe{", 1, 1, "0xff"},
              {"[\x01]", 1, 2, "0x01"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    refuse(rows[i].text, strlen(rows[i].text), rows[i].line, rows[i].column, rows[i].words);
  refuse("[1]\0", 4, 1, 4, "0x00");
  refuse("\"a\0b\"", 5, 1, 3, "control character");
}

/* Every way of cutting a good document short is refused, and the error points at the cut or before it. */
static void test_truncated(void) {
  for (size_t n = 0; n < strlen(document) - 2; n++) {
    po_json *root = NULL;
    po_error err;
    char *copy = malloc(n + 1); /* its own block: reading past the end is for the sanitizer to see */
    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, document, n);
    TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_json_parse(&root, copy, n, NULL, &err));
    TEST_ASSERT_NULL(root);
    TEST_ASSERT_TRUE(err.line >= 1 && err.line <= 6 && err.column >= 1);
    free(copy);
  }
}

static void test_depth(void) {
  char text[2000];
  for (int kind = 0; kind < 2; kind++)
    for (int depth = 254; depth <= 258; depth++) {
      int n = 0;
      for (int i = 0; i < depth; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, kind ? (i + 1 < depth ? "{\"\":" : "{") : "[");
      for (int i = 0; i < depth; i++) text[n++] = kind ? '}' : ']';
      if (depth <= 256) po_json_free(parse(text, (size_t)n));
      else refuse(text, (size_t)n, 1, kind ? 256 * 4 + 1 : 257, "256 deep");
    }
  char *deep = malloc(1000000);
  TEST_ASSERT_NOT_NULL(deep);
  memset(deep, '[', 1000000);
  refuse(deep, 1000000, 1, 257, "256 deep");
  free(deep);
}

/* Large: a million numbers on one line, a long string; time stays linear because columns are differences of pointers. */
static void test_huge(void) {
  enum { N = 300000 };
  char *text = malloc(4 * N + 10);
  TEST_ASSERT_NOT_NULL(text);
  text[0] = '[';
  for (int i = 0; i < N; i++) memcpy(text + 1 + 4 * i, "1.5,", 4);
  text[4 * N] = ']';
  po_json *root = parse(text, 4 * N + 1);
  TEST_ASSERT_EQUAL_size_t(N, root->length);
  po_json_free(root);
  memset(text, 'x', 4 * N);
  text[0] = text[4 * N] = '"';
  root = parse(text, 4 * N + 1);
  TEST_ASSERT_EQUAL_size_t(4 * N - 1, root->length);
  po_json_free(root);
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_json_parse(&root, text, ((size_t)256 << 20) + 1, NULL, &err)); /* refused unread */
  free(text);
}

static void test_null_arguments(void) {
  po_json *root;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_json_parse(NULL, "1", 1, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_json_parse(&root, NULL, 1, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_json_parse(&root, NULL, 0, NULL, &err));
}

static po_status parse_document(void *context) {
  po_json *root = NULL;
  po_error err;
  po_status status = po_json_parse(&root, context, strlen(context), "x", &err);
  if (status) TEST_ASSERT_TRUE(root == NULL && err.status == status);
  po_json_free(root);
  return status;
}

static void test_running_out_of_memory(void) {
  char text[40000];
  int n = snprintf(text, sizeof text, "[");
  for (int i = 0; i < 300; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "{\"key %d\": [%d, \"a longer string, number %d\"]},", i, i, i);
  snprintf(text + n, sizeof text - (size_t)n, "%s]", document);
  TEST_ASSERT_GREATER_THAN_INT(5, failing_sweep(parse_document, text));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_document);
  RUN_TEST(test_any_value_may_be_the_root);
  RUN_TEST(test_access_to_what_is_not_there);
  RUN_TEST(test_malformed);
  RUN_TEST(test_truncated);
  RUN_TEST(test_depth);
  RUN_TEST(test_huge);
  RUN_TEST(test_null_arguments);
  RUN_TEST(test_running_out_of_memory);
  return UNITY_END() != 0;
}
