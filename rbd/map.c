/* map.c: maps of robots: memory, words, files, and models that are loaded with one. */
#include "map_internal.h"
#include <string.h>

#define MAP_BEND 0.4 /* rad: of the knees at rest. Published robots walk with knees bent so far: their ankles bend forward less than people's */

const char *const po_role_names[PO_ROLES] = {"pelvis",  "abdomen", "thorax", "head",        "thigh_l",     "thigh_r",   "shank_l",   "shank_r",
                                             "foot_l",  "foot_r",  "upper_arm_l", "upper_arm_r", "forearm_l", "forearm_r", "hand_l", "hand_r"};

po_map *po_map_empty(const po_model *model) {
  size_t own = (sizeof(po_map) + 31) & ~(size_t)31;
  po_map *map = po_alloc(own + sizeof(double) * (size_t)(model->nq + 1));
  int k;
  if (!map) return NULL;
  map->model = model;
  for (k = 0; k < PO_ROLES; k++) map->body[k] = -1;
  map->hip[0] = map->hip[1] = map->ankle[0] = map->ankle[1] = -1;
  map->forward = po_v3(1, 0, 0);
  map->up = po_v3(0, 0, 1);
  map->bend = MAP_BEND;
  map->rest = (double *)(void *)((char *)map + own);
  po_neutral(map->rest, model);
  if (model->home && model->floating) memcpy(map->rest, model->home, sizeof(double) * 7); /* as the file draws it */
  return map;
}

void po_map_free(po_map *map) { po_free(map); }

int po_map_is_known(const po_model *m) {
  return po_find_body(m, "foot_l") >= 0 && po_find_body(m, "foot_r") >= 0 && po_find_frame(m, "sole_l_0") >= 0 && po_find_frame(m, "sole_r_3") >= 0 &&
         po_find_frame(m, "heel_l") >= 0;
}

/* ---- words ---- */

static const char *map_link(const po_map *map, int role) { return map->body[role] >= 0 ? map->model->body_name[map->body[role]] : "none"; }

static void map_side(po_buffer *out, const po_map *map, const char *what, int left) {
  po_buffer_printf(out, "  %-10s %s, %s\n", what, map_link(map, left), map_link(map, left + 1));
}

void po_map_words(po_buffer *out, const po_map *map) {
  const po_model *m = map->model;
  int f;
  po_buffer_printf(out, "%s: %d bodies, %d degrees of freedom, %.4g kg; faces %.3g %.3g %.3g\n", m->name, m->nb, m->nv, m->total_mass, map->forward.x, map->forward.y, map->forward.z);
  po_buffer_printf(out, "  %-10s %s\n  %-10s %s\n  %-10s %s\n", "pelvis", map_link(map, PO_ROLE_PELVIS), "thorax", map_link(map, PO_ROLE_THORAX), "head", map_link(map, PO_ROLE_HEAD));
  map_side(out, map, "thighs", PO_ROLE_THIGH_L);
  map_side(out, map, "shanks", PO_ROLE_SHANK_L);
  map_side(out, map, "feet", PO_ROLE_FOOT_L);
  for (f = 0; f < 2; f++)
    po_buffer_printf(out, "  leg %s      hip '%s', knee '%s' (bends %s), ankle '%s'\n", f ? "r" : "l", m->joint[map->hip[f]].name, m->joint[map->body[PO_ROLE_SHANK_L + f]].name,
                     map->bent[f] > 0 ? "positively" : "negatively", m->joint[map->ankle[f]].name);
  for (f = 0; f < 2; f++) {
    const po_vec3 *c = map->corner[f];
    po_buffer_printf(out, "  sole %s     %.3f m long, %.3f m wide in front, %.3f m behind\n", f ? "r" : "l",
                     po_v3_norm(po_v3_sub(po_v3_scale(0.5, po_v3_add(c[2], c[3])), po_v3_scale(0.5, po_v3_add(c[0], c[1])))), po_v3_norm(po_v3_sub(c[2], c[3])),
                     po_v3_norm(po_v3_sub(c[0], c[1])));
  }
  if (map->made_up) po_buffer_puts(out, "  the feet have no shapes: their soles are guessed from the length of the leg\n");
  map_side(out, map, "upper arms", PO_ROLE_UPPER_ARM_L);
  map_side(out, map, "forearms", PO_ROLE_FOREARM_L);
  map_side(out, map, "hands", PO_ROLE_HAND_L);
  if (map->body[PO_ROLE_UPPER_ARM_L] < 0) po_buffer_puts(out, "  no arms were found\n");
  po_buffer_printf(out, "  at rest    knees %.3g and %.3g rad\n", map->rest[m->joint[map->body[PO_ROLE_SHANK_L]].q], map->rest[m->joint[map->body[PO_ROLE_SHANK_R]].q]);
}

