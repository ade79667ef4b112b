/* simbicon_body.c: a gait on a body: which joint each line of its table drives, and the state in which a run of it begins. */
#include "simbicon_internal.h"
#include <string.h>

/* ---- joints by name ---- */

/* Length of a joint's name without its side. */
static size_t simbody_stem(const char *name) {
  size_t n = strlen(name);
  return n > 2 && name[n - 2] == '_' && (name[n - 1] == 'l' || name[n - 1] == 'r') ? n - 2 : n;
}

/* The body that joint "hip" of side 0 (left), 1 (right), or −1 (no side) moves; −1: none. */
static int simbody_find(const po_model *m, const char *joint, int side) {
  char name[PO_GAIT_NAME + 4];
  if (!strcmp(joint, "root")) return 0;
  po_format(name, sizeof name, "%s%s", joint, side < 0 ? "" : side ? "_r" : "_l");
  return po_find_joint(m, name);
}

static const po_gait_gain *simbody_gain(const po_gait_table *t, const po_model *m, int b) {
  const char *name = b ? m->joint[b].name : "root";
  size_t n = simbody_stem(name);
  int i;
  for (i = 0; i < t->gains; i++)
    if (strlen(t->gain[i].joint) == n && !memcmp(t->gain[i].joint, name, n)) return &t->gain[i];
  return NULL;
}

static po_status simbody_lacks(const po_gait_table *t, const po_model *m, const char *joint, int line, int column, po_error *err) {
  return po_fail_at(err, PO_ERR_NAME, t->name, line, column, "the gait drives a joint '%s', which %s lacks", joint, m->name);
}

/* Every line of every state, for both stances. */
static po_status simbody_targets(struct po_simbicon_gait *g, const po_gait_table *t, const po_model *m, po_error *err) {
  int state, stance, i, b;
  for (i = 0; i < t->states * 2 * m->nb; i++) g->target[i] = -1;
  for (state = 0; state < t->states; state++)
    for (stance = 0; stance < 2; stance++)
      for (i = t->state[state].first; i < t->state[state].first + t->state[state].count; i++) {
        const po_gait_target *x = &t->target[i];
        b = simbody_find(m, x->joint, x->side == PO_GAIT_MIDDLE ? -1 : x->side == PO_GAIT_STANCE ? stance : !stance);
        if (b < 0) return simbody_lacks(t, m, x->joint, x->line, x->column, err);
        g->target[(state * 2 + stance) * m->nb + b] = i;
      }
  return PO_OK;
}

static po_status simbody_gains(struct po_simbicon_gait *g, const po_gait_table *t, const po_model *m, po_error *err) {
  int i, b;
  for (i = 0; i < t->gains; i++)
    if (simbody_find(m, t->gain[i].joint, -1) < 0 && simbody_find(m, t->gain[i].joint, 0) < 0) return simbody_lacks(t, m, t->gain[i].joint, t->gain[i].line, t->gain[i].column, err);
  for (b = 0; b < m->nb; b++) {
    const po_gait_gain *gain = simbody_gain(t, m, b);
    if (!gain) return po_fail(err, PO_ERR_NAME, "gait '%s' has no gains for joint '%s' of %s", t->name, m->joint[b].name, m->name);
    g->kp[b] = gain->kp;
    g->kd[b] = gain->kd;
    g->scale[b] = gain->scale;
  }
  return PO_OK;
}

static struct po_simbicon_gait *simbody_layout(const po_gait_table *t, const po_model *m, po_arena *a) {
  struct po_simbicon_gait *g = po_arena_zalloc(a, sizeof *g);
  int *target = PO_ARENA_ZARRAY(a, int, t->states * 2 * m->nb);
  double *kp = PO_ARENA_ZARRAY(a, double, m->nb), *kd = PO_ARENA_ZARRAY(a, double, m->nb);
  po_vec3 *scale = PO_ARENA_ZARRAY(a, po_vec3, m->nb);
  if (!g) return NULL; /* measuring */
  g->table = *t;
  g->target = target;
  g->kp = kp;
  g->kd = kd;
  g->scale = scale;
  return g;
}

