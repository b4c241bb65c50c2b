#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# old_cpu.sh BIN -- runs the tests in BIN (an x86-64 build's bin/) in qemu, as
# two CPUs this machine is not: one of 2008, which stops at the first AVX
# instruction, and so shows that the choice of kernels falls back and that no
# code of a faster row has strayed into the rest; and one with AVX2 but without
# AVX-512, so that the middle row is tried wherever the tests run.
#
# Nothing for users in Debian 12 runs AVX-512: qemu 7.2 and valgrind 3.19 stop
# with an illegal instruction, and Bochs boots whole machines only.  That row
# runs where the CPU has it and is skipped, visibly, elsewhere.
set -euo pipefail

bin=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# as_cpu MODEL FOLDER FILTER -- fails if a test does; the output is in $log.
as_cpu() {
  qemu-x86_64 -cpu "$1" "$bin/tests_$2" --gtest_brief=1 --gtest_filter="$3" \
    >"$log" 2>&1 || { tail -n 30 "$log"; echo "tests_$2 as $1 failed"; exit 1; }
}

# What depends on the CPU: the hashes, the kernels, and the formats that call
# them.  Everything would take minutes here.
as_cpu Nehalem hash '*'
as_cpu Nehalem formats "TamisBlocked*:TamisFilter*:TamisRibbon.*:TamisFuse.*:\
TamisCuckoo*:TamisCounting*"
as_cpu Nehalem filters '*EveryKernel*'
grep -q 'avx2 does not run' "$log" ||
  { echo "the avx2 row was not skipped as Nehalem"; exit 1; }
echo "hashes, kernels and our formats passed as Nehalem"

as_cpu max filters '*EveryKernel*'
if grep -q 'avx2 does not run' "$log"; then
  echo "the avx2 row was skipped, though qemu has AVX2"
  exit 1
fi
echo "the avx2 row passed in qemu"
