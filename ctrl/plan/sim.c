/* sim.c: a world whose characters have behaviours. The one clockwork of scenes and planners: pushes, ticks, held torques, steps, falls. */
#include "plan.h"
#include <string.h>

#define SIM_VERSION 3
#define SIM_LAYER 1e-3     /* m: a link nearer than this to the terrain touches it, when it also pushes */
#define SIM_ROUNDING 1e-12 /* s: times that are multiples of dt are met in spite of rounding */
#define SIM_MAX_STEP 0.1   /* s: as po_world_step's */
#define SIM_SELDOM 1e-9    /* ticks per step: fewer than one in a billion would not fit an int */

po_sim_opts po_sim_opts_default(void) {
  po_sim_opts o = {0.001, 1000, 0};
  return o;
}

/* ---- making ---- */

static void sim_layout(po_sim *s, const po_world *world, po_arena *arena) {
  int i, n = po_world_count(world);
  s->character = PO_ARENA_ZARRAY(arena, po_sim_character, n);
  s->qdd = PO_ARENA_ZARRAY(arena, const double *, n);
  for (i = 0; i < n; i++) {
    int nv = po_world_model(world, i)->nv;
    double *tau = PO_ARENA_ZARRAY(arena, double, nv), *peak = PO_ARENA_ZARRAY(arena, double, nv), *external = PO_ARENA_ZARRAY(arena, double, nv);
    if (!s->character) continue; /* measuring, or out of room */
    s->character[i].tau = tau;
    s->character[i].peak = peak;
    s->character[i].external = external;
    s->character[i].may_touch = PO_BOTH_FEET;
    s->character[i].fall.at = s->character[i].low_since = -1;
    s->character[i].touch_body = s->character[i].touch_box = -1;
  }
}

size_t po_sim_bytes(const po_world *world) {
  po_sim s;
  po_arena arena;
  if (!world) return 0;
  po_arena_measure(&arena);
  sim_layout(&s, world, &arena);
  return po_arena_used(&arena);
}

po_status po_sim_init(po_sim *s, po_world *world, const po_terrain *terrain, const po_sim_opts *opts, void *mem, size_t bytes) {
  po_sim_opts o = opts ? *opts : po_sim_opts_default();
  po_arena arena;
  if (!s || !world || !mem) return PO_ERR_NULL;
  if (!(o.dt > 0 && o.dt <= SIM_MAX_STEP && o.control_hz > 0 && o.control_hz * o.dt <= 1 + 1e-6)) return PO_ERR_RANGE;
  if (!(o.control_hz * o.dt >= SIM_SELDOM)) return PO_ERR_RANGE;
  memset(s, 0, sizeof *s);
  po_arena_init(&arena, mem, bytes);
  sim_layout(s, world, &arena);
  if (arena.failed) return PO_ERR_MEMORY;
  s->world = world;
  s->terrain = terrain;
  s->opts = o;
  s->control_every = (int)(1 / (o.control_hz * o.dt) + 0.5);
  s->characters = po_world_count(world);
  return PO_OK;
}

po_status po_sim_new(po_sim **sim, po_world *world, const po_terrain *terrain, const po_sim_opts *opts) {
  size_t bytes = po_sim_bytes(world), own = (sizeof **sim + 31) / 32 * 32;
  char *mem;
  po_status st;
  if (!sim || !world) return PO_ERR_NULL;
  *sim = NULL;
  if (!(mem = po_alloc(own + bytes))) return PO_ERR_MEMORY;
  st = po_sim_init((po_sim *)(void *)mem, world, terrain, opts, mem + own, bytes);
  if (st == PO_OK) *sim = (po_sim *)(void *)mem;
  else po_free(mem);
  return st;
}

void po_sim_free(po_sim *s) { po_free(s); }

