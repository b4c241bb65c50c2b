#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# format.sh [--check] -- lays out every C and C++ file of the repository with
# clang-format 14.  --check changes nothing and fails if something would.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files() {
  find include src tools tests fuzz bench examples integrations \
    \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0
}

case ${1-} in
  --check)
    files | xargs -0 -r -n 16 -P "$(nproc)" \
      clang-format-14 --dry-run -Werror || {
      echo "not as clang-format 14 lays it out; ./run format mends it"
      exit 1
    }
    ;;
  "") files | xargs -0 -r clang-format-14 -i ;;
  *)
    echo "format.sh [--check]" >&2
    exit 2
    ;;
esac
