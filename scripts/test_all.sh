#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_all.sh [--quick | --all] -- the complete check, in stages; --quick is what
# to run before each commit: the static checks without clang-tidy, the build by
# g++ without benchmarks, its tests without measured rates; --all adds the suites
# called Large (100 million keys, values and filters of GiBs), and the packages
# that are made of the tree.  Called by `./run test`, which has seen to the
# packages that are needed.
#
# Everything that passes or fails is counted: each static check, each build,
# each test, each fuzz target.  The last line is "N passed, N failed", with
# ", N skipped" if something was; exit 1 if anything failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

fuzz_seconds=1
large='Large(/[^.]*)?\.'
threads='Threads|Concurrent'

mode=${1-}

passed=0 failed=0 skipped=0
stages=()
ctest=(ctest)

# stage TITLE COMMAND... -- runs the command and notes time and outcome.
stage() {
  local title=$1 started=$SECONDS failed_before=$failed verdict=ok
  shift
  say "stage $((${#stages[@]} + 1)): $title"
  "$@"
  [[ $failed -eq $failed_before ]] || verdict=FAILED
  stages+=("$(printf '%-50s %5d s  %s' "$title" $((SECONDS - started)) $verdict)")
}

# step NAME COMMAND... -- one counted check; its output shows if it fails.
step() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "   passed: $name"
  else
    failed=$((failed + 1))
    printf '%s\n' "$output" | tail -n 60
    echo "   FAILED: $name"
  fi
}

# try_build PRESET [-DNAME=ON...] [TARGET...] -- counted as one; false if it failed.
try_build() {
  if (build "$@"); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    return 1
  fi
}

# run_ctest NAME PRESET ARGUMENT... -- runs and counts tests; a stage without
# any is said to be empty.
run_ctest() {
  local name=$1 preset=$2 log=$logs/$1-ctest.log status=0
  shift 2
  "${ctest[@]}" --preset "$preset" --no-tests=ignore "$@" 2>&1 |
    tee "$log" | progress || status=$?
  tally "$name" "$log" "$status"
}

# tally NAME LOG STATUS -- adds what the log of a ctest run says.  Its report
# in XML will not do: there a test whose program is missing counts as skipped.
tally() {
  local name=$1 log=$2 status=$3 summary all=0 bad=0 skip disabled
  summary=$(grep -E '^[0-9]+% tests passed' "$log") || true
  if [[ $summary =~ ,\ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
    bad=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
  fi
  skip=$(grep -cE '^\s*[0-9]+ - .* \(Skipped\)$' "$log") || true
  disabled=$(grep -cE '^\s*[0-9]+ - .* \(Disabled\)$' "$log") || true
  # ctest itself failed, whatever the tests did.
  if [[ $status -ne 0 && $bad -eq 0 ]]; then bad=1 all=$((all + 1)); fi
  passed=$((passed + all - bad - skip))
  failed=$((failed + bad))
  skipped=$((skipped + skip + disabled))
  echo "   $name: $((all - bad - skip)) passed, $bad failed," \
    "$((skip + disabled)) skipped"
  if [[ $all -eq 0 ]]; then echo "   (no test of that kind: nothing was run)"; fi
  grep -E '^\s*[0-9]+ - .* \((Skipped|Disabled)\)$' "$log" |
    sed 's/^/   skipped:/' || true
  if [[ $bad -gt 0 ]]; then show_failures "$log"; fi
}

# The output of the tests that failed, at most 200 lines, and their names.
show_failures() {
  awk '/^ *[0-9]+\/[0-9]+ +Test +#/ { on = /\*\*\*/ && !/\*\*\*Skipped/ }
       /^[0-9]+% tests passed/ { on = 0 }
       on' "$1" | head -n 200
  sed -n '/^The following tests FAILED/,$p' "$1"
  if ! grep -q '^The following tests FAILED' "$1"; then tail -n 20 "$1"; fi
  echo "   the whole log: $1"
}

static_checks() {
  step "code layout" scripts/format.sh --check
  step "include order" scripts/check_includes.sh
  step "links of the documents" scripts/check_links.sh
  step "packages and their reasons" scripts/check_packages.sh
  step "options of the build and their meaning" scripts/check_options.sh
  step "packaging that agrees with the build" scripts/check_packaging.sh
  step "no machine's own paths" scripts/check_paths.sh
  step "a licence line per file" scripts/check_licence.sh
  step "the field's words" scripts/check_words.sh
  step "prefetches that stay" scripts/check_prefetch.sh
  step "kinds of filter and their rows" scripts/check_kinds.sh
  step "a comment for every public name" scripts/check_reference.sh
  case $mode in
    --quick) ;; # clang-tidy takes longer than all the others together
    --all) step "clang-tidy" scripts/tidy.sh --all ;;
    *) step "clang-tidy" scripts/tidy.sh ;;
  esac
}

# What ./run demo builds, as a user does, from the packages for building.
release_stage() { try_build release demo tamis || true; }

