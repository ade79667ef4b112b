/* Every quantity against files computed elsewhere: six real robots under $ORACLE/rbd (by default ../shared/oracle/rbd) when they are
 * there, and the human's own golden file, which pins what all identities have checked. A golden state is what `poise dyn` prints;
 * write it anew with: poise dyn human --random 1 --link hand_l --link toe_r --contact heel_l,heel_r --json tests/golden/human_dyn.json */
#include "rbd_helpers.h"
#include <stdio.h>

void setUp(void) {}
void tearDown(void) {}

typedef struct known {
  const po_model *model;
  po_data *data;
  const po_json *state;
  int map[RBD_MAX_NV];  /* the file's freedoms → ours */
  int qmap[RBD_MAX_NV]; /* the file's joint coordinates → ours */
  double q[RBD_MAX_NV + 64], v[RBD_MAX_NV], a[RBD_MAX_NV], tau[RBD_MAX_NV];
  double bound;
  char label[80];
} known;

static void compare(const known *k, const char *what, const double *got, const double *want, int n) {
  char note[128];
  po_format(note, sizeof note, "%s %s", k->label, what);
  rbd_close(got, want, n, k->bound, note, 0);
}

/* A vector over freedoms, an array of other numbers, a matrix whose columns are freedoms. */
static void check_dofs(const known *k, const char *key, const po_json *parent, const double *got) {
  double want[RBD_MAX_NV], ours[RBD_MAX_NV];
  int i, n = k->model->nv;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_doubles(want, n, po_json_get(parent, key)), key);
  for (i = 0; i < n; i++) ours[i] = got[k->map[i]];
  compare(k, key, ours, want, n);
}

static void check_numbers(const known *k, const char *key, const po_json *parent, const double *got, int n) {
  double want[16];
  const po_json *x = po_json_get(parent, key);
  if (n == 1) want[0] = po_json_number(x, PO_NAN);
  else TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_doubles(want, n, x), key);
  compare(k, key, got, want, n);
}

static void check_matrix(const known *k, const char *key, const po_json *parent, po_mat A, int rows_are_dofs) {
  const po_json *x = po_json_get(parent, key);
  int i, j, n = k->model->nv;
  double *want = (double *)po_alloc(sizeof(double) * (size_t)(2 * A.rows * n + 1)), *got = want + A.rows * n;
  TEST_ASSERT_NOT_NULL_MESSAGE(x, key);
  for (i = 0; i < A.rows; i++) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_doubles(want + i * n, n, po_json_at(x, i)), key);
    for (j = 0; j < n; j++) got[i * n + j] = PO_AT(A, rows_are_dofs ? k->map[i] : i, k->map[j]);
  }
  compare(k, key, got, want, A.rows * n);
  po_free(want);
}

static void take(const known *k, const char *key, double *x, int coordinates) {
  double raw[RBD_MAX_NV];
  const po_json *a = po_json_get(k->state, key);
  int i, lead = k->model->floating ? (coordinates ? 7 : 6) : 0, n = (coordinates ? k->model->nq - lead : k->model->nv);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_doubles(raw, n, a), key);
  for (i = 0; i < n; i++) x[coordinates ? k->qmap[i] : k->map[i]] = raw[i];
}

static void check_links(const known *k) {
  const po_json *links = po_json_get(k->state, "links"), *l;
  po_mat J = rbd_mat(6, k->model->nv);
  for (l = links ? links->first : NULL; l; l = l->next) {
    int f = po_find_frame(k->model, po_json_string(po_json_get(l, "name"), ""));
    const po_frame *e;
    po_pose pose;
    double x[6], R[9];
    int i;
    TEST_ASSERT_TRUE(f >= 0);
    e = &k->model->frame[f];
    pose = po_frame_pose(k->data, f);
    check_numbers(k, "position", l, &pose.p.x, 3);
    for (i = 0; i < 3; i++) TEST_ASSERT_EQUAL_INT(PO_OK, po_json_doubles(R + 3 * i, 3, po_json_at(po_json_get(l, "rotation"), i)));
    compare(k, "rotation", pose.R.m, R, 9);
    po_v3_to(x, po_body_angular_velocity(k->data, e->body));
    po_v3_to(x + 3, po_point_velocity(k->data, e->body, e->pose.p));
    check_numbers(k, "velocity", l, x, 6);
    po_v3_to(x, po_body_angular_drift(k->data, e->body));
    po_v3_to(x + 3, po_point_drift(k->data, e->body, e->pose.p));
    check_numbers(k, "drift_acceleration", l, x, 6);
    po_jacobian_frame(J, k->data, f);
    check_matrix(k, "jacobian", l, J, 0);
  }
  po_free(J.a);
}

/* names: the links whose origins touch. */
static void check_contacts(const known *k, const char *const names[2]) {
  const po_json *fd = po_json_get(k->state, "contact_fd");
  size_t bytes = po_contact_dynamics_bytes(k->model, 2);
  po_contact_point c[2];
  double qdd[RBD_MAX_NV], f[6];
  po_arena arena;
  void *mem;
  int i;
  if (!fd) return;
  for (i = 0; i < 2; i++) {
    int at = po_find_frame(k->model, names[i]);
    TEST_ASSERT_TRUE_MESSAGE(at >= 0, names[i]);
    c[i].body = k->model->frame[at].body;
    c[i].point = k->model->frame[at].pose.p;
  }
  mem = po_alloc(bytes);
  po_arena_init(&arena, mem, bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_contact_dynamics(qdd, f, k->data, k->q, k->v, k->tau, c, 2, &arena));
  check_dofs(k, "qdd", fd, qdd);
  check_numbers(k, "force", fd, f, 6);
  po_free(mem);
}

