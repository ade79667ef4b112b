/* filmstrip.c: a run as a row of figures seen from the side, an SVG small enough for a README. */
#include "trace.h"
#include <math.h>
#include <string.h>

#define STRIP_MAX_FRAMES 64
#define STRIP_POINTS 4000  /* of the ground under one figure */
#define STRIP_LABEL 24.0   /* px below the ground for the times */
#define STRIP_APART 42.0   /* px between two of them */
#define STRIP_MARGIN 10.0  /* px around everything */
#define STRIP_STILL 0.02   /* m: who moves less in all is standing */
#define STRIP_EVEN 0.3     /* share of the time against that of the motion when moments are chosen */
#define STRIP_NECK 0.38    /* of the head's radius, as on the page */
#define STRIP_HEADROOM 0.3 /* m: a box with so much air below it hangs, and is not the ground */
#define STRIP_BURIED 0.5   /* m below the ground: things that are yet to be thrown wait there, and are not shown */
#define STRIP_TRAVEL 0.4   /* m: who moves less is seen from the side it faces away from, not across its path */

/* The picture plane: `right` is where it goes, `away` points from the eye into the picture. */
typedef struct strip {
  const po_trace *t;
  po_filmstrip_opts o;
  po_vec3 right, away;
  int frame[STRIP_MAX_FRAMES];
  double at[STRIP_MAX_FRAMES];    /* m along `right` of the figure's COM */
  double x[STRIP_MAX_FRAMES];     /* px of that point */
  double left, wide;              /* m: reach of a figure to both sides of its COM */
  double low, high, scale, base;  /* m, m, px per m, px of z = 0 */
  double width;
  int *parts; /* how many bodies each character has */
} strip;

po_filmstrip_opts po_filmstrip_opts_default(void) {
  po_filmstrip_opts o;
  o.frames = 8;
  o.even = 0;
  o.front = 0;
  o.from = 0;
  o.to = -1;
  o.overlap = 0;
  o.height = 220;
  return o;
}

static po_vec3 strip_com(const po_trace *t, int frame) {
  const float *c = po_trace_channel_at(t, frame) + PO_CHANNEL_COM;
  return po_v3((double)c[0], (double)c[1], (double)c[2]);
}
static int strip_nearest(const po_trace *t, double time) {
  int i, best = 0;
  for (i = 1; i < t->frames; i++)
    if (po_abs(po_trace_time(t, i) - time) < po_abs(po_trace_time(t, best) - time)) best = i;
  return best;
}

/* ---- the ground ---- */

/* What is below a box at one of its points, when that is far below: −inf for none. */
static int strip_hangs(double *below, const po_terrain *terrain, int box, double x, double y) {
  double low = terrain->box[box].low.z;
  *below = po_terrain_surface_below(terrain, x, y, low, PO_ANY_TAG).height;
  return *below > -1e6 && *below < low - STRIP_HEADROOM;
}

static double strip_level(const po_terrain *terrain, double x, double y) {
  po_surface top = po_terrain_surface_at(terrain, x, y);
  double below;
  return top.kind == PO_TERRAIN_BOX && strip_hangs(&below, terrain, top.index, x, y) ? below : top.height;
}

static double strip_ground(const strip *s, int frame, double along) {
  po_vec3 c = strip_com(s->t, frame);
  double off = along - po_v3_dot(s->right, c);
  return strip_level(s->t->terrain, c.x + off * s->right.x, c.y + off * s->right.y);
}

/* ---- shapes in the plane ---- */

typedef struct strip_mark { /* one shape: its outline's points in metres (right, up), how far away it is */
  int count, body, edged; /* count 0: nothing to be seen; edged: corners, not balls */
  double point[PO_HULL_VERTICES][2], radius, depth;
} strip_mark;

static void strip_flat(const strip *s, double out[2], po_vec3 p) {
  out[0] = po_v3_dot(s->right, p);
  out[1] = p.z;
}

static int strip_edged(const po_trace_shape *shape) { return shape->type == PO_BOX || shape->type == PO_HULL; }

