/* step_file.c: step models as files.
 *
 *   "POISESTP" version model-hash settings-hash body style made actions examples      (words of 32 bits; hashes 64; names of 32 bytes)
 *   per example, float: from (5, in space 9) action (actions) to (as from) length side seconds
 *   hash of all before
 *
 * Axes, landmarks and uncertainties follow from the examples and are made when it is read.
 */
#include "learn_internal.h"
#include <string.h>

#define STEPFILE_MAGIC "POISESTP"
#define STEPFILE_VERSION 1u
#define STEPFILE_HEAD (8 + 4 + 8 + 8 + 3 * PO_STEP_NAME + 4 + 4)
#define STEPFILE_MOST 1000000 /* more is not a step model */

static void stepfile_put_floats(po_buffer *out, const double *x, int n) {
  int i;
  for (i = 0; i < n; i++) po_store_put_float(out, (float)x[i]);
}

po_status po_step_model_write(po_buffer *out, const po_step_model *m) {
  size_t from = po_store_begin(out, STEPFILE_MAGIC, STEPFILE_VERSION);
  int i;
  po_store_put(out, m->model_hash, 8);
  po_store_put(out, m->settings_hash, 8);
  po_buffer_add(out, m->body, PO_STEP_NAME);
  po_buffer_add(out, m->style, PO_STEP_NAME);
  po_buffer_add(out, m->made, PO_STEP_NAME);
  po_store_put(out, (uint64_t)m->kind.actions, 4);
  po_store_put(out, (uint64_t)m->examples, 4);
  for (i = 0; i < m->examples; i++) {
    const po_step_example *e = &m->example[i];
    stepfile_put_floats(out, e->from, m->kind.states);
    stepfile_put_floats(out, e->action, m->kind.actions);
    stepfile_put_floats(out, e->to, m->kind.states);
    stepfile_put_floats(out, &e->length, 3);
  }
  return po_store_end(out, from);
}

/* ---- reading ---- */

static void stepfile_get_floats(double *x, po_store *s, int n) {
  int i;
  for (i = 0; i < n; i++) x[i] = (double)po_store_get_float(s);
}

static po_status stepfile_examples(po_step_model **steps, po_store *s, const po_model *model, const char *style, int examples, const char *file, po_error *err) {
  po_step_kind kind = po_step_kind_of(model, style);
  int i;
  po_step_example *e = po_alloc(sizeof *e * (size_t)examples);
  po_error inner;
  po_status st;
  if (!e) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(e, 0, sizeof *e * (size_t)examples);
  for (i = 0; i < examples; i++) {
    stepfile_get_floats(e[i].from, s, kind.states);
    stepfile_get_floats(e[i].action, s, kind.actions);
    stepfile_get_floats(e[i].to, s, kind.states);
    stepfile_get_floats(&e[i].length, s, 3);
  }
  st = po_step_model_new(steps, model, style, e, examples, &inner);
  po_free(e);
  return st == PO_OK ? st : po_fail_at(err, st, file, 0, 0, "%s", inner.message);
}

po_status po_step_model_read(po_step_model **steps, const po_model *model, const void *bytes, size_t size, int most,
                             const char *file, po_error *err) {
  char body[PO_STEP_NAME], style[PO_STEP_NAME], made[PO_STEP_NAME];
  uint64_t model_hash, settings, actions, examples, row;
  po_step_kind kind;
  po_store s;
  po_status st;
  if (!steps || !model || !bytes) return po_fail(err, PO_ERR_NULL, "a step model needs a body and bytes");
  *steps = NULL;
  if ((st = po_store_open(&s, bytes, size, STEPFILE_HEAD, STEPFILE_MAGIC, STEPFILE_VERSION, "file of steps", file, err)) != PO_OK) return st;
  model_hash = po_store_get(&s, 8);
  settings = po_store_get(&s, 8);
  po_store_get_name(body, &s);
  po_store_get_name(style, &s);
  po_store_get_name(made, &s);
  actions = po_store_get(&s, 4);
  examples = po_store_get(&s, 4);
  if (model_hash != po_model_hash(model))
    return po_fail_at(err, PO_ERR_MODEL, file, 0, 0, "these are steps of %s as it was then, not of this %s", body, model->name);
  kind = po_step_kind_of(model, style);
  row = 4 * (2 * (uint64_t)kind.states + 3 + actions);
  if (actions != (uint64_t)kind.actions || examples > STEPFILE_MOST || s.left != row * examples)
    return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the sizes in this file of steps make no sense");
  if (most > 0 && examples > (uint64_t)most) examples = (uint64_t)most;
  if (examples < PO_STEP_NEAR)
    return po_fail_at(err, PO_ERR_SIZE, file, 0, 0, "%d examples: a step model needs at least %d", (int)examples, PO_STEP_NEAR);
  if ((st = stepfile_examples(steps, &s, model, style, (int)examples, file, err)) != PO_OK) return st;
  (*steps)->settings_hash = settings;
  memcpy((*steps)->made, made, sizeof made);
  return PO_OK;
}
