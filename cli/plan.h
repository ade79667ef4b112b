/* plan.h: the kinds of `poise plan`, and how they read --set NAME=VALUE.
 *
 * A kind lists the names it knows in a table, so that a typo gets the nearest one; texts and numbers are then read by name.
 */
#ifndef PO_CLI_PLAN_H
#define PO_CLI_PLAN_H

#include "cli.h"

/* Every --set names one of `names` (ended by NULL): 1, or 0 after a message. */
int po_plan_knows(const po_args *args, const char *const *names);
/* The last value of that name, or the fallback. */
const char *po_plan_text(const po_args *args, const char *name, const char *fallback);
/* A number within lo … hi; else a message, args->failed, and the fallback. */
double po_plan_number(po_args *args, const char *name, double fallback, double lo, double hi);

/* From now on Ctrl-C asks to stop, a second one ends the program; returns what tells whether it was asked: po_work.stop. */
int (*po_plan_stop(void))(void);

int po_plan_explore(po_args *args); /* every action from every state that can be reached */
int po_plan_policy(po_args *args);  /* an action for every state and goal */
int po_plan_study(po_args *args);   /* what fewer states, goals or actions cost */
int po_plan_steps(po_args *args);   /* random steps that a body learns to meet */
int po_plan_step_model(po_args *args); /* files of steps joined, and what a model of them is worth */

#endif
