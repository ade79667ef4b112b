/* qps_write.c: a po_qp as QPS text, free columns, every number in the shortest form that reads back to the same bits. */
#include "qp_internal.h"
#include "qps_text.h"

#include <string.h>

/* Names are used as they are when all can stand in a free file: not empty, no blanks, no two alike. Otherwise R1 R2 … / X1 X2 …
 * No memory to compare them with each other is a failure, not a reason to write others. */
static po_status qpsw_usable(int *usable, const char *const *names, int count, const char *reserved) {
  po_qps_names table;
  int i, good = names != NULL, number = 0;
  memset(&table, 0, sizeof table);
  for (i = 0; good && i < count; i++) {
    po_qps_span s;
    const char *c;
    size_t length = names[i] ? strlen(names[i]) : 0;
    if (length == 0 || length > 255 || (reserved && strcmp(names[i], reserved) == 0)) { good = 0; break; }
    for (c = names[i]; *c; c++)
      if ((unsigned char)*c <= ' ') good = 0;
    if (names[i][0] == '\'' || names[i][0] == '$') good = 0; /* 'MARKER' */
    s.at = names[i];
    s.length = (int)length;
    if (good && (number = po_qps_add(&table, s)) < 0) good = 0;
  }
  po_qps_names_free(&table);
  *usable = good;
  return number == -2 ? PO_ERR_MEMORY : PO_OK;
}

typedef struct qpsw {
  po_buffer *out;
  const po_qp *p;
  int row_names, var_names;
} qpsw;

static void qpsw_row(const qpsw *w, int i) {
  if (w->row_names) po_buffer_puts(w->out, w->p->row_names[i]);
  else po_buffer_printf(w->out, "R%d", i + 1);
}
static void qpsw_var(const qpsw *w, int j) {
  if (w->var_names) po_buffer_puts(w->out, w->p->var_names[j]);
  else po_buffer_printf(w->out, "X%d", j + 1);
}
static void qpsw_entry(const qpsw *w, double value) { /* " value\n" */
  po_buffer_puts(w->out, " ");
  po_buffer_double(w->out, value);
  po_buffer_puts(w->out, "\n");
}

/* v >= 0 itself, the next number above, the one below. */
static double qpsw_neighbour(double v, int which) {
  uint64_t bits;
  if (which == 0 || v == 0) return v;
  memcpy(&bits, &v, sizeof bits);
  bits += which == 1 ? 1 : (uint64_t)-1;
  memcpy(&v, &bits, sizeof v);
  return v;
}

/* How a two-sided row is told: type, right-hand side, and whether RANGES holds its width. */
typedef struct qpsw_kind { char type; double rhs, range; int has_range; } qpsw_kind;
static qpsw_kind qpsw_kind_of(const po_qp *p, int i) {
  qpsw_kind k;
  double lo = po_qp_lower(p->cl, i), hi = po_qp_upper(p->cu, i);
  k.has_range = 0;
  k.range = 0;
  if (hi == PO_INF) {
    k.type = 'G';
    k.rhs = lo == -PO_INF ? -1e30 : lo; /* an N row would be lost on reading: keep the row, with a bound that counts as infinite */
  } else if (lo == -PO_INF) {
    k.type = 'L';
    k.rhs = hi;
  } else { /* the width that gives the other side back to the bit: hi − lo or a neighbour of it, from one side or the other */
    int step;
    k.has_range = 1;
    for (step = 0; step < 6; step++) {
      k.range = qpsw_neighbour(hi - lo, step / 2);
      k.type = step % 2 ? 'L' : 'G';
      k.rhs = step % 2 ? hi : lo;
      if (step % 2 ? hi - k.range == lo : lo + k.range == hi) return k;
    }
    k.type = 'G'; /* sides of opposite sign: the width has fewer digits than they; the upper side is rounded once */
    k.rhs = lo;
    k.range = hi - lo;
  }
  return k;
}

static void qpsw_columns(const qpsw *w) {
  const po_qp *p = w->p;
  int i, j;
  po_buffer_puts(w->out, "COLUMNS\n");
  for (j = 0; j < p->n; j++) {
    int entries = 0;
    double g = p->g ? p->g[j] : 0;
    for (i = -1; i < p->me + p->mi; i++) {
      double v = i < 0 ? g : i < p->me ? PO_AT(p->A, i, j) : PO_AT(p->C, i - p->me, j);
      int last_chance = i == p->me + p->mi - 1 && entries == 0; /* a column must appear once to exist */
      if (v == 0 && !last_chance) continue;
      entries++;
      po_buffer_puts(w->out, " ");
      qpsw_var(w, j);
      po_buffer_puts(w->out, " ");
      if (i < 0 || v == 0) po_buffer_puts(w->out, "OBJ");
      else qpsw_row(w, i);
      qpsw_entry(w, v);
    }
  }
}

