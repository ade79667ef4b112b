/* 05_pendulum.c: swings up a pendulum whose motor is weaker than gravity, with a user's own dynamics and cost. Derivatives are
 * left to differences; the end is a goal that must be met, and the answer's feedback law then holds the swing against a push. */
#include <poise.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 80 };
static const double h = 0.05;

/* x = (angle from hanging, rate), u = torque: one frame of 0.05 s, and what it costs. */
static po_status swing(void *user, double *next, double *cost, int frame, const double *x, const double *u, const double *p) {
  (void)user, (void)frame, (void)p;
  next[1] = x[1] + h * (u[0] - 0.1 * x[1] - 9.81 * 0.5 * po_sin(x[0])) / 0.25;
  next[0] = x[0] + h * next[1];
  *cost = h * (0.05 * u[0] * u[0] + 0.005 * x[1] * x[1]);
  return PO_OK;
}
/* It must stand upright and still. */
static po_status upright(void *user, double *psi, double *cost, const double *x, const double *p) {
  (void)user, (void)p;
  psi[0] = x[0] - PO_PI, psi[1] = x[1], *cost = 0;
  return PO_OK;
}

int main(void) {
  double start[2] = {0, 0}, lower[FRAMES], upper[FRAMES], guess[FRAMES], x[2] = {0, 0}, next[2], cost;
  po_ddp_problem problem;
  po_ddp *ddp;
  po_ddp_result result;
  po_ddp_start from;
  for (int k = 0; k < FRAMES; k++) lower[k] = -2.5, upper[k] = 2.5, guess[k] = 0.01; /* gravity pulls with up to 4.9 */
  memset(&problem, 0, sizeof problem), memset(&from, 0, sizeof from);
  problem.size.frames = FRAMES, problem.size.nx = 2, problem.size.nu = 1, problem.size.ng = 2;
  problem.start = start, problem.lower = lower, problem.upper = upper;
  problem.step = swing, problem.end = upright;
  from.u = guess;
  if (po_ddp_new(&ddp, problem.size) || po_ddp_solve(&result, ddp, &problem, NULL, &from)) return 1;
  printf("%s after %d iterations, cost %.4f, goal missed by %.1e\n", po_ddp_status_string(result.status), result.iterations,
         result.cost, result.goal_error);
  for (int k = 0; k < FRAMES; k++) { /* along the plan, from a state that is off by a little: u = U + K (x − X) */
    po_ddp_frame f = po_ddp_frame_of(ddp, k);
    if (k == 40) x[1] += 0.05;
    double u = po_clamp(f.u[0] + PO_AT(f.K, 0, 0) * (x[0] - f.x[0]) + PO_AT(f.K, 0, 1) * (x[1] - f.x[1]), -2.5, 2.5);
    swing(NULL, next, &cost, k, x, &u, NULL);
    memcpy(x, next, sizeof x);
  }
  printf("pushed on the way it ends at %.3f rad, %.3f rad/s from upright\n", x[0] - PO_PI, x[1]);
  po_ddp_free(ddp);
  return result.status != PO_DDP_OPTIMAL || po_abs(x[0] - PO_PI) > 0.2;
}
