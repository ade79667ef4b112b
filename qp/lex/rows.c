/* rows.c: what each row of the problem is to the lexicographic solver, and the memory for it.
 *
 * Equality rows of soft levels define the change of variables (factor.c); all other rows are constraints. Columns are put in the
 * order in which the soft levels first see them: level k then works on a contiguous range, and what no soft equality sees
 * (contact forces, in a whole-body problem) stays itself, so that bounds on such variables stay bounds.
 */
#include "lex.h"

#include <math.h>
#include <string.h>

typedef struct lexr_counts {
  int n, levels, rows;
  int equalities, dense, constraints; /* constraints includes the dense ones */
  int slacks;                         /* constraints that may need one */
  int max_rows;
} lexr_counts;

/* One layout for measuring and for use, not zeroed: every element that is read is written first, and clearing a quarter of a megabyte costs more
 * than a small solve. Everything that lives through the solve comes first; the factorization's scratch and the
 * arrays of the working set follow each other in the same place. */
static void lexr_layout(po_arena *a, po_lex *w, const lexr_counts *c) {
  int n = c->n, pads = 4 * (c->levels + 1);
  w->X = po_arena_mat_raw(a, c->equalities + c->dense, n);
  w->rhs = PO_ARENA_ARRAY(a, double, c->equalities);
  w->source = PO_ARENA_ARRAY(a, int, c->equalities);
  w->fresh = PO_ARENA_ARRAY(a, unsigned char, c->equalities);
  w->single = PO_ARENA_ARRAY(a, int, c->equalities);
  w->perm = PO_ARENA_ARRAY(a, int, n);
  w->run = PO_ARENA_ARRAY(a, po_lex_run, n + 1);
  w->pool_V = po_arena_mat_raw(a, n, n);
  w->pool_TV = po_arena_mat_raw(a, n, n);
  w->pool_BT = po_arena_mat_raw(a, n, n);
  w->pool_U = po_arena_mat_raw(a, n < c->equalities ? n : c->equalities, c->max_rows);
  w->pool_tau = PO_ARENA_ARRAY(a, double, n);
  w->pool_c = PO_ARENA_ARRAY(a, double, n);
  w->pool_order = PO_ARENA_ARRAY(a, int, c->equalities);
  w->pool_columns = PO_ARENA_ARRAY(a, int, n * c->levels);
  w->x0 = PO_ARENA_ZARRAY(a, double, n);
  w->y = PO_ARENA_ARRAY(a, double, n + c->max_rows);
  w->z = PO_ARENA_ARRAY(a, double, n + c->max_rows);
  w->row = PO_ARENA_ARRAY(a, po_lex_row, c->constraints);
  w->lo = PO_ARENA_ARRAY(a, double, c->constraints);
  w->up = PO_ARENA_ARRAY(a, double, c->constraints);
  w->norm = PO_ARENA_ARRAY(a, double, c->constraints);
  w->size0 = PO_ARENA_ARRAY(a, double, c->constraints);
  w->value = PO_ARENA_ARRAY(a, double, c->constraints);
  w->fetched = PO_ARENA_ARRAY(a, unsigned char, c->dense);
  w->later = PO_ARENA_ARRAY(a, int, c->dense);
  w->xv = PO_ARENA_ARRAY(a, double, n);
  w->G = po_arena_mat_raw(a, c->dense, po_pad4(n) + pads);
}

/* Scratch of the factorization and, before it, of sorting the rows. */
static void lexr_factor_layout(po_arena *a, const lexr_counts *c) {
  int small = c->n < c->equalities ? c->n : c->equalities;
  po_arena_mat_raw(a, small, c->max_rows);
  po_arena_mat_raw(a, c->equalities + c->dense, 2 * c->n + 1);
  po_arena_mat_raw(a, small, c->n);
  po_arena_mat_raw(a, small, small);
  PO_ARENA_ARRAY(a, double, 8 * (c->n + c->max_rows) + 16);
  PO_ARENA_ARRAY(a, int, c->rows + c->dense + 2 * c->n + 64);
  PO_ARENA_ARRAY(a, uint64_t, (c->levels + 1) * po_hqp_words(c->n));
}

