/* mjcf_geom.c: geoms: the mass they bring and the shapes that collide.
 *
 * A geom's mass is its own, or its density (1000 kg/m³) times its volume. One whose contype and conaffinity are both 0 is there to be seen. */
#include "mesh_internal.h"
#include "mjcf.h"
#include <string.h>

typedef enum mjcf_geom_type { MJCF_PLANE, MJCF_HFIELD, MJCF_SPHERE, MJCF_CAPSULE, MJCF_ELLIPSOID, MJCF_CYLINDER, MJCF_BOX, MJCF_MESH, MJCF_SDF } mjcf_geom_type;

typedef struct mjcf_geom {
  mjcf_geom_type type;
  double size[3];
  po_pose pose; /* in the body's frame */
  po_mesh *mesh;
  po_mesh_solid solid; /* how the mesh's mass is spread */
  int by_hull;         /* as that of its hull */
} mjcf_geom;

static const char *const mjcf_geom_names[] = {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"};

/* ---- reading ---- */

static po_status mjcf_geom_type_of(po_mjcf *r, const po_mjcf_element *e, mjcf_geom *g) {
  const char *type = po_mjcf_attr(e, "type");
  int k;
  if (!type) type = "sphere";
  for (k = 0; k <= MJCF_SDF && strcmp(mjcf_geom_names[k], type); k++) {}
  if (k > MJCF_SDF) return PO_MJCF_FAIL(r, e->node, PO_ERR_PARSE, "geom type \"%.40s\" is unknown: it must be plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh or sdf", type);
  g->type = (mjcf_geom_type)k;
  return PO_OK;
}

/* From the middle of two points; the last size is half the distance. z points from the second to the first, as MuJoCo has it. */
static po_status mjcf_from_to(po_mjcf *r, const po_mjcf_element *e, mjcf_geom *g) {
  double x[6];
  po_vec3 a, b, d;
  po_status s;
  if (!po_mjcf_attr(e, "fromto") || g->type < MJCF_CAPSULE || g->type > MJCF_BOX) return PO_OK;
  if ((s = po_mjcf_numbers(r, e, "fromto", x, 6, 6, NULL)) != PO_OK) return s;
  a = po_v3_of(x);
  b = po_v3_of(x + 3);
  d = po_v3_sub(a, b);
  if (!(po_v3_norm(d) > 1e-12)) return PO_MJCF_FAIL(r, e->node, PO_ERR_RANGE, "fromto of <geom> joins a point to itself");
  g->pose.p = po_v3_scale(0.5, po_v3_add(a, b));
  g->pose.R = po_mjcf_turn_z(d);
  if (g->type == MJCF_BOX || g->type == MJCF_ELLIPSOID) {
    g->size[1] = g->size[0]; /* as MuJoCo: square across */
    g->size[2] = 0.5 * po_v3_norm(d);
  } else g->size[1] = 0.5 * po_v3_norm(d);
  return PO_OK;
}

static po_status mjcf_geom_sizes(po_mjcf *r, const po_mjcf_element *e, mjcf_geom *g) {
  static const int numbers[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
  int i;
  po_status s = po_mjcf_numbers(r, e, "size", g->size, 0, 3, NULL);
  if (s == PO_OK) s = mjcf_from_to(r, e, g);
  for (i = 0; i < numbers[g->type] && s == PO_OK; i++)
    if (!(g->size[i] > 0)) s = PO_MJCF_FAIL(r, e->node, PO_ERR_RANGE, "a <geom> of type %s needs %d sizes above 0 (size or fromto)", mjcf_geom_names[g->type], numbers[g->type]);
  return s;
}

/* ---- meshes ---- */

/* A mesh's name is that of its file without folder and suffix when it has none. */
static int mjcf_is_mesh(const po_xml *n, const char *name) {
  const char *own = po_xml_attr(n, "name"), *file = po_xml_attr(n, "file"), *end;
  if (own) return !strcmp(own, name);
  if (!file) return 0;
  if (strrchr(file, '/')) file = strrchr(file, '/') + 1;
  end = strrchr(file, '.') ? strrchr(file, '.') : file + strlen(file);
  return strlen(name) == (size_t)(end - file) && !strncmp(name, file, (size_t)(end - file));
}

static const po_xml *mjcf_find_mesh(const po_mjcf *r, const char *name) {
  const po_xml *asset, *n;
  for (asset = po_xml_child(r->file[0].root, "asset"); asset; asset = po_xml_next(asset, "asset"))
    for (n = po_xml_child(asset, "mesh"); n; n = po_xml_next(n, "mesh"))
      if (mjcf_is_mesh(n, name)) return n;
  return NULL;
}

/* refpos is taken off, refquat turned back, then scaled. */
static po_status mjcf_place_mesh(po_mjcf *r, const po_mjcf_element *asset, po_mesh *mesh) {
  double scale[3] = {1, 1, 1}, off[3] = {0, 0, 0}, turn[4] = {1, 0, 0, 0};
  po_pose pose;
  po_status s;
  if ((s = po_mjcf_numbers(r, asset, "scale", scale, 3, 3, NULL)) != PO_OK || (s = po_mjcf_numbers(r, asset, "refpos", off, 3, 3, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, asset, "refquat", turn, 4, 4, NULL)) != PO_OK)
    return s;
  if (!(po_q_norm(po_q_of(turn)) > 1e-12) || scale[0] == 0 || scale[1] == 0 || scale[2] == 0)
    return PO_MJCF_FAIL(r, asset->node, PO_ERR_RANGE, "scale and refquat of a <mesh> must not be zero");
  pose.R = po_m3_t(po_q_matrix(po_q_unit(po_q_of(turn))));
  pose.p = po_v3_scale(-1, po_m3_mul_v(pose.R, po_v3_of(off)));
  po_mesh_place(mesh, po_v3(1, 1, 1), pose);
  po_mesh_place(mesh, po_v3_of(scale), po_pose_identity());
  return PO_OK;
}

/* How a mesh's mass is spread; by default pyramids over every triangle, whichever way it looks. */
static po_status mjcf_mesh_solid(po_mjcf *r, const po_mjcf_element *asset, mjcf_geom *g) {
  const char *inertia = po_mjcf_attr(asset, "inertia");
  g->solid = PO_MESH_UNSIGNED;
  if (!inertia || !strcmp(inertia, "legacy")) return PO_OK;
  if (!strcmp(inertia, "exact")) g->solid = PO_MESH_EXACT;
  else if (!strcmp(inertia, "shell")) g->solid = PO_MESH_SHELL;
  else if (!strcmp(inertia, "convex")) g->by_hull = 1;
  else return PO_MJCF_FAIL(r, asset->node, PO_ERR_PARSE, "inertia=\"%.40s\" of a <mesh> must be convex, exact, legacy or shell", inertia);
  return PO_OK;
}

/* The mesh of a geom; none, with a warning, when its file cannot be read. */
static po_status mjcf_load_mesh(po_mjcf *r, const po_mjcf_element *geom, mjcf_geom *g) {
  const char *name = po_mjcf_attr(geom, "mesh"), *file;
  const po_xml *node = name ? mjcf_find_mesh(r, name) : NULL;
  po_paths paths;
  po_mjcf_element asset;
  po_error why;
  po_status s;
  if (!name) return PO_MJCF_FAIL(r, geom->node, PO_ERR_NAME, "a <geom> of type mesh names no mesh");
  if (!node) return PO_MJCF_FAIL(r, geom->node, PO_ERR_NAME, "there is no mesh '%.60s' among the assets", name);
  if ((s = po_mjcf_open(r, &asset, node, "mesh", NULL)) != PO_OK || (s = mjcf_mesh_solid(r, &asset, g)) != PO_OK) return s;
  file = po_mjcf_attr(&asset, "file");
  if (file && r->strip == PO_MJCF_YES && strrchr(file, '/')) file = strrchr(file, '/') + 1;
  memset(&paths, 0, sizeof paths);
  if (r->opts->paths) paths = *r->opts->paths;
  paths.model = r->file_name;
  paths.meshes = r->meshdir;
  s = file ? po_mesh_load(&g->mesh, file, &paths, &why) : po_fail(&why, PO_ERR_FILE, "it has no file");
  if (s == PO_ERR_MEMORY) return po_fail(r->err, s, "out of memory");
  if (s != PO_OK) {
    po_mjcf_warn(r, geom->node, "mesh", "mesh '%.60s' is left out: %s", name, why.message);
    g->mesh = NULL;
    return PO_OK;
  }
  return mjcf_place_mesh(r, &asset, g->mesh);
}

/* MuJoCo's default: the centre of pyramids that stand on the surface's centre, then mass and moments of pyramids that stand on that one. */
static po_inertia mjcf_legacy_inertia(const po_mesh *mesh, po_vec3 centre) {
  po_mesh_sums m;
  int i;
  memset(&m, 0, sizeof m);
  for (i = 0; i < mesh->triangles; i++) {
    const int *t = mesh->triangle[i];
    po_mesh_add_tetrahedron(&m, po_v3_sub(mesh->vertex[t[0]], centre), po_v3_sub(mesh->vertex[t[1]], centre), po_v3_sub(mesh->vertex[t[2]], centre), 1);
  }
  m.first = po_v3(0, 0, 0);
  return po_mesh_sums_inertia(&m, 1, centre);
}

/* Of density 1, in the mesh's own axes. */
static po_status mjcf_mesh_inertia(po_mjcf *r, const po_mjcf_element *e, const mjcf_geom *g, po_inertia *out) {
  po_hull_opts all = po_hull_opts_default();
  po_hull *hull = NULL;
  po_error why;
  po_status s;
  *out = po_inertia_box(0, 0, 0, 0);
  if (!g->mesh) return PO_OK;
  if (!g->by_hull) {
    s = po_mesh_inertia(out, g->mesh, g->solid, 1, &why);
    if (s == PO_OK && g->solid == PO_MESH_UNSIGNED) *out = mjcf_legacy_inertia(g->mesh, out->com);
  } else {
    all.max_vertices = 0;
    s = po_hull_new(&hull, g->mesh->vertex, g->mesh->vertices, &all, &why);
    if (s == PO_OK) *out = po_hull_inertia(hull, 1);
    po_hull_free(hull);
  }
  return s == PO_OK ? PO_OK : PO_MJCF_FAIL(r, e->node, s, "mesh '%.60s': %s", po_mjcf_attr(e, "mesh"), why.message);
}

/* ---- mass ---- */

/* About its own pose; density 1. */
static po_inertia mjcf_unit_inertia(const mjcf_geom *g) {
  const double *a = g->size;
  double volume;
  po_inertia x;
  switch (g->type) {
  case MJCF_SPHERE: return po_inertia_sphere(4.0 / 3 * PO_PI * a[0] * a[0] * a[0], a[0]);
  case MJCF_CAPSULE: return po_inertia_capsule(PO_PI * a[0] * a[0] * (2 * a[1] + 4.0 / 3 * a[0]), a[0], a[1]);
  case MJCF_CYLINDER: return po_inertia_cylinder(2 * PO_PI * a[0] * a[0] * a[1], a[0], 2 * a[1]);
  case MJCF_BOX: return po_inertia_box(8 * a[0] * a[1] * a[2], 2 * a[0], 2 * a[1], 2 * a[2]);
  case MJCF_ELLIPSOID:
    volume = 4.0 / 3 * PO_PI * a[0] * a[1] * a[2];
    x = po_inertia_box(0, 0, 0, 0);
    x.mass = volume;
    x.I = po_m3_diag(0.2 * volume * (a[1] * a[1] + a[2] * a[2]), 0.2 * volume * (a[0] * a[0] + a[2] * a[2]), 0.2 * volume * (a[0] * a[0] + a[1] * a[1]));
    return x;
  default: return po_inertia_box(0, 0, 0, 0);
  }
}

static po_inertia mjcf_scaled_inertia(po_inertia x, double s) {
  x.mass *= s;
  x.I = po_m3_scale(s, x.I);
  return x;
}

static po_status mjcf_geom_mass(po_mjcf *r, const po_mjcf_element *e, const mjcf_geom *g, po_mjcf_solid *solid) {
  double density = 1000, mass = -1, group = 0;
  int shell = PO_MJCF_NO;
  po_inertia unit;
  po_status s;
  if ((s = po_mjcf_numbers(r, e, "density", &density, 1, 1, NULL)) != PO_OK || (s = po_mjcf_numbers(r, e, "mass", &mass, 1, 1, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, e, "group", &group, 1, 1, NULL)) != PO_OK || (s = po_mjcf_flag(r, e, "shellinertia", &shell)) != PO_OK)
    return s;
  if (!solid->want_inertia || group < r->groups[0] || group > r->groups[1]) return PO_OK;
  if (mass == 0 || (mass < 0 && density == 0)) return PO_OK;
  if (g->type != MJCF_MESH) unit = mjcf_unit_inertia(g);
  else if ((s = mjcf_mesh_inertia(r, e, g, &unit)) != PO_OK) return s;
  if (shell == PO_MJCF_YES && g->type != MJCF_MESH) po_mjcf_warn(r, e->node, "shell", "shellinertia of a <geom> is not used: its mass is spread over its inside");
  if (density < 0 || (mass < 0 && po_mjcf_attr(e, "mass"))) return PO_MJCF_FAIL(r, e->node, PO_ERR_RANGE, "density and mass of a <geom> must not be negative");
  if (!(unit.mass > 0)) return PO_OK;
  unit = mjcf_scaled_inertia(unit, mass >= 0 ? mass / unit.mass : density);
  solid->sum = po_inertia_merge(solid->sum, unit, g->pose);
  return PO_OK;
}

po_status po_mjcf_inertial(po_mjcf *r, const po_xml *node, po_inertia *out) {
  double mass = 0, d[3] = {0, 0, 0}, f[6];
  po_mjcf_element e;
  po_pose pose;
  po_mat3 I;
  po_status s;
  e.node = e.level[0] = node;
  e.levels = 1;
  if (!po_xml_attr(node, "mass")) return PO_MJCF_FAIL(r, node, PO_ERR_PARSE, "<inertial> has no mass");
  if ((s = po_mjcf_pose(r, &e, &pose)) != PO_OK || (s = po_mjcf_numbers(r, &e, "mass", &mass, 1, 1, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, &e, "diaginertia", d, 3, 3, NULL)) != PO_OK)
    return s;
  I = po_m3_diag(d[0], d[1], d[2]);
  if (po_xml_attr(node, "fullinertia")) { /* xx yy zz xy xz yz */
    if ((s = po_mjcf_numbers(r, &e, "fullinertia", f, 6, 6, NULL)) != PO_OK) return s;
    I = po_m3(f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]);
  }
  I = po_m3_mult(po_m3_mul(pose.R, I), pose.R);
  out->mass = mass;
  out->com = pose.p;
  out->I = po_m3_scale(0.5, po_m3_add(I, po_m3_t(I)));
  return PO_OK;
}

/* <compiler boundmass boundinertia balanceinertia>: what MuJoCo does to principal moments. */
po_status po_mjcf_tidy_inertia(const po_mjcf *r, po_inertia *x) {
  double value[3];
  po_mat3 V;
  po_status s;
  int i;
  if (!(r->least_mass > 0 || r->least_inertia > 0 || r->balance == PO_MJCF_YES)) return PO_OK;
  x->mass = po_max(x->mass, r->least_mass);
  s = po_eig_sym3(value, &V, x->I);
  if (s != PO_OK) return s;
  for (i = 0; i < 3; i++) value[i] = po_max(value[i], r->least_inertia);
  if (r->balance == PO_MJCF_YES && (value[0] + value[1] < value[2] || value[0] + value[2] < value[1] || value[1] + value[2] < value[0]))
    value[0] = value[1] = value[2] = (value[0] + value[1] + value[2]) / 3;
  x->I = po_m3_mult(po_m3_mul(V, po_m3_diag(value[0], value[1], value[2])), V);
  return PO_OK;
}

/* ---- shapes ---- */

static po_status mjcf_geom_shape(po_mjcf *r, const po_mjcf_element *e, const mjcf_geom *g, const po_mjcf_solid *solid) {
  po_pose pose = g->pose;
  double size[3] = {g->size[0], g->size[1], g->size[2]};
  pose.p = po_v3_add(pose.p, solid->origin);
  switch (g->type) {
  case MJCF_SPHERE: return po_mjcf_at(r, e->node, po_builder_shape(r->b, solid->link, PO_SPHERE, pose, size, r->err));
  case MJCF_CAPSULE: return po_mjcf_at(r, e->node, po_builder_shape(r->b, solid->link, PO_CAPSULE, pose, size, r->err));
  case MJCF_BOX: return po_mjcf_at(r, e->node, po_builder_shape(r->b, solid->link, PO_BOX, pose, size, r->err));
  case MJCF_CYLINDER: return po_mjcf_at(r, e->node, po_builder_cylinder(r->b, solid->link, pose, size[0], size[1], r->err));
  case MJCF_ELLIPSOID: return po_mjcf_at(r, e->node, po_builder_ellipsoid(r->b, solid->link, pose, size, r->err));
  default: return g->mesh ? po_mjcf_at(r, e->node, po_builder_hull(r->b, solid->link, pose, g->mesh->vertex, g->mesh->vertices, r->err)) : PO_OK;
  }
}

static po_status mjcf_geom_collides(po_mjcf *r, const po_mjcf_element *e, int *on) {
  double type = 1, affinity = 1;
  po_status s = po_mjcf_numbers(r, e, "contype", &type, 1, 1, NULL);
  if (s == PO_OK) s = po_mjcf_numbers(r, e, "conaffinity", &affinity, 1, 1, NULL);
  *on = type != 0 || affinity != 0;
  return s;
}

static po_status mjcf_geom_add(po_mjcf *r, const po_mjcf_element *e, mjcf_geom *g, po_mjcf_solid *solid) {
  int collides;
  po_status s = mjcf_geom_collides(r, e, &collides);
  if (s != PO_OK) return s;
  if (solid->in_world) {
    if (g->type != MJCF_PLANE && collides) po_mjcf_warn(r, e->node, "world geom", "<geom>s of the world are not read: the scene brings the ground");
    return PO_OK;
  }
  if (g->type == MJCF_PLANE || g->type == MJCF_HFIELD || g->type == MJCF_SDF) {
    po_mjcf_warn(r, e->node, mjcf_geom_names[g->type], "a <geom> of type %s on a body is not used", mjcf_geom_names[g->type]);
    return PO_OK;
  }
  if (g->type == MJCF_MESH && (collides || solid->want_inertia) && (s = mjcf_load_mesh(r, e, g)) != PO_OK) return s;
  s = mjcf_geom_mass(r, e, g, solid);
  return s == PO_OK && collides ? mjcf_geom_shape(r, e, g, solid) : s;
}

po_status po_mjcf_geom(po_mjcf *r, po_mjcf_solid *solid, const po_xml *node, const po_mjcf_place *place) {
  po_mjcf_element e;
  mjcf_geom g;
  po_status s;
  memset(&g, 0, sizeof g);
  if (++r->parts > PO_MJCF_PARTS) return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "more than %d parts", PO_MJCF_PARTS);
  if ((s = po_mjcf_open(r, &e, node, "geom", place->cls)) != PO_OK || (s = mjcf_geom_type_of(r, &e, &g)) != PO_OK) return s;
  if (g.type != MJCF_MESH && po_mjcf_attr(&e, "mesh")) {
    po_mjcf_warn(r, node, "fit", "a <geom> of type %s that is to be fitted to a mesh is not used", mjcf_geom_names[g.type]);
    return PO_OK;
  }
  if ((s = po_mjcf_pose(r, &e, &g.pose)) != PO_OK || (s = mjcf_geom_sizes(r, &e, &g)) != PO_OK) return s;
  g.pose = po_pose_mul(place->pose, g.pose);
  s = mjcf_geom_add(r, &e, &g, solid);
  po_mesh_free(g.mesh);
  return s;
}
