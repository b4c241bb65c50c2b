#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kind that is named beyond its own files and its rows is found, and so are a
# row that is missing and an exception that nothing needs.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_kinds.sh"
expect_pass "$check" "$repository"

# A tree of two kinds that passes.
plant_tree() {
  rm -rf "$scratch"/*
  mkdir -p "$scratch/include" "$scratch/tools"
  plant src/formats/tamis/container.h 'enum class TamisKind : int {' \
    '  kSieve = 1,' '  kRiddle = 2,  // coarse' '};'
  plant src/formats/tamis/kinds.cc \
    '    Row{.kind = TamisKind::kSieve,' '        .name = "sieve",' \
    '        .open = OpenSieve},' \
    '    Row{.kind = TamisKind::kRiddle,' '        .name = "riddle",' \
    '        .open = OpenRiddle},'
  plant src/policy/kinds.cc '    Row{.kind = TamisKind::kSieve,' \
    '    Row{.kind = TamisKind::kRiddle,' '     .sized_names = {"riddle8"}'
  plant src/formats/tamis/sieve.cc 'return TamisKind::kSieve;' \
    'return "sieve: no room";'
  plant scripts/kinds.txt '# file ; kinds ; why' '' \
    'tools/help.cc ; riddle, sieve ; prose'
  plant tools/help.cc '  "A sieve, or a riddle8 of any size"'
  plant src/policy/other.cc '// A sieve is "sieve" here.' \
    '#include "formats/sieve.h"' 'Sieve(sieve, "sieves", "half-sieve", "x");' \
    'return TamisKind::kSieveless;'
}
plant_tree
expect_pass "$check" "$scratch"

# Strings and enumerators, wherever they are.
for line in 'if (kind == "sieve") {' 'return "x" + name + "riddle16:fpr=1";' \
  'case TamisKind::kRiddle:' 'f("a", "not a riddle, though");' \
  'Say("say \\"x\\" to a sieve");  // kinds'; do
  for file in src/policy/bad.cc include/tamis/bad.h tools/bad.cc \
    src/formats/tamis/shared.cc; do
    plant_tree
    plant "$file" 'int x = 0;' "$line"
    expect_fail "$file:2: names the kind" "$check" "$scratch"
  done
done

# The own files of one kind are not those of another.
plant_tree
plant src/formats/tamis/sieve.h 'return "riddle";'
expect_fail 'src/formats/tamis/sieve.h:1: names the kind riddle' \
  "$check" "$scratch"

for file in src/formats/tamis/kinds.cc src/policy/kinds.cc; do
  plant_tree
  sed -i 's/kRiddle/kSieve/' "$scratch/$file"
  expect_fail "$file: TamisKind::kRiddle has 0 rows" "$check" "$scratch"
done

plant_tree
plant tools/help.cc '  "A sieve of any size"'
expect_fail 'tools/help.cc riddle: nothing needs' "$check" "$scratch"

plant_tree
plant scripts/kinds.txt 'tools/help.cc ; riddle, sieve ; '
expect_fail 'a file, names and a reason' "$check" "$scratch"
