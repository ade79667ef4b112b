/* simbicon.c: one tick of SIMBICON (Coros 2010, section 2.4; docs/simbicon.md).
 *
 * Torques are moments on bodies, world axes, until the end, where each joint takes what lies along its own axes. The root is never driven: what its
 * PD law asks for is made of the hips' moments.
 */
#include "simbicon_internal.h"
#include <string.h>

#define SIMBICON_STRIKE 0.03   /* of the weight: a swing foot that carries so much has struck (20 N of 70 kg) */
#define SIMBICON_SHORTEST 0.2  /* of its time: a bent state is not shorter */
#define SIMBICON_LIFTED 0.65   /* of the first state: so long toes are lifted over an edge; the foot has then passed the other, and toes up are a heel down that meets the edge ahead */
#define SIMBICON_TURN PO_RAD(40.0) /* most that the heading in force changes in a step */

const po_param po_simbicon_param[] = {
    PO_PARAM(po_simbicon_params, heading, 0, -180, 180, "deg", "desired heading, left positive"),
    PO_PARAM(po_simbicon_params, feedback, 1, 0, 2, "", "factor on the feedback gains c_d and c_v"),
    PO_PARAM(po_simbicon_params, gain_scale, 1, 0.25, 4, "", "factor on the gains of the joints"),
    PO_PARAM(po_simbicon_params, gait, -1, -1, PO_SIMBICON_GAITS - 1, "", "which of its gaits, from the next step on; -1: the one that was chosen by name"),
    PO_PARAM(po_simbicon_params, other, 0, 0, PO_SIMBICON_GAITS - 1, "", "the gait that is blended in"),
    PO_PARAM(po_simbicon_params, blend, 0, 0, 1, "", "share of the other gait in the torques"),
    PO_PARAM(po_simbicon_params, side_deg, 0, -30, 30, "deg", "side steps to the left: the swing leg is turned this much to the right, and the body falls to the left"),
    PO_PARAM(po_simbicon_params, lean_deg, 0, -30, 30, "deg", "root leaning forward beyond what the gait says"),
};
const int po_simbicon_param_count = sizeof po_simbicon_param / sizeof *po_simbicon_param;

po_simbicon *po_simbicon_of(const po_move *move) { return move && move->type == &po_simbicon_type ? (po_simbicon *)(void *)move : NULL; }

const po_simbicon_state *po_simbicon_now(const po_move *move) {
  const po_simbicon *s = po_simbicon_of(move);
  return s ? &s->now : NULL;
}

po_step_bend *po_simbicon_bend(po_move *move) {
  po_simbicon *s = po_simbicon_of(move);
  return s ? &s->now.bend : NULL;
}

/* ---- its gaits ---- */

po_status po_simbicon_add(int *index, po_move *move, const po_gait_table *table, po_error *err) {
  po_simbicon *s = po_simbicon_of(move);
  po_status st;
  if (!move || !table) return po_fail(err, PO_ERR_NULL, "there is no gait");
  if (!s) return po_fail(err, PO_ERR_MODEL, "%s has no gaits", move->name);
  if (s->gaits == PO_SIMBICON_GAITS) return po_fail(err, PO_ERR_SIZE, "at most %d gaits", PO_SIMBICON_GAITS);
  if ((st = po_simbicon_resolve(&s->gait[s->gaits], table, move->actor->model, err)) != PO_OK) return st;
  if (index) *index = s->gaits;
  s->gaits++;
  return PO_OK;
}

po_status po_simbicon_replace(po_move *move, int index, const po_gait_table *table, po_error *err) {
  po_simbicon *s = po_simbicon_of(move);
  struct po_simbicon_gait *g;
  po_status st;
  if (!table || !po_simbicon_gait_at(move, index)) return po_fail(err, PO_ERR_RANGE, "there is no such gait");
  if ((st = po_simbicon_resolve(&g, table, move->actor->model, err)) != PO_OK) return st;
  po_free(s->gait[index]);
  s->gait[index] = g;
  return PO_OK;
}

const po_gait_table *po_simbicon_gait_at(const po_move *move, int index) {
  const po_simbicon *s = po_simbicon_of(move);
  return s && index >= 0 && index < s->gaits ? &s->gait[index]->table : NULL;
}

int po_simbicon_find(const po_move *move, const char *name) {
  const po_simbicon *s = po_simbicon_of(move);
  int i;
  for (i = 0; s && i < s->gaits; i++)
    if (name && !strcmp(s->gait[i]->table.name, name)) return i;
  return -1;
}

