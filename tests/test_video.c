/* Pictures without a browser: what is painted is where geometry says; PNG and GIF are read back by decoders of the tests' own. */
#include "rbd/mesh.h"
#include "scenes/scenes.h"
#include "view/picture.h"
#include "unity.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

/* ---- RFC 1951, fixed codes only ---- */

typedef struct bits { const unsigned char *at; size_t bit, size; } bits;
static unsigned take(bits *b, int n) {
  unsigned x = 0;
  int i;
  for (i = 0; i < n; i++, b->bit++) {
    TEST_ASSERT_TRUE(b->bit / 8 < b->size);
    x |= (unsigned)(b->at[b->bit / 8] >> (b->bit & 7) & 1) << i;
  }
  return x;
}
static unsigned take_code(bits *b, unsigned code, int n) {
  while (n--) code = code << 1 | take(b, 1);
  return code;
}
static unsigned symbol(bits *b) {
  unsigned c = take_code(b, 0, 7);
  if (c < 24) return 256 + c;
  c = take_code(b, c, 1);
  if (c >= 0x30 && c < 0xc0) return c - 0x30;
  if (c >= 0xc0 && c < 0xc8) return 280 + c - 0xc0;
  return 144 + take_code(b, c, 1) - 0x190;
}
static size_t inflate(unsigned char *out, size_t most, const unsigned char *data, size_t size) {
  static const short base[29] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const short far[30] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  bits b = {data + 2, 0, size - 6};
  size_t n = 0;
  unsigned s, a = 1, c = 0;
  size_t i;
  TEST_ASSERT_EQUAL_INT(0, (data[0] * 256 + data[1]) % 31);
  TEST_ASSERT_EQUAL_INT(1, take(&b, 1));
  TEST_ASSERT_EQUAL_INT(1, take(&b, 2));
  while ((s = symbol(&b)) != 256) {
    if (s < 256) {
      TEST_ASSERT_TRUE(n < most);
      out[n++] = (unsigned char)s;
      continue;
    }
    int k = (int)s - 257, extra = k < 8 || k == 28 ? 0 : k / 4 - 1, d;
    size_t length = (size_t)base[k] + take(&b, extra), distance;
    d = (int)take_code(&b, 0, 5);
    distance = (size_t)far[d] + take(&b, d < 4 ? 0 : d / 2 - 1);
    TEST_ASSERT_TRUE(distance <= n && n + length <= most);
    for (; length; length--, n++) out[n] = out[n - distance];
  }
  for (i = 0; i < n; i++) {
    a = (a + out[i]) % 65521;
    c = (c + a) % 65521;
  }
  TEST_ASSERT_TRUE((c << 16 | a) == ((unsigned)data[size - 4] << 24 | (unsigned)data[size - 3] << 16 | (unsigned)data[size - 2] << 8 | data[size - 1]));
  return n;
}

static void test_deflate_comes_back(void) {
  enum { MOST = 70000 };
  static unsigned char data[MOST], back[MOST];
  static const size_t size[] = {0, 1, 2, 3, 4, 257, 258, 259, 5000, MOST};
  po_rng rng;
  int i, kind;
  po_rng_init(&rng, 7, 0);
  for (kind = 0; kind < 4; kind++)
    for (i = 0; i < 10; i++) {
      po_buffer out = {0};
      size_t k;
      for (k = 0; k < size[i]; k++) /* constant, random, few values, and random repeated after 32 kB less one: the farthest match */
        data[k] = (unsigned char)(kind == 0 ? 200 : kind == 1 ? (int)(po_rng_u64(&rng) & 255) : kind == 2 ? (int)(po_rng_u64(&rng) & 1) : k < 32767 ? (int)(po_rng_u64(&rng) & 255) : data[k - 32767]);
      po_deflate(&out, data, size[i]);
      TEST_ASSERT_FALSE(out.failed);
      TEST_ASSERT_EQUAL_INT((int)size[i], (int)inflate(back, MOST, (const unsigned char *)out.data, out.size));
      TEST_ASSERT_EQUAL_INT(0, memcmp(data, back, size[i]));
      if (kind == 0 && size[i] == MOST) TEST_ASSERT_TRUE(out.size < 600);
      po_buffer_free(&out);
    }
}

/* ---- pictures ---- */