# What shows error rates by asking millions of keys.
rates='Rates|ErrsAsOften|TrueRate'

# Without the benchmarks, the measured rates and the second run on portable
# kernels.
quick_dev_stage() {
  try_build dev -DTAMIS_BUILD_BENCHMARKS=OFF || return 0
  run_ctest dev dev -j "$jobs" -E "$large|$rates" -LE '^portable$'
}

dev_stage() {
  try_build dev -DTAMIS_BUILD_BENCHMARKS=ON || return 0
  run_ctest dev dev -j "$jobs" -E "$large" -LE '^portable$'
  run_ctest portable-kernels dev -j "$jobs" -L '^portable$'
  if [[ $mode == --all ]]; then
    run_ctest large dev -j "$jobs" -R "$large"
  fi
}

# The other compiler's optimised code, asserted by the tests of the layers that
# have loops worth optimising; without unity batches, so that each file shows
# that it includes what it uses.
clang_stage() {
  local folders=(base hash math sort filters formats)
  try_build release-clang product "${folders[@]/#/tests_}" || return 0
  run_ctest release-clang release-clang -j "$jobs" \
    -R "^($(IFS='|'; echo "${folders[*]}"))\$"
}

# Every layer, the command, and every door that takes bytes (fuzz/).  Not what
# runs the other engines: they are compiled without sanitizers, and take as long
# as all the rest.
asan_stage() {
  try_build asan-ubsan || return 0
  run_ctest asan-ubsan asan-ubsan -j "$jobs"
}

# Builds only the folders that have something to run; looks for suite names.
tsan_stage() {
  local targets
  targets=$(grep -lE "TEST(_F|_P)?\(\w*($threads)" tests/*/*_test.cc |
    sed 's|^tests/\([^/]*\)/.*|tests_\1|' | sort -u)
  if [[ -z $targets ]]; then
    echo "   (no suite called Threads or Concurrent: nothing was run)"
    return 0
  fi
  # shellcheck disable=SC2086
  try_build tsan $targets || return 0
  # Newer kernels place programs where clang 14's thread sanitizer cannot
  # work; without address randomisation they do not.
  if setarch -R true 2>/dev/null; then ctest=(setarch -R ctest); fi
  run_ctest tsan tsan -j "$jobs" -R "$threads" -E "$large|NOT_BUILT"
}

# Of the build with sanitizers, which the stage before last has made.
fuzz_stage() {
  try_build asan-ubsan fuzz_targets || return 0
  local output
  output=$(scripts/fuzz_all.sh "$fuzz_seconds") || true
  printf '%s\n' "$output"
  local good bad
  good=$(grep -c '^passed: ' <<<"$output") || true
  bad=$(grep -c '^FAILED: ' <<<"$output") || true
  if [[ $((good + bad)) -eq 0 ]]; then bad=1; fi
  passed=$((passed + good))
  failed=$((failed + bad))
}

# emulated_stage -- s390x for its byte order, this architecture without what
# this machine's CPU has, and with --all aarch64 for its own kernels.
emulated_stage() {
  local machine
  if [[ $(dpkg --print-architecture) != amd64 ]]; then
    echo "   (only on amd64: nothing was run)"
    skipped=$((skipped + 1))
    return 0
  fi
  local machines=(s390x)
  if [[ $mode == --all ]]; then machines+=(aarch64); fi
  for machine in "${machines[@]}"; do
    try_build "$machine" || continue
    run_ctest "$machine" "$machine" -j "$jobs"
  done
  step "older x86-64" scripts/old_cpu.sh build/dev/bin
}

# Both begin with builds of their own, which take minutes.
package_stage() {
  step "a tarball: unpack and try" scripts/tarball.sh
  if [[ $(id -u) -ne 0 ]]; then
    echo "   (Debian's packages need root: nothing was run)"
    skipped=$((skipped + 1))
    return 0
  fi
  step "Debian's packages: build, install, try, purge" scripts/package.sh
}

export ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-14
mkdir -p "$logs"
stage "static checks" static_checks
if [[ $mode == --quick ]]; then
  stage "g++, assertions on: everything but benchmarks" quick_dev_stage
else
  stage "g++, optimised: what users build" release_stage
  stage "g++, assertions on: everything" dev_stage
  stage "clang, optimised: the filters" clang_stage
  stage "clang, address and undefined-behaviour sanitizers" asan_stage
  stage "clang, thread sanitizer" tsan_stage
  stage "fuzzing, $fuzz_seconds s each" fuzz_stage
  stage "other machines, emulated" emulated_stage
  if [[ $mode == --all ]]; then stage "packages" package_stage; fi
fi

say "all stages, $SECONDS s"
printf '   %s\n' "${stages[@]}"
summary="$passed passed, $failed failed"
if [[ $skipped -gt 0 ]]; then summary+=", $skipped skipped"; fi
echo "$summary"
[[ $failed -eq 0 ]]
