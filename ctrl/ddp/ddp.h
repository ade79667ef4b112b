/* ddp.h: differential dynamic programming for anyone's dynamics.
 *
 *   the problem   po_ddp_problem (callbacks, bounds, goal, static parameters)  po_ddp_problem_check
 *   derivatives   po_ddp_derivatives  po_ddp_differences_bytes  po_ddp_differences  po_ddp_check_derivatives
 *   solving       po_ddp_opts_default  po_ddp_bytes  po_ddp_init  po_ddp_new  po_ddp_free  po_ddp_solve  po_ddp_result
 *   the answer    po_ddp_frame_of: state, control, gains and value terms of a frame;  po_ddp_status_string  po_ddp_method_string
 *   state         po_ddp_save_bytes  po_ddp_save  po_ddp_restore  po_ddp_stream  po_ddp_hash
 *   the law       po_ddp_policy: control, rate and end for a state now;  po_ddp_policy_opts_default  po_ddp_policy_bytes
 *                  po_ddp_policy_state  po_ddp_policy_hessian  po_ddp_policy_price  po_ddp_policy_index
 *   momentum      po_momentum_...: COM and momenta of a body driven by contact forces; po_momentum_read  po_momentum_write
 *
 *   min  Σ_k l_k(x_k, u_k, p) + φ(x_N, p)
 *   s.t. x_0 given,  x_k+1 = f_k(x_k, u_k, p),  lower ≤ u ≤ upper,  ψ(x_N, p) = 0,  p_lower ≤ p ≤ p_upper
 *
 * N frames; nx states; at most nu controls, whose number may change from frame to frame (also to none); ng rows of the goal ψ,
 * kept by multipliers μ; np static parameters p, numbers that do not change along the way: the stretch of time, the place of a
 * foothold. A parameter is free (solved for) or fixed (only its influence is computed).
 *
 * A solve sweeps backward over a second-order model of the cost to go, V(x, p, μ), and forward over the true dynamics. The answer
 * is a trajectory with a feedback law around it, u = U + K (x − X) + Kp δp + Km δμ, the terms of V at every frame, from which δμ
 * and δp follow for a moved state, goal or time (docs/ddp.md), and a certificate. Nothing allocates in a solve. One solver object
 * per thread.
 */
#ifndef PO_DDP_H
#define PO_DDP_H

#include "../../qp/qp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== the problem ====================================================================================================== */

typedef struct po_ddp_sizes {
  int frames; /* N ≥ 1 */
  int nx;     /* states, ≥ 1 */
  int nu;     /* most controls of any frame, ≥ 0 */
  int ng;     /* rows of the goal, ≥ 0 */
  int np;     /* static parameters, ≥ 0 */
} po_ddp_sizes;

/* Where derivatives go. All is zeroed before a callback sees it, so only what is not zero need be written; of Hxx, Huu and Hpp the
 * lower triangle counts. For the end of the trajectory f is ψ (ng rows), l is φ, and there are no controls.
 * H is the Hamiltonian l + λ'f with λ as given to the callback; when λ is NULL (Gauss–Newton) the second derivatives of l alone
 * are wanted. */
typedef struct po_ddp_derivatives {
  po_mat fx, fp, fu;     /* rows of f × nx, np, nu */
  double *lx, *lp, *lu;
  po_mat Hxx, Hpx, Hpp;  /* nx×nx, np×nx, np×np */
  po_mat Hux, Hup, Huu;  /* nu×nx, nu×np, nu×nu */
  unsigned given;        /* the callback sets what it has filled, PO_DDP_...; differences fill the rest */
} po_ddp_derivatives;
#define PO_DDP_GIVEN_F 1u /* fx, fp, fu */
#define PO_DDP_GIVEN_L 2u /* lx, lp, lu */
#define PO_DDP_GIVEN_H 4u /* all of H */
#define PO_DDP_GIVEN_ALL 7u

/* Callbacks return PO_OK, or any error, which ends the solve and is returned by it. What they write must be finite: a step that
 * gives NaN or infinity is taken as one that went too far, unless it is the first. They must be functions of their arguments
 * alone. */
typedef po_status (*po_ddp_step_fn)(void *user, double *next, double *cost, int frame, const double *x, const double *u, const double *p);
typedef po_status (*po_ddp_end_fn)(void *user, double *psi, double *cost, const double *x, const double *p);
typedef po_status (*po_ddp_step_derivatives_fn)(void *user, po_ddp_derivatives *d, int frame, const double *x, const double *u,
                                                const double *p, const double *lambda);
