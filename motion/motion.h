/* motion.h: motions of a body: recorded, captured or built in.
 *
 *   a motion      po_motion_new  po_motion_free  po_motion_add  po_motion_check  po_motion_seconds  po_corners_of
 *   between frames po_motion_sample  po_motion_stride
 *   a new one     po_motion_cut  po_motion_resample  po_motion_mirror
 *   in place      po_motion_move  po_motion_smooth  po_planted_opts_default  po_motion_find_planted
 *                 po_motion_close_gaps  po_motion_level  po_motion_pin
 *   reading it    po_motion_measure  po_motion_figures  po_motion_segments
 *   files         po_motion_write  po_motion_read  po_motion_body   (.motion, docs/motions.md)
 *   captured      po_bvh_read  po_bvh_write  po_bvh_free  po_bvh_pose  po_retarget_opts_default  po_retarget
 *   built in      po_motion_built_in ("walk", "long-step", "squat")
 *   any of them   po_motion_load: a built-in name, FILE.motion or FILE.bvh
 *   inverse kinematics  po_ik_opts_default  po_ik_new  po_ik_free  po_ik_solve  po_clamp_to_limits
 *
 * A motion is a row of frames at a fixed rate. A frame holds q, v and which corners of the soles stand: a planted corner neither slides nor
 * lifts until it is planted no more. Frame k belongs to the time k/hz; its planted corners are those of the time from k to k+1.
 * Everything here computes ahead of a run and takes its memory from the allocator, but for po_motion_add, po_motion_sample and po_ik_solve,
 * which allocate nothing.
 */
#ifndef PO_MOTION_H
#define PO_MOTION_H

#include "../rbd/rbd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== motions ========================================================================================================== */

#define PO_CORNERS 32 /* most corners of soles a body may have: one bit each */
#define PO_CORNER_FEET 8

/* The sole_… frames of a model, in its order: bit c of `planted` is the corner frame[c]. The corners sole_X_0, sole_X_1, … make the foot X. */
typedef struct po_corners {
  int count, feet;
  int frame[PO_CORNERS], foot[PO_CORNERS];
  uint32_t of_foot[PO_CORNER_FEET]; /* the corners of a foot, as bits */
  char name[PO_CORNER_FEET][8];     /* "l", "r", … */
} po_corners;
po_corners po_corners_of(const po_model *model);

typedef struct po_motion {
  const po_model *model; /* whose motion it is; must outlive it */
  double hz;             /* frames per second */
  int frames, capacity;
  int cyclic;        /* 1: the last frame is the first again, moved along by the stride: the motion goes on for ever */
  double *q;         /* frames × nq */
  double *v;         /* frames × nv */
  uint32_t *planted; /* frames */
  po_corners corners;
} po_motion;

#define PO_MOTION_HZ_LEAST 1e-3 /* rates outside are a mistake: frames and seconds would not fit together */
#define PO_MOTION_HZ_MOST 1e6
po_status po_motion_new(po_motion **motion, const po_model *model, double hz, int capacity);
void po_motion_free(po_motion *motion);
/* One frame more; v may be NULL (zero). PO_ERR_SIZE when it is full, PO_ERR_NOT_FINITE and PO_ERR_RANGE for bad numbers. */
po_status po_motion_add(po_motion *motion, const double *q, const double *v, uint32_t planted);
/* All frames finite and unit quaternions; a cyclic motion ends as it began (joints within 1e-6). The message names the frame. */
po_status po_motion_check(const po_motion *motion, po_error *err);
double po_motion_seconds(const po_motion *motion); /* from the first frame to the last */
static inline double *po_motion_q(const po_motion *m, int frame) { return m->q + (size_t)frame * (size_t)m->model->nq; }
static inline double *po_motion_v(const po_motion *m, int frame) { return m->v + (size_t)frame * (size_t)m->model->nv; }

/* A turn about the vertical and a shift: x' = Rz(turn) x + shift. */
typedef struct po_planar_move {
  double turn;
  po_vec3 shift;
} po_planar_move;
/* How the root's pose moves from the first frame to the last: its heading and its place. Identity without a floating base. */
po_planar_move po_motion_stride(const po_motion *motion);

/* The state at any time: cubic between frames, so that q is smooth, passes through the frames with their v, and v is its exact derivative.
 * Before the first and after the last frame the motion holds still (v = 0), unless it is cyclic. v and planted may be NULL. */
void po_motion_sample(double *q, double *v, uint32_t *planted, const po_motion *motion, double time);

