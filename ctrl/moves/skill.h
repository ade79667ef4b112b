/* skill.h: skills: scripts over generalized biped walking control (Coros 2010, section 5.5.4; docs/skills.md).
 *
 *   types         po_course_type  po_reach_type  po_crate_type  po_carry_type: over, under, up and down what is ahead; reach; push and pull; carry
 *   one           po_skill  po_skill_of  po_skill_lowest  po_skill_lifts  po_skill_along
 *   what it is told, what it wants   po_skill_thing  po_skill_goal
 *
 * A skill owns a walker on the same actor. Every tick its script sets speed, heading, lean, bend and drop of the body and targets of the hands, every step
 * the footholds; the walker keeps the balance. What lies on its way it sees in the terrain; things that move are told to it before each tick by
 * whoever simulates or measures (`thing`), and `close` is what it wants its hands to do: whoever simulates closes them when they are near enough.
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

typedef struct po_skill_kind po_skill_kind;
typedef struct po_skill {
  po_move move;
  po_gbwc_params params;     /* how it walks when nothing is in its way */
  po_gbwc *walk;             /* on the same actor; owned */
  const po_skill_kind *kind;
  po_skill_thing thing;
  po_skill_goal goal;
  double close[2];           /* 1: the hand is to hold the thing, 0: to let go */
  int state;                 /* po_move_phase; names depend on the kind */
  double state_time;         /* s */
  double stage[8];           /* what the script keeps: numbers of its own */
  po_vec3 missed[2];         /* N: smoothed difference of what pulls at a hand and what it was to be */
  double started;            /* 1: where it began is known: */
  po_vec3 start;             /* COM */
  double start_heading;      /* rad */
  double ease;               /* 0 … 1: how far the way is bent, lowered and leant */
  double planned;            /* number of the step that was planned last; < 0: none */
  double step_time;          /* s: of that step */
  double bow;                /* share of the deepest bow that is taken now */
  /* the body, measured at the zero pose */
  double column[5];          /* m: heights of hip, waist, back, neck, head's centre */
  double head_radius, arm_length, shoulder_height;
  double brace;              /* how much stiffer its trunk is held while it bows, share of it */
  int thorax;                /* -1: none */
} po_skill;

extern const po_move_type po_course_type, po_reach_type, po_crate_type, po_carry_type;
/* NULL when the move is something else. */
po_skill *po_skill_of(po_move *move);
/* m from where it began, along its first heading. */
double po_skill_along(const po_skill *skill, po_vec3 x);
/* The lowest underside of a bar that it can pass below, m over the ground. */
double po_skill_lowest(const po_skill *skill);
/* How high hands lift a crate, m over the ground. */
double po_skill_lifts(const po_skill *skill);

#ifdef __cplusplus
}
#endif
#endif
