#!/bin/sh
# dist.sh: the tarball holds what is committed, is the same twice, and makes its sources without git.
. "$(dirname "$0")/lib"

if ! git rev-parse --git-dir >/dev/null 2>&1; then
  skip dist "this is no git clone"
  finish
fi
tarball=poise-$(sh tools/version)
packs() { sh tools/dist "$work" && tar -xzf "$work/$tarball.tar.gz" -C "$work" && [ -f "$work/$tarball/Makefile" ]; }
same_twice() { mkdir -p "$work/again" && sh tools/dist "$work/again" && cmp "$work/$tarball.tar.gz" "$work/again/$tarball.tar.gz"; }
# With a git that knows nothing, as where there is none.
makes_sources() {
  (cd "$work/$tarball" && GIT_DIR=/nowhere ${MAKE:-make} -s BUILD=build build/poise.h build/poise.c) || return 1
  grep -q "\"$(git describe --always --abbrev=12)\"" "$work/$tarball/build/gen/build_info.h" || { echo "the commit is not known"; return 1; }
  [ -n "$(git status --porcelain)" ] || [ "$BUILD" != build ] || cmp "$work/$tarball/build/poise.c" build/poise.c
}
wanted packs || packs >/dev/null 2>&1
check packs packs
check same_twice same_twice
check makes_sources makes_sources
finish
