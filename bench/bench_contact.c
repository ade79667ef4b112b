/* bench_contact.c: steps of the world and complementarity problems.
 *
 *   stand    N humans held upright by weak joint springs, 8 sole points each: the step a controller lives with (size = N)
 *   stack    boxes in stacks of ten at rest (size = boxes)
 *   pile     thirty boxes tumbled into a bin, at rest
 *   drop     a limp human during the second in which it hits the ground
 *   lcp      contact problems recorded from that drop, by method, law and start (size = unknowns, mean)
 *   broad    bounds of a crowd (size = things)
 */
#include "../contact/contact.h"
#include "bench.h"
#include <string.h>

enum { CONTACT_RECORDS = 200, CONTACT_MOST = 90, CONTACT_THINGS = 4096 };

typedef struct contact_work {
  po_world *world;
  const po_model *models[4];
  po_terrain *terrain;
  double gain[128]; /* damping of the joints that hold a pose, for each freedom */
  unsigned char *state;
  size_t bytes;
  int hold, every, count, restore_now; /* every: steps after which the state is put back; 0: never */
  po_world_report report;
} contact_work;

/* ---- worlds ------------------------------------------------------------------------------------------------------------------------------ */

static const po_model *contact_box(double mass, double x, double y, double z) {
  po_builder *b = NULL;
  const po_model *m = NULL;
  po_joint joint = po_joint_default(PO_JOINT_FLOATING, "root");
  po_inertia inertia = po_inertia_box(mass, 2 * x, 2 * y, 2 * z);
  po_pose here;
  double size[3];
  size[0] = x;
  size[1] = y;
  size[2] = z;
  here.R = po_m3_identity();
  here.p = po_v3(0, 0, 0);
  if (po_builder_new(&b, "box") == PO_OK && po_builder_link(b, "box", NULL, &joint, &inertia, NULL) == PO_OK &&
      po_builder_shape(b, "box", PO_BOX, here, size, NULL) == PO_OK)
    po_builder_finish(&m, b, NULL);
  po_builder_free(b);
  return m;
}

static void contact_place(contact_work *w, int i, double x, double y, double z) {
  double *q = po_world_q(w->world, i);
  q[4] = x;
  q[5] = y;
  q[6] += z;
}

/* Torques that pull every joint to zero, as stiff as explicit steps of 1 ms bear. */
static void contact_hold(contact_work *w) {
  int c, b, k;
  for (c = 0; c < po_world_count(w->world); c++) {
    const po_model *m = po_world_model(w->world, c);
    const double *q = po_world_q(w->world, c), *v = po_world_v(w->world, c);
    double *tau = po_world_tau(w->world, c), x[3];
    for (b = 1; b < m->nb; b++) {
      const po_joint *j = &m->joint[b];
      if (j->type == PO_JOINT_SPHERICAL) po_v3_to(x, po_q_log(po_q_of(q + j->q)));
      else
        for (k = 0; k < j->nv; k++) x[k] = q[j->q + k];
      for (k = 0; k < j->nv; k++) tau[j->v + k] = -w->gain[j->v + k] * (20 * x[k] + v[j->v + k]);
    }
  }
}

static po_status contact_gains(contact_work *w, const po_model *m, const double *q) {
  static const double share = 0.15; /* of a joint's rate that is taken away per step of 1 ms */
  po_data *d;
  double *X = (double *)po_alloc(sizeof(double) * 128 * 128);
  po_status status = po_data_new(&d, m);
  int k;
  if (status == PO_OK && X && m->nv <= 128) {
    po_mat A = po_mat_of(X, m->nv, m->nv, 128);
    status = po_minv_factor(d, q);
    po_mat_identity(A);
    po_minv_mul(A, d);
    for (k = 0; k < m->nv; k++) w->gain[k] = share / (1e-3 * PO_AT(A, k, k));
  }
  po_data_free(d);
  po_free(X);
  return X ? status : PO_ERR_MEMORY;
}

