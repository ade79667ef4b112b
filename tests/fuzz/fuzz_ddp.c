/* Fuzz target: any bytes as a momentum problem. One that was read is written again and reads back to the same text, and a small
 * one is solved by every method: the solve must end, and what it gives must be numbers. */
#include "ctrl/ddp/ddp.h"

#include <stdlib.h>
#include <string.h>

static void solve(const po_momentum *m) {
  size_t bytes = po_momentum_problem_bytes(m);
  void *mem = po_alloc(bytes);
  po_ddp_problem p;
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp *d = NULL;
  po_ddp_result r;
  if (mem && po_momentum_problem(&p, m, mem, bytes, NULL) == PO_OK && po_ddp_new(&d, p.size) == PO_OK) {
    double *guess = (double *)po_alloc(sizeof(double) * (size_t)p.size.frames * (size_t)p.size.nu + 8);
    po_ddp_start start;
    memset(&start, 0, sizeof start);
    if (guess && po_momentum_guess(guess, &p, m) == PO_OK && po_all_finite(guess, p.size.frames * p.size.nu)) start.u = guess;
    o.max_iterations = 20;
    for (int method = PO_DDP_AUTO; method <= PO_DDP_INTERIOR; method++) {
      o.method = (po_ddp_method)method;
      if (po_ddp_solve(&r, d, &p, &o, &start) != PO_OK) continue;
      if (!po_all_finite(r.x, 12 * (p.size.frames + 1)) || !po_all_finite(r.u, p.size.frames * p.size.nu) || !po_isfinite(r.cost))
        abort();
      for (int i = 0; i < p.size.frames * p.size.nu; i++)
        if (r.u[i] < 0) abort();
    }
    po_free(guess);
  }
  po_ddp_free(d);
  po_free(mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  po_momentum *m = NULL, *again = NULL;
  po_error err;
  po_buffer first = {0}, second = {0};
  memset(&err, 0, sizeof err);
  if (po_momentum_read(&m, (const char *)data, size, "fuzz", &err)) {
    if (m || err.status == PO_OK || !err.message[0]) abort();
    return 0;
  }
  po_momentum_write(&first, m);
  if (po_momentum_read(&again, first.data, first.size, "again", &err)) abort();
  po_momentum_write(&second, again);
  if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0) abort();
  if (m->frames <= 12 && m->footholds <= 4) solve(m);
  po_buffer_free(&first);
  po_buffer_free(&second);
  po_momentum_free(m);
  po_momentum_free(again);
  return 0;
}
