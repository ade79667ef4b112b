/* test_lcp.c: one problem, four methods: they agree where the answer is unique, prove their residual, and say what they cannot do. */
#include "contact/lcp_internal.h"
#include "contact_helpers.h"

#define MAX_N 96
static double memory[4 << 20];
static po_arena arena;

void setUp(void) { po_arena_init(&arena, memory, sizeof memory); }
void tearDown(void) {}

typedef struct problem {
  double M[MAX_N * MAX_N], q[MAX_N], mu[MAX_N], lo[MAX_N], hi[MAX_N];
  int friction[MAX_N];
  po_lcp p;
} problem;

static po_lcp_result solve(double *z, const po_lcp *p, po_lcp_method method) {
  po_lcp_opts opts = po_lcp_opts_default();
  po_lcp_result result;
  opts.method = method;
  opts.max_sweeps = 20000; /* some random impacts converge slowly: here they are all to be proved */
  opts.max_steps = method == PO_LCP_NEWTON ? 400 : 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_lcp_solve(z, &result, p, &opts, &arena));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, po_lcp_residual(p, z), result.residual);
  return result;
}

/* A random body of `count` contact points: M = J W J' with W the inverse inertia; redundant beyond 2 points. */
static void contact_problem(problem *pr, po_rng *rng, int count, double mu, po_friction_law law) {
  double mass = po_rng_range(rng, 0.5, 20), J[MAX_N][6], W[6], v[6];
  int i, j, k, n = 3 * count;
  po_vec3 normal = po_v3(0, 0, 1);
  for (k = 0; k < 3; k++) {
    W[k] = 1 / (mass * po_rng_range(rng, 0.005, 0.05));
    W[3 + k] = 1 / mass;
    v[k] = po_rng_range(rng, -1, 1);
    v[3 + k] = po_rng_range(rng, -1, 1);
  }
  v[5] = -po_rng_range(rng, 0, 1);
  for (i = 0; i < count; i++) {
    po_vec3 r = po_v3(po_rng_range(rng, -0.2, 0.2), po_rng_range(rng, -0.1, 0.1), -0.1), axis[3];
    axis[0] = normal;
    axis[1] = po_v3(1, 0, 0);
    axis[2] = po_v3(0, 1, 0);
    for (k = 0; k < 3; k++) {
      po_v3_to(J[3 * i + k], po_v3_cross(r, axis[k]));
      po_v3_to(J[3 * i + k] + 3, axis[k]);
      pr->friction[3 * i + k] = k == 0 ? -1 : 3 * i;
      pr->mu[3 * i + k] = mu;
    }
  }
  for (i = 0; i < n; i++) {
    pr->q[i] = 0;
    for (k = 0; k < 6; k++) pr->q[i] += J[i][k] * v[k];
    for (j = 0; j < n; j++) {
      pr->M[i * n + j] = 0;
      for (k = 0; k < 6; k++) pr->M[i * n + j] += J[i][k] * W[k] * J[j][k];
    }
  }
  memset(&pr->p, 0, sizeof pr->p);
  pr->p.n = n;
  pr->p.M = po_mat_of(pr->M, n, n, n);
  pr->p.q = pr->q;
  pr->p.friction = pr->friction;
  pr->p.mu = pr->mu;
  pr->p.law = law;
  pr->p.sides = 8;
}

static problem pr;


/* Which methods take a law. */
static int offers(po_lcp_method method, po_friction_law law) {
  return method >= PO_LCP_PGS || law == PO_FRICTION_BOX || (law == PO_FRICTION_PYRAMID && method == PO_LCP_LEMKE);
}

static void velocities(double *w, const po_lcp *p, const double *z) {
  int i;
  po_gemv(w, p->M, z);
  for (i = 0; i < p->n; i++) w[i] += p->q[i];
}

/* The velocities are what is unique (impulses of redundant contacts are not). With friction even they need not be: a body may jam or
 * slide, and random impacts with mu up to 1.2 often have such a choice. So: every method proves its answers (Gauss-Seidel, which has
 * no guarantee, all but 1 %), without friction all velocities agree, with friction those of nine problems in ten. */
