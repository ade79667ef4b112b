/* wbc.c: whole-body control: objectives in, joint torques out, and a record of what each objective got. */
#include "ctrl_internal.h"
#include <string.h>

/* A stopped solve is still usable when its point keeps the physics: hard rows are scaled to order one (wbc_problem.c). */
#define WBC_USABLE 1e-6

/* m/s²: below it a body is weightless, and its weight no unit for what it pushes with. */
#define WBC_LEAST_GRAVITY 1e-3

const char *po_formulation_string(po_formulation f) { return f == PO_FULL ? "full" : "reduced"; }

po_wbc_opts po_wbc_opts_default(void) {
  po_wbc_opts o;
  memset(&o, 0, sizeof o);
  o.formulation = PO_REDUCED;
  o.hqp = po_hqp_opts_default();
  o.hqp.warm = 1;
  o.hqp.hysteresis = 100;
  o.cone_sides = 4;
  o.mu = 0.8;
  o.contact_rows = PO_ROWS_NORMAL;
  o.limit_margin = 0.1;
  o.regularize_force = 1e-2;
  o.max_contacts = 16;
  o.max_objectives = 32;
  o.max_limits = 16;
  return o;
}

static int wbc_driven(const po_model *m, int dof) {
  const po_joint *j = &m->joint[m->dof_body[dof]];
  return j->type != PO_JOINT_FLOATING && j->effort[dof - j->v] > 0;
}

/* Unlimited motors still need a unit to be counted in. */
#define WBC_LARGE_EFFORT 1e4

static void wbc_read_model(po_wbc *w) {
  po_wbc_inner *in = w->inner;
  const po_model *m = w->model;
  int i;
  in->nu = in->nr = 0;
  po_neutral(in->zero_pose, m);
  for (i = 0; i < m->nv; i++) {
    const po_joint *j = &m->joint[m->dof_body[i]];
    if (wbc_driven(m, i)) {
      in->effort[in->nu] = po_min(j->effort[i - j->v], WBC_LARGE_EFFORT);
      in->driven[in->nu++] = i;
    } else
      in->undriven[in->nr++] = i;
  }
}

/* One layout for po_wbc_bytes and po_wbc_init. */
static void wbc_layout(po_wbc *w, po_arena *a, const po_model *m, const po_wbc_opts *o, void **hqp_mem, size_t *hqp_bytes) {
  int columns, rows, lambdas = o->max_contacts * o->cone_sides + o->max_limits, nv = m->nv;
  po_wbc_inner *in, none;
  po_wbc_sizes(m, o, &columns, &rows);
  in = PO_ARENA_ZARRAY(a, po_wbc_inner, 1);
  if (!in) in = &none; /* measuring: pointers are thrown away */
  w->inner = in;
  w->objective = PO_ARENA_ZARRAY(a, po_objective, o->max_objectives);
  w->contact = PO_ARENA_ZARRAY(a, po_wbc_contact, o->max_contacts);
  w->tau = PO_ARENA_ZARRAY(a, double, nv);
  w->qdd = PO_ARENA_ZARRAY(a, double, nv);
  w->force = PO_ARENA_ZARRAY(a, double, 3 * o->max_contacts);
  in->driven = PO_ARENA_ZARRAY(a, int, nv);
  in->undriven = PO_ARENA_ZARRAY(a, int, nv);
  in->effort = PO_ARENA_ZARRAY(a, double, nv);
  in->zero_pose = PO_ARENA_ZARRAY(a, double, m->nq);
  in->Jc = po_arena_mat(a, 3 * o->max_contacts, nv);
  in->Jc_drift = PO_ARENA_ZARRAY(a, double, 3 * o->max_contacts);
  in->Jc_vel = PO_ARENA_ZARRAY(a, double, 3 * o->max_contacts);
  in->JVt = po_arena_mat(a, nv, lambdas);
  in->limit_row = po_arena_mat(a, o->max_limits, nv);
  in->V = PO_ARENA_ZARRAY(a, double, 3 * o->max_contacts * o->cone_sides);
  in->cone = PO_ARENA_ZARRAY(a, double, 2 * o->cone_sides);
  in->limit_accel = PO_ARENA_ZARRAY(a, double, o->max_limits);
  in->rows = po_arena_mat(a, rows, columns);
  in->lower = PO_ARENA_ZARRAY(a, double, rows);
  in->upper = PO_ARENA_ZARRAY(a, double, rows);
  in->unit = PO_ARENA_ZARRAY(a, int, rows);
  in->unit_value = PO_ARENA_ZARRAY(a, double, rows);
  in->objective_row = PO_ARENA_ZARRAY(a, int, o->max_objectives);
  in->y = PO_ARENA_ZARRAY(a, double, nv + PO_FEATURE_MAX);
  in->ydot = PO_ARENA_ZARRAY(a, double, nv + PO_FEATURE_MAX);
  in->drift = PO_ARENA_ZARRAY(a, double, nv + PO_FEATURE_MAX);
  in->wanted = PO_ARENA_ZARRAY(a, double, nv + PO_FEATURE_MAX);
  in->error = PO_ARENA_ZARRAY(a, double, nv);
  *hqp_bytes = po_hqp_bytes(columns, PO_HQP_MAX_LEVELS, rows);
  *hqp_mem = po_arena_alloc(a, *hqp_bytes);
  in->sides = o->cone_sides;
  if (in == &none) w->inner = NULL;
}

