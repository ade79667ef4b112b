/* 01_stand: a human stands for two seconds. */
#include "poise.h"
#include <stdio.h>

int main(void) {
  const po_model *human;
  po_world *world;
  po_move *stand;
  po_error err;
  if (po_body_model(&human, "human", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, human) ||
      po_move_new(&stand, "stand", human, po_terrain_flat(), NULL, &err))
    return printf("%s\n", err.message), 1;
  for (int step = 0; step < 2000; step++) { /* 1 kHz: torques from the controller, one step of the world */
    if (po_move_tick(stand, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 0.001))) return 1;
    if (po_world_step(world, 0.001)) return 1;
  }
  po_world_kinematics(world, 0);
  po_com(po_world_data(world, 0));
  double height = po_world_data(world, 0)->com.z;
  printf("after 2 s the centre of mass is %.3f m above the ground\n", height);
  po_move_free(stand);
  po_world_free(world);
  po_model_free(human);
  return height > 0.85 ? 0 : 1;
}
