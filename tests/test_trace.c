/* Recordings: they show the state, leave the run alone, end at its last moment and grow with the body. */
#include "scenes/scenes.h"
#include "view/trace.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static po_run *start(const char *scenario, double seconds, double hz, const po_setting *set, int sets) {
  po_run_opts o = po_run_opts_default();
  po_error err = {0};
  po_run *r = NULL;
  o.seconds = seconds;
  o.set = set;
  o.sets = sets;
  o.command = "poise run it";
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(scenario), &o, &err), err.message);
  if (hz > 0) TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_record(r, hz, &err), err.message);
  return r;
}
static void finish(po_run *r) {
  while (po_run_step(r)) {}
  po_run_finish(r);
}

/* Link poses of a frame against kinematics of their own scratch at the world's state. */
static void check_links(po_run *r, int frame) {
  const po_trace *t = po_run_trace(r);
  const float *p = t->pose + (size_t)frame * (size_t)t->bodies * 7;
  int i, k, c;
  char note[96];
  for (c = 0; c < po_world_count(r->world); c++) {
    const po_model *m = po_world_model(r->world, c);
    po_data *d;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, m));
    po_kinematics(d, po_world_q(r->world, c), NULL);
    for (i = 0; i < m->nb; i++, p += 7) {
      po_mat3 R = po_q_matrix(po_q((double)p[3], (double)p[4], (double)p[5], (double)p[6]));
      po_format(note, sizeof note, "%s, frame %d", m->body_name[i], frame);
      /* a float has 24 bits: 6e-8 of some metres, and of a rotation's entries */
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, d->pose[i].p.x, (double)p[0], note);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, d->pose[i].p.y, (double)p[1], note);
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, d->pose[i].p.z, (double)p[2], note);
      for (k = 0; k < 9; k++) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, d->pose[i].R.m[k], R.m[k], note);
    }
    po_data_free(d);
  }
}

static void test_links_are_where_the_state_says(void) {
  static const char *const scenarios[] = {"walk", "drop", "stack"};
  int i, known, more;
  for (i = 0; i < 3; i++) {
    po_run *r = start(scenarios[i], 0.25, 60, NULL, 0);
    for (known = 0, more = 1; more; known = po_run_trace(r)->frames) {
      more = po_run_step(r);
      if (po_run_trace(r)->frames > known) check_links(r, po_run_trace(r)->frames - 1);
    }
    TEST_ASSERT_GREATER_OR_EQUAL_INT(14, po_run_trace(r)->frames);
    po_run_free(r);
  }
}

static void test_ends_at_the_last_moment(void) {
  po_run *r = start("drop", 0.1234, 60, NULL, 0);
  const po_trace *t = po_run_trace(r);
  char hash[20];
  int i, results = 0;
  finish(r);
  check_links(r, t->frames - 1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, r->time, po_trace_value(t, t->frames - 1, "time"));
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 1e-3, po_trace_value(t, 0, "time"));
  po_format(hash, sizeof hash, "%016llx", (unsigned long long)po_run_hash(r));
  TEST_ASSERT_EQUAL_STRING(hash, t->hash);
  TEST_ASSERT_EQUAL_STRING(po_outcome_string(r->outcome), t->outcome);
  TEST_ASSERT_EQUAL_STRING("poise run it", t->command);
  for (i = 0; i < t->notes; i++) results += t->note[i].kind == PO_NOTE_RESULT;
  TEST_ASSERT_EQUAL_INT(r->result_count, results);
  po_run_free(r);
}

/* Ctrl-C before the first step: one frame, of the body where it stood, so that pages and filmstrips have something to show. */
static void test_a_run_that_never_began_has_one_frame(void) {
  po_run *r = start("balance", 1, 60, NULL, 0);
  po_run_finish(r);
  TEST_ASSERT_EQUAL_INT(1, po_run_trace(r)->frames);
  check_links(r, 0);
  po_run_free(r);
}

/* What is watched goes on as if it were not. */
static void test_recording_changes_nothing(void) {
  po_run *with = start("walk", 0.3, 60, NULL, 0), *without = start("walk", 0.3, 0, NULL, 0);
  finish(with);
  finish(without);
  TEST_ASSERT_TRUE(po_run_hash(with) == po_run_hash(without));
  TEST_ASSERT_NULL(po_run_trace(without));
  po_run_free(with);
  po_run_free(without);
}

static void test_signals(void) {
  po_setting push = {"height", "0.3"};
  po_run *r = start("drop", 0.2, 1000, &push, 1);
  const po_trace *t = po_run_trace(r);
  double g;
  finish(r);
  /* free fall: the COM of the second differences falls by g dt², and nothing touches */
  TEST_ASSERT_EQUAL_INT(200, t->frames);
  g = (po_trace_value(t, 150, "com_z") - 2 * po_trace_value(t, 100, "com_z") + po_trace_value(t, 50, "com_z")) / (0.05 * 0.05);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, -9.81, g);
  TEST_ASSERT_EQUAL_INT(0, t->contacts[100]);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, po_trace_value(t, 50, "force_z"));
  po_run_free(r);
}

/* Marked as set is what somebody set, whatever presets and styles did. */
static void test_only_what_was_set_is_marked(void) {
  po_setting set = {"angle", "90"}; /* which is the preset's own */
  po_run *r = start("jump-twist", 0.01, 60, &set, 1);
  const po_trace *t = po_run_trace(r);
  int i, marked = 0, parameters = 0;
  for (i = 0; i < t->notes; i++)
    if (t->note[i].kind == PO_NOTE_PARAMETER) {
      parameters++;
      marked += t->note[i].given;
      if (t->note[i].given) TEST_ASSERT_EQUAL_STRING("angle", t->note[i].name);
      if (!strcmp(t->note[i].name, "height")) TEST_ASSERT_EQUAL_STRING("0.35", t->note[i].value); /* what runs */
    }
  TEST_ASSERT_TRUE(parameters > 10);
  TEST_ASSERT_EQUAL_INT(1, marked);
  po_run_free(r);
}