static void agreement(po_friction_law law, int count) {
  int seed, differ = 0, unproved = 0;
  char line[160];
  for (seed = 0; seed < count; seed++) {
    double z[MAX_N], w[MAX_N], first[MAX_N], gap = 0;
    int method, i, have = 0, frictionless = seed % 5 == 0;
    po_rng rng;
    po_rng_init(&rng, (uint64_t)seed, 1);
    contact_problem(&pr, &rng, 1 + seed % 8, frictionless ? 0 : po_rng_range(&rng, 0.1, 1.2), law);
    for (method = 0; method < 4; method++) {
      po_lcp_result r;
      if (!offers((po_lcp_method)method, law)) continue;
      r = solve(z, &pr.p, (po_lcp_method)method);
      if (method == PO_LCP_PGS && !frictionless && r.outcome == PO_LCP_LIMIT) {
        unproved++;
        continue;
      }
      po_format(line, sizeof line, "seed %d law %d %s %s residual %g", seed, law, po_lcp_method_string((po_lcp_method)method),
                po_lcp_outcome_string(r.outcome), r.residual);
      TEST_ASSERT_TRUE_MESSAGE(r.residual < 1e-7, line);
      velocities(w, &pr.p, z);
      if (!have) memcpy(first, w, sizeof w);
      have = 1;
      for (i = 0; i < pr.p.n; i++) gap = po_max(gap, fabs(w[i] - first[i]));
    }
    po_format(line, sizeof line, "seed %d law %d: velocities differ by %g without friction", seed, law, gap);
    if (frictionless) TEST_ASSERT_TRUE_MESSAGE(gap < 1e-5, line);
    differ += gap > 1e-5;
  }
  po_format(line, sizeof line, "law %d: %d of %d have more than one answer, %d not proved by pgs", law, differ, count, unproved);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(differ * 10 <= count && unproved * 100 <= count, line);
}

/* How far z is outside its bounds and friction shapes, in units of the largest impulse. */
static double outside(const po_lcp *p, const double *z) {
  double worst = 0;
  int i, k;
  for (i = 0; i < p->n; i++) {
    double bound, a = z[i], b = i + 1 < p->n ? z[i + 1] : 0;
    if (p->friction[i] < 0) {
      worst = po_max(worst, -z[i]);
      continue;
    }
    bound = p->mu[i] * po_max(0, z[p->friction[i]]);
    if (p->law == PO_FRICTION_CONE) worst = po_max(worst, sqrt(a * a + b * b) - bound);
    else if (p->law == PO_FRICTION_BOX) worst = po_max(worst, po_max(fabs(a), fabs(b)) - bound);
    else
      for (k = 0; k < p->sides; k++)
        worst = po_max(worst, a * po_cos(2 * PO_PI * (k + 0.5) / p->sides) + b * po_sin(2 * PO_PI * (k + 0.5) / p->sides) - bound * po_cos(PO_PI / p->sides));
    i++;
  }
  return worst / (1 + po_norm_inf(z, p->n));
}

/* "Solved" is a residual within the tolerance, for every method and size of the problem; and a pivoting method that is stopped on the way still
 * returns impulses that friction allows. Redundant contacts, where a raised diagonal costs digits: up to 24 of one body. */
