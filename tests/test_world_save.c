/* test_world_save.c: the same inputs give the same bits; saved and restored worlds go on as if nothing had happened; memory as promised. */
#include "contact_helpers.h"

void setUp(void) {}
void tearDown(void) {
  po_set_allocator(NULL, NULL);
  po_set_simd(PO_SIMD_AUTO);
}

/* A limp human, crates and balls that fall on stairs, with a spring and a push: something of everything. */
typedef struct scene {
  po_terrain *terrain;
  const po_model *human, *box, *ball;
  po_world_opts opts;
} scene;

static void make_scene(scene *s) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_terrain_new(&s->terrain, NULL));
  po_terrain_add_plane(s->terrain, po_v3(0, 0, 1), 0, 1);
  po_terrain_add_step(s->terrain, po_v3(0.3, -2, 0), po_v3(2, 2, 0.2), 0.7);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&s->human, "human", &err));
  s->box = free_box(5, 0.2, 0.15, 0.1);
  s->ball = free_ball(1, 0.1);
  s->opts = po_world_opts_default();
  s->opts.terrain = s->terrain;
  s->opts.joint_damping = 0.2;
  s->opts.max_springs = 2;
}

static void free_scene(scene *s) {
  po_terrain_free(s->terrain);
  po_model_free(s->human);
  po_model_free(s->box);
  po_model_free(s->ball);
}

static void populate_springs(po_world *w, int count) {
  po_spring spring;
  memset(&spring, 0, sizeof spring);
  spring.a = 0;
  spring.body_a = po_world_model(w, 0)->nb > 3 ? 3 : 0;
  spring.b = 1;
  spring.stiffness = 300;
  spring.damping = 5;
  while (count-- > 0) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add_spring(NULL, w, &spring));
}

static void populate(po_world *w) {
  int i;
  for (i = 0; i < po_world_count(w); i++) {
    double *q = po_world_q(w, i);
    q[4] = 0.3 * i;
    q[6] += 0.3 + 0.3 * i;
    if (i) po_world_set_material(w, i, -1, 0.6, 0.5);
  }
  populate_springs(w, 1);
}

static po_world *scene_world(scene *s) {
  po_world *w = new_world(&s->opts);
  add(w, s->human, 0, 0, 0);
  po_neutral(po_world_q(w, 0), s->human);
  add(w, s->box, 0, 0, 0);
  add(w, s->ball, 0, 0, 0);
  add(w, s->box, 0, 0, 0);
  populate(w);
  return w;
}

static void run(po_world *w, int count) {
  int k;
  for (k = 0; k < count; k++) {
    int step = (int)(po_world_time(w) / 1e-3 + 0.5);
    if (step % 50 < 10) po_world_force(w, 0, 2, po_v3(100, 20 * (step % 3), 0), po_v3(0, 0.1, 1));
    po_world_tau(w, 0)[10] = 30 * (step % 7) - 90;
    steps(w, 1, 1e-3);
  }
}

static void test_equal_worlds_stay_equal(void) {
  scene s;
  po_world *a, *b;
  make_scene(&s);
  a = scene_world(&s);
  b = scene_world(&s);
  run(a, 800);
  run(b, 800);
  TEST_ASSERT_TRUE(po_world_hash(a) == po_world_hash(b));
  run(a, 1);
  TEST_ASSERT_TRUE(po_world_hash(a) != po_world_hash(b));
  po_world_free(a);
  po_world_free(b);
  free_scene(&s);
}

/* The golden hash: boxes, balls and capsules that fall on steps, without SIMD. It holds on every compiler and CPU; whoever changes it on purpose
 * says so in the commit. */
#define GOLDEN 0xb2ffe463ce12fa8fu

static void test_the_golden_hash(void) {
  scene s;
  const po_model *capsule = free_capsule(1.5, 0.08, 0.2);
  po_world *w;
  char line[80];
  uint64_t hash;
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  make_scene(&s);
  w = new_world(&s.opts);
  for (i = 0; i < 12; i++) {
    const po_model *m = i % 3 == 0 ? s.box : i % 3 == 1 ? s.ball : capsule;
    add(w, m, 0.15 * (i % 4), 0.1 * (i % 3), 0.4 + 0.3 * i);
    po_q_to(po_world_q(w, i), po_q_unit(po_q(1, 0.1 * i, 0.2, -0.05 * i)));
    po_world_set_material(w, i, -1, 0.8, i % 2 ? 0.4 : 0);
  }
  steps(w, 1500, 1e-3);
  hash = po_world_hash(w);
  po_format(line, sizeof line, "hash 0x%llxu", (unsigned long long)hash);
  TEST_ASSERT_TRUE_MESSAGE(hash == GOLDEN, line);
  po_world_free(w);
  po_model_free(capsule);
  free_scene(&s);
  po_set_simd(PO_SIMD_AUTO);
}

