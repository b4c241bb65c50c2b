// SPDX-License-Identifier: Apache-2.0
#include "tamis/comparator.h"

#include <leveldb/comparator.h>
#include <leveldb/slice.h>

#include "convert.h"

namespace leveldb {
namespace {

class Bytewise final : public Comparator {
 public:
  int Compare(const Slice& a, const Slice& b) const override {
    return a.compare(b);
  }
  const char* Name() const override { return "leveldb.BytewiseComparator"; }
  void FindShortestSeparator(std::string* start,
                             const Slice& limit) const override {
    tamis::BytewiseComparator().ShortenBetween(start,
                                               tamis::dropin::Ours(limit));
  }
  void FindShortSuccessor(std::string* key) const override {
    tamis::BytewiseComparator().ShortenAfter(key);
  }
};

}  // namespace

const Comparator* BytewiseComparator() {
  // Never destroyed: databases may outlive main().
  static const Bytewise* const order = new Bytewise;
  return order;
}

}  // namespace leveldb
