/* mjcf_read.c: models from MJCF text. docs/mjcf.md says what is read and what is left out.
 *
 * A body with several joints becomes a chain of links without mass, the last of which is the body. A link's frame stands at its joint, in the axes of the
 * file's body; where a joint is off the body's origin, that origin is the frame NAME_origin. Angles are zero where the file draws the body:
 * MuJoCo's qpos less the joint's ref.
 */
#include "mjcf.h"
#include <string.h>

typedef struct mjcf_body { /* one that is being read */
  const po_xml *node;
  char name[PO_MJCF_NAME], link[PO_MJCF_NAME]; /* the last link made: where the next one hangs */
  po_vec3 from;                                /* the body's origin in that link's frame */
  po_pose at;                                  /* the body in the frame `link` until there is a joint */
  const po_xml *joint;                         /* waits to be made, with its place, until it is known whether it is the last */
  po_mjcf_place joint_place;
  const po_xml *inertial;
  int joints, top;
} mjcf_body;

static po_status mjcf_read_body(po_mjcf *r, const po_xml *node, const po_mjcf_place *place, const char *parent, po_vec3 origin, int top);

/* ---- joints ---- */

static po_status mjcf_joint_range(po_mjcf *r, const po_mjcf_element *e, po_joint *j, double unit) {
  double range[2] = {0, 0}, ref = 0, margin = 0, force[2];
  int on, k, n = po_joint_nv(j->type);
  po_status s;
  if ((s = po_mjcf_limited(r, e, "limited", "range", &on)) != PO_OK || (s = po_mjcf_numbers(r, e, "range", range, 2, 2, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, e, "ref", &ref, 1, 1, NULL)) != PO_OK || (s = po_mjcf_numbers(r, e, "margin", &margin, 1, 1, NULL)) != PO_OK)
    return s;
  if (on && j->type == PO_JOINT_SPHERICAL) {
    po_mjcf_warn(r, e->node, "cone", "the range of ball joint '%s' is a cone; here each component of its rotation vector is bounded by it", j->name);
    for (k = 0; k < 3; k++) {
      j->upper[k] = po_min(unit * range[1] - margin, PO_PI - 0.05);
      j->lower[k] = -j->upper[k];
    }
  } else if (on) {
    if (!(range[0] <= range[1])) return PO_MJCF_FAIL(r, e->node, PO_ERR_BOUNDS, "joint '%s': the range %g to %g is empty", j->name, range[0], range[1]);
    j->lower[0] = unit * (range[0] - ref) + margin;
    j->upper[0] = unit * (range[1] - ref) - margin;
  }
  if ((s = po_mjcf_limited(r, e, "actuatorfrclimited", "actuatorfrcrange", &on)) != PO_OK || !on || !po_mjcf_attr(e, "actuatorfrcrange")) return s;
  s = po_mjcf_numbers(r, e, "actuatorfrcrange", force, 2, 2, NULL);
  for (k = 0; k < n && s == PO_OK; k++) j->effort[k] = po_max(po_abs(force[0]), po_abs(force[1]));
  return s;
}

static po_status mjcf_joint_dynamics(po_mjcf *r, const po_mjcf_element *e, po_joint *j) {
  static const char *const left_out[][2] = {{"stiffness", "springs (stiffness) of joints"}, {"frictionloss", "dry friction (frictionloss) of joints"}};
  double damping[3] = {0, 0, 0}, armature = 0, x[3] = {0, 0, 0};
  int i, n = po_joint_nv(j->type);
  po_status s;
  for (i = 0; i < 2; i++) {
    if ((s = po_mjcf_numbers(r, e, left_out[i][0], x, 0, 3, NULL)) != PO_OK) return s;
    if (po_mjcf_attr(e, left_out[i][0]) && x[0] != 0) po_mjcf_warn(r, e->node, left_out[i][0], "%s are not simulated (joint '%s' and perhaps others)", left_out[i][1], j->name);
    x[0] = 0;
  }
  if ((s = po_mjcf_numbers(r, e, "damping", damping, 0, 3, NULL)) != PO_OK || (s = po_mjcf_numbers(r, e, "armature", &armature, 1, 1, NULL)) != PO_OK) return s;
  if (!r->opts->keep_dynamics) return PO_OK;
  if (damping[0] < 0 || armature < 0) return PO_MJCF_FAIL(r, e->node, PO_ERR_RANGE, "joint '%s': damping and armature must not be negative", j->name);
  if (j->type == PO_JOINT_FLOATING && (damping[0] > 0 || armature > 0))
    po_mjcf_warn(r, e->node, "free", "damping and armature of the free joint '%s' are not used", j->name);
  for (i = 0; i < n && i < 3; i++) {
    j->damping[i] = damping[0];
    j->armature[i] = armature;
  }
  return PO_OK;
}

