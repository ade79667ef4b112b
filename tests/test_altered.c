/* Saved states and learnt files: whatever is changed in them at random (bits, bytes, pieces moved or zeroed, cuts) is refused, and the object stays what
 * it was. And a state is refused by an object it does not belong to. 1,000 changes of each kind of state; 100,000 in full runs. */
#include "contact/contact.h"
#include "ctrl/learn/learn_internal.h"
#include "ctrl/plan/plan.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>

static const po_model *human, *planar;
static po_world *world;
static po_move *move;
static po_sim *sim;

void setUp(void) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&planar, "biped7", &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), human, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_new(&move, "balance", human, po_terrain_flat(), NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_new(&sim, world, po_terrain_flat(), NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sim_set_move(sim, 0, move));
}
void tearDown(void) {
  po_sim_free(sim);
  po_move_free(move);
  po_world_free(world);
  po_model_free(human);
  po_model_free(planar);
}

static void run(int n) {
  po_error err;
  while (n-- > 0) TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_sim_step(sim, &err), err.message);
}

/* ---- random changes ---- */

typedef po_status (*restore_fn)(void *object, const void *state, size_t bytes);
typedef po_status (*save_fn)(void *state, size_t bytes, const void *object);

/* Changes `bytes` of state and says how many are left; 0: it has come out as it was. */
static size_t alter(unsigned char *state, const unsigned char *good, size_t bytes, po_rng *rng) {
  size_t at = (size_t)po_rng_below(rng, (int)bytes), n = 1 + (size_t)po_rng_below(rng, 64), from;
  if (n > bytes - at) n = bytes - at;
  memcpy(state, good, bytes);
  switch (po_rng_below(rng, 6)) {
    case 0: return at; /* cut */
    case 1: state[at] = (unsigned char)po_rng_below(rng, 256); break;
    case 2: memset(state + at, 0, n); break;
    case 3:
      from = (size_t)po_rng_below(rng, (int)(bytes - n + 1));
      memmove(state + at, good + from, n);
      break;
    default: state[at] ^= (unsigned char)(1 << po_rng_below(rng, 8)); break; /* two of six: single bits */
  }
  return memcmp(state, good, bytes) ? bytes : 0;
}

/* `used`: the bytes of good that a save wrote; those behind them belong to nobody. */
static void refuses_what_is_altered(const char *what, void *object, save_fn save, restore_fn restore, const unsigned char *good, size_t used) {
  int k, count = getenv("POISE_FULL") ? 100000 : 1000, tried = 0;
  unsigned char *state = malloc(used + 1), *before = calloc(used, 1), *after = calloc(used, 1);
  char line[200];
  po_rng rng;
  po_rng_init(&rng, 7, 0);
  TEST_ASSERT_TRUE(state && before && after);
  if (save) TEST_ASSERT_EQUAL_INT(PO_OK, save(before, used, object));
  for (k = 0; k < count; k++) {
    size_t bytes = alter(state, good, used, &rng);
    po_status s;
    if (!bytes) continue;
    tried++;
    s = restore(object, state, bytes);
    po_format(line, sizeof line, "%s: change %d of %zu bytes was accepted", what, k, bytes);
    TEST_ASSERT_TRUE_MESSAGE(s != PO_OK, line);
    if (!save || k % 100) continue;
    TEST_ASSERT_EQUAL_INT(PO_OK, save(after, used, object));
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(before, after, used, what);
  }
  po_format(line, sizeof line, "%s, %zu bytes: %d changes, all refused", what, used, tried);
  TEST_MESSAGE(line);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, restore(object, good, used), what);
  free(state);
  free(before);
  free(after);
}

/* What a stream wrote: its head and what the head says is behind it. */
static size_t written(const unsigned char *state) {
  uint64_t size;
  memcpy(&size, state + 8 + 24 + 8 + 8, sizeof size);
  return (size_t)size + 64;
}

static void check_stream(const char *what, void *object, size_t bytes, save_fn save, restore_fn restore) {
  unsigned char *good = calloc(bytes, 1);
  TEST_ASSERT_NOT_NULL(good);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, save(good, bytes, object), what);
  TEST_ASSERT_TRUE(written(good) <= bytes);
  refuses_what_is_altered(what, object, save, restore, good, written(good));
  free(good);
}

static po_status save_hqp(void *s, size_t n, const void *o) { return po_hqp_save(s, n, o); }
static po_status save_wbc(void *s, size_t n, const void *o) { return po_wbc_save(s, n, o); }
static po_status save_world(void *s, size_t n, const void *o) { return po_world_save(s, n, o); }
static po_status save_move(void *s, size_t n, const void *o) { return po_move_save(s, n, o); }
static po_status save_sim(void *s, size_t n, const void *o) { return po_sim_save(s, n, o); }
static po_status restore_hqp(void *o, const void *s, size_t n) { return po_hqp_restore(o, s, n); }
static po_status restore_wbc(void *o, const void *s, size_t n) { return po_wbc_restore(o, s, n); }
static po_status restore_world(void *o, const void *s, size_t n) { return po_world_restore(o, s, n); }
static po_status restore_move(void *o, const void *s, size_t n) { return po_move_restore(o, s, n); }
static po_status restore_sim(void *o, const void *s, size_t n) { return po_sim_restore(o, s, n); }

