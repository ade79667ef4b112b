/* actions.c: what a policy chooses from, as data (models/actions/NAME.json). */
#include "learn_internal.h"
#include <string.h>

#define ACTIONS_STEP_TIME 0.5 /* s: of steps of generalized walking that say nothing else */
#define ACTIONS_CHANGE 0.4    /* m/s: of their speed, in sets that say nothing else */

typedef struct actions_reader {
  po_actions *set;
  const char *file;
  po_error *err;
} actions_reader;

#define ACTIONS_BAD(r, item, ...) po_fail_at((r)->err, PO_ERR_PARSE, (r)->file, (item)->line, (item)->column, __VA_ARGS__)

static po_status actions_number(actions_reader *r, const po_json *item, double lower, double upper, double *out) {
  if (item->type != PO_JSON_NUMBER || !(item->number >= lower && item->number <= upper))
    return ACTIONS_BAD(r, item, "%s: a number in %g ... %g is needed", item->key ? item->key : "here", lower, upper);
  *out = item->number;
  return PO_OK;
}

static po_status actions_text(actions_reader *r, const po_json *item, char *out, size_t room) {
  if (item->type != PO_JSON_STRING || strlen(item->string) >= room) return ACTIONS_BAD(r, item, "%s: a text of less than %zu bytes is needed", item->key, room);
  memcpy(out, item->string, strlen(item->string) + 1);
  return PO_OK;
}

/* "hip": [spin, turn] */
static po_status actions_joints(actions_reader *r, const po_json *object) {
  po_metric_weights *w = &r->set->weights;
  const po_json *i;
  double pair[2];
  if (object->type != PO_JSON_OBJECT) return ACTIONS_BAD(r, object, "joints: an object of [spin, turn] by joint is needed");
  for (i = object->first; i; i = i->next) {
    if (w->joints == PO_METRIC_JOINTS) return ACTIONS_BAD(r, i, "more than %d joints", PO_METRIC_JOINTS);
    if (strlen(i->key) >= PO_TASK_NAME || po_json_doubles(pair, 2, i) != PO_OK || !(pair[0] >= 0 && pair[1] >= 0 && po_isfinite(pair[0] + pair[1])))
      return ACTIONS_BAD(r, i, "%s: two weights [spin, turn], neither negative, are needed", i->key);
    memcpy(w->joint[w->joints].joint, i->key, strlen(i->key) + 1);
    w->joint[w->joints].spin = pair[0];
    w->joint[w->joints++].turn = pair[1];
  }
  return PO_OK;
}

static po_status actions_metric(actions_reader *r, const po_json *object) {
  po_metric_weights *w = &r->set->weights;
  const po_json *i;
  po_status s = PO_OK;
  if (object->type != PO_JSON_OBJECT) return ACTIONS_BAD(r, object, "metric: an object is needed");
  for (i = object->first; i && s == PO_OK; i = i->next) {
    if (!strcmp(i->key, "velocity")) s = actions_number(r, i, 0, 1e3, &w->velocity);
    else if (!strcmp(i->key, "spin")) s = actions_number(r, i, 0, 1e3, &w->spin);
    else if (!strcmp(i->key, "tilt")) s = actions_number(r, i, 0, 1e3, &w->tilt);
    else if (!strcmp(i->key, "joints")) s = actions_joints(r, i);
    else s = ACTIONS_BAD(r, i, "metric has no '%s': velocity, spin, tilt, joints", i->key);
  }
  return s;
}

/* The mirror image of an action that stands above it. */
static po_status actions_mirror(actions_reader *r, const po_json *item, po_action *a) {
  int k = po_actions_find(r->set, po_json_string(item, ""));
  if (k < 0) return ACTIONS_BAD(r, item, "mirror: no action '%s' stands above", po_json_string(item, ""));
  memcpy(a->gait, r->set->action[k].gait, sizeof a->gait);
  memcpy(a->other, r->set->action[k].other, sizeof a->other);
  a->blend = r->set->action[k].blend;
  a->lean_deg = r->set->action[k].lean_deg;
  a->turn_deg = -r->set->action[k].turn_deg;
  a->side_deg = -r->set->action[k].side_deg;
  r->set->step[r->set->actions] = r->set->step[k];
  r->set->step[r->set->actions].side_speed = -r->set->step[k].side_speed;
  return PO_OK;
}

