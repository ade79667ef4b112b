/* run_params.c: the parameters of a run: texts, then defaults, presets, styles, what was set by hand, and changes while running.
 *
 * They live in two blocks of doubles, the behaviour's and the scene's, each described by a table; a name is looked for in the first, then in the second.
 */
#include "scenes_internal.h"
#include <string.h>

/* ---- tables ---- */

static int params_of_move(const po_move_type *type) { return type && type->param_count ? *type->param_count : 0; }

static double params_value(const void *block, const po_param *p) { return *(const double *)(const void *)((const char *)block + p->offset); }

/* Defaults, then the preset's values. */
static po_status params_default(void *block, const po_move_type *type, const po_preset *preset, po_error *err) {
  po_param_defaults(block, type->param, params_of_move(type));
  if (!preset->name || !preset->values) return PO_OK;
  return po_params_parse(block, type->param, params_of_move(type), preset->values, strlen(preset->values), preset->name, err);
}

const po_param *po_scenario_param(double *fallback, const po_scenario *s, int index) {
  const po_move_type *type = NULL;
  po_preset preset = {NULL, NULL, NULL};
  int n, i;
  if (s->move) po_move_find(&type, &preset, s->move, NULL);
  n = params_of_move(type);
  if (index < 0 || index >= n + s->params) return NULL;
  if (index >= n) {
    *fallback = s->param[index - n].fallback;
    return &s->param[index - n];
  }
  *fallback = type->param[index].fallback;
  {
    void *block = po_alloc(type->params_bytes + 1);
    if (block && params_default(block, type, &preset, NULL) == PO_OK) {
      for (i = 0; s->text && s->text[i].name; i++)
        if (s->text[i].apply) s->text[i].apply(block, type, s->text[i].fallback, NULL);
      *fallback = params_value(block, &type->param[index]);
    }
    po_free(block);
  }
  return &type->param[index];
}

const po_param *po_run_param_at(const po_run *r, int index) {
  int n = params_of_move(r->type);
  if (index < 0 || index >= n + r->scenario->params) return NULL;
  return index < n ? &r->type->param[index] : &r->scenario->param[index - n];
}

double po_run_param(const po_run *r, int index) {
  int n = params_of_move(r->type);
  if (!po_run_param_at(r, index)) return PO_NAN;
  return index < n ? params_value(r->move_params, &r->type->param[index]) : params_value(r->params, &r->scenario->param[index - n]);
}

int po_run_was_set(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < r->opts.sets; i++)
    if (!strcmp(r->opts.set[i].name, name)) return 1;
  return 0;
}

/* ---- texts ---- */

static const po_text_param *params_text(const po_scenario *s, const char *name) {
  const po_text_param *t;
  for (t = s->text; t && t->name; t++)
    if (!strcmp(t->name, name)) return t;
  return NULL;
}

static void params_set_text(po_run *r, const char *name, const char *value) {
  int i;
  for (i = 0; i < r->texts; i++)
    if (!strcmp(r->text[i].name, name)) r->text[i].value = value;
}

po_status po_run_read_texts(po_run *r, po_error *err) {
  const po_text_param *t;
  int i;
  for (t = r->scenario->text; t && t->name; t++) {
    if (r->texts == PO_RUN_TEXTS) return po_fail(err, PO_ERR_SIZE, "scenario '%s' has more than %d texts", r->scenario->name, PO_RUN_TEXTS);
    r->text[r->texts].name = t->name;
    r->text[r->texts++].value = t->fallback;
  }
  for (i = 0; i < r->opts.sets; i++) params_set_text(r, r->opts.set[i].name, r->opts.set[i].value);
  return PO_OK;
}

const char *po_run_text(const po_run *r, const char *name) {
  int i;
  for (i = 0; i < r->texts; i++)
    if (!strcmp(r->text[i].name, name)) return r->text[i].value;
  return NULL;
}

po_status po_scene_style(void *move_params, const po_move_type *type, const char *style, po_error *err) {
  return type == &po_walk_type ? po_style_apply(move_params, style, err) : PO_OK;
}

/* ---- numbers ---- */

static po_status params_unknown(const po_run *r, const char *name, po_error *err) {
  const char *names[160], *near;
  int i, n = 0, own = params_of_move(r->type);
  for (i = 0; i < r->texts; i++) names[n++] = r->text[i].name;
  for (i = 0; i < own && n < 160; i++) names[n++] = r->type->param[i].name;
  for (i = 0; i < r->scenario->params && n < 160; i++) names[n++] = r->scenario->param[i].name;
  near = po_nearest(name, names, n);
  if (near) return po_fail(err, PO_ERR_NAME, "scenario '%s' has no parameter '%s': did you mean '%s'?", r->scenario->name, name, near);
  return po_fail(err, PO_ERR_NAME, "scenario '%s' has no parameter '%s'; `poise list %s` tells which there are", r->scenario->name, name, r->scenario->name);
}

