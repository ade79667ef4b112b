/* ik.c: inverse kinematics by damped least squares within joint limits.
 *
 * Half the weighted squares of all errors e(q) and of the joints' distance from a posture is made small by Levenberg–Marquardt steps
 *   (J'J + S² + lambda D) d = J'e + S² (posture − c),      D: the mean of the diagonal of J'J + S²
 * in coordinates c whose limits are a box: the angles of hinges and log(q) of balls (from the limits' centre, po_limit_turn), whose columns of J are those of the angular velocity
 * times Jr(c) (la/vec.h). Coordinates that stand at a limit and are pushed outward rest for the round (Bertsekas 1982, projected
 * Newton), those that would pass one stop there; lambda grows until the cost falls. So limits hold in every round, exactly.
 */
#include "motion.h"
#include <string.h>

#define IK_LAMBDA_FIRST 1e-4
#define IK_LAMBDA_LEAST 1e-10       /* the system stays definite where nothing is asked of a coordinate */
#define IK_LAMBDA_MOST 1e6          /* no step of this size helps: the cost is at its least */
#define IK_BALL_MOST (PO_PI - 0.05) /* rad: log(q) stays clear of the half turn, as limits do */

struct po_ik {
  const po_model *model;
  po_data *data;
  int max_rows, rows;
  po_mat J, N, L;
  double *e;             /* rows */
  double *g, *d, *c;     /* nv: gradient, step, coordinates */
  double *lower, *upper; /* nv: limits of the coordinates */
  double *trial;         /* nq */
  double *rhs;           /* nv */
  int *hold;             /* nv: the coordinate's step is settled */
  double *wish, *there;  /* nv: coordinates of the posture; of the configuration being judged */
};

po_ik_opts po_ik_opts_default(void) {
  po_ik_opts o;
  memset(&o, 0, sizeof o);
  o.rounds = 30;
  o.tolerance = 1e-7;
  return o;
}

static void ik_lay_out(po_ik *ik, po_arena *a, const po_model *m, int rows) {
  ik->J = po_arena_mat(a, rows, m->nv);
  ik->N = po_arena_mat(a, m->nv, m->nv);
  ik->L = po_arena_mat(a, m->nv, m->nv);
  ik->e = PO_ARENA_ZARRAY(a, double, rows);
  ik->g = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->d = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->c = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->lower = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->upper = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->wish = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->rhs = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->hold = PO_ARENA_ZARRAY(a, int, m->nv);
  ik->there = PO_ARENA_ZARRAY(a, double, m->nv);
  ik->trial = PO_ARENA_ZARRAY(a, double, m->nq);
}

static void ik_limits(po_ik *ik) {
  const po_model *m = ik->model;
  int i, k;
  for (i = 0; i < m->nb; i++)
    for (k = 0; k < m->joint[i].nv; k++) {
      int limited = m->joint[i].type != PO_JOINT_FLOATING;
      ik->lower[m->joint[i].v + k] = limited ? m->joint[i].lower[k] : -PO_INF;
      ik->upper[m->joint[i].v + k] = limited ? m->joint[i].upper[k] : PO_INF;
    }
}

po_status po_ik_new(po_ik **out, const po_model *model, int max_rows) {
  po_arena a;
  po_ik *ik, shape;
  size_t bytes;
  po_status s;
  if (!out || !model) return PO_ERR_NULL;
  *out = NULL;
  if (max_rows < 1 || max_rows > 100000) return PO_ERR_SIZE;
  memset(&shape, 0, sizeof shape);
  po_arena_measure(&a);
  ik_lay_out(&shape, &a, model, max_rows);
  bytes = sizeof *ik + po_arena_used(&a);
  ik = (po_ik *)po_alloc(bytes);
  if (!ik) return PO_ERR_MEMORY;
  po_arena_init(&a, ik + 1, bytes - sizeof *ik);
  ik_lay_out(ik, &a, model, max_rows);
  s = a.failed ? PO_ERR_MEMORY : po_data_new(&ik->data, model);
  if (s != PO_OK) {
    po_free(ik);
    return s;
  }
  ik->model = model;
  ik->max_rows = max_rows;
  ik_limits(ik);
  *out = ik;
  return PO_OK;
}

