/* Meshes: the same solid by every format, files that lie, mass and inertia against closed forms, and where meshes are looked for. */
#include "rbd/mesh.h"
#include "unity.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* A box of half extents 0.1, 0.2, 0.3: corner k has the signs of k's bits. */
static const int box_triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static po_vec3 box_corner(int k) { return po_v3(k & 1 ? 0.1 : -0.1, k & 2 ? 0.2 : -0.2, k & 4 ? 0.3 : -0.3); }

static void put_word(po_buffer *b, uint32_t w) {
  char c[4];
  int i;
  for (i = 0; i < 4; i++) c[i] = (char)(w >> (8 * i) & 255);
  po_buffer_add(b, c, 4);
}

static void put_float(po_buffer *b, double x) {
  float f = (float)x;
  uint32_t w;
  memcpy(&w, &f, 4);
  put_word(b, w);
}

static void stl_binary(po_buffer *b, const char *comment) {
  char head[80] = {0};
  int i, k;
  memcpy(head, comment, strlen(comment));
  po_buffer_add(b, head, 80);
  put_word(b, 12);
  for (i = 0; i < 12; i++) {
    for (k = 0; k < 3; k++) put_float(b, 0);
    for (k = 0; k < 3; k++) {
      po_vec3 v = box_corner(box_triangle[i][k]);
      put_float(b, v.x), put_float(b, v.y), put_float(b, v.z);
    }
    po_buffer_add(b, "\0\0", 2);
  }
}

static void stl_ascii(po_buffer *b) {
  int i, k;
  po_buffer_puts(b, "solid box of\r\n");
  for (i = 0; i < 12; i++) {
    po_buffer_puts(b, " facet normal 0 0 0\n  outer loop\n");
    for (k = 0; k < 3; k++) {
      po_vec3 v = box_corner(box_triangle[i][k]);
      po_buffer_printf(b, "   vertex %g %g %g\n", v.x, v.y, v.z);
    }
    po_buffer_puts(b, "  endloop\n endfacet\n");
  }
  po_buffer_puts(b, "endsolid\n");
}

/* Quadrilaterals, some corners counted from the end, with textures and normals. */
static void obj_text(po_buffer *b) {
  int i;
  po_buffer_puts(b, "# a box\nmtllib none.mtl\no box\n");
  for (i = 0; i < 8; i++) {
    po_vec3 v = box_corner(i);
    po_buffer_printf(b, "v %g %g %g\nvn 0 0 1\nvt 0 0\n", v.x, v.y, v.z);
  }
  po_buffer_puts(b, "usemtl grey\ns off\nf 1 3 4 2\nf 5//1 6//1 8//1 7//1\nf 1/1 2/1 6/1 5/1\nf 3/1/1 7/1/1 8/1/1 4/1/1\nf -8 -4 -2 -6\nf 2 4 8 6\n");
}

static void dae_text(po_buffer *b, const char *up, double meter, const char *node) {
  int i;
  po_buffer_printf(b, "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><asset><unit meter=\"%g\"/><up_axis>%s</up_axis></asset>", meter, up);
  po_buffer_puts(b, "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"24\">");
  for (i = 0; i < 8; i++) {
    po_vec3 v = po_v3_scale(1 / meter, box_corner(i));
    if (strcmp(up, "Y_UP") == 0) v = po_v3(v.x, v.z, -v.y);
    po_buffer_printf(b, "%g %g %g\n", v.x, v.y, v.z);
  }
  po_buffer_puts(b, "</float_array><technique_common><accessor source=\"#a\" count=\"8\" stride=\"3\"/></technique_common></source>"
                    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
                    "<triangles count=\"2\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><input semantic=\"NORMAL\" source=\"#n\" offset=\"1\"/>"
                    "<p>0 0 2 0 1 0 1 0 2 0 3 0</p></triangles>"
                    "<polylist count=\"4\"><input semantic=\"NORMAL\" source=\"#n\" offset=\"0\"/><input semantic=\"VERTEX\" source=\"#v\" offset=\"1\"/>"
                    "<vcount>4 4 4 4</vcount><p>9 4 9 5 9 7 9 6  9 0 9 1 9 5 9 4  9 2 9 6 9 7 9 3  9 0 9 4 9 6 9 2</p></polylist>"
                    "<polygons count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>1 3 7 5</p></polygons>"
                    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\">");
  po_buffer_puts(b, node);
  po_buffer_puts(b, "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>");
}

