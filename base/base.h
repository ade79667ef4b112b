/* base.h: what every room of Poise stands on.
 *
 *   version      po_version
 *   statuses     po_status_string  po_fail  po_fail_at  po_format  po_formatv
 *   memory       po_set_allocator  po_alloc  po_free  po_arena_...
 *   numbers      po_check_arithmetic  po_sin po_cos po_sincos po_sincos_n po_tan po_atan2 po_asin po_acos po_exp po_log po_pow  po_wrap  po_all_finite  po_nearest
 *   processor    po_set_simd  po_get_simd  po_simd_string
 *   randomness   po_rng_init  po_rng_u64  po_rng_uniform  po_rng_range  po_rng_normal  po_rng_below
 *   hash         po_hash  po_hash_doubles
 *   streams      po_stream_...: the one way to save and restore anything
 *   text         po_parse_double  po_parse_int  po_print_double  po_buffer_...  po_read_file  po_write_file
 *   JSON         po_json_...: parse, get, free;  and the writer po_jw_...
 *   XML          po_xml_parse  po_xml_attr  po_xml_child  po_xml_next  po_xml_free
 *   time         po_clock_fn
 *
 * The library never prints, exits or aborts. Whatever can fail returns a po_status; readers of files also fill a
 * po_error with file, line and a sentence a user can act on.
 *
 * The same inputs give the same bits: plain C (PO_SIMD_SCALAR) with every compiler on every CPU that has IEEE doubles, the AVX2 path on every machine
 * that has AVX2 and FMA; the two differ in last bits. Needed are doubles that are computed as doubles (no x87), no fast-math, rounding to nearest, and
 * subnormal numbers that are kept, not flushed. The first two are refused by the compiler, the third by po_check_arithmetic.
 */
#ifndef PO_BASE_H
#define PO_BASE_H

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* 0: doubles are doubles; 16: and half precision is its own. Anything else computes sums in wider registers: other results, other bits. */
#if defined(__FLT_EVAL_METHOD__)
#define PO_FLT_EVAL __FLT_EVAL_METHOD__
#elif defined(FLT_EVAL_METHOD)
#define PO_FLT_EVAL FLT_EVAL_METHOD
#else
#define PO_FLT_EVAL 0
#endif
#if PO_FLT_EVAL != 0 && PO_FLT_EVAL != 16
#error "Poise needs doubles that are computed as doubles. On 32-bit x86 compile with -msse2 -mfpmath=sse; elsewhere with what makes FLT_EVAL_METHOD 0."
#endif

#define PO_VERSION_MAJOR 0
#define PO_VERSION_MINOR 2
#define PO_VERSION_PATCH 0
#define PO_QUOTE_AS_IT_IS(x) #x
#define PO_QUOTE(x) PO_QUOTE_AS_IT_IS(x)
#define PO_VERSION PO_QUOTE(PO_VERSION_MAJOR) "." PO_QUOTE(PO_VERSION_MINOR) "." PO_QUOTE(PO_VERSION_PATCH) /* "0.2.0" */

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, where PO_VERSION is this header's. Before 1.0 they fit together when major and minor are the same. */
const char *po_version(void);

/* Two strengths of check: PO_ASSERT (-DPO_DEBUG), a returned status (always). */
#ifdef PO_DEBUG
#include <assert.h>
#define PO_ASSERT(condition) assert(condition)
#else
#define PO_ASSERT(condition) ((void)0)
#endif

#if defined(__GNUC__)
#define PO_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define PO_PRINTF(format_index, first)
#endif

/* ---- statuses ------------------------------------------------------------------------------------------------------- */

