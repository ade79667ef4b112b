/* skill_things.c: things that skills take: one of them, with a handle for each hand. */
#include "skill_scene.h"
#include <string.h>

#define SKILL_THING 1 /* its character */

po_status po_skill_add_thing(po_run *r, const po_thing *thing, po_vec3 left, po_vec3 right, double mu, double apart, po_error *err) {
  po_skill_prop *p = r->state;
  po_grasp g = po_grasp_default();
  po_status st;
  int i, k;
  if ((st = po_thing_model(&r->spare[0], thing, err)) != PO_OK) return st;
  if ((st = po_world_add(NULL, r->world, r->spare[0])) != PO_OK) return po_fail(err, st, "world: %s", po_status_string(st));
  if (mu >= 0 && (st = po_world_set_material(r->world, SKILL_THING, -1, mu, 0)) != PO_OK) return po_fail(err, st, "material: %s", po_status_string(st));
  p->handle[0] = left;
  p->handle[1] = right;
  p->mass = thing->mass;
  for (i = 0; i < 3; i++) (&p->half.x)[i] = thing->size[thing->type == PO_SPHERE ? 0 : i];
  p->grasps = 0;
  for (i = 0; i < 2; i++) {
    int frame = po_find_frame(r->model, i == 0 ? "hand_l" : "hand_r");
    if (frame < 0 || r->model->frame[frame].body < 0) continue;
    g.a = 0, g.b = SKILL_THING;
    g.body_a = r->model->frame[frame].body;
    g.point_a = r->model->frame[frame].pose.p;
    g.body_b = 0;
    g.point_b = i == 0 ? left : right;
    if (apart > 0) g.apart = apart;
    if ((st = po_world_add_grasp(&k, r->world, &g)) != PO_OK) return po_fail(err, st, "grasp: %s", po_status_string(st));
    p->grasp[i] = k + 1;
    p->grasps++;
  }
  return PO_OK;
}

void po_skill_place_thing(po_run *r, po_vec3 at, double heading) {
  double *q = po_world_q(r->world, SKILL_THING);
  po_q_to(q, po_q_axis_angle(po_v3(0, 0, 1), heading));
  po_v3_to(q + 4, at);
}

po_pose po_skill_thing_pose(const po_run *r) {
  const double *q = po_world_q(r->world, SKILL_THING);
  po_pose pose;
  pose.R = po_q_matrix(po_q_of(q));
  pose.p = po_v3_of(q + 4);
  return pose;
}

static double things_low(const po_skill_prop *p, po_pose x) {
  return x.p.z - po_abs(x.R.m[6]) * p->half.x - po_abs(x.R.m[7]) * p->half.y - po_abs(x.R.m[8]) * p->half.z;
}

po_status po_skill_tell(po_run *r) {
  po_skill_prop *p = r->state;
  po_skill_task *k = po_skill_run(r);
  po_pose x = po_skill_thing_pose(r);
  const double *v = po_world_v(r->world, SKILL_THING);
  int i;
  if (r->steps % r->sim->control_every) return PO_OK;
  k->thing.there = 1;
  k->thing.position = x.p;
  k->thing.velocity = po_m3_mul_v(x.R, po_v3(v[3], v[4], v[5]));
  k->thing.heading = po_m3_yaw(x.R);
  k->thing.mass = p->mass;
  k->thing.low = things_low(p, x);
  for (i = 0; i < 2; i++) {
    po_grasp_state g;
    k->thing.handle[i] = po_v3_add(x.p, po_m3_mul_v(x.R, p->handle[i]));
    k->thing.held[i] = 0;
    k->thing.pull[i] = po_v3(0, 0, 0);
    if (!(p->grasp[i] > 0)) continue;
    if (k->close[i] > 0) po_world_close_grasp(r->world, (int)p->grasp[i] - 1); /* refuses while the hand is too far: it tries again */
    else po_world_open_grasp(r->world, (int)p->grasp[i] - 1);
    if (po_world_grasp(&g, r->world, (int)p->grasp[i] - 1) != PO_OK) continue;
    k->thing.held[i] = g.closed;
    k->thing.pull[i] = g.pull;
  }
  return PO_OK;
}