po_status po_simbicon_choose(po_move *move, int index) {
  if (!po_simbicon_gait_at(move, index)) return PO_ERR_RANGE;
  po_simbicon_of(move)->chosen = index;
  return PO_OK;
}

/* ---- making ---- */

static void simbicon_layout(po_move *move, const po_model *m, po_arena *arena) {
  po_simbicon *s = (po_simbicon *)(void *)move;
  s->tau_other = PO_ARENA_ZARRAY(arena, double, m->nv);
  s->moment = PO_ARENA_ZARRAY(arena, po_vec3, m->nb);
}

static void simbicon_destroy(po_move *move) {
  po_simbicon *s = (po_simbicon *)(void *)move;
  int i;
  for (i = 0; i < s->gaits; i++) po_free(s->gait[i]);
  s->gaits = 0;
}

/* All built-in gaits of a body of this name. */
static po_status simbicon_built_in(po_simbicon *s, po_gait_table *table, po_error *err) {
  const po_model *m = s->move.actor->model;
  char folder[64];
  po_status st = PO_OK;
  int i;
  po_format(folder, sizeof folder, "gaits/%s/", m->name);
  for (i = 0; po_builtin_files[i].path && st == PO_OK; i++) {
    const po_builtin_file *f = &po_builtin_files[i];
    if (strncmp(f->path, folder, strlen(folder))) continue;
    if ((st = po_gait_parse(table, f->text, strlen(f->text), f->path, err)) == PO_OK) st = po_simbicon_add(NULL, &s->move, table, err);
  }
  return st;
}

