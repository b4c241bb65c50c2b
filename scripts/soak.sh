#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# soak.sh [MINUTES] -- the store under attack for that long, in equal parts:
# processes that are killed, power that fails (in the simulated file system and
# on a real one), repairs, random operations against a model; and then, once,
# what has no seeds: sectors that cannot be read, files that are cut, readers
# beside a writer, forks, no memory.
# Called by `./run soak`, which has built the tests.
#
# The seed of a failure is printed; TAMIS_SOAK_SEED=N repeats it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

minutes=${1:-10}
bin=build/dev/bin

# soak TITLE PROGRAM FILTER SECONDS
soak() {
  say "$1, $4 seconds"
  if ! "$2" --gtest_list_tests --gtest_filter="$3" | grep -q '^  '; then
    say "FAILED: $1: there is no test of that name"
    exit 1
  fi
  if ! TAMIS_SOAK_SECONDS=$4 "$2" --gtest_brief=1 --gtest_filter="$3"; then
    say "FAILED: $1; the seed is above (TAMIS_SOAK_SEED=... repeats it)"
    exit 1
  fi
}

part=$((minutes * 60 / 6))
soak "stores whose process is killed" "$bin/tests_peers" \
  'StoreKilled.*ManySeeds' "$part"
soak "power that fails, in memory" "$bin/tests_store" \
  'StorePowerLoss.*ManyCrashes' "$part"
soak "power that fails, on ext4" "$bin/tests_store" 'StoreOnALostDisk.*' "$part"
soak "repairs against a model" "$bin/tests_store" 'StoreRepairModel.*' "$part"
soak "a store against a model" "$bin/tests_store" \
  'StoreModel.AnswersLikeAMapForManySeeds' "$part"
soak "scans with filters against a model" "$bin/tests_store" \
  'StoreScansModel.ShowWhatAMapShowsForManySeeds' "$part"
soak "faults without seeds" "$bin/tests_store" \
  'StorePowerLoss.*:StoreFaults.*:StoreOnABadDisk.*:StoreWithACut*:StoreWithATable*:StoreBesideAWriter.*:StoreUnreadable.*:StoreCheck*:StoreFork.*:MemoryLimit.*:StoreMemory.*-*Large*' 1
say "$minutes minutes without a failure"
