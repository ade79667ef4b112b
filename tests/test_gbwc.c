/* Generalized biped walking: inverse kinematics against the forward map, J'F against finite differences, walks, stops, states, refusals. */
#include "../ctrl/moves/gbwc_internal.h"
#include "../ctrl/plan/plan.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

typedef struct walker {
  const po_model *model;
  po_world *world;
  po_sim *sim;
  po_gbwc *gbwc;
} walker;

static void walker_new(walker *w, const char *body) {
  po_sim_opts opts = {0.0005, 2000, 0};
  po_move *move;
  po_error err;
  memset(w, 0, sizeof *w);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&w->model, body, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w->world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w->world, w->model));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&move, "gbwc", w->model, po_terrain_flat(), NULL, &err), err.message);
  w->gbwc = po_gbwc_of(move);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(w->world, 0), w->model, po_terrain_flat(), 0, 0, 0, 0.97, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&w->sim, w->world, po_terrain_flat(), &opts));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(w->sim, 0, &w->gbwc->move));
}

static void walker_run(walker *w, double seconds) {
  po_error err;
  double until = w->sim->time + seconds - 1e-9;
  while (w->sim->time < until && w->sim->character[0].fall.at < 0) TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_step(w->sim, &err));
}

static void walker_free(walker *w) {
  po_sim_free(w->sim);
  po_move_free(&w->gbwc->move);
  po_world_free(w->world);
  po_model_free(w->model);
}

static void test_ik_is_the_inverse_of_the_forward_map(void) {
  static const char *const bodies[] = {"human", "lopsided", "ostrich"}; /* knees that bend forward, unlike legs, knees that bend back */
  po_rng rng;
  int b, k, leg;
  po_rng_init(&rng, 1, 0);
  for (b = 0; b < 3; b++) {
    walker w;
    walker_new(&w, bodies[b]);
    for (k = 0; k < 50; k++) {
      const po_actor *a = w.gbwc->move.actor;
      const po_model *m = w.model;
      double q[64], knee;
      po_vec3 hip, target, ankle;
      po_mat3 thigh;
      leg = k % 2;
      po_neutral(q, m);
      po_kinematics(a->data, q, NULL);
      hip = a->data->pose[a->legs.thigh[leg]].p;
      target = po_v3_add(hip, po_v3(po_rng_range(&rng, -0.3, 0.3), po_rng_range(&rng, -0.2, 0.2), -po_rng_range(&rng, 0.6, 0.85) * w.gbwc->leg));
      po_gbwc_leg_ik(w.gbwc, leg, hip, target, po_v3(0, 1, 0), &thigh, &knee);
      /* the hip's coordinates that give the thigh this orientation; the pelvis stands at its rest */
      {
        const po_joint *j = &m->joint[a->legs.thigh[leg]];
        po_mat3 frame = po_m3_mul(a->data->pose[0].R, j->placement.R);
        po_q_to(q + j->q, po_q_from_matrix(po_m3_tmul(frame, thigh)));
        q[m->joint[a->legs.shank[leg]].q] = knee;
      }
      po_kinematics(a->data, q, NULL);
      ankle = a->data->pose[a->legs.foot[leg]].p;
      TEST_ASSERT_TRUE_MESSAGE(po_v3_norm(po_v3_sub(ankle, target)) < 1e-9, bodies[b]); /* rounding of a few rotations */
    }
    walker_free(&w);
  }
}

/* tau_V of ankle and knee is −dE/dq of a potential F·c, with the foot held: here the COM moves against the foot. */
static void test_virtual_force_is_the_com_jacobian_transposed(void) {
  walker w;
  double tau[64] = {0}, q[64], h = 1e-6;
  po_vec3 force = po_v3(70, -40, 25), root = po_v3(0, 0, 0);
  const po_actor *a;
  int joints[2], k;
  walker_new(&w, "human");
  a = w.gbwc->move.actor;
  po_neutral(q, w.model);
  q[w.model->joint[a->legs.shank[1]].q] += 0.4;
  po_kinematics(a->data, q, NULL);
  po_com(a->data);
  po_gbwc_subtrees(w.gbwc);
  po_gbwc_force_torques(w.gbwc, tau, &root, 1, force);
  joints[0] = a->legs.shank[1], joints[1] = a->legs.foot[1];
  for (k = 0; k < 2; k++) {
    const po_joint *j = &w.model->joint[joints[k]];
    double work[2];
    int side;
    for (side = 0; side < 2; side++) { /* the COM in axes of the foot */
      double x[64];
      po_pose foot;
      memcpy(x, q, sizeof x);
      x[j->q] += side == 0 ? h : -h;
      po_kinematics(a->data, x, NULL);
      po_com(a->data);
      foot = a->data->pose[a->legs.foot[1]];
      work[side] = po_v3_dot(force, po_m3_tmul_v(foot.R, po_v3_sub(a->data->com, foot.p)));
    }
    po_kinematics(a->data, q, NULL);
    /* the force is the world's; the foot's axes are turned by its pose at q, which bends the comparison unless the foot is level */
    {
      po_vec3 turned = po_m3_mul_v(a->data->pose[a->legs.foot[1]].R, force);
      double again[64] = {0};
      po_vec3 none = po_v3(0, 0, 0);
      po_com(a->data);
      po_gbwc_force_torques(w.gbwc, again, &none, 1, turned);
      TEST_ASSERT_DOUBLE_WITHIN(1e-4, (work[0] - work[1]) / (2 * h), again[j->v]); /* differences of 1e-6: 1e-10/1e-6 */
    }
  }
  TEST_ASSERT_TRUE(po_v3_norm(root) > 1); /* the hip's part is the root's */
  walker_free(&w);
}