static po_status mjcf_joint_type(po_mjcf *r, const po_mjcf_element *e, po_joint_type *type) {
  static const char *const names[] = {"hinge", "slide", "ball", "free"};
  static const po_joint_type types[] = {PO_JOINT_REVOLUTE, PO_JOINT_PRISMATIC, PO_JOINT_SPHERICAL, PO_JOINT_FLOATING};
  const char *text = !strcmp(e->node->name, "freejoint") ? "free" : po_mjcf_attr(e, "type");
  int k;
  if (!text) text = "hinge";
  for (k = 0; k < 4; k++)
    if (!strcmp(text, names[k])) {
      *type = types[k];
      return PO_OK;
    }
  return PO_MJCF_FAIL(r, e->node, PO_ERR_PARSE, "joint type \"%.40s\" must be hinge, slide, ball or free", text);
}

/* Remembers how the link that was just added is drawn. */
static po_status mjcf_draw(po_mjcf *r, double ref, po_pose pose) {
  int at = r->b->links - 1;
  if (at >= r->drawn_room) {
    int room = r->drawn_room ? 2 * r->drawn_room : 32;
    po_mjcf_drawn *more = po_alloc(sizeof *more * (size_t)room);
    if (!more) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
    if (r->drawn) memcpy(more, r->drawn, sizeof *more * (size_t)r->drawn_room);
    po_free(r->drawn);
    r->drawn = more;
    r->drawn_room = room;
  }
  r->drawn[at].ref = ref;
  r->drawn[at].pose = pose;
  return PO_OK;
}

/* The link that carries a joint, massless as yet. */
static po_status mjcf_add_link(po_mjcf *r, mjcf_body *b, const po_xml *node, const po_joint *j, int last, double ref) {
  char link[PO_MJCF_NAME];
  po_status s;
  if (po_format(link, sizeof link, last ? "%s" : "%s_%s", b->name, j->name) >= (int)sizeof link) return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "the names of body and joint are too long: '%.60s'", b->name);
  r->b->line = node->line;
  s = po_mjcf_at(r, node, po_builder_link(r->b, link, b->link[0] ? b->link : NULL, j, NULL, r->err));
  memcpy(b->link, link, sizeof link);
  return s == PO_OK ? mjcf_draw(r, ref, b->at) : s;
}

