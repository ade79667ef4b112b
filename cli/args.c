/* args.c: command lines, checked against a command's table of options. */
#include "args.h"
#include <string.h>

static const po_option args_help_option = {"help", NULL, "this text"};

static const po_option *args_find(const po_command *command, const char *name, size_t length) {
  const po_option *o;
  if (length == 4 && !memcmp(name, "help", 4)) return &args_help_option;
  for (o = command->options; o && o->name; o++)
    if (strlen(o->name) == length && !memcmp(o->name, name, length)) return o;
  return NULL;
}

static int args_unknown(const po_command *command, const char *given, size_t length) {
  const char *names[64], *near;
  char word[64];
  int count = 0;
  const po_option *o;
  names[count++] = "help";
  for (o = command->options; o && o->name && count < 64; o++) names[count++] = o->name;
  po_format(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), given);
  near = po_nearest(word, names, count);
  if (near) return po_cli_fail("%s: unknown option --%s; did you mean --%s?", command->name, word, near);
  return po_cli_fail("%s: unknown option --%s; `poise help %s` lists its options", command->name, word, command->name);
}

/* One option at argv[i]; returns how many words it took, or 0 after a message. */
static int args_take(po_args *args, int argc, const char *const *argv, int i) {
  const char *name = argv[i] + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  const po_option *o = args_find(args->command, name, length);
  const char *value = NULL;
  int words = 1;
  if (!o) {
    args_unknown(args->command, name, length);
    return 0;
  }
  if (!o->value && equals) {
    po_cli_fail("%s: --%s takes no value", args->command->name, o->name);
    return 0;
  }
  if (o->value && equals) value = equals + 1;
  else if (o->value) {
    if (i + 1 >= argc || !strncmp(argv[i + 1], "--", 2)) {
      po_cli_fail("%s: --%s needs a value: --%s %s", args->command->name, o->name, o->name, o->value);
      return 0;
    }
    value = argv[i + 1];
    words = 2;
  }
  args->option[args->option_count] = o;
  args->value[args->option_count++] = value;
  return words;
}

int po_args_parse(po_args *args, const po_command *command, int argc, const char *const *argv) {
  int i, only_arguments = 0;
  size_t room = (size_t)argc + 1;
  memset(args, 0, sizeof *args);
  args->command = command;
  args->arg = po_alloc(room * sizeof *args->arg);
  args->option = po_alloc(room * sizeof *args->option);
  args->value = po_alloc(room * sizeof *args->value);
  if (!args->arg || !args->option || !args->value) return po_cli_fail("out of memory");
  for (i = 0; i < argc;) {
    if (!only_arguments && !strcmp(argv[i], "--")) {
      only_arguments = 1;
      i++;
    } else if (!only_arguments && !strncmp(argv[i], "--", 2)) {
      int words = args_take(args, argc, argv, i);
      if (!words) return PO_EXIT_USAGE;
      i += words;
    } else if (!only_arguments && !strcmp(argv[i], "-h")) {
      args->option[args->option_count++] = &args_help_option;
      i++;
    } else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
      return po_cli_fail("%s: unknown option %s; options start with two dashes", command->name, argv[i]);
    } else {
      args->arg[args->count++] = argv[i++];
    }
  }
  return PO_EXIT_GOOD;
}

/* "missing SCENARIO; usage: …": the words of the usage before its first option are the arguments, in order. */
static int args_missing(const po_command *c, int given) {
  const char *word = c->usage, *end;
  for (;;) {
    for (end = word; *end && *end != ' '; end++) {}
    if (!given-- || !*end || end[1] == '[' || end[1] == '(') break;
    word = end + 1;
  }
  return po_cli_fail("%s: missing %.*s; usage: poise %s %s", c->name, (int)(end - word), word, c->name, c->usage);
}

int po_args_check_count(const po_args *args) {
  const po_command *c = args->command;
  if (args->count < c->min_args) return args_missing(c, args->count);
  if (c->max_args >= 0 && args->count > c->max_args)
    return po_cli_fail("%s: unexpected argument '%s'; usage: poise %s %s", c->name, args->arg[c->max_args], c->name, c->usage);
  return PO_EXIT_GOOD;
}

void po_args_free(po_args *args) {
  po_free(args->arg);
  po_free(args->option);
  po_free(args->value);
  memset(args, 0, sizeof *args);
}

/* ---- readers ------------------------------------------------------------------------------------------------------------ */

