/* mjcf_files.c: an MJCF file with all that it includes, its settings and its default classes; going through frames and replicates.
 *
 * What an <include> names takes its place: the children of the included file's root are linked in where it stood, and that root keeps the including
 * element as its parent, so that a node's way up leads through all classes and past the file that it came from.
 */
#include "mjcf.h"
#include <string.h>

/* ---- files ---- */

static po_status mjcf_add_file(po_mjcf *r, const char *text, size_t size, const char *name) {
  po_mjcf_file *f = &r->file[r->files];
  po_status s;
  po_format(f->name, sizeof f->name, "%s", name);
  s = po_xml_parse(&f->root, text, size, name, r->err);
  if (s == PO_OK) r->files++;
  return s;
}

/* Only .xml, only below the folder of the model. */
static int mjcf_is_inside(const char *path) {
  const char *p = path;
  size_t n = strlen(path);
  int depth = 0;
  if (n < 5 || strcmp(path + n - 4, ".xml") || path[0] == '/' || strchr(path, '\\') || strchr(path, ':')) return 0;
  while (*p) {
    const char *slash = strchr(p, '/');
    size_t k = slash ? (size_t)(slash - p) : strlen(p);
    if (k == 2 && p[0] == '.' && p[1] == '.') depth--;
    else if (k && !(k == 1 && p[0] == '.')) depth++;
    if (depth < 0) return 0;
    p += k + (p[k] == '/');
  }
  return 1;
}

static po_status mjcf_read_include(po_mjcf *r, const po_xml *node) {
  const char *name = po_xml_attr(node, "file"), *slash = strrchr(r->file_name, '/');
  const po_paths *paths = r->opts->paths;
  char path[512], *text = NULL;
  size_t size = 0;
  po_error err;
  po_status s;
  int i;
  if (!name || !mjcf_is_inside(name)) return PO_MJCF_FAIL(r, node, PO_ERR_FILE, "<include file=\"%.80s\">: only .xml files below the model's own folder are included", name ? name : "");
  if (r->files == PO_MJCF_FILES) return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "more than %d files are included", PO_MJCF_FILES - 1);
  if (po_format(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - r->file_name) : 0, r->file_name, name) >= (int)sizeof path)
    return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "the path of <include file=\"%.80s…\"> is too long", name);
  for (i = 0; i < r->files; i++)
    if (!strcmp(r->file[i].name, path)) return PO_MJCF_FAIL(r, node, PO_ERR_FILE, "'%s' is included a second time", path);
  s = paths && paths->read ? paths->read(paths->user, &text, &size, path, 0, &err) : po_read_file(&text, &size, path, 0, &err);
  if (s != PO_OK) return PO_MJCF_FAIL(r, node, s, "<include file=\"%.80s\">: %s", name, err.message);
  s = mjcf_add_file(r, text, size, path);
  po_free(text);
  return s;
}

/* Puts the children of `root` where `at` points, which is an <include>. */
static void mjcf_splice(po_xml **at, po_xml *root) {
  po_xml *include = *at, *last = root->first;
  root->parent = include->parent;
  if (!last) {
    *at = include->next;
    return;
  }
  while (last->next) last = last->next;
  last->next = include->next;
  *at = root->first;
}

/* Every <include> below `root`, those of included files too, without recursion. `parent` of what was spliced in is the included root. */
static po_status mjcf_include_all(po_mjcf *r, po_xml *root) {
  po_xml **stack[2 * PO_MJCF_DEPTH], **at = &root->first;
  int depth = 0;
  po_status s;
  for (;;) {
    po_xml *n = *at;
    if (!n) {
      if (!depth) return PO_OK;
      at = stack[--depth];
      continue;
    }
    if (!strcmp(n->name, "include")) {
      if ((s = mjcf_read_include(r, n)) != PO_OK) return s;
      mjcf_splice(at, r->file[r->files - 1].root);
      continue;
    }
    if (n->first) {
      if (depth == 2 * PO_MJCF_DEPTH) return PO_MJCF_FAIL(r, n, PO_ERR_SIZE, "elements are nested too deeply");
      stack[depth++] = &n->next;
      at = &n->first;
    } else at = &n->next;
  }
}