static void contact_setup(void *user, int slot) {
  contact_work *w = user;
  (void)slot;
  if (w->every && w->count++ % w->every == 0) po_world_restore(w->world, w->state, w->bytes);
  if (w->hold) contact_hold(w);
}

static const char *contact_run(void *user, int slot) {
  contact_work *w = user;
  po_status status = po_world_step(w->world, 1e-3);
  (void)slot;
  w->report = po_world_last_report(w->world);
  return status == PO_OK ? "ok" : po_status_string(status);
}

static void contact_report(void *user, po_bench_result *result) {
  contact_work *w = user;
  po_bench_extra(result, "contacts", w->report.contacts);
  po_bench_extra(result, "sweeps", w->report.sweeps);
  po_bench_extra(result, "steps", w->report.steps);
}

static po_status contact_settle(contact_work *w, int steps) {
  po_status status = PO_OK;
  int k;
  for (k = 0; k < steps && status == PO_OK; k++) {
    if (w->hold) contact_hold(w);
    status = po_world_step(w->world, 1e-3);
  }
  if (status != PO_OK) return status;
  w->bytes = po_world_save_bytes(w->world);
  w->state = (unsigned char *)po_alloc(w->bytes);
  return w->state ? po_world_save(w->state, w->bytes, w->world) : PO_ERR_MEMORY;
}

static void contact_clear(contact_work *w) {
  int i;
  po_world_free(w->world);
  po_terrain_free(w->terrain);
  for (i = 0; i < 4; i++)
    if (w->models[i]) po_model_free(w->models[i]);
  po_free(w->state);
}

static po_status contact_stand(contact_work *w, int count, const char *name, po_error *err) {
  po_status status = po_body_model(&w->models[0], name, err);
  int i;
  if (status == PO_OK) status = po_world_new(&w->world, NULL);
  for (i = 0; i < count && status == PO_OK; i++) {
    status = po_world_add(NULL, w->world, w->models[0]);
    if (status == PO_OK) contact_place(w, i, 2 * (i % 4), 2 * (i / 4), 0);
  }
  if (status == PO_OK) status = contact_gains(w, w->models[0], po_world_q(w->world, 0));
  w->hold = 1;
  w->every = 100;
  return status == PO_OK ? contact_settle(w, 100) : status;
}

static po_status contact_stacks(contact_work *w, int boxes) {
  po_status status = po_world_new(&w->world, NULL);
  int i;
  w->models[0] = contact_box(1, 0.1, 0.1, 0.1);
  if (!w->models[0]) return PO_ERR_MEMORY;
  for (i = 0; i < boxes && status == PO_OK; i++) {
    status = po_world_add(NULL, w->world, w->models[0]);
    if (status == PO_OK) contact_place(w, i, 0.6 * (i / 10 % 5) + 0.002 * (i % 3), 0.6 * (i / 50), 0.1 + 0.2 * (i % 10));
  }
  return status == PO_OK ? contact_settle(w, 600) : status;
}

static po_status contact_pile(contact_work *w) {
  po_world_opts opts = po_world_opts_default();
  po_status status = po_terrain_new(&w->terrain, NULL);
  po_rng rng;
  int i;
  if (status != PO_OK) return status;
  po_terrain_add_plane(w->terrain, po_v3(0, 0, 1), 0, 1);
  for (i = 0; i < 4; i++) {
    double x = i == 0 ? 0.5 : i == 1 ? -0.5 : 0, y = i == 2 ? 0.5 : i == 3 ? -0.5 : 0;
    po_terrain_add_step(w->terrain, po_v3(x - (x != 0 ? 0.15 : 1), y - (y != 0 ? 0.15 : 1), 0), po_v3(x + (x != 0 ? 0.15 : 1), y + (y != 0 ? 0.15 : 1), 3), 1);
  }
  opts.terrain = w->terrain;
  status = po_world_new(&w->world, &opts);
  w->models[0] = contact_box(1, 0.1, 0.1, 0.1);
  w->models[1] = contact_box(2, 0.2, 0.1, 0.08);
  po_rng_init(&rng, 5, 0);
  for (i = 0; i < 30 && status == PO_OK; i++) {
    if (!w->models[i % 2]) return PO_ERR_MEMORY;
    status = po_world_add(NULL, w->world, w->models[i % 2]);
    if (status == PO_OK) contact_place(w, i, po_rng_range(&rng, -0.1, 0.1), po_rng_range(&rng, -0.1, 0.1), 0.2 + 0.25 * i);
  }
  return status == PO_OK ? contact_settle(w, 4000) : status;
}

