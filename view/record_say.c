/* record_say.c: what is said about a recording: its header, tables, stages, pushes, curves of one's own, marks of plans; its files. */
#include "record.h"
#include <string.h>

static void say_text(char *out, size_t size, const char *text) {
  if (text) po_format(out, size, "%s", text);
}
static void say_number(double *out, double value) {
  if (po_isfinite(value) && value != 0) *out = value;
}

void po_record_describe(po_record *r, const po_record_about *about) {
  po_trace *t = r->trace;
  say_text(t->scenario, sizeof t->scenario, about->title);
  say_text(t->model, sizeof t->model, about->model);
  say_text(t->command, sizeof t->command, about->command);
  say_text(t->outcome, sizeof t->outcome, about->outcome);
  say_text(t->reason, sizeof t->reason, about->reason);
  if (about->seed) t->seed = about->seed;
  if (about->hash) po_format(t->hash, sizeof t->hash, "%016llx", (unsigned long long)about->hash);
  say_number(&t->dt, about->dt);
  say_number(&t->control_hz, about->control_hz);
  say_number(&t->wall_seconds, about->wall_seconds);
}

/* Beyond the room there is, the last row is written over. */
void po_record_note(po_record *r, po_note_kind kind, const char *name, const char *value, const char *unit, int given) {
  po_trace *t = r->trace;
  po_trace_note *n = &t->note[t->notes < t->max_notes ? t->notes++ : t->max_notes];
  n->kind = kind;
  n->given = given;
  po_format(n->name, sizeof n->name, "%s", name);
  po_format(n->value, sizeof n->value, "%s", value);
  po_format(n->unit, sizeof n->unit, "%s", unit ? unit : "");
}

void po_record_stage(po_record *r, const char *name) {
  char time[32];
  if (!name || (r->stages && !strcmp(name, r->stage)) || r->stages == PO_TRACE_STAGES) return;
  po_format(time, sizeof time, "%.3f", r->sim ? r->sim->time : po_world_time(r->world));
  po_record_note(r, PO_NOTE_STAGE, name, time, "s", 0);
  po_format(r->stage, sizeof r->stage, "%s", name);
  r->stages++;
}

po_status po_record_push(po_record *r, const po_push *push, po_error *err) {
  po_trace *t = r->trace;
  int body = 0;
  if (!(push->character >= 0 && push->character < po_world_count(r->world))) return po_fail(err, PO_ERR_NAME, "there is no character %d to push", push->character);
  if (t->pushes == PO_SIM_PUSHES) return po_fail(err, PO_ERR_SIZE, "at most %d pushes are recorded", PO_SIM_PUSHES);
  body = po_find_body(po_world_model(r->world, push->character), push->link ? push->link : "thorax");
  if (body < 0 && push->link) return po_fail(err, PO_ERR_NAME, "there is no link '%s' to push", push->link);
  t->push[t->pushes].time = push->time;
  t->push[t->pushes].duration = push->duration;
  t->push[t->pushes].body = po_record_body(r, push->character, body < 0 ? 0 : body);
  po_v3_to(t->push[t->pushes++].force, push->force);
  return PO_OK;
}

/* ---- curves ---- */

po_status po_record_curve(int *curve, po_record *r, const char *name, const char *unit, po_error *err) {
  po_trace *t = r->trace;
  int k;
  if (strlen(name) >= sizeof t->name->name || strlen(unit ? unit : "") >= sizeof t->name->unit || !*name)
    return po_fail(err, PO_ERR_NAME, "a curve's name has 1 to %d bytes, its unit at most %d", (int)sizeof t->name->name - 1, (int)sizeof t->name->unit - 1);
  for (k = 1; k < t->channels && strcmp(t->name[k].name, name); k++) {}
  if (k == t->channels) {
    if (t->frames) return po_fail(err, PO_ERR_STATE, "curve '%s': all curves are added before the first frame", name);
    if (k == PO_TRACE_CHANNELS) return po_fail(err, PO_ERR_SIZE, "curve '%s': there is room for %d", name, PO_RECORD_CURVES);
    po_format(t->name[k].name, sizeof t->name[k].name, "%s", name);
    po_format(t->name[k].unit, sizeof t->name[k].unit, "%s", unit ? unit : "");
    t->channels++;
  }
  *curve = k;
  return PO_OK;
}

void po_record_set(po_record *r, int curve, double value) {
  if (!(curve >= 1 && curve < r->trace->channels)) return;
  r->value[curve] = po_isfinite(value) ? (float)value : 0;
  r->was_set[curve] = 1;
}

/* ---- marks ---- */

po_status po_record_mark(po_record *r, const po_mark *mark, int count) {
  po_trace *t = r->trace;
  int i, k;
  if (count < 0 || count > t->max_marks - t->marks) return PO_ERR_SIZE;
  for (i = 0; i < count; i++) {
    po_trace_mark *m = &t->mark[t->marks++];
    m->time = (float)(r->sim ? r->sim->time : po_world_time(r->world));
    m->kind = (float)mark[i].kind;
    po_trace_put3(m->at, po_v3(mark[i].x, mark[i].y, mark[i].z));
    m->length = (float)mark[i].length;
    m->doubt = (float)mark[i].doubt;
    for (k = 0; k < 2; k++) {
      m->low[k] = (float)mark[i].low[k];
      m->high[k] = (float)mark[i].high[k];
    }
  }
  return PO_OK;
}

/* ---- files ---- */

po_status po_record_write(const po_record *r, const char *path, po_error *err) {
  const po_trace *t = po_record_trace(r);
  const char *ending = path ? strrchr(path, '.') : NULL;
  po_buffer out = {0};
  po_status s;
  if (!t || !path) return po_fail(err, PO_ERR_NULL, "a recording and a file's name are wanted");
  if (ending && !strcmp(ending, ".html")) po_trace_html(&out, &t, 1);
  else if (ending && !strcmp(ending, ".svg")) po_trace_svg(&out, t, NULL);
  else if (ending && !strcmp(ending, ".csv")) po_trace_csv(&out, t);
  else if (ending && !strcmp(ending, ".trace")) po_trace_write(&out, t);
  else if (ending && !strcmp(ending, ".gif")) {
    if ((s = po_trace_gif(&out, t, NULL, err)) != PO_OK) return s;
  } else return po_fail(err, PO_ERR_NAME, "%s: a recording is written as .html, .svg, .gif, .csv or .trace", path);
  s = out.failed ? po_fail(err, PO_ERR_MEMORY, "%s: out of memory", path) : po_write_file(path, out.data, out.size, err);
  po_buffer_free(&out);
  return s;
}

void po_trace_csv(po_buffer *out, const po_trace *t) {
  int i, k;
  for (k = 0; k < t->channels; k++) po_buffer_printf(out, "%s%s", k ? "," : "", t->name[k].name);
  po_buffer_puts(out, "\n");
  for (i = 0; i < t->frames; i++) {
    for (k = 0; k < t->channels; k++) po_buffer_printf(out, "%s%.7g", k ? "," : "", (double)po_trace_channel_at(t, i)[k]);
    po_buffer_puts(out, "\n");
  }
}
