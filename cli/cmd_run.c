/* cmd_run.c: `poise run SCENARIO`: simulate, report, record. */
#include "../scenes/scenes.h"
#include "jobs.h"
#include "methods.h"
#include <signal.h>
#include <string.h>

static const po_option run_options[] = {
  {"seconds", "S", "how long to simulate (default: the scenario's own)"},
  {"dt", "H", "time step in seconds (0.001)"},
  {"control-hz", "F", "control ticks per second (1000)"},
  {"seed", "N", "0: no noise; otherwise uniform +-0.05 on every initial velocity"},
  {"model", "NAME|FILE.urdf|FILE.xml", "the body"},
  PO_OPTION_MODEL_FILE,
  PO_OPTION_MAP,
  {"set", "NAME=VALUE", "a parameter of the scenario; may be repeated"},
  {"settings", "FILE.json", "parameters by name, as `poise tune` writes them; --set goes over them"},
  {"at", "T,NAME=VALUE", "change a parameter while running; may be repeated"},
  {"push", "T,DURATION,FX,FY,FZ[,LINK]", "newtons, world axes, at the link's COM (thorax); may be repeated"},
  {"advance", "forward|optimizer", "by forward dynamics, or by the optimizer's own accelerations (default forward)"},
  PO_OPTION_METHODS,
  {"formulation", "full|reduced", "unknowns with or without the torques (default reduced)"},
  PO_OPTION_SIMD,
  {"csv", "FILE", "one row per recorded frame"},
  {"json", "FILE", "the report; - for standard output"},
  {"html", "FILE", "a page that replays the run, for any browser"},
  {"svg", "FILE", "a filmstrip; `poise replay` has more choices for one"},
  {"trace", "FILE", "the recording itself, for `poise replay`"},
  {"motion", "FILE.motion", "what the body did, at 125 frames a second: a reference for others (docs/motions.md)"},
  {"dump-hqp", "FILE", "every control problem, for `poise hqp` and `poise bench hqp` (70 KB a tick)"},
  {"dump-every", "N", "of the control problems only every Nth (1)"},
  PO_OPTION_JOBS,
  {NULL, NULL, NULL}};

static volatile sig_atomic_t run_interrupted;
static void run_on_interrupt(int signal_number) {
  (void)signal_number;
  run_interrupted = 1;
}

#define RUN_TRACE_HZ 60 /* frames of a recording */
#define RUN_MOTION_HZ 120 /* of a motion; steps of 1 ms allow 125 */
#define RUN_MAX_ITEMS 512
typedef struct run_lists {
  po_setting set[RUN_MAX_ITEMS];
  po_change at[RUN_MAX_ITEMS];
  po_push push[PO_SIM_PUSHES];
} run_lists;

/* Cuts "name=value" in place; NULL when there is no '='. */
static const char *run_cut(char *text) {
  char *eq = strchr(text, '=');
  if (!eq || eq == text) return NULL;
  *eq = 0;
  return eq + 1;
}

static char *run_copy(po_arena *texts, const char *text) {
  char *copy = po_arena_alloc(texts, strlen(text) + 1);
  if (copy) strcpy(copy, text);
  return copy;
}

static int run_add_set(po_run_opts *o, run_lists *l, po_arena *texts, const char *given) {
  char *copy = run_copy(texts, given);
  po_setting *s = &l->set[o->sets];
  if (!copy || o->sets >= RUN_MAX_ITEMS) return po_cli_fail("too many --set");
  if (!(s->value = run_cut(copy))) return po_cli_fail("--set %s must be NAME=VALUE", given);
  s->name = copy;
  o->sets++;
  return PO_EXIT_GOOD;
}

static int run_add_at(po_run_opts *o, run_lists *l, po_arena *texts, const char *given) {
  const char *rest = NULL;
  po_change *c = &l->at[o->ats];
  char *copy;
  if (o->ats >= RUN_MAX_ITEMS) return po_cli_fail("too many --at");
  if (!po_cli_numbers(&c->time, &rest, 1, given) || !rest) return po_cli_fail("--at %s must be T,NAME=VALUE", given);
  copy = run_copy(texts, rest);
  if (!copy) return po_cli_fail("too many --at");
  if (!(c->value = run_cut(copy))) return po_cli_fail("--at %s must be T,NAME=VALUE", given);
  c->name = copy;
  o->ats++;
  return PO_EXIT_GOOD;
}

