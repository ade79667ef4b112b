/* cmd_dyn.c: `poise dyn MODEL`: every quantity of the rigid-body algorithms at one state, as one JSON object.
 *
 * Joint arrays follow the order of `joint_names`, each joint with as many numbers as it has (all of one for the common types);
 * velocities begin with the six of a floating base. */
#include "../rbd/rbd.h"
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { DYN_MAX_CONTACTS = 16 };

typedef struct dyn_state {
  const po_model *model;
  po_data *data;
  double *q, *v, *a, *tau, *work;
} dyn_state;

static const po_option dyn_options[] = {
    {"state", "FILE", "the state, a JSON object"},
    {"random", "SEED", "a random state within the joint limits instead"},
    {"fixed-base", NULL, "fix the root link to the world"},
    {"link", "NAME", "add this link or frame: pose, velocity, Jacobian, drift; may be repeated"},
    {"contact", "LINK,LINK", "add forward dynamics with these origins as bilateral point contacts"},
    PO_OPTION_MODEL_FILE,
    {"json", "FILE", "write to FILE, - for standard output (default -)"},
    PO_OPTION_SIMD,
    {NULL, NULL, NULL}};

/* ---- reading a state ---- */

/* How many numbers joint i has in an array of positions or of rates; the floating base stands apart. */
static int dyn_width(const po_model *m, int i, int rates) {
  return m->floating && i == 0 ? 0 : rates ? m->joint[i].nv : m->joint[i].nq;
}
static int dyn_joint_total(const po_model *m, int rates) {
  return rates ? m->nv - (m->floating ? 6 : 0) : m->nq - (m->floating ? 7 : 0);
}

static int dyn_bad(const po_json *at, const char *file, const char *what) {
  return po_cli_fail("dyn: %s:%d: %s", file, at ? at->line : 1, what);
}

/* Copies an array in the file's joint order into x, which is in the model's. `map` lists the model's joints in the file's order. */
static int dyn_array(const dyn_state *s, const po_json *root, const char *file, const char *key, const int *map, int joints,
                     int rates, double *x) {
  const po_model *m = s->model;
  const po_json *a = po_json_get(root, key);
  int lead = rates && m->floating ? 6 : 0, n = lead + dyn_joint_total(m, rates), i, k, at = lead;
  char message[96];
  if (!a) return PO_EXIT_GOOD;
  if (po_json_doubles(s->work, n, a) != PO_OK || !po_all_finite(s->work, n)) {
    po_format(message, sizeof message, "%s must be %d numbers", key, n);
    return dyn_bad(a, file, message);
  }
  for (k = 0; k < lead; k++) x[k] = s->work[k];
  for (i = 0; i < joints; i++) {
    const po_joint *j = &m->joint[map[i]];
    for (k = 0; k < dyn_width(m, map[i], rates); k++) x[(rates ? j->v : j->q) + k] = s->work[at++];
  }
  return PO_EXIT_GOOD;
}

/* The model's joints in the order the file lists them; each exactly once. */
static int dyn_map(const dyn_state *s, const po_json *root, const char *file, int *map, int *count) {
  const po_model *m = s->model;
  const po_json *names = po_json_get(root, "joint_names"), *n;
  int i, first = m->floating ? 1 : 0;
  *count = 0;
  if (!names) {
    for (i = first; i < m->nb; i++) map[(*count)++] = i;
    return PO_EXIT_GOOD;
  }
  for (n = names->first; n; n = n->next) {
    int j = po_find_joint(m, po_json_string(n, ""));
    if (j < first) return po_cli_fail("dyn: %s:%d: the model has no joint '%s'", file, n->line, po_json_string(n, ""));
    for (i = 0; i < *count; i++)
      if (map[i] == j) return po_cli_fail("dyn: %s:%d: joint '%s' is listed twice", file, n->line, n->string);
    map[(*count)++] = j;
  }
  if (*count != m->nb - first)
    return po_cli_fail("dyn: %s:%d: joint_names has %d joints, the model %d", file, names->line, *count, m->nb - first);
  return PO_EXIT_GOOD;
}

