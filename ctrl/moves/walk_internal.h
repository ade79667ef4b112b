/* walk_internal.h: the parts of walking, and what passes between them, one way:
 *
 *   walk_line   the ground ahead, sampled once at each strike                                    walk_line.c
 *   walk_plan   one step: where to, how long, in what shape; made at the strike before it        walk_plan.c, the COM's way walk_curve.c
 *   walk_view   what a tick sees: state, contacts, capture point, worked out once                walk_view.c
 *   do          the objectives, which see plan and view only                                     walk_do.c, walk_foot.c, walk_contacts.c
 *
 * walk_gait.c is the clock that takes the feet from state to state; walk.c is the behaviour. Lengths in constants are metres of the human's legs, times its seconds:
 * body.size and body.tempo bring them to other legs.
 */
#ifndef PO_WALK_INTERNAL_H
#define PO_WALK_INTERNAL_H

#include "moves.h"

/* What is measured of a body in its zero pose. */
typedef struct walk_body {
  double size, tempo;        /* of the legs, in those of the human; its root */
  double foot_length, foot_width, ankle_offset; /* heel to toe; ankle ahead of the heel */
  double farthest;           /* ahead of a heel: where its foot can carry the body, by its length and its ankle's strength */
  double neck_ahead, pelvis_ahead; /* of the COM */
  double rest_bend[2], ankle_height[2]; /* knees; ankles over the sole */
  double reach;              /* hip to ankle of the shorter leg */
  po_vec3 hips, neck, hand_point[2], pocket[2]; /* middle of the hip joints, and pockets, seen from the pelvis; base of the neck; hands */
  int neck_body, head_body, hand[2], hinged; /* bodies, −1: none; 1: toes that bend */
} walk_body;

#define WALK_LOOKS 132       /* every 2 cm, from 0.8 m behind to 1.84 m ahead of the stance heel: what feet pass and can reach in two steps */
typedef struct walk_line {   /* the ground below the feet's two lines */
  double z[2][WALK_LOOKS];
  int even;                  /* 1: nothing but one plane */
  int falls;                 /* 1: an edge ahead goes down */
} walk_line;

typedef struct walk_lift { double pitch, rate, heel, rise; } walk_lift; /* of a sole, over its ground: rad toe up, rad/s, m, m/s */

typedef struct walk_plan {
  double T, dT, l_foot, l_hip, l_trunk, l_side; /* the pace: comes to what is asked step by step */
  double speed, length;      /* m/s asked of this step, its length */
  /* the COM's way */
  po_vec3 p0, p1;
  double curve_T, press_from, strike_x; /* s; m from the stance heel: where the centre of pressure comes from; where the COM is when a foot strikes */
  /* the foot that swings */
  po_vec3 to;                /* where its heel lands, with feedback */
  double swing_T;            /* s; shorter for who hurries */
  po_vec3 from;              /* where its heel left, */
  walk_lift lift;            /* and how */
  double from_heel, from_toe, to_heel, to_toe; /* ground below its ends, there and here */
  double rise_from, rise_to; /* of the swing: when the ground below its way goes from those to these */
  double over;               /* m: what it is lifted by beyond the table, over what stands in its way */
  double strike;             /* rad: its pitch when it strikes, toe up; below 0: toes first */
  double drop;               /* m: how much lower than the stance foot it lands, over an edge; else 0 */
  walk_lift strike_lift;     /* how the stance foot struck: its toe comes down from there */
  /* the hips */
  double hips_from, hips_ahead; /* m, when the stance foot struck: height; ahead of the COM */
  int edges, came_down;      /* 1: edges are on the foot's way; the stance foot came down one */
  double calm;               /* 1: there was no unrest when it struck */
  double care;               /* 0 to 1: how carefully feet are set: flat and high for who is thrown off */
} walk_plan;

typedef struct walk_view {
  po_vec3 along, left;
  double omega, g, side;     /* √(g/h); +1 while the left foot stands, −1 */
  po_vec3 heel[2], toe[2], heel_v[2], toe_v[2];
  int back[2], front[2];     /* 1: the sole's end touches */
  po_patch sole[2];          /* the feet's patches, a corner that hangs replaced by what of its edge touches */
  po_vec3 com, com_v, capture;
  po_vec3 want, want_v, want_a; /* the COM's curve */
  po_vec3 off;               /* the capture point off the curve's */
  double hips, hips_v, hips_ahead; /* height, rate, ahead of the COM */
} walk_view;