typedef po_status (*po_ddp_end_derivatives_fn)(void *user, po_ddp_derivatives *d, const double *x, const double *p, const double *mu);

typedef struct po_ddp_problem {
  po_ddp_sizes size;
  const int *nu;                   /* frames: controls of each frame, 0 … size.nu; NULL: size.nu everywhere */
  const double *start;             /* nx: the state of frame 0 */
  const double *lower, *upper;     /* frames × size.nu bounds of the controls, ±PO_INF where there is none; NULL: none */
  const double *p_nominal;         /* np: values of the fixed parameters, first guess of the free ones; NULL: zero */
  const unsigned char *p_free;     /* np: 1 where the parameter is to be solved for; NULL: all fixed */
  const double *p_lower, *p_upper; /* np: bounds of the free ones; NULL: none */
  const double *goal_scale;        /* ng: what counts as 1 of each row of ψ, > 0; NULL: 1 */
  const double *goal_weight;       /* ng: weight ρ of ½ρψ², which shapes the way to the goal and not the answer; NULL: chosen from cost and scale */
  void *user;
  po_ddp_step_fn step;
  po_ddp_end_fn end;               /* NULL: no end cost (and ng must be 0) */
  po_ddp_step_derivatives_fn step_derivatives; /* NULL: by differences */
  po_ddp_end_derivatives_fn end_derivatives;   /* NULL: by differences */
} po_ddp_problem;

/* PO_OK, or what is wrong with sizes, pointers, bounds that cross, numbers that are not finite; *err (may be NULL) says where. */
po_status po_ddp_problem_check(const po_ddp_problem *problem, po_error *err);

/* Controls of a frame. */
static inline int po_ddp_controls(const po_ddp_problem *problem, int frame) {
  return frame >= problem->size.frames ? 0 : problem->nu ? problem->nu[frame] : problem->size.nu;
}

/* ==== derivatives ====================================================================================================== */

/* Fills what d->given does not hold, by differences of the callbacks that there are: first derivatives of values (fourth order in
 * the step, off by about 1e-11), second ones of first ones where these are given (1e-10), else of values (1e-6). frame = frames is
 * the end; u is then ignored and lambda is μ. Scratch: po_ddp_differences_bytes. PO_ERR_NOT_FINITE when a callback gave NaN or
 * infinity. */
size_t po_ddp_differences_bytes(po_ddp_sizes size);
po_status po_ddp_differences(po_ddp_derivatives *d, const po_ddp_problem *problem, int frame, const double *x, const double *u,
                             const double *p, const double *lambda, po_arena *scratch);

/* Compares what a derivatives callback gives with differences. Allocates. */
typedef struct po_ddp_derivatives_report {
  double error;         /* the largest, relative to 1 + the block's largest element */
  const char *block;    /* where: "fx" "fp" "fu" "lx" "lp" "lu" "Hxx" "Hpx" "Hpp" "Hux" "Hup" "Huu" */
  int row, column;
  double given, difference;
} po_ddp_derivatives_report;
po_status po_ddp_check_derivatives(po_ddp_derivatives_report *report, const po_ddp_problem *problem, int frame, const double *x, const double *u,
                                   const double *p, const double *lambda);

/* ==== solving ========================================================================================================== */

typedef enum po_ddp_method {
  PO_DDP_AUTO,    /* active, and interior when that makes no headway */
  PO_DDP_ACTIVE,  /* a bound-constrained QP per frame; best when warm */
  PO_DDP_INTERIOR /* primal–dual, all bounds at once; finished by active */
} po_ddp_method;
const char *po_ddp_method_string(po_ddp_method method); /* "auto" "active" "interior" */

typedef enum po_ddp_status {
  PO_DDP_OPTIMAL,          /* all of the certificate was within the tolerances, and the curvature positive */
  PO_DDP_GOAL_UNREACHABLE, /* the goal's error cannot be made smaller; the gains mean nothing */
  PO_DDP_ITERATION_LIMIT,  /* the last iterate */
  PO_DDP_NUMERICAL         /* no step improves, short of the tolerances; or a saddle: curvature_min ≤ 0 */
} po_ddp_status;
const char *po_ddp_status_string(po_ddp_status status); /* "optimal" "goal_unreachable" "iteration_limit" "numerical" */

