/* hqp.c: the solver object of po_hqp, and po_hqp_solve: check at the door, call a method, finish the result. */
#include "hqp_internal.h"
#include "lex/kernels.h"

#include <math.h>
#include <string.h>

#define HQPC_MAX_DIMENSION 30000

/* ---- words and options -------------------------------------------------------------------------------------------------------- */

const char *po_hqp_method_string(po_hqp_method method) {
  static const char *const words[] = {"reparam", "linear", "weighted", "lexicographic"};
  return (unsigned)method < sizeof words / sizeof *words ? words[method] : "unknown";
}

const char *po_hqp_status_string(po_hqp_status status) {
  static const char *const words[] = {"optimal", "infeasible", "iteration_limit", "numerical"};
  return (unsigned)status < sizeof words / sizeof *words ? words[status] : "unknown";
}

po_hqp_opts po_hqp_opts_default(void) {
  po_hqp_opts o;
  memset(&o, 0, sizeof o);
  o.method = PO_HQP_LEXICOGRAPHIC;
  o.qp = PO_QP_ACTIVE_SET;
  o.basis = PO_BASIS_ORTHOGONAL;
  o.rank_tol = PO_HQP_RANK_TOL;
  o.hysteresis = 1;
  o.weight_ratio = 1e4;
  o.second_opinion = 1;
  o.warm = 1;
  return o;
}

/* ---- the object ------------------------------------------------------------------------------------------------------------------ */

static int hqpc_sizes_bad(int n, int levels, int rows) {
  return n < 0 || levels < 0 || rows < 0 || n > HQPC_MAX_DIMENSION || rows > HQPC_MAX_DIMENSION || levels > PO_HQP_MAX_LEVELS;
}

static const struct hqpc_method {
  size_t (*bytes)(int n, int levels, int rows);
  po_status (*solve)(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts, po_hqp_result *result);
} hqpc_methods[] = {{po_hqp_reparam_bytes, po_hqp_reparam_solve},
                    {po_hqp_linear_bytes, po_hqp_linear_solve},
                    {po_hqp_weighted_bytes, po_hqp_weighted_solve},
                    {po_hqp_lexicographic_bytes, po_hqp_lexicographic_solve}};

static size_t hqpc_scratch_bytes(int n, int levels, int rows) {
  size_t most = 0;
  int i;
  for (i = PO_HQP_REPARAM; i <= PO_HQP_LEXICOGRAPHIC; i++) {
    size_t bytes = hqpc_methods[i].bytes(n, levels, rows);
    if (bytes > most) most = bytes;
  }
  return most;
}

static void hqpc_layout(po_arena *a, po_hqp_solver *s, int n, int levels, int rows) {
  size_t bytes = hqpc_scratch_bytes(n, levels, rows);
  void *block;
  s->x = PO_ARENA_ZARRAY(a, double, n);
  s->multiplier = PO_ARENA_ZARRAY(a, double, rows);
  s->lambda = PO_ARENA_ZARRAY(a, double, (size_t)levels * (size_t)rows);
  s->active = PO_ARENA_ZARRAY(a, signed char, rows);
  s->last_active = PO_ARENA_ZARRAY(a, signed char, rows);
  s->kept_x = PO_ARENA_ARRAY(a, double, n);
  s->kept_multiplier = PO_ARENA_ARRAY(a, double, rows);
  s->kept_active = PO_ARENA_ARRAY(a, signed char, rows);
  s->held = PO_ARENA_ARRAY(a, signed char, rows);
  s->square = PO_ARENA_ARRAY(a, double, rows);
  s->mask = PO_ARENA_ARRAY(a, uint64_t, (size_t)rows * (size_t)po_hqp_words(n));
  po_hqp_scale_layout(s, a, n, rows);
  block = po_arena_alloc(a, bytes);
  if (block) po_arena_init(&s->scratch, block, bytes);
}

size_t po_hqp_bytes(int n, int levels, int rows) {
  po_arena a;
  po_hqp_solver s;
  if (hqpc_sizes_bad(n, levels, rows)) return 0;
  po_arena_measure(&a);
  po_arena_alloc(&a, sizeof s);
  hqpc_layout(&a, &s, n, levels, rows);
  return po_arena_used(&a);
}

