/* momentum_file.c: momentum problems as JSON files, read with messages a user can act on, written so that they read back to the
 * same bits.
 *
 * Required: mass dt gravity rays w_force w_rays w_state w_track start goal reference contacts. Optional: name, time ("fixed"
 * "stretch" "append"), price, push, footholds (with one index or −1 per contact point, frame by frame). */
#include "ddp_internal.h"

#include <string.h>

static const char *const momf_times[3] = {"fixed", "stretch", "append"};

/* ---- checks that do not depend on where the numbers came from
 * ---------------------------------------------------------------------- */

static int momf_sane(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!po_isfinite(x[i])) return 0;
  return 1;
}

static po_status momf_check_points(const po_momentum *m, po_error *err) {
  for (int k = 0; k < m->frames; k++) {
    if (m->point_count[k] < 0 || m->point_count[k] > PO_MOMENTUM_MAX_POINTS)
      return po_fail(err, PO_ERR_SIZE, "frame %d has %d contact points; at most %d are possible", k, m->point_count[k],
                     PO_MOMENTUM_MAX_POINTS);
    if (!momf_sane(m->points + 3 * m->point_first[k], 3 * (size_t)m->point_count[k]))
      return po_fail(err, PO_ERR_NOT_FINITE, "a contact point of frame %d is not finite", k);
    for (int i = 0; i < m->point_count[k] && m->foothold; i++) {
      int j = m->foothold[m->point_first[k] + i];
      if (j < -1 || j >= m->footholds) return po_fail(err, PO_ERR_RANGE, "frame %d: foothold %d of %d", k, j, m->footholds);
    }
  }
  return PO_OK;
}

po_status po_momentum_check(const po_momentum *m, po_error *err) {
  if (!m || !m->reference || !m->point_count || !m->point_first || !m->rays)
    return po_fail(err, PO_ERR_NULL, "a momentum problem needs rays, a reference and contact points");
  if (m->frames < 1 || m->frames > 100000) return po_fail(err, PO_ERR_SIZE, "%d frames; there must be 1 to 100000", m->frames);
  if (m->ray_count < 1 || m->ray_count > PO_MOMENTUM_MAX_RAYS)
    return po_fail(err, PO_ERR_SIZE, "%d rays; there must be 1 to %d", m->ray_count, PO_MOMENTUM_MAX_RAYS);
  if (!(m->mass > 0) || !po_isfinite(m->mass)) return po_fail(err, PO_ERR_RANGE, "the mass must be positive");
  if (!(m->dt > 0) || !(m->dt < 1)) return po_fail(err, PO_ERR_RANGE, "dt must be positive and below 1 s");
  if (m->footholds < 0 || m->footholds > 1000) return po_fail(err, PO_ERR_SIZE, "%d footholds; there may be 0 to 1000", m->footholds);
  if (!(m->w_force > 0) || !(m->w_rays > 0) || !po_isfinite(m->w_force + m->w_rays))
    return po_fail(err, PO_ERR_RANGE, "w_force and w_rays must be positive: without them the forces are not unique");
  for (int i = 0; i < 12; i++)
    if (!(m->w_state[i] >= 0) || !(m->w_track[i] >= 0) || !po_isfinite(m->w_state[i] + m->w_track[i]))
      return po_fail(err, PO_ERR_RANGE, "w_state and w_track must not be negative");
  if (!momf_sane(&m->gravity.x, 3) || !momf_sane(m->rays, 3 * (size_t)m->ray_count) || !momf_sane(m->start, 12) ||
      !momf_sane(m->goal, 12) || !momf_sane(m->reference, 12 * ((size_t)m->frames + 1)))
    return po_fail(err, PO_ERR_NOT_FINITE, "gravity, rays, start, goal and reference must be finite");
  for (int i = 0; i < m->ray_count; i++)
    if (!(po_v3_norm(po_v3_of(m->rays + 3 * i)) > 0)) return po_fail(err, PO_ERR_RANGE, "ray %d has no direction", i);
  if ((m->price && !momf_sane(m->price, (size_t)m->frames)) || (m->push && !momf_sane(m->push, 6 * (size_t)m->frames)))
    return po_fail(err, PO_ERR_NOT_FINITE, "price and push must be finite");
  return momf_check_points(m, err);
}

/* ---- reading
 * --------------------------------------------------------------------------------------------------------------------------- */

typedef struct momf_reader {
  const po_json *root;
  const char *path;
  po_error *err;
  po_momentum *m;
} momf_reader;

