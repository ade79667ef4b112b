/* The XML reader: trees with lines, and for everything else a line and a column. */
#include "base_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

static po_xml *parse(const char *text, size_t size) {
  po_xml *root = NULL;
  po_error err;
  po_status status = po_xml_parse(&root, text, size, "test.xml", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, status, status ? err.message : text);
  return root;
}

static const char document[] = "<?xml version=\"1.0\" encoding='utf-8'?>\n"
                               "<!-- a -- comment <x> -->\n"
                               "<!DOCTYPE robot [ <!ENTITY bomb '>]>'> <!-- ]> --> <?p ]> ?> ]>\n"
                               "<robot name=\"r &lt;1&gt;\" k='it\"s &#x41;&#66;'\n"
                               "       empty=\"\">\n"
                               "  <link name=\"a\"/>\n"
                               "  head <joint\ttype = \"x\ny\r\nz\" ><axis xyz=\"0 0 1\"/></joint >\n"
                               "  tail &amp; &quot;&apos;<![CDATA[<raw> & ]] ]]>\xc3\xa4<?pi skipped?>\n"
                               "  <link name=\"b\">text</link>\n"
                               "</robot>\n"
                               "<!-- after -->\n";

static void test_a_document(void) {
  po_xml *root = parse(document, strlen(document));
  TEST_ASSERT_EQUAL_STRING("robot", root->name);
  TEST_ASSERT_EQUAL_INT(4, root->line);
  TEST_ASSERT_NULL(root->parent);
  TEST_ASSERT_EQUAL_STRING("r <1>", po_xml_attr(root, "name"));
  TEST_ASSERT_EQUAL_STRING("it\"s AB", po_xml_attr(root, "k"));
  TEST_ASSERT_EQUAL_STRING("", po_xml_attr(root, "empty"));
  TEST_ASSERT_NULL(po_xml_attr(root, "nam"));
  TEST_ASSERT_EQUAL_STRING("\n  \n  head \n  tail & \"'<raw> & ]] \xc3\xa4\n  \n", root->text);
  const po_xml *a = po_xml_child(root, "link"), *joint = po_xml_child(root, "joint"), *b = po_xml_next(a, "link");
  TEST_ASSERT_EQUAL_STRING("a", po_xml_attr(a, "name"));
  TEST_ASSERT_EQUAL_STRING("b", po_xml_attr(b, "name"));
  TEST_ASSERT_EQUAL_INT(6, a->line);
  TEST_ASSERT_EQUAL_INT(7, joint->line);
  TEST_ASSERT_EQUAL_INT(11, b->line); /* two lines end inside the joint's attribute */
  TEST_ASSERT_EQUAL_STRING("x y z", po_xml_attr(joint, "type"));
  TEST_ASSERT_EQUAL_STRING("", a->text);
  TEST_ASSERT_EQUAL_STRING("text", b->text);
  TEST_ASSERT_TRUE(po_xml_child(root, NULL) == a && po_xml_next(a, NULL) == joint && po_xml_next(b, NULL) == NULL);
  TEST_ASSERT_NULL(po_xml_next(b, "link"));
  TEST_ASSERT_TRUE(joint->parent == root && po_xml_child(joint, "axis")->parent == joint);
  TEST_ASSERT_NULL(po_xml_child(joint, "link"));
  TEST_ASSERT_TRUE(po_xml_child(NULL, "x") == NULL && po_xml_next(NULL, "x") == NULL && po_xml_attr(NULL, "x") == NULL &&
                   po_xml_attr(root, NULL) == NULL);
  po_xml_free(root);
  po_xml_free(NULL);
}

static void test_small_documents(void) {
  static const char *const rows[] = {"<a/>",
                                     "<a></a>",
                                     "\xef\xbb\xbf<a/>",
                                     "<?xml version='1.0'?><a/>",
                                     " \n<a/>\r\n",
                                     "<\xc3\xa4/>",
                                     "<a.b-c:d_1/>",
                                     "<a><!----></a>",
                                     "<a><![CDATA[]]></a>",
                                     "<!DOCTYPE a><a/>",
                                     "<!DOCTYPE a SYSTEM \"x>y\"><a/>",
                                     "<?xml version='1.0' encoding='US-ASCII'?><a/>",
                                     "<a>]]</a>",
                                     "<a b='>'/>"};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) po_xml_free(parse(rows[i], strlen(rows[i])));
  po_xml *root = parse("<a>x\r\ny\rz</a>", 13);
  TEST_ASSERT_EQUAL_STRING("x\ny\nz", root->text);
  po_xml_free(root);
}