/* Bounds that no problem of a body needs, and under which all sizes fit an int. */
#define WBC_MOST_SIDES 64
#define WBC_MOST_CONTACTS 1024
#define WBC_MOST 4096 /* of objectives, and of limits at work */

static po_status wbc_check_opts(const po_model *m, const po_wbc_opts *o) {
  int columns, rows;
  if (o->cone_sides < 3 || o->cone_sides > WBC_MOST_SIDES || o->max_contacts < 1 || o->max_contacts > WBC_MOST_CONTACTS) return PO_ERR_RANGE;
  if (o->max_objectives < 1 || o->max_objectives > WBC_MOST || o->max_limits < 0 || o->max_limits > WBC_MOST) return PO_ERR_RANGE;
  if ((unsigned)o->formulation > PO_FULL || (unsigned)o->contact_rows > PO_ROWS_CONE) return PO_ERR_RANGE;
  if (!(o->mu >= 0 && o->mu <= 100) || !(o->regularize_force > 0) || !(o->limit_margin >= 0)) return PO_ERR_RANGE;
  po_wbc_sizes(m, o, &columns, &rows);
  /* the pool, and what the solver makes of it: some dozen times as much; a 32-bit machine has no size for the largest */
  return (double)rows * columns <= (double)((size_t)-1 / 512) ? PO_OK : PO_ERR_SIZE;
}

size_t po_wbc_bytes(const po_model *m, const po_wbc_opts *opts) {
  po_wbc_opts o = opts ? *opts : po_wbc_opts_default();
  po_arena a;
  po_wbc w;
  void *mem;
  size_t bytes;
  if (!m || wbc_check_opts(m, &o) != PO_OK) return 0;
  po_arena_measure(&a);
  memset(&w, 0, sizeof w);
  wbc_layout(&w, &a, m, &o, &mem, &bytes);
  return po_arena_used(&a);
}