static po_status contact_drop(contact_work *w, const po_world_opts *opts, po_error *err) {
  po_status status = po_body_model(&w->models[0], "human", err);
  int k;
  if (status == PO_OK) status = po_world_new(&w->world, opts);
  if (status == PO_OK) status = po_world_add(NULL, w->world, w->models[0]);
  if (status != PO_OK) return status;
  contact_place(w, 0, 0, 0, 0.5);
  for (k = 0; k < w->models[0]->nv; k++) po_world_v(w->world, 0)[k] = 0.1 * (k % 5 - 2);
  w->every = 1000;
  return contact_settle(w, 250);
}

static po_status contact_measure(po_bench *bench, contact_work *w, po_status made, const char *name, int size, po_error *err) {
  po_bench_case cases[2];
  po_simd simd[2];
  int i, n = po_bench_simds(simd, bench);
  po_status status = made;
  if (status == PO_OK) {
    for (i = 0; i < n; i++) {
      cases[i] = po_bench_case_of(name, po_simd_string(simd[i]), size, contact_run, w);
      cases[i].simd = simd[i];
      cases[i].setup = contact_setup;
      cases[i].slots = 1;
      cases[i].report = contact_report;
    }
    status = po_bench_measure(bench, cases, n, err);
  } else if (err && !err->message[0]) {
    po_fail(err, status, "contact: %s: %s", name, po_status_string(status));
  }
  contact_clear(w);
  return status;
}

/* ---- complementarity problems ---------------------------------------------------------------------------------------------------------------- */

typedef struct contact_record {
  int n, friction[CONTACT_MOST];
  double M[CONTACT_MOST * CONTACT_MOST], q[CONTACT_MOST], lo[CONTACT_MOST], hi[CONTACT_MOST], mu[CONTACT_MOST], guess[CONTACT_MOST];
} contact_record;

typedef struct contact_lcps {
  contact_record *record;
  int count, seen;
  void *memory;
  size_t bytes;
} contact_lcps;

typedef struct contact_lcp {
  contact_lcps *set;
  po_lcp_opts opts;
  po_friction_law law;
  unsigned next;
  double iterations, solved, runs;
} contact_lcp;

static void contact_keep(void *user, const po_lcp *p, const double *guess) {
  contact_lcps *s = user;
  contact_record *r;
  size_t bytes = sizeof(double) * (size_t)p->n;
  int i;
  if (s->count == CONTACT_RECORDS || p->n > CONTACT_MOST || s->seen++ % 4) return;
  r = &s->record[s->count++];
  r->n = p->n;
  for (i = 0; i < p->n; i++) memcpy(r->M + (size_t)i * (size_t)p->n, po_row(p->M, i), bytes);
  memcpy(r->q, p->q, bytes);
  memcpy(r->lo, p->lo, bytes);
  memcpy(r->hi, p->hi, bytes);
  memcpy(r->mu, p->mu, bytes);
  memcpy(r->guess, guess, bytes);
  memcpy(r->friction, p->friction, sizeof(int) * (size_t)p->n);
}