po_status po_hqp_init(po_hqp_solver **solver, int n, int levels, int rows, void *mem, size_t bytes) {
  po_arena a;
  po_hqp_solver *s;
  if (!solver || !mem) return PO_ERR_NULL;
  if (hqpc_sizes_bad(n, levels, rows)) return PO_ERR_SIZE;
  if (bytes < po_hqp_bytes(n, levels, rows)) return PO_ERR_MEMORY;
  po_arena_init(&a, mem, bytes);
  s = (po_hqp_solver *)po_arena_zalloc(&a, sizeof *s);
  if (!s) return PO_ERR_MEMORY;
  hqpc_layout(&a, s, n, levels, rows);
  if (a.failed) return PO_ERR_MEMORY;
  s->n_max = n;
  s->level_max = levels;
  s->row_max = rows;
  *solver = s;
  return PO_OK;
}

po_status po_hqp_new(po_hqp_solver **solver, int n, int levels, int rows) {
  size_t bytes;
  void *block;
  po_status status;
  if (!solver) return PO_ERR_NULL;
  bytes = po_hqp_bytes(n, levels, rows);
  if (!bytes) return PO_ERR_SIZE;
  block = po_alloc(bytes);
  if (!block) return PO_ERR_MEMORY;
  status = po_hqp_init(solver, n, levels, rows, block, bytes);
  if (status != PO_OK) {
    po_free(block);
    return status;
  }
  (*solver)->owned = block;
  return PO_OK;
}

void po_hqp_free(po_hqp_solver *solver) {
  if (solver && solver->owned) po_free(solver->owned);
}

/* ---- the door ---------------------------------------------------------------------------------------------------------------------- */

/* Every coefficient is looked at once, here: `square` and `mask` get the lengths of the rows and what is not zero, `peak` the columns' largest. A length that is not
 * finite has one that is not, or one so large that its square is not. */
static po_status hqpc_check_level(const po_hqp_level *level, int n, int index, double *square, uint64_t *mask, double *peak) {
  const po_lex_kernels *k = po_lex_kernels_get();
  double sum = 0;
  int i;
  if (level->rows < 0) return PO_ERR_SIZE;
  if (level->hard && index > 0) return PO_ERR_RANGE;
  if (!level->rows) return PO_OK;
  if (!level->lower || !level->upper || (n && !level->A.a)) return PO_ERR_NULL;
  if (n && (level->A.rows != level->rows || level->A.cols != n || level->A.ld < n)) return PO_ERR_SIZE;
  for (i = 0; i < level->rows; i++) {
    double l = level->lower[i], u = level->upper[i];
    if (l != l || u != u) return PO_ERR_NOT_FINITE;
    if (l > u || l >= PO_QP_INFINITY || u <= -PO_QP_INFINITY) return PO_ERR_BOUNDS;
  }
  for (i = 0; i < level->rows && n; i++) sum += square[i] = k->scan(mask + (size_t)i * (size_t)po_hqp_words(n), peak, po_row(level->A, i), n);
  return sum - sum == 0 ? PO_OK : po_mat_check_finite(level->A);
}

static po_status hqpc_check(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *o) {
  int k, rows = 0;
  if (p->n < 0 || p->level_count < 0 || p->n > s->n_max || p->level_count > s->level_max) return PO_ERR_SIZE;
  if (p->level_count && !p->levels) return PO_ERR_NULL;
  memset(s->unit, 0, sizeof *s->unit * (size_t)p->n);
  for (k = 0; k < p->level_count; k++) {
    po_status status;
    if (p->levels[k].rows > s->row_max - rows) return PO_ERR_SIZE;
    status = hqpc_check_level(&p->levels[k], p->n, k, s->square + rows, s->mask + (size_t)rows * (size_t)po_hqp_words(p->n), s->unit);
    if (status != PO_OK) return status;
    rows += p->levels[k].rows;
  }
  s->apart = po_hqp_apart(s->unit, p->n);
  if ((unsigned)o->method > PO_HQP_LEXICOGRAPHIC || (unsigned)o->qp > PO_QP_INTERIOR_POINT || (unsigned)o->basis > PO_BASIS_ORTHOGONAL) return PO_ERR_RANGE;
  if (o->max_iterations < 0 || !(o->hysteresis >= 1) || !(o->damping >= 0) || !(o->weight_ratio > 0) || o->rank_tol != o->rank_tol || !(o->rank_tol < 1)) return PO_ERR_RANGE;
  return PO_OK;
}

