#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check.sh COMPILER CASE.cc FLAGS...
#
# A case holds a misuse between #ifdef TAMIS_MISUSE and #endif, its proper
# twin outside of it, and a line "// REFUSED: <regular expression>".  The twin
# must compile; the misuse must not, and for the stated reason: an error that
# the expression matches.
set -u

compiler=$1 case_file=$2
shift 2
flags=("$@")

compile() {
  "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror \
    "${flags[@]}" "$@" "$case_file" 2>&1
}

reason=$(sed -n 's|^// REFUSED: ||p' "$case_file")
if [[ -z $reason ]]; then
  echo "$case_file: no REFUSED line"
  exit 1
fi
if ! messages=$(compile); then
  printf 'the proper twin does not compile:\n%s\n' "$messages"
  exit 1
fi
if messages=$(compile -DTAMIS_MISUSE); then
  echo "the misuse compiles"
  exit 1
fi
if ! grep -Eq "error: .*($reason)" <<<"$messages"; then
  printf 'refused, but not for "%s":\n%s\n' "$reason" "$messages"
  exit 1
fi
echo "refused as it should be: $reason"
