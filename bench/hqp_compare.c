/* hqp_compare.c: references by the judge, solves in turn, scores. */
#include "hqp_compare.h"
#include "judge.h"

#include <math.h>
#include <string.h>

const double po_hqp_profile_ratios[PO_HQP_PROFILE] = {1, 1.2, 1.6, 2, 4, 8, 16};
static const double hqpm_tolerance[3] = {1e-3, 1e-6, 1e-9};
#define HQPM_SHIFT 1e-5   /* of the geometric mean, seconds */
#define HQPM_LATE 1e-3
#define HQPM_PENALTY 10.0 /* what is not solved counts this many times the slowest right time of the set */

typedef struct hqpm_try { /* one solver on one problem */
  double seconds;
  int claims, proof, right, iterations;
} hqpm_try;

typedef struct hqpm_set {
  const po_hqp *problems;
  int count, n, levels, rows;
  double *reference; /* count × PO_HQP_MAX_LEVELS */
  hqpm_try *tries;   /* peers × count */
  int absent[64];    /* peer: cannot be had cold, or warm */
} hqpm_set;

static po_status hqpm_prepare(hqpm_set *s, po_hqp_compare *c, int peers) {
  int i, k;
  po_status status = PO_OK;
  s->reference = (double *)po_alloc(sizeof(double) * PO_HQP_MAX_LEVELS * (size_t)s->count);
  s->tries = (hqpm_try *)po_alloc(sizeof *s->tries * (size_t)(s->count * peers));
  if (!s->reference || !s->tries) return PO_ERR_MEMORY;
  for (i = 0; i < s->count && status == PO_OK; i++) {
    const po_hqp *p = &s->problems[i];
    int rows = 0, certified, feasible;
    for (k = 0; k < p->level_count; k++) rows += p->levels[k].rows;
    if (rows > s->rows) s->rows = rows;
    if (p->n > s->n) s->n = p->n;
    if (p->level_count > s->levels) s->levels = p->level_count;
    status = po_hqp_reference(s->reference + i * PO_HQP_MAX_LEVELS, &certified, &feasible, p);
    c->references++;
    c->certified += certified;
  }
  return status;
}

static void hqpm_judge(hqpm_try *t, const po_hqp *p, const po_hqp_peer_answer *a, const double *reference) {
  t->claims = a->claims;
  t->proof = a->proof;
  t->iterations = a->iterations;
  for (t->right = 0; t->right < 3 && po_hqp_right(p, a->x, reference, hqpm_tolerance[t->right]);) t->right++;
}

/* Every peer on every problem, in turn; a pass goes along the sequence, so that a warm start has the problem before. The least time of the passes counts. */
static po_status hqpm_solve(hqpm_set *s, po_hqp_peer *const *peers, int count, int warm, int repeats) {
  po_status status = PO_OK;
  int pass, i, k;
  for (k = 0; k < count && status == PO_OK; k++) {
    status = po_hqp_peer_make(peers[k], s->n, s->levels, s->rows, warm);
    s->absent[k] = status == PO_ERR_UNSUPPORTED;
    if (s->absent[k]) status = PO_OK;
  }
  for (pass = 0; pass < repeats && status == PO_OK; pass++)
    for (i = 0; i < s->count && status == PO_OK; i++)
      for (k = 0; k < count && status == PO_OK; k++) {
        po_hqp_peer_answer a;
        hqpm_try *t = &s->tries[k * s->count + i];
        int again, times = s->absent[k] ? 0 : warm ? 1 : 3; /* a cold solve can be had again at once, in a warm cache as the warm one has it */
        for (again = 0; again < times && status == PO_OK; again++) {
          status = po_hqp_peer_solve(&a, peers[k], &s->problems[i]);
          if ((!pass && !again) || a.seconds < t->seconds) t->seconds = a.seconds;
          if (t->seconds > 0.02) break;
        }
        if (!times) memset(t, 0, sizeof *t);
        else hqpm_judge(t, &s->problems[i], &a, s->reference + i * PO_HQP_MAX_LEVELS);
      }
  return status;
}

