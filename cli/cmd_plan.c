/* cmd_plan.c: `poise plan WHAT`; here `poise plan gait`, which searches the numbers of a SIMBICON gait. */
#include "../ctrl/plan/plan.h"
#include "cli.h"
#include "jobs.h"
#include "plan.h"

#include <string.h>

static const po_option plan_options[] = {
    {"speed", "V", "m/s that it is to walk at (default: any)"},
    {"seconds", "S", "of each rollout (default 10)"},
    {"push", "N", "pushes each rollout but the first for 0.1 s, from another side each (default 0)"},
    {"starts", "N", "rollouts that judge a gait (default 4)"},
    {"rounds", "N", "generations; 0 only judges (default 30)"},
    {"population", "N", "gaits in a generation (default 12)"},
    {"spread", "S", "how far numbers vary at first; 1 is 0.05 rad and a tenth of gains (default 1)"},
    {"tries", "N", "independent searches, of which the best counts (default 1)"},
    {"seed", "N", "of noise and search (default 1)"},
    {"name", "NAME", "of the gait that is written (default: as it was)"},
    {"out", "FILE", "the gait it found, - for standard output"},
    {"set", "NAME=VALUE", "a parameter of steps, explore or policy; may be repeated"},
    {"in", "FILE", "what is gone on from: an exploration, files of steps"},
    {"json", "FILE", "write the report to FILE, - for standard output"},
    {"html", "FILE", "of policy and step-model: a page that shows it"},
    PO_OPTION_JOBS,
    PO_OPTION_RESUME,
    PO_OPTION_SIMD,
    {NULL, NULL, NULL}};

typedef struct plan_job {
  const po_model *model;
  po_gait_search_opts opts;
  po_gait_search *search;
  po_gait_table first, now, best;
  po_gait_cost cost;
  int found;
} plan_job;

static po_status plan_prepare(void *user, po_error *err) {
  plan_job *j = user;
  return j->search ? PO_OK : po_gait_search_new(&j->search, j->model, &j->opts, err);
}

/* A unit is one search: the cost it came to, and its gait. */
static po_status plan_unit(void *user, po_buffer *out, int index, po_error *err) {
  plan_job *j = user;
  po_gait_cost cost;
  po_status st;
  j->now = j->first;
  if ((st = po_gait_search_run(&j->now, &cost, j->search, (uint64_t)index + 1, err)) != PO_OK) return st;
  po_buffer_add(out, (const char *)&cost, sizeof cost);
  po_gait_write(out, &j->now);
  return PO_OK;
}

static po_status plan_join(void *user, int index, const char *bytes, size_t size, po_error *err) {
  plan_job *j = user;
  po_gait_cost cost;
  po_status st;
  (void)index;
  if (size < sizeof cost) return po_fail(err, PO_ERR_SIZE, "a search left too few bytes");
  memcpy(&cost, bytes, sizeof cost);
  if ((st = po_gait_parse(&j->now, bytes + sizeof cost, size - sizeof cost, "a search's gait", err)) != PO_OK) return st;
  if (!j->found || cost.cost < j->cost.cost) {
    j->best = j->now;
    j->cost = cost;
  }
  j->found = 1;
  return PO_OK;
}

static uint64_t plan_key(const plan_job *j, int tries) {
  uint64_t key = po_model_hash(j->model);
  po_buffer text = {0};
  po_gait_write(&text, &j->first);
  key = po_hash(text.data, text.size, key);
  key = po_hash(&j->opts.speed, sizeof(double) * 4, key);
  key = po_hash(&j->opts.starts, sizeof(int) * 3, key);
  key = po_hash(&j->opts.seed, sizeof j->opts.seed, key);
  po_buffer_free(&text);
  return po_hash(&tries, sizeof tries, key);
}

/* The gait's `made`: the command that makes it again. */
static void plan_made(po_args *args, plan_job *j) {
  const po_gait_search_opts *o = &j->opts;
  char speed[32] = "";
  if (po_isfinite(o->speed)) po_format(speed, sizeof speed, " --speed %g", o->speed);
  po_format(j->best.made, sizeof j->best.made, "poise plan gait %s %s%s --push %g --seconds %g --starts %d --rounds %d --population %d --spread %g --tries %d --seed %lu",
            args->arg[1], args->arg[2], speed, o->push, o->seconds, o->starts, o->rounds, o->population, o->spread, po_args_int(args, "tries", 1, 1, 10000), (unsigned long)o->seed);
}

