/* cartwheel.h: what the files of the cartwheel share. cartwheel.c decides (stages); cartwheel_step.c hops apart; cartwheel_body.c asks: contacts, poses,
 * the law of a tick. handspring.c goes over its hands by the same. */
#ifndef PO_CARTWHEEL_H
#define PO_CARTWHEEL_H

#include "turner.h"

typedef enum cartwheel_limb { CARTWHEEL_WAITS, CARTWHEEL_HOLDS, CARTWHEEL_LEFT } cartwheel_limb; /* what a hand does */

/* Limbs come in pairs: 0 is of the side it goes to, 1 the other. */
typedef struct cartwheel {
  po_turner turner;
  int side[2];               /* 0 left, 1 right: of the first, of the second limb */
  int limb[2];               /* of the hands */
  po_vec3 travel, ahead;     /* level, unit: where it goes; across it: where a cartwheel looks */
  po_vec3 toes;              /* level, unit: where feet point that come down */
  int level, fingers;        /* axes of the pelvis and of the palms that stay across the travel, level */
  po_vec3 line;              /* a point of the line it goes along, on the ground */
  po_vec3 hand_at[2];        /* where the hands came down */
  double roll[2];            /* rad: arms that lean further back, further on along the travel roll over the palm's edge */
  int hopped;                /* 1: it has hopped apart */
  double speed, momentum;    /* wanted: m/s along, kg m²/s about the axis */
  po_cartwheel_params params;
  po_objective *hand[2], *palm[2], *plane, *balance; /* left, right */
  po_vec3 heel[2];           /* of the hands, in their axes */
} cartwheel;

/* Weights of the plane, beside speed, height and momentum: on the feet; on the hands. */
#define CARTWHEEL_PLANE 1e-2
#define CARTWHEEL_PLANE_HANDS 3e-2

/* A pose in the coronal plane, rad beyond the zero pose: the spine to the side it goes to, hips and arms away from the body, arms raised ahead. */
typedef struct cartwheel_pose { double side, hip[2], knee, raise; } cartwheel_pose;

/* What a tick asks for. */
typedef struct cartwheel_wish {
  unsigned feet, hands;      /* that carry */
  unsigned loose;            /* of these: may push, but need not stay */
  unsigned striking;         /* of the hands: only points that touch are held; the others come down by themselves */
  int rolling;               /* 1: soles that roll off their edge are not pulled back */
  int palms;                 /* 1: palms turn to the ground */
  double plane;              /* weight of a pelvis that stays in its plane */
  double momentum, speed, height; /* kg m²/s; m/s; m of the COM over the ground */
  double share;              /* of what the ground cannot give, the part that is missing in the speed; the rest is missing in the momentum */
} cartwheel_wish;

po_status po_cartwheel_attach(po_move *move, po_error *err);
/* m along the travel. */
double po_cartwheel_along(const cartwheel *c, po_vec3 p);
po_vec3 po_cartwheel_middle(const cartwheel *c, int patch); /* of a patch, world */
int po_cartwheel_touches(const cartwheel *c, int patch);
int po_cartwheel_hand(const cartwheel *c, int k);           /* the patch of a hand, of a foot */
int po_cartwheel_foot(const cartwheel *c, int k);
/* What is carried, over the line. */
po_pendulum po_cartwheel_pendulum(const cartwheel *c);
/* Where the COM would come to rest over, m along the travel, counting angular momentum as speed. */
double po_cartwheel_capture(const cartwheel *c);
/* How far beside the line, ahead, the COM would come to rest over, m. */
double po_cartwheel_astray(const cartwheel *c);
/* From now on the line goes through the middle of this patch. */
void po_cartwheel_keep_to(cartwheel *c, int patch);
/* Where a foot is to come down so that, after the blow, the capture point lies so far beyond it, m along the travel. */
double po_cartwheel_foothold(const cartwheel *c, double beyond);
void po_cartwheel_set_pose(cartwheel *c, const cartwheel_pose *pose, double kp);
/* Legs that carry nothing are where the pose says. */
void po_cartwheel_free_legs(cartwheel *c);
void po_cartwheel_ask(cartwheel *c, const cartwheel_wish *wish);
/* A hand, a foot, is to come down there in so many seconds. */
void po_cartwheel_reach(cartwheel *c, int k, double along, double across, double seconds);
void po_cartwheel_lead_foot(cartwheel *c, int k, double along, double across, double seconds);
/* Nothing carries: the pose alone. */
void po_cartwheel_fly(cartwheel *c);
/* A hand that leaves rises until it is clear of the ground. */
void po_cartwheel_lift(cartwheel *c, int k);
/* m from foot to foot, along the travel. */
double po_cartwheel_width(const cartwheel *c);
/* Hops apart, until it stands again. */
void po_cartwheel_hop_begin(cartwheel *c);
void po_cartwheel_hop(cartwheel *c);
int po_cartwheel_hopped(const cartwheel *c);
/* Nothing of its own is asked for any more. */
void po_cartwheel_release(cartwheel *c);
/* Asked of a cartwheel, or what begins with one, that has come down: as after a flip. */
void po_cartwheel_land(po_move *move);

#endif
