/* solve.c: from unconstrained to constrained velocities, group by group, in the order of Guendelman, Bridson & Fedkiw 2003:
 *
 *   impact    contacts that will be passed within the step and bounce: u+ = −e u on the velocities before acceleration, so that gravity
 *             makes nothing at rest bounce. Impacts may not add energy: p is scaled back when simultaneous ones with friction would.
 *   contact   accelerations are added; contacts (inelastic), limits and springs together: u + gap/dt ≥ 0
 *   recover   penetration beyond the slop is worked off by a velocity of its own, used for the positions and then forgotten
 */
#include "world_internal.h"
#include <string.h>

static int solve_is_dense(const po_world *w, const po_group *g, int times) {
  return g->contacts <= times * w->opts.dense_contacts && g->unknowns <= w->max_dense;
}

static void solve_prepare(po_world *w, const po_group *g) {
  int l;
  for (l = 0; l < g->count; l++) po_constraint_prepare(w, &w->row[w->order[g->first + l]]);
}

static double solve_group(po_world *w, const po_group *g, po_stage stage) {
  int second = solve_is_dense(w, g, PO_SECOND_DENSE), l, k;
  double left;
  if (solve_is_dense(w, g, 1)) return po_solve_dense(w, g, stage);
  left = po_solve_sweeps(w, g, stage, !second);
  if (!(left > 0) || !second) return left;
  for (l = 0; l < g->count; l++) { /* the impulses are taken back, and are where Newton begins */
    const po_constraint *row = &w->row[w->order[g->first + l]];
    double dp[3] = {0, 0, 0};
    for (k = 0; k < row->dim; k++) dp[k] = -row->p[k];
    po_constraint_push(w, row, dp);
  }
  return po_solve_dense(w, g, stage);
}

static void solve_note(po_world *w, double residual) {
  w->report.residual = po_max(w->report.residual, residual);
  w->report.unconverged += residual > PO_GOOD_TOLERANCES * w->opts.tolerance;
}

/* Work of the impulses, from velocities before (u0) and after: sum p·(u0 + u)/2; and p'Ap/2 = sum p·(u − u0)/2. */
static void solve_work(const po_world *w, const po_group *g, double *work, double *square, double by_kind[3]) {
  int l, k;
  *work = *square = by_kind[0] = by_kind[1] = by_kind[2] = 0;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    double u[3];
    po_constraint_velocity(w, row, u);
    for (k = 0; k < row->dim; k++) {
      by_kind[row->kind] += 0.5 * row->p[k] * (row->u0[k] + u[k]);
      *square += 0.5 * row->p[k] * (u[k] - row->u0[k]);
    }
  }
  *work = by_kind[0] + by_kind[1] + by_kind[2];
}

static void solve_start(po_world *w, const po_group *g) {
  int l;
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    po_constraint_velocity(w, row, row->u0);
  }
}

/* Adds what the rows' impulses do to the ports' sums. */
static void solve_collect(po_world *w, const po_group *g, int recovering) {
  int l, s, k, i;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (s = 0; s < row->sides; s++) {
      const po_grip *grip = &row->side[s];
      po_character *c = w->character[grip->character];
      double *pi = (recovering ? c->recover : c->pi) + (recovering && c->free ? 0 : grip->port);
      if (recovering && c->free) continue; /* its y is the answer */
      for (k = 0; k < row->dim; k++)
        for (i = 0; i < grip->width; i++) pi[i] += grip->W[k][i] * row->p[k];
    }
  }
}

/* Scales all impulses so that their work, positive now, becomes zero: s² square + s (work − square) = 0. */
static void solve_scale(po_world *w, const po_group *g, double work, double square) {
  double s = po_clamp((square - work) / square, 0, 1) - 1;
  int l, k;
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    double dp[3] = {0, 0, 0};
    for (k = 0; k < row->dim; k++) {
      dp[k] = s * row->p[k];
      row->p[k] += dp[k];
    }
    po_constraint_push(w, row, dp);
  }
}

