/* The human in flight: momentum and energy are kept by an accurate integrator, and the semi-implicit step is of order one. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

enum { N = 64 };
typedef struct flight {
  double q[N], v[N];
} flight;

/* dq/dt of the coordinates themselves: q' = q (0,w)/2 for quaternions, p' = R u. */
static void rate_of(const po_model *model, double *dq, const double *q, const double *v) {
  int i, k;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    const double *x = q + j->q, *w = v + j->v;
    if (j->type == PO_JOINT_SPHERICAL || j->type == PO_JOINT_FLOATING) {
      po_quat d = po_q_mul(po_q_of(x), po_q(0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]));
      po_q_to(dq + j->q, d);
      if (j->type == PO_JOINT_FLOATING) po_v3_to(dq + j->q + 4, po_q_rotate(po_q_unit(po_q_of(x)), po_v3_of(w + 3)));
    } else {
      for (k = 0; k < j->nq; k++) dq[j->q + k] = w[k];
    }
  }
}

static void derivative(po_data *data, flight *d, const flight *s) {
  static const double tau[N];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(d->v, data, s->q, s->v, tau, NULL));
  rate_of(data->model, d->q, s->q, s->v);
}

static void add(const po_model *m, flight *out, const flight *s, double h, const flight *d) {
  int i;
  for (i = 0; i < m->nq; i++) out->q[i] = s->q[i] + h * d->q[i];
  for (i = 0; i < m->nv; i++) out->v[i] = s->v[i] + h * d->v[i];
}

static void rk4(po_data *data, flight *s, double h) {
  const po_model *m = data->model;
  flight k1, k2, k3, k4, x;
  int i;
  derivative(data, &k1, s);
  add(m, &x, s, 0.5 * h, &k1);
  derivative(data, &k2, &x);
  add(m, &x, s, 0.5 * h, &k2);
  derivative(data, &k3, &x);
  add(m, &x, s, h, &k3);
  derivative(data, &k4, &x);
  for (i = 0; i < m->nq; i++) s->q[i] += h / 6 * (k1.q[i] + 2 * k2.q[i] + 2 * k3.q[i] + k4.q[i]);
  for (i = 0; i < m->nv; i++) s->v[i] += h / 6 * (k1.v[i] + 2 * k2.v[i] + 2 * k3.v[i] + k4.v[i]);
  po_normalize(s->q, m);
}

static void semi_implicit(po_data *data, flight *s, double h) {
  flight d;
  int i;
  derivative(data, &d, s);
  for (i = 0; i < data->model->nv; i++) s->v[i] += h * d.v[i];
  po_integrate(s->q, data->model, s->q, s->v, h);
}

static void launch(const po_model *model, flight *s) {
  po_rng rng;
  int i;
  memset(s, 0, sizeof *s);
  po_neutral(s->q, model);
  po_rng_init(&rng, 4, 4);
  for (i = 0; i < model->nv; i++) s->v[i] = po_rng_range(&rng, -0.6, 0.6);
}

static void test_momentum_and_energy_over_ten_seconds(void) {
  const po_model *model;
  po_data *data;
  flight s;
  double before[6], energy, h = 1e-3, mass, after;
  int i, step;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  mass = model->total_mass;
  launch(model, &s);
  po_all_terms(data, s.q, s.v);
  memcpy(before, data->momentum, sizeof before);
  energy = po_kinetic_energy(data) + po_potential_energy(data);
  for (step = 0; step < 10000; step++) {
    rk4(data, &s, h);
    if (step % 500 == 499) {
      po_all_terms(data, s.q, s.v);
      before[5] -= mass * 9.81 * 500 * h;
      for (i = 0; i < 6; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * (i < 3 ? 1 : mass * 9.81 * 10), before[i], data->momentum[i]);
      after = po_kinetic_energy(data) + po_potential_energy(data);
      TEST_ASSERT_DOUBLE_WITHIN(1e-9 * mass * 9.81 * 500, energy, after); /* it falls almost 500 m */
    }
  }
  po_data_free(data);
  po_model_free(model);
}

/* Errors after 0.4 s against RK4 at a tiny step halve with the step. */
static void test_semi_implicit_step_has_order_one(void) {
  const po_model *model;
  po_data *data;
  flight exact, s;
  double error[3], d[N];
  int level, step;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
  launch(model, &exact);
  for (step = 0; step < 400; step++) rk4(data, &exact, 1e-3);
  for (level = 0; level < 3; level++) {
    int steps = 400 << level;
    launch(model, &s);
    for (step = 0; step < steps; step++) semi_implicit(data, &s, 0.4 / steps);
    po_difference(d, model, exact.q, s.q);
    error[level] = po_norm2(d, model->nv);
  }
  TEST_ASSERT_TRUE(error[0] > 1e-6); /* there is something to measure */
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 2, error[0] / error[1]);
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 2, error[1] / error[2]);
  po_data_free(data);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_momentum_and_energy_over_ten_seconds);
  RUN_TEST(test_semi_implicit_step_has_order_one);
  return UNITY_END() != 0;
}
