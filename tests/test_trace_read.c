/* Recordings as files: what is written reads back to the same bytes; what is damaged is a status with a place, never a crash. */
#include "base_helpers.h"
#include "scenes/scenes.h"
#include "view/trace.h"

void setUp(void) {}
void tearDown(void) {}

static void record_with(po_buffer *out, const char *scenario, double seconds, int push, const po_setting *set, int sets) {
  po_run_opts o = po_run_opts_default();
  po_push p = {0.05, 0.1, {50, 0, 0}, NULL, 0};
  po_error err = {0};
  po_run *r = NULL;
  o.seconds = seconds;
  o.push = &p;
  o.pushes = push;
  o.set = set, o.sets = sets;
  o.seed = 18446744073709551615u;
  o.command = "poise run </script> 'x \"y\"'";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), &o, &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_record(r, 60, &err), err.message);
  while (po_run_step(r)) {}
  po_run_finish(r);
  po_trace_write(out, po_run_trace(r));
  po_run_free(r);
}

static void record(po_buffer *out, const char *scenario, double seconds, int push) { record_with(out, scenario, seconds, push, NULL, 0); }

/* A crate in two hands: four springs a frame with ends near each other, that pull up its weight and read back to the same bytes; links have masses. */
static void test_grasps_and_masses_are_recorded(void) {
  static const po_setting set[] = {{"mass", "5"}};
  po_buffer first = {0}, second = {0};
  po_error err = {0};
  po_trace *t = NULL;
  double mass = 0, force = 0;
  int i, k;
  record_with(&first, "stairs", 0.6, 0, set, 1);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&t, first.data, first.size, "a.trace", &err), err.message);
  po_trace_write(&second, t);
  TEST_ASSERT_EQUAL_INT((int)first.size, (int)second.size);
  TEST_ASSERT_EQUAL_INT(0, memcmp(first.data, second.data, first.size));
  TEST_ASSERT_NOT_NULL(t->springs);
  TEST_ASSERT_EQUAL_INT(4, t->springs[t->frames - 1]);
  for (i = 0; i < 4; i++) {
    const po_trace_spring *s = &t->spring[(t->frames - 1) * t->max_springs + i];
    for (k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(0.05, (double)s->hand[k], (double)s->held[k]);
    force += (double)s->force;
  }
  TEST_ASSERT_TRUE(force > 0.5 * 5 * 9.81);
  for (i = 0; i < t->bodies; i++) mass += t->body[i].character == 0 ? t->body[i].mass : 0;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * t->mass, t->mass, mass);
  po_trace_free(t);
  po_buffer_free(&first);
  po_buffer_free(&second);
}

static void test_reads_back_to_the_same_bytes(void) {
  static const char *const scenarios[] = {"balance", "slope", "stack"};
  int i;
  for (i = 0; i < 3; i++) {
    po_buffer first = {0}, second = {0};
    po_error err = {0};
    po_trace *t = NULL;
    record(&first, scenarios[i], 0.2, i == 0);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&t, first.data, first.size, "a.trace", &err), err.message);
    po_trace_write(&second, t);
    TEST_ASSERT_EQUAL_INT_MESSAGE((int)first.size, (int)second.size, scenarios[i]);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, memcmp(first.data, second.data, first.size), scenarios[i]);
    TEST_ASSERT_EQUAL_STRING(scenarios[i], t->scenario);
    TEST_ASSERT_TRUE(t->seed == 18446744073709551615u);
    TEST_ASSERT_EQUAL_INT(i == 0, t->pushes);
    po_trace_free(t);
    po_buffer_free(&first);
    po_buffer_free(&second);
  }
}

/* A recording made before there were channels of turning over: they are zeros, and everything else is there. */
static void test_recordings_of_earlier_versions_still_open(void) {
  char *text = NULL;
  size_t size = 0;
  po_trace *t = NULL;
  po_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&text, &size, "tests/fuzz/corpus/trace/slide.trace", 0, &err), err.message);
  TEST_ASSERT_NULL(strstr(text, "theta"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&t, text, size, "slide.trace", &err), err.message);
  TEST_ASSERT_TRUE(po_trace_value(t, t->frames - 1, "time") > 0);
  TEST_ASSERT_TRUE(!po_isfinite(po_trace_value(t, t->frames - 1, "theta")));
  po_trace_free(t);
  po_free(text);
}

