/* skill_scene.h: what the scenes of skills share. */
#ifndef PO_SKILL_SCENE_H
#define PO_SKILL_SCENE_H

#include "../ctrl/moves/moves.h"
#include "scenes.h"

#define PO_SKILL_TEXTS {"style", "plain", "plain, lean, crouch, march, bowlegged, swagger, or a .json file of parameters", po_skill_style}
/* The `apply` of a style: who walks by gbwc's parameters takes its styles. */
po_status po_skill_style(void *move_params, const po_move_type *type, const char *style, po_error *err);

/* The world over the run's terrain with the body standing at (x, 0) facing along x; opts.mu is the ground's friction. */
po_status po_skill_body(po_run *run, double friction, double x, po_error *err);
po_skill_task *po_skill_run(const po_run *run);
/* What feet do: share of a sole, along it, that has no ground below it; −inf … 0.. of a foot that carries weight. */
double po_skill_overhang(const po_run *run, int foot);
/* How long it has stood at the end: call after every step; since < 0: it does not stand. */
void po_skill_watch_stand(double *since, const po_run *run);
/* Lowest point of a foot over the line x = at (world), PO_INF when the foot is not over it. */
double po_skill_foot_height(const po_run *run, int foot, double at);
double po_skill_head_top(const po_run *run);
/* A fixed random number in −1 … 1 for the seed's index-th thing. */
double po_skill_random(uint64_t seed, int index);

/* ---- things: skill_things.c ---- */

/* What a scene with a thing keeps of it: the first member of its state. Numbers only. */
typedef struct po_skill_prop {
  po_vec3 handle[2], half;       /* in its axes */
  double mass, grasps, grasp[2]; /* index + 1 of each hand's; 0: none */
  double stretch, force, tilt;   /* largest so far: m, N, rad while held */
  double held, held_seconds, torn, low; /* hands that hold it now; s; 1: a grasp tore; m over what is below it */
} po_skill_prop;

/* A thing as character 1, with a handle for the left and the right hand in its axes; mu < 0: the world's; apart: of a grasp's springs, 0: as grasps are. */
po_status po_skill_add_thing(po_run *run, const po_thing *thing, po_vec3 left, po_vec3 right, double mu, double apart, po_error *err);
void po_skill_place_thing(po_run *run, po_vec3 at, double heading);
po_pose po_skill_thing_pose(const po_run *run);
po_status po_skill_tell(po_run *run);          /* before every step: the skill is told of the thing, and hands close and open as it wants */
void po_skill_watch_things(po_run *run);       /* after every step */
po_status po_skill_carried_crate(po_run *run, double mass, double half_width, po_error *err); /* with handles at its sides */
po_status po_skill_hold_crate(po_run *run, double mass, po_error *err);                       /* the same, in its hands from the beginning */

#endif