static void test_walks_stops_and_stands(void) {
  walker w;
  po_error err;
  double x;
  int i;
  walker_new(&w, "human");
  walker_run(&w, 4);
  x = po_world_data(w.world, 0)->com.x;
  walker_run(&w, 3);
  TEST_ASSERT_TRUE_MESSAGE(w.sim->character[0].fall.at < 0, "fell");
  TEST_ASSERT_DOUBLE_WITHIN(0.1 + 0.06, 0.6, (po_world_data(w.world, 0)->com.x - x) / 3); /* the scenario's own bound */
  TEST_ASSERT_TRUE(w.gbwc->now.steps >= 9);
  for (i = 0; i < 6; i++) TEST_ASSERT_TRUE(w.sim->character[0].peak[i] == 0); /* nobody pushes the root */
  for (i = 6; i < w.model->nv; i++) {
    const po_joint *j = &w.model->joint[w.model->dof_body[i]];
    TEST_ASSERT_TRUE(w.sim->character[0].peak[i] <= j->effort[i - j->v]);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(&w.gbwc->move, "walk", 0, &err));
  walker_run(&w, 4);
  TEST_ASSERT_TRUE(w.sim->character[0].fall.at < 0);
  TEST_ASSERT_EQUAL_INT(PO_GBWC_STAND, w.gbwc->now.mode);
  walker_free(&w);
}

/* Who idles has the weight on either leg in turn, and after four shifts has moved a foot. */
static void test_idling_shifts_the_weight_and_moves_a_foot(void) {
  walker w;
  po_error err;
  double left = 0, right = 0;
  int i;
  walker_new(&w, "human");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(&w.gbwc->move, "walk", 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(&w.gbwc->move, "idle", 1, &err));
  for (i = 0; i < 120; i++) {
    double y;
    walker_run(&w, 0.1);
    y = po_world_data(w.world, 0)->com.y;
    if (w.gbwc->now.mode == PO_GBWC_STAND && w.gbwc->now.steps == 0) left = po_max(left, y), right = po_max(right, -y);
  }
  TEST_ASSERT_TRUE_MESSAGE(w.sim->character[0].fall.at < 0, "fell");
  TEST_ASSERT_TRUE(left > 0.01 && right > 0.01); /* m */
  TEST_ASSERT_TRUE(w.gbwc->now.steps >= 1);
  walker_free(&w);
}

/* A small body that idles stands upright on flat feet between its steps, and moves a foot now and then instead of stepping all the time. */
static void test_a_child_idles_upright_on_flat_feet(void) {
  walker w;
  po_error err;
  int i, k, thorax;
  walker_new(&w, "child");
  thorax = po_find_body(w.model, "thorax");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(&w.gbwc->move, "walk", 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(&w.gbwc->move, "idle", 1, &err));
  for (i = 0; i < 150; i++) {
    const po_data *d = po_world_data(w.world, 0);
    walker_run(&w, 0.1);
    if (w.gbwc->now.mode != PO_GBWC_STAND || w.gbwc->now.mode_time < 2) continue;
    for (k = 0; k < 2; k++) {
      int foot = w.gbwc->move.actor->legs.foot[k];
      TEST_ASSERT_TRUE(po_m3_mult(d->pose[foot].R, w.gbwc->rest[foot]).m[8] > po_cos(PO_RAD(2)));
    }
    TEST_ASSERT_TRUE(po_m3_mult(d->pose[thorax].R, w.gbwc->rest[thorax]).m[8] > po_cos(PO_RAD(6)));
  }
  TEST_ASSERT_TRUE_MESSAGE(w.sim->character[0].fall.at < 0, "fell");
  TEST_ASSERT_TRUE(w.gbwc->now.steps >= 1 && w.gbwc->now.steps <= 8); /* two moves of a foot, at most four steps each */
  walker_free(&w);
}

