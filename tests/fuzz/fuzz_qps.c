/* fuzz_qps.c: any bytes as a QPS file. What can be read can be written and read again, and when it is small it is solved by both
 * methods: whatever the numbers are, a solve ends, and what it calls optimal is so. */
#include "qp/qp.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void fuzz_fail(int condition) {
  if (condition) abort();
}

static void fuzz_solve(const po_qp *p) {
  po_qp_solver *solver = NULL;
  int method;
  if (p->n > 24 || p->me + p->mi > 40) return;
  if (po_qp_new(&solver, p->n, p->me, p->mi) != PO_OK) return;
  for (method = 0; method < 2; method++) {
    po_qp_opts o = po_qp_opts_preset((po_qp_method)method, PO_QP_BALANCED);
    po_qp_result r;
    if (po_qp_solve(&r, solver, p, &o, NULL) != PO_OK) continue;
    fuzz_fail(r.status == PO_QP_OPTIMAL && !(r.primal_residual <= o.tol_primal && r.dual_residual <= o.tol_dual && r.gap <= o.tol_gap));
    fuzz_fail(r.status == PO_QP_OPTIMAL && !po_all_finite(r.x, p->n));
    fuzz_fail(r.status == PO_QP_INFEASIBLE && r.conflict_count < 1);
    fuzz_fail((r.status == PO_QP_UNBOUNDED || r.status == PO_QP_NONCONVEX) && !r.ray);
  }
  po_qp_free(solver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  po_qp_file *file = NULL, *again = NULL;
  po_buffer text = {0};
  po_error err;
  if (po_qps_read(&file, (const char *)data, size, "fuzz", &err) != PO_OK) {
    fuzz_fail(file != NULL || err.message[0] == 0);
    return 0;
  }
  fuzz_fail(po_qps_write(&text, &file->qp, file->name) != PO_OK && !text.failed);
  if (!text.failed) {
    fuzz_fail(po_qps_read(&again, text.data, text.size, "again", &err) != PO_OK && err.status != PO_ERR_MEMORY);
    fuzz_fail(again && (again->qp.n != file->qp.n || again->qp.me != file->qp.me || again->qp.mi != file->qp.mi));
  }
  fuzz_solve(&file->qp);
  po_buffer_free(&text);
  po_qp_file_free(again);
  po_qp_file_free(file);
  return 0;
}
