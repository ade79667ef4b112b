/* world.c: making a world, its characters, and reading them. */
#include "world_internal.h"
#include <string.h>

po_world_opts po_world_opts_default(void) {
  po_world_opts o;
  memset(&o, 0, sizeof o);
  o.gravity = po_v3(0, 0, -9.81);
  o.terrain = po_terrain_flat();
  o.mu = 1;
  o.bounce_speed = 0.01;
  o.margin = 0.002;
  o.slop = 1e-4;
  o.recovery_speed = 0.2;
  o.solver = PO_LCP_NEWTON;
  o.friction = PO_FRICTION_CONE;
  o.sides = 8;
  o.dense_contacts = 24;
  o.tolerance = 1e-8;
  o.max_sweeps = 100;
  o.max_steps = 30;
  o.shock = 1;
  o.conserve_momentum = 1;
  return o;
}

#define WORLD_MOST_CHARACTERS 0xfff0 /* contacts' ids count them in 16 bits */
#define WORLD_MOST (1 << 24)         /* of contacts and of springs: sums of rows stay far from the largest int */

static po_status world_check(const po_world_opts *o) {
  double x[10];
  x[0] = o->gravity.x; x[1] = o->gravity.y; x[2] = o->gravity.z;
  x[3] = o->mu; x[4] = o->restitution; x[5] = o->bounce_speed;
  x[6] = o->margin; x[7] = o->slop; x[8] = o->recovery_speed; x[9] = o->joint_damping;
  if (!po_all_finite(x, 10) || !po_isfinite(o->tolerance)) return PO_ERR_NOT_FINITE;
  if (o->mu < 0 || o->restitution < 0 || o->restitution > 1 || o->bounce_speed < 0 || o->margin < 0 || o->slop < 0 || o->recovery_speed < 0 ||
      o->tolerance < 0 || o->joint_damping < 0)
    return PO_ERR_RANGE;
  if ((unsigned)o->solver > PO_LCP_NEWTON || (unsigned)o->friction > PO_FRICTION_CONE || o->max_sweeps < 1 || o->max_steps < 0) return PO_ERR_RANGE;
  if (o->sides < 4 || o->sides > PO_LCP_MAX_SIDES || o->sides % 2) return PO_ERR_RANGE;
  if (o->max_characters < 0 || o->max_contacts < 0 || o->max_springs < 0 || o->dense_contacts < 0 || o->dense_contacts > 256) return PO_ERR_SIZE;
  if (o->max_characters > WORLD_MOST_CHARACTERS || o->max_contacts > WORLD_MOST || o->max_springs > WORLD_MOST) return PO_ERR_SIZE;
  if (o->solver == PO_LCP_LEMKE && o->friction == PO_FRICTION_CONE) return PO_ERR_UNSUPPORTED;
  if (o->solver == PO_LCP_DANTZIG && o->friction != PO_FRICTION_BOX) return PO_ERR_UNSUPPORTED;
  return PO_OK;
}

/* ---- memory: one block per character, one shared block that is laid out anew when it must grow -------------------------------------- */

static int world_max_ports(const po_model *m) {
  int bodies = 0, i, limits = 0, most = m->nb < 24 ? m->nb : 24;
  if (po_free_body_is(m)) return 6;
  for (i = 0; i < m->nb; i++) {
    int k;
    bodies++;
    for (k = 0; k < m->joint[i].nv && k < 3 && m->joint[i].type != PO_JOINT_FLOATING; k++)
      limits += (m->joint[i].lower[k] > -PO_INF) + (m->joint[i].upper[k] < PO_INF);
  }
  if (limits > m->nv) limits = m->nv; /* both ends of a freedom are never near at once, unless it has no room to move */
  return 6 * (bodies < most ? bodies : most) + limits;
}