#define MOMF_FAIL(r, node, status, ...) po_fail_at((r)->err, status, (r)->path, (node)->line, (node)->column, __VA_ARGS__)

/* The member `key`, an array unless it is optional and absent. */
static po_status momf_array(const momf_reader *r, const po_json **out, const char *key, int required) {
  const po_json *node = po_json_get(r->root, key);
  *out = NULL;
  if (!node && required) return MOMF_FAIL(r, r->root, PO_ERR_NAME, "\"%s\" is missing", key);
  if (node && node->type != PO_JSON_ARRAY) return MOMF_FAIL(r, node, PO_ERR_PARSE, "\"%s\" must be an array", key);
  *out = node;
  return PO_OK;
}

static po_status momf_row(const momf_reader *r, double *out, int n, const po_json *row, const char *what) {
  const po_json *at;
  int i = 0;
  if (row->type != PO_JSON_ARRAY || row->length != (size_t)n)
    return MOMF_FAIL(r, row, PO_ERR_SIZE, "%s: %d numbers are wanted", what, n);
  for (at = row->first; at; at = at->next, i++) {
    if (at->type != PO_JSON_NUMBER || !po_isfinite(at->number))
      return MOMF_FAIL(r, at, PO_ERR_NOT_FINITE, "%s: a finite number is wanted", what);
    out[i] = at->number;
  }
  return PO_OK;
}

static po_status momf_numbers(const momf_reader *r, double *out, int n, const char *key) {
  const po_json *node;
  po_status status = momf_array(r, &node, key, 1);
  return status == PO_OK ? momf_row(r, out, n, node, key) : status;
}

static po_status momf_number(const momf_reader *r, double *out, const char *key) {
  const po_json *node = po_json_get(r->root, key);
  if (!node) return MOMF_FAIL(r, r->root, PO_ERR_NAME, "\"%s\" is missing", key);
  if (node->type != PO_JSON_NUMBER || !po_isfinite(node->number))
    return MOMF_FAIL(r, node, PO_ERR_PARSE, "\"%s\" must be a finite number", key);
  *out = node->number;
  return PO_OK;
}

static po_status momf_rows(const momf_reader *r, double *out, int rows, int n, const po_json *array, const char *key) {
  int k = 0;
  if (array->length != (size_t)rows)
    return MOMF_FAIL(r, array, PO_ERR_SIZE, "\"%s\" has %zu rows where %d are wanted", key, array->length, rows);
  for (const po_json *row = array->first; row; row = row->next, k++) {
    po_status status = momf_row(r, out + (size_t)k * (size_t)n, n, row, key);
    if (status != PO_OK) return status;
  }
  return PO_OK;
}

/* Frames, contact points and rays, counted before anything is allocated. */
typedef struct momf_sizes {
  const po_json *contacts, *reference, *rays, *price, *push, *footholds;
  int frames, points, rays_count;
} momf_sizes;

static po_status momf_count(const momf_reader *r, momf_sizes *s) {
  po_status status = momf_array(r, &s->contacts, "contacts", 1);
  if (status == PO_OK) status = momf_array(r, &s->reference, "reference", 1);
  if (status == PO_OK) status = momf_array(r, &s->rays, "rays", 1);
  if (status == PO_OK) status = momf_array(r, &s->price, "price", 0);
  if (status == PO_OK) status = momf_array(r, &s->push, "push", 0);
  if (status == PO_OK) status = momf_array(r, &s->footholds, "footholds", 0);
  if (status != PO_OK) return status;
  if (s->contacts->length < 1 || s->contacts->length > 100000)
    return MOMF_FAIL(r, s->contacts, PO_ERR_SIZE, "\"contacts\" has %zu frames; there must be 1 to 100000", s->contacts->length);
  if (s->rays->length < 1 || s->rays->length > PO_MOMENTUM_MAX_RAYS)
    return MOMF_FAIL(r, s->rays, PO_ERR_SIZE, "\"rays\" has %zu directions; there must be 1 to %d", s->rays->length,
                     PO_MOMENTUM_MAX_RAYS);
  s->frames = (int)s->contacts->length;
  s->rays_count = (int)s->rays->length;
  s->points = 0;
  for (const po_json *f = s->contacts->first; f; f = f->next) {
    if (f->type != PO_JSON_ARRAY) return MOMF_FAIL(r, f, PO_ERR_PARSE, "a frame of \"contacts\" is a list of points");
    if (f->length > PO_MOMENTUM_MAX_POINTS)
      return MOMF_FAIL(r, f, PO_ERR_SIZE, "a frame has %zu contact points; at most %d are possible", f->length,
                       PO_MOMENTUM_MAX_POINTS);
    s->points += (int)f->length;
  }
  return PO_OK;
}

