/* actor.c: what every behaviour of a body stands on: model data, patches, whole-body control and a rest pose, made once and shared. */
#include "ctrl_internal.h"
#include <string.h>

typedef struct actor_parts {
  void *wbc, *data;
  size_t wbc_bytes, data_bytes;
} actor_parts;

/* One layout for po_actor_bytes and po_actor_init. */
static actor_parts actor_layout(po_actor *a, const po_model *m, unsigned needs, const po_wbc_opts *o, po_arena *arena) {
  actor_parts p;
  memset(&p, 0, sizeof p);
  a->data = PO_ARENA_ZARRAY(arena, po_data, 1);
  a->pose = PO_ARENA_ZARRAY(arena, double, m->nq);
  a->joint_weight = PO_ARENA_ZARRAY(arena, double, m->nv);
  a->tau = PO_ARENA_ZARRAY(arena, double, m->nv);
  p.data = po_arena_alloc(arena, p.data_bytes = po_data_bytes(m));
  if (!(needs & PO_NEEDS_WBC)) return p;
  a->wbc = PO_ARENA_ZARRAY(arena, po_wbc, 1);
  p.wbc = po_arena_alloc(arena, p.wbc_bytes = po_wbc_bytes(m, o));
  return p;
}

size_t po_actor_bytes(const po_model *m, unsigned needs, const po_wbc_opts *o) {
  po_arena arena;
  po_actor a;
  if (!m) return 0;
  po_arena_measure(&arena);
  actor_layout(&a, m, needs, o, &arena);
  return po_arena_used(&arena);
}

/* Height of what it stands on in the zero pose: its soles, or else its lowest frame or body. */
static double actor_ground(const po_actor *a, po_vec3 up) {
  const po_model *m = a->model;
  double low = PO_INF;
  int i;
  if ((po_patches_there(&a->patches) & PO_BOTH_FEET) == PO_BOTH_FEET)
    return po_v3_dot(up, po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET));
  for (i = 0; i < m->nb; i++) low = po_min(low, po_v3_dot(up, a->data->pose[i].p));
  for (i = 0; i < m->frames; i++)
    if (m->frame[i].body >= 0) low = po_min(low, po_v3_dot(up, po_frame_position(a->data, i)));
  return low;
}

/* COM over the ground at the zero pose: the length scale of every behaviour. Leaves the zero pose in data and as rest pose. */
void po_actor_measure(po_actor *a) {
  po_vec3 e0, e1, up;
  po_neutral(a->pose, a->model);
  po_kinematics(a->data, a->pose, NULL);
  po_com(a->data);
  po_gravity_axes(&e0, &e1, &up, a->data->gravity);
  a->rest_orientation = po_q_from_matrix(a->data->pose[0].R);
  a->standing_height = po_v3_dot(up, a->data->com) - actor_ground(a, up);
  a->model_hash = po_model_hash(a->model);
  po_legs_find(&a->legs, a->data);
}

/* Legs bend to move the COM; a trunk that bends instead looks broken. Rows of the pose weigh this much more there. */
#define ACTOR_TRUNK_WEIGHT 10.0

static void actor_weights(po_actor *a) {
  static const char *const trunk[] = {"abdomen", "thorax", "head"};
  const po_model *m = a->model;
  int i, k;
  for (i = 0; i < m->nv; i++) a->joint_weight[i] = 1;
  for (k = 0; k < 3; k++) {
    int body = po_find_body(m, trunk[k]);
    for (i = 0; body >= 0 && i < m->joint[body].nv; i++) a->joint_weight[m->joint[body].v + i] = ACTOR_TRUNK_WEIGHT;
  }
}

void po_actor_reset(po_actor *a) {
  po_neutral(a->pose, a->model);
  actor_weights(a);
  memset(a->contact, 0, sizeof a->contact);
  a->owner = NULL;
  if (a->wbc) po_wbc_clear(a->wbc);
}

