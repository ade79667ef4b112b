/* check_derivatives.c: does a user's derivatives callback say what differences of the step say? */
#include "ddp_internal.h"

#include <string.h>

/* The blocks of a po_ddp_derivatives, by name. Gradients count as one row; of symmetric blocks the lower triangle. */
typedef struct ddpc_block {
  const char *name;
  po_mat given, difference;
  int lower;
} ddpc_block;

static void ddpc_compare(po_ddp_derivatives_report *r, const ddpc_block *b) {
  double largest = 0;
  for (int i = 0; i < b->given.rows; i++)
    for (int j = 0; j < (b->lower ? i + 1 : b->given.cols); j++) largest = po_max(largest, po_abs(PO_AT(b->difference, i, j)));
  for (int i = 0; i < b->given.rows; i++)
    for (int j = 0; j < (b->lower ? i + 1 : b->given.cols); j++) {
      double given = PO_AT(b->given, i, j), difference = PO_AT(b->difference, i, j),
             error = po_abs(given - difference) / (1 + largest);
      if (error > r->error || error != error || !r->block) {
        r->error = error;
        r->block = b->name;
        r->row = i;
        r->column = j;
        r->given = given;
        r->difference = difference;
      }
    }
}

static void ddpc_lay_out(po_ddp_derivatives *d, po_arena *a, int rows, int nx, int np, int nu) {
  d->fx = po_arena_mat(a, rows, nx);
  d->fp = po_arena_mat(a, rows, np);
  d->fu = po_arena_mat(a, rows, nu);
  d->lx = PO_ARENA_ZARRAY(a, double, nx);
  d->lp = PO_ARENA_ZARRAY(a, double, np);
  d->lu = PO_ARENA_ZARRAY(a, double, nu);
  d->Hxx = po_arena_mat(a, nx, nx);
  d->Hpx = po_arena_mat(a, np, nx);
  d->Hpp = po_arena_mat(a, np, np);
  d->Hux = po_arena_mat(a, nu, nx);
  d->Hup = po_arena_mat(a, nu, np);
  d->Huu = po_arena_mat(a, nu, nu);
  d->given = 0;
}

static void ddpc_compare_all(po_ddp_derivatives_report *r, const po_ddp_derivatives *g, const po_ddp_derivatives *d) {
  ddpc_block blocks[12] = {
      {"fx", g->fx, d->fx, 0},
      {"fp", g->fp, d->fp, 0},
      {"fu", g->fu, d->fu, 0},
      {"lx", po_mat_of(g->lx, 1, g->fx.cols, g->fx.cols), po_mat_of(d->lx, 1, g->fx.cols, g->fx.cols), 0},
      {"lp", po_mat_of(g->lp, 1, g->fp.cols, g->fp.cols), po_mat_of(d->lp, 1, g->fp.cols, g->fp.cols), 0},
      {"lu", po_mat_of(g->lu, 1, g->fu.cols, g->fu.cols), po_mat_of(d->lu, 1, g->fu.cols, g->fu.cols), 0},
      {"Hxx", g->Hxx, d->Hxx, 1},
      {"Hpx", g->Hpx, d->Hpx, 0},
      {"Hpp", g->Hpp, d->Hpp, 1},
      {"Hux", g->Hux, d->Hux, 0},
      {"Hup", g->Hup, d->Hup, 0},
      {"Huu", g->Huu, d->Huu, 1},
  };
  for (int b = 0; b < 12; b++) {
    unsigned bit = b < 3 ? PO_DDP_GIVEN_F : b < 6 ? PO_DDP_GIVEN_L : PO_DDP_GIVEN_H;
    if (g->given & bit) ddpc_compare(r, &blocks[b]);
  }
}

po_status po_ddp_check_derivatives(po_ddp_derivatives_report *report, const po_ddp_problem *p, int frame, const double *x, const double *u,
                                   const double *par, const double *lambda) {
  po_status status = po_ddp_problem_check(p, NULL);
  po_ddp_derivatives given, difference;
  int end = frame >= p->size.frames, nu = po_ddp_controls(p, frame), rows = end ? p->size.ng : p->size.nx;
  size_t bytes;
  void *mem;
  po_arena a;
  if (status != PO_OK) return status;
  memset(report, 0, sizeof *report);
  bytes = 4 * po_ddp_differences_bytes(p->size) + 4096;
  mem = po_alloc(bytes);
  if (!mem) return PO_ERR_MEMORY;
  po_arena_init(&a, mem, bytes);
  ddpc_lay_out(&given, &a, rows, p->size.nx, p->size.np, nu);
  ddpc_lay_out(&difference, &a, rows, p->size.nx, p->size.np, nu);
  if (end && p->end_derivatives) status = p->end_derivatives(p->user, &given, x, par, lambda);
  else if (!end && p->step_derivatives) status = p->step_derivatives(p->user, &given, frame, x, u, par, lambda);
  if (status == PO_OK) status = po_ddp_differences(&difference, p, frame, x, u, par, lambda, &a);
  if (status == PO_OK) ddpc_compare_all(report, &given, &difference);
  po_free(mem);
  return status;
}
