#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tidy.sh [--all] -- clang-tidy 14 over the filters' part of src/ with the
# checks of .clang-tidy; --all: over the store and tools/, too, whose third-party
# headers take longer than src/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

folders=(src/base src/hash src/math src/sort src/filters src/formats src/policy)
if [[ ${1-} == --all ]]; then folders+=(src/table src/store tools); fi
configure release-clang
# The headers that the compile commands ask for.
ninja -C build/release-clang CMakeFiles/tamis_objects.dir/cmake_pch.hxx.pch \
  tools/CMakeFiles/tamis_tool.dir/cmake_pch.hxx.pch >/dev/null
find "${folders[@]}" -name '*.cc' -print0 |
  xargs -0 -r -n 2 -P "$jobs" clang-tidy-14 -p build/release-clang --quiet 2>&1 |
  { grep -vE '^[0-9]+ warnings? generated\.$' || true; } # in others' headers
