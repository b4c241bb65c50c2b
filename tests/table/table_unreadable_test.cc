// SPDX-License-Identifier: Apache-2.0
// A mapped table of which some bytes cannot be read: found out before they are
// touched, or, once they were, by the flag that a handler sets.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "table/table_reader.h"
#include "tests/support/tables.h"

namespace tamis::testing {
namespace {

constexpr int kKeys = 2000;

// In memory.  What lies in the bad part is zeros where it is mapped and an
// error where it is read.
class LossyFile final : public ReadableFile {
 public:
  explicit LossyFile(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t size() const noexcept override { return bytes_.size(); }
  Result<Slice> Read(std::uint64_t offset, std::size_t bytes,
                     std::string* scratch) const override {
    ++reads_;
    if (!IsGood(offset, bytes)) return Status::IoError("t.ldb: a bad sector");
    scratch->assign(shows_zeros_ ? file_ : bytes_,
                    static_cast<std::size_t>(offset), bytes);
    return Slice(*scratch);
  }
  Slice mapped() const noexcept override { return bytes_; }
  bool MakeReadable(std::uint64_t offset,
                    std::size_t bytes) const noexcept override {
    const bool is_good = can_tell_ && IsGood(offset, bytes);
    if (goes_bad_) const_cast<LossyFile*>(this)->ShowZeros();
    return is_good;
  }
  const std::atomic<bool>* fault_flag() const noexcept override {
    return &faulted_;
  }

  // A part of the file, its length in bytes, is bad from now on.
  void Lose(double part, std::size_t bytes) {
    bad_from_ =
        static_cast<std::size_t>(part * static_cast<double>(bytes_.size()));
    bad_to_ = bad_from_ + bytes;
    std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(bad_from_),
              bytes_.begin() + static_cast<std::ptrdiff_t>(bad_to_), '\0');
  }
  // A fault: mapped, all of it is zeros; reading it gives what there was.
  void ShowZeros() {
    if (shows_zeros_) return;
    shows_zeros_ = true;
    faulted_ = true;
    file_ = bytes_;
    std::fill(bytes_.begin(), bytes_.end(), '\0');
  }
  // The same, as soon as somebody has heard that it can be touched.
  void GoBadOnceReadable() { goes_bad_ = true; }
  // As the handler does when somebody touches it.
  void Fault() { faulted_ = true; }
  void CannotTell() { can_tell_ = false; }
  int reads() const { return reads_; }

 private:
  bool IsGood(std::uint64_t offset, std::size_t bytes) const noexcept {
    return offset >= bad_to_ || offset + bytes <= bad_from_;
  }

  std::string bytes_;
  std::string file_;  // if it shows zeros
  bool shows_zeros_ = false;
  std::size_t bad_from_ = 0;
  std::size_t bad_to_ = 0;
  bool can_tell_ = true;
  bool goes_bad_ = false;
  std::atomic<bool> faulted_{false};
  mutable int reads_ = 0;
};

class TableOnABadDisk : public ::testing::TestWithParam<Compression> {
 protected:
  TableOnABadDisk() {
    Entries entries;
    for (int i = 0; i < kKeys; ++i) {
      entries.push_back({.user_key = Key(i), .value = Value(i)});
    }
    TableWriteOptions options;
    options.block_bytes = 512;
    options.compression = GetParam();
    auto file = std::make_unique<LossyFile>(BuildTable(options, entries));
    file_ = file.get();
    table_ = *Table::Open({}, std::move(file), "t.ldb");
  }

