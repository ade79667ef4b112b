/* test_ddp_oracle.c: momentum problems against Ipopt's answers, by every method. They are read from ORACLE (default
 * ../shared/oracle). */
#include "ctrl/ddp/ddp.h"
#include "unity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const char *const names[] = {"step", "step_pushed", "step_up", "squat"};

static char *read_oracle(const char *name, const char *ending, size_t *size) {
  const char *root = getenv("ORACLE") ? getenv("ORACLE") : "../shared/oracle";
  char path[512], *text = NULL;
  po_format(path, sizeof path, "%s/ddp/%s%s", root, name, ending);
  return po_read_file(&text, size, path, 0, NULL) == PO_OK ? text : NULL;
}

typedef struct oracle_answer {
  double cost, force[3], com_mid[3], momentum_peak;
} oracle_answer;

static int read_answer(oracle_answer *a, const char *name) {
  size_t size;
  char *text = read_oracle(name, ".answer.json", &size);
  po_json *root = NULL;
  int good;
  if (!text) return 0;
  good = po_json_parse(&root, text, size, name, NULL) == PO_OK &&
         po_json_doubles(a->force, 3, po_json_get(root, "force_first")) == PO_OK &&
         po_json_doubles(a->com_mid, 3, po_json_get(root, "com_mid")) == PO_OK;
  if (good) {
    a->cost = po_json_number(po_json_get(root, "cost"), 0);
    a->momentum_peak = po_json_number(po_json_get(root, "angular_momentum_peak"), 0);
  }
  po_json_free(root);
  po_free(text);
  return good;
}

static void compare(const char *name, po_momentum *m, const oracle_answer *a, po_ddp_method method) {
  size_t bytes = po_momentum_problem_bytes(m);
  void *mem = po_alloc(bytes);
  po_ddp_problem p;
  po_ddp_opts o = po_ddp_opts_default();
  po_ddp_start start;
  po_ddp_result r;
  po_ddp *d = NULL;
  double *guess, peak = 0;
  po_vec3 force;
  char what[64];
  po_format(what, sizeof what, "%s, %s", name, po_ddp_method_string(method));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_momentum_problem(&p, m, mem, bytes, NULL));
  guess = (double *)po_alloc(sizeof(double) * (size_t)p.size.frames * (size_t)p.size.nu);
  memset(&start, 0, sizeof start);
  start.u = guess;
  o.method = method;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_momentum_guess(guess, &p, m));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_new(&d, p.size));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_ddp_solve(&r, d, &p, &o, &start));
  TEST_ASSERT_EQUAL_STRING_MESSAGE("optimal", po_ddp_status_string(r.status), what);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-7 * a->cost, a->cost, r.cost, what);
  TEST_ASSERT_TRUE_MESSAGE(r.sweeps <= 30 && (method == PO_DDP_INTERIOR || strcmp(name, "step") != 0 || r.sweeps <= 6), what);
  /* the cost is flat: 1e-8 of it is 1e-4 of a force */
  po_momentum_forces(NULL, &force, m, 0, r.u);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.1, a->force[0], force.x, what);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.1, a->force[1], force.y, what);
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.1, a->force[2], force.z, what);
  for (int i = 0; i < 3; i++) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-5, a->com_mid[i], r.x[12 * (m->frames / 2) + i], what);
  for (int k = 0; k <= m->frames; k++) peak = po_max(peak, po_norm_inf(r.x + 12 * k + 9, 3));
  TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, a->momentum_peak, peak, what);
  po_ddp_free(d);
  po_free(guess);
  po_free(mem);
}

static void test_against_ipopt(void) {
  int found = 0;
  for (int i = 0; i < 4; i++) {
    oracle_answer a;
    size_t size;
    char *text = read_oracle(names[i], ".json", &size);
    po_momentum *m = NULL;
    po_error err;
    if (!text || !read_answer(&a, names[i])) {
      po_free(text);
      continue;
    }
    found++;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_momentum_read(&m, text, size, names[i], &err), err.message);
    for (int method = PO_DDP_AUTO; method <= PO_DDP_INTERIOR; method++) compare(names[i], m, &a, (po_ddp_method)method);
    po_momentum_free(m);
    po_free(text);
  }
  if (!found) TEST_IGNORE_MESSAGE("no ddp problems in ORACLE");
  TEST_ASSERT_EQUAL_INT(4, found);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_against_ipopt);
  return UNITY_END() != 0;
}
