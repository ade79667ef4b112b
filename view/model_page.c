/* model_page.c: a model as a page that needs nothing else. The page stands in view/model/. */
#include "../rbd/map.h"
#include "../rbd/mesh.h"
#include "page_source.h"
#include "view.h"

static const char *const model_joint_names[] = {"fixed", "revolute", "prismatic", "universal", "spherical", "planar", "floating"};
static const char *const model_shape_names[] = {"sphere", "capsule", "box", "hull"};

static void model_page_v3(po_jw *w, const char *key, po_vec3 v) { po_jw_doubles(w, key, &v.x, 3); }

static void model_page_pose(po_jw *w, const char *key, po_pose p) {
  po_jw_object(w, key);
  po_jw_doubles(w, "R", p.R.m, 9);
  model_page_v3(w, "p", p.p);
  po_jw_end(w);
}

/* Where sliders begin: the rest of the map, the file's home, or zero; a ball joint by its rotation vector. */
static void model_page_rest(po_jw *w, const po_model *m, int i, const double *q) {
  const po_joint *j = &m->joint[i];
  double x[3] = {0, 0, 0};
  int k;
  if (q && j->type == PO_JOINT_SPHERICAL) po_v3_to(x, po_q_log(po_q_unit(po_q_of(q + j->q))));
  else
    for (k = 0; q && k < j->nq && k < 3; k++) x[k] = q[j->q + k];
  po_jw_doubles(w, "rest", x, j->type == PO_JOINT_FLOATING || j->type == PO_JOINT_PLANAR ? 0 : j->nv);
}

static void model_page_body(po_jw *w, const po_model *m, int i, const double *q) {
  const po_joint *j = &m->joint[i];
  char words[200];
  int k;
  po_format(words, sizeof words, "%s, at most %.4g %s, %.4g %s", model_joint_names[j->type], j->effort[0], j->type == PO_JOINT_PRISMATIC ? "N" : "N m", j->velocity[0],
            j->type == PO_JOINT_PRISMATIC ? "m/s" : "rad/s");
  po_jw_object(w, NULL);
  po_jw_string(w, "name", m->body_name[i]);
  po_jw_int(w, "parent", j->parent);
  po_jw_number(w, "mass", m->inertia[i].mass);
  model_page_v3(w, "com", m->inertia[i].com);
  model_page_rest(w, m, i, q);
  po_jw_object(w, "joint");
  po_jw_string(w, "name", j->name);
  po_jw_string(w, "type", model_joint_names[j->type]);
  po_jw_string(w, "words", words);
  model_page_pose(w, "placement", j->placement);
  if (j->type == PO_JOINT_REVOLUTE || j->type == PO_JOINT_PRISMATIC || j->type == PO_JOINT_UNIVERSAL) model_page_v3(w, "axis", j->axis);
  if (j->type == PO_JOINT_UNIVERSAL) model_page_v3(w, "axis2", j->axis2);
  po_jw_array(w, "lower");
  for (k = 0; k < j->nv && k < 3; k++) po_jw_number(w, NULL, j->lower[k]); /* infinite: null */
  po_jw_end(w);
  po_jw_array(w, "upper");
  for (k = 0; k < j->nv && k < 3; k++) po_jw_number(w, NULL, j->upper[k]);
  po_jw_end(w);
  po_jw_end(w);
  po_jw_end(w);
}

static void model_page_hull(po_jw *w, const po_hull *h) {
  int i, k;
  po_jw_array(w, "vertices");
  for (i = 0; i < h->vertices; i++) model_page_v3(w, NULL, h->vertex[i]);
  po_jw_end(w);
  po_jw_array(w, "faces");
  for (i = 0; i < h->faces; i++) {
    po_jw_array(w, NULL);
    for (k = 0; k < h->face[i].count; k++) po_jw_int(w, NULL, h->loop[h->face[i].first + k]);
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void model_page_shapes(po_jw *w, const po_model *m) {
  int i;
  po_jw_array(w, "shapes");
  for (i = 0; i < m->shapes; i++) {
    const po_shape *s = &m->shape[i];
    if (s->body < 0) continue;
    po_jw_object(w, NULL);
    po_jw_int(w, "body", s->body);
    po_jw_string(w, "type", model_shape_names[s->type]);
    model_page_pose(w, "pose", s->pose);
    po_jw_doubles(w, "size", s->size, 3);
    if (s->type == PO_HULL && s->hull) model_page_hull(w, s->hull);
    po_jw_end(w);
  }
  po_jw_end(w);
  po_jw_array(w, "frames");
  for (i = 0; i < m->frames; i++) {
    po_jw_object(w, NULL);
    po_jw_string(w, "name", m->frame[i].name);
    po_jw_int(w, "body", m->frame[i].body);
    model_page_pose(w, "pose", m->frame[i].pose);
    po_jw_end(w);
  }
  po_jw_end(w);
}

/* Soles of the map, and the height of the ground they stand on at rest. */
static void model_page_map(po_jw *w, const po_model *m, const po_map *map) {
  po_buffer words = {0};
  int f, k;
  po_buffer_puts(&words, "");
  if (map) po_map_words(&words, map);
  else po_buffer_puts(&words, po_map_is_known(m) ? "has our names\n" : "no two legs were found\n");
  po_jw_string(w, "words", words.data ? words.data : "");
  po_buffer_free(&words);
  if (!map) return;
  po_jw_array(w, "soles");
  for (f = 0; f < 2; f++) {
    po_jw_object(w, NULL);
    po_jw_int(w, "body", map->body[PO_ROLE_FOOT_L + f]);
    po_jw_array(w, "corners");
    for (k = 0; k < 4; k++) model_page_v3(w, NULL, map->corner[f][k]);
    po_jw_end(w);
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void model_page_warnings(po_jw *w, const po_warnings *warnings) {
  char text[900];
  int i;
  po_jw_array(w, "warnings");
  for (i = 0; warnings && i < warnings->count && i < PO_WARNINGS_MAX; i++) {
    po_format(text, sizeof text, "line %d: %s", warnings->list[i].line, warnings->list[i].message);
    po_jw_string(w, NULL, text);
  }
  po_jw_end(w);
}

void po_model_html(po_buffer *out, const po_model *m, const po_map *map, const po_warnings *warnings) {
  const double *q = map ? map->rest : m->home;
  po_pose base = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}};
  po_buffer json = {0};
  char summary[300];
  po_jw w;
  int i;
  po_jw_init(&w, &json, 0);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "name", m->name);
  po_format(summary, sizeof summary, "%d bodies, %d degrees of freedom, %.4g kg, %d shapes, %d frames; %s", m->nb, m->nv, m->total_mass, m->shapes, m->frames,
            m->floating ? "a floating base" : "fixed to the world");
  po_jw_string(&w, "summary", summary);
  if (m->floating && q) {
    base.R = po_q_matrix(po_q_unit(po_q_of(q)));
    base.p = po_v3_of(q + 4);
  }
  model_page_pose(&w, "base", base);
  po_jw_number(&w, "ground", m->floating && !map ? base.p.z - m->rest_height : 0);
  po_jw_array(&w, "bodies");
  for (i = 0; i < m->nb; i++) model_page_body(&w, m, i, q);
  po_jw_end(&w);
  model_page_shapes(&w, m);
  model_page_map(&w, m, map);
  model_page_warnings(&w, warnings);
  po_jw_end(&w);
  po_page_fill(out, po_model_page_html, po_model_page_css, po_model_page_js, &json, "model");
  po_buffer_free(&json);
}