/* Ankles that stand 0.44 m above the ground, and a step that has to be quick. */
static void test_tall_feet_and_fast_walks(void) {
  static const struct { const char *body; double speed; } cases[] = {{"ostrich", 0.6}, {"human", 1.7}};
  po_error err;
  int i;
  for (i = 0; i < 2; i++) {
    walker w;
    double x;
    walker_new(&w, cases[i].body);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(&w.gbwc->move, "speed", cases[i].speed, &err));
    walker_run(&w, 5);
    x = po_world_data(w.world, 0)->com.x;
    walker_run(&w, 3);
    TEST_ASSERT_TRUE_MESSAGE(w.sim->character[0].fall.at < 0, cases[i].body);
    TEST_ASSERT_DOUBLE_WITHIN(0.1 + 0.1 * cases[i].speed, cases[i].speed * w.gbwc->time_scale, (po_world_data(w.world, 0)->com.x - x) / 3);
    walker_free(&w);
  }
}

static void walker_set(walker *w, const char *name, double value) {
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_set(&w->gbwc->move, name, value, &err), err.message);
}

/* How far the thorax leans forward beyond what is asked, rad, after walking with a lean of 5 degrees. */
static double slouch_of(double compensation) {
  walker w;
  po_mat3 R;
  int thorax;
  double lean;
  walker_new(&w, "human");
  walker_set(&w, "lean_deg", 5);
  walker_set(&w, "gravity_compensation", compensation);
  walker_run(&w, 5);
  TEST_ASSERT_TRUE(w.sim->character[0].fall.at < 0);
  thorax = po_find_body(w.model, "thorax");
  R = po_m3_mult(po_world_data(w.world, 0)->pose[thorax].R, w.gbwc->rest[thorax]);
  lean = po_atan2(R.m[2], R.m[8]);
  walker_free(&w);
  return po_abs(lean - PO_RAD(5));
}

static double speed_error(double tuning) {
  walker w;
  double x, v;
  walker_new(&w, "human");
  walker_set(&w, "velocity_tuning", tuning);
  walker_run(&w, 4);
  x = po_world_data(w.world, 0)->com.x;
  walker_run(&w, 4);
  TEST_ASSERT_TRUE_MESSAGE(w.sim->character[0].fall.at < 0, "without tuning it is to be imprecise, not to fall");
  v = (po_world_data(w.world, 0)->com.x - x) / 4;
  walker_free(&w);
  return po_abs(v - 0.6);
}

/* Each part does what it is for (5.6). */
static void test_without_a_part_it_does_worse(void) {
  walker w;
  int pushed;
  TEST_ASSERT_TRUE(slouch_of(0) > 2 * slouch_of(1));
  TEST_ASSERT_TRUE(speed_error(0) > 2 * speed_error(1));
  for (pushed = 0; pushed < 3; pushed++) { /* the pendulum, switched off while it walks: needed when it is pushed, and then only */
    walker_new(&w, "human");
    walker_run(&w, 4);
    walker_set(&w, "pendulum", pushed == 2);
    walker_run(&w, 2);
    po_world_v(w.world, 0)[w.model->joint[0].v + 4] += pushed ? 0.6 : 0; /* m/s to the left: 420 N for 0.1 s */
    walker_run(&w, 4);
    TEST_ASSERT_EQUAL_INT(pushed == 1, w.sim->character[0].fall.at >= 0);
    walker_free(&w);
  }
}

/* Feet on one line go around each other, feet that are apart have no need to. */
static void test_crossing_legs_go_around_each_other(void) {
  double width;
  for (width = 0; width < 0.2; width += 0.1) {
    walker w;
    walker_new(&w, "human");
    walker_set(&w, "step_width", width);
    walker_run(&w, 5);
    TEST_ASSERT_TRUE(w.sim->character[0].fall.at < 0 && w.gbwc->now.steps > 5);
    if (width > 0) TEST_ASSERT_EQUAL_INT(0, (int)w.gbwc->now.crossings);
    else TEST_ASSERT_TRUE(w.gbwc->now.crossings >= w.gbwc->now.steps / 2);
    walker_free(&w);
  }
}

/* A leg that becomes a twentieth longer than the other, while it walks; and half the gains. */
static void test_legs_of_different_length_and_low_gains(void) {
  const po_model *longer;
  walker w;
  po_error err;
  walker_new(&w, "human");
  walker_set(&w, "gain_scale", 0.5);
  walker_run(&w, 3);
  walker_set(&w, "gain_scale", 1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_model_scale_limb(&longer, w.model, "thigh_l", 1.05, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_model(w.world, 0, longer));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set_model(&w.gbwc->move, longer));
  walker_run(&w, 4);
  TEST_ASSERT_TRUE_MESSAGE(w.sim->character[0].fall.at < 0, "fell");
  walker_free(&w);
  po_model_free(longer);
}