po_status po_mjcf_load(po_mjcf *r, const char *text, size_t size) {
  po_status s;
  r->file = po_alloc(sizeof *r->file * PO_MJCF_FILES);
  if (!r->file) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  if ((s = mjcf_add_file(r, text, size, r->file_name)) != PO_OK) return s;
  if (strcmp(r->file[0].root->name, "mujoco"))
    return PO_MJCF_FAIL(r, r->file[0].root, PO_ERR_PARSE, "the root element is <%s>, not <mujoco>", r->file[0].root->name);
  return mjcf_include_all(r, r->file[0].root);
}

void po_mjcf_unload(po_mjcf *r) {
  int i;
  for (i = 0; i < r->files; i++) po_xml_free(r->file[i].root);
  po_free(r->file);
  po_free(r->cls);
}

/* ---- default classes ---- */

static int mjcf_count_named(const po_xml *root, const char *name) { /* without recursion: parents lead back */
  const po_xml *n = root;
  int count = 0;
  for (;;) {
    if (!strcmp(n->name, name)) count++;
    if (n->first) {
      n = n->first;
      continue;
    }
    while (n != root && !n->next) n = n->parent;
    if (n == root) return count;
    n = n->next;
  }
}

static po_status mjcf_default(po_mjcf *r, const po_xml *xml, const char *parent, int depth) {
  const char *name = po_xml_attr(xml, "class");
  const po_xml *n;
  po_status s = PO_OK;
  if (!name && parent) return PO_MJCF_FAIL(r, xml, PO_ERR_NAME, "a nested <default> has no class");
  if (depth > 64) return PO_MJCF_FAIL(r, xml, PO_ERR_SIZE, "<default>s are nested too deeply");
  if (!name) name = r->main_class ? r->main_class : "main";
  if (!parent && !r->main_class) r->main_class = name;
  r->cls[r->classes].name = name;
  r->cls[r->classes].parent = parent ? parent : strcmp(name, r->main_class) ? r->main_class : NULL;
  r->cls[r->classes++].xml = xml;
  for (n = po_xml_child(xml, "default"); n && s == PO_OK; n = po_xml_next(n, "default")) {
    const char *inner = po_xml_attr(n, "class");
    int i;
    for (i = 0; inner && i < r->classes; i++)
      if (!strcmp(r->cls[i].name, inner) && (!r->cls[i].parent || strcmp(r->cls[i].parent, name)))
        return PO_MJCF_FAIL(r, n, PO_ERR_NAME, "default class '%.60s' is defined twice", inner);
    s = mjcf_default(r, n, name, depth + 1);
  }
  return s;
}

/* ---- compiler ---- */

static po_status mjcf_words(po_mjcf *r, const po_xml *node) {
  const char *angle = po_xml_attr(node, "angle"), *sequence = po_xml_attr(node, "eulerseq"), *where = po_xml_attr(node, "coordinate"), *dir;
  if (angle && strcmp(angle, "radian") && strcmp(angle, "degree")) return PO_MJCF_FAIL(r, node, PO_ERR_PARSE, "angle=\"%.40s\" must be radian or degree", angle);
  if (angle) r->unit = strcmp(angle, "radian") ? PO_PI / 180 : 1;
  if (sequence && strlen(sequence) != 3) return PO_MJCF_FAIL(r, node, PO_ERR_PARSE, "eulerseq=\"%.40s\" must have three letters", sequence);
  if (sequence) memcpy(r->sequence, sequence, 4);
  if (where && strcmp(where, "local")) return PO_MJCF_FAIL(r, node, PO_ERR_UNSUPPORTED, "coordinate=\"%.40s\": only local coordinates are read", where);
  if ((dir = po_xml_attr(node, "assetdir"))) r->meshdir = dir;
  if ((dir = po_xml_attr(node, "meshdir"))) r->meshdir = dir;
  return PO_OK;
}

