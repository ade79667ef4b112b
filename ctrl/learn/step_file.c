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

static void stepfile_put(po_buffer *out, uint64_t x, int bytes) {
  int i;
  for (i = 0; i < bytes; i++) {
    char b = (char)(x >> (8 * i) & 255);
    po_buffer_add(out, &b, 1);
  }
}

static void stepfile_put_floats(po_buffer *out, const double *x, int n) {
  int i;
  for (i = 0; i < n; i++) {
    float f = (float)x[i];
    uint32_t bits;
    memcpy(&bits, &f, 4);
    stepfile_put(out, bits, 4);
  }
}

po_status po_step_model_write(po_buffer *out, const po_step_model *m) {
  size_t from = out->size;
  int i;
  po_buffer_add(out, STEPFILE_MAGIC, 8);
  stepfile_put(out, STEPFILE_VERSION, 4);
  stepfile_put(out, m->model_hash, 8);
  stepfile_put(out, m->settings_hash, 8);
  po_buffer_add(out, m->body, PO_STEP_NAME);
  po_buffer_add(out, m->style, PO_STEP_NAME);
  po_buffer_add(out, m->made, PO_STEP_NAME);
  stepfile_put(out, (uint64_t)m->kind.actions, 4);
  stepfile_put(out, (uint64_t)m->examples, 4);
  for (i = 0; i < m->examples; i++) {
    const po_step_example *e = &m->example[i];
    stepfile_put_floats(out, e->from, m->kind.states);
    stepfile_put_floats(out, e->action, m->kind.actions);
    stepfile_put_floats(out, e->to, m->kind.states);
    stepfile_put_floats(out, &e->length, 3);
  }
  if (!out->failed) stepfile_put(out, po_hash(out->data + from, out->size - from, 0), 8);
  return out->failed ? PO_ERR_MEMORY : PO_OK;
}

/* ---- reading ---- */

static uint64_t stepfile_get(const unsigned char **at, int bytes) {
  uint64_t x = 0;
  int i;
  for (i = 0; i < bytes; i++) x |= (uint64_t)(*at)[i] << (8 * i);
  *at += bytes;
  return x;
}

static void stepfile_get_floats(double *x, const unsigned char **at, int n) {
  int i;
  for (i = 0; i < n; i++) {
    uint32_t bits = (uint32_t)stepfile_get(at, 4);
    float f;
    memcpy(&f, &bits, 4);
    x[i] = (double)f;
  }
}

static void stepfile_get_name(char *name, const unsigned char **at) {
  memcpy(name, *at, PO_STEP_NAME);
  name[PO_STEP_NAME - 1] = '\0';
  *at += PO_STEP_NAME;
}

static po_status stepfile_examples(po_step_model **steps, const po_model *model, const char *style, const unsigned char *at,
                                   int examples, const char *file, po_error *err) {
  po_step_kind kind = po_step_kind_of(model, style);
  int i;
  po_step_example *e = po_alloc(sizeof *e * (size_t)examples);
  po_error inner;
  po_status st;
  if (!e) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(e, 0, sizeof *e * (size_t)examples);
  for (i = 0; i < examples; i++) {
    stepfile_get_floats(e[i].from, &at, kind.states);
    stepfile_get_floats(e[i].action, &at, kind.actions);
    stepfile_get_floats(e[i].to, &at, kind.states);
    stepfile_get_floats(&e[i].length, &at, 3);
  }
  st = po_step_model_new(steps, model, style, e, examples, &inner);
  po_free(e);
  return st == PO_OK ? st : po_fail_at(err, st, file, 0, 0, "%s", inner.message);
}

po_status po_step_model_read(po_step_model **steps, const po_model *model, const void *bytes, size_t size, int most,
                             const char *file, po_error *err) {
  const unsigned char *at = bytes, *end;
  char body[PO_STEP_NAME], style[PO_STEP_NAME], made[PO_STEP_NAME];
  uint64_t model_hash, settings, actions, examples, row;
  po_status st;
  if (!steps || !model || !bytes) return po_fail(err, PO_ERR_NULL, "a step model needs a body and bytes");
  *steps = NULL;
  if (size < 8 || memcmp(at, STEPFILE_MAGIC, 8)) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "this is no file of steps");
  if (size < STEPFILE_HEAD + 8) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the file of steps is cut short");
  at += 8;
  if (stepfile_get(&at, 4) != STEPFILE_VERSION)
    return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "this file of steps has another format; version %u is read", STEPFILE_VERSION);
  end = (const unsigned char *)bytes + size - 8;
  if (stepfile_get(&end, 8) != po_hash(bytes, size - 8, 0))
    return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the file of steps is cut short or altered: its hash is wrong");
  model_hash = stepfile_get(&at, 8);
  settings = stepfile_get(&at, 8);
  stepfile_get_name(body, &at);
  stepfile_get_name(style, &at);
  stepfile_get_name(made, &at);
  actions = stepfile_get(&at, 4);
  examples = stepfile_get(&at, 4);
  if (model_hash != po_model_hash(model))
    return po_fail_at(err, PO_ERR_MODEL, file, 0, 0, "these are steps of %s as it was then, not of this %s", body, model->name);
  row = 4 * (2 * (uint64_t)po_step_kind_of(model, style).states + 3 + actions);
  if (actions != (uint64_t)po_step_kind_of(model, style).actions || examples > STEPFILE_MOST || size != STEPFILE_HEAD + 8 + row * examples)
    return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the sizes in this file of steps make no sense");
  if (most > 0 && examples > (uint64_t)most) examples = (uint64_t)most;
  if (examples < PO_STEP_NEAR)
    return po_fail_at(err, PO_ERR_SIZE, file, 0, 0, "%d examples: a step model needs at least %d", (int)examples, PO_STEP_NEAR);
  if ((st = stepfile_examples(steps, model, style, at, (int)examples, file, err)) != PO_OK) return st;
  (*steps)->settings_hash = settings;
  memcpy((*steps)->made, made, sizeof made);
  return PO_OK;
}