static po_status actions_action(actions_reader *r, const po_json *object) {
  po_action *a = &r->set->action[r->set->actions];
  po_gbwc_step *step = &r->set->step[r->set->actions];
  const po_json *i;
  po_status s = PO_OK;
  int strides = 0;
  if (r->set->actions == PO_ACTIONS_MAX) return ACTIONS_BAD(r, object, "more than %d actions", PO_ACTIONS_MAX);
  if (object->type != PO_JSON_OBJECT || strlen(object->key) >= PO_TASK_NAME || !*object->key) return ACTIONS_BAD(r, object, "%s: an action is a short name and an object", object->key);
  if (po_actions_find(r->set, object->key) >= 0) return ACTIONS_BAD(r, object, "there are two actions '%s'", object->key);
  memset(a, 0, sizeof *a);
  step->step_time = ACTIONS_STEP_TIME;
  for (i = object->first; i && s == PO_OK; i = i->next) {
    if (!strcmp(i->key, "gait")) s = actions_text(r, i, a->gait, sizeof a->gait);
    else if (!strcmp(i->key, "other")) s = actions_text(r, i, a->other, sizeof a->other);
    else if (!strcmp(i->key, "blend")) s = actions_number(r, i, 0, 1, &a->blend);
    else if (!strcmp(i->key, "turn_deg")) s = actions_number(r, i, -90, 90, &a->turn_deg);
    else if (!strcmp(i->key, "side_deg")) s = actions_number(r, i, -30, 30, &a->side_deg);
    else if (!strcmp(i->key, "lean_deg")) s = actions_number(r, i, -30, 30, &a->lean_deg);
    else if (!strcmp(i->key, "mirror")) s = actions_mirror(r, i, a), strides |= r->set->gbwc;
    else if (!strcmp(i->key, "speed")) s = actions_number(r, i, -0.6, 1.7, &step->speed), strides = 1;
    else if (!strcmp(i->key, "side_speed")) s = actions_number(r, i, -0.4, 0.4, &step->side_speed);
    else if (!strcmp(i->key, "step_time")) s = actions_number(r, i, 0.2, 1, &step->step_time);
    else s = ACTIONS_BAD(r, i, "an action has no '%s': gait, other, blend, side_deg, or speed, side_speed, step_time; turn_deg, lean_deg, mirror", i->key);
  }
  if (s != PO_OK) return s;
  if (!r->set->actions) r->set->gbwc = strides;
  if (r->set->gbwc ? *a->gait || *a->other || a->side_deg != 0 : strides || step->side_speed != 0)
    return ACTIONS_BAD(r, object, "action '%s': gaits and steps with a speed do not go into one set", object->key);
  if (!*a->gait && !strides) return ACTIONS_BAD(r, object, "action '%s' names no gait and no speed", object->key);
  if (*a->gait && !strcmp(a->gait, a->other)) return ACTIONS_BAD(r, object, "action '%s' blends '%s' with itself", object->key, a->gait);
  if (a->blend > 0 && !*a->other) return ACTIONS_BAD(r, object, "action '%s' has a blend and no other gait", object->key);
  memcpy(a->name, object->key, strlen(object->key) + 1);
  r->set->actions++;
  return PO_OK;
}

static po_status actions_all(actions_reader *r, const po_json *object) {
  const po_json *i;
  po_status s = PO_OK;
  if (object->type != PO_JSON_OBJECT) return ACTIONS_BAD(r, object, "actions: an object of actions by name is needed");
  for (i = object->first; i && s == PO_OK; i = i->next) s = actions_action(r, i);
  return s;
}

/* [["walk", "walk", "run"], …] */
static po_status actions_sequences(actions_reader *r, const po_json *array) {
  const po_json *i, *k;
  if (array->type != PO_JSON_ARRAY || array->length > PO_ACTION_SEQUENCES) return ACTIONS_BAD(r, array, "sequences: at most %d lists of actions", PO_ACTION_SEQUENCES);
  for (i = array->first; i; i = i->next) {
    int n = 0;
    if (i->type != PO_JSON_ARRAY || i->length > PO_ACTION_SEQUENCES) return ACTIONS_BAD(r, i, "a sequence is a list of at most %d actions", PO_ACTION_SEQUENCES);
    for (k = i->first; k; k = k->next, n++) {
      int a = po_actions_find(r->set, po_json_string(k, ""));
      if (a < 0) return ACTIONS_BAD(r, k, "a sequence names '%s', which is no action above", po_json_string(k, ""));
      r->set->sequence[r->set->sequences].action[n] = (unsigned char)a;
    }
    r->set->sequence[r->set->sequences++].length = n;
  }
  return PO_OK;
}

