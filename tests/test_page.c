/* Pages and filmstrips as text: complete, self-contained, small, and not to be broken by what names contain. */
#include "scenes/scenes.h"
#include "view/trace.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *record(const char *scenario, double seconds) {
  po_run_opts o = po_run_opts_default();
  po_error err = {0};
  po_run *r = NULL;
  o.seconds = seconds;
  o.command = "poise run </script><script>alert(1)</script>";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_record(r, 60, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  return r;
}
static int count(const char *text, const char *word) {
  int n = 0;
  for (; (text = strstr(text, word)) != NULL; text += strlen(word)) n++;
  return n;
}

static void test_page_is_whole(void) {
  po_run *r = record("slide", 0.2);
  const po_trace *pair[2] = {po_run_trace(r), po_run_trace(r)};
  po_buffer out = {0};
  po_trace_html(&out, pair, 2);
  TEST_ASSERT_EQUAL_INT(0, out.failed);
  TEST_ASSERT_EQUAL_INT(2, count(out.data, "class=\"trace\">{"));
  TEST_ASSERT_EQUAL_INT(3, count(out.data, "</script>")); /* two recordings and the program */
  TEST_ASSERT_EQUAL_INT(0, count(out.data, "<!--"));
  TEST_ASSERT_EQUAL_INT(0, count(out.data, "http"));      /* nothing is fetched */
  TEST_ASSERT_EQUAL_INT(1, count(out.data, "class Trace {"));
  TEST_ASSERT_EQUAL_INT(1, count(out.data, "</html>"));
  po_buffer_free(&out);
  po_run_free(r);
}

/* A page tells which behaviour moves the body, whether or not it uses whole-body control; of things that fall there is none. */
static void test_page_names_the_behaviour(void) {
  static const char *const scenario[3] = {"simbicon", "walk", "slide"};
  static const char *const name[3] = {"simbicon", "walk", NULL};
  int i;
  for (i = 0; i < 3; i++) {
    po_run *r = record(scenario[i], 0.05);
    const po_trace *t = po_run_trace(r);
    const char *found = NULL;
    int k;
    for (k = 0; k < t->notes; k++)
      if (t->note[k].kind == PO_NOTE_OPTION && !strcmp(t->note[k].name, "control")) found = t->note[k].value;
    if (name[i]) TEST_ASSERT_EQUAL_STRING_MESSAGE(name[i], found, scenario[i]);
    else TEST_ASSERT_NULL(found);
    po_run_free(r);
  }
}

/* Bytes grow with the seconds: from one and two of them follows what 30 take. */
static void test_thirty_seconds_stay_under_3_megabytes(void) {
  static const char *const scenarios[] = {"walk", "stack"};
  int i;
  for (i = 0; i < 2; i++) {
    po_run *one = record(scenarios[i], 1), *two = record(scenarios[i], 2);
    const po_trace *first = po_run_trace(one), *second = po_run_trace(two);
    po_buffer a = {0}, b = {0};
    double bytes;
    po_trace_html(&a, &first, 1);
    po_trace_html(&b, &second, 1);
    bytes = (double)a.size + 29 * ((double)b.size - (double)a.size);
    TEST_ASSERT_GREATER_THAN_MESSAGE(100000, (int)a.size, scenarios[i]);
    TEST_ASSERT_LESS_THAN_MESSAGE(3000000, (int)bytes, scenarios[i]);
    po_buffer_free(&a);
    po_buffer_free(&b);
    po_run_free(one);
    po_run_free(two);
  }
}

static int elements(const po_xml *node, const char *name, const char *class) {
  int n = 0;
  const po_xml *c;
  for (c = node->first; c; c = c->next) {
    const char *k = po_xml_attr(c, "class");
    n += !strcmp(c->name, name) && (!class || (k && !strcmp(k, class)));
    n += elements(c, name, class);
  }
  return n;
}

static void test_filmstrip_has_a_figure_per_moment(void) {
  po_run *r = record("balance", 0.5);
  po_filmstrip_opts o = po_filmstrip_opts_default();
  int n;
  for (n = 1; n <= 9; n += 4) {
    po_buffer out = {0};
    po_error err = {0};
    po_xml *svg = NULL;
    o.frames = n;
    po_trace_svg(&out, po_run_trace(r), &o);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_xml_parse(&svg, out.data, out.size, "strip.svg", &err), err.message);
    TEST_ASSERT_EQUAL_STRING("svg", svg->name);
    TEST_ASSERT_EQUAL_INT(n, elements(svg, "text", NULL));
    TEST_ASSERT_EQUAL_INT(n, elements(svg, "circle", "t"));  /* a head each */
    TEST_ASSERT_EQUAL_INT(n, elements(svg, "path", "g"));    /* ground */
    TEST_ASSERT_EQUAL_INT(elements(svg, "path", "l"), elements(svg, "path", "r"));
    TEST_ASSERT_LESS_THAN(4000 + 2500 * n, (int)out.size);
    po_xml_free(svg);
    po_buffer_free(&out);
  }
  po_run_free(r);
}