/* The joint that waits; `last`: it moves the body itself. */
static po_status mjcf_make_joint(po_mjcf *r, mjcf_body *b, int last) {
  const po_xml *node = b->joint;
  po_joint_type type = PO_JOINT_REVOLUTE;
  double axis[3] = {0, 0, 1}, p[3] = {0, 0, 0}, ref = 0;
  char name[PO_MJCF_NAME];
  po_vec3 anchor;
  po_mjcf_element e;
  po_joint j;
  po_status s;
  if ((s = po_mjcf_open(r, &e, node, "joint", b->joint_place.cls)) != PO_OK) return s;
  if (!strcmp(node->name, "freejoint")) e.levels = 1; /* has no defaults */
  if ((s = mjcf_joint_type(r, &e, &type)) != PO_OK || (s = po_mjcf_name(r, node, b->joint_place.suffix, "joint", name)) != PO_OK ||
      (s = po_mjcf_numbers(r, &e, "axis", axis, 3, 3, NULL)) != PO_OK || (s = po_mjcf_numbers(r, &e, "pos", p, 3, 3, NULL)) != PO_OK)
    return s;
  if (type == PO_JOINT_FLOATING && (b->joints > 1 || !b->top)) return PO_MJCF_FAIL(r, node, PO_ERR_MODEL, "free joint '%s' must be the only joint of a body of the world", name);
  if (type == PO_JOINT_FLOATING && r->opts->fixed_base && b->joints == 1) type = PO_JOINT_FIXED;
  j = po_joint_default(type, name);
  if (type == PO_JOINT_FLOATING) p[0] = p[1] = p[2] = 0;
  anchor = po_v3_add(b->joint_place.pose.p, po_m3_mul_v(b->joint_place.pose.R, po_v3_of(p)));
  j.placement = po_pose_mul(b->at, po_pose_identity());
  j.placement.p = po_v3_add(b->at.p, po_m3_mul_v(b->at.R, anchor));
  if (type == PO_JOINT_FLOATING) j.placement = po_pose_identity();
  j.axis = po_m3_mul_v(b->joint_place.pose.R, po_v3_of(axis));
  if (type != PO_JOINT_FIXED && type != PO_JOINT_FLOATING && (s = mjcf_joint_range(r, &e, &j, type == PO_JOINT_PRISMATIC ? 1 : r->unit)) != PO_OK) return s;
  if (type != PO_JOINT_FIXED && (s = mjcf_joint_dynamics(r, &e, &j)) != PO_OK) return s;
  if (type != PO_JOINT_FLOATING && (s = po_mjcf_numbers(r, &e, "ref", &ref, 1, 1, NULL)) != PO_OK) return s;
  if ((s = mjcf_add_link(r, b, node, &j, last, type == PO_JOINT_REVOLUTE ? r->unit * ref : type == PO_JOINT_PRISMATIC ? ref : 0)) != PO_OK) return s;
  b->from = po_v3_scale(-1, anchor);
  b->at = po_pose_identity(); /* of the body in the new link: straight, shifted */
  b->at.p = b->from;
  return PO_OK;
}

/* ---- a body's elements, in three rounds: joints and mass; geoms and sites; bodies ---- */

static po_status mjcf_visit_joint(po_mjcf *r, void *user, const po_xml *n, const po_mjcf_place *place) {
  mjcf_body *b = user;
  po_status s = PO_OK;
  if (!strcmp(n->name, "inertial")) b->inertial = n;
  if (strcmp(n->name, "joint") && strcmp(n->name, "freejoint")) return PO_OK;
  if (++r->parts > PO_MJCF_PARTS) return PO_MJCF_FAIL(r, n, PO_ERR_SIZE, "more than %d parts", PO_MJCF_PARTS);
  if (b->joints) s = mjcf_make_joint(r, b, 0);
  b->joint = n;
  b->joint_place = *place;
  b->joints++;
  return s;
}

typedef struct mjcf_round { /* of shapes, or of bodies below */
  po_mjcf_solid solid;
  int top;
} mjcf_round;

/* Room for one more. */
static po_mjcf_site *mjcf_new_site(po_mjcf *r) {
  if (r->sites == r->site_room) {
    int room = r->site_room ? 2 * r->site_room : 32;
    po_mjcf_site *more = po_alloc(sizeof *more * (size_t)room);
    if (!more) return NULL;
    if (r->site) memcpy(more, r->site, sizeof *more * (size_t)r->sites);
    po_free(r->site);
    r->site = more;
    r->site_room = room;
  }
  return &r->site[r->sites];
}

