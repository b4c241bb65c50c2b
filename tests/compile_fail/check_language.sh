#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_language.sh COMPILER INCLUDE_DIR -- every public header, compiled as
# C++17, says first of all that it needs C++20.  The one for C needs neither.
set -u

compiler=$1 include_dir=$2
status=0 count=0

for header in "$include_dir"/tamis/*.h; do
  if [[ ${header##*/} == c.h ]]; then
    "$compiler" -x c++ -std=c++98 -pedantic -fsyntax-only -I "$include_dir" \
      -include "$header" /dev/null -Wno-long-long || status=1
    continue
  fi
  first=$("$compiler" -x c++ -std=c++17 -fsyntax-only -Wfatal-errors \
    -I "$include_dir" -include "$header" /dev/null 2>&1 | grep -m 1 'error')
  if [[ $first == *fatal*leveldb/* ]]; then
    echo "skipped, there is no LevelDB: ${header##*/}"
    continue
  fi
  if [[ $first != *"Tamis needs C++20"* ]]; then
    printf '%s: C++17 first says "%s"\n' "${header##*/}" "$first"
    status=1
  fi
  count=$((count + 1))
done
[[ $count -gt 0 ]] || { echo "no headers in $include_dir"; exit 1; }
echo "$count headers ask for C++20"
exit $status
