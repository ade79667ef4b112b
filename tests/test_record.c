/* Recordings of anyone's world: frames when they are due, memory that is bounded, curves and pushes of one's own, files by their endings. */
#include "view/trace.h"
#include "counting.h"
#include "unity.h"
#include <stdio.h>
#include <string.h>

/* As long as there are calls left. */
static void *scarce(void *user, void *block, size_t bytes) {
  int *left = user;
  if (bytes && (*left)-- <= 0) return NULL;
  return counting(NULL, block, bytes);
}

void setUp(void) {}
void tearDown(void) {}

/* A human that stands, and a box that falls from 1 m beside it. */
static po_world *made(const po_model **box, const po_model **human) {
  const po_thing thing = {"box", PO_BOX, {0.1, 0.1, 0.1}, 2};
  po_world *w;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(human, "human", &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_thing_model(box, &thing, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, *human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, *box));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_stand_pose(po_world_q(w, 0), *human, po_terrain_flat(), 0, 0, 0, 0.97, &err), err.message);
  po_world_q(w, 1)[4] = 2;
  po_world_q(w, 1)[6] = 1;
  return w;
}
static void unmade(po_world *w, const po_model *box, const po_model *human) {
  po_world_free(w);
  po_model_free(box);
  po_model_free(human);
}

/* 1 kHz, 60 frames a second: the first step's, then one as soon as each 1/60 s is full. The state is the world's, and nothing is allocated. */
static void test_frames_when_they_are_due(void) {
  const po_model *box, *human;
  po_world *w = made(&box, &human);
  po_record *r;
  const po_trace *t;
  po_error err;
  int i;
  long before;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_record_new(&r, w, NULL, &err), err.message);
  po_set_allocator(counting, NULL);
  before = allocations;
  for (i = 0; i < 1000; i++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 0.001));
    po_record_frame(r);
  }
  TEST_ASSERT_EQUAL_INT(before, allocations);
  po_set_allocator(NULL, NULL);
  t = po_record_trace(r);
  TEST_ASSERT_EQUAL_INT(61, po_trace_frames(t));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.001, po_trace_value(t, 0, "time"));
  for (i = 1; i < 61; i++) {
    double late = po_trace_value(t, i, "time") - i / 60.0;
    TEST_ASSERT_TRUE(late > -1e-6 && late < 0.001 + 1e-6);
  }
  TEST_ASSERT_TRUE(po_isfinite(po_trace_value(t, 60, "force_z")) && !po_isfinite(po_trace_value(t, 60, "nothing")) && !po_isfinite(po_trace_value(t, 61, "time")));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, po_world_q(w, 1)[6], (double)t->pose[(60 * (size_t)t->bodies + (size_t)human->nb) * 7 + 2]);
  po_record_last(r);
  TEST_ASSERT_EQUAL_INT(61, po_trace_frames(t)); /* it is there already */
  po_record_free(r);
  unmade(w, box, human);
}

/* A budget is kept whatever the length: frames are spread over all of it, the last one included. */
static void test_a_full_recording_is_thinned(void) {
  const po_model *box, *human;
  po_world *w = made(&box, &human);
  po_record_opts o = po_record_opts_default();
  po_record *r;
  const po_trace *t;
  po_error err;
  int i;
  o.bytes = 200000; /* some twenty frames */
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_record_new(&r, w, &o, &err), err.message);
  t = po_record_trace(r);
  for (i = 0; i < 3000; i++) {
    po_world_set_time(w, 0.001 * (i + 1));
    po_record_frame(r);
    TEST_ASSERT_TRUE(po_trace_frames(t) <= t->capacity);
  }
  po_record_last(r);
  TEST_ASSERT_TRUE((double)t->capacity * (double)po_trace_frame_bytes(t) <= (double)o.bytes);
  TEST_ASSERT_TRUE(po_trace_frames(t) > t->capacity / 3);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, po_trace_seconds(t));
  for (i = 1; i < po_trace_frames(t); i++) {
    double step = po_trace_value(t, i, "time") - po_trace_value(t, i - 1, "time");
    TEST_ASSERT_TRUE(step > 0 && step < 1.1 / t->hz); /* evenly, but for the last */
  }
  po_record_free(r);
  unmade(w, box, human);
}

