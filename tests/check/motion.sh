#!/bin/sh
# motion.sh: `poise motion` as a user meets it: fields, files that read back to the same bytes, messages that name file, line and what to do.
. "$(dirname "$0")/lib"
poise=$BUILD/poise

expect() { # expect CODE TEXT COMMAND...: the exit code, and a text that must stand in what is said
  code=$1 text=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err"
  got=$?
  [ $got -eq "$code" ] || { echo "exit code $got, expected $code"; cat "$work/err"; return 1; }
  grep -qF -- "$text" "$work/out" "$work/err" || { echo "did not say '$text'"; cat "$work/out" "$work/err"; return 1; }
}
every_field() {
  "$poise" motion walk --out "$work/walk.motion" --html "$work/walk.html" --svg "$work/walk.svg" >"$work/report" || return 1
  for field in frames hz seconds joints unmapped retarget_error_max floor_slope_deg com_speed_mean am_peak slide_max segments from to support; do
    grep -q "\"$field\":" "$work/report" || { echo "no field $field"; return 1; }
  done
  tail -n 1 "$work/walk.html" | grep -q '</html>' && tail -n 1 "$work/walk.svg" | grep -q '</svg>' || { echo "a page is cut off"; return 1; }
}
same_bytes_again() { # its body is named in the file
  "$poise" motion squat --model child --hz 60 --out "$work/a.motion" --json /dev/null && "$poise" motion "$work/a.motion" --out "$work/b.motion" --json /dev/null &&
    cmp "$work/a.motion" "$work/b.motion"
}
mirrored_twice() {
  "$poise" motion "$work/walk.motion" --mirror --out "$work/m.motion" --json /dev/null && "$poise" motion "$work/m.motion" --mirror --out "$work/mm.motion" --json /dev/null &&
    cmp "$work/walk.motion" "$work/mm.motion"
}
recorded_run() {
  "$poise" run balance --seconds 1 --motion "$work/run.motion" >/dev/null && "$poise" motion "$work/run.motion" | grep -q '"frames": 126'
}
bvh() { # bvh NAME LINE...: a file of a root with three turns
  name=$1
  shift
  printf 'HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n}\n' >"$work/$name.bvh"
  for line in "$@"; do printf '%s\n' "$line" >>"$work/$name.bvh"; done
}
bvh none
bvh short MOTION "Frames: 1" "Frame Time: .0083" "1 2"
bvh nan MOTION "Frames: 1" "Frame Time: .0083" "1 nan 2"
bvh zero MOTION "Frames: 0" "Frame Time: .0083"
bvh huge MOTION "Frames: 123456789" "Frame Time: .0083" "1 2 3"
bvh legless MOTION "Frames: 2" "Frame Time: .0083" "1 2 3" "1 2 3"
full_disk() { expect 2 /dev/full "$poise" motion squat --out /dev/full; }

check every_field every_field
check same_bytes_again same_bytes_again
check mirrored_twice mirrored_twice
check recorded_run recorded_run
check no_motion expect 2 "none.bvh:6: there is no MOTION" "$poise" motion "$work/none.bvh"
check fewer_numbers expect 2 "short.bvh:10: frame 0 has 2 numbers; the channels need 3" "$poise" motion "$work/short.bvh"
check not_a_number expect 2 "nan.bvh:10: frame 0: 'nan' is not finite" "$poise" motion "$work/nan.bvh"
check no_frames expect 2 "zero.bvh:8: Frames: 0" "$poise" motion "$work/zero.bvh"
check huge_count expect 2 "huge.bvh:8: Frames: 123456789" "$poise" motion "$work/huge.bvh"
check no_legs expect 2 "no joint is recognized as thigh_l" "$poise" motion "$work/legless.bvh"
check another_body expect 2 "walk.motion:2: the motion is for the body 'human', not for 'giant'" "$poise" motion "$work/walk.motion" --model giant
check unknown_motion expect 2 "the built-in ones are walk, long-step and squat" "$poise" motion dance
check unknown_kind expect 2 "neither FILE.motion nor FILE.bvh" "$poise" motion dance.mp3
check no_such_file expect 2 "/nowhere/a.bvh" "$poise" motion /nowhere/a.bvh
check bad_scale expect 2 "--scale" "$poise" motion walk --scale -3
check study_has_no_motion expect 2 "--motion: push-map makes hundreds of short runs" "$poise" run push-map --motion "$work/x.motion"
check full_disk full_disk
finish