po_status po_wbc_init(po_wbc *w, const po_model *m, const po_wbc_opts *opts, void *mem, size_t bytes) {
  po_wbc_opts o = opts ? *opts : po_wbc_opts_default();
  po_arena a;
  void *hqp_mem;
  size_t hqp_bytes;
  int columns, rows, k;
  po_status s;
  if (!w || !m || !mem) return PO_ERR_NULL;
  if ((s = wbc_check_opts(m, &o)) != PO_OK) return s;
  if (bytes < po_wbc_bytes(m, &o)) return PO_ERR_MEMORY;
  memset(w, 0, sizeof *w);
  w->model = m;
  w->opts = o;
  po_arena_init(&a, mem, bytes);
  wbc_layout(w, &a, m, &o, &hqp_mem, &hqp_bytes);
  if (a.failed) return PO_ERR_MEMORY;
  wbc_read_model(w);
  for (k = 0; k < o.cone_sides; k++) po_sincos(&w->inner->cone[2 * k + 1], &w->inner->cone[2 * k], 2 * PO_PI * k / o.cone_sides);
  po_wbc_sizes(m, &o, &columns, &rows);
  return po_hqp_init(&w->inner->hqp, columns, PO_HQP_MAX_LEVELS, rows, hqp_mem, hqp_bytes);
}

po_status po_wbc_new(po_wbc **wbc, const po_model *m, const po_wbc_opts *opts) {
  size_t bytes;
  po_wbc *w;
  po_status s;
  if (!wbc || !m) return PO_ERR_NULL;
  *wbc = NULL;
  if (opts && (s = wbc_check_opts(m, opts)) != PO_OK) return s;
  bytes = po_wbc_bytes(m, opts);
  w = po_alloc(sizeof *w + 32 + bytes);
  if (!w) return PO_ERR_MEMORY;
  s = po_wbc_init(w, m, opts, (char *)w + sizeof *w, bytes + 32);
  if (s != PO_OK) po_free(w);
  else *wbc = w;
  return s;
}
void po_wbc_free(po_wbc *w) { po_free(w); }

po_status po_wbc_set_model(po_wbc *w, const po_model *m) {
  if (!w || !m) return PO_ERR_NULL;
  if (m->nv != w->model->nv || m->nq != w->model->nq || m->nb != w->model->nb) return PO_ERR_SIZE;
  w->model = m;
  wbc_read_model(w);
  return PO_OK;
}

/* ---- objectives ---- */

/* Rows that an objective may have, and rows that all may have together (wbc_problem.c lays out the pool). −1: it cannot be one of this body's. */
static int wbc_rows_of(const po_wbc *w, const po_objective *o) { return po_feature_fits(&o->feature, w->model) ? o->feature.rows : -1; }

/* Contacts that are filled in by the caller before each solve: on bodies that are there. */
static int wbc_contacts_are(const po_wbc *w) {
  int c;
  if (w->contacts < 0 || w->contacts > w->opts.max_contacts) return 0;
  for (c = 0; c < w->contacts; c++)
    if (w->contact[c].body < -1 || w->contact[c].body >= w->model->nb) return 0;
  return 1;
}
static int wbc_room(const po_wbc *w) { return PO_WBC_OBJECTIVE_ROWS(w->opts.max_objectives, w->model->nv); }

/* Whether all objectives, and one more when `extra` is not NULL, fit into the rows and levels of a problem. */
static int wbc_fits(const po_wbc *w, const po_objective *extra) {
  int i, k, rows = 0, levels = 0, count = w->objectives + (extra != NULL);
  for (i = 0; i < count; i++) {
    const po_objective *o = i < w->objectives ? &w->objective[i] : extra;
    int n = wbc_rows_of(w, o);
    if (n < 0 || o->priority < 1) return 0;
    rows += n;
    for (k = i - 1; k >= 0 && w->objective[k].priority != o->priority; k--) {} /* from behind: neighbours mostly share a level */
    levels += k < 0;
  }
  return rows <= wbc_room(w) && levels <= PO_WBC_PRIORITIES;
}

po_objective *po_wbc_add(po_wbc *w, const po_objective *o) {
  if (!w || !o) return NULL;
  if (w->objectives >= w->opts.max_objectives || !wbc_fits(w, o)) {
    if (w->refused == PO_OK) {
      w->refused = PO_ERR_SIZE;
      w->inner->refused_name = o->name;
    }
    return NULL;
  }
  w->objective[w->objectives] = *o;
  return &w->objective[w->objectives++];
}

