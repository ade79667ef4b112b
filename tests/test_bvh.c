/* BVH files: all the ways programs write them, all the ways they are wrong, and where the joints are. */
#include "motion_helpers.h"

void setUp(void) {}
void tearDown(void) {}

#define BVH_ARM                                                                                                                    \
  "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"            \
  "  JOINT Arm\n  {\n    OFFSET 0 2 0\n    CHANNELS 3 Zrotation Yrotation Xrotation\n    End Site\n    {\n      OFFSET 1 0 0\n   " \
  " }\n  }\n}\n"
#define BVH_GOOD BVH_ARM "MOTION\nFrames: 2\nFrame Time: .0083333\n1 2 3 0 0 0 0 0 0\n0 0 0 90 0 0 0 90 0\n"

static po_bvh *bvh_good(const char *text) {
  po_bvh *b = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_bvh_read(&b, text, strlen(text), "good.bvh", &err), err.message);
  return b;
}

static void bvh_bad(const char *text, po_status status, const char *words, int line) {
  po_bvh *b = NULL;
  po_error err;
  TEST_ASSERT_EQUAL_INT_MESSAGE(status, po_bvh_read(&b, text, strlen(text), "bad.bvh", &err), text);
  TEST_ASSERT_NULL(b);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, words), err.message);
  TEST_ASSERT_EQUAL_STRING("bad.bvh", err.file);
  TEST_ASSERT_EQUAL_INT_MESSAGE(line, err.line, err.message);
}

/* By hand: in frame 1 the root turns by 90° about z, so that the arm's joint, at (0, 2, 0) from it, comes to (−2, 0, 0). The arm turns by 90°
 * about y, so that its tip, at x = 1, points to −z of the turned root: (−2, 0, −1). */
static void test_joints_are_where_they_should_be(void) {
  po_bvh *b = bvh_good(BVH_GOOD);
  po_pose pose[3];
  TEST_ASSERT_EQUAL_INT(3, b->joints);
  TEST_ASSERT_EQUAL_INT(9, b->channels);
  TEST_ASSERT_EQUAL_INT(2, b->frames);
  TEST_ASSERT_EQUAL_STRING("Arm", b->joint[1].name);
  TEST_ASSERT_EQUAL_STRING("", b->joint[2].name);
  TEST_ASSERT_EQUAL_DOUBLE(.0083333, b->frame_time);
  po_bvh_pose(pose, b, 0);
  rbd_close_v3(pose[2].p, po_v3(2, 4, 3), 1, 1e-15, "tip at rest", 0);
  po_bvh_pose(pose, b, 1);
  rbd_close_v3(pose[1].p, po_v3(-2, 0, 0), 1, 1e-15, "joint", 0);
  rbd_close_v3(pose[2].p, po_v3(-2, 0, -1), 1, 1e-15, "tip", 0);
  po_bvh_pose(pose, b, -1);
  rbd_close_v3(pose[2].p, po_v3(1, 2, 0), 1, 1e-15, "tip of the rest pose", 0);
  po_bvh_free(b);
}

/* Rotations are applied in the order in which they are listed: Z then X then Y is Rz Rx Ry. */
static void test_order_of_channels(void) {
  po_bvh *b = bvh_good("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\nFrames: 1\nFrame "
                       "Time: 1\n30 40 50\n");
  po_pose pose;
  po_mat3 want = po_m3_mul(po_m3_mul(po_m3_axis_angle(po_v3(0, 0, 1), PO_RAD(30)), po_m3_axis_angle(po_v3(1, 0, 0), PO_RAD(40))),
                           po_m3_axis_angle(po_v3(0, 1, 0), PO_RAD(50)));
  po_bvh_pose(&pose, b, 0);
  rbd_close(pose.R.m, want.m, 9, 1e-15, "Rz Rx Ry", 0);
  po_bvh_free(b);
}

/* CRLF, tabs, a byte order mark, a brace on the name's line, names with blanks and colons, keywords in other case, blank lines, no last newline. */
static void test_ways_of_writing(void) {
  po_bvh *b = bvh_good(
      "\xef\xbb\xbfHierarchy\r\nROOT mixamorig:Hips {\r\n\tOFFSET\t0.0\t0\t-.5\r\n\tCHANNELS 3 XROTATION yrotation Zrotation \r\n"
      "\tJOINT Left Up Leg\r\n\t{\r\n\tOFFSET 1e0 0 0\r\n\tCHANNELS 0\r\n\tEnd site\r\n\t{\r\n\tOFFSET 0 0 "
      "0\r\n\t}\r\n\t}\r\n}\r\n\r\n"
      "MOTION\r\nFrames:\t2\r\nFrame\tTime:\t0.033333\r\n\r\n1 2 3\r\n4\t5 6");
  TEST_ASSERT_EQUAL_STRING("mixamorig:Hips", b->joint[0].name);
  TEST_ASSERT_EQUAL_STRING("Left Up Leg", b->joint[1].name);
  TEST_ASSERT_EQUAL_INT(3, b->joints);
  TEST_ASSERT_EQUAL_DOUBLE(6, b->value[5]);
  TEST_ASSERT_EQUAL_DOUBLE(-.5, b->joint[0].offset.z);
  po_bvh_free(b);
}

