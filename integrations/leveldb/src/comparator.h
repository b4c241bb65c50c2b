// SPDX-License-Identifier: Apache-2.0
// comparator.h -- a program's comparator as one of ours.

#pragma once

#include <string>

#include <leveldb/comparator.h>

#include "convert.h"
#include "tamis/comparator.h"

namespace tamis::dropin {

class ComparatorAdapter final : public Comparator {
 public:
  // `equal_is_identical`: the program says so.  REQUIRES: `theirs` outlives
  // this
  ComparatorAdapter(const leveldb::Comparator& theirs, bool equal_is_identical)
      : theirs_(theirs), equal_is_identical_(equal_is_identical) {}

  std::string_view name() const noexcept override { return theirs_.Name(); }
  int Compare(Slice a, Slice b) const noexcept override {
    return theirs_.Compare(Theirs(a), Theirs(b));
  }
  bool EqualMeansIdentical() const noexcept override {
    return equal_is_identical_;
  }
  void ShortenBetween(std::string* start, Slice limit) const override {
    theirs_.FindShortestSeparator(start, Theirs(limit));
  }
  void ShortenAfter(std::string* key) const override {
    theirs_.FindShortSuccessor(key);
  }

 private:
  const leveldb::Comparator& theirs_;
  const bool equal_is_identical_;
};

}  // namespace tamis::dropin
