/* skill.h: skills: scripts over generalized biped walking control (Coros 2010, section 5.5.4; docs/skills.md).
 *
 *   types         po_course_type  po_reach_type  po_crate_type  po_carry_type: over, under, up and down what is ahead; reach; push and pull; carry
 *   what it is told, what it wants   po_skill_task  po_skill_thing  po_skill_goal  po_skill_task_of
 *   one           po_skill_heights_of  po_skill_along
 *
 * A skill owns a walker on the same actor. Every tick its script sets speed, heading, lean, bend and drop of the body and targets of the hands, every step
 * the footholds; the walker keeps the balance. What lies on its way it sees in the terrain; things that move are told to it before each tick by
 * whoever simulates or measures (`thing` of its task), and `close` is what it wants its hands to do: whoever simulates closes them when they are near enough.
 */
#ifndef PO_SKILL_H
#define PO_SKILL_H

#include "moves.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A thing as it is now; world. Numbers only, as in the next: they are saved as they are. */
typedef struct po_skill_thing {
  double there;              /* 0: there is none */
  po_vec3 position, velocity; /* of its centre */
  double heading;            /* rad: which way its front faces; 0 along x */
  po_vec3 handle[2];         /* where the left and the right hand take it */
  double mass;               /* kg */
  double low;                /* m: height of its lowest point */
  double held[2];            /* 1: the hand holds it */
  po_vec3 pull[2];           /* N: what it pulls the hand with */
} po_skill_thing;

/* What is wanted of it; which of these count depends on the kind. */
typedef struct po_skill_goal {
  double hand;               /* 0: the nearer one, 1: left, 2: right */
  double pull;               /* crate: 1 to pull, 0 to push */
  double tug;                /* rad: how far the trunk goes back and forth while it pushes or pulls */
  double distance;           /* m: how far to push, pull or carry */
  double turn;               /* rad, left: how the way turns while carrying */
  double stop;               /* m along the first heading: stand there; 0: never */
  double hold;               /* s: how long to hold what was reached */
} po_skill_goal;

typedef struct po_skill_task {
  po_skill_thing thing;
  po_skill_goal goal;
  double close[2];           /* it wants: 1: the hand is to hold the thing, 0: to let go */
} po_skill_task;

extern const po_move_type po_course_type, po_reach_type, po_crate_type, po_carry_type; /* parameters: po_gbwc_params, how it walks when nothing is in its way */
/* Of a skill, to be told and to be asked; NULL when the move is something else. The following are of skills alone. */
po_skill_task *po_skill_task_of(po_move *move);
/* m from where it began, along its first heading. */
double po_skill_along(const po_move *skill, po_vec3 x);
typedef struct po_skill_heights { /* m over the ground */
  double bar;                /* the lowest underside of one that it can pass below */
  double lift;               /* how high hands lift a crate */
  double shoulder, reach;    /* of its shoulders; how high a hand gets */
} po_skill_heights;
po_skill_heights po_skill_heights_of(const po_move *skill);

#ifdef __cplusplus
}
#endif
#endif
