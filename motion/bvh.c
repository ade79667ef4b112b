/* bvh.c: captured motions in the BVH format (Biovision): a tree of joints with offsets, then one line of channel values per frame.
 *
 * What the format leaves open is read as most programs do: positions of a joint replace its offset, rotations are intrinsic in the order in
 * which the channels are listed, a name is the rest of its line, and keywords may be in any case.
 */
#include "motion.h"
#include "scan.h"
#include <string.h>

#define BVH_JOINTS_MOST 4096
#define BVH_DEPTH_MOST 512

typedef struct bvh_reader {
  po_scan scan;
  po_bvh *bvh;
  int capacity;
  size_t names_used;
} bvh_reader;

#define BVH_FAIL(r, status, ...) PO_SCAN_FAIL(&(r)->scan, status, __VA_ARGS__)

/* ---- the tree ---- */

static po_status bvh_add(bvh_reader *r, po_bvh_joint **joint, int parent, po_span name) {
  po_bvh *b = r->bvh;
  size_t n = (size_t)(name.end - name.at);
  if (b->joints == BVH_JOINTS_MOST) return BVH_FAIL(r, PO_ERR_SIZE, "more than %d joints", BVH_JOINTS_MOST);
  if (b->joints == r->capacity) {
    int capacity = r->capacity ? 2 * r->capacity : 64;
    po_bvh_joint *more = (po_bvh_joint *)po_alloc(sizeof *more * (size_t)capacity);
    if (!more) return BVH_FAIL(r, PO_ERR_MEMORY, "out of memory");
    if (b->joints) memcpy(more, b->joint, sizeof *more * (size_t)b->joints);
    po_free(b->joint);
    b->joint = more;
    r->capacity = capacity;
  }
  *joint = &b->joint[b->joints++];
  memset(*joint, 0, sizeof **joint);
  (*joint)->name = b->names + r->names_used; /* names are together no longer than the text they come from */
  if (n) memcpy(b->names + r->names_used, name.at, n);
  r->names_used += n + 1;
  (*joint)->parent = parent;
  (*joint)->first = b->channels;
  return PO_OK;
}

static po_status bvh_offset(bvh_reader *r, po_bvh_joint *j, po_span rest) {
  double x[3];
  po_status s;
  int k;
  for (k = 0; k < 3; k++)
    if ((s = po_scan_number(&r->scan, &x[k], &rest, "OFFSET")) != PO_OK) return s;
  if (rest.at < rest.end) return BVH_FAIL(r, PO_ERR_PARSE, "OFFSET: three numbers, then the line ends");
  j->offset = po_v3_of(x);
  return PO_OK;
}

static po_status bvh_channels(bvh_reader *r, po_bvh_joint *j, po_span rest) {
  static const char *const names[6] = {"xposition", "yposition", "zposition", "xrotation", "yrotation", "zrotation"};
  po_span count = po_scan_word(&rest);
  const char *end;
  int n, i, k;
  if (po_parse_int(&n, &end, count.at, count.end) != PO_OK || end != count.end || n < 0 || n > 6)
    return BVH_FAIL(r, PO_ERR_PARSE, "CHANNELS: a count from 0 to 6 is needed, not '%.*s'", po_scan_shown(count), count.at);
  if (j->channels || j != &r->bvh->joint[r->bvh->joints - 1])
    return BVH_FAIL(r, PO_ERR_PARSE, "CHANNELS: once for each joint, before the joints it carries; '%s' has them twice or too late",
                    j->name);
  for (i = 0; i < n; i++) {
    po_span word = po_scan_word(&rest);
    if (word.at == word.end) return BVH_FAIL(r, PO_ERR_PARSE, "CHANNELS: %d are announced and %d named", n, i);
    for (k = 0; k < 6 && !po_scan_is(word, names[k]); k++) {}
    if (k == 6)
      return BVH_FAIL(
          r, PO_ERR_NAME,
          "CHANNELS: unknown channel '%.*s'; they are Xposition, Yposition, Zposition, Xrotation, Yrotation and Zrotation",
          po_scan_shown(word), word.at);
    if (memchr(j->channel, k, (size_t)i))
      return BVH_FAIL(r, PO_ERR_NAME, "CHANNELS: '%.*s' is named twice", po_scan_shown(word), word.at);
    j->channel[i] = (unsigned char)k;
  }
  if (rest.at < rest.end) return BVH_FAIL(r, PO_ERR_PARSE, "CHANNELS: more names than the %d announced", n);
  j->channels = n;
  j->first = r->bvh->channels;
  r->bvh->channels += n;
  return PO_OK;
}

