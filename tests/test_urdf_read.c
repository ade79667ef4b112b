/* Reading URDF: what is understood, what is warned about, and that bad files end in a message with line and name. */
#include "rbd_helpers.h"
#include <stdio.h>

void setUp(void) {}
void tearDown(void) {}

#define BOX "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" BOX "</link>"
#define ENDS(parent, child) "<parent link='" parent "'/><child link='" child "'/>"
#define JOINT(name, type, parent, child) "<joint name='" name "' type='" type "'>" ENDS(parent, child) "</joint>"

static po_error err;
static int warnings;
static char warned[4096];

static const po_model *read_text(const char *text, int fixed) {
  static po_warnings list;
  const po_model *model = NULL;
  po_urdf_opts o = po_urdf_opts_default();
  int i;
  o.fixed_base = fixed;
  o.warnings = &list;
  warned[0] = 0;
  memset(&err, 0, sizeof err);
  list.count = 77; /* each reading begins anew */
  po_urdf_read(&model, text, strlen(text), "bot.urdf", &o, &err);
  warnings = list.count;
  for (i = 0; i < warnings && i < PO_WARNINGS_MAX; i++) {
    TEST_ASSERT_TRUE(list.list[i].line > 0);
    TEST_ASSERT_EQUAL_STRING("bot.urdf", list.list[i].file);
    po_format(warned + strlen(warned), sizeof warned - strlen(warned), "%s\n", list.list[i].message);
  }
  return model;
}

/* ---- good files ---- */

