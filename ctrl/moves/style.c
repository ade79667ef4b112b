/* style.c: walking styles as data. The built-in ones need no file; a file of one's own needs no compiler. */
#include "moves.h"
#include <string.h>

const po_style po_styles[] = {
  {"normal",
   "{\n  \"T\": 0.5,\n  \"l_step\": 0.5,\n  \"h\": 0.05,\n  \"dT\": 0.1,\n  \"l_foot\": 0.08,\n  \"l_hip\": 0.025\n}\n"},
  {"fast",
   "{\n  \"T\": 0.42,\n  \"l_step\": 0.65,\n  \"h\": 0.06,\n  \"dT\": 0.08,\n  \"l_foot\": 0.07,\n  \"l_hip\": 0.02,\n  \"l_trunk\": 0.03\n}\n"},
  {"slow",
   "{\n  \"T\": 0.65,\n  \"l_step\": 0.25,\n  \"h\": 0.04,\n  \"dT\": 0.15,\n  \"l_foot\": 0.08,\n  \"l_hip\": 0.04\n}\n"},
  {"sad",
   "{\n  \"T\": 0.65,\n  \"l_step\": 0.3,\n  \"h\": 0.03,\n  \"dT\": 0.15,\n  \"l_foot\": 0.08,\n  \"l_hip\": 0.04,\n  \"l_trunk\": 0.08,\n"
   "  \"head_deg\": 35,\n  \"knee_deg\": 45,\n  \"hands\": 5\n}\n"},
  {NULL, NULL}};

po_status po_style_parse(po_walk_params *p, const char *text, size_t size, const char *file, po_error *err) {
  po_json *root;
  const po_json *item;
  po_walk_params changed = *p;
  po_status s = po_json_parse(&root, text, size, file, err);
  if (s != PO_OK) return s;
  if (root->type != PO_JSON_OBJECT) s = po_fail_at(err, PO_ERR_PARSE, file, root->line, root->column, "a style is an object of parameters");
  for (item = root->first; item && s == PO_OK; item = item->next) {
    po_error why;
    if (item->type != PO_JSON_NUMBER) s = po_fail_at(err, PO_ERR_PARSE, file, item->line, item->column, "%s: a number is needed", item->key);
    else if ((s = po_param_set(&changed, po_walk_param, po_walk_param_count, item->key, item->number, &why)) != PO_OK)
      po_fail_at(err, s, file, item->line, item->column, "%s", why.message);
  }
  po_json_free(root);
  if (s == PO_OK) *p = changed;
  return s;
}

po_status po_style_apply(po_walk_params *p, const char *style, po_error *err) {
  char path[512];
  size_t n = strlen(style);
  char *text;
  po_status s;
  int i, is_path = n > 5 && !strcmp(style + n - 5, ".json");
  po_format(path, sizeof path, is_path ? "%s" : "models/styles/%s.json", style);
  s = po_read_file(&text, &n, path, 1 << 20, err);
  if (s == PO_OK) {
    s = po_style_parse(p, text, n, path, err);
    po_free(text);
    return s;
  }
  for (i = 0; po_styles[i].name && !is_path; i++)
    if (!strcmp(po_styles[i].name, style)) return po_style_parse(p, po_styles[i].json, strlen(po_styles[i].json), style, err);
  if (is_path) return s;
  return po_fail(err, PO_ERR_NAME, "no style '%s': normal, fast, slow, sad, or a file models/styles/%s.json", style, style);
}
