/* report.c: a run as one JSON object. */
#include "scenes.h"
#include <stdlib.h>
#include <string.h>

static int report_order(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static void report_profile(po_jw *w, const po_run *r) {
  static const char *const names[PO_PHASES] = {"kinematics", "dynamics", "problem", "solve", "contact", "integrate"};
  int k;
  po_jw_object(w, "profile");
  for (k = 0; k < PO_PHASES; k++) {
    long n = r->steps;
    double median = PO_NAN, p99 = PO_NAN;
    if (r->profile[k] && n > 0) {
      float *copy = po_alloc(sizeof(float) * (size_t)n);
      if (copy) {
        memcpy(copy, r->profile[k], sizeof(float) * (size_t)n);
        qsort(copy, (size_t)n, sizeof(float), report_order);
        median = (double)copy[n / 2];
        p99 = (double)copy[(long)((double)(n - 1) * 0.99)];
        po_free(copy);
      }
    }
    po_jw_object(w, names[k]);
    po_jw_number(w, "median_us", median);
    po_jw_number(w, "p99_us", p99);
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void report_solver(po_jw *w, const po_run *r) {
  const po_wbc *c = po_run_wbc(r, 0);
  po_jw_object(w, "solver");
  po_jw_int(w, "infeasible", c ? c->ticks_infeasible : 0);
  po_jw_int(w, "iteration_limit", c ? c->ticks_iteration_limit : 0);
  po_jw_int(w, "numerical", c ? c->ticks_numerical : 0);
  po_jw_int(w, "second_opinion", c ? c->ticks_second_opinion : 0);
  po_jw_int(w, "held", c ? c->ticks_held : 0);
  po_jw_int(w, "ticks", c ? c->ticks : 0);
  po_jw_number(w, "max_kkt", c ? c->kkt_max : 0);
  po_jw_number(w, "complementarity", r->complementarity);
  po_jw_end(w);
}

/* Of the contact solves: how many steps had a group that did not converge, how far off the worst was, and the largest force and moment
 * (N, N m) that keeping the momentum exact was worth. */
static void report_contact(po_jw *w, const po_run *r) {
  po_jw_object(w, "contact");
  po_jw_int(w, "unconverged", r->unconverged);
  po_jw_number(w, "residual_max", r->complementarity);
  po_jw_number(w, "force_correction_max", r->force_correction);
  po_jw_number(w, "moment_correction_max", r->moment_correction);
  po_jw_end(w);
}

/* The world's books, by the names of po_energy. */
static void report_energy(po_jw *w, const po_energy *e) {
  po_jw_object(w, "energy");
  po_jw_number(w, "kinetic", e->kinetic);
  po_jw_number(w, "potential", e->potential);
  po_jw_number(w, "spring", e->spring);
  po_jw_number(w, "placed", e->placed);
  po_jw_number(w, "motors", e->motors);
  po_jw_number(w, "external", e->external);
  po_jw_number(w, "impacts", e->impacts);
  po_jw_number(w, "contacts", e->contacts);
  po_jw_number(w, "limits", e->limits);
  po_jw_number(w, "springs", e->springs);
  po_jw_number(w, "damping", e->damping);
  po_jw_number(w, "recovery", e->recovery);
  po_jw_number(w, "integration", e->integration);
  po_jw_number(w, "clamped", e->clamped);
  po_jw_end(w);
}

static void report_feet(po_jw *w, const po_run *r, const po_data *d) {
  int i;
  po_jw_array(w, "feet");
  for (i = 0; r->model && i < r->model->nb; i++) {
    double p[3];
    po_mat3 R;
    if (!d || strncmp(r->model->body_name[i], "foot", 4)) continue;
    po_jw_object(w, NULL);
    po_jw_string(w, "name", r->model->body_name[i]);
    po_v3_to(p, d->pose[i].p);
    po_jw_doubles(w, "position", p, 3);
    R = d->pose[i].R;
    po_jw_number(w, "heading_deg", PO_DEG(po_m3_yaw(R)));
    po_jw_end(w);
  }
  po_jw_end(w);
}

static void report_torques(po_jw *w, const po_run *r) {
  int i, k;
  po_jw_array(w, "peak_torque");
  for (i = 0; po_run_move(r, 0) && i < r->model->nb; i++) {
    const po_joint *j = &r->model->joint[i];
    for (k = 0; k < j->nv && k < 3 && j->type != PO_JOINT_FLOATING; k++) {
      char name[96];
      po_format(name, sizeof name, j->nv == 1 ? "%s" : "%s.%d", j->name, k);
      po_jw_object(w, NULL);
      po_jw_string(w, "joint", name);
      po_jw_number(w, "value", r->sim->character[0].peak[j->v + k]);
      po_jw_number(w, "limit", j->effort[k]);
      po_jw_end(w);
    }
  }
  po_jw_end(w);
}

static void report_head(po_jw *w, const po_run *r) {
  const po_run_opts *o = &r->opts;
  int timed = o->clock && !r->scenario->study; /* a study may have been done by many processes: its report is the same whoever did it */
  po_jw_string(w, "scenario", r->scenario->name);
  if (r->model) po_jw_string(w, "model", r->model->name);
  else po_jw_null(w, "model");
  po_jw_int(w, "seed", (long long)o->seed);
  po_jw_number(w, "dt", o->dt);
  po_jw_number(w, "control_hz", o->control_hz);
  po_jw_int(w, "steps", r->steps);
  po_jw_number(w, "sim_seconds", r->sim_seconds);
  po_jw_number(w, "wall_seconds", timed ? r->wall_seconds : PO_NAN);
  po_jw_number(w, "realtime_factor", timed && r->wall_seconds > 0 ? r->sim_seconds / r->wall_seconds : PO_NAN);
  po_jw_string(w, "simd", po_simd_string(po_get_simd()));
  po_jw_string(w, "advance", o->optimizer ? "optimizer" : "forward");
  po_jw_string(w, "hqp", po_hqp_method_string(o->wbc.hqp.method));
  po_jw_string(w, "qp", po_qp_method_string(o->wbc.hqp.qp));
  po_jw_string(w, "formulation", po_formulation_string(o->wbc.formulation));
  po_jw_string(w, "outcome", po_outcome_string(r->outcome));
  po_jw_number(w, "fell_at", r->fell_at >= 0 ? r->fell_at : PO_NAN);
  if (r->reason[0]) po_jw_string(w, "failure_reason", r->reason);
  else po_jw_null(w, "failure_reason");
}

/* Several characters have a verdict each. */
static void report_characters(po_jw *w, const po_run *r) {
  int k, minds = 0;
  for (k = 0; r->sim && k < r->sim->characters; k++) minds += po_run_move(r, k) != NULL;
  if (minds < 2) return;
  po_jw_array(w, "characters");
  for (k = 0; k < r->sim->characters; k++) {
    const po_verdict *v = &r->verdict[k];
    if (!po_run_move(r, k)) continue;
    po_jw_object(w, NULL);
    po_jw_int(w, "character", k);
    po_jw_string(w, "model", po_world_model(r->world, k)->name);
    po_jw_string(w, "move", po_run_move(r, k)->name);
    po_jw_string(w, "outcome", po_outcome_string(v->outcome));
    po_jw_number(w, "fell_at", v->fell_at >= 0 ? v->fell_at : PO_NAN);
    if (v->reason[0]) po_jw_string(w, "failure_reason", v->reason);
    else po_jw_null(w, "failure_reason");
    po_jw_end(w);
  }
  po_jw_end(w);
}

/* A sequence's moves: what came of each. */
static void report_moves(po_jw *w, const po_run *r) {
  po_move *move = po_run_move(r, 0);
  const po_sequence *s = move ? po_sequence_of(move) : NULL;
  int i;
  if (!s) return;
  po_jw_array(w, "moves");
  for (i = 0; i < s->steps; i++) {
    double started = s->now.started[i], ended = s->now.ended[i];
    int at_work = i == s->now.at && r->outcome != PO_SUCCESS && started >= 0;
    po_jw_object(w, NULL);
    po_jw_string(w, "name", s->step[i].move->name);
    po_jw_string(w, "outcome", at_work ? po_outcome_string(r->outcome) : ended >= 0 && s->now.outcome[i] == PO_MOVE_DONE ? "success" : started >= 0 ? "failed" : "not_reached");
    po_jw_number(w, "started", started >= 0 ? started : PO_NAN);
    po_jw_number(w, "ended", ended >= 0 ? ended : PO_NAN);
    po_jw_end(w);
  }
  po_jw_end(w);
}

void po_run_report(po_buffer *out, const po_run *r) {
  po_jw w;
  po_energy energy = po_world_energy(r->world);
  double com[3] = {PO_NAN, PO_NAN, PO_NAN};
  po_data *d = NULL;
  int i;
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  report_head(&w, r);
  po_jw_object(&w, "result");
  for (i = 0; i < r->result_count; i++) po_jw_number(&w, r->result[i].name, r->result[i].is_null ? PO_NAN : r->result[i].value);
  po_jw_end(&w);
  report_moves(&w, r);
  report_characters(&w, r);
  if (r->map) po_push_map_json(&w, r->map);
  if (r->reach) po_reach_map_json(&w, r->reach);
  report_profile(&w, r);
  report_solver(&w, r);
  report_contact(&w, r);
  if (po_world_count(r->world) > 0) {
    d = po_world_data(r->world, 0);
    po_world_kinematics(r->world, 0);
    po_com(d);
    po_v3_to(com, d->com);
  }
  po_jw_doubles(&w, "com", com, 3);
  report_feet(&w, r, d);
  report_torques(&w, r);
  report_energy(&w, &energy);
  po_jw_hex(&w, "state_hash", po_run_hash(r));
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}