/* Of who turns over the angle and the stages are kept, and read back. */
static void test_turning_over_is_recorded(void) {
  po_buffer text = {0};
  po_trace *t = NULL;
  po_error err = {0};
  int i, stages = 0;
  record(&text, "land", 0.4, 0);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&t, text.data, text.size, "a.trace", &err), err.message);
  for (i = 0; i < t->notes; i++) stages += t->note[i].kind == PO_NOTE_STAGE;
  TEST_ASSERT_EQUAL_INT(2, stages); /* arrive, land */
  TEST_ASSERT_TRUE(po_trace_value(t, t->frames - 1, "inertia") > 1);
  po_trace_free(t);
  po_buffer_free(&text);
}

/* Planes and boxes of any orientation: written, read and written again is the same text. */
static void test_terrain_of_any_orientation_reads_back_to_the_same_bytes(void) {
  po_buffer base = {0};
  po_rng rng;
  int i, seed;
  record(&base, "slope", 0.05, 0);
  po_rng_init(&rng, 11, 0);
  for (seed = 0; seed < 50; seed++) {
    po_buffer first = {0}, second = {0};
    po_trace *t = NULL, *again = NULL;
    po_terrain_dims dims = {40, 40, 0};
    po_error err = {0};
    TEST_ASSERT_EQUAL_INT(PO_OK, po_trace_read(&t, base.data, base.size, "base", &err));
    po_terrain_free(t->terrain);
    t->terrain = NULL;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&t->terrain, &dims));
    for (i = 0; i < 40; i++) {
      po_pose pose;
      po_vec3 n = po_v3(po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng));
      po_quat q = po_q(po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng), po_rng_normal(&rng));
      pose.R = po_q_matrix(po_q_unit(q));
      pose.p = n;
      TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_plane(t->terrain, n, po_rng_normal(&rng), 1));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_add_box(t->terrain, pose, po_v3(1, 0.5, 0.25), 1));
    }
    po_trace_write(&first, t);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&again, first.data, first.size, "first", &err), err.message);
    po_trace_write(&second, again);
    TEST_ASSERT_EQUAL_INT((int)first.size, (int)second.size);
    TEST_ASSERT_EQUAL_INT(0, memcmp(first.data, second.data, first.size));
    po_trace_free(t);
    po_trace_free(again);
    po_buffer_free(&first);
    po_buffer_free(&second);
  }
  po_buffer_free(&base);
}

/* Sizes and places from a file decide what is drawn, not for how long: a figure 1e30 m away has ground with as many points as any. */
static void test_far_away_figures_are_drawn_in_bounded_time(void) {
  static const float far[] = {1e9f, 1e20f, 3e38f};
  po_buffer base = {0};
  int i, k, f;
  record(&base, "slope", 0.1, 0);
  for (i = 0; i < 3; i++)
    for (k = 0; k < 3; k++) {
      po_buffer strip = {0};
      po_trace *t = NULL;
      po_error err = {0};
      TEST_ASSERT_EQUAL_INT(PO_OK, po_trace_read(&t, base.data, base.size, "base", &err));
      for (f = t->frames / 2; f < t->frames; f++) {
        if (k != 1) t->channel[f * t->channels + PO_CHANNEL_COM] = far[i];
        if (k != 0) t->pose[(size_t)f * (size_t)t->bodies * 7 + (k == 1)] = -far[i];
      }
      po_trace_svg(&strip, t, NULL);
      TEST_ASSERT_TRUE(!strip.failed && strip.size < 8 * 4001 * 2 * 100); /* figures, points each with a riser, digits of two numbers */
      TEST_ASSERT_NOT_NULL(strstr(strip.data, "</svg>"));
      po_trace_free(t);
      po_buffer_free(&strip);
    }
  po_buffer_free(&base);
}

/* As many shapes as the reader takes, all of one body: time grows with their number, not with its square. */
static void test_many_shapes_are_drawn(void) {
  enum { SHAPES = 30000 };
  po_buffer base = {0}, strip = {0};
  po_trace *t = NULL;
  po_error err = {0};
  int i;
  record(&base, "slope", 0.02, 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_trace_read(&t, base.data, base.size, "base", &err));
  po_free(t->shape);
  t->shape = po_alloc(sizeof *t->shape * SHAPES);
  po_free(t->hull);
  t->hull = po_alloc(sizeof *t->hull * SHAPES);
  TEST_ASSERT_TRUE(t->shape && t->hull);
  t->shapes = SHAPES;
  t->sets = 1;
  for (i = 0; i < SHAPES; i++) {
    po_trace_shape *s = &t->shape[i];
    s->type = PO_SPHERE;
    s->quaternion[0] = 1;
    s->position[1] = 1e-4 * ((i * 7919) % SHAPES);
    s->size[0] = 0.1;
  }
  po_trace_svg(&strip, t, NULL);
  TEST_ASSERT_FALSE(strip.failed);
  po_trace_free(t);
  po_buffer_free(&strip);
  po_buffer_free(&base);
}