static void test_saved_states(void) {
  po_wbc *wbc = move->actor->wbc;
  run(30); /* it stands, holds contacts and has a warm start */
  check_stream("world", world, po_world_save_bytes(world), save_world, restore_world);
  check_stream("wbc", wbc, po_wbc_save_bytes(wbc), save_wbc, restore_wbc);
  check_stream("move", move, po_move_save_bytes(move), save_move, restore_move);
  check_stream("sim", sim, po_sim_save_bytes(sim), save_sim, restore_sim);
}

static void test_a_solvers_state(void) {
  static double A[4 * 6], lower[4] = {0, -1, 0.5, 2}, upper[4] = {0, 1, 0.5, 2};
  po_hqp_level level[2];
  po_hqp_solver *solver, *other;
  po_hqp_result r;
  po_hqp p;
  po_rng rng;
  unsigned char *state;
  size_t bytes;
  int i;
  po_rng_init(&rng, 3, 0);
  for (i = 0; i < 24; i++) A[i] = po_rng_normal(&rng);
  memset(level, 0, sizeof level);
  memset(&p, 0, sizeof p);
  for (i = 0; i < 2; i++) {
    level[i].name = i ? "b" : "a";
    level[i].hard = i == 0;
    level[i].rows = 2;
    level[i].A = po_mat_of(A + 12 * i, 2, 6, 6);
    level[i].lower = lower + 2 * i;
    level[i].upper = upper + 2 * i;
  }
  p.n = 6;
  p.level_count = 2;
  p.levels = level;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&solver, 6, 3, 20));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_new(&other, 7, 3, 20));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_solve(&r, solver, &p, NULL));
  bytes = po_hqp_save_bytes(solver);
  check_stream("hqp", solver, bytes, save_hqp, restore_hqp);
  state = malloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hqp_save(state, bytes, solver));
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_hqp_restore(other, state, bytes));
  free(state);
  po_hqp_free(solver);
  po_hqp_free(other);
}

/* ---- what it belongs to ---- */

/* A control with another friction, method, rows or objectives is another control. */
static void test_a_control_that_differs_refuses(void) {
  size_t bytes;
  unsigned char *state;
  int k;
  po_wbc *w;
  po_objective pose = po_objective_setpoint("pose", po_feature_pose(human, NULL), 1, 100);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, human, NULL));
  po_wbc_add(w, &pose);
  bytes = po_wbc_save_bytes(w);
  state = malloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_save(state, bytes, w));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_restore(w, state, bytes));
  po_wbc_free(w);
  for (k = 0; k < 10; k++) {
    po_wbc_opts o = po_wbc_opts_default();
    po_objective mine = pose;
    if (k == 0) o.mu = 0.5;
    if (k == 1) o.hqp.method = PO_HQP_REPARAM;
    if (k == 2) o.contact_rows = PO_ROWS_CONE;
    if (k == 3) o.formulation = PO_FULL;
    if (k == 4) o.max_contacts = 8;
    if (k == 5) mine.name = "posture";
    if (k == 6) mine.feature = po_feature_torque(human, NULL);
    if (k == 7) o.regularize_force = 1e-3;
    if (k == 8) o.limit_forces = 1;
    if (k == 9) o.hqp.hysteresis = 10;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_wbc_new(&w, human, &o));
    po_wbc_add(w, &mine);
    TEST_ASSERT_TRUE_MESSAGE(po_wbc_restore(w, state, bytes) != PO_OK, "it went into another control");
    po_wbc_free(w);
  }
  free(state);
}

/* ---- files of what was learnt ---- */

static po_status read_policy(void *object, const void *bytes, size_t size) {
  char name[PO_TASK_NAME];
  (void)object;
  return po_policy_peek(name, bytes, size, "x.policy", NULL);
}

static po_status read_steps(void *object, const void *bytes, size_t size) {
  po_step_model *steps = NULL;
  po_status s = po_step_model_read(&steps, object, bytes, size, 0, "x.steps", NULL);
  if (s == PO_OK) po_step_model_free(steps);
  else TEST_ASSERT_NULL(steps);
  return s;
}

static void test_files_of_what_was_learnt(void) {
  char *bytes;
  size_t size;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&bytes, &size, "models/policies/human-robust-steps.policy", 0, &err), err.message);
  refuses_what_is_altered("policy", NULL, NULL, read_policy, (const unsigned char *)bytes, size);
  po_free(bytes);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_read_file(&bytes, &size, "models/policies/biped7-high.steps", 0, &err), err.message);
  refuses_what_is_altered("steps", (void *)(uintptr_t)planar, NULL, read_steps, (const unsigned char *)bytes, size);
  po_free(bytes);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_saved_states);
  RUN_TEST(test_a_solvers_state);
  RUN_TEST(test_a_control_that_differs_refuses);
  RUN_TEST(test_files_of_what_was_learnt);
  return UNITY_END() != 0;
}
