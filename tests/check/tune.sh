#!/bin/sh
# tune.sh: `poise tune` as a user meets it: one answer whoever does the runs and whatever dies meanwhile, and a sentence for what cannot be.
. "$(dirname "$0")/lib"
poise=$PWD/$BUILD/poise top=$PWD
: "${PYTHON:=python3}"
case $BUILD in /*) poise=$BUILD/poise ;; esac
cd "$work" || exit 1
ask="simbicon gain_scale=0.5:2 --model biped7 --seconds 0.4 --free feedback=0.6:1.4 --cost peak_torque+0.001*energy.motors~100 --keep outcome=success --seeds 1,2"
how="--judge 101..103 --budget 21"

# expect CODE TEXT COMMAND...
expect() {
  code=$1 text=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq "$code" ] || { echo "exit code $got, expected $code: $(head -n 2 "$work/err")"; return 1; }
  grep -qF -- "$text" "$work/out" "$work/err" || { echo "did not say '$text' but: $(head -n 2 "$work/err")"; return 1; }
}
same() { cmp one.json "$1" && cmp one.json.state "$1.state"; }
one_answer() { "$poise" tune $ask $how --out one.json --json one.points --html one.html >/dev/null && grep -q '"falls_per_hundred": 0' one.json; }
jobs() { "$poise" tune $ask $how --out jobs.json --json jobs.points --html jobs.html --jobs 3 >/dev/null && same jobs.json && cmp one.points jobs.points && cmp one.html jobs.html; }
settings() { # the run with what was found is the run that was judged
  "$poise" run simbicon --model biped7 --seconds 0.4 --seed 101 --settings one.json --json run.json && grep -q '"outcome": "success"' run.json || return 1
  value=$(sed -n 's/^  "feedback": \(.*\),$/\1/p' one.json) gain=$(sed -n 's/^  "gain_scale": \(.*\),$/\1/p' one.json)
  "$poise" run simbicon --model biped7 --seconds 0.4 --seed 101 --set feedback="$value" gain_scale="$gain" --json set.json &&
    [ "$(grep state_hash run.json)" = "$(grep state_hash set.json)" ] || { echo "--settings and --set differ"; return 1; }
}
page() { grep -q '<svg' one.html && ! grep -qE 'https?://' one.html; }
front() {
  "$poise" tune $ask --cost energy.motors --judge 101 --budget 48 --out front.json --html front.html >/dev/null && grep -q '"front": {' front.json && grep -q 'class="front"' front.html || return 1
  "$poise" tune $ask --cost energy.motors --judge 101 --budget 48 --out front2.json --jobs 2 >/dev/null && cmp front.json front2.json
}
noise() {
  "$poise" tune ${ask%--seeds*} --noise 4 $how --out noise.json >/dev/null && "$poise" tune ${ask%--seeds*} --noise 4 $how --out noise2.json --jobs 2 >/dev/null && cmp noise.json noise2.json
}
over() {
  "$poise" tune $ask --over push=none --over push=0.2,0.1,20,0,0 --over friction=0.6 --over friction=0.9 --judge 101 --budget 7 --out over.json >/dev/null || return 1
  [ "$(grep -c friction over.json)" -eq 1 ] # in the command
}
other_methods() {
  for method in nelder-mead random; do "$poise" tune $ask $how --method $method --out $method.json >/dev/null || { echo "$method"; return 1; }; done
}

# ---- interrupted, killed, full ----
until_generation() { # until_generation N STATE PID: the state holds so many
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    [ -e "$2" ] && [ "$(grep -c '\], \[' "$2")" -ge 1 ] && [ "$(grep -o '\], \[' "$2" | wc -l)" -ge "$1" ] && return 0
    kill -0 "$3" 2>/dev/null || return 0
    sleep 0.1
  done
}
stopped_by() { # SIGNAL NAME
  "$poise" tune $ask $how --budget 60 --out "$2.json" >/dev/null 2>"$2.err" &
  child=$!
  until_generation 1 "$2.json.state" $child
  kill "-$1" $child 2>/dev/null
  wait $child 2>/dev/null
  [ ! -e "$2.json" ] || { echo "it was done before it could be stopped"; return 1; }
  "$poise" tune $ask $how --budget 60 --out "$2.json" --continue --jobs 2 >/dev/null || return 1
  [ -e long.json ] || "$poise" tune $ask $how --budget 60 --out long.json --jobs 2 >/dev/null
  cmp long.json "$2.json" && cmp long.json.state "$2.json.state"
}
longer() { cp one.json.state more.json.state; "$poise" tune $ask $how --budget 60 --out more.json --continue >/dev/null && [ -e long.json ] && cmp long.json more.json; }
from_alone() { "$poise" tune --from one.json.state $how --budget 60 --out alone.json >/dev/null && cmp long.json alone.json; }
small_files() { trap '' XFSZ; ulimit -f 3; "$@"; } # no file above three blocks: as a full disk
full_disk() {
  (small_files "$poise" tune $ask $how --budget 60 --out full.json >/dev/null 2>full.err)
  [ $? -eq 2 ] && grep -qF "full.json.state.new" full.err || { cat full.err; return 1; }
  [ ! -e full.json.state.new ] && grep -q '"hash"' full.json.state || { echo "what was kept is not whole"; return 1; }
  "$poise" tune $ask $how --budget 60 --out full.json --continue >/dev/null && cmp long.json full.json && cmp long.json.state full.json.state
}
killed_process() { # one of the processes of --jobs, in the middle
  "$poise" tune $ask $how --budget 60 --jobs 2 --out child.json >/dev/null 2>child.err &
  parent=$! hit=no
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.05
    process=$(ps -o pid= --ppid $parent 2>/dev/null | head -n 1)
    [ -n "$process" ] && kill -9 $process 2>/dev/null && hit=yes && break
  done
  [ $hit = yes ] || { echo "there was no process to kill"; wait $parent; return 1; }
  wait $parent && cmp long.json child.json || { cat child.err; return 1; }
}

# ---- workers ----
cat >flaky <<'END'
#!/bin/sh
# one worker is killed before it begins, another leaves half a part
mkdir killed 2>/dev/null && kill -9 $$
mkdir halved 2>/dev/null && { for last in "$@"; do :; done; echo half >"$last"; exit 1; }
exec "$@"
END
chmod +x flaky
workers() { "$poise" tune $ask $how --workers env --jobs 2 --out workers.json >/dev/null && same workers.json; }
lost_workers() { "$poise" tune $ask $how --workers ./flaky --jobs 2 --out flaky.json >/dev/null && same flaky.json && [ -d killed ] && [ -d halved ]; }
no_workers() { expect 2 "could not be started" "$poise" tune $ask $how --workers no-such-program --out none.json; }
dying_workers() { expect 2 "worker 1 of 1 ended with exit code 1 and without its part, 3 times" "$poise" tune $ask $how --workers false --out dying.json; }
shards() { # generation after generation, each in three shares
  i=0
  while :; do
    from="--from s.state"
    [ -e s.state ] || from=$ask
    for k in 0 1 2; do
      "$poise" tune $from --budget 21 --shard $k/3 --state p$k >/dev/null 2>shard.err || { grep -q "is spent" shard.err && break 2 || { cat shard.err; return 1; }; }
    done
    "$poise" merge p2 p0 p1 --out s.state >/dev/null || return 1
    i=$((i + 1))
    [ $i -lt 9 ] || { echo "does not end"; return 1; }
  done
  [ $i -eq 3 ] && "$poise" tune --from s.state --judge 101..103 --verdict --out s.json --jobs 2 >/dev/null && cmp one.json s.json && cmp one.json.state s.state
}
by_parallel() {
  rm -f g.state
  for i in 1 2 3; do
    from="--from g.state"
    [ -e g.state ] || from=$ask
    parallel --will-cite -j2 "$poise" tune $from --budget 21 --shard {}/4 --state q{} ::: 0 1 2 3 >/dev/null || return 1
    "$poise" merge q0 q1 q2 q3 --out g.state >/dev/null || return 1
  done
  cmp one.json.state g.state
}
by_sem() { "$poise" tune $ask $how --workers "sem --will-cite --fg -j2 --id poise$$" --jobs 2 --out sem.json >/dev/null && same sem.json; }
by_slurm() { "$poise" tune $ask $how --workers "srun -n1 -Q" --jobs 2 --out srun.json >/dev/null && same srun.json; }
by_slurm_killed() { # scancel of whatever runs, twice; then the same answer
  "$poise" tune $ask $how --workers "srun -n1 -Q" --jobs 2 --out cancel.json >/dev/null 2>cancel.err &
  child=$!
  sleep 1
  squeue -h -o %i --me | head -n 1 | xargs -r scancel
  wait $child && same cancel.json || { cat cancel.err; return 1; }
}
by_slurm_array() {
  printf '#!/bin/sh\nexec %s tune %s --budget 21 --shard $SLURM_ARRAY_TASK_ID/4 --state r$SLURM_ARRAY_TASK_ID\n' "$poise" "$ask" >array.sh
  sbatch -W -Q --array=0-3 array.sh && "$poise" merge r0 r1 r2 r3 --out array.state >/dev/null && "$poise" tune --from array.state $how --out array.json >/dev/null && cmp one.json array.json
}
by_dask() {
  "$PYTHON" -m distributed.cli.dask_scheduler --port 0 --no-dashboard --scheduler-file "$work/dask.json" >dask.log 2>&1 &
  scheduler=$!
  "$PYTHON" -m distributed.cli.dask_worker --scheduler-file "$work/dask.json" --nworkers 1 --nthreads 2 --no-dashboard >>dask.log 2>&1 &
  worker=$!
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    address=$(sed -n 's/.*"address": "\(tcp[^"]*\)".*/\1/p' dask.json 2>/dev/null | head -n 1)
    [ -n "$address" ] && break
    sleep 0.5
  done
  "$poise" tune $ask --judge 101..103 --budget 21 --workers "$PYTHON $top/tools/dask_run $address" --jobs 2 --out dask_out.json >/dev/null 2>>dask.log && same dask_out.json
  code=$?
  kill $worker $scheduler 2>/dev/null
  wait $worker $scheduler 2>/dev/null
  [ $code -eq 0 ] || tail -n 5 dask.log
  return $code
}

