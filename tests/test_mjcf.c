/* Reading MJCF: what each element means, what is warned about, and that bad files end in a message with file and line.
 * tests/robots/mjcf_peer.py compares whole robots with MuJoCo. */
#include "rbd/mesh.h"
#include "rbd_helpers.h"

void setUp(void) {}
void tearDown(void) {}

static po_error err;
static po_warnings warnings;

typedef struct file_of {
  const char *name, *text;
} file_of;

/* A file system of one file. */
static po_status read_one(void *user, char **data, size_t *size, const char *path, size_t most, po_error *e) {
  const file_of *f = user;
  (void)most;
  if (strcmp(path, f->name)) return po_fail(e, PO_ERR_FILE, "there is no '%s'", path);
  *size = strlen(f->text);
  *data = po_alloc(*size + 1);
  memcpy(*data, f->text, *size);
  return PO_OK;
}

static const po_model *read_with(const char *text, file_of *other, int fixed) {
  const po_model *m = NULL;
  po_urdf_opts o = po_urdf_opts_default();
  static file_of none = {"", ""};
  po_paths paths;
  memset(&paths, 0, sizeof paths);
  paths.read = read_one;
  paths.user = other ? other : &none;
  o.paths = &paths;
  o.fixed_base = fixed;
  o.warnings = &warnings;
  warnings.count = 77;
  memset(&err, 0, sizeof err);
  if (po_mjcf_read(&m, text, strlen(text), "dir/bot.xml", &o, &err) != PO_OK) TEST_ASSERT_NULL(m);
  return m;
}
static const po_model *read_text(const char *text) {
  const po_model *m = read_with(text, NULL, 0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  return m;
}

static const po_joint *joint_of(const po_model *m, const char *name) {
  int i = po_find_joint(m, name);
  TEST_ASSERT_TRUE_MESSAGE(i >= 0, name);
  return &m->joint[i];
}

static void near_v3(double x, double y, double z, po_vec3 v) {
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, x, v.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, y, v.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-14, z, v.z);
}

static void warned_of(const char *part) {
  int i;
  for (i = 0; i < warnings.count; i++) {
    TEST_ASSERT_TRUE(warnings.list[i].line > 0);
    if (strstr(warnings.list[i].message, part)) return;
  }
  TEST_FAIL_MESSAGE(part);
}

#define BODY "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define BOT(body) "<mujoco><worldbody>" body "</worldbody></mujoco>"

/* ---- joints and bodies ---- */

static void test_a_joint_off_the_origin(void) {
  const po_model *m = read_text(BOT("<body name='a' pos='1 2 3' euler='0 0 90'>" BODY "<joint name='j' type='hinge' axis='0 0 2' pos='0.5 0 0' range='-90 45'/></body>"));
  const po_joint *j = joint_of(m, "j");
  po_data *d;
  double q = PO_PI / 2;
  TEST_ASSERT_EQUAL_INT(1, m->nv);
  near_v3(1, 2.5, 3, j->placement.p);
  near_v3(0, 0, 1, j->axis);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -PO_PI / 2, j->lower[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, PO_PI / 4, j->upper[0]);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
  po_kinematics(d, &q, NULL); /* its origin swings about the joint: from half a metre below along y to half a metre ahead of it */
  near_v3(1.5, 2.5, 3, po_frame_position(d, po_find_frame(m, "a_origin")));
  near_v3(1.5, 2.5, 3, po_point_position(d, 0, m->inertia[0].com));
  po_data_free(d);
  po_model_free(m);
}

static void test_joints_of_one_body_are_a_chain(void) {
  const po_model *m = read_text(BOT("<body name='a'>" BODY "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/><joint name='turn' axis='0 1 0'/></body>"));
  TEST_ASSERT_EQUAL_INT(3, m->nb);
  TEST_ASSERT_EQUAL_INT(PO_JOINT_PRISMATIC, m->joint[0].type);
  TEST_ASSERT_EQUAL_INT(PO_JOINT_REVOLUTE, m->joint[2].type);
  TEST_ASSERT_EQUAL_STRING("a_x", m->body_name[0]);
  TEST_ASSERT_EQUAL_STRING("a", m->body_name[2]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, m->inertia[0].mass);
  TEST_ASSERT_DOUBLE_WITHIN(0, 1, m->inertia[2].mass);
  po_model_free(m);
}

static void test_what_floats(void) {
  const po_model *m = read_text(BOT("<body name='a' pos='0 0 1'><freejoint/>" BODY "</body>")), *f;
  TEST_ASSERT_EQUAL_INT(1, m->floating);
  po_model_free(m);
  f = read_with(BOT("<body name='a' pos='0 0 1'><freejoint/>" BODY "<body name='b'><joint name='j'/>" BODY "</body></body>"), NULL, 1);
  TEST_ASSERT_EQUAL_INT(1, f->nv);
  po_model_free(f);
  m = read_text(BOT("<body name='a'><joint/>" BODY "</body><body name='ball'><freejoint/>" BODY "</body>"));
  TEST_ASSERT_EQUAL_INT(0, m->floating);
  TEST_ASSERT_EQUAL_INT(7, m->nv);
  po_model_free(m);
}