static void lexr_descent_layout(po_arena *a, struct po_lex_descent *d, int n, int m) {
  d->Zt = po_arena_mat_raw(a, n, n);
  d->T = po_arena_mat_raw(a, n, n);
  d->Gz = po_arena_mat_raw(a, m, n);
  d->G = po_arena_mat_raw(a, m, n);
  d->point = PO_ARENA_ARRAY(a, double, n);
  d->base = PO_ARENA_ARRAY(a, double, m);
  d->u = PO_ARENA_ARRAY(a, double, n);
  d->origin = PO_ARENA_ARRAY(a, double, n);
  d->cost = PO_ARENA_ARRAY(a, double, n);
  d->reflector = PO_ARENA_ARRAY(a, double, n);
  d->row = PO_ARENA_ARRAY(a, double, n);
  d->rows = PO_ARENA_ARRAY(a, po_lex_row, m);
  d->lo = PO_ARENA_ARRAY(a, double, m);
  d->up = PO_ARENA_ARRAY(a, double, m);
  d->norm = PO_ARENA_ARRAY(a, double, m);
  d->size0 = PO_ARENA_ARRAY(a, double, m);
  d->value = PO_ARENA_ARRAY(a, double, m);
  d->list = PO_ARENA_ARRAY(a, int, m);
  d->free = PO_ARENA_ARRAY(a, int, m);
  d->fixed = PO_ARENA_ARRAY(a, int, m);
  d->keep = PO_ARENA_ARRAY(a, signed char, m);
  d->here = PO_ARENA_ARRAY(a, signed char, m);
}

static void lexr_active_layout(po_arena *a, po_lex *w, const lexr_counts *c) {
  int n = c->n, m = c->constraints, length = po_pad4(n) + 4 * (c->levels + 1) + po_pad4(c->slacks), directions = n + c->slacks;
  w->J = po_arena_mat_raw(a, directions, length);
  w->v = PO_ARENA_ARRAY(a, double, length);
  w->normal = PO_ARENA_ARRAY(a, double, length);
  w->grade = PO_ARENA_ARRAY(a, int, directions);
  w->slack_grade = PO_ARENA_ARRAY(a, int, c->slacks);
  w->free_rows = PO_ARENA_ARRAY(a, int, directions);
  w->set = PO_ARENA_ARRAY(a, int, m);
  w->sign = PO_ARENA_ARRAY(a, double, m);
  w->bound_row = PO_ARENA_ARRAY(a, int, m);
  w->R = po_arena_mat_raw(a, m, m);
  w->Lambda = po_arena_mat_raw(a, m, c->levels + 1);
  w->d = PO_ARENA_ARRAY(a, double, (directions > c->rows ? directions : c->rows) + m);
  w->work = PO_ARENA_ARRAY(a, double, directions + length + m);
  w->step = PO_ARENA_ARRAY(a, double, m);
  w->column = PO_ARENA_ARRAY(a, double, 4 * m);
  w->todo = PO_ARENA_ARRAY(a, int, c->rows);
  w->todo_sign = PO_ARENA_ARRAY(a, double, m);
  w->want = PO_ARENA_ARRAY(a, signed char, c->rows);
  w->slack_column = PO_ARENA_ARRAY(a, int, c->slacks);
  w->pivot_row = PO_ARENA_ARRAY(a, int, m);
  w->tau_of = PO_ARENA_ARRAY(a, double, m);
  w->rhs_of = PO_ARENA_ARRAY(a, double, m);
  w->length_of = PO_ARENA_ARRAY(a, double, m);
  w->taken = PO_ARENA_ARRAY(a, unsigned char, n);
  w->fetch_W = po_arena_mat_raw(a, PO_LEX_FETCH, 2 * n + 1);
  w->fetch_work = PO_ARENA_ARRAY(a, double, n);
  w->terms = PO_ARENA_ARRAY(a, double, n);
  lexr_descent_layout(a, &w->descent, n + 4 * (c->levels + 2), m);
}

