/* ground_line.c: the ground along a line, looked at once. */
#include "ground_line.h"

#define LINE_TAGS (PO_TAG_BIT(PO_TAG_GROUND) | PO_TAG_BIT(PO_TAG_OBSTACLE))

static void line_lay(po_ground_line *line, double first, double step, int samples) {
  line->first = first;
  line->step = step;
  line->samples = samples < PO_GROUND_LINE ? samples : PO_GROUND_LINE;
}

void po_ground_line_look(po_ground_line *line, const po_terrain *terrain, po_vec3 from, po_vec3 along, double first, double step, int samples, double top) {
  int i;
  line_lay(line, first, step, samples);
  for (i = 0; i < line->samples; i++) {
    po_vec3 x = po_v3_addscaled(from, first + i * step - po_v3_dot(along, from), along);
    po_surface at = po_terrain_surface_below(terrain, x.x, x.y, top, LINE_TAGS);
    line->height[i] = at.height;
    line->solid[i] = at.tag == PO_TAG_OBSTACLE || at.kind == PO_TERRAIN_NONE;
  }
}

void po_ground_line_level(po_ground_line *line, double height, double first, double step, int samples) {
  int i;
  line_lay(line, first, step, samples);
  for (i = 0; i < line->samples; i++) {
    line->height[i] = height;
    line->solid[i] = 0;
  }
}

int po_ground_line_uneven(const po_ground_line *line, double level) {
  int i;
  for (i = 0; i < line->samples; i++)
    if (line->solid[i] || po_abs(line->height[i] - line->height[0]) > level) return 1;
  return 0;
}
