/* task_file.c: policies as files.
 *
 *   "POISEPOL" version model-hash actions-hash body actions-name features states actions tasks      (words of 32 bits; hashes 64)
 *   per action its usual step: x y heading seconds, double
 *   states' features, float
 *   per task: kind axes, per axis samples wraps positions (double); bytes of the coded actions, the actions
 *   hash of all before
 *
 * Actions are coded by an adaptive binary range coder (Martin 1979): goals beside each other mostly want the same, so a sample says first whether it is
 * what its neighbours are. Lossless.
 */
#include "learn_internal.h"
#include <string.h>

#define POLICY_MAGIC "POISEPOL"
#define POLICY_VERSION 2u
#define POLICY_STATES 100000   /* more is not a policy */
#define POLICY_NAME_AT (8 + 4 + 8 + 8 + PO_TASK_NAME) /* of the actions' name */
#define POLICY_LEAST (POLICY_NAME_AT + PO_TASK_NAME + 4 * 4)

/* ---- the coder ---- */

#define CODER_BITS 12          /* of a probability */
#define CODER_RATE 4           /* a bit moves its probability by 1/16 of what is left */
#define CODER_TOP 0x01000000u
#define CODER_FLAGS 8
#define CODER_SYMBOLS 256

typedef struct policy_coder {
  po_buffer *out;              /* writing */
  const unsigned char *in;     /* reading */
  size_t left;
  uint64_t low;
  uint32_t range, code;
  unsigned char cache;
  size_t pending;
  int overrun;                 /* read past the end */
  uint16_t flag[CODER_FLAGS], symbol[CODER_SYMBOLS];
} policy_coder;

static void coder_begin(policy_coder *c) {
  int i;
  for (i = 0; i < CODER_FLAGS; i++) c->flag[i] = 1u << (CODER_BITS - 1);
  for (i = 0; i < CODER_SYMBOLS; i++) c->symbol[i] = 1u << (CODER_BITS - 1);
  c->range = 0xffffffffu;
}

/* The top byte leaves when no carry can reach it any more. */
static void coder_shift(policy_coder *c) {
  if (!c->pending || c->low < 0xff000000u || c->low > 0xffffffffu) {
    char carry = (char)(c->low >> 32);
    for (; c->pending; c->pending--) {
      char byte = (char)(c->cache + carry);
      po_buffer_add(c->out, &byte, 1);
      c->cache = 0xff;
    }
    c->cache = (unsigned char)(c->low >> 24);
  }
  c->pending++;
  c->low = (c->low & 0x00ffffffu) << 8;
}

static unsigned coder_next(policy_coder *c) {
  if (!c->left) {
    c->overrun = 1;
    return 0;
  }
  c->left--;
  return *c->in++;
}

static int coder_bit(policy_coder *c, uint16_t *p, int bit) {
  uint32_t bound = (c->range >> CODER_BITS) * *p;
  if (!c->out) bit = c->code >= bound;
  if (!bit) {
    c->range = bound;
    *p = (uint16_t)(*p + (((1u << CODER_BITS) - *p) >> CODER_RATE));
  } else {
    if (c->out) c->low += bound;
    else c->code -= bound;
    c->range -= bound;
    *p = (uint16_t)(*p - (*p >> CODER_RATE));
  }
  while (c->range < CODER_TOP) {
    c->range <<= 8;
    if (c->out) coder_shift(c);
    else c->code = c->code << 8 | coder_next(c);
  }
  return bit;
}

/* Same as the one before? As the one a row above? Else which, bit by bit down a tree. */
static unsigned char coder_action(policy_coder *c, int action, int before, int above, int *missed) {
  int agree = before == above, bit, node = 1;
  if (!coder_bit(c, &c->flag[*missed * 2 + agree], action != before)) {
    *missed = 0;
    return (unsigned char)before;
  }
  *missed = 1;
  if (!agree && !coder_bit(c, &c->flag[4], action != above)) return (unsigned char)above;
  for (bit = 7; bit >= 0; bit--) node = node << 1 | coder_bit(c, &c->symbol[node], action >> bit & 1);
  return (unsigned char)node;
}

/* Reads or writes the whole table; the row is the last axis. */
static void coder_table(policy_coder *c, unsigned char *action, size_t states, size_t samples, size_t row) {
  size_t s, j;
  int missed = 0;
  coder_begin(c);
  if (c->out) c->pending = 0;
  else
    for (j = 0; j < 4; j++) c->code = c->code << 8 | coder_next(c);
  for (s = 0; s < states; s++)
    for (j = 0; j < samples; j++) {
      unsigned char *a = action + s * samples + j;
      int before = j ? a[-1] : 0, above = j >= row ? a[-(ptrdiff_t)row] : before;
      *a = coder_action(c, *a, before, above, &missed);
    }
  if (c->out)
    for (j = 0; j < 5; j++) coder_shift(c);
}

