/* The interface of behaviours: registry and presets, parameters checked at every door, states that fit or are refused, and a behaviour without
 * whole-body control. */
#include "contact/contact.h"
#include "ctrl/moves/moves.h"
#include "base_helpers.h"
#include "counting.h"
#include "unity.h"
#include <string.h>

static const po_model *human;
static po_world *world;
static po_move *move;
static char state[1 << 20];

void setUp(void) {
  po_error err;
  if (!human) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  move = NULL;
  world = NULL;
}
void tearDown(void) {
  po_move_free(move);
  po_world_free(world);
}

static void begin(const char *name, const po_model *model) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, model));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&move, name, model, po_terrain_flat(), NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), model, po_terrain_flat(), 0, 0, 0, 0.95, &err));
}
static po_status tick(void) { return po_move_tick(move, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3)); }
static void run(int steps) {
  while (steps--) {
    TEST_ASSERT_EQUAL_INT(PO_OK, tick());
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, 1e-3));
  }
}

/* ---- registry ---- */

static void test_types_and_presets_are_moves(void) {
  static const char *const names[] = {"balance", "stand", "squat", "jump", "jump-twist", "jump-kick", "jump-split", "jump-forward", "walk", "normal", "sad"};
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    po_error err;
    po_move *m;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&m, names[i], human, po_terrain_flat(), NULL, &err), names[i]);
    TEST_ASSERT_EQUAL_STRING(names[i], m->name);
    po_move_free(m);
  }
}

/* Every table can be read by a person, every preset applies, and every default lies in its own range. */
static void test_tables_are_sound(void) {
  int i, k;
  for (i = 0; po_move_types[i]; i++) {
    const po_move_type *t = po_move_types[i];
    po_preset preset;
    po_move *m;
    po_error err;
    TEST_ASSERT_TRUE(t->name && strlen(t->summary) > 5);
    for (k = 0; k < (t->param_count ? *t->param_count : 0); k++) {
      const po_param *p = &t->param[k];
      TEST_ASSERT_TRUE_MESSAGE(p->fallback >= p->lower && p->fallback <= p->upper && strlen(p->meaning) > 2, p->name);
      TEST_ASSERT_TRUE_MESSAGE(p->offset + sizeof(double) <= t->params_bytes, p->name);
      TEST_ASSERT_EQUAL_PTR_MESSAGE(p, po_param_find(t->param, *t->param_count, p->name), p->name); /* no name twice */
    }
    if (t->needs & PO_NEEDS_HANDS) continue; /* not of a human */
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new_of(&m, t, NULL, human, po_terrain_flat(), NULL, &err), err.message);
    for (k = 0; (preset = po_move_preset(t, k)).name; k++) TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_apply(m, &preset, &err), err.message);
    po_move_free(m);
  }
}

static void test_unknown_names_are_answered_with_the_nearest(void) {
  po_move *m;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_move_new(&m, "jump-twst", human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "jump-twist"));
  TEST_ASSERT_NULL(m);
}

/* ---- parameters ---- */

static void test_parameters_are_checked_at_every_door(void) {
  po_walk_params p;
  po_walk *w;
  po_error err;
  double x;
  po_param_defaults(&p, po_walk_param, po_walk_param_count);
  p.T = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_walk_new(&w, human, po_terrain_flat(), NULL, &p, &err));
  TEST_ASSERT_NULL(w);
  TEST_ASSERT_EQUAL_INT('T', err.message[0]);
  p.T = 0.5;
  p.l_step = 1e9;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_walk_new(&w, human, po_terrain_flat(), NULL, &p, &err));
  begin("walk", human);
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_move_set_params(move, &p, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_move_set(move, "T", PO_INF, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_move_set(move, "squat_low", 0.6, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(move, "T", 0.6, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_get(&x, move, "T"));
  TEST_ASSERT_EQUAL_DOUBLE(0.6, x);
}

/* What a jump does not use it does not take. */
static void test_jumps_refuse_what_they_would_ignore(void) {
  static const char *const ignored[] = {"observer", "cop_margin", "cop_reach", "squat_low", "squat_high", "squat_period"};
  po_error err;
  size_t i;
  begin("jump", human);
  for (i = 0; i < 6; i++) TEST_ASSERT_EQUAL_INT_MESSAGE(PO_ERR_NAME, po_move_set(move, ignored[i], 0.5, &err), ignored[i]);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(move, "kp_com", 25, &err));
  TEST_ASSERT_EQUAL_DOUBLE(25, ((po_jump_params *)po_move_params(move))->stand.kp_com);
}

/* ---- states ---- */

static void test_another_body_or_behaviour_is_refused(void) {
  const po_model *giant;
  po_move *other;
  po_error err;
  size_t bytes;
  uint64_t before;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&giant, "giant", &err));
  begin("walk", human);
  run(20);
  bytes = po_move_save_bytes(move);
  TEST_ASSERT_TRUE(bytes <= sizeof state);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(state, bytes, move));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&other, "walk", giant, po_terrain_flat(), NULL, &err));
  before = po_hash(other, po_walk_type.bytes, 0);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_move_restore(other, state, bytes));
  TEST_ASSERT_EQUAL_HEX64(before, po_hash(other, po_walk_type.bytes, 0));
  po_move_free(other);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&other, "jump", human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_move_restore(other, state, bytes));
  po_move_free(other);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_move_restore(move, state, 100));
  state[bytes / 3] ^= 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_move_restore(move, state, bytes));
  po_model_free(giant);
}

