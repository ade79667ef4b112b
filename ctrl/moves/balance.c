/* balance.c: standing and squatting (paper 1, section 4, table 1).
 *
 *   priority 1   contact    every sole corner stays on the surface below it
 *            2   com        over the centroid of support, seen along gravity; at a share of the zero pose's height; pushes are countered as they are
 *                           felt, and nothing is asked that no centre of pressure near the soles could deliver
 *            3   momentum   angular momentum about the COM is damped;  pose: joints drawn softly to the zero pose, the root upright
 */
#include "support.h"

const po_param po_balance_param[] = {
  PO_STAND_PARAMS(po_balance_params, stand),
  PO_PARAM(po_balance_params, cop_margin, 0.02, 0, 10, "", "COM accelerations that need a centre of pressure further outside the support than this share of the COM's height are not asked for"),
  PO_PARAM(po_balance_params, cop_reach, 3, 0, 100, "", "the same, more for every metre by which the capture point is outside the support, less inside"),
  PO_PARAM(po_balance_params, observer, 0.002, 0, 10, "s", "time in which a push that nobody told of is noticed; 0: never"),
  PO_PARAM(po_balance_params, squat_low, 0.6, 0.4, 1, "", "lowest COM height of a squat, as a share of the zero pose's"),
  PO_PARAM(po_balance_params, squat_high, 0.95, 0.4, 1.02, "", "highest COM height of a squat"),
  PO_PARAM(po_balance_params, squat_period, 0, 0, 60, "s", "time of one squat; 0: stand still"),
};
const int po_balance_param_count = (int)(sizeof po_balance_param / sizeof po_balance_param[0]);

static const po_preset balance_preset[] = {
  {"stand", "stand still and take pushes", "{}"},
  {"squat", "deep knee bends by moving the COM height alone", "{\"squat_period\": 2}"},
  {NULL, NULL, NULL}};

enum { BALANCE_NOT_HANDED, BALANCE_HANDED_JUST_NOW, BALANCE_HANDED };

static po_balance *balance_of(po_move *move) { return (po_balance *)(void *)move; }

static po_status balance_attach(po_move *move, po_error *err) {
  po_balance *b = balance_of(move);
  (void)err;
  po_actor_add_contacts(move->actor, PO_BOTH_FEET, 1, b->params.stand.kp_contact);
  po_posture_add(&b->o, move->actor, &b->params.stand);
  return PO_OK;
}

/* Who takes over from another move begins where the COM is and as fast as it moves: asked for its own height at once, standing jumped out of a squat. */
static void balance_enter(po_move *move, const po_move *from) {
  balance_of(move)->handed = from ? BALANCE_HANDED_JUST_NOW : BALANCE_NOT_HANDED;
}

static po_status balance_set_model(po_move *move) {
  balance_of(move)->known = 0; /* another body's COM: its velocity says nothing about pushes */
  return PO_OK;
}

/* ---- a tick ---- */

/* COM height asked for, as a share of standing, with its rate and acceleration: a cosine between the squat's two heights. */
static void balance_own_height(po_balance *b, double *share, double *rate, double *accel) {
  const po_balance_params *p = &b->params;
  double w, mid, half, s, c;
  *share = p->stand.com_height;
  *rate = *accel = 0;
  if (!(p->squat_period > 0)) return;
  w = 2 * PO_PI / p->squat_period;
  mid = 0.5 * (p->squat_high + p->squat_low);
  half = 0.5 * (p->squat_high - p->squat_low);
  po_sincos(&s, &c, w * b->move.time);
  *share = mid + half * c;
  *rate = -half * w * s;
  *accel = -half * w * w * c;
  b->cycles = (int)(b->move.time / p->squat_period);
}

/* The same after a handover: on top, what height and rate were off then, fading as a critically damped spring of the body's own time √(h/g) would. */
static void balance_height(po_balance *b, double *share, double *rate, double *accel, po_vec3 centre, po_vec3 up) {
  const po_actor *a = b->move.actor;
  double h = a->standing_height, w = sqrt(po_v3_norm(a->data->gravity) / h), t, fade, slope;
  balance_own_height(b, share, rate, accel);
  if (b->handed == BALANCE_NOT_HANDED) return;
  if (b->handed == BALANCE_HANDED_JUST_NOW) {
    b->handed = BALANCE_HANDED;
    b->handed_at = b->move.time;
    b->off = po_v3_dot(up, po_v3_sub(a->data->com, centre)) / h - *share;
    b->off_rate = po_v3_dot(up, a->data->com_velocity) / h - *rate;
  }
  t = b->move.time - b->handed_at;
  fade = po_exp(-w * t);
  slope = b->off_rate + w * b->off;
  *share += (b->off + slope * t) * fade;
  *rate += (slope - w * (b->off + slope * t)) * fade;
  *accel += (w * w * (b->off + slope * t) - 2 * w * slope) * fade;
}

/* What is asked of the COM, ÿ = kp (centre − c) − kv ċ, is cut back to what a centre of pressure p = c − ÿ h/g near the support can deliver. Beyond that
 * only spinning the body could, since angular momentum stands lower, until its joints run into their limits. */
