/* proportions.c: bodies of random proportions, and limbs that grow while a run goes on. */
#include "proportions.h"
#include <string.h>

#define PROPORTION_SIZES 20 /* a body grows in so many steps */

po_status po_run_random_body(po_run *r, const po_random_params *p, po_error *err) {
  const po_model *made = NULL;
  po_status st;
  if (!(p->body_seed > 0)) return PO_OK;
  if (r->opts.model) return po_fail(err, PO_ERR_RANGE, "body_seed makes a body of its own: it takes no model");
  if ((st = po_body_random(&made, (uint64_t)p->body_seed, p->body_spread, err)) != PO_OK) return st;
  po_model_free(r->model);
  r->model = made;
  return PO_OK;
}

/* `pair` scaled on both sides. */
static po_status proportion_pair(const po_model **made, const po_model *m, const char *pair, double s, po_error *err) {
  const po_model *half = NULL;
  char name[2][24];
  po_status st;
  int f;
  for (f = 0; f < 2; f++) po_format(name[f], sizeof name[f], "%s_%c", pair, f == 0 ? 'l' : 'r');
  if ((st = po_model_scale_limb(&half, m, name[0], s, err)) == PO_OK) st = po_model_scale_limb(made, half, name[1], s, err);
  po_model_free(half);
  return st;
}

po_status po_run_prepare_growth(po_run *r, const po_growth_params *p, po_error *err) {
  const char *limbs = po_run_text(r, "limbs");
  po_status st = PO_OK;
  int i;
  for (i = 0; i < PROPORTION_SIZES && p->grow != 1 && st == PO_OK; i++) {
    double s = 1 + (p->grow - 1) * (i + 1) / PROPORTION_SIZES;
    if (!strcmp(limbs, "arms")) st = proportion_pair(&r->spare[i], r->model, "upper_arm", s, err);
    else if (!strcmp(limbs, "legs")) st = proportion_pair(&r->spare[i], r->model, "thigh", s, err);
    else st = po_model_scale_limb(&r->spare[i], r->model, !strcmp(limbs, "all") ? NULL : limbs, s, err);
  }
  return st;
}

po_status po_run_grow(int *grown, po_run *r, const po_growth_params *p) {
  int size = (int)(po_clamp((r->time - p->grow_start) / p->grow_seconds, 0, 1) * PROPORTION_SIZES);
  po_status st;
  if (p->grow == 1 || size == *grown || r->steps % r->sim->control_every) return PO_OK;
  *grown = size;
  if ((st = po_world_set_model(r->world, 0, r->spare[size - 1])) == PO_OK) st = po_move_set_model(po_run_move(r, 0), r->spare[size - 1]);
  return st;
}
