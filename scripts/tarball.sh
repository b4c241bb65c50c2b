#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tarball.sh -- makes build/packages/tamis-VERSION-SYSTEM-MACHINE.tar.gz with
# CPack: the libraries, the headers, the command, the Redis module and the
# documents.  Then unpacks it elsewhere and tries what is in it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh

fail() {
  echo "tarball: $*" >&2
  exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Nothing else that an earlier build of this preset may have had.
build release -DTAMIS_BUILD_REDIS=ON -DTAMIS_BUILD_LEVELDB=OFF \
  -DTAMIS_BUILD_PYTHON=OFF product tamis_redis
rm -rf build/packages/tamis-*.tar.gz*
logged "$logs/tarball.log" cpack --config build/release/CPackConfig.cmake \
  -B "$PWD/build/packages"
rm -rf build/packages/_CPack_Packages

say "trying it"
cd build/packages
tarball=$(echo tamis-*.tar.gz)
sha256sum --quiet -c "$tarball.sha256"
tar -C "$scratch" -xzf "$tarball"
top=$scratch/${tarball%.tar.gz}
[[ $(ls "$scratch") == "$(basename "$top")" ]] ||
  fail "$tarball has more than one folder at its top"

tamis=$top/bin/tamis
"$tamis" --version
seq 1000 | "$tamis" build -q -o "$scratch/numbers.tamis" --fpr 1%
"$tamis" query "$scratch/numbers.tamis" -k 42 | grep -qx $'maybe\t42' ||
  fail "the command that was unpacked does not answer"
for file in share/man/man1/tamis.1 share/doc/tamis/LICENSE \
  share/bash-completion/completions/tamis; do
  [[ -s $top/$file ]] || fail "$tarball lacks $file"
done
libraries=$(dirname "$(find "$top/lib" -name libtamis.a)")
[[ -s $libraries/tamis/redis_tamis.so ]] || fail "$tarball lacks the Redis module"

# By its own paths, wherever it was unpacked; tamis.pc has them, too.
c++ -std=c++20 "$top/share/doc/tamis/examples/quick_start.cc" \
  -I "$top/include" -L "$libraries" -ltamis -o "$scratch/quick_start"
answers=$(LD_LIBRARY_PATH=$libraries "$scratch/quick_start")
[[ $answers == $'banana: maybe\ndragonfruit: no' ]] ||
  fail "a program with the library that was unpacked says $answers"
say "build/packages/$tarball, $(stat -c %s "$tarball") bytes"
