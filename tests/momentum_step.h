/* momentum_step.h: one synthetic walking step of a human as a momentum problem: 72 frames at 120 Hz, single support between two
 * halves of a double support. */
#ifndef MOMENTUM_STEP_H
#define MOMENTUM_STEP_H

#include "ctrl/ddp/ddp.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_FRAMES = 72, STEP_DOUBLE = 6 };

typedef struct step_problem {
  po_momentum m;
  po_ddp_problem problem;
  double rays[12], reference[12 * (STEP_FRAMES + 1)], points[3 * 8 * STEP_FRAMES], price[STEP_FRAMES], push[6 * STEP_FRAMES];
  int count[STEP_FRAMES], first[STEP_FRAMES], foothold[8 * STEP_FRAMES];
  double guess[STEP_FRAMES * 32];
  unsigned char free_parameters[4];
  void *memory;
} step_problem;

/* The four corners of a sole whose middle is at (x, y). */
static inline int step_sole(double *points, double x, double y) {
  for (int i = 0; i < 4; i++) {
    points[3 * i] = x + (i < 2 ? -0.1345 : 0.1345);
    points[3 * i + 1] = y + (i % 2 ? 0.0485 : -0.0485);
    points[3 * i + 2] = 0;
  }
  return 4;
}

/* C = (−vT/2 + vt, 0.03 sin(πt/T), 0.95 + 0.015 sin²(πt/T)), P = M dC/dt, L = 0. */
static inline void step_reference(step_problem *s) {
  const double T = 0.6, v = 0.83;
  for (int k = 0; k <= STEP_FRAMES; k++) {
    double t = k * s->m.dt, *x = s->reference + 12 * k, sine, cosine;
    po_sincos(&sine, &cosine, PO_PI * t / T);
    x[0] = -v * T / 2 + v * t;
    x[1] = 0.03 * sine;
    x[2] = 0.95 + 0.015 * sine * sine;
    x[3] = s->m.mass * v;
    x[4] = s->m.mass * 0.03 * PO_PI / T * cosine;
    x[5] = s->m.mass * 0.03 * PO_PI / T * sine * cosine;
  }
}

/* The stance foot has no foothold of its own, the landing one is foothold 0. */
static inline void step_contacts(step_problem *s) {
  int at = 0;
  for (int k = 0; k < STEP_FRAMES; k++) {
    s->first[k] = at;
    s->count[k] = step_sole(s->points + 3 * at, 0, 0.08);
    if (k < STEP_DOUBLE) s->count[k] += step_sole(s->points + 3 * (at + 4), -0.498, -0.08);
    if (k >= STEP_FRAMES - STEP_DOUBLE) s->count[k] += step_sole(s->points + 3 * (at + 4), 0.498, -0.08);
    for (int i = 0; i < s->count[k]; i++) s->foothold[at + i] = k >= STEP_FRAMES - STEP_DOUBLE && i >= 4 ? 0 : -1;
    at += s->count[k];
  }
}

/* The problem anew from s->m; called again after a change of sizes (time, footholds). 0 when it failed. */
static inline int step_ready(step_problem *s) {
  size_t bytes = po_momentum_problem_bytes(&s->m);
  free(s->memory);
  s->memory = malloc(bytes);
  return po_momentum_problem(&s->problem, &s->m, s->memory, bytes, NULL) == PO_OK &&
         po_momentum_guess(s->guess, &s->problem, &s->m) == PO_OK;
}

static inline int step_make(step_problem *s) {
  const double side = 0.8 / 1.4142135623730951; /* friction 0.8 */
  po_momentum *m = &s->m;
  memset(s, 0, sizeof *s);
  strcpy(m->name, "step");
  m->frames = STEP_FRAMES;
  m->mass = 78;
  m->dt = 1.0 / 120;
  m->gravity = po_v3(0, 0, -9.81);
  m->ray_count = 4;
  for (int i = 0; i < 4; i++) {
    s->rays[3 * i] = i == 0 || i == 3 ? side : -side;
    s->rays[3 * i + 1] = i < 2 ? side : -side;
    s->rays[3 * i + 2] = 1;
  }
  m->w_force = 1;
  m->w_rays = 1e-6;
  for (int i = 0; i < 3; i++) {
    m->w_track[i] = 1;
    m->w_track[3 + i] = 500;
    m->w_state[6 + i] = 1;
    m->w_state[9 + i] = 500;
  }
  m->rays = s->rays;
  m->reference = s->reference;
  m->points = s->points;
  m->point_count = s->count;
  m->point_first = s->first;
  step_reference(s);
  step_contacts(s);
  memcpy(m->start, s->reference, sizeof m->start);
  memcpy(m->goal, s->reference + 12 * STEP_FRAMES, sizeof m->goal);
  return step_ready(s);
}

#endif
