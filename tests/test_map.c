/* Maps of robots that strangers published: what is found, that the mapped robot is the same robot, that it stands and takes a push. */
#include "rbd/map.h"
#include "rbd_helpers.h"
#include "robot_texts.h"
#include "scenes/scenes.h"
#include <stdio.h>

void setUp(void) {}
void tearDown(void) {}

static po_error err;

static const po_model *load(const robot_plan *plan, int mjcf) {
  const po_model *m = NULL;
  po_buffer text = {0};
  if (mjcf) robot_mjcf(&text, plan);
  else robot_urdf(&text, plan);
  memset(&err, 0, sizeof err);
  if (mjcf) po_mjcf_read(&m, text.data, text.size, "robot.xml", NULL, &err);
  else po_urdf_read(&m, text.data, text.size, "robot.urdf", NULL, &err);
  po_buffer_free(&text);
  TEST_ASSERT_NOT_NULL_MESSAGE(m, err.message);
  return m;
}

static po_map *propose(const po_model *m) {
  po_map *map = NULL;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_map_propose(&map, m, &err), err.message);
  return map;
}

static void is_part(const po_map *map, int role, int part) {
  char name[32];
  po_format(name, sizeof name, "part_%d", part);
  TEST_ASSERT_TRUE_MESSAGE(map->body[role] >= 0, po_role_names[role]);
  TEST_ASSERT_EQUAL_STRING_MESSAGE(name, map->model->body_name[map->body[role]], po_role_names[role]);
}

/* Both formats say the same: M and bias agree at random states. */
static void test_urdf_and_mjcf_are_one_robot(void) {
  robot_plan plan[4];
  int k, seed;
  plan[0] = robot_humanoid(0.5, 0, 1), plan[1] = robot_humanoid(0, 1, -1), plan[2] = robot_quadruped(), plan[3] = robot_arm();
  for (k = 0; k < 4; k++) {
    const po_model *a = load(&plan[k], 0), *b = load(&plan[k], 1), *fixed = NULL;
    po_data *da, *db;
    double q[64], v[64];
    if (!plan[k].floats) {
      po_urdf_opts o = po_urdf_opts_default();
      po_buffer text = {0};
      robot_urdf(&text, &plan[k]);
      o.fixed_base = 1;
      po_model_free(a);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_urdf_read(&fixed, text.data, text.size, "r", &o, &err));
      po_buffer_free(&text);
      a = fixed;
    }
    TEST_ASSERT_EQUAL_INT(a->nv, b->nv);
    po_data_new(&da, a);
    po_data_new(&db, b);
    for (seed = 1; seed < 4; seed++) {
      po_rng rng;
      int i;
      po_rng_init(&rng, (uint64_t)seed, 0);
      po_random_configuration(q, &rng, a);
      for (i = 0; i < a->nv; i++) v[i] = po_rng_range(&rng, -1, 1);
      po_all_terms(da, q, v);
      po_all_terms(db, q, v);
      for (i = 0; i < a->nv; i++) rbd_close(po_row(db->M, i), po_row(da->M, i), a->nv, 1e-12, "M", seed);
      rbd_close(db->h, da->h, a->nv, 1e-12, "h", seed);
      for (i = 0; i < a->nv; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, a->joint[a->dof_body[i]].effort[0], b->joint[b->dof_body[i]].effort[0]);
    }
    po_data_free(da);
    po_data_free(db);
    po_model_free(a);
    po_model_free(b);
  }
}

static void test_what_is_found(void) {
  int tilted, roll, ahead, mjcf;
  for (tilted = 0; tilted < 2; tilted++)
    for (roll = 0; roll < 2; roll++)
      for (ahead = 1; ahead >= -1; ahead -= 2)
        for (mjcf = 0; mjcf < 2; mjcf++) {
          robot_plan plan = robot_humanoid(0.52 * tilted, roll, ahead);
          const po_model *m = load(&plan, mjcf);
          po_map *map = propose(m);
          int l = ahead > 0 ? 0 : 6, r = 6 - l, la = ahead > 0 ? 0 : 4, ra = 4 - la; /* who looks the other way has its left side on the file's right */
          TEST_ASSERT_DOUBLE_WITHIN(1e-9, ahead, map->forward.x);
          is_part(map, PO_ROLE_PELVIS, 0);
          is_part(map, PO_ROLE_THORAX, 1);
          is_part(map, PO_ROLE_THIGH_L, 4 + l);
          is_part(map, PO_ROLE_SHANK_L, 5 + l);
          is_part(map, PO_ROLE_FOOT_L, 7 + l);
          is_part(map, PO_ROLE_FOOT_R, 7 + r);
          is_part(map, PO_ROLE_UPPER_ARM_L, 16 + la);
          is_part(map, PO_ROLE_FOREARM_R, 17 + ra);
          is_part(map, PO_ROLE_HEAD, 22);
          TEST_ASSERT_EQUAL_INT(map->body[PO_ROLE_THIGH_L] - 2, map->hip[0]);
          TEST_ASSERT_EQUAL_INT(map->body[PO_ROLE_FOOT_L] - (roll ? 0 : 1), map->ankle[0]);
          TEST_ASSERT_EQUAL_INT(1, map->bent[0]); /* its knees' axes point to its own left */
          po_map_free(map);
          po_model_free(m);
        }
}

