/* landing_move.c: the landing as a movement of its own: takes over a body in the air, in whatever state, and brings it to stand. */
#include "turner.h"

const po_param po_land_param[] = {PO_LANDING_ROWS(po_land_params, landing)};
const int po_land_param_count = (int)(sizeof po_land_param / sizeof po_land_param[0]);

enum { LAND_ARRIVE, LAND_LAND, LAND_DONE };
static const po_turner_row land_stages[] = {
  [LAND_ARRIVE] = {"arrive", po_turner_land, {{po_turner_landed, LAND_LAND, PO_NEXT_TICK}}, NULL},
  [LAND_LAND] = {"land", po_turner_land, {{po_turner_flies, LAND_ARRIVE, PO_NEXT_TICK}, {po_turner_stood, LAND_DONE, PO_NEXT_TICK}}, NULL},
  [LAND_DONE] = {"done", po_turner_land, {{NULL, 0, 0}}, NULL},
};

typedef struct land {
  po_turner turner;
  po_land_params params;
} land;

static po_status land_init(po_move *move, po_error *err) {
  return po_turner_init(move, land_stages, NULL, NULL, &((land *)po_turner_of(move))->params.landing, err);
}

static void land_enter(po_move *move, const po_move *from) {
  (void)from;
  po_turner_begin(po_turner_of(move), 0, PO_BY_TRUNK);
}

const po_move_type po_land_type = {
  .name = "land",
  .summary = "a body that falls, turning, comes to stand",
  .needs = PO_NEEDS_FEET | PO_NEEDS_WBC,
  .body = "gymnast",
  .bytes = sizeof(land),
  .params_at = offsetof(land, params),
  .params_bytes = sizeof(po_land_params),
  .param = po_land_param,
  .param_count = &po_land_param_count,
  .state_at = PO_TURNER_STATE,
  .state_bytes = offsetof(land, params) - PO_TURNER_STATE,
  .layout = po_turner_layout,
  .init = land_init,
  .attach = po_turner_attach,
  .enter = land_enter,
  .aim = po_turner_aim,
  .done = po_turner_done,
  .phase = po_turner_stage,
  .phase_string = po_turner_stage_name,
  .set_model = po_turner_set_model,
};
