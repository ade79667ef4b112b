/* ground.h: the ground of a scenario, by a name and a few numbers: slopes, rough ground, steps, stairs, stones, or a file.
 *
 * A scenario has it by three things: PO_GROUND_TEXT among its texts, a po_ground_params in its parameters, PO_GROUND_PARAMS in its table; then
 * po_run_lay_ground before po_run_world. The way lies along x, within a metre of the origin it is level (but for slopes).
 *
 *   flat     a plane, tilted by slope_deg (rises along x) and cross_deg (rises along y); so are all others
 *   slope    the same, by a name of its own
 *   rough    heights drawn evenly from ± step_height on a grid of `spacing` (0.3 m), flat triangles between
 *   steps    platforms `spacing` (1 m) long, each higher or lower than the last by step_height; a negative one begins downwards
 *   stairs   flights of 8 treads, `spacing` (0.3 m) long, with landings of 1.5 m between; up, or down when step_height is negative
 *   stones   platforms of drawn length (0.75 to 1.25 of `spacing`, 0.6 m) and height (± step_height), gaps of a quarter of it between them
 *   FILE     a .json file: {"planes": [{"normal", "offset", "mu"}], "boxes": [{"low", "high", "mu"}], "field": {"nx", "ny", "x0", "y0", "dx", "dy", "z", "mu"}}
 */
#ifndef PO_GROUND_H
#define PO_GROUND_H

#include "scenes.h"

typedef struct po_ground_params { double slope_deg, cross_deg, step_height, spacing, friction, terrain_seed; } po_ground_params;

#define PO_GROUND_TEXT {"terrain", "flat", "flat, slope, rough, steps, stairs, stones, or a .json file of planes, boxes and a height field", NULL}
#define PO_GROUND_PARAMS(type, member) \
  PO_PARAM_IN(type, member, slope_deg, 0, -20, 20, "deg", "slope of the ground, rising along x"), \
  PO_PARAM_IN(type, member, cross_deg, 0, -20, 20, "deg", "slope of the ground across the way, rising to the left"), \
  PO_PARAM_IN(type, member, step_height, 0.03, -0.4, 0.4, "m", "of rough ground and stones: +- amplitude; of steps and stairs: rise"), \
  PO_PARAM_IN(type, member, spacing, 0, 0, 5, "m", "of rough ground's samples, or length of a step, tread or stone; 0: the terrain's own"), \
  PO_PARAM_IN(type, member, friction, 1, 0.01, 3, "", "of the ground, times the body's"), \
  PO_PARAM_IN(type, member, terrain_seed, 1, 0, 1e9, "", "of what is drawn at random")
#define PO_GROUND_PARAM_COUNT 6

/* The run's terrain by its text "terrain" and these numbers. Flat ground without slope and of friction 1 is left as it is. */
po_status po_run_lay_ground(po_run *run, const po_ground_params *params, po_error *err);

#endif