void po_skill_watch_things(po_run *r) {
  po_skill_prop *p = r->state;
  po_pose x = po_skill_thing_pose(r);
  int i, held = 0;
  for (i = 0; i < 2; i++) {
    po_grasp_state g;
    if (!(p->grasp[i] > 0) || po_world_grasp(&g, r->world, (int)p->grasp[i] - 1) != PO_OK) continue;
    held += g.closed;
    p->stretch = po_max(p->stretch, g.stretch_max);
    p->force = po_max(p->force, g.force_max);
    p->torn += g.torn && !(p->torn > 0);
  }
  p->held = held;
  p->held_seconds = held ? p->held_seconds + r->opts.dt : p->held_seconds;
  p->tilt = po_max(p->tilt, held ? po_acos(po_clamp(x.R.m[8], -1, 1)) : 0);
  p->low = things_low(p, x) - po_terrain_surface_below(po_run_ground(r), x.p.x, x.p.y, x.p.z, PO_ANY_TAG).height;
}

#define SKILL_CRATE_DEEP 0.13    /* m: half extents of a crate that is carried, along the way */
#define SKILL_CRATE_HIGH 0.11
#define SKILL_CRATE_KNOB 0.04    /* m: how far handles stand out, as thick as a hand is */
#define SKILL_CRATE_GRIP 0.06    /* m: how far above its middle they are: it hangs level */
#define SKILL_CRATE_WRIST 0.015  /* m between a grasp's springs: wrists that give way, so that it is not tipped with the forearms */
#define SKILL_CRATE_BEND 1.4     /* rad of the elbows that hold it at the start */

po_status po_skill_carried_crate(po_run *r, double mass, double half_width, po_error *err) {
  po_thing crate = {"crate", PO_BOX, {SKILL_CRATE_DEEP, half_width, SKILL_CRATE_HIGH}, mass};
  return po_skill_add_thing(r, &crate, po_v3(0, half_width + SKILL_CRATE_KNOB, SKILL_CRATE_GRIP), po_v3(0, -half_width - SKILL_CRATE_KNOB, SKILL_CRATE_GRIP), -1, SKILL_CRATE_WRIST, err);
}

/* Forearms are level, and the crate is between the hands. */
po_status po_skill_hold_crate(po_run *r, double mass, po_error *err) {
  po_vec3 hand[2], mid;
  po_status st;
  int i;
  for (i = 0; i < 2; i++) {
    int fore = po_find_body(r->model, i == 0 ? "forearm_l" : "forearm_r"), frame = po_find_frame(r->model, i == 0 ? "hand_l" : "hand_r");
    if (fore < 0 || frame < 0 || r->model->joint[fore].nv != 1) return po_fail(err, PO_ERR_NAME, "carrying needs two arms with hands: model '%s' has none", r->model->name);
    po_world_q(r->world, 0)[r->model->joint[fore].q] = SKILL_CRATE_BEND;
  }
  po_world_kinematics(r->world, 0);
  for (i = 0; i < 2; i++) {
    const po_frame *f = &r->model->frame[po_find_frame(r->model, i == 0 ? "hand_l" : "hand_r")];
    hand[i] = po_point_position(po_world_data(r->world, 0), f->body, f->pose.p);
  }
  mid = po_v3_scale(0.5, po_v3_add(hand[0], hand[1]));
  if ((st = po_skill_carried_crate(r, mass, 0.5 * po_abs(hand[0].y - hand[1].y) - SKILL_CRATE_KNOB, err)) != PO_OK) return st;
  po_skill_place_thing(r, po_v3(mid.x, mid.y, mid.z - SKILL_CRATE_GRIP), 0);
  return PO_OK;
}