static void refuse(const char *text, size_t size, int line, int column, const char *words) {
  po_xml *root = (po_xml *)&text;
  po_error err;
  memset(&err, 0x55, sizeof err);
  po_status status = po_xml_parse(&root, text, size, "bad.xml", &err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_PARSE, status, text);
  TEST_ASSERT_TRUE_MESSAGE(root == (po_xml *)&text, text);
  TEST_ASSERT_EQUAL_STRING("bad.xml", err.file);
  TEST_ASSERT_TRUE_MESSAGE(strstr(err.message, words) != NULL, err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(column, err.column, text);
}

static void test_malformed(void) {
  static const struct {
    const char *text;
    int line, column;
    const char *words;
  } rows[] = {{"", 1, 1, "no element"},
              {" \n ", 2, 2, "no element"},
              {"<!-- c -->", 1, 11, "no element"},
              {"text", 1, 1, "element was expected"},
              {"<a>\n <b></c></a>", 2, 5, "</c> does not close <b> of line 2"},
              {"<a>\n", 2, 1, "inside <a> of line 1"},
              {"<a", 1, 3, "inside a tag"},
              {"<", 1, 2, "ends where a name"},
              {"<1/>", 1, 2, "name was expected"},
              {"<a/><b/>", 1, 5, "after the root"},
              {"<a/>x", 1, 5, "after the root"},
              {"</a>", 1, 2, "name was expected"},
              {"<a b/>", 1, 5, "'='"},
              {"<a b=c/>", 1, 6, "quotes"},
              {"<a b='c/>", 1, 6, "never closed"},
              {"<a b='<'/>", 1, 7, "'<'"},
              {"<a b='1'c='2'/>", 1, 9, "blank"},
              {"<a b='1' b='2'/>", 1, 10, "'b' stands twice"},
              {"<a/ >", 1, 4, "followed by '>'"},
              {"<a></a", 1, 7, "'>'"},
              {"<a>&unknown;</a>", 1, 4, "'&unknown;'"},
              {"<a>& b</a>", 1, 4, "does not end in ';'"},
              {"<a>&", 1, 4, "does not end in ';'"},
              {"<a b='&lt'/>", 1, 7, "does not end in ';'"},
              {"<a>\n&#0;</a>", 2, 1, "no character"},
              {"<a>&#xd800;</a>", 1, 4, "no character"},
              {"<a>&#x110000;</a>", 1, 4, "no character"},
              {"<a>&#99999999999999999999;</a>", 1, 4, "no character"},
              {"<a>&#;</a>", 1, 4, "no character"},
              {"<a>&#x;</a>", 1, 4, "no character"},
              {"<a>&#12a;</a>", 1, 4, "no character"},
              {"<a>&;</a>", 1, 4, "'&;'"},
              {"<a>x]]>y</a>", 1, 5, "]]>"},
              {"<a><!-- </a>", 1, 4, "comment is never closed"},
              {"<a><![CDATA[ ]]</a>", 1, 4, "CDATA"},
              {"<a><![CDAT[]]></a>", 1, 5, "name was expected"},
              {"<a><?pi </a>", 1, 4, "'<?' is never closed"},
              {"<!DOCTYPE a [ <a/>", 1, 1, "DOCTYPE is never closed"},
              {"<a><!DOCTYPE a></a>", 1, 5, "name was expected"},
              {"<!DOCTYPE a><!DOCTYPE a><a/>", 1, 14, "name was expected"},
              {" <?xml version='1.0'?><a/>", 1, 2, "must come first"},
              {"<a>\n\x01</a>", 2, 1, "control character"},
              {"<a>\n \xff</a>", 2, 2, "UTF-8"},
              {"<a b='\xc0\xaf'/>", 1, 7, "UTF-8"},
              {"<a/>\xe2\x82", 1, 5, "UTF-8"},
              {"\xff\xfe<", 1, 1, "UTF-8"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    refuse(rows[i].text, strlen(rows[i].text), rows[i].line, rows[i].column, rows[i].words);
  refuse("<a>\0</a>", 8, 1, 4, "control character");
}

static void test_other_encodings_are_not_offered(void) {
  po_xml *root = NULL;
  po_error err;
  const char *text = "<?xml version='1.0' encoding='ISO-8859-1'?><a/>";
  TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, po_xml_parse(&root, text, strlen(text), NULL, &err));
  TEST_ASSERT_TRUE(root == NULL && err.line == 1 && err.column == 21);
}

static void test_truncated(void) {
  size_t full = strlen(document) - strlen("\n<!-- after -->\n");
  for (size_t n = 0; n < full; n++) {
    po_xml *root = NULL;
    po_error err;
    char *copy = malloc(n + 1); /* its own block: reading past the end is for the sanitizer to see */
    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, document, n);
    TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_xml_parse(&root, copy, n, NULL, &err));
    TEST_ASSERT_TRUE(root == NULL && err.line >= 1 && err.line <= 12 && err.column >= 1);
    free(copy);
  }
}

