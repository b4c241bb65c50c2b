// SPDX-License-Identifier: Apache-2.0
// Filters from which keys are erased, against a multiset that is told the
// same: random lives of insertions, erasures, saving and loading.

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/mutable_filter.h"
#include "tests/support/rates.h"
#include "tests/support/specs.h"

namespace tamis {
namespace {

// A filter and what it must hold.
class Life {
 public:
  Life(std::unique_ptr<ErasableFilter> filter, std::uint64_t seed,
       std::uint64_t different_keys)
      : filter_(std::move(filter)), random_(seed), keys_(different_keys) {}

  void Insert() {
    const std::string key = SomeKey();
    const Status status = filter_->Insert(key);
    if (status.ok()) {
      model_.insert(key);
      return;
    }
    ++refused_;
    ASSERT_EQ(status.code(), StatusCode::kFilterFull);
  }
  void EraseOne() {
    const auto it = SomeMember();
    if (it == model_.end()) return;
    const Status status = filter_->Erase(*it);
    ASSERT_TRUE(status.ok()) << status.ToString();
    model_.erase(it);
  }
  void EraseStranger() {
    const std::string key = SomeKey();
    if (model_.contains(key) || filter_->MayContain(key)) return;
    const std::string before = Saved();
    ASSERT_EQ(filter_->Erase(key).code(), StatusCode::kNotFound);
    ASSERT_EQ(Saved(), before);
  }
  void SaveAndLoad() {
    const std::string bytes = Saved();
    auto loaded = LoadErasable(bytes);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    filter_ = *std::move(loaded);
    ASSERT_EQ(Saved(), bytes);
  }
  void EraseAll() {
    while (!model_.empty()) ASSERT_NO_FATAL_FAILURE(EraseOne());
  }

  void CheckEveryKey() const {
    for (const std::string& key : model_) {
      ASSERT_TRUE(filter_->MayContain(key));
    }
    ASSERT_EQ(filter_->Describe().keys, model_.size());
    // The same from the bytes, as a store would open them.
    const std::string bytes = Saved();
    const auto policy = MakePolicy("tamis");
    const auto reader = policy->Open(bytes);
    ASSERT_TRUE(reader.ok());
    for (const std::string& key : model_) {
      ASSERT_TRUE(reader->MayContain(key));
    }
  }

  std::string Saved() const {
    std::string bytes;
    EXPECT_TRUE(filter_->Save(&bytes).ok());
    return bytes;
  }
  std::size_t size() const { return model_.size(); }
  std::uint64_t refused() const { return refused_; }
  ErasableFilter* filter() { return filter_.get(); }
  std::mt19937_64& random() { return random_; }

 private:
  std::string SomeKey() { return testing::ScrambledKey(random_() % keys_); }
  std::multiset<std::string>::iterator SomeMember() {
    const auto it = model_.lower_bound(SomeKey());
    return it == model_.end() ? model_.begin() : it;
  }