static int dyn_base(const dyn_state *s, const po_json *root, const char *file) {
  const po_json *p = po_json_get(root, "base_position"), *r = po_json_get(root, "base_quaternion_wxyz");
  double *q = s->q + s->model->joint[0].q;
  if (p && po_json_doubles(q + 4, 3, p) != PO_OK) return dyn_bad(p, file, "base_position must be three numbers");
  if (r && po_json_doubles(q, 4, r) != PO_OK) return dyn_bad(r, file, "base_quaternion_wxyz must be four numbers");
  return PO_EXIT_GOOD;
}

/* A key that means nothing here would be a state other than the one that was meant. What this command prints may stay in the file, and so may labels. */
static int dyn_keys(const dyn_state *s, const po_json *root, const char *file) {
  static const char *const known[] = {
    "joint_names", "base_position", "base_quaternion_wxyz", "joint_positions", "v", "a", "tau", /* the state */
    "name", "label", "model", "base", "root_link", "urdf", "source", "licence", "seed", "gravity", "conventions", "joint_types", "link_names", "nv", "total_mass", "static_mass",
    "M", "h", "g", "rnea_tau", "aba_qdd", "com", "com_velocity", "com_jacobian", "com_drift_acceleration", "centroidal_momentum",
    "centroidal_momentum_matrix", "centroidal_momentum_drift", "kinetic_energy", "potential_energy", "links", "contact_fd"};
  enum { KNOWN = (int)(sizeof known / sizeof *known), OF_STATE = 7 };
  const po_json *n;
  const char *near;
  int i;
  for (n = root->first; n; n = n->next) {
    for (i = 0; i < KNOWN && strcmp(known[i], n->key); i++) {}
    if (i < KNOWN) continue;
    near = po_nearest(n->key, known, OF_STATE);
    if (near) return po_cli_fail("dyn: %s:%d: a state has no '%s': did you mean '%s'?", file, n->line, n->key, near);
    return po_cli_fail("dyn: %s:%d: a state has no '%s'; it has joint_names, base_position, base_quaternion_wxyz, joint_positions, v, a, tau", file, n->line, n->key);
  }
  if (!s->model->floating && (po_json_get(root, "base_position") || po_json_get(root, "base_quaternion_wxyz")))
    return dyn_bad(root, file, "the base of this model is fixed: it takes no base_position or base_quaternion_wxyz");
  return PO_EXIT_GOOD;
}

static int dyn_read(dyn_state *s, const char *file) {
  char *text = NULL;
  size_t size = 0;
  po_json *root = NULL;
  po_error err;
  int *map = (int *)po_alloc(sizeof(int) * (size_t)(s->model->nb + 1));
  int joints = 0, code = PO_EXIT_GOOD;
  if (!map) return po_cli_fail("dyn: out of memory");
  if (po_read_file(&text, &size, file, 0, &err) != PO_OK || po_json_parse(&root, text, size, file, &err) != PO_OK)
    code = po_cli_error(&err);
  else if (root->type != PO_JSON_OBJECT) code = dyn_bad(root, file, "a state is a JSON object");
  if (code == PO_EXIT_GOOD) code = dyn_keys(s, root, file);
  if (code == PO_EXIT_GOOD) code = dyn_map(s, root, file, map, &joints);
  if (code == PO_EXIT_GOOD && s->model->floating) code = dyn_base(s, root, file);
  if (code == PO_EXIT_GOOD) code = dyn_array(s, root, file, "joint_positions", map, joints, 0, s->q);
  if (code == PO_EXIT_GOOD) code = dyn_array(s, root, file, "v", map, joints, 1, s->v);
  if (code == PO_EXIT_GOOD) code = dyn_array(s, root, file, "a", map, joints, 1, s->a);
  if (code == PO_EXIT_GOOD) code = dyn_array(s, root, file, "tau", map, joints, 1, s->tau);
  if (code == PO_EXIT_GOOD && po_check_state(s->model, s->q, s->v) != PO_OK)
    code = dyn_bad(root, file, "the state is not finite, or a quaternion is zero");
  po_json_free(root);
  po_free(text);
  po_free(map);
  return code;
}