/* Frames from … to, both included. */
po_status po_motion_cut(po_motion **cut, const po_motion *motion, int from, int to);
/* Another rate; a cyclic motion keeps its period, so that its rate is the nearest one that fits. */
po_status po_motion_resample(po_motion **resampled, const po_motion *motion, double hz);
/* Left becomes right (po_mirror_state). */
po_status po_motion_mirror(po_motion **mirrored, const po_motion *motion);

void po_motion_move(po_motion *motion, po_planar_move move);
/* Fits a cubic (a parabola when there are but three) to the frames within ±seconds/2 of each (Savitzky & Golay 1964, on the configuration
 * manifold): q becomes its value, v its slope. seconds = 0: three frames, which leaves q alone and sets v to central differences. */
po_status po_motion_smooth(po_motion *motion, double seconds);

/* What makes a corner planted: low and slow; and what is too short to believe. */
typedef struct po_planted_opts {
  double height; /* m over the floor z = 0 */
  double speed;  /* m/s */
  double gap;    /* s: po_motion_close_gaps */
} po_planted_opts;
po_planted_opts po_planted_opts_default(const po_model *model); /* of the body's size: docs/motions.md */
po_status po_motion_find_planted(po_motion *motion, const po_planted_opts *opts);
/* A corner that is off, or on, for less than that between two others stays as it was. */
void po_motion_close_gaps(po_motion *motion, double seconds);

/* Turns and lifts the whole motion so that the places where planted corners rest lie on z = 0, as far as they spread wide enough to tell a
 * slope. *slope (may be NULL) is what was taken out, rad. */
po_status po_motion_level(po_motion *motion, double *slope);
/* Inverse kinematics on every frame so that planted corners stay where they were planted, on z = 0, and the others are not below it. v is made
 * anew by po_motion_smooth(seconds). */
po_status po_motion_pin(po_motion *motion, double seconds);

typedef struct po_motion_figures {
  double com_speed_mean; /* m/s, of the horizontal path from first to last frame */
  double am_peak;        /* largest angular momentum about the COM, kg m²/s */
  double slide_max;      /* farthest a corner gets from where it was planted, m */
  double limit_excess;   /* farthest a joint is outside its limits, rad or m */
  double support_share;  /* share of frames in which some corner is planted */
} po_motion_figures;
po_status po_motion_measure(po_motion_figures *figures, const po_motion *motion);

/* A piece of a motion between two key events: the middles of double supports; where there are no steps, the turning points of the COM's
 * height, at most two seconds apart. Frames from … to; a segment ends where the next begins. */
typedef struct po_segment {
  int from, to;
  uint32_t support; /* corners planted at its middle frame */
  unsigned feet;    /* feet planted then: bit f is corners.name[f] */
} po_segment;
/* At most max of them; *count is how many there are. PO_ERR_SIZE when they are more than max; PO_ERR_STATE, with a message, when a segment has
 * no support, or all its support on a line. */
po_status po_motion_segments(po_segment *segment, int *count, int max, const po_motion *motion, po_error *err);
#define PO_SEGMENT_SECONDS 2.0 /* the longest one without steps */

/* ==== files ============================================================================================================ */

/* Text that reads back to the same bits; it names the body, its joints and its corners. */
void po_motion_write(po_buffer *out, const po_motion *motion);
/* Refuses a motion for another body: the message names the first joint that differs. */
po_status po_motion_read(po_motion **motion, const po_model *model, const char *text, size_t size, const char *file, po_error *err);
/* The name of the body that a .motion file is for. */
po_status po_motion_body(char name[64], const char *text, size_t size, const char *file, po_error *err);

/* ==== captured motions (BVH) =========================================================================================== */

typedef enum po_bvh_channel {
  PO_BVH_XPOSITION,
  PO_BVH_YPOSITION,
  PO_BVH_ZPOSITION,
  PO_BVH_XROTATION,
  PO_BVH_YROTATION,
  PO_BVH_ZROTATION
} po_bvh_channel;
typedef struct po_bvh_joint {
  const char *name;    /* as in the file, blanks and colons included; an End Site is called "" */
  int parent;          /* −1: the root */
  po_vec3 offset;      /* from the parent, in the file's unit */
  int channels, first; /* how many, and where they begin in a frame */
  unsigned char channel[6];
} po_bvh_joint;
typedef struct po_bvh {
  int joints, frames, channels;
  double frame_time; /* s */
  po_bvh_joint *joint;
  double *value; /* frames × channels; degrees and the file's unit */
  char *names;
} po_bvh;