  std::unique_ptr<ErasableFilter> filter_;
  std::mt19937_64 random_;
  std::uint64_t keys_;
  std::multiset<std::string> model_;
  std::uint64_t refused_ = 0;
};

class MutableModel : public ::testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<ErasableFilter> NewFilter(std::uint64_t planned) {
    auto filter = NewErasable(GetParam(), planned);
    EXPECT_TRUE(filter.ok()) << filter.status().ToString();
    return filter.ok() ? *std::move(filter) : nullptr;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Specs, MutableModel,
    ::testing::Values("counting", "counting:fpr=0.2", "counting:m=1,k=2",
                      "counting:80,seed=5", "cuckoo", "cuckoo:fpr=0.2",
                      "cuckoo:fpr=0.000001", "cuckoo:m=1,k=4",
                      "cuckoo:33,seed=5"),
    [](const auto& test) { return testing::TestNameOf(test.param); });

// Keys come and go, at first more come than go; of few different keys many
// are in several times.
void Live(Life* life, unsigned steps) {
  for (unsigned step = 0; step < steps; ++step) {
    const std::uint64_t dice = life->random()() % 100;
    const std::uint64_t insertions = step < steps / 2 ? 65 : 40;
    if (dice < insertions) {
      ASSERT_NO_FATAL_FAILURE(life->Insert());
    } else if (dice < 95) {
      ASSERT_NO_FATAL_FAILURE(life->EraseOne());
    } else if (dice < 99) {
      ASSERT_NO_FATAL_FAILURE(life->EraseStranger());
    } else {
      ASSERT_NO_FATAL_FAILURE(life->SaveAndLoad());
    }
    if (step % (steps / 8) == 0) {
      ASSERT_NO_FATAL_FAILURE(life->CheckEveryKey());
    }
  }
}

TEST_P(MutableModel, NoPresentKeyIsEverDenied) {
  for (const std::uint64_t planned : {1u, 20u, 500u}) {
    // Fewer and more different keys than planned: the latter overfill it.
    for (const std::uint64_t different : {planned / 2 + 1, planned * 4}) {
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        SCOPED_TRACE(std::to_string(planned) + " planned, " +
                     std::to_string(different) + " keys, seed " +
                     std::to_string(seed));
        Life life(NewFilter(planned), seed, different);
        ASSERT_NO_FATAL_FAILURE(Live(&life, 1500));
        ASSERT_NO_FATAL_FAILURE(life.CheckEveryKey());
        ASSERT_NO_FATAL_FAILURE(life.EraseAll());
        EXPECT_EQ(life.filter()->Describe().keys, 0u);
      }
    }
  }
}

// Unless counters got stuck, which takes 15 keys on one.
TEST_P(MutableModel, WithoutItsKeysItIsAsIfItWereNew) {
  const bool is_small = GetParam().find("m=1,") != std::string::npos;
  const std::uint64_t planned = is_small ? 4 : 300;
  Life life(NewFilter(planned), 7, planned * 50);
  const std::string fresh = life.Saved();
  for (unsigned round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < planned; ++i) {
      ASSERT_NO_FATAL_FAILURE(life.Insert());
    }
    EXPECT_EQ(life.size(), planned);
    ASSERT_NO_FATAL_FAILURE(life.SaveAndLoad());
    ASSERT_NO_FATAL_FAILURE(life.EraseAll());
    ASSERT_EQ(life.Saved(), fresh);
  }
}

TEST_P(MutableModel, ALoadedFilterGoesOnAsTheOneThatWasSaved) {
  Life life(NewFilter(100), 9, 1000);
  ASSERT_NO_FATAL_FAILURE(Live(&life, 400));
  auto loaded = LoadErasable(life.Saved());
  ASSERT_TRUE(loaded.ok());
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string key = testing::SequentialKey(i % 120);
    const bool erases = i % 3 == 2;
    const Status one =
        erases ? life.filter()->Erase(key) : life.filter()->Insert(key);
    const Status other = erases ? loaded->Erase(key) : loaded->Insert(key);
    ASSERT_EQ(one.code(), other.code());
  }
  std::string bytes;
  ASSERT_TRUE(loaded->Save(&bytes).ok());
  EXPECT_EQ(bytes, life.Saved());
}

// All absent keys are found out, those that the filter takes for keys as well.
TEST_P(MutableModel, InTheCheckedModeAbsentKeysChangeNothing) {
  const auto checked = CheckErasures(NewFilter(200));
  std::map<std::string, unsigned> in;
  std::mt19937_64 random(11);
  for (unsigned step = 0; step < 3000; ++step) {
    const std::string key = testing::ScrambledKey(random() % 400);
    if (random() % 2 == 0) {
      if (checked->Insert(key).ok()) ++in[key];
      continue;
    }
    std::string before;
    ASSERT_TRUE(checked->Save(&before).ok());
    const Status status = checked->Erase(key);
    if (in[key] > 0) {
      ASSERT_TRUE(status.ok());
      --in[key];
      continue;
    }
    ASSERT_EQ(status.code(), StatusCode::kNotFound);
    std::string after;
    ASSERT_TRUE(checked->Save(&after).ok());
    ASSERT_EQ(after, before);
  }
  for (const auto& [key, count] : in) {
    EXPECT_TRUE(count == 0 || checked->MayContain(key));
  }
}

}  // namespace
}  // namespace tamis