/* A walk saved in the middle of a step, restored into another that only stands: the same to the bit. */
static void test_a_saved_walk_goes_on_to_the_bit(void) {
  static char body[1 << 18];
  po_world *first;
  po_move *a;
  uint64_t hash;
  begin("walk", human);
  run(1400);
  TEST_ASSERT_EQUAL_STRING("step", po_move_phase_string(move));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(state, sizeof state, move));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(body, sizeof body, world));
  run(600);
  hash = po_world_hash(world);
  a = move;
  first = world;
  begin("walk", human);
  run(3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(world, body, sizeof body));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(move, state, sizeof state));
  run(600);
  TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  po_move_free(a);
  po_world_free(first);
}

/* ---- every behaviour of the registry ---- */

typedef struct to_make { const po_move_type *type; const po_model *model; } to_make;
static po_status make_and_free(void *context) {
  const to_make *t = context;
  po_error err;
  po_move *m;
  po_status s = po_move_new(&m, t->type->name, t->model, po_terrain_flat(), NULL, &err);
  po_move_free(m);
  return s;
}

static void test_any_allocation_of_any_behaviour_may_fail(void) {
  to_make t;
  po_error err;
  int i;
  for (i = 0; po_move_types[i]; i++) {
    t.type = po_move_types[i];
    if (t.type == &po_track_type && !getenv("POISE_FULL")) continue; /* plans: a quarter of a second for each of 140 */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&t.model, t.type->body ? t.type->body : "human", &err));
    TEST_ASSERT_TRUE_MESSAGE(failing_sweep(make_and_free, &t) > 1, t.type->name);
    po_model_free(t.model);
  }
  po_set_allocator(counting, NULL);
}

/* Saved in the middle of a push and restored into one just made: the same to the bit, and no tick allocates. */
static void test_any_behaviour_goes_on_from_a_saved_state(void) {
  static char body[1 << 18];
  po_error err;
  int i, k, n;
  for (i = 0; po_move_types[i]; i++) {
    const po_move_type *t = po_move_types[i];
    const po_model *model;
    uint64_t hash = 0;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, t == &po_simbicon_type ? "biped34" : t->body ? t->body : "human", &err));
    for (k = 0; k < 2; k++) {
      long before;
      begin(t->name, model);
      if (t == &po_simbicon_type) TEST_ASSERT_EQUAL_INT(PO_OK, po_simbicon_start(po_world_q(world, 0), po_world_v(world, 0), move, 0, &err));
      if (t == &po_track_type) po_track_begin_state(po_world_q(world, 0), po_world_v(world, 0), move);
      if (k) {
        TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_world_restore(world, body, sizeof body), t->name);
        TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_restore(move, state, sizeof state), t->name);
      }
      before = allocations;
      for (n = 150 * k; n < 300; n++) {
        if (!k && n == 150) {
          TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(body, sizeof body, world));
          TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(state, sizeof state, move));
        }
        if (n >= 100 && n < 200) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_force(world, 0, 0, po_v3(50, 50, 0), po_v3_of(po_world_q(world, 0) + 4)));
        run(1);
      }
      TEST_ASSERT_EQUAL_INT_MESSAGE(0, allocations - before, t->name);
      if (!k) hash = po_world_hash(world);
      TEST_ASSERT_EQUAL_HEX64_MESSAGE(hash, po_world_hash(world), t->name);
      tearDown();
      setUp();
    }
    po_model_free(model);
  }
}

/* ---- taking over ---- */

