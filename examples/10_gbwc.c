/* 10_gbwc: any body walks, without optimization: 25 lines. */
#include "poise.h"
#include <stdio.h>

int main(void) {
  const po_model *body;
  po_world *world;
  po_sim *sim;
  po_move *walk;
  po_sim_opts opts = {.dt = 0.0005, .control_hz = 2000};
  po_error err;
  if (po_body_model(&body, "lopsided", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, body) ||
      po_move_new(&walk, "gbwc", body, po_terrain_flat(), NULL, &err) || po_move_set(walk, "speed", 0.8, &err) ||
      po_stand_pose(po_world_q(world, 0), body, po_terrain_flat(), 0, 0, 0, 0.97, &err))
    return printf("%s\n", err.message), 1;
  if (po_sim_new(&sim, world, po_terrain_flat(), &opts) || po_sim_set_move(sim, 0, walk)) return 1;
  while (sim->time < 6)
    if (po_sim_step(sim, &err)) return printf("%s\n", err.message), 1;
  printf("%ld steps, %.1f m in %.0f s\n", po_gbwc_now(walk)->steps, po_world_data(world, 0)->com.x, sim->time);
  po_sim_free(sim), po_move_free(walk), po_world_free(world), po_model_free(body);
  return 0;
}