static void test_what_has_no_two_legs(void) {
  robot_plan four = robot_quadruped(), arm = robot_arm();
  const po_model *m = load(&four, 1), *human;
  po_map *map = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_map_propose(&map, m, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "4 feet"), err.message);
  TEST_ASSERT_NULL(map);
  po_model_free(m);
  m = load(&arm, 1);
  TEST_ASSERT_EQUAL_INT(PO_ERR_MODEL, po_map_propose(&map, m, &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "hangs on the world"), err.message);
  TEST_ASSERT_EQUAL_INT(0, po_map_is_known(m));
  po_model_free(m);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&human, "human", &err));
  TEST_ASSERT_EQUAL_INT(1, po_map_is_known(human));
  po_model_free(human);
}

/* The pose of the unmapped robot that the mapped one has at x, by frames with the same names: same places, same energies. */
static void test_the_mapped_robot_is_the_same_robot(void) {
  robot_plan plan = robot_humanoid(0.52, 1, -1);
  const po_model *m = load(&plan, 1), *x = NULL;
  po_map *map = propose(m);
  po_data *a, *b;
  double q[64], p[64], v[64], u[64];
  po_vec3 shift;
  po_rng rng;
  int i, seed;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_map_apply(&x, map, &err), err.message);
  TEST_ASSERT_EQUAL_INT(m->nv, x->nv);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, m->total_mass, x->total_mass);
  po_data_new(&a, m);
  po_data_new(&b, x);
  for (seed = 1; seed < 5; seed++) {
    po_rng_init(&rng, (uint64_t)seed, 3);
    memcpy(q, map->rest, sizeof(double) * (size_t)m->nq);
    po_neutral(p, x);
    for (i = 0; i < m->nv; i++) v[i] = u[i] = 0;
    for (i = 7; i < m->nq; i++) { /* joints move by as much from rest; bases stay where rest has them */
      double by = po_rng_range(&rng, -0.5, 0.5), speed = po_rng_range(&rng, -2, 2);
      q[i] += by;
      p[i] += by;
      v[i - 1] = u[i - 1] = speed;
    }
    po_all_terms(a, q, v);
    po_all_terms(b, p, u);
    shift = po_v3_sub(b->com, a->com); /* the base stands elsewhere */
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, po_kinetic_energy(a), po_kinetic_energy(b));
    for (i = 0; i < m->frames; i++) {
      int k = po_find_frame(x, m->frame[i].name);
      if (k < 0) k = po_find_frame(x, "pelvis"); /* a root without a frame of its own */
      rbd_close_v3(po_frame_position(b, k), po_v3_add(po_frame_position(a, i), shift), 1, 1e-9, m->frame[i].name, seed);
    }
    for (i = 6; i < m->nv; i++) rbd_close(po_row(b->M, i) + 6, po_row(a->M, i) + 6, m->nv - 6, 1e-9, "M of the joints", seed);
  }
  po_data_free(a);
  po_data_free(b);
  po_map_free(map);
  po_model_free(x);
  po_model_free(m);
}

/* At rest: soles level on the ground, COM over them, all joints within limits, zero. */
static void test_rest(void) {
  int roll;
  for (roll = 0; roll < 2; roll++) {
    robot_plan plan = robot_humanoid(0.52, roll, 1);
    const po_model *m = load(&plan, 0), *x = NULL;
    po_map *map = propose(m);
    po_data *d;
    double q[64], sole = 0;
    int i, k;
    char name[16];
    po_vec3 centre = po_v3(0, 0, 0);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_map_apply(&x, map, &err));
    po_data_new(&d, x);
    po_neutral(q, x);
    po_kinematics(d, q, NULL);
    po_com(d);
    for (k = 0; k < 8; k++) {
      po_vec3 p;
      po_format(name, sizeof name, "sole_%c_%d", k < 4 ? 'l' : 'r', k % 4);
      p = po_frame_position(d, po_find_frame(x, name));
      sole = po_max(sole, po_abs(p.z));
      centre = po_v3_addscaled(centre, 0.125, p);
    }
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, sole);
    TEST_ASSERT_DOUBLE_WITHIN(5e-3, centre.x, d->com.x);
    TEST_ASSERT_DOUBLE_WITHIN(5e-3, centre.y, d->com.y);
    for (i = 1; i < x->nb; i++) TEST_ASSERT_TRUE(x->joint[i].lower[0] <= 0 && x->joint[i].upper[0] >= 0);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, map->bend, map->rest[m->joint[map->body[PO_ROLE_SHANK_L]].q]);
    po_data_free(d);
    po_map_free(map);
    po_model_free(x);
    po_model_free(m);
  }
}