static void dyn_random(dyn_state *s, uint64_t seed) {
  po_rng rng;
  int i;
  po_rng_init(&rng, seed, 0);
  po_random_configuration(s->q, &rng, s->model);
  for (i = 0; i < s->model->nv; i++) {
    s->v[i] = po_rng_range(&rng, -1, 1);
    s->a[i] = po_rng_range(&rng, -5, 5);
    s->tau[i] = po_rng_range(&rng, -20, 20);
  }
}

/* ---- writing ---- */

static void dyn_matrix(po_jw *w, const char *key, po_mat A) {
  int i;
  po_jw_array(w, key);
  for (i = 0; i < A.rows; i++) po_jw_doubles(w, NULL, po_row(A, i), A.cols);
  po_jw_end(w);
}

static void dyn_v3(po_jw *w, const char *key, po_vec3 v) { po_jw_doubles(w, key, &v.x, 3); }

static void dyn_model(po_jw *w, const dyn_state *s) {
  const po_model *m = s->model;
  static const char *const types[] = {"fixed", "revolute", "prismatic", "universal", "spherical", "planar", "floating"};
  int i, first = m->floating ? 1 : 0;
  po_jw_string(w, "model", m->name);
  po_jw_string(w, "base", m->floating ? "floating" : "fixed");
  po_jw_int(w, "nv", m->nv);
  po_jw_array(w, "joint_names");
  for (i = first; i < m->nb; i++) po_jw_string(w, NULL, m->joint[i].name);
  po_jw_end(w);
  po_jw_array(w, "joint_types");
  for (i = first; i < m->nb; i++) po_jw_string(w, NULL, types[m->joint[i].type]);
  po_jw_end(w);
  po_jw_number(w, "total_mass", m->total_mass);
  if (m->floating) {
    const double *q = s->q + m->joint[0].q;
    po_jw_doubles(w, "base_position", q + 4, 3);
    po_jw_doubles(w, "base_quaternion_wxyz", q, 4);
  }
  po_jw_doubles(w, "joint_positions", s->q + (m->floating ? 7 : 0), dyn_joint_total(m, 0));
  po_jw_doubles(w, "v", s->v, m->nv);
  po_jw_doubles(w, "a", s->a, m->nv);
  po_jw_doubles(w, "tau", s->tau, m->nv);
}

static int dyn_dynamics(po_jw *w, dyn_state *s) {
  const po_model *m = s->model;
  po_data *d = s->data;
  dyn_matrix(w, "M", d->M);
  po_jw_doubles(w, "h", d->h, m->nv);
  po_gravity(s->work, d, s->q);
  po_jw_doubles(w, "g", s->work, m->nv);
  po_rnea(s->work, d, s->q, s->v, s->a, NULL);
  po_jw_doubles(w, "rnea_tau", s->work, m->nv);
  if (po_aba(s->work, d, s->q, s->v, s->tau, NULL) != PO_OK) return po_cli_fail("dyn: the mass matrix is singular at this state");
  po_jw_doubles(w, "aba_qdd", s->work, m->nv);
  dyn_v3(w, "com", d->com);
  dyn_v3(w, "com_velocity", d->com_velocity);
  dyn_matrix(w, "com_jacobian", d->Jcom);
  dyn_v3(w, "com_drift_acceleration", d->com_drift);
  po_jw_doubles(w, "centroidal_momentum", d->momentum, 6);
  dyn_matrix(w, "centroidal_momentum_matrix", d->cmm);
  po_jw_doubles(w, "centroidal_momentum_drift", d->momentum_drift, 6);
  po_jw_number(w, "kinetic_energy", po_kinetic_energy(d));
  po_jw_number(w, "potential_energy", po_potential_energy(d));
  return PO_EXIT_GOOD;
}

/* A link or frame by its name, with the nearest one when there is none. */
static int dyn_frame(const po_model *m, const char *name) {
  const char **names;
  const char *near = NULL;
  int f = po_find_frame(m, name), i;
  if (f >= 0) return f;
  names = (const char **)po_alloc(sizeof(char *) * (size_t)(m->frames + 1));
  if (names) {
    for (i = 0; i < m->frames; i++) names[i] = m->frame[i].name;
    near = po_nearest(name, names, m->frames);
  }
  if (near) po_cli_fail("dyn: the model has no link or frame '%s'; did you mean '%s'?", name, near);
  else po_cli_fail("dyn: the model has no link or frame '%s'", name);
  po_free((void *)names);
  return -1;
}

