// SPDX-License-Identifier: Apache-2.0
#include "sstable/find_by_walk.h"

#include <algorithm>
#include <string>

namespace tamis {
namespace {

class Seeker final : public SstableVisitor {
 public:
  explicit Seeker(Slice key) : key_(key) {}

  bool OnKeys(const StoredKeys& stored) override {
    if (std::find(stored.keys.begin(), stored.keys.end(), key_) ==
        stored.keys.end()) {
      return true;
    }
    entry_ = {.kind = StoredKind::kEntry, .offset = stored.offset};
    return false;
  }
  void OnProblem(const std::string& problem) override {
    if (problem_.empty()) problem_ = problem;
  }

  // Keys that could not be read may be the one.
  Result<StoredEntry> Found() const {
    if (entry_.kind == StoredKind::kNothing && !problem_.empty()) {
      return Status::Corruption(problem_);
    }
    return entry_;
  }

 private:
  Slice key_;
  StoredEntry entry_;
  std::string problem_;
};

}  // namespace

Result<StoredEntry> FindByWalk(const Sstable& sstable, Slice user_key) {
  Seeker seeker(user_key);
  const Result<SstableWalk> walk = sstable.Walk(seeker);
  if (!walk.ok()) return walk.status();
  return seeker.Found();
}

}  // namespace tamis