static void qpsw_rhs(const qpsw *w) {
  const po_qp *p = w->p;
  int i, ranges = 0;
  po_buffer_puts(w->out, "RHS\n");
  if (p->constant != 0) {
    po_buffer_puts(w->out, " RHS OBJ");
    qpsw_entry(w, -p->constant);
  }
  for (i = 0; i < p->me + p->mi; i++) {
    double v = i < p->me ? p->b[i] : qpsw_kind_of(p, i - p->me).rhs;
    if (i >= p->me && qpsw_kind_of(p, i - p->me).has_range) ranges = 1;
    if (v == 0) continue;
    po_buffer_puts(w->out, " RHS ");
    qpsw_row(w, i);
    qpsw_entry(w, v);
  }
  if (!ranges) return;
  po_buffer_puts(w->out, "RANGES\n");
  for (i = p->me; i < p->me + p->mi; i++) {
    qpsw_kind k = qpsw_kind_of(p, i - p->me);
    if (!k.has_range) continue;
    po_buffer_puts(w->out, " RNG ");
    qpsw_row(w, i);
    qpsw_entry(w, k.range);
  }
}

static void qpsw_bound(const qpsw *w, const char *kind, int j, const double *value) {
  po_buffer_printf(w->out, " %s BND ", kind);
  qpsw_var(w, j);
  if (value) qpsw_entry(w, *value);
  else po_buffer_puts(w->out, "\n");
}

static void qpsw_bounds(const qpsw *w) {
  int j;
  po_buffer_puts(w->out, "BOUNDS\n");
  for (j = 0; j < w->p->n; j++) {
    double lo = po_qp_lower(w->p->xl, j), hi = po_qp_upper(w->p->xu, j);
    if (lo == -PO_INF && hi == PO_INF) qpsw_bound(w, "FR", j, NULL);
    else if (lo == hi) qpsw_bound(w, "FX", j, &lo);
    else {
      if (lo == -PO_INF) qpsw_bound(w, "MI", j, NULL);
      else if (lo != 0) qpsw_bound(w, "LO", j, &lo);
      if (hi < PO_INF) qpsw_bound(w, "UP", j, &hi);
    }
  }
}

po_status po_qps_write(po_buffer *out, const po_qp *p, const char *name) {
  qpsw w;
  po_status status;
  int i, j;
  if (!out || !p) return PO_ERR_NULL;
  if (p->n < 1 || p->me < 0 || p->mi < 0) return PO_ERR_SIZE;
  if ((p->me && (!p->A.a || !p->b)) || (p->mi && (!p->C.a || !p->cl || !p->cu))) return PO_ERR_NULL;
  w.out = out;
  w.p = p;
  if ((status = qpsw_usable(&w.row_names, p->row_names, p->me + p->mi, "OBJ")) != PO_OK) return status;
  if ((status = qpsw_usable(&w.var_names, p->var_names, p->n, NULL)) != PO_OK) return status;
  po_buffer_printf(out, "NAME %s\nROWS\n N OBJ\n", name ? name : "");
  for (i = 0; i < p->me + p->mi; i++) {
    po_buffer_printf(out, " %c ", i < p->me ? 'E' : qpsw_kind_of(p, i - p->me).type);
    qpsw_row(&w, i);
    po_buffer_puts(out, "\n");
  }
  qpsw_columns(&w);
  qpsw_rhs(&w);
  qpsw_bounds(&w);
  if (p->H.a) {
    po_buffer_puts(out, "QUADOBJ\n");
    for (i = 0; i < p->n; i++)
      for (j = 0; j <= i; j++)
        if (PO_AT(p->H, i, j) != 0) {
          po_buffer_puts(out, " ");
          qpsw_var(&w, i);
          po_buffer_puts(out, " ");
          qpsw_var(&w, j);
          qpsw_entry(&w, PO_AT(p->H, i, j));
        }
  }
  po_buffer_puts(out, "ENDATA\n");
  return out->failed ? PO_ERR_MEMORY : PO_OK;
}
