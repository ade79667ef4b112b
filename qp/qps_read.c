/* qps_read.c: QPS text (MPS with a quadratic objective) to a dense po_qp.
 *
 * Free files are words separated by blanks; fixed files have columns, and names with blanks in them. A file does not say which it
 * is: it is read as free, and when that fails as fixed; when both fail, the reading that got further tells the error.
 * What the format leaves open is decided as most readers do: the first RHS, RANGES and BOUNDS set counts and others are ignored;
 * N rows after the first are ignored; an UP bound below zero frees a lower bound that was never given; integer variables
 * (BV, LI, UI, MARKER lines) are read as continuous ones.
 */
#include "qp_internal.h"
#include "qps_text.h"

#include <string.h>

typedef enum qpsr_section {
  QPSR_NONE, QPSR_NAME, QPSR_ROWS, QPSR_COLUMNS, QPSR_RHS, QPSR_RANGES, QPSR_BOUNDS, QPSR_QUADOBJ, QPSR_QMATRIX, QPSR_OBJSENSE, QPSR_END
} qpsr_section;

static void *qpsr_push(po_qps_list *list, size_t size) {
  if (list->count == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 64;
    char *at = capacity > 0x3fffffff ? NULL : (char *)po_alloc(size * (size_t)capacity);
    if (!at) return NULL;
    if (list->count) memcpy(at, list->at, size * (size_t)list->count);
    po_free(list->at);
    list->at = at;
    list->capacity = capacity;
  }
  return (char *)list->at + size * (size_t)list->count++;
}

static po_status qpsr_memory(po_qps_reader *r) { return PO_QPS_FAIL(r, PO_ERR_MEMORY, "out of memory"); }

static po_status qpsr_number(po_qps_reader *r, double *value, po_qps_span s, const char *what) {
  char text[64];
  const char *end = NULL;
  int i;
  if (s.length == 0) return PO_QPS_FAIL(r, PO_ERR_PARSE, "%s: a number is missing", what);
  if (s.length >= (int)sizeof text) return PO_QPS_FAIL(r, PO_ERR_PARSE, "%s: '%.20s...' is not a number", what, s.at);
  for (i = 0; i < s.length; i++) text[i] = (s.at[i] == 'D' || s.at[i] == 'd') ? 'e' : s.at[i]; /* Fortran's 1.5D+02 */
  if (po_parse_double(value, &end, text, text + s.length) != PO_OK || end != text + s.length || *value != *value)
    return PO_QPS_FAIL(r, PO_ERR_PARSE, "%s: '%.*s' is not a number", what, s.length, s.at);
  return PO_OK;
}

static po_status qpsr_finite(po_qps_reader *r, double *value, po_qps_span s, const char *what) {
  po_status status = qpsr_number(r, value, s, what);
  if (status == PO_OK && !po_isfinite(*value)) status = PO_QPS_FAIL(r, PO_ERR_NOT_FINITE, "%s: the number must be finite", what);
  return status;
}

/* ---- one line of each section ------------------------------------------------------------------------------------------- */

static po_status qpsr_rows(po_qps_reader *r, const po_qps_line *l) {
  int index;
  char type;
  po_qps_row *row;
  if (l->field[0].length == 0 || l->field[1].length == 0 || (!r->fixed && l->count != 2))
    return PO_QPS_FAIL(r, PO_ERR_PARSE, "ROWS: expected a type (N, E, L or G) and a name");
  type = l->field[0].at[0];
  if (type >= 'a' && type <= 'z') type = (char)(type - 'a' + 'A');
  if (l->field[0].length != 1 || !strchr("NELG", type))
    return PO_QPS_FAIL(r, PO_ERR_PARSE, "ROWS: unknown type '%.*s' (N, E, L or G)", l->field[0].length, l->field[0].at);
  index = po_qps_add(&r->rows, l->field[1]);
  if (index == -1) return PO_QPS_FAIL(r, PO_ERR_NAME, "ROWS: '%.*s' is declared twice", l->field[1].length, l->field[1].at);
  row = index < 0 ? NULL : (po_qps_row *)qpsr_push(&r->row, sizeof *row);
  if (!row) return qpsr_memory(r);
  memset(row, 0, sizeof *row);
  row->type = type;
  if (type == 'N' && r->objective < 0) r->objective = index;
  return PO_OK;
}