void po_ik_free(po_ik *ik) {
  if (ik) po_data_free(ik->data);
  po_free(ik);
}

/* ---- coordinates ---- */

static void ik_coordinates(double *c, const po_model *m, const double *q) {
  int i, k;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    if (j->type == PO_JOINT_SPHERICAL) po_v3_to(c + j->v, po_q_log(po_q_unit(po_limit_turn(j, q + j->q))));
    else
      for (k = 0; k < j->nv; k++) c[j->v + k] = j->type == PO_JOINT_FLOATING ? 0 : q[j->q + k];
  }
}

/* A ball's coordinates put within its limits and off the half turn. */
static po_vec3 ik_ball_within(const po_joint *j, po_vec3 r) {
  double a[3], n = po_v3_norm(r);
  int k;
  if (n > IK_BALL_MOST) r = po_v3_scale(IK_BALL_MOST / n, r);
  po_v3_to(a, r);
  for (k = 0; k < 3; k++) a[k] = po_clamp(a[k], j->lower[k], j->upper[k]);
  return po_v3_of(a);
}

static void ik_set_ball(double *q, const po_joint *j, po_vec3 r) { po_q_to(q, po_q_unit(po_q_mul(j->limit_centre, po_q_exp(r)))); }

/* q of coordinates c + d; the root, which has none, moves by the velocity d. */
static void ik_move(double *out, const po_model *m, const double *q, const double *c, const double *d) {
  int i, k;
  po_integrate(out, m, q, d, 1); /* right for the root */
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    if (j->type == PO_JOINT_FLOATING) continue;
    if (j->type == PO_JOINT_SPHERICAL)
      ik_set_ball(out + j->q, j, ik_ball_within(j, po_v3_add(po_v3_of(c + j->v), po_v3_of(d + j->v))));
    else
      for (k = 0; k < j->nv; k++) out[j->q + k] = po_clamp(c[j->v + k] + d[j->v + k], j->lower[k], j->upper[k]);
  }
}

double po_clamp_to_limits(double *q, const po_model *m) {
  double worst = 0;
  int i, k;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    if (j->type == PO_JOINT_FLOATING) continue;
    if (j->type == PO_JOINT_SPHERICAL) {
      po_vec3 r = po_q_log(po_q_unit(po_limit_turn(j, q + j->q))), within = ik_ball_within(j, r);
      double off = po_v3_norm(po_v3_sub(r, within));
      worst = po_max(worst, off);
      if (off > 0) ik_set_ball(q + j->q, j, within);
      continue;
    }
    for (k = 0; k < j->nq; k++) {
      double x = po_clamp(q[j->q + k], j->lower[k], j->upper[k]);
      worst = po_max(worst, po_abs(x - q[j->q + k]));
      q[j->q + k] = x;
    }
  }
  return worst;
}

/* ---- errors and Jacobian ---- */

static void ik_goal_rows(po_ik *ik, const po_ik_goal *goal, int row, int with_jacobian) {
  po_data *d = ik->data;
  po_mat J = po_block(ik->J, row, 0, 3, ik->model->nv);
  double error[3];
  int k;
  if (goal->kind == PO_IK_TURN) {
    po_vec3 turn = po_q_log(po_q_from_matrix(po_m3_mult(goal->orientation, d->pose[goal->body].R)));
    po_v3_to(error, po_m3_tmul_v(goal->frame, turn));
    if (with_jacobian) {
      int i;
      po_jacobian_angular(J, d, goal->body);
      for (i = 0; i < ik->model->nv; i++) { /* rows along the goal's own axes */
        po_vec3 w = po_m3_tmul_v(goal->frame, po_v3(PO_AT(J, 0, i), PO_AT(J, 1, i), PO_AT(J, 2, i)));
        PO_AT(J, 0, i) = w.x;
        PO_AT(J, 1, i) = w.y;
        PO_AT(J, 2, i) = w.z;
      }
    }
  } else if (goal->kind == PO_IK_POINT) {
    po_v3_to(error, po_v3_sub(goal->place, po_point_position(d, goal->body, goal->point)));
    if (with_jacobian) po_jacobian_point(J, d, goal->body, goal->point);
  } else {
    po_v3_to(error, po_v3_sub(goal->place, d->com));
    if (with_jacobian) po_mat_copy(J, d->Jcom);
  }
  for (k = 0; k < 3; k++) {
    ik->e[row + k] = goal->weight[k] * error[k];
    if (with_jacobian) po_scale(po_row(J, k), goal->weight[k], ik->model->nv);
  }
}

