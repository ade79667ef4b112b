/* run_motion.c: a run's character 0 as a motion: its q and v at a fixed rate, and the corners of its soles that stand: those that touch the terrain and
 * are slow. A corner that touches while it still slides is not planted. */
#include "scenes.h"
#include <math.h>

static long record_every(double hz, double dt) { /* steps between frames */
  double every = floor(1 / (hz * dt) + 0.5);
  return every < 1 ? 1 : (long)every;
}

po_status po_run_motion_new(po_motion **motion, const po_run *r, double hz, po_error *err) {
  long every;
  po_status s;
  *motion = NULL;
  if (!r->model || !po_world_count(r->world))
    return po_fail(err, PO_ERR_MODEL, "%s has no body whose motion could be kept", r->scenario->name);
  every = record_every(hz, r->opts.dt);
  s = po_motion_new(motion, r->model, 1 / ((double)every * r->opts.dt), (int)(r->total_steps / every) + 2);
  return s == PO_OK ? PO_OK : po_fail(err, s, "no room for the motion: %s", po_status_string(s));
}

static uint32_t record_planted(const po_motion *m, const po_run *r, const po_data *d) {
  po_planted_opts o = po_planted_opts_default(m->model);
  uint32_t planted = 0;
  po_surface at;
  int c;
  for (c = 0; c < m->corners.count; c++) {
    const po_frame *f = &m->model->frame[m->corners.frame[c]];
    if (po_terrain_gap(&at, po_run_ground(r), po_point_position(d, f->body, f->pose.p)) > o.height) continue;
    if (po_v3_norm(po_point_velocity(d, f->body, f->pose.p)) <= o.speed) planted |= (uint32_t)1 << c;
  }
  return planted;
}

void po_run_motion_step(po_motion *m, po_run *r) {
  po_data *d = po_world_data(r->world, 0);
  if (r->steps != m->frames * record_every(m->hz, r->opts.dt)) return; /* not due, or kept already */
  po_kinematics(d, po_world_q(r->world, 0), po_world_v(r->world, 0));
  po_motion_add(m, po_world_q(r->world, 0), po_world_v(r->world, 0),
                record_planted(m, r, d)); /* a state that is not finite ends the motion */
}

void po_run_motion_finish(po_motion *m) { po_motion_close_gaps(m, po_planted_opts_default(m->model).gap); }
