#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The functions that docs/architecture.md names with their file, as `Function`
# (`folder/file.cc`), are there.  (check_links.sh looks for the files.)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

functions=0
while read -r function file; do
  # The last part of the name: a method's class may be declared elsewhere.
  if ! grep -qE "\b${function##*::}\(" "src/$file"; then
    echo "docs/architecture.md names $function in $file, which is not there"
    exit 1
  fi
  functions=$((functions + 1))
done < <(tr '\n' ' ' <docs/architecture.md | tr -s ' ' |
  grep -oE '`[A-Za-z:]+` \(`[a-z_/]+\.(cc|h)`\)' |
  sed -E 's/`([^`]*)` \(`([^`]*)`\)/\1 \2/')

if [[ $functions -lt 6 ]]; then
  echo "only $functions functions were found in docs/architecture.md"
  exit 1
fi
echo "$functions functions are where docs/architecture.md says"
