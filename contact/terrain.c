/* terrain.c: planes, boxes and a height field: building them, and the questions "how high", "which way is up", "how far". */
#include "terrain.h"
#include <string.h>

static po_terrain_plane *terrain_lay_out(po_terrain *terrain, const po_terrain_dims *dims, po_arena *arena) {
  terrain->max_planes = dims->planes;
  terrain->max_boxes = dims->boxes;
  terrain->max_samples = dims->samples;
  terrain->plane = PO_ARENA_ZARRAY(arena, po_terrain_plane, dims->planes);
  terrain->box = PO_ARENA_ZARRAY(arena, po_terrain_box, dims->boxes);
  terrain->field.z = PO_ARENA_ZARRAY(arena, double, dims->samples);
  terrain->by_x = PO_ARENA_ZARRAY(arena, int, dims->boxes);
  terrain->far_x = PO_ARENA_ZARRAY(arena, double, dims->boxes);
  return terrain->plane;
}

static int terrain_dims_good(const po_terrain_dims *dims) {
  return dims->planes >= 0 && dims->boxes >= 0 && dims->samples >= 0 && dims->planes < 1 << 24 && dims->boxes < 1 << 24;
}

po_terrain_dims po_terrain_dims_default(void) {
  po_terrain_dims dims;
  dims.planes = 4;
  dims.boxes = 64;
  dims.samples = 0;
  return dims;
}

size_t po_terrain_bytes(const po_terrain_dims *dims) {
  po_arena arena;
  po_terrain terrain;
  if (!dims || !terrain_dims_good(dims)) return 0;
  memset(&terrain, 0, sizeof terrain);
  po_arena_measure(&arena);
  terrain_lay_out(&terrain, dims, &arena);
  return po_arena_used(&arena);
}

po_status po_terrain_init(po_terrain *terrain, const po_terrain_dims *dims, void *mem, size_t bytes) {
  po_arena arena;
  po_terrain made;
  if (!terrain || !dims || !mem) return PO_ERR_NULL;
  if (!terrain_dims_good(dims)) return PO_ERR_SIZE;
  memset(&made, 0, sizeof made);
  po_arena_init(&arena, mem, bytes);
  terrain_lay_out(&made, dims, &arena);
  if (arena.failed) return PO_ERR_MEMORY;
  *terrain = made;
  return PO_OK;
}

po_status po_terrain_new(po_terrain **terrain, const po_terrain_dims *dims) {
  po_terrain_dims wanted = dims ? *dims : po_terrain_dims_default();
  size_t head = (sizeof(po_terrain) + 31) & ~(size_t)31, bytes;
  unsigned char *block;
  po_status status;
  if (!terrain) return PO_ERR_NULL;
  if (!terrain_dims_good(&wanted)) return PO_ERR_SIZE;
  bytes = po_terrain_bytes(&wanted);
  block = (unsigned char *)po_alloc(head + bytes);
  if (!block) return PO_ERR_MEMORY;
  status = po_terrain_init((po_terrain *)(void *)block, &wanted, block + head, bytes);
  if (status != PO_OK) {
    po_free(block);
    return status;
  }
  *terrain = (po_terrain *)(void *)block;
  return PO_OK;
}

void po_terrain_free(po_terrain *terrain) { po_free(terrain); }

static const po_terrain_plane terrain_flat_plane = {{0, 0, 1}, 0, 1};
static const po_terrain terrain_flat_ground = {
    1, 0, 1, 0, 0, (po_terrain_plane *)(uintptr_t)&terrain_flat_plane, NULL, {0, 0, 0, 0, 0, 0, 0, 0, 0, NULL}, NULL, NULL};

const po_terrain *po_terrain_flat(void) { return &terrain_flat_ground; }

/* ---- filling ------------------------------------------------------------------------------------------------------------- */

static int terrain_finite3(po_vec3 v) { return po_isfinite(v.x) && po_isfinite(v.y) && po_isfinite(v.z); }

po_status po_terrain_add_plane(po_terrain *terrain, po_vec3 normal, double offset, double mu) {
  double length = po_v3_norm(normal);
  po_terrain_plane *plane;
  if (!terrain) return PO_ERR_NULL;
  if (!terrain_finite3(normal) || !po_isfinite(offset) || !po_isfinite(mu) || !po_isfinite(length)) return PO_ERR_NOT_FINITE;
  if (!(length > 0) || mu < 0) return PO_ERR_RANGE;
  if (terrain->planes >= terrain->max_planes) return PO_ERR_MEMORY;
  plane = &terrain->plane[terrain->planes++];
  plane->normal = po_v3_scale(1 / length, normal);
  plane->offset = offset / length;
  plane->mu = mu;
  return PO_OK;
}

