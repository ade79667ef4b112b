/* run_save.c: a run as a stream: what follows after a restore is the same to the bit. */
#include "scenes_internal.h"
#include <string.h>

#define RUN_VERSION 1

uint64_t po_run_key(const po_run *r) {
  const po_run_opts *o = &r->opts;
  uint64_t key = po_hash(r->scenario->name, strlen(r->scenario->name), 1), words[6], model;
  double times[4];
  int i;
  times[0] = o->seconds;
  times[1] = o->dt;
  times[2] = o->control_hz;
  times[3] = o->wbc.hqp.weight_ratio;
  key = po_hash_doubles(times, 4, key);
  words[0] = o->seed;
  words[1] = (uint64_t)o->optimizer;
  words[2] = (uint64_t)o->wbc.formulation;
  words[3] = (uint64_t)o->wbc.hqp.method;
  words[4] = (uint64_t)o->wbc.hqp.qp;
  words[5] = (uint64_t)o->wbc.hqp.basis;
  key = po_hash(words, sizeof words, key);
  if (r->model) {
    model = po_model_hash(r->model);
    key = po_hash(&model, sizeof model, key);
  }
  key = po_hash(r->params, (size_t)r->scenario->params_bytes, key);
  if (r->type) key = po_hash(r->type->name, strlen(r->type->name), po_hash(r->move_params, r->type->params_bytes, key));
  for (i = 0; i < r->texts; i++) key = po_hash(r->text[i].value, strlen(r->text[i].value), key);
  return key;
}

static void save_verdict(po_stream *s, po_outcome *outcome, double *fell_at, char reason[200]) {
  int o = (int)*outcome;
  po_stream_int(s, &o);
  *outcome = (po_outcome)o;
  po_stream_double(s, fell_at);
  po_stream_bytes(s, reason, 200);
}

/* The simulation's own stream lies in this one at its full size. */
static void save_sim(po_run *r, po_stream *s) {
  size_t bytes = po_sim_save_bytes(r->sim);
  unsigned char *at = s->mem + s->at;
  po_status st = PO_OK;
  if (s->mode != PO_STREAM_MEASURE && (s->status != PO_OK || bytes > s->size - s->at)) {
    if (s->status == PO_OK) s->status = PO_ERR_SIZE;
    return;
  }
  s->at += bytes;
  if (s->mode == PO_STREAM_WRITE) {
    memset(at, 0, bytes);
    st = po_sim_save(at, bytes, r->sim);
  }
  if (s->mode == PO_STREAM_READ) st = po_sim_restore(r->sim, at, bytes);
  if (st != PO_OK) s->status = st;
}

/* Texts are pointers into the options: which change put each there is what is kept. */
static void save_texts(po_run *r, po_stream *s) {
  int i, k;
  for (i = 0; i < r->texts; i++) {
    int from = -1;
    for (k = 0; s->mode == PO_STREAM_WRITE && k < r->next_change; k++)
      if (r->text[i].value == r->opts.at[k].value) from = k;
    po_stream_int(s, &from);
    if (s->mode != PO_STREAM_READ) continue;
    if (from >= 0 && from < r->opts.ats) r->text[i].value = r->opts.at[from].value;
    else {
      r->text[i].value = r->scenario->text[i].fallback;
      for (k = 0; k < r->opts.sets; k++)
        if (!strcmp(r->opts.set[k].name, r->text[i].name)) r->text[i].value = r->opts.set[k].value;
    }
  }
}

static void save_run(void *object, po_stream *s) {
  po_run *r = (po_run *)object;
  int k;
  po_stream_long(s, &r->steps);
  po_stream_int(s, &r->next_change);
  po_stream_double(s, &r->time);
  po_stream_double(s, &r->sim_seconds);
  po_stream_double(s, &r->complementarity);
  po_stream_double(s, &r->force_correction);
  po_stream_double(s, &r->moment_correction);
  po_stream_long(s, &r->unconverged);
  save_verdict(s, &r->outcome, &r->fell_at, r->reason);
  for (k = 0; k < r->sim->characters; k++) save_verdict(s, &r->verdict[k].outcome, &r->verdict[k].fell_at, r->verdict[k].reason);
  po_stream_bytes(s, r->params, (size_t)r->scenario->params_bytes);
  po_stream_bytes(s, r->move_params, r->type ? r->type->params_bytes : 0);
  po_stream_bytes(s, r->state, (size_t)r->scenario->state_bytes);
  save_texts(r, s);
  save_sim(r, s);
}

/* Which scenario, and which bodies: a limb that has grown since makes it another. */
static po_stream_kind save_kind_of_run(const po_run *r) {
  po_stream_kind kind = {"run", RUN_VERSION, 1};
  int k;
  for (k = 0; k < r->sim->characters; k++) {
    uint64_t model = po_model_hash(po_world_model(r->world, k));
    kind.belongs = po_hash(&model, sizeof model, kind.belongs);
  }
  kind.belongs = po_hash(r->scenario->name, strlen(r->scenario->name), kind.belongs);
  return kind;
}

size_t po_run_save_bytes(const po_run *r) {
  po_stream_kind kind;
  if (!r || !r->sim) return 0;
  kind = save_kind_of_run(r);
  return po_stream_save_bytes(&kind, save_run, r);
}

po_status po_run_save(void *state, size_t bytes, const po_run *r) {
  po_stream_kind kind;
  if (!r || !state) return PO_ERR_NULL;
  if (!r->sim) return PO_ERR_UNSUPPORTED; /* a study has no one state */
  kind = save_kind_of_run(r);
  return po_stream_save(state, bytes, &kind, save_run, r);
}

po_status po_run_restore(po_run *r, const void *state, size_t bytes) {
  po_stream_kind kind;
  if (!r || !state) return PO_ERR_NULL;
  if (!r->sim) return PO_ERR_UNSUPPORTED;
  kind = save_kind_of_run(r);
  return po_stream_restore(r, &kind, save_run, state, bytes);
}
