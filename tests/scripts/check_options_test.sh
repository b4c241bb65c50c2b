#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The options of the build files and the table of docs/building.md are the same.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_options.sh"
expect_pass "$check" "$repository"

plant CMakeLists.txt 'option(TAMIS_ONE "One (of several)' '  things" ON)' \
  'option(TAMIS_TWO "Two" ${PROJECT_IS_TOP_LEVEL})' \
  'find_path(TAMIS_FIVE five.h REQUIRED)' \
  '# option(TAMIS_NOT "A comment" ON)' 'set(TAMIS_INNER "no option")'
plant cmake/More.cmake 'set(TAMIS_THREE "" CACHE STRING "Three")' \
  'set(TAMIS_FOUR "-O1" CACHE STRING' '    "Four")'
rows=('| `TAMIS_ONE` | `ON` | one |' '| `TAMIS_TWO` | at top level | two |'
  '| `TAMIS_THREE` | empty | three |' '| `TAMIS_FOUR` | `-O1` | four |'
  '| `TAMIS_FIVE` | found | five |')
plant docs/building.md "${rows[@]}"
expect_pass "$check" "$scratch"

plant docs/building.md "${rows[@]:0:4}"
expect_fail '< TAMIS_FIVE found' "$check" "$scratch"
plant docs/building.md "${rows[@]}" '| `TAMIS_SIX` | `ON` | six |'
expect_fail '> TAMIS_SIX ON' "$check" "$scratch"
plant docs/building.md "${rows[@]:1}" '| `TAMIS_ONE` | `OFF` | one |'
expect_fail '> TAMIS_ONE OFF' "$check" "$scratch"
rm "$scratch/CMakeLists.txt" "$scratch/cmake/More.cmake"
expect_fail 'no options' "$check" "$scratch"