/* "{" on the line of the name, or alone on the next. */
static po_status bvh_brace(bvh_reader *r, int seen) {
  po_span line;
  if (seen) return PO_OK;
  if (!po_scan_line(&r->scan, &line) || !po_scan_is(line, "{"))
    return BVH_FAIL(r, PO_ERR_PARSE, "'{' is needed after the name of a joint");
  return PO_OK;
}

static po_status bvh_begin(bvh_reader *r, int *stack, int *depth, po_span name, int is_end) {
  po_bvh_joint *j;
  po_status s;
  int seen = name.end > name.at && name.end[-1] == '{';
  if (seen) {
    name.end--;
    name = po_scan_trim(name);
  }
  if (is_end) name.end = name.at; /* what follows "End" says nothing */
  else if (name.at == name.end) return BVH_FAIL(r, PO_ERR_NAME, "a joint without a name");
  if (*depth == BVH_DEPTH_MOST) return BVH_FAIL(r, PO_ERR_SIZE, "joints within joints more than %d deep", BVH_DEPTH_MOST);
  if ((s = bvh_add(r, &j, *depth ? stack[*depth - 1] : -1, name)) != PO_OK) return s;
  stack[(*depth)++] = r->bvh->joints - 1;
  return bvh_brace(r, seen);
}

static po_status bvh_hierarchy(bvh_reader *r) {
  int stack[BVH_DEPTH_MOST], depth = 0, done = 0;
  po_span line, word;
  po_status s;
  if (!po_scan_line(&r->scan, &line) || !po_scan_is(line, "hierarchy"))
    return BVH_FAIL(r, PO_ERR_PARSE, "the first line must be HIERARCHY: this is no BVH file");
  while (!done) {
    po_bvh_joint *j = depth ? &r->bvh->joint[stack[depth - 1]] : NULL;
    int at_end = j && !j->name[0];
    if (!po_scan_line(&r->scan, &line))
      return depth || !r->bvh->joints ? BVH_FAIL(r, PO_ERR_PARSE, "the file ends within the HIERARCHY")
                                      : BVH_FAIL(r, PO_ERR_PARSE, "there is no MOTION: the file has a skeleton and no frames");
    word = po_scan_word(&line);
    s = PO_OK;
    if (po_scan_is(word, "root") && depth == 0) {
      if (r->bvh->joints) return BVH_FAIL(r, PO_ERR_UNSUPPORTED, "a second ROOT: one skeleton per file; split the file");
      s = bvh_begin(r, stack, &depth, line, 0);
    } else if (po_scan_is(word, "joint") && j && !at_end) s = bvh_begin(r, stack, &depth, line, 0);
    else if (po_scan_is(word, "end") && j && !at_end) s = bvh_begin(r, stack, &depth, line, 1);
    else if (po_scan_is(word, "offset") && j) s = bvh_offset(r, j, line);
    else if (po_scan_is(word, "channels") && j && !at_end) s = bvh_channels(r, j, line);
    else if (po_scan_is(word, "}") && j && line.at == line.end) depth--;
    else if (po_scan_is(word, "motion") && !j && r->bvh->joints) done = 1;
    else return BVH_FAIL(r, PO_ERR_PARSE, "'%.*s' is not expected here", po_scan_shown(word), word.at);
    if (s != PO_OK) return s;
  }
  return r->bvh->channels ? PO_OK : BVH_FAIL(r, PO_ERR_PARSE, "no joint has CHANNELS: nothing can move");
}

/* ---- the frames ---- */

/* 1: the words of `name` are those of `key`, whatever blanks are between them. */
static int bvh_is_key(po_span name, const char *key) {
  char text[16];
  size_t n = 0;
  for (; name.at < name.end && n + 1 < sizeof text; name.at++) {
    int blank = *name.at == ' ' || *name.at == '\t';
    if (!blank || (n > 0 && text[n - 1] != ' ')) text[n++] = (char)(blank ? ' ' : *name.at);
  }
  if (name.at < name.end) return 0;
  name.at = text, name.end = text + n;
  return po_scan_is(name, key);
}