static void test_every_joint_type(void) {
  static const char text[] = "<robot name='all'>" LINK("base") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") LINK("f")
      LINK("g") "<joint name='ja' type='revolute'>" ENDS(
          "base",
          "a") "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='3' "
               "velocity='4'/><dynamics damping='0.5' armature='0.25'/></joint>"
               "<joint name='jb' type='continuous'>" ENDS(
                   "a", "b") "<axis xyz='0 1 0'/><limit effort='30' velocity='40'/></joint>"
                             "<joint name='jc' type='prismatic'>" ENDS(
                                 "b",
                                 "c") "<limit lower='0' upper='1e30' effort='3' velocity='4'/></joint>"
                                      "<joint name='jd' type='planar'>" ENDS(
                                          "base",
                                          "d") "<axis xyz='0 0 1'/></joint>"
                                               "<joint name='je' type='floating'>" ENDS(
                                                   "base",
                                                   "e") "</joint>"
                                                        "<joint name='jf' type='spherical'>" ENDS(
                                                            "e",
                                                            "f") "<limit lower='-1 -2 -3' upper='1 2 3' effort='4 5 6' velocity='7 "
                                                                 "8 9'/></joint>"
                                                                 "<joint name='jg' type='universal'>" ENDS(
                                                                     "f",
                                                                     "g") "<axis xyz='1 0 0'/><axis2 xyz='0 0 1'/><limit lower='-1 "
                                                                          "-2' upper='1 2' effort='4 5' velocity='7 8'/></joint>"
                                                                          "</robot>";
  const po_model *m = read_text(text, 0);
  const po_joint *j;
  po_mat3 R;
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(8, m->nb);
  TEST_ASSERT_EQUAL_INT(6 + 1 + 1 + 1 + 3 + 6 + 3 + 2, m->nv);
  TEST_ASSERT_EQUAL_INT(7 + 1 + 1 + 1 + 3 + 7 + 4 + 2, m->nq);
  j = &m->joint[po_find_joint(m, "ja")];
  TEST_ASSERT_EQUAL_DOUBLE(1, j->axis.z);
  TEST_ASSERT_EQUAL_DOUBLE(2, j->upper[0]);
  TEST_ASSERT_EQUAL_DOUBLE(4, j->velocity[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, j->damping[0]);
  TEST_ASSERT_EQUAL_DOUBLE(0.25, j->armature[0]);
  R = po_m3_rpy(0.1, 0.2, 0.3);
  rbd_close(j->placement.R.m, R.m, 9, 1e-15, "rpy", 0);
  j = &m->joint[po_find_joint(m, "jb")];
  TEST_ASSERT_TRUE(j->lower[0] == -PO_INF && j->upper[0] == PO_INF && j->effort[0] == 30);
  j = &m->joint[po_find_joint(m, "jc")];
  TEST_ASSERT_TRUE(j->lower[0] == 0 && j->upper[0] == PO_INF && j->axis.x == 1);
  j = &m->joint[po_find_joint(m, "jf")];
  TEST_ASSERT_TRUE(j->lower[2] == -3 && j->upper[1] == 2 && j->effort[0] == 4 && j->velocity[2] == 9);
  j = &m->joint[po_find_joint(m, "jg")];
  TEST_ASSERT_TRUE(j->lower[1] == -2 && j->axis2.z == 1 && j->effort[1] == 5);
  TEST_ASSERT_EQUAL_INT(PO_JOINT_FLOATING, m->joint[0].type);
  po_model_free(m);
}

static void test_order_in_the_file_does_not_matter(void) {
  const po_model *m = read_text("<robot name='r'>" JOINT("j2", "continuous", "b", "c") LINK("c") JOINT("j1", "continuous", "a", "b")
                                    LINK("b") LINK("a") "</robot>",
                                0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_STRING("a", m->body_name[0]);
  TEST_ASSERT_EQUAL_STRING("b", m->body_name[1]);
  TEST_ASSERT_EQUAL_STRING("c", m->body_name[2]);
  po_model_free(m);
}

/* Fixed joints: masses merge, frames stay, and what hangs on them keeps its place. */
static void test_fixed_joints_merge(void) {
  const po_model *m =
      read_text("<robot name='r'>" LINK("a") LINK("f") LINK("b") "<joint name='jf' type='fixed'>" ENDS(
                    "a", "f") "<origin xyz='2 0 0' rpy='0 0 1.5707963267948966'/></joint>"
                              "<joint name='jb' type='continuous'>" ENDS("f", "b") "<origin xyz='1 0 0'/></joint></robot>",
                0);
  int f;
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(2, m->nb);
  TEST_ASSERT_EQUAL_DOUBLE(2, m->inertia[0].mass);
  TEST_ASSERT_EQUAL_DOUBLE(1, m->inertia[0].com.x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2 + 2, m->inertia[0].I.m[4]); /* two unit moments and two masses 1 m away */
  f = po_find_frame(m, "f");
  TEST_ASSERT_EQUAL_INT(0, m->frame[f].body);
  TEST_ASSERT_EQUAL_DOUBLE(2, m->frame[f].pose.p.x);
  rbd_close_v3(m->joint[1].placement.p, po_v3(2, 1, 0), 1, 1e-15, "b hangs on f", 0);
  TEST_ASSERT_EQUAL_INT(-1, po_find_body(m, "f"));
  po_model_free(m);
}

static void test_fixed_base(void) {
  const po_model *m = read_text("<robot name='r'>" LINK("a") LINK("b") LINK("c") JOINT("jb", "continuous", "a", "b")
                                    JOINT("jc", "continuous", "a", "c") "</robot>",
                                1);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(2, m->nv);
  TEST_ASSERT_EQUAL_DOUBLE(2, m->total_mass); /* moving bodies only */
  TEST_ASSERT_EQUAL_INT(-1, m->frame[po_find_frame(m, "a")].body);
  TEST_ASSERT_EQUAL_INT(-1, m->joint[1].parent);
  po_model_free(m);
  m = read_text("<robot name='r'><link name='world'/>" LINK("b") JOINT("jb", "continuous", "world", "b") "</robot>", 0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message); /* a massless root called world is the world */
  TEST_ASSERT_EQUAL_INT(1, m->nv);
  po_model_free(m);
}

static void test_shapes_and_inertial_origin(void) {
  const po_model *m = read_text("<robot name='r'><link name='a'><inertial><origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><mass "
                                "value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial>"
                                "<collision><origin xyz='1 0 0'/><geometry><box size='2 4 6'/></geometry></collision>"
                                "<collision><geometry><sphere radius='0.5'/></geometry></collision>"
                                "<collision><geometry><capsule radius='0.5' length='3'/></geometry></collision>"
                                "<collision><geometry><cylinder radius='0.5' length='3'/></geometry></collision>"
                                "<collision><geometry><cylinder radius='0.5' length='0.2'/></geometry></collision>"
                                "<collision><geometry><mesh filename='package://x/y.stl'/></geometry></collision>"
                                "<visual><geometry><sphere radius='1'/></geometry></visual></link></robot>",
                                0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_DOUBLE(1, m->inertia[0].com.z);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2, m->inertia[0].I.m[0]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, m->inertia[0].I.m[4]);
  TEST_ASSERT_EQUAL_INT(5, m->shapes);
  TEST_ASSERT_TRUE(m->shape[0].type == PO_BOX && m->shape[0].size[2] == 3 && m->shape[0].pose.p.x == 1);
  TEST_ASSERT_TRUE(m->shape[1].type == PO_SPHERE && m->shape[1].size[0] == 0.5);
  TEST_ASSERT_TRUE(m->shape[2].type == PO_CAPSULE && m->shape[2].size[1] == 1.5);
  TEST_ASSERT_TRUE(m->shape[3].type == PO_HULL && m->shape[3].size[2] == 1.5);
  TEST_ASSERT_TRUE(m->shape[4].type == PO_HULL && m->shape[4].size[2] == 0.1);
  TEST_ASSERT_NOT_NULL(strstr(warned, "package://x/y.stl"));
  po_model_free(m);
}

static void test_what_is_not_used_is_warned_about(void) {
  const po_model *m =
      read_text("<robot name='r'>" LINK("a")
                    LINK("b") "<gazebo/><transmission name='t'/><material name='m'/>"
                              "<joint name='j' type='revolute'>" ENDS(
                                  "a", "b") "<limit effort='1' velocity='1'/><mimic joint='x'/><frobnicate/></joint></robot>",
                0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_NOT_NULL(strstr(warned, "<gazebo>"));
  TEST_ASSERT_NOT_NULL(strstr(warned, "<transmission>"));
  TEST_ASSERT_NOT_NULL(strstr(warned, "mimics"));
  TEST_ASSERT_NOT_NULL(strstr(warned, "<frobnicate>"));
  TEST_ASSERT_NOT_NULL(strstr(warned, "lower"));
  TEST_ASSERT_NULL(strstr(warned, "material"));
  po_model_free(m);
}

/* ---- bad files ---- */

typedef struct bad_file {
  const char *text, *says; /* what the message must contain: the name of the culprit */
  int line;                /* where; 0: any */
  po_status status;
} bad_file;

#define ROBOT(body) "<robot name='r'>\n" body "\n</robot>"
#define AB LINK("a") LINK("b") "\n"
#define INERTIA(m, xx, yy, zz)                                                                                                     \
  "<link name='heavy'><inertial><mass value='" m "'/><inertia ixx='" xx "' iyy='" yy "' izz='" zz                                  \
  "' ixy='0' ixz='0' iyz='0'/></inertial></link>"

static const bad_file bad[] = {
    {"", "", 0, PO_ERR_PARSE},
    {"<robot name='r'><link name='a'>", "", 0, PO_ERR_PARSE},
    {"<sdf/>", "sdf", 1, PO_ERR_PARSE},
    {"<robot name='r'/>", "no links", 1, PO_ERR_MODEL},
    {ROBOT(AB), "'b'", 2, PO_ERR_MODEL}, /* two roots */
    {ROBOT(LINK("a") LINK("a")), "'a'", 2, PO_ERR_NAME},
    {ROBOT("<link/>"), "no name", 2, PO_ERR_NAME},
    {ROBOT(LINK("a") "<joint type='fixed'/>"), "no name", 2, PO_ERR_NAME},
    {ROBOT(AB JOINT("j", "fixed", "a", "b") "\n" JOINT("j", "fixed", "a", "b")), "'j'", 4, PO_ERR_NAME},
    {ROBOT(AB JOINT("j", "fixed", "ghost", "b")), "'ghost'", 3, PO_ERR_NAME},
    {ROBOT(AB JOINT("j", "fixed", "a", "ghost")), "'ghost'", 3, PO_ERR_NAME},
    {ROBOT(AB "<joint name='j' type='fixed'><child link='b'/></joint>"), "'j'", 3, PO_ERR_NAME},
    {ROBOT(AB "<joint name='j' type='fixed'><parent link='a'/></joint>"), "'j'", 3, PO_ERR_NAME},
    {ROBOT(AB JOINT("j", "fixed", "a", "a")), "itself", 3, PO_ERR_MODEL},
    {ROBOT(AB JOINT("j", "fixed", "a", "b") "\n" JOINT("k", "fixed", "b", "a")), "cycle", 0, PO_ERR_MODEL},
    {ROBOT(AB LINK("c") "\n" JOINT("j", "fixed", "b", "c") "\n" JOINT("k", "fixed", "c", "b")), "cycle", 0, PO_ERR_MODEL},
    {ROBOT(AB LINK("c") "\n" JOINT("j", "fixed", "a", "c") JOINT("k", "fixed", "b", "c")), "two parents", 4, PO_ERR_MODEL},
    {ROBOT(AB JOINT("j", "hinge", "a", "b")), "'hinge'", 3, PO_ERR_PARSE},
    {ROBOT(AB "<joint name='j'>" ENDS("a", "b") "</joint>"), "'j'", 3, PO_ERR_PARSE},
    {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<axis xyz='0 0 0'/></joint>"), "'j'", 3, PO_ERR_MODEL},
    {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<axis xyz='0 1'/></joint>"), "'j'", 3, PO_ERR_PARSE},
    {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<axis xyz='0 1 x'/></joint>"), "'j'", 3, PO_ERR_PARSE},
    {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<axis xyz='0 nan 1'/></joint>"), "'j'", 3, PO_ERR_NOT_FINITE},
    {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<origin xyz='inf 0 0'/></joint>"), "'j'", 3, PO_ERR_NOT_FINITE},
    {ROBOT(AB "<joint name='j' type='universal'>" ENDS("a", "b") "<axis xyz='0 1 0'/><axis2 xyz='0 -2 0'/></joint>"), "parallel", 3,
     PO_ERR_MODEL},
    {ROBOT(AB "<joint name='j' type='revolute'>" ENDS("a", "b") "<limit lower='nan' upper='1' effort='1' velocity='1'/></joint>"),
     "'j'", 3, PO_ERR_NOT_FINITE},
    {ROBOT(AB "<joint name='j' type='revolute'>" ENDS("a", "b") "<limit lower='0' upper='1' effort='-1' velocity='1'/></joint>"),
     "'j'", 3, PO_ERR_RANGE},
    {ROBOT(AB "<joint name='j' type='spherical'>" ENDS("a", "b") "<limit lower='-4 -1 -1' upper='1 1 1'/></joint>"), "'j'", 3,
     PO_ERR_RANGE},
    {ROBOT(LINK("a") "\n" INERTIA("-1", "1", "1", "1") JOINT("j", "continuous", "a", "heavy")), "'heavy'", 3, PO_ERR_MODEL},
    {ROBOT(LINK("a") "\n" INERTIA("nan", "1", "1", "1") JOINT("j", "continuous", "a", "heavy")), "'heavy'", 3, PO_ERR_NOT_FINITE},
    {ROBOT(LINK("a") "\n" INERTIA("1", "1", "1e400", "1") JOINT("j", "continuous", "a", "heavy")), "'heavy'", 3, PO_ERR_NOT_FINITE},
    {ROBOT("<link name='a'><inertial><inertia ixx='1'/></inertial></link>"), "'a'", 2, PO_ERR_PARSE},
    {ROBOT("<link name='a'>" BOX "<collision><geometry><box size='1 2'/></geometry></collision></link>"), "'a'", 2, PO_ERR_PARSE},
    {ROBOT("<link name='a'>" BOX "<collision><geometry><sphere radius='nan'/></geometry></collision></link>"), "'a'", 2,
     PO_ERR_NOT_FINITE},
};

static void test_bad_files_end_in_a_message(void) {
  size_t i;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    char note[700];
    const po_model *m = read_text(bad[i].text, 0);
    po_format(note, sizeof note, "case %d: %s:%d: %s (%s)", (int)i, err.file, err.line, err.message, po_status_string(err.status));
    TEST_ASSERT_NULL_MESSAGE(m, note);
    TEST_ASSERT_EQUAL_INT_MESSAGE(bad[i].status, err.status, note);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, bad[i].says), note);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("bot.urdf", err.file, note);
    TEST_ASSERT_TRUE_MESSAGE(err.line > 0 && (bad[i].line == 0 || err.line == bad[i].line), note);
  }
}

/* As published: the triangle inequality broken by a lot (Romeo's shoulder). Read, warned about, usable; a hand-built one is still refused. */
static void test_inertias_that_no_body_has_are_read_with_a_warning(void) {
  const po_model *m = read_text(ROBOT(LINK("a") "\n" INERTIA("1", "1", "1", "5") JOINT("j", "continuous", "a", "heavy")), 0), *scaled = NULL;
  static double q[16], v[16], tau[16], qdd[16], back[16];
  po_data *data;
  po_builder *b;
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  po_inertia x = po_inertia_box(1, 1, 1, 1);
  int i;
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(1, warnings);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warned, "'heavy': no body has the inertia ixx 1, iyy 1, izz 5"), warned);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&data, m));
  po_neutral(q, m);
  for (i = 0; i < m->nv; i++) v[i] = 0.1 * i, tau[i] = 1 - 0.3 * i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, data, q, v, tau, NULL));
  po_rnea(back, data, q, v, qdd, NULL);
  rbd_close(back, tau, m->nv, 1e-12, "forward and back", 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_model_scale_limb(&scaled, m, "heavy", 2, &err));
  po_model_free(scaled);
  po_data_free(data);
  po_model_free(m);
  x.I = po_m3_diag(1, 1, 5);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_new(&b, "by hand"));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_builder_link(b, "heavy", NULL, &root, &x, NULL));
  m = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_builder_finish(&m, b, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "triangle"));
  po_builder_free(b);
}

