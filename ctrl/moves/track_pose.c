/* track_pose.c: velocities that bring about planned momenta, by a stack of least-squares levels.
 *
 * Unknowns: v (nv), and with a push the ray weights u in units of m g. Levels, each without making those above worse:
 *   limits    (lower − c)/h <= dc/dt <= (upper − c)/h for joint coordinates c (angles; log(q) of balls, dc/dt = Jr⁻¹ w), and no more than a
 *             frame may turn;  u >= 0      hard
 *   momenta   A(q) v = (L, P) of the plan, P with m k/h (C − C_body) on top                                          eq. 13
 *             with a push: A(q) v − G u = (L, P) now, and what gravity and push add: the exact step of the momentum model        eq. 14
 *   planted   J v = k_f/h (anchor − p)
 *   pose      swing corners, joints at v_ref + k/h (q_ref − q), with a push + h M⁻¹ J_e' F_e; the trunk's orientation; forces near the planned ones
 * One weighted problem instead of the last two is the paper's: w1 joints, w2 corners, w3 forces.
 */
#include "track_pose.h"
#include "../ctrl_internal.h"
#include <string.h>

#define TRACK_LEVELS 4
#define TRACK_TURN_MOST                                                                                                            \
  0.15 /* rad in a frame: log(q) of a ball goes along a line only so far; 18 rad/s at 120 Hz is faster than people turn */
#define TRACK_BALL_SHORT 0.01  /* rad: balls stop so far before their limits, because log(q) goes along a line only nearly */
#define TRACK_BALL_MOST (PO_PI - 0.05) /* rad: how far limits of balls may reach */
#define TRACK_SWING 30.0 /* by levels: a swinging corner's m/s against a joint's rad/s, so that a foot lands where it is to stand whatever the trunk does */
#define TRACK_TRUNK 1.0  /* by levels: the trunk's rad/s. More takes arms to their limits before the trunk gives way at all */

struct po_track_pose {
  const po_model *model;
  po_data *data;
  po_corners corners;
  po_hqp_solver *solver;
  int first;             /* freedom after the root's */
  po_mat rows;           /* of all levels, one after the other */
  double *lower, *upper; /* rows */
  double *jump;          /* nv: M⁻¹ J_e' F_e */
  double *reference;     /* nv: from q to the reference */
  int used, limits;      /* rows so far; rows of joint limits */
  int n;                 /* unknowns */
};

po_track_pose_opts po_track_pose_opts_default(void) {
  po_track_pose_opts o;
  o.frame = 1.0 / 120;
  o.levels = 1;
  o.w1 = 1, o.w2 = 5, o.w3 = 0.01;
  o.joint_gain = 0.1;
  o.corner_gain = 0.3;
  o.com_gain = 0.2;
  return o;
}

static int track_row_count(const po_model *m) { return 3 * m->nv + 9 + 3 * PO_CORNERS + 2 * PO_TRACK_RAYS; }

static void track_lay_out(po_track_pose *t, po_arena *a, const po_model *m) {
  int rows = track_row_count(m);
  t->rows = po_arena_mat(a, rows + 3, m->nv + PO_TRACK_RAYS); /* three more: a Jacobian is written before its rows are counted */
  t->lower = PO_ARENA_ZARRAY(a, double, rows);
  t->upper = PO_ARENA_ZARRAY(a, double, rows);
  t->jump = PO_ARENA_ZARRAY(a, double, m->nv);
  t->reference = PO_ARENA_ZARRAY(a, double, m->nv);
}

po_status po_track_pose_new(po_track_pose **track, const po_model *model) {
  po_track_pose *t, shape;
  size_t bytes;
  po_arena a;
  po_status s;
  if (!track || !model) return PO_ERR_NULL;
  *track = NULL;
  if (!model->floating) return PO_ERR_MODEL;
  memset(&shape, 0, sizeof shape);
  po_arena_measure(&a);
  track_lay_out(&shape, &a, model);
  bytes = sizeof *t + po_arena_used(&a);
  t = (po_track_pose *)po_alloc(bytes);
  if (!t) return PO_ERR_MEMORY;
  po_arena_init(&a, t + 1, bytes - sizeof *t);
  track_lay_out(t, &a, model);
  t->model = model;
  t->corners = po_corners_of(model);
  t->first = model->joint[0].nv;
  s = a.failed ? PO_ERR_MEMORY : po_data_new(&t->data, model);
  if (s == PO_OK) s = po_hqp_new(&t->solver, model->nv + PO_TRACK_RAYS, TRACK_LEVELS, track_row_count(model));
  if (s != PO_OK) {
    po_track_pose_free(t);
    return s;
  }
  *track = t;
  return PO_OK;
}