static void test_restore_then_step_is_bit_identical(void) {
  scene s;
  po_world *a, *b;
  size_t bytes;
  unsigned char *state, *again;
  int at;
  make_scene(&s);
  a = scene_world(&s);
  b = scene_world(&s);
  for (at = 0; at < 4; at++) {
    run(a, 170);
    po_world_force(a, 1, 0, po_v3(50, 0, 0), po_v3(0, 0, 0)); /* pending when saved */
    po_world_tau(a, 0)[12] = 5;
    bytes = po_world_save_bytes(a);
    state = (unsigned char *)po_alloc(bytes);
    again = (unsigned char *)po_alloc(bytes);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, a));
    run(a, 130);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(b, state, bytes));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(again, bytes, b));
    TEST_ASSERT_EQUAL_MEMORY(state, again, bytes);
    run(b, 130);
    TEST_ASSERT_TRUE(po_world_hash(a) == po_world_hash(b));
    /* back into itself */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(a, state, bytes));
    run(a, 130);
    TEST_ASSERT_TRUE(po_world_hash(a) == po_world_hash(b));
    po_free(state);
    po_free(again);
  }
  po_world_free(a);
  po_world_free(b);
  free_scene(&s);
}

static void test_restore_refuses_what_does_not_belong(void) {
  scene s;
  po_world *a, *other;
  size_t bytes, used;
  unsigned char *state;
  uint64_t hash;
  make_scene(&s);
  a = scene_world(&s);
  run(a, 300);
  bytes = po_world_save_bytes(a);
  state = (unsigned char *)po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_world_save(state, 1000, a));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, a));
  other = new_world(NULL);
  add(other, s.box, 0, 0, 1);
  hash = po_world_hash(other);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_world_restore(other, state, bytes));
  TEST_ASSERT_TRUE(hash == po_world_hash(other));
  for (used = bytes; used > 0 && !state[used - 1]; used--) {} /* what was written ends before the bound */
  hash = po_world_hash(a);
  run(a, 1);
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_world_restore(a, state, used - 8));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_world_restore(a, state, 10));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_world_restore(a, NULL, bytes));
  state[0] ^= 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_world_restore(a, state, bytes));
  state[0] ^= 1;
  state[used / 2] ^= 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_PARSE, po_world_restore(a, state, bytes));
  state[used / 2] ^= 1;
  TEST_ASSERT_TRUE(hash != po_world_hash(a)); /* none of these changed it */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(a, state, bytes));
  TEST_ASSERT_TRUE(hash == po_world_hash(a));
  po_free(state);
  po_world_free(a);
  po_world_free(other);
  free_scene(&s);
}

/* Bodies of one shape and another size have equally many numbers: only the models tell them apart. */
static void test_a_humans_state_does_not_fit_a_giant(void) {
  const po_model *human, *giant;
  po_world *a = new_world(NULL), *b = new_world(NULL);
  size_t bytes;
  void *state;
  uint64_t hash;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&giant, "giant", NULL));
  TEST_ASSERT_EQUAL_INT(human->nv, giant->nv);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, a, human));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, b, giant));
  bytes = po_world_save_bytes(a);
  state = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, a));
  hash = po_world_hash(b);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_world_restore(b, state, bytes));
  TEST_ASSERT_TRUE(hash == po_world_hash(b));
  po_free(state);
  po_world_free(a);
  po_world_free(b);
  po_model_free(human);
  po_model_free(giant);
}

/* Room that is made before the first contact is enough for the whole run. */
static void test_the_size_is_known_when_the_world_is_made(void) {
  scene s;
  po_world *w;
  size_t bytes;
  void *state;
  int i, most = 0, contacts;
  make_scene(&s);
  w = scene_world(&s);
  bytes = po_world_save_bytes(w);
  state = po_alloc(bytes);
  for (i = 0; i < 20; i++) {
    run(w, 50);
    po_world_contacts(&contacts, w);
    most = contacts > most ? contacts : most;
    TEST_ASSERT_TRUE(po_world_save_bytes(w) == bytes);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, w));
  }
  TEST_ASSERT_TRUE(most >= 8);
  po_free(state);
  po_world_free(w);
  free_scene(&s);
}

/* ---- memory -------------------------------------------------------------------------------------------------------------------------- */

static int allocations, budget, refused;
static void *counting(void *user, void *block, size_t bytes) {
  (void)user;
  if (bytes == 0) {
    free(block);
    return NULL;
  }
  allocations++;
  if (budget >= 0 && allocations > budget) {
    refused++;
    return NULL;
  }
  return realloc(block, bytes);
}

static void test_a_step_allocates_nothing(void) {
  scene s;
  po_world *w;
  budget = -1;
  po_set_allocator(counting, NULL);
  make_scene(&s);
  w = scene_world(&s);
  allocations = 0;
  run(w, 600);
  TEST_ASSERT_EQUAL_INT(0, allocations);
  po_world_free(w);
  free_scene(&s);
}