po_status po_sim_set_move(po_sim *s, int character, po_move *move) {
  if (!s) return PO_ERR_NULL;
  if (character < 0 || character >= s->characters) return PO_ERR_RANGE;
  if (move && po_model_hash(po_world_model(s->world, character)) != po_model_hash(move->actor->model)) return PO_ERR_MODEL;
  s->character[character].move = move;
  return PO_OK;
}

po_status po_sim_push(po_sim *s, const po_push *push, po_error *err) {
  const po_model *m;
  int body;
  if (!s || !push) return po_fail(err, PO_ERR_NULL, "a push needs a simulation");
  if (s->pushes == PO_SIM_PUSHES) return po_fail(err, PO_ERR_SIZE, "at most %d pushes", PO_SIM_PUSHES);
  if (push->character < 0 || push->character >= s->characters) return po_fail(err, PO_ERR_RANGE, "there is no character %d to push", push->character);
  if (!(push->time >= 0 && push->duration >= 0) || !po_isfinite(push->time + push->duration + push->force.x + push->force.y + push->force.z))
    return po_fail(err, PO_ERR_RANGE, "push %d: time and duration must not be negative, the force finite", s->pushes + 1);
  m = po_world_model(s->world, push->character);
  body = po_find_body(m, push->link ? push->link : "thorax");
  if (body < 0 && push->link && po_find_frame(m, push->link) >= 0) body = m->frame[po_find_frame(m, push->link)].body; /* a link of the file that a part was named after */
  if (body < 0 && push->link) return po_fail(err, PO_ERR_NAME, "push %d: the body has no link '%s'", s->pushes + 1, push->link);
  s->push[s->pushes] = *push;
  s->push_body[s->pushes++] = body < 0 ? 0 : body;
  return PO_OK;
}

void po_sim_clear_pushes(po_sim *s) { s->pushes = 0; }

po_status po_sim_throw(po_sim *s, const po_throw *t, po_error *err) {
  int i, thrown = 0;
  if (!s || !t) return po_fail(err, PO_ERR_NULL, "a throw needs a simulation");
  if (s->throws == PO_SIM_THROWS) return po_fail(err, PO_ERR_SIZE, "at most %d throws", PO_SIM_THROWS);
  if (t->thing < 0 || t->thing >= s->characters || t->target < -1 || t->target >= s->characters || t->target == t->thing)
    return po_fail(err, PO_ERR_RANGE, "throw %d: there is no character %d to throw, or none %d to throw it at", s->throws + 1, t->thing, t->target);
  if (s->character[t->thing].move || po_world_model(s->world, t->thing)->joint[0].type != PO_JOINT_FLOATING)
    return po_fail(err, PO_ERR_MODEL, "throw %d: only things are thrown, and only those that are free to move", s->throws + 1);
  if (!(t->time >= s->time - SIM_ROUNDING) ||
      !po_isfinite(t->time + t->position.x + t->position.y + t->position.z + t->velocity.x + t->velocity.y + t->velocity.z))
    return po_fail(err, PO_ERR_RANGE, "throw %d: its time must not have passed, and its numbers must be finite", s->throws + 1);
  for (i = 0; i < s->throws; i++) thrown |= s->thrown[i].thing == t->thing;
  if (!thrown) po_world_set_active(s->world, t->thing, 0);
  s->thrown[s->throws++] = *t;
  return PO_OK;
}

void po_sim_clear_throws(po_sim *s) { s->throws = 0; }

/* ---- a step ---- */