static void solve_impact(po_world *w, const po_group *g) {
  double warm[3], work, square, kinds[3];
  int l, k;
  solve_start(w, g);
  for (l = 0; l < g->count; l++) { /* the guess of the contact stage is kept aside */
    po_constraint *row = &w->row[w->order[g->first + l]];
    for (k = 0; k < 3; k++) {
      row->impact[k] = row->p[k];
      row->p[k] = 0;
    }
  }
  solve_note(w, solve_group(w, g, PO_STAGE_IMPACT));
  solve_work(w, g, &work, &square, kinds);
  if (work > 0 && square > 0) {
    w->work.clamped += work;
    solve_scale(w, g, work, square);
    work = 0;
  }
  w->work.impacts += work;
  solve_collect(w, g, 0);
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    for (k = 0; k < 3; k++) {
      warm[k] = row->impact[k];
      row->impact[k] = row->p[k];
      row->p[k] = warm[k];
    }
  }
}

/* Whom the rows pushed. A contact that parts keeps an impulse of the size of the solver's tolerance: that is none. */
static void solve_mark(po_world *w, const po_group *g) {
  int l, s;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (s = 0; s < row->sides; s++) {
      po_character *c = w->character[row->side[s].character];
      double least = row->kind == PO_HOLD_CONTACT ? w->opts.tolerance * c->model->total_mass : 0;
      if (fabs(row->p[0]) > least) c->pushed = 1;
    }
  }
}

static void solve_contact(po_world *w, const po_group *g) {
  int before = w->report.unconverged;
  if (!solve_is_dense(w, g, 1)) solve_start(w, g); /* the dense engine notes u0 itself */
  solve_note(w, solve_group(w, g, PO_STAGE_CONTACT));
  if (w->report.unconverged > before) {
    double work, square, kinds[3];
    solve_work(w, g, &work, &square, kinds);
    if (kinds[PO_HOLD_CONTACT] + kinds[PO_HOLD_LIMIT] > 0 && work > 0 && square > 0) {
      w->work.clamped += work; /* a solution takes energy; what did not converge must not add any */
      solve_scale(w, g, work, square);
    }
  }
  solve_collect(w, g, 0);
  solve_mark(w, g);
}

/* Velocities and impulses are put aside; what is solved starts from rest. */
static void solve_recover(po_world *w, const po_group *g) {
  size_t mark = po_arena_mark(&w->scratch);
  double *keep_y = PO_ARENA_ARRAY(&w->scratch, double, w->total_ports), *keep_p = PO_ARENA_ARRAY(&w->scratch, double, 3 * (size_t)g->count);
  int l, s, n = 0;
  if (!keep_y || !keep_p) return;
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    memcpy(keep_p + 3 * l, row->p, sizeof row->p);
    memset(row->p, 0, sizeof row->p);
    for (s = 0; s < row->sides; s++) {
      po_character *c = w->character[row->side[s].character];
      if (c->recovers) continue;
      c->recovers = 1;
      memcpy(keep_y + n, c->y, sizeof(double) * (size_t)c->ports.count);
      n += c->ports.count;
      memset(c->y, 0, sizeof(double) * (size_t)c->ports.count);
      memset(c->recover, 0, sizeof(double) * (size_t)c->ports.max);
    }
  }
  solve_note(w, solve_group(w, g, PO_STAGE_RECOVER));
  solve_collect(w, g, 1);
  n = 0;
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    memcpy(row->p, keep_p + 3 * l, sizeof row->p);
    for (s = 0; s < row->sides; s++) {
      po_character *c = w->character[row->side[s].character];
      if (c->recovers != 1) continue;
      c->recovers = 2;
      if (c->free) {
        memcpy(c->recover, c->y, sizeof(double) * 6);
      } else {
        int b;
        c->recovered = po_v3(0, 0, 0);
        for (b = 0; c->model->floating && b < c->ports.bodies; b++) c->recovered = po_v3_add(c->recovered, po_m3_mul_v(c->ports.axes, po_v3_of(c->recover + 6 * b + 3)));
        po_ports_apply(c->work, &c->ports, c->recover);
        memcpy(c->recover, c->work, sizeof(double) * (size_t)c->model->nv);
      }
      memcpy(c->y, keep_y + n, sizeof(double) * (size_t)c->ports.count);
      n += c->ports.count;
    }
  }
  po_arena_release(&w->scratch, mark);
}