/* A behaviour that computes its torques itself, without whole-body control: springs in the joints. */
typedef struct springs { po_move move; } springs;
static po_status springs_tick(po_move *m, double *tau, const po_sense *sense) {
  const po_model *model = m->actor->model;
  int i;
  for (i = 0; i < model->nv; i++) tau[i] = -20 * sense->v[i] - 5;
  return PO_OK;
}
static const po_move_type springs_type = {.name = "springs", .summary = "for tests", .bytes = sizeof(springs), .tick = springs_tick};
static po_status springs_init(po_run *r, po_error *err) {
  po_move *move;
  po_status st;
  if ((st = po_run_world(r, NULL, 1, err)) != PO_OK || (st = po_run_sim(r, err)) != PO_OK) return st;
  if ((st = po_move_new_of(&move, &springs_type, NULL, r->model, po_run_ground(r), NULL, err)) != PO_OK) return st;
  return po_run_add_move(r, 0, move, err);
}
static const po_scenario springs_scene = {.name = "springs", .summary = "for tests", .success = "always", .model = "human", .seconds = 0.05, .dt = 0.001, .control_hz = 250, .init = springs_init};

static void test_torques_are_drawn_without_whole_body_control(void) {
  po_run *r;
  po_error err;
  const po_trace *t;
  po_buffer out = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, &springs_scene, NULL, &err), err.message);
  TEST_ASSERT_NULL(po_run_wbc(r, 0));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_record(r, 1000, &err));
  finish(r);
  t = po_run_trace(r);
  TEST_ASSERT_TRUE(po_trace_value(t, 20, "torque_share") > 0);
  TEST_ASSERT_TRUE(r->sim->character[0].peak[0] == 0); /* the root has no motor, whatever was asked */
  TEST_ASSERT_TRUE(r->sim->character[0].peak[10] >= 5);
  po_run_report(&out, r);
  TEST_ASSERT_NOT_NULL(strstr(out.data, "\"joint\": \"knee_l\""));
  po_buffer_free(&out);
  po_run_free(r);
}

/* Who stands still stands on his weight. */
static void test_contact_forces_carry_the_weight(void) {
  po_run *r = start("balance", 0.5, 60, NULL, 0);
  const po_trace *t = po_run_trace(r);
  double sum = 0, weight;
  int i, last;
  finish(r);
  last = t->frames - 1;
  weight = 9.81 * r->model->total_mass;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, r->model->total_mass, t->mass);
  for (i = 0; i < t->contacts[last]; i++) {
    const po_trace_contact *c = &t->contact[last * PO_TRACE_CONTACTS + i];
    TEST_ASSERT_EQUAL_INT(-1, c->b);
    TEST_ASSERT_EQUAL_INT(0, strncmp(t->body[c->a].name, "foot", 4));
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, (double)c->point[2]);
    sum += (double)c->force[2];
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.01 * weight, weight, sum);
  TEST_ASSERT_DOUBLE_WITHIN(0.01 * weight, weight, po_trace_value(t, last, "force_z"));
  po_run_free(r);
}

static void test_a_growing_body_has_new_shapes(void) {
  po_setting set[3] = {{"grow", "1.5"}, {"grow_start", "0.05"}, {"grow_seconds", "0.2"}};
  po_run *r = start("balance", 0.3, 60, set, 3);
  const po_trace *t = po_run_trace(r);
  int i, k, given = 0;
  finish(r);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(4, t->sets);
  for (k = 1; k < t->sets; k++) TEST_ASSERT_GREATER_OR_EQUAL_INT(t->set_frame[k - 1], t->set_frame[k]);
  for (i = 0; i < t->shapes; i++)
    if (!strcmp(t->body[t->shape[i].body].name, "thigh_l"))
      TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.5 * t->shape[i].size[1], t->shape[(t->sets - 1) * t->shapes + i].size[1]);
  for (i = 0; i < t->notes; i++) given += t->note[i].given;
  TEST_ASSERT_EQUAL_INT(3, given);
  po_run_free(r);
}

static void test_csv_has_a_row_per_frame(void) {
  po_run *r = start("slide", 0.2, 60, NULL, 0);
  po_buffer out = {0};
  size_t i;
  int lines = 0;
  finish(r);
  po_trace_csv(&out, po_run_trace(r));
  for (i = 0; i < out.size; i++) lines += out.data[i] == '\n';
  TEST_ASSERT_EQUAL_INT(po_run_trace(r)->frames + 1, lines);
  TEST_ASSERT_EQUAL_INT(0, strncmp(out.data, "time,com_x,", 11));
  po_buffer_free(&out);
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_links_are_where_the_state_says);
  RUN_TEST(test_ends_at_the_last_moment);
  RUN_TEST(test_a_run_that_never_began_has_one_frame);
  RUN_TEST(test_recording_changes_nothing);
  RUN_TEST(test_signals);
  RUN_TEST(test_only_what_was_set_is_marked);
  RUN_TEST(test_torques_are_drawn_without_whole_body_control);
  RUN_TEST(test_contact_forces_carry_the_weight);
  RUN_TEST(test_a_growing_body_has_new_shapes);
  RUN_TEST(test_csv_has_a_row_per_frame);
  return UNITY_END() != 0;
}