static void check_state(known *k) {
  const po_json *s = k->state;
  po_data *d = k->data;
  double x[RBD_MAX_NV];
  if (k->model->floating) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_json_doubles(k->q, 4, po_json_get(s, "base_quaternion_wxyz")));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_json_doubles(k->q + 4, 3, po_json_get(s, "base_position")));
  }
  take(k, "joint_positions", k->q, 1);
  take(k, "v", k->v, 0);
  take(k, "a", k->a, 0);
  take(k, "tau", k->tau, 0);
  po_all_terms(d, k->q, k->v);
  check_matrix(k, "M", s, d->M, 1);
  check_dofs(k, "h", s, d->h);
  po_gravity(x, d, k->q);
  check_dofs(k, "g", s, x);
  po_rnea(x, d, k->q, k->v, k->a, NULL);
  check_dofs(k, "rnea_tau", s, x);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_aba(x, d, k->q, k->v, k->tau, NULL));
  check_dofs(k, "aba_qdd", s, x);
  check_numbers(k, "com", s, &d->com.x, 3);
  check_numbers(k, "com_velocity", s, &d->com_velocity.x, 3);
  check_matrix(k, "com_jacobian", s, d->Jcom, 0);
  check_numbers(k, "com_drift_acceleration", s, &d->com_drift.x, 3);
  check_numbers(k, "centroidal_momentum", s, d->momentum, 6);
  check_matrix(k, "centroidal_momentum_matrix", s, d->cmm, 0);
  x[0] = po_kinetic_energy(d);
  check_numbers(k, "kinetic_energy", s, x, 1);
  x[0] = po_potential_energy(d);
  check_numbers(k, "potential_energy", s, x, 1);
  check_links(k);
}

static void map_joints(known *k, const po_json *names) {
  const po_json *n;
  int at = 0, qat = 0, i;
  if (k->model->floating)
    for (i = 0; i < 6; i++) k->map[at++] = i;
  for (n = names->first; n; n = n->next) {
    int b = po_find_joint(k->model, n->string);
    TEST_ASSERT_TRUE_MESSAGE(b >= 0, n->string);
    for (i = 0; i < k->model->joint[b].nv; i++) k->map[at++] = k->model->joint[b].v + i;
    for (i = 0; i < k->model->joint[b].nq; i++) k->qmap[qat++] = k->model->joint[b].q + i;
  }
  TEST_ASSERT_EQUAL_INT(k->model->nv, at);
}

static po_json *read_json(const char *path) {
  char *text = NULL;
  size_t size = 0;
  po_json *root = NULL;
  po_error err;
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_json_parse(&root, text, size, path, &err), err.message);
  po_free(text);
  return root;
}

static void robot(const char *name) {
  static known k;
  const char *oracle = getenv("ORACLE");
  char path[300];
  po_urdf_opts o = po_urdf_opts_default();
  po_error err;
  po_json *root;
  const po_json *s;
  memset(&k, 0, sizeof k);
  po_format(path, sizeof path, "%s/rbd/%s.json", oracle ? oracle : "../shared/oracle", name);
  root = read_json(path);
  if (!root) TEST_IGNORE_MESSAGE("no oracle files");
  po_format(path, sizeof path, "%s/rbd/%s.urdf", oracle ? oracle : "../shared/oracle", name);
  o.keep_dynamics = 0;
  o.fixed_base = strcmp(po_json_string(po_json_get(root, "base"), ""), "fixed") == 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_model_load(&k.model, path, &o, &err), err.message);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12 * k.model->total_mass, po_json_number(po_json_get(root, "total_mass"), 0), k.model->total_mass);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&k.data, k.model));
  k.bound = 1e-12;
  map_joints(&k, po_json_get(root, "joint_names"));
  for (s = po_json_get(root, "states")->first; s; s = s->next) {
    const po_json *links = po_json_get(s, "links");
    const char *names[2];
    po_format(k.label, sizeof k.label, "%s %s", name, po_json_string(po_json_get(s, "label"), ""));
    k.state = s;
    check_state(&k);
    names[0] = po_json_string(po_json_get(po_json_at(links, 0), "name"), "");
    names[1] = po_json_string(po_json_get(po_json_at(links, 1), "name"), "");
    check_contacts(&k, names);
  }
  po_json_free(root);
  po_data_free(k.data);
  po_model_free(k.model);
}

static void test_anymal_c(void) { robot("anymal_c"); }
static void test_baxter(void) { robot("baxter"); }
static void test_g1(void) { robot("g1"); }
static void test_h1(void) { robot("h1"); }
static void test_panda(void) { robot("panda"); }
static void test_solo12(void) { robot("solo12"); }

static void test_golden_human(void) {
  static known k;
  static const char *const heels[2] = {"heel_l", "heel_r"};
  po_json *root = read_json("tests/golden/human_dyn.json");
  TEST_ASSERT_NOT_NULL(root);
  memset(&k, 0, sizeof k);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&k.model, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&k.data, k.model));
  po_format(k.label, sizeof k.label, "golden human");
  k.bound = 1e-12;
  k.state = root;
  map_joints(&k, po_json_get(root, "joint_names"));
  check_state(&k);
  check_contacts(&k, heels);
  po_json_free(root);
  po_data_free(k.data);
  po_model_free(k.model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_anymal_c);
  RUN_TEST(test_baxter);
  RUN_TEST(test_g1);
  RUN_TEST(test_h1);
  RUN_TEST(test_panda);
  RUN_TEST(test_solo12);
  RUN_TEST(test_golden_human);
  return UNITY_END() != 0;
}
