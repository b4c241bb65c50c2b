// SPDX-License-Identifier: Apache-2.0
#include "tests/store/model_run.h"

#include <array>
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

#include "base/crc32c.h"

namespace tamis::testing {
namespace {

constexpr std::size_t kMaxMoments = 4;
constexpr std::size_t kMaxWalks = 3;

std::string ValueIn(const std::map<std::string, std::string>& model,
                    const std::string& key) {
  const auto found = model.find(key);
  return found == model.end() ? "(none)" : found->second;
}

}  // namespace

ModelRun::ModelRun(const StoreOptions& options, std::uint64_t seed)
    : random_(seed), store_(options) {}

void ModelRun::Run(int operations) {
  for (int i = 0; i < operations; ++i) {
    Step();
    if (::testing::Test::HasFailure()) return;
  }
  std::string all;
  for (const auto& [key, value] : model_) {
    all += (all.empty() ? "" : " ") + key + "=" + value;
  }
  EXPECT_TRUE(store_.All() == all);
  Note(all);
}

// Few enough to meet again; of several lengths, with a common beginning.
std::string ModelRun::RandomKey() {
  const std::uint64_t number = Chance(1500);
  if (number < 20) return std::string(number, 'k');
  std::string key = "key" + std::to_string(number);
  if (number % 3 == 0) key += std::string(number % 40, '\0');
  return key;
}

std::string ModelRun::RandomValue() {
  const std::uint64_t size = Chance(50) == 0 ? Chance(9000) : Chance(120);
  std::string value(size, static_cast<char>('a' + Chance(26)));
  for (std::size_t i = 0; i < size / 2; ++i) {
    value[i] = static_cast<char>(random_());
  }
  return value;
}

void ModelRun::Note(Slice answer) {
  answers_ = answers_ * 1099511628211u + Crc32c(answer) + answer.size();
}

void ModelRun::Step() {
  const std::uint64_t what = Chance(1000);
  if (what < 400) {
    PutOrDelete();
  } else if (what < 430) {
    WriteBatchOf(1 + Chance(60));
  } else if (what < 750) {
    Look();
  } else if (what < 780) {
    LookMany();
  } else if (what < 800) {
    TakeOrDropSnapshot();
  } else if (what < 830) {
    BeginOrEndWalk();
  } else if (what < 985) {
    if (!walks_.empty()) MoveWalk(walks_[Chance(walks_.size())].get());
  } else if (what < 987) {
    ChangeFilterMemory();
  } else if (what < 990) {
    store_.Flush();
  } else if (what < 997) {
    CompactRange();
  } else {
    Reopen();
  }
}

// Only if it is limited at all.
void ModelRun::ChangeFilterMemory() {
  const std::uint64_t bytes = Chance(3000);
  if (!store_.options().filter_memory_bytes) return;
  const Status changed = store_->SetFilterMemory(bytes);
  ASSERT_TRUE(changed.ok()) << changed.ToString();
  ASSERT_LE(store_->Stats().filter_memory_held, bytes);
}

void ModelRun::PutOrDelete() {
  const std::string key = RandomKey();
  if (Chance(4) == 0) {
    store_.Delete(key);
    model_.erase(key);
    return;
  }
  const std::string value = RandomValue();
  store_.Put(key, value);
  model_[key] = value;
}

void ModelRun::WriteBatchOf(std::uint64_t count) {
  WriteBatch batch;
  for (; count > 0; --count) {
    const std::string key = RandomKey();
    if (Chance(3) == 0) {
      batch.Delete(key);
      model_.erase(key);
    } else {
      model_[key] = RandomValue();
      batch.Put(key, model_[key]);
    }
  }
  const Status written = store_->Write({.sync = Chance(2) == 0}, batch);
  ASSERT_TRUE(written.ok()) << written.ToString();
}

const ModelRun::OldMoment* ModelRun::RandomMoment() {
  const std::uint64_t i = Chance(2 * kMaxMoments);
  return i < moments_.size() ? &moments_[i] : nullptr;
}

void ModelRun::Look() {
  const std::string key = RandomKey() + (Chance(8) == 0 ? "?" : "");
  const OldMoment* moment = RandomMoment();
  const std::string got =
      store_.Get(key, moment == nullptr ? nullptr : moment->snapshot.get());
  Note(got);
  ASSERT_EQ(got, ValueIn(moment == nullptr ? model_ : moment->model, key));
  std::string expected_hit;
  const Status hit = store_->Get(
      {.snapshot = moment == nullptr ? nullptr : moment->snapshot.get(),
       .expect_hit = true},
      key, &expected_hit);
  ASSERT_EQ(hit.ok() ? expected_hit : "(none)", got);
  if (Chance(16) != 0) return;
  const Explanation told = store_->Explain(
      {.snapshot = moment == nullptr ? nullptr : moment->snapshot.get()}, key);
  ASSERT_EQ(told.status.ok() ? told.value : "(none)", got);
}

void ModelRun::LookMany() {
  std::vector<std::string> keys(Chance(40));
  for (std::string& key : keys) key = RandomKey();
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<std::string> values(keys.size());
  std::vector<Status> statuses(keys.size());
  const OldMoment* moment = RandomMoment();
  ReadOptions options;
  if (moment != nullptr) options.snapshot = moment->snapshot.get();
  store_->MultiGet(options, slices, values, statuses);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string one = store_.Get(keys[i], options.snapshot);
    const std::string many = statuses[i].ok() ? values[i] : "(none)";
    ASSERT_EQ(many, one) << statuses[i].ToString();
    ASSERT_EQ(many,
              ValueIn(moment == nullptr ? model_ : moment->model, keys[i]));
    Note(many);
  }
}

