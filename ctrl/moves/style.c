/* style.c: walking styles as data. The built-in ones need no file; a file of one's own needs no compiler. */
#include "moves.h"
#include <string.h>

const po_builtin_file *po_builtin_find(const char *path) {
  int i;
  for (i = 0; path && po_builtin_files[i].path; i++)
    if (!strcmp(po_builtin_files[i].path, path)) return &po_builtin_files[i];
  return NULL;
}

/* A path ends in .json and is read from disk; a name is built in, whatever lies in the working directory. `there` lists the names, for who mistypes. */
static po_status style_read(void *params, const po_param *table, int count, const char *folder, const char *style, const char *there, po_error *err) {
  const po_builtin_file *file;
  char path[64], *text;
  size_t n = style ? strlen(style) : 0;
  po_status s;
  if (!params || !style) return po_fail(err, PO_ERR_NULL, "a style needs a name");
  if (n > 5 && !strcmp(style + n - 5, ".json")) {
    if ((s = po_read_file(&text, &n, style, 1 << 20, err)) != PO_OK) return s;
    s = po_params_parse(params, table, count, text, n, style, err);
    po_free(text);
    return s;
  }
  po_format(path, sizeof path, "%s%s.json", folder, style);
  if (!(file = po_builtin_find(path))) return po_fail(err, PO_ERR_NAME, "no style '%s': %s, or the path of a .json file of parameters", style, there);
  return po_params_parse(params, table, count, file->text, strlen(file->text), file->name, err);
}

/* What a style does not say is as in "normal", whatever was in force before. */
po_status po_style_apply(po_walk_params *p, const char *style, po_error *err) {
  static const char there[] = "fast, normal, sad, slow";
  po_walk_params made;
  po_status s;
  if (!p) return po_fail(err, PO_ERR_NULL, "a style needs parameters to set");
  made = *p;
  s = style_read(&made, po_walk_param, po_walk_param_count, "styles/", "normal", there, err);
  if (s == PO_OK) s = style_read(&made, po_walk_param, po_walk_param_count, "styles/", style, there, err);
  if (s == PO_OK) *p = made;
  return s;
}

po_status po_gbwc_style_apply(po_gbwc_params *p, const char *style, po_error *err) {
  return style_read(p, po_gbwc_param, po_gbwc_param_count, "gaits/gbwc/", style, "plain, lean, crouch, march, bowlegged, swagger", err);
}
