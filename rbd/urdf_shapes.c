/* urdf_shapes.c: what a link of a URDF file collides with: its collision elements, where there are none its visual ones, and where a mesh is not
 * to be had a box of its inertia. */
#include "urdf.h"
#include <string.h>

/* Numbers of a shape that must be positive; 0 after a warning: it is left out. */
static int shapes_positive(po_urdf_reader *r, const po_urdf_link *l, const po_xml *g, const double *x, int n) {
  int i;
  for (i = 0; i < n; i++)
    if (!(x[i] > 0) || !po_isfinite(x[i])) {
      po_urdf_warn(r, g, "link '%s': a <%s> with a size of %g is left out", l->name, g->name, x[i]);
      return 0;
    }
  return 1;
}

static po_status shapes_box(po_urdf_reader *r, const po_urdf_link *l, const po_xml *g, po_pose pose) {
  double x[3];
  int i;
  po_status s = po_urdf_numbers(r, g, "size", l->name, x, 3, 0);
  if (s != PO_OK || !shapes_positive(r, l, g, x, 3)) return s;
  for (i = 0; i < 3; i++) x[i] *= 0.5;
  return po_urdf_at(r, g, po_builder_shape(r->b, l->name, PO_BOX, pose, x, r->err));
}

static po_status shapes_round(po_urdf_reader *r, const po_urdf_link *l, const po_xml *g, po_pose pose) {
  double size[3] = {0, 0, 0}, length = 0;
  int ball = strcmp(g->name, "sphere") == 0, capsule = strcmp(g->name, "capsule") == 0;
  po_status s = po_urdf_numbers(r, g, "radius", l->name, size, 1, 0);
  if (s == PO_OK && !ball) s = po_urdf_numbers(r, g, "length", l->name, &length, 1, 0);
  if (s != PO_OK || !shapes_positive(r, l, g, size, 1) || (!ball && !(capsule && length == 0) && !shapes_positive(r, l, g, &length, 1))) return s;
  size[1] = 0.5 * length;
  if (ball || capsule) return po_urdf_at(r, g, po_builder_shape(r->b, l->name, ball ? PO_SPHERE : PO_CAPSULE, pose, size, r->err));
  return po_urdf_at(r, g, po_builder_cylinder(r->b, l->name, pose, size[0], size[1], r->err));
}

/* Corners of a hull as po_urdf_write gives them: <hull points="x y z x y z …"/>, an extension. */
static po_status shapes_hull(po_urdf_reader *r, const po_urdf_link *l, const po_xml *g, po_pose pose) {
  const char *p = po_xml_attr(g, "points"), *end = p ? p + strlen(p) : NULL;
  double x[3 * PO_HULL_VERTICES];
  po_vec3 point[PO_HULL_VERTICES];
  int n = 0, i;
  while (p && p < end && n < 3 * PO_HULL_VERTICES) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
    if (p == end) break;
    if (po_parse_double(&x[n], &p, p, end) != PO_OK) n = 3 * PO_HULL_VERTICES + 1;
    else n++;
  }
  while (p && p < end && (*p == ' ' || *p == '\n')) p++;
  if (n < 3 || n % 3 || n > 3 * PO_HULL_VERTICES || p < end)
    return PO_URDF_FAIL(r, g, PO_ERR_PARSE, "link '%s': points of a <hull> must be three numbers each, and at most %d", l->name, PO_HULL_VERTICES);
  for (i = 0; i < n / 3; i++) point[i] = po_v3_of(x + 3 * i);
  return po_urdf_at(r, g, po_builder_hull_as_it_is(r->b, l->name, pose, point, n / 3, r->err));
}

