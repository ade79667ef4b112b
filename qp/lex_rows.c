/* lex_rows.c: what each row of the problem is to the lexicographic solver, and the memory for it.
 *
 * Equality rows of soft levels define the change of variables (lex_factor.c); all other rows are constraints. Columns are put in the
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

static int lexr_pad(int n) { return (n + 3) & ~3; }

/* Not zeroed: every element that is read is written first, and clearing a quarter of a megabyte costs more than a small solve. */
static po_mat lexr_mat(po_arena *a, int rows, int cols) {
  return po_mat_of(PO_ARENA_ARRAY(a, double, (size_t)rows * (size_t)lexr_pad(cols)), rows, cols, lexr_pad(cols));
}

/* One layout for measuring and for use. Everything that lives through the solve comes first; the factorization's scratch and the
 * arrays of the working set follow each other in the same place. */
static void lexr_layout(po_arena *a, po_lex *w, const lexr_counts *c) {
  int n = c->n, pads = 4 * (c->levels + 1);
  w->X = lexr_mat(a, c->equalities + c->dense, n);
  w->rhs = PO_ARENA_ARRAY(a, double, c->equalities);
  w->source = PO_ARENA_ARRAY(a, int, c->equalities + c->dense);
  w->perm = PO_ARENA_ARRAY(a, int, n);
  w->pool_V = lexr_mat(a, n, n);
  w->pool_TV = lexr_mat(a, n, n);
  w->pool_BT = lexr_mat(a, n, n);
  w->pool_U = lexr_mat(a, n < c->equalities ? n : c->equalities, c->max_rows);
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
  w->G = lexr_mat(a, c->dense, lexr_pad(n) + pads);
}

/* Scratch of the factorization: the level transposed, and rows × reflectors. */
static void lexr_factor_layout(po_arena *a, const lexr_counts *c) {
  lexr_mat(a, c->n, c->max_rows + 4);
  lexr_mat(a, c->equalities + c->dense, c->n);
  lexr_mat(a, c->n, c->n);
  PO_ARENA_ARRAY(a, double, 8 * (c->n + c->max_rows) + 16);
}

