/* families_qp.c: families of QPs, as QPS text. */
#include "families.h"

#include <math.h>
#include <string.h>

enum { FAMQ_RANDOM, FAMQ_KLEE_MINTY, FAMQ_DEGENERATE, FAMQ_INFEASIBLE, FAMQ_UNBOUNDED };
const po_qp_family po_qp_families[] = {{"random", "a dense strictly convex QP, half as many rows as unknowns, a box", 20},
                                       {"klee-minty", "the cube of Klee and Minty in n dimensions, on which simplex steps visit every vertex", 10},
                                       {"degenerate", "integer rows through one vertex, twice as many as unknowns", 12},
                                       {"infeasible", "a random QP and a row that contradicts the sum of others", 20},
                                       {"unbounded", "a singular cost that falls along a direction no row stops", 20},
                                       {NULL, NULL, 0}};

typedef struct famq {
  int n, m;
  double *H, *g, *C, *l, *u, *lower, *upper;
} famq;

static void famq_convex(famq *q, po_rng *rng, int rank) {
  int n = q->n, i, j, k;
  for (k = 0; k < rank; k++) {
    double row[256];
    for (j = 0; j < n; j++) row[j] = po_rng_normal(rng);
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) q->H[i * n + j] += row[i] * row[j] / n;
  }
  for (i = 0; i < n; i++) q->g[i] = po_rng_normal(rng);
}

static void famq_rows(famq *q, po_rng *rng, int m) {
  int i, j;
  for (i = 0; i < m; i++, q->m++) {
    for (j = 0; j < q->n; j++) q->C[i * q->n + j] = po_rng_normal(rng);
    q->l[i] = po_rng_normal(rng) - 1;
    q->u[i] = q->l[i] + 1 + fabs(po_rng_normal(rng));
  }
}

static void famq_box(famq *q, double reach) {
  int j;
  for (j = 0; j < q->n; j++) q->lower[j] = -reach, q->upper[j] = reach;
}

/* max Σ 2^(n−j) x_j   s.t.  Σ_{j<i} 2^(i−j+1) x_j + x_i <= 5^i,  x >= 0: the optimum is (0, … 0, 5^n). */
static void famq_klee_minty(famq *q) {
  int n = q->n, i, j;
  double five = 1;
  for (i = 0; i < n; i++, q->m++) {
    for (j = 0; j < i; j++) q->C[i * n + j] = (double)(UINT64_C(1) << (i - j + 1));
    q->C[i * n + i] = 1;
    q->l[i] = -PO_INF;
    q->u[i] = five *= 5;
    q->g[i] = -(double)(UINT64_C(1) << (n - 1 - i));
    q->lower[i] = 0;
    q->upper[i] = PO_INF;
  }
}

static void famq_degenerate(famq *q, po_rng *rng) {
  int n = q->n, i, j;
  famq_convex(q, rng, n);
  for (j = 0; j < n; j++) q->g[j] = -10;
  for (i = 0; i < 2 * n; i++, q->m++) {
    double at = 0;
    for (j = 0; j < n; j++) at += q->C[i * n + j] = po_rng_below(rng, 3) ? 0 : po_rng_below(rng, 3);
    q->l[i] = -PO_INF;
    q->u[i] = at; /* through (1, … 1) */
  }
}

static void famq_make(famq *q, int kind, po_rng *rng) {
  int n = q->n, i, j;
  for (j = 0; j < n; j++) q->lower[j] = -PO_INF, q->upper[j] = PO_INF;
  switch (kind) {
  case FAMQ_KLEE_MINTY: famq_klee_minty(q); break;
  case FAMQ_DEGENERATE: famq_degenerate(q, rng); break;
  case FAMQ_UNBOUNDED:
    famq_convex(q, rng, n / 2);
    for (i = 0; i < n / 4; i++, q->m++) { /* rows that do not see the last unknown, nor does the cost but for its slope */
      for (j = 0; j + 1 < n; j++) q->C[i * n + j] = po_rng_normal(rng);
      q->l[i] = -1;
      q->u[i] = 1;
    }
    for (j = 0; j < n; j++) q->H[j * n + n - 1] = q->H[(n - 1) * n + j] = 0;
    q->g[n - 1] = -1;
    q->lower[n - 1] = 0;
    break;
  default:
    famq_convex(q, rng, n + 2);
    famq_rows(q, rng, n / 2);
    famq_box(q, 10);
    if (kind != FAMQ_INFEASIBLE) break;
    for (i = 0; i < n / 2; i++)
      for (j = 0; j < n; j++) q->C[q->m * n + j] += q->C[i * n + j];
    q->u[q->m] = PO_INF;
    for (i = 0; i < n / 2; i++) q->l[q->m] += q->u[i];
    q->l[q->m++] += 1;
  }
}

po_status po_qp_family_write(po_buffer *out, const po_qp_family *family, int n, unsigned seed) {
  int kind = (int)(family - po_qp_families), most = 2 * n + 2;
  size_t N = (size_t)n, M = (size_t)most;
  famq q;
  po_qp p;
  po_rng rng;
  char name[40];
  double *memory;
  if (n < 2 || n > (kind == FAMQ_KLEE_MINTY ? 20 : 256)) return PO_ERR_SIZE;
  memory = (double *)po_alloc(sizeof(double) * (N * N + M * N + 2 * M + 3 * N));
  if (!memory) return PO_ERR_MEMORY;
  memset(memory, 0, sizeof(double) * (N * N + M * N + 2 * M + 3 * N));
  memset(&q, 0, sizeof q);
  q.n = n;
  q.H = memory;
  q.C = q.H + N * N;
  q.l = q.C + M * N;
  q.u = q.l + M;
  q.g = q.u + M;
  q.lower = q.g + N;
  q.upper = q.lower + N;
  po_rng_init(&rng, seed, 50);
  famq_make(&q, kind, &rng);
  memset(&p, 0, sizeof p);
  p.n = n;
  p.H = po_mat_of(q.H, n, n, n);
  p.g = q.g;
  p.mi = q.m;
  p.C = po_mat_of(q.C, q.m, n, n);
  p.cl = q.l;
  p.cu = q.u;
  p.xl = q.lower;
  p.xu = q.upper;
  po_format(name, sizeof name, "%s_%u", family->name, seed);
  po_qps_write(out, &p, name);
  po_free(memory);
  return PO_OK;
}