/* "Frames: 12" and "Frame Time: .0083": what follows the colon. */
static po_status bvh_header(bvh_reader *r, po_span *value, const char *key, const char *what) {
  po_span line, name;
  const char *colon;
  if (!po_scan_line(&r->scan, &line)) return BVH_FAIL(r, PO_ERR_PARSE, "the file ends where '%s' is needed", what);
  colon = (const char *)memchr(line.at, ':', (size_t)(line.end - line.at));
  name.at = line.at;
  name.end = colon ? colon : line.end;
  name = po_scan_trim(name);
  if (!colon || !bvh_is_key(name, key)) return BVH_FAIL(r, PO_ERR_PARSE, "'%s' is needed here", what);
  value->at = colon + 1;
  value->end = line.end;
  *value = po_scan_trim(*value);
  return PO_OK;
}

static po_status bvh_timing(bvh_reader *r) {
  po_span value;
  const char *end;
  double count;
  po_bvh *b = r->bvh;
  po_status s = bvh_header(r, &value, "frames", "Frames: N");
  if (s != PO_OK) return s;
  if (po_parse_double(&count, &end, value.at, value.end) != PO_OK || end != value.end || count != floor(count) || !(count >= 0))
    return BVH_FAIL(r, PO_ERR_PARSE, "Frames: a whole number is needed, not '%.*s'", po_scan_shown(value), value.at);
  if (count == 0) return BVH_FAIL(r, PO_ERR_SIZE, "Frames: 0: there is nothing to play");
  /* each number takes two bytes at least: a count that the file cannot hold is refused before memory is asked for */
  if (count * b->channels > 0.5 * (double)(r->scan.end - r->scan.at) + b->channels)
    return BVH_FAIL(r, PO_ERR_SIZE,
                    "Frames: %.*s, of %d numbers each: the file is too short for that; it is cut off, or the count is wrong",
                    po_scan_shown(value), value.at, b->channels);
  b->frames = (int)count;
  if ((s = bvh_header(r, &value, "frame time", "Frame Time: SECONDS")) != PO_OK) return s;
  if (po_parse_double(&b->frame_time, &end, value.at, value.end) != PO_OK || end != value.end || !(b->frame_time > 0) ||
      !po_isfinite(b->frame_time))
    return BVH_FAIL(r, PO_ERR_PARSE, "Frame Time: a positive number of seconds is needed, not '%.*s'", po_scan_shown(value),
                    value.at);
  return PO_OK;
}

static po_status bvh_frames(bvh_reader *r) {
  po_bvh *b = r->bvh;
  po_span line;
  char what[48];
  po_status s;
  int f, c;
  b->value = (double *)po_alloc(sizeof(double) * (size_t)b->frames * (size_t)b->channels);
  if (!b->value) return BVH_FAIL(r, PO_ERR_MEMORY, "out of memory");
  for (f = 0; f < b->frames; f++) {
    if (!po_scan_line(&r->scan, &line)) return BVH_FAIL(r, PO_ERR_PARSE, "the file ends after %d of %d frames", f, b->frames);
    po_format(what, sizeof what, "frame %d", f);
    for (c = 0; c < b->channels; c++) {
      if (line.at == line.end) return BVH_FAIL(r, PO_ERR_SIZE, "%s has %d numbers; the channels need %d", what, c, b->channels);
      if ((s = po_scan_number(&r->scan, &b->value[(size_t)f * (size_t)b->channels + (size_t)c], &line, what)) != PO_OK) return s;
    }
    if (line.at < line.end) return BVH_FAIL(r, PO_ERR_SIZE, "%s has more than the %d numbers of the channels", what, b->channels);
  }
  if (po_scan_line(&r->scan, &line))
    return BVH_FAIL(r, PO_ERR_SIZE, "more lines than the %d frames announced; correct 'Frames:'", b->frames);
  return PO_OK;
}

