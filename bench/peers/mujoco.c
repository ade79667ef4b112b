/* mujoco.c: MuJoCo's inverse and forward dynamics, with contacts and constraints switched off. */
#include "peers.h"
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

typedef struct mj_pair { mjModel *m; mjData *d; } mj_pair;

static void mj_load(peer_rbd *p, const double *q, const double *v, const double *x) {
  mj_pair *h = (mj_pair *)p->handle;
  memcpy(h->d->qpos, q, sizeof(double) * (size_t)h->m->nq);
  memcpy(h->d->qvel, v, sizeof(double) * (size_t)h->m->nv);
  memcpy(h->d->qacc, x, sizeof(double) * (size_t)h->m->nv);
  memcpy(h->d->qfrc_applied, x, sizeof(double) * (size_t)h->m->nv);
}
static void mj_rnea_(peer_rbd *p, double *tau) {
  mj_pair *h = (mj_pair *)p->handle;
  mj_inverse(h->m, h->d);
  memcpy(tau, h->d->qfrc_inverse, sizeof(double) * (size_t)h->m->nv);
}
static void mj_aba_(peer_rbd *p, double *qdd) {
  mj_pair *h = (mj_pair *)p->handle;
  mj_forward(h->m, h->d);
  memcpy(qdd, h->d->qacc, sizeof(double) * (size_t)h->m->nv);
}

int peer_mujoco(peer_rbd *peer, const char *mjcf) {
  static mj_pair pair;
  char why[500] = "";
  memset(peer, 0, sizeof *peer);
  snprintf(peer->name, sizeof peer->name, "mujoco %s", mj_versionString());
  pair.m = mj_loadXML(mjcf, NULL, why, sizeof why);
  if (!pair.m) {
    fprintf(stderr, "peers: mujoco: %s\n", why);
    return 0;
  }
  pair.m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_SENSOR | mjDSBL_ACTUATION;
  pair.d = mj_makeData(pair.m);
  peer->handle = &pair;
  peer->nv = (int)pair.m->nv;
  peer->load = mj_load;
  peer->rnea = mj_rnea_;
  peer->aba = mj_aba_;
  return 1;
}
