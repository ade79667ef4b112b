/* step_learn.c: sequences of random step lengths that a body learns to meet, and what happened, as examples (Coros 2010, section 3.3). */
#include "step_search.h"
#include <string.h>

#define LEARN_DROP 5 /* steps before a fall that do not count */
#define LEARN_LEAP                                                                                                                 \
  0.5 /* m: a step so much longer than the longest that is drawn, or shorter than the shortest, is a stumble: it counts as a fall */
#define LEARN_ALIKE 2.0           /* weight of a length (m) beside the distance of states */
#define LEARN_STREAM 0x7374726577 /* apart from the lengths' */
#define LEARN_GUESSES 3
#define LEARN_LEVER 0.3 /* m: a trunk turned away by 1 rad is as bad as a step that is so much too long: about half a stride */
#define LEARN_TURNS 64  /* in space: turns that are drawn, over and over */
#define LEARN_POOL 192   /* steps that a window tries, at most, of which some are kept */
#define LEARN_ASTRAY 0.15 /* m: not those further off what may be drawn, or to the side, or turned so far */
#define LEARN_UNLIKE 0.3  /* rad, and of the metric: apart by so much is as unlike as the fit can use */
enum {
  LEARN_STANCE,
  LEARN_X,
  LEARN_Y,
  LEARN_FACING,
  LEARN_STEP,
  LEARN_HEAD
}; /* of a state: foot, its heel at the strike, heading wanted, number of the step; then q and v */

struct po_step_learn {
  po_step_learn_opts opts;
  const po_model *model;
  po_step_kind kind;
  po_stepper *stepper;
  po_step_search *search;
  int gait;
  po_step_bend bend;    /* of the step that begins, */
  const double *foothold; /* or where it is to end; NULL: anywhere, */
  double facing;        /* its heading, */
  int stance, starting; /* and its foot; 1: the very first, which begins in the gait's start phase */
  int warming;          /* 1: steps are those before the first that is learnt */
  double *warm;         /* the state that sequences begin from */
  double *before;       /* scratch: a state */
  double step_seconds, sim_seconds;
  double reduced[PO_STEP_STATE];
  po_step_example *pool;    /* [LEARN_POOL] what the window tried, */
  int trials;               /* so many */
  double turn[LEARN_TURNS]; /* rad: by how much the heading is another in the next step */
};

po_step_learn_opts po_step_learn_opts_default(const po_model *model) {
  po_step_learn_opts o;
  memset(&o, 0, sizeof o);
  o.search = po_step_search_opts_default();
  po_format(o.style, sizeof o.style, "walk");
  o.sequence = 100;
  o.warm = 10;
  o.length_min = 0.1;
  o.length_max = model && !strncmp(model->name, "bird", 4) ? 1.0 : 0.9;
  o.turn = model && model->joint[0].type != PO_JOINT_PLANAR ? 0.1 : 0;
  o.seed = 1;
  return o;
}

/* ---- one step ---- */

static po_status learn_begin(void *user, po_move *move) {
  po_step_learn *l = user;
  po_status st;
  if (move->type == &po_gbwc_type) return l->starting ? PO_OK : po_gbwc_step_to(move, l->stance, l->facing, l->foothold); /* from standing it steps off by itself */
  if ((st = po_simbicon_choose(move, l->gait)) != PO_OK || (st = po_move_set(move, "gait", -1, NULL)) != PO_OK) return st;
  st = po_simbicon_begin_step(move, l->stance, l->facing, l->starting ? po_simbicon_gait_at(move, l->gait)->start_phase : 0);
  *po_simbicon_bend(move) = l->bend;
  return st;
}

/* The state as the model sees it; simulating again what ended there is not needed: kinematics of q and v. */
static void learn_reduce(double *s, po_step_learn *l, const double *state) {
  po_data *d = po_world_data(po_stepper_sim(l->stepper)->world, 0);
  po_kinematics(d, state + LEARN_HEAD, state + LEARN_HEAD + l->model->nq);
  po_com(d);
  po_step_state_of(s, d, po_stepper_move(l->stepper)->actor, state[LEARN_STANCE] > 0.5, state[LEARN_FACING]);
}