po_status po_bvh_read(po_bvh **bvh, const char *text, size_t size, const char *file, po_error *err) {
  bvh_reader r;
  po_status s;
  if (!bvh) return po_fail(err, PO_ERR_NULL, "po_bvh_read: a place for the result is needed");
  *bvh = NULL;
  if (!text && size) return po_fail(err, PO_ERR_NULL, "po_bvh_read: text is needed");
  memset(&r, 0, sizeof r);
  po_scan_begin(&r.scan, text, size, file, err);
  r.bvh = (po_bvh *)po_alloc(sizeof *r.bvh);
  if (r.bvh) r.bvh->names = (char *)po_alloc(size + BVH_JOINTS_MOST + 1);
  if (!r.bvh || !r.bvh->names) {
    po_bvh_free(r.bvh);
    return BVH_FAIL(&r, PO_ERR_MEMORY, "out of memory");
  }
  s = bvh_hierarchy(&r);
  if (s == PO_OK) s = bvh_timing(&r);
  if (s == PO_OK) s = bvh_frames(&r);
  if (s != PO_OK) {
    po_bvh_free(r.bvh);
    return s;
  }
  *bvh = r.bvh;
  return PO_OK;
}

void po_bvh_free(po_bvh *b) {
  if (!b) return;
  po_free(b->joint);
  po_free(b->value);
  po_free(b->names);
  po_free(b);
}

/* ---- writing ---- */

static void bvh_indent(po_buffer *out, int depth) {
  while (depth-- > 0) po_buffer_puts(out, "  ");
}

static int bvh_depth(const po_bvh *b, int joint) {
  int d = 0;
  while ((joint = b->joint[joint].parent) >= 0) d++;
  return d;
}

static void bvh_write_joint(po_buffer *out, const po_bvh *b, int i, int depth) {
  static const char *const names[6] = {"Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
  const po_bvh_joint *j = &b->joint[i];
  int k;
  bvh_indent(out, depth);
  if (j->name[0]) po_buffer_printf(out, "%s %s\n", j->parent < 0 ? "ROOT" : "JOINT", j->name);
  else po_buffer_puts(out, "End Site\n");
  bvh_indent(out, depth);
  po_buffer_puts(out, "{\n");
  bvh_indent(out, depth + 1);
  po_buffer_printf(out, "OFFSET %g %g %g\n", j->offset.x, j->offset.y, j->offset.z);
  if (!j->channels) return;
  bvh_indent(out, depth + 1);
  po_buffer_printf(out, "CHANNELS %d", j->channels);
  for (k = 0; k < j->channels; k++) po_buffer_printf(out, " %s", names[j->channel[k]]);
  po_buffer_puts(out, "\n");
}

void po_bvh_write(po_buffer *out, const po_bvh *b) {
  int i, c, f, open = 0;
  po_buffer_puts(out, "HIERARCHY\n");
  for (i = 0; i < b->joints; i++) {
    int depth = bvh_depth(b, i);
    while (open > depth) {
      bvh_indent(out, --open);
      po_buffer_puts(out, "}\n");
    }
    bvh_write_joint(out, b, i, depth);
    open = depth + 1;
  }
  while (open > 0) {
    bvh_indent(out, --open);
    po_buffer_puts(out, "}\n");
  }
  po_buffer_printf(out, "MOTION\nFrames: %d\nFrame Time: %g\n", b->frames, b->frame_time);
  for (f = 0; f < b->frames; f++)
    for (c = 0; c < b->channels; c++) {
      po_buffer_double(out, b->value[(size_t)f * (size_t)b->channels + (size_t)c]);
      po_buffer_puts(out, c + 1 < b->channels ? " " : "\n");
    }
}

/* ---- where the joints are ---- */

void po_bvh_pose(po_pose *pose, const po_bvh *b, int frame) {
  int i, k;
  for (i = 0; i < b->joints; i++) {
    const po_bvh_joint *j = &b->joint[i];
    const double *value = frame < 0 ? NULL : b->value + (size_t)frame * (size_t)b->channels + (size_t)j->first;
    double place[3];
    po_mat3 R = po_m3_identity();
    po_v3_to(place, j->offset);
    for (k = 0; k < j->channels && value; k++) {
      int c = j->channel[k];
      if (c < 3) place[c] = value[k];
      else R = po_m3_mul(R, po_m3_axis_angle(po_v3(c == 3, c == 4, c == 5), PO_RAD(value[k])));
    }
    if (j->parent < 0) {
      pose[i].R = R;
      pose[i].p = po_v3_of(place);
    } else {
      const po_pose *p = &pose[j->parent];
      pose[i].R = po_m3_mul(p->R, R);
      pose[i].p = po_v3_add(p->p, po_m3_mul_v(p->R, po_v3_of(place)));
    }
  }
}