static po_status mjcf_site_at(po_mjcf *r, const po_mjcf_solid *solid, const po_xml *n, const po_mjcf_place *place) {
  po_mjcf_site *site;
  double x[6];
  po_mjcf_element e;
  po_status s;
  if (!po_xml_attr(n, "name")) return PO_OK;
  if (++r->parts > PO_MJCF_PARTS) return PO_MJCF_FAIL(r, n, PO_ERR_SIZE, "more than %d parts", PO_MJCF_PARTS);
  if (!(site = mjcf_new_site(r))) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  if ((s = po_mjcf_open(r, &e, n, "site", place->cls)) != PO_OK || (s = po_mjcf_pose(r, &e, &site->pose)) != PO_OK || (s = po_mjcf_name(r, n, place->suffix, "site", site->name)) != PO_OK)
    return s;
  if (po_mjcf_attr(&e, "fromto")) {
    po_vec3 a, b;
    if ((s = po_mjcf_numbers(r, &e, "fromto", x, 6, 6, NULL)) != PO_OK) return s;
    a = po_v3_of(x);
    b = po_v3_of(x + 3);
    site->pose.p = po_v3_scale(0.5, po_v3_add(a, b));
    if (po_v3_norm(po_v3_sub(a, b)) > 1e-12) site->pose.R = po_mjcf_turn_z(po_v3_sub(a, b));
  }
  site->node = n;
  site->pose = po_pose_mul(place->pose, site->pose);
  site->pose.p = po_v3_add(site->pose.p, solid->origin);
  po_format(site->link, sizeof site->link, "%s", solid->link);
  r->sites++;
  return PO_OK;
}

/* Sites and bodies have names apart in MJCF: of a site that is called as a body is, the frame is NAME_site. */
static po_status mjcf_name_sites(po_mjcf *r) {
  char name[PO_MJCF_NAME + 8];
  po_status s = PO_OK;
  int i;
  for (i = 0; i < r->sites && s == PO_OK; i++) {
    const po_mjcf_site *t = &r->site[i];
    po_format(name, sizeof name, po_names_find(&r->b->places, t->name) == -1 ? "%s" : "%s_site", t->name);
    if (po_names_find(&r->b->places, name) == -1) s = po_mjcf_at(r, t->node, po_builder_frame(r->b, name, t->link, t->pose, r->err));
  }
  return s;
}

static po_status mjcf_visit_part(po_mjcf *r, void *user, const po_xml *n, const po_mjcf_place *place) {
  static const char *const silent[] = {"body", "joint", "freejoint", "inertial", "camera", "light", NULL};
  mjcf_round *t = user;
  int i;
  if (!strcmp(n->name, "geom")) return po_mjcf_geom(r, &t->solid, n, place);
  if (!strcmp(n->name, "site")) return t->solid.link ? mjcf_site_at(r, &t->solid, n, place) : PO_OK;
  for (i = 0; silent[i]; i++)
    if (!strcmp(n->name, silent[i])) return PO_OK;
  if (!strcmp(n->name, "composite") || !strcmp(n->name, "flexcomp") || !strcmp(n->name, "attach")) po_mjcf_warn(r, n, "macro", "<%s> is not used", n->name);
  else po_mjcf_warn(r, n, "element", "<%.40s> in a body is not used", n->name);
  return PO_OK;
}

static po_status mjcf_visit_body(po_mjcf *r, void *user, const po_xml *n, const po_mjcf_place *place) {
  mjcf_round *t = user;
  return strcmp(n->name, "body") ? PO_OK : mjcf_read_body(r, n, place, t->solid.link, t->solid.origin, t->top);
}

/* Mass of the body whose last link this is. */
static po_status mjcf_weigh(po_mjcf *r, const mjcf_body *b, po_mjcf_solid *solid) {
  po_builder_link_entry *e = &r->b->link[r->b->links - 1];
  po_status s;
  int at = po_names_find(&r->b->places, b->link);
  if (at >= 0) e = &r->b->link[at];
  if (!solid->want_inertia && b->inertial && (s = po_mjcf_inertial(r, b->inertial, &solid->sum)) != PO_OK) return s;
  if ((s = po_mjcf_tidy_inertia(r, &solid->sum)) != PO_OK) return s;
  solid->sum.com = po_v3_add(solid->sum.com, solid->origin);
  if ((s = po_mjcf_at(r, b->node, po_inertia_check(&solid->sum, b->name, r->err))) != PO_OK) return s;
  e->inertia = solid->sum;
  return PO_OK;
}

