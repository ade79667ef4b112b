/* sequence.c: a behaviour made of others, one after the other on one actor.
 *
 * A move ends after its seconds or when it is done. The next takes over as soon as it says that it can; until then the present one is asked to come to a
 * state that others can take over (walking: to a stand). From the handover on, torques may change only slowly at first, then faster, until nothing
 * binds any more. Whole-body control puts that above all objectives, below the physics, so that it asks of the contacts only what such torques can do; fading the old
 * torques out on top of the new ones instead throws the body over, since they belong to other contact forces.
 */
#include "moves_internal.h"
#include <string.h>

/* Of its limit, a torque may change by this share a second at a handover: 0.1 % a tick at 1 kHz, 0.3 N m of a human knee, which changes by 1 in a calm step; */
#define SEQUENCE_SLEW 1.0
/* s: e times as fast after each of these, */
#define SEQUENCE_LOOSER 0.05
/* s: and freely after this: six times as long, when 400 a second bind nobody. */
#define SEQUENCE_SETTLED 0.3
/* s: who cannot take over within this never will: a walk at full speed stops in less than half of it. */
#define SEQUENCE_PATIENCE 10.0

static po_sequence *sequence_own(po_move *move) { return (po_sequence *)(void *)move; }
static po_sequence_step *sequence_now(po_sequence *s) { return &s->step[s->now.at < s->steps ? s->now.at : s->steps - 1]; }

po_sequence *po_sequence_of(po_move *move) { return move && move->type == &po_sequence_type ? sequence_own(move) : NULL; }

/* ---- reading a script ---- */

typedef struct sequence_item {
  const po_move_type *type;
  po_preset preset;
  const char *arguments, *end; /* after the name's colon; where the item ends */
} sequence_item;

/* The text up to the next of `stops`, copied without blanks around it; returns where it stopped. */
static const char *sequence_word(char *out, size_t size, const char *text, const char *end, const char *stops) {
  size_t n = 0;
  while (text < end && *text == ' ') text++;
  for (; text < end && !strchr(stops, *text); text++)
    if (n + 1 < size) out[n++] = *text;
  while (n && out[n - 1] == ' ') n--;
  out[n] = 0;
  return text;
}

/* Splits the script; returns the number of moves, or −1 with the reason. */
static int sequence_read(sequence_item *item, const char *script, po_error *err) {
  const char *at = script, *end;
  int n = 0;
  if (!script || !*script) return po_fail(err, PO_ERR_PARSE, "a sequence needs moves: walk:4,stand:1,jump:0.3"), -1;
  for (;; at = end + 1, n++) {
    char name[64];
    if (n == PO_SEQUENCE_MAX) return po_fail(err, PO_ERR_SIZE, "a sequence has at most %d moves", PO_SEQUENCE_MAX), -1;
    for (end = at; *end && *end != ','; end++) {}
    at = sequence_word(name, sizeof name, at, end, ":");
    if (!*name) return po_fail(err, PO_ERR_PARSE, "move %d of the sequence has no name", n + 1), -1;
    if (po_move_find(&item[n].type, &item[n].preset, name, err) != PO_OK) return -1;
    item[n].arguments = at < end ? at + 1 : end;
    item[n].end = end;
    if (!*end) return n + 1;
  }
}

/* One argument: a number alone (the first one only), or name=value. */
static po_status sequence_argument(po_sequence_step *step, const char *word, int first, po_error *err) {
  const char *equals = strchr(word, '='), *value = equals ? equals + 1 : word, *end = NULL;
  char name[64];
  double x;
  if (!equals && !first) return po_fail(err, PO_ERR_PARSE, "%s: '%s' is neither the first number nor name=value", step->move->name, word);
  if (po_parse_double(&x, &end, value, value + strlen(value)) != PO_OK || *end)
    return po_fail(err, PO_ERR_PARSE, "%s: '%s': a number is needed", step->move->name, word);
  if (equals) sequence_word(name, sizeof name, word, equals, "=");
  else po_format(name, sizeof name, "%s", step->move->type->first ? step->move->type->first : "seconds");
  if (strcmp(name, "seconds")) return po_move_set(step->move, name, x, err);
  if (!(x > 0 && x <= 1e6)) return po_fail(err, PO_ERR_RANGE, "%s: %g seconds: must be positive", step->move->name, x);
  step->seconds = x;
  return PO_OK;
}

static po_status sequence_step_new(po_sequence_step *step, const sequence_item *item, po_actor *actor, int last, po_error *err) {
  const char *at = item->arguments;
  po_status s;
  int first = 1;
  if ((s = po_move_new_on(&step->move, item->type, NULL, actor, err)) != PO_OK) return s;
  if (item->preset.name && (s = po_move_apply(step->move, &item->preset, err)) != PO_OK) return s;
  for (; at < item->end; first = 0) {
    char word[96];
    at = sequence_word(word, sizeof word, at, item->end, ":");
    if ((s = sequence_argument(step, word, first, err)) != PO_OK) return s;
    if (at < item->end) at++;
  }
  if (!step->seconds && !item->type->done && !last)
    return po_fail(err, PO_ERR_RANGE, "%s goes on for ever: say for how many seconds, as in %s:4", step->move->name, step->move->name);
  return PO_OK;
}

