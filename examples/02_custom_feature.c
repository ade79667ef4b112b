/* 02_custom_feature: a feature of one's own, the distance between the hands, held at half a metre while standing. */
#include "poise.h"
#include <stdio.h>

static double distance_now; /* kept for the last line of main */

/* y = |a − b|. Its rate is u·(va − vb) with u the unit vector from b to a; differentiating once more, the drift is
 * u·(ȧ drift) plus the square of the sideways speed over the distance. */
static void hands_apart(void *user, double *y, double *ydot, po_mat J, double *drift, const po_data *d) {
  const int *frame = user;
  double jm[2][6 * 64];
  po_vec3 p[2], v[2], a[2];
  for (int k = 0; k < 2; k++) {
    const po_frame *f = &d->model->frame[frame[k]];
    p[k] = po_point_position(d, f->body, f->pose.p);
    v[k] = po_point_velocity(d, f->body, f->pose.p);
    a[k] = po_point_drift(d, f->body, f->pose.p);
    po_jacobian_frame(po_mat_of(jm[k], 6, d->model->nv, 64), d, frame[k]);
  }
  po_vec3 apart = po_v3_sub(p[0], p[1]), u = po_v3_unit(apart), w = po_v3_sub(v[0], v[1]);
  y[0] = distance_now = po_v3_norm(apart);
  ydot[0] = po_v3_dot(u, w);
  drift[0] = po_v3_dot(u, po_v3_sub(a[0], a[1])) + (po_v3_dot(w, w) - ydot[0] * ydot[0]) / y[0];
  for (int i = 0; i < 3; i++) {
    double ui = i == 0 ? u.x : i == 1 ? u.y : u.z;
    po_axpy(po_row(J, 0), ui, jm[0] + 64 * (3 + i), J.cols);
    po_axpy(po_row(J, 0), -ui, jm[1] + 64 * (3 + i), J.cols);
  }
}

int main(void) {
  const po_model *human;
  po_world *world;
  po_balance *balance;
  po_error err;
  if (po_body_model(&human, "human", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, human) ||
      po_balance_new(&balance, human, po_terrain_flat(), NULL, NULL, &err))
    return printf("%s\n", err.message), 1;
  int hands[2] = {po_find_frame(human, "hand_l"), po_find_frame(human, "hand_r")};
  po_objective apart = po_objective_setpoint("hands", po_feature_custom(1, hands_apart, hands), 2, 40);
  apart.ref[0] = 0.5;
  po_wbc_add(balance->move.actor->wbc, &apart);
  for (int step = 0; step < 3000; step++) {
    if (po_move_tick(&balance->move, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 0.001))) return 1;
    if (po_world_step(world, 0.001)) return 1;
  }
  printf("after 3 s the hands are %.3f m apart\n", distance_now);
  po_move_free(&balance->move);
  po_world_free(world);
  po_model_free(human);
  return distance_now > 0.48 && distance_now < 0.52 ? 0 : 1;
}
