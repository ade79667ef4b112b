/* ground.c: the grounds that scenarios are laid on. */
#include "ground.h"
#include <string.h>

#define GROUND_BACK 4.0     /* m behind the origin, */
#define GROUND_AHEAD 90.0   /* m ahead: a minute at 1.4 m/s, */
#define GROUND_ASIDE 8.0    /* m to each side */
#define GROUND_LEVEL 1.0    /* m around the origin that are level: a body is put there, and begins */
#define GROUND_DEEP 0.5     /* m: how far below its top a box reaches, beyond the lowest of its neighbours */
#define GROUND_ROUGH 0.3    /* m: what `spacing` is when nothing was asked for */
#define GROUND_STEP 1.0
#define GROUND_TREAD 0.3
#define GROUND_STONE 0.6
#define GROUND_FLIGHT 8     /* treads of a flight, */
#define GROUND_LANDING 1.5  /* m between flights */
#define GROUND_BOXES 400    /* at most: treads of 0.23 m all the way */
#define GROUND_FILE_MAX (64u << 20)

typedef struct ground_maker {
  po_terrain *terrain;
  const po_ground_params *p;
  double slope, cross;      /* of the plane that all is laid on: rise per metre, */
  po_vec3 up;               /* and its normal */
  po_rng rng;
} ground_maker;

static double ground_base(const ground_maker *g, double x, double y) { return g->slope * x + g->cross * y; }

static double ground_spacing(const ground_maker *g, double usual) { return g->p->spacing > 0 ? g->p->spacing : usual; }

/* The tilted plane, `down` below. */
static po_status ground_plane(const ground_maker *g, double down) {
  return po_terrain_add_plane(g->terrain, g->up, -down * g->up.z, g->p->friction);
}

/* A solid from x0 to x1 across the whole way, its top at z above the plane and as steep as it. */
static po_status ground_block(const ground_maker *g, double x0, double x1, double z, double low) {
  po_vec3 up = po_v3_unit(g->up), ahead = po_v3_unit(po_v3(1, 0, g->slope)), left = po_v3_cross(up, ahead);
  double middle = 0.5 * (x0 + x1), deep = 0.5 * (z - low);
  po_pose pose;
  int k;
  const po_vec3 col[3] = {ahead, left, up};
  for (k = 0; k < 3; k++) {
    pose.R.m[k] = col[k].x;
    pose.R.m[3 + k] = col[k].y;
    pose.R.m[6 + k] = col[k].z;
  }
  pose.p = po_v3_addscaled(po_v3(middle, 0, ground_base(g, middle, 0) + z), -deep, up);
  return po_terrain_add_box(g->terrain, pose, po_v3(0.5 * (x1 - x0) / ahead.x, GROUND_ASIDE, deep), g->p->friction);
}

/* ---- kinds ---- */

static po_status ground_rough(ground_maker *g) {
  double d = ground_spacing(g, GROUND_ROUGH), high = po_abs(g->p->step_height), *z;
  int nx = (int)((GROUND_BACK + GROUND_AHEAD) / d) + 1, ny = (int)(2 * GROUND_ASIDE / d) + 1, ix, iy;
  po_status st;
  if (!(z = po_alloc(sizeof(double) * (size_t)nx * (size_t)ny))) return PO_ERR_MEMORY;
  for (iy = 0; iy < ny; iy++)
    for (ix = 0; ix < nx; ix++) {
      double x = ix * d - GROUND_BACK, y = iy * d - GROUND_ASIDE, r = po_rng_range(&g->rng, -high, high);
      if (po_abs(x) < GROUND_LEVEL && po_abs(y) < GROUND_LEVEL) r = 0;
      z[iy * nx + ix] = ground_base(g, x, y) + r;
    }
  st = po_terrain_set_field(g->terrain, nx, ny, -GROUND_BACK, -GROUND_ASIDE, d, d, z, g->p->friction);
  po_free(z);
  return st == PO_OK ? ground_plane(g, high) : st;
}

static po_status ground_steps(ground_maker *g) {
  double length = ground_spacing(g, GROUND_STEP), x = GROUND_LEVEL, z = g->p->step_height, rise = z, low = -40 * po_abs(z) - GROUND_DEEP;
  po_status st = ground_block(g, -GROUND_BACK, x, 0, low);
  while (st == PO_OK && x < GROUND_AHEAD && g->terrain->boxes < GROUND_BOXES) {
    st = ground_block(g, x, x + length, z, low);
    x += length;
    z += po_rng_below(&g->rng, 2) ? rise : -rise;
  }
  return st;
}

