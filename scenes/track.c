/* track.c: a character that follows a motion by plans of its momenta (Ye & Liu 2010). */
#include "../motion/motion.h"
#include "scenes.h"
#include <math.h>
#include <string.h>

#define SCENE_TRACK_TILT 60.0      /* degrees: a trunk farther from upright has fallen */
#define SCENE_TRACK_LATE 2.0       /* times its frames: a segment that takes longer is lost */
#define SCENE_TRACK_COM 0.05       /* m and m/s at the end of the last whole segment */
#define SCENE_TRACK_SPEED 0.1
#define SCENE_TRACK_CONE 1e-9      /* m g */
#define SCENE_TRACK_MOMENTUM 1e-6
#define SCENE_TRACK_LIMIT 1e-9     /* rad: rounding. By torques limits are the simulator's */
#define SCENE_TRACK_WIDE 100.0     /* m: of treads across, and of the first and last along */
#define SCENE_TRACK_BELOW 1.0      /* m: from the lowest tread to the plane below */
#define SCENE_TRACK_SLIP 0.02      /* m */

typedef struct track_scene_state { double tilt, recovered_at; long segments; } track_scene_state;

static po_status track_scene_motion(void *move_params, const po_move_type *type, const char *motion, po_error *err) {
  po_track_params *p = move_params;
  if (type != &po_track_type) return PO_OK;
  if (strlen(motion) >= sizeof p->motion) return po_fail(err, PO_ERR_SIZE, "motion: a path of at most %d bytes", (int)sizeof p->motion - 1);
  memset(p->motion, 0, sizeof p->motion);
  memcpy(p->motion, motion, strlen(motion));
  if (!strcmp(motion, "squat")) p->w_a = 200, p->w_b = 20; /* the paper's */
  return PO_OK;
}
static const po_text_param track_scene_text[] = {
    {"motion", "walk", "walk, long-step, squat, FILE.motion or FILE.bvh", track_scene_motion}, {NULL, NULL, NULL, NULL}};

static const po_track_figures *track_scene_figures(const po_run *r) { return po_track_figures_of(po_run_move(r, 0)); }

/* Where feet land in a segment: along x from … to; 0: none steps. */
static int track_scene_landing(double *from, double *to, const po_motion *m, const po_segment *s, po_data *d) {
  int f, c, k, found = 0;
  po_kinematics(d, po_motion_q(m, s->to), NULL);
  for (f = 0; f < m->corners.feet && !found; f++) {
    int off = 0, lands = 0;
    for (k = s->from; k < s->to; k++) {
      int stands = (m->planted[k] & m->corners.of_foot[f]) != 0;
      lands |= stands && off;
      off = !stands;
    }
    if (!lands) continue;
    *from = PO_INF, *to = -PO_INF;
    for (c = 0; c < m->corners.count; c++) {
      const po_frame *frame = &m->model->frame[m->corners.frame[c]];
      double x = po_point_position(d, frame->body, frame->pose.p).x;
      if (m->corners.foot[c] != f) continue;
      *from = po_min(*from, x), *to = po_max(*to, x);
    }
    found = 1;
  }
  return found;
}

/* Boxes under the feet of a motion along x: each tread begins in the middle between the last foot's toes and the next one's heel. The treads' height is
 * counted from a plane below the lowest. */