static po_status momf_contacts(const momf_reader *r, const momf_sizes *s, int *count, int *first, double *points) {
  int k = 0, at = 0;
  for (const po_json *f = s->contacts->first; f; f = f->next, k++) {
    first[k] = at;
    count[k] = (int)f->length;
    for (const po_json *point = f->first; point; point = point->next, at++) {
      po_status status = momf_row(r, points + 3 * at, 3, point, "a contact point");
      if (status != PO_OK) return status;
    }
  }
  return PO_OK;
}

static po_status momf_footholds(const momf_reader *r, const momf_sizes *s, int *foothold) {
  const po_json *frame = s->contacts->first;
  int at = 0, most = -1;
  if (s->footholds->length != (size_t)s->frames)
    return MOMF_FAIL(r, s->footholds, PO_ERR_SIZE, "\"footholds\" needs %d frames", s->frames);
  for (const po_json *f = s->footholds->first; f; f = f->next, frame = frame->next) {
    if (f->type != PO_JSON_ARRAY || f->length != frame->length)
      return MOMF_FAIL(r, f, PO_ERR_SIZE, "a frame of \"footholds\" has one index per contact point");
    for (const po_json *j = f->first; j; j = j->next, at++) {
      if (j->type != PO_JSON_NUMBER || !(j->number >= -1 && j->number < 1000) || j->number != (double)(int)j->number)
        return MOMF_FAIL(r, j, PO_ERR_RANGE, "a foothold is -1 or an index below 1000");
      foothold[at] = (int)j->number;
      most = foothold[at] > most ? foothold[at] : most;
    }
  }
  r->m->footholds = most + 1;
  return PO_OK;
}

static po_status momf_scalars(const momf_reader *r) {
  po_momentum *m = r->m;
  const po_json *time = po_json_get(r->root, "time");
  double gravity[3];
  po_status status = momf_number(r, &m->mass, "mass");
  if (status == PO_OK) status = momf_number(r, &m->dt, "dt");
  if (status == PO_OK) status = momf_number(r, &m->w_force, "w_force");
  if (status == PO_OK) status = momf_number(r, &m->w_rays, "w_rays");
  if (status == PO_OK) status = momf_numbers(r, gravity, 3, "gravity");
  if (status == PO_OK) status = momf_numbers(r, m->w_state, 12, "w_state");
  if (status == PO_OK) status = momf_numbers(r, m->w_track, 12, "w_track");
  if (status == PO_OK) status = momf_numbers(r, m->start, 12, "start");
  if (status == PO_OK) status = momf_numbers(r, m->goal, 12, "goal");
  if (status != PO_OK) return status;
  m->gravity = po_v3_of(gravity);
  if (time) {
    int i = 0;
    while (i < 3 && strcmp(po_json_string(time, ""), momf_times[i]) != 0) i++;
    if (i == 3) return MOMF_FAIL(r, time, PO_ERR_NAME, "\"time\" is \"fixed\", \"stretch\" or \"append\"");
    m->time = (po_momentum_time)i;
  }
  po_format(m->name, sizeof m->name, "%s", po_json_string(po_json_get(r->root, "name"), "momentum"));
  return PO_OK;
}

/* The whole in one block of memory. */
static po_status momf_build(momf_reader *r, const momf_sizes *s) {
  size_t doubles = 3 * (size_t)s->rays_count + 12 * ((size_t)s->frames + 1) + 3 * (size_t)s->points +
                   (s->price ? (size_t)s->frames : 0) + (s->push ? 6 * (size_t)s->frames : 0);
  size_t ints = 2 * (size_t)s->frames + (s->footholds ? (size_t)s->points : 0);
  po_momentum *m = (po_momentum *)po_alloc(sizeof *m + doubles * sizeof(double) + ints * sizeof(int));
  double *at;
  int *whole;
  po_status status;
  if (!m) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  memset(m, 0, sizeof *m);
  r->m = m;
  m->memory = m;
  m->frames = s->frames;
  m->ray_count = s->rays_count;
  double *rays = (double *)(m + 1), *reference = rays + 3 * s->rays_count, *points = reference + 12 * (s->frames + 1);
  at = points + 3 * s->points;
  double *price = s->price ? at : NULL;
  at += s->price ? s->frames : 0;
  double *push = s->push ? at : NULL;
  at += s->push ? 6 * s->frames : 0;
  whole = (int *)at;
  m->rays = rays;
  m->reference = reference;
  m->points = points;
  m->price = price;
  m->push = push;
  m->point_count = whole;
  m->point_first = whole + s->frames;
  m->foothold = s->footholds ? whole + 2 * s->frames : NULL;
  status = momf_scalars(r);
  if (status == PO_OK) status = momf_rows(r, rays, s->rays_count, 3, s->rays, "rays");
  if (status == PO_OK) status = momf_rows(r, reference, s->frames + 1, 12, s->reference, "reference");
  if (status == PO_OK) status = momf_contacts(r, s, whole, whole + s->frames, points);
  if (status == PO_OK && price) status = momf_row(r, price, s->frames, s->price, "price");
  if (status == PO_OK && push) status = momf_rows(r, push, s->frames, 6, s->push, "push");
  if (status == PO_OK && s->footholds) status = momf_footholds(r, s, whole + 2 * s->frames);
  return status;
}

