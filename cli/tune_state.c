/* tune_state.c: a search as a file: its words, and what every point cost. The points themselves follow from these, so that going through what was told once more
 * brings the search to where it was. */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "tune.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STATE_FORMAT 1

int po_tune_keep(po_tune_job *j, int points, int repeats, const double *told) {
  size_t n = (size_t)points * (size_t)(j->tuning->costs + 1);
  po_tune_generation *g;
  if (j->generations == j->capacity) {
    int more = j->capacity ? 2 * j->capacity : 64;
    if (!(g = po_alloc(sizeof *g * (size_t)more))) return po_cli_fail("tune: out of memory");
    if (j->generations) memcpy(g, j->generation, sizeof *g * (size_t)j->generations);
    po_free(j->generation);
    j->generation = g;
    j->capacity = more;
  }
  g = &j->generation[j->generations];
  if (!(g->told = po_alloc(n * sizeof(double)))) return po_cli_fail("tune: out of memory");
  memcpy(g->told, told, n * sizeof(double));
  g->points = points;
  g->repeats = repeats;
  j->generations++;
  return PO_EXIT_GOOD;
}

static uint64_t state_hash(const po_tune_job *j) {
  uint64_t hash = j->key;
  int i;
  for (i = 0; i < j->generations; i++) hash = po_hash_doubles(j->generation[i].told, (size_t)j->generation[i].points * (size_t)(j->tuning->costs + 1), hash);
  return hash;
}

void po_tune_state_text(po_buffer *out, const po_tune_job *j) {
  po_jw w;
  int i;
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_int(&w, "poise_tune", STATE_FORMAT);
  po_jw_string(&w, "version", PO_VERSION);
  po_jw_string(&w, "simd", po_simd_string(po_get_simd()));
  po_tune_words(&w, &j->spec);
  po_jw_hex(&w, "key", j->key);
  po_jw_int(&w, "budget", j->budget);
  po_jw_int(&w, "costs", j->tuning->costs);
  po_jw_array(&w, "told"); /* a generation each: of every point its costs, then its violation */
  for (i = 0; i < j->generations; i++) po_jw_doubles(&w, NULL, j->generation[i].told, j->generation[i].points * (j->tuning->costs + 1));
  po_jw_end(&w);
  po_jw_hex(&w, "hash", state_hash(j));
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}

/* Reaches the disk before it takes the other's place, and so does the place: after a power cut one of both is there. */
static int state_settle(const char *path) {
  int fd = open(path, O_RDONLY), bad;
  if (fd < 0) return 0;
  bad = fsync(fd) != 0 && errno != EINVAL && errno != EROFS;
  close(fd);
  return !bad;
}

static void state_settle_folder(const char *path) {
  char folder[1024];
  char *slash;
  po_format(folder, sizeof folder, "%s", path);
  slash = strrchr(folder, '/');
  if (slash) slash[1] = '\0';
  state_settle(slash ? folder : "."); /* some file systems have no such thing */
}

int po_tune_state_write(const po_tune_job *j, const char *path) {
  po_buffer text = {0};
  char beside[1100];
  int code;
  po_tune_state_text(&text, j);
  po_format(beside, sizeof beside, "%s.new", path);
  code = po_cli_write(beside, &text);
  if (!code && !state_settle(beside)) code = po_cli_fail("cannot write '%s': %s", beside, strerror(errno));
  if (!code && rename(beside, path)) code = po_cli_fail("cannot write '%s': %s", path, strerror(errno));
  if (code) remove(beside);
  else state_settle_folder(path);
  po_buffer_free(&text);
  return code;
}

/* ---- reading ---- */

static int state_bad(const char *path, const char *why) { return po_cli_fail("%s: %s", path, why); }

