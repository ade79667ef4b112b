/* hqp_file.c: prioritized problems as text.
 *
 *   hqp 1                       # version
 *   problem NAME variables N    # any number of problems, in time order
 *   level NAME [hard] rows M    # levels in priority order
 *   LOWER UPPER A_1 ... A_N     # one row a line
 *   end
 *
 * Read twice: the first pass reads the headers alone and adds up what is needed, the second fills one block of memory. A number
 * takes at least two characters of text, so no file can ask for more memory than a few times its own size.
 */
#include "qp.h"

#include <string.h>

typedef struct hqpf_word {
  const char *at;
  int length;
} hqpf_word;

typedef struct hqpf_cursor {
  const char *at, *end;   /* what is left of the text */
  const char *line, *stop; /* the line, without its comment */
  const char *path;
  int number;             /* of the line, 1-based */
  po_error *err;
} hqpf_cursor;

typedef struct hqpf_totals {
  size_t problems, levels, numbers, names;
} hqpf_totals;

typedef struct hqpf_target { /* second pass: where the next things go */
  po_hqp *problem;
  po_hqp_level *level;
  double *number;
  char *name;
} hqpf_target;

/* ---- lines and words ------------------------------------------------------------------------------------------------------ */

static int hqpf_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static hqpf_word hqpf_next_word(const char **at, const char *stop) {
  hqpf_word w;
  while (*at < stop && hqpf_blank(**at)) ++*at;
  w.at = *at;
  while (*at < stop && !hqpf_blank(**at)) ++*at;
  w.length = (int)(*at - w.at);
  return w;
}

static int hqpf_is(hqpf_word w, const char *text) {
  return w.length == (int)strlen(text) && memcmp(w.at, text, (size_t)w.length) == 0;
}

/* The next line with something on it; 0 at the end of the text. */
static int hqpf_next_line(hqpf_cursor *c) {
  while (c->at < c->end) {
    const char *eol = (const char *)memchr(c->at, '\n', (size_t)(c->end - c->at)), *comment, *p;
    if (!eol) eol = c->end;
    c->line = c->at;
    c->at = eol < c->end ? eol + 1 : eol;
    c->number++;
    comment = (const char *)memchr(c->line, '#', (size_t)(eol - c->line));
    c->stop = comment ? comment : eol;
    for (p = c->line; p < c->stop; p++)
      if (!hqpf_blank(*p)) return 1;
  }
  c->line = c->stop = c->end;
  return 0;
}

#define HQPF_FAIL(c, status, ...) po_fail_at((c)->err, status, (c)->path, (c)->number, 0, __VA_ARGS__)

static po_status hqpf_count(hqpf_cursor *c, int *value, hqpf_word w, const char *what) {
  const char *end = NULL;
  if (!w.length || po_parse_int(value, &end, w.at, w.at + w.length) != PO_OK || end != w.at + w.length || *value < 0)
    return HQPF_FAIL(c, PO_ERR_PARSE, "'%.*s' is not a number of %s", w.length, w.at, what);
  return PO_OK;
}

/* ---- headers --------------------------------------------------------------------------------------------------------------- */

typedef struct hqpf_problem_line { hqpf_word name; int n; } hqpf_problem_line;
typedef struct hqpf_level_line { hqpf_word name; int hard, rows; } hqpf_level_line;

static po_status hqpf_version(hqpf_cursor *c) {
  const char *at;
  hqpf_word w;
  if (!hqpf_next_line(c)) return HQPF_FAIL(c, PO_ERR_PARSE, "empty: an hqp file starts with 'hqp 1'");
  at = c->line;
  w = hqpf_next_word(&at, c->stop);
  if (!hqpf_is(w, "hqp")) return HQPF_FAIL(c, PO_ERR_PARSE, "an hqp file starts with 'hqp 1', not with '%.*s'", w.length > 40 ? 40 : w.length, w.at);
  w = hqpf_next_word(&at, c->stop);
  if (!hqpf_is(w, "1") || hqpf_next_word(&at, c->stop).length)
    return HQPF_FAIL(c, PO_ERR_UNSUPPORTED, "hqp version '%.*s' is not known; this reads version 1", w.length > 40 ? 40 : w.length, w.at);
  return PO_OK;
}