static void test_a_move_says_why_it_cannot_take_over(void) {
  po_sense sense;
  po_error err;
  begin("stand", human);
  sense = po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(move, NULL, &sense, &err));
  po_world_v(world, 0)[3] = 2; /* ahead, far faster than standing can stop */
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_move_enter(move, NULL, &sense, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "nearly at rest"));
  po_world_v(world, 0)[3] = 0;
  po_world_q(world, 0)[6] += 0.3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_STATE, po_move_enter(move, NULL, &sense, &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "in the air"));
}

/* Two moves on one actor: each finds its own objectives when it has the body. */
static void test_moves_share_an_actor(void) {
  po_actor *actor;
  po_move *stand, *jump;
  po_error err;
  double q[64], v[64] = {0}, tau[64];
  po_sense sense = po_sense_of(q, v, 1e-3);
  long before;
  po_neutral(q, human);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_new(&actor, human, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_on(&stand, &po_balance_type, NULL, actor, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_on(&jump, &po_jump_type, NULL, actor, &err));
  before = allocations;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(stand, NULL, &sense, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(stand, tau, sense));
  TEST_ASSERT_EQUAL_INT(13, actor->wbc->objectives);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(jump, stand, &sense, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(jump, tau, sense));
  TEST_ASSERT_EQUAL_INT(18, actor->wbc->objectives);
  TEST_ASSERT_EQUAL_INT(0, allocations - before);
  po_move_free(stand);
  po_move_free(jump);
  po_actor_free(actor);
}

/* A move made where another of the same actor was freed: the control still holds the first one's objectives, and the address is the same. */
static void test_a_move_where_another_was_brings_its_own_objectives(void) {
  static char place[1 << 14];
  po_actor *actor;
  po_move *first, *second;
  po_error err;
  double q[64], v[64] = {0}, tau[64];
  po_neutral(q, human);
  TEST_ASSERT_TRUE(po_move_bytes(&po_balance_type, human) <= sizeof place);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_new(&actor, human, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_init(&first, &po_balance_type, NULL, actor, place, sizeof place, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(first, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_init(&second, &po_balance_type, NULL, actor, place, sizeof place, &err));
  TEST_ASSERT_EQUAL_PTR(first, second);
  TEST_ASSERT_NULL(((po_balance *)(void *)second)->o.com);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(second, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_NOT_NULL(((po_balance *)(void *)second)->o.com);
  po_actor_free(actor);
}

/* A game that predicts and takes back: moves that share an actor go back to before one took over from the other, in whatever order they are restored. */
static void test_moves_that_share_an_actor_go_back_together(void) {
  static char states[2][1 << 17], body[1 << 18];
  po_actor *actor;
  po_move *m[2];
  po_error err;
  po_sense sense;
  uint64_t hash = 0;
  int k, round;
  begin("stand", human); /* its own actor, which is not asked */
  sense = po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actor_new(&actor, human, po_terrain_flat(), PO_NEEDS_FEET | PO_NEEDS_WBC, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_on(&m[0], &po_balance_type, NULL, actor, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_on(&m[1], &po_walk_type, NULL, actor, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(m[0], NULL, &sense, &err));
  for (k = 0; k < 50; k++) {
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(m[0], po_world_tau(world, 0), sense));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, 1e-3));
  }
  for (k = 0; k < 2; k++) {
    TEST_ASSERT_TRUE(po_move_save_bytes(m[k]) <= sizeof states[k]);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(states[k], sizeof states[k], m[k]));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(body, sizeof body, world));
  for (round = 0; round < 3; round++) {
    if (round) {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(world, body, sizeof body));
      for (k = 0; k < 2; k++) TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(m[k ^ (round & 1)], states[k ^ (round & 1)], sizeof states[0]));
    }
    for (k = 0; k < 20; k++) { /* the one that stood goes on, then the other takes over */
      TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(m[0], po_world_tau(world, 0), sense));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, 1e-3));
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_enter(m[1], m[0], &sense, &err), err.message);
    for (k = 0; k < 100; k++) {
      TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(m[1], po_world_tau(world, 0), sense));
      TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, 1e-3));
    }
    if (!round) hash = po_world_hash(world);
    TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  }
  po_move_free(m[0]);
  po_move_free(m[1]);
  po_actor_free(actor);
}

/* ---- what makes no sense ---- */

