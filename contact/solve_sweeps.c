/* solve_sweeps.c: a large group without its matrix: Gauss–Seidel over its constraints, each solved exactly with all others held, while the
 * port velocities y carry the state. A contact between two free bodies costs about 150 operations.
 *
 * The order matters: constraints are sorted by their distance from the terrain in the contact graph, and sweeps go up and down in turn, so
 * that weight travels through a stack in one sweep. When the sweeps run out, shock propagation (Guendelman 2003, section 8) goes up once more
 * with everything below held still: a stack may then not move as it should, but it does not sink into itself.
 */
#include "world_internal.h"

#define PO_SHOCK_SWEEPS 4
#define PO_SWEEP_LEAST 4

/* level[] of the group's characters: 0 when they touch terrain or are not free bodies, else one more than the lowest neighbour. */
static int sweep_levels(po_world *w, const po_group *g, int *level) {
  int l, changed = 1, most = 0, rounds = 0;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    int s;
    for (s = 0; s < row->sides; s++) level[row->side[s].character] = w->character[row->side[s].character]->free ? 1 << 20 : 0;
  }
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    if (row->kind == PO_HOLD_CONTACT && row->sides == 1) level[row->side[0].character] = 0;
  }
  while (changed && rounds++ < g->count) {
    changed = 0;
    for (l = 0; l < g->count; l++) {
      const po_constraint *row = &w->row[w->order[g->first + l]];
      int *a, *b;
      if (row->sides < 2) continue;
      a = &level[row->side[0].character];
      b = &level[row->side[1].character];
      if (*a > *b + 1) {
        *a = *b + 1;
        changed = 1;
      } else if (*b > *a + 1) {
        *b = *a + 1;
        changed = 1;
      }
    }
  }
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    int a = level[row->side[0].character], b = row->sides == 2 ? level[row->side[1].character] : -1;
    row->level = row->sides == 1 ? 0 : 1 + (a < b ? a : b);
    if (row->level < 1 << 20 && row->level > most) most = row->level;
  }
  return most;
}

/* Stable by level: insertion is fine, the order hardly ever changes within a pair list. */
static void sweep_sort(po_world *w, const po_group *g) {
  int *order = w->order + g->first, i, j;
  for (i = 1; i < g->count; i++) {
    int k = order[i], level = w->row[k].level;
    for (j = i; j > 0 && w->row[order[j - 1]].level > level; j--) order[j] = order[j - 1];
    order[j] = k;
  }
}

/* u = W y of a contact on free bodies, and y += G dp: the inner loop of piles, written out. */
static void sweep_see(double u[3], const po_grip *g, const double *y) {
  int k;
  for (k = 0; k < 3; k++) u[k] += g->W[k][0] * y[0] + g->W[k][1] * y[1] + g->W[k][2] * y[2] + g->W[k][3] * y[3] + g->W[k][4] * y[4] + g->W[k][5] * y[5];
}

static void sweep_move(double *y, const po_grip *g, const double dp[3]) {
  int i;
  for (i = 0; i < 6; i++) y[i] += g->G[0][i] * dp[0] + g->G[1][i] * dp[1] + g->G[2][i] * dp[2];
}

static double sweep_free_contact(po_world *w, po_constraint *row, po_stage stage, const po_friction_shape *shape) {
  double *ya = w->character[row->side[0].character]->y, *yb = row->sides == 2 ? w->character[row->side[1].character]->y : NULL;
  double u[3] = {0, 0, 0}, dp[3], p[3], b[3], change = 0;
  const double *D = row->D;
  int i;
  sweep_see(u, &row->side[0], ya);
  if (yb) sweep_see(u, &row->side[1], yb);
  u[0] += po_stage_bias(row, stage);
  for (i = 0; i < 3; i++) {
    b[i] = u[i] - (D[3 * i] * row->p[0] + D[3 * i + 1] * row->p[1] + D[3 * i + 2] * row->p[2]);
    p[i] = row->p[i];
  }
  po_contact_block(p, b, row->D, row->Dinv, row->regular, row->mu, shape);
  for (i = 0; i < 3; i++) {
    dp[i] = p[i] - row->p[i];
    row->p[i] = p[i];
    change = po_max(change, D[4 * i] * fabs(dp[i]));
  }
  if (change > 0) {
    sweep_move(ya, &row->side[0], dp);
    if (yb) sweep_move(yb, &row->side[1], dp);
  }
  return change;
}

/* Solves one constraint; returns how much it changed velocities. */
static double sweep_one(po_world *w, po_constraint *row, po_stage stage, const po_friction_shape *shape) {
  double u[3], dp[3] = {0, 0, 0}, p[3], b[3], change = 0;
  int i;
  if (row->all_free) return sweep_free_contact(w, row, stage, shape);
  po_constraint_velocity(w, row, u);
  u[0] += po_stage_bias(row, stage);
  if (row->dim == 1) {
    double at;
    if (!(row->D[0] > 0)) return 0;
    at = po_clamp(row->p[0] - (u[0] + row->cfm * row->p[0]) / row->D[0], row->lo, row->hi);
    dp[0] = at - row->p[0];
    row->p[0] = at;
    po_constraint_push(w, row, dp);
    return row->D[0] * fabs(dp[0]);
  }
  for (i = 0; i < 3; i++) {
    const double *D = row->D + 3 * i;
    b[i] = u[i] - (D[0] * row->p[0] + D[1] * row->p[1] + D[2] * row->p[2]);
    p[i] = row->p[i];
  }
  po_contact_block(p, b, row->D, row->Dinv, row->regular, row->mu, shape);
  for (i = 0; i < 3; i++) {
    dp[i] = p[i] - row->p[i];
    row->p[i] = p[i];
    change = po_max(change, row->D[4 * i] * fabs(dp[i]));
  }
  if (change > 0) po_constraint_push(w, row, dp);
  return change;
}

