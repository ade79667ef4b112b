/* stand.c: a body placed so that it stands: soles on the terrain, trunk upright, COM over its feet.
 *
 * Damped Gauss–Newton on the configuration manifold. Each round solves  min ‖W (J dq − e)‖² + ‖dq‖²·damping  for the errors e below and
 * moves by dq; the weights W only order what matters when the body cannot have it all.
 */
#include "moves.h"
#include <string.h>

#define STAND_ROUNDS 100
#define STAND_STEP 0.1
#define STAND_TOUCHES 2e-3  /* m: a corner this near to the ground stands */
#define STAND_LOWERINGS 7   /* heights that are tried, */
#define STAND_LOWER 0.96    /* each of them lower by this: to three quarters of the one asked for, a deep squat */
#define STAND_ROWS (8 * 3 + 3 + 3) /* corners, COM, trunk */
static const double stand_weight_corner = 1000, stand_weight_com = 100, stand_weight_trunk = 3;
/* Legs are for standing; trunk, neck and arms had better stay as they are. */
static const double stand_damping_leg = 1e-2, stand_damping_other = 10;

typedef struct stand_work {
  const po_model *model;
  const po_terrain *terrain;
  po_patches patches;
  po_data *data;
  po_mat J, N;
  double *e, *dq, *pose_error, *rest;
  double com_height;
  po_quat trunk;
  po_vec3 corner[8];       /* where the corners stand, but for their height */
} stand_work;

static void stand_row(stand_work *w, int row, double weight, double error) {
  w->e[row] = weight * error;
  po_scale(po_row(w->J, row), weight, w->model->nv);
}

/* Whether a freedom lies between the root and a foot. */
static int stand_is_leg(const stand_work *w, int dof) {
  int f, body = w->model->dof_body[dof];
  for (f = 0; f < 2; f++)
    if (body > 0 && w->patches.patch[f].body >= body && w->patches.patch[f].body < w->model->subtree_end[body]) return 1;
  return 0;
}

/* Errors and Jacobian at q; returns the largest distance of a corner from the surface. */
static double stand_linearize(stand_work *w, const double *q) {
  po_data *d = w->data;
  po_vec3 centre, turn;
  double worst = 0, e3[3];
  int i, k, row = 0;
  po_kinematics(d, q, NULL);
  po_com_jacobian(d);
  po_patches_update(&w->patches, d);
  for (i = 0; i < 8; i++) {
    const po_patch *s = &w->patches.patch[i / 4];
    po_vec3 p = po_point_position(d, s->point_body[i % 4], s->point[i % 4]), goal;
    goal = po_v3(w->corner[i].x, w->corner[i].y, po_terrain_surface_at(w->terrain, p.x, p.y).height);
    if (po_abs(s->gap[i % 4]) > worst) worst = po_abs(s->gap[i % 4]);
    po_jacobian_point(po_block(w->J, row, 0, 3, w->model->nv), d, s->point_body[i % 4], s->point[i % 4]);
    po_v3_to(e3, po_v3_sub(goal, p));
    for (k = 0; k < 3; k++, row++) stand_row(w, row, k == 2 ? stand_weight_corner : 3, e3[k]);
  }
  centre = po_patches_centroid(&w->patches, d, PO_BOTH_FEET);
  centre.z += w->com_height;
  po_mat_copy(po_block(w->J, row, 0, 3, w->model->nv), d->Jcom);
  po_v3_to(e3, po_v3_sub(centre, d->com));
  for (k = 0; k < 3; k++, row++) stand_row(w, row, stand_weight_com, e3[k]);
  turn = po_q_log(po_q_mul(w->trunk, po_q_conj(po_q_from_matrix(d->pose[0].R))));
  po_jacobian_angular(po_block(w->J, row, 0, 3, w->model->nv), d, 0);
  po_v3_to(e3, turn);
  for (k = 0; k < 3; k++, row++) stand_row(w, row, stand_weight_trunk, e3[k]);
  return worst;
}

static po_status stand_round(stand_work *w, double *q) {
  int i, nv = w->model->nv;
  double largest;
  po_status s;
  po_difference(w->pose_error, w->model, q, w->rest);
  po_syrk(w->N, PO_LOWER, 0, 1, w->J, PO_T);
  po_gemv_t(w->dq, w->J, w->e);
  for (i = 0; i < nv; i++) {
    double damping = i < 6 || stand_is_leg(w, i) ? stand_damping_leg : stand_damping_other;
    PO_AT(w->N, i, i) += damping;
    if (i >= 6) w->dq[i] += 0.5 * damping * w->pose_error[i];
  }
  if ((s = po_cholesky(w->N, NULL, w->N)) != PO_OK) return s;
  po_cholesky_solve(w->dq, w->N);
  largest = po_norm_inf(w->dq, nv); /* a whole step scaled keeps its direction */
  po_integrate(q, w->model, q, w->dq, largest > STAND_STEP ? STAND_STEP / largest : 1);
  return PO_OK;
}

