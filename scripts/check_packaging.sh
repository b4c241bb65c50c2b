#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_packaging.sh [ROOT] -- fails when debian/ or packaging/ disagree with the
# build files: in the version, in the name of the library's package, in an option
# that there is not, or in what building needs; or when the files for vcpkg and
# Conan cannot be parsed.  What these two programs make of them, it does not show.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

bad=0
complain() {
  echo "$*"
  bad=1
}

port=packaging/vcpkg/ports/tamis
recipe=packaging/conan/conanfile.py

# --- versions ---------------------------------------------------------------

version=$(sed -nE 's/^ +VERSION ([0-9.]+)$/\1/p' CMakeLists.txt)
[[ -n $version ]] || complain "CMakeLists.txt: no version of the project"
# same_version FILE VERSION
same_version() {
  [[ $2 == "$version" ]] ||
    complain "$1 has version '$2', and CMakeLists.txt has $version"
}
same_version debian/changelog \
  "$(sed -nE '1s/^tamis \(([^)]*)\).*/\1/p' debian/changelog)"
same_version "$recipe" "$(sed -nE 's/^ +version = "(.*)"$/\1/p' "$recipe")"
same_version "$port/vcpkg.json" \
  "$(sed -nE 's/^ +"version-semver": "(.*)",$/\1/p' "$port/vcpkg.json")"

# The soname has the major and the minor version.
library=libtamis${version%.*}
grep -qx "Package: $library" debian/control ||
  complain "debian/control: no package $library, after the library's soname"
[[ -e debian/$library.install ]] || complain "no debian/$library.install"
grep -qF -- "-p$library " debian/rules ||
  complain "debian/rules does not make the shlibs of $library"

# --- options and packages ---------------------------------------------------

for option in $(grep -hoE 'TAMIS_[A-Z]+(_[A-Z]+)*' debian/rules \
  "$port/portfile.cmake" "$recipe" | sort -u); do
  grep -q "^| \`$option\` |" docs/building.md ||
    complain "packaging uses the option $option, which docs/building.md lacks"
done

needed=$(sed -n '/^Build-Depends:/,/^$/p' debian/control | sed 1d |
  sed -E 's/^ ([a-z0-9.+-]+).*/\1/' | grep -v -e '^debhelper' -e '^dh-')
[[ -n $needed ]] || complain "debian/control: no Build-Depends"
for package in $needed; do
  sed 's/#.*//' scripts/packages.txt | awk '{ print $1 }' |
    grep -qxF "$package" ||
    complain "debian/control needs $package, which scripts/packages.txt lacks"
done

# --- files that can be parsed -----------------------------------------------

python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe" ||
  complain "$recipe is not Python"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' \
  "$port/vcpkg.json" || complain "$port/vcpkg.json is not JSON"

# The port runs with functions of vcpkg's names that do nothing.
echo 'cmake_minimum_required(VERSION 3.25)' >"$scratch/run.cmake"
for name in $(grep -oE '^ *vcpkg_[a-z_]+' "$port/portfile.cmake" | sort -u); do
  printf 'function(%s)\nendfunction()\n' "$name"
done >>"$scratch/run.cmake"
cat >>"$scratch/run.cmake" <<END
set(CURRENT_PACKAGES_DIR "$scratch/packages")
set(FEATURES core tool)
include("$PWD/$port/portfile.cmake")
if(NOT EXISTS "\${SOURCE_PATH}/CMakeLists.txt")
  message(FATAL_ERROR "SOURCE_PATH is \${SOURCE_PATH}, which is no tree of ours")
endif()
END
cmake -P "$scratch/run.cmake" || complain "$port/portfile.cmake does not run"

[[ $bad -eq 0 ]] || exit 1
echo "debian/ and packaging/ agree with the build: version $version"