static po_picture picture(int width, int height) {
  po_picture p = {width, height, po_alloc(3 * (size_t)width * (size_t)height)};
  return p;
}
static unsigned long longword(const unsigned char *p) { return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 | (unsigned long)p[2] << 8 | p[3]; }

static void test_png_is_the_picture(void) {
  po_picture p = picture(33, 17);
  po_buffer out = {0};
  unsigned char lines[(3 * 33 + 1) * 17];
  const unsigned char *d;
  int x, y;
  for (x = 0; x < 3 * 33 * 17; x++) p.rgb[x] = (unsigned char)(x * x / 7);
  po_png_write(&out, &p);
  d = (const unsigned char *)out.data;
  TEST_ASSERT_EQUAL_INT(0, memcmp(d, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  TEST_ASSERT_EQUAL_INT(33, (int)longword(d + 16));
  TEST_ASSERT_EQUAL_INT(17, (int)longword(d + 20));
  TEST_ASSERT_EQUAL_INT(0, memcmp(d + 37, "IDAT", 4));
  TEST_ASSERT_EQUAL_INT((int)sizeof lines, (int)inflate(lines, sizeof lines, d + 41, longword(d + 33)));
  for (y = 0; y < 17; y++) {
    TEST_ASSERT_EQUAL_INT(2, lines[100 * y]);
    for (x = 0; x < 99; x++) {
      if (y) lines[100 * y + 1 + x] = (unsigned char)(lines[100 * y + 1 + x] + lines[100 * (y - 1) + 1 + x]);
      TEST_ASSERT_EQUAL_INT(p.rgb[99 * y + x], lines[100 * y + 1 + x]);
    }
  }
  TEST_ASSERT_EQUAL_INT(0, memcmp(d + out.size - 12, "\0\0\0\0IEND\xae\x42\x60\x82", 12)); /* the checksum that every PNG ends with */
  po_free(p.rgb);
  po_buffer_free(&out);
}

/* One frame's indices laid over the canvas; returns what follows it. */
static const unsigned char *gif_decode(const unsigned char *d, unsigned char *canvas, int width) {
  static unsigned char string[4096][4096];
  static int length[4096];
  int x0 = d[9] | d[10] << 8, y0 = d[11] | d[12] << 8, w = d[13] | d[14] << 8, h = d[15] | d[16] << 8, clear = 256, n = 258, size = 9, last = -1, at = 0;
  unsigned long acc = 0;
  int held = 0, left = 0, k;
  TEST_ASSERT_EQUAL_INT(0, memcmp(d, "\x21\xf9\x04\x05", 4));
  TEST_ASSERT_EQUAL_INT(0x2c, d[8]);
  TEST_ASSERT_EQUAL_INT(8, d[18]);
  for (d += 19;;) {
    int code;
    while (held < size) {
      if (!left) left = *d++;
      TEST_ASSERT_TRUE(left > 0);
      acc |= (unsigned long)*d++ << held;
      held += 8;
      left--;
    }
    code = (int)(acc & ((1ul << size) - 1));
    acc >>= size;
    held -= size;
    if (code == clear) {
      for (k = 0; k < 256; k++) string[k][0] = (unsigned char)k, length[k] = 1;
      n = 258, size = 9, last = -1;
      continue;
    }
    if (code == 257) break;
    TEST_ASSERT_TRUE(code < n + (last >= 0) && code != 256);
    if (last >= 0 && n < 4096) {
      memcpy(string[n], string[last], (size_t)length[last]);
      string[n][length[last]] = code < n ? string[code][0] : string[last][0];
      length[n++] = length[last] + 1;
    }
    for (k = 0; k < length[code]; k++, at++)
      if (string[code][k] != 255) canvas[(y0 + at / w) * width + x0 + at % w] = string[code][k];
    last = code;
    if (n == 1 << size && size < 12) size++;
  }
  TEST_ASSERT_EQUAL_INT(w * h, at);
  d += left;
  TEST_ASSERT_EQUAL_INT(0, *d);
  return d + 1;
}

/* Noise fills the table of codes several times over; few colours come back exactly, and what does not change costs nothing. */
static void test_gif_shows_its_frames(void) {
  enum { W = 120, H = 90 };
  po_picture p[3];
  static unsigned char canvas[W * H];
  const unsigned char *d;
  po_buffer out = {0};
  po_rng rng;
  po_gif gif;
  size_t before;
  int f, i, k;
  po_rng_init(&rng, 3, 0);
  for (f = 0; f < 3; f++) {
    p[f] = picture(W, H);
    for (i = 0; i < W * H; i++) {
      unsigned char *rgb = p[f].rgb + 3 * i;
      int c = f == 2 ? -1 : (int)(po_rng_u64(&rng) % 200);
      if (c >= 0) rgb[0] = (unsigned char)(c % 6 * 50), rgb[1] = (unsigned char)(c / 6 % 6 * 50), rgb[2] = (unsigned char)(c / 36 * 40);
      else memcpy(rgb, p[1].rgb + 3 * i, 3);
    }
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_gif_begin(&gif, &out, p, 1));
  for (f = 0; f < 3; f++) {
    before = out.size;
    po_gif_frame(&gif, &p[f], 4);
  }
  TEST_ASSERT_TRUE(out.size - before < 40);
  po_gif_end(&gif);
  d = (const unsigned char *)out.data;
  TEST_ASSERT_EQUAL_INT(0, memcmp(d, "GIF89a\x78\0\x5a\0", 10));
  TEST_ASSERT_EQUAL_INT(0x3b, d[out.size - 1]);
  for (f = 0, d += 13 + 768 + 19; f < 3; f++) {
    d = gif_decode(d, canvas, W);
    for (i = 0; i < W * H; i++)
      for (k = 0; k < 3; k++) TEST_ASSERT_INT_WITHIN(1, p[f].rgb[3 * i + k], ((const unsigned char *)out.data)[13 + 3 * canvas[i] + k]);
  }
  for (f = 0; f < 3; f++) po_free(p[f].rgb);
  po_buffer_free(&out);
}

/* ---- painting ---- */

/* From (−4, 0, 0) along x; the picture's plane at the origin is 4 m away: 100 px of samples a unit of tangent are 25 px a metre. */
static po_canvas canvas_at_origin(void) {
  po_canvas c;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_canvas_new(&c, 100, 100));
  c.eye = po_v3(-4, 0, 0);
  c.ahead = po_v3(1, 0, 0);
  c.right = po_v3(0, -1, 0);
  c.up = po_v3(0, 0, 1);
  c.zoom = 200;
  c.reach = 20;
  po_canvas_clear(&c, po_paint_of(0xffffff));
  return c;
}
static double depth_at(const po_canvas *c, int x, int y) { return (double)c->depth[y * c->width + x]; }

static void test_solids_are_where_they_are(void) {
  po_vec3 corner[8];
  po_trace_hull kept[1];
  po_hull *h;
  po_error err;
  po_canvas c;
  po_paint_solid s;
  int i, type, inside;
  for (i = 0; i < 8; i++) corner[i] = po_v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.3 : -0.3, i & 4 ? 0.8 : -0.8);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_hull_new(&h, corner, 8, NULL, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_trace_hull_room(kept, h->vertices, h->faces, h->loops));
  {
    int *l = kept->loop, f, k;
    for (i = 0; i < h->vertices; i++) po_v3_to(kept->vertex + 3 * i, h->vertex[i]);
    for (f = 0; f < h->faces; f++, l += l[0] + 1)
      for (l[0] = h->face[f].count, k = 0; k < l[0]; k++) l[1 + k] = h->loop[h->face[f].first + k];
    po_trace_hull_planes(kept);
  }
  memset(&s, 0, sizeof s);
  s.p = po_v3(0, 0, 0);
  s.R = po_m3_identity();
  s.paint = po_paint_of(0x3f7fdc);
  s.hull = kept;
  for (type = PO_SPHERE; type <= PO_HULL; type++) {
    int x, y, box = type >= PO_BOX;
    s.type = (po_shape_type)type;
    s.size[0] = 0.5;
    s.size[1] = 0.3;
    s.size[2] = 0.8;
    c = canvas_at_origin();
    po_canvas_solid(&c, &s, 0);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 3.5, depth_at(&c, 100, 100)); /* its front is 0.5 m before the origin */
    for (y = 0, inside = 0; y < 200; y++)
      for (x = 0; x < 200; x++) inside += depth_at(&c, x, y) < 1e9;
    /* the silhouette's area: of a box its front face, 3.5 m away; of balls within a share that the perspective explains */
    if (box) TEST_ASSERT_INT_WITHIN(0.02 * inside + 200, (int)(0.6 * 200 / 3.5 * 1.6 * 200 / 3.5), inside);
    else TEST_ASSERT_INT_WITHIN(0.05 * inside, (int)((PO_PI * 0.25 + (type == PO_CAPSULE ? 0.6 : 0)) * 50 * 50 * 1.015), inside);
    po_canvas_free(&c);
  }
  po_trace_hull_clear(kept);
  po_hull_free(h);
}