/* ---- writing ---- */

static po_status policy_put_table(po_buffer *out, const po_policy *p, int k) {
  const po_task *t = &p->table[k].task;
  policy_coder *c;
  po_buffer coded = {0};
  int i, j;
  po_store_put(out, (uint64_t)t->kind, 4);
  for (i = 0; i < t->axes; i++) {
    po_store_put(out, (uint64_t)t->axis[i].samples, 4);
    po_store_put(out, (uint64_t)t->axis[i].wraps, 4);
    for (j = 0; j < t->axis[i].samples; j++) po_store_put_double(out, t->axis[i].at[j]);
  }
  if (!(c = po_alloc(sizeof *c))) return PO_ERR_MEMORY;
  c->out = &coded;
  coder_table(c, p->table[k].action, (size_t)p->states, (size_t)po_task_samples(t), t->axes ? (size_t)t->axis[t->axes - 1].samples : 1);
  po_free(c);
  po_store_put(out, coded.size, 4);
  po_buffer_add(out, coded.data, coded.size);
  i = coded.failed || out->failed;
  po_buffer_free(&coded);
  return i ? PO_ERR_MEMORY : PO_OK;
}

po_status po_policy_write(po_buffer *out, const po_policy *p) {
  size_t from = po_store_begin(out, POLICY_MAGIC, POLICY_VERSION), i, n = (size_t)p->states * (size_t)p->metric.features;
  po_status st = PO_OK;
  int k;
  po_store_put(out, p->model_hash, 8);
  po_store_put(out, p->actions_hash, 8);
  po_buffer_add(out, p->body, sizeof p->body);
  po_buffer_add(out, p->actions_name, sizeof p->actions_name);
  po_store_put(out, (uint64_t)p->metric.features, 4);
  po_store_put(out, (uint64_t)p->states, 4);
  po_store_put(out, (uint64_t)p->actions, 4);
  po_store_put(out, (uint64_t)p->tasks, 4);
  for (k = 0; k < p->actions; k++) {
    po_store_put_double(out, p->usual[k].step.x);
    po_store_put_double(out, p->usual[k].step.y);
    po_store_put_double(out, p->usual[k].step.heading);
    po_store_put_double(out, p->usual[k].seconds);
  }
  for (i = 0; i < n; i++) po_store_put_float(out, p->feature[i]);
  for (k = 0; k < p->tasks && st == PO_OK; k++) st = policy_put_table(out, p, k);
  return st == PO_OK ? po_store_end(out, from) : st;
}

/* ---- reading ---- */

static po_status policy_get_task(po_store *r, po_task *t) {
  uint64_t kind = po_store_get(r, 4), samples;
  int i, j;
  if (kind >= PO_TASK_KINDS || po_task_make(t, (po_task_kind)kind, NULL, 1) != PO_OK) return PO_ERR_PARSE;
  for (i = 0; i < t->axes; i++) {
    po_axis *a = &t->axis[i];
    samples = po_store_get(r, 4);
    if (samples < 3 || samples > PO_AXIS_SAMPLES || po_store_get(r, 4) != (uint64_t)a->wraps) return PO_ERR_PARSE;
    a->samples = (int)samples;
    for (j = 0; j < a->samples; j++) {
      a->at[j] = po_store_get_double(r);
      if (!po_isfinite(a->at[j]) || (j && !(a->at[j] > a->at[j - 1]))) return PO_ERR_PARSE;
    }
  }
  return r->cut ? PO_ERR_PARSE : PO_OK;
}

static po_status policy_get_table(po_store *r, po_policy *p, po_error *err) {
  po_task *t = po_alloc(sizeof *t);
  policy_coder *c = po_alloc(sizeof *c);
  unsigned char *action = NULL;
  po_status st = t && c ? policy_get_task(r, t) : PO_ERR_MEMORY;
  size_t coded = st == PO_OK ? (size_t)po_store_get(r, 4) : 0, n = st == PO_OK ? (size_t)po_task_samples(t) : 0;
  if (st == PO_OK && (r->cut || coded > r->left)) st = PO_ERR_PARSE;
  if (st == PO_OK && !(action = po_alloc(n * (size_t)p->states))) st = PO_ERR_MEMORY;
  if (st == PO_OK) {
    c->in = r->at;
    c->left = coded;
    coder_table(c, action, (size_t)p->states, n, t->axes ? (size_t)t->axis[t->axes - 1].samples : 1);
    r->at += coded;
    r->left -= coded;
    st = c->overrun ? PO_ERR_PARSE : po_policy_add(p, t, action, err);
  }
  po_free(action);
  po_free(c);
  po_free(t);
  return st;
}