/* Most of the steps that are simulated are those that a window tries, to learn how its lengths change. They tell the model the same. */
static void learn_keep(po_step_learn *l, const double *start, const double *action, const double *length) {
  po_step_example *e = &l->pool[l->trials];
  if (!l->opts.tried || l->trials == LEARN_POOL || po_abs(length[1]) > LEARN_ASTRAY || po_abs(length[2]) > LEARN_ASTRAY ||
      length[0] > l->opts.length_max + LEARN_ASTRAY || length[0] < l->opts.length_min - LEARN_ASTRAY)
    return;
  memset(e, 0, sizeof *e);
  memcpy(e->to, l->reduced, sizeof e->to);
  memcpy(e->action, action, sizeof(double) * (size_t)l->kind.actions);
  e->length = length[0];
  e->side = length[1] + l->kind.side;
  e->seconds = l->step_seconds;
  learn_reduce(e->from, l, start);
  l->trials++;
}

static double learn_unlike(const po_step_example *a, const po_step_example *b) {
  double sum = po_step_distance(a->from, b->from);
  int i;
  sum *= sum;
  for (i = 0; i < PO_STEP_ACTION; i++) sum += (a->action[i] - b->action[i]) * (a->action[i] - b->action[i]);
  return sum / (LEARN_UNLIKE * LEARN_UNLIKE);
}

/* Of what the window tried, those that are the most unlike the step that it found, and each other. Returns how many. */
static int learn_tried(po_step_record *record, const po_step_learn *l, const po_step_example *found) {
  int n, i, k;
  for (n = 0; n < l->opts.tried; n++) {
    double most = 0.01; /* less apart than a tenth of that is the same step again */
    int best = -1;
    for (i = 0; i < l->trials; i++) {
      double apart = learn_unlike(&l->pool[i], found);
      for (k = 0; k < n; k++) apart = po_min(apart, learn_unlike(&l->pool[i], &record[k].example));
      if (apart > most) most = apart, best = i;
    }
    if (best < 0) break;
    record[n].example = l->pool[best];
    record[n].error = PO_NAN;
  }
  return n;
}

static po_status learn_step(double *end, double length[PO_STEP_MISSES], int *struck, void *user, const double *start,
                            const double *action, po_error *err) {
  po_step_learn *l = user;
  int nq = l->model->nq, nv = l->model->nv, stance = start[LEARN_STANCE] > 0.5;
  po_step_end how;
  po_vec3 heel, step, ahead = po_v3(po_cos(start[LEARN_FACING]), po_sin(start[LEARN_FACING]), 0);
  const po_data *d;
  const po_actor *a = po_stepper_move(l->stepper)->actor;
  po_status st;
  memcpy(end, start, sizeof(double) * (size_t)(LEARN_HEAD + nq + nv));
  if (!l->kind.planar) po_normalize(end + LEARN_HEAD, l->model);
  if (l->kind.footholds) l->foothold = l->warming ? NULL : action;
  else po_step_kind_bend(&l->bend, &l->kind, action);
  l->stance = stance;
  l->facing = start[LEARN_FACING];
  if ((st = po_stepper_run(&how, &l->step_seconds, end + LEARN_HEAD, end + LEARN_HEAD + nq, l->stepper, learn_begin, l, err)) !=
      PO_OK)
    return st;
  l->sim_seconds += l->step_seconds;
  *struck = how == PO_STEP_STRUCK;
  length[0] = length[1] = length[2] = 0;
  if (!*struck) return PO_OK;
  d = po_world_data(po_stepper_sim(l->stepper)->world, 0);
  heel = po_frame_position(d, a->patches.patch[!stance].heel);
  step = po_v3(heel.x - start[LEARN_X], heel.y - start[LEARN_Y], 0);
  po_step_state_of(l->reduced, d, a, !stance, l->facing);
  length[0] = po_v3_dot(ahead, step);
  if (!l->kind.planar) {
    length[1] = (stance ? 1 : -1) * (ahead.x * step.y - ahead.y * step.x) - l->kind.side;
    length[2] = LEARN_LEVER * l->reduced[7];
  }
  end[LEARN_STANCE] = !stance;
  end[LEARN_X] = heel.x;
  end[LEARN_Y] = heel.y;
  end[LEARN_FACING] += l->turn[(int)(start[LEARN_STEP] + 0.5) % LEARN_TURNS];
  end[LEARN_STEP] += 1;
  learn_keep(l, start, action, length);
  return PO_OK;
}

