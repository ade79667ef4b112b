/* Shapes of URDF files: meshes, what stands in where there are none, hulls that are written and read back; and bodies that are mended. */
#include "contact/contact.h"
#include "rbd/mesh.h"
#include "unity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

#define MASS "<inertial><mass value='3'/><inertia ixx='0.05' iyy='0.04' izz='0.03' ixy='0' ixz='0' iyz='0'/></inertial>"
#define MESH(file) "<geometry><mesh filename='" file "' scale='0.001 0.001 -0.001'/></geometry>"
#define ONE(parts) "<robot name='r'><link name='a'>" MASS parts "</link></robot>"

static po_error err;
static po_warnings list;
static char asked[4096];

/* A wedge in millimetres, wherever a path ends in wedge.obj. */
static po_status disk(void *user, char **data, size_t *size, const char *path, size_t max_bytes, po_error *e) {
  static const char text[] = "v 0 0 0\nv 100 0 0\nv 0 200 0\nv 0 0 300\n";
  size_t n = strlen(path);
  (void)user;
  (void)max_bytes;
  if (strlen(asked) + n + 2 < sizeof asked) strcat(strcat(asked, path), "\n");
  if (n < 9 || strcmp(path + n - 9, "wedge.obj") != 0) {
    if (n < 8 || strcmp(path + n - 8, "lies.obj") != 0) return po_fail(e, PO_ERR_FILE, "no");
    *data = (char *)po_alloc(16);
    memcpy(*data, "v 1 2\n", 7);
    *size = 6;
    return PO_OK;
  }
  *data = (char *)po_alloc(sizeof text);
  memcpy(*data, text, sizeof text);
  *size = sizeof text - 1;
  return PO_OK;
}

static const po_model *read_it(const char *text, int strict) {
  const po_model *m = NULL;
  po_urdf_opts o = po_urdf_opts_default();
  po_paths paths;
  memset(&paths, 0, sizeof paths);
  memset(&err, 0, sizeof err);
  paths.model = "/w/robot/urdf/r.urdf";
  paths.read = disk;
  o.paths = &paths;
  o.warnings = &list;
  o.strict = strict;
  asked[0] = 0;
  po_urdf_read(&m, text, strlen(text), "r.urdf", &o, &err);
  return m;
}

static void test_a_mesh(void) {
  const po_model *m = read_it(ONE("<visual><geometry><sphere radius='9'/></geometry></visual><collision><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>" MESH(
                                  "package://robot/meshes/wedge.obj") "</collision>"),
                              0);
  double far = 0;
  int i;
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(0, list.count);
  TEST_ASSERT_EQUAL_INT(1, m->shapes);
  TEST_ASSERT_EQUAL_INT(PO_HULL, m->shape[0].type);
  TEST_ASSERT_EQUAL_INT(4, m->shape[0].hull->vertices);
  TEST_ASSERT_EQUAL_INT(4, m->shape[0].hull->faces);
  /* turned by a quarter, z mirrored: −0.2 < x − 1 < 0, 0 < y < 0.1, −0.3 < z < 0 */
  for (i = 0; i < 4; i++) {
    po_vec3 v = po_v3_add(m->shape[0].pose.p, po_m3_mul_v(m->shape[0].pose.R, m->shape[0].hull->vertex[i]));
    TEST_ASSERT_TRUE(v.x > 0.8 - 1e-12 && v.x < 1 + 1e-12 && v.y > -1e-12 && v.y < 0.1 + 1e-12 && v.z > -0.3 - 1e-12 && v.z < 1e-12);
    far = po_max(far, -v.z);
  }
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, far);
  po_model_free(m);
}

static void test_visuals_where_there_is_no_collision(void) {
  const po_model *m = read_it(ONE("<visual>" MESH("wedge.obj") "</visual><visual><geometry><sphere radius='0.5'/></geometry></visual>"), 1);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(2, m->shapes);
  TEST_ASSERT_EQUAL_INT(PO_HULL, m->shape[0].type);
  po_model_free(m);
}