/* The nearer one is seen, and a shadow falls on the ground once. */
static void test_depth_and_shadow(void) {
  po_canvas c = canvas_at_origin();
  po_paint_solid s;
  po_picture p = picture(100, 100);
  double lit, dark;
  memset(&s, 0, sizeof s);
  s.type = PO_SPHERE;
  s.R = po_m3_identity();
  s.size[0] = 0.3;
  s.p = po_v3(2, 0, 0);
  s.paint = po_paint_of(0xff0000);
  po_canvas_plane(&c, po_v3(0, 0, 1), -0.5, po_paint_of(0xefeeea), po_paint_of(0xefeeea));
  po_canvas_solid(&c, &s, 0);
  s.p.x = 0;
  s.paint = po_paint_of(0x00ff00);
  po_canvas_solid(&c, &s, 0);
  po_canvas_finish(&p, &c);
  TEST_ASSERT_TRUE(p.rgb[3 * (50 * 100 + 50) + 1] > 100 && p.rgb[3 * (50 * 100 + 50)] == 0);
  /* the shadow's middle: 0.5 m below along the light (-0.42, -0.40, 0.815), so at (0.2577, 0.2454, -0.5) */
  {
    int x = (int)(100 - 200 * 0.2454 / 4.2577), y = (int)(100 + 200 * 0.5 / 4.2577), k;
    lit = (double)c.rgb[3 * (y * c.width + x)];
    for (k = 0; k < 2; k++) po_canvas_shadow(&c, &s, 0.5); /* two shapes in a row do not darken it twice */
    dark = (double)c.rgb[3 * (y * c.width + x)];
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.8 * lit, dark);
  po_free(p.rgb);
  po_canvas_free(&c);
}