/* ---- finishing ---------------------------------------------------------------------------------------------------------------------- */

double po_hqp_violation(const po_hqp_level *level, int n, const double *x) {
  double sum = 0;
  int i;
  for (i = 0; i < level->rows; i++) {
    double at = n ? po_dot(po_row(level->A, i), x, n) : 0, miss = 0;
    if (at < po_hqp_lower(level, i)) miss = po_hqp_lower(level, i) - at;
    if (at > po_hqp_upper(level, i)) miss = at - po_hqp_upper(level, i);
    sum += miss * miss;
  }
  return sqrt(sum);
}

/* What follows from x and the method's working set: violation, own multipliers, what is active. */
static void hqpc_finish_level(po_hqp_solver *s, const po_hqp_level *level, int n, int at, po_hqp_level_result *r) {
  double sum = 0, *residual = s->multiplier + at;
  int i;
  r->active = s->active + at;
  r->multiplier = residual;
  if (n) po_gemv(residual, level->A, s->x);
  for (i = 0; i < level->rows; i++) {
    double l = po_hqp_lower(level, i), u = po_hqp_upper(level, i), ax = n ? residual[i] : 0, miss = ax < l ? ax - l : ax > u ? ax - u : 0;
    signed char set = s->last_active[at + i];
    s->active[at + i] = (signed char)(l == u ? 2 : set ? set : ax <= l ? -1 : ax >= u ? 1 : 0);
    residual[i] = miss;
    sum += miss * miss;
  }
  r->violation = sqrt(sum);
}

void po_hqp_finish(po_hqp_solver *s, const po_hqp *p, po_hqp_result *result) {
  int k, at = 0;
  for (k = 0; k < p->level_count; k++) {
    hqpc_finish_level(s, &p->levels[k], p->n, at, &result->levels[k]);
    at += p->levels[k].rows;
  }
}

/* Levels of the same name and size are taken for the same. */
static uint64_t hqpc_key(const po_hqp_level *level) { return po_hash(level->name, level->name ? strlen(level->name) : 0, (uint64_t)level->rows); }

/* Lays what the last solve left out for the levels of this problem: a controller's levels come and go while most stay. 0: nothing is left. */
static int hqpc_carry_over(po_hqp_solver *s, const po_hqp *p) {
  int k, j, from, at = 0, same = 1, found = 0, rank[PO_HQP_MAX_LEVELS];
  uint64_t key[PO_HQP_MAX_LEVELS];
  for (k = 0; k < p->level_count; k++) {
    key[k] = hqpc_key(&p->levels[k]);
    same &= k < s->last_levels && s->last_key[k] == key[k];
  }
  same &= s->last_levels == p->level_count;
  if (s->last_valid && s->last_n == p->n && !same) {
    for (k = 0; k < p->level_count; at += p->levels[k++].rows) {
      for (j = from = 0; j < s->last_levels && s->last_key[j] != key[k]; from += s->last_rows[j++]) {}
      rank[k] = j < s->last_levels ? s->last_rank[j] : -1;
      if (j < s->last_levels) memcpy(s->active + at, s->last_active + from, (size_t)p->levels[k].rows);
      else if (p->levels[k].rows) memset(s->active + at, 0, (size_t)p->levels[k].rows);
      found |= j < s->last_levels && p->levels[k].rows > 0;
    }
    memcpy(s->last_active, s->active, (size_t)at);
    for (k = 0; k < p->level_count; k++) s->last_rank[k] = rank[k];
  } else {
    found = s->last_valid && s->last_n == p->n && same;
  }
  memcpy(s->last_key, key, sizeof key[0] * (size_t)p->level_count);
  return found;
}

/* One method. The problem has passed the door: what goes wrong inside (products beyond what doubles hold, say) is an outcome, not misuse. */
static po_status hqpc_run(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *o, po_hqp_result *result) {
  po_status status = hqpc_methods[o->method].solve(s, p, o, result);
  if (status == PO_OK || status == PO_ERR_MEMORY) return status;
  memset(s->x, 0, sizeof(double) * (size_t)p->n);
  memset(s->last_active, 0, (size_t)s->row_max);
  result->status = PO_HQP_NUMERICAL;
  po_hqp_finish(s, p, result);
  return PO_OK;
}