/* What else is taken as it stands: each loads, each says so with its name, and each is refused by a strict reading with file and line. */
static void test_what_is_taken_as_it_stands_is_warned_about(void) {
  static const char *const texts[][2] = {
      {ROBOT(AB JOINT("j", "revolute", "a", "b")), "joint 'j' has no <limit>"},
      {ROBOT(AB "<joint name='j' type='revolute'>" ENDS("a", "b") "<limit lower='0' effort='1' velocity='1'/></joint>"), "joint 'j' has no upper limit"},
      {ROBOT(AB "<joint name='j' type='prismatic'>" ENDS("a", "b") "<limit lower='0' upper='1' velocity='1'/></joint>"), "joint 'j' has no effort limit"},
      {ROBOT(AB "<joint name='j' type='revolute'>" ENDS("a", "b") "<limit lower='1' upper='-1' effort='1' velocity='1'/></joint>"), "lower limit 1 is above upper limit -1; it is left unlimited"},
      {ROBOT(AB "<joint name='j' type='spherical'>" ENDS("a", "b") "<limit lower='-1'/></joint>"), "one lower limit for three freedoms"},
      {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<axis xyz='0, 1, 0'/></joint>"), "is separated by commas"},
      {ROBOT(AB "<joint name='j' type='continuous'>" ENDS("a", "b") "<origin rpy='0 1 0 0'/></joint>"), "has 4 numbers: the first 3 are taken"},
      {ROBOT("\n<link name='a'>" BOX "<sensor/></link>"), "link 'a': <sensor> is not used"},
      {ROBOT(AB "<joint name='j' type='fixed'>" ENDS("a", "b") "<spring/></joint>"), "joint 'j': <spring> is not used"},
      {ROBOT(LINK("a") "\n<gazebo/>"), "<gazebo> is not used"},
      {ROBOT("\n<link name='a'>" BOX "<collision><geometry><mesh filename='x.stl'/></geometry></collision></link>"), "mesh 'x.stl' was not found; a box of its inertia"},
      {ROBOT("\n<link name='a'>" BOX "<collision><geometry><sphere radius='-1'/></geometry></collision></link>"), "link 'a': a <sphere> with a size of -1 is left out"},
      {ROBOT(LINK("a") "\n<link name='tip'/>" JOINT("j", "continuous", "a", "tip")), "link 'tip': nothing hangs on it and it has no mass"}};
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; i++) {
    const po_model *m = read_text(texts[i][0], 0);
    po_urdf_opts o = po_urdf_opts_default();
    TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, warnings, warned);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(warned, texts[i][1]), warned);
    po_model_free(m);
    m = NULL;
    o.strict = 1;
    TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_urdf_read(&m, texts[i][0], strlen(texts[i][0]), "bot.urdf", &o, &err));
    TEST_ASSERT_NULL(m);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, texts[i][1]), err.message);
    TEST_ASSERT_TRUE(err.line >= 2);
  }
}

