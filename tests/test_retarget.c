/* Captured motions on bodies: a body's own motion, written as a capture, comes back; other bodies keep limits and feet; names of all kinds are
 * recognized; the captured walks and squats that ../shared/mocap holds (or MOCAP=) are what their makers say. */
#include "motion_helpers.h"
#include <stdio.h>

void setUp(void) {}
void tearDown(void) {}

static po_motion *retarget_text(const char *text, size_t size, const po_model *model, int drop, po_retarget_report *report) {
  po_bvh *b = NULL;
  po_motion *m = NULL;
  po_retarget_opts o = po_retarget_opts_default();
  po_error err;
  o.drop = drop;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_bvh_read(&b, text, size, "test.bvh", &err), err.message);
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_retarget(&m, report, model, b, &o, "test.bvh", &err), err.message);
  report->unmapped_count = 0; /* their names are gone with the file */
  po_bvh_free(b);
  return m;
}

/* Three strides of the built-in walk, in the unit of CMU's files. */
static void retarget_walk(po_buffer *text, po_motion **walk, const po_model *model) {
  po_motion *cycle, *m;
  po_error err;
  int k;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_built_in(&cycle, model, "walk", 120, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_new(&m, model, 120, 400));
  for (k = 0; k < 400; k++) {
    double q[64];
    uint32_t planted;
    po_motion_sample(q, NULL, &planted, cycle, k / 120.0);
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_add(m, q, NULL, planted));
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_smooth(m, 0));
  motion_to_bvh(text, m, 1 / 0.05644);
  po_motion_free(cycle);
  *walk = m;
}

/* The same body again: bones point the same way but for smoothing and pinning, the COM goes the same way. */
static void test_own_motion_comes_back(void) {
  const po_model *model = motion_body("human");
  po_buffer text = {0};
  po_motion *walk, *m;
  po_retarget_report r;
  po_motion_figures f, was;
  po_segment g[16];
  po_data *d;
  po_vec3 com[2];
  double worst = 0;
  int n, k;
  retarget_walk(&text, &walk, model);
  m = retarget_text(text.data, text.size, model, 0, &r);
  TEST_ASSERT_EQUAL_INT(14, r.joints);
  TEST_ASSERT_EQUAL_INT(14, r.mapped);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.05644, r.scale);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 120, m->hz);
  TEST_ASSERT_LESS_THAN_DOUBLE(PO_RAD(0.2), r.slope);
  TEST_ASSERT_LESS_THAN_DOUBLE(0.12, r.error_max); /* a swing foot's shank under a window of 1/8 s */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&f, m));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&was, walk));
  TEST_ASSERT_LESS_THAN_DOUBLE(2e-3, f.slide_max);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, f.limit_excess);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, was.com_speed_mean, f.com_speed_mean);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_segments(g, &n, 16, m, NULL));
  TEST_ASSERT_EQUAL_INT(6, n); /* 400 frames of steps of 74: five cuts */
  for (k = 1; k < 6; k++) TEST_ASSERT_INT_WITHIN(4, 74 * k, g[k].from);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
  for (k = 0; k < 400; k++) {
    po_kinematics(d, po_motion_q(walk, k), NULL);
    po_com(d);
    com[0] = d->com;
    po_kinematics(d, po_motion_q(m, k), NULL);
    po_com(d);
    com[1] = d->com;
    worst = po_max(worst, po_v3_norm(po_v3_sub(com[0], com[1])));
  }
  TEST_ASSERT_LESS_THAN_DOUBLE(0.03, worst);
  po_data_free(d);
  po_motion_free(m);
  po_motion_free(walk);
  po_buffer_free(&text);
  po_model_free(model);
}

/* On every body that walks on two feet: limits hold, planted feet stand, the step follows its legs. */
static void test_all_bodies(void) {
  static const char *const bodies[] = {"child", "giant", "lopsided", "gymnast", "ostrich", "dinosaur"};
  const po_model *human = motion_body("human");
  po_buffer text = {0};
  po_motion *walk;
  int b;
  retarget_walk(&text, &walk, human);
  for (b = 0; b < 6; b++) {
    const po_model *model = motion_body(bodies[b]);
    po_retarget_report r;
    po_motion_figures f;
    po_motion *m = retarget_text(text.data, text.size, model, 0, &r);
    double froude;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&f, m));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, f.limit_excess);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(0.01 * model->rest_height, f.slide_max, bodies[b]);
    TEST_ASSERT_GREATER_THAN_DOUBLE_MESSAGE(b < 4 ? 0.99 : 0.9, f.support_share, bodies[b]); /* legs of beasts fold otherwise */
    froude =
        f.com_speed_mean / sqrt(9.81 * r.scale / 0.05644 * human->rest_height); /* dynamic similarity: the same for all sizes */
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.03, 0.83 / sqrt(9.81 * human->rest_height), froude, bodies[b]);
    po_motion_free(m);
    po_model_free(model);
  }
  po_motion_free(walk);
  po_buffer_free(&text);
  po_model_free(human);
}

