/* Writing URDF: what is written reads back to the same model, and models/NAME.urdf are what the code builds.
 * POISE_UPDATE=1 writes those files anew. */
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static void same_text(const char *a, const char *b, const char *what, int seed) {
  char note[200];
  po_format(note, sizeof note, "%s, seed %d", what, seed);
  TEST_ASSERT_EQUAL_STRING_MESSAGE(a, b, note);
}

/* Limits may be infinite, so no differences. */
static void same_numbers(const double *a, const double *b, int n, const char *what, int seed) {
  int i;
  for (i = 0; i < n; i++)
    if (!(a[i] == b[i])) rbd_close(&b[i], &a[i], 1, 1e-14, what, seed);
}

static void same_joint(const po_joint *a, const po_joint *b, int seed) {
  same_text(a->name, b->name, "joint name", seed);
  TEST_ASSERT_EQUAL_INT(a->type, b->type);
  TEST_ASSERT_EQUAL_INT(a->parent, b->parent);
  rbd_close(b->placement.R.m, a->placement.R.m, 9, 4e-15, "placement R", seed);
  same_numbers(&a->placement.p.x, &b->placement.p.x, 3, "placement p", seed);
  if (a->type != PO_JOINT_SPHERICAL && a->type != PO_JOINT_FLOATING) same_numbers(&a->axis.x, &b->axis.x, 3, "axis", seed);
  if (a->type == PO_JOINT_UNIVERSAL) same_numbers(&a->axis2.x, &b->axis2.x, 3, "axis2", seed);
  same_numbers(a->lower, b->lower, 3, "lower", seed);
  same_numbers(a->upper, b->upper, 3, "upper", seed);
  same_numbers(&a->limit_centre.w, &b->limit_centre.w, 4, "limit centre", seed);
  same_numbers(a->velocity, b->velocity, 3, "velocity", seed);
  same_numbers(a->effort, b->effort, 3, "effort", seed);
  same_numbers(a->damping, b->damping, 3, "damping", seed);
  same_numbers(a->armature, b->armature, 3, "armature", seed);
}

/* `extra`: how many frames of the world the writer had to add. */
static void same_model(const po_model *a, const po_model *b, int extra, int seed) {
  int i;
  same_text(a->name, b->name, "name", seed);
  TEST_ASSERT_EQUAL_INT(a->nb, b->nb);
  TEST_ASSERT_EQUAL_INT(a->nv, b->nv);
  TEST_ASSERT_EQUAL_INT(a->frames + extra, b->frames);
  TEST_ASSERT_EQUAL_INT(a->shapes, b->shapes);
  rbd_close(&b->rest_height, &a->rest_height, 1, 1e-14, "rest height", seed);
  for (i = 0; i < a->nb; i++) {
    same_text(a->body_name[i], b->body_name[i], "body", seed);
    same_joint(&a->joint[i], &b->joint[i], seed);
    same_numbers(&a->inertia[i].mass, &b->inertia[i].mass, 4, "mass and com", seed);
    rbd_close(b->inertia[i].I.m, a->inertia[i].I.m, 9, 1e-14, "inertia", seed);
  }
  for (i = 0; i < a->frames; i++) {
    const po_frame *f = &a->frame[i], *g = &b->frame[i + extra];
    same_text(f->name, g->name, "frame", seed);
    TEST_ASSERT_EQUAL_INT(f->body, g->body);
    same_numbers(&f->pose.p.x, &g->pose.p.x, 3, "frame p", seed);
    rbd_close(g->pose.R.m, f->pose.R.m, 9, 4e-15, "frame R", seed);
  }
  for (i = 0; i < a->shapes; i++) {
    const po_shape *s = &a->shape[i], *t = &b->shape[i];
    TEST_ASSERT_TRUE(s->type == t->type && s->body == t->body);
    same_numbers(s->size, t->size, 3, "shape size", seed);
    same_numbers(&s->pose.p.x, &t->pose.p.x, 3, "shape p", seed);
    rbd_close(t->pose.R.m, s->pose.R.m, 9, 4e-15, "shape R", seed);
  }
}

