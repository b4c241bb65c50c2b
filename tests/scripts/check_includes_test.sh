#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The include check accepts the order and refuses each way of breaking it.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_includes.sh"

# A small tree in which everything is allowed.
plant_good() {
  plant include/tamis/a.h '#include <string>' '#include "tamis/b.h"'
  plant include/tamis/leveldb_filter_policy_x.h '#include <leveldb/c.h>'
  plant src/base/a.cc '#include <sys/mman.h>' '#include "base/b.h"'
  plant src/hash/a.cc '#include <xxhash.h>' '#include "base/b.h"'
  plant src/math/a.cc '#include "tamis/a.h"'
  plant src/formats/a.cc '#include "filters/a.h"' '#include "hash/a.h"'
  plant src/store/a.cc '#include "table/a.h"' '#include "policy/a.h"'
  plant tools/main.cc '#include "base/b.h"' '#include "own.h"' \
    '#include <fmt/core.h>'
}

# refuse FILE LINE REASON -- the good tree with one line more must fail.
refuse() {
  plant_good
  echo "$2" >>"$scratch/$1"
  expect_fail "$3" "$check" "$scratch"
  expect_fail "$1:" "$check" "$scratch"
}

plant_good
expect_pass "$check" "$scratch"
expect_pass "$check" "$repository"

refuse src/base/a.cc '#include "hash/a.h"' 'base/ must not include hash/'
refuse src/hash/a.cc '#include "math/a.h"' 'hash/ must not include math/'
refuse src/math/a.cc '#include "hash/a.h"' 'math/ must not include hash/'
refuse src/formats/a.cc '#  include <policy/a.h>' \
  'formats/ must not include policy/'
refuse src/base/a.cc '#include "b.h"' 'name the folder'
refuse src/base/a.cc '#include "tools/own.h"' 'no such folder'
refuse include/tamis/a.h '#include "base/b.h"' 'a public header includes only'
refuse include/tamis/a.h '#include <immintrin.h>' 'a public header takes no'
refuse include/tamis/a.h '#include <leveldb/c.h>' 'a public header takes no'
refuse include/tamis/leveldb_filter_policy_x.h '#include <rocksdb/c.h>' \
  'a public header takes no'
refuse tools/main.cc '#include "formats/a.h"' 'tools/ includes tamis/, base/'

plant_good
plant src/other/a.cc '#include "base/b.h"'
expect_fail 'src/other/ has no place in the order' "$check" "$scratch"

rm -r "$scratch"/*
mkdir "$scratch"/{include,src,tools}
expect_fail 'no sources' "$check" "$scratch"

# A private header must not hide a public one.
plant include/tamis/filter.h '#include <string>'
plant src/formats/tamis/container.h '#include "tamis/filter.h"'
expect_pass "$check" "$scratch"
plant src/formats/tamis/filter.h '#include "tamis/filter.h"'
expect_fail 'hides the public header tamis/filter.h' "$check" "$scratch"