/* [10, 15] */
static po_status actions_balls(actions_reader *r, const po_json *array) {
  const po_json *i;
  po_status s = PO_OK;
  if (array->type != PO_JSON_ARRAY || array->length > PO_ACTION_BALLS) return ACTIONS_BAD(r, array, "balls: at most %d masses in kg", PO_ACTION_BALLS);
  for (i = array->first; i && s == PO_OK; i = i->next) s = actions_number(r, i, 0.1, 30, &r->set->ball[r->set->balls++]);
  return s;
}

static po_status actions_member(actions_reader *r, const po_json *i) {
  po_actions *s = r->set;
  if (!strcmp(i->key, "name")) return actions_text(r, i, s->name, sizeof s->name);
  if (!strcmp(i->key, "body")) return actions_text(r, i, s->body, sizeof s->body);
  if (!strcmp(i->key, "summary")) return actions_text(r, i, s->summary, sizeof s->summary);
  if (!strcmp(i->key, "eps_trust")) return actions_number(r, i, 0.1, 20, &s->eps_trust);
  if (!strcmp(i->key, "eps_new")) return actions_number(r, i, 0.1, 20, &s->eps_new);
  if (!strcmp(i->key, "speed_change")) return actions_number(r, i, 0, 10, &s->speed_change);
  if (!strcmp(i->key, "metric")) return actions_metric(r, i);
  if (!strcmp(i->key, "balls")) return actions_balls(r, i);
  if (!strcmp(i->key, "actions")) return actions_all(r, i);
  if (!strcmp(i->key, "sequences")) return actions_sequences(r, i);
  return ACTIONS_BAD(r, i, "a set of actions has no '%s'", i->key);
}

po_status po_actions_parse(po_actions *set, const char *text, size_t size, const char *file, po_error *err) {
  actions_reader r;
  po_json *root;
  const po_json *i;
  po_status s;
  if (!set || !text) return po_fail(err, PO_ERR_NULL, "there are no actions");
  memset(set, 0, sizeof *set);
  set->speed_change = ACTIONS_CHANGE;
  if ((s = po_json_parse(&root, text, size, file, err)) != PO_OK) return s;
  r.set = set;
  r.file = file;
  r.err = err;
  if (root->type != PO_JSON_OBJECT) s = ACTIONS_BAD(&r, root, "a set of actions is an object");
  for (i = root->first; i && s == PO_OK; i = i->next) s = actions_member(&r, i);
  if (s == PO_OK && (!*set->name || !*set->body || !set->actions)) s = ACTIONS_BAD(&r, root, "name, body and actions are needed");
  if (s == PO_OK && !(set->eps_trust > 0 && set->eps_new > 0 && set->eps_new <= set->eps_trust))
    s = ACTIONS_BAD(&r, root, "eps_trust and eps_new are needed, and eps_new must not be the larger");
  po_json_free(root);
  return s;
}

po_status po_actions_load(po_actions *set, const char *name, po_error *err) {
  size_t n = name ? strlen(name) : 0;
  char path[96];
  char *text;
  size_t size;
  po_status s;
  int i;
  if (!n) return po_fail(err, PO_ERR_NULL, "which actions?");
  if (n > 5 && !strcmp(name + n - 5, ".json")) {
    if ((s = po_read_file(&text, &size, name, 0, err)) != PO_OK) return s;
    s = po_actions_parse(set, text, size, name, err);
    po_free(text);
    return s;
  }
  po_format(path, sizeof path, "actions/%s.json", name);
  for (i = 0; po_builtin_files[i].path; i++)
    if (!strcmp(po_builtin_files[i].path, path)) return po_actions_parse(set, po_builtin_files[i].text, strlen(po_builtin_files[i].text), path, err);
  return po_fail(err, PO_ERR_NAME, "there are no actions '%s'; a file's name ends in .json", name);
}

