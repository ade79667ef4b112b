/* explore_file.c: an exploration as bytes, so that it may go on elsewhere, and what was found handed to value iteration. */
#include "plan.h"
#include <string.h>

#define EXPLORE_VERSION 1

/* In front of the stream: how much room the exploration has, which must be known before it can be read. */
typedef struct explore_head { char magic[8]; int64_t max_states; double eps_trust, eps_new; } explore_head;
static const char explore_magic[8] = {'P', 'O', 'E', 'X', 'P', 'L', 'O', '1'};

static void explore_stream_results(po_exploration *x, po_stream *s) {
  int i, n = po_stream_count(s, &x->tried, x->tried);
  for (i = 0; i < n; i++) {
    po_tried *t = &x->result[i];
    int end = (int)t->end;
    po_stream_int(s, &t->state);
    po_stream_int(s, &t->action);
    po_stream_int(s, &end);
    po_stream_double(s, &t->seconds);
    po_stream_doubles(s, &t->step.x, 3);
    if (s->mode == PO_STREAM_READ) t->end = (po_tried_end)end;
  }
  po_stream_bytes(s, x->end, sizeof(float) * (size_t)n * (size_t)x->metric.features);
}

/* Counting must count what this one holds: the room behind it is mostly empty. */
static void explore_stream(void *object, po_stream *s) {
  po_exploration *x = object;
  size_t n = (size_t)x->states;
  po_stream_doubles(s, x->q, (int)n * x->model->nq);
  po_stream_doubles(s, x->v, (int)n * x->model->nv);
  po_stream_bytes(s, x->feature, sizeof(float) * n * (size_t)x->metric.features);
  po_stream_ints(s, x->depth, (int)n);
  po_stream_ints(s, x->cycle, x->actions.actions);
  explore_stream_results(x, s);
}

/* The sizes that the rest of it needs to be known. */
static void explore_stream_sizes(void *object, po_stream *s) {
  po_exploration *x = object;
  po_stream_int(s, &x->states);
  po_stream_int(s, &x->trusted);
  po_stream_int(s, &x->expanded);
  po_stream_int(s, &x->rounds);
  po_stream_int(s, &x->full);
  po_stream_int(s, &x->tried);
}

static po_stream_kind explore_kind(const po_model *model, const po_actions *actions, const char *tag) {
  po_stream_kind k;
  uint64_t both[2];
  both[0] = po_model_hash(model);
  both[1] = po_actions_hash(actions);
  k.tag = tag;
  k.version = EXPLORE_VERSION;
  k.belongs = po_hash(both, sizeof both, 0);
  return k;
}

size_t po_explore_save_bytes(const po_exploration *x) {
  po_stream_kind sizes = explore_kind(x->model, &x->actions, "exploration sizes"), all = explore_kind(x->model, &x->actions, "exploration");
  return sizeof(explore_head) + po_stream_save_bytes(&sizes, explore_stream_sizes, x) + po_stream_save_bytes(&all, explore_stream, x);
}

po_status po_explore_save(void *state, size_t bytes, const po_exploration *x) {
  po_stream_kind sizes = explore_kind(x->model, &x->actions, "exploration sizes"), all = explore_kind(x->model, &x->actions, "exploration");
  size_t first = po_stream_save_bytes(&sizes, explore_stream_sizes, x);
  explore_head head;
  po_status st;
  if (!state || !x) return PO_ERR_NULL;
  if (bytes < po_explore_save_bytes(x)) return PO_ERR_MEMORY;
  memset(&head, 0, sizeof head);
  memcpy(head.magic, explore_magic, sizeof head.magic);
  head.max_states = x->opts.max_states;
  head.eps_trust = x->opts.eps_trust;
  head.eps_new = x->opts.eps_new;
  memcpy(state, &head, sizeof head);
  if ((st = po_stream_save((char *)state + sizeof head, first, &sizes, explore_stream_sizes, x)) != PO_OK) return st;
  return po_stream_save((char *)state + sizeof head + first, bytes - sizeof head - first, &all, explore_stream, x);
}

static int explore_makes_sense(const po_exploration *x) {
  int a = x->actions.actions, i;
  if (x->trusted < 1 || x->trusted > x->states || x->states > x->opts.max_states || x->expanded < 0 || x->expanded > x->states || x->tried != x->expanded * a) return 0;
  for (i = 0; i < a; i++)
    if (x->cycle[i] < -1 || x->cycle[i] >= x->states) return 0;
  for (i = 0; i < x->tried; i++)
    if (x->result[i].state != i / a || x->result[i].action != i % a || (int)x->result[i].end < 0 || x->result[i].end > PO_TRIED_LATE || !(x->result[i].seconds > 0)) return 0;
  return 1;
}

