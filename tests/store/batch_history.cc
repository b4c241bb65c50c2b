// SPDX-License-Identifier: Apache-2.0
#include "tests/store/batch_history.h"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "tests/store/stores.h"

namespace tamis::testing {
namespace {

std::string MarkOf(std::size_t number) { return "mark" + NumberKey(number); }

// Notes a batch's changes in a map.
class ToContents final : public WriteBatch::Handler {
 public:
  explicit ToContents(Contents* contents) : contents_(contents) {}
  void Put(Slice key, Slice value) override {
    (*contents_)[std::string(key)] = value;
  }
  void Delete(Slice key) override { contents_->erase(std::string(key)); }

 private:
  Contents* contents_;
};

}  // namespace

WriteBatch BatchNumber(std::size_t number) {
  constexpr std::size_t kKeys = 60;
  std::mt19937_64 random(number);
  const std::size_t changes = random() % 5;
  const std::size_t mark_at = random() % (changes + 1);
  WriteBatch batch;
  for (std::size_t i = 0; i <= changes; ++i) {
    if (i == mark_at) batch.Put(MarkOf(number), "of " + std::to_string(number));
    const std::string key = "key" + NumberKey(random() % kKeys);
    if (random() % 5 == 0) {
      batch.Delete(key);
      continue;
    }
    std::string value = std::to_string(number) + ":";
    const std::size_t size = random() % 20 == 0 ? 6000 : random() % 400;
    while (value.size() < size) value += std::to_string(random());
    batch.Put(key, value);
  }
  return batch;
}

bool BatchHistory::Write(Store* store, bool sync, const std::string& dir) {
  Attempt attempt;
  attempt.sync = sync;
  const Status written =
      store->Write({.sync = sync}, BatchNumber(attempts_.size()));
  attempt.acknowledged = written.ok();
  if (!written.ok()) {
    EXPECT_NE(written.message().find(dir), std::string::npos)
        << written.ToString();
  }
  attempts_.push_back(attempt);
  return attempt.acknowledged;
}

void BatchHistory::Settle(const std::vector<bool>& present) {
  for (std::size_t i = 0; i < present.size(); ++i) {
    attempts_[i].acknowledged = present[i];
    attempts_[i].sync = true;
  }
}

Contents BatchHistory::Expected(const std::vector<bool>& present) const {
  Contents contents;
  ToContents handler(&contents);
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (!present[i]) continue;
    EXPECT_TRUE(BatchNumber(i).ForEach(&handler).ok());
  }
  return contents;
}

void BatchHistory::ExpectExactly(Store* store) const {
  std::vector<bool> acknowledged;
  for (const Attempt& attempt : attempts_) {
    acknowledged.push_back(attempt.acknowledged);
  }
  ExpectHolds(store, Expected(acknowledged));
}

std::vector<bool> BatchHistory::Survivors(Store* store) const {
  const Contents found = ContentsOf(store);
  std::vector<bool> present;
  for (std::size_t i = 0; i < attempts_.size(); ++i) {
    present.push_back(found.contains(MarkOf(i)));
  }
  ExpectHolds(store, Expected(present));
  return present;
}

void BatchHistory::ExpectKept(Store* store) const {
  const std::vector<bool> present = Survivors(store);
  for (std::size_t i = 0; i < present.size(); ++i) {
    EXPECT_TRUE(present[i] || !attempts_[i].acknowledged)
        << "batch " << i << " of " << present.size() << " is lost";
  }
}

Contents ContentsOf(Store* store) {
  Contents contents;
  const auto it = store->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    contents.emplace(it->key(), it->value());
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return contents;
}

void ExpectHolds(Store* store, const Contents& contents) {
  EXPECT_TRUE(ContentsOf(store) == contents) << "a scan gives other entries";
  std::string value;
  for (const auto& [key, expected] : contents) {
    const Status got = store->Get({}, key, &value);
    EXPECT_TRUE(got.ok()) << key << ": " << got.ToString();
    EXPECT_TRUE(!got.ok() || value == expected) << key << " has another value";
    if (::testing::Test::HasFailure()) return;
  }
}

void ExpectSound(Env* env, const std::string& dir) {
  StoreOptions options;
  options.env = env;
  const Result<CheckReport> checked = CheckStore(dir, options);
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_TRUE(checked->problems.empty()) << checked->problems.front();
}

std::uint64_t NumberFrom(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace tamis::testing
