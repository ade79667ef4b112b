/* sequence.c: one behaviour after the other, each taking over from the last. */
#include "scenes.h"

static const po_text_param sequence_text[] = {
  {"moves", "walk:4,stand:1,jump:0.3,walk:3", "what to do, one after the other: NAME[:NUMBER][:NAME=VALUE]..., the number seconds for walk, stand and squat, "
   "height for jumps; separated by commas", NULL},
  {NULL, NULL, NULL, NULL}};

static const char *sequence_body(const po_run *r) { return po_sequence_body(po_run_text(r, "moves")); }

static po_status sequence_init(po_run *r, po_error *err) {
  po_move *move;
  po_status st;
  if ((st = po_run_world(r, NULL, 1, err)) != PO_OK) return st;
  if ((st = po_stand_pose(po_world_q(r->world, 0), r->model, po_run_ground(r), 0, 0, 0, 0.97, err)) != PO_OK) return st;
  po_run_add_noise(r, 0);
  if ((st = po_run_sim(r, err)) != PO_OK) return st;
  if ((st = po_sequence_new(&move, po_run_text(r, "moves"), r->model, po_run_ground(r), &r->opts.wbc, err)) != PO_OK) return st;
  if ((st = po_run_add_move(r, 0, move, err)) != PO_OK) return st;
  if (po_sequence_needs(po_run_text(r, "moves"), NULL) & PO_NEEDS_HANDS) r->sim->character[0].may_touch |= PO_BOTH_HANDS; /* planned, so no fall */
  return PO_OK;
}

static int sequence_finished(const po_run *r) {
  const po_sequence *s = po_sequence_of(po_run_move(r, 0));
  return s->now.at >= s->steps || po_move_done(po_run_move(r, 0)) != PO_MOVE_GOING;
}

static void sequence_judge(po_run *r) {
  const po_sequence *s = po_sequence_of(po_run_move(r, 0));
  int i, done = 0;
  for (i = 0; i < s->steps; i++) done += s->now.outcome[i] == PO_MOVE_DONE && s->now.ended[i] >= 0;
  po_run_set_result(r, "moves_asked", s->steps);
  po_run_set_result(r, "moves_done", done);
  if (r->outcome != PO_RUNNING || done == s->steps) return;
  i = s->now.at < s->steps ? s->now.at : s->steps - 1;
  if (s->now.reason[0]) po_run_fail(r, PO_FAILED, "%s: %s", s->step[i].move->name, s->now.reason);
  else po_run_fail(r, PO_FAILED, "%d of %d moves done: %s was not, after %.2f s", done, s->steps, s->step[i].move->name, r->time);
}

const po_scenario po_scenario_sequence = {
  .name = "sequence", .summary = "one behaviour after the other, each taking over from the last",
  .success = "every move is done, and nothing falls",
  .model = "human", .seconds = 120, .dt = 0.001, .control_hz = 1000, .text = sequence_text,
  .body = sequence_body, .init = sequence_init, .finished = sequence_finished, .judge = sequence_judge};
