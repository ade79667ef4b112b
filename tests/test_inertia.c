/* Inertia of a whole body: against the momentum of a rigid turn, its gradient against differences, the mean frame's rate against the momentum. */
#include "ctrl/ctrl.h"
#include "rbd_helpers.h"
#include "unity.h"

static const char *const bodies[] = {"human", "child", "lopsided", "giant", "ostrich", "dinosaur"};
#define BODIES ((int)(sizeof bodies / sizeof bodies[0]))

void setUp(void) {}
void tearDown(void) {}

typedef struct fixture { const po_model *model; po_data *data; po_rng rng; double q[RBD_MAX_NV], v[RBD_MAX_NV]; } fixture;

static void open_body(fixture *f, const char *name, uint64_t seed) {
  po_error err;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&f->model, name, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&f->data, f->model));
  po_rng_init(&f->rng, seed, 0);
  po_random_configuration(f->q, &f->rng, f->model);
  for (i = 0; i < f->model->nv; i++) f->v[i] = po_rng_range(&f->rng, -2, 2);
  po_all_terms(f->data, f->q, f->v);
}
static void close_body(fixture *f) {
  po_data_free(f->data);
  po_model_free(f->model);
}

/* A body that turns as one piece has L = I ω: the centroidal matrix, which is another sum, must say the same. */
static void test_a_rigid_turn_has_the_momentum_of_the_inertia(void) {
  fixture f;
  int k;
  for (k = 0; k < BODIES; k++) {
    double v[RBD_MAX_NV] = {0};
    po_vec3 w, want;
    open_body(&f, bodies[k], (uint64_t)k + 1);
    w = rbd_random_v3(&f.rng, 3);
    po_v3_to(v, po_m3_tmul_v(f.data->pose[0].R, w));
    po_all_terms(f.data, f.q, v);
    want = po_m3_mul_v(po_whole_inertia(f.data), w);
    rbd_close_v3(po_v3_of(f.data->momentum), want, po_v3_norm(want), 1e-11, bodies[k], k);
    rbd_close_v3(po_mean_rotation(f.data), w, po_v3_norm(w), 1e-10, bodies[k], k);
    close_body(&f);
  }
}

/* Any motion: the mean frame's rate, times the inertia, is the momentum. */
static void test_the_mean_frame_carries_the_momentum(void) {
  fixture f;
  po_vec3 L;
  open_body(&f, "human", 7);
  L = po_v3_of(f.data->momentum);
  rbd_close_v3(po_m3_mul_v(po_whole_inertia(f.data), po_mean_rotation(f.data)), L, po_v3_norm(L), 1e-12, "I (I^-1 L)", 7);
  close_body(&f);
}

static void test_the_gradient_is_that_of_differences(void) {
  const double step = 1e-5; /* central differences: error of order step² against rounding of order 1e-16/step */
  fixture f;
  int k, i;
  for (k = 0; k < BODIES; k++) {
    double gradient[RBD_MAX_NV], differences[RBD_MAX_NV], unit[RBD_MAX_NV] = {0}, q[RBD_MAX_NV];
    po_vec3 axis;
    open_body(&f, bodies[k], (uint64_t)k + 20);
    axis = po_v3_unit(rbd_random_v3(&f.rng, 1));
    po_inertia_gradient(gradient, f.data, axis);
    for (i = 0; i < f.model->nv; i++) {
      double plus, minus;
      unit[i] = 1;
      po_integrate(q, f.model, f.q, unit, step);
      po_all_terms(f.data, q, f.v);
      plus = po_inertia_about(f.data, axis);
      po_integrate(q, f.model, f.q, unit, -step);
      po_all_terms(f.data, q, f.v);
      minus = po_inertia_about(f.data, axis);
      differences[i] = (plus - minus) / (2 * step);
      unit[i] = 0;
    }
    rbd_close(gradient, differences, f.model->nv, 1e-8, bodies[k], k);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * po_norm_inf(gradient, f.model->nv), 0, po_norm_inf(gradient + 3, 3)); /* moving the body changes nothing */
    close_body(&f);
  }
}

/* Momentum about one axis, as a feature, is that component of the whole. */
static void test_momentum_about_an_axis(void) {
  static double mem[RBD_MAX_NV];
  fixture f;
  po_feature about;
  po_mat J;
  po_vec3 axis;
  double y, rate, drift;
  open_body(&f, "human", 40);
  axis = po_v3_unit(po_v3(0.3, -1, 0.2));
  about = po_feature_momentum_about(axis);
  J = po_mat_of(mem, 1, f.model->nv, f.model->nv);
  po_feature_eval(&y, &rate, J, &drift, &about, f.data, f.q, f.v);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + po_abs(y)), po_v3_dot(axis, po_v3_of(f.data->momentum)), y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-10 * (1 + po_abs(y)), po_dot(mem, f.v, f.model->nv), rate);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * (1 + po_abs(drift)), po_v3_dot(axis, po_v3_of(f.data->momentum_drift)), drift);
  close_body(&f);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_rigid_turn_has_the_momentum_of_the_inertia);
  RUN_TEST(test_the_mean_frame_carries_the_momentum);
  RUN_TEST(test_the_gradient_is_that_of_differences);
  RUN_TEST(test_momentum_about_an_axis);
  return UNITY_END() != 0;
}
