#!/bin/bash
# soak.sh [MINUTES] -- random operations with fresh seeds for that long, half
# of it against a model in one process, half with processes that are killed.
# Called by `./run soak`, which has built the tests.
#
# The seed of a failure is printed; TAMIS_SOAK_SEED=N repeats it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

minutes=${1:-10}
bin=build/dev/bin
kill_filter='StoreKilled.*ManySeeds'
model_filter='StoreModel.AnswersLikeAMapForManySeeds'

# has_tests PROGRAM FILTER -- whether the filter fits any test of it.
has_tests() {
  [[ -x $1 ]] && "$1" --gtest_list_tests --gtest_filter="$2" | grep -q '^  '
}

# soak TITLE PROGRAM FILTER SECONDS
soak() {
  say "$1, $4 seconds"
  if ! TAMIS_SOAK_SECONDS=$4 "$2" --gtest_brief=1 --gtest_filter="$3"; then
    say "FAILED: $1; the seed is above (TAMIS_SOAK_SEED=... repeats it)"
    exit 1
  fi
}

seconds=$((minutes * 60))
if has_tests "$bin/tests_peers" "$kill_filter"; then
  soak "stores whose process is killed" "$bin/tests_peers" "$kill_filter" \
    $((seconds / 2))
  seconds=$((seconds - seconds / 2))
fi
soak "a store against a model" "$bin/tests_store" "$model_filter" "$seconds"
say "$minutes minutes without a failure"
