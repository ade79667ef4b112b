/* bench_rbd.c: the rigid-body algorithms on one model (--model NAME|FILE.urdf, default human), over 128 random states in turn, so that
 * neither caches nor branch predictors know the answer. Size is the number of freedoms. `solve` is one right side with the tree factor,
 * `minv4` four right sides with articulated-body factors, `contact` forward dynamics with two points. */
#include "../rbd/rbd.h"
#include "bench.h"
#include <string.h>

enum { RBD_STATES = 128 };

typedef struct rbd_work {
  const po_model *model;
  po_data *data;
  po_arena arena;
  void *mem;
  double *q, *v, *a, *tau, *out; /* [RBD_STATES] states */
  po_mat M, X;
  po_contact_point contacts[2];
  unsigned next;
} rbd_work;

#define RBD_RUN(name) static const char *rbd_##name(void *user, int slot)
#define RBD_BEGIN                                                                                                                  \
  rbd_work *w = user;                                                                                                              \
  size_t i = (w->next++) % RBD_STATES;                                                                                             \
  const double *q = w->q + i * (size_t)w->model->nq;                                                                               \
  const double *v = w->v + i * (size_t)w->model->nv;                                                                               \
  const double *tau = w->tau + i * (size_t)w->model->nv;                                                                           \
  (void)slot, (void)q, (void)v, (void)tau

static const char *rbd_said(po_status s) { return s == PO_OK ? "ok" : po_status_string(s); }

RBD_RUN(rnea) {
  RBD_BEGIN;
  po_rnea(w->out, w->data, q, v, tau, NULL);
  return "ok";
}
RBD_RUN(bias) {
  RBD_BEGIN;
  po_bias(w->out, w->data, q, v);
  return "ok";
}
RBD_RUN(crba) {
  RBD_BEGIN;
  po_crba(w->M, w->data, q);
  return "ok";
}
RBD_RUN(aba) {
  RBD_BEGIN;
  return rbd_said(po_aba(w->out, w->data, q, v, tau, NULL));
}
RBD_RUN(jacobians) {
  RBD_BEGIN;
  po_kinematics(w->data, q, NULL);
  return "ok";
}
RBD_RUN(kinematics) {
  RBD_BEGIN;
  po_kinematics(w->data, q, v);
  return "ok";
}
RBD_RUN(cmm) {
  RBD_BEGIN;
  po_kinematics(w->data, q, v);
  po_centroidal(w->data);
  return "ok";
}
RBD_RUN(com_jacobian) {
  RBD_BEGIN;
  po_kinematics(w->data, q, NULL);
  po_com_jacobian(w->data);
  return "ok";
}
RBD_RUN(factor) {
  RBD_BEGIN;
  return rbd_said(po_factor(w->data, w->M));
}
RBD_RUN(solve) {
  RBD_BEGIN;
  memcpy(w->out, tau, sizeof(double) * (size_t)w->model->nv);
  po_factor_solve(w->out, w->data);
  return "ok";
}
RBD_RUN(minv_factor) {
  RBD_BEGIN;
  return rbd_said(po_minv_factor(w->data, q));
}
RBD_RUN(minv4) {
  RBD_BEGIN;
  memcpy(w->X.a, w->tau, sizeof(double) * 4 * (size_t)w->model->nv);
  po_minv_mul(w->X, w->data);
  return "ok";
}
RBD_RUN(all_terms) {
  RBD_BEGIN;
  po_all_terms(w->data, q, v);
  return "ok";
}
RBD_RUN(contact) {
  double f[6];
  RBD_BEGIN;
  return rbd_said(po_contact_dynamics(w->out, f, w->data, q, v, tau, w->contacts, 2, &w->arena));
}

static const struct {
  const char *name;
  po_bench_run_fn run;
} rbd_cases[] = {{"rnea", rbd_rnea},
                 {"bias", rbd_bias},
                 {"crba", rbd_crba},
                 {"aba", rbd_aba},
                 {"jacobians", rbd_jacobians},
                 {"cmm", rbd_cmm},
                 {"com_jacobian", rbd_com_jacobian},
                 {"kinematics", rbd_kinematics},
                 {"all_terms", rbd_all_terms},
                 {"minv_factor", rbd_minv_factor},
                 {"minv4", rbd_minv4},
                 {"contact", rbd_contact},
                 {"factor", rbd_factor},
                 {"solve", rbd_solve}};

static po_status rbd_setup(rbd_work *w) {
  size_t nq = (size_t)w->model->nq, nv = (size_t)w->model->nv, bytes = po_contact_dynamics_bytes(w->model, 2);
  double *block = po_alloc(sizeof(double) * (RBD_STATES * (nq + 3 * nv) + nv * (nv + 5) + 8));
  po_status status = po_data_new(&w->data, w->model);
  po_rng rng;
  size_t i;
  w->q = block;
  w->mem = po_alloc(bytes);
  if (!block || !w->mem || status != PO_OK) return PO_ERR_MEMORY;
  po_arena_init(&w->arena, w->mem, bytes);
  w->v = block + RBD_STATES * nq;
  w->a = w->v + RBD_STATES * nv;
  w->tau = w->a + RBD_STATES * nv;
  w->out = w->tau + RBD_STATES * nv;
  w->M = po_mat_of(w->out + nv, (int)nv, (int)nv, nv ? (int)nv : 1);
  w->X = po_mat_of(w->out + nv + nv * nv, 4, (int)nv, nv ? (int)nv : 1);
  po_rng_init(&rng, 1, 0);
  for (i = 0; i < RBD_STATES; i++) po_random_configuration(w->q + i * nq, &rng, w->model);
  for (i = 0; i < 3 * RBD_STATES * nv; i++) w->v[i] = po_rng_range(&rng, -1, 1);
  w->contacts[0].body = w->model->nb - 1;
  w->contacts[1].body = w->model->nb / 2;
  w->contacts[0].point = w->contacts[1].point = po_v3(0, 0, 0);
  po_crba(w->M, w->data, w->q);
  return po_factor(w->data, w->M);
}

static po_status rbd_run(po_bench *bench, po_error *err) {
  enum { CASES = (int)(sizeof rbd_cases / sizeof *rbd_cases) };
  po_bench_case cases[2 * CASES];
  po_urdf_opts opts = po_urdf_opts_default();
  po_simd simd[2];
  rbd_work w;
  po_status status;
  int i, k, n = 0, paths = po_bench_simds(simd, bench);
  memset(&w, 0, sizeof w);
  opts.keep_dynamics = 0;
  status = po_model_load(&w.model, bench->options.model ? bench->options.model : "human", &opts, err);
  if (status != PO_OK) return status;
  status = rbd_setup(&w);
  if (status != PO_OK) po_fail(err, status, "rbd: %s", po_status_string(status));
  for (i = 0; i < CASES && status == PO_OK; i++)
    for (k = 0; k < paths; k++) {
      cases[n] = po_bench_case_of(rbd_cases[i].name, po_simd_string(simd[k]), w.model->nv, rbd_cases[i].run, &w);
      cases[n++].simd = simd[k];
    }
  if (status == PO_OK) status = po_bench_measure(bench, cases, n, err);
  po_free(w.q);
  po_free(w.mem);
  po_data_free(w.data);
  po_model_free(w.model);
  return status;
}

const po_bench_room po_bench_rbd = {"rbd", "rigid-body algorithms on --model NAME|FILE.urdf", 0, rbd_run};