typedef struct po_ddp_opts {
  po_ddp_method method;        /* auto */
  int gauss_newton;            /* 1: without the second derivatives of f and ψ */
  int max_iterations;          /* 500 */
  double tol_goal;             /* of goal_error, 1e-8 */
  double tol_stationarity;     /* 1e-8 */
  double tol_complementarity;  /* 1e-9 */
} po_ddp_opts;
po_ddp_opts po_ddp_opts_default(void);

/* Where to start. NULL members are unknown: controls zero (moved within their bounds), multipliers zero, parameters nominal. */
typedef struct po_ddp_start {
  const double *u;  /* frames × size.nu */
  const double *mu; /* ng */
  const double *p;  /* np */
  int warm;         /* 1: from this object's last solution, following its feedback law from the problem's start. u, mu, p above, when given, win */
  int skip;         /* warm: so many frames of the last solution are over; frame 0 is its frame `skip` */
} po_ddp_start;

typedef struct po_ddp_result {
  po_ddp_status status;
  po_ddp_method method;   /* active or interior: which one found the answer */
  int iterations;         /* steps taken */
  int sweeps, rollouts;   /* backward and forward passes */
  double cost;
  double goal_error;      /* max |ψ_i| / goal_scale_i */
  double stationarity;    /* max |∂(Σl + φ + μ'ψ)/∂u − z|, and of the free parameters, relative to 1 + the largest of the terms it sums */
  double complementarity; /* max z · (distance to its bound), relative to 1 + |cost| */
  double curvature_min;   /* least eigenvalue of Quu over the controls that are free, of all frames; infinity when there are none */
  const double *x;        /* (frames + 1) × nx */
  const double *u;        /* frames × size.nu; unused entries are zero */
  const double *mu, *p;   /* ng, np */
} po_ddp_result;

typedef struct po_ddp po_ddp;
/* A solver for problems of up to these sizes. */
size_t po_ddp_bytes(po_ddp_sizes size);
po_status po_ddp_init(po_ddp **ddp, po_ddp_sizes size, void *mem, size_t bytes);
po_status po_ddp_new(po_ddp **ddp, po_ddp_sizes size);
void po_ddp_free(po_ddp *ddp);
/* Misuse (sizes, NaN, bounds that cross, a callback that fails or gives NaN at the very start) is the returned status; the outcome
 * of a well-posed call is result->status. opts NULL: default; start NULL: cold. Result arrays are the solver's, valid until its
 * next solve or restore. After a failed call the object holds no plan, and its next solve is cold. */
po_status po_ddp_solve(po_ddp_result *result, po_ddp *ddp, const po_ddp_problem *problem, const po_ddp_opts *opts, const po_ddp_start *start);

/* The answer at one frame, 0 … frames (at the last: x and value terms only). Views into the solver.
 *   V(x, p, μ) = value + Vx δx + Vp δp + Vm δμ + ½ (δx, δp, δμ)' [Vxx . .; Vpx Vpp .; Vmx Vmp Vmm] (δx, δp, δμ)   about X, the solution's p and μ.
 * Parameters count from this frame on: Vp of frame k is the price of changing p for frames k … N. Vmm is negative definite. */
typedef struct po_ddp_frame {
  int nu;
  const double *x, *u;
  const double *z;             /* nu multipliers of the bounds: positive at a lower, negative at an upper one */
  po_mat K, Kp, Km;            /* nu × nx, np, ng; rows of controls at a bound are zero */
  double value;                /* cost from this frame on */
  const double *Vx, *Vp, *Vm;  /* nx, np, ng */
  po_mat Vxx, Vpx, Vpp, Vmx, Vmp, Vmm; /* both triangles of the symmetric ones are filled */
} po_ddp_frame;
po_ddp_frame po_ddp_frame_of(const po_ddp *ddp, int frame);

/* All that outlasts a solve (trajectory, multipliers, gains, value terms) as a stream (base.h): a warm solve after restore is
 * bit-identical. A solver made for other sizes is refused with PO_ERR_MODEL. po_ddp_stream is for objects that have a solver among
 * their parts. */
