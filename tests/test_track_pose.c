/* The pose that goes with planned momenta: they are met, feet stand, limits hold; what cannot be is reported; a push and contact forces balance. */
#include "counting.h"
#include "ctrl/moves/track_pose.h"
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_allocator(NULL, NULL); }

typedef struct follow { /* a body that follows a motion by its momenta alone */
  po_motion *m;
  po_track_pose *track;
  po_data *data;
  double q[64], v[64], ref_q[64], ref_v[64];
  po_vec3 anchor[PO_CORNERS], place[PO_CORNERS], velocity[PO_CORNERS];
  uint32_t planted;
  double slip, com_error, joint_error, momentum_error, outside; /* worst so far */
} follow;

static void follow_begin(follow *f, const po_model *model, const char *motion) {
  po_error err;
  memset(f, 0, sizeof *f);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_built_in(&f->m, model, motion, 120, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_track_pose_new(&f->track, model));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&f->data, model));
  po_motion_sample(f->q, f->v, NULL, f->m, 0);
}

static void follow_end(follow *f) {
  po_track_pose_free(f->track);
  po_data_free(f->data);
  po_motion_free(f->m);
}

/* The reference at frame k: where its corners are, its COM, its momenta with `swing` more angular momentum about x. */
static void follow_wish(follow *f, po_track_wish *w, int k, double swing) {
  double t = k / f->m->hz;
  uint32_t planted;
  int c;
  memset(w, 0, sizeof *w);
  po_motion_sample(f->ref_q, f->ref_v, &planted, f->m, t + 1 / f->m->hz);
  po_kinematics(f->data, f->ref_q, f->ref_v);
  po_centroidal(f->data);
  memcpy(w->momentum, f->data->momentum, sizeof w->momentum);
  w->momentum[0] += swing;
  po_motion_sample(f->ref_q, f->ref_v, &planted, f->m, t);
  po_kinematics(f->data, f->ref_q, f->ref_v);
  po_com(f->data);
  w->com = f->data->com;
  for (c = 0; c < f->m->corners.count; c++) {
    const po_frame *at = &f->m->model->frame[f->m->corners.frame[c]];
    f->place[c] = po_point_position(f->data, at->body, at->pose.p);
    f->velocity[c] = po_point_velocity(f->data, at->body, at->pose.p);
    if (planted >> c & 1u) {
      if (!(f->planted >> c & 1u)) f->anchor[c] = f->place[c];
      f->place[c] = f->anchor[c];
    }
  }
  f->planted = w->planted = planted;
  w->q = f->ref_q;
  w->v = f->ref_v;
  w->place = f->place;
  w->velocity = f->velocity;
}

static void follow_step(follow *f, int k, double swing, const po_track_pose_opts *o) {
  po_track_wish w;
  po_track_pose_result r;
  double limited[64];
  int c, i;
  follow_wish(f, &w, k, swing);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_track_pose_solve(f->v, NULL, f->track, f->q, &w, o, &r));
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
  for (i = 0; i < 6; i++) f->momentum_error = po_max(f->momentum_error, po_abs(r.momentum_miss[i]));
  f->joint_error = po_max(f->joint_error, r.joint_miss);
  po_kinematics(f->data, f->q, NULL);
  po_com(f->data);
  f->com_error = po_max(f->com_error, po_v3_norm(po_v3_sub(f->data->com, w.com)));
  for (c = 0; c < f->m->corners.count; c++)
    if (w.planted >> c & 1u)
      f->slip = po_max(f->slip, po_v3_norm(po_v3_sub(po_frame_pose(f->data, f->m->corners.frame[c]).p, f->anchor[c])));
  po_integrate(f->q, f->m->model, f->q, f->v, o->frame);
  memcpy(limited, f->q, sizeof limited);
  f->outside = po_max(f->outside, po_clamp_to_limits(limited, f->m->model));
}

