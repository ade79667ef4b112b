/* poise.h: everything a user of the library needs. `make install` and `make amalgamation` give it as a single file.
 *
 *   base/base.h        statuses, memory, numbers, JSON and XML
 *   la/la.h            dense linear algebra
 *   rbd/rbd.h          rigid-body models and dynamics
 *   rbd/mesh.h         meshes from files, convex hulls
 *   motion/motion.h    motions of a body: files, captured ones, built-in ones; inverse kinematics
 *   contact/contact.h  collision, complementarity problems, the world and its time step (and contact/terrain.h)
 *   qp/qp.h            quadratic programs and prioritized stacks of them
 *   ctrl/ctrl.h        features, objectives, whole-body control
 *   ctrl/ddp/ddp.h     differential dynamic programming, the momentum model
 *   ctrl/moves/moves.h behaviours: balance, jumps, walking
 *   ctrl/moves/simbicon.h walking by a state machine of target angles, gaits as data
 *   ctrl/moves/skill.h scripts over generalized walking: reach, push, pull, carry, over, under, up and down
 *   ctrl/moves/task.h  which action at every foot strike: metric, actions, goals, policies
 *   ctrl/moves/steps.h steps that were learnt ahead: their model, and planners over gaps and stones
 *   ctrl/plan/plan.h   worlds with their controllers, and rollouts from saved moments
 *   ctrl/plan/explore.h every action from every state that can be reached; with fvi.h and one_step.h: how policies are made
 *   ctrl/plan/gait_search.h  a gait's numbers, searched by many simulations
 *   ctrl/plan/step_search.h  actions that meet given step lengths, by many simulations
 *   view/view.h        recordings of any world, and what is made of them: pages, filmstrips, tables
 *
 * Angular before linear, scalar before vector, velocities in the body's own frame; SI units; z up, x forward, y left.
 */
#ifndef POISE_H
#define POISE_H

#include "base/base.h"
#include "la/la.h"
#include "rbd/rbd.h"
#include "rbd/mesh.h"
#include "motion/motion.h"
#include "contact/contact.h"
#include "qp/qp.h"
#include "ctrl/ctrl.h"
#include "ctrl/ddp/ddp.h"
#include "ctrl/moves/moves.h"
#include "ctrl/moves/simbicon.h"
#include "ctrl/moves/skill.h"
#include "ctrl/moves/task.h"
#include "ctrl/moves/steps.h"
#include "ctrl/plan/plan.h"
#include "ctrl/plan/explore.h"
#include "ctrl/plan/gait_search.h"
#include "ctrl/plan/step_search.h"
#include "view/view.h"

#endif