/* Cuts a line of COLUMNS, RHS or RANGES into its leading name and one or two (name, number) pairs; the leading name of RHS and
 * RANGES may be left out. */
static po_status qpsr_pairs(po_qps_reader *r, const po_qps_line *l, const char *what, po_qps_span *lead, po_qps_span pair[4], int *pairs,
                            int lead_optional) {
  int i, start = 1, fields;
  if (r->fixed) {
    *lead = l->field[1];
    for (i = 0; i < 4; i++) pair[i] = l->field[2 + i];
    *pairs = pair[2].length ? 2 : 1;
    if ((!lead_optional && !lead->length) || !pair[0].length)
      return PO_QPS_FAIL(r, PO_ERR_PARSE, "%s: a name is missing (read as fixed columns)", what);
    return PO_OK;
  }
  if (lead_optional && (l->count == 2 || l->count == 4)) start = 0;
  fields = l->count - start;
  if (fields != 2 && fields != 4)
    return PO_QPS_FAIL(r, PO_ERR_PARSE, "%s: expected %s and one or two pairs of a row and a number", what,
                     lead_optional ? "a set name" : "a column name");
  lead->at = l->field[0].at;
  lead->length = start ? l->field[0].length : 0;
  for (i = 0; i < fields; i++) pair[i] = l->field[start + i];
  *pairs = fields / 2;
  return PO_OK;
}

static po_status qpsr_find_row(po_qps_reader *r, int *index, po_qps_span name, const char *what) {
  *index = po_qps_find(&r->rows, name);
  if (*index < 0) return PO_QPS_FAIL(r, PO_ERR_NAME, "%s: unknown row '%.*s'", what, name.length, name.at);
  return PO_OK;
}

static po_status qpsr_find_col(po_qps_reader *r, int *index, po_qps_span name, const char *what) {
  *index = po_qps_find(&r->cols, name);
  if (*index < 0) return PO_QPS_FAIL(r, PO_ERR_NAME, "%s: unknown column '%.*s'", what, name.length, name.at);
  return PO_OK;
}

static po_status qpsr_columns(po_qps_reader *r, const po_qps_line *l) {
  po_qps_span lead, pair[4];
  int pairs, k;
  po_status status;
  if ((r->fixed && po_qps_is(l->field[2], "'MARKER'")) || (!r->fixed && l->count >= 2 && po_qps_is(l->field[1], "'MARKER'"))) return PO_OK;
  status = qpsr_pairs(r, l, "COLUMNS", &lead, pair, &pairs, 0);
  if (status != PO_OK) return status;
  k = po_qps_find(&r->cols, lead);
  if (k < 0) {
    po_qps_col *col;
    k = po_qps_add(&r->cols, lead);
    col = k < 0 ? NULL : (po_qps_col *)qpsr_push(&r->col, sizeof *col);
    if (!col) return qpsr_memory(r);
    col->lower = 0;
    col->upper = PO_INF;
    col->lower_given = 0;
  } else if (k != r->column) {
    return PO_QPS_FAIL(r, PO_ERR_NAME, "COLUMNS: '%.*s' appears again after other columns", lead.length, lead.at);
  }
  r->column = k;
  for (k = 0; k < pairs; k++) {
    po_qps_entry *e;
    int row;
    double value;
    if ((status = qpsr_find_row(r, &row, pair[2 * k], "COLUMNS")) != PO_OK) return status;
    if ((status = qpsr_finite(r, &value, pair[2 * k + 1], "COLUMNS")) != PO_OK) return status;
    e = (po_qps_entry *)qpsr_push(&r->entries, sizeof *e);
    if (!e) return qpsr_memory(r);
    e->i = row; e->j = r->column; e->line = r->line; e->value = value;
  }
  return PO_OK;
}