static po_mesh *read_it(const po_buffer *b, const char *name) {
  po_mesh *m = NULL;
  po_error err;
  memset(&err, 0, sizeof err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_mesh_read(&m, b->data, b->size, name, &err), err.message);
  return m;
}

static void is_the_box(const po_mesh *m, po_vec3 centre, double size, double tolerance) {
  po_inertia x, box = po_inertia_box(1000 * 0.2 * 0.4 * 0.6, 0.2, 0.4, 0.6);
  po_mat3 I = po_m3_scale(size * size * size * size * size, box.I);
  int i;
  TEST_ASSERT_EQUAL_INT(8, m->vertices);
  TEST_ASSERT_EQUAL_INT(12, m->triangles);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mesh_inertia(&x, m, PO_MESH_EXACT, 1000, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(tolerance * 48, size * size * size * box.mass, x.mass);
  TEST_ASSERT_DOUBLE_WITHIN(tolerance, 0, po_v3_norm(po_v3_sub(x.com, centre)));
  for (i = 0; i < 9; i++) TEST_ASSERT_DOUBLE_WITHIN(tolerance * 10, I.m[i], x.I.m[i]);
}

#define SHOWN "<node id=\"n\"><instance_geometry url=\"#g\"/></node>"

static void test_every_format(void) {
  po_buffer b = {0};
  po_mesh *m;
  stl_binary(&b, "made by hand");
  is_the_box(m = read_it(&b, "box.STL"), po_v3(0, 0, 0), 1, 1e-7); /* floats */
  po_mesh_free(m);
  b.size = 0, stl_binary(&b, "solid, it says");
  is_the_box(m = read_it(&b, "box.stl"), po_v3(0, 0, 0), 1, 1e-7);
  po_mesh_free(m);
  b.size = 0, stl_ascii(&b);
  is_the_box(m = read_it(&b, "a/box.stl"), po_v3(0, 0, 0), 1, 1e-14);
  po_mesh_free(m);
  b.size = 0, obj_text(&b);
  is_the_box(m = read_it(&b, "box.obj"), po_v3(0, 0, 0), 1, 1e-14);
  po_mesh_free(m);
  b.size = 0, dae_text(&b, "Z_UP", 1, SHOWN);
  is_the_box(m = read_it(&b, "box.dae"), po_v3(0, 0, 0), 1, 1e-14);
  po_mesh_free(m);
  po_buffer_free(&b);
}

static void test_collada(void) {
  po_buffer b = {0};
  po_mesh *m;
  dae_text(&b, "Y_UP", 0.0254, SHOWN); /* inches, y up */
  is_the_box(m = read_it(&b, "box.dae"), po_v3(0, 0, 0), 1, 1e-14);
  po_mesh_free(m);
  b.size = 0; /* nested nodes: a matrix, then a turn and a shift; millimetres */
  dae_text(&b, "Z_UP", 0.001,
           "<node><matrix>2 0 0 1000  0 2 0 0  0 0 2 0  0 0 0 1</matrix><node><translate>0 500 0</translate><rotate>0 0 1 180</rotate>"
           "<instance_geometry url=\"#g\"/></node></node>");
  is_the_box(m = read_it(&b, "box.dae"), po_v3(1, 1, 0), 2, 1e-12);
  po_mesh_free(m);
  b.size = 0; /* a mirror keeps the outside outside */
  dae_text(&b, "Z_UP", 1, "<node><scale>-1 1 1</scale><instance_geometry url=\"#g\"/></node>");
  is_the_box(m = read_it(&b, "box.dae"), po_v3(0, 0, 0), 1, 1e-14);
  po_mesh_free(m);
  b.size = 0; /* twice, by the other library's node too */
  dae_text(&b, "Z_UP", 1, "<node id=\"n\"><instance_geometry url=\"#g\"/></node><node><translate>3 0 0</translate><instance_node url=\"#n\"/></node>");
  m = read_it(&b, "box.dae");
  TEST_ASSERT_EQUAL_INT(16, m->vertices);
  TEST_ASSERT_EQUAL_INT(24, m->triangles);
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2.9, m->vertex[8].x);
  po_mesh_free(m);
  po_buffer_free(&b);
}

