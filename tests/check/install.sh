#!/bin/sh
# install.sh: what `make install` leaves behind is enough to build and run a program, with the static and with the shared library.
. "$(dirname "$0")/lib"

cat >"$work/user.c" <<'END'
#include <poise.h>
int main(void) { return po_get_simd() != PO_SIMD_AUTO && po_cos(0) == 1 ? 0 : 1; }
END
version=$(sed -n 's/^#define PO_VERSION "\(.*\)"/\1/p' base/base.h)
installs() { DESTDIR=$work/root PREFIX=/opt/poise BUILD=$BUILD VERSION=$version sh tools/install; }
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
wanted installs || installs >/dev/null 2>&1 # one check alone needs it too
check installs installs
check manual_and_completion_are_there manual_is_there
check problems_are_found problems_are_found
check pc_is_right pc_is_right
check static_works static_works
check shared_works shared_works
check program_works "$to/bin/poise" version
finish