po_status po_actions_append(po_actions *set, const po_actions *more) {
  int i;
  if (!set || !more) return PO_ERR_NULL;
  if (strcmp(set->body, more->body) || set->gbwc != more->gbwc) return PO_ERR_MODEL;
  if (set->actions + more->actions > PO_ACTIONS_MAX) return PO_ERR_SIZE;
  for (i = 0; i < more->actions; i++) {
    set->action[set->actions] = more->action[i];
    set->step[set->actions++] = more->step[i];
  }
  return PO_OK;
}

int po_actions_find(const po_actions *set, const char *name) {
  int i;
  for (i = 0; i < set->actions; i++)
    if (!strcmp(set->action[i].name, name)) return i;
  return -1;
}

static int actions_step_mirrored(const po_gbwc_step *a, const po_gbwc_step *b) {
  return a->speed == b->speed && a->step_time == b->step_time && a->side_speed == -b->side_speed;
}

int po_actions_mirror(const po_actions *set, int action) {
  const po_action *a = &set->action[action];
  int i;
  if (a->turn_deg == 0 && a->side_deg == 0 && set->step[action].side_speed == 0) return action;
  for (i = 0; i < set->actions; i++) {
    const po_action *b = &set->action[i];
    if (!strcmp(a->gait, b->gait) && !strcmp(a->other, b->other) && a->blend == b->blend && a->lean_deg == b->lean_deg && a->turn_deg == -b->turn_deg &&
        a->side_deg == -b->side_deg && (!set->gbwc || actions_step_mirrored(&set->step[action], &set->step[i])))
      return i;
  }
  return action;
}

/* What the actions do and how states are told apart; not how an exploration begins or ends. Parsing zeroes a set first, padding too. */
uint64_t po_actions_hash(const po_actions *set) {
  uint64_t key = po_hash(set->body, sizeof set->body, 0);
  key = po_hash(&set->weights, sizeof set->weights, key);
  key = po_hash(set->action, sizeof set->action[0] * (size_t)set->actions, key);
  if (!set->gbwc) return key;
  key = po_hash(set->step, sizeof set->step[0] * (size_t)set->actions, key);
  return set->speed_change == ACTIONS_CHANGE ? key : po_hash(&set->speed_change, sizeof set->speed_change, key);
}