/* 1 when the line belongs to a set other than the first. */
static int qpsr_other_set(po_qps_reader *r, int which, po_qps_span name) {
  if (!r->set_given[which]) {
    r->set_given[which] = 1;
    r->set[which] = name;
  }
  return name.length != r->set[which].length || memcmp(name.at, r->set[which].at, (size_t)name.length) != 0;
}

static po_status qpsr_rhs(po_qps_reader *r, const po_qps_line *l, int ranges) {
  const char *what = ranges ? "RANGES" : "RHS";
  po_qps_span lead, pair[4];
  int pairs, k;
  po_status status = qpsr_pairs(r, l, what, &lead, pair, &pairs, 1);
  if (status != PO_OK) return status;
  if (qpsr_other_set(r, ranges, lead)) return PO_OK;
  for (k = 0; k < pairs; k++) {
    int row;
    double value;
    po_qps_row *at;
    if ((status = qpsr_find_row(r, &row, pair[2 * k], what)) != PO_OK) return status;
    if ((status = qpsr_finite(r, &value, pair[2 * k + 1], what)) != PO_OK) return status;
    at = (po_qps_row *)r->row.at + row;
    if (at->type == 'N') {
      if (!ranges && row == r->objective) r->constant = -value;
    } else if (ranges) {
      at->range = value;
      at->has_range = 1;
    } else {
      at->rhs = value;
    }
  }
  return PO_OK;
}

static po_status qpsr_bound_fields(po_qps_reader *r, const po_qps_line *l, po_qps_span *set, po_qps_span *col, po_qps_span *value) {
  if (r->fixed) {
    *set = l->field[1]; *col = l->field[2]; *value = l->field[3];
    return PO_OK;
  }
  if (l->count < 2 || l->count > 4) return PO_QPS_FAIL(r, PO_ERR_PARSE, "BOUNDS: expected a kind, a set name, a column and a number");
  memset(set, 0, sizeof *set);
  memset(value, 0, sizeof *value);
  set->at = l->field[0].at;
  if (l->count == 4) {
    *set = l->field[1]; *col = l->field[2]; *value = l->field[3];
  } else if (l->count == 3 && po_qps_find(&r->cols, l->field[2]) < 0) { /* no set name: kind column number */
    *col = l->field[1]; *value = l->field[2];
  } else if (l->count == 3) {
    *set = l->field[1]; *col = l->field[2];
  } else {
    *col = l->field[1];
  }
  return PO_OK;
}

static po_status qpsr_bounds(po_qps_reader *r, const po_qps_line *l) {
  static const char *const kinds[] = {"FR", "MI", "PL", "BV", "LO", "UP", "FX", "LI", "UI"};
  po_qps_span set, name, number;
  int kind = 0, index;
  double v = 0;
  po_qps_col *col;
  po_status status = qpsr_bound_fields(r, l, &set, &name, &number);
  if (status != PO_OK) return status;
  while (kind < 9 && !po_qps_is(l->field[0], kinds[kind])) kind++;
  if (kind == 9) {
    if (po_qps_is(l->field[0], "SC")) return PO_QPS_FAIL(r, PO_ERR_UNSUPPORTED, "BOUNDS: semi-continuous variables (SC) are not offered");
    return PO_QPS_FAIL(r, PO_ERR_PARSE, "BOUNDS: unknown kind '%.*s' (LO UP FX FR MI PL BV LI UI)", l->field[0].length,
                     l->field[0].length ? l->field[0].at : "");
  }
  if (qpsr_other_set(r, 2, set)) return PO_OK;
  if ((status = qpsr_find_col(r, &index, name, "BOUNDS")) != PO_OK) return status;
  if (kind >= 4 && (status = qpsr_number(r, &v, number, "BOUNDS")) != PO_OK) return status;
  col = (po_qps_col *)r->col.at + index;
  switch (kind) {
  case 0: col->lower = -PO_INF; col->upper = PO_INF; break;
  case 1: col->lower = -PO_INF; col->lower_given = 1; break;
  case 2: col->upper = PO_INF; break;
  case 3: col->lower = 0; col->upper = 1; col->lower_given = 1; break;
  case 4: case 7: col->lower = v; col->lower_given = 1; break;
  case 5: case 8:
    col->upper = v;
    if (v < 0 && !col->lower_given) col->lower = -PO_INF;
    break;
  default:
    if (!po_isfinite(v)) return PO_QPS_FAIL(r, PO_ERR_NOT_FINITE, "BOUNDS: the number must be finite");
    col->lower = col->upper = v;
    col->lower_given = 1;
  }
  return PO_OK;
}

