/* solve_dense.c: a small group as one complementarity problem: its Delassus matrix A = sum W Omega W', then any of the LCP methods. */
#include "world_internal.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef struct dense_work {
  po_lcp p;
  int *friction, *first; /* first: row of each constraint */
  double *q, *mu, *lo, *hi, *z, *H;
} dense_work;

static void dense_lay_out(dense_work *d, int n, int constraints, int ports, po_arena *arena) {
  d->p.n = n;
  d->p.M = po_arena_mat(arena, n, n);
  d->friction = PO_ARENA_ARRAY(arena, int, n);
  d->first = PO_ARENA_ARRAY(arena, int, constraints);
  d->q = PO_ARENA_ARRAY(arena, double, n);
  d->mu = PO_ARENA_ARRAY(arena, double, n);
  d->lo = PO_ARENA_ARRAY(arena, double, n);
  d->hi = PO_ARENA_ARRAY(arena, double, n);
  d->z = PO_ARENA_ARRAY(arena, double, n);
  d->H = PO_ARENA_ARRAY(arena, double, 4 * (size_t)ports);
}

size_t po_solve_dense_bytes(int unknowns, int ports, const po_world_opts *opts) {
  po_arena arena;
  dense_work d;
  size_t most = 0;
  int method;
  po_arena_measure(&arena);
  memset(&d, 0, sizeof d);
  dense_lay_out(&d, unknowns, unknowns, ports, &arena);
  for (method = PO_LCP_LEMKE; method <= PO_LCP_NEWTON; method++) {
    size_t bytes;
    po_lcp p;
    if (method != PO_LCP_NEWTON && method != (int)opts->solver) continue;
    memset(&p, 0, sizeof p);
    p.n = unknowns;
    bytes = po_lcp_bytes(&p, (po_lcp_method)method);
    if (method == PO_LCP_LEMKE) { /* the most columns: per contact a normal, and k tangents with a slack per friction pair or row */
      size_t columns = (size_t)(unknowns / 3 + 1) * (opts->friction == PO_FRICTION_PYRAMID ? (size_t)opts->sides + 2 : 7);
      bytes += 8 * (columns * (3 * columns + 2) + 16 * columns);
    }
    if (bytes > most) most = bytes;
  }
  return po_arena_used(&arena) + most;
}

/* H = Omega W' of one grip, over all ports of its character. */
static void dense_response(double *H, const po_character *c, const po_grip *g, int dim) {
  int r, k, i;
  for (r = 0; r < c->ports.count; r++) {
    const double *O = c->ports.Omega + (size_t)r * (size_t)c->ports.ld + g->port;
    for (k = 0; k < dim; k++) {
      double sum = 0;
      for (i = 0; i < g->width; i++) sum += O[i] * g->W[k][i];
      H[4 * r + k] = sum;
    }
  }
}

#if defined(__x86_64__)
/* The same with a block's three columns in one register (the fourth lane is idle). */
__attribute__((target("avx2,fma"))) static void dense_response_avx2(double *H, const po_character *c, const po_grip *g, int dim) {
  __m256d W[6];
  int r, i;
  for (i = 0; i < g->width; i++) W[i] = _mm256_set_pd(0, dim > 2 ? g->W[2][i] : 0, dim > 1 ? g->W[1][i] : 0, g->W[0][i]);
  for (r = 0; r < c->ports.count; r++) {
    const double *O = c->ports.Omega + (size_t)r * (size_t)c->ports.ld + g->port;
    __m256d sum = _mm256_mul_pd(_mm256_set1_pd(O[0]), W[0]);
    for (i = 1; i < g->width; i++) sum = _mm256_fmadd_pd(_mm256_set1_pd(O[i]), W[i], sum);
    _mm256_store_pd(H + 4 * r, sum);
  }
}

__attribute__((target("avx2,fma"))) static void dense_block_avx2(double *A, int ld, int columns, const po_grip *g, int dim, const double *H) {
  __m256i mask = _mm256_set_epi64x(0, columns > 2 ? -1 : 0, columns > 1 ? -1 : 0, -1);
  int i, t;
  for (i = 0; i < dim; i++, A += ld) {
    __m256d sum = _mm256_mul_pd(_mm256_set1_pd(g->W[i][0]), _mm256_load_pd(H));
    for (t = 1; t < g->width; t++) sum = _mm256_fmadd_pd(_mm256_set1_pd(g->W[i][t]), _mm256_load_pd(H + 4 * t), sum);
    _mm256_maskstore_pd(A, mask, _mm256_add_pd(_mm256_maskload_pd(A, mask), sum));
  }
}
#endif

static void dense_block(double *A, int ld, int columns, const po_grip *g, int dim, const double *H) {
  int i, j, t;
  for (i = 0; i < dim; i++)
    for (j = 0; j < columns; j++) {
      double sum = 0;
      for (t = 0; t < g->width; t++) sum += g->W[i][t] * H[4 * t + j];
      A[i * ld + j] += sum;
    }
}

