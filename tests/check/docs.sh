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
  for page in README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs/*.md docs/lab/*.md; do
    for link in $(grep -oE '\]\([^)#: ]+' "$page" | sed 's/](//'); do
      case $link in http|https|mailto) continue ;; esac
      [ -e "$(dirname "$page")/$link" ] || { echo "$page links to $link"; bad=1; }
    done
  done
  return $bad
}
check conventions_quote_the_example quotes docs/conventions.md "$BUILD/examples/04_conventions"
check readme_shows_the_first_example readme_shows_the_first_example
every_page_is_in_the_index() {
  for page in docs/*.md; do
    case $page in docs/README.md) continue ;; esac
    grep -qF "($(basename "$page"))" docs/README.md || { echo "docs/README.md does not lead to $page"; return 1; }
  done
}
commands_are_real() { # every `poise WORD` that a page shows is a command
  for word in $(grep -ohE '(^|[` /])poise [a-z]+([ `,;:.)]|$)' README.md CONTRIBUTING.md docs/*.md | sed 's/.*poise //; s/[^a-z]//g' | sort -u); do
    "$BUILD/poise" help "$word" >/dev/null 2>&1 || { echo "there is no command 'poise $word'"; return 1; }
  done
}
options_are_real() { # every --option on a line that runs poise is one of some command's
  "$BUILD/poise" help --man | sed 's/\\-/-/g' >"$work/man"
  for option in $(grep -hE '(^    |`)(build/)?poise [a-z]+ ' README.md CONTRIBUTING.md docs/*.md | grep -oE ' --[a-z][a-z-]*' | sort -u); do
    grep -q "^\.B $option\( \|$\)" "$work/man" || { echo "no command takes $option"; return 1; }
  done
}
targets_are_real() { # every `make TARGET`
  for target in $(grep -ohE '(^    |`)make [a-z][a-z-]*' README.md CONTRIBUTING.md docs/*.md | sed 's/.*make //' | sort -u); do
    grep -qE "^([a-z -]* )?$target( [a-z -]*)?:" Makefile || { echo "there is no target $target"; return 1; }
  done
}
version_is_the_same_everywhere() {
  version=$(sh tools/version)
  grep -qF "Version $version (" README.md && grep -qx "version: $version" CITATION.cff && grep -qF "## [$version]" CHANGELOG.md ||
    { echo "README.md, CITATION.cff or CHANGELOG.md does not know $version"; return 1; }
}
check version_is_the_same_everywhere version_is_the_same_everywhere
check links_lead_somewhere links_lead_somewhere
check every_page_is_in_the_index every_page_is_in_the_index
check commands_are_real commands_are_real
check options_are_real options_are_real
check targets_are_real targets_are_real
finish
