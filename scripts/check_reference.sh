#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_reference.sh [ROOT] -- fails when a name of the public headers has no
# comment, or when Doxygen does not understand one.
# check_reference.sh --html FOLDER -- writes the API reference there, too.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/.. folder=
if [[ ${1-} == --html ]]; then
  folder=${2:?--html wants a folder}
  mkdir -p "$folder"
  folder=$(cd "$folder" && pwd)
elif [[ $# -gt 0 ]]; then
  root=$1
fi
cd "$root"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
command -v doxygen >/dev/null || { echo "doxygen is missing"; exit 1; }

# The settings name the filter by its place in the repository.
sed "s|scripts/reference/|$here/reference/|" "$here/reference/Doxyfile" \
  >"$scratch/Doxyfile"
echo "OUTPUT_DIRECTORY = ${folder:-$scratch}" >>"$scratch/Doxyfile"
doxygen "$scratch/Doxyfile" >/dev/null 2>"$scratch/warnings" || {
  cat "$scratch/warnings"
  exit 1
}
if [[ -s $scratch/warnings ]]; then
  # The lines are those of what the filter shows, not the header's.
  sed -E "s|^$(pwd)/||; s|^([^:]*):[0-9]+: |\1: |" "$scratch/warnings"
  echo "the public names above want a comment, or a better one"
  exit 1
fi
echo "every name in $(find include/tamis -name '*.h' | wc -l) public headers" \
  "has a comment"