/* Three strides of walking and two squats rebuilt from their momenta: the pose comes back, though nothing tells the root where to be. */
static void test_motions_are_rebuilt_from_their_momenta(void) {
  static const char *const motions[] = {"walk", "long-step", "squat"};
  const po_model *model = motion_body("human");
  po_track_pose_opts o = po_track_pose_opts_default();
  int i, k;
  for (i = 0; i < 3; i++) {
    follow f;
    follow_begin(&f, model, motions[i]);
    for (k = 0; k < 450; k++) follow_step(&f, k, 0, &o);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-8, f.momentum_error, motions[i]); /* kg m²/s and kg m/s, of 80 */
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(5e-3, f.slip, motions[i]);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(3e-3, f.com_error, motions[i]);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(0.1, f.joint_error, motions[i]);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(1e-4, f.outside, motions[i]); /* balls: the linear rate of log(q), second order in h v */
    follow_end(&f);
  }
  po_model_free(model);
}

/* An angular momentum that swings by ±10 kg m²/s in a second: by levels the feet stand; in one problem with the paper's weights they slide more. */
static void test_levels_hold_feet_that_weights_let_slide(void) {
  const po_model *model = motion_body("human");
  double slip[2], error[2];
  int levels, k;
  for (levels = 0; levels < 2; levels++) {
    po_track_pose_opts o = po_track_pose_opts_default();
    follow f;
    o.levels = levels;
    follow_begin(&f, model, "squat");
    for (k = 0; k < 120; k++) follow_step(&f, k, 10 * po_sin(2 * PO_PI * k / 120.0), &o);
    slip[levels] = f.slip;
    error[levels] = f.momentum_error;
    TEST_ASSERT_LESS_THAN_DOUBLE(1e-4, f.outside);
    follow_end(&f);
  }
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, error[0]);
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-8, error[1]);
  TEST_ASSERT_LESS_THAN_DOUBLE(5e-3, slip[1]);
  TEST_ASSERT_GREATER_THAN_DOUBLE(5 * slip[1], slip[0]);
  po_model_free(model);
}

/* An angular momentum that the joints cannot give for long: limits hold, the free root turns the whole body so that the momenta are met, and that the feet
 * can then not stand is told. */
static void test_what_limits_forbid_shows_in_the_feet(void) {
  const po_model *model = motion_body("human");
  po_track_pose_opts o = po_track_pose_opts_default();
  po_track_pose_result r;
  po_track_wish w;
  follow f;
  double limited[64];
  int k, i, missed = 0, bound = 0, both = 0;
  follow_begin(&f, model, "squat");
  for (k = 0; k < 60; k++) {
    follow_wish(&f, &w, k, 120);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_track_pose_solve(f.v, NULL, f.track, f.q, &w, &o, &r));
    TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
    po_kinematics(f.data, f.q, f.v); /* momenta by their definition */
    po_centroidal(f.data);
    for (i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, w.momentum[i], f.data->momentum[i]);
    missed += r.corner_miss > 0.1;
    bound += r.limits > 0;
    both += r.corner_miss > 0.1 && r.limits > 0;
    po_integrate(f.q, model, f.q, f.v, o.frame);
    memcpy(limited, f.q, sizeof limited);
    TEST_ASSERT_LESS_THAN_DOUBLE(
        0.034, po_clamp_to_limits(limited, model)); /* half of 3 (0.15 rad)²: second order in what a frame turns a ball */
    po_clamp_to_limits(f.q, model);
  }
  TEST_ASSERT_GREATER_THAN_INT(10, missed);
  TEST_ASSERT_EQUAL_INT(missed, both); /* never without a limit that forbids it */
  TEST_ASSERT_GREATER_THAN_INT(missed - 1, bound);
  follow_end(&f);
  po_model_free(model);
}

/* Eq. 14: the change of momentum over the frame is that of gravity, push and contact forces together, forces push up and stay within their cones, and
 * the pushed link starts off along the push. */