po_status po_explore_read(po_exploration **exploration, const po_model *model, const po_actions *actions, const void *state, size_t bytes, const char *file, po_error *err) {
  po_stream_kind sizes, all;
  po_explore_opts o = po_explore_opts_default();
  explore_head head;
  po_exploration *x;
  size_t first;
  po_status st;
  if (!exploration || !model || !actions || !state) return po_fail(err, PO_ERR_NULL, "an exploration needs a model, actions and bytes");
  *exploration = NULL;
  if (bytes < sizeof head) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "this is no exploration");
  memcpy(&head, state, sizeof head);
  if (memcmp(head.magic, explore_magic, sizeof head.magic) || head.max_states < 10 || head.max_states > 20000) return po_fail_at(err, PO_ERR_PARSE, file, 0, 0, "this is no exploration");
  o.max_states = (int)head.max_states;
  o.eps_trust = head.eps_trust;
  o.eps_new = head.eps_new;
  sizes = explore_kind(model, actions, "exploration sizes");
  all = explore_kind(model, actions, "exploration");
  if ((st = po_explore_empty(&x, model, actions, &o, err)) != PO_OK) return st;
  first = po_stream_save_bytes(&sizes, explore_stream_sizes, x);
  st = bytes < sizeof head + first ? PO_ERR_SIZE : po_stream_restore(x, &sizes, explore_stream_sizes, (const char *)state + sizeof head, first);
  if (st == PO_OK && (x->states < 1 || x->states > o.max_states || x->tried < 0 || x->tried > o.max_states * actions->actions)) st = PO_ERR_PARSE;
  if (st == PO_OK) st = po_stream_restore(x, &all, explore_stream, (const char *)state + sizeof head + first, bytes - sizeof head - first);
  if (st == PO_OK && !explore_makes_sense(x)) st = PO_ERR_PARSE;
  if (st != PO_OK) po_explore_free(x);
  else *exploration = x;
  if (st == PO_ERR_MODEL) return po_fail_at(err, st, file, 0, 0, "this exploration is of another body, or with other actions than '%s'", actions->name);
  return st == PO_OK ? st : po_fail_at(err, st, file, 0, 0, "this exploration cannot be read: %s", po_status_string(st));
}

/* ---- for value iteration ---- */

/* Weights 1/d²; one that is met exactly counts alone. */
static void explore_weights(po_fvi_step *s, const double *d) {
  double sum = 0;
  int k;
  if (!(d[0] > 0)) s->neighbours = 1;
  for (k = 0; k < s->neighbours; k++) sum += s->weight[k] = d[0] > 0 ? d[0] * d[0] / (d[k] * d[k]) : 1;
  for (k = 0; k < s->neighbours; k++) s->weight[k] /= sum;
}

/* A policy's state answers for all that are nearer to it than to others; what an action does there is told by the neighbours as well. */
static void explore_risks(po_fvi_step *s, const po_exploration *x, const po_near *near, double risk) {
  int i, a, k, n, actions = x->actions.actions, neighbour[PO_FVI_NEIGHBOURS + 1];
  for (i = 0; i < x->expanded; i++) {
    n = po_near_find(neighbour, NULL, PO_FVI_NEIGHBOURS + 1, near, x->feature + (size_t)i * (size_t)x->metric.features); /* the first is itself */
    for (a = 0; a < actions; a++) {
      int astray = 0, others = 0;
      for (k = 0; k < n; k++)
        if (neighbour[k] != i) {
          others++;
          astray += x->result[neighbour[k] * actions + a].end != PO_TRIED_TRUSTED;
        }
      s[i * actions + a].risk = others ? risk * astray / others : 0;
    }
  }
}

po_status po_explore_steps(po_fvi_step **steps, int *count, const po_exploration *x, double risk) {
  po_near *near;
  po_fvi_step *s;
  double d[PO_FVI_NEIGHBOURS];
  po_status st;
  int i;
  if (!steps || !count || !x) return PO_ERR_NULL;
  if (!(risk >= 0 && risk <= 1)) return PO_ERR_RANGE;
  if (!x->expanded) return PO_ERR_STATE;
  if ((st = po_near_new(&near, &x->metric, x->feature, x->expanded)) != PO_OK) return st;
  if (!(s = po_alloc(sizeof *s * (size_t)x->tried))) st = PO_ERR_MEMORY;
  for (i = 0; s && i < x->tried; i++) {
    s[i].state = x->result[i].state;
    s[i].action = x->result[i].action;
    s[i].trusted = x->result[i].end == PO_TRIED_TRUSTED;
    s[i].seconds = x->result[i].seconds;
    s[i].step = x->result[i].step;
    if (!s[i].trusted) continue;
    s[i].neighbours = po_near_find(s[i].neighbour, d, PO_FVI_NEIGHBOURS, near, x->end + (size_t)i * (size_t)x->metric.features);
    explore_weights(&s[i], d);
  }
  if (s) explore_risks(s, x, near, risk);
  po_near_free(near);
  *steps = s;
  *count = x->tried;
  return st;
}