static void world_lay_character(po_character *c, const po_model *m, po_arena *arena) {
  size_t nb = (size_t)m->nb, data = po_data_bytes(m);
  int ports = world_max_ports(m), nv4 = po_pad4(m->nv), free_body = po_free_body_is(m);
  void *memory, *user;
  c->model = m;
  c->free = free_body;
  c->q = PO_ARENA_ZARRAY(arena, double, m->nq);
  c->v = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->tau = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->q1 = PO_ARENA_ZARRAY(arena, double, m->nq);
  c->v1 = PO_ARENA_ZARRAY(arena, double, nv4);
  c->qdd = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->work = PO_ARENA_ZARRAY(arena, double, nv4);
  c->torque = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->added = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->q_seen = PO_ARENA_ZARRAY(arena, double, m->nq);
  c->v_seen = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->force = PO_ARENA_ZARRAY(arena, po_vec3, nb);
  c->moment = PO_ARENA_ZARRAY(arena, po_vec3, nb);
  c->f_ext = PO_ARENA_ZARRAY(arena, po_vec6, nb);
  c->mu = PO_ARENA_ZARRAY(arena, double, nb);
  c->restitution = PO_ARENA_ZARRAY(arena, double, nb);
  c->limit_impulse = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->solid = PO_ARENA_ZARRAY(arena, po_solid, m->shapes);
  c->solid_bounds = PO_ARENA_ZARRAY(arena, po_bounds, m->shapes);
  c->solid_reach = PO_ARENA_ZARRAY(arena, double, m->shapes);
  c->skip = PO_ARENA_ZARRAY(arena, unsigned char, nb * nb);
  po_ports_layout(&c->ports, m, ports, arena);
  c->y = PO_ARENA_ZARRAY(arena, double, ports);
  c->y_move = PO_ARENA_ZARRAY(arena, double, ports);
  c->pi = PO_ARENA_ZARRAY(arena, double, ports);
  c->gather = PO_ARENA_ZARRAY(arena, double, po_pad4(ports));
  c->y_start = PO_ARENA_ZARRAY(arena, double, ports);
  c->v_start = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->v_end = PO_ARENA_ZARRAY(arena, double, m->nv);
  c->recover = PO_ARENA_ZARRAY(arena, double, ports > nv4 ? ports : nv4);
  memory = free_body ? NULL : po_arena_alloc(arena, data);
  user = po_arena_alloc(arena, data);
  if (arena->measuring || arena->failed) return;
  if (memory) po_data_init(&c->data, m, memory, data);
  po_data_init(&c->user_data, m, user, data);
}

static size_t world_character_bytes(const po_model *m) {
  po_arena arena;
  po_character c;
  memset(&c, 0, sizeof c);
  po_arena_measure(&arena);
  po_arena_alloc(&arena, sizeof(po_character));
  world_lay_character(&c, m, &arena);
  return po_arena_used(&arena);
}

typedef struct world_need { /* what the characters ask of the shared block */
  int characters, contacts, limits, ports, most_ports, dofs;
} world_need;

static void world_need_add(world_need *n, const po_model *m) {
  int ports = world_max_ports(m);
  n->characters++;
  n->contacts = m->shapes < (WORLD_MOST - n->contacts) / 12 ? n->contacts + 12 * m->shapes + 4 : WORLD_MOST;
  n->limits += ports > 6 ? ports % 6 + m->nv : 0;
  n->ports += ports;
  n->dofs += m->nv;
  if (ports > n->most_ports) n->most_ports = ports;
}

/* Sizes and arrays of the shared block, for capacity `n`. */
static void world_lay_shared(po_world *w, const world_need *n, po_arena *arena) {
  const po_world_opts *o = &w->opts;
  po_arena scratch;
  size_t dense, other;
  int contacts = o->max_contacts > 0 ? o->max_contacts : n->contacts;
  w->capacity = n->characters;
  w->max_contacts = contacts;
  w->max_rows = contacts + n->limits + 3 * w->max_springs;
  w->max_groups = n->characters;
  w->max_clamps = n->dofs;
  w->max_pairs = 16 * n->characters + 16;
  w->max_dense = 3 * PO_SECOND_DENSE * o->dense_contacts + 48;
  w->total_ports = n->ports;
  w->contact = PO_ARENA_ZARRAY(arena, po_contact, contacts);
  w->old_contact = PO_ARENA_ZARRAY(arena, po_contact, contacts);
  w->warm = PO_ARENA_ZARRAY(arena, po_vec3, contacts);
  w->old_warm = PO_ARENA_ZARRAY(arena, po_vec3, contacts);
  w->character = PO_ARENA_ZARRAY(arena, po_character *, n->characters);
  w->spring = PO_ARENA_ZARRAY(arena, po_spring, w->max_springs);
  w->spring_warm = PO_ARENA_ZARRAY(arena, po_vec3, w->max_springs);
  w->max_grasps = w->max_springs / 2;
  w->grasp = PO_ARENA_ZARRAY(arena, po_grasp_entry, w->max_grasps);
  w->row = PO_ARENA_ZARRAY(arena, po_constraint, w->max_rows);
  w->order = PO_ARENA_ZARRAY(arena, int, w->max_rows);
  w->root = PO_ARENA_ZARRAY(arena, int, n->characters);
  w->group = PO_ARENA_ZARRAY(arena, po_group, w->max_groups);
  w->clamp = PO_ARENA_ZARRAY(arena, po_torque_clamp, w->max_clamps);
  w->pair = (int(*)[2])po_arena_zalloc(arena, sizeof(int) * 2 * (size_t)w->max_pairs);
  w->bounds = PO_ARENA_ZARRAY(arena, po_bounds, n->characters);
  dense = po_solve_dense_bytes(w->max_dense, n->most_ports, o);
  po_arena_measure(&scratch); /* recovery keeps velocities and impulses while it solves; sweeps keep levels */
  PO_ARENA_ARRAY(&scratch, double, n->ports);
  PO_ARENA_ARRAY(&scratch, double, 3 * (size_t)w->max_rows);
  PO_ARENA_ARRAY(&scratch, int, n->characters);
  other = po_broad_bytes(n->characters);
  w->scratch_bytes = po_arena_used(&scratch) + (dense > other ? dense : other) + 256;
  w->scratch_memory = po_arena_alloc(arena, w->scratch_bytes);
  if (!arena->measuring && !arena->failed) po_arena_init(&w->scratch, w->scratch_memory, w->scratch_bytes);
}

