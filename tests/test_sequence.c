/* Sequences: scripts are read or refused by name, moves take over without a jump in torque, a saved sequence goes on to the bit. */
#include "contact/contact.h"
#include "ctrl/moves/moves.h"
#include "counting.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>

static const po_model *model;
static po_world *world;
static po_move *move;
static po_sequence *sequence;
static double last[64], change; /* torques of the last tick, and the largest change against it */

void setUp(void) {
  po_error err;
  if (!model) TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&model, "human", &err));
  move = NULL;
  world = NULL;
}
void tearDown(void) {
  po_move_free(move);
  po_world_free(world);
}

static void begin(const char *script) {
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_new(&world, NULL));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_add(NULL, world, model));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_sequence_new(&move, script, model, po_terrain_flat(), NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(po_world_q(world, 0), model, po_terrain_flat(), 0, 0, 0, 0.95, &err));
  sequence = po_sequence_of(move);
  memset(last, 0, sizeof last);
}

static void step(void) {
  double *tau = po_world_tau(world, 0);
  int i;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, tau, po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3)));
  for (i = 0, change = 0; i < model->nv; i++) change = po_max(change, po_abs(tau[i] - last[i]));
  memcpy(last, tau, sizeof(double) * (size_t)model->nv);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_step(world, 1e-3));
}

static void run(double most) {
  while (po_move_done(move) == PO_MOVE_GOING && move->time < most) step();
}

/* ---- scripts ---- */

static void test_scripts_are_read(void) {
  double x;
  begin("walk:4, sad:2:heading=30 ,jump:0.3:angle=-45,jump-forward:distance=0.4:seconds=3,squat:2,stand");
  TEST_ASSERT_EQUAL_INT(6, sequence->steps);
  TEST_ASSERT_EQUAL_DOUBLE(4, sequence->step[0].seconds);
  TEST_ASSERT_EQUAL_STRING("sad", sequence->step[1].move->name);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_get(&x, sequence->step[1].move, "knee_deg"));
  TEST_ASSERT_EQUAL_DOUBLE(12, x);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_get(&x, sequence->step[1].move, "heading"));
  TEST_ASSERT_EQUAL_DOUBLE(30, x);
  TEST_ASSERT_EQUAL_DOUBLE(0, sequence->step[2].seconds);
  TEST_ASSERT_EQUAL_DOUBLE(0.3, ((po_jump_params *)po_move_params(sequence->step[2].move))->height);
  TEST_ASSERT_EQUAL_DOUBLE(-45, ((po_jump_params *)po_move_params(sequence->step[2].move))->angle);
  TEST_ASSERT_EQUAL_DOUBLE(0.35, ((po_jump_params *)po_move_params(sequence->step[3].move))->height);
  TEST_ASSERT_EQUAL_DOUBLE(0.4, ((po_jump_params *)po_move_params(sequence->step[3].move))->distance);
  TEST_ASSERT_EQUAL_DOUBLE(3, sequence->step[3].seconds);
  TEST_ASSERT_EQUAL_DOUBLE(2, ((po_balance *)(void *)sequence->step[4].move)->params.squat_period);
}

static void refused(po_status status, const char *script, const char *word) {
  po_move *m;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_sequence_new(&m, script, model, po_terrain_flat(), NULL, &err), script);
  TEST_ASSERT_NULL(m);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, word), err.message);
}
static void test_bad_scripts_are_refused_by_name(void) {
  refused(PO_ERR_PARSE, "", "needs moves");
  refused(PO_ERR_PARSE, "walk:4,,stand", "move 2");
  refused(PO_ERR_NAME, "wolk:4", "walk");
  refused(PO_ERR_PARSE, "walk:four", "number");
  refused(PO_ERR_PARSE, "walk:4:5", "neither");
  refused(PO_ERR_RANGE, "walk:-4", "positive");
  refused(PO_ERR_RANGE, "walk:nan", "positive");
  refused(PO_ERR_RANGE, "jump:9", "height");
  refused(PO_ERR_NAME, "jump:0.3:angel=90", "angle");
  refused(PO_ERR_NAME, "jump:0.3:observer=1", "observer"); /* standing's, and not the jump's */
  refused(PO_ERR_RANGE, "walk,stand:1", "for ever");
}
static void test_what_a_script_needs(void) {
  po_error err;
  TEST_ASSERT_EQUAL_UINT(PO_NEEDS_FEET | PO_NEEDS_WBC, po_sequence_needs("walk:4,jump", &err));
  TEST_ASSERT_EQUAL_UINT(0, po_sequence_needs("walk:4,hop", &err));
  TEST_ASSERT_EQUAL_STRING("human", po_sequence_body("walk:4,jump"));
  TEST_ASSERT_EQUAL_STRING("gymnast", po_sequence_body("walk:4,frontflip:0.5,walk:3"));
  TEST_ASSERT_EQUAL_STRING("human", po_sequence_body("walk:4,hop"));
}