/* Each is refused, the state stays as it was, and the torques are the last good ones. */
static void refused(po_status status, po_sense sense, const double *last, const char *what) {
  static char before[1 << 18], after[1 << 18];
  double tau[64];
  size_t bytes = po_move_save_bytes(move);
  int i;
  TEST_ASSERT_TRUE(bytes <= sizeof before);
  memset(before, 0, bytes);
  memset(after, 0, bytes);
  for (i = 0; i < 64; i++) tau[i] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(before, bytes, move));
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_move_tick(move, tau, sense), what);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(after, bytes, move));
  TEST_ASSERT_EQUAL_MEMORY_MESSAGE(before, after, bytes, what);
  TEST_ASSERT_EQUAL_MEMORY_MESSAGE(last, tau, sizeof(double) * (size_t)move->actor->model->nv, what);
}

static void test_what_makes_no_sense_is_refused_and_forgotten(void) {
  static const char *const names[] = {"stand", "walk", "gbwc", "reach", "jump"};
  size_t k;
  for (k = 0; k < sizeof names / sizeof names[0]; k++) {
    po_vec3 push = {PO_NAN, 0, 0};
    double v[64], external[64] = {0}, last[64];
    po_sense good, bad;
    begin(names[k], human);
    run(50);
    memcpy(last, move->actor->tau, sizeof(double) * (size_t)human->nv);
    good = po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3);
    bad = good, bad.dt = PO_INF;
    refused(PO_ERR_RANGE, bad, last, "dt = inf");
    bad.dt = PO_NAN;
    refused(PO_ERR_RANGE, bad, last, "dt = nan");
    bad = good, bad.push = &push, bad.push_body = 0;
    refused(PO_ERR_NOT_FINITE, bad, last, "push = nan");
    push.x = 0, bad.push_body = human->nb;
    refused(PO_ERR_RANGE, bad, last, "push of a link that is not there");
    external[9] = PO_NAN;
    bad = good, bad.external = external;
    refused(PO_ERR_NOT_FINITE, bad, last, "external = nan");
    memcpy(v, po_world_v(world, 0), sizeof(double) * (size_t)human->nv);
    v[human->nv - 1] = 1e200;
    bad = good, bad.v = v;
    refused(PO_ERR_RANGE, bad, last, "a speed whose square overflows");
    v[human->nv - 1] = 2e6;
    refused(PO_ERR_RANGE, bad, last, "a speed that no joint has");
    bad = good, bad.dt = 5e-324;
    refused(PO_ERR_RANGE, bad, last, "the least dt there is");
    bad.dt = 1e-10;
    refused(PO_ERR_RANGE, bad, last, "dt = 1e-10");
    bad.dt = 1e300;
    refused(PO_ERR_RANGE, bad, last, "dt = 1e300");
    run(200);
    tearDown();
    setUp();
  }
}

/* ---- a behaviour of one's own, without whole-body control ---- */

typedef struct limp { po_move move; double ticks; } limp;
static po_status limp_tick(po_move *m, double *tau, const po_sense *sense) {
  int i;
  TEST_ASSERT_NULL(m->actor->wbc);
  for (i = 0; i < m->actor->model->nv; i++) tau[i] = -1e6 * sense->v[i] - 1e6;
  ((limp *)(void *)m)->ticks += 1;
  return PO_OK;
}
static const po_move_type limp_type = {.name = "limp", .summary = "hangs", .bytes = sizeof(limp), .tick = limp_tick};

static void test_torques_of_ones_own_stay_within_their_limits(void) {
  po_error err;
  int i;
  double tau[64], q[64], v[64] = {0};
  po_neutral(q, human);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, &limp_type, NULL, human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, tau, po_sense_of(q, v, 1e-3)));
  for (i = 0; i < human->nv; i++) {
    const po_joint *j = &human->joint[human->dof_body[i]];
    if (i < 6) TEST_ASSERT_TRUE(tau[i] == 0);
    else TEST_ASSERT_EQUAL_DOUBLE(-j->effort[i - j->v], tau[i]);
  }
  v[3] = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_move_tick(move, tau, po_sense_of(q, v, 1e-3)));
}

/* ---- a state is one plain block ---- */

typedef struct counter_state { double sum; int ticks, more; } counter_state;
typedef struct counter { po_move move; double kept; counter_state now; double twice; } counter;
static counter *counter_of(po_move *m) { return (counter *)(void *)m; }
static void counter_enter(po_move *m, const po_move *from) {
  (void)from;
  counter_of(m)->now.more = 5;
}
static po_status counter_tick(po_move *m, double *tau, const po_sense *sense) {
  memset(tau, 0, sizeof(double) * (size_t)m->actor->model->nv);
  counter_of(m)->now.ticks++;
  counter_of(m)->now.sum += sense->dt;
  return PO_OK;
}
static void counter_restored(po_move *m) { counter_of(m)->twice = 2 * counter_of(m)->now.sum; }
static const po_move_type counter_type = {
    .name = "counter", .summary = "counts", .bytes = sizeof(counter), .state_at = offsetof(counter, now), .state_bytes = sizeof(counter_state),
    .enter = counter_enter, .tick = counter_tick, .restored = counter_restored};

