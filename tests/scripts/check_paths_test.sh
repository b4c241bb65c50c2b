#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A path of one machine is found wherever it stands in a line.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_paths.sh"

plant docs/good.md 'network/work is fine, and so is src/root.h' \
  '${prefix}/home, (a)/home/b, https://example.org/home' '/homes /homely'
expect_pass "$check" "$scratch"
expect_pass "$check" "$repository"

for line in 'see /home/notes' 'cd /home' '"/home/me/x"' 'in /Users/me'; do
  plant docs/bad.md "$line"
  expect_fail 'docs/bad.md:1:' "$check" "$scratch"
done