static po_status qpsr_quadratic(po_qps_reader *r, const po_qps_line *l) {
  const char *what = r->qmatrix ? "QMATRIX" : "QUADOBJ";
  int i, k, pairs;
  po_qps_span lead, pair[4];
  po_status status = qpsr_pairs(r, l, what, &lead, pair, &pairs, 0);
  if (status != PO_OK) return status;
  if ((status = qpsr_find_col(r, &i, lead, what)) != PO_OK) return status;
  for (k = 0; k < pairs; k++) {
    int j;
    double value;
    po_qps_entry *e;
    if ((status = qpsr_find_col(r, &j, pair[2 * k], what)) != PO_OK) return status;
    if ((status = qpsr_finite(r, &value, pair[2 * k + 1], what)) != PO_OK) return status;
    e = (po_qps_entry *)qpsr_push(&r->quad, sizeof *e);
    if (!e) return qpsr_memory(r);
    e->i = i; e->j = j; e->line = r->line; e->value = value;
  }
  return PO_OK;
}

static po_status qpsr_sense(po_qps_reader *r, po_qps_span word) {
  if (po_qps_is(word, "MAX") || po_qps_is(word, "MAXIMIZE") || po_qps_is(word, "MAXIMISE")) r->maximize = 1;
  else if (po_qps_is(word, "MIN") || po_qps_is(word, "MINIMIZE") || po_qps_is(word, "MINIMISE")) r->maximize = 0;
  else return PO_QPS_FAIL(r, PO_ERR_PARSE, "OBJSENSE: expected MIN or MAX, not '%.*s'", word.length, word.at);
  return PO_OK;
}

/* ---- the file ----------------------------------------------------------------------------------------------------------- */

static po_status qpsr_header(po_qps_reader *r, const po_qps_line *l, qpsr_section *section) {
  static const struct { const char *word; qpsr_section section; } known[] = {
      {"NAME", QPSR_NAME}, {"ROWS", QPSR_ROWS}, {"COLUMNS", QPSR_COLUMNS}, {"RHS", QPSR_RHS}, {"RANGES", QPSR_RANGES}, {"BOUNDS", QPSR_BOUNDS},
      {"QUADOBJ", QPSR_QUADOBJ}, {"QSECTION", QPSR_QUADOBJ}, {"QMATRIX", QPSR_QMATRIX}, {"OBJSENSE", QPSR_OBJSENSE}, {"ENDATA", QPSR_END}};
  int k;
  for (k = 0; k < (int)(sizeof known / sizeof *known); k++)
    if (po_qps_is(l->field[0], known[k].word)) break;
  if (k == (int)(sizeof known / sizeof *known))
    return PO_QPS_FAIL(r, PO_ERR_PARSE, "unknown section '%.*s'", l->field[0].length < 40 ? l->field[0].length : 40, l->field[0].at);
  *section = known[k].section;
  if (*section == QPSR_NAME && l->count > 1) {
    int last = l->count <= PO_QPS_FIELDS ? l->count - 1 : PO_QPS_FIELDS - 1;
    int length = (int)(l->field[last].at + l->field[last].length - l->field[1].at);
    if (length > (int)sizeof r->name - 1) length = (int)sizeof r->name - 1;
    memcpy(r->name, l->field[1].at, (size_t)length);
    r->name[length] = 0;
  }
  if (*section == QPSR_QUADOBJ || *section == QPSR_QMATRIX) {
    if (r->quad.count) return PO_QPS_FAIL(r, PO_ERR_PARSE, "the quadratic part is given twice");
    r->qmatrix = *section == QPSR_QMATRIX;
  }
  if (*section == QPSR_OBJSENSE && l->count > 1) return qpsr_sense(r, l->field[1]);
  return PO_OK;
}

