/* picture.h (room-internal): pictures of a recording, drawn without a browser: rays against shapes, and files that hold the outcome. */
#ifndef PO_PICTURE_H
#define PO_PICTURE_H

#include "trace.h"

typedef struct po_picture {
  int width, height;
  unsigned char *rgb; /* [height × width × 3], from the upper left corner */
} po_picture;

/* ---- painting (paint.c): solids into a picture with depth; the eye looks along `ahead` ---- */

typedef struct po_canvas {
  int width, height;        /* of the samples: PO_CANVAS_SAMPLES in each direction for a pixel of the picture */
  po_vec3 eye, right, up, ahead;
  double zoom;              /* px a unit of tangent */
  double reach;             /* m: what is farther fades */
  float *depth;             /* along `ahead`; infinite: nothing */
  unsigned char *kind;      /* of what is seen: ground takes shadows */
  float *rgb;               /* 0 … 1, 3 a sample */
} po_canvas;
enum { PO_CANVAS_SAMPLES = 2 };

typedef struct po_paint { float r, g, b; } po_paint;
po_paint po_paint_of(unsigned hex); /* 0x3f7fdc */

/* A convex solid: sphere, capsule along z, box, hull. */
typedef struct po_paint_solid {
  po_shape_type type;
  po_vec3 p;
  po_mat3 R;
  double size[3];
  const po_trace_hull *hull; /* NULL unless it is one */
  po_paint paint;
} po_paint_solid;

po_status po_canvas_new(po_canvas *canvas, int width, int height); /* of the picture */
void po_canvas_free(po_canvas *canvas);
void po_canvas_clear(po_canvas *canvas, po_paint sky);
void po_canvas_plane(po_canvas *canvas, po_vec3 normal, double offset, po_paint ground, po_paint grid); /* lines every metre */
void po_canvas_solid(po_canvas *canvas, const po_paint_solid *solid, int ground); /* ground: 1, it takes shadows */
void po_canvas_triangle(po_canvas *canvas, const po_vec3 corner[3], po_paint paint, int ground);
void po_canvas_shadow(po_canvas *canvas, const po_paint_solid *solid, double floor); /* onto what is ground, some floor (m) below it */
void po_canvas_finish(po_picture *picture, const po_canvas *canvas); /* samples to pixels */

/* ---- files ---- */

/* zlib's format (RFC 1950): deflate with fixed codes and matches within 32 kB. */
void po_deflate(po_buffer *out, const unsigned char *data, size_t size);
void po_png_write(po_buffer *out, const po_picture *picture);

typedef struct po_gif {
  po_buffer *out;
  int width, height, colours;
  unsigned char palette[256][3];
  unsigned char *shown;     /* what the last frame left, as indices */
  unsigned char *next;
  unsigned *known;          /* colours that were looked for, by their hash, */
  unsigned char *index;     /* and which of the palette is the nearest */
  unsigned *table;          /* LZW */
} po_gif;
/* A palette that suits these pictures' colours. */
po_status po_gif_begin(po_gif *gif, po_buffer *out, const po_picture *sample, int samples);
void po_gif_frame(po_gif *gif, const po_picture *picture, int hundredths); /* shown for so many hundredths of a second */
void po_gif_end(po_gif *gif); /* and frees what it holds */

#endif
