// SPDX-License-Identifier: Apache-2.0
// store/versions.h -- versions of tables that have no file: enough to look for
// tables and to pick compactions.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/compact_pick.h"
#include "store/version.h"

namespace tamis::testing {

inline std::string InternalKey(Slice user_key, Sequence sequence,
                               ValueType type = ValueType::kValue) {
  std::string key;
  AppendInternalKey(&key, user_key, sequence, type);
  return key;
}

struct TableAt {
  int level = 0;
  std::uint64_t number = 0;
  std::string first;  // user keys
  std::string last;
  std::uint64_t bytes = 100;
  Sequence first_sequence = 10;
  Sequence last_sequence = 10;
};

inline VersionEdit EditOf(const std::vector<TableAt>& tables) {
  VersionEdit edit;
  for (const TableAt& t : tables) {
    edit.added.emplace_back(
        t.level,
        FileMetadata{t.number, t.bytes, InternalKey(t.first, t.first_sequence),
                     InternalKey(t.last, t.last_sequence)});
  }
  return edit;
}

// Tables without files refer to it, and are never opened.
inline const TableFileContext& NoFiles() {
  static const TableFileContext context;
  return context;
}

inline Result<std::shared_ptr<const Version>> TryVersion(
    const std::vector<TableAt>& tables,
    const Comparator& comparator = BytewiseComparator()) {
  return Version(KeyOrder(comparator)).Apply(EditOf(tables), NoFiles());
}

// A few tables are too many.
inline constexpr CompactionLimits kSmallLimits = {.level1_bytes = 1000,
                                                  .level_growth = 10,
                                                  .level0_tables = 4,
                                                  .table_bytes = 100};

// A version that cannot be fails the running test.
inline std::shared_ptr<const Version> MakeVersion(
    const std::vector<TableAt>& tables,
    const Comparator& comparator = BytewiseComparator()) {
  Result<std::shared_ptr<const Version>> made = TryVersion(tables, comparator);
  if (!made.ok()) {
    ADD_FAILURE() << made.status().ToString();
    return std::make_shared<const Version>(KeyOrder(comparator));
  }
  return *std::move(made);
}

using Numbers = std::vector<std::uint64_t>;

inline Numbers NumbersOf(const std::vector<TableFileRef>& files) {
  Numbers numbers;
  for (const TableFileRef& file : files) numbers.push_back(file->number());
  return numbers;
}

}  // namespace tamis::testing