void po_track_pose_free(po_track_pose *t) {
  if (!t) return;
  po_data_free(t->data);
  po_hqp_free(t->solver);
  po_free(t);
}

/* ---- rows ---- */

static double *track_row(po_track_pose *t, double lower, double upper) {
  double *row = po_row(t->rows, t->used);
  memset(row, 0, sizeof(double) * (size_t)t->n);
  t->lower[t->used] = lower;
  t->upper[t->used++] = upper;
  return row;
}

static po_hqp_level track_level(const po_track_pose *t, const char *name, int from) {
  po_hqp_level l;
  memset(&l, 0, sizeof l);
  l.name = name;
  l.rows = t->used - from;
  l.A = po_block(t->rows, from, 0, l.rows, t->n);
  l.lower = t->lower + from;
  l.upper = t->upper + from;
  return l;
}

/* Off the half turn, where log(q) jumps to its other side: d|r|/dt = r·w/|r|. A row in any case, so that stacks of all frames are alike. */
static void track_half_turn(po_track_pose *t, const po_joint *j, po_vec3 r, double h) {
  double size = po_v3_norm(r), *row = track_row(t, -PO_INF, size > 0 ? (TRACK_BALL_MOST - size) / h : PO_INF);
  po_v3_to(row + j->v, size > 0 ? po_v3_scale(1 / size, r) : po_v3(1, 0, 0));
}

/* A limit that is passed already asks for the way back; a frame turns a joint by no more than TRACK_TURN_MOST. */
static void track_limits(po_track_pose *t, const double *q, double h) {
  const po_model *m = t->model;
  int i, k, c;
  for (i = 1; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    double at[3] = {0, 0, 0};
    po_vec3 r = po_v3(0, 0, 0), unit[3];
    double short_of = j->type == PO_JOINT_SPHERICAL ? TRACK_BALL_SHORT : 0;
    if (j->type == PO_JOINT_FIXED || j->type == PO_JOINT_FLOATING) continue;
    if (j->type == PO_JOINT_SPHERICAL) {
      r = po_q_log(po_q_unit(po_limit_turn(j, q + j->q)));
      po_v3_to(at, r);
    } else memcpy(at, q + j->q, sizeof(double) * (size_t)j->nv);
    for (c = 0; c < 3; c++) unit[c] = po_q_log_rate(r, po_v3(c == 0, c == 1, c == 2));
    for (k = 0; k < j->nv; k++) {
      double most = j->type == PO_JOINT_PRISMATIC ? PO_INF : TRACK_TURN_MOST, *row;
      row = track_row(t, po_clamp(j->lower[k] + short_of - at[k], -most, most) / h, po_clamp(j->upper[k] - short_of - at[k], -most, most) / h);
      if (j->type != PO_JOINT_SPHERICAL) row[j->v + k] = 1;
      else
        for (c = 0; c < 3; c++) row[j->v + c] = k == 0 ? unit[c].x : k == 1 ? unit[c].y : unit[c].z;
    }
    if (j->type == PO_JOINT_SPHERICAL) track_half_turn(t, j, r, h);
  }
}

/* What one newton along `force` at `point` adds to the momenta in a frame, angular first: the exact step of the momentum model. */
static void track_impulse(double out[6], const po_track_pose *t, const po_track_push *push, po_vec3 point, po_vec3 force,
                          double h) {
  double mass = t->model->total_mass;
  po_vec3 P = po_v3_of(push->momentum + 3), turn = po_v3_scale(h, po_v3_cross(po_v3_sub(point, t->data->com), force));
  turn = po_v3_addscaled(turn, -h * h / (2 * mass), po_v3_cross(P, force));
  turn = po_v3_addscaled(turn, -h * h * h / 6, po_v3_cross(t->data->gravity, force));
  po_v3_to(out, turn);
  po_v3_to(out + 3, po_v3_scale(h, force));
}

