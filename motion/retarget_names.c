/* retarget_names.c: which joint of a captured skeleton is which part of a body, by its name; and which way the skeleton looks.
 *
 * Programs call the same joint LeftUpLeg, lThigh, thigh_l, mixamorig:LeftUpLeg, L_Hip or "Left Hip". A name is cut after its last colon, taken
 * apart at blanks, _ . - and at capitals, and freed of its side. What is left is looked up below; where several joints fit, the word that stands
 * first wins, since "shoulder" is the collar bone where there is an "arm", and the upper arm where there is none.
 */
#include "retarget.h"
#include <string.h>

#define NAMES_WORD 48

typedef struct names_part {
  po_retarget_part left; /* the right one follows it; parts in the middle have no side */
  int sided;
  const char *words; /* in order of preference, each ended by a blank */
} names_part;

static const names_part names_parts[] = {
    {PO_PART_THIGH, 1, "upleg upperleg thigh femur hip "},
    {PO_PART_SHANK, 1, "lowerleg lowleg shin shank calf tibia knee leg "},
    {PO_PART_FOOT, 1, "foot ankle "},
    {PO_PART_TOES, 1, "toebase toes toe ball "},
    {PO_PART_UPPER_ARM, 1, "upperarm uparm humerus arm shldr shoulder "},
    {PO_PART_FOREARM, 1, "forearm lowerarm lowarm radius elbow "},
    {PO_PART_HAND, 1, "hand wrist "},
    {PO_PART_HEAD, 0, "head "},
};

const char *const po_retarget_links[PO_PARTS] = {"pelvis",      "abdomen",     "thorax",    "head",      "thigh_l", "thigh_r",
                                                 "shank_l",     "shank_r",     "foot_l",    "foot_r",    "toes_l",  "toes_r",
                                                 "upper_arm_l", "upper_arm_r", "forearm_l", "forearm_r", "hand_l",  "hand_r"};

static int names_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int names_capital(char c) { return c >= 'A' && c <= 'Z'; }

/* Whether a single letter stands at `at` as a word of its own. */
static int names_alone(const char *name, int at, int n) {
  int before = at == 0 || !names_letter(name[at - 1]);
  int after =
      at + 1 == n || !names_letter(name[at + 1]) || (names_capital(name[at + 1]) && !(at + 2 < n && names_capital(name[at + 2])));
  return before && after;
}

/* The word without its side, in lower case; the side is 'l', 'r' or 0. */
static char names_plain(char word[NAMES_WORD], const char *name) {
  const char *colon = strrchr(name, ':');
  int i, n, size = 0;
  char side = 0, *cut;
  if (colon) name = colon + 1;
  n = (int)strlen(name);
  for (i = 0; i < n && size < NAMES_WORD - 1; i++) {
    char c = names_capital(name[i]) ? (char)(name[i] - 'A' + 'a') : name[i];
    if (!names_letter(c)) {
      if (c >= '0' && c <= '9') word[size++] = c; /* Chest2 is not Chest */
      continue;
    }
    if ((c == 'l' || c == 'r') && !side && names_alone(name, i, n)) {
      side = c;
      continue;
    }
    word[size++] = c;
  }
  word[size] = 0;
  for (i = 0; i < 2 && !side; i++) {
    const char *full = i ? "right" : "left";
    if ((cut = strstr(word, full)) != NULL) {
      side = full[0];
      memmove(cut, cut + strlen(full), strlen(cut + strlen(full)) + 1);
    }
  }
  return side;
}

/* Place of the word among the part's, 0 the most preferred; −1: none of them. */
static int names_rank(const char *word, const char *words) {
  int rank = 0;
  size_t n = strlen(word);
  while (*words) {
    const char *end = strchr(words, ' ');
    if ((size_t)(end - words) == n && !memcmp(words, word, n)) return rank;
    words = end + 1;
    rank++;
  }
  return -1;
}

static int names_find(const po_bvh *b, const names_part *part, char side) {
  int i, best = -1, best_rank = 1 << 20;
  for (i = 0; i < b->joints; i++) {
    char word[NAMES_WORD], at;
    int rank;
    if (!b->joint[i].name[0]) continue;
    at = names_plain(word, b->joint[i].name);
    rank = at == side ? names_rank(word, part->words) : -1;
    if (rank >= 0 && rank < best_rank) best = i, best_rank = rank;
  }
  return best;
}

static int names_child_of(const po_bvh *b, int joint, int of) { /* below it, at any depth */
  for (; joint >= 0; joint = b->joint[joint].parent)
    if (joint == of) return 1;
  return 0;
}

