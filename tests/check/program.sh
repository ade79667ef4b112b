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

# Every command that writes, to a disk that is full: exit code 2 and a message that names the file.
full() { # full FILE COMMAND...
  file=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq 2 ] && grep -qF -- "$file" "$work/err" || { echo "exit code $got: $(cat "$work/err")"; return 1; }
}
full_stdout() {
  for words in help "help run" "help --man" "help --bash" version list "list walk" "list --json" "dyn human --random 1" \
    "qp $work/small.qps" "hqp $work/small.hqp" "run stack --seconds 0.01" "run stack --seconds 0.01 --json -" "replay $work/r.trace --html -"; do
    "$poise" $words >/dev/full 2>"$work/err"
    got=$?
    [ $got -eq 2 ] && grep -q "could not be written" "$work/err" || { echo "poise $words: exit code $got: $(cat "$work/err")"; return 1; }
  done
}
full_files() {
  for option in json csv html svg trace; do
    full /dev/full "$poise" run stack --seconds 0.01 --$option /dev/full || { echo "--$option"; return 1; }
  done
  full /dev/full "$poise" run balance --seconds 0.002 --dump-hqp /dev/full || return 1
  for option in json html; do
    full /dev/full "$poise" bench la --case dot --seconds 1e-5 --$option /dev/full || { echo "bench --$option"; return 1; }
  done
  for option in html svg csv; do
    full /dev/full "$poise" replay "$work/r.trace" --$option /dev/full || { echo "replay --$option"; return 1; }
  done
  for words in "dyn human --random 1" "qp $work/small.qps" "hqp $work/small.hqp"; do
    full /dev/full "$poise" $words --json /dev/full || { echo "$words"; return 1; }
  done
}
small_files() {
  printf 'NAME small\nROWS\n N obj\n G low\nCOLUMNS\n x obj 1 low 1\nRHS\n r low 2\nENDATA\n' >"$work/small.qps"
  printf 'hqp 1\nproblem p variables 2\nlevel a hard rows 1\n1 1 1 1\nlevel b rows 1\n0 0 1 0\nend\n' >"$work/small.hqp"
  "$poise" run stack --seconds 0.05 --trace "$work/r.trace" >/dev/null
}
solves_small_files() {
  "$poise" qp "$work/small.qps" | grep -q '"objective": 2' && "$poise" hqp "$work/small.hqp" | grep -q '"status": "optimal"' || { echo "not solved"; return 1; }
}

# Ctrl-C: the reports are whole, and hold what there was. --against reads them with our own JSON reader.
is_json() { "$poise" bench la --case dot --seconds 1e-5 --against "$1" >"$work/out" 2>"$work/err" || grep -q 'has no "results"' "$work/err" || { cat "$work/err"; return 1; }; }
interrupt() { # interrupt COMMAND...: sends SIGINT when it has begun; the exit code is in $got
  "$@" >"$work/out" 2>"$work/err" &
  child=$!
  sleep 1
  kill -INT $child
  wait $child
  got=$?
}
interrupted_run() {
  interrupt "$poise" run balance --seconds 600 --json "$work/i.json" --csv "$work/i.csv" --trace "$work/i.trace" --html "$work/i.html" --svg "$work/i.svg"
  [ $got -eq 1 ] || { echo "exit code $got"; cat "$work/err"; return 1; }
  is_json "$work/i.json" && is_json "$work/i.trace" || return 1
  grep -q '"failure_reason": "interrupted at ' "$work/i.json" || { echo "the report does not say that it was interrupted"; return 1; }
  for field in scenario model seed dt control_hz steps sim_seconds wall_seconds realtime_factor simd hqp qp formulation outcome fell_at result profile solver com feet \
    peak_torque energy state_hash; do
    grep -q "\"$field\":" "$work/i.json" || { echo "no field $field"; return 1; }
  done
  tail -n 1 "$work/i.html" | grep -q '</html>' && tail -n 1 "$work/i.svg" | grep -q '</svg>' || { echo "a page is cut off"; return 1; }
  "$poise" replay "$work/i.trace" --csv "$work/again.csv" && cmp "$work/i.csv" "$work/again.csv"
}
interrupted_bench() {
  interrupt "$poise" bench la --json "$work/i.json" --html "$work/i.html" --seconds 0.05
  [ $got -eq 1 ] || { echo "exit code $got"; cat "$work/err"; return 1; }
  grep -q '"interrupted":true' "$work/i.json" && grep -q '"case":"dot"' "$work/i.json" || { echo "the report is wrong"; return 1; }
  is_json "$work/i.json" && tail -n 1 "$work/i.html" | grep -q '</html>'
}