/* Rotations handed in come from files and hands: 1e-6 is far above rounding and far below anything visible. */
#define PO_TERRAIN_ROTATION_TOL 1e-6

static int terrain_is_rotation(po_mat3 R) {
  po_mat3 E = po_m3_sub(po_m3_tmul(R, R), po_m3_identity());
  int i;
  for (i = 0; i < 9; i++)
    if (!(fabs(E.m[i]) <= PO_TERRAIN_ROTATION_TOL)) return 0;
  return po_m3_det(R) > 0;
}

/* The last box takes its place among those sorted by x. */
static void terrain_sort_in(po_terrain *t) {
  int k = t->boxes - 1, at = k;
  for (; at > 0 && t->box[t->by_x[at - 1]].low.x > t->box[k].low.x; at--) t->by_x[at] = t->by_x[at - 1];
  t->by_x[at] = k;
  for (; at < t->boxes; at++) t->far_x[at] = po_max(t->box[t->by_x[at]].high.x, at ? t->far_x[at - 1] : -PO_INF);
}

int po_terrain_near_boxes(int *index, int most, const po_terrain *t, double low_x, double high_x) {
  int low = 0, high = t->boxes, n = 0, j;
  while (low < high) { /* the first that begins beyond high_x */
    int middle = low + (high - low) / 2;
    if (t->box[t->by_x[middle]].low.x <= high_x) low = middle + 1;
    else high = middle;
  }
  while (--low >= 0 && t->far_x[low] >= low_x) {
    int k = t->by_x[low];
    if (t->box[k].high.x < low_x) continue;
    if (n == most) return -1;
    for (j = n++; j > 0 && index[j - 1] > k; j--) index[j] = index[j - 1];
    index[j] = k;
  }
  return n;
}

po_status po_terrain_add_box(po_terrain *terrain, po_pose pose, po_vec3 half, double mu) {
  po_terrain_box *box;
  po_vec3 reach;
  const double *m = pose.R.m;
  if (!terrain) return PO_ERR_NULL;
  if (!terrain_finite3(pose.p) || !terrain_finite3(half) || !po_isfinite(mu) || !po_all_finite(m, 9)) return PO_ERR_NOT_FINITE;
  if (!(half.x > 0 && half.y > 0 && half.z > 0) || mu < 0 || !terrain_is_rotation(pose.R)) return PO_ERR_RANGE;
  if (terrain->boxes >= terrain->max_boxes) return PO_ERR_MEMORY;
  box = &terrain->box[terrain->boxes++];
  box->pose = pose;
  box->half = half;
  box->mu = mu;
  box->tag = PO_TAG_GROUND;
  reach = po_v3(fabs(m[0]) * half.x + fabs(m[1]) * half.y + fabs(m[2]) * half.z, fabs(m[3]) * half.x + fabs(m[4]) * half.y + fabs(m[5]) * half.z,
                fabs(m[6]) * half.x + fabs(m[7]) * half.y + fabs(m[8]) * half.z);
  box->low = po_v3_sub(pose.p, reach);
  box->high = po_v3_add(pose.p, reach);
  terrain_sort_in(terrain);
  return PO_OK;
}

po_status po_terrain_add_step(po_terrain *terrain, po_vec3 low, po_vec3 high, double mu) {
  po_pose pose;
  pose.R = po_m3_identity();
  pose.p = po_v3_scale(0.5, po_v3_add(low, high));
  return po_terrain_add_box(terrain, pose, po_v3_scale(0.5, po_v3_sub(high, low)), mu);
}

po_status po_terrain_set_tag(po_terrain *terrain, int box, po_terrain_tag tag) {
  if (!terrain) return PO_ERR_NULL;
  if (box < 0 || box >= terrain->boxes || (unsigned)tag >= PO_TAGS) return PO_ERR_RANGE;
  terrain->box[box].tag = tag;
  return PO_OK;
}