size_t po_ddp_save_bytes(const po_ddp *ddp);
po_status po_ddp_save(void *state, size_t bytes, const po_ddp *ddp);
po_status po_ddp_restore(po_ddp *ddp, const void *state, size_t bytes);
void po_ddp_stream(po_ddp *ddp, po_stream *stream);
uint64_t po_ddp_hash(const po_ddp *ddp); /* of the trajectory, controls, multipliers and gains */

/* ==== the law online ===================================================================================================
 *
 * A solved plan answers for states near its own, at any phase s in [0, frames], without a new solve: δμ and δp keep the goal and
 * the parameters best to first order, and the error of the law falls with the square of the deviation. Nothing allocates; scratch:
 * po_ddp_policy_bytes. */

typedef struct po_ddp_policy_opts {
  int time;                    /* the parameter that stretches time, or −1 */
  int append;                  /* 1: it stretches the last frame only (the end moves); 0: all frames from the phase on */
  const unsigned char *p_free; /* np: which parameters follow the state; NULL: none */
  const double *p_weight;      /* np, ≥ 0: changing p by δp costs ½ w δp² beside what the plan says; NULL: nothing. Near its end, or at rest, a plan hardly minds how long it takes */
  const double *compliance;    /* ng: Σ, how far the end gives way per unit of its multiplier; NULL: a hard end, which asks for absurd forces when it is near */
  const double *stiffness;     /* ng × ng, in place of compliance: missing the end by ψ costs ½ψ'Sψ. Zero where the end is free; NULL: compliance counts */
  double rate_min, rate_max;   /* of the phase, 1/2 and 2: bounds of the stretch */
  const double *lower, *upper; /* of the controls of the phase's frame; NULL: none */
} po_ddp_policy_opts;
po_ddp_policy_opts po_ddp_policy_opts_default(void);

typedef struct po_ddp_policy_result { /* the arrays are the caller's */
  double *u;     /* at least size.nu */
  double *dmu;   /* ng. The end is missed by Σδμ, which is where a foothold may follow */
  double *dp;    /* np */
  double rate;   /* frames of the plan per frame of time: phase += rate */
  int frame, nu; /* whose controls they are, and how many */
  double *miss;  /* ng or NULL: by how much the end will be missed, as far as the law can tell */
} po_ddp_policy_result;

size_t po_ddp_policy_bytes(po_ddp_sizes size);
/* What to do in state x (in the plan's own coordinates) at a phase, the goal moved by goal_shift (NULL: not). PO_ERR_STATE when
 * the solver holds no plan. */
po_status po_ddp_policy(po_ddp_policy_result *out, const po_ddp *plan, double phase, const double *x, const double *goal_shift,
                        const po_ddp_policy_opts *opts, po_arena *scratch);
/* What the law makes of deviations at a phase: cost ½δx'Hδx (nx × nx). What is done after the end may be given to it as a stiffness: H of the next
 * plan's beginning. Bounds of parameters are not counted. */
po_status po_ddp_policy_hessian(double *H, const po_ddp *plan, double phase, const po_ddp_policy_opts *opts, po_arena *scratch);
/* X at a phase. */
void po_ddp_policy_state(double *x, const po_ddp *plan, double phase);
/* What each frame must be paid per second so that the plan's own timing is the best from every frame on: to be added to the
 * frames' cost rates. The plan must have been solved with parameter `time` in it, fixed; one unit of it makes a frame longer by
 * seconds_per_stretch. */
void po_ddp_policy_price(double *price, const po_ddp *plan, int time, double seconds_per_stretch);
/* The index of Ye & Liu's eq. 9 (append only): the frame c, not whole, within `reach` frames of `last`, at which the change of the
 * end that using c at time t (both in frames) amounts to is the one that the state asks for. Never divides by the factor that may
 * vanish; of several solutions the nearest. */
po_status po_ddp_policy_index(double *index, po_ddp_policy_result *out, const po_ddp *plan, double t, double last, int reach, const double *x,
                              const double *goal_shift, const po_ddp_policy_opts *opts, po_arena *scratch);

/* ==== the momentum model ===============================================================================================
 *
 * x = (C, P, Φ, L): centre of mass, linear momentum, integral of the angular momentum, angular momentum about the COM (Ye & Liu
 * 2010). Controls are the weights λ ≥ 0 of the rays of a friction pyramid at each contact point, force f_i = Σ ray λ. Forces are
 * constant within a frame, and the step is exact. Cost of a frame: h (w_force Σ|f_i|² + w_rays Σ λ² + x'W_state x + (x −
 * ref)'W_track (x − ref) + price). Goal: x_N = goal. Static parameters, in this order: the time stretch θ, h_k = dt (1 + θ w_k),
 * when `time` is set; then a shift (3, world) for each foothold. */

