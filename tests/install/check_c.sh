#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_c.sh LIBDIR INCLUDEDIR VERSION -- the C interface, as it was installed:
# its functions are those of c_functions.txt, a C99 program calls each of them,
# and a script of Python does through ctypes.
set -euo pipefail

libdir=$1 include_dir=$2 version=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "FAILED: $*"
  exit 1
}

declared=$("$here/../../scripts/c_functions.sh" "$include_dir/tamis/c.h")
lost=$(grep -vxFf <(printf '%s\n' "$declared") "$here/c_functions.txt" || true)
[[ -z $lost ]] ||
  fail "removed from tamis/c.h, or changed, which breaks programs: $lost"
new=$(grep -vxFf "$here/c_functions.txt" <<<"$declared" || true)
[[ -z $new ]] || fail "append to tests/install/c_functions.txt: $new"

# The name is the last word before the first parenthesis.
names=$(sed -E 's/^[^(]*\b(tamis_[a-z0-9_]+)\(.*/\1/' "$here/c_functions.txt" |
  sort)
exported=$(nm -D --defined-only "$libdir/libtamis.so" | awk '{ print $3 }' |
  grep '^tamis_' | sort)
[[ $names == "$exported" ]] || fail "libtamis.so exports other functions:" \
  "$(diff <(echo "$names") <(echo "$exported"))"
for name in $names; do
  grep -qw "$name" "$here"/c_consumer/*.c || fail "no test calls $name"
done

# compile NAME SOURCE...
compile() {
  cc -std=c99 -pedantic -Wall -Wextra -Werror -I "$include_dir" "${@:2}" \
    -L "$libdir" -ltamis -o "$scratch/$1"
}
compile consumer "$here"/c_consumer/*.c
compile quick_start "$here/../../examples/quick_start.c"
answers=$(LD_LIBRARY_PATH=$libdir "$scratch/quick_start")
[[ $answers == $'banana: maybe\ndragonfruit: no' ]] ||
  fail "examples/quick_start.c says $answers"
mkdir "$scratch/data" "$scratch/python"
LD_LIBRARY_PATH=$libdir "$scratch/consumer" "$scratch/data" "$version"

/usr/bin/python3 "$here/c_consumer/by_ctypes.py" "$libdir/libtamis.so" \
  "$scratch/python"
echo "libtamis.so exports $(wc -w <<<"$names") functions for C, each of them called"