size_t po_lex_bytes(int n, int levels, int rows) {
  size_t most = 0;
  int side;
  /* The need is convex in how the rows divide between equalities and constraints, so one of the two ends is the largest. */
  for (side = 0; side < 2; side++) {
    po_arena a;
    po_lex w;
    size_t mark, factor;
    lexr_counts c;
    c.n = n;
    c.levels = levels;
    c.rows = rows;
    c.equalities = c.max_rows = side == 0 ? rows : 0;
    c.constraints = c.dense = c.slacks = side == 0 ? 0 : rows;
    po_arena_measure(&a);
    PO_ARENA_ARRAY(&a, signed char, rows);
    lexr_layout(&a, &w, &c);
    mark = po_arena_mark(&a);
    lexr_factor_layout(&a, &c);
    factor = po_arena_used(&a);
    po_arena_release(&a, mark);
    lexr_active_layout(&a, &w, &c);
    if (factor > most) most = factor;
    if (po_arena_used(&a) > most) most = po_arena_used(&a);
  }
  return most + 4096; /* padding of the parts when the rows are mixed */
}

/* ---- sorting the rows ------------------------------------------------------------------------------------------------------- */

enum { LEXR_SKIP, LEXR_EQUALITY, LEXR_CONSTRAINT };
enum { LEXR_MANY = -1, LEXR_NONE = -2 }; /* columns of a row, when it is not exactly one */

typedef struct lexr_table { /* scratch: one entry a row of the problem, or a column */
  signed char *kind;
  int words;       /* of 64 columns in a mask */
  const uint64_t *mask; /* rows × words: which coefficients are not zero */
  int *single;     /* the only column of a row, LEXR_MANY or LEXR_NONE */
  int *first;      /* column: the soft level that sees it first, `levels` when none does */
  int *parked;     /* column: 1 when a bound on it is in the working set to start from */
  uint64_t *seen;  /* (levels + 1) × words: columns of the levels before each, and of all */
} lexr_table;

static void lexr_kinds(const po_lex *w, signed char *kind, lexr_counts *c) {
  const po_hqp *p = w->p;
  int k, i, at = 0;
  for (k = 0; k < p->level_count; k++) {
    const po_hqp_level *level = &p->levels[k];
    int rows = 0, pinned = !level->hard || w->relaxed;
    for (i = 0; i < level->rows; i++, at++) {
      double l = level->lower[i], u = level->upper[i];
      kind[at] = l <= -PO_QP_INFINITY && u >= PO_QP_INFINITY ? LEXR_SKIP : l == u && pinned ? LEXR_EQUALITY : LEXR_CONSTRAINT;
      rows += kind[at] == LEXR_EQUALITY;
      c->constraints += kind[at] == LEXR_CONSTRAINT;
    }
    c->equalities += rows;
    if (rows > c->max_rows) c->max_rows = rows;
  }
}

static int lexr_lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  int bit = 0;
  for (; !(bits & 1); bits >>= 1) bit++;
  return bit;
#endif
}

static int lexr_single(const lexr_table *t, int at) {
  const uint64_t *mask = t->mask + (size_t)at * (size_t)t->words;
  int i, column = LEXR_NONE;
  for (i = 0; i < t->words; i++) {
    if (!mask[i]) continue;
    if (column != LEXR_NONE || (mask[i] & (mask[i] - 1))) return LEXR_MANY;
    column = 64 * i + lexr_lowest_bit(mask[i]);
  }
  return column;
}

/* Which soft level sees which column first, and with that where each level's range ends. When ordering the columns so gains little over
 * the order they have, they keep it, because rows are then copied whole: columns in between count as seen. */
static void lexr_touch(po_lex *w, lexr_table *t) {
  const po_hqp *p = w->p;
  int k, i, j, at = 0, last = 0, seen = 0, lost = 0, natural_end[PO_HQP_MAX_LEVELS], words = t->words;
  for (j = 0; j < p->n; j++) {
    t->first[j] = p->level_count;
    t->parked[j] = 0;
  }
  memset(t->seen, 0, sizeof(uint64_t) * (size_t)words);
  for (k = 0; k < p->level_count; k++) {
    uint64_t *before = t->seen + (size_t)k * (size_t)words, *after = before + words;
    memcpy(after, before, sizeof(uint64_t) * (size_t)words);
    for (i = 0; i < p->levels[k].rows; i++, at++) {
      const uint64_t *mask = t->mask + (size_t)at * (size_t)words;
      t->single[at] = lexr_single(t, at);
      for (j = 0; j < words && t->kind[at] == LEXR_EQUALITY; j++) after[j] |= mask[j];
    }
    for (j = 0; j < words; j++) {
      uint64_t fresh = after[j] & ~before[j];
      for (; fresh; fresh &= fresh - 1, seen++) {
        int column = 64 * j + lexr_lowest_bit(fresh);
        t->first[column] = k;
        if (column >= last) last = column + 1;
      }
    }
    w->level[k].end = seen;
    natural_end[k] = last;
    lost += last - seen;
  }
  w->natural = 8 * lost <= p->n;
  for (k = j = 0; k < p->level_count && w->natural; k++) {
    uint64_t *before = t->seen + (size_t)k * (size_t)words, *after = before + words;
    w->level[k].end = natural_end[k];
    memcpy(after, before, sizeof(uint64_t) * (size_t)words);
    for (; j < natural_end[k]; j++) {
      t->first[j] = k;
      after[j >> 6] |= (uint64_t)1 << (j & 63);
    }
  }
  w->touched = p->level_count ? w->level[p->level_count - 1].end : 0;
}

