/* carry.c: a crate on a shelf is taken with both hands, lifted, carried and held (Coros 2010, figure 5.9). */
#include "skill_scene.h"

typedef struct carry_params { double friction, mass, shelf, distance, turn_deg; } carry_params;
static const po_param carry_param[] = {
    PO_PARAM(carry_params, friction, 0.8, 0.1, 3, "", "of the ground"),
    PO_PARAM(carry_params, mass, 15, 1, 40, "kg", "of the crate"),
    PO_PARAM(carry_params, shelf, 0.4, 0, 1.2, "m", "height that it stands on"),
    PO_PARAM(carry_params, distance, 5, 1, 20, "m", "how far it is carried, straight"),
    PO_PARAM(carry_params, turn_deg, 0, -180, 180, "deg", "how the way turns after it is lifted, left positive"),
};
static const po_text_param carry_text[] = {PO_SKILL_TEXTS, {NULL, NULL, NULL, NULL}};

#define CARRY_SCENE_AT 1.5       /* m: where the crate stands */
#define CARRY_SCENE_WIDTH 0.2    /* m: half its width */
#define CARRY_SCENE_HIGH 0.11    /* half its height, as skill_things.c makes it */
#define CARRY_SCENE_POST 0.06    /* m: half the shelf's depth */
#define CARRY_SCENE_LIFT 0.2     /* m that it has to be lifted */
#define CARRY_SCENE_GROUND 0.005 /* m: nearer than that to what is below it stands there */
#define CARRY_SCENE_STOOD 1.0    /* s at the end */
#define CARRY_SCENE_SHOULDER 1.1 /* of the shoulder's height: handles above are out of reach */

typedef struct carry_state {
  po_skill_prop prop;
  double start_z, lifted_at, lift, from_x, from_y, carried, dropped, stand_since, com_error;
} carry_state;

static po_status carry_shelf(po_run *r, double height, double at, po_error *err) {
  po_status st = po_terrain_new(&r->terrain, NULL);
  if (st == PO_OK) st = po_terrain_add_plane(r->terrain, po_v3(0, 0, 1), 0, 1);
  if (st == PO_OK && height > 0) st = po_terrain_add_step(r->terrain, po_v3(at - CARRY_SCENE_POST, -0.5 * CARRY_SCENE_WIDTH, 0), po_v3(at + CARRY_SCENE_POST, 0.5 * CARRY_SCENE_WIDTH, height), 1);
  if (st == PO_OK && height > 0) st = po_terrain_set_tag(r->terrain, r->terrain->boxes - 1, PO_TAG_OBSTACLE);
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}

static po_status carry_scene_init(po_run *r, po_error *err) {
  const carry_params *p = r->params;
  carry_state *s = r->state;
  po_status st;
  s->stand_since = s->lifted_at = -1;
  if ((st = carry_shelf(r, p->shelf, CARRY_SCENE_AT, err)) != PO_OK || (st = po_skill_body(r, p->friction, 0, err)) != PO_OK) return st;
  if ((st = po_skill_carried_crate(r, p->mass, CARRY_SCENE_WIDTH, err)) != PO_OK) return st;
  s->start_z = p->shelf + CARRY_SCENE_HIGH;
  po_skill_place_thing(r, po_v3(CARRY_SCENE_AT, 0, s->start_z), 0);
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  if (s->start_z > CARRY_SCENE_SHOULDER * po_skill_heights_of(po_run_move(r, 0)).shoulder)
    return po_fail(err, PO_ERR_RANGE, "shelf = %g: above the reach of shoulders %.2f m high", p->shelf, po_skill_heights_of(po_run_move(r, 0)).shoulder);
  po_skill_run(r)->goal.distance = p->distance;
  po_skill_run(r)->goal.turn = PO_RAD(p->turn_deg);
  return PO_OK;
}