static po_status track_scene_treads(po_terrain *t, const po_motion *m, const po_track_params *p, double mu, po_error *err) {
  po_segment segment[64];
  double down = po_min(0, p->stair * p->change_count) - SCENE_TRACK_BELOW, edge = -SCENE_TRACK_WIDE, toes = 0, height = 0, way = 0, from, to;
  int i, count, n, last = (int)(p->change_from + p->change_count);
  po_status s = po_motion_segments(segment, &count, 64, m, err);
  po_data *d;
  if (s != PO_OK) return s;
  if ((s = po_data_new(&d, m->model)) != PO_OK) return po_fail(err, s, "out of memory");
  po_terrain_add_plane(t, po_v3(0, 0, 1), down, mu);
  for (n = 1, i = 0; n < last && s == PO_OK; n++, i++) {
    if (i == count) i = 0, way += po_motion_stride(m).shift.x;
    if (!track_scene_landing(&from, &to, m, &segment[i], d)) continue;
    from += way, to += way;
    if (n >= p->change_from) {
      way += p->step_change, from += p->step_change, to += p->step_change;
      s = po_terrain_add_step(t, po_v3(edge, -SCENE_TRACK_WIDE, down - 1), po_v3(0.5 * (toes + from), SCENE_TRACK_WIDE, height), mu);
      edge = 0.5 * (toes + from);
      height += p->stair;
    }
    toes = to;
  }
  if (s == PO_OK) s = po_terrain_add_step(t, po_v3(edge, -SCENE_TRACK_WIDE, down - 1), po_v3(edge + SCENE_TRACK_WIDE, SCENE_TRACK_WIDE, height), mu);
  po_data_free(d);
  return s == PO_OK ? s : po_fail(err, s, "stairs: %s", po_status_string(s));
}

/* Stairs where the feet of the motion will be, if it steps and repeats. */
static po_status track_scene_ground(po_run *r, po_error *err) {
  const po_track_params *p = r->move_params;
  po_terrain_dims dims = po_terrain_dims_default();
  po_motion *m;
  po_status s;
  if (p->stair == 0 && p->mu == 1) return PO_OK;
  if (p->change_count > 60) return po_fail(err, PO_ERR_RANGE, "change_count: at most 60 stairs are built");
  if ((s = po_motion_load(&m, NULL, r->model, p->motion[0] ? p->motion : "walk", p->hz, NULL, err)) != PO_OK) return s;
  s = po_terrain_new(&r->terrain, &dims);
  if (s != PO_OK) po_fail(err, s, "terrain: %s", po_status_string(s));
  else if (p->stair != 0) s = track_scene_treads(r->terrain, m, p, p->mu, err);
  else s = po_terrain_add_plane(r->terrain, po_v3(0, 0, 1), 0, p->mu);
  po_motion_free(m);
  return s;
}

static po_status track_scene_init(po_run *r, po_error *err) {
  track_scene_state *s = r->state;
  po_status st;
  if ((st = track_scene_ground(r, err)) != PO_OK) return st;
  if ((st = po_run_world(r, NULL, 1, err)) != PO_OK || (st = po_run_sim(r, err)) != PO_OK) return st;
  po_track_begin_state(po_world_q(r->world, 0), po_world_v(r->world, 0), po_run_move(r, 0));
  po_run_add_noise(r, 0);
  s->recovered_at = PO_NAN;
  return PO_OK;
}

static void track_scene_observe(po_run *r) {
  track_scene_state *s = r->state;
  const po_track_figures *f = track_scene_figures(r);
  int i, trunk = po_find_body(r->model, "thorax");
  double pushed = 0, up = po_world_data(r->world, 0)->pose[trunk < 0 ? 0 : trunk].R.m[8];
  s->tilt = po_max(s->tilt, PO_DEG(po_acos(po_clamp(up, -1, 1))));
  if (s->tilt > SCENE_TRACK_TILT) po_run_fail(r, PO_FELL, "the trunk is %.0f degrees from upright", s->tilt);
  if (f->late > SCENE_TRACK_LATE) po_run_fail(r, PO_FAILED, "segment %ld takes more than twice its time", f->segments + 1);
  for (i = 0; i < r->opts.pushes; i++) pushed = po_max(pushed, r->opts.push[i].time + r->opts.push[i].duration);
  if (f->segments == s->segments) return;
  s->segments = f->segments;
  if (!r->opts.pushes || r->time < pushed) return;
  if (!(f->com_error < SCENE_TRACK_COM && f->speed_error < SCENE_TRACK_SPEED)) s->recovered_at = PO_NAN;
  else if (!(s->recovered_at > 0)) s->recovered_at = r->time;
}

static void track_scene_follow(po_follow_mark *mark, const po_run *r) {
  po_track_view(&mark->phase, &mark->force, &mark->at, &mark->goal, &mark->foothold, po_run_move(r, 0));
}

static int track_scene_finished(const po_run *r) { return po_move_done(po_run_move(r, 0)) != PO_MOVE_GOING; }