/* A list has an end; the count goes on. */
static void test_more_warnings_than_the_list_holds_are_counted(void) {
  po_buffer text = {0};
  const po_model *m;
  int i;
  po_buffer_puts(&text, "<robot name='r'>" LINK("a"));
  for (i = 0; i < 10; i++) po_buffer_puts(&text, "<gazebo/>"); /* one of a kind */
  po_buffer_puts(&text, "<link name='b'>");
  for (i = 0; i < 999; i++) po_buffer_puts(&text, "<collision/>");
  po_buffer_puts(&text, "</link>" JOINT("j", "fixed", "a", "b") "</robot>");
  m = read_text(text.data, 0);
  TEST_ASSERT_NOT_NULL(m);
  TEST_ASSERT_EQUAL_INT(1000, warnings);
  po_model_free(m);
  po_buffer_free(&text);
}

/* Neither recursion nor quadratic name checks: a chain of 10,000 links, and nesting that no file has. */
static void test_long_chains_and_deep_nesting(void) {
  po_buffer text = {0};
  const po_model *m;
  int i;
  po_buffer_puts(&text, "<robot name='chain'>");
  for (i = 0; i < 10000; i++) {
    po_buffer_printf(&text, "<link name='l%d'>" BOX "</link>", i);
    if (i)
      po_buffer_printf(&text,
                       "<joint name='j%d' type='%s'>"
                       "<parent link='l%d'/><child link='l%d'/></joint>",
                       i, i % 2 ? "fixed" : "continuous", i - 1, i);
  }
  po_buffer_puts(&text, "</robot>");
  m = read_text(text.data, 0);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(6 + 4999, m->nv);
  TEST_ASSERT_EQUAL_DOUBLE(10000, m->total_mass);
  po_model_free(m);
  text.size = 0;
  for (i = 0; i < 10000; i++) po_buffer_puts(&text, "<robot>");
  TEST_ASSERT_NULL(read_text(text.data, 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, err.status);
  text.size = 0;
  po_buffer_puts(&text, "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><robot name='&b;'>" LINK(
                            "a") "</robot>");
  m = read_text(text.data, 0);
  TEST_ASSERT_NULL(m); /* entities define nothing */
  po_buffer_free(&text);
}

/* Every allocation may fail, and then nothing is left behind. */
static int left, live;
static void *failing(void *user, void *block, size_t bytes) {
  void *p;
  (void)user;
  if (bytes == 0) {
    if (block) live--;
    free(block);
    return NULL;
  }
  if (left-- <= 0) return NULL;
  p = realloc(block, bytes);
  if (p && !block) live++;
  return p;
}

static void test_out_of_memory_anywhere(void) {
  static const char text[] = ROBOT(AB "<joint name='j' type='universal'>" ENDS("a", "b") "</joint>");
  int budget;
  po_status status = PO_ERR_MEMORY;
  po_set_allocator(failing, NULL);
  for (budget = 0; status != PO_OK && budget < 1000; budget++) {
    const po_model *m = NULL;
    left = budget;
    live = 0;
    status = po_urdf_read(&m, text, strlen(text), "f", NULL, &err);
    if (status == PO_OK) po_model_free(m);
    else if (status != PO_ERR_MEMORY || live != 0) break;
    if (live != 0) break;
  }
  po_set_allocator(NULL, NULL);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, status, err.message);
  TEST_ASSERT_EQUAL_INT(0, live);
  TEST_ASSERT_TRUE(budget > 5);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_joint_type);
  RUN_TEST(test_order_in_the_file_does_not_matter);
  RUN_TEST(test_fixed_joints_merge);
  RUN_TEST(test_fixed_base);
  RUN_TEST(test_shapes_and_inertial_origin);
  RUN_TEST(test_what_is_not_used_is_warned_about);
  RUN_TEST(test_inertias_that_no_body_has_are_read_with_a_warning);
  RUN_TEST(test_what_is_taken_as_it_stands_is_warned_about);
  RUN_TEST(test_more_warnings_than_the_list_holds_are_counted);
  RUN_TEST(test_bad_files_end_in_a_message);
  RUN_TEST(test_long_chains_and_deep_nesting);
  RUN_TEST(test_out_of_memory_anywhere);
  return UNITY_END() != 0;
}
