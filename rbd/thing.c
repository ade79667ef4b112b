/* thing.c: crates and balls: models of a single solid. */
#include "rbd.h"

po_status po_thing_model(const po_model **model, const po_thing *t, po_error *err) {
  po_builder *b;
  po_joint root = po_joint_default(PO_JOINT_FLOATING, "root");
  po_pose centre = {po_m3_identity(), po_v3(0, 0, 0)};
  po_inertia inertia;
  po_status s;
  int k, sizes;
  if (!model || !t || !t->name) return po_fail(err, PO_ERR_NULL, "po_thing_model: a place for the model, a thing and its name are needed");
  if (t->type != PO_SPHERE && t->type != PO_BOX) return po_fail(err, PO_ERR_UNSUPPORTED, "thing '%s': a sphere or a box", t->name);
  sizes = t->type == PO_SPHERE ? 1 : 3;
  for (k = 0; k < sizes; k++)
    if (!(t->size[k] > 0 && t->size[k] < PO_INF)) return po_fail(err, PO_ERR_RANGE, "thing '%s': sizes must be positive", t->name);
  if (!(t->mass > 0 && t->mass < PO_INF)) return po_fail(err, PO_ERR_RANGE, "thing '%s': its mass must be positive", t->name);
  inertia = t->type == PO_SPHERE ? po_inertia_sphere(t->mass, t->size[0]) : po_inertia_box(t->mass, 2 * t->size[0], 2 * t->size[1], 2 * t->size[2]);
  if ((s = po_builder_new(&b, t->name)) != PO_OK) return po_fail(err, s, "out of memory");
  if ((s = po_builder_link(b, t->name, NULL, &root, &inertia, err)) == PO_OK && (s = po_builder_shape(b, t->name, t->type, centre, t->size, err)) == PO_OK)
    s = po_builder_finish(model, b, err);
  po_builder_free(b);
  return s;
}