static int dyn_links(po_jw *w, dyn_state *s, const po_args *args) {
  const po_model *m = s->model;
  po_data *d = s->data;
  int i, count = po_args_count(args, "link");
  double *block;
  if (!count) return PO_EXIT_GOOD;
  block = (double *)po_alloc(sizeof(double) * (size_t)(6 * m->nv + 1));
  if (!block) return po_cli_fail("dyn: out of memory");
  po_jw_array(w, "links");
  for (i = 0; i < count; i++) {
    int f = po_find_frame(m, po_args_at(args, "link", i));
    const po_frame *e = &m->frame[f];
    po_pose pose = po_frame_pose(d, f);
    po_mat J = po_mat_of(block, 6, m->nv, m->nv > 0 ? m->nv : 1);
    double x[6];
    po_jw_object(w, NULL);
    po_jw_string(w, "name", e->name);
    dyn_v3(w, "position", pose.p);
    dyn_matrix(w, "rotation", po_mat_of(pose.R.m, 3, 3, 3));
    po_jacobian_frame(J, d, f);
    dyn_matrix(w, "jacobian", J);
    po_v3_to(x, po_body_angular_velocity(d, e->body));
    po_v3_to(x + 3, po_point_velocity(d, e->body, e->pose.p));
    po_jw_doubles(w, "velocity", x, 6);
    po_v3_to(x, po_body_angular_drift(d, e->body));
    po_v3_to(x + 3, po_point_drift(d, e->body, e->pose.p));
    po_jw_doubles(w, "drift_acceleration", x, 6);
    po_jw_end(w);
  }
  po_jw_end(w);
  po_free(block);
  return PO_EXIT_GOOD;
}

/* "LINK,LINK,…": contacts at the origins of links or frames. Returns how many, −1 after a message. */
static int dyn_contacts(const po_model *m, const char *text, po_contact_point *contacts) {
  int count = 0;
  char name[128];
  while (*text) {
    size_t n = strcspn(text, ",");
    int f;
    if (n == 0 || n >= sizeof name || count == DYN_MAX_CONTACTS) {
      po_cli_fail("dyn: --contact takes 1 to %d names separated by commas", DYN_MAX_CONTACTS);
      return -1;
    }
    memcpy(name, text, n);
    name[n] = 0;
    f = dyn_frame(m, name);
    if (f < 0) return -1;
    contacts[count].body = m->frame[f].body;
    contacts[count].point = m->frame[f].pose.p;
    count++;
    text += n + (text[n] == ',');
  }
  return count;
}

static int dyn_contact_dynamics(po_jw *w, dyn_state *s, const po_contact_point *contacts, int count) {
  double f[3 * DYN_MAX_CONTACTS] = {0};
  size_t bytes = po_contact_dynamics_bytes(s->model, count);
  void *mem = po_alloc(bytes);
  po_arena arena;
  po_status status;
  if (!mem) return po_cli_fail("dyn: out of memory");
  po_arena_init(&arena, mem, bytes);
  status = po_contact_dynamics(s->work, f, s->data, s->q, s->v, s->tau, contacts, count, &arena);
  po_free(mem);
  if (status != PO_OK) return po_cli_fail("dyn: contact dynamics: %s", po_status_string(status));
  po_jw_object(w, "contact_fd");
  po_jw_doubles(w, "qdd", s->work, s->model->nv);
  po_jw_doubles(w, "force", f, 3 * count);
  po_jw_end(w);
  return PO_EXIT_GOOD;
}

static int dyn_report(dyn_state *s, po_args *args, const po_contact_point *contacts, int count) {
  po_buffer text = {0};
  po_jw w;
  int code;
  po_all_terms(s->data, s->q, s->v);
  po_jw_init(&w, &text, 1);
  po_jw_object(&w, NULL);
  dyn_model(&w, s);
  code = dyn_dynamics(&w, s);
  if (code == PO_EXIT_GOOD) code = dyn_links(&w, s, args);
  if (code == PO_EXIT_GOOD && count > 0) code = dyn_contact_dynamics(&w, s, contacts, count);
  po_jw_end(&w);
  po_buffer_puts(&text, "\n");
  if (code == PO_EXIT_GOOD) code = po_cli_write(po_args_string(args, "json", "-"), &text);
  po_buffer_free(&text);
  return code;
}

