/* parts.c: what a shard of a larger work leaves behind, and how a complete set is told from one that is not.
 *
 * A part is a line of JSON (command, shard, key), then `unit INDEX SIZE`, a newline, that many bytes and a newline for each unit, then `end HASH`,
 * the hash of all before that line.
 */
#include "jobs.h"
#include <math.h>
#include <string.h>

#define PART_FORMAT 1
#define PART_END 21     /* bytes of the last line: "end ", 16 digits, a newline */

/* ---- writing ---- */

/* Whether the option says who does the work, how, or where it goes, and not what it is. Kernels in force are told apart from those asked for. */
static int part_skips(const po_jobs *jobs, const char *option) {
  return !strcmp(option, "jobs") || !strcmp(option, "shard") || !strcmp(option, "resume") || !strcmp(option, "simd") || !strcmp(option, jobs->result);
}

static void part_words(po_jw *w, const po_jobs *jobs) {
  const po_args *a = jobs->args;
  po_buffer word = {0};
  int i;
  po_jw_array(w, "command");
  po_jw_string(w, NULL, a->command->name);
  for (i = 0; i < a->option_count; i++) {
    if (part_skips(jobs, a->option[i]->name)) continue;
    word.size = 0;
    if (a->value[i]) po_buffer_printf(&word, "--%s=%s", a->option[i]->name, a->value[i]);
    else po_buffer_printf(&word, "--%s", a->option[i]->name);
    po_jw_string(w, NULL, word.data ? word.data : "");
  }
  po_jw_string(w, NULL, "--");
  for (i = 0; i < a->count; i++) po_jw_string(w, NULL, a->arg[i]);
  po_jw_end(w);
  if (word.failed) w->out->failed = 1;
  po_buffer_free(&word);
}

uint64_t po_jobs_key(const po_jobs *jobs, const po_work *work) {
  const char *simd = po_simd_string(po_get_simd());
  po_buffer text = {0};
  uint64_t key = work->key;
  po_jw w;
  po_jw_init(&w, &text, 0);
  part_words(&w, jobs);
  key = po_hash(text.data ? text.data : "", text.size, key);
  key = po_hash(simd, strlen(simd), key);
  po_buffer_free(&text);
  return po_hash(PO_VERSION, strlen(PO_VERSION), key);
}

void po_part_write(po_buffer *out, const po_jobs *jobs, const po_work *work, const po_unit *unit) {
  po_jw w;
  size_t start = out->size;
  int i;
  po_jw_init(&w, out, 0);
  po_jw_object(&w, NULL);
  po_jw_int(&w, "poise_part", PART_FORMAT);
  part_words(&w, jobs);
  po_jw_string(&w, "result", jobs->result);
  po_jw_string(&w, "simd", po_simd_string(po_get_simd()));
  po_jw_hex(&w, "key", po_jobs_key(jobs, work));
  po_jw_int(&w, "shard", jobs->shard);
  po_jw_int(&w, "shards", jobs->shards ? jobs->shards : 1);
  po_jw_int(&w, "units", work->units);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
  for (i = 0; i < work->units; i++)
    if (unit[i].done) {
      po_buffer_printf(out, "unit %d %zu\n", i, unit[i].bytes.size);
      po_buffer_add(out, unit[i].bytes.data ? unit[i].bytes.data : "", unit[i].bytes.size);
      po_buffer_puts(out, "\n");
    }
  if (out->failed) return;
  po_buffer_printf(out, "end %016llx\n", (unsigned long long)po_hash(out->data + start, out->size - start, 0));
}

/* ---- reading ---- */

typedef struct part_file {
  const char *path;
  char *text;
  size_t size;
  const char *units;         /* where they begin */
  po_json *head;
  int shard, shards, count;  /* count: units of the whole work */
  const char *key;
} part_file;

typedef struct parts_inner { part_file *file; int files; } parts_inner;

static po_status part_bad(po_error *err, const part_file *f, const char *why) { return po_fail(err, PO_ERR_PARSE, "%s: %s", f->path, why); }

static int part_whole(double x, double lo, double hi) { return x >= lo && x <= hi && x == floor(x); }

