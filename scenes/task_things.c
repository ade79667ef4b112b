/* task_things.c: what is in the way in the scenario `task`: balls that are thrown, boxes, posts, others who walk. */
#include "task_scene.h"
#include <string.h>

#define BALL_RADIUS 0.1          /* m */
#define BALL_FROM 2.0            /* m away it begins */
#define BALL_FRICTION 1.8
#define BALL_BOUNCE 0.35
#define BALL_FIRST 2.0           /* s: the first one comes no earlier */
#define POST_HALF 0.04           /* m */
#define POST_HEIGHT 1.2
#define BOX_FIELD 4.0            /* m: half the square in which boxes lie */
#define BOX_CLEAR 0.7            /* m around the start */
#define OTHER_CLEAR 2.5          /* m */

po_status po_task_things_terrain(po_run *r, po_error *err) {
  const task_scene_params *p = r->params;
  po_status st;
  int i, n = (int)p->posts;
  if (!n) return PO_OK;
  if ((st = po_terrain_new(&r->terrain, NULL)) == PO_OK) st = po_terrain_add_plane(r->terrain, po_v3(0, 0, 1), 0, 1);
  for (i = 0; i < n && st == PO_OK; i++) {
    double x = PO_TASK_POST_EVERY * (i + 1);
    st = po_terrain_add_step(r->terrain, po_v3(x - POST_HALF, -POST_HALF, 0), po_v3(x + POST_HALF, POST_HALF, POST_HEIGHT), 1);
    if (st == PO_OK) st = po_terrain_set_tag(r->terrain, i, PO_TAG_OBSTACLE);
  }
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}

static po_status things_add(po_run *r, const po_thing *thing, int spare, po_error *err) {
  po_status st = r->spare[spare] ? PO_OK : po_thing_model(&r->spare[spare], thing, err);
  if (st != PO_OK || (st = po_world_add(NULL, r->world, r->spare[spare])) == PO_OK) return st;
  return po_fail(err, st, "world: %s", po_status_string(st));
}

po_status po_task_things_add(po_run *r, po_error *err) {
  const task_scene_params *p = r->params;
  task_scene_state *s = r->state;
  po_thing ball = {"ball", PO_SPHERE, {BALL_RADIUS, 0, 0}, p->ball_mass};
  po_rng rng;
  po_status st = PO_OK;
  int i, boxes = (int)p->boxes, others = (int)p->characters;
  po_rng_init(&rng, r->opts.seed, 77);
  s->first_ball = po_world_count(r->world);
  for (i = 0; p->balls_per_s > 0 && i < PO_TASK_BALLS && st == PO_OK; i++) st = things_add(r, &ball, 0, err);
  s->first_box = po_world_count(r->world);
  for (i = 0; i < boxes && st == PO_OK; i++) {
    double half = po_rng_range(&rng, 0.05, 0.1), mass = po_rng_range(&rng, 1, 5);
    po_thing box = {"box", PO_BOX, {half, half, half}, mass};
    st = things_add(r, &box, 1 + i, err);
  }
  s->first_other = po_world_count(r->world);
  for (i = 0; i < others && st == PO_OK; i++)
    if ((st = po_world_add(NULL, r->world, r->model)) != PO_OK) st = po_fail(err, st, "world: %s", po_status_string(st));
  return st;
}

/* Turns a state about the vertical and puts it somewhere. */
static void things_stand(double *q, double x, double y, double heading) {
  po_quat turned = po_q_mul(po_q_axis_angle(po_v3(0, 0, 1), heading), po_q_of(q));
  po_q_to(q, turned);
  q[4] = x;
  q[5] = y;
}

static po_status things_other(po_run *r, int k, po_rng *rng, po_error *err) {
  task_scene_state *s = r->state;
  double angle = po_rng_range(rng, -PO_PI, PO_PI), away = OTHER_CLEAR + po_rng_range(rng, 0, 2), si, co;
  po_move *move;
  po_status st;
  int c = s->first_other + k;
  po_sincos(&si, &co, angle);
  if ((st = po_move_new_of(&move, &po_simbicon_type, NULL, r->model, po_run_ground(r), NULL, err)) != PO_OK) return st;
  if ((st = po_run_add_move(r, c, move, err)) != PO_OK) return st;
  if ((st = po_simbicon_start(po_world_q(r->world, c), po_world_v(r->world, c), move, -1, err)) != PO_OK) return st;
  angle = po_wrap(angle + PO_PI + po_rng_range(rng, -0.3, 0.3)); /* towards the middle */
  ((po_simbicon_params *)po_move_params(move))->heading = PO_DEG(angle);
  things_stand(po_world_q(r->world, c), away * co, away * si, angle);
  r->verdict[c].outcome = PO_SUCCESS; /* whether they fall is not judged */
  r->verdict[c].fell_at = 0;
  return PO_OK;
}

