/* Random trees, random states and comparisons for the tests of rbd/. */
#ifndef RBD_HELPERS_H
#define RBD_HELPERS_H

#include "rbd/rbd.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>

#define RBD_MAX_NV 256
#define RBD_MAX_BODIES 64

/* How many random trees a test visits: every kind of joint appears in the first few already. */
static inline int rbd_trees(void) { return getenv("POISE_FULL") ? 200 : 60; }

/* Largest |a − b| relative to the largest |b| (at least 1e-6); fails with index, both values and the bound. */
static inline void rbd_close(const double *got, const double *want, int n, double bound, const char *what, int seed) {
  char message[400];
  double scale = 1e-6, worst = -1;
  int i, at = 0;
  for (i = 0; i < n; i++) scale = po_max(scale, po_abs(want[i]));
  for (i = 0; i < n; i++) {
    double e = po_abs(got[i] - want[i]) / scale;
    if (!(e <= worst)) worst = e, at = i;
    if (e != e) break;
  }
  if (n == 0 || worst <= bound) return;
  po_format(message, sizeof message, "%s, seed %d: [%d] is %.17g, expected %.17g; relative error %.3e, bound %.1e", what, seed, at,
            got[at], want[at], worst, bound);
  TEST_FAIL_MESSAGE(message);
}

static inline void rbd_close_v3(po_vec3 got, po_vec3 want, double scale, double bound, const char *what, int seed) {
  double g[4], w[4];
  po_v3_to(g, got);
  po_v3_to(w, want);
  g[3] = w[3] = scale; /* the size that errors are measured against */
  rbd_close(g, w, 4, bound, what, seed);
}

static inline po_vec3 rbd_random_v3(po_rng *rng, double size) {
  double x = po_rng_range(rng, -size, size), y = po_rng_range(rng, -size, size), z = po_rng_range(rng, -size, size);
  return po_v3(x, y, z);
}

static inline po_pose rbd_random_pose(po_rng *rng) {
  po_pose p;
  p.R = po_q_matrix(po_q_exp(rbd_random_v3(rng, 2)));
  p.p = rbd_random_v3(rng, 0.4);
  return p;
}

/* A rotated box with its centre somewhere near. */
static inline po_inertia rbd_random_inertia(po_rng *rng) {
  double x = po_rng_range(rng, 0.05, 0.5), y = po_rng_range(rng, 0.05, 0.5), z = po_rng_range(rng, 0.05, 0.5);
  po_inertia i = po_inertia_box(po_rng_range(rng, 0.2, 5), x, y, z);
  po_mat3 R = po_q_matrix(po_q_exp(rbd_random_v3(rng, 2)));
  po_mat3 I = po_m3_mult(po_m3_mul(R, i.I), R);
  I.m[3] = I.m[1];
  I.m[6] = I.m[2];
  I.m[7] = I.m[5];
  i.I = I;
  i.com = rbd_random_v3(rng, 0.2);
  return i;
}

static inline po_joint rbd_random_joint(po_rng *rng, po_joint_type type, const char *name) {
  po_joint j = po_joint_default(type, name);
  int axis = po_rng_below(rng, 5), k;
  po_vec3 unit[3];
  unit[0] = po_v3(1, 0, 0);
  unit[1] = po_v3(0, 1, 0);
  unit[2] = po_v3(0, 0, 1);
  j.axis = axis < 3 ? po_v3_scale(po_rng_below(rng, 2) ? 1 : -1, unit[axis]) : po_v3_unit(rbd_random_v3(rng, 1));
  j.axis2 =
      po_v3_unit(po_v3_add(po_v3_cross(j.axis, rbd_random_v3(rng, 1)), po_v3_scale(0.3, j.axis))); /* not square to the first */
  j.placement = rbd_random_pose(rng);
  if (po_rng_below(rng, 3) == 0) j.placement.R = po_m3_identity();
  if (po_rng_below(rng, 2) && type != PO_JOINT_FIXED && type != PO_JOINT_FLOATING)
    for (k = 0; k < 3; k++) j.armature[k] = po_rng_range(rng, 0, 0.2);
  return j;
}