static void test_solved_is_within_the_tolerance(void) {
  static const po_friction_law laws[] = {PO_FRICTION_BOX, PO_FRICTION_PYRAMID, PO_FRICTION_CONE};
  int seed, l, method, asked = 0, solved[4] = {0, 0, 0, 0}, tried[4] = {0, 0, 0, 0}, stopped = 0;
  char line[160];
  for (seed = 0; seed < (full() ? 600 : 120); seed++)
    for (l = 0; l < 3; l++)
      for (method = 0; method < 4; method++) {
        double z[MAX_N], scale;
        po_lcp_opts opts = po_lcp_opts_default();
        po_lcp_result r;
        po_rng rng;
        int i;
        if (!offers((po_lcp_method)method, laws[l])) continue;
        po_rng_init(&rng, (uint64_t)seed, 3);
        contact_problem(&pr, &rng, 1 + seed % 24, po_rng_range(&rng, 0.05, 1.2), laws[l]);
        scale = po_exp(po_rng_range(&rng, -3, 3)); /* faster and slower impacts */
        for (i = 0; i < pr.p.n; i++) pr.q[i] *= scale;
        opts.method = (po_lcp_method)method;
        opts.max_steps = method == PO_LCP_NEWTON ? 30 : seed % 3 == 0 && method == PO_LCP_LEMKE ? 1 + seed % 7 : 0;
        stopped += opts.max_steps > 0 && method == PO_LCP_LEMKE;
        TEST_ASSERT_EQUAL_INT(PO_OK, po_lcp_solve(z, &r, &pr.p, &opts, &arena));
        po_format(line, sizeof line, "seed %d law %d %s %s residual %g outside %g", seed, l, po_lcp_method_string(opts.method), po_lcp_outcome_string(r.outcome),
                  r.residual, outside(&pr.p, z));
        TEST_ASSERT_TRUE_MESSAGE(r.residual == po_lcp_residual(&pr.p, z), line);
        TEST_ASSERT_TRUE_MESSAGE((r.outcome == PO_LCP_SOLVED) == (r.residual <= opts.tolerance), line);
        TEST_ASSERT_TRUE_MESSAGE(outside(&pr.p, z) <= (method == PO_LCP_LEMKE || method == PO_LCP_DANTZIG ? 1e-15 : 1e-4), line);
        if (method == PO_LCP_LEMKE && opts.max_steps > 0) continue;
        if (method != PO_LCP_PGS) { /* nobody reaches this but by chance, and nobody may say so */
          po_lcp_result beyond;
          opts.tolerance = 1e-18;
          TEST_ASSERT_EQUAL_INT(PO_OK, po_lcp_solve(z, &beyond, &pr.p, &opts, &arena));
          TEST_ASSERT_TRUE_MESSAGE((beyond.outcome == PO_LCP_SOLVED) == (beyond.residual <= opts.tolerance), line);
        }
        asked++;
        tried[method]++;
        solved[method] += r.outcome == PO_LCP_SOLVED;
      }
  po_format(line, sizeof line, "%d asked; solved lemke %d of %d, dantzig %d of %d, pgs %d of %d, newton %d of %d; %d stopped", asked, solved[0], tried[0], solved[1],
            tried[1], solved[2], tried[2], solved[3], tried[3], stopped);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(solved[0] * 100 >= 99 * tried[0] && solved[1] * 100 >= 99 * tried[1] && solved[3] * 100 >= 95 * tried[3], line);
}

/* Contacts that slide in one direction only: every law is the same law, and all methods know it. */
static void test_single_friction_rows(void) {
  int seed, l, differ = 0, compared = 0;
  char line[160];
  for (seed = 0; seed < 100; seed++) {
    static problem flat;
    double z[MAX_N], w[MAX_N], first[MAX_N];
    int i, j, n = 0, keep[MAX_N], have = 0;
    po_rng rng;
    po_rng_init(&rng, (uint64_t)seed, 2);
    contact_problem(&pr, &rng, 1 + seed % 6, po_rng_range(&rng, 0.1, 1.2), PO_FRICTION_CONE);
    for (i = 0; i < pr.p.n; i++) /* the second row of every pair goes */
      if (pr.friction[i] < 0 || (i + 1 < pr.p.n && pr.friction[i + 1] == pr.friction[i])) keep[n++] = i;
    for (i = 0; i < n; i++) {
      for (j = 0; j < n; j++) flat.M[i * n + j] = PO_AT(pr.p.M, keep[i], keep[j]);
      flat.q[i] = pr.q[keep[i]];
      flat.mu[i] = pr.mu[keep[i]];
      flat.friction[i] = -1;
      for (j = 0; j < n; j++)
        if (keep[j] == pr.friction[keep[i]]) flat.friction[i] = j;
    }
    flat.p = pr.p;
    flat.p.n = n;
    flat.p.M = po_mat_of(flat.M, n, n, n);
    flat.p.q = flat.q;
    flat.p.mu = flat.mu;
    flat.p.friction = flat.friction;
    for (l = 0; l < 3; l++) {
      static const po_friction_law laws[] = {PO_FRICTION_BOX, PO_FRICTION_PYRAMID, PO_FRICTION_CONE};
      int method;
      flat.p.law = laws[l];
      for (method = 0; method < 4; method++) {
        po_lcp_result r;
        double gap = 0;
        if (!offers((po_lcp_method)method, laws[l])) continue;
        r = solve(z, &flat.p, (po_lcp_method)method);
        po_format(line, sizeof line, "seed %d law %d %s residual %g", seed, laws[l], po_lcp_method_string((po_lcp_method)method), r.residual);
        TEST_ASSERT_TRUE_MESSAGE(r.residual < 1e-7, line);
        velocities(w, &flat.p, z);
        if (!have) memcpy(first, w, sizeof w);
        have = 1;
        for (i = 0; i < n; i++) gap = po_max(gap, fabs(w[i] - first[i]));
        compared++;
        differ += gap > 1e-5;
      }
    }
  }
  po_format(line, sizeof line, "%d of %d answers differ", differ, compared);
  TEST_ASSERT_TRUE_MESSAGE(differ * 10 <= compared, line);
}

