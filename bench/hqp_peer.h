/* hqp_peer.h: a prioritized solver behind one face: our methods, shared libraries (bench/solver.h), programs behind pipes.
 *
 *   po_hqp_peer_ours  po_hqp_peer_library  po_hqp_peer_process  po_hqp_peer_make  po_hqp_peer_solve  po_hqp_peer_rest  po_hqp_peer_free
 */
#ifndef PO_HQP_PEER_H
#define PO_HQP_PEER_H

#include "../qp/qp.h"
#include "solver.h"

typedef struct po_hqp_peer po_hqp_peer;

typedef struct po_hqp_peer_answer {
  const double *x;
  int claims;            /* 1: optimal; 2: the hard level cannot hold; 0: neither */
  int proof;             /* ours: result.proof */
  int iterations;
  double seconds;        /* of the solve: what it told, or what was measured */
} po_hqp_peer_answer;

po_status po_hqp_peer_ours(po_hqp_peer **peer, const char *name, const po_hqp_opts *opts);
/* Unix only; elsewhere PO_ERR_UNSUPPORTED, with a sentence. */
po_status po_hqp_peer_library(po_hqp_peer **peer, const char *path, po_error *err);
po_status po_hqp_peer_process(po_hqp_peer **peer, const char *command, po_error *err);
void po_hqp_peer_free(po_hqp_peer *peer);
const char *po_hqp_peer_name(const po_hqp_peer *peer);
size_t po_hqp_peer_bytes(const po_hqp_peer *peer); /* ours: memory of the solver; others: 0 */

/* For problems of up to these sizes, cold or warm; what was made before is given back. */
po_status po_hqp_peer_make(po_hqp_peer *peer, int n, int levels, int rows, int warm);
/* A problem that it cannot take is one without a claim, at x = 0. */
po_status po_hqp_peer_solve(po_hqp_peer_answer *answer, po_hqp_peer *peer, const po_hqp *problem);

#endif