/* ---- files ---- */

static void map_v3(po_jw *w, const char *key, po_vec3 v) { po_jw_doubles(w, key, &v.x, 3); }

po_status po_map_write(po_buffer *out, const po_map *map) {
  const po_model *m = map->model;
  po_jw w;
  int k, f, i;
  if (!out || !map) return PO_ERR_NULL;
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "model", m->name);
  map_v3(&w, "forward", map->forward);
  map_v3(&w, "up", map->up);
  po_jw_object(&w, "links");
  for (k = 0; k < PO_ROLES; k++)
    if (map->body[k] >= 0) po_jw_string(&w, po_role_names[k], m->body_name[map->body[k]]);
  po_jw_end(&w);
  po_jw_object(&w, "joints");
  for (f = 0; f < 2; f++) {
    po_jw_string(&w, f ? "hip_r" : "hip_l", m->joint[map->hip[f]].name);
    po_jw_string(&w, f ? "ankle_r" : "ankle_l", m->joint[map->ankle[f]].name);
  }
  po_jw_end(&w);
  po_jw_object(&w, "soles");
  for (f = 0; f < 2; f++) {
    po_jw_array(&w, f ? "r" : "l");
    for (k = 0; k < 4; k++) map_v3(&w, NULL, map->corner[f][k]);
    po_jw_end(&w);
  }
  po_jw_end(&w);
  po_jw_object(&w, "rest");
  for (i = 0; i < m->nb; i++)
    if (m->joint[i].nq == 1) po_jw_number(&w, m->joint[i].name, map->rest[m->joint[i].q]);
  po_jw_end(&w);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
  return out->failed ? PO_ERR_MEMORY : PO_OK;
}

static po_status map_links(po_map *map, const po_json *links, const char *file, po_error *err) {
  const po_json *n;
  for (n = links ? links->first : NULL; n; n = n->next) {
    int k = 0, body = po_find_body(map->model, po_json_string(n, ""));
    while (k < PO_ROLES && strcmp(po_role_names[k], n->key)) k++;
    if (k == PO_ROLES) return po_fail_at(err, PO_ERR_NAME, file, n->line, n->column, "a body has no part '%.60s'", n->key);
    if (body < 0 && n->type != PO_JSON_NULL) return po_fail_at(err, PO_ERR_NAME, file, n->line, n->column, "the model has no link '%.60s' that moves", po_json_string(n, ""));
    map->body[k] = body;
  }
  return PO_OK;
}

static po_status map_joints(po_map *map, const po_json *joints, const char *file, po_error *err) {
  static const char *const names[4] = {"hip_l", "hip_r", "ankle_l", "ankle_r"};
  int k;
  for (k = 0; k < 4; k++) {
    const po_json *n = po_json_get(joints, names[k]);
    int body = n ? po_find_joint(map->model, po_json_string(n, "")) : -1;
    if (!n) continue;
    if (body < 0) return po_fail_at(err, PO_ERR_NAME, file, n->line, n->column, "the model has no joint '%.60s'", po_json_string(n, ""));
    if (k < 2) map->hip[k] = body;
    else map->ankle[k - 2] = body;
  }
  return PO_OK;
}

