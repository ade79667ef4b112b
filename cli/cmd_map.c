/* cmd_map.c: `poise map FILE`: what a robot's parts are, in words, and as a file that --map reads. */
#include "../rbd/map.h"
#include "cli.h"
#include <string.h>

static const po_option map_options[] = {
  {"out", "FILE.json", "write the map, to be changed by hand and given to --map; - for standard output"},
  PO_OPTION_MAP,
  PO_OPTION_MODEL_FILE,
  {NULL, NULL, NULL}};

static int map_of(po_map **map, const po_args *args, const po_model *model) {
  const char *file = po_args_string(args, "map", NULL);
  char *text = NULL;
  size_t size = 0;
  po_error err;
  po_status s;
  if (!file) return po_map_propose(map, model, &err) == PO_OK ? PO_EXIT_GOOD : (po_cli_error(&err), PO_EXIT_FAILED);
  if (po_read_file(&text, &size, file, 0, &err) != PO_OK) return po_cli_error(&err);
  s = po_map_read(map, model, text, size, file, &err);
  po_free(text);
  return s == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
}

/* Its lines, made safe to show: names come from a file. */
static void map_print(char *text) {
  while (text && *text) {
    char *end = strchr(text, '\n');
    if (end) *end = 0;
    po_cli_shown(text);
    po_cli_print("%s\n", text);
    text = end ? end + 1 : NULL;
  }
}

static int map_show(const po_args *args, const po_map *map) {
  const char *path = po_args_string(args, "out", NULL);
  po_buffer out = {0};
  int code = PO_EXIT_GOOD;
  if (path) {
    po_map_write(&out, map);
    code = po_cli_write(path, &out);
    po_buffer_free(&out);
  }
  if (code || (path && path[0] == '-' && !path[1])) return code;
  po_map_words(&out, map);
  map_print(out.data);
  po_buffer_free(&out);
  return code;
}

static int map_run(po_args *args) {
  const po_model *model = NULL;
  po_map *map = NULL;
  int code = po_cli_model(&model, args, args->arg[0], NULL);
  if (code == PO_EXIT_GOOD && po_map_is_known(model) && !po_args_has(args, "map"))
    po_cli_print("%s has our names already: it needs no map\n", model->name);
  else if (code == PO_EXIT_GOOD && (code = map_of(&map, args, model)) == PO_EXIT_GOOD) code = map_show(args, map);
  po_map_free(map);
  po_model_free(model);
  return code;
}

const po_command po_cmd_map = {
  "map", "FILE [options]", "say what the parts of a robot are: legs, soles, trunk, arms",
  "FILE is URDF or MJCF. Legs are the two chains of joints that end lowest and mirror each other; docs/my-robot.md tells the rest. Every\n"
  "command with --model makes such a map by itself; --map gives another. Exit code 1 when no two legs are found.\n"
  "  poise map g1.urdf\n"
  "  poise map g1.urdf --out g1.json\n"
  "  poise run balance --model g1.urdf --map g1.json\n",
  map_options, 1, 1, map_run};