/* Rows in units of m l and m, so that a metre per second weighs the same in both. */
static void track_momenta(po_track_pose *t, const po_track_wish *w, double h, double com_gain, double wanted[6]) {
  const po_track_push *push = w->push;
  double mass = t->model->total_mass, length = t->model->rest_height > 0 ? t->model->rest_height : 1, impulse[6];
  int i, k, first = t->used;
  po_vec3 drift = po_v3_scale(mass * com_gain / h, po_v3_sub(w->com, t->data->com));
  memcpy(wanted, push ? push->momentum : w->momentum, 6 * sizeof(double));
  if (push) {
    track_impulse(impulse, t, push, push->place, push->force, h);
    for (i = 0; i < 6; i++) wanted[i] += impulse[i];
    po_v3_to(wanted + 3, po_v3_addscaled(po_v3_of(wanted + 3), h * mass, t->data->gravity));
  } else po_v3_to(wanted + 3, po_v3_add(po_v3_of(wanted + 3), drift));
  for (i = 0; i < 6; i++) {
    double scale = 1 / (mass * (i < 3 ? length : 1)), *row = track_row(t, scale * wanted[i], scale * wanted[i]);
    memcpy(row, po_row(t->data->cmm, i), sizeof(double) * (size_t)t->model->nv);
    po_scale(row, scale, t->model->nv);
  }
  for (k = 0; push && k < push->rays; k++) {
    track_impulse(impulse, t, push, push->point[k], po_v3_scale(mass * po_v3_norm(t->data->gravity), push->ray[k]), h);
    for (i = 0; i < 6; i++) po_row(t->rows, first + i)[t->model->nv + k] = -impulse[i] / (mass * (i < 3 ? length : 1));
  }
}

static void track_corner(po_track_pose *t, const po_track_wish *w, int c, double gain, double weight) {
  const po_frame *f = &t->model->frame[t->corners.frame[c]];
  po_mat J = po_block(t->rows, t->used, 0, 3, t->n);
  double want[3];
  int k, i;
  po_vec3 v = po_v3_scale(gain, po_v3_sub(w->place[c], po_point_position(t->data, f->body, f->pose.p)));
  if (!(w->planted >> c & 1u)) v = po_v3_add(v, w->velocity[c]);
  po_v3_to(want, v);
  po_jacobian_point(po_block(J, 0, 0, 3, t->model->nv), t->data, f->body, f->pose.p);
  for (k = 0; k < 3; k++) {
    double *row = po_row(J, k);
    for (i = t->model->nv; i < t->n; i++) row[i] = 0;
    po_scale(row, weight, t->model->nv);
    t->lower[t->used] = t->upper[t->used] = weight * want[k];
    t->used++;
  }
}

static void track_corners(po_track_pose *t, const po_track_wish *w, int planted, double gain, double weight) {
  int c;
  for (c = 0; c < t->corners.count; c++)
    if ((int)(w->planted >> c & 1u) == planted) track_corner(t, w, c, gain, weight);
}

static void track_joints(po_track_pose *t, const po_track_wish *w, double gain, double joint_weight, double force_weight) {
  int i, nv = t->model->nv;
  for (i = t->first; i < nv; i++) {
    double want = joint_weight * (w->v[i] + gain * t->reference[i] + t->jump[i]);
    track_row(t, want, want)[i] = joint_weight;
  }
  for (i = 0; w->push && i < w->push->rays; i++) {
    double want = force_weight * w->push->planned[i] / (t->model->total_mass * po_v3_norm(t->data->gravity));
    track_row(t, want, want)[nv + i] = force_weight;
  }
}