static po_status map_soles(po_map *map, const po_json *soles, const char *file, po_error *err) {
  int f, k;
  for (f = 0; f < 2; f++) {
    const po_json *side = po_json_get(soles, f ? "r" : "l");
    if (!side) continue;
    for (k = 0; k < 4; k++) {
      const po_json *c = po_json_at(side, k);
      if (!c || po_json_doubles(&map->corner[f][k].x, 3, c) != PO_OK || !po_all_finite(&map->corner[f][k].x, 3))
        return po_fail_at(err, PO_ERR_PARSE, file, side->line, side->column, "a sole has four corners of three numbers, in the foot's axes");
    }
  }
  return PO_OK;
}

/* Joints named stay as they are given; 1: there were some. */
static po_status map_rest_of(po_map *map, const po_json *rest, const char *file, po_error *err) {
  const po_json *n;
  for (n = rest ? rest->first : NULL; n; n = n->next) {
    int body = po_find_joint(map->model, n->key);
    if (body < 0 || map->model->joint[body].nq != 1) return po_fail_at(err, PO_ERR_NAME, file, n->line, n->column, "the model has no joint '%.60s' of one angle", n->key);
    if (n->type != PO_JSON_NUMBER || !po_isfinite(n->number)) return po_fail_at(err, PO_ERR_PARSE, file, n->line, n->column, "the rest of '%.60s' must be a number", n->key);
    map->rest[map->model->joint[body].q] = n->number;
  }
  return PO_OK;
}

static po_status map_direction(po_vec3 *out, const po_json *root, const char *key, const char *file, po_error *err) {
  const po_json *n = po_json_get(root, key);
  po_vec3 v;
  if (!n) return PO_OK;
  if (po_json_doubles(&v.x, 3, n) != PO_OK || !(po_v3_norm(v) > 1e-6) || !po_isfinite(po_v3_norm(v)))
    return po_fail_at(err, PO_ERR_PARSE, file, n->line, n->column, "'%s' must be a direction of three numbers", key);
  *out = po_v3_unit(v);
  return PO_OK;
}

static po_status map_fill(po_map *map, const po_json *root, const char *file, po_error *err) {
  static const int needed[] = {PO_ROLE_PELVIS, PO_ROLE_THIGH_L, PO_ROLE_THIGH_R, PO_ROLE_SHANK_L, PO_ROLE_SHANK_R, PO_ROLE_FOOT_L, PO_ROLE_FOOT_R};
  po_status s;
  int k;
  map->given = 1;
  if ((s = map_direction(&map->forward, root, "forward", file, err)) != PO_OK || (s = map_direction(&map->up, root, "up", file, err)) != PO_OK ||
      (s = map_links(map, po_json_get(root, "links"), file, err)) != PO_OK || (s = map_joints(map, po_json_get(root, "joints"), file, err)) != PO_OK ||
      (s = map_soles(map, po_json_get(root, "soles"), file, err)) != PO_OK)
    return s;
  if (po_abs(po_v3_dot(map->forward, map->up)) > 0.01) return po_fail_at(err, PO_ERR_PARSE, file, root->line, 0, "'forward' and 'up' must be at right angles");
  for (k = 0; k < 7; k++)
    if (map->body[needed[k]] < 0) return po_fail_at(err, PO_ERR_NAME, file, root->line, 0, "the map has no %s, and none was found", po_role_names[needed[k]]);
  for (k = 0; k < 2; k++) {
    int shank = map->body[PO_ROLE_SHANK_L + k];
    if (map->model->joint[shank].type != PO_JOINT_REVOLUTE) return po_fail_at(err, PO_ERR_MODEL, file, root->line, 0, "the knee of '%s' must be a hinge", map->model->body_name[shank]);
    if (map->hip[k] < 0) map->hip[k] = map->body[PO_ROLE_THIGH_L + k];
    if (map->ankle[k] < 0) map->ankle[k] = map->body[PO_ROLE_FOOT_L + k];
    if (!map->bent[k]) map->bent[k] = 1;
  }
  if (!po_json_get(root, "rest")) return po_map_find_rest(map, err);
  return map_rest_of(map, po_json_get(root, "rest"), file, err);
}

