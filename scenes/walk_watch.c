/* walk_watch.c: how a body walks, in the figures of gait laboratories. */
#include "walk_watch.h"
#include "../ctrl/plan/plan.h"
#include <string.h>

#define WALK_WATCH_DOWN 0.05 /* of the weight: more than a toe that brushes the ground, */
#define WALK_WATCH_UP 0.01   /* less than any foot that carries */
#define WALK_WATCH_STANCE 0.1 /* s: a foot that leaves earlier has bounced */
#define WALK_WATCH_AWAY 0.06 /* s: a foot that is back earlier has not left; a swing takes 0.3 s and more */
#define WALK_WATCH_HZ 50.0   /* force plates are usually read through 20 to 50 Hz */
#define WALK_WATCH_HUMP 0.05 /* of the weight: a dip this deep parts two humps; between people's it is 0.2 to 0.4 deep */
#define WALK_WATCH_LOADING 0.5 /* of the time between strikes: the knee gives at 15 % of a stride, 30 % of a step */

static void walk_mean_add(walk_mean *m, double x) {
  m->sum += x;
  m->n += 1;
}
static double walk_mean_of(const walk_mean *m) { return m->n > 0 ? m->sum / m->n : PO_NAN; }

static walk_range walk_range_none(void) {
  walk_range r = {PO_INF, -PO_INF};
  return r;
}
static void walk_range_add(walk_range *r, double x) {
  r->lower = po_min(r->lower, x);
  r->upper = po_max(r->upper, x);
}

static void walk_watch_stride(walk_watch *s) {
  s->thorax_yaw = s->pelvis_yaw = s->pelvis_roll = s->shoulder[0] = s->shoulder[1] = walk_range_none();
}

void walk_watch_begin(walk_watch *s, const po_run *r) {
  int f;
  memset(s, 0, sizeof *s);
  s->thorax = po_find_body(r->model, "thorax");
  s->weight = r->model->total_mass * po_v3_norm(po_run_move(r, 0)->actor->data->gravity);
  s->height = walk_range_none();
  walk_watch_stride(s);
  for (f = 0; f < 2; f++) s->foot[f].rising = 1;
}

/* ---- angles ---- */

static double walk_knee(const po_data *d, const po_legs *legs, int f) {
  po_vec3 hip = d->pose[legs->thigh[f]].p, knee = d->pose[legs->shank[f]].p, ankle = d->pose[legs->foot[f]].p;
  po_vec3 a = po_v3_sub(knee, hip), b = po_v3_sub(ankle, knee);
  return po_v3_angle(a, b);
}

/* Negative: heel up. */
static double walk_pitch(const po_data *d, const po_patch *p) {
  po_vec3 sole = po_v3_sub(po_frame_position(d, p->toe), po_frame_position(d, p->heel));
  return po_atan2(sole.z, sqrt(sole.x * sole.x + sole.y * sole.y));
}


static void walk_watch_trunk(walk_watch *s, const po_data *d, const po_legs *legs, double facing) {
  const po_mat3 *P = &d->pose[0].R, *R = s->thorax >= 0 ? &d->pose[s->thorax].R : P;
  double si, co;
  int f;
  po_sincos(&si, &co, facing);
  walk_range_add(&s->thorax_yaw, po_wrap(po_m3_yaw(*R) - facing));
  walk_range_add(&s->pelvis_yaw, po_wrap(po_m3_yaw(*P) - facing));
  walk_range_add(&s->pelvis_roll, po_atan2(P->m[7], P->m[8]));
  walk_range_add(&s->height, d->com.z);
  for (f = 0; f < 2; f++)
    if (legs->upper_arm[f] >= 0 && legs->forearm[f] >= 0) {
      po_vec3 arm = po_m3_tmul_v(*R, po_v3_sub(d->pose[legs->forearm[f]].p, d->pose[legs->upper_arm[f]].p));
      walk_range_add(&s->shoulder[f], po_atan2(arm.x, -arm.z));
    }
}

/* ---- feet ---- */

static void walk_watch_struck(walk_watch *s, int f, double knee) {
  int k;
  s->strikes++;
  s->step_seconds = s->since_strike;
  s->since_strike = 0;
  if (s->strikes > 1) {
    walk_mean_add(&s->strike, knee);
    walk_mean_add(&s->swing, s->foot[f].bend);
    if (s->height.upper >= s->height.lower) walk_mean_add(&s->rise, s->height.upper - s->height.lower);
  }
  s->height = walk_range_none();
  if (f == 0) {
    if (s->strikes > 2) {
      walk_mean_add(&s->yaw, s->thorax_yaw.upper - s->thorax_yaw.lower);
      walk_mean_add(&s->turn, s->pelvis_yaw.upper - s->pelvis_yaw.lower);
      walk_mean_add(&s->roll, s->pelvis_roll.upper - s->pelvis_roll.lower);
      for (k = 0; k < 2; k++)
        if (s->shoulder[k].upper >= s->shoulder[k].lower) {
          walk_mean_add(&s->back, s->shoulder[k].lower);
          walk_mean_add(&s->ahead, s->shoulder[k].upper);
        }
    }
    walk_watch_stride(s);
  }
  s->foot[f].down = 1;
  s->foot[f].since = s->foot[f].away = s->foot[f].peak = s->foot[f].impact = s->foot[f].turn = 0;
  s->foot[f].humps = 0;
  s->foot[f].rising = 1;
  s->foot[f].bend = knee;
}

