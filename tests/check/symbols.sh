#!/bin/sh
# symbols.sh: what the library defines and what it needs. Every global begins with po_, and what is undefined comes from libc or is one
# of the functions of libm whose bits do not depend on the CPU.
. "$(dirname "$0")/lib"

allowed_libc='malloc calloc realloc free memcpy memmove memset memcmp bcmp memchr strlen strcmp strncmp strchr strrchr strstr strcpy strncpy
fopen fclose fread fwrite fseek ftell fflush ferror feof remove rename strerror __errno_location errno qsort'
allowed_libm='sqrt fabs floor ceil trunc rint copysign fmin fmax'
# What a compiler adds by itself.
allowed_compiler='_GLOBAL_OFFSET_TABLE_ __stack_chk_fail __cpu_model __cpu_indicator_init __memcpy_chk __memset_chk __memmove_chk
__assert_fail _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __gmon_start__ __cxa_finalize'

only_po() { # only_po NM-OUTPUT
  bad=$(awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ && $3 !~ /^po_/ && $3 !~ /^(__x86\.|_init$|_fini$|__odr_asan)/ { print $3 }' "$1" | sort -u)
  [ -z "$bad" ] || { echo "globals without po_:" $bad; return 1; }
}
only_known() { # only_known NM-OUTPUT
  awk 'NF == 3 && $2 ~ /^[A-TV-Za-z]$/ { print $3 }' "$1" | sort -u >"$work/defined"
  awk 'NF == 2 && ($1 == "U" || $1 == "w") { sub(/@.*/, "", $2); print $2 }' "$1" | sort -u >"$work/undefined"
  printf '%s\n' $allowed_libc $allowed_libm $allowed_compiler | sort -u >"$work/allowed"
  bad=$(sort -u "$work/defined" "$work/allowed" | comm -13 - "$work/undefined" | grep -vE '^__(asan|ubsan|gcov|sanitizer|llvm|odr)')
  [ -z "$bad" ] || { echo "needs more than libc and the exact part of libm:" $bad; return 1; }
}

# Scenes, benches and the program may use more of libc, but no function of libm whose bits depend on the CPU either.
only_exact() {
  bad=$(awk 'NF == 2 && $1 == "U" { print $2 }' "$1" | sort -u |
    grep -E '^(a?(sin|cos|tan)h?f?|atan2f?|sincosf?|exp(2|10|m1)?f?|log(2|10|1p)?f?|powf?|hypotf?|cbrtf?|fmaf?|fmodf?|remainder|t?l?gamma|erfc?)$')
  [ -z "$bad" ] || { echo "functions of libm that depend on the CPU:" $bad; return 1; }
}

if ! command -v nm >/dev/null 2>&1; then
  skip symbols "there is no nm"
  finish
fi
nm "$BUILD/libpoise.a" >"$work/static" 2>/dev/null
nm -D "$BUILD/libpoise.so" >"$work/shared" 2>/dev/null
nm "$BUILD/libpoise_tools.a" >"$work/tools" 2>/dev/null
check static_library_has_symbols test -s "$work/static"
check static_library_defines_only_po only_po "$work/static"
check shared_library_defines_only_po only_po "$work/shared"
# The map is made from the header by one reading of it; the compiler reads it another way: a program that takes the address of all that is exported.
exports_what_is_declared() {
  { echo '#include "poise.h"'; echo 'const void *all[] = {'; awk 'NF == 3 && $2 ~ /^[A-TV-Z]$/ { print "(const void *)(size_t)&" $3 "," }' "$work/shared"; echo '0};'; } >"$work/all.c"
  ${CC:-cc} -std=c11 -fsyntax-only -I"$BUILD" "$work/all.c" 2>&1 | grep -E "error" | head -5 >"$work/all.log"
  [ -s "$work/all.log" ] && cat "$work/all.log" && return 1
  # and the other way: no function that is declared is missing
  ${CC:-cc} -std=c11 -E -I"$BUILD" -x c "$BUILD/poise.h" | grep -oE '^[a-z][a-z0-9_ *]*\bpo_[a-z0-9_]+\(' | grep -vE '^(static|typedef|return)' | grep -oE 'po_[a-z0-9_]+\($' | tr -d '(' | sort -u >"$work/declared"
  awk 'NF == 3 { print $3 }' "$work/shared" | sort -u >"$work/exported"
  [ "$(wc -l <"$work/declared")" -gt 100 ] || { echo "the header declares hardly anything"; return 1; }
  missing=$(comm -23 "$work/declared" "$work/exported")
  [ -z "$missing" ] || { echo "declared and not exported:" $missing; return 1; }
}
check shared_library_exports_what_is_declared exports_what_is_declared
check static_library_needs_only_libc only_known "$work/static"
check shared_library_needs_only_libc only_known "$work/shared"
check tools_use_exact_functions only_exact "$work/tools"
finish