static int run_add_push(po_run_opts *o, run_lists *l, const char *given) {
  const char *link = NULL;
  po_push *p = &l->push[o->pushes];
  double n[5];
  if (o->pushes >= PO_SIM_PUSHES) return po_cli_fail("at most %d pushes", PO_SIM_PUSHES);
  if (!po_cli_numbers(n, &link, 5, given)) return po_cli_fail("--push %s must be T,DURATION,FX,FY,FZ[,LINK]", given);
  p->time = n[0];
  p->duration = n[1];
  p->force = po_v3(n[2], n[3], n[4]);
  p->link = link;
  p->character = 0;
  o->pushes++;
  return PO_EXIT_GOOD;
}

/* Every number of the file by its name; what else it says of how they were found is left alone. */
static int run_add_settings(po_run_opts *o, run_lists *l, po_arena *texts, const char *path) {
  po_json *root = NULL;
  const po_json *x;
  char *text, number[32];
  size_t size;
  po_error err;
  po_status st;
  int code = PO_EXIT_GOOD;
  if (po_read_file(&text, &size, path, 1 << 24, &err) != PO_OK) return po_cli_error(&err);
  st = po_json_parse(&root, text, size, path, &err);
  po_free(text);
  if (st != PO_OK) return po_cli_error(&err);
  if (root->type != PO_JSON_OBJECT) code = po_cli_fail("%s: an object of parameters is needed", path);
  for (x = root->type == PO_JSON_OBJECT ? root->first : NULL; x && !code; x = x->next) {
    po_setting *s = &l->set[o->sets];
    if (x->type != PO_JSON_NUMBER) continue;
    if (o->sets >= RUN_MAX_ITEMS) code = po_cli_fail("%s: too many parameters", path);
    po_print_double(number, x->number);
    if (!code && (!(s->name = run_copy(texts, x->key)) || !(s->value = run_copy(texts, number)))) code = po_cli_fail("%s: too many parameters", path);
    o->sets += !code;
  }
  po_json_free(root);
  return code;
}

/* --set, --at and --push may be followed by several items: what stands after the scenario is told apart by its shape. */
static int run_read_lists(const po_args *a, po_run_opts *o, run_lists *l, po_arena *texts) {
  int i, code = PO_EXIT_GOOD;
  for (i = 0; i < po_args_count(a, "settings") && !code; i++) code = run_add_settings(o, l, texts, po_args_at(a, "settings", i));
  for (i = 0; i < po_args_count(a, "set") && !code; i++) code = run_add_set(o, l, texts, po_args_at(a, "set", i));
  for (i = 0; i < po_args_count(a, "at") && !code; i++) code = run_add_at(o, l, texts, po_args_at(a, "at", i));
  for (i = 0; i < po_args_count(a, "push") && !code; i++) code = run_add_push(o, l, po_args_at(a, "push", i));
  for (i = 1; i < a->count && !code; i++) {
    const char *comma = strchr(a->arg[i], ','), *eq = strchr(a->arg[i], '=');
    if (comma && eq && comma < eq) code = run_add_at(o, l, texts, a->arg[i]);
    else if (eq) code = run_add_set(o, l, texts, a->arg[i]);
    else if (comma) code = run_add_push(o, l, a->arg[i]);
    else code = po_cli_fail("unexpected argument '%s': parameters are NAME=VALUE", a->arg[i]);
  }
  o->set = l->set;
  o->at = l->at;
  o->push = l->push;
  return code;
}

static void run_read_methods(po_args *a, po_run_opts *o) {
  static const char *const formulation[] = {"reduced", "full"};
  static const char *const advance[] = {"forward", "optimizer"};
  po_args_methods(a, &o->wbc.hqp);
  o->wbc.formulation = (po_formulation)po_args_choice(a, "formulation", formulation, 2, (int)o->wbc.formulation);
  o->optimizer = po_args_choice(a, "advance", advance, 2, 0);
}

