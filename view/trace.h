/* trace.h (room-internal): what a recording holds. Written by record.c and its like, read by pages, filmstrips and files. */
#ifndef PO_TRACE_H
#define PO_TRACE_H

#include "../rbd/mesh.h"
#include "view.h"

#define PO_TRACE_VERSION 1
#define PO_TRACE_QUATERNION 32767.0 /* quaternion components are kept as integers of this scale */

typedef struct po_trace_shape { int body, type; double position[3], quaternion[4], size[3]; } po_trace_shape; /* as po_shape; body counts over all characters; −1: fixed in the world */
/* A hull's corners; of each face how many it has and which, anticlockwise seen from outside; its unit normal and offset. */
typedef struct po_trace_hull { int vertices, faces, loops; double *vertex; int *loop; double *plane; } po_trace_hull;
typedef struct po_trace_body { char name[32]; int character; double mass, com[3]; } po_trace_body; /* kg; in body axes, of the model that it began with */
typedef struct po_trace_push { double time, duration, force[3]; int body; } po_trace_push;
typedef struct po_trace_note { po_note_kind kind; int given; char name[40], value[64], unit[16]; } po_trace_note;

/* Channels that every recording has; after them come its curves, in the order in which they were added. */
enum {
  PO_CHANNEL_TIME, PO_CHANNEL_COM, PO_CHANNEL_TARGET = PO_CHANNEL_COM + 3, PO_CHANNEL_MOMENTUM = PO_CHANNEL_TARGET + 3,
  PO_CHANNEL_FORCE = PO_CHANNEL_MOMENTUM + 3, /* sum of contact forces */
  PO_CHANNEL_PUSH = PO_CHANNEL_FORCE + 3,     /* the push at work */
  PO_CHANNEL_HEADING = PO_CHANNEL_PUSH + 3,   /* rad, of the root */
  PO_CHANNEL_TORQUE,                          /* largest |tau|/limit */
  PO_CHANNEL_SOLVE,                           /* µs of the last control solve */
  PO_CHANNELS,
  PO_TRACE_CHANNELS = PO_CHANNELS + PO_RECORD_CURVES /* at most */
};
typedef struct po_trace_channel { char name[32], unit[16]; } po_trace_channel; /* unit: of curves of a user's own */
extern const char *const po_channel_name[PO_CHANNELS]; /* "time" "com_x" … */

#define PO_TRACE_CONTACTS 254 /* kept per frame: a byte counts them */
#define PO_TRACE_STAGES 256   /* kept of a run */
#define PO_TRACE_SPRINGS 254  /* of grasps, kept per frame: a byte counts them */
#define PO_TRACE_SETS 64      /* times the shapes may change (a growing body) */
typedef struct po_trace_contact { float point[3], force[3]; short a, b; } po_trace_contact; /* bodies; b = −1: terrain. Force on a, N */

typedef struct po_trace_mark { float time, kind, at[3], length, doubt, low[2], high[2]; } po_trace_mark; /* as po_mark */
#define PO_TRACE_MARK_FLOATS 11
typedef struct po_trace_spring { float hand[3], held[3], force; } po_trace_spring; /* one of a grasp's springs while it is closed: its ends, N */

struct po_trace {
  char scenario[32], model[64], command[1024], reason[200], hash[20], outcome[16];
  double hz, dt, control_hz, sim_seconds, wall_seconds, mass; /* mass: of character 0 */
  uint64_t seed;
  int bodies, shapes, frames, capacity, sets, pushes, notes, max_notes;
  po_trace_body *body;
  po_trace_shape *shape;             /* sets × shapes: how the shapes are from frame set_frame[i] on */
  int set_frame[PO_TRACE_SETS];
  po_trace_hull *hull;               /* [shapes]: of those that are hulls, in the axes of the shape's pose; they do not grow */
  po_trace_push *push;
  po_trace_note *note;
  po_terrain *terrain;
  float *pose;                       /* frames × bodies × 7: position, quaternion wxyz, of the link's frame in the world */
  int channels;
  po_trace_channel *name;            /* [channels] */
  float *channel;                    /* frames × channels */
  po_trace_contact *contact;         /* frames × PO_TRACE_CONTACTS */
  int *contacts;                     /* frames */
  int max_springs;                   /* 0: the run has no grasps, and what follows is NULL */
  po_trace_spring *spring;           /* frames × max_springs */
  int *springs;                      /* frames: those of closed grasps */
  int marks, max_marks;
  po_trace_mark *mark;               /* by time: what plans looked at; NULL: none */
};

/* A frame's channels. */
const float *po_trace_channel_at(const po_trace *trace, int frame);
double po_trace_time(const po_trace *trace, int frame);
po_pose po_trace_pose(const po_trace *trace, int frame, int body); /* body −1: the world */

int po_trace_has_neck(const po_trace *trace, const po_trace_shape *shape); /* one of trace->shape */

/* trace.c, for those that fill recordings. */
void po_trace_put3(float *out, po_vec3 v);
void po_trace_put_poses(float *out, const po_data *data); /* 7 numbers a body, after po_kinematics */
void po_trace_set_shape(po_trace_shape *out, const po_shape *shape, int first_body);
void po_trace_set_bodies(po_trace_body *out, const po_model *model, int character);
/* Memory for `capacity` frames of t->bodies, shapes, channels (named as po_channel_name) and max_springs; sets shape sets, pushes, notes. */
po_status po_trace_room(po_trace *trace, int sets, int pushes, int notes, int marks);
size_t po_trace_frame_bytes(const po_trace *trace); /* of memory, a frame */
po_status po_trace_copy_terrain(po_trace *trace, const po_terrain *terrain);

/* trace_hull.c */
po_status po_trace_hull_room(po_trace_hull *hull, int vertices, int faces, int corners); /* corners: of all faces */
void po_trace_hull_planes(po_trace_hull *hull); /* when corners and faces are there */
po_status po_trace_copy_hulls(po_trace_hull *out, const po_model *model);
void po_trace_hull_clear(po_trace_hull *hull);

/* trace_write.c: every `stride`-th frame and the last. */
void po_trace_write_thin(po_buffer *out, const po_trace *trace, int stride);
/* Bytes of text a second of the recording takes when it is written whole. */
double po_trace_bytes_per_second(const po_trace *trace);

#endif
