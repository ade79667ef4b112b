/* 08_rollout.c: what if? A standing body is saved at one moment and pushed from there many times: how strong a push does it survive? */
#include "poise.h"
#include <stdio.h>

int main(void) {
  const po_model *human;
  po_world *world;
  po_sim *sim;
  po_move *stand;
  po_error err;
  size_t bytes;
  void *moment;
  int i;
  if (po_body_model(&human, "human", &err) != PO_OK || po_world_new(&world, NULL) != PO_OK || po_world_add(NULL, world, human) != PO_OK) return 1;
  if (po_stand_pose(po_world_q(world, 0), human, po_terrain_flat(), 0, 0, 0, 0.95, &err) != PO_OK) return 1;
  if (po_move_new(&stand, "stand", human, po_terrain_flat(), NULL, &err) != PO_OK) return 1;
  if (po_sim_new(&sim, world, po_terrain_flat(), NULL) != PO_OK || po_sim_set_move(sim, 0, stand) != PO_OK) return 1;

  for (i = 0; i < 500; i++)
    if (po_sim_step(sim, &err) != PO_OK) return 1;
  bytes = po_sim_save_bytes(sim); /* an upper bound: it holds for any later moment too */
  moment = po_alloc(bytes);
  if (!moment || po_sim_save(moment, bytes, sim) != PO_OK) return 1;

  for (i = 1; i <= 6; i++) {
    po_push push = {0, 0.2, {0, 0, 0}, NULL, 0};
    po_trial trial = {0};
    po_trial_result result;
    push.force.x = 75.0 * i;
    trial.start = moment;
    trial.bytes = bytes;
    trial.seconds = 2;
    trial.push = &push;
    trial.pushes = 1;
    if (po_rollout(&result, sim, &trial, NULL, NULL, &err) != PO_OK) return 1;
    printf("%3.0f N for 0.2 s: %s after %.2f s\n", push.force.x, result.fell ? "fell" : "stands", result.time);
  }

  po_free(moment);
  po_sim_free(sim);
  po_move_free(stand);
  po_world_free(world);
  po_model_free(human);
  return 0;
}