void ModelRun::TakeOrDropSnapshot() {
  if (moments_.size() < kMaxMoments && Chance(2) == 0) {
    moments_.push_back({store_->GetSnapshot(), model_});
  } else if (!moments_.empty()) {
    moments_.erase(moments_.begin() +
                   static_cast<std::ptrdiff_t>(Chance(moments_.size())));
  }
}

void ModelRun::BeginOrEndWalk() {
  if (walks_.size() == kMaxWalks) {
    walks_.erase(walks_.begin() +
                 static_cast<std::ptrdiff_t>(Chance(kMaxWalks)));
    return;
  }
  const OldMoment* moment = RandomMoment();
  auto walk = std::make_unique<Walk>();
  ReadOptions options;
  if (moment != nullptr) options.snapshot = moment->snapshot.get();
  walk->model = moment == nullptr ? model_ : moment->model;
  const std::string lower = RandomKey();
  const std::string upper = RandomKey();
  if (Chance(4) == 0) {
    options.lower_bound = lower;
    walk->model.erase(walk->model.begin(), walk->model.lower_bound(lower));
  }
  if (Chance(4) == 0) {
    options.upper_bound = upper;
    walk->model.erase(walk->model.lower_bound(upper), walk->model.end());
  }
  walk->iterator = store_->NewIterator(options);
  walk->at = walk->model.end();
  ASSERT_FALSE(walk->iterator->Valid());
  walks_.push_back(std::move(walk));
}

void ModelRun::MoveWalk(Walk* walk) {
  const Model& model = walk->model;
  Iterator& it = *walk->iterator;
  const std::uint64_t how = Chance(20);
  const std::string key = RandomKey();
  if (how == 0) {
    it.SeekToFirst();
    walk->at = model.begin();
  } else if (how == 1) {
    it.SeekToLast();
    walk->at = model.empty() ? model.end() : std::prev(model.end());
  } else if (how == 2) {
    it.SeekForPrev(key);
    const auto after = model.upper_bound(key);
    walk->at = after == model.begin() ? model.end() : std::prev(after);
  } else if (how < 5 || !it.Valid()) {
    it.Seek(key);
    walk->at = model.lower_bound(key);
  } else if (how % 2 == 0) {
    it.Next();
    ++walk->at;
  } else {
    it.Prev();
    walk->at = walk->at == model.begin() ? model.end() : std::prev(walk->at);
  }
  ExpectStandsRight(*walk);
}

void ModelRun::ExpectStandsRight(const Walk& walk) {
  const Iterator& it = *walk.iterator;
  ASSERT_TRUE(it.status().ok()) << it.status().ToString();
  ASSERT_EQ(it.Valid(), walk.at != walk.model.end());
  if (!it.Valid()) return;
  ASSERT_EQ(it.key(), walk.at->first);
  ASSERT_EQ(it.value(), walk.at->second);
  Note(it.key());
  Note(it.value());
}

void ModelRun::CompactRange() {
  const std::string a = RandomKey();
  const std::string b = RandomKey();
  KeyRange range;
  if (Chance(3) > 0) range = a < b ? KeyRange{a, b} : KeyRange{b, a};
  const Status compacted = store_->Compact(range);
  ASSERT_TRUE(compacted.ok()) << compacted.ToString();
}

void ModelRun::Reopen() {
  walks_.clear();
  moments_.clear();
  store_.Close();
  if (store_.options().filter_files) MakeFilters();
  store_.Open();
}

// By turns of other kinds than the tables have, and none.
void ModelRun::MakeFilters() {
  constexpr const char* kFilters[] = {"ribbon:8", "bloom:4", "bloom:12"};
  StoreOptions options = store_.options();
  options.filter_per_level.clear();
  options.filter = kFilters[made_filters_ % 3];
  FilterFilesOptions filters;
  filters.remove = ++made_filters_ % 4 == 0;
  const auto made = MakeFilterFiles(TestStore::dir(), options, filters);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  ASSERT_EQ(made->failed, 0u);
}

}  // namespace tamis::testing
