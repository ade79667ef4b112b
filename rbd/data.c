/* data.c: laying out a po_data. */
#include "lanes.h"
#include "tree.h"

/* One layout for po_data_bytes and po_data_init. What an inner loop touches together stands together. */
static void data_lay(po_data *d, const po_model *model, po_arena *arena) {
  const struct po_model_fast *t = model->fast;
  size_t nb = (size_t)model->nb, nv = (size_t)model->nv, rows = (size_t)po_pad4(model->nv) + 1, groups = (size_t)t->lanes->groups,
         n = (size_t)t->n + 1, angles = (size_t)t->angles;
  po_scratch *s = PO_ARENA_ZARRAY(arena, po_scratch, 1);
  po_scratch measured = {0};
  if (!s) s = &measured;
  s->angle = PO_ARENA_ZARRAY(arena, double, angles);
  s->sine = PO_ARENA_ZARRAY(arena, double, angles);
  s->cosine = PO_ARENA_ZARRAY(arena, double, angles);
  s->link = PO_ARENA_ZARRAY(arena, po_link_motion, n);
  s->place_b = PO_ARENA_ZARRAY(arena, po_place, n);
  s->motion_b = PO_ARENA_ZARRAY(arena, po_node_course, n);
  s->force = PO_ARENA_ZARRAY(arena, po_wrench, n);
  s->comp = PO_ARENA_ZARRAY(arena, po_composite, n);
  s->column = PO_ARENA_ZARRAY(arena, po_screw, rows);
  s->base_rows = PO_ARENA_ZARRAY(arena, po_screw, rows);
  s->rates = PO_ARENA_ZARRAY(arena, double, nv);
  s->screw_b = PO_ARENA_ZARRAY(arena, po_screw, rows);
  s->art = PO_ARENA_ZARRAY(arena, po_articulated, n);
  s->factor_U = PO_ARENA_ZARRAY(arena, po_screw, rows);
  s->factor_S = PO_ARENA_ZARRAY(arena, po_screw, rows);
  s->reach = PO_ARENA_ZARRAY(arena, po_screw, n);
  s->place = PO_ARENA_ZARRAY(arena, po_place, n);
  s->motion = PO_ARENA_ZARRAY(arena, po_node_course, n);
  s->screw = PO_ARENA_ZARRAY(arena, po_screw, rows);
  s->factor = PO_ARENA_ZARRAY(arena, double, t->packed);
  s->inverse = PO_ARENA_ZARRAY(arena, double, nv);
  s->work = PO_ARENA_ZARRAY(arena, double, rows);
  s->diagonal = PO_ARENA_ZARRAY(arena, double, rows);
  s->lane_link = PO_ARENA_ZARRAY(arena, po_lane_link, groups);
  s->lane_place = PO_ARENA_ZARRAY(arena, po_lane_place, groups);
  s->lane_place_b = PO_ARENA_ZARRAY(arena, po_lane_place, groups);
  s->lane_motion = PO_ARENA_ZARRAY(arena, po_lane_motion, groups);
  s->lane_motion_b = PO_ARENA_ZARRAY(arena, po_lane_motion, groups);
  s->lane_art = PO_ARENA_ZARRAY(arena, po_lane_articulated, groups);
  s->four = (double(*)[6][4])po_arena_zalloc(arena, sizeof(double[6][4]) * n);
  s->four_u = (double(*)[4])po_arena_zalloc(arena, sizeof(double[4]) * nv);
  s->lane_composite = PO_ARENA_ZARRAY(arena, po_lane_composite, groups);
  d->pose = PO_ARENA_ZARRAY(arena, po_pose, nb + 1); /* one more: what empty lanes write */
  d->vel = PO_ARENA_ZARRAY(arena, po_vec6, nb + 1);
  d->drift = PO_ARENA_ZARRAY(arena, po_vec6, nb + 1);
  d->M = po_arena_mat(arena, model->nv, model->nv);
  d->h = PO_ARENA_ZARRAY(arena, double, nv);
  d->Jcom = po_arena_mat(arena, 3, model->nv);
  d->cmm = po_arena_mat(arena, 6, model->nv);
  d->scratch = s == &measured ? NULL : s;
}

size_t po_data_bytes(const po_model *model) {
  po_data d;
  po_arena arena;
  po_arena_measure(&arena);
  data_lay(&d, model, &arena);
  return po_arena_used(&arena);
}

po_status po_data_init(po_data *data, const po_model *model, void *mem, size_t bytes) {
  static const po_data blank;
  po_data d = blank;
  po_arena arena;
  if (!data || !model || !mem) return PO_ERR_NULL;
  if (bytes < po_data_bytes(model)) return PO_ERR_MEMORY;
  po_arena_init(&arena, mem, bytes);
  data_lay(&d, model, &arena);
  if (arena.failed) return PO_ERR_MEMORY;
  d.model = model;
  d.gravity = po_v3(0, 0, -9.81);
  *data = d;
  return PO_OK;
}

po_status po_data_new(po_data **out, const po_model *model) {
  size_t head = (sizeof(po_data) + 31) / 32 * 32, bytes;
  unsigned char *block;
  po_status status;
  if (!out || !model) return PO_ERR_NULL;
  bytes = po_data_bytes(model);
  block = (unsigned char *)po_alloc(head + bytes);
  if (!block) return PO_ERR_MEMORY;
  status = po_data_init((po_data *)block, model, block + head, bytes);
  if (status != PO_OK) {
    po_free(block);
    return status;
  }
  *out = (po_data *)block;
  return PO_OK;
}

void po_data_free(po_data *data) { po_free(data); }

po_status po_data_set_model(po_data *data, const po_model *model) {
  const po_model *old;
  int i;
  if (!data || !model) return PO_ERR_NULL;
  old = data->model;
  if (old->nb != model->nb || old->nv != model->nv || old->fast->n != model->fast->n) return PO_ERR_SIZE;
  for (i = 0; i < model->nb; i++)
    if (old->joint[i].type != model->joint[i].type || old->joint[i].parent != model->joint[i].parent) return PO_ERR_SIZE;
  data->model = model;
  return PO_OK;
}