po_status po_wbc_check(const po_wbc *w, po_error *err) {
  if (!w) return po_fail(err, PO_ERR_NULL, "there is no control");
  if (w->refused == PO_OK) return PO_OK;
  return po_fail(err, w->refused, "objective '%s' does not fit: %d are there (max_objectives is %d), rows have room for %d, priorities for %d",
                 w->inner->refused_name ? w->inner->refused_name : "", w->objectives, w->opts.max_objectives, wbc_room(w), PO_WBC_PRIORITIES);
}

void po_wbc_clear(po_wbc *w) {
  w->objectives = w->contacts = 0;
  w->refused = PO_OK;
  w->inner->refused_name = NULL;
}

po_objective *po_wbc_find(po_wbc *w, const char *name) {
  int i;
  for (i = 0; i < w->objectives; i++)
    if (w->objective[i].name && !strcmp(w->objective[i].name, name)) return &w->objective[i];
  return NULL;
}

/* ---- after the solve ---- */

static void wbc_torques(po_wbc *w, const po_data *d, const double *x) {
  po_wbc_inner *in = w->inner;
  int i, k, nv = w->model->nv, count = in->lambdas + in->stops;
  memcpy(w->qdd, x + in->acc_at, sizeof(double) * (size_t)nv);
  memset(w->tau, 0, sizeof(double) * (size_t)nv);
  for (k = 0; k < in->nu; k++) {
    double t = 0;
    i = in->driven[k];
    if (w->opts.formulation == PO_FULL) t = x[in->tau_at + k] * in->effort[k];
    else
      t = d->h[i] + po_dot(po_row(d->M, i), w->qdd, nv) - po_dot(po_row(in->JVt, i), x + in->lam_at, count);
    w->tau[i] = po_clamp(t, -in->effort[k], in->effort[k]);
  }
  for (k = 0; k < w->contacts; k++) {
    po_vec3 f = po_v3(0, 0, 0);
    for (i = 0; i < in->sides; i++)
      f = po_v3_addscaled(f, in->unit_force * x[in->lam_at + k * in->sides + i], po_v3_of(in->V + 3 * (k * in->sides + i)));
    po_v3_to(w->force + 3 * k, f);
  }
}

/* What each objective got: its rows' residuals, unscaled. */
static void wbc_account(po_wbc *w, const double *x) {
  po_wbc_inner *in = w->inner;
  int i, r;
  for (i = 0; i < w->objectives; i++) {
    po_objective *o = &w->objective[i];
    double unit = o->scale / sqrt(o->weight > 0 ? o->weight : 1), sum = 0;
    int per_joint = o->feature.type == PO_FEATURE_POSE || o->feature.type == PO_FEATURE_TORQUE, dof = -1;
    o->miss = 0;
    if (in->objective_row[i] < 0) continue;
    for (r = 0; r < o->feature.rows; r++) {
      int at = in->objective_row[i] + r;
      double row_weight = 1, e;
      if (per_joint && (dof = po_feature_next_dof(&o->feature, w->model, dof)) < 0) break;
      if (o->joint_weight) row_weight = o->joint_weight[per_joint ? dof : r];
      if (!per_joint) o->got[r] = PO_NAN;
      if (!(row_weight > 0)) continue; /* the row is empty: nobody asked */
      e = unit / sqrt(row_weight) * (po_dot(po_row(in->rows, at), x, in->n) - in->lower[at]);
      if (!per_joint) o->got[r] = o->wanted[r] + e;
      sum += e * e;
    }
    o->miss = sqrt(sum);
  }
  for (i = 0; i < in->groups; i++) po_wbc_points_account(w, &in->group[i], x + in->acc_at);
}

static void wbc_count(po_wbc *w) {
  int k;
  w->ticks++;
  if (w->hqp.status == PO_HQP_INFEASIBLE) w->ticks_infeasible++;
  if (w->hqp.status == PO_HQP_ITERATION_LIMIT) w->ticks_iteration_limit++;
  if (w->hqp.status == PO_HQP_NUMERICAL) w->ticks_numerical++;
  if (w->hqp.second_opinion) w->ticks_second_opinion++;
  for (k = 0; k < w->hqp.level_count; k++)
    if (w->hqp.levels[k].kkt > w->kkt_max) w->kkt_max = w->hqp.levels[k].kkt;
}