static int state_words(po_tune_job *j, const po_json *root, const char *path) {
  const po_json *list = po_json_get(root, "command"), *w;
  const char **words;
  int n = 0, code;
  for (w = list ? list->first : NULL; w; w = w->next, n++)
    if (w->type != PO_JSON_STRING || n == PO_PART_WORDS) return state_bad(path, "it does not say which search it is of");
  if (!n) return state_bad(path, "it does not say which search it is of");
  if (!(words = po_alloc(sizeof *words * (size_t)n))) return po_cli_fail("tune: out of memory");
  for (n = 0, w = list->first; w; w = w->next) words[n++] = po_json_string(w, "");
  code = po_args_parse(&j->saved, j->args->command, n, words);
  j->has_saved = 1;
  po_free(words); /* the arguments point into the parsed file, which stays */
  if (!code && j->saved.count < 1) code = state_bad(path, "it names no scenario");
  return code;
}

int po_tune_state_read(po_tune_job *j, const char *path, po_json **root) {
  char *text;
  size_t size;
  po_error err;
  const char *simd;
  po_status st;
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return po_cli_error(&err);
  st = po_json_parse(root, text, size, path, &err);
  po_free(text);
  if (st != PO_OK) return po_cli_error(&err);
  if (po_json_number(po_json_get(*root, "poise_tune"), 0) != STATE_FORMAT) return state_bad(path, "not the state of a search, or of another version of the program");
  simd = po_json_string(po_json_get(*root, "simd"), "");
  if (!strcmp(simd, "scalar") && !po_args_has(j->args, "simd")) po_set_simd(PO_SIMD_SCALAR);
  if (strcmp(simd, po_simd_string(po_get_simd())))
    return po_cli_fail("%s: the search was begun with %s kernels, here it is %s: --simd %s goes on with it", path, simd, po_simd_string(po_get_simd()), simd);
  if (strcmp(po_json_string(po_json_get(*root, "version"), ""), PO_VERSION)) return state_bad(path, "begun by another version of the program");
  return state_words(j, *root, path);
}

/* One generation; NaN stands as null. */
static int state_generation(po_tune_job *j, const po_json *list, const char *path) {
  int costs = j->tuning->costs, width = costs + 1, count = po_tune_ask(j->search), i, k, code, repeats = po_tune_state(j->search).repeats;
  double *told, *cost, *violation;
  const po_json *x;
  po_error err;
  if (list->type != PO_JSON_ARRAY || count == 0 || (size_t)count * (size_t)width != list->length) return state_bad(path, "a generation has another number of points than the search asks for");
  told = po_alloc(sizeof(double) * (size_t)count * (size_t)(2 * width));
  if (!told) return po_cli_fail("tune: out of memory");
  cost = told + count * width;
  violation = cost + count * costs;
  for (i = 0, x = list->first; x; x = x->next, i++) told[i] = x->type == PO_JSON_NUMBER ? x->number : PO_NAN;
  for (i = 0; i < count; i++) {
    for (k = 0; k < costs; k++) cost[i * costs + k] = told[i * width + k];
    violation[i] = told[i * width + costs];
  }
  code = po_tune_keep(j, count, repeats, told);
  if (!code && po_tune_tell(j->search, cost, violation, &err) != PO_OK) code = po_cli_error(&err);
  po_free(told);
  return code;
}

int po_tune_state_replay(po_tune_job *j, const po_json *root, const char *path) {
  const po_json *told = po_json_get(root, "told"), *g;
  char hex[17];
  int code = PO_EXIT_GOOD;
  po_format(hex, sizeof hex, "%016llx", (unsigned long long)j->key);
  if (strcmp(hex, po_json_string(po_json_get(root, "key"), ""))) return state_bad(path, "begun with another model, other gaits or other defaults under the same names: they have changed since");
  for (g = told ? told->first : NULL; g && !code; g = g->next) code = state_generation(j, g, path);
  if (code) return code;
  po_format(hex, sizeof hex, "%016llx", (unsigned long long)state_hash(j));
  j->saved_budget = (long)po_json_number(po_json_get(root, "budget"), 0);
  return strcmp(hex, po_json_string(po_json_get(root, "hash"), "")) ? state_bad(path, "damaged: its costs do not fit the hash at its end") : PO_EXIT_GOOD;
}
