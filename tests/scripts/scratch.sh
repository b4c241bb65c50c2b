# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the scripts: a scratch folder that goes away, and
# two expectations.  A failed one ends the test.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# plant FILE LINE... -- writes a file below the scratch folder.
plant() {
  mkdir -p "$(dirname "$scratch/$1")"
  printf '%s\n' "${@:2}" >"$scratch/$1"
}

# expect_pass COMMAND...
expect_pass() {
  if ! output=$("$@" 2>&1); then
    printf 'should have passed: %s\n%s\n' "$*" "$output"
    exit 1
  fi
}

# expect_fail TEXT COMMAND... -- fails, and says TEXT.
expect_fail() {
  local text=$1
  shift
  if output=$("$@" 2>&1); then
    printf 'should have failed: %s\n%s\n' "$*" "$output"
    exit 1
  fi
  if [[ $output != *"$text"* ]]; then
    printf 'failed without saying "%s": %s\n%s\n' "$text" "$*" "$output"
    exit 1
  fi
}
