/* style.c: walking styles as data. The built-in ones need no file; a file of one's own needs no compiler. */
#include "moves.h"
#include <string.h>

const po_builtin_file *po_builtin_find(const char *path) {
  int i;
  for (i = 0; path && po_builtin_files[i].path; i++)
    if (!strcmp(po_builtin_files[i].path, path)) return &po_builtin_files[i];
  return NULL;
}

/* A path ends in .json and is read from disk; a name is built in, whatever lies in the working directory. */
po_status po_style_apply(po_walk_params *p, const char *style, po_error *err) {
  const po_builtin_file *file;
  char path[64], *text;
  size_t n = style ? strlen(style) : 0;
  po_status s;
  if (!p || !style) return po_fail(err, PO_ERR_NULL, "a style needs a name");
  if (n > 5 && !strcmp(style + n - 5, ".json")) {
    if ((s = po_read_file(&text, &n, style, 1 << 20, err)) != PO_OK) return s;
    s = po_params_parse(p, po_walk_param, po_walk_param_count, text, n, style, err);
    po_free(text);
    return s;
  }
  po_format(path, sizeof path, "styles/%s.json", style);
  if (!(file = po_builtin_find(path)))
    return po_fail(err, PO_ERR_NAME, "no style '%s': fast, normal, sad, slow, or the path of a .json file of parameters", style);
  return po_params_parse(p, po_walk_param, po_walk_param_count, file->text, strlen(file->text), file->name, err);
}