/* The trunk as upright as the reference's: momentum that must be somewhere goes to arms and to the leg that swings before it goes there. */
static void track_trunk(po_track_pose *t, const po_track_wish *w, double gain, double weight) {
  po_mat J = po_block(t->rows, t->used, 0, 3, t->model->nv);
  po_mat3 now;
  po_vec3 off = po_v3(0, 0, 0);
  double want[3];
  int k, i;
  if (w->trunk < 0) return;
  now = t->data->pose[w->trunk].R;
  for (k = 0; k < 3; k++) /* half the sum of the axes' crosses: the rotation between them while it is small */
    off = po_v3_addscaled(off, 0.5, po_v3_cross(po_v3(now.m[k], now.m[3 + k], now.m[6 + k]),
                                                po_v3(w->trunk_pose.m[k], w->trunk_pose.m[3 + k], w->trunk_pose.m[6 + k])));
  po_v3_to(want, po_v3_addscaled(w->trunk_velocity, gain, off));
  for (k = 0; k < 3; k++) track_row(t, weight * want[k], weight * want[k]);
  po_jacobian_angular(J, t->data, w->trunk);
  for (k = 0; k < 3; k++)
    for (i = 0; i < t->model->nv; i++) PO_AT(J, k, i) *= weight;
}

/* ---- the whole ---- */

static po_status track_check(const po_track_pose *t, const double *q, const po_track_wish *w, const po_track_pose_opts *o) {
  const po_track_push *p = w->push;
  po_status s = po_check_state(t->model, q, NULL);
  int i;
  if (s != PO_OK || (s = po_check_state(t->model, w->q, w->v)) != PO_OK) return s;
  if (!(o->frame > 0) || !(o->w1 >= 0 && o->w2 >= 0 && o->w3 >= 0)) return PO_ERR_RANGE;
  if (t->corners.count && (!w->place || !w->velocity)) return PO_ERR_NULL;
  for (i = 0; i < t->corners.count; i++)
    if (!po_isfinite(w->place[i].x + w->place[i].y + w->place[i].z + w->velocity[i].x + w->velocity[i].y + w->velocity[i].z))
      return PO_ERR_NOT_FINITE;
  if (!po_all_finite(w->momentum, 6) || !po_isfinite(w->com.x + w->com.y + w->com.z)) return PO_ERR_NOT_FINITE;
  if (!p) return PO_OK;
  if (p->rays < 0 || p->rays > PO_TRACK_RAYS) return PO_ERR_SIZE;
  if (p->body < 0 || p->body >= t->model->nb) return PO_ERR_RANGE;
  if (!po_all_finite(p->momentum, 6) || !po_all_finite(p->planned, p->rays)) return PO_ERR_NOT_FINITE;
  if (!po_isfinite(p->force.x + p->force.y + p->force.z + p->place.x + p->place.y + p->place.z)) return PO_ERR_NOT_FINITE;
  for (i = 0; i < p->rays; i++)
    if (!po_isfinite(p->ray[i].x + p->ray[i].y + p->ray[i].z + p->point[i].x + p->point[i].y + p->point[i].z))
      return PO_ERR_NOT_FINITE;
  return PO_OK;
}

/* Kinematics at q, the way to the reference, and what the push does to each joint at once. */
static po_status track_prepare(po_track_pose *t, const double *q, const po_track_wish *w, double h) {
  po_status s;
  po_kinematics(t->data, q, NULL);
  po_centroidal(t->data);
  po_difference(t->reference, t->model, q, w->q);
  t->n = t->model->nv + (w->push ? w->push->rays : 0);
  t->used = 0;
  memset(t->jump, 0, sizeof(double) * (size_t)t->model->nv);
  if (!w->push) return PO_OK;
  if ((s = po_minv_factor(t->data, q)) != PO_OK) return s;
  po_minv_force(t->jump, t->data, w->push->body, w->push->place, w->push->force);
  po_scale(t->jump, h, t->model->nv);
  return PO_OK;
}

static int track_stack(po_track_pose *t, po_hqp_level *level, const double *q, const po_track_wish *w, const po_track_pose_opts *o,
                       double wanted[6]) {
  double weight;
  int i, from, n = 0;
  track_limits(t, q, o->frame);
  t->limits = t->used;
  for (i = 0; w->push && i < w->push->rays; i++) track_row(t, 0, PO_INF)[t->model->nv + i] = 1;
  level[n++] = track_level(t, "limits", 0);
  level[0].hard = 1;
  from = t->used;
  track_momenta(t, w, o->frame, o->com_gain, wanted);
  level[n++] = track_level(t, "momenta", from);
  from = t->used;
  weight = t->model->total_mass * po_v3_norm(t->data->gravity); /* the paper's w3 is per newton squared */
  if (o->levels) {
    track_corners(t, w, 1, o->corner_gain / o->frame, 1);
    level[n++] = track_level(t, "planted", from);
    from = t->used;
    track_corners(t, w, 0, o->corner_gain / o->frame, TRACK_SWING);
    track_joints(t, w, o->joint_gain / o->frame, 1, sqrt(o->w3) * weight);
    track_trunk(t, w, o->joint_gain / o->frame, TRACK_TRUNK);
  } else {
    track_corners(t, w, 1, o->corner_gain / o->frame, sqrt(o->w2));
    track_corners(t, w, 0, o->corner_gain / o->frame, sqrt(o->w2));
    track_joints(t, w, o->joint_gain / o->frame, sqrt(o->w1), sqrt(o->w3) * weight);
  }
  level[n++] = track_level(t, "pose", from);
  return n;
}

