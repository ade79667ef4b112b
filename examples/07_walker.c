/* 07_walker: a walker in someone else's loop: frames at 50 Hz, a stick that steers, memory that the host owns, a saved moment to go back to. */
#include "poise.h"
#include <stdio.h>
#include <stdlib.h>

#define NEEDS (PO_NEEDS_FEET | PO_NEEDS_WBC)

/* One frame of the host: 20 ms, control and physics at 1 kHz. */
static int frame(po_world *world, po_move *walk) {
  for (int step = 0; step < 20; step++) {
    if (po_move_tick(walk, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 0.001))) return 1;
    if (po_world_step(world, 0.001)) return 1;
  }
  return 0;
}

int main(void) {
  const po_model *human;
  po_world *world;
  po_actor actor; /* the body's: other moves could share it */
  po_move *walk;
  po_error err;
  if (po_body_model(&human, "human", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, human) ||
      po_stand_pose(po_world_q(world, 0), human, po_terrain_flat(), 0, 0, 0, 0.97, &err))
    return printf("%s\n", err.message), 1;

  size_t actor_bytes = po_actor_bytes(human, NEEDS, NULL), walk_bytes = po_move_bytes(&po_walk_type, human);
  char *memory = malloc(actor_bytes + walk_bytes); /* all that control needs; nothing allocates from here on */
  if (!memory || po_actor_init(&actor, human, po_terrain_flat(), NEEDS, NULL, memory, actor_bytes, &err) ||
      po_move_init(&walk, &po_walk_type, NULL, &actor, memory + actor_bytes, walk_bytes, &err))
    return printf("%s\n", err.message), 1;

  for (int i = 0; i < 200; i++) {
    if (i == 100 && po_move_set(walk, "heading", 30, &err)) return printf("%s\n", err.message), 1; /* the stick goes left */
    if (frame(world, walk)) return 1;
  }
  size_t world_bytes = po_world_save_bytes(world), move_bytes = po_move_save_bytes(walk);
  char *moment = malloc(world_bytes + move_bytes);
  if (!moment || po_world_save(moment, world_bytes, world) || po_move_save(moment + world_bytes, move_bytes, walk)) return 1;
  for (int i = 0; i < 25; i++)
    if (frame(world, walk)) return 1;
  uint64_t once = po_world_hash(world);
  if (po_world_restore(world, moment, world_bytes) || po_move_restore(walk, moment + world_bytes, move_bytes)) return 1;
  for (int i = 0; i < 25; i++)
    if (frame(world, walk)) return 1;

  po_vec3 at = actor.data->com;
  printf("after 4.5 s it is %.2f m ahead and %.2f m to the left, %s; played again from 4 s, %s\n", at.x, at.y, po_move_phase_string(walk),
         po_world_hash(world) == once ? "the same to the bit" : "something else");
  int good = at.x > 1 && at.z > 0.8 && po_world_hash(world) == once;
  free(moment);
  free(memory);
  po_world_free(world);
  po_model_free(human);
  return good ? 0 : 1;
}