/* ---- handover ---- */

/* Between any two, the tick of the handover changes no torque by more than 0.1 % of its limit (0.3 N m of the strongest), and none of the next 100 ms by
 * more than the largest in the calm second of standing that follows a push. */
static void test_moves_take_over_without_a_jump_in_torque(void) {
  int at = 0, changes = 0;
  double since = 0, most = 0;
  begin("walk:1.6,stand:0.5,jump:0.2,squat:1,walk:0.5,jump-twist:angle=30,stand:0.3");
  while (po_move_done(move) == PO_MOVE_GOING && move->time < 25) {
    step();
    TEST_ASSERT_TRUE_MESSAGE(move->actor->data->com.z > 0.5, po_move_phase_string(move)); /* a squat is as deep as that, and walking takes over from it */
    if (sequence->now.at != at && sequence->now.at < sequence->steps) {
      TEST_ASSERT_TRUE(change <= (0.001 + 1e-9) * 300); /* the solver keeps rows to a billionth */
      at = sequence->now.at;
      since = move->time;
      changes++;
    }
    if (changes && move->time - since < 0.1) most = po_max(most, change);
  }
  TEST_ASSERT_EQUAL_INT(6, changes);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_MOVE_DONE, po_move_done(move), sequence->now.reason);
  TEST_ASSERT_TRUE_MESSAGE(most < 5, "torques jump after a handover"); /* e² times 0.3 N m, with a contact that settles */
  for (at = 0; at < sequence->steps; at++) {
    TEST_ASSERT_EQUAL_INT(PO_MOVE_DONE, sequence->now.outcome[at]);
    TEST_ASSERT_TRUE(sequence->now.ended[at] > sequence->now.started[at]);
    if (at) TEST_ASSERT_EQUAL_DOUBLE(sequence->now.ended[at - 1], sequence->now.started[at]);
  }
}

/* Standing takes over in the depth of a squat and rises from there; asked for its own height at once, it jumped. */
static void test_standing_rises_out_of_a_squat(void) {
  double highest = 0;
  begin("stand:0.2,squat:0.3,stand:2");
  for (int i = 0; i < model->nv; i++) po_world_v(world, 0)[i] = i % 2 ? 0.04 : -0.04;
  while (po_move_done(move) == PO_MOVE_GOING && move->time < 6) {
    step();
    if (sequence->now.at == 2) highest = po_max(highest, move->actor->data->com.z / move->actor->standing_height);
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_MOVE_DONE, po_move_done(move), sequence->now.reason);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.95, move->actor->data->com.z / move->actor->standing_height);
  TEST_ASSERT_TRUE(highest < 0.97); /* no jump */
}

/* Another style in the middle of a step: no stop in between. */
static void test_a_walk_goes_on_as_another_walk(void) {
  double slowest = PO_INF;
  begin("walk:3,fast:1.5");
  while (po_move_done(move) == PO_MOVE_GOING && move->time < 6) {
    step();
    if (move->time > 3) slowest = po_min(slowest, move->actor->data->com_velocity.x);
  }
  TEST_ASSERT_EQUAL_INT(PO_MOVE_DONE, po_move_done(move));
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 3, sequence->now.started[1]);
  TEST_ASSERT_TRUE(slowest > 0.3);
}