static size_t world_shared_bytes(const po_world *like, const world_need *n) {
  po_arena arena;
  po_world w;
  memset(&w, 0, sizeof w);
  w.opts = like->opts;
  w.max_springs = like->max_springs;
  po_arena_measure(&arena);
  world_lay_shared(&w, n, &arena);
  return po_arena_used(&arena);
}

/* ---- one character ------------------------------------------------------------------------------------------------------------------ */

/* Links joined directly or with one link between them do not collide, nor do shapes of one link, nor what overlaps in the zero pose. */
static void world_skips(po_character *c) {
  const po_model *m = c->model;
  po_touch touch[PO_MAX_TOUCHES];
  int i, j, k;
  for (i = 0; i < m->nb; i++)
    for (j = 0; j < m->nb; j++) {
      int pi = m->joint[i].parent, pj = m->joint[j].parent;
      int gi = pi >= 0 ? m->joint[pi].parent : -2, gj = pj >= 0 ? m->joint[pj].parent : -2;
      c->skip[i * m->nb + j] = i == j || pi == j || pj == i || gi == j || gj == i || (pi >= 0 && pi == pj);
    }
  po_kinematics(&c->user_data, c->q, NULL);
  for (i = 0; i < m->shapes; i++) {
    int a = m->shape[i].body;
    const po_pose *pose = &c->user_data.pose[a];
    po_bounds *own = &c->solid_bounds[i];
    if (a < 0) continue;
    c->solid[i].R = po_m3_mul(pose->R, m->shape[i].pose.R);
    c->solid[i].p = po_v3_add(pose->p, po_m3_mul_v(pose->R, m->shape[i].pose.p));
    po_solid_bounds(&own->low, &own->high, &c->solid[i], 0);
    for (j = 0; j < i; j++) {
      int b = m->shape[j].body, n;
      if (b < 0 || c->skip[a * m->nb + b] || !po_bounds_overlap(own, &c->solid_bounds[j])) continue;
      n = po_collide(touch, &c->solid[i], &c->solid[j], 0);
      for (k = 0; k < n; k++)
        if (touch[k].gap < 0) c->skip[a * m->nb + b] = c->skip[b * m->nb + a] = 1;
    }
  }
}

/* Whether every joint moves within one and the same plane, as those of a planar biped or of a chain of parallel hinges do. The axes of such joints stay
 * what they are in the zero pose, whatever the others do. */
