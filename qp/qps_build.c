/* qps_build.c: from the lists a QPS reader has gathered to one block of memory with a dense po_qp in it. */
#include "qp_internal.h"
#include "qps_text.h"

#include <string.h>

#define QPSB_MAX_DENSE ((size_t)1 << 31) /* bytes; H, A and C are dense */

typedef struct qpsb_shape { int n, me, mi; size_t text; } qpsb_shape;
typedef struct qpsb_out { /* the writable side of the po_qp being built */
  double *g, *b, *cl, *cu, *xl, *xu;
  int *place;              /* by file row: its index in (A; C); −1 objective, −2 ignored */
  int *order, *blocks;
  const char **row_names, **var_names;
  char *text;
} qpsb_out;

static void qpsb_layout(po_arena *a, const po_qps_reader *r, qpsb_shape s, po_qp *p, qpsb_out *o) {
  p->H = po_mat_of(NULL, 0, 0, 0);
  if (r->quad.count) p->H = po_arena_mat(a, s.n, s.n);
  p->A = po_arena_mat(a, s.me, s.n);
  p->C = po_arena_mat(a, s.mi, s.n);
  o->g = PO_ARENA_ZARRAY(a, double, s.n);
  o->b = PO_ARENA_ZARRAY(a, double, s.me);
  o->cl = PO_ARENA_ZARRAY(a, double, s.mi);
  o->cu = PO_ARENA_ZARRAY(a, double, s.mi);
  o->xl = PO_ARENA_ZARRAY(a, double, s.n);
  o->xu = PO_ARENA_ZARRAY(a, double, s.n);
  o->place = PO_ARENA_ARRAY(a, int, r->row.count + 1);
  o->order = PO_ARENA_ARRAY(a, int, s.me + s.mi);
  o->blocks = PO_ARENA_ARRAY(a, int, s.n);
  o->row_names = PO_ARENA_ARRAY(a, const char *, s.me + s.mi);
  o->var_names = PO_ARENA_ARRAY(a, const char *, s.n);
  o->text = PO_ARENA_ARRAY(a, char, s.text);
}

static int qpsb_is_equality(const po_qps_row *row) { return row->type == 'E' && !(row->has_range && row->range != 0); }

static const char *qpsb_copy_name(char **text, po_qps_span name) {
  char *at = *text;
  memcpy(at, name.at, (size_t)name.length);
  at[name.length] = 0;
  *text += name.length + 1;
  return at;
}

static void qpsb_place_rows(const po_qps_reader *r, po_qp *p, qpsb_out *o) {
  const po_qps_row *row = (const po_qps_row *)r->row.at;
  int i, e = 0, c = 0, k = 0;
  for (i = 0; i < r->row.count; i++) {
    int at;
    if (row[i].type == 'N') { o->place[i] = i == r->objective ? -1 : -2; continue; }
    if (qpsb_is_equality(&row[i])) {
      o->b[e] = row[i].rhs;
      at = e++;
    } else {
      double lo = row[i].type == 'L' ? -PO_INF : row[i].rhs, hi = row[i].type == 'G' ? PO_INF : row[i].rhs, w = po_abs(row[i].range);
      if (row[i].has_range) {
        if (row[i].type == 'L' || (row[i].type == 'E' && row[i].range < 0)) lo = row[i].rhs - w;
        else hi = row[i].rhs + w;
      }
      o->cl[c] = lo;
      o->cu[c] = hi;
      at = p->me + c++;
    }
    o->place[i] = at;
    o->order[k++] = at;
    o->row_names[at] = qpsb_copy_name(&o->text, r->rows.name[i]);
  }
}

/* The diagonal blocks of H, runs of single variables joined as −k, so that a solver need not look for its zeros. Returns their number. */
static int qpsb_blocks(int *size, const po_qp *p) {
  int start = 0, count = 0, i, j;
  while (start < p->n) {
    int last = start; /* grow the block until no row of it reaches beyond its end */
    for (i = start; i <= last; i++)
      for (j = p->n - 1; j > last; j--)
        if (PO_AT(p->H, i, j) != 0) last = j;
    if (last > start) size[count++] = last - start + 1;
    else if (count && size[count - 1] < 0) size[count - 1]--;
    else size[count++] = -1;
    start = last + 1;
  }
  return count;
}