/* The trunk has as many joints as a program likes. The thorax carries both arms, the abdomen is halfway to the hips. */
static void names_trunk(po_retarget_map *map, const po_bvh *b) {
  int chain[64], n = 0, j;
  map->joint[PO_PART_PELVIS] = 0;
  j = map->joint[PO_PART_UPPER_ARM];
  if (j < 0 || map->joint[PO_PART_UPPER_ARM + 1] < 0) return;
  while (j >= 0 && !names_child_of(b, map->joint[PO_PART_UPPER_ARM + 1], j)) j = b->joint[j].parent;
  if (j <= 0) return;
  map->joint[PO_PART_THORAX] = j;
  for (j = b->joint[j].parent; j > 0 && n < 64; j = b->joint[j].parent) chain[n++] = j;
  if (n > 0) map->joint[PO_PART_ABDOMEN] = chain[n / 2];
}

/* Where a bone ends when no part follows: at the farthest End Site or joint right below. */
static int names_tip(const po_bvh *b, int joint) {
  double far = 0;
  int i, tip = -1;
  for (i = joint + 1; joint >= 0 && i < b->joints; i++)
    if (b->joint[i].parent == joint && po_v3_norm(b->joint[i].offset) > far) {
      far = po_v3_norm(b->joint[i].offset);
      tip = i;
    }
  return tip;
}

/* ---- axes ---- */

/* The axis of the file that v is nearest to. */
static po_vec3 names_snap(po_vec3 v) {
  double x = po_abs(v.x), y = po_abs(v.y), z = po_abs(v.z);
  if (x >= y && x >= z) return po_v3(v.x < 0 ? -1 : 1, 0, 0);
  if (y >= z) return po_v3(0, v.y < 0 ? -1 : 1, 0);
  return po_v3(0, 0, v.z < 0 ? -1 : 1);
}

/* Up is where the hips are as seen from the feet, left where the left hip is as seen from the right. */
static void names_axes(po_retarget_map *map, const po_pose *rest) {
  const int *j = map->joint;
  po_vec3 up, left;
  up = po_v3_sub(po_v3_add(rest[j[PO_PART_THIGH]].p, rest[j[PO_PART_THIGH + 1]].p),
                 po_v3_add(rest[j[PO_PART_FOOT]].p, rest[j[PO_PART_FOOT + 1]].p));
  up = names_snap(up);
  left = po_v3_sub(rest[j[PO_PART_THIGH]].p, rest[j[PO_PART_THIGH + 1]].p);
  left = po_v3_sub(left, po_v3_scale(po_v3_dot(left, up), up));
  if (!(po_v3_norm(left) > 0))
    left = po_v3_cross(up, up.z != 0 ? po_v3(1, 0, 0) : po_v3(0, 0, 1)); /* both hips at one place: z forward, or x when z is up */
  left = names_snap(left);
  {
    po_vec3 ahead = po_v3_cross(left, up);
    map->axes = po_m3(ahead.x, ahead.y, ahead.z, left.x, left.y, left.z, up.x, up.y, up.z);
  }
}

po_status po_retarget_recognize(po_retarget_map *map, const po_bvh *b, const po_pose *rest, const char *file, po_error *err) {
  int i, side;
  for (i = 0; i < PO_PARTS; i++) map->joint[i] = map->tip[i] = -1;
  for (i = 0; i < (int)(sizeof names_parts / sizeof *names_parts); i++)
    for (side = 0; side <= names_parts[i].sided; side++)
      map->joint[(int)names_parts[i].left + side] = names_find(b, &names_parts[i], !names_parts[i].sided ? 0 : side ? 'r' : 'l');
  names_trunk(map, b);
  for (i = PO_PART_THIGH; i < PO_PART_TOES; i++)
    if (map->joint[i] < 0)
      return po_fail_at(err, PO_ERR_NAME, file, 0, 0,
                        "no joint is recognized as %s; legs are found by names such as LeftUpLeg, LeftLeg, LeftFoot or LeftHip, "
                        "LeftKnee, LeftAnkle: rename "
                        "the file's joints",
                        po_retarget_links[i]);
  for (i = 0; i < PO_PARTS; i++) map->tip[i] = names_tip(b, map->joint[i]);
  for (side = 0; side < 2; side++) {
    map->tip[PO_PART_THIGH + side] = map->joint[PO_PART_SHANK + side];
    map->tip[PO_PART_SHANK + side] = map->joint[PO_PART_FOOT + side];
    if (map->joint[PO_PART_TOES + side] >= 0) map->tip[PO_PART_FOOT + side] = map->joint[PO_PART_TOES + side];
    if (map->joint[PO_PART_FOREARM + side] >= 0) map->tip[PO_PART_UPPER_ARM + side] = map->joint[PO_PART_FOREARM + side];
    if (map->joint[PO_PART_HAND + side] >= 0) map->tip[PO_PART_FOREARM + side] = map->joint[PO_PART_HAND + side];
  }
  names_axes(map, rest);
  return PO_OK;
}
