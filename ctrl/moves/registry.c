/* registry.c: every behaviour by name; a new one is a file of its own and one line here. Presets are moves too. */
#include "moves.h"
#include <string.h>

const po_move_type *const po_move_types[] = {&po_balance_type, &po_jump_type, &po_walk_type, &po_gbwc_type, &po_track_type, &po_land_type, &po_flip_type, &po_dive_type, &po_pirouette_type, &po_cartwheel_type, &po_handspring_type, &po_handstand_type, &po_simbicon_type, &po_course_type, &po_reach_type, &po_crate_type, &po_carry_type, NULL};

/* "styles/sad.json" in folder "styles/" is the preset "sad"; names of built-in files end in .json. */
static int registry_is_preset(const po_builtin_file *f, const char *folder) { return !strncmp(f->path, folder, strlen(folder)); }

po_preset po_move_preset(const po_move_type *t, int index) {
  po_preset none = {NULL, NULL, NULL};
  int i;
  for (i = 0; t->preset && t->preset[i].name; i++)
    if (index-- == 0) return t->preset[i];
  for (i = 0; t->preset_folder && po_builtin_files[i].path; i++) {
    const po_builtin_file *f = &po_builtin_files[i];
    if (registry_is_preset(f, t->preset_folder) && index-- == 0) {
      po_preset p;
      p.name = f->name;
      p.summary = f->summary;
      p.values = f->text;
      return p;
    }
  }
  return none;
}

static po_status registry_unknown(const char *name, po_error *err) {
  const char *names[96], *near;
  po_preset p;
  int i, k, n = 0;
  for (i = 0; po_move_types[i]; i++) {
    if (n < 96) names[n++] = po_move_types[i]->name;
    for (k = 0; (p = po_move_preset(po_move_types[i], k)).name; k++)
      if (n < 96) names[n++] = p.name;
  }
  near = po_nearest(name ? name : "", names, n);
  if (near) return po_fail(err, PO_ERR_NAME, "no move '%s': did you mean '%s'?", name, near);
  return po_fail(err, PO_ERR_NAME, "no move '%s'; there are balance, stand, squat, jump, walk and others", name ? name : "");
}

po_status po_move_find(const po_move_type **type, po_preset *preset, const char *name, po_error *err) {
  po_preset p;
  int i, k;
  if (!type || !preset) return po_fail(err, PO_ERR_NULL, "a place for the type and the preset is needed");
  memset(preset, 0, sizeof *preset);
  for (i = 0; name && po_move_types[i]; i++) {
    *type = po_move_types[i];
    if (!strcmp((*type)->name, name)) return PO_OK;
    for (k = 0; (p = po_move_preset(*type, k)).name; k++)
      if (!strcmp(p.name, name)) {
        *preset = p;
        return PO_OK;
      }
  }
  *type = NULL;
  return registry_unknown(name, err);
}
