/* 04_conventions.c: the worked example of docs/conventions.md: one state, its meaning in the world, and the same state as other libraries
 * write it. Every number of that page is printed here. */
#include <poise.h>
#include <stdio.h>

static void row(const char *name, const double *x, int n) {
  char text[32];
  int i;
  printf("%-26s", name);
  for (i = 0; i < n; i++) {
    po_format(text, sizeof text, "%.4f", po_abs(x[i]) < 5e-5 ? 0 : x[i]); /* no -0.0000 */
    printf(" %8s", text);
  }
  printf("\n");
}
static void row3(const char *name, po_vec3 v) {
  double x[3];
  po_v3_to(x, v);
  row(name, x, 3);
}

/* A box that floats, and a rod that turns about the box's y axis at (0.1, 0, 0.2). */
static po_status build(const po_model **model, po_error *err) {
  po_builder *b = NULL;
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root"), hinge = po_joint_default(PO_JOINT_REVOLUTE, "hinge");
  po_inertia box = po_inertia_box(2, 0.4, 0.2, 0.1), rod = po_inertia_box(1, 0.02, 0.02, 0.5);
  po_status status = po_builder_new(&b, "example");
  hinge.placement.p = po_v3(0.1, 0, 0.2);
  hinge.axis = po_v3(0, 1, 0);
  rod.com = po_v3(0, 0, 0.25);
  if (status == PO_OK) status = po_builder_link(b, "box", NULL, &root, &box, err);
  if (status == PO_OK) status = po_builder_link(b, "rod", "box", &hinge, &rod, err);
  if (status == PO_OK) status = po_builder_finish(model, b, err);
  po_builder_free(b);
  return status;
}

/* The base's coordinates in the orders of other libraries; the joints' follow unchanged. */
static void elsewhere(const double *q, const double *v) {
  po_quat r = po_q_of(q);
  po_vec3 ang = po_v3_of(v), lin = po_v3_of(v + 3), ang_world = po_q_rotate(r, ang), lin_world = po_q_rotate(r, lin);
  const double pinocchio_q[] = {q[4], q[5], q[6], r.x, r.y, r.z, r.w, q[7]};
  const double pinocchio_v[] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z, v[6]};
  const double mujoco_q[] = {q[4], q[5], q[6], r.w, r.x, r.y, r.z, q[7]};
  const double mujoco_v[] = {lin_world.x, lin_world.y, lin_world.z, ang.x, ang.y, ang.z, v[6]};
  const double rbdl_q[] = {q[4], q[5], q[6], r.x, r.y, r.z, q[7], r.w};
  const double drake_v[] = {ang_world.x, ang_world.y, ang_world.z, lin_world.x, lin_world.y, lin_world.z, v[6]};
  row("Pinocchio q", pinocchio_q, 8);
  row("Pinocchio v", pinocchio_v, 7);
  row("MuJoCo qpos", mujoco_q, 8);
  row("MuJoCo qvel", mujoco_v, 7);
  row("RBDL q", rbdl_q, 8);
  row("RBDL qdot", mujoco_v, 7); /* the same as MuJoCo's */
  row("Drake q", q, 8);          /* the same as ours */
  row("Drake v", drake_v, 7);
}

int main(void) {
  const double h = 0.70710678118654752; /* a quarter turn about z: the body's x axis points along the world's y */
  const double q[8] = {h, 0, 0, h, 1, 2, 3, 0.5}, v[7] = {0.1, 0.2, 0.3, 1, 0, 0, 2};
  const po_model *model = NULL;
  po_data *data = NULL;
  po_error err;
  int rod;
  if (build(&model, &err) != PO_OK || po_data_new(&data, model) != PO_OK) return 1;
  po_kinematics(data, q, v);
  po_centroidal(data);
  rod = po_find_body(model, "rod");
  row("q", q, 8);
  row("v", v, 7);
  row3("box velocity, world", po_point_velocity(data, 0, po_v3(0, 0, 0)));
  row3("box angular, world", po_body_angular_velocity(data, 0));
  row3("rod tip, world", po_point_position(data, rod, po_v3(0, 0, 0.5)));
  row3("rod tip velocity, world", po_point_velocity(data, rod, po_v3(0, 0, 0.5)));
  row3("rod angular, world", po_body_angular_velocity(data, rod));
  row3("com, world", data->com);
  row("momentum at com, world", data->momentum, 6);
  elsewhere(q, v);
  po_data_free(data);
  po_model_free(model);
  return 0;
}
