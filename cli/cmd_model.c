/* cmd_model.c: `poise model FILE`: what was understood of a model: its tree with masses, joints, limits and shapes, and a page to turn it on. */
#include "../rbd/map.h"
#include "../rbd/mesh.h"
#include "../view/view.h"
#include "cli.h"
#include <string.h>

static const po_option model_options[] = {
  {"html", "FILE", "a page with the robot to turn, its joints as sliders, its shapes, frames and soles; - for standard output"},
  {"fixed-base", NULL, "fix the root link to the world"},
  PO_OPTION_MODEL_FILE,
  {NULL, NULL, NULL}};

static int model_depth(const po_model *m, int body) {
  int n = 0;
  for (; m->joint[body].parent >= 0; body = m->joint[body].parent) n++;
  return n;
}

/* "-90 … 45°", "-0.1 … 0.2 m", "free" */
static void model_range(po_buffer *out, const po_joint *j) {
  int slides = j->type == PO_JOINT_PRISMATIC, k, n = j->nv < 3 ? j->nv : 3;
  if (j->type == PO_JOINT_FLOATING || j->type == PO_JOINT_FIXED) return;
  for (k = 0; k < n; k++) {
    if (!po_isfinite(j->lower[k]) && !po_isfinite(j->upper[k])) po_buffer_puts(out, ", unlimited");
    else if (slides) po_buffer_printf(out, ", %.3g to %.3g m", j->lower[k], j->upper[k]);
    else po_buffer_printf(out, ", %.1f to %.1f deg", PO_DEG(j->lower[k]), PO_DEG(j->upper[k]));
  }
  if (j->effort[0] == 0) po_buffer_puts(out, ", no motor");
  else if (po_isfinite(j->effort[0])) po_buffer_printf(out, ", %.4g %s", j->effort[0], slides ? "N" : "N m");
  if (po_isfinite(j->velocity[0])) po_buffer_printf(out, ", %.3g %s", j->velocity[0], slides ? "m/s" : "rad/s");
  if (j->damping[0] > 0) po_buffer_printf(out, ", damping %.3g", j->damping[0]);
  if (j->armature[0] > 0) po_buffer_printf(out, ", armature %.3g", j->armature[0]);
}

static void model_shapes_of(po_buffer *out, const po_model *m, int body) {
  static const char *const names[] = {"sphere", "capsule", "box", "hull"};
  int count[4] = {0, 0, 0, 0}, i;
  for (i = 0; i < m->shapes; i++)
    if (m->shape[i].body == body) count[m->shape[i].type]++;
  for (i = 0; i < 4; i++)
    if (count[i]) po_buffer_printf(out, ", %d %s%s", count[i], names[i], count[i] == 1 ? "" : i == 2 ? "es" : "s");
}

static void model_print(po_buffer *line) {
  po_cli_shown(line->data);
  po_cli_print("%s\n", line->data);
  po_buffer_free(line);
}

static void model_tree(const po_model *m) {
  static const char *const types[] = {"fixed", "hinge", "slide", "two hinges", "ball", "planar", "free"};
  po_buffer line = {0};
  int i;
  po_buffer_printf(&line, "%s: %d bodies, %d degrees of freedom, %.5g kg, %d shapes, %d frames, %s", m->name, m->nb, m->nv, m->total_mass, m->shapes, m->frames,
                   m->floating ? "floating base" : m->planar ? "planar base" : "fixed base");
  model_print(&line);
  for (i = 0; i < m->nb; i++) {
    const po_joint *j = &m->joint[i];
    po_buffer_printf(&line, "%*s%s  %.4g kg", 2 + 2 * model_depth(m, i), "", m->body_name[i], m->inertia[i].mass);
    model_shapes_of(&line, m, i);
    po_buffer_printf(&line, "; %s '%s'", types[j->type], j->name);
    if (j->type == PO_JOINT_REVOLUTE || j->type == PO_JOINT_PRISMATIC) po_buffer_printf(&line, " about (%.3g %.3g %.3g)", j->axis.x, j->axis.y, j->axis.z);
    model_range(&line, j);
    model_print(&line);
  }
}

static int model_show_page(const po_args *args, const po_model *m, const po_map *map) {
  static po_warnings warnings;
  const po_model *again = NULL;
  const char *path = po_args_string(args, "html", NULL);
  po_urdf_opts o = po_urdf_opts_default();
  po_buffer out = {0};
  int code;
  if (!path) return PO_EXIT_GOOD;
  o.warnings = &warnings; /* the page shows what the reader said */
  o.paths = po_cli_paths(args, args->arg[0]);
  if (po_model_load(&again, args->arg[0], &o, NULL) == PO_OK) po_model_free(again);
  po_model_html(&out, m, map, &warnings);
  code = po_cli_write(path, &out);
  po_buffer_free(&out);
  return code;
}

static int model_run(po_args *args) {
  const po_model *m = NULL;
  po_urdf_opts o = po_urdf_opts_default();
  const char *html = po_args_string(args, "html", NULL);
  po_map *map = NULL;
  po_error err;
  int code;
  o.fixed_base = po_args_has(args, "fixed-base");
  if ((code = po_cli_model(&m, args, args->arg[0], &o)) != PO_EXIT_GOOD) return code;
  if (!html || strcmp(html, "-")) model_tree(m);
  if (!po_map_is_known(m)) po_map_propose(&map, m, &err); /* none: the page says so */
  code = model_show_page(args, m, map);
  po_map_free(map);
  po_model_free(m);
  return code;
}

const po_command po_cmd_model = {
  "model", "FILE [options]", "show what was understood of a URDF or MJCF file",
  "Prints the tree: bodies with their masses and shapes, joints with their axes, limits of angle, torque and speed. What the reader\n"
  "could do without is warned about on standard error.\n"
  "  poise model h1.xml\n"
  "  poise model g1.urdf --package g1_description=../g1 --html g1.html\n",
  model_options, 1, 1, model_run};