# A line that shows how far a run is: on a terminal only.
progress_on_a_terminal() {
  script -qec "$poise run balance --seconds 10" "$work/typed" >/dev/null 2>&1 </dev/null
  grep -q '\[[#.]*\] .* / 10.00 s .*x real time .* s left' "$work/typed" || { echo "no line"; cat -v "$work/typed"; return 1; }
}
silence_in_a_pipe() {
  "$poise" run balance --seconds 0.5 2>"$work/err" | cat >"$work/out"
  [ ! -s "$work/err" ] && ! grep -q "$(printf '\r')" "$work/out" || { echo "something was drawn"; cat -v "$work/err"; return 1; }
}
scalar_bench() {
  "$poise" bench --simd scalar --case balance --seconds 1e-5 --json "$work/scalar.json" >/dev/null || return 1
  grep -q '"simd":"scalar"' "$work/scalar.json" && ! grep -q '"simd":"avx2"' "$work/scalar.json" || { echo "other paths than scalar"; return 1; }
}
counters_are_named() { grep -q '"counters":"\(none (.*)\|instructions.*\|cycles\)"' "$work/json" || { echo "no word on performance counters"; return 1; }; }
every_hqp_column() {
  "$poise" bench hqp --case walk_reduced --seconds 1e-5 --json "$work/hqp.json" >/dev/null || return 1
  for field in status iterations kkt violation agreement disagreement solved flops median_ns p99_ns max_ns share_of_peak levels tick_us start simd hqp qp nullspace formulation; do
    grep -q "\"$field\":" "$work/hqp.json" || { echo "no field $field"; return 1; }
  done
  for variant in lexicographic "reparam as orthogonal" "reparam as svd" "reparam ip orthogonal" "reparam ip svd" "linear as" "linear ip" "weighted as" "weighted ip"; do
    for start in cold warm; do
      grep -q "\"variant\":\"$variant scalar\",\"size\":[0-9]*,\"start\":\"$start\"" "$work/hqp.json" || { echo "no $variant, $start"; return 1; }
    done
  done
}
both_formulations() {
  for set in balance jump walk; do
    [ "$(grep -c '^problem' bench/problems/${set}_reduced.hqp)" -ge 10 ] && [ "$(grep -c '^problem' bench/problems/${set}_full.hqp)" -ge 5 ] || { echo "$set is short"; return 1; }
  done
}
every_nth_problem() {
  "$poise" run balance --seconds 0.05 --dump-hqp "$work/all.hqp" --dump-every 10 >/dev/null
  [ "$(grep -c '^problem' "$work/all.hqp")" -eq 5 ] || { echo "$(grep -c '^problem' "$work/all.hqp") problems"; return 1; }
}

# A body whose second link has an inertia that no body has, and no shape at all.
cat >"$work/odd.urdf" <<'END'
<robot name="odd">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>
END
warns() { # warns CODE COMMAND...: by itself, refused when strict, silent when quiet; standard output is the same
  usual=$1
  shift
  expect "$usual" "odd.urdf:3: warning: link 'arm': no body has the inertia" "$@" || return 1
  expect 2 "odd.urdf:3: link 'arm': no body has the inertia" "$@" --strict || return 1
  "$@" --quiet >"$work/out" 2>"$work/err"
  [ $? -eq "$usual" ] && ! grep -q warning "$work/err" || { echo "--quiet: $(cat "$work/err")"; return 1; }
}
models_warn() {
  warns 0 "$poise" dyn "$work/odd.urdf" --random 1 && warns 1 "$poise" run drop --seconds 0.01 --model "$work/odd.urdf" &&
    warns 0 "$poise" bench rbd --case aba --seconds 1e-5 --model "$work/odd.urdf"
}