static po_status mjcf_compiler(po_mjcf *r, const po_xml *node) {
  double range[2] = {r->groups[0], r->groups[1]};
  po_mjcf_element e;
  po_status s;
  e.node = e.level[0] = node;
  e.levels = 1;
  if ((s = mjcf_words(r, node)) != PO_OK || (s = po_mjcf_flag(r, &e, "autolimits", &r->autolimits)) != PO_OK ||
      (s = po_mjcf_flag(r, &e, "inertiafromgeom", &r->from_geom)) != PO_OK || (s = po_mjcf_flag(r, &e, "balanceinertia", &r->balance)) != PO_OK ||
      (s = po_mjcf_flag(r, &e, "strippath", &r->strip)) != PO_OK || (s = po_mjcf_numbers(r, &e, "boundmass", &r->least_mass, 1, 1, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, &e, "boundinertia", &r->least_inertia, 1, 1, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, &e, "settotalmass", &r->total_mass, 1, 1, NULL)) != PO_OK ||
      (s = po_mjcf_numbers(r, &e, "inertiagrouprange", range, 2, 2, NULL)) != PO_OK)
    return s;
  r->groups[0] = (int)po_clamp(range[0], -1e6, 1e6);
  r->groups[1] = (int)po_clamp(range[1], -1e6, 1e6);
  return PO_OK;
}

/* Gravity stands in the world's options; what resists in a medium does not exist here. */
static void mjcf_option(po_mjcf *r, const po_xml *node) {
  static const char *const medium[] = {"wind", "density", "viscosity", NULL};
  const char *gravity = po_xml_attr(node, "gravity");
  int i;
  for (i = 0; medium[i]; i++)
    if (po_xml_attr(node, medium[i])) po_mjcf_warn(r, node, "medium", "<option %s>: there is no medium around bodies here", medium[i]);
  if (gravity && strcmp(gravity, "0 0 -9.81")) po_mjcf_warn(r, node, "gravity", "<option gravity=\"%.40s\"> is not used: gravity belongs to the world a model is put into", gravity);
}

/* What moves or holds a body and is not read; pictures, sensors and the like are nothing to warn about. */
static void mjcf_section(po_mjcf *r, const po_xml *n) {
  static const char *const silent[] = {"compiler", "option", "default", "asset", "worldbody", "actuator", "keyframe", "contact", "custom", "visual", "statistic", "size", "sensor", "poise", NULL};
  static const char *const known[] = {"tendon", "equality", "deformable", "extension", "flexcomp"};
  static const char *const means[] = {"tendons neither pull nor couple joints", "constraints between bodies are not kept", "soft bodies are left out", "plugins are not run", "soft bodies are left out"};
  int i;
  for (i = 0; silent[i]; i++)
    if (!strcmp(n->name, silent[i])) return;
  for (i = 0; i < 5; i++)
    if (!strcmp(n->name, known[i]) && (n->first || n->attributes)) {
      po_mjcf_warn(r, n, known[i], "<%s> is not used: %s", n->name, means[i]);
      return;
    }
  if (i == 5 && (n->first || n->attributes)) po_mjcf_warn(r, n, "section", "<%.40s> is not used", n->name);
}

po_status po_mjcf_settings(po_mjcf *r) {
  const po_xml *root = r->file[0].root, *n;
  int room = mjcf_count_named(root, "default");
  po_status s = PO_OK;
  r->unit = PO_PI / 180;
  memcpy(r->sequence, "xyz", 4);
  r->autolimits = PO_MJCF_YES;
  r->from_geom = PO_MJCF_AUTO;
  r->groups[1] = 5;
  r->total_mass = -1;
  r->cls = po_alloc(sizeof *r->cls * (size_t)(room + 1));
  if (!r->cls) return po_fail(r->err, PO_ERR_MEMORY, "out of memory");
  for (n = root->first; n && s == PO_OK; n = n->next) {
    if (!strcmp(n->name, "compiler")) s = mjcf_compiler(r, n);
    else if (!strcmp(n->name, "default")) s = mjcf_default(r, n, NULL, 0);
    else if (!strcmp(n->name, "option")) mjcf_option(r, n);
    mjcf_section(r, n);
  }
  if (!r->main_class) r->main_class = "main";
  return s;
}