typedef enum po_status {
  PO_OK = 0,
  PO_ERR_NULL,        /* a required pointer is NULL */
  PO_ERR_SIZE,        /* a size is negative, too large, or two sizes do not fit together */
  PO_ERR_NOT_FINITE,  /* NaN or infinity where a number is needed */
  PO_ERR_BOUNDS,      /* lower > upper */
  PO_ERR_RANGE,       /* a parameter is outside its range */
  PO_ERR_MEMORY,      /* the allocator or the given block had too little */
  PO_ERR_ITERATIONS,  /* an iteration limit was reached before convergence */
  PO_ERR_SINGULAR,    /* a matrix is singular or not positive definite where it must not be */
  PO_ERR_PARSE,       /* text that does not follow its format */
  PO_ERR_FILE,        /* a file could not be opened, read or written */
  PO_ERR_NAME,        /* an unknown, missing or duplicate name */
  PO_ERR_MODEL,       /* a model that is not physical: cycles, masses, inertias */
  PO_ERR_STATE,       /* a call that does not fit the object's present state */
  PO_ERR_UNSUPPORTED, /* understood, but not offered */
  PO_STATUS_COUNT
} po_status;

/* A short English phrase, never NULL. */
const char *po_status_string(po_status status);

typedef struct po_error {
  po_status status;
  int line, column; /* 1-based; 0 when there is none */
  char file[256];
  char message[512];
} po_error;

/* Fills *err (which may be NULL) with a formatted message and returns `status`, so that `return po_fail(err, ...)` reads well.
 * file, line and column are cleared; po_fail_at sets them. Formats as po_format does. */
po_status po_fail(po_error *err, po_status status, const char *format, ...) PO_PRINTF(3, 4);
po_status po_fail_at(po_error *err, po_status status, const char *file, int line, int column, const char *format, ...)
    PO_PRINTF(6, 7);

/* snprintf without a locale: %s %.*s %c %d %i %u %ld %lu %zu %lld %llu %x %llx %% (field width, 0 and - flags),
 * %g = shortest text that reads back to the same double, %.Nf / %.Ne / %.Ng correctly rounded. Returns the length that was needed. */
int po_format(char *out, size_t capacity, const char *format, ...) PO_PRINTF(3, 4);
int po_formatv(char *out, size_t capacity, const char *format, va_list arguments) PO_PRINTF(3, 0);

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* The one allocator. resize(user, NULL, n) allocates, resize(user, p, 0) frees; blocks must be 16-byte aligned.
 * Process-wide; set before threads start. NULL restores libc's. */
typedef void *(*po_resize_fn)(void *user, void *block, size_t bytes);
void po_set_allocator(po_resize_fn resize, void *user);

void *po_alloc(size_t bytes); /* 32-byte aligned, zeroed; NULL when out of memory. po_alloc(0) is a valid block. */
void po_free(void *block);    /* NULL is fine */

/* A block handed out front to back; mark and release for temporaries. Everything it returns is 32-byte aligned.
 * A measuring arena (po_arena_measure) hands out NULL and only counts, so one layout function serves both
 * po_X_bytes and po_X_init:  lay out with a measuring arena and read po_arena_used, then with a real one. */
typedef struct po_arena {
  unsigned char *base;
  size_t size, used, peak;
  int measuring; /* 1: count only */
  int failed;    /* 1: something did not fit; sticky until po_arena_init */
} po_arena;

void po_arena_init(po_arena *arena, void *mem, size_t bytes); /* aligns the start itself */
void po_arena_measure(po_arena *arena);
void *po_arena_alloc(po_arena *arena, size_t bytes);  /* not zeroed; NULL when it does not fit (sets failed) or when measuring */
void *po_arena_zalloc(po_arena *arena, size_t bytes); /* zeroed */
size_t po_arena_used(const po_arena *arena);          /* bytes needed, with 32 spare so that any start address will do */
static inline size_t po_arena_mark(const po_arena *arena) { return arena->used; }
static inline void po_arena_release(po_arena *arena, size_t mark) { arena->used = mark; }
#define PO_ARENA_ARRAY(arena, type, count) ((type *)po_arena_alloc((arena), sizeof(type) * (size_t)(count)))
#define PO_ARENA_ZARRAY(arena, type, count) ((type *)po_arena_zalloc((arena), sizeof(type) * (size_t)(count)))

