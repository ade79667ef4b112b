/* actor.c: what every behaviour stands on: model data, feet, whole-body control and a rest pose, made, saved and restored as one. */
#include "ctrl_internal.h"
#include <string.h>

typedef struct actor_parts {
  void *wbc, *data;
  size_t wbc_bytes, data_bytes;
} actor_parts;

/* One layout for po_actor_bytes and po_actor_init. */
static actor_parts actor_layout(po_actor *a, const po_model *m, const po_wbc_opts *o, po_arena *arena) {
  actor_parts p;
  a->wbc = PO_ARENA_ZARRAY(arena, po_wbc, 1);
  a->data = PO_ARENA_ZARRAY(arena, po_data, 1);
  a->pose = PO_ARENA_ZARRAY(arena, double, m->nq);
  a->joint_weight = PO_ARENA_ZARRAY(arena, double, m->nv);
  p.wbc = po_arena_alloc(arena, p.wbc_bytes = po_wbc_bytes(m, o));
  p.data = po_arena_alloc(arena, p.data_bytes = po_data_bytes(m));
  return p;
}

size_t po_actor_bytes(const po_model *m, const po_wbc_opts *o) {
  po_arena arena;
  po_actor a;
  if (!m) return 0;
  po_arena_measure(&arena);
  actor_layout(&a, m, o, &arena);
  return po_arena_used(&arena);
}

/* COM over the soles at the zero pose: the length scale of every behaviour. */
static void actor_measure(po_actor *a) {
  po_vec3 e0, e1, up;
  po_neutral(a->data->model, a->pose);
  po_kinematics(a->data, a->pose, NULL);
  po_com(a->data);
  po_gravity_axes(a->data->gravity, &e0, &e1, &up);
  a->rest_orientation = po_q_from_matrix(a->data->pose[0].R);
  a->standing_height = po_v3_dot(up, po_v3_sub(a->data->com, po_support_centroid(&a->support, a->data, 3)));
}

/* Legs bend to move the COM; a trunk that bends instead looks broken. Rows of the pose weigh this much more there. */
#define ACTOR_TRUNK_WEIGHT 10.0

static void actor_weights(po_actor *a, const po_model *m) {
  static const char *const trunk[] = {"abdomen", "thorax", "head"};
  int i, k;
  for (i = 0; i < m->nv; i++) a->joint_weight[i] = 1;
  for (k = 0; k < 3; k++) {
    int body = po_find_body(m, trunk[k]);
    for (i = 0; body >= 0 && i < m->joint[body].nv; i++) a->joint_weight[m->joint[body].v + i] = ACTOR_TRUNK_WEIGHT;
  }
}

po_status po_actor_init(po_actor *a, const po_model *m, const po_terrain *terrain, const po_wbc_opts *o, void *mem, size_t bytes, po_error *err) {
  po_arena arena;
  actor_parts parts;
  po_status s;
  if (!a || !m || !mem) return po_fail(err, PO_ERR_NULL, "a behaviour needs a model and memory");
  memset(a, 0, sizeof *a);
  if ((s = po_support_init(&a->support, m, terrain, err)) != PO_OK) return s;
  po_arena_init(&arena, mem, bytes);
  parts = actor_layout(a, m, o, &arena);
  if (arena.failed) return po_fail(err, PO_ERR_MEMORY, "control needs %zu bytes, %zu were given", po_actor_bytes(m, o), bytes);
  if ((s = po_data_init(a->data, m, parts.data, parts.data_bytes)) != PO_OK) return po_fail(err, s, "model data: %s", po_status_string(s));
  if ((s = po_wbc_init(a->wbc, m, o, parts.wbc, parts.wbc_bytes)) != PO_OK) return po_fail(err, s, "control: %s", po_status_string(s));
  actor_measure(a);
  actor_weights(a, m);
  return PO_OK;
}

po_status po_actor_set_model(po_actor *a, const po_model *m) {
  po_support kept = a->support;
  po_status s;
  int i;
  if ((s = po_support_init(&a->support, m, kept.terrain, NULL)) == PO_OK && (s = po_wbc_set_model(a->wbc, m)) == PO_OK)
    s = po_data_set_model(a->data, m);
  if (s != PO_OK) return s;
  for (i = 0; i < 8; i++) a->support.foot[i / 4].touching[i % 4] = kept.foot[i / 4].touching[i % 4];
  for (i = 0; i < 8 && a->contact_at + i < a->wbc->objectives; i++) /* points on soles move with the soles */
    a->wbc->objective[a->contact_at + i].feature.point = a->support.foot[i / 4].corner_point[i % 4];
  actor_measure(a);
  return PO_OK;
}

po_status po_actor_add_contacts(po_actor *a, int priority, double kp) {
  static const char *const names[8] = {"contact_l0", "contact_l1", "contact_l2", "contact_l3",
                                       "contact_r0", "contact_r1", "contact_r2", "contact_r3"};
  int i;
  a->contact_at = a->wbc->objectives;
  for (i = 0; i < 8; i++) {
    const po_sole *s = &a->support.foot[i / 4];
    po_objective o = po_objective_setpoint(names[i], po_feature_point(s->body, s->corner_point[i % 4]), priority, kp);
    if (!po_wbc_add(a->wbc, &o)) return PO_ERR_SIZE;
  }
  return PO_OK;
}