static po_status qpsr_lines(po_qps_reader *r, const char *text, size_t size) {
  po_qps_cursor cursor;
  po_qps_line line;
  qpsr_section section = QPSR_NONE;
  cursor.at = text; cursor.end = text + size; cursor.line = 0; cursor.fixed = r->fixed;
  while (po_qps_next_line(&line, &cursor)) {
    po_status status;
    r->line = line.number;
    if (line.header) {
      status = qpsr_header(r, &line, &section);
    } else {
      switch (section) {
      case QPSR_ROWS: status = qpsr_rows(r, &line); break;
      case QPSR_COLUMNS: status = qpsr_columns(r, &line); break;
      case QPSR_RHS: status = qpsr_rhs(r, &line, 0); break;
      case QPSR_RANGES: status = qpsr_rhs(r, &line, 1); break;
      case QPSR_BOUNDS: status = qpsr_bounds(r, &line); break;
      case QPSR_QUADOBJ: case QPSR_QMATRIX: status = qpsr_quadratic(r, &line); break;
      case QPSR_OBJSENSE: status = qpsr_sense(r, line.all); break;
      default: status = PO_QPS_FAIL(r, PO_ERR_PARSE, "text before the first section"); break;
      }
    }
    if (status != PO_OK) return status;
    if (section == QPSR_END) return PO_OK;
  }
  r->line = cursor.line;
  return PO_QPS_FAIL(r, PO_ERR_PARSE, "the file ends without ENDATA");
}

static po_status qpsr_attempt(po_qp_file **file, const char *text, size_t size, const char *path, po_error *err, int fixed, int *reached) {
  po_qps_reader r;
  po_status status;
  memset(&r, 0, sizeof r);
  r.path = path ? path : "";
  r.err = err;
  r.fixed = fixed;
  r.objective = r.column = -1;
  status = qpsr_lines(&r, text, size);
  *reached = status == PO_OK ? 0x7fffffff : r.line;
  if (status == PO_OK) status = po_qps_build(&r, file);
  po_qps_names_free(&r.rows);
  po_qps_names_free(&r.cols);
  po_free(r.row.at);
  po_free(r.col.at);
  po_free(r.entries.at);
  po_free(r.quad.at);
  return status;
}

po_status po_qps_read(po_qp_file **file, const char *text, size_t size, const char *path, po_error *err) {
  po_error first, second;
  po_status status;
  int free_reached, fixed_reached;
  if (!file || (!text && size)) return po_fail(err, PO_ERR_NULL, "po_qps_read: a required pointer is NULL");
  memset(&first, 0, sizeof first);
  memset(&second, 0, sizeof second);
  status = qpsr_attempt(file, text, size, path, &first, 0, &free_reached);
  if (status == PO_OK || status == PO_ERR_MEMORY) {
    if (status != PO_OK && err) *err = first;
    return status;
  }
  if (qpsr_attempt(file, text, size, path, &second, 1, &fixed_reached) == PO_OK) return PO_OK;
  if (fixed_reached > free_reached) first = second;
  if (err) *err = first;
  return first.status;
}

void po_qp_file_free(po_qp_file *file) {
  if (file) po_free(file->memory);
}