static void hqpc_blank(po_hqp_result *result, const po_hqp_solver *s, const po_hqp *p) {
  int k;
  memset(result, 0, sizeof *result);
  result->x = s->x;
  result->level_count = p->level_count;
  for (k = 0; k < p->level_count; k++) result->levels[k].blocked_by = -1;
}

/* The method's answer, held against the levels. */
static po_status hqpc_answer(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *o, po_hqp_result *result) {
  po_status status = hqpc_run(s, p, o, result);
  if (status == PO_OK && o->method != PO_HQP_LEXICOGRAPHIC) po_hqp_prove(s, p, o, result);
  return status;
}

/* The same once more, after another answer. */
static po_status hqpc_again(po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *o, po_hqp_result *result) {
  int spent = result->iterations;
  double work = result->flops;
  po_status status;
  hqpc_blank(result, s, p);
  status = hqpc_answer(s, p, o, result);
  result->iterations += spent;
  result->flops += work;
  return status;
}

static int hqpc_open(const po_hqp_result *r) { return r->status == PO_HQP_NUMERICAL || r->status == PO_HQP_ITERATION_LIMIT; }

/* Where the lexicographic method got stuck, Algorithm 1 still finds a point that keeps the hard level: a controller needs one now. */
static po_status hqpc_second_opinion(po_hqp_solver *s, const po_hqp *p, po_hqp_opts o, po_hqp_result *result) {
  po_status status;
  o.method = PO_HQP_REPARAM;
  o.qp = PO_QP_ACTIVE_SET;
  o.basis = PO_BASIS_ORTHOGONAL;
  o.warm = 0;
  status = hqpc_again(s, p, &o, result);
  result->second_opinion = 1;
  return status;
}

/* Nothing was proven: once more with the unknowns in other units, if those at hand are far apart. 0: they are not, and nothing has changed. */
static int hqpc_rescaled(po_hqp_solver *s, const po_hqp *p, po_hqp_opts o, po_hqp_result *result, po_status *status) {
  po_hqp_level levels[PO_HQP_MAX_LEVELS];
  po_hqp scaled;
  int j, warm = result->warm;
  if (!s->apart) return 0;
  po_hqp_scale(s, p, &scaled, levels);
  o.warm = 0;
  memcpy(s->step, s->unit, sizeof *s->unit * (size_t)p->n);
  *status = hqpc_check(s, &scaled, &o); /* lengths of its rows */
  if (*status == PO_OK) *status = hqpc_again(s, &scaled, &o, result);
  if (*status == PO_OK && o.method == PO_HQP_LEXICOGRAPHIC && o.second_opinion && hqpc_open(result)) *status = hqpc_second_opinion(s, &scaled, o, result);
  for (j = 0; j < p->n; j++) s->x[j] *= s->step[j];
  result->rescaled = 1;
  result->fell_back = warm;
  return 1;
}

po_status po_hqp_solve(po_hqp_result *result, po_hqp_solver *s, const po_hqp *p, const po_hqp_opts *opts) {
  po_hqp_opts o = opts ? *opts : po_hqp_opts_default();
  po_status status;
  int k;
  if (!s || !p || !result) return PO_ERR_NULL;
  status = hqpc_check(s, p, &o);
  if (status != PO_OK) return status;
  if (o.rank_tol < 0) o.rank_tol = PO_HQP_RANK_TOL;
  hqpc_blank(result, s, p);
  s->last_valid = hqpc_carry_over(s, p);
  status = hqpc_answer(s, p, &o, result);
  if (status == PO_OK && po_hqp_judged(&o) && (result->status != PO_HQP_OPTIMAL || s->doubtful) && !(result->status == PO_HQP_ITERATION_LIMIT && o.max_iterations) &&
      hqpc_rescaled(s, p, o, result, &status)) {
    /* that is the answer */
  } else if (status == PO_OK && o.method == PO_HQP_LEXICOGRAPHIC && o.second_opinion && hqpc_open(result)) {
    status = hqpc_second_opinion(s, p, o, result);
  }
  if (status != PO_OK) {
    s->last_valid = 0;
    return status;
  }
  if (!po_all_finite(s->x, p->n)) { /* beyond what doubles hold: zero is at least a point */
    memset(s->x, 0, sizeof(double) * (size_t)p->n);
    result->status = PO_HQP_NUMERICAL;
    po_hqp_finish(s, p, result);
  }
  result->proof = result->status == PO_HQP_OPTIMAL || result->status == PO_HQP_INFEASIBLE;
  for (k = 0; k < p->level_count && !po_hqp_judged(&o); k++) result->proof &= result->levels[k].kkt <= PO_HQP_BELIEVED;
  for (k = 0; k < p->level_count; k++) s->last_rows[k] = p->levels[k].rows;
  s->last_n = p->n;
  s->last_levels = p->level_count;
  s->last_valid = 1;
  return PO_OK;
}