static void refused(po_status status, const char *bytes, size_t size, const char *name, const char *says) {
  po_mesh *m = NULL;
  po_error err;
  memset(&err, 0, sizeof err);
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_mesh_read(&m, bytes, size, name, &err), err.message);
  TEST_ASSERT_NULL(m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, says), err.message);
  TEST_ASSERT_EQUAL_STRING(name, err.file);
}

static void refused_text(po_status status, const char *text, const char *name, const char *says) { refused(status, text, strlen(text), name, says); }

static void test_files_that_lie(void) {
  po_buffer b = {0};
  stl_binary(&b, "");
  b.data[80] = 13; /* one more than there is */
  refused(PO_ERR_PARSE, b.data, b.size, "a.stl", "room for 12");
  b.data[83] = 0x7f; /* two thousand million */
  refused(PO_ERR_PARSE, b.data, b.size, "a.stl", "room for 12");
  b.size = 0, stl_binary(&b, "");
  memcpy(b.data + 84 + 12, "\0\0\xc0\x7f", 4); /* NaN */
  refused(PO_ERR_NOT_FINITE, b.data, b.size, "a.stl", "triangle 1");
  refused(PO_ERR_PARSE, b.data, 30, "a.stl", "head");
  po_buffer_free(&b);
  refused_text(PO_ERR_PARSE, "solid a\nfacet\nouter loop\nvertex 1 2\nendloop\n", "a.stl", "three numbers");
  refused_text(PO_ERR_PARSE, "solid a\nfacet\nouter loop\nvertex 1 2 3\nendloop\n", "a.stl", "not three");
  refused_text(PO_ERR_NOT_FINITE, "solid a\nfacet\nouter loop\nvertex 1 2 nan\nendloop\n", "a.stl", "not finite");
  refused_text(PO_ERR_PARSE, "solid a\nendsolid a\n", "a.stl", "no vertices");
  refused_text(PO_ERR_PARSE, "v 1 2 3\nv 2 3 4\nv 5 5 5\nf 1 2 4\n", "a.obj", "'4' of 3");
  refused_text(PO_ERR_PARSE, "v 1 2 3\nf 1 2000000000 1\n", "a.obj", "of 1");
  refused_text(PO_ERR_PARSE, "v 1 2 3\nf 1 x 1\n", "a.obj", "'x'");
  refused_text(PO_ERR_PARSE, "v 1 2 3\nf 0 1 1\n", "a.obj", "'0'");
  refused_text(PO_ERR_NOT_FINITE, "v 1 2 inf\n", "a.obj", "finite");
  refused_text(PO_ERR_PARSE, "<robot/>", "a.dae", "COLLADA");
  refused_text(PO_ERR_UNSUPPORTED, "v 1 2 3", "passwd", ".stl");
  refused_text(PO_ERR_UNSUPPORTED, "v 1 2 3", ".stl", ".stl"); /* a suffix alone is no name */
}

static void test_collada_that_lies(void) {
  po_buffer b = {0};
  char *at;
  dae_text(&b, "Z_UP", 1, SHOWN);
  at = strstr(b.data, "count=\"8\" stride");
  memcpy(at, "count=\"9\" stride", 16);
  refused(PO_ERR_PARSE, b.data, b.size, "a.dae", "says that there are 9");
  memcpy(at, "count=\"8\" stride", 16);
  at = strstr(b.data, "<p>1 3 7 5");
  memcpy(at, "<p>1 3 8 5", 10);
  refused(PO_ERR_PARSE, b.data, b.size, "a.dae", "vertex 8 of 8");
  memcpy(at, "<p>1 3 7 5", 10);
  at = strstr(b.data, "<vcount>4 4 4 4");
  memcpy(at, "<vcount>4 4 4 9", 15);
  refused(PO_ERR_PARSE, b.data, b.size, "a.dae", "ends early");
  b.size = 0;
  dae_text(&b, "Z_UP", 1, "<node id=\"n\"><instance_node url=\"#n\"/></node>");
  refused(PO_ERR_PARSE, b.data, b.size, "a.dae", "show themselves");
  b.size = 0; /* two to the power of thirty */
  dae_text(&b, "Z_UP", 1, "");
  at = strstr(b.data, "<library_visual_scenes>");
  b.size = (size_t)(at - b.data);
  {
    int i;
    po_buffer_puts(&b, "<library_nodes>");
    for (i = 0; i < 30; i++) po_buffer_printf(&b, "<node id=\"n%d\"><instance_node url=\"#n%d\"/><instance_node url=\"#n%d\"/></node>", i, i + 1, i + 1);
    po_buffer_puts(&b, "</library_nodes><library_visual_scenes><visual_scene><node><instance_node url=\"#n0\"/></node></visual_scene></library_visual_scenes></COLLADA>");
  }
  refused(PO_ERR_SIZE, b.data, b.size, "a.dae", "more than");
  po_buffer_free(&b);
}

