/* peers.h: what other libraries offer for the same jobs, each behind a table of functions, so that one harness can run all in turn. */
#ifndef PO_BENCH_PEERS_H
#define PO_BENCH_PEERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- linear algebra: square matrices of size n, row-major. `out` receives what can be compared: the product, the factor's lower triangle, the
 * absolute diagonal of R, the singular values. For QR and SVD `a` is handed over column-major, as those libraries like it; for Cholesky b is the
 * matrix. Inputs stay; work has room for 8 n² + 64 n + 4096 doubles. A NULL function: it does not offer that. */
struct po_model;
typedef void (*peer_la_fn)(int n, double *out, const double *a, const double *b, double *work);
enum { PEER_GEMM, PEER_GEMV, PEER_SYRK, PEER_CHOLESKY, PEER_QR, PEER_QRP, PEER_SVD, PEER_LA_CASES };
typedef struct peer_la {
  char name[24];
  peer_la_fn fn[PEER_LA_CASES];
} peer_la;

/* BLAS and LAPACK by their Fortran names from a shared library that is opened at run time: OpenBLAS, BLIS, MKL. Returns how many
 * were found, at most `most`. */
int peer_blas(peer_la *peers, int most);
void peer_eigen(peer_la *peer); /* only when it was built in */

/* ---- rigid bodies: the tree that bench/peers/tree writes, 29 hinges and a floating base. States are base position, base quaternion (w x y z),
 * hinges; base velocity (linear in world axes, angular in the body's), hinges. qdd and tau begin with six numbers of the base. */
typedef struct peer_rbd {
  char name[24];
  void *handle;
  int nv;
  void (*load)(struct peer_rbd *peer, const double *q, const double *v, const double *x); /* x: accelerations or torques */
  void (*rnea)(struct peer_rbd *peer, double *tau);                                        /* after load with accelerations */
  void (*aba)(struct peer_rbd *peer, double *qdd);                                         /* after load with torques */
  void (*crba)(struct peer_rbd *peer);                                                     /* may be NULL, as those below */
  void (*jacobians)(struct peer_rbd *peer);
  void (*cmm)(struct peer_rbd *peer);
} peer_rbd;
int peer_mujoco(peer_rbd *peer, const char *mjcf);    /* 1 when it could load the model; only when it was built in */
int peer_pinocchio(peer_rbd *peer, const struct po_model *ours);

#ifdef __cplusplus
}
#endif
#endif