/* Numbers of a path, two by two. */
static double lowest(const char *d) {
  const char *end = d + strlen(d);
  double low = 0, x;
  int i = 0;
  while (d < end) {
    if (po_parse_double(&x, &d, d, end) != PO_OK) d++;
    else if (i++ % 2) low = po_max(low, x);
  }
  return low;
}

/* Soles stand on the line: polygons of the feet end where the ground is, to the tenth of a pixel they are written with. */
static void test_feet_stand_on_the_ground_line(void) {
  po_run *r = record("balance", 0.2);
  po_buffer out = {0};
  po_error err = {0};
  po_xml *svg = NULL;
  const po_xml *c;
  double ground = 0, sole = 0;
  po_trace_svg(&out, po_run_trace(r), NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_xml_parse(&svg, out.data, out.size, "strip.svg", &err), err.message);
  for (c = svg->first; c; c = c->next) {
    const char *k = po_xml_attr(c, "class"), *d = po_xml_attr(c, "d");
    if (!k || !d) continue;
    if (!strcmp(k, "g")) ground = lowest(d);
    if (!strcmp(k, "r") && !strchr(d, 'A')) sole = po_max(sole, lowest(d));
  }
  TEST_ASSERT_TRUE(ground > 0);
  TEST_ASSERT_DOUBLE_WITHIN(0.21, ground, sole);
  po_xml_free(svg);
  po_buffer_free(&out);
  po_run_free(r);
}

/* A bar over the way is a bar: the ground goes on below it. */
static void test_bars_hang_over_the_ground(void) {
  po_run *r = record("balance", 0.1);
  po_trace trace = *po_run_trace(r);
  po_terrain *terrain = NULL;
  po_buffer out = {0};
  po_error err = {0};
  po_xml *svg = NULL;
  const po_xml *c;
  po_filmstrip_opts o = po_filmstrip_opts_default();
  o.frames = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 0, 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(0.1, -1, 1.2), po_v3(0.2, 1, 1.3), 1));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_step(terrain, po_v3(9.1, -1, 1.2), po_v3(9.2, 1, 1.3), 1)); /* not in the picture */
  trace.terrain = terrain;
  po_trace_svg(&out, &trace, &o);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_xml_parse(&svg, out.data, out.size, "strip.svg", &err), err.message);
  TEST_ASSERT_EQUAL_INT(1, elements(svg, "path", "b"));
  for (c = svg->first; c; c = c->next) {
    const char *k = po_xml_attr(c, "class"), *d = po_xml_attr(c, "d");
    if (k && !strcmp(k, "g")) TEST_ASSERT_EQUAL_INT_MESSAGE(1, count(d, "L"), d); /* one straight line */
  }
  po_xml_free(svg);
  po_buffer_free(&out);
  po_terrain_free(terrain);
  po_run_free(r);
}

/* What waits below the ground is not seen. */
static void test_what_is_buried_is_not_drawn(void) {
  po_run *r = record("balance", 0.1);
  po_trace trace = *po_run_trace(r);
  po_terrain *terrain = NULL;
  po_buffer out = {0};
  po_error err = {0};
  po_xml *svg = NULL;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&terrain, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(terrain, po_v3(0, 0, 1), 3, 1));
  trace.terrain = terrain;
  po_trace_svg(&out, &trace, NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_xml_parse(&svg, out.data, out.size, "strip.svg", &err), err.message);
  TEST_ASSERT_EQUAL_INT(0, elements(svg, "circle", NULL));
  TEST_ASSERT_EQUAL_INT(0, elements(svg, "path", "l"));
  TEST_ASSERT_TRUE(elements(svg, "path", "g") > 0);
  po_xml_free(svg);
  po_buffer_free(&out);
  po_terrain_free(terrain);
  po_run_free(r);
}

static void test_filmstrip_escapes_names(void) {
  po_run *r = record("slide", 0.1);
  po_trace named;
  po_buffer out = {0};
  po_error err = {0};
  po_xml *svg = NULL;
  named = *po_run_trace(r);
  po_format(named.model, sizeof named.model, "a<b>&c");
  po_trace_svg(&out, &named, NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_xml_parse(&svg, out.data, out.size, "strip.svg", &err), err.message);
  TEST_ASSERT_NOT_NULL(strstr(po_xml_child(svg, "title")->text, "a<b>&c"));
  po_xml_free(svg);
  po_buffer_free(&out);
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_page_is_whole);
  RUN_TEST(test_page_names_the_behaviour);
  RUN_TEST(test_thirty_seconds_stay_under_3_megabytes);
  RUN_TEST(test_filmstrip_has_a_figure_per_moment);
  RUN_TEST(test_feet_stand_on_the_ground_line);
  RUN_TEST(test_bars_hang_over_the_ground);
  RUN_TEST(test_what_is_buried_is_not_drawn);
  RUN_TEST(test_filmstrip_escapes_names);
  return UNITY_END() != 0;
}