/* ---- solids ------------------------------------------------------------------------------------------------------------------------- */

static void test_solids(void) {
  po_buffer b = {0};
  po_inertia x, y;
  po_pose pose;
  po_mesh *m;
  int i;
  obj_text(&b);
  m = read_it(&b, "box.obj");
  pose.R = po_m3_rpy(0.3, 0.4, 0.5);
  pose.p = po_v3(10, 20, 30);
  po_mesh_place(m, po_v3(1, -2, 1), pose); /* mirrored, twice as wide, turned */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mesh_inertia(&x, m, PO_MESH_EXACT, 1000, NULL));
  y = po_inertia_box(1000 * 0.2 * 0.8 * 0.6, 0.2, 0.8, 0.6);
  y.I = po_m3_mult(po_m3_mul(pose.R, y.I), pose.R);
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, y.mass, x.mass);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_v3_sub(x.com, pose.p)));
  for (i = 0; i < 9; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-11, y.I.m[i], x.I.m[i]);
  /* a triangle the wrong way round: exact integrals miss twice its pyramid, and those that take whichever way do not */
  i = m->triangle[3][0], m->triangle[3][0] = m->triangle[3][1], m->triangle[3][1] = i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mesh_inertia(&x, m, PO_MESH_UNSIGNED, 1000, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, y.mass, x.mass);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mesh_inertia(&x, m, PO_MESH_EXACT, 1000, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-11, y.mass * (1 - 2.0 / 12), x.mass);
  /* the surface: 2 (ab + bc + ca) */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mesh_inertia(&x, m, PO_MESH_SHELL, 3, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 * 2 * (0.2 * 0.8 + 0.8 * 0.6 + 0.6 * 0.2), x.mass);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, po_v3_norm(po_v3_sub(x.com, pose.p)));
  m->triangles = 0;
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_mesh_inertia(&x, m, PO_MESH_EXACT, 1000, NULL));
  po_mesh_free(m);
  /* inside out */
  m = read_it(&b, "box.obj");
  for (i = 0; i < 12; i++) {
    int swap = m->triangle[i][0];
    m->triangle[i][0] = m->triangle[i][1];
    m->triangle[i][1] = swap;
  }
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_mesh_inertia(&x, m, PO_MESH_EXACT, 1000, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_mesh_inertia(&x, m, PO_MESH_EXACT, 0, NULL));
  po_mesh_free(m);
  po_buffer_free(&b);
}

/* The shell of a cube of side a: each face m/6; I = 5/18 m a² about any axis. */
static void test_shell_of_a_cube(void) {
  po_buffer b = {0};
  po_inertia x;
  po_pose here;
  po_mesh *m;
  int i;
  obj_text(&b);
  m = read_it(&b, "box.obj");
  here.R = po_m3_identity();
  here.p = po_v3(0, 0, 0);
  po_mesh_place(m, po_v3(5, 2.5, 5.0 / 3), here);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_mesh_inertia(&x, m, PO_MESH_SHELL, 1, NULL));
  TEST_ASSERT_DOUBLE_WITHIN(1e-13, 6, x.mass);
  for (i = 0; i < 9; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, i % 4 ? 0 : 6 * 5.0 / 18, x.I.m[i]);
  po_mesh_free(m);
  po_buffer_free(&b);
}

