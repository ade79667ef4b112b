/* world_save.c: the whole state as a stream (base.h), and its hash.
 *
 * What makes two worlds alike (their characters' models) is the stream's `belongs`, so that a state cannot be restored into a world it does not
 * belong to. The size is counted for as many contacts and springs as there is room for: it is known when the world is made.
 */
#include "world_internal.h"

#define SAVE_VERSION 5 /* of the layout below */

static void save_vec(po_stream *s, po_vec3 *v) { po_stream_doubles(s, &v->x, 3); }

static void save_contact(po_stream *s, po_contact *c, po_vec3 *warm) {
  po_stream_int(s, &c->a);
  po_stream_int(s, &c->body_a);
  po_stream_int(s, &c->shape_a);
  po_stream_int(s, &c->b);
  po_stream_int(s, &c->body_b);
  po_stream_int(s, &c->shape_b);
  po_stream_word(s, &c->id);
  save_vec(s, &c->point);
  save_vec(s, &c->normal);
  po_stream_double(s, &c->gap);
  po_stream_double(s, &c->mu);
  po_stream_double(s, &c->restitution);
  save_vec(s, &c->impulse);
  save_vec(s, &c->velocity);
  save_vec(s, warm);
}

static void save_spring(po_stream *s, po_spring *p, po_vec3 *warm) {
  po_stream_int(s, &p->a);
  po_stream_int(s, &p->body_a);
  save_vec(s, &p->point_a);
  po_stream_int(s, &p->b);
  po_stream_int(s, &p->body_b);
  save_vec(s, &p->point_b);
  po_stream_double(s, &p->length);
  po_stream_double(s, &p->stiffness);
  po_stream_double(s, &p->damping);
  po_stream_int(s, &p->pull_only);
  save_vec(s, warm);
}

static void save_grasp(po_stream *s, po_grasp_entry *g) {
  po_stream_int(s, &g->spring[0]);
  po_stream_int(s, &g->spring[1]);
  po_stream_int(s, &g->at.a);
  po_stream_int(s, &g->at.body_a);
  save_vec(s, &g->at.point_a);
  po_stream_int(s, &g->at.b);
  po_stream_int(s, &g->at.body_b);
  save_vec(s, &g->at.point_b);
  po_stream_double(s, &g->at.stiffness);
  po_stream_double(s, &g->at.damping);
  po_stream_double(s, &g->at.apart);
  po_stream_double(s, &g->at.reach);
  po_stream_double(s, &g->at.strength);
  po_stream_int(s, &g->closed);
  po_stream_int(s, &g->torn);
  po_stream_double(s, &g->force_max);
  po_stream_double(s, &g->stretch_max);
}

/* Velocities and momentum as the last step left them: they carry its corrections, and differ from fresh ones in the last bits. */
static void save_kinematics(po_stream *s, po_character *c) {
  const po_model *m = c->model;
  int current = s->mode == PO_STREAM_WRITE && po_character_current(c), i;
  po_stream_int(s, &current);
  po_stream_int(s, &c->held);
  po_stream_double(s, &c->booked);
  po_stream_double(s, &c->energy);
  if (s->mode == PO_STREAM_READ) {
    c->q_seen[0] = PO_NAN;
    if (current) {
      if (!c->free) po_kinematics(&c->data, c->q, c->v);
      po_character_seen(c);
    }
  }
  if (c->free) return;
  for (i = 0; i < m->nb; i++) {
    double vel[6];
    po_v6_to(vel, c->data.vel[i]);
    po_stream_doubles(s, vel, 6);
    c->data.vel[i] = po_v6_of(vel);
  }
  save_vec(s, &c->momentum);
  save_vec(s, &c->spin);
  save_vec(s, &c->com_start);
  po_stream_double(s, &c->excess);
  po_stream_double(s, &c->peak);
}

static void save_character(po_stream *s, po_character *c) {
  const po_model *m = c->model;
  po_stream_doubles(s, c->q, m->nq);
  po_stream_doubles(s, c->v, m->nv);
  po_stream_doubles(s, c->tau, m->nv);
  po_stream_doubles(s, &c->force[0].x, 3 * m->nb);
  po_stream_doubles(s, &c->moment[0].x, 3 * m->nb);
  po_stream_doubles(s, c->mu, m->nb);
  po_stream_doubles(s, c->restitution, m->nb);
  po_stream_int(s, &c->forced);
  po_stream_int(s, &c->self);
  po_stream_int(s, &c->parked);
  save_kinematics(s, c);
}

/* How many of a thing there are is known before anything is read: a state with more than there is room for changes nothing. */
static void save_all(void *world, po_stream *s) {
  po_world *w = (po_world *)world;
  int i, count[3] = {w->contacts, w->springs, w->grasps};
  int contacts = po_stream_count(s, &count[0], w->max_contacts);
  int springs = po_stream_count(s, &count[1], w->max_springs);
  int grasps = po_stream_count(s, &count[2], w->max_grasps);
  if (s->status != PO_OK) return;
  if (s->mode == PO_STREAM_READ) {
    w->contacts = contacts;
    w->springs = springs;
    w->grasps = grasps;
  }
  po_stream_double(s, &w->time);
  po_stream_double(s, &w->last_dt);
  po_stream_word(s, &w->steps);
  po_stream_double(s, &w->stored);
  po_stream_doubles(s, (double *)&w->energy, (int)(sizeof(po_energy) / sizeof(double)));
  for (i = 0; i < w->count; i++) save_character(s, w->character[i]);
  for (i = 0; i < contacts; i++) save_contact(s, &w->contact[i], &w->warm[i]);
  for (i = 0; i < springs; i++) save_spring(s, &w->spring[i], &w->spring_warm[i]);
  for (i = 0; i < grasps; i++) save_grasp(s, &w->grasp[i]);
}

static po_stream_kind save_kind(const po_world *w) {
  po_stream_kind kind = {"world", SAVE_VERSION, 1};
  int i;
  for (i = 0; i < w->count; i++) {
    uint64_t model = po_model_hash(w->character[i]->model);
    kind.belongs = po_hash(&model, sizeof model, kind.belongs);
  }
  return kind;
}

size_t po_world_save_bytes(const po_world *world) {
  po_stream_kind kind;
  if (!world) return 0;
  kind = save_kind(world);
  return po_stream_save_bytes(&kind, save_all, world);
}

po_status po_world_save(void *out, size_t bytes, const po_world *world) {
  po_stream_kind kind;
  if (!world || !out) return PO_ERR_NULL;
  kind = save_kind(world);
  return po_stream_save(out, bytes, &kind, save_all, world);
}

po_status po_world_restore(po_world *world, const void *in, size_t bytes) {
  po_stream_kind kind;
  if (!world || !in) return PO_ERR_NULL;
  kind = save_kind(world);
  return po_stream_restore(world, &kind, save_all, in, bytes);
}

uint64_t po_world_hash(const po_world *world) {
  uint64_t hash = 0;
  int i;
  if (!world) return 0;
  hash = po_hash_doubles(&world->time, 1, hash);
  for (i = 0; i < world->count; i++) {
    const po_character *c = world->character[i];
    hash = po_hash_doubles(c->q, (size_t)c->model->nq, hash);
    hash = po_hash_doubles(c->v, (size_t)c->model->nv, hash);
  }
  return hash;
}