static void world_find_plane(po_character *c) {
  const po_model *m = c->model;
  po_vec3 n = po_v3(0, 0, 0);
  int i;
  po_kinematics(&c->user_data, c->q1, NULL);
  for (i = 0; i < m->nb; i++) { /* the first turn decides */
    const po_joint *j = &m->joint[i];
    if (j->type == PO_JOINT_FIXED || j->type == PO_JOINT_PRISMATIC) continue;
    if (j->type != PO_JOINT_REVOLUTE && j->type != PO_JOINT_PLANAR) return;
    n = po_m3_mul_v(c->user_data.pose[i].R, j->axis);
    break;
  }
  if (!(po_v3_norm(n) > 0)) return;
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    po_vec3 axis = po_m3_mul_v(c->user_data.pose[i].R, j->axis);
    if (j->type == PO_JOINT_FIXED) continue;
    if (j->type == PO_JOINT_PRISMATIC ? fabs(po_v3_dot(axis, n)) > PO_PLANE_TOLERANCE : po_v3_norm(po_v3_cross(axis, n)) > PO_PLANE_TOLERANCE) return;
    if (j->type != PO_JOINT_PRISMATIC && j->type != PO_JOINT_REVOLUTE && j->type != PO_JOINT_PLANAR) return;
  }
  po_ports_plane(&c->ports, n);
  c->planar = 1;
}

static void world_model_constants(po_character *c) {
  const po_model *m = c->model;
  int i, k;
  c->damped = c->rotors = 0;
  for (i = 0; i < m->nb; i++)
    for (k = 0; k < m->joint[i].nv && k < 3; k++) {
      c->damped |= m->joint[i].damping[k] > 0 && m->joint[i].type != PO_JOINT_FLOATING;
      c->rotors |= m->joint[i].armature[k] > 0;
    }
  for (i = 0; i < m->shapes; i++) {
    c->solid[i].type = m->shape[i].type;
    memcpy(c->solid[i].size, m->shape[i].size, sizeof c->solid[i].size);
    c->solid[i].hull = m->shape[i].hull;
  }
  if (c->free) po_free_body_setup(c);
  po_ports_set_model(&c->ports, m);
  c->planar = 0;
  po_neutral(c->q1, m);
  if (!m->floating) world_find_plane(c);
  c->q_seen[0] = PO_NAN;
}

static void world_character_ready(po_world *w, po_character *c) {
  int i;
  po_neutral(c->q, c->model);
  for (i = 0; i < c->model->nb; i++) {
    c->mu[i] = w->opts.mu;
    c->restitution[i] = w->opts.restitution;
  }
  world_model_constants(c);
  world_skips(c);
  w->character[w->count++] = c;
}

/* Makes room for one more character in a world that owns its memory: twice as much as is needed, so that a crowd is added in linear time. */
static po_status world_grow(po_world *w, const po_model *m) {
  world_need need;
  po_arena arena;
  po_world old = *w;
  size_t bytes;
  void *block;
  int i;
  memset(&need, 0, sizeof need);
  for (i = 0; i < w->count; i++) world_need_add(&need, w->character[i]->model);
  world_need_add(&need, m);
  if (need.characters <= w->capacity && (w->opts.max_contacts > 0 || need.contacts <= w->max_contacts) && need.ports <= w->total_ports &&
      need.dofs <= w->max_clamps && need.most_ports <= w->most_ports && w->max_contacts + need.limits + 3 * w->max_springs <= w->max_rows)
    return PO_OK;
  need.characters *= 2;
  need.contacts *= 2;
  need.limits *= 2;
  need.ports *= 2;
  need.dofs *= 2;
  if (w->opts.max_characters > 0 && need.characters > w->opts.max_characters) need.characters = w->opts.max_characters;
  bytes = world_shared_bytes(w, &need);
  block = po_alloc(bytes);
  if (!block) return PO_ERR_MEMORY;
  po_arena_init(&arena, block, bytes);
  world_lay_shared(w, &need, &arena);
  if (arena.failed) {
    *w = old;
    po_free(block);
    return PO_ERR_MEMORY;
  }
  w->most_ports = need.most_ports;
  w->shared = block;
  for (i = 0; i < w->count; i++) w->character[i] = old.character[i];
  if (old.contacts) {
    memcpy(w->contact, old.contact, sizeof(po_contact) * (size_t)old.contacts);
    memcpy(w->warm, old.warm, sizeof(po_vec3) * (size_t)old.contacts);
  }
  if (old.springs) {
    memcpy(w->spring, old.spring, sizeof(po_spring) * (size_t)old.springs);
    memcpy(w->spring_warm, old.spring_warm, sizeof(po_vec3) * (size_t)old.springs);
  }
  if (old.grasps) memcpy(w->grasp, old.grasp, sizeof(po_grasp_entry) * (size_t)old.grasps);
  po_free(old.shared);
  return PO_OK;
}

