/* world_save.c: the whole state as flat bytes, and its hash.
 *
 * Layout: a head of eight 64-bit words, then doubles and 64-bit integers only, in a fixed order. What makes two worlds alike (number of characters and
 * their sizes) is in the head as a hash, so that a state cannot be restored into a world it does not belong to.
 */
#include "world_internal.h"
#include <string.h>

#define PO_SAVE_MAGIC 0x31304c444f57504fu /* "OPWDL01" and a version */
#define PO_SAVE_HEAD 8
#define PO_SAVE_CONTACT 25 /* words of one contact, of one spring */
#define PO_SAVE_SPRING 17

typedef struct save_stream {
  unsigned char *at;
  const unsigned char *from;
  int reading;
} save_stream;

static void save_bytes(save_stream *s, void *x, size_t bytes) {
  if (s->reading) {
    memcpy(x, s->from, bytes);
    s->from += bytes;
  } else {
    memcpy(s->at, x, bytes);
    s->at += bytes;
  }
}

static void save_doubles(save_stream *s, double *x, int n) { save_bytes(s, x, sizeof(double) * (size_t)n); }
static void save_vec(save_stream *s, po_vec3 *v) { save_doubles(s, &v->x, 3); }
static void save_word(save_stream *s, uint64_t *x) { save_bytes(s, x, sizeof *x); }
static void save_int(save_stream *s, int *x) {
  int64_t wide = *x;
  save_bytes(s, &wide, sizeof wide);
  *x = (int)wide;
}

static uint64_t save_kind(const po_world *w) {
  uint64_t hash = 1;
  int i;
  for (i = 0; i < w->count; i++) {
    int dims[4];
    dims[0] = w->character[i]->model->nb;
    dims[1] = w->character[i]->model->nq;
    dims[2] = w->character[i]->model->nv;
    dims[3] = w->character[i]->model->shapes;
    hash = po_hash(dims, sizeof dims, hash);
  }
  return hash;
}

size_t po_world_save_bytes(const po_world *world) {
  size_t words = PO_SAVE_HEAD + 3 + sizeof(po_energy) / sizeof(double);
  int i;
  if (!world) return 0;
  for (i = 0; i < world->count; i++) {
    const po_model *m = world->character[i]->model;
    words += (size_t)(m->nq + 2 * m->nv + 8 * m->nb + 2) + (world->character[i]->free ? 0 : (size_t)(6 * m->nb + 12));
  }
  words += (size_t)world->contacts * PO_SAVE_CONTACT + (size_t)world->springs * PO_SAVE_SPRING;
  return 8 * words;
}

static void save_contact(save_stream *s, po_contact *c, po_vec3 *warm) {
  save_int(s, &c->a);
  save_int(s, &c->body_a);
  save_int(s, &c->shape_a);
  save_int(s, &c->b);
  save_int(s, &c->body_b);
  save_int(s, &c->shape_b);
  save_word(s, &c->id);
  save_vec(s, &c->point);
  save_vec(s, &c->normal);
  save_doubles(s, &c->gap, 1);
  save_doubles(s, &c->mu, 1);
  save_doubles(s, &c->restitution, 1);
  save_vec(s, &c->impulse);
  save_vec(s, &c->velocity);
  save_vec(s, warm);
}

static void save_spring(save_stream *s, po_spring *p, po_vec3 *warm) {
  save_int(s, &p->a);
  save_int(s, &p->body_a);
  save_vec(s, &p->point_a);
  save_int(s, &p->b);
  save_int(s, &p->body_b);
  save_vec(s, &p->point_b);
  save_doubles(s, &p->length, 1);
  save_doubles(s, &p->stiffness, 1);
  save_doubles(s, &p->damping, 1);
  save_int(s, &p->pull_only);
  save_vec(s, warm);
}