  static std::string Key(int i) { return "key" + std::to_string(10'000 + i); }
  static std::string Value(int i) { return "the value of " + Key(i); }
  bool is_compressed() const { return GetParam() != Compression::kNone; }

  // How many lookups find their value; the others are errors.
  int CountFound() {
    int found = 0;
    for (int i = 0; i < kKeys; ++i) {
      const std::string got = Lookup(*table_, Key(i), kMaxSequence);
      if (got == "value " + Value(i)) {
        ++found;
      } else {
        EXPECT_EQ(got, "i/o error: t.ldb: a bad sector");
      }
    }
    return found;
  }

  LossyFile* file_ = nullptr;
  std::unique_ptr<Table> table_;
};

INSTANTIATE_TEST_SUITE_P(Codecs, TableOnABadDisk,
                         ::testing::Values(Compression::kNone,
                                           Compression::kSnappy),
                         [](const auto& instance) {
                           return std::to_string(
                               static_cast<int>(instance.param));
                         });

TEST_P(TableOnABadDisk, IsNotTouchedWhereItCannotBeRead) {
  file_->Lose(0.5, 600);
  const int found = CountFound();
  EXPECT_LT(found, kKeys);
  EXPECT_GT(found, kKeys * 9 / 10);
}

TEST_P(TableOnABadDisk, AScanStopsThereAndNotBefore) {
  const int found = [&] {
    file_->Lose(0.5, 600);
    const auto it = table_->NewIterator({});
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      EXPECT_EQ(it->value(), Value(count));
      ++count;
    }
    EXPECT_EQ(it->status().ToString(), "i/o error: t.ldb: a bad sector");
    return count;
  }();
  // Up to the very block, whatever is made readable ahead.
  EXPECT_EQ(Lookup(*table_, Key(found - 1), kMaxSequence),
            "value " + Value(found - 1));
  EXPECT_EQ(Lookup(*table_, Key(found), kMaxSequence),
            "i/o error: t.ldb: a bad sector");
  EXPECT_GT(found, kKeys / 4);
}

TEST_P(TableOnABadDisk, IsReadWhereTheSystemCannotTell) {
  file_->CannotTell();
  const int before = file_->reads();
  EXPECT_EQ(CountFound(), kKeys);
  const int first = file_->reads() - before;
  EXPECT_GT(first, 20) << "each block, the first time";
  EXPECT_EQ(CountFound(), kKeys);
  if (!is_compressed()) {
    EXPECT_EQ(file_->reads() - before, first) << "and then no more";
  }
}

TEST_P(TableOnABadDisk, AFaultCostsNoAnswerThatCanBeReadStill) {
  EXPECT_EQ(CountFound(), kKeys);  // all blocks are verified
  file_->Lose(0.5, 600);
  file_->Fault();
  const int found = CountFound();
  EXPECT_LT(found, kKeys);
  EXPECT_GT(found, kKeys * 9 / 10);
}

TEST_P(TableOnABadDisk, APageThatGoesWhileItIsVerifiedCostsNoAnswer) {
  file_->GoBadOnceReadable();
  EXPECT_EQ(CountFound(), kKeys);
}

// By bytes, but calls somebody when keys are compared: a page can go then.
class NosyOrder final : public Comparator {
 public:
  std::string_view name() const noexcept override { return "nosy"; }
  int Compare(Slice a, Slice b) const noexcept override {
    if (on_compare) on_compare();
    return a.compare(b);
  }
  bool EqualMeansIdentical() const noexcept override { return true; }

  std::function<void()> on_compare;
};

TEST(TableThatLosesAPage, WhatIsFoundMeanwhileIsReadAnew) {
  NosyOrder order;
  const KeyOrder key_order(order);
  TableWriteOptions options;
  options.order = key_order;
  options.compression = Compression::kNone;
  Entries entries;
  for (int i = 100; i < 120; ++i) {
    entries.push_back({.user_key = "key" + std::to_string(i),
                       .value = "value of " + std::to_string(i)});
  }
  for (const bool can_be_read : {true, false}) {
    auto owned = std::make_unique<LossyFile>(BuildTable(options, entries));
    LossyFile* const file = owned.get();
    const auto table =
        *Table::Open({.order = key_order}, std::move(owned), "t.ldb");
    ASSERT_EQ(Lookup(*table, "key119", kMaxSequence), "value value of 119");
    int compared = 0;
    order.on_compare = [&] {
      if (++compared == 1) return;  // that is the index, of one block
      can_be_read ? file->ShowZeros() : file->Lose(0, 600);
      file->Fault();
    };
    EXPECT_EQ(
        Lookup(*table, "key118", kMaxSequence),
        can_be_read ? "value value of 118" : "i/o error: t.ldb: a bad sector");
    order.on_compare = nullptr;
  }
}

// A file that is cut within a page shows zeros there, and nothing tells.
TEST_P(TableOnABadDisk, WhatIsVerifiedEachTimeIsWhatIsShown) {
  const auto it = table_->NewIterator({.verify_checksums = true});
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  file_->Lose(0, static_cast<std::size_t>(file_->size()));
  int count = 0;
  for (; it->Valid(); it->Next()) {
    EXPECT_EQ(it->value(), Value(count));
    ++count;
  }
  EXPECT_GT(count, 10) << "the rest of its block";
  EXPECT_EQ(it->status().ToString(), "i/o error: t.ldb: a bad sector");
}

TEST_P(TableOnABadDisk, AnIteratorSaysThatItShowedZeros) {
  const auto it = table_->NewIterator({});
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  file_->Fault();
  if (is_compressed()) {  // it has the block to itself
    EXPECT_TRUE(it->status().ok());
    it->Next();
    EXPECT_TRUE(it->Valid());
    return;
  }
  const std::string expected = "i/o error: t.ldb: a page of it cannot be read";
  EXPECT_EQ(it->status().ToString(), expected);
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(it->status().ToString(), expected);
  for (const bool from_front : {true, false}) {
    from_front ? it->SeekToFirst() : it->SeekToLast();
    EXPECT_FALSE(it->Valid());
    EXPECT_EQ(it->status().ToString(), expected) << "for good";
  }
  // Another one reads the file.
  const auto other = table_->NewIterator({});
  int count = 0;
  for (other->SeekToFirst(); other->Valid(); other->Next()) ++count;
  EXPECT_EQ(count, kKeys);
  EXPECT_TRUE(other->status().ok());
}

}  // namespace
}  // namespace tamis::testing