/* ---- numbers: the same bits everywhere, at most 1 ulp off ------------------------------------------------------------ */

#define PO_PI 3.14159265358979323846
#if defined(__GNUC__)
#define PO_INF ((double)__builtin_inf())
#define PO_NAN ((double)__builtin_nan(""))
#else
#define PO_INF ((double)INFINITY)
#define PO_NAN ((double)NAN)
#endif
#define PO_EPS 2.2204460492503131e-16
#define PO_RAD(degrees) ((degrees) * (PO_PI / 180.0))
#define PO_DEG(radians) ((radians) * (180.0 / PO_PI))

double po_sin(double x);
double po_cos(double x);
void po_sincos(double *sine, double *cosine, double x);
void po_sincos_n(double *sine, double *cosine, const double *x, int n); /* AVX2 when there is; same bits as po_sincos */
double po_tan(double x);
double po_atan2(double y, double x);
double po_asin(double x);
double po_acos(double x);
double po_exp(double x);
double po_log(double x);
double po_pow(double x, double y);
static inline int po_isfinite(double x) { return x - x == 0.0; }
int po_all_finite(const double *x, int n);
/* PO_ERR_UNSUPPORTED when this thread rounds otherwise than to nearest: results would have other bits. Making a world asks; whoever changes the mode
 * later changes the bits from there on. */
