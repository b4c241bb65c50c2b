// SPDX-License-Identifier: Apache-2.0
// Merging, against all entries sorted.

#include "store/merging_iterator.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/store/versions.h"

namespace tamis {
namespace {

using testing::InternalKey;
using Keys = std::vector<std::string>;

// Over sorted keys; the value is the key again.  May fail at one of them.  With
// `postpones`, seeks often end before the entry that is meant.
class KeysIterator final : public InternalIterator {
 public:
  explicit KeysIterator(Keys keys, std::size_t fails_at = SIZE_MAX,
                        bool postpones = false)
      : keys_(std::move(keys)), fails_at_(fails_at), postpones_(postpones) {}

  void SeekToFirst() override { GoTo(0); }
  void SeekToLast() override {
    GoTo(keys_.empty() ? kNowhere : keys_.size() - 1);
  }
  void Seek(Slice key) override {
    std::size_t i = 0;
    while (i < keys_.size() && KeyOrder().Compare(keys_[i], key) < 0) ++i;
    GoTo(i);
    if (Valid()) MayPostpone(key, kMaxSequence, kTypeForSeek);
  }
  void SeekForPrev(const KeyOrder& order, Slice key) override {
    if (!postpones_) return InternalIterator::SeekForPrev(order, key);
    std::size_t i = keys_.size();
    while (i > 0 && order.Compare(keys_[i - 1], key) > 0) --i;
    GoTo(i == 0 ? kNowhere : i - 1);
    if (Valid()) MayPostpone(key, 0, ValueType::kDeletion);
  }
  InternalIterator* Settle() override {
    if (is_postponed()) {
      EndPostponing();
      GoTo(at_);
    }
    return this;
  }
  void Next() override { GoTo(at_ + 1); }
  void Prev() override { GoTo(at_ == 0 ? kNowhere : at_ - 1); }
  Status status() const override {
    return at_ == fails_at_ ? Status::IoError("this one fails") : Status::Ok();
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX - 1;

  void GoTo(std::size_t i) {
    at_ = i;
    if (i < keys_.size() && i != fails_at_) {
      StandAt(keys_[i], keys_[i]);
    } else {
      StandNowhere();
    }
  }

  // Before all versions of the user key, or after them.  A seek to one of its
  // versions is at that entry at once, as that of a table is.
  void MayPostpone(Slice target, Sequence sequence, ValueType type) {
    const Slice user_key = UserKeyOf(keys_[at_]);
    if (!postpones_ || UserKeyOf(target) == user_key) return;
    bound_.clear();
    AppendInternalKey(&bound_, user_key, sequence, type);
    StandPostponed(bound_);
  }

  Keys keys_;
  std::size_t fails_at_;
  bool postpones_;
  std::string bound_;
  std::size_t at_ = kNowhere;
};

struct Merge {
  Keys all;
  std::unique_ptr<InternalIterator> merged;
};

Merge RandomMerge(std::mt19937_64* random, bool postpones) {
  const std::size_t children = (*random)() % 12;
  std::vector<Keys> parts(children);
  Merge merge;
  const Sequence entries = children == 0 ? 0 : (*random)() % 60;
  for (Sequence s = 1; s <= entries; ++s) {
    const std::string user(1 + (*random)() % 12, "ab"[(*random)() % 2]);
    const std::string key = InternalKey(user, s);
    parts[(*random)() % children].push_back(key);
    merge.all.push_back(key);
  }
  const auto before = [](const std::string& a, const std::string& b) {
    return KeyOrder().Compare(a, b) < 0;
  };
  std::sort(merge.all.begin(), merge.all.end(), before);
  std::vector<std::unique_ptr<InternalIterator>> iterators;
  for (Keys& part : parts) {
    std::sort(part.begin(), part.end(), before);
    iterators.push_back(std::make_unique<KeysIterator>(
        std::move(part), SIZE_MAX, /*postpones=*/children > 1 && postpones));
  }
  merge.merged = NewMergingIterator(KeyOrder(), std::move(iterators));
  return merge;
}

TEST(MergingIterator, WalksLikeAllEntriesSorted) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 600; ++round) {
    const Merge merge = RandomMerge(&random, /*postpones=*/round % 2 == 1);
    InternalIterator& it = *merge.merged;
    ASSERT_FALSE(it.Valid());
    const std::size_t count = merge.all.size();
    std::size_t at = count;  // where it should stand; count: nowhere
    for (int step = 0; step < 200; ++step) {
      const std::uint64_t how = random() % 20;
      if (how == 0 || (how < 8 && at == count)) {
        it.SeekToFirst();
        at = 0;
      } else if (how == 1 || (how < 14 && at == count)) {
        it.SeekToLast();
        at = count == 0 ? 0 : count - 1;
      } else if (how == 3) {
        const std::string target = InternalKey(
            std::string(random() % 13, "ab"[random() % 2]), random() % 60);
        it.SeekForPrev(KeyOrder(), target);
        for (at = count; at > 0; --at) {
          if (KeyOrder().Compare(merge.all[at - 1], target) <= 0) break;
        }
        at = at == 0 ? count : at - 1;
      } else if (how == 2 || at == count) {
        const std::string target = InternalKey(
            std::string(random() % 13, "ab"[random() % 2]), random() % 60);
        it.Seek(target);
        for (at = 0; at < count; ++at) {
          if (KeyOrder().Compare(merge.all[at], target) >= 0) break;
        }
      } else if (how % 2 == 0) {
        it.Next();
        ++at;
      } else {
        it.Prev();
        at = at == 0 ? count : at - 1;
      }
      ASSERT_TRUE(it.status().ok());
      ASSERT_EQ(it.Valid(), at < count);
      if (!it.Valid()) continue;
      ASSERT_EQ(it.key(), merge.all[at]);
      ASSERT_EQ(it.value(), merge.all[at]);
    }
  }
}

TEST(MergingIterator, StopsWhereAChildFails) {
  const auto merge = [](std::size_t fails_at) {
    std::vector<std::unique_ptr<InternalIterator>> children;
    children.push_back(std::make_unique<KeysIterator>(
        Keys{InternalKey("a", 1), InternalKey("c", 1), InternalKey("e", 1)},
        fails_at));
    children.push_back(std::make_unique<KeysIterator>(
        Keys{InternalKey("b", 1), InternalKey("d", 1), InternalKey("f", 1)}));
    return NewMergingIterator(KeyOrder(), std::move(children));
  };
  const auto at_once = merge(0);
  at_once->SeekToFirst();
  EXPECT_FALSE(at_once->Valid());
  EXPECT_FALSE(at_once->status().ok());

  const auto later = merge(1);
  later->SeekToFirst();
  ASSERT_TRUE(later->Valid());
  EXPECT_EQ(UserKeyOf(later->key()), "a");
  later->Next();
  EXPECT_FALSE(later->Valid());  // "b" may not be the next one
  EXPECT_FALSE(later->status().ok());
  later->SeekToLast();
  ASSERT_TRUE(later->Valid());
  EXPECT_TRUE(later->status().ok());
  for (int i = 0; i < 3 && later->Valid(); ++i) later->Prev();
  EXPECT_FALSE(later->Valid());
  EXPECT_FALSE(later->status().ok());

  const auto turning = merge(1);
  turning->Seek(InternalKey("d", 1));
  ASSERT_TRUE(turning->Valid());
  turning->Prev();
  EXPECT_FALSE(turning->Valid());
  EXPECT_FALSE(turning->status().ok());
}

}  // namespace
}  // namespace tamis