/* A body without a joint is fixed to what it hangs on; one with a joint off its origin gets a frame there. */
static po_status mjcf_make_links(po_mjcf *r, mjcf_body *b) {
  po_status s;
  if (b->joints) {
    if ((s = mjcf_make_joint(r, b, 1)) != PO_OK) return s;
  } else {
    char name[PO_MJCF_NAME];
    po_joint j;
    if (po_format(name, sizeof name, "%s_fixed", b->name) >= (int)sizeof name) return PO_MJCF_FAIL(r, b->node, PO_ERR_SIZE, "the name of body '%.60s…' is too long", b->name);
    j = po_joint_default(PO_JOINT_FIXED, name);
    j.placement = b->at;
    s = mjcf_add_link(r, b, b->node, &j, 1, 0);
    b->from = po_v3(0, 0, 0);
  }
  if (s == PO_OK && po_v3_norm(b->from) > 0) {
    char name[PO_MJCF_NAME];
    po_pose pose = po_pose_identity();
    pose.p = b->from;
    if (po_format(name, sizeof name, "%s_origin", b->name) < (int)sizeof name && po_names_find(&r->b->places, name) == -1)
      s = po_mjcf_at(r, b->node, po_builder_frame(r->b, name, b->link, pose, r->err));
  }
  return s;
}

static po_status mjcf_read_body(po_mjcf *r, const po_xml *node, const po_mjcf_place *place, const char *parent, po_vec3 origin, int top) {
  const char *cls = po_xml_attr(node, "childclass");
  po_mjcf_place inside = *place;
  po_mjcf_element e;
  mjcf_round round;
  mjcf_body b;
  po_status s;
  memset(&b, 0, sizeof b);
  b.node = node;
  b.top = top;
  e.node = e.level[0] = node;
  e.levels = 1;
  if (++r->parts > PO_MJCF_PARTS) return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "more than %d parts", PO_MJCF_PARTS);
  if ((s = po_mjcf_name(r, node, place->suffix, "body", b.name)) != PO_OK || (s = po_mjcf_pose(r, &e, &b.at)) != PO_OK) return s;
  if (parent) po_format(b.link, sizeof b.link, "%s", parent);
  b.at = po_pose_mul(place->pose, b.at);
  b.at.p = po_v3_add(b.at.p, origin);
  if (cls) inside.cls = cls;
  inside.pose = po_pose_identity();
  inside.depth++;
  if ((s = po_mjcf_walk(r, node, &inside, mjcf_visit_joint, &b)) != PO_OK || (s = mjcf_make_links(r, &b)) != PO_OK) return s;
  memset(&round, 0, sizeof round);
  round.solid.link = b.link;
  round.solid.origin = b.from;
  round.solid.sum = po_inertia_box(0, 0, 0, 0);
  round.solid.want_inertia = r->from_geom == PO_MJCF_YES || (r->from_geom == PO_MJCF_AUTO && !b.inertial);
  if ((s = po_mjcf_walk(r, node, &inside, mjcf_visit_part, &round)) != PO_OK || (s = mjcf_weigh(r, &b, &round.solid)) != PO_OK) return s;
  return po_mjcf_walk(r, node, &inside, mjcf_visit_body, &round);
}

/* ---- the world ---- */

typedef struct mjcf_tops {
  int bodies, free_ones;
} mjcf_tops;

static po_status mjcf_visit_top(po_mjcf *r, void *user, const po_xml *n, const po_mjcf_place *place) {
  mjcf_tops *t = user;
  const po_xml *j;
  if (strcmp(n->name, "body")) return PO_OK;
  if (++r->parts > PO_MJCF_PARTS) return PO_MJCF_FAIL(r, n, PO_ERR_SIZE, "more than %d parts", PO_MJCF_PARTS);
  t->bodies++;
  for (j = n->first; j; j = j->next) {
    po_mjcf_element e;
    po_joint_type type = PO_JOINT_FIXED;
    const char *cls = po_xml_attr(n, "childclass");
    po_status s;
    if (strcmp(j->name, "joint") && strcmp(j->name, "freejoint")) continue;
    if ((s = po_mjcf_open(r, &e, j, "joint", cls ? cls : place->cls)) != PO_OK || (s = mjcf_joint_type(r, &e, &type)) != PO_OK) return s;
    t->free_ones += type == PO_JOINT_FLOATING;
  }
  return PO_OK;
}