static void run_summary(const po_run *r) {
  po_buffer text = {0};
  char reason[sizeof r->reason];
  int i;
  memcpy(reason, r->reason, sizeof reason);
  po_cli_shown(reason); /* it may quote names of a model file */
  po_buffer_printf(&text, "%s: %s", r->scenario->name, po_outcome_string(r->outcome));
  if (reason[0]) po_buffer_printf(&text, " (%s)", reason);
  if (r->scenario->study) po_buffer_printf(&text, ", %.2f s simulated", r->sim_seconds);
  else
    po_buffer_printf(&text, ", %.2f s simulated in %.2f s, %.1f x real time", r->sim_seconds, r->wall_seconds,
                     r->wall_seconds > 0 ? r->sim_seconds / r->wall_seconds : 0.0);
  {
    po_buffer lines = {0};
    po_cli_wrap(&lines, text.data ? text.data : "", 0, 2);
    po_cli_puts(lines.data ? lines.data : "");
    po_buffer_free(&lines);
  }
  po_buffer_free(&text);
  for (i = 0; i < r->result_count; i++)
    if (!r->result[i].is_null) po_cli_print("  %-28s %.5g\n", r->result[i].name, r->result[i].value);
  if (r->map || r->reach) {
    if (r->map) po_push_map_text(&text, r->map);
    else po_reach_map_text(&text, r->reach);
    po_cli_puts(text.data ? text.data : "");
    po_buffer_free(&text);
  }
  po_cli_print("  %-28s %016llx\n", "state_hash", (unsigned long long)po_run_hash(r));
}

typedef void (*run_writer)(po_buffer *out, const po_run *run);
static int run_write(const po_args *a, const char *option, const po_run *r, run_writer writer) {
  const char *path = po_args_string(a, option, NULL);
  po_buffer out = {0};
  int code;
  if (!path) return PO_EXIT_GOOD;
  writer(&out, r);
  code = po_cli_write(path, &out);
  po_buffer_free(&out);
  return code;
}
static void run_write_csv(po_buffer *out, const po_run *r) {
  if (r->map) po_push_map_csv(out, r->map);
  else if (r->reach) po_reach_map_csv(out, r->reach);
  else po_trace_csv(out, po_run_trace(r));
}
static void run_write_trace(po_buffer *out, const po_run *r) { po_trace_write(out, po_run_trace(r)); }
static void run_write_html(po_buffer *out, const po_run *r) {
  const po_trace *trace = po_run_trace(r);
  if (r->map) po_push_map_html(out, r);
  else if (r->reach) po_reach_map_html(out, r->reach);
  else po_trace_html(out, &trace, 1);
}
static void run_write_svg(po_buffer *out, const po_run *r) {
  if (r->map) po_push_map_svg(out, r->map);
  else if (r->reach) po_reach_map_svg(out, r->reach);
  else po_trace_svg(out, po_run_trace(r), NULL);
}

static int run_outputs(const po_args *a, const po_run *r, po_buffer *dump) {
  const char *json = po_args_string(a, "json", NULL), *dump_path = po_args_string(a, "dump-hqp", NULL);
  int code = run_write(a, "json", r, po_run_report);
  if (!code) code = run_write(a, "csv", r, run_write_csv);
  if (!code) code = run_write(a, "trace", r, run_write_trace);
  if (!code) code = run_write(a, "html", r, run_write_html);
  if (!code) code = run_write(a, "svg", r, run_write_svg);
  if (!code && dump_path && dump) code = po_cli_write(dump_path, dump);
  if (!code && !(json && !strcmp(json, "-"))) run_summary(r);
  return code ? code : r->outcome == PO_SUCCESS ? PO_EXIT_GOOD : PO_EXIT_FAILED;
}

/* ---- one simulation ---- */

static int run_write_motion(const po_args *a, po_motion *motion, po_run *r) {
  po_buffer out = {0};
  int code;
  if (!motion) return PO_EXIT_GOOD;
  po_run_motion_step(motion, r);
  po_run_motion_finish(motion);
  po_motion_write(&out, motion);
  code = po_cli_write(po_args_string(a, "motion", "-"), &out);
  po_buffer_free(&out);
  return code;
}