/* Who bounced goes on from the velocity that impacts left. */
static void solve_bounced(po_world *w) {
  int i, k;
  for (i = 0; i < w->count; i++) {
    po_character *c = w->character[i];
    int bounced = 0;
    for (k = 0; k < c->ports.count; k++) bounced |= c->pi[k] != 0;
    c->bounced = bounced;
    if (!bounced || c->free) continue;
    po_ports_apply(c->work, &c->ports, c->pi);
    for (k = 0; k < c->model->nv; k++) c->v_start[k] += c->work[k];
  }
}

/* y gains what acceleration adds; what it was before is kept for the books. */
static void solve_speed_up(po_character *c) {
  int r, n = c->free ? 6 : c->ports.count; /* a free body moves by its y, touched or not */
  for (r = 0; r < n; r++) {
    c->y_start[r] = c->y[r];
    c->y[r] += c->y_move[r];
  }
}

static void solve_accelerate(po_world *w) {
  int i;
  for (i = 0; i < w->rows; i++) po_constraint_velocity(w, &w->row[i], w->row[i].before);
  for (i = 0; i < w->count; i++)
    if (!w->character[i]->parked) solve_speed_up(w->character[i]);
}

void po_solve_again(po_world *w, const po_group *g) {
  int l, s;
  if (!solve_is_dense(w, g, 1)) solve_prepare(w, g);
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    po_constraint_velocity(w, row, row->before);
  }
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (s = 0; s < row->sides; s++) {
      po_character *c = w->character[row->side[s].character];
      if (c->again == 1) solve_speed_up(c);
      c->again = 2;
      c->recovers = 0;
    }
  }
  solve_contact(w, g);
  if (g->recovers) solve_recover(w, g);
}

/* What users read: impulses and velocities of contacts, impulses of limits; what the next step starts from; and the books. */
void po_solve_publish(po_world *w, double dt) {
  int k, i;
  for (k = 0; k < w->rows; k++) {
    const po_constraint *row = &w->row[k];
    double u[3];
    po_constraint_velocity(w, row, u);
    po_energy_row(w, row, u, dt);
    if (row->kind == PO_HOLD_CONTACT) {
      po_contact *c = &w->contact[row->index];
      po_vec3 warm = po_v3(0, 0, 0), impulse = warm, velocity = warm;
      for (i = 0; i < 3; i++) {
        warm = po_v3_addscaled(warm, row->p[i], row->axis[i]);
        impulse = po_v3_addscaled(impulse, row->p[i] + row->impact[i], row->axis[i]);
        velocity = po_v3_addscaled(velocity, u[i], row->axis[i]);
      }
      w->warm[row->index] = warm;
      c->impulse = impulse;
      c->velocity = velocity;
    } else if (row->kind == PO_HOLD_LIMIT) {
      po_character *c = w->character[row->side[0].character];
      const po_port_joint *limit = &c->ports.joint[row->side[0].port - c->ports.span * c->ports.bodies];
      for (i = 0; i < limit->nv; i++) c->limit_impulse[limit->v + i] += row->p[0] * limit->g[i];
    } else {
      po_vec3 *warm = &w->spring_warm[row->index];
      *(row->part == 0 ? &warm->x : row->part == 1 ? &warm->y : &warm->z) = row->p[0];
    }
  }
}

void po_world_solve(po_world *w) {
  int i, bounces = 0;
  for (i = 0; i < w->groups; i++)
    if (!solve_is_dense(w, &w->group[i], 1)) solve_prepare(w, &w->group[i]);
  for (i = 0; i < w->groups; i++) bounces += w->group[i].bounces;
  for (i = 0; bounces && i < w->groups; i++)
    if (w->group[i].bounces) solve_impact(w, &w->group[i]);
  if (bounces) solve_bounced(w);
  solve_accelerate(w);
  for (i = 0; i < w->groups; i++) solve_contact(w, &w->group[i]);
  for (i = 0; i < w->groups; i++)
    if (w->group[i].recovers) solve_recover(w, &w->group[i]);
  w->report.groups = w->groups;
  w->report.contacts = w->contacts;
}
