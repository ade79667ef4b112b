/* motion_built_in.c: walk, long-step and squat for any body with two feet, and motions by name.
 *
 * motion_gait.c says where the soles are and where pressure should be. Inverse kinematics (ik.c) puts the corners of the soles and the COM there, and
 * holds trunk, head and arms. The body's own angular momentum L then shifts the pressure by L'/(m (g + z'')), so the COM is planned anew with that
 * taken into account; a few rounds suffice. Where the legs do not reach, the COM comes down a little, and all begins again.
 */
#include "motion_gait.h"
#include <string.h>

#define BUILT_IN_ROUNDS 5      /* of COM and body: pressure is then where it should be to a millimetre or so */
#define BUILT_IN_LOWER 0.01    /* the COM comes down by this share of its height, */
#define BUILT_IN_LOWER_MOST 30 /* at most this often, */
#define BUILT_IN_REACH 2e-3    /* until soles and COM are this near to where they should be (share of the COM's height) */
#define BUILT_IN_ROOM 0.1      /* rad: and knees are this far from straight: near it they would have to turn infinitely fast */
/* Weights per metre and per radian: soles, COM, trunk; joints prefer the posture. */
#define BUILT_IN_WEIGHT_SOLE 1000.0
#define BUILT_IN_WEIGHT_COM 300.0
#define BUILT_IN_WEIGHT_TRUNK 10.0
#define BUILT_IN_STIFFNESS 1.0
#define BUILT_IN_STIFFNESS_LEG 0.03
#define BUILT_IN_ELBOW 0.35 /* rad: bend of the elbows beside that at rest */

/* A human of COM height 0.98 m, sqrt(h/g) = 0.316 s: walk 0.50 m in 0.60 s, long steps 0.78 m in 0.70 s, a squat of 0.25 m in 3.2 s. */
static const po_gait_kind built_in_kinds[] = {
    {"walk", 0.54, 1.9, 0.17, 0.15, 0.985, 0.012, 0.05, 0.15, 0.4, 0.30, 0.03},
    {"long-step", 0.86, 2.2, 0.17, 0.30, 0.95, 0.03, 0.06, 0.30, 0.8, 0.50, 0.06},
    {"squat", 0, 10.1, 0, 0, 0.985, -0.26, 0, 0, 0, 1.2, 0.5},
};
#define BUILT_IN_KINDS ((int)(sizeof built_in_kinds / sizeof *built_in_kinds))
const char *const po_motion_names[] = {"walk", "long-step", "squat", NULL};

typedef struct built_in_work {
  po_gait gait;
  po_motion *m;
  po_data *data;
  po_ik *ik;
  int trunk[3], trunks;               /* pelvis, thorax, head */
  po_mat3 upright[3];                 /* their orientation at rest */
  double *posture, *stiffness;        /* nq, nv */
  double *x, *y, *z, *px, *py, *work; /* frames: COM, pressure */
  double *L;                          /* frames × 3: angular momentum */
  double lower;                       /* factor on the COM's height */
} built_in_work;

static po_status built_in_new(built_in_work *w, const po_model *model) {
  size_t n = (size_t)w->gait.steps;
  int k, c;
  po_status s = po_motion_new(&w->m, model, w->gait.hz, w->gait.steps + 1);
  if (s == PO_OK) s = po_ik_new(&w->ik, model, 3 * (PO_CORNERS + 4));
  w->posture = (double *)po_alloc(sizeof(double) * (size_t)(model->nq + model->nv));
  w->x = (double *)po_alloc(sizeof(double) * n * 13);
  if (s == PO_OK && (!w->posture || !w->x)) s = PO_ERR_MEMORY;
  if (s != PO_OK) return s;
  w->stiffness = w->posture + model->nq;
  w->y = w->x + n, w->z = w->y + n, w->px = w->z + n, w->py = w->px + n;
  w->work = w->py + n; /* 5 n */
  w->L = w->work + 5 * n;
  for (k = 0; k < model->nv; k++) {
    int body = model->dof_body[k];
    w->stiffness[k] = BUILT_IN_STIFFNESS;
    for (c = 0; c < w->gait.corners.count; c++) {
      int foot = model->frame[w->gait.corners.frame[c]].body;
      if (foot >= body && foot < model->subtree_end[body]) w->stiffness[k] = BUILT_IN_STIFFNESS_LEG;
    }
  }
  po_neutral(w->posture, model);
  po_kinematics(w->data, w->posture, NULL);
  for (k = 0; k < 3; k++) {
    static const char *const names[3] = {"pelvis", "thorax", "head"};
    int body = po_find_body(model, names[k]);
    if (body < 0 && k == 0) body = 0;
    if (body < 0) continue;
    w->upright[w->trunks] = w->data->pose[body].R;
    w->trunk[w->trunks++] = body;
  }
  return PO_OK;
}