static void strip_project(const strip *s, strip_mark *m, const po_trace_shape *shape, int frame) {
  const po_trace_hull *hull = &s->t->hull[(shape - s->t->shape) % s->t->shapes];
  static const float world[7] = {0, 0, 0, 1, 0, 0, 0};
  const float *f = shape->body < 0 ? world : s->t->pose + ((size_t)frame * (size_t)s->t->bodies + (size_t)shape->body) * 7;
  po_quat q = po_q_unit(po_q((double)f[3], (double)f[4], (double)f[5], (double)f[6])), w = po_q_mul(q, po_q_unit(po_q_of(shape->quaternion)));
  po_vec3 centre = po_v3_add(po_v3((double)f[0], (double)f[1], (double)f[2]), po_q_rotate(q, po_v3(shape->position[0], shape->position[1], shape->position[2])));
  int i;
  m->body = shape->body;
  m->depth = po_v3_dot(s->away, centre);
  m->radius = strip_edged(shape) ? 0 : shape->size[0];
  m->count = shape->type == PO_SPHERE ? 1 : shape->type == PO_CAPSULE ? 2 : shape->type == PO_BOX ? 8 : hull->vertices < PO_HULL_VERTICES ? hull->vertices : PO_HULL_VERTICES;
  m->edged = strip_edged(shape);
  if (centre.z < strip_level(s->t->terrain, centre.x, centre.y) - STRIP_BURIED) m->count = 0;
  for (i = 0; i < m->count; i++) {
    po_vec3 corner = shape->type == PO_HULL ? po_v3_of(hull->vertex + 3 * i) : shape->type == PO_BOX ? po_v3(i & 1 ? shape->size[0] : -shape->size[0], i & 2 ? shape->size[1] : -shape->size[1], i & 4 ? shape->size[2] : -shape->size[2])
                                           : po_v3(0, 0, shape->type == PO_SPHERE ? 0 : i ? shape->size[1] : -shape->size[1]);
    strip_flat(s, m->point[i], po_v3_add(centre, po_q_rotate(w, corner)));
  }
}

static int strip_neck(const strip *s, strip_mark *m, const po_trace_shape *shape, int frame) {
  const float *f = s->t->pose + ((size_t)frame * (size_t)s->t->bodies + (size_t)shape->body) * 7;
  if (!po_trace_has_neck(s->t, shape)) return 0;
  strip_project(s, m, shape, frame);
  if (!m->count) return 0;
  m->count = 2;
  m->radius *= STRIP_NECK;
  strip_flat(s, m->point[1], po_v3((double)f[0], (double)f[1], (double)f[2]));
  return 1;
}

/* The shapes in force at a frame. */
static const po_trace_shape *strip_shapes(const po_trace *t, int frame) {
  int k, set = 0;
  for (k = 0; k < t->sets; k++)
    if (t->set_frame[k] <= frame) set = k;
  return t->shape + (size_t)set * (size_t)t->shapes;
}

/* ---- layout ---- */

static void strip_direction(strip *s) {
  po_vec3 d = po_v3_sub(strip_com(s->t, s->frame[s->o.frames - 1]), strip_com(s->t, s->frame[0]));
  double si, co, length = sqrt(d.x * d.x + d.y * d.y);
  po_sincos(&si, &co, (double)po_trace_channel_at(s->t, s->frame[0])[PO_CHANNEL_HEADING]);
  s->right = length > STRIP_TRAVEL ? po_v3(d.x / length, d.y / length, 0) : po_v3(co, si, 0);
  if (s->o.front) s->right = po_v3(-s->right.y, s->right.x, 0);
  s->away = po_v3(-s->right.y, s->right.x, 0);
}

static void strip_extent(strip *s) {
  int i, k, j;
  s->low = PO_INF;
  s->high = -PO_INF;
  for (i = 0; i < s->o.frames; i++) {
    const po_trace_shape *shape = strip_shapes(s->t, s->frame[i]);
    double h = strip_ground(s, s->frame[i], s->at[i]);
    if (h > -1e6) s->low = po_min(s->low, h);
    for (k = 0; k < s->t->shapes; k++) {
      strip_mark m;
      strip_project(s, &m, &shape[k], s->frame[i]);
      for (j = 0; j < m.count; j++) {
        s->left = po_max(s->left, s->at[i] - m.point[j][0] + m.radius);
        s->wide = po_max(s->wide, m.point[j][0] - s->at[i] + m.radius);
        s->low = po_min(s->low, m.point[j][1] - m.radius);
        s->high = po_max(s->high, m.point[j][1] + m.radius);
      }
    }
  }
  if (!(s->high > s->low)) s->high = (s->low = 0) + 1;
}