/* The order: as the levels see them, then those no level sees, then of these the ones that start at a bound. */
static void lexr_order(po_lex *w, const lexr_table *t) {
  int k, j, at = 0, pass, n = w->n;
  if (w->natural)
    for (; at < w->touched; at++) w->perm[at] = at;
  for (k = 0; k < w->levels && !w->natural; k++)
    for (j = 0; j < n; j++)
      if (t->first[j] == k) w->perm[at++] = j;
  for (pass = 0; pass < 2; pass++)
    for (j = 0; j < n; j++)
      if (t->first[j] == w->levels && t->parked[j] == pass) w->perm[at++] = j;
  for (j = w->runs = 0; j < n; j++)
    if (j == 0 || w->perm[j] != w->perm[j - 1] + 1) {
      w->run[w->runs].at = j;
      w->run[w->runs++].column = w->perm[j];
    }
  w->run[w->runs].at = n;
}

/* Whether the normal of a dense constraint is made at once: when it is in the set to start from; when there is none, and few of them. */
static int lexr_ready(const po_lex *w, const po_hqp_level *level, int i, int at) {
  return w->all_ready || (w->start && w->start[at]) || level->lower[i] == level->upper[i];
}

/* Looks at the constraints: single coefficients, bounds to start from, rows without coefficients. */
static int lexr_look(po_lex *w, lexr_table *t) {
  const po_hqp *p = w->p;
  int k, i, at = 0, dense = 0;
  w->ready = w->all_ready = 0;
  for (k = 0; k < p->level_count; k++)
    for (i = 0; i < p->levels[k].rows; i++, at++) {
      const po_hqp_level *level = &p->levels[k];
      int column;
      if (t->kind[at] != LEXR_CONSTRAINT) continue;
      column = t->single[at];
      if (column >= 0 && t->first[column] < p->level_count) column = t->single[at] = LEXR_MANY;
      dense += column == LEXR_MANY;
      w->ready += column == LEXR_MANY && lexr_ready(w, level, i, at);
      if (column >= 0 && level->hard && !w->relaxed) t->parked[column] |= level->lower[i] == level->upper[i] || (w->start && w->start[at]);
      if (column == LEXR_NONE) { /* what its bounds say can be neither helped nor hurt */
        t->kind[at] = LEXR_SKIP;
        if (level->hard && (level->lower[i] > 0 || level->upper[i] < 0)) w->impossible = 1;
      }
    }
  if (!w->start && dense <= w->n) {
    w->all_ready = 1;
    w->ready = dense;
  }
  return dense;
}

void po_lex_copy_row(po_lex *w, int to, const double *a, int columns) {
  double *x = po_row(w->X, to);
  const po_lex_run *r;
  for (r = w->run; r->at < columns; r++) memcpy(x + r->at, a + r->column, sizeof(double) * (size_t)((r[1].at < columns ? r[1].at : columns) - r->at));
}

/* An equality row's right-hand side, and what factor.c needs to know to leave it alone when it can. `place`: column: position. */
static void lexr_take_equality(po_lex *w, const lexr_table *t, const int *place, int to, int k, int i, int at) {
  po_lex_level *f = &w->level[k];
  const uint64_t *mask = t->mask + (size_t)at * (size_t)t->words, *seen = t->seen + (size_t)k * (size_t)t->words;
  int j, single = t->single[at];
  w->rhs[to] = w->p->levels[k].lower[i];
  w->source[to] = at;
  w->single[to] = single >= 0 ? place[single] : -1;
  w->fresh[to] = 0;
  for (j = 0; j < t->words; j++) w->fresh[to] |= (mask[j] & ~seen[j]) != 0;
  if (w->square[at] > f->scale) f->scale = w->square[at];
}