po_status po_task_things_place(po_run *r, po_error *err) {
  const task_scene_params *p = r->params;
  task_scene_state *s = r->state;
  po_rng rng;
  po_status st = PO_OK;
  int i, k;
  po_rng_init(&rng, r->opts.seed, 78);
  for (i = 0; p->balls_per_s > 0 && i < PO_TASK_BALLS; i++) {
    po_world_q(r->world, s->first_ball + i)[6] = -BALL_FROM; /* out of sight */
    po_world_set_active(r->world, s->first_ball + i, 0);
    po_world_set_material(r->world, s->first_ball + i, 0, BALL_FRICTION, BALL_BOUNCE);
  }
  for (i = 0; i < (int)p->boxes; i++) {
    double *q = po_world_q(r->world, s->first_box + i), x, y, near;
    do {
      x = po_rng_range(&rng, -BOX_FIELD, BOX_FIELD);
      y = po_rng_range(&rng, -BOX_FIELD, BOX_FIELD);
      near = x * x + y * y < BOX_CLEAR * BOX_CLEAR;
      for (k = 0; k < i; k++) { /* not one in another */
        const double *o = po_world_q(r->world, s->first_box + k);
        near += (o[4] - x) * (o[4] - x) + (o[5] - y) * (o[5] - y) < 0.3 * 0.3;
      }
    } while (near > 0);
    po_q_to(q, po_q_axis_angle(po_v3(0, 0, 1), po_rng_range(&rng, 0, PO_PI)));
    po_v3_to(q + 4, po_v3(x, y, po_world_model(r->world, s->first_box + i)->shape[0].size[0]));
  }
  for (i = 0; i < (int)p->characters && st == PO_OK; i++) st = things_other(r, i, &rng, err);
  s->next_ball = p->balls_per_s > 0 ? BALL_FIRST + po_rng_uniform(&s->rng) / p->balls_per_s : PO_INF;
  return st;
}

/* How high the root is over the COM. Balls are aimed at the root, as in the published program: at the thorax, 0.35 m over the COM of biped34, the same ball turns the body over. */
static double things_root(po_run *r) {
  const po_data *d = po_world_data(r->world, 0);
  po_world_kinematics(r->world, 0);
  po_com(po_world_data(r->world, 0));
  return po_point_position(d, 0, r->model->inertia[0].com).z - d->com.z;
}

/* From a random side, so that it meets the root of the moving body. */
po_status po_task_things_throw(po_run *r) {
  const task_scene_params *p = r->params;
  task_scene_state *s = r->state;
  po_throw t;
  double angle, si, co;
  po_error err;
  if (r->time < s->next_ball || s->balls_thrown >= p->balls) return PO_OK;
  angle = po_rng_range(&s->rng, -PO_PI, PO_PI);
  s->next_ball += (0.5 + po_rng_uniform(&s->rng)) / p->balls_per_s;
  po_sincos(&si, &co, angle);
  memset(&t, 0, sizeof t);
  t.time = r->time;
  t.thing = s->first_ball + s->balls_thrown % PO_TASK_BALLS;
  t.target = 0;
  t.position = po_v3(BALL_FROM * co, BALL_FROM * si, things_root(r));
  s->touching[s->balls_thrown % PO_TASK_BALLS] = 0;
  t.velocity = po_v3(-p->ball_speed * co, -p->ball_speed * si, 0.5 * 9.81 * BALL_FROM / po_max(p->ball_speed, 1));
  s->balls_thrown++;
  po_sim_clear_throws(r->sim);
  return po_sim_throw(r->sim, &t, &err);
}

void po_task_things_watch(po_run *r) {
  task_scene_state *s = r->state;
  int i, count;
  const po_contact *c = po_world_contacts(&count, r->world);
  int hit[PO_TASK_BALLS] = {0};
  s->touching_now = r->sim->character[0].touching;
  for (i = 0; i < count; i++) {
    int other = c[i].a == 0 ? c[i].b : c[i].b == 0 ? c[i].a : -1;
    if (other < s->first_ball || !(po_v3_dot(c[i].impulse, c[i].impulse) > 0)) continue;
    s->touching_now = 1;
    if (other < s->first_box) hit[other - s->first_ball] = 1;
  }
  for (i = 0; i < PO_TASK_BALLS; i++)
    if (hit[i] && !s->touching[i] && po_world_active(r->world, s->first_ball + i)) {
      s->touching[i] = 1; /* once per throw */
      s->hits++;
    }
}