static void hqpm_sort(double *a, int n) {
  int i, j;
  for (i = 1; i < n; i++) {
    double x = a[i];
    for (j = i; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

static po_status hqpm_score(po_hqp_compare *c, const hqpm_set *s, const char *name, po_hqp_peer *const *peers, int count, int warm) {
  double slowest = 0, *times = (double *)po_alloc(sizeof(double) * (size_t)s->count);
  int k, i, j;
  if (!times) return PO_ERR_MEMORY;
  for (i = 0; i < s->count * count; i++)
    if (s->tries[i].right >= 2) slowest = po_max(slowest, s->tries[i].seconds);
  for (k = 0; k < count; k++) {
    po_hqp_score *r;
    double sum = 0;
    if (s->absent[k]) continue;
    if (c->count == c->capacity) {
      int more = c->capacity ? 2 * c->capacity : 64;
      po_hqp_score *grown = (po_hqp_score *)po_alloc(sizeof *grown * (size_t)more);
      if (!grown) return PO_ERR_MEMORY;
      if (c->count) memcpy(grown, c->scores, sizeof *grown * (size_t)c->count);
      po_free(c->scores);
      c->scores = grown;
      c->capacity = more;
    }
    r = &c->scores[c->count++];
    memset(r, 0, sizeof *r);
    po_format(r->set, sizeof r->set, "%s", name);
    po_format(r->solver, sizeof r->solver, "%s", po_hqp_peer_name(peers[k]));
    r->warm = warm;
    r->problems = s->count;
    r->bytes = po_hqp_peer_bytes(peers[k]);
    for (i = 0; i < s->count; i++) {
      const hqpm_try *t = &s->tries[k * s->count + i];
      double best = PO_INF, charged = t->right >= 2 ? t->seconds : HQPM_PENALTY * slowest;
      for (j = 0; j < count; j++)
        if (s->tries[j * s->count + i].right >= 2 && s->tries[j * s->count + i].seconds < best) best = s->tries[j * s->count + i].seconds;
      r->claimed += t->claims != 0;
      r->proof += t->proof;
      for (j = 0; j < 3; j++) r->right[j] += t->right > j;
      r->wrong += t->claims == 1 && t->right < 2;
      r->late += t->seconds > HQPM_LATE;
      r->iterations += (double)t->iterations / s->count;
      r->worst = po_max(r->worst, 1e6 * t->seconds);
      times[i] = 1e6 * t->seconds;
      sum += po_log(charged + HQPM_SHIFT) / s->count;
      for (j = 0; j < PO_HQP_PROFILE; j++) r->faster[j] += (t->right >= 2 && t->seconds <= po_hqp_profile_ratios[j] * best) / (double)s->count;
    }
    hqpm_sort(times, s->count);
    r->median = times[s->count / 2];
    r->mean = 1e6 * (po_exp(sum) - HQPM_SHIFT);
  }
  po_free(times);
  return PO_OK;
}

po_status po_hqp_compare_run(po_hqp_compare *c, const char *path, po_hqp_peer *const *peers, int count, int repeats, po_error *err) {
  const char *base = strrchr(path, '/');
  po_hqp_file *file = NULL;
  hqpm_set s;
  char *text = NULL, name[48];
  size_t size;
  int warm;
  po_status status = po_read_file(&text, &size, path, 0, err);
  if (status == PO_OK) status = po_hqp_read(&file, text, size, path, err);
  po_free(text);
  if (status != PO_OK) return status;
  memset(&s, 0, sizeof s);
  s.problems = file->problems;
  s.count = file->count;
  po_format(name, sizeof name, "%s", base ? base + 1 : path);
  if (strstr(name, ".hqp")) *strstr(name, ".hqp") = '\0';
  status = hqpm_prepare(&s, c, count);
  for (warm = 0; warm < 2 && status == PO_OK; warm++) {
    status = hqpm_solve(&s, peers, count, warm, repeats);
    if (status == PO_OK) status = hqpm_score(c, &s, name, peers, count, warm);
  }
  po_free(s.reference);
  po_free(s.tries);
  po_hqp_file_free(file);
  return status == PO_OK ? status : po_fail_at(err, status, path, 0, 0, "%s", po_status_string(status));
}

void po_hqp_compare_free(po_hqp_compare *c) {
  po_free(c->scores);
  memset(c, 0, sizeof *c);
}
