// SPDX-License-Identifier: Apache-2.0
// peers/peer_policy.h -- LevelDB's policies and ours, each in the other's
// clothes.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include "formats/leveldb/bloom.h"
#include "tamis/filter.h"

namespace tamis::testing {

inline leveldb::Slice ToPeer(Slice bytes) {
  return {bytes.data(), bytes.size()};
}
inline Slice FromPeer(const leveldb::Slice& bytes) {
  return {bytes.data(), bytes.size()};
}

inline std::unique_ptr<const leveldb::FilterPolicy> TheirPolicy(int bits) {
  return std::unique_ptr<const leveldb::FilterPolicy>(
      leveldb::NewBloomFilterPolicy(bits));
}

inline std::unique_ptr<const FilterPolicy> OurPolicy(int bits) {
  auto policy = MakePolicy("leveldb:" + std::to_string(bits));
  EXPECT_TRUE(policy.ok()) << policy.status().ToString();
  return *std::move(policy);
}

inline std::string TheirFilter(const leveldb::FilterPolicy& policy,
                               std::span<const std::string> keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter;
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  return filter;
}

inline std::string OurFilter(const FilterPolicy& policy,
                             std::span<const std::string> keys) {
  const auto builder = policy.NewBuilder();
  for (const std::string& key : keys) builder->Add(key);
  std::string filter;
  const Status finished = builder->Finish(&filter);
  EXPECT_TRUE(finished.ok()) << finished.ToString();
  return filter;
}

// Our filters as LevelDB takes them.  It bears the name of LevelDB's own
// policy, because the bytes are the same.
class TamisForLevelDb final : public leveldb::FilterPolicy {
 public:
  explicit TamisForLevelDb(int bits) : policy_(OurPolicy(bits)) {}

  const char* Name() const override { return kLevelDbBloomName.data(); }

  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* dst) const override {
    const auto builder = policy_->NewBuilder();
    for (int i = 0; i < n; ++i) builder->Add(FromPeer(keys[i]));
    const Status finished = builder->Finish(dst);
    EXPECT_TRUE(finished.ok()) << finished.ToString();
  }

  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    if (filter.size() < 2) return true;  // damaged: nothing is ruled out
    return LevelDbBloomMayContain(FromPeer(filter), FromPeer(key));
  }

 private:
  std::unique_ptr<const tamis::FilterPolicy> policy_;
};

}  // namespace tamis::testing
