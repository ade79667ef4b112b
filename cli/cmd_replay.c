/* cmd_replay.c: `poise replay TRACE…`: recordings as a page, or one of them as a filmstrip, a table, a moving picture. */
#include "../view/view.h"
#include "cli.h"
#include <errno.h>
#include <string.h>
#ifdef _WIN32
#include <direct.h>
#define REPLAY_MAKE_FOLDER(path) _mkdir(path)
#else
#include <sys/stat.h>
#define REPLAY_MAKE_FOLDER(path) mkdir(path, 0777)
#endif

#define REPLAY_MAX 12 /* more do not fit beside each other */

static const po_option replay_options[] = {
  {"html", "FILE", "a page with all runs side by side; - for standard output"},
  {"svg", "FILE", "a filmstrip of the one run"},
  {"csv", "FILE", "its signals, one row per frame"},
  {"gif", "FILE", "a moving picture of it"},
  {"png", "FOLDER", "its frames as pictures, FOLDER/0000.png and on"},
  {"size", "WxH", "of the moving picture in px (480x300)"},
  {"fps", "F", "its frames a second (25)"},
  {"speed", "S", "of what is shown against what happened (1); 0.25 is slow motion"},
  {"angle", "DEG", "where the eye is, counted from where the figure looks: -90 its right side, 0 ahead of it (-60)"},
  {"fixed", NULL, "the eye stands still and sees the whole way"},
  {"frames", "N", "figures in the filmstrip (8)"},
  {"from", "T", "first moment of filmstrip and moving picture, seconds (0)"},
  {"to", "T", "their last moment, seconds (the end)"},
  {"even", NULL, "figures at equal times, not more of them where more happens"},
  {"front", NULL, "seen from the front, not from the side"},
  {"overlap", "S", "share of its width by which a figure stands in the next one's place, 0 to 0.95 (0)"},
  {"height", "PX", "of the filmstrip (220)"},
  {NULL, NULL, NULL}};

static int replay_read(po_trace **trace, const char *path) {
  po_error err;
  char *text;
  size_t size;
  po_status s = po_read_file(&text, &size, path, 0, &err);
  if (s != PO_OK) return po_cli_error(&err);
  s = po_trace_read(trace, text, size, path, &err);
  po_free(text);
  return s == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
}

static int replay_write(const char *path, po_buffer *out) {
  int code = po_cli_write(path, out);
  po_buffer_free(out);
  return code;
}

/* "480x300": two whole numbers. */
static int replay_size(po_video_opts *o, const po_args *a) {
  const char *text = po_args_string(a, "size", NULL), *end = text;
  if (!text) return PO_EXIT_GOOD;
  if (po_parse_int(&o->width, &end, text, NULL) == PO_OK && *end == 'x' && po_parse_int(&o->height, &end, end + 1, NULL) == PO_OK && !*end && o->width >= 16 &&
      o->width <= 4096 && o->height >= 16 && o->height <= 4096)
    return PO_EXIT_GOOD;
  return po_cli_fail("replay: --size %s: WIDTHxHEIGHT in px, 16 to 4096 each, as 480x300", text);
}

/* The frames of the film one by one: for whoever makes a film of another kind of them. */
static int replay_frames(const char *folder, const po_trace *t, const po_video_opts *o) {
  po_buffer name = {0}, out = {0};
  po_error err;
  double start = o->from, end = o->to < o->from ? po_trace_seconds(t) : po_min(o->to, po_trace_seconds(t));
  int i, code = PO_EXIT_GOOD;
  if (REPLAY_MAKE_FOLDER(folder) && errno != EEXIST) return po_cli_fail("replay: --png %s: the folder could not be made", folder);
  for (i = 0; !code && (i == 0 || start + i * o->speed / o->fps <= end); i++) {
    if (po_trace_png(&out, t, start + i * o->speed / o->fps, o, &err) != PO_OK) code = po_cli_error(&err);
    name.size = 0;
    po_buffer_printf(&name, "%s/%04d.png", folder, i);
    if (!code) code = replay_write(name.data, &out);
  }
  po_buffer_free(&name);
  po_buffer_free(&out);
  return code;
}

static int replay_film(const po_args *a, const po_trace *t, const po_video_opts *o) {
  const char *gif = po_args_string(a, "gif", NULL), *png = po_args_string(a, "png", NULL);
  po_buffer out = {0};
  po_error err;
  if (gif) {
    int code = po_trace_gif(&out, t, o, &err) == PO_OK ? replay_write(gif, &out) : po_cli_error(&err);
    if (code) return code;
  }
  return png ? replay_frames(png, t, o) : PO_EXIT_GOOD;
}