/* ---- going through a body ---- */

static po_status mjcf_walk_frame(po_mjcf *r, const po_xml *node, const po_mjcf_place *place, po_mjcf_visit visit, void *user) {
  const char *cls = po_xml_attr(node, "childclass");
  po_mjcf_place inner = *place;
  po_mjcf_element e;
  po_pose pose;
  po_status s;
  e.node = e.level[0] = node;
  e.levels = 1;
  if ((s = po_mjcf_pose(r, &e, &pose)) != PO_OK) return s;
  inner.pose = po_pose_mul(place->pose, pose);
  if (cls) inner.cls = cls;
  inner.depth++;
  return po_mjcf_walk(r, node, &inner, visit, user);
}

/* Every copy is turned and shifted from the one before it; its names end in sep and its number. */
static po_status mjcf_walk_copies(po_mjcf *r, const po_xml *node, const po_mjcf_place *place, po_mjcf_visit visit, void *user) {
  const char *sep = po_xml_attr(node, "sep");
  double count = 0, offset[3] = {0, 0, 0};
  char suffix[PO_MJCF_NAME];
  po_mjcf_place inner = *place;
  po_mjcf_element e;
  po_pose turn, step;
  int i, digits = 1;
  po_status s;
  e.node = e.level[0] = node;
  e.levels = 1;
  if ((s = po_mjcf_numbers(r, &e, "count", &count, 1, 1, NULL)) != PO_OK || (s = po_mjcf_numbers(r, &e, "offset", offset, 3, 3, NULL)) != PO_OK ||
      (s = po_mjcf_pose(r, &e, &turn)) != PO_OK)
    return s;
  if (!(count >= 1 && count <= PO_MJCF_PARTS)) return PO_MJCF_FAIL(r, node, PO_ERR_RANGE, "count of <replicate> must be between 1 and %d", PO_MJCF_PARTS);
  for (i = (int)count - 1; i >= 10; i /= 10) digits++;
  step = turn;
  step.p = po_v3_of(offset);
  inner.depth++;
  inner.suffix = suffix;
  for (i = 0; i < (int)count && s == PO_OK; i++) {
    char number[16];
    int n = po_format(number, sizeof number, "%d", i);
    if (++r->parts > PO_MJCF_PARTS) return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "more than %d parts", PO_MJCF_PARTS);
    if (po_format(suffix, sizeof suffix, "%s%s%.*s%s", place->suffix, sep ? sep : "", digits - n, "00000000", number) >= (int)sizeof suffix)
      return PO_MJCF_FAIL(r, node, PO_ERR_SIZE, "names of a <replicate> become too long");
    s = po_mjcf_walk(r, node, &inner, visit, user);
    inner.pose = po_pose_mul(inner.pose, step);
  }
  return s;
}

po_status po_mjcf_walk(po_mjcf *r, const po_xml *inside, const po_mjcf_place *place, po_mjcf_visit visit, void *user) {
  const po_xml *n;
  po_status s = PO_OK;
  if (place->depth > PO_MJCF_DEPTH) return PO_MJCF_FAIL(r, inside, PO_ERR_SIZE, "bodies and frames are nested more than %d deep", PO_MJCF_DEPTH);
  for (n = inside->first; n && s == PO_OK; n = n->next) {
    if (!strcmp(n->name, "frame")) s = mjcf_walk_frame(r, n, place, visit, user);
    else if (!strcmp(n->name, "replicate")) s = mjcf_walk_copies(r, n, place, visit, user);
    else s = visit(r, user, n, place);
  }
  return s;
}