static po_vec3 balance_com(const po_balance *b, po_vec3 centre) {
  const po_data *d = b->move.actor->data;
  double kp = b->params.stand.kp_com, k = po_v3_norm(d->gravity) / b->move.actor->standing_height, out, margin;
  po_footing soles = po_footing_of(b->move.actor, PO_BOTH_FEET, 0);
  po_vec3 near, over, want, p;
  want = po_v3_sub(po_v3_scale(kp, po_v3_sub(centre, d->com)), po_v3_scale(2 * sqrt(kp), d->com_velocity));
  want = po_v3_sub(want, b->push);
  if (soles.corners < 1 || !(k > 0)) return want;
  out = po_footing_outside(&soles, po_capture_point(b->move.actor));
  margin = po_max(0, b->params.cop_margin * b->move.actor->standing_height + b->params.cop_reach * out);
  p = po_v3_addscaled(d->com, -1 / k, want);
  if (!po_cop_clip(&near, &over, p, soles.hull, soles.corners, margin)) return want;
  p = po_v3_add(near, over);
  return po_v3(k * (d->com.x - p.x), k * (d->com.y - p.y), want.z);
}

/* What the COM did since the last tick against what the plan had it do: the rest is a push that nobody told of. Waiting for it to show in the COM's
 * velocity costs 40 ms, and with them a fifth of what can be survived. */
static void balance_observe_push(po_balance *b, const po_sense *sense) {
  const po_balance_params *p = &b->params;
  po_vec3 v = b->move.actor->data->com_velocity, seen;
  double size, dt = sense->dt;
  if (sense->push) b->push = po_v3_scale(1 / b->move.actor->model->total_mass, *sense->push);
  else if (!b->known || !(dt > 0) || !(p->observer > 0)) b->push = po_v3(0, 0, 0);
  else {
    seen = po_v3_sub(po_v3_scale(1 / dt, po_v3_sub(v, b->last_velocity)), b->planned);
    b->push = po_v3_addscaled(b->push, po_min(1, dt / p->observer), po_v3_sub(seen, b->push));
  }
  size = po_v3_norm(b->push);
  if (p->stand.com_limit > 0 && size > p->stand.com_limit) b->push = po_v3_scale(p->stand.com_limit / size, b->push);
  b->last_velocity = v;
}

/* What the tick just solved has the COM do. */
static void balance_after(po_move *move, const po_sense *sense) {
  po_balance *b = balance_of(move);
  po_vec3 e0, e1, up;
  (void)sense;
  po_gravity_axes(&e0, &e1, &up, move->actor->data->gravity);
  b->known = !move->actor->wbc->held;
  b->planned = po_v3_add(po_v3_add(po_v3_scale(b->o.com->got[0], e0), po_v3_scale(b->o.com->got[1], e1)), po_v3_scale(b->o.height->got[0], up));
}

static void balance_aim(po_move *move, const po_sense *sense) {
  po_balance *b = balance_of(move);
  po_actor *a = move->actor;
  const po_stand_gains *g = &b->params.stand;
  double share, rate, accel, h = a->standing_height;
  po_vec3 e0, e1, up, want, centre = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET);
  int i;
  po_actor_stand_on(a, PO_BOTH_FEET);
  balance_observe_push(b, sense);
  po_gravity_axes(&e0, &e1, &up, a->data->gravity);
  for (i = 0; i < 8; i++) po_actor_plant(a, i / 4, i % 4, 1, g->kp_contact);
  po_posture_aim(&b->o, a, g);
  balance_height(b, &share, &rate, &accel, centre, up);
  move->com_target = po_v3_addscaled(centre, share * h, up);
  want = po_v3_add(balance_com(b, centre), a->given);
  b->o.com->kp = b->o.com->kv = 0; /* the whole answer stands in the reference's acceleration */
  b->o.com->limit = g->com_limit;
  b->o.com->ref_accel[0] = po_v3_dot(e0, want);
  b->o.com->ref_accel[1] = po_v3_dot(e1, want);
  b->o.height->ref[0] = po_v3_dot(up, move->com_target);
  b->o.height->ref_rate[0] = rate * h;
  b->o.height->ref_accel[0] = accel * h;
}

const po_move_type po_balance_type = {
  .name = "balance",
  .summary = "stand, take pushes, squat",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .bytes = sizeof(po_balance),
  .params_at = offsetof(po_balance, params),
  .params_bytes = sizeof(po_balance_params),
  .param = po_balance_param,
  .param_count = &po_balance_param_count,
  .state_at = offsetof(po_balance, cycles),
  .state_bytes = sizeof(po_balance) - offsetof(po_balance, cycles),
  .preset = balance_preset,
  .attach = balance_attach,
  .ready = po_posture_ready,
  .enter = balance_enter,
  .aim = balance_aim,
  .after = balance_after,
  .set_model = balance_set_model,
};

po_status po_balance_new(po_balance **balance, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, const po_balance_params *params,
                         po_error *err) {
  po_move *move = NULL;
  po_status s = po_move_new_of(&move, &po_balance_type, params, m, terrain, opts, err);
  if (balance) *balance = balance_of(move);
  return balance ? s : po_fail(err, PO_ERR_NULL, "a place for the balance is needed");
}
