/* ip_polish.c: one solve with equality constraints on a guess of the active set.
 *
 * An interior point ends close to the solution; which rows and bounds are active can be read off it (z > t). Holding exactly
 * those, what is left is one linear system, whose solution is the vertex to rounding:
 *
 *   min ½ x'Hx + g'x   s.t.  held rows = their bound, held variables = their bound
 *
 * It goes through the factorization of ip_kkt.c with weights D = "infinite" for what is held and 0 for what is not. Steps start
 * from the multipliers at hand, so that with dependent rows the regularization picks those near by, which have the right signs.
 * The same solve is the warm start: there the guess is the active set of the last solution. */
#include "ip_internal.h"

/* Stands for an infinite weight: its square stays far from overflow, and 1 / it vanishes beside every number of a scaled problem. */
#define IPP_INFINITE 1e60

int po_ip_state_from_sides(ip_core *c) {
  signed char *now = c->state, *before = c->state_before;
  int changes = 0, all = c->m + c->n;
  c->state = before;
  c->state_before = now;
  now = c->state;
  for (int i = 0; i < all; i++) now[i] = (signed char)(i < c->ne ? 2 : 0);
  for (int k = 0; k < c->ns; k++) {
    int i = c->side[k];
    /* both sides of a narrow range can qualify: the larger multiplier, which is the sign of the sum, wins */
    if (c->z[k] > c->t[k] && (now[i] == 0 || c->sign[k] * (i < c->m ? c->lam[i] : c->w[i - c->m]) > 0)) now[i] = c->sign[k] > 0 ? -1 : 1;
  }
  for (int i = 0; i < all; i++) changes += now[i] != c->state_before[i];
  return changes == 0;
}

static int ipp_warm_state(const po_qp_warm *warm, int at, const double *multipliers, int i) {
  if (warm->active) return warm->active[at];
  if (!multipliers) return 0;
  return multipliers[i] > 0 ? -1 : multipliers[i] < 0 ? 1 : 0;
}

void po_ip_state_from_warm(ip_core *c, const po_qp *p, const po_qp_warm *warm) {
  for (int i = 0; i < c->m; i++) {
    int r = c->row[i], of_c = r - p->me;
    const double *from = of_c < 0 ? warm->y : warm->z;
    int state = of_c < 0 ? 2 : ipp_warm_state(warm, of_c, warm->z, of_c);
    if (i >= c->ne && (state == 2 || (state < 0 && c->lo[i] == -PO_INF) || (state > 0 && c->hi[i] == PO_INF))) state = 0;
    c->state[i] = (signed char)(i < c->ne ? 2 : state);
    c->lam[i] = from && c->state[i] ? from[of_c < 0 ? r : of_c] * c->cost / c->row_scale[r] : 0.0;
  }
  for (int j = 0; j < c->n; j++) {
    c->x[j] = warm->x ? warm->x[c->var[j]] / c->col_scale[c->var[j]] : 0.0;
    c->state[c->m + j] = 0;
  }
  for (int k = c->ns_rows; k < c->ns; k++) {
    int j = c->side[k] - c->m, state = ipp_warm_state(warm, p->mi + c->var[j], warm->w, c->var[j]);
    if (state == (c->sign[k] > 0 ? -1 : 1)) c->state[c->m + j] = (signed char)state;
  }
}

/* Puts held variables on their bounds and sets the weights: for what is held infinite, for the rest nothing. */
static void ipp_prepare(ip_core *c) {
  for (int i = 0; i < c->m; i++) {
    c->D[i] = c->state[i] ? IPP_INFINITE : 1.0 / IPP_INFINITE;
    if (!c->state[i]) c->lam[i] = 0;
  }
  for (int j = 0; j < c->n; j++) c->D[c->m + j] = c->state[c->m + j] ? IPP_INFINITE : 0.0;
  for (int k = c->ns_rows; k < c->ns; k++) {
    int i = c->side[k];
    if (c->state[i] == (c->sign[k] > 0 ? -1 : 1)) c->v[i] = c->sign[k] * c->beta[k];
  }
}

/* rd = Hx + g − G'lam; what is held then takes w = rd. */
static void ipp_gradient(ip_core *c) {
  po_ip_hessian(c->hx, c, c->x);
  for (int j = 0; j < c->n; j++) c->rd[j] = c->hx[j] + c->g[j];
  if (c->m > 0) po_gemv_t_add(c->rd, -1.0, c->G, c->lam);
}