static const char *contact_solve(void *user, int slot) {
  contact_lcp *c = user;
  contact_record *r = &c->set->record[c->next++ % (unsigned)c->set->count];
  double z[CONTACT_MOST];
  po_arena arena;
  po_lcp_result result;
  po_status status;
  po_lcp p;
  (void)slot;
  memset(&p, 0, sizeof p);
  p.n = r->n;
  p.M = po_mat_of(r->M, r->n, r->n, r->n);
  p.q = r->q;
  p.lo = r->lo;
  p.hi = r->hi;
  p.mu = r->mu;
  p.friction = r->friction;
  p.law = c->law;
  p.sides = 8;
  memcpy(z, r->guess, sizeof(double) * (size_t)r->n);
  po_arena_init(&arena, c->set->memory, c->set->bytes);
  status = po_lcp_solve(z, &result, &p, &c->opts, &arena);
  if (status != PO_OK) return po_status_string(status);
  c->iterations += result.steps + result.sweeps;
  c->solved += result.outcome == PO_LCP_SOLVED;
  c->runs++;
  return "ok";
}

static void contact_lcp_report(void *user, po_bench_result *result) {
  contact_lcp *c = user;
  po_bench_extra(result, "iterations", c->runs > 0 ? c->iterations / c->runs : 0);
  po_bench_extra(result, "solved_share", c->runs > 0 ? c->solved / c->runs : 0);
}

static po_status contact_lcp_cases(po_bench *bench, po_error *err) {
  static const struct { po_lcp_method method; po_friction_law law; int warm; const char *name; } kinds[] = {
      {PO_LCP_LEMKE, PO_FRICTION_PYRAMID, 0, "lemke pyramid"}, {PO_LCP_LEMKE, PO_FRICTION_BOX, 0, "lemke box"},
      {PO_LCP_DANTZIG, PO_FRICTION_BOX, 0, "dantzig box"},     {PO_LCP_PGS, PO_FRICTION_BOX, 1, "pgs box"},
      {PO_LCP_PGS, PO_FRICTION_CONE, 1, "pgs cone"},           {PO_LCP_NEWTON, PO_FRICTION_BOX, 1, "newton box"},
      {PO_LCP_NEWTON, PO_FRICTION_CONE, 0, "newton cone"},     {PO_LCP_NEWTON, PO_FRICTION_CONE, 1, "newton cone"}};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  contact_lcp work[KINDS];
  po_bench_case cases[KINDS];
  po_world_opts opts = po_world_opts_default();
  contact_lcps set;
  contact_work w;
  po_status status;
  int i, mean = 0;
  memset(&set, 0, sizeof set);
  memset(&w, 0, sizeof w);
  set.bytes = 8u << 20;
  set.memory = po_alloc(set.bytes);
  set.record = (contact_record *)po_alloc(sizeof(contact_record) * CONTACT_RECORDS);
  opts.record = contact_keep;
  opts.record_user = &set;
  status = set.memory && set.record ? contact_drop(&w, &opts, err) : PO_ERR_MEMORY;
  for (i = 0; i < 1000 && status == PO_OK; i++) status = po_world_step(w.world, 1e-3);
  for (i = 0; i < set.count; i++) mean += set.record[i].n;
  for (i = 0; i < KINDS && status == PO_OK && set.count; i++) {
    memset(&work[i], 0, sizeof work[i]);
    work[i].set = &set;
    work[i].opts = po_lcp_opts_default();
    work[i].opts.method = kinds[i].method;
    work[i].opts.warm = kinds[i].warm;
    work[i].opts.tolerance = 1e-8;
    work[i].opts.max_steps = kinds[i].method == PO_LCP_NEWTON ? 30 : 0;
    work[i].law = kinds[i].law;
    cases[i] = po_bench_case_of("lcp", kinds[i].name, mean / set.count, contact_solve, &work[i]);
    cases[i].start = kinds[i].warm ? "warm" : "cold";
    cases[i].report = contact_lcp_report;
  }
  if (status == PO_OK && set.count) status = po_bench_measure(bench, cases, KINDS, err);
  contact_clear(&w);
  po_free(set.memory);
  po_free(set.record);
  return status;
}