static int problems(void) { return full() ? 1000 : 200; }
static void test_the_methods_agree_under_the_box_law(void) { agreement(PO_FRICTION_BOX, problems()); }
static void test_the_methods_agree_under_the_pyramid_law(void) { agreement(PO_FRICTION_PYRAMID, problems()); }
static void test_the_methods_agree_under_the_cone_law(void) { agreement(PO_FRICTION_CONE, problems()); }

/* ---- problems of real motions ------------------------------------------------------------------------------------------------------------- */

#define RECORDED 1000
#define RECORDED_N 60
typedef struct record {
  int n, friction[RECORDED_N];
  double M[RECORDED_N * RECORDED_N], q[RECORDED_N], lo[RECORDED_N], hi[RECORDED_N], mu[RECORDED_N], guess[RECORDED_N];
} record;
static record *records;
static int recorded, offered, every;

static void keep(void *user, const po_lcp *p, const double *guess) {
  record *r;
  int i;
  (void)user;
  if (recorded == RECORDED || p->n > RECORDED_N || offered++ % every) return;
  r = &records[recorded++];
  r->n = p->n;
  for (i = 0; i < p->n; i++) memcpy(r->M + i * p->n, po_row(p->M, i), sizeof(double) * (size_t)p->n);
  memcpy(r->q, p->q, sizeof(double) * (size_t)p->n);
  memcpy(r->lo, p->lo, sizeof(double) * (size_t)p->n);
  memcpy(r->hi, p->hi, sizeof(double) * (size_t)p->n);
  memcpy(r->mu, p->mu, sizeof(double) * (size_t)p->n);
  memcpy(r->friction, p->friction, sizeof(int) * (size_t)p->n);
  memcpy(r->guess, guess, sizeof(double) * (size_t)p->n);
}

/* Falling limp bodies, a sliding and a tumbling box: every kind of contact, and joint limits. */
static void record_all(void) {
  static const char *const names[] = {"human", "ostrich", "child", "human"};
  const po_model *box = free_box(1, 0.1, 0.15, 0.2);
  int b;
  records = (record *)malloc(sizeof(record) * RECORDED);
  recorded = offered = 0;
  every = 7;
  for (b = 0; b < 4; b++) {
    po_world_opts opts = po_world_opts_default();
    const po_model *m;
    po_error err;
    po_world *w;
    po_rng rng;
    int k, i;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, names[b], &err));
    opts.record = keep;
    opts.joint_damping = 0.2;
    w = new_world(&opts);
    add(w, m, 0, 0, 0);
    po_neutral(po_world_q(w, 0), m);
    po_world_q(w, 0)[6] += 0.3 * b;
    add(w, box, 2, 0, 0.3);
    po_rng_init(&rng, (uint64_t)b, 0);
    for (i = 0; i < m->nv; i++) po_world_v(w, 0)[i] = po_rng_range(&rng, -0.5, 0.5);
    for (i = 0; i < 6; i++) po_world_v(w, 1)[i] = po_rng_range(&rng, -3, 3);
    for (k = 0; k < 2500 && recorded < 250 * (b + 1); k++) steps(w, 1, 1e-3);
    po_world_free(w);
    po_model_free(m);
  }
  po_model_free(box);
  TEST_ASSERT_EQUAL_INT(RECORDED, recorded);
}

