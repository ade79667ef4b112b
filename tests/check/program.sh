#!/bin/sh
# program.sh: the program as a user meets it: exit codes, messages, and output that cannot be written.
. "$(dirname "$0")/lib"
poise=$BUILD/poise

# expect CODE TEXT COMMAND...: the exit code, and a text that must stand in what is said.
expect() {
  code=$1 text=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq "$code" ] || { echo "exit code $got, expected $code"; cat "$work/err"; return 1; }
  grep -qF -- "$text" "$work/out" "$work/err" || { echo "did not say '$text'"; cat "$work/out" "$work/err"; return 1; }
}
to_full_disk() { sh -c '"$1" bench la --case dot --seconds 1e-5 >/dev/full' - "$poise"; }
one_object() { # JSON on standard output, and nothing else
  "$poise" bench la --case dot --seconds 1e-5 --json - >"$work/json" || return 1
  [ "$(head -c 1 "$work/json")" = "{" ] && [ "$(wc -l <"$work/json")" -eq 1 ] || { echo "more than one line"; return 1; }
  for field in room case variant size start median_ns p99_ns min_ns flops share_of_peak status peak_gflops cpu compiler flags commit; do
    grep -q "\"$field\":" "$work/json" || { echo "no field $field"; return 1; }
  done
}
all_sizes() {
  for size in 6 12 24 36 48 64 96 128; do
    grep -q "\"case\":\"dot\",\"variant\":\"scalar\",\"size\":$size," "$work/json" || { echo "no size $size"; return 1; }
  done
}
german() { LC_ALL=de_DE.UTF-8 "$poise" bench la --case dot --seconds 1e-5 --json - | grep -q '"median_ns":[0-9]*\.[0-9]'; }

check help_without_arguments expect 0 "usage: poise COMMAND" "$poise"
check help_of_a_command expect 0 "--against OLD.json" "$poise" help bench
check help_as_an_option expect 0 "--against OLD.json" "$poise" bench --help
check version expect 0 "poise 0." "$poise" --version
check version_names_simd expect 0 "simd      scalar" "$poise" version --simd scalar
check mistyped_command expect 2 "did you mean 'bench'" "$poise" bnech
check unknown_command expect 2 "there is no command" "$poise" xyzzyxyzzy
check mistyped_option expect 2 "did you mean --against" "$poise" bench --agianst x
check mistyped_room expect 2 "there is no room" "$poise" bench lla
check option_before_command expect 2 "before a command" "$poise" --json
check missing_value expect 2 "needs a value" "$poise" bench --json
check bad_number expect 2 "is not a number" "$poise" bench --seconds fast
check too_many_arguments expect 2 "unexpected argument" "$poise" version x
check no_such_case expect 2 "no case" "$poise" bench la --case nonesuch
check unwritable_file expect 2 "/no/such/folder/x" "$poise" bench la --case dot --seconds 1e-5 --json /no/such/folder/x
check missing_report expect 2 "/no/such/old.json" "$poise" bench la --case dot --seconds 1e-5 --against /no/such/old.json
if [ -w /dev/full ]; then check full_disk expect 2 "could not be written" to_full_disk
else skip full_disk "there is no /dev/full"; fi
check json_is_one_object one_object
check json_has_every_size all_sizes
check german_locale_changes_nothing german
check against_itself expect 0 "0 lost" "$poise" bench la --case dot --seconds 1e-5 --against "$work/json"
finish
