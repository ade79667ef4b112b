/* registry.c: every scenario; a new one is a file of its own and one line here. */
#include "scenes.h"
#include <string.h>

extern const po_scenario po_scenario_stepping_stones, po_scenario_gaps, po_scenario_crevasses;

extern const po_scenario po_scenario_balance, po_scenario_squat, po_scenario_jump, po_scenario_jump_twist, po_scenario_jump_kick,
    po_scenario_jump_split, po_scenario_jump_forward, po_scenario_drop, po_scenario_stack, po_scenario_slope,
    po_scenario_slide, po_scenario_walk, po_scenario_push_map, po_scenario_sequence, po_scenario_reach_map, po_scenario_land, po_scenario_backflip, po_scenario_frontflip, po_scenario_front_aerial, po_scenario_pirouette, po_scenario_dive,
    po_scenario_gbwc, po_scenario_simbicon, po_scenario_track, po_scenario_obstacles, po_scenario_stairs, po_scenario_crowd, po_scenario_carry, po_scenario_crate, po_scenario_reach, po_scenario_course, po_scenario_task, po_scenario_cartwheel, po_scenario_back_handspring, po_scenario_handstand;

const po_scenario *const po_scenarios[] = {
    &po_scenario_balance,    &po_scenario_squat,      &po_scenario_jump, &po_scenario_jump_twist, &po_scenario_jump_kick,
    &po_scenario_jump_split, &po_scenario_jump_forward, &po_scenario_drop,  &po_scenario_stack,      &po_scenario_slope,
    &po_scenario_stepping_stones, &po_scenario_gaps, &po_scenario_crevasses,
    &po_scenario_slide,      &po_scenario_walk,         &po_scenario_sequence,  &po_scenario_push_map, &po_scenario_reach_map,
    &po_scenario_land,       &po_scenario_backflip,   &po_scenario_frontflip, &po_scenario_front_aerial, &po_scenario_pirouette, &po_scenario_dive, &po_scenario_gbwc, &po_scenario_simbicon, &po_scenario_track,
    &po_scenario_obstacles, &po_scenario_stairs, &po_scenario_crowd, &po_scenario_carry, &po_scenario_crate, &po_scenario_reach, &po_scenario_course, &po_scenario_task, &po_scenario_cartwheel, &po_scenario_back_handspring, &po_scenario_handstand, NULL};

const po_scenario *po_scenario_find(const char *name) {
  int i;
  for (i = 0; po_scenarios[i]; i++)
    if (name && !strcmp(po_scenarios[i]->name, name)) return po_scenarios[i];
  return NULL;
}