/* Headings are measured from where the body faces when walking takes over: after a quarter turn it walks to the left. */
static void test_after_a_turn_it_walks_where_it_faces(void) {
  po_vec3 start, went;
  double si, co, way;
  begin("jump-twist:angle=90,walk:3.5");
  while (sequence->now.at == 0 && move->time < 6) step();
  way = po_walk_see(sequence->step[1].move)->north; /* where the feet point; the pelvis is still coming back */
  TEST_ASSERT_DOUBLE_WITHIN(15, 90, PO_DEG(way));
  po_sincos(&si, &co, way);
  start = move->actor->data->com;
  run(12);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_MOVE_DONE, po_move_done(move), sequence->now.reason);
  went = po_v3_sub(move->actor->data->com, start);
  TEST_ASSERT_TRUE(co * went.x + si * went.y > 0.5);
  TEST_ASSERT_TRUE(po_abs(co * went.y - si * went.x) < 0.10 * (co * went.x + si * went.y)); /* 6 degrees: the body sways 0.1 m in 1 m of way */
}

/* One that can never be taken over from fails with the reason: feet in the air, as the world has no ground below the body. */
static void test_who_cannot_take_over_says_why(void) {
  int i;
  begin("jump:0.1:wait=60:seconds=0.1,stand:1");
  po_world_q(world, 0)[6] += 100; /* in free fall */
  for (i = 0; i < 12000 && po_move_done(move) == PO_MOVE_GOING; i++) { /* the body hangs there: no world step */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(move, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 1e-3)));
  }
  TEST_ASSERT_EQUAL_INT(PO_MOVE_FAILED, po_move_done(move));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(sequence->now.reason, "in the air"), sequence->now.reason);
}

/* ---- state ---- */

/* Saved in its second move, restored into one that has just begun: the same to the bit, through another handover. */
static void test_a_saved_sequence_goes_on_to_the_bit(void) {
  static char body[1 << 18], mind[1 << 20];
  po_world *first;
  po_move *a;
  po_error err;
  uint64_t hash;
  int i;
  begin("stand:0.3,jump:0.15:wait=0.05,squat:1");
  while (sequence->now.at == 0) step();
  for (i = 0; i < 120; i++) step();
  TEST_ASSERT_TRUE(po_world_save_bytes(world) <= sizeof body && po_move_save_bytes(move) <= sizeof mind);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_save(body, sizeof body, world));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mind, sizeof mind, move));
  run(8);
  TEST_ASSERT_EQUAL_INT(3, sequence->now.at);
  hash = po_world_hash(world);
  a = move;
  first = world;
  begin("stand:0.3,jump:0.15:wait=0.05,squat:1");
  step();
  TEST_ASSERT_EQUAL_INT(PO_OK, po_world_restore(world, body, sizeof body));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(move, mind, sizeof mind));
  run(8);
  TEST_ASSERT_EQUAL_HEX64(hash, po_world_hash(world));
  po_move_free(a);
  po_world_free(first);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_sequence_new(&a, "stand:0.3,stand:1", model, po_terrain_flat(), NULL, &err)); /* of other moves: refused */
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_move_restore(a, mind, sizeof mind));
  po_move_free(a);
}

static void test_a_handover_allocates_nothing(void) {
  long before;
  begin("stand:0.1,squat:0.1,walk:0.1");
  before = allocations;
  run(2);
  TEST_ASSERT_EQUAL_INT(3, sequence->now.at);
  TEST_ASSERT_EQUAL_INT(0, allocations - before);
}

int main(void) {
  po_set_allocator(counting, NULL);
  UNITY_BEGIN();
  RUN_TEST(test_scripts_are_read);
  RUN_TEST(test_bad_scripts_are_refused_by_name);
  RUN_TEST(test_what_a_script_needs);
  RUN_TEST(test_moves_take_over_without_a_jump_in_torque);
  RUN_TEST(test_standing_rises_out_of_a_squat);
  RUN_TEST(test_a_walk_goes_on_as_another_walk);
  RUN_TEST(test_after_a_turn_it_walks_where_it_faces);
  RUN_TEST(test_who_cannot_take_over_says_why);
  RUN_TEST(test_a_saved_sequence_goes_on_to_the_bit);
  RUN_TEST(test_a_handover_allocates_nothing);
  return UNITY_END() != 0;
}