static po_status qpsb_fill(po_qps_reader *r, po_qp *p, qpsb_out *o) {
  const po_qps_entry *e = (const po_qps_entry *)r->entries.at, *q = (const po_qps_entry *)r->quad.at;
  const po_qps_col *col = (const po_qps_col *)r->col.at;
  double sign = r->maximize ? -1 : 1;
  int k, i, j;
  qpsb_place_rows(r, p, o);
  for (k = 0; k < r->entries.count; k++) {
    double *slot;
    int at = o->place[e[k].i];
    if (at == -2) continue;
    slot = at == -1 ? &o->g[e[k].j] : at < p->me ? &PO_AT(p->A, at, e[k].j) : &PO_AT(p->C, at - p->me, e[k].j);
    r->line = e[k].line;
    if (*slot != 0) return PO_QPS_FAIL(r, PO_ERR_NAME, "COLUMNS: this row and column have a number already");
    *slot = at == -1 ? sign * e[k].value : e[k].value;
  }
  for (k = 0; k < r->quad.count; k++) {
    r->line = q[k].line;
    i = q[k].i; j = q[k].j;
    if (PO_AT(p->H, i, j) != 0)
      return PO_QPS_FAIL(r, PO_ERR_NAME, "%s: this pair of columns has a number already", r->qmatrix ? "QMATRIX" : "QUADOBJ (one triangle is to be listed)");
    PO_AT(p->H, i, j) = sign * q[k].value;
    if (!r->qmatrix) PO_AT(p->H, j, i) = sign * q[k].value;
  }
  if (r->qmatrix && r->quad.count) /* ½x'Qx sees only the symmetric part */
    for (i = 0; i < p->n; i++)
      for (j = 0; j < i; j++) PO_AT(p->H, i, j) = PO_AT(p->H, j, i) = 0.5 * (PO_AT(p->H, i, j) + PO_AT(p->H, j, i));
  for (j = 0; j < p->n; j++) {
    if (!(col[j].lower <= col[j].upper) || !(col[j].lower < PO_QP_INFINITY) || !(col[j].upper > -PO_QP_INFINITY))
      return po_fail_at(r->err, PO_ERR_BOUNDS, r->path, 0, 0, "BOUNDS: the lower bound %g of column '%.*s' and its upper bound %g leave no number",
                        col[j].lower, r->cols.name[j].length, r->cols.name[j].at, col[j].upper);
    o->xl[j] = col[j].lower;
    o->xu[j] = col[j].upper;
    o->var_names[j] = qpsb_copy_name(&o->text, r->cols.name[j]);
  }
  p->constant = sign * r->constant;
  if (p->H.a) {
    p->h_block_count = qpsb_blocks(o->blocks, p);
    p->h_blocks = o->blocks;
  }
  return PO_OK;
}

po_status po_qps_build(po_qps_reader *r, po_qp_file **file) {
  qpsb_shape s;
  po_arena arena;
  po_qp_file *f;
  po_qp p;
  qpsb_out o;
  po_status status;
  size_t bytes;
  int i;
  memset(&s, 0, sizeof s);
  memset(&p, 0, sizeof p);
  s.n = r->cols.count;
  if (r->objective < 0) return PO_QPS_FAIL(r, PO_ERR_PARSE, "no objective: ROWS has no N row");
  if (s.n == 0) return PO_QPS_FAIL(r, PO_ERR_SIZE, "no variables: COLUMNS is empty");
  for (i = 0; i < r->row.count; i++) {
    const po_qps_row *row = (const po_qps_row *)r->row.at + i;
    if (row->type != 'N') { if (qpsb_is_equality(row)) s.me++; else s.mi++; }
    s.text += (size_t)r->rows.name[i].length + 1;
  }
  for (i = 0; i < s.n; i++) s.text += (size_t)r->cols.name[i].length + 1;
  if (((size_t)s.n * (r->quad.count ? 1 : 0) + (size_t)s.me + (size_t)s.mi) * ((size_t)s.n + 4) > QPSB_MAX_DENSE / sizeof(double))
    return PO_QPS_FAIL(r, PO_ERR_SIZE, "%d variables and %d rows are too many for dense matrices", s.n, s.me + s.mi);
  po_arena_measure(&arena);
  po_arena_alloc(&arena, sizeof *f);
  qpsb_layout(&arena, r, s, &p, &o);
  bytes = po_arena_used(&arena);
  f = (po_qp_file *)po_alloc(bytes);
  if (!f) return PO_QPS_FAIL(r, PO_ERR_MEMORY, "out of memory");
  po_arena_init(&arena, f, bytes);
  po_arena_alloc(&arena, sizeof *f);
  p.n = s.n; p.me = s.me; p.mi = s.mi;
  qpsb_layout(&arena, r, s, &p, &o);
  status = arena.failed ? PO_QPS_FAIL(r, PO_ERR_MEMORY, "out of memory") : qpsb_fill(r, &p, &o);
  if (status != PO_OK) {
    po_free(f);
    return status;
  }
  p.g = o.g; p.b = o.b; p.cl = o.cl; p.cu = o.cu; p.xl = o.xl; p.xu = o.xu;
  p.row_names = o.row_names;
  p.var_names = o.var_names;
  f->qp = p;
  f->maximize = r->maximize;
  f->row_order = o.order;
  f->memory = f;
  memcpy(f->name, r->name, sizeof f->name);
  *file = f;
  return PO_OK;
}

