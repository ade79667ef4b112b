/* map_rest.c: a pose in which a mapped robot stands at rest, within its joint limits: knees bent a little, soles level, COM above them, pelvis upright.
 *
 * Damped Gauss–Newton on the configuration manifold: each round solves  (JᵀWJ + D) dv = JᵀW e + D (q0 ⊖ q)  for the rows below and moves by dv;
 * D draws softly to the pose it began at. Hinges that stand at a limit and would leave it are held, and the rest is solved again.
 */
#include "map_internal.h"
#include <string.h>

#define REST_ROUNDS 80
#define REST_STEP 0.15   /* rad, m: the most of a round */
#define REST_MARGIN 0.02 /* of a joint's range: how far from a limit it stays */
#define REST_LEVEL 5e-3  /* m: corners of the soles are level when they are within this */
#define REST_BENT 0.05  /* rad: a home pose with straight knees is no rest */
#define REST_HELD 1e9   /* damping of a hinge that would leave its limits */
#define REST_PASSES 4   /* solves of a round, each holding more hinges */
enum { REST_ROWS = 8 + 2 + 1 + 2 + 3 + 2 };
static const double rest_level = 300, rest_ahead = 30, rest_com = 60, rest_upright = 30, rest_knee = 10, rest_pull_leg = 1, rest_pull_other = 30;

typedef struct rest_work {
  po_map *map;
  po_data *data;
  po_mat J, N;
  double *e, *dv, *back, *start;
  int from_home;
  unsigned char *held; /* [nv] hinges at a limit */
  po_mat3 upright; /* of the root */
  po_mat3 pelvis;  /* of the pelvis */
} rest_work;

static void rest_row(rest_work *w, int row, double weight, double error) {
  w->e[row] = weight * error;
  po_scale(po_row(w->J, row), weight, w->J.cols);
}

/* Row = direction · Jacobian of the corner, added. */
static void rest_add_point(rest_work *w, int row, int side, po_vec3 point, po_vec3 direction, double scale) {
  int foot = w->map->body[PO_ROLE_FOOT_L + side];
  po_vec3 at = po_point_position(w->data, foot, point);
  double *y = po_row(w->J, row);
  po_apply_force(y, w->data, foot, at, po_v3_scale(scale, direction)); /* J' f */
}

static double rest_linearize(rest_work *w, const double *q) {
  const po_map *map = w->map;
  po_data *d = w->data;
  po_vec3 centre[2], z = po_v3(0, 0, 1), x = po_v3(1, 0, 0), y = po_v3(0, 1, 0), turn, off;
  double low = PO_INF, high = -PO_INF;
  int f, k, row = 0;
  po_kinematics(d, q, NULL);
  po_com_jacobian(d);
  memset(w->J.a, 0, sizeof(double) * (size_t)(w->J.ld * REST_ROWS));
  for (f = 0; f < 2; f++) {
    int foot = map->body[PO_ROLE_FOOT_L + f];
    centre[f] = po_v3(0, 0, 0);
    for (k = 0; k < 4; k++, row++) {
      po_vec3 p = po_point_position(d, foot, map->corner[f][k]);
      centre[f] = po_v3_addscaled(centre[f], 0.25, p);
      low = po_min(low, p.z);
      high = po_max(high, p.z);
      rest_add_point(w, row, f, map->corner[f][k], z, 1);
      rest_row(w, row, rest_level, -p.z);
    }
  }
  for (f = 0; f < 2; f++, row++) { /* heel to toe straight ahead */
    const po_vec3 *c = map->corner[f];
    po_vec3 heel = po_v3_scale(0.5, po_v3_add(c[0], c[1])), toe = po_v3_scale(0.5, po_v3_add(c[2], c[3]));
    int foot = map->body[PO_ROLE_FOOT_L + f];
    rest_add_point(w, row, f, toe, y, 1);
    rest_add_point(w, row, f, heel, y, -1);
    rest_row(w, row, rest_ahead, po_point_position(d, foot, heel).y - po_point_position(d, foot, toe).y);
  }
  for (f = 0; f < 2; f++)
    for (k = 0; k < 4; k++) rest_add_point(w, row, f, map->corner[f][k], x, f ? -0.25 : 0.25);
  rest_row(w, row++, rest_ahead, centre[1].x - centre[0].x);
  off = po_v3_sub(po_v3_scale(0.5, po_v3_add(centre[0], centre[1])), d->com);
  for (k = 0; k < 2; k++, row++) {
    double *to = po_row(w->J, row), *com = po_row(d->Jcom, k);
    int i, corner;
    for (f = 0; f < 2; f++)
      for (corner = 0; corner < 4; corner++) rest_add_point(w, row, f, map->corner[f][corner], k ? y : x, -0.125);
    for (i = 0; i < w->J.cols; i++) to[i] += com[i];
    rest_row(w, row, rest_com, k ? off.y : off.x);
  }
  turn = po_q_log(po_q_from_matrix(po_m3_mult(w->pelvis, d->pose[map->body[PO_ROLE_PELVIS]].R)));
  po_jacobian_angular(po_block(w->J, row, 0, 3, w->J.cols), d, map->body[PO_ROLE_PELVIS]);
  for (k = 0; k < 3; k++, row++) rest_row(w, row, rest_upright, k == 0 ? turn.x : k == 1 ? turn.y : turn.z);
  for (f = 0; f < 2; f++, row++) {
    const po_joint *knee = &d->model->joint[map->body[PO_ROLE_SHANK_L + f]];
    po_row(w->J, row)[knee->v] = 1;
    rest_row(w, row, rest_knee, (w->from_home ? d->model->home[knee->q] : map->bent[f] * map->bend) - q[knee->q]);
  }
  return high - low;
}