static void test_a_map_is_written_and_read(void) {
  robot_plan plan = robot_humanoid(0.3, 0, 1);
  const po_model *m = load(&plan, 0);
  po_map *map = propose(m), *back = NULL;
  po_buffer text = {0}, again = {0};
  static const char wrong[] = "{\"links\": {\"tail\": \"part_1\"}}", other[] = "{\"links\": {\"thorax\": null}}";
  TEST_ASSERT_EQUAL_INT(PO_OK, po_map_write(&text, map));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_map_read(&back, m, text.data, text.size, "m.json", &err), err.message);
  po_map_write(&again, back);
  TEST_ASSERT_EQUAL_STRING(text.data, again.data);
  po_map_free(back);
  back = NULL;
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_map_read(&back, m, wrong, sizeof wrong - 1, "m.json", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "no part 'tail'"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_map_read(&back, m, other, sizeof other - 1, "m.json", &err), err.message);
  TEST_ASSERT_EQUAL_INT(-1, back->body[PO_ROLE_THORAX]);
  TEST_ASSERT_TRUE(back->body[PO_ROLE_FOOT_L] >= 0); /* what it does not say stays as proposed */
  po_map_free(back);
  po_buffer_free(&text);
  po_buffer_free(&again);
  po_map_free(map);
  po_model_free(m);
}

/* A map may stand in the robot's own file; a wrong one is an error, not a proposal. */
static void test_a_map_inside_the_file(void) {
  static const char *const inside[] = {"<poise>{\"links\": {\"head\": null}}</poise></robot>\n", "<poise>{\"links\": {\"head\": \"part_99\"}}</poise></robot>\n"};
  robot_plan plan = robot_humanoid(0, 0, 1);
  int k;
  for (k = 0; k < 2; k++) {
    const po_model *m = NULL;
    po_buffer text = {0}, note = {0};
    po_status s;
    robot_urdf(&text, &plan);
    text.size -= strlen("</robot>\n");
    po_buffer_puts(&text, inside[k]);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file("test_map_inside.urdf", text.data, text.size, &err));
    s = po_model_load_mapped(&m, "test_map_inside.urdf", NULL, NULL, &note, &err);
    remove("test_map_inside.urdf");
    if (k == 0) {
      TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, s, err.message);
      TEST_ASSERT_NOT_NULL(strstr(note.data, "as the map says"));
      TEST_ASSERT_EQUAL_INT(-1, po_find_body(m, "head"));
      TEST_ASSERT_TRUE(po_find_body(m, "foot_r") >= 0);
    } else {
      TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, s);
      TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "part_99"), err.message);
    }
    po_model_free(m);
    po_buffer_free(&text);
    po_buffer_free(&note);
  }
}

/* Nobody named a part of it: it stands, and a push that changes its COM's speed by 0.15 m/s does not throw it over. */
static void test_a_stranger_stands(void) {
  int k;
  for (k = 0; k < 4; k++) {
    robot_plan plan = robot_humanoid(k < 2 ? 0.52 : 0.0, k % 2, k == 3 ? -1 : 1);
    po_run_opts o = po_run_opts_default();
    po_push push = {0};
    po_buffer text = {0};
    po_run *r = NULL;
    const char *file = k % 2 ? "test_map_stranger.xml" : "test_map_stranger.urdf";
    double mass = 0;
    int i;
    for (i = 0; i < plan.n; i++) mass += plan.part[i].mass;
    if (k % 2) robot_mjcf(&text, &plan);
    else robot_urdf(&text, &plan);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(file, text.data, text.size, &err));
    po_buffer_free(&text);
    push.time = 0.5;
    push.duration = 0.1;
    push.force = k == 0 ? po_v3(1.5 * mass, 0, 0) : k == 1 ? po_v3(-1.5 * mass, 0, 0) : po_v3(0, (k == 2 ? 1.5 : -1.5) * mass, 0);
    o.model = file;
    o.seconds = 4;
    o.push = &push;
    o.pushes = 1;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find("balance"), &o, &err), err.message);
    TEST_ASSERT_NOT_NULL(strstr(r->note.data, "were found"));
    while (po_run_step(r)) {}
    po_run_finish(r);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_SUCCESS, r->outcome, r->reason);
    po_run_free(r);
    remove(file);
  }
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_urdf_and_mjcf_are_one_robot);
  RUN_TEST(test_what_is_found);
  RUN_TEST(test_what_has_no_two_legs);
  RUN_TEST(test_the_mapped_robot_is_the_same_robot);
  RUN_TEST(test_rest);
  RUN_TEST(test_a_map_is_written_and_read);
  RUN_TEST(test_a_map_inside_the_file);
  RUN_TEST(test_a_stranger_stands);
  return UNITY_END() != 0;
}