/* At true distances when they are large enough to keep the figures apart (on uneven ground: nearly so), otherwise evenly. */
static void strip_place(strip *s) {
  double room = s->o.height - STRIP_LABEL - 2 * STRIP_MARGIN, cell, travel, uneven = 0;
  int i, n = s->o.frames;
  s->scale = room / (s->high - s->low);
  s->base = STRIP_MARGIN + s->high * s->scale;
  cell = po_max((s->left + s->wide) * s->scale + 10, 46) * (1 - s->o.overlap);
  travel = n > 1 ? (s->at[n - 1] - s->at[0]) / (n - 1) * s->scale : 0;
  for (i = 1; i < n; i++) uneven = po_max(uneven, po_abs(strip_ground(s, s->frame[i], s->at[i]) - strip_ground(s, s->frame[0], s->at[0])));
  for (i = 0; i < n; i++) {
    s->x[i] = STRIP_MARGIN + s->left * s->scale + i * cell;
    if (travel > (uneven > 0.01 ? 0.4 : 1) * cell) s->x[i] = STRIP_MARGIN + s->left * s->scale + (s->at[i] - s->at[0]) * s->scale;
  }
  s->width = s->x[n - 1] + s->wide * s->scale + STRIP_MARGIN;
}

/* ---- drawing ---- */

static double strip_px(const strip *s, int i, double along) { return s->x[i] + (along - s->at[i]) * s->scale; }
static double strip_py(const strip *s, double z) { return s->base - z * s->scale; }

/* left limbs, right limbs, trunk, things of one body */
static const char *strip_class(const strip *s, int body) {
  const char *name = body < 0 ? "" : s->t->body[body].name;
  size_t n = strlen(name);
  if (body < 0) return "t";
  if (s->parts[s->t->body[body].character] == 1) return s->t->body[body].character & 1 ? "q" : "p";
  if (n > 2 && !strcmp(name + n - 2, "_l")) return "l";
  if (n > 2 && !strcmp(name + n - 2, "_r")) return "r";
  return "t";
}

static double strip_turn(const double *o, const double *a, const double *b) { return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]); }

static int strip_same(const double *a, const double *b) { return po_abs(a[0] - b[0]) + po_abs(a[1] - b[1]) < 1e-9; }

/* Gift wrapping: corners are few. Those that fall on each other count once. */
static int strip_hull(int hull[PO_HULL_VERTICES], double p[][2], int count) {
  int i, first = 0, at, n = 0;
  for (i = 1; i < count; i++)
    if (p[i][0] < p[first][0] || (p[i][0] == p[first][0] && p[i][1] < p[first][1])) first = i;
  at = first;
  do {
    int next = -1;
    hull[n++] = at;
    for (i = 0; i < count; i++) {
      double t = next < 0 ? 0 : strip_turn(p[at], p[next], p[i]), far, was;
      if (strip_same(p[i], p[at])) continue;
      far = po_abs(p[i][0] - p[at][0]) + po_abs(p[i][1] - p[at][1]);
      was = next < 0 ? -1 : po_abs(p[next][0] - p[at][0]) + po_abs(p[next][1] - p[at][1]);
      if (t < -1e-12 || (t <= 1e-12 && far > was)) next = i;
    }
    if (next < 0) break;
    at = next;
  } while (!strip_same(p[at], p[first]) && n < count);
  return n;
}

static void strip_draw_hull(po_buffer *out, const strip *s, int i, const char *class, double point[][2], int count) {
  int hull[PO_HULL_VERTICES], k, n = strip_hull(hull, point, count);
  po_buffer_printf(out, "<path class=\"%s\" d=\"", class);
  for (k = 0; k < n; k++) po_buffer_printf(out, "%c%.1f %.1f", k ? 'L' : 'M', strip_px(s, i, point[hull[k]][0]), strip_py(s, point[hull[k]][1]));
  po_buffer_puts(out, "Z\"/>\n");
}

