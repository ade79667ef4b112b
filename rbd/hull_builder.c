/* hull_builder.c: hulls, cylinders and ellipsoids as shapes of links that are being built. */
#include "builder.h"
#include "mesh_internal.h"

#define HULL_SIDES 24 /* of a cylinder: its radius is short by 0.9 % in the middle of a side */
#define HULL_RINGS 5  /* of an ellipsoid, of 12 corners each, between its poles */

/* How the link's axes stand when all joints are at zero. */
static po_mat3 hull_rest(const po_builder *b, int link) {
  po_mat3 R = po_m3_identity();
  for (; link >= 0; link = b->link[link].parent) R = po_m3_mul(b->link[link].joint.placement.R, R);
  return R;
}

/* Moves the points so that the middle of their box is the origin, and the pose with them. */
static void hull_centre(po_vec3 *p, int n, po_pose *pose) {
  po_vec3 lo = p[0], hi = p[0], c;
  int i;
  for (i = 1; i < n; i++) {
    lo = po_v3(po_min(lo.x, p[i].x), po_min(lo.y, p[i].y), po_min(lo.z, p[i].z));
    hi = po_v3(po_max(hi.x, p[i].x), po_max(hi.y, p[i].y), po_max(hi.z, p[i].z));
  }
  c = po_v3_scale(0.5, po_v3_add(lo, hi));
  for (i = 0; i < n; i++) p[i] = po_v3_sub(p[i], c);
  pose->p = po_v3_add(pose->p, po_m3_mul_v(pose->R, c));
}

po_status po_builder_own_hull(po_builder *b, const char *link, po_pose pose, po_hull *hull, po_error *err) {
  double size[3] = {0, 0, 0};
  po_status s;
  int i;
  for (i = 0; i < hull->vertices; i++) {
    size[0] = po_max(size[0], po_abs(hull->vertex[i].x));
    size[1] = po_max(size[1], po_abs(hull->vertex[i].y));
    size[2] = po_max(size[2], po_abs(hull->vertex[i].z));
  }
  s = po_builder_shape(b, link, PO_BOX, pose, size, err); /* its checks, and its place */
  if (s != PO_OK) {
    po_hull_free(hull);
    return s;
  }
  b->shape[b->shapes - 1].shape.type = PO_HULL;
  b->shape[b->shapes - 1].shape.hull = hull;
  return PO_OK;
}

po_status po_builder_hull_as_it_is(po_builder *b, const char *link, po_pose pose, const po_vec3 *point, int count, po_error *err) {
  po_hull_opts o = po_hull_opts_default();
  po_hull *h = NULL;
  po_status s = po_hull_new(&h, point, count, &o, err);
  return s == PO_OK ? po_builder_own_hull(b, link, pose, h, err) : s;
}

po_status po_builder_hull(po_builder *b, const char *link, po_pose pose, const po_vec3 *point, int count, po_error *err) {
  po_hull_opts o = po_hull_opts_default();
  po_hull *h = NULL, *centred = NULL;
  po_status s;
  int at;
  if (!b || !link) return po_fail(err, PO_ERR_NULL, "po_builder_hull: builder and link are needed");
  at = po_names_find(&b->places, link);
  if (at < 0) return po_fail(err, PO_ERR_NAME, "shape: link '%s' does not exist", link);
  o.keep = po_m3_tmul_v(po_m3_mul(hull_rest(b, at), pose.R), po_v3(0, 0, -1));
  if ((s = po_hull_new(&h, point, count, &o, err)) != PO_OK) return s;
  hull_centre(h->vertex, h->vertices, &pose);
  o.keep = po_v3(0, 0, 0);
  s = po_hull_new(&centred, h->vertex, h->vertices, &o, err); /* its faces where it is now */
  po_hull_free(h);
  return s == PO_OK ? po_builder_own_hull(b, link, pose, centred, err) : s;
}

po_status po_builder_cylinder(po_builder *b, const char *link, po_pose pose, double radius, double half_length, po_error *err) {
  po_vec3 p[2 * HULL_SIDES];
  int i;
  if (!b || !link) return po_fail(err, PO_ERR_NULL, "po_builder_cylinder: builder and link are needed");
  if (!(radius > 0) || !(half_length > 0) || !po_isfinite(radius) || !po_isfinite(half_length))
    return po_fail(err, PO_ERR_RANGE, "link '%s': a cylinder's radius %g and half length %g must be positive", link, radius, half_length);
  for (i = 0; i < HULL_SIDES; i++) {
    double s, c;
    po_sincos(&s, &c, 2 * PO_PI * i / HULL_SIDES);
    p[2 * i] = po_v3(radius * c, radius * s, -half_length);
    p[2 * i + 1] = po_v3(radius * c, radius * s, half_length);
  }
  return po_builder_hull(b, link, pose, p, 2 * HULL_SIDES, err);
}

po_status po_builder_ellipsoid(po_builder *b, const char *link, po_pose pose, const double radii[3], po_error *err) {
  po_vec3 p[2 + 12 * HULL_RINGS];
  int i, k, n = 0;
  if (!b || !link || !radii) return po_fail(err, PO_ERR_NULL, "po_builder_ellipsoid: builder, link and radii are needed");
  for (i = 0; i < 3; i++)
    if (!(radii[i] > 0) || !po_isfinite(radii[i])) return po_fail(err, PO_ERR_RANGE, "link '%s': an ellipsoid's radius %g is not positive", link, radii[i]);
  p[n++] = po_v3(0, 0, -radii[2]);
  for (k = 1; k <= HULL_RINGS; k++)
    for (i = 0; i < 12; i++) {
      double s, c, up, out;
      po_sincos(&s, &c, PO_PI * (i + 0.5 * (k & 1)) / 6);
      po_sincos(&up, &out, PO_PI * k / (HULL_RINGS + 1) - PO_PI / 2);
      p[n++] = po_v3(radii[0] * c * out, radii[1] * s * out, radii[2] * up);
    }
  p[n++] = po_v3(0, 0, radii[2]);
  return po_builder_hull(b, link, pose, p, n, err);
}
