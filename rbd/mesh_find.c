/* mesh_find.c: where a mesh is that a model names.
 *
 * A name is taken apart at its slashes; `.` goes, and `..` at its front (within it takes back the part before). What is left, a/b/c.stl, is looked for in the folders
 * that are allowed as a/b/c.stl, then b/c.stl, then c.stl. So nothing outside those folders is ever opened, `..` into a folder beside the model's is
 * found below their common parent, and an absolute path of another machine still finds its mesh. */
#include "mesh_internal.h"
#include <string.h>

#define FIND_PARTS 48
#define FIND_PATH 1024

typedef struct find_name {
  char text[FIND_PATH];
  const char *part[FIND_PARTS]; /* into text */
  int parts;
  int package; /* the first part is a package's name */
} find_name;

typedef struct find_job {
  po_mesh **mesh;
  const po_paths *paths;
  const find_name *name;
  po_error *err;
  po_status status; /* not PO_ERR_FILE: it was found, and this is how reading it went */
} find_job;

static int find_begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static int find_is_slash(char c) { return c == '/' || c == '\\'; }

/* 0: too long, or nothing is left. */
static int find_take_apart(find_name *f, const char *name) {
  char *at;
  f->parts = 0;
  f->package = find_begins(name, "package://") || find_begins(name, "model://");
  if (f->package) name = strstr(name, "://") + 3;
  else if (find_begins(name, "file://")) name += 7;
  if (strlen(name) >= sizeof f->text) return 0;
  memcpy(f->text, name, strlen(name) + 1);
  for (at = f->text; *at;) {
    char *end = at;
    size_t n;
    while (*end && !find_is_slash(*end)) end++;
    n = (size_t)(end - at);
    if (n == 2 && at[0] == '.' && at[1] == '.') f->parts -= f->parts > f->package;
    else if (n > 0 && !(n == 1 && at[0] == '.')) {
      if (f->parts == FIND_PARTS) return 0;
      f->part[f->parts++] = at;
    }
    at = end;
    if (*at) *at++ = '\0';
  }
  return f->parts > 0;
}

/* folder (its first n bytes) / parts from `first` on; 0: too long. */
static int find_join(char *out, const char *folder, size_t n, const find_name *name, int first) {
  size_t at = n;
  int i;
  if (n >= FIND_PATH) return 0;
  memcpy(out, folder, n);
  for (i = first; i < name->parts; i++) {
    size_t k = strlen(name->part[i]);
    if (at + k + 2 > FIND_PATH) return 0;
    if (at > 0 && !find_is_slash(out[at - 1])) out[at++] = '/';
    memcpy(out + at, name->part[i], k);
    at += k;
  }
  out[at] = '\0';
  return 1;
}

/* Whether the file is there; then it is read, for better or worse. */
static int find_try(find_job *j, const char *folder, size_t n, int first) {
  char path[FIND_PATH], *data = NULL;
  po_error none;
  size_t size = 0;
  po_status s;
  if (first >= j->name->parts || !find_join(path, folder, n, j->name, first)) return 0;
  memset(&none, 0, sizeof none);
  s = j->paths->read ? j->paths->read(j->paths->user, &data, &size, path, 0, &none) : po_read_file(&data, &size, path, 0, &none);
  if (s == PO_ERR_FILE) return 0;
  if (s != PO_OK) {
    if (j->err) *j->err = none;
    j->status = s;
    return 1;
  }
  j->status = po_mesh_read(j->mesh, data, size, path, j->err);
  po_free(data);
  return 1;
}

/* The folder's part of a path: its bytes up to the last slash, that one left out unless it is the root. */
static size_t find_folder(const char *path, size_t n) {
  while (n > 0 && !find_is_slash(path[n - 1])) n--;
  while (n > 1 && find_is_slash(path[n - 1])) n--;
  return n;
}

static int find_packages(find_job *j) {
  const char *const *p;
  int first;
  for (p = j->paths->package; p && *p; p++) {
    const char *dir = strchr(*p, '=');
    size_t n = dir ? (size_t)(dir - *p) : 0;
    for (first = 0; dir && first + 1 < j->name->parts; first++) /* NAME may stand anywhere in a path of another machine */
      if (strlen(j->name->part[first]) == n && memcmp(j->name->part[first], *p, n) == 0 && find_try(j, dir + 1, strlen(dir + 1), first + 1)) return 1;
  }
  return 0;
}

