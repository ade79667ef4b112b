/* cmd_motion.c: `poise motion FILE.bvh|FILE.motion|NAME`: reads a motion, lays it on a body, tells its figures, writes and shows it. */
#include "../view/view.h"
#include "cli.h"
#include <string.h>

#define MOTION_SEGMENTS 4096
#define MOTION_SHOW_HZ 60

static const po_option motion_options[] = {
    {"model", "NAME|FILE.urdf|FILE.xml", "the body (default: the one a .motion file names, else human)"},
    {"scale", "S", "metres per unit of a .bvh file (default: so that the legs are as long as the body's)"},
    {"drop", "N", "frames of a .bvh file to leave out at the beginning, such as a T-pose (default: 1 where the motion jumps from the first frame)"},
    {"hz", "F", "frames a second of the result (default: as in the file; 120 for the built-in motions)"},
    {"mirror", NULL, "left becomes right"},
    {"out", "FILE.motion", "write the motion on that body; it reads back to the same bits"},
    {"html", "FILE", "a page that shows it; - for standard output"},
    {"svg", "FILE", "a filmstrip of it"},
    {"json", "FILE", "the figures; - for standard output (default -)"},
    {NULL, NULL, NULL}};

typedef struct motion_job {
  const po_model *model;
  po_motion *motion;
  po_bvh *bvh; /* NULL: it was no .bvh file */
  po_retarget_report report;
  po_motion_figures figures;
  po_segment segment[MOTION_SEGMENTS];
  int segments;
} motion_job;

static int motion_ends_with(const char *name, const char *end) {
  size_t n = strlen(name), k = strlen(end);
  return n > k && !strcmp(name + n - k, end);
}

/* The body, and for files their text. */
static int motion_model(motion_job *job, const po_args *args, const char *text, size_t size) {
  const char *name = po_args_string(args, "model", NULL);
  char own[64] = "human";
  po_error err;
  if (!name && motion_ends_with(args->arg[0], ".motion") && po_motion_body(own, text, size, args->arg[0], &err) != PO_OK)
    return po_cli_error(&err);
  return po_model_load(&job->model, name ? name : own, NULL, &err) == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
}

static po_status motion_from_text(motion_job *job, po_args *args, const char *text, size_t size, po_error *err) {
  const char *path = args->arg[0];
  po_retarget_opts o = po_retarget_opts_default();
  po_status s;
  o.scale = po_args_double(args, "scale", 0, 1e-9, 1e9);
  if (po_args_has(args, "drop")) o.drop = po_args_int(args, "drop", 0, 0, 1000000000);
  if (motion_ends_with(path, ".motion")) return po_motion_read(&job->motion, job->model, text, size, path, err);
  s = po_bvh_read(&job->bvh, text, size, path, err);
  return s == PO_OK ? po_retarget(&job->motion, &job->report, job->model, job->bvh, &o, path, err) : s;
}

static int motion_read(motion_job *job, po_args *args) {
  const char *path = args->arg[0];
  int is_file = motion_ends_with(path, ".bvh") || motion_ends_with(path, ".motion"), code;
  char *text = NULL;
  size_t size = 0;
  po_error err;
  po_status s;
  if (!is_file) {
    if ((code = motion_model(job, args, NULL, 0)) != PO_EXIT_GOOD) return code;
    s = po_motion_load(&job->motion, NULL, job->model, path, po_args_double(args, "hz", 120, 10, 10000), NULL, &err);
    return s == PO_OK ? PO_EXIT_GOOD : po_cli_error(&err);
  }
  if (po_read_file(&text, &size, path, 0, &err) != PO_OK) return po_cli_error(&err);
  code = motion_model(job, args, text, size);
  if (code == PO_EXIT_GOOD && motion_from_text(job, args, text, size, &err) != PO_OK) code = po_cli_error(&err);
  po_free(text);
  return code;
}

/* --hz and --mirror. */
static int motion_change(motion_job *job, po_args *args) {
  double hz = po_args_double(args, "hz", 0, 1, 10000);
  po_motion *changed;
  po_status s = PO_OK;
  if (args->failed) return PO_EXIT_USAGE;
  if (hz > 0 && hz != job->motion->hz) {
    s = po_motion_resample(&changed, job->motion, hz);
    if (s == PO_OK) po_motion_free(job->motion), job->motion = changed;
  }
  if (s == PO_OK && po_args_has(args, "mirror")) {
    s = po_motion_mirror(&changed, job->motion);
    if (s == PO_OK) po_motion_free(job->motion), job->motion = changed;
  }
  return s == PO_OK
             ? PO_EXIT_GOOD
             : po_cli_fail("motion: %s cannot be changed so on '%s': %s", args->arg[0], job->model->name, po_status_string(s));
}

