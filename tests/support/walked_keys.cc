// SPDX-License-Identifier: Apache-2.0
#include "tests/support/walked_keys.h"

#include <gtest/gtest.h>

namespace tamis::testing {
namespace {

class Collector final : public SstableVisitor {
 public:
  explicit Collector(WalkedKeys* walked) : walked_(walked) {}

  bool OnKeys(const StoredKeys& stored) override {
    for (std::size_t i = 0; i < stored.keys.size(); ++i) {
      walked_->keys.emplace_back(stored.keys[i]);
      if (!stored.admitted[i]) walked_->hidden.emplace_back(stored.keys[i]);
    }
    return true;
  }
  void OnProblem(const std::string& problem) override {
    walked_->problems.push_back(problem);
  }

 private:
  WalkedKeys* walked_;
};

}  // namespace

WalkedKeys WalkAll(const Sstable& sstable) {
  WalkedKeys walked;
  Collector collector(&walked);
  const Result<SstableWalk> walk = sstable.Walk(collector);
  EXPECT_TRUE(walk.ok()) << walk.status().ToString();
  if (!walk.ok()) return walked;
  walked.walk = *walk;
  EXPECT_EQ(walked.walk.keys, walked.keys.size());
  EXPECT_EQ(walked.walk.problems, walked.problems.size());
  return walked;
}

WalkedKeys WalkAll(const FoundSstable& found) {
  const auto sstable = OpenSstable(found);
  EXPECT_TRUE(sstable.ok()) << sstable.status().ToString();
  return sstable.ok() ? WalkAll(**sstable) : WalkedKeys();
}

}  // namespace tamis::testing