unsigned po_sequence_needs(const char *script, po_error *err) {
  sequence_item item[PO_SEQUENCE_MAX];
  unsigned needs = 0;
  int i, n = sequence_read(item, script, err);
  for (i = 0; i < n; i++) needs |= item[i].type->needs;
  return needs;
}

const char *po_sequence_body(const char *script) {
  sequence_item item[PO_SEQUENCE_MAX];
  int i, n = sequence_read(item, script, NULL);
  for (i = 0; i < n; i++)
    if (item[i].type->body) return item[i].type->body;
  return "human";
}

po_status po_sequence_new(po_move **sequence, const char *script, const po_model *m, const po_terrain *terrain, const po_wbc_opts *opts, po_error *err) {
  sequence_item item[PO_SEQUENCE_MAX];
  unsigned needs = 0;
  po_actor *actor;
  po_sequence *q;
  po_status s;
  int i, n;
  if (!sequence || !m) return po_fail(err, PO_ERR_NULL, "a sequence needs a model");
  *sequence = NULL;
  if ((n = sequence_read(item, script, err)) < 0) return err ? err->status : PO_ERR_PARSE;
  for (i = 0; i < n; i++) needs |= item[i].type->needs;
  if ((s = po_actor_new(&actor, m, terrain, needs, opts, err)) != PO_OK) return s;
  if ((s = po_move_new_on(sequence, &po_sequence_type, NULL, actor, err)) != PO_OK) {
    po_actor_free(actor);
    return s;
  }
  (*sequence)->owns_actor = 1;
  q = sequence_own(*sequence);
  for (i = 0; i < n && s == PO_OK; i++) {
    q->steps = i + 1;
    q->now.started[i] = q->now.ended[i] = -1;
    s = sequence_step_new(&q->step[i], &item[i], actor, i == n - 1, err);
    q->move.shape = 31 * q->move.shape + po_move_state_hash(item[i].type);
  }
  if (s == PO_OK) s = po_move_own(*sequence, err);
  if (s != PO_OK) {
    po_move_free(*sequence);
    *sequence = NULL;
  }
  return s;
}

/* ---- running ---- */

static void sequence_destroy(po_move *move) {
  po_sequence *s = sequence_own(move);
  int i;
  for (i = 0; i < s->steps; i++) po_move_free(s->step[i].move);
}

static po_status sequence_attach(po_move *move, po_error *err) { return po_move_attach(sequence_now(sequence_own(move))->move, err); }

static po_status sequence_ready(const po_move *move, const po_move *from, po_error *err) {
  return po_move_ready(((const po_sequence *)(const void *)move)->step[0].move, from, err);
}

static void sequence_enter(po_move *move, const po_move *from) {
  po_sequence *s = sequence_own(move);
  int i;
  for (i = 0; i < s->steps; i++) {
    s->now.started[i] = s->now.ended[i] = -1;
    s->step[i].move->entered = 0;
  }
  s->now.handed = SEQUENCE_SETTLED;
  move->actor->owner = NULL; /* the first one's objectives come back, whoever had the body last */
  po_move_own(move, NULL);
  s->now.started[0] = 0;
  po_move_begin(s->step[0].move, from);
}

static int sequence_over(const po_sequence_step *step, int *outcome) {
  *outcome = po_move_done(step->move);
  if (step->seconds > 0 && step->move->time >= step->seconds - 1e-9 && *outcome == PO_MOVE_GOING) *outcome = PO_MOVE_DONE;
  return step->seconds > 0 ? step->move->time >= step->seconds - 1e-9 : *outcome != PO_MOVE_GOING;
}

static void sequence_hand_over(po_sequence *s) {
  po_move *old = s->step[s->now.at].move, *next = s->step[s->now.at + 1].move;
  po_actor *a = s->move.actor;
  s->now.ended[s->now.at] = s->now.started[s->now.at + 1] = s->move.time;
  s->now.at++;
  s->now.waiting = 0;
  a->owner = NULL;
  po_move_own(&s->move, NULL);
  po_move_begin(next, old);
  old->entered = 0;
  /* who goes on in the middle of a step of its own kind asks what the other would have; slowed torques would miss the next landing */
  s->now.handed = old->type == next->type && old->type->released ? SEQUENCE_SETTLED : 0;
}

/* One of the same kind can go on in the middle of a step. */
static int sequence_lets_go(const po_move *old, const po_move *next) {
  return old->type == next->type || !old->type->released || old->type->released(old);
}

