#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What ./run does about missing packages, with a pretended machine: the
# programs that know it (dpkg-query, id, apt-get) are replaced by ours.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

cp -R "$repository/scripts" "$scratch/scripts"
printf '%s\n' 'for build:' 'cmake' 'g++  # why' 'onlyhere [amd64]' \
  'nothere [sparc]' >"$scratch/scripts/packages.txt"

# pretend PROGRAM LINE... -- a program of that name that runs the lines.
pretend() {
  plant "bin/$1" '#!/bin/bash' "${@:2}"
  chmod +x "$scratch/bin/$1"
}
pretend dpkg 'echo amd64'
pretend apt-get 'echo "apt-get $*" >>"$TAMIS_TEST_CALLS"'
export TAMIS_TEST_CALLS=$scratch/calls
export PATH=$scratch/bin:$PATH

# ensure [PURPOSE]
ensure() { (cd "$scratch" && bash -euo pipefail -c \
  'source scripts/lib.sh; ensure_packages "$@"' ensure "$@"); }

calls_are() {
  local calls=
  if [[ -e $TAMIS_TEST_CALLS ]]; then calls=$(<"$TAMIS_TEST_CALLS"); fi
  if [[ $calls != "$1" ]]; then
    printf 'expected calls:\n%s\ngot:\n%s\n' "$1" "$calls"
    exit 1
  fi
  rm -f "$TAMIS_TEST_CALLS"
}

# Nothing missing: no network, whoever asks.
pretend dpkg-query 'for p in cmake g++ onlyhere; do echo "$p installed"; done'
pretend id 'echo 1000'
expect_pass ensure
calls_are ''

# What another package of the list provides is not missing either.
pretend dpkg-query 'echo "cmake installed"' \
  'echo "g++ installed onlythere (= 1), onlyhere"'
expect_pass ensure
calls_are ''

# Something missing, or removed but configured, and not root: the exact line.
pretend dpkg-query 'echo "cmake installed"' 'echo "g++ config-files"' 'exit 1'
line='apt-get install -y --no-install-recommends g++ onlyhere'
expect_fail "apt-get update && $line" ensure
calls_are ''
status=0
ensure >/dev/null 2>&1 || status=$?
[[ $status -eq 2 ]] || { echo "status $status, not 2"; exit 1; }

# As root it is installed.
pretend id 'echo 0'
expect_pass ensure
calls_are "apt-get update
$line"

# A failing installation ends the run and shows what was said.
pretend apt-get 'echo "no such mirror"' 'exit 100'
expect_fail 'no such mirror' ensure

# Who only builds is spared what the tests need.
printf '%s\n' 'for test:' 'qemu [amd64]' 'gnuplot' \
  >>"$scratch/scripts/packages.txt"
pretend apt-get 'echo "apt-get $*" >>"$TAMIS_TEST_CALLS"'
pretend dpkg-query 'echo "cmake installed"' 'exit 1'
expect_pass ensure build
calls_are "apt-get update
apt-get install -y --no-install-recommends g++ onlyhere"
expect_pass ensure
calls_are "apt-get update
apt-get install -y --no-install-recommends g++ onlyhere qemu gnuplot"