/* A tree of 2 … 25 links with every type of joint, some of them fixed, floating base or not; the same for the same seed. */
static inline const po_model *rbd_random_tree(int seed) {
  po_rng rng;
  po_builder *b = NULL;
  const po_model *model = NULL;
  po_error err;
  char link[32], parent[32], joint[32];
  int links, i;
  po_rng_init(&rng, (uint64_t)seed, 77);
  links = 2 + po_rng_below(&rng, 24);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "tree"));
  for (i = 0; i < links; i++) {
    po_joint_type type = (po_joint_type)po_rng_below(&rng, 7);
    po_joint j;
    po_inertia x = rbd_random_inertia(&rng);
    if (i == 0 && seed % 4 != 0) type = PO_JOINT_FLOATING;
    if (i == 1 && type == PO_JOINT_FIXED) type = PO_JOINT_SPHERICAL; /* something moves */
    if (i > 0 && type == PO_JOINT_FLOATING && po_rng_below(&rng, 3)) type = PO_JOINT_REVOLUTE;
    po_format(link, sizeof link, "link%d", i);
    po_format(joint, sizeof joint, "joint%d", i);
    po_format(parent, sizeof parent, "link%d", i ? (po_rng_below(&rng, 2) ? i - 1 : po_rng_below(&rng, i)) : 0);
    j = rbd_random_joint(&rng, type, joint);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_link(b, link, i ? parent : NULL, &j, &x, &err), err.message);
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_builder_finish(&model, b, &err), err.message);
  po_builder_free(b);
  TEST_ASSERT(model->nv <= RBD_MAX_NV && model->nb <= RBD_MAX_BODIES);
  return model;
}

typedef struct rbd_state {
  double q[RBD_MAX_NV + 64], v[RBD_MAX_NV], a[RBD_MAX_NV], tau[RBD_MAX_NV];
  po_vec6 f_ext[RBD_MAX_BODIES];
} rbd_state;

static inline void rbd_random_state(rbd_state *s, const po_model *model, int seed) {
  po_rng rng;
  int i;
  po_rng_init(&rng, (uint64_t)seed, 78);
  po_random_configuration(s->q, &rng, model);
  for (i = 0; i < model->nv; i++) {
    s->v[i] = po_rng_range(&rng, -2, 2);
    s->a[i] = po_rng_range(&rng, -5, 5);
    s->tau[i] = po_rng_range(&rng, -20, 20);
  }
  for (i = 0; i < model->nb; i++) s->f_ext[i] = po_v6(rbd_random_v3(&rng, 5), rbd_random_v3(&rng, 20));
}

/* The same work on every tree and SIMD path: run(model, data, state, seed). */
typedef void (*rbd_tree_fn)(const po_model *model, po_data *data, rbd_state *s, int seed);
static inline void rbd_on_trees(rbd_tree_fn run) {
  static rbd_state s;
  static const po_simd paths[] = {PO_SIMD_SCALAR, PO_SIMD_AVX2};
  int seed, path;
  for (path = 0; path < 2; path++) {
    if (po_set_simd(paths[path]) != PO_OK) continue;
    for (seed = 1; seed <= rbd_trees(); seed++) {
      const po_model *model = rbd_random_tree(seed);
      po_data *data = NULL;
      TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, model));
      rbd_random_state(&s, model, seed);
      run(model, data, &s, seed);
      po_data_free(data);
      po_model_free(model);
    }
  }
  po_set_simd(PO_SIMD_AUTO);
}

/* A zeroed matrix of its own; freed with po_free(M.a). */
static inline po_mat rbd_mat(int rows, int cols) {
  return po_mat_of((double *)po_alloc(sizeof(double) * (size_t)(rows * cols + 1)), rows, cols, cols > 0 ? cols : 1);
}

#endif
