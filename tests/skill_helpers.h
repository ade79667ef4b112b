/* skill_helpers.h: runs of the skills' scenes, to a moment, saved and gone on with. */
#ifndef SKILL_HELPERS_H
#define SKILL_HELPERS_H

#include "ctrl/moves/moves.h"
#include "scenes/scenes.h"
#include "unity.h"
#include <stdlib.h>
#include <string.h>

static po_run *skill_start(const char *name, const po_setting *set, int sets, double seconds, const char *model) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r = NULL;
  o.set = set, o.sets = sets;
  o.seconds = seconds;
  o.model = model;
  o.seed = 1;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_run_new(&r, po_scenario_find(name), &o, &err), err.message);
  return r;
}

static void skill_until(po_run *r, double time) {
  while (r->time < time - 1e-9 && po_run_step(r)) {}
}

/* In the middle of it the run is saved; another of the same kind goes on from there, and ends in the same bits. */
static void skill_goes_on(const char *name, const po_setting *set, int sets, double middle, double end, const char *state) {
  po_run *a = skill_start(name, set, sets, end, NULL), *b = skill_start(name, set, sets, end, NULL);
  size_t bytes = po_run_save_bytes(a);
  void *saved = malloc(bytes);
  uint64_t hash;
  skill_until(a, middle);
  TEST_ASSERT_EQUAL_STRING(state, po_move_phase_string(po_run_move(a, 0)));
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_save(saved, bytes, a));
  skill_until(a, end);
  hash = po_run_hash(a);
  skill_until(b, 0.1);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_run_restore(b, saved, bytes));
  skill_until(b, end);
  TEST_ASSERT_EQUAL_HEX64(hash, po_run_hash(b));
  free(saved);
  po_run_free(a);
  po_run_free(b);
}

static void skill_refused(const char *name, const po_setting *set, int sets, const char *model, const char *says) {
  po_run_opts o = po_run_opts_default();
  po_error err;
  po_run *r = NULL;
  o.set = set, o.sets = sets;
  o.model = model;
  TEST_ASSERT_TRUE(po_run_new(&r, po_scenario_find(name), &o, &err) != PO_OK);
  TEST_ASSERT_NULL(r);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.message, says), err.message);
}

#endif
