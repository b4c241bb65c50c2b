#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A function that prefetches, and could be dropped, is found.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_prefetch.sh"

plant src/good.h '[[gnu::always_inline]] inline void PrefetchLine(int x) {}' \
  '  [[gnu::always_inline]] void Prefetch(' '  int Prefetched();' \
  '[[gnu::always_inline]] inline' 'void PrefetchTwo(int x) {}' \
  '  PrefetchLine(3);'
expect_pass "$check" "$scratch"
expect_pass "$check" "$repository"

for line in 'inline void PrefetchLine(int x) {' '  static void Prefetch(' \
  'void PrefetchAll(std::size_t i) const noexcept {'; do
  plant src/bad.cc 'int x = 0;' "$line"
  expect_fail 'src/bad.cc:2:' "$check" "$scratch"
done