static void sequence_advance(po_sequence *s) {
  int at = s->now.at, *outcome = &s->now.outcome[at];
  po_move *move = s->step[at < s->steps ? at : 0].move;
  po_error why;
  why.status = PO_OK;
  if (at >= s->steps || *outcome == PO_MOVE_FAILED) return;
  if (*outcome == PO_MOVE_GOING && !sequence_over(&s->step[at], outcome)) return;
  if (*outcome == PO_MOVE_FAILED) {
    s->now.ended[at] = s->move.time;
    po_format(s->now.reason, sizeof s->now.reason, "%s failed", move->name);
    return;
  }
  if (at + 1 == s->steps) { /* the last one goes on: someone has to hold the body */
    s->now.ended[at] = s->move.time;
    s->now.at = s->steps;
    return;
  }
  if (po_move_ready(s->step[at + 1].move, move, &why) == PO_OK && sequence_lets_go(move, s->step[at + 1].move)) {
    sequence_hand_over(s);
    return;
  }
  if (!s->now.waiting) s->now.since = s->move.time;
  s->now.waiting = 1;
  po_move_leave(move);
  if (s->move.time - s->now.since < SEQUENCE_PATIENCE) return;
  outcome[0] = outcome[1] = PO_MOVE_FAILED;
  po_format(s->now.reason, sizeof s->now.reason, "%s", why.status != PO_OK ? why.message : "the move before does not come to rest");
}

/* Most that torques may change by in this tick, as a share of their limits; 0: no bound. */
static double sequence_slew(const po_sequence *s, double dt) {
  return s->now.handed < SEQUENCE_SETTLED ? SEQUENCE_SLEW * dt * po_exp(s->now.handed / SEQUENCE_LOOSER) : 0;
}

/* For who computes torques without whole-body control. */
static void sequence_limit(const po_actor *a, double *tau, double slew) {
  int i;
  for (i = 0; i < a->model->nv && slew > 0; i++) {
    const po_joint *j = &a->model->joint[a->model->dof_body[i]];
    double most = j->type == PO_JOINT_FLOATING ? 0 : slew * j->effort[i - j->v];
    tau[i] = po_clamp(tau[i], a->tau[i] - most, a->tau[i] + most);
  }
}

static po_status sequence_tick(po_move *move, double *tau, const po_sense *sense) {
  po_sequence *s = sequence_own(move);
  po_move *now;
  po_status status;
  double slew;
  sequence_advance(s);
  now = sequence_now(s)->move;
  slew = sequence_slew(s, sense->dt);
  if (move->actor->wbc) {
    memcpy(move->actor->wbc->tau, move->actor->tau, sizeof(double) * (size_t)move->actor->model->nv); /* the last ones, whoever gave them */
    move->actor->wbc->slew = slew;
  }
  if ((status = po_move_act(now, tau, sense)) != PO_OK) return status;
  if (now->type->tick) sequence_limit(move->actor, tau, slew);
  s->now.handed += sense->dt;
  move->com_target = now->com_target;
  return PO_OK;
}

static void sequence_leave(po_move *move) { po_move_leave(sequence_now(sequence_own(move))->move); }

static po_move_outcome sequence_done(const po_move *move) {
  const po_sequence *s = (const po_sequence *)(const void *)move;
  int i;
  for (i = 0; i < s->steps; i++)
    if (s->now.outcome[i] == PO_MOVE_FAILED) return PO_MOVE_FAILED;
  return s->now.at >= s->steps ? PO_MOVE_DONE : PO_MOVE_GOING;
}

static int sequence_phase(const po_move *move) { return ((const po_sequence *)(const void *)move)->now.at; }
static const char *sequence_phase_string(const po_move *move) { return sequence_now(sequence_own((po_move *)move))->move->name; }

/* Whose objectives the control holds is known once the state is read. */
static void sequence_stream(po_move *move, po_stream *stream) {
  po_sequence *s = sequence_own(move);
  int i;
  for (i = 0; i < s->steps; i++) po_move_stream(s->step[i].move, stream);
  if (stream->mode == PO_STREAM_READ) move->actor->owner = NULL;
}

static po_status sequence_set_model(po_move *move) {
  po_sequence *s = sequence_own(move);
  po_status status = PO_OK;
  int i;
  for (i = 0; i < s->steps && status == PO_OK; i++)
    if (s->step[i].move->type->set_model) status = s->step[i].move->type->set_model(s->step[i].move);
  return status;
}

const po_move_type po_sequence_type = {
  .name = "sequence",
  .summary = "moves one after the other",
  .bytes = sizeof(po_sequence),
  .state_at = offsetof(po_sequence, now),
  .state_bytes = sizeof(po_sequence_state),
  .attach = sequence_attach,
  .ready = sequence_ready,
  .enter = sequence_enter,
  .tick = sequence_tick,
  .leave = sequence_leave,
  .done = sequence_done,
  .phase = sequence_phase,
  .phase_string = sequence_phase_string,
  .stream = sequence_stream,
  .set_model = sequence_set_model,
  .destroy = sequence_destroy,
};
