/* video.c: a recording as pictures: what is to be seen at a moment, from where, and the files that it goes to. */
#include "picture.h"
#include <math.h>
#include <string.h>

/* Colours as the pages have them, for light paper. */
enum { VIDEO_SKY = 0xf6f6f3, VIDEO_GROUND = 0xefeeea, VIDEO_GRID = 0xc9c8c2, VIDEO_TERRAIN = 0xdcd9d0, VIDEO_TRUNK = 0xa3acba, VIDEO_LEFT = 0x3f7fdc, VIDEO_RIGHT = 0xe27d45,
       VIDEO_FORCE = 0x12a26f, VIDEO_PUSH = 0xd4365f };
static const unsigned video_thing[6] = {0x8ea4c4, 0xd9ab77, 0x95b58c, 0xbb9ac6, 0xd0c07a, 0x86b5b8};

#define VIDEO_FIELD 0.32     /* tangent of half the field of view, across the smaller side */
#define VIDEO_AIR 1.12       /* the subject fills all but this much of the picture */
#define VIDEO_LEVEL 0.35     /* s over which the eye follows sideways, */
#define VIDEO_UPRIGHT 1.2    /* and up and down */
#define VIDEO_ARROW 0.5      /* of the subject's radius: the arrow of its weight */
#define VIDEO_SAMPLES 6      /* frames from which a palette is cut */
#define VIDEO_NECK 0.42      /* of the ball's radius */
#define VIDEO_FAR 1.5        /* reaches: of a height field, what is farther is left out */
#define VIDEO_SIDES 16       /* of an arrow's head */

po_video_opts po_video_opts_default(void) {
  po_video_opts o;
  memset(&o, 0, sizeof o);
  o.width = 480;
  o.height = 300;
  o.fps = 25;
  o.speed = 1;
  o.to = -1;
  o.azimuth_deg = -60;
  o.elevation_deg = 8;
  o.follow = 1;
  o.forces = 1;
  return o;
}

typedef struct video {
  const po_trace *t;
  po_video_opts o;
  int from, to;              /* frames */
  float *target;             /* [frames × 3]: what the eye follows */
  double radius;             /* m: of the subject about it */
  double scale;              /* m/N of arrows */
  po_canvas canvas;
  po_picture picture;
} video;

/* ---- where things are ---- */

static const po_trace_shape *video_shapes(const po_trace *t, int frame) {
  int k, set = 0;
  for (k = 0; k < t->sets; k++)
    if (t->set_frame[k] <= frame) set = k;
  return t->shape + (size_t)set * (size_t)t->shapes;
}

static int video_parts(const po_trace *t, int character) {
  int i, n = 0;
  for (i = 0; i < t->bodies; i++) n += t->body[i].character == character;
  return n;
}

static unsigned video_colour(const po_trace *t, int body) {
  const char *name = body < 0 ? "" : t->body[body].name;
  size_t n = strlen(name);
  if (body < 0) return VIDEO_TRUNK;
  if (video_parts(t, t->body[body].character) == 1) return video_thing[t->body[body].character % 6];
  if (n > 2 && !strcmp(name + n - 2, "_l")) return VIDEO_LEFT;
  if (n > 2 && !strcmp(name + n - 2, "_r")) return VIDEO_RIGHT;
  return VIDEO_TRUNK;
}

/* Two directions across a third: unit, orthogonal. */
static void video_across(po_vec3 *u, po_vec3 *w, po_vec3 d) {
  *u = po_v3_unit(po_v3_cross(d, po_abs(d.z) < 0.9 ? po_v3(0, 0, 1) : po_v3(1, 0, 0)));
  *w = po_v3_cross(d, *u);
}

static po_paint_solid video_solid(const po_trace *t, int frame, const po_trace_shape *s) {
  po_pose link = po_trace_pose(t, frame, s->body);
  po_paint_solid out;
  out.type = (po_shape_type)s->type;
  out.p = po_v3_add(link.p, po_m3_mul_v(link.R, po_v3_of(s->position)));
  out.R = po_m3_mul(link.R, po_q_matrix(po_q_of(s->quaternion)));
  memcpy(out.size, s->size, sizeof out.size);
  out.hull = &t->hull[(s - t->shape) % t->shapes];
  out.paint = po_paint_of(video_colour(t, s->body));
  return out;
}

