#!/bin/sh
# ddp.sh: `poise ddp` as a user meets it: the fields of its report, exit codes, and messages for bad input.
. "$(dirname "$0")/lib"
poise=$BUILD/poise
good=tests/fuzz/corpus/ddp/stand.json

# expect CODE TEXT COMMAND...
expect() {
  code=$1 text=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq "$code" ] || { echo "exit $got where $code was expected: $(head -n 1 "$work/err")"; return 1; }
  grep -q -- "$text" "$work/out" "$work/err" || { echo "'$text' was not said but: $(head -n 2 "$work/err")"; return 1; }
}
fields() {
  "$poise" ddp pendulum --json "$work/r.json" >"$work/out" || return 1
  [ ! -s "$work/out" ] || { echo "something on standard output"; return 1; }
  for f in problem status iterations sweeps cost goal_error stationarity complementarity curvature_min micros; do
    grep -q "\"$f\":" "$work/r.json" || { echo "$f is missing"; return 1; }
  done
}
# A copy of the good file with a change, and what must be said about it.
changed() { sed "s/$1/$2/" "$good" >"$work/bad.json"; expect 2 "bad.json:1:.*$3" "$poise" ddp "$work/bad.json"; }
cut() { head -c 300 "$good" >"$work/cut.json"; expect 2 "cut.json:1" "$poise" ddp "$work/cut.json"; }
far() { sed 's/"goal": \[0, 0,/"goal": [5, 0,/' "$good" >"$work/far.json"; expect 1 goal_unreachable "$poise" ddp "$work/far.json"; }
same_bits() {
  a=$("$poise" ddp cart-pole --simd scalar | grep '"hash"') b=$("$poise" ddp cart-pole --simd scalar | grep '"hash"')
  [ -n "$a" ] && [ "$a" = "$b" ] || { echo "$a and $b"; return 1; }
}

check fields fields
check textbook expect 0 '"status": "optimal"' "$poise" ddp car --derivatives full
check bounds expect 0 '"cost": 0.56083' "$poise" ddp pendulum --set u_max=3
check methods expect 0 '"method": "interior"' "$poise" ddp pendulum --set u_max=3 --method interior
check gauss_newton expect 0 '"derivatives": "gauss-newton"' "$poise" ddp pendulum --derivatives gauss-newton
check file expect 0 '"problem": "tiny"' "$poise" ddp $good
check file_with_free_time expect 0 '"p": \[' "$poise" ddp $good --set time=1
check full expect 0 '"mu": \[' "$poise" ddp $good --full
check iteration_limit expect 1 iteration_limit "$poise" ddp cart-pole --iterations 3
check goal_out_of_reach far
check same_bits same_bits
check mistyped_problem expect 2 "did you mean 'pendulum'" "$poise" ddp pendulm
check unknown_problem expect 2 "there are lqr, pendulum, cart-pole, car and files" "$poise" ddp xyzzyxyzzy
check missing_problem expect 2 "missing lqr|pendulum" "$poise" ddp
check missing_file expect 2 "nosuch.json" "$poise" ddp nosuch.json
check mistyped_method expect 2 "did you mean interior" "$poise" ddp lqr --method interor
check bad_setting expect 2 "is not a number" "$poise" ddp pendulum --set u_max=much
check negative_bound expect 2 "u_max must be positive" "$poise" ddp pendulum --set u_max=-1
check unknown_setting expect 2 "only u_max" "$poise" ddp pendulum --set mass=1
check unknown_file_setting expect 2 "mass, dt, w_force" "$poise" ddp $good --set u_max=1
check file_cut_short cut
check file_with_nan changed '"mass": 70' '"mass": NaN' ""
check file_with_text changed '"mass": 70' '"mass": "70"' "finite number"
check file_without_mass changed '"mass": 70, ' '' "is missing"
check file_with_short_row changed '"start": \[0, ' '"start": [' "12 numbers"
check file_without_weight changed '"w_force": 1' '"w_force": 0' "w_force"
finish