check models_warn_in_every_command models_warn
# A mesh in a package that is not beside the model: not found, then by option, then by either variable of the environment.
mkdir -p "$work/elsewhere/far/parts" "$work/model"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n' >"$work/elsewhere/far/parts/a.obj"
cat >"$work/model/far.urdf" <<'END'
<robot name="far"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="package://far/parts/a.obj"/></geometry></collision></link></robot>
END
meshes_of_packages() {
  expect 2 "--package NAME=DIR tells where a package is" "$poise" dyn "$work/model/far.urdf" --random 1 --strict --package far=/nowhere || return 1
  expect 0 '"nv": 6' "$poise" dyn "$work/model/far.urdf" --random 1 --strict --package far="$work/elsewhere/far" || return 1
  expect 0 '"nv": 6' env POISE_PACKAGE_PATH="/nowhere:$work/elsewhere" "$poise" dyn "$work/model/far.urdf" --random 1 --strict || return 1
  expect 0 '"nv": 6' env ROS_PACKAGE_PATH="$work/elsewhere/far" "$poise" dyn "$work/model/far.urdf" --random 1 --strict || return 1
  expect 2 "it must be NAME=DIR" "$poise" dyn "$work/model/far.urdf" --random 1 --package far
}
check meshes_of_packages meshes_of_packages
check own_models_are_strict expect 0 '"nv": 35' "$poise" dyn models/human.urdf --random 1 --strict
check a_body_without_shapes_cannot_succeed expect 1 "has no shape to touch anything with" "$poise" run drop --model "$work/odd.urdf" --quiet
# Nothing that is shown is wider than a terminal.
within_80_columns() {
  for words in "help" "list" $("$poise" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/help_\1/p') $("$poise" list | sed -n 's/^\([a-z][a-z-]*\) .*/list_\1/p') bench_la_--case_dot_--seconds_1e-5; do
    "$poise" $(echo "$words" | sed 's/_/ /g') | LC_ALL=C sed 's/[\x80-\xBF]//g' | awk -v w="$words" 'length($0) > 80 { print w ": " $0; bad = 1 } END { exit bad }' || return 1
  done
}
no_control_characters() { # of a file or a command line
  "$poise" run "$(printf 'wa\033[2Jlk')" >"$work/out" 2>&1
  printf '<robot name="x"><link name="a\033[31mb"/><link name="a\033[31mb"/></robot>' >"$work/evil.urdf"
  "$poise" dyn "$work/evil.urdf" --random 1 >>"$work/out" 2>&1
  printf '{"a\\u001b[2J": 1}' >"$work/evil.json"
  "$poise" dyn human --state "$work/evil.json" >>"$work/out" 2>&1
  [ -s "$work/out" ] && ! grep -q "$(printf '\033')" "$work/out" || { cat -v "$work/out"; return 1; }
}
# The same bytes whoever does the work.
small_map="run push-map --set directions=4 weighted=0 resolution=0.5 push_time=0.05 seconds=0.3"
same_map_by_any_number() {
  "$poise" $small_map --json "$work/map1.json" >/dev/null && "$poise" $small_map --jobs 2 --json "$work/map2.json" >/dev/null || { echo "the map failed"; return 1; }
  cmp "$work/map1.json" "$work/map2.json"
}
same_map_from_shards() {
  for i in 0 1 2; do "$poise" $small_map --shard $i/3 --json "$work/part$i" || return 1; done
  "$poise" merge "$work/part2" "$work/part0" "$work/part1" --out "$work/map3.json" >/dev/null && cmp "$work/map1.json" "$work/map3.json"
}

check help_without_arguments expect 0 "usage: poise COMMAND" "$poise"
check help_of_a_command expect 0 "--against OLD.json" "$poise" help bench
check help_as_an_option expect 0 "--against OLD.json" "$poise" bench --help
check version expect 0 "poise 0." "$poise" --version
check version_names_simd expect 0 "simd      scalar" "$poise" version --simd scalar
check mistyped_command expect 2 "did you mean 'bench'" "$poise" bnech
check unknown_command expect 2 "there is no command" "$poise" xyzzyxyzzy
check mistyped_option expect 2 "did you mean --against" "$poise" bench --agianst x
check mistyped_room expect 2 "there is no room" "$poise" bench lla
check option_before_command expect 2 "must follow a command" "$poise" --json
check missing_value expect 2 "needs a value" "$poise" bench --json
check bad_number expect 2 "is not a number" "$poise" bench --seconds fast
check too_many_arguments expect 2 "unexpected argument" "$poise" version x
check no_such_case expect 2 "no case" "$poise" bench la --case nonesuch
check unwritable_file expect 2 "/no/such/folder/x" "$poise" bench la --case dot --seconds 1e-5 --json /no/such/folder/x
check missing_report expect 2 "/no/such/old.json" "$poise" bench la --case dot --seconds 1e-5 --against /no/such/old.json
check mistyped_scenario expect 2 "did you mean 'walk'" "$poise" run wlak
check mistyped_scenario_in_list expect 2 "did you mean 'balance'" "$poise" list balanec
check mistyped_parameter expect 2 "did you mean 'heading'" "$poise" run walk --set headnig=3
check mistyped_choice expect 2 "did you mean reparam" "$poise" run balance --hqp repram
check small_files small_files
check within_80_columns within_80_columns
check no_control_characters no_control_characters
check one_file_for_two_outputs expect 2 "would both be written" "$poise" run stack --seconds 0.01 --json "$work/x" --csv "$work/x"
check one_file_for_two_views expect 2 "would both be written" "$poise" replay "$work/r.trace" --svg "$work/x" --csv "$work/x"
check filmstrip_beyond_the_end expect 2 "the recording ends at" "$poise" replay "$work/r.trace" --svg "$work/x" --from 7
printf '{"joint_position": [0]}' >"$work/typo.json"
check state_with_an_unknown_key expect 2 "did you mean 'joint_positions'" "$poise" dyn human --state "$work/typo.json"
check push_after_the_end expect 2 "the run ends at" "$poise" run balance --seconds 1 --push 2,0.1,10,0,0
check push_on_things expect 2 "no body to push" "$poise" run stack --push 1,0.1,10,0,0
check push_with_the_optimizer expect 0 "success" "$poise" run balance --advance optimizer --seconds 3 --push 1,0.1,60,0,0
check jobs_of_one_simulation expect 2 "cannot be shared out" "$poise" run balance --jobs 2
check same_map_by_any_number_of_processes same_map_by_any_number
check same_map_from_shards same_map_from_shards
check missing_part expect 2 "part 2/3 is missing" "$poise" merge "$work/part0" "$work/part1" --out "$work/x"
check doubled_part expect 2 "are both part 1/3" "$poise" merge "$work/part0" "$work/part1" "$work/part1" "$work/part2" --out "$work/x"
check solves_small_files solves_small_files
if [ -w /dev/full ]; then
  check full_disk expect 2 "could not be written" to_full_disk
  check full_disk_behind_standard_output full_stdout
  check full_disk_behind_every_file full_files
else skip full_disk "there is no /dev/full"; fi
check interrupted_run_has_whole_reports interrupted_run
check interrupted_bench_has_a_whole_report interrupted_bench
if command -v script >/dev/null 2>&1 && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then check progress_on_a_terminal progress_on_a_terminal
else skip progress_on_a_terminal "there is no script(1) to make a terminal"; fi
check silence_in_a_pipe silence_in_a_pipe
check scalar_bench scalar_bench
check every_hqp_column every_hqp_column
check recorded_problems_of_both_formulations both_formulations
check every_nth_problem every_nth_problem
check json_is_one_object one_object
check json_has_every_size all_sizes
check counters_are_named counters_are_named
check german_locale_changes_nothing german
check against_itself expect 0 "0 lost" "$poise" bench la --case dot --seconds 1e-5 --against "$work/json"
finish
