/* factor.c: M = L'DL along the tree (RBDA section 6.5): L has an entry only where one freedom is an ancestor of the other, and the
 * factorization makes no fill.
 *
 * Row i of L is packed root to leaf along i's ancestors, so the row of any ancestor lines up with its beginning: the inner loop is
 * a contiguous axpy without index lookups.
 */
#include "tree.h"

po_status po_factor(po_data *data, po_mat M) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  po_scratch *s = po_tree_scratch(data);
  double *L = s->factor;
  int i, j, k, good = 1;
  for (i = 0; i < model->nv; i++) {
    double *row = L + t->row[i];
    for (j = i; j >= 0; j = model->dof_parent[j]) row[t->depth[j]] = PO_AT(M, i, j);
  }
  for (k = model->nv - 1; k >= 0; k--) {
    double *row = L + t->row[k], d = row[t->depth[k]], inverse = 1 / d;
    if (!(d > 0)) good = 0;
    s->inverse[k] = inverse;
    for (i = model->dof_parent[k]; i >= 0; i = model->dof_parent[i]) {
      double a = row[t->depth[i]] * inverse, *up = L + t->row[i];
      int n = t->depth[i] + 1, c;
      for (c = 0; c < n; c++) up[c] -= a * row[c];
      row[t->depth[i]] = a; /* its unscaled value is not needed by the ancestors that follow: their prefix ends before it */
    }
  }
  return good ? PO_OK : PO_ERR_SINGULAR;
}

void po_factor_solve(double *x, const po_data *data) {
  const po_model *model = data->model;
  const struct po_model_fast *t = model->fast;
  const po_scratch *s = po_tree_scratch(data);
  int i, j;
  for (i = model->nv - 1; i >= 0; i--) { /* L' y = x */
    const double *row = s->factor + t->row[i];
    for (j = model->dof_parent[i]; j >= 0; j = model->dof_parent[j]) x[j] -= row[t->depth[j]] * x[i];
  }
  for (i = 0; i < model->nv; i++) { /* D, then L */
    const double *row = s->factor + t->row[i];
    double sum = x[i] * s->inverse[i];
    for (j = model->dof_parent[i]; j >= 0; j = model->dof_parent[j]) sum -= row[t->depth[j]] * x[j];
    x[i] = sum;
  }
}