/* Velocities and momentum as the last step left them: they carry its corrections, and differ from fresh ones in the last bits. */
static void save_kinematics(save_stream *s, po_character *c) {
  const po_model *m = c->model;
  int current = !s->reading && po_character_current(c), i;
  save_int(s, &current);
  if (s->reading) {
    c->q_seen[0] = PO_NAN;
    if (current) {
      po_kinematics(&c->data, c->q, c->v);
      memcpy(c->q_seen, c->q, sizeof(double) * (size_t)m->nq);
      memcpy(c->v_seen, c->v, sizeof(double) * (size_t)m->nv);
    }
  }
  for (i = 0; i < m->nb; i++) {
    double vel[6];
    po_v6_to(vel, c->data.vel[i]);
    save_doubles(s, vel, 6);
    c->data.vel[i] = po_v6_of(vel);
  }
  save_vec(s, &c->momentum);
  save_vec(s, &c->spin);
  save_vec(s, &c->com_start);
  save_doubles(s, &c->energy_start, 1);
  save_doubles(s, &c->excess, 1);
}

static void save_character(save_stream *s, po_character *c) {
  const po_model *m = c->model;
  save_doubles(s, c->q, m->nq);
  save_doubles(s, c->v, m->nv);
  save_doubles(s, c->tau, m->nv);
  save_doubles(s, &c->force[0].x, 3 * m->nb);
  save_doubles(s, &c->moment[0].x, 3 * m->nb);
  save_doubles(s, c->mu, m->nb);
  save_doubles(s, c->restitution, m->nb);
  save_int(s, &c->forced);
  save_int(s, &c->self);
  if (!c->free) save_kinematics(s, c);
}

static void save_all(save_stream *s, po_world *w) {
  int i;
  save_doubles(s, &w->time, 1);
  save_doubles(s, &w->last_dt, 1);
  save_word(s, &w->steps);
  save_doubles(s, (double *)&w->energy, (int)(sizeof(po_energy) / sizeof(double)));
  for (i = 0; i < w->count; i++) save_character(s, w->character[i]);
  for (i = 0; i < w->contacts; i++) save_contact(s, &w->contact[i], &w->warm[i]);
  for (i = 0; i < w->springs; i++) save_spring(s, &w->spring[i], &w->spring_warm[i]);
}

po_status po_world_save(const po_world *world, void *out, size_t bytes) {
  save_stream s;
  uint64_t head[PO_SAVE_HEAD] = {0};
  if (!world || !out) return PO_ERR_NULL;
  if (bytes < po_world_save_bytes(world)) return PO_ERR_MEMORY;
  head[0] = PO_SAVE_MAGIC;
  head[1] = save_kind(world);
  head[2] = (uint64_t)world->count;
  head[3] = (uint64_t)world->contacts;
  head[4] = (uint64_t)world->springs;
  head[5] = po_world_save_bytes(world);
  s.at = (unsigned char *)out;
  s.from = NULL;
  s.reading = 0;
  save_bytes(&s, head, sizeof head);
  save_all(&s, (po_world *)(uintptr_t)world); /* writing the stream leaves the world alone */
  return PO_OK;
}

po_status po_world_restore(po_world *world, const void *in, size_t bytes) {
  save_stream s;
  uint64_t head[PO_SAVE_HEAD];
  int i;
  if (!world || !in) return PO_ERR_NULL;
  if (bytes < sizeof head) return PO_ERR_SIZE;
  memcpy(head, in, sizeof head);
  if (head[0] != PO_SAVE_MAGIC || head[1] != save_kind(world) || head[2] != (uint64_t)world->count) return PO_ERR_STATE;
  if (head[5] > bytes) return PO_ERR_SIZE;
  if (head[3] > (uint64_t)world->max_contacts || head[4] > (uint64_t)world->max_springs) return PO_ERR_MEMORY;
  i = world->contacts;
  {
    int springs = world->springs;
    size_t expected;
    world->contacts = (int)head[3];
    world->springs = (int)head[4];
    expected = po_world_save_bytes(world);
    if (expected != head[5]) {
      world->contacts = i;
      world->springs = springs;
      return PO_ERR_STATE;
    }
  }
  s.at = NULL;
  s.from = (const unsigned char *)in + sizeof head;
  s.reading = 1;
  save_all(&s, world);
  return PO_OK;
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