/* A swing of the arm about the transverse axis, forward positive. */
static void built_in_arm(const built_in_work *w, int right, double forward) {
  const po_model *model = w->m->model;
  int shoulder = po_find_joint(model, right ? "shoulder_r" : "shoulder_l"),
      elbow = po_find_joint(model, right ? "elbow_r" : "elbow_l");
  if (shoulder >= 0 && model->joint[shoulder].type == PO_JOINT_SPHERICAL)
    po_q_to(w->posture + model->joint[shoulder].q, po_q_exp(po_v3(0, -forward, 0)));
  if (elbow >= 0 && model->joint[elbow].type == PO_JOINT_REVOLUTE) w->posture[model->joint[elbow].q] = BUILT_IN_ELBOW;
}

static int built_in_goals(built_in_work *w, po_ik_goal *goal, int k) {
  const po_gait *t = &w->gait;
  const po_gait_kind *kind = t->kind;
  double turn = 2 * PO_PI * po_gait_phase(t, k), lean = kind->lean;
  po_vec3 corner[PO_CORNERS];
  int c, i, n = 0;
  memset(goal, 0, sizeof *goal * (PO_CORNERS + 4));
  w->m->planted[k] = po_gait_corners(corner, t, k);
  for (c = 0; c < t->corners.count; c++, n++) {
    const po_frame *f = &t->model->frame[t->corners.frame[c]];
    goal[n].kind = PO_IK_POINT;
    goal[n].body = f->body;
    goal[n].point = f->pose.p;
    goal[n].place = corner[c];
    for (i = 0; i < 3; i++) goal[n].weight[i] = BUILT_IN_WEIGHT_SOLE;
  }
  goal[n].kind = PO_IK_COM;
  goal[n].place = po_v3(w->x[k], w->y[k], w->z[k]);
  for (i = 0; i < 3; i++) goal[n].weight[i] = BUILT_IN_WEIGHT_COM;
  n++;
  if (kind->step > 0) { /* the left foot leads at phase 0: right arm ahead */
    built_in_arm(w, 0, -kind->arms * po_cos(turn));
    built_in_arm(w, 1, kind->arms * po_cos(turn));
  } else {
    double deep = 0.5 - 0.5 * po_cos(turn);
    lean *= deep;
    built_in_arm(w, 0, kind->arms * deep);
    built_in_arm(w, 1, kind->arms * deep);
  }
  for (i = 0; i < w->trunks; i++, n++) {
    double share = w->trunk[i] == 0 ? 1 : i + 1 == w->trunks && w->trunks == 3 ? 0 : 1; /* the head stays upright */
    goal[n].kind = PO_IK_TURN;
    goal[n].body = w->trunk[i];
    goal[n].orientation = po_m3_mul(po_m3_axis_angle(po_v3(0, 1, 0), share * lean), w->upright[i]);
    goal[n].frame = po_m3_identity();
    for (c = 0; c < 3; c++) goal[n].weight[c] = BUILT_IN_WEIGHT_TRUNK;
  }
  return n;
}

/* How near a hinge of a leg comes to its limits, rad. */
static double built_in_room(const built_in_work *w, const double *q) {
  const po_model *model = w->m->model;
  double room = PO_INF;
  int i;
  for (i = 0; i < model->nb; i++) {
    const po_joint *j = &model->joint[i];
    if (j->type != PO_JOINT_REVOLUTE || w->stiffness[j->v] != BUILT_IN_STIFFNESS_LEG) continue;
    room = po_min(room, po_min(q[j->q] - j->lower[0], j->upper[0] - q[j->q]));
  }
  return room;
}