static void test_out_of_memory_is_a_status(void) {
  scene s;
  po_world *w = NULL;
  int k, made = 0;
  make_scene(&s);
  po_set_allocator(counting, NULL);
  for (k = 0; k < 8 && !made; k++) {
    int a, b;
    allocations = refused = 0;
    budget = k;
    if (po_world_new(&w, &s.opts) != PO_OK) {
      TEST_ASSERT_TRUE(refused > 0);
      continue;
    }
    TEST_ASSERT_EQUAL_INT(0, refused);
    a = po_world_add(NULL, w, s.human);
    TEST_ASSERT_EQUAL_INT(refused ? PO_ERR_MEMORY : PO_OK, a); /* out of memory when memory was refused, and only then */
    refused = 0;
    b = po_world_add(NULL, w, s.box);
    TEST_ASSERT_EQUAL_INT(refused ? PO_ERR_MEMORY : PO_OK, b);
    TEST_ASSERT_EQUAL_INT((a == PO_OK) + (b == PO_OK), po_world_count(w));
    if (po_world_count(w)) TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 1e-3));
    made = po_world_count(w) == 2;
    po_world_free(w);
  }
  TEST_ASSERT_TRUE(made);
  budget = -1;
  po_set_allocator(NULL, NULL);
  free_scene(&s);
}

static void test_a_world_lives_where_the_embedder_says(void) {
  scene s;
  const po_model *models[4];
  po_world *w, *heap;
  size_t bytes;
  unsigned char *mem;
  make_scene(&s);
  models[0] = s.human;
  models[1] = s.box;
  models[2] = s.ball;
  models[3] = s.box;
  bytes = po_world_bytes(&s.opts, models, 4);
  mem = (unsigned char *)malloc(bytes + 1);
  TEST_ASSERT_TRUE(bytes > 0 && mem != NULL);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_world_init(&w, &s.opts, models, 4, mem + 1, bytes - 1));
  mem[bytes] = 0xa5;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_init(&w, &s.opts, models, 4, mem, bytes));
  populate(w);
  heap = scene_world(&s);
  po_set_allocator(counting, NULL);
  budget = -1;
  allocations = 0;
  run(w, 300);
  TEST_ASSERT_EQUAL_INT(0, allocations);
  po_set_allocator(NULL, NULL);
  run(heap, 300);
  TEST_ASSERT_TRUE(po_world_hash(w) == po_world_hash(heap));
  TEST_ASSERT_EQUAL_INT(0xa5, mem[bytes]);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MEMORY, po_world_add(NULL, w, s.box));
  po_world_free(w); /* does nothing to memory it does not own */
  free(mem);
  po_world_free(heap);
  free_scene(&s);
}

static void test_growing_a_world_keeps_what_it_holds(void) {
  scene s;
  po_world *a, *b;
  int i;
  make_scene(&s);
  s.opts.max_springs = 0;
  a = new_world(&s.opts);
  b = new_world(&s.opts);
  for (i = 0; i < 40; i++) { /* a is stepped while it grows; b gets the same characters at the same times */
    add(a, s.box, 3.0 * (i % 7), 3.0 * (i / 7) + 5, 0.1);
    steps(a, 3, 1e-3);
    add(b, s.box, 3.0 * (i % 7), 3.0 * (i / 7) + 5, 0.1);
    steps(b, 3, 1e-3);
  }
  TEST_ASSERT_TRUE(po_world_hash(a) == po_world_hash(b));
  for (i = 0; i < 40; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.1, position(a, i).z);
  po_world_free(a);
  po_world_free(b);
  free_scene(&s);
}

/* A state with more springs than there is room for, in a world whose room for contacts makes up for their bytes. */
static void test_a_state_with_too_many_springs_changes_nothing(void) {
  static char state[1 << 16];
  scene s;
  po_world *many, *few;
  uint64_t before;
  size_t bytes;
  make_scene(&s);
  s.opts.max_springs = 8;
  s.opts.max_contacts = 16;
  many = new_world(&s.opts);
  add(many, s.box, 0, 0, 0);
  add(many, s.ball, 0, 0, 0);
  populate_springs(many, 4);
  steps(many, 20, 1e-3);
  s.opts.max_springs = 1;
  s.opts.max_contacts = 64;
  few = new_world(&s.opts);
  add(few, s.box, 0, 0, 0);
  add(few, s.ball, 0, 0, 1);
  before = po_world_hash(few);
  bytes = po_world_save_bytes(many);
  TEST_ASSERT_TRUE(bytes <= sizeof state && bytes <= po_world_save_bytes(few));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(state, bytes, many));
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_world_restore(few, state, bytes));
  TEST_ASSERT_TRUE(before == po_world_hash(few));
  po_world_free(many);
  po_world_free(few);
  free_scene(&s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_equal_worlds_stay_equal);
  RUN_TEST(test_the_golden_hash);
  RUN_TEST(test_restore_then_step_is_bit_identical);
  RUN_TEST(test_restore_refuses_what_does_not_belong);
  RUN_TEST(test_a_humans_state_does_not_fit_a_giant);
  RUN_TEST(test_the_size_is_known_when_the_world_is_made);
  RUN_TEST(test_a_step_allocates_nothing);
  RUN_TEST(test_out_of_memory_is_a_status);
  RUN_TEST(test_a_world_lives_where_the_embedder_says);
  RUN_TEST(test_growing_a_world_keeps_what_it_holds);
  RUN_TEST(test_a_state_with_too_many_springs_changes_nothing);
  return UNITY_END() != 0;
}
