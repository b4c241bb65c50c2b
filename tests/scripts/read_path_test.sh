#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The hops that docs/read-path.md names are functions of the files it names, and
# those of one file are defined in the order in which it names them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# has_function PATTERN FUNCTION -- some file of the pattern defines or assigns
# it.
has_function() {
  local name=${2##*::}
  # shellcheck disable=SC2086
  grep -qE "\\b$name\)?\(" src/$1
}

# place_of FILE FUNCTION -- the line where its definition begins; empty: none
# does.  A definition begins a line, a call does not.
place_of() {
  grep -nE "^[A-Za-z].*\\b$2\(" "src/$1" | head -n 1 | cut -d: -f1
}

hops=0
declare -A last_place=()
while IFS='|' read -r _ number where _; do
  [[ $number =~ ^\ [0-9]+\ $ ]] || continue
  file=$(sed -E 's/^ `([^`]*)` .*/\1/' <<<"$where")
  function=$(sed -E 's/^ `[^`]*` `([^`]*)`.*/\1/' <<<"$where")
  if ! compgen -G "src/$file" >/dev/null; then
    echo "hop $number: there is no src/$file"
    exit 1
  fi
  # Kernels are a row of a table: named where they are declared.
  [[ $file == filters/kernels/* ]] && file=filters/kernels/kernels.h
  if ! has_function "$file" "$function"; then
    echo "hop $number: src/$file has no $function"
    exit 1
  fi
  if [[ $file == *.cc ]]; then
    place=$(place_of "$file" "$function")
    if [[ -n $place && $place -lt ${last_place[$file]:-0} ]]; then
      echo "hop $number: src/$file defines $function before the hop before it"
      exit 1
    fi
    last_place[$file]=${place:-${last_place[$file]:-0}}
  fi
  hops=$((hops + 1))
done <docs/read-path.md

if [[ $hops -lt 6 ]]; then
  echo "only $hops hops were found in docs/read-path.md"
  exit 1
fi
echo "$hops hops are where docs/read-path.md says"