# ---- sentences ----
tune() { "$poise" tune "$@" --budget 4 --judge 101; }
free="simbicon --model biped7 --seconds 1 --free feedback=0.6:1.4"
other_options() { expect 2 "is of another search" "$poise" tune $ask --seed 2 $how --out one.json --continue; }
other_model() { sed 's/"key": "./"key": "x/' one.json.state >other.state; expect 2 "they have changed since" "$poise" tune --from other.state; }
damaged() { sed 's/\[\[0\./[[1./' one.json.state >bad.state; expect 2 "damaged" "$poise" tune --from bad.state --budget 99; }
cut_state() { head -c 300 one.json.state >cut.state; expect 2 "cut.state:" "$poise" tune --from cut.state; }
unfinished() { sed 's/"budget": 21/"budget": 99/' one.json.state >guard.json.state; expect 2 "is not finished" "$poise" tune $ask $how --out guard.json; }
foreign_part() { # of another generation
  "$poise" tune --from one.json.state --budget 99 --shard 0/2 --state f0 >/dev/null && "$poise" tune --from long.json.state --budget 99 --shard 1/2 --state f1 >/dev/null || return 1
  expect 2 "f1" "$poise" merge f0 f1 --out f.state
}

check one_answer one_answer
check any_number_of_processes jobs
check settings_are_what_was_judged settings
check page_stands_alone page
check front_of_two_costs front
check noise_draws_its_own_seeds noise
check over_pushes_and_grounds over
check other_methods other_methods
check interrupted stopped_by INT interrupted
check killed stopped_by KILL killed
check larger_budget longer
check state_alone_says_it_all from_alone
check full_disk full_disk
check killed_process killed_process
check workers workers
check lost_workers lost_workers
check no_workers no_workers
check dying_workers dying_workers
check shards shards
if command -v parallel >/dev/null 2>&1; then
  check gnu_parallel by_parallel
  check gnu_parallel_as_prefix by_sem
