/* ground_line.h: the ground along a line, looked at once: heights, what is no ground to stand on, whether anything is not level.
 *
 * A place on the line is told by along · x of the world, whatever point the line goes through. Samples stand at first, first + step, …
 */
#ifndef PO_GROUND_LINE_H
#define PO_GROUND_LINE_H

#include "../ctrl.h"

#define PO_GROUND_LINE 200   /* samples at most */
typedef struct po_ground_line {
  double first, step;        /* m: place of sample 0; between samples */
  int samples;
  double height[PO_GROUND_LINE];
  unsigned char solid[PO_GROUND_LINE]; /* 1: an obstacle, or nothing at all: not to be stood on */
} po_ground_line;

/* Looks down from the height `top` (m; PO_INF: from above everything) at the ground and what stands on it: bars are not seen. The line goes through `from` along the
 * level unit vector `along`. At most PO_GROUND_LINE samples. */
void po_ground_line_look(po_ground_line *line, const po_terrain *terrain, po_vec3 from, po_vec3 along, double first, double step, int samples, double top);
/* The same of ground that is level at a height, without looking. */
void po_ground_line_level(po_ground_line *line, double height, double first, double step, int samples);
/* Whether a sample is solid or differs from the first by more than `level`. */
int po_ground_line_uneven(const po_ground_line *line, double level);

static inline double po_ground_line_place(const po_ground_line *line, int i) { return line->first + i * line->step; }
/* The nearest sample; places beyond the ends count as the ends. */
static inline int po_ground_line_index(const po_ground_line *line, double place) {
  return (int)po_clamp((place - line->first) / line->step + 0.5, 0, line->samples - 1);
}

#endif
