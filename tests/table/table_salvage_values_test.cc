// SPDX-License-Identifier: Apache-2.0
// SalvageTable() where values are made of a table's blocks: none of these is
// taken for the table's own; and where bytes cannot be read for a reason that
// is no damage.

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "table/table_salvage.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

constexpr int kOuter = 20;
constexpr int kInnerKeys = 1000;

std::string UserAt(int i) { return "user" + std::to_string(100'000 + i); }

// A table whose keys fall between those of the table it is a value of.
std::string InnerTable(Sequence first) {
  Entries entries;
  for (int i = 0; i < kInnerKeys; ++i) {
    entries.push_back({UserAt(i * 10), first + static_cast<Sequence>(i),
                       ValueType::kValue, std::string(40, 'i')});
  }
  TableWriteOptions options;
  options.block_bytes = 1000;
  options.compression = Compression::kNone;
  return BuildTable(options, entries);
}

// Some of its values are tables.
Entries OuterEntries(const std::string& inner) {
  Entries entries;
  for (int i = 0; i < kOuter; ++i) {
    entries.push_back({UserAt(i * 500 + 5), static_cast<Sequence>(i + 1),
                       ValueType::kValue,
                       i % 4 == 1 ? inner : std::string(3000, 'o')});
  }
  return entries;
}
std::string OuterTable(const std::string& inner, std::size_t block_bytes) {
  TableWriteOptions options;
  options.block_bytes = block_bytes;
  options.compression = Compression::kNone;
  return BuildTable(options, OuterEntries(inner));
}

struct SavedKeys {
  std::set<std::string> keys;  // user keys
  SalvageReport report;
};

SavedKeys SalvageOf(const std::string& bytes,
                    const SalvageBounds& bounds = {}) {
  SavedKeys saved;
  const auto salvaged = SalvageTable({}, StringSource(bytes, false), bounds,
                                     [&](Slice key, Slice /*value*/) {
                                       saved.keys.emplace(UserKeyOf(key));
                                       return Status::Ok();
                                     });
  EXPECT_TRUE(salvaged.ok());
  if (salvaged.ok()) saved.report = *salvaged;
  return saved;
}

int CountInvented(const SavedKeys& saved) {
  std::set<std::string> known;
  for (const Entry& entry : OuterEntries("")) known.insert(entry.user_key);
  return static_cast<int>(
      std::count_if(saved.keys.begin(), saved.keys.end(),
                    [&](const auto& key) { return !known.contains(key); }));
}

TEST(TableSalvageValues, OfATableCutOffAnywhereGiveNoEntries) {
  const std::string inner = InnerTable(1);
  for (const std::size_t block_bytes : {1000u, 100'000u}) {
    const std::string whole = OuterTable(inner, block_bytes);
    const std::uint64_t step = whole.size() / 150 + 1;
    for (std::size_t cut = 1; cut < whole.size(); cut += step) {
      for (const bool is_known : {false, true}) {
        SalvageBounds bounds;
        if (is_known) bounds.file_bytes = whole.size();
        const SavedKeys saved = SalvageOf(whole.substr(0, cut), bounds);
        ASSERT_EQ(CountInvented(saved), 0) << cut << " " << block_bytes;
      }
    }
  }
}

// The index is lost, and so is a page of a value, its end perhaps.
TEST(TableSalvageValues, OfABlockThatLostAPageGiveNoEntries) {
  const std::string inner = InnerTable(1);
  const std::string whole = OuterTable(inner, 1000);
  const std::size_t value = whole.find(inner);
  ASSERT_NE(value, std::string::npos);
  for (const bool is_flip : {false, true}) {
    for (std::size_t at = value; at + 4096 < value + inner.size() + 20;
         at += is_flip ? 5000 : 4096) {
      std::string damaged = whole;
      damaged.back() ^= 1;
      if (is_flip) {
        damaged[at] ^= 1;
      } else {
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), 4096,
                    '\0');
      }
      const SavedKeys saved = SalvageOf(damaged);
      ASSERT_EQ(CountInvented(saved), 0) << at;
      ASSERT_EQ(saved.keys.size(), std::size_t{kOuter - 1}) << at;
    }
  }
}

// A length that is wrong is not believed: what lies behind is found.
TEST(TableSalvageValues, WhoseLengthIsWrongCostTheirBlockOnly) {
  const std::string whole = OuterTable("no table", 1000);
  for (unsigned bit = 0; bit < 7; ++bit) {
    std::string damaged = whole;
    // Of the first value: behind 0 and the length of the key.
    damaged[2] ^= static_cast<char>(1u << bit);
    damaged.back() ^= 1;
    const SavedKeys saved = SalvageOf(damaged);
    EXPECT_EQ(saved.keys.size(), std::size_t{kOuter - 1}) << bit;
  }
}

// Where not even the length of the value is left, the manifest helps.
TEST(TableSalvageValues, NewerThanTheManifestSaysAreNotTaken) {
  const std::string whole = OuterTable(InnerTable(1000), 1000);
  std::string damaged = whole;
  damaged.back() ^= 1;
  const std::size_t head = whole.find(UserAt(505)) - 5;
  std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(head), 20, '\xff');
  EXPECT_GT(CountInvented(SalvageOf(damaged)), 0) << "nobody can tell";
  SalvageBounds bounds;
  bounds.last_sequence = kOuter;
  const SavedKeys saved = SalvageOf(damaged, bounds);
  EXPECT_EQ(CountInvented(saved), 0);
  EXPECT_EQ(saved.keys.size(), std::size_t{kOuter - 1});
}

