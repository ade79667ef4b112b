/* 12_tune.c: which numbers? A planar biped walks by a table; how far it leans and how it balances are searched until it walks at 0.9 m/s. */
#include "poise.h"
#include <stdio.h>

/* Metres per second from the same moment with these two numbers, and how long it stood: three seconds at most. */
static double speed_of(const double *x, po_sim *sim, const void *moment, size_t bytes, double *seconds) {
  po_trial_setting set[2] = {{0, "lean_deg", 0}, {0, "feedback", 0}};
  po_trial trial = {0};
  po_trial_result result;
  set[0].value = x[0];
  set[1].value = x[1];
  trial.start = moment;
  trial.bytes = bytes;
  trial.seconds = 3;
  trial.set = set;
  trial.sets = 2;
  if (po_rollout(&result, sim, &trial, NULL, NULL, NULL) != PO_OK) return PO_NAN;
  *seconds = result.fell ? result.time : trial.seconds;
  return po_world_data(sim->world, 0)->com.x / result.time;
}

int main(void) {
  po_tune_unknown unknown[2] = {{-10, 10, 0, 0, 0, PO_TUNE_AUTO}, {0.5, 1.5, 1, 0, 0, PO_TUNE_AUTO}};
  po_sim_opts opts = {0.0005, 2000, 0};
  double cost[64], violation[64], best;
  const po_model *biped;
  po_world *world;
  po_move *walk;
  po_tune *tune;
  po_sim *sim;
  po_error err;
  size_t bytes;
  void *moment;
  int i, count;
  if (po_body_model(&biped, "biped7", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, biped) ||
      po_move_new(&walk, "simbicon", biped, po_terrain_flat(), NULL, &err) || po_sim_new(&sim, world, po_terrain_flat(), &opts) ||
      po_sim_set_move(sim, 0, walk) || po_simbicon_start(po_world_q(world, 0), po_world_v(world, 0), walk, -1, &err) ||
      po_tune_new(&tune, unknown, 2, NULL, &err))
    return printf("%s\n", err.message), 1;
  bytes = po_sim_save_bytes(sim);
  moment = po_alloc(bytes);
  if (!moment || po_sim_save(moment, bytes, sim)) return 1;

  while (po_tune_state(tune).evaluations < 30 && (count = po_tune_ask(tune)) > 0) {
    for (i = 0; i < count; i++) {
      double seconds = 0, speed = speed_of(po_tune_point(tune, i), sim, moment, bytes, &seconds);
      cost[i] = po_abs(speed - 0.9);
      violation[i] = 3 - seconds; /* who falls comes after all who walk, the earlier the later */
    }
    if (po_tune_tell(tune, cost, violation, &err)) return printf("%s\n", err.message), 1;
    printf("%3ld tried: off by %.4f m/s\n", po_tune_state(tune).evaluations, po_tune_best(tune, 0)->cost[0]);
  }
  best = po_tune_best(tune, 0)->cost[0];
  printf("lean %.2f degrees, feedback %.2f\n", po_tune_best(tune, 0)->x[0], po_tune_best(tune, 0)->x[1]);
  po_free(moment);
  po_tune_free(tune);
  po_sim_free(sim);
  po_move_free(walk);
  po_world_free(world);
  po_model_free(biped);
  return !(best < 0.05);
}
