#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_licence.sh [ROOT] -- fails when a source file does not name its licence
# in its first three lines.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

line='SPDX-License-Identifier: Apache-2.0'

sources() {
  find . \( -name build -o -name .git \) -prune -o -type f \
    \( -name '*.h' -o -name '*.cc' -o -name '*.c' -o -name '*.sh' \
    -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt -o -name run \) \
    -print0 | sort -z
}

# One process looks at all files: one for each takes seconds.
count=$(sources | tr -cd '\0' | wc -c)
missing=$(comm -z -23 <(sources) <(sources | xargs -0 -r awk -v line="$line" '
  FNR <= 3 && index($0, line) && FILENAME != last {
    printf "%s%c", FILENAME, 0
    last = FILENAME
  }' | sort -z) | tr '\0' '\n')
if [[ $count -eq 0 ]]; then
  echo "no source files under $root"
  exit 1
fi
if [[ -n $missing ]]; then
  while IFS= read -r file; do
    echo "$file: its first lines do not say \"$line\""
  done <<<"$missing"
  exit 1
fi
echo "$count files name their licence"
