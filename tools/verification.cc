// SPDX-License-Identifier: Apache-2.0
#include "verification.h"

#include <cstring>
#include <span>
#include <unordered_set>
#include <utility>

#include "absent_shapes.h"

namespace tamis::tools {
namespace {

// Asks about the stored keys, and makes absent ones from them.
class Asker final : public SstableVisitor {
 public:
  Asker(const Sstable& sstable, bool measures, const KeysRead& tell,
        Verification* result)
      : sstable_(sstable), measures_(measures), tell_(tell), result_(result) {}

  bool OnKeys(const StoredKeys& stored) override {
    std::size_t i = FirstHidden(stored.admitted, 0);
    for (; i < stored.keys.size(); i = FirstHidden(stored.admitted, i + 1)) {
      AddHidden(stored.keys[i], stored.offset);
    }
    if (measures_) {
      stored.are_neighbours ? AskBetween(stored) : Sample(stored);
    }
    tell_(stored.keys.size());
    return true;
  }
  void OnProblem(const std::string& problem) override {
    if (result_->problems.size() < Verification::kMaxProblems) {
      result_->problems.push_back(problem);
    }
  }

  // Keys that look like stored ones, where the order does not tell that they
  // are absent.
  std::unordered_set<std::string>& candidates() { return candidates_; }

 private:
  // Enough of a small sstable, and of each part of a large one: making an
  // absent key takes longer than reading several that are there.
  static constexpr std::uint64_t kAskedDensely = 1024;
  static constexpr int kAskedPerBlock = 8;
  static constexpr std::uint64_t kBlocksPerAsked = 16;
  static constexpr std::size_t kMaxCandidates = 4096;

  // The first place from `start` on that is false, or the end.  Nearly always
  // all are true, and memchr() looks at many at once.
  static std::size_t FirstHidden(std::span<const bool> admitted,
                                 std::size_t start) {
    static_assert(sizeof(bool) == 1);
    if (start >= admitted.size()) return admitted.size();
    const bool* const from = admitted.data() + start;
    const void* const found = std::memchr(from, false, admitted.size() - start);
    return found == nullptr
               ? admitted.size()
               : static_cast<std::size_t>(static_cast<const bool*>(found) -
                                          admitted.data());
  }
  void AddHidden(Slice key, std::uint64_t offset) {
    ++result_->hidden;
    if (result_->first_hidden.size() < Verification::kMaxHiddenKeys) {
      result_->first_hidden.push_back({std::string(key), offset});
    }
  }
  void AskBetween(const StoredKeys& stored) {
    const bool is_dense = result_->absent < kAskedDensely;
    if (!is_dense && ++skipped_ % kBlocksPerAsked != 0) return;
    const int times = is_dense ? kAskedPerBlock : 1;
    for (int i = 0; i < times; ++i) {
      if (!shapes_.Between(stored.keys, &absent_)) return;
      ++result_->absent;
      if (sstable_.MayContain(absent_)) ++result_->absent_passed;
    }
  }
  void Sample(const StoredKeys& stored) {
    for (const Slice key : stored.keys) {
      if (candidates_.size() == kMaxCandidates) return;
      shapes_.Change(key, &absent_);
      candidates_.insert(absent_);
    }
  }

  const Sstable& sstable_;
  const bool measures_;
  const KeysRead& tell_;
  Verification* result_;
  AbsentShapes shapes_;
  std::uint64_t skipped_ = 0;  // blocks
  std::string absent_;
  std::unordered_set<std::string> candidates_;
};

// Strikes the stored keys out of the candidates.
class Striker final : public SstableVisitor {
 public:
  explicit Striker(std::unordered_set<std::string>* candidates)
      : candidates_(candidates) {}

  bool OnKeys(const StoredKeys& stored) override {
    for (const Slice key : stored.keys) {
      key_.assign(key);
      candidates_->erase(key_);
    }
    return !candidates_->empty();
  }
  void OnProblem(const std::string& /*problem*/) override { missed_ = true; }
  // Keys that could not be read may be among the candidates.
  bool missed() const { return missed_; }

 private:
  std::unordered_set<std::string>* candidates_;
  std::string key_;
  bool missed_ = false;
};

Status AskCandidates(const Sstable& sstable,
                     std::unordered_set<std::string>* candidates,
                     Verification* result) {
  if (candidates->empty()) return Status::Ok();
  Striker striker(candidates);
  const Result<SstableWalk> walk = sstable.Walk(striker);
  if (!walk.ok()) return walk.status();
  if (striker.missed()) {
    result->why_unmeasured = "some keys could not be read";
    return Status::Ok();
  }
  for (const std::string& key : *candidates) {
    ++result->absent;
    if (sstable.MayContain(key)) ++result->absent_passed;
  }
  return Status::Ok();
}

std::string WhyUnmeasured(const SstableInfo& info) {
  if (info.filter.kind.empty()) return "there is no filter";
  if (!info.filter.has_whole_keys) return "the filter has prefixes only";
  return "";
}

}  // namespace

Result<Verification> Verify(const FoundSstable& found,
                            std::optional<FilterVerdict> only,
                            const KeysRead& tell) {
  const auto sstable = OpenSstable(found);
  if (!sstable.ok()) return sstable.status();
  Verification result;
  result.info = (*sstable)->info();
  result.is_left_out = only.has_value() && result.info.verdict != *only;
  if (result.is_left_out) return result;
  result.why_not_verified = result.info.why_not_verifiable;
  if (!result.why_not_verified.empty()) return result;
  result.why_unmeasured = WhyUnmeasured(result.info);
  Asker asker(**sstable, result.why_unmeasured.empty(), tell, &result);
  const Result<SstableWalk> walk = (*sstable)->Walk(asker);
  if (!walk.ok()) return walk.status();
  result.walk = *walk;
  Status asked = AskCandidates(**sstable, &asker.candidates(), &result);
  if (!asked.ok()) return asked;
  if (result.absent == 0 && result.why_unmeasured.empty()) {
    result.why_unmeasured = "no absent key of the same shape was found";
  }
  return result;
}

}  // namespace tamis::tools
