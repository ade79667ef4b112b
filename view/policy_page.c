/* policy_page.c: a policy as one page that needs nothing else: which action for which state and goal, its worth, how the states were found. */
#include "base64.h"
#include "page_source.h"
#include "view.h"
#include <string.h>

#define POLICY_PAGE_ROWS 250 /* states that are shown: a screen has not many more rows */

static int page_rows(const po_exploration *x) { return x->expanded < POLICY_PAGE_ROWS ? x->expanded : POLICY_PAGE_ROWS; }
/* Rows spread over all states. */
static int page_state(const po_exploration *x, int row) { return (int)((long)row * x->expanded / page_rows(x)); }

/* The state from which each one was first reached; −1: trusted from the start. They were added in the order of the tries. */
static void page_parents(po_jw *w, const po_exploration *x) {
  size_t bytes = sizeof(float) * (size_t)x->metric.features;
  int i, next = x->trusted;
  po_jw_array(w, "parent");
  for (i = 0; i < x->trusted; i++) po_jw_int(w, NULL, -1);
  for (i = 0; i < x->tried && next < x->states; i++)
    if (x->result[i].end == PO_TRIED_TRUSTED && !memcmp(x->end + (size_t)i * bytes / sizeof(float), x->feature + (size_t)next * bytes / sizeof(float), bytes)) {
      po_jw_int(w, NULL, x->result[i].state);
      next++;
    }
  po_jw_end(w);
}

static void page_states(po_jw *w, const po_exploration *x) {
  int i, a, n = x->actions.actions, all = 0;
  po_jw_int(w, "states", x->expanded);
  po_jw_int(w, "shown", page_rows(x));
  po_jw_array(w, "index");
  for (i = 0; i < page_rows(x); i++) po_jw_int(w, NULL, page_state(x, i));
  po_jw_end(w);
  po_jw_array(w, "depth");
  for (i = 0; i < page_rows(x); i++) po_jw_int(w, NULL, x->depth[page_state(x, i)]);
  po_jw_end(w);
  po_jw_array(w, "all_depth");
  for (i = 0; i < x->states; i++) po_jw_int(w, NULL, x->depth[i]);
  po_jw_end(w);
  po_jw_array(w, "viable");
  for (i = 0; i < x->states; i++) {
    int viable = i < x->expanded ? 0 : -1;
    for (a = 0; a < n && i < x->expanded; a++) viable += x->result[i * n + a].end == PO_TRIED_TRUSTED;
    all += viable > 0 ? viable : 0;
    po_jw_int(w, NULL, viable);
  }
  po_jw_end(w);
  po_jw_number(w, "viable_mean", x->expanded ? (double)all / x->expanded : 0);
  page_parents(w, x);
}

void po_policy_page_begin(po_policy_page *p, const po_exploration *x) {
  int i;
  memset(p, 0, sizeof *p);
  p->exploration = x;
  po_jw_init(&p->w, &p->json, 0);
  po_jw_object(&p->w, NULL);
  po_jw_string(&p->w, "name", x->actions.name);
  po_jw_string(&p->w, "body", x->actions.body);
  po_jw_array(&p->w, "actions");
  for (i = 0; i < x->actions.actions; i++) po_jw_string(&p->w, NULL, x->actions.action[i].name);
  po_jw_end(&p->w);
  page_states(&p->w, x);
  po_jw_array(&p->w, "tasks");
}

static void page_axes(po_jw *w, const po_task *t) {
  static const char *const name[PO_TASK_KINDS][PO_TASK_AXES] = {{"x"}, {"heading"}, {"x", "y"}, {"x", "y", "heading"}, {"speed", "heading"}, {NULL}};
  static const char *const unit[PO_TASK_KINDS][PO_TASK_AXES] = {{"m"}, {"rad"}, {"m", "m"}, {"m", "m", "rad"}, {"m/s", "rad"}, {NULL}};
  int i, k;
  po_jw_array(w, "axes");
  for (i = 0; i < t->axes; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "name", name[t->kind][i]);
    po_jw_string(w, "unit", unit[t->kind][i]);
    po_jw_array(w, "at");
    for (k = 0; k < t->axis[i].samples; k++) po_jw_number(w, NULL, t->axis[i].at[k]);
    po_jw_end(w);
    po_jw_end(w);
  }
  po_jw_end(w);
}

/* One byte for each shown state and goal, as base64 text. */
static void page_table(po_jw *w, const char *key, const po_exploration *x, const po_fvi *f, int values, double low, double high) {
  po_buffer text = {0};
  po_base64 b;
  int row, k;
  po_base64_begin(&b, &text);
  for (row = 0; row < page_rows(x); row++)
    for (k = 0; k < f->samples; k++) {
      size_t at = (size_t)page_state(x, row) * (size_t)f->samples + (size_t)k;
      po_base64_u8(&b, values ? (unsigned)(255 * (f->value[at] - low) / (high > low ? high - low : 1) + 0.5) : f->action[at]);
    }
  po_base64_end(&b);
  po_buffer_add(&text, "", 1);
  if (text.failed) w->out->failed = 1;
  else po_jw_string(w, key, text.data);
  po_buffer_free(&text);
}

void po_policy_page_task(po_policy_page *p, const po_fvi *f) {
  size_t i, n = (size_t)f->problem.states * (size_t)f->samples;
  double low = PO_INF, high = -PO_INF;
  for (i = 0; i < n; i++) low = po_min(low, f->value[i]), high = po_max(high, f->value[i]);
  po_jw_object(&p->w, NULL);
  po_jw_string(&p->w, "name", po_task_names[f->problem.task.kind]);
  po_jw_number(&p->w, "low", low);
  po_jw_number(&p->w, "high", high);
  page_axes(&p->w, &f->problem.task);
  page_table(&p->w, "action", p->exploration, f, 0, low, high);
  page_table(&p->w, "value", p->exploration, f, 1, low, high);
  po_jw_end(&p->w);
}

void po_policy_page_end(po_buffer *out, po_policy_page *p) {
  po_jw_end(&p->w);
  po_jw_end(&p->w);
  po_page_fill(out, po_policy_page_html, po_policy_page_css, po_policy_page_js, &p->json, "data");
  po_buffer_free(&p->json);
}