int po_args_count(const po_args *args, const char *name) {
  int i, n = 0;
  for (i = 0; i < args->option_count; i++) n += !strcmp(args->option[i]->name, name);
  return n;
}
int po_args_has(const po_args *args, const char *name) { return po_args_count(args, name) > 0; }

const char *po_args_at(const po_args *args, const char *name, int at) {
  int i;
  for (i = 0; i < args->option_count; i++)
    if (!strcmp(args->option[i]->name, name) && at-- == 0) return args->value[i];
  return NULL;
}

const char *po_args_string(const po_args *args, const char *name, const char *fallback) {
  int n = po_args_count(args, name);
  return n ? po_args_at(args, name, n - 1) : fallback;
}

double po_args_double(po_args *args, const char *name, double fallback, double lo, double hi) {
  const char *text = po_args_string(args, name, NULL);
  double value;
  if (!text) return fallback;
  if (!po_cli_numbers(&value, NULL, 1, text)) {
    po_cli_fail("%s: --%s '%s' is not a number", args->command->name, name, text);
  } else if (!(value >= lo && value <= hi)) {
    po_cli_fail("%s: --%s %s is outside %g ... %g", args->command->name, name, text, lo, hi);
  } else {
    return value;
  }
  args->failed = 1;
  return fallback;
}

int po_args_int(po_args *args, const char *name, int fallback, int lo, int hi) {
  const char *text = po_args_string(args, name, NULL), *end;
  int value;
  if (!text) return fallback;
  if (po_parse_int(&value, &end, text, text + strlen(text)) != PO_OK || *end) {
    po_cli_fail("%s: --%s '%s' is not a whole number", args->command->name, name, text);
  } else if (value < lo || value > hi) {
    po_cli_fail("%s: --%s %s is outside %d ... %d", args->command->name, name, text, lo, hi);
  } else {
    return value;
  }
  args->failed = 1;
  return fallback;
}

uint64_t po_args_u64(po_args *args, const char *name, uint64_t fallback) {
  const char *text = po_args_string(args, name, NULL), *p;
  uint64_t value = 0;
  if (!text) return fallback;
  for (p = text; *p >= '0' && *p <= '9'; p++) {
    uint64_t digit = (uint64_t)(*p - '0');
    if (value > (UINT64_MAX - digit) / 10) break;
    value = value * 10 + digit;
  }
  if (p != text && !*p) return value;
  po_cli_fail("%s: --%s '%s' is not a whole number from 0 to 18446744073709551615", args->command->name, name, text);
  args->failed = 1;
  return fallback;
}

int po_args_choice(po_args *args, const char *name, const char *const *names, int count, int fallback) {
  const char *text = po_args_string(args, name, NULL), *near;
  char list[512] = "";
  int i;
  if (!text) return fallback;
  for (i = 0; i < count; i++)
    if (!strcmp(names[i], text)) return i;
  for (i = 0; i < count; i++) {
    size_t used = strlen(list);
    po_format(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
  }
  near = po_nearest(text, names, count);
  if (near) po_cli_fail("%s: --%s '%s' is not known; did you mean %s? (%s)", args->command->name, name, text, near, list);
  else po_cli_fail("%s: --%s '%s' is not known; it is one of %s", args->command->name, name, text, list);
  args->failed = 1;
  return fallback;
}

po_simd po_args_simd(po_args *args) {
  const char *names[3];
  int i;
  po_simd choice;
  for (i = 0; i < 3; i++) names[i] = po_simd_string((po_simd)i);
  choice = (po_simd)po_args_choice(args, "simd", names, 3, PO_SIMD_AUTO);
  if (po_set_simd(choice) != PO_OK) {
    po_cli_fail("%s: --simd %s: this CPU or this build does not have it", args->command->name, po_simd_string(choice));
    args->failed = 1;
  }
  return choice;
}

int po_cli_numbers(double *out, const char **rest, int count, const char *text) {
  const char *end = text + strlen(text);
  int i;
  if (rest) *rest = NULL;
  for (i = 0; i < count; i++) {
    if (i) {
      if (*text != ',') return 0;
      text++;
    }
    if (po_parse_double(&out[i], &text, text, end) != PO_OK || !po_isfinite(out[i])) return 0;
  }
  if (rest && *text == ',') {
    *rest = text + 1;
    return 1;
  }
  return *text == '\0';
}