/* Moves the corners so that the middles of the soles are `stance` apart, across the heading. */
static void stand_apart(stand_work *w, double heading, double stance) {
  po_vec3 left = po_v3(-po_sin(heading), po_cos(heading), 0), middle[2];
  double wider;
  int i;
  for (i = 0; i < 2; i++) middle[i] = po_patches_centroid(&w->patches, w->data, PO_PATCH_BIT(i));
  wider = 0.5 * (stance - po_v3_dot(left, po_v3_sub(middle[0], middle[1])));
  for (i = 0; i < 8; i++) w->corner[i] = po_v3_addscaled(w->corner[i], i < 4 ? wider : -wider, left);
}

static po_status stand_begin(stand_work *w, po_arena *a, double *q, double x, double y, double heading, double height, double stance, po_error *err) {
  const po_model *m = w->model;
  po_vec3 centre, e = po_v3(0, 0, 1);
  po_status s;
  int i;
  w->J = po_arena_mat(a, STAND_ROWS, m->nv);
  w->N = po_arena_mat(a, m->nv, m->nv);
  w->e = PO_ARENA_ARRAY(a, double, STAND_ROWS);
  w->dq = PO_ARENA_ARRAY(a, double, m->nv);
  w->pose_error = PO_ARENA_ARRAY(a, double, m->nv);
  w->rest = PO_ARENA_ARRAY(a, double, m->nq);
  if (a->failed) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (!m->floating) return po_fail(err, PO_ERR_MODEL, "model '%s' has no floating base: it cannot be stood up", m->name);
  if ((s = po_patches_init(&w->patches, m, w->terrain, PO_BOTH_FEET, err)) != PO_OK) return s;
  po_neutral(q, m);
  memcpy(w->rest, q, sizeof(double) * (size_t)m->nq);
  po_kinematics(w->data, q, NULL);
  po_com(w->data);
  centre = po_patches_centroid(&w->patches, w->data, PO_BOTH_FEET);
  w->com_height = height * (w->data->com.z - centre.z);
  w->trunk = po_q_mul(po_q_axis_angle(e, heading), po_q_from_matrix(w->data->pose[0].R));
  /* turn and move the zero pose so that the centroid of its soles comes to (x, y) on the surface */
  po_q_to(q, w->trunk);
  po_v3_to(q + 4, po_q_rotate(po_q_axis_angle(e, heading), po_v3_sub(w->data->pose[0].p, centre)));
  q[4] += x;
  q[5] += y;
  q[6] += po_terrain_surface_at(w->terrain, x, y).height;
  po_kinematics(w->data, q, NULL);
  for (i = 0; i < 8; i++) w->corner[i] = po_point_position(w->data, w->patches.patch[i / 4].point_body[i % 4], w->patches.patch[i / 4].point[i % 4]);
  if (stance > 0) stand_apart(w, heading, stance);
  return PO_OK;
}

po_status po_stand_pose(double *q, const po_model *m, const po_terrain *terrain, double x, double y, double heading, double height, po_error *err) {
  return po_stand_pose_apart(q, m, terrain, x, y, heading, height, 0, err);
}

po_status po_stand_pose_apart(double *q, const po_model *m, const po_terrain *terrain, double x, double y, double heading, double height, double stance,
                              po_error *err) {
  stand_work w;
  po_arena a;
  size_t bytes = po_mat_bytes(STAND_ROWS, m->nv) + po_mat_bytes(m->nv, m->nv) + 8 * (size_t)(4 * m->nq + STAND_ROWS) + 1024;
  void *mem = po_alloc(bytes);
  po_status s;
  double worst = PO_INF;
  int i, k;
  memset(&w, 0, sizeof w);
  w.model = m;
  w.terrain = terrain;
  po_arena_init(&a, mem, mem ? bytes : 0);
  s = mem ? po_data_new(&w.data, m) : PO_ERR_MEMORY;
  if (s == PO_OK) s = stand_begin(&w, &a, q, x, y, heading, height, stance, err);
  else po_fail(err, s, "out of memory");
  for (k = 0; s == PO_OK && worst > STAND_TOUCHES && k < STAND_LOWERINGS; k++) {
    if (k > 0) w.com_height *= STAND_LOWER; /* a leg is too short for it: legs of different length, or ground that falls away */
    for (i = 0; s == PO_OK && i < STAND_ROUNDS; i++) {
      stand_linearize(&w, q);
      s = stand_round(&w, q);
    }
    if (s == PO_OK) worst = stand_linearize(&w, q);
  }
  if (s == PO_OK) {
    if (worst > STAND_TOUCHES) s = po_fail(err, PO_ERR_MODEL, "'%s' cannot stand there: a sole stays %.4f m from the ground", m->name, worst);
  }
  po_data_free(w.data);
  po_free(mem);
  return s;
}
