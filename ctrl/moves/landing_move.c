/* landing_move.c: the landing as a movement of its own: takes over a body in the air, in whatever state, and brings it to stand. */
#include "airborne_internal.h"
#include <string.h>

const po_param po_land_param[] = {PO_LANDING_ROWS(po_land_params, landing)};
const int po_land_param_count = (int)(sizeof po_land_param / sizeof po_land_param[0]);

static const char *const land_stage_names[] = {"arrive", "land", "done"};

typedef struct land {
  po_turner turner;
  po_land_params params;
  int stage;                 /* plain values from here on */
  po_landing landing;
} land;

#define LAND_STOOD 0.5 /* s of standing still: it is done */

static land *land_of(const po_move *move) { return (land *)(void *)(size_t)(const void *)move; }

static void land_enter(po_move *move, const po_move *from) {
  land *l = land_of(move);
  (void)from;
  memset((char *)l + offsetof(land, stage), 0, sizeof *l - offsetof(land, stage));
  po_turner_begin(&l->turner, 0, PO_BY_TRUNK);
}

static void land_aim(po_move *move, const po_sense *sense) {
  land *l = land_of(move);
  if (move->time > 0) po_phase_update(&l->turner.turning.phase, move->actor->data, sense->dt);
  po_landing_aim(&l->landing, &l->turner.body, &l->params.landing, sense->dt);
  l->stage = po_landing_stood(&l->landing, LAND_STOOD) ? 2 : l->landing.stage == PO_LANDING_DOWN;
  l->turner.turning.steps = l->landing.steps;
  move->com_target = l->stage ? l->landing.capture : move->actor->data->com;
}

static po_move_outcome land_done(const po_move *move) { return land_of(move)->stage == 2 ? PO_MOVE_DONE : PO_MOVE_GOING; }
static int land_phase(const po_move *move) { return land_of(move)->stage; }

static void land_stream(po_move *move, po_stream *s) {
  land *l = land_of(move);
  po_turner_stream(&l->turner, s);
  po_stream_bytes(s, &l->stage, sizeof *l - offsetof(land, stage));
}

static po_status land_set_model(po_move *move) { return po_turner_init(move, NULL); }

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
  .layout = po_turner_layout,
  .init = po_turner_init,
  .attach = po_turner_attach,
  .enter = land_enter,
  .aim = land_aim,
  .done = land_done,
  .phase = land_phase,
  .phase_name = land_stage_names,
  .stream = land_stream,
  .set_model = land_set_model,
};