static void test_curves_of_ones_own(void) {
  const po_model *box, *human;
  po_world *w = made(&box, &human);
  po_record *r;
  po_trace *back;
  po_buffer text = {0}, again = {0};
  po_error err;
  char name[40];
  int error, target, i;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_record_new(&r, w, NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_curve(&error, r, "hand_error", "mm", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_curve(&target, r, "target_z", NULL, &err)); /* one that is there: set in place of what it would be */
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_record_curve(&i, r, "", "m", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_record_curve(&i, r, "a name that is longer than there is room for", "m", &err));
  po_world_step(w, 0.001);
  po_record_set(r, error, 2.5);
  po_record_set(r, target, 0.75);
  po_record_set(r, 1000, 1); /* no such curve */
  po_record_frame(r);
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_record_curve(&i, r, "late", "m", &err));
  po_trace_write(&text, po_record_trace(r));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&back, text.data, text.size, "own.trace", &err), err.message);
  TEST_ASSERT_DOUBLE_WITHIN(0, 2.5, po_trace_value(back, 0, "hand_error"));
  TEST_ASSERT_DOUBLE_WITHIN(0, 0.75, po_trace_value(back, 0, "target_z"));
  po_trace_write(&again, back);
  TEST_ASSERT_EQUAL_STRING(text.data, again.data);
  TEST_ASSERT_NOT_NULL(strstr(text.data, "\"mm\""));
  po_trace_free(back);
  po_record_free(r);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_new(&r, w, NULL, &err));
  for (i = 0; i < PO_RECORD_CURVES; i++) {
    po_format(name, sizeof name, "curve_%d", i);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_record_curve(&error, r, name, "m", &err));
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_record_curve(&error, r, "one_more", "m", &err));
  po_record_free(r);
  po_buffer_free(&text);
  po_buffer_free(&again);
  unmade(w, box, human);
}

static void test_what_is_said_stands_in_the_trace(void) {
  const po_model *box, *human;
  po_world *w = made(&box, &human);
  po_record_about about = {0};
  po_push push = {0.01, 0.02, {5, 0, 0}, NULL, 1};
  po_record *r;
  const po_trace *t;
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_new(&r, w, NULL, &err));
  t = po_record_trace(r);
  about.title = "two of them";
  about.outcome = "success";
  po_record_describe(r, &about);
  about.title = NULL;
  about.reason = "nobody fell";
  po_record_describe(r, &about);
  TEST_ASSERT_EQUAL_STRING("two of them", t->scenario);
  TEST_ASSERT_EQUAL_STRING("nobody fell", t->reason);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_push(r, &push, &err)); /* the box has no thorax: its root */
  TEST_ASSERT_EQUAL_INT(human->nb, t->push[0].body);
  push.link = "tail";
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_record_push(r, &push, &err));
  push.link = NULL;
  push.character = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_push(r, &push, &err));
  po_record_stage(r, "falls");
  po_record_stage(r, "falls");
  for (i = 0; i < 20; i++) {
    po_world_step(w, 0.001);
    po_record_frame(r);
  }
  po_record_stage(r, "lies");
  TEST_ASSERT_EQUAL_INT(2, t->notes);
  TEST_ASSERT_EQUAL_STRING("0.000", t->note[0].value);
  TEST_ASSERT_EQUAL_STRING("0.020", t->note[1].value);
  TEST_ASSERT_DOUBLE_WITHIN(0, 5, po_trace_value(t, 1, "push_x")); /* at 0.017 s */
  for (i = 0; i < 2 * PO_RECORD_NOTES; i++) po_record_note(r, PO_NOTE_RESULT, "height", "1", "m", 0);
  TEST_ASSERT_EQUAL_INT(PO_RECORD_NOTES, t->notes);
  po_record_free(r);
  unmade(w, box, human);
}