static int run_steps(po_args *a, po_run *r, int every) {
  po_buffer dump = {0};
  po_progress progress;
  po_motion *motion = NULL;
  po_error err;
  int code;
  if ((po_args_has(a, "csv") || po_args_has(a, "trace") || po_args_has(a, "html") || po_args_has(a, "svg")) && po_run_record(r, RUN_TRACE_HZ, &err) != PO_OK)
    return po_cli_error(&err);
  if (po_args_has(a, "motion") && po_run_motion_new(&motion, r, RUN_MOTION_HZ, &err) != PO_OK) return po_cli_error(&err);
  if (po_args_has(a, "dump-hqp")) po_hqp_write_header(&dump);
  po_progress_begin(&progress, r->scenario->name, r->opts.seconds);
  do {
    r->opts.dump = po_args_has(a, "dump-hqp") && r->sim->ticks % every == 0 ? &dump : NULL;
    po_progress_update(&progress, r->time);
    if (motion) po_run_motion_step(motion, r);
  } while (!run_interrupted && po_run_step(r));
  po_progress_end(&progress);
  po_run_finish(r);
  code = run_write_motion(a, motion, r);
  if (!code) code = run_outputs(a, r, &dump);
  po_buffer_free(&dump);
  po_motion_free(motion);
  return code;
}

/* ---- a study: units of work, spread over processes or shards ---- */

typedef struct run_study { po_run *run; po_progress progress; } run_study;

static po_status run_study_prepare(void *user, po_error *err) {
  po_run *r = ((run_study *)user)->run;
  return r->scenario->study->prepare ? r->scenario->study->prepare(r, err) : PO_OK;
}
static po_status run_study_unit(void *user, po_buffer *out, int index, po_error *err) {
  po_run *r = ((run_study *)user)->run;
  return r->scenario->study->unit(r, out, index, err);
}
static po_status run_study_join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  po_run *r = ((run_study *)user)->run;
  return r->scenario->study->join(r, index, bytes, size, err);
}
static void run_study_progress(void *user, int done, int all) { po_progress_count(&((run_study *)user)->progress, done, all, "searches"); }
static int run_study_stop(void) { return run_interrupted; }

static int run_units(po_args *a, po_run *r) {
  static const char *const whole[] = {"csv", "html", "svg"}, *const single[] = {"trace", "motion", "dump-hqp"};
  run_study study;
  po_work work;
  po_jobs jobs;
  int i, code;
  if (!po_jobs_read(&jobs, a, "json")) return PO_EXIT_USAGE;
  for (i = 0; i < 3; i++)
    if (po_args_has(a, single[i])) return po_cli_fail("--%s: %s makes hundreds of short runs, not one recording; --html shows some", single[i], r->scenario->name);
  for (i = 0; i < 3; i++)
    if (jobs.shards && po_args_has(a, whole[i])) return po_cli_fail("--%s shows the whole, --shard makes a part of it: `poise merge` first", whole[i]);
  study.run = r;
  memset(&work, 0, sizeof work);
  work.units = r->scenario->study->units(r);
  work.key = po_run_key(r);
  work.user = &study;
  work.prepare = run_study_prepare;
  work.unit = run_study_unit;
  work.join = run_study_join;
  work.stop = run_study_stop;
  work.progress = run_study_progress;
  po_progress_begin(&study.progress, r->scenario->name, work.units);
  code = po_jobs_run(&jobs, &work);
  po_progress_end(&study.progress);
  if (code || jobs.shards) return code;
  po_run_finish(r);
  return run_outputs(a, r, NULL);
}

/* One file for two outputs would hold the later one only. */
static int run_check_files(const po_args *a) {
  static const char *const outputs[] = {"csv", "json", "trace", "html", "svg", "motion", "dump-hqp"};
  int i, k;
  for (i = 0; i < 7; i++)
    for (k = 0; k < i; k++) {
      const char *x = po_args_string(a, outputs[i], NULL), *y = po_args_string(a, outputs[k], NULL);
      if (x && y && !strcmp(x, y)) return po_cli_fail("--%s and --%s would both be written to %s", outputs[k], outputs[i], x);
    }
  return PO_EXIT_GOOD;
}

static int run_simulate(po_args *a, const po_scenario *s, po_run_opts *o) {
  int every = po_args_int(a, "dump-every", 1, 1, 1000000), code = run_check_files(a);
  po_run *r;
  po_error err;
  if (a->failed || code) return PO_EXIT_USAGE;
  if (!s->study && (po_args_has(a, "jobs") || po_args_has(a, "shard"))) return po_cli_fail("%s is one simulation, which cannot be shared out: --jobs and --shard are for push-map and reach-map", s->name);
  if (po_run_new(&r, s, o, &err) != PO_OK) return po_cli_error(&err);
  if (r->note.data && !po_args_has(a, "quiet")) po_cli_fail("%s", r->note.data);
  signal(SIGINT, run_on_interrupt);
  code = s->study ? run_units(a, r) : run_steps(a, r, every);
  po_run_free(r);
  return code;
}

