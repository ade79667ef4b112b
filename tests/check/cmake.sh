#!/bin/sh
# cmake.sh: CMake finds what `make install` left, and CMakeLists.txt builds of the same files the same library. POISE_FULL builds it whole.
. "$(dirname "$0")/lib"

if ! command -v cmake >/dev/null 2>&1; then
  skip cmake "there is no cmake"
  finish
fi
export CC CFLAGS="$POISE_FLAGS"
top=$PWD
cp examples/01_stand.c "$work/stand.c"
# project LINE...: six lines of a user outside the tree.
project() {
  { printf 'cmake_minimum_required(VERSION 3.16)\nproject(stand C)\n'; printf '%s\n' "$@"
    printf 'add_executable(stand stand.c)\ntarget_link_libraries(stand poise::poise)\n'; } >"$work/CMakeLists.txt"
  rm -rf "$work/out"
  cmake -S "$work" -B "$work/out" -DCMAKE_PREFIX_PATH="$work/home" >"$work/log" 2>&1
}
runs() {
  cmake --build "$work/out" -j2 >>"$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
  env -u LD_LIBRARY_PATH "$work/out/stand" | grep '^after 2 s the centre of mass is'
}
finds_installed() {
  DESTDIR= PREFIX=$work/home BUILD=$BUILD sh tools/install >/dev/null && project "find_package(poise $(sh tools/version) CONFIG REQUIRED)" && runs
}
refuses_other_versions() {
  for other in 0.1 0.1.9 0.99 1.0 "$(sh tools/version interface).999"; do
    project "find_package(poise $other CONFIG REQUIRED)" && { echo "version $other was taken"; return 1; }
    grep -q 'considered but not accepted' "$work/log" || { tail -n 20 "$work/log"; return 1; }
  done
}
same_files() {
  cmake -S . -B "$work/tree" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" 2>&1 || { tail -n 20 "$work/log"; return 1; }
  sed -n 's,^ *"file": ".*/\([^/]*\)\.c"\,*$,\1.o,p' "$work/tree/compile_commands.json" | sort >"$work/theirs"
  ar t "$BUILD/libpoise.a" | sort | diff - "$work/theirs" || return 1
  [ "$(wc -l <"$work/theirs")" -gt 100 ] && [ "$(grep -c -e '-ffp-contract=off' "$work/tree/compile_commands.json")" -ge "$(wc -l <"$work/theirs")" ]
}
fetched() { project "include(FetchContent)" "FetchContent_Declare(poise SOURCE_DIR $top)" "FetchContent_MakeAvailable(poise)" && runs; }
list_is_short() { [ "$(wc -l <CMakeLists.txt)" -le 40 ]; }

wanted finds_installed || finds_installed >/dev/null 2>&1
check finds_installed finds_installed
check refuses_other_versions refuses_other_versions
check same_files same_files
check list_is_short list_is_short
if [ "${POISE_FULL:-}" ]; then check fetched fetched
else skip fetched "the library is built once more with POISE_FULL=1 only"; fi
finish
