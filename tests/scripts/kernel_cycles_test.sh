#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The script finds every loop of the kernels, and a kernel that gathers.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

if [[ $(uname -m) != x86_64 ]] || ! command -v llvm-mca-19 >/dev/null; then
  echo "needs llvm-mca-19, on an x86-64"
  exit 77
fi

expect_pass "$repository/scripts/kernel_cycles.sh" --cpu znver3
for loop in 'check lines, 6 probes, portable' 'check lines, to 8 probes, avx2' \
  'find windows, avx2' 'check windows, 8 columns, avx2'; do
  if ! grep -qE "^\| $loop \| [0-9.]+ \| [0-9.]+ \|\$" <<<"$output"; then
    printf 'no row "%s":\n%s\n' "$loop" "$output"
    exit 1
  fi
done
# What znver3 does not have, it does not run.
if ! grep -qE '^\| find windows, avx512popcnt \| [0-9.]+ \| – \|$' <<<"$output"; then
  printf 'znver3 runs AVX-512:\n%s\n' "$output"
  exit 1
fi

# Of the loops of a function, the one that filters use.
expect_pass "$repository/scripts/kernel_cycles.sh" --cpu neoverse-n1
if ! grep -qE '^\| check lines, to 8 probes, neon \| [0-9.]+ \| [0-9.]+ \|$' <<<"$output"; then
  printf 'no row for up to eight probes:\n%s\n' "$output"
  exit 1
fi

cp -r "$repository/scripts" "$repository/src" "$repository/include" "$scratch"
cat >>"$scratch/src/filters/kernels/avx2.cc" <<'END'
#include <immintrin.h>
__m256i Gather(const int* from, __m256i at) {
  return _mm256_i32gather_epi32(from, at, 4);
}
END
expect_fail 'avx2 gathers' "$scratch/scripts/kernel_cycles.sh" --cpu znver3
expect_fail 'unknown option' "$repository/scripts/kernel_cycles.sh" --nothing
