/* skill_scene.c: what the scenes of skills share: the body on its ground, feet over edges, heads below bars. */
#include "skill_scene.h"

#define SKILL_SOLE_SAMPLES 14    /* along a sole */
#define SKILL_SOLE_GROUND 0.03   /* m: ground farther below a sole than this does not carry it */
#define SKILL_SOLE_LOAD 0.1      /* of the weight: a foot that carries less is on its way */

po_status po_skill_style(void *move_params, const po_move_type *type, const char *style, po_error *err) {
  return type->param == po_gbwc_param ? po_gbwc_style_apply(move_params, style, err) : PO_OK;
}

po_status po_skill_body(po_run *r, double friction, double x, po_error *err) {
  po_world_opts opts = po_world_opts_default();
  po_status st;
  opts.mu = friction;
  if ((st = po_run_world(r, &opts, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), x, 0, 0, 0.97, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  return PO_OK;
}

po_skill_task *po_skill_run(const po_run *r) { return po_skill_task_of(po_run_move(r, 0)); }

double po_skill_overhang(const po_run *r, int foot) {
  const po_actor *a = po_run_move(r, 0)->actor;
  const po_patch *p = &a->patches.patch[foot];
  const po_data *d = po_world_data(r->world, 0);
  double weight = r->model->total_mass * po_v3_norm(d->gravity);
  po_vec3 heel, toe;
  int i, hanging = 0;
  if (r->sim->character[0].feet.patch[foot].force < SKILL_SOLE_LOAD * weight) return 0;
  heel = po_v3_scale(0.5, po_v3_add(po_point_position(d, p->point_body[0], p->point[0]), po_point_position(d, p->point_body[1], p->point[1])));
  toe = po_v3_scale(0.5, po_v3_add(po_point_position(d, p->point_body[2], p->point[2]), po_point_position(d, p->point_body[3], p->point[3])));
  for (i = 0; i < SKILL_SOLE_SAMPLES; i++) {
    po_vec3 x = po_v3_addscaled(heel, (i + 0.5) / SKILL_SOLE_SAMPLES, po_v3_sub(toe, heel));
    hanging += x.z - po_terrain_surface_below(po_run_ground(r), x.x, x.y, x.z + SKILL_SOLE_GROUND, PO_ANY_TAG).height > SKILL_SOLE_GROUND;
  }
  /* a foot that rolls over its heel or toes is not flat: only one whose both ends are as low as each other stands */
  return po_abs(heel.z - toe.z) < SKILL_SOLE_GROUND ? (double)hanging / SKILL_SOLE_SAMPLES : 0;
}

void po_skill_watch_stand(double *since, const po_run *r) {
  if (po_gbwc_now(po_run_move(r, 0))->mode != PO_GBWC_STAND) *since = -1;
  else if (*since < 0) *since = r->time;
}

double po_skill_foot_height(const po_run *r, int foot, double at) {
  const po_patch *p = &po_run_move(r, 0)->actor->patches.patch[foot];
  const po_data *d = po_world_data(r->world, 0);
  double low = PO_INF;
  int i, k;
  for (i = 0; i < p->points; i++)
    for (k = 0; k < i; k++) {
      po_vec3 a = po_point_position(d, p->point_body[i], p->point[i]), b = po_point_position(d, p->point_body[k], p->point[k]);
      if ((a.x - at) * (b.x - at) > 0 || po_abs(a.x - b.x) < 1e-6) continue;
      low = po_min(low, a.z + (b.z - a.z) * (at - a.x) / (b.x - a.x));
    }
  return low;
}

double po_skill_head_top(const po_run *r) {
  const po_data *d = po_world_data(r->world, 0);
  int i, head = po_find_body(r->model, "head");
  double top = -PO_INF;
  for (i = 0; i < r->model->shapes && head >= 0; i++)
    if (r->model->shape[i].body == head) top = po_max(top, po_point_position(d, head, r->model->shape[i].pose.p).z + r->model->shape[i].size[0]);
  return top;
}

double po_skill_random(uint64_t seed, int index) {
  po_rng rng;
  po_rng_init(&rng, seed + 1, (uint64_t)(1000 + index));
  return po_rng_range(&rng, -1, 1);
}