po_status po_actor_init(po_actor *a, const po_model *m, const po_terrain *terrain, unsigned needs, const po_wbc_opts *o, void *mem, size_t bytes,
                        po_error *err) {
  unsigned patches = (needs & PO_NEEDS_FEET ? PO_BOTH_FEET : 0) | (needs & PO_NEEDS_HANDS ? PO_BOTH_HANDS : 0);
  po_arena arena;
  actor_parts parts;
  po_status s;
  if (!a || !m || !mem) return po_fail(err, PO_ERR_NULL, "a behaviour needs a model and memory");
  memset(a, 0, sizeof *a);
  a->model = m;
  a->clock = o ? o->clock : NULL;
  if ((s = po_patches_init(&a->patches, m, terrain, patches, err)) != PO_OK) return s;
  po_arena_init(&arena, mem, bytes);
  parts = actor_layout(a, m, needs, o, &arena);
  if (arena.failed) return po_fail(err, PO_ERR_MEMORY, "control needs %zu bytes, %zu were given", po_actor_bytes(m, needs, o), bytes);
  if ((s = po_data_init(a->data, m, parts.data, parts.data_bytes)) != PO_OK) return po_fail(err, s, "model data: %s", po_status_string(s));
  if (a->wbc && (s = po_wbc_init(a->wbc, m, o, parts.wbc, parts.wbc_bytes)) != PO_OK) return po_fail(err, s, "control: %s", po_status_string(s));
  po_actor_measure(a);
  actor_weights(a);
  return PO_OK;
}