/* The lower triangle by blocks, then mirrored. */
static void dense_matrix(po_world *w, const po_group *g, dense_work *d) {
  void (*response)(double *, const po_character *, const po_grip *, int) = dense_response;
  void (*block)(double *, int, int, const po_grip *, int, const double *) = dense_block;

  int l, k, sl, sk;
#if defined(__x86_64__)
  if (po_get_simd() == PO_SIMD_AVX2) {
    response = dense_response_avx2;
    block = dense_block_avx2;
  }
#endif
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (sl = 0; sl < row->sides; sl++) {
      const po_grip *gl = &row->side[sl];
      response(d->H, w->character[gl->character], gl, row->dim);
      for (k = l; k < g->count; k++) {
        const po_constraint *other = &w->row[w->order[g->first + k]];
        for (sk = 0; sk < other->sides; sk++) {
          const po_grip *gk = &other->side[sk];
          if (gk->character == gl->character)
            block(&PO_AT(d->p.M, d->first[k], d->first[l]), d->p.M.ld, row->dim, gk, other->dim, d->H + 4 * gk->port);
        }
      }
    }
    PO_AT(d->p.M, d->first[l], d->first[l]) += row->cfm;
  }
  po_mat_symmetrize(d->p.M, PO_LOWER);
}

static void dense_rows(po_world *w, const po_group *g, dense_work *d, po_stage stage) {
  int l, k;
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    double u[3];
    int r = d->first[l];
    po_constraint_velocity(w, row, u);
    if (stage == PO_STAGE_CONTACT) memcpy(row->u0, u, sizeof u);
    for (k = 0; k < row->dim; k++) {
      d->q[r + k] = u[k];
      d->friction[r + k] = k == 0 ? -1 : r;
      d->mu[r + k] = row->mu;
      d->lo[r + k] = row->lo;
      d->hi[r + k] = row->hi;
      d->z[r + k] = row->p[k];
    }
    d->q[r] += po_stage_bias(row, stage);
  }
}

/* y += Omega (sum of W' p), character by character: one product with Omega for each, not one per row. */
static void dense_push(po_world *w, const po_group *g) {
  int l, s, k, i, r;
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (s = 0; s < row->sides; s++) {
      const po_grip *grip = &row->side[s];
      po_character *c = w->character[grip->character];
      if (!c->gathers) memset(c->gather, 0, sizeof(double) * (size_t)c->ports.ld);
      c->gathers = 1;
      for (k = 0; k < row->dim; k++)
        for (i = 0; i < grip->width; i++) c->gather[grip->port + i] += grip->W[k][i] * row->p[k];
    }
  }
  for (l = 0; l < g->count; l++) {
    const po_constraint *row = &w->row[w->order[g->first + l]];
    for (s = 0; s < row->sides; s++) {
      po_character *c = w->character[row->side[s].character];
      if (!c->gathers) continue;
      c->gathers = 0;
      for (r = 0; r < c->ports.count; r++) c->y[r] += po_dot(c->ports.Omega + (size_t)r * (size_t)c->ports.ld, c->gather, c->ports.count);
    }
  }
}

double po_solve_dense(po_world *w, const po_group *g, po_stage stage) {
  size_t mark = po_arena_mark(&w->scratch);
  po_lcp_opts opts = po_lcp_opts_default();
  po_friction_shape shape;
  po_lcp_result result;
  dense_work d;
  int l, k, n = 0, ports = 0;
  for (l = 0; l < g->count; l++)
    for (k = 0; k < w->row[w->order[g->first + l]].sides; k++) {
      int p = w->character[w->row[w->order[g->first + l]].side[k].character]->ports.count;
      if (p > ports) ports = p;
    }
  memset(&d, 0, sizeof d);
  dense_lay_out(&d, g->unknowns, g->count, ports, &w->scratch);
  for (l = 0; l < g->count; l++) {
    d.first[l] = n;
    n += w->row[w->order[g->first + l]].dim;
  }
  dense_matrix(w, g, &d);
  dense_rows(w, g, &d, stage);
  d.p.q = d.q;
  d.p.lo = d.lo;
  d.p.hi = d.hi;
  d.p.friction = d.friction;
  d.p.mu = d.mu;
  d.p.law = w->opts.friction;
  d.p.sides = w->opts.sides;
  if (w->opts.record) w->opts.record(w->opts.record_user, &d.p, d.z);
  opts.method = w->opts.solver;
  opts.tolerance = w->opts.tolerance;
  opts.max_sweeps = w->opts.max_sweeps;
  opts.max_steps = w->opts.solver == PO_LCP_NEWTON ? w->opts.max_steps : 0;
  opts.warm = 1;
  result.residual = PO_INF;
  result.sweeps = result.steps = 0;
  if (po_lcp_solve(d.z, &result, &d.p, &opts, &w->scratch) != PO_OK || result.outcome >= PO_LCP_INFEASIBLE ||
      (opts.method < PO_LCP_PGS && result.outcome != PO_LCP_SOLVED)) {
    opts.method = PO_LCP_NEWTON; /* a pivoting method lost its way: the one that always has an answer */
    opts.max_steps = w->opts.max_steps;
    opts.warm = 0;
    if (po_lcp_solve(d.z, &result, &d.p, &opts, &w->scratch) != PO_OK) memset(d.z, 0, sizeof(double) * (size_t)d.p.n);
  }
  po_friction_shape_init(&shape, w->opts.friction, w->opts.sides);
  for (l = 0; l < g->count; l++) {
    po_constraint *row = &w->row[w->order[g->first + l]];
    for (k = 0; k < row->dim; k++) row->p[k] = d.z[d.first[l] + k];
    if (row->dim > 1) { /* an answer keeps to the law in its velocities to the tolerance; the impulses keep to it whatever became of the solve */
      row->p[0] = po_max(0, row->p[0]);
      po_friction_project(&shape, row->dim - 1, row->mu * row->p[0], row->p + 1);
    }
  }
  dense_push(w, g);
  if (result.sweeps > w->report.sweeps) w->report.sweeps = result.sweeps;
  if (result.steps > w->report.steps) w->report.steps = result.steps;
  po_arena_release(&w->scratch, mark);
  return result.residual;
}