static void test_files_by_their_endings(void) {
  static const char *const name[] = {"record_test.html", "record_test.svg", "record_test.csv", "record_test.trace"};
  static const char *const begin[] = {"<!doctype html>", "<svg", "time,com_x", "{\"poise_trace\""};
  const po_model *box, *human;
  po_world *w = made(&box, &human);
  po_record *r;
  po_error err;
  char *data;
  size_t size;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_new(&r, w, NULL, &err));
  po_world_step(w, 0.001);
  po_record_frame(r);
  for (i = 0; i < 4; i++) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_record_write(r, name[i], &err), err.message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&data, &size, name[i], 0, &err), err.message);
    TEST_ASSERT_EQUAL_INT(0, strncmp(data, begin[i], strlen(begin[i])));
    po_free(data);
    remove(name[i]);
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_record_write(r, "record_test.mov", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, ".html"));
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_record_write(r, "no/such/folder/x.svg", &err));
  po_record_free(r);
  unmade(w, box, human);
}

/* A barrel, since a cylinder collides as a hull: corners and faces come back, outward normals with them. */
static void test_hulls_are_kept(void) {
  static const char barrel[] = "<robot name='barrel'><link name='barrel'><inertial><mass value='5'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
                               "<collision><origin xyz='0 0.1 0'/><geometry><cylinder radius='0.3' length='0.8'/></geometry></collision></link></robot>";
  const po_model *m;
  po_world *w;
  po_record *r;
  po_trace *back;
  po_buffer text = {0}, again = {0}, strip = {0};
  po_error err;
  const po_trace_hull *h;
  int f, k;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_urdf_read(&m, barrel, sizeof barrel - 1, "barrel.urdf", NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, m));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_new(&r, w, NULL, &err));
  po_record_frame(r);
  po_trace_write(&text, po_record_trace(r));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_read(&back, text.data, text.size, "barrel.trace", &err), err.message);
  po_trace_write(&again, back);
  TEST_ASSERT_EQUAL_STRING(text.data, again.data);
  TEST_ASSERT_EQUAL_INT(PO_HULL, back->shape[0].type);
  h = &back->hull[0];
  TEST_ASSERT_EQUAL_INT(48, h->vertices);
  TEST_ASSERT_EQUAL_INT(26, h->faces);
  for (f = 0; f < h->faces; f++) {
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, po_v3_norm(po_v3_of(h->plane + 4 * f)));
    TEST_ASSERT_TRUE(h->plane[4 * f + 3] > 0.29 && h->plane[4 * f + 3] < 0.401); /* outward: the axis is inside */
    for (k = 0; k < h->vertices; k++) TEST_ASSERT_TRUE(po_v3_dot(po_v3_of(h->plane + 4 * f), po_v3_of(h->vertex + 3 * k)) < h->plane[4 * f + 3] + 1e-9);
  }
  po_trace_svg(&strip, back, NULL);
  TEST_ASSERT_FALSE(strip.failed);
  po_trace_free(back);
  po_record_free(r);
  po_world_free(w);
  po_model_free(m);
  po_buffer_free(&text);
  po_buffer_free(&again);
  po_buffer_free(&strip);
}

static void test_refuses_nonsense(void) {
  const po_model *box, *human;
  po_world *w = made(&box, &human), *empty;
  po_record_opts o = po_record_opts_default();
  po_record *r;
  po_error err;
  int left = 3;
  o.hz = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_record_new(&r, w, &o, &err));
  TEST_ASSERT_NULL(r);
  o.hz = 60;
  o.seconds = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_record_new(&r, w, &o, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_record_new(&r, NULL, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&empty, NULL)); /* nobody in it: an empty page, no crash */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_record_new(&r, empty, NULL, &err));
  po_record_frame(r);
  po_record_free(r);
  po_world_free(empty);
  po_set_allocator(scarce, &left);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_record_new(&r, w, NULL, &err));
  po_set_allocator(NULL, NULL);
  unmade(w, box, human);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_frames_when_they_are_due);
  RUN_TEST(test_a_full_recording_is_thinned);
  RUN_TEST(test_curves_of_ones_own);
  RUN_TEST(test_what_is_said_stands_in_the_trace);
  RUN_TEST(test_files_by_their_endings);
  RUN_TEST(test_hulls_are_kept);
  RUN_TEST(test_refuses_nonsense);
  return UNITY_END() != 0;
}
