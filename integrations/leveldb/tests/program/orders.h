// SPDX-License-Identifier: Apache-2.0
// orders.h -- comparators of a program.

#pragma once

#include <cctype>
#include <string>

#include <leveldb/comparator.h>
#include <leveldb/slice.h>

class ReverseOrder final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return b.compare(a);
  }
  const char* Name() const override { return "test.Reverse"; }
  void FindShortestSeparator(std::string*,
                             const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// Keys that differ only in case are equal.
class CaselessOrder final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return Lower(a).compare(Lower(b));
  }
  const char* Name() const override { return "test.Caseless"; }
  void FindShortestSeparator(std::string*,
                             const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

  static std::string Lower(const leveldb::Slice& key) {
    std::string lower = key.ToString();
    for (char& c : lower) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return lower;
  }
};

// Shorter keys come first.
class LengthOrder final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  const char* Name() const override { return "test.Length"; }
  void FindShortestSeparator(std::string*,
                             const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};