#define PO_MOMENTUM_NX 12
enum { PO_MOMENTUM_C = 0, PO_MOMENTUM_P = 3, PO_MOMENTUM_PHI = 6, PO_MOMENTUM_L = 9 };
#define PO_MOMENTUM_MAX_POINTS 64 /* in one frame */
#define PO_MOMENTUM_MAX_RAYS 16

typedef enum po_momentum_time {
  PO_MOMENTUM_TIME_FIXED,
  PO_MOMENTUM_TIME_STRETCH, /* w_k = 1: all frames grow alike */
  PO_MOMENTUM_TIME_APPEND   /* w_k = 1 at the last frame only: the end moves */
} po_momentum_time;

typedef struct po_momentum {
  char name[64];
  int frames;
  double mass, dt;
  po_vec3 gravity;
  int ray_count;
  const double *rays;          /* ray_count × 3 */
  double w_force, w_rays;
  double w_state[12], w_track[12];
  double start[12], goal[12];
  const double *reference;     /* (frames + 1) × 12 */
  const int *point_count;      /* frames: contact points of each frame; 0: flight */
  const int *point_first;      /* frames: index of its first point in `points` */
  const double *points;        /* × 3, world */
  const int *foothold;         /* per point: the foothold whose shift moves it, or −1; NULL: none moves */
  int footholds;
  po_momentum_time time;
  const double *price;         /* frames: of a second, per second (docs/ddp.md); NULL: none */
  const double *push;          /* frames × 6: a known outside force and its moment about the COM; NULL: none */
  void *memory;                /* of po_momentum_read; else NULL */
} po_momentum;

/* Scales of a body, from mass, standing height l of its COM and gravity: weights (the paper's 500 and 500 for a human), units of
 * the states for goal_scale, weight of the goal and compliance of the end. squat: the paper's weights for a squat. */
typedef struct po_momentum_scales {
  double w_force, w_rays, w_state[12], w_track[12];
  double unit[12];             /* l, M l/T, M l², M l²/T with T = √(l/g) */
  double goal_weight[12];      /* ρ */
  double compliance[12];       /* Σ: how far the end gives way per unit of its multiplier */
} po_momentum_scales;
po_momentum_scales po_momentum_scales_of(double mass, double height, double gravity, int squat);

/* PO_OK, or what is wrong; *err (may be NULL) names it. Contacts on one line or none are possible and no mistake: whether the goal
 * can be reached with them the solve will tell. */
po_status po_momentum_check(const po_momentum *m, po_error *err);
/* The model as a problem. `m` and `mem` must outlive the problem; bytes: po_momentum_problem_bytes. */
size_t po_momentum_problem_bytes(const po_momentum *m);
po_status po_momentum_problem(po_ddp_problem *problem, const po_momentum *m, void *mem, size_t bytes, po_error *err);
/* Controls of a frame whose forces come nearest to a sum S and a moment T about C within the friction pyramids: eq. 12 of the
 * paper, which moves forces to other contacts. Scratch: po_momentum_fit_bytes. */
size_t po_momentum_fit_bytes(const po_momentum *m);
po_status po_momentum_fit(double *u, const po_momentum *m, int frame, po_vec3 C, po_vec3 S, po_vec3 T, po_arena *scratch);
/* Inverse dynamics of the reference, a start for a cold solve (allocates): controls (frames × size.nu) whose forces give its
 * momentum rates as nearly as the cone allows. */
po_status po_momentum_guess(double *u, const po_ddp_problem *problem, const po_momentum *m);
/* Force of each contact point of a frame (× 3) for its controls, and their sum. Either may be NULL. */
void po_momentum_forces(double *forces, po_vec3 *sum, const po_momentum *m, int frame, const double *u);

/* Problem files (JSON; docs/ddp.md). The problem is freed as a whole. */
po_status po_momentum_read(po_momentum **m, const char *text, size_t size, const char *path, po_error *err);
void po_momentum_write(po_buffer *out, const po_momentum *m);
void po_momentum_free(po_momentum *m);

#ifdef __cplusplus
}
#endif
#endif