/* The box that has the link's mass and inertia: h² = 3 P/m with P = ½ tr I − I. */
static void test_a_mesh_that_is_not_there(void) {
  const po_model *m = read_it(ONE("<collision>" MESH("gone.stl") "</collision>"), 0);
  po_inertia x;
  int i;
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(1, list.count);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(list.list[0].message, "link 'a': mesh 'gone.stl' was not found; a box"), list.list[0].message);
  TEST_ASSERT_EQUAL_INT(1, m->shapes);
  TEST_ASSERT_EQUAL_INT(PO_BOX, m->shape[0].type);
  x = po_inertia_box(3, 2 * m->shape[0].size[0], 2 * m->shape[0].size[1], 2 * m->shape[0].size[2]);
  for (i = 0; i < 9; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-15, m->inertia[0].I.m[i], x.I.m[i]);
  po_model_free(m);
  TEST_ASSERT_NULL(read_it(ONE("<collision>" MESH("gone.stl") "</collision>"), 1));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, err.status);
  /* one of two: the other does */
  m = read_it(ONE("<collision>" MESH("gone.stl") "</collision><collision><geometry><sphere radius='0.5'/></geometry></collision>"), 0);
  TEST_ASSERT_EQUAL_INT(1, m->shapes);
  TEST_ASSERT_EQUAL_INT(1, list.count);
  po_model_free(m);
  /* one that is broken: which file, and why */
  m = read_it(ONE("<collision>" MESH("lies.obj") "</collision>"), 0);
  TEST_ASSERT_NOT_NULL(m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(list.list[0].message, "lies.obj: a vertex needs three numbers"), list.list[0].message);
  po_model_free(m);
  /* something that is no mesh is not even looked for */
  m = read_it(ONE("<collision>" MESH("/etc/passwd") "</collision>"), 0);
  TEST_ASSERT_NOT_NULL(m);
  TEST_ASSERT_EQUAL_STRING("", asked);
  po_model_free(m);
}

/* Cylinders, meshes, spheres: the written text reads back to the same model, to the bit. */
static void test_written_and_read(void) {
  const po_model *m = read_it(ONE("<collision><origin xyz='0.1 0.2 0.3'/><geometry><cylinder radius='0.1' length='0.33'/></geometry></collision>"
                                  "<collision><origin xyz='0.1 0.2 0.3'/>" MESH("wedge.obj") "</collision>"),
                              0),
                 *back;
  po_buffer text = {0}, again = {0};
  int i;
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  TEST_ASSERT_EQUAL_INT(48, m->shape[0].hull->vertices);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_urdf_write(&text, m));
  back = read_it(text.data, 1);
  TEST_ASSERT_NOT_NULL_MESSAGE(back, err.message);
  for (i = 0; i < 2; i++) {
    const po_hull *g = m->shape[i].hull, *h = back->shape[i].hull;
    TEST_ASSERT_EQUAL_INT(g->vertices, h->vertices);
    TEST_ASSERT_EQUAL_INT(0, memcmp(g->vertex, h->vertex, sizeof *g->vertex * (size_t)g->vertices));
    TEST_ASSERT_EQUAL_INT(0, memcmp(g->loop, h->loop, sizeof *g->loop * (size_t)g->loops));
    TEST_ASSERT_EQUAL_INT(0, memcmp(g->face, h->face, sizeof *g->face * (size_t)g->faces));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_urdf_write(&again, back));
  TEST_ASSERT_EQUAL_STRING(text.data, again.data);
  po_buffer_free(&text);
  po_buffer_free(&again);
  po_model_free(back);
  po_model_free(m);
}

/* The hash sees a hull's corners, and a limb's scale moves them. */
static void test_hash_and_scale(void) {
  static const char *const human = "<robot name='r'><link name='pelvis'>" MASS "</link><link name='thigh_l'>" MASS
                                   "<collision><geometry><cylinder radius='0.1' length='%s'/></geometry></collision></link>"
                                   "<joint name='j' type='continuous'><parent link='pelvis'/><child link='thigh_l'/></joint></robot>";
  char text[1024];
  const po_model *m, *other, *scaled = NULL;
  int i;
  po_format(text, sizeof text, human, "0.3");
  m = read_it(text, 0);
  po_format(text, sizeof text, human, "0.4");
  other = read_it(text, 0);
  TEST_ASSERT_TRUE(po_model_hash(m) != po_model_hash(other));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_model_scale_limb(&scaled, m, "thigh_l", 2, &err));
  TEST_ASSERT_EQUAL_INT(PO_HULL, scaled->shape[0].type);
  for (i = 0; i < 48; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, po_v3_norm(po_v3_sub(scaled->shape[0].hull->vertex[i], po_v3_scale(2, m->shape[0].hull->vertex[i]))));
  for (i = 0; i < scaled->shape[0].hull->faces; i++) TEST_ASSERT_EQUAL_DOUBLE(2 * m->shape[0].hull->face[i].offset, scaled->shape[0].hull->face[i].offset);
  po_model_free(scaled);
  po_model_free(other);
  po_model_free(m);
}

/* ---- bodies that are mended ---------------------------------------------------------------------------------------------------------- */

#define BODY(mass, x, y, z, xy) \
  "<robot name='r'><link name='a'>" MASS "</link>\n<link name='tip'><inertial><mass value='" mass "'/><inertia ixx='" x "' iyy='" y "' izz='" z "' ixy='" xy \
  "' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent link='a'/><child link='tip'/></joint></robot>"

