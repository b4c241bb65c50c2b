#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A class whose methods are in several files says by lines such as
#
#   // ---- open.cc
#
# where those declared below it are defined.  This holds for every header of
# src/store/ that has such a line: the files exist, and every method that some
# .cc file defines, constructors excepted, is declared below the name of that
# file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# declared HEADER -- "Class Method file.cc" for each method below such a line.
# A line ends at the next one, and where the access changes.
declared() {
  awk '
    /^class [A-Za-z]+ .*\{$/ || /^class [A-Za-z]+ \{$/ { class = $2; file = "" }
    /^ (public|protected|private):/ || /^\};/ { file = "" }
    /^  \/\/ ---- / { file = $3 ~ /\.cc[;,]?$/ ? $3 : ""; sub(/[;,]$/, "", file) }
    file != "" && /^  [A-Za-z]/ && !/^  using / &&
      match($0, /[A-Z][a-z][A-Za-z0-9]*\(/) {
      print class, substr($0, RSTART, RLENGTH - 1), file
    }' "$1"
}

# defined CLASS -- "Method file.cc" for each of its methods.
defined() {
  grep -oE "^[A-Za-z][^(]*\\b$1::[A-Z][A-Za-z0-9]*\\(" src/store/*.cc |
    sed -E "s|^src/store/([^:]*):.*$1::([A-Za-z0-9]*)\\(|\\2 \\1|" |
    awk -v class="$1" '$1 != class'
}

methods=0
for header in src/store/*.h; do
  grep -q '^  // ---- [a-z_0-9]*\.cc' "$header" || continue
  map=$(declared "$header")
  for class in $(cut -d' ' -f1 <<<"$map" | sort -u); do
    while read -r method file; do
      if ! grep -qx "$class $method $file" <<<"$map"; then
        echo "$header does not say that $class::$method is in $file"
        exit 1
      fi
      methods=$((methods + 1))
    done < <(defined "$class")
  done
  while read -r class method file; do
    if [[ ! -e src/store/$file ]]; then
      echo "$header: there is no src/store/$file"
      exit 1
    fi
    # What is defined in the header is in no other file.
    if ! grep -qE "\\b$class::$method\\(" "src/store/$file" &&
      ! grep -qE "\\b$method\\(.*\\{" "$header"; then
      echo "$header: src/store/$file has no $class::$method"
      exit 1
    fi
  done <<<"$map"
done

if [[ $methods -lt 40 ]]; then
  echo "only $methods methods were found"
  exit 1
fi
echo "$methods methods are where the headers of src/store/ say"