/* Folders of packages; one that is itself the package is taken too. */
static int find_search(find_job *j) {
  const char *at = j->paths->search;
  while (at && *at) {
    size_t n = 0, k, first;
    while (at[n] && at[n] != ':' && at[n] != ';') n++;
    k = find_folder(at, n);
    if (n > 0) {
      size_t name = n - k - (k > 0 && k < n && find_is_slash(at[k]));
      for (first = 0; first + 1 < (size_t)j->name->parts; first++) {
        if (find_try(j, at, n, (int)first)) return 1;
        if (strlen(j->name->part[first]) == name && memcmp(at + n - name, j->name->part[first], name) == 0 && find_try(j, at, n, (int)first + 1)) return 1;
      }
      if (!j->name->package && find_try(j, at, n, j->name->parts - 1)) return 1;
    }
    at += n;
    if (*at) at++;
  }
  return 0;
}

static int find_is_mesh_folder(const char *name) { return strcmp(name, "meshes") == 0 || strcmp(name, "mesh") == 0 || strcmp(name, "assets") == 0; }

/* Above the model's own folder only what is named as of a package, or lies in a folder of meshes: a model must not look around. */
static int find_may_climb(const find_name *name, int first) {
  int i;
  if (name->package && first == 0) return 1;
  for (i = first; i + 1 < name->parts; i++)
    if (find_is_mesh_folder(name->part[i])) return 1;
  return 0;
}

/* The folder above, in place; 0 when there is none. A path that we stand below is climbed by `..`. */
static int find_climb(char *folder, size_t capacity) {
  size_t n = strlen(folder), last = n;
  while (last > 0 && !find_is_slash(folder[last - 1])) last--;
  if (n == 1 && find_is_slash(folder[0])) return 0;
  if (n > 0 && strcmp(folder + last, "..") != 0 && strcmp(folder + last, ".") != 0) {
    folder[find_folder(folder, n)] = '\0';
    return 1;
  }
  if (n + 4 > capacity) return 0;
  memcpy(folder + n, "/..", 4);
  if (n == 0) memcpy(folder, "..", 3);
  return 1;
}

#define FIND_CLIMBS 32

static int find_near_model(find_job *j) {
  const char *model = j->paths->model ? j->paths->model : "";
  size_t own = find_folder(model, strlen(model));
  char folder[FIND_PATH];
  int first, up;
  if (own >= sizeof folder) return 0;
  for (first = 0; first < j->name->parts; first++) {
    memcpy(folder, model, own);
    folder[own] = '\0';
    if (find_try(j, folder, own, first)) return 1;
    if (!j->paths->model || !find_may_climb(j->name, first)) continue;
    for (up = 0; up < FIND_CLIMBS && find_climb(folder, sizeof folder); up++)
      if (find_try(j, folder, strlen(folder), first)) return 1;
  }
  return 0;
}

/* MJCF's meshdir, from the model's folder or absolute. */
static int find_mesh_folder(find_job *j) {
  const char *model = j->paths->model ? j->paths->model : "", *dir = j->paths->meshes;
  size_t own = find_folder(model, strlen(model)), n = dir ? strlen(dir) : 0;
  char folder[FIND_PATH];
  int first;
  if (!n) return 0;
  if (find_is_slash(*dir)) own = 0;
  if (own + n + 2 > sizeof folder) return 0;
  memcpy(folder, model, own);
  if (own > 0) folder[own++] = '/';
  memcpy(folder + own, dir, n + 1);
  for (first = 0; first < j->name->parts; first++)
    if (find_try(j, folder, own + n, first)) return 1;
  return 0;
}

po_status po_mesh_load(po_mesh **mesh, const char *name, const po_paths *paths, po_error *err) {
  po_paths nowhere;
  find_name f;
  find_job j;
  if (!mesh || !name) return po_fail(err, PO_ERR_NULL, "po_mesh_load: mesh and name are needed");
  if (!po_mesh_is(name)) return po_fail(err, PO_ERR_UNSUPPORTED, "'%.200s' is no mesh that can be read: its name must end in .stl, .obj or .dae", name);
  if (!find_take_apart(&f, name)) return po_fail(err, PO_ERR_RANGE, "the mesh's name '%.200s' is too long", name);
  memset(&nowhere, 0, sizeof nowhere);
  j.mesh = mesh;
  j.paths = paths ? paths : &nowhere;
  j.name = &f;
  j.err = err;
  j.status = PO_ERR_FILE;
  if (find_packages(&j) || find_mesh_folder(&j) || find_search(&j) || find_near_model(&j)) return j.status;
  return po_fail(err, PO_ERR_FILE, "mesh '%.200s' was not found%s", name, f.package ? "; --package NAME=DIR tells where a package is" : "");
}
