/* track_figures.c: how well a motion is followed. */
#include "track_internal.h"
#include <math.h>
#include <string.h>

/* Momenta as shares of m √(g l), and of that times l. */
static double track_momentum_share(const po_track *t, const double miss[6]) {
  double l = t->store->height, unit = t->data->model->total_mass * sqrt(po_v3_norm(t->data->gravity) * l);
  return po_max(po_norm2(miss, 3) / (unit * l), po_norm2(miss + 3, 3) / unit);
}

static void track_measure_slip(po_track *t) {
  const po_corners *k = &t->store->motion->corners;
  int c;
  for (c = 0; c < k->count; c++) {
    const po_frame *f = &t->data->model->frame[k->frame[c]];
    po_vec3 off = po_v3_sub(po_point_position(t->data, f->body, f->pose.p), t->now.anchor[c]);
    if (t->now.standing >> c & 1u) t->now.figures.foot_slip = po_max(t->now.figures.foot_slip, sqrt(off.x * off.x + off.y * off.y));
  }
}

/* rad, m: how far a joint is beyond a limit; balls by the components of their rotation vectors. */
static double track_limit_excess(const po_track *t) {
  const po_model *m = t->data->model;
  double worst = 0;
  int i, k;
  for (i = 1; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    double at[3] = {0, 0, 0};
    if (j->type == PO_JOINT_FIXED || j->type == PO_JOINT_FLOATING) continue;
    if (j->type == PO_JOINT_SPHERICAL) po_v3_to(at, po_q_log(po_q_unit(po_limit_turn(j, t->q + j->q))));
    else memcpy(at, t->q + j->q, sizeof(double) * (size_t)j->nv);
    for (k = 0; k < j->nv; k++) worst = po_max(worst, po_max(j->lower[k] - at[k], at[k] - j->upper[k]));
  }
  return worst;
}

void po_track_measure_tick(po_track *t, const po_track_pose_result *result, const po_vec3 *ray, int rays, double dt) {
  po_track_figures *f = &t->now.figures;
  double size = po_v3_norm(t->now.force), x[PO_MOMENTUM_NX], into;
  po_vec3 lag;
  int i;
  (void)ray;
  for (i = 0; i < rays; i++) f->cone_violation = po_max(f->cone_violation, -t->u[i]);
  f->am_peak = po_max(f->am_peak, po_norm2(t->now.x + PO_MOMENTUM_L, 3));
  f->force_peak = po_max(f->force_peak, size);
  f->force_square += dt * size * size;
  f->force_seconds += dt;
  f->momentum_error = po_max(f->momentum_error, track_momentum_share(t, result->momentum_miss));
  f->joint_error = po_max(f->joint_error, result->joint_miss);
  f->foothold_shift = po_max(f->foothold_shift, po_v3_norm(t->now.shift));
  f->late = t->now.frames / po_track_piece_now(t)->frames;
  track_measure_slip(t);
  f->limit_excess = po_max(f->limit_excess, track_limit_excess(t));
  po_track_planned(x, po_track_piece_now(t), t->now.phase);
  lag = po_v3_sub(po_v3_sub(t->data->com, t->now.offset), po_v3_of(x));
  into = t->now.phase / po_track_piece_now(t)->frames;
  lag = po_v3_addscaled(po_v3_addscaled(lag, into - 1, t->now.behind), -into, po_track_end_move(t->now.goal));
  f->com_lag = po_max(f->com_lag, po_v3_norm(lag));
}

static const po_track *track_figured(const po_move *move) { return (const po_track *)(const void *)move; }

const po_track_figures *po_track_figures_of(const po_move *move) {
  return move && move->type == &po_track_type ? &track_figured(move)->now.figures : NULL;
}

void po_track_seconds(double *tick, double *plan, const po_move *move) {
  const po_track *t = track_figured(move);
  *tick = move->actor->clock && t->ticks ? t->tick_seconds / (double)t->ticks : PO_NAN;
  *plan = move->actor->clock ? (t->params.replan > 0 ? t->plan_seconds : t->store_seconds) : PO_NAN;
}

void po_track_view(double *phase, po_vec3 *force, po_vec3 *at, po_vec3 *goal, po_vec3 *foothold, const po_move *move) {
  const po_track *t = track_figured(move);
  const po_track_piece *p = po_track_piece_now(t);
  const po_motion *m = t->store->motion;
  po_track_contacts k;
  po_vec3 sum = po_v3(0, 0, 0);
  double weight = 0;
  int c, i, first = p->momentum->point_first[p->momentum->frames - 1], n = 0;
  po_track_contacts_now(&k, t);
  *at = po_v3(0, 0, 0);
  for (i = 0; i < k.rays; i++) {
    double up = t->u[i] * k.ray[i].z;
    *at = po_v3_addscaled(*at, up, k.point[i]);
    weight += up;
  }
  *at = weight > 0 ? po_v3_scale(1 / weight, *at) : t->data->com;
  *force = t->now.force;
  *phase = (double)t->now.segment + t->now.phase / p->frames;
  *goal = po_v3_add(po_v3_of(p->momentum->goal), po_v3_add(t->now.offset, po_track_end_move(t->now.goal)));
  *foothold = po_v3(goal->x, goal->y, 0);
  for (c = 0, i = 0; c < m->corners.count; c++) /* corners that stand at the segment's end, of the foot that arrived in it */
    if (m->planted[p->segment.to - 1] >> c & 1u) {
      if (p->arrive[c] >= 0) sum = po_v3_add(sum, po_v3_of(p->momentum->points + 3 * (size_t)(first + i))), n++;
      i++;
    }
  if (n) *foothold = po_v3_add(po_v3_scale(1.0 / n, sum), po_v3_add(t->now.offset, t->now.goal));
}

/* The COM after this tick against the reference and against the goal, and as much beyond them as the phase is beyond the end. */
void po_track_measure_end(po_track *t, double dt) {
  const po_track_piece *p = po_track_piece_now(t);
  const double *reference = po_track_piece_reference(p, p->frames);
  po_track_figures *f = &t->now.figures;
  double mass = t->data->model->total_mass, beyond = (t->now.phase - p->frames) / t->now.rate, change = t->now.frames - beyond - p->frames;
  po_vec3 P = po_v3_of(t->now.x + PO_MOMENTUM_P), moved = po_v3_add(t->now.offset, po_track_end_move(t->now.goal)), C = po_v3_addscaled(t->data->com, dt / mass, P);
  po_vec3 goal = po_v3_addscaled(po_v3_of(p->momentum->goal), beyond * p->momentum->dt / mass, po_v3_of(p->momentum->goal + PO_MOMENTUM_P));
  po_vec3 wanted = po_v3_addscaled(po_v3_of(reference), beyond * p->momentum->dt / mass, po_v3_of(reference + PO_MOMENTUM_P));
  f->com_error = po_v3_norm(po_v3_sub(C, po_v3_add(wanted, moved)));
  f->speed_error = po_v3_norm(po_v3_sub(P, po_v3_of(reference + PO_MOMENTUM_P))) / mass;
  f->goal_error = po_max(f->goal_error, po_v3_norm(po_v3_sub(C, po_v3_add(goal, moved))));
  f->frames_nominal += p->frames;
  f->frames_change_sum += change;
  if (po_abs(change) > po_abs(f->frames_change)) f->frames_change = change;
  f->segments++;
  if (p->iterations > f->iterations) f->iterations = p->iterations;
}
