/* Points of one body written as six rows: the same answer as a row for every coordinate of every point, and the same account of it. */
#include "ctrl/ctrl.h"
#include "ctrl/ctrl_internal.h"
#include "unity.h"
#include <string.h>

static const po_model *model;
static po_data *data;
static double q[64], v[64];

void setUp(void) {
  po_error err;
  if (!model) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  }
}
void tearDown(void) {}

/* Corners of both soles with references that no rigid foot can meet, the COM and the pose below them; `apart`: left and right corners take
 * turns, so that no two of one foot stand together. */
static po_wbc *make(const po_patches *s, uint64_t seed, int apart, int corners) {
  static const char *const names[8] = {"l0", "l1", "l2", "l3", "r0", "r1", "r2", "r3"};
  po_wbc *w;
  po_objective o, corner[8];
  po_rng rng;
  int i, k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, model, NULL));
  po_rng_init(&rng, seed, 1);
  for (i = 0; i < 8; i++) {
    const po_patch *f = &s->patch[i / 4];
    corner[i] = po_objective_setpoint(names[i], po_feature_point(f->body, f->point[i % 4]), 1, 100);
    po_v3_to(corner[i].ref, po_point_position(data, f->body, f->point[i % 4]));
    for (k = 0; k < 3; k++) corner[i].ref[k] += po_rng_range(&rng, -0.01, 0.01);
    corner[i].weight = 4;
    corner[i].scale = 2;
    corner[i].on = i % 4 < corners;
  }
  for (i = 0; i < 8; i++) po_wbc_add(w, &corner[apart ? i % 2 * 4 + i / 2 : i]);
  o = po_objective_setpoint("com", po_feature_com_across(), 2, 20);
  po_wbc_add(w, &o);
  o = po_objective_setpoint("pose", po_feature_pose(model, NULL), 3, 40);
  po_wbc_add(w, &o);
  for (i = 0; i < 8; i++) {
    const po_patch *f = &s->patch[i / 4];
    w->contact[w->contacts].body = f->body;
    w->contact[w->contacts].point = f->point[i % 4];
    w->contact[w->contacts].normal = po_v3(0, 0, 1);
    w->contact[w->contacts].mu = w->opts.mu;
    w->contact[w->contacts++].ramp = 1;
  }
  return w;
}

static void check_seed(uint64_t seed, int corners, int groups) {
  po_patches s;
  po_wbc *a, *b;
  po_rng rng;
  char text[64];
  int i, k;
  po_format(text, sizeof text, "seed %llu, %d corners", (unsigned long long)seed, corners);
  po_rng_init(&rng, seed, 0);
  po_neutral(q, model);
  for (i = 0; i < model->nv; i++) v[i] = po_rng_range(&rng, -0.3, 0.3);
  po_all_terms(data, q, v);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_patches_init(&s, model, po_terrain_flat(), PO_BOTH_FEET, NULL));
  a = make(&s, seed, 0, corners);
  b = make(&s, seed, 1, corners);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_wbc_solve(a, data, q, v), text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_wbc_solve(b, data, q, v), text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_HQP_OPTIMAL, a->hqp.status, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(groups, a->inner->groups, text);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, b->inner->groups, text);
  for (i = 0; i < model->nv; i++) { /* accelerations are of order 10, torques of order 100: both to 1e-9 of that */
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, b->qdd[i], a->qdd[i], text);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, b->tau[i], a->tau[i], text);
  }
  for (i = 0; i < a->objectives; i++) {
    const po_objective *x = &a->objective[i], *y = po_wbc_find(b, x->name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, y->miss, x->miss, text);
    for (k = 0; x->on && x->feature.rows <= PO_FEATURE_MAX && k < x->feature.rows; k++) {
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, y->wanted[k], x->wanted[k], text);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, y->got[k], x->got[k], text);
    }
  }
  po_wbc_free(a);
  po_wbc_free(b);
}

static void test_six_rows_answer_like_twelve(void) {
  uint64_t seed;
  for (seed = 1; seed <= 20; seed++) check_seed(seed, 4, 2);
}
static void test_three_corners(void) {
  uint64_t seed;
  for (seed = 1; seed <= 10; seed++) check_seed(seed, 3, 2);
}
/* A heel or a toe edge is left as it is. */
static void test_two_corners_are_not_joined(void) { check_seed(1, 2, 0); }

static void test_points_on_a_line_are_not_joined(void) {
  po_wbc *w;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, model, NULL));
  for (i = 0; i < 3; i++) {
    po_objective o = po_objective_setpoint("p", po_feature_point(0, po_v3(0.1 * i, 0, 0)), 1, 100);
    po_wbc_add(w, &o);
  }
  po_neutral(q, model);
  memset(v, 0, sizeof v);
  po_all_terms(data, q, v);
  TEST_ASSERT_EQUAL_INT(3, po_wbc_points_run(w, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_solve(w, data, q, v));
  TEST_ASSERT_EQUAL_INT(0, w->inner->groups);
  po_wbc_free(w);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_six_rows_answer_like_twelve);
  RUN_TEST(test_three_corners);
  RUN_TEST(test_two_corners_are_not_joined);
  RUN_TEST(test_points_on_a_line_are_not_joined);
  return UNITY_END() != 0;
}
