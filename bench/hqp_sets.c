/* hqp_sets.c: sequences of prioritized problems: .hqp files, recorded from our own controllers or named by the user, and a made-up one for
 * where there are no files. */
#include "hqp_sets.h"
#include "judge.h"

#include <string.h>

enum { HQPB_TICKS = 16, HQPB_N = 67, HQPB_LEVELS = 4, HQPB_ROWS = 138 };

const char *const po_hqp_set_names[] = {"balance_reduced.hqp", "balance_full.hqp", "jump_reduced.hqp", "jump_full.hqp",
                                        "walk_reduced.hqp",    "walk_full.hqp",    "flip_reduced.hqp", "flip_full.hqp",
                                        "cartwheel_reduced.hqp", "cartwheel_full.hqp", NULL};

/* ---- our own ticks ---------------------------------------------------------------------------------------------------------- */

typedef struct hqpb_ticks {
  double a[HQPB_TICKS][HQPB_ROWS * HQPB_N], lower[HQPB_TICKS][HQPB_ROWS], upper[HQPB_TICKS][HQPB_ROWS];
  po_hqp_level level[HQPB_TICKS][HQPB_LEVELS];
  po_hqp problem[HQPB_TICKS];
} hqpb_ticks;

/* A body of 35 accelerations on eight contact points, each a cone of four edges: equations of motion of the base and torques in between
 * limits (hard), contact rows that repeat each other, then tasks. Everything drifts by a thousandth from tick to tick. */
static void hqpb_tick(hqpb_ticks *t, int k) {
  enum { D = 35, E = 32 };
  static const int rows[HQPB_LEVELS] = {67, 24, 15, 32};
  static const char *const names[HQPB_LEVELS] = {"dynamics", "contact", "hands", "pose"};
  double *a = t->a[k], *l = t->lower[k], *u = t->upper[k], jacobian[12][D], edges[12][E];
  po_rng base, drift;
  int i, j, c, at = 0;
  po_rng_init(&base, 5, 1);
  po_rng_init(&drift, 5, (uint64_t)k + 2);
#define HQPB_NUMBER(size) ((size) * (po_rng_normal(&base) + 1e-3 * k * po_rng_normal(&drift)))
  for (i = 0; i < 12; i++) {
    for (j = 0; j < D; j++) jacobian[i][j] = HQPB_NUMBER(0.5);
    for (c = 0; c < E; c++) edges[i][c] = (c / 4) % 2 == i / 6 ? HQPB_NUMBER(0.5) + (i % 6 == 5) : 0; /* the last pushes up */
  }
  for (i = 0; i < D; i++) { /* [M  −J'V]: the base has no motors */
    double *row = a + i * HQPB_N;
    for (j = 0; j < D; j++) row[j] = HQPB_NUMBER(0.05) + (i == j ? 1 + 5.0 * (i < 6) : 0);
    for (c = 0; c < E; c++)
      for (row[D + c] = 0, j = 0; j < 12; j++) row[D + c] -= jacobian[j][i] * edges[j][c];
    l[i] = HQPB_NUMBER(1) - (i < 6 ? 0 : 8);
    u[i] = i < 6 ? l[i] : l[i] + 16;
  }
  for (i = 0; i < E; i++) {
    memset(a + (D + i) * HQPB_N, 0, sizeof(double) * HQPB_N);
    a[(D + i) * HQPB_N + D + i] = 1;
    l[D + i] = 0;
    u[D + i] = PO_INF;
  }
  for (i = 67; i < HQPB_ROWS; i++) {
    double *row = a + i * HQPB_N;
    memset(row, 0, sizeof(double) * HQPB_N);
    for (j = 0; j < D; j++) row[j] = i < 91 ? jacobian[(i - 67) / 2][j] : i < 106 ? HQPB_NUMBER(0.5) : j == i - 106 ? 1 : i > 134 ? HQPB_NUMBER(0.5) : 0;
    l[i] = u[i] = i < 91 ? 0 : HQPB_NUMBER(2);
  }
#undef HQPB_NUMBER
  for (i = 0; i < HQPB_LEVELS; at += rows[i++]) {
    po_hqp_level *level = &t->level[k][i];
    level->name = names[i];
    level->rows = rows[i];
    level->A = po_mat_of(a + at * HQPB_N, rows[i], HQPB_N, HQPB_N);
    level->lower = l + at;
    level->upper = u + at;
    level->hard = i == 0;
  }
  t->problem[k].name = "tick";
  t->problem[k].n = HQPB_N;
  t->problem[k].level_count = HQPB_LEVELS;
  t->problem[k].levels = t->level[k];
}