po_status po_terrain_set_field(po_terrain *terrain, int nx, int ny, double x0, double y0, double dx, double dy, const double *z, double mu) {
  po_height_field *field;
  int i;
  if (!terrain || !z) return PO_ERR_NULL;
  if (nx < 2 || ny < 2 || nx > (1 << 20) || ny > (1 << 20)) return PO_ERR_SIZE;
  if ((long long)nx * ny > terrain->max_samples) return PO_ERR_MEMORY;
  if (!po_isfinite(x0) || !po_isfinite(y0) || !po_isfinite(dx) || !po_isfinite(dy) || !po_isfinite(mu) || !po_all_finite(z, nx * ny))
    return PO_ERR_NOT_FINITE;
  if (!(dx > 0 && dy > 0) || mu < 0) return PO_ERR_RANGE;
  field = &terrain->field;
  memmove(field->z, z, sizeof(double) * (size_t)nx * (size_t)ny);
  field->nx = nx;
  field->ny = ny;
  field->x0 = x0;
  field->y0 = y0;
  field->dx = dx;
  field->dy = dy;
  field->mu = mu;
  field->low = field->high = z[0];
  for (i = 1; i < nx * ny; i++) {
    field->low = po_min(field->low, field->z[i]);
    field->high = po_max(field->high, field->z[i]);
  }
  return PO_OK;
}

/* ---- asking -------------------------------------------------------------------------------------------------------------- */

/* Height and normal of the field over (x, y); 0 outside of its border. Triangle 0 is the half with u ≥ v. */
static int terrain_field_at(const po_height_field *f, double x, double y, double *height, po_vec3 *normal, int *index) {
  double u = (x - f->x0) / f->dx, v = (y - f->y0) / f->dy, zx, zy;
  const double *z;
  int ix, iy, half;
  if (f->nx == 0 || !(u >= 0 && v >= 0 && u <= f->nx - 1 && v <= f->ny - 1)) return 0;
  ix = (int)u;
  iy = (int)v;
  if (ix > f->nx - 2) ix = f->nx - 2;
  if (iy > f->ny - 2) iy = f->ny - 2;
  u -= ix;
  v -= iy;
  z = f->z + (size_t)iy * (size_t)f->nx + ix;
  half = u < v;
  zx = half ? z[f->nx + 1] - z[f->nx] : z[1] - z[0];
  zy = half ? z[f->nx] - z[0] : z[f->nx + 1] - z[1];
  *height = z[0] + u * zx + v * zy;
  *normal = po_v3_unit(po_v3(-zx / f->dx, -zy / f->dy, 1));
  *index = 2 * (iy * (f->nx - 1) + ix) + half;
  return 1;
}

/* Where the vertical through (x, y) leaves the box on its way up, and that face's normal. */
static int terrain_box_top(const po_terrain_box *box, double x, double y, double *height, po_vec3 *normal) {
  po_vec3 o = po_m3_tmul_v(box->pose.R, po_v3(x - box->pose.p.x, y - box->pose.p.y, 0)), d = po_m3_row(box->pose.R, 2);
  double from[3], way[3], half[3], enter = -PO_INF, leave = PO_INF;
  int k, face = 2;
  if (x < box->low.x || x > box->high.x || y < box->low.y || y > box->high.y) return 0;
  po_v3_to(from, o);
  po_v3_to(way, d);
  po_v3_to(half, box->half);
  for (k = 0; k < 3; k++) {
    double a, b;
    if (fabs(way[k]) < 1e-12) { /* parallel to the slab: inside or never; 1e-12 rad is below the rounding of a rotation */
      if (fabs(from[k]) > half[k]) return 0;
      continue;
    }
    a = (-half[k] - from[k]) / way[k];
    b = (half[k] - from[k]) / way[k];
    if (po_max(a, b) < leave) {
      leave = po_max(a, b);
      face = k;
    }
    enter = po_max(enter, po_min(a, b));
  }
  if (enter > leave) return 0;
  *height = box->pose.p.z + leave;
  *normal = po_v3_scale(way[face] < 0 ? -1 : 1, po_m3_col(box->pose.R, face));
  return 1;
}

static po_surface terrain_nothing(void) {
  po_surface s;
  s.height = -PO_INF;
  s.normal = po_v3(0, 0, 1);
  s.mu = 1;
  s.kind = PO_TERRAIN_NONE;
  s.index = -1;
  s.tag = PO_TAG_GROUND;
  return s;
}

