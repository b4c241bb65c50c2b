#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# c_functions.sh [HEADER] -- prints the functions that tamis/c.h declares, one
# declaration per line, in the order of the header.  tests/install/c_functions.txt
# has all that there ever were: the interface only grows.
set -euo pipefail

header=${1:-$(dirname "${BASH_SOURCE[0]}")/../include/tamis/c.h}
# The preprocessor removes the comments and does nothing else.
cc -fpreprocessed -dD -E -P -x c "$header" | tr '\n' ' ' | tr ';' '\n' |
  grep -o 'TAMIS_EXPORT [a-z].*' | grep -v '__attribute__' |
  sed -E 's/^TAMIS_EXPORT +//; s/ +/ /g; s/ $//'