TEST(TableSalvageValues, AreSaidToBeFoundBehindDamage) {
  const std::string whole = OuterTable("no table", 1000);
  std::string damaged = whole;
  damaged.back() ^= 1;
  damaged[whole.find(UserAt(2505)) + 20] ^= 1;  // in a block of two
  const SavedKeys saved = SalvageOf(damaged);
  ASSERT_EQ(saved.report.lost.size(), 1u);
  EXPECT_NE(saved.report.lost[0].find("; entries found after this damage: "),
            std::string::npos)
      << saved.report.lost[0];
  EXPECT_TRUE(
      saved.report.lost[0].ends_with(": " + std::to_string(kOuter - 5 - 2)))
      << saved.report.lost[0];
}

// ---- Reads that fail ----

// A file of which one read fails.
class FailingFile final : public ReadableFile {
 public:
  FailingFile(std::string bytes, int n, Status why)
      : source_(std::move(bytes), false), left_(n), why_(std::move(why)) {}
  std::uint64_t size() const noexcept override { return source_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    if (--left_ == 0) return why_;
    return source_.Read(offset, bytes, scratch);
  }
  bool has_failed() const { return left_ <= 0; }

 private:
  StringSource source_;
  mutable int left_;
  Status why_;
};

TEST(TableThatMayNotBeRead, IsNeitherDamagedNorSavedInPart) {
  std::string whole = OuterTable(InnerTable(1), 1000);
  for (const bool has_footer : {true, false}) {
    if (!has_footer) {
      whole.back() ^= 1;
      whole[100] ^= 1;
    }
    for (const Status& why : {Status::PermissionDenied("not you"),
                              Status::ResourceExhausted("no memory")}) {
      for (int n = 1;; ++n) {
        const FailingFile file(whole, n, why);
        const auto salvaged = SalvageTable(
            {}, file, {}, [](Slice, Slice) { return Status::Ok(); });
        if (!file.has_failed()) break;
        ASSERT_EQ(salvaged.status().code(), why.code()) << n;
        ASSERT_TRUE(salvaged.status().message().ends_with(why.message()));
        const FailingFile checked(whole, n, why);
        const TableCheck check = CheckTable({}, checked);
        ASSERT_TRUE(!checked.has_failed() || check.unread.code() == why.code())
            << n;
        ASSERT_TRUE(check.unread.ok() || !check.problems.empty());
      }
    }
  }
}

}  // namespace
}  // namespace tamis::testing