static po_status hqpf_problem_header(hqpf_cursor *c, hqpf_problem_line *h) {
  const char *at = c->line;
  po_status status;
  hqpf_next_word(&at, c->stop);
  h->name = hqpf_next_word(&at, c->stop);
  if (!h->name.length || !hqpf_is(hqpf_next_word(&at, c->stop), "variables"))
    return HQPF_FAIL(c, PO_ERR_PARSE, "expected 'problem NAME variables N'");
  status = hqpf_count(c, &h->n, hqpf_next_word(&at, c->stop), "variables");
  if (status != PO_OK) return status;
  if (hqpf_next_word(&at, c->stop).length) return HQPF_FAIL(c, PO_ERR_PARSE, "text after 'problem NAME variables N'");
  if (h->n > 1000000) return HQPF_FAIL(c, PO_ERR_SIZE, "%d variables are too many", h->n);
  return PO_OK;
}

static po_status hqpf_level_header(hqpf_cursor *c, hqpf_level_line *h, int index) {
  const char *at = c->line;
  hqpf_word w;
  po_status status;
  hqpf_next_word(&at, c->stop);
  h->name = hqpf_next_word(&at, c->stop);
  w = hqpf_next_word(&at, c->stop);
  h->hard = hqpf_is(w, "hard");
  if (h->hard) w = hqpf_next_word(&at, c->stop);
  if (!h->name.length || !hqpf_is(w, "rows")) return HQPF_FAIL(c, PO_ERR_PARSE, "expected 'level NAME [hard] rows M'");
  status = hqpf_count(c, &h->rows, hqpf_next_word(&at, c->stop), "rows");
  if (status != PO_OK) return status;
  if (hqpf_next_word(&at, c->stop).length) return HQPF_FAIL(c, PO_ERR_PARSE, "text after 'level NAME [hard] rows M'");
  if (h->hard && index > 0) return HQPF_FAIL(c, PO_ERR_PARSE, "only the first level may be hard");
  if (index >= PO_HQP_MAX_LEVELS) return HQPF_FAIL(c, PO_ERR_SIZE, "more than %d levels", PO_HQP_MAX_LEVELS);
  return PO_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------ */

/* LOWER UPPER A_1 … A_N. Bounds may be infinite on their own side, coefficients must be finite, nothing may be NaN. */
static po_status hqpf_row(hqpf_cursor *c, int n, double *lower, double *upper, double *a) {
  const char *at = c->line, *end;
  int i;
  for (i = 0; i < n + 2; i++) {
    hqpf_word w = hqpf_next_word(&at, c->stop);
    double value;
    if (!w.length) return HQPF_FAIL(c, PO_ERR_PARSE, "%d numbers where a row has %d (lower, upper, %d coefficients)", i, n + 2, n);
    if (po_parse_double(&value, &end, w.at, w.at + w.length) != PO_OK || end != w.at + w.length)
      return HQPF_FAIL(c, PO_ERR_PARSE, "'%.*s' is not a number", w.length > 40 ? 40 : w.length, w.at);
    if (value != value || (i >= 2 && !po_isfinite(value)))
      return HQPF_FAIL(c, PO_ERR_NOT_FINITE, "'%.*s' where a finite number is needed", w.length > 40 ? 40 : w.length, w.at);
    *(i == 0 ? lower : i == 1 ? upper : a + (i - 2)) = value;
  }
  if (hqpf_next_word(&at, c->stop).length) return HQPF_FAIL(c, PO_ERR_PARSE, "more than %d numbers in a row", n + 2);
  if (*lower > *upper) return HQPF_FAIL(c, PO_ERR_BOUNDS, "lower bound %g above upper bound %g", *lower, *upper);
  if (*lower == PO_INF || *upper == -PO_INF) return HQPF_FAIL(c, PO_ERR_BOUNDS, "a row bounded by infinity from the wrong side");
  return PO_OK;
}

static const char *hqpf_keep_name(hqpf_target *t, hqpf_word w) {
  char *name = t->name;
  memcpy(name, w.at, (size_t)w.length);
  name[w.length] = 0;
  t->name += w.length + 1;
  return name;
}

/* One level and its rows. With t NULL only the totals are taken and the rows are skipped unread. */
static po_status hqpf_level(hqpf_cursor *c, hqpf_totals *sum, hqpf_target *t, int n, int index) {
  hqpf_level_line h;
  po_hqp_level *level = NULL;
  double *lower = NULL, *upper = NULL, *a = NULL;
  int i;
  po_status status = hqpf_level_header(c, &h, index);
  if (status != PO_OK) return status;
  if ((size_t)h.rows * ((size_t)n + 2) > (size_t)(c->end - c->at))
    return HQPF_FAIL(c, PO_ERR_PARSE, "the file is too short for %d rows of %d numbers", h.rows, n + 2);
  sum->levels++;
  sum->numbers += (size_t)h.rows * ((size_t)n + 2);
  sum->names += (size_t)h.name.length + 1;
  if (t) {
    lower = t->number;
    upper = lower + h.rows;
    a = upper + h.rows;
    t->number = a + (size_t)h.rows * (size_t)n;
    level = t->level++;
    level->name = hqpf_keep_name(t, h.name);
    level->rows = h.rows;
    level->hard = h.hard;
    level->A = po_mat_of(a, h.rows, n, n > 0 ? n : 1);
    level->lower = lower;
    level->upper = upper;
  }
  for (i = 0; i < h.rows; i++) {
    if (!hqpf_next_line(c)) return HQPF_FAIL(c, PO_ERR_PARSE, "the file ends inside a level: %d of %d rows", i, h.rows);
    if (t) status = hqpf_row(c, n, lower + i, upper + i, a + (size_t)i * (size_t)n);
    if (status != PO_OK) return status;
  }
  return PO_OK;
}

static po_status hqpf_problem(hqpf_cursor *c, hqpf_totals *sum, hqpf_target *t) {
  hqpf_problem_line h;
  po_hqp *problem = NULL;
  int index = 0;
  const char *at = c->line;
  hqpf_word w = hqpf_next_word(&at, c->stop);
  po_status status;
  if (!hqpf_is(w, "problem"))
    return HQPF_FAIL(c, PO_ERR_PARSE, "expected 'problem NAME variables N', found '%.*s'", w.length > 40 ? 40 : w.length, w.at);
  status = hqpf_problem_header(c, &h);
  if (status != PO_OK) return status;
  sum->problems++;
  sum->names += (size_t)h.name.length + 1;
  if (t) {
    problem = t->problem++;
    problem->name = hqpf_keep_name(t, h.name);
    problem->n = h.n;
    problem->levels = t->level;
  }
  for (;; index++) {
    if (!hqpf_next_line(c)) return HQPF_FAIL(c, PO_ERR_PARSE, "the file ends inside problem '%.*s': 'end' is missing", h.name.length, h.name.at);
    at = c->line;
    w = hqpf_next_word(&at, c->stop);
    if (hqpf_is(w, "end") && !hqpf_next_word(&at, c->stop).length) break;
    if (!hqpf_is(w, "level"))
      return HQPF_FAIL(c, PO_ERR_PARSE, "expected 'level NAME [hard] rows M' or 'end', found '%.*s'%s", w.length > 40 ? 40 : w.length, w.at,
                       index ? " (more rows than the level announced?)" : "");
    status = hqpf_level(c, sum, t, h.n, index);
    if (status != PO_OK) return status;
  }
  if (problem) problem->level_count = index;
  return PO_OK;
}

static po_status hqpf_pass(const char *text, size_t size, const char *path, po_error *err, hqpf_totals *sum, hqpf_target *t) {
  hqpf_cursor c;
  po_status status;
  memset(&c, 0, sizeof c);
  c.at = text;
  c.end = text + size;
  c.path = path;
  c.err = err;
  status = hqpf_version(&c);
  while (status == PO_OK && hqpf_next_line(&c)) status = hqpf_problem(&c, sum, t);
  return status;
}

po_status po_hqp_read(po_hqp_file **file, const char *text, size_t size, const char *path, po_error *err) {
  hqpf_totals sum, again;
  hqpf_target t;
  po_arena arena;
  po_hqp_file *f = NULL;
  void *memory;
  size_t bytes;
  po_status status;
  int pass;
  if (!file || (!text && size)) return po_fail(err, PO_ERR_NULL, "no file to read into, or no text");
  if (!path) path = "";
  memset(&sum, 0, sizeof sum);
  memset(&again, 0, sizeof again);
  memset(&t, 0, sizeof t);
  status = hqpf_pass(text, size, path, err, &sum, NULL);
  if (status != PO_OK) return status;
  if (sum.problems > 0x7fffffff) return po_fail(err, PO_ERR_SIZE, "too many problems");
  for (pass = 0, memory = NULL; pass < 2; pass++) {
    if (pass == 0) po_arena_measure(&arena);
    else po_arena_init(&arena, memory, bytes);
    f = PO_ARENA_ZARRAY(&arena, po_hqp_file, 1);
    t.problem = PO_ARENA_ZARRAY(&arena, po_hqp, sum.problems);
    t.level = PO_ARENA_ZARRAY(&arena, po_hqp_level, sum.levels);
    t.number = PO_ARENA_ARRAY(&arena, double, sum.numbers);
    t.name = PO_ARENA_ARRAY(&arena, char, sum.names);
    bytes = po_arena_used(&arena);
    if (pass == 0 && (arena.failed || !(memory = po_alloc(bytes)))) return po_fail(err, PO_ERR_MEMORY, "out of memory reading %s", path);
  }
  f->count = (int)sum.problems;
  f->problems = t.problem;
  f->memory = memory;
  status = hqpf_pass(text, size, path, err, &again, &t);
  if (status != PO_OK) {
    po_free(memory);
    return status;
  }
  *file = f;
  return PO_OK;
}

void po_hqp_file_free(po_hqp_file *file) {
  if (file) po_free(file->memory);
}

/* ---- writing --------------------------------------------------------------------------------------------------------------- */

/* A name as one word without '#'. */
static void hqpf_put_name(po_buffer *out, const char *name, const char *fallback) {
  if (!name || !*name) name = fallback;
  for (; *name; name++) {
    char c = hqpf_blank(*name) || *name == '\n' || *name == '#' ? '_' : *name;
    po_buffer_add(out, &c, 1);
  }
}

void po_hqp_write_header(po_buffer *out) { po_buffer_puts(out, "hqp 1\n"); }

void po_hqp_write(po_buffer *out, const po_hqp *problem) {
  int k, i, j;
  po_buffer_puts(out, "problem ");
  hqpf_put_name(out, problem->name, "unnamed");
  po_buffer_printf(out, " variables %d\n", problem->n);
  for (k = 0; k < problem->level_count; k++) {
    const po_hqp_level *level = &problem->levels[k];
    po_buffer_puts(out, "level ");
    hqpf_put_name(out, level->name, "unnamed");
    po_buffer_printf(out, "%s rows %d\n", level->hard ? " hard" : "", level->rows);
    for (i = 0; i < level->rows; i++) {
      po_buffer_double(out, level->lower[i]);
      po_buffer_puts(out, " ");
      po_buffer_double(out, level->upper[i]);
      for (j = 0; j < problem->n; j++) {
        po_buffer_puts(out, " ");
        po_buffer_double(out, PO_AT(level->A, i, j));
      }
      po_buffer_puts(out, "\n");
    }
  }
  po_buffer_puts(out, "end\n");
}
