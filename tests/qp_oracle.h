/* qp_oracle.h: the QPS problems with known answers, read from the folder ORACLE names (default ../shared/oracle). */
#ifndef QP_ORACLE_H
#define QP_ORACLE_H

#include "qp/qp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QO_MAX 64
typedef struct qo_set {
  int count;
  struct { char name[32], status[16]; double objective; po_qp_file *file; } problem[QO_MAX];
} qo_set;

static inline po_qp_file *qo_read(const char *path) {
  char *text = NULL;
  size_t size = 0;
  po_qp_file *file = NULL;
  po_error err;
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return NULL;
  if (po_qps_read(&file, text, size, path, &err) != PO_OK) printf("%s:%d: %s\n", path, err.line, err.message);
  po_free(text);
  return file;
}

/* The problems that DIR/TABLE lists (name, …, objective; a column called status when there is one). Returns how many were found. */
static inline int qo_load(qo_set *set, const char *dir, const char *table) {
  const char *root = getenv("ORACLE") ? getenv("ORACLE") : "../shared/oracle", *line;
  char path[512], *text = NULL;
  size_t size = 0;
  int status_column = -1, objective_column = -1, column, first = 1;
  memset(set, 0, sizeof *set);
  po_format(path, sizeof path, "%s/qp/%s/%s", root, dir, table);
  if (po_read_file(&text, &size, path, 0, NULL) != PO_OK) return 0;
  for (line = text; *line && set->count < QO_MAX; first = 0) {
    const char *end = strchr(line, '\n'), *cell = line;
    if (!end) end = text + size;
    memset(&set->problem[set->count], 0, sizeof set->problem[0]);
    memcpy(set->problem[set->count].status, "optimal", 8);
    set->problem[set->count].objective = PO_NAN;
    for (column = 0; cell <= end; column++) {
      const char *stop = cell;
      int length;
      while (stop < end && *stop != ',') stop++;
      length = (int)(stop - cell);
      if (first && length == 6 && !memcmp(cell, "status", 6)) status_column = column;
      if (first && length == 9 && !memcmp(cell, "objective", 9)) objective_column = column;
      if (column == 0) po_format(set->problem[set->count].name, 32, "%.*s", length, cell);
      if (!first && column == status_column) po_format(set->problem[set->count].status, 16, "%.*s", length, cell);
      if (!first && column == objective_column && length) po_parse_double(&set->problem[set->count].objective, NULL, cell, stop);
      cell = stop + 1;
    }
    line = *end ? end + 1 : end;
    if (first) continue;
    po_format(path, sizeof path, "%s/qp/%s/%s.qps", root, dir, set->problem[set->count].name);
    set->problem[set->count].file = qo_read(path);
    if (set->problem[set->count].file) set->count++;
  }
  po_free(text);
  return set->count;
}

static inline void qo_free(qo_set *set) {
  while (set->count > 0) po_qp_file_free(set->problem[--set->count].file);
}

#endif
