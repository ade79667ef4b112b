/* gif.c: a moving picture as GIF89a: one palette, cut from samples of its frames, and of every frame only what has changed. */
#include "picture.h"
#include <string.h>

enum { GIF_BINS = 1 << 15, GIF_CODES = 4096, GIF_SLOTS = 1 << 14, GIF_KNOWN = 1 << 15, GIF_SKIP = 255 }; /* GIF_SKIP: the index of what stays as it is */
#define GIF_ALIKE 7 /* of 255: a colour that is nearer than this to what is shown stays */

static void gif_byte(po_buffer *out, unsigned b) {
  char c = (char)(unsigned char)b;
  po_buffer_add(out, &c, 1);
}
static void gif_word(po_buffer *out, unsigned w) {
  gif_byte(out, w & 255);
  gif_byte(out, w >> 8 & 255);
}

/* ---- the palette: Heckbert's median cut over colours of 5 bits ---- */

typedef struct gif_box { int from, to; unsigned long weight; } gif_box; /* of the list of bins in use */

static int gif_channel(int bin, int k) { return bin >> (10 - 5 * k) & 31; }

/* The longest side, weighted as eyes see it. */
static int gif_side(const short *bin, const gif_box *b, int *length) {
  static const int eye[3] = {3, 4, 2};
  int k, i, best = 0;
  *length = -1;
  for (k = 0; k < 3; k++) {
    int lo = 31, hi = 0;
    for (i = b->from; i < b->to; i++) {
      int x = gif_channel(bin[i], k);
      lo = x < lo ? x : lo;
      hi = x > hi ? x : hi;
    }
    if (eye[k] * (hi - lo) > *length) *length = eye[k] * (hi - lo), best = k;
  }
  return best;
}

/* Sorted along one channel by counting: 32 values. */
static void gif_sort(short *bin, short *spare, const gif_box *b, int k) {
  int start[33] = {0}, i;
  for (i = b->from; i < b->to; i++) start[gif_channel(bin[i], k) + 1]++;
  for (i = 0; i < 32; i++) start[i + 1] += start[i];
  for (i = b->from; i < b->to; i++) spare[start[gif_channel(bin[i], k)]++] = bin[i];
  memcpy(bin + b->from, spare, sizeof *bin * (size_t)(b->to - b->from));
}

static void gif_mean(unsigned char out[3], const short *bin, const unsigned *count, const double (*sums)[3], const gif_box *b) {
  double sum[3] = {0, 0, 0}, n = 0;
  int i, k;
  for (i = b->from; i < b->to; i++) {
    for (k = 0; k < 3; k++) sum[k] += sums[bin[i]][k];
    n += count[bin[i]];
  }
  for (k = 0; k < 3; k++) out[k] = (unsigned char)(n > 0 ? sum[k] / n + 0.5 : 0);
}

static int gif_bin(const unsigned char *rgb) { return rgb[0] >> 3 << 10 | rgb[1] >> 3 << 5 | rgb[2] >> 3; }

static void gif_cut(po_gif *g, short *bin, short *spare, const unsigned *count, const double (*sums)[3], int used) {
  gif_box box[256];
  int n = 1, i, k;
  box[0].from = 0;
  box[0].to = used;
  while (n < GIF_SKIP) {
    unsigned long half = 0, sum = 0;
    int worst = -1, length, side = 0;
    double most = 0;
    for (i = 0; i < n; i++) {
      double score = 0;
      side = gif_side(bin, &box[i], &length);
      for (k = box[i].from, sum = 0; k < box[i].to; k++) sum += count[bin[k]];
      if (box[i].to - box[i].from > 1 && length > 0) score = length * po_pow((double)sum, 0.5);
      if (score > most) most = score, worst = i, half = sum / 2;
    }
    if (worst < 0) break;
    side = gif_side(bin, &box[worst], &length);
    gif_sort(bin, spare, &box[worst], side);
    for (k = box[worst].from, sum = 0; k < box[worst].to - 1 && (k == box[worst].from || sum + count[bin[k]] <= half); k++) sum += count[bin[k]];
    box[n].from = k;
    box[n++].to = box[worst].to;
    box[worst].to = k;
  }
  for (i = 0; i < n; i++) gif_mean(g->palette[i], bin, count, sums, &box[i]);
  g->colours = n;
}

