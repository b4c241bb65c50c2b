#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_paths.sh [ROOT] -- fails when a file names a place that exists on one
# machine only: somebody's home, a working folder, a build machine's scratch.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

# A slash in front of the name, and nothing before that slash which would
# make it part of a longer path or of a word.
pattern='(^|[^A-Za-z0-9_.})/-])/(work|root|home|Users)(/|[^A-Za-z0-9_-]|$)'

if grep -rIEn --exclude-dir=build --exclude-dir=.git \
  --exclude=check_paths.sh --exclude=check_paths_test.sh \
  --exclude-dir=corpus -e "$pattern" .; then
  echo "the lines above name a machine's own folders"
  exit 1
fi
echo "no file names a machine's own folders"
