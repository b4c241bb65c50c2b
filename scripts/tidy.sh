#!/bin/bash
# tidy.sh -- clang-tidy 14 over src/ and tools/ with the checks of .clang-tidy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

configure release-clang
find src tools -name '*.cc' -print0 |
  xargs -0 -r -n 2 -P "$jobs" clang-tidy-14 -p build/release-clang --quiet 2>&1 |
  { grep -vE '^[0-9]+ warnings? generated\.$' || true; } # in others' headers
