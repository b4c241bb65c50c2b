// SPDX-License-Identifier: Apache-2.0
// policies.h -- filter policies of a program.

#pragma once

#include <atomic>
#include <set>
#include <string>

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "orders.h"

// A filter is the first letters of the keys, in lower case: it suits any order
// in which keys of distinct first letters differ.
class FirstLetters final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return "test.FirstLetters"; }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    ++made;
    std::set<std::string> letters;
    for (int i = 0; i < n; ++i) letters.insert(LetterOf(keys[i]));
    dst->push_back('.');
    for (const std::string& letter : letters) dst->append(letter);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    ++asked;
    const std::string letter = LetterOf(key);
    const bool may = filter.ToString().find(letter, 1) != std::string::npos;
    if (!may) ++ruled_out;
    return may;
  }

  mutable std::atomic<unsigned> made{0};
  mutable std::atomic<unsigned> asked{0};
  mutable std::atomic<unsigned> ruled_out{0};

 private:
  static std::string LetterOf(const leveldb::Slice& key) {
    return key.empty() ? std::string(1, '-')
                       : CaselessOrder::Lower(leveldb::Slice(key.data(), 1));
  }
};
