/* anatomy.c: a robot's legs, found from joints and shapes as the file draws it (zero pose).
 *
 *   tips      bodies on which nothing moves;  legs: of the pairs of tips that mirror each other, with chains of equal length, the lowest
 *   pelvis    the body where the two chains part;  lateral: from one foot to the other, across `up`
 *   knee      of the leg's hinges with a lateral axis the one that halves the leg's height; hip and ankle: the most lateral axes before and after
 *   facing    knees bend backwards: their range tells; when it is even, soles reach further ahead of the ankle than behind it
 *   sole      what of the foot lies within 12 mm of its lowest: its farthest points along the diagonals
 */
#include "map_internal.h"
#include "mesh.h"
#include <string.h>

#define ANATOMY_SOLE 0.012     /* m: thickness of the layer that is the sole; feet's collision meshes are rounded by as much */
#define ANATOMY_LATERAL 0.8    /* cosine: a knee's axis is lateral. Hips and ankles may be tilted by more */
#define ANATOMY_EVEN 0.1       /* rad: ranges of a knee that differ by less tell nothing */
#define ANATOMY_LEVEL 0.05     /* of the height: feet stand on one level */
#define ANATOMY_DOWN 0.7       /* cosine: from hip to foot it goes down */
#define ANATOMY_APART 0.03     /* of the height: the least distance of two feet */

/* ---- chains ---- */

void po_chain_to(po_chain *c, const po_model *m, int body) {
  int i, n = 0;
  for (i = body; i >= 0 && m->joint[i].parent >= 0; i = m->joint[i].parent) n++;
  c->n = n > PO_CHAIN_MAX ? 0 : n;
  for (i = body; c->n && n > 0; i = m->joint[i].parent) c->body[--n] = i;
}

int po_chain_common(const po_chain *a, const po_chain *b) {
  int n = 0;
  while (n < a->n && n < b->n && a->body[n] == b->body[n]) n++;
  return n;
}

po_vec3 po_chain_axis(const po_data *d, int body, po_vec3 lateral) {
  const po_joint *j = &d->model->joint[body];
  if (j->type != PO_JOINT_REVOLUTE) return j->type == PO_JOINT_PRISMATIC ? po_v3(0, 0, 0) : lateral;
  return po_m3_mul_v(d->pose[body].R, j->axis); /* turning about it leaves it where it is */
}

/* ---- shapes ---- */

static int anatomy_box(po_reach_point *out, po_pose pose, po_vec3 half) {
  int k;
  for (k = 0; k < 8; k++) {
    out[k].p = po_v3_add(pose.p, po_m3_mul_v(pose.R, po_v3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z)));
    out[k].radius = 0;
  }
  return 8;
}

/* The box of even density that has the inertia. */
static int anatomy_inertia_box(po_reach_point *out, const po_data *d, int body) {
  const po_inertia *I = &d->model->inertia[body];
  double w[3], s;
  po_pose pose;
  if (!(I->mass > 0) || po_eig_sym3(w, &pose.R, I->I) != PO_OK) return 0;
  if (po_m3_det(pose.R) < 0) pose.R = po_m3_scale(-1, pose.R);
  s = 0.5 * (w[0] + w[1] + w[2]);
  pose.p = I->com;
  pose = po_pose_mul(d->pose[body], pose);
  return anatomy_box(out, pose, po_v3(sqrt(po_max(3 * (s - w[0]) / I->mass, 0)), sqrt(po_max(3 * (s - w[1]) / I->mass, 0)), sqrt(po_max(3 * (s - w[2]) / I->mass, 0))));
}

static int anatomy_shape(po_reach_point *out, int room, const po_shape *s, po_pose pose) {
  po_vec3 along = po_m3_col(pose.R, 2);
  int k;
  if (room < 8) return 0;
  switch (s->type) {
  case PO_SPHERE:
    out[0].p = pose.p;
    out[0].radius = s->size[0];
    return 1;
  case PO_CAPSULE:
    for (k = 0; k < 2; k++) {
      out[k].p = po_v3_addscaled(pose.p, k ? s->size[1] : -s->size[1], along);
      out[k].radius = s->size[0];
    }
    return 2;
  case PO_HULL:
    for (k = 0; s->hull && k < s->hull->vertices && k < room; k++) {
      out[k].p = po_v3_add(pose.p, po_m3_mul_v(pose.R, s->hull->vertex[k]));
      out[k].radius = 0;
    }
    return k;
  default: return anatomy_box(out, pose, po_v3(s->size[0], s->size[1], s->size[2]));
  }
}