static void sim_apply_pushes(po_sim *s) {
  int i;
  for (i = 0; i < s->characters; i++) {
    s->character[i].push = po_v3(0, 0, 0);
    s->character[i].pushed = 0;
  }
  for (i = 0; i < s->pushes; i++) {
    const po_push *p = &s->push[i];
    int k = p->character, body = s->push_body[i];
    po_sim_character *c = &s->character[k];
    const po_data *d;
    po_vec3 at;
    if (s->time < p->time - SIM_ROUNDING || s->time >= p->time + p->duration - SIM_ROUNDING) continue;
    po_world_kinematics(s->world, k);
    d = po_world_data(s->world, k);
    at = po_point_position(d, body, d->model->inertia[body].com);
    po_world_force(s->world, k, body, p->force, at);
    if (!c->pushed) memset(c->external, 0, sizeof(double) * (size_t)d->model->nv);
    po_apply_force(c->external, d, body, at, p->force);
    c->push = po_v3_add(c->push, p->force);
    c->push_body = body;
    c->pushed = 1;
  }
}

static void sim_throw(po_sim *s, const po_throw *t) {
  const po_model *m = po_world_model(s->world, t->thing);
  double *q = po_world_q(s->world, t->thing), *v = po_world_v(s->world, t->thing), heading = 0;
  po_vec3 at = t->position, speed = t->velocity;
  if (t->target >= 0) {
    po_data *d = po_world_data(s->world, t->target);
    po_mat3 turn;
    po_world_kinematics(s->world, t->target);
    po_com(d);
    heading = po_m3_yaw(d->pose[0].R);
    turn = po_m3_axis_angle(po_v3(0, 0, 1), heading);
    at = po_v3_add(d->com, po_m3_mul_v(turn, at));
    speed = po_v3_add(d->com_velocity, po_m3_mul_v(turn, speed));
  }
  po_neutral(q, m);
  memset(v, 0, sizeof(double) * (size_t)m->nv);
  po_q_to(q, po_q_axis_angle(po_v3(0, 0, 1), heading));
  po_v3_to(q + 4, at);
  po_v3_to(v + 3, po_m3_tmul_v(po_m3_axis_angle(po_v3(0, 0, 1), heading), speed)); /* a base's velocity is in its own axes */
  po_world_set_active(s->world, t->thing, 1);
}

/* Those whose time has come: each in exactly one step. */
static void sim_apply_throws(po_sim *s) {
  int i;
  for (i = 0; i < s->throws; i++)
    if (s->thrown[i].time <= s->time + SIM_ROUNDING && s->thrown[i].time > s->time - s->opts.dt + SIM_ROUNDING) sim_throw(s, &s->thrown[i]);
}

static po_status sim_control(po_sim *s, int k, po_error *err) {
  po_sim_character *c = &s->character[k];
  int i, nv = po_world_model(s->world, k)->nv;
  po_status st = PO_OK;
  if (s->controlled) {
    po_sense sense = po_sense_of(po_world_q(s->world, k), po_world_v(s->world, k), s->control_every * s->opts.dt);
    sense.feet = &c->feet;
    sense.placed = s->opts.optimizer && c->move->placed_q;
    if (s->opts.optimizer && !sense.placed && c->pushed && c->move->actor->wbc) sense.external = c->external;
    if (sense.placed || sense.external) sense.push = &c->push, sense.push_body = c->push_body; /* nobody else would let it feel the push */
    st = po_move_tick(c->move, c->tau, sense);
    if (st != PO_OK) return po_fail(err, st, "control failed: %s", po_status_string(st));
    for (i = 0; i < nv; i++) c->peak[i] = po_max(c->peak[i], po_abs(c->tau[i]));
  }
  memcpy(po_world_tau(s->world, k), c->tau, sizeof(double) * (size_t)nv);
  return st;
}

/* Puts a body where its move says. Only one that is alone: nothing else would know what touched it. */
static po_status sim_place(po_sim *s) {
  const po_move *move = s->character[0].move;
  const po_model *m = po_world_model(s->world, 0);
  if (s->characters != 1) return PO_ERR_UNSUPPORTED;
  if (!po_all_finite(move->placed_q, m->nq) || !po_all_finite(move->placed_v, m->nv)) return PO_ERR_NOT_FINITE;
  memcpy(po_world_q(s->world, 0), move->placed_q, sizeof(double) * (size_t)m->nq);
  memcpy(po_world_v(s->world, 0), move->placed_v, sizeof(double) * (size_t)m->nv);
  return PO_OK;
}

