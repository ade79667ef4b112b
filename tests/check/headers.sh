#!/bin/sh
# headers.sh: what a public header promises at its top is what it declares; outputs come first; what can be saved says how large and how it went.
. "$(dirname "$0")/lib"

public=$(${CC:-cc} -I. -MM poise.h | tr -s ' \\' '\n\n' | grep '\.h$' | grep -v '/\.\./' | grep -vx 'poise.h\|la/vec.h' | sort -u)

# Declarations of functions, one on a line, without comments, bodies and macros: `header<tab>declaration`.
declarations() {
  for h in $public; do
    awk -v h="$h" '
      { line = $0
        while (1) {
          if (inside) { i = index(line, "*/"); if (!i) { line = ""; break } line = substr(line, i + 2); inside = 0 }
          i = index(line, "/*"); if (!i) break
          j = index(substr(line, i), "*/")
          if (j) line = substr(line, 1, i - 1) " " substr(line, i + j + 1)
          else { line = substr(line, 1, i - 1); inside = 1 }
        }
        if (macro || line ~ /^#/) { macro = (line ~ /\\$/); next }
        n = length(line)
        for (i = 1; i <= n; i++) {
          c = substr(line, i, 1)
          if (c == "{") { if (text !~ /extern "C"/) depth++; text = depth ? text "{" : "" }
          else if (c == "}") { if (depth) depth--; if (!depth && text ~ /\)[ ]*\{/) text = "" }
          else if (c == ";" && !depth) { flush() }
          else if (!depth) text = text c
        }
        text = text " " }
      function flush() {
        gsub(/[ \t]+/, " ", text); sub(/^ /, "", text)
        if (text ~ /^[A-Za-z_][A-Za-z_0-9 *]*[ *]po_[a-z0-9_]+\(/ && text !~ /^typedef/ && text !~ /\{/) print h "\t" text
        text = "" }' "$h"
  done
}
declarations >"$work/declared"

# Every function stands in its header's index, as itself or under `po_name_...`, and every name there is declared.
index_is_complete() {
  bad=0
  for h in $public; do
    awk '/^ \*$/ { part++ } part == 1 { print } part > 1 { exit }' "$h" | tr -s ' ;:,()' '\n' | sed -n 's/^\(po_[a-z0-9_]*[.]*[a-z0-9_]*\|_[a-z][a-z0-9_]*\)$/\1/p' | sed 's/\.\.\.$/*/; s/_\.\.\._/_*_/' |
      awk '/^_/ { print stem $0; next } { print; stem = $0; n = split(stem, w, "_"); stem = w[1] "_" w[2] }' >"$work/index"
    awk -F'\t' -v h="$h" '$1 == h { sub(/\(.*/, "", $2); sub(/.*[ *]/, "", $2); print $2 }' "$work/declared" | sort -u >"$work/names"
    while read -r declared; do
      found=
      while read -r entry; do case $declared in $entry) found=1; break ;; esac; done <"$work/index"
      [ "$found" ] || { echo "$h declares $declared, which its index does not name"; bad=1; }
    done <"$work/names"
    while read -r entry; do
      case $entry in *'*'*) pattern=$(echo "$entry" | sed 's/\*/[a-z0-9_]*/g') ;; *) pattern=$entry ;; esac
      sed '1,/\*\//d' "$h" | grep -qE "\\b$pattern\\b" || { echo "$h's index names $entry, which it does not declare"; bad=1; }
    done <"$work/index"
  done
  return $bad
}

# After the first input (a value or a const pointer) no number, vector or handle is written: outputs stand before it. Matrix views may be either.
outputs_come_first() {
  awk -F'\t' '{
      args = $2; sub(/^[^(]*\(/, "", args); sub(/\)[^)]*$/, "", args)
      while (args ~ /\([^()]*\)/) gsub(/\([^()]*\)/, "", args) # callbacks
      n = split(args, a, ","); input = ""
      for (i = 1; i <= n; i++) {
        p = a[i]; gsub(/^ | $/, "", p)
        written = p ~ /^(double|int|size_t|uint64_t|unsigned char|signed char|char|po_vec3|po_vec6|po_quat|po_mat3|po_pose) (\*|[a-z]+\[)/ || p ~ /^[a-z_0-9]+ \*\*/
        if (written && input != "") print $1 ": " $2 ": `" p "` is written and comes after `" input "`"
        if (!written && input == "" && (p ~ /^const / || p !~ /\*|^po_mat |^void$/)) input = p
      }
    }' "$work/declared" >"$work/late"
  head -n 40 "$work/late"
  [ ! -s "$work/late" ]
}

# po_X_save comes with po_X_save_bytes and po_X_restore (or _read), and those that can fail say so.
saves_have_size_and_status() {
  bad=0
  for x in $(sed -n 's/.*[ *]\(po_[a-z0-9_]*\)_save(.*/\1/p' "$work/declared" | sort -u); do
    grep -q "size_t ${x}_save_bytes(" "$work/declared" || { echo "${x}_save has no ${x}_save_bytes"; bad=1; }
    grep -q "po_status ${x}_save(" "$work/declared" || { echo "${x}_save returns no po_status"; bad=1; }
    grep -qE "po_status ${x}_(restore|read)\(" "$work/declared" || { echo "${x}_save has no ${x}_restore that returns a po_status"; bad=1; }
  done
  return $bad
}

there_is_something_to_check() { [ "$(wc -l <"$work/declared")" -gt 400 ] || { wc -l <"$work/declared"; return 1; }; }
check declarations_are_found there_is_something_to_check
check index_is_complete index_is_complete
check outputs_come_first outputs_come_first
check saves_have_size_and_status saves_have_size_and_status
finish