static int plan_write(po_args *args, plan_job *j) {
  po_buffer text = {0};
  int code = PO_EXIT_GOOD;
  const char *name = po_args_string(args, "name", NULL);
  if (name && strlen(name) >= sizeof j->best.name) return po_cli_fail("plan: --name %s: too long", name);
  if (name) po_format(j->best.name, sizeof j->best.name, "%s", name);
  if (j->opts.rounds) plan_made(args, j);
  po_gait_write(&text, &j->best);
  if (po_args_has(args, "out")) code = po_cli_write(po_args_string(args, "out", "-"), &text);
  po_buffer_free(&text);
  if (strcmp(po_args_string(args, "out", ""), "-"))
    po_cli_print("%s: cost %.4f, upright %.1f %%, %.3f m/s, effort %.4f\n", j->best.name, j->cost.cost, 100 * j->cost.upright, j->cost.speed, j->cost.effort);
  if (code != PO_EXIT_GOOD) return code;
  return j->cost.cost < 1 ? PO_EXIT_GOOD : PO_EXIT_FAILED;
}

static int plan_search(po_args *args, plan_job *j) {
  po_jobs jobs;
  po_work work;
  int code, tries = po_args_int(args, "tries", 1, 1, 10000);
  memset(&work, 0, sizeof work);
  if (args->failed || !po_jobs_read(&jobs, args, "out")) return PO_EXIT_USAGE;
  work.units = tries;
  work.key = plan_key(j, tries);
  work.user = j;
  work.prepare = plan_prepare;
  work.unit = plan_unit;
  work.join = plan_join;
  work.stop = po_plan_stop();
  code = po_jobs_run(&jobs, &work);
  return code || jobs.shards ? code : plan_write(args, j);
}

static int plan_run(po_args *args) {
  plan_job *j;
  po_error err;
  po_gait_search_opts o = po_gait_search_opts_default();
  int code;
  po_args_simd(args);
  if (args->failed) return PO_EXIT_USAGE;
  if (!strcmp(args->arg[0], "explore")) return po_plan_explore(args);
  if (!strcmp(args->arg[0], "policy")) return po_plan_policy(args);
  if (!strcmp(args->arg[0], "steps")) return po_plan_steps(args);
  if (!strcmp(args->arg[0], "step-model")) return po_plan_step_model(args);
  if (!strcmp(args->arg[0], "study")) return po_plan_study(args);
  if (strcmp(args->arg[0], "gait")) return po_cli_fail("plan: there is no plan '%s'; there are gait, steps, step-model, explore, policy, study", args->arg[0]);
  if (args->count != 3) return po_cli_fail("plan gait: a body and one of its gaits are needed: poise plan gait biped34 walk");
  o.speed = po_args_has(args, "speed") ? po_args_double(args, "speed", 0, -10, 10) : PO_NAN;
  o.seconds = po_args_double(args, "seconds", o.seconds, 1, 600);
  o.push = po_args_double(args, "push", o.push, 0, 1e5);
  o.spread = po_args_double(args, "spread", o.spread, 1e-6, 10);
  o.starts = po_args_int(args, "starts", o.starts, 1, PO_GAIT_SEARCH_STARTS);
  o.rounds = po_args_int(args, "rounds", o.rounds, 0, 100000);
  o.population = po_args_int(args, "population", o.population, 4, 256);
  o.seed = po_args_u64(args, "seed", o.seed);
  if (args->failed) return PO_EXIT_USAGE;
  if (!(j = po_alloc(sizeof *j))) return po_cli_fail("plan: out of memory");
  j->opts = o;
  if (po_body_model(&j->model, args->arg[1], &err) != PO_OK || po_gait_load(&j->first, args->arg[1], args->arg[2], &err) != PO_OK) code = po_cli_error(&err);
  else code = plan_search(args, j);
  po_gait_search_free(j->search);
  po_model_free(j->model);
  po_free(j);
  return code;
}

static const char plan_help[] =
    "gait starts from a gait of a body (a name, or a .json file), tries others around it in simulation, and writes the best: first by how long\n"
    "it stays up under noise and pushes, then by how near its speed is to --speed, then by effort (docs/simbicon.md). The same for any --jobs.\n"
    "Exit 1 when even the best one falls.\n"
    "  poise plan gait biped34 walk --speed 0.7 --push 200 --out walk.json\n"
    "\n"
    "steps bends a gait so that random step lengths are met, and writes what happened: examples, of which step-model makes a model and says what it is worth\n"
    "(docs/constrained-walking.md).\n"
    "  poise plan steps --set examples=2000 --jobs 2 --out walk.steps\n"
    "Ctrl-C leaves what is done in FILE.part; the same command with --resume FILE.part goes on from there (gait and steps).\n"
    "\n"
    "explore tries every action of a set (--set actions=NAME) from every state that can be reached, round by round; with --in it goes on from an\n"
    "exploration, and --shard does a share of one round. policy makes of an exploration which action leads to the goal (--set task=NAME);\n"
    "study tells what fewer states, goals and actions would cost (docs/task-policies.md).\n"
    "  poise plan explore --set actions=bird-line --jobs 2 --out a.states\n"
    "  poise plan policy --set actions=bird-line --in a.states --out a.policy\n";

const po_command po_cmd_plan = {"plan", "gait|steps|step-model|explore|policy|study [options]", "search a gait; learn steps; explore what actions do; make policies of it", plan_help, plan_options, 1, -1, plan_run};