static void test_states_restore_to_the_bit(void) {
  walker w;
  size_t bytes;
  void *state;
  uint64_t hash;
  walker_new(&w, "child");
  walker_run(&w, 1.3);
  bytes = po_sim_save_bytes(w.sim);
  state = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_save(state, bytes, w.sim));
  walker_run(&w, 1);
  hash = po_world_hash(w.world);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_restore(w.sim, state, bytes));
  walker_run(&w, 1);
  TEST_ASSERT_TRUE(hash == po_world_hash(w.world));
  po_free(state);
  walker_free(&w);
}

static void test_bad_input_is_refused(void) {
  const po_model *m;
  po_move *g;
  po_gbwc_params p;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "biped7", &err)); /* planar */
  TEST_ASSERT_TRUE(po_move_new_of(&g, &po_gbwc_type, NULL, m, po_terrain_flat(), NULL, &err) != PO_OK);
  po_model_free(m);
  po_param_defaults(&p, po_gbwc_param, po_gbwc_param_count);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_gbwc_style_apply(&p, "stagger", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "swagger"));
  p.speed = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_move_new_of(&g, &po_gbwc_type, &p, m, po_terrain_flat(), NULL, &err));
  po_model_free(m);
}

/* What friction has for an arm against a twist: a corner's distance when the pressure is in the middle, little when it is in a corner, where the ankle puts it. */
static void test_a_foot_on_its_corner_holds_no_twist(void) {
  walker w;
  gbwc_view view;
  double q[64], tau[64] = {0}, middle, corner, far = 0;
  const po_actor *a;
  const po_joint *j;
  int i;
  walker_new(&w, "human");
  a = w.gbwc->move.actor;
  j = &w.model->joint[a->legs.foot[0]];
  po_neutral(q, w.model);
  po_kinematics(a->data, q, NULL);
  memset(&view, 0, sizeof view);
  view.mass = w.model->total_mass, view.height = 0.9, view.omega = sqrt(9.81 / 0.9);
  view.ankle[0] = po_patches_centroid(&a->patches, a->data, 1u); /* an ankle over the middle of its sole: no torque, no offset */
  view.com = po_v3_add(view.ankle[0], po_v3(0, 0, view.height));
  view.feel[0].force = PO_NAN;
  for (i = 0; i < 4; i++)
    far += 0.25 * po_v3_norm(po_v3_sub(po_point_position(a->data, a->patches.patch[0].point_body[i], a->patches.patch[0].point[i]),
                                       view.ankle[0]));
  middle = po_gbwc_limit_ankle(w.gbwc, tau, 0, &view);
  tau[j->v] = tau[j->v + 1] = 1e3;
  corner = po_gbwc_limit_ankle(w.gbwc, tau, 0, &view);
  TEST_ASSERT_DOUBLE_WITHIN(0.02 * far, far, middle); /* soles are not quite rectangles */
  TEST_ASSERT_TRUE(corner < 0.5 * middle && corner > 0);
  TEST_ASSERT_TRUE(tau[j->v] < 1e3 && tau[j->v] > 0 && tau[j->v + 1] < 1e3 && tau[j->v + 1] > 0);
  walker_free(&w);
}

static void test_curves_pass_through_their_knots(void) {
  double y[PO_GBWC_KNOTS] = {1, -2, 0.5, 3};
  int i;
  for (i = 0; i < PO_GBWC_KNOTS; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, y[i], po_gbwc_curve(y, i / 3.0));
  TEST_ASSERT_TRUE(po_gbwc_curve(y, 2) == y[3]);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_ik_is_the_inverse_of_the_forward_map);
  RUN_TEST(test_virtual_force_is_the_com_jacobian_transposed);
  RUN_TEST(test_walks_stops_and_stands);
  RUN_TEST(test_idling_shifts_the_weight_and_moves_a_foot);
  RUN_TEST(test_a_child_idles_upright_on_flat_feet);
  RUN_TEST(test_tall_feet_and_fast_walks);
  RUN_TEST(test_without_a_part_it_does_worse);
  RUN_TEST(test_crossing_legs_go_around_each_other);
  RUN_TEST(test_legs_of_different_length_and_low_gains);
  RUN_TEST(test_states_restore_to_the_bit);
  RUN_TEST(test_bad_input_is_refused);
  RUN_TEST(test_a_foot_on_its_corner_holds_no_twist);
  RUN_TEST(test_curves_pass_through_their_knots);
  return UNITY_END() != 0;
}
