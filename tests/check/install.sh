#!/bin/sh
# install.sh: what `make install` leaves behind is enough to build and run a program, with the static and with the shared library.
. "$(dirname "$0")/lib"

cat >"$work/user.c" <<'END'
#include <poise.h>
int main(void) { return po_get_simd() != PO_SIMD_AUTO && po_cos(0) == 1 ? 0 : 1; }
END
version=$(sh tools/version)
in_root() { DESTDIR=$work/root PREFIX=/opt/poise BUILD=$BUILD sh tools/install "$@"; }
to=$work/root/opt/poise
static_works() { $CC $POISE_FLAGS -I"$to/include" "$work/user.c" "$to/lib/libpoise.a" -lm -o "$work/a" && "$work/a"; }
shared_works() {
  $CC $POISE_FLAGS -I"$to/include" "$work/user.c" -L"$to/lib" -lpoise -lm -o "$work/b" &&
    LD_LIBRARY_PATH=$to/lib "$work/b"
}
pc_is_right() {
  grep -q "^Version: $version$" "$to/lib/pkgconfig/poise.pc" && grep -q '^prefix=/opt/poise$' "$to/lib/pkgconfig/poise.pc" || { echo "poise.pc is wrong"; return 1; }
}

manual_is_there() { grep -q '^\.TH POISE 1' "$to/share/man/man1/poise.1" && grep -q 'complete -F _poise poise' "$to/share/bash-completion/completions/poise" || { echo "poise.1 or the completion is missing"; return 1; }; }
problems_are_found() { # from elsewhere, by the installed program
  (cd "$work" && "$to/bin/poise" bench hqp --case balance_full --seconds 1e-5 --simd scalar | grep -q '^balance_full') || { echo "the recorded problems were not found"; return 1; }
}
# A folder of one's own: the README's line, and no LD_LIBRARY_PATH.
home=$work/home/.local
in_home() { DESTDIR= PREFIX=$home BUILD=$BUILD sh tools/install "$@"; }
home_works() {
  in_home >/dev/null || return 1
  flags=$(PKG_CONFIG_PATH=$home/lib/pkgconfig pkg-config --cflags --libs poise) || return 1
  $CC $POISE_FLAGS examples/01_stand.c $flags -o "$work/stand" && env -u LD_LIBRARY_PATH "$work/stand" | grep '^after 2 s the centre of mass is' &&
    env -u LD_LIBRARY_PATH ldd "$work/stand" | grep -qF "$home/lib/libpoise.so." || { echo "it does not run, or not with $home/lib/libpoise.so"; return 1; }
}
# Everything that was installed goes, a file of somebody else stays.
uninstalls() {
  touch "$to/lib/other" && in_root remove >/dev/null || return 1
  [ "$(cd "$work/root" && find . ! -type d)" = ./opt/poise/lib/other ] || { echo "these are left:"; find "$work/root" ! -type d; return 1; }
  [ "$(find "$work/root" -type d | wc -l)" -eq 4 ] || { echo "empty folders are left"; find "$work/root" -type d; return 1; }
  in_root remove 2>"$work/twice" && { echo "what is not there was removed"; return 1; }
  grep -q 'nothing of Poise is installed' "$work/twice"
}
wanted installs || in_root >/dev/null 2>&1 # one check alone needs it too
check installs in_root
check manual_and_completion_are_there manual_is_there
check problems_are_found problems_are_found
check pc_is_right pc_is_right
check static_works static_works
check shared_works shared_works
check program_works "$to/bin/poise" version
if command -v pkg-config >/dev/null 2>&1; then check home_works home_works
else skip home_works "there is no pkg-config"; fi
check uninstalls uninstalls
finish