static po_status simbicon_init(po_move *move, po_error *err) {
  po_simbicon *s = (po_simbicon *)(void *)move;
  const po_legs *legs = &move->actor->legs;
  po_gait_table *table;
  po_status st;
  if (legs->thigh[0] < 0 || legs->thigh[1] < 0 || move->actor->model->joint[legs->thigh[0]].parent != 0)
    return po_fail(err, PO_ERR_NAME, "simbicon needs two thighs that hang on the root");
  if (!(table = po_alloc(sizeof *table))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  st = simbicon_built_in(s, table, err);
  po_free(table);
  if (st != PO_OK) simbicon_destroy(move);
  s->chosen = po_max(po_simbicon_find(move, "walk"), 0);
  return st;
}

/* ---- a tick ---- */

/* What a tick sees. */
typedef struct simbicon_view {
  po_mat3 C;                 /* the heading's axes */
  po_feel feel[2];
  double load[2];            /* N: that each foot carries; when nobody knows, half the body's weight if it touches */
  double weight, dt;
} simbicon_view;

/* Where the COM is over the stance foot, and how fast, is kept: gaits answer to it. */
static simbicon_view simbicon_look(po_simbicon *s, const po_sense *sense) {
  const po_actor *a = s->move.actor;
  const po_data *d = a->data;
  int i, foot = a->patches.patch[s->now.stance].body;
  simbicon_view w;
  w.dt = sense->dt;
  w.weight = a->model->total_mass * po_v3_norm(d->gravity);
  w.C = po_m3_axis_angle(po_v3(0, 0, 1), po_actor_heading(a));
  for (i = 0; i < 2; i++) {
    w.feel[i] = po_actor_feel(a, i, sense);
    w.load[i] = po_isfinite(w.feel[i].force) ? po_max(w.feel[i].force, 0) : w.feel[i].heel || w.feel[i].toe ? 0.5 * w.weight : 0;
  }
  s->now.d = po_m3_tmul_v(w.C, po_v3_sub(d->com, po_point_position(d, foot, a->model->inertia[foot].com)));
  s->now.v = po_m3_tmul_v(w.C, d->com_velocity);
  return w;
}

/* PD law of a body towards a world orientation; w: its velocity against what it is measured in, own axes. World moment (eq. 2.2, sign repaired). */
static po_vec3 simbicon_pd(const struct po_simbicon_gait *g, int b, po_mat3 R, po_mat3 wanted, po_vec3 w, double strength) {
  po_vec3 e = po_q_log(po_q_from_matrix(po_m3_tmul(R, wanted))), k = g->scale[b], t;
  t = po_v3_sub(po_v3_scale(strength * g->kp[b], e), po_v3_scale(strength * g->kd[b], w));
  return po_m3_mul_v(R, po_v3(k.x * t.x, k.y * t.y, k.z * t.z));
}

/* What the step's bend adds now, by its knots. */
static double simbicon_bend(const po_simbicon *s, const double *knot) {
  int n = s->now.bend.knots, k;
  double at;
  if (n < 2) return n ? knot[0] : 0;
  if (s->gait[s->now.first]->table.states > 1) return knot[s->now.state < n ? s->now.state : n - 1];
  at = po_clamp(s->now.phase, 0, 1) * (n - 1);
  k = (int)po_min(at, n - 2);
  return knot[k] + (at - k) * (knot[k + 1] - knot[k]);
}

static po_mat3 simbicon_bent(const po_simbicon *s, const double *knot, po_mat3 x) {
  return s->now.bend.knots ? po_m3_mul(po_m3_axis_angle(po_v3(0, 1, 0), simbicon_bend(s, knot)), x) : x;
}

/* Joints but the hips' shares of the root's torque. */
static void simbicon_joints(po_simbicon *s, const struct po_simbicon_gait *g, int state, const simbicon_view *w) {
  const po_actor *a = s->move.actor;
  const po_data *d = a->data;
  int b, nb = a->model->nb, swing_thigh = a->legs.thigh[!s->now.stance], leg = s->now.bend.knee ? a->legs.shank[s->now.stance] : a->legs.foot[s->now.stance];
  for (b = 1; b < nb; b++) {
    const po_gait_target *t = po_simbicon_target(g, nb, state, s->now.stance, b);
    int parent = a->model->joint[b].parent, heading = b == swing_thigh || (t && t->in_heading);
    po_mat3 R = d->pose[b].R, x = po_q_matrix(po_simbicon_rotation(&g->table, t, s->now.phase, s->now.stance, &s->now.d, &s->now.v, s->params.feedback));
    double strength = s->params.gain_scale * (t ? po_gait_value(&g->table, t->strength, s->now.phase, 1) : 1);
    po_vec3 spin = d->vel[b].ang;
    if (b == swing_thigh) x = po_m3_mul(po_m3_axis_angle(po_v3(1, 0, 0), -PO_RAD(s->params.side_deg)), x);
    if (b == swing_thigh) x = simbicon_bent(s, s->now.bend.hip, x);
    if (b == swing_thigh && s->now.bend.side != 0) x = po_m3_mul(po_m3_axis_angle(po_v3(1, 0, 0), s->now.stance ? s->now.bend.side : -s->now.bend.side), x);
    if (b == leg) x = simbicon_bent(s, s->now.bend.leg, x);
    if (b == a->legs.foot[!s->now.stance] && s->now.bend.lift > 0 && s->now.state == 0 && s->now.phase < SIMBICON_LIFTED) x = po_m3_mul(po_m3_axis_angle(po_v3(0, 1, 0), -s->now.bend.lift), x);
    if (!heading) spin = po_v3_sub(spin, po_m3_tmul_v(R, po_m3_mul_v(d->pose[parent].R, d->vel[parent].ang)));
    s->moment[b] = simbicon_pd(g, b, R, po_m3_mul(heading ? w->C : d->pose[parent].R, x), spin, strength);
  }
}

/* N m: what the friction of the soles is trusted with about the vertical: their loads at the mean distance of the corners that bear from their middle. A stance
 * hip that turns the trunk against a heavy swing leg with more only spins its foot, and the trunk with it; what is left to the trunk swings back with the next step. */
static double simbicon_hold(const po_simbicon *s, const simbicon_view *w) {
  const po_actor *a = s->move.actor;
  double sum = 0;
  int foot, i;
  for (foot = 0; foot < 2; foot++) {
    const po_patch *p = &a->patches.patch[foot];
    int from = w->feel[foot].heel ? 0 : 2, to = w->feel[foot].toe ? p->points : 2; /* corners: two of the heel, two of the toes */
    po_vec3 at[4], middle = po_v3(0, 0, 0);
    double arm = 0;
    for (i = from; i < to; i++) middle = po_v3_addscaled(middle, 1.0 / (to - from), at[i] = po_point_position(a->data, p->point_body[i], p->point[i]));
    for (i = from; i < to; i++) arm += po_v3_norm(po_v3_sub(at[i], middle)) / (to - from);
    sum += w->load[foot] * arm;
  }
  return s->now.bend.grip * sum;
}

/* The hips make up what the root's PD law wants and all other joints at the root take, shared by the weight on the feet (eq. 2.3). */
static void simbicon_root(po_simbicon *s, const struct po_simbicon_gait *g, int state, const simbicon_view *w) {
  const po_actor *a = s->move.actor;
  const po_data *d = a->data;
  const po_gait_target *t = po_simbicon_target(g, a->model->nb, state, s->now.stance, 0);
  int b, hip = a->legs.thigh[s->now.stance], swing = a->legs.thigh[!s->now.stance];
  double on = w->load[s->now.stance], off = w->load[!s->now.stance];
  double strength = on + off > 0 ? po_clamp(t ? po_gait_value(&g->table, t->strength, s->now.phase, 1) : 1, 0, 1) : 0;
  po_mat3 upright = po_m3_mul(po_m3_axis_angle(po_v3(0, 0, 1), s->now.facing + (s->now.stance ? -s->now.bend.twist : s->now.bend.twist)), po_m3_axis_angle(po_v3(0, 1, 0), PO_RAD(s->params.lean_deg) + simbicon_bend(s, s->now.bend.trunk)));
  po_mat3 wanted = po_m3_mul(upright, po_q_matrix(po_simbicon_rotation(&g->table, t, s->now.phase, s->now.stance, &s->now.d, &s->now.v, s->params.feedback)));
  po_vec3 m = po_v3_neg(simbicon_pd(g, 0, d->pose[0].R, wanted, d->vel[0].ang, s->params.gain_scale));
  if (!(strength > 0)) return;
  for (b = 1; b < a->model->nb; b++)
    if (a->model->joint[b].parent == 0) m = po_v3_sub(m, s->moment[b]);
  if (s->now.bend.grip > 0) {
    double most = simbicon_hold(s, w);
    m.z = po_clamp(m.z, -most, most);
  }
  m = po_v3_scale(strength / (on + off), m);
  s->moment[hip] = po_v3_addscaled(s->moment[hip], on, m);
  s->moment[swing] = po_v3_addscaled(s->moment[swing], off, m);
  if (g->table.hip_damping > 0) { /* −c |w| w' on the pelvis, the opposite on the thigh */
    po_vec3 spin = po_v3_sub(po_body_angular_velocity(d, 0), po_body_angular_velocity(d, hip));
    double size = po_v3_norm(spin), cut = size > g->table.hip_damping_cap ? g->table.hip_damping_cap / size : 1;
    s->moment[hip] = po_v3_addscaled(s->moment[hip], g->table.hip_damping * size * cut, spin);
  }
}

static void simbicon_torques(po_simbicon *s, const struct po_simbicon_gait *g, double *tau, const simbicon_view *w) {
  const po_actor *a = s->move.actor;
  const po_model *m = a->model;
  int b, k, state = s->now.state < g->table.states ? s->now.state : g->table.states - 1;
  simbicon_joints(s, g, state, w);
  simbicon_root(s, g, state, w);
  for (b = 1; b < m->nb; b++)
    for (k = 0; k < m->joint[b].nv; k++) tau[m->joint[b].v + k] = po_v3_dot(po_unit_motion(a->data, m->joint[b].v + k).ang, s->moment[b]);
}

static void simbicon_take_gaits(po_simbicon *s) {
  s->now.first = (int)po_min(s->params.gait < 0 ? s->chosen : floor(s->params.gait + 0.5), s->gaits - 1);
  s->now.second = (int)po_min(floor(s->params.other + 0.5), s->gaits - 1);
  s->now.blend = s->params.blend;
}

/* What the parameters say counts from the beginning of a step. */
static void simbicon_take_parameters(po_simbicon *s) {
  double turn = po_wrap(PO_RAD(s->params.heading) - s->now.facing);
  simbicon_take_gaits(s);
  s->now.facing += po_clamp(turn, -SIMBICON_TURN, SIMBICON_TURN);
}

po_status po_simbicon_begin_step(po_move *move, int stance, double facing, double phase) {
  po_simbicon *s = po_simbicon_of(move);
  if (!s) return move ? PO_ERR_MODEL : PO_ERR_NULL;
  if (!s->gaits) return PO_ERR_STATE;
  if ((stance != 0 && stance != 1) || !po_isfinite(facing) || !(phase >= 0 && phase <= 1)) return PO_ERR_RANGE;
  simbicon_take_gaits(s);
  s->now.state = 0;
  s->now.phase = phase;
  s->now.stance = stance;
  s->now.facing = facing;
  return PO_OK;
}

po_status po_simbicon_change_step(po_move *move) {
  po_simbicon *s = po_simbicon_of(move);
  int first, second;
  double blend;
  if (!s) return move ? PO_ERR_MODEL : PO_ERR_NULL;
  if (!s->gaits) return PO_ERR_STATE;
  first = s->now.first;
  second = s->now.second;
  blend = s->now.blend;
  simbicon_take_gaits(s);
  if (s->now.state < s->gait[s->now.first]->table.states) return PO_OK;
  s->now.first = first;
  s->now.second = second;
  s->now.blend = blend;
  return PO_ERR_STATE;
}

static void simbicon_advance(po_simbicon *s, const simbicon_view *w) {
  const po_gait_table *a = &s->gait[s->now.first]->table, *b = &s->gait[s->now.second]->table;
  const po_gait_state *now = &a->state[s->now.state], *other = &b->state[s->now.state < b->states ? s->now.state : b->states - 1];
  double seconds = (1 - s->now.blend) * now->seconds + s->now.blend * other->seconds;
  if (s->now.bend.knots && s->now.state == 0) seconds = po_max(seconds + s->now.bend.seconds, SIMBICON_SHORTEST * seconds);
  s->now.phase += w->dt / seconds;
  if (s->now.phase < 1 && !(now->on_contact && s->now.phase > now->contact_from && w->load[!s->now.stance] > SIMBICON_STRIKE * w->weight)) return;
  s->now.phase = 0;
  if (++s->now.state < a->states) return;
  s->now.state = 0;
  s->now.stance = !s->now.stance;
  s->now.steps++;
  simbicon_take_parameters(s);
}

static po_status simbicon_tick(po_move *move, double *tau, const po_sense *sense) {
  po_simbicon *s = (po_simbicon *)(void *)move;
  int i, nv = move->actor->model->nv;
  simbicon_view w;
  if (!s->gaits) return PO_ERR_STATE;
  w = simbicon_look(s, sense);
  simbicon_torques(s, s->gait[s->now.first], tau, &w);
  if (s->now.blend > 0 && s->now.second != s->now.first) {
    simbicon_torques(s, s->gait[s->now.second], s->tau_other, &w);
    for (i = 0; i < nv; i++) tau[i] = (1 - s->now.blend) * tau[i] + s->now.blend * s->tau_other[i];
  }
  simbicon_advance(s, &w);
  return PO_OK;
}

/* ---- the rest of a behaviour ---- */

static po_status simbicon_ready(const po_move *move, const po_move *from, po_error *err) {
  const po_simbicon *s = (const po_simbicon *)(const void *)move;
  (void)from;
  return s->gaits ? PO_OK : po_fail(err, PO_ERR_STATE, "simbicon has no gait for %s", move->actor->model->name);
}

static void simbicon_enter(po_move *move, const po_move *from) {
  po_simbicon *s = (po_simbicon *)(void *)move;
  (void)from;
  s->now.facing = po_actor_heading(move->actor);
  simbicon_take_parameters(s);
  s->now.phase = s->gaits ? s->gait[s->now.first]->table.start_phase : 0;
}

static void simbicon_stream(po_move *move, po_stream *stream) { po_stream_int(stream, &po_simbicon_of(move)->chosen); }

static int simbicon_phase(const po_move *move) { return ((const po_simbicon *)(const void *)move)->now.stance; }
static const char *const simbicon_phase_names[] = {"left stance", "right stance"};

const po_move_type po_simbicon_type = {
    .name = "simbicon", .summary = "walk or run by a state machine of target angles (SIMBICON), in a gait of the body's", .needs = PO_NEEDS_FEET,
    .bytes = sizeof(po_simbicon), .params_at = offsetof(po_simbicon, params), .params_bytes = sizeof(po_simbicon_params),
    .param = po_simbicon_param, .param_count = &po_simbicon_param_count,
    .state_at = offsetof(po_simbicon, now), .state_bytes = sizeof(po_simbicon_state),
    .layout = simbicon_layout, .init = simbicon_init, .ready = simbicon_ready, .enter = simbicon_enter, .tick = simbicon_tick,
    .phase = simbicon_phase, .phase_name = simbicon_phase_names, .stream = simbicon_stream, .destroy = simbicon_destroy};