else skip gnu_parallel "there is no GNU parallel (Debian: parallel)"; fi
if command -v srun >/dev/null 2>&1 && sinfo >/dev/null 2>&1; then
  check slurm by_slurm
  check slurm_killed by_slurm_killed
  check slurm_array by_slurm_array
else skip slurm "no Slurm answers (tools/slurm_one_node starts one)"; fi
if "$PYTHON" -c 'import distributed' 2>/dev/null; then check dask by_dask
else skip dask "$PYTHON has no dask.distributed (PyPI: dask, distributed)"; fi
check continued_with_other_options other_options
check continued_with_another_model other_model
check state_damaged damaged
check state_cut cut_state
check unfinished_is_not_written_over unfinished
check part_of_another_generation foreign_part
check missing_scenario expect 2 "missing SCENARIO" "$poise" tune
check nothing_free expect 2 "nothing is free" tune simbicon --cost mean_speed
check no_cost expect 2 "nothing to make small" tune $free
check mistyped_figure expect 2 "did you mean 'mean_speed'" tune $free --cost mean_sped
check mistyped_parameter expect 2 "no such parameter" tune simbicon --free feedbak=0:1 --cost mean_speed
check range_beyond_the_parameter expect 2 "own range is 0 ... 2" tune simbicon --free feedback=0:9 --cost mean_speed
check range_backwards expect 2 "lower bound comes first" tune simbicon --free feedback=1:0.5 --cost mean_speed
check bad_rule expect 2 "mean_speed=3: NAME=LOW:HIGH is needed" tune $free --cost mean_speed --keep mean_speed=3
check bad_seeds expect 2 "--seeds 1.." tune $free --cost mean_speed --seeds 1..
check a_study_has_no_figures expect 2 "study of many runs" tune push-map --free direction=0:1 --cost mean_speed
check continue_without_state expect 2 "no such file" tune $free --cost mean_speed --out new.json --continue
finish
