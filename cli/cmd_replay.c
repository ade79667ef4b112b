/* cmd_replay.c: `poise replay TRACE…`: recordings as a page, or one of them as a filmstrip. */
#include "../view/view.h"
#include "cli.h"
#include <string.h>

#define REPLAY_MAX 12 /* more do not fit beside each other */

static const po_option replay_options[] = {
  {"html", "FILE", "a page with all runs side by side; - for standard output"},
  {"svg", "FILE", "a filmstrip of the one run"},
  {"csv", "FILE", "its signals, one row per frame"},
  {"frames", "N", "figures in the filmstrip (8)"},
  {"from", "T", "first moment of the filmstrip, seconds (0)"},
  {"to", "T", "last moment of the filmstrip, seconds (the end)"},
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
  static const char *const outputs[] = {"html", "svg", "csv"};
  double end = po_trace_seconds(traces[0]);
  int i, k;
  for (i = 0; i < 3; i++)
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
  int i, code = PO_EXIT_GOOD;
  strip.frames = po_args_int(a, "frames", strip.frames, 1, 64);
  strip.even = po_args_has(a, "even");
  strip.front = po_args_has(a, "front");
  strip.from = po_args_double(a, "from", strip.from, 0, 1e6);
  strip.to = po_args_double(a, "to", strip.to, 0, 1e6);
  strip.overlap = po_args_double(a, "overlap", strip.overlap, 0, 0.95);
  strip.height = po_args_double(a, "height", strip.height, 80, 4000);
  if (a->failed) return PO_EXIT_USAGE;
  if (!po_args_has(a, "html") && !po_args_has(a, "svg") && !po_args_has(a, "csv")) return po_cli_fail("replay: say where to: --html FILE, --svg FILE or --csv FILE");
  if (a->count > REPLAY_MAX) return po_cli_fail("replay: at most %d runs beside each other", REPLAY_MAX);
  if (a->count > 1 && (po_args_has(a, "svg") || po_args_has(a, "csv"))) return po_cli_fail("replay: --svg and --csv take one recording");
  for (i = 0; i < a->count && !code; i++) code = replay_read(&traces[i], a->arg[i]);
  if (!code) code = replay_check(a, traces, &strip);
  if (!code) code = replay_outputs(a, traces, &strip);
  for (i = 0; i < a->count && i < REPLAY_MAX; i++) po_trace_free(traces[i]);
  return code;
}

const po_command po_cmd_replay = {
  "replay", "TRACE... [options]", "recordings as a page, side by side, or as a filmstrip",
  "Recordings come from `poise run ... --trace FILE`.\n"
  "  poise replay a.trace b.trace --html compare.html\n"
  "  poise replay jump.trace --svg jump.svg --from 0.4 --to 1.6 --overlap 0.2\n",
  replay_options, 1, -1, replay_run};