/* The same skeleton under the names of other programs, z up, mirrored order of legs: each must be recognized and look along x. */
static const char *const retarget_styles[][10] = {
    {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "LeftArm", "RightArm", "Head"},
    {"mixamorig:Hips", "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:RightUpLeg",
     "mixamorig:RightLeg", "mixamorig:RightFoot", "mixamorig:LeftArm", "mixamorig:RightArm", "mixamorig:Head"},
    {"Hips", "LeftHip", "LeftKnee", "LeftAnkle", "RightHip", "RightKnee", "RightAnkle", "LeftShoulder", "RightShoulder", "Head"},
    {"pelvis", "thigh_l", "shank_l", "foot_l", "thigh_r", "shank_r", "foot_r", "upper_arm_l", "upper_arm_r", "head"},
    {"Bip01", "L Thigh", "L Calf", "L Foot", "R Thigh", "R Calf", "R Foot", "L UpperArm", "R UpperArm", "Head"},
    {"root", "lThigh", "lShin", "lFoot", "rThigh", "rShin", "rFoot", "lShldr", "rShldr", "head"},
};
static void retarget_skeleton(po_buffer *out, const char *const *n, int z_up) {
  const char *up = z_up ? "0 0 1" : "0 1 0", *down = z_up ? "0 0 -4" : "0 -4 0", *left = z_up ? "0 1 0" : "1 0 0",
             *right = z_up ? "0 -1 0" : "-1 0 0", *ahead = z_up ? "1 0 0" : "0 0 1",
             *turns = "CHANNELS 3 Zrotation Yrotation Xrotation\n";
  int i;
  po_buffer_printf(
      out, "HIERARCHY\nROOT %s\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n", n[0]);
  for (i = 0; i < 2; i++) {
    const char *const *leg = n + (i ? 1 : 4); /* the right leg first */
    po_buffer_printf(
        out, "JOINT %s\n{\nOFFSET %s\n%sJOINT %s\n{\nOFFSET %s\n%sJOINT %s\n{\nOFFSET %s\n%sEnd Site\n{\nOFFSET %s\n}\n}\n}\n}\n",
        leg[0], i ? left : right, turns, leg[1], down, turns, leg[2], down, turns, ahead);
  }
  po_buffer_printf(out, "JOINT Spine\n{\nOFFSET %s\n%s", up, turns);
  for (i = 0; i < 2; i++)
    po_buffer_printf(out, "JOINT %s\n{\nOFFSET %s\n%sEnd Site\n{\nOFFSET %s\n}\n}\n", n[7 + i], i ? right : left, turns, down);
  po_buffer_printf(out, "JOINT %s\n{\nOFFSET %s\n%sEnd Site\n{\nOFFSET %s\n}\n}\n}\n}\n", n[9], up, turns, up);
  po_buffer_puts(out, "MOTION\nFrames: 2\nFrame Time: 0.1\n");
  for (i = 0; i < 2; i++) {
    int k;
    po_buffer_puts(out, z_up ? "0 0 8" : "0 8 0");
    for (k = 0; k < 3 * 11; k++) po_buffer_puts(out, " 0");
    po_buffer_puts(out, "\n");
  }
}

static void test_names_and_axes(void) {
  const po_model *model = motion_body("human");
  int s, z_up;
  for (s = 0; s < (int)(sizeof retarget_styles / sizeof *retarget_styles); s++)
    for (z_up = 0; z_up < 2; z_up++) {
      po_buffer text = {0};
      po_retarget_report r;
      po_motion *m;
      po_data *d;
      retarget_skeleton(&text, retarget_styles[s], z_up);
      m = retarget_text(text.data, text.size, model, 0, &r);
      TEST_ASSERT_EQUAL_INT_MESSAGE(11, r.joints, retarget_styles[s][1]);
      TEST_ASSERT_EQUAL_INT_MESSAGE(11, r.mapped, retarget_styles[s][1]);
      TEST_ASSERT_EQUAL_INT(PO_OK, po_data_new(&d, model));
      po_kinematics(d, po_motion_q(m, 0), NULL);
      rbd_close_v3(po_m3_col(d->pose[0].R, 0), po_v3(1, 0, 0), 1, 0.05, "looks along x", s);
      rbd_close_v3(po_m3_col(d->pose[0].R, 2), po_v3(0, 0, 1), 1, 0.05, "stands upright", s);
      TEST_ASSERT_DOUBLE_WITHIN(0.05, model->rest_height, d->pose[0].p.z);
      po_data_free(d);
      po_motion_free(m);
      po_buffer_free(&text);
    }
  po_model_free(model);
}