static po_status mjcf_world(po_mjcf *r) {
  const po_xml *n;
  po_mjcf_place place;
  mjcf_tops tops = {0, 0};
  mjcf_round round;
  po_status s = PO_OK;
  memset(&place, 0, sizeof place);
  place.pose = po_pose_identity();
  place.suffix = "";
  for (n = po_xml_child(r->file[0].root, "worldbody"); n && s == PO_OK; n = po_xml_next(n, "worldbody")) s = po_mjcf_walk(r, n, &place, mjcf_visit_top, &tops);
  if (s != PO_OK) return s;
  if (!tops.bodies) return PO_MJCF_FAIL(r, r->file[0].root, PO_ERR_MODEL, "the <worldbody> has no bodies");
  memset(&round, 0, sizeof round);
  round.top = 1;
  if (tops.bodies > 1 || !tops.free_ones) {
    po_joint j = po_joint_default(PO_JOINT_FIXED, "world_fixed");
    if ((s = po_builder_link(r->b, "world", NULL, &j, NULL, r->err)) != PO_OK || (s = mjcf_draw(r, 0, po_pose_identity())) != PO_OK) return s;
    round.solid.link = "world";
  }
  for (n = po_xml_child(r->file[0].root, "worldbody"); n && s == PO_OK; n = po_xml_next(n, "worldbody")) {
    round.solid.in_world = 1;
    if ((s = po_mjcf_walk(r, n, &place, mjcf_visit_part, &round)) == PO_OK) s = po_mjcf_walk(r, n, &place, mjcf_visit_body, &round);
  }
  return s;
}

/* <compiler settotalmass> */
static void mjcf_total_mass(po_mjcf *r) {
  double sum = 0, k;
  int i;
  for (i = 0; i < r->b->links; i++) sum += r->b->link[i].inertia.mass;
  if (!(r->total_mass > 0) || !(sum > 0)) return;
  k = r->total_mass / sum;
  for (i = 0; i < r->b->links; i++) {
    po_inertia *x = &r->b->link[i].inertia;
    x->mass *= k;
    x->I = po_m3_scale(k, x->I);
  }
}

static po_status mjcf_build(const po_model **model, po_mjcf *r) {
  const char *name = po_xml_attr(r->file[0].root, "model");
  po_status s;
  if ((s = po_mjcf_settings(r)) != PO_OK) return s;
  if ((s = po_builder_new(&r->b, name && *name ? name : "MuJoCo Model")) != PO_OK) return po_fail(r->err, s, "out of memory");
  r->b->file = r->file_name;
  r->b->lenient = 1;
  if ((s = mjcf_world(r)) != PO_OK || (s = mjcf_name_sites(r)) != PO_OK || (s = po_mjcf_motors(r)) != PO_OK || (s = po_mjcf_contacts(r)) != PO_OK || (s = po_mjcf_home(r)) != PO_OK) return s;
  mjcf_total_mass(r);
  if (r->strict != PO_OK) return r->strict;
  return po_mjcf_at(r, r->file[0].root, po_builder_finish(model, r->b, r->err));
}

po_status po_mjcf_read(const po_model **model, const char *text, size_t size, const char *file, const po_urdf_opts *opts, po_error *err) {
  po_urdf_opts standard = po_urdf_opts_default();
  po_mjcf r;
  po_error own;
  po_status s;
  if (!model || !text) return po_fail(err, PO_ERR_NULL, "po_mjcf_read: model and text are needed");
  memset(&r, 0, sizeof r);
  memset(&own, 0, sizeof own);
  r.file_name = file ? file : "";
  r.opts = opts ? opts : &standard;
  r.err = err ? err : &own;
  r.err->line = 0;
  if (r.opts->warnings) r.opts->warnings->count = 0;
  s = po_mjcf_load(&r, text, size);
  if (s == PO_OK) s = mjcf_build(model, &r);
  po_builder_free(r.b);
  po_free(r.key);
  po_free(r.drawn);
  po_free(r.site);
  po_mjcf_unload(&r);
  return s;
}