po_status po_map_read(po_map **out, const po_model *model, const char *text, size_t size, const char *file, po_error *err) {
  po_map *map = NULL;
  po_json *root = NULL;
  po_error proposed;
  po_status s;
  if (!out || !model || !text) return po_fail(err, PO_ERR_NULL, "po_map_read: map, model and text are needed");
  if ((s = po_json_parse(&root, text, size, file ? file : "", err)) != PO_OK) return s;
  if (po_map_propose(&map, model, &proposed) != PO_OK) map = po_map_empty(model); /* then the file must say all that matters */
  if (!map) s = po_fail(err, PO_ERR_MEMORY, "out of memory");
  else if (root->type != PO_JSON_OBJECT) s = po_fail_at(err, PO_ERR_PARSE, file ? file : "", root->line, root->column, "a map is a JSON object");
  else s = map_fill(map, root, file ? file : "", err);
  po_json_free(root);
  if (s == PO_OK) *out = map;
  else po_map_free(map);
  return s;
}

/* ---- loading ---- */

static po_status map_of_file(po_map **map, const po_model *model, const char *file, po_error *err) {
  char *text = NULL;
  size_t size = 0;
  po_status s = po_read_file(&text, &size, file, 0, err);
  if (s == PO_OK) s = po_map_read(map, model, text, size, file, err);
  po_free(text);
  return s;
}

/* The map inside the model's own file: a <poise> of the root (URDF, MJCF), or MJCF's <custom><text name="poise" data="…"/>. NULL: none. */
static const char *map_text_in(const po_xml *root) {
  const po_xml *n = po_xml_child(root, "poise"), *t;
  if (n) return n->text;
  for (n = po_xml_child(root, "custom"); n; n = po_xml_next(n, "custom"))
    for (t = po_xml_child(n, "text"); t; t = po_xml_next(t, "text")) {
      const char *name = po_xml_attr(t, "name");
      if (name && !strcmp(name, "poise")) return po_xml_attr(t, "data");
    }
  return NULL;
}

/* *map stays NULL when the file holds none. */
static po_status map_inside(po_map **map, const po_model *model, const char *name, po_error *err) {
  char *text = NULL;
  size_t size = 0;
  po_xml *root = NULL;
  const char *json;
  po_status s = PO_OK;
  if (po_read_file(&text, &size, name, 0, NULL) != PO_OK) return PO_OK; /* a body of ours: no file */
  if (po_xml_parse(&root, text, size, name, NULL) == PO_OK && (json = map_text_in(root))) s = po_map_read(map, model, json, strlen(json), name, err);
  po_xml_free(root);
  po_free(text);
  return s;
}

po_status po_model_load_mapped(const po_model **out, const char *name, const char *file, const po_urdf_opts *opts, po_buffer *note, po_error *err) {
  const po_model *model = NULL, *mapped = NULL;
  po_map *map = NULL;
  po_error why;
  int given;
  po_status s = po_model_load(&model, name, opts, err);
  if (s != PO_OK) return s;
  if (!file && po_map_is_known(model)) {
    *out = model;
    return PO_OK;
  }
  s = file ? map_of_file(&map, model, file, err) : map_inside(&map, model, name, err);
  given = s != PO_OK || map != NULL;
  if (!given) s = po_map_propose(&map, model, &why);
  if (s == PO_OK) s = po_map_apply(&mapped, map, given ? err : &why);
  if (s == PO_OK && note) po_buffer_printf(note, "legs, soles and trunk of '%s' %s (poise map shows them)", model->name, given ? "are as the map says" : "were found from its joints and shapes");
  if (s != PO_OK && !given) { /* it may do without: an arm, a quadruped, a pendulum */
    if (note) po_buffer_printf(note, "no map was made: %s", why.message);
    mapped = model;
    model = NULL;
    s = PO_OK;
  }
  po_map_free(map);
  po_model_free(model);
  if (s == PO_OK) *out = mapped;
  return s;
}
