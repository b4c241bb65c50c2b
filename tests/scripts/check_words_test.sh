#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A word that has a better one is found, in sources and documents, unless it is
# excepted; so is an exception that nothing needs.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_words.sh"
expect_pass "$check" "$repository"

plant scripts/words.txt '# words' '' '\bsieves?\b ; a filter' \
  'except: src/b.cc ; \bsieves?\b ; its own'
plant src/a.cc '// A filter.'
plant src/b.cc '// A sieve.'
plant docs/changes/old.md 'A sieve.'
expect_pass "$check" "$scratch"

for file in src/c.cc include/tamis/c.h tools/c.cc docs/c.md README.md; do
  plant "$file" 'Filters;' 'two sieves'
  expect_fail "$file:2:two sieves" "$check" "$scratch"
  expect_fail 'write instead: a filter' "$check" "$scratch"
  rm "$scratch/$file"
done

plant src/b.cc '// A filter.'
expect_fail 'nothing needs the exception of src/b.cc' "$check" "$scratch"