/* From the joint to a little inside the ball. */
static int video_neck(po_paint_solid *out, const po_trace *t, int frame, const po_trace_shape *s) {
  po_vec3 joint = po_trace_pose(t, frame, s->body).p, to, u, w;
  double length = po_v3_norm(po_v3_of(s->position));
  if (!po_trace_has_neck(t, s)) return 0;
  *out = video_solid(t, frame, s);
  out->type = PO_CAPSULE;
  out->size[0] = VIDEO_NECK * s->size[0];
  out->size[1] = 0.5 * (length - 0.8 * s->size[0]);
  to = po_v3_unit(po_v3_sub(out->p, joint));
  out->p = po_v3_add(joint, po_v3_scale(out->size[1], to));
  video_across(&u, &w, to);
  out->R = po_m3(u.x, w.x, to.x, u.y, w.y, to.y, u.z, w.z, to.z);
  return 1;
}

/* ---- what the eye follows: the middle of the first character, or of all when it is one thing ---- */

static void video_middle(const video *v, int frame, double lo[3], double hi[3]) {
  const po_trace *t = v->t;
  const po_trace_shape *s = video_shapes(t, frame);
  int i, k, all = video_parts(t, 0) <= 1;
  for (k = 0; k < 3; k++) lo[k] = 1e9, hi[k] = -1e9;
  for (i = 0; i < t->shapes; i++)
    if (all || s[i].body < 0 || t->body[s[i].body].character == 0) {
      po_paint_solid solid = video_solid(t, frame, &s[i]);
      const double ball = s[i].type < PO_BOX ? s[i].size[0] : 0, *R = solid.R.m, *size = s[i].size;
      const double core[3] = {ball > 0 ? 0 : size[0], ball > 0 ? 0 : size[1], s[i].type == PO_SPHERE ? 0 : s[i].type == PO_CAPSULE ? size[1] : size[2]};
      double p[3];
      po_v3_to(p, solid.p);
      for (k = 0; k < 3; k++) { /* a ball about each point of a box */
        double r = ball + po_abs(R[3 * k]) * core[0] + po_abs(R[3 * k + 1]) * core[1] + po_abs(R[3 * k + 2]) * core[2];
        lo[k] = po_min(lo[k], p[k] - r);
        hi[k] = po_max(hi[k], p[k] + r);
      }
    }
  if (lo[0] > hi[0])
    for (k = 0; k < 3; k++) lo[k] = k < 2 ? -0.5 : 0, hi[k] = k < 2 ? 0.5 : 1;
}

/* Three box filters are nearly a Gaussian; room for frames + 1 sums. */
static void video_smooth(float *x, int stride, int n, int half, double *sum) {
  int pass, i;
  for (pass = 0; pass < 3; pass++) {
    sum[0] = 0;
    for (i = 0; i < n; i++) sum[i + 1] = sum[i] + (double)x[i * stride];
    for (i = 0; i < n; i++) {
      int r = i < half ? i : half;
      r = n - 1 - i < r ? n - 1 - i : r;
      x[i * stride] = (float)((sum[i + r + 1] - sum[i - r]) / (2 * r + 1));
    }
  }
}

static po_status video_aim(video *v) {
  const po_trace *t = v->t;
  double *sum = po_alloc(sizeof *sum * (size_t)(t->frames + 1)), lo[3], hi[3], dt = t->frames > 1 ? po_trace_seconds(t) / (t->frames - 1) : 1;
  int f, k;
  v->target = po_alloc(sizeof *v->target * 3 * (size_t)t->frames);
  if (!sum || !v->target) {
    po_free(sum);
    return PO_ERR_MEMORY;
  }
  for (f = 0; f < t->frames; f++) {
    video_middle(v, f, lo, hi);
    for (k = 0; k < 3; k++) v->target[3 * f + k] = (float)(0.5 * (lo[k] + hi[k]));
  }
  for (k = 0; k < 3; k++) video_smooth(v->target + k, 3, t->frames, (int)po_max(1, (k < 2 ? VIDEO_LEVEL : VIDEO_UPRIGHT) / dt), sum);
  for (f = v->from, v->radius = 0.05; f <= v->to; f++) {
    video_middle(v, f, lo, hi);
    for (k = 0; k < 3; k++) {
      double c = v->o.follow ? (double)v->target[3 * f + k] : 0.5 * (double)(v->target[3 * v->from + k] + v->target[3 * v->to + k]);
      v->radius = po_max(v->radius, po_max(hi[k] - c, c - lo[k]));
    }
  }
  po_free(sum);
  return PO_OK;
}