/* All frames from the last one's pose; *miss is how far the worst corner or the COM stays from its place, *room how near a knee comes to its limit. */
static po_status built_in_pose(built_in_work *w, double *miss, double *room) {
  po_ik_goal goal[PO_CORNERS + 4];
  po_ik_opts o = po_ik_opts_default();
  const po_model *model = w->m->model;
  int k, c, n, fresh = w->m->frames == 0;
  po_status s;
  *miss = 0;
  *room = PO_INF;
  o.posture = w->posture;
  o.stiffness = w->stiffness;
  for (k = 0; k < w->gait.steps; k++) {
    double *q = po_motion_q(w->m, k);
    n = built_in_goals(w, goal, k);
    if (fresh && k == 0) {
      po_neutral(q, model);
      q[4] += w->x[0] - w->data->com.x; /* data still holds the zero pose */
    } else if (fresh) memcpy(q, po_motion_q(w->m, k - 1), sizeof(double) * (size_t)model->nq);
    s = po_ik_solve(q, NULL, w->ik, goal, n, &o);
    if (s != PO_OK && s != PO_ERR_ITERATIONS) return s;
    po_kinematics(w->data, q, NULL);
    for (c = 0; c < w->gait.corners.count; c++)
      *miss = po_max(*miss, po_v3_norm(po_v3_sub(goal[c].place, po_point_position(w->data, goal[c].body, goal[c].point))));
    po_com(w->data);
    *miss = po_max(*miss, po_v3_norm(po_v3_sub(goal[w->gait.corners.count].place, w->data->com)));
    *room = po_min(*room, built_in_room(w, q));
  }
  return PO_OK;
}

/* The last frame is the first, one stride on; v from all; L per frame. */
static po_status built_in_close(built_in_work *w) {
  po_motion *m = w->m;
  int k, n = w->gait.steps;
  po_planar_move stride = {0, {0, 0, 0}};
  po_status s;
  stride.shift.x = w->gait.kind->step > 0 ? 2 * w->gait.length : 0;
  memcpy(po_motion_q(m, n), po_motion_q(m, 0), sizeof(double) * (size_t)m->model->nq);
  po_planar_apply(m->model, po_motion_q(m, n), stride);
  m->planted[n] = m->planted[0];
  m->frames = n + 1;
  m->cyclic = 1;
  if ((s = po_motion_smooth(m, 0)) != PO_OK) return s;
  for (k = 0; k < n; k++) {
    po_kinematics(w->data, po_motion_q(m, k), po_motion_v(m, k));
    po_centroidal(w->data);
    memcpy(w->L + 3 * (size_t)k, w->data->momentum, 3 * sizeof(double));
  }
  return PO_OK;
}

/* The COM's path for the pressure wanted, given the angular momentum of the round before. */
static void built_in_com(built_in_work *w) {
  const po_gait *t = &w->gait;
  int k, n = t->steps;
  for (k = 0; k < n; k++) w->z[k] = w->lower * po_gait_height(t, k);
  for (k = 0; k < n; k++) {
    int next = (k + 1) % n, last = (k + n - 1) % n;
    double rise = (w->z[next] - 2 * w->z[k] + w->z[last]) * t->hz * t->hz, weight = t->model->total_mass * (t->g + rise);
    const double *after = w->L + 3 * (size_t)next, *before = w->L + 3 * (size_t)last;
    po_vec3 p = po_gait_pressure(t, k);
    w->px[k] = p.x + 0.5 * t->hz * (after[1] - before[1]) / weight;
    w->py[k] = p.y - 0.5 * t->hz * (after[0] - before[0]) / weight;
  }
  po_gait_com(w->x, w->px, w->z, t->kind->step > 0 ? 2 * t->length : 0, t->hz, t->g, n, w->work);
  po_gait_com(w->y, w->py, w->z, 0, t->hz, t->g, n, w->work);
}