static void test_a_state_is_cleared_saved_and_restored_as_one(void) {
  po_error err;
  counter *c;
  double tau[64], q[64], v[64] = {0};
  po_sense sense = po_sense_of(q, v, 0.5);
  po_neutral(q, human);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, &counter_type, NULL, human, po_terrain_flat(), NULL, &err));
  c = counter_of(move);
  c->now.ticks = 100;
  c->kept = 7;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, tau, sense));
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, c->now.ticks, "who begins has a state of zeros,");
  TEST_ASSERT_EQUAL_INT_MESSAGE(5, c->now.more, "then enter sets what is not");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(state, sizeof state, move));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, tau, sense));
  c->kept = 8;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(move, state, sizeof state));
  TEST_ASSERT_EQUAL_INT(1, c->now.ticks);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, c->now.sum);
  TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(1, c->twice, "what follows from it was computed");
  TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(8, c->kept, "nothing outside of it was touched");
}

static void test_a_state_of_another_size_is_refused(void) {
  po_move_type less = counter_type, outside = counter_type;
  po_error err;
  double tau[64], q[64], v[64] = {0};
  po_neutral(q, human);
  less.state_bytes -= sizeof(double);
  outside.state_bytes = sizeof(counter);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, &counter_type, NULL, human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, tau, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(state, sizeof state, move));
  po_move_free(move);
  move = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_move_new_of(&move, &outside, NULL, human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, &less, NULL, human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_move_restore(move, state, sizeof state));
}

/* What is no number does not come out of a tick: the last torques are held, as whoever simulates goes on with them. */
static po_status lost_tick(po_move *m, double *tau, const po_sense *sense) {
  int i;
  for (i = 0; i < m->actor->model->nv; i++) tau[i] = sense->dt > 1e-3 ? PO_NAN : -1;
  return PO_OK;
}
static const po_move_type lost_type = {.name = "lost", .summary = "divides by zero", .bytes = sizeof(po_move), .tick = lost_tick};

static void test_a_failed_tick_holds_the_last_torques(void) {
  po_error err;
  double tau[64], last[64], q[64], v[64] = {0};
  po_neutral(q, human);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new_of(&move, &lost_type, NULL, human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_move_tick(move, tau, po_sense_of(q, v, 2e-3)));
  TEST_ASSERT_EQUAL_DOUBLE(0, tau[10]);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, last, po_sense_of(q, v, 1e-3)));
  TEST_ASSERT_EQUAL_DOUBLE(-1, last[10]);
  TEST_ASSERT_EQUAL_INT(PO_ERR_NOT_FINITE, po_move_tick(move, tau, po_sense_of(q, v, 2e-3)));
  TEST_ASSERT_EQUAL_MEMORY(last, tau, sizeof(double) * (size_t)human->nv);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_types_and_presets_are_moves);
  RUN_TEST(test_tables_are_sound);
  RUN_TEST(test_unknown_names_are_answered_with_the_nearest);
  RUN_TEST(test_parameters_are_checked_at_every_door);
  RUN_TEST(test_jumps_refuse_what_they_would_ignore);
  RUN_TEST(test_another_body_or_behaviour_is_refused);
  RUN_TEST(test_a_saved_walk_goes_on_to_the_bit);
  RUN_TEST(test_any_allocation_of_any_behaviour_may_fail);
  RUN_TEST(test_any_behaviour_goes_on_from_a_saved_state);
  RUN_TEST(test_a_move_says_why_it_cannot_take_over);
  RUN_TEST(test_moves_share_an_actor);
  RUN_TEST(test_a_move_where_another_was_brings_its_own_objectives);
  RUN_TEST(test_moves_that_share_an_actor_go_back_together);
  RUN_TEST(test_what_makes_no_sense_is_refused_and_forgotten);
  RUN_TEST(test_torques_of_ones_own_stay_within_their_limits);
  RUN_TEST(test_a_state_is_cleared_saved_and_restored_as_one);
  RUN_TEST(test_a_state_of_another_size_is_refused);
  RUN_TEST(test_a_failed_tick_holds_the_last_torques);
  return UNITY_END() != 0;
}
