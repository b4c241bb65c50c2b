#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mutants.sh [PATTERN] -- are the tests any good?  Breaks a copy of src/ in each
# way that mutants.txt lists (or those whose line matches PATTERN), and expects
# the tests to fail.  Exit 1 if a mutant survives.  Not a part of `./run test`:
# it takes some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

pattern=${1:-.}
scratch=build/mutants
tests=(base hash math filters formats policy table store)
log=$PWD/$logs/mutants.log

mkdir -p "$logs" "$scratch/tree"
tar --exclude=./build --exclude=./.git -cf - . | tar -xmf - -C "$scratch/tree"

run_tests() {
  ninja -C "$scratch/build" "${tests[@]/#/tests_}" >>"$log" 2>&1 || return 2
  local folder
  for folder in "${tests[@]}"; do
    # In a shell of its own, whose word about a crash goes to the log.
    (timeout 120 "$scratch/build/bin/tests_$folder" --gtest_brief=1 \
      --gtest_filter='-*Large*:*RatesOf*' || exit 1) \
      >>"$log" 2>&1 || return 1
  done
}

: >"$log"
say "building a copy in $scratch"
cmake -G Ninja -S "$scratch/tree" -B "$scratch/build" -DTAMIS_BUILD_TOOL=OFF \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O1 >>"$log" 2>&1
run_tests || { tail -n 40 "$log"; echo "the tests fail unbroken: $log"; exit 1; }

caught=0 survived=0
while IFS=';' read -r what file change; do
  what=${what% } file=${file// /} change=${change# }
  target=$scratch/tree/src/$file
  sed -i -e "$change" "$target"
  if cmp -s "src/$file" "$target"; then
    echo "   STALE: $what: the change does nothing to src/$file"
    survived=$((survived + 1))
    continue
  fi
  status=0
  run_tests || status=$?
  case $status in
    0) survived=$((survived + 1)) && echo "   SURVIVED: $what" ;;
    1) caught=$((caught + 1)) && echo "   caught: $what" ;;
    *) survived=$((survived + 1)) && echo "   DOES NOT BUILD: $what" ;;
  esac
  cp "src/$file" "$target"
done < <(grep -v -e '^#' -e '^$' scripts/mutants.txt | grep -e "$pattern")

echo "$caught caught, $survived not"
[[ $survived -eq 0 && $caught -gt 0 ]]