/* One ROOT; any order of channels; tabs, CRLF, blanks in names; one frame per line. */
po_status po_bvh_read(po_bvh **bvh, const char *text, size_t size, const char *file, po_error *err);
void po_bvh_write(po_buffer *out, const po_bvh *bvh); /* reads back to the same bits */
void po_bvh_free(po_bvh *bvh);
/* Where the joints are in one frame, in the file's own axes and unit; frame −1: the rest pose, all channels zero. */
void po_bvh_pose(po_pose *pose, const po_bvh *bvh, int frame);

typedef struct po_retarget_opts {
  double scale;  /* metres per unit; 0: so that the legs are as long as the body's */
  int drop;      /* frames to leave out at the beginning; −1 (default): the first, when the motion jumps from it as no joint moves (a T-pose) */
  double smooth; /* s: window of po_motion_smooth before feet are looked at, 0.125 */
  int similar;   /* 1: a body that is larger than a person moves slower, by the square root of its size (Froude) */
} po_retarget_opts;
po_retarget_opts po_retarget_opts_default(void);

typedef struct po_retarget_report {
  int joints, mapped;       /* of the file, End Sites left out; those that drive a link */
  const char *unmapped[64]; /* the first of those that do not; they live as long as the bvh */
  int unmapped_count;
  double error_max; /* rad: largest angle between a bone of the file and the body's */
  double scale;     /* metres per unit */
  double slope;     /* rad: of the floor, taken out */
} po_retarget_report;

/* A captured motion on any body whose links have names (docs/conventions.md): bones point where the file's do, the root's path is scaled, joints
 * stay within limits, planted feet stay put. PO_ERR_NAME when the file has no hips and legs that could be recognized. */
po_status po_retarget(po_motion **motion, po_retarget_report *report, const po_model *model, const po_bvh *bvh,
                      const po_retarget_opts *opts, const char *file, po_error *err);

/* ==== built-in motions ================================================================================================= */

extern const char *const po_motion_names[]; /* "walk" "long-step" "squat", NULL-terminated */
/* Cyclic, made for the body's size by inverse kinematics (docs/motions.md). Needs feet, legs and a floating base. */
po_status po_motion_built_in(po_motion **motion, const po_model *model, const char *name, double hz, po_error *err);

/* A built-in motion (at hz), FILE.motion or FILE.bvh (at their own rate); opts and report are for the latter and may be NULL. */
po_status po_motion_load(po_motion **motion, po_retarget_report *report, const po_model *model, const char *name, double hz,
                         const po_retarget_opts *opts, po_error *err);

/* ==== inverse kinematics =============================================================================================== */

/* What is wanted of a body: each kind has one to three rows, and its error counts weight² times its square. */
typedef enum po_ik_kind {
  PO_IK_POINT, /* the point of the body (body axes) at `place`; weight per world axis */
  PO_IK_TURN,  /* the body's orientation; weight about the axes of `frame` (columns, world) */
  PO_IK_COM    /* the COM at `place`; weight per world axis */
} po_ik_kind;
typedef struct po_ik_goal {
  po_ik_kind kind;
  int body;
  po_vec3 point, place;
  po_mat3 orientation, frame;
  double weight[3];
} po_ik_goal;

typedef struct po_ik_opts {
  int rounds;              /* 30 */
  double tolerance;        /* ends when no coordinate moves by more: 1e-7 */
  const double *posture;   /* nq: what joints like to be at, or NULL */
  const double *stiffness; /* nv: how much they like it (weight, 1/rad), or NULL */
} po_ik_opts;
po_ik_opts po_ik_opts_default(void);

typedef struct po_ik_result {
  int rounds;
  double cost; /* half the weighted squares at the end */
  double step; /* largest change of a coordinate in the last round */
} po_ik_result;

/* Damped least squares (Levenberg 1944) in coordinates whose limits are a box: the angles of hinges, log(q) of balls. Limits hold at the end, and
 * in every round. Starts from q, which is first put within limits. PO_ERR_ITERATIONS when the rounds did not suffice: q is then the best so far. */
typedef struct po_ik po_ik;
po_status po_ik_new(po_ik **ik, const po_model *model, int max_rows);
void po_ik_free(po_ik *ik);
po_status po_ik_solve(double *q, po_ik_result *result, po_ik *ik, const po_ik_goal *goals, int count, const po_ik_opts *opts);
/* q moved to the nearest coordinates within limits; returns how far the worst was outside (rad or m). */
double po_clamp_to_limits(double *q, const po_model *model);

#ifdef __cplusplus
}
#endif
#endif
