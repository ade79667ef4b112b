/* motion_file.c: .motion files: text that names the body and reads back to the same bits (docs/motions.md).
 *
 *   poise motion 1
 *   body human
 *   hz 120
 *   cyclic 0
 *   joints 15                one line each: coordinates, velocities, name
 *   7 6 root
 *   …
 *   corners 8                one line each
 *   sole_l_0
 *   …
 *   frames 2                 one line each: planted corners as a hexadecimal number, q, v
 *   ff 1 0 0 0 0 0 0.93 …
 */
#include "motion.h"
#include "scan.h"
#include <string.h>

void po_motion_write(po_buffer *out, const po_motion *m) {
  const po_model *model = m->model;
  int i, k;
  po_buffer_printf(out, "poise motion 1\nbody %s\nhz %g\ncyclic %d\njoints %d\n", model->name, m->hz, m->cyclic, model->nb);
  for (i = 0; i < model->nb; i++) po_buffer_printf(out, "%d %d %s\n", model->joint[i].nq, model->joint[i].nv, model->joint[i].name);
  po_buffer_printf(out, "corners %d\n", m->corners.count);
  for (i = 0; i < m->corners.count; i++) po_buffer_printf(out, "%s\n", model->frame[m->corners.frame[i]].name);
  po_buffer_printf(out, "frames %d\n", m->frames);
  for (k = 0; k < m->frames; k++) {
    po_buffer_printf(out, "%x", (unsigned)m->planted[k]);
    for (i = 0; i < model->nq + model->nv; i++) {
      po_buffer_puts(out, " ");
      po_buffer_double(out, i < model->nq ? po_motion_q(m, k)[i] : po_motion_v(m, k)[i - model->nq]);
    }
    po_buffer_puts(out, "\n");
  }
}

/* ---- reading ---- */

/* A line "key value": the value. */
static po_status motion_file_key(po_scan *s, po_span *value, const char *key) {
  po_span word;
  if (!po_scan_line(s, value)) return PO_SCAN_FAIL(s, PO_ERR_PARSE, "the file ends where '%s' is needed", key);
  word = po_scan_word(value);
  if (!po_scan_is(word, key))
    return PO_SCAN_FAIL(s, PO_ERR_PARSE, "'%s' is needed here, not '%.*s'", key, po_scan_shown(word), word.at);
  return PO_OK;
}

static po_status motion_file_count(po_scan *s, int *count, const char *key, double least, double most) {
  po_span value;
  double x;
  po_status status = motion_file_key(s, &value, key);
  if (status == PO_OK) status = po_scan_number(s, &x, &value, key);
  if (status != PO_OK) return status;
  if (value.at < value.end || x != floor(x) || !(x >= least && x <= most))
    return PO_SCAN_FAIL(s, PO_ERR_RANGE, "%s: a whole number from %g to %g is needed", key, least, most);
  *count = (int)x;
  return PO_OK;
}

static po_status motion_file_title(po_scan *s, po_span *body) {
  po_span line;
  if (!po_scan_line(s, &line) || !po_scan_is(line, "poise motion 1"))
    return PO_SCAN_FAIL(s, PO_ERR_PARSE, "the first line must be 'poise motion 1': this is no motion file of ours");
  return motion_file_key(s, body, "body");
}

po_status po_motion_body(char name[64], const char *text, size_t size, const char *file, po_error *err) {
  po_scan s;
  po_span body;
  po_status status;
  if (!name || (!text && size)) return po_fail(err, PO_ERR_NULL, "po_motion_body: name and text are needed");
  po_scan_begin(&s, text, size, file, err);
  if ((status = motion_file_title(&s, &body)) != PO_OK) return status;
  if (body.at == body.end || body.end - body.at > 63)
    return PO_SCAN_FAIL(&s, PO_ERR_NAME, "body: a name of 1 to 63 letters is needed");
  memcpy(name, body.at, (size_t)(body.end - body.at));
  name[body.end - body.at] = 0;
  return PO_OK;
}

static int motion_file_same(po_span text, const char *name) {
  return strlen(name) == (size_t)(text.end - text.at) && !memcmp(text.at, name, strlen(name));
}

/* The joints and corners must be those of the model, in its order. */
static po_status motion_file_joints(po_scan *s, const po_model *model) {
  const char *name = model->name;
  po_span line;
  int i, count;
  po_corners corners = po_corners_of(model);
  po_status status = motion_file_count(s, &count, "joints", 0, 1e6);
  if (status != PO_OK) return status;
  for (i = 0; i < count; i++) {
    double size[2];
    if (!po_scan_line(s, &line)) return PO_SCAN_FAIL(s, PO_ERR_PARSE, "the file ends after %d of %d joints", i, count);
    if ((status = po_scan_number(s, &size[0], &line, "joint")) != PO_OK) return status;
    if ((status = po_scan_number(s, &size[1], &line, "joint")) != PO_OK) return status;
    if (i >= model->nb || !motion_file_same(line, model->joint[i].name) || size[0] != model->joint[i].nq ||
        size[1] != model->joint[i].nv)
      return PO_SCAN_FAIL(s, PO_ERR_MODEL,
                          "joint %d of the file is '%.*s', that of the body '%s' is '%s': the motion is for another body", i,
                          po_scan_shown(line), line.at, name, i < model->nb ? model->joint[i].name : "none");
  }
  if (count != model->nb)
    return PO_SCAN_FAIL(s, PO_ERR_MODEL, "%d joints, but the body '%s' has %d: the motion is for another body", count, name,
                        model->nb);
  if ((status = motion_file_count(s, &count, "corners", 0, PO_CORNERS)) != PO_OK) return status;
  if (count != corners.count)
    return PO_SCAN_FAIL(s, PO_ERR_MODEL, "%d corners, but the soles of the body '%s' have %d: the motion is for another body",
                        count, name, corners.count);
  for (i = 0; i < count; i++)
    if (!po_scan_line(s, &line) || !motion_file_same(line, model->frame[corners.frame[i]].name))
      return PO_SCAN_FAIL(s, PO_ERR_MODEL, "corner %d of the body '%s' is '%s': the motion is for another body", i, name,
                          model->frame[corners.frame[i]].name);
  return PO_OK;
}