static po_lcp recorded_problem(const record *r, po_friction_law law) {
  po_lcp p;
  memset(&p, 0, sizeof p);
  p.n = r->n;
  p.M = po_mat_of((double *)(uintptr_t)r->M, r->n, r->n, r->n);
  p.q = r->q;
  p.lo = r->lo;
  p.hi = r->hi;
  p.mu = r->mu;
  p.friction = r->friction;
  p.law = law;
  p.sides = 8;
  return p;
}

/* Pivoting methods (two of them under the box law) prove all but 1 % of their answers; Newton with the world's budget all but 2 %, and with patience all but 0.5 %; where two methods prove
 * theirs, velocities agree in 95 of 100 problems (sticking or sliding can be a matter of choice when a limp body hits the ground). */
static void test_recorded_problems(void) {
  static const po_friction_law laws[] = {PO_FRICTION_BOX, PO_FRICTION_PYRAMID, PO_FRICTION_CONE};
  int l, i, stride = full() ? 1 : 10;
  char line[200];
  record_all();
  for (l = 0; l < 3; l++) {
    int count = 0, quick = 0, unproved = 0, pivots_failed = 0, differ = 0, compared = 0;
    for (i = 0; i < RECORDED; i += stride) {
      po_lcp p = recorded_problem(&records[i], laws[l]);
      double z[RECORDED_N], w[4][RECORDED_N], gap;
      po_lcp_opts opts = po_lcp_opts_default();
      po_lcp_result r;
      int method, k, first = -1;
      count++;
      opts.tolerance = 1e-8;
      opts.max_sweeps = 100;
      opts.warm = 1;
      memcpy(z, records[i].guess, sizeof z);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_lcp_solve(z, &r, &p, &opts, &arena));
      quick += r.outcome != PO_LCP_SOLVED;
      for (method = 0; method < 4; method++) {
        if (!offers((po_lcp_method)method, laws[l]) || method == PO_LCP_PGS) continue;
        r = solve(z, &p, (po_lcp_method)method);
        if (!(r.residual < 1e-7)) {
          unproved += method == PO_LCP_NEWTON;
          pivots_failed += method != PO_LCP_NEWTON;
          continue;
        }
        velocities(w[method], &p, z);
        if (first < 0) {
          first = method;
          continue;
        }
        compared++;
        for (k = 0, gap = 0; k < p.n; k++) gap = po_max(gap, fabs(w[method][k] - w[first][k]));
        differ += gap > 1e-4;
      }
    }
    po_format(line, sizeof line, "law %d, %d problems: newton fails %d (in a hurry %d), pivoting %d; %d of %d answers differ", laws[l], count, unproved, quick,
              pivots_failed, differ, compared);
    TEST_MESSAGE(line);
    TEST_ASSERT_TRUE_MESSAGE(unproved * 200 <= count && quick * 50 <= count && pivots_failed * 100 <= 2 * count && differ * 20 <= compared + 19, line);
  }
  free(records);
}

/* ---- edge cases ------------------------------------------------------------------------------------------------------------------------------ */

static po_lcp plain(int n, double *M, double *q) {
  po_lcp p;
  memset(&p, 0, sizeof p);
  p.n = n;
  p.M = po_mat_of(M, n, n, n);
  p.q = q;
  return p;
}

static void test_duplicate_contacts_and_zero_rows(void) {
  int method;
  for (method = 0; method < 4; method++) {
    double M[9] = {2, 2, 0, 2, 2, 0, 0, 0, 0}, q[3] = {-4, -4, 1}, z[3]; /* two equal rows; a zero row that is content */
    po_lcp p = plain(3, M, q);
    po_lcp_result r = solve(z, &p, (po_lcp_method)method);
    TEST_ASSERT_EQUAL_INT(PO_LCP_SOLVED, r.outcome);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 2, z[0] + z[1]);
    TEST_ASSERT_TRUE(z[0] >= 0 && z[1] >= 0);
  }
}