/* *missing: why the mesh is not to be had; its text is the warning's. */
static po_status shapes_mesh(po_urdf_reader *r, const po_urdf_link *l, const po_xml *g, po_pose pose, po_error *missing) {
  const char *file = po_xml_attr(g, "filename");
  double scale[3] = {1, 1, 1};
  po_mesh *mesh = NULL;
  po_status s;
  if (!file) return po_fail(missing, PO_ERR_FILE, "a mesh has no file name");
  if (po_xml_attr(g, "scale") && (s = po_urdf_numbers(r, g, "scale", l->name, scale, 3, 1)) != PO_OK) return s;
  if (!po_all_finite(scale, 3) || scale[0] * scale[1] * scale[2] == 0) return po_fail(missing, PO_ERR_FILE, "mesh '%s' has no scale", file);
  if (po_mesh_load(&mesh, file, r->paths, missing) != PO_OK) {
    if (missing->file[0]) { /* it was found, and is broken: say where */
      char text[sizeof missing->message];
      memcpy(text, missing->message, sizeof text);
      po_fail(missing, PO_ERR_FILE, "%s: %s", missing->file, text);
    }
    missing->status = PO_ERR_FILE;
    return PO_ERR_FILE;
  }
  po_mesh_place(mesh, po_v3_of(scale), pose);
  pose.R = po_m3_identity();
  pose.p = po_v3(0, 0, 0);
  s = po_urdf_at(r, g, po_builder_hull(r->b, l->name, pose, mesh->vertex, mesh->vertices, r->err));
  po_mesh_free(mesh);
  return s;
}

/* A box with the link's mass that has its inertia, along the link's axes: the second moments P = ½ tr(I) − I of a box are m h²/3. */
static po_status shapes_of_inertia(po_urdf_reader *r, const po_urdf_link *l, const po_xml *g, const po_inertia *x, const po_error *missing) {
  const double *I = x->I.m;
  double half[3], trace = I[0] + I[4] + I[8];
  po_pose pose = po_pose_identity();
  int i;
  for (i = 0; i < 3; i++) half[i] = x->mass > 0 ? sqrt(po_max(3 * (0.5 * trace - I[4 * i]) / x->mass, 1e-6)) : 0;
  if (!(x->mass > 0) || !po_all_finite(half, 3)) {
    po_urdf_warn(r, g, "link '%s': %s; it collides with nothing", l->name, missing->message);
    return PO_OK;
  }
  pose.p = x->com;
  po_urdf_warn(r, g, "link '%s': %s; a box of its inertia, %.3f x %.3f x %.3f m, stands in", l->name, missing->message, 2 * half[0], 2 * half[1], 2 * half[2]);
  return po_urdf_at(r, g, po_builder_shape(r->b, l->name, PO_BOX, pose, half, r->err));
}

static po_status shapes_one(po_urdf_reader *r, const po_urdf_link *l, const po_xml *element, po_error *missing) {
  const po_xml *geometry = po_xml_child(element, "geometry"), *g = geometry ? po_xml_child(geometry, NULL) : NULL;
  po_pose pose;
  po_status s;
  if (!g) {
    po_urdf_warn(r, element, "link '%s': a <%s> without geometry", l->name, element->name);
    return PO_OK;
  }
  if ((s = po_urdf_origin(r, element, l->name, &pose)) != PO_OK) return s;
  if (strcmp(g->name, "mesh") == 0) return shapes_mesh(r, l, g, pose, missing);
  if (strcmp(g->name, "box") == 0) return shapes_box(r, l, g, pose);
  if (strcmp(g->name, "hull") == 0) return shapes_hull(r, l, g, pose);
  if (strcmp(g->name, "sphere") == 0 || strcmp(g->name, "cylinder") == 0 || strcmp(g->name, "capsule") == 0) return shapes_round(r, l, g, pose);
  po_urdf_warn(r, g, "link '%s': unknown shape <%s>", l->name, g->name);
  return PO_OK;
}

po_status po_urdf_shapes(po_urdf_reader *r, const po_urdf_link *l, const po_inertia *inertia) {
  const po_xml *c = po_xml_child(l->xml, "collision");
  const char *kind = c ? "collision" : "visual";
  po_error missing;
  int before = r->b->shapes;
  memset(&missing, 0, sizeof missing);
  for (c = po_xml_child(l->xml, kind); c; c = po_xml_next(c, kind)) {
    po_error here;
    po_status s;
    memset(&here, 0, sizeof here);
    s = shapes_one(r, l, c, &here);
    if (here.status != PO_OK) {
      if (missing.status != PO_OK) po_urdf_warn(r, c, "link '%s': %s", l->name, here.message);
      else missing = here;
    } else if (s != PO_OK) return s;
  }
  if (missing.status == PO_OK) return PO_OK;
  if (r->b->shapes == before) return shapes_of_inertia(r, l, l->xml, inertia, &missing);
  po_urdf_warn(r, l->xml, "link '%s': %s; its other shapes do without", l->name, missing.message);
  return PO_OK;
}