static void test_what_is_refused(void) {
  static const char nameless[] =
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT LeftUpLeg\n{\nOFFSET 0 1 0\n}\n}\n"
      "MOTION\nFrames: 2\nFrame Time: 1\n0 0 0\n0 0 0\n";
  const po_model *model = motion_body("human");
  po_retarget_opts o = po_retarget_opts_default();
  po_buffer text = {0};
  po_motion *m = NULL;
  po_bvh *b = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bvh_read(&b, nameless, strlen(nameless), "x.bvh", &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NAME, po_retarget(&m, NULL, model, b, NULL, "x.bvh", &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "no joint is recognized as thigh_r"), err.message);
  TEST_ASSERT_EQUAL_STRING("x.bvh", err.file);
  po_bvh_free(b);
  retarget_skeleton(&text, retarget_styles[0], 0);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_bvh_read(&b, text.data, text.size, "y.bvh", &err));
  o.drop = 1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_retarget(&m, NULL, model, b, &o, "y.bvh", &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, "at least two"), err.message);
  o = po_retarget_opts_default();
  o.scale = -1;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_retarget(&m, NULL, model, b, &o, "y.bvh", &err));
  TEST_ASSERT_NULL(m);
  po_bvh_free(b);
  po_buffer_free(&text);
  po_model_free(model);
}

/* ---- captured files, when they are there ---- */

static po_motion *retarget_captured(const char *name, int drop, const po_model *model, po_retarget_report *r) {
  const char *folder = getenv("MOCAP") ? getenv("MOCAP") : "../shared/mocap";
  char path[512], *text;
  size_t size;
  po_motion *m;
  po_error err;
  po_format(path, sizeof path, "%s/%s", folder, name);
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return NULL;
  m = retarget_text(text, size, model, drop, r);
  po_free(text);
  return m;
}

/* Floors rise by 1.0° to 1.2°. 07_01: 1.37 m/s at the performer's size, steps of 0.54 s; 08_07: long steps at 1.7 m/s; 13_29: squats on the spot. */
static void test_captured_motions(void) {
  static const struct {
    const char *name;
    int frames, segments;
    double speed_least, speed_most, slope_least, slope_most;
  } known[] = {{"07_01.bvh", 316, 5, 1.40, 1.55, 1.0, 1.2},
               {"08_07.bvh", 302, 4, 1.75, 2.0, 1.0, 1.2},
               {"13_29_squats.bvh", 740, 5, 0, 0.15, 0, 0}};
  const po_model *model = motion_body("human");
  int i, n, k, skipped = 0;
  for (i = 0; i < 3; i++) {
    po_retarget_report r;
    po_motion_figures f;
    po_segment g[16];
    po_error err;
    po_motion *m = retarget_captured(known[i].name, -1, model, &r);
    if (!m) {
      skipped++;
      continue;
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].frames, m->frames, known[i].name); /* a T-pose is seen without being told */
    TEST_ASSERT_EQUAL_INT(PO_OK, po_motion_measure(&f, m));
    TEST_ASSERT_EQUAL_INT(14, r.mapped);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 120, m->hz);
    TEST_ASSERT_TRUE_MESSAGE(f.com_speed_mean >= known[i].speed_least && f.com_speed_mean <= known[i].speed_most, known[i].name);
    TEST_ASSERT_TRUE_MESSAGE(PO_DEG(r.slope) >= known[i].slope_least && PO_DEG(r.slope) <= known[i].slope_most, known[i].name);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(2e-3, f.slide_max, known[i].name);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, f.limit_excess);
    TEST_ASSERT_LESS_THAN_DOUBLE_MESSAGE(i == 2 ? 0.65 : 0.35, r.error_max,
                                         known[i].name); /* rad; a deep squat on flat feet is beyond our ankles */
    TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_motion_segments(g, &n, 16, m, &err), err.message);
    TEST_ASSERT_EQUAL_INT_MESSAGE(known[i].segments, n, known[i].name);
    if (i == 0)
      for (k = 1; k < 4; k++) TEST_ASSERT_INT_WITHIN(4, 65, g[k].to - g[k].from);
    po_motion_free(m);
  }
  if (skipped) printf("%d captured motions skipped: they are not in ../shared/mocap\n", skipped);
  po_model_free(model);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_own_motion_comes_back);
  RUN_TEST(test_all_bodies);
  RUN_TEST(test_names_and_axes);
  RUN_TEST(test_what_is_refused);
  RUN_TEST(test_captured_motions);
  return UNITY_END() != 0;
}
