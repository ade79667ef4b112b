/* poise.h: everything a user of the library needs. `make install` and `make amalgamation` give it as a single file.
 *
 *   base/base.h        statuses, memory, numbers, JSON and XML
 *   la/la.h            dense linear algebra
 *   rbd/rbd.h          rigid-body models and dynamics
 *   rbd/mesh.h         meshes from files, convex hulls
 *   rbd/map.h          what a robot's parts are, found or given
 *   motion/motion.h    motions of a body: files, captured ones, built-in ones; inverse kinematics
 *   contact/contact.h  collision, complementarity problems, the world and its time step (and contact/terrain.h)
 *   qp/qp.h            quadratic programs and prioritized stacks of them
 *   ctrl/ctrl.h        features, objectives, whole-body control
 *   ctrl/ddp/ddp.h     differential dynamic programming, the momentum model
 *   ctrl/moves/moves.h behaviours: balance, jumps, walking, skills, tracking, turning over
 *   ctrl/learn/learn.h examples that were learnt ahead, and what to do by them at a foot strike: policies for goals, step models and planners
 *   ctrl/plan/plan.h   worlds with their controllers, rollouts from saved moments; what is searched and learnt by many of them
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
#include "rbd/map.h"
#include "motion/motion.h"
#include "contact/contact.h"
#include "qp/qp.h"
#include "ctrl/ctrl.h"
#include "ctrl/ddp/ddp.h"
#include "ctrl/moves/moves.h"
#include "ctrl/learn/learn.h"
#include "ctrl/plan/plan.h"
#include "view/view.h"

#endif
