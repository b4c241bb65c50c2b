#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debian/ and packaging/ have the version, the options and the packages of the
# build, and can be parsed.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_packaging.sh"
expect_pass "$check" "$repository"

# fresh -- a copy of what the check reads.
fresh() {
  rm -rf "${scratch:?}"/*
  mkdir -p "$scratch/docs" "$scratch/scripts"
  cp -R "$repository"/{CMakeLists.txt,debian,packaging} "$scratch"
  cp "$repository/docs/building.md" "$scratch/docs"
  cp "$repository/scripts/packages.txt" "$scratch/scripts"
}
# change FILE EXPRESSION TEXT -- a changed file makes the check say TEXT.
change() {
  fresh
  sed -i -E "$2" "$scratch/$1"
  if cmp -s "$scratch/$1" "$repository/$1"; then
    echo "nothing was changed in $1"
    exit 1
  fi
  expect_fail "$3" "$check" "$scratch"
}
fresh
expect_pass "$check" "$scratch"

port=packaging/vcpkg/ports/tamis
recipe=packaging/conan/conanfile.py
change debian/changelog '1s/\(.*\)/(0.1.0)/' "has version '0.1.0'"
change "$port/vcpkg.json" 's/("version-semver": ").*"/\10.1.0"/' "version '0.1.0'"
change "$recipe" 's/^( +version = ).*/\1"0.1.0"/' "has version '0.1.0'"
change debian/control 's/^Package: libtamis[0-9].*/Package: libtamis9/' \
  'no package libtamis'
change debian/rules 's/TAMIS_BUILD_REDIS/TAMIS_BUILD_REDDIS/' \
  'TAMIS_BUILD_REDDIS'
change debian/control 's/^ libzstd-dev,/ libzzz-dev,/' 'needs libzzz-dev'
change "$port/vcpkg.json" '1s/\{//' 'is not JSON'
change "$recipe" 's/^class /class class /' 'is not Python'
change "$port/portfile.cmake" 's/^endif\(\)//' 'does not run'
change "$port/portfile.cmake" 's,/\.\./\.\./\.\./\.\.,/../..,' 'which is no tree'