/* ---- making ---- */

/* Some base steps from the gait's start. How far apart sideways the last two put the feet is wanted of all others: bent otherwise, a walker soon falls to the side. */
static po_status learn_warm(po_step_learn *l, po_error *err) {
  static const double base[PO_STEP_ACTION] = {0};
  double length[PO_STEP_MISSES] = {0}, side = 0;
  int k, struck = 1, size = LEARN_HEAD + l->model->nq + l->model->nv;
  po_status st;
  memset(l->warm, 0, sizeof(double) * (size_t)size);
  if (l->kind.footholds) {
    st = po_stand_pose(l->warm + LEARN_HEAD, l->model, po_terrain_flat(), 0, 0, 0, PO_STEP_STAND, err);
    l->warm[LEARN_STANCE] = 1; /* it steps off with the left foot */
  } else
    st = po_simbicon_start(l->warm + LEARN_HEAD, l->warm + LEARN_HEAD + l->model->nq, po_stepper_move(l->stepper),
                           l->gait, err);
  l->warming = 1;
  for (k = 0; k < l->opts.warm && st == PO_OK && struck; k++) {
    l->starting = k == 0;
    st = learn_step(l->before, length, &struck, l, l->warm, base, err);
    memcpy(l->warm, l->before, sizeof(double) * (size_t)size);
    side = k + 2 < l->opts.warm ? 0 : side + length[1] / po_min(l->opts.warm, 2);
  }
  l->starting = l->warming = 0;
  if (!l->kind.planar) l->kind.side += side;
  if (st == PO_OK && !struck) return po_fail(err, PO_ERR_STATE, "%s falls in its base gait '%s'", l->model->name, l->opts.style);
  return st;
}