/* Columns of balls: from angular velocity to the rate of log(q). */
static void ik_ball_columns(po_ik *ik) {
  const po_model *m = ik->model;
  int i, row;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    po_vec3 back = po_v3_neg(po_v3_of(ik->c + j->v)); /* Jr(r)' = Jr(−r) */
    if (j->type != PO_JOINT_SPHERICAL) continue;
    for (row = 0; row < ik->rows; row++) {
      double *at = po_row(ik->J, row) + j->v;
      if (at[0] != 0 || at[1] != 0 || at[2] != 0) po_v3_to(at, po_q_exp_velocity(back, po_v3_of(at)));
    }
  }
}

/* Half the weighted squares at q; the errors are in e, the coordinates in c, and J is made when it is asked for. */
static double ik_evaluate(po_ik *ik, const double *q, const po_ik_goal *goals, int count, const po_ik_opts *o, int with_jacobian) {
  const po_model *m = ik->model;
  double cost;
  int i;
  po_kinematics(ik->data, q, NULL);
  for (i = 0; i < count && goals[i].kind != PO_IK_COM; i++) {}
  if (i < count && with_jacobian) po_com_jacobian(ik->data);
  else if (i < count) po_com(ik->data);
  for (i = 0; i < count; i++) ik_goal_rows(ik, &goals[i], 3 * i, with_jacobian);
  if (with_jacobian) {
    ik_coordinates(ik->c, m, q);
    ik_ball_columns(ik);
  }
  cost = 0.5 * po_dot(ik->e, ik->e, ik->rows);
  if (o->posture && o->stiffness) {
    ik_coordinates(ik->there, m, q);
    for (i = m->floating ? 6 : 0; i < m->nv; i++) {
      double miss = o->stiffness[i] * (ik->wish[i] - ik->there[i]);
      cost += 0.5 * miss * miss;
    }
  }
  return cost;
}

/* The gradient downhill and the normal matrix; returns the mean of its diagonal. */
static double ik_normal(po_ik *ik, const po_ik_opts *o) {
  const po_model *m = ik->model;
  double mean = 0;
  int i, nv = m->nv;
  po_mat J = po_block(ik->J, 0, 0, ik->rows, nv);
  po_syrk(ik->N, PO_LOWER, 0, 1, J, PO_T);
  po_gemv_t(ik->g, J, ik->e);
  if (o->posture && o->stiffness)
    for (i = m->floating ? 6 : 0; i < nv; i++) {
      double s2 = o->stiffness[i] * o->stiffness[i];
      PO_AT(ik->N, i, i) += s2;
      ik->g[i] += s2 * (ik->wish[i] - ik->c[i]);
    }
  for (i = 0; i < nv; i++) mean += PO_AT(ik->N, i, i) / nv;
  po_mat_symmetrize(ik->N, PO_LOWER);
  return mean > 0 ? mean : 1;
}

/* d of the coordinates that are not held, given that of those that are. */
static po_status ik_solve_free(po_ik *ik, double damping) {
  int i, k, nv = ik->model->nv;
  po_status s;
  for (i = 0; i < nv; i++) {
    double *row = po_row(ik->L, i);
    const double *from = po_row(ik->N, i);
    ik->rhs[i] = ik->hold[i] ? 0 : ik->g[i];
    for (k = 0; k <= i; k++) row[k] = ik->hold[i] || ik->hold[k] ? 0 : from[k];
    row[i] += damping;
    for (k = 0; k < nv && !ik->hold[i]; k++)
      if (ik->hold[k]) ik->rhs[i] -= from[k] * ik->d[k];
  }
  if ((s = po_cholesky(ik->L, NULL, ik->L)) != PO_OK) return s;
  po_cholesky_solve(ik->rhs, ik->L);
  for (i = 0; i < nv; i++)
    if (!ik->hold[i]) ik->d[i] = ik->rhs[i];
  return PO_OK;
}

