/* 06_behaviour: a behaviour of one's own in sixty lines: stand, and draw circles in the air with the left hand. */
#include "poise.h"
#include <stdio.h>

typedef struct circle_params { double radius, period; } circle_params;
typedef struct circle {
  po_move move; /* first: a circle is a move */
  circle_params params;
  po_stand_gains gains;
  po_posture o;       /* what standing asks for */
  po_objective *hand; /* and what we ask for */
  int frame;
  double error; /* m: how far the hand was off in the last tick */
} circle;

static const po_param circle_param[] = {
    {"radius", 0.15, 0, 0.4, "m", "of the circle", offsetof(circle_params, radius)},
    {"period", 2, 0.5, 60, "s", "time of one circle", offsetof(circle_params, period)},
};
static const int circle_param_count = 2;
static const po_param stand_param[] = {PO_STAND_PARAMS(circle, gains)};

static po_status circle_init(po_move *m, po_error *err) {
  circle *c = (circle *)m;
  po_param_defaults(c, stand_param, 9);
  if ((c->frame = po_find_frame(m->actor->model, "hand_l")) < 0) return po_fail(err, PO_ERR_NAME, "drawing circles needs a hand_l");
  return PO_OK;
}
static po_status circle_attach(po_move *m, po_error *err) { /* objectives: feet > COM, hand > momentum, pose, upright trunk */
  circle *c = (circle *)m;
  const po_frame *f = &m->actor->model->frame[c->frame];
  po_objective hand = po_objective_setpoint("hand", po_feature_point(f->body, f->pose.p), 2, 100);
  po_actor_add_contacts(m->actor, PO_BOTH_FEET, 1, c->gains.kp_contact);
  po_posture_add(&c->o, m->actor, &c->gains);
  c->hand = po_wbc_add(m->actor->wbc, &hand);
  return po_wbc_check(m->actor->wbc, err);
}
static void circle_aim(po_move *m, const po_sense *sense) { /* once a tick: where everything is to go */
  circle *c = (circle *)m;
  po_actor *a = m->actor;
  double s, co, w = 2 * PO_PI / c->params.period, h = a->standing_height;
  po_vec3 feet = po_patches_centroid(&a->patches, a->data, PO_BOTH_FEET), at = {feet.x + 0.4 * h, feet.y + 0.25 * h, feet.z + 1.2 * h};
  (void)sense;
  po_actor_stand_on(a, PO_BOTH_FEET);
  for (int i = 0; i < 8; i++) po_actor_plant(a, i / 4, i % 4, 1, c->gains.kp_contact);
  po_posture_aim(&c->o, a, &c->gains);
  c->o.com->ref[0] = feet.x, c->o.com->ref[1] = feet.y;
  c->o.height->ref[0] = feet.z + c->gains.com_height * h;
  po_sincos(&s, &co, w * m->time);
  po_v3_to(c->hand->ref, po_v3_add(at, po_v3(0, c->params.radius * co, c->params.radius * s)));
  po_v3_to(c->hand->ref_rate, po_v3(0, -w * c->params.radius * s, w * c->params.radius * co));
  c->error = po_v3_norm(po_v3_sub(po_frame_position(a->data, c->frame), po_v3_of(c->hand->ref)));
}
static const po_move_type circle_type = {
    .name = "circle", .summary = "stand and draw circles with the left hand", .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
    .bytes = sizeof(circle), .params_at = offsetof(circle, params), .params_bytes = sizeof(circle_params),
    .param = circle_param, .param_count = &circle_param_count,
    .init = circle_init, .attach = circle_attach, .ready = po_posture_ready, .aim = circle_aim,
};

int main(void) {
  const po_model *human;
  po_world *world;
  po_move *draw;
  po_error err;
  double worst = 0;
  if (po_body_model(&human, "human", &err) || po_world_new(&world, NULL) || po_world_add(NULL, world, human) ||
      po_move_new_of(&draw, &circle_type, NULL, human, po_terrain_flat(), NULL, &err) || po_move_set(draw, "radius", 0.2, &err))
    return printf("%s\n", err.message), 1;
  for (int step = 0; step < 4000; step++) {
    if (po_move_tick(draw, po_world_tau(world, 0), po_sense_of(po_world_q(world, 0), po_world_v(world, 0), 0.001))) return 1;
    if (po_world_step(world, 0.001)) return 1;
    if (step >= 2000 && ((circle *)draw)->error > worst) worst = ((circle *)draw)->error;
  }
  printf("in its second circle the hand is at most %.3f m off\n", worst);
  po_move_free(draw);
  po_world_free(world);
  po_model_free(human);
  return worst < 0.05 ? 0 : 1;
}