static void test_joint_numbers(void) {
  const po_model *m = read_text("<mujoco><compiler angle='radian'/><worldbody><body>" BODY "<joint name='h' range='-1 2' ref='0.5' margin='0.1' damping='3' armature='0.2' "
                                "stiffness='1'/></body><body>" BODY "<joint name='s' type='ball' range='0 1'/></body><body>" BODY
                                "<joint name='u' limited='false' range='1 2'/></body></worldbody></mujoco>");
  const po_joint *h = joint_of(m, "h"), *s = joint_of(m, "s"), *u = joint_of(m, "u");
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, -1.4, h->lower[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.4, h->upper[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 3, h->damping[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0.2, h->armature[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, -1, s->lower[2]);
  TEST_ASSERT_TRUE(u->upper[0] == PO_INF);
  warned_of("stiffness");
  warned_of("cone");
  po_model_free(m);
}

/* ---- defaults, frames, replicates, includes ---- */

static void test_defaults_go_from_the_nearest_class_outwards(void) {
  const po_model *m = read_text("<mujoco><compiler angle='radian'/><default><joint damping='1' armature='1' axis='1 0 0'/><default class='leg'><joint damping='2'/>"
                                "<default class='knee'><joint axis='0 1 0'/></default></default></default>"
                                "<worldbody><body childclass='leg'>" BODY "<joint name='a'/><body>" BODY "<joint name='b' class='knee'/><frame childclass='main'><body>" BODY
                                "<joint name='c' damping='5'/></body></frame></body></body></worldbody></mujoco>");
  const po_joint *a = joint_of(m, "a"), *b = joint_of(m, "b"), *c = joint_of(m, "c");
  TEST_ASSERT_DOUBLE_WITHIN(0, 2, a->damping[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 1, a->armature[0]);
  near_v3(1, 0, 0, a->axis);
  TEST_ASSERT_DOUBLE_WITHIN(0, 2, b->damping[0]);
  near_v3(0, 1, 0, b->axis);
  TEST_ASSERT_DOUBLE_WITHIN(0, 5, c->damping[0]);
  near_v3(1, 0, 0, c->axis);
  po_model_free(m);
}

static void test_frames_and_replicates(void) {
  const po_model *m = read_text(BOT("<frame pos='1 0 0' euler='0 0 90'><body name='a' pos='1 0 0'>" BODY "<joint axis='1 0 0'/></body></frame>"
                                    "<replicate count='3' offset='0 2 0' sep='-'><body name='b'>" BODY "<joint name='j'/></body></replicate>"));
  near_v3(1, 1, 0, m->joint[po_find_body(m, "a")].placement.p);
  near_v3(0, 4, 0, m->joint[po_find_body(m, "b-2")].placement.p);
  joint_of(m, "j-1");
  po_model_free(m);
}

static void test_includes(void) {
  file_of legs = {"dir/parts/leg.xml", "<mujocoinclude>\n<body name='b'>" BODY "<joint name='j' damping='-1'/></body></mujocoinclude>"};
  const po_model *m;
  TEST_ASSERT_NULL(read_with(BOT("<body name='a'>" BODY "<joint/><include file='parts/leg.xml'/></body>"), &legs, 0));
  TEST_ASSERT_EQUAL_STRING("dir/parts/leg.xml", err.file); /* the error is in the included file */
  TEST_ASSERT_EQUAL_INT(2, err.line);
  legs.text = "<mujocoinclude><body name='b'>" BODY "<joint name='j'/></body></mujocoinclude>";
  m = read_with(BOT("<body name='a'>" BODY "<joint/><include file='parts/leg.xml'/></body>"), &legs, 0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(0, joint_of(m, "j")->parent);
  po_model_free(m);
  TEST_ASSERT_NULL(read_with(BOT("<include file='../secret.xml'/>"), &legs, 0));
  TEST_ASSERT_NULL(read_with(BOT("<include file='/etc/passwd'/>"), &legs, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, err.status);
}

/* ---- mass and shapes ---- */

/* Every solid of density 1000 has the mass of its volume, and a half of a body turned over is the other half. */
static void test_geoms_weigh(void) {
  static const char *const geom[] = {"type='sphere' size='0.1'", "type='box' size='0.1 0.2 0.3'", "type='cylinder' size='0.1 0.2'", "type='capsule' fromto='0 0 -0.2 0 0 0.2' size='0.1'",
                                     "type='ellipsoid' size='0.1 0.2 0.3'"};
  const double volume[] = {4.0 / 3 * PO_PI * 1e-3, 0.048, PO_PI * 0.01 * 0.4, PO_PI * (0.01 * 0.4 + 4.0 / 3 * 1e-3), 4.0 / 3 * PO_PI * 6e-3};
  char text[500];
  int i;
  for (i = 0; i < 5; i++) {
    const po_model *m;
    po_format(text, sizeof text, BOT("<body name='a'><freejoint/><geom %s/></body>"), geom[i]);
    m = read_text(text);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1000 * volume[i], m->total_mass);
    po_model_free(m);
    po_format(text, sizeof text, BOT("<body name='a'><freejoint/><geom mass='3' %s/><geom group='7' size='9'/></body>"), geom[i]);
    m = read_text(text);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, m->total_mass); /* group 7 is beyond inertiagrouprange */
    po_model_free(m);
  }
}

static void test_what_collides(void) {
  const po_model *m = read_text(BOT("<geom type='plane' size='1 1 1'/><body name='a'><freejoint/><geom name='g' size='0.1' pos='0 0 1'/>"
                                    "<geom size='0.2' contype='0' conaffinity='0'/></body>"));
  TEST_ASSERT_EQUAL_INT(1, m->shapes);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0.1, m->shape[0].size[0]);
  near_v3(0, 0, 1, m->shape[0].pose.p);
  TEST_ASSERT_EQUAL_INT(0, warnings.count);
  po_model_free(m);
}

/* ---- actuators ---- */

static void test_torque_limits(void) {
  const po_model *m =
      read_text("<mujoco><default><motor ctrlrange='-2 1'/></default><worldbody>"
                "<body>" BODY "<joint name='a'/><body>" BODY "<joint name='b' actuatorfrcrange='-7 7'/><body>" BODY "<joint name='c'/><body>" BODY "<joint name='d'/><body>" BODY
                "<joint name='e'/></body></body></body></body></body></worldbody><actuator><motor joint='a' gear='10'/><motor joint='b' gear='100'/>"
                "<position joint='c' kp='100' forcerange='-4 4' ctrlrange='-1 1'/><general joint='d' gainprm='3' ctrlrange='-5 5'/></actuator></mujoco>");
  TEST_ASSERT_DOUBLE_WITHIN(0, 20, joint_of(m, "a")->effort[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 7, joint_of(m, "b")->effort[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 4, joint_of(m, "c")->effort[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 15, joint_of(m, "d")->effort[0]);
  TEST_ASSERT_DOUBLE_WITHIN(0, 0, joint_of(m, "e")->effort[0]); /* nothing drives it */
  po_model_free(m);
}

/* ---- files that are wrong ---- */

static void test_errors_say_where_and_what(void) {
  static const char *const bad[][2] = {
      {"<robot/>", "not <mujoco>"},
      {"<mujoco><worldbody/></mujoco>", "no bodies"},
      {BOT("<body><joint type='screw'/></body>"), "must be hinge"},
      {BOT("<body><joint/><geom type='sphere'/></body>"), "sizes above 0"},
      {BOT("<body><joint/><geom type='egg'/></body>"), "unknown"},
      {BOT("<body><joint class='none'/></body>"), "not defined"},
      {BOT("<body pos='1 2'><joint/></body>"), "must be 3 numbers"},
      {BOT("<body quat='0 0 0 0'><joint/></body>"), "is zero"},
      {BOT("<body><joint/><body><freejoint/></body></body>"), "must be the only joint"},
      {BOT("<body><inertial pos='0 0 0'/><joint/></body>"), "has no mass"},
      {BOT("<body name='a'><joint/></body>"), "nothing hangs on it"},
      {BOT("<body name='a'><joint range='1 0'/>" BODY "</body>"), "is empty"},
      {BOT("<body name='a'>" BODY "<joint/></body><body name='a'>" BODY "<joint/></body>"), "already"},
      {"<mujoco><compiler eulerseq='abc'/><worldbody><body euler='1 2 3'><joint/></body></worldbody></mujoco>", "xyz"},
      {"<mujoco><worldbody><body>" BODY "<joint name='j'/></body></worldbody><actuator><motor joint='k'/></actuator></mujoco>", "no joint 'k'"},
      {BOT("<replicate count='1e9'><body/></replicate>"), "must be between"}};
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    TEST_ASSERT_NULL_MESSAGE(read_with(bad[i][0], NULL, 0), bad[i][1]);
    TEST_ASSERT_TRUE_MESSAGE(strstr(err.message, bad[i][1]) != NULL, err.message);
    TEST_ASSERT_EQUAL_STRING("dir/bot.xml", err.file);
    TEST_ASSERT_TRUE_MESSAGE(err.line == 1, err.message);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_joint_off_the_origin);
  RUN_TEST(test_joints_of_one_body_are_a_chain);
  RUN_TEST(test_what_floats);
  RUN_TEST(test_joint_numbers);
  RUN_TEST(test_defaults_go_from_the_nearest_class_outwards);
  RUN_TEST(test_frames_and_replicates);
  RUN_TEST(test_includes);
  RUN_TEST(test_geoms_weigh);
  RUN_TEST(test_what_collides);
  RUN_TEST(test_torque_limits);
  RUN_TEST(test_errors_say_where_and_what);
  return UNITY_END() != 0;
}