static void lexr_active_layout(po_arena *a, po_lex *w, const lexr_counts *c) {
  int n = c->n, m = c->constraints, length = lexr_pad(n) + 4 * (c->levels + 1) + lexr_pad(c->slacks), directions = n + c->slacks;
  w->J = lexr_mat(a, directions, length);
  w->v = PO_ARENA_ARRAY(a, double, length);
  w->normal = PO_ARENA_ARRAY(a, double, length);
  w->grade = PO_ARENA_ARRAY(a, int, directions);
  w->slack_grade = PO_ARENA_ARRAY(a, int, c->slacks);
  w->free_rows = PO_ARENA_ARRAY(a, int, directions);
  w->set = PO_ARENA_ARRAY(a, int, m);
  w->sign = PO_ARENA_ARRAY(a, double, m);
  w->bound_row = PO_ARENA_ARRAY(a, int, m);
  w->R = lexr_mat(a, m, m);
  w->Lambda = lexr_mat(a, m, c->levels + 1);
  w->d = PO_ARENA_ARRAY(a, double, directions + m);
  w->work = PO_ARENA_ARRAY(a, double, directions + length + m);
  w->step = PO_ARENA_ARRAY(a, double, m);
  w->todo = PO_ARENA_ARRAY(a, int, m);
  w->todo_sign = PO_ARENA_ARRAY(a, double, m);
  w->want = PO_ARENA_ARRAY(a, signed char, c->rows);
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

static int lexr_kind(const po_lex *w, const po_hqp_level *level, int i) {
  double l = po_hqp_lower(level, i), u = po_hqp_upper(level, i);
  if (l == -PO_INF && u == PO_INF) return LEXR_SKIP;
  return l == u && (!level->hard || w->relaxed) ? LEXR_EQUALITY : LEXR_CONSTRAINT;
}

/* The only column of a row with one coefficient; −1: it has more; −2: it has none. */
static int lexr_single(const double *a, int n) {
  int j, at = -2;
  for (j = 0; j < n; j++)
    if (a[j] != 0) {
      if (at >= 0) return -1;
      at = j;
    }
  return at;
}

/* first[j]: the soft level that sees column j first, `levels` when none does. Orders the columns by it. */
static void lexr_columns(po_lex *w, int *first) {
  const po_hqp *p = w->p;
  int k, i, j, at = 0;
  for (j = 0; j < p->n; j++) first[j] = p->level_count;
  for (k = 0; k < p->level_count; k++) {
    const po_hqp_level *level = &p->levels[k];
    for (i = 0; i < level->rows; i++) {
      const double *a = po_row(level->A, i);
      if (lexr_kind(w, level, i) != LEXR_EQUALITY) continue;
      for (j = 0; j < p->n; j++)
        if (a[j] != 0 && first[j] > k) first[j] = k;
    }
  }
  for (k = 0; k <= p->level_count; k++) {
    if (k == p->level_count) w->touched = at;
    for (j = 0; j < p->n; j++)
      if (first[j] == k) w->perm[at++] = j;
    if (k < p->level_count) w->level[k].end = at;
  }
}

static void lexr_copy_row(po_lex *w, int to, const po_hqp_level *level, int i, int columns) {
  double *x = po_row(w->X, to);
  const double *a = po_row(level->A, i);
  int j;
  for (j = 0; j < columns; j++) x[j] = a[w->perm[j]];
}

static void lexr_take_equalities(po_lex *w) {
  const po_hqp *p = w->p;
  int k, i, at = 0, all = 0;
  for (k = 0; k < p->level_count; k++) {
    const po_hqp_level *level = &p->levels[k];
    po_lex_level *f = &w->level[k];
    f->first = at;
    f->scale = 0;
    for (i = 0; i < level->rows; i++, all++) {
      double length;
      if (lexr_kind(w, level, i) != LEXR_EQUALITY) continue;
      lexr_copy_row(w, at, level, i, f->end);
      w->rhs[at] = level->lower[i];
      w->source[at] = all;
      length = po_dot(po_row(w->X, at), po_row(w->X, at), f->end);
      if (length > f->scale) f->scale = length;
      at++;
    }
    f->scale = sqrt(f->scale);
    f->rows = at - f->first;
  }
}

/* Fills the row of constraint c; `single` as lexr_single says. */
static void lexr_take_constraint(po_lex *w, int c, int k, int i, int all, int single) {
  const po_hqp_level *level = &w->p->levels[k];
  po_lex_row *r = &w->row[c];
  r->row = all;
  r->level = k;
  r->index = i;
  r->unit = -1;
  r->factor = 0;
  r->equality = po_hqp_lower(level, i) == po_hqp_upper(level, i);
  r->soft = !level->hard || w->relaxed;
  r->slack = r->position = -1;
  r->ignored = 0;
  w->lo[c] = po_hqp_lower(level, i);
  w->up[c] = po_hqp_upper(level, i);
  if (single >= 0) {
    r->unit = single; /* still a column of the problem: lex_factor.c turns it into a coordinate */
    r->factor = PO_AT(level->A, i, single);
    w->norm[c] = fabs(r->factor);
  } else {
    lexr_copy_row(w, w->equality_rows + c, level, i, w->n);
    w->source[w->equality_rows + c] = all;
  }
}

/* What the bounds of a row without coefficients say is settled here: it can be neither helped nor hurt. */
static void lexr_empty_row(po_lex *w, const po_hqp_level *level, int i) {
  if (level->hard && (po_hqp_lower(level, i) > 0 || po_hqp_upper(level, i) < 0)) w->impossible = 1;
}

int po_lex_rows(po_lex *w) {
  const po_hqp *p = w->p;
  lexr_counts c;
  int k, i, all, pass, dense = 0, units = 0, *single, *first;
  size_t mark;
  memset(&c, 0, sizeof c);
  c.n = p->n;
  c.levels = p->level_count;
  for (k = all = 0; k < p->level_count; k++) {
    int rows = 0;
    for (i = 0; i < p->levels[k].rows; i++, all++) {
      int kind = lexr_kind(w, &p->levels[k], i);
      if (kind == LEXR_EQUALITY) rows++;
      if (kind == LEXR_CONSTRAINT) c.constraints++;
    }
    c.equalities += rows;
    if (rows > c.max_rows) c.max_rows = rows;
  }
  c.dense = c.constraints; /* at most; how many are units is known once the columns are */
  c.slacks = c.constraints;
  w->equality_rows = c.equalities;
  w->constraints = c.constraints;
  w->max_rows = c.max_rows;
  lexr_layout(w->arena, w, &c);
  mark = po_arena_mark(w->arena);
  single = PO_ARENA_ARRAY(w->arena, int, c.constraints);
  first = PO_ARENA_ARRAY(w->arena, int, c.n);
  if (w->arena->failed) return 0;
  lexr_columns(w, first);
  lexr_take_equalities(w);
  for (pass = 0; pass < 2; pass++) { /* 0: look at each row; 1: dense ones first, then the units */
    int at = 0;
    for (k = all = 0; k < p->level_count; k++)
      for (i = 0; i < p->levels[k].rows; i++, all++) {
        const po_hqp_level *level = &p->levels[k];
        if (lexr_kind(w, level, i) != LEXR_CONSTRAINT) continue;
        if (pass == 0) {
          single[at] = lexr_single(po_row(level->A, i), p->n);
          if (single[at] >= 0 && first[single[at]] < p->level_count) single[at] = -1;
          if (single[at] == -1) dense++;
          if (single[at] == -2) lexr_empty_row(w, level, i);
        } else if (single[at] == -1) {
          lexr_take_constraint(w, w->dense++, k, i, all, -1);
        } else if (single[at] >= 0) {
          lexr_take_constraint(w, dense + units++, k, i, all, single[at]);
        }
        at++;
      }
  }
  w->constraints = dense + units;
  w->X.rows = w->equality_rows + dense;
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