static void lexr_take_constraint(po_lex *w, int c, int k, int i, int all, int single) {
  const po_hqp_level *level = &w->p->levels[k];
  po_lex_row *r = &w->row[c];
  r->row = all;
  r->level = k;
  r->index = i;
  r->unit = -1;
  r->factor = 0;
  r->soft = !level->hard || w->relaxed;
  r->slack = r->position = -1;
  r->ignored = 0;
  w->lo[c] = po_hqp_lower(level, i);
  w->up[c] = po_hqp_upper(level, i);
  r->equality = w->lo[c] == w->up[c];
  if (single >= 0) {
    r->unit = single; /* still a column of the problem: factor.c turns it into a coordinate */
    r->factor = PO_AT(level->A, i, single);
    w->norm[c] = fabs(r->factor);
  } else if (c >= w->ready) {
    w->later[c - w->ready] = i;
  }
}

/* Every row to its place: equalities level by level, dense constraints (those ready first), units. */
static void lexr_take(po_lex *w, lexr_table *t, int dense) {
  const po_hqp *p = w->p;
  int k, i, j, at = 0, equality = 0, unit = dense, ready = 0, later = w->ready, *place = t->parked; /* which has served */
  for (j = 0; j < p->n; j++) place[w->perm[j]] = j;
  for (k = 0; k < p->level_count; k++) {
    po_lex_level *f = &w->level[k];
    f->first = equality;
    f->scale = 0;
    for (i = 0; i < p->levels[k].rows; i++, at++) {
      if (t->kind[at] == LEXR_EQUALITY) lexr_take_equality(w, t, place, equality++, k, i, at);
      if (t->kind[at] != LEXR_CONSTRAINT) continue;
      if (t->single[at] >= 0) lexr_take_constraint(w, unit++, k, i, at, t->single[at]);
      else lexr_take_constraint(w, lexr_ready(w, &p->levels[k], i, at) ? ready++ : later++, k, i, at, LEXR_MANY);
    }
    f->scale = sqrt(f->scale);
    f->rows = equality - f->first;
  }
  w->constraints = unit;
  w->dense = dense;
}

int po_lex_rows(po_lex *w) {
  lexr_counts c;
  lexr_table t;
  int dense;
  size_t mark;
  memset(&c, 0, sizeof c);
  c.n = w->n;
  c.levels = w->levels;
  c.rows = po_hqp_row_offset(w->p, w->levels);
  t.kind = PO_ARENA_ARRAY(w->arena, signed char, c.rows);
  if (w->arena->failed) return 0;
  lexr_kinds(w, t.kind, &c);
  c.dense = c.slacks = c.constraints; /* at most */
  w->equality_rows = c.equalities;
  w->max_rows = c.max_rows;
  w->dense = w->impossible = 0;
  w->square = w->solver->square;
  lexr_layout(w->arena, w, &c);
  mark = po_arena_mark(w->arena);
  t.words = po_hqp_words(c.n);
  t.mask = w->solver->mask;
  t.single = PO_ARENA_ARRAY(w->arena, int, c.rows);
  t.first = PO_ARENA_ARRAY(w->arena, int, c.n);
  t.parked = PO_ARENA_ARRAY(w->arena, int, c.n);
  t.seen = PO_ARENA_ARRAY(w->arena, uint64_t, (c.levels + 1) * t.words);
  if (w->arena->failed) return 0;
  lexr_touch(w, &t);
  dense = lexr_look(w, &t);
  lexr_order(w, &t);
  lexr_take(w, &t, dense);
  w->X.rows = w->equality_rows + w->ready;
  w->G.rows = dense;
  po_arena_release(w->arena, mark);
  return 1;
}

int po_lex_active_layout(po_lex *w) {
  lexr_counts c;
  int i;
  memset(&c, 0, sizeof c);
  c.n = w->n;
  c.levels = w->levels;
  c.rows = po_hqp_row_offset(w->p, w->levels);
  c.constraints = w->constraints;
  for (i = 0; i < w->constraints; i++) c.slacks += w->row[i].soft;
  lexr_active_layout(w->arena, w, &c);
  return !w->arena->failed;
}
