/* walk_watch.h: how a body walks, measured as gait laboratories do: joint angles, what the trunk does, what the ground feels.
 *
 * By what the feet feel and where the bodies are, not by the controller's own states. Angles are means over steps or strides:
 *   knee            angle between thigh and shank as lines between joints: 0 straight
 *   strike          a foot feels WALK_WATCH_DOWN of the weight again; toe-off: it feels less than WALK_WATCH_UP,
 *                   and does not come back within WALK_WATCH_AWAY: a foot that is unloaded for a moment has not left
 *   loading         the most that the knee bends in the first half of the time between two strikes
 *   ranges          largest less smallest within a stride (two steps)
 *   shoulder        the upper arm's line in the thorax' sagittal plane, ahead positive
 *   forces          vertical, through a low pass of WALK_WATCH_HZ as force plates are read; a hump stands out by WALK_WATCH_HUMP;
 *                   the impact is what one step of the simulation felt
 *   cost            positive work of the joints' torques over m g times the way
 */
#ifndef PO_WALK_WATCH_H
#define PO_WALK_WATCH_H

#include "scenes.h"

typedef struct walk_mean { double sum, n; } walk_mean;
typedef struct walk_range { double lower, upper; } walk_range;

typedef struct walk_foot {
  int down;
  double smooth[2];          /* N: the force, through a low pass twice */
  double peak, impact, turn; /* of this stance, smooth and not; since the last hump or dip */
  int rising, humps;
  double since, away;        /* s since it struck; since it last felt anything */
  double pitch;              /* rad: its own, when it last felt anything */
  double bend;               /* rad: largest since it struck, or since it left */
} walk_foot;

typedef struct walk_watch { /* numbers only: it is saved as bytes */
  walk_foot foot[2];
  int thorax;
  double weight, step_seconds; /* N; s from the last strike but one to the last */
  double since_strike;
  long strikes;
  walk_range thorax_yaw, pelvis_yaw, pelvis_roll, shoulder[2], height; /* of this stride */
  walk_mean strike, loading, swing, toe_off, rise, yaw, turn, roll, back, ahead, peak, impact, humps;
  double both, seconds, work;
} walk_watch;

void walk_watch_begin(walk_watch *watch, const po_run *run);
/* After every step of the gait; facing: rad, the way. */
void walk_watch_step(walk_watch *watch, const po_run *run, double facing);
/* way: m that the body went meanwhile. */
void walk_watch_results(const walk_watch *watch, po_run *run, double way);

#endif