static void test_depth(void) {
  static char text[8 * 520];
  for (int depth = 510; depth <= 514; depth++) {
    int n = 0;
    for (int i = 0; i < depth; i++) memcpy(text + n, "<a>", 3), n += 3;
    for (int i = 0; i < depth; i++) memcpy(text + n, "</a>", 4), n += 4;
    if (depth <= 512) po_xml_free(parse(text, (size_t)n));
    else refuse(text, (size_t)n, 1, 512 * 3 + 1, "512 deep");
  }
}

static void test_attributes_are_bounded(void) {
  static char text[20 * 300];
  for (int count = 255; count <= 258; count++) {
    int n = snprintf(text, sizeof text, "<a");
    for (int i = 0; i < count; i++) n += snprintf(text + n, sizeof text - (size_t)n, " a%d='%d'", i, i);
    n += snprintf(text + n, sizeof text - (size_t)n, "/>");
    po_xml *root = NULL;
    TEST_ASSERT_EQUAL_INT(count <= 256 ? PO_OK : PO_ERR_PARSE, po_xml_parse(&root, text, (size_t)n, NULL, NULL));
    if (root) TEST_ASSERT_EQUAL_STRING("254", po_xml_attr(root, "a254"));
    po_xml_free(root);
  }
}

static void test_huge(void) {
  enum { N = 200000 };
  char *text = malloc(10 * N + 20);
  TEST_ASSERT_NOT_NULL(text);
  size_t n = 3;
  memcpy(text, "<r>", 3);
  for (int i = 0; i < N; i++) memcpy(text + n, "<a b='1'/>", 10), n += 10;
  memcpy(text + n, "</r>", 4);
  po_xml *root = parse(text, n + 4);
  int count = 0;
  for (const po_xml *a = po_xml_child(root, "a"); a; a = po_xml_next(a, "a")) count++;
  TEST_ASSERT_EQUAL_INT(N, count);
  po_xml_free(root);
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_xml_parse(&root, text, ((size_t)256 << 20) + 1, NULL, &err)); /* refused unread */
  free(text);
}

static void test_null_arguments(void) {
  po_xml *root;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_xml_parse(NULL, "<a/>", 4, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_xml_parse(&root, NULL, 4, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_xml_parse(&root, NULL, 0, NULL, &err));
}

static po_status parse_document(void *context) {
  po_xml *root = NULL;
  po_error err;
  po_status status = po_xml_parse(&root, context, strlen(context), "x", &err);
  if (status) TEST_ASSERT_TRUE(root == NULL && err.status == status);
  po_xml_free(root);
  return status;
}

static void test_running_out_of_memory(void) {
  static char text[40000];
  int n = snprintf(text, sizeof text, "<r>");
  for (int i = 0; i < 400; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "<link name='link %d'>text &amp; more<a/>%d</link>", i, i);
  snprintf(text + n, sizeof text - (size_t)n, "</r>");
  TEST_ASSERT_GREATER_THAN_INT(5, failing_sweep(parse_document, text));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_document);
  RUN_TEST(test_small_documents);
  RUN_TEST(test_malformed);
  RUN_TEST(test_other_encodings_are_not_offered);
  RUN_TEST(test_truncated);
  RUN_TEST(test_depth);
  RUN_TEST(test_attributes_are_bounded);
  RUN_TEST(test_huge);
  RUN_TEST(test_null_arguments);
  RUN_TEST(test_running_out_of_memory);
  return UNITY_END() != 0;
}
