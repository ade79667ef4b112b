/* test_ports.c: Omega and the port velocities against Jacobians and the dense inverse of M. */
#include "contact/world_internal.h"
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

#define MAX 160
static double J[MAX * 64], Y[MAX * 64];

/* Rows of P by public means: angular and linear Jacobians at the ports' origin, in the ports' axes; unit rates for limits. */
static void port_rows(po_character *c, po_data *d) {
  int nv = c->model->nv, k, i, j;
  double A[3 * 64], B[3 * 64];
  memset(J, 0, sizeof J);
  for (k = 0; k < c->ports.bodies; k++) {
    int body = c->ports.body_of_port[k];
    po_vec3 at = po_m3_tmul_v(d->pose[body].R, po_v3_sub(c->ports.origin, d->pose[body].p));
    po_jacobian_angular(po_mat_of(A, 3, nv, 64), d, body);
    po_jacobian_point(po_mat_of(B, 3, nv, 64), d, body, at);
    for (j = 0; j < nv; j++) {
      po_vec3 w = po_m3_tmul_v(c->ports.axes, po_v3(A[j], A[64 + j], A[128 + j])), v = po_m3_tmul_v(c->ports.axes, po_v3(B[j], B[64 + j], B[128 + j]));
      double col[6];
      po_v6_to(col, po_v6(w, v));
      if (c->ports.span == 3) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_v3_cross(w, c->ports.plane)) + fabs(po_v3_dot(v, c->ports.plane))); /* it is planar */
        col[0] = po_v3_dot(w, c->ports.plane);
        col[1] = po_v3_dot(v, c->ports.plane_x);
        col[2] = po_v3_dot(v, c->ports.plane_y);
      }
      for (i = 0; i < c->ports.span; i++) J[(c->ports.span * k + i) * 64 + j] = col[i];
    }
  }
  for (k = 0; k < c->ports.joints; k++)
    for (i = 0; i < c->ports.joint[k].nv; i++) J[(c->ports.span * c->ports.bodies + k) * 64 + c->ports.joint[k].v + i] = c->ports.joint[k].g[i];
}

static void check_body(const char *name, uint64_t seed) {
  po_world_opts opts = po_world_opts_default();
  const po_model *m;
  po_error err;
  po_world *w;
  po_character *c;
  po_data *d;
  po_rng rng;
  char line[200];
  double worst = 0, pi[MAX], dv[64], expected[64], g[3];
  int i, j, k, nv;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_body_model(&m, name, &err), err.message);
  opts.joint_damping = seed % 2 ? 0.5 : 0;
  w = new_world(&opts);
  add(w, m, 0.3, -0.2, 1.5);
  c = w->character[0];
  nv = m->nv;
  po_rng_init(&rng, seed, 3);
  po_random_configuration(c->q, &rng, m);
  for (i = 0; i < nv; i++) c->v[i] = po_rng_range(&rng, -1, 1);
  c->held = 1; /* so that the dynamics are taken at q */
  po_character_place(w, c);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_character_accelerate(w, 0, NULL, 1e-3));
  memset(c->ports.port_of_body, 0xff, sizeof(int) * (size_t)m->nb);
  for (k = 0; k < 4; k++) TEST_ASSERT_TRUE(po_port_body(&c->ports, po_rng_below(&rng, m->nb)) >= 0);
  for (k = 1; k < m->nb; k += 3) {
    const po_joint *joint = &m->joint[k];
    for (i = 0; i < 3; i++) g[i] = po_rng_range(&rng, -1, 1);
    if (joint->type == PO_JOINT_SPHERICAL) TEST_ASSERT_TRUE(po_port_freedoms(&c->ports, joint->v, 3, g) >= 0);
    else TEST_ASSERT_TRUE(po_port_freedoms(&c->ports, joint->v + joint->nv - 1, 1, g) >= 0);
  }
  po_character_ports(c);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  d->added = c->data.added;
  po_kinematics(d, c->q, c->v);
  port_rows(c, d);
  po_minv_factor(d, c->q);
  memcpy(Y, J, sizeof Y);
  po_minv_mul(po_mat_of(Y, c->ports.count, nv, 64), d);
  for (i = 0; i < c->ports.count; i++) {
    double y = po_dot(J + 64 * i, c->v, nv), y1 = po_dot(J + 64 * i, c->v1, nv);
    worst = po_max(worst, po_max(fabs(c->y[i] - y), fabs(c->y[i] + c->y_move[i] - y1)));
    for (j = 0; j < c->ports.count; j++) {
      double omega = po_dot(J + 64 * i, Y + 64 * j, nv);
      worst = po_max(worst, fabs(c->ports.Omega[i * c->ports.ld + j] - omega) / (1 + fabs(omega)));
    }
  }
  po_format(line, sizeof line, "%s seed %d: y or Omega off by %g", name, (int)seed, worst);
  TEST_ASSERT_TRUE_MESSAGE(worst < 1e-10, line);
  /* M^-1 P' pi */
  memset(expected, 0, sizeof expected);
  for (i = 0; i < c->ports.count; i++) {
    pi[i] = po_rng_range(&rng, -1, 1);
    for (j = 0; j < nv; j++) expected[j] += pi[i] * Y[64 * i + j];
  }
  po_ports_apply(dv, &c->ports, pi);
  worst = 0;
  for (j = 0; j < nv; j++) worst = po_max(worst, fabs(dv[j] - expected[j]) / (1 + fabs(expected[j])));
  po_format(line, sizeof line, "%s seed %d: impulses off by %g", name, (int)seed, worst);
  TEST_ASSERT_TRUE_MESSAGE(worst < 1e-10, line);
  po_data_free(d);
  po_world_free(w);
  po_model_free(m);
}

static void all_bodies(po_simd simd) {
  int i;
  if (po_set_simd(simd) != PO_OK) TEST_IGNORE_MESSAGE("this CPU has no AVX2");
  for (i = 0; po_body_names[i]; i++) {
    check_body(po_body_names[i], 1);
    check_body(po_body_names[i], 2);
  }
  po_set_simd(PO_SIMD_AUTO);
}

static void test_ports_match_jacobians(void) { all_bodies(PO_SIMD_SCALAR); }
static void test_ports_match_jacobians_four_at_a_time(void) { all_bodies(PO_SIMD_AVX2); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_ports_match_jacobians);
  RUN_TEST(test_ports_match_jacobians_four_at_a_time);
  return UNITY_END() != 0;
}