static po_status gif_palette(po_gif *g, const po_picture *sample, int samples) {
  unsigned *count = po_alloc(sizeof *count * GIF_BINS);
  short *bin = po_alloc(sizeof *bin * GIF_BINS), *spare = po_alloc(sizeof *spare * GIF_BINS);
  double (*sums)[3] = po_alloc(sizeof *sums * GIF_BINS);
  int i, c, used = 0, there = count && bin && spare && sums;
  if (there) {
    for (i = 0; i < samples; i++) {
      size_t k, n = (size_t)sample[i].width * (size_t)sample[i].height;
      for (k = 0; k < n; k++) {
        const unsigned char *rgb = sample[i].rgb + 3 * k;
        count[gif_bin(rgb)]++;
        for (c = 0; c < 3; c++) sums[gif_bin(rgb)][c] += rgb[c];
      }
    }
    for (i = 0; i < GIF_BINS; i++)
      if (count[i]) bin[used++] = (short)i;
    gif_cut(g, bin, spare, count, (const double (*)[3])sums, used);
  }
  po_free(sums);
  po_free(count);
  po_free(bin);
  po_free(spare);
  return there ? PO_OK : PO_ERR_MEMORY;
}

/* Looked for once a colour, as long as no other takes its slot. */
static int gif_nearest(po_gif *g, const unsigned char *rgb) {
  unsigned key = 1u << 24 | (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2], *known = &g->known[(key * 2654435761u >> 16) % GIF_KNOWN];
  int i, k, best = 0;
  long least = 1L << 30;
  if (*known == key) return g->index[known - g->known];
  for (i = 0; i < g->colours; i++) {
    long d = 0;
    for (k = 0; k < 3; k++) d += (long)(rgb[k] - g->palette[i][k]) * (rgb[k] - g->palette[i][k]);
    if (d < least) least = d, best = i;
  }
  *known = key;
  g->index[known - g->known] = (unsigned char)best;
  return best;
}

/* ---- LZW: codes of growing length in blocks of up to 255 bytes ---- */

typedef struct gif_codes { po_buffer *out; unsigned long bits; int count, width, block; unsigned char byte[255]; } gif_codes;

static void gif_flush(gif_codes *w) {
  if (!w->block) return;
  gif_byte(w->out, (unsigned)w->block);
  po_buffer_add(w->out, (const char *)w->byte, (size_t)w->block);
  w->block = 0;
}
static void gif_put(gif_codes *w, unsigned code) {
  w->bits |= (unsigned long)code << w->count;
  for (w->count += w->width; w->count >= 8; w->count -= 8) {
    w->byte[w->block++] = (unsigned char)(w->bits & 255);
    w->bits >>= 8;
    if (w->block == 255) gif_flush(w);
  }
}

/* table: slots of (string's code, next index) → code; 0: empty. */
static void gif_lzw(po_gif *g, const unsigned char *index, int stride, int width, int height) {
  const unsigned clear = 256, end = 257;
  gif_codes w = {g->out, 0, 0, 9, 0, {0}};
  unsigned next = end + 1, string = 0;
  int x, y, begun = 0;
  gif_byte(g->out, 8);
  memset(g->table, 0, sizeof *g->table * 2 * GIF_SLOTS);
  gif_put(&w, clear);
  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++) {
      unsigned k = index[(size_t)y * (size_t)stride + (size_t)x], key = string << 8 | k | 1u << 31, slot;
      if (!begun) {
        string = k;
        begun = 1;
        continue;
      }
      for (slot = (key * 2654435761u >> 18) % GIF_SLOTS; g->table[2 * slot] && g->table[2 * slot] != key; slot = (slot + 1) % GIF_SLOTS) {}
      if (g->table[2 * slot]) {
        string = g->table[2 * slot + 1];
        continue;
      }
      gif_put(&w, string);
      string = k;
      if (next < GIF_CODES) {
        g->table[2 * slot] = key;
        g->table[2 * slot + 1] = next;
        if (next++ == 1u << w.width) w.width++;
        continue;
      }
      gif_put(&w, clear);
      memset(g->table, 0, sizeof *g->table * 2 * GIF_SLOTS);
      w.width = 9;
      next = end + 1;
    }
  gif_put(&w, string);
  gif_put(&w, end);
  if (w.count) {
    w.byte[w.block++] = (unsigned char)(w.bits & 255);
    if (w.block == 255) gif_flush(&w);
  }
  gif_flush(&w);
  gif_byte(g->out, 0);
}