/* Where a hinge or slide may stand: a little within its limits. */
static int rest_range(const po_joint *j, double *lower, double *upper) {
  double margin;
  if (j->type != PO_JOINT_REVOLUTE && j->type != PO_JOINT_PRISMATIC) return 0;
  margin = po_isfinite(j->upper[0] - j->lower[0]) ? REST_MARGIN * (j->upper[0] - j->lower[0]) : 0;
  *lower = j->lower[0] + margin;
  *upper = j->upper[0] - margin;
  return 1;
}

static void rest_clip(double *q, const po_model *m) {
  double lower, upper;
  int i;
  for (i = 0; i < m->nb; i++)
    if (rest_range(&m->joint[i], &lower, &upper)) q[m->joint[i].q] = po_clamp(q[m->joint[i].q], lower, upper);
}

static int rest_is_leg(const po_map *map, int body) {
  int f;
  for (f = 0; f < 2; f++) {
    int foot = map->body[PO_ROLE_FOOT_L + f];
    if (body > map->body[PO_ROLE_PELVIS] && foot >= body && foot < map->model->subtree_end[body]) return 1;
  }
  return 0;
}

/* One solve; hinges that are held do not move. */
static po_status rest_solve(rest_work *w) {
  const po_model *m = w->map->model;
  int i;
  po_status s;
  po_syrk(w->N, PO_LOWER, 0, 1, w->J, PO_T);
  po_gemv_t(w->dv, w->J, w->e);
  for (i = 0; i < m->nv; i++) {
    double pull = i < 6 || rest_is_leg(w->map, m->dof_body[i]) ? rest_pull_leg : rest_pull_other;
    PO_AT(w->N, i, i) += pull + (w->held[i] ? REST_HELD : 0);
    if (i >= 6) w->dv[i] += pull * w->back[i];
  }
  if ((s = po_cholesky(w->N, NULL, w->N)) == PO_OK) po_cholesky_solve(w->dv, w->N);
  return s;
}

/* Holds what the step would take out of its limits; returns how many. */
static int rest_hold(rest_work *w, const double *q) {
  const po_model *m = w->map->model;
  int i, more = 0;
  for (i = 1; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    double lower, upper, at = q[j->q] + w->dv[j->v];
    if (!rest_range(j, &lower, &upper) || w->held[j->v] || (at >= lower - 1e-6 && at <= upper + 1e-6) || (q[j->q] > lower + 1e-3 && q[j->q] < upper - 1e-3)) continue;
    w->held[j->v] = 1; /* it stands at the limit already */
    more++;
  }
  return more;
}

static po_status rest_round(rest_work *w, double *q) {
  const po_model *m = w->map->model;
  double largest;
  int pass;
  po_status s;
  po_difference(w->back, m, q, w->start);
  memset(w->held, 0, (size_t)m->nv);
  for (pass = 0; pass < REST_PASSES; pass++) {
    if ((s = rest_solve(w)) != PO_OK) return s;
    if (!rest_hold(w, q)) break;
  }
  largest = po_norm_inf(w->dv, m->nv);
  po_integrate(q, m, q, w->dv, largest > REST_STEP ? REST_STEP / largest : 1);
  rest_clip(q, m);
  return PO_OK;
}