static int replay_outputs(po_args *a, po_trace *const *traces, const po_filmstrip_opts *strip) {
  const char *html = po_args_string(a, "html", NULL), *svg = po_args_string(a, "svg", NULL), *csv = po_args_string(a, "csv", NULL);
  po_buffer out = {0};
  int code = PO_EXIT_GOOD;
  if (html) {
    po_trace_html(&out, (const po_trace *const *)traces, a->count);
    code = replay_write(html, &out);
  }
  if (svg && !code) {
    po_trace_svg(&out, traces[0], strip);
    code = replay_write(svg, &out);
  }
  if (csv && !code) {
    po_trace_csv(&out, traces[0]);
    code = replay_write(csv, &out);
  }
  return code;
}

/* One file for two outputs would hold the later one only; a filmstrip of a time that is not there shows nothing. */
static int replay_check(const po_args *a, po_trace *const *traces, const po_filmstrip_opts *strip) {
  static const char *const outputs[] = {"html", "svg", "csv", "gif", "png"};
  double end = po_trace_seconds(traces[0]);
  int i, k;
  for (i = 0; i < 5; i++)
    for (k = 0; k < i; k++) {
      const char *x = po_args_string(a, outputs[i], NULL), *y = po_args_string(a, outputs[k], NULL);
      if (x && y && !strcmp(x, y)) return po_cli_fail("replay: --%s and --%s would both be written to %s", outputs[k], outputs[i], x);
    }
  if (po_args_has(a, "from") && strip->from > end) return po_cli_fail("replay: --from %g: the recording ends at %.3f s", strip->from, end);
  if (po_args_has(a, "to") && strip->to < strip->from) return po_cli_fail("replay: --to %g is before --from %g", strip->to, strip->from);
  return PO_EXIT_GOOD;
}

static int replay_run(po_args *a) {
  po_trace *traces[REPLAY_MAX] = {NULL};
  po_filmstrip_opts strip = po_filmstrip_opts_default();
  po_video_opts film = po_video_opts_default();
  int i, code = PO_EXIT_GOOD;
  strip.frames = po_args_int(a, "frames", strip.frames, 1, 64);
  strip.even = po_args_has(a, "even");
  strip.front = po_args_has(a, "front");
  strip.from = po_args_double(a, "from", strip.from, 0, 1e6);
  strip.to = po_args_double(a, "to", strip.to, 0, 1e6);
  strip.overlap = po_args_double(a, "overlap", strip.overlap, 0, 0.95);
  strip.height = po_args_double(a, "height", strip.height, 80, 4000);
  film.from = strip.from;
  film.to = strip.to;
  film.fps = po_args_double(a, "fps", film.fps, 1, 50);
  film.speed = po_args_double(a, "speed", film.speed, 0.001, 1000);
  film.azimuth_deg = po_args_double(a, "angle", film.azimuth_deg, -360, 360);
  film.follow = !po_args_has(a, "fixed");
  if (a->failed || replay_size(&film, a)) return PO_EXIT_USAGE;
  if (!po_args_has(a, "html") && !po_args_has(a, "svg") && !po_args_has(a, "csv") && !po_args_has(a, "gif") && !po_args_has(a, "png"))
    return po_cli_fail("replay: say where to: --html FILE, --svg FILE, --csv FILE, --gif FILE or --png FOLDER");
  if (a->count > REPLAY_MAX) return po_cli_fail("replay: at most %d runs beside each other", REPLAY_MAX);
  if (a->count > 1 && (po_args_has(a, "svg") || po_args_has(a, "csv") || po_args_has(a, "gif") || po_args_has(a, "png")))
    return po_cli_fail("replay: --svg, --csv, --gif and --png take one recording");
  for (i = 0; i < a->count && !code; i++) code = replay_read(&traces[i], a->arg[i]);
  if (!code) code = replay_check(a, traces, &strip);
  if (!code) code = replay_outputs(a, traces, &strip);
  if (!code) code = replay_film(a, traces[0], &film);
  for (i = 0; i < a->count && i < REPLAY_MAX; i++) po_trace_free(traces[i]);
  return code;
}

const po_command po_cmd_replay = {
  "replay", "TRACE... [options]", "recordings as a page, side by side, as a filmstrip, as a moving picture",
  "Recordings come from `poise run ... --trace FILE`.\n"
  "  poise replay a.trace b.trace --html compare.html\n"
  "  poise replay jump.trace --svg jump.svg --from 0.4 --to 1.6 --overlap 0.2\n"
  "  poise replay jump.trace --gif jump.gif --speed 0.5 --size 640x400\n",
  replay_options, 1, -1, replay_run};