static void strip_draw_mark(po_buffer *out, const strip *s, int i, strip_mark *m) {
  const char *class = strip_class(s, m->body);
  double r = m->radius * s->scale, ax, ay, bx, by, dx, dy, d;
  if (m->edged) {
    strip_draw_hull(out, s, i, class, m->point, m->count);
    return;
  }
  ax = strip_px(s, i, m->point[0][0]);
  ay = strip_py(s, m->point[0][1]);
  bx = m->count == 2 ? strip_px(s, i, m->point[1][0]) : ax;
  by = m->count == 2 ? strip_py(s, m->point[1][1]) : ay;
  dx = bx - ax;
  dy = by - ay;
  d = sqrt(dx * dx + dy * dy);
  if (d < 0.1) {
    po_buffer_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", class, ax, ay, r);
    return;
  }
  dx *= r / d;
  dy *= r / d;
  po_buffer_printf(out, "<path class=\"%s\" d=\"M%.1f %.1fA%.1f %.1f 0 0 1 %.1f %.1fL%.1f %.1fA%.1f %.1f 0 0 1 %.1f %.1fZ\"/>\n", class, ax - dy, ay + dx, r, r,
                   ax + dy, ay - dx, bx + dy, by - dx, r, r, bx - dy, by + dx);
}

/* The surface under one figure, or under all when they stand at their true places: a point every two pixels, counted before they are
 * drawn, since widths come from a file. */
static void strip_draw_ground(po_buffer *out, const strip *s, int i, double from, double to) {
  double wanted = 0.5 * (to - from) * s->scale, last = 0, level = strip_ground(s, s->frame[i], from);
  int started = 0, flat = 1, k, n = wanted >= 1 ? (int)po_min(wanted, STRIP_POINTS) : 1;
  for (k = 0; k <= n; k++) flat = flat && po_abs(strip_ground(s, s->frame[i], from + (to - from) * k / n) - level) < 1e-6;
  if (flat) n = 1;
  po_buffer_puts(out, "<path class=\"g\" d=\"");
  for (k = 0; k <= n; k++) {
    double u = from + (to - from) * k / n, h = strip_ground(s, s->frame[i], u);
    if (!(h > -1e6)) {
      started = 0;
      continue;
    }
    if (started && po_abs(h - last) > 0.02) po_buffer_printf(out, "L%.1f %.1f", strip_px(s, i, u), strip_py(s, last)); /* a riser */
    po_buffer_printf(out, "%c%.1f %.1f", started ? 'L' : 'M', strip_px(s, i, u), strip_py(s, h));
    started = 1;
    last = h;
  }
  po_buffer_puts(out, "\"/>\n");
}

/* Bars over the way, as far as they lie over the ground of one figure. */
static void strip_draw_bars(po_buffer *out, const strip *s, int i, double from, double to) {
  const po_terrain *terrain = s->t->terrain;
  int b, k;
  for (b = 0; b < terrain->boxes; b++) {
    const po_terrain_box *box = &terrain->box[b];
    double point[8][2], below, first = PO_INF, last = -PO_INF;
    for (k = 0; k < 8; k++) {
      po_vec3 corner = po_v3(k & 1 ? box->half.x : -box->half.x, k & 2 ? box->half.y : -box->half.y, k & 4 ? box->half.z : -box->half.z);
      strip_flat(s, point[k], po_v3_add(box->pose.p, po_m3_mul_v(box->pose.R, corner)));
      first = po_min(first, point[k][0]);
      last = po_max(last, point[k][0]);
      point[k][0] = po_clamp(point[k][0], from, to);
    }
    if (last > from && first < to && strip_hangs(&below, terrain, b, box->pose.p.x, box->pose.p.y)) strip_draw_hull(out, s, i, "b", point, 8);
  }
}