/* ---- sets --------------------------------------------------------------------------------------------------------------------- */

/* Sizes of the largest problem, and the reference levels of all (judge.h): no method's own word for it. */
static po_status hqpb_prepare(po_hqp_set *set) {
  po_status status;
  int i, k, certified, feasible;
  for (i = 0; i < set->count; i++) {
    int rows = 0;
    for (k = 0; k < set->problems[i].level_count; k++) rows += set->problems[i].levels[k].rows;
    if (rows > set->rows) set->rows = rows;
    if (set->problems[i].n > set->n) set->n = set->problems[i].n;
    if (set->problems[i].level_count > set->levels) set->levels = set->problems[i].level_count;
  }
  set->exact = (double *)po_alloc(sizeof(double) * PO_HQP_MAX_LEVELS * (size_t)set->count);
  status = set->exact ? PO_OK : PO_ERR_MEMORY;
  for (i = 0; i < set->count && status == PO_OK; i++) {
    status = po_hqp_reference(set->exact + i * PO_HQP_MAX_LEVELS, &certified, &feasible, &set->problems[i]);
    set->certified += certified;
  }
  return status;
}

static void hqpb_name(po_hqp_set *set, const char *path) {
  const char *base = strrchr(path, '/');
  size_t n;
  po_format(set->name, sizeof set->name, "%s", base ? base + 1 : path);
  n = strlen(set->name);
  if (n > 4 && !strcmp(set->name + n - 4, ".hqp")) set->name[n - 4] = '\0';
  if (strstr(set->name, "_full")) po_format(set->formulation, sizeof set->formulation, "full");
  if (strstr(set->name, "_reduced")) po_format(set->formulation, sizeof set->formulation, "reduced");
}

po_status po_hqp_set_read(po_hqp_set *set, const char *path, po_error *err) {
  char *text = NULL;
  size_t size = 0;
  po_status status;
  memset(set, 0, sizeof *set);
  status = po_read_file(&text, &size, path, 0, err);
  if (status == PO_OK) status = po_hqp_read(&set->file, text, size, path, err);
  po_free(text);
  if (status != PO_OK) return status;
  hqpb_name(set, path);
  set->problems = set->file->problems;
  set->count = set->file->count;
  if (!set->count) return po_fail_at(err, PO_ERR_PARSE, path, 0, 0, "there is no problem in it");
  status = hqpb_prepare(set);
  return status == PO_OK ? status : po_fail_at(err, status, path, 0, 0, "%s", po_status_string(status));
}

po_status po_hqp_set_make(po_hqp_set *set, po_error *err) {
  hqpb_ticks *t = (hqpb_ticks *)po_alloc(sizeof *t);
  po_status status;
  int i;
  memset(set, 0, sizeof *set);
  if (!t) return po_fail(err, PO_ERR_MEMORY, "bench hqp: out of memory");
  set->memory = t;
  hqpb_name(set, "ticks");
  po_format(set->formulation, sizeof set->formulation, "reduced");
  for (i = 0; i < HQPB_TICKS; i++) hqpb_tick(t, i);
  set->problems = t->problem;
  set->count = HQPB_TICKS;
  status = hqpb_prepare(set);
  return status == PO_OK ? status : po_fail(err, status, "bench hqp: %s", po_status_string(status));
}

void po_hqp_set_free(po_hqp_set *set) {
  po_free(set->exact);
  po_free(set->memory);
  if (set->file) po_hqp_file_free(set->file);
  memset(set, 0, sizeof *set);
}
