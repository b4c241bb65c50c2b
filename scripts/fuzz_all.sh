#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz_all.sh SECONDS -- runs every built fuzz target that long, as many at a
# time as there are jobs.  Prints one line per target.  Exit 1: a target found
# a fault, or there are no targets; the input is kept and named.
#
# A target starts from a scratch copy of fuzz/corpus/<name>/, so the corpus in
# the repository never changes by itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

crashes=build/fuzz/crashes

# fuzz_one SECONDS TARGET
fuzz_one() {
  local seconds=$1 target=$2 name log scratch runs
  name=$(basename "$target")
  name=${name#fuzz_}
  log=$logs/fuzz-$name.log
  scratch=build/fuzz/scratch/$name
  rm -rf "$scratch"
  mkdir -p "$scratch"
  [[ ! -d fuzz/corpus/$name ]] || cp -R "fuzz/corpus/$name/." "$scratch"
  if "$target" "$scratch" -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=3072 -print_final_stats=1 \
    -artifact_prefix="$crashes/$name-" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    echo "passed: $name, $runs runs"
  else
    echo "FAILED: $name"
    tail -n 40 "$log"
    echo "-- the whole log: $log; to repeat:"
    sed -n "s|.*Test unit written to |   $target |p" "$log"
    return 1
  fi
}

if [[ ${1-} == --one ]]; then
  fuzz_one "$2" "$3"
  exit
fi

seconds=$1
mapfile -t targets < <(find build/asan-ubsan/bin -name 'fuzz_*' -type f | sort)
if [[ ${#targets[@]} -eq 0 ]]; then
  echo "there are no fuzz targets"
  exit 1
fi
mkdir -p "$logs" "$crashes"
export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14
say "fuzzing ${#targets[@]} targets, $seconds s each, $jobs at a time"
printf '%s\0' "${targets[@]}" |
  xargs -0 -n 1 -P "$jobs" "${BASH_SOURCE[0]}" --one "$seconds" || exit 1