/* ---- state --------------------------------------------------------------------------------------------------------------------------- */

typedef struct hqpc_state { /* what stands before last_active in a saved state */
  int valid, n, levels;
  int rows[PO_HQP_MAX_LEVELS], rank[PO_HQP_MAX_LEVELS];
  uint64_t key[PO_HQP_MAX_LEVELS];
} hqpc_state;

static void hqpc_state_members(hqpc_state *h, po_stream *s) {
  int k;
  po_stream_int(s, &h->valid);
  po_stream_int(s, &h->n);
  po_stream_int(s, &h->levels);
  po_stream_ints(s, h->rows, PO_HQP_MAX_LEVELS);
  po_stream_ints(s, h->rank, PO_HQP_MAX_LEVELS);
  for (k = 0; k < PO_HQP_MAX_LEVELS; k++) po_stream_word(s, &h->key[k]);
}

/* Nothing is changed before all of it has been looked at. */
static int hqpc_state_fits(const po_hqp_solver *o, const hqpc_state *h, const signed char *active) {
  int i, rows = 0;
  if (h->levels < 0 || h->levels > o->level_max || h->n < 0 || h->n > o->n_max) return 0;
  for (i = 0; i < h->levels; rows += h->rows[i++])
    if (h->rows[i] < 0 || h->rows[i] > o->row_max - rows) return 0;
  for (i = 0; i < o->row_max; i++)
    if (active[i] < -1 || active[i] > 1) return 0;
  return 1;
}

static void hqpc_stream(void *solver, po_stream *s) {
  po_hqp_solver *o = solver;
  hqpc_state h;
  memset(&h, 0, sizeof h);
  h.valid = o->last_valid;
  h.n = o->last_n;
  h.levels = o->last_levels;
  memcpy(h.rows, o->last_rows, sizeof h.rows);
  memcpy(h.rank, o->last_rank, sizeof h.rank);
  memcpy(h.key, o->last_key, sizeof h.key);
  hqpc_state_members(&h, s);
  if (s->mode == PO_STREAM_READ && s->status == PO_OK) {
    if (s->size - s->at < (size_t)o->row_max || !hqpc_state_fits(o, &h, (const signed char *)s->mem + s->at)) {
      s->status = PO_ERR_STATE;
      return;
    }
    o->last_valid = h.valid != 0;
    o->last_n = h.n;
    o->last_levels = h.levels;
    memcpy(o->last_rows, h.rows, sizeof h.rows);
    memcpy(o->last_rank, h.rank, sizeof h.rank);
    memcpy(o->last_key, h.key, sizeof h.key);
  }
  po_stream_bytes(s, o->last_active, (size_t)o->row_max);
}

/* Into a solver made for the same sizes. */
static po_stream_kind hqpc_kind(const po_hqp_solver *s) {
  po_stream_kind kind = {"hqp", 1, 0};
  int sizes[3];
  sizes[0] = s->n_max;
  sizes[1] = s->level_max;
  sizes[2] = s->row_max;
  kind.belongs = po_hash(sizes, sizeof sizes, 0);
  return kind;
}

size_t po_hqp_save_bytes(const po_hqp_solver *s) {
  po_stream_kind kind;
  if (!s) return 0;
  kind = hqpc_kind(s);
  return po_stream_save_bytes(&kind, hqpc_stream, s);
}

po_status po_hqp_save(void *state, size_t bytes, const po_hqp_solver *s) {
  po_stream_kind kind;
  if (!s || !state) return PO_ERR_NULL;
  kind = hqpc_kind(s);
  return po_stream_save(state, bytes, &kind, hqpc_stream, s);
}

po_status po_hqp_restore(po_hqp_solver *s, const void *state, size_t bytes) {
  po_stream_kind kind;
  if (!s || !state) return PO_ERR_NULL;
  kind = hqpc_kind(s);
  return po_stream_restore(s, &kind, hqpc_stream, state, bytes);
}
