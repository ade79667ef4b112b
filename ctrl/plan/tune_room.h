/* tune_room.h: what the files of a search share. Not for users.
 *
 *   tune.c          points between bounds, ask and tell, the best, saving
 *   tune_cma.c      po_cma_...: the evolution strategy
 *   tune_noise.c    po_tune_noise_...: which points are tried again, and what that says
 *   tune_simplex.c  po_simplex_...: Nelder and Mead
 *   tune_front.c    po_front_...: several costs
 *
 * A method works in search coordinates y: 0 is the start and 1 the first standard deviation, of every unknown, without bounds. It is one state that
 * po_tune lays out and streams.
 */
#ifndef PO_TUNE_ROOM_H
#define PO_TUNE_ROOM_H

#include "plan.h"

#define PO_TUNE_FULL 60      /* unknowns up to which the whole covariance is kept */
#define PO_CMA_HISTORY 2000  /* generations of best costs that are kept, at most */

/* Hansen's tutorial (2016), its names. */
typedef struct po_cma {
  int parents;
  double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
  double *weight;            /* [λ], the later half negative */
  int window, stuck;         /* generations whose best costs must differ; 1: at rest */
  int every;                 /* generations between two factorizations */
  /* what changes */
  double sigma;
  double *mean, *path_sigma, *path_c; /* [n] */
  double *C, *B, *D;         /* [n][n] (diagonal: [n]), [n][n] eigenvectors in columns, [n] roots of eigenvalues */
  double *z;                 /* [λ][n] what the steps were made of */
  double *best, *broken;     /* [window] ring of best costs and their violations */
  int seen, age;             /* generations since it began; since the factorization */
  double *scratch; size_t scratch_bytes;
} po_cma;

typedef struct po_simplex {
  int phase;                 /* which point is asked for */
  double *y, *cost, *violation; /* [n+1][n], [n+1], [n+1]: in order once it is whole */
  double *tried;             /* [n] the reflected point */
  double tried_cost, tried_violation;
  int stuck;
} po_simplex;

/* One individual of a front: a search of its own, of one parent and one child. */
typedef struct po_front_one { double sigma, success, violation, cost[PO_TUNE_COSTS]; long generation; } po_front_one;
typedef struct po_front {
  int size;                  /* individuals; the first generation asks for as many, all others too */
  po_front_one *one;         /* [2 size]: parents, then children */
  double *y, *path, *C, *A, *z; /* per individual [n], [n], [n][n], its Cholesky factor, [n]; a diagonal: [n] */
  double *x;                 /* [2 size][n] */
  int *order, *rank, *slot;  /* [2 size] */
  double *worth, *scratch;
  int begun;
} po_front;

struct po_tune {
  po_tune_opts opts;
  int n, full, most;         /* unknowns; 1: whole covariance; points there is room for */
  po_tune_unknown *unknown;  /* [n] start, scale and bounds in what is searched: logarithms where it is those */
  uint64_t belongs;          /* hash of unknowns and options */
  /* what changes */
  long generation, evaluations, draws;
  int restart, population;
  int asked, ranked;         /* points asked for; of them, those the method judges by. 0: none asked */
  int again, finished;       /* the first `again` points stand once more behind the ranked ones; 1: at rest for good */
  double level;              /* of noise: repeats, not rounded */
  double *y, *x;             /* [most][n] */
  double *cost, *violation;  /* [most][costs], [most] */
  long *draw;                /* [most] */
  int *order;                /* [most] the ranked points, best first */
  int *place;                /* [most] scratch */
  int found;                 /* 1: there is a best one */
  po_tune_found best;
  double *best_x, *centre;   /* [n] */
  po_cma cma;
  po_simplex simplex;
  po_front front;
};

/* < 0: the first is better. Not finite is worse than anything. */
int po_tune_compare(double cost_a, double violation_a, double cost_b, double violation_b);
/* Normal deviates of one point: they follow from seed, generation and index alone. */
void po_tune_normals(double *z, const po_tune *t, int index);
/* Anywhere between bounds; around the start where there are none. It too follows from seed, generation and index. */
void po_tune_anywhere(double *y, const po_tune *t, int index);
/* What y is in the unknowns' units. */
void po_tune_place(double *x, const po_tune *t, const double *y);
/* The least standard deviation in y that still changes a whole number; 0 of others. */
double po_tune_least(const po_tune *t, int i);

void po_cma_layout(po_tune *t, po_arena *arena);
void po_cma_begin(po_tune *t, int restart); /* population is set; restart 1: somewhere else */
void po_cma_ask(po_tune *t);
po_status po_cma_tell(po_tune *t);          /* PO_ERR_ITERATIONS: at rest */
void po_cma_stream(po_tune *t, po_stream *s);
double po_cma_condition(const po_tune *t);
double po_cma_step(const po_tune *t);

void po_simplex_layout(po_tune *t, po_arena *arena);
void po_simplex_begin(po_tune *t, int restart);
void po_simplex_ask(po_tune *t);
po_status po_simplex_tell(po_tune *t);
void po_simplex_stream(po_tune *t, po_stream *s);

void po_front_layout(po_tune *t, po_arena *arena);
void po_front_begin(po_tune *t);
void po_front_ask(po_tune *t);
po_status po_front_tell(po_tune *t);
void po_front_stream(po_tune *t, po_stream *s);
const po_tune_found *po_front_at(po_tune *t, int i);

int po_tune_noise_again(const po_tune *t);  /* how many points are to be tried twice now */
void po_tune_noise_tell(po_tune *t);        /* means of those; then the level */

#endif
