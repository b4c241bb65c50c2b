#!/bin/bash
# The hops that docs/read-path.md names are functions of the files it names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# has_function PATTERN FUNCTION -- some file of the pattern defines or assigns
# it.
has_function() {
  local name=${2##*::}
  # shellcheck disable=SC2086
  grep -qE "\\b$name\)?\(" src/$1
}

hops=0
while IFS='|' read -r _ number where _; do
  [[ $number =~ ^\ [0-9]+\ $ ]] || continue
  file=$(sed -E 's/^ `([^`]*)` .*/\1/' <<<"$where")
  function=$(sed -E 's/^ `[^`]*` `([^`]*)`.*/\1/' <<<"$where")
  if ! compgen -G "src/$file" >/dev/null; then
    echo "hop $number: there is no src/$file"
    exit 1
  fi
  # Kernels are a row of a table: named where they are declared.
  [[ $file == filters/kernels_* ]] && file=filters/kernels.h
  if ! has_function "$file" "$function"; then
    echo "hop $number: src/$file has no $function"
    exit 1
  fi
  hops=$((hops + 1))
done <docs/read-path.md

if [[ $hops -lt 6 ]]; then
  echo "only $hops hops were found in docs/read-path.md"
  exit 1
fi
echo "$hops hops are where docs/read-path.md says"