static void terrain_note(po_surface *s, double height, po_vec3 normal, double mu, po_terrain_kind kind, int index) {
  s->tag = PO_TAG_GROUND;
  s->height = height;
  s->normal = normal;
  s->mu = mu;
  s->kind = kind;
  s->index = index;
}

po_surface po_terrain_surface_below(const po_terrain *terrain, double x, double y, double z, unsigned tags) {
  po_surface best = terrain_nothing();
  double height;
  po_vec3 normal;
  int i, index, ground = (tags & PO_TAG_BIT(PO_TAG_GROUND)) != 0;
  if (!terrain || !po_isfinite(x) || !po_isfinite(y)) return best;
  for (i = 0; ground && i < terrain->planes; i++) {
    const po_terrain_plane *p = &terrain->plane[i];
    if (!(p->normal.z > 1e-9)) continue; /* a wall or a ceiling */
    height = (p->offset - p->normal.x * x - p->normal.y * y) / p->normal.z;
    if (height > best.height && height <= z) terrain_note(&best, height, p->normal, p->mu, PO_TERRAIN_PLANE, i);
  }
  for (i = 0; i < terrain->boxes; i++) {
    const po_terrain_box *box = &terrain->box[i];
    if (!(tags & PO_TAG_BIT(box->tag)) || !terrain_box_top(box, x, y, &height, &normal) || !(height > best.height && height <= z)) continue;
    terrain_note(&best, height, normal, box->mu, PO_TERRAIN_BOX, i);
    best.tag = box->tag;
  }
  if (ground && terrain_field_at(&terrain->field, x, y, &height, &normal, &index) && height > best.height && height <= z)
    terrain_note(&best, height, normal, terrain->field.mu, PO_TERRAIN_FIELD, index);
  return best;
}

po_surface po_terrain_surface_at(const po_terrain *terrain, double x, double y) { return po_terrain_surface_below(terrain, x, y, PO_INF, PO_ANY_TAG); }

double po_terrain_height(const po_terrain *terrain, double x, double y) { return po_terrain_surface_at(terrain, x, y).height; }

/* Signed distance to a box, and the direction out of it. */
static double terrain_box_gap(const po_terrain_box *box, po_vec3 point, po_vec3 *normal) {
  po_vec3 at = po_m3_tmul_v(box->pose.R, po_v3_sub(point, box->pose.p)), out;
  double x[3], half[3], n[3] = {0, 0, 0}, distance2 = 0, deepest = -PO_INF;
  int k, face = 0;
  po_v3_to(x, at);
  po_v3_to(half, box->half);
  for (k = 0; k < 3; k++) {
    double over = fabs(x[k]) - half[k];
    if (over > deepest) {
      deepest = over;
      face = k;
    }
    if (over > 0) {
      n[k] = x[k] > 0 ? over : -over;
      distance2 += over * over;
    }
  }
  if (deepest <= 0) n[face] = x[face] < 0 ? -1 : 1;
  out = po_m3_mul_v(box->pose.R, po_v3_of(n));
  *normal = po_v3_unit(out);
  return deepest > 0 ? sqrt(distance2) : deepest;
}

double po_terrain_gap(po_surface *surface, const po_terrain *terrain, po_vec3 point) {
  po_surface best = terrain_nothing();
  double least = PO_INF, gap, height;
  po_vec3 normal;
  int i, index;
  if (terrain && terrain_finite3(point)) {
    for (i = 0; i < terrain->planes; i++) {
      const po_terrain_plane *p = &terrain->plane[i];
      gap = po_v3_dot(p->normal, point) - p->offset;
      if (gap < least) {
        least = gap;
        terrain_note(&best, point.z - gap * p->normal.z, p->normal, p->mu, PO_TERRAIN_PLANE, i);
      }
    }
    for (i = 0; i < terrain->boxes; i++) {
      gap = terrain_box_gap(&terrain->box[i], point, &normal);
      if (gap < least) {
        least = gap;
        terrain_note(&best, point.z - gap * normal.z, normal, terrain->box[i].mu, PO_TERRAIN_BOX, i);
        best.tag = terrain->box[i].tag;
      }
    }
    if (terrain_field_at(&terrain->field, point.x, point.y, &height, &normal, &index) && (gap = (point.z - height) * normal.z) < least) {
      least = gap;
      terrain_note(&best, point.z - gap * normal.z, normal, terrain->field.mu, PO_TERRAIN_FIELD, index);
    }
  }
  if (surface) *surface = best;
  return least;
}