static void ipp_row_values(ip_core *c) {
  if (c->m > 0) po_gemv(c->v, c->G, c->x);
  if (c->elastic != 0.0) po_axpy(c->v, c->elastic, c->lam, c->m);
}

/* Factors with the weights of the held set. A hopeless guess may need far more regularization than the iteration: that is
 * forgotten again afterwards. */
static int ipp_factor(ip_core *c) {
  double rho = c->rho, delta = c->delta, rho_min = c->rho_min, delta_min = c->delta_min;
  int good = po_ip_factor(c);
  if (c->rho != rho) c->dense_ready = 0;
  c->rho = rho;
  c->delta = delta;
  c->rho_min = rho_min;
  c->delta_min = delta_min;
  return good;
}

int po_ip_hold(ip_core *c, int refine) {
  int kept = c->refine;
  c->merit = PO_INF; /* x is no longer what was measured */
  ipp_prepare(c);
  if (!ipp_factor(c)) return 0;
  ipp_gradient(c);
  ipp_row_values(c);
  for (int j = 0; j < c->n; j++) c->r1[j] = c->state[c->m + j] ? 0.0 : -c->rd[j];
  for (int i = 0; i < c->m; i++) c->r2[i] = c->state[i] ? (c->state[i] == 1 ? c->hi[i] : c->lo[i]) - c->v[i] : 0.0;
  c->refine = refine;
  po_ip_solve(c);
  c->refine = kept;
  if (!po_all_finite(c->dx, c->n) || !po_all_finite(c->dlam, c->m)) return 0;
  for (int j = 0; j < c->n; j++)
    if (!c->state[c->m + j]) c->x[j] += c->dx[j];
  for (int i = 0; i < c->m; i++)
    if (c->state[i]) c->lam[i] += c->dlam[i];
  ipp_gradient(c);
  ipp_row_values(c);
  for (int j = 0; j < c->n; j++) c->w[j] = c->state[c->m + j] ? c->rd[j] : 0.0;
  return 1;
}

int po_ip_revise(ip_core *c, int let_go) {
  int changes = 0;
  for (int i = c->ne; i < c->m + c->n && let_go; i++) {
    double multiplier = i < c->m ? c->lam[i] : c->w[i - c->m];
    if (c->state[i] * multiplier > 0) {
      c->state[i] = 0;
      changes++;
    }
  }
  for (int k = 0; k < c->ns; k++) {
    int i = c->side[k];
    if (c->state[i] == 0 && c->sign[k] * c->v[i] < c->beta[k] - IP_HELD_SLACK * (1.0 + po_abs(c->beta[k]))) {
      c->state[i] = c->sign[k] > 0 ? -1 : 1;
      changes++;
    }
  }
  return changes;
}

/* 1 when v[i] touches the bound that `state` names, within tol in the caller's units: an iterate that was not polished may be
 * on its way there only. */
static int ipp_touches(const ip_core *c, const po_qp *p, int i, double tol) {
  double bound, off, room;
  if (i < c->m) {
    bound = c->state[i] < 0 ? c->lo[i] : c->hi[i];
    off = po_abs(c->v[i] - bound) / c->row_scale[c->row[i]];
    room = 1.0 + c->row_norm[i] * c->x_norm;
  } else {
    int j = c->var[i - c->m];
    bound = c->state[i] < 0 ? p->xl[j] : p->xu[j];
    off = po_abs(c->v[i] * c->col_scale[j] - bound);
    room = 1.0 + c->x_norm;
  }
  return off <= tol * room;
}

void po_ip_export_active(const ip_core *c, const po_qp *p, po_qp_solver *s, double tol) {
  for (int i = 0; i < p->mi; i++) s->active[i] = (signed char)(po_qp_lower(p->cl, i) == po_qp_upper(p->cu, i) ? 2 : 0);
  for (int j = 0; j < p->n; j++)
    s->active[p->mi + j] = (signed char)(po_qp_lower(p->xl, j) == po_qp_upper(p->xu, j) ? 2 : 0);
  for (int i = 0; i < c->m; i++) {
    signed char *to = c->row[i] >= p->me ? &s->active[c->row[i] - p->me] : NULL;
    if (!to || *to == 2) continue;
    if (i < c->ne) *to = (signed char)(c->lam[i] > 0 ? -1 : c->lam[i] < 0); /* an equality only by the width of its range */
    else if (c->state[i] && ipp_touches(c, p, i, tol)) *to = c->state[i];
  }
  for (int j = 0; j < c->n; j++)
    if (c->state[c->m + j] && ipp_touches(c, p, c->m + j, tol)) s->active[p->mi + c->var[j]] = c->state[c->m + j];
}