#define ANATOMY_ABSURD 0.25 /* of the height of all joints: half a box's extent */

double po_joints_height(const po_data *d, po_vec3 up) {
  double low = PO_INF, high = -PO_INF;
  int i;
  for (i = 0; i < d->model->nb; i++) {
    low = po_min(low, po_v3_dot(up, d->pose[i].p));
    high = po_max(high, po_v3_dot(up, d->pose[i].p));
  }
  return high - low;
}

int po_shape_is_absurd(const po_shape *s, double height) {
  int k, wide = 0;
  for (k = 0; k < 3; k++) wide += s->size[k] > ANATOMY_ABSURD * height;
  return s->type == PO_BOX && wide >= 2;
}

static int anatomy_shapes(po_reach_point out[PO_REACH_MAX], const po_data *d, int body) {
  double height = po_joints_height(d, po_v3(0, 0, 1));
  int i, n = 0;
  if (!(height > 0)) height = PO_INF;
  for (i = 0; i < d->model->shapes; i++)
    if (d->model->shape[i].body == body && !po_shape_is_absurd(&d->model->shape[i], height)) n += anatomy_shape(out + n, PO_REACH_MAX - n, &d->model->shape[i], po_pose_mul(d->pose[body], d->model->shape[i].pose));
  return n;
}

int po_body_points(po_reach_point out[PO_REACH_MAX], const po_data *d, int body) {
  int n = anatomy_shapes(out, d, body);
  return n ? n : anatomy_inertia_box(out, d, body);
}

double po_shape_low(const po_shape *s, po_pose pose, po_vec3 up) {
  po_reach_point point[PO_REACH_MAX];
  double low = PO_INF;
  int i, n = anatomy_shape(point, PO_REACH_MAX, s, pose);
  for (i = 0; i < n; i++) low = po_min(low, po_v3_dot(up, point[i].p) - point[i].radius);
  return low;
}

/* Of a body without shapes its origin tells: published inertias of small parts are often those of boxes of two metres. */
double po_body_low(const po_data *d, int body, po_vec3 up) {
  po_reach_point point[PO_REACH_MAX];
  double low = PO_INF;
  int i, n = anatomy_shapes(point, d, body);
  for (i = 0; i < n; i++) low = po_min(low, po_v3_dot(up, point[i].p) - point[i].radius);
  return n ? low : po_v3_dot(up, d->pose[body].p);
}

/* ---- legs ---- */

typedef struct anatomy_legs {
  int tip[2], pelvis, knee[2]; /* knee: place in the leg's own chain */
  po_chain chain[2];           /* own: without what both have in common */
  double low;
} anatomy_legs;

/* Height over all bodies, shapes included. */
static double anatomy_height(const po_data *d, po_vec3 up) {
  double low = PO_INF, high = -PO_INF;
  int i;
  for (i = 0; i < d->model->nb; i++) {
    low = po_min(low, po_body_low(d, i, up));
    high = po_max(high, -po_body_low(d, i, po_v3_scale(-1, up)));
  }
  return high - low;
}

static double anatomy_mass(const po_model *m, int body) {
  double sum = 0;
  int i;
  for (i = body; i < m->subtree_end[body]; i++) sum += m->inertia[i].mass;
  return sum;
}

/* Whether two tips could be a pair of feet: chains of equal length and mass, on one level, apart. */
static int anatomy_pair(const po_data *d, int a, int b, po_vec3 up, double height, anatomy_legs *out) {
  const po_model *m = d->model;
  double la = po_body_low(d, a, up), lb = po_body_low(d, b, up), ma, mb;
  po_vec3 between = po_v3_sub(d->pose[a].p, d->pose[b].p), leg;
  po_chain ca, cb;
  int common, i;
  between = po_v3_addscaled(between, -po_v3_dot(up, between), up);
  if (po_abs(la - lb) > ANATOMY_LEVEL * height || po_v3_norm(between) < ANATOMY_APART * height) return 0;
  po_chain_to(&ca, m, a);
  po_chain_to(&cb, m, b);
  common = po_chain_common(&ca, &cb);
  if (ca.n != cb.n || ca.n - common < 2) return 0;
  leg = po_v3_sub(d->pose[ca.body[common]].p, d->pose[a].p);
  if (!(po_v3_dot(up, leg) > ANATOMY_DOWN * po_v3_norm(leg))) return 0;
  ma = anatomy_mass(m, ca.body[common]);
  mb = anatomy_mass(m, cb.body[common]);
  if (po_abs(ma - mb) > 0.1 * po_max(ma, mb)) return 0;
  out->tip[0] = a;
  out->tip[1] = b;
  out->pelvis = common ? ca.body[common - 1] : 0;
  out->low = 0.5 * (la + lb);
  out->chain[0].n = out->chain[1].n = ca.n - common;
  for (i = 0; i < ca.n - common; i++) {
    out->chain[0].body[i] = ca.body[common + i];
    out->chain[1].body[i] = cb.body[common + i];
  }
  return 1;
}

