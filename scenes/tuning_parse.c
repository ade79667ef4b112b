/* tuning_parse.c: what is free, what it costs and what must hold, as words. */
#include "tuning.h"
#include <string.h>

static po_status tuning_name(char out[PO_TUNING_NAME], const char *text, size_t n, const char *whole, po_error *err) {
  if (n == 0 || n >= PO_TUNING_NAME) return po_fail(err, PO_ERR_PARSE, "%s: a name of 1 to %d letters is needed", whole, PO_TUNING_NAME - 1);
  memcpy(out, text, n);
  out[n] = '\0';
  return PO_OK;
}

/* A number that ends at one of `ends`; nothing at all is `absent`. */
static int tuning_number(double *x, const char **at, const char *ends, double absent) {
  const char *end = *at;
  *x = absent;
  if (**at && !strchr(ends, **at) && po_parse_double(x, &end, *at, *at + strlen(*at)) != PO_OK) return 0;
  *at = end;
  return !*end || strchr(ends, *end) != NULL;
}

/* LOW:HIGH behind the '='; *end is where it ends. */
static po_status tuning_range(double *low, double *high, const char **end, const char *text, const char *at, double no_low, double no_high, po_error *err) {
  *end = at;
  if (!tuning_number(low, end, ":", no_low) || **end != ':') return po_fail(err, PO_ERR_PARSE, "%s: NAME=LOW:HIGH is needed", text);
  (*end)++;
  if (!tuning_number(high, end, ":", no_high)) return po_fail(err, PO_ERR_PARSE, "%s: NAME=LOW:HIGH is needed", text);
  if (!(*low <= *high)) return po_fail(err, PO_ERR_BOUNDS, "%s: the lower bound comes first", text);
  return PO_OK;
}

po_status po_tuning_free(po_tuning *t, const char *text, po_error *err) {
  const char *eq = strchr(text, '='), *end;
  po_tuned *f = &t->free[t->frees];
  po_status st;
  int i;
  if (t->frees == PO_TUNING_FREE) return po_fail(err, PO_ERR_SIZE, "at most %d parameters are free", PO_TUNING_FREE);
  memset(f, 0, sizeof *f);
  if (!eq) return po_fail(err, PO_ERR_PARSE, "--free %s: NAME=LOW:HIGH is needed", text);
  if ((st = tuning_name(f->name, text, (size_t)(eq - text), text, err)) != PO_OK) return st;
  if ((st = tuning_range(&f->unknown.lower, &f->unknown.upper, &end, text, eq + 1, PO_NAN, PO_NAN, err)) != PO_OK) return st;
  if (!strcmp(end, ":int")) f->unknown.integer = 1, f->unknown.scaling = PO_TUNE_LINEAR;
  else if (!strcmp(end, ":log")) f->unknown.scaling = PO_TUNE_LOG;
  else if (!strcmp(end, ":linear")) f->unknown.scaling = PO_TUNE_LINEAR;
  else if (*end) return po_fail(err, PO_ERR_PARSE, "--free %s: after the range only :log, :linear or :int may stand", text);
  f->unknown.start = PO_NAN;
  for (i = 0; i < t->frees; i++)
    if (!strcmp(t->free[i].name, f->name)) return po_fail(err, PO_ERR_NAME, "--free %s: %s is free already", text, f->name);
  t->frees++;
  return PO_OK;
}

/* [WEIGHT*]NAME[~VALUE], until a sign or the end. */
static po_status tuning_term(po_tuning_sum *c, const char **at, double sign, po_error *err) {
  po_tuning_term *term = &c->term[c->terms];
  const char *p = *at, *end = p;
  double weight = 1;
  po_status st;
  if (c->terms == PO_TUNING_TERMS) return po_fail(err, PO_ERR_SIZE, "--cost %s: at most %d terms", c->text, PO_TUNING_TERMS);
  memset(term, 0, sizeof *term);
  if (po_parse_double(&weight, &end, p, p + strlen(p)) == PO_OK && *end == '*') p = end + 1;
  else weight = 1;
  if (!po_isfinite(weight)) return po_fail(err, PO_ERR_NOT_FINITE, "--cost %s: a weight is not finite", c->text);
  term->weight = sign * weight;
  end = p + strcspn(p, "+-~*");
  if ((st = tuning_name(term->name, p, (size_t)(end - p), c->text, err)) != PO_OK) return st;
  if (*end == '~') {
    p = end + 1;
    if (po_parse_double(&term->target, &end, p, p + strlen(p)) != PO_OK || !po_isfinite(term->target)) return po_fail(err, PO_ERR_PARSE, "--cost %s: a number is needed after ~", c->text);
    term->distance = 1;
  }
  if (*end && *end != '+' && *end != '-') return po_fail(err, PO_ERR_PARSE, "--cost %s: terms are joined by + or -", c->text);
  c->terms++;
  *at = end;
  return PO_OK;
}

po_status po_tuning_cost(po_tuning *t, const char *text, po_error *err) {
  po_tuning_sum *c = &t->cost[t->costs];
  const char *at = text;
  po_status st = PO_OK;
  if (t->costs == PO_TUNE_COSTS) return po_fail(err, PO_ERR_SIZE, "at most %d costs", PO_TUNE_COSTS);
  memset(c, 0, sizeof *c);
  if (strlen(text) >= sizeof c->text) return po_fail(err, PO_ERR_SIZE, "--cost %s: too long", text);
  strcpy(c->text, text);
  if (!strncmp(at, "worst:", 6)) c->worst = 1, at += 6;
  else if (!strncmp(at, "mean:", 5)) at += 5;
  do {
    double sign = *at == '-' ? -1 : 1;
    if (*at == '-' || (*at == '+' && c->terms)) at++;
    st = tuning_term(c, &at, sign, err);
  } while (st == PO_OK && *at);
  if (st == PO_OK) t->costs++;
  return st;
}

po_status po_tuning_keep(po_tuning *t, const char *text, po_error *err) {
  po_tuning_rule *k = &t->keep[t->keeps];
  const char *eq = strchr(text, '='), *end;
  po_status st;
  if (t->keeps == PO_TUNING_KEEP) return po_fail(err, PO_ERR_SIZE, "at most %d rules", PO_TUNING_KEEP);
  memset(k, 0, sizeof *k);
  if (strlen(text) >= sizeof k->text || !eq) return po_fail(err, PO_ERR_PARSE, "--keep %s: outcome=success or NAME=LOW:HIGH is needed", text);
  strcpy(k->text, text);
  k->success = !strcmp(text, "outcome=success");
  if (!k->success) {
    if ((st = tuning_name(k->name, text, (size_t)(eq - text), text, err)) != PO_OK) return st;
    if ((st = tuning_range(&k->lower, &k->upper, &end, text, eq + 1, -PO_INF, PO_INF, err)) != PO_OK) return st;
    if (*end) return po_fail(err, PO_ERR_PARSE, "--keep %s: NAME=LOW:HIGH is needed", text);
  }
  t->keeps++;
  return PO_OK;
}