static void test_infeasible_is_an_outcome(void) {
  int method;
  for (method = 0; method < 4; method++) {
    double M[4] = {1, -1, -1, 1}, q[2] = {-1, -1}, Z[4] = {0, 0, 0, 1}, q2[2] = {-1, -1}, z[2];
    po_lcp p = plain(2, M, q);
    po_lcp_result r = solve(z, &p, (po_lcp_method)method);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("infeasible", po_lcp_outcome_string(r.outcome), po_lcp_method_string((po_lcp_method)method));
    TEST_ASSERT_TRUE(r.residual > 0.1);
    p = plain(2, Z, q2); /* a zero row that wants more */
    r = solve(z, &p, (po_lcp_method)method);
    TEST_ASSERT_TRUE_MESSAGE(r.outcome != PO_LCP_SOLVED && r.residual > 0.1, po_lcp_method_string((po_lcp_method)method));
  }
}

/* Whether w = M z + q, z, w ≥ 0, z·w = 0 has a solution, by trying all four ways for two rows. */
static int two_rows_solvable(const double *M, const double *q) {
  double det = M[0] * M[3] - M[1] * M[2], z0 = (-q[0] * M[3] + q[1] * M[1]) / det, z1 = (-q[1] * M[0] + q[0] * M[2]) / det;
  if (q[0] >= 0 && q[1] >= 0) return 1;
  if (-q[0] / M[0] >= 0 && q[1] - M[2] * q[0] / M[0] >= 0) return 1;
  if (-q[1] / M[3] >= 0 && q[0] - M[1] * q[1] / M[3] >= 0) return 1;
  return z0 >= 0 && z1 >= 0;
}

/* For any M a ray is no proof: of the random problems that end in one, one in ten has a solution. None of them may be called infeasible, and
 * of those that are, none has one. */
static void test_a_ray_is_not_a_proof(void) {
  po_rng rng;
  int k, rays = 0, proofs = 0, rays_with_solution = 0;
  char line[160];
  po_rng_init(&rng, 1, 17);
  for (k = 0; k < 20000; k++) {
    double M[4], q[2], z[2];
    int i;
    po_lcp p = plain(2, M, q);
    po_lcp_result r;
    for (i = 0; i < 4; i++) M[i] = po_rng_range(&rng, -1, 1);
    for (i = 0; i < 2; i++) q[i] = po_rng_range(&rng, -1, 1);
    r = solve(z, &p, PO_LCP_LEMKE);
    rays += r.outcome == PO_LCP_RAY;
    rays_with_solution += r.outcome == PO_LCP_RAY && two_rows_solvable(M, q);
    proofs += r.outcome == PO_LCP_INFEASIBLE;
    po_format(line, sizeof line, "problem %d: called %s, but has a solution", k, po_lcp_outcome_string(r.outcome));
    TEST_ASSERT_FALSE_MESSAGE(r.outcome == PO_LCP_INFEASIBLE && two_rows_solvable(M, q), line);
  }
  po_format(line, sizeof line, "%d rays, %d of them with a solution; %d proofs", rays, rays_with_solution, proofs);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE_MESSAGE(rays_with_solution > 100 && proofs > 1000, line);
}

/* M = J J' with fewer columns than rows: without friction every ray is a proof, and is found to be one. */
static void test_rays_of_semidefinite_problems_are_proofs(void) {
  po_rng rng;
  int k, infeasible = 0;
  char line[160];
  po_rng_init(&rng, 2, 17);
  for (k = 0; k < 2000; k++) {
    double M[64], q[8], J[8][3], z[8], size = 0;
    int n = 2 + po_rng_below(&rng, 7), rank = 1 + po_rng_below(&rng, n < 4 ? n - 1 : 3), i, j, c;
    po_lcp p;
    po_lcp_result r;
    for (i = 0; i < n; i++) {
      q[i] = po_rng_range(&rng, -1, 1);
      for (c = 0; c < 3; c++) J[i][c] = c < rank ? po_rng_range(&rng, -1, 1) : 0;
    }
    for (i = 0; i < n; i++)
      for (j = 0; j < n; j++) M[i * n + j] = J[i][0] * J[j][0] + J[i][1] * J[j][1] + J[i][2] * J[j][2];
    p = plain(n, M, q);
    r = solve(z, &p, PO_LCP_LEMKE);
    for (i = 0; i < n; i++) size = po_max(size, fabs(q[i]));
    infeasible += r.outcome == PO_LCP_INFEASIBLE;
    po_format(line, sizeof line, "problem %d, %d rows of rank %d: %s", k, n, rank, po_lcp_outcome_string(r.outcome));
    TEST_ASSERT_TRUE_MESSAGE(r.outcome == PO_LCP_INFEASIBLE || (r.outcome == PO_LCP_SOLVED && r.residual <= 1e-6 * size), line);
  }
  po_format(line, sizeof line, "%d of 2000 infeasible", infeasible);
  TEST_ASSERT_TRUE_MESSAGE(infeasible > 200 && infeasible < 1800, line);
}