static void test_a_push_is_shared_by_body_and_ground(void) {
  const po_model *model = motion_body("human");
  po_track_pose_opts o = po_track_pose_opts_default();
  po_track_pose_result r;
  po_track_push push;
  po_track_wish w;
  po_vec3 ray[32], point[32], P, L, sum, before, after;
  double planned[32], weights[32], h = o.frame, mass = model->total_mass;
  follow f;
  int c, k, i;
  follow_begin(&f, model, "squat");
  follow_wish(&f, &w, 0, 0);
  memset(&push, 0, sizeof push);
  po_kinematics(f.data, f.q, f.v);
  po_centroidal(f.data);
  memcpy(push.momentum, f.data->momentum, sizeof push.momentum);
  push.body = po_find_body(model, "thorax");
  push.force = po_v3(100, 60, 0);
  push.place = po_point_position(f.data, push.body, model->inertia[push.body].com);
  before = po_point_velocity(f.data, push.body, model->inertia[push.body].com);
  for (c = 0; c < 8; c++)
    for (k = 0; k < 4; k++) {
      static const double x[4] = {1, 0, -1, 0}, y[4] = {0, 1, 0, -1};
      ray[4 * c + k] = po_v3(0.8 * x[k], 0.8 * y[k], 1);
      point[4 * c + k] = f.place[c];
      planned[4 * c + k] = mass * 9.81 / 32;
    }
  push.rays = 32;
  push.ray = ray;
  push.point = point;
  push.planned = planned;
  w.push = &push;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_track_pose_solve(f.v, weights, f.track, f.q, &w, &o, &r));
  TEST_ASSERT_EQUAL_INT(PO_HQP_OPTIMAL, r.status);
  for (i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, r.momentum_miss[i]);
  /* the step of the momentum model, written out: P + h (S + m g), L + h tau − h²/2m P × S − h³/6 g × S */
  P = po_v3_of(push.momentum + 3);
  L = po_v3_add(po_v3_of(push.momentum), po_v3_scale(h, po_v3_cross(po_v3_sub(push.place, f.data->com), push.force)));
  sum = push.force;
  for (i = 0; i < 32; i++) {
    po_vec3 force = po_v3_scale(weights[i], ray[i]);
    TEST_ASSERT_TRUE(weights[i] >= 0);
    sum = po_v3_add(sum, force);
    L = po_v3_add(L, po_v3_scale(h, po_v3_cross(po_v3_sub(point[i], f.data->com), force)));
  }
  L = po_v3_addscaled(L, -h * h / (2 * mass), po_v3_cross(P, sum));
  L = po_v3_addscaled(L, -h * h * h / 6, po_v3_cross(po_v3(0, 0, -9.81), sum));
  P = po_v3_addscaled(P, h, po_v3_addscaled(sum, mass, po_v3(0, 0, -9.81)));
  po_kinematics(f.data, f.q, f.v);
  po_centroidal(f.data);
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, po_v3_norm(po_v3_sub(L, po_v3_of(f.data->momentum))));
  TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, po_v3_norm(po_v3_sub(P, po_v3_of(f.data->momentum + 3))));
  after = po_point_velocity(f.data, push.body, model->inertia[push.body].com);
  TEST_ASSERT_GREATER_THAN_DOUBLE(0, po_v3_dot(po_v3_sub(after, before), push.force));
  TEST_ASSERT_LESS_THAN_DOUBLE(1e-6, r.corner_miss); /* the feet stand all the same */
  follow_end(&f);
  po_model_free(model);
}

static void test_bad_input_and_no_allocation(void) {
  const po_model *model = motion_body("human");
  po_track_pose_opts o = po_track_pose_opts_default();
  po_track_wish w;
  follow f;
  int k;
  follow_begin(&f, model, "walk");
  follow_wish(&f, &w, 0, 0);
  w.momentum[2] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_track_pose_solve(f.v, NULL, f.track, f.q, &w, &o, NULL));
  w.momentum[2] = 0;
  f.place[3].x = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_track_pose_solve(f.v, NULL, f.track, f.q, &w, &o, NULL));
  f.place[3].x = 0;
  o.frame = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_track_pose_solve(f.v, NULL, f.track, f.q, &w, &o, NULL));
  o = po_track_pose_opts_default();
  f.planted = 0;
  allocations = 0;
  po_set_allocator(counting, NULL);
  for (k = 0; k < 20; k++) follow_step(&f, k, 0, &o);
  po_set_allocator(NULL, NULL);
  TEST_ASSERT_EQUAL_INT(0, allocations);
  follow_end(&f);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_motions_are_rebuilt_from_their_momenta);
  RUN_TEST(test_levels_hold_feet_that_weights_let_slide);
  RUN_TEST(test_what_limits_forbid_shows_in_the_feet);
  RUN_TEST(test_a_push_is_shared_by_body_and_ground);
  RUN_TEST(test_bad_input_and_no_allocation);
  return UNITY_END() != 0;
}