static po_status params_set(po_run *r, const char *name, const char *value, po_error *err) {
  const po_scenario *s = r->scenario;
  int n = params_of_move(r->type), of_move = n && po_param_find(r->type->param, n, name) != NULL;
  const char *end = NULL;
  double x;
  if (!of_move && !po_param_find(s->param, s->params, name)) return params_unknown(r, name, err);
  if (po_parse_double(&x, &end, value, value + strlen(value)) != PO_OK || *end) return po_fail(err, PO_ERR_PARSE, "%s=%s: a number is needed", name, value);
  return of_move ? po_param_set(r->move_params, r->type->param, n, name, x, err) : po_param_set(r->params, s->param, s->params, name, x, err);
}

po_status po_run_find_move(po_run *r, po_error *err) {
  const char *name = r->scenario->behaviour ? r->scenario->behaviour(r) : r->scenario->move;
  return name ? po_move_find(&r->type, &r->preset, name, err) : PO_OK;
}

/* Defaults, the preset, texts that are styles, then what was set by hand. */
po_status po_run_read_params(po_run *r, po_error *err) {
  const po_scenario *s = r->scenario;
  po_status st = PO_OK;
  int i;
  po_param_defaults(r->params, s->param, s->params);
  if (r->type && (st = params_default(r->move_params, r->type, &r->preset, err)) != PO_OK) return st;
  for (i = 0; i < r->texts && st == PO_OK; i++)
    if (s->text[i].apply && r->type) st = s->text[i].apply(r->move_params, r->type, r->text[i].value, err);
  for (i = 0; i < r->opts.sets && st == PO_OK; i++)
    if (!params_text(s, r->opts.set[i].name)) st = params_set(r, r->opts.set[i].name, r->opts.set[i].value, err);
  return st;
}

/* ---- changes while running ---- */

static po_status params_change(po_run *r, const po_change *c, po_error *err) {
  const po_scenario *s = r->scenario;
  const po_text_param *t = params_text(s, c->name);
  if (t && !t->apply) return po_fail(err, PO_ERR_RANGE, "%s cannot change while '%s' is running", c->name, s->name);
  if (t) {
    params_set_text(r, c->name, c->value);
    return t->apply(r->move_params, r->type, c->value, err);
  }
  if (!s->live && po_param_find(s->param, s->params, c->name) && !(r->type && po_param_find(r->type->param, params_of_move(r->type), c->name)))
    return po_fail(err, PO_ERR_RANGE, "%s cannot change while '%s' is running: set it with --set", c->name, s->name);
  return params_set(r, c->name, c->value, err);
}

/* Changes are checked before the run starts, so that a typo at t = 50 does not show after 50 s. */
po_status po_run_check_changes(po_run *r, po_error *err) {
  size_t own = (size_t)r->scenario->params_bytes, of_move = r->type ? r->type->params_bytes : 0;
  po_setting text[PO_RUN_TEXTS];
  char *kept = po_alloc(own + of_move + 1);
  po_status st = PO_OK;
  int i;
  if (!kept) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memcpy(kept, r->params, own);
  memcpy(kept + own, r->move_params, of_move);
  memcpy(text, r->text, sizeof text);
  for (i = 0; i < r->opts.ats && st == PO_OK; i++) {
    const po_change *c = &r->opts.at[i];
    if (!(c->time >= 0)) st = po_fail(err, PO_ERR_RANGE, "a change at %g s: times start at 0", c->time);
    else if (!(c->time < r->opts.seconds)) st = po_fail(err, PO_ERR_RANGE, "%s=%s at %g s: the run ends at %g s", c->name, c->value, c->time, r->opts.seconds);
    else if (i && c->time < r->opts.at[i - 1].time) st = po_fail(err, PO_ERR_RANGE, "changes must come in the order of their times");
    else st = params_change(r, c, err);
  }
  memcpy(r->params, kept, own);
  memcpy(r->move_params, kept + own, of_move);
  memcpy(r->text, text, sizeof text);
  po_free(kept);
  return st;
}

void po_run_apply_changes(po_run *r) {
  po_error err;
  while (r->next_change < r->opts.ats && r->opts.at[r->next_change].time <= r->time + 1e-12) {
    const po_change *c = &r->opts.at[r->next_change++];
    po_move *move = po_run_move(r, 0);
    po_status st = params_change(r, c, &err);
    if (st == PO_OK && move && r->type) st = po_move_set_params(move, r->move_params, &err);
    if (st != PO_OK) po_run_fail(r, PO_FAILED, "%s", err.message);
    if (r->scenario->changed) r->scenario->changed(r, c->name);
  }
}
