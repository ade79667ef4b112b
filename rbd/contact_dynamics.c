/* contact_dynamics.c: forward dynamics under bilateral point contacts.
 *
 *   M qdd + h = tau + J'f,   J qdd + J' v = 0   →   W f = −(J qdd0 + drift),  W = J M^-1 J',  qdd = qdd0 + M^-1 J'f
 *
 * qdd0 is the free acceleration by ABA, whose factors also give M^-1 J'. W is singular when contacts say the same thing twice (four
 * corners of one rigid sole); then the forces of least norm are taken, qdd is unique anyway. Conditions that contradict each other
 * (corners of a sole that turns) are met as well as they can be, in the least-squares sense.
 */
#include "tree.h"

/* A pivot of W below this share of the entry it began as means that the row said nothing new. */
#define CONTACT_DYNAMICS_PIVOT 1e-8

/* f = W^-1 rhs by Cholesky when W is well positive definite, else the least-norm solution; W is spoilt. */
static po_status contact_dynamics_solve(double *f, po_mat W, const double *rhs, double *first, po_arena *scratch) {
  int n = W.rows, i, good;
  po_mat L = po_arena_mat(scratch, n, n);
  po_cod F;
  po_status status;
  if (scratch->failed) return PO_ERR_MEMORY;
  for (i = 0; i < n; i++) first[i] = PO_AT(W, i, i);
  good = po_cholesky(L, NULL, W) == PO_OK;
  for (i = 0; good && i < n; i++) good = PO_AT(L, i, i) * PO_AT(L, i, i) > CONTACT_DYNAMICS_PIVOT * first[i];
  if (good) {
    for (i = 0; i < n; i++) f[i] = rhs[i];
    po_cholesky_solve(f, L);
    return PO_OK;
  }
  status = po_cod_factor(&F, W, -1, scratch);
  if (status == PO_OK) po_cod_solve(f, &F, rhs, scratch);
  return status;
}

po_status po_contact_dynamics(double *qdd, double *f, po_data *data, const double *q, const double *v, const double *tau,
                              const po_contact_point *contacts, int count, po_arena *scratch) {
  int nv = data->model->nv, rows = 3 * count, c, i;
  size_t mark = po_arena_mark(scratch);
  po_mat J, B, W; /* B = J M^-1, held as rows */
  double *rhs, *x, *first;
  po_status status;
  if (count < 0) return PO_ERR_SIZE;
  status = po_check_state(data->model, q, v);
  if (status != PO_OK) return status;
  J = po_arena_mat(scratch, rows, nv);
  B = po_arena_mat(scratch, rows, nv);
  W = po_arena_mat(scratch, rows, rows);
  rhs = PO_ARENA_ARRAY(scratch, double, rows + 1);
  x = PO_ARENA_ARRAY(scratch, double, nv + 1);
  first = PO_ARENA_ARRAY(scratch, double, rows + 1);
  if (scratch->failed) {
    po_arena_release(scratch, mark);
    return PO_ERR_MEMORY;
  }
  po_kinematics(data, q, v);
  status = po_aba(x, data, q, v, tau, NULL);
  if (status == PO_OK && rows > 0) {
    for (c = 0; c < count; c++) {
      po_jacobian_point(po_block(J, 3 * c, 0, 3, nv), data, contacts[c].body, contacts[c].point);
      po_v3_to(rhs + 3 * c, po_point_drift(data, contacts[c].body, contacts[c].point));
    }
    po_mat_copy(B, J);
    po_minv_mul(B, data);
    po_gemm(W, 0, 1, J, PO_N, B, PO_T);
    po_gemv_add(rhs, 1, J, x);
    po_scale(rhs, -1, rows);
    status = contact_dynamics_solve(f, W, rhs, first, scratch);
    if (status == PO_OK) po_gemv_t_add(x, 1, B, f);
  }
  if (status == PO_OK)
    for (i = 0; i < nv; i++) qdd[i] = x[i];
  po_arena_release(scratch, mark);
  return status;
}

size_t po_contact_dynamics_bytes(const po_model *model, int count) {
  int rows = 3 * (count > 0 ? count : 0);
  size_t vectors = (2 * (size_t)rows + (size_t)model->nv + 8) * sizeof(double) + 128;
  /* the factorization of W, then as much again for its own temporaries */
  return 2 * po_mat_bytes(rows, model->nv) + 2 * po_mat_bytes(rows, rows) + vectors + 2 * po_cod_bytes(rows, rows) + 1024;
}