static po_status motion_file_planted(po_scan *s, uint32_t *planted, po_span *line) {
  po_span w = po_scan_word(line);
  const char *p;
  *planted = 0;
  for (p = w.at; p < w.end; p++) {
    int digit = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
    if (digit < 0 || w.end - w.at > 8)
      return PO_SCAN_FAIL(s, PO_ERR_PARSE, "'%.*s': planted corners are a hexadecimal number", po_scan_shown(w), w.at);
    *planted = *planted << 4 | (uint32_t)digit;
  }
  return PO_OK;
}

static po_status motion_file_frame(po_scan *s, po_motion *m, double *state) {
  int i, n = m->model->nq + m->model->nv;
  uint32_t planted;
  char what[32];
  po_span line;
  po_status status;
  po_format(what, sizeof what, "frame %d", m->frames);
  if (!po_scan_line(s, &line)) return PO_SCAN_FAIL(s, PO_ERR_PARSE, "the file ends after %d of %d frames", m->frames, m->capacity);
  if ((status = motion_file_planted(s, &planted, &line)) != PO_OK) return status;
  for (i = 0; i < n; i++) {
    if (line.at == line.end) return PO_SCAN_FAIL(s, PO_ERR_SIZE, "%s has %d numbers; q and v need %d", what, i, n);
    if ((status = po_scan_number(s, &state[i], &line, what)) != PO_OK) return status;
  }
  if (line.at < line.end) return PO_SCAN_FAIL(s, PO_ERR_SIZE, "%s has more than the %d numbers of q and v", what, n);
  status = po_motion_add(m, state, state + m->model->nq, planted);
  if (status == PO_OK) return PO_OK;
  return PO_SCAN_FAIL(s, status, "%s: a quaternion of length zero, or a corner planted that the body does not have", what);
}

static po_status motion_file_frames(po_scan *s, po_motion **motion, const po_model *model, double hz, int cyclic) {
  int k, count;
  double *state;
  po_span line;
  po_status status = motion_file_count(s, &count, "frames", 1, 1e9);
  if (status != PO_OK) return status;
  if (count > 0.5 * (double)(s->end - s->at) / (model->nq + model->nv) + 1) /* as in po_bvh_read */
    return PO_SCAN_FAIL(s, PO_ERR_SIZE,
                        "frames %d, of %d numbers each: the file is too short for that; it is cut off, or the count is wrong",
                        count, model->nq + model->nv);
  if ((status = po_motion_new(motion, model, hz, count)) != PO_OK) return PO_SCAN_FAIL(s, status, "%s", po_status_string(status));
  state = (double *)po_alloc(sizeof(double) * (size_t)(model->nq + model->nv));
  if (!state) status = PO_SCAN_FAIL(s, PO_ERR_MEMORY, "out of memory");
  for (k = 0; k < count && status == PO_OK; k++) status = motion_file_frame(s, *motion, state);
  po_free(state);
  if (status == PO_OK && po_scan_line(s, &line))
    status = PO_SCAN_FAIL(s, PO_ERR_SIZE, "more lines than the %d frames announced", count);
  (*motion)->cyclic = cyclic;
  if (status == PO_OK && cyclic && (status = po_motion_check(*motion, s->err)) != PO_OK && s->err) {
    s->err->line = s->line;
    po_format(s->err->file, sizeof s->err->file, "%s", s->file ? s->file : "");
  }
  if (status == PO_OK) return PO_OK;
  po_motion_free(*motion);
  *motion = NULL;
  return status;
}

po_status po_motion_read(po_motion **motion, const po_model *model, const char *text, size_t size, const char *file,
                         po_error *err) {
  po_scan s;
  po_span body, value;
  double hz;
  int cyclic;
  po_status status;
  if (!motion || !model || (!text && size))
    return po_fail(err, PO_ERR_NULL, "po_motion_read: a place for the result, a model and text are needed");
  *motion = NULL;
  po_scan_begin(&s, text, size, file, err);
  if ((status = motion_file_title(&s, &body)) != PO_OK) return status;
  if (!motion_file_same(body, model->name))
    return PO_SCAN_FAIL(
        &s, PO_ERR_MODEL,
        "the motion is for the body '%.*s', not for '%s'; retarget the motion it was made from, or choose that body",
        po_scan_shown(body), body.at, model->name);
  if ((status = motion_file_key(&s, &value, "hz")) != PO_OK || (status = po_scan_number(&s, &hz, &value, "hz")) != PO_OK)
    return status;
  if (value.at < value.end || !(hz >= PO_MOTION_HZ_LEAST && hz <= PO_MOTION_HZ_MOST))
    return PO_SCAN_FAIL(&s, PO_ERR_RANGE, "hz: a positive number is needed, %g to %g", PO_MOTION_HZ_LEAST, PO_MOTION_HZ_MOST);
  if ((status = motion_file_count(&s, &cyclic, "cyclic", 0, 1)) != PO_OK) return status;
  if ((status = motion_file_joints(&s, model)) != PO_OK) return status;
  return motion_file_frames(&s, motion, model, hz, cyclic);
}