static int anatomy_is_tip(const po_model *m, int body) { return body > 0 && m->subtree_end[body] == body + 1; }

/* The lowest pair, and how many tips stand as low as it does. */
static int anatomy_find_legs(const po_data *d, po_vec3 up, anatomy_legs *best, int *feet) {
  const po_model *m = d->model;
  double height = anatomy_height(d, up);
  anatomy_legs legs;
  int a, b, found = 0;
  for (a = 1; a < m->nb; a++)
    for (b = a + 1; anatomy_is_tip(m, a) && b < m->nb; b++)
      if (anatomy_is_tip(m, b) && anatomy_pair(d, a, b, up, height, &legs) && (!found || legs.low < best->low - 1e-9)) {
        *best = legs;
        found = 1;
      }
  *feet = 0;
  for (a = 1; a < m->nb && found; a++) {
    po_chain c;
    if (!anatomy_is_tip(m, a) || po_body_low(d, a, up) > best->low + ANATOMY_LEVEL * height) continue;
    po_chain_to(&c, m, a);
    *feet += c.n >= 2;
  }
  return found;
}

/* The place in the chain of the hinge with a lateral axis that divides hip and tip most evenly; −1: none. */
static int anatomy_knee(const po_data *d, const po_chain *c, po_vec3 lateral, po_vec3 up, int tip) {
  double high = po_v3_dot(up, d->pose[c->body[0]].p), low = po_body_low(d, tip, up), best = 0.45; /* of the leg, from its middle */
  int i, knee = -1;
  for (i = 1; i < c->n - 1; i++) {
    double share = (high - po_v3_dot(up, d->pose[c->body[i]].p)) / po_max(high - low, 1e-9);
    if (d->model->joint[c->body[i]].type != PO_JOINT_REVOLUTE || po_abs(po_v3_dot(lateral, po_chain_axis(d, c->body[i], lateral))) < ANATOMY_LATERAL) continue;
    if (po_abs(share - 0.5) >= best) continue;
    best = po_abs(share - 0.5);
    knee = i;
  }
  return knee;
}

/* The body of chain places [from, to) whose joint turns most about the lateral axis. */
static int anatomy_most_lateral(const po_data *d, const po_chain *c, int from, int to, po_vec3 lateral) {
  double best = 0.3;
  int i, body = -1;
  for (i = from; i < to; i++) {
    double along = po_abs(po_v3_dot(lateral, po_chain_axis(d, c->body[i], lateral)));
    if (along <= best + 1e-9) continue;
    best = along;
    body = c->body[i];
  }
  return body;
}

/* ---- facing ---- */

/* How much further the knee turns positively about `lateral` than negatively, rad. */
static double anatomy_knee_range(const po_data *d, int knee, po_vec3 lateral) {
  const po_joint *j = &d->model->joint[knee];
  double s = po_v3_dot(lateral, po_chain_axis(d, knee, lateral));
  if (!po_isfinite(j->lower[0]) || !po_isfinite(j->upper[0])) return 0;
  return s > 0 ? j->lower[0] + j->upper[0] : -j->lower[0] - j->upper[0];
}

/* Middle of the sole's layer, world. */
static int anatomy_sole_points(po_reach_point *point, const po_data *d, int foot, po_vec3 up) {
  double low = PO_INF;
  int i, k = 0, n = po_body_points(point, d, foot);
  for (i = 0; i < n; i++) low = po_min(low, po_v3_dot(up, point[i].p) - point[i].radius);
  for (i = 0; i < n; i++) {
    po_vec3 p = po_v3_addscaled(point[i].p, -point[i].radius, up);
    if (po_v3_dot(up, p) > low + ANATOMY_SOLE) continue;
    point[k].radius = point[i].radius;
    point[k++].p = po_v3_addscaled(p, low - po_v3_dot(up, p), up); /* on the ground */
  }
  return k;
}

