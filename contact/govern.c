/* govern.c: what integration makes or loses of a character's energy is given back.
 *
 * Velocity terms and gravity do no work on the total; yet a finite step that follows them to its order only makes or loses a little. The books
 * (energy.c) know how much. It is taken from, or given to, the motion of the joints, and momentum is left as it is.
 *   A body that nothing holds: both ways and in every step, a little at a time, so that the energy stays what it is: that of a pendulum, a chain, a
 *   body in flight. Errors of leapfrog are small and go up and down; what they would add up to over minutes is what is taken out.
 *   A body that is held: its step is of first order, and loses as it should. There only true growth is taken: the sum of errors, up and down, must
 *   exceed a share of the greatest kinetic energy there was since joints turn fast.
 */
#include "world_internal.h"

double po_character_fastest(const po_character *c, const double *v) {
  double fastest = 0;
  int i, first = c->model->floating ? 3 : 0; /* rates, not the base's linear velocity */
  for (i = 0; i < c->model->nv; i++)
    if (i < first || i >= 2 * first) fastest = po_max(fastest, fabs(v[i]));
  return fastest;
}

int po_character_fast(const po_character *c, const double *v, double dt) { return po_character_fastest(c, v) * dt > PO_FAST_RATE; }

/* The motion of the whole, frozen, with the same momentum (of a character that hangs on the world: none): twist at the base's origin, world. Returns
 * its energy. What the joints do beyond it is orthogonal to it. */
static double govern_frozen(po_vec3 *w, po_vec3 *v, const po_character *c, const po_character_sum *sum) {
  double energy;
  *w = *v = po_v3(0, 0, 0);
  if (!c->model->floating) return 0;
  *w = po_m3_mul_v(po_m3_inverse(sum->I), sum->L);
  *v = po_v3_scale(1 / c->model->total_mass, sum->P);
  energy = 0.5 * (po_v3_dot(*w, sum->L) + po_v3_dot(*v, sum->P));
  *v = po_v3_add(*v, po_v3_cross(*w, po_v3_sub(c->data.pose[0].p, sum->com)));
  return energy;
}

/* Velocities become s times themselves and 1 − s times the twist (w, v), in v1 and in what data knows. */
static void govern_blend(po_character *c, double s, po_vec3 w, po_vec3 v) {
  int i;
  po_scale(c->v1, s, c->model->nv);
  for (i = 0; i < c->model->nb; i++) c->data.vel[i] = po_v6_scale(s, c->data.vel[i]);
  if (c->model->floating) po_character_shift(c, po_v3_scale(1 - s, w), po_v3_scale(1 - s, v));
}

/* Takes `energy` out of all motion: when the joints have less than that to give, momentum goes too. */
static void govern_slow(po_character *c, po_character_sum *sum, double kinetic, double energy) {
  po_vec3 w, v;
  double frozen = govern_frozen(&w, &v, c, sum), joints = kinetic - frozen;
  if (joints > energy) {
    govern_blend(c, sqrt(1 - energy / joints), w, v);
  } else {
    double t = frozen > 0 ? sqrt(po_max(0, kinetic - energy) / frozen) : 0;
    govern_blend(c, 0, po_v3_scale(t, w), po_v3_scale(t, v));
    sum->P = po_v3_scale(t, sum->P);
    sum->L = po_v3_scale(t, sum->L);
  }
  c->energy1 -= energy;
}

/* Nothing holds it: the energy is kept. */
static int govern_keep(po_character *c, po_character_sum *sum, double kinetic) {
  po_vec3 w, v;
  double joints = kinetic - govern_frozen(&w, &v, c, sum), most = PO_GOVERN_STEP * joints, take = po_clamp(c->excess, -most, most);
  if (!(joints > PO_GOVERN_LEAST * kinetic) || take == 0) return 0;
  govern_blend(c, sqrt(1 - take / joints), w, v);
  c->excess -= take;
  c->energy1 -= take;
  return 1;
}

int po_character_govern(const po_world *w, po_character *c, po_character_sum *sum, double work, double dt) {
  double kinetic = po_character_kinetic(c, c->v1), made;
  c->energy1 = kinetic - c->model->total_mass * po_v3_dot(w->opts.gravity, sum->com);
  made = c->energy1 - c->energy - work;
  if (c->given || c->bounced) {
    c->excess = c->peak = 0;
    return 0;
  }
  if (c->drifts && !c->pushed) {
    c->excess = c->peak > 0 ? made : c->excess + made; /* what went wrong while it was held is forgotten */
    c->peak = 0;
    return govern_keep(c, sum, kinetic);
  }
  if (!c->fast && !po_character_fast(c, c->v1, dt)) {
    c->excess = c->peak = 0;
    return 0;
  }
  c->excess += made;
  c->peak = po_max(c->peak, kinetic);
  if (!(c->excess > PO_GOVERN_SHARE * c->peak)) return 0;
  govern_slow(c, sum, kinetic, c->excess);
  c->excess = 0;
  return 1;
}
