#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A public name without a comment is found, whatever it names; a comment is
# that of all declarations below it up to an empty line.
set -eu
command -v doxygen >/dev/null || {
  echo "skipped: no doxygen here"
  exit 77
}
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_reference.sh"

# header LINE... -- a header with these declarations.
header() {
  plant include/tamis/a.h '// tamis/a.h -- a header.' '' '#pragma once' '' \
    'namespace tamis {' '' "$@" '' '}  // namespace tamis'
}

header '// Returns 1.' 'int One();' 'int AlsoOne();' '' \
  '// Is one of two.' 'enum class Kind {' '  kLeft,   // the one' \
  '  kRight,  // the other, which' '           // is longer' '};' '' \
  '// Holds numbers.' 'struct Numbers {' '  // The first two.' '  int a = 0;' \
  '  int b = 0;' '  int c = 0;  // the third of List<int>' '' \
  '  // Returns their sum.' '  int Sum() const {' '    // not for readers' \
  '    return a + b + c;' '  }' '};'
expect_pass "$check" "$scratch"

header '// Returns 1.' 'int One();' '' 'int Two();'
expect_fail 'include/tamis/a.h: warning: Member Two() (function)' "$check" "$scratch"
header 'struct Numbers {' '  int a = 0;  // one' '};'
expect_fail 'tamis::Numbers is not documented' "$check" "$scratch"
header '// Holds numbers.' 'struct Numbers {' '  int a = 0;  // one' \
  '  int b = 0;' '};'
expect_fail 'Member b (variable)' "$check" "$scratch"
header '// Holds numbers.' 'class Numbers {' ' public:' '  int Sum() const;' \
  '};'
expect_fail 'Member Sum() const (function)' "$check" "$scratch"
header 'enum class Kind { kLeft, kRight };'
expect_fail 'Member Kind (enumeration)' "$check" "$scratch"

expect_pass "$check" "$repository"
expect_pass "$check" --html "$scratch/reference"
grep -q 'FilterPolicy' "$scratch/reference/html/index.html" \
  "$scratch/reference/html/annotated.html"