/* The last line holds the hash of all before it. */
static po_status part_check_end(const part_file *f, po_error *err) {
  char end[24];
  size_t tail = PART_END;
  if (f->size < tail) return part_bad(err, f, "cut off: it does not end as a part does");
  po_format(end, sizeof end, "end %016llx\n", (unsigned long long)po_hash(f->text, f->size - tail, 0));
  if (memcmp(f->text + f->size - tail, "end ", 4)) return part_bad(err, f, "cut off: it does not end as a part does");
  return memcmp(f->text + f->size - tail, end, tail) ? part_bad(err, f, "damaged: its contents do not fit the hash at its end") : PO_OK;
}

static po_status part_read_head(part_file *f, po_error *err) {
  const char *line;
  double shard, shards, count;
  po_status s = po_read_file(&f->text, &f->size, f->path, 0, err);
  if (s != PO_OK) return s;
  line = memchr(f->text, '\n', f->size);
  if (f->size < 16 || memcmp(f->text, "{\"poise_part\":", 14) || !line) return part_bad(err, f, "not a part: `--shard I/N` writes those");
  if ((s = po_json_parse(&f->head, f->text, (size_t)(line - f->text), f->path, err)) != PO_OK) return s;
  if (po_json_number(po_json_get(f->head, "poise_part"), 0) != PART_FORMAT) return part_bad(err, f, "a part of another version of the program");
  f->units = line + 1;
  if ((s = part_check_end(f, err)) != PO_OK) return s;
  shard = po_json_number(po_json_get(f->head, "shard"), -1);
  shards = po_json_number(po_json_get(f->head, "shards"), -1);
  count = po_json_number(po_json_get(f->head, "units"), -1);
  f->key = po_json_string(po_json_get(f->head, "key"), NULL);
  if (!part_whole(shards, 1, PO_SHARDS_MAX) || !part_whole(shard, 0, shards - 1) || !part_whole(count, 0, 1e9) || !f->key || strlen(f->key) != 16)
    return part_bad(err, f, "its first line does not say which part it is");
  f->shard = (int)shard;
  f->shards = (int)shards;
  f->count = (int)count;
  return PO_OK;
}

/* The unit that begins at *at; its bytes are copied into the set. */
static po_status part_read_unit(po_parts *p, const part_file *f, const char **at, po_error *err) {
  const char *end = f->text + f->size, *c = *at;
  int index, size;
  if (end - c < 5 || memcmp(c, "unit ", 5)) return part_bad(err, f, "a unit does not begin as one");
  if (po_parse_int(&index, &c, c + 5, end) != PO_OK || *c != ' ' || po_parse_int(&size, &c, c + 1, end) != PO_OK || *c != '\n' || index < 0 || size < 0 || index >= p->units)
    return part_bad(err, f, "a unit does not begin as one");
  c++;
  if (size >= end - c || c[size] != '\n') return part_bad(err, f, "a unit is shorter than it says");
  if (index % f->shards != f->shard || p->unit[index].done) return part_bad(err, f, "holds a unit that is not its own");
  po_buffer_add(&p->unit[index].bytes, c, (size_t)size);
  p->unit[index].done = 1;
  *at = c + size + 1;
  return p->unit[index].bytes.failed ? po_fail(err, PO_ERR_MEMORY, "out of memory") : PO_OK;
}

static po_status parts_command(po_parts *p, const part_file *f, po_error *err) {
  const po_json *words = po_json_get(f->head, "command"), *w;
  int n = 0;
  for (w = words ? words->first : NULL; w; w = w->next) n++;
  if (n < 1 || n > PO_PART_WORDS) return part_bad(err, f, "does not say which command made it");
  if (!(p->argv = po_alloc(sizeof *p->argv * (size_t)(n + 4)))) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (w = words->first; w; w = w->next) p->argv[p->argc++] = po_json_string(w, "");
  p->result = po_json_string(po_json_get(f->head, "result"), "out");
  p->simd = po_json_string(po_json_get(f->head, "simd"), "scalar");
  p->shards = f->shards;
  p->units = f->count;
  for (n = 0; n < 16; n++) {
    char c = f->key[n];
    p->key = p->key << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
  }
  p->unit = po_alloc(sizeof *p->unit * ((size_t)p->units + 1));
  return p->unit ? PO_OK : po_fail(err, PO_ERR_MEMORY, "out of memory");
}

static int parts_find(const parts_inner *in, int shard) {
  int i;
  for (i = 0; i < in->files; i++)
    if (in->file[i].shard == shard) return i;
  return -1;
}