po_status po_check_arithmetic(void);
static inline double po_min(double a, double b) { return a < b ? a : b; }
static inline double po_max(double a, double b) { return a > b ? a : b; }
static inline double po_clamp(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
static inline double po_abs(double x) { return fabs(x); }
double po_wrap(double angle); /* the same direction between −π and π, whatever the number of turns */

/* ---- randomness: a counter-based generator; equal (seed, stream) give equal numbers ----------------------------------- */

typedef struct po_rng {
  uint64_t key, counter;
} po_rng;
void po_rng_init(po_rng *rng, uint64_t seed, uint64_t stream);
uint64_t po_rng_u64(po_rng *rng);
double po_rng_uniform(po_rng *rng);                       /* [0, 1) */
double po_rng_range(po_rng *rng, double lo, double hi);   /* [lo, hi) */
double po_rng_normal(po_rng *rng);                        /* mean 0, deviation 1 */
int po_rng_below(po_rng *rng, int n);                     /* 0 … n−1, unbiased */

/* ---- hash: 64 bits, little-endian by definition ----------------------------------------------------------------------- */

uint64_t po_hash(const void *bytes, size_t count, uint64_t seed);
uint64_t po_hash_doubles(const double *x, size_t count, uint64_t seed); /* of the bits, so −0 and 0 differ */

/* ---- streams: the one way to save and restore -------------------------------------------------------------------------- */

/* One function per kind of object, `void po_X_stream(po_X *x, po_stream *s)`, names its members in order; the mode decides whether they
 * are counted, written or read, so that what is saved and what is restored cannot part ways. A stream is flat bytes behind a head: magic, kind,
 * version, what it belongs to (a model's hash), size and a hash of the rest. The head is checked whole before anything is read: a stream that is cut,
 * damaged or of something else is refused and changes nothing. Bytes are in the order of the machine that wrote them; another order
 * is refused by the magic. Nothing allocates. */
typedef enum po_stream_mode { PO_STREAM_MEASURE, PO_STREAM_WRITE, PO_STREAM_READ } po_stream_mode;
typedef struct po_stream {
  po_stream_mode mode;
  unsigned char *mem;
  size_t size, at;    /* of what is behind the head */
  po_status status;   /* sticky: PO_ERR_SIZE when it did not fit, or what a stream function set */
} po_stream;

/* Each counts, writes or reads what x points to. */
void po_stream_bytes(po_stream *stream, void *x, size_t bytes);
void po_stream_double(po_stream *stream, double *x);
void po_stream_doubles(po_stream *stream, double *x, int n);
void po_stream_int(po_stream *stream, int *x);
void po_stream_ints(po_stream *stream, int *x, int n);
void po_stream_long(po_stream *stream, long *x);
void po_stream_word(po_stream *stream, uint64_t *x);
/* For parts of varying length: how many of at most `most` there are. Counting takes all of them, so that the size is an upper bound known beforehand;
 * reading more than `most` sets PO_ERR_SIZE and gives 0. Returns how many to go through. */
int po_stream_count(po_stream *stream, int *count, int most);

typedef void (*po_stream_fn)(void *object, po_stream *stream); /* while writing and counting it must leave the object as it is */
typedef struct po_stream_kind {
  const char *tag;    /* "walk": at most 23 characters */
  int version;        /* of the layout: counted up when a member comes or goes */
  uint64_t belongs;   /* what it can be restored into: a model's hash and whatever else decides the layout; 0: anything of that tag */
} po_stream_kind;
/* Upper bound of what a save takes. */
size_t po_stream_save_bytes(const po_stream_kind *kind, po_stream_fn fn, const void *object);
/* PO_ERR_MEMORY when `bytes` are too few. */
po_status po_stream_save(void *state, size_t bytes, const po_stream_kind *kind, po_stream_fn fn, const void *object);
/* PO_ERR_SIZE: cut, or longer than the object can be; PO_ERR_PARSE: no stream, or damaged; PO_ERR_NAME: of another kind;
 * PO_ERR_UNSUPPORTED: of another version; PO_ERR_MODEL: of another body. The object is then untouched. */
po_status po_stream_restore(void *object, const po_stream_kind *kind, po_stream_fn fn, const void *state, size_t bytes);

/* ---- SIMD choice ------------------------------------------------------------------------------------------------------ */

typedef enum po_simd { PO_SIMD_AUTO, PO_SIMD_SCALAR, PO_SIMD_AVX2 } po_simd;
/* Process-wide; set before threads start. Asking for what the CPU lacks returns PO_ERR_UNSUPPORTED and changes nothing. */
po_status po_set_simd(po_simd choice);
po_simd po_get_simd(void); /* what is in force: PO_SIMD_SCALAR or PO_SIMD_AVX2 */
const char *po_simd_string(po_simd choice); /* "auto" "scalar" "avx2" */

/* ---- time (reports only: no algorithm reads it) ------------------------------------------------------------------------ */

typedef double (*po_clock_fn)(void); /* seconds since any fixed moment */

/* ---- text ------------------------------------------------------------------------------------------------------------- */

/* Reads a decimal number, correctly rounded: [+-]digits[.digits][e[+-]digits], inf, nan. *end (may be NULL) is the first character
 * not read. Fails with PO_ERR_PARSE when there is no number; overflow gives ±inf, underflow 0 or a subnormal. Ignores the locale. */
po_status po_parse_double(double *value, const char **end, const char *text, const char *text_end);
po_status po_parse_int(int *value, const char **end, const char *text, const char *text_end);
/* Shortest decimal that reads back to the same bits ("1e-05", "0.1", "inf", "nan"); returns its length. */
int po_print_double(char out[32], double value);

typedef struct po_buffer { /* text that grows; zero-initialize; always NUL-terminated once written to */
  char *data;
  size_t size, capacity;
  int failed; /* out of memory; sticky */
} po_buffer;
void po_buffer_add(po_buffer *buffer, const char *text, size_t n);
void po_buffer_puts(po_buffer *buffer, const char *text);
void po_buffer_printf(po_buffer *buffer, const char *format, ...) PO_PRINTF(2, 3); /* as po_format, any length */
void po_buffer_printfv(po_buffer *buffer, const char *format, va_list arguments) PO_PRINTF(2, 0);
void po_buffer_double(po_buffer *buffer, double value);
void po_buffer_markup(po_buffer *buffer, const char *text); /* as text within HTML or SVG, attributes included */
void po_buffer_free(po_buffer *buffer);

/* Reads a whole file (binary) of at most max_bytes (0: 256 MiB) into a NUL-terminated block to be freed with po_free. */
po_status po_read_file(char **data, size_t *size, const char *path, size_t max_bytes, po_error *err);
po_status po_write_file(const char *path, const char *data, size_t size, po_error *err);

/* Edit distance for "did you mean"; returns the nearest of count names, or NULL when none is near. */
const char *po_nearest(const char *word, const char *const *names, int count);

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

typedef enum po_json_type { PO_JSON_NULL, PO_JSON_FALSE, PO_JSON_TRUE, PO_JSON_NUMBER, PO_JSON_STRING, PO_JSON_ARRAY, PO_JSON_OBJECT } po_json_type;
typedef struct po_json {
  po_json_type type;
  int line, column;
  double number;
  const char *string;          /* UTF-8, NUL-terminated, unescaped */
  size_t length;               /* of string, in bytes; or number of children */
  const char *key;             /* name within the parent object, or NULL */
  struct po_json *first, *next; /* children; sibling */
} po_json;

/* Parses one document; the root is freed with po_json_free. Depth ≤ 256. Errors carry line and column. `file` is for messages. */
po_status po_json_parse(po_json **root, const char *text, size_t size, const char *file, po_error *err);
void po_json_free(po_json *root);
const po_json *po_json_get(const po_json *object, const char *key); /* NULL when absent, or not an object */
const po_json *po_json_at(const po_json *array, int index);
double po_json_number(const po_json *value, double fallback);
const char *po_json_string(const po_json *value, const char *fallback);
/* Copies an array of exactly n numbers; PO_ERR_SIZE or PO_ERR_PARSE otherwise. */
po_status po_json_doubles(double *out, int n, const po_json *array);

/* Writer: calls nest, commas and indentation are its business. Non-finite numbers are written as null. */
typedef struct po_jw {
  po_buffer *out;
  int depth, pretty;     /* pretty: newlines and two blanks a level */
  unsigned char count[64]; /* per level: 0 empty, 1 has members */
  unsigned char inline_level[64];
} po_jw;
void po_jw_init(po_jw *w, po_buffer *out, int pretty);
void po_jw_object(po_jw *w, const char *key); /* key NULL at the root and inside arrays */
void po_jw_array(po_jw *w, const char *key);  /* arrays are written on one line */
void po_jw_end(po_jw *w);
void po_jw_number(po_jw *w, const char *key, double value);
void po_jw_int(po_jw *w, const char *key, long long value);
void po_jw_bool(po_jw *w, const char *key, int value);
void po_jw_null(po_jw *w, const char *key);
void po_jw_string(po_jw *w, const char *key, const char *value);
void po_jw_doubles(po_jw *w, const char *key, const double *x, int n);
void po_jw_hex(po_jw *w, const char *key, uint64_t value); /* "0123456789abcdef" */

/* ---- XML -------------------------------------------------------------------------------------------------------------- */

typedef struct po_xml_attribute {
  const char *name, *value;
  struct po_xml_attribute *next;
} po_xml_attribute;
typedef struct po_xml {
  const char *name;
  const char *text; /* character data directly inside, joined; "" when none */
  int line;
  po_xml_attribute *attributes;
  struct po_xml *first, *next, *parent;
} po_xml;

/* Parses one UTF-8 document (comments, CDATA, the five entities and character references; DOCTYPE is skipped and defines nothing).
 * Depth ≤ 512. The root is freed with po_xml_free. */
po_status po_xml_parse(po_xml **root, const char *text, size_t size, const char *file, po_error *err);
void po_xml_free(po_xml *root);
const char *po_xml_attr(const po_xml *node, const char *name);         /* NULL when absent */
const po_xml *po_xml_child(const po_xml *node, const char *name);      /* first child of that name; name NULL: any */
const po_xml *po_xml_next(const po_xml *node, const char *name);       /* next sibling of that name; name NULL: any */

#ifdef __cplusplus
}
#endif
#endif