/* ---- broad phase ---------------------------------------------------------------------------------------------------------------------------- */

typedef struct contact_crowd {
  po_bounds *bounds; /* crowds × count */
  int (*pairs)[2];
  int count, crowds, at; /* many crowds in turn: one alone is learnt by heart by the branch predictor, and looks twice as fast when it is small */
  void *memory;
} contact_crowd;

static const char *contact_broad(void *user, int slot) {
  contact_crowd *c = user;
  po_arena arena;
  (void)slot;
  po_arena_init(&arena, c->memory, po_broad_bytes(c->count));
  po_broad_pairs(c->pairs, 16 * c->count, c->bounds + (size_t)c->at * (size_t)c->count, c->count, &arena);
  c->at = (c->at + 1) % c->crowds;
  return "ok";
}

static po_status contact_broad_cases(po_bench *bench, po_error *err) {
  static const int sizes[] = {64, 512, CONTACT_THINGS};
  po_status status = PO_OK;
  int s, i;
  for (s = 0; s < 3 && status == PO_OK; s++) {
    contact_crowd c;
    po_bench_case one;
    po_rng rng;
    double side = sqrt((double)sizes[s]); /* one thing per square metre */
    c.count = sizes[s];
    c.crowds = 4 * CONTACT_THINGS / c.count;
    c.at = 0;
    c.bounds = (po_bounds *)po_alloc(sizeof(po_bounds) * (size_t)c.count * (size_t)c.crowds);
    c.pairs = (int(*)[2])po_alloc(sizeof(int) * 32 * (size_t)c.count);
    c.memory = po_alloc(po_broad_bytes(c.count));
    if (c.bounds && c.pairs && c.memory) {
      po_rng_init(&rng, 1, 0);
      for (i = 0; i < c.count * c.crowds; i++) {
        c.bounds[i].low = po_v3(po_rng_range(&rng, 0, side), po_rng_range(&rng, 0, side), 0);
        c.bounds[i].high = po_v3_add(c.bounds[i].low, po_v3(0.5, 0.5, 1.8));
      }
      one = po_bench_case_of("broad", "grid", c.count, contact_broad, &c);
      status = po_bench_measure(bench, &one, 1, err);
    } else {
      status = PO_ERR_MEMORY;
    }
    po_free(c.bounds);
    po_free(c.pairs);
    po_free(c.memory);
  }
  return status;
}

static po_status contact_cases(po_bench *bench, po_error *err) {
  static const int crowds[] = {1, 4, 16}, stacks[] = {10, 200};
  po_status status = PO_OK;
  contact_work w;
  int i;
  if (err) err->message[0] = 0;
  for (i = 0; i < 3 && status == PO_OK && po_bench_wants(bench, "stand"); i++) {
    memset(&w, 0, sizeof w);
    status = contact_measure(bench, &w, contact_stand(&w, crowds[i], "human", err), "stand", crowds[i], err);
  }
  for (i = 0; i < 2 && status == PO_OK && po_bench_wants(bench, "stack"); i++) {
    memset(&w, 0, sizeof w);
    status = contact_measure(bench, &w, contact_stacks(&w, stacks[i]), "stack", stacks[i], err);
  }
  memset(&w, 0, sizeof w);
  if (status == PO_OK && po_bench_wants(bench, "pile")) status = contact_measure(bench, &w, contact_pile(&w), "pile", 30, err);
  memset(&w, 0, sizeof w);
  if (status == PO_OK && po_bench_wants(bench, "drop")) status = contact_measure(bench, &w, contact_drop(&w, NULL, err), "drop", 1, err);
  if (status == PO_OK && po_bench_wants(bench, "lcp")) status = contact_lcp_cases(bench, err);
  if (status == PO_OK && po_bench_wants(bench, "broad")) status = contact_broad_cases(bench, err);
  return status;
}

const po_bench_room po_bench_contact = {"contact", "the world's step, complementarity problems, broad phase", 0, contact_cases};