static void test_mended(void) {
  static const struct {
    const char *text, *says;
    double least; /* moment about every axis, at least */
  } bad[] = {{BODY("0", "0", "0", "0", "0"), "link 'tip': nothing hangs on it and it has no mass: it is given 0.001 kg", 1e-7},
             {BODY("2", "0", "0", "0", "0"), "link 'tip': it has no inertia about its joint's axis", 2e-6},
             {BODY("2", "-5e-20", "1e-19", "1e-19", "0"), "link 'tip': no body has its inertia", 2e-10},
             {BODY("2", "-0.1", "0.2", "0.3", "0"), "link 'tip': no body has its inertia", 0},
             {BODY("2", "0.1", "0.1", "0.1", "0.5"), "link 'tip': no body has its inertia", 0}};
  size_t i;
  int k;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    const po_model *m = read_it(bad[i].text, 0);
    po_data *d = NULL;
    double q[8], v[7] = {0}, tau[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, qdd[7], back[7];
    int said = 0;
    TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
    for (k = 0; k < list.count; k++) said |= strstr(list.list[k].message, bad[i].says) != NULL && list.list[k].line == 2;
    TEST_ASSERT_TRUE_MESSAGE(said, list.count ? list.list[list.count - 1].message : "no warning");
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
    po_neutral(q, m);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(qdd, d, q, v, tau, NULL));
    po_rnea(back, d, q, v, qdd, NULL);
    for (k = 0; k < 7; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, tau[k], back[k]);
    for (k = 0; k < 3; k++) TEST_ASSERT_TRUE(m->inertia[1].I.m[4 * k] >= bad[i].least * (1 - 1e-12));
    /* what it has now, some body has: principal moments obey the triangle */
    {
      const double *I = m->inertia[1].I.m;
      po_vec3 u = po_v3_unit(po_v3(1, -1, 0));
      po_mat3 A = m->inertia[1].I;
      double about = po_v3_dot(u, po_m3_mul_v(A, u)), trace = I[0] + I[4] + I[8];
      TEST_ASSERT_TRUE(about >= 0 && about <= 0.5 * trace * (1 + 1e-3) + 1e-18);
    }
    po_data_free(d);
    po_model_free(m);
    TEST_ASSERT_NULL(read_it(bad[i].text, 1));
    TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, err.status);
  }
}

static void test_xacro(void) {
  TEST_ASSERT_NULL(read_it("<robot name='r' xmlns:xacro='x'>\n<xacro:property name='a' value='1'/></robot>", 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, err.status);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "run `xacro r.urdf > robot.urdf`"), err.message);
  TEST_ASSERT_EQUAL_INT(2, err.line);
  TEST_ASSERT_NULL(read_it("<robot name='r'>\n<link name='a'>" MASS "<collision><origin xyz='$(optenv X 0 0 1)'/><geometry><sphere radius='1'/></geometry></collision></link></robot>", 0));
  TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, err.status);
}

/* As published: blank lines before the declaration, a zero byte at the end. */
static void test_before_and_behind(void) {
  static const char text[] = "\n\n<?xml version='1.0'?>\n<robot name='r'><link name='a'>" MASS "</link></robot>\n\0\n";
  const po_model *m = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_urdf_read(&m, text, sizeof text - 1, "r.urdf", NULL, &err), err.message);
  po_model_free(m);
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_urdf_read(&m, "\n \n<robot>\n<link name='a'>", 26, "r.urdf", NULL, &err));
  TEST_ASSERT_EQUAL_INT(4, err.line);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_urdf_read(&m, "\n \n<robot>\n<link/></robot>", 27, "r.urdf", NULL, &err));
  TEST_ASSERT_EQUAL_INT(4, err.line);
}

/* A fixed base's own shapes meet nothing, and the world steps. */
static void test_shapes_of_a_fixed_base(void) {
  static const char text[] = "<robot name='r'><link name='a'>" MASS "<collision><geometry><cylinder radius='0.1' length='0.3'/></geometry></collision></link>"
                             "<link name='b'>" MASS "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
                             "<joint name='j' type='continuous'><origin xyz='0 0 1'/><parent link='a'/><child link='b'/></joint></robot>";
  const po_model *m = NULL;
  po_urdf_opts o = po_urdf_opts_default();
  po_world_opts wo = po_world_opts_default();
  po_world *w = NULL;
  int k;
  o.fixed_base = 1;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_urdf_read(&m, text, strlen(text), "r", &o, &err));
  TEST_ASSERT_EQUAL_INT(-1, m->shape[0].body);
  wo.terrain = po_terrain_flat();
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, &wo));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, m));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_set_self_collision(w, 0, 1));
  for (k = 0; k < 20; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 0.005));
  po_world_contacts(&k, w);
  TEST_ASSERT_EQUAL_INT(0, k);
  po_world_free(w);
  po_model_free(m);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_mesh);
  RUN_TEST(test_visuals_where_there_is_no_collision);
  RUN_TEST(test_a_mesh_that_is_not_there);
  RUN_TEST(test_written_and_read);
  RUN_TEST(test_hash_and_scale);
  RUN_TEST(test_mended);
  RUN_TEST(test_xacro);
  RUN_TEST(test_before_and_behind);
  RUN_TEST(test_shapes_of_a_fixed_base);
  return UNITY_END() != 0;
}
