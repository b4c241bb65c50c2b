#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The package list and its reasons must name the same packages.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_packages.sh"

plant scripts/packages.txt '# a comment' 'cmake' 'libisal-dev [amd64]  # why'
plant docs/dependencies.md '| package | why |' '| --- | --- |' \
  '| `libisal-dev` | speed |' '| `cmake` | the build |'
expect_pass "$check" "$scratch"
expect_pass "$check" "$repository"

echo 'g++' >>"$scratch/scripts/packages.txt"
expect_fail '< g++' "$check" "$scratch"
echo '| `g++` | compiles |' >>"$scratch/docs/dependencies.md"
expect_pass "$check" "$scratch"
echo '| `ninja-build` | builds |' >>"$scratch/docs/dependencies.md"
expect_fail '> ninja-build' "$check" "$scratch"