static void test_a_run_becomes_a_film(void) {
  po_run_opts o = po_run_opts_default();
  po_video_opts v = po_video_opts_default();
  po_buffer out = {0}, png = {0};
  const unsigned char *d, *end;
  po_error err;
  po_run *r;
  int frames = 0;
  o.seconds = 0.5;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_new(&r, po_scenario_find("balance"), &o, &err));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_record(r, 60, &err));
  while (po_run_step(r)) {}
  po_run_finish(r);
  v.width = 96;
  v.height = 64;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_trace_gif(&out, po_run_trace(r), &v, &err), err.message);
  for (d = (const unsigned char *)out.data + 800, end = (const unsigned char *)out.data + out.size - 1; d < end; frames++) {
    static unsigned char canvas[96 * 64];
    TEST_ASSERT_EQUAL_INT(4, d[4]); /* hundredths */
    d = gif_decode(d, canvas, 96);
  }
  TEST_ASSERT_EQUAL_INT(13, frames); /* 0.001 to 0.5 s, 25 a second */
  TEST_ASSERT_EQUAL_INT(PO_OK, po_trace_png(&png, po_run_trace(r), 0.25, &v, &err));
  TEST_ASSERT_EQUAL_INT(96, (int)longword((const unsigned char *)png.data + 16));
  v.width = 3;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_trace_png(&png, po_run_trace(r), 0.25, &v, &err));
  v = po_video_opts_default();
  v.from = 2;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_trace_gif(&png, po_run_trace(r), &v, &err));
  v.from = 0;
  v.fps = PO_NAN;
  TEST_ASSERT_EQUAL_INT(PO_ERR_RANGE, po_trace_gif(&png, po_run_trace(r), &v, &err));
  po_buffer_free(&out);
  po_buffer_free(&png);
  po_run_free(r);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_deflate_comes_back);
  RUN_TEST(test_png_is_the_picture);
  RUN_TEST(test_gif_shows_its_frames);
  RUN_TEST(test_solids_are_where_they_are);
  RUN_TEST(test_depth_and_shadow);
  RUN_TEST(test_a_run_becomes_a_film);
  return UNITY_END() != 0;
}
