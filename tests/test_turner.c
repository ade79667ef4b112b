/* Stages by a table: what is asked, until when, what comes next; at once or in the next tick; a state in the middle of a stage. */
#include "ctrl/moves/turner.h"
#include "gymnast.h"

void setUp(void) {}
void tearDown(void) {}

/* What was done since the last look, a letter each. */
static char log_text[64];
static void note(char what) {
  size_t n = strlen(log_text);
  if (n + 1 < sizeof log_text) log_text[n] = what, log_text[n + 1] = 0;
}

typedef struct trial {
  po_turner turner;
  double count;              /* own values that change follow the turner's */
  struct trial_params { double ticks, other; } params;
} trial;
static trial *trial_of(const po_move *move) { return (trial *)po_turner_of(move); }

static void ask_a(po_move *m) {
  trial_of(m)->count++;
  note('a');
}
static void ask_b(po_move *m) {
  (void)m;
  note('b');
}
static void ask_c(po_move *m) {
  (void)m;
  note('c');
}
static void begin_b(po_move *m) {
  TEST_ASSERT_EQUAL_DOUBLE(0, po_turner_of(m)->time); /* the stage's own time begins */
  note('B');
}
static void begin_c(po_move *m) {
  (void)m;
  note('C');
}
static int counted(const po_move *m) { return trial_of(m)->count >= trial_of(m)->params.ticks; }
static int other(const po_move *m) { return counted(m) && trial_of(m)->params.other > 0; }
static int always(const po_move *m) {
  (void)m;
  return 1;
}

enum { A, B, C };
static const po_turner_row stages[] = {
  [A] = {"a", ask_a, {{other, C, PO_NEXT_TICK}, {counted, B, PO_AT_ONCE}}, NULL},
  [B] = {"b", ask_b, {{always, C, PO_NEXT_TICK}}, begin_b},
  [C] = {"c", ask_c, {{NULL, 0, 0}}, begin_c},
};
static po_status trial_init(po_move *m, po_error *err) { return po_turner_init(m, stages, NULL, NULL, NULL, err); }
static const po_param trial_param[] = {
  PO_PARAM(struct trial_params, ticks, 3, 1, 100, "", "of the first stage"),
  PO_PARAM(struct trial_params, other, 0, 0, 1, "", "1: straight to the last"),
};
static const int trial_params = 2;
static const po_move_type trial_type = {
  .name = "trial", .summary = "three stages", .needs = PO_NEEDS_FEET | PO_NEEDS_WBC, .bytes = sizeof(trial),
  .params_at = offsetof(trial, params), .params_bytes = sizeof(struct trial_params), .param = trial_param, .param_count = &trial_params,
  .state_at = PO_TURNER_STATE, .state_bytes = offsetof(trial, params) - PO_TURNER_STATE,
  .layout = po_turner_layout, .init = trial_init, .attach = po_turner_attach, .aim = po_turner_aim, .done = po_turner_done,
  .phase = po_turner_stage, .phase_string = po_turner_stage_name, .set_model = po_turner_set_model};

typedef struct bench { const po_model *model; po_move *move; double q[80], v[80], tau[80]; } bench;
static void open_bench(bench *b, double direct) {
  po_error err;
  memset(b, 0, sizeof *b);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&b->model, "gymnast", &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_move_new_of(&b->move, &trial_type, NULL, b->model, po_terrain_flat(), NULL, &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_set(b->move, "other", direct, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_stand_pose(b->q, b->model, po_terrain_flat(), 0, 0, 0, 0.95, &err));
}
static void close_bench(bench *b) {
  po_move_free(b->move);
  po_model_free(b->model);
}
/* A tick did this, and it is in this stage now. */
static void tick(bench *b, const char *did, const char *stage) {
  log_text[0] = 0;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_tick(b->move, b->tau, po_sense_of(b->q, b->v, 1e-3)));
  TEST_ASSERT_EQUAL_STRING(did, log_text);
  TEST_ASSERT_EQUAL_STRING(stage, po_move_phase_string(b->move));
}

static void test_one_stage_after_the_other(void) {
  bench b;
  open_bench(&b, 0);
  tick(&b, "a", "a");
  tick(&b, "a", "a");
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2e-3, po_turner_of(b.move)->time);
  tick(&b, "aBbC", "c"); /* the second begins at once, the third in the next tick */
  TEST_ASSERT_EQUAL_INT(PO_MOVE_DONE, po_move_done(b.move));
  tick(&b, "c", "c");
  close_bench(&b);
}

static void test_the_first_end_that_has_come(void) {
  bench b;
  open_bench(&b, 1);
  tick(&b, "a", "a");
  TEST_ASSERT_EQUAL_INT(PO_MOVE_GOING, po_move_done(b.move));
  tick(&b, "a", "a");
  tick(&b, "aC", "c");
  tick(&b, "c", "c");
  TEST_ASSERT_DOUBLE_WITHIN(1e-15, 2e-3, po_turner_of(b.move)->time); /* counted from the end of the tick that led here */
  close_bench(&b);
}

/* Its own values are part of the state, and zero when it begins anew. */
static void test_state(void) {
  bench b;
  char *mem;
  size_t bytes;
  po_sense sense;
  po_error err;
  open_bench(&b, 0);
  tick(&b, "a", "a");
  bytes = po_move_save_bytes(b.move);
  mem = po_alloc(bytes);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_save(mem, bytes, b.move));
  tick(&b, "a", "a");
  tick(&b, "aBbC", "c");
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_restore(b.move, mem, bytes));
  tick(&b, "a", "a");
  tick(&b, "aBbC", "c");
  sense = po_sense_of(b.q, b.v, 1e-3);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_move_enter(b.move, NULL, &sense, &err));
  TEST_ASSERT_EQUAL_DOUBLE(0, trial_of(b.move)->count);
  tick(&b, "a", "a");
  po_free(mem);
  close_bench(&b);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_one_stage_after_the_other);
  RUN_TEST(test_the_first_end_that_has_come);
  RUN_TEST(test_state);
  return UNITY_END() != 0;
}
