#!/bin/sh
# amalgamation.sh: build/poise.c and build/poise.h compile alone, in C and C++, and give the bits that the library gives.
. "$(dirname "$0")/lib"

strict="-Wall -Wextra -Wpedantic -Werror"
single() { # single OBJECT FLAGS...: compiles the one file as a user would
  object=$1
  shift
  $CC "$@" $strict -I"$BUILD" -c "$BUILD/poise.c" -o "$object"
}

cat >"$work/user.cpp" <<'END'
#include "poise.h"
int main() {
  double m[4] = {4, 1, 1, 3};
  po_mat A = po_mat_of(m, 2, 2, 2);
  po_vec3 a = po_v3(1, 2, 3);
  po_error error;
  (void)error;
  return po_cholesky(A, nullptr, A) == PO_OK && m[0] == 2 && po_v3_dot(a, a) == 14 ? 0 : 1;
}
END
usable_from_cpp() {
  $CXX -std=c++11 $strict -Wno-unused $POISE_FLAGS -I"$BUILD" "$work/user.cpp" "$BUILD/libpoise.a" -lm -o "$work/user" && "$work/user"
}
header_alone() {
  echo '#include "poise.h"' >"$work/only.c"
  $CC -std=c11 $strict -I"$BUILD" -c "$work/only.c" -o "$work/only.o"
}

# The same program linked with the library and with the one file built in the GNU dialect, where gcc contracts by default.
hash_with() { # hash_with OUTPUT FLAGS-AND-OBJECTS...
  out=$1
  shift
  $CC -I"$BUILD" $POISE_FLAGS tests/check/state_hash.c "$@" -lm -o "$work/hash" && "$work/hash" >"$out"
}
same_bits_as_library() {
  [ -f "$work/gnu.o" ] || { echo "the one file was not built"; return 1; }
  hash_with "$work/library" "$BUILD/libpoise.a" && hash_with "$work/single" "$work/gnu.o" || return 1
  cp "$work/library" "$BUILD/state_hash.txt" # .ci/run compares the compilers with it
  cmp "$work/library" "$work/single" || { diff "$work/library" "$work/single"; return 1; }
  grep -q "^world human: ok" "$work/library" || { echo "the world did not run"; cat "$work/library"; return 1; }
}

modern= # fused instructions are there to be used wrongly
runs_v3 $CC && modern=-march=x86-64-v3
fuses= # at -O1 gcc fuses only when told to; bits.sh reads the object code of -O2
case $($CC --version) in *clang*) ;; *) fuses=-fexpensive-optimizations ;; esac
check compiles_alone single "$work/alone.o" -std=c11 -fsyntax-only # code is made below
check compiles_in_gnu_dialect single "$work/gnu.o" -std=gnu17 -O1 $fuses $modern
check header_alone header_alone
if $CXX --version >/dev/null 2>&1; then check usable_from_cpp usable_from_cpp
else skip usable_from_cpp "there is no C++ compiler"; fi
check same_bits_as_library same_bits_as_library
finish