static void carry_scene_observe(po_run *r) {
  carry_state *s = r->state;
  const po_data *d = po_world_data(r->world, 0);
  po_pose x = po_skill_thing_pose(r);
  double mass = r->model->total_mass;
  po_skill_watch_things(r);
  po_skill_watch_stand(&s->stand_since, r);
  s->lift = po_max(s->lift, s->prop.held >= 2 ? x.p.z - s->start_z : 0);
  if (s->lifted_at < 0 && s->lift >= CARRY_SCENE_LIFT) s->lifted_at = r->time, s->from_x = d->com.x, s->from_y = d->com.y;
  if (s->lifted_at < 0) return;
  s->carried = po_max(s->carried, sqrt((d->com.x - s->from_x) * (d->com.x - s->from_x) + (d->com.y - s->from_y) * (d->com.y - s->from_y)));
  s->dropped += s->prop.low < CARRY_SCENE_GROUND || s->prop.held < 2;
  { /* what the walk takes for the COM of body and crate, against what it is */
    po_vec3 real = po_v3_addscaled(d->com, s->prop.mass / (mass + s->prop.mass), po_v3_sub(x.p, d->com)), thought = d->com;
    double m = mass;
    int i;
    for (i = 0; i < 2; i++) {
      m += po_gbwc_carried(po_run_move(r, 0), i);
      thought = po_v3_addscaled(thought, po_gbwc_carried(po_run_move(r, 0), i) / m, po_v3_sub(po_skill_run(r)->thing.handle[i], thought));
    }
    s->com_error = po_max(s->com_error, sqrt((real.x - thought.x) * (real.x - thought.x) + (real.y - thought.y) * (real.y - thought.y)));
  }
}

static int carry_scene_finished(const po_run *r) {
  const carry_state *s = r->state;
  return po_move_phase(po_run_move(r, 0)) == 7 && s->stand_since >= 0 && r->time - s->stand_since >= CARRY_SCENE_STOOD;
}

static void carry_scene_judge(po_run *r) {
  const carry_params *p = r->params;
  const carry_state *s = r->state;
  po_run_set_result(r, "lifted_at", s->lifted_at >= 0 ? s->lifted_at : PO_NAN);
  po_run_set_result(r, "lift_height", s->lift);
  po_run_set_result(r, "crate_tilt_max_deg", PO_DEG(s->prop.tilt));
  po_run_set_result(r, "carried", s->carried);
  po_run_set_result(r, "hand_stretch_max", s->prop.stretch);
  po_run_set_result(r, "com_error", s->com_error);
  po_run_set_result(r, "grasp_force_max", s->prop.force);
  if (r->outcome != PO_RUNNING) return;
  if (s->lifted_at < 0 && s->start_z + CARRY_SCENE_LIFT > po_skill_heights_of(po_run_move(r, 0)).lift)
    po_run_fail(r, PO_FAILED, "the shelf is too high: lifted it by %.2f m, hands lift to %.2f m and would have to lift to %.2f m", s->lift, po_skill_heights_of(po_run_move(r, 0)).lift, s->start_z + CARRY_SCENE_LIFT);
  else if (s->lifted_at < 0) po_run_fail(r, PO_FAILED, "lifted it by %.2f m, %.2f are asked for: it came as far as '%s'", s->lift, CARRY_SCENE_LIFT, po_move_phase_string(po_run_move(r, 0)));
  else if (s->dropped > 0) po_run_fail(r, PO_FAILED, "the crate was let go");
  else if (s->carried < p->distance) po_run_fail(r, PO_FAILED, "carried it %.2f of %.2f m", s->carried, p->distance);
  else if (!(s->stand_since >= 0)) po_run_fail(r, PO_FAILED, "does not stand at the end");
}

const po_scenario po_scenario_carry = {
  .name = "carry", .summary = "take a crate from a shelf with both hands, carry it, stand",
  .success = "lifted by 0.2 m, carried as far as asked, never let go, held standing at the end",
  .model = "human", .move = "carry", .seconds = 60, .dt = 0.0005, .control_hz = 2000, .text = carry_text,
  .param = carry_param, .params = sizeof carry_param / sizeof *carry_param, .params_bytes = sizeof(carry_params),
  .state_bytes = sizeof(carry_state), .init = carry_scene_init, .before = po_skill_tell, .observe = carry_scene_observe, .finished = carry_scene_finished, .judge = carry_scene_judge};