static void track_report(po_track_pose_result *out, po_track_pose *t, const po_hqp_result *r, const double *v,
                         const po_track_wish *w, const po_track_pose_opts *o, const double wanted[6]) {
  const po_track_push *p = w->push;
  double impulse[6];
  int i, k, c;
  memset(out, 0, sizeof *out);
  out->status = r->status;
  out->iterations = r->iterations;
  po_gemv(out->momentum_miss, t->data->cmm, v);
  for (i = 0; i < 6; i++) out->momentum_miss[i] -= wanted[i];
  for (k = 0; p && k < p->rays; k++) {
    track_impulse(impulse, t, p, p->point[k],
                  po_v3_scale(t->model->total_mass * po_v3_norm(t->data->gravity) * r->x[t->model->nv + k], p->ray[k]), o->frame);
    for (i = 0; i < 6; i++) out->momentum_miss[i] -= impulse[i];
  }
  for (i = t->first; i < t->model->nv; i++) out->joint_miss = po_max(out->joint_miss, po_abs(t->reference[i]));
  for (i = 0; i < t->limits; i++) out->limits += r->levels[0].active[i] == 1 || r->levels[0].active[i] == -1;
  for (c = 0; c < t->corners.count; c++) {
    const po_frame *f = &t->model->frame[t->corners.frame[c]];
    po_mat J = po_block(t->rows, 0, 0, 3, t->model->nv); /* the problem is solved: its rows may go */
    double at[3];
    if (!(w->planted >> c & 1u)) continue;
    po_jacobian_point(J, t->data, f->body, f->pose.p);
    po_gemv(at, J, v);
    out->corner_miss = po_max(
        out->corner_miss,
        po_v3_norm(po_v3_sub(po_v3_of(at), po_v3_scale(o->corner_gain / o->frame,
                                                       po_v3_sub(w->place[c], po_point_position(t->data, f->body, f->pose.p))))));
  }
}

po_status po_track_pose_solve(double *v, double *weights, po_track_pose *t, const double *q, const po_track_wish *w,
                              const po_track_pose_opts *opts, po_track_pose_result *result) {
  po_track_pose_opts o = opts ? *opts : po_track_pose_opts_default();
  po_hqp_opts how = po_hqp_opts_default();
  po_hqp_level level[TRACK_LEVELS];
  po_track_pose_result report;
  po_hqp_result r;
  po_hqp problem;
  double wanted[6];
  po_status s;
  int i;
  if (!v || !t || !q || !w || !w->q || !w->v) return PO_ERR_NULL;
  if ((s = track_check(t, q, w, &o)) != PO_OK || (s = track_prepare(t, q, w, o.frame)) != PO_OK) return s;
  memset(&problem, 0, sizeof problem);
  problem.level_count = track_stack(t, level, q, w, &o, wanted);
  problem.n = t->n;
  problem.levels = level;
  how.warm = 1;
  if ((s = po_hqp_solve(&r, t->solver, &problem, &how)) != PO_OK) return s;
  memcpy(v, r.x, sizeof(double) * (size_t)t->model->nv);
  for (i = 0; weights && w->push && i < w->push->rays; i++)
    weights[i] = po_max(r.x[t->model->nv + i], 0) * t->model->total_mass * po_v3_norm(t->data->gravity);
  track_report(&report, t, &r, v, w, &o, wanted);
  if (result) *result = report;
  return PO_OK;
}

void po_track_pose_stream(po_track_pose *t, po_stream *s) { po_hqp_solver_stream(t->solver, s); }