po_status po_world_add(int *index, po_world *world, const po_model *model) {
  po_character *c;
  po_arena arena;
  po_status status;
  size_t bytes;
  void *block;
  if (!world || !model) return PO_ERR_NULL;
  if (!world->owned) return PO_ERR_MEMORY; /* po_world_init has added all there is room for */
  if (world->opts.max_characters > 0 && world->count >= world->opts.max_characters) return PO_ERR_MEMORY;
  if (world->count >= WORLD_MOST_CHARACTERS || model->shapes > 0xffff) return PO_ERR_SIZE;
  if ((status = world_grow(world, model)) != PO_OK) return status;
  bytes = world_character_bytes(model);
  block = po_alloc(bytes);
  if (!block) return PO_ERR_MEMORY;
  po_arena_init(&arena, block, bytes);
  c = (po_character *)po_arena_zalloc(&arena, sizeof(po_character));
  if (c) world_lay_character(c, model, &arena);
  if (arena.failed) {
    po_free(block);
    return PO_ERR_MEMORY;
  }
  c->block = block;
  if (index) *index = world->count;
  world_character_ready(world, c);
  return PO_OK;
}

/* ---- making ------------------------------------------------------------------------------------------------------------------------- */

po_status po_world_new(po_world **world, const po_world_opts *opts) {
  po_world_opts wanted = opts ? *opts : po_world_opts_default();
  po_status status;
  po_world *w;
  if (!world) return PO_ERR_NULL;
  if ((status = po_check_arithmetic()) != PO_OK || (status = world_check(&wanted)) != PO_OK) return status;
  w = (po_world *)po_alloc(sizeof(po_world));
  if (!w) return PO_ERR_MEMORY;
  w->opts = wanted;
  w->owned = 1;
  w->max_springs = wanted.max_springs > 0 ? wanted.max_springs : 16;
  *world = w;
  return PO_OK;
}

void po_world_free(po_world *world) {
  int i;
  if (!world || !world->owned) return;
  for (i = 0; i < world->count; i++) po_free(world->character[i]->block);
  po_free(world->shared);
  po_free(world);
}

/* Everything after the world itself. When measuring, nothing is kept. */
static void world_lay_all(po_world *w, const po_world_opts *opts, const po_model *const *models, int count, po_arena *arena) {
  world_need need;
  int i;
  memset(w, 0, sizeof *w);
  w->opts = *opts;
  w->max_springs = opts->max_springs;
  memset(&need, 0, sizeof need);
  for (i = 0; i < count; i++) world_need_add(&need, models[i]);
  world_lay_shared(w, &need, arena);
  w->most_ports = need.most_ports;
  for (i = 0; i < count; i++) {
    po_character blank, *c = (po_character *)po_arena_zalloc(arena, sizeof(po_character));
    int real = c != NULL;
    if (!real) {
      c = &blank;
      memset(c, 0, sizeof *c);
    }
    world_lay_character(c, models[i], arena);
    if (real && !arena->failed) world_character_ready(w, c);
  }
}

static po_status world_models_check(const po_world_opts *opts, const po_model *const *models, int count) {
  int i;
  if (!opts || (count > 0 && !models)) return PO_ERR_NULL;
  if (count < 0 || count > WORLD_MOST_CHARACTERS) return PO_ERR_SIZE;
  for (i = 0; i < count; i++)
    if (!models[i]) return PO_ERR_NULL;
  return world_check(opts);
}

size_t po_world_bytes(const po_world_opts *opts, const po_model *const *models, int count) {
  po_arena arena;
  po_world local;
  if (world_models_check(opts, models, count) != PO_OK) return 0;
  po_arena_measure(&arena);
  po_arena_alloc(&arena, sizeof(po_world));
  world_lay_all(&local, opts, models, count, &arena);
  return po_arena_used(&arena);
}

po_status po_world_init(po_world **world, const po_world_opts *opts, const po_model *const *models, int count, void *mem, size_t bytes) {
  po_arena arena;
  po_status status = world_models_check(opts, models, count);
  po_world *w;
  if (status != PO_OK || (status = po_check_arithmetic()) != PO_OK) return status;
  if (!world || !mem) return PO_ERR_NULL;
  if (bytes < po_world_bytes(opts, models, count)) return PO_ERR_MEMORY;
  po_arena_init(&arena, mem, bytes);
  w = (po_world *)po_arena_alloc(&arena, sizeof(po_world));
  if (!w) return PO_ERR_MEMORY;
  world_lay_all(w, opts, models, count, &arena);
  if (arena.failed) return PO_ERR_MEMORY;
  *world = w;
  return PO_OK;
}