static po_status ground_stairs(ground_maker *g) {
  double tread = ground_spacing(g, GROUND_TREAD), x = GROUND_LEVEL, z = 0, rise = g->p->step_height;
  double low = po_min(0, rise) * GROUND_AHEAD / tread - GROUND_DEEP;
  po_status st = ground_block(g, -GROUND_BACK, x, 0, low);
  int k = 0;
  while (st == PO_OK && x < GROUND_AHEAD && g->terrain->boxes < GROUND_BOXES) {
    double length = ++k % GROUND_FLIGHT ? tread : GROUND_LANDING;
    z += rise;
    st = ground_block(g, x, x + length, z, low);
    x += length;
  }
  return st;
}

static po_status ground_stones(ground_maker *g) {
  double usual = ground_spacing(g, GROUND_STONE), x = GROUND_LEVEL, high = po_abs(g->p->step_height);
  po_status st = ground_block(g, -GROUND_BACK, x, 0, -GROUND_DEEP);
  while (st == PO_OK && x < GROUND_AHEAD && g->terrain->boxes < GROUND_BOXES) {
    double length = usual * po_rng_range(&g->rng, 0.75, 1.25);
    x += 0.25 * usual;
    st = ground_block(g, x, x + length, po_rng_range(&g->rng, -high, high), -GROUND_DEEP);
    x += length;
  }
  return st == PO_OK ? ground_plane(g, GROUND_DEEP) : st;
}

/* ---- files ---- */

static po_status ground_bad(const char *file, const char *what, po_error *err) {
  return po_fail(err, PO_ERR_PARSE, "%s: %s", file, what);
}

static po_status ground_file_box(ground_maker *g, const po_json *j, const char *file, po_error *err) {
  double low[3], high[3];
  if (po_json_doubles(low, 3, po_json_get(j, "low")) != PO_OK || po_json_doubles(high, 3, po_json_get(j, "high")) != PO_OK)
    return ground_bad(file, "a box needs 'low' and 'high', three numbers each", err);
  if (po_terrain_add_step(g->terrain, po_v3_of(low), po_v3_of(high), g->p->friction * po_json_number(po_json_get(j, "mu"), 1)) != PO_OK)
    return ground_bad(file, "a box must be higher, longer and wider than nothing", err);
  return PO_OK;
}

static po_status ground_file_plane(ground_maker *g, const po_json *j, const char *file, po_error *err) {
  double n[3];
  if (po_json_doubles(n, 3, po_json_get(j, "normal")) != PO_OK ||
      po_terrain_add_plane(g->terrain, po_v3_of(n), po_json_number(po_json_get(j, "offset"), 0), g->p->friction * po_json_number(po_json_get(j, "mu"), 1)) != PO_OK)
    return ground_bad(file, "a plane needs a 'normal' of three numbers, not all of them 0, and an 'offset'", err);
  return PO_OK;
}

static po_status ground_file_field(ground_maker *g, const po_json *field, int samples, const char *file, po_error *err) {
  double *z = po_alloc(sizeof(double) * (size_t)(samples + 1));
  po_status st;
  if (!z) return po_fail(err, PO_ERR_MEMORY, "out of memory");
  st = po_json_doubles(z, samples, po_json_get(field, "z"));
  if (st == PO_OK)
    st = po_terrain_set_field(g->terrain, (int)po_json_number(po_json_get(field, "nx"), 0), (int)po_json_number(po_json_get(field, "ny"), 0),
                              po_json_number(po_json_get(field, "x0"), 0), po_json_number(po_json_get(field, "y0"), 0), po_json_number(po_json_get(field, "dx"), 0),
                              po_json_number(po_json_get(field, "dy"), 0), z, g->p->friction * po_json_number(po_json_get(field, "mu"), 1));
  po_free(z);
  return st == PO_OK ? st : ground_bad(file, "a height field needs nx, ny of at least 2, dx, dy above 0 and nx * ny numbers 'z'", err);
}