static po_status built_in_make(built_in_work *w, po_error *err) {
  int round, tries;
  double miss = 0, room = 0;
  po_status s = PO_OK;
  w->lower = 1;
  for (tries = 0; tries < BUILT_IN_LOWER_MOST; tries++) {
    memset(w->L, 0, sizeof(double) * 3 * (size_t)w->gait.steps);
    for (round = 0; round < BUILT_IN_ROUNDS && s == PO_OK; round++) {
      built_in_com(w);
      s = built_in_pose(w, &miss, &room);
      if (s == PO_OK) s = built_in_close(w);
      if (miss > BUILT_IN_REACH * w->gait.h || room < BUILT_IN_ROOM) break;
    }
    if (s != PO_OK) return po_fail(err, s, "%s", po_status_string(s));
    if (round == BUILT_IN_ROUNDS) return PO_OK;
    w->lower -= BUILT_IN_LOWER;
  }
  return po_fail(err, PO_ERR_MODEL, "'%s' cannot do the motion '%s': its legs are too short or too stiff for it",
                 w->gait.model->name, w->gait.kind->name);
}

po_status po_motion_built_in(po_motion **motion, const po_model *model, const char *name, double hz, po_error *err) {
  built_in_work w;
  po_status s;
  int i;
  if (!motion || !model || !name) return po_fail(err, PO_ERR_NULL, "po_motion_built_in: a model and a name are needed");
  *motion = NULL;
  for (i = 0; i < BUILT_IN_KINDS && strcmp(built_in_kinds[i].name, name); i++) {}
  if (i == BUILT_IN_KINDS)
    return po_fail(err, PO_ERR_NAME, "there is no motion '%s'; the built-in ones are walk, long-step and squat", name);
  if (!(hz > 0 && po_isfinite(hz))) return po_fail(err, PO_ERR_RANGE, "frames a second must be positive");
  memset(&w, 0, sizeof w);
  if ((s = po_data_new(&w.data, model)) != PO_OK) return po_fail(err, s, "out of memory");
  s = po_gait_init(&w.gait, &built_in_kinds[i], model, w.data, hz, err);
  if (s == PO_OK && (s = built_in_new(&w, model)) != PO_OK) po_fail(err, s, "%s", po_status_string(s));
  if (s == PO_OK) {
    po_com(w.data);
    s = built_in_make(&w, err);
  }
  po_ik_free(w.ik);
  po_data_free(w.data);
  po_free(w.posture);
  po_free(w.x);
  if (s != PO_OK) po_motion_free(w.m);
  else *motion = w.m;
  return s;
}

static int built_in_ends_with(const char *name, const char *end) {
  size_t n = strlen(name), k = strlen(end);
  return n > k && !strcmp(name + n - k, end);
}

po_status po_motion_load(po_motion **motion, po_retarget_report *report, const po_model *model, const char *name, double hz,
                         const po_retarget_opts *opts, po_error *err) {
  po_status s;
  char *text = NULL;
  size_t size = 0;
  int bvh;
  if (!motion || !model || !name) return po_fail(err, PO_ERR_NULL, "po_motion_load: a model and a name are needed");
  *motion = NULL;
  bvh = built_in_ends_with(name, ".bvh");
  if (!bvh && !built_in_ends_with(name, ".motion")) {
    if (strchr(name, '.') || strchr(name, '/'))
      return po_fail(err, PO_ERR_NAME, "'%s' is neither FILE.motion nor FILE.bvh, nor one of the motions walk, long-step and squat",
                     name);
    return po_motion_built_in(motion, model, name, hz, err);
  }
  if ((s = po_read_file(&text, &size, name, 0, err)) != PO_OK) return s;
  if (!bvh) s = po_motion_read(motion, model, text, size, name, err);
  else {
    po_bvh *b = NULL;
    s = po_bvh_read(&b, text, size, name, err);
    if (s == PO_OK) s = po_retarget(motion, report, model, b, opts, name, err);
    if (report) report->unmapped_count = 0; /* their names would die with the file */
    po_bvh_free(b);
  }
  po_free(text);
  return s;
}
