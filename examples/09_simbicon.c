/* 09_simbicon: a bird walks for five seconds by a state machine of target angles, and nothing is solved. */
#include "poise.h"
#include <stdio.h>

int main(void) {
  const po_model *bird;
  po_world *world;
  po_sim_opts opts = {0.0005, 2000, 0};
  po_sim *sim;
  po_move *walk;
  po_error err;
  if (po_body_model(&bird, "bird", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, bird) ||
      po_move_new(&walk, "simbicon", bird, po_terrain_flat(), NULL, &err) || po_sim_new(&sim, world, po_terrain_flat(), &opts) ||
      po_sim_set_move(sim, 0, walk) ||
      po_simbicon_start(po_world_q(world, 0), po_world_v(world, 0), walk, -1, &err))
    return printf("%s\n", err.message), 1;
  while (sim->time < 5 && sim->character[0].fall.at < 0)
    if (po_sim_step(sim, &err)) return printf("%s\n", err.message), 1;
  printf("%ld steps, %.2f m\n", po_simbicon_now(walk)->steps, po_world_data(world, 0)->com.x);
  int fell = sim->character[0].fall.at >= 0;
  po_sim_free(sim);
  po_move_free(walk);
  po_world_free(world);
  po_model_free(bird);
  return fell;
}
