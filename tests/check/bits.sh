#!/bin/sh
# bits.sh: the same bits under any flags. The object code of the scalar library has no fused multiply-add when the compiler is free to use one;
# flags that take NaN for impossible are refused; in full runs, one hash over optimization levels, instruction sets and compilers.
. "$(dirname "$0")/lib"

# The one file without its AVX2 code, where every fused instruction would be the compiler's own idea.
sed 's/defined(__x86_64__)/0/' "$BUILD/poise.c" >"$work/scalar.c"
unfused() { # unfused COMPILER FLAG...
  "$@" -std=gnu17 -I"$BUILD" -c "$work/scalar.c" -o "$work/scalar.o" || return 1
  objdump -d --no-show-raw-insn "$work/scalar.o" |
    awk '/>:$/ { name = $2 } /\tvfn?m(add|sub)/ { if (!(name in seen)) print "fused in " name " " $2; seen[name] = 1 } END { for (n in seen) exit 1 }'
}
# The library as it was built: its AVX2 kernels fuse where they say so, and nowhere do they alternate.
no_alternation() {
  found=$(objdump -d --no-show-raw-insn "$BUILD/libpoise.a" | awk '/>:$/ { name = $2 } /fmaddsub|fmsubadd/ { print name, $2 }' | sort -u)
  [ -z "$found" ] || { echo "$found"; return 1; }
}

refuses() { # refuses FLAG: and says why
  if $CC "$1" -I. -c base/finite.c -o "$work/fast.o" 2>"$work/why"; then echo "$1 was accepted"; return 1; fi
  grep -q 'NaN would pass its checks' "$work/why" || { cat "$work/why"; return 1; }
}
refuses_fast_math() { refuses -ffast-math && refuses -Ofast && refuses -ffinite-math-only; }

# hash_of OUTPUT COMPILER FLAG...
hash_of() {
  out=$1
  shift
  "$@" -std=gnu17 -I"$BUILD" tests/check/state_hash.c "$BUILD/poise.c" -lm -o "$work/hash" && "$work/hash" >"$out"
}
same_hash() { # same_hash COMPILER FLAG...: as gcc or clang without optimization
  hash_of "$work/this" "$@" || return 1
  [ -f "$work/first" ] || cp "$work/this" "$work/first"
  cmp -s "$work/first" "$work/this" || { echo "$* differs"; diff "$work/first" "$work/this"; return 1; }
}
# Scalar results alone: there is no AVX2 elsewhere.
same_hash_aarch64() {
  aarch64-linux-gnu-gcc -std=gnu17 -O2 -static -I"$BUILD" tests/check/state_hash.c "$BUILD/poise.c" -lm -o "$work/arm" || return 1
  qemu-aarch64 "$work/arm" >"$work/arm.out" || return 1
  sed '/^avx2$/,$d' "$work/first" >"$work/scalar.out"
  cmp -s "$work/scalar.out" "$work/arm.out" || { diff "$work/scalar.out" "$work/arm.out"; return 1; }
}

name() { printf %s "$*" | tr -c 'A-Za-z0-9' _; } # of a check, from the words of a command

levels=-O2
compilers=$CC
if [ -n "${POISE_FULL:-}" ]; then
  levels="-O2 -O3"
  compilers=
  for c in gcc clang; do command -v $c >/dev/null 2>&1 && compilers="$compilers $c"; done
fi
if command -v objdump >/dev/null 2>&1; then
  check avx2_code_never_alternates no_alternation
  for c in $compilers; do
    if ! runs_v3 $c; then skip "$(name scalar_code_is_never_fused $c)" "no x86-64-v3 here"; continue; fi
    for o in $levels; do check "$(name scalar_code_is_never_fused $c $o)" unfused $c $o -march=x86-64-v3; done
  done
else skip scalar_code_is_never_fused "there is no objdump"; fi
check fast_math_is_refused refuses_fast_math

if [ -z "${POISE_FULL:-}" ]; then finish; fi
for c in $compilers; do
  for o in -O0 -O2 -O3; do
    check "$(name same_hash $c $o)" same_hash $c $o
    if runs_v3 $c; then check "$(name same_hash $c $o v3)" same_hash $c $o -march=x86-64-v3
    else skip "$(name same_hash $c $o v3)" "no x86-64-v3 here"; fi
  done
done
if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 && command -v qemu-aarch64 >/dev/null 2>&1; then check same_hash_aarch64 same_hash_aarch64
else skip same_hash_aarch64 "aarch64-linux-gnu-gcc and qemu-aarch64 are not both installed"; fi
finish