static void test_reads_back_to_the_same_bits(void) {
  static const char *const good[] = {
      BVH_GOOD,
      "HIERARCHY\nROOT a b\n{\nOFFSET 0.1 1e-300 -0\nCHANNELS 1 Yrotation\nJOINT c\n{\nOFFSET 1 2 3\n}\nJOINT d:e\n{\nOFFSET "
      "3.3333333333333331 0 0\nCHANNELS 2 Xrotation Zposition\nEnd Site\n{\nOFFSET 0 0 1\n}\n}\n}\nMOTION\nFrames: 1\nFrame "
      "Time: 0.1\n0.1 0.2 0.30000000000000004\n"};
  int i, k;
  for (i = 0; i < 2; i++) {
    po_bvh *b = bvh_good(good[i]), *back;
    po_buffer text = {0}, again = {0};
    po_bvh_write(&text, b);
    back = bvh_good(text.data);
    po_bvh_write(&again, back);
    TEST_ASSERT_EQUAL_STRING(text.data, again.data);
    TEST_ASSERT_EQUAL_INT(b->joints, back->joints);
    for (k = 0; k < b->joints; k++) {
      TEST_ASSERT_EQUAL_STRING(b->joint[k].name, back->joint[k].name);
      TEST_ASSERT_EQUAL_INT(b->joint[k].parent, back->joint[k].parent);
      TEST_ASSERT_EQUAL_INT(0, memcmp(&b->joint[k].offset, &back->joint[k].offset, sizeof(po_vec3)));
    }
    TEST_ASSERT_EQUAL_INT(0, memcmp(b->value, back->value, sizeof(double) * (size_t)(b->frames * b->channels)));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&b->frame_time, &back->frame_time, sizeof(double)));
    po_buffer_free(&text);
    po_buffer_free(&again);
    po_bvh_free(back);
    po_bvh_free(b);
  }
}

static void test_mistakes_are_named(void) {
  bvh_bad("", PO_ERR_PARSE, "HIERARCHY", 0);
  bvh_bad("<xml/>\n", PO_ERR_PARSE, "no BVH file", 1);
  bvh_bad(BVH_ARM, PO_ERR_PARSE, "there is no MOTION", 15);
  bvh_bad(BVH_ARM "MOTION\nFrames: 0\nFrame Time: 0.01\n", PO_ERR_SIZE, "nothing to play", 17);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1.5\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n", PO_ERR_PARSE, "whole number", 17);
  bvh_bad(BVH_ARM "MOTION\nFrames: 999999999\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n", PO_ERR_SIZE, "too short", 17);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1e300\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n", PO_ERR_SIZE, "too short", 17);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1\nFrame Time: 0\n1 2 3 4 5 6 7 8 9\n", PO_ERR_PARSE, "positive number of seconds", 18);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1\n1 2 3 4 5 6 7 8 9\n", PO_ERR_PARSE, "'Frame Time: SECONDS' is needed", 18);
  bvh_bad(BVH_ARM "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8\n", PO_ERR_SIZE,
          "frame 1 has 8 numbers; the channels need 9", 20);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9 10\n", PO_ERR_SIZE, "more than the 9", 19);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 nan 6 7 8 9\n", PO_ERR_NOT_FINITE, "frame 0: 'nan' is not finite",
          19);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 5,0 6 7 8 9\n", PO_ERR_PARSE, "'5,0' is not a number", 19);
  bvh_bad(BVH_ARM "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n", PO_ERR_PARSE, "after 1 of 2 frames", 19);
  bvh_bad(BVH_ARM "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n", PO_ERR_SIZE, "more lines", 20);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0\n", PO_ERR_PARSE, "a number is missing", 4);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Wrotation Zrotation\n", PO_ERR_NAME,
          "unknown channel 'Wrotation'", 5);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation Xrotation\n", PO_ERR_NAME, "named twice", 5);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation\n", PO_ERR_PARSE, "3 are announced and 1 named", 5);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 99999999999\n", PO_ERR_PARSE, "count from 0 to 6", 5);
  bvh_bad("HIERARCHY\nROOT a\nOFFSET 0 0 0\n", PO_ERR_PARSE, "'{' is needed", 3);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nROOT b\n", PO_ERR_UNSUPPORTED, "second ROOT", 6);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\n", PO_ERR_PARSE, "no joint has CHANNELS", 6);
  bvh_bad("HIERARCHY\nROOT\n{\n", PO_ERR_NAME, "without a name", 2);
  bvh_bad("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nJOINT b\n{\n}\nCHANNELS 1 Xrotation\n", PO_ERR_PARSE, "before the joints it carries",
          8);
}

static void test_depth_is_bounded(void) {
  po_buffer text = {0};
  po_bvh *b = NULL;
  po_error err;
  int i;
  po_buffer_puts(&text, "HIERARCHY\nROOT r {\n");
  for (i = 0; i < 600; i++) po_buffer_puts(&text, "JOINT j {\n");
  TEST_ASSERT_EQUAL_INT(PO_ERR_SIZE, po_bvh_read(&b, text.data, text.size, "deep.bvh", &err));
  TEST_ASSERT_NOT_NULL(strstr(err.message, "deep"));
  po_buffer_free(&text);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_joints_are_where_they_should_be);
  RUN_TEST(test_order_of_channels);
  RUN_TEST(test_ways_of_writing);
  RUN_TEST(test_reads_back_to_the_same_bits);
  RUN_TEST(test_mistakes_are_named);
  RUN_TEST(test_depth_is_bounded);
  return UNITY_END() != 0;
}
