#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_prefetch.sh [ROOT] -- fails when a function that prefetches could be left
# out.  g++ takes one that does nothing else for a function without effect, and
# drops calls of it: nothing breaks, it only becomes slow.  What is inlined
# first is safe, so each `void Prefetch...()` of src/ has to be always_inline.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

found=$(find src -name '*.h' -o -name '*.cc' | sort | xargs -r awk '
  FNR == 1 { before = "" }
  /(^|[^A-Za-z_])void Prefetch[A-Za-z]*\(/ &&
      (before $0) !~ /gnu::always_inline/ {
    print FILENAME ":" FNR ": " $0
  }
  { before = $0 }')
if [[ -n $found ]]; then
  echo "$found"
  echo "the functions above prefetch, and are not [[gnu::always_inline]]"
  exit 1
fi
echo "every function that prefetches is always inlined"
