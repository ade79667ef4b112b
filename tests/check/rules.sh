#!/bin/sh
# rules.sh: the house rules that a machine can read: which room may include which, what the library never calls, how long a file may be.
. "$(dirname "$0")/lib"

rooms="base la rbd motion contact qp qp/lex ctrl ctrl/ddp ctrl/moves ctrl/learn ctrl/plan view"
have=$(for r in $rooms; do [ -d "$r" ] && echo "$r"; done)
library=$(for r in $have; do ls "$r"/*.c "$r"/*.h 2>/dev/null; done)

# none PATTERN FILE...: fails and shows the lines when the pattern occurs outside comments.
none() {
  pattern=$1
  shift
  [ $# -gt 0 ] || return 0
  found=$(grep -HnE "$pattern" "$@" | grep -vE '^[^:]+:[0-9]+:[[:space:]]*(/?\*|//)')
  [ -z "$found" ] || { echo "$found"; return 1; }
}
# ours PATTERN...: what is in the tree; in a tarball, where git knows nothing of it, what lies there.
ours() {
  known=$(git ls-files -- "$@" 2>/dev/null)
  [ -z "$known" ] || { echo "$known"; return; }
  for pattern in "$@"; do find . -name "$pattern" ! -path './build*'; done | sed 's,^\./,,'
}
files() { for r in "$@"; do ls "$r"/*.c "$r"/*.h 2>/dev/null; done; }

# A room includes the headers of rooms before it, never of rooms after it; a sub-room of ctrl/ those of ctrl/ and of what it may include.
includes_flow_one_way() {
  bad=0
  up='#include "(\.\./)*'
  last='view|scenes|bench|cli'
  none "$up(la|rbd|motion|contact|qp|ctrl|$last)/" $(files base) || bad=1
  none "$up(rbd|motion|contact|qp|ctrl|$last)/" $(files la) || bad=1
  none "$up(motion|contact|qp|ctrl|$last)/" $(files rbd) || bad=1
  none "$up(contact|qp|ctrl|$last)/" $(files motion) || bad=1
  none "$up(motion|qp|ctrl|$last)/" $(files contact) || bad=1
  none "$up(rbd|motion|contact|ctrl|$last)/" $(files qp qp/lex) || bad=1
  none "$up(ctrl/)?(motion/|contact/[^t]|ddp/|moves/|learn/|plan/|($last)/)" $(files ctrl) || bad=1
  none "$up(ctrl/)?(rbd/|motion/|contact/|moves/|learn/|plan/|($last)/|ctrl\.h)" $(files ctrl/ddp) || bad=1
  none "$up(ctrl/)?(contact/[^t]|learn/|plan/|($last)/)" $(files ctrl/moves) || bad=1
  none "$up(ctrl/)?(contact/[^t]|plan/|($last)/)" $(files ctrl/learn) || bad=1
  none "$up($last)/" $(files ctrl/plan) || bad=1
  none "$up(bench|cli)/" $(files scenes) || bad=1
  none "$up(scenes|bench|cli)/" $(files view) || bad=1
  none "${up}cli/" $(files bench) || bad=1
  return $bad
}
# A header that poise.h does not lead to is read by its room alone.
internal_headers_stay_in_their_room() {
  bad=0
  public=$(${CC:-cc} -I. -MM poise.h | tr -s ' \\' '\n\n')
  for h in $(for r in $have; do ls "$r"/*.h 2>/dev/null; done); do
    echo "$public" | grep -qx "$h" && continue
    room=${h%/*} own=${h%/*}
    [ "$room" = qp/lex ] && own=qp # a folder of its room, not a room
    none "#include \"[a-z./]*\b${room##*/}/${h##*/}\"" $(ours '*.c' '*.h' | grep -v "^$own/" | grep -v '^tests/') || bad=1
  done
  return $bad
}
library_never_prints() { none '\b(printf|fprintf|puts|perror|abort|exit|snprintf|sprintf)\(' $library; }
memory_comes_from_the_allocator() {
  none '\b(malloc|calloc|realloc|aligned_alloc|free)\(' $(for f in $library; do case $f in base/alloc*|base/mem*) ;; *) echo "$f" ;; esac; done)
}
numbers_ignore_the_locale() {
  none '\b(strtod|strtof|atof|sscanf|fscanf)\(' $library $(files scenes view bench cli)
}
files_stay_short() {
  long=$(ours '*.c' '*.h' | xargs wc -l 2>/dev/null | awk '$2 != "total" && $1 > 800 { print $2 " has " $1 " lines" }')
  [ -z "$long" ] || { echo "$long"; return 1; }
}
functions_stay_short() {
  long=$(ours '*.c' | xargs awk 'FNR == 1 { start = 0 }
    /^[A-Za-z_].*\(.*[^;]$/ { name = $0; start = FNR }
    /^}/ { if (start && FNR - start > 90) printf "%s:%d: %d lines: %.60s\n", FILENAME, start, FNR - start, name; start = 0 }')
  [ -z "$long" ] || { echo "$long"; return 1; }
}
# An array inside a struct that a call returns dies with the full expression: `f(make(x).text)` must not keep it (clang 22 reuses the place at once, gcc 12
# and clang 14 do not). For each struct with arrays, the functions that return it; reading one element (`make(x).text[0]`) is a copy and fine.
no_pointer_into_a_temporary() {
  sources=$(ours '*.c' '*.h')
  patterns=$(cat $sources | awk '
    /^typedef struct[^;]*[{]/ { inside = 1; arrays = "" }
    inside {
      line = $0
      sub(/[/][*].*/, "", line)
      while (match(line, /[A-Za-z_][A-Za-z0-9_]*\[[^]]*\][^;{}]*;/)) {
        n = split(substr(line, RSTART, RLENGTH), part, /[,;]/)
        for (i = 1; i <= n; i++) if (part[i] ~ /\[/) { sub(/\[.*/, "", part[i]); sub(/.*[ *]/, "", part[i]); arrays = arrays "|" part[i] }
        line = substr(line, RSTART + RLENGTH)
      }
    }
    inside && match($0, /[}] *[A-Za-z_][A-Za-z0-9_]*;/) {
      name = substr($0, RSTART, RLENGTH)
      gsub(/[} ;]/, "", name)
      if (arrays != "") of[name] = substr(arrays, 2)
      inside = 0
    }
    match($0, /^(static )?(inline )?[a-z_0-9]+ [a-z_0-9]+[(]/) {
      n = split(substr($0, 1, RLENGTH - 1), word, " ")
      calls[word[n]] = word[n - 1]
    }
    END { for (f in calls) if (calls[f] in of) printf "%s(\\((?:[^()]|(?-1))*\\))\\.(?:%s)\\b(?!\\s*\\[)\n", f, of[calls[f]] }')
  [ -n "$patterns" ] || { echo "no struct with arrays was found: the rule reads nothing"; return 1; }
  found=$(printf '%s\n' "$patterns" | while read -r p; do grep -nP "\b$p" $sources; done)
  [ -z "$found" ] || { echo "$found"; return 1; }
}
nothing_is_left_unfinished() {
  words='TO''DO|FIX''ME|\bXX''X\b|HA''CK|not impl''emented|\bst''ub\b'
  found=$(grep -nIE "$words" $(ours '*.c' '*.h' '*.md') Makefile)
  [ -z "$found" ] || { echo "$found"; return 1; }
}

check includes_flow_one_way includes_flow_one_way
check internal_headers_stay_in_their_room internal_headers_stay_in_their_room
check library_never_prints library_never_prints
check memory_comes_from_the_allocator memory_comes_from_the_allocator
check numbers_ignore_the_locale numbers_ignore_the_locale
check files_stay_short files_stay_short
check functions_stay_short functions_stay_short
check no_pointer_into_a_temporary no_pointer_into_a_temporary
check nothing_is_left_unfinished nothing_is_left_unfinished
finish