po_status po_simbicon_resolve(struct po_simbicon_gait **gait, const po_gait_table *t, const po_model *m, po_error *err) {
  po_arena a;
  size_t bytes;
  void *mem;
  po_status s;
  *gait = NULL;
  if (strcmp(t->body, m->name)) return po_fail(err, PO_ERR_MODEL, "gait '%s' is for %s, not for %s", t->name, t->body, m->name);
  po_arena_measure(&a);
  simbody_layout(t, m, &a);
  bytes = po_arena_used(&a);
  if (!(mem = po_alloc(bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&a, mem, bytes);
  *gait = simbody_layout(t, m, &a); /* stands at the beginning of mem */
  if ((s = simbody_targets(*gait, t, m, err)) == PO_OK) s = simbody_gains(*gait, t, m, err);
  if (s != PO_OK) {
    po_free(mem);
    *gait = NULL;
  }
  return s;
}

const po_gait_target *po_simbicon_target(const struct po_simbicon_gait *g, int bodies, int state, int stance, int b) {
  int i = g->target[(state * 2 + stance) * bodies + b];
  return i < 0 ? NULL : &g->table.target[i];
}

po_quat po_simbicon_rotation(const po_gait_table *t, const po_gait_target *target, double phase, int stance, const po_vec3 *d, const po_vec3 *v,
                             double feedback) {
  po_quat r = po_q_identity();
  int k;
  for (k = 0; target && k < target->parts; k++) {
    const po_gait_part *p = &target->part[k];
    double angle = po_gait_value(t, p->angle, phase, 0);
    if (p->flip == stance + 1) angle = -angle;
    if (d && v) angle += feedback * (p->axis.y != 0 ? p->c_d * d->x + p->c_v * v->x : p->c_d * d->y + p->c_v * v->y);
    angle = po_clamp(angle, p->lower, p->upper);
    r = k ? po_q_mul(po_q_axis_angle(p->axis, angle), r) : po_q_axis_angle(p->axis, angle);
  }
  return r;
}

/* ---- how a run begins ---- */

/* The coordinates of a joint whose child is turned by R against its parent, as near as its axes come, within its limits. */
static void simbody_joint(const po_joint *j, double *q, po_mat3 R) {
  po_mat3 J = po_m3_tmul(j->placement.R, R);
  po_vec3 r;
  switch (j->type) {
    case PO_JOINT_SPHERICAL:
    case PO_JOINT_FLOATING: po_q_to(q + j->q, po_q_from_matrix(J)); return;
    case PO_JOINT_REVOLUTE: q[j->q] = po_clamp(po_v3_dot(po_q_log(po_q_from_matrix(J)), j->axis), j->lower[0], j->upper[0]); return;
    case PO_JOINT_UNIVERSAL: /* J = R(axis, q0) R(axis2, q1): axis2 shows q0, and then the axis shows q1 */
      r = po_m3_mul_v(J, j->axis2);
      q[j->q] = po_clamp(po_atan2(po_v3_dot(po_v3_cross(j->axis2, r), j->axis), po_v3_dot(j->axis2, r)), j->lower[0], j->upper[0]);
      r = po_m3_tmul_v(J, j->axis);
      q[j->q + 1] = po_clamp(-po_atan2(po_v3_dot(po_v3_cross(j->axis, r), j->axis2), po_v3_dot(j->axis, r)), j->lower[1], j->upper[1]);
      return;
    case PO_JOINT_PLANAR: q[j->q + 2] = po_v3_dot(po_q_log(po_q_from_matrix(J)), j->axis); return;
    default: return;
  }
}

/* All joints as the table wants them, but for the stance leg, which is at rest: only then is a body sure to be over its foot. `level` turns the stance
 * thigh about y besides. */
static void simbody_pose(const po_simbicon *s, const struct po_simbicon_gait *g, double *q, po_mat3 *R, double level) {
  const po_model *m = s->move.actor->model;
  int b, thigh = s->move.actor->legs.thigh[0], swing = s->move.actor->legs.thigh[1];
  for (b = 0; b < m->nb; b++) {
    const po_gait_target *t = po_simbicon_target(g, m->nb, 0, 0, b);
    po_mat3 x = po_q_matrix(po_simbicon_rotation(&g->table, t, g->table.start_phase, 0, NULL, NULL, 0));
    int parent = m->joint[b].parent;
    if (b >= thigh && b < m->subtree_end[thigh]) {
      x = m->joint[b].placement.R;
      t = NULL;
    }
    if (b == thigh) x = po_m3_mul(po_m3_axis_angle(po_v3(0, 1, 0), level), x);
    if (b == 0) R[b] = x;
    else R[b] = (t && t->in_heading) || b == swing ? x : po_m3_mul(R[parent], x);
    simbody_joint(&m->joint[b], q, b ? po_m3_tmul(R[parent], R[b]) : R[b]);
  }
}

po_status po_simbicon_start(double *q, double *v, const po_move *move, int index, po_error *err) {
  const po_simbicon *s = po_simbicon_of(move);
  const po_model *m = move->actor->model;
  const struct po_simbicon_gait *g;
  int i, f, foot = move->actor->patches.patch[PO_FOOT_L].body;
  double level = 0, low = PO_INF;
  po_data *data;
  po_mat3 *R;
  po_vec3 ahead;
  po_status st;
  if (s && index < 0) index = s->chosen;
  if (!po_simbicon_gait_at(move, index)) return po_fail(err, PO_ERR_RANGE, "there is no such gait");
  g = s->gait[index];
  if ((st = po_data_new(&data, m)) != PO_OK) return po_fail(err, st, "out of memory");
  if (!(R = po_alloc(sizeof *R * (size_t)m->nb))) {
    po_data_free(data);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  po_neutral(q, m);
  for (i = 0; i < 3; i++) { /* limits may hold a joint back, so look at what came of it */
    simbody_pose(s, g, q, R, level);
    po_kinematics(data, q, NULL);
    ahead = po_m3_col(data->pose[foot].R, 0);
    level -= po_atan2(-ahead.z, ahead.x);
  }
  for (f = 0; f < 2; f++)
    for (i = 0; i < move->actor->patches.patch[f].points; i++)
      low = po_min(low, po_point_position(data, move->actor->patches.patch[f].point_body[i], move->actor->patches.patch[f].point[i]).z);
  po_lift(q, m, -low);
  memset(v, 0, sizeof *v * (size_t)m->nv);
  if (m->floating) po_v3_to(v + 3, po_m3_tmul_v(data->pose[0].R, po_v3(g->table.start_speed, 0, 0)));
  if (m->planar) v[0] = g->table.start_speed;
  po_free(R);
  po_data_free(data);
  return PO_OK;
}
