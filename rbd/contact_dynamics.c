/* contact_dynamics.c: forward dynamics under bilateral point contacts.
 *
 *   M qdd + h = tau + J'f,   J qdd + J' v = 0   →   W f = −(J qdd0 + drift),  W = J M^-1 J',  qdd = qdd0 + M^-1 J'f
 *
 * qdd0 is the free acceleration by ABA, whose factors also give M^-1 J' one contact direction after another. W is singular when
 * contacts say the same thing twice (four corners of one rigid sole); then the forces of least norm are taken, qdd is unique anyway.
 */
#include "tree.h"

po_status po_contact_dynamics(double *qdd, double *f, po_data *data, const double *q, const double *v, const double *tau,
                              const po_contact_point *contacts, int count, po_arena *scratch) {
  int nv = data->model->nv, rows = 3 * count, c, i, k;
  size_t mark = po_arena_mark(scratch);
  po_mat J, B, W; /* B = J M^-1, held as rows */
  double *rhs, *x;
  po_cod F;
  po_status status;
  if (count < 0) return PO_ERR_SIZE;
  status = po_check_state(data->model, q, v);
  if (status != PO_OK) return status;
  J = po_arena_mat(scratch, rows, nv);
  B = po_arena_mat(scratch, rows, nv);
  W = po_arena_mat(scratch, rows, rows);
  rhs = PO_ARENA_ARRAY(scratch, double, rows + 1);
  x = PO_ARENA_ARRAY(scratch, double, nv + 1);
  if (scratch->failed) {
    po_arena_release(scratch, mark);
    return PO_ERR_MEMORY;
  }
  po_kinematics(data, q, v);
  status = po_aba(x, data, q, v, tau, NULL);
  if (status == PO_OK && rows > 0) {
    for (c = 0; c < count; c++) {
      int body = contacts[c].body;
      po_vec3 at = po_point_position(data, body, contacts[c].point), drift = po_point_drift(data, body, contacts[c].point);
      po_jacobian_point(po_block(J, 3 * c, 0, 3, nv), data, body, contacts[c].point);
      for (k = 0; k < 3; k++) {
        po_vec3 e = po_v3(k == 0, k == 1, k == 2);
        po_minv_force(po_row(B, 3 * c + k), data, body, at, e);
      }
      po_v3_to(rhs + 3 * c, drift);
    }
    po_gemm(W, 0, 1, J, PO_N, B, PO_T);
    po_gemv_add(rhs, 1, J, x);
    po_scale(rhs, -1, rows);
    status = po_cod_factor(&F, W, -1, scratch);
    if (status == PO_OK) {
      po_cod_solve(f, &F, rhs, scratch);
      po_gemv_t_add(x, 1, B, f);
    }
  }
  if (status == PO_OK)
    for (i = 0; i < nv; i++) qdd[i] = x[i];
  po_arena_release(scratch, mark);
  return status;
}

size_t po_contact_dynamics_bytes(const po_model *model, int count) {
  int rows = 3 * (count > 0 ? count : 0);
  size_t vectors = ((size_t)rows + (size_t)model->nv + 8) * sizeof(double) + 64;
  /* the factorization of W, then as much again for its own temporaries */
  return 2 * po_mat_bytes(rows, model->nv) + po_mat_bytes(rows, rows) + vectors + 2 * po_cod_bytes(rows, rows) + 1024;
}