static void anatomy_extent(const po_reach_point *point, int n, po_vec3 axis, double *lo, double *hi) {
  int i;
  *lo = PO_INF;
  *hi = -PO_INF;
  for (i = 0; i < n; i++) {
    *lo = po_min(*lo, po_v3_dot(axis, point[i].p));
    *hi = po_max(*hi, po_v3_dot(axis, point[i].p));
  }
}

/* Whether it faces lateral × up; −1: the other way. */
static int anatomy_facing(const po_data *d, const anatomy_legs *l, po_vec3 lateral, po_vec3 up, const int *ankle) {
  po_reach_point point[PO_REACH_MAX];
  po_vec3 forward = po_v3_cross(lateral, up);
  double range = 0, ahead = 0, lo, hi;
  int f;
  for (f = 0; f < 2; f++) range += 0.5 * anatomy_knee_range(d, l->chain[f].body[l->knee[f]], lateral);
  if (po_abs(range) > ANATOMY_EVEN) return range > 0 ? 1 : -1;
  for (f = 0; f < 2; f++) {
    anatomy_extent(point, anatomy_sole_points(point, d, l->tip[f], up), forward, &lo, &hi);
    ahead += 0.5 * (lo + hi) - po_v3_dot(forward, d->pose[ankle[f]].p);
  }
  return ahead >= 0 ? 1 : -1;
}

/* ---- soles ---- */

/* The farthest points along the diagonals: a rectangle's are its corners; a round or pointed foot's lie on its rim. */
/* Of a foot without a shape, as people's are to their legs: under the ankle, a quarter of it behind. */
static void anatomy_guess_sole(po_map *map, const po_data *d, int side) {
  static const int ahead[4] = {0, 0, 1, 1}, left[4] = {1, -1, -1, 1};
  int k, foot = map->body[PO_ROLE_FOOT_L + side];
  double leg = po_v3_dot(map->up, po_v3_sub(d->pose[map->hip[side]].p, d->pose[foot].p));
  po_vec3 y = po_v3_cross(map->up, map->forward);
  map->made_up = 1;
  for (k = 0; k < 4; k++) {
    po_vec3 p = po_v3_scale(-0.08 * leg, map->up);
    p = po_v3_addscaled(p, (ahead[k] ? 0.19 : -0.07) * leg, map->forward);
    map->corner[side][k] = po_m3_tmul_v(d->pose[foot].R, po_v3_addscaled(p, 0.05 * leg * left[k], y));
  }
}

static void anatomy_sole(po_map *map, const po_data *d, int side) {
  static const int ahead[4] = {-1, -1, 1, 1}, left[4] = {1, -1, -1, 1};
  po_reach_point point[PO_REACH_MAX];
  int i, k, foot = map->body[PO_ROLE_FOOT_L + side], n;
  po_vec3 x = map->forward, y = po_v3_cross(map->up, map->forward);
  double x0, x1, y0, y1;
  if (anatomy_shapes(point, d, foot) == 0) {
    anatomy_guess_sole(map, d, side);
    return;
  }
  n = anatomy_sole_points(point, d, foot, map->up);
  anatomy_extent(point, n, x, &x0, &x1);
  anatomy_extent(point, n, y, &y0, &y1);
  for (k = 0; k < 4; k++) {
    double best = -PO_INF;
    int at = 0;
    for (i = 0; i < n; i++) {
      double u = (po_v3_dot(x, point[i].p) - 0.5 * (x0 + x1)) / po_max(x1 - x0, 1e-6), v = (po_v3_dot(y, point[i].p) - 0.5 * (y0 + y1)) / po_max(y1 - y0, 1e-6);
      double reach = ahead[k] * u + left[k] * v;
      if (reach <= best + 1e-9) continue;
      best = reach;
      at = i;
    }
    map->corner[side][k] = n ? po_m3_tmul_v(d->pose[foot].R, po_v3_sub(point[at].p, d->pose[foot].p)) : po_v3(0, 0, 0);
  }
}

/* ---- the map ---- */

