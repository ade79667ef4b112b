/* contact_helpers.h: small bodies for the tests of contact/, and a world that must step well. */
#ifndef CONTACT_HELPERS_H
#define CONTACT_HELPERS_H

#include "contact/contact.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>

static inline const po_model *free_body(po_shape_type type, double mass, double x, double y, double z) {
  po_builder *builder;
  const po_model *model = NULL;
  po_error err;
  po_joint joint = po_joint_default(PO_JOINT_FLOATING, "root");
  po_pose here;
  po_inertia inertia = type == PO_BOX      ? po_inertia_box(mass, 2 * x, 2 * y, 2 * z)
                       : type == PO_SPHERE ? po_inertia_sphere(mass, x)
                                           : po_inertia_capsule(mass, x, y);
  double size[3];
  size[0] = x;
  size[1] = y;
  size[2] = z;
  here.R = po_m3_identity();
  here.p = po_v3(0, 0, 0);
  memset(&err, 0, sizeof err);
  if (po_builder_new(&builder, "body") != PO_OK) return NULL;
  if (po_builder_link(builder, "body", NULL, &joint, &inertia, &err) == PO_OK && po_builder_shape(builder, "body", type, here, size, &err) == PO_OK)
    po_builder_finish(&model, builder, &err);
  po_builder_free(builder);
  TEST_ASSERT_NOT_NULL_MESSAGE(model, err.message);
  return model;
}
/* Half extents; radius; radius and half length of the straight part. */
static inline const po_model *free_box(double mass, double x, double y, double z) { return free_body(PO_BOX, mass, x, y, z); }
static inline const po_model *free_ball(double mass, double radius) { return free_body(PO_SPHERE, mass, radius, 0, 0); }
static inline const po_model *free_capsule(double mass, double radius, double half) { return free_body(PO_CAPSULE, mass, radius, half, 0); }

static inline po_world *new_world(const po_world_opts *opts) {
  po_world *world = NULL;
  TEST_ASSERT_EQUAL_STRING("ok", po_world_new(&world, opts) == PO_OK ? "ok" : "no world");
  return world;
}

static inline int add(po_world *world, const po_model *model, double x, double y, double z) {
  int i = -1;
  double *q;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(&i, world, model));
  q = po_world_q(world, i);
  if (model->floating) {
    q[4] = x;
    q[5] = y;
    q[6] = z;
  }
  return i;
}

static inline void steps(po_world *world, int count, double dt) {
  int k;
  for (k = 0; k < count; k++) {
    po_status status = po_world_step(world, dt);
    if (status != PO_OK) {
      char line[120];
      po_format(line, sizeof line, "step %d: %s", k, po_status_string(status));
      TEST_FAIL_MESSAGE(line);
    }
  }
}

static inline po_vec3 position(po_world *world, int i) { return po_v3_of(po_world_q(world, i) + 4); }
/* Of the base's origin, world. */
static inline po_vec3 velocity(po_world *world, int i) {
  return po_q_rotate(po_q_of(po_world_q(world, i)), po_v3_of(po_world_v(world, i) + 3));
}

static inline int full(void) { return getenv("POISE_FULL") != NULL; }

#define ASSERT_NEAR(expected, actual, relative, what) \
  do { \
    char near_line[160]; \
    double near_e = (expected), near_a = (actual); \
    po_format(near_line, sizeof near_line, "%s: expected %g, was %g", what, near_e, near_a); \
    TEST_ASSERT_TRUE_MESSAGE(po_abs(near_a - near_e) <= (relative)*po_abs(near_e), near_line); \
  } while (0)

#endif
