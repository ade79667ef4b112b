/* param.c: parameters by name, each with a default, a range, a unit and a meaning. */
#include "ctrl.h"
#include <string.h>

static double *param_member(void *params, const po_param *p) { return (double *)(void *)((char *)params + p->offset); }
static double param_value(const void *params, const po_param *p) { return *(const double *)(const void *)((const char *)params + p->offset); }

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

static po_status param_unknown(const po_param *table, int count, const char *name, po_error *err) {
  const char *names[64], *near;
  int i, n = count < 64 ? count : 64;
  for (i = 0; i < n; i++) names[i] = table[i].name;
  near = po_nearest(name ? name : "", names, n);
  if (near) return po_fail(err, PO_ERR_NAME, "no parameter '%s': did you mean '%s'?", name, near);
  return po_fail(err, PO_ERR_NAME, "no parameter '%s'", name ? name : "");
}

static int param_outside(const po_param *p, double value) { return !(value >= p->lower && value <= p->upper); } /* NaN is */
static po_status param_refuse(const po_param *p, double value, po_error *err) {
  return po_fail(err, PO_ERR_RANGE, "%s = %g is outside %g ... %g %s", p->name, value, p->lower, p->upper, p->unit);
}

po_status po_param_set(void *params, const po_param *table, int count, const char *name, double value, po_error *err) {
  const po_param *p = po_param_find(table, count, name);
  if (!p) return param_unknown(table, count, name, err);
  if (param_outside(p, value)) return param_refuse(p, value, err);
  *param_member(params, p) = value;
  return PO_OK;
}

po_status po_params_check(const void *params, const po_param *table, int count, po_error *err) {
  int i;
  for (i = 0; i < count; i++)
    if (param_outside(&table[i], param_value(params, &table[i]))) return param_refuse(&table[i], param_value(params, &table[i]), err);
  return PO_OK;
}

/* ---- parameters as data ---- */

/* One member of the object; `into` NULL: only looks whether it could be set. */
static po_status param_item(void *into, const po_param *table, int count, const po_json *item, const char *file, po_error *err) {
  const po_param *p = po_param_find(table, count, item->key);
  po_error why;
  if (item->type == PO_JSON_STRING && !strcmp(item->key, "summary")) return PO_OK;
  if (item->type == PO_JSON_OBJECT && !strcmp(item->key, "tune")) return PO_OK; /* where `poise tune` found them */
  if (item->type != PO_JSON_NUMBER) return po_fail_at(err, PO_ERR_PARSE, file, item->line, item->column, "%s: a number is needed", item->key);
  if (!p) return po_fail_at(err, param_unknown(table, count, item->key, &why), file, item->line, item->column, "%s", why.message);
  if (param_outside(p, item->number)) return po_fail_at(err, param_refuse(p, item->number, &why), file, item->line, item->column, "%s", why.message);
  if (into) *param_member(into, p) = item->number;
  return PO_OK;
}

po_status po_params_parse(void *params, const po_param *table, int count, const char *text, size_t size, const char *file, po_error *err) {
  po_json *root;
  const po_json *item;
  po_status s = po_json_parse(&root, text, size, file, err);
  if (s != PO_OK) return s;
  if (root->type != PO_JSON_OBJECT) s = po_fail_at(err, PO_ERR_PARSE, file, root->line, root->column, "an object of parameters is needed");
  for (item = root->first; item && s == PO_OK; item = item->next) s = param_item(NULL, table, count, item, file, err);
  for (item = root->first; item && s == PO_OK; item = item->next) param_item(params, table, count, item, file, err);
  po_json_free(root);
  return s;
}