/* Pushes at work nearer to this moment than to the next ones. */
static void strip_draw_push(po_buffer *out, const strip *s, int i) {
  double time = po_trace_time(s->t, s->frame[i]);
  double from = i ? 0.5 * (time + po_trace_time(s->t, s->frame[i - 1])) : -PO_INF, to = i + 1 < s->o.frames ? 0.5 * (time + po_trace_time(s->t, s->frame[i + 1])) : PO_INF;
  int k;
  for (k = 0; k < s->t->pushes; k++) {
    const po_trace_push *p = &s->t->push[k];
    const float *f = s->t->pose + ((size_t)s->frame[i] * (size_t)s->t->bodies + (size_t)p->body) * 7;
    double fx = po_v3_dot(s->right, po_v3(p->force[0], p->force[1], p->force[2])), fy = p->force[2], size = sqrt(fx * fx + fy * fy), tip[2];
    if (p->time + p->duration < from || p->time >= to || size == 0) continue;
    strip_flat(s, tip, po_v3((double)f[0], (double)f[1], (double)f[2]));
    fx /= size;
    fy /= size;
    po_buffer_printf(out, "<path class=\"a\" d=\"M%.1f %.1fl%.1f %.1f\" marker-end=\"url(#h)\"/>\n", strip_px(s, i, tip[0] - 0.42 * fx), strip_py(s, tip[1] - 0.42 * fy),
                     0.24 * fx * s->scale, -0.24 * fy * s->scale);
  }
}

/* Far ones first, equal ones as they come: a merge sort, since a file may hold tens of thousands. `spare` has room for all. */
static void strip_sort(strip_mark *marks, strip_mark *spare, int count) {
  int half = count / 2, a = 0, b = half, k;
  if (count < 2) return;
  strip_sort(marks, spare, half);
  strip_sort(marks + half, spare, count - half);
  for (k = 0; k < count; k++) spare[k] = b == count || (a < half && marks[a].depth >= marks[b].depth) ? marks[a++] : marks[b++];
  memcpy(marks, spare, sizeof *marks * (size_t)count);
}

static void strip_draw_figure(po_buffer *out, const strip *s, int i, strip_mark *marks) {
  const po_trace_shape *shape = strip_shapes(s->t, s->frame[i]);
  int k, n = 0;
  for (k = 0; k < s->t->shapes; k++) {
    strip_mark m;
    if (strip_neck(s, &m, &shape[k], s->frame[i])) marks[n++] = m;
    strip_project(s, &marks[n], &shape[k], s->frame[i]);
    n += marks[n].count > 0;
  }
  strip_sort(marks, marks + 2 * (s->t->shapes + 1), n);
  for (k = 0; k < n; k++) strip_draw_mark(out, s, i, &marks[k]);
}

static const char strip_style[] =
  "<style>text{font:11px system-ui,sans-serif;fill:#6b7079;text-anchor:middle}path,circle{stroke:#fff;stroke-width:1;stroke-linejoin:round}\n"
  ".t{fill:#a3acba}.l{fill:#3f7fdc}.r{fill:#e27d45}.p{fill:#8ea4c4}.q{fill:#d9ab77}.g{fill:none;stroke:#8b9099;stroke-width:1.2}.b{fill:#8b9099}\n"
  ".a{fill:none;stroke:#d4365f;stroke-width:2.4}#h path{fill:#d4365f;stroke:none}\n"
  "@media(prefers-color-scheme:dark){path,circle{stroke:#0d1117}text{fill:#969ca6}.g{stroke:#6b717b}.a{stroke:#ff5d85}#h path{fill:#ff5d85}}</style>\n";

/* Mean way of the links from the frame before. */
static double strip_motion(const po_trace *t, int frame) {
  const float *a = t->pose + (size_t)(frame - 1) * (size_t)t->bodies * 7, *b = a + (size_t)t->bodies * 7;
  double sum = 0;
  int i;
  for (i = 0; i < t->bodies; i++, a += 7, b += 7)
    sum += po_v3_norm(po_v3((double)(b[0] - a[0]), (double)(b[1] - a[1]), (double)(b[2] - a[2])));
  return t->bodies ? sum / t->bodies : 0;
}

/* Moments at equal shares of a mixture of time and motion: a jump of a second in ten seconds of standing still is seen. */
static void strip_choose_busy(strip *s, int first, int last) {
  double span = po_trace_time(s->t, last) - po_trace_time(s->t, first), way = 0, done = 0;
  int f, i = 0, n = s->o.frames;
  for (f = first + 1; f <= last; f++) way += strip_motion(s->t, f);
  for (f = first; f <= last; f++) {
    double share;
    if (f > first) done += strip_motion(s->t, f);
    share = way > STRIP_STILL ? STRIP_EVEN * (po_trace_time(s->t, f) - po_trace_time(s->t, first)) / span + (1 - STRIP_EVEN) * done / way
                       : (po_trace_time(s->t, f) - po_trace_time(s->t, first)) / span;
    while (i < n && share >= (double)i / (n - 1) - 1e-9) s->frame[i++] = f;
  }
  while (i < n) s->frame[i++] = last;
}