/* The proof itself: v by hand for every kind of row. */
static void test_what_proves_infeasible(void) {
  double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0, 0}, lo[3] = {0, 0, 0}, hi[3] = {PO_INF, PO_INF, PO_INF}, mu[3] = {0, 1, 1}, v[3] = {1, 0, 0};
  int friction[3] = {-1, 0, 0};
  po_lcp p = plain(3, M, q);
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v)); /* z0 = 1 */
  M[0] = 0;
  TEST_ASSERT_TRUE(po_lcp_infeasible(&p, v)); /* 0 z0 − 1 ≥ 0 */
  v[0] = -1;
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v)); /* not a sign that w0 has */
  v[0] = 1;
  M[0] = 1e-3; /* z0 = 1000 */
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v));
  p.lo = lo;
  p.hi = hi;
  M[0] = 0;
  hi[0] = 5; /* a box: w0 may be negative at the upper end */
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v));
  hi[0] = PO_INF;
  M[1] = 1; /* z1 could help, */
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v));
  hi[1] = 0.5; /* but not enough */
  TEST_ASSERT_TRUE(po_lcp_infeasible(&p, v));
  hi[1] = 2;
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v));
  lo[0] = -PO_INF; /* free: w0 = 0, and −z1 + … = 1 is out of reach the other way */
  M[1] = 0;
  q[0] = 1;
  v[0] = -1;
  TEST_ASSERT_TRUE(po_lcp_infeasible(&p, v));
  lo[0] = 0; /* friction of the row could push it: z1 up to mu z0 */
  q[0] = -1;
  v[0] = 1;
  p.friction = friction;
  p.mu = mu;
  TEST_ASSERT_TRUE(po_lcp_infeasible(&p, v));
  M[1] = 0.5;
  TEST_ASSERT_FALSE(po_lcp_infeasible(&p, v));
}

static void test_bounds(void) {
  int method;
  for (method = 0; method < 4; method++) {
    double M[16], q[4] = {-1, 5, -2, 3}, lo[4] = {-PO_INF, -PO_INF, 0.5, -0.2}, hi[4] = {PO_INF, 1, 0.7, 0.3}, z[4], w[4];
    po_lcp p = plain(4, M, q);
    po_lcp_result r;
    int i, j;
    for (i = 0; i < 4; i++)
      for (j = 0; j < 4; j++) M[4 * i + j] = i == j ? 2 : 0.3;
    p.lo = lo;
    p.hi = hi;
    r = solve(z, &p, (po_lcp_method)method);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("solved", po_lcp_outcome_string(r.outcome), po_lcp_method_string((po_lcp_method)method));
    velocities(w, &p, z);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, w[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, w[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.7, z[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, -0.2, z[3]);
    TEST_ASSERT_TRUE(w[2] < 0 && w[3] > 0);
  }
}

static void test_misuse_is_a_status(void) {
  double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1, 0.1, 0.1}, mu[3] = {0, 1, 1}, z[3] = {7, 7, 7}, lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1};
  int friction[3] = {-1, 0, 0};
  po_lcp_opts opts = po_lcp_opts_default();
  po_lcp_result r;
  po_lcp p = plain(3, M, q);
  p.friction = friction;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_lcp_solve(z, &r, &p, &opts, &arena)); /* no mu */
  p.mu = mu;
  p.law = PO_FRICTION_CONE;
  opts.method = PO_LCP_LEMKE;
  TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, po_lcp_solve(z, &r, &p, &opts, &arena));
  opts.method = PO_LCP_DANTZIG;
  p.law = PO_FRICTION_PYRAMID;
  p.sides = 8;
  TEST_ASSERT_EQUAL_INT(PO_ERR_UNSUPPORTED, po_lcp_solve(z, &r, &p, &opts, &arena));
  opts.method = PO_LCP_NEWTON;
  p.sides = 7;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_lcp_solve(z, &r, &p, &opts, &arena));
  p.sides = 8;
  friction[2] = 1; /* friction upon friction */
  TEST_ASSERT_TRUE(po_lcp_solve(z, &r, &p, &opts, &arena) != PO_OK);
  friction[2] = 0;
  mu[2] = 0.5; /* a pair has one mu */
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_lcp_solve(z, &r, &p, &opts, &arena));
  mu[2] = 1;
  mu[1] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_lcp_solve(z, &r, &p, &opts, &arena));
  mu[1] = 1;
  M[4] = PO_INF;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_lcp_solve(z, &r, &p, &opts, &arena));
  M[4] = 1;
  q[0] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_lcp_solve(z, &r, &p, &opts, &arena));
  q[0] = -1;
  p.friction = NULL;
  p.lo = hi;
  p.hi = lo;
  TEST_ASSERT_EQUAL_INT(PO_ERR_BOUNDS, po_lcp_solve(z, &r, &p, &opts, &arena));
  p.lo = p.hi = NULL;
  p.M.cols = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_lcp_solve(z, &r, &p, &opts, &arena));
  p.M.cols = 3;
  opts.tolerance = PO_NAN;
  TEST_ASSERT_TRUE(po_lcp_solve(z, &r, &p, &opts, &arena) != PO_OK);
  opts.tolerance = 1e-9;
  TEST_ASSERT_EQUAL_DOUBLE(7, z[0]); /* untouched all along */
  {
    po_arena tiny;
    double few[8];
    po_arena_init(&tiny, few, sizeof few);
    TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_lcp_solve(z, &r, &p, &opts, &tiny));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_lcp_solve(z, &r, &p, &opts, &arena));
  p.n = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_lcp_solve(z, &r, &p, &opts, &arena));
  TEST_ASSERT_EQUAL_INT(PO_LCP_SOLVED, r.outcome);
}

