#!/bin/sh
# solvers.sh: a stranger's solver enters by the page alone: a library and a program, judged on problems that the one can solve and the other cannot.
. "$(dirname "$0")/lib"

"$BUILD/poise" generate hqp --family equalities --n 12 --levels 3 --rows 4 --count 4 --out "$work/equal.hqp" || exit 1
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 -O2 -shared -fPIC -o "$work/libtoy.so" examples/solvers/toy.c -lm >"$work/log" 2>&1 || { skip solvers "no shared libraries here"; finish; }

row() { grep "^$1," "$work/out.csv" | grep "$2" | grep ",$3," | cut -d, -f"$4"; }
library_is_right() {
  "$BUILD/poise" bench hqp "$work/equal.hqp" --solver "$work/libtoy.so" --repeats 1 --csv "$work/out.csv" >"$work/table" && grep -q 'equal,"toy 1",cold,4,4,0,0,4,4,4' "$work/out.csv"
}
process_is_judged() {
  command -v python3 >/dev/null 2>&1 || return 0
  "$BUILD/poise" generate hqp --family random --n 4 --levels 2 --rows 4 --count 3 --out "$work/random.hqp" &&
    "$BUILD/poise" bench hqp "$work/random.hqp" --solver-process 'python3 examples/solvers/hqp.py' --repeats 1 --csv "$work/out.csv" >"$work/table" &&
    [ "$(row random lexicographic cold 7)" = 0 ] && [ "$(row random python3 cold 7)" -ge 1 ]
}
nonsense_is_refused() {
  ! "$BUILD/poise" bench hqp "$work/equal.hqp" --solver "$work/none.so" >"$work/log" 2>&1 && grep -q none.so "$work/log" &&
    ! "$BUILD/poise" bench hqp --compare >"$work/log" 2>&1 && ! "$BUILD/poise" generate hqp --family nobody >"$work/log" 2>&1 && grep -q low-rank "$work/log"
}
same_bits() {
  "$BUILD/poise" generate hqp --family ties --seed 3 --count 2 >"$work/a" && "$BUILD/poise" generate hqp --family ties --seed 3 --count 2 >"$work/b" && cmp "$work/a" "$work/b" &&
    ! { "$BUILD/poise" generate hqp --family ties --seed 4 --count 2 | cmp -s - "$work/a"; }
}
check a_library_is_measured_and_right library_is_right
check a_program_is_measured_and_found_wrong process_is_judged
check nonsense_is_refused nonsense_is_refused
check the_same_seed_gives_the_same_bits same_bits
finish