po_status po_momentum_read(po_momentum **out, const char *text, size_t size, const char *path, po_error *err) {
  momf_reader r;
  momf_sizes s;
  po_json *root = NULL;
  po_error local;
  po_status status = po_json_parse(&root, text, size, path, err ? err : &local);
  if (status != PO_OK) return status;
  memset(&r, 0, sizeof r);
  r.root = root;
  r.path = path;
  r.err = err;
  if (root->type != PO_JSON_OBJECT || po_json_number(po_json_get(root, "momentum"), 0) != 1)
    status = MOMF_FAIL(&r, root, PO_ERR_PARSE, "a momentum problem is an object with \"momentum\": 1");
  if (status == PO_OK) status = momf_count(&r, &s);
  if (status == PO_OK) status = momf_build(&r, &s);
  if (status == PO_OK && (status = po_momentum_check(r.m, &local)) != PO_OK) MOMF_FAIL(&r, root, status, "%s", local.message);
  po_json_free(root);
  if (status == PO_OK) *out = r.m;
  else po_momentum_free(r.m);
  return status;
}

void po_momentum_free(po_momentum *m) {
  if (m) po_free(m->memory);
}

/* ---- writing
 * ------------------------------------------------------------------------------------------------------------------------------ */

static void momf_write_rows(po_jw *w, const char *key, const double *x, int rows, int n) {
  po_jw_array(w, key);
  for (int k = 0; k < rows; k++) po_jw_doubles(w, NULL, x + (size_t)k * (size_t)n, n);
  po_jw_end(w);
}

void po_momentum_write(po_buffer *out, const po_momentum *m) {
  po_jw w;
  double gravity[3];
  po_v3_to(gravity, m->gravity);
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_int(&w, "momentum", 1);
  po_jw_string(&w, "name", m->name);
  po_jw_number(&w, "mass", m->mass);
  po_jw_number(&w, "dt", m->dt);
  po_jw_doubles(&w, "gravity", gravity, 3);
  momf_write_rows(&w, "rays", m->rays, m->ray_count, 3);
  po_jw_number(&w, "w_force", m->w_force);
  po_jw_number(&w, "w_rays", m->w_rays);
  po_jw_doubles(&w, "w_state", m->w_state, 12);
  po_jw_doubles(&w, "w_track", m->w_track, 12);
  po_jw_doubles(&w, "start", m->start, 12);
  po_jw_doubles(&w, "goal", m->goal, 12);
  if (m->time != PO_MOMENTUM_TIME_FIXED) po_jw_string(&w, "time", momf_times[m->time]);
  if (m->price) po_jw_doubles(&w, "price", m->price, m->frames);
  if (m->push) momf_write_rows(&w, "push", m->push, m->frames, 6);
  momf_write_rows(&w, "reference", m->reference, m->frames + 1, 12);
  po_jw_array(&w, "contacts");
  for (int k = 0; k < m->frames; k++) momf_write_rows(&w, NULL, m->points + 3 * m->point_first[k], m->point_count[k], 3);
  po_jw_end(&w);
  if (m->foothold) {
    po_jw_array(&w, "footholds");
    for (int k = 0; k < m->frames; k++) {
      po_jw_array(&w, NULL);
      for (int i = 0; i < m->point_count[k]; i++) po_jw_int(&w, NULL, m->foothold[m->point_first[k] + i]);
      po_jw_end(&w);
    }
    po_jw_end(&w);
  }
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}
