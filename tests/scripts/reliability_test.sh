#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The suites that docs/reliability.md says hold a promise are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

suites=$(grep '^| ' docs/reliability.md | cut -d'|' -f3 |
  grep -oE '`[A-Z][A-Za-z]+' | tr -d '`' | sort -u)
count=0
for suite in $suites; do
  if ! grep -qrE "TEST(_F|_P)?\($suite\b" tests --include='*_test.cc'; then
    echo "docs/reliability.md names $suite, and there is no such suite"
    exit 1
  fi
  count=$((count + 1))
done
if [[ $count -lt 25 ]]; then
  echo "only $count suites were found in docs/reliability.md"
  exit 1
fi
echo "$count suites are where docs/reliability.md says"