/* A pyramid of many sides approaches the cone. */
static void test_pyramids_approach_the_cone(void) {
  double last = 0, cone[3], z[3], M[9] = {1, 0.1, 0.2, 0.1, 1.3, 0.1, 0.2, 0.1, 0.9}, q[3] = {-1, 2, -1.3}, mu[3] = {0.5, 0.5, 0.5};
  int friction[3] = {-1, 0, 0}, sides, k;
  po_lcp p = plain(3, M, q);
  p.friction = friction;
  p.mu = mu;
  p.law = PO_FRICTION_CONE;
  solve(cone, &p, PO_LCP_NEWTON);
  TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.5 * cone[0], sqrt(cone[1] * cone[1] + cone[2] * cone[2]));
  p.law = PO_FRICTION_PYRAMID;
  for (sides = 4; sides <= 32; sides *= 2) {
    double gap = 0, newton[3];
    p.sides = sides;
    solve(z, &p, PO_LCP_LEMKE);
    solve(newton, &p, PO_LCP_NEWTON);
    for (k = 0; k < 3; k++) {
      gap = po_max(gap, fabs(z[k] - cone[k]));
      TEST_ASSERT_DOUBLE_WITHIN(1e-8, z[k], newton[k]);
    }
    TEST_ASSERT_TRUE(sides == 4 || gap < last + 0.05);
    last = gap;
  }
  TEST_ASSERT_TRUE(last < 0.05);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_recorded_problems);
  RUN_TEST(test_duplicate_contacts_and_zero_rows);
  RUN_TEST(test_infeasible_is_an_outcome);
  RUN_TEST(test_a_ray_is_not_a_proof);
  RUN_TEST(test_rays_of_semidefinite_problems_are_proofs);
  RUN_TEST(test_what_proves_infeasible);
  RUN_TEST(test_bounds);
  RUN_TEST(test_misuse_is_a_status);
  RUN_TEST(test_pyramids_approach_the_cone);
  RUN_TEST(test_solved_is_within_the_tolerance);
  RUN_TEST(test_single_friction_rows);
  RUN_TEST(test_the_methods_agree_under_the_box_law);
  RUN_TEST(test_the_methods_agree_under_the_pyramid_law);
  RUN_TEST(test_the_methods_agree_under_the_cone_law);
  return UNITY_END() != 0;
}
