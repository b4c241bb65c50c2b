#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_symbols.sh LIBDIR INCLUDEDIR -- what the installed libraries show.
#
# The shared library exports names of namespace tamis only, each of which a
# public header declares, and functions for C (check_c.sh); and no object carries run-time types of ours.
set -euo pipefail

libdir=$1 include_dir=$2

fail() {
  echo "FAILED: $*"
  exit 1
}

exported=$(nm -DC --defined-only "$libdir/libtamis.so" | cut -d' ' -f3- |
  grep -v '^tamis_[a-z0-9_]*$')
[[ -n $exported ]] || fail "libtamis.so exports nothing"

foreign=$(grep -vE '^(vtable for )?tamis::' <<<"$exported" || true)
[[ -z $foreign ]] || fail "exported, but not of namespace tamis: $foreign"

# The name after tamis:: is a function or a class; either must be marked.
marked=$(cat "$include_dir"/tamis/*.h)
names=$(sed -E 's/^(vtable for )?tamis::([A-Za-z_0-9]*).*/\2/' <<<"$exported" |
  sort -u)
for name in $names; do
  grep -qE "\b$name\b" <<<"$marked" ||
    fail "exported, but in no public header: $name"
done

types=$(nm -C "$libdir/libtamis.a" | grep -E 'typeinfo( name)? for tamis::' ||
  true)
[[ -z $types ]] || fail "run-time types in libtamis.a: $types"
echo "libtamis.so exports $(wc -l <<<"$exported") names of $(wc -w <<<"$names") \
public functions and classes; libtamis.a holds no run-time types"