po_status po_actor_new(po_actor **actor, const po_model *m, const po_terrain *terrain, unsigned needs, const po_wbc_opts *o, po_error *err) {
  size_t own = (sizeof(po_actor) + 31) & ~(size_t)31, bytes = po_actor_bytes(m, needs, o);
  po_actor *a;
  po_status s;
  if (!actor || !m) return po_fail(err, PO_ERR_NULL, "an actor needs a model");
  *actor = NULL;
  if (!(a = po_alloc(own + bytes))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  s = po_actor_init(a, m, terrain, needs, o, (char *)a + own, bytes, err);
  if (s != PO_OK) po_free(a);
  else *actor = a;
  return s;
}
void po_actor_free(po_actor *a) { po_free(a); }

po_status po_actor_set_model(po_actor *a, const po_model *m) {
  po_patches kept = a->patches;
  po_status s;
  int i, k;
  if ((s = po_patches_init(&a->patches, m, kept.terrain, po_patches_there(&kept), NULL)) == PO_OK && a->wbc) s = po_wbc_set_model(a->wbc, m);
  if (s == PO_OK) s = po_data_set_model(a->data, m);
  if (s != PO_OK) {
    a->patches = kept;
    return s;
  }
  a->model = m;
  for (i = 0; i < PO_PATCHES; i++)
    for (k = 0; k < 4; k++) {
      a->patches.patch[i].touching[k] = kept.patch[i].touching[k];
      if (a->contact[i][k]) a->contact[i][k]->feature.point = a->patches.patch[i].point[k]; /* points on soles move with the soles */
    }
  po_actor_measure(a);
  return PO_OK;
}

/* ---- a tick ---- */

/* M q̈ + h = τ + Jcᵀ f + Jᵀ F: the push stands with gravity and velocities. */
static void actor_feel_push(po_actor *a, const po_sense *sense) {
  int i;
  for (i = 0; i < a->model->nv; i++) a->data->h[i] -= sense->external[i];
  if (sense->push) a->given = po_v3_scale(1 / a->model->total_mass, *sense->push);
}

/* M q̈ + h + D q̇ = τ + …: what the joints' dampers take stands with gravity and velocities, at the speed that is left after the tick, as the world has
 * it: D q̇ / (1 + dt D / M_ii). Only where a motor can make up for it. Bodies without dampers keep their bits. */
static void actor_feel_damping(po_actor *a, const double *v, double dt) {
  int i, k;
  for (i = 0; i < a->model->nb; i++) {
    const po_joint *j = &a->model->joint[i];
    for (k = 0; k < j->nv && k < 3 && j->type != PO_JOINT_FLOATING; k++)
      if (j->damping[k] > 0 && j->effort[k] > 0) a->data->h[j->v + k] += j->damping[k] * v[j->v + k] / (1 + dt * j->damping[k] / PO_AT(a->data->M, j->v + k, j->v + k));
  }
}

/* What it is told besides the state. A number that is none would stay in filters and clocks for ever. */
/* What no body does: a tick that fails half way would leave its behaviour half way, so states whose products run off, and steps that divide or are waited
 * for in vain, are refused before anything is touched. */
#define ACTOR_SHORTEST 1e-9 /* s between ticks, where it is not 0 */
#define ACTOR_LONGEST 1.0
#define ACTOR_FASTEST 1e6   /* rad/s, m/s */
#define ACTOR_FARTHEST 1e9  /* m, rad */

static int actor_within(const double *x, int n, double most) {
  double largest = 0;
  int i;
  for (i = 0; i < n; i++) largest = po_max(largest, po_abs(x[i]));
  return largest <= most;
}

static po_status actor_check_sense(const po_actor *a, const po_sense *sense) {
  if (!(sense->dt == 0 || (sense->dt >= ACTOR_SHORTEST && sense->dt <= ACTOR_LONGEST))) return PO_ERR_RANGE;
  if (sense->push && (sense->push_body < -1 || sense->push_body >= a->model->nb)) return PO_ERR_RANGE;
  if (sense->push && !po_all_finite(&sense->push->x, 3)) return PO_ERR_NOT_FINITE;
  if (sense->external && !po_all_finite(sense->external, a->model->nv)) return PO_ERR_NOT_FINITE;
  if (!actor_within(sense->v, a->model->nv, ACTOR_FASTEST) || !actor_within(sense->q, a->model->nq, ACTOR_FARTHEST)) {
    po_status s = po_check_state(a->model, sense->q, sense->v);
    return s != PO_OK ? s : PO_ERR_RANGE;
  }
  return po_check_state(a->model, sense->q, sense->v);
}

po_status po_actor_begin(po_actor *a, const po_sense *sense) {
  po_status s;
  double t0;
  if (!a || !sense || !sense->q || !sense->v) return PO_ERR_NULL;
  if ((s = actor_check_sense(a, sense)) != PO_OK) return s;
  t0 = a->clock ? a->clock() : 0;
  a->given = po_v3(0, 0, 0);
  if (a->wbc) {
    po_all_terms(a->data, sense->q, sense->v);
    actor_feel_damping(a, sense->v, sense->dt);
    if (sense->external) actor_feel_push(a, sense);
  } else {
    po_kinematics(a->data, sense->q, sense->v);
    po_com(a->data);
  }
  if (!po_all_finite(&a->data->com_drift.x, 3)) return PO_ERR_NOT_FINITE; /* speeds whose squares overflow */
  memset(&a->profile, 0, sizeof a->profile);
  if (a->clock) a->profile.dynamics = a->clock() - t0;
  po_patches_update(&a->patches, a->data);
  po_heading_update(&a->heading, a->data->pose[0].R, a->data->gravity);
  return PO_OK;
}

po_status po_actor_solve(po_actor *a, double *tau, const po_sense *sense) {
  po_status s;
  if (!a->wbc) return PO_ERR_STATE;
  if ((s = po_wbc_solve_checked(a->wbc, a->data, sense->q, sense->v)) != PO_OK) return s;
  memcpy(tau, a->wbc->tau, sizeof(double) * (size_t)a->model->nv);
  a->profile.problem = a->wbc->profile.problem;
  a->profile.solve = a->wbc->profile.solve;
  return PO_OK;
}

void po_actor_add_contacts(po_actor *a, unsigned set, int priority, double kp) {
  static const char *const names[PO_PATCHES][4] = {{"contact_l0", "contact_l1", "contact_l2", "contact_l3"},
                                                   {"contact_r0", "contact_r1", "contact_r2", "contact_r3"},
                                                   {"palm_l0", "palm_l1", "palm_l2", "palm_l3"},
                                                   {"palm_r0", "palm_r1", "palm_r2", "palm_r3"}};
  int i, k;
  for (i = 0; i < PO_PATCHES; i++) {
    const po_patch *p = &a->patches.patch[i];
    for (k = 0; k < p->points && (set & PO_PATCH_BIT(i)); k++) {
      po_objective o = po_objective_setpoint(names[i][k], po_feature_point(p->point_body[k], p->point[k]), priority, kp);
      a->contact[i][k] = po_wbc_add(a->wbc, &o);
    }
  }
}

/* Paper 1, section 4: each corner's target is its own projection onto the surface, so that only its gap is an error. */
void po_actor_plant(po_actor *a, int patch, int k, int on, double kp) {
  const po_patch *p = &a->patches.patch[patch];
  po_objective *o = a->contact[patch][k];
  if (!o) return;
  o->on = on;
  o->kp = kp;
  o->feature.point = p->point[k]; /* a ball rolls */
  po_v3_to(o->ref, po_v3_addscaled(po_point_position(a->data, p->point_body[k], p->point[k]), -p->gap[k], p->normal));
}

void po_actor_stand_on(po_actor *a, unsigned set) {
  po_wbc *w = a->wbc;
  int i, k;
  w->contacts = 0;
  for (i = 0; i < PO_PATCHES; i++)
    for (k = 0; k < a->patches.patch[i].points && (set & PO_PATCH_BIT(i)); k++) {
      const po_patch *p = &a->patches.patch[i];
      po_wbc_contact *c = &w->contact[w->contacts];
      if (!p->touching[k] || w->contacts >= w->opts.max_contacts) continue;
      c->body = p->point_body[k];
      c->point = p->point[k];
      c->normal = p->normal;
      c->mu = w->opts.mu * p->mu;
      c->ramp = 1;
      c->gap = p->gap[k];
      w->contacts++;
    }
}

void po_actor_upright(po_objective *o, const po_actor *a) {
  po_vec3 e0, e1, up;
  po_gravity_axes(&e0, &e1, &up, a->data->gravity);
  o->ref_orientation = po_q_mul(po_q_axis_angle(up, po_actor_heading(a)), a->rest_orientation);
  po_v3_to(o->ref_rate, po_v3_scale(po_v3_dot(up, po_body_angular_velocity(a->data, 0)), up));
}

po_feel po_actor_feel(const po_actor *a, int patch, const po_sense *sense) {
  const po_patch *p = &a->patches.patch[patch];
  po_feel f;
  if (sense->feet) return sense->feet->patch[patch];
  memset(&f, 0, sizeof f);
  f.force = PO_NAN;
  if (patch >= PO_HAND_L) f.palm = p->touching[0] || p->touching[1] || p->touching[2] || p->touching[3];
  else {
    f.heel = p->touching[0] || p->touching[1];
    f.toe = p->touching[2] || p->touching[3];
  }
  return f;
}

/* ---- state ---- */

void po_actor_stream(po_actor *a, po_stream *s) {
  int i;
  po_stream_double(s, &a->time);
  for (i = 0; i < PO_PATCHES; i++) po_stream_ints(s, a->patches.patch[i].touching, 4);
  po_stream_double(s, &a->heading.angle);
  po_stream_int(s, &a->heading.turns);
  po_stream_int(s, &a->heading.axis);
  po_stream_int(s, &a->heading.known);
  po_stream_doubles(s, a->pose, a->model->nq);
  po_stream_doubles(s, a->joint_weight, a->model->nv);
  po_stream_doubles(s, a->tau, a->model->nv);
  if (a->wbc) po_wbc_stream(a->wbc, s);
}