/* One pass up the levels. Of two free bodies the lower one is held: its grip is taken off for the moment. */
static void sweep_shock(po_world *w, const po_group *g, po_stage stage, const int *level, int most, const po_friction_shape *shape) {
  int l, lev, k;
  for (lev = 0; lev <= most; lev++)
    for (k = 0; k < PO_SHOCK_SWEEPS; k++)
      for (l = 0; l < g->count; l++) {
        po_constraint *row = &w->row[w->order[g->first + l]];
        po_constraint held;
        int a, b, up;
        if (row->level != lev || row->kind != PO_HOLD_CONTACT) continue;
        if (row->sides == 1 || level[row->side[0].character] == level[row->side[1].character]) {
          sweep_one(w, row, stage, shape);
          continue;
        }
        a = level[row->side[0].character];
        b = level[row->side[1].character];
        up = a > b ? 0 : 1;
        if (!w->character[row->side[up].character]->free) continue;
        held = *row; /* velocities of both, impulses on the upper one only */
        {
          double u[3], dp[3], p[3], bb[3], y[6];
          po_character *low = w->character[row->side[1 - up].character];
          int i, saved = low->ports.count < 6 ? low->ports.count : 6;
          held.side[0] = row->side[up];
          held.sides = 1;
          po_constraint_prepare(w, &held);
          po_constraint_velocity(w, row, u);
          u[0] += po_stage_bias(row, stage);
          for (i = 0; i < saved; i++) y[i] = low->y[i];
          for (i = 0; i < 3; i++) {
            const double *D = held.D + 3 * i;
            bb[i] = u[i] - (D[0] * row->p[0] + D[1] * row->p[1] + D[2] * row->p[2]);
            p[i] = row->p[i];
          }
          po_contact_block(p, bb, held.D, held.Dinv, held.regular, row->mu, shape);
          for (i = 0; i < 3; i++) {
            dp[i] = p[i] - row->p[i];
            row->p[i] = p[i];
          }
          po_constraint_push(w, &held, dp);
          for (i = 0; i < saved; i++) low->y[i] = y[i];
        }
      }
}

/* What is left, by the definition (po_lcp_residual), at the impulses and velocities as they are now: the last sweep's changes are less than that where
 * convergence is slow, and shock propagation comes after them. */
static double sweep_left(po_world *w, const po_group *g, po_stage stage, const po_friction_shape *shape) {
  double worst = 0;
  int l, k;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    double u[3], d = row->D[0] > 0 ? row->D[0] : 1, dt, y[2];
    po_constraint_velocity(w, row, u);
    u[0] += po_stage_bias(row, stage);
    if (row->dim == 1) {
      worst = po_max(worst, d * fabs(row->p[0] - po_clamp(row->p[0] - (u[0] + row->cfm * row->p[0]) / d, row->lo, row->hi)));
      continue;
    }
    dt = po_max(row->D[4], row->D[8]);
    worst = po_max(worst, d * fabs(row->p[0] - po_max(0, row->p[0] - u[0] / d)));
    for (k = 0; k < 2; k++) y[k] = row->p[1 + k] - u[1 + k] / dt;
    po_friction_project(shape, 2, row->mu * po_max(0, row->p[0]), y);
    for (k = 0; k < 2; k++) worst = po_max(worst, dt * fabs(row->p[1 + k] - y[k]));
  }
  return worst;
}

/* Returns what is left, or 0 when no velocity changed any more by what is good enough. */
double po_solve_sweeps(po_world *w, const po_group *g, po_stage stage, int last) {
  size_t mark = po_arena_mark(&w->scratch);
  int *level = PO_ARENA_ARRAY(&w->scratch, int, w->count);
  double tolerance = PO_GOOD_TOLERANCES * w->opts.tolerance, change = PO_INF;
  po_friction_shape shape;
  int l, most, sweeps = 0;
  if (!level) {
    w->report.dropped++;
    return PO_INF;
  }
  po_friction_shape_init(&shape, w->opts.friction, w->opts.sides);
  most = sweep_levels(w, g, level);
  sweep_sort(w, g);
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    po_constraint_push(w, row, row->p);
  }
  while ((change > tolerance || sweeps < PO_SWEEP_LEAST) && sweeps < w->opts.max_sweeps) {
    change = 0;
    for (l = 0; l < g->count; l++) {
      int at = sweeps & 1 ? g->count - 1 - l : l;
      change = po_max(change, sweep_one(w, &w->row[w->order[g->first + at]], stage, &shape));
    }
    sweeps++;
  }
  if (change > tolerance && last && w->opts.shock && most > 0 && stage == PO_STAGE_CONTACT) {
    sweep_shock(w, g, stage, level, most, &shape);
    w->report.shocked++;
  }
  if (sweeps > w->report.sweeps) w->report.sweeps = sweeps;
  po_arena_release(&w->scratch, mark);
  return change > tolerance ? sweep_left(w, g, stage, &shape) : 0;
}