/* Every part belongs to the first one's work, none is there twice, none is missing. */
static po_status parts_check_set(const parts_inner *in, po_error *err) {
  const part_file *a = &in->file[0];
  int i, missing = 0, first = -1;
  for (i = 1; i < in->files; i++) {
    const part_file *b = &in->file[i];
    if (a->shards != b->shards) return po_fail(err, PO_ERR_STATE, "%s is one of %d parts, %s one of %d", a->path, a->shards, b->path, b->shards);
    if (strcmp(a->key, b->key) || a->count != b->count)
      return po_fail(err, PO_ERR_STATE, "%s does not belong to %s: another command, model, version or kernels (--simd) made it", b->path, a->path);
  }
  for (i = 1; i < in->files; i++) {
    int k = parts_find(in, in->file[i].shard);
    if (k < i) return po_fail(err, PO_ERR_STATE, "%s and %s are both part %d/%d", in->file[k].path, in->file[i].path, in->file[i].shard, a->shards);
  }
  for (i = 0; i < a->shards; i++)
    if (parts_find(in, i) < 0) {
      if (!missing++) first = i;
    }
  if (missing == 1) return po_fail(err, PO_ERR_STATE, "part %d/%d is missing", first, a->shards);
  if (missing) return po_fail(err, PO_ERR_STATE, "%d of %d parts are missing, the first of them %d/%d", missing, a->shards, first, a->shards);
  return PO_OK;
}

static po_status parts_fill(po_parts *p, const parts_inner *in, po_error *err) {
  int i, k;
  po_status s = parts_command(p, &in->file[0], err);
  for (i = 0; i < in->files && s == PO_OK; i++) {
    const part_file *f = &in->file[i];
    const char *at = f->units;
    while (s == PO_OK && at < f->text + f->size - PART_END) s = part_read_unit(p, f, &at, err);
    for (k = f->shard; k < p->units && s == PO_OK; k += f->shards)
      if (!p->unit[k].done) s = part_bad(err, f, "a unit of its share is not in it");
  }
  return s;
}

po_status po_parts_read(po_parts **parts, const char *const *paths, int count, po_error *err) {
  po_parts *p = po_alloc(sizeof *p);
  parts_inner *in = po_alloc(sizeof *in);
  po_status s = PO_OK;
  int i;
  *parts = NULL;
  if (p) p->inner = in;
  else po_free(in);
  if (!p || !in || !(in->file = po_alloc(sizeof *in->file * (size_t)count))) s = po_fail(err, PO_ERR_MEMORY, "out of memory");
  for (i = 0; i < count && s == PO_OK; i++) {
    in->file[i].path = paths[i];
    in->files = i + 1;
    s = part_read_head(&in->file[i], err);
  }
  if (s == PO_OK) s = parts_check_set(in, err);
  if (s == PO_OK) s = parts_fill(p, in, err);
  if (s == PO_OK) *parts = p;
  else po_parts_free(p);
  return s;
}

po_status po_part_resume(po_unit *unit, const po_jobs *jobs, const po_work *work, po_error *err) {
  char key[24];
  part_file f;
  po_parts into;
  const char *at;
  po_status s;
  memset(&f, 0, sizeof f);
  memset(&into, 0, sizeof into);
  f.path = jobs->resume;
  into.unit = unit;
  into.units = work->units;
  po_format(key, sizeof key, "%016llx", (unsigned long long)po_jobs_key(jobs, work));
  s = part_read_head(&f, err);
  if (s == PO_OK && (strcmp(f.key, key) || f.count != work->units))
    s = po_fail(err, PO_ERR_STATE, "%s: another command, model, version or kernels (--simd) made it: it cannot be gone on from", f.path);
  if (s == PO_OK && (f.shards != (jobs->shards ? jobs->shards : 1) || f.shard != jobs->shard))
    s = po_fail(err, PO_ERR_STATE, "%s is of share %d/%d: give --shard as it was", f.path, f.shard, f.shards);
  at = f.units;
  while (s == PO_OK && at < f.text + f.size - PART_END) s = part_read_unit(&into, &f, &at, err);
  po_free(f.text);
  po_json_free(f.head);
  return s;
}

void po_parts_free(po_parts *p) {
  parts_inner *in;
  int i;
  if (!p) return;
  in = p->inner;
  for (i = 0; p->unit && i < p->units; i++) po_buffer_free(&p->unit[i].bytes);
  for (i = 0; in && i < in->files; i++) {
    po_free(in->file[i].text);
    po_json_free(in->file[i].head);
  }
  if (in) po_free(in->file);
  po_free(in);
  po_free(p->unit);
  po_free(p->argv);
  po_free(p);
}
