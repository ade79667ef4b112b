/* skill_internal.h: what the scripts share. */
#ifndef PO_SKILL_INTERNAL_H
#define PO_SKILL_INTERNAL_H

#include "gbwc_internal.h"

typedef struct po_skill_state {
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
  int state;                 /* po_move_phase; names depend on the kind */
} po_skill_state;

typedef struct po_skill_kind po_skill_kind;
typedef struct po_skill {
  po_move move;
  po_gbwc_params params;     /* how it walks when nothing is in its way */
  po_skill_task task;
  po_skill_state now;
  po_gbwc *walk;             /* on the same actor; owned */
  const po_skill_kind *kind;
  /* the body, measured at the zero pose */
  double column[5];          /* m: heights of hip, waist, back, neck, head's centre */
  double head_radius, arm_length, shoulder_height;
  double brace;              /* how much stiffer its trunk is held while it bows, share of it */
  int thorax;                /* -1: none */
} po_skill;
po_skill *po_skill_of(po_move *move); /* NULL when the move is something else */
double po_skill_ahead(const po_skill *k, po_vec3 x);   /* m from where it began, along its first heading */

struct po_skill_kind {
  const char *const *state;                            /* names */
  void (*script)(po_skill *skill, const po_sense *sense);
  int arms;                                            /* how many it needs */
};

/* skill.c */
void po_skill_go(po_skill *k, int state);              /* to another state */
void po_skill_pose(po_skill *k, double bow, double dt); /* leans, bends and lowers the body bit by bit towards a share of the deepest bow */
void po_skill_face(po_skill *k, double heading);       /* rad, world */
void po_skill_stop(po_skill *k);
int po_skill_rise(po_skill *k);                         /* who bows deep stands still; whether it does */
int po_skill_stands(const po_skill *k);
/* Before a bow: stops, stands for `seconds`, and steps on the spot when its weight rests on one foot. Whether it may bow now. */
int po_skill_ready(po_skill *k, double bow, double seconds);
double po_skill_top(const po_skill *k, double bow);    /* m over the ground: of the head at such a bow */
/* Where the ground ahead asks for it: slower, longer steps; footholds. speed: m/s of this body. */
void po_skill_tread(po_skill *k, double speed);
double po_skill_bar(const po_skill *k);                /* bow that the bars ahead ask for, by their distance */
/* Walks to where the pelvis is at `to` (world) and faces `heading`; slows down with the distance that is left. Returns that distance. */
double po_skill_goto(po_skill *k, po_vec3 to, double heading, double most);
/* The bow at which hands reach down to a height over the ground; beyond 1 only the knees bend more. */
double po_skill_bow_for(const po_skill *k, double height);
double po_skill_ground(const po_skill *k);             /* m: height of the ground that it stands on */
/* A hand towards a target, drawn in or let go within PO_SKILL_BLEND seconds. */
void po_skill_hand(po_skill *k, int arm, int on, po_vec3 target, po_vec3 velocity, double dt);
#define PO_SKILL_BLEND 0.3
#define PO_SKILL_BOW_STANDING 0.6 /* of the deepest bow per second, of who stands: large heads that are swung up tip the body over */

/* skill_carry.c: a thing in both hands is held before the body and counts in the COM; nothing happens when it is not. */
void po_skill_hold(po_skill *k, double dt);
double po_skill_lifts(const po_skill *k);              /* m over the ground: how high hands lift a crate */

/* skill_course.c: walking over, under, up and down what is ahead, for all of them. */
void po_skill_walk(po_skill *k, double speed, double dt);
void po_skill_halt(po_skill *k);                       /* in the state that stops: on the spot first, with something in its hands, then still */

#endif
