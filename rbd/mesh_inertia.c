/* mesh_inertia.c: mass, centre and inertia of what a mesh encloses, or of its surface.
 *
 * Over the tetrahedron (0, a, b, c) of signed volume V, with s = a + b + c:  ∫ x = V/4 s,  ∫ x x' = V/20 (s s' + a a' + b b' + c c');
 * over the triangle (a, b, c) of area A:  ∫ x = A/3 s,  ∫ x x' = A/12 (s s' + a a' + b b' + c c'). */
#include "mesh_internal.h"

static void mesh_add(po_mesh_sums *m, double mass, double first, double second, po_vec3 a, po_vec3 b, po_vec3 c) {
  po_vec3 s = po_v3_add(a, po_v3_add(b, c));
  po_mat3 P = po_m3_add(po_m3_add(po_m3_outer(s, s), po_m3_outer(a, a)), po_m3_add(po_m3_outer(b, b), po_m3_outer(c, c)));
  m->mass += mass;
  m->first = po_v3_addscaled(m->first, mass * first, s);
  m->second = po_m3_add(m->second, po_m3_scale(mass * second, P));
}

void po_mesh_add_tetrahedron(po_mesh_sums *m, po_vec3 a, po_vec3 b, po_vec3 c, int whichever) {
  double V = po_v3_dot(a, po_v3_cross(b, c)) / 6;
  mesh_add(m, whichever ? po_abs(V) : V, 0.25, 1.0 / 20, a, b, c);
}

po_inertia po_mesh_sums_inertia(const po_mesh_sums *m, double density, po_vec3 origin) {
  po_vec3 c = po_v3_scale(1 / m->mass, m->first);
  po_mat3 P = po_m3_scale(density, po_m3_sub(m->second, po_m3_scale(m->mass, po_m3_outer(c, c))));
  double trace = P.m[0] + P.m[4] + P.m[8];
  po_inertia x;
  x.mass = density * m->mass;
  x.com = po_v3_add(origin, c);
  x.I = po_m3_sub(po_m3_diag(trace, trace, trace), po_m3_scale(0.5, po_m3_add(P, po_m3_t(P))));
  return x;
}

/* The area's centre: what the pyramids stand on, and near enough that nothing cancels. */
static po_vec3 mesh_middle(const po_mesh *mesh) {
  po_vec3 sum = po_v3(0, 0, 0), o = mesh->vertex[0];
  double area = 0;
  int i;
  for (i = 0; i < mesh->triangles; i++) {
    const int *t = mesh->triangle[i];
    po_vec3 a = po_v3_sub(mesh->vertex[t[0]], o), b = po_v3_sub(mesh->vertex[t[1]], o), c = po_v3_sub(mesh->vertex[t[2]], o);
    double A = 0.5 * po_v3_norm(po_v3_cross(po_v3_sub(b, a), po_v3_sub(c, a)));
    sum = po_v3_addscaled(sum, A / 3, po_v3_add(a, po_v3_add(b, c)));
    area += A;
  }
  return area > 0 ? po_v3_addscaled(o, 1 / area, sum) : o;
}

po_status po_mesh_inertia(po_inertia *inertia, const po_mesh *mesh, po_mesh_solid kind, double density, po_error *err) {
  po_mesh_sums m = {0, {0, 0, 0}, {{0}}};
  po_vec3 o;
  int i;
  if (!inertia || !mesh) return po_fail(err, PO_ERR_NULL, "po_mesh_inertia: inertia and mesh are needed");
  if (!(density > 0) || !po_isfinite(density)) return po_fail(err, PO_ERR_RANGE, "a density must be positive, not %g", density);
  if (mesh->vertices < 1) return po_fail(err, PO_ERR_MODEL, "the mesh has no vertices");
  o = mesh_middle(mesh);
  for (i = 0; i < mesh->triangles; i++) {
    const int *t = mesh->triangle[i];
    po_vec3 a = po_v3_sub(mesh->vertex[t[0]], o), b = po_v3_sub(mesh->vertex[t[1]], o), d = po_v3_sub(mesh->vertex[t[2]], o);
    if (kind == PO_MESH_SHELL) mesh_add(&m, 0.5 * po_v3_norm(po_v3_cross(po_v3_sub(b, a), po_v3_sub(d, a))), 1.0 / 3, 1.0 / 12, a, b, d);
    else po_mesh_add_tetrahedron(&m, a, b, d, kind == PO_MESH_UNSIGNED);
  }
  if (!(m.mass > 0) || !po_isfinite(density * m.mass))
    return po_fail(err, PO_ERR_MODEL, kind == PO_MESH_EXACT && m.mass < 0 ? "the mesh is inside out: it encloses %g" : "the mesh encloses nothing: %g", m.mass);
  *inertia = po_mesh_sums_inertia(&m, density, o);
  return PO_OK;
}