/* ---- the command ---- */

/* The reader is linear in the file; dynamics here are dense, and a mass matrix of 20,000 freedoms is not. Said before it hurts. */
#define DYN_LARGE ((size_t)1 << 29)

static int dyn_state_init(dyn_state *s) {
  size_t n = (size_t)(s->model->nq + s->model->nv + 16), bytes = po_data_bytes(s->model);
  double *block;
  if (bytes > DYN_LARGE)
    fprintf(stderr, "poise: dyn: %d degrees of freedom: dense dynamics take %.1f GB, and the report as much again\n", s->model->nv, (double)bytes * 1e-9);
  if (po_data_new(&s->data, s->model) != PO_OK) return 0;
  block = (double *)po_alloc(5 * n * sizeof(double));
  s->q = block;
  if (!block) return 0;
  s->v = block + n;
  s->a = block + 2 * n;
  s->tau = block + 3 * n;
  s->work = block + 4 * n;
  po_neutral(s->q, s->model);
  po_lift(s->q, s->model, -s->model->rest_height); /* what a state does not say is zero */
  return 1;
}

static int dyn_run(po_args *args) {
  const char *name = args->arg[0], *file = po_args_string(args, "state", NULL), *touching = po_args_string(args, "contact", NULL);
  uint64_t seed = po_args_u64(args, "random", 0);
  po_urdf_opts opts = po_urdf_opts_default();
  po_contact_point contacts[DYN_MAX_CONTACTS];
  dyn_state s;
  int code, i, count = 0;
  memset(&s, 0, sizeof s);
  po_args_simd(args);
  if (args->failed) return PO_EXIT_USAGE;
  if (!file == !po_args_has(args, "random")) return po_cli_fail("dyn: give either --state FILE or --random SEED");
  opts.fixed_base = po_args_has(args, "fixed-base");
  opts.keep_dynamics = 0;
  if ((code = po_cli_model(&s.model, args, name, &opts)) != PO_EXIT_GOOD) return code;
  if (opts.fixed_base && s.model->floating) code = po_cli_fail("dyn: --fixed-base is for URDF files whose root link is the base");
  for (i = 0; code == PO_EXIT_GOOD && i < po_args_count(args, "link"); i++)
    if (dyn_frame(s.model, po_args_at(args, "link", i)) < 0) code = PO_EXIT_USAGE;
  if (code == PO_EXIT_GOOD && touching && (count = dyn_contacts(s.model, touching, contacts)) < 0) code = PO_EXIT_USAGE;
  if (code == PO_EXIT_GOOD && !dyn_state_init(&s)) code = po_cli_fail("dyn: out of memory");
  if (code == PO_EXIT_GOOD && file) code = dyn_read(&s, file);
  if (code == PO_EXIT_GOOD && !file) dyn_random(&s, seed);
  if (code == PO_EXIT_GOOD) code = dyn_report(&s, args, contacts, count);
  po_free(s.q);
  po_data_free(s.data);
  po_model_free(s.model);
  return code;
}

static const char dyn_help[] =
    "MODEL is a body (human, child, gymnast, …: see docs/models.md) or a URDF or MJCF file. A state is one JSON object with joint_names (the "
    "order\n"
    "of the arrays in that file), base_position, base_quaternion_wxyz, joint_positions, v, a, tau; what is missing is zero. v, a "
    "and\n"
    "tau begin with the base: angular, then linear, in base axes. Printed are nv, joint_names, total_mass, the state, M, h, g,\n"
    "rnea_tau, aba_qdd, com, com_velocity, com_jacobian, com_drift_acceleration, centroidal_momentum, its matrix and drift, "
    "energies,\n"
    "and what --link and --contact ask for. Damping, friction and rotor inertia of the file are ignored; mimic joints move "
    "freely.\n";

const po_command po_cmd_dyn = {
    "dyn",  "MODEL (--state FILE | --random SEED) [options]", "rigid-body quantities at one state", dyn_help, dyn_options, 1, 1,
    dyn_run};
