#!/bin/sh
# docs.sh: what the pages quote is what the programs print, and links lead somewhere.
. "$(dirname "$0")/lib"

quotes() { # quotes PAGE PROGRAM: every line the program prints stands in the page
  "$2" >"$work/printed" || return 1
  [ -s "$work/printed" ] || { echo "$2 printed nothing"; return 1; }
  while IFS= read -r line; do
    grep -qxF -- "$line" "$1" || { echo "$1 lacks: $line"; return 1; }
  done <"$work/printed"
}
readme_shows_the_first_example() {
  sed -n '2,$p' examples/01_stand.c | sed 's/  */ /g' >"$work/example"
  sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d;s/  */ /g' >"$work/shown"
  diff "$work/example" "$work/shown"
}
links_lead_somewhere() {
  bad=0
  for page in README.md CONTRIBUTING.md docs/*.md; do
    for link in $(grep -oE '\]\([^)#: ]+' "$page" | sed 's/](//'); do
      case $link in http|https|mailto) continue ;; esac
      [ -e "$(dirname "$page")/$link" ] || { echo "$page links to $link"; bad=1; }
    done
  done
  return $bad
}
check conventions_quote_the_example quotes docs/conventions.md "$BUILD/examples/04_conventions"
check readme_shows_the_first_example readme_shows_the_first_example
check links_lead_somewhere links_lead_somewhere
finish