/* Counted once: files may hold tens of thousands of bodies. */
static int *strip_count_parts(const po_trace *t) {
  int i, most = 0, *parts;
  for (i = 0; i < t->bodies; i++) most = t->body[i].character > most ? t->body[i].character : most;
  parts = po_alloc(sizeof *parts * (size_t)(most + 1));
  for (i = 0; parts && i < t->bodies; i++) parts[t->body[i].character]++;
  return parts;
}

static void strip_choose(strip *s) {
  double end = po_trace_time(s->t, s->t->frames - 1), to = s->o.to < s->o.from ? end : po_min(s->o.to, end), from = po_min(s->o.from, to);
  int i, n = s->o.frames, first = strip_nearest(s->t, from), last = strip_nearest(s->t, to);
  for (i = 0; i < n; i++) s->frame[i] = strip_nearest(s->t, n > 1 ? from + (to - from) * i / (n - 1) : 0.5 * (from + to));
  if (!s->o.even && n > 1 && last > first) strip_choose_busy(s, first, last);
  strip_direction(s);
  for (i = 0; i < n; i++) s->at[i] = po_v3_dot(s->right, strip_com(s->t, s->frame[i]));
}

/* Names come from files. */
void po_trace_svg(po_buffer *out, const po_trace *t, const po_filmstrip_opts *opts) {
  strip_mark *marks = po_alloc(sizeof *marks * 4 * (size_t)(t->shapes + 1)); /* a mark and a neck each, and room to sort */
  strip s;
  double labelled = 0;
  int i, n;
  memset(&s, 0, sizeof s);
  s.t = t;
  s.o = opts ? *opts : po_filmstrip_opts_default();
  s.o.frames = n = (int)po_clamp(s.o.frames, 1, STRIP_MAX_FRAMES);
  s.o.overlap = po_clamp(s.o.overlap, 0, 0.95);
  s.parts = strip_count_parts(t);
  if (!marks || !s.parts) out->failed = 1;
  if (!marks || !s.parts || !t->frames) {
    po_free(s.parts);
    po_free(marks);
    return;
  }
  strip_choose(&s);
  strip_extent(&s);
  strip_place(&s);
  po_buffer_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n", s.width, s.o.height, s.width, s.o.height);
  po_buffer_puts(out, "<title>");
  po_buffer_markup(out, t->scenario);
  po_buffer_puts(out, " ");
  po_buffer_markup(out, t->model);
  po_buffer_printf(out, ", %.2f s to %.2f s</title>\n", po_trace_time(t, s.frame[0]), po_trace_time(t, s.frame[n - 1]));
  po_buffer_puts(out, strip_style);
  if (t->pushes)
    po_buffer_puts(out, "<marker id=\"h\" viewBox=\"0 0 8 8\" refX=\"2\" refY=\"4\" markerWidth=\"3.4\" markerHeight=\"3.4\" orient=\"auto\"><path d=\"M0 0L8 4L0 8Z\"/></marker>\n");
  for (i = 0; i < n; i++) {
    double from = s.at[i] + ((i ? 0.5 * (s.x[i - 1] + s.x[i]) : 2) - s.x[i]) / s.scale, to = s.at[i] + ((i + 1 < n ? 0.5 * (s.x[i] + s.x[i + 1]) : s.width - 2) - s.x[i]) / s.scale;
    strip_draw_ground(out, &s, i, from, to);
    strip_draw_bars(out, &s, i, from, to);
  }
  for (i = 0; i < n; i++) {
    strip_draw_figure(out, &s, i, marks);
    strip_draw_push(out, &s, i);
    if (i && s.x[i] - labelled < STRIP_APART) continue;
    labelled = s.x[i];
    po_buffer_printf(out, "<text x=\"%.1f\" y=\"%.0f\">%.2f s</text>\n", s.x[i], s.o.height - 8, po_trace_time(t, s.frame[i]));
  }
  po_buffer_puts(out, "</svg>\n");
  po_free(s.parts);
  po_free(marks);
}