static void video_look(video *v, int frame) {
  po_canvas *c = &v->canvas;
  double sa, ca, se, ce, away, heading = (double)po_trace_channel_at(v->t, v->from)[PO_CHANNEL_HEADING];
  int k, small = v->o.width < v->o.height ? v->o.width : v->o.height;
  double at[3];
  for (k = 0; k < 3; k++) at[k] = v->o.follow ? (double)v->target[3 * frame + k] : 0.5 * (double)(v->target[3 * v->from + k] + v->target[3 * v->to + k]);
  po_sincos(&sa, &ca, heading + PO_RAD(v->o.azimuth_deg));
  po_sincos(&se, &ce, PO_RAD(v->o.elevation_deg));
  away = v->radius * VIDEO_AIR * sqrt(1 + 1 / (VIDEO_FIELD * VIDEO_FIELD));
  c->ahead = po_v3(-ca * ce, -sa * ce, -se);
  c->right = po_v3(-sa, ca, 0);
  c->up = po_v3_cross(c->right, c->ahead);
  c->eye = po_v3_sub(po_v3_of(at), po_v3_scale(away, c->ahead));
  c->zoom = 0.5 * small * PO_CANVAS_SAMPLES / VIDEO_FIELD;
  c->reach = 4 * away;
}

/* ---- one picture ---- */

static void video_ground(video *v) {
  const po_terrain *g = v->t->terrain;
  const po_height_field *f = &g->field;
  int i, j, k;
  for (i = 0; i < g->planes; i++) po_canvas_plane(&v->canvas, g->plane[i].normal, g->plane[i].offset, po_paint_of(VIDEO_GROUND), po_paint_of(VIDEO_GRID));
  for (i = 0; i < g->boxes; i++) {
    po_paint_solid s;
    s.type = PO_BOX;
    s.p = g->box[i].pose.p;
    s.R = g->box[i].pose.R;
    po_v3_to(s.size, g->box[i].half);
    s.paint = po_paint_of(VIDEO_TERRAIN);
    po_canvas_solid(&v->canvas, &s, 1);
  }
  for (j = 0; j + 1 < f->ny; j++)
    for (i = 0; i + 1 < f->nx; i++) {
      po_vec3 p[4], half[3];
      double away = po_v3_norm(po_v3_sub(po_v3(f->x0 + i * f->dx, f->y0 + j * f->dy, v->canvas.eye.z), v->canvas.eye));
      if (away > VIDEO_FAR * v->canvas.reach) continue;
      for (k = 0; k < 4; k++) p[k] = po_v3(f->x0 + (i + (k & 1)) * f->dx, f->y0 + (j + (k >> 1)) * f->dy, f->z[(j + (k >> 1)) * f->nx + i + (k & 1)]);
      half[0] = p[0], half[1] = p[1], half[2] = p[3];
      po_canvas_triangle(&v->canvas, half, po_paint_of(VIDEO_TERRAIN), 1);
      half[1] = p[2];
      po_canvas_triangle(&v->canvas, half, po_paint_of(VIDEO_TERRAIN), 1);
    }
}