/* ---- frames ---- */

po_status po_gif_begin(po_gif *g, po_buffer *out, const po_picture *sample, int samples) {
  size_t n = (size_t)sample->width * (size_t)sample->height;
  int i;
  memset(g, 0, sizeof *g);
  g->out = out;
  g->width = sample->width;
  g->height = sample->height;
  g->shown = po_alloc(n);
  g->next = po_alloc(n);
  g->known = po_alloc(sizeof *g->known * GIF_KNOWN);
  g->index = po_alloc(GIF_KNOWN);
  g->table = po_alloc(sizeof *g->table * 2 * GIF_SLOTS);
  if (!g->shown || !g->next || !g->known || !g->index || !g->table || gif_palette(g, sample, samples) != PO_OK) {
    po_gif_end(g);
    out->failed = 1;
    return PO_ERR_MEMORY;
  }
  memset(g->shown, GIF_SKIP, n);
  po_buffer_add(out, "GIF89a", 6);
  gif_word(out, (unsigned)g->width);
  gif_word(out, (unsigned)g->height);
  gif_byte(out, 0xf7); /* 256 colours for all frames */
  gif_word(out, 0);
  for (i = 0; i < 256; i++) po_buffer_add(out, (const char *)g->palette[i], 3);
  po_buffer_add(out, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19); /* for ever */
  return PO_OK;
}

static int gif_alike(const unsigned char *a, const unsigned char *b) {
  int k;
  for (k = 0; k < 3; k++)
    if (a[k] > b[k] + GIF_ALIKE || b[k] > a[k] + GIF_ALIKE) return 0;
  return 1;
}

void po_gif_frame(po_gif *g, const po_picture *p, int hundredths) {
  int x, y, x0 = g->width, y0 = g->height, x1 = 0, y1 = 0;
  for (y = 0; y < g->height; y++)
    for (x = 0; x < g->width; x++) {
      size_t i = (size_t)y * (size_t)g->width + (size_t)x;
      int was = g->shown[i], now;
      g->next[i] = GIF_SKIP;
      if (was != GIF_SKIP && gif_alike(p->rgb + 3 * i, g->palette[was])) continue;
      if ((now = gif_nearest(g, p->rgb + 3 * i)) == was) continue;
      g->next[i] = g->shown[i] = (unsigned char)now;
      x0 = x < x0 ? x : x0;
      x1 = x + 1 > x1 ? x + 1 : x1;
      y0 = y < y0 ? y : y0;
      y1 = y + 1;
    }
  if (x1 <= x0) x0 = y0 = 0, x1 = y1 = 1; /* nothing has changed: one point that stays */
  po_buffer_add(g->out, "\x21\xf9\x04\x05", 4); /* left as it is; an index is transparent */
  gif_word(g->out, (unsigned)hundredths);
  gif_byte(g->out, GIF_SKIP);
  gif_byte(g->out, 0);
  gif_byte(g->out, 0x2c);
  gif_word(g->out, (unsigned)x0);
  gif_word(g->out, (unsigned)y0);
  gif_word(g->out, (unsigned)(x1 - x0));
  gif_word(g->out, (unsigned)(y1 - y0));
  gif_byte(g->out, 0);
  gif_lzw(g, g->next + (size_t)y0 * (size_t)g->width + (size_t)x0, g->width, x1 - x0, y1 - y0);
}

void po_gif_end(po_gif *g) {
  if (g->shown && !g->out->failed) gif_byte(g->out, 0x3b);
  po_free(g->shown);
  po_free(g->next);
  po_free(g->known);
  po_free(g->index);
  po_free(g->table);
  g->shown = g->next = NULL;
  g->index = NULL;
  g->known = NULL;
  g->table = NULL;
}