static po_status sim_advance(po_sim *s) {
  int i, any = 0;
  if (s->opts.optimizer && s->character[0].move && s->character[0].move->placed_q) return sim_place(s);
  for (i = 0; s->opts.optimizer && i < s->characters; i++) {
    const po_move *move = s->character[i].move;
    s->qdd[i] = move && move->actor->wbc ? move->actor->wbc->qdd : NULL;
    any |= s->qdd[i] != NULL;
  }
  return any ? po_world_advance(s->world, s->qdd, s->opts.dt) : po_world_step(s->world, s->opts.dt);
}

/* ---- what is felt ---- */

/* The part of a foot that a point of one of its links belongs to: the end whose sole corners are nearer. */
static int sim_is_toe(const po_patch *p, const po_data *d, int body, po_vec3 point) {
  double nearest[2] = {PO_INF, PO_INF};
  int i;
  if (body != p->body) return 1; /* the toes */
  for (i = 0; i < p->points; i++) {
    po_vec3 away = po_v3_sub(po_point_position(d, p->point_body[i], p->point[i]), point);
    nearest[i >= 2] = po_min(nearest[i >= 2], po_v3_dot(away, away));
  }
  return nearest[1] < nearest[0];
}

static int sim_patch_of(const po_patches *patches, int body) {
  int i, k;
  for (i = 0; i < PO_PATCHES; i++) {
    const po_patch *p = &patches->patch[i];
    if (p->points && p->body == body) return i;
    for (k = 0; k < p->points; k++)
      if (p->point_body[k] == body) return i;
  }
  return -1;
}

static void sim_feel(po_sim *s, int k) {
  po_sim_character *c = &s->character[k];
  const po_patches *patches = &c->move->actor->patches;
  const po_data *d = po_world_data(s->world, k);
  po_vec3 e0, e1, up;
  int i, count;
  const po_contact *contact = po_world_contacts(&count, s->world);
  memset(&c->feet, 0, sizeof c->feet);
  po_gravity_axes(&e0, &e1, &up, d->gravity);
  for (i = 0; i < count; i++) {
    int mine = contact[i].a == k, body = mine ? contact[i].body_a : contact[i].body_b, patch;
    if ((!mine && contact[i].b != k) || !(po_v3_dot(contact[i].impulse, contact[i].normal) > 0)) continue;
    if ((patch = sim_patch_of(patches, body)) < 0) continue;
    c->feet.patch[patch].force += (mine ? 1 : -1) * po_v3_dot(contact[i].impulse, up) / s->opts.dt;
    if (patch >= PO_HAND_L) c->feet.patch[patch].palm = 1;
    else if (sim_is_toe(&patches->patch[patch], d, body, contact[i].point)) c->feet.patch[patch].toe = 1;
    else c->feet.patch[patch].heel = 1;
  }
}

/* ---- falls ---- */

static int sim_begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

/* A forearm is a hand only beyond the wrist. */
static int sim_is_forearm(const po_patch *p, const po_data *d, int body, po_vec3 point) {
  return p->radius > 0 && po_v3_norm(po_v3_sub(point, d->pose[body].p)) < p->wrist;
}

static int sim_may_touch(const po_sim_character *c, const po_model *m, const po_data *d, int body, po_vec3 point) {
  int patch = sim_patch_of(&c->move->actor->patches, body);
  if (patch >= PO_HAND_L && sim_is_forearm(&c->move->actor->patches.patch[patch], d, body, point)) return 0;
  if (patch >= 0) return (c->may_touch & PO_PATCH_BIT(patch)) != 0;
  return (c->may_touch & PO_BOTH_FEET) && (sim_begins(m->body_name[body], "foot") || sim_begins(m->body_name[body], "toes"));
}