static po_status learn_make(po_step_learn *l, po_error *err) {
  po_step_task task;
  po_stepper_opts how = po_stepper_opts_default();
  po_status st;
  int size = LEARN_HEAD + l->model->nq + l->model->nv;
  if (!(l->opts.length_min >= 0.05 && l->opts.length_max <= 1.2 && l->opts.length_min <= l->opts.length_max))
    return po_fail(err, PO_ERR_RANGE, "lengths of %g ... %g m: 0.05 ... 1.2, the smaller first", l->opts.length_min,
                   l->opts.length_max);
  if (l->opts.sequence < 1) return po_fail(err, PO_ERR_RANGE, "a sequence of %d steps: one at least is needed", l->opts.sequence);
  if (l->opts.warm < 1) return po_fail(err, PO_ERR_RANGE, "a sequence begins after a first strike: warm=%d", l->opts.warm);
  if (l->kind.footholds) how.type = &po_gbwc_type;
  if ((st = po_stepper_new(&l->stepper, l->model, &how, err)) != PO_OK) return st;
  if (!l->kind.footholds && (l->gait = po_simbicon_find(po_stepper_move(l->stepper), l->opts.style)) < 0)
    return po_fail(err, PO_ERR_NAME, "%s has no gait '%s'", l->model->name, l->opts.style);
  l->warm = po_alloc(sizeof(double) * (size_t)size);
  l->before = po_alloc(sizeof(double) * (size_t)size);
  if (l->opts.tried > 0 && !(l->pool = po_alloc(sizeof *l->pool * LEARN_POOL))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if (!l->warm || !l->before) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  if ((st = learn_warm(l, err)) != PO_OK) return st;
  memset(&task, 0, sizeof task);
  task.user = l;
  task.states = size;
  task.actions = l->kind.actions;
  task.sides = l->kind.planar ? 0 : PO_STEP_MISSES - 1;
  task.weight = l->kind.weight;
  task.limit = l->kind.limit;
  task.step = learn_step;
  return po_step_search_new(&l->search, &task, &l->opts.search, err);
}

po_status po_step_learn_new(po_step_learn **learn, const po_model *model, const po_step_learn_opts *opts, po_error *err) {
  po_step_learn *l;
  po_status st;
  if (!learn || !model) return po_fail(err, PO_ERR_NULL, "learning steps needs a model");
  *learn = NULL;
  if (!(l = po_alloc(sizeof *l))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  memset(l, 0, sizeof *l);
  l->opts = opts ? *opts : po_step_learn_opts_default(model);
  l->model = model;
  l->kind = po_step_kind_of(model, l->opts.style);
  if ((st = learn_make(l, err)) != PO_OK) po_step_learn_free(l);
  else *learn = l;
  return st;
}

void po_step_learn_free(po_step_learn *l) {
  if (!l) return;
  po_step_search_free(l->search);
  po_stepper_free(l->stepper);
  po_free(l->warm);
  po_free(l->before);
  po_free(l->pool);
  po_free(l);
}

uint64_t po_step_learn_key(const po_step_learn *l) {
  const po_step_search_opts *o = &l->opts.search;
  int ints[] = {(int)o->method, o->window, o->rounds, l->opts.sequence, l->opts.warm};
  double reals[] = {o->gamma, o->difference, l->opts.length_min, l->opts.length_max};
  uint64_t key = po_hash(l->opts.style, strlen(l->opts.style), po_model_hash(l->model));
  key = po_hash(ints, sizeof ints, key);
  key = po_hash_doubles(reals, sizeof reals / sizeof *reals, key);
  if (!l->kind.planar) key = po_hash_doubles(&l->opts.turn, 1, key);
  if (l->opts.tried) key = po_hash(&l->opts.tried, sizeof l->opts.tried, key);
  return po_hash(&l->opts.seed, sizeof l->opts.seed, key);
}

/* ---- a sequence ---- */

/* The first step of the window is final. It is run once more, which tells how long it takes. */
static po_status learn_record(po_step_record *r, po_step_learn *l, po_error *err) {
  const po_step_search *s = l->search;
  double length[PO_STEP_MISSES];
  int struck;
  po_status st = learn_step(l->before, length, &struck, l, s->state, s->action, err);
  memset(r, 0, sizeof *r);
  if (st != PO_OK) return st;
  memcpy(r->example.to, l->reduced, sizeof r->example.to);
  learn_reduce(r->example.from, l, s->state);
  memcpy(r->example.action, s->action, sizeof(double) * (size_t)l->kind.actions);
  r->example.length = length[0];
  r->example.side = length[1] + l->kind.side;
  r->example.seconds = l->step_seconds;
  r->error = po_abs(length[0] - s->target[0]);
  return PO_OK;
}

/* The actions of the most alike steps of this sequence: better beginnings than zero. Returns how many. */
static int learn_guesses(const double *guess[LEARN_GUESSES], po_step_learn *l, const po_step_record *record, int records,
                         double length) {
  double s[PO_STEP_STATE], far[LEARN_GUESSES];
  int i, k, n = 0;
  learn_reduce(s, l, l->search->state + l->search->opts.window * l->search->task.states);
  for (i = 0; i < records; i++) {
    double away = po_step_distance(s, record[i].example.from) + LEARN_ALIKE * po_abs(length - record[i].example.length);
    if (n == LEARN_GUESSES && !(away < far[n - 1])) continue;
    for (k = n < LEARN_GUESSES ? n++ : n - 1; k > 0 && far[k - 1] > away; k--) {
      far[k] = far[k - 1];
      guess[k] = guess[k - 1];
    }
    far[k] = away;
    guess[k] = record[i].example.action;
  }
  return n;
}

/* The window goes on; when the new step falls, all of it begins anew at the base action. */
static po_status learn_next(int *fell, po_step_learn *l, const po_step_record *record, int records, double length, po_error *err) {
  po_step_search *s = l->search;
  const double *guess[LEARN_GUESSES];
  double target[PO_STEP_WINDOW];
  int guesses = s->opts.method == PO_STEPS_GRADIENT ? 0 : learn_guesses(guess, l, record, records, length);
  po_status st;
  if ((st = po_step_search_shift(fell, s, length, guess, guesses, err)) != PO_OK || !*fell) return st;
  memcpy(target, s->target, sizeof target);
  memcpy(l->before, s->state, sizeof(double) * (size_t)s->task.states);
  return po_step_search_begin(fell, s, l->before, target, err);
}

static double learn_length(const po_step_learn *l, po_rng *rng) {
  return po_rng_range(rng, l->opts.length_min, l->opts.length_max);
}

/* record: that of the steps, of which the last may be dropped; what was tried on the way comes behind them. */
po_status po_step_learn_sequence(po_step_record *record, po_step_tally *tally, po_step_learn *l, int k, int most, po_error *err) {
  po_step_search *s = l->search;
  double target[PO_STEP_WINDOW];
  int i, n = most > 0 && most < l->opts.sequence ? most : l->opts.sequence, fell = 0, tried = 0, before[LEARN_DROP + 1] = {0};
  po_status st = PO_OK;
  po_rng rng;
  memset(tally, 0, sizeof *tally);
  po_rng_init(&rng, l->opts.seed, (uint64_t)k);
  po_rng_init(&s->rng, l->opts.seed ^ LEARN_STREAM, (uint64_t)k);
  s->steps_run = s->rounds_run = s->windows = 0;
  l->sim_seconds = 0;
  l->trials = 0;
  for (i = 0; i < LEARN_TURNS && l->opts.turn > 0; i++) l->turn[i] = po_rng_range(&rng, -l->opts.turn, l->opts.turn);
  for (i = 0; i < s->opts.window; i++) target[i] = learn_length(l, &rng);
  st = po_step_search_begin(&fell, s, l->warm, target, err);
  for (i = 0; i < n && st == PO_OK && !fell; i++) {
    if ((st = po_step_search_solve(s, err)) != PO_OK || (st = learn_record(&record[i], l, err)) != PO_OK) break;
    if ((fell = record[i].example.length > l->opts.length_max + LEARN_LEAP ||
                record[i].example.length < l->opts.length_min - LEARN_LEAP))
      break;
    before[i % (LEARN_DROP + 1)] = tried;
    if (l->opts.tried) tried += learn_tried(record + n + tried, l, &record[i].example);
    l->trials = 0;
    if (i + 1 < n) st = learn_next(&fell, l, record, i + 1, learn_length(l, &rng), err);
  }
  tally->fell = fell;
  tally->dropped = !fell ? 0 : i < LEARN_DROP ? i : LEARN_DROP;
  tally->examples = i - tally->dropped;
  if (tally->dropped) tried = before[tally->examples % (LEARN_DROP + 1)]; /* so many had been tried when the first of these began */
  memmove(record + tally->examples, record + n, sizeof *record * (size_t)tried);
  tally->examples += tried;
  tally->rounds = s->rounds_run;
  tally->windows = s->windows;
  tally->steps_run = s->steps_run;
  tally->sim_seconds = l->sim_seconds;
  return st;
}