/* ---- finding ------------------------------------------------------------------------------------------------------------------------ */

typedef struct disk {
  const char *only;  /* the one file there is */
  char asked[4096];  /* paths asked for, each with a newline */
} disk;

static po_status disk_read(void *user, char **data, size_t *size, const char *path, size_t max_bytes, po_error *err) {
  static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  disk *d = (disk *)user;
  (void)max_bytes;
  if (strlen(d->asked) + strlen(path) + 2 < sizeof d->asked) {
    strcat(d->asked, path);
    strcat(d->asked, "\n");
  }
  if (strcmp(path, d->only) != 0) return po_fail(err, PO_ERR_FILE, "no");
  *data = (char *)po_alloc(sizeof text);
  memcpy(*data, text, sizeof text);
  *size = sizeof text - 1;
  return PO_OK;
}

static disk drive;

static int finds(const char *file, const char *model, const char *name, const char *const *package, const char *search, const char *meshes) {
  po_paths p;
  po_mesh *m = NULL;
  po_status s;
  memset(&drive, 0, sizeof drive);
  drive.only = file;
  memset(&p, 0, sizeof p);
  p.model = model;
  p.package = package;
  p.search = search;
  p.meshes = meshes;
  p.read = disk_read;
  p.user = &drive;
  s = po_mesh_load(&m, name, &p, NULL);
  TEST_ASSERT_TRUE((s == PO_OK) == (m != NULL));
  po_mesh_free(m);
  return s == PO_OK;
}