static void motion_write_segments(po_jw *w, const motion_job *job) {
  const po_corners *c = &job->motion->corners;
  int i, f;
  po_jw_array(w, "segments");
  for (i = 0; i < job->segments; i++) {
    const po_segment *g = &job->segment[i];
    char support[PO_CORNER_FEET * 9] = "";
    size_t n = 0;
    for (f = 0; f < c->feet; f++)
      if (g->feet >> f & 1u) n += (size_t)po_format(support + n, sizeof support - n, "%s%s", n ? "+" : "", c->name[f]);
    po_jw_object(w, NULL);
    po_jw_int(w, "from", g->from);
    po_jw_int(w, "to", g->to);
    po_jw_string(w, "support", n ? support : "none");
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void motion_report(po_buffer *out, const motion_job *job, const char *file) {
  const po_motion *m = job->motion;
  po_jw w;
  int i;
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_string(&w, "file", file);
  po_jw_string(&w, "model", job->model->name);
  po_jw_int(&w, "frames", m->frames);
  po_jw_number(&w, "hz", m->hz);
  po_jw_number(&w, "seconds", po_motion_seconds(m));
  po_jw_bool(&w, "cyclic", m->cyclic);
  po_jw_int(&w, "joints", job->bvh ? job->report.joints : job->model->nb);
  po_jw_int(&w, "unmapped", job->bvh ? job->report.joints - job->report.mapped : 0);
  po_jw_array(&w, "unmapped_names");
  for (i = 0; i < job->report.unmapped_count; i++) po_jw_string(&w, NULL, job->report.unmapped[i]);
  po_jw_end(&w);
  if (job->bvh) po_jw_number(&w, "scale", job->report.scale);
  po_jw_number(&w, "retarget_error_max", job->report.error_max);
  po_jw_number(&w, "floor_slope_deg", PO_DEG(job->report.slope));
  po_jw_number(&w, "com_speed_mean", job->figures.com_speed_mean);
  po_jw_number(&w, "am_peak", job->figures.am_peak);
  po_jw_number(&w, "slide_max", job->figures.slide_max);
  po_jw_number(&w, "limit_excess", job->figures.limit_excess);
  po_jw_number(&w, "support_share", job->figures.support_share);
  motion_write_segments(&w, job);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}

static int motion_show(const motion_job *job, const po_args *args) {
  const char *html = po_args_string(args, "html", NULL), *svg = po_args_string(args, "svg", NULL);
  char title[300];
  po_buffer out = {0};
  po_trace *t;
  po_error err;
  int code = PO_EXIT_GOOD;
  if (!html && !svg) return PO_EXIT_GOOD;
  po_format(title, sizeof title, "poise motion %s --model %s", args->arg[0], job->model->name);
  if (po_motion_trace(&t, job->motion, job->motion->cyclic ? 4 * po_motion_seconds(job->motion) : 0, MOTION_SHOW_HZ, title, &err) !=
      PO_OK)
    return po_cli_error(&err);
  if (html) {
    po_trace_html(&out, (const po_trace *const *)&t, 1);
    code = po_cli_write(html, &out);
    po_buffer_free(&out);
  }
  if (svg && !code) {
    po_trace_svg(&out, t, NULL);
    code = po_cli_write(svg, &out);
    po_buffer_free(&out);
  }
  po_trace_free(t);
  return code;
}

static int motion_outputs(const motion_job *job, const po_args *args) {
  const char *path = po_args_string(args, "out", NULL), *html = po_args_string(args, "html", NULL);
  po_buffer out = {0};
  int code = PO_EXIT_GOOD;
  if (path) {
    po_motion_write(&out, job->motion);
    code = po_cli_write(path, &out);
    po_buffer_free(&out);
  }
  if (!code) code = motion_show(job, args);
  if (code || (html && !strcmp(html, "-")) || (path && !strcmp(path, "-"))) return code; /* standard output holds one thing */
  motion_report(&out, job, args->arg[0]);
  code = po_cli_write(po_args_string(args, "json", "-"), &out);
  po_buffer_free(&out);
  return code;
}

static int motion_run(po_args *args) {
  static motion_job job;
  po_error err;
  po_status segments;
  int code;
  memset(&job, 0, sizeof job);
  po_args_double(args, "scale", 0, 1e-9, 1e9);
  po_args_int(args, "drop", 0, 0, 1000000000);
  po_args_double(args, "hz", 0, 1, 10000);
  if (args->failed) return PO_EXIT_USAGE;
  code = motion_read(&job, args);
  if (!code) code = motion_change(&job, args);
  if (!code && po_motion_measure(&job.figures, job.motion) != PO_OK) code = po_cli_fail("motion: out of memory");
  if (!code) {
    segments = po_motion_segments(job.segment, &job.segments, MOTION_SEGMENTS, job.motion, &err);
    if (segments != PO_OK) job.segments = 0;
    code = motion_outputs(&job, args);
    if (!code && segments != PO_OK) {
      po_cli_fail("%s: %s", args->arg[0], err.message);
      code = PO_EXIT_FAILED;
    }
  }
  po_motion_free(job.motion);
  po_bvh_free(job.bvh);
  po_model_free(job.model);
  return code;
}

const po_command po_cmd_motion = {"motion",
                                  "FILE.bvh|FILE.motion|NAME [options]",
                                  "read a captured or recorded motion, lay it on a body, tell its figures",
                                  "Prints one JSON object: frames, hz, seconds, joints (of the file), unmapped (joints that drive "
                                  "nothing), retarget_error_max (rad, largest angle between\n"
                                  "a bone of the file and the body's), floor_slope_deg (taken out), com_speed_mean (m/s), am_peak "
                                  "(largest angular momentum, kg m2/s), slide_max (m, of\n"
                                  "planted soles), segments (frames from, to and the feet that stand at their middle). Exit code 1 "
                                  "when it has no segments that could be tracked.\n"
                                  "NAME is one of the built-in motions walk, long-step and squat.\n"
                                  "  poise motion walk.bvh --drop 1 --out walk.motion --html walk.html\n"
                                  "  poise motion walk.motion\n"
                                  "  poise motion squat --model giant --svg squat.svg\n",
                                  motion_options,
                                  1,
                                  1,
                                  motion_run};
