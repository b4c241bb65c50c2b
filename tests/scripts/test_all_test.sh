#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `./run test` counts what ctest says and never calls a failure a success.
# ctest's words come from pretended runs.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

cp -R "$repository/scripts" "$scratch/scripts"

# The functions of test_all.sh without the stages it runs at its end.
sed -n '/^export ASAN/q;p' "$repository/scripts/test_all.sh" \
  >"$scratch/scripts/functions.sh"

# counts LOG_STATUS LINE... -- tallies one pretended log; prints the counts.
counts() {
  local status=$1
  shift
  printf '%s\n' "$@" >"$scratch/log"
  bash -c 'source "$1"; tally pretended "$2" "$3" >"$2.out"
           echo "$passed $failed $skipped"' \
    "$scratch/scripts/functions.sh" "$scratch/scripts/functions.sh" \
    "$scratch/log" "$status"
}

# expect_counts COUNTS STATUS LINE...
expect_counts() {
  local expected=$1 actual
  shift
  actual=$(counts "$@")
  if [[ $actual != "$expected" ]]; then
    printf 'expected "%s", got "%s" for:\n' "$expected" "$actual"
    printf '%s\n' "${@:2}"
    exit 1
  fi
}

expect_counts '7 0 0' 0 '100% tests passed, 0 tests failed out of 7'
expect_counts '5 2 0' 8 '71% tests passed, 2 tests failed out of 7' \
  'The following tests FAILED:' '	  2 - a (Failed)' '	  3 - b (Not Run)'
expect_counts '1 2 2' 8 '50% tests passed, 2 tests failed out of 4' \
  'The following tests did not run:' '	  4 - c (Skipped)' '	  5 - d (Disabled)' \
  'The following tests FAILED:' '	  2 - a (Failed)' '	  3 - b (Not Run)'
grep -q 'skipped:.* c (Skipped)' "$scratch/log.out" ||
  { echo 'the skipped test is not named'; exit 1; }
# ctest died: no summary, but a status.
expect_counts '0 1 0' 139 'Segmentation fault'
expect_counts '0 0 0' 0 'No tests were found!!!'
grep -q 'nothing was run' "$scratch/log.out" ||
  { echo 'an empty stage is not said to be one'; exit 1; }
