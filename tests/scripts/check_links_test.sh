#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Links that lead nowhere are found, and so are names of files that are not
# there and pages that nothing leads to.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_links.sh"

plant docs/README.md '# Pages' '[one](one.md), [two](sub/two.md#how-it-is-read)'
plant docs/one.md '# One' '[up](../README.md), [here](#one), [site](https://a.b/c)' \
  '`[code](nowhere.md)`' '```' '[code](nowhere.md)' '# no heading' '```'
plant docs/sub/two.md '## How `it` is read' '## Twice' '## Twice' \
  '[second](#twice-1), [folder](..), [file](../../src/a.cc)' \
  '`a.cc`, `src/a.cc`, `store/get.cc` and `cmd_NAME.cc`, `kernels_*.cc`'
plant src/store/get.cc ''
plant CHANGELOG.md '`gone.h` is gone'
plant README.md '# Top' '![a picture](docs/images/a.svg)'
plant src/a.cc ''
plant docs/images/a.svg ''
expect_pass "$check" "$scratch"
expect_pass "$check" "$repository"

# expect_broken TEXT LINE -- a document with that line is refused.
expect_broken() {
  plant docs/one.md '# One' "$2"
  expect_fail "$1" "$check" "$scratch"
}
expect_broken 'docs/one.md:2: gone.md: there is no docs/gone.md' '[a](gone.md)'
expect_broken 'docs/one.md has no heading #two' '[a](#two)'
expect_broken 'docs/sub/two.md has no heading #thrice' '[a](sub/two.md#thrice)'
expect_broken 'there is no docs/src/a.cc' '[a](README.md), [b](src/a.cc)'
expect_broken 'there is no ..' '[a](../../outside.md)'
expect_broken 'docs/one.md:2: there is no b.cc' '`a.cc` and `b.cc`'
expect_broken 'there is no table/get.cc' '`table/get.cc`'
expect_broken 'there is no et.cc' '`et.cc`'
plant docs/one.md '# One' '```' '# in code' '```' '[a](#in-code)'
expect_fail 'has no heading #in-code' "$check" "$scratch"

plant docs/one.md '# One'
plant docs/lonely.md '# Lonely' '[home](README.md)'
expect_fail 'docs/lonely.md: docs/README.md does not lead here' \
  "$check" "$scratch"