static void sim_fell(po_sim *s, po_sim_character *c, int body, double height) {
  if (c->fall.at >= 0) return;
  c->fall.at = s->time;
  c->fall.body = body;
  c->fall.height = height;
}

static po_terrain_tag sim_tag(const po_sim *s, const po_contact *c) {
  return c->body_b == PO_TERRAIN_BOX && c->shape_b < s->terrain->boxes ? s->terrain->box[c->shape_b].tag : PO_TAG_GROUND;
}

/* What it presses against that does not move: the ground, with a link that may not, or obstacles. */
static void sim_watch_touches(po_sim *s, int k, double height) {
  po_sim_character *c = &s->character[k];
  const po_model *m = po_world_model(s->world, k);
  int i, count, touching = 0;
  const po_contact *contact = po_world_contacts(&count, s->world);
  for (i = 0; i < count; i++) {
    if (contact[i].a != k || contact[i].b >= 0 || !(contact[i].gap < SIM_LAYER) || !(po_v3_dot(contact[i].impulse, contact[i].normal) > 0)) continue;
    if (sim_tag(s, &contact[i]) != PO_TAG_GROUND) {
      touching = 1;
      c->touch_body = contact[i].body_a;
      c->touch_box = contact[i].shape_b;
    } else if (!sim_may_touch(c, m, po_world_data(s->world, k), contact[i].body_a, contact[i].point)) sim_fell(s, c, contact[i].body_a, height);
  }
  c->touched += touching && !c->touching;
  c->touching = touching;
}

static void sim_watch(po_sim *s, int k) {
  po_sim_character *c = &s->character[k];
  const po_data *d = po_world_data(s->world, k);
  double height;
  if (!s->terrain) return;
  height = d->com.z - po_terrain_surface_below(s->terrain, d->com.x, d->com.y, d->com.z, PO_TAG_BIT(PO_TAG_GROUND)).height;
  sim_watch_touches(s, k, height);
  if (!(height < PO_FALL_SHARE * c->move->actor->standing_height)) c->low_since = -1;
  else if (c->low_since < 0) c->low_since = s->time;
  else if (s->time - c->low_since >= PO_FALL_SECONDS) sim_fell(s, c, -1, height);
}

/* It has a move, and takes part. */
static int sim_has_mind(const po_sim *s, int k) { return s->character[k].move && po_world_active(s->world, k); }

po_status po_sim_step(po_sim *s, po_error *err) {
  po_status st = PO_OK;
  int k;
  s->controlled = s->steps % s->control_every == 0;
  sim_apply_throws(s);
  sim_apply_pushes(s);
  for (k = 0; k < s->characters && st == PO_OK; k++)
    if (sim_has_mind(s, k)) st = sim_control(s, k, err);
  if (st != PO_OK) return st;
  s->ticks += s->controlled;
  if ((st = sim_advance(s)) != PO_OK) return po_fail(err, st, "the step failed: %s", po_status_string(st));
  s->steps++;
  s->time = (double)s->steps * s->opts.dt;
  for (k = 0; k < s->characters; k++)
    if (sim_has_mind(s, k)) {
      po_world_kinematics(s->world, k);
      po_com(po_world_data(s->world, k));
      sim_feel(s, k);
      sim_watch(s, k);
    }
  return PO_OK;
}

/* ---- state ---- */

static void sim_stream_character(po_sim_character *c, int nv, po_stream *stream) {
  int i;
  po_stream_doubles(stream, c->tau, nv);
  po_stream_doubles(stream, c->peak, nv);
  for (i = 0; i < PO_PATCHES; i++) {
    po_feel *f = &c->feet.patch[i];
    po_stream_double(stream, &f->force);
    po_stream_int(stream, &f->heel);
    po_stream_int(stream, &f->toe);
    po_stream_int(stream, &f->palm);
  }
  po_stream_doubles(stream, &c->push.x, 3);
  po_stream_int(stream, &c->push_body);
  po_stream_double(stream, &c->fall.at);
  po_stream_int(stream, &c->fall.body);
  po_stream_double(stream, &c->fall.height);
  po_stream_double(stream, &c->low_since);
  po_stream_long(stream, &c->touched);
  po_stream_int(stream, &c->touching);
  po_stream_int(stream, &c->touch_body);
  po_stream_int(stream, &c->touch_box);
}

