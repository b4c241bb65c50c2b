#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check.sh BUILD_DIR COMPILER
#
# Installs BUILD_DIR into a scratch prefix, builds the consumer project against
# it in every way we promise (find_package shared and static, pkg-config
# shared and static) and runs each; then looks at what the libraries show, at
# the C interface, at each header by itself, and for the licence and the documents.  Status 77: a
# program that this needs is not here.
set -euo pipefail

for program in ninja objdump pkg-config; do
  command -v "$program" >/dev/null || {
    echo "skipped: no $program here"
    exit 77
  }
done

build_dir=$1 compiler=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

fail() {
  echo "FAILED: $*"
  exit 1
}

# quietly COMMAND... -- shows the output only if the command fails.
quietly() {
  "$@" >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log"
    fail "$*"
  }
}

# needs PROGRAM LIBRARY -- true if the program loads the shared library.
needs() { objdump -p "$1" | grep NEEDED | grep -qF "$2"; }

# consume_with_cmake NAME [OPTION...]
consume_with_cmake() {
  local build=$scratch/$1
  shift
  quietly cmake -G Ninja -S "$here/consumer" -B "$build" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" "$@"
  quietly cmake --build "$build"
  quietly "$build/consumer"
}

# consume_with_pkg_config NAME FLAG... -- FLAG... are what the linker gets.
consume_with_pkg_config() {
  local program=$scratch/$1
  shift
  local cflags
  cflags=$(pkg-config --cflags tamis)
  # shellcheck disable=SC2086
  quietly "$compiler" -std=c++20 $cflags "$here/consumer/consumer.cc" "$@" \
    -o "$program"
  LD_LIBRARY_PATH=$libdir quietly "$program"
}

quietly cmake --install "$build_dir" --prefix "$prefix"
pc=$(find "$prefix" -name tamis.pc)
[[ -n $pc ]] || fail "no tamis.pc was installed"
libdir=$(cd "$(dirname "$pc")/.." && pwd)
export PKG_CONFIG_PATH=$libdir/pkgconfig

# Until 1.0 every minor version is another interface, and another soname.
version=$(pkg-config --modversion tamis)
soname=libtamis.so.${version%.*}

consume_with_cmake shared
needs "$scratch/shared/consumer" "$soname" || fail "not linked shared"
consume_with_cmake static -DTAMIS_USE_STATIC_LIBS=ON
! needs "$scratch/static/consumer" libtamis.so || fail "not linked statically"
echo "find_package: shared and static work"

# The flags are words, so they are left unquoted on purpose.
# shellcheck disable=SC2046
consume_with_pkg_config pc_shared $(pkg-config --libs tamis)
needs "$scratch/pc_shared" "$soname" || fail "not linked shared"
static_libs=$(pkg-config --static --libs tamis)
# shellcheck disable=SC2086
consume_with_pkg_config pc_static ${static_libs/-ltamis/-l:libtamis.a}
! needs "$scratch/pc_static" libtamis.so || fail "not linked statically"
echo "pkg-config: shared and static work"

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "what version is $version?"
called=$(objdump -p "$libdir/libtamis.so" | awk '$1 == "SONAME" { print $2 }')
[[ $called == "$soname" ]] ||
  fail "the shared library calls itself $called, not $soname"
[[ -e $libdir/$soname ]] || fail "no $soname was installed"
echo "soname: $soname"

# Each header by itself.  Those for LevelDB need its headers.
headers=0
for header in "$prefix"/include/tamis/*.h; do
  if [[ $header == */leveldb_filter_policy* ]] &&
    ! "$compiler" -x c++ -E -include leveldb/c.h /dev/null >/dev/null 2>&1; then
    continue
  fi
  quietly "$compiler" -x c++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror \
    -I "$prefix/include" -include "$header" /dev/null
  headers=$((headers + 1))
done
[[ $headers -gt 0 ]] || fail "no headers were installed"
echo "$headers headers stand alone"

doc=$prefix/share/doc/tamis
for file in LICENSE README.md docs/library.md docs/formats/tamis.md \
  examples/quick_start.cc; do
  [[ -s $doc/$file ]] || fail "not installed: share/doc/tamis/$file"
done
cmp -s "$here/../../LICENSE" "$doc/LICENSE" || fail "another LICENSE"
echo "licence and documents are installed"

[[ -x $prefix/bin/tamis ]] || fail "the tamis command was not installed"
quietly "$prefix/bin/tamis" --help
for file in man/man1/tamis.1 man/man1/tamis-build.1 man/man1/tamis-db-get.1 \
  bash-completion/completions/tamis zsh/site-functions/_tamis \
  fish/vendor_completions.d/tamis.fish; do
  [[ -s $prefix/share/$file ]] || fail "share/$file was not installed"
done
if grep -rIl -e "$prefix" -e "$build_dir" "$prefix" | grep .; then
  fail "the files above name the folder they were built or installed in"
fi

"$here/check_symbols.sh" "$libdir" "$prefix/include"
if command -v cc >/dev/null && [[ -x /usr/bin/python3 ]]; then
  "$here/check_c.sh" "$libdir" "$prefix/include" "$version"
else
  fail "the C interface was not checked: install gcc and python3"
fi