/* Text with `from` replaced by `to` must fail and say `because`. */
static void check_damage(const po_buffer *good, const char *from, const char *to, const char *because) {
  const char *at = strstr(good->data, from);
  po_buffer bad = {0};
  po_error err = {0};
  po_trace *t = NULL;
  TEST_ASSERT_NOT_NULL_MESSAGE(at, from);
  po_buffer_add(&bad, good->data, (size_t)(at - good->data));
  po_buffer_puts(&bad, to);
  po_buffer_puts(&bad, at + strlen(from));
  TEST_ASSERT_NOT_EQUAL_MESSAGE(PO_OK, po_trace_read(&t, bad.data, bad.size, "bad.trace", &err), because);
  TEST_ASSERT_NULL(t);
  TEST_ASSERT_EQUAL_STRING("bad.trace", err.file);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, because), err.message);
  po_buffer_free(&bad);
}

static void test_damage_is_named(void) {
  po_buffer good = {0};
  record(&good, "balance", 0.1, 1);
  check_damage(&good, "\"poise_trace\":1", "\"poise_trace\":2", "poise_trace");
  check_damage(&good, "\"frames\":", "\"frames\":-", "no frames");
  check_damage(&good, "\"frames\":", "\"frames\":1", "bytes of base64");
  check_damage(&good, "\"bodies\":[", "\"bodies\":[null,", "bytes of base64");
  check_damage(&good, "\"type\":\"box\"", "\"type\":\"cone\"", "a shape needs a type");
  check_damage(&good, "\"body\":1,", "\"body\":99,", "a body there is");
  check_damage(&good, "\"normal\":[0,0,1]", "\"normal\":[0,0,0]", "a plane needs");
  check_damage(&good, "\"kind\":\"option\"", "\"kind\":\"opinion\"", "a note needs a kind");
  check_damage(&good, "\"force\":[", "\"force\":[1,", "a push needs");
  check_damage(&good, "\"position\":\"", "\"position\":\"!!!!", "'position'");
  check_damage(&good, "\"com_x\"", "\"com_q\"", "channels");
  check_damage(&good, "\"contact_count\":\"", "\"contact_count\":\"AAAA", "contact_count");
  po_buffer_free(&good);
}

static void test_random_damage_never_crashes(void) {
  const uint64_t seed = 77;
  po_buffer good = {0};
  po_rng rng;
  int i, k, rounds = base_full() ? 4000 : 300;
  record(&good, "slope", 0.1, 0);
  po_rng_init(&rng, seed, 0);
  for (i = 0; i < rounds; i++) {
    size_t size = (i % 3) ? good.size : (size_t)po_rng_below(&rng, (int)good.size);
    char *copy = po_alloc(good.size + 1);
    po_error err = {0};
    po_trace *t = NULL;
    po_status st;
    memcpy(copy, good.data, size);
    for (k = 0; k <= i % 4; k++)
      if (size) copy[po_rng_below(&rng, (int)size)] = (char)po_rng_below(&rng, 256);
    st = po_trace_read(&t, copy, size, "r.trace", &err);
    TEST_ASSERT_TRUE_MESSAGE((st == PO_OK) == (t != NULL), "seed 77");
    if (t) { /* what was accepted can be drawn */
      po_buffer out = {0};
      po_trace_svg(&out, t, NULL);
      po_trace_html(&out, (const po_trace *const *)&t, 1);
      po_buffer_free(&out);
    }
    po_trace_free(t);
    po_free(copy);
  }
  po_buffer_free(&good);
}

static po_status read_again(void *context) {
  const po_buffer *text = context;
  po_trace *t = NULL;
  po_error err;
  po_status st = po_trace_read(&t, text->data, text->size, "a.trace", &err);
  po_trace_free(t);
  return st;
}
static void test_out_of_memory(void) {
  po_buffer text = {0};
  record(&text, "slope", 0.1, 0);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(8, failing_sweep(read_again, &text));
  po_buffer_free(&text);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_reads_back_to_the_same_bytes);
  RUN_TEST(test_grasps_and_masses_are_recorded);
  RUN_TEST(test_recordings_of_earlier_versions_still_open);
  RUN_TEST(test_turning_over_is_recorded);
  RUN_TEST(test_terrain_of_any_orientation_reads_back_to_the_same_bytes);
  RUN_TEST(test_far_away_figures_are_drawn_in_bounded_time);
  RUN_TEST(test_many_shapes_are_drawn);
  RUN_TEST(test_damage_is_named);
  RUN_TEST(test_random_damage_never_crashes);
  RUN_TEST(test_out_of_memory);
  return UNITY_END() != 0;
}