/* A shaft and a head. */
static void video_arrow(video *v, po_vec3 from, po_vec3 along, unsigned colour) {
  double length = po_v3_norm(along), r = 0.014 * v->radius, head = po_min(0.1 * v->radius, 0.5 * length), s, c;
  po_vec3 d, u, w, tip, corner[3];
  po_paint_solid shaft;
  int k;
  if (!(length > 2 * r)) return;
  d = po_v3_scale(1 / length, along);
  video_across(&u, &w, d);
  tip = po_v3_add(from, along);
  shaft.type = PO_CAPSULE;
  shaft.size[0] = r;
  shaft.size[1] = 0.5 * (length - head);
  shaft.p = po_v3_add(from, po_v3_scale(shaft.size[1], d));
  shaft.R = po_m3(u.x, w.x, d.x, u.y, w.y, d.y, u.z, w.z, d.z);
  shaft.paint = po_paint_of(colour);
  po_canvas_solid(&v->canvas, &shaft, 0);
  corner[0] = tip;
  for (k = 0; k <= VIDEO_SIDES; k++) {
    po_sincos(&s, &c, 2 * PO_PI * k / VIDEO_SIDES);
    corner[2] = corner[1];
    corner[1] = po_v3_add(po_v3_sub(tip, po_v3_scale(head, d)), po_v3_add(po_v3_scale(2.6 * r * c, u), po_v3_scale(2.6 * r * s, w)));
    if (k) po_canvas_triangle(&v->canvas, corner, shaft.paint, 0);
  }
}

/* One arrow for every pair of bodies that touch: the sum of its forces where they act in the mean. */
static void video_forces(video *v, int frame) {
  const po_trace *t = v->t;
  const po_trace_contact *c = t->contact + (size_t)frame * PO_TRACE_CONTACTS;
  int i, k, n = t->contacts[frame];
  for (i = 0; i < n; i++) {
    po_vec3 at = po_v3(0, 0, 0), force = at;
    double weight = 0;
    for (k = 0; k < i && !(c[k].a == c[i].a && c[k].b == c[i].b); k++) {}
    if (k < i) continue; /* its pair had its turn */
    for (; k < n; k++)
      if (c[k].a == c[i].a && c[k].b == c[i].b) {
        po_vec3 f = po_v3((double)c[k].force[0], (double)c[k].force[1], (double)c[k].force[2]);
        double w = po_v3_norm(f);
        at = po_v3_add(at, po_v3_scale(w, po_v3((double)c[k].point[0], (double)c[k].point[1], (double)c[k].point[2])));
        force = po_v3_add(force, f);
        weight += w;
      }
    if (weight > 0) video_arrow(v, po_v3_scale(1 / weight, at), po_v3_scale(v->scale, force), VIDEO_FORCE);
  }
}

static void video_pushes(video *v, int frame) {
  const po_trace *t = v->t;
  double time = po_trace_time(t, frame);
  int i;
  for (i = 0; i < t->pushes; i++)
    if (time >= t->push[i].time && time < t->push[i].time + t->push[i].duration) {
      po_vec3 along = po_v3_scale(v->scale, po_v3_of(t->push[i].force));
      video_arrow(v, po_v3_sub(po_trace_pose(t, frame, t->push[i].body).p, along), along, VIDEO_PUSH);
    }
}

static void video_paint(video *v, int frame) {
  const po_trace *t = v->t;
  const po_trace_shape *s = video_shapes(t, frame);
  int i;
  video_look(v, frame);
  po_canvas_clear(&v->canvas, po_paint_of(VIDEO_SKY));
  video_ground(v);
  for (i = 0; i < t->shapes; i++) {
    po_paint_solid solid = video_solid(t, frame, &s[i]), neck;
    po_canvas_solid(&v->canvas, &solid, 0);
    if (video_neck(&neck, t, frame, &s[i])) po_canvas_solid(&v->canvas, &neck, 0);
  }
  for (i = 0; i < t->shapes; i++) {
    po_paint_solid solid = video_solid(t, frame, &s[i]);
    po_canvas_shadow(&v->canvas, &solid, po_max(solid.p.z - po_terrain_height(t->terrain, solid.p.x, solid.p.y), 0));
  }
  if (v->o.forces) video_forces(v, frame);
  if (v->o.forces) video_pushes(v, frame);
  po_canvas_finish(&v->picture, &v->canvas);
}

/* ---- files ---- */

static int video_frame_at(const po_trace *t, double time) {
  int f = 0;
  while (f + 1 < t->frames && po_trace_time(t, f + 1) <= time + 1e-6) f++;
  return f;
}

static void video_end(video *v) {
  po_canvas_free(&v->canvas);
  po_free(v->picture.rgb);
  po_free(v->target);
}