po_status po_wbc_solve(po_wbc *w, const po_data *d, const double *q, const double *v) {
  po_status s;
  if (!w || !d || !q || !v) return PO_ERR_NULL;
  if ((s = po_check_state(w->model, q, v)) != PO_OK) return s;
  return po_wbc_solve_checked(w, d, q, v);
}

po_status po_wbc_solve_checked(po_wbc *w, const po_data *d, const double *q, const double *v) {
  po_wbc_inner *in = w->inner;
  po_status s;
  double t0, t1;
  po_clock_fn clock;
  double g;
  if (w->objectives < 0 || w->objectives > w->opts.max_objectives || !wbc_contacts_are(w) || !wbc_fits(w, NULL)) return PO_ERR_SIZE;
  clock = w->opts.clock;
  t0 = clock ? clock() : 0;
  g = po_v3_norm(d->gravity);
  in->unit_force = w->model->total_mass * (g > WBC_LEAST_GRAVITY ? g : 9.81);
  po_wbc_build(w, d, q, v);
  t1 = clock ? clock() : 0;
  s = po_hqp_solve(&w->hqp, in->hqp, &w->problem, &w->opts.hqp);
  if (clock) {
    w->profile.problem = t1 - t0;
    w->profile.solve = clock() - t1;
  }
  if (s != PO_OK) return s;
  wbc_count(w);
  w->held = w->hqp.status != PO_HQP_OPTIMAL && !(po_hqp_violation(&in->level[0], in->n, w->hqp.x) < WBC_USABLE);
  if (w->held) {
    w->ticks_held++;
    return PO_OK;
  }
  wbc_torques(w, d, w->hqp.x);
  wbc_account(w, w->hqp.x);
  return PO_OK;
}

/* ---- state ---- */

/* What changes from tick to tick; name, feature and arrays stay those of the object restored into. */
static void wbc_objective_stream(po_objective *o, po_stream *s) {
  int type = (int)o->type;
  po_stream_int(s, &type);
  o->type = (po_objective_type)type;
  po_stream_int(s, &o->priority);
  po_stream_int(s, &o->on);
  po_stream_double(s, &o->weight);
  po_stream_double(s, &o->scale);
  po_stream_double(s, &o->kp);
  po_stream_double(s, &o->kv);
  po_stream_double(s, &o->limit);
  po_stream_double(s, &o->time);
  po_stream_double(s, &o->miss);
  po_stream_doubles(s, &o->feature.point.x, 3);
  po_stream_doubles(s, &o->ref_orientation.w, 4);
  po_stream_doubles(s, o->ref, PO_FEATURE_MAX);
  po_stream_doubles(s, o->ref_rate, PO_FEATURE_MAX);
  po_stream_doubles(s, o->ref_accel, PO_FEATURE_MAX);
  po_stream_doubles(s, o->row_time, PO_FEATURE_MAX);
  po_stream_doubles(s, o->wanted, PO_FEATURE_MAX);
  po_stream_doubles(s, o->got, PO_FEATURE_MAX);
}

/* The solver writes its own flat bytes. */
void po_hqp_solver_stream(po_hqp_solver *hqp, po_stream *s) {
  size_t n = po_hqp_save_bytes(hqp);
  if (s->mode != PO_STREAM_MEASURE && s->status == PO_OK && n > s->size - s->at) s->status = PO_ERR_SIZE;
  if (s->status != PO_OK) return;
  if (s->mode == PO_STREAM_WRITE) s->status = po_hqp_save(s->mem + s->at, n, hqp);
  if (s->mode == PO_STREAM_READ) s->status = po_hqp_restore(hqp, s->mem + s->at, n);
  s->at += n;
}

