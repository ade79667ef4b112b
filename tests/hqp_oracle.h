/* hqp_oracle.h: the whole-body problems with known violations per level, read from the folder ORACLE names (default
 * ../shared/oracle). */
#ifndef HQP_ORACLE_H
#define HQP_ORACLE_H

#include "qp/qp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HO_MAX 64

typedef struct ho_set {
  po_hqp_file *file;
  double want[HO_MAX][PO_HQP_MAX_LEVELS];
} ho_set;

/* 0 when the files are not there. name: "cold" or "warm". */
static int ho_read(ho_set *set, const char *name) {
  const char *root = getenv("ORACLE") ? getenv("ORACLE") : "../shared/oracle";
  char path[512], *text = NULL;
  const char *at, *end;
  size_t size = 0;
  int i = 0, k;
  po_error err;
  memset(set, 0, sizeof *set);
  po_format(path, sizeof path, "%s/qp/wbc/%s.hqp", root, name);
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return 0;
  if (po_hqp_read(&set->file, text, size, path, &err) != PO_OK) printf("%s:%d: %s\n", path, err.line, err.message);
  po_free(text);
  text = NULL;
  po_format(path, sizeof path, "%s/qp/wbc/%s.csv", root, name);
  if (!set->file || set->file->count > HO_MAX || po_read_file(&text, &size, path, 0, &err) != PO_OK) return 0;
  at = strchr(text, '\n');
  end = text + size;
  for (; at && i < set->file->count; at = strchr(at, '\n'), i++) { /* one line a problem, in the order of the file */
    at = strchr(at, ',');
    for (k = 0; at && *at == ',' && k < PO_HQP_MAX_LEVELS; k++) po_parse_double(&set->want[i][k], &at, at + 1, end);
  }
  po_free(text);
  return i == set->file->count;
}

#endif
