/* bodies_random.c: bodies of random proportions, left and right apart: what a controller that claims to walk on any body is tried on.
 *
 * Every segment of the human gets a factor on its length and another on its mass, uniform within 1 ± spread; so do the distances between
 * the hips and between the shoulders, and the feet. Radii and the sides of boxes follow at constant density. Zero stays a pose to
 * stand in: hips and soles are level, so the knee of the longer leg is bent more, and the hips are moved ahead of the ankles or back until
 * the COM is as far along the soles as the human's.
 */
#include "biped.h"

#define RANDOM_STREAM 0x626f6479u /* of the generator: draws that nothing else shares */
#define RANDOM_SPREAD_MAX 0.4     /* beyond, legs may differ so much that one cannot be folded to match the other */
#define RANDOM_SOLE_SHARE 0.41    /* where the human's COM lies, from heel (0) to toe (1) */

static double random_factor(po_rng *rng, double spread) { return po_rng_range(rng, 1 - spread, 1 + spread); }

/* A rod. */
static void random_rod(po_rng *rng, double spread, double *length, double *radius, double *mass) {
  double l = random_factor(rng, spread), m = random_factor(rng, spread);
  *length *= l;
  *mass *= m;
  *radius *= sqrt(m / l);
}

/* A box that is `z` long. */
static void random_box(po_rng *rng, double spread, po_vec3 *size, double *mass) {
  double l = random_factor(rng, spread), m = random_factor(rng, spread), across = sqrt(m / l);
  *size = po_v3(across * size->x, across * size->y, l * size->z);
  *mass *= m;
}

static void random_leg(po_rng *rng, double spread, po_biped_leg *g) {
  double f;
  random_rod(rng, spread, &g->thigh, &g->thigh_radius, &g->thigh_mass);
  random_rod(rng, spread, &g->shank, &g->shank_radius, &g->shank_mass);
  f = random_factor(rng, spread);
  g->foot = po_v3_scale(f, g->foot);
  g->ankle_height *= f;
  g->ankle_behind *= f;
  g->foot_mass *= random_factor(rng, spread);
}

static double random_hip_height(const po_biped_leg *g, double ahead) {
  return po_leg_at_rest(g->thigh, g->shank, g->bend, ahead).height + g->ankle_height;
}

/* Bends the longer leg's knee until both hips are equally high, by bisection: height falls as the knee bends. */
static void random_level(po_biped_plan *p) {
  int longer, i;
  double lower = PO_BIPED_BEND, upper = 2.5, height;
  p->leg[0].bend = p->leg[1].bend = PO_BIPED_BEND;
  longer = random_hip_height(&p->leg[1], p->ahead) > random_hip_height(&p->leg[0], p->ahead);
  height = random_hip_height(&p->leg[!longer], p->ahead);
  for (i = 0; i < 60; i++) {
    p->leg[longer].bend = 0.5 * (lower + upper);
    if (random_hip_height(&p->leg[longer], p->ahead) > height) lower = p->leg[longer].bend;
    else upper = p->leg[longer].bend;
  }
}

/* Where the middle of the stretch that both soles cover lies ahead of the pelvis, at RANDOM_SOLE_SHARE of it. */
static double random_sole(const po_biped_plan *p) {
  double back = -PO_INF, front = PO_INF;
  int i;
  for (i = 0; i < 2; i++) {
    const po_biped_leg *g = &p->leg[i];
    back = po_max(back, -p->ahead + g->ankle_behind - 0.5 * g->foot.x);
    front = po_min(front, -p->ahead + g->ankle_behind + 0.5 * g->foot.x);
  }
  return back + RANDOM_SOLE_SHARE * (front - back);
}

/* How far the COM is ahead of the pelvis' origin: only thighs, shanks, feet and forearms are not straight above it. */
static double random_com(const po_biped_plan *p, double *total) {
  double mass = p->pelvis_mass + p->abdomen_mass + p->thorax_mass + p->head_mass, moment = 0;
  int i;
  for (i = 0; i < 2; i++) {
    const po_biped_leg *g = &p->leg[i];
    const po_biped_arm *a = &p->arm[i];
    po_leg_rest r = po_leg_at_rest(g->thigh, g->shank, g->bend, p->ahead);
    double knee = g->thigh * po_sin(r.thigh), fold = po_sin(PO_BIPED_BEND);
    moment += g->thigh_mass * 0.5 * knee + g->shank_mass * 0.5 * (knee - p->ahead) + g->foot_mass * (g->ankle_behind - p->ahead);
    moment += a->fore_mass * 0.5 * a->fore * fold + a->hand_mass * (a->fore + 0.5 * a->hand) * fold;
    mass += g->thigh_mass + g->shank_mass + g->foot_mass + a->upper_mass + a->fore_mass + a->hand_mass;
  }
  *total = mass;
  return moment / mass;
}

/* Feet under the COM and hips level depend on each other, weakly: a few rounds settle both. */
static double random_stand(po_biped_plan *p) {
  double mass = 0;
  int i;
  for (i = 0; i < 20; i++) {
    random_level(p);
    p->ahead += random_sole(p) - random_com(p, &mass);
  }
  random_level(p);
  return mass;
}

static po_biped_plan random_plan(po_rng *rng, double spread) {
  po_biped_plan p = po_biped_human();
  double human_leg = p.leg[0].thigh + p.leg[0].shank, leg = 0, human_mass, mass;
  int i;
  random_com(&p, &human_mass);
  random_box(rng, spread, &p.pelvis, &p.pelvis_mass);
  random_box(rng, spread, &p.abdomen, &p.abdomen_mass);
  random_box(rng, spread, &p.thorax, &p.thorax_mass);
  random_rod(rng, spread, &p.head, &p.head_radius, &p.head_mass);
  p.hip *= random_factor(rng, spread);
  p.shoulder *= random_factor(rng, spread);
  for (i = 0; i < 2; i++) {
    po_biped_arm *a = &p.arm[i];
    random_leg(rng, spread, &p.leg[i]);
    random_rod(rng, spread, &a->upper, &a->upper_radius, &a->upper_mass);
    random_rod(rng, spread, &a->fore, &a->fore_radius, &a->fore_mass);
    random_rod(rng, spread, &a->hand, &a->hand_radius, &a->hand_mass);
    leg += 0.5 * (p.leg[i].thigh + p.leg[i].shank);
  }
  mass = random_stand(&p);
  p.strength = mass * leg / (human_mass * human_leg); /* weights times levers */
  return p;
}

po_status po_body_random(const po_model **model, uint64_t seed, double spread, po_error *err) {
  po_biped_plan plan;
  po_rng rng;
  po_maker m;
  if (!model) return po_fail(err, PO_ERR_NULL, "po_body_random: model is needed");
  if (!(spread >= 0 && spread <= RANDOM_SPREAD_MAX))
    return po_fail(err, PO_ERR_RANGE, "the spread of a random body must lie within 0 ... %g, not %g", RANDOM_SPREAD_MAX, spread);
  po_rng_init(&rng, seed, RANDOM_STREAM);
  plan = random_plan(&rng, spread);
  po_maker_begin(&m, "random", err);
  if (m.status != PO_OK) return po_fail(err, m.status, "out of memory");
  po_biped_make(&m, &plan);
  if (m.status == PO_OK) m.status = po_builder_finish(model, m.b, err);
  po_builder_free(m.b);
  return m.status;
}
