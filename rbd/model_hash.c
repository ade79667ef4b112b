/* model_hash.c: which body a state belongs to, as one number. */
#include "mesh.h"
#include <string.h>

static uint64_t model_hash_text(const char *text, uint64_t h) { return po_hash(text ? text : "", text ? strlen(text) : 0, h); }

static uint64_t model_hash_pose(po_pose p, uint64_t h) { return po_hash_doubles(&p.p.x, 3, po_hash_doubles(p.R.m, 9, h)); }

static uint64_t model_hash_joint(const po_joint *j, uint64_t h) {
  uint64_t kind[4];
  size_t n = j->nv > 3 ? 3 : (size_t)j->nv;
  kind[0] = (uint64_t)j->type;
  kind[1] = (uint64_t)(j->parent + 1);
  kind[2] = (uint64_t)j->q;
  kind[3] = (uint64_t)j->v;
  h = model_hash_pose(j->placement, po_hash(kind, sizeof kind, h));
  h = po_hash_doubles(&j->axis2.x, 3, po_hash_doubles(&j->axis.x, 3, h));
  h = po_hash_doubles(j->upper, n, po_hash_doubles(j->lower, n, h));
  h = po_hash_doubles(&j->limit_centre.w, 4, h);
  h = po_hash_doubles(j->effort, n, po_hash_doubles(j->velocity, n, h));
  return po_hash_doubles(j->armature, n, po_hash_doubles(j->damping, n, h));
}

uint64_t po_model_hash(const po_model *m) {
  uint64_t h = 1, place[2];
  int i;
  if (!m) return 0;
  for (i = 0; i < m->nb; i++) {
    const po_inertia *I = &m->inertia[i];
    h = model_hash_joint(&m->joint[i], model_hash_text(m->body_name[i], h));
    h = po_hash_doubles(&I->com.x, 3, po_hash_doubles(&I->mass, 1, h));
    h = po_hash_doubles(I->I.m, 9, h);
  }
  for (i = 0; i < m->frames; i++) {
    place[0] = (uint64_t)(m->frame[i].body + 1);
    h = model_hash_pose(m->frame[i].pose, po_hash(place, sizeof place[0], model_hash_text(m->frame[i].name, h)));
  }
  for (i = 0; i < m->shapes; i++) {
    place[0] = (uint64_t)(m->shape[i].body + 1);
    place[1] = (uint64_t)m->shape[i].type;
    h = po_hash_doubles(m->shape[i].size, 3, model_hash_pose(m->shape[i].pose, po_hash(place, sizeof place, h)));
    if (m->shape[i].hull) h = po_hash_doubles(&m->shape[i].hull->vertex->x, 3 * (size_t)m->shape[i].hull->vertices, h);
  }
  return h;
}