static void walk_watch_left(walk_watch *s, int f, double knee) {
  if (s->strikes > 2) {
    walk_mean_add(&s->toe_off, s->foot[f].pitch);
    walk_mean_add(&s->peak, s->foot[f].peak);
    walk_mean_add(&s->impact, s->foot[f].impact);
    walk_mean_add(&s->humps, s->foot[f].humps);
  }
  s->foot[f].down = 0;
  s->foot[f].bend = knee;
}

static void walk_watch_force(walk_foot *foot, double force, double dt) {
  double share = 1 - po_exp(-2 * PO_PI * WALK_WATCH_HZ * dt), x;
  foot->smooth[0] += share * (force - foot->smooth[0]);
  foot->smooth[1] += share * (foot->smooth[0] - foot->smooth[1]);
  x = foot->smooth[1];
  foot->peak = po_max(foot->peak, x);
  foot->impact = po_max(foot->impact, force);
  if (foot->rising) {
    foot->turn = po_max(foot->turn, x);
    if (x < foot->turn - WALK_WATCH_HUMP) {
      foot->humps++;
      foot->rising = 0;
      foot->turn = x;
    }
  } else {
    foot->turn = po_min(foot->turn, x);
    if (x > foot->turn + WALK_WATCH_HUMP) {
      foot->rising = 1;
      foot->turn = x;
    }
  }
}

static void walk_watch_foot(walk_watch *s, const po_run *r, const po_data *d, const po_actor *actor, int f) {
  walk_foot *foot = &s->foot[f];
  double dt = r->opts.dt, force = r->sim->character[0].feet.patch[f].force / s->weight;
  double knee = actor->legs.thigh[f] >= 0 ? walk_knee(d, &actor->legs, f) : 0, before = foot->since;
  walk_watch_force(foot, force, dt);
  foot->since += dt;
  if (!foot->down && force > WALK_WATCH_DOWN) {
    walk_watch_struck(s, f, knee);
    return;
  }
  if (foot->down && foot->since > WALK_WATCH_STANCE && force < WALK_WATCH_UP && foot->smooth[1] < WALK_WATCH_UP) {
    if (foot->away == 0) foot->pitch = walk_pitch(d, &actor->patches.patch[f]);
    foot->away += dt;
    if (foot->away > WALK_WATCH_AWAY) walk_watch_left(s, f, knee);
    return;
  }
  foot->away = 0;
  if (foot->down && s->strikes > 2) {
    double until = WALK_WATCH_LOADING * s->step_seconds;
    if (foot->since <= until) foot->bend = po_max(foot->bend, knee);
    else if (before <= until) walk_mean_add(&s->loading, foot->bend);
  } else foot->bend = po_max(foot->bend, knee);
}

/* ---- all ---- */

/* Power of each joint, as far as it is spent. */
static double walk_power(const po_run *r) {
  const double *v = po_world_v(r->world, 0), *tau = r->sim->character[0].tau;
  double sum = 0;
  int i, k;
  for (i = 1; i < r->model->nb; i++) {
    double power = 0;
    for (k = r->model->joint[i].v; k < r->model->joint[i].v + r->model->joint[i].nv; k++) power += tau[k] * v[k];
    sum += po_max(power, 0);
  }
  return sum;
}

void walk_watch_step(walk_watch *s, const po_run *r, double facing) {
  const po_data *d = po_world_data(r->world, 0);
  const po_actor *actor = po_run_move(r, 0)->actor;
  int f;
  s->seconds += r->opts.dt;
  s->since_strike += r->opts.dt;
  walk_watch_trunk(s, d, &actor->legs, facing);
  for (f = 0; f < 2; f++) walk_watch_foot(s, r, d, actor, f);
  s->both += s->foot[0].down && s->foot[1].down && s->foot[0].away == 0 && s->foot[1].away == 0 ? r->opts.dt : 0;
  s->work += walk_power(r) * r->opts.dt;
}

void walk_watch_results(const walk_watch *s, po_run *r, double way) {
  po_run_set_result(r, "knee_strike_deg", PO_DEG(walk_mean_of(&s->strike)));
  po_run_set_result(r, "knee_loading_deg", PO_DEG(walk_mean_of(&s->loading)));
  po_run_set_result(r, "knee_swing_deg", PO_DEG(walk_mean_of(&s->swing)));
  po_run_set_result(r, "toe_off_pitch_deg", PO_DEG(walk_mean_of(&s->toe_off)));
  po_run_set_result(r, "com_rise", walk_mean_of(&s->rise));
  po_run_set_result(r, "thorax_yaw_range_deg", PO_DEG(walk_mean_of(&s->yaw)));
  po_run_set_result(r, "pelvis_yaw_range_deg", PO_DEG(walk_mean_of(&s->turn)));
  po_run_set_result(r, "pelvis_roll_range_deg", PO_DEG(walk_mean_of(&s->roll)));
  po_run_set_result(r, "shoulder_min_deg", PO_DEG(walk_mean_of(&s->back)));
  po_run_set_result(r, "shoulder_max_deg", PO_DEG(walk_mean_of(&s->ahead)));
  po_run_set_result(r, "double_support", s->seconds > 0 ? s->both / s->seconds : PO_NAN);
  po_run_set_result(r, "peak_force_bw", walk_mean_of(&s->peak));
  po_run_set_result(r, "peak_impact_bw", walk_mean_of(&s->impact));
  po_run_set_result(r, "force_humps", walk_mean_of(&s->humps));
  po_run_set_result(r, "cost_of_transport", way > 0 ? s->work / (s->weight * way) : PO_NAN);
}