/* ---- a tick ---- */

po_status po_actor_begin(po_actor *a, const double *q, const double *v, double dt) {
  po_clock_fn clock;
  po_status s;
  double t0;
  if (!q || !v) return PO_ERR_NULL;
  if (!(dt >= 0)) return PO_ERR_RANGE;
  if ((s = po_check_state(a->data->model, q, v)) != PO_OK) return s;
  clock = a->wbc->opts.clock;
  t0 = clock ? clock() : 0;
  po_all_terms(a->data, q, v);
  if (clock) a->wbc->profile.dynamics = clock() - t0;
  po_support_update(&a->support, a->data);
  return PO_OK;
}

po_status po_actor_end(po_actor *a, double *tau, const double *q, const double *v, double dt) {
  po_status s = po_wbc_solve(a->wbc, a->data, q, v);
  if (s == PO_OK) memcpy(tau, a->wbc->tau, sizeof(double) * (size_t)a->data->model->nv);
  a->time += dt;
  return s;
}

/* Paper 1, section 4: each corner's target is its own projection onto the surface, so that only its gap is an error. */
void po_actor_plant(po_actor *a, int foot, int corner, int on, double kp) {
  const po_sole *s = &a->support.foot[foot];
  po_objective *o = &a->wbc->objective[a->contact_at + 4 * foot + corner];
  po_vec3 p = po_point_position(a->data, s->body, s->corner_point[corner]);
  o->on = on;
  o->kp = kp;
  po_v3_to(o->ref, po_v3_addscaled(p, -s->gap[corner], s->normal));
}

void po_actor_bend_knees(po_actor *a, double bend) {
  static const char *const knees[2] = {"shank_l", "shank_r"}, *const thighs[2] = {"thigh_l", "thigh_r"}, *const feet[2] = {"foot_l", "foot_r"};
  const po_model *m = a->data->model;
  int f;
  po_neutral(m, a->pose);
  for (f = 0; f < 2; f++) {
    int knee = po_find_body(m, knees[f]), thigh = po_find_body(m, thighs[f]), foot = po_find_body(m, feet[f]);
    if (knee < 0 || thigh < 0 || foot < 0) continue;
    if (m->joint[knee].nq == 1) a->pose[m->joint[knee].q] += bend;
    if (m->joint[thigh].type == PO_JOINT_SPHERICAL) po_q_to(a->pose + m->joint[thigh].q, po_q_axis_angle(po_v3(0, 1, 0), -0.5 * bend));
    if (m->joint[foot].type == PO_JOINT_UNIVERSAL) a->pose[m->joint[foot].q] -= 0.5 * bend;
  }
}

double po_actor_heading(const po_actor *a) {
  const po_mat3 *R = &a->data->pose[0].R;
  return po_atan2(R->m[3], R->m[0]);
}

void po_actor_upright(const po_actor *a, po_objective *o) {
  o->ref_orientation = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), po_actor_heading(a)), a->rest_orientation);
  o->ref_rate[0] = o->ref_rate[1] = 0;
  o->ref_rate[2] = po_body_angular_velocity(a->data, 0).z;
}

void po_actor_stand_on(po_actor *a, unsigned feet) {
  po_wbc *w = a->wbc;
  int f, k;
  w->contacts = 0;
  for (f = 0; f < a->support.feet; f++)
    for (k = 0; k < 4 && (feet & (1u << f)); k++) {
      const po_sole *s = &a->support.foot[f];
      po_wbc_contact *c = &w->contact[w->contacts];
      if (!s->touching[k] || w->contacts >= w->opts.max_contacts) continue;
      c->body = s->body;
      c->point = s->corner_point[k];
      c->normal = s->normal;
      c->ramp = 1;
      c->gap = s->gap[k];
      w->contacts++;
    }
}

/* ---- state ---- */

typedef struct actor_saved {
  double time;
  int touching[8];
} actor_saved;

size_t po_actor_state_bytes(const po_actor *a) {
  return sizeof(actor_saved) + sizeof(double) * (size_t)a->data->model->nq + po_wbc_state_bytes(a->wbc);
}

void po_actor_save(const po_actor *a, void *state) {
  size_t nq = sizeof(double) * (size_t)a->data->model->nq;
  actor_saved x;
  int i;
  memset(&x, 0, sizeof x);
  x.time = a->time;
  for (i = 0; i < 8; i++) x.touching[i] = a->support.foot[i / 4].touching[i % 4];
  memcpy(state, &x, sizeof x);
  memcpy((char *)state + sizeof x, a->pose, nq);
  po_wbc_save(a->wbc, (char *)state + sizeof x + nq);
}

po_status po_actor_restore(po_actor *a, const void *state, size_t bytes) {
  size_t nq = sizeof(double) * (size_t)a->data->model->nq;
  actor_saved x;
  int i;
  if (bytes != po_actor_state_bytes(a)) return PO_ERR_SIZE;
  memcpy(&x, state, sizeof x);
  a->time = x.time;
  for (i = 0; i < 8; i++) a->support.foot[i / 4].touching[i % 4] = x.touching[i];
  memcpy(a->pose, (const char *)state + sizeof x, nq);
  return po_wbc_restore(a->wbc, (const char *)state + sizeof x + nq, bytes - sizeof x - nq);
}
