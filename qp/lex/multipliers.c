/* multipliers.c: the multipliers of the working set, one column a level.
 *
 * At the optimum of the working set every level g has multipliers Λ_g with   N Λ_g = v_g  in block g and  = 0 in all cheaper blocks
 * (what it does in dearer blocks is held by the levels above). Taking the inner product with the bound directions gives R Λ_g = ρ_g,
 * ρ_g[i] = (J_i · v) within block g. A constraint is held back by the first level in which its multiplier is not zero.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

static double lexm_block_length(const po_lex *w, int g) {
  int j, s;
  double sum = 0;
  for (j = w->offset[g]; j < w->offset[g + 1]; j++) sum += w->v[j] * w->v[j];
  for (s = 0; s < w->slacks; s++)
    if (w->slack_grade[s] == g) sum += w->v[w->nv + s] * w->v[w->nv + s];
  return sqrt(sum);
}

/* Levels that are off by less than what counts as violated are not off: their right-hand sides are cleared, the rest is solved for. */
void po_lex_solve_multipliers(po_lex *w) {
  int q = w->active, g, i, first = w->grades;
  double noise, length[PO_LEX_GRADES + 4] = {0};
  w->reach = po_max(w->reach, sqrt(po_dot(w->v, w->v, w->length)));
  noise = w->tol_feasible * w->reach;
  for (g = 0; g < w->grades; g++) {
    length[g] = lexm_block_length(w, g);
    if (length[g] > noise && first == w->grades) first = g;
    for (i = 0; i < q && length[g] <= noise; i++) PO_AT(w->Lambda, i, g) = 0;
  }
  if (first < w->grades) {
    w->k->backsolve(w->Lambda.a, w->Lambda.ld, w->R.a, w->R.ld, q, w->parked, first & ~3, w->Lambda.ld, w->tol_multiplier, length);
    w->flops += (double)q * q * (w->grades - first);
  }
  for (g = first; g < w->grades; g++) { /* and against the largest of the level: errors of one enter the next */
    double limit = length[g];
    for (i = 0; i < q; i++) limit = po_max(limit, fabs(PO_AT(w->Lambda, i, g)) * w->norm[w->set[i]]);
    limit *= w->tol_multiplier;
    for (i = 0; i < q; i++)
      if (fabs(PO_AT(w->Lambda, i, g)) * w->norm[w->set[i]] <= limit) PO_AT(w->Lambda, i, g) = 0;
  }
  po_lex_clear_noise(w);
}

/* A multiplier whose whole term in the level's equation is no larger than what is left of that says nothing, nor does its sign. A row's multiplier at its
 * own level is its violation, which is known. */
int po_lex_clear_noise(po_lex *w) {
  int i, g, cleared = 0;
  for (g = 0; g < w->levels; g++) {
    double least = w->noise[g] / (w->level[g].unit * w->level[g].unit);
    if (!(w->noise[g] > 0)) continue;
    for (i = 0; i < w->active; i++) {
      const po_lex_row *r = &w->row[w->set[i]];
      double *x = &PO_AT(w->Lambda, i, g);
      if (*x == 0 || (r->soft && r->level == g) || fabs(*x) * sqrt(w->square[r->row]) > least) continue;
      *x = 0;
      cleared++;
    }
  }
  return cleared;
}

void po_lex_multipliers(po_lex *w) {
  int q = w->active, p = w->parked, g, i;
  double *x = w->step, started = po_lex_clock(w);
  for (i = 0; i < q; i++) memset(po_row(w->Lambda, i), 0, sizeof(double) * (size_t)w->Lambda.ld);
  for (g = 0; g < w->grades; g++) {
    po_lex_block_dots(w, x + p, w->bound_row + p, q - p, g);
    for (i = 0; i < p && g == w->levels; i++) PO_AT(w->Lambda, i, g) = w->v[w->row[w->set[i]].unit];
    for (i = p; i < q; i++) PO_AT(w->Lambda, i, g) = x[i];
    w->flops += 2.0 * (q - p) * w->size[g];
  }
  po_lex_solve_multipliers(w);
  w->profile->multipliers += po_lex_clock(w) - started;
}

void po_lex_combination(po_lex *w) {
  int i, q = w->active;
  const double *d = w->d + w->free_start[w->grades];
  double floor[4] = {0};
  floor[0] = w->normal_length;
  for (i = 0; i < q; i++) {
    double *x = w->column + 4 * (size_t)i;
    x[0] = d[i];
    x[1] = x[2] = x[3] = 0;
  }
  w->k->backsolve(w->column, 4, w->R.a, w->R.ld, q, w->parked, 0, 4, w->tol_multiplier, floor);
  for (i = 0; i < q; i++) w->step[i] = w->column[4 * (size_t)i];
  w->flops += (double)q * q;
}

int po_lex_leading(const po_lex *w, const double *lambda) {
  int g = 0;
  while (g < w->grades && lambda[g] == 0) g++;
  return g;
}
