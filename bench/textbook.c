/* textbook.c: four problems that everybody's solver is tried on, defined to the last number, with exact derivatives. */
#include "textbook.h"

#include <math.h>
#include <string.h>

const char *const po_ddp_textbook_names[PO_DDP_TEXTBOOK_COUNT] = {"lqr", "pendulum", "cart-pole", "car"};

/* ---- what the pendulum and the cart-pole share: semi-implicit Euler and squared errors --------------------------------------- */

#define BOOK_H 0.05
#define BOOK_GRAVITY 9.81
#define BOOK_W_STATE 0.005
#define BOOK_W_CONTROL 0.05
#define BOOK_W_END 50.0

/* weight |x − goal|² and its derivatives */
static double book_error(const double *x, const double *goal, int n, double weight) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - goal[i]) * (x[i] - goal[i]);
  return weight * sum;
}
static void book_error_derivatives(po_ddp_derivatives *d, const double *x, const double *goal, int n, double weight) {
  for (int i = 0; i < n; i++) {
    d->lx[i] = 2 * weight * (x[i] - goal[i]);
    PO_AT(d->Hxx, i, i) = 2 * weight;
  }
}

/* The end of both: user is the goal. */
typedef struct book_goal {
  double at[4];
  int n;
} book_goal;

static po_status book_end(void *user, double *psi, double *cost, const double *x, const double *p) {
  const book_goal *goal = user;
  (void)p;
  (void)psi;
  *cost = book_error(x, goal->at, goal->n, BOOK_W_END);
  return PO_OK;
}
static po_status book_end_d(void *user, po_ddp_derivatives *d, const double *x, const double *p, const double *mu) {
  const book_goal *goal = user;
  (void)p;
  (void)mu;
  book_error_derivatives(d, x, goal->at, goal->n, BOOK_W_END);
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

/* ---- pendulum: x = (angle, rate), 0 hangs down
 * ---------------------------------------------------------------------------------- */

#define PENDULUM_DAMPING 0.1
#define PENDULUM_TORQUE (BOOK_GRAVITY * 0.5) /* m g l */
#define PENDULUM_INERTIA 0.25

static const book_goal pendulum_goal = {{PO_PI, 0}, 2};

static po_status pendulum_step(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  (void)user;
  (void)k;
  (void)p;
  next[1] = x[1] + BOOK_H * (u[0] - PENDULUM_DAMPING * x[1] - PENDULUM_TORQUE * po_sin(x[0])) / PENDULUM_INERTIA;
  next[0] = x[0] + BOOK_H * next[1];
  *cost = BOOK_H * (book_error(x, pendulum_goal.at, 2, BOOK_W_STATE) + BOOK_W_CONTROL * u[0] * u[0]);
  return PO_OK;
}
static po_status pendulum_step_d(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                                 const double *lambda) {
  const double c = BOOK_H / PENDULUM_INERTIA;
  double sine, cosine;
  (void)user;
  (void)k;
  (void)p;
  po_sincos(&sine, &cosine, x[0]);
  PO_AT(d->fx, 1, 0) = -c * PENDULUM_TORQUE * cosine;
  PO_AT(d->fx, 1, 1) = 1 - c * PENDULUM_DAMPING;
  PO_AT(d->fx, 0, 0) = 1 + BOOK_H * PO_AT(d->fx, 1, 0);
  PO_AT(d->fx, 0, 1) = BOOK_H * PO_AT(d->fx, 1, 1);
  PO_AT(d->fu, 1, 0) = c;
  PO_AT(d->fu, 0, 0) = BOOK_H * c;
  book_error_derivatives(d, x, pendulum_goal.at, 2, BOOK_H * BOOK_W_STATE);
  d->lu[0] = 2 * BOOK_H * BOOK_W_CONTROL * u[0];
  PO_AT(d->Huu, 0, 0) = 2 * BOOK_H * BOOK_W_CONTROL;
  if (lambda) PO_AT(d->Hxx, 0, 0) += (lambda[1] + BOOK_H * lambda[0]) * c * PENDULUM_TORQUE * sine;
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

/* ---- cart-pole: x = (position, angle, and their rates), 0 hangs down
 * ---------------------------------------------------------------- */

#define CART_MC 1.0
#define CART_MP 0.2
#define CART_L 0.5

static const book_goal cart_goal = {{0, PO_PI, 0, 0}, 4};

/* A number with its first and second derivatives in (θ, θ', u): enough arithmetic for the two accelerations. */
typedef struct cart_jet {
  double v, g[3], h[6];
} cart_jet; /* h: 00 10 11 20 21 22 */
static const signed char cart_i[6] = {0, 1, 1, 2, 2, 2}, cart_j[6] = {0, 0, 1, 0, 1, 2};

static cart_jet cart_constant(double v) {
  cart_jet a;
  memset(&a, 0, sizeof a);
  a.v = v;
  return a;
}
static cart_jet cart_variable(double v, int i) {
  cart_jet a = cart_constant(v);
  a.g[i] = 1;
  return a;
}
static cart_jet cart_add(cart_jet a, double s, cart_jet b) { /* a + s b */
  a.v += s * b.v;
  for (int i = 0; i < 3; i++) a.g[i] += s * b.g[i];
  for (int i = 0; i < 6; i++) a.h[i] += s * b.h[i];
  return a;
}
static cart_jet cart_mul(cart_jet a, cart_jet b) {
  cart_jet c;
  c.v = a.v * b.v;
  for (int i = 0; i < 3; i++) c.g[i] = a.g[i] * b.v + a.v * b.g[i];
  for (int i = 0; i < 6; i++)
    c.h[i] = a.h[i] * b.v + a.v * b.h[i] + a.g[cart_i[i]] * b.g[cart_j[i]] + a.g[cart_j[i]] * b.g[cart_i[i]];
  return c;
}
static cart_jet cart_apply(double f, double f1, double f2, cart_jet a) { /* f(a), f' and f'' at a */
  cart_jet c;
  c.v = f;
  for (int i = 0; i < 3; i++) c.g[i] = f1 * a.g[i];
  for (int i = 0; i < 6; i++) c.h[i] = f1 * a.h[i] + f2 * a.g[cart_i[i]] * a.g[cart_j[i]];
  return c;
}

/* p'' = (u + mp s (l θ'² + g c)) / (mc + mp s²),   θ'' = (−u c − mp l θ'² c s − (mc + mp) g s) / (l (mc + mp s²)) */
static void cart_accelerations(cart_jet *pdd, cart_jet *tdd, const double *x, double force) {
  double sine, cosine;
  cart_jet t = cart_variable(x[1], 0), w = cart_variable(x[3], 1), u = cart_variable(force, 2), s, c, ww, below, inverse;
  po_sincos(&sine, &cosine, x[1]);
  s = cart_apply(sine, cosine, -sine, t);
  c = cart_apply(cosine, -sine, -cosine, t);
  ww = cart_mul(w, w);
  below = cart_add(cart_constant(CART_MC), CART_MP, cart_mul(s, s));
  inverse = cart_apply(1 / below.v, -1 / (below.v * below.v), 2 / (below.v * below.v * below.v), below);
  *pdd = cart_mul(cart_add(u, CART_MP, cart_mul(s, cart_add(cart_mul(cart_constant(CART_L), ww), BOOK_GRAVITY, c))), inverse);
  *tdd = cart_add(cart_mul(u, c), CART_MP * CART_L, cart_mul(ww, cart_mul(c, s)));
  *tdd = cart_add(*tdd, (CART_MC + CART_MP) * BOOK_GRAVITY, s);
  *tdd = cart_mul(cart_mul(*tdd, inverse), cart_constant(-1 / CART_L));
}

static po_status cart_step(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  cart_jet pdd, tdd;
  (void)user;
  (void)k;
  (void)p;
  cart_accelerations(&pdd, &tdd, x, u[0]);
  next[2] = x[2] + BOOK_H * pdd.v;
  next[3] = x[3] + BOOK_H * tdd.v;
  next[0] = x[0] + BOOK_H * next[2];
  next[1] = x[1] + BOOK_H * next[3];
  *cost = BOOK_H * (book_error(x, cart_goal.at, 4, BOOK_W_STATE) + BOOK_W_CONTROL * u[0] * u[0]);
  return PO_OK;
}
static po_status cart_step_d(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                             const double *lambda) {
  cart_jet acc[2];
  (void)user;
  (void)k;
  (void)p;
  cart_accelerations(&acc[0], &acc[1], x, u[0]);
  book_error_derivatives(d, x, cart_goal.at, 4, BOOK_H * BOOK_W_STATE);
  d->lu[0] = 2 * BOOK_H * BOOK_W_CONTROL * u[0];
  PO_AT(d->Huu, 0, 0) = 2 * BOOK_H * BOOK_W_CONTROL;
  for (int i = 0; i < 2; i++) {
    for (int half = 0; half < 2; half++) { /* rate i + 2 first, position i with the new rate */
      int row = half ? i : i + 2;
      double h = half ? BOOK_H * BOOK_H : BOOK_H;
      PO_AT(d->fx, row, i) += half;
      PO_AT(d->fx, row, i + 2) += half ? BOOK_H : 1;
      PO_AT(d->fx, row, 1) += h * acc[i].g[0];
      PO_AT(d->fx, row, 3) += h * acc[i].g[1];
      PO_AT(d->fu, row, 0) += h * acc[i].g[2];
    }
    if (lambda) {
      double weight = BOOK_H * lambda[i + 2] + BOOK_H * BOOK_H * lambda[i];
      PO_AT(d->Hxx, 1, 1) += weight * acc[i].h[0];
      PO_AT(d->Hxx, 3, 1) += weight * acc[i].h[1];
      PO_AT(d->Hxx, 3, 3) += weight * acc[i].h[2];
      PO_AT(d->Hux, 0, 1) += weight * acc[i].h[3];
      PO_AT(d->Hux, 0, 3) += weight * acc[i].h[4];
      PO_AT(d->Huu, 0, 0) += weight * acc[i].h[5];
    }
  }
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

/* ---- car (Tassa, Mansard, Todorov 2014): x = (x, y, angle, speed), u = (wheel angle, acceleration)
 * ------------------------------------- */

#define CAR_H 0.03
#define CAR_D 2.0

/* z(y, p) = √(y² + p²) − p: |y| with a rounded corner; its derivatives. */
static double car_smooth(double y, double p) { return sqrt(y * y + p * p) - p; }
static double car_smooth_1(double y, double p) { return y / sqrt(y * y + p * p); }
static double car_smooth_2(double y, double p) {
  double r = sqrt(y * y + p * p);
  return p * p / (r * r * r);
}

/* Distance b rolled by the back axle and turn a of the car, with derivatives in (w, v). f = h v. */
typedef struct car_arc {
  double b, bw, bf, bww, bwf, bff, a, aw, af, aww, awf, aff;
} car_arc;
static car_arc car_roll(double w, double v) {
  car_arc r;
  double s, c, f = CAR_H * v, root, m, mw, mf, one, up;
  po_sincos(&s, &c, w);
  root = sqrt(CAR_D * CAR_D - f * f * s * s);
  r.b = CAR_D + f * c - root;
  /* root' = −f s (f c dw + s df) / root */
  mw = -f * f * s * c / root;
  mf = -f * s * s / root;
  r.bw = -f * s - mw;
  r.bf = c - mf;
  r.bww = -f * c - (-f * f * (c * c - s * s) / root - mw * mw / root);
  r.bwf = -s - (-2 * f * s * c / root - mw * mf / root);
  r.bff = -(-s * s / root - mf * mf / root);
  /* a = asin(m), m = s f / d */
  m = s * f / CAR_D;
  one = 1 / sqrt(1 - m * m);
  up = m * one * one * one;
  r.a = po_asin(m);
  mw = c * f / CAR_D;
  mf = s / CAR_D;
  r.aw = one * mw;
  r.af = one * mf;
  r.aww = one * -m + up * mw * mw;
  r.awf = one * (c / CAR_D) + up * mw * mf;
  r.aff = up * mf * mf;
  r.bf *= CAR_H;
  r.af *= CAR_H;
  r.bwf *= CAR_H;
  r.awf *= CAR_H; /* f → v */
  r.bff *= CAR_H * CAR_H;
  r.aff *= CAR_H * CAR_H;
  return r;
}

static po_status car_step(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  car_arc r = car_roll(u[0], x[3]);
  double s, c;
  (void)user;
  (void)k;
  (void)p;
  po_sincos(&s, &c, x[2]);
  next[0] = x[0] + r.b * c;
  next[1] = x[1] + r.b * s;
  next[2] = x[2] + r.a;
  next[3] = x[3] + CAR_H * u[1];
  *cost = 0.01 * u[0] * u[0] + 1e-4 * u[1] * u[1] + 1e-3 * (car_smooth(x[0], 0.1) + car_smooth(x[1], 0.1));
  return PO_OK;
}
static po_status car_end(void *user, double *psi, double *cost, const double *x, const double *p) {
  (void)user;
  (void)p;
  (void)psi;
  *cost = 1e-3 * (car_smooth(x[0], 0.1) + car_smooth(x[1], 0.1)) + 0.1 * (car_smooth(x[0], 0.01) + car_smooth(x[1], 0.01)) +
          car_smooth(x[2], 0.01) + 0.3 * car_smooth(x[3], 1);
  return PO_OK;
}
static po_status car_step_d(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                            const double *lambda) {
  car_arc r = car_roll(u[0], x[3]);
  double s, c;
  (void)user;
  (void)k;
  (void)p;
  po_sincos(&s, &c, x[2]);
  po_mat_identity(d->fx);
  PO_AT(d->fx, 0, 2) = -r.b * s;
  PO_AT(d->fx, 0, 3) = r.bf * c;
  PO_AT(d->fu, 0, 0) = r.bw * c;
  PO_AT(d->fx, 1, 2) = r.b * c;
  PO_AT(d->fx, 1, 3) = r.bf * s;
  PO_AT(d->fu, 1, 0) = r.bw * s;
  PO_AT(d->fx, 2, 3) = r.af;
  PO_AT(d->fu, 2, 0) = r.aw;
  PO_AT(d->fu, 3, 1) = CAR_H;
  d->lu[0] = 0.02 * u[0];
  d->lu[1] = 2e-4 * u[1];
  PO_AT(d->Huu, 0, 0) = 0.02;
  PO_AT(d->Huu, 1, 1) = 2e-4;
  for (int i = 0; i < 2; i++) {
    d->lx[i] = 1e-3 * car_smooth_1(x[i], 0.1);
    PO_AT(d->Hxx, i, i) = 1e-3 * car_smooth_2(x[i], 0.1);
  }
  if (lambda) {
    double along = lambda[0] * c + lambda[1] * s, across = -lambda[0] * s + lambda[1] * c;
    PO_AT(d->Hxx, 2, 2) -= along * r.b;
    PO_AT(d->Hxx, 3, 2) += across * r.bf;
    PO_AT(d->Hxx, 3, 3) += along * r.bff + lambda[2] * r.aff;
    PO_AT(d->Hux, 0, 2) += across * r.bw;
    PO_AT(d->Hux, 0, 3) += along * r.bwf + lambda[2] * r.awf;
    PO_AT(d->Huu, 0, 0) += along * r.bww + lambda[2] * r.aww;
  }
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}
static po_status car_end_d(void *user, po_ddp_derivatives *d, const double *x, const double *p, const double *mu) {
  (void)user;
  (void)p;
  (void)mu;
  for (int i = 0; i < 2; i++) {
    d->lx[i] = 1e-3 * car_smooth_1(x[i], 0.1) + 0.1 * car_smooth_1(x[i], 0.01);
    PO_AT(d->Hxx, i, i) = 1e-3 * car_smooth_2(x[i], 0.1) + 0.1 * car_smooth_2(x[i], 0.01);
  }
  d->lx[2] = car_smooth_1(x[2], 0.01);
  PO_AT(d->Hxx, 2, 2) = car_smooth_2(x[2], 0.01);
  d->lx[3] = 0.3 * car_smooth_1(x[3], 1);
  PO_AT(d->Hxx, 3, 3) = 0.3 * car_smooth_2(x[3], 1);
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

/* ---- lqr: a chain of two masses on springs, the first one driven
 * ------------------------------------------------------------------------- */

#define LQR_FRAMES 50
static const double lqr_start[4] = {1, 0, -0.5, 0.2};
/* x+ = A x + B u: h = 0.1, springs 1 and 0.5, damping 0.1 */
static const double lqr_a[16] = {1, 0, 0.1, 0, 0, 1, 0, 0.1, -0.15, 0.05, 0.99, 0, 0.05, -0.05, 0, 0.99};
static const double lqr_b[8] = {0, 0, 0, 0, 0.1, 0, 0.02, 0.1};
static const double lqr_q[4] = {1, 2, 0.5, 0.1}, lqr_r[2] = {0.1, 0.3}, lqr_end_q[4] = {10, 10, 1, 1};

static po_status lqr_step(void *user, double *next, double *cost, int k, const double *x, const double *u, const double *p) {
  (void)user;
  (void)k;
  (void)p;
  *cost = 0;
  for (int i = 0; i < 4; i++) {
    next[i] = lqr_b[2 * i] * u[0] + lqr_b[2 * i + 1] * u[1];
    for (int j = 0; j < 4; j++) next[i] += lqr_a[4 * i + j] * x[j];
    *cost += 0.5 * lqr_q[i] * x[i] * x[i];
  }
  for (int i = 0; i < 2; i++) *cost += 0.5 * lqr_r[i] * u[i] * u[i];
  return PO_OK;
}
static po_status lqr_end(void *user, double *psi, double *cost, const double *x, const double *p) {
  (void)user;
  (void)p;
  (void)psi;
  *cost = 0;
  for (int i = 0; i < 4; i++) *cost += 0.5 * lqr_end_q[i] * x[i] * x[i];
  return PO_OK;
}
static po_status lqr_step_d(void *user, po_ddp_derivatives *d, int k, const double *x, const double *u, const double *p,
                            const double *lambda) {
  (void)user;
  (void)k;
  (void)p;
  (void)lambda;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) PO_AT(d->fx, i, j) = lqr_a[4 * i + j];
    for (int j = 0; j < 2; j++) PO_AT(d->fu, i, j) = lqr_b[2 * i + j];
    d->lx[i] = lqr_q[i] * x[i];
    PO_AT(d->Hxx, i, i) = lqr_q[i];
  }
  for (int i = 0; i < 2; i++) {
    d->lu[i] = lqr_r[i] * u[i];
    PO_AT(d->Huu, i, i) = lqr_r[i];
  }
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}
static po_status lqr_end_d(void *user, po_ddp_derivatives *d, const double *x, const double *p, const double *mu) {
  (void)user;
  (void)p;
  (void)mu;
  for (int i = 0; i < 4; i++) {
    d->lx[i] = lqr_end_q[i] * x[i];
    PO_AT(d->Hxx, i, i) = lqr_end_q[i];
  }
  d->given = PO_DDP_GIVEN_ALL;
  return PO_OK;
}

/* ---- the four
 * --------------------------------------------------------------------------------------------------------------------------------- */

typedef struct book_entry {
  int frames, nx, nu;
  const double *start;
  double bound[2];
  po_ddp_step_fn step;
  po_ddp_end_fn end;
  po_ddp_step_derivatives_fn step_d;
  po_ddp_end_derivatives_fn end_d;
  const book_goal *goal;
} book_entry;

static const double book_zero[4] = {0, 0, 0, 0}, car_start[4] = {1, 1, 1.5 * PO_PI, 0};
static const book_entry book_entries[PO_DDP_TEXTBOOK_COUNT] = {
    {LQR_FRAMES, 4, 2, lqr_start, {PO_INF, PO_INF}, lqr_step, lqr_end, lqr_step_d, lqr_end_d, NULL},
    {60, 2, 1, book_zero, {PO_INF, PO_INF}, pendulum_step, book_end, pendulum_step_d, book_end_d, &pendulum_goal},
    {100, 4, 1, book_zero, {PO_INF, PO_INF}, cart_step, book_end, cart_step_d, book_end_d, &cart_goal},
    {500, 4, 2, car_start, {0.5, 2}, car_step, car_end, car_step_d, car_end_d, NULL},
};

po_status po_ddp_textbook_new(po_ddp_textbook **book, const char *name, double u_max, po_error *err) {
  const book_entry *e = NULL;
  po_ddp_textbook *b;
  book_goal *goal;
  double *lower, *upper, *guess;
  int which;
  if (!book || !name) return po_fail(err, PO_ERR_NULL, "a place for the problem and its name are needed");
  for (which = 0; which < PO_DDP_TEXTBOOK_COUNT && !e; which++)
    if (strcmp(name, po_ddp_textbook_names[which]) == 0) e = &book_entries[which];
  if (!e) return po_fail(err, PO_ERR_NAME, "unknown problem '%s'; there are lqr, pendulum, cart-pole and car", name);
  if (!(u_max > 0)) return po_fail(err, PO_ERR_RANGE, "u_max must be positive");
  size_t count = (size_t)e->frames * (size_t)e->nu;
  b = (po_ddp_textbook *)po_alloc(sizeof *b + sizeof *goal + 3 * count * sizeof(double));
  if (!b) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  goal = (book_goal *)(b + 1);
  lower = (double *)(goal + 1);
  upper = lower + count;
  guess = upper + count;
  for (size_t i = 0; i < count; i++) {
    double bound = po_min(u_max, e->bound[i % (size_t)e->nu]);
    double angle = 0.7 * (double)(i / (size_t)e->nu);
    lower[i] = -bound;
    upper[i] = bound;
    guess[i] = e->step != car_step ? 0.01 : i % 2 ? 0.1 * po_cos(angle) : 0.1 * po_sin(angle);
  }
  memset(b, 0, sizeof *b);
  if (e->goal) *goal = *e->goal;
  b->problem.user = goal;
  b->problem.size.frames = e->frames;
  b->problem.size.nx = e->nx;
  b->problem.size.nu = e->nu;
  b->problem.start = e->start;
  b->problem.lower = lower;
  b->problem.upper = upper;
  b->problem.step = e->step;
  b->problem.end = e->end;
  b->problem.step_derivatives = e->step_d;
  b->problem.end_derivatives = e->end_d;
  b->guess = guess;
  b->u_max = u_max;
  *book = b;
  return PO_OK;
}

void po_ddp_textbook_free(po_ddp_textbook *book) { po_free(book); }