static const po_model *again(const po_model *model, po_buffer *text) {
  const po_model *back = NULL;
  po_error err;
  po_urdf_opts o = po_urdf_opts_default();
  o.fixed_base = !model->floating || model->frame[0].body < 0;
  o.strict = 1; /* what is written gives a reader nothing to warn about */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_urdf_write(text, model));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_urdf_read(&back, text->data, text->size, "again", &o, &err), err.message);
  return back;
}

static void round_trip(const po_model *model, po_data *data, rbd_state *s, int seed) {
  po_buffer text = {0}, twice = {0};
  const po_model *back = again(model, &text), *third;
  (void)data;
  (void)s;
  same_model(model, back, back->frames - model->frames, seed);
  third = again(back, &twice);
  same_model(back, third, 0, seed);
  po_model_free(third);
  po_model_free(back);
  po_buffer_free(&text);
  po_buffer_free(&twice);
}

static void test_random_trees_read_back(void) { rbd_on_trees(round_trip); }

static void test_bodies_read_back_and_stand_in_models(void) {
  int i;
  for (i = 0; po_body_names[i]; i++) {
    const po_model *model, *back;
    po_buffer text = {0};
    char path[64], *file = NULL;
    size_t size = 0;
    po_error err;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, po_body_names[i], NULL));
    back = again(model, &text);
    same_model(model, back, model->planar, i); /* a planar body hangs on a link that is the world */
    po_format(path, sizeof path, "models/%s.urdf", po_body_names[i]);
    if (getenv("POISE_UPDATE")) TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(path, text.data, text.size, NULL));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&file, &size, path, 0, &err), err.message);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(text.data, file, path);
    po_free(file);
    po_buffer_free(&text);
    po_model_free(back);
    po_model_free(model);
  }
}

/* Names that need escaping, and a rotation that roll, pitch and yaw can barely say. */
static void test_awkward_names_and_gimbal_lock(void) {
  const po_model *model, *back;
  po_builder *b;
  po_buffer text = {0};
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root"), j = po_joint_default(PO_JOINT_REVOLUTE, "a<&\">'b");
  po_inertia x = po_inertia_sphere(1, 1);
  double tilt[] = {0.5 * PO_PI, -0.5 * PO_PI, 0.5 * PO_PI - 1e-9, 0.5 * PO_PI + 1e-5};
  size_t i;
  for (i = 0; i < 4; i++) {
    text.size = 0;
    j.placement.R = po_m3_rpy(0.3, tilt[i], -1.1);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "x & y"));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "base", NULL, &root, &x, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "<link>", "base", &j, &x, NULL));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, NULL));
    back = again(model, &text);
    same_model(model, back, 0, (int)i);
    po_model_free(model);
    po_model_free(back);
    po_builder_free(b);
  }
  po_buffer_free(&text);
}

/* A floating joint on a link that is the world: the link must not get lost, nor the frames behind it. */
static void test_floating_on_a_ground_link(void) {
  const po_model *model, *back;
  po_builder *b;
  po_buffer text = {0};
  po_joint root = po_joint_default(PO_JOINT_FIXED, "root"), j = po_joint_default(PO_JOINT_FLOATING, "free");
  po_inertia x = po_inertia_sphere(1, 1);
  po_pose tip = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {1, 2, 3}};
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "grounded"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "ground", NULL, &root, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "ball", "ground", &j, &x, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_frame(b, "tip", "ball", tip, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_frame(b, "post", "ground", tip, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_finish(&model, b, NULL));
  TEST_ASSERT_EQUAL_INT(1, model->floating);
  back = again(model, &text);
  same_model(model, back, 0, 0);
  po_model_free(model);
  po_model_free(back);
  po_builder_free(b);
  po_buffer_free(&text);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_random_trees_read_back);
  RUN_TEST(test_bodies_read_back_and_stand_in_models);
  RUN_TEST(test_floating_on_a_ground_link);
  RUN_TEST(test_awkward_names_and_gimbal_lock);
  return UNITY_END() != 0;
}
