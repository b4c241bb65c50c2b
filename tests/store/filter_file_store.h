// SPDX-License-Identifier: Apache-2.0
// store/filter_file_store.h -- stores whose tables have poor filters, and files
// of filters beside them, right and wrong.

#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "store/file_names.h"
#include "tamis/filter_files.h"
#include "tests/store/stores.h"

namespace tamis::testing {

inline constexpr int kFilterFileNumbers = 1200;
inline constexpr std::uint64_t kKeysOfOne = 200;

// As LevelDB writes tables: one filter per 2 KiB, and no other.
inline StoreOptions PoorOptions() {
  StoreOptions options = SmallOptions();
  options.filter = "";
  options.automatic_compaction = false;
  options.compression = Compression::kNone;
  return options;
}
// What its tables should have instead.
inline StoreOptions GoodOptions(StoreOptions options,
                                const std::string& filter = "bloom:10") {
  options.filter = filter;
  options.read_only = false;
  return options;
}

inline std::string FilterFileKey(int number) {
  return "key" + NumberKey(static_cast<std::uint64_t>(number));
}

// Even numbers, in several tables: the odd ones are absent.
inline void FillWithEven(TestStore* store) {
  for (int i = 0; i < kFilterFileNumbers; i += 2) {
    store->Put(FilterFileKey(i * 7919 % kFilterFileNumbers),
               std::string(20, 'v'));
    if (i % 300 == 298) store->Flush();
  }
  ASSERT_TRUE((*store)->WaitForQuiet().ok());
}
inline void ExpectEven(TestStore* store) {
  for (int i = 0; i < kFilterFileNumbers; ++i) {
    const Status got = (*store)->Get(FilterFileKey(i)).status();
    ASSERT_EQ(got.ok(), i % 2 == 0) << i << ": " << got.ToString();
    ASSERT_TRUE(got.ok() || got.code() == StatusCode::kNotFound);
  }
}

// Even numbers, in one table.
inline void FillOneTable(TestStore* store) {
  for (std::uint64_t i = 0; i < kKeysOfOne; ++i) {
    store->Put(FilterFileKey(static_cast<int>(2 * i)), "v");
  }
  store->Flush();
}
inline void ExpectOneTable(TestStore* store) {
  for (std::uint64_t i = 0; i < kKeysOfOne; ++i) {
    ASSERT_EQ(store->Get(FilterFileKey(static_cast<int>(2 * i))), "v") << i;
  }
}

inline std::uint64_t Sum(const StoreStats& stats,
                         std::uint64_t LevelStats::*member) {
  std::uint64_t sum = 0;
  for (const LevelStats& level : stats.levels) sum += level.*member;
  return sum;
}

// REQUIRES: the store is closed
inline FilterFilesReport MakeAll(TestStore* store,
                                 const FilterFilesOptions& filters = {},
                                 const std::string& filter = "bloom:10") {
  Result<FilterFilesReport> made = MakeFilterFiles(
      TestStore::dir(), GoodOptions(store->options(), filter), filters);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return made.ok() ? *std::move(made) : FilterFilesReport();
}

inline void ExpectNoProblem(TestStore* store, std::uint64_t filters) {
  const auto checked = CheckStore(TestStore::dir(), store->options());
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_TRUE(checked->problems.empty()) << checked->problems.front();
  EXPECT_EQ(checked->filters, filters);
}

// Files of filters whose tables are gone.
inline std::vector<std::string> OrphansIn(TestStore* store) {
  std::vector<std::string> orphans;
  for (const std::string& path : store->Files(".filter")) {
    const std::string stem = path.substr(0, path.size() - 7);
    if (!store->env().Exists(stem + ".ldb")) orphans.push_back(path);
  }
  return orphans;
}

// ---- the bytes of such a file, by its page

// Makes its checksums right.
inline std::string Sealed(std::string file) {
  StoreLittle(file.data() + 60, Crc32c(Slice(file).substr(0, 60)));
  const std::size_t end = file.size() - 4;
  StoreLittle(file.data() + end, Crc32c(Slice(file).substr(64, end - 64)));
  return file;
}
inline std::string WithVersion(std::string file, std::uint32_t version) {
  StoreLittle(file.data() + 8, version);
  return Sealed(std::move(file));
}
// With another name of the policy, and another filter.
inline std::string WithBody(const std::string& file, const std::string& policy,
                            const std::string& filter) {
  std::string made = file.substr(0, 64) + policy + filter + "sums";
  StoreLittle(made.data() + 32, std::uint64_t{filter.size()});
  StoreLittle(made.data() + 40, static_cast<std::uint32_t>(policy.size()));
  return Sealed(std::move(made));
}
inline std::string WithPolicy(const std::string& file,
                              const std::string& policy) {
  const std::size_t name = LoadLittle32(file.data() + 40);
  const std::size_t length = LoadLittle64(file.data() + 32);
  return WithBody(file, policy, file.substr(64 + name, length));
}
inline std::string WithFilterOf(const std::string& file,
                                const std::vector<std::string>& keys) {
  const auto policy = MakePolicy("bloom:10");
  const auto builder = policy->NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string filter;
  EXPECT_TRUE(builder->Finish(&filter).ok());
  return WithBody(file, std::string(policy->name()), filter);
}

}  // namespace tamis::testing