static po_status video_begin(video *v, const po_trace *t, const po_video_opts *opts, po_error *err) {
  memset(v, 0, sizeof *v);
  v->t = t;
  v->o = opts ? *opts : po_video_opts_default();
  if (!t || !t->frames) return po_fail(err, PO_ERR_RANGE, "a recording without frames shows nothing");
  if (!(v->o.width >= 16 && v->o.width <= 4096 && v->o.height >= 16 && v->o.height <= 4096)) return po_fail(err, PO_ERR_RANGE, "a picture has 16 to 4096 px a side, not %d x %d", v->o.width, v->o.height);
  if (!(v->o.fps > 0 && v->o.fps <= 50 && v->o.speed > 0 && po_isfinite(v->o.speed))) return po_fail(err, PO_ERR_RANGE, "fps = %g, speed = %g: above 0, and at most 50 frames a second", v->o.fps, v->o.speed);
  if (!(v->o.from <= po_trace_seconds(t))) return po_fail(err, PO_ERR_RANGE, "from = %g s: the recording ends at %.3f s", v->o.from, po_trace_seconds(t));
  v->from = video_frame_at(t, v->o.from);
  v->to = v->o.to < v->o.from ? t->frames - 1 : video_frame_at(t, v->o.to);
  v->picture.width = v->o.width;
  v->picture.height = v->o.height;
  v->picture.rgb = po_alloc(3 * (size_t)v->o.width * (size_t)v->o.height);
  if (!v->picture.rgb || po_canvas_new(&v->canvas, v->o.width, v->o.height) != PO_OK || video_aim(v) != PO_OK) {
    video_end(v);
    return po_fail(err, PO_ERR_MEMORY, "out of memory");
  }
  v->scale = VIDEO_ARROW * v->radius / (9.81 * po_max(t->mass, 1e-6));
  return PO_OK;
}

po_status po_trace_png(po_buffer *out, const po_trace *t, double time, const po_video_opts *opts, po_error *err) {
  po_status s;
  video v;
  if ((s = video_begin(&v, t, opts, err)) != PO_OK) return s;
  video_paint(&v, video_frame_at(t, time));
  po_png_write(out, &v.picture);
  video_end(&v);
  return out->failed ? po_fail(err, PO_ERR_MEMORY, "out of memory") : PO_OK;
}

/* Pictures from all over the film, beside each other. */
static po_status video_palette(po_gif *gif, po_buffer *out, video *v) {
  size_t bytes = 3 * (size_t)v->o.width * (size_t)v->o.height;
  po_picture sample[VIDEO_SAMPLES];
  unsigned char *rgb = po_alloc(bytes * VIDEO_SAMPLES);
  po_status s;
  int i;
  if (!rgb) return PO_ERR_MEMORY;
  for (i = 0; i < VIDEO_SAMPLES; i++) {
    video_paint(v, v->from + (v->to - v->from) * i / (VIDEO_SAMPLES - 1));
    sample[i] = v->picture;
    sample[i].rgb = rgb + bytes * (size_t)i;
    memcpy(sample[i].rgb, v->picture.rgb, bytes);
  }
  s = po_gif_begin(gif, out, sample, VIDEO_SAMPLES);
  po_free(rgb);
  return s;
}

po_status po_trace_gif(po_buffer *out, const po_trace *t, const po_video_opts *opts, po_error *err) {
  double start, end;
  po_gif gif;
  po_status s;
  video v;
  int i, shown = 0;
  if ((s = video_begin(&v, t, opts, err)) != PO_OK) return s;
  start = po_trace_time(t, v.from);
  end = po_trace_time(t, v.to);
  if ((s = video_palette(&gif, out, &v)) == PO_OK) {
    for (i = 0; i == 0 || start + i * v.o.speed / v.o.fps <= end; i++) {
      int until = (int)(100 * (i + 1) / v.o.fps + 0.5); /* hundredths: their sum keeps time */
      video_paint(&v, video_frame_at(t, start + i * v.o.speed / v.o.fps));
      po_gif_frame(&gif, &v.picture, until - shown);
      shown = until;
    }
    po_gif_end(&gif);
  }
  video_end(&v);
  return s != PO_OK || out->failed ? po_fail(err, PO_ERR_MEMORY, "out of memory") : PO_OK;
}