static po_status anatomy_leg(po_map *map, const po_data *d, anatomy_legs *l, po_vec3 *lateral, po_error *err) {
  const po_model *m = d->model;
  int f, swap;
  po_chain chain;
  for (f = 0; f < 2; f++) {
    l->knee[f] = anatomy_knee(d, &l->chain[f], *lateral, map->up, l->tip[f]);
    if (l->knee[f] < 0) return po_fail(err, PO_ERR_MODEL, "no knee: of the %d joints to '%s' none with a lateral axis halves the leg", l->chain[f].n, m->body_name[l->tip[f]]);
    map->hip[f] = anatomy_most_lateral(d, &l->chain[f], 0, l->knee[f], *lateral);
    map->ankle[f] = anatomy_most_lateral(d, &l->chain[f], l->knee[f] + 1, l->chain[f].n, *lateral);
    if (map->hip[f] < 0) return po_fail(err, PO_ERR_MODEL, "no hip: no joint above the knee '%s' turns about the lateral axis", m->joint[l->chain[f].body[l->knee[f]]].name);
    if (map->ankle[f] < 0) return po_fail(err, PO_ERR_MODEL, "no ankle: no joint below the knee '%s' turns about the lateral axis", m->joint[l->chain[f].body[l->knee[f]]].name);
  }
  if (anatomy_facing(d, l, *lateral, map->up, map->ankle) < 0) *lateral = po_v3_scale(-1, *lateral);
  map->forward = po_v3_cross(*lateral, map->up);
  swap = po_v3_dot(*lateral, po_v3_sub(d->pose[l->tip[0]].p, d->pose[l->tip[1]].p)) < 0; /* left comes first */
  if (swap) {
    int k = l->tip[0];
    l->tip[0] = l->tip[1], l->tip[1] = k;
    k = l->knee[0], l->knee[0] = l->knee[1], l->knee[1] = k;
    k = map->hip[0], map->hip[0] = map->hip[1], map->hip[1] = k;
    k = map->ankle[0], map->ankle[0] = map->ankle[1], map->ankle[1] = k;
    chain = l->chain[0];
    l->chain[0] = l->chain[1];
    l->chain[1] = chain;
  }
  map->body[PO_ROLE_PELVIS] = l->pelvis;
  for (f = 0; f < 2; f++) {
    int knee = l->chain[f].body[l->knee[f]];
    map->body[PO_ROLE_THIGH_L + f] = l->chain[f].body[l->knee[f] - 1];
    map->body[PO_ROLE_SHANK_L + f] = knee;
    map->body[PO_ROLE_FOOT_L + f] = l->tip[f];
    map->bent[f] = po_v3_dot(*lateral, po_chain_axis(d, knee, *lateral)) > 0 ? 1 : -1;
  }
  return PO_OK;
}

static po_status anatomy_propose(po_map *map, po_data *d, po_error *err) {
  const po_model *m = map->model;
  anatomy_legs legs;
  po_vec3 lateral;
  po_status s;
  po_kinematics(d, map->rest, NULL);
  memset(&legs, 0, sizeof legs);
  map->height = po_joints_height(d, map->up);
  if (!m->floating) return po_fail(err, PO_ERR_MODEL, "'%s' hangs on the world: it has no legs to stand on", m->name);
  if (!anatomy_find_legs(d, map->up, &legs, &map->feet)) map->up = po_v3(0, 1, 0); /* some are drawn y up */
  if (map->up.y > 0 && !anatomy_find_legs(d, map->up, &legs, &map->feet)) return po_fail(err, PO_ERR_MODEL, "'%s' has no two legs: no two chains of joints that end low mirror each other", m->name);
  if (map->feet != 2) return po_fail(err, PO_ERR_MODEL, "'%s' stands on %d feet: only bodies of two legs are mapped", m->name, map->feet);
  lateral = po_v3_sub(d->pose[legs.tip[0]].p, d->pose[legs.tip[1]].p);
  lateral = po_v3_unit(po_v3_addscaled(lateral, -po_v3_dot(map->up, lateral), map->up));
  if ((s = anatomy_leg(map, d, &legs, &lateral, err)) != PO_OK) return s;
  anatomy_sole(map, d, 0);
  anatomy_sole(map, d, 1);
  po_map_find_arms(map, d, legs.chain);
  return po_map_find_rest(map, err);
}

po_status po_map_propose(po_map **out, const po_model *model, po_error *err) {
  po_map *map;
  po_data *d = NULL;
  po_status s;
  if (!out || !model) return po_fail(err, PO_ERR_NULL, "po_map_propose: map and model are needed");
  map = po_map_empty(model);
  if (!map || po_data_new(&d, model) != PO_OK) s = po_fail(err, PO_ERR_MEMORY, "out of memory");
  else s = anatomy_propose(map, d, err);
  po_data_free(d);
  if (s == PO_OK) *out = map;
  else po_map_free(map);
  return s;
}