static po_status ground_file(ground_maker *g, po_terrain **terrain, const po_json *root, const char *file, po_error *err) {
  const po_json *planes = po_json_get(root, "planes"), *boxes = po_json_get(root, "boxes"), *field = po_json_get(root, "field"), *j;
  const po_json *z = po_json_get(field, "z");
  po_terrain_dims dims;
  po_status st;
  dims.planes = planes ? (int)planes->length : 0;
  dims.boxes = boxes ? (int)boxes->length : 0;
  dims.samples = z && z->type == PO_JSON_ARRAY ? (int)z->length : 0;
  if ((planes && planes->type != PO_JSON_ARRAY) || (boxes && boxes->type != PO_JSON_ARRAY)) return ground_bad(file, "'planes' and 'boxes' are arrays", err);
  if (!dims.planes && !dims.boxes && !dims.samples) return ground_bad(file, "a terrain needs 'planes', 'boxes' or a 'field'", err);
  if (field && (double)dims.samples != po_json_number(po_json_get(field, "nx"), 0) * po_json_number(po_json_get(field, "ny"), 0))
    return ground_bad(file, "a height field needs nx * ny numbers 'z'", err);
  if ((st = po_terrain_new(terrain, &dims)) != PO_OK) return po_fail(err, st, "terrain: %s", po_status_string(st));
  g->terrain = *terrain;
  for (j = planes ? planes->first : NULL; j && st == PO_OK; j = j->next) st = ground_file_plane(g, j, file, err);
  for (j = boxes ? boxes->first : NULL; j && st == PO_OK; j = j->next) st = ground_file_box(g, j, file, err);
  return st == PO_OK && field ? ground_file_field(g, field, dims.samples, file, err) : st;
}

static po_status ground_read(ground_maker *g, po_terrain **terrain, const char *file, po_error *err) {
  po_json *root = NULL;
  char *text = NULL;
  size_t n = 0;
  po_status st = po_read_file(&text, &n, file, GROUND_FILE_MAX, err);
  if (st == PO_OK) st = po_json_parse(&root, text, n, file, err);
  if (st == PO_OK) st = ground_file(g, terrain, root, file, err);
  po_json_free(root);
  po_free(text);
  return st;
}

/* ---- all ---- */

static po_status ground_of_kind(ground_maker *g, const char *kind) {
  if (!strcmp(kind, "rough")) return ground_rough(g);
  if (!strcmp(kind, "steps")) return ground_steps(g);
  if (!strcmp(kind, "stairs")) return ground_stairs(g);
  if (!strcmp(kind, "stones")) return ground_stones(g);
  return ground_plane(g, 0);
}

po_status po_run_lay_ground(po_run *r, const po_ground_params *p, po_error *err) {
  static const char *const kinds[] = {"flat", "slope", "rough", "steps", "stairs", "stones"};
  const char *kind = po_run_text(r, "terrain"), *dot;
  ground_maker g;
  po_terrain_dims dims = po_terrain_dims_default();
  double s, c, s2, c2;
  po_status st;
  int k;
  memset(&g, 0, sizeof g);
  g.p = p;
  if (!kind) kind = "flat";
  po_sincos(&s, &c, PO_RAD(p->slope_deg));
  po_sincos(&s2, &c2, PO_RAD(p->cross_deg));
  g.slope = s / c;
  g.cross = s2 / c2;
  g.up = po_v3(-s * c2, -c * s2, c * c2);
  po_rng_init(&g.rng, (uint64_t)p->terrain_seed, 0);
  dot = strrchr(kind, '.');
  if (dot && !strcmp(dot, ".json")) return ground_read(&g, &r->terrain, kind, err);
  for (k = 0; k < 6 && strcmp(kind, kinds[k]); k++) {}
  if (k == 6) {
    const char *near = po_nearest(kind, kinds, 6);
    if (near) return po_fail(err, PO_ERR_NAME, "no terrain '%s': did you mean '%s'?", kind, near);
    return po_fail(err, PO_ERR_NAME, "no terrain '%s': flat, slope, rough, steps, stairs, stones, or the path of a .json file", kind);
  }
  if (k < 2 && p->slope_deg == 0 && p->cross_deg == 0 && p->friction == 1) return PO_OK;
  dims.boxes = GROUND_BOXES + 1;
  if (k == 2) {
    double d = ground_spacing(&g, GROUND_ROUGH);
    if (d < 0.02) return po_fail(err, PO_ERR_RANGE, "rough ground needs a spacing of at least 0.02 m");
    dims.samples = ((int)((GROUND_BACK + GROUND_AHEAD) / d) + 2) * ((int)(2 * GROUND_ASIDE / d) + 2);
  } else if (k > 2 && p->spacing > 0 && p->spacing < 0.2) return po_fail(err, PO_ERR_RANGE, "'%s' needs a spacing of at least 0.2 m", kind);
  if ((st = po_terrain_new(&r->terrain, &dims)) != PO_OK) return po_fail(err, st, "terrain: %s", po_status_string(st));
  g.terrain = r->terrain;
  st = ground_of_kind(&g, kind);
  return st == PO_OK ? st : po_fail(err, st, "terrain: %s", po_status_string(st));
}
