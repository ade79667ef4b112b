#!/bin/sh
# manual.sh: the manual page and the completion name every command and every option, and the tools that read them are content.
. "$(dirname "$0")/lib"
poise=$BUILD/poise
"$poise" help --man >"$work/poise.1" && "$poise" help --bash >"$work/poise.bash" || exit 1
commands=$("$poise" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')

every_option() { # every_option LINE-OF-OPTION...: calls "$@" with each command and option
  for c in $commands; do
    for o in $("$poise" help "$c" | sed -n 's/^  --\([a-z0-9-]*\).*/\1/p'); do "$@" "$c" "$o" || return 1; done
  done
}
man_has() {
  [ "$2" = help ] && return 0 # said once for all
  sed 's/\\-/-/g' "$work/poise.1" | awk -v c="$1" '/^\.S[SH] /{ on = index($0 " ", ".SS \"poise " c " ") || $0 == ".SS \"poise " c "\"" } on' |
    grep -q "^\.B --$2\( \|$\)" || { echo "poise.1 lacks --$2 of $1"; return 1; }
}
man_names_every_command() {
  [ "$(echo "$commands" | wc -l)" -ge 9 ] || { echo "only these commands: $commands"; return 1; }
  for c in $commands; do grep -q "^\.B poise $c$" "$work/poise.1" && grep -q "^\.SS \"poise $c" "$work/poise.1" || { echo "poise.1 lacks $c"; return 1; }; done
}
man_renders() {
  man --warnings -E UTF-8 -l -Tutf8 "$work/poise.1" >"$work/page" 2>"$work/warnings" || { cat "$work/warnings"; return 1; }
  [ ! -s "$work/warnings" ] && grep -q 'poise list walk' "$work/page" || { cat "$work/warnings"; return 1; }
}

# complete WORD...: what bash would offer for the last word
offers() { # offers WANTED WORD...
  wanted=$1
  shift
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _poise 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' "$work/poise.bash" "$@" >"$work/offered" || return 1
  grep -qx -- "$wanted" "$work/offered" || { echo "'$*' does not offer $wanted"; return 1; }
}
bash_has() { offers "--$2" poise "$1" --; }
offers_every_command() { for c in $commands; do offers "$c" poise "" || return 1; done; }
offers_every_scenario() { for s in $("$poise" list | cut -d ' ' -f 1); do offers "$s" poise run "" && offers "$s" poise list "" || return 1; done; }
offers_values() {
  offers interior_point poise run walk --qp "" && offers avx2 poise bench --simd "" && offers heading= poise run walk --set "" &&
    offers giant poise run balance --model "" && offers Makefile poise hqp Ma && offers Makefile poise run walk --json Ma && offers hqp poise bench ""
}

check man_names_every_command man_names_every_command
check man_has_every_option every_option man_has
if command -v man >/dev/null 2>&1 && man --version 2>/dev/null | grep -q '^man '; then check man_renders_without_a_warning man_renders
else skip man_renders_without_a_warning "there is no man-db"; fi
if command -v bash >/dev/null 2>&1; then
  check completion_is_bash bash -n "$work/poise.bash"
  check completion_offers_every_command offers_every_command
  check completion_offers_every_option every_option bash_has
  check completion_offers_every_scenario offers_every_scenario
  check completion_offers_values offers_values
else skip completion "there is no bash"; fi
finish
