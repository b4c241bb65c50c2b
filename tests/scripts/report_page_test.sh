#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/report_page.sh says what it misses and is skipped, and fails for
# everything else; with pretended programs.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

mkdir -p "$scratch"/{tools,tests}
cp -R "$repository/scripts" "$scratch/scripts"
cp -R "$repository/tools/report_page" "$scratch/tools/report_page"
cp -R "$repository/tests/report_page" "$scratch/tests/report_page"

# pretend PROGRAM LINE... -- a program of that name that runs the lines.
pretend() {
  plant "bin/$1" '#!/bin/bash' "${@:2}"
  chmod +x "$scratch/bin/$1"
}
mkdir "$scratch/bin"
for program in bash cat chmod cmp cp dirname flock grep mkdir rm tail; do
  ln -s "$(command -v "$program")" "$scratch/bin/$program"
done
export PATH=$scratch/bin

# status_is STATUS TEXT -- of a check, which says TEXT.
status_is() {
  local status=0 output
  output=$("$scratch/scripts/report_page.sh" check "$scratch/folder" 2>&1) ||
    status=$?
  if [[ $status -ne $1 || $output != *"$2"* ]]; then
    printf 'status %s, not %s, or it does not say "%s":\n%s\n' \
      "$status" "$1" "$2" "$output"
    exit 1
  fi
}

status_is 77 'skipped: no node here'
pretend node 'exit 0'
status_is 77 'skipped: no npm here'
pretend npm 'echo "npm error code ENOTFOUND"' 'exit 1'
status_is 77 'skipped: npm cannot fetch the packages'
pretend npm 'echo "npm error code EINTEGRITY"' 'exit 1'
status_is 1 'FAILED: npm ci'
# What was fetched once is not fetched again; the page is compared each time.
pretend npm 'if [[ $1 == ci ]]; then echo fetched >>"$0.calls"; fi'
status_is 0 ''
status_is 0 ''
[[ $(<"$scratch/bin/npm.calls") == fetched ]]
pretend npm 'exit 1'
status_is 1 ''
rm "$scratch/folder/.installed"
status_is 1 'FAILED: npm ci'