/* The damped step within the box: what presses against a limit rests there, what would pass one goes as far as it, and the others make up for that. */
static po_status ik_step(po_ik *ik, double damping) {
  int i, nv = ik->model->nv, more = 1;
  po_status s = PO_OK;
  for (i = 0; i < nv; i++) {
    ik->hold[i] = (ik->c[i] >= ik->upper[i] && ik->g[i] > 0) || (ik->c[i] <= ik->lower[i] && ik->g[i] < 0);
    ik->d[i] = 0;
  }
  while (more && s == PO_OK) { /* each time round holds one more at least */
    more = 0;
    s = ik_solve_free(ik, damping);
    for (i = 0; i < nv && s == PO_OK; i++) {
      double within = po_clamp(ik->d[i], ik->lower[i] - ik->c[i], ik->upper[i] - ik->c[i]);
      if (within == ik->d[i]) continue;
      ik->d[i] = within;
      ik->hold[i] = 1;
      more = 1;
    }
  }
  return s;
}

static po_status ik_check(const po_ik *ik, const double *q, const po_ik_goal *goals, int count, const po_ik_opts *o) {
  po_status s;
  int i;
  if (!ik || !q || (count > 0 && !goals)) return PO_ERR_NULL;
  if (count < 0 || 3 * count > ik->max_rows || o->rounds < 1) return PO_ERR_SIZE;
  if ((s = po_check_state(ik->model, q, NULL)) != PO_OK) return s;
  for (i = 0; i < count; i++) {
    const po_ik_goal *g = &goals[i];
    if (g->kind != PO_IK_COM && (g->body < 0 || g->body >= ik->model->nb)) return PO_ERR_RANGE;
    if (!po_all_finite(g->weight, 3)) return PO_ERR_NOT_FINITE;
    if (g->kind == PO_IK_TURN && (!po_all_finite(g->orientation.m, 9) || !po_all_finite(g->frame.m, 9))) return PO_ERR_NOT_FINITE;
    if (g->kind != PO_IK_TURN && !po_isfinite(g->place.x + g->place.y + g->place.z)) return PO_ERR_NOT_FINITE;
  }
  return PO_OK;
}

po_status po_ik_solve(double *q, po_ik_result *result, po_ik *ik, const po_ik_goal *goals, int count, const po_ik_opts *opts) {
  po_ik_opts o = opts ? *opts : po_ik_opts_default();
  double lambda = IK_LAMBDA_FIRST, cost, step = PO_INF;
  po_status s = ik_check(ik, q, goals, count, &o);
  int round;
  if (s != PO_OK) return s;
  po_clamp_to_limits(q, ik->model);
  ik->rows = 3 * count;
  if (o.posture) ik_coordinates(ik->wish, ik->model, o.posture);
  cost = ik_evaluate(ik, q, goals, count, &o, 0);
  for (round = 0; round < o.rounds && step > o.tolerance; round++) {
    double mean, better = PO_INF;
    ik_evaluate(ik, q, goals, count, &o, 1);
    mean = ik_normal(ik, &o);
    while (lambda < IK_LAMBDA_MOST) {
      if ((s = ik_step(ik, lambda * mean)) != PO_OK) return s;
      ik_move(ik->trial, ik->model, q, ik->c, ik->d);
      better = ik_evaluate(ik, ik->trial, goals, count, &o, 0);
      if (better <= cost) break;
      lambda *= 10;
    }
    if (!(better <= cost)) {
      step = 0;
      break;
    }
    memcpy(q, ik->trial, sizeof(double) * (size_t)ik->model->nq);
    step = po_norm_inf(ik->d, ik->model->nv);
    cost = better;
    lambda = po_max(0.1 * lambda, IK_LAMBDA_LEAST);
  }
  if (result) {
    result->rounds = round;
    result->cost = cost;
    result->step = step;
  }
  return step > o.tolerance ? PO_ERR_ITERATIONS : PO_OK;
}