/* World and moves have streams of their own, which lie in this one at their full sizes. */
static unsigned char *sim_room(po_stream *stream, size_t bytes) {
  unsigned char *at = stream->mem + stream->at;
  if (stream->mode != PO_STREAM_MEASURE && (stream->status != PO_OK || bytes > stream->size - stream->at)) {
    if (stream->status == PO_OK) stream->status = PO_ERR_SIZE;
    return NULL;
  }
  stream->at += bytes;
  if (stream->mode == PO_STREAM_WRITE) memset(at, 0, bytes);
  return stream->mode == PO_STREAM_MEASURE ? NULL : at;
}

static void sim_stream(void *object, po_stream *stream) {
  po_sim *s = (po_sim *)object;
  unsigned char *at;
  size_t bytes = po_world_save_bytes(s->world);
  int k, writing = stream->mode == PO_STREAM_WRITE;
  po_status st = PO_OK;
  po_stream_long(stream, &s->steps);
  po_stream_long(stream, &s->ticks);
  po_stream_double(stream, &s->time);
  po_stream_int(stream, &s->controlled);
  for (k = 0; k < s->characters; k++) sim_stream_character(&s->character[k], po_world_model(s->world, k)->nv, stream);
  if ((at = sim_room(stream, bytes)) != NULL) st = writing ? po_world_save(at, bytes, s->world) : po_world_restore(s->world, at, bytes);
  for (k = 0; k < s->characters && st == PO_OK; k++) {
    po_move *move = s->character[k].move;
    if (!move) continue;
    bytes = po_move_save_bytes(move);
    if ((at = sim_room(stream, bytes)) != NULL) st = writing ? po_move_save(at, bytes, move) : po_move_restore(move, at, bytes);
  }
  if (st != PO_OK && stream->status == PO_OK) stream->status = st;
}

/* Bodies, moves with all that decides whether a state fits them, and the clock decide what a state can be restored into: all of it is known before the
 * first part is read, so that what is refused changes nothing. */
static po_stream_kind sim_kind(const po_sim *s) {
  po_stream_kind kind = {"sim", SIM_VERSION, 1};
  int k;
  kind.belongs = po_hash_doubles(&s->opts.dt, 1, (uint64_t)s->control_every);
  for (k = 0; k < s->characters; k++) {
    const po_move *move = s->character[k].move;
    uint64_t model = po_model_hash(po_world_model(s->world, k));
    kind.belongs = po_hash(&model, sizeof model, kind.belongs);
    if (move) kind.belongs = po_hash(move->type->name, strlen(move->type->name), kind.belongs + po_move_layout_hash(move));
  }
  return kind;
}

size_t po_sim_save_bytes(const po_sim *s) {
  po_stream_kind kind;
  if (!s) return 0;
  kind = sim_kind(s);
  return po_stream_save_bytes(&kind, sim_stream, s);
}

po_status po_sim_save(void *state, size_t bytes, const po_sim *s) {
  po_stream_kind kind;
  if (!s || !state) return PO_ERR_NULL;
  kind = sim_kind(s);
  return po_stream_save(state, bytes, &kind, sim_stream, s);
}

po_status po_sim_restore(po_sim *s, const void *state, size_t bytes) {
  po_stream_kind kind;
  if (!s || !state) return PO_ERR_NULL;
  kind = sim_kind(s);
  return po_stream_restore(s, &kind, sim_stream, state, bytes);
}