static po_status policy_get_states(float **feature, po_store *r, size_t n) {
  size_t i;
  *feature = NULL;
  if (r->left / 4 < n) return PO_ERR_PARSE;
  if (!(*feature = po_alloc(4 * n))) return PO_ERR_MEMORY;
  for (i = 0; i < n; i++) {
    (*feature)[i] = po_store_get_float(r);
    if (!po_isfinite((double)(*feature)[i])) return PO_ERR_PARSE;
  }
  return PO_OK;
}

static po_status policy_get_usual(po_usual_step *usual, po_store *r, int actions) {
  int k;
  for (k = 0; k < actions; k++) {
    usual[k].step.x = po_store_get_double(r);
    usual[k].step.y = po_store_get_double(r);
    usual[k].step.heading = po_store_get_double(r);
    usual[k].seconds = po_store_get_double(r);
    if (!po_isfinite(usual[k].step.x + usual[k].step.y + usual[k].step.heading) || !(usual[k].seconds >= 0 && po_isfinite(usual[k].seconds))) return PO_ERR_PARSE;
  }
  return r->cut ? PO_ERR_PARSE : PO_OK;
}

static po_status policy_open(po_store *r, const void *bytes, size_t size, const char *file, po_error *err) {
  return po_store_open(r, bytes, size, POLICY_LEAST, POLICY_MAGIC, POLICY_VERSION, "policy", file, err);
}

po_status po_policy_peek(char name[PO_TASK_NAME], const void *bytes, size_t size, const char *file, po_error *err) {
  po_store r;
  po_status st = bytes && name ? policy_open(&r, bytes, size, file, err) : po_fail(err, PO_ERR_NULL, "there is no policy");
  if (st != PO_OK) return st;
  memcpy(name, (const char *)bytes + POLICY_NAME_AT, PO_TASK_NAME);
  name[PO_TASK_NAME - 1] = 0;
  return PO_OK;
}

po_status po_policy_read(po_policy **policy, const po_model *model, const po_actions *actions, const void *bytes, size_t size, const char *file, po_error *err) {
  po_store r;
  po_metric metric;
  char body[PO_TASK_NAME], name[PO_TASK_NAME];
  po_usual_step usual[PO_ACTIONS_MAX] = {{{0, 0, 0}, 0}};
  float *feature = NULL;
  uint64_t model_hash, actions_hash, features, states, count, tasks, k;
  po_status st;
  if (!policy || !model || !actions || !bytes) return po_fail(err, PO_ERR_NULL, "a policy needs a model, actions and bytes");
  *policy = NULL;
  if ((st = policy_open(&r, bytes, size, file, err)) != PO_OK) return st;
  model_hash = po_store_get(&r, 8);
  actions_hash = po_store_get(&r, 8);
  po_store_get_name(body, &r);
  po_store_get_name(name, &r);
  features = po_store_get(&r, 4);
  states = po_store_get(&r, 4);
  count = po_store_get(&r, 4);
  tasks = po_store_get(&r, 4);
  if (model_hash != po_model_hash(model)) return po_fail_at(err, PO_ERR_MODEL, file, 0, 0, "the policy is for %s as it was then, not for this %s", body, model->name);
  if (actions_hash != po_actions_hash(actions) || (int)count != actions->actions)
    return po_fail_at(err, PO_ERR_MODEL, file, 0, 0, "the policy chooses among actions '%s' as they were then, not among these '%s'", name, actions->name);
  if ((st = po_metric_init(&metric, model, &actions->weights, err)) != PO_OK) return st;
  if (r.cut || features != (uint64_t)metric.features || states < 1 || states > POLICY_STATES || tasks > PO_TASK_KINDS)
    return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "the policy's sizes make no sense");
  st = policy_get_usual(usual, &r, (int)count);
  if (st == PO_OK) st = policy_get_states(&feature, &r, (size_t)features * (size_t)states);
  if (st == PO_OK) st = po_policy_new(policy, model, actions, feature, (int)states, err);
  if (st == PO_OK) memcpy((*policy)->usual, usual, sizeof usual);
  for (k = 0; k < tasks && st == PO_OK; k++) st = policy_get_table(&r, *policy, err);
  if (st == PO_OK && r.left) st = PO_ERR_PARSE;
  po_free(feature);
  if (st == PO_OK) return st;
  po_policy_free(*policy);
  *policy = NULL;
  return po_fail_at(err, st, file, 0, 0, st == PO_ERR_MEMORY ? "out of memory" : "the policy's tables make no sense");
}