static void test_finding(void) {
  static const char *const g1[] = {"other=/nowhere", "g1=/opt/robots/unitree/g1", NULL};
  TEST_ASSERT_TRUE(finds("/w/g1/urdf/a.obj", "/w/g1/urdf/g1.urdf", "a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/g1/meshes/a.obj", "/w/g1/urdf/g1.urdf", "../meshes/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/g1/meshes/a.obj", "/w/g1/urdf/g1.urdf", "package://g1/meshes/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/g1/meshes/a.obj", "/w/g1/urdf/g1.urdf", "package://renamed/meshes/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/other/parts/a.obj", "/w/g1/urdf/g1.urdf", "package://other/parts/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/g1/meshes/a.obj", "/w/g1/urdf/g1.urdf", "file:///home/someone/src/g1/meshes/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/g1/meshes/a.obj", "/w/g1/urdf/g1.urdf", "/home/someone/src/g1/meshes/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/w/g1/meshes/a.obj", "/w/g1/urdf/g1.urdf", "C:\\models\\g1\\meshes\\a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/opt/robots/unitree/g1/visual/a.obj", "/w/x.urdf", "package://g1/visual/a.obj", g1, NULL, NULL));
  TEST_ASSERT_TRUE(finds("/ros/b/g1/visual/a.obj", "/w/x.urdf", "package://g1/visual/a.obj", NULL, "/ros/a:/ros/b", NULL));
  TEST_ASSERT_TRUE(finds("/ros/g1/visual/a.obj", "/w/x.urdf", "package://g1/visual/a.obj", NULL, "/ros/a;/ros/g1", NULL));
  TEST_ASSERT_TRUE(finds("/w/assets/a.obj", "/w/x.xml", "a.obj", NULL, NULL, "assets"));
  TEST_ASSERT_TRUE(finds("/q/assets/a.obj", "/w/x.xml", "a.obj", NULL, NULL, "/q/assets"));
  TEST_ASSERT_TRUE(finds("../../meshes/a.obj", "../urdf/x.urdf", "../../meshes/a.obj", NULL, NULL, NULL)); /* where we stand has folders above */
  TEST_ASSERT_TRUE(finds("meshes/a.obj", "urdf/x.urdf", "../meshes/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_TRUE(finds("a.obj", NULL, "a.obj", NULL, NULL, NULL));
}

static void test_not_looking_around(void) {
  TEST_ASSERT_FALSE(finds("/etc/a.obj", "/w/g1/urdf/g1.urdf", "../../../etc/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_FALSE(finds("/etc/a.obj", "/w/g1/urdf/g1.urdf", "/etc/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_FALSE(finds("/opt/etc/a.obj", "/w/g1/urdf/g1.urdf", "package://g1/../etc/a.obj", NULL, NULL, NULL));
  TEST_ASSERT_FALSE(finds("/etc/passwd", "/w/g1/urdf/g1.urdf", "/etc/passwd", NULL, NULL, NULL));
  TEST_ASSERT_EQUAL_STRING("", drive.asked); /* not even asked for */
  finds("", "/w/g1/urdf/g1.urdf", "package://g1/../../../../etc/x/../a.obj", NULL, NULL, NULL);
  TEST_ASSERT_NULL_MESSAGE(strstr(drive.asked, ".."), drive.asked);
}

/* ---- mutated files -------------------------------------------------------------------------------------------------------------------- */

/* Bits turned, bytes replaced by what a parser trips over, pieces cut out or put twice: an error with a sentence, or a mesh that can be used. */
static void mutate(po_buffer *out, const po_buffer *in, po_rng *r) {
  static const char nasty[] = "0123456789-.eE<>/\"\\ \n\0\x7f\xff";
  int changes = 1 + po_rng_below(r, 6), k;
  char piece[40];
  out->size = 0;
  po_buffer_add(out, in->data, in->size);
  for (k = 0; k < changes && out->size > 8; k++) {
    size_t at = (size_t)po_rng_below(r, (int)out->size), n = 1 + (size_t)po_rng_below(r, 40);
    if (n > out->size - at) n = out->size - at;
    switch (po_rng_below(r, 5)) {
      case 0: out->data[at] = (char)(out->data[at] ^ (1 << po_rng_below(r, 8))); break;
      case 1: out->data[at] = nasty[po_rng_below(r, (int)sizeof nasty - 1)]; break;
      case 2:
        memmove(out->data + at, out->data + at + n, out->size - at - n);
        out->size -= n;
        break;
      case 3:
        memcpy(piece, out->data + at, n);
        po_buffer_add(out, piece, n);
        break;
      default: memset(out->data + at, po_rng_below(r, 256), n);
    }
  }
}

static void test_mutated(void) {
  static const char *const names[] = {"b.stl", "a.stl", "m.obj", "m.dae"};
  po_buffer good[4] = {{0}}, bad = {0};
  int k, seed, read = 0, refused_ones = 0, seeds = getenv("POISE_FULL") ? 20000 : 200;
  stl_binary(&good[0], "");
  stl_ascii(&good[1]);
  obj_text(&good[2]);
  dae_text(&good[3], "Y_UP", 0.01, "<node id=\"n\"><rotate>0 1 0 30</rotate><scale>1 2 3</scale><instance_geometry url=\"#g\"/></node>");
  for (k = 0; k < 4; k++)
    for (seed = 0; seed < seeds; seed++) {
      po_mesh *m = NULL;
      po_hull *h = NULL;
      po_inertia x;
      po_error err;
      po_rng r;
      po_rng_init(&r, (uint64_t)seed, (uint64_t)k);
      mutate(&bad, &good[k], &r);
      memset(&err, 0, sizeof err);
      if (po_mesh_read(&m, bad.data, bad.size, names[k], &err) != PO_OK) {
        TEST_ASSERT_TRUE(m == NULL && err.message[0]);
        refused_ones++;
        continue;
      }
      read++;
      po_mesh_inertia(&x, m, PO_MESH_UNSIGNED, 1, NULL);
      if (po_hull_new(&h, m->vertex, m->vertices, NULL, NULL) == PO_OK) TEST_ASSERT_EQUAL_INT(2, h->vertices - h->edges + h->faces);
      po_hull_free(h);
      po_mesh_free(m);
    }
  TEST_ASSERT_TRUE(read > seeds / 2 && refused_ones > seeds / 2);
  for (k = 0; k < 4; k++) po_buffer_free(&good[k]);
  po_buffer_free(&bad);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_every_format);
  RUN_TEST(test_collada);
  RUN_TEST(test_files_that_lie);
  RUN_TEST(test_collada_that_lies);
  RUN_TEST(test_solids);
  RUN_TEST(test_shell_of_a_cube);
  RUN_TEST(test_finding);
  RUN_TEST(test_not_looking_around);
  RUN_TEST(test_mutated);
  return UNITY_END() != 0;
}