/* ---- characters and state -------------------------------------------------------------------------------------------------------------- */

static po_character *world_at(const po_world *world, int i) { return world && i >= 0 && i < world->count ? world->character[i] : NULL; }

int po_world_count(const po_world *world) { return world ? world->count : 0; }
const po_model *po_world_model(const po_world *world, int i) { return world_at(world, i) ? world_at(world, i)->model : NULL; }
double *po_world_q(po_world *world, int i) { return world_at(world, i) ? world_at(world, i)->q : NULL; }
double *po_world_v(po_world *world, int i) { return world_at(world, i) ? world_at(world, i)->v : NULL; }
double *po_world_tau(po_world *world, int i) { return world_at(world, i) ? world_at(world, i)->tau : NULL; }
po_data *po_world_data(po_world *world, int i) { return world_at(world, i) ? &world_at(world, i)->user_data : NULL; }
double po_world_time(const po_world *world) { return world ? world->time : 0; }
double po_world_last_dt(const po_world *world) { return world ? world->last_dt : 0; }
const po_terrain *po_world_terrain(const po_world *world) { return world ? world->opts.terrain : NULL; }
void po_world_set_time(po_world *world, double time) {
  if (world && po_isfinite(time)) world->time = time;
}

void po_world_kinematics(po_world *world, int i) {
  po_character *c = world_at(world, i);
  if (!c) return;
  c->user_data.gravity = world->opts.gravity;
  po_kinematics(&c->user_data, c->q, c->v);
}

po_status po_world_set_material(po_world *world, int i, int body, double mu, double restitution) {
  po_character *c = world_at(world, i);
  int k;
  if (!world) return PO_ERR_NULL;
  if (!c || body < -1 || body >= c->model->nb) return PO_ERR_RANGE;
  if (!po_isfinite(mu) || !po_isfinite(restitution)) return PO_ERR_NOT_FINITE;
  if (mu < 0 || restitution < 0 || restitution > 1) return PO_ERR_RANGE;
  for (k = 0; k < c->model->nb; k++)
    if (body < 0 || body == k) {
      c->mu[k] = mu;
      c->restitution[k] = restitution;
    }
  return PO_OK;
}

po_status po_world_set_self_collision(po_world *world, int i, int on) {
  if (!world) return PO_ERR_NULL;
  if (!world_at(world, i)) return PO_ERR_RANGE;
  world->character[i]->self = on != 0;
  return PO_OK;
}

po_status po_world_set_active(po_world *world, int i, int on) {
  po_character *c = world_at(world, i);
  if (!world) return PO_ERR_NULL;
  if (!c) return PO_ERR_RANGE;
  if (c->parked == !on) return PO_OK;
  c->parked = !on;
  c->held = 0;
  c->q_seen[0] = PO_NAN; /* it may be written while it is parked */
  return PO_OK;
}

int po_world_active(const po_world *world, int i) { return world_at(world, i) ? !world_at(world, i)->parked : 0; }

void po_character_set_model(po_character *c, const po_model *model) {
  c->model = model;
  c->data.model = model;
  c->user_data.model = model;
  world_model_constants(c);
}

/* ---- forces ------------------------------------------------------------------------------------------------------------------------------ */

static po_status world_push(po_world *world, int i, int body, po_vec3 force, po_vec3 moment) {
  po_character *c = world_at(world, i);
  if (!world) return PO_ERR_NULL;
  if (!c || body < 0 || body >= c->model->nb) return PO_ERR_RANGE;
  if (!po_isfinite(force.x) || !po_isfinite(force.y) || !po_isfinite(force.z) || !po_isfinite(moment.x) || !po_isfinite(moment.y) || !po_isfinite(moment.z))
    return PO_ERR_NOT_FINITE;
  c->force[body] = po_v3_add(c->force[body], force);
  c->moment[body] = po_v3_add(c->moment[body], moment);
  c->forced = 1;
  return PO_OK;
}

po_status po_world_force(po_world *world, int i, int body, po_vec3 force, po_vec3 point) {
  return world_push(world, i, body, force, po_v3_cross(point, force));
}

po_status po_world_moment(po_world *world, int i, int body, po_vec3 moment) { return world_push(world, i, body, po_v3(0, 0, 0), moment); }
