#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_options.sh [ROOT] -- fails when the options of the build files (TAMIS_*
# of option(), find_path(), find_program() and as cache variables) and the table
# of docs/building.md are not the same, or when a default in both differs.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

page=docs/building.md
mapfile -t files < <(find . -name build -prune -o -name .git -prune -o \
  \( -name CMakeLists.txt -o -name '*.cmake' \) -print | LC_ALL=C sort)

# Prints "NAME DEFAULT" for each option; of a default that is computed, "?"
# alone.  Calls may go over several lines, and texts may hold brackets.
declared() {
  cat /dev/null "${files[@]}" | sed 's/^ *#.*//' | tr '\n' ' ' |
    grep -oE 'find_(path|program)\( *TAMIS_[A-Z_]+|option\( *TAMIS_[A-Z_]+ +"([^"\\]|\\.)*" +[^ )]+ *\)|set\( *TAMIS_[A-Z_]+ +[^ ]+ +CACHE ' |
    sed -E 's/^option\( *(TAMIS_[A-Z_]+) +"([^"\\]|\\.)*" +([^ )]+) *\)$/\1 \3/
            s/^set\( *(TAMIS_[A-Z_]+) +"?([^" ]*)"? +CACHE $/\1 \2/
            s/^find_[a-z]+\( *(TAMIS_[A-Z_]+)$/\1 found/
            s/ $/ empty/
            s/ [^ ]*\$.*/ ?/' | LC_ALL=C sort
}

# The same of the table.
explained() {
  sed -nE 's/^\| `(TAMIS_[A-Z_]+)` \| ([^|]*) \|.*/\1 \2/p' "$page" |
    sed -E 's/`//g; s/ at top level$/ ?/; s| \.\./.*| ?|' | LC_ALL=C sort
}

wanted=$(declared || true)
if [[ -z $wanted ]]; then
  echo "no options in the build files under $root"
  exit 1
fi
if ! difference=$(diff <(echo "$wanted") <(explained)); then
  echo "the build files (<) and $page (>) disagree:"
  grep '^[<>]' <<<"$difference"
  exit 1
fi
echo "$(wc -l <<<"$wanted") options, each with its default and its meaning"
