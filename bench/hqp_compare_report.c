/* hqp_compare_report.c: scores as a table to read, as CSV, LaTeX and JSON. */
#include "hqp_compare.h"

#include <string.h>

void po_hqp_compare_table(po_buffer *out, const po_hqp_compare *c) {
  int i;
  const char *set = "";
  po_buffer_puts(out, "| set | solver | start | right 1e-3 | 1e-6 | 1e-9 | claimed, wrong | median us | mean us | worst us | > 1 ms | iterations | within 1.6 x |\n");
  po_buffer_puts(out, "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (i = 0; i < c->count; i++) {
    const po_hqp_score *r = &c->scores[i];
    po_buffer_printf(out, "| %s | %s | %s | %d | %d | %d | %d, %d | %.1f | %.1f | %.1f | %d | %.0f | %.2f |\n", strcmp(set, r->set) ? r->set : "", r->solver, r->warm ? "warm" : "cold",
                     r->right[0], r->right[1], r->right[2], r->claimed, r->wrong, r->median, r->mean, r->worst, r->late, r->iterations, r->faster[2]);
    set = r->set;
  }
  po_buffer_printf(out, "\n%d of %d references certified by the judge.\n", c->certified, c->references);
}

void po_hqp_compare_csv(po_buffer *out, const po_hqp_compare *c) {
  int i, j;
  po_buffer_puts(out, "set,solver,start,problems,claimed,proof,wrong,right_1e-3,right_1e-6,right_1e-9,median_us,mean_us,worst_us,late,iterations,bytes");
  for (j = 0; j < PO_HQP_PROFILE; j++) po_buffer_printf(out, ",within_%.17g", po_hqp_profile_ratios[j]);
  po_buffer_puts(out, "\n");
  for (i = 0; i < c->count; i++) {
    const po_hqp_score *r = &c->scores[i];
    po_buffer_printf(out, "%s,\"%s\",%s,%d,%d,%d,%d,%d,%d,%d,%.17g,%.17g,%.17g,%d,%.17g,%d", r->set, r->solver, r->warm ? "warm" : "cold", r->problems, r->claimed, r->proof, r->wrong,
                     r->right[0], r->right[1], r->right[2], r->median, r->mean, r->worst, r->late, r->iterations, (int)r->bytes);
    for (j = 0; j < PO_HQP_PROFILE; j++) po_buffer_printf(out, ",%.17g", r->faster[j]);
    po_buffer_puts(out, "\n");
  }
}

void po_hqp_compare_latex(po_buffer *out, const po_hqp_compare *c) {
  int i;
  const char *set = "";
  po_buffer_puts(out, "\\begin{tabular}{lllrrrrrr}\n\\hline\nset & solver & start & right & wrong & median & mean & worst & late \\\\\n\\hline\n");
  for (i = 0; i < c->count; i++) {
    const po_hqp_score *r = &c->scores[i];
    const char *at;
    for (at = strcmp(set, r->set) ? r->set : ""; *at; at++) po_buffer_printf(out, *at == '_' ? "\\_" : "%c", *at);
    po_buffer_printf(out, " & %s & %s & %d/%d & %d & %.1f & %.1f & %.1f & %d \\\\\n", r->solver, r->warm ? "warm" : "cold", r->right[1], r->problems, r->wrong, r->median, r->mean,
                     r->worst, r->late);
    set = r->set;
  }
  po_buffer_puts(out, "\\hline\n\\end{tabular}\n");
}

void po_hqp_compare_json(po_buffer *out, const po_hqp_compare *c) {
  po_jw w;
  int i, j;
  po_jw_init(&w, out, 1);
  po_jw_object(&w, NULL);
  po_jw_int(&w, "references", c->references);
  po_jw_int(&w, "certified", c->certified);
  po_jw_array(&w, "scores");
  for (i = 0; i < c->count; i++) {
    const po_hqp_score *r = &c->scores[i];
    po_jw_object(&w, NULL);
    po_jw_string(&w, "set", r->set);
    po_jw_string(&w, "solver", r->solver);
    po_jw_string(&w, "start", r->warm ? "warm" : "cold");
    po_jw_int(&w, "problems", r->problems);
    po_jw_int(&w, "claimed", r->claimed);
    po_jw_int(&w, "proof", r->proof);
    po_jw_int(&w, "wrong", r->wrong);
    po_jw_int(&w, "right_1e-3", r->right[0]);
    po_jw_int(&w, "right_1e-6", r->right[1]);
    po_jw_int(&w, "right_1e-9", r->right[2]);
    po_jw_number(&w, "median_us", r->median);
    po_jw_number(&w, "mean_us", r->mean);
    po_jw_number(&w, "worst_us", r->worst);
    po_jw_int(&w, "late", r->late);
    po_jw_number(&w, "iterations", r->iterations);
    po_jw_int(&w, "bytes", (int)r->bytes);
    po_jw_array(&w, "profile");
    for (j = 0; j < PO_HQP_PROFILE; j++) po_jw_number(&w, NULL, r->faster[j]);
    po_jw_end(&w);
    po_jw_end(&w);
  }
  po_jw_end(&w);
  po_jw_end(&w);
  po_buffer_puts(out, "\n");
}
