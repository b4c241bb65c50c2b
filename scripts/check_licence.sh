#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_licence.sh [ROOT] -- fails when a source file does not name its licence
# in its first three lines.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

line='SPDX-License-Identifier: Apache-2.0'
missing=0 count=0
while IFS= read -r -d '' file; do
  count=$((count + 1))
  if ! head -n 3 "$file" | grep -qF "$line"; then
    echo "$file: its first lines do not say \"$line\""
    missing=1
  fi
done < <(find . \( -name build -o -name .git \) -prune -o -type f \
  \( -name '*.h' -o -name '*.cc' -o -name '*.c' -o -name '*.sh' \
  -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt -o -name run \) \
  -print0 | sort -z)
if [[ $count -eq 0 ]]; then
  echo "no source files under $root"
  exit 1
fi
[[ $missing -eq 0 ]] || exit 1
echo "$count files name their licence"