/* The file's home pose, when it moves the legs: knees then stay as they are there. */
static int rest_from_home(const po_map *map, double *q) {
  const po_model *m = map->model;
  int f, bent = 1;
  for (f = 0; f < 2 && m->home; f++) bent &= po_abs(m->home[m->joint[map->body[PO_ROLE_SHANK_L + f]].q]) > REST_BENT;
  if (!m->home || !bent) return 0;
  memcpy(q + 7, m->home + 7, sizeof(double) * (size_t)(m->nq - 7));
  return 1;
}

/* Knees bent, hips and ankles sharing it; the base turned so that up is z and ahead is x. */
static void rest_start(rest_work *w, double *q) {
  const po_map *map = w->map;
  const po_model *m = map->model;
  po_vec3 left = po_v3_cross(map->up, map->forward);
  po_mat3 turn = po_m3(map->forward.x, map->forward.y, map->forward.z, left.x, left.y, left.z, map->up.x, map->up.y, map->up.z);
  int f;
  po_kinematics(w->data, q, NULL);
  w->pelvis = po_m3_mul(turn, w->data->pose[map->body[PO_ROLE_PELVIS]].R);
  po_q_to(q, po_q_mul(po_q_from_matrix(turn), po_q_of(q)));
  po_v3_to(q + 4, po_m3_mul_v(turn, po_v3_of(q + 4)));
  w->from_home = rest_from_home(map, q);
  for (f = 0; f < 2; f++) {
    int body[3], k;
    double angle[3];
    if (w->from_home) break;
    body[0] = map->hip[f], body[1] = map->body[PO_ROLE_SHANK_L + f], body[2] = map->ankle[f];
    angle[0] = -0.5 * map->bend, angle[1] = map->bend, angle[2] = -0.5 * map->bend;
    for (k = 0; k < 3; k++) {
      const po_joint *j = &m->joint[body[k]];
      double s = po_v3_dot(left, po_chain_axis(w->data, body[k], left));
      if (j->type == PO_JOINT_REVOLUTE) q[j->q] += s > 0 ? angle[k] : -angle[k];
    }
  }
  rest_clip(q, m);
}

po_status po_map_find_rest(po_map *map, po_error *err) {
  const po_model *m = map->model;
  size_t bytes = po_mat_bytes(REST_ROWS, m->nv) + po_mat_bytes(m->nv, m->nv) + sizeof(double) * (size_t)(4 * m->nq + REST_ROWS + 64) + 512;
  void *mem = po_alloc(bytes);
  double uneven = PO_INF;
  rest_work w;
  po_arena a;
  po_status s;
  int i;
  memset(&w, 0, sizeof w);
  w.map = map;
  s = mem ? po_data_new(&w.data, m) : PO_ERR_MEMORY;
  if (s != PO_OK) {
    po_free(mem);
    return po_fail(err, s, "out of memory");
  }
  po_arena_init(&a, mem, bytes);
  w.J = po_arena_mat(&a, REST_ROWS, m->nv);
  w.N = po_arena_mat(&a, m->nv, m->nv);
  w.e = PO_ARENA_ARRAY(&a, double, REST_ROWS);
  w.dv = PO_ARENA_ARRAY(&a, double, m->nv);
  w.back = PO_ARENA_ARRAY(&a, double, m->nv);
  w.held = PO_ARENA_ARRAY(&a, unsigned char, m->nv);
  w.start = PO_ARENA_ARRAY(&a, double, m->nq);
  rest_start(&w, map->rest);
  memcpy(w.start, map->rest, sizeof(double) * (size_t)m->nq);
  for (i = 0; i < REST_ROUNDS && s == PO_OK; i++) {
    rest_linearize(&w, map->rest);
    s = rest_round(&w, map->rest);
  }
  if (s == PO_OK) uneven = rest_linearize(&w, map->rest);
  if (s != PO_OK) s = po_fail(err, s, "rest pose of '%s': %s", m->name, po_status_string(s));
  else if (!(uneven < REST_LEVEL)) s = po_fail(err, PO_ERR_MODEL, "'%s' cannot stand with both soles level: within the joint limits they stay %.3f m uneven", m->name, uneven);
  po_data_free(w.data);
  po_free(mem);
  return s;
}
