/* judge.h: whether a point is the lexicographic optimum, by a method that shares nothing with the solvers: in long double, from the definition alone.
 *
 *   po_hqp_judge  po_hqp_right  po_hqp_reference
 */
#ifndef PO_JUDGE_H
#define PO_JUDGE_H

#include "../qp/qp.h"

/* violation[k]: of level k at x. avoidable[k]: how much lower it could be without hurting a level above, judged by its gradient; for a hard level its violation.
 * At the optimum the gradient of a level is held by rows from above: by those that are equalities or violated, whatever the sign, and by those at a bound with
 * the sign that pushes towards it. What bounded least squares over these multipliers leaves of the gradient is the share s that nothing holds, and v − √(1 − s²) v is what it could gain. */
po_status po_hqp_judge(double *violation, double *avoidable, const po_hqp *p, const double *x);

/* 1: every level's violation is the reference's to tol · max(1, it), and the hard rows hold to tol. */
int po_hqp_right(const po_hqp *p, const double *x, const double *reference, double tol);

/* The levels of the optimum: of the answers of several methods, cold, the best one that the judge finds nothing avoidable in beyond 1e-6 of max(1, violation).
 * *certified: 0 when there is none; the levels are then those of the best all the same. *feasible: 0 when the hard level cannot hold. */
po_status po_hqp_reference(double *levels, int *certified, int *feasible, const po_hqp *p);

#endif
