/* model.c: --model and its kin: the body that a command is about, with what the reader of its file has to say. */
#include "../rbd/mesh.h"
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* Warnings on standard error, as errors are shown. */
static void model_show(const po_warnings *warnings) {
  int i, listed = warnings->count < PO_WARNINGS_MAX ? warnings->count : PO_WARNINGS_MAX;
  for (i = 0; i < listed; i++) {
    po_error e = warnings->list[i];
    po_format(e.message, sizeof e.message, "warning: %s", warnings->list[i].message);
    po_cli_error(&e);
  }
  if (warnings->count > listed) po_cli_fail("warning: %d more like these (--quiet hides them)", warnings->count - listed);
}

#define MODEL_PACKAGES 64

const po_paths *po_cli_paths(const po_args *args, const char *model) {
  static const char *package[MODEL_PACKAGES + 1];
  static char search[8192];
  static po_paths paths;
  const char *ours = getenv("POISE_PACKAGE_PATH"), *ros = getenv("ROS_PACKAGE_PATH");
  int i, n = po_args_count(args, "package");
  if (n > MODEL_PACKAGES) n = MODEL_PACKAGES;
  for (i = 0; i < n; i++) package[i] = po_args_at(args, "package", i);
  package[n] = NULL;
  po_format(search, sizeof search, "%s:%s", ours ? ours : "", ros ? ros : "");
  memset(&paths, 0, sizeof paths);
  paths.model = model;
  paths.package = package;
  paths.search = search;
  return &paths;
}

/* "--package g1" is a mistake that would be found out late. */
static int model_packages(const po_args *args) {
  int i;
  for (i = 0; i < po_args_count(args, "package"); i++) {
    const char *p = po_args_at(args, "package", i);
    if (!strchr(p, '=') || *p == '=') return po_cli_fail("--package '%s': it must be NAME=DIR", p);
  }
  return PO_EXIT_GOOD;
}

int po_cli_model(const po_model **model, const po_args *args, const char *name, const po_urdf_opts *opts) {
  static po_warnings warnings; /* too large for a stack */
  po_urdf_opts o = opts ? *opts : po_urdf_opts_default();
  po_error err;
  memset(&err, 0, sizeof err);
  warnings.count = 0;
  if (model_packages(args) != PO_EXIT_GOOD) return PO_EXIT_USAGE;
  o.paths = po_cli_paths(args, name);
  o.warnings = &warnings;
  o.strict = po_args_has(args, "strict");
  if (po_model_load(model, name, &o, &err) != PO_OK) return po_cli_error(&err);
  if (!po_args_has(args, "quiet")) model_show(&warnings);
  return PO_EXIT_GOOD;
}

int po_cli_look_at_model(const po_args *args, const char *name) {
  const po_model *model = NULL;
  size_t n = name ? strlen(name) : 0;
  int code;
  if ((n < 5 || strcmp(name + n - 5, ".urdf") != 0) && (n < 4 || strcmp(name + n - 4, ".xml") != 0))
    return PO_EXIT_GOOD; /* no file: the command itself says what is wrong with a name */
  code = po_cli_model(&model, args, name, NULL);
  po_model_free(model);
  return code;
}