void po_wbc_stream(po_wbc *w, po_stream *s) {
  int i, n = w->objectives, count = po_stream_count(s, &n, w->opts.max_objectives);
  if (s->mode == PO_STREAM_READ && s->status == PO_OK && n != w->objectives) s->status = PO_ERR_STATE;
  for (i = 0; i < count && s->status == PO_OK; i++) wbc_objective_stream(&w->objective[i], s);
  po_stream_long(s, &w->ticks);
  po_stream_long(s, &w->ticks_held);
  po_stream_long(s, &w->ticks_infeasible);
  po_stream_long(s, &w->ticks_iteration_limit);
  po_stream_long(s, &w->ticks_numerical);
  po_stream_long(s, &w->ticks_second_opinion);
  po_stream_double(s, &w->kkt_max);
  po_stream_int(s, &w->held);
  po_stream_double(s, &w->slew);
  po_stream_doubles(s, w->tau, w->model->nv);
  po_stream_doubles(s, w->qdd, w->model->nv);
  po_hqp_solver_stream(w->inner->hqp, s);
}

static void wbc_stream_fn(void *w, po_stream *s) { po_wbc_stream(w, s); }

/* Of an objective what a stream does not hold. */
static uint64_t wbc_objective_hash(const po_objective *o, uint64_t h) {
  int word[4];
  word[0] = (int)o->feature.type;
  word[1] = o->feature.rows;
  word[2] = o->feature.body;
  word[3] = o->feature.frame;
  h = po_hash(word, sizeof word, h);
  return o->name ? po_hash(o->name, strlen(o->name), h) : h;
}

uint64_t po_wbc_layout_hash(const po_wbc *w) {
  const po_wbc_opts *o = &w->opts;
  double value[7];
  int word[13], i;
  uint64_t h;
  word[0] = o->max_contacts;
  word[1] = o->max_objectives;
  word[2] = o->max_limits;
  word[3] = o->cone_sides;
  word[4] = (int)o->formulation;
  word[5] = w->objectives;
  word[6] = (int)o->contact_rows;
  word[7] = o->limit_forces != 0;
  word[8] = (int)o->hqp.method;
  word[9] = (int)o->hqp.qp;
  word[10] = (int)o->hqp.basis;
  word[11] = o->hqp.max_iterations;
  word[12] = 2 * (o->hqp.second_opinion != 0) + (o->hqp.warm != 0);
  value[0] = o->mu;
  value[1] = o->limit_margin;
  value[2] = o->regularize_force;
  value[3] = o->hqp.rank_tol;
  value[4] = o->hqp.hysteresis;
  value[5] = o->hqp.damping;
  value[6] = o->hqp.weight_ratio;
  h = po_hash_doubles(value, 7, po_hash(word, sizeof word, 0));
  for (i = 0; i < w->objectives; i++) h = wbc_objective_hash(&w->objective[i], h);
  return h;
}

static po_stream_kind wbc_kind(const po_wbc *w) {
  po_stream_kind k;
  k.tag = "wbc";
  k.version = 2;
  k.belongs = po_model_hash(w->model) ^ po_wbc_layout_hash(w);
  return k;
}

size_t po_wbc_save_bytes(const po_wbc *w) {
  po_stream_kind k;
  if (!w) return 0;
  k = wbc_kind(w);
  return po_stream_save_bytes(&k, wbc_stream_fn, w);
}
po_status po_wbc_save(void *state, size_t bytes, const po_wbc *w) {
  po_stream_kind k;
  if (!w) return PO_ERR_NULL;
  k = wbc_kind(w);
  return po_stream_save(state, bytes, &k, wbc_stream_fn, w);
}
po_status po_wbc_restore(po_wbc *w, const void *state, size_t bytes) {
  po_stream_kind k;
  if (!w) return PO_ERR_NULL;
  k = wbc_kind(w);
  return po_stream_restore(w, &k, wbc_stream_fn, state, bytes);
}