typedef struct walk_state {  /* what a tick changes: saved, restored and copied as one, without holes */
  po_walk_seen seen;
  walk_plan plan;
  walk_line line;
  double mode_time, curve_time, beyond, haste, drift; /* s, s; m: how far the last landing was beyond the capture point, to the side; s for which it still hurries; m: how far off the curve all steps are */
  po_vec3 pressure;          /* the centre of pressure that the COM's motion wants */
  long started_at;
  int heel_left[2];          /* the heel has left the ground and the toe has not */
} walk_state;

typedef struct walk_objectives {
  po_objective *com, *trunk, *momentum, *pose, *arms, *head, *height, *upright, *pelvis;
  po_objective *foot[2], *heel[2], *toe[2], *roll[2], *hand[2]; /* of a foot: its heel across, heel and toe up and down */
} walk_objectives;

struct po_walk {
  po_move move;
  po_walk_params params, told; /* told: those that `changed` has seen */
  walk_body body;
  walk_state s;
  walk_view view;            /* of this tick */
  walk_objectives o;
  double momentum_weight[3], upright_weight[3];
  unsigned char *part, *arm_mask; /* [nv] 1 left leg, 2 right leg, 4 arms, 8 twist of the trunk */
  double *pose_weight;       /* [nv] */
};

static inline po_walk *po_walk_of(po_move *move) { return (po_walk *)(void *)move; }
/* Whether it is to walk: asked to, and nobody else wants the body. */
static inline int po_walk_wanted(const po_walk *w) { return w->params.walk >= 0.5 && !w->move.leaving; }
/* Where the direction of travel asked for lies, rad. */
static inline double po_walk_way(const po_walk *w) { return w->s.seen.north + PO_RAD(w->params.heading); }
static inline int po_walk_starting(const po_walk *w) { return w->s.seen.steps - w->s.started_at < 2 && po_abs(w->s.plan.speed) > 0; } /* two steps bring a stroll */

/* The line. */
double po_walk_ground(const po_walk *walk, po_vec3 at); /* where nothing stands yet, as far as known */
void po_walk_look(po_walk *walk);
/* The step nearest to one of that length, and to the one that was planned and the COM goes by, after which the whole sole stands on one level. */
double po_walk_fit(const po_walk *walk, double length, double planned);
/* How far the ground from x0 to x1 m ahead of the stance heel, on the line of the swinging foot, stands above the straight line between their heights z0 and z1; *edges: whether there are any. */
double po_walk_over(const po_walk *walk, double x0, double x1, double z0, double z1, int *edges);

/* The plan. */
void po_walk_plan_step(po_walk *walk, int from_stand); /* at a strike, or when the first foot leaves a stand */
void po_walk_plan_lift(po_walk *walk, int foot);       /* a foot leaves */
void po_walk_plan_place(po_walk *walk);                /* every tick of a swing: where it lands */
double po_walk_spread(const po_walk *walk, int foot);  /* m between the feet's lines when `foot` lands */
void po_walk_begin_curve(po_walk *walk, double duration, int from_stand);
void po_walk_curve(const po_walk *walk, po_vec3 *p, po_vec3 *v, po_vec3 *a);
double po_walk_aside(const po_walk *walk);             /* 0 to 1: how much of a walk to the side it is */
double po_walk_hips_at_strike(const po_walk *walk, int ahead, double ground_ahead, double ground_behind);

void po_walk_look_around(po_walk *walk); /* the view, once a tick */
void po_walk_axes(po_walk *walk);        /* along and left, after a turn */
void po_walk_gait(po_walk *walk, const po_sense *sense); /* the clock */
void po_walk_turn(po_walk *walk);

/* Doing. */
po_status po_walk_attach(po_move *move, po_error *err);
void po_walk_aim_points(po_walk *walk);  /* the objectives' points, of another body */
void po_walk_do(po_walk *walk);
void po_walk_hips(po_walk *walk);
void po_walk_feet(po_walk *walk);
void po_walk_contacts(po_walk *walk);
void po_walk_limit_com(const po_walk *walk, po_vec3 *accel);
double po_walk_leg(const po_walk *walk, int foot, double bend); /* hip to ankle with the knee bent by so much more than at rest */

#endif
