/* world_model.c: po_world_set_model: a character changes its build between two steps, and its lowest foot stays where it stands. */
#include "world_internal.h"
#include <string.h>

static int model_same_tree(const po_model *a, const po_model *b) {
  int i;
  if (a->nb != b->nb || a->nq != b->nq || a->nv != b->nv || a->shapes != b->shapes || po_free_body_is(a) != po_free_body_is(b)) return 0;
  for (i = 0; i < a->nb; i++)
    if (a->joint[i].type != b->joint[i].type || a->joint[i].parent != b->joint[i].parent) return 0;
  for (i = 0; i < a->shapes; i++)
    if (a->shape[i].body != b->shape[i].body) return 0;
  return 1;
}

static double model_lowest_point(const po_data *d, int body) {
  const po_model *m = d->model;
  double low = PO_INF;
  int i;
  for (i = 0; i < m->shapes; i++) {
    const po_shape *s = &m->shape[i];
    po_solid solid;
    po_vec3 lo, hi;
    if (s->body != body) continue;
    solid.type = s->type;
    memcpy(solid.size, s->size, sizeof solid.size);
    solid.hull = s->hull;
    solid.R = po_m3_mul(d->pose[body].R, s->pose.R);
    solid.p = po_v3_add(d->pose[body].p, po_m3_mul_v(d->pose[body].R, s->pose.p));
    po_solid_bounds(&lo, &hi, &solid, 0);
    low = po_min(low, lo.z);
  }
  return low;
}

/* The lowest link named foot…; without one, the lowest link that has a shape; −1: none. */
static int model_support(const po_data *d) {
  const po_model *m = d->model;
  double best[2] = {PO_INF, PO_INF};
  int i, at[2] = {-1, -1};
  for (i = 0; i < m->nb; i++) {
    int other = strncmp(m->body_name[i], "foot", 4) != 0;
    double low = model_lowest_point(d, i);
    if (low < best[other]) {
      best[other] = low;
      at[other] = i;
    }
  }
  return at[0] >= 0 ? at[0] : at[1];
}

po_status po_world_set_model(po_world *world, int i, const po_model *model) {
  po_character *c;
  po_data *d;
  po_pose before, after, turn;
  int foot;
  if (!world || !model) return PO_ERR_NULL;
  if (i < 0 || i >= world->count) return PO_ERR_RANGE;
  c = world->character[i];
  if (!model_same_tree(c->model, model) || po_data_bytes(c->model) != po_data_bytes(model)) return PO_ERR_MODEL;
  d = &c->user_data;
  po_kinematics(d, c->q, c->v);
  foot = model_support(d);
  if (foot >= 0) before = d->pose[foot];
  po_character_set_model(c, model);
  if (foot < 0 || !model->floating) return PO_OK;
  po_kinematics(d, c->q, c->v);
  after = d->pose[foot];
  /* moves the whole by before after^-1; the base's joint frame is the world's unless its placement says otherwise */
  turn.R = po_m3_mult(before.R, after.R);
  turn.p = po_v3_sub(before.p, po_m3_mul_v(turn.R, after.p));
  {
    po_pose base = d->pose[0];
    const po_pose *placement = &model->joint[0].placement;
    po_mat3 R = po_m3_tmul(placement->R, po_m3_mul(turn.R, base.R));
    po_vec3 p = po_v3_add(turn.p, po_m3_mul_v(turn.R, base.p));
    po_q_to(c->q, po_q_from_matrix(R));
    po_v3_to(c->q + 4, po_m3_tmul_v(placement->R, po_v3_sub(p, placement->p)));
  }
  return PO_OK;
}
