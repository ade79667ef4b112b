/* tuning.h: what a search over a scenario's parameters tries, and what each try costs (docs/tune.md).
 *
 *   what is searched   po_tuning  po_tuning_free  po_tuning_cost  po_tuning_keep  po_tuning_check
 *   one run            po_tuning_run: a point, a variant, a seed
 *   one point          po_tuning_join: its runs together
 *
 * A point is tried in runs that differ by seed and by variant (model, push, ground: whatever is listed); its costs are means over them, or the worst. A run that falls, or
 * that breaks a rule, has no cost but a violation: above 1 for a fall, the more the earlier it fell.
 */
#ifndef PO_TUNING_H
#define PO_TUNING_H

#include "scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PO_TUNING_FREE 200
#define PO_TUNING_TERMS 8
#define PO_TUNING_KEEP 16
#define PO_TUNING_OVER 8
#define PO_TUNING_VALUES 256
#define PO_TUNING_NAME 48
#define PO_TUNING_SETS 128

typedef struct po_tuned { /* a parameter that is searched */
  char name[PO_TUNING_NAME];
  po_tune_unknown unknown;   /* start: where po_tuning_check found the parameter */
} po_tuned;

typedef struct po_tuning_term {
  char name[PO_TUNING_NAME]; /* a figure of the report's `result`, or seconds, peak_torque (of its limit, the largest), energy.NAME */
  double weight, target;
  int distance;              /* 1: |figure − target| */
} po_tuning_term;

typedef struct po_tuning_sum { /* one cost: weighted figures, over the runs of a point */
  char text[160];
  int worst;                 /* 1: of the worst run; 0: the mean */
  po_tuning_term term[PO_TUNING_TERMS];
  int terms;
} po_tuning_sum;

typedef struct po_tuning_rule {
  char text[96], name[PO_TUNING_NAME];
  double lower, upper;
  int success;               /* 1: the scenario's own success condition */
} po_tuning_rule;

typedef struct po_tuning_list { /* runs with each of these */
  char name[PO_TUNING_NAME]; /* a parameter, or model, or push */
  const char *value[PO_TUNING_VALUES];
  po_push push[PO_TUNING_VALUES]; /* of push; duration 0: none */
  int values;
} po_tuning_list;

typedef struct po_tuning {
  const po_scenario *scenario;
  po_run_opts opts;          /* what all runs have in common */
  po_tuned free[PO_TUNING_FREE];
  int frees;
  po_tuning_sum cost[PO_TUNE_COSTS];
  int costs;
  po_tuning_rule keep[PO_TUNING_KEEP];
  int keeps;
  po_tuning_list over[PO_TUNING_OVER];
  int overs;
} po_tuning;

typedef struct po_tuning_score {
  double cost[PO_TUNE_COSTS]; /* NaN: a run that fell */
  double violation;
  double fell, success;      /* 1 or 0; of a point, shares of its runs */
  double seconds;            /* simulated */
} po_tuning_score;

/* "NAME=LOW:HIGH", with ":log", ":linear" or ":int" behind it. */
po_status po_tuning_free(po_tuning *tuning, const char *text, po_error *err);
/* "[worst:]TERM+TERM…": a term is [WEIGHT*]NAME or [WEIGHT*]NAME~VALUE, the distance to VALUE. "-" in place of "+" takes away: "-mean_speed" is to be large. */
po_status po_tuning_cost(po_tuning *tuning, const char *text, po_error *err);
/* "outcome=success", or "NAME=LOW:HIGH", of which one may be left out. */
po_status po_tuning_keep(po_tuning *tuning, const char *text, po_error *err);

/* Makes a run to see that names are names and ranges within ranges; finds where the search begins. *key: hash of all that decides what comes out. */
po_status po_tuning_check(po_tuning *tuning, uint64_t *key, po_error *err);

int po_tuning_variants(const po_tuning *tuning);
/* One run: the point's values (x NULL: parameters as they are), the variant, the seed. A point that no run can be made of has a violation of 3. */
po_status po_tuning_run(po_tuning_score *score, const po_tuning *tuning, const double *x, int variant, uint64_t seed, po_error *err);
void po_tuning_join(po_tuning_score *point, const po_tuning *tuning, const po_tuning_score *run, int runs);

#ifdef __cplusplus
}
#endif
#endif
