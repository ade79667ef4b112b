/* param.c: parameters by name, each with a default, a range, a unit and a meaning. */
#include "ctrl.h"
#include <string.h>

static double *param_member(void *params, const po_param *p) { return (double *)(void *)((char *)params + p->offset); }

const po_param *po_param_find(const po_param *table, int count, const char *name) {
  int i;
  for (i = 0; i < count; i++)
    if (name && !strcmp(table[i].name, name)) return &table[i];
  return NULL;
}

void po_param_defaults(void *params, const po_param *table, int count) {
  int i;
  for (i = 0; i < count; i++) *param_member(params, &table[i]) = table[i].fallback;
}

po_status po_param_set(void *params, const po_param *table, int count, const char *name, double value, po_error *err) {
  const po_param *p = po_param_find(table, count, name);
  if (!p) {
    const char *names[64];
    const char *near;
    int i, n = count < 64 ? count : 64;
    for (i = 0; i < n; i++) names[i] = table[i].name;
    near = po_nearest(name ? name : "", names, n);
    if (near) return po_fail(err, PO_ERR_NAME, "no parameter '%s': did you mean '%s'?", name, near);
    return po_fail(err, PO_ERR_NAME, "no parameter '%s'", name ? name : "");
  }
  if (!(value >= p->lower && value <= p->upper))
    return po_fail(err, PO_ERR_RANGE, "%s = %g is outside %g ... %g %s", name, value, p->lower, p->upper, p->unit);
  *param_member(params, p) = value;
  return PO_OK;
}