static void track_scene_verdict(po_run *r, const po_track_figures *f) {
  double weight = r->model->total_mass * 9.81;
  if (f->segments < 1) po_run_fail(r, PO_FAILED, "no segment was done");
  else if (!(f->com_error < SCENE_TRACK_COM)) po_run_fail(r, PO_FAILED, "the COM ends %.3f m from the reference", f->com_error);
  else if (!(f->speed_error < SCENE_TRACK_SPEED)) po_run_fail(r, PO_FAILED, "the COM ends %.3f m/s from the reference", f->speed_error);
  else if (!(f->cone_violation < SCENE_TRACK_CONE * weight)) po_run_fail(r, PO_FAILED, "a force leaves its cone by %g N", f->cone_violation);
  else if (r->opts.optimizer && !(f->momentum_error < SCENE_TRACK_MOMENTUM)) po_run_fail(r, PO_FAILED, "momenta are %g from the planned ones", f->momentum_error);
  else if (r->opts.optimizer && !(f->limit_excess < SCENE_TRACK_LIMIT)) po_run_fail(r, PO_FAILED, "a joint passes its limit by %g", f->limit_excess);
  else if (!(f->foot_slip < SCENE_TRACK_SLIP)) po_run_fail(r, PO_FAILED, "a planted corner slid %.3f m", f->foot_slip);
}

static void track_scene_judge(po_run *r) {
  const track_scene_state *s = r->state;
  const po_track_figures *f = track_scene_figures(r);
  double tick, plan;
  po_track_seconds(&tick, &plan, po_run_move(r, 0));
  po_run_set_result(r, "segments", (double)f->segments);
  po_run_set_result(r, "frames_nominal", f->frames_nominal);
  po_run_set_result(r, "frames_change", f->frames_change);
  po_run_set_result(r, "frames_change_sum", f->frames_change_sum);
  po_run_set_result(r, "goal_error_max", f->goal_error);
  po_run_set_result(r, "com_error_end", f->com_error);
  po_run_set_result(r, "speed_error_end", f->speed_error);
  po_run_set_result(r, "recovered_at", s->recovered_at);
  po_run_set_result(r, "am_peak", f->am_peak);
  po_run_set_result(r, "force_peak", f->force_peak);
  po_run_set_result(r, "force_rms", f->force_seconds > 0 ? sqrt(f->force_square / f->force_seconds) : PO_NAN);
  po_run_set_result(r, "cone_violation", f->cone_violation);
  po_run_set_result(r, "momentum_error", f->momentum_error);
  po_run_set_result(r, "foot_slip_max", f->foot_slip);
  po_run_set_result(r, "joint_error_max", f->joint_error);
  po_run_set_result(r, "limit_violation", f->limit_excess);
  po_run_set_result(r, "torque_share_max", f->torque_share);
  po_run_set_result(r, "foothold_shift_max", f->foothold_shift);
  po_run_set_result(r, "com_lag_max", f->com_lag);
  po_run_set_result(r, "tilt_max_deg", s->tilt);
  po_run_set_result(r, "plan_iterations_max", (double)f->iterations);
  po_run_set_result(r, "replans", (double)f->replans);
  po_run_set_result(r, "replans_lost", (double)f->replans_lost);
  po_run_set_result(r, "plan_ms", 1e3 * plan);
  po_run_set_result(r, "tick_us", 1e6 * tick);
  if (r->outcome == PO_RUNNING) track_scene_verdict(r, f);
}

const po_scenario po_scenario_track = {
  .name = "track", .summary = "follow a motion by plans of its momenta, and give way when pushed",
  .success = "does not fall or tilt by 60 degrees; segments done within twice their time; at the last one's end COM within 5 cm and 0.1 m/s; forces in their cones; feet slide less than 2 cm",
  .model = "human", .move = "track", .seconds = 12, .dt = 0.001, .control_hz = 1000, .optimizer_hz = 120, .text = track_scene_text,
  .state_bytes = sizeof(track_scene_state), .init = track_scene_init, .observe = track_scene_observe, .finished = track_scene_finished, .judge = track_scene_judge, .follow = track_scene_follow};