po_status po_actions_sequences(po_actions *set, const char *text, po_error *err) {
  po_actions *to;
  const char *at = text;
  po_status s = PO_OK;
  if (!set || !text) return po_fail(err, PO_ERR_NULL, "there are no sequences");
  if (!(to = po_alloc(sizeof *to))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  *to = *set;
  to->sequences = 0;
  memset(to->sequence, 0, sizeof to->sequence);
  while (*at && strcmp(text, "none") && s == PO_OK) {
    char name[PO_TASK_NAME];
    size_t n = 0;
    int row = to->sequences, length = row < PO_ACTION_SEQUENCES ? to->sequence[row].length : 0, action;
    while (at[n] && at[n] != ',' && at[n] != ';') n++;
    po_format(name, sizeof name, "%.*s", (int)po_min(n, sizeof name - 1), at);
    if (row == PO_ACTION_SEQUENCES || length == PO_ACTION_SEQUENCES) s = po_fail(err, PO_ERR_SIZE, "sequences: at most %d of at most %d actions", PO_ACTION_SEQUENCES, PO_ACTION_SEQUENCES);
    else if ((action = po_actions_find(set, name)) < 0) s = po_fail(err, PO_ERR_NAME, "sequences name '%s', which is no action of '%s'", name, set->name);
    else {
      to->sequence[row].action[length] = (unsigned char)action;
      to->sequence[row].length++;
      if (at[n] != ',') to->sequences++;
    }
    at += n + (at[n] != 0);
  }
  if (s == PO_OK) *set = *to;
  po_free(to);
  return s;
}

/* ---- taking steps ---- */

const po_move_type *po_walker_type(const po_actions *set) { return set->gbwc ? &po_gbwc_type : &po_simbicon_type; }

long po_walker_steps(const po_move *move) {
  const po_simbicon_state *s = po_simbicon_now(move);
  const po_gbwc_state *g = po_gbwc_now(move);
  return s ? s->steps : g ? g->steps : 0;
}

int po_walker_stance(const po_move *move) {
  const po_simbicon_state *s = po_simbicon_now(move);
  const po_gbwc_state *g = po_gbwc_now(move);
  return s ? s->stance : g ? g->stance : 0;
}

#define WALKER_HEIGHT 0.97    /* of the straight legs' height, at which generalized walking stands */

po_status po_walker_start(double *q, double *v, po_move *move, const po_actions *set, int action, po_error *err) {
  const po_model *m = move->actor->model;
  if (!set->gbwc) return po_simbicon_start(q, v, move, po_simbicon_find(move, set->action[action].gait), err);
  memset(v, 0, sizeof(double) * (size_t)m->nv);
  return po_stand_pose(q, m, po_terrain_flat(), 0, 0, 0, WALKER_HEIGHT, err);
}

po_status po_actions_check(const po_actions *set, po_move *move, po_error *err) {
  int i;
  if (strcmp(set->body, move->actor->model->name)) return po_fail(err, PO_ERR_MODEL, "actions '%s' are for %s, not for %s", set->name, set->body, move->actor->model->name);
  if (move->type != po_walker_type(set)) return po_fail(err, PO_ERR_MODEL, "actions '%s' are steps of %s, not of %s", set->name, po_walker_type(set)->name, move->name);
  for (i = 0; !set->gbwc && i < set->actions; i++) {
    const po_action *a = &set->action[i];
    if (po_simbicon_find(move, a->gait) < 0) return po_fail(err, PO_ERR_NAME, "action '%s': %s has no gait '%s'", a->name, set->body, a->gait);
    if (*a->other && po_simbicon_find(move, a->other) < 0) return po_fail(err, PO_ERR_NAME, "action '%s': %s has no gait '%s'", a->name, set->body, a->other);
  }
  return PO_OK;
}

static po_status action_ask_simbicon(po_move *move, const po_action *a, int stance) {
  po_simbicon_params *p = po_move_params(move);
  p->gait = po_simbicon_find(move, a->gait);
  p->other = *a->other ? po_simbicon_find(move, a->other) : p->gait;
  if (p->gait < 0 || p->other < 0) return PO_ERR_NAME;
  p->blend = a->blend;
  p->side_deg = (stance ? -1 : 1) * a->side_deg;
  p->lean_deg = a->lean_deg;
  return PO_OK;
}

static po_status action_begin_simbicon(po_move *move, const po_action *a, int stance, double facing) {
  po_status st = action_ask_simbicon(move, a, stance);
  if (st != PO_OK) return st;
  ((po_simbicon_params *)po_move_params(move))->heading = PO_DEG(facing);
  return po_simbicon_begin_step(move, stance, facing, 0);
}

static void action_ask_gbwc(po_move *move, const po_action *a, const po_gbwc_step *step, int stance) {
  po_gbwc_params *p = po_move_params(move);
  p->speed = step->speed;
  p->side_speed = (stance ? -1 : 1) * step->side_speed;
  p->step_time = step->step_time;
  p->lean_deg = a->lean_deg;
}

static po_status action_begin_gbwc(po_move *move, const po_action *a, const po_gbwc_step *step, double change, int stance, double facing) {
  po_gbwc_params *p = po_move_params(move);
  action_ask_gbwc(move, a, step, stance);
  p->heading = PO_DEG(facing);
  p->walk = 1;
  return po_gbwc_begin_step(move, stance, change);
}

po_status po_action_begin(po_move *move, const po_actions *set, int action, int stance, double heading) {
  const po_action *a;
  double facing;
  if (!move || !set) return PO_ERR_NULL;
  if (action < 0 || action >= set->actions || !po_isfinite(heading)) return PO_ERR_RANGE;
  if (move->type != po_walker_type(set)) return PO_ERR_MODEL;
  a = &set->action[action];
  facing = po_wrap(heading + (stance ? -1 : 1) * PO_RAD(a->turn_deg));
  if (set->gbwc) return action_begin_gbwc(move, a, &set->step[action], set->speed_change, stance, facing);
  return action_begin_simbicon(move, a, stance, facing);
}

po_status po_action_change(po_move *move, const po_actions *set, int action) {
  po_status st;
  if (!move || !set) return PO_ERR_NULL;
  if (action < 0 || action >= set->actions) return PO_ERR_RANGE;
  if (move->type != po_walker_type(set)) return PO_ERR_MODEL;
  if (set->gbwc) {
    action_ask_gbwc(move, &set->action[action], &set->step[action], po_walker_stance(move));
    return po_gbwc_change_step(move);
  }
  st = action_ask_simbicon(move, &set->action[action], po_walker_stance(move));
  return st == PO_OK ? po_simbicon_change_step(move) : st;
}