static void run_word(po_buffer *out, const char *word) {
  const char *p;
  po_buffer_puts(out, " ");
  if (word[0] && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%") == strlen(word)) {
    po_buffer_puts(out, word);
    return;
  }
  po_buffer_puts(out, "'");
  for (p = word; *p; p++)
    if (*p == '\'') po_buffer_puts(out, "'\\''");
    else po_buffer_add(out, p, 1);
  po_buffer_puts(out, "'");
}

/* The command line that repeats the run, as a shell reads it: all but where results go. */
static void run_command_line(po_buffer *out, const po_args *a) {
  static const char *const outputs[] = {"csv", "json", "trace", "html", "svg", "motion", "dump-hqp", "dump-every", "jobs", "shard"};
  enum { OUTPUTS = (int)(sizeof outputs / sizeof *outputs) };
  char name[64];
  int i, k;
  po_buffer_puts(out, "poise run");
  for (i = 0; i < a->count; i++) run_word(out, a->arg[i]);
  for (i = 0; i < a->option_count; i++) {
    for (k = 0; k < OUTPUTS && strcmp(outputs[k], a->option[i]->name); k++) {}
    if (k < OUTPUTS) continue;
    po_format(name, sizeof name, "--%s", a->option[i]->name);
    run_word(out, name);
    if (a->value[i]) run_word(out, a->value[i]);
  }
}

static int run_command(po_args *a) {
  const po_scenario *s = po_cli_scenario(a->arg[0]);
  po_run_opts o = po_run_opts_default();
  static run_lists lists;
  static char text[1 << 16], models[512];
  po_arena texts;
  po_buffer line = {0};
  int code;
  if (!s) return PO_EXIT_USAGE;
  o.seconds = po_args_double(a, "seconds", 0, 1e-6, 1e6);
  o.dt = po_args_double(a, "dt", 0, 1e-6, 0.1);
  o.control_hz = po_args_double(a, "control-hz", 0, 0.1, 1e6);
  if (po_args_has(a, "control-hz") && !po_args_has(a, "dt") && po_args_choice(a, "advance", (const char *const[]){"forward", "optimizer"}, 2, 0))
    o.dt = 1 / o.control_hz; /* the optimizer's accelerations are good for its own tick */
  o.seed = po_args_u64(a, "seed", 0);
  o.model = po_args_string(a, "model", NULL);
  o.paths = po_cli_paths(a, o.model);
  o.map = po_args_string(a, "map", NULL);
  po_args_simd(a);
  run_read_methods(a, &o);
  if (a->failed) return PO_EXIT_USAGE;
  po_arena_init(&texts, text, sizeof text);
  if ((code = run_read_lists(a, &o, &lists, &texts)) != PO_EXIT_GOOD) return code;
  if ((code = po_cli_look_at_model(a, o.model)) != PO_EXIT_GOOD) return code;
  o.clock = po_cli_clock;
  o.models = po_cli_folder(models, "models/policies", "../share/poise/models/policies");
  if (o.models) *strrchr(models, '/') = '\0'; /* the folder that holds policies */
  run_command_line(&line, a);
  o.command = line.data;
  code = run_simulate(a, s, &o);
  po_buffer_free(&line);
  return code;
}

const po_command po_cmd_run = {
  "run", "SCENARIO [options]", "simulate a scenario and judge it",
  "Prints how it went; --json writes the whole report, --html a page that replays the run. On a terminal a line shows how far it is.\n"
  "Ctrl-C ends the run and the reports hold what there is. Exit code 0 when the scenario's own success condition held, 1 when not, 2\n"
  "for bad usage. `poise list SCENARIO` names the parameters. --set, --at and --push may be followed by several items.\n"
  "  poise run walk --seconds 20 --set style=sad --html walk.html\n"
  "  poise run walk --at 6,heading=30 10,heading=0 --push 5,0.2,100,0,0\n"
  "  poise run balance --push 1,0.2,150,0,0 --csv push.csv\n"
  "  poise run squat --set period=2 --json -\n"
  "  poise run jump --hqp reparam --nullspace svd --formulation full\n"
  "  poise run sequence --set moves=walk:4,stand:1,jump:0.3:angle=90,walk:3\n"
  "  poise run push-map --jobs 4 --html map.html\n",
  run_options, 1, -1, run_command};
