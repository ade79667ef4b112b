/* Pinned: what each controller does in a short run, to the bit, in scalar mode. A change of these numbers needs a reason in its commit. The same controllers
 * stand in AVX2 mode, where there is one, and are as good. */
#include "contact/contact.h"
#include "ctrl/moves/moves.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) { po_set_simd(PO_SIMD_AUTO); }

/* The world's hash after so many steps of 1 ms with a push in between; *height is the COM's then. */
static uint64_t hash_of(const char *name, const char *body, int steps, double *height) {
  const po_model *m;
  po_world *w;
  po_move *move;
  po_error err;
  uint64_t hash;
  int i, thorax;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&m, body, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&w, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, w, m));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new(&move, name, m, po_terrain_flat(), NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(w, 0), m, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  thorax = po_find_body(m, "thorax");
  for (i = 0; i < steps; i++) {
    if (i >= 100 && i < 150) {
      po_world_kinematics(w, 0);
      po_world_force(w, 0, thorax, po_v3(0.05 * 9.81 * m->total_mass, 0, 0), po_point_position(po_world_data(w, 0), thorax, m->inertia[thorax].com));
    }
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, po_world_tau(w, 0), po_sense_of(po_world_q(w, 0), po_world_v(w, 0), 1e-3)));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(w, 1e-3));
  }
  hash = po_world_hash(w);
  *height = move->actor->data->com.z / move->actor->standing_height;
  po_move_free(move);
  po_world_free(w);
  po_model_free(m);
  return hash;
}

static void pinned(uint64_t expected, const char *name, const char *body, int steps, double least) {
  double height;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_set_simd(PO_SIMD_SCALAR));
  TEST_ASSERT_EQUAL_HEX64_MESSAGE(expected, hash_of(name, body, steps, &height), name);
  TEST_ASSERT_TRUE_MESSAGE(height > least, name);
  if (po_set_simd(PO_SIMD_AVX2) != PO_OK) return;
  hash_of(name, body, steps, &height);
  TEST_ASSERT_TRUE_MESSAGE(height > least, name);
}

static void test_standing(void) { pinned(0x813f2987cbfc49eeu, "stand", "human", 600, 0.9); }
static void test_squatting(void) { pinned(0x8c6aee1a638f6f9au, "squat", "child", 600, 0.6); }
static void test_jumping(void) { pinned(0x6c1c33cbe700d9e1u, "jump-twist", "human", 1300, 0.9); }
static void test_walking(void) { pinned(0x64b22bc3dc73ffc8u, "walk", "human", 2000, 0.85); }
static void test_walking_sadly(void) { pinned(0xaac5fd623671a69fu, "sad", "giant", 1500, 0.85); }
static void test_turning_over(void) { pinned(0x992f9e434372260eu, "backflip", "gymnast", 2600, 0.5); }
static void test_a_sequence(void) { pinned(0xa76fe3e0c35e62adu, "stand:0.2,squat:0.5,walk:0.5", "human", 1100, 0.5); }
static void test_a_pirouette(void) { pinned(0x07fc63d74261aa6eu, "pirouette", "gymnast", 2600, 0.9); }
static void test_an_aerial(void) { pinned(0xd914a6ea9afa23e9u, "front-aerial", "gymnast", 1600, 0.5); }
static void test_a_cartwheel(void) { pinned(0xacf29382bce3ec06u, "cartwheel", "gymnast", 3400, 0.5); }
static void test_a_back_handspring(void) { pinned(0x20d129da5c1da130u, "back-handspring", "gymnast", 2400, 0.5); }

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_standing);
  RUN_TEST(test_squatting);
  RUN_TEST(test_jumping);
  RUN_TEST(test_walking);
  RUN_TEST(test_walking_sadly);
  RUN_TEST(test_turning_over);
  RUN_TEST(test_a_pirouette);
  RUN_TEST(test_an_aerial);
  RUN_TEST(test_a_cartwheel);
  RUN_TEST(test_a_back_handspring);
  RUN_TEST(test_a_sequence);
  return UNITY_END() != 0;
}
